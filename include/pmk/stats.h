/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Count, sum, smallest, largest, mean and standard deviation of 64-bit values, computed with
 * integers. The sum of squares has 128 bits. The deviation is computed from exact differences, not
 * from the difference of two large rounded numbers.
 *
 * Freestanding; calls no division helper. No function accepts NULL. All may be called from
 * interrupt handlers, but they are not atomic: a handler must not use a set that it may have
 * interrupted. pmk_stats_mean() and the two deviations divide bit by bit and take thousands of
 * instructions; the other functions take a small constant number.
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

/* Makes *s an empty set. */
void pmk_stats_init(struct pmk_stats *s);
/* Adds the value x. */
void pmk_stats_add(struct pmk_stats *s, uint64_t x);

/* pmk_stats_merge() adds the values of `more` to *s. pmk_stats_remove() removes the values of
 * `part`, which must all be in *s. If `part` is not empty, the smallest and largest value are not
 * known after this: min > max. */
void pmk_stats_merge(struct pmk_stats *s, const struct pmk_stats *more);
void pmk_stats_remove(struct pmk_stats *s, const struct pmk_stats *part);

/* Return the mean and the sample standard deviation (divisor n - 1), multiplied by `scale` (1 …
 * 1000) and rounded to the nearest integer; UINT64_MAX if the result does not fit. The mean of an
 * empty set is 0, and so is the deviation of fewer than two values. */
uint64_t pmk_stats_mean(const struct pmk_stats *s, uint32_t scale);
uint64_t pmk_stats_stddev(const struct pmk_stats *s, uint32_t scale);
/* Like pmk_stats_stddev(), but with the divisor n: returns the deviation of a whole population, not
 * of a sample. It is 0 for an empty set. */
uint64_t pmk_stats_deviation(const struct pmk_stats *s, uint32_t scale);

#ifdef __cplusplus
}
#endif

#endif
