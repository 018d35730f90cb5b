// SPDX-License-Identifier: MIT
/*
 * pmk report of a recording: shows the places where the events of a program were counted.
 *
 * Each instruction belongs to the row of its function, file, line or object; with threads, each
 * count belongs to the row of its thread. With --children a count is also in the rows of all
 * functions on its call path, once in each. --callers and --callees divide the inclusive counts of
 * a function by the functions next to it on call paths.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/grow.h"
#include "base/number.h"
#include "result/table.h"
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>
#include <pmk/error.h>

#include "base/printable.h"
#include "cli/recorded.h"
#include "cli/show.h"
#include "base/map.h"
#include "base/print.h"
#include "result/internal.h"
#include "result/jsonio.h"

#define NONE PMK_TABLES_NONE

enum sort { BY_FUNCTION, BY_FILE, BY_LINE, BY_OBJECT, BY_THREAD };

/* The keys of --sort: pmk's names in the order of enum sort, then perf's names. */
static const struct {
	const char *name;
	enum sort sort;
} sort_keys[] = {
	{ "function", BY_FUNCTION }, { "file", BY_FILE },     { "line", BY_LINE },
	{ "object", BY_OBJECT },     { "thread", BY_THREAD }, { "sym", BY_FUNCTION },
	{ "symbol", BY_FUNCTION },   { "srcfile", BY_FILE },  { "srcline", BY_LINE },
	{ "dso", BY_OBJECT },	     { "comm", BY_THREAD },   { "pid", BY_THREAD },
	{ "tid", BY_THREAD },
};

/* For --callers and --callees: which end of a call the rows show. */
enum side { FLAT, CALLERS, CALLEES };

struct row {
	/* what the row represents; NONE in members that do not apply */
	uint32_t function, object, file, line, thread;
	uint64_t *self, *children; /* one per event, and the executions */
};

/* A function on the call path, or code of an object that belongs to no function. */
struct frame {
	uint32_t function, object;
	bool is_symbol; /* true for the function of --callers or --callees */
};

struct report {
	struct recorded r;
	const struct output_options *o;
	enum sort sort;
	bool children, quiet, markdown;
	enum side view;
	const char *symbol;  /* argument of --callers or --callees */
	bool *is_symbol;     /* one per function */
	struct frame *stack; /* the call path of the present count */
	double limit;	     /* percent of the first event */
	struct pmk_map rows;
	struct row *row;
	size_t nrows, room;
	uint32_t *of_code; /* row of each instruction */
	uint64_t *counts, *sum;
	uint32_t *seen; /* [row]: the value of `nseen` when the row last received a count */
	uint32_t nseen;
	size_t n;	   /* number of events */
	size_t executions; /* index of the executions: a chosen event, or `n` */
	size_t nhidden;
	FILE *f;
};

/* ---- rows ----------------------------------------------------------------------------------- */

/* Returns the row with this key, which is added if necessary; NONE if out of memory. */
static uint32_t put_row(struct report *r, uint64_t key, struct row fresh)
{
	uint32_t at = pmk_map_put(&r->rows, key, (uint32_t)r->nrows);

	if (at == NONE || at < r->nrows)
		return at;
	return PMK_APPEND(r->row, r->nrows, r->room, fresh) ? at : NONE;
}

#define UNNAMED (UINT64_C(1) << 63) /* in a key: the lower bits are the object */

static const struct row nowhere = { NONE, NONE, NONE, 0, NONE, NULL, NULL };

static uint32_t put_function(struct report *r, uint32_t function)
{
	const struct pmk_tables_function *f = &r->r.t.function[r->r.t.function[function].same];
	struct row row = nowhere;

	row.function = r->r.t.function[function].same;
	row.object = f->object;
	row.file = f->file;
	row.line = f->line;
	return put_row(r, row.function, row);
}

/* Returns the row for the code of an object that belongs to no function. */
static uint32_t put_object(struct report *r, uint32_t object)
{
	struct row row = nowhere;

	row.object = object;
	return put_row(r, UNNAMED | object, row);
}

