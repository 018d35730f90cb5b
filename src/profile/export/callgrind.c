// SPDX-License-Identifier: MIT
/*
 * The format of valgrind's callgrind, as KCachegrind and callgrind_annotate read it: a block for
 * each function. A block has a line for each instruction with its costs, the jumps that were taken
 * and, if call paths were recorded, the calls with their inclusive costs.
 *
 * Names are numbered, and written once. A position line after a jump ends with a blank, as
 * callgrind writes it: without it callgrind_annotate reads the line number as a cost.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include <pmk/error.h>

#include "base/message.h"
#include "profile/export/export.h"
#include "base/map.h"
#include "base/print.h"

/* An edge of the call graph: all calls of one function from one instruction. */
struct edge {
	uint32_t context; /* the first context of these calls */
	uint32_t next;	  /* next edge of the same instruction, or PMK_TABLES_NONE */
	uint64_t calls;
};

struct writer {
	const struct pmk_export *x;
	const struct pmk_tables *t;
	FILE *f;
	size_t n;		      /* number of events */
	uint64_t *cost;		      /* [code][event] */
	uint64_t *executions, *taken; /* [code] */
	/* [context][event]: exclusive at first, inclusive after collecting */
	uint64_t *inclusive;
	struct edge *edge;		     /* at most one for each context */
	uint32_t *first_edge;		     /* [code] */
	uint64_t *edge_cost;		     /* [edge][event] */
	uint64_t *total;		     /* [event] */
	bool *told_file, *told_fn, *told_ob; /* names that were written already */
	/* object and function of the current block, and file of the last line */
	uint32_t object, function, file;
	bool open; /* true while a block is being written */
};

/* ---- collect -------------------------------------------------------------------------------- */

static int on_count(void *ctx, const struct pmk_tables_count *row)
{
	struct writer *w = ctx;

	w->cost[row->code * w->n + row->slot] += row->value;
	w->total[row->slot] += row->value;
	if (row->context != PMK_TABLES_NONE)
		w->inclusive[row->context * w->n + row->slot] += row->value;
	return 0;
}

static int on_execution(void *ctx, const struct pmk_tables_execution *row)
{
	struct writer *w = ctx;

	w->executions[row->code] += row->executions;
	w->taken[row->code] += row->taken;
	return 0;
}

static void add_costs(const struct writer *w, uint64_t *to, const uint64_t *from)
{
	for (size_t i = 0; i < w->n; i++)
		to[i] += from[i];
}

/* Returns the number of the callee. All callees without a symbol share one number. */
static uint32_t callee_of(const struct writer *w, uint32_t context)
{
	uint32_t f = w->t->context[context].function;

	return f == PMK_TABLES_NONE ? f : w->t->function[f].same;
}

/*
 * True if the call that made `context` happened, at any depth, inside another call of the same
 * edge. The inclusive cost of the outer call already includes the inner call.
 */
static bool is_recursive(const struct writer *w, uint32_t context)
{
	const struct pmk_tables_context *c = w->t->context;

	for (uint32_t up = c[context].parent; up != PMK_TABLES_NONE; up = c[up].parent)
		if (c[up].site == c[context].site && callee_of(w, up) == callee_of(w, context))
			return true;
	return false;
}

static int collect_edges(struct writer *w)
{
	const struct pmk_tables *t = w->t;
	struct pmk_map edges = { 0 };
	uint32_t n = 0;

	/* Children come after their parents in this array. */
	for (size_t i = t->ncontexts; i-- > 0;)
		if (t->context[i].parent != PMK_TABLES_NONE)
			add_costs(w, &w->inclusive[t->context[i].parent * w->n],
				  &w->inclusive[i * w->n]);
	for (size_t i = 0; i < t->ncodes; i++)
		w->first_edge[i] = PMK_TABLES_NONE;
	for (uint32_t i = 0; i < t->ncontexts; i++) {
		uint32_t site = t->context[i].site, e;

		if (site == PMK_TABLES_NONE)
			continue;
		e = pmk_map_put(&edges, (uint64_t)site << 32 | callee_of(w, i), n);
		if (e == UINT32_MAX) {
			pmk_map_free(&edges);
			return PMK_ENOMEM;
		}
		if (e == n) {
			w->edge[n++] = (struct edge){ .context = i, .next = w->first_edge[site] };
			w->first_edge[site] = e;
		}
		w->edge[e].calls += t->context[i].calls;
		if (!is_recursive(w, i))
			add_costs(w, &w->edge_cost[e * w->n], &w->inclusive[i * w->n]);
	}
	pmk_map_free(&edges);
	return 0;
}

