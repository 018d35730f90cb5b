/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A session: it assigns events to counters and passes, and extends counters of 32 bits to 64-bit
 * totals. It uses drivers and does not depend on a PMU.
 *
 * 	plan → open → start → (poll at least every half range) → read … → stop
 *
 * A pass is one set of events that the PMU can count at once. On silicon the passes take turns or
 * separate runs; in emulation every pass has its own model on the same bus, and all passes count in
 * one run.
 *
 * Caller-owned memory, no heap, freestanding. Not reentrant: calls for one session from an
 * interrupt handler and from the program need a lock around them.
 */
#ifndef PMK_SESSION_H
#define PMK_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>
#include <pmk/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_MAX_EVENTS	  256
#define PMK_MAX_PASSES	  32
#define PMK_MAX_LATENCIES 8 /* latency counters of one PMU */

struct pmk_plan_event {
	uint16_t code;
	/* Events of one group (> 0) share a pass, so that their ratio is meaningful. */
	uint8_t group;
	uint8_t pass;	 /* pmk_plan_make() fills this and the next member */
	uint8_t counter; /* likewise */
	uint8_t pmu;	 /* index of the PMU, if a session uses several; else 0 */
};

struct pmk_plan {
	uint32_t nevents, npasses;
	/* The interval timer: an extra counter in every pass counts `timer_code` and overflows at
	 * the end of each interval; see pmk_session_timer(). */
	bool timed;
	uint16_t timer_code;
	uint8_t timer_counter; /* filled by pmk_plan_make() */
	struct pmk_plan_event event[PMK_MAX_EVENTS];
};

/*
 * Give every event of `plan` (nevents, code and group are set) a pass and a counter. It uses first
 * fit in the given order, with groups kept together; for counters that accept any event this gives
 * the smallest number of passes. Returns 0; PMK_ENOCTR if a group needs more counters than the PMU
 * has; PMK_ENOEVENT; PMK_ERANGE if it needs more than PMK_MAX_PASSES.
 */
int pmk_plan_make(const struct pmk_pmu *pmu, struct pmk_plan *plan);

/* A hardware counter widened to 64 bits. */
struct pmk_wide {
	uint64_t total, last;
	/* True if the counter overflowed more than once between two polls, so that total is a lower
	 * bound. */
	bool wrapped;
	/* True if the value showed a wrap before its flag was set: the flag is still to come. */
	bool early;
};

/* A latency counter extended to 64 bits: occurrences, sum and squares without loss, and the
 * extremes as the hardware has them. */
struct pmk_wide_latency {
	struct pmk_stats values;
	struct pmk_latency last;
	/* Extremes of the interval that the last tick ended; min > max: there was no occurrence. */
	uint64_t min, max;
	bool full; /* occurrences overlapped: the latencies are less accurate (PMK_STATUS_FULL) */
};

struct pmk_session_pass {
	struct pmk_dev dev;
	struct pmk_wide wide[PMK_MAX_COUNTERS];
	/* By number of the latency counter. */
	struct pmk_wide_latency latency[PMK_MAX_LATENCIES];
};

struct pmk_session {
	struct pmk_plan plan;
	uint64_t interval; /* interval of the timer; 0: the timer is off */
	struct pmk_session_pass pass[PMK_MAX_PASSES];
};

/* Program every pass; pass i goes through ports[i]. The plan is copied. Counters are reset to 0. */
int pmk_session_open(struct pmk_session *s, const struct pmk_pmu *pmu, const struct pmk_plan *plan,
		     const struct pmk_port *ports);
/* Let another process use this session: sets only pointers, accesses no register. */
void pmk_session_rebind(struct pmk_session *s, const struct pmk_pmu *pmu,
			const struct pmk_port *ports);
int pmk_session_start(struct pmk_session *s);
int pmk_session_stop(struct pmk_session *s);
/* Discard the counts so far: totals continue from 0. Passes are started one after the other, each
 * with its settling time; passes that were started earlier count this time. */
int pmk_session_forget(struct pmk_session *s);

/*
 * Update the 64-bit totals and acknowledge overflows. Call it at least once per counter range (2^32
 * events), for example in the overflow interrupt. Stops nothing.
 */
int pmk_session_poll(struct pmk_session *s);

/* Polls, then fills totals[i] for plan.event[i]. */
int pmk_session_read(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS]);

/* True if the total of event i is only a lower bound, or if a latency counter times it and its sums
 * may be too small. */
bool pmk_session_wrapped(const struct pmk_session *s, unsigned i);

/* Returns the values of the latency counter of event i, as of the last read or poll. The event's
 * total is the number of occurrences. NULL: the event is on an ordinary counter. */
const struct pmk_wide_latency *pmk_session_latency(const struct pmk_session *s, unsigned i);
/* True if the longest latency of event i is the maximum of its counter; there may have been longer
 * ones. */
bool pmk_session_saturated(const struct pmk_session *s, unsigned i);

/*
 * Sets the interval timer of a plan that is `timed`: it overflows `interval` occurrences of
 * timer_code after the start, or after the last pmk_session_tick(). Call this before the start.
 * Returns PMK_ERANGE if the interval is 0 or more than the counter holds, and PMK_ENOTSUP if the
 * PMU cannot clear all counters at one instant.
 */
int pmk_session_timer(struct pmk_session *s, uint64_t interval);
/*
 * Call this in the timer's interrupt: it reads all counters, clears them and restarts the timer.
 * totals[] are those of pmk_session_read() and keep growing. Returns PMK_ENOTSUP if no timer is
 * set. After another error call it again; until then counters may be stopped, and the interrupt may
 * not come.
 */
int pmk_session_tick(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS]);

#ifdef __cplusplus
}
#endif

#endif
