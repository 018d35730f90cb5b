/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the files of pmk report share:
 *
 * 	report.c            options, the capture, the executable, the report
 * 	report_recording.c  a recording: its options; report_rows.h has the other parts
 * 	report_dump.c       one dump → sections, profiles and facts of a result
 */
#ifndef PMK_CLI_REPORT_H
#define PMK_CLI_REPORT_H

#include <pmk/dump.h>
#include <pmk/result.h>

#include "cli/output.h"
#include "profile/profile.h"

/* Returns the name of the capture for messages: "standard input" for "-". */
const char *capture_name(const char *path);
/* Read a capture, or standard input for "-", into memory, which the caller frees. Returns 0 or an
 * exit code. */
int capture_read(const char *path, uint8_t **data, size_t *size);

/* A dump with names instead of codes. */
struct view {
	const struct pmk_dump *d;
	unsigned number; /* from 1, over all dumps of the capture */
	bool numbered;	 /* warnings name the dump */
	const struct pmk_pmu *pmu;
	char *pmu_name;		/* printable */
	struct pmk_pmu unknown; /* replaces a PMU that this build does not have */
	const struct pmk_event *event[PMK_DUMP_EVENTS];
	struct pmk_event raw[PMK_DUMP_EVENTS]; /* replace events that this PMU does not have */
	char raw_name[PMK_DUMP_EVENTS][8];
	const struct pmk_functions *functions; /* functions for this dump's machine, or NULL */
	const char *elf;		       /* the file from which these functions come */
	/* Collects a page of HTML with its metrics; or NULL. */
	struct html_stat **page;
	const struct pmk_metric *const *metrics;
};

/* Fill a view. Returns false if out of memory. Call view_free() in both cases. */
bool view_init(struct view *v, const struct pmk_dump *d, unsigned number);
void view_free(struct view *v);
/* True if the event is in the dump. `v` is a struct view. */
bool view_has(const void *v, const struct pmk_event *ev);

/* False if the presets show that no core with the dump's PMU can run the executable. */
bool view_fits(const struct view *v, const struct pmk_elf *elf);

/*
 * Write the dump: a section for the whole run, one for each region, and the positions of the
 * samples; `w` may be NULL. `r` gets the facts, the warnings and the section of the whole run.
 * Returns 0 or a negative enum pmk_error.
 */
int view_write(const struct view *v, struct pmk_writer *w, struct pmk_result *r);

/* ---- report_recording.c --------------------------------------------------------------------- */

struct report_recording {
	const char *path;
	const char *elf; /* the firmware whose dumps are in `path`; NULL: `path` is a recording */
	const char *events, *sort, *limit; /* as given, or NULL */
	const char *callers, *callees;	   /* name of the function, or NULL */
	bool children, quiet, markdown;
};

/* Print the report of a recording. Returns an exit code. */
int report_recording(const struct report_recording *q, const struct output_options *o);

#endif
