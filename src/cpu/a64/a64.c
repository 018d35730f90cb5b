// SPDX-License-Identifier: MIT
/*
 * The running core of an A64 processor: the slow paths. The hot ones are in a64.h. What the
 * events mean: DDI 0487 D13.12 and the TRM of the core; docs/armv8.md lists each rule with its
 * source and the choices made.
 *
 * Not modelled: prefetching of instructions, read-allocate mode, coherency traffic, exclusive
 * caches, page sizes other than 4 KB, DC ZVA's stores (the emulator does not show their address),
 * wrong-path execution.
 */
#include "cpu/a64/a64.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/family.h"
#include "cpu/sites.h"

#define LINE_BYTES (1u << PMK_A64_LINE_SHIFT)
#define LINE_MASK  (~(uint64_t)(LINE_BYTES - 1))
#define FAST_MASK  (PMK_A64_FAST_LINES - 1)
#define EMPTY	   (UINT64_C(1) << 63)
#define DIRTY	   UINT64_C(1)
#define PREFETCHED UINT64_C(2) /* and not used yet; in the data cache alone */

#define LOAD_HIT_LATENCY 3

const uint8_t pmk_a64_signal[PMK_A64_NFACTS] = {
#define X(name) [PMK_A64_FACT_##name] = PMK_SIG_##name,
	PMK_A64_FACTS(X)
#undef X
};

_Static_assert((int)PMK_A64_NFACTS <= (int)PMK_NFACTS, "a block has room for PMK_NFACTS facts");

/* In place of a previous block before the first one: it leaves nothing to wait for, and any address
 * may follow it. */
static const struct pmk_block before_all = { .a64.end = PMK_A64_OTHER, .flow = PMK_FLOW_NEXT };

/* ---- directories ----------------------------------------------------------------------------- */

static int cache_init(struct pmk_a64_cache *c, const struct pmk_core *core, uint64_t size,
		      uint64_t ways, enum pmk_policy policy)
{
	uint64_t lines = size >> PMK_A64_LINE_SHIFT;

	*c = (struct pmk_a64_cache){
		.tag = malloc(lines * sizeof(*c->tag)),
		.set_mask = (uint32_t)(lines / ways) - 1,
		.ways = (uint32_t)ways,
		.random = core->seed ? (uint32_t)core->seed : 1,
		.round_robin = core->round_robin && policy == PMK_POLICY_OWN,
	};
	for (uint64_t i = 0; c->tag && i < lines; i++)
		c->tag[i] = EMPTY;
	return c->tag ? pmk_order_init(&c->order, policy, c->set_mask + 1, c->ways) : PMK_ENOMEM;
}

static void cache_fini(struct pmk_a64_cache *c)
{
	free(c->tag);
	pmk_order_fini(&c->order);
}

static uint64_t *cache_set(const struct pmk_a64_cache *c, uint64_t addr)
{
	return &c->tag[((uint32_t)(addr >> PMK_A64_LINE_SHIFT) & c->set_mask) * c->ways];
}

/* The line's entry, or NULL. */
static uint64_t *cache_find(const struct pmk_a64_cache *c, uint64_t addr)
{
	uint64_t *set = cache_set(c, addr);
	uint32_t hint = c->hint[addr >> PMK_A64_LINE_SHIFT & (PMK_A64_HINTS - 1)];

	/* EMPTY is in the upper bits, DIRTY in those below a line. */
	if ((set[hint] ^ addr) < LINE_BYTES)
		return &set[hint];
	for (uint32_t w = 0; w < c->ways; w++)
		if ((set[w] ^ addr) < LINE_BYTES)
			return &set[w];
	return NULL;
}

static uint32_t set_of(const struct pmk_a64_cache *c, const uint64_t *e)
{
	return (uint32_t)(e - c->tag) / c->ways;
}

/* If hits change what is replaced next: the entry that was used last in the set of `addr`, whose
 * hits change nothing. Else NULL. */
static uint64_t *cache_last(const struct pmk_a64_cache *c, uint64_t addr)
{
	uint64_t *set = cache_set(c, addr);

	return pmk_order_ages(&c->order) ? set + pmk_order_last(&c->order, set_of(c, set)) : NULL;
}

/* An entry is used. */
static void cache_use(struct pmk_a64_cache *c, const uint64_t *e)
{
	if (pmk_order_ages(&c->order))
		pmk_order_use(&c->order, set_of(c, e), (uint32_t)(e - c->tag) % c->ways);
}

/* Fill an entry. */
static void cache_put(struct pmk_a64_cache *c, uint64_t *e, uint64_t line)
{
	*e = line;
	if (pmk_order_is_kept(&c->order))
		pmk_order_fill(&c->order, set_of(c, e), (uint32_t)(e - c->tag) % c->ways);
}

static void remember(struct pmk_a64_cache *c, uint64_t addr, const uint64_t *e)
{
	c->hint[addr >> PMK_A64_LINE_SHIFT & (PMK_A64_HINTS - 1)] =
		(uint8_t)(e - cache_set(c, addr));
}

/* Most caches have a power of two ways, where a mask does: a division would take longer than all
 * the rest. */
static uint32_t way_of(const struct pmk_a64_cache *c, uint32_t n)
{
	return c->ways & (c->ways - 1) ? n % c->ways : n & (c->ways - 1);
}

/* The entry to replace: the lowest invalid way; if all are valid, a pseudo-random one (xorshift32,
 * as in cache.h) or the next in turn. */
static uint64_t *cache_victim(struct pmk_a64_cache *c, uint64_t addr)
{
	uint64_t *set = cache_set(c, addr);

	/* Ways are filled from the lowest on, so that a set with an empty way has an empty last
	 * one. */
	for (uint32_t w = 0; set[c->ways - 1] == EMPTY; w++)
		if (set[w] == EMPTY)
			return &set[w];
	if (pmk_order_is_kept(&c->order))
		return &set[pmk_order_victim(&c->order, set_of(c, set))];
	if (c->round_robin)
		return &set[way_of(c, c->next++)];
	c->random ^= c->random << 13;
	c->random ^= c->random >> 17;
	c->random ^= c->random << 5;
	return &set[way_of(c, c->random >> 8)];
}

static void forget_pages(struct pmk_a64 *v)
{
	for (unsigned i = 0; i < PMK_A64_FAST_PAGES; i++)
		v->fast[PMK_A64_FAST_LINES + i] = PMK_NO_PAGE;
	memset(v->mapped, 0, sizeof(v->mapped));
}

/* ---- life ------------------------------------------------------------------------------------ */

