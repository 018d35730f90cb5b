/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A reading: the count of each event of a session's plan and, for events on latency counters, their
 * latencies in cycles. Readings can be added, and an earlier reading can be subtracted from a later
 * one. The caller owns the memory. No function accepts NULL. Host library only.
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
	/* values.n is the number of occurrences. If min > max although n > 0, the shortest and the
	 * longest latency are not known. */
	struct pmk_stats values;
	bool full;	/* occurrences overlapped: the latencies are less accurate */
	bool saturated; /* some occurrences may have been longer than values.max */
};

struct pmk_reading {
	uint64_t total[PMK_MAX_EVENTS]; /* total[i] belongs to event i of the plan */
	/* pmk_reading_find_latency() returns the index that belongs to an event. */
	struct pmk_reading_latency latency[PMK_READING_LATENCIES];
};

/* Set a reading to zero. */
void pmk_reading_init(struct pmk_reading *r);

/* Read the session. Returns 0 or a negative error. Even after an error *r holds everything that
 * could be read. */
int pmk_reading_take(struct pmk_reading *r, struct pmk_session *s);
/*
 * Ends an interval of the interval timer: calls pmk_session_tick(). On entry *total is the reading
 * of the previous tick. *interval becomes the counts since then, and *total the reading of this
 * tick. The shortest and longest latency in *interval are known, because each tick sets the
 * counters to zero. Returns 0 or a negative error.
 */
int pmk_reading_tick(struct pmk_reading *interval, struct pmk_reading *total,
		     struct pmk_session *s);

/* Sets *rest to the counts between the last tick, whose reading is *tick, and the reading *now. */
void pmk_reading_after_tick(struct pmk_reading *rest, const struct pmk_reading *now,
			    const struct pmk_reading *tick, const struct pmk_session *s);

/* Sets *out to `later` minus `earlier`, for two readings of one session. The shortest and longest
 * latency are known only for events of which `earlier` has no occurrence. */
void pmk_reading_since(struct pmk_reading *out, const struct pmk_reading *later,
		       const struct pmk_reading *earlier);
/* Add the counts of `more` to *sum. */
void pmk_reading_add(struct pmk_reading *sum, const struct pmk_reading *more);
void pmk_reading_add_latency(struct pmk_reading_latency *sum,
			     const struct pmk_reading_latency *more);

/* Returns the index in latency[] of event i of the plan; -1 if the event is on an ordinary counter,
 * or if PMK_READING_LATENCIES events before it have latencies. */
int pmk_reading_find_latency(const struct pmk_plan *plan, const struct pmk_pmu *pmu, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
