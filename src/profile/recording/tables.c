// SPDX-License-Identifier: MIT
/*
 * Reads a recording: see tables.h. Each table is read in the order of its ids, so that an id is
 * found by binary search. Tables that others refer to are read before them. A dangling reference
 * means that the file is damaged.
 */
#include "profile/recording/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/message.h"
#include "base/search.h"
#include "profile/sampling/perfdata.h"

struct pmk_tables_text {
	struct pmk_tables_text *next;
	char byte[];
};

static int table_damaged(const char *why, char *msg, size_t size)
{
	return pmk_message_fail(msg, size, PMK_EPARSE, "damaged: %s; record it again", why);
}

int pmk_load_failed(const struct pmk_tables *t, char *msg, size_t size)
{
	int code = sqlite3_errcode(t->db);

	if (code == SQLITE_NOMEM)
		return pmk_message_no_memory(msg, size, NULL);
	return table_damaged(sqlite3_errmsg(t->db), msg, size);
}

/* ---- columns -------------------------------------------------------------------------------- */

static const char *text_or_null(struct load *l, int column)
{
	const char *from = (const char *)sqlite3_column_text(l->s, column);
	struct pmk_tables_text *to;
	size_t n;

	if (!from)
		return NULL;
	n = strlen(from) + 1;
	to = malloc(sizeof(*to) + n);
	if (!to) {
		l->no_memory = true;
		return NULL;
	}
	memcpy(to->byte, from, n);
	to->next = l->t->text;
	l->t->text = to;
	return to->byte;
}

static const char *column_text(struct load *l, int column)
{
	const char *s = text_or_null(l, column);

	return s ? s : "";
}

static bool column_is(const struct load *l, int column, const char *word)
{
	const char *s = (const char *)sqlite3_column_text(l->s, column);

	return s && !strcmp(s, word);
}

static uint64_t column_number(const struct load *l, int column)
{
	return (uint64_t)sqlite3_column_int64(l->s, column);
}

static uint32_t column_index(const struct load *l, int column)
{
	sqlite3_int64 v = sqlite3_column_int64(l->s, column);

	return v < 0 || v > UINT32_MAX ? 0 : (uint32_t)v;
}

/* Returns the index of the item with this id, or PMK_TABLES_NONE. The items are sorted by id, and
 * each begins with its id. */
static uint32_t id_find(const void *items, size_t n, size_t item_size, int64_t id)
{
	size_t at = pmk_first_from(items, n, item_size, 0, (uint64_t)id);

	return at < n && *(const int64_t *)((const char *)items + at * item_size) == id
		       ? (uint32_t)at
		       : PMK_TABLES_NONE;
}

static uint32_t column_reference(struct load *l, int column, const void *items, size_t n,
				 size_t item_size, const char *what)
{
	uint32_t i;

	if (sqlite3_column_type(l->s, column) == SQLITE_NULL)
		return PMK_TABLES_NONE;
	i = id_find(items, n, item_size, sqlite3_column_int64(l->s, column));
	if (i == PMK_TABLES_NONE)
		l->what = what;
	return i;
}

#define REFERENCE(l, column, items, n, what) \
	column_reference(l, column, items, n, sizeof(*(items)), "a reference to " what)

uint32_t pmk_load_needed(struct load *l, int column, const void *items, size_t n, size_t item_size,
			 const char *what)
{
	uint32_t i = column_reference(l, column, items, n, item_size, what);

	if (i == PMK_TABLES_NONE)
		l->what = what;
	return i;
}

/* Reads a column that refers to an earlier row of the same table. */
#define BEFORE(l, column, what) \
	column_reference(l, column, (l)->items, (l)->n, (l)->item_size, "a reference to " what)

/* ---- tables --------------------------------------------------------------------------------- */

static void fill_meta(struct load *l, void *item)
{
	(void)item;
	if (column_is(l, 0, "command"))
		l->t->command = column_text(l, 1);
	else if (column_is(l, 0, "core"))
		l->t->core = column_text(l, 1);
	else if (column_is(l, 0, "settings"))
		l->t->settings = column_text(l, 1);
	else if (column_is(l, 0, "isa"))
		l->t->isa = column_text(l, 1);
	else if (column_is(l, 0, "checked"))
		l->t->checked = column_text(l, 1);
	else if (column_is(l, 0, "warning"))
		l->t->warning = column_text(l, 1);
	else if (column_is(l, 0, "note"))
		l->t->note = column_text(l, 1);
	else if (column_is(l, 0, "partial"))
		l->t->partial = sqlite3_column_int(l->s, 1) != 0;
	else if (column_is(l, 0, "sampled"))
		l->t->sampled = sqlite3_column_int(l->s, 1) != 0;
	else if (column_is(l, 0, "threaded"))
		l->t->threaded = sqlite3_column_int(l->s, 1) != 0;
}

