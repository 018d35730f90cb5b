// SPDX-License-Identifier: MIT
/*
 * Statistics in integers are as exact as 128-bit integers and long doubles (64 bits of mantissa)
 * can show.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <pmk/stats.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX	 64

/* GNU C, because ISO C has no integer of this width. */
__extension__ typedef unsigned __int128 u128;

_Static_assert(LDBL_MANT_DIG >= 64, "the reference needs a long double of 64 bits");

static uint64_t next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1D;
}

static void fill(struct pmk_stats *s, const uint64_t *x, unsigned n)
{
	pmk_stats_init(s);
	for (unsigned i = 0; i < n; i++)
		pmk_stats_add(s, x[i]);
}

/* Checks everything except mean and deviation. */
static void check_sums(const struct pmk_stats *s, const uint64_t *x, unsigned n)
{
	uint64_t sum = 0, min = UINT64_MAX, max = 0;
	u128 squares = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += x[i];
		squares += (u128)x[i] * x[i];
		min = x[i] < min ? x[i] : min;
		max = x[i] > max ? x[i] : max;
	}
	assert_true(s->n == n && s->sum == sum && s->min == min && s->max == max);
	assert_true(s->sq_low == (uint64_t)squares && s->sq_high == (uint64_t)(squares >> 64));
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Returns Σ(x - mean)² · n, which is an integer: the sum of (xi - xj)² over all pairs. */
static u128 pairs(const uint64_t *x, unsigned n)
{
	u128 sum = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i + 1; j < n; j++)
			sum += (u128)distance(x[i], x[j]) * distance(x[i], x[j]);
	return sum;
}

/* Returns the result of pairs() for sums that may have more than 128 bits. */
static long double pairs_rounded(const uint64_t *x, unsigned n)
{
	long double sum = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i + 1; j < n; j++)
			sum += (long double)distance(x[i], x[j]) *
			       (long double)distance(x[i], x[j]);
	return sum;
}

/*
 * Checks that results are exact to the last digit, for values below 2^40 and a sum that does not
 * overflow.
 */
static void check_exact(const uint64_t *x, unsigned n, uint32_t scale)
{
	struct pmk_stats s;
	uint64_t mean, deviation;
	u128 variance, low, high, sum = 0;

	fill(&s, x, n);
	check_sums(&s, x, n);
	for (unsigned i = 0; i < n; i++)
		sum += x[i];
	mean = pmk_stats_mean(&s, scale);
	/* |mean - sum·scale/n| ≤ ½ */
	assert_true(2 * (u128)mean * n <= 2 * sum * scale + n);
	assert_true(2 * (u128)mean * n + n >= 2 * sum * scale);
	deviation = pmk_stats_stddev(&s, scale);
	if (n < 2) {
		assert_int_equal(deviation, 0);
		return;
	}
	/* (deviation - ½)² ≤ variance·scale² ≤ (deviation + ½)², all times 4·n·(n - 1) */
	variance = 4 * pairs(x, n) * scale * scale;
	low = deviation ? (u128)(2 * deviation - 1) * (2 * deviation - 1) * n * (n - 1) : 0;
	high = (u128)(2 * deviation + 1) * (2 * deviation + 1) * n * (n - 1);
	if (variance < low || variance > high)
		fail_msg("deviation %llu of %u values, scale %u", (unsigned long long)deviation, n,
			 scale);
}

/* Checks that the other results are within the precision of a long double. */
static void check_close(const uint64_t *x, unsigned n, uint32_t scale)
{
	long double mean, deviation = 0, sum = 0, got;
	struct pmk_stats s;

	fill(&s, x, n);
	check_sums(&s, x, n);
	for (unsigned i = 0; i < n; i++)
		sum += (long double)x[i];
	mean = sum / n * scale;
	got = (long double)pmk_stats_mean(&s, scale);
	if (mean >= 0x1p64L)
		assert_true(pmk_stats_mean(&s, scale) == UINT64_MAX);
	else
		assert_true(fabsl(got - mean) <= 1 + mean * 0x1p-60L);
	if (n > 1)
		deviation = sqrtl(pairs_rounded(x, n) / n / (n - 1)) * scale;
	got = (long double)pmk_stats_stddev(&s, scale);
	if (deviation >= 0x1p64L)
		assert_true(pmk_stats_stddev(&s, scale) == UINT64_MAX);
	else if (fabsl(got - deviation) > 1 + scale + deviation * 0x1p-60L)
		fail_msg("deviation %.0Lf, want %.2Lf: %u values, scale %u", got, deviation, n,
			 scale);
}

