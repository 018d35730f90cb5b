// SPDX-License-Identifier: MIT
/* Counting in emulation: which events can be counted, and whether they fit the counters. */
#include "count/emulated.h"

#include <stdio.h>

/* True if the core raises all signals that the event counts, in user or in system emulation. */
static bool is_raised(const struct pmk_core *core, bool system, const struct pmk_event *ev)
{
	struct pmk_core there = *core;
	struct pmk_signal_set raised;

	there.system = system;
	raised = pmk_emulated_raises(&there);
	return pmk_signal_in(&raised, ev->signal) &&
	       (ev->signal2 == PMK_SIG_NONE || pmk_signal_in(&raised, ev->signal2));
}

bool pmk_emulation_knows_levels(const struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_core_system *in_system = pmk_core_family(&e->prog.core)->system;

	return in_system->levels || (c->q.guest.wanted && in_system->levels_of_blocks);
}

static bool is_exception(unsigned signal)
{
	return signal == PMK_SIG_EXC_TAKEN ||
	       (signal >= PMK_SIG_EXC_UNDEF && signal <= PMK_SIG_EXC_FIQ);
}

/* Returns the reason why an event cannot be counted here, or NULL. */
static const char *not_counted_because(const struct pmk_count *c,
				       const struct pmk_event_request *req)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_core *core = &e->prog.core;
	const struct pmk_event *ev = req->event;

	bool levels = e->prog.system && pmk_emulation_knows_levels(c);

	if (req->kernel && !req->user && !levels)
		return e->prog.system ? "emulation does not distinguish privileged and user mode"
				      : "user emulation runs no kernel code";
	if (req->user && !req->kernel && e->prog.system && !levels)
		return "emulation does not distinguish privileged and user mode";
	if (!e->prog.system && ev->signal == PMK_SIG_EXC_RETURN)
		return "user emulation runs no kernel code, where exceptions return";
	if (is_raised(core, e->prog.system, ev))
		return NULL;
	if (is_raised(core, true, ev))
		return "user emulation takes no exceptions; with `qemu`, firmware does";
	if (e->prog.system && !pmk_core_family(core)->system->levels && is_exception(ev->signal))
		return "system emulation does not distinguish the exceptions of this core";
	return ev->unmodelled ? ev->unmodelled : "not modelled";
}

/* For -I in cycles, use one counter as a timer: it counts cycles and overflows at the end of each
 * interval. The PMU must be able to clear all counters at once. Such a timer does not work with
 * --from, where intervals restart at each entry into the window, and with -D, where they start
 * after the delay. */
static void use_interval_timer(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_pmu *pmu = c->pmu;

	if (e->cfg.interval_unit != PMK_INTERVAL_CYCLES || !pmu->driver->zero || c->q.scope.from ||
	    c->q.run.delay_ms)
		return;
	for (unsigned i = 0; i < pmu->nevents && !e->plan.timed; i++) {
		e->plan.timed =
			pmk_pmu_has(pmu, &pmu->events[i]) && pmu->events[i].signal == PMK_SIG_CYCLE;
		e->plan.timer_code = pmu->events[i].code;
	}
	if (e->plan.timed && e->cfg.interval > pmk_pmu_range(pmu, e->plan.timer_code)) {
		e->plan.timed = false;
		e->beyond_timer = true;
	}
}

static const struct pmk_pmu *pmu_of_event(const struct pmk_count *c, unsigned event)
{
	struct pmk_emulation *e = c->state;

	return e->plan.event[event].pmu ? e->beside : c->pmu;
}

/* True if the event fits a counter when no other event is counted. */
static bool fits_alone(const struct pmk_count *c, unsigned event)
{
	struct pmk_emulation *e = c->state;
	struct pmk_plan alone;
	uint16_t code = e->plan.event[event].code;

	if (e->plan.event[event].pmu)
		return true; /* every counter of the second PMU accepts any event */
	alone = (struct pmk_plan){
		.timed = e->plan.timed,
		.timer_code = e->plan.timer_code,
		.nevents = 1,
		.event = { { .code = code } },
	};
	return !pmk_plan_make(c->pmu, &alone);
}

/* Write into `buf` the --set that gives a MicroBlaze enough counters, because their number can be
 * chosen. The text is empty for other PMUs. */
static void more_counters(const struct pmk_count *c, bool latency, unsigned n, char *buf,
			  size_t size)
{
	struct pmk_emulation *e = c->state;
	const char *key = latency ? "debug.latency_counters" : "debug.event_counters";

	*buf = '\0';
	if (c->pmu == &e->microblaze.pmu &&
	    n <= (latency ? PMK_MICROBLAZE_MAX_LATENCIES : PMK_MICROBLAZE_MAX_EVENTS))
		snprintf(buf, size, ", or `set` %s=%u", key, n);
}

/* Counters of one kind with selectable events: the number in the PMU, and the number that a group
 * needs at once. */
struct need {
	unsigned there, wanted;
};

