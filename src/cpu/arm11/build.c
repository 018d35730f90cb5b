// SPDX-License-Identifier: MIT
/*
 * Builds the blocks of ARM code: what one execution of a block adds to the totals, and what it
 * waits for. The pipeline model of the core says how long each instruction takes.
 */
#include <string.h>

#include "cpu/arm11/arm11.h"

/* Adds the facts of one instruction. Counting rules: ARM DAI 0195B §5-§7. pmk_arm11_access_static()
 * decides which accesses are certain. */
static void add_facts(const struct pmk_core *core, const struct pmk_insn *in, struct pmk_facts *f)
{
	f->n[PMK_ARM11_FACT_INSN]++;
	if (in->is_branch || (core->arm11.pc_writes && in->flow != PMK_FLOW_NEXT &&
			      in->flow != PMK_FLOW_EXCEPTION && in->flow != PMK_FLOW_MODE))
		f->n[PMK_ARM11_FACT_BRANCH]++;
	if (pmk_arm11_access_static(core, in)) {
		/* A swap reads and writes one line: two accesses (our choice). */
		f->n[PMK_ARM11_FACT_READ] += in->load;
		f->n[PMK_ARM11_FACT_WRITE] += in->store;
	}
	/* A preload counts as a read (our choice). See pmk_arm11_preload(). */
	if (in->iclass == PMK_I_PRELOAD && !in->conditional && core->dcache.on)
		f->n[PMK_ARM11_FACT_READ]++;
	if (in->sysop == PMK_SYS_DSB || (in->sysop == PMK_SYS_DMB && core->arm11.dmb_drains))
		f->n[PMK_ARM11_FACT_DRAIN]++;
}

static uint8_t disturbance(const struct pmk_insn *in)
{
	switch ((enum pmk_sysop)in->sysop) {
	case PMK_SYS_BTAC_FLUSH:
		return PMK_DISTURB_BTAC;
	case PMK_SYS_ICACHE_INV:
		return PMK_DISTURB_BTAC | PMK_DISTURB_ICACHE;
	case PMK_SYS_TLB:
		return PMK_DISTURB_TLB;
	case PMK_SYS_NONE:
	case PMK_SYS_DSB:
	case PMK_SYS_DMB:
	case PMK_SYS_ISB:
	case PMK_SYS_WFI:
		break;
	}
	return 0;
}

/*
 * Returns the cycles of the branch that ends a block, as far as they are certain before the block
 * runs: none for a branch that may be folded, and one for any other branch (DDI 0301H table 16-11).
 * The predictor adds the rest.
 *
 * The core does not fold a branch onto another branch (5.2). The model includes this if a block
 * consists only of a branch that all prediction rules predict as taken, so chains of jumps and
 * empty loops take time. For a branch that may be predicted as not taken, this is left out: blocks
 * that end in the same branch share its prediction word, so they must have the same cycles for it.
 */
static unsigned certain_branch_cycles(const struct pmk_core *core, const struct pmk_insn *insn,
				      size_t n)
{
	const struct pmk_insn *last = &insn[n - 1];
	bool foldable = core->bp.on && core->arm11.bp_dynamic && core->arm11.bp_folding;
	bool onto_branch = n == 1 && core->arm11.bp_static &&
			   (!last->conditional || last->target <= last->addr);

	if (last->iclass != PMK_I_BRANCH)
		return 0;
	return last->flow == PMK_FLOW_JUMP && foldable && !onto_branch ? 0 : 1;
}

/* Returns the cycles of a branch that was not predicted correctly: MAX(MaxCycles -
 * FlagCycleDistance, MinCycles), DDI 0301H table 16-11. A load of the PC has its own number of
 * cycles. */
static uint64_t resolved_cycles(const struct pmk_core *core, const struct pmk_block *b)
{
	uint64_t distance = b->arm11.flag_distance, shortest = core->arm11.branch_min;

	if (b->arm11.loads_pc)
		return b->flow == PMK_FLOW_RETURN ? core->arm11.ldm_return_wrong
						  : core->arm11.load_pc;
	return core->bp.penalty > shortest + distance ? core->bp.penalty - distance : shortest;
}

