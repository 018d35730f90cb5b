// SPDX-License-Identifier: MIT
#include "cpu/fault.h"

#include <string.h>

#include "cpu/family.h"
#include "cpu/sites.h"

/* The longest block that emulators translate. */
#define MAX_INSNS 512

bool pmk_may_fault(const struct pmk_core *core, const struct pmk_insn *in)
{
	return in->load || in->store || (in->kind & pmk_core_family(core)->decoder->traps);
}

/* True if the instruction of the last access will make more accesses. */
static bool is_under_way(const struct pmk_cpu *cpu)
{
	const struct pmk_core_run *run = pmk_core_family(&cpu->core)->run;

	return cpu->access && run->is_under_way && run->is_under_way(cpu);
}

/* Returns how many instructions of the block may fault and are not known to have been passed. */
static unsigned not_passed(const struct pmk_cpu *cpu, const struct pmk_block *p)
{
	return cpu->access ? pmk_access_behind(cpu->access) + is_under_way(cpu) : p->nfaults;
}

static bool makes_access(const struct pmk_insn *in)
{
	return in->load || in->store;
}

/* True if the core always learns when instruction `i` of `p` has been passed. */
static bool passing_is_told(const struct pmk_cpu *cpu, const struct pmk_block *p, size_t i)
{
	const struct pmk_insn *in = &p->insn[i];

	if (cpu->core.timeless && i + 1U < p->ninsns)
		return false;
	return !pmk_fault_unsure(in) || (p->tells && in->addr != p->end_addr);
}

/*
 * The instructions of a block that may fault and are not known to have been passed: the "open"
 * instructions.
 */
struct open {
	size_t first; /* index of the first open instruction */
	bool told;    /* passing at least one open instruction would have been reported */
	bool traps;   /* an open instruction makes no access */
};

/* Finds the open instructions: the last `left` instructions of the block that may fault. */
static struct open find_open(const struct pmk_cpu *cpu, const struct pmk_block *p, unsigned left)
{
	struct open open = { .first = p->ninsns };

	while (left > 0) {
		const struct pmk_insn *in = &p->insn[--open.first];

		if (!pmk_may_fault(&cpu->core, in))
			continue;
		open.told |= passing_is_told(cpu, p, open.first);
		open.traps |= !makes_access(in);
		left--;
	}
	return open;
}

/*
 * Decides whether one of the open instructions of `p` has faulted. If pmk cannot know this, it
 * marks the core as unsure, and assumes a fault only if the first open instruction makes no access.
 */
static bool has_faulted(struct pmk_cpu *cpu, const struct pmk_block *p, const struct open *open,
			enum pmk_cause cause)
{
	bool maybe = cause == PMK_CAUSE_MAYBE || (cause == PMK_CAUSE_MAYBE_TRAP && open->traps);

	if (open->told || cause == PMK_CAUSE_FAULT)
		return true;
	if (!maybe || (cpu->core.timeless && p->flow == PMK_FLOW_NEXT))
		return false;
	cpu->unsure = true;
	return !makes_access(&p->insn[open->first]);
}

struct pmk_insn pmk_fault_without_effect(const struct pmk_insn *in)
{
	if (!makes_access(in))
		return *in;
	return (struct pmk_insn){
		.addr = in->addr,
		.size = in->size,
		.decoded = in->decoded,
		PMK_NO_REGS,
	};
}

/*
 * Computes the part of the block `p` that has not run if only its first `n` instructions have run.
 */
static void rest_behind(const struct pmk_cpu *cpu, const struct pmk_block *p,
			const struct pmk_insn *insn, size_t n, struct pmk_cpu_rest *rest)
{
	struct pmk_pipe_slot pipe[MAX_INSNS];
	struct pmk_block ran;

	pmk_block_build(&cpu->core, insn, n, pipe, &ran);
	rest->cycles = p->cycles > ran.cycles ? p->cycles - ran.cycles : 0;
	for (unsigned k = 0; k < pmk_core_family(&cpu->core)->counts->nfacts; k++)
		rest->fact[k] = p->facts.n[k] - ran.facts.n[k];
}

/* Finds the part of the block `p` that has not run, if it was left early. Returns false if all of
 * it has run, as far as pmk can know. */
static bool find_rest(struct pmk_cpu *cpu, const struct pmk_block *p, enum pmk_cause cause,
		      struct pmk_cpu_rest *rest)
{
	struct pmk_insn insn[MAX_INSNS];
	unsigned left = not_passed(cpu, p);
	struct open open;

	if (pmk_core_is_blind(&cpu->core)) {
		cpu->unsure |= cause != PMK_CAUSE_OTHER;
		return false;
	}
	if (!left || left > p->nfaults)
		return false;
	open = find_open(cpu, p, left);
	if (!has_faulted(cpu, p, &open, cause))
		return false;
	if (open.first >= MAX_INSNS) {
		cpu->unsure = true;
		return false;
	}
	memcpy(insn, p->insn, open.first * sizeof(*insn));
	insn[open.first] = pmk_fault_without_effect(&p->insn[open.first]);
	/*
	 * pmk is unsure if the first open instruction may have completed. In that case, a later
	 * instruction or the next fetch has faulted.
	 */
	rest->unsure = !p->tells && !is_under_way(cpu) && pmk_fault_unsure(&p->insn[open.first]);
	rest_behind(cpu, p, insn, open.first + 1, rest);
	rest->insn = (uint32_t)open.first;
	return true;
}

