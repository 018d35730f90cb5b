// SPDX-License-Identifier: MIT
/*
 * Reads and writes the results database: see store.h. Statements are prepared on first use and
 * kept. A unique row, such as an event's name, is looked up before it is inserted, which is safe
 * because there is one writer.
 */
#define _GNU_SOURCE
#include "lab/sweep/store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/message.h"
#include "count/words.h"
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

/* Keeps an existing value, unless it is the failure of a run. */
#define UNLESS_IT_COUNTED                                                                        \
	" ON CONFLICT(cell, event) DO UPDATE SET value = excluded.value, label = excluded.label" \
	" WHERE label IN (SELECT id FROM label WHERE trust = '" PMK_STORE_FAILED "')"

#define STATEMENTS(X)                                                                              \
	X(GET_PROGRAM, "SELECT id FROM program WHERE hash = ?")                                    \
	X(PUT_PROGRAM, "INSERT INTO program(hash, path, command, about) VALUES(?,?,?,?)")          \
	X(GET_CONFIG, "SELECT id FROM config WHERE hash = ?")                                      \
	X(PUT_CONFIG,                                                                              \
	  "INSERT INTO config(hash, core, isa, parameters, checked) VALUES(?,?,?,?,?)")            \
	X(SET_CONFIG, "UPDATE config SET checked = ?1 WHERE id = ?2 AND checked IS NOT ?1")        \
	X(GET_CELL, "SELECT id, failure IS NOT NULL, seconds FROM cell WHERE key = ?")             \
	X(PUT_CELL, "INSERT INTO cell(key, program, config) VALUES(?,?,?)")                        \
	X(DROP_CELL, "DELETE FROM value WHERE cell = ?")                                           \
	X(SET_CELL, "UPDATE cell SET failure = ?2, seconds = ?3, exit_code = nullif(?4, -1)"       \
		    " WHERE id = ?1")                                                              \
	X(GET_EVENT, "SELECT id FROM event WHERE name = ?")                                        \
	X(PUT_EVENT, "INSERT INTO event(name) VALUES(?)")                                          \
	X(GET_LABEL, "SELECT id FROM label WHERE pmu IS ? AND trust IS ? AND reason IS ?"          \
		     " AND unit IS ?")                                                             \
	X(PUT_LABEL, "INSERT INTO label(pmu, trust, reason, unit) VALUES(?,?,?,?)")                \
	X(PUT_VALUE,                                                                               \
	  "INSERT INTO value(cell, event, value, label) VALUES(?,?,?,?)" UNLESS_IT_COUNTED)        \
	X(HAS_VALUE, "SELECT 1 FROM value WHERE cell = ? AND event ="                              \
		     " (SELECT id FROM event WHERE name = ?)")                                     \
	X(HAS_FAILED,                                                                              \
	  "SELECT 1 FROM value JOIN label ON label.id = label WHERE cell = ? AND event ="          \
	  " (SELECT id FROM event WHERE name = ?) AND trust = '" PMK_STORE_FAILED "'")             \
	X(GET_VARIANT, "SELECT id FROM variant WHERE core = ? AND settings = ?")                   \
	X(PUT_VARIANT, "INSERT INTO variant(core, settings) VALUES(?,?)")                          \
	X(PUT_SETTING, "INSERT OR IGNORE INTO setting(variant, name, value) VALUES(?,?,?)")        \
	X(PUT_POINT,                                                                               \
	  "INSERT INTO point(revision, name, variant, cell) VALUES(?,?,?,?) ON CONFLICT"           \
	  " DO UPDATE SET cell = excluded.cell WHERE cell <> excluded.cell")                       \
	X(DROP_POINT, "DELETE FROM point WHERE revision = ? AND name = ? AND variant ="            \
		      " (SELECT id FROM variant WHERE core = ? AND settings = ?)")                 \
	X(POINTS, "SELECT revision, name, variant.core, variant, cell, key, failure, exit_code,"   \
		  " seconds, checked FROM point JOIN variant ON variant.id = variant"              \
		  " JOIN cell ON cell.id = cell JOIN config ON config.id = config"                 \
		  " WHERE ?1 < 0 OR revision = ?1 ORDER BY revision, name, variant.core, variant") \
	X(SETTINGS, "SELECT name, value FROM setting WHERE variant = ? ORDER BY name")             \
	X(VALUES, "SELECT event.name, pmu, trust, reason, unit, value FROM value"                  \
		  " JOIN event ON event.id = event JOIN label ON label.id = label"                 \
		  " WHERE cell = ? ORDER BY event.id")                                             \
	X(GET_REVISION, "SELECT id FROM revision WHERE name = ?")                                  \
	X(PUT_REVISION, "INSERT INTO revision(name, subject, time, good) VALUES(?1,?2,?3,?4)"      \
			" ON CONFLICT(name) DO UPDATE SET subject = ?2, time = ?3, good = ?4")     \
	X(REVISIONS, "SELECT id, name, subject, time, good FROM revision ORDER BY id")             \
	X(PUT_RECORDING, "INSERT OR REPLACE INTO recording(cell, path) VALUES(?,?)")               \
	X(GET_RECORDING, "SELECT path FROM recording WHERE cell = ?")