int pmk_a64_init(struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;
	struct pmk_a64 *v = calloc(1, sizeof(*v));

	if (!v)
		return PMK_ENOMEM;
	cpu->prev = &before_all;
	cpu->a64.tables = v;
	cpu->a64.fast = v->fast;
	if (core->a64.window && !core->timeless)
		cpu->a64.window = &v->window;
	cpu->a64.lsu = (struct pmk_lsu){
		.slots = (uint32_t)core->lsu_slots,
		.wbuf_entries = (uint32_t)core->wbuf_entries,
		.latency = (uint32_t)core->mem_latency,
		.serial = core->mem_serial,
		.fill_cycles = (uint32_t)core->fill_cycles,
		.write_cycles = (uint32_t)core->write_cycles,
	};
	cpu->a64.bus_beats = LINE_BYTES / core->a64.bus_bytes;
	for (unsigned i = 0; i < PMK_A64_FAST_LINES; i++)
		v->fast[i] = EMPTY;
	forget_pages(v);
	pmk_a64_prefetcher_init(&v->prefetcher, core);
	if (pmk_a64_predictor_init(&v->predictor, core) ||
	    (cpu->a64.window && pmk_a64_window_init(&v->window, core)) ||
	    cache_init(&v->icache, core, core->icache_size, core->icache_ways,
		       pmk_core_policy_of(core, core->icache_policy)) ||
	    cache_init(&v->dcache, core, core->dcache_size, core->dcache_ways,
		       pmk_core_policy_of(core, core->dcache_policy)) ||
	    cache_init(&v->l2, core, core->l2_size, core->l2_ways,
		       pmk_core_policy_of(core, core->l2_policy)) ||
	    pmk_tlb_init(&v->itlb, (uint32_t)core->utlb_entries, (uint32_t)core->utlb_entries) ||
	    pmk_tlb_init(&v->dtlb, (uint32_t)core->utlb_entries, (uint32_t)core->utlb_entries) ||
	    pmk_tlb_init(&v->main_tlb, (uint32_t)core->tlb_entries, (uint32_t)core->tlb_ways)) {
		pmk_a64_fini(cpu);
		return PMK_ENOMEM;
	}
	return 0;
}

void pmk_a64_fini(struct pmk_cpu *cpu)
{
	struct pmk_a64 *v = cpu->a64.tables;

	if (!v)
		return;
	pmk_a64_predictor_fini(&v->predictor);
	pmk_a64_window_fini(&v->window);
	cache_fini(&v->icache);
	cache_fini(&v->dcache);
	cache_fini(&v->l2);
	pmk_tlb_fini(&v->itlb);
	pmk_tlb_fini(&v->dtlb);
	pmk_tlb_fini(&v->main_tlb);
	free(v);
	cpu->a64.tables = NULL;
	cpu->a64.fast = NULL;
	cpu->a64.window = NULL;
}

void pmk_a64_forked(struct pmk_cpu *cpu)
{
	pmk_lsu_restart(&cpu->a64.lsu);
	pmk_a64_prefetcher_restart(&cpu->a64.tables->prefetcher);
	cpu->a64.pending = 0;
}

struct pmk_signal_set pmk_a64_raises(const struct pmk_core *core)
{
	/* Signals that are counted as they happen; others are facts of blocks, or derived. */
	static const uint8_t dynamic[] = {
		PMK_SIG_CYCLE,
		PMK_SIG_PC_CHANGE,
		PMK_SIG_BRANCH_MISS,
		PMK_SIG_CALL_PUSH,
		PMK_SIG_RET_POP,
		PMK_SIG_RET_PREDICTED,
		PMK_SIG_RET_MISS,
		PMK_SIG_L1I_MISS,
		PMK_SIG_L1I_FILL,
		PMK_SIG_FETCH_STALL,
		PMK_SIG_MICRO_ITLB_MISS,
		PMK_SIG_MICRO_DTLB_MISS,
		PMK_SIG_TLB_MISS,
		PMK_SIG_LSU_FULL_STALL,
		PMK_SIG_L1D_READ_MISS,
		PMK_SIG_L1D_WRITE_MISS,
		PMK_SIG_L1D_MISS,
		PMK_SIG_L1D_LOOKUP,
		PMK_SIG_L1D_EVICT,
		PMK_SIG_UNALIGNED_LD,
		PMK_SIG_UNALIGNED_ST,
		PMK_SIG_STREX_PASS,
		PMK_SIG_STREX_FAIL,
		PMK_SIG_EXC_TAKEN,
		PMK_SIG_L1I_TLB,
		PMK_SIG_L1D_TLB_READ,
		PMK_SIG_L1D_TLB_WRITE,
		PMK_SIG_DTLB_MISS_READ,
		PMK_SIG_DTLB_MISS_WRITE,
		PMK_SIG_ITLB_WALK,
		PMK_SIG_DTLB_WALK,
		PMK_SIG_L2_READ,
		PMK_SIG_L2_WRITE,
		PMK_SIG_L2_MISS_READ,
		PMK_SIG_L2_MISS_WRITE,
		PMK_SIG_L2_EVICT,
		PMK_SIG_BUS_READ,
		PMK_SIG_BUS_WRITE,
		PMK_SIG_BACKEND_STALL,
		PMK_SIG_STALL,
		PMK_SIG_BR_COND_MISS,
		PMK_SIG_BR_INDIRECT_MISS,
		PMK_SIG_BR_INDIRECT_WRONG,
		PMK_SIG_L1I_STALL,
		PMK_SIG_ITLB_STALL,
		PMK_SIG_REFETCH_STALL,
	};
	/* Out of order, nobody can say what the core waits for. */
	static const uint8_t in_order[] = { PMK_SIG_INTERLOCK_STALL, PMK_SIG_LOAD_STALL,
					    PMK_SIG_STORE_STALL, PMK_SIG_STORE_HELD };
	static const uint8_t of_systems[] = { PMK_SIG_EXC_PABORT, PMK_SIG_EXC_DABORT,
					      PMK_SIG_EXC_IRQ, PMK_SIG_EXC_FIQ };
	struct pmk_signal_set set = { { 0 } };
	bool out_of_order = core && core->a64.window;

	for (size_t i = 0; i < sizeof(dynamic); i++)
		pmk_signal_add(&set, dynamic[i]);
	for (unsigned i = 0; i < PMK_A64_NFACTS; i++)
		if (!out_of_order ||
		    (i != PMK_A64_FACT_ADDRESS_STALL && i != PMK_A64_FACT_SIMD_STALL))
			pmk_signal_add(&set, pmk_a64_signal[i]);
	if (core && core->a64.prefetch_streams && core->a64.prefetch_lines)
		pmk_signal_add(&set, PMK_SIG_PREFETCH_FILL);
	for (size_t i = 0; !out_of_order && i < sizeof(in_order); i++)
		pmk_signal_add(&set, in_order[i]);
	for (size_t i = 0; core && core->system && i < sizeof(of_systems); i++)
		pmk_signal_add(&set, of_systems[i]);
	return set;
}

/* DC ZVA is a look-up that makes no access. */
const uint8_t pmk_a64_mix[] = {
	PMK_SIG_INSN,	     PMK_SIG_BRANCH,
	PMK_SIG_BR_IMM,	     PMK_SIG_BR_RETURN,
	PMK_SIG_BR_INDIRECT, PMK_SIG_BR_PREDICTABLE,
	PMK_SIG_BR_COND,     PMK_SIG_DP,
	PMK_SIG_ASE,	     PMK_SIG_VFP,
	PMK_SIG_CRYPTO,	     PMK_SIG_ISB,
	PMK_SIG_DSB,	     PMK_SIG_DMB,
	PMK_SIG_EXC_SVC,     PMK_SIG_EXC_HVC,
	PMK_SIG_EXC_SMC,     PMK_SIG_EXC_UNDEF,
	PMK_SIG_EXC_TAKEN,   PMK_SIG_L1D_LOOKUP_WRITE,
	PMK_SIG_L1D_LOOKUP,  PMK_SIG_CYCLE,
};

/* Not here: what level 2 or the main TLB says, which have code, too; and loads and stores as
 * instructions, because a store exclusive that fails makes no access. */
