/* SPDX-License-Identifier: MIT */
/*
 * The file of a recording: an SQLite database, described in docs/FORMATS.md. The schema is public:
 * people query it.
 */
#ifndef PMK_RECORDING_DATABASE_H
#define PMK_RECORDING_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#define PMK_DATABASE_ID	     0x706d6b72 /* application_id: "pmkr" */
#define PMK_DATABASE_VERSION 5		/* user_version */

/* The statements that make the tables and views of an empty database. */
extern const char pmk_database_schema[];

/*
 * Make SQLite ignore code in a file. A view in place of a table could take for ever, and a trigger
 * could change what is written.
 */
void pmk_database_refuse_code(sqlite3 *db);
/* True if the file has views in place of tables of the schema, or cannot be read. A query of a view
 * might never end. */
bool pmk_database_has_views(sqlite3 *db, const char *schema);

/*
 * Open a recording for reading. Returns 0; PMK_EIO if it cannot be read; PMK_EPARSE if it is not a
 * recording, is damaged, or has a version that this pmk does not know. After an error, one line in
 * msg says what to do, without the file's name. The caller closes *db with sqlite3_close().
 */
int pmk_database_open(const char *path, sqlite3 **db, char *msg, size_t size);

#endif