enum {
#define NAME(name, text) name,
	STATEMENTS(NAME)
#undef NAME
		NSTATEMENTS
};

static const char *const texts[] = {
#define TEXT(name, text) text,
	STATEMENTS(TEXT)
#undef TEXT
};

struct pmk_store {
	sqlite3 *db;
	sqlite3_stmt *statement[NSTATEMENTS];
	int lock; /* descriptor that is locked while this process may write; -1: none */
	/* the database was opened as a file that does not change: see open_unchanging() */
	bool unchanging;
	int err; /* negative enum pmk_error of the first failure */
	char *path;
	char why[512];
};

/* ---- statements ------------------------------------------------------------------------------ */

static int store_failed(struct pmk_store *s, int err, const char *why)
{
	if (s->err)
		return s->err;
	s->err = err;
	snprintf(s->why, sizeof(s->why), "%s: %s", s->path, why);
	return err;
}

static int store_no_memory(struct pmk_store *s)
{
	return store_failed(s, PMK_ENOMEM, pmk_strerror(PMK_ENOMEM));
}

static int fail_sqlite(struct pmk_store *s)
{
	int code = sqlite3_errcode(s->db);

	if (code == SQLITE_BUSY)
		return store_failed(s, PMK_EBUSY, "another process writes to it");
	if (code == SQLITE_FULL)
		return store_failed(s, PMK_EIO, strerror(ENOSPC));
	return store_failed(s, code == SQLITE_NOMEM ? PMK_ENOMEM : PMK_EIO, sqlite3_errmsg(s->db));
}

static int run_sql(struct pmk_store *s, const char *sql)
{
	if (!s->err && sqlite3_exec(s->db, sql, NULL, NULL, NULL))
		fail_sqlite(s);
	return s->err;
}

static int bind_value(sqlite3_stmt *q, int column, char type, va_list *values)
{
	const void *bytes;
	int64_t number;

	switch (type) {
	case 'i':
	case 'n':
		number = va_arg(*values, int64_t);
		return type == 'n' && !number ? sqlite3_bind_null(q, column)
					      : sqlite3_bind_int64(q, column, number);
	case 'r':
		return sqlite3_bind_double(q, column, va_arg(*values, double));
	case 't':
		return sqlite3_bind_text(q, column, va_arg(*values, const char *), -1,
					 SQLITE_STATIC);
	default:
		bytes = va_arg(*values, const void *);
		return sqlite3_bind_blob(q, column, bytes, (int)va_arg(*values, size_t),
					 SQLITE_STATIC);
	}
}

