// SPDX-License-Identifier: MIT
/*
 * Searching works in lists of every length up to 5, with equal numbers, and with the smallest and
 * largest numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/search.h"

struct item {
	char name;
	uint64_t at;
};

static void test_by_hand(void **state)
{
	static const struct item list[] = { { 'a', 3 }, { 'b', 5 }, { 'c', 5 }, { 'd', 9 } };

	(void)state;
	assert_int_equal(PMK_FIRST_FROM(list, 4, at, 0), 0);
	assert_int_equal(PMK_FIRST_FROM(list, 4, at, 3), 0);
	assert_int_equal(PMK_FIRST_FROM(list, 4, at, 4), 1);
	assert_int_equal(PMK_FIRST_FROM(list, 4, at, 5), 1);
	assert_int_equal(PMK_FIRST_FROM(list, 4, at, 9), 3);
	assert_int_equal(PMK_FIRST_FROM(list, 4, at, 10), 4);
	assert_int_equal(PMK_FIRST_BEHIND(list, 4, at, 2), 0);
	assert_int_equal(PMK_FIRST_BEHIND(list, 4, at, 3), 1);
	assert_int_equal(PMK_FIRST_BEHIND(list, 4, at, 5), 3);
	assert_int_equal(PMK_FIRST_BEHIND(list, 4, at, 9), 4);
}

static void test_no_list(void **state)
{
	const struct item *none = NULL;

	(void)state;
	assert_int_equal(PMK_FIRST_FROM(none, 0, at, 1), 0);
	assert_int_equal(PMK_FIRST_BEHIND(none, 0, at, UINT64_MAX), 0);
}

static void test_the_largest_number(void **state)
{
	static const struct item list[] = { { 'a', 0 }, { 'b', UINT64_MAX } };

	(void)state;
	assert_int_equal(PMK_FIRST_FROM(list, 2, at, UINT64_MAX), 1);
	assert_int_equal(PMK_FIRST_BEHIND(list, 2, at, UINT64_MAX - 1), 1);
	assert_int_equal(PMK_FIRST_BEHIND(list, 2, at, UINT64_MAX), 2);
}

/* The result equals that of a linear search, in all lists of 0 to 5 numbers from 0 to 3. */
static void test_all_short_lists(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 4096; kind++) {
		struct item list[5];
		size_t n = kind >> 10 & 3 ? 5 : kind % 5;

		for (size_t i = 0; i < n; i++)
			list[i].at = (kind >> 2 * i & 3) + (i ? list[i - 1].at : 0);
		for (uint64_t value = 0; value < 17; value++) {
			size_t from = 0, behind = 0;

			while (from < n && list[from].at < value)
				from++;
			while (behind < n && list[behind].at <= value)
				behind++;
			assert_int_equal(PMK_FIRST_FROM(list, n, at, value), from);
			assert_int_equal(PMK_FIRST_BEHIND(list, n, at, value), behind);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_no_list),
		cmocka_unit_test(test_the_largest_number),
		cmocka_unit_test(test_all_short_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
