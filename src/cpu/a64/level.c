// SPDX-License-Identifier: MIT
/*
 * Exception levels of A64 cores. An emulator whose functions can be called reports the level after
 * an exception or a return from one. Others report the level of an access, and none of a block.
 * There the level is unknown until the first access. Code that ran before it is counted at the
 * level of that access. If there is none before the next change, the level follows from how
 * exceptions nest:
 *
 *  - a return goes back to the level that the exception was taken from, and an address in the upper
 *    half is not EL0's (a kernel's half);
 *  - a vector says whether the exception came from the handler's own level or from a lower one
 *    (DDI 0487, D1.10.2), which is the one below unless it is known better (our choice).
 */
#include "cpu/a64/a64.h"

#define HIGHEST 3

/* The level that is left is settled; the next one is open. */
static void leave(struct pmk_cpu *cpu)
{
	pmk_emulator.leave_level(cpu->index);
	cpu->level.open = true;
}

static void push(struct pmk_a64 *v, uint8_t level)
{
	if (v->nfrom == PMK_A64_NESTED) /* returned from in another order */
		v->nfrom = 0;
	v->from[v->nfrom++] = level;
}

void pmk_a64_takes(struct pmk_cpu *cpu, bool from_lower)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint8_t handler = v->returned_from;

	/* What ran since the return has made no access: it was at the level of the handler, or
	 * below that. */
	if (cpu->level.open && handler && !from_lower)
		cpu->level.guess = handler;
	else if (cpu->level.open && handler && cpu->level.guess >= handler)
		cpu->level.guess = (uint8_t)(handler - 1);
	leave(cpu);
	push(v, cpu->level.guess);
	if (from_lower ? cpu->level.guess < HIGHEST : !cpu->level.guess)
		cpu->level.guess++;
	v->returned_from = 0;
	pmk_level_settle(cpu);
}

void pmk_a64_returns_to(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint8_t from = cpu->level.guess, to = v->nfrom ? v->from[v->nfrom - 1] : from;

	v->nfrom -= v->nfrom > 0;
	if (to > from || (!to && b->pc >> 63))
		to = from;
	leave(cpu);
	v->returned_from = from;
	cpu->level.guess = to;
	pmk_level_settle(cpu);
}

void pmk_a64_show_level(struct pmk_cpu *cpu, uint32_t info)
{
	int level = pmk_emulator.level(info);

	if (level < 0)
		return;
	cpu->level.guess = (uint8_t)level;
	pmk_emulator.enter_level(cpu->index, (unsigned)level);
}
