// SPDX-License-Identifier: MIT
/* Counting on the signals of a dump, second part: the sections of the result, and warnings. */
#define _GNU_SOURCE
#include "count/wave.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- bursts that no counter counts ----------------------------------------------------------- */

static bool is_burst_of(const struct pmk_layer *layer, const struct pmk_event *ev)
{
	for (unsigned i = 0; layer->burst[i]; i++)
		if (layer->burst[i] == ev)
			return true;
	return false;
}

/* Facts about the bursts of a layer, from its signals or from packets. */
struct bursts {
	const struct pmk_layer *layer;
	const struct pmk_bus *bus;
	const uint64_t *base; /* totals at the beginning; NULL: all 0 */
	uint64_t begun;	      /* bursts that are counted by now, or that no counter will count */
	uint64_t x;	      /* of these, the bursts with HBURST x or z */
};

/* Fill in the bursts of a layer, which has this number in the AHB Monitor. Returns false if the
 * layer is not counted. */
static bool bursts_of(const struct pmk_wave_counting *j, unsigned monitor, struct bursts *b)
{
	const struct pmk_ahbmon_unpack_layer *u = &j->unpack.layer[monitor - PMK_AHBMON_BUS_ARMI];

	*b = (struct bursts){ .layer = &pmk_ahbmon_layers.layer[monitor - PMK_AHBMON_BUS_ARMI],
			      .bus = &j->bus[monitor] };
	for (unsigned i = 0; i < j->count.nwatched; i++) {
		const struct pmk_wave_watched *l = &j->count.watched[i];

		if (l->layer->monitor != monitor)
			continue;
		b->base = l->observer.base;
		b->begun = l->observer.first_beat;
		b->x = l->observer.burst_undecided;
		return true;
	}
	b->begun = u->bursts - (u->open && !u->typed);
	return j->pins >= 0 && u->coded;
}

/* Returns the number of bursts that have begun on a layer so far and that no counter counts. If
 * the map lacks a signal for a counter of bursts, the number is not known, and 0 is returned. */
static struct uncounted uncounted_of(const struct bursts *b)
{
	struct uncounted u = { .x = b->x };
	uint64_t counted = 0;

	for (unsigned i = 0; b->layer->burst[i]; i++) {
		unsigned sig = b->layer->burst[i]->signal;

		if (!pmk_bus_raises(b->bus, sig))
			return (struct uncounted){ .kind = 0 };
		counted += b->bus->total[sig] - (b->base ? b->base[sig] : 0);
	}
	u.kind = b->begun - u.x - counted;
	return u;
}

/* Mark counts of bursts if some bursts since the last interval were in none of the counters,
 * because a mean over these counts would be wrong. */
