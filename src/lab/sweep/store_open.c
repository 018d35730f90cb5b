// SPDX-License-Identifier: MIT
/* Opens, creates, locks and merges results databases: see store.h. */
#define _GNU_SOURCE
#include "lab/sweep/store_open.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/message.h"
#include "profile/recording/database.h"

/* The build defines the version. */
#ifndef PMK_VERSION
#define PMK_VERSION "(unknown version)"
#endif

static const char schema[] =
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE program(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,"
	" path TEXT NOT NULL, command TEXT NOT NULL, about TEXT);"
	"CREATE TABLE config(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,"
	" core TEXT NOT NULL, isa TEXT NOT NULL, parameters TEXT NOT NULL, checked TEXT);"
	"CREATE TABLE cell(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"
	" program INTEGER NOT NULL REFERENCES program(id),"
	" config INTEGER NOT NULL REFERENCES config(id),"
	" failure TEXT, exit_code INTEGER, seconds REAL);"
	"CREATE TABLE event(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
	"CREATE TABLE label(id INTEGER PRIMARY KEY, pmu TEXT, trust TEXT, reason TEXT, unit TEXT);"
	"CREATE INDEX label_texts ON label(pmu, trust, reason, unit);"
	"CREATE TABLE value(cell INTEGER NOT NULL REFERENCES cell(id),"
	" event INTEGER NOT NULL REFERENCES event(id), value INTEGER,"
	" label INTEGER NOT NULL REFERENCES label(id),"
	" PRIMARY KEY(cell, event)) WITHOUT ROWID;"
	"CREATE TABLE variant(id INTEGER PRIMARY KEY, core TEXT NOT NULL,"
	" settings TEXT NOT NULL, UNIQUE(core, settings));"
	"CREATE TABLE setting(variant INTEGER NOT NULL REFERENCES variant(id),"
	" name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(variant, name)) WITHOUT ROWID;"
	"CREATE TABLE revision(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, subject TEXT,"
	" time INTEGER, good INTEGER);"
	"CREATE TABLE point(revision INTEGER NOT NULL, name TEXT NOT NULL,"
	" variant INTEGER NOT NULL REFERENCES variant(id),"
	" cell INTEGER NOT NULL REFERENCES cell(id),"
	" PRIMARY KEY(revision, name, variant)) WITHOUT ROWID;"
	/* Cells that were also recorded, so that they can be compared down to functions. */
	"CREATE TABLE recording(cell INTEGER PRIMARY KEY REFERENCES cell(id),"
	" path TEXT NOT NULL);";

int store_failed(struct pmk_store *s, int err, const char *why)
{
	if (s->err)
		return s->err;
	s->err = err;
	snprintf(s->why, sizeof(s->why), "%s: %s", s->path, why);
	return err;
}

int store_no_memory(struct pmk_store *s)
{
	return store_failed(s, PMK_ENOMEM, pmk_strerror(PMK_ENOMEM));
}

int store_fail_sqlite(struct pmk_store *s)
{
	int code = sqlite3_errcode(s->db);

	if (code == SQLITE_BUSY)
		return store_failed(s, PMK_EBUSY,
				    "another process writes to it; try again when that has ended");
	if (code == SQLITE_FULL)
		return store_failed(s, PMK_EIO, strerror(ENOSPC));
	return store_failed(s, code == SQLITE_NOMEM ? PMK_ENOMEM : PMK_EIO, sqlite3_errmsg(s->db));
}

int store_run(struct pmk_store *s, const char *sql)
{
	if (!s->err && sqlite3_exec(s->db, sql, NULL, NULL, NULL))
		store_fail_sqlite(s);
	return s->err;
}

bool store_fetch(struct pmk_store *s, sqlite3_stmt *q)
{
	int code = q && !s->err ? sqlite3_step(q) : SQLITE_DONE;

	if (code != SQLITE_ROW && code != SQLITE_DONE)
		store_fail_sqlite(s);
	return code == SQLITE_ROW;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int64_t read_pragma(struct pmk_store *s, const char *sql)
{
	sqlite3_stmt *q = NULL;
	int64_t n = 0;

	if (s->err)
		return 0;
	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL))
		store_fail_sqlite(s);
	else if (store_fetch(s, q))
		n = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return n;
}

