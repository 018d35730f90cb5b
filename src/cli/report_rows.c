// SPDX-License-Identifier: MIT
/*
 * The rows of the report of a recording, and their counts.
 *
 * Each instruction belongs to the row of its function, file, line or object; with threads, each
 * count belongs to the row of its thread. With --children a count is also in the rows of all
 * functions on its call path, once in each. --callers and --callees divide the inclusive counts of
 * a function by the functions next to it on call paths.
 */
#define _GNU_SOURCE
#include "cli/report_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"

#define NONE PMK_TABLES_NONE

/* The keys of --sort: pmk's names in the order of enum report_sort, then perf's names. */
static const struct {
	const char *name;
	enum report_sort sort;
} sort_keys[] = {
	{ "function", BY_FUNCTION }, { "file", BY_FILE },     { "line", BY_LINE },
	{ "object", BY_OBJECT },     { "thread", BY_THREAD }, { "sym", BY_FUNCTION },
	{ "symbol", BY_FUNCTION },   { "srcfile", BY_FILE },  { "srcline", BY_LINE },
	{ "dso", BY_OBJECT },	     { "comm", BY_THREAD },   { "pid", BY_THREAD },
	{ "tid", BY_THREAD },
};

/* A function on the call path, or code of an object that belongs to no function. */
struct report_frame {
	uint32_t function, object;
	bool is_symbol; /* true for the function of --callers or --callees */
};