const uint8_t pmk_a64_data[] = {
	PMK_SIG_MEM_READ,	 PMK_SIG_MEM_WRITE,
	PMK_SIG_L1D_LOOKUP_READ, PMK_SIG_L1D_LOOKUP_WRITE,
	PMK_SIG_L1D_LOOKUP,	 PMK_SIG_L1D_READ_MISS,
	PMK_SIG_L1D_WRITE_MISS,	 PMK_SIG_L1D_MISS,
	PMK_SIG_L1D_EVICT,	 PMK_SIG_MICRO_DTLB_MISS,
	PMK_SIG_DTLB_MISS_READ,	 PMK_SIG_DTLB_MISS_WRITE,
	PMK_SIG_L1D_TLB_READ,	 PMK_SIG_L1D_TLB_WRITE,
	PMK_SIG_UNALIGNED_LD,	 PMK_SIG_UNALIGNED_ST,
	PMK_SIG_STREX_PASS,	 PMK_SIG_PREFETCH_FILL,
	PMK_SIG_CYCLE,
};

/* What the main TLB says is not here, because it has pages of data, too. */
const uint8_t pmk_a64_fetch[] = {
	PMK_SIG_L1I_MISS,      PMK_SIG_L1I_FILL,  PMK_SIG_MICRO_ITLB_MISS,
	PMK_SIG_BRANCH_MISS,   PMK_SIG_CALL_PUSH, PMK_SIG_RET_POP,
	PMK_SIG_RET_PREDICTED, PMK_SIG_RET_MISS,  PMK_SIG_CYCLE,
};

const struct pmk_counted_signal pmk_a64_counted[] = {
	{ PMK_SIG_BRANCH_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_CALL_PUSH, PMK_AT_LEAVE },
	{ PMK_SIG_RET_POP, PMK_AT_LEAVE },
	{ PMK_SIG_RET_PREDICTED, PMK_AT_LEAVE },
	{ PMK_SIG_RET_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_BR_COND_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_BR_INDIRECT_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_BR_INDIRECT_WRONG, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_TAKEN, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_IRQ, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_FIQ, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_DABORT, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_PABORT, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_SVC, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_HVC, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_SMC, PMK_AT_LEAVE },
	{ PMK_SIG_EXC_UNDEF, PMK_AT_LEAVE },
	{ PMK_SIG_FETCH_STALL, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_L1I_STALL, PMK_AT_FETCH },
	{ PMK_SIG_ITLB_STALL, PMK_AT_FETCH },
	{ PMK_SIG_ADDRESS_STALL, PMK_AT_FETCH },
	{ PMK_SIG_SIMD_STALL, PMK_AT_FETCH },
	{ PMK_SIG_LOAD_STALL, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_STORE_STALL, PMK_AT_ACCESS },
	{ PMK_SIG_STORE_HELD, PMK_AT_ACCESS },
	{ PMK_SIG_L1I_MISS, PMK_AT_FETCH },
	{ PMK_SIG_L1I_FILL, PMK_AT_FETCH },
	{ PMK_SIG_MICRO_ITLB_MISS, PMK_AT_FETCH },
	{ PMK_SIG_ITLB_WALK, PMK_AT_FETCH },
	{ PMK_SIG_TLB_MISS, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_DATA_STALL, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_L2_READ, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_L2_MISS_READ, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_L2_EVICT, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_BUS_READ, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_BUS_WRITE, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_LSU_FULL_STALL, PMK_AT_ACCESS },
	{ PMK_SIG_MICRO_DTLB_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_READ_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WRITE_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_EVICT, PMK_AT_ACCESS },
	{ PMK_SIG_PREFETCH_FILL, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_LOOKUP_READ, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_LOOKUP_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_MEM_READ, PMK_AT_ACCESS },
	{ PMK_SIG_MEM_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_UNALIGNED_LD, PMK_AT_ACCESS },
	{ PMK_SIG_UNALIGNED_ST, PMK_AT_ACCESS },
	{ PMK_SIG_STREX_PASS, PMK_AT_ACCESS },
	/* Of AArch32 alone, where they have a condition. */
	{ PMK_SIG_LOAD, PMK_AT_ACCESS },
	{ PMK_SIG_STORE, PMK_AT_ACCESS },
	{ PMK_SIG_BR_RETURN, PMK_AT_LEAVE },
	{ PMK_SIG_DTLB_MISS_READ, PMK_AT_ACCESS },
	{ PMK_SIG_DTLB_MISS_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_DTLB_WALK, PMK_AT_ACCESS },
	{ PMK_SIG_L2_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L2_MISS_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_CYCLE, 0 },
};

void pmk_a64_derive(const struct pmk_cpu *cpu, uint64_t *t)
{
	/* Look-ups of accesses are not counted beside them then; those of DC ZVA are. */
	if (cpu->core.timeless) {
		t[PMK_SIG_L1D_LOOKUP_READ] = t[PMK_SIG_MEM_READ];
		t[PMK_SIG_L1D_LOOKUP_WRITE] +=
			t[PMK_SIG_MEM_WRITE] - cpu->dyn[PMK_SIG_L1D_LOOKUP_WRITE];
	}
	t[PMK_SIG_L1D_LOOKUP] = t[PMK_SIG_L1D_LOOKUP_READ] + t[PMK_SIG_L1D_LOOKUP_WRITE];
	t[PMK_SIG_L1D_MISS] = t[PMK_SIG_L1D_READ_MISS] + t[PMK_SIG_L1D_WRITE_MISS];
	t[PMK_SIG_L1D_TLB_READ] = t[PMK_SIG_MEM_READ];
	t[PMK_SIG_L1D_TLB_WRITE] = t[PMK_SIG_MEM_WRITE];
	t[PMK_SIG_L1I_TLB] = t[PMK_SIG_L1I_ACCESS];
	t[PMK_SIG_STREX_FAIL] = t[PMK_SIG_STREX] - t[PMK_SIG_STREX_PASS];
	if (!cpu->core.system)
		t[PMK_SIG_EXC_TAKEN] = t[PMK_SIG_EXC_SVC] + t[PMK_SIG_EXC_HVC] +
				       t[PMK_SIG_EXC_SMC] + t[PMK_SIG_EXC_UNDEF];
	t[PMK_SIG_BACKEND_STALL] = t[PMK_SIG_DATA_STALL] + t[PMK_SIG_LSU_FULL_STALL];
	t[PMK_SIG_STALL] = t[PMK_SIG_BACKEND_STALL] + t[PMK_SIG_FETCH_STALL];
	t[PMK_SIG_REFETCH_STALL] =
		t[PMK_SIG_FETCH_STALL] - t[PMK_SIG_L1I_STALL] - t[PMK_SIG_ITLB_STALL];
	t[PMK_SIG_INTERLOCK_STALL] = t[PMK_SIG_BACKEND_STALL] - t[PMK_SIG_ADDRESS_STALL] -
				     t[PMK_SIG_SIMD_STALL] - t[PMK_SIG_LOAD_STALL] -
				     t[PMK_SIG_STORE_STALL];
}

/* ---- outside of the first level -------------------------------------------------------------- */

static void bus(struct pmk_cpu *cpu, enum pmk_signal sig)
{
	cpu->dyn[sig] += cpu->a64.bus_beats;
}

/* The clock of the load-store unit. */
static uint64_t present(const struct pmk_cpu *cpu)
{
	return cpu->a64.window ? cpu->a64.window->clock : cpu->cycles;
}

/* A line that no load waits for takes the bus. */
static void take_bus(struct pmk_cpu *cpu)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;

	if (cpu->core.a64.bus_line)
		lsu->bus_free = pmk_later(lsu->bus_free, present(cpu)) + cpu->core.a64.bus_line;
}

