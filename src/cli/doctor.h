/* SPDX-License-Identifier: MIT */
/* Declarations that the files of pmk doctor share; each file has one check. */
#ifndef PMK_CLI_DOCTOR_H
#define PMK_CLI_DOCTOR_H

#include <json.h>

#include "count/words.h"

/*
 * A check prints its findings to stdout or, if `doc` is not NULL, adds them to `doc` as the member
 * with the name of the check. It returns an exit code; finding a fault is not a failure by itself.
 */
struct doctor_check {
	const char *name, *brief;
	/* `layout`: the file of --layout, or NULL. */
	int (*run)(json_object *doc, const char *layout);
};

/* Check that everything that pmk needs is installed. PMK_EXIT_FAILED: it cannot count anything. */
int doctor_environment(json_object *doc, const char *layout);
/* Run the sequence of a blog, and that of pmk's driver, on the model of a PMUv3. */
int doctor_armv8(json_object *doc, const char *layout);
/* Preset and read back the counters of the AHB Monitor. */
int doctor_ahbmon(json_object *doc, const char *layout);

/* A board that is reached over a wire; texts that were not given are NULL. */
struct doctor_board {
	const char *target, *pmu, *layout;
	struct pmk_words settings; /* of --set */
};

/* Check whether its counters can be reached, and count. PMK_EXIT_FAILED: they cannot, or they do
 * not count. */
int doctor_target(json_object *doc, const struct doctor_board *board);

#endif
