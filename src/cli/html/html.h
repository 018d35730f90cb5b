/* SPDX-License-Identifier: MIT */
/*
 * Pages of HTML: one file each, which needs no network and no server. The document contains all
 * text and numbers; its script only adds zoom, search, sorting and the choice of events.
 *
 *	page.c       the frame of all pages, and text, numbers and shares in them
 *	recording.c  the page of a recording, with the parts in the next files
 *	tree.c       the calls that flame.c and functions.c show
 *	flame.c      the flame graph
 *	functions.c  the table of functions
 *	latency.c    how long the occurrences of an event took
 *	source.c     source lines, and instructions where there is no source
 *	diff.c       the page of pmk diff
 *	stat.c       the page of pmk stat, and of firmware's dumps
 *	history.c    the page of pmk history
 *	sweep.c      the page of pmk sweep
 *	page.css, page.js
 *
 * The same input gives the same bytes.
 */
#ifndef PMK_CLI_HTML_H
#define PMK_CLI_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pmk/result.h>

/* ---- page.c --------------------------------------------------------------------------------- */

/* Begin a document. Both are text; `what` names the kind of page: "report". */
void html_begin(FILE *f, const char *title, const char *what);
void html_end(FILE *f);

/* Write text. Characters with a meaning in HTML are escaped, in attributes, too; unprintable bytes
 * become \xHH. */
void html_text(FILE *f, const char *text);
/* The same, but no more than `columns` characters, the last of them an ellipsis. */
void html_cut(FILE *f, const char *text, size_t columns);
/* An item of the list at the head of a page; nothing if there is no text. */
void html_fact(FILE *f, const char *name, const char *text);
/* A line of a program, with its tabs. */
void html_code(FILE *f, const char *line);
/* 1,234,567 */
void html_number(FILE *f, uint64_t value);
/* Percent, with one digit after the point; nothing for 0. */
void html_share(FILE *f, uint64_t value, uint64_t all);
double html_percent(uint64_t value, uint64_t all);
/* data-v="12,,3": the counts of an element for each event, for the script; 0 is empty. */
void html_values(FILE *f, const uint64_t *value, size_t n);
/* The heading of a column; `more` are attributes, as markup. Sorting a column of numbers puts the
 * largest first. */
void html_heading(FILE *f, const char *text, bool number, const char *more);
/* A label of trust, with its meaning. */
void html_trust(FILE *f, const char *trust);
/* "c.c" of "/a/b/c.c" */
const char *html_base_name(const char *path);

/* ---- files ---------------------------------------------------------------------------------- */

/* Write the page of a recording to `path`. `events` is the argument of -e, or NULL. Returns an exit
 * code. */
int html_recording(const char *input, const char *events, const char *path);

struct diff;
/* Write the page of a comparison. Returns an exit code. */
int html_diff(const struct diff *d, const char *path);

struct history;
struct history_functions;
/* Write the page of the commits in a database. Returns an exit code. */
int html_history(const struct history *h, const struct history_functions *functions,
		 const char *database, const char *path);

struct html_stat;
/* Keep a section for the page of pmk stat. The first call, with NULL in *stat, begins the page. If
 * memory runs out, the page says that parts are missing. */
void html_stat_add(struct html_stat **stat, const struct pmk_result *r, const struct pmk_section *s,
		   const struct pmk_metric *const *metrics);
/* The same for the samples of a dump. */
void html_stat_add_profile(struct html_stat *stat, const struct pmk_profile *p);
/* Write the page. Returns an exit code. */
int html_stat_write(const struct html_stat *stat, const struct pmk_result *r, const char *path);
void html_stat_free(struct html_stat *stat);

struct sweep_results;
struct sweep_heat;
/* Write the page of a results database, with the parts that are already text. Returns an exit
 * code. */
int html_sweep(const struct sweep_results *r, const struct sweep_heat *heat, const char *answers,
	       const char *input, const char *path);

/* True if the page's file, which may be NULL, is the input file at `path`. */
bool html_would_destroy(const char *page, const char *path);

#endif