static void fill_event(struct load *l, void *item)
{
	*(struct pmk_tables_event *)item = (struct pmk_tables_event){
		.id = sqlite3_column_int64(l->s, 0),
		.name = column_text(l, 1),
		.pmu = text_or_null(l, 2),
		.has_total = sqlite3_column_type(l->s, 3) != SQLITE_NULL,
		.total = column_number(l, 3),
	};
}

static void fill_object(struct load *l, void *item)
{
	*(struct pmk_tables_object *)item = (struct pmk_tables_object){
		.id = sqlite3_column_int64(l->s, 0),
		.path = column_text(l, 1),
		.kind = column_text(l, 2),
		.build_id = text_or_null(l, 3),
		.bias = column_number(l, 4),
	};
}

static void fill_thread(struct load *l, void *item)
{
	*(struct pmk_tables_thread *)item = (struct pmk_tables_thread){
		.id = sqlite3_column_int64(l->s, 0),
		.process = column_index(l, 1),
		.cpu = column_index(l, 2),
		.name = text_or_null(l, 3),
	};
}

static void fill_file(struct load *l, void *item)
{
	*(struct pmk_tables_file *)item = (struct pmk_tables_file){
		.id = sqlite3_column_int64(l->s, 0),
		.path = column_text(l, 1),
	};
}

static void fill_function(struct load *l, void *item)
{
	struct pmk_tables *t = l->t;

	*(struct pmk_tables_function *)item = (struct pmk_tables_function){
		.id = sqlite3_column_int64(l->s, 0),
		.object = REFERENCE(l, 1, t->object, t->nobjects, "an object"),
		.name = column_text(l, 2),
		.symbol = text_or_null(l, 3),
		.address = column_number(l, 4),
		.size = column_number(l, 5),
		.file = REFERENCE(l, 6, t->file, t->nfiles, "a file"),
		.line = column_index(l, 7),
	};
}

static void fill_inlined(struct load *l, void *item)
{
	struct pmk_tables *t = l->t;

	*(struct pmk_tables_inlined *)item = (struct pmk_tables_inlined){
		.id = sqlite3_column_int64(l->s, 0),
		.parent = BEFORE(l, 1, "an inlined function"),
		.name = column_text(l, 2),
		.symbol = text_or_null(l, 3),
		.file = REFERENCE(l, 4, t->file, t->nfiles, "a file"),
		.line = column_index(l, 5),
		.code_file = PMK_TABLES_NONE,
	};
}

static void fill_code(struct load *l, void *item)
{
	struct pmk_tables *t = l->t;

	*(struct pmk_tables_code *)item = (struct pmk_tables_code){
		.id = sqlite3_column_int64(l->s, 0),
		.object = REFERENCE(l, 1, t->object, t->nobjects, "an object"),
		.address = column_number(l, 2),
		.size = column_index(l, 3),
		.jump = column_is(l, 4, "jump"),
		/* Not only branches of ARM have conditions. The conditions of instructions that
		 * only continue with the next one, or that make an exception, are ignored. */
		.conditional = sqlite3_column_int(l->s, 5) && !column_is(l, 4, "next") &&
			       !column_is(l, 4, "exception"),
		.target = column_number(l, 6),
		.function = REFERENCE(l, 7, t->function, t->nfunctions, "a function"),
		.inlined = REFERENCE(l, 8, t->inlined, t->ninlined, "an inlined function"),
		.file = REFERENCE(l, 9, t->file, t->nfiles, "a file"),
		.line = column_index(l, 10),
	};
}

static void fill_context(struct load *l, void *item)
{
	struct pmk_tables *t = l->t;

	*(struct pmk_tables_context *)item = (struct pmk_tables_context){
		.number = sqlite3_column_int64(l->s, 0),
		.parent = BEFORE(l, 1, "a context"),
		.function = REFERENCE(l, 2, t->function, t->nfunctions, "a function"),
		.site = REFERENCE(l, 3, t->code, t->ncodes, "an instruction"),
		.calls = column_number(l, 4),
	};
}

static void fill_context_id(struct load *l, void *item)
{
	struct pmk_tables *t = l->t;

	*(struct pmk_tables_context_id *)item = (struct pmk_tables_context_id){
		.id = sqlite3_column_int64(l->s, 0),
		.context = REFERENCE(l, 1, t->context, t->ncontexts, "a context"),
	};
}