/* A line comes from level 2, or from memory, and takes its time there. */
static void come_from(struct pmk_cpu *cpu, bool level2)
{
	bool own = !level2 && cpu->core.a64.bus_line;

	cpu->a64.lsu.level2 = level2;
	cpu->a64.lsu.fill_cycles = (uint32_t)(own ? cpu->core.a64.bus_line : cpu->core.fill_cycles);
}

static void write_line(struct pmk_cpu *cpu)
{
	bus(cpu, PMK_SIG_BUS_WRITE);
	take_bus(cpu);
}

/* Fill a line of level 2; a dirty line that it replaces is written to memory. */
static void l2_fill(struct pmk_cpu *cpu, uint64_t addr, bool dirty)
{
	uint64_t *e = cache_victim(&cpu->a64.tables->l2, addr);

	if (*e != EMPTY && (*e & DIRTY)) {
		cpu->dyn[PMK_SIG_L2_EVICT]++;
		write_line(cpu);
	}
	cache_put(&cpu->a64.tables->l2, e, (addr & LINE_MASK) | (dirty ? DIRTY : 0));
	remember(&cpu->a64.tables->l2, addr, e);
}

/* Cycles until a word of memory behind all caches is there. */
static uint64_t read_memory(struct pmk_cpu *cpu, uint64_t addr)
{
	return pmk_sdram_read(&cpu->a64.sdram, &cpu->core, addr, cpu->cycles);
}

/* Fetch a line for level 1; returns the latency of its critical word. */
static uint64_t l2_read(struct pmk_cpu *cpu, uint64_t addr, bool for_write)
{
	struct pmk_a64_cache *l2 = &cpu->a64.tables->l2;
	const uint64_t *e;

	if (cpu->core.timeless)
		return 0;
	come_from(cpu, false);
	if (!cpu->core.a64.l2_on) {
		bus(cpu, PMK_SIG_BUS_READ);
		return read_memory(cpu, addr);
	}
	cpu->dyn[PMK_SIG_L2_READ]++;
	e = cache_find(l2, addr);
	if (e) {
		cache_use(l2, e);
		come_from(cpu, true);
		return cpu->core.l2_latency;
	}
	cpu->dyn[for_write ? PMK_SIG_L2_MISS_WRITE : PMK_SIG_L2_MISS_READ]++;
	l2_fill(cpu, addr, false);
	bus(cpu, PMK_SIG_BUS_READ);
	return read_memory(cpu, addr);
}

/* A dirty line leaves level 1. */
static void l2_write(struct pmk_cpu *cpu, uint64_t addr)
{
	uint64_t *e;

	if (cpu->core.timeless)
		return;
	if (!cpu->core.a64.l2_on) {
		write_line(cpu);
		return;
	}
	cpu->dyn[PMK_SIG_L2_WRITE]++;
	e = cache_find(&cpu->a64.tables->l2, addr);
	if (e) {
		cache_use(&cpu->a64.tables->l2, e);
		*e |= DIRTY;
	} else {
		l2_fill(cpu, addr, true);
	}
}

/* ---- translation ----------------------------------------------------------------------------- */

/* Translate after a micro-TLB miss. Returns the cycles that it takes. What is behind the micro-TLBs
 * and the level 1 caches is not asked about without a clock. */
static uint64_t translate(struct pmk_cpu *cpu, uint64_t page, enum pmk_signal walk)
{
	struct pmk_a64 *v = cpu->a64.tables;

	if (cpu->core.timeless)
		return 0;
	if (pmk_tlb_holds(&v->main_tlb, page))
		return cpu->core.utlb_penalty;
	cpu->dyn[PMK_SIG_TLB_MISS]++;
	cpu->dyn[walk]++;
	pmk_tlb_fill(&v->main_tlb, page);
	return cpu->core.walk_penalty;
}

static void allow(struct pmk_a64 *v, uint64_t addr, bool store)
{
	v->fast[addr >> PMK_A64_LINE_SHIFT & FAST_MASK] =
		(addr & LINE_MASK) | PMK_A64_LOAD_OK | (store ? PMK_A64_STORE_OK : 0);
}

static void forbid(struct pmk_a64 *v, uint64_t addr)
{
	uint64_t *w = &v->fast[addr >> PMK_A64_LINE_SHIFT & FAST_MASK];

	if ((*w & LINE_MASK) == (addr & LINE_MASK))
		*w = EMPTY;
}

static uint64_t *page_word(struct pmk_a64 *v, uint64_t page)
{
	return &v->fast[PMK_A64_FAST_LINES + (page & (PMK_A64_FAST_PAGES - 1))];
}

static uint64_t data_translate(struct pmk_cpu *cpu, uint64_t page, bool write)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t cycles, old;

	if (*page_word(v, page) == page)
		return 0;
	if (!cpu->core.mmu ||
	    (v->mapped[page & (PMK_A64_FAST_PAGES - 1)] && pmk_tlb_holds(&v->dtlb, page))) {
		*page_word(v, page) = page;
		return 0;
	}
	cpu->dyn[PMK_SIG_MICRO_DTLB_MISS]++;
	cpu->dyn[write ? PMK_SIG_DTLB_MISS_WRITE : PMK_SIG_DTLB_MISS_READ]++;
	cycles = translate(cpu, page, PMK_SIG_DTLB_WALK);
	old = pmk_tlb_fill(&v->dtlb, page);
	if (old != PMK_NO_PAGE) {
		v->mapped[old & (PMK_A64_FAST_PAGES - 1)]--;
		if (*page_word(v, old) == old)
			*page_word(v, old) = PMK_NO_PAGE;
	}
	v->mapped[page & (PMK_A64_FAST_PAGES - 1)]++;
	*page_word(v, page) = page;
	return cycles;
}

/* The front end waits; `why` is the part of its waits that it is counted in, too. */
static void fetch_wait(struct pmk_cpu *cpu, uint64_t cycles, enum pmk_signal why)
{
	cpu->dyn[PMK_SIG_FETCH_STALL] += cycles;
	cpu->dyn[why] += cycles;
	if (cpu->a64.window)
		pmk_a64_window_fetch(cpu, cycles);
	else
		cpu->cycles += cycles;
}

static void fetch_translate(struct pmk_cpu *cpu, uint64_t page)
{
	struct pmk_a64 *v = cpu->a64.tables;

	if (!cpu->core.mmu || pmk_tlb_holds(&v->itlb, page))
		return;
	cpu->dyn[PMK_SIG_MICRO_ITLB_MISS]++;
	fetch_wait(cpu, translate(cpu, page, PMK_SIG_ITLB_WALK), PMK_SIG_ITLB_STALL);
	if (pmk_tlb_fill(&v->itlb, page) != PMK_NO_PAGE)
		cpu->igen++;
}

/* ---- fetch ----------------------------------------------------------------------------------- */

static void fetch_line(struct pmk_cpu *cpu, const struct pmk_block *b, uint64_t addr)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t *e;

	e = cache_find(&v->icache, addr);
	if (e) {
		/* Other blocks must look up their lines again when the order of a set changes. */
		if (cache_last(&v->icache, addr) && cache_last(&v->icache, addr) != e) {
			cache_use(&v->icache, e);
			cpu->igen++;
		}
		return;
	}
	pmk_sites_fetch(cpu, b, addr);
	cpu->dyn[PMK_SIG_L1I_MISS]++;
	cpu->dyn[PMK_SIG_L1I_FILL]++;
	fetch_wait(cpu, l2_read(cpu, addr, false), PMK_SIG_L1I_STALL);
	e = cache_victim(&v->icache, addr);
	cpu->igen += *e != EMPTY || pmk_order_ages(&v->icache.order);
	cache_put(&v->icache, e, addr & LINE_MASK);
}

