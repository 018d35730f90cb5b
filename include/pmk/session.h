/* SPDX-License-Identifier: MIT */
/*
 * A session: which events go on which counters in which pass, and 64-bit totals out of counters of
 * 32 bits. It talks to drivers and knows no PMU.
 *
 *	plan → open → start → (poll at least every half range) → read … → stop
 *
 * A pass is one programming of the PMU. On silicon passes take turns or runs; in emulation every
 * pass is a model of its own on the same bus, and all of them count at once.
 *
 * Caller-owned memory, no heap, freestanding. Not reentrant: calls for one session from an interrupt
 * handler and from the program need a lock around them.
 */
#ifndef PMK_SESSION_H
#define PMK_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_MAX_EVENTS	 256
#define PMK_MAX_PASSES	 32
#define PMK_MAX_COUNTERS 32

struct pmk_plan_event {
	uint16_t code;
	uint8_t group; /* events of one group (> 0) share a pass, so that their ratio means something */
	uint8_t pass;	 /* filled by pmk_plan_make() */
	uint8_t counter; /* likewise */
};

struct pmk_plan {
	uint32_t nevents, npasses;
	struct pmk_plan_event event[PMK_MAX_EVENTS];
};

/*
 * Give every event of `plan` (nevents, code and group are set) a pass and a counter. First fit in
 * the order given, groups as a whole: for counters that take any event this is the fewest passes.
 * 0; PMK_ENOCTR when a group needs more counters than the PMU has; PMK_ENOEVENT; PMK_ERANGE when it
 * takes more than PMK_MAX_PASSES.
 */
int pmk_plan_make(const struct pmk_pmu *pmu, struct pmk_plan *plan);

/* A hardware counter widened to 64 bits. */
struct pmk_wide {
	uint64_t total, last;
	bool wrapped; /* it overflowed more than once between two polls: total is a lower bound */
	bool early;   /* a wrap was seen in the value before its flag: that flag is still to come */
};

struct pmk_session_pass {
	struct pmk_dev dev;
	struct pmk_wide wide[PMK_MAX_COUNTERS];
};

struct pmk_session {
	struct pmk_plan plan;
	struct pmk_session_pass pass[PMK_MAX_PASSES];
};

/* Program every pass; pass i goes through ports[i]. The plan is copied. Counters are reset to 0. */
int pmk_session_open(struct pmk_session *s, const struct pmk_pmu *pmu, const struct pmk_plan *plan,
		     const struct pmk_port *ports);
/* The same session seen from another process: takes over pointers only, touches no register. */
void pmk_session_rebind(struct pmk_session *s, const struct pmk_pmu *pmu,
			const struct pmk_port *ports);
int pmk_session_start(struct pmk_session *s);
int pmk_session_stop(struct pmk_session *s);

/*
 * Bring the 64-bit totals up to date and acknowledge overflows. Needed at least once per counter
 * range (2^32 events); the overflow interrupt is the natural caller. Stops nothing.
 */
int pmk_session_poll(struct pmk_session *s);

/* poll, then totals[i] of plan.event[i]. */
int pmk_session_read(struct pmk_session *s, uint64_t totals[PMK_MAX_EVENTS]);

/* True when the total of event i is only a lower bound. */
bool pmk_session_wrapped(const struct pmk_session *s, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
