// SPDX-License-Identifier: MIT
/*
 * Sampling units are at the right positions, and give the right estimates. producer/session/units.h
 * explains the head, stretches, pairs, and cold and stale units.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "producer/session/units.h"

#define EVENT PMK_UNITS_EVENTS

static const struct pmk_units_config config = {
	.head = 1000,
	.warm = 20,
	.unit = 10,
	.least = 100,
	.most = 400,
	.part = 16,
	.seed = 7,
};

static struct pmk_units u; /* too large for the stack */

static struct pmk_units_piece piece(uint32_t phase, uint64_t from, uint64_t insns, uint64_t cycles,
				    uint64_t count)
{
	struct pmk_units_piece p = {
		.phase = phase, .from = from, .insns = insns, .cycles = cycles
	};

	p.counts.total[0] = count;
	return p;
}

static void add(uint32_t phase, uint64_t from, uint64_t insns, uint64_t cycles, uint64_t count)
{
	struct pmk_units_piece p = piece(phase, from, insns, cycles, count);

	assert_true(pmk_units_add(&u, &p, 1));
}

static void refuse(uint32_t phase, uint64_t from, uint64_t insns)
{
	struct pmk_units_piece p = piece(phase, from, insns, 1, 1);

	assert_false(pmk_units_add(&u, &p, 1));
}

static void begin(void)
{
	memset(&u, 0, sizeof(u));
	add(PMK_UNITS_HEAD, 1000, 1000, 2000, 100);
}

/*
 * Each stretch begins where the previous one ended, and contains a whole unit and its warm-up. The
 * lengths of the stretches grow from 100 to 400.
 */
static void test_places(void **state)
{
	struct pmk_units_place p = { .random = config.seed }, q = p;
	uint64_t to = 1000;

	(void)state;
	for (unsigned i = 1; i <= 200; i++) {
		uint64_t length = to / 16 < 100 ? 100 : to / 16 > 400 ? 400 : to / 16;

		pmk_units_next(&p, &config, to);
		pmk_units_next(&q, &config, to);
		assert_memory_equal(&p, &q, sizeof(p));
		assert_int_equal(p.from, to);
		assert_int_equal(p.to - p.from, length);
		assert_in_range(p.at, p.from, p.to - 30);
		assert_int_equal(p.n, i);
		assert_int_equal(pmk_units_cold(&p), i % 2);
		to = p.to;
	}
}

/*
 * If a unit begins so late that it ends after its stretch, the next stretch begins where the unit
 * ends.
 */
static void test_late(void **state)
{
	struct pmk_units_place p = { .random = 1 };

	(void)state;
	pmk_units_next(&p, &config, 1000);
	pmk_units_next(&p, &config, 5000);
	assert_int_equal(p.from, 5000);
}

static void test_other_seeds(void **state)
{
	struct pmk_units_place p = { .random = 1 }, q = { .random = 2 };
	unsigned same = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		pmk_units_next(&p, &config, 10000 + 400 * i);
		pmk_units_next(&q, &config, 10000 + 400 * i);
		same += p.at == q.at;
	}
	assert_in_range(same, 0, 10);
}

/* If the program ends before the first unit, everything was counted. */
static void test_all_counted(void **state)
{
	struct pmk_units_estimate e;

	(void)state;
	memset(&u, 0, sizeof(u));
	e = pmk_units_estimate(&u, EVENT, 500, 77);
	assert_true(e.value == 77 && e.margin == 0);
}

/*
 * With no unit, the estimate uses the rate of the head, and the margin is the whole estimated part.
 * With few pairs of units, the estimate uses the rate of the units, and the margin is wide.
 */
