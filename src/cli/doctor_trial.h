/* SPDX-License-Identifier: MIT */
/*
 * Shows on models, for pmk doctor, how to check if a layout of the AHB Monitor fits the hardware.
 * See doctor_trial.c.
 */
#ifndef PMK_AHBMON_TRIAL_H
#define PMK_AHBMON_TRIAL_H

#include <stdbool.h>

#include <pmk/ahbmon.h>

#define PMK_AHBMON_NTRIALS 3

#define PMK_AHBMON_PRESET_COUNTERS (PMK_AHBMON_NCTRS - 1) /* all except CtTotalCycles */

/* A model that responds to the driver, and the result of the check. */
struct pmk_ahbmon_trial {
	const char *who;
	unsigned moved; /* the counters from this number on are not where the layout says */
	bool empty;
	unsigned agree; /* how many of PMK_AHBMON_PRESET_COUNTERS agree */
	int err;	/* result of pmk_ahbmon_probe() */
};

/*
 * Runs the trials. The first trial must succeed, because its driver and its model use the same
 * layout. Returns 0 or PMK_ENOMEM.
 */
int pmk_ahbmon_try(const struct pmk_ahbmon_layout *layout,
		   struct pmk_ahbmon_trial trials[PMK_AHBMON_NTRIALS]);
/* Returns one line that describes the result of a trial. */
const char *pmk_ahbmon_trial_verdict(const struct pmk_ahbmon_trial *t);

#endif
