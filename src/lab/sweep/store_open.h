/* SPDX-License-Identifier: MIT */
/* An open results database. store_open.c opens, creates and merges databases; store.c reads and
 * writes their rows. */
#ifndef PMK_SWEEP_STORE_OPEN_H
#define PMK_SWEEP_STORE_OPEN_H

#include <sqlite3.h>

#include "lab/sweep/store.h"

#define STORE_STATEMENTS 40 /* room for prepared statements */

struct pmk_store {
	sqlite3 *db;
	sqlite3_stmt *statement[STORE_STATEMENTS]; /* prepared on first use */
	int lock; /* descriptor that is locked while this process may write; -1: none */
	/* the database was opened as a file that does not change: see open_unchanging() */
	bool unchanging;
	int err; /* negative enum pmk_error of the first failure */
	char *path;
	char why[512];
};

/* Keeps an existing value, unless it is the failure of a run. */
#define UNLESS_IT_COUNTED                                                                        \
	" ON CONFLICT(cell, event) DO UPDATE SET value = excluded.value, label = excluded.label" \
	" WHERE label IN (SELECT id FROM label WHERE trust = '" PMK_STORE_FAILED "')"

/* Stores the first failure. Returns the error of the first failure. */
int store_failed(struct pmk_store *s, int err, const char *why);
int store_no_memory(struct pmk_store *s);
/* Stores SQLite's last error as a failure. */
int store_fail_sqlite(struct pmk_store *s);
/* Executes statements, unless the store has failed. Returns 0 or the error. */
int store_run(struct pmk_store *s, const char *sql);
/* Fetches the next row of a query. Returns false if there is none, or if the query failed. */
bool store_fetch(struct pmk_store *s, sqlite3_stmt *q);

#endif
