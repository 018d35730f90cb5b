/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * Sessions count the events of a plan and extend the counts to 64-bit totals. pmk_plan_make()
 * assigns the events to counters and passes. A session accesses a PMU only through the PMU's
 * driver, so it works with every PMU.
 *
 * 	plan → open → start → (poll often enough, see pmk_session_poll()) → read … → stop
 *
 * A pass is a set of events that the PMU can count at the same time. On silicon the passes take
 * turns, or each pass needs a run of its own. In emulation each pass has its own model of the PMU
 * on the same bus, so one run counts all passes.
 *
 * Functions that return int return 0 or a negative enum pmk_error, which may be that of a port. No
 * function accepts NULL. The caller owns all memory, and nothing is allocated. Freestanding. The
 * functions have no lock: if the program and an interrupt handler use the same session, they need a
 * lock around the calls.
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
	/* Events with the same group number share a pass, so that their ratio is meaningful. 0: no
	 * group. */
	uint8_t group;
	uint8_t pass;	 /* filled by pmk_plan_make() */
	uint8_t counter; /* counter of the PMU; filled by pmk_plan_make() */
	uint8_t pmu;	 /* index of the PMU, if emulation counts several PMUs; else 0 */
};

struct pmk_plan {
	uint32_t nevents, npasses; /* pmk_plan_make() fills npasses */
	/* True if there is an interval timer: an extra counter in every pass, which counts
	 * `timer_code` and overflows at the end of each interval; see pmk_session_timer(). */
	bool timed;
	uint16_t timer_code;
	uint8_t timer_counter; /* filled by pmk_plan_make() */
	struct pmk_plan_event event[PMK_MAX_EVENTS];
};

/*
 * Give every event of `plan` a pass and a counter. The caller has set nevents, and the code and
 * group of each event. Each event or group, in the given order, goes into the first pass that has
 * enough free counters. Without groups, and if the counters accept any event, no plan has fewer
 * passes.
 *   PMK_ENOEVENT  the PMU has no such event
 *   PMK_ENOCTR    no counter can count an event, or a group needs more counters than the PMU has
 *   PMK_ERANGE    more than PMK_MAX_EVENTS events, or more than PMK_MAX_PASSES passes are needed
 */
int pmk_plan_make(const struct pmk_pmu *pmu, struct pmk_plan *plan);

/* A hardware counter widened to 64 bits. */
struct pmk_wide {
	/* `last` is the value of the counter at the last poll. */
	uint64_t total, last;
	/* True if counts were missed, so that `total` is a lower bound: the counter overflowed more
	 * than once between two polls, or it stopped at its maximum. */
	bool wrapped;
	/* True if the last poll has counted a wrap whose overflow flag was not set yet. The next
	 * poll does not count this flag again. */
	bool early;
};

/* A latency counter widened to 64 bits: the number of occurrences, and the sums of their latencies
 * in cycles and of the squares. The minimum and maximum are those that the hardware reports. */
struct pmk_wide_latency {
	struct pmk_stats values;
	struct pmk_latency last; /* values of the counter at the last poll */
	/* Shortest and longest latency, in cycles, in the interval that the last
	 * pmk_session_tick() ended; min > max: there was no occurrence. */
	uint64_t min, max;
	bool full; /* occurrences overlapped: the latencies are less accurate (PMK_STATUS_FULL) */
};

struct pmk_session_pass {
	struct pmk_dev dev;
	struct pmk_wide wide[PMK_MAX_COUNTERS];
	/* latency[i] is for latency counter i of the PMU, counted from 0. */
	struct pmk_wide_latency latency[PMK_MAX_LATENCIES];
};

struct pmk_session {
	struct pmk_plan plan;
	uint64_t interval; /* occurrences of timer_code per interval; 0: the timer is off */
	struct pmk_session_pass pass[PMK_MAX_PASSES];
};

/* Reset the counters of every pass to 0, and program them. Pass i accesses the PMU through
 * ports[i]. The plan and the ports are copied. */
int pmk_session_open(struct pmk_session *s, const struct pmk_pmu *pmu, const struct pmk_plan *plan,
		     const struct pmk_port *ports);
/* Replace the pointers in a session that another process has opened in shared memory: the PMU and
 * the port of each pass. Accesses no register. */
void pmk_session_rebind(struct pmk_session *s, const struct pmk_pmu *pmu,
			const struct pmk_port *ports);
/* Start or stop the counters of all passes, one pass after the other. */
int pmk_session_start(struct pmk_session *s);
int pmk_session_stop(struct pmk_session *s);
/* Set the totals of ordinary counters to 0; latency counters keep theirs. Call this after
 * pmk_session_start() if there are several passes: while a pass is started, the passes before it
 * count already. */
int pmk_session_forget(struct pmk_session *s);

/*
 * Add to the totals what each counter has counted since the last poll, and clear overflow flags.
 * Stops nothing. Call it, for example in the overflow interrupt, before a counter of 32 bits has
 * counted 2^32 events since the last poll; before 2^31 events if the counter stops at its maximum
 * (pmk_counter.saturates).
 */
int pmk_session_poll(struct pmk_session *s);

/* Polls, then sets totals[i] to the total of plan.event[i]; after an error, to the last known. */
int pmk_session_read(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS]);

/* True if the total of event i is only a lower bound. For an event on a latency counter: true if
 * the sums of its latencies may be too small. */
bool pmk_session_wrapped(const struct pmk_session *s, unsigned i);

/* Returns the latencies of event i at the last read or poll; NULL if the event is on an ordinary
 * counter. The event's total is the number of occurrences. The struct is part of the session. */
const struct pmk_wide_latency *pmk_session_latency(const struct pmk_session *s, unsigned i);
/* True if the longest latency of event i is the maximum of its counter; there may have been longer
 * ones. */
bool pmk_session_saturated(const struct pmk_session *s, unsigned i);

/*
 * Sets the interval timer of a plan that is `timed`: it overflows `interval` occurrences of
 * timer_code after the start, or after the last pmk_session_tick(). Call this before the start.
 * Returns PMK_ERANGE if the interval is 0 or more than the counter holds. Returns PMK_ENOTSUP if
 * the plan is not `timed`, or if the PMU cannot set all counters to zero at one instant.
 */
int pmk_session_timer(struct pmk_session *s, uint64_t interval);
/*
 * Call this in the timer's interrupt: it reads all counters, sets them to zero and restarts the
 * timer. totals[] are those of pmk_session_read(): they continue to grow over all intervals.
 * Returns PMK_ENOTSUP if no timer is set. After another error, call it again; until then counters
 * may be stopped, and the interrupt may not come.
 */
int pmk_session_tick(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS]);

#ifdef __cplusplus
}
#endif

#endif
