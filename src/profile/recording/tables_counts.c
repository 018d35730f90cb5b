// SPDX-License-Identifier: MIT
/* Adds up the counts of a recording by instruction, context and thread: see tables.h. */
#include "profile/recording/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "base/grow.h"
#include "base/message.h"
#include "base/search.h"

/* ---- counts --------------------------------------------------------------------------------- */

/* A row of `extra`. */
struct extra {
	uint32_t code, context, thread;
	int64_t cost;
};

/* A count at the present instruction, from a run or from an extra. */
struct item {
	uint64_t place;			  /* context and thread */
	const struct pmk_tables_run *run; /* NULL if the item is an extra */
	const struct pmk_tables_part *part;
	int64_t cost; /* the cost that was counted `times` times */
	uint64_t times;
};

#define EXTRAS                                                                  \
	"SELECT code, iif(cost.type IN ('integer', 'array'), " PLACE            \
	", -1), " KEY("cost") " "                                               \
			      "FROM extras LEFT JOIN json_each(costs) AS cost " \
			      "LEFT JOIN json_each(cost.value) AS at "

/* The state of adding up counts, in the order of instructions, then contexts, then threads. */
struct sums {
	const struct pmk_tables *t;
	struct load extras;
	int step; /* result of the last sqlite3_step() of `extras` */
	struct extra next;
	struct item *item;
	size_t n, room;
	bool sorted;
	size_t part; /* index of the next part */
	/* The sums for the present place. */
	uint64_t *value; /* one for each event */
	uint64_t *total; /* the sums of all places so far, for each event */
	struct pmk_tables_execution place;
};

static bool add_item(struct sums *s, uint32_t context, uint32_t thread, struct item item)
{
	if (!PMK_GROW(s->item, s->n, s->room))
		return false;
	item.place = (uint64_t)context << 32 | thread;
	s->sorted &= !s->n || s->item[s->n - 1].place <= item.place;
	s->item[s->n++] = item;
	return true;
}

static bool add_runs(struct sums *s, const struct pmk_tables_part *part)
{
	const struct pmk_tables_run *end = s->t->run + s->t->nruns;
	const struct pmk_tables_run *run =
		s->t->run + PMK_FIRST_FROM(s->t->run, s->t->nruns, block, (uint64_t)part->block);

	for (; run < end && run->block == part->block; run++)
		if (!add_item(s, run->context, run->thread,
			      (struct item){ .run = run,
					     .part = part,
					     .cost = part->cost,
					     .times = run->executions }))
			return false;
	return true;
}

static void next_extra(struct sums *s)
{
	struct load *l = &s->extras;
	const struct pmk_tables *t = s->t;

	s->next.code = PMK_TABLES_NONE;
	if (!l->s || l->what)
		return;
	s->step = sqlite3_step(l->s);
	if (s->step != SQLITE_ROW)
		return;
	s->next.code = NEEDED(l, 0, t->code, t->ncodes, "an instruction");
	s->next.cost = sqlite3_column_int64(l->s, 2);
	pmk_load_place(l, 1, &s->next.context, &s->next.thread);
}

