// SPDX-License-Identifier: MIT
/*
 * Tests the durations of a layer's bursts. Waves are written as in trace.h. The expected latencies
 * were counted by hand, from the cycle that accepts the first address to the cycle that ends the
 * last beat.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "buses/ahb/burst.h"

#include "trace.h"

static struct pmk_ahb_layer layer;
static struct pmk_ahb_timer timer;
static struct pmk_bus bus;
static struct trace trace;

static void begin(uint32_t has)
{
	struct pmk_ahb_layer_params params;

	pmk_ahb_layer_defaults(&params);
	params.has = has;
	pmk_bus_init(&bus);
	assert_int_equal(pmk_ahb_layer_init(&layer, &params, &bus), 0);
	pmk_ahb_timer_init(&timer);
}

static void sample(const struct pmk_ahb_cycle *c)
{
	pmk_ahb_layer_sample(&layer, &bus, c);
	pmk_ahb_timer_sample(&timer, &layer, c);
}

static void feed(const char *wave)
{
	trace_make(&trace, wave);
	for (unsigned i = 0; i < trace.n; i++)
		sample(&trace.cycle[i]);
}

static void expect(enum pmk_ahb_timed which, unsigned n, unsigned sum, unsigned min, unsigned max)
{
	const struct pmk_stats *s = &timer.latency[which].stats;

	assert_int_equal(s->n, n);
	assert_int_equal(s->sum, sum);
	if (n) {
		assert_int_equal(s->min, min);
		assert_int_equal(s->max, max);
	}
}

static uint64_t in_bucket(unsigned bucket)
{
	return timer.latency[PMK_AHB_TIMED_ALL].histogram.count[bucket];
}

static void test_without_waits(void **state)
{
	(void)state;
	begin(PMK_AHB_ALL);
	feed("Nr Nw:incr4 S S S Nr:wrap8 S S S S S S S I I");
	expect(PMK_AHB_TIMED_ALL, 3, 1 + 4 + 8, 1, 8);
	expect(PMK_AHB_TIMED_READ, 2, 1 + 8, 1, 8);
	expect(PMK_AHB_TIMED_WRITE, 1, 4, 4, 4);
	assert_int_equal(in_bucket(1), 1); /* 1 cycle */
	assert_int_equal(in_bucket(3), 1); /* 4 to 7 cycles */
	assert_int_equal(in_bucket(4), 1); /* 8 to 15 cycles */
}

/*
 * Wait states and BUSY cycles belong to the burst. In a wave, the letters after a slash are the
 * data phase of the previous word (trace.h).
 */
static void test_waits_and_busy(void **state)
{
	(void)state;
	begin(PMK_AHB_ALL);
	feed("Nr I/sso");
	expect(PMK_AHB_TIMED_ALL, 1, 3, 3, 3);
	feed("Nr:incr4 S/so B S S/sso I/o");
	expect(PMK_AHB_TIMED_ALL, 2, 3 + 4 + 3 + 1, 3, 8);
	/*
	 * Wait states of a burst do not count for the next burst, although its address waits at the
	 * same time.
	 */
	feed("Nw Nw/sssso I");
	expect(PMK_AHB_TIMED_WRITE, 2, 5 + 1, 1, 5);
}

/* An INCR burst that ends with BUSY lasts until the end of its last beat. */
static void test_a_burst_that_ends_with_busy(void **state)
{
	(void)state;
	begin(PMK_AHB_ALL);
	feed("Nr:incr S B B");
	expect(PMK_AHB_TIMED_ALL, 0, 0, 0, 0);
	feed("I");
	expect(PMK_AHB_TIMED_ALL, 1, 2, 2, 2);
}

/*
 * A transfer that is refused does not count as a burst, but the beats before it do. There are as
 * many latencies as bursts.
 */
static void test_responses(void **state)
{
	(void)state;
	begin(PMK_AHB_ALL);
	feed("Nr I/eE");
	expect(PMK_AHB_TIMED_ALL, 1, 2, 2, 2);
	assert_int_equal(layer.errors, 1);
	feed("Nr I/rR Nr I");
	expect(PMK_AHB_TIMED_ALL, 2, 2 + 1, 1, 2);
	feed("Nr:incr4 S/o I/pP I");
	expect(PMK_AHB_TIMED_ALL, 3, 2 + 1 + 1, 1, 2);
	assert_int_equal(layer.first_beat, 3);
	assert_int_equal(layer.errors, 1);
}

static void test_what_cuts_a_burst_off(void **state)
{
	struct pmk_ahb_cycle c = { .htrans = PMK_AHB_SEQ, .hready = true };

	(void)state;
	begin(PMK_AHB_ALL);
	feed("Nr:incr4 S S");
	c.x = PMK_AHB_ROLE(PMK_AHB_HTRANS);
	sample(&c);
	feed("I I");
	expect(PMK_AHB_TIMED_ALL, 0, 0, 0, 0);
	feed("Nr:incr4 S S");
	c.x = PMK_AHB_ROLE(PMK_AHB_HREADY);
	sample(&c);
	feed("I I");
	expect(PMK_AHB_TIMED_ALL, 0, 0, 0, 0);
	feed("Nr:incr4 S S");
	c = (struct pmk_ahb_cycle){ .reset = true };
	sample(&c);
	feed("I I Nr I");
	expect(PMK_AHB_TIMED_ALL, 1, 1, 1, 1);
}

static void test_without_a_direction(void **state)
{
	(void)state;
	begin(PMK_AHB_REQUIRED);
	feed("Nw:incr4 S S S I");
	expect(PMK_AHB_TIMED_ALL, 1, 4, 4, 4);
	expect(PMK_AHB_TIMED_READ, 0, 0, 0, 0);
	expect(PMK_AHB_TIMED_WRITE, 0, 0, 0, 0);
}

static void test_buckets(void **state)
{
	static const struct {
		uint64_t value;
		unsigned bucket;
	} rows[] = { { 0, 0 },	{ 1, 1 },  { 2, 2 },   { 3, 2 },
		     { 4, 3 },	{ 7, 3 },  { 8, 4 },   { UINT64_C(1) << 63, 64 },
		     { 15, 4 }, { 16, 5 }, { 255, 8 }, { UINT64_MAX, 64 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(pmk_bucket_of(rows[i].value), rows[i].bucket);
		assert_true(pmk_bucket_first(rows[i].bucket) <= rows[i].value);
		assert_true(pmk_bucket_last(rows[i].bucket) >= rows[i].value);
	}
	assert_int_equal(pmk_bucket_last(3), 7);
	assert_int_equal(pmk_bucket_last(64), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_waits),
		cmocka_unit_test(test_waits_and_busy),
		cmocka_unit_test(test_a_burst_that_ends_with_busy),
		cmocka_unit_test(test_responses),
		cmocka_unit_test(test_what_cuts_a_burst_off),
		cmocka_unit_test(test_without_a_direction),
		cmocka_unit_test(test_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