static uint32_t row_of_code(struct report *r, const struct pmk_tables_code *k)
{
	bool lines = r->sort == BY_FILE || r->sort == BY_LINE;
	struct row row = nowhere;

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
	struct row thread = nowhere;
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

static uint64_t frame_key(struct frame f)
{
	return f.function == NONE ? UNNAMED | f.object : f.function;
}

static struct frame frame_of_function(const struct report *r, uint32_t function)
{
	const struct pmk_tables_function *f = &r->r.t.function[function];

	return (struct frame){ f->same, f->object, r->is_symbol[function] };
}

static struct frame frame_of_code(const struct report *r, uint32_t code)
{
	const struct pmk_tables_code *k = &r->r.t.code[code];

	if (k->function != NONE)
		return frame_of_function(r, k->function);
	return (struct frame){ NONE, k->object, false };
}

/* Find the functions on the call path when `code` runs, innermost first. Returns their number. If
 * `code` is not in the function that was called, a jump led to it. */
static size_t find_frames(const struct report *r, uint32_t code, uint32_t context)
{
	const struct pmk_tables_context *c = r->r.t.context;
	size_t n = 0;

	while (context != NONE || code != NONE) {
		uint32_t f = context == NONE ? NONE : c[context].function;
		struct frame called = { NONE, NONE, false }, at = called;

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

static int count(struct report *r)
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
static uint64_t first(const struct report *r, const struct row *row)
{
	return r->children ? row->children[0] : row->self[0];
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Returns the name of a row; the caller frees it. */
static char *name_of(const struct report *r, const struct row *row)
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
	const struct row *x = a, *y = b;
	char *p, *q;
	int d;

	if (first(r, x) != first(r, y))
		return first(r, x) > first(r, y) ? -1 : 1;
	if (x->self[r->executions] != y->self[r->executions])
		return x->self[r->executions] > y->self[r->executions] ? -1 : 1;
	p = name_of(r, x);
	q = name_of(r, y);
	d = p && q ? strcmp(p, q) : 0;
	free(p);
	free(q);
	return d;
}

/* True if nothing was counted in the row: in a sampled recording, callers may have no samples. */
static bool is_empty(const struct report *r, const struct row *row)
{
	bool any = r->r.t.sampled ? false : r->view == FLAT || row->self[r->executions];

	for (size_t i = 0; r->r.t.sampled && i < r->n; i++)
		any |= row->self[i] || (r->children && row->children[i]);
	return !any;
}

/* Sort the rows, and remove rows below the limit and rows without counts. */
static void arrange(struct report *r)
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

static const char *event_name(const struct report *r, size_t i)
{
	return pmk_tables_event_name(&r->r.t, r->r.c.event[i]);
}

/* Returns the kind of the rows. */
static const char *kind(const struct report *r)
{
	return r->view == CALLERS   ? "caller"
	       : r->view == CALLEES ? "callee"
				    : sort_keys[r->sort].name;
}

/* ---- text ----------------------------------------------------------------------------------- */

#define NAME_ROOM 20

struct layout {
	struct recorded_column
		*column;   /* columns of children, if wanted; of events; of executions */
	size_t n, nevents; /* number of columns; number of events that have one */
	unsigned width;	   /* total width of the columns */
};

static void add_column(struct layout *t, struct recorded_column c)
{
	t->width += c.width + 2;
	t->column[t->n++] = c;
}

/* Returns the width of names. On a terminal it is NAME_ROOM, and longer names are cut. Otherwise it
 * is the width of the longest name that needs at most `most` columns. A longer name would not fit
 * next to even one event, so it does not widen the table. */
static unsigned name_room(const struct report *r, unsigned most)
{
	unsigned room = NAME_ROOM;

	for (size_t i = 0; i < r->nrows && !r->r.terminal; i++) {
		char *name = name_of(r, &r->row[i]), *text = pmk_printable(name ? name : "");
		size_t n = text ? pmk_printable_columns(text, strlen(text)) : 0;

		if (n > room && n <= most)
			room = (unsigned)n;
		free(text);
		free(name);
	}
	return room;
}

/* Choose the columns: as many events as there is room for. */
static bool lay_out(const struct report *r, struct layout *t)
{
	struct recorded_column last, c;
	bool executions = r->executions == r->n && !r->r.t.sampled;
	unsigned others, names = NAME_ROOM;

	last = recorded_column(&r->r, PMK_TABLES_EXECUTIONS, NULL, r->sum[r->executions], false);
	others = executions ? last.width + 2 : 0;
	t->column = calloc(r->n + 2, sizeof(*t->column));
	if (!t->column)
		return false;
	if (r->children)
		add_column(t,
			   recorded_column(&r->r, r->r.c.event[0], "inclusive", r->sum[0], true));
	for (size_t i = 0; i < r->n; i++) {
		c = recorded_column(&r->r, r->r.c.event[i], NULL, r->sum[i], true);
		if (i && t->width + c.width + 2 + others + names > r->r.width)
			break;
		add_column(t, c);
		if (!i && t->width + others < r->r.width)
			names = name_room(r, r->r.width - t->width - others);
		t->nevents++;
	}
	if (executions)
		add_column(t, last);
	return true;
}

/* Print a name. On a terminal, a long name is cut, so that each row is one line. Files have the
 * whole name. */
static void put_name(const struct report *r, const struct layout *t, const char *name)
{
	unsigned room = t->width + NAME_ROOM > r->r.width ? NAME_ROOM : r->r.width - t->width;
	char *text = pmk_name_cut(name, r->r.terminal ? room : SIZE_MAX);

	fprintf(r->f, "%s\n", text ? text : "");
	free(text);
}

static void put_line(const struct report *r, const struct layout *t, const uint64_t *children,
		     const uint64_t *self, const char *name)
{
	size_t at = 0;

	if (r->children)
		recorded_put_cell(&r->r, r->f, &t->column[at++], children[0], r->sum[0]);
	for (size_t i = 0; i < t->nevents; i++)
		recorded_put_cell(&r->r, r->f, &t->column[at++], self[i], r->sum[i]);
	if (at < t->n)
		recorded_put_cell(&r->r, r->f, &t->column[at], self[r->executions], 0);
	put_name(r, t, name);
}

static void put_without_value(void *report, const char *name, const char *trust, const char *reason)
{
	const struct report *r = report;

	recorded_note(&r->r, r->f, "%s: <%s>%s%s", name, trust, reason ? " " : "", reason);
}

static void put_notes(const struct report *r, const struct layout *t)
{
	if (r->nhidden)
		fprintf(r->f, " %zu more, each below %g %% of %s.\n", r->nhidden, r->limit,
			event_name(r, 0));
	recorded_no_room(&r->r, r->f, t->nevents, "Choose events with -e; -x and -j print all.");
	if (!r->r.by_name)
		recorded_without_value(&r->r, put_without_value, (void *)r);
}

static bool write_text(const struct report *r)
{
	struct layout t = { 0 };
	char *name;

	if (!lay_out(r, &t))
		return false;
	if (!r->quiet)
		recorded_head(&r->r, r->f);
	if (r->view != FLAT)
		pmk_print(r->f,
			  " %ss of %s, by the counts of this function and everything that "
			  "it called\n\n",
			  kind(r), r->symbol);
	recorded_put_heads(r->f, "", t.column, t.n, kind(r));
	fputc('\n', r->f);
	for (size_t i = 0; i < r->nrows; i++) {
		const struct row *row = &r->row[i];

		name = name_of(r, row);
		put_line(r, &t, row->children, row->self, name ? name : "?");
		free(name);
	}
	fputc('\n', r->f);
	put_line(r, &t, r->sum, r->sum, "total");
	fputc('\n', r->f);
	if (!r->quiet)
		put_notes(r, &t);
	free(t.column);
	return true;
}

/* ---- Markdown ------------------------------------------------------------------------------- */

#define MARKDOWN_ROWS	20
#define MARKDOWN_EVENTS 4

/* Write a count and its share, for each event of the table. */
static void markdown_cells(const struct report *r, const uint64_t *value, size_t nevents)
{
	char text[PMK_NUMBER_SIZE];

	for (size_t i = 0; i < nevents; i++) {
		pmk_number_text(text, value[i], 0, !r->r.plain_numbers);
		fprintf(r->f, " %s | %.1f%% |", text, recorded_share(value[i], r->sum[i]));
	}
	fputc('\n', r->f);
}

/* Write a paragraph for each line of the text. */
static void markdown_lines(const struct report *r, const char *title, const char *text)
{
	for (char *line; (line = pmk_print_line(&text)); free(line)) {
		fprintf(r->f, "\n\n%s: ", title);
		pmk_name_write_markdown(r->f, line, SIZE_MAX);
	}
}

static void markdown_head(const struct report *r, size_t nevents)
{
	fputs("### ", r->f);
	pmk_name_write_markdown(r->f, r->r.t.command, SIZE_MAX);
	if (*r->r.t.core)
		fprintf(r->f, "\n\nCore %s.", r->r.t.core);
	markdown_lines(r, "Cycles", r->r.t.checked);
	markdown_lines(r, "Warning", r->r.t.warning);
	markdown_lines(r, "Note", r->r.t.note);
	fprintf(r->f, "\n\n| %s |", kind(r));
	for (size_t i = 0; i < nevents; i++)
		fprintf(r->f, " %s%s | %% |", event_name(r, i), r->children ? ", inclusive" : "");
	fputs("\n|---|", r->f);
	for (size_t i = 0; i < nevents; i++)
		fputs("--:|--:|", r->f);
	fputs("\n| total |", r->f);
	markdown_cells(r, r->sum, nevents);
}

static bool write_markdown(const struct report *r)
{
	size_t nevents = r->n < MARKDOWN_EVENTS ? r->n : MARKDOWN_EVENTS;

	markdown_head(r, nevents);
	for (size_t i = 0; i < r->nrows && i < MARKDOWN_ROWS; i++) {
		const struct row *row = &r->row[i];
		char *name = name_of(r, row);

		fputs("| ", r->f);
		pmk_name_write_markdown(r->f, name ? name : "?", NAME_MARKDOWN);
		fputs(" |", r->f);
		markdown_cells(r, r->children ? row->children : row->self, nevents);
		free(name);
	}
	if (r->nrows + r->nhidden > MARKDOWN_ROWS || r->nhidden)
		fprintf(r->f, "\n%zu more rows; -j and -x write all rows.\n",
			r->nhidden + (r->nrows > MARKDOWN_ROWS ? r->nrows - MARKDOWN_ROWS : 0));
	return true;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static const char *object_of(const struct report *r, const struct row *row)
{
	return row->object == NONE ? NULL : r->r.t.object[row->object].path;
}

static const char *file_of(const struct report *r, const struct row *row)
{
	return row->file == NONE ? NULL : r->r.t.file[row->file].path;
}

/* Write a comment for each line of the text. */
static void csv_comments(const struct report *r, const char *kind, const char *text)
{
	for (char *line; (line = pmk_print_line(&text)); free(line))
		pmk_print(r->f, "# %s: %s\n", kind, line);
}

static bool write_csv(const struct report *r)
{
	struct pmk_csv c = { .f = r->f, .separator = r->o->separator };
	char *name;

	fprintf(r->f, "name%sobject%sfile%sline%sexecutions", c.separator, c.separator, c.separator,
		c.separator);
	for (size_t i = 0; i < r->n; i++)
		fprintf(r->f, "%s%s", c.separator, event_name(r, i));
	for (size_t i = 0; r->children && i < r->n; i++)
		fprintf(r->f, "%s%s:children", c.separator, event_name(r, i));
	pmk_csv_end(&c);
	for (size_t i = 0; i < r->nrows; i++) {
		const struct row *row = &r->row[i];

		name = name_of(r, row);
		pmk_csv_text(&c, name);
		free(name);
		pmk_csv_text(&c, object_of(r, row));
		pmk_csv_text(&c, file_of(r, row));
		pmk_csv_number(&c, row->line, row->line);
		pmk_csv_number(&c, !r->r.t.sampled, row->self[r->executions]);
		for (size_t e = 0; e < r->n; e++)
			pmk_csv_number(&c, true, row->self[e]);
		for (size_t e = 0; r->children && e < r->n; e++)
			pmk_csv_number(&c, true, row->children[e]);
		pmk_csv_end(&c);
	}
	csv_comments(r, "cycles", r->r.t.checked);
	csv_comments(r, "warning", r->r.t.warning);
	csv_comments(r, "note", r->r.t.note);
	return true;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_object *json_counts(const struct report *r, const uint64_t *value)
{
	json_object *o = json_object_new_object();

	for (size_t i = 0; i < r->n; i++)
		pmk_json_count(o, event_name(r, i), value[i]);
	return o;
}

/* Returns the executions; null for samples, because their executions are not known. */
static json_object *json_executions(const struct report *r, const uint64_t *value)
{
	return r->r.t.sampled ? NULL : json_object_new_uint64(value[r->executions]);
}

static json_object *json_row(const struct report *r, const struct row *row)
{
	json_object *o = json_object_new_object();
	char *name = name_of(r, row);

	pmk_json_text(o, "name", name);
	pmk_json_text(o, "object", object_of(r, row));
	pmk_json_text(o, "file", file_of(r, row));
	pmk_json_add(o, "line", row->line ? json_object_new_int64(row->line) : NULL);
	pmk_json_add(o, "executions", json_executions(r, row->self));
	pmk_json_add(o, "events", json_counts(r, row->self));
	if (r->children)
		pmk_json_add(o, "children", json_counts(r, row->children));
	free(name);
	return o;
}

static void add_without_value(void *events, const char *name, const char *trust, const char *reason)
{
	json_object *o = json_object_new_object();

	pmk_json_text(o, "name", name);
	pmk_json_add(o, "total", NULL);
	pmk_json_text(o, "trust", trust);
	pmk_json_text(o, "reason", reason);
	json_object_array_add(events, o);
}

static json_object *json_events(const struct report *r)
{
	json_object *list = json_object_new_array();
	char trust[24];

	for (size_t i = 0; i < r->n; i++) {
		json_object *o = json_object_new_object();

		pmk_json_text(o, "name", event_name(r, i));
		pmk_json_count(o, "total", r->sum[i]);
		pmk_json_text(o, "trust", recorded_trust(&r->r, r->r.c.event[i], trust));
		pmk_json_add(o, "reason", NULL);
		json_object_array_add(list, o);
	}
	if (!r->r.by_name)
		recorded_without_value(&r->r, add_without_value, list);
	return list;
}

static bool write_json(const struct report *r)
{
	static const char *const facts[] = { "command", "core",	   "producer", "settings",
					     "checked", "warning", "note" };
	json_object *doc = pmk_json_document("pmk-report"), *rows = json_object_new_array();

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		char *text = recorded_fact(&r->r, facts[i]);

		pmk_json_text(doc, facts[i], text);
		free(text);
	}
	pmk_json_text(doc, "sort", kind(r));
	pmk_json_add(doc, "executions", json_executions(r, r->sum));
	pmk_json_add(doc, "events", json_events(r));
	for (size_t i = 0; i < r->nrows; i++)
		json_object_array_add(rows, json_row(r, &r->row[i]));
	pmk_json_add(doc, "rows", rows);
	pmk_json_put_document(r->f, doc);
	json_object_put(doc);
	return true;
}

/* ---- the report ----------------------------------------------------------------------------- */

static int check_sort(struct report *r, const char *name)
{
	if (!name)
		return 0;
	for (size_t i = 0; i < sizeof(sort_keys) / sizeof(sort_keys[0]); i++)
		if (!strcmp(name, sort_keys[i].name)) {
			r->sort = sort_keys[i].sort;
			return 0;
		}
	return cli_fail(PMK_EXIT_USAGE,
			"--sort %s: expected function, file, line, object, thread, or perf's "
			"sym, srcfile, srcline, dso, comm",
			name);
}

static int check(struct report *r, const struct report_recording *q)
{
	int code = check_sort(r, q->sort);

	if (!code && q->limit && (pmk_percent_parse(q->limit, &r->limit) || r->limit > 100))
		code = cli_fail(PMK_EXIT_USAGE, "--percent-limit %s: expected 0 to 100", q->limit);
	if (!code && q->children && r->sort != BY_FUNCTION)
		code = cli_fail(PMK_EXIT_USAGE,
				"--children needs rows of functions; it cannot "
				"be combined with --sort %s",
				q->sort);
	if (!code && q->markdown && !output_is_text(r->o))
		code = cli_fail(PMK_EXIT_USAGE, "-j, -x and --markdown exclude each other");
	if (!code && q->callers && q->callees)
		code = cli_fail(PMK_EXIT_USAGE, "--callers and --callees exclude each other");
	if (!code && (q->callers || q->callees) && q->children)
		code = cli_fail(PMK_EXIT_USAGE, "%s and --children exclude each other",
				q->callers ? "--callers" : "--callees");
	if (!code && (q->callers || q->callees) && r->sort != BY_FUNCTION)
		code = cli_fail(PMK_EXIT_USAGE,
				"%s needs rows of functions; it cannot be combined with --sort %s",
				q->callers ? "--callers" : "--callees", q->sort);
	r->children = q->children;
	r->quiet = q->quiet;
	r->markdown = q->markdown;
	r->view = q->callers ? CALLERS : q->callees ? CALLEES : FLAT;
	r->symbol = q->callers ? q->callers : q->callees;
	return code;
}

/* Find the functions that --callers or --callees names. Returns 0 or an exit code. */
static int find_symbol(struct report *r)
{
	const struct pmk_tables *t = &r->r.t;
	char near[256];

	if (r->view == FLAT)
		return 0;
	r->is_symbol = calloc(t->nfunctions + 1, sizeof(*r->is_symbol));
	if (!r->is_symbol)
		return cli_no_memory();
	if (recorded_functions(&r->r, r->symbol, r->is_symbol))
		return 0;
	recorded_nearest(&r->r, r->symbol, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE, "--%ss: no function '%s' was %s%s%s%s", kind(r), r->symbol,
			pmk_tables_verb(t), *near ? "; did you mean " : "", near, *near ? "?" : "");
}

static int print(struct report *r)
{
	struct output out;
	int code = output_open(&out, r->o, stdout);
	bool done;

	if (code)
		return code;
	r->f = out.f;
	if (output_is_text(r->o) && !r->markdown)
		recorded_page(&r->r, r->f);
	done = r->o->json	 ? write_json(r)
	       : r->o->separator ? write_csv(r)
	       : r->markdown	 ? write_markdown(r)
				 : write_text(r);
	if (ferror(r->f) && out.own)
		done = false;
	if (output_close(&out, NULL) || !done)
		code = cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s",
				r->o->path ? r->o->path : "the report", strerror(errno));
	recorded_page_end();
	return code;
}

int report_recording(const struct report_recording *q, const struct output_options *o)
{
	struct report r = { .o = o };
	int code = check(&r, q);

	if (!code && output_is(o, q->path))
		code = cli_fail(PMK_EXIT_USAGE,
				"-o %s would overwrite the input; name another file", o->path);
	if (!code)
		code = recorded_open(&r.r, q->path, q->elf, q->events);
	r.n = r.executions = r.r.c.n;
	for (size_t i = r.n; i-- > 0;)
		if (r.r.c.event[i] == PMK_TABLES_EXECUTIONS)
			r.executions = i;
	r.r.plain_numbers = o->plain_numbers;
	if (!code && (r.children || r.view != FLAT) && !pmk_tables_have_paths(&r.r.t))
		code = cli_fail(PMK_EXIT_USAGE, "%s has no call paths; pmk record -g records them",
				q->path);
	if (!code)
		code = find_symbol(&r);
	if (!code)
		code = count(&r);
	if (!code) {
		arrange(&r);
		code = print(&r);
	}
	recorded_close(&r.r);
	pmk_map_free(&r.rows);
	free(r.row);
	free(r.of_code);
	free(r.counts);
	free(r.sum);
	free(r.seen);
	free(r.is_symbol);
	free(r.stack);
	return code;
}
