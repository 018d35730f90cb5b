// SPDX-License-Identifier: MIT
/*
 * Is linked into every unit test before cmocka's runner (-Wl,--wrap), so conftest.py can ask a
 * program for its tests and run some of them. PMK_UNIT_TESTS=? prints their names, one per line.
 * Any other value is a list of such lines, and only these tests run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

int __real__cmocka_run_group_tests(const char *group, const struct CMUnitTest *const tests,
				   const size_t n, CMFixtureFunction setup,
				   CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *const tests,
				   const size_t n, CMFixtureFunction setup,
				   CMFixtureFunction teardown);

/* Returns true if `name` is a line of `lines`. */
static bool listed(const char *lines, const char *name)
{
	size_t length = strlen(name);

	for (const char *l = lines; l; l = strchr(l, '\n') ? strchr(l, '\n') + 1 : NULL)
		if (!strncmp(l, name, length) && (l[length] == '\n' || !l[length]))
			return true;
	return false;
}

int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *const tests,
				   const size_t n, CMFixtureFunction setup,
				   CMFixtureFunction teardown)
{
	const char *wanted = getenv("PMK_UNIT_TESTS");
	struct CMUnitTest *some;
	size_t nsome = 0;
	int failed;

	/*
	 * Output of the test and cmocka's report of a failure go to one pipe, and keep their order.
	 */
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	if (!wanted)
		return __real__cmocka_run_group_tests(group, tests, n, setup, teardown);
	if (!strcmp(wanted, "?")) {
		for (size_t i = 0; i < n; i++)
			puts(tests[i].name);
		return 0;
	}
	some = calloc(n, sizeof(*some));
	if (!some)
		return 1;
	for (size_t i = 0; i < n; i++)
		if (listed(wanted, tests[i].name))
			some[nsome++] = tests[i];
	failed = __real__cmocka_run_group_tests(group, some, nsome, setup, teardown);
	free(some);
	return failed;
}
