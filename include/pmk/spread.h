/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * A distribution of values: their number, sum, sum of squares, smallest and largest value, and a
 * histogram whose buckets double in width. Bucket k counts the values that have k significant bits:
 * bucket 0 counts the value 0, bucket 1 the value 1, bucket 2 the values 2 and 3, bucket 3 those
 * from 4 to 7, and so on. So no range has to be chosen in advance.
 */
#ifndef PMK_SPREAD_H
#define PMK_SPREAD_H

#include <stdint.h>

#include <pmk/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_BUCKETS 65

struct pmk_histogram {
	uint64_t count[PMK_BUCKETS];
};

struct pmk_spread {
	struct pmk_stats stats;
	struct pmk_histogram histogram;
};

/* Returns the number of the bucket that counts this value. */
static inline unsigned pmk_bucket_of(uint64_t value)
{
	unsigned bits = 0;

	for (; value; value >>= 1)
		bits++;
	return bits;
}

/* These return the smallest and the largest value of a bucket. */
static inline uint64_t pmk_bucket_first(unsigned bucket)
{
	return bucket ? UINT64_C(1) << (bucket - 1) : 0;
}

static inline uint64_t pmk_bucket_last(unsigned bucket)
{
	return bucket ? pmk_bucket_first(bucket) - 1 + pmk_bucket_first(bucket) : 0;
}

static inline void pmk_spread_init(struct pmk_spread *s)
{
	pmk_stats_init(&s->stats);
	for (unsigned i = 0; i < PMK_BUCKETS; i++)
		s->histogram.count[i] = 0;
}

static inline void pmk_spread_add(struct pmk_spread *s, uint64_t value)
{
	pmk_stats_add(&s->stats, value);
	s->histogram.count[pmk_bucket_of(value)]++;
}

static inline void pmk_spread_merge(struct pmk_spread *s, const struct pmk_spread *more)
{
	pmk_stats_merge(&s->stats, &more->stats);
	for (unsigned i = 0; i < PMK_BUCKETS; i++)
		s->histogram.count[i] += more->histogram.count[i];
}

#ifdef __cplusplus
}
#endif

#endif
