// SPDX-License-Identifier: MIT
#include "profile/recording/database.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/message.h"

/*
 * Addresses of code are those in the ELF file of its object. A count of 0 has no row. A place is a
 * context times the number of threads, plus a thread. Recordings without call paths have only
 * context 0. Readers add up the rows of a place in `count` and `execution`.
 */
const char pmk_database_schema[] =
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT NOT NULL, pmu TEXT,"
	" trust TEXT NOT NULL, reason TEXT, total INTEGER);"
	"CREATE TABLE object(id INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL,"
	" build_id TEXT, bias INTEGER NOT NULL);"
	"CREATE TABLE thread(id INTEGER PRIMARY KEY, process INTEGER NOT NULL,"
	" cpu INTEGER NOT NULL, name TEXT);"
	"CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);"
	"CREATE TABLE function(id INTEGER PRIMARY KEY,"
	" object INTEGER NOT NULL REFERENCES object(id), name TEXT NOT NULL, symbol TEXT,"
	" address INTEGER NOT NULL, size INTEGER, file INTEGER REFERENCES file(id),"
	" line INTEGER);"
	/* Functions that the compiler has inlined. `file` and `line` are the place of the call,
	 * which is in `parent` or, if that is NULL, in the function itself. */
	"CREATE TABLE inlined(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES inlined(id),"
	" name TEXT NOT NULL, symbol TEXT, file INTEGER REFERENCES file(id), line INTEGER);"
	"CREATE TABLE code(id INTEGER PRIMARY KEY,"
	" object INTEGER NOT NULL REFERENCES object(id), address INTEGER NOT NULL,"
	" bytes BLOB NOT NULL, mode TEXT, flow TEXT NOT NULL, conditional INTEGER NOT NULL,"
	" target INTEGER, function INTEGER REFERENCES function(id),"
	" inlined INTEGER REFERENCES inlined(id), file INTEGER REFERENCES file(id),"
	" line INTEGER);"
	"CREATE TABLE context(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES context(id),"
	" function INTEGER REFERENCES function(id), site INTEGER REFERENCES code(id),"
	" calls INTEGER, number INTEGER NOT NULL);"
	/*
	 * Instructions run in blocks, so what each execution of a block adds is stored only once.
	 * Instructions with equal costs refer to the same rows of `costs`. A row of `runs` has a
	 * block, a number of executions and a number of taken branches. Its `places` lists all
	 * places with these two numbers, as differences from `place`; a single place is a number
	 * and not a list. In `parts`, element k of `costs` is the cost of the instruction `code` -
	 * k. In `extras`, `costs` has the list of places for each cost.
	 */
	"CREATE TABLE costs(cost INTEGER PRIMARY KEY, events TEXT NOT NULL);"
	"CREATE TABLE runs(block INTEGER NOT NULL, executions INTEGER NOT NULL,"
	" taken INTEGER NOT NULL, place INTEGER NOT NULL, places NOT NULL,"
	" PRIMARY KEY(block, executions, taken)) WITHOUT ROWID;"
	"CREATE TABLE parts(block INTEGER NOT NULL, left INTEGER NOT NULL,"
	" code INTEGER NOT NULL REFERENCES code(id), costs TEXT NOT NULL);"
	"CREATE TABLE extras(code INTEGER PRIMARY KEY REFERENCES code(id),"
	" place INTEGER NOT NULL, costs TEXT NOT NULL);"
	"CREATE VIEW cost(cost, event, value) AS"
	" SELECT cost, CAST(key AS INTEGER), value FROM costs CROSS JOIN json_each(events);"
	"CREATE VIEW part(block, left, code, cost) AS"
	" SELECT block, left + key, code - key, value FROM parts CROSS JOIN json_each(costs);"
	"CREATE VIEW run(block, context, thread, executions, taken) AS"
	" SELECT block, (place + value) / (SELECT count(*) FROM thread),"
	" (place + value) % (SELECT count(*) FROM thread), executions, taken"
	" FROM runs CROSS JOIN json_each(places);"
	"CREATE VIEW extra(code, context, thread, cost) AS"
	" SELECT code, (place + at.value) / (SELECT count(*) FROM thread),"
	" (place + at.value) % (SELECT count(*) FROM thread), CAST(cost.key AS INTEGER)"
	" FROM extras CROSS JOIN json_each(costs) AS cost CROSS JOIN json_each(cost.value) AS at;"
	"CREATE VIEW execution(code, context, thread, executions, taken) AS"
	" SELECT part.code, context, thread, executions, iif(part.left, 0, taken)"
	" FROM run CROSS JOIN part ON part.block = run.block;"
	"CREATE VIEW count(code, context, thread, event, value) AS"
	" SELECT part.code, context, thread, event, executions * value"
	" FROM run CROSS JOIN part ON part.block = run.block"
	" CROSS JOIN cost ON cost.cost = part.cost"
	" UNION ALL SELECT code, context, thread, event, value"
	" FROM extra CROSS JOIN cost ON cost.cost = extra.cost;"
	"CREATE TABLE latency(event INTEGER NOT NULL REFERENCES event(id),"
	" cycles INTEGER NOT NULL, times INTEGER NOT NULL,"
	" PRIMARY KEY(event, cycles)) WITHOUT ROWID;";