/* ---- write ---------------------------------------------------------------------------------- */

static void write_name(struct writer *w, const char *key, bool *told, size_t number,
		       const char *text)
{
	fprintf(w->f, "%s=(%zu)", key, number + 1);
	if (!told[number]) {
		pmk_print(w->f, " %s", text);
		told[number] = true;
	}
	fputc('\n', w->f);
}

static void object_name(struct writer *w, const char *key, uint32_t object)
{
	if (object != PMK_TABLES_NONE)
		write_name(w, key, w->told_ob, object, w->t->object[object].path);
}

static void file_name(struct writer *w, const char *key, uint32_t file)
{
	if (file == PMK_TABLES_NONE)
		write_name(w, key, w->told_file, w->t->nfiles, "???");
	else
		write_name(w, key, w->told_file, file, w->t->file[file].path);
}

/*
 * Writes the name of a function, or a name for code without a symbol. Functions have the first
 * numbers. Then come the code without a symbol in each object, and code in no object.
 */
static void function_name(struct writer *w, const char *key, uint32_t function, uint32_t object)
{
	const struct pmk_tables *t = w->t;
	size_t unnamed = t->nfunctions + (object == PMK_TABLES_NONE ? t->nobjects : object);
	char text[300];

	if (function != PMK_TABLES_NONE) {
		write_name(w, key, w->told_fn, t->function[function].same,
			   t->function[function].name);
		return;
	}
	pmk_tables_unnamed(t, object, text, sizeof(text));
	write_name(w, key, w->told_fn, unnamed, text);
}

static void write_costs(struct writer *w, const uint64_t *cost)
{
	for (size_t i = 0; i < w->n; i++)
		fprintf(w->f, " %" PRIu64, cost[i]);
	fputc('\n', w->f);
}

static uint32_t function_file(const struct writer *w, uint32_t function)
{
	return function == PMK_TABLES_NONE ? function : w->t->function[function].file;
}

static void begin_block(struct writer *w, const struct pmk_tables_code *k)
{
	if (w->open && w->object == k->object && w->function == k->function)
		return;
	fputc('\n', w->f);
	object_name(w, "ob", k->object);
	w->file = function_file(w, k->function);
	file_name(w, "fl", w->file);
	function_name(w, "fn", k->function, k->object);
	w->object = k->object;
	w->function = k->function;
	w->open = true;
}

/* Lines of inlined functions may be in other files than the block. */
static void choose_file(struct writer *w, const struct pmk_tables_code *k)
{
	if (k->file == PMK_TABLES_NONE || k->file == w->file)
		return;
	file_name(w, k->file == function_file(w, k->function) ? "fe" : "fi", k->file);
	w->file = k->file;
}

static void write_position(struct writer *w, const struct pmk_tables_code *k)
{
	fprintf(w->f, "0x%" PRIx64 " %u", k->address, k->line);
}

static void write_jump(struct writer *w, const struct pmk_tables_code *k, uint64_t executions,
		       uint64_t taken)
{
	uint32_t to = k->target ? pmk_tables_code_at(w->t, k->object, k->target) : PMK_TABLES_NONE;
	const struct pmk_tables_code *target = &w->t->code[to];

	if (to == PMK_TABLES_NONE || !taken)
		return;
	if (target->file != PMK_TABLES_NONE && target->file != w->file)
		file_name(w, "jfi", target->file);
	if (target->function != k->function)
		function_name(w, "jfn", target->function, target->object);
	if (k->conditional)
		fprintf(w->f, "jcnd=%" PRIu64 "/%" PRIu64 " ", taken, executions);
	else
		fprintf(w->f, "jump=%" PRIu64 " ", taken);
	write_position(w, target);
	fputs(" \n", w->f);
	write_position(w, k);
	fputs(" \n", w->f);
}

