// SPDX-License-Identifier: MIT
/* Handles readings of sessions. See <pmk/reading.h>. */
#include <pmk/reading.h>

#include <string.h>

void pmk_reading_init(struct pmk_reading *r)
{
	memset(r, 0, sizeof(*r));
	for (unsigned l = 0; l < PMK_READING_LATENCIES; l++)
		pmk_stats_init(&r->latency[l].values);
}

int pmk_reading_find_latency(const struct pmk_plan *plan, const struct pmk_pmu *pmu, unsigned i)
{
	int index = 0;

	if (plan->event[i].pmu || !pmu->counters[plan->event[i].counter].extreme_width)
		return -1;
	for (unsigned k = 0; k < i; k++)
		index += !plan->event[k].pmu &&
			 pmu->counters[plan->event[k].counter].extreme_width != 0;
	return index < PMK_READING_LATENCIES ? index : -1;
}

static void copy_latencies(struct pmk_reading *r, const struct pmk_session *s)
{
	unsigned l = 0;

	for (unsigned i = 0; i < s->plan.nevents && l < PMK_READING_LATENCIES; i++) {
		const struct pmk_wide_latency *w = pmk_session_latency(s, i);

		if (!w)
			continue;
		r->latency[l++] = (struct pmk_reading_latency){
			.values = w->values,
			.full = w->full,
			.saturated = pmk_session_saturated(s, i),
		};
	}
}

int pmk_reading_take(struct pmk_reading *r, struct pmk_session *s)
{
	int err;

	pmk_reading_init(r);
	err = pmk_session_read(s, r->total);
	copy_latencies(r, s);
	return err;
}

void pmk_reading_since(struct pmk_reading *out, const struct pmk_reading *later,
		       const struct pmk_reading *earlier)
{
	struct pmk_reading r = *later;

	for (unsigned i = 0; i < PMK_MAX_EVENTS; i++)
		r.total[i] -= earlier->total[i];
	for (unsigned l = 0; l < PMK_READING_LATENCIES; l++)
		pmk_stats_remove(&r.latency[l].values, &earlier->latency[l].values);
	*out = r;
}

void pmk_reading_add_latency(struct pmk_reading_latency *sum,
			     const struct pmk_reading_latency *more)
{
	pmk_stats_merge(&sum->values, &more->values);
	sum->full |= more->full;
	sum->saturated |= more->saturated;
}

void pmk_reading_add(struct pmk_reading *sum, const struct pmk_reading *more)
{
	for (unsigned i = 0; i < PMK_MAX_EVENTS; i++)
		sum->total[i] += more->total[i];
	for (unsigned l = 0; l < PMK_READING_LATENCIES; l++)
		pmk_reading_add_latency(&sum->latency[l], &more->latency[l]);
}

/* Sets the extremes of latencies. If `after` is false, they are those of the interval that the last
 * tick has ended, and otherwise those of the time since that tick. */
static void set_extremes(struct pmk_reading *r, const struct pmk_session *s, bool after)
{
	unsigned l = 0;

	for (unsigned i = 0; i < s->plan.nevents && l < PMK_READING_LATENCIES; i++) {
		const struct pmk_wide_latency *w = pmk_session_latency(s, i);

		if (!w)
			continue;
		r->latency[l].values.min = after ? w->last.min : w->min;
		r->latency[l++].values.max = after ? w->last.max : w->max;
	}
}

int pmk_reading_tick(struct pmk_reading *interval, struct pmk_reading *total, struct pmk_session *s)
{
	struct pmk_reading now;
	int err;

	pmk_reading_init(&now);
	err = pmk_session_tick(s, now.total);
	copy_latencies(&now, s);
	pmk_reading_since(interval, &now, total);
	set_extremes(interval, s, false);
	*total = now;
	return err;
}

void pmk_reading_after_tick(struct pmk_reading *rest, const struct pmk_reading *now,
			    const struct pmk_reading *tick, const struct pmk_session *s)
{
	pmk_reading_since(rest, now, tick);
	set_extremes(rest, s, true);
}
