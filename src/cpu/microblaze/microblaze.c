// SPDX-License-Identifier: MIT
/*
 * The running core of a MicroBlaze: the slow paths of blocks. microblaze.h has the hot paths, and
 * data.c the slow ones of accesses. UG984, "Performance Monitoring", defines the events.
 * docs/microblaze.md lists each rule with its source and our choices.
 *
 * Some things are not modelled: fetching ahead and the stream buffers, victim caches, wic and wdc
 * (pmk does not see their operands), waiting for a stream, and time asleep. Address translation is
 * on or off for the whole run, and so are the caches, except in system emulation, where pmk follows
 * MSR[ICE] and MSR[DCE] (producer/qemu/controls.c). Translation is by pages of 4 KB.
 */
#include "cpu/microblaze/slow.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/family.h"
#include "cpu/sites.h"

/*
 * Used as the previous block when the first block starts. No instruction waits for its results, and
 * any block may follow it.
 */
static const struct pmk_block before_all = {
	.id = PMK_MB_NO_BLOCK,
	.microblaze.end = { .key = PMK_MB_NO_PREDICT, .entry = PMK_MB_MAX_BTC },
	.flow = PMK_FLOW_NEXT,
};

/* ---- life ------------------------------------------------------------------------------------ */

static unsigned log2_of(uint64_t n)
{
	return (unsigned)__builtin_ctzll(n);
}

static void empty_btc(struct pmk_microblaze_tables *m)
{
	for (unsigned i = 0; i <= PMK_MB_MAX_BTC; i++)
		m->btc[i] = PMK_MB_NO_BRANCH;
}

static void empty_shadows(struct pmk_microblaze_tables *m)
{
	m->page = PMK_MB_NO_PAGE;
	for (unsigned i = 0; i < PMK_MB_MAX_SHADOWS; i++) {
		if (m->dtlb[i] != PMK_MB_NO_PAGE)
			m->shadow[m->dtlb[i]] = 0;
		m->itlb[i] = m->dtlb[i] = PMK_MB_NO_PAGE;
		m->used[i] = 0;
	}
}

static void empty_unified(struct pmk_microblaze_tables *m)
{
	for (uint32_t i = 0; i < m->utlb.ways; i++)
		if (m->utlb.page[i] != PMK_NO_PAGE)
			m->unified[m->utlb.page[i]] = false;
	pmk_tlb_clear(&m->utlb);
}

/* Returns log2 of the number of lines in a sector of the instruction cache. */
static unsigned sector_shift(const struct pmk_core *core)
{
	unsigned lines = log2_of(core->icache.size) - log2_of(core->microblaze.icache_line * 4);
	unsigned sectors = log2_of(PMK_MB_SECTORS);

	return lines > sectors ? lines - sectors : 0;
}

static void init_cached(struct pmk_microblaze_tables *m, const struct pmk_core *core)
{
	uint64_t base = pmk_later(core->microblaze.dcache_base, core->microblaze.lmb_size);

	if (!core->dcache.on || base > core->microblaze.dcache_high)
		return;
	m->cached_base = (uint32_t)base;
	m->cached_size = core->microblaze.dcache_high - base + 1;
}

unsigned pmk_microblaze_sector_bits(const struct pmk_core *core)
{
	return log2_of(core->microblaze.icache_line * 4) + sector_shift(core);
}

static void init_caches(struct pmk_microblaze_tables *m, const struct pmk_core *core)
{
	m->ishift = log2_of(core->microblaze.icache_line * 4);
	m->iindex = (uint32_t)(core->icache.size >> m->ishift) - 1;
	m->sector_shift = sector_shift(core);
	m->dshift = log2_of(core->microblaze.dcache_line * 4);
	m->dindex = (uint32_t)(core->dcache.size >> m->dshift) - 1;
	m->dwords = (uint32_t)core->microblaze.dcache_line - 1;
	m->line_granules = m->dwords >> (PMK_MB_GRAIN - PMK_MB_WORD_GRAIN);
	m->grain = pmk_microblaze_grain(core);
	m->present_mask = pmk_microblaze_present_mask(core);
	memset(m->iline, 0xff, sizeof(m->iline));
	memset(m->present, 0xff, sizeof(m->present));
	memset(m->dirty, 0xff, sizeof(m->dirty));
	for (unsigned i = 0; i < PMK_MB_MAX_LINES; i++)
		m->dline[i] = PMK_MB_NO_LINE;
	for (unsigned i = 0; i <= PMK_MB_UNCACHED; i++)
		m->generation[i] = 1;
}

