// SPDX-License-Identifier: MIT
/*
 * Writes the tables of counts: contexts, costs, parts, runs and extras. Their columns of lists are
 * JSON texts.
 */
#define _GNU_SOURCE
#include "profile/recording/write.h"

#include <string.h>

#include "base/grow.h"

/* ---- lists ---------------------------------------------------------------------------------- */

#define LIST_ITEM 24 /* room for a number of 64 bits and its punctuation */

static void list_char(struct writer *w, char c)
{
	char *grown;

	if (w->nlist + LIST_ITEM >= w->list_room) {
		grown = realloc(w->list, 2 * w->list_room + 4096);
		if (!grown) {
			pmk_write_fail(w, SQLITE_NOMEM);
			return;
		}
		w->list = grown;
		w->list_room = 2 * w->list_room + 4096;
	}
	w->list[w->nlist++] = c;
}

static void list_begin(struct writer *w, const char *bracket)
{
	w->nlist = 0;
	if (*bracket)
		list_char(w, *bracket);
}

/* Append a number. This is faster than snprintf(), which reads a format: a recording can have
 * millions of numbers. */
static void list_number(struct writer *w, int64_t value)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char digit[20];
	unsigned n = 0;

	do
		digit[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		list_char(w, '-');
	while (n > 0)
		list_char(w, digit[--n]);
}

static void list_key(struct writer *w, int64_t key)
{
	list_char(w, '"');
	list_number(w, key);
	list_char(w, '"');
	list_char(w, ':');
}

/* End the list, without the comma after its last item. */
static void list_end(struct writer *w, const char *bracket)
{
	if (w->nlist && w->list[w->nlist - 1] == ',')
		w->nlist--;
	if (*bracket)
		list_char(w, *bracket);
}

/* ---- contexts and counts -------------------------------------------------------------------- */

static void write_context(struct writer *w, int64_t id, int64_t parent, int64_t function,
			  int64_t site, uint64_t calls, size_t number)
{
	static const char *const types[2][2] = { { "innnii", "iinnii" }, { "innnni", "iinnni" } };

	pmk_write_row(w, INSERT_CONTEXT, types[w->rec->sampled][id != 0], id, parent, function,
		      site, (int64_t)calls, (int64_t)number);
}

static size_t context_function(const struct writer *w, size_t i)
{
	return (size_t)w->entered[i];
}

/* Write the contexts. Those of one function have consecutive ids, so that the places where its code
 * was counted are close to each other. */
static void write_counted_contexts(struct writer *w)
{
	const struct pmk_recording *rec = w->rec;
	struct groups g;

	w->entered = calloc(rec->ncontexts + 1, sizeof(*w->entered));
	if (!w->entered) {
		pmk_write_fail(w, SQLITE_NOMEM);
		return;
	}
	for (size_t i = 1; i < rec->ncontexts; i++) {
		const struct pmk_recorded_insn *entry = pmk_write_insn_at(w, rec->context[i].entry);

		w->entered[i] = entry ? w->function[entry - rec->insn] : 0;
	}
	g = pmk_write_groups(w, rec->ncontexts, (size_t)w->nfunctions + 1, context_function, NULL);
	for (size_t id = 0; id < rec->ncontexts && !w->err; id++)
		w->context[g.item[id]] = (uint32_t)id;
	for (size_t id = 0; id < rec->ncontexts && !w->err; id++) {
		const struct pmk_recorded_context *c = &rec->context[g.item[id]];
		const struct pmk_recorded_insn *site =
			c->site ? pmk_write_insn_at(w, c->site) : NULL;

		write_context(w, (int64_t)id, w->context[c->parent], w->entered[g.item[id]],
			      site ? w->code[site - rec->insn] : 0, c->calls, g.item[id]);
		pmk_write_advance(w);
	}
	groups_free(&g);
}

/* Write a context. Samples in one function, called from one place, are on one path, regardless of
 * their position in the function. Code without a function counts as one function for its object. */
static void write_sampled_context(struct writer *w, size_t i)
{
	const struct pmk_recorded_context *c = &w->rec->context[i];
	int64_t function = i ? w->function[c->entry] : 0, parent = i ? w->context[c->parent] : 0;
	int64_t site = i && c->site != PMK_RECORDED_NO_SITE ? w->code[c->site] : 0;
	int64_t of = i && !function ? -1 - (int64_t)w->rec->insn[c->entry].object : function;
	size_t known = w->contexts.n;

	w->context[i] = pmk_write_distinct(w, &w->contexts, (int64_t[]){ parent, site, of },
					   sizeof(int64_t[3]));
	if (w->contexts.n > known)
		write_context(w, w->context[i], parent, function, site, 0, w->context[i]);
}