static void test_nothing(void **state)
{
	struct pmk_stats s;

	(void)state;
	pmk_stats_init(&s);
	assert_true(s.n == 0 && s.sum == 0 && s.min > s.max);
	assert_int_equal(pmk_stats_mean(&s, 1000), 0);
	assert_int_equal(pmk_stats_stddev(&s, 1000), 0);
}

/* These answers were computed by hand. */
static void test_known(void **state)
{
	static const struct {
		uint64_t x[8];
		unsigned n;
		uint64_t mean, deviation; /* multiplied by 1000 */
	} rows[] = {
		{ { 7 }, 1, 7000, 0 },
		{ { 0, 0 }, 2, 0, 0 },
		{ { 0, 1 }, 2, 500, 707 },
		{ { 1, 2 }, 2, 1500, 707 },
		{ { 5, 5, 5 }, 3, 5000, 0 },
		{ { 2, 4, 4, 4, 5, 5, 7, 9 }, 8, 5000, 2138 },
		{ { 1, 2, 3, 4 }, 4, 2500, 1291 },
		{ { 0, 0, 0, 1 }, 4, 250, 500 },
		{ { 1000000000, 1000000002 }, 2, 1000000001000, 1414 },
	};
	struct pmk_stats s;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		fill(&s, rows[i].x, rows[i].n);
		assert_int_equal(pmk_stats_mean(&s, 1000), rows[i].mean);
		assert_int_equal(pmk_stats_stddev(&s, 1000), rows[i].deviation);
	}
}

/* Deviations of 0.707 and 0.5 are rounded to 1, and 0.49 to 0. */
static void test_rounding(void **state)
{
	static const uint64_t half[] = { 0, 1 }, quarter[] = { 0, 0, 0, 1 };
	uint64_t few[MAX] = { 1 };
	struct pmk_stats s;

	(void)state;
	fill(&s, half, 2);
	assert_int_equal(pmk_stats_stddev(&s, 1), 1);
	assert_int_equal(pmk_stats_mean(&s, 1), 1);
	fill(&s, quarter, 4);
	assert_int_equal(pmk_stats_stddev(&s, 1), 1);
	assert_int_equal(pmk_stats_mean(&s, 1), 0);
	fill(&s, few, 5);
	assert_int_equal(pmk_stats_stddev(&s, 1), 0);
	assert_int_equal(pmk_stats_stddev(&s, 1000), 447);
	/* All fractions from a small set are rounded correctly. */
	for (uint64_t a = 0; a < 12; a++)
		for (uint64_t b = 0; b < 12; b++)
			for (uint64_t c = 0; c < 12; c++)
				for (uint32_t scale = 1; scale <= 1000; scale *= 10)
					check_exact((uint64_t[]){ a, b, c }, 3, scale);
}

static void test_random_small(void **state)
{
	uint64_t random = 1, x[MAX];

	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		unsigned n = 1 + (unsigned)(next(&random) % MAX), bits = 1 + next(&random) % 40;
		uint64_t base = next(&random) >> 24;
		uint32_t scale = 1 + (uint32_t)(next(&random) % 1000);

		for (unsigned i = 0; i < n; i++) {
			x[i] = next(&random) >> (64 - bits);
			/*
			 * The values are close together and far from 0, where differences of
			 * squares lose all precision.
			 */
			if (round % 2)
				x[i] = base + x[i] % 16;
		}
		check_exact(x, n, scale);
	}
}

static void test_random_large(void **state)
{
	uint64_t random = 2, x[MAX];

	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		unsigned n = 1 + (unsigned)(next(&random) % MAX), bits = 40 + next(&random) % 25;
		uint32_t scale = 1 + (uint32_t)(next(&random) % 1000);

		/* The sum must fit into 64 bits. */
		for (unsigned i = 0; i < n; i++)
			x[i] = (next(&random) >> (64 - bits)) / n;
		check_close(x, n, scale);
	}
}

