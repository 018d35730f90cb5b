// SPDX-License-Identifier: MIT
/*
 * The running core of an ARM11: the slow paths, for everything that changes state. The hot paths
 * are in arm11.h. Counting rules: ARM DAI 0195B (application note 195) §3-§8 and ARM1176JZF-S TRM
 * 3.2.51; docs/arm11.md lists each rule with its source and the choices made where the documents
 * are silent.
 *
 * Not modelled: lines larger than the cache's way at different virtual addresses (the cache is
 * physically tagged, the model uses virtual addresses), memory attributes of single pages in user
 * emulation, cache maintenance, TCMs.
 */
#include "cpu/arm11/slow.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/reserve.h"
#include "cpu/family.h"
#include "cpu/sites.h"

#define LINES_PER_PAGE (1u << (PMK_PAGE_SHIFT - PMK_LINE_SHIFT))
#define LINE_BYTES     (1u << PMK_LINE_SHIFT)
#define IMAP_SIZE      (UINT64_C(1) << (32 - PMK_LINE_SHIFT))
#define IMAP_BYTES     (IMAP_SIZE + PMK_I_MOST_LINES)
#define DMAP_SIZE  \
	(IMAP_SIZE \
	 << 3) /* times eight, because the low bits of an unaligned address move to the top */

/* Result latency of a load that hits: DDI 0301H table 16-13. */
#define LOAD_HIT_LATENCY 3

/*
 * Stands in for the previous block when the first block starts: nothing has to wait for it, and any
 * address may follow it.
 */
static const struct pmk_block before_all = { .arm11.branch = PMK_BRANCH_SLOW,
					     .flow = PMK_FLOW_NEXT };

const uint8_t pmk_arm11_signal[PMK_ARM11_NFACTS] = {
	[PMK_ARM11_FACT_INSN] = PMK_SIG_INSN,
	[PMK_ARM11_FACT_BRANCH] = PMK_SIG_BRANCH,
	[PMK_ARM11_FACT_DATA_STALL] = PMK_SIG_DATA_STALL,
	[PMK_ARM11_FACT_READ] = PMK_SIG_L1D_READ,
	[PMK_ARM11_FACT_WRITE] = PMK_SIG_L1D_WRITE,
	[PMK_ARM11_FACT_DRAIN] = PMK_SIG_WBUF_DRAIN,
};

_Static_assert((int)PMK_ARM11_FACT_UNTIMED < (int)PMK_NFACTS,
	       "a block has room for PMK_NFACTS facts");

/* ---- life ------------------------------------------------------------------------------------ */

/* True if no parameter of the level 1 data cache differs from an ARM11's. */
static bool has_usual_data(const struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;

	return core->dcache_on && !core->dcache_wt && !core->arm11.write_allocate &&
	       core->arm11.store_miss_each && !pmk_order_is_kept(&cpu->arm11.dcache.order);
}

/* True if no parameter makes misses wait in an unusual way. */
static bool has_usual_memory(const struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;

	return !pmk_l2cc_is_on(&cpu->arm11.l2) && !pmk_sdram_differs(core) && !core->mem_serial &&
	       core->lsu_slots == 2;
}

int pmk_arm11_init(struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;

	cpu->prev = &before_all;
	cpu->arm11.rs.size = (uint32_t)core->rs_entries;
	cpu->arm11.lsu = (struct pmk_lsu){
		.slots = (uint32_t)core->lsu_slots,
		.wbuf_entries = (uint32_t)core->wbuf_entries,
		.latency = (uint32_t)core->mem_latency,
		.serial = core->mem_serial,
		.fill_cycles = (uint32_t)core->fill_cycles,
		.write_cycles = (uint32_t)core->write_cycles,
	};
	cpu->arm11.pred = pmk_reserve(PMK_MAX_BRANCHES);
	cpu->arm11.imap = pmk_reserve(IMAP_BYTES);
	cpu->arm11.dmap = pmk_reserve(DMAP_SIZE);
	cpu->arm11.edge = calloc(PMK_ARM11_EDGES, sizeof(*cpu->arm11.edge));
	if (!cpu->arm11.pred || !cpu->arm11.imap || !cpu->arm11.dmap || !cpu->arm11.edge ||
	    pmk_cache_init(&cpu->arm11.icache, (uint32_t)core->icache_size,
			   (uint32_t)core->icache_ways,
			   pmk_core_policy_of(core, core->icache_policy), core->round_robin,
			   (uint32_t)core->seed) ||
	    pmk_cache_init(&cpu->arm11.dcache, (uint32_t)core->dcache_size,
			   (uint32_t)core->dcache_ways,
			   pmk_core_policy_of(core, core->dcache_policy), core->round_robin,
			   (uint32_t)core->seed) ||
	    pmk_tlb_init(&cpu->arm11.itlb, (uint32_t)core->utlb_entries,
			 (uint32_t)core->utlb_entries) ||
	    pmk_tlb_init(&cpu->arm11.dtlb, (uint32_t)core->utlb_entries,
			 (uint32_t)core->utlb_entries) ||
	    pmk_tlb_init(&cpu->arm11.main_tlb, (uint32_t)core->tlb_entries,
			 (uint32_t)core->tlb_ways) ||
	    pmk_predictor_init(&cpu->arm11.bp, core) || pmk_l2cc_init(&cpu->arm11.l2, core)) {
		pmk_arm11_fini(cpu);
		return PMK_ENOMEM;
	}
	cpu->arm11.pred[PMK_BRANCH_NONE] = PMK_PRED_NOT_TAKEN;
	cpu->arm11.store_missed = PMK_NO_LINE;
	cpu->arm11.usual = has_usual_data(cpu) && !core->timeless && has_usual_memory(cpu);
	cpu->arm11.usual_fetch = !pmk_order_is_kept(&cpu->arm11.icache.order) &&
				 !pmk_l2cc_is_on(&cpu->arm11.l2) && !pmk_sdram_differs(core);
	cpu->arm11.usual_alone = has_usual_data(cpu) && core->timeless;
	return 0;
}

void pmk_arm11_fini(struct pmk_cpu *cpu)
{
	pmk_release(cpu->arm11.pred, PMK_MAX_BRANCHES);
	pmk_release(cpu->arm11.imap, IMAP_BYTES);
	pmk_release(cpu->arm11.dmap, DMAP_SIZE);
	free(cpu->arm11.edge);
	cpu->arm11.edge = NULL;
	pmk_cache_fini(&cpu->arm11.icache);
	pmk_cache_fini(&cpu->arm11.dcache);
	pmk_tlb_fini(&cpu->arm11.itlb);
	pmk_tlb_fini(&cpu->arm11.dtlb);
	pmk_tlb_fini(&cpu->arm11.main_tlb);
	pmk_predictor_fini(&cpu->arm11.bp);
	pmk_l2cc_fini(&cpu->arm11.l2);
	cpu->arm11.pred = cpu->arm11.imap = cpu->arm11.dmap = NULL;
}

void pmk_arm11_forked(struct pmk_cpu *cpu)
{
	pmk_lsu_restart(&cpu->arm11.lsu);
	cpu->arm11.pending = 0;
	memset(cpu->arm11.vfp_ready, 0, sizeof(cpu->arm11.vfp_ready));
	cpu->arm11.uncached = 0;
}

bool pmk_arm11_is_under_way(const struct pmk_cpu *cpu)
{
	return cpu->arm11.multiple_left > 0;
}

/*
 * Drop a load or store multiple that faulted. It starts again from its beginning, and is counted
 * then.
 */
void pmk_arm11_drop(struct pmk_cpu *cpu)
{
	if (cpu->arm11.multiple_left > 0 && cpu->arm11.multiple_counts != PMK_SIG_NONE) {
		pmk_sites_access(cpu, cpu->access);
		cpu->dyn[cpu->arm11.multiple_counts]--;
	}
	cpu->arm11.multiple_left = 0;
}

struct pmk_signal_set pmk_arm11_raises(const struct pmk_core *core)
{
	static const uint8_t unseen[] = { PMK_SIG_IRQ_MASKED, PMK_SIG_FIQ_MASKED,
					  PMK_SIG_ETMEXTOUT0, PMK_SIG_ETMEXTOUT1 };
	struct pmk_signal_set set = { { 0 } };

	/* The signals from LOAD on are those of A64 cores. */
	for (unsigned s = PMK_SIG_CYCLE; s < PMK_SIG_LOAD; s++) {
		bool seen = true;

		for (size_t i = 0; i < sizeof(unseen); i++)
			seen &= unseen[i] != s;
		if (seen)
			pmk_signal_add(&set, s);
	}
	for (unsigned s = PMK_SIG_L2CC_INSN_READ; core->l2_type && s <= PMK_SIG_L2CC_EVICT_HALF;
	     s++)
		pmk_signal_add(&set, s);
	return set;
}

/* Preloads are reads that make no access. */
const uint8_t pmk_arm11_mix[] = { PMK_SIG_INSN,	    PMK_SIG_BRANCH,	PMK_SIG_WBUF_DRAIN,
				  PMK_SIG_L1D_READ, PMK_SIG_L1D_ACCESS, PMK_SIG_L1D_ACCESS_WB,
				  PMK_SIG_CYCLE };

const uint8_t pmk_arm11_data[] = {
	PMK_SIG_L1D_READ,      PMK_SIG_L1D_WRITE,	PMK_SIG_L1D_ACCESS,
	PMK_SIG_L1D_ACCESS_WB, PMK_SIG_L1D_READ_MISS,	PMK_SIG_L1D_WRITE_MISS,
	PMK_SIG_L1D_MISS,      PMK_SIG_L1D_EVICT,	PMK_SIG_L1D_WB_HALF,
	PMK_SIG_DATA_EXTERNAL, PMK_SIG_MICRO_DTLB_MISS, PMK_SIG_CYCLE,
};

/* What is fetched beyond a branch depends on its prediction. Stalls are not in this list, because
 * the main TLB has pages of data, too. */
