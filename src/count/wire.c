// SPDX-License-Identifier: MIT
/*
 * Counts with the counters of a target on a wire: through OpenOCD, a stub of GDB's protocol, XVC or
 * /dev/mem.
 *
 * Counting lasts while a program such as "sleep 5" runs on the host, until --timeout, or until
 * Ctrl-C. Events that do not fit on the counters take turns. Times are the times during which the
 * target ran: pmk does not count the time in which it halts the target for accesses.
 *
 * pmk reads the counters so often that none can advance by half of its range in between, at the
 * highest rate so far. If a counter did, or may have, its count is reported as a lower bound.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/minmax.h"
#include "count/count.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <pmk/ahbmon.h>

#include "count/program.h"
#include "count/wired.h"
#include "producer/linux/linux.h"
#include "profile/elf.h"

#define FIRST_POLL 0.02 /* seconds; used until rates are known */
#define MOST_POLL  1.0
#define LOOK	   0.001 /* how often to check whether the target is halted at a breakpoint */

/* A set of events that have the counters at the same time. */
struct turn {
	struct pmk_plan plan;
	unsigned event[PMK_MAX_EVENTS]; /* the index in the request of each event of the plan */
	uint64_t seen[PMK_MAX_EVENTS];	/* totals of the session at the last reading */
	/* Seconds in which this turn had the counters, up to the last reading. */
	double running;
};

/* The state of one event. */
struct tally {
	uint64_t value;
	double rate; /* highest rate so far, occurrences per second */
	bool wrapped;
	unsigned turn;
	struct pmk_linux_value last; /* value at the end of the last interval */
};

struct on_wire {
	struct pmk_wired wired;
	char *path; /* path of the program, or NULL */
	struct turn *turn;
	unsigned nturns, now; /* `now`: the turn that has the counters */
	struct pmk_session session;
	struct tally tally[PMK_MAX_EVENTS];
	bool counting; /* the session has been started */
	double began;  /* on the host's clock */
	/* On the target's clock: the start of counting, and the last reading. */
	double first, read_at;
	double turn_since; /* when this turn got the counters */
	/* On the host's clock: the time of the last reading, and the longest time between two
	 * readings. */
	double host_read_at, worst_poll;
	double poll_seconds; /* interval between readings */
	/* how many halves of its range the fastest counter counts per second */
	double fastest;
	bool timed_out, failed;
	/* The AHB Monitor's counter of enabled cycles at the start, and whether it has changed
	 * since. */
	uint64_t first_cycles;
	bool alive;
	/* For --from and --to: their addresses, whether the target runs to --to (`inside`) or to
	 * --from, and how often it reached each address. */
	bool windowed, inside;
	uint64_t from, to;
	unsigned entries, exits;
};

/* ---- the request ----------------------------------------------------------------------------- */

static const struct pmk_speaker *speaker_of(const struct pmk_count *c)
{
	return c->q.target.way == &pmk_way_gdb	    ? &pmk_speaker_gdb
	       : c->q.target.way == &pmk_way_xvc    ? &pmk_speaker_xvc
	       : c->q.target.way == &pmk_way_devmem ? &pmk_speaker_devmem
						    : &pmk_speaker_openocd;
}

static int check_settings(struct pmk_count *c)
{
	const struct pmk_request *q = &c->q;

	if (!q->target.where)
		return pmk_count_refuse(&c->fault, "`target` %s: expected %s:%s",
					q->target.way->name, q->target.way->name,
					q->target.way->where);
	if (q->run.times > 1 || q->scope.per_core || q->counted.nothing || q->counted.detailed ||
	    q->scope.regions.count)
		return pmk_count_refuse(
			&c->fault,
			"`target` %s counts a board once and as a whole; it cannot be combined "
			"with `repeat`, `no-aggr`, `null`, `detailed` or `region`",
			q->target.way->name);
	return pmk_request_check_ms(c);
}

static const char *not_counted_because(const struct pmk_count *c,
				       const struct pmk_event_request *req)
{
	(void)c;
	if (req->user != req->kernel)
		return "counting over a wire does not distinguish privileged and user mode";
	return NULL;
}

