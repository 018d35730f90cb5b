// SPDX-License-Identifier: MIT
/* Functions that all ways to count share: they choose the events and metrics, put events into the
 * plan, and fill the first members of a row. */
#include "count/count.h"

#include <stdio.h>
#include <string.h>

#include <pmk/ahbmon.h>

#include "count/amba.h"
#include "pmu/ahbmon/layers.h"

const struct pmk_layers *pmk_count_layers(const struct pmk_pmu *pmu)
{
	if (!pmu)
		return NULL;
	return pmu->driver == pmk_ahbmon.driver ? &pmk_ahbmon_layers : pmk_amba_layers(pmu);
}

/* Add the events that the metrics of -M need. */
static int metric_events(struct pmk_count *c)
{
	for (unsigned i = 0; i < c->metrics.count; i++) {
		const struct pmk_metric *m = c->metrics.item[i];

		for (const char *const *e = m->events; *e; e++) {
			const struct pmk_event *ev = pmk_pmu_event(c->pmu, *e);
			int err;

			if (!ev)
				return pmk_count_refuse(
					&c->fault,
					"metric %s needs event %s, which %s does not have; "
					"leave this metric out",
					m->name, *e, c->pmu->name);
			err = pmk_event_list_add(&c->events, ev, ev->name);
			if (err)
				return err;
		}
	}
	return 0;
}

static bool is_listed(const void *list, const struct pmk_event *ev)
{
	return pmk_event_list_find(list, ev) != NULL;
}

static int named_metrics(struct pmk_count *c)
{
	const struct pmk_metrics *all = pmk_count_all_metrics(c);

	return all ? pmk_metric_list_named(&c->metrics, all, &c->q.counted.metrics, &c->fault)
		   : PMK_COUNT_FAILED;
}

/* Choose all metrics that can be computed from the events, if the user named none. */
static int fitting_metrics(struct pmk_count *c, bool has_clock)
{
	const struct pmk_metrics *all = pmk_count_all_metrics(c);

	if (all)
		pmk_metric_list_fitting(&c->metrics, all, c->pmu, has_clock, is_listed, &c->events);
	return all ? 0 : PMK_COUNT_FAILED;
}

static int add_watched(struct pmk_count *c, const struct pmk_event *const *ev,
		       bool (*watched)(const struct pmk_count *c, const struct pmk_event *ev))
{
	int err = 0;

	for (; !err && *ev; ev++)
		if (watched(c, *ev))
			err = pmk_event_list_add(&c->events, *ev, (*ev)->name);
	return err;
}

/* Add the events that --bars draws. */
static int bar_events(struct pmk_count *c,
		      bool (*watched)(const struct pmk_count *c, const struct pmk_event *ev))
{
	const struct pmk_layers *layers = pmk_count_layers(c->pmu);
	bool timed = watched && !layers && pmk_pmu_times_latencies(c->pmu);
	int err;

	if (timed && c->q.interval.unit != PMK_EVERY_NONE)
		return 0;
	if (timed)
		return pmk_count_refuse(&c->fault,
					"`bars`: %s has no layers of a bus to draw; with "
					"`interval` the trend of its latencies is drawn",
					c->pmu->name);
	if (!watched || !layers)
		return pmk_count_refuse(
			&c->fault,
			"`bars` draws the layers of a bus, and %s has none; use `pmu` ahbmon",
			watched ? c->pmu->name : "`target` linux");
	err = add_watched(c, (const struct pmk_event *const[]){ layers->cycles, NULL }, watched);
	for (unsigned i = 0; !err && i < layers->n; i++) {
		const struct pmk_layer *l = &layers->layer[i];

		err = add_watched(c, l->transfer, watched);
		if (!err)
			err = add_watched(c, l->burst, watched);
		if (!err)
			err = add_watched(c, l->wait, watched);
		if (!err)
			err = add_watched(
				c, (const struct pmk_event *const[]){ l->slave, l->bus, NULL },
				watched);
	}
	return err;
}

/* The events that perf adds for -d, -dd and -ddd. */
static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
	 "iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Add the named events that the PMU has; a model lacks many of them. On this machine, add all named
 * events, because the kernel decides which of them it can count. */
static int detailed_events(struct pmk_count *c, const char *names)
{
	char name[64];
	int err = 0;

	if (c->q.target.way == &pmk_way_machine)
		return pmk_event_list_parse(&c->events, c->pmu, names);
	while (!err && *names) {
		size_t n = strcspn(names, ",");
		const struct pmk_event *ev;

		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		ev = pmk_pmu_event(c->pmu, name);
		if (ev && pmk_pmu_range(c->pmu, ev->code))
			err = pmk_event_list_add(&c->events, ev, ev->name);
		names += n + (names[n] == ',');
	}
	return err;
}

int pmk_choose_events(struct pmk_count *c, int (*defaults)(struct pmk_count *c),
		      bool (*watched)(const struct pmk_count *c, const struct pmk_event *ev),
		      bool has_clock)
{
	unsigned nmetrics = c->q.counted.metrics.count;
	int err = 0;

	if (c->q.counted.nothing)
		return 0;
	for (unsigned i = 0; !err && i < c->q.counted.events.count; i++)
		err = pmk_event_list_parse(&c->events, c->pmu, c->q.counted.events.word[i]);
	if (!err && !c->q.counted.events.count && !nmetrics)
		err = defaults(c);
	for (unsigned i = 0; !err && i < sizeof(details) / sizeof(details[0]); i++)
		if (i < c->q.counted.detailed)
			err = detailed_events(c, details[i]);
	if (!err && nmetrics)
		err = named_metrics(c);
	if (!err)
		err = metric_events(c);
	if (!err && c->q.counted.bars)
		err = bar_events(c, watched);
	if (!err && !nmetrics)
		err = fitting_metrics(c, has_clock);
	return err;
}

void pmk_choose_countable(struct pmk_count *c, pmk_not_counted_fn *because, struct pmk_plan *plan,
			  unsigned event_of[PMK_MAX_EVENTS])
{
	for (unsigned i = 0; i < c->events.count; i++) {
		const struct pmk_event_request *req = &c->events.item[i];

		c->reason[i] = because(c, req);
		if (c->reason[i])
			continue;
		event_of[plan->nevents] = i;
		plan->event[plan->nevents++] = (struct pmk_plan_event){
			.code = req->event->code,
			.group = (uint8_t)req->group,
			.pmu = req->how != NULL,
		};
	}
}

int pmk_choose_plan(struct pmk_count *c, pmk_not_counted_fn *because, struct pmk_plan *plan,
		    unsigned event_of[PMK_MAX_EVENTS])
{
	int err;

	pmk_choose_countable(c, because, plan, event_of);
	err = pmk_plan_make(c->pmu, plan);
	return err ? pmk_count_refuse(&c->fault, "these events do not fit %s: %s", c->pmu->name,
				      pmk_strerror(err))
		   : 0;
}

void pmk_choose_row(const struct pmk_count *c, unsigned i, enum pmk_trust trust,
		    struct pmk_row *row)
{
	const struct pmk_event_request *req = &c->events.item[i];

	*row = (struct pmk_row){
		.event = req->event,
		.name = req->name,
		.group = req->group,
		.coverage = 1.0,
		.reason = c->reason[i],
		.trust = c->reason[i] ? PMK_TRUST_NOT_SUPPORTED : trust,
	};
}
