// SPDX-License-Identifier: MIT
/* How a block of an ARM11 ends: branches that were not predicted as expected, and maintenance
 * operations. */
#include "cpu/arm11/slow.h"
#include "cpu/sites.h"

static void flush(struct pmk_cpu *cpu, bool counts_as_branch)
{
	if (counts_as_branch)
		pmk_count_left(cpu, PMK_SIG_BRANCH_MISS, 1);
	if (cpu->core.arm11.flush_stall)
		pmk_count_left(cpu, PMK_SIG_FETCH_STALL, cpu->core.arm11.flush_stall);
}

/* Returns the cycles of a branch that is resolved in the execute stages. The earlier the flags were
 * set, the fewer cycles the branch takes. DDI 0301H table 16-11: MAX(MaxCycles - FlagCycleDistance,
 * MinCycles). */
static uint64_t resolved_cycles(const struct pmk_cpu *cpu, const struct pmk_block *p)
{
	uint64_t longest = cpu->core.bp.penalty, shortest = cpu->core.arm11.branch_min;

	return longest > shortest + p->arm11.flag_distance ? longest - p->arm11.flag_distance
							   : shortest;
}

void pmk_arm11_push_return(struct pmk_cpu *cpu, uint32_t addr)
{
	if (!cpu->arm11.bp.on || !cpu->core.rs.on)
		return;
	pmk_count_left(cpu, PMK_SIG_CALL_PUSH, 1);
	pmk_return_push(&cpu->arm11.rs, addr);
}

/* Accounts for a branch with a constant offset that ended a block. Returns its cycles. */
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
 * Accounts for a return whose condition passed. The return stack predicts unconditional returns.
 * Conditional returns pop it, too, but are not predicted (DDI 0301H 16.3). Returns true if the
 * return was predicted correctly.
 */
static bool predict_return(struct pmk_cpu *cpu, const struct pmk_block *p, uint32_t target,
			   bool *empty)
{
	bool right;
	uint32_t addr;

	*empty = true;
	if (!cpu->arm11.bp.on || !cpu->core.rs.on || !pmk_return_pop(&cpu->arm11.rs, &addr))
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

	/* The core requests the shadow, and knows one cycle later whether the prediction was right.
	 * If it was, the look-up has been counted, but the bus request is cancelled (DAI 0195B
	 * §3). */
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

void pmk_arm11_leave_block(struct pmk_cpu *cpu, const struct pmk_block *p,
			   const struct pmk_block *b, bool taken)
{
	uint64_t cycles = 1;

	switch ((enum pmk_flow)p->flow) {
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		/* No branch instruction changed the PC, or it was changed together with the
		 * mode. */
		cpu->taken -= taken;
		return;
	case PMK_FLOW_JUMP:
	case PMK_FLOW_CALL:
		if (taken && b->pc != p->target) {
			/*
			 * An exception or signal came before the branch. The emulator does not show
			 * which way a conditional branch would have gone.
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
		/* A jump to the next instruction counts as taken, because it writes the PC. */
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

/* Any TLB operation, and any write to the translation registers, flushes all TLBs (our choice,
 * because pmk does not see the operands). */
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
