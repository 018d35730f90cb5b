/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A reading: the counts of each event of a session's plan and, for events on latency counters, how
 * long they took. Readings can be added, and subtracted from later ones.
 */
#ifndef PMK_READING_H
#define PMK_READING_H

#include <pmk/session.h>
#include <pmk/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_READING_LATENCIES \
	16 /* events of a plan on latency counters; any further ones are counted but not timed */

struct pmk_reading_latency {
	/* n: number of all occurrences. min > max although n > 0: the extremes are not
	 * known */
	struct pmk_stats values;
	bool full;	/* occurrences overlapped: the latencies are less accurate */
	bool saturated; /* some may have been longer than max */
};

struct pmk_reading {
	uint64_t total[PMK_MAX_EVENTS];
	struct pmk_reading_latency
		latency[PMK_READING_LATENCIES]; /* see pmk_reading_find_latency() */
};

/* Set a reading to zero. */
void pmk_reading_init(struct pmk_reading *r);

/* Read the session. Returns 0 or a negative error; *r holds everything that could be read in any
 * case. */
int pmk_reading_take(struct pmk_reading *r, struct pmk_session *s);
/*
 * The interval timer was due: pmk_session_tick(). *interval is what was counted since *total, a
 * reading of the tick before; its extremes are known, because the counters were cleared then.
 * *total becomes the reading of this one.
 */
int pmk_reading_tick(struct pmk_reading *interval, struct pmk_reading *total,
		     struct pmk_session *s);

/* The counts after the last tick, whose reading is *tick, up to the reading *now. */
void pmk_reading_after_tick(struct pmk_reading *rest, const struct pmk_reading *now,
			    const struct pmk_reading *tick, const struct pmk_session *s);

/* later - earlier, for two readings of one session; the extremes are known only where nothing is
 * subtracted. */
void pmk_reading_since(struct pmk_reading *out, const struct pmk_reading *later,
		       const struct pmk_reading *earlier);
void pmk_reading_add(struct pmk_reading *sum, const struct pmk_reading *more);
void pmk_reading_add_latency(struct pmk_reading_latency *sum,
			     const struct pmk_reading_latency *more);

/* Which latency[] is event i's; -1: it is on an ordinary counter, or there are too many. */
int pmk_reading_find_latency(const struct pmk_plan *plan, const struct pmk_pmu *pmu, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
