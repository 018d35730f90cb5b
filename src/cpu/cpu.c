// SPDX-License-Identifier: MIT
/* Functions that running cores of all families share: start, end and totals. See cpu.h. */
#include "cpu/cpu.h"

#include <string.h>

#include "cpu/family.h"
#include "cpu/sites.h"

int pmk_cpu_init(struct pmk_cpu *cpu, const struct pmk_core *core)
{
	int err;

	memset(cpu, 0, sizeof(*cpu));
	cpu->core = *core;
	cpu->igen = 1;
	cpu->deadline = PMK_NEVER;
	err = pmk_core_family(core)->run->init(cpu);
	cpu->origin = cpu->prev;
	return err;
}

void pmk_cpu_fini(struct pmk_cpu *cpu)
{
	pmk_core_family(&cpu->core)->run->fini(cpu);
}

void pmk_cpu_forked(struct pmk_cpu *cpu, struct pmk_executions *executions)
{
	/* The clock restarts at 0, so the family must drop everything that would end at a time of
	 * the old clock. */
	pmk_core_family(&cpu->core)->run->forked(cpu);
	memset(cpu->dyn, 0, sizeof(cpu->dyn));
	cpu->cycles = cpu->taken = 0;
	cpu->executions = executions;
}

/* Copies those counts of the family that are not signals from `from` into `cpu`, so that they
 * continue. */
static void take_beside(struct pmk_cpu *cpu, const union pmk_cpu_own *from)
{
	const struct pmk_counted_beside *b = pmk_core_family(&cpu->core)->counts->beside;

	for (; b && b->n; b++) {
		size_t at = b->offset - offsetof(struct pmk_cpu, own);

		memcpy((char *)&cpu->own + at, (const char *)from + at, b->n * sizeof(uint64_t));
	}
}

void pmk_cpu_forget(struct pmk_cpu *cpu)
{
	cpu->igen++;
}

int pmk_cpu_cold(struct pmk_cpu *cpu, union pmk_cpu_own *kept)
{
	int err;

	pmk_core_family(&cpu->core)->run->forget(cpu);
	*kept = cpu->own;
	memset(&cpu->own, 0, sizeof(cpu->own));
	err = pmk_core_family(&cpu->core)->run->init(cpu);
	take_beside(cpu, kept);
	return err;
}

void pmk_cpu_stale(struct pmk_cpu *cpu, const union pmk_cpu_own *kept)
{
	union pmk_cpu_own cold;

	pmk_core_family(&cpu->core)->run->forget(cpu);
	cold = cpu->own;
	pmk_core_family(&cpu->core)->run->fini(cpu);
	cpu->own = *kept;
	take_beside(cpu, &cold);
}

void pmk_cpu_discard(const struct pmk_core *core, const union pmk_cpu_own *kept)
{
	struct pmk_cpu old = { .core = *core, .own = *kept };

	pmk_core_family(core)->run->fini(&old);
}

struct pmk_signal_set pmk_cpu_signals(const struct pmk_core_counts *counts, const uint8_t *derived)
{
	struct pmk_signal_set set = { { 0 } };

	for (unsigned i = 0; i < counts->nfacts; i++)
		pmk_signal_add(&set, counts->fact_signal[i]);
	for (const struct pmk_counted_signal *c = counts->counted; c->signal != PMK_SIG_CYCLE; c++)
		pmk_signal_add(&set, c->signal);
	for (; *derived != PMK_SIG_CYCLE; derived++)
		pmk_signal_add(&set, *derived);
	pmk_signal_add(&set, PMK_SIG_CYCLE);
	return set;
}

void pmk_signals_remove(struct pmk_signal_set *set, const uint8_t *list)
{
	for (; *list != PMK_SIG_CYCLE; list++)
		set->bits[*list / 64] &= ~(UINT64_C(1) << *list % 64);
}

struct pmk_signal_set pmk_cpu_raises(const struct pmk_core *core)
{
	return pmk_core_family(core)->counts->raises(core);
}

uint32_t pmk_cpu_longest(const struct pmk_core *core)
{
	const struct pmk_core_counts *counts = pmk_core_family(core)->counts;

	return counts->longest ? counts->longest(core) : 0;
}

void pmk_cpu_add_facts(struct pmk_cpu *cpu, const struct pmk_facts *f)
{
	const struct pmk_core_counts *counts = pmk_core_family(&cpu->core)->counts;

	for (unsigned k = 0; k < counts->nfacts; k++)
		cpu->dyn[counts->fact_signal[k]] += f->n[k];
}

/* Adds the counts of a block `n` times. `n` is 1 when the block starts, and -1 to take its counts
 * back. */
static void count_block(struct pmk_cpu *cpu, const struct pmk_block *b, int n)
{
	const struct pmk_core_counts *counts = pmk_core_family(&cpu->core)->counts;

	cpu->cycles += (uint64_t)(int64_t)n * b->cycles;
	if (!cpu->eager)
		cpu->executions[b->id].count += (uint64_t)(int64_t)n;
	for (unsigned k = 0; cpu->eager && k < counts->nfacts; k++)
		cpu->dyn[counts->fact_signal[k]] += (uint64_t)(int64_t)(n * b->facts.n[k]);
}

void pmk_cpu_deadline(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	count_block(cpu, b, -1);
	cpu->on_deadline(cpu);
	count_block(cpu, b, 1);
}

void pmk_cpu_cross(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	count_block(cpu, b, -1);
	cpu->on_crossing(cpu);
	count_block(cpu, b, 1);
	cpu->crossing = false;
}

void pmk_cpu_sum(const struct pmk_cpu *cpu, const struct pmk_facts *facts,
		 const struct pmk_executions *executions, uint32_t nblocks, struct pmk_bus *bus)
{
	uint64_t sum[PMK_NFACTS] = { 0 };
	uint64_t *t = bus->total;
	const struct pmk_core_counts *counts = pmk_core_family(&cpu->core)->counts;

	for (uint32_t i = 0; i < (cpu->eager ? 0 : nblocks); i++) {
		if (!executions[i].count)
			continue;
		for (unsigned k = 0; k < counts->nfacts; k++)
			sum[k] += executions[i].count * facts[i].n[k];
	}
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		t[s] = cpu->dyn[s];
	for (unsigned k = 0; k < counts->nfacts; k++)
		t[counts->fact_signal[k]] += sum[k];
	t[PMK_SIG_CYCLE] = cpu->cycles;
	t[PMK_SIG_PC_CHANGE] += cpu->taken;
	counts->derive(cpu, t);
}

void pmk_cpu_idle(struct pmk_cpu *cpu, uint64_t cycles)
{
	cpu->cycles += cycles;
}