static int default_events(struct pmk_count *c)
{
	char list[512];
	size_t n;

	if (!c->pmu->defaults)
		return pmk_event_list_parse(&c->events, c->pmu, "all");
	n = (size_t)snprintf(list, sizeof(list), "%s", c->pmu->defaults);
	for (size_t i = 0; i < n && i < sizeof(list); i++)
		if (list[i] == ' ')
			list[i] = ',';
	return pmk_event_list_parse(&c->events, c->pmu, list);
}

/* Make a turn of each pass of the plan. */
static int make_turns(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	struct pmk_plan *plan = calloc(1, sizeof(*plan));
	unsigned event_of[PMK_MAX_EVENTS];
	int err;

	if (!plan)
		return pmk_count_no_memory(&c->fault);
	err = pmk_choose_plan(c, not_counted_because, plan, event_of);
	o->nturns = plan->npasses;
	o->turn = err ? NULL : calloc(o->nturns + 1, sizeof(*o->turn));
	if (!err && !o->turn)
		err = pmk_count_no_memory(&c->fault);
	for (unsigned i = 0; !err && i < plan->nevents; i++) {
		struct turn *t = &o->turn[plan->event[i].pass];

		o->tally[event_of[i]].turn = plan->event[i].pass;
		t->event[t->plan.nevents] = event_of[i];
		t->plan.event[t->plan.nevents] = plan->event[i];
		t->plan.event[t->plan.nevents++].pass = 0;
		t->plan.npasses = 1;
	}
	c->result.passes = o->nturns;
	free(plan);
	return err;
}

static int find_symbol(struct pmk_count *c, const char *name, uint64_t *address)
{
	const struct on_wire *o = c->state;
	const char *elf = o->wired.set.elf;
	char msg[512];

	if (!*elf && (name[0] != '0' || (name[1] | 0x20) != 'x'))
		return pmk_count_refuse(&c->fault,
					"'%s': name the program that the target runs with `set` "
					"elf=FILE, or give an address such as 0x8000",
					name);
	if (pmk_elf_symbol(elf, name, address, msg, sizeof(msg)))
		return pmk_count_refuse(&c->fault, "'%s' in %s: %s", name, elf, msg);
	return 0;
}

/* Choose the addresses of --from and --to. Counting starts at one breakpoint and stops at the
 * other. */
static int choose_window(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	int err;

	o->windowed = c->q.scope.from != NULL;
	if (!o->windowed)
		return 0;
	if (o->wired.reach == PMK_REACH_MDM)
		return pmk_count_refuse(
			&c->fault,
			"`from` and `to` need breakpoints, but pmk only scans the debug module of "
			"a MicroBlaze and never halts the processor");
	err = find_symbol(c, c->q.scope.from, &o->from);
	if (!err)
		err = find_symbol(c, c->q.scope.to, &o->to);
	if (!err && o->from == o->to)
		err = pmk_count_refuse(&c->fault,
				       "`from` and `to` are the same address, 0x%" PRIx64, o->from);
	if (!err && o->nturns > 1)
		err = pmk_count_refuse(
			&c->fault,
			"`from` and `to`: the counters would need %u sets of these events, and "
			"sets cannot take turns here; request fewer events",
			o->nturns);
	return err;
}

static int choose_events(struct pmk_count *c)
{
	const char *data = c->q.core.layout ? "" : pmk_count_data(c);
	int err = data ? check_settings(c) : PMK_COUNT_FAILED;
	struct on_wire *o;

	if (err)
		return err;
	c->state = o = calloc(1, sizeof(*o));
	if (!o)
		return pmk_count_no_memory(&c->fault);
	o->wired.wire.link.fd = -1;
	err = pmk_wired_choose(&o->wired,
			       &(struct pmk_wired_request){ .speaker = speaker_of(c),
							    .where = c->q.target.where,
							    .pmu = c->q.core.pmu,
							    .overrides = &c->q.core.set,
							    .layout = c->q.core.layout,
							    .data = data },
			       &c->fault);
	c->pmu = o->wired.pmu;
	if (!err && c->q.program.command[0])
		err = pmk_program_find(c->q.program.command[0], &o->path, &c->fault);
	c->program = o->path;
	if (!err)
		err = pmk_choose_events(c, default_events, NULL, false);
	if (!err)
		err = make_turns(c);
	return err ? err : choose_window(c);
}