static void fill_cost(struct load *l, void *item)
{
	struct pmk_tables *t = l->t;

	*(struct pmk_tables_cost *)item = (struct pmk_tables_cost){
		.cost = sqlite3_column_int64(l->s, 0),
		.event = NEEDED(l, 1, t->event, t->nevents, "an event"),
		.value = column_number(l, 2),
	};
}

static void fill_part(struct load *l, void *item)
{
	struct pmk_tables *t = l->t;

	*(struct pmk_tables_part *)item = (struct pmk_tables_part){
		.code = NEEDED(l, 0, t->code, t->ncodes, "an instruction"),
		.block = sqlite3_column_int64(l->s, 1),
		.left = column_index(l, 2),
		.cost = sqlite3_column_int64(l->s, 3),
	};
}

void pmk_load_place(struct load *l, int column, uint32_t *context, uint32_t *thread)
{
	const struct pmk_tables *t = l->t;
	int64_t place = sqlite3_column_int64(l->s, column),
		n = t->nthreads ? (int64_t)t->nthreads : 1;

	uint32_t at = id_find(t->context_id, t->ncontext_ids, sizeof(*t->context_id), place / n);

	*context = at == PMK_TABLES_NONE ? at : t->context_id[at].context;
	*thread = id_find(t->thread, t->nthreads, sizeof(*t->thread), place % n);
	if (place < 0 || (at == PMK_TABLES_NONE && place / n))
		l->what = "a reference to a context";
	else if (*thread == PMK_TABLES_NONE)
		l->what = "a reference to a thread";
}

static void fill_run(struct load *l, void *item)
{
	struct pmk_tables_run *run = item;

	run->block = sqlite3_column_int64(l->s, 0);
	pmk_load_place(l, 1, &run->context, &run->thread);
	run->executions = column_number(l, 2);
	run->taken = column_number(l, 3);
}

static void fill_latency(struct load *l, void *item)
{
	struct pmk_tables *t = l->t;

	*(struct pmk_tables_latency *)item = (struct pmk_tables_latency){
		.event = NEEDED(l, 0, t->event, t->nevents, "an event"),
		.cycles = column_number(l, 1),
		.times = column_number(l, 2),
	};
}

int pmk_load_finish(struct load *l, int step, int err, char *msg, size_t size)
{
	sqlite3_finalize(l->s);
	if (err)
		return err;
	if (l->what)
		return pmk_message_fail(msg, size, PMK_EPARSE,
					"damaged: %s refers to a row that does not exist; record "
					"it again",
					l->what);
	return step == SQLITE_DONE ? 0 : pmk_load_failed(l->t, msg, size);
}

/* Read a table. Returns NULL and sets *err after a failure. */
static void *table_load(struct pmk_tables *t, const char *sql,
			void (*fill)(struct load *l, void *item), size_t item_size, size_t *n,
			int *err, char *msg, size_t size)
{
	struct load l = { .t = t, .item_size = item_size };
	size_t room = 0;
	int step = SQLITE_DONE;

	if (*err)
		return NULL;
	if (sqlite3_prepare_v2(t->db, sql, -1, &l.s, NULL)) {
		*err = pmk_load_failed(t, msg, size);
		return NULL;
	}
	while (!l.what && !l.no_memory && (step = sqlite3_step(l.s)) == SQLITE_ROW) {
		void *grown = pmk_grow(l.items, l.n, &room, item_size);

		l.no_memory = !grown;
		if (!grown)
			break;
		l.items = grown;
		fill(&l, (char *)l.items + l.n * item_size);
		l.n++;
	}
	*err = pmk_load_finish(&l, step, l.no_memory ? pmk_message_no_memory(msg, size, NULL) : 0,
			       msg, size);
	*n = l.n;
	return l.items;
}

#define LOAD(t, sql, fill, items, n)                                                              \
	((items) = table_load(t, "SELECT " sql " ORDER BY 1", fill, sizeof(*(items)), &(n), &err, \
			      msg, size))

