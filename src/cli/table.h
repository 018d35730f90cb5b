/* SPDX-License-Identifier: MIT */
/* A table whose rows are written as aligned text, as Markdown or as CSV. */
#ifndef PMK_CLI_TABLE_H
#define PMK_CLI_TABLE_H

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
	bool failed; /* out of memory */
};

/* Add a cell to the row, with the rules of base/print.h. Returns it; when out of memory, a cell
 * that is not written. */
struct table_cell *table_put(struct table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void table_end_row(struct table *t);
void table_free(struct table *t);

/* Write headings and rows. All return 0, or -1 if memory ran out before.
 *
 * Text: each line begins with `indent`. A name is cut so that the line has at most `width`
 * columns; 0: it is not cut. */
int table_write_text(const struct table *t, FILE *f, const char *indent, unsigned width);
/* Markdown: the last column, a name, is written as code in front of the others. */
int table_write_markdown(const struct table *t, FILE *f);
int table_write_csv(const struct table *t, FILE *f, const char *separator);

#endif
