// SPDX-License-Identifier: MIT
/*
 * Inserts the rows of a recording. The rows of each table are collected in memory. One statement
 * then inserts many of them, and reads them through a virtual table. With a statement for each row,
 * SQLite would also begin a statement, bind its values and open the table for each row.
 */
#include <stdarg.h>
#include <string.h>

#include "base/grow.h"
#include "profile/recording/write.h"

#define ENOUGH (64 * 1024) /* bytes of rows that are inserted at once */

struct writer_table {
	sqlite3_vtab base;
	struct writer *w;
};

struct cursor {
	sqlite3_vtab_cursor base;
	size_t at; /* index of the row's first value */
};

static const struct {
	const char *name;
	unsigned columns;
} tables[NTABLES] = {
	[INSERT_META] = { "meta", 2 },	     [INSERT_EVENT] = { "event", 6 },
	[INSERT_OBJECT] = { "object", 5 },   [INSERT_THREAD] = { "thread", 4 },
	[INSERT_FILE] = { "file", 2 },	     [INSERT_FUNCTION] = { "function", 8 },
	[INSERT_INLINED] = { "inlined", 6 }, [INSERT_CODE] = { "code", 12 },
	[INSERT_CONTEXT] = { "context", 6 }, [INSERT_COSTS] = { "costs", 2 },
	[INSERT_PARTS] = { "parts", 4 },     [INSERT_RUNS] = { "runs", 5 },
	[INSERT_EXTRAS] = { "extras", 3 },   [INSERT_LATENCY] = { "latency", 3 },
};

/* ---- the virtual table ---------------------------------------------------------------------- */

static const char columns[] = "a,b,c,d,e,f,g,h,i,j,k,l";

static int table_connect(sqlite3 *db, void *writer, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **msg)
{
	char sql[64];
	struct writer_table *t = sqlite3_malloc(sizeof(*t));

	(void)argc, (void)argv, (void)msg;
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct writer_table){ .w = writer };
	*out = &t->base;
	return sqlite3_declare_vtab(
		db, sqlite3_snprintf(sizeof(sql), sql, "CREATE TABLE new(%s)", columns));
}

static int table_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int table_plan(sqlite3_vtab *t, sqlite3_index_info *plan)
{
	(void)t, (void)plan;
	return SQLITE_OK;
}

static int cursor_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct cursor *c = sqlite3_malloc(sizeof(*c));

	(void)t;
	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof(*c));
	*out = &c->base;
	return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static int cursor_begin(sqlite3_vtab_cursor *c, int plan, const char *text, int n,
			sqlite3_value **values)
{
	(void)plan, (void)text, (void)n, (void)values;
	((struct cursor *)c)->at = 0;
	return SQLITE_OK;
}

static struct writer *writer_of(const sqlite3_vtab_cursor *c)
{
	return ((struct writer_table *)c->pVtab)->w;
}

static int cursor_next(sqlite3_vtab_cursor *c)
{
	((struct cursor *)c)->at += tables[writer_of(c)->inserting].columns;
	return SQLITE_OK;
}

static int cursor_is_at_end(sqlite3_vtab_cursor *c)
{
	const struct writer *w = writer_of(c);

	return ((struct cursor *)c)->at >= w->rows[w->inserting].nvalues;
}

static int cursor_column(sqlite3_vtab_cursor *c, sqlite3_context *to, int column)
{
	const struct writer *w = writer_of(c);
	const struct rows *rows = &w->rows[w->inserting];
	const struct row_value *v = &rows->value[((struct cursor *)c)->at + (size_t)column];

	if (v->type == 'i')
		sqlite3_result_int64(to, v->number);
	else if (v->type == 't')
		sqlite3_result_text(to, rows->bytes + v->number, v->size, SQLITE_STATIC);
	else if (v->type == 'b')
		sqlite3_result_blob(to, rows->bytes + v->number, v->size, SQLITE_STATIC);
	return SQLITE_OK;
}