static void mark_gaps(struct pmk_count *c, struct pmk_section *s)
{
	struct pmk_wave_counting *j = c->state;
	struct bursts b;

	for (unsigned m = PMK_AHBMON_BUS_ARMI; m <= PMK_AHBMON_BUS_ARMD && is_monitor(c); m++) {
		struct uncounted now, *last = &j->uncounted[m];
		const char *gap;

		if (!bursts_of(j, m, &b))
			continue;
		now = uncounted_of(&b);
		gap = now.kind != last->kind ? "the layer had bursts of kinds that no counter "
					       "counts"
		      : now.x != last->x     ? "the layer had bursts with HBURST x or z"
					     : NULL;
		*last = now;
		for (unsigned r = 0; gap && r < s->nrows; r++)
			if (is_burst_of(b.layer, s->rows[r].event))
				s->rows[r].gap = gap;
	}
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Returns the frequency of the map's clock so far. 0: not known, because the events count cycles
 * of another clock, or because edges were lost while the dump was off. */
static double clock_hz(const struct pmk_wave_counting *j)
{
	double seconds = pmk_wave_seconds(j->wave, j->findings.last - j->findings.first);

	if (j->findings.edges < 2 || !(seconds > 0) || j->count.own_cycles ||
	    j->findings.warning[PMK_WAVE_DUMP_OFF].count)
		return 0;
	return (double)(j->findings.edges - 1) / seconds;
}

/* Put the totals of a session into the rows. */
static void set_values(struct pmk_wave_counting *j, struct pmk_section *s,
		       const struct pmk_reading *counts)
{
	for (unsigned i = 0; i < j->plan.nevents; i++) {
		struct pmk_row *row = &s->rows[j->event_of[i]];

		row->value = counts->total[i];
		if (pmk_session_wrapped(&j->session, i))
			row->trust = PMK_TRUST_WRAPPED;
	}
}

static struct pmk_section *add_section(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;
	struct pmk_section *s = pmk_result_add(&c->result, NULL, c->events.count);

	for (unsigned i = 0; s && i < c->events.count; i++) {
		pmk_choose_row(c, i, PMK_TRUST_MEASURED, &s->rows[i]);
		if (!c->reason[i])
			s->rows[i].reason = pmk_wave_remark(c, c->events.item[i].event);
	}
	c->result.clock_hz = clock_hz(j);
	return s;
}

/* Add a section with the counts of "amba", in an interval or the whole run. */
static struct pmk_section *add_amba_section(struct pmk_count *c, bool interval)
{
	struct pmk_wave_counting *j = c->state;
	struct pmk_section *s = add_section(c);

	for (unsigned i = 0; s && i < s->nrows; i++)
		if (!c->reason[i] && pmk_amba_row(&j->amba, &j->count, interval, &s->rows[i]))
			return NULL;
	if (interval)
		pmk_amba_mark(&j->amba, &j->count);
	return s;
}

/* Add a section with the counts of the session, since the last interval or for the whole run. */
static struct pmk_section *add_session_section(struct pmk_count *c, bool interval)
{
	struct pmk_wave_counting *j = c->state;
	struct pmk_reading now, delta;
	struct pmk_section *s;
	int err = pmk_reading_take(&now, &j->session);

	j->err = j->err ? j->err : err;
	delta = now;
	if (interval) {
		pmk_reading_since(&delta, &now, &j->last);
		j->last = now;
	}
	s = add_section(c);
	if (!s)
		return NULL;
	set_values(j, s, &delta);
	mark_gaps(c, s);
	return s;
}

/* Add the section of the PMU in use. NULL: out of memory. */
static struct pmk_section *add_counts(struct pmk_count *c, bool interval)
{
	return is_amba(c) ? add_amba_section(c, interval) : add_session_section(c, interval);
}

/* Set the runtime of a section, in the dump's time. */
static void set_runtime(const struct pmk_count *c, struct pmk_section *s, uint64_t time)
{
	struct pmk_wave_counting *j = c->state;
	double ns = pmk_wave_seconds(j->wave, time) * 1e9;

	for (unsigned i = 0; i < s->nrows; i++)
		s->rows[i].runtime_ns = c->reason[i] ? 0 : (uint64_t)(ns + 0.5);
}

int pmk_wave_interval(struct pmk_count *c, uint64_t time)
{
	struct pmk_wave_counting *j = c->state;
	struct pmk_section *s = add_counts(c, true);

	if (!s)
		return pmk_count_no_memory(&c->fault);
	s->interval = true;
	s->at_cycles = j->edges;
	s->at_seconds = pmk_wave_seconds(j->wave, time - j->findings.begin);
	set_runtime(c, s, time - j->last_time);
	j->last_time = time;
	pmk_count_report(c);
	return 0;
}

int pmk_wave_finish(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;
	struct pmk_section *s;
	int err;

	/* Add the remainder after the last whole interval, if there is one. */
	if (c->q.interval.unit != PMK_EVERY_NONE) {
		err = j->edges % c->q.interval.length ? pmk_wave_interval(c, j->findings.last) : 0;
		if (err || !c->q.interval.summary)
			return err;
	}
	s = add_counts(c, false);
	if (!s)
		return pmk_count_no_memory(&c->fault);
	if (j->err)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s: %s", c->pmu->name,
				      pmk_strerror(j->err));
	set_runtime(c, s, j->findings.last - j->findings.begin);
	pmk_count_report(c);
	return 0;
}

/* ---- notes and warnings about the whole run -------------------------------------------------- */

static void warn_of_oddities(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;

	for (unsigned i = 0; i < PMK_WAVE_NODDITIES; i++) {
		const struct pmk_wave_warning *w = &j->findings.warning[i];
		char when[64];

		if (!w->count)
			continue;
		pmk_wave_time_text(j->wave, w->time, when, sizeof(when));
		pmk_count_warn(c, "%s: %" PRIu64 " times, first at %s: %s", pmk_wave_oddity_text(i),
			       w->count, when, w->signal);
	}
}

/* Warn that events outside the layers and AXI interfaces of the map were left out, because "amba"
 * counts only these. */
static void warn_of_left_out(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;

	if (is_amba(c) && has_part(&j->map, PMK_WAVE_GXI))
		pmk_count_warn(c, "%s does not count the GXI of the map; `pmu` %s does",
			       pmk_amba_name, pmk_ahbmon.name);
	if (is_amba(c) &&
	    (has_part(&j->map, PMK_WAVE_EVNTBUS) || has_part(&j->map, PMK_WAVE_SIGNAL)))
		pmk_count_warn(c,
			       "%s does not count [evntbus] and [events] of the map; `pmu` NAME "
			       "counts them, if NAME is their PMU",
			       pmk_amba_name);
}

