/* SPDX-License-Identifier: MIT */
/*
 * The report of a recording: its rows and their counts. report_rows.c makes them, report_write.c
 * writes them, and report_recording.c has the options.
 */
#ifndef PMK_CLI_REPORT_ROWS_H
#define PMK_CLI_REPORT_ROWS_H

#include "base/map.h"
#include "cli/recorded.h"

enum report_sort { BY_FUNCTION, BY_FILE, BY_LINE, BY_OBJECT, BY_THREAD };

/* For --callers and --callees: which end of a call the rows show. */
enum report_side { FLAT, CALLERS, CALLEES };

struct report_row {
	/* what the row represents; NONE in members that do not apply */
	uint32_t function, object, file, line, thread;
	uint64_t *self, *children; /* one per event, and the executions */
};

struct report {
	struct recorded r;
	const struct output_options *o;
	enum report_sort sort;
	bool children, quiet, markdown;
	enum report_side view;
	const char *symbol;	    /* argument of --callers or --callees */
	bool *is_symbol;	    /* one per function */
	struct report_frame *stack; /* the call path of the present count */
	double limit;		    /* percent of the first event */
	struct pmk_map rows;
	struct report_row *row;
	size_t nrows, room;
	uint32_t *of_code; /* row of each instruction */
	uint64_t *counts, *sum;
	uint32_t *seen; /* [row]: the value of `nseen` when the row last received a count */
	uint32_t nseen;
	size_t n;	   /* number of events */
	size_t executions; /* index of the executions: a chosen event, or `n` */
	size_t nhidden;
	FILE *f;
};

/* Finds the key of --sort with this name. Returns false if there is none. */
bool report_sort_find(const char *name, enum report_sort *sort);
/* Makes the rows and reads their counts. Returns 0, or an exit code after an error message on
 * stderr. */
int report_count(struct report *r);
/* Sorts the rows, and removes rows below the limit and rows without counts. */
void report_arrange(struct report *r);
void report_free(struct report *r);

/* Returns the name of a row; the caller frees it. */
char *report_row_name(const struct report *r, const struct report_row *row);
const char *report_event(const struct report *r, size_t i);
/* Returns the kind of the rows. */
const char *report_kind(const struct report *r);

/* Writes the report to r->f. Returns false if out of memory. */
bool report_write(const struct report *r);

#endif