const uint8_t pmk_arm11_fetch[] = {
	PMK_SIG_L1I_MISS,      PMK_SIG_L1I_FILL,  PMK_SIG_MICRO_ITLB_MISS,
	PMK_SIG_BRANCH_MISS,   PMK_SIG_CALL_PUSH, PMK_SIG_RET_POP,
	PMK_SIG_RET_PREDICTED, PMK_SIG_RET_MISS,  PMK_SIG_CYCLE,
};

/* Sums of other signals. */
void pmk_arm11_derive(const struct pmk_cpu *cpu, uint64_t *t)
{
	t[PMK_SIG_L1D_ACCESS] = t[PMK_SIG_L1D_READ] + t[PMK_SIG_L1D_WRITE];
	t[PMK_SIG_L1D_ACCESS_WB] = t[PMK_SIG_L1D_ACCESS] - cpu->arm11.uncached;
	t[PMK_SIG_L1D_MISS] = t[PMK_SIG_L1D_READ_MISS] + t[PMK_SIG_L1D_WRITE_MISS];
}

const struct pmk_counted_signal pmk_arm11_counted[] = {
	{ PMK_SIG_BRANCH_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_CALL_PUSH, PMK_AT_LEAVE },
	{ PMK_SIG_RET_POP, PMK_AT_LEAVE },
	{ PMK_SIG_RET_PREDICTED, PMK_AT_LEAVE },
	{ PMK_SIG_RET_MISS, PMK_AT_LEAVE },
	{ PMK_SIG_L1I_MISS, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_L1I_FILL, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_FETCH_STALL, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_DATA_STALL, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_LSU_FULL_STALL, PMK_AT_ACCESS },
	{ PMK_SIG_MICRO_ITLB_MISS, PMK_AT_FETCH },
	{ PMK_SIG_MICRO_DTLB_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_TLB_MISS, PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_L1D_READ, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_READ_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WRITE_MISS, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_EVICT, PMK_AT_ACCESS },
	{ PMK_SIG_L1D_WB_HALF, PMK_AT_ACCESS },
	{ PMK_SIG_DATA_EXTERNAL, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_INSN_READ, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_L2CC_INSN_READ_HIT, PMK_AT_LEAVE | PMK_AT_FETCH },
	{ PMK_SIG_L2CC_DATA_READ, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_DATA_READ_HIT, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_DATA_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_DATA_WRITE_HIT, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_WT_WRITE, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_WRITE_ALLOC, PMK_AT_ACCESS },
	{ PMK_SIG_L2CC_EVICT_HALF, PMK_AT_LEAVE | PMK_AT_FETCH | PMK_AT_ACCESS },
	{ PMK_SIG_CYCLE, 0 },
};

const struct pmk_counted_beside pmk_arm11_beside[] = {
	{ offsetof(struct pmk_cpu, arm11.uncached), 1, PMK_AT_ACCESS },
	{ 0, 0, 0 },
};

/* ---- translation ---------------------------------------------------------------------------- */

struct translation {
	/* cycles of a micro-TLB refill: they count as a stall of the side that asked */
	uint64_t refill;
	uint64_t
		/* cycles of a table walk: they pass, but never count as a stall (DAI 0195B §4) */
		walk;
};

/* Translate after a micro-TLB miss: through the main TLB, and with a table walk if that misses,
 * too. */
static inline struct translation translate(struct pmk_cpu *cpu, uint32_t page)
{
	bool absent = pmk_tlb_fill_absent(&cpu->arm11.main_tlb, page);
	uint64_t all = -(uint64_t)absent; /* no branch: see pmk_tlb_holds() */

	cpu->dyn[PMK_SIG_TLB_MISS] += absent;
	return (struct translation){ .refill = cpu->core.utlb_penalty & ~all,
				     .walk = cpu->core.walk_penalty & all };
}

/* Use vectors of 32 bytes if the host has them: 4 of them hold the bytes of a page. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* Eight bytes of a map as one number; multiplying a byte by EACH_BYTE repeats it eight times. */
typedef uint64_t __attribute__((may_alias)) map_word;
#define EACH_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))

/* Change the bytes of a page in the data map when the page enters or leaves the micro-TLB. */
static inline void map_page(uint8_t *map)
{
	map_word *word = (map_word *)map;

	for (unsigned i = 0; i < LINES_PER_PAGE / sizeof(*word); i++)
		word[i] |= EACH_BYTE(PMK_D_MAPPED) | (word[i] >> 3 & EACH_BYTE(PMK_D_FAST));
}

static inline void unmap_page(uint8_t *map)
{
	map_word *word = (map_word *)map;

	for (unsigned i = 0; i < LINES_PER_PAGE / sizeof(*word); i++)
		word[i] &= ~EACH_BYTE(PMK_D_MAPPED | PMK_D_FAST);
}

/*
 * Enter a page into the micro-TLB. If hits change the order of a set, the page's lines must be used
 * once before accesses to them are fast again: see pmk_arm11_data_hit().
 */
static inline void enter_page(struct pmk_cpu *cpu, uint32_t page)
{
	uint8_t *map = &cpu->arm11.dmap[page * LINES_PER_PAGE];

	if (!pmk_cache_ages(&cpu->arm11.dcache))
		map_page(map);
	else
		for (unsigned i = 0; i < LINES_PER_PAGE; i++)
			map[i] |= PMK_D_MAPPED;
}

/* Enter a page into the micro-TLB, if there is one. */
static inline void data_map(struct pmk_cpu *cpu, uint32_t page)
{
	uint64_t old;

	if (cpu->core.mmu) {
		cpu->dyn[PMK_SIG_MICRO_DTLB_MISS]++;
		old = pmk_tlb_fill_only(&cpu->arm11.dtlb, page);
		if (old != PMK_NO_PAGE)
			unmap_page(&cpu->arm11.dmap[old * LINES_PER_PAGE]);
	}
	enter_page(cpu, page);
}

WIDE static struct translation data_translate(struct pmk_cpu *cpu, uint32_t page)
{
	struct translation t = { 0 };

	if (cpu->core.mmu)
		t = translate(cpu, page);
	data_map(cpu, page);
	return t;
}

/* Like data_translate(), on a core that has an MMU and no unusual parameter for data accesses. */
static inline struct translation data_translate_usual(struct pmk_cpu *cpu, uint32_t page)
{
	struct translation t = translate(cpu, page);
	uint64_t old = pmk_tlb_fill_only(&cpu->arm11.dtlb, page);

	cpu->dyn[PMK_SIG_MICRO_DTLB_MISS]++;
	if (old != PMK_NO_PAGE)
		unmap_page(&cpu->arm11.dmap[old * LINES_PER_PAGE]);
	map_page(&cpu->arm11.dmap[page * LINES_PER_PAGE]);
	return t;
}

/* Like data_map(), without a clock, where nothing depends on the main TLB. */
WIDE static void data_map_alone(struct pmk_cpu *cpu, uint32_t page)
{
	data_map(cpu, page);
}

static inline void unmap_code(struct pmk_cpu *cpu, uint64_t page)
{
	uint8_t *map = &cpu->arm11.imap[page * LINES_PER_PAGE];

	for (unsigned i = 0; i < LINES_PER_PAGE; i++)
		map[i] &= (uint8_t)~PMK_I_MAPPED;
}

WIDE static void fetch_translate(struct pmk_cpu *cpu, uint32_t page)
{
	uint8_t *map = &cpu->arm11.imap[page * LINES_PER_PAGE];
	struct translation t = translate(cpu, page);
	uint64_t old = pmk_tlb_fill_only(&cpu->arm11.itlb, page);

	cpu->dyn[PMK_SIG_MICRO_ITLB_MISS]++;
	cpu->dyn[PMK_SIG_FETCH_STALL] += t.refill;
	cpu->cycles += t.refill + t.walk;
	if (old != PMK_NO_PAGE)
		unmap_code(cpu, old);
	for (unsigned i = 0; i < LINES_PER_PAGE; i++)
		map[i] |= PMK_I_MAPPED;
}

/* Cycles until a line arrives from memory, beyond all caches. */
static uint64_t read_memory(struct pmk_cpu *cpu, uint32_t line)
{
	return pmk_sdram_read(&cpu->arm11.sdram, &cpu->core, (uint64_t)line << PMK_LINE_SHIFT,
			      cpu->cycles);
}

/* ---- fetch ---------------------------------------------------------------------------------- */

static inline bool pmk_arm11_is_fetched(const struct pmk_cpu *cpu, uint32_t line)
{
	return cpu->arm11.imap[line] & PMK_I_PRESENT;
}

/*
 * Clear the "quiet" bit of the line that was used last in the set of `line`, if hits change the
 * order of a set.
 */
static void unquiet_last(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t last = pmk_cache_last(&cpu->arm11.icache, line);

	if (last != PMK_NO_LINE)
		cpu->arm11.imap[last] &= (uint8_t)~PMK_I_QUIET;
}

static PMK_SLOW uint64_t fetch_fill_unusual(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t victim;
	bool near;

	if (pmk_cache_ages(&cpu->arm11.icache))
		unquiet_last(cpu, line);
	victim = pmk_cache_fill(&cpu->arm11.icache, line);
	near = pmk_l2cc_is_on(&cpu->arm11.l2) &&
	       pmk_l2cc_read(&cpu->arm11.l2, cpu->dyn, PMK_L2CC_INSN, line);
	cpu->dyn[PMK_SIG_L1I_FILL]++;
	cpu->arm11.imap[line] |= PMK_I_PRESENT | PMK_I_QUIET;
	if (victim != PMK_NO_LINE)
		cpu->arm11.imap[victim] &= PMK_I_MAPPED;
	return near ? cpu->core.l2_latency : read_memory(cpu, line);
}