static void write_contexts(struct writer *w)
{
	w->context = calloc(w->rec->ncontexts + 1, sizeof(*w->context));
	if (!w->context)
		pmk_write_fail(w, SQLITE_NOMEM);
	else if (!w->rec->sampled)
		write_counted_contexts(w);
	for (size_t i = 0; w->rec->sampled && i < w->rec->ncontexts && !w->err; i++) {
		write_sampled_context(w, i);
		pmk_write_advance(w);
	}
}

static uint64_t place_of(const struct writer *w, uint32_t context, uint32_t thread)
{
	uint64_t id = context < w->rec->ncontexts ? w->context[context] : context;

	return id * w->rec->nthreads + thread;
}

/* Returns the id of a context. All numbers that are not the number of a context share one id. */
static size_t context_id(const struct writer *w, uint32_t context)
{
	return context < w->rec->ncontexts ? w->context[context] : w->rec->ncontexts;
}

static size_t run_context(const struct writer *w, size_t run)
{
	return context_id(w, w->rec->run[run].context);
}

static size_t run_thread(const struct writer *w, size_t run)
{
	return w->rec->run[run].thread;
}

static size_t run_block(const struct writer *w, size_t run)
{
	return w->rec->run[run].block;
}

static size_t extra_context(const struct writer *w, size_t extra)
{
	return context_id(w, w->rec->extra[extra].context);
}

static size_t extra_thread(const struct writer *w, size_t extra)
{
	return w->rec->extra[extra].thread;
}

static size_t extra_code(const struct writer *w, size_t extra)
{
	return (size_t)w->code[w->rec->extra[extra].insn];
}

/* The functions that return the place and the group of an item. */
struct place_keys {
	size_t (*thread)(const struct writer *w, size_t item);
	size_t (*context)(const struct writer *w, size_t item);
	size_t (*group)(const struct writer *w, size_t item);
};

/* Groups items, and sorts the items of each group by place. */
static struct groups group_places(struct writer *w, size_t n, size_t ngroups,
				  const struct place_keys *of)
{
	const struct pmk_recording *rec = w->rec;
	struct groups thread = { 0 }, context = { 0 }, g;

	if (rec->nthreads > 1)
		thread = pmk_write_groups(w, n, rec->nthreads, of->thread, NULL);
	if (rec->ncontexts > 1)
		context = pmk_write_groups(w, n, rec->ncontexts + 1, of->context, thread.item);
	g = pmk_write_groups(w, n, ngroups, of->group, context.item ? context.item : thread.item);
	groups_free(&thread);
	groups_free(&context);
	return g;
}

/* Returns the id of the cost in w->event. A new cost gets a row. */
static int64_t cost_id(struct writer *w, size_t n)
{
	size_t known = w->costs.n;
	int64_t id = (int64_t)pmk_write_distinct(w, &w->costs, w->event, n * sizeof(*w->event)) + 1;

	if (w->costs.n == known)
		return id;
	list_begin(w, "{");
	for (size_t i = 0; i < n; i++) {
		list_key(w, (int64_t)w->event[i].event);
		list_number(w, (int64_t)w->event[i].value);
		list_char(w, ',');
	}
	list_end(w, "}");
	pmk_write_row(w, INSERT_COSTS, "is", id, w->list, w->nlist);
	return id;
}

/* Returns the id of the sum of the rows of costs to which `n` counts refer, or 0 if all counts in
 * the sum are 0. */
static int64_t cost_sum(struct writer *w, const struct place_count *count, size_t n)
{
	size_t nevents = w->rec->nevents, found = 0;

	for (size_t e = 0; e < nevents; e++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += w->rec->cost[count[i].number[0] * nevents + e];
		if (sum)
			w->event[found++] = (struct cost_event){ e, sum };
	}
	return found ? cost_id(w, found) : 0;
}

/* Returns the id of a row of costs; 0 if all its counts are 0. */
static int64_t cost_of_row(struct writer *w, uint32_t row)
{
	if (!w->cost[row])
		w->cost[row] = cost_sum(w, &(struct place_count){ .number = { row } }, 1);
	return w->cost[row];
}

static void count_add(struct writer *w, struct place_count count)
{
	if (!PMK_APPEND(w->count, w->ncounts, w->count_room, count))
		pmk_write_fail(w, SQLITE_NOMEM);
}

