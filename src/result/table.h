/* SPDX-License-Identifier: MIT */
/* A table whose rows are written as aligned text, as Markdown or as CSV. */
#ifndef PMK_RESULT_TABLE_H
#define PMK_RESULT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table_column {
	const char *heading;
	bool left; /* text and not numbers: aligned to the left */
	bool name; /* the last one, to the left; text has no heading above it */
};

struct table_cell {
	char *text;
	bool bold; /* in Markdown */
	bool rest; /* the last of its row: in text, it has no column */
	bool last; /* of its row */
};

/* Initialise it to zero, except the columns. */
struct table {
	const struct table_column *column;
	size_t ncolumns;
	struct table_cell *cell;
	size_t ncells, room;
	bool failed;		   /* out of memory */
	struct table_cell dropped; /* the last cell for which there was no memory */
};

/* Add a cell to the row, with the rules of base/print.h. Returns it; when out of memory, a cell
 * that is not written. */
struct table_cell *pmk_table_put(struct table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void pmk_table_end_row(struct table *t);
void pmk_table_free(struct table *t);

/* Write headings and rows. All return 0, or -1 if memory ran out before.
 *
 * Text: each line begins with `indent`. A name is cut so that the line has at most `width`
 * columns; 0: it is not cut. */
int pmk_table_write_text(const struct table *t, FILE *f, const char *indent, unsigned width);
/* Markdown: the last column, a name, is written as code in front of the others. */
int pmk_table_write_markdown(const struct table *t, FILE *f);
int pmk_table_write_csv(const struct table *t, FILE *f, const char *separator);

/* ---- names of functions and files in tables for people --------------------------------------- */

/*
 * Returns a printable copy of the name that takes at most this many columns. If the
 * name is longer, "..." replaces its middle: the beginning says where the name belongs, and the end
 * makes it different from its neighbours. The caller frees it; NULL: out of memory.
 */
char *pmk_name_cut(const char *name, size_t columns);

#define NAME_MARKDOWN 80 /* columns of the name of a function in Markdown */

/* Write the name as code for a cell of a table in Markdown: nothing in it is taken for markup, a
 * link, a mention or an emoji. Returns 0, or -1 if out of memory. */
int pmk_name_write_markdown(FILE *f, const char *name, size_t columns);

#endif