/*
 * Binds values to the parameters of a statement. Each letter of `types` is one value: 'i' an
 * int64_t, 'n' an int64_t where 0 stands for NULL, 'r' a double, 't' a text or NULL, 'b' bytes and
 * their size_t. Texts and bytes are not copied. Returns 0 or SQLite's error.
 */
static int values_bind(sqlite3_stmt *q, const char *types, va_list *values)
{
	int n = sqlite3_bind_parameter_count(q), err = 0;

	for (int i = 0; i < n && types[i] && !err; i++)
		err = bind_value(q, i + 1, types[i], values);
	return err;
}

/* Begins a statement with values of these types: see values_bind(). After a failure it
 * returns NULL, which all other functions of this file accept. */
static sqlite3_stmt *statement_values(struct pmk_store *s, int which, const char *types,
				      va_list *values)
{
	sqlite3_stmt **q = &s->statement[which];

	if (!s->err && !*q && sqlite3_prepare_v2(s->db, texts[which], -1, q, NULL))
		fail_sqlite(s);
	if (!s->err && values_bind(*q, types, values))
		fail_sqlite(s);
	return s->err ? NULL : *q;
}

static sqlite3_stmt *statement_begin(struct pmk_store *s, int which, const char *types, ...)
{
	sqlite3_stmt *q;
	va_list values;

	va_start(values, types);
	q = statement_values(s, which, types, &values);
	va_end(values);
	return q;
}

/* Fetches the next row of a query. Returns false if there is none, or if the query failed. */
static bool fetch_row(struct pmk_store *s, sqlite3_stmt *q)
{
	int code = q && !s->err ? sqlite3_step(q) : SQLITE_DONE;

	if (code != SQLITE_ROW && code != SQLITE_DONE)
		fail_sqlite(s);
	return code == SQLITE_ROW;
}

static void end_statement(sqlite3_stmt *q)
{
	if (q)
		sqlite3_reset(q);
}

/* Runs the statement, and returns the number in its first row; 0 if there is none. */
static int64_t statement_end(struct pmk_store *s, sqlite3_stmt *q)
{
	int64_t number = fetch_row(s, q) ? sqlite3_column_int64(q, 0) : 0;

	end_statement(q);
	return number;
}

/* Returns the number of a row: the row that `get` finds with these values or, if there is none, the
 * row that `put` inserts. */
static int64_t row_id(struct pmk_store *s, int get, int put, const char *types, ...)
{
	va_list values;
	int64_t id;

	va_start(values, types);
	id = statement_end(s, statement_values(s, get, types, &values));
	va_end(values);
	if (id || s->err)
		return id;
	va_start(values, types);
	statement_end(s, statement_values(s, put, types, &values));
	va_end(values);
	return s->err ? 0 : sqlite3_last_insert_rowid(s->db);
}

static const char *text_of(sqlite3_stmt *q, int column)
{
	return (const char *)sqlite3_column_text(q, column);
}

/* Returns the text of a column that is never NULL. If it is, stores an error and returns "". */
static const char *needed_text(struct pmk_store *s, sqlite3_stmt *q, int column)
{
	const char *text = text_of(q, column);

	if (!text)
		store_failed(s, PMK_EPARSE, "one of its rows is damaged");
	return text ? text : "";
}

/* ---- opening --------------------------------------------------------------------------------- */

