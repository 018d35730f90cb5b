/* SPDX-License-Identifier: MIT */
/*
 * How long the bursts of an AHB layer take. It looks at what the layer's observer has seen:
 *
 *	pmk_ahb_layer_sample(&layer, &bus, &cycle);
 *	pmk_ahb_timer_sample(&timer, &layer, &cycle);
 *
 * The latency of a burst is the number of cycles from the one in which the address of its first
 * beat is taken to the one in which its last beat completes: 1 for a SINGLE and 4 for an INCR4
 * without wait states; wait states and BUSY cycles come on top (our choice). So the latencies of
 * bursts that follow each other do not overlap.
 *
 * A burst is timed when it has ended, which the next address phase tells, if at least one of its
 * beats completed with OKAY or ERROR: as often as the observer counts a burst. Where RETRY or SPLIT
 * cuts a burst off, that is its end, and what the master makes of the rest are bursts of their own.
 * A burst that reset or an x cuts off, or the end of the samples, is not timed.
 */
#ifndef PMK_AHB_BURST_H
#define PMK_AHB_BURST_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>
#include <pmk/spread.h>

#include "ahb/layer.h"

enum pmk_ahb_timed {
	PMK_AHB_TIMED_ALL,
	PMK_AHB_TIMED_READ,  /* of these: reads … */
	PMK_AHB_TIMED_WRITE, /* … and writes; a burst whose direction is not known is neither */
	PMK_AHB_NTIMED
};

struct pmk_ahb_timer {
	struct pmk_spread latency[PMK_AHB_NTIMED]; /* the caller may take them away at any time */
	uint64_t cycle, begin, last;		   /* begin and last beat of the burst under way */
	bool open, done;   /* there is one; one of its beats has completed */
	uint8_t direction; /* TIMED_READ, TIMED_WRITE, or TIMED_ALL: not known */
};

void pmk_ahb_timer_init(struct pmk_ahb_timer *t);

/* One cycle, which `l` has just been given. */
void pmk_ahb_timer_sample(struct pmk_ahb_timer *t, const struct pmk_ahb_layer *l,
			  const struct pmk_ahb_cycle *c);

#endif
