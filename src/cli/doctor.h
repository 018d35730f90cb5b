/* SPDX-License-Identifier: MIT */
/* Declarations that the files of pmk doctor share. */
#ifndef PMK_CLI_DOCTOR_H
#define PMK_CLI_DOCTOR_H

#include <json.h>

#include "count/words.h"

/* Check that everything that pmk needs is installed, as a check of doctor.c. PMK_EXIT_FAILED: it
 * cannot count anything. */
int doctor_environment(json_object *doc, const char *layout);

/* A board that is reached over a wire; texts that were not given are NULL. */
struct doctor_board {
	const char *target, *pmu, *layout;
	struct pmk_words settings; /* of --set */
};

/* Check whether its counters can be reached, and count. PMK_EXIT_FAILED: they cannot, or they do
 * not count. */
int doctor_target(json_object *doc, const struct doctor_board *board);

#endif
