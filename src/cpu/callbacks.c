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

/* ---- starts of blocks that no family has a function of its own for --------------------------- */

static const struct pmk_block_fns *block_fns(unsigned vcpu)
{
	const struct pmk_core *core = &pmk_cpus[vcpu]->core;

	return pmk_core_family(core)->callbacks->on_block(core);
}

static void start_following(unsigned vcpu, void *block, bool boundary)
{
	pmk_emulator.follow(vcpu, block, boundary);
	if (pmk_cpus[vcpu]->crossing)
		block_fns(vcpu)->crossing(vcpu, block);
	else
		block_fns(vcpu)->eager(vcpu, block);
}

static void start_followed(unsigned vcpu, void *block)
{
	start_following(vcpu, block, false);
}

static void start_boundary(unsigned vcpu, void *block)
{
	start_following(vcpu, block, true);
}

static void handler_plain(unsigned vcpu, void *block)
{
	block_fns(vcpu)->handle(pmk_cpus[vcpu], block);
	block_fns(vcpu)->plain(vcpu, block);
}

static void handler_eager(unsigned vcpu, void *block)
{
	block_fns(vcpu)->handle(pmk_cpus[vcpu], block);
	block_fns(vcpu)->eager(vcpu, block);
}

static void handler_followed(unsigned vcpu, void *block)
{
	block_fns(vcpu)->handle(pmk_cpus[vcpu], block);
	start_followed(vcpu, block);
}

static void handler_boundary(unsigned vcpu, void *block)
{
	block_fns(vcpu)->handle(pmk_cpus[vcpu], block);
	start_boundary(vcpu, block);
}

static void handler_booked(unsigned vcpu, void *block)
{
	block_fns(vcpu)->handle(pmk_cpus[vcpu], block);
	block_fns(vcpu)->booked(vcpu, block);
}

/* System emulation: returns false if the block is the rest of another one and has been counted. */
static bool system_begins(unsigned vcpu, const struct pmk_block *block)
{
	if (pmk_rest_is(vcpu, block))
		return false;
	block_fns(vcpu)->before(pmk_cpus[vcpu], block);
	return true;
}

static void system_eager(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		block_fns(vcpu)->eager(vcpu, block);
}

static void system_followed(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		start_followed(vcpu, block);
}

static void system_boundary(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		start_boundary(vcpu, block);
}

static void system_booked(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		block_fns(vcpu)->booked(vcpu, block);
}

static void system_handler_plain(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		handler_plain(vcpu, block);
}

static void system_handler_eager(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		handler_eager(vcpu, block);
}

static void system_handler_followed(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		handler_followed(vcpu, block);
}

static void system_handler_boundary(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		handler_boundary(vcpu, block);
}

static void system_handler_booked(unsigned vcpu, void *block)
{
	if (system_begins(vcpu, block))
		handler_booked(vcpu, block);
}

pmk_block_fn *pmk_block_choose(const struct pmk_core *core, enum pmk_world world, bool handler,
			       enum pmk_block_way way)
{
	/* [system][handler][way]; NULL: a function of the family */
	static pmk_block_fn *const common[2][2][PMK_BLOCK_NWAYS] = {
		{ { NULL, NULL, start_followed, start_boundary, NULL },
		  { handler_plain, handler_eager, handler_followed, handler_boundary,
		    handler_booked } },
		{ { NULL, system_eager, system_followed, system_boundary, system_booked },
		  { system_handler_plain, system_handler_eager, system_handler_followed,
		    system_handler_boundary, system_handler_booked } },
	};
	const struct pmk_block_fns *fns = pmk_core_family(core)->callbacks->on_block(core);

	if (common[world == PMK_WORLD_SYSTEM][handler][way])
		return common[world == PMK_WORLD_SYSTEM][handler][way];
	if (way == PMK_BLOCK_EAGER)
		return fns->eager;
	if (way == PMK_BLOCK_BOOKED)
		return fns->booked;
	return world == PMK_WORLD_SYSTEM   ? fns->system
	       : world == PMK_WORLD_THREAD ? fns->thread
					   : fns->plain;
}
