// SPDX-License-Identifier: MIT
/*
 * Exception levels of A64 cores. Some emulators have functions that pmk can call, and that report
 * the level after an exception or a return from one. Other emulators report the level of an access,
 * but not of a block. With the latter emulators, the level is unknown until the first access, and
 * code that ran before this access is counted at the level of the access. If there is no access
 * before the next change of level, the level follows from how exceptions nest:
 *
 * - A return goes back to the level that the exception was taken from. An address in the upper half
 *   (a kernel's half) is never EL0.
 * - A vector says whether the exception came from the handler's own level or from a lower one (DDI
 *   0487, D1.10.2). Unless more is known, pmk takes the lower one to be the level directly below
 *   (our choice).
 */
#include "cpu/a64/a64.h"

#define HIGHEST 3

/* Tells the emulator's side that the core leaves its level. The next level is not known yet. */
static void leave(struct pmk_cpu *cpu)
{
	pmk_emulator.leave_level(cpu->index);
	cpu->level.open = true;
}

static void push(struct pmk_a64 *v, uint8_t level)
{
	if (v->nfrom == PMK_A64_NESTED) /* full, because returns did not match: forget all */
		v->nfrom = 0;
	v->from[v->nfrom++] = level;
}

void pmk_a64_takes(struct pmk_cpu *cpu, bool from_lower)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint8_t handler = v->returned_from;

	/* No access was made since the last exception return, so the code since then ran at the
	 * level of the handler that returned, or below. */
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
