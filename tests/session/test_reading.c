// SPDX-License-Identifier: MIT
/*
 * Readings: sums and differences are right, and the shortest and longest latency are given only if
 * they are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/microblaze.h>
#include <pmk/model.h>
#include <pmk/reading.h>

#include "producer/session/emulated.h"

#define OK(call) assert_int_equal((call), 0)

struct rig {
	struct pmk_bus bus;
	uint64_t model[PMK_MODEL_BYTES / 8];
	struct pmk_model_port to_model;
	struct pmk_port port;
	struct pmk_session session;
};

static struct rig r; /* too large for the stack */

/*
 * Starts counting instructions, and latencies of instruction cache requests, on five event counters
 * and one latency counter.
 */
static void start(bool timed)
{
	struct pmk_plan plan = { .nevents = 2, .timed = timed, .timer_code = 30 };
	const struct pmk_model_ops *ops = pmk_model_find(&pmk_microblaze);

	memset(&r, 0, sizeof(r));
	plan.event[0].code = 0;
	plan.event[1].code = 60;
	pmk_bus_init(&r.bus);
	r.to_model = (struct pmk_model_port){ .ops = ops, .model = r.model, .bus = &r.bus };
	ops->reset(r.model, &r.bus, &pmk_microblaze);
	r.port = pmk_port_model(&r.to_model);
	OK(pmk_plan_make(&pmk_microblaze, &plan));
	OK(pmk_session_open(&r.session, &pmk_microblaze, &plan, &r.port));
	if (timed)
		OK(pmk_session_timer(&r.session, 1000));
	OK(pmk_session_start(&r.session));
}

/* Adds a request of this many cycles; 1 is a hit. */
static void request(uint32_t cycles)
{
	pmk_bus_add(&r.bus, PMK_SIG_L1I_ACCESS, 1);
	if (cycles > 1)
		pmk_bus_record(&r.bus, PMK_SIG_L1I_ACCESS, r.bus.total[PMK_SIG_CYCLE], cycles);
	pmk_bus_add(&r.bus, PMK_SIG_CYCLE, cycles);
	pmk_bus_add(&r.bus, PMK_SIG_INSN, 1);
}

static void expect(const struct pmk_reading_latency *l, uint64_t n, uint64_t sum, uint64_t squares,
		   uint64_t min, uint64_t max)
{
	const struct pmk_stats *s = &l->values;

	assert_true(s->n == n && s->sum == sum && s->sq_low == squares && s->sq_high == 0);
	assert_true(s->min == min && s->max == max);
	assert_false(l->full || l->saturated);
}

static void test_differences(void **state)
{
	struct pmk_reading first, second, part, sum;

	(void)state;
	start(false);
	assert_int_equal(pmk_reading_find_latency(&r.session.plan, &pmk_microblaze, 0), -1);
	assert_int_equal(pmk_reading_find_latency(&r.session.plan, &pmk_microblaze, 1), 0);
	request(1);
	request(20);
	OK(pmk_reading_take(&first, &r.session));
	assert_true(first.total[0] == 2 && first.total[1] == 2);
	expect(&first.latency[0], 2, 21, 401, 1, 20);
	request(5);
	OK(pmk_reading_take(&second, &r.session));
	expect(&second.latency[0], 3, 26, 426, 1, 20);
	/*
	 * The shortest and longest latency of a part are unknown, because the counter was not
	 * cleared when the part began.
	 */
	pmk_reading_since(&part, &second, &first);
	assert_true(part.total[0] == 1 && part.total[1] == 1);
	expect(&part.latency[0], 1, 5, 25, UINT64_MAX, 0);
	/* If nothing is subtracted, they are known. */
	pmk_reading_init(&sum);
	pmk_reading_since(&part, &second, &sum);
	expect(&part.latency[0], 3, 26, 426, 1, 20);
	pmk_reading_add(&sum, &first);
	pmk_reading_add(&sum, &second);
	assert_true(sum.total[1] == 5);
	expect(&sum.latency[0], 5, 47, 827, 1, 20);
}

/*
 * A tick clears the counters, so each interval, and the part after the last interval, has its own
 * shortest and longest latency.
 */
static void test_ticks(void **state)
{
	struct pmk_reading interval, total, now, rest;

	(void)state;
	start(true);
	pmk_reading_init(&total);
	request(1);
	request(20);
	OK(pmk_reading_tick(&interval, &total, &r.session));
	expect(&interval.latency[0], 2, 21, 401, 1, 20);
	request(7);
	request(9);
	OK(pmk_reading_tick(&interval, &total, &r.session));
	assert_true(interval.total[0] == 2 && total.total[0] == 4);
	expect(&interval.latency[0], 2, 16, 130, 7, 9);
	expect(&total.latency[0], 4, 37, 531, 1, 20);
	OK(pmk_reading_tick(&interval, &total, &r.session)); /* nothing happened */
	expect(&interval.latency[0], 0, 0, 0, UINT64_MAX, 0);
	request(3);
	OK(pmk_reading_take(&now, &r.session));
	pmk_reading_after_tick(&rest, &now, &total, &r.session);
	expect(&rest.latency[0], 1, 3, 9, 3, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