static void fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	fetch_translate(cpu, b->pc >> PMK_PAGE_SHIFT);
	if (b->end_addr >> PMK_PAGE_SHIFT != b->pc >> PMK_PAGE_SHIFT) {
		pmk_sites_fetch(cpu, b, b->end_addr >> PMK_PAGE_SHIFT << PMK_PAGE_SHIFT);
		fetch_translate(cpu, b->end_addr >> PMK_PAGE_SHIFT);
	}
	for (uint64_t a = b->pc & LINE_MASK; cpu->core.icache_on && a <= b->end_addr;
	     a += LINE_BYTES)
		fetch_line(cpu, b, a);
}

/* ---- branches -------------------------------------------------------------------------------- */

/* `kind`: the part of mispredictions that it is counted in, too, or PMK_SIG_NONE. */
static void mispredict(struct pmk_cpu *cpu, enum pmk_signal kind)
{
	pmk_count_left(cpu, PMK_SIG_BRANCH_MISS, 1);
	if (kind != PMK_SIG_NONE)
		pmk_count_left(cpu, kind, 1);
	pmk_count_left(cpu, PMK_SIG_FETCH_STALL, cpu->core.branch_max);
	if (cpu->a64.window)
		pmk_a64_window_mispredict(cpu);
	else
		cpu->cycles += cpu->core.branch_max;
}

static void push_return(struct pmk_cpu *cpu, uint64_t addr)
{
	pmk_count_left(cpu, PMK_SIG_CALL_PUSH, 1);
	pmk_a64_predict_call(&cpu->a64.tables->predictor, addr);
}

/* The return stack says where it goes. Was that wrong? */
static bool leave_return(struct pmk_cpu *cpu, uint64_t target)
{
	enum pmk_a64_said said = pmk_a64_predict_return(&cpu->a64.tables->predictor, target);

	if (said == PMK_A64_SAID_NOTHING)
		return true;
	pmk_count_left(cpu, PMK_SIG_RET_POP, 1);
	if (said == PMK_A64_SAID_RIGHT) {
		pmk_count_left(cpu, PMK_SIG_RET_PREDICTED, 1);
		return false;
	}
	pmk_count_left(cpu, PMK_SIG_RET_MISS, 1);
	pmk_count_left(cpu, PMK_SIG_BR_INDIRECT_WRONG, 1);
	return true;
}

/* Likewise of the cache of indirect targets. */
static bool leave_indirect(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t target)
{
	enum pmk_a64_said said =
		pmk_a64_predict_indirect(&cpu->a64.tables->predictor, p->end_addr, target);

	if (said == PMK_A64_SAID_WRONG)
		pmk_count_left(cpu, PMK_SIG_BR_INDIRECT_WRONG, 1);
	return said != PMK_A64_SAID_RIGHT;
}

/* Which mispredictions those of a branch are, when its direction is not what was wrong. */
static enum pmk_signal target_miss(const struct pmk_block *p)
{
	return p->flow == PMK_FLOW_RETURN || p->flow == PMK_FLOW_INDIRECT ||
			       p->flow == PMK_FLOW_INDCALL
		       ? PMK_SIG_BR_INDIRECT_MISS
		       : PMK_SIG_NONE;
}

/* Without prediction, the core fetches the instructions behind every branch. */
static void leave_unpredicted(struct pmk_cpu *cpu, const struct pmk_block *p, bool taken)
{
	cpu->taken += !taken && !p->conditional;
	if (taken || !p->conditional)
		mispredict(cpu, p->conditional ? PMK_SIG_BR_COND_MISS : target_miss(p));
}

/* The direction of a call, a return or an indirect branch that has a condition, as those of AArch32
 * may. It is predicted as that of other branches. Was that wrong? */
static bool leave_conditional(struct pmk_cpu *cpu, const struct pmk_block *p, bool taken)
{
	bool wrong = pmk_a64_predict_direction(&cpu->a64.tables->predictor, p->a64.counter, taken);

	if (taken && p->flow == PMK_FLOW_RETURN)
		pmk_count_left(cpu, PMK_SIG_BR_RETURN, 1);
	return wrong;
}

/* `b` starts and shows how `p` ended: not in a plain branch, or not where control was expected to
 * go. */
static void leave_block(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			bool taken)
{
	bool conditional = p->conditional && p->is_branch && p->flow != PMK_FLOW_JUMP;
	bool wrong = false, elsewhere = false;

	if (!cpu->core.bp_on && p->is_branch) {
		if (conditional)
			leave_conditional(cpu, p, taken);
		leave_unpredicted(cpu, p, taken);
		return;
	}
	if (conditional)
		wrong = leave_conditional(cpu, p, taken);
	if (conditional && !taken) {
		if (wrong)
			mispredict(cpu, PMK_SIG_BR_COND_MISS);
		return;
	}
	switch ((enum pmk_flow)p->flow) {
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		/* A signal, an exception or its return is no branch of the program. */
		cpu->taken -= taken;
		return;
	case PMK_FLOW_JUMP:
		/* A jump to the next instruction is taken, too. */
		cpu->taken += !taken && !p->conditional;
		return;
	case PMK_FLOW_CALL:
		push_return(cpu, p->fall);
		break;
	case PMK_FLOW_INDCALL:
		elsewhere = leave_indirect(cpu, p, b->pc);
		push_return(cpu, p->fall);
		break;
	case PMK_FLOW_INDIRECT:
		elsewhere = leave_indirect(cpu, p, b->pc);
		break;
	case PMK_FLOW_RETURN:
		elsewhere = leave_return(cpu, b->pc);
		break;
	}
	cpu->taken += !taken;
	if (wrong || elsewhere)
		mispredict(cpu, wrong ? PMK_SIG_BR_COND_MISS : PMK_SIG_BR_INDIRECT_MISS);
}

static void disturb(struct pmk_cpu *cpu, unsigned what)
{
	struct pmk_a64 *v = cpu->a64.tables;

	if (what & PMK_DISTURB_ICACHE) {
		for (uint32_t i = 0; i < (v->icache.set_mask + 1) * v->icache.ways; i++)
			v->icache.tag[i] = EMPTY;
		pmk_order_clear(&v->icache.order);
	}
	if (what & PMK_DISTURB_TLB) {
		pmk_tlb_clear(&v->itlb);
		pmk_tlb_clear(&v->dtlb);
		pmk_tlb_clear(&v->main_tlb);
		forget_pages(v);
	}
	cpu->igen++;
}

/* A return was taken, and nobody sees where to. */
static void pass_return(struct pmk_cpu *cpu)
{
	uint64_t target;

	if (pmk_a64_expected_return(&cpu->a64.tables->predictor, &target))
		leave_return(cpu, target);
}

/* It cannot be seen where a conditional branch would have gone: it counts as not taken, and the
 * predictor learns nothing. Other branches are taken, and count as predicted. */
void pmk_a64_interrupted(struct pmk_cpu *cpu, const struct pmk_block *p)
{
	switch (p->conditional ? PMK_FLOW_NEXT : (enum pmk_flow)p->flow) {
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		break;
	case PMK_FLOW_JUMP:
		cpu->taken++;
		break;
	case PMK_FLOW_CALL:
	case PMK_FLOW_INDCALL:
		cpu->taken++;
		push_return(cpu, p->fall);
		break;
	case PMK_FLOW_INDIRECT:
		cpu->taken++;
		break;
	case PMK_FLOW_RETURN:
		cpu->taken++;
		pass_return(cpu);
		break;
	}
	if (p->disturbs)
		disturb(cpu, p->disturbs);
	cpu->prev = cpu->origin;
}

