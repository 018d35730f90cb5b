// SPDX-License-Identifier: MIT
/* Goes from one block of an ARM11 to the next: fetches the next block, and waits for what earlier
 * blocks have not finished. */
#include "cpu/arm11/slow.h"

#include <string.h>

#include "cpu/sites.h"

static inline struct pmk_arm11_edge *edge_slot(const struct pmk_cpu *cpu, const struct pmk_block *p,
					       const struct pmk_block *b)
{
	return &cpu->arm11.edge[(p->id ^ b->id * 7) % PMK_ARM11_EDGES];
}

unsigned pmk_pipeline_edge(const uint8_t residue[PMK_PIPE_REGS], const uint8_t need[PMK_PIPE_REGS])
{
	unsigned wait = 0;

	for (unsigned r = 0; r < PMK_PIPE_REGS; r++)
		if (residue[r] > need[r] + wait)
			wait = residue[r] - need[r];
	return wait;
}

/* Returns the edge that says how many cycles `b` waits for unfinished results of `p`. The edge is
 * computed when `b` follows `p` for the first time, and is then remembered in edge[] until another
 * pair of blocks needs the same entry. */
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
 * Waits for results of the previous block. `before` is the clock without the cycles of the branch
 * and of the fetch; some results may have arrived during these cycles. A wait for the load-store
 * unit is not a data stall.
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
 * Waits for `regs`: registers that block `b` reads or writes and whose loads are still under way.
 * The wait begins at the first instruction that needs such a register. If the block overwrites a
 * register before any instruction reads it, nothing waits for that load (our choice).
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

/* Remembers the unfinished VFP results of block `p`, which ended at time `end`. More blocks may run
 * before these results are available. */
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
 * Waits for the VFP results and pipelines that block `b` needs. A wait for a pipeline is not a data
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

/* Fetches `b` through a memory system that is not that of an ARM11. */
static PMK_SLOW void fetch_instead(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint64_t seen = cpu->igen;
	bool again = cpu->arm11.instead->fetch(cpu, b);

	/* Store igen as it was before the fetch. If the block evicts one of its own lines, the
	 * fetch has changed igen, so the block is fetched again next time. If 0 is stored, the
	 * block is always fetched again. */
	cpu->executions[b->id].igen = b->vector || again ? 0 : seen;
}

/* Fetches `b`, unless the fetch would change nothing. */
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

/* Carries out the maintenance operations of `p`, and then fetches `b`. */
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
 * Waits at the start of block `b` for what earlier blocks have not finished. `before` is the clock
 * without the cycles that the branch before `b` and the fetch took.
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
		 * An exception was entered. If the block before it ends in an unconditional branch,
		 * this branch was taken. It is not visible whether a conditional branch would have
		 * been taken, so it is not counted.
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
 * The functions below, except those for a core without a clock, do for nearly all blocks what
 * pmk_arm11_block_general() does, while nothing is booked by site. They end with calls of each
 * other, so that no registers must be saved.
 */

/*
 * Starts block `b`, which must fetch or wait for something. `before` is as for wait_at_entry().
 * `end` is the time at which `p` ended, without the cycles of its branch.
 */
static PMK_SLOW void fetch_any_and_wait(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b, uint64_t before, uint64_t end)
{
	fetch_stale(cpu, b);
	if (PMK_UNLIKELY(p->arm11.late & PMK_PIPE_VFP_LATE))
		remember_vfp(cpu, p, end);
	wait_at_entry(cpu, p, b, before);
}

/* Fetches the absent lines of `b`. The micro-TLB has the pages of all its lines. */
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

/*
 * Bits of pmk_arm11_fetch_changes(). If one of them is set, pmk_arm11_fetch_block() must fetch the
 * block, because a page is not in the micro-TLB, or because the block is one whose bytes in imap[]
 * are not looked up.
 */