static void test_extremes(void **state)
{
	static const uint64_t most[] = { UINT64_MAX }, two[] = { 0, UINT64_MAX },
			      near[] = { UINT64_MAX / 2, UINT64_MAX / 2 + 1 },
			      three[] = { 1, UINT64_MAX - 3, 2 };
	struct pmk_stats s;

	(void)state;
	for (uint32_t scale = 1; scale <= 1000; scale *= 10) {
		check_close(most, 1, scale);
		check_close(two, 2, scale);
		check_close(three, 3, scale);
	}
	fill(&s, most, 1);
	assert_true(pmk_stats_mean(&s, 1) == UINT64_MAX);
	assert_true(pmk_stats_mean(&s, 2) == UINT64_MAX);
	/* The squares of 2^63 - 1 and 2^63 have 126 bits. Their deviation is 0.707. */
	fill(&s, near, 2);
	assert_int_equal(pmk_stats_stddev(&s, 1), 1);
	assert_int_equal(pmk_stats_stddev(&s, 1000), 707);
	assert_true(pmk_stats_mean(&s, 1) == UINT64_C(1) << 63);
}

/*
 * Half of the values are 0, and half of them are 2. Their number is larger than the test could add
 * one by one. The mean is 1, and the deviation is a little more than 1.
 */
static void test_many(void **state)
{
	(void)state;
	for (unsigned bits = 20; bits < 63; bits++) {
		struct pmk_stats s = {
			.n = UINT64_C(1) << bits,
			.sum = UINT64_C(1) << bits,
			.sq_low = UINT64_C(2) << bits,
			.min = 0,
			.max = 2,
		};

		assert_int_equal(pmk_stats_mean(&s, 1000), 1000);
		assert_int_equal(pmk_stats_stddev(&s, 1000), 1000);
	}
}

/*
 * With the divisor n instead of n - 1, the deviation of 2, 4, 4, 4, 5, 5, 7, 9 would be exactly 2.
 */
static void test_deviation(void **state)
{
	static const uint64_t x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct pmk_stats s;

	(void)state;
	fill(&s, x, 8);
	assert_true(pmk_stats_mean(&s, 100) == 500);
	assert_true(pmk_stats_deviation(&s, 1000) == 2000);
	assert_true(pmk_stats_stddev(&s, 1000) == 2138); /* √(32/7) */
	fill(&s, x, 1);
	assert_true(pmk_stats_deviation(&s, 1000) == 0);
	pmk_stats_init(&s);
	assert_true(pmk_stats_deviation(&s, 1000) == 0);
}

/* The deviation is right if N·ΣL² and (ΣL)² both exceed 64 bits, and are nearly equal. */
static void test_deviation_of_large_sums(void **state)
{
	struct pmk_stats s;

	(void)state;
	pmk_stats_init(&s);
	for (unsigned i = 0; i < 1000; i++)
		pmk_stats_add(&s, UINT64_C(10000000000) + i % 2 * 6);
	assert_true(pmk_stats_mean(&s, 1) == UINT64_C(10000000003));
	assert_true(pmk_stats_deviation(&s, 1000) == 3000);
}

static void test_merge_and_remove(void **state)
{
	uint64_t x[40], seed = 11;
	struct pmk_stats all, first, rest, merged;

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		x[i] = next(&seed) >> (i % 8 * 8);
	for (unsigned cut = 0; cut <= 40; cut++) {
		fill(&all, x, 40);
		fill(&first, x, cut);
		fill(&rest, x + cut, 40 - cut);
		merged = first;
		pmk_stats_merge(&merged, &rest);
		check_sums(&merged, x, 40);
		pmk_stats_remove(&all, &first);
		assert_true(all.n == rest.n && all.sum == rest.sum);
		assert_true(all.sq_low == rest.sq_low && all.sq_high == rest.sq_high);
		/*
		 * After a subtraction, it is not known whether the extremes belong to the values
		 * that are left.
		 */
		assert_true(cut ? all.min > all.max : all.min == rest.min && all.max == rest.max);
	}
	/* Unknown extremes stay unknown when more values are added or subtracted. */
	fill(&all, x, 40);
	fill(&first, x, 20);
	pmk_stats_remove(&all, &first);
	pmk_stats_merge(&all, &first);
	assert_true(all.n == 40 && all.min > all.max);
	pmk_stats_merge(&first, &all);
	assert_true(first.n == 60 && first.min > first.max);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_random_small),
		cmocka_unit_test(test_random_large),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_deviation),
		cmocka_unit_test(test_deviation_of_large_sums),
		cmocka_unit_test(test_merge_and_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
