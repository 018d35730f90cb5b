// SPDX-License-Identifier: MIT
/* Handles events that are counted only at some exception levels. */
#include "producer/session/emulated_internal.h"

#include <pmk/armv8.h>

static void set_pass_input(struct pmk_emulated *e, unsigned pass, const char *name, uint64_t value)
{
	pmk_emulated_set_input(pmk_model_find(e->session.pass[pass].dev.pmu), e->model[pass],
			       &e->bus, name, value);
}

/* Returns the filter of a counter. P excludes EL1, U excludes EL0, and without NSH nothing is
 * counted at EL2. EL3 counts as EL1. */
static uint32_t filter_of(enum pmk_levels levels)
{
	switch (levels) {
	case PMK_LEVELS_USER:
		return PMK_ARMV8_EL0;
	case PMK_LEVELS_KERNEL:
		return PMK_ARMV8_EL1 | PMK_ARMV8_EL0_EL1_EL2;
	case PMK_LEVELS_ALL:
		break;
	}
	return PMK_ARMV8_EL0_EL1_EL2;
}

static int program_filtered(struct pmk_dev *dev, unsigned counter, unsigned code,
			    enum pmk_levels levels)
{
	pmk_armv8_set_filter(dev, filter_of(levels));
	return dev->pmu->driver->program(dev, counter, code);
}

int pmk_emulated_begin_levels(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	const struct pmk_plan *plan = &cfg->plan;
	int err = 0;

	for (unsigned i = 0; !err && i < plan->nevents; i++)
		err = program_filtered(&e->session.pass[plan->event[i].pass].dev,
				       plan->event[i].counter, plan->event[i].code,
				       (enum pmk_levels)cfg->levels[i]);
	for (unsigned i = 0; !err && i < plan->npasses; i++) {
		set_pass_input(e, i, "mdcr_el3", PMK_MDCR_EL3_SPME);
		if (plan->timed)
			err = program_filtered(&e->session.pass[i].dev, plan->timer_counter,
					       plan->timer_code, PMK_LEVELS_ALL);
	}
	e->cpu.level.watched = true;
	e->cpu.level.open = true;
	e->cpu.level.guess = 1;
	return err;
}

/* Sets the level. Everything that has happened since the models were last synchronised with the bus
 * counts at `level`. */
static void set_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg, unsigned level)
{
	for (unsigned i = 0; i < e->session.plan.npasses; i++)
		set_pass_input(e, i, "el", level);
	if (pmk_emulated_guest_ops(cfg))
		pmk_emulated_set_input(pmk_emulated_guest_ops(cfg), e->guest, &e->bus, "el", level);
}

/* Assigns the pending counts, whose level was open (unknown), to `level`. */
static void close_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			unsigned level)
{
	set_level(e, cfg, level);
	e->cpu.level.mistaken |= e->cpu.level.assumed && e->cpu.level.assumed != level + 1;
	e->cpu.level.assumed = 0;
	e->cpu.level.open = false;
}

void pmk_emulated_assume_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	if (!e->cpu.level.open)
		return;
	set_level(e, cfg, e->cpu.level.guess);
	e->cpu.level.assumed = (uint8_t)(e->cpu.level.guess + 1);
}

void pmk_emulated_leave_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      const struct pmk_emulated_blocks *b)
{
	if (e->cpu.level.open)
		close_level(e, cfg, e->cpu.level.guess);
	pmk_cpu_sum(&e->cpu, b->facts, b->executions, b->count, &e->bus);
	for (unsigned i = 0; i < e->session.plan.npasses; i++)
		pmk_model_find(e->session.pass[i].dev.pmu)->sync(e->model[i], &e->bus);
	if (pmk_emulated_guest_ops(cfg))
		pmk_emulated_guest_ops(cfg)->sync(e->guest, &e->bus);
}

void pmk_emulated_enter_level(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			      unsigned level)
{
	close_level(e, cfg, level);
	pmk_emulated_set_deadline(e, cfg);
}