static int by_context(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* Collect the counts at an instruction. */
static bool collect_items(struct sums *s, uint32_t code)
{
	const struct pmk_tables *t = s->t;

	s->n = 0;
	s->sorted = true;
	for (; s->part < t->nparts && t->part[s->part].code == code; s->part++)
		if (!add_runs(s, &t->part[s->part]))
			return false;
	for (; s->next.code == code && !s->extras.what; next_extra(s))
		if (!add_item(s, s->next.context, s->next.thread,
			      (struct item){ .cost = s->next.cost, .times = 1 }))
			return false;
	if (!s->sorted)
		qsort(s->item, s->n, sizeof(*s->item), by_context);
	return true;
}

static void add_costs(struct sums *s, const struct item *item)
{
	const struct pmk_tables_cost *end = s->t->cost + s->t->ncosts;
	const struct pmk_tables_cost *cost =
		s->t->cost + PMK_FIRST_FROM(s->t->cost, s->t->ncosts, cost, (uint64_t)item->cost);

	for (; cost < end && cost->cost == item->cost; cost++)
		s->value[cost->event] += item->times * cost->value;
}

/* Sum up the items of the place of item `i`. Returns the first item of the next place. */
static size_t sum_place(struct sums *s, size_t i)
{
	uint64_t place = s->item[i].place;
	size_t nevents = s->t->nevents;

	s->place.context = (uint32_t)(place >> 32);
	s->place.thread = (uint32_t)place;
	s->place.executions = s->place.taken = 0;
	memset(s->value, 0, nevents * sizeof(*s->value));
	for (; i < s->n && s->item[i].place == place; i++) {
		const struct item *item = &s->item[i];

		add_costs(s, item);
		if (!item->run)
			continue;
		s->place.executions += item->run->executions;
		if (!item->part->left)
			s->place.taken += item->run->taken;
	}
	for (size_t e = 0; e < nevents; e++)
		s->total[e] += s->value[e];
	return i;
}

/* Check that the counts of a complete recording add up to the counts of the run. */
static int totals_check(const struct pmk_tables *t, const uint64_t *total, char *msg, size_t size)
{
	for (size_t e = 0; e < t->nevents && !t->partial; e++)
		if (t->event[e].has_total && t->event[e].total != total[e])
			return pmk_message_fail(msg, size, PMK_EPARSE,
						"damaged: %s adds up to %" PRIu64 ", not to its "
						"total of %" PRIu64 "; record it again",
						t->event[e].name, total[e], t->event[e].total);
	return 0;
}

/* Call on_place() for each place. Without `with_extras`, only executions are complete. */
static int sum_up(const struct pmk_tables *t, bool with_extras,
		  int (*on_place)(void *ctx, const struct sums *s), void *ctx, char *msg,
		  size_t size)
{
	struct sums s = { .t = t, .extras.t = (struct pmk_tables *)t, .step = SQLITE_DONE };
	int err = 0;

	s.value = calloc(t->nevents + 1, 2 * sizeof(*s.value));
	s.total = s.value ? s.value + t->nevents : NULL;
	if (sqlite3_prepare_v2(t->db, with_extras ? EXTRAS "ORDER BY code" : EXTRAS "WHERE 0", -1,
			       &s.extras.s, NULL)) {
		free(s.value);
		return pmk_load_failed(t, msg, size);
	}
	next_extra(&s);
	for (uint32_t code = 0; code < t->ncodes && s.value && !err && !s.extras.what; code++) {
		s.place.code = code;
		err = collect_items(&s, code) ? 0 : PMK_ENOMEM;
		for (size_t i = 0; i < s.n && !err && !s.extras.what;) {
			i = sum_place(&s, i);
			err = on_place(ctx, &s);
		}
	}
	if (!s.value || err == PMK_ENOMEM)
		err = pmk_message_no_memory(msg, size, NULL);
	err = pmk_load_finish(&s.extras, s.step, err, msg, size);
	if (!err && with_extras)
		err = totals_check(t, s.total, msg, size);
	free(s.value);
	free(s.item);
	return err;
}

/* The events that the caller of pmk_tables_counts() requested. */
struct asked {
	const uint32_t *event;
	size_t n;
	/* Index in `event` of each event, and of executions; PMK_TABLES_NONE: not requested. */
	uint32_t *slot;
	pmk_tables_on_count *on_count;
	void *ctx;
};

static int pass_counts(void *ctx, const struct sums *s)
{
	const struct asked *a = ctx;
	size_t nevents = s->t->nevents;
	int err = 0;

	for (size_t e = 0; e <= nevents && !err; e++) {
		struct pmk_tables_count row = {
			.code = s->place.code,
			.context = s->place.context,
			.thread = s->place.thread,
			.slot = a->slot[e],
			.value = e < nevents ? s->value[e] : s->place.executions,
		};

		if (row.slot != PMK_TABLES_NONE && row.value)
			err = a->on_count(a->ctx, &row);
	}
	return err;
}

int pmk_tables_counts(const struct pmk_tables *t, const uint32_t *event, size_t n,
		      pmk_tables_on_count *on_count, void *ctx, char *msg, size_t size)
{
	struct asked a = { .event = event, .n = n, .on_count = on_count, .ctx = ctx };
	int err;

	a.slot = malloc((t->nevents + 1) * sizeof(*a.slot));
	if (!a.slot)
		return pmk_message_no_memory(msg, size, NULL);
	memset(a.slot, 0xff, (t->nevents + 1) * sizeof(*a.slot));
	for (size_t i = n; i-- > 0;)
		a.slot[event[i] == PMK_TABLES_EXECUTIONS ? t->nevents : event[i]] = (uint32_t)i;
	err = sum_up(t, true, pass_counts, &a, msg, size);
	free(a.slot);
	return err;
}

struct asked_executions {
	pmk_tables_on_execution *on_execution;
	void *ctx;
};

static int pass_executions(void *ctx, const struct sums *s)
{
	const struct asked_executions *a = ctx;

	return s->place.executions || s->place.taken ? a->on_execution(a->ctx, &s->place) : 0;
}

int pmk_tables_executions(const struct pmk_tables *t, pmk_tables_on_execution *on_execution,
			  void *ctx, char *msg, size_t size)
{
	struct asked_executions a = { on_execution, ctx };

	return sum_up(t, false, pass_executions, &a, msg, size);
}