static void free_wire(struct pmk_count *c)
{
	struct on_wire *o = c->state;

	pmk_wired_close(&o->wired);
	free(o->turn);
	free(o->path);
	free(o);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* End counting because an access failed. The counts so far are kept. */
static int give_up(struct pmk_count *c, int err)
{
	struct on_wire *o = c->state;

	if (!o->failed)
		pmk_count_warn(c, "%s; the counts end at the last reading",
			       pmk_wired_why(&o->wired, err));
	o->failed = true;
	o->counting = false;
	return err;
}

static int read_enabled_cycles(struct pmk_count *c, uint64_t *cycles)
{
	struct on_wire *o = c->state;

	return c->pmu->driver->read(&o->session.pass[0].dev, PMK_AHBMON_TOTAL_CYCLES_EN, cycles);
}

/* Give the counters to this turn. If accesses need a halted target, the caller has halted it. */
static int begin_turn(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	struct turn *t = &o->turn[o->now];
	int err = pmk_session_open(&o->session, c->pmu, &t->plan, &o->wired.port);

	if (!err)
		err = pmk_session_start(&o->session);
	if (!err && !o->alive && c->pmu->driver == pmk_ahbmon.driver)
		err = read_enabled_cycles(c, &o->first_cycles);
	if (err)
		return err;
	memset(t->seen, 0, sizeof(t->seen));
	o->turn_since = o->read_at = pmk_wire_clock(&o->wired.wire);
	o->host_read_at = pmk_seconds();
	return 0;
}

/*
 * Update the highest rate of an event that occurred `more` times in `seconds`. If the counter may
 * have passed half of its range, the number of wraps is not known.
 */
static void judge_range(struct on_wire *o, struct tally *t, uint64_t range, uint64_t more,
			double seconds)
{
	double half = (double)range / 2, most = t->rate * seconds;

	if ((double)more > half || most > half)
		t->wrapped = true;
	if (seconds > 0 && (double)more / seconds > t->rate)
		t->rate = (double)more / seconds;
	if (t->rate / half > o->fastest)
		o->fastest = t->rate / half;
}

/*
 * The first wait before pmk checks again whether a monitor counts. Each further wait is twice as
 * long.
 */
#define FIRST_LOOK_MS 10
#define PATIENCE_MS   1000 /* total of these waits */

static int let_run(struct pmk_wire *wire, unsigned ms)
{
	const struct timespec while_ = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	int err = pmk_wire_let_go(wire);

	if (!err)
		nanosleep(&while_, NULL);
	return err ? err : pmk_wire_hold(wire);
}

/*
 * Make sure that there is an AHB Monitor and not memory. Memory also keeps the bit that enables the
 * counters, so only the counter of enabled cycles shows the difference: it must change. An emulator
 * that gets no processor time, or a slow probe, may need a second for that.
 */
static int check_monitor(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	uint64_t cycles;
	int err = 0;

	/* With --from, the counters are stopped until the target reaches that address. */
	if (o->alive || o->windowed || c->pmu->driver != pmk_ahbmon.driver)
		return 0;
	for (unsigned waited = 0, ms = FIRST_LOOK_MS;; waited += ms, ms *= 2) {
		if (!err)
			err = read_enabled_cycles(c, &cycles);
		o->alive = !err && cycles != o->first_cycles;
		if (err || o->alive || waited >= PATIENCE_MS)
			break;
		err = let_run(&o->wired.wire, ms);
	}
	return err || o->alive
		       ? err
		       : pmk_link_fail(&o->wired.wire.link, PMK_EIO,
				       "no AHB Monitor counts at 0x%" PRIx64
				       ": its counter of enabled cycles does not count; pmk "
				       "doctor -T says more",
				       o->wired.set.base);
}

static int read_counters(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	struct turn *t = &o->turn[o->now];
	uint64_t totals[PMK_MAX_EVENTS];
	double now, host, since, gap;
	int err = pmk_session_read(&o->session, totals);

	if (err)
		return err;
	now = pmk_wire_clock(&o->wired.wire);
	host = pmk_seconds();
	gap = host - o->host_read_at;
	since = now - o->read_at;
	for (unsigned k = 0; k < t->plan.nevents; k++) {
		struct tally *event = &o->tally[t->event[k]];

		judge_range(o, event, pmk_pmu_range(c->pmu, t->plan.event[k].code),
			    totals[k] - t->seen[k], since);
		event->wrapped |= pmk_session_wrapped(&o->session, k);
		event->value += totals[k] - t->seen[k];
		t->seen[k] = totals[k];
	}
	t->running += since;
	o->read_at = now;
	o->host_read_at = host;
	if (gap > o->worst_poll)
		o->worst_poll = gap;
	/* Read as often as the fastest counter counts a quarter of its range, which leaves room
	 * for a late reading. */
	o->poll_seconds = o->fastest > 0 ? pmk_min(MOST_POLL, 0.5 / o->fastest) : MOST_POLL;
	return 0;
}

/* Let the target run from the address where it is halted to the other address: counting begins at
 * one and ends at the other. With one breakpoint at a time, pmk never has to step over one. */
static int run_between(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	struct pmk_wire *wire = &o->wired.wire;
	int err = wire->speaker->breakpoint(wire, o->inside ? o->to : o->from, false);

	if (!err && o->inside)
		err = pmk_session_stop(&o->session);
	if (!err && o->inside)
		err = read_counters(c);
	if (!err && !o->inside)
		err = begin_turn(c);
	o->inside = !o->inside;
	o->counting = o->inside && o->nturns != 0;
	o->entries += o->inside;
	o->exits += !o->inside;
	if (!err)
		err = wire->speaker->breakpoint(wire, o->inside ? o->to : o->from, true);
	if (!err)
		err = pmk_wire_let_go(wire);
	return err ? give_up(c, err) : 0;
}

/* Read the counters, and give them to the next turn if `next` is true. The target is halted
 * meanwhile. */
static int serve_turn(struct pmk_count *c, bool next)
{
	struct on_wire *o = c->state;
	struct pmk_wire *wire = &o->wired.wire;
	int err = pmk_wire_hold(wire);

	if (!err && o->windowed && wire->stopped)
		return run_between(c);
	if (!err)
		err = check_monitor(c);
	if (!err && next)
		err = pmk_session_stop(&o->session);
	if (!err)
		err = read_counters(c);
	if (!err && next) {
		o->now = (o->now + 1) % o->nturns;
		err = begin_turn(c);
	}
	if (!err)
		err = pmk_wire_let_go(wire);
	return err ? give_up(c, err) : 0;
}

/* Returns the event of a turn that the hardware lacks, as the user typed it. NULL: the error has
 * another reason. */
static const char *missing_event(struct pmk_count *c, int err)
{
	struct on_wire *o = c->state;
	struct pmk_dev *dev = &o->session.pass[0].dev;

	for (unsigned i = 0; err == PMK_ENOTSUP && i < o->turn[o->now].plan.nevents; i++) {
		const struct pmk_plan_event *e = &o->turn[o->now].plan.event[i];

		if (c->pmu->driver->program(dev, e->counter, e->code) == PMK_ENOTSUP)
			return c->events.item[o->turn[o->now].event[i]].name;
	}
	return NULL;
}

/* Try every turn once, so that none fails later, and begin with the first. */
static int begin_turns(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	const char *name;
	int err = 0;

	o->now = o->nturns;
	while (!err && o->now) {
		o->now--;
		err = begin_turn(c);
		if (!err && o->now)
			err = pmk_session_stop(&o->session);
	}
	name = missing_event(c, err);
	if (name)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
				      "event '%s': the %s of this target does not count it; leave "
				      "it out",
				      name, c->pmu->name);
	return err ? pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s: %s", c->pmu->name,
				    pmk_wired_why(&o->wired, err))
		   : 0;
}

