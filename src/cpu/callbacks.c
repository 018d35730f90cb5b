// SPDX-License-Identifier: MIT
/* Functions that the callbacks of all families share. See callbacks.h. */
#include "cpu/callbacks.h"

#include <string.h>

#include "cpu/family.h"

struct pmk_cpu *pmk_cpus[PMK_MAX_VCPUS];
struct pmk_emulator pmk_emulator;
struct pmk_rests pmk_rests[PMK_MAX_VCPUS];

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
	const struct pmk_cpu *cpu = pmk_cpus[vcpu];
	const struct pmk_block *left = cpu->prev;
	struct pmk_rests *r = &pmk_rests[vcpu];
	const struct pmk_rest rest = {
		.pc = access->fall,
		.of = left,
		.execution = cpu->executions[left->id].count,
		.path = cpu->sites ? cpu->sites->path : 0,
	};
	const struct pmk_rest *last = r->n ? &r->rest[r->n - 1] : NULL;

	if (access->pc < left->pc || access->pc >= left->end_addr)
		return;
	if (last && last->pc == rest.pc && last->of == left && last->execution == rest.execution)
		return;		   /* the rest of this instruction is stored already */
	if (r->n == PMK_MAX_RESTS) /* the table is full: drop the oldest rest */
		memmove(r->rest, r->rest + 1, --r->n * sizeof(rest));
	r->rest[r->n++] = rest;
}

/* Continues with rest number `index`, and removes it from the table. */
static void rest_begin(unsigned vcpu, unsigned index)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	const struct pmk_core_run *run = pmk_core_family(&cpu->core)->run;
	struct pmk_rests *r = &pmk_rests[vcpu];
	const struct pmk_block *of = r->rest[index].of;

	memmove(r->rest + index, r->rest + index + 1, (--r->n - index) * sizeof(r->rest[0]));
	if (run->resumed)
		run->resumed(cpu, of);
	cpu->prev = of;
	pmk_sites_resume(cpu, of);
}

bool pmk_rest_continues(unsigned vcpu, const struct pmk_block *block)
{
	const struct pmk_rests *r = &pmk_rests[vcpu];

	for (unsigned i = r->n; i > 0; i--) {
		const struct pmk_rest *rest = &r->rest[i - 1];

		if (block->pc != rest->pc || block->end_addr != rest->of->end_addr)
			continue;
		rest_begin(vcpu, i - 1);
		return true;
	}
	return false;
}

void pmk_rest_never(unsigned vcpu)
{
	struct pmk_cpu *cpu = pmk_cpus[vcpu];
	struct pmk_rests *r = &pmk_rests[vcpu];

	for (; r->n; r->n--) {
		const struct pmk_rest *rest = &r->rest[r->n - 1];

		if (cpu->sites)
			cpu->sites->path = rest->path;
		cpu->prev = rest->of;
		pmk_sites_resume(cpu, rest->of);
		pmk_cpu_left_at(cpu, rest->pc);
	}
}

void pmk_fetch_handler(unsigned vcpu, void *start)
{
	const struct pmk_block *block = start, *p;
	struct pmk_cpu *cpu = pmk_cpus[vcpu];

	pmk_cpu_left_early(cpu, block);
	p = cpu->prev;
	if ((p->flow == PMK_FLOW_JUMP || p->flow == PMK_FLOW_CALL) && block->pc != p->target &&
	    block->pc != p->fall)
		cpu->prev = cpu->origin;
}

/* ---- starting blocks without a function of the family ---------------------------------------- */

/* Starts a block in any way for which the family has no function. `way` and `handler` are
 * constants, with the same meaning as for pmk_block_choose(). A plain start comes here only for the
 * block of a handler. */
PMK_INLINE void block_start(unsigned vcpu, void *block, enum pmk_block_way way, bool handler)
{
	const struct pmk_core *core = &pmk_cpus[vcpu]->core;
	const struct pmk_block_fns *fns = pmk_core_family(core)->callbacks->on_block(core);

	if (core->system && pmk_rest_is(vcpu, block))
		return;
	if (core->system)
		fns->before(pmk_cpus[vcpu], block);
	if (handler)
		fns->handle(pmk_cpus[vcpu], block);
	if (way == PMK_BLOCK_FOLLOWED || way == PMK_BLOCK_BOUNDARY)
		pmk_emulator.follow(vcpu, block, way == PMK_BLOCK_BOUNDARY);
	if (way == PMK_BLOCK_PLAIN || way == PMK_BLOCK_BOOKED)
		fns->booked(vcpu, block);
	else
		fns->eager(vcpu, block);
}

static void block_eager(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_EAGER, false);
}

static void block_followed(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_FOLLOWED, false);
}

static void block_boundary(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_BOUNDARY, false);
}

static void block_booked(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_BOOKED, false);
}

static void handler_plain(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_PLAIN, true);
}

static void handler_eager(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_EAGER, true);
}

static void handler_followed(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_FOLLOWED, true);
}

static void handler_boundary(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_BOUNDARY, true);
}

static void handler_booked(unsigned vcpu, void *block)
{
	block_start(vcpu, block, PMK_BLOCK_BOOKED, true);
}

pmk_block_fn *pmk_block_choose(const struct pmk_core *core, bool single, bool handler,
			       enum pmk_block_way way)
{
	static pmk_block_fn *const of_handler[PMK_BLOCK_NWAYS] = {
		handler_plain, handler_eager, handler_followed, handler_boundary, handler_booked,
	};
	const struct pmk_block_fns *fns = pmk_core_family(core)->callbacks->on_block(core);

	if (handler)
		return of_handler[way];
	switch (way) {
	case PMK_BLOCK_EAGER:
		return core->system ? block_eager : fns->eager;
	case PMK_BLOCK_FOLLOWED:
		return block_followed;
	case PMK_BLOCK_BOUNDARY:
		return block_boundary;
	case PMK_BLOCK_BOOKED:
		return core->system ? block_booked : fns->booked;
	case PMK_BLOCK_PLAIN:
	case PMK_BLOCK_NWAYS:
		break;
	}
	return single ? fns->single : fns->plain;
}