static void free_core(struct pmk_cpu *cpu)
{
	if (!cpu->microblaze.tables)
		return;
	pmk_tlb_fini(&cpu->microblaze.tables->utlb);
	free(cpu->microblaze.tables);
	cpu->microblaze.tables = NULL;
}

static int init_core(struct pmk_cpu *cpu)
{
	const struct pmk_core *core = &cpu->core;
	struct pmk_microblaze_tables *m = calloc(1, sizeof(*m));

	if (!m)
		return PMK_ENOMEM;
	cpu->prev = &before_all;
	cpu->microblaze.tables = m;
	cpu->microblaze.lsu = (struct pmk_lsu){
		.wbuf_entries = (uint32_t)core->mem.wbuf,
		.write_cycles = (uint32_t)core->mem.write,
	};
	m->wrong_cycles = pmk_microblaze_wrong_cycles(core);
	m->wbuf_room = core->mem.wbuf * core->mem.write;
	m->page_mask = core->mmu ? ~((1u << PMK_PAGE_SHIFT) - 1) : 0;
	m->epoch = PMK_MB_EPOCH;
	empty_btc(m);
	memset(m->itlb, 0xff, sizeof(m->itlb));
	memset(m->dtlb, 0xff, sizeof(m->dtlb));
	m->page = PMK_MB_NO_PAGE;
	init_caches(m, core);
	init_cached(m, core);
	/*
	 * The operating system chooses the entries of the unified TLB. The model assumes that it
	 * fills them one after the other, so the TLB is fully associative.
	 */
	if (pmk_tlb_init(&m->utlb, (uint32_t)core->tlb.entries, (uint32_t)core->tlb.entries)) {
		free_core(cpu);
		return PMK_ENOMEM;
	}
	return 0;
}

/* Implements forked() of family.h: the clock restarts at 0. */
static void restart_core(struct pmk_cpu *cpu)
{
	pmk_lsu_restart(&cpu->microblaze.lsu);
	memset(cpu->microblaze.outcome, 0, sizeof(cpu->microblaze.outcome));
	cpu->microblaze.uncached = cpu->microblaze.uncached_writes = 0;
	for (unsigned i = 0; i < PMK_MB_MAX_SHADOWS; i++)
		cpu->microblaze.tables->used[i] -= (int64_t)cpu->cycles;
}

const struct pmk_core_run pmk_microblaze_run = {
	.init = init_core,
	.fini = free_core,
	.forked = restart_core,
	.forget = pmk_cpu_forget,
};

/* ---- translation ----------------------------------------------------------------------------- */

/* Looks a page up in the instruction shadow TLB, whose entries are in the order of their last
 * use. */
static void fetch_translate(struct pmk_cpu *cpu, uint32_t page, uint64_t now)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	unsigned last = (unsigned)cpu->core.microblaze.itlb_entries - 1, i = 0;

	while (i < last && m->itlb[i] != page)
		i++;
	if (m->itlb[i] != page) {
		cpu->dyn[PMK_SIG_MICRO_ITLB_MISS]++;
		if (!cpu->core.timeless)
			stall(cpu, PMK_SIG_OF_STALL, pmk_microblaze_look_up(cpu, page, now));
	}
	memmove(&m->itlb[1], &m->itlb[0], i * sizeof(m->itlb[0]));
	m->itlb[0] = page;
	m->page = page << PMK_PAGE_SHIFT;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Forgets all edges. */
static void new_epoch(struct pmk_microblaze_tables *m)
{
	m->epoch += PMK_MB_EPOCH;
	if (m->epoch)
		return;
	memset(m->edge, 0, sizeof(m->edge));
	m->epoch = PMK_MB_EPOCH;
}

/* ---- fetch ----------------------------------------------------------------------------------- */

