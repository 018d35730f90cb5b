/* SPDX-License-Identifier: MIT */
/*
 * A recording in the formats of other tools. Each function writes one format, and returns 0 or an
 * error with one line in msg. Write errors are not checked here: the caller must look at the
 * stream.
 */
#ifndef PMK_RECORDING_EXPORT_H
#define PMK_RECORDING_EXPORT_H

#include <stdio.h>

#include "profile/recording/tables.h"

/* A remark of the recording about its counts, for readers: { "Note", "…" }. */
struct pmk_export_remark {
	const char *name;
	char *text;
};

struct pmk_export {
	const struct pmk_tables *t;
	/* Remarks about the counts, for formats that have a place for comments. */
	const struct pmk_export_remark *remark;
	size_t nremarks;
	/* Indices of events, or PMK_TABLES_EXECUTIONS. */
	const uint32_t *event;
	size_t nevents;
	const char *creator; /* such as "pmk 0.1.0" */
	/* Receives notes about the file for its reader, a line at a time. */
	void (*tell)(const char *line);
	FILE *f;
};

typedef int pmk_export_format(const struct pmk_export *x, char *msg, size_t size);

pmk_export_format pmk_export_callgrind, pmk_export_lcov, pmk_export_folded, pmk_export_speedscope,
	pmk_export_firefox, pmk_export_pprof, pmk_export_perf, pmk_export_perfetto;

#endif