static int cursor_id(sqlite3_vtab_cursor *c, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((struct cursor *)c)->at;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = table_connect,
	.xBestIndex = table_plan,
	.xDisconnect = table_disconnect,
	.xDestroy = table_disconnect,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_begin,
	.xNext = cursor_next,
	.xEof = cursor_is_at_end,
	.xColumn = cursor_column,
	.xRowid = cursor_id,
};

/* ---- rows ----------------------------------------------------------------------------------- */

void pmk_rows_begin(struct writer *w)
{
	char sql[96];

	pmk_write_fail(w, sqlite3_create_module(w->db, "new", &module, w));
	for (int i = 0; i < NTABLES && !w->err; i++) {
		sqlite3_snprintf(sizeof(sql), sql, "INSERT INTO %s SELECT %.*s FROM new",
				 tables[i].name, (int)(2 * tables[i].columns - 1), columns);
		pmk_write_fail(w, sqlite3_prepare_v2(w->db, sql, -1, &w->rows[i].statement, NULL));
	}
}

/* Inserts the rows that were collected for a table. */
static void rows_insert(struct writer *w, int table)
{
	struct rows *rows = &w->rows[table];

	w->inserting = table;
	if (!w->err && sqlite3_step(rows->statement) != SQLITE_DONE)
		pmk_write_fail(w, sqlite3_errcode(w->db));
	sqlite3_reset(rows->statement);
	rows->nvalues = rows->nbytes = 0;
}

void pmk_rows_end(struct writer *w)
{
	for (int i = 0; i < NTABLES; i++) {
		if (w->rows[i].nvalues)
			rows_insert(w, i);
		sqlite3_finalize(w->rows[i].statement);
		free(w->rows[i].value);
		free(w->rows[i].bytes);
	}
	/* The database may stay open after the writer is gone. */
	sqlite3_create_module(w->db, "new", NULL, NULL);
}

/* Copies the bytes of a text or blob. Returns false if there is no memory. */
static bool bytes_copy(struct rows *rows, const void *bytes, size_t size, char type,
		       struct row_value *to)
{
	if (rows->bytes_room - rows->nbytes <= size) {
		size_t room = 2 * rows->bytes_room + size + 1;
		char *grown = realloc(rows->bytes, room);

		if (!grown)
			return false;
		rows->bytes = grown;
		rows->bytes_room = room;
	}
	memcpy(rows->bytes + rows->nbytes, bytes, size);
	*to = (struct row_value){ (int64_t)rows->nbytes, (int)size, type };
	rows->nbytes += size;
	return true;
}

static bool value_copy(struct rows *rows, char type, va_list *from)
{
	struct row_value v = { .type = 'i' };
	const void *bytes;
	bool ok = true;

	if (type == 'i' || type == 'n') {
		v.number = va_arg(*from, int64_t);
		if (type == 'n' && !v.number)
			v.type = 'n';
	} else {
		bytes = va_arg(*from, const void *);
		if (type != 't')
			ok = bytes_copy(rows, bytes, va_arg(*from, size_t), type == 'b' ? 'b' : 't',
					&v);
		else if (bytes)
			ok = bytes_copy(rows, bytes, strlen(bytes), 't', &v);
		else
			v.type = 'n';
	}
	return ok && PMK_APPEND(rows->value, rows->nvalues, rows->room, v);
}

void pmk_write_row(struct writer *w, int table, const char *types, ...)
{
	struct rows *rows = &w->rows[table];
	va_list values;

	if (w->err)
		return;
	va_start(values, types);
	for (unsigned i = 0; i < tables[table].columns; i++)
		if (!value_copy(rows, types[i], &values))
			pmk_write_fail(w, SQLITE_NOMEM);
	va_end(values);
	if (rows->nbytes + rows->nvalues * sizeof(*rows->value) >= ENOUGH)
		rows_insert(w, table);
}
