// SPDX-License-Identifier: MIT
/*
 * Samples are counted by event, place and region, the most frequent first, with and without
 * functions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void expect(const struct pmk_spot *got, size_t n, const struct pmk_spot *want, size_t nwant)
{
	assert_non_null(got);
	assert_int_equal(n, nwant);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(got[i].event, want[i].event);
		assert_int_equal(got[i].region, want[i].region);
		assert_true(got[i].address == want[i].address);
		assert_int_equal(!got[i].function, !want[i].function);
		if (got[i].function)
			assert_string_equal(got[i].function, want[i].function);
		assert_int_equal(got[i].samples, want[i].samples);
		assert_int_equal(got[i].late, want[i].late);
	}
}

static void test_addresses(void **state)
{
	static const struct pmk_profile_sample samples[] = {
		{ 0x8004, 1, 1, false }, { 0x8000, 0, 0, false }, { 0, 0, 0, true },
		{ 0x8004, 0, 0, true },	 { 0x8004, 0, 0, false }, { 0x8004, 1, 0, true },
		{ 0x8004, 1, 1, true },
	};
	static const struct pmk_spot want[] = {
		{ 0, 0, 0x8004, NULL, 2, 1 }, { 0, 0, 0, NULL, 1, 1 },
		{ 0, 0, 0x8000, NULL, 1, 0 }, { 0, 1, 0x8004, NULL, 1, 1 },
		{ 1, 1, 0x8004, NULL, 2, 1 },
	};
	struct pmk_spot *got;
	size_t n;

	(void)state;
	got = pmk_profile_count(samples, COUNT(samples), NULL, &n);
	expect(got, n, want, COUNT(want));
	free(got);
	got = pmk_profile_count(NULL, 0, NULL, &n);
	expect(got, n, NULL, 0);
	free(got);
}

/* Addresses are assigned to the functions of this program; 16 is in none of them. */
static void test_functions(void **state)
{
	struct pmk_profile_sample samples[] = {
		{ 16, PMK_SAMPLE_NO_REGION, 0, false },
		{ 0, 2, 0, true },
		{ 0, 2, 0, false },
		{ 0, 1, 0, false },
		{ 0, PMK_SAMPLE_NO_REGION, 0, false },
	};
	struct pmk_spot want[] = {
		{ 0, 2, 0, "main", 2, 1 },
		{ 0, 1, 0, NULL, 1, 0 },
		{ 0, PMK_SAMPLE_NO_REGION, 16, NULL, 1, 0 },
		{ 0, PMK_SAMPLE_NO_REGION, 0, "main", 1, 0 },
	};
	struct pmk_functions *f;
	struct pmk_spot *got;
	uint64_t begin;
	char msg[128];
	size_t n;

	(void)state;
	assert_int_equal(pmk_functions_load(&f, "/proc/self/exe", msg, sizeof(msg)), 0);
	assert_int_equal(pmk_elf_symbol("/proc/self/exe", "main", &begin, msg, sizeof(msg)), 0);
	samples[1].pc = begin + 1;
	samples[2].pc = samples[4].pc = begin;
	want[0].address = want[3].address = begin;
	got = pmk_profile_count(samples, COUNT(samples), f, &n);
	expect(got, n, want, COUNT(want));
	free(got);
	pmk_functions_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
