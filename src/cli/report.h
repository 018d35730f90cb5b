/* SPDX-License-Identifier: MIT */
/*
 * pmk report between its files:
 *
 *	report.c       options, the capture, the executable, the report
 *	report_dump.c  one dump → sections, profiles and facts of a result
 */
#ifndef PMK_CLI_REPORT_H
#define PMK_CLI_REPORT_H

#include <pmk/dump.h>
#include <pmk/result.h>

#include "profile/profile.h"

/* A dump with names instead of codes. */
struct view {
	const struct pmk_dump *d;
	unsigned number; /* from 1, over all dumps of the capture */
	bool numbered;	 /* warnings say which dump they are of */
	const struct pmk_pmu *pmu;
	char *pmu_name;		/* printable */
	struct pmk_pmu unknown; /* stands in for a PMU that is not in this build */
	const struct pmk_event *event[PMK_DUMP_EVENTS];
	struct pmk_event raw[PMK_DUMP_EVENTS]; /* stand in for events that are not in it */
	char raw_name[PMK_DUMP_EVENTS][8];
	const struct pmk_functions *functions; /* of this dump's machine, or NULL … */
	const char *elf;		       /* … from this file */
	/* Where a page of HTML is collected, and the metrics in it; or NULL. */
	struct html_stat **page;
	const struct pmk_metric *const *metrics;
};

/* False: out of memory. view_free() has to be called in both cases. */
bool view_init(struct view *v, const struct pmk_dump *d, unsigned number);
void view_free(struct view *v);
/* Is the event in the dump? `v` is a struct view. */
bool view_has(const void *v, const struct pmk_event *ev);

/* Can a core with the dump's PMU run the executable? False only if the presets show that it
 * cannot. */
bool view_fits(const struct view *v, const struct pmk_elf *elf);

/*
 * Write the dump: a section for the whole run, one for each region, and where the samples lie. `r`
 * gets the facts, the warnings and the section of the whole run. 0 or a negative enum pmk_error.
 */
int view_write(const struct view *v, struct pmk_writer *w, struct pmk_result *r);

#endif