/* Set the number of counters that the events of a group need: [0] event counters, [1] latency
 * counters. An event with a fixed counter needs none. */
static void group_needs(const struct pmk_count *c, unsigned event, struct need needs[2])
{
	struct pmk_emulation *e = c->state;
	const struct pmk_pmu *pmu = pmu_of_event(c, event);
	uint8_t group = e->plan.event[event].group;
	struct pmk_counter_set used = { { 0 } };

	needs[0] = needs[1] = (struct need){ 0 };
	for (unsigned k = 0; k < pmu->ncounters; k++)
		if (pmu->counters[k].fixed_code < 0)
			needs[pmu->counters[k].extreme_width != 0].there++;
	for (unsigned i = 0; i < e->plan.nevents; i++) {
		const struct pmk_event *ev = c->events.item[e->event_of[i]].event;
		int free_one;

		if (e->plan.event[i].group != group)
			continue;
		free_one = pmk_pmu_free_counter(pmu, &used, ev->code);
		if (free_one >= 0)
			pmk_counter_add(&used, (unsigned)free_one);
		if (free_one < 0 || pmu->counters[free_one].fixed_code < 0)
			needs[ev->latency && pmk_pmu_times_latencies(pmu)].wanted++;
	}
}

static int group_too_large(struct pmk_count *c, unsigned event, bool latency, struct need need)
{
	struct pmk_emulation *e = c->state;
	bool timer = e->plan.timed && !latency;
	char more[64];

	more_counters(c, latency, need.wanted + timer, more, sizeof(more));
	return pmk_count_refuse(&c->fault,
				"the group {%s,...} needs %u %s counters at a time, but %s has "
				"%u%s; leave out the braces to count in several passes%s",
				c->events.item[e->event_of[event]].name, need.wanted,
				latency ? "latency" : "event", pmu_of_event(c, event)->name,
				need.there, timer ? ", one of them for `interval`" : "", more);
}

static int event_without_counter(struct pmk_count *c, unsigned event)
{
	struct pmk_emulation *e = c->state;
	bool timed = e->plan.timed;
	char more[64];

	more_counters(c, false, 1 + timed, more, sizeof(more));
	return pmk_count_refuse(&c->fault,
				"%s has no event counter for %s%s; request other events%s%s",
				c->pmu->name, c->events.item[e->event_of[event]].name,
				timed ? " in addition to that of `interval`" : "",
				timed ? ", or give `interval` in insns" : "", more);
}

/* Fail for the first event or group that does not fit the counters. The message says what it needs,
 * what the PMU has, and a remedy. */
static int no_counter(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	for (unsigned i = 0; i < e->plan.nevents; i++) {
		struct need needs[2];

		if (!fits_alone(c, i))
			return event_without_counter(c, i);
		if (!e->plan.event[i].group)
			continue;
		group_needs(c, i, needs);
		if (needs[0].wanted + e->plan.timed > needs[0].there)
			return group_too_large(c, i, false, needs[0]);
		if (needs[1].wanted > needs[1].there)
			return group_too_large(c, i, true, needs[1]);
	}
	return pmk_count_refuse(&c->fault, "these events do not fit the counters of %s%s%s",
				c->pmu->name, e->beside ? " and " : "",
				e->beside ? e->beside->name : "");
}

/* Check that the events of a group belong to one PMU, because they share a pass and a pass uses one
 * PMU. */
static int check_group(struct pmk_count *c, unsigned i)
{
	const struct pmk_emulation *e = c->state;
	const struct pmk_plan_event *event = &e->plan.event[i];

	for (unsigned k = 0; event->group && k < i; k++)
		if (e->plan.event[k].group == event->group && e->plan.event[k].pmu != event->pmu)
			return pmk_count_refuse(
				&c->fault,
				"the group {%s,...} has events of %s and of %s; leave out the "
				"braces to count them in the same run",
				c->events.item[e->event_of[k]].name, c->pmu->name, e->beside->name);
	return 0;
}

int pmk_emulation_plan(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	int err = 0;

	pmk_choose_countable(c, not_counted_because, &e->plan, e->event_of);
	for (unsigned i = 0; !err && i < e->plan.nevents; i++)
		err = check_group(c, i);
	if (err)
		return err;
	use_interval_timer(c);
	err = pmk_pmu_pair_plan((const struct pmk_pmu *const[]){ c->pmu, e->beside }, &e->plan);
	if (err == PMK_ENOCTR)
		return no_counter(c);
	if (err == PMK_ERANGE)
		return pmk_count_refuse(
			&c->fault,
			"these events take more than %d passes on the counters of %s; count fewer "
			"of them%s",
			PMK_MAX_PASSES, c->pmu->name,
			c->pmu == &e->microblaze.pmu
				? ", or give it more counters: `set` debug.event_counters=N"
				: "");
	if (err)
		return pmk_count_refuse(&c->fault, "these events do not fit %s: %s", c->pmu->name,
					pmk_strerror(err));
	return 0;
}
