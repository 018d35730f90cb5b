/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The result of a latency counter, in the form that hardware has (MicroBlaze, UG984 "Performance
 * Monitoring"): the number of timed occurrences, the sum of their latencies in cycles, the sum of
 * the squares of the latencies, the shortest latency and the longest. min > max: no occurrence was
 * timed. The functions may be called from interrupt handlers.
 */
#ifndef PMK_LATENCY_H
#define PMK_LATENCY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_latency {
	uint64_t n, sum;
	uint64_t sum2; /* sum of the squares, modulo 2^64 */
	uint64_t min, max;
};

/* Sets *l to no occurrences. */
static inline void pmk_latency_init(struct pmk_latency *l)
{
	l->n = l->sum = l->sum2 = l->max = 0;
	l->min = UINT64_MAX;
}

/* Adds one occurrence that took `cycles`. */
static inline void pmk_latency_add(struct pmk_latency *l, uint64_t cycles)
{
	l->n++;
	l->sum += cycles;
	l->sum2 += cycles * cycles;
	if (cycles < l->min)
		l->min = cycles;
	if (cycles > l->max)
		l->max = cycles;
}

#ifdef __cplusplus
}
#endif

#endif
