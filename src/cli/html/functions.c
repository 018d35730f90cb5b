// SPDX-License-Identifier: MIT
/* The table of functions: the functions of pmk report --children, with their own counts and the
 * counts of everything that they called. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "cli/html/tree.h"

#define NONE  PMK_TABLES_NONE
#define MOST  2000 /* rows */
#define FIRST 100  /* rows that a page with the script shows at first */
#define NAMES 90   /* characters of a name */
#define ALL   100  /* rows of the table with all events */

struct functions {
	struct html_page *p;
	uint64_t *self, *inclusive; /* [frame][event] */
	uint64_t *calls;	    /* [frame] */
	uint32_t *row;		    /* frames, in the order in which they are shown */
	size_t n;
	bool paths;
};

static uint64_t self_of(const struct functions *fn, uint32_t frame, size_t event)
{
	return fn->self[frame * fn->p->n + event];
}

static bool is_above(const struct pmk_tree *tree, uint32_t node)
{
	for (uint32_t at = tree->node[node].parent; at; at = tree->node[at].parent)
		if (tree->node[at].frame == tree->node[node].frame)
			return true;
	return false;
}

/* Sums the counts of each function. Inlined code counts as part of the function. In a recursion,
 * the outermost call has all counts. */
static void add_up(struct functions *fn)
{
	const struct html_page *p = fn->p;
	const struct pmk_tables *t = &p->r->t;
	const struct pmk_tree *tree = &p->tree;

	for (uint32_t i = 1; i < tree->nnodes; i++) {
		uint32_t owner = i, frame = tree->node[i].frame;

		if (pmk_tree_thread(tree, frame) != NONE)
			continue;
		while (!html_tree_is_function(p, tree->node[owner].frame))
			owner = tree->node[owner].parent;
		for (size_t e = 0; e < p->n; e++)
			fn->self[tree->node[owner].frame * p->n + e] += tree->self[i * p->n + e];
		if (!html_tree_is_function(p, frame) || is_above(tree, i))
			continue;
		for (size_t e = 0; e < p->n; e++)
			fn->inclusive[frame * p->n + e] += html_inclusive(p, i, e);
	}
	for (size_t i = 0; i < t->ncontexts; i++)
		if (t->context[i].function != NONE)
			fn->calls[t->function[t->context[i].function].same] += t->context[i].calls;
}

static int by_self(const void *a, const void *b, void *functions)
{
	const struct functions *fn = functions;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (unsigned k = 0; k < 2; k++) {
		const uint64_t *v = k ? fn->inclusive : fn->self;

		if (v[x * fn->p->n] != v[y * fn->p->n])
			return v[x * fn->p->n] > v[y * fn->p->n] ? -1 : 1;
	}
	return (x > y) - (x < y);
}

/* True if code of the frame was executed: it has executions, or samples of an event. */
static bool has_run(const struct functions *fn, uint32_t frame)
{
	const struct html_page *p = fn->p;
	const uint64_t *value = &fn->inclusive[frame * p->n];
	bool any = false;

	if (!p->r->t.sampled)
		return value[p->executions];
	for (size_t e = 0; e < p->n; e++)
		any |= value[e] != 0;
	return any;
}

static bool arrange_functions(struct functions *fn)
{
	const struct html_page *p = fn->p;
	size_t frames = pmk_tree_frames(&p->tree);

	fn->self = calloc(frames * p->n, sizeof(*fn->self));
	fn->inclusive = calloc(frames * p->n, sizeof(*fn->inclusive));
	fn->calls = calloc(frames, sizeof(*fn->calls));
	fn->row = malloc(frames * sizeof(*fn->row));
	if (!fn->self || !fn->inclusive || !fn->calls || !fn->row)
		return false;
	add_up(fn);
	for (uint32_t i = 0; i < frames; i++)
		if (has_run(fn, i))
			fn->row[fn->n++] = i;
	qsort_r(fn->row, fn->n, sizeof(*fn->row), by_self, fn);
	return true;
}

/* ---- cells ---------------------------------------------------------------------------------- */

static void put_count(const struct html_page *p, uint64_t value, const char *class)
{
	html_cell(p->f, class, value, value);
	html_bar(p->f, value, p->total[0]);
}

static void put_name(const struct html_page *p, uint32_t frame)
{
	const struct html_anchor *to =
		frame < p->r->t.nfunctions ? &p->anchor[frame] : &(struct html_anchor){ 0 };
	char unnamed[300];
	const char *name = pmk_tree_name(&p->tree, frame, unnamed, sizeof(unnamed));

	if (to->place)
		html_cells(p->f, "!{class=\"name\" title=\"%s\"}<a href=\"#s%zu-%llx\">%.*s</a>",
			   name, to->place, (unsigned long long)to->line, NAMES, name);
	else
		html_cells(p->f, "!{class=\"name\" title=\"%s\"}%.*s", name, NAMES, name);
}

