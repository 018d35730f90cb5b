/* SPDX-License-Identifier: MIT */
/* Reading the rows of a recording: what tables.c and tables_counts.c share. */
#ifndef PMK_RECORDING_LOAD_H
#define PMK_RECORDING_LOAD_H

#include "profile/recording/database.h"
#include "profile/recording/tables.h"

/* The state of reading a table. */
struct load {
	struct pmk_tables *t;
	sqlite3_stmt *s;
	void *items; /* the rows so far */
	size_t n, item_size;
	const char *what; /* the dangling reference that was found; NULL: none */
	bool no_memory;
};

/* SQL for an item of a JSON list. An item that pmk would not write becomes -1, to which no row
 * belongs, so that it is found as a dangling reference. A list without items has one such item. */
#define PLACE	"iif(at.type = 'integer' AND at.value >= 0, place + at.value, -1)"
#define KEY(of) "iif(" of ".key = CAST(CAST(" of ".key AS INTEGER) AS TEXT), " of ".key + 0, -1)"

/* Writes the message for SQLite's last error. Returns the error. */
int pmk_load_failed(const struct pmk_tables *t, char *msg, size_t size);

/* Reads a column that refers to one of `n` items and must not be NULL. */
uint32_t pmk_load_needed(struct load *l, int column, const void *items, size_t n, size_t item_size,
			 const char *what);
#define NEEDED(l, column, items, n, what) \
	pmk_load_needed(l, column, items, n, sizeof(*(items)), "a reference to " what)

/* Reads a place as its context and thread. Recordings without call paths have no contexts. */
void pmk_load_place(struct load *l, int column, uint32_t *context, uint32_t *thread);

/* Ends a loop over rows. Returns 0 or the error. */
int pmk_load_finish(struct load *l, int step, int err, char *msg, size_t size);

#endif