#define CHANGES_MORE ((PMK_I_MAPPED | UINT32_C(0x80)) * UINT32_C(0x01010101))

/* Starts block `b`, which waits only for results of `p`. */
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

/*
 * Starts block `b`, which waits for earlier loads. Does what wait_at_entry() does, in the most
 * frequent case: `b` waits for one load into a register of the core and for nothing else, and the
 * load-store unit has no earlier wait.
 */
static PMK_SLOW void wait_for_load(struct pmk_cpu *cpu, const struct pmk_block *p,
				   const struct pmk_block *b, uint64_t before)
{
	struct pmk_lsu *lsu = &cpu->arm11.lsu;
	uint64_t start = cpu->cycles - b->cycles, wait = 0;
	uint64_t regs = cpu->arm11.pending & b->arm11.touches;
	unsigned r = (unsigned)__builtin_ctzll(regs);

	if (PMK_UNLIKELY(p->arm11.late & b->arm11.wants || regs & ((regs - 1) | PMK_PIPE_VFP) ||
			 lsu->nwaits)) {
		wait_at_entry(cpu, p, b, before);
		return;
	}
	if (b->arm11.need[r] != PMK_PIPE_FAR) {
		wait = pmk_lsu_hold(lsu, start - lsu->late + b->arm11.need[r] - 1,
				    cpu->arm11.ready[r]);
		cpu->dyn[PMK_SIG_DATA_STALL] +=
			wait > cpu->arm11.walk[r] ? wait - cpu->arm11.walk[r] : 0;
	}
	cpu->arm11.pending &= ~regs;
	cpu->cycles += wait;
	if (PMK_UNLIKELY(start + wait >= cpu->deadline))
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
		wait_for_load(cpu, p, b, before);
	else if (p->arm11.late & b->arm11.wants)
		wait_remembered(cpu, p, b, before);
	else if (PMK_UNLIKELY(cpu->cycles - b->cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

/*
 * Starts block `b` after a branch that took `more` cycles more than block `p` includes. The clock
 * includes `cycles` for a prediction that was wrong; they are taken back. `busy` is the result of
 * pmk_arm11_is_busy().
 */
static inline void enter_left(struct pmk_cpu *cpu, const struct pmk_block *p,
			      const struct pmk_block *b, uint64_t busy, uint64_t cycles,
			      uint64_t more)
{
	uint64_t before = cpu->cycles - cycles, start = before - b->cycles;

	cpu->cycles = before + more;
	if (busy)
		fetch_and_wait(cpu, p, b, before, start);
	else if (PMK_UNLIKELY(start + more >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

/* True if the shadow of the branch that ends `p` includes the line after the branch, and this line
 * is absent. */
static inline bool has_absent_shadow(const struct pmk_cpu *cpu, const struct pmk_block *p)
{
	return p->arm11.shadowed &&
	       !pmk_arm11_is_fetched(cpu, (p->arm11.end >> PMK_LINE_SHIFT) + 1);
}

/* Fetches the line after the branch that ends `p`. The line must be absent. */
static inline void fetch_absent_shadow(struct pmk_cpu *cpu, const struct pmk_block *p)
{
	cpu->dyn[PMK_SIG_L1I_MISS]++;
	pmk_arm11_fetch_fill(cpu, (p->arm11.end >> PMK_LINE_SHIFT) + 1);
}

/* Does what enter_left() does, and before that fetches the absent line after the branch. */
static PMK_SLOW void enter_after_shadow(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b, uint64_t before, uint64_t more)
{
	fetch_absent_shadow(cpu, p);
	cpu->cycles = before + more;
	fetch_and_wait(cpu, p, b, before, before - b->cycles);
}

/*
 * The result of the functions below. They do what pmk_arm11_leave_block() does, and set *more to
 * the cycles of the branch that its block does not include. If they return LEFT_UNUSUALLY, they
 * have done nothing.
 */
enum left {
	LEFT,
	LEFT_UNUSUALLY, /* only pmk_arm11_leave_block() can handle the branch */
	/* the branch is left, and the absent line after it must be fetched */
	LEFT_SHADOW,
};

/* Returns the result for a branch that was taken and was not predicted by an entry. */
static inline enum left left_taken(const struct pmk_cpu *cpu, const struct pmk_block *p)
{
	return has_absent_shadow(cpu, p) ? LEFT_SHADOW : LEFT;
}

/*
 * Accounts for refetching after the branch of `p`, which was not predicted correctly. Sets *more to
 * the cycles of the branch that its block does not include.
 */
static inline void flush_usual(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t *more)
{
	cpu->dyn[PMK_SIG_FETCH_STALL] += cpu->core.arm11.flush_stall;
	*more = p->arm11.resolved;
}

/* Leaves a branch whose BTAC entry predicted it wrongly. */
static inline enum left leave_held(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t pc,
				   bool taken, uint64_t word, uint64_t *more)
{
	uint8_t *own = &cpu->arm11.pred[p->arm11.branch];

	if (taken) {
		if (pc != p->arm11.target)
			return LEFT_UNUSUALLY;
		*own = (uint8_t)(word + 1);
	} else {
		*own = (uint8_t)(word - 1);
	}
	cpu->dyn[PMK_SIG_BRANCH_MISS]++;
	flush_usual(cpu, p, more);
	return taken ? left_taken(cpu, p) : LEFT;
}

/*
 * Leaves a branch without an entry, which the static rules predicted. The branch gets an entry if
 * it is taken.
 */
static inline enum left leave_static(struct pmk_cpu *cpu, const struct pmk_block *p, uint64_t pc,
				     bool taken, uint64_t *more)
{
	bool backward = p->arm11.leave == PMK_ARM11_LEAVE_BACKWARD;
	uint32_t branch = p->arm11.branch;
	uint8_t *pred = cpu->arm11.pred;

	if (branch == PMK_BRANCH_SLOW || (taken ? pc != p->arm11.target : !backward))
		return LEFT_UNUSUALLY;
	if (taken) {
		pmk_predictor_allocate(pmk_predictor_slot(&cpu->arm11.bp, p->arm11.end), pred,
				       p->arm11.end, branch);
		pred[branch] = PMK_PRED_HELD | PMK_PRED_STATE | 2;
	}
	if (taken != backward) {
		cpu->dyn[PMK_SIG_BRANCH_MISS]++;
		flush_usual(cpu, p, more);
	} else if (cpu->core.arm11.static_correct_taken > p->arm11.branch_cycles) {
		*more = cpu->core.arm11.static_correct_taken - p->arm11.branch_cycles;
	}
	return taken ? left_taken(cpu, p) : LEFT;
}

/*
 * Leaves an unconditional return. If the return stack has the right address, the shadow of the
 * return is looked up but not fetched.
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

	cpu->dyn[PMK_SIG_RET_POP] += !empty;
	if (right) {
		pmk_return_pop(rs, &addr);
		cpu->dyn[PMK_SIG_RET_PREDICTED]++;
		cpu->dyn[PMK_SIG_L1I_MISS] += absent;
	} else {
		/* The core would pop an address and put it back, so nothing is popped here. */
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
	return absent && !right ? LEFT_SHADOW : LEFT;
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

/* Leaves a conditional return whose condition passed. It pops the return stack, but is not
 * predicted. */
static inline enum left leave_return_resolved(struct pmk_cpu *cpu, const struct pmk_block *p,
					      uint64_t *more)
{
	uint32_t addr;

	cpu->dyn[PMK_SIG_RET_POP] += pmk_return_pop(&cpu->arm11.rs, &addr);
	cpu->dyn[PMK_SIG_BRANCH_MISS] += p->is_branch || cpu->core.arm11.pc_writes;
	flush_usual(cpu, p, more);
	return left_taken(cpu, p);
}

static inline enum left leave_indirect_usual(struct pmk_cpu *cpu, const struct pmk_block *p,
					     uint64_t *more)
{
	cpu->dyn[PMK_SIG_BRANCH_MISS] += p->arm11.leave != PMK_ARM11_LEAVE_LOAD;
	if (p->arm11.leave == PMK_ARM11_LEAVE_INDCALL && cpu->arm11.bp.on && cpu->core.rs.on) {
		cpu->dyn[PMK_SIG_CALL_PUSH]++;
		pmk_return_push(&cpu->arm11.rs, (uint32_t)p->fall);
	}
	flush_usual(cpu, p, more);
	return left_taken(cpu, p);
}

/* Leaves a return, or a branch whose target is only known when it is executed. */
static inline enum left leave_for_anywhere(struct pmk_cpu *cpu, const struct pmk_block *p,
					   uint64_t pc, bool taken, uint64_t *more)
{
	/* This is a jump to the next instruction, which counts as taken. */
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
 * The functions from here to pmk_arm11_fetch_slow() leave and start blocks on a core without a
 * clock. There, the prediction words do not show which branches have an entry.
 */

static inline enum left fetch_behind_jump(struct pmk_cpu *cpu, const struct pmk_block *p,
					  uint64_t pc, bool taken, uint64_t word)
{
	struct pmk_btac_entry *e = pmk_predictor_slot(&cpu->arm11.bp, p->arm11.end);
	bool held = word & PMK_PRED_STATE && pmk_btac_holds(e, p->arm11.end, p->arm11.branch);
	bool wrong = held || (p->arm11.leave == PMK_ARM11_LEAVE_BACKWARD) != taken;

	if (p->arm11.branch == PMK_BRANCH_SLOW || (taken ? pc != p->arm11.target : !wrong))
		return LEFT_UNUSUALLY;
	if (held) {
		cpu->arm11.pred[p->arm11.branch] = (uint8_t)(word + 1);
	} else if (taken) {
		pmk_predictor_allocate(e, cpu->arm11.pred, p->arm11.end, p->arm11.branch);
		cpu->arm11.pred[p->arm11.branch] = PMK_PRED_STATE | 2;
	}
	cpu->dyn[PMK_SIG_BRANCH_MISS] += wrong;
	return taken ? left_taken(cpu, p) : LEFT;
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

/* Leaves `p` and fetches `b` in cases that fetch_usual() cannot handle. Must not change
 * pmk_cpu.taken: without a clock, the hot path does not count taken branches either. */
static PMK_SLOW void fetch_general(struct pmk_cpu *cpu, const struct pmk_block *p,
				   const struct pmk_block *b, uint64_t taken, uint64_t word)
{
	const uint64_t all_taken = cpu->taken;

	pmk_predictor_catch_up(&cpu->arm11.bp, p, word);
	pmk_arm11_leave_block(cpu, p, b, taken);
	disturb_and_fetch(cpu, p, b);
	cpu->taken = all_taken;
}

void pmk_arm11_fetch_slow(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			  uint64_t taken, uint64_t word)
{
	const uint64_t cycles = cpu->cycles;
	enum left left = fetch_usual(cpu, p, b->pc, taken, word);

	if (left == LEFT_SHADOW)
		fetch_absent_shadow(cpu, p);
	if (left != LEFT_UNUSUALLY)
		fetch_stale(cpu, b);
	else
		fetch_general(cpu, p, b, taken, word);
	cpu->cycles = cycles;
}

/*
 * Starts block `b` after the attempt to leave `p` that returned `left`. The parameters `cycles` and
 * `more` are as for enter_left().
 */
static inline void enter_after(struct pmk_cpu *cpu, const struct pmk_block *p,
			       const struct pmk_block *b, uint64_t taken, uint64_t word,
			       uint64_t busy, enum left left, uint64_t cycles, uint64_t more)
{
	if (left == LEFT)
		enter_left(cpu, p, b, busy, cycles, more);
	else if (left == LEFT_SHADOW)
		enter_after_shadow(cpu, p, b, cpu->cycles - cycles, more);
	else
		pmk_arm11_block_general(cpu, p, b, taken, word);
}

static PMK_SLOW void block_after_held(struct pmk_cpu *cpu, const struct pmk_block *p,
				      const struct pmk_block *b, uint64_t taken, uint64_t word,
				      uint64_t busy)
{
	uint64_t more = 0;
	enum left left = leave_held(cpu, p, b->pc, taken, word, &more);

	enter_after(cpu, p, b, taken, word, busy, left, 0, more);
}

static PMK_SLOW void block_after_static(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b, uint64_t taken, uint64_t word,
					uint64_t busy)
{
	uint64_t more = 0;
	enum left left = leave_static(cpu, p, b->pc, taken, &more);

	enter_after(cpu, p, b, taken, word, busy, left, pmk_pred_cycles(word), more);
}

static PMK_SLOW void block_after_call(struct pmk_cpu *cpu, const struct pmk_block *p,
				      const struct pmk_block *b, uint64_t taken, uint64_t word,
				      uint64_t busy)
{
	enum left left = taken ? leave_predicted_call(cpu, p, b->pc, word) : LEFT_UNUSUALLY;

	enter_after(cpu, p, b, taken, word, busy, left, 0, 0);
}

static PMK_SLOW void block_after_any(struct pmk_cpu *cpu, const struct pmk_block *p,
				     const struct pmk_block *b, uint64_t taken, uint64_t word,
				     uint64_t busy)
{
	uint64_t more = 0;
	enum left left = leave_for_anywhere(cpu, p, b->pc, taken, &more);

	enter_after(cpu, p, b, taken, word, busy, left, 0, more);
}

/* Starts block `b`, which the branch of `p` was predicted to lead to. */
static PMK_SLOW void block_as_predicted(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b, uint64_t taken, uint64_t word,
					uint64_t busy)
{
	uint64_t before = cpu->cycles, start = before - b->cycles;

	pmk_pred_learn(&cpu->arm11.pred[p->arm11.branch], word, taken);
	if (busy)
		fetch_and_wait(cpu, p, b, before, start - pmk_pred_cycles(word));
	else if (PMK_UNLIKELY(start >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

void pmk_arm11_block_slow(struct pmk_cpu *cpu, const struct pmk_block *p, const struct pmk_block *b,
			  uint64_t taken, uint64_t word, uint64_t busy)
{
	if (PMK_UNLIKELY(!b->arm11.spare && b->vector)) {
		pmk_arm11_block_general(cpu, p, b, taken, word);
		return;
	}
	if (!pmk_pred_differs(word, taken)) {
		block_as_predicted(cpu, p, b, taken, word, busy);
		return;
	}
	switch ((enum pmk_arm11_leave)p->arm11.leave) {
	case PMK_ARM11_LEAVE_ANY:
		pmk_arm11_block_general(cpu, p, b, taken, word);
		break;
	case PMK_ARM11_LEAVE_FORWARD:
	case PMK_ARM11_LEAVE_BACKWARD:
		if (word & PMK_PRED_HELD)
			block_after_held(cpu, p, b, taken, word, busy);
		else
			block_after_static(cpu, p, b, taken, word, busy);
		break;
	case PMK_ARM11_LEAVE_CALL:
		block_after_call(cpu, p, b, taken, word, busy);
		break;
	case PMK_ARM11_LEAVE_RETURN:
	case PMK_ARM11_LEAVE_INDIRECT:
	case PMK_ARM11_LEAVE_INDCALL:
	case PMK_ARM11_LEAVE_LOAD:
		block_after_any(cpu, p, b, taken, word, busy);
		break;
	}
}
