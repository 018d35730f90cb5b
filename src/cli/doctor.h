/* SPDX-License-Identifier: MIT */
/* What the files of pmk doctor share: one check each. */
#ifndef PMK_CLI_DOCTOR_H
#define PMK_CLI_DOCTOR_H

#include <json.h>

#include "count/words.h"

/*
 * A check prints what it finds to stdout, or adds it to `doc`, if that is not NULL, as the member
 * with the name of the check. It returns an exit code; finding something wrong is no failure by
 * itself.
 */
struct doctor_check {
	const char *name, *brief;
	/* `layout`: the file of --layout, or NULL. */
	int (*run)(json_object *doc, const char *layout);
};

/* Check whether all that pmk needs is here. PMK_EXIT_FAILED if it can count nothing. */
int doctor_environment(json_object *doc, const char *layout);
/* Run the sequence of a blog, and pmk's driver beside it, on the model of a PMUv3. */
int doctor_armv8(json_object *doc, const char *layout);
/* Preset and read back the counters of the AHB Monitor. */
int doctor_ahbmon(json_object *doc, const char *layout);

/* A board that is reached over a wire; texts that were not given are NULL. */
struct doctor_board {
	const char *target, *pmu, *layout;
	struct pmk_words settings; /* of --set */
};

/* Look whether its counters can be reached, and count. PMK_EXIT_FAILED if they cannot, or stand
 * still. */
int doctor_target(json_object *doc, const struct doctor_board *board);

#endif
