// SPDX-License-Identifier: MIT
/*
 * The running core of an A64 processor: the slow paths of blocks. The hot paths are in a64.h, and
 * the slow paths of accesses in data.c. DDI 0487 D13.12 and the TRM of the core define the events.
 * docs/armv8.md lists each rule with its source, and our choices.
 *
 * Not modelled: prefetching of instructions, read-allocate mode, coherency traffic, exclusive
 * caches, page sizes other than 4 KB, wrong-path execution.
 */
#include "cpu/a64/a64.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/a64/outside.h"
#include "cpu/family.h"
#include "cpu/sites.h"

/*
 * Stands for the previous block when the first block starts. The first block waits for nothing, and
 * any address may follow this block.
 */
static const struct pmk_block before_all = { .a64.end = PMK_A64_OTHER, .flow = PMK_FLOW_NEXT };

static void forget_pages(struct pmk_a64 *v)
{
	for (unsigned i = 0; i < PMK_A64_FAST_PAGES; i++)
		v->fast[PMK_A64_FAST_LINES + i] = PMK_NO_PAGE;
	for (unsigned i = 0; i < PMK_A64_FAST_PAGES; i++)
		v->ipage[i] = PMK_NO_PAGE;
	for (unsigned i = 0; i < PMK_A64_MAIN_PAGES; i++)
		v->main_page[i] = PMK_NO_PAGE;
	memset(v->mapped, 0, sizeof(v->mapped));
}

/* ---- life ------------------------------------------------------------------------------------ */

static void free_core(struct pmk_cpu *cpu)
{
	struct pmk_a64 *v = cpu->a64.tables;

	if (!v)
		return;
	pmk_known_fini(&v->known);
	pmk_a64_predictor_fini(&v->predictor);
	pmk_a64_window_fini(&v->window);
	pmk_a64_cache_fini(&v->icache);
	pmk_a64_cache_fini(&v->dcache);
	pmk_a64_cache_fini(&v->l2);
	pmk_tlb_fini(&v->itlb);
	pmk_tlb_fini(&v->dtlb);
	pmk_tlb_fini(&v->main_tlb);
	free(v);
	cpu->a64.tables = NULL;
	cpu->a64.fast = NULL;
	cpu->a64.window = NULL;
}

static int init_core(struct pmk_cpu *cpu)
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
		.slots = (uint32_t)core->mem.slots,
		.wbuf_entries = (uint32_t)core->mem.wbuf,
		.latency = (uint32_t)core->mem.latency,
		.serial = core->mem.serial,
		.fill_cycles = (uint32_t)core->mem.fill,
		.write_cycles = (uint32_t)core->mem.write,
	};
	cpu->a64.bus_beats = PMK_A64_LINE_BYTES / core->a64.bus_bytes;
	cpu->a64.in_order = !core->a64.window && !core->timeless;
	cpu->a64.usual_level2 = core->a64.l2_on && !core->timeless &&
				core->l2.ways <= PMK_A64_MARKS &&
				pmk_core_policy_of(core, core->l2.policy) == PMK_POLICY_OWN;
	for (unsigned i = 0; i < PMK_A64_FAST_LINES; i++)
		v->fast[i] = PMK_A64_EMPTY;
	forget_pages(v);
	pmk_a64_prefetcher_init(&v->prefetcher, core);
	if (pmk_known_init(&v->known) || pmk_a64_predictor_init(&v->predictor, core) ||
	    (cpu->a64.window && pmk_a64_window_init(&v->window, core)) ||
	    pmk_a64_cache_init(&v->icache, core, core->icache.size, core->icache.ways,
			       pmk_core_policy_of(core, core->icache.policy)) ||
	    pmk_a64_cache_init(&v->dcache, core, core->dcache.size, core->dcache.ways,
			       pmk_core_policy_of(core, core->dcache.policy)) ||
	    pmk_a64_cache_init(&v->l2, core, core->l2.size, core->l2.ways,
			       pmk_core_policy_of(core, core->l2.policy)) ||
	    pmk_tlb_init(&v->itlb, (uint32_t)core->utlb.entries, (uint32_t)core->utlb.entries) ||
	    pmk_tlb_init(&v->dtlb, (uint32_t)core->utlb.entries, (uint32_t)core->utlb.entries) ||
	    pmk_tlb_init(&v->main_tlb, (uint32_t)core->tlb.entries, (uint32_t)core->tlb.ways)) {
		free_core(cpu);
		return PMK_ENOMEM;
	}
	cpu->a64.usual_data = core->dcache.on && cpu->a64.in_order && cpu->a64.usual_level2 &&
			      !pmk_order_is_kept(&v->dcache.order) && !core->mem.serial &&
			      !v->prefetcher.lines2;
	return 0;
}

