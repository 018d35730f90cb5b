/* SPDX-License-Identifier: MIT */
/* Functions that report and annotate share: a recording, the shown events, and how they are
 * shown. */
#ifndef PMK_CLI_RECORDED_H
#define PMK_CLI_RECORDED_H

#include <stdio.h>

#include "cli/output.h"
#include "profile/recording/choose.h"

struct recorded {
	const char *path;
	struct pmk_tables t;
	struct pmk_choice c; /* the events that are shown */
	bool by_name;	     /* -e named the events */
	bool plain_numbers;  /* true: digits of numbers are not grouped */
	/* Width of the output, determined before a pager is started. */
	unsigned width;
	bool terminal; /* the output goes to a terminal */
	bool colour;
};

/*
 * Open the recording, the file of perf, or the capture with dumps at `path`. For a capture, `elf`
 * is the executable of the firmware, and the samples in its dumps become the recording; otherwise
 * `elf` is NULL. Returns 0, or an exit code after an error message on stderr. Close `t` in either
 * case. In dump_recording.c.
 */
int dump_tables_open(struct pmk_tables *t, const char *path, const char *elf);

/* True if the file begins like a file of SQLite or perf. */
bool recorded_is(const char *path);

/* Read the recording, or the dumps of the firmware whose executable is `elf`. Choose the events of
 * the list `events`; NULL: all events that have a value. Returns 0, or an exit code after an error
 * message on stderr. Close `r` in either case. */
int recorded_open(struct recorded *r, const char *path, const char *elf, const char *events);
void recorded_close(struct recorded *r);

/* Mark the functions with this name or symbol; if there are none, mark the functions that have this
 * name before their parameters: "fib" finds fib(int). Returns true if it marked any. `is` has an
 * element for each function. */
bool recorded_functions(const struct recorded *r, const char *name, bool *is);
/* Writes the names of functions that are similar to `name`, in the form of pmk_nearest_text(). */
void recorded_nearest(const struct recorded *r, const char *name, char *buf, size_t size);

/* Print one line on stderr for a failure of pmk_tables_…. Returns the exit code. */
int recorded_failed(const struct recorded *r, const char *msg);

/* Write the header of a text: what was recorded, warnings and notes. */
void recorded_head(const struct recorded *r, FILE *f);
/* Returns the trust of the event, or of executions, as text: "exact". */
const char *recorded_trust(const struct recorded *r, uint32_t event, char buf[24]);
/* Call a function for each event without a value. */
void recorded_without_value(const struct recorded *r,
			    void (*on_event)(void *ctx, const char *name, const char *trust,
					     const char *reason),
			    void *ctx);
/* Returns the text of a key in table `meta`, which the caller frees; NULL: there is none. */
char *recorded_fact(const struct recorded *r, const char *key);

/* A column of counts in a text. The column is wide enough for `most`, the largest count. */
struct recorded_column {
	const char *head;
	char trust[24];
	unsigned width;
	bool share; /* each number has its share: "1,234  56.7%" */
};

/* Returns a column for an event. If `head` is NULL, the heading is the name of the event. */
struct recorded_column recorded_column(const struct recorded *r, uint32_t event, const char *head,
				       uint64_t most, bool share);
/* Write the two lines of headings, each after `before`; `last` is the heading of the names. */
void recorded_put_heads(FILE *f, const char *before, const struct recorded_column *column, size_t n,
			const char *last);
/* Write a number, and its share of `all` if the column has shares. */
void recorded_put_cell(const struct recorded *r, FILE *f, const struct recorded_column *column,
		       uint64_t value, uint64_t all);
/* Returns the share in percent; 0 if `all` is 0. */
double recorded_share(uint64_t part, uint64_t all);

/* Like pmk_printable_wrap(), for any text. */
void recorded_wrap(FILE *f, const char *text, unsigned column, unsigned indent, unsigned width);

/* Write a paragraph, with the rules of base/print.h. */
void recorded_note(const struct recorded *r, FILE *f, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Write that there was no room for the events from number `shown` on, and a remedy. */
void recorded_no_room(const struct recorded *r, FILE *f, size_t shown, const char *advice);

/* Determine width and colours for `f`. If it is a terminal, send the following output through
 * $PMK_PAGER, $PAGER, or less. */
void recorded_page(struct recorded *r, FILE *f);
/* Wait for the pager to end. */
void recorded_page_end(void);

#endif