/*
 * Returns the fast path for leaving the block, if there is one. The fast paths assume that the
 * shadow of a branch extends at most into the next line.
 */
static enum pmk_arm11_leave way_to_leave(const struct pmk_core *core, const struct pmk_block *b)
{
	bool ages = pmk_core_policy_of(core, core->icache.policy) != PMK_POLICY_OWN;
	bool returns = core->bp.on && core->rs.on;
	bool counts = b->is_branch || core->arm11.pc_writes;
	uint64_t line = b->end_addr >> PMK_LINE_SHIFT;
	uint64_t shadow = (b->fall + core->arm11.shadow_bytes - 1) >> PMK_LINE_SHIFT;

	if (b->disturbs || core->arm11.shadow > 1 || shadow - line > 1 || ages ||
	    b->end_addr >> PMK_LINE_SHIFT == UINT32_MAX >> PMK_LINE_SHIFT)
		return PMK_ARM11_LEAVE_ANY;
	switch ((enum pmk_flow)b->flow) {
	case PMK_FLOW_JUMP:
		if (!core->bp.on || !core->arm11.bp_dynamic || !core->arm11.bp_static ||
		    b->target == b->fall)
			return PMK_ARM11_LEAVE_ANY;
		return pmk_predictor_static_rule(b) ? PMK_ARM11_LEAVE_BACKWARD
						    : PMK_ARM11_LEAVE_FORWARD;
	case PMK_FLOW_CALL:
		return returns ? PMK_ARM11_LEAVE_CALL : PMK_ARM11_LEAVE_ANY;
	case PMK_FLOW_RETURN:
		return returns ? PMK_ARM11_LEAVE_RETURN : PMK_ARM11_LEAVE_ANY;
	case PMK_FLOW_INDIRECT:
		return counts ? PMK_ARM11_LEAVE_INDIRECT : PMK_ARM11_LEAVE_LOAD;
	case PMK_FLOW_INDCALL:
		return counts ? PMK_ARM11_LEAVE_INDCALL : PMK_ARM11_LEAVE_ANY;
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		break;
	}
	return PMK_ARM11_LEAVE_ANY;
}

static void set_leave(const struct pmk_core *core, struct pmk_block *b)
{
	uint64_t cycles = resolved_cycles(core, b), certain = b->arm11.branch_cycles;
	uint64_t more = cycles > certain ? cycles - certain : 0;

	b->arm11.end = (uint32_t)b->end_addr;
	b->arm11.target = (uint32_t)b->target;
	b->arm11.resolved = (uint8_t)more;
	b->arm11.leave = more > UINT8_MAX ? PMK_ARM11_LEAVE_ANY : way_to_leave(core, b);
}

/* Implements branch() of family.h. The caller has already set `vector`. Blocks at exception vectors
 * must always be fetched by the slow path (pmk_arm11_fetch_changes()). */
uint32_t *pmk_arm11_branch(struct pmk_block *b)
{
	if (b->vector)
		b->arm11.spare = 0;
	return &b->arm11.branch;
}

/* See pmk_arm11_fetch_changes(). */
static uint32_t spare_bits(const struct pmk_core *core, const struct pmk_block *b)
{
	uint8_t byte[PMK_I_MOST_LINES], wanted = 0;
	uint64_t lines = ((b->fall - 1) >> PMK_LINE_SHIFT) - (b->pc >> PMK_LINE_SHIFT) + 1;
	uint32_t spare;

	if (lines > PMK_I_MOST_LINES)
		return 0;
	wanted |= core->icache.on ? PMK_I_QUIET : 0;
	wanted |= core->mmu ? PMK_I_MAPPED : 0;
	for (unsigned i = 0; i < PMK_I_MOST_LINES; i++)
		byte[i] = (uint8_t) ~(i < lines ? wanted : 0);
	memcpy(&spare, byte, sizeof(spare));
	return spare;
}

#define LANES 4