static void test_too_few(void **state)
{
	struct pmk_units_estimate e;

	(void)state;
	begin();
	e = pmk_units_estimate(&u, EVENT, 3000, 110);
	assert_true(e.value == 100 + 2000 * 0.1);
	assert_true(e.margin == 200);
	for (uint64_t i = 0; i < 14; i++)
		add(PMK_UNITS_UNIT, 1000 + 100 * i, 10, 30, 5);
	e = pmk_units_estimate(&u, EVENT, 2400, 170);
	assert_true(fabs(e.value - (100 + 1400 * 0.5)) < 1e-9);
	/*
	 * The margin adds the estimate from the head (140), the estimate from the 7 pairs (700),
	 * and the margin for 70 events that were seen in 140 of 1400 instructions: 10 (2 √70 + 3).
	 */
	assert_true(fabs(e.margin - (140 + 700 + (2 * sqrt(70) + 3) * 10)) < 1e-9);
	e = pmk_units_estimate(&u, PMK_UNITS_CYCLES, 2400, 2420);
	assert_true(fabs(e.value - (2000 + 1400 * 3)) < 1e-9);
}

/*
 * Each unit represents the instructions up to the next unit. There are 8 pairs of 100 and 300
 * instructions.
 */
static void test_weights(void **state)
{
	uint64_t from = 1000;
	struct pmk_units_estimate e;

	(void)state;
	begin();
	for (unsigned i = 0; i < 8; i++) {
		add(PMK_UNITS_UNIT, from, 1000, 1000, 100);
		add(PMK_UNITS_UNIT, from + 100, 1000, 1000, 200);
		from += 400;
	}
	e = pmk_units_estimate(&u, EVENT, from, 0);
	/* 8 × (100 × 0.1 + 300 × 0.2) */
	assert_true(fabs(e.value - (100 + 560)) < 1e-6);
	/*
	 * All pairs are equal. In each pair, the rates of the cold and the stale unit differ by
	 * 0.1. The margin is half of this difference for 3200 instructions, plus a thousandth of
	 * the estimated part.
	 */
	assert_true(fabs(e.margin - (160 + 0.56)) < 1e-3);
}

/*
 * The event was not seen in 16 units of 10 instructions, which represent 3200 instructions. So up
 * to 3 events may be in each 160 instructions (3 × 3200 / 160), and in addition as many as the rate
 * of the head gives (320).
 */
static void test_nothing_seen(void **state)
{
	struct pmk_units_estimate e;

	(void)state;
	begin();
	for (uint64_t i = 0; i < 16; i++)
		add(PMK_UNITS_UNIT, 1000 + 200 * i, 10, 10, 0);
	e = pmk_units_estimate(&u, EVENT, 4200, 100);
	assert_true(e.value == 100);
	assert_true(fabs(e.margin - (320 + 3 * 3200 / 160.0)) < 1e-9);
}

/*
 * The event comes in bursts. If it was seen in only 7 pairs, the margin allows for bursts between
 * the units. From 8 pairs on, the variation between pairs gives the margin.
 */
static void test_seen_in_a_few_pairs(void **state)
{
	struct pmk_units_estimate e;

	(void)state;
	for (unsigned seen = 7; seen <= 8; seen++) {
		begin();
		for (unsigned i = 0; i < 18; i++)
			add(PMK_UNITS_UNIT, 1000 + 100 * i, 10, 10, i / 2 < seen ? 5 : 0);
		e = pmk_units_estimate(&u, EVENT, 2800, 100);
		assert_true(fabs(e.value - (100 + 100 * seen)) < 1e-9);
		if (seen == 7)
			assert_true(fabs(e.margin - (180 + 700 + (2 * sqrt(70) + 3) * 10)) < 1e-9);
		else
			assert_true(e.margin < 300);
	}
}

/* After a second thread starts, everything is counted. */
static void test_whole(void **state)
{
	struct pmk_units_estimate e;

	(void)state;
	begin();
	for (uint64_t i = 0; i < 16; i++)
		add(PMK_UNITS_UNIT, 1000 + 100 * i, 10, 10, 1);
	/*
	 * 160 instructions of units, 1000 of the head and 20 more were counted up to here, and 100
	 * + 16 + 2 events.
	 */
	add(PMK_UNITS_WHOLE, 2600, 1180, 2180, 118);
	e = pmk_units_estimate(&u, EVENT, 9999, 518);
	assert_true(fabs(e.value - (100 + 160 + 400)) < 1e-6);
	refuse(PMK_UNITS_UNIT, 2600, 10);
}

