// SPDX-License-Identifier: MIT
/*
 * Computes statistics of 64-bit values with integers. Freestanding. See <pmk/stats.h>.
 *
 * Division and square root work bit by bit, because compilers for small processors would otherwise
 * call helper functions that firmware may not have. They are slow, but run only when a report is
 * written.
 *
 * The deviation is computed by this formula, with Σx = n·q + r and 0 ≤ r < n:
 *
 *	Σ(x - mean)² = Σx² - q·(Σx + r) - r²/n
 *
 * Only the last term is rounded, so no large number is rounded before it is subtracted.
 */
#include <pmk/stats.h>

#include <stdbool.h>

struct u128 {
	uint64_t high, low;
};

static struct u128 u64_multiply(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (uint32_t)mid;

	return (struct u128){ a1 * b1 + (mid >> 32) + (mid2 >> 32), mid2 << 32 | (uint32_t)low };
}

static struct u128 u128_add(struct u128 a, struct u128 b)
{
	uint64_t low = a.low + b.low;

	return (struct u128){ a.high + b.high + (low < a.low), low };
}

static struct u128 u128_subtract(struct u128 a, struct u128 b)
{
	return (struct u128){ a.high - b.high - (a.low < b.low), a.low - b.low };
}

static int at_least(struct u128 a, struct u128 b)
{
	return a.high != b.high ? a.high > b.high : a.low >= b.low;
}

/* Returns n / d, and stores the remainder in *rest. */
static struct u128 u128_divide(struct u128 n, uint64_t d, uint64_t *rest)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < 128; i++) {
		uint64_t carry = r >> 63;

		r = r << 1 | n.high >> 63;
		n.high = n.high << 1 | n.low >> 63;
		n.low <<= 1;
		if (carry || r >= d) {
			r -= d;
			n.low |= 1;
		}
	}
	*rest = r;
	return n;
}

static struct u128 u128_multiply(struct u128 v, uint64_t k)
{
	return u128_add(u64_multiply(v.low, k), (struct u128){ v.high * k, 0 });
}

/* Returns the square root, rounded down. */
static uint64_t u128_root(struct u128 v)
{
	struct u128 rest = { 0, 0 }, one = { 0, 1 };
	uint64_t s = 0;

	/* Each step takes two bits of v, as in the manual method. So rest < 2^66. */
	for (unsigned i = 0; i < 64; i++) {
		struct u128 trial = { s >> 62, s << 2 };

		rest.high = rest.high << 2 | rest.low >> 62;
		rest.low = rest.low << 2 | v.high >> 62;
		v.high = v.high << 2 | v.low >> 62;
		v.low <<= 2;
		trial = u128_add(trial, one);
		s <<= 1;
		if (at_least(rest, trial)) {
			rest = u128_subtract(rest, trial);
			s |= 1;
		}
	}
	return s;
}

static uint64_t u128_saturate(struct u128 v)
{
	return v.high ? UINT64_MAX : v.low;
}

void pmk_stats_init(struct pmk_stats *s)
{
	*s = (struct pmk_stats){ .min = UINT64_MAX };
}

void pmk_stats_add(struct pmk_stats *s, uint64_t x)
{
	struct u128 sq = u128_add((struct u128){ s->sq_high, s->sq_low }, u64_multiply(x, x));

	s->n++;
	s->sum += x;
	s->sq_low = sq.low;
	s->sq_high = sq.high;
	if (x < s->min)
		s->min = x;
	if (x > s->max)
		s->max = x;
}

void pmk_stats_merge(struct pmk_stats *s, const struct pmk_stats *more)
{
	struct u128 sq = u128_add((struct u128){ s->sq_high, s->sq_low },
				  (struct u128){ more->sq_high, more->sq_low });
	bool known = (!s->n || s->min <= s->max) && (!more->n || more->min <= more->max);

	s->n += more->n;
	s->sum += more->sum;
	s->sq_low = sq.low;
	s->sq_high = sq.high;
	if (!known || more->min < s->min)
		s->min = known ? more->min : UINT64_MAX;
	if (!known || more->max > s->max)
		s->max = known ? more->max : 0;
}

void pmk_stats_remove(struct pmk_stats *s, const struct pmk_stats *part)
{
	struct u128 sq = u128_subtract((struct u128){ s->sq_high, s->sq_low },
				       (struct u128){ part->sq_high, part->sq_low });

	if (!part->n)
		return;
	s->n -= part->n;
	s->sum -= part->sum;
	s->sq_low = sq.low;
	s->sq_high = sq.high;
	s->min = UINT64_MAX;
	s->max = 0;
}

uint64_t pmk_stats_mean(const struct pmk_stats *s, uint32_t scale)
{
	uint64_t rest;

	if (!s->n)
		return 0;
	return u128_saturate(u128_divide(
		u128_add(u64_multiply(s->sum, scale), (struct u128){ 0, s->n / 2 }), s->n, &rest));
}

/*
 * Returns the root of the variance with divisor n or n - 1. The function computes the root of four
 * times the value. The lowest bit of this root shows whether the fraction is ½ or more, so the
 * result can be rounded. For deviations of 2^53 and more there are not enough bits for this, and
 * results are off by at most `scale`.
 */
static uint64_t standard_deviation(const struct pmk_stats *s, uint64_t divisor, uint32_t scale)
{
	const uint64_t scale2 = 4 * (uint64_t)scale * scale; /* < 2^22 */
	struct u128 sq = { s->sq_high, s->sq_low };
	uint64_t q, r, rest;

	q = u128_divide((struct u128){ 0, s->sum }, s->n, &r).low;
	sq = u128_subtract(sq, u128_add(u64_multiply(q, s->sum), u64_multiply(q, r)));
	if (!sq.high && sq.low >> 44 == 0 && s->n >> 32 == 0) {
		/* The values are small, so multiply by n instead of dividing r² by n. This is
		 * exact. */
		sq = u128_subtract(u64_multiply(sq.low, s->n), u64_multiply(r, r));
		divisor *= s->n;
	} else {
		sq = u128_subtract(sq, u128_divide(u64_multiply(r, r), s->n, &rest));
	}
	if (sq.high >> 42 == 0) {
		sq = u128_divide(u128_multiply(sq, scale2), divisor, &rest);
	} else {
		sq = u128_divide(sq, divisor, &rest);
		if (sq.high >> 42)
			return u128_saturate(u64_multiply(u128_root(sq), scale));
		sq = u128_multiply(sq, scale2);
	}
	r = u128_root(sq);
	return (r >> 1) + (r & 1);
}

uint64_t pmk_stats_stddev(const struct pmk_stats *s, uint32_t scale)
{
	return s->n < 2 ? 0 : standard_deviation(s, s->n - 1, scale);
}

uint64_t pmk_stats_deviation(const struct pmk_stats *s, uint32_t scale)
{
	return s->n ? standard_deviation(s, s->n, scale) : 0;
}