static void restart_core(struct pmk_cpu *cpu)
{
	pmk_lsu_restart(&cpu->a64.lsu);
	pmk_a64_prefetcher_restart(&cpu->a64.tables->prefetcher);
	cpu->a64.pending = 0;
	/* All words of the copy's `executions` are 0 already. */
	pmk_known_forget(&cpu->a64.tables->known, NULL);
}

static void forget_blocks(struct pmk_cpu *cpu)
{
	pmk_known_forget(&cpu->a64.tables->known, cpu->executions);
	cpu->igen += PMK_KNOWN_GENERATION;
}

const struct pmk_core_run pmk_a64_run = {
	.init = init_core,
	.fini = free_core,
	.forked = restart_core,
	.forget = forget_blocks,
	.is_under_way = pmk_a64_is_under_way,
	.drop = pmk_a64_drop,
};

/*
 * Make the front end wait. FETCH_STALL counts these cycles, and so does `why`, a more specific
 * signal.
 */
static void fetch_wait(struct pmk_cpu *cpu, uint64_t cycles, enum pmk_signal why)
{
	cpu->dyn[PMK_SIG_FETCH_STALL] += cycles;
	cpu->dyn[why] += cycles;
	if (cpu->a64.window)
		pmk_a64_window_fetch(cpu, cycles);
	else
		cpu->cycles += cycles;
}

static inline uint64_t *fetched_page(struct pmk_a64 *v, uint64_t page)
{
	return &v->ipage[page & (PMK_A64_FAST_PAGES - 1)];
}

/* True if the micro-TLB certainly holds the page of `addr`. */
static inline bool holds_page(const struct pmk_cpu *cpu, uint64_t addr)
{
	return *fetched_page(cpu->a64.tables, addr >> PMK_PAGE_SHIFT) == addr >> PMK_PAGE_SHIFT;
}

static void fetch_translate(struct pmk_cpu *cpu, uint64_t page)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t *held = fetched_page(v, page), old;

	if (!cpu->core.mmu || *held == page)
		return;
	if (pmk_tlb_holds(&v->itlb, page)) {
		*held = page;
		return;
	}
	cpu->dyn[PMK_SIG_MICRO_ITLB_MISS]++;
	fetch_wait(cpu, pmk_a64_translate(cpu, page, PMK_SIG_ITLB_WALK), PMK_SIG_ITLB_STALL);
	old = pmk_tlb_fill_only(&v->itlb, page);
	if (old != PMK_NO_PAGE) {
		if (*fetched_page(v, old) == old)
			*fetched_page(v, old) = PMK_NO_PAGE;
		cpu->igen += PMK_KNOWN_GENERATION;
	}
	*held = page;
}

/* ---- fetch ----------------------------------------------------------------------------------- */

/*
 * Called when a line becomes absent from the instruction cache (`by` is 1) or present in it (`by`
 * is -1). If hits change the order of a set, only the line that was used last in it counts as
 * present.
 */
static inline void line_changes(struct pmk_cpu *cpu, uint64_t addr, int by)
{
	pmk_known_change(&cpu->a64.tables->known, cpu->executions, addr >> PMK_A64_LINE_SHIFT, by);
}

static bool is_quiet(const struct pmk_cpu *cpu, uint64_t addr)
{
	const struct pmk_a64_cache *c = &cpu->a64.tables->icache;
	const uint64_t *e = pmk_a64_cache_find_in(c, pmk_a64_cache_set(c, addr), addr);
	const uint64_t *last = pmk_a64_cache_last(c, addr);

	return e && (!last || last == e);
}

/* Register the lines of a block that runs for the first time. */
static PMK_SLOW void know_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint64_t word = PMK_KNOWN;

	for (uint64_t a = b->pc & PMK_A64_LINE_MASK; a <= b->end_addr; a += PMK_A64_LINE_BYTES) {
		if (!pmk_known_add(&cpu->a64.tables->known, a >> PMK_A64_LINE_SHIFT, b->id)) {
			word |= PMK_KNOWN_LOOKS;
			break;
		}
		word += cpu->core.icache.on && !is_quiet(cpu, a) ? PMK_KNOWN_ABSENT : 0;
	}
	cpu->executions[b->id].igen = word;
}

