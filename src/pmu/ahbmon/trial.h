/* SPDX-License-Identifier: MIT */
/* Does a layout of the AHB Monitor fit what is there? Asked of models, for pmk doctor. See
 * trial.c. */
#ifndef PMK_AHBMON_TRIAL_H
#define PMK_AHBMON_TRIAL_H

#include <stdbool.h>

#include <pmk/ahbmon.h>

#define PMK_AHBMON_NTRIALS 3

#define PMK_AHBMON_PRESET_COUNTERS (PMK_AHBMON_NCTRS - 1) /* all but CtTotalCycles */

/* Who answers the driver, and what comes of it. */
struct pmk_ahbmon_trial {
	const char *who;
	unsigned moved; /* counters from this one on are somewhere else */
	bool empty;
	unsigned agree; /* of PMK_AHBMON_PRESET_COUNTERS */
	int err;	/* of pmk_ahbmon_probe() */
};

/* The first is the one that has to succeed: driver and model of one build. 0 or PMK_ENOMEM. */
int pmk_ahbmon_try(const struct pmk_ahbmon_layout *layout,
		   struct pmk_ahbmon_trial trials[PMK_AHBMON_NTRIALS]);
/* What came of it, in words. */
const char *pmk_ahbmon_trial_verdict(const struct pmk_ahbmon_trial *t);

#endif
