// SPDX-License-Identifier: MIT
/*
 * Reads and writes the rows of a results database: see store.h. Statements are prepared on first
 * use and kept. A unique row, such as an event's name, is looked up before it is inserted, which is
 * safe because there is one writer.
 */
#define _GNU_SOURCE
#include "lab/sweep/store_open.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "count/words.h"

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

_Static_assert(NSTATEMENTS <= STORE_STATEMENTS, "the store has room for all statements");

/* ---- statements ------------------------------------------------------------------------------ */

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
		store_fail_sqlite(s);
	if (!s->err && values_bind(*q, types, values))
		store_fail_sqlite(s);
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

static void end_statement(sqlite3_stmt *q)
{
	if (q)
		sqlite3_reset(q);
}

/* Runs the statement, and returns the number in its first row; 0 if there is none. */
static int64_t statement_end(struct pmk_store *s, sqlite3_stmt *q)
{
	int64_t number = store_fetch(s, q) ? sqlite3_column_int64(q, 0) : 0;

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

/* ---- cells ----------------------------------------------------------------------------------- */

int pmk_store_find(struct pmk_store *s, const pmk_store_key key, struct pmk_store_found *found)
{
	sqlite3_stmt *q = statement_begin(s, GET_CELL, "b", key, sizeof(pmk_store_key));

	*found = (struct pmk_store_found){ 0 };
	if (store_fetch(s, q)) {
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

	/* A row that already exists may have an older text in its column `checked`. */
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

	while (store_fetch(s, q) && ROOM_FOR(s, l->settings, p->nsettings, l->setting_room))
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

	while (store_fetch(s, q) && ROOM_FOR(s, l->values, r->nvalues, l->value_room))
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

	while (!err && store_fetch(s, q))
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

	while (!err && store_fetch(s, q)) {
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

	snprintf(path, size, "%s", store_fetch(s, q) ? needed_text(s, q, 0) : "");
	end_statement(q);
	return s->err;
}