static void fetch_line(struct pmk_cpu *cpu, const struct pmk_block *b, uint64_t addr)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t *set = pmk_a64_cache_set(&v->icache, addr), *e, *last;

	e = pmk_a64_cache_find_in(&v->icache, set, addr);
	last = pmk_a64_cache_last(&v->icache, addr);
	if (e) {
		if (last && last != e) {
			line_changes(cpu, *last, 1);
			line_changes(cpu, *e, -1);
			pmk_a64_cache_use(&v->icache, e);
		}
		return;
	}
	pmk_sites_fetch(cpu, b, addr);
	cpu->dyn[PMK_SIG_L1I_MISS]++;
	cpu->dyn[PMK_SIG_L1I_FILL]++;
	fetch_wait(cpu, pmk_a64_level2_read(cpu, addr, false), PMK_SIG_L1I_STALL);
	e = pmk_a64_cache_victim(&v->icache, set);
	last = last ? last : e;
	if (*last != PMK_A64_EMPTY)
		line_changes(cpu, *last, 1);
	line_changes(cpu, addr, -1);
	pmk_a64_cache_put(&v->icache, e, addr & PMK_A64_LINE_MASK);
}

static void fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	fetch_translate(cpu, b->pc >> PMK_PAGE_SHIFT);
	if (b->end_addr >> PMK_PAGE_SHIFT != b->pc >> PMK_PAGE_SHIFT) {
		pmk_sites_fetch(cpu, b, b->end_addr >> PMK_PAGE_SHIFT << PMK_PAGE_SHIFT);
		fetch_translate(cpu, b->end_addr >> PMK_PAGE_SHIFT);
	}
	for (uint64_t a = b->pc & PMK_A64_LINE_MASK; cpu->core.icache.on && a <= b->end_addr;
	     a += PMK_A64_LINE_BYTES)
		fetch_line(cpu, b, a);
}

/* ---- branches -------------------------------------------------------------------------------- */

/* Count a misprediction of the branch at the end of `p`. BRANCH_MISS counts it, and so does `kind`,
 * a more specific signal, unless `kind` is PMK_SIG_NONE. The cycles of the block already include
 * the cost of a predicted branch, so only the difference is added. */
static void mispredict(struct pmk_cpu *cpu, const struct pmk_block *p, enum pmk_signal kind)
{
	uint64_t counted = p->facts.n[PMK_A64_FACT_FETCH_STALL];
	uint64_t cycles = cpu->core.bp.penalty > counted ? cpu->core.bp.penalty - counted : 0;

	pmk_count_left(cpu, PMK_SIG_BRANCH_MISS, 1);
	if (kind != PMK_SIG_NONE)
		pmk_count_left(cpu, kind, 1);
	pmk_count_left(cpu, PMK_SIG_FETCH_STALL, cycles);
	if (cpu->a64.window)
		pmk_a64_window_mispredict(cpu);
	else
		cpu->cycles += cycles;
}

static void push_return(struct pmk_cpu *cpu, uint64_t addr)
{
	pmk_count_left(cpu, PMK_SIG_CALL_PUSH, 1);
	pmk_a64_predict_call(&cpu->a64.tables->predictor, addr);
}

/* Compares the target of a return with the return stack. Returns true if the target was not
 * predicted, or predicted wrong. */
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

/*
 * Accounts for an indirect branch that went to `target`. Returns true if the target was not
 * predicted, or predicted wrong.
 */
static bool leave_indirect(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t target)
{
	enum pmk_a64_said said =
		pmk_a64_predict_indirect(&cpu->a64.tables->predictor, p->end_addr, target);

	if (said == PMK_A64_SAID_WRONG)
		pmk_count_left(cpu, PMK_SIG_BR_INDIRECT_WRONG, 1);
	return said != PMK_A64_SAID_RIGHT;
}

/*
 * Returns the signal that counts a wrong target of the branch at the end of `p`, in addition to
 * BRANCH_MISS; PMK_SIG_NONE if the target is constant.
 */
static enum pmk_signal target_miss(const struct pmk_block *p)
{
	return p->flow == PMK_FLOW_RETURN || p->flow == PMK_FLOW_INDIRECT ||
			       p->flow == PMK_FLOW_INDCALL
		       ? PMK_SIG_BR_INDIRECT_MISS
		       : PMK_SIG_NONE;
}

/*
 * Accounts for a branch on a core without prediction. Such a core fetches the instructions after
 * every branch, so every branch that is taken or unconditional counts as mispredicted.
 */