static void put_where(const struct html_page *p, uint32_t frame)
{
	const struct pmk_tables *t = &p->r->t;
	uint32_t line, file = pmk_tree_file(&p->tree, frame, &line);
	uint32_t object = frame < t->nfunctions ? t->function[frame].object : NONE;
	const char *path = file != NONE	    ? t->file[file].path
			   : object != NONE ? t->object[object].path
					    : NULL;
	char number[16] = "";

	if (file != NONE)
		snprintf(number, sizeof(number), ":%u", line);
	html_cells(p->f, "{class=\"where\" title=\"%s\"}%.40s%s", path, html_base_name(path),
		   number);
}

/* Writes the numbers of row `i`. `inclusive` is NULL for the sum of the functions that have
 * no row. */
static void put_numbers(const struct functions *fn, size_t i, const uint64_t *self,
			const uint64_t *inclusive, uint64_t calls)
{
	const struct html_page *p = fn->p;

	fprintf(p->f, "<tr class=\"%s%s\"", inclusive ? "" : "rest ", i < FIRST ? "" : "later");
	html_values(p->f, self, p->n);
	if (fn->paths && inclusive) {
		fputs(" data-i=\"", p->f);
		html_counts(p->f, inclusive, p->n);
		fputc('"', p->f);
	}
	fputc('>', p->f);
	put_count(p, self[0], " self");
	if (fn->paths) {
		put_count(p, inclusive ? inclusive[0] : 0, " incl");
		html_cell(p->f, " calls", calls, calls);
	}
}

static void put_row(const struct functions *fn, size_t i)
{
	const uint32_t frame = fn->row[i];
	const size_t at = frame * fn->p->n;

	put_numbers(fn, i, &fn->self[at], &fn->inclusive[at], fn->calls[frame]);
	put_name(fn->p, frame);
	put_where(fn->p, frame);
	fputs("</tr>\n", fn->p->f);
}

/* Write the sum of the rows that are not shown. */
static void put_rest(const struct functions *fn)
{
	const struct html_page *p = fn->p;
	uint64_t *sum = calloc(p->n, sizeof(*sum));

	for (size_t i = MOST; sum && i < fn->n; i++)
		for (size_t e = 0; e < p->n; e++)
			sum[e] += self_of(fn, fn->row[i], e);
	if (sum && fn->n > MOST) {
		put_numbers(fn, MOST, sum, NULL, 0);
		html_cells(p->f, "!%zu more functions|", fn->n - MOST);
		fputs("</tr>\n", p->f);
	}
	free(sum);
}

static void put_table(const struct functions *fn)
{
	FILE *f = fn->p->f;

	html_table_begin(f, "id=\"functions\" class=\"sortable long\" "
			    "data-filter=\"Filter by name or place\"");
	html_headings(f, "#{aria-sort=\"descending\"}Self|#{data-plain}%%");
	if (fn->paths)
		html_headings(f, "#{data-wide}With callees|#{data-plain}%%|#{data-wide}Calls");
	html_headings(f, "Function|Where");
	html_table_body(f);
	for (size_t i = 0; i < fn->n && i < MOST; i++)
		put_row(fn, i);
	put_rest(fn);
	html_table_end(f);
}

/* Writes a table with all events, for readers without a script, and for readers who want to compare
 * events. */
static void put_all(const struct functions *fn)
{
	const struct html_page *p = fn->p;
	size_t shown = fn->n < ALL ? fn->n : ALL;

	fprintf(p->f,
		"<details><summary>All events of %s%zu functions, without what they call</summary>",
		shown < fn->n ? "the first " : "", shown);
	html_table_begin(p->f, "class=\"sortable all\"");
	html_headings(p->f, "Function");
	for (size_t e = 0; e < p->n; e++)
		html_headings(p->f, "#%s", html_event(p, e));
	html_table_body(p->f);
	for (size_t i = 0; i < shown; i++) {
		fputs("<tr>", p->f);
		put_name(p, fn->row[i]);
		for (size_t e = 0; e < p->n; e++)
			html_cell(p->f, "", self_of(fn, fn->row[i], e), self_of(fn, fn->row[i], e));
		fputs("</tr>\n", p->f);
	}
	html_table_end(p->f);
	fputs("</details>\n", p->f);
}

bool html_functions(struct html_page *p)
{
	struct functions fn = { .p = p, .paths = pmk_tables_have_paths(&p->r->t) };
	bool done = arrange_functions(&fn);

	if (done) {
		fputs("<section id=\"by-function\">\n", p->f);
		html_title(p, "Functions");
		put_table(&fn);
		put_all(&fn);
		fputs("</section>\n", p->f);
	}
	free(fn.self);
	free(fn.inclusive);
	free(fn.calls);
	free(fn.row);
	return done;
}