/* Invalid values from another process are refused. */
static void test_refused(void **state)
{
	(void)state;
	memset(&u, 0, sizeof(u));
	refuse(PMK_UNITS_UNIT, 1000, 10);
	refuse(PMK_UNITS_WHOLE, 1000, 10);
	refuse(PMK_UNITS_HEAD, 1000, 0);
	begin();
	refuse(PMK_UNITS_HEAD, 1000, 1000);
	refuse(PMK_UNITS_UNIT, 999, 10);
	refuse(PMK_UNITS_UNIT, 1000, 0);
	refuse(PMK_UNITS_REST, 1000, 10);
	refuse(1234567, 1000, 10);
	add(PMK_UNITS_UNIT, 1500, 10, 10, 1);
	refuse(PMK_UNITS_UNIT, 1499, 10);
	refuse(PMK_UNITS_WHOLE, 1499, 10);
}

/* ---- programs of known counts ---------------------------------------------------------------- */

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/*
 * Returns how often the event occurs in the 1000 instructions at `at`, in a program with phases and
 * noise. covers() adds 10 to this number in a cold unit, and subtracts 10 in a stale unit.
 */
static double rate_at(uint64_t at, uint64_t kind)
{
	static const double phase[] = { 50, 300, 120, 80, 500 };
	uint64_t hash = (at / 1000 + 1) * UINT64_C(0x9e3779b97f4a7c15);

	next_random(&hash);
	return phase[at / (70000 + 10000 * kind) % 5] + (double)(hash % 40);
}

/* Samples one program. Returns whether the true count is within the margin. */
static bool covers(uint64_t seed)
{
	const struct pmk_units_config c = { .head = 100000,
					    .warm = 1000,
					    .unit = 2000,
					    .least = 10000,
					    .most = 50000,
					    .part = 16,
					    .seed = seed };
	const uint64_t end = 3000000 + seed * 10000;
	struct pmk_units_place p = { .random = seed };
	struct pmk_units_estimate e;
	double truth = 0, head = 0;

	for (uint64_t at = 0; at < end; at += 1000)
		truth += rate_at(at, seed % 4);
	for (uint64_t at = 0; at < c.head; at += 1000)
		head += rate_at(at, seed % 4);
	memset(&u, 0, sizeof(u));
	add(PMK_UNITS_HEAD, c.head, c.head, c.head, (uint64_t)head);
	pmk_units_next(&p, &c, c.head);
	while (p.at + c.warm + c.unit < end) {
		uint64_t at = (p.at + c.warm) / 1000 * 1000;
		double apart = pmk_units_cold(&p) ? 10 : -10;
		double n = rate_at(at, seed % 4) + rate_at(at + 1000, seed % 4) + 2 * apart;

		add(PMK_UNITS_UNIT, p.from, c.unit, c.unit, (uint64_t)n);
		pmk_units_next(&p, &c, at + c.unit);
	}
	e = pmk_units_estimate(&u, EVENT, end, (uint64_t)head);
	/* A margin that is right only because it is wide would prove nothing. */
	assert_true(e.margin < truth / 2);
	return fabs(e.value - truth) <= e.margin;
}

static void test_coverage(void **state)
{
	unsigned covered = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		covered += covers(seed);
	assert_in_range(covered, 190, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),	     cmocka_unit_test(test_late),
		cmocka_unit_test(test_other_seeds),  cmocka_unit_test(test_all_counted),
		cmocka_unit_test(test_too_few),	     cmocka_unit_test(test_weights),
		cmocka_unit_test(test_nothing_seen), cmocka_unit_test(test_seen_in_a_few_pairs),
		cmocka_unit_test(test_whole),	     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
