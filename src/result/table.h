/* SPDX-License-Identifier: MIT */
/* Writes a table as aligned text, as Markdown or as CSV. */
#ifndef PMK_RESULT_TABLE_H
#define PMK_RESULT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table_column {
	const char *heading;
	bool left; /* a text, aligned to the left; numbers are aligned to the right */
	/* A name, which is aligned to the left and has no heading in text; only for the last
	 * column. */
	bool name;
};

struct table_cell {
	char *text;
	bool bold; /* bold in Markdown */
	bool rest; /* the last cell of its row; in text, it is written after the columns */
	bool last; /* the last cell of its row */
};

/* A table. Initialise it to zero, except the columns. */
struct table {
	const struct table_column *column;
	size_t ncolumns;
	struct table_cell *cell;
	size_t ncells, room;
	bool failed;		   /* out of memory */
	struct table_cell dropped; /* the last cell that was dropped for lack of memory */
};

/* Add a cell to the row, with the rules of base/print.h. Returns the cell. If out of memory,
 * returns a cell that is not written. */
struct table_cell *pmk_table_put(struct table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void pmk_table_end_row(struct table *t);
void pmk_table_free(struct table *t);

/* Write the headings and rows as text. Each line begins with `indent`. A name is cut so that the
 * line has at most `width` columns; 0: it is not cut. This and the next two functions return 0, or
 * -1 if there was no memory for the table. */
int pmk_table_write_text(const struct table *t, FILE *f, const char *indent, unsigned width);
/* Write Markdown. The last column, if it is a name, is written as code before the others. */
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

/* Write the name as code for a cell of a table in Markdown, so that nothing in it becomes markup, a
 * link, a mention or an emoji. Returns 0, or -1 if out of memory. */
int pmk_name_write_markdown(FILE *f, const char *name, size_t columns);

#endif
