/* SPDX-License-Identifier: MIT */
/* What the files of pmk doctor share: one check each. */
#ifndef PMK_CLI_DOCTOR_H
#define PMK_CLI_DOCTOR_H

#include <json.h>

/*
 * A check prints its report to stdout, or, where `doc` is not NULL, adds it to the document as the
 * member called like the check. Returns an exit code: findings are no failures.
 */
struct doctor_check {
	const char *name, *brief;
	/* `layout`: the file of --layout, or NULL. */
	int (*run)(json_object *doc, const char *layout);
};

/* Is here what pmk needs? PMK_EXIT_FAILED when it can count nothing. */
int doctor_environment(json_object *doc, const char *layout);
/* The blog's sequence and pmk's driver on the model of a PMUv3. */
int doctor_armv8(json_object *doc, const char *layout);
/* Preset and read back the counters of the AHB Monitor. */
int doctor_ahbmon(json_object *doc, const char *layout);

#endif