static void fill_line(struct pmk_cpu *cpu, uint64_t now)
{
	uint64_t cycles = fill_cycles(&cpu->core, now, &cpu->microblaze.lsu.busy_until[0]);

	record(cpu, PMK_SIG_L1I_ACCESS, now, 1 + cycles);
	stall(cpu, PMK_SIG_OF_STALL, cycles);
}

static void fetch_line(struct pmk_cpu *cpu, const struct pmk_block *b, uint32_t line, uint64_t now)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	uint32_t *entry = &m->iline[line & m->iindex];

	if (*entry == line)
		return;
	pmk_sites_fetch(cpu, b, line << m->ishift);
	cpu->dyn[PMK_SIG_L1I_MISS]++;
	if (!cpu->core.timeless)
		fill_line(cpu, now);
	if (*entry != UINT32_MAX) {
		m->generation[*entry >> m->sector_shift & (PMK_MB_SECTORS - 1)]++;
		m->generation[PMK_MB_SEVERAL]++;
		new_epoch(m);
	}
	*entry = line;
}

/* Fetches the lines of a block when the block starts. Each line is fetched when its first
 * instruction would issue if the block waited only for fetches. `moved` means that lines may be
 * missing. */
static void fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b, bool moved)
{
	const struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	uint32_t pc = (uint32_t)b->pc, last = (uint32_t)b->end_addr;

	if (m->page_mask) {
		if ((pc ^ m->page) & m->page_mask)
			fetch_translate(cpu, pc >> PMK_PAGE_SHIFT, cpu->cycles - b->cycles);
		if ((last ^ m->page) & m->page_mask)
			fetch_translate(cpu, last >> PMK_PAGE_SHIFT, cpu->cycles - b->cycles);
	}
	if (!moved || b->microblaze.sector == PMK_MB_UNCACHED)
		return;
	for (uint32_t line = pc >> m->ishift; line <= last >> m->ishift; line++) {
		uint32_t begins = line << m->ishift > pc ? line << m->ishift : pc;

		fetch_line(cpu, b, line, cpu->cycles - b->cycles + (begins - pc) / 4);
	}
}

/* ---- branches -------------------------------------------------------------------------------- */

/* True if control may go from the end of `p` to `b`, as far as pmk knows. */
static bool follows(const struct pmk_block *p, const struct pmk_block *b)
{
	bool direct = p->flow == PMK_FLOW_JUMP || p->flow == PMK_FLOW_CALL;

	if (b->pc == p->fall)
		return true;
	if (direct || (p->flow == PMK_FLOW_EXCEPTION && b->vector))
		return b->pc == p->target;
	/* A branch to a register may go to any block except one at a vector. */
	return p->flow != PMK_FLOW_NEXT && !b->vector;
}

/* Records that the outcome of a conditional branch is not visible. */
static void doubt_outcome(struct pmk_cpu *cpu)
{
	pmk_signal_add(&cpu->doubtful, PMK_SIG_BR_TAKEN);
	pmk_signal_add(&cpu->doubtful, PMK_SIG_BR_NOT_TAKEN);
	pmk_signal_add(&cpu->doubtful, PMK_SIG_BR_TAKEN_DELAY);
	pmk_signal_add(&cpu->doubtful, PMK_SIG_BR_NOT_TAKEN_DELAY);
}

/*
 * Handles a signal, an exception or an interrupt that came before the block that would have
 * followed `p`. A conditional branch whose outcome is not visible is not counted.
 */
static void interrupted(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			unsigned outcome)
{
	uint8_t sure = p->microblaze.end.sure;

	if (p->conditional && !p->microblaze.open &&
	    (sure == PMK_MB_LOOKED_AT || sure == PMK_MB_HIDDEN)) {
		cpu->microblaze.outcome[outcome]--;
		cpu->cycles -= outcome & 1 ? p->microblaze.end.extra : 0;
		doubt_outcome(cpu);
		pmk_signal_add(&cpu->doubtful, PMK_SIG_BRANCH);
	}
	if (!b->vector)
		return;
	if (b->pc - cpu->core.microblaze.vectors_base == PMK_MB_VECTOR_INTERRUPT)
		cpu->dyn[PMK_SIG_EXC_IRQ]++;
	else
		cpu->dyn[PMK_SIG_EXC_HW]++;
}

