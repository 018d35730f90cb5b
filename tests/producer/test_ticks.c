// SPDX-License-Identifier: MIT
/*
 * While nothing is counted, some blocks report the progress of the program. Such a report is a tick
 * (producer/qemu/ticks.h). A unit is a piece of the program that pmk stat --sample counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "producer/qemu/ticks.h"

/* A program of loops: block `i` has 10 instructions and is executed once in 4^i rounds of the
 * innermost loop. */
#define BLOCKS 8

static struct pmk_ticks t;
static struct pmk_tick *tick[BLOCKS];

static void translate(void)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		tick[i] = pmk_ticks_translated(&t, 0x8000 + 40 * i);
}

static void begin(void)
{
	assert_int_equal(pmk_ticks_init(&t), 0);
	pmk_ticks_begin(&t, 0);
	translate();
}

/*
 * Runs until a unit is due, or until code must be translated again. Returns the progress of the
 * program, and sets *longest to the longest time without a tick.
 */
static uint64_t run(uint64_t executed, uint64_t due, bool *anew, uint64_t *longest)
{
	uint64_t last = executed;

	*longest = 0;
	for (uint64_t round = 1;; round++) {
		for (unsigned i = 0; i < BLOCKS && round % (UINT64_C(1) << 2 * i) == 0; i++) {
			executed += 10;
			if (!tick[i])
				continue;
			*longest = executed - last > *longest ? executed - last : *longest;
			last = executed;
			*anew = executed < due && pmk_ticks_tick(&t, tick[i], executed, due);
			if (*anew || executed >= due)
				return executed;
		}
	}
}

/*
 * All blocks tick until the most frequent ones are found. Then few blocks tick, but often enough.
 */
static void test_frequent(void **state)
{
	uint64_t longest, executed;
	bool anew;

	(void)state;
	begin();
	for (unsigned i = 0; i < BLOCKS; i++)
		assert_non_null(tick[i]);
	executed = run(0, 500000000, &anew, &longest);
	assert_true(anew);
	translate();
	assert_null(tick[0]);
	assert_non_null(tick[BLOCKS - 1]);
	executed = run(executed, executed + 10000000, &anew, &longest);
	assert_in_range(longest, 100, 20000);
}

/* Before a unit is due, all blocks tick again, so the unit begins where it should. */
static void test_near(void **state)
{
	uint64_t longest, executed, due = 500000000;
	bool anew;

	(void)state;
	begin();
	executed = run(0, due, &anew, &longest);
	assert_true(anew);
	for (unsigned i = 0; anew && i < 10; i++) {
		translate();
		executed = run(executed, due, &anew, &longest);
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		assert_non_null(tick[i]);
	assert_in_range(executed, due, due + 10);
}

/* Two runs of one program have the same ticks. */
static void test_repeats(void **state)
{
	uint64_t longest, executed[2];
	bool anew;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin();
		executed[i] = run(0, 500000000, &anew, &longest);
		assert_true(anew);
	}
	assert_int_equal(executed[0], executed[1]);
}

/* If there is no room for a block, it does not tick, and nothing else is lost. */
static void test_many(void **state)
{
	(void)state;
	begin();
	for (uint64_t i = 0; i < 600000; i++)
		pmk_ticks_translated(&t, 0x100000 + 4 * i);
	assert_null(pmk_ticks_translated(&t, 0x8000000));
	assert_non_null(pmk_ticks_translated(&t, 0x8000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frequent),
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