/* Warn of transactions that were seen without a latency, or not seen at all. */
static void warn_of_untimed(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;

	for (unsigned i = 0; i < 2 * j->count.naxi; i++) {
		const struct pmk_wave_watched_axi *a = &j->count.axi[i / 2];
		const struct pmk_axi_side *s = &a->observer.side[i % 2];
		const char *what = i % 2 == PMK_AXI_READ ? "reads" : "writes";

		if (s->untimed)
			pmk_count_warn(c,
				       "%" PRIu64 " %s of %s were not timed: an x hid their "
				       "IDs, a reset or $dumpoff interrupted them, or more than "
				       "%u were outstanding",
				       s->untimed, what, a->axi->name, PMK_AXI_MOST_PENDING);
		if (i % 2 == PMK_AXI_READ && pmk_amba_lost_beats(a))
			pmk_count_warn(
				c,
				"%s has %" PRIu64 " beats of read data more than addresses, so "
				"it has bursts: the latencies of its reads are wrong, because "
				"the map has neither rlast nor arlen",
				a->axi->name, s->strays);
		else if (s->strays)
			pmk_count_warn(
				c,
				"%" PRIu64
				" responses to %s of %s have no address in the dump: these %s "
				"are not counted",
				s->strays, what, a->axi->name, what);
	}
}

/* Warn of cycles whose packets have codes that the layout does not define. */
static void warn_of_packets(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;

	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS && j->pins >= 0; i++)
		if (j->unpack.layer[i].unknown)
			pmk_count_warn(
				c,
				"%" PRIu64
				" cycles of %s were not counted, because their packets have an "
				"x or a code that the layout does not have",
				j->unpack.layer[i].unknown, pmk_ahbmon_layers.layer[i].name);
}

/* Warn that some bursts were not counted, for users who add bursts up or want their mean. */
static void warn_of_uncounted(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;
	struct bursts b;

	for (unsigned m = PMK_AHBMON_BUS_ARMI; m <= PMK_AHBMON_BUS_ARMD && is_monitor(c); m++) {
		bool asked = false;
		uint64_t n;

		if (!bursts_of(j, m, &b))
			continue;
		n = uncounted_of(&b).kind;
		for (unsigned e = 0; e < c->events.count; e++)
			asked |= is_burst_of(b.layer, c->events.item[e].event);
		if (n && asked)
			pmk_count_warn(c,
				       "%" PRIu64 " of %" PRIu64 " bursts on %s are of kinds "
				       "that it has no counter for: there is no mean over its "
				       "bursts",
				       n, b.begun, b.layer->name);
	}
}

int pmk_wave_describe(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;
	const char *sum = pmk_wave_count_check(&j->count);
	char began[64], ended[64], reset[64] = "";

	if (j->count.in_reset.count)
		snprintf(reset, sizeof(reset), " (%" PRIu64 " of them in reset)",
			 j->count.in_reset.count);
	pmk_wave_time_text(j->wave, j->findings.first, began, sizeof(began));
	pmk_wave_time_text(j->wave, j->findings.last, ended, sizeof(ended));
	if (asprintf(&c->result.producer,
		     "the signals of a dump (%s), %" PRIu64 " cycles%s from %s to %s",
		     pmk_wave_format(j->wave), j->findings.edges, reset, began, ended) < 0)
		c->result.producer = NULL;
	if (j->findings.error.code)
		pmk_count_warn(c, "%s; only what came before is counted", j->findings.error.text);
	else if (c->interrupted)
		pmk_count_warn(c, "interrupted: the counts end there");
	if (!(pmk_wave_seconds(j->wave, 1) > 0))
		pmk_count_warn(
			c,
			"the dump has no $timescale of 1, 10 or 100 s, ms, us, ns, ps or fs: its "
			"times are numbers without a unit, and seconds are not known (with "
			"`interval`, the time of each interval is 0)");
	if (sum)
		pmk_count_warn(c, "pmk's check of its own counts failed: %s; please report this",
			       sum);
	warn_of_oddities(c);
	warn_of_uncounted(c);
	warn_of_left_out(c);
	warn_of_untimed(c);
	warn_of_packets(c);
	/* A dump that ends early is a failure, although its counts so far are shown. */
	c->result.exit_status = j->findings.error.code ? PMK_COUNT_FAILED << 8 : c->interrupted;
	return 0;
}
