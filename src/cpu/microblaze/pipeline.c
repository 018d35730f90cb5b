// SPDX-License-Identifier: MIT
/*
 * The pipelines of MicroBlaze when every access hits (UG984, "Pipeline Architecture" and the
 * latencies on the instruction pages). C_AREA_OPTIMIZED selects one: 0 has five stages, 1 has three
 * and 2 has eight.
 *
 * An instruction waits in operand fetch until its operands are available, which counts as stall_of.
 * It takes one cycle, and the remaining cycles of its latency stall execution, which counts as
 * stall_ex. So the cycles are the number of instructions plus the stalls. The manual gives only
 * ranges for how late results come, so this is set by parameters, such as hazard.load.
 *
 * Division by zero in one cycle, and waiting for a stream, are not modelled.
 */
#include <string.h>

#include "cpu/microblaze/microblaze.h"

/* Cycles by C_AREA_OPTIMIZED. */
struct latency {
	uint8_t cycles[3];
};

static struct latency latency_of(const struct pmk_insn *in)
{
	switch ((enum pmk_iclass)in->iclass) {
	case PMK_I_LOAD:
	case PMK_I_STORE:
		return (struct latency){ { 1, 2, 1 } };
	case PMK_I_MUL:
		return (struct latency){ { 1, 3, 1 } };
	case PMK_I_BARREL:
		return (struct latency){ { 1, 2, 1 } };
	case PMK_I_DIV:
		return (struct latency){ { 34, 35, 30 } };
	case PMK_I_FP_ADD:
	case PMK_I_FP_MUL:
	case PMK_I_FP_TO_INT:
		return (struct latency){ { 4, 6, 1 } };
	case PMK_I_FP_FROM_INT:
		return (struct latency){ { 5, 7, 2 } };
	case PMK_I_FP_COMPARE:
		return (struct latency){ { 1, 3, 1 } };
	case PMK_I_FP_DIV:
		return (struct latency){ { 28, 30, 24 } };
	case PMK_I_FP_SQRT:
		return (struct latency){ { 27, 29, 23 } };
	case PMK_I_CACHE_OP:
		return (struct latency){ { 2, 2, 2 } };
	default:
		/* mbar takes 2 cycles, and the bus adds its own cycles. */
		if (in->kind & PMK_MB_MBAR)
			return (struct latency){ { 2, 2, 2 } };
		return (struct latency){ { 1, 1, 1 } };
	}
}

/* Returns the cycles beyond the latency until a dependent instruction can use the result. */
static uint32_t hazard_of(const struct pmk_core *core, const struct pmk_insn *in)
{
	if (in->load)
		return (uint32_t)core->microblaze.hazard_load;
	if (in->kind & PMK_MB_MUL)
		return (uint32_t)core->microblaze.hazard_mul;
	if (in->kind & PMK_MB_FP)
		return (uint32_t)core->microblaze.hazard_fp;
	if (in->kind & (PMK_MB_BARREL | PMK_MB_DIV))
		return (uint32_t)core->microblaze.hazard_shift;
	return 0;
}

/* Returns the penalty of a core with eight stages, or otherwise `five`. With virtual addresses,
 * eight stages take two cycles more. */
static unsigned far(const struct pmk_core *core, unsigned five, unsigned eight)
{
	if (core->microblaze.area != 2)
		return five;
	return core->mmu ? eight + 2 : eight;
}

unsigned pmk_microblaze_taken_cycles(const struct pmk_core *core, bool delayed)
{
	return delayed ? far(core, 1, 5) : far(core, 2, 6);
}

/* Returns the cycles of a return. The manual does not say that a return takes more cycles with
 * virtual addresses. */
unsigned pmk_microblaze_return_cycles(const struct pmk_core *core)
{
	return core->microblaze.area == 2 ? 5 : 1;
}

unsigned pmk_microblaze_wrong_cycles(const struct pmk_core *core)
{
	return far(core, 2, 6);
}

/* The state of registers: when they are ready, and whether this sequence has written them. */
struct scoreboard {
	uint32_t cycle; /* cycle of the next instruction */
	uint32_t ready[PMK_MB_REGS];
	uint32_t written;
};

static uint32_t operands_ready(const struct scoreboard *sb, const struct pmk_insn *in,
			       struct pmk_microblaze_timing *out)
{
	uint32_t at = sb->cycle;

	for (uint32_t rest = (uint32_t)in->reads; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctz(rest);

		if (sb->ready[r] > at)
			at = sb->ready[r];
	}
	for (uint32_t rest = (uint32_t)in->reads & ~sb->written; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctz(rest);

		if (at < out->need[r])
			out->need[r] = (uint8_t)at;
	}
	return at;
}

static void issue_one(const struct pmk_core *core, struct scoreboard *sb, const struct pmk_insn *in,
		      struct pmk_pipe_slot *slot, struct pmk_microblaze_timing *out)
{
	uint32_t issue = operands_ready(sb, in, out);
	uint32_t latency = latency_of(in).cycles[core->microblaze.area];

	out->of_stall += issue - sb->cycle;
	out->ex_stall += latency - 1;
	*slot = (struct pmk_pipe_slot){ .issue = (uint16_t)issue };
	sb->cycle = issue + latency;
	for (uint32_t rest = (uint32_t)in->writes; rest; rest &= rest - 1)
		sb->ready[__builtin_ctz(rest)] = sb->cycle + hazard_of(core, in);
	sb->written |= (uint32_t)in->writes;
}

void pmk_microblaze_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			 struct pmk_pipe_slot *slots, struct pmk_microblaze_timing *out)
{
	struct scoreboard sb = { 0 };

	*out = (struct pmk_microblaze_timing){ 0 };
	memset(out->need, PMK_PIPE_FAR, sizeof(out->need));
	for (size_t i = 0; i < n; i++)
		issue_one(core, &sb, &insn[i], &slots[i], out);
	out->cycles = sb.cycle;
	for (unsigned r = 0; r < PMK_MB_REGS; r++)
		out->residue[r] = (uint8_t)(sb.ready[r] > sb.cycle ? sb.ready[r] - sb.cycle : 0);
}