static int query_number(sqlite3 *db, const char *sql, int *out)
{
	sqlite3_stmt *s;
	int err = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

	if (!err && sqlite3_step(s) == SQLITE_ROW)
		*out = sqlite3_column_int(s, 0);
	else if (!err)
		err = sqlite3_errcode(db);
	sqlite3_finalize(s);
	return err;
}

bool pmk_database_has_views(sqlite3 *db, const char *schema)
{
	/* SQLite ignores the case of names. */
	static const char sql[] =
		"SELECT 1 FROM sqlite_master WHERE type = 'view' AND"
		" instr(lower(?1), 'create table ' || lower(name) || '(') LIMIT 1";
	sqlite3_stmt *s = NULL;
	bool none = !sqlite3_prepare_v2(db, sql, -1, &s, NULL) &&
		    !sqlite3_bind_text(s, 1, schema, -1, SQLITE_STATIC) &&
		    sqlite3_step(s) == SQLITE_DONE;

	sqlite3_finalize(s);
	return !none;
}

/* True if the end of the file is missing. SQLite reads missing bytes of the last page as zeros. */
static bool is_cut(sqlite3 *db, const char *path)
{
	int pages = 0, bytes = 0;
	struct stat st;

	return !query_number(db, "PRAGMA page_count", &pages) &&
	       !query_number(db, "PRAGMA page_size", &bytes) && !stat(path, &st) &&
	       st.st_size < (off_t)pages * bytes;
}

static int schema_check(sqlite3 *db, const char *path, char *msg, size_t size)
{
	int id = 0, version = 0;

	if (query_number(db, "PRAGMA application_id", &id) ||
	    query_number(db, "PRAGMA user_version", &version))
		return pmk_message_fail(msg, size, PMK_EPARSE,
					"%s; give a file that pmk record wrote",
					sqlite3_errmsg(db));
	if (id != PMK_DATABASE_ID)
		return pmk_message_fail(msg, size, PMK_EPARSE, "not a recording of pmk record");
	if (version != PMK_DATABASE_VERSION)
		return pmk_message_fail(
			msg, size, PMK_EPARSE,
			"its format is version %d, and this pmk reads version %d; %s", version,
			PMK_DATABASE_VERSION, "record it again, or use that version of pmk");
	if (pmk_database_has_views(db, pmk_database_schema))
		return pmk_message_fail(msg, size, PMK_EPARSE,
					"it has views instead of tables; record it again");
	if (is_cut(db, path))
		return pmk_message_fail(msg, size, PMK_EPARSE,
					"its end is missing; record it again");
	return 0;
}

/* Limits of SQLite's steps, per byte of a file and for small files, and the number of steps between
 * two checks. Reading a whole recording takes one or two steps per byte. */
#define STEPS_PER_BYTE 100
#define STEPS_OF_ANY   UINT64_C(20000000)
#define STEPS	       1000000

static _Atomic uint64_t steps_left; /* shared by all open recordings */

/* Stop a query that takes too many steps. Pages of a damaged file may refer to each other in a
 * cycle. */
static int on_steps(void *unused)
{
	(void)unused;
	if (steps_left < STEPS)
		return 1;
	steps_left -= STEPS;
	return 0;
}

static void limit_steps(sqlite3 *db, const char *path)
{
	struct stat st;

	steps_left += STEPS_OF_ANY;
	if (!stat(path, &st) && st.st_size > 0)
		steps_left += (uint64_t)st.st_size * STEPS_PER_BYTE;
	sqlite3_progress_handler(db, STEPS, on_steps, NULL);
}

void pmk_database_refuse_code(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

int pmk_database_open(const char *path, sqlite3 **db, char *msg, size_t size)
{
	int err;

	*db = NULL;
	if (access(path, R_OK))
		return pmk_message_fail(msg, size, PMK_EIO, "cannot be read: %s", strerror(errno));
	/* Open the connection without locks, because only one thread uses it. Locking for each
	 * column would take a sixth of the time. */
	if (sqlite3_open_v2(path, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)) {
		err = pmk_message_fail(msg, size, PMK_EIO, "cannot be opened: %s",
				       *db ? sqlite3_errmsg(*db) : pmk_strerror(PMK_ENOMEM));
	} else {
		pmk_database_refuse_code(*db);
		limit_steps(*db, path);
		err = schema_check(*db, path, msg, size);
	}
	if (err) {
		sqlite3_close(*db);
		*db = NULL;
	}
	return err;
}