static void add_rest(struct pmk_cpu *cpu, const struct pmk_cpu_rest *rest, int n)
{
	const struct pmk_core_counts *counts = pmk_core_family(&cpu->core)->counts;

	cpu->cycles += (uint64_t)n * rest->cycles;
	for (unsigned k = 0; k < counts->nfacts; k++)
		cpu->dyn[counts->fact_signal[k]] += (uint64_t)((int64_t)n * rest->fact[k]);
}

static void take_back(struct pmk_cpu *cpu, const struct pmk_cpu_rest *rest)
{
	if (cpu->core.timeless)
		return; /* without a clock, no block is counted as a whole */
	add_rest(cpu, rest, -1);
	cpu->unsure |= rest->unsure;
}

static void drop(struct pmk_cpu *cpu)
{
	if (pmk_core_family(&cpu->core)->run->drop)
		pmk_core_family(&cpu->core)->run->drop(cpu);
}

bool pmk_cpu_fault(struct pmk_cpu *cpu, enum pmk_cause cause)
{
	struct pmk_cpu_rest rest;

	if (!find_rest(cpu, cpu->prev, cause, &rest))
		return false;
	drop(cpu);
	if (cpu->sites)
		pmk_sites_fault(cpu, PMK_SITE_FAULT + rest.insn);
	take_back(cpu, &rest);
	if (cpu->sites)
		pmk_sites_taken_back(cpu);
	cpu->prev = cpu->origin;
	return true;
}

static bool goes_on(const struct pmk_block *p, const struct pmk_block *b)
{
	return !p->tells && !pmk_goes_anywhere(p) && (b->pc == p->target || b->pc == p->fall);
}

/*
 * Returns why the handler `b` is entered. The host's signal shows the faults of a program, except
 * faults that the emulator detects by itself: alignment and traps.
 */
static enum pmk_cause cause_of(const struct pmk_cpu *cpu, const struct pmk_block *b, bool seen)
{
	if (seen || (cpu->core.system && b->faulted))
		return PMK_CAUSE_FAULT;
	if (b->misaligned)
		return PMK_CAUSE_MAYBE;
	return b->faulted ? PMK_CAUSE_MAYBE_TRAP : PMK_CAUSE_OTHER;
}

void pmk_cpu_left_early(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	bool seen = cpu->fault.seen;

	cpu->fault.seen = false;
	if (seen || !cpu->core.timeless || !goes_on(cpu->prev, b))
		pmk_cpu_fault(cpu, cause_of(cpu, b, seen));
}

void pmk_cpu_left_at(struct pmk_cpu *cpu, uint64_t pc)
{
	const struct pmk_block *p = cpu->prev;
	struct pmk_cpu_rest rest = { .unsure = false };
	size_t n = 0;

	while (n < p->ninsns && p->insn[n].addr < pc)
		n++;
	if (!n || n > MAX_INSNS)
		return;
	rest_behind(cpu, p, p->insn, n, &rest);
	if (cpu->sites)
		pmk_sites_fault(cpu, PMK_SITE_LEFT + (uint32_t)(n - 1));
	take_back(cpu, &rest);
	if (cpu->sites)
		pmk_sites_taken_back(cpu);
}

const struct pmk_insn *pmk_cpu_find_fault(const struct pmk_cpu *cpu)
{
	const struct pmk_block *p = cpu->prev;
	unsigned left = not_passed(cpu, p);

	return left && left <= p->nfaults ? &p->insn[find_open(cpu, p, left).first] : NULL;
}

/* Returns the index of the first access that the emulator has not reported. */
static size_t find_access(const struct pmk_cpu *cpu, const struct pmk_block *p)
{
	const struct pmk_insn *in = pmk_cpu_find_fault(cpu);
	size_t i = in ? (size_t)(in - p->insn) : p->ninsns;

	while (i < p->ninsns && !makes_access(&p->insn[i]))
		i++;
	return i;
}

uint64_t pmk_cpu_pause(struct pmk_cpu *cpu, struct pmk_cpu_rest *rest)
{
	const struct pmk_block *p = cpu->prev;
	size_t i = find_access(cpu, p);

	*rest = (struct pmk_cpu_rest){ .unsure = false };
	if (i >= p->ninsns || i >= MAX_INSNS)
		return p->pc;
	rest_behind(cpu, p, p->insn, i + 1, rest);
	add_rest(cpu, rest, -1);
	return p->insn[i].addr;
}

void pmk_cpu_go_on(struct pmk_cpu *cpu, const struct pmk_cpu_rest *rest)
{
	add_rest(cpu, rest, 1);
}

void pmk_cpu_faults(struct pmk_cpu *cpu)
{
	struct pmk_cpu_rest *rest = &cpu->fault.rest;

	cpu->fault.prev = NULL;
	cpu->fault.seen = true;
	if (!find_rest(cpu, cpu->prev, PMK_CAUSE_FAULT, rest))
		return;
	cpu->fault.prev = cpu->prev;
	cpu->fault.access = cpu->access;
	cpu->fault.cycles = cpu->cycles;
	if (cpu->sites)
		pmk_sites_may_end(cpu);
}

void pmk_cpu_fault_handled(struct pmk_cpu *cpu)
{
	cpu->fault.seen = false;
}

bool pmk_cpu_ended(struct pmk_cpu *cpu)
{
	bool there = cpu->fault.prev && cpu->fault.prev == cpu->prev &&
		     cpu->fault.access == cpu->access && cpu->fault.cycles == cpu->cycles;

	/* Without a clock, pmk does not know whether the block ended. But if the last instruction
	 * was going to make more accesses, it will not make them now. */
	if (there || cpu->core.timeless)
		drop(cpu);
	if (there)
		take_back(cpu, &cpu->fault.rest);
	return there;
}
