/* SPDX-License-Identifier: MIT */
/*
 * A session on two PMUs that count at the same time: that of a core, and that of the level 2 cache beside
 * it. An event of the plan says by `pmu` which of them counts it. Each pass is a programming of one of them,
 * those of the first come first; the session is otherwise like any other, as every pass knows its PMU.
 */
#ifndef PMK_SESSION_SEVERAL_H
#define PMK_SESSION_SEVERAL_H

#include <pmk/session.h>

#define PMK_SEVERAL 2

/* pmus[1] is NULL where there is one. As pmk_plan_make(); a group is one on each PMU. */
int pmk_several_plan(const struct pmk_pmu *const pmus[PMK_SEVERAL], struct pmk_plan *plan);

/* Which of them a pass is on. */
unsigned pmk_several_of(const struct pmk_plan *plan, unsigned pass);

/* As pmk_session_open() and pmk_session_rebind(); open may also return PMK_ENOMEM. */
int pmk_several_open(struct pmk_session *s, const struct pmk_pmu *const pmus[PMK_SEVERAL],
		     const struct pmk_plan *plan, const struct pmk_port *ports);
void pmk_several_rebind(struct pmk_session *s, const struct pmk_pmu *const pmus[PMK_SEVERAL],
			const struct pmk_port *ports);

#endif