static int64_t read_pragma(struct pmk_store *s, const char *sql)
{
	sqlite3_stmt *q = NULL;
	int64_t n = 0;

	if (s->err)
		return 0;
	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL))
		fail_sqlite(s);
	else if (fetch_row(s, q))
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
	run_sql(s, "BEGIN IMMEDIATE");
	run_sql(s, schema);
	run_sql(s, sql);
	run_sql(s, "COMMIT");
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
			 "its format is version %lld, and this pmk reads version %d; use the other "
			 "pmk",
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
			store_failed(s, PMK_EBUSY, "another process writes to it");
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
		fail_sqlite(s);
		return;
	}
	pmk_database_refuse_code(s->db);
	run_sql(s, how == PMK_STORE_ALONE ? "PRAGMA locking_mode = EXCLUSIVE"
					  : "PRAGMA busy_timeout = 10000");
	check_version(s, how != PMK_STORE_READ);
	if (how == PMK_STORE_READ && s->err && may_not_write(s))
		open_unchanging(s);
	if (how != PMK_STORE_READ)
		run_sql(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
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
	for (int i = 0; i < NSTATEMENTS; i++)
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
	return run_sql(s, "BEGIN IMMEDIATE");
}

int pmk_store_commit(struct pmk_store *s)
{
	return run_sql(s, "COMMIT");
}

/* ---- cells ----------------------------------------------------------------------------------- */

int pmk_store_find(struct pmk_store *s, const pmk_store_key key, struct pmk_store_found *found)
{
	sqlite3_stmt *q = statement_begin(s, GET_CELL, "b", key, sizeof(pmk_store_key));

	*found = (struct pmk_store_found){ 0 };
	if (fetch_row(s, q)) {
		found->id = sqlite3_column_int64(q, 0);
		found->failed = sqlite3_column_int(q, 1);
		found->seconds = sqlite3_column_double(q, 2);
	}
	end_statement(q);
	return s->err;
}

int pmk_store_has(struct pmk_store *s, int64_t cell, const char *event, bool *has)
{
	*has = statement_end(s, statement_begin(s, HAS_VALUE, "it", cell, event)) != 0;
	return s->err;
}

int pmk_store_event_failed(struct pmk_store *s, int64_t cell, const char *event, bool *failed)
{
	*failed = statement_end(s, statement_begin(s, HAS_FAILED, "it", cell, event)) != 0;
	return s->err;
}

static int64_t config_id(struct pmk_store *s, const struct pmk_store_config *c)
{
	int64_t id = row_id(s, GET_CONFIG, PUT_CONFIG, "btttt", c->hash, sizeof(pmk_store_key),
			    c->core, c->isa, c->parameters, c->checked);

	/* The reference for `checked` may be newer than the row. */
	if (c->checked)
		statement_end(s, statement_begin(s, SET_CONFIG, "ti", c->checked, id));
	return id;
}

static void put_value(struct pmk_store *s, int64_t cell, const struct pmk_store_value *v)
{
	int64_t event = row_id(s, GET_EVENT, PUT_EVENT, "t", v->event);
	int64_t label =
		row_id(s, GET_LABEL, PUT_LABEL, "tttt", v->pmu, v->trust, v->reason, v->unit);

	statement_end(s, v->has_value ? statement_begin(s, PUT_VALUE, "iiii", cell, event,
							(int64_t)v->value, label)
				      : statement_begin(s, PUT_VALUE, "iiti", cell, event,
							(const char *)NULL, label));
}

/* Inserts a row for a cell, or resets the row of a failed one; a cell with counts keeps its row.
 * Returns its number. */
static int64_t cell_id(struct pmk_store *s, const struct pmk_store_cell *cell)
{
	const struct pmk_store_program *p = cell->program;
	int64_t exit_code = cell->exit_code < 0 ? -1 : cell->exit_code;
	struct pmk_store_found found;
	int64_t program, config;

	if (pmk_store_find(s, cell->key, &found) || (found.id && !found.failed))
		return found.id;
	if (!found.id) {
		program = row_id(s, GET_PROGRAM, PUT_PROGRAM, "bttt", p->hash,
				 sizeof(pmk_store_key), p->path, p->command, p->about);
		config = config_id(s, cell->config);
		found.id = row_id(s, GET_CELL, PUT_CELL, "bii", cell->key, sizeof(pmk_store_key),
				  program, config);
	}
	statement_end(s, statement_begin(s, DROP_CELL, "i", found.id));
	statement_end(s, statement_begin(s, SET_CELL, "itri", found.id, cell->failure,
					 cell->seconds, exit_code));
	return found.id;
}