/* The cycle in which block `b` needs what `p` left in a place. */
static unsigned needed(const struct pmk_block *p, const struct pmk_block *b, unsigned place)
{
	bool sum = place < PMK_NREGS && (p->a64.sums >> place & 1);

	return sum ? b->a64.need_sum[place] : b->a64.need[place];
}

/* How long `b` waits for what `p` leaves unfinished. It is worked out once for each pair of blocks
 * that follow each other, and remembered. */
static const struct pmk_a64_edge *wait_between(struct pmk_cpu *cpu, const struct pmk_block *p,
					       const struct pmk_block *b)
{
	struct pmk_a64_edge *e = &cpu->a64.tables->edge[(p->id ^ b->id * 7) % PMK_A64_EDGES];

	if (e->from == p && e->to == b)
		return e;
	*e = (struct pmk_a64_edge){ .from = p, .to = b };
	for (unsigned r = 0; r < PMK_A64_PLACES; r++)
		if (needed(p, b, r) != PMK_PIPE_FAR && p->a64.residue[r] <= PMK_A64_LONG &&
		    p->a64.residue[r] > needed(p, b, r) + e->wait) {
			e->wait = (uint8_t)(p->a64.residue[r] - needed(p, b, r));
			e->place = (uint8_t)r;
		}
	return e;
}

/* Block `b` has waited for what is in a place. */
static void count_waits(struct pmk_cpu *cpu, const struct pmk_block *b, unsigned place,
			uint64_t cycles)
{
	cpu->dyn[PMK_SIG_DATA_STALL] += cycles;
	if (place == PMK_A64_FP || (place < PMK_NREGS && b->a64.simd >> place & 1))
		cpu->dyn[PMK_SIG_SIMD_STALL] += cycles;
	else if (place < PMK_NREGS && b->a64.address >> place & 1)
		cpu->dyn[PMK_SIG_ADDRESS_STALL] += cycles;
}

/* Some registers will have their values at `ready`. */
static void expect(struct pmk_cpu *cpu, uint64_t regs, uint64_t ready)
{
	for (uint64_t rest = regs; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);

		/* A load from two lines is complete with the later one. */
		cpu->a64.ready[r] =
			cpu->a64.pending >> r & 1 ? pmk_later(cpu->a64.ready[r], ready) : ready;
	}
	cpu->a64.pending |= regs;
	cpu->a64.loaded |= regs;
}

/* Remember what block `p`, which ended at `end`, leaves unfinished for longer than PMK_A64_LONG. */
static void remember_long(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t end)
{
	for (unsigned r = 0; r < PMK_A64_PLACES; r++) {
		if (p->a64.residue[r] <= PMK_A64_LONG)
			continue;
		if (r < PMK_NREGS) {
			expect(cpu, UINT64_C(1) << r, end + p->a64.residue[r]);
			cpu->a64.loaded &= ~(UINT64_C(1) << r);
		} else {
			cpu->a64.ready[r] = end + p->a64.residue[r];
			cpu->a64.pending |= PMK_A64_UNITS;
		}
	}
}

/*
 * Block `b` reads or writes registers `regs`, whose values may still be under way, or units may be
 * busy. It waits when an instruction needs one of them. If it overwrites a register before any
 * instruction reads it, nothing waits for the old value.
 */
static void wait_for_pending(struct pmk_cpu *cpu, const struct pmk_block *b, uint64_t regs)
{
	uint64_t start = cpu->cycles - b->cycles - pmk_lsu_late(&cpu->a64.lsu), waits = 0, wait;
	bool busy = false;

	for (uint64_t rest = regs & ~PMK_A64_UNITS; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);

		if (b->a64.need[r] == PMK_PIPE_FAR)
			continue;
		wait = pmk_lsu_hold(&cpu->a64.lsu, start + b->a64.need[r], cpu->a64.ready[r]);
		waits += wait;
		if (cpu->a64.loaded >> r & 1) {
			cpu->dyn[PMK_SIG_DATA_STALL] += wait;
			cpu->dyn[PMK_SIG_LOAD_STALL] += wait;
		} else {
			count_waits(cpu, b, r, wait);
		}
	}
	for (unsigned u = PMK_NREGS; u < PMK_A64_PLACES && (regs & PMK_A64_UNITS); u++) {
		if (b->a64.need[u] != PMK_PIPE_FAR) {
			wait = pmk_lsu_hold(&cpu->a64.lsu, start + b->a64.need[u],
					    cpu->a64.ready[u]);
			waits += wait;
			count_waits(cpu, b, u, wait);
			cpu->a64.ready[u] = 0;
		}
		busy |= cpu->a64.ready[u] > cpu->cycles;
	}
	cpu->a64.pending &= ~regs;
	cpu->a64.pending |= busy ? PMK_A64_UNITS : 0;
	cpu->cycles += waits;
}

/* Wait for what was not finished before block `b`. `before`: the clock with nothing added but the
 * block's own cycles. */
static void wait_for_results(struct pmk_cpu *cpu, const struct pmk_block *p,
			     const struct pmk_block *b, uint64_t before)
{
	const struct pmk_a64_edge *e = wait_between(cpu, p, b);
	uint64_t passed = cpu->cycles - before;

	if (e->wait > passed) {
		cpu->cycles += e->wait - passed;
		count_waits(cpu, b, e->place, e->wait - passed);
	}
	if (p->a64.late2 & PMK_A64_UNITS)
		remember_long(cpu, p, before - b->cycles);
	if (cpu->a64.pending & b->a64.wants2)
		wait_for_pending(cpu, b, cpu->a64.pending & b->a64.wants2);
}

