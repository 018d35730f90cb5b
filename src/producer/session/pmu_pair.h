/* SPDX-License-Identifier: MIT */
/*
 * A session on two PMUs that count at the same time: the PMU of a core, and the PMU of its level 2
 * cache. The member `pmu` of an event in the plan selects one of the PMUs. Each pass uses one PMU,
 * and the passes of the first PMU come first. Every pass knows its PMU, so everything else works as
 * in an ordinary session.
 */
#ifndef PMK_SESSION_PMU_PAIR_H
#define PMK_SESSION_PMU_PAIR_H

#include <pmk/session.h>

#define PMK_PMU_PAIR 2

/* Does the work of pmk_plan_make() for one or two PMUs. pmus[1] is NULL if there is only one. A
 * group that has events on both PMUs becomes one group on each PMU. */
int pmk_pmu_pair_plan(const struct pmk_pmu *const pmus[PMK_PMU_PAIR], struct pmk_plan *plan);

/* Returns the PMU of a pass. */
unsigned pmk_pmu_pair_of(const struct pmk_plan *plan, unsigned pass);

/* Do the work of pmk_session_open() and pmk_session_rebind(). pmk_pmu_pair_open() may also return
 * PMK_ENOMEM. */
int pmk_pmu_pair_open(struct pmk_session *s, const struct pmk_pmu *const pmus[PMK_PMU_PAIR],
		      const struct pmk_plan *plan, const struct pmk_port *ports);
void pmk_pmu_pair_rebind(struct pmk_session *s, const struct pmk_pmu *const pmus[PMK_PMU_PAIR],
			 const struct pmk_port *ports);

#endif