/* Fetch a line. Returns the cycles until its critical word arrives. */
static inline uint64_t pmk_arm11_fetch_fill_usual(struct pmk_cpu *cpu, uint32_t line)
{
	struct pmk_cache *c = &cpu->arm11.icache;
	uint32_t *set = &c->tag[(line & c->set_mask) * c->ways];
	uint32_t *entry = &set[pmk_cache_victim_unordered(c, set)], victim = *entry;

	*entry = line;
	cpu->dyn[PMK_SIG_L1I_FILL]++;
	cpu->arm11.imap[line] |= PMK_I_PRESENT | PMK_I_QUIET;
	if (victim != PMK_NO_LINE)
		cpu->arm11.imap[victim] &= PMK_I_MAPPED;
	return cpu->core.mem_latency;
}

uint64_t pmk_arm11_fetch_fill(struct pmk_cpu *cpu, uint32_t line)
{
	if (PMK_UNLIKELY(!cpu->arm11.usual_fetch))
		return fetch_fill_unusual(cpu, line);
	return pmk_arm11_fetch_fill_usual(cpu, line);
}

bool pmk_arm11_fetch_hit(struct pmk_cpu *cpu, uint32_t line)
{
	struct pmk_cache *c = &cpu->arm11.icache;

	if (!pmk_cache_ages(c) || pmk_cache_last(c, line) == line)
		return false;
	unquiet_last(cpu, line);
	cpu->arm11.imap[line] |= PMK_I_QUIET;
	pmk_cache_use(c, line);
	return true;
}

/* True if the instruction micro-TLB lacks the page of the line. */
static inline bool is_unmapped(const struct pmk_cpu *cpu, uint32_t line)
{
	return !(cpu->arm11.imap[line] & PMK_I_MAPPED) && cpu->core.mmu;
}

/* Fetch the lines of a block that is about to run. */
void pmk_arm11_fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint32_t first = (uint32_t)b->pc >> PMK_LINE_SHIFT;
	uint32_t last = ((uint32_t)b->fall - 1) >> PMK_LINE_SHIFT;

	if (is_unmapped(cpu, first))
		fetch_translate(cpu, first / LINES_PER_PAGE);
	if (first / LINES_PER_PAGE != last / LINES_PER_PAGE) {
		pmk_sites_fetch(cpu, b, last / LINES_PER_PAGE << PMK_PAGE_SHIFT);
		if (is_unmapped(cpu, last))
			fetch_translate(cpu, last / LINES_PER_PAGE);
	}
	if (!cpu->core.icache_on)
		return;
	for (uint32_t line = first; line <= last; line++) {
		uint64_t latency;

		if (pmk_arm11_is_fetched(cpu, line)) {
			if (!(cpu->arm11.imap[line] & PMK_I_QUIET))
				pmk_arm11_fetch_hit(cpu, line);
			continue;
		}
		pmk_sites_fetch(cpu, b, line << PMK_LINE_SHIFT);
		latency = pmk_arm11_fetch_fill(cpu, line);
		cpu->dyn[PMK_SIG_L1I_MISS]++;
		cpu->dyn[PMK_SIG_FETCH_STALL] += latency;
		cpu->cycles += latency;
	}
}

/*
 * Fetch lines speculatively from `from` on, beyond the line of the instruction at `done`. The
 * look-up counts even if the fetch is cancelled before it reaches the bus (DAI 0195B §3).
 */
void pmk_arm11_fetch_ahead(struct pmk_cpu *cpu, uint32_t done, uint32_t from, uint64_t bytes,
			   bool arrives)
{
	uint32_t first = from >> PMK_LINE_SHIFT;
	uint32_t last = (uint32_t)(from + bytes - 1) >> PMK_LINE_SHIFT;

	if (!bytes || !cpu->core.icache_on || !cpu->core.arm11.shadow || last < first)
		return;
	for (uint32_t line = first; line <= last; line++) {
		if (line == done >> PMK_LINE_SHIFT)
			continue;
		if (pmk_arm11_is_fetched(cpu, line)) {
			pmk_arm11_fetch_hit(cpu, line);
			continue;
		}
		pmk_sites_at(cpu, PMK_SITE_LEAVE);
		cpu->dyn[PMK_SIG_L1I_MISS]++;
		if (arrives)
			pmk_arm11_fetch_fill(cpu, line);
	}
}

/* Fetch the shadow of a taken branch: the instructions after it. */
void pmk_arm11_fetch_shadow(struct pmk_cpu *cpu, const struct pmk_block *p, bool arrives)
{
	if (p->arm11.shadowed)
		pmk_arm11_fetch_ahead(cpu, (uint32_t)p->end_addr, (uint32_t)p->fall,
				      cpu->core.arm11.shadow_bytes, arrives);
}

/* ---- branches ------------------------------------------------------------------------------- */

static void flush(struct pmk_cpu *cpu, bool counts_as_branch)
{
	if (counts_as_branch)
		pmk_count_left(cpu, PMK_SIG_BRANCH_MISS, 1);
	if (cpu->core.arm11.flush_stall)
		pmk_count_left(cpu, PMK_SIG_FETCH_STALL, cpu->core.arm11.flush_stall);
}

/* Cycles of a branch that is resolved in the execute stages. The earlier the flags were set, the
 * fewer cycles it takes. DDI 0301H table 16-11: MAX(MaxCycles - FlagCycleDistance, MinCycles). */
static uint64_t resolved_cycles(const struct pmk_cpu *cpu, const struct pmk_block *p)
{
	uint64_t longest = cpu->core.branch_max, shortest = cpu->core.arm11.branch_min;

	return longest > shortest + p->arm11.flag_distance ? longest - p->arm11.flag_distance
							   : shortest;
}

void pmk_arm11_push_return(struct pmk_cpu *cpu, uint32_t addr)
{
	if (!cpu->arm11.bp.on || !cpu->core.rs_on)
		return;
	pmk_count_left(cpu, PMK_SIG_CALL_PUSH, 1);
	pmk_return_push(&cpu->arm11.rs, addr);
}

/* Account for a branch with a constant offset that ended a block. Returns its cycles. */
static uint64_t leave_direct(struct pmk_cpu *cpu, const struct pmk_block *p, bool taken)
{
	struct pmk_prediction say = pmk_predictor_predict(&cpu->arm11.bp, p);
	uint64_t cycles = p->arm11.branch_cycles;

	if (taken && !(say.taken && say.dynamic))
		pmk_arm11_fetch_shadow(cpu, p, true);
	if (say.taken != taken) {
		if (say.taken && cpu->core.arm11.shadow > 1)
			pmk_arm11_fetch_ahead(cpu, (uint32_t)p->end_addr, (uint32_t)p->target,
					      cpu->core.arm11.wrong_bytes, true);
		flush(cpu, true);
		cycles = resolved_cycles(cpu, p);
	} else if (!say.dynamic) {
		cycles = taken ? cpu->core.arm11.static_correct_taken : 1;
	}
	if (taken && p->flow == PMK_FLOW_CALL)
		pmk_arm11_push_return(cpu, (uint32_t)p->fall);
	pmk_predictor_resolve(&cpu->arm11.bp, cpu->arm11.pred, p, taken);
	return cycles;
}

/*
 * Account for a return whose condition passed. The return stack predicts unconditional returns;
 * conditional ones pop it as well (DDI 0301H 16.3). Returns true if the prediction was right.
 */
static bool predict_return(struct pmk_cpu *cpu, const struct pmk_block *p, uint32_t target,
			   bool *empty)
{
	bool right;
	uint32_t addr;

	*empty = true;
	if (!cpu->arm11.bp.on || !cpu->core.rs_on || !pmk_return_pop(&cpu->arm11.rs, &addr))
		return false;
	*empty = false;
	pmk_count_left(cpu, PMK_SIG_RET_POP, 1);
	if (p->conditional)
		return false;
	right = addr == target;
	if (right || !cpu->core.arm11.ret_exclusive)
		pmk_count_left(cpu, PMK_SIG_RET_PREDICTED, 1);
	if (!right) {
		pmk_count_left(cpu, PMK_SIG_RET_MISS, 1);
		pmk_return_undo(&cpu->arm11.rs);
	}
	return right;
}

static uint64_t leave_return(struct pmk_cpu *cpu, const struct pmk_block *p, uint32_t target)
{
	bool empty;
	bool right = predict_return(cpu, p, target, &empty);
	bool predicted = !empty && !p->conditional;

	/* One cycle after the shadow was requested, the core knows that the prediction was right:
	 * the look-up has been counted, and the bus request is cancelled (DAI 0195B §3). */
	pmk_arm11_fetch_shadow(cpu, p, !right);
	if (right)
		return cpu->core.arm11.return_correct;
	flush(cpu, p->is_branch || predicted || cpu->core.arm11.pc_writes);
	if (p->arm11.loads_pc)
		return cpu->core.arm11.ldm_return_wrong;
	if (p->conditional)
		return resolved_cycles(cpu, p);
	return empty ? cpu->core.arm11.return_empty : cpu->core.arm11.return_wrong;
}

static uint64_t leave_indirect(struct pmk_cpu *cpu, const struct pmk_block *p)
{
	pmk_arm11_fetch_shadow(cpu, p, true);
	flush(cpu, p->is_branch || cpu->core.arm11.pc_writes);
	if (p->flow == PMK_FLOW_INDCALL)
		pmk_arm11_push_return(cpu, (uint32_t)p->fall);
	return p->arm11.loads_pc ? cpu->core.arm11.load_pc : resolved_cycles(cpu, p);
}

static inline bool pmk_arm11_always_goes(const struct pmk_block *p)
{
	return !p->conditional && p->flow != PMK_FLOW_NEXT && p->flow != PMK_FLOW_EXCEPTION &&
	       p->flow != PMK_FLOW_MODE;
}

/*
 * Account for the last branch of `p` when `b` starts, if the outcome was not the expected one or
 * the branch always takes the slow path.
 */
