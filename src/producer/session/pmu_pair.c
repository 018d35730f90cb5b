// SPDX-License-Identifier: MIT
/*
 * Opens sessions on two PMUs. See pmu_pair.h. An ordinary session is opened on one PMU. This file
 * opens a session for each PMU, with the events that the PMU counts, and then joins the passes of
 * both into one session.
 */
#include "producer/session/pmu_pair.h"

#include <stdlib.h>

#include <pmk/error.h>

unsigned pmk_pmu_pair_of(const struct pmk_plan *plan, unsigned pass)
{
	for (unsigned i = 0; i < plan->nevents; i++)
		if (plan->event[i].pass == pass)
			return plan->event[i].pmu;
	return 0;
}

/* Returns the number of passes on the first PMU. The passes on the other PMU come after them. */
static unsigned first_passes(const struct pmk_plan *plan)
{
	unsigned n = 0;

	while (n < plan->npasses && pmk_pmu_pair_of(plan, n) == 0)
		n++;
	return n;
}

/* Returns the events of one PMU. Their passes are numbered from 0. */
static struct pmk_plan part_of(const struct pmk_plan *plan, unsigned pmu)
{
	unsigned first = pmu ? first_passes(plan) : 0;
	struct pmk_plan part = *plan;

	part.nevents = 0;
	for (unsigned i = 0; i < plan->nevents; i++) {
		if (plan->event[i].pmu != pmu)
			continue;
		part.event[part.nevents] = plan->event[i];
		part.event[part.nevents++].pass -= (uint8_t)first;
	}
	part.npasses = pmu ? plan->npasses - first : first_passes(plan);
	return part;
}

int pmk_pmu_pair_plan(const struct pmk_pmu *const pmus[PMK_PMU_PAIR], struct pmk_plan *plan)
{
	unsigned npasses = 0;

	for (unsigned i = 0; i < plan->nevents; i++)
		plan->event[i].pass = 0;
	plan->npasses = 0;
	for (unsigned k = 0; k < PMK_PMU_PAIR && pmus[k]; k++) {
		struct pmk_plan part = part_of(plan, k);
		unsigned next = 0;
		int err = pmk_plan_make(pmus[k], &part);

		if (err)
			return err;
		for (unsigned i = 0; i < plan->nevents; i++) {
			if (plan->event[i].pmu != k)
				continue;
			plan->event[i] = part.event[next++];
			plan->event[i].pass += (uint8_t)npasses;
		}
		plan->timer_counter = k ? plan->timer_counter : part.timer_counter;
		npasses += part.npasses;
	}
	plan->npasses = npasses;
	return npasses > PMK_MAX_PASSES ? PMK_ERANGE : 0;
}

int pmk_pmu_pair_open(struct pmk_session *s, const struct pmk_pmu *const pmus[PMK_PMU_PAIR],
		      const struct pmk_plan *plan, const struct pmk_port *ports)
{
	unsigned first = first_passes(plan);
	struct pmk_session *other;
	struct pmk_plan part;
	int err;

	if (first == plan->npasses)
		return pmk_session_open(s, pmus[0], plan, ports);
	other = malloc(sizeof(*other));
	if (!other)
		return PMK_ENOMEM;
	part = part_of(plan, 1);
	err = pmk_session_open(other, pmus[1], &part, ports + first);
	part = part_of(plan, 0);
	if (!err)
		err = pmk_session_open(s, pmus[0], &part, ports);
	for (unsigned i = first; !err && i < plan->npasses; i++)
		s->pass[i] = other->pass[i - first];
	s->plan = *plan;
	free(other);
	return err;
}

void pmk_pmu_pair_rebind(struct pmk_session *s, const struct pmk_pmu *const pmus[PMK_PMU_PAIR],
			 const struct pmk_port *ports)
{
	pmk_session_rebind(s, pmus[0], ports);
	for (unsigned i = 0; i < s->plan.npasses; i++)
		s->pass[i].dev.pmu = pmus[pmk_pmu_pair_of(&s->plan, i)];
}
