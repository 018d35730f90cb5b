/* SPDX-License-Identifier: MIT */
/* A recording in the formats of other tools. Each function writes one, and returns 0 or an error
 * with one line in msg. What could not be written to the stream is left to be found there. */
#ifndef PMK_RECORDING_EXPORT_H
#define PMK_RECORDING_EXPORT_H

#include <stdio.h>

#include "recording/tables.h"

struct pmk_export {
	const struct pmk_tables *t;
	/* Indices of events, or PMK_TABLES_EXECUTIONS. */
	const uint32_t *event;
	size_t nevents;
	const char *creator; /* "pmk 0.1.0" */
	/* Told what a reader has to know of the file, a line at a time. */
	void (*tell)(const char *line);
	FILE *f;
};

typedef int pmk_export_format(const struct pmk_export *x, char *msg, size_t size);

pmk_export_format pmk_export_callgrind, pmk_export_lcov, pmk_export_folded, pmk_export_speedscope,
	pmk_export_pprof, pmk_export_perfetto;

#endif
