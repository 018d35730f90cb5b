/* SPDX-License-Identifier: MIT */
/* Declarations that the files of pmk doctor share. */
#ifndef PMK_CLI_DOCTOR_H
#define PMK_CLI_DOCTOR_H

#include <json.h>

#include "count/words.h"

/* The checks of doctor.c: see struct doctor_check. */

/* Check that everything that pmk needs is installed. Returns PMK_EXIT_FAILED if pmk cannot count
 * anything. */
int doctor_environment(json_object *doc, const char *layout);
/* Run a published sequence for PMUv3 and pmk's driver on the model, and compare them. */
int doctor_armv8(json_object *doc, const char *layout);
/* Check the layout of the AHB Monitor's registers on models, with tests that also work on hardware.
 * `layout` is the file of --layout; NULL: the project's layout. */
int doctor_ahbmon(json_object *doc, const char *layout);

/* A board that is reached over a wire; texts that were not given are NULL. */
struct doctor_board {
	const char *target, *pmu, *layout;
	struct pmk_words settings; /* of --set */
};

/* Check whether the board's counters can be reached, and count. Returns PMK_EXIT_FAILED if they
 * cannot be reached, or do not count. */
int doctor_target(json_object *doc, const struct doctor_board *board);

#endif