/* Check that there are counters: without them, writes have no effect, or all bits read as ones. */
static int find_counters(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	const struct pmk_plan *plan = &o->turn[0].plan;
	struct pmk_dev *dev = &o->session.pass[0].dev;
	bool running = true, ones = true;
	uint64_t value;
	int err;

	/* This cannot be checked on a MicroBlaze. */
	if (!plan->nevents || o->wired.reach == PMK_REACH_MDM || o->wired.reach == PMK_REACH_AXI)
		return 0;
	err = c->pmu->driver->running(dev, &running);
	for (unsigned i = 0; !err && i < plan->nevents; i++) {
		err = c->pmu->driver->read(dev, plan->event[i].counter, &value);
		ones &= value == pmk_pmu_range(c->pmu, plan->event[i].code);
	}
	if (err)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s: %s", c->pmu->name,
				      pmk_wired_why(&o->wired, err));
	if (running && !ones)
		return 0;
	return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
			      "%s: %s; pmk doctor -T checks each "
			      "step",
			      c->pmu->name,
			      ones ? "every counter reads as ones: no device responds"
				   : "its counters were started, but do not run");
}

/* Stop the counters until the target reaches --from. The turns have been tried before. */
static int await_window(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	struct pmk_wire *wire = &o->wired.wire;
	int err;

	wire->halts = true; /* for breakpoints, even if memory accesses do not need it */
	err = pmk_wire_hold(wire);
	o->counting = false;
	if (!err && o->nturns)
		err = pmk_session_stop(&o->session);
	return err ? err : wire->speaker->breakpoint(wire, o->from, true);
}

