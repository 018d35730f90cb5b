/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Count, sum, smallest, largest, mean and standard deviation of 64-bit values, in integers and
 * without loss: the sum of squares has 128 bits, and the deviation is taken from exact differences,
 * not from the difference of two large rounded numbers.
 *
 * Freestanding; calls no division helper. May be called from anywhere; not atomic. pmk_stats_add()
 * takes a small constant number of instructions, the others take some hundreds.
 */
#ifndef PMK_STATS_H
#define PMK_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmk_stats {
	uint64_t n;
	uint64_t sum;		  /* modulo 2^64 */
	uint64_t sq_low, sq_high; /* Σx², modulo 2^128 */
	uint64_t min, max;	  /* min > max: nothing was added */
};

void pmk_stats_init(struct pmk_stats *s);
void pmk_stats_add(struct pmk_stats *s, uint64_t x);

/* pmk_stats_merge() merges two sets. pmk_stats_remove() removes a set from another that contains
 * it. After a removal the smallest and largest are not known: min > max. */
void pmk_stats_merge(struct pmk_stats *s, const struct pmk_stats *more);
void pmk_stats_remove(struct pmk_stats *s, const struct pmk_stats *part);

/* Return the mean and the sample standard deviation (divisor n - 1), times `scale` (1 … 1000),
 * rounded to the nearest integer; UINT64_MAX if it does not fit. The mean of no values is 0, and so
 * is the deviation of fewer than two. */
uint64_t pmk_stats_mean(const struct pmk_stats *s, uint32_t scale);
uint64_t pmk_stats_stddev(const struct pmk_stats *s, uint32_t scale);
/* Like pmk_stats_stddev(), but with the divisor n: returns the deviation of a whole population, not
 * of a sample. It is 0 for an empty set. */
uint64_t pmk_stats_deviation(const struct pmk_stats *s, uint32_t scale);

#ifdef __cplusplus
}
#endif

#endif