int pmk_store_put(struct pmk_store *s, const struct pmk_store_cell *cell, int64_t *id)
{
	*id = cell_id(s, cell);
	for (size_t i = 0; i < cell->nvalues && !s->err; i++)
		put_value(s, *id, &cell->values[i]);
	return s->err;
}

/* ---- points ---------------------------------------------------------------------------------- */

char *pmk_store_settings(const struct pmk_store_setting *setting, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < n; i++)
		fprintf(f, "%s%s=%s", i ? "," : "", setting[i].name, setting[i].value);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

int pmk_store_name(struct pmk_store *s, const struct pmk_store_point *p, int64_t cell)
{
	char *settings = pmk_store_settings(p->settings, p->nsettings);
	int64_t variant;

	if (!settings)
		return store_no_memory(s);
	if (cell) {
		variant = row_id(s, GET_VARIANT, PUT_VARIANT, "tt", p->core, settings);
		for (size_t i = 0; i < p->nsettings; i++)
			statement_end(s,
				      statement_begin(s, PUT_SETTING, "itt", variant,
						      p->settings[i].name, p->settings[i].value));
		statement_end(s, statement_begin(s, PUT_POINT, "itii", p->revision, p->name,
						 variant, cell));
	} else {
		statement_end(s, statement_begin(s, DROP_POINT, "ittt", p->revision, p->name,
						 p->core, settings));
	}
	free(settings);
	return s->err;
}

/* Arrays that grow to the longest list of a query and are reused for each row. */
struct lists {
	struct pmk_store_setting *settings;
	struct pmk_store_value *values;
	size_t setting_room, value_room;
	struct pmk_words texts; /* texts of the present row */
};

/* Makes room for one more item of a list. */
#define ROOM_FOR(s, array, n, room) (PMK_GROW(array, n, room) || (store_no_memory(s), false))

/* Copies a text, because SQLite's is valid only until the next row. */
static const char *copy_text(struct pmk_store *s, struct lists *l, const char *text)
{
	if (!text)
		return NULL;
	if (pmk_words_add(&l->texts, text))
		return l->texts.word[l->texts.count - 1];
	store_no_memory(s);
	return "";
}

static void get_settings(struct pmk_store *s, int64_t variant, struct lists *l,
			 struct pmk_store_point *p)
{
	sqlite3_stmt *q = statement_begin(s, SETTINGS, "i", variant);

	while (fetch_row(s, q) && ROOM_FOR(s, l->settings, p->nsettings, l->setting_room))
		l->settings[p->nsettings++] = (struct pmk_store_setting){
			.name = copy_text(s, l, needed_text(s, q, 0)),
			.value = copy_text(s, l, needed_text(s, q, 1)),
		};
	end_statement(q);
	p->settings = l->settings;
}

static void get_values(struct pmk_store *s, int64_t cell, struct lists *l, struct pmk_store_row *r)
{
	sqlite3_stmt *q = statement_begin(s, VALUES, "i", cell);

	while (fetch_row(s, q) && ROOM_FOR(s, l->values, r->nvalues, l->value_room))
		l->values[r->nvalues++] = (struct pmk_store_value){
			.event = copy_text(s, l, needed_text(s, q, 0)),
			.pmu = copy_text(s, l, text_of(q, 1)),
			.trust = copy_text(s, l, text_of(q, 2)),
			.reason = copy_text(s, l, text_of(q, 3)),
			.unit = copy_text(s, l, text_of(q, 4)),
			.has_value = sqlite3_column_type(q, 5) != SQLITE_NULL,
			.value = (uint64_t)sqlite3_column_int64(q, 5),
		};
	end_statement(q);
	r->values = l->values;
}