void pmk_a64_block_slow(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			bool taken, bool mispredicted, uint64_t waits)
{
	struct pmk_executions *executions = &cpu->executions[b->id];
	uint64_t before = cpu->cycles;

	if (mispredicted)
		mispredict(cpu, PMK_SIG_BR_COND_MISS);
	else if (p->a64.end != PMK_A64_CONDITIONAL && p->a64.end != (uint32_t)taken)
		leave_block(cpu, p, b, taken);
	if (PMK_UNLIKELY(cpu->crossing))
		pmk_cpu_cross(cpu, b);
	if (PMK_UNLIKELY(p->disturbs)) {
		pmk_sites_at(cpu, PMK_SITE_LEAVE);
		disturb(cpu, p->disturbs);
	}
	if (executions->igen != cpu->igen) {
		uint64_t seen = cpu->igen;

		pmk_sites_fetch(cpu, b, b->pc);
		fetch_block(cpu, b);
		executions->igen = seen;
	}
	if (waits) {
		pmk_sites_fetch(cpu, b, b->pc);
		wait_for_results(cpu, p, b, before);
	}
	if (PMK_UNLIKELY(cpu->cycles - b->cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

/* ---- data ------------------------------------------------------------------------------------ */

static uint64_t issue_time(const struct pmk_cpu *cpu, uint64_t access)
{
	uint64_t to_end = PMK_ACCESS_TO_END(access);

	return cpu->cycles > to_end ? cpu->cycles - to_end : 0;
}

/* When an instruction of the block first needs what an access loads. */
static uint64_t first_use(uint64_t access)
{
	return PMK_ACCESS_USE(access) < PMK_A64_OPEN ? PMK_ACCESS_USE(access) : PMK_LSU_NO_USE;
}

static void account(struct pmk_cpu *cpu, struct pmk_lsu_delay d)
{
	cpu->cycles += d.full + d.stall;
	cpu->dyn[PMK_SIG_LSU_FULL_STALL] += d.full;
	cpu->dyn[PMK_SIG_DATA_STALL] += d.stall;
}

static void account_load(struct pmk_cpu *cpu, uint64_t access, struct pmk_lsu_delay d)
{
	account(cpu, d);
	cpu->dyn[PMK_SIG_LOAD_STALL] += d.full + d.stall;
	if (first_use(access) == PMK_LSU_NO_USE)
		expect(cpu, pmk_a64_open_regs(PMK_ACCESS_USE(access)), d.ready);
}

/* The line that was used last in the set of `addr` is no longer the last: its hits change the
 * order from now on, and are not fast. */
static void data_order(struct pmk_cpu *cpu, uint64_t addr)
{
	const uint64_t *last = cache_last(&cpu->a64.tables->dcache, addr);

	if (last && *last != EMPTY && (*last ^ addr) >= LINE_BYTES)
		forbid(cpu->a64.tables, *last & LINE_MASK);
}

static void data_hit(struct pmk_cpu *cpu, uint64_t addr, const uint64_t *e)
{
	data_order(cpu, addr);
	cache_use(&cpu->a64.tables->dcache, e);
}

static void evict(struct pmk_cpu *cpu, uint64_t *e)
{
	uint64_t addr = *e & LINE_MASK;

	if (*e == EMPTY)
		return;
	forbid(cpu->a64.tables, addr);
	if (*e & DIRTY) {
		cpu->dyn[PMK_SIG_L1D_EVICT]++;
		l2_write(cpu, addr);
	}
}

/* Fill a line for a read or a write; both allocate. Returns the latency of the line, and its entry
 * in *out. */
static uint64_t data_fill(struct pmk_cpu *cpu, uint64_t addr, bool write, uint64_t **out)
{
	uint64_t *e = cache_victim(&cpu->a64.tables->dcache, addr), latency;

	data_order(cpu, addr);
	evict(cpu, e);
	latency = l2_read(cpu, addr, write);
	cache_put(&cpu->a64.tables->dcache, e, addr & LINE_MASK);
	remember(&cpu->a64.tables->dcache, addr, e);
	*out = e;
	return latency;
}

/* ---- prefetching ----------------------------------------------------------------------------- */

/* When the access issues; out of order, when its block has entered the window. */
static uint64_t issued(struct pmk_cpu *cpu, uint64_t access)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t at;

	if (cpu->core.timeless)
		return 0;
	if (cpu->a64.window)
		return pmk_a64_window_front(cpu->a64.window);
	at = issue_time(cpu, access) - pmk_lsu_late(lsu);
	pmk_lsu_reach(lsu, at);
	return at + lsu->late;
}

static void prefetch_level2(struct pmk_cpu *cpu, uint64_t addr, uint64_t now)
{
	struct pmk_a64 *v = cpu->a64.tables;
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t ready;

	cpu->dyn[PMK_SIG_L2_READ]++;
	if (cache_find(&v->l2, addr))
		return;
	cpu->dyn[PMK_SIG_L2_MISS_READ]++;
	come_from(cpu, false);
	l2_fill(cpu, addr, false);
	bus(cpu, PMK_SIG_BUS_READ);
	ready = pmk_later(now + read_memory(cpu, addr), lsu->bus_free);
	lsu->bus_free = ready + lsu->fill_cycles;
	pmk_a64_flies(v->prefetcher.flight2, addr >> PMK_A64_LINE_SHIFT, ready);
}

/* A line that finds no place under way goes out when there is one, and until then leaves the bus to
 * others. */
static void prefetch_level1(struct pmk_cpu *cpu, uint64_t addr, uint64_t now)
{
	struct pmk_a64 *v = cpu->a64.tables;
	struct pmk_a64_prefetcher *p = &v->prefetcher;
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t latency, ready, *bus_free, *e, line = addr >> PMK_A64_LINE_SHIFT;
	uint32_t slot = 0;

	if (cache_find(&v->dcache, addr))
		return;
	cpu->dyn[PMK_SIG_PREFETCH_FILL]++;
	latency = data_fill(cpu, addr, false, &e);
	*e |= PREFETCHED;
	if (cpu->core.timeless)
		return;
	for (uint32_t i = 1; i < p->nslots; i++)
		if (p->busy_until[i] < p->busy_until[slot])
			slot = i;
	bus_free = lsu->level2 ? &lsu->level2_free : &lsu->bus_free;
	ready = pmk_later(pmk_later(now, p->busy_until[slot]) + latency, *bus_free);
	if (lsu->level2)
		ready = pmk_later(ready, pmk_a64_arrives(p->flight2, line));
	*bus_free = pmk_later(*bus_free, now + latency) + lsu->fill_cycles;
	p->busy_until[slot] = ready + lsu->fill_cycles;
	pmk_a64_flies(p->flight, line, ready);
}

/* A stream goes on. */
static void prefetch(struct pmk_cpu *cpu, uint32_t stream, uint64_t now)
{
	struct pmk_a64_prefetcher *p = &cpu->a64.tables->prefetcher;
	uint64_t line;

	if (PMK_LIKELY(stream == PMK_A64_NO_STREAM))
		return;
	for (uint32_t i = 0; i < p->step && pmk_a64_prefetch_next(p, stream, false, &line); i++)
		prefetch_level1(cpu, line << PMK_A64_LINE_SHIFT, now);
	for (uint32_t i = 0; i < p->step && pmk_a64_prefetch_next(p, stream, true, &line); i++)
		prefetch_level2(cpu, line << PMK_A64_LINE_SHIFT, now);
}

/* Behind everything else of an access whose line missed, or was prefetched. */
static void after_miss(struct pmk_cpu *cpu, uint64_t addr, uint64_t now, bool write)
{
	struct pmk_a64_prefetcher *p = &cpu->a64.tables->prefetcher;

	uint64_t line = addr >> PMK_A64_LINE_SHIFT;

	if (write && p->stores == PMK_A64_STORES_IGNORED)
		return;
	if (PMK_LIKELY(!pmk_a64_prefetch_is_near(p, line)))
		pmk_a64_prefetch_begin(p, line, write);
	else
		prefetch(cpu, pmk_a64_prefetch_missed(p, line, write), now);
}

static void after_first_use(struct pmk_cpu *cpu, uint64_t addr, uint64_t now, bool write)
{
	struct pmk_a64_prefetcher *p = &cpu->a64.tables->prefetcher;

	if (write && p->stores == PMK_A64_STORES_IGNORED)
		return;
	prefetch(cpu, pmk_a64_prefetch_used(p, addr >> PMK_A64_LINE_SHIFT, write), now);
}

/* ---- loads and stores ------------------------------------------------------------------------ */

/* A load that hits, but whose translation was missing, or whose line was prefetched and `arrives`
 * then: its value is later by that. */
static void load_late(struct pmk_cpu *cpu, uint64_t access, uint64_t extra, uint64_t arrives,
		      uint64_t now)
{
	if (cpu->core.timeless || (!extra && arrives <= now))
		return;
	if (cpu->a64.window) {
		pmk_a64_window_load(cpu, PMK_ACCESS_USE(access), 0, extra, arrives);
		return;
	}
	if (arrives > now + extra)
		extra = arrives - now;
	account_load(cpu, access,
		     pmk_lsu_load_hit(&cpu->a64.lsu, issue_time(cpu, access), first_use(access),
				      LOAD_HIT_LATENCY + extra));
}

/* In order, most loads that miss come when the core is as late as it will be. */
static struct pmk_lsu_delay wait_for_line(struct pmk_lsu *lsu, uint64_t issue, uint64_t use,
					  uint64_t extra)
{
	unsigned slot = pmk_lsu_slot(lsu);
	uint64_t late;

	if (pmk_lsu_is_settled(lsu, issue, &late) && lsu->busy_until[slot] <= issue && !lsu->serial)
		return pmk_lsu_settled_load_miss(lsu, late, slot, pmk_lsu_bus(lsu), issue, use,
						 LOAD_HIT_LATENCY, extra);
	return pmk_lsu_load_miss(lsu, issue, use, LOAD_HIT_LATENCY, extra);
}

/* A load that goes to level 2 or to memory, `latency` away. Its line is not there before it
 * `arrives`, where it has been prefetched into level 2. */
static void load_miss(struct pmk_cpu *cpu, uint64_t access, uint64_t latency, uint64_t extra,
		      uint64_t arrives, uint64_t now)
{
	if (cpu->core.timeless)
		return;
	if (cpu->a64.window) {
		pmk_a64_window_load(cpu, PMK_ACCESS_USE(access), latency, extra, arrives);
		return;
	}
	if (arrives > now + latency)
		latency = arrives - now;
	cpu->a64.lsu.latency = (uint32_t)latency;
	account_load(
		cpu, access,
		wait_for_line(&cpu->a64.lsu, issue_time(cpu, access), first_use(access), extra));
}

static void account_store(struct pmk_cpu *cpu, struct pmk_lsu_delay d)
{
	account(cpu, d);
	cpu->dyn[PMK_SIG_STORE_STALL] += d.full + d.stall;
	cpu->dyn[PMK_SIG_STORE_HELD] += d.full > 0;
}

static struct pmk_lsu_delay wait_for_room(struct pmk_lsu *lsu, uint64_t issue)
{
	uint64_t late;

	return pmk_lsu_is_settled(lsu, issue, &late) ? pmk_lsu_settled_write(lsu, late, issue)
						     : pmk_lsu_write(lsu, issue);
}

static void store_goes_out(struct pmk_cpu *cpu, uint64_t access)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;

	/* The write buffer is no faster than a bus that is busy for longer than memory takes. */
	if (cpu->core.a64.bus_line && lsu->bus_free > cpu->core.mem_latency)
		lsu->wbuf_empty = pmk_later(lsu->wbuf_empty, lsu->bus_free - cpu->core.mem_latency);
	if (cpu->a64.window)
		pmk_a64_window_store(cpu);
	else if (!cpu->core.timeless)
		account_store(cpu, wait_for_room(&cpu->a64.lsu, issue_time(cpu, access)));
}

/* An access that goes outside by the cache, because that is off or the page is device memory. */
static void data_outside(struct pmk_cpu *cpu, uint64_t access, bool write, uint64_t extra)
{
	come_from(cpu, cpu->a64.lsu.level2);
	cpu->dyn[write ? PMK_SIG_BUS_WRITE : PMK_SIG_BUS_READ]++;
	if (write)
		store_goes_out(cpu, access);
	else
		load_miss(cpu, access, cpu->core.mem_latency, extra, 0, 0);
}

/* Device memory is not looked up in the cache; the block has counted that it is. */
static bool is_outside(struct pmk_cpu *cpu, uint64_t addr, uint64_t access, bool write)
{
	if (!cpu->core.dcache_on)
		return true;
	if (!cpu->is_device || !cpu->is_device(cpu->device_ctx, addr))
		return false;
	cpu->dyn[write ? PMK_SIG_L1D_LOOKUP_WRITE : PMK_SIG_L1D_LOOKUP_READ] -=
		pmk_a64_pieces(&cpu->core, PMK_ACCESS_SIZE(access));
	return true;
}

static void load_line(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t extra = data_translate(cpu, addr >> PMK_PAGE_SHIFT, false), latency;
	uint64_t *e = cache_find(&v->dcache, addr), line = addr >> PMK_A64_LINE_SHIFT;
	uint64_t arrives = 0, now = 0;
	bool prefetches = v->prefetcher.nstreams, first = false, missed = !e;

	if (!e && is_outside(cpu, addr, access, false)) {
		data_outside(cpu, access, false, extra);
		return;
	}
	if (prefetches)
		now = issued(cpu, access);
	if (e) {
		data_hit(cpu, addr, e);
		first = *e & PREFETCHED;
		*e &= ~PREFETCHED;
		if (first)
			arrives = pmk_a64_arrives(v->prefetcher.flight, line);
		load_late(cpu, access, extra, arrives, now);
	} else {
		cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
		latency = data_fill(cpu, addr, false, &e);
		if (v->prefetcher.lines2 && cpu->a64.lsu.level2)
			arrives = pmk_a64_arrives(v->prefetcher.flight2, line);
		load_miss(cpu, access, latency, extra, arrives, now);
	}
	allow(v, addr, *e & DIRTY);
	if (prefetches && missed)
		after_miss(cpu, addr, now, false);
	else if (first)
		after_first_use(cpu, addr, now, false);
}

/* The store buffer hides a miss until it is full. */
static void store_line(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t extra = data_translate(cpu, addr >> PMK_PAGE_SHIFT, true);
	uint64_t *e = cache_find(&v->dcache, addr), now = 0;
	bool prefetches = v->prefetcher.nstreams, first = e && *e & PREFETCHED, missed = !e;

	if (!e && is_outside(cpu, addr, access, true)) {
		data_outside(cpu, access, true, extra);
		return;
	}
	if (prefetches)
		now = issued(cpu, access);
	if (!e) {
		cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
		data_fill(cpu, addr, true, &e);
		if (!cpu->a64.lsu.level2)
			take_bus(cpu);
		store_goes_out(cpu, access);
	} else {
		data_hit(cpu, addr, e);
	}
	*e = (*e & ~PREFETCHED) | DIRTY;
	allow(v, addr, true);
	if (prefetches && missed)
		after_miss(cpu, addr, now, true);
	else if (first)
		after_first_use(cpu, addr, now, true);
}

static bool crosses(uint64_t addr, uint64_t last)
{
	return (addr ^ last) >> PMK_A64_LINE_SHIFT;
}

void pmk_a64_load_slow(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	uint64_t last = addr + PMK_ACCESS_SIZE(access) - 1;

	pmk_sites_access(cpu, access);
	cpu->dyn[PMK_SIG_UNALIGNED_LD] += (addr & ((1u << PMK_A64_ELEM(access)) - 1)) != 0;
	load_line(cpu, addr, access);
	if (crosses(addr, last)) {
		cpu->dyn[PMK_SIG_L1D_LOOKUP_READ]++;
		cpu->dyn[PMK_SIG_MEM_READ]++;
		load_line(cpu, last, access);
	}
}

void pmk_a64_store_slow(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	uint64_t last = addr + PMK_ACCESS_SIZE(access) - 1;

	pmk_sites_access(cpu, access);
	cpu->dyn[PMK_SIG_UNALIGNED_ST] += (addr & ((1u << PMK_A64_ELEM(access)) - 1)) != 0;
	store_line(cpu, addr, access);
	if (crosses(addr, last)) {
		cpu->dyn[PMK_SIG_L1D_LOOKUP_WRITE]++;
		cpu->dyn[PMK_SIG_MEM_WRITE]++;
		store_line(cpu, last, access);
	}
}
