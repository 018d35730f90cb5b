/* SPDX-License-Identifier: MIT */
/*
 * Pages of HTML: one file each, which needs no network and no server. C writes tables, which can
 * be read without a script, and JSON; the script draws graphs from both, and adds search, sorting
 * and choices.
 *
 *	page.c       the frame of all pages, and text, numbers and shares in them
 *	recording.c  the page of a recording, with the parts in the next files
 *	flame.c      the flame graph
 *	functions.c  the table of functions
 *	latency.c    how long the occurrences of an event took
 *	source.c     source lines, and instructions where there is no source
 *	diff.c       the page of pmk diff
 *	stat.c       the page of pmk stat, and of firmware's dumps
 *	page.css, page.js and other scripts, which become one
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

/* Begin a document, up to <body>. `what` names the kind of page: "report". Both strings are plain
 * text, which this function escapes. */
void html_begin(FILE *f, const char *title, const char *what);
/* Like html_begin(), and begins the head of the page: its heading and the list of facts, which
 * html_fact() fills. `kind` is the line above the heading. */
void html_head(FILE *f, const char *title, const char *what, const char *kind);
void html_end(FILE *f);

/* printf with the rules of base/print.h. Texts are escaped, so they may be in attributes, too. */
void html_print(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Like html_print(), for JSON in a script: texts are escaped for JSON strings, between quotes. */
void html_json(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write an item of the list at the head of a page; nothing if `text` is NULL or empty. */
void html_fact(FILE *f, const char *name, const char *text);
void html_fact_number(FILE *f, const char *name, size_t number);
/* Write text, in which the characters of `breaks` (tabs or line breaks) are not escaped. */
void html_lines(FILE *f, const char *text, const char *breaks);
/* Write a paragraph of this class for each line; `lines` may be NULL. */
void html_notices(FILE *f, const char *lines, const char *class);
/* Write a share in percent, with one digit after the point; nothing for 0. */
void html_share(FILE *f, uint64_t value, uint64_t all);
double html_percent(uint64_t value, uint64_t all);
/* Write the counts of each event for the script: "12,,3". A count of 0 is empty. */
void html_counts(FILE *f, const uint64_t *value, size_t n);
/* Write the counts of an element: data-v="12,,3". */
void html_values(FILE *f, const uint64_t *value, size_t n);
/* Begin a table, with these attributes. With '!' before them, the table is only as wide as its
 * content. Then come headings and html_table_body(). The script adds a field that filters the rows
 * of a table with the attribute data-filter="hint". */
void html_table_begin(FILE *f, const char *attributes);
/* Write headings of columns: formats of html_print() with '|' between them. A '#' at the
 * beginning of a heading marks a column of numbers. Attributes are in braces:
 * "#Times|#{data-plain}%%|Name". Sorting a column of numbers puts the largest first. */
void html_headings(FILE *f, const char *cells, ...) __attribute__((format(printf, 2, 3)));
void html_table_body(FILE *f);
/* Begin a table, write its headings and begin its body: the three functions above. */
void html_table(FILE *f, const char *attributes, const char *cells, ...)
	__attribute__((format(printf, 3, 4)));
void html_table_end(FILE *f);
/* Write cells of a row, in the form of html_headings(): "!%s|#%ju|{class=\"why\"}%s". A cell that
 * begins with '!' is the name of the row; it gets the class "name" unless it has attributes. */
void html_cells(FILE *f, const char *cells, ...) __attribute__((format(printf, 2, 3)));
/* Write a whole row: <tr>, cells as in html_cells(), </tr>. */
void html_row(FILE *f, const char *cells, ...) __attribute__((format(printf, 2, 3)));
/* Write a cell with a number, or an empty cell if not `there`. `class` is "" or begins with a
 * blank. */
void html_cell(FILE *f, const char *class, bool there, uint64_t value);
/* Write a cell with a bar that shows value / all. */
void html_bar(FILE *f, uint64_t value, uint64_t all);
/* Write a label of trust, such as "exact", as an element `tag`. */
void html_trust(FILE *f, const char *tag, const char *trust);
/* Write a folded list of `n` events without a value; nothing if `n` is 0. */
void html_without_begin(FILE *f, size_t n);
void html_without(FILE *f, const char *name, const char *trust, const char *reason);
void html_without_end(FILE *f, size_t n);
/* Returns "c.c" for "/a/b/c.c", and NULL for NULL. */
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
/* Keep the samples of a dump for that page. */
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

#endif
