/* SPDX-License-Identifier: MIT */
/*
 * Fills the tables of a new SQLite database page by page, as https://sqlite.org/fileformat2.html
 * describes them. The rows of a table come in the order of its primary key, so each page is written
 * once, and a row costs a small part of what an INSERT costs.
 *
 * SQLite makes the empty tables, and closes the file. Then pmk_pages_open() opens it, each table is
 * filled, and pmk_pages_close() completes the file.
 */
#ifndef PMK_RECORDING_PAGES_H
#define PMK_RECORDING_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PMK_PAGE_SIZE	 4096
#define PMK_PAGE_COLUMNS 16

struct pmk_pages {
	FILE *f;
	uint32_t npages; /* the last one that has a number */
	int err;	 /* errno of the first failure; nothing is written after it */
};

enum pmk_column_kind { PMK_COLUMN_NULL, PMK_COLUMN_INT, PMK_COLUMN_TEXT, PMK_COLUMN_BLOB };

struct pmk_column {
	enum pmk_column_kind kind;
	int64_t value;
	const void *data;
	size_t size;
};

/* A page that is being filled: cells grow down from its end. */
struct pmk_page {
	uint8_t byte[PMK_PAGE_SIZE];
	unsigned ncells, start; /* start: of the last cell */
};

/* What is between two pages of one level: the earlier page, and the key after it. */
struct pmk_divider {
	uint32_t page;
	size_t at, size; /* its cell in keys[], without the number of the page */
};

struct pmk_dividers {
	struct pmk_divider *item;
	size_t n, room;
	uint8_t *keys;
	size_t nkeys, keys_room;
};

/* A table that is being filled. */
struct pmk_table {
	struct pmk_pages *pages;
	uint32_t root;
	bool by_key; /* WITHOUT ROWID; otherwise its first column is an INTEGER PRIMARY KEY */
	struct pmk_column column[PMK_PAGE_COLUMNS]; /* of the next row */
	unsigned ncolumns;
	int64_t rowid; /* of the last row */
	struct pmk_page leaf;
	/* The last row, if it did not fit into the leaf and will be a divider; it becomes one as
	 * soon as another row follows. 0: there is none. */
	uint8_t pending[PMK_PAGE_SIZE];
	unsigned npending;
	struct pmk_dividers dividers; /* between the leaves */
};

/* Returns 0, or -1 with p->err set. */
int pmk_pages_open(struct pmk_pages *p, const char *path);
/* Completes and closes the file. Returns 0, or -1 with p->err set. */
int pmk_pages_close(struct pmk_pages *p);

/* `root`: the number of its root page, from sqlite_schema. */
void pmk_table_begin(struct pmk_table *t, struct pmk_pages *p, uint32_t root, bool by_key);
/* Adds a column to the next row. The data must exist until the row is added. */
void pmk_table_column(struct pmk_table *t, enum pmk_column_kind kind, int64_t value,
		      const void *data, size_t size);
/* Adds the row. Its key is higher than that of the row before it. */
void pmk_table_row(struct pmk_table *t);
void pmk_table_end(struct pmk_table *t);

#endif