/*
 * Joins an open block with the delay slot of its branch, which starts now. The block after the slot
 * will show the outcome of the branch.
 */
static void join(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *slot)
{
	struct pmk_block *j = &cpu->microblaze.tables->joined;

	*j = *slot;
	j->id = PMK_MB_NO_BLOCK;
	j->microblaze.end = p->microblaze.slot_end;
	j->target = p->target;
	j->flow = p->flow;
	j->conditional = p->conditional;
	j->is_branch = p->is_branch;
	j->microblaze.branch_cycles = p->microblaze.branch_cycles;
	cpu->dyn[PMK_SIG_DELAY_NOP] += slot->microblaze.starts_with_nop;
	cpu->prev = j;
}

static void disturb(struct pmk_cpu *cpu, unsigned what)
{
	if (what & PMK_DISTURB_BTAC)
		empty_btc(cpu->microblaze.tables);
	if (what & PMK_DISTURB_TLB) {
		empty_unified(cpu->microblaze.tables);
		empty_shadows(cpu->microblaze.tables);
	}
	new_epoch(cpu->microblaze.tables);
}

/* Returns the cycles for which `b` waits for registers that `p` has written. */
static uint64_t wait_between(const struct pmk_block *p, const struct pmk_block *b)
{
	uint32_t regs =
		(uint32_t)(p->microblaze.late & (b->microblaze.wants | b->microblaze.wants >> 32)) &
		~(uint32_t)PMK_MB_LOOK;
	unsigned wait = 0;

	for (; regs; regs &= regs - 1) {
		unsigned r = (unsigned)__builtin_ctz(regs);

		if (p->microblaze.residue[r] > b->microblaze.need[r] + wait)
			wait = p->microblaze.residue[r] - b->microblaze.need[r];
	}
	return wait;
}

/* True if the branch that ends `p` was taken, given that `b` follows. */
static bool is_taken(const struct pmk_block *p, const struct pmk_block *b)
{
	if (p->microblaze.end.sure == PMK_MB_TAKEN || p->microblaze.end.sure == PMK_MB_NOT_TAKEN)
		return p->microblaze.end.sure == PMK_MB_TAKEN;
	return (uint32_t)b->pc != (uint32_t)p->fall;
}

/* True if the branch that ends `p` is in the branch target cache. */
static bool is_known(const struct pmk_microblaze_tables *m, const struct pmk_block *p)
{
	return !((m->btc[p->microblaze.end.entry] ^ p->microblaze.end.key) >> 32);
}

/*
 * Returns the index into pmk_cpu_microblaze.outcome for the present state of the branch target
 * cache.
 */
static inline unsigned outcome_of(const struct pmk_microblaze_tables *m, const struct pmk_block *p,
				  const struct pmk_block *b)
{
	return p->microblaze.end.row + is_taken(p, b) + (is_known(m, p) ? 2 : 0);
}

/*
 * Returns the cycles for a branch that the branch target cache predicted wrong, or that was taken
 * and is not in it. A branch enters the cache when it is taken (our choice), and is then predicted
 * to go where it went last. Sets the bit of *outcome that means that the branch is in the cache.
 */
static inline unsigned mispredicted(struct pmk_microblaze_tables *m, const struct pmk_block *p,
				    const struct pmk_block *b, unsigned *outcome)
{
	uint64_t *entry = &m->btc[p->microblaze.end.entry],
		 now = p->microblaze.end.key | (uint32_t)b->pc;
	bool known = *outcome & 2;

	/* There are no cycles to add if the cache does not predict this branch, or predicted it
	 * right, or if the branch is not in the cache and was not taken. */
	if (p->microblaze.end.key == PMK_MB_NO_PREDICT || *entry == now || !(*outcome & 3))
		return 0;
	*entry = now;
	*outcome |= 2;
	return known ? m->wrong_cycles : p->microblaze.branch_cycles;
}