static int load_all(struct pmk_tables *t, char *msg, size_t size)
{
	char *nothing;
	size_t n;
	int err = 0;

	LOAD(t, "key, value FROM meta", fill_meta, nothing, n);
	free(nothing);
	LOAD(t, "id, name, pmu, total FROM event", fill_event, t->event, t->nevents);
	LOAD(t, "id, path, kind, build_id, bias FROM object", fill_object, t->object, t->nobjects);
	LOAD(t, "id, process, cpu, name FROM thread", fill_thread, t->thread, t->nthreads);
	LOAD(t, "id, path FROM file", fill_file, t->file, t->nfiles);
	LOAD(t, "id, object, name, symbol, address, size, file, line FROM function", fill_function,
	     t->function, t->nfunctions);
	LOAD(t, "id, parent, name, symbol, file, line FROM inlined", fill_inlined, t->inlined,
	     t->ninlined);
	LOAD(t,
	     "id, object, address, length(bytes), flow, conditional, target, function, inlined, "
	     "file, line FROM code",
	     fill_code, t->code, t->ncodes);
	LOAD(t,
	     "c.number, iif(c.parent IS NULL, NULL, ifnull(p.number, -1)), c.function, c.site, "
	     "c.calls FROM context AS c LEFT JOIN context AS p ON p.id = c.parent",
	     fill_context, t->context, t->ncontexts);
	LOAD(t, "id, number FROM context", fill_context_id, t->context_id, t->ncontext_ids);
	/* These queries repeat the views cost, run and extra, because an untrusted file may have
	 * changed the views. */
	LOAD(t,
	     "cost, iif(type = 'integer', " KEY(
		     "event") ", -1), value "
			      "FROM costs CROSS JOIN json_each(events) AS event",
	     fill_cost, t->cost, t->ncosts);
	/* Sorting by code is enough: most instructions are in only one block. */
	LOAD(t,
	     "code - key, block, left + key, iif(type = 'integer', value, -1) "
	     "FROM parts LEFT JOIN json_each(costs)",
	     fill_part, t->part, t->nparts);
	LOAD(t, "block, " PLACE ", executions, taken FROM runs LEFT JOIN json_each(places) AS at",
	     fill_run, t->run, t->nruns);
	t->latency =
		table_load(t, "SELECT event, cycles, times FROM latency ORDER BY event, cycles",
			   fill_latency, sizeof(*t->latency), &t->nlatencies, &err, msg, size);
	return err;
}

/* ---- by address ------------------------------------------------------------------------------ */

static int by_address(const void *a, const void *b)
{
	const struct pmk_tables_code *k = *(struct pmk_tables_code *const *)a,
				     *j = *(struct pmk_tables_code *const *)b;

	if (k->object != j->object)
		return (k->object > j->object) - (k->object < j->object);
	if (k->address != j->address)
		return (k->address > j->address) - (k->address < j->address);
	return (k > j) - (k < j);
}

static int sort_code(struct pmk_tables *t)
{
	t->by_address = malloc((t->ncodes + 1) * sizeof(*t->by_address));
	if (!t->by_address)
		return PMK_ENOMEM;
	for (size_t i = 0; i < t->ncodes; i++)
		t->by_address[i] = &t->code[i];
	qsort(t->by_address, t->ncodes, sizeof(*t->by_address), by_address);
	return 0;
}

uint32_t pmk_tables_code_at(const struct pmk_tables *t, uint32_t object, uint64_t address)
{
	size_t low = 0, high = t->ncodes;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pmk_tables_code *k = t->by_address[mid];

		if (k->object < object || (k->object == object && k->address < address))
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->ncodes || t->by_address[low]->object != object ||
	    t->by_address[low]->address != address)
		return PMK_TABLES_NONE;
	return (uint32_t)(t->by_address[low] - t->code);
}

/* ---- equal names ---------------------------------------------------------------------------- */

/* Orders pointers to functions by name, object and file. Pointers are sorted, not indexes, because
 * qsort() passes no context. */
static int by_function(const void *a, const void *b)
{
	const struct pmk_tables_function *f = *(struct pmk_tables_function *const *)a,
					 *g = *(struct pmk_tables_function *const *)b;
	int d = strcmp(f->name, g->name);

	if (!d)
		d = (f->object > g->object) - (f->object < g->object);
	if (!d)
		d = (f->file > g->file) - (f->file < g->file);
	return d ? d : (f > g) - (f < g);
}

static bool same_function(const struct pmk_tables_function *f, const struct pmk_tables_function *g)
{
	return !strcmp(f->name, g->name) && f->object == g->object && f->file == g->file;
}

static int by_inlined(const void *a, const void *b)
{
	const struct pmk_tables_inlined *f = *(struct pmk_tables_inlined *const *)a,
					*g = *(struct pmk_tables_inlined *const *)b;
	int d = strcmp(f->name, g->name);

	return d ? d : (f > g) - (f < g);
}