static void create_tables(struct pmk_store *s)
{
	char *sql = sqlite3_mprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;"
				    "INSERT INTO meta VALUES('pmk', %Q);",
				    PMK_STORE_ID, PMK_STORE_VERSION, PMK_VERSION);

	if (!sql)
		store_no_memory(s);
	store_run(s, "BEGIN IMMEDIATE");
	store_run(s, schema);
	store_run(s, sql);
	store_run(s, "COMMIT");
	sqlite3_free(sql);
}

static void check_version(struct pmk_store *s, bool may_create)
{
	int64_t id = read_pragma(s, "PRAGMA application_id");
	int64_t version = read_pragma(s, "PRAGMA user_version");
	bool empty = !read_pragma(s, "SELECT count(*) FROM sqlite_master");
	char why[160];

	if (s->err) {
		s->err = s->err == PMK_EIO ? PMK_EPARSE : s->err;
		return;
	}
	if (!id && empty && may_create) {
		create_tables(s);
	} else if (id != PMK_STORE_ID) {
		store_failed(s, PMK_EPARSE, "not a results database of pmk");
	} else if (version != PMK_STORE_VERSION) {
		snprintf(why, sizeof(why),
			 "its format is version %lld, and this pmk reads version %d; use the "
			 "version of pmk that wrote it",
			 (long long)version, PMK_STORE_VERSION);
		store_failed(s, PMK_EPARSE, why);
	} else if (pmk_database_has_views(s->db, schema)) {
		store_failed(s, PMK_EPARSE,
			     "it has views instead of tables; count again into a "
			     "new database");
	}
}

#define NAP_MS	    20
#define PATIENCE_MS 10000 /* our choice: adding a run takes milliseconds, a sweep takes hours */

/*
 * Locks the database, so that no second process computes the same cells. The descriptor must be
 * closed after SQLite's: closing any descriptor of a file drops the locks that SQLite holds on it.
 */
static void lock_database(struct pmk_store *s, int patience_ms)
{
	s->lock = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->lock < 0) {
		store_failed(s, PMK_EIO, strerror(errno));
		return;
	}
	while (flock(s->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		if (patience_ms <= 0) {
			store_failed(s, PMK_EBUSY,
				     "another process writes to it; try again when that has ended");
			return;
		}
		poll(NULL, 0, NAP_MS);
		patience_ms -= NAP_MS;
	}
}

#define UNCHANGING "?immutable=1" /* part of a URI: the file does not change */

/* Returns the path as a URI that ends with `after`; the caller frees it. */
static char *uri_of(const char *path, const char *after)
{
	char *uri = malloc(5 + 3 * strlen(path) + strlen(after) + 1), *to = uri;

	if (!uri)
		return NULL;
	to += sprintf(to, "file:");
	while (path[0] == '/' && path[1] == '/') /* "//" would start a host name */
		path++;
	for (; *path; path++)
		if (strchr("%?#", *path))
			to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*path);
		else
			*to++ = *path;
	strcpy(to, after);
	return uri;
}

/* True if the write-ahead log has changes that are not in the database yet. */
static bool has_log(const char *path)
{
	char *log = sqlite3_mprintf("%s-wal", path);
	struct stat st;
	bool has = log && !stat(log, &st) && st.st_size;

	sqlite3_free(log);
	return has;
}

