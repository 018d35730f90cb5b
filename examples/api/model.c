/* SPDX-License-Identifier: MIT */
/*
 * A model of an ARM1176's counters on the bus of your own simulator.
 *
 * The simulator reports events to the bus; the program that it runs accesses the registers. The
 * model does no work per cycle. It reads the totals of the bus when a register is accessed, and
 * when a counter is about to overflow.
 */
#include <stdio.h>

#include <pmk/arm11.h>
#include <pmk/arm11_model.h>

/* What a guest writes to PMNC: count dcache_miss (0x0b) and instr_exec (0x07), interrupt when PMN0
 * overflows, set all counters to 0, start. */
#define PMNC_GO 0x00b07017u

struct simulator {
	struct pmk_bus bus;
	struct pmk_arm11_model pmu;
	const struct pmk_model_ops *ops;
	unsigned interrupts;
};

static void init(struct simulator *s)
{
	static const enum pmk_signal raised[] = { PMK_SIG_CYCLE, PMK_SIG_INSN, PMK_SIG_L1D_MISS };
	struct pmk_arm11_params params = pmk_arm11_defaults(&pmk_arm1176);

	pmk_bus_init(&s->bus);
	for (unsigned i = 0; i < sizeof(raised) / sizeof(raised[0]); i++)
		pmk_signal_add(&s->bus.raised, raised[i]);
	/* ARM's documents do not say whether a write while E is 0 clears a flag. Here it does. */
	params.strict_e_clear = false;
	pmk_arm11_model_reset(&s->pmu, &pmk_arm1176, &params, &s->bus);
	s->ops = pmk_model_find(&pmk_arm1176);
	s->interrupts = 0;
}

/* Executes an instruction of the simulated program. */
static void step(struct simulator *s, bool miss)
{
	unsigned before = s->ops->lines(&s->pmu);

	pmk_bus_add(&s->bus, PMK_SIG_INSN, 1);
	pmk_bus_add(&s->bus, PMK_SIG_CYCLE, miss ? 20 : 1);
	if (miss)
		pmk_bus_add(&s->bus, PMK_SIG_L1D_MISS, 1);
	if (!pmk_bus_due(&s->bus))
		return;
	s->ops->sync(&s->pmu, &s->bus);
	pmk_bus_forget(&s->bus);
	s->ops->ask(&s->pmu, &s->bus);
	if (s->ops->lines(&s->pmu) & ~before)
		s->interrupts++;
}

/* MRC and MCR of the simulated program. They return false if it takes an Undefined exception. */
static bool mrc(struct simulator *s, unsigned reg, uint64_t *value)
{
	return s->ops->read(&s->pmu, &s->bus, PMK_MODE_PRIV, reg, value) == 0;
}

static bool mcr(struct simulator *s, unsigned reg, uint64_t value)
{
	return s->ops->write(&s->pmu, &s->bus, PMK_MODE_PRIV, reg, value) == 0;
}

int main(void)
{
	static struct simulator s;
	uint64_t ccnt, misses, insns;

	init(&s);
	if (!mcr(&s, PMK_ARM11_PMNC, PMNC_GO) || !mcr(&s, PMK_ARM11_PMN0, 0xffffffff - 50 + 1))
		return 1;
	for (unsigned i = 0; i < 1000; i++)
		step(&s, i % 10 == 0);
	/* In Debug state the counters stop. */
	pmk_arm11_model_input(&s.pmu, &s.bus, PMK_ARM11_IN_DEBUG, true);
	step(&s, false);
	if (!mrc(&s, PMK_ARM11_CCNT, &ccnt) || !mrc(&s, PMK_ARM11_PMN0, &misses) ||
	    !mrc(&s, PMK_ARM11_PMN1, &insns))
		return 1;
	printf("cycles %u, misses %u since the overflow, instructions %u, interrupts %u\n",
	       (unsigned)ccnt, (unsigned)misses, (unsigned)insns, s.interrupts);
	return 0;
}
