// SPDX-License-Identifier: MIT
/*
 * The lists of the blocks that contain a line (known.h). The counts of absent lines equal those
 * of a plain table, also for lines that share a list, and for lines that are in more blocks than
 * a node of the list can hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/known.h"

#define BLOCKS 300
#define LINES  40

static uint64_t seed = 88172645463325252u;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* Every second line shares its list with the previous line. */
static uint64_t line_number(unsigned line)
{
	return line / 2 + (line % 2 ? (uint64_t)PMK_KNOWN_LISTS << 20 : 0);
}

static void test_counts_are_exact(void **state)
{
	static struct pmk_executions executions[BLOCKS];
	static bool has[BLOCKS][LINES];
	struct pmk_known k;

	(void)state;
	assert_int_equal(pmk_known_init(&k), 0);
	for (unsigned round = 0; round < 3; round++) {
		uint64_t want[BLOCKS] = { 0 };

		memset(has, 0, sizeof(has));
		for (unsigned b = 0; b < BLOCKS; b++) {
			executions[b].igen = want[b] = b * PMK_KNOWN_GENERATION + 400;
			for (unsigned n = 1 + pick(4); n; n--) {
				unsigned line = pick(LINES);

				if (!has[b][line])
					assert_true(pmk_known_add(&k, line_number(line), b));
				has[b][line] = true;
			}
		}
		for (unsigned i = 0; i < 1000; i++) {
			unsigned line = i % LINES;
			int by = i / LINES % 2 ? -1 : 1;

			pmk_known_change(&k, executions, line_number(line), by);
			for (unsigned b = 0; b < BLOCKS; b++)
				want[b] += has[b][line] ? 2 * by : 0;
		}
		for (unsigned b = 0; b < BLOCKS; b++)
			assert_int_equal(executions[b].igen, want[b]);
		/* A copy of the process has its own counters of executions. */
		pmk_known_forget(&k, round ? executions : NULL);
		assert_int_equal(executions[7].igen, round ? 0 : want[7]);
		pmk_known_change(&k, executions, line_number(3), 1);
		assert_int_equal(executions[7].igen, round ? 0 : want[7]);
	}
	pmk_known_fini(&k);
}

static void test_words(void **state)
{
	const uint64_t word = PMK_KNOWN + 7 * PMK_KNOWN_GENERATION;

	(void)state;
	assert_true(pmk_known_lines(word));
	assert_false(pmk_known_lines(word + PMK_KNOWN_ABSENT));
	assert_false(pmk_known_lines(word | PMK_KNOWN_LOOKS));
	assert_false(pmk_known_lines(0));
	assert_int_equal(pmk_known_renew(word + PMK_KNOWN_ABSENT, word + 5 * PMK_KNOWN_GENERATION),
			 word + 5 * PMK_KNOWN_GENERATION + PMK_KNOWN_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_are_exact),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