void pmk_pipeline_lanes(const struct pmk_pipe_block *b, uint64_t *late, uint64_t *wants)
{
	*late = 0;
	*wants = PMK_PIPE_VFP_LATE;
	for (unsigned p = 0; b->vfp && p < PMK_PIPE_VFP_PLACES; p++)
		if (b->vfp_residue[p] > 1)
			*late |= PMK_PIPE_VFP_LATE;
	for (unsigned r = 0; r < PMK_PIPE_REGS; r++) {
		for (unsigned k = 0; k < LANES; k++) {
			bool last = k == LANES - 1;
			unsigned least = last && r == PMK_PIPE_PORT ? k - 1 : k;

			if (r == PMK_PIPE_PORT && k == LANES - 2)
				continue;
			if (b->residue[r] > least)
				*late |= UINT64_C(1) << (16 * k + r);
			if (b->need[r] != PMK_PIPE_FAR && (last || b->need[r] <= k))
				*wants |= UINT64_C(1) << (16 * k + r);
		}
	}
}

void pmk_arm11_build_timed(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			   struct pmk_pipe_slot *slots, struct pmk_block *b, pmk_arm11_time *time)
{
	const struct pmk_insn *last = &insn[n - 1];
	struct pmk_pipe_block pipe;

	*b = (struct pmk_block){
		.pc = (uint32_t)insn[0].addr,
		.fall = (uint32_t)(last->addr + last->size),
		.end_addr = (uint32_t)last->addr,
		.target = (uint32_t)last->target,
		.flow = last->flow,
		.conditional = last->conditional,
		.is_branch = last->is_branch,
		.arm11.loads_pc = last->load && last->flow != PMK_FLOW_NEXT,
	};
	b->arm11.shadowed = core->icache.on && core->arm11.shadow && core->arm11.shadow_bytes &&
			    (b->fall + core->arm11.shadow_bytes - 1) >> PMK_LINE_SHIFT !=
				    b->end_addr >> PMK_LINE_SHIFT;
	for (size_t i = 0; i < n; i++) {
		add_facts(core, &insn[i], &b->facts);
		b->disturbs |= disturbance(&insn[i]);
		b->arm11.touches |=
			(uint32_t)(insn[i].reads | insn[i].writes) & ((1u << PMK_PIPE_PORT) - 1);
	}
	time(core, insn, n, slots, &pipe);
	b->facts.n[PMK_ARM11_FACT_UNTIMED] = (uint16_t)pipe.untimed;
	b->facts.n[PMK_ARM11_FACT_DATA_STALL] = (uint16_t)pipe.data_stall;
	b->arm11.branch_cycles = (uint8_t)certain_branch_cycles(core, insn, n);
	b->cycles = pipe.cycles + b->arm11.branch_cycles;
	for (unsigned r = 0; r < PMK_PIPE_REGS; r++)
		pipe.residue[r] -= pipe.residue[r] < b->arm11.branch_cycles
					   ? pipe.residue[r]
					   : b->arm11.branch_cycles;
	if (last->iclass != PMK_I_BRANCH && last->flow != PMK_FLOW_NEXT)
		b->arm11.branch_cycles = 1; /* its issue cycle, which the pipeline has counted */
	b->arm11.flag_distance = (uint8_t)pipe.flag_distance;
	set_leave(core, b);
	memcpy(b->arm11.need, pipe.need, sizeof(pipe.need));
	memcpy(b->arm11.residue, pipe.residue, sizeof(pipe.residue));
	if (pipe.vfp) {
		b->arm11.touches |= (uint32_t)PMK_PIPE_VFP;
		memcpy(b->arm11.vfp_need, pipe.vfp_need, sizeof(pipe.vfp_need));
		memcpy(b->arm11.vfp_residue, pipe.vfp_residue, sizeof(pipe.vfp_residue));
	}
	pmk_pipeline_lanes(&pipe, &b->arm11.late, &b->arm11.wants);
	b->arm11.spare = spare_bits(core, b);
}

void pmk_arm11_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		     struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	pmk_arm11_build_timed(core, insn, n, slots, b, pmk_pipeline_time);
}
