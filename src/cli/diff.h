/* SPDX-License-Identifier: MIT */
/* The result of pmk diff: read by diff_read.c, judged by diff.c, printed by diff_write.c. */
#ifndef PMK_CLI_DIFF_H
#define PMK_CLI_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/map.h"
#include "profile/export/tree.h"

enum diff_side { DIFF_BASE, DIFF_NEW, DIFF_SIDES };

/* The kind of a row. */
enum diff_kind {
	DIFF_TOTAL,    /* the whole run */
	DIFF_SECTION,  /* a section of a document: a region, a processor */
	DIFF_LIBRARY,  /* a library that only moved: see diff_recording.c */
	DIFF_FUNCTION, /* the code of a function, wherever it is inlined */
	DIFF_LINE,
	DIFF_KINDS,		/* rows of the kinds above may differ */
	DIFF_FRAME = DIFF_KINDS /* a function without own code, which is only in call paths */
};

struct diff_row {
	enum diff_kind kind;
	char *key;	  /* rows of the two sides that have the same key become one row */
	char *name;	  /* NULL: the whole run */
	char *was;	  /* the name on the base side, if it differs; or NULL */
	char *file;	  /* name on the new side, otherwise on the base side; or NULL */
	uint32_t line[2]; /* the line on each side; 0: none */
	bool there[2];
	bool moved;	  /* a function of a DIFF_LIBRARY row */
	size_t functions; /* the number of functions in a library */
	size_t function;  /* for a line: the row of its function */
	/* [event][side]; after the last event come the executions, except for samples */
	uint64_t *value;
};

enum diff_limit_kind {
	DIFF_PERCENT, /* growth in percent of the base */
	DIFF_GROWTH,  /* growth as a number */
	DIFF_CEILING  /* the count of the new side, whatever the base has */
};

#define DIFF_ALL_EVENTS SIZE_MAX

/* A limit of --fail-over or --limit. */
struct diff_limit {
	const char *text; /* "2%", "+1000", "1000" */
	enum diff_limit_kind kind;
	double percent;
	uint64_t number;
	char *event_name; /* NULL: all events */
	size_t event;	  /* index, or DIFF_ALL_EVENTS */
	/* Regions and functions with this name or pattern. NULL: the whole run; for --fail-over,
	 * which has no event, all rows. */
	char *place;
};

/* Two parts of the change of an event: see diff_parts.c. The layout causes the remaining change. */
struct diff_part {
	int64_t work, rest;
};

struct diff {
	const char *path[DIFF_SIDES];
	char *command[DIFF_SIDES], *core[DIFF_SIDES];
	/* The label, warnings and notes of each side; "" if the side has none. */
	char *checked[DIFF_SIDES], *warning[DIFF_SIDES], *note[DIFF_SIDES];
	char **event; /* names of the events that both sides have */
	size_t nevents;
	struct diff_row *row;
	size_t nrows, room;
	struct pmk_map rows;	/* hash of the key → row */
	size_t executions;	/* recordings: index of the executions among the events */
	bool split;		/* fill `part`, for two recordings */
	struct diff_part *part; /* [event], or NULL */
	/* fill `paths`, for two recordings, and make cycles the first event */
	bool by_path;
	/* The call paths of both sides. A frame is a row. The counts of the new side come before
	 * those of the base side. */
	struct pmk_tree paths;

	struct diff_limit *limit;
	size_t nlimits;
	/* Functions and lines whose counts are below `min` on both sides are left out. Without
	 * --min, CSV and JSON have all functions and lines; other output and the limits leave out
	 * those below 0.1 % of the total. */
	bool has_min;
	uint64_t min;
};

static inline uint64_t diff_value(const struct diff *d, size_t row, size_t event, unsigned side)
{
	return d->row[row].value[event * DIFF_SIDES + side];
}

/* Read both sides. `events`: a list as for -e, or NULL. Returns 0 or an exit code. */
int diff_read(struct diff *d, const char *events);
void diff_free(struct diff *d);

/* Returns the weaker of the two labels of modelled cycles, which is true for both sides; "" if a
 * side has no label. */
const char *diff_checked(const struct diff *d);
/* Call a function for each line about the counts: labels, warnings and notes. A line that only one
 * side has names this side. */
void diff_each_note(const struct diff *d, void (*put)(void *ctx, const char *line), void *ctx);

/* Add the limit that is the value of --fail-over or --limit. Returns 0 or an exit code. */
int diff_limit_all(void *diff, char *percent);
int diff_limit_add(void *diff, char *value);
void diff_limits_free(struct diff *d);

/* Returns the first limit that the row exceeds, or NULL. */
const struct diff_limit *diff_exceeded(const struct diff *d, size_t row, size_t event);

/* "total", "region", "library", "function", "line" */
extern const char *const diff_kind_names[DIFF_KINDS];

/* True if the count on at least one side is not below the minimum: see `has_min`. */
bool diff_is_large(const struct diff *d, size_t row, size_t event);

/* Rows of one kind that differ in an event: those that add most come first, then those that save
 * most. */
struct diff_table {
	const struct diff *d;
	enum diff_kind kind;
	size_t event;
	size_t *row, n; /* there is room for all rows */
};

enum diff_choice {
	DIFF_FOR_MACHINES, /* every row that differs */
	DIFF_FOR_PEOPLE,   /* only rows that are useful to people */
	DIFF_OVER	   /* only rows that exceed a limit */
};

void diff_table_fill(struct diff_table *t, enum diff_kind kind, size_t event,
		     enum diff_choice choice);

uint64_t diff_distance(const struct diff *d, size_t row, size_t event);
/* Returns "both", "new" or "gone". */
const char *diff_status(const struct diff_row *r);
/* Writes the change as "+12,345". */
void diff_delta_text(const struct diff *d, size_t row, size_t event, bool group, char buf[48]);
/* Writes the change as "+1.25%", or "new", "gone" or "was 0" if it has no percentage. */
void diff_percent_text(const struct diff *d, size_t row, size_t event, char *buf, size_t size);
/* Returns a label such as "work (loop.c)" or "loop.c:9 in work", which the caller frees. NULL:
 * out of memory. */
char *diff_label(const struct diff *d, size_t row, size_t event);

struct diff_format {
	enum { DIFF_TEXT, DIFF_CSV, DIFF_JSON, DIFF_MARKDOWN } form;
	const char *separator; /* CSV */
	unsigned columns;      /* text: width of the terminal; 0: no limit */
};

/* Write the lines of diff_each_note(). */
void diff_write_notes(const struct diff *d, const struct diff_format *format, FILE *f);
/* Returns 0 or an exit code. */
int diff_write(const struct diff *d, const struct diff_format *format, FILE *f);

#endif