void pmk_arm11_leave_block(struct pmk_cpu *cpu, const struct pmk_block *p,
			   const struct pmk_block *b, bool taken)
{
	uint64_t cycles = 1;

	switch ((enum pmk_flow)p->flow) {
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		/* The PC was not changed by software, or was changed together with the mode. */
		cpu->taken -= taken;
		return;
	case PMK_FLOW_JUMP:
	case PMK_FLOW_CALL:
		if (taken && b->pc != p->target) {
			/*
			 * An exception or signal came first. The emulator does not show which way a
			 * conditional branch would have gone.
			 */
			cpu->taken -= !pmk_arm11_always_goes(p);
			return;
		}
		/* fallthrough */
	case PMK_FLOW_INDIRECT:
	case PMK_FLOW_INDCALL:
	case PMK_FLOW_RETURN:
		break;
	}
	if (!taken && !p->conditional) {
		/* A jump to the next instruction changes the PC, too. */
		cpu->taken++;
		taken = true;
	}
	if (p->flow == PMK_FLOW_JUMP || p->flow == PMK_FLOW_CALL)
		cycles = leave_direct(cpu, p, taken);
	else if (taken && p->flow == PMK_FLOW_RETURN)
		cycles = leave_return(cpu, p, (uint32_t)b->pc);
	else if (taken)
		cycles = leave_indirect(cpu, p);
	if (cycles > p->arm11.branch_cycles)
		cpu->cycles += cycles - p->arm11.branch_cycles;
}

static void invalidate_icache(struct pmk_cpu *cpu)
{
	const struct pmk_cache *c = &cpu->arm11.icache;

	for (uint32_t i = 0; i < (c->set_mask + 1) * c->ways; i++) {
		if (c->tag[i] != PMK_NO_LINE)
			cpu->arm11.imap[c->tag[i]] &= PMK_I_MAPPED;
	}
	pmk_cache_clear(&cpu->arm11.icache);
	cpu->igen += cpu->arm11.instead != NULL;
}

static void flush_tlbs(struct pmk_cpu *cpu)
{
	for (uint32_t i = 0; i < cpu->arm11.dtlb.ways; i++)
		if (cpu->arm11.dtlb.page[i] != PMK_NO_PAGE)
			unmap_page(&cpu->arm11.dmap[cpu->arm11.dtlb.page[i] * LINES_PER_PAGE]);
	for (uint32_t i = 0; i < cpu->arm11.itlb.ways; i++)
		if (cpu->arm11.itlb.page[i] != PMK_NO_PAGE)
			unmap_code(cpu, cpu->arm11.itlb.page[i]);
	pmk_tlb_clear(&cpu->arm11.dtlb);
	pmk_tlb_clear(&cpu->arm11.itlb);
	pmk_tlb_clear(&cpu->arm11.main_tlb);
}

/* Carry out the maintenance operations of the block that was left. Any TLB operation, and any write
 * to the translation registers, flushes all TLBs (our choice, because their operands cannot be
 * seen). */
void pmk_arm11_disturb(struct pmk_cpu *cpu, unsigned what)
{
	if (what & PMK_DISTURB_BTAC)
		pmk_predictor_flush(&cpu->arm11.bp, cpu->arm11.pred);
	if (what & PMK_DISTURB_ICACHE)
		invalidate_icache(cpu);
	if ((what & PMK_DISTURB_TLB) && cpu->arm11.instead)
		cpu->arm11.instead->flush_tlbs(cpu);
	else if (what & PMK_DISTURB_TLB)
		flush_tlbs(cpu);
}

static inline struct pmk_arm11_edge *edge_slot(const struct pmk_cpu *cpu, const struct pmk_block *p,
					       const struct pmk_block *b)
{
	return &cpu->arm11.edge[(p->id ^ b->id * 7) % PMK_ARM11_EDGES];
}

/* How long one block waits for unfinished results of another. This is computed once for each pair
 * of consecutive blocks, and remembered. */
static const struct pmk_arm11_edge *edge_between(struct pmk_cpu *cpu, const struct pmk_block *p,
						 const struct pmk_block *b)
{
	struct pmk_arm11_edge *e = edge_slot(cpu, p, b);
	uint8_t need[PMK_PIPE_REGS];

	if (e->from == p && e->to == b)
		return e;
	memcpy(need, b->arm11.need, sizeof(need));
	need[PMK_PIPE_PORT] = PMK_PIPE_FAR;
	*e = (struct pmk_arm11_edge){
		.from = p,
		.to = b,
		.wait = (uint8_t)pmk_pipeline_edge(p->arm11.residue, b->arm11.need),
		.data = (uint8_t)pmk_pipeline_edge(p->arm11.residue, need),
	};
	return e;
}

/*
 * Wait for results of the previous block. Some may have arrived during the cycles since `before`,
 * which the branch or the fetch took. A wait for the load-store unit is not a data stall.
 */
static inline void wait_for_results(struct pmk_cpu *cpu, const struct pmk_arm11_edge *e,
				    uint64_t before)
{
	uint64_t passed = cpu->cycles - before;

	if (e->wait > passed)
		cpu->cycles += e->wait - passed;
	if (e->data > passed)
		cpu->dyn[PMK_SIG_DATA_STALL] += e->data - passed;
}

/*
 * Wait for registers that block `b` reads or writes and whose loads are still under way. The wait
 * begins at the instruction that needs one of them. If the block overwrites a register before any
 * instruction reads it, nothing waits for that load (our choice).
 */
static void wait_for_pending(struct pmk_cpu *cpu, const struct pmk_block *b, uint64_t regs)
{
	uint64_t start = cpu->cycles - b->cycles - pmk_lsu_late(&cpu->arm11.lsu);

	for (uint64_t rest = regs; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);
		uint64_t wait;

		if (b->arm11.need[r] == PMK_PIPE_FAR)
			continue;
		wait = pmk_lsu_hold(&cpu->arm11.lsu, start + b->arm11.need[r] - 1,
				    cpu->arm11.ready[r]);
		cpu->cycles += wait;
		cpu->dyn[PMK_SIG_DATA_STALL] +=
			wait > cpu->arm11.walk[r] ? wait - cpu->arm11.walk[r] : 0;
	}
	cpu->arm11.pending &= ~regs;
}

/* Remember the unfinished VFP results of block `p`, which ended at `end`. Any number of blocks may
 * run before they are available. */
static PMK_SLOW void remember_vfp(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t end)
{
	for (unsigned i = 0; i < PMK_PIPE_VFP_PLACES; i++) {
		uint64_t ready = end + p->arm11.vfp_residue[i] - 1;

		if (p->arm11.vfp_residue[i] > 1 && ready > cpu->arm11.vfp_ready[i])
			cpu->arm11.vfp_ready[i] = ready;
	}
	cpu->arm11.pending |= PMK_PIPE_VFP;
}

/*
 * Wait for the VFP results and pipelines that block `b` needs. A wait for a pipeline is not a data
 * stall.
 */
static PMK_SLOW void wait_for_vfp(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint64_t start = cpu->cycles - b->cycles, wait = 0, data = 0;
	bool busy = false;

	for (unsigned i = 0; i < PMK_PIPE_VFP_PLACES; i++) {
		uint64_t ready = cpu->arm11.vfp_ready[i], need = b->arm11.vfp_need[i];

		if (need == PMK_PIPE_FAR || ready < start + need)
			continue;
		ready -= start + need - 1;
		wait = pmk_later(wait, ready);
		if (i <= PMK_PIPE_VFP_FLAGS)
			data = pmk_later(data, ready);
	}
	cpu->cycles += wait;
	cpu->dyn[PMK_SIG_DATA_STALL] += data;
	for (unsigned i = 0; i < PMK_PIPE_VFP_PLACES; i++)
		busy |= cpu->arm11.vfp_ready[i] > cpu->cycles;
	cpu->arm11.pending &= busy ? ~UINT64_C(0) : ~PMK_PIPE_VFP;
}

/* Fetch `b` through the core's own memory system. */
static PMK_SLOW void fetch_instead(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint64_t seen = cpu->igen;
	bool again = cpu->arm11.instead->fetch(cpu, b);

	/* `seen` is not always the present igen: the block may have evicted a line of its own. 0
	 * makes blocks at exception vectors always come here. */
	cpu->executions[b->id].igen = b->vector || again ? 0 : seen;
}

/* Fetch `b`, if the fetch may find something absent. */
static inline void fetch_stale(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	if (!pmk_arm11_fetch_changes(cpu, b))
		return;
	if (PMK_LIKELY(!cpu->arm11.instead)) {
		pmk_sites_fetch(cpu, b, b->pc);
		pmk_arm11_fetch_block(cpu, b);
	} else if (cpu->executions[b->id].igen != cpu->igen) {
		pmk_sites_fetch(cpu, b, b->pc);
		fetch_instead(cpu, b);
	}
}

/* Do the maintenance operations of `p`, and then fetch `b`. */
static inline void disturb_and_fetch(struct pmk_cpu *cpu, const struct pmk_block *p,
				     const struct pmk_block *b)
{
	if (PMK_UNLIKELY(p->disturbs)) {
		pmk_sites_at(cpu, PMK_SITE_LEAVE);
		pmk_arm11_disturb(cpu, p->disturbs);
	}
	fetch_stale(cpu, b);
}

/*
 * Start block `b`: wait for what earlier blocks have not finished. `before` is when the last one
 * ended.
 */