static int start_counting(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	int err = begin_turns(c);

	if (!err)
		err = find_counters(c);
	if (err)
		return err;
	o->first = o->read_at = pmk_wire_clock(&o->wired.wire);
	o->turn_since = o->first;
	o->counting = o->nturns != 0;
	if (o->windowed)
		err = await_window(c);
	if (!err)
		err = pmk_wire_let_go(&o->wired.wire);
	o->began = o->host_read_at = pmk_seconds();
	o->poll_seconds = FIRST_POLL;
	return err ? pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s: %s", c->pmu->name,
				    pmk_wired_why(&o->wired, err))
		   : 0;
}

/* Leave the counters stopped, and restore the target. */
static void stop_counting(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	struct pmk_wire *wire = &o->wired.wire;
	int err = 0;

	if (o->counting || (o->windowed && !pmk_wire_lost(wire)))
		err = pmk_wire_hold(wire);
	if (!err && o->windowed && !pmk_wire_lost(wire))
		err = wire->speaker->breakpoint(wire, o->inside ? o->to : o->from, false);
	if (!err && o->counting)
		err = check_monitor(c);
	if (!err && o->counting)
		err = pmk_session_stop(&o->session);
	if (!err && o->counting)
		err = read_counters(c);
	if (err)
		give_up(c, err);
	o->counting = false;
	pmk_wired_close(&o->wired);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t nanoseconds_of(double seconds)
{
	return seconds > 0 ? (uint64_t)(seconds * 1e9) : 0;
}

/* Returns the count of event i so far. A single turn has the counters all the time. */
static struct pmk_linux_value value_of(const struct on_wire *o, unsigned i)
{
	const struct tally *t = &o->tally[i];
	double running = o->turn[t->turn].running;

	return (struct pmk_linux_value){
		.value = t->value,
		.enabled_ns = nanoseconds_of(o->nturns > 1 ? o->read_at - o->first : running),
		.running_ns = nanoseconds_of(running),
	};
}

#define WRAPPED                                                                         \
	"its counter may have wrapped unseen, because it was read too seldom: a lower " \
	"bound"

static void fill_row(const struct pmk_count *c, unsigned i, uint64_t value, uint64_t enabled,
		     uint64_t running, struct pmk_row *row)
{
	const struct on_wire *o = c->state;

	pmk_choose_row(c, i, running == enabled ? PMK_TRUST_MEASURED : PMK_TRUST_SCALED, row);
	row->value = value;
	row->runtime_ns = running;
	row->coverage = enabled ? (double)running / (double)enabled : 0;
	if (row->reason)
		return;
	if (!running) {
		row->trust = PMK_TRUST_NOT_COUNTED;
		row->reason = enabled ? "other events had the counters all the time"
				      : "the counters were not read";
	} else if (o->tally[i].wrapped) {
		row->trust = PMK_TRUST_WRAPPED;
		row->reason = WRAPPED;
	}
}

static int add_interval(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	struct pmk_section *s = pmk_result_add(&c->result, NULL, c->events.count);

	if (!s)
		return pmk_count_no_memory(&c->fault);
	s->interval = true;
	s->at_seconds = o->host_read_at - o->began;
	for (unsigned i = 0; i < c->events.count; i++) {
		struct pmk_linux_value now = value_of(o, i), *last = &o->tally[i].last;

		fill_row(c, i, pmk_linux_since(last, &now), now.enabled_ns - last->enabled_ns,
			 now.running_ns - last->running_ns, &s->rows[i]);
		*last = now;
	}
	pmk_count_report(c);
	return 0;
}

static int finish_run(struct pmk_count *c)
{
	const struct on_wire *o = c->state;
	struct pmk_section *s;
	int err = 0;

	if (c->q.interval.unit != PMK_EVERY_NONE)
		err = add_interval(c);
	if (err || (c->q.interval.unit != PMK_EVERY_NONE && !c->q.interval.summary))
		return err;
	s = pmk_result_add(&c->result, NULL, c->events.count);
	if (!s)
		return pmk_count_no_memory(&c->fault);
	for (unsigned i = 0; i < c->events.count; i++) {
		struct pmk_linux_value v = value_of(o, i);

		fill_row(c, i, pmk_linux_scale(v.value, v.enabled_ns, v.running_ns), v.enabled_ns,
			 v.running_ns, &s->rows[i]);
	}
	pmk_count_report(c);
	return 0;
}

/* ---- running --------------------------------------------------------------------------------- */

static double turn_seconds(const struct on_wire *o)
{
	return (double)o->wired.set.turn_ms / 1000;
}

/* Check whether the target has reached the address that it runs to. */
static void check_address(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	int err = pmk_wire_look(&o->wired.wire);

	if (err)
		give_up(c, err);
	else if (o->wired.wire.stopped)
		run_between(c);
}

/* Do what is due now. A failed reading ends the run; other failures are returned. */
static int take_times(struct pmk_count *c, struct pmk_watch *w, double *interval, double end)
{
	struct on_wire *o = c->state;
	double now = pmk_seconds();
	bool next =
		o->nturns > 1 && pmk_wire_clock(&o->wired.wire) - o->turn_since >= turn_seconds(o);
	bool due = next || now >= *interval || now - o->host_read_at >= o->poll_seconds;
	int err = 0;

	if (o->windowed && !o->failed)
		check_address(c);
	if (o->counting && due)
		serve_turn(c, next);
	if (now >= *interval && !o->failed) {
		err = pmk_count_begin(c);
		if (!err)
			err = add_interval(c);
		while (*interval <= pmk_seconds())
			*interval += (double)c->q.interval.length / 1000;
	}
	if (now >= end && !o->timed_out) {
		o->timed_out = true;
		pmk_watch_end(w);
	}
	if (err || o->failed)
		pmk_watch_end(w);
	return err;
}

static double next_time(const struct on_wire *o, double interval, double end)
{
	double next = o->timed_out ? interval : pmk_min(interval, end);

	if (o->windowed)
		next = pmk_min(next, pmk_seconds() + LOOK);
	if (!o->counting)
		return next;
	if (o->nturns > 1)
		next = pmk_min(next, pmk_seconds() + turn_seconds(o) -
					     (pmk_wire_clock(&o->wired.wire) - o->turn_since));
	return pmk_min(next, o->host_read_at + o->poll_seconds);
}

static int start_run(struct pmk_count *c, struct pmk_watch *w)
{
	struct on_wire *o = c->state;
	int err = 0;

	if (o->path)
		err = pmk_child_prepare(&w->child, o->path, c->q.program.command, c->streams.fd,
					&c->ignored, &c->fault);
	if (err)
		return err;
	err = pmk_wired_connect(&o->wired, speaker_of(c), c->q.target.where, &c->fault);
	if (!err)
		err = pmk_wired_reach(&o->wired, &c->fault);
	if (!err)
		err = start_counting(c);
	if (err && o->path)
		pmk_child_abandon(&w->child);
	if (err || !o->path)
		return err;
	pmk_watch_child(w);
	return pmk_child_start(&w->child, &c->fault);
}

static int run_target(struct pmk_count *c)
{
	struct on_wire *o = c->state;
	double interval = HUGE_VAL, end = HUGE_VAL;
	struct pmk_watch w;
	int err, failed = 0;

	pmk_watch_open(&w, &c->stop);
	if (!o->path &&
	    asprintf(&c->result.command, "%s:%s", c->q.target.way->name, c->q.target.where) < 0)
		c->result.command = NULL;
	err = start_run(c, &w);
	if (c->q.interval.unit == PMK_EVERY_MS)
		interval = o->began + (double)c->q.interval.length / 1000;
	if (c->q.run.timeout_ms)
		end = o->began + (double)c->q.run.timeout_ms / 1000;
	while (!err && !pmk_watch_step(&w, next_time(o, interval, end)))
		if (!failed)
			failed = take_times(c, &w, &interval, end);
	stop_counting(c);
	c->result.runs = 1;
	if (!err && !failed && pmk_result_ran(&c->result, pmk_seconds() - o->began))
		failed = pmk_count_no_memory(&c->fault);
	c->result.exit_status = w.status;
	c->interrupted = w.signal;
	pmk_watch_reset(&w);
	return err ? err : failed;
}

/* ---- notes and warnings about the whole run -------------------------------------------------- */

/* Add facts about the readings: how they disturbed the target, and whether they were frequent
 * enough. */
static void describe_reading(struct pmk_count *c)
{
	const struct on_wire *o = c->state;
	const struct pmk_wire *w = &o->wired.wire;

	if (o->windowed && !o->entries)
		pmk_count_warn(c, "`from` %s was never reached", c->q.scope.from);
	else if (o->windowed)
		pmk_count_add_note(c, "the target reached %s, where counting begins, %u time%s",
				   c->q.scope.from, o->entries, o->entries == 1 ? "" : "s");
	if (o->entries && !o->exits)
		pmk_count_warn(c, "`to` %s was never reached: everything after %s was counted",
			       c->q.scope.to, c->q.scope.from);
	if (w->nholds)
		pmk_count_add_note(
			c,
			"the target was halted %u times to reach its counters, %.3f s in "
			"all and %.3f s at the longest; nothing was counted meanwhile",
			w->nholds, w->held_seconds, w->held_longest);
	if (o->fastest > 0)
		pmk_count_add_note(
			c,
			"the longest time between two readings was %.3f s; the fastest counter "
			"needs %.3g s for half of its range, and must be read within this time",
			o->worst_poll, 1 / o->fastest);
}

static int describe_result(struct pmk_count *c)
{
	const struct on_wire *o = c->state;

	if (asprintf(&c->result.producer, "the target at %s:%s", c->q.target.way->name,
		     c->q.target.where) < 0)
		c->result.producer = NULL;
	describe_reading(c);
	c->result.partial = o->failed;
	/* Without a program, Ctrl-C is the normal end, and the exit code says so, as in perf. */
	if (!o->path)
		c->result.exit_status = c->interrupted;
	else if (c->interrupted)
		pmk_count_warn_interrupted(c);
	/* The program ended as requested. */
	if (o->path && o->timed_out && WIFSIGNALED(c->result.exit_status))
		c->result.exit_status = 0;
	if (o->failed)
		c->result.exit_status = PMK_COUNT_FAILED << 8;
	return 0;
}

#define WAY(speaker, of, without, text)                                                  \
	{                                                                                \
		.name = speaker, .where = of, .usual = without, .brief = text,           \
		.choose = choose_events, .run = run_target, .describe = describe_result, \
		.finish = finish_run, .free = free_wire,                                 \
	}

const struct pmk_count_way pmk_way_openocd =
	WAY("openocd", "HOST:PORT", NULL,
	    "a board on a debug probe: its counters, through OpenOCD's Tcl port");
const struct pmk_count_way pmk_way_gdb =
	WAY("gdb", "HOST:PORT", NULL,
	    "a board or emulator with a GDB stub: its counters, through the stub");
const struct pmk_count_way pmk_way_xvc =
	WAY("xvc", "HOST:PORT", NULL,
	    "an FPGA on Xilinx' virtual cable: counters of its MicroBlaze, over JTAG");
const struct pmk_count_way pmk_way_devmem =
	WAY("devmem", "FILE", "/dev/mem",
	    "the board where pmk runs: its counters in memory, by /dev/mem, UIO or another file");
