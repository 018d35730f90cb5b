// SPDX-License-Identifier: MIT
/*
 * Validates the state of a core, because the emulated program can write into the memory that holds
 * it. The checks work on a copy of that memory. No index, length or bool in it is used before it
 * was compared with its possible values. Members that are not counts never change after counting
 * begins. So they are compared with those of another core that has begun to count with the same
 * configuration, and no list of rules is needed. Counts are numbers, so any value can be added up.
 */
#include "base/foreign.h"
#include "producer/session/emulated.h"

static bool plan_is_same(const struct pmk_plan *p, const struct pmk_plan *q)
{
	return p->nevents == q->nevents && p->npasses == q->npasses && PMK_SAME(p, q, timed) &&
	       p->timer_code == q->timer_code && p->timer_counter == q->timer_counter &&
	       !memcmp(p->event, q->event, q->nevents * sizeof(q->event[0]));
}

static bool bus_is_valid(const struct pmk_bus *bus, const struct pmk_bus *begun)
{
	/* Records that were not written are never read, so they are not checked. */
	for (unsigned i = 0; i < PMK_LATENCY_LOG && i < bus->recorded; i++)
		if (!pmk_is_bool(&bus->log[i].apart))
			return false;
	return PMK_SAME(bus, begun, raised);
}

static bool pass_is_valid(const struct pmk_session_pass *p)
{
	for (unsigned c = 0; c < PMK_MAX_COUNTERS; c++)
		if (!pmk_is_bool(&p->wide[c].wrapped) || !pmk_is_bool(&p->wide[c].early))
			return false;
	for (unsigned l = 0; l < PMK_MAX_LATENCIES; l++)
		if (!pmk_is_bool(&p->latency[l].full))
			return false;
	return true;
}

static bool passes_are_valid(const struct pmk_session *s, const struct pmk_session *begun)
{
	for (unsigned i = 0; i < begun->plan.npasses; i++)
		if (!pass_is_valid(&s->pass[i]))
			return false;
	return s->interval == begun->interval;
}

static bool model_is_valid(const void *model, const void *begun, const struct pmk_model_ops *ops)
{
	const struct pmk_model_param *param = ops->params;

	for (; param && param->name; param++)
		if (memcmp((const char *)model + param->at, (const char *)begun + param->at,
			   param->size) != 0)
			return false;
	return ops->valid && ops->valid(model, begun);
}

static bool models_are_valid(const struct pmk_emulated *e, const struct pmk_emulated *begun)
{
	for (unsigned i = 0; i < begun->session.plan.npasses; i++) {
		const struct pmk_pmu *pmu = begun->session.pass[i].dev.pmu;

		if (!model_is_valid(e->model[i], begun->model[i], pmk_model_find(pmu)))
			return false;
	}
	return true;
}

bool pmk_reading_valid(const struct pmk_reading *r)
{
	for (unsigned l = 0; l < PMK_READING_LATENCIES; l++)
		if (!pmk_is_bool(&r->latency[l].full) || !pmk_is_bool(&r->latency[l].saturated))
			return false;
	for (unsigned i = 0; i < PMK_MAX_EVENTS; i++)
		if (r->total[i] > PMK_MOST_COUNTED)
			return false;
	return true;
}

static bool regions_are_valid(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	for (unsigned r = 0; r < cfg->nregions; r++)
		if (!pmk_reading_valid(&e->region[r].total) ||
		    !pmk_reading_valid(&e->region[r].entered_at))
			return false;
	return pmk_reading_valid(&e->interval_total) && pmk_reading_valid(&e->delayed) &&
	       (cfg->delay || e->delay_due == PMK_NEVER);
}

static bool level_is_valid(const struct pmk_cpu *cpu)
{
	return pmk_is_bool(&cpu->level.watched) && pmk_is_bool(&cpu->level.open) &&
	       pmk_is_bool(&cpu->level.mistaken) && cpu->level.guess <= 3 &&
	       cpu->level.assumed <= 4;
}

static bool core_is_valid(const struct pmk_emulated *e)
{
	return pmk_is_bool(&e->cpu.eager) && pmk_is_bool(&e->cpu.unsure) &&
	       level_is_valid(&e->cpu) && pmk_is_bool(&e->calls_lost) &&
	       e->cpu.cycles <= PMK_MOST_COUNTED && e->error <= 0;
}

static bool chip_is_valid(struct pmk_emulated *e, const struct pmk_emulated *begun)
{
	for (unsigned b = 0; b < PMK_AHBMON_NBUSES; b++)
		if (!bus_is_valid(&e->chip.bus[b], &begun->chip.bus[b]))
			return false;
	return pmk_devchip_valid(&e->chip, &begun->chip, e->cpu.cycles);
}

const char *pmk_emulated_invalid(struct pmk_emulated *copy, const struct pmk_emulated *begun,
				 const struct pmk_emulated_config *cfg)
{
	if (!core_is_valid(copy))
		return "the core";
	if (!plan_is_same(&copy->session.plan, &begun->session.plan))
		return "the plan";
	if (!bus_is_valid(&copy->bus, &begun->bus))
		return "the latencies";
	if (!passes_are_valid(&copy->session, &begun->session))
		return "the session";
	if (!models_are_valid(copy, begun))
		return "the registers";
	if (!regions_are_valid(copy, cfg))
		return "the regions";
	if (pmk_core_family(&cfg->core)->run->attach && !chip_is_valid(copy, begun))
		return "the buses";
	copy->cpu.core = cfg->core;
	copy->cpu.eager = cfg->eager;
	copy->session.plan = begun->session.plan;
	return NULL;
}
