// SPDX-License-Identifier: MIT
/* INI files give their entries with line numbers, and each error has its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "base/ini.h"

static char taken[1000], msg[300];
static const char *shorter; /* second argument of pmk_ini_load() */

static bool take(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
		 const char *value)
{
	size_t at = strlen(taken);

	assert_ptr_equal(ctx, taken);
	if (!section) {
		snprintf(taken + at, sizeof(taken) - at, "end %u\n", ini->line);
		return true;
	}
	if (!strcmp(name, "bad"))
		return pmk_ini_fail(ini, ini->line, "no %s of %s", value, section);
	snprintf(taken + at, sizeof(taken) - at, "%u %s %s=%s\n", ini->line, section, name, value);
	return true;
}

static int load(const char *text)
{
	char path[] = "/tmp/pmk-test-ini-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	taken[0] = msg[0] = '\0';
	err = pmk_ini_load(path, shorter, take, taken, msg, sizeof(msg));
	unlink(path);
	assert_int_equal(err == 0, msg[0] == '\0');
	if (err) { /* the file's name is removed from the message */
		assert_memory_equal(msg, path, strlen(path));
		memmove(msg, msg + strlen(path), strlen(msg + strlen(path)) + 1);
	}
	return err;
}

static void test_good(void **state)
{
	(void)state;
	assert_int_equal(load("# comment\n[a]\nx = 1\n\n  y=2 3 ; why\n; z = 3\n[b c]\r\nx = \n"),
			 0);
	assert_string_equal(taken, "3 a x=1\n5 a y=2 3\n8 b c x=\nend 8\n");
	assert_int_equal(load(""), 0);
	assert_string_equal(taken, "end 0\n");
	assert_int_equal(load("[a]\nx = 1"), 0);
	assert_string_equal(taken, "2 a x=1\nend 2\n");
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "x = 1\n", ":1: a [section] must come first" },
		{ "[a]\nx\n", ":2: this line is neither [section] nor name = value" },
		{ "[a\nx = 1\n", ":1: this line is neither [section] nor name = value" },
		{ "[a]\nx = 1\nbad = 7\ny\n", ":3: no 7 of a" },
		{ "[a]\ny\nbad = 7\n", ":2: this line is neither [section] nor name = value" },
		{ "[a]\nbad = 1\nbad = 2\n", ":2: no 1 of a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(load(rows[i].text), PMK_EPARSE);
		assert_string_equal(msg, rows[i].why);
		assert_null(strstr(taken, "end"));
	}
}

static void test_long_lines(void **state)
{
	char text[400] = "[a]\nx = 1\ny = ";

	(void)state;
	memset(text + strlen(text), 'z', 194);
	assert_int_equal(load(text), 0); /* exactly 198 characters */
	strcat(text, "\nw = 3\n");
	assert_int_equal(load(text), 0);
	assert_non_null(strstr(taken, "4 a w=3\n"));
	text[3] = '\0';
	strcpy(text, "[a]\nx = 1\ny = ");
	memset(text + strlen(text), 'z', 195);
	assert_int_equal(load(text), PMK_EPARSE);
	assert_string_equal(msg, ":3: the line is too long: 198 characters at most");
	shorter = "say less";
	assert_int_equal(load(text), PMK_EPARSE);
	assert_string_equal(msg, ":3: the line is too long: 198 characters at most; say less");
	shorter = NULL;
}

static void test_unreadable(void **state)
{
	(void)state;
	taken[0] = '\0';
	assert_int_equal(pmk_ini_load("/nowhere/x.ini", NULL, take, taken, msg, sizeof(msg)),
			 PMK_EIO);
	assert_string_equal(msg, "/nowhere/x.ini: No such file or directory");
	assert_int_equal(pmk_ini_load("/", NULL, take, taken, msg, sizeof(msg)), PMK_EIO);
	assert_string_equal(msg, "/: Is a directory");
	assert_string_equal(taken, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
