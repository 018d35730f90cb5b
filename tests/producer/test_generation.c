// SPDX-License-Identifier: MIT
/*
 * Each QEMU gets its module of the plugin. The expected values are QEMU_PLUGIN_VERSION in the
 * header of each release.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "producer/qemu/generation.h"

static void test_releases(void **state)
{
	static const struct {
		unsigned major, minor, api;
	} release[] = {
		{ 5, 2, 0 },  { 6, 0, 1 },  { 7, 2, 1 },  { 8, 2, 1 },	{ 9, 0, 2 },
		{ 9, 1, 3 },  { 9, 2, 4 },  { 10, 0, 4 }, { 10, 1, 5 }, { 10, 2, 5 },
		{ 11, 0, 6 }, { 11, 1, 7 }, { 11, 2, 7 }, { 12, 0, 7 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(release) / sizeof(release[0]); i++)
		assert_int_equal(pmk_qemu_api_of_version(release[i].major, release[i].minor),
				 release[i].api);
}

/*
 * Every version from the first to the last has exactly one module, which is named after its lowest
 * version.
 */
static void test_modules(void **state)
{
	unsigned api = 1;
	char name[32], path[64];

	(void)state;
	for (size_t i = 0; i < pmk_qemu_ngenerations; i++) {
		const struct pmk_qemu_generation *g = &pmk_qemu_generations[i];

		assert_int_equal(g->api_lowest, api);
		assert_true(g->api_highest >= g->api_lowest);
		snprintf(name, sizeof(name), "pmk-qemu-api%u.so", g->api_lowest);
		assert_string_equal(g->module, name);
		assert_ptr_equal(pmk_qemu_generation_of_module(name), g);
		snprintf(path, sizeof(path), "/some/where/%s", name);
		assert_ptr_equal(pmk_qemu_generation_of_module(path), g);
		for (; api <= g->api_highest; api++)
			assert_ptr_equal(pmk_qemu_generation_of_api(api), g);
	}
	assert_null(pmk_qemu_generation_of_module("/some/where/pmk-qemu-core.so"));
	assert_null(pmk_qemu_generation_of_api(0));
	assert_null(pmk_qemu_generation_of_api(api));
	assert_int_equal(pmk_qemu_api_of_version(99, 0), api - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_releases),
		cmocka_unit_test(test_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
