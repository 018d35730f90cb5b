/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A session: which events go on which counters in which pass, and 64-bit totals out of counters of
 * 32 bits. It talks to drivers and knows no PMU.
 *
 *	plan → open → start → (poll at least every half range) → read … → stop
 *
 * A pass is one programming of the PMU. On silicon passes take turns or runs; in emulation every
 * pass is a model of its own on the same bus, and all of them count at once.
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
	/* events of one group (> 0) share a pass, so that their ratio means something */
	uint8_t group;
	uint8_t pass;	 /* these two are filled by pmk_plan_make() */
	uint8_t counter; /* likewise */
	uint8_t pmu;	 /* which PMU, where a session is on several; else 0 */
};

struct pmk_plan {
	uint32_t nevents, npasses;
	/* The interval timer: a counter of every pass, beside the events, counts `timer_code`
	 * and overflows at the end of each interval; see pmk_session_timer(). */
	bool timed;
	uint16_t timer_code;
	uint8_t timer_counter; /* filled by pmk_plan_make() */
	struct pmk_plan_event event[PMK_MAX_EVENTS];
};

/*
 * Give every event of `plan` (nevents, code and group are set) a pass and a counter. First fit in
 * the order given, groups as a whole: for counters that take any event this is the fewest passes.
 * Returns 0; PMK_ENOCTR when a group needs more counters than the PMU has; PMK_ENOEVENT; PMK_ERANGE
 * when it takes more than PMK_MAX_PASSES.
 */
int pmk_plan_make(const struct pmk_pmu *pmu, struct pmk_plan *plan);

/* A hardware counter widened to 64 bits. */
struct pmk_wide {
	uint64_t total, last;
	/* it overflowed more than once between two polls, so total is a lower bound */
	bool wrapped;
	bool early; /* a wrap was seen in the value before its flag: that flag is still to come */
};

/* A latency counter widened: occurrences, sum and squares without loss; the extremes as the
 * hardware has them. */
struct pmk_wide_latency {
	struct pmk_stats values;
	struct pmk_latency last;
	/* extremes of the interval that the last tick ended; min > max: there was no occurrence */
	uint64_t min, max;
	bool full; /* occurrences overlapped: the latencies are less accurate (PMK_STATUS_FULL) */
};

struct pmk_session_pass {
	struct pmk_dev dev;
	struct pmk_wide wide[PMK_MAX_COUNTERS];
	struct pmk_wide_latency latency[PMK_MAX_LATENCIES]; /* by order of the latency counters */
};

struct pmk_session {
	struct pmk_plan plan;
	uint64_t interval; /* of the timer; 0: the timer is off */
	struct pmk_session_pass pass[PMK_MAX_PASSES];
};

/* Program every pass; pass i goes through ports[i]. The plan is copied. Counters are reset to 0. */
int pmk_session_open(struct pmk_session *s, const struct pmk_pmu *pmu, const struct pmk_plan *plan,
		     const struct pmk_port *ports);
/* Use the same session in another process: sets pointers only, touches no register. */
void pmk_session_rebind(struct pmk_session *s, const struct pmk_pmu *pmu,
			const struct pmk_port *ports);
int pmk_session_start(struct pmk_session *s);
int pmk_session_stop(struct pmk_session *s);
/* Discard what has been counted so far: totals go on from 0. Passes are started one after the
 * other, each with its settling time, which the passes started earlier have counted. */
int pmk_session_forget(struct pmk_session *s);

/*
 * Bring the 64-bit totals up to date and acknowledge overflows. Needed at least once per counter
 * range (2^32 events); the overflow interrupt is the natural caller. Stops nothing.
 */
int pmk_session_poll(struct pmk_session *s);

/* Calls poll, then fills totals[i] for plan.event[i]. */
int pmk_session_read(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS]);

/* True when the total of event i is only a lower bound or, where a latency counter times it, its
 * sums may be too small. */
bool pmk_session_wrapped(const struct pmk_session *s, unsigned i);

/* What a latency counter has measured for event i, as of the last read or poll; its total is the
 * number of occurrences. NULL: it is on an ordinary counter. */
const struct pmk_wide_latency *pmk_session_latency(const struct pmk_session *s, unsigned i);
/* Is the longest latency of event i the greatest value that its counter can hold? Then there may
 * have been longer ones. */
bool pmk_session_saturated(const struct pmk_session *s, unsigned i);

/*
 * The interval timer of a plan that is `timed`: it overflows `interval` occurrences of timer_code
 * after the start, or after the last pmk_session_tick(). Call before start. PMK_ERANGE: 0 or more
 * than the counter holds; PMK_ENOTSUP: the PMU cannot set its counters to zero at once.
 */
int pmk_session_timer(struct pmk_session *s, uint64_t interval);
/*
 * Call this in the timer's interrupt: it reads all counters, sets them to zero and sets the
 * timer back. totals[] as pmk_session_read(): they go on growing. PMK_ENOTSUP: no timer is set.
 * After another error call it again; until then counters may stand still, and the interrupt may
 * not come.
 */
int pmk_session_tick(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS]);

#ifdef __cplusplus
}
#endif

#endif
