/* SPDX-License-Identifier: MIT */
/* What report and annotate share: a recording, the events of it that are shown, and how. */
#ifndef PMK_CLI_RECORDED_H
#define PMK_CLI_RECORDED_H

#include <stdio.h>

#include "cli/output.h"
#include "profile/recording/choose.h"

struct recorded {
	const char *path;
	struct pmk_tables t;
	struct pmk_choice c; /* the events that are shown */
	bool by_name;	     /* -e has named them */
	/* of the place where the text goes to: asked before a pager is put in front */
	unsigned width;
	bool colour;
};

/* Read the recording, or with the executable `elf` the dumps of firmware, and choose the events of
 * the list; NULL: all that have a value. 0, or an exit code after one line on stderr. To be closed
 * in any case. */
int recorded_open(struct recorded *r, const char *path, const char *elf, const char *events);
void recorded_close(struct recorded *r);

/* Mark the functions with this name or symbol; if there are none, mark the functions with this name
 * and parameters: "fib" finds fib(int). Returns whether there are any. `is` has room for all. */
bool recorded_functions(const struct recorded *r, const char *name, bool *is);
/* Names of functions like that one, in the form of pmk_nearest_text(). */
void recorded_nearest(const struct recorded *r, const char *name, char *buf, size_t size);

/* One line on stderr for what pmk_tables_… has failed with. Returns the exit code. */
int recorded_failed(const struct recorded *r, const char *msg);

/* Write the head of a text: what was recorded, and warnings. */
void recorded_head(const struct recorded *r, FILE *f);
/* What the label of the event is: "exact"; of executions, too. */
const char *recorded_trust(const struct recorded *r, uint32_t event, char buf[24]);
/* Call it for each event without a value. */
void recorded_without_value(const struct recorded *r,
			    void (*on_event)(void *ctx, const char *name, const char *trust,
					     const char *reason),
			    void *ctx);
/* The text of a key of table `meta`, which the caller frees; NULL: it is not there. */
char *recorded_fact(const struct recorded *r, const char *key);

/* The same as pmk_plain_wrap(), of any text. */
void recorded_wrap(FILE *f, const char *text, unsigned column, unsigned indent, unsigned width);

/* Write that there was no room for the events from number `shown` on, with an advice. */
void recorded_no_room(const struct recorded *r, FILE *f, size_t shown, const char *advice);

/* Ask for width and colours of `f`; if it is a terminal, page what is written from now on: by
 * $PMK_PAGER, $PAGER, or less. */
void recorded_page(struct recorded *r, FILE *f);
/* Wait for the pager to end. */
void recorded_page_end(void);

#endif