static int take_point(struct pmk_store *s, sqlite3_stmt *q, struct lists *l, pmk_store_take *take,
		      void *ctx)
{
	struct pmk_store_row r = {
		.point = { .revision = sqlite3_column_int64(q, 0),
			   .name = needed_text(s, q, 1),
			   .core = needed_text(s, q, 2) },
		.cell = sqlite3_column_int64(q, 4),
		.failure = text_of(q, 6),
		.exit_code =
			sqlite3_column_type(q, 7) == SQLITE_NULL ? -1 : sqlite3_column_int(q, 7),
		.seconds = sqlite3_column_double(q, 8),
		.checked = text_of(q, 9),
	};
	int err = 0;

	if (s->err)
		return s->err;
	if (sqlite3_column_bytes(q, 5) != PMK_STORE_KEY)
		return store_failed(s, PMK_EPARSE, "one of its rows is damaged");
	memcpy(r.key, sqlite3_column_blob(q, 5), PMK_STORE_KEY);
	get_settings(s, sqlite3_column_int64(q, 3), l, &r.point);
	get_values(s, r.cell, l, &r);
	if (!s->err)
		err = take(ctx, &r);
	pmk_words_free(&l->texts);
	return err;
}

int pmk_store_points(struct pmk_store *s, int64_t revision, pmk_store_take *take, void *ctx)
{
	sqlite3_stmt *q = statement_begin(s, POINTS, "i", revision);
	struct lists l = { 0 };
	int err = 0;

	while (!err && fetch_row(s, q))
		err = take_point(s, q, &l, take, ctx);
	end_statement(q);
	free(l.settings);
	free(l.values);
	return s->err ? s->err : err;
}

/* ---- revisions ------------------------------------------------------------------------------- */

int pmk_store_revision(struct pmk_store *s, const struct pmk_store_revision *r, int64_t *id)
{
	const char *verdict = r->verdict == PMK_STORE_OPEN   ? NULL
			      : r->verdict == PMK_STORE_GOOD ? "1"
							     : "0";

	statement_end(
		s, statement_begin(s, PUT_REVISION, "ttnt", r->name, r->subject, r->time, verdict));
	*id = statement_end(s, statement_begin(s, GET_REVISION, "t", r->name));
	return s->err;
}

int pmk_store_revisions(struct pmk_store *s, pmk_store_take_revision *take, void *ctx)
{
	sqlite3_stmt *q = statement_begin(s, REVISIONS, "");
	int err = 0;

	while (!err && fetch_row(s, q)) {
		struct pmk_store_revision r = {
			.id = sqlite3_column_int64(q, 0),
			.name = needed_text(s, q, 1),
			.subject = text_of(q, 2),
			.time = sqlite3_column_int64(q, 3),
			.verdict = sqlite3_column_type(q, 4) == SQLITE_NULL ? PMK_STORE_OPEN
				   : sqlite3_column_int(q, 4)		    ? PMK_STORE_GOOD
									    : PMK_STORE_BAD,
		};

		err = s->err ? s->err : take(ctx, &r);
	}
	end_statement(q);
	return s->err ? s->err : err;
}

/* ---- recordings ------------------------------------------------------------------------------ */

int pmk_store_record(struct pmk_store *s, int64_t cell, const char *path)
{
	statement_end(s, statement_begin(s, PUT_RECORDING, "it", cell, path));
	return s->err;
}

int pmk_store_recorded(struct pmk_store *s, int64_t cell, char *path, size_t size)
{
	sqlite3_stmt *q = statement_begin(s, GET_RECORDING, "i", cell);

	snprintf(path, size, "%s", fetch_row(s, q) ? needed_text(s, q, 0) : "");
	end_statement(q);
	return s->err;
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
	run_sql(s, sql);
	sqlite3_free(sql);
	run_sql(s, "BEGIN IMMEDIATE");
	run_sql(s, merge);
	run_sql(s, "COMMIT");
	return run_sql(s, "DETACH other");
}