static PMK_SLOW void wait_at_entry(struct pmk_cpu *cpu, const struct pmk_block *p,
				   const struct pmk_block *b, uint64_t before)
{
	uint64_t waits = p->arm11.late & b->arm11.wants & ~PMK_PIPE_VFP_LATE;

	if (waits | (cpu->arm11.pending & b->arm11.touches))
		pmk_sites_fetch(cpu, b, b->pc);
	if (waits)
		wait_for_results(cpu, edge_between(cpu, p, b), before);
	if (cpu->arm11.pending & b->arm11.touches & ~PMK_PIPE_VFP)
		wait_for_pending(cpu, b, cpu->arm11.pending & b->arm11.touches & ~PMK_PIPE_VFP);
	if (cpu->arm11.pending & b->arm11.touches & PMK_PIPE_VFP)
		wait_for_vfp(cpu, b);
	if (PMK_UNLIKELY(cpu->cycles - b->cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

void pmk_arm11_block_general(struct pmk_cpu *cpu, const struct pmk_block *p,
			     const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	uint64_t before = cpu->cycles, end = before - b->cycles - pmk_pred_cycles(word);

	if (PMK_UNLIKELY(b->vector)) {
		/*
		 * An exception was entered. An unconditional branch before it was taken. Whether a
		 * conditional one would have been taken is not visible, so it is not counted.
		 */
		cpu->taken -= taken && !pmk_arm11_always_goes(p);
	} else if (word == PMK_PRED_CALL && taken && b->pc == p->target) {
		pmk_arm11_push_return(cpu, (uint32_t)p->fall);
	} else if (pmk_pred_differs(word, taken)) {
		cpu->cycles -= pmk_pred_cycles(word);
		before = cpu->cycles;
		pmk_predictor_catch_up(&cpu->arm11.bp, p, word);
		pmk_arm11_leave_block(cpu, p, b, taken);
	} else {
		pmk_pred_learn(&cpu->arm11.pred[p->arm11.branch], word, taken);
	}
	if (PMK_UNLIKELY(cpu->crossing))
		pmk_cpu_cross(cpu, b);
	disturb_and_fetch(cpu, p, b);
	if (p->arm11.late & PMK_PIPE_VFP_LATE)
		remember_vfp(cpu, p, end);
	wait_at_entry(cpu, p, b, before);
}

/*
 * The functions below do what pmk_arm11_block_general() does, for nearly all blocks, while nothing
 * is booked by site. They end with calls of each other, so that no registers must be saved.
 */

/*
 * Start block `b`, which must fetch or wait for something. `end` is when `p` ended, without the
 * cycles of its branch.
 */
static PMK_SLOW void fetch_any_and_wait(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b, uint64_t before, uint64_t end)
{
	fetch_stale(cpu, b);
	if (PMK_UNLIKELY(p->arm11.late & PMK_PIPE_VFP_LATE))
		remember_vfp(cpu, p, end);
	wait_at_entry(cpu, p, b, before);
}

/* Fetch the absent lines of `b`, whose pages are in the micro-TLB. */
static inline void fetch_absent(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint32_t last = ((uint32_t)b->fall - 1) >> PMK_LINE_SHIFT;

	for (uint32_t line = (uint32_t)b->pc >> PMK_LINE_SHIFT; line <= last; line++) {
		uint64_t latency;

		if (pmk_arm11_is_fetched(cpu, line))
			continue;
		latency = pmk_arm11_fetch_fill_usual(cpu, line);
		cpu->dyn[PMK_SIG_L1I_MISS]++;
		cpu->dyn[PMK_SIG_FETCH_STALL] += latency;
		cpu->cycles += latency;
	}
}

/* The registers for which block `b` may have to wait. */
static inline uint64_t block_awaits(const struct pmk_cpu *cpu, const struct pmk_block *p,
				    const struct pmk_block *b)
{
	return (p->arm11.late & b->arm11.wants) | (cpu->arm11.pending & b->arm11.touches);
}

/*
 * The bits of pmk_arm11_fetch_changes() that only pmk_arm11_fetch_block() can handle: the page is not in the
 * micro-TLB, or the bytes were not looked at.
 */
#define CHANGES_MORE ((PMK_I_MAPPED | UINT32_C(0x80)) * UINT32_C(0x01010101))

/* Start block `b`, which waits only for results of `p`. */
static PMK_SLOW void wait_remembered(struct pmk_cpu *cpu, const struct pmk_block *p,
				     const struct pmk_block *b, uint64_t before)
{
	const struct pmk_arm11_edge *e = edge_slot(cpu, p, b);

	if (PMK_UNLIKELY(e->from != p || e->to != b)) {
		wait_at_entry(cpu, p, b, before);
		return;
	}
	wait_for_results(cpu, e, before);
	if (PMK_UNLIKELY(cpu->cycles - b->cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

static PMK_SLOW void fetch_and_wait(struct pmk_cpu *cpu, const struct pmk_block *p,
				    const struct pmk_block *b, uint64_t before, uint64_t end)
{
	uint32_t changes = pmk_arm11_fetch_changes(cpu, b);

	if (PMK_UNLIKELY(changes & CHANGES_MORE || !cpu->arm11.usual_fetch ||
			 p->arm11.late & PMK_PIPE_VFP_LATE)) {
		fetch_any_and_wait(cpu, p, b, before, end);
		return;
	}
	if (changes)
		fetch_absent(cpu, b);
	if (cpu->arm11.pending & b->arm11.touches)
		wait_at_entry(cpu, p, b, before);
	else if (p->arm11.late & b->arm11.wants)
		wait_remembered(cpu, p, b, before);
	else if (PMK_UNLIKELY(cpu->cycles - b->cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

/*
 * Start block `b` after a branch that took `more` cycles longer than block `p` says. `cycles` were
 * added for its prediction, which was wrong.
 */
static inline void enter_left(struct pmk_cpu *cpu, const struct pmk_block *p,
			      const struct pmk_block *b, uint64_t cycles, uint64_t more)
{
	uint64_t before = cpu->cycles - cycles, start = before - b->cycles;

	cpu->cycles = before + more;
	if (pmk_arm11_fetch_changes(cpu, b) | block_awaits(cpu, p, b))
		fetch_and_wait(cpu, p, b, before, start);
	else if (PMK_UNLIKELY(start + more >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

/* True if a branch at the end of `p` that is not predicted would fetch an absent line after it. */
static inline bool has_absent_shadow(const struct pmk_cpu *cpu, const struct pmk_block *p)
{
	return p->arm11.shadowed &&
	       !pmk_arm11_is_fetched(cpu, (p->arm11.end >> PMK_LINE_SHIFT) + 1);
}

/* These functions do what pmk_arm11_leave_block() does; *more is by how many cycles the branch takes longer
 * than its block says. If they cannot, they do nothing and return the reason. */
enum left {
	LEFT,
	LEFT_UNUSUALLY, /* only pmk_arm11_leave_block() can do it */
	LEFT_ABSENT,	/* the line after the branch must be fetched first */
};

/* Refetch after the branch of `p`. Sets the cycles beyond those of the block. */
static inline void flush_usual(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t *more)
{
	cpu->dyn[PMK_SIG_FETCH_STALL] += cpu->core.arm11.flush_stall;
	*more = p->arm11.resolved;
}

/* Leave a branch that its entry mispredicted. */
static inline enum left leave_held(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t pc,
				   bool taken, uint64_t word, uint64_t *more)
{
	uint8_t *own = &cpu->arm11.pred[p->arm11.branch];

	if (taken) {
		if (pc != p->arm11.target)
			return LEFT_UNUSUALLY;
		if (has_absent_shadow(cpu, p))
			return LEFT_ABSENT;
		*own = (uint8_t)(word + 1);
	} else {
		*own = (uint8_t)(word - 1);
	}
	cpu->dyn[PMK_SIG_BRANCH_MISS]++;
	flush_usual(cpu, p, more);
	return LEFT;
}

/*
 * Leave a branch without an entry, which the static rules predicted. It gets an entry if it is
 * taken.
 */
static inline enum left leave_static(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t pc,
				     bool taken, uint64_t *more)
{
	bool backward = p->arm11.leave == PMK_ARM11_LEAVE_BACKWARD;

	if (p->arm11.branch == PMK_BRANCH_SLOW || (taken ? pc != p->arm11.target : !backward))
		return LEFT_UNUSUALLY;
	if (taken) {
		if (has_absent_shadow(cpu, p))
			return LEFT_ABSENT;
		pmk_predictor_allocate(pmk_predictor_slot(&cpu->arm11.bp, p->arm11.end),
				       cpu->arm11.pred, p->arm11.end, p->arm11.branch);
		cpu->arm11.pred[p->arm11.branch] = PMK_PRED_HELD | PMK_PRED_STATE | 2;
	}
	if (taken != backward) {
		cpu->dyn[PMK_SIG_BRANCH_MISS]++;
		flush_usual(cpu, p, more);
	} else if (cpu->core.arm11.static_correct_taken > p->arm11.branch_cycles) {
		*more = cpu->core.arm11.static_correct_taken - p->arm11.branch_cycles;
	}
	return LEFT;
}

/*
 * Leave a return whose condition passed. The return stack has the right address, or a wrong one, or
 * is empty. If the return is predicted correctly, its shadow is looked up but not fetched.
 */
static inline enum left leave_return_usual(struct pmk_cpu *cpu, const struct pmk_block *p,
					   uint64_t pc, uint64_t *more)
{
	const struct pmk_core_arm11 *core = &cpu->core.arm11;
	struct pmk_return_stack *rs = &cpu->arm11.rs;
	uint64_t cycles = core->return_correct;
	bool empty = !rs->count, absent = has_absent_shadow(cpu, p);
	bool right = !empty && rs->addr[rs->top] == pc;
	uint32_t addr;

	if (absent && !right)
		return LEFT_ABSENT;
	cpu->dyn[PMK_SIG_RET_POP] += !empty;
	if (right) {
		pmk_return_pop(rs, &addr);
		cpu->dyn[PMK_SIG_RET_PREDICTED]++;
		cpu->dyn[PMK_SIG_L1I_MISS] += absent;
	} else {
		/* The address that was popped is put back. */
		cpu->dyn[PMK_SIG_RET_MISS] += !empty;
		cpu->dyn[PMK_SIG_RET_PREDICTED] += !empty && !core->ret_exclusive;
		cpu->dyn[PMK_SIG_BRANCH_MISS] += p->is_branch || !empty || core->pc_writes;
		cpu->dyn[PMK_SIG_FETCH_STALL] += core->flush_stall;
		cycles = p->arm11.loads_pc ? core->ldm_return_wrong
			 : empty	   ? core->return_empty
					   : core->return_wrong;
	}
	if (cycles > p->arm11.branch_cycles)
		*more = cycles - p->arm11.branch_cycles;
	return LEFT;
}

static inline enum left leave_predicted_call(struct pmk_cpu *cpu, const struct pmk_block *p,
					     uint64_t pc, uint64_t word)
{
	if (word != PMK_PRED_CALL || pc != p->arm11.target)
		return LEFT_UNUSUALLY;
	cpu->dyn[PMK_SIG_CALL_PUSH]++;
	pmk_return_push(&cpu->arm11.rs, (uint32_t)p->fall);
	return LEFT;
}

/* Leave a conditional return. It pops the return stack, but is not predicted. */
static inline enum left leave_return_resolved(struct pmk_cpu *cpu, const struct pmk_block *p,
					      uint64_t *more)
{
	uint32_t addr;

	if (has_absent_shadow(cpu, p))
		return LEFT_ABSENT;
	cpu->dyn[PMK_SIG_RET_POP] += pmk_return_pop(&cpu->arm11.rs, &addr);
	cpu->dyn[PMK_SIG_BRANCH_MISS] += p->is_branch || cpu->core.arm11.pc_writes;
	flush_usual(cpu, p, more);
	return LEFT;
}

static inline enum left leave_indirect_usual(struct pmk_cpu *cpu, const struct pmk_block *p,
					     uint64_t *more)
{
	if (has_absent_shadow(cpu, p))
		return LEFT_ABSENT;
	cpu->dyn[PMK_SIG_BRANCH_MISS] += p->arm11.leave != PMK_ARM11_LEAVE_LOAD;
	if (p->arm11.leave == PMK_ARM11_LEAVE_INDCALL && cpu->arm11.bp.on && cpu->core.rs_on) {
		cpu->dyn[PMK_SIG_CALL_PUSH]++;
		pmk_return_push(&cpu->arm11.rs, (uint32_t)p->fall);
	}
	flush_usual(cpu, p, more);
	return LEFT;
}

/* Leave a return, or a branch whose target is only known when it is executed. */
static inline enum left leave_for_anywhere(struct pmk_cpu *cpu, const struct pmk_block *p,
					   uint64_t pc, bool taken, uint64_t *more)
{
	/* A jump to the next instruction needs more work. */
	if (!taken && !p->conditional)
		return LEFT_UNUSUALLY;
	if (!taken) {
		*more = p->arm11.branch_cycles < 1;
		return LEFT;
	}
	if (p->arm11.leave == PMK_ARM11_LEAVE_RETURN)
		return p->conditional ? leave_return_resolved(cpu, p, more)
				      : leave_return_usual(cpu, p, pc, more);
	return leave_indirect_usual(cpu, p, more);
}

/*
 * The same functions for a core without a clock. There, the prediction words do not show which
 * branches have an entry.
 */

static inline enum left fetch_behind_jump(struct pmk_cpu *cpu, const struct pmk_block *p,
					  uint64_t pc, bool taken, uint64_t word)
{
	struct pmk_btac_entry *e = pmk_predictor_slot(&cpu->arm11.bp, p->arm11.end);
	bool held = word & PMK_PRED_STATE && pmk_btac_holds(e, p->arm11.end, p->arm11.branch);
	bool wrong = held || (p->arm11.leave == PMK_ARM11_LEAVE_BACKWARD) != taken;

	if (p->arm11.branch == PMK_BRANCH_SLOW || (taken ? pc != p->arm11.target : !wrong))
		return LEFT_UNUSUALLY;
	if (taken && has_absent_shadow(cpu, p))
		return LEFT_ABSENT;
	if (held) {
		cpu->arm11.pred[p->arm11.branch] = (uint8_t)(word + 1);
	} else if (taken) {
		pmk_predictor_allocate(e, cpu->arm11.pred, p->arm11.end, p->arm11.branch);
		cpu->arm11.pred[p->arm11.branch] = PMK_PRED_STATE | 2;
	}
	cpu->dyn[PMK_SIG_BRANCH_MISS] += wrong;
	return LEFT;
}

static inline enum left fetch_usual(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t pc,
				    bool taken, uint64_t word)
{
	uint8_t *own = &cpu->arm11.pred[p->arm11.branch];

	if (!pmk_state_differs(word, taken))
		return LEFT;
	if (!pmk_state_looks(word, taken)) {
		cpu->dyn[PMK_SIG_BRANCH_MISS] += (word & 2) && !taken;
		*own = pmk_state_next(word, taken);
		return LEFT;
	}
	switch ((enum pmk_arm11_leave)p->arm11.leave) {
	case PMK_ARM11_LEAVE_ANY:
		return LEFT_UNUSUALLY;
	case PMK_ARM11_LEAVE_FORWARD:
	case PMK_ARM11_LEAVE_BACKWARD:
		return fetch_behind_jump(cpu, p, pc, taken, word);
	case PMK_ARM11_LEAVE_CALL:
		if (!taken || !(word & 2) || pc != p->arm11.target)
			return LEFT_UNUSUALLY;
		*own = pmk_state_next(word, taken);
		pmk_arm11_push_return(cpu, (uint32_t)p->fall);
		return LEFT;
	case PMK_ARM11_LEAVE_RETURN:
	case PMK_ARM11_LEAVE_INDIRECT:
	case PMK_ARM11_LEAVE_INDCALL:
	case PMK_ARM11_LEAVE_LOAD:
		break;
	}
	return leave_for_anywhere(cpu, p, pc, taken, &(uint64_t){ 0 });
}

/* Used without a clock, so no time passes. Blocks that were left as expected do not count taken
 * branches, so this function must not count them, either. */
static PMK_SLOW void fetch_general(struct pmk_cpu *cpu, const struct pmk_block *p,
				   const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	const uint64_t all_taken = cpu->taken;

	pmk_predictor_catch_up(&cpu->arm11.bp, p, word);
	pmk_arm11_leave_block(cpu, p, b, taken);
	disturb_and_fetch(cpu, p, b);
	cpu->taken = all_taken;
}

/* The branch that ends `p` was not predicted. Fetch the line after it, which is absent. */
static void fetch_behind(struct pmk_cpu *cpu, const struct pmk_block *p)
{
	cpu->dyn[PMK_SIG_L1I_MISS]++;
	pmk_arm11_fetch_fill(cpu, (p->arm11.end >> PMK_LINE_SHIFT) + 1);
}

void pmk_arm11_fetch_slow(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			  uint64_t taken, uint64_t word)
{
	const uint64_t cycles = cpu->cycles;
	enum left left = fetch_usual(cpu, p, b->pc, taken, word);

	if (left == LEFT_ABSENT) {
		fetch_behind(cpu, p);
		left = fetch_usual(cpu, p, b->pc, taken, word);
	}
	if (left == LEFT)
		fetch_stale(cpu, b);
	else
		fetch_general(cpu, p, b, taken, word);
	cpu->cycles = cycles;
}

static PMK_SLOW void block_behind_absent(struct pmk_cpu *cpu, const struct pmk_block *p,
					 const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	fetch_behind(cpu, p);
	pmk_arm11_block_slow(cpu, p, b, taken, word);
}

/*
 * Start block `b` after an attempt to leave `p`. `cycles` and `more` have the same meaning as in
 * enter_left().
 */
static inline void enter_after(struct pmk_cpu *cpu, const struct pmk_block *p,
			       const struct pmk_block *b, uint64_t taken, uint64_t word,
			       enum left left, uint64_t cycles, uint64_t more)
{
	if (left == LEFT)
		enter_left(cpu, p, b, cycles, more);
	else if (left == LEFT_ABSENT)
		block_behind_absent(cpu, p, b, taken, word);
	else
		pmk_arm11_block_general(cpu, p, b, taken, word);
}

static PMK_SLOW void block_after_held(struct pmk_cpu *cpu, const struct pmk_block *p,
				      const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	uint64_t more = 0;
	enum left left = leave_held(cpu, p, b->pc, taken, word, &more);

	enter_after(cpu, p, b, taken, word, left, 0, more);
}

static PMK_SLOW void block_after_static(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	uint64_t more = 0;
	enum left left = leave_static(cpu, p, b->pc, taken, &more);

	enter_after(cpu, p, b, taken, word, left, pmk_pred_cycles(word), more);
}

static PMK_SLOW void block_after_call(struct pmk_cpu *cpu, const struct pmk_block *p,
				      const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	enum left left = taken ? leave_predicted_call(cpu, p, b->pc, word) : LEFT_UNUSUALLY;

	enter_after(cpu, p, b, taken, word, left, 0, 0);
}

static PMK_SLOW void block_after_any(struct pmk_cpu *cpu, const struct pmk_block *p,
				     const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	uint64_t more = 0;
	enum left left = leave_for_anywhere(cpu, p, b->pc, taken, &more);

	enter_after(cpu, p, b, taken, word, left, 0, more);
}

/* Start block `b`, whose start was predicted. */
static PMK_SLOW void block_as_predicted(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	uint64_t before = cpu->cycles, start = before - b->cycles;

	pmk_pred_learn(&cpu->arm11.pred[p->arm11.branch], word, taken);
	if (pmk_arm11_fetch_changes(cpu, b) | block_awaits(cpu, p, b))
		fetch_and_wait(cpu, p, b, before, start - pmk_pred_cycles(word));
	else if (PMK_UNLIKELY(start >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

void pmk_arm11_block_slow(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			  uint64_t taken, uint64_t word)
{
	if (PMK_UNLIKELY(!b->arm11.spare && b->vector)) {
		pmk_arm11_block_general(cpu, p, b, taken, word);
		return;
	}
	if (!pmk_pred_differs(word, taken)) {
		block_as_predicted(cpu, p, b, taken, word);
		return;
	}
	switch ((enum pmk_arm11_leave)p->arm11.leave) {
	case PMK_ARM11_LEAVE_ANY:
		pmk_arm11_block_general(cpu, p, b, taken, word);
		break;
	case PMK_ARM11_LEAVE_FORWARD:
	case PMK_ARM11_LEAVE_BACKWARD:
		if (word & PMK_PRED_HELD)
			block_after_held(cpu, p, b, taken, word);
		else
			block_after_static(cpu, p, b, taken, word);
		break;
	case PMK_ARM11_LEAVE_CALL:
		block_after_call(cpu, p, b, taken, word);
		break;
	case PMK_ARM11_LEAVE_RETURN:
	case PMK_ARM11_LEAVE_INDIRECT:
	case PMK_ARM11_LEAVE_INDCALL:
	case PMK_ARM11_LEAVE_LOAD:
		block_after_any(cpu, p, b, taken, word);
		break;
	}
}

/* ---- data ----------------------------------------------------------------------------------- */

static uint64_t issue_time(const struct pmk_cpu *cpu, uint64_t access)
{
	uint64_t to_end = PMK_ACCESS_TO_END(access);

	return cpu->cycles > to_end ? cpu->cycles - to_end : 0;
}

static void account(struct pmk_cpu *cpu, struct pmk_lsu_delay d, uint64_t walk)
{
	cpu->cycles += d.full + d.stall;
	cpu->dyn[PMK_SIG_LSU_FULL_STALL] += d.full;
	cpu->dyn[PMK_SIG_DATA_STALL] += d.stall > walk ? d.stall - walk : 0;
}

/* When an instruction of the block first needs the loaded value. */
static uint64_t first_use(uint64_t access)
{
	return PMK_ACCESS_USE(access) & PMK_PIPE_OPEN ? PMK_LSU_NO_USE : PMK_ACCESS_USE(access);
}

/* Account for a load. If no instruction of the block needs its value, the first one in a later
 * block that does will wait for it. */
static void account_load(struct pmk_cpu *cpu, uint64_t access, struct pmk_lsu_delay d,
			 uint64_t walk)
{
	uint64_t open = PMK_ACCESS_USE(access) ^ PMK_PIPE_OPEN;

	account(cpu, d, walk);
	if (first_use(access) != PMK_LSU_NO_USE)
		return;
	for (uint64_t rest = open; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);

		/* A load from two lines is complete when the later one arrives. */
		if (cpu->arm11.pending >> r & 1 && cpu->arm11.ready[r] >= d.ready)
			continue;
		cpu->arm11.ready[r] = d.ready;
		cpu->arm11.walk[r] = (uint32_t)walk;
	}
	cpu->arm11.pending |= open;
}

static void load_external(struct pmk_cpu *cpu, uint64_t access, struct translation t)
{
	if (cpu->core.timeless)
		return;
	account_load(cpu, access,
		     pmk_lsu_load_miss(&cpu->arm11.lsu, issue_time(cpu, access), first_use(access),
				       LOAD_HIT_LATENCY, t.refill + t.walk),
		     t.walk);
}

static void store_external(struct pmk_cpu *cpu, uint64_t access)
{
	if (cpu->core.timeless)
		return;
	account(cpu, pmk_lsu_write(&cpu->arm11.lsu, issue_time(cpu, access)), 0);
}

/* Account for a load that hits, but whose value is late because its translation missed. */
static void load_late(struct pmk_cpu *cpu, uint64_t access, struct translation t)
{
	if (t.refill + t.walk && !cpu->core.timeless)
		account_load(cpu, access,
			     pmk_lsu_load_hit(&cpu->arm11.lsu, issue_time(cpu, access),
					      first_use(access),
					      LOAD_HIT_LATENCY + t.refill + t.walk),
			     t.walk);
}

/* Request a line, or a word that level 1 does not keep, from level 2. This sets the latency. */
static PMK_SLOW void level2_read(struct pmk_cpu *cpu, uint32_t line)
{
	cpu->arm11.lsu.level2 = pmk_l2cc_read(&cpu->arm11.l2, cpu->dyn, PMK_L2CC_DATA, line);
	cpu->arm11.lsu.latency =
		(uint32_t)(cpu->arm11.lsu.level2 ? cpu->core.l2_latency : read_memory(cpu, line));
}

/* Write halves of a line, PMK_D_DIRTY_…, to level 2. */
static PMK_SLOW void level2_write(struct pmk_cpu *cpu, uint32_t line, unsigned halves)
{
	pmk_l2cc_write(&cpu->arm11.l2, cpu->dyn, line, halves / PMK_D_DIRTY_LO,
		       cpu->core.dcache_wt);
}

static void data_evict(struct pmk_cpu *cpu, uint32_t line)
{
	uint8_t *byte = &cpu->arm11.dmap[line];
	unsigned halves = !!(*byte & PMK_D_DIRTY_LO) + !!(*byte & PMK_D_DIRTY_HI);

	if (pmk_l2cc_is_on(&cpu->arm11.l2) && halves)
		level2_write(cpu, line, *byte & (PMK_D_DIRTY_LO | PMK_D_DIRTY_HI));
	cpu->dyn[PMK_SIG_L1D_WB_HALF] += halves;
	cpu->dyn[PMK_SIG_L1D_EVICT] += halves != 0;
	*byte &= PMK_D_MAPPED;
}

void pmk_arm11_data_order(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t last;

	if (!pmk_cache_ages(&cpu->arm11.dcache))
		return;
	last = pmk_cache_last(&cpu->arm11.dcache, line);
	if (last != PMK_NO_LINE)
		cpu->arm11.dmap[last] &= (uint8_t)~PMK_D_FAST;
}

void pmk_arm11_data_hit(struct pmk_cpu *cpu, uint32_t line)
{
	uint8_t *byte = &cpu->arm11.dmap[line];

	if (!pmk_cache_ages(&cpu->arm11.dcache))
		return;
	pmk_arm11_data_order(cpu, line);
	pmk_cache_use(&cpu->arm11.dcache, line);
	*byte |= *byte >> 3 & PMK_D_FAST;
}

static void data_fill(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t victim;

	pmk_arm11_data_order(cpu, line);
	victim = pmk_cache_fill(&cpu->arm11.dcache, line);
	if (pmk_l2cc_is_on(&cpu->arm11.l2))
		level2_read(cpu, line);
	else if (pmk_sdram_differs(&cpu->core))
		cpu->arm11.lsu.latency = (uint32_t)read_memory(cpu, line);
	if (victim != PMK_NO_LINE)
		data_evict(cpu, victim);
	cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
	cpu->arm11.dmap[line] |= PMK_D_PRESENT | PMK_D_LOAD;
	if (cpu->arm11.store_missed == line)
		cpu->arm11.store_missed = PMK_NO_LINE;
}

static bool is_device(struct pmk_cpu *cpu, uint32_t line)
{
	return cpu->is_device && cpu->is_device(cpu->device_ctx, line << PMK_LINE_SHIFT);
}

/* True if the access bypasses the cache, because the cache is off or the page is device memory. */
static bool is_uncached(struct pmk_cpu *cpu, uint32_t line)
{
	return !cpu->core.dcache_on || is_device(cpu, line);
}

/* An access that bypasses level 1. Level 2 caches what level 1 would cache if it were on (our
 * choice), except device memory. */
static void level2_uncached(struct pmk_cpu *cpu, uint32_t line, unsigned halves)
{
	if (is_device(cpu, line)) {
		cpu->arm11.lsu.level2 = false;
		cpu->arm11.lsu.latency = (uint32_t)cpu->core.mem_latency;
	} else if (halves) {
		level2_write(cpu, line, halves);
	} else {
		level2_read(cpu, line);
	}
}

/* `halves`: PMK_D_DIRTY_LO, _HI for the halves that a store touches; 0 for a load. */
static PMK_SLOW void data_uncached(struct pmk_cpu *cpu, uint32_t line, uint64_t access,
				   unsigned halves, struct translation t)
{
	if (pmk_l2cc_is_on(&cpu->arm11.l2))
		level2_uncached(cpu, line, halves);
	cpu->arm11.uncached++;
	cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
	if (cpu->core.arm11.miss_uncached)
		cpu->dyn[halves ? PMK_SIG_L1D_WRITE_MISS : PMK_SIG_L1D_READ_MISS]++;
	if (halves)
		store_external(cpu, access);
	else
		load_external(cpu, access, t);
}

static inline struct translation data_mapped(struct pmk_cpu *cpu, uint32_t line)
{
	if (cpu->arm11.dmap[line] & PMK_D_MAPPED)
		return (struct translation){ 0 };
	return data_translate(cpu, line / LINES_PER_PAGE);
}

static void load_translated(struct pmk_cpu *cpu, uint32_t line, uint64_t access,
			    struct translation t)
{
	if (PMK_UNLIKELY(is_uncached(cpu, line))) {
		data_uncached(cpu, line, access, 0, t);
	} else if (cpu->arm11.dmap[line] & PMK_D_PRESENT) {
		pmk_arm11_data_hit(cpu, line);
		load_late(cpu, access, t);
	} else {
		cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
		data_fill(cpu, line);
		load_external(cpu, access, t);
	}
}

static inline void load_line(struct pmk_cpu *cpu, uint32_t line, uint64_t access)
{
	load_translated(cpu, line, access, data_mapped(cpu, line));
}

/*
 * Returns true if the store misses: reads allocate, writes do not (TRM 7.2), so every store to an
 * absent line goes out.
 */
static inline bool store_misses(struct pmk_cpu *cpu, uint32_t line, unsigned halves,
				uint64_t access)
{
	if (cpu->arm11.dmap[line] & PMK_D_PRESENT) {
		pmk_arm11_data_hit(cpu, line);
		return false;
	}
	/* DAI 0195B §8 leaves open whether stores to one absent line count once, as loads do. */
	cpu->dyn[PMK_SIG_L1D_WRITE_MISS] +=
		cpu->core.arm11.store_miss_each || cpu->arm11.store_missed != line;
	cpu->arm11.store_missed = line;
	if (cpu->core.arm11.write_allocate) {
		data_fill(cpu, line);
		return false;
	}
	if (pmk_l2cc_is_on(&cpu->arm11.l2))
		level2_write(cpu, line, halves);
	cpu->dyn[PMK_SIG_DATA_EXTERNAL] +=
		cpu->core.arm11.store_miss_external | cpu->core.dcache_wt;
	store_external(cpu, access);
	return true;
}

static inline void store_line(struct pmk_cpu *cpu, uint32_t line, unsigned halves, uint64_t access)
{
	struct translation t = data_mapped(cpu, line);

	if (PMK_UNLIKELY(is_uncached(cpu, line))) {
		data_uncached(cpu, line, access, halves, t);
		return;
	}
	/* The write buffer hides a micro-TLB refill, but the load-store unit waits for a table
	 * walk. */
	cpu->cycles += t.walk;
	if (store_misses(cpu, line, halves, access))
		return;
	if (cpu->core.dcache_wt) {
		if (pmk_l2cc_is_on(&cpu->arm11.l2))
			level2_write(cpu, line, halves);
		cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
		store_external(cpu, access);
	} else {
		cpu->arm11.dmap[line] |= (uint8_t)(halves | (halves >> 3 & PMK_D_FAST));
	}
}

/* The halves of the line that [from, to] touches. */
static unsigned halves_of(uint32_t from, uint32_t to)
{
	uint32_t half = LINE_BYTES / 2;

	return (from & half ? 0u : PMK_D_DIRTY_LO) | (to & half ? PMK_D_DIRTY_HI : 0u);
}

/* Account for a load that crosses into a second line: it is two accesses (DAI 0195B §7). */
static PMK_SLOW void load_split(struct pmk_cpu *cpu, uint32_t addr, uint32_t last, uint64_t access)
{
	load_line(cpu, addr >> PMK_LINE_SHIFT, access);
	cpu->dyn[PMK_SIG_L1D_READ]++;
	load_line(cpu, last >> PMK_LINE_SHIFT, access);
}

static PMK_SLOW void store_split(struct pmk_cpu *cpu, uint32_t addr, uint32_t last, uint64_t access)
{
	uint32_t boundary = last & ~(LINE_BYTES - 1);

	store_line(cpu, addr >> PMK_LINE_SHIFT, halves_of(addr, boundary - 1), access);
	cpu->dyn[PMK_SIG_L1D_WRITE]++;
	store_line(cpu, last >> PMK_LINE_SHIFT, halves_of(boundary, last), access);
}

static PMK_SLOW void load_general(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t last = addr + PMK_ACCESS_SIZE(access) - 1;

	pmk_sites_access(cpu, access);
	if (PMK_UNLIKELY(cpu->arm11.instead != NULL))
		cpu->arm11.instead->load(cpu, addr, access);
	else if (PMK_UNLIKELY(addr >> PMK_LINE_SHIFT != last >> PMK_LINE_SHIFT))
		load_split(cpu, addr, last, access);
	else
		load_line(cpu, addr >> PMK_LINE_SHIFT, access);
}

static PMK_SLOW void store_general(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t last = addr + PMK_ACCESS_SIZE(access) - 1;

	pmk_sites_access(cpu, access);
	if (PMK_UNLIKELY(cpu->arm11.instead != NULL))
		cpu->arm11.instead->store(cpu, addr, access);
	else if (PMK_UNLIKELY(addr >> PMK_LINE_SHIFT != last >> PMK_LINE_SHIFT))
		store_split(cpu, addr, last, access);
	else
		store_line(cpu, addr >> PMK_LINE_SHIFT, halves_of(addr, last), access);
}

/*
 * The functions below do what load_general() and store_general() do, for nearly all misses: on a
 * core with no unusual parameter, while nothing is booked by site, in one line, and when no earlier
 * miss makes the core later. Programs that miss all the time spend most of their time here, so
 * these functions check each condition only once. They leave all other misses to the general
 * functions.
 */
static inline bool is_usual(const struct pmk_cpu *cpu, bool usual, uint32_t addr, uint64_t access)
{
	uint32_t in_line = addr & (LINE_BYTES - 1);

	return usual && !cpu->sites && !cpu->is_device &&
	       in_line + PMK_ACCESS_SIZE(access) <= LINE_BYTES;
}

/* Put a line into the cache in place of another one. */
static inline void fill_usual(struct pmk_cpu *cpu, uint32_t line)
{
	struct pmk_cache *c = &cpu->arm11.dcache;
	uint8_t *map = cpu->arm11.dmap;
	uint32_t *set = &c->tag[(line & c->set_mask) * c->ways];
	uint32_t way = pmk_cache_victim_unordered(c, set);
	uint32_t victim = set[way];

	set[way] = line;
	if (PMK_LIKELY(victim != PMK_NO_LINE)) {
		unsigned dirty = map[victim] / PMK_D_DIRTY_LO & 3;

		cpu->dyn[PMK_SIG_L1D_WB_HALF] += dirty - (dirty >> 1); /* halves */
		cpu->dyn[PMK_SIG_L1D_EVICT] += dirty != 0;
		map[victim] &= PMK_D_MAPPED;
	}
	map[line] |= PMK_D_PRESENT | PMK_D_LOAD;
}

static inline void load_usual(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
			      struct translation t)
{
	struct pmk_lsu *lsu = &cpu->arm11.lsu;
	uint32_t line = addr >> PMK_LINE_SHIFT;
	uint64_t issue = issue_time(cpu, access);
	unsigned slot = lsu->busy_until[1] < lsu->busy_until[0];
	uint64_t late;
	bool settled = pmk_lsu_is_settled(lsu, issue, &late);

	if (PMK_UNLIKELY(!settled || lsu->busy_until[slot] > issue)) {
		load_translated(cpu, line, access, t);
		return;
	}
	if (cpu->arm11.dmap[line] & PMK_D_PRESENT) {
		load_late(cpu, access, t);
		return;
	}
	cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
	cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
	account_load(cpu, access,
		     pmk_lsu_settled_load_miss(lsu, late, slot, &lsu->bus_free, issue,
					       first_use(access), LOAD_HIT_LATENCY,
					       t.refill + t.walk),
		     t.walk);
	fill_usual(cpu, line);
}

WIDE static void load_unmapped(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	load_usual(cpu, addr, access, data_translate_usual(cpu, addr >> PMK_PAGE_SHIFT));
}

/* Account for a store to a page that the micro-TLB holds. */
static inline void store_usual(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint8_t *byte = &cpu->arm11.dmap[addr >> PMK_LINE_SHIFT];
	uint64_t issue = issue_time(cpu, access), late;

	if (*byte & PMK_D_PRESENT) {
		unsigned halves = halves_of(addr, addr + PMK_ACCESS_SIZE(access) - 1);

		*byte |= (uint8_t)(halves | (halves >> 3 & PMK_D_FAST));
	} else if (PMK_UNLIKELY(!pmk_lsu_is_settled(&cpu->arm11.lsu, issue, &late))) {
		store_general(cpu, addr, access);
	} else {
		cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL] += cpu->core.arm11.store_miss_external;
		account(cpu, pmk_lsu_settled_write(&cpu->arm11.lsu, late, issue), 0);
	}
}

WIDE static void store_unmapped(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	cpu->cycles += data_translate_usual(cpu, addr >> PMK_PAGE_SHIFT).walk;
	store_usual(cpu, addr, access);
}

void pmk_arm11_load_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	if (PMK_UNLIKELY(!is_usual(cpu, cpu->arm11.usual, addr, access)))
		load_general(cpu, addr, access);
	else if (cpu->arm11.dmap[addr >> PMK_LINE_SHIFT] & PMK_D_MAPPED)
		load_usual(cpu, addr, access, (struct translation){ 0 });
	else if (cpu->core.mmu)
		load_unmapped(cpu, addr, access);
	else
		load_general(cpu, addr, access);
}

void pmk_arm11_store_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	if (PMK_UNLIKELY(!is_usual(cpu, cpu->arm11.usual, addr, access)))
		store_general(cpu, addr, access);
	else if (cpu->arm11.dmap[addr >> PMK_LINE_SHIFT] & PMK_D_MAPPED)
		store_usual(cpu, addr, access);
	else if (cpu->core.mmu)
		store_unmapped(cpu, addr, access);
	else
		store_general(cpu, addr, access);
}

void pmk_arm11_multiple_counts(struct pmk_cpu *cpu, uint32_t addr, uint64_t access, bool write)
{
	pmk_sites_access(cpu, access);
	cpu->dyn[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	pmk_arm11_multiple_line(cpu, addr, access, write);
}

/* Like the functions above, without a clock. */

/* Returns false if the general functions must handle the access. */
static inline bool map_alone(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	if (PMK_UNLIKELY(!is_usual(cpu, cpu->arm11.usual_alone, addr, access)))
		return false;
	if (!(cpu->arm11.dmap[addr >> PMK_LINE_SHIFT] & PMK_D_MAPPED))
		data_map_alone(cpu, addr >> PMK_PAGE_SHIFT);
	return true;
}

void pmk_arm11_load_alone_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t line = addr >> PMK_LINE_SHIFT;

	if (!map_alone(cpu, addr, access)) {
		load_general(cpu, addr, access);
	} else if (!(cpu->arm11.dmap[line] & PMK_D_PRESENT)) {
		cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
		fill_usual(cpu, line);
	}
}

void pmk_arm11_store_alone_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint8_t *byte = &cpu->arm11.dmap[addr >> PMK_LINE_SHIFT];
	unsigned halves;

	if (!map_alone(cpu, addr, access)) {
		store_general(cpu, addr, access);
	} else if (*byte & PMK_D_PRESENT) {
		halves = halves_of(addr, addr + PMK_ACCESS_SIZE(access) - 1);
		*byte |= (uint8_t)(halves | (halves >> 3 & PMK_D_FAST));
	} else {
		cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL] += cpu->core.arm11.store_miss_external;
	}
}