/* Starts a block if no remembered edge describes its start. */
static PMK_SLOW void block_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
				const struct pmk_block *b)
{
	struct pmk_executions *executions = &cpu->executions[b->id];
	uint64_t seen = cpu->microblaze.tables->generation[b->microblaze.sector],
		 before = cpu->cycles, wait, passed;
	unsigned outcome = outcome_of(cpu->microblaze.tables, p, b);

	cpu->prev = b;
	cpu->microblaze.outcome[outcome]++;
	cpu->cycles += b->cycles + (outcome & 1 ? p->microblaze.end.extra : 0);
	if (!follows(p, b))
		interrupted(cpu, p, b, outcome);
	else if (p->microblaze.open)
		join(cpu, p, b);
	else
		stall(cpu, PMK_SIG_OF_STALL, mispredicted(cpu->microblaze.tables, p, b, &outcome));
	if (PMK_UNLIKELY(cpu->crossing))
		pmk_cpu_cross(cpu, b);
	if (PMK_UNLIKELY(cpu->cycles - b->cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
	if (PMK_UNLIKELY(p->disturbs))
		disturb(cpu, p->disturbs);
	pmk_sites_fetch(cpu, b, b->pc);
	fetch_block(cpu, b, executions->igen != seen);
	/* `seen` is not always the present generation, because the block may have evicted one of
	 * its own lines. A block at an exception vector gets 0, so it always comes here. */
	executions->igen = b->vector ? 0 : seen;
	wait = wait_between(p, b);
	passed = cpu->cycles - b->cycles - before;
	pmk_sites_fetch(cpu, b, b->pc);
	if (wait > passed)
		stall(cpu, PMK_SIG_OF_STALL, wait - passed);
}

void pmk_microblaze_fetch_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
			       const struct pmk_block *b)
{
	struct pmk_executions *executions = &cpu->executions[b->id];
	uint64_t seen = cpu->microblaze.tables->generation[b->microblaze.sector];

	if (p->disturbs)
		disturb(cpu, p->disturbs);
	fetch_block(cpu, b, executions->igen != seen);
	executions->igen = seen; /* as in block_slow() */
}

/* Remembers the edge from `p` to `b`, and returns true. Returns false if the edge needs the slow
 * path each time, for example if `p` spans pages, because pmk does not know which of the pages is
 * in the shadow TLB afterwards, or if `p` is a joined block, which is different each time. */
static bool learn(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
		  struct pmk_microblaze_edge *e)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	uint32_t extra = is_taken(p, b) ? p->microblaze.end.extra : 0;
	uint64_t wait;

	if (p->id == PMK_MB_NO_BLOCK || p->microblaze.late & b->microblaze.wants & PMK_MB_LOOK ||
	    cpu->executions[b->id].igen != m->generation[b->microblaze.sector] ||
	    ((p->pc ^ p->end_addr) | (b->pc ^ m->page)) & m->page_mask || !follows(p, b))
		return false;
	wait = wait_between(p, b);
	e->key = pmk_microblaze_key(m, p, b);
	e->wait = (uint16_t)(wait > extra ? wait - extra : 0);
	e->extra = extra + e->wait;
	return true;
}

/* Updates the edge and the branch target cache after the branch that ends `p`. The cycles of the
 * branch also count as time spent waiting for operands. */
static void leave(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
		  struct pmk_microblaze_edge *e)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	unsigned outcome = outcome_of(m, p, b), cycles;
	uint64_t before;

	cpu->prev = b;
	cpu->microblaze.outcome[outcome]++;
	cycles = mispredicted(m, p, b, &outcome);
	e->said = m->btc[p->microblaze.end.entry];
	e->outcome = (uint16_t)outcome;
	before = cpu->cycles + (cycles > e->extra ? cycles : e->extra);
	cpu->dyn[PMK_SIG_OF_STALL] += cycles > e->wait ? cycles : e->wait;
	cpu->cycles = before + b->cycles;
	if (PMK_UNLIKELY(before >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

void pmk_microblaze_block_anew(struct pmk_cpu *cpu, const struct pmk_block *p,
			       const struct pmk_block *b)
{
	struct pmk_microblaze_edge *e = pmk_microblaze_edge(cpu->microblaze.tables, p, b);

	if (PMK_UNLIKELY(p->microblaze.end.sure == PMK_MB_HIDDEN))
		doubt_outcome(cpu);
	if (!cpu->crossing &&
	    (e->key == pmk_microblaze_key(cpu->microblaze.tables, p, b) || learn(cpu, p, b, e)))
		leave(cpu, p, b, e);
	else
		block_slow(cpu, p, b);
}