static bool is_below(const struct place_count *x, const struct place_count *y)
{
	return x->number[0] != y->number[0] ? x->number[0] < y->number[0]
					    : x->number[1] < y->number[1];
}

/* Merge two sorted parts of the counts, which begin at `from` and `middle` and end at `end`. */
static void counts_merge(const struct place_count *from, const struct place_count *middle,
			 const struct place_count *end, struct place_count *to)
{
	const struct place_count *x = from, *y = middle;

	while (x < middle && y < end)
		*to++ = is_below(y, x) ? *y++ : *x++;
	memcpy(to, x, (size_t)(middle - x) * sizeof(*to));
	memcpy(to + (middle - x), y, (size_t)(end - y) * sizeof(*to));
}

/* Sort the counts by their numbers. Counts with equal numbers keep their order. qsort() would take
 * twice as long, because it calls a function for each comparison. */
static void counts_sort(struct writer *w)
{
	size_t n = w->ncounts;

	if (w->sorted_room < n) {
		free(w->sorted);
		w->sorted = malloc(w->count_room * sizeof(*w->sorted));
		w->sorted_room = w->sorted ? w->count_room : 0;
		if (!w->sorted) {
			pmk_write_fail(w, SQLITE_NOMEM);
			return;
		}
	}
	for (size_t width = 1; width < n; width *= 2) {
		struct place_count *from = w->count, *to = w->sorted;
		size_t room = w->count_room;

		for (size_t i = 0; i < n; i += 2 * width) {
			size_t middle = i + width < n ? i + width : n;
			size_t end = i + 2 * width < n ? i + 2 * width : n;

			counts_merge(from + i, from + middle, from + end, to + i);
		}
		w->count = to;
		w->count_room = w->sorted_room;
		w->sorted = from;
		w->sorted_room = room;
	}
}

/* Returns the number of counts from `first` on that have the same place or, if `numbers`, the same
 * numbers. */
static size_t counts_equal(const struct writer *w, size_t first, bool numbers)
{
	const struct place_count *c = &w->count[first];
	size_t n = 1;

	while (first + n < w->ncounts &&
	       (numbers ? !memcmp(c->number, c[n].number, sizeof(c->number))
			: c->place == c[n].place))
		n++;
	return n;
}

/* Write the instructions of a block, from the last one backwards. Instructions that are next to
 * each other in `code` share a row. */
static void write_parts(struct writer *w, int64_t id, const struct pmk_recorded_block *block)
{
	const struct pmk_recorded_part *last = &w->rec->part[block->first + block->nparts - 1];
	uint32_t left, n;

	for (uint32_t i = 0; i < block->nparts; i++)
		cost_of_row(w, (last - i)->cost);
	for (left = 0; left < block->nparts && !w->err; left += n, last -= n) {
		list_begin(w, "[");
		for (n = 0; left + n < block->nparts &&
			    w->code[(last - n)->insn] == w->code[last->insn] - n;
		     n++) {
			list_number(w, w->cost[(last - n)->cost]);
			list_char(w, ',');
		}
		list_end(w, "]");
		pmk_write_row(w, INSERT_PARTS, "iiis", id, (int64_t)left, w->code[last->insn],
			      w->list, w->nlist);
	}
}

/* Append the places of `n` counts to the list, as differences from `base`. */
static void list_places(struct writer *w, const struct place_count *count, size_t n, uint64_t base)
{
	if (n > 1)
		list_char(w, '[');
	for (size_t i = 0; i < n; i++) {
		list_number(w, (int64_t)(count[i].place - base));
		if (i + 1 < n)
			list_char(w, ',');
	}
	if (n > 1)
		list_char(w, ']');
}

/* Write a block with its counts, which are in w->count. Blocks with equal counts share one id. */
static void write_block(struct writer *w, const struct pmk_recorded_block *block)
{
	size_t known = w->blocks.n, n;
	int64_t id;

	counts_sort(w);
	id = (int64_t)pmk_write_distinct(w, &w->blocks, w->count, w->ncounts * sizeof(*w->count)) +
	     1;
	for (size_t i = 0; i < w->ncounts && w->blocks.n > known; i += n) {
		n = counts_equal(w, i, true);
		list_begin(w, "");
		list_places(w, &w->count[i], n, w->count[i].place);
		pmk_write_row(w, INSERT_RUNS, "iiiis", id, (int64_t)w->count[i].number[0],
			      (int64_t)w->count[i].number[1], (int64_t)w->count[i].place, w->list,
			      w->nlist);
	}
	write_parts(w, id, block);
}

