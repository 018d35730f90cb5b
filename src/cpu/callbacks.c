// SPDX-License-Identifier: MIT
/* Functions that the callbacks of all families share. See callbacks.h. */
#include "cpu/callbacks.h"

#include <string.h>

#include "cpu/family.h"

struct pmk_cpu *pmk_cpus[PMK_MAX_VCPUS];
struct pmk_emulator pmk_emulator;
struct pmk_rests pmk_rests[PMK_MAX_VCPUS];
__thread struct pmk_access_seen pmk_access_seen;

void pmk_level_settle(struct pmk_cpu *cpu)
{
	int level = -1;

	if (cpu->level.open && pmk_emulator.level_now)
		level = pmk_emulator.level_now(cpu->index);
	if (level < 0)
		return;
	cpu->level.guess = (uint8_t)level;
	pmk_emulator.enter_level(cpu->index, (unsigned)level);
}

void pmk_rest_expect(unsigned vcpu, const struct pmk_block *access)
{
	const struct pmk_block *left = pmk_cpus[vcpu]->prev;
	struct pmk_rests *r = &pmk_rests[vcpu];
	const struct pmk_rest rest = { .pc = access->fall, .of = left };
	const struct pmk_rest *last = r->n ? &r->rest[r->n - 1] : NULL;

	if (access->pc < left->pc || access->pc >= left->end_addr)
		return;
	if (last && last->pc == rest.pc && last->of == left)
		return;		   /* a later word of the same instruction */
	if (r->n == PMK_MAX_RESTS) /* full: the oldest rest will not start any more */
		memmove(r->rest, r->rest + 1, --r->n * sizeof(rest));
	r->rest[r->n++] = rest;
}

void pmk_rest_begins(struct pmk_cpu *cpu, const struct pmk_block *of)
{
	const struct pmk_core_run *run = pmk_core_family(&cpu->core)->run;

	if (run->resumed)
		run->resumed(cpu);
	cpu->prev = of;
	pmk_sites_resume(cpu, of);
}

void pmk_rest_never(unsigned vcpu)
{
	struct pmk_rests *r = &pmk_rests[vcpu];

	if (pmk_rest_is_due(vcpu))
		pmk_cpu_left_at(pmk_cpus[vcpu], r->rest[r->n - 1].pc);
}

void pmk_fetched_before_handler(struct pmk_cpu *cpu, const struct pmk_block *block)
{
	const struct pmk_block *p;

	pmk_cpu_left_early(cpu, block);
	p = cpu->prev;
	if ((p->flow == PMK_FLOW_JUMP || p->flow == PMK_FLOW_CALL) && block->pc != p->target &&
	    block->pc != p->fall)
		cpu->prev = cpu->origin;
}
