/* SPDX-License-Identifier: MIT */
/* pmk report of a recording, as opposed to dumps of firmware. */
#ifndef PMK_CLI_REPORT_RECORDING_H
#define PMK_CLI_REPORT_RECORDING_H

#include "cli/output.h"

struct report_recording {
	const char *path;
	const char *elf; /* the firmware whose dumps are in `path`; NULL: `path` is a recording */
	const char *events, *sort, *limit; /* as given, or NULL */
	const char *callers, *callees;	   /* name of the function, or NULL */
	bool children, quiet, markdown;
};

/* Print it. Returns an exit code. */
int report_recording(const struct report_recording *q, const struct output_options *o);

#endif