static bool may_not_write(const struct pmk_store *s)
{
	int code = sqlite3_errcode(s->db);

	return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

/*
 * Opens a database where this process may not write. SQLite's readers normally write files next to
 * it to coordinate with a writer. If that is impossible, pmk assumes that there is no writer and
 * that the database file is complete, unless there is a log.
 */
static void open_unchanging(struct pmk_store *s)
{
	char *uri;

	if (has_log(s->path)) {
		s->err = 0;
		store_failed(s, PMK_EIO,
			     "its newest part is in the -wal file next to it, which can be read "
			     "only if the folder is writable");
		return;
	}
	uri = uri_of(s->path, UNCHANGING);
	if (!uri)
		return;
	s->unchanging = true;
	sqlite3_close(s->db);
	s->db = NULL;
	s->err = 0;
	if (sqlite3_open_v2(uri, &s->db,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL))
		store_failed(s, PMK_EIO, s->db ? sqlite3_errmsg(s->db) : pmk_strerror(PMK_ENOMEM));
	else
		pmk_database_refuse_code(s->db);
	free(uri);
	check_version(s, false);
}

static void open_file(struct pmk_store *s, enum pmk_store_how how)
{
	int flags = how == PMK_STORE_READ ? SQLITE_OPEN_READWRITE
					  : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	char *uri;
	int code;

	if (how == PMK_STORE_READ && access(s->path, R_OK))
		store_failed(s, PMK_EIO, strerror(errno));
	if (how == PMK_STORE_WRITE || how == PMK_STORE_ADD)
		lock_database(s, how == PMK_STORE_ADD ? PATIENCE_MS : 0);
	if (s->err)
		return;
	/* In WAL mode even a reader writes files next to the database, so it is opened read-only
	 * only if this process may not write it. */
	if (how == PMK_STORE_READ && access(s->path, W_OK))
		flags = SQLITE_OPEN_READONLY;
	/* SQLite accepts a URI in ATTACH only on a connection that was opened with one. */
	uri = uri_of(s->path, "");
	if (!uri) {
		store_no_memory(s);
		return;
	}
	code = sqlite3_open_v2(uri, &s->db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (code) {
		store_fail_sqlite(s);
		return;
	}
	pmk_database_refuse_code(s->db);
	store_run(s, how == PMK_STORE_ALONE ? "PRAGMA locking_mode = EXCLUSIVE"
					    : "PRAGMA busy_timeout = 10000");
	check_version(s, how != PMK_STORE_READ);
	if (how == PMK_STORE_READ && s->err && may_not_write(s))
		open_unchanging(s);
	if (how != PMK_STORE_READ)
		store_run(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

int pmk_store_open(struct pmk_store **out, const char *path, enum pmk_store_how how, char *msg,
		   size_t size)
{
	struct pmk_store *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	if (s)
		s->path = strdup(path);
	if (!s || !s->path) {
		free(s);
		return pmk_message_no_memory(msg, size, path);
	}
	s->lock = -1;
	open_file(s, how);
	if (!s->err) {
		*out = s;
		return 0;
	}
	snprintf(msg, size, "%s", s->why);
	err = s->err;
	pmk_store_close(s);
	return err;
}

void pmk_store_close(struct pmk_store *s)
{
	if (!s)
		return;
	for (int i = 0; i < STORE_STATEMENTS; i++)
		sqlite3_finalize(s->statement[i]);
	sqlite3_close(s->db);
	if (s->lock >= 0)
		close(s->lock);
	free(s->path);
	free(s);
}

const char *pmk_store_error(const struct pmk_store *s)
{
	return s->why;
}

int pmk_store_begin(struct pmk_store *s)
{
	return store_run(s, "BEGIN IMMEDIATE");
}

int pmk_store_commit(struct pmk_store *s)
{
	return store_run(s, "COMMIT");
}

/* ---- several databases ----------------------------------------------------------------------- */

/* Rows are matched by their texts and hashes, because their numbers differ between databases. */
static const char merge[] =
	"INSERT OR IGNORE INTO program(hash, path, command, about)"
	" SELECT hash, path, command, about FROM other.program;"
	"INSERT OR IGNORE INTO config(hash, core, isa, parameters)"
	" SELECT hash, core, isa, parameters FROM other.config;"
	"INSERT OR IGNORE INTO event(name) SELECT name FROM other.event ORDER BY id;"
	"INSERT INTO label(pmu, trust, reason, unit) SELECT pmu, trust, reason, unit"
	" FROM other.label AS o WHERE NOT EXISTS(SELECT 1 FROM main.label AS l WHERE"
	" l.pmu IS o.pmu AND l.trust IS o.trust AND l.reason IS o.reason AND l.unit IS o.unit);"
	/* Drops a failure in this database if the other one has counts of the cell. */
	"DELETE FROM main.value WHERE cell IN (SELECT l.id FROM main.cell AS l"
	" JOIN other.cell AS o USING(key) WHERE l.failure IS NOT NULL AND o.failure IS NULL);"
	"INSERT INTO cell(key, program, config, failure, exit_code, seconds)"
	" SELECT o.key, p.id, c.id, o.failure, o.exit_code, o.seconds FROM other.cell AS o"
	" JOIN other.program AS op ON op.id = o.program JOIN main.program AS p ON p.hash = op.hash"
	" JOIN other.config AS oc ON oc.id = o.config JOIN main.config AS c ON c.hash = oc.hash"
	" WHERE 1 ORDER BY o.id ON CONFLICT(key) DO UPDATE SET failure = NULL,"
	" exit_code = excluded.exit_code, seconds = excluded.seconds"
	" WHERE failure IS NOT NULL AND excluded.failure IS NULL;"
	"INSERT INTO value(cell, event, value, label)"
	" SELECT c.id, e.id, o.value, l.id FROM other.value AS o"
	" JOIN other.cell AS oc ON oc.id = o.cell JOIN main.cell AS c ON c.key = oc.key"
	" JOIN other.event AS oe ON oe.id = o.event JOIN main.event AS e ON e.name = oe.name"
	" JOIN other.label AS ol ON ol.id = o.label JOIN main.label AS l ON l.pmu IS ol.pmu"
	" AND l.trust IS ol.trust AND l.reason IS ol.reason AND l.unit IS ol.unit"
	" WHERE oc.failure IS NULL" UNLESS_IT_COUNTED ";"
	"INSERT OR IGNORE INTO variant(core, settings)"
	" SELECT core, settings FROM other.variant ORDER BY id;"
	"INSERT OR IGNORE INTO setting(variant, name, value) SELECT v.id, o.name, o.value"
	" FROM other.setting AS o JOIN other.variant AS ov ON ov.id = o.variant"
	" JOIN main.variant AS v ON v.core = ov.core AND v.settings = ov.settings;"
	"INSERT OR REPLACE INTO point(revision, name, variant, cell)"
	" SELECT 0, o.name, v.id, c.id FROM other.point AS o"
	" JOIN other.variant AS ov ON ov.id = o.variant"
	" JOIN main.variant AS v ON v.core = ov.core AND v.settings = ov.settings"
	" JOIN other.cell AS oc ON oc.id = o.cell JOIN main.cell AS c ON c.key = oc.key"
	" WHERE o.revision = 0;"
	"UPDATE main.config SET checked ="
	" (SELECT o.checked FROM other.config AS o WHERE o.hash = main.config.hash)"
	" WHERE hash IN (SELECT hash FROM other.config WHERE checked IS NOT NULL);";

/*
 * Checks that a file is a complete results database. *uri, which the caller frees, is the text with
 * which it is attached.
 */
static int check_other(struct pmk_store *s, const char *path, char **uri)
{
	struct pmk_store *other;
	char msg[512];
	int err = pmk_store_open(&other, path, PMK_STORE_READ, msg, sizeof(msg));

	if (!err)
		*uri = uri_of(path, other->unchanging ? UNCHANGING : "");
	pmk_store_close(other);
	if (!err)
		return *uri ? 0 : store_no_memory(s);
	snprintf(s->why, sizeof(s->why), "%s", msg);
	s->err = err;
	return err;
}

int pmk_store_merge(struct pmk_store *s, const char *path)
{
	char *sql, *uri = NULL;

	if (s->err || check_other(s, path, &uri))
		return s->err;
	sql = sqlite3_mprintf("ATTACH %Q AS other", uri);
	free(uri);
	if (!sql)
		return store_no_memory(s);
	store_run(s, sql);
	sqlite3_free(sql);
	store_run(s, "BEGIN IMMEDIATE");
	store_run(s, merge);
	store_run(s, "COMMIT");
	return store_run(s, "DETACH other");
}