static void write_call(struct writer *w, const struct pmk_tables_code *k, uint32_t e)
{
	const struct pmk_tables *t = w->t;
	uint32_t f = t->context[w->edge[e].context].function;
	uint32_t object = f == PMK_TABLES_NONE ? f : t->function[f].object;

	object_name(w, "cob", object);
	file_name(w, "cfi", function_file(w, f));
	function_name(w, "cfn", f, object);
	fprintf(w->f, "calls=%" PRIu64 " 0x%" PRIx64 " %u\n", w->edge[e].calls,
		f == PMK_TABLES_NONE ? 0 : t->function[f].address,
		f == PMK_TABLES_NONE ? 0 : t->function[f].line);
	write_position(w, k);
	write_costs(w, &w->edge_cost[e * w->n]);
}

static void write_instruction(struct writer *w, const struct pmk_tables_code *k)
{
	size_t i = (size_t)(k - w->t->code);

	begin_block(w, k);
	choose_file(w, k);
	write_position(w, k);
	write_costs(w, &w->cost[i * w->n]);
	if (k->jump)
		write_jump(w, k, w->executions[i], w->taken[i]);
	for (uint32_t e = w->first_edge[i]; e != PMK_TABLES_NONE; e = w->edge[e].next)
		write_call(w, k, e);
}

static void write_document(struct writer *w)
{
	const struct pmk_tables *t = w->t;

	pmk_print(w->f,
		  "# callgrind format\nversion: 1\n"
		  "creator: %s\ncmd: %s\n"
		  "desc: Core: %s\n",
		  w->x->creator, t->command, t->core);
	for (size_t i = 0; i < w->x->nremarks; i++)
		pmk_print(w->f, "desc: %s: %s\n", w->x->remark[i].name, w->x->remark[i].text);
	fputs("\npositions: instr line\nevents:", w->f);
	for (size_t i = 0; i < w->n; i++)
		fprintf(w->f, " %s", pmk_tables_event_name(t, w->x->event[i]));
	fputc('\n', w->f);
	for (size_t i = 0; i < t->ncodes; i++)
		write_instruction(w, t->by_address[i]);
	fputs("\ntotals:", w->f);
	write_costs(w, w->total);
}

static bool allocate_arrays(struct writer *w)
{
	const struct pmk_tables *t = w->t;
	size_t n = w->n, number = sizeof(uint64_t);

	w->cost = calloc(t->ncodes * n + 1, number);
	w->executions = calloc(t->ncodes + 1, number);
	w->taken = calloc(t->ncodes + 1, number);
	w->inclusive = calloc(t->ncontexts * n + 1, number);
	w->edge = calloc(t->ncontexts + 1, sizeof(*w->edge));
	w->first_edge = calloc(t->ncodes + 1, sizeof(*w->first_edge));
	w->edge_cost = calloc(t->ncontexts * n + 1, number);
	w->total = calloc(n + 1, number);
	w->told_file = calloc(t->nfiles + 1, sizeof(bool));
	w->told_fn = calloc(t->nfunctions + t->nobjects + 1, sizeof(bool));
	w->told_ob = calloc(t->nobjects + 1, sizeof(bool));
	return w->cost && w->executions && w->taken && w->inclusive && w->edge && w->first_edge &&
	       w->edge_cost && w->total && w->told_file && w->told_fn && w->told_ob;
}

static void release_arrays(struct writer *w)
{
	free(w->cost);
	free(w->executions);
	free(w->taken);
	free(w->inclusive);
	free(w->edge);
	free(w->first_edge);
	free(w->edge_cost);
	free(w->total);
	free(w->told_file);
	free(w->told_fn);
	free(w->told_ob);
}

int pmk_export_callgrind(const struct pmk_export *x, char *msg, size_t size)
{
	struct writer w = { .x = x, .t = x->t, .f = x->f, .n = x->nevents };
	int err = 0;

	if (!allocate_arrays(&w))
		err = PMK_ENOMEM;
	if (!err)
		err = pmk_tables_counts(x->t, x->event, x->nevents, on_count, &w, msg, size);
	if (!err)
		err = pmk_tables_executions(x->t, on_execution, &w, msg, size);
	if (!err)
		err = collect_edges(&w);
	if (!err)
		write_document(&w);
	release_arrays(&w);
	if (err == PMK_ENOMEM)
		pmk_message_no_memory(msg, size, NULL);
	return err;
}