/* Add up the runs at each place. The counts are sorted by place. */
static void runs_sum(struct writer *w)
{
	size_t all = w->ncounts, n;

	for (size_t i = w->ncounts = 0; i < all; i += n) {
		struct place_count sum = { w->count[i].place, { 0 } };

		for (n = 0; i + n < all && w->count[i + n].place == sum.place; n++)
			for (unsigned k = 0; k < 2; k++)
				sum.number[k] += w->count[i + n].number[k];
		if (sum.number[0] || sum.number[1])
			w->count[w->ncounts++] = sum;
	}
}

static void write_runs(struct writer *w)
{
	static const struct place_keys keys = { run_thread, run_context, run_block };
	const struct pmk_recording *rec = w->rec;
	struct groups g = group_places(w, rec->nruns, rec->nblocks, &keys);

	for (size_t b = 0; b < rec->nblocks && !w->err; b++) {
		for (size_t i = g.first[b]; i < g.first[b + 1] && !w->err; i++) {
			const struct pmk_recorded_run *run = &rec->run[g.item[i]];

			count_add(w, (struct place_count){ place_of(w, run->context, run->thread),
							   { run->executions, run->taken } });
			pmk_write_advance(w);
		}
		runs_sum(w);
		if (w->ncounts)
			write_block(w, &rec->block[b]);
		w->ncounts = 0;
	}
	groups_free(&g);
}

/* Returns the id of the sum of the rows of costs to which the `n` counts of a place refer. The same
 * two rows often occur together, so their sum is computed only once. */
static int64_t cost_of_place(struct writer *w, const struct place_count *count, size_t n)
{
	uint64_t rows = count[0].number[0] << 32 | (n == 2 ? count[1].number[0] : 0);
	uint32_t known;
	int64_t id;

	if (n == 1)
		return cost_of_row(w, (uint32_t)count[0].number[0]);
	known = n == 2 ? pmk_map_get(&w->sums, rows) : UINT32_MAX;
	if (known != UINT32_MAX)
		return known;
	id = cost_sum(w, count, n);
	if (n == 2 && pmk_map_put(&w->sums, rows, (uint32_t)id) == UINT32_MAX)
		pmk_write_fail(w, SQLITE_NOMEM);
	return id;
}

/* Add up the costs at each place, and replace each row of costs by the id of its cost. The counts
 * are sorted by place. */
static void extras_sum(struct writer *w)
{
	size_t all = w->ncounts, n;

	for (size_t i = w->ncounts = 0; i < all; i += n) {
		uint64_t place = w->count[i].place, id;

		for (n = 1; i + n < all && w->count[i + n].place == place;)
			n++;
		id = (uint64_t)cost_of_place(w, &w->count[i], n);
		if (id)
			w->count[w->ncounts++] = (struct place_count){ place, { id } };
	}
}

static void write_extras(struct writer *w)
{
	static const struct place_keys keys = { extra_thread, extra_context, extra_code };
	const struct pmk_recording *rec = w->rec;
	struct groups g = group_places(w, rec->nextras, (size_t)w->ncode + 1, &keys);
	uint64_t base;
	size_t n;

	for (size_t code = 1; code <= (size_t)w->ncode && !w->err; code++) {
		for (size_t i = g.first[code]; i < g.first[code + 1] && !w->err; i++) {
			const struct pmk_recorded_extra *extra = &rec->extra[g.item[i]];

			count_add(w,
				  (struct place_count){ place_of(w, extra->context, extra->thread),
							{ extra->cost } });
			pmk_write_advance(w);
		}
		extras_sum(w);
		if (!w->ncounts)
			continue;
		base = w->count[0].place;
		counts_sort(w);
		list_begin(w, "{");
		for (size_t i = 0; i < w->ncounts; i += n) {
			n = counts_equal(w, i, true);
			list_key(w, (int64_t)w->count[i].number[0]);
			list_places(w, &w->count[i], n, base);
			list_char(w, ',');
		}
		list_end(w, "}");
		pmk_write_row(w, INSERT_EXTRAS, "iis", (int64_t)code, (int64_t)base, w->list,
			      w->nlist);
		w->ncounts = 0;
	}
	groups_free(&g);
}

void pmk_write_counts(struct writer *w)
{
	if (!w->err)
		write_contexts(w);
	if (!w->err)
		write_runs(w);
	if (!w->err)
		write_extras(w);
}