bool report_sort_find(const char *name, enum report_sort *sort)
{
	for (size_t i = 0; i < sizeof(sort_keys) / sizeof(sort_keys[0]); i++)
		if (!strcmp(name, sort_keys[i].name)) {
			*sort = sort_keys[i].sort;
			return true;
		}
	return false;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Returns the row with this key, which is added if necessary; NONE if out of memory. */
static uint32_t put_row(struct report *r, uint64_t key, struct report_row fresh)
{
	uint32_t at = pmk_map_put(&r->rows, key, (uint32_t)r->nrows);

	if (at == NONE || at < r->nrows)
		return at;
	return PMK_APPEND(r->row, r->nrows, r->room, fresh) ? at : NONE;
}

#define UNNAMED (UINT64_C(1) << 63) /* in a key: the lower bits are the object */

static const struct report_row nowhere = { NONE, NONE, NONE, 0, NONE, NULL, NULL };

static uint32_t put_function(struct report *r, uint32_t function)
{
	const struct pmk_tables_function *f = &r->r.t.function[r->r.t.function[function].same];
	struct report_row row = nowhere;

	row.function = r->r.t.function[function].same;
	row.object = f->object;
	row.file = f->file;
	row.line = f->line;
	return put_row(r, row.function, row);
}

/* Returns the row for the code of an object that belongs to no function. */
static uint32_t put_object(struct report *r, uint32_t object)
{
	struct report_row row = nowhere;

	row.object = object;
	return put_row(r, UNNAMED | object, row);
}

static uint32_t row_of_code(struct report *r, const struct pmk_tables_code *k)
{
	bool lines = r->sort == BY_FILE || r->sort == BY_LINE;
	struct report_row row = nowhere;

	if (r->sort == BY_FUNCTION && k->function != NONE)
		return put_function(r, k->function);
	if (!lines || k->file == NONE)
		return put_object(r, k->object);
	row.file = k->file;
	row.line = r->sort == BY_LINE ? k->line : 0;
	return put_row(r, (uint64_t)row.file << 32 | row.line, row);
}

/* Make a row for each function, and for each object a row for its code outside of functions. One
 * more row has no code. It stands for an unknown caller and for the function itself. */
static bool make_call_rows(struct report *r)
{
	const struct pmk_tables *t = &r->r.t;

	for (uint32_t i = 0; i < t->nfunctions; i++)
		if (put_function(r, i) == NONE)
			return false;
	for (uint32_t i = 0; i < t->nobjects; i++)
		if (put_object(r, i) == NONE)
			return false;
	r->stack = calloc(2 * (t->ncontexts + 1), sizeof(*r->stack));
	return r->stack && put_object(r, NONE) != NONE;
}

static bool make_rows(struct report *r)
{
	const struct pmk_tables *t = &r->r.t;
	struct report_row thread = nowhere;
	size_t each = r->n + 1;

	if (r->view != FLAT && !make_call_rows(r))
		return false;
	r->of_code = calloc(t->ncodes + 1, sizeof(*r->of_code));
	if (!r->of_code)
		return false;
	for (uint32_t i = 0; r->sort == BY_THREAD && i < t->nthreads; i++) {
		thread.thread = i;
		if (put_row(r, i, thread) == NONE)
			return false;
	}
	for (size_t i = 0; r->view == FLAT && r->sort != BY_THREAD && i < t->ncodes; i++) {
		r->of_code[i] = row_of_code(r, &t->code[i]);
		if (r->of_code[i] == NONE)
			return false;
	}
	r->counts = calloc(2 * r->nrows * each + 1, sizeof(*r->counts));
	r->sum = calloc(each, sizeof(*r->sum));
	r->seen = calloc(r->nrows + 1, sizeof(*r->seen));
	if (!r->counts || !r->sum || !r->seen)
		return false;
	for (size_t i = 0; i < r->nrows; i++) {
		r->row[i].self = &r->counts[2 * i * each];
		r->row[i].children = r->row[i].self + each;
	}
	return true;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static uint64_t frame_key(struct report_frame f)
{
	return f.function == NONE ? UNNAMED | f.object : f.function;
}

static struct report_frame frame_of_function(const struct report *r, uint32_t function)
{
	const struct pmk_tables_function *f = &r->r.t.function[function];

	return (struct report_frame){ f->same, f->object, r->is_symbol[function] };
}

static struct report_frame frame_of_code(const struct report *r, uint32_t code)
{
	const struct pmk_tables_code *k = &r->r.t.code[code];

	if (k->function != NONE)
		return frame_of_function(r, k->function);
	return (struct report_frame){ NONE, k->object, false };
}

/* Find the functions on the call path when `code` runs, innermost first. Returns their number. If
 * `code` is not in the function that was called, a jump led to it. */
static size_t find_frames(const struct report *r, uint32_t code, uint32_t context)
{
	const struct pmk_tables_context *c = r->r.t.context;
	size_t n = 0;

	while (context != NONE || code != NONE) {
		uint32_t f = context == NONE ? NONE : c[context].function;
		struct report_frame called = { NONE, NONE, false }, at = called;

		if (f != NONE)
			called = frame_of_function(r, f);
		if (code != NONE)
			at = frame_of_code(r, code);
		if (code != NONE && frame_key(at) != frame_key(called))
			r->stack[n++] = at;
		if (f != NONE)
			r->stack[n++] = called;
		code = context == NONE ? NONE : c[context].site;
		context = context == NONE ? NONE : c[context].parent;
	}
	return n;
}

/* Returns the row of frame number `i` of the stack, or the row without code. */
static uint32_t call_row(const struct report *r, size_t i, size_t n)
{
	return pmk_map_get(&r->rows, i < n ? frame_key(r->stack[i]) : UNNAMED | NONE);
}

/* Add to the row of the function's caller. If the function called itself, this is its outermost
 * caller. */
static bool add_to_caller(struct report *r, size_t n, const struct pmk_tables_count *c)
{
	size_t outermost = n;

	while (outermost > 0 && !r->stack[outermost - 1].is_symbol)
		outermost--;
	if (outermost)
		r->row[call_row(r, outermost, n)].self[c->slot] += c->value;
	return outermost;
}

/* Add to the rows of the functions that the function has called, once in each, or to the row of
 * the function itself. */
static bool add_to_callees(struct report *r, size_t n, const struct pmk_tables_count *c)
{
	bool found = false;

	r->nseen++;
	for (size_t i = 0; i < n; i++) {
		uint32_t row;

		if (!r->stack[i].is_symbol)
			continue;
		found = true;
		row = call_row(r, i ? i - 1 : n, n);
		if (r->seen[row] == r->nseen)
			continue;
		r->seen[row] = r->nseen;
		r->row[row].self[c->slot] += c->value;
	}
	return found;
}

/* ---- counts --------------------------------------------------------------------------------- */

static void add_once(struct report *r, uint32_t row, const struct pmk_tables_count *c)
{
	if (r->seen[row] == r->nseen)
		return;
	r->seen[row] = r->nseen;
	r->row[row].children[c->slot] += c->value;
}

static int on_count(void *ctx, const struct pmk_tables_count *c)
{
	struct report *r = ctx;
	const struct pmk_tables *t = &r->r.t;
	uint32_t row = r->sort == BY_THREAD ? c->thread : r->of_code[c->code];

	if (r->view != FLAT) {
		size_t n = find_frames(r, c->code, c->context);

		if (r->view == CALLERS ? add_to_caller(r, n, c) : add_to_callees(r, n, c))
			r->sum[c->slot] += c->value;
		return 0;
	}
	r->row[row].self[c->slot] += c->value;
	r->sum[c->slot] += c->value;
	if (!r->children)
		return 0;
	r->nseen++;
	add_once(r, row, c);
	for (uint32_t i = c->context; i != NONE; i = t->context[i].parent) {
		uint32_t f = t->context[i].function, site = t->context[i].site;
		uint32_t at = f == NONE ? NONE : pmk_map_get(&r->rows, t->function[f].same);

		if (at != NONE)
			add_once(r, at, c);
		/* If the call instruction is in another function, a jump led there. */
		if (site != NONE)
			add_once(r, r->of_code[site], c);
	}
	return 0;
}

int report_count(struct report *r)
{
	uint32_t *event = malloc((r->n + 1) * sizeof(*event));
	int code = event && make_rows(r) ? 0 : cli_no_memory();
	char msg[300];

	if (!code) {
		memcpy(event, r->r.c.event, r->n * sizeof(*event));
		event[r->n] = PMK_TABLES_EXECUTIONS;
		if (pmk_tables_counts(&r->r.t, event, r->n + 1, on_count, r, msg, sizeof(msg)))
			code = recorded_failed(&r->r, msg);
	}
	free(event);
	return code;
}

/* Returns the value that determines the order of rows and the shares. */
static uint64_t first(const struct report *r, const struct report_row *row)
{
	return r->children ? row->children[0] : row->self[0];
}

/* ---- names ---------------------------------------------------------------------------------- */

char *report_row_name(const struct report *r, const struct report_row *row)
{
	const struct pmk_tables *t = &r->r.t;
	char unnamed[256], *name = NULL;
	int n;

	if (r->view != FLAT && row->function == NONE && row->object == NONE) {
		n = asprintf(&name, r->view == CALLERS ? "[no caller]" : "[itself]");
	} else if (row->thread != NONE) {
		const struct pmk_tables_thread *k = &t->thread[row->thread];
		char *program = strndup(t->command, strcspn(t->command, " "));
		const char *called = k->name ? k->name : program ? pmk_file_name(program) : "";

		n = asprintf(&name, "%s%sprocess %u, thread %u", called, *called ? ": " : "",
			     k->process, k->cpu);
		free(program);
	} else if (row->function != NONE) {
		n = asprintf(&name, "%s", t->function[row->function].name);
	} else if (r->sort == BY_LINE && row->file != NONE) {
		n = asprintf(&name, "%s:%u", t->file[row->file].path, row->line);
	} else if (row->file != NONE) {
		n = asprintf(&name, "%s", t->file[row->file].path);
	} else if (r->sort == BY_OBJECT) {
		n = asprintf(&name, "%s", t->object[row->object].path);
	} else {
		pmk_tables_unnamed(t, row->object, unnamed, sizeof(unnamed));
		n = asprintf(&name, "%s", unnamed);
	}
	return n < 0 ? NULL : name;
}

static int by_first(const void *a, const void *b, void *report)
{
	const struct report *r = report;
	const struct report_row *x = a, *y = b;
	char *p, *q;
	int d;

	if (first(r, x) != first(r, y))
		return first(r, x) > first(r, y) ? -1 : 1;
	if (x->self[r->executions] != y->self[r->executions])
		return x->self[r->executions] > y->self[r->executions] ? -1 : 1;
	p = report_row_name(r, x);
	q = report_row_name(r, y);
	d = p && q ? strcmp(p, q) : 0;
	free(p);
	free(q);
	return d;
}

/* True if nothing was counted in the row: in a sampled recording, callers may have no samples. */
static bool is_empty(const struct report *r, const struct report_row *row)
{
	bool any = r->r.t.sampled ? false : r->view == FLAT || row->self[r->executions];

	for (size_t i = 0; r->r.t.sampled && i < r->n; i++)
		any |= row->self[i] || (r->children && row->children[i]);
	return !any;
}

void report_arrange(struct report *r)
{
	size_t n = 0;

	qsort_r(r->row, r->nrows, sizeof(*r->row), by_first, r);
	for (size_t i = 0; i < r->nrows; i++) {
		if (is_empty(r, &r->row[i]))
			continue;
		if (recorded_share(first(r, &r->row[i]), r->sum[0]) >= r->limit)
			r->row[n++] = r->row[i];
		else
			r->nhidden++;
	}
	r->nrows = n;
}

const char *report_event(const struct report *r, size_t i)
{
	return pmk_tables_event_name(&r->r.t, r->r.c.event[i]);
}

const char *report_kind(const struct report *r)
{
	return r->view == CALLERS   ? "caller"
	       : r->view == CALLEES ? "callee"
				    : sort_keys[r->sort].name;
}

void report_free(struct report *r)
{
	recorded_close(&r->r);
	pmk_map_free(&r->rows);
	free(r->row);
	free(r->of_code);
	free(r->counts);
	free(r->sum);
	free(r->seen);
	free(r->is_symbol);
	free(r->stack);
}
