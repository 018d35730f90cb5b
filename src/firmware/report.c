// SPDX-License-Identifier: MIT
/*
 * Prints the report as a table. Freestanding; see <pmk/target.h>.
 *
 *	pmk: arm1176, 2 events
 *	               total        own cost          nested  event
 *	             1234567              12              40  cpu_cycles
 *	region fft: 100 times
 *	               total       mean     stddev        min        max  event
 */
#include "firmware/target.h"

#include "firmware/text.h"

#define COLUMN 16
#define NARROW 12

static const char *event_name(const struct pmk_target *t, unsigned event)
{
	return pmk_pmu_event_code(t->dev.pmu, t->event[event].code)->name;
}

static void end_line(pmk_put *put, const char *name)
{
	pmk_text(put, "  ");
	pmk_text(put, name);
	put('\n');
}

/* Ends the line of an event. If its counter may have wrapped unnoticed, marks the numbers of the
 * line as lower bounds. */
static void end_event(const struct pmk_target *t, unsigned event, pmk_put *put)
{
	pmk_text(put, "  ");
	pmk_text(put, event_name(t, event));
	pmk_text(put, t->event[event].missed ? " (at least)\n" : "\n");
}

static void put_totals(struct pmk_target *t, const uint64_t *totals, pmk_put *put)
{
	pmk_text(put, "pmk: ");
	pmk_text(put, t->dev.pmu->name);
	pmk_text(put, ", ");
	pmk_text_number(put, t->nevents, 0, 0);
	pmk_text(put, t->nevents == 1 ? " event\n" : " events\n");
	pmk_text_right(put, "total", COLUMN);
	pmk_text_right(put, "own cost", NARROW);
	pmk_text_right(put, "nested", NARROW);
	end_line(put, "event");
	for (unsigned i = 0; i < t->nevents; i++) {
		pmk_text_number(put, totals[i], 0, COLUMN);
		pmk_text_number(put, t->cost[i], 0, NARROW);
		pmk_text_number(put, t->nest[i], 0, NARROW);
		end_event(t, i, put);
	}
}

static void put_times(pmk_put *put, uint64_t n)
{
	pmk_text(put, ": ");
	pmk_text_number(put, n, 0, 0);
	pmk_text(put, n == 1 ? " time" : " times");
}

static void name_or_number(pmk_put *put, const char *name, unsigned id)
{
	if (name)
		pmk_text(put, name);
	else
		pmk_text_number(put, id, 0, 0);
}

static void put_heading(const struct pmk_region *r, unsigned id, pmk_put *put)
{
	pmk_text(put, "region ");
	name_or_number(put, r->name, id);
	put_times(put, r->count);
	if (r->errors) {
		pmk_text(put, ", ");
		pmk_text_number(put, r->errors, 0, 0);
		pmk_text(put, " not measured");
	}
	put('\n');
}

static void put_region(const struct pmk_target *t, unsigned id, pmk_put *put)
{
	const struct pmk_region *r = &t->region[id];

	if (!r->count && !r->errors)
		return;
	put_heading(r, id, put);
	if (!r->count)
		return;
	pmk_text_right(put, "net total", COLUMN);
	pmk_text_right(put, "raw total", COLUMN);
	pmk_text_right(put, "mean", NARROW);
	pmk_text_right(put, "stddev", NARROW);
	pmk_text_right(put, "min", NARROW);
	pmk_text_right(put, "max", NARROW);
	end_line(put, "event");
	for (unsigned i = 0; i < t->nevents; i++) {
		const struct pmk_stats *s = &r->net[i];

		pmk_text_number(put, s->sum, 0, COLUMN);
		pmk_text_number(put, r->raw[i], 0, COLUMN);
		pmk_text_number(put, pmk_stats_mean(s, 100), 2, NARROW);
		pmk_text_number(put, pmk_stats_stddev(s, 100), 2, NARROW);
		pmk_text_number(put, s->min, 0, NARROW);
		pmk_text_number(put, s->max, 0, NARROW);
		end_event(t, i, put);
	}
}

/* Returns the index of the event on counter `i`; -1 if there is none. sum[i] of a fast region
 * belongs to this counter. */
static int event_on(const struct pmk_target *t, unsigned i)
{
	for (unsigned e = 0; e < t->nevents; e++)
		if (t->event[e].counter == i)
			return (int)e;
	return -1;
}

static void fast_region(const struct pmk_target *t, unsigned id, pmk_put *put)
{
	const struct pmk_fast_region *r = &t->fast[id];

	if (!r->count)
		return;
	pmk_text(put, "fast region ");
	name_or_number(put, r->name, id);
	put_times(put, r->count);
	put('\n');
	pmk_text_right(put, "raw total", COLUMN);
	pmk_text_right(put, "mean", NARROW);
	pmk_text_right(put, "min", NARROW);
	pmk_text_right(put, "max", NARROW);
	end_line(put, "event");
	for (unsigned i = 0; i < sizeof(r->sum) / sizeof(r->sum[0]); i++) {
		struct pmk_stats s = { .n = r->count, .sum = r->sum[i] };
		int e = event_on(t, i);

		if (e < 0)
			continue;
		pmk_text_number(put, r->sum[i], 0, COLUMN);
		pmk_text_number(put, pmk_stats_mean(&s, 100), 2, NARROW);
		if (i) { /* a fast region has the minimum and maximum only of cycles */
			pmk_text_right(put, "-", NARROW);
			pmk_text_right(put, "-", NARROW);
		} else {
			pmk_text_number(put, r->min, 0, NARROW);
			pmk_text_number(put, r->max, 0, NARROW);
		}
		end_event(t, (unsigned)e, put);
	}
}

static void put_samples(const struct pmk_ring *ring, pmk_put *put)
{
	pmk_text(put, "samples: ");
	pmk_text_number(put, ring->head - ring->tail, 0, 0);
	pmk_text(put, " in the ring, ");
	pmk_text_number(put, ring->dropped, 0, 0);
	pmk_text(put, " dropped\n");
}

int pmk_target_report(struct pmk_target *t, pmk_put *put)
{
	uint64_t totals[PMK_TARGET_EVENTS];
	int err;

	if (!put)
		return PMK_EINVAL;
	err = pmk_target_read_all(t, totals);
	if (err)
		return err;
	put_totals(t, totals, put);
	for (unsigned i = 0; i < t->nregions; i++)
		put_region(t, i, put);
	for (unsigned i = 0; i < t->nfast; i++)
		fast_region(t, i, put);
	if (t->ring)
		put_samples(t->ring, put);
	return PMK_OK;
}
