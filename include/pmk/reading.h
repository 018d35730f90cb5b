/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A reading: the counts of each event of a session's plan and, for events on latency counters,
 * their latencies. Readings can be added, and subtracted from later ones.
 */
#ifndef PMK_READING_H
#define PMK_READING_H

#include <pmk/session.h>
#include <pmk/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of events whose latencies are stored. Further events are only counted. */
#define PMK_READING_LATENCIES 16

struct pmk_reading_latency {
	/* The number of all occurrences is n. If min > max although n > 0, the extremes are not
	 * known. */
	struct pmk_stats values;
	bool full;	/* occurrences overlapped: the latencies are less accurate */
	bool saturated; /* some occurrences may have been longer than max */
};

struct pmk_reading {
	uint64_t total[PMK_MAX_EVENTS];
	/* pmk_reading_find_latency() returns the index of an event. */
	struct pmk_reading_latency latency[PMK_READING_LATENCIES];
};

/* Set a reading to zero. */
void pmk_reading_init(struct pmk_reading *r);

/* Read the session. Returns 0 or a negative error. Even after an error *r holds everything that
 * could be read. */
int pmk_reading_take(struct pmk_reading *r, struct pmk_session *s);
/*
 * Calls pmk_session_tick() for the interval timer. *interval becomes the counts since *total, the
 * reading of the previous tick; its extremes are known, because the counters were cleared then.
 * *total becomes the reading of this tick.
 */
int pmk_reading_tick(struct pmk_reading *interval, struct pmk_reading *total,
		     struct pmk_session *s);

/* Sets *rest to the counts between the last tick, whose reading is *tick, and the reading *now. */
void pmk_reading_after_tick(struct pmk_reading *rest, const struct pmk_reading *now,
			    const struct pmk_reading *tick, const struct pmk_session *s);

/* Sets *out to `later` minus `earlier`, for two readings of one session. The extremes are known
 * only if `earlier` is zero. */
void pmk_reading_since(struct pmk_reading *out, const struct pmk_reading *later,
		       const struct pmk_reading *earlier);
void pmk_reading_add(struct pmk_reading *sum, const struct pmk_reading *more);
void pmk_reading_add_latency(struct pmk_reading_latency *sum,
			     const struct pmk_reading_latency *more);

/* Returns the index of event i in latency[]; -1 if it is on an ordinary counter, or if there are
 * too many latencies. */
int pmk_reading_find_latency(const struct pmk_plan *plan, const struct pmk_pmu *pmu, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
