/* SPDX-License-Identifier: MIT */
/*
 * Measures how long the bursts of an AHB layer take. The timer reads the state of the layer's
 * observer after each sample:
 *
 *	pmk_ahb_layer_sample(&layer, &bus, &cycle);
 *	pmk_ahb_timer_sample(&timer, &layer, &cycle);
 *
 * The latency of a burst is the number of cycles from the cycle in which the address of its first
 * beat is taken to the cycle in which its last beat completes. A SINGLE without wait states takes
 * 1, and an INCR4 takes 4. Wait states and BUSY cycles are included (our choice). So the latencies
 * of consecutive bursts do not overlap.
 *
 * A burst is timed when the next address phase shows that it has ended, but only if at least one of
 * its beats completed with OKAY or ERROR. So as many bursts are timed as the observer counts. RETRY
 * or SPLIT ends a burst. The bursts that the master makes of the remaining beats are timed
 * separately. A burst that is cut off by reset, by an x or by the end of the samples is not timed.
 */
#ifndef PMK_AHB_BURST_H
#define PMK_AHB_BURST_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>
#include <pmk/spread.h>

#include "buses/ahb/layer.h"

enum pmk_ahb_timed {
	PMK_AHB_TIMED_ALL,
	PMK_AHB_TIMED_READ, /* reads, which are also in PMK_AHB_TIMED_ALL */
	/* Writes. A burst of unknown direction is only in PMK_AHB_TIMED_ALL. */
	PMK_AHB_TIMED_WRITE,
	PMK_AHB_NTIMED
};

struct pmk_ahb_timer {
	struct pmk_spread latency[PMK_AHB_NTIMED]; /* the caller may reset them at any time */
	/* cycle of the last sample; cycles in which the burst began, and in which its last beat so
	 * far completed */
	uint64_t cycle, begin, last;
	/* `open`: there is a current burst. `done`: one of its beats has completed. */
	bool open, done;
	uint8_t direction; /* PMK_AHB_TIMED_READ or _WRITE; PMK_AHB_TIMED_ALL if not known */
};

void pmk_ahb_timer_init(struct pmk_ahb_timer *t);

/* Times one cycle. `l` must have observed the cycle already. */
void pmk_ahb_timer_sample(struct pmk_ahb_timer *t, const struct pmk_ahb_layer *l,
			  const struct pmk_ahb_cycle *c);

#endif
