/* SPDX-License-Identifier: MIT */
/* Declarations that the files of pmk doctor share. */
#ifndef PMK_CLI_DOCTOR_H
#define PMK_CLI_DOCTOR_H

#include <json.h>

#include "count/words.h"

/* Check that everything that pmk needs is installed. This is a check of doctor.c. Returns
 * PMK_EXIT_FAILED if pmk cannot count anything. */
int doctor_environment(json_object *doc, const char *layout);

/* A board that is reached over a wire; texts that were not given are NULL. */
struct doctor_board {
	const char *target, *pmu, *layout;
	struct pmk_words settings; /* of --set */
};

/* Check whether the board's counters can be reached, and count. Returns PMK_EXIT_FAILED if they
 * cannot be reached, or do not count. */
int doctor_target(json_object *doc, const struct doctor_board *board);

#endif