static void find_same_functions(struct pmk_tables *t, struct pmk_tables_function **f)
{
	for (size_t i = 0; i < t->nfunctions; i++)
		f[i] = &t->function[i];
	qsort(f, t->nfunctions, sizeof(*f), by_function);
	for (size_t i = 0; i < t->nfunctions; i++)
		f[i]->same = i && same_function(f[i], f[i - 1]) ? f[i - 1]->same
								: (uint32_t)(f[i] - t->function);
}

static void find_same_inlined(struct pmk_tables *t, struct pmk_tables_inlined **in)
{
	for (size_t i = 0; i < t->ninlined; i++)
		in[i] = &t->inlined[i];
	qsort(in, t->ninlined, sizeof(*in), by_inlined);
	for (size_t i = 0; i < t->ninlined; i++)
		in[i]->same = i && !strcmp(in[i]->name, in[i - 1]->name)
				      ? in[i - 1]->same
				      : (uint32_t)(in[i] - t->inlined);
	for (size_t i = t->ncodes; i-- > 0;)
		if (t->code[i].inlined != PMK_TABLES_NONE)
			t->inlined[t->inlined[t->code[i].inlined].same].code_file = t->code[i].file;
}

static int find_same(struct pmk_tables *t)
{
	size_t n = t->nfunctions > t->ninlined ? t->nfunctions : t->ninlined;
	void *order = malloc((n + 1) * sizeof(void *));

	if (!order)
		return PMK_ENOMEM;
	find_same_functions(t, order);
	find_same_inlined(t, order);
	free(order);
	return 0;
}

/* Convert a file of perf to a database in memory. */
static int perf_convert(const char *path, sqlite3 **db, char *msg, size_t size)
{
	struct pmk_perfdata *p;
	int err = pmk_perfdata_read(&p, path, msg, size);

	if (err)
		return err;
	err = pmk_recording_in_memory(pmk_perfdata_recording(p), db, msg, size);
	pmk_perfdata_free(p);
	return err;
}

/* Read all tables of t->db into memory. */
static int read_database(struct pmk_tables *t, char *msg, size_t size)
{
	int err = load_all(t, msg, size);

	if (!err && (sort_code(t) || find_same(t)))
		err = pmk_message_no_memory(msg, size, NULL);
	return err;
}

static const struct pmk_tables tables_empty = {
	.command = "",
	.core = "",
	.settings = "",
	.isa = "",
	.checked = "",
	.warning = "",
	.note = "",
};

int pmk_tables_of(struct pmk_tables *t, const struct pmk_recording *rec, char *msg, size_t size)
{
	int err;

	*t = tables_empty;
	err = pmk_recording_in_memory(rec, &t->db, msg, size);
	return err ? err : read_database(t, msg, size);
}

int pmk_tables_open(struct pmk_tables *t, const char *path, char *msg, size_t size)
{
	const char *why;
	FILE *f;
	int err;

	*t = tables_empty;
	/* SQLite would block on a pipe. */
	f = pmk_file_open(path, false, &why);
	if (!f)
		return pmk_message_fail(msg, size, PMK_EIO, "cannot be read: %s", why);
	fclose(f);
	if (pmk_perfdata_is(path))
		err = perf_convert(path, &t->db, msg, size);
	else
		err = pmk_database_open(path, &t->db, msg, size);
	return err ? err : read_database(t, msg, size);
}

void pmk_tables_close(struct pmk_tables *t)
{
	while (t->text) {
		struct pmk_tables_text *next = t->text->next;

		free(t->text);
		t->text = next;
	}
	free(t->event);
	free(t->object);
	free(t->thread);
	free(t->file);
	free(t->function);
	free(t->inlined);
	free(t->code);
	free(t->context);
	free(t->context_id);
	free(t->cost);
	free(t->part);
	free(t->run);
	free(t->latency);
	free(t->by_address);
	sqlite3_close(t->db);
	*t = (struct pmk_tables){ 0 };
}

/* ---- names and places ----------------------------------------------------------------------- */

const char *pmk_tables_event_name(const struct pmk_tables *t, uint32_t event)
{
	return event == PMK_TABLES_EXECUTIONS ? "executions" : t->event[event].name;
}

void pmk_tables_unnamed(const struct pmk_tables *t, uint32_t object, char *buf, size_t size)
{
	const char *path = object == PMK_TABLES_NONE ? "unknown" : t->object[object].path,
		   *slash = strrchr(path, '/');

	if (*path == '[') /* "[anon]" */
		snprintf(buf, size, "%s", path);
	else
		snprintf(buf, size, "[%s]", slash && slash[1] ? slash + 1 : path);
}
