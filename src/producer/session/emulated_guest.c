// SPDX-License-Identifier: MIT
/*
 * The PMU that the emulated code programs itself. This file handles accesses to its registers, its
 * inputs and its interrupt lines.
 */
#include "producer/session/emulated_internal.h"

#include <string.h>

#include <pmk/armv8.h>
#include <pmk/armv8_model.h>

const struct pmk_model_ops *pmk_emulated_guest_ops(const struct pmk_emulated_config *cfg)
{
	return cfg->guest ? pmk_model_find(pmk_emulated_guest(cfg)) : NULL;
}

void pmk_emulated_set_input(const struct pmk_model_ops *ops, void *model, struct pmk_bus *bus,
			    const char *name, uint64_t value)
{
	for (unsigned i = 0; ops->inputs && ops->inputs[i]; i++)
		if (!strcmp(ops->inputs[i], name))
			ops->input(model, bus, i, value);
}

void pmk_emulated_reset(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	const struct pmk_model_ops *ops = pmk_emulated_guest_ops(cfg);
	struct pmk_pmu pmu;

	if (!ops)
		return;
	pmu = *pmk_emulated_guest(cfg);
	if (pmk_emulated_on_buses(e))
		pmu.family = &cfg->layout;
	ops->reset(e->guest, pmk_emulated_counted_bus(e), &pmu);
	if (!cfg->guest_controlled)
		pmk_emulated_set_input(ops, e->guest, pmk_emulated_counted_bus(e), "mdcr_el3",
				       PMK_MDCR_EL3_SPME);
}

static int reach(const struct pmk_model_ops *ops, uint64_t *model, struct pmk_bus *bus,
		 const struct pmk_guest_access *a, uint64_t *value)
{
	struct pmk_armv8_model *v8 = (struct pmk_armv8_model *)model;
	const struct pmk_guest_cp15 *p = &a->cp15;
	uint32_t word = (uint32_t)*value;
	int err;

	if (!p->used)
		return a->write ? ops->write(model, bus, a->mode, a->reg, *value)
				: ops->read(model, bus, a->mode, a->reg, value);
	if (p->wide)
		return a->write ? pmk_armv8_mcrr(v8, bus, a->mode, *value)
				: pmk_armv8_mrrc(v8, bus, a->mode, value);
	if (a->write)
		return pmk_armv8_mcr(v8, bus, a->mode, p->crn, p->crm, p->opc2, word);
	err = pmk_armv8_mrc(v8, bus, a->mode, p->crn, p->crm, p->opc2, &word);
	*value = word;
	return err;
}

/*
 * Delays the present access until the cycle after the previous access. A core makes at most one
 * access in a cycle (our choice). So cores that execute several instructions in a cycle take
 * longer.
 */
static void wait_for_access(struct pmk_emulated *e)
{
	if (e->guest_accessed && e->cpu.cycles <= e->guest_accessed)
		pmk_cpu_idle(&e->cpu, e->guest_accessed + 1 - e->cpu.cycles);
	e->guest_accessed = e->cpu.cycles;
}

int pmk_emulated_access(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, struct pmk_guest_access *a,
			uint64_t *value)
{
	const struct pmk_model_ops *ops = pmk_emulated_guest_ops(cfg);
	struct pmk_bus *bus = pmk_emulated_counted_bus(e);
	int err;

	wait_for_access(e);
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	if (pmk_emulated_on_buses(e))
		pmk_biu_catch_up(&e->chip.biu, e->cpu.cycles);
	pmk_model_forgive(ops, e->guest);
	err = reach(ops, e->guest, bus, a, value);
	a->oddities = pmk_model_oddities(ops, e->guest);
	pmk_emulated_set_deadline(e, cfg);
	return err;
}

int pmk_emulated_may(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
		     const struct pmk_guest_access *a, unsigned *trap)
{
	const struct pmk_model_ops *ops = pmk_emulated_guest_ops(cfg);
	uint64_t copy[PMK_MODEL_BYTES / 8], value = 0;
	const struct pmk_armv8_model *v8 = (const struct pmk_armv8_model *)copy;
	int err;

	memcpy(copy, e->guest, ops->size);
	err = reach(ops, copy, pmk_emulated_counted_bus(e), a, &value);
	*trap = err && ops->pmu->driver == pmk_armv8.driver && v8->trap.ec ? v8->trap.el : 0;
	return err;
}

void pmk_emulated_control(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			  const struct pmk_emulated_blocks *b, const char *input, uint64_t value)
{
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	pmk_emulated_set_input(pmk_emulated_guest_ops(cfg), e->guest, pmk_emulated_counted_bus(e),
			       input, value);
	pmk_emulated_set_deadline(e, cfg);
}

unsigned pmk_emulated_lines(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	const struct pmk_model_ops *ops = pmk_emulated_guest_ops(cfg);

	return ops && ops->lines ? ops->lines(e->guest) : 0;
}