static void leave_unpredicted(struct pmk_cpu *cpu, const struct pmk_block *p, bool taken)
{
	cpu->taken += !taken && !p->conditional;
	if (taken || !p->conditional)
		mispredict(cpu, p, p->conditional ? PMK_SIG_BR_COND_MISS : target_miss(p));
}

/* Predicts the direction of a call, a return or an indirect branch that has a condition, and learns
 * it. Such branches exist only in AArch32, and the predictor treats them like other conditional
 * branches. Returns true if the prediction was wrong. */
static bool leave_conditional(struct pmk_cpu *cpu, const struct pmk_block *p, bool taken)
{
	bool wrong = pmk_a64_predict_direction(&cpu->a64.tables->predictor, p->a64.counter, taken);

	if (taken && p->flow == PMK_FLOW_RETURN)
		pmk_count_left(cpu, PMK_SIG_BR_RETURN, 1);
	return wrong;
}

/*
 * Account for the end of `p` when `b` starts, in the cases that the hot path does not handle: `p`
 * does not end in a plain branch, or control did not go where it was expected to go.
 */
static void leave_block(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			bool taken)
{
	bool conditional = p->conditional && p->is_branch && p->flow != PMK_FLOW_JUMP;
	bool wrong = false, elsewhere = false;

	if (!cpu->core.bp.on && p->is_branch) {
		if (conditional)
			leave_conditional(cpu, p, taken);
		leave_unpredicted(cpu, p, taken);
		return;
	}
	if (conditional)
		wrong = leave_conditional(cpu, p, taken);
	if (conditional && !taken) {
		if (wrong)
			mispredict(cpu, p, PMK_SIG_BR_COND_MISS);
		return;
	}
	switch ((enum pmk_flow)p->flow) {
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		/* A signal, an exception or the return from one is not a branch of the program. */
		cpu->taken -= taken;
		return;
	case PMK_FLOW_JUMP:
		/*
		 * A jump to the next instruction is a taken branch, although `taken` is 0 for it.
		 */
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
		mispredict(cpu, p, wrong ? PMK_SIG_BR_COND_MISS : PMK_SIG_BR_INDIRECT_MISS);
}

static void invalidate_icache(struct pmk_cpu *cpu)
{
	struct pmk_a64_cache *c = &cpu->a64.tables->icache;

	for (uint32_t i = 0; i < (c->set_mask + 1) * c->ways; i++)
		if (c->tag[i] != PMK_A64_EMPTY && is_quiet(cpu, c->tag[i]))
			line_changes(cpu, c->tag[i], 1);
	pmk_a64_cache_clear(c);
}

static void disturb(struct pmk_cpu *cpu, unsigned what)
{
	struct pmk_a64 *v = cpu->a64.tables;

	if (what & PMK_DISTURB_ICACHE)
		invalidate_icache(cpu);
	if (what & PMK_DISTURB_TLB) {
		pmk_tlb_clear(&v->itlb);
		pmk_tlb_clear(&v->dtlb);
		pmk_tlb_clear(&v->main_tlb);
		forget_pages(v);
		cpu->igen += PMK_KNOWN_GENERATION;
	}
}

/* Accounts for a return that was taken and whose target is not visible. It counts as predicted. */
static void pass_return(struct pmk_cpu *cpu)
{
	uint64_t target;

	if (pmk_a64_expected_return(&cpu->a64.tables->predictor, &target))
		leave_return(cpu, target);
}

/* Counts the branch at the end of a block that was interrupted. The emulator does not show where a
 * conditional branch would have gone: it counts as not taken, and the predictor learns nothing.
 * Other branches are taken, and count as predicted. */
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

/* Returns the cycle in which block `b` needs the result that `p` left in a place. */
static unsigned needed(const struct pmk_block *p, const struct pmk_block *b, unsigned place)
{
	bool sum = place < PMK_NREGS && (p->a64.sums >> place & 1);

	return sum ? b->a64.need_sum[place] : b->a64.need[place];
}

/* Returns the edge that says for how many cycles `b` waits for unfinished results of `p`. The edge
 * is computed when `b` follows `p` for the first time, and is then remembered in edge[] until
 * another pair of blocks needs the same entry. */
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

/* Count the cycles that block `b` has waited for the result in a place. */
static void count_waits(struct pmk_cpu *cpu, const struct pmk_block *b, unsigned place,
			uint64_t cycles)
{
	cpu->dyn[PMK_SIG_DATA_STALL] += cycles;
	if (place == PMK_A64_FP || (place < PMK_NREGS && b->a64.simd >> place & 1))
		cpu->dyn[PMK_SIG_SIMD_STALL] += cycles;
	else if (place < PMK_NREGS && b->a64.address >> place & 1)
		cpu->dyn[PMK_SIG_ADDRESS_STALL] += cycles;
}

/* Remembers the results of block `p` that arrive more than PMK_A64_LONG cycles after its end. `end`
 * is the time at which `p` ended. */
static void remember_long(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t end)
{
	for (unsigned r = 0; r < PMK_A64_PLACES; r++) {
		if (p->a64.residue[r] <= PMK_A64_LONG)
			continue;
		if (r < PMK_NREGS) {
			/*
			 * A load of several beats may also have missed. Its register is then
			 * pending until a later time.
			 */
			if ((cpu->a64.pending >> r & 1) &&
			    cpu->a64.ready[r] >= end + p->a64.residue[r])
				continue;
			pmk_a64_expect(cpu, UINT64_C(1) << r, end + p->a64.residue[r]);
			cpu->a64.loaded &= ~(UINT64_C(1) << r);
		} else {
			cpu->a64.ready[r] = end + p->a64.residue[r];
			cpu->a64.pending |= PMK_A64_UNITS;
		}
	}
}

/*
 * Waits for the registers in `regs`, which block `b` reads or writes and whose values may still be
 * under way. If `regs` has PMK_A64_UNITS, also waits for units that may be busy. The wait begins at
 * the first instruction that needs the register or unit. If the block overwrites a register before
 * any instruction reads it, nothing waits for the old value.
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

/* Waits for results that were not finished when block `b` started. `before` is the clock before the
 * branch, the fetch and any wait, but with the cycles of `b`. */
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

/* Do the maintenance operations of `p`, and then fetch `b`, if the fetch may find something
 * absent. */
static inline void disturb_and_fetch(struct pmk_cpu *cpu, const struct pmk_block *p,
				     const struct pmk_block *b)
{
	struct pmk_executions *executions = &cpu->executions[b->id];
	uint64_t seen;

	if (PMK_UNLIKELY(p->disturbs)) {
		pmk_sites_at(cpu, PMK_SITE_LEAVE);
		disturb(cpu, p->disturbs);
	}
	seen = cpu->igen;
	if (executions->igen == seen)
		return;
	/* In most blocks all lines are present, and the micro-TLB still holds the pages. */
	if (pmk_known_lines(executions->igen) && holds_page(cpu, b->pc) &&
	    holds_page(cpu, b->end_addr)) {
		executions->igen = seen;
		return;
	}
	pmk_sites_fetch(cpu, b, b->pc);
	if (PMK_UNLIKELY(!executions->igen))
		know_block(cpu, b);
	fetch_block(cpu, b);
	/* `seen` is not always the present generation: fetching the block's second page may have
	 * replaced its first page in the micro-TLB. */
	executions->igen = pmk_known_renew(executions->igen, seen);
}

void pmk_a64_lines_slow(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b)
{
	disturb_and_fetch(cpu, p, b);
}

void pmk_a64_block_slow(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			uint64_t taken, uint64_t left, uint64_t waits)
{
	uint64_t before = cpu->cycles;

	if (left && p->a64.end == PMK_A64_CONDITIONAL)
		mispredict(cpu, p, PMK_SIG_BR_COND_MISS);
	else if (left)
		leave_block(cpu, p, b, taken);
	if (PMK_UNLIKELY(cpu->crossing))
		pmk_cpu_cross(cpu, b);
	disturb_and_fetch(cpu, p, b);
	if (waits) {
		pmk_sites_fetch(cpu, b, b->pc);
		wait_for_results(cpu, p, b, before);
	}
	if (PMK_UNLIKELY(cpu->cycles - b->cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

/* Start block `b` on a core that executes out of order. The window counts the cycles of the block.
 * Fetching and mispredicted branches are counted as on other cores, and make the window's front end
 * wait. */
void pmk_a64_window_slow(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			 uint64_t taken, uint64_t left)
{
	cpu->cycles += b->cycles;
	if (!taken && p->flow == PMK_FLOW_JUMP && !p->conditional)
		pmk_a64_window_jump(cpu, p);
	pmk_a64_block_slow(cpu, p, b, taken, left, 0);
	pmk_sites_at(cpu, PMK_SITE_END);
	cpu->cycles -= b->cycles;
	pmk_a64_window_step(cpu, b);
}
