// SPDX-License-Identifier: MIT
/* Tests numbers in text: the valid forms, bases and ranges, and where parsing ends. */
#include <limits.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "base/number.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_bases(void **state)
{
	static const struct {
		int line;
		const char *text;
		unsigned base;
		int err;
		uint64_t value;
		const char *rest;
	} rows[] = {
		{ __LINE__, "12", 10, 0, 12, "" },
		{ __LINE__, "12ms", 10, 0, 12, "ms" },
		{ __LINE__, "0x12", 10, 0, 0, "x12" },
		{ __LINE__, "0x12", 16, 0, 0, "x12" },
		{ __LINE__, "aFg", 16, 0, 0xaf, "g" },
		{ __LINE__, "010", PMK_ANY_BASE, 0, 10, "" },
		{ __LINE__, "0X1f", PMK_ANY_BASE, 0, 0x1f, "" },
		{ __LINE__, "0b101", PMK_ANY_BASE, 0, 5, "" },
		{ __LINE__, "0b12", PMK_ANY_BASE, 0, 1, "2" },
		{ __LINE__, "0b1", 16, 0, 0xb1, "" },
		{ __LINE__, "0x", PMK_ANY_BASE, 0, 0, "x" },
		{ __LINE__, "0xg", 16, 0, 0, "xg" },
		{ __LINE__, "", PMK_ANY_BASE, PMK_EPARSE, 7, "" },
		{ __LINE__, " 1", 10, PMK_EPARSE, 7, " 1" },
		{ __LINE__, "+1", 10, PMK_EPARSE, 7, "+1" },
		{ __LINE__, "-1", 10, PMK_EPARSE, 7, "-1" },
		{ __LINE__, "a", PMK_ANY_BASE, PMK_EPARSE, 7, "a" },
		{ __LINE__, "18446744073709551615", 10, 0, UINT64_MAX, "" },
		{ __LINE__, "18446744073709551616", 10, PMK_ERANGE, UINT64_MAX, "" },
		{ __LINE__, "99999999999999999999K", 10, PMK_ERANGE, UINT64_MAX, "K" },
		{ __LINE__, "0x10000000000000000", PMK_ANY_BASE, PMK_ERANGE, UINT64_MAX, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *at = rows[i].text;
		uint64_t value = 7;
		int err = pmk_number_read(&at, rows[i].base, &value);

		if (err != rows[i].err || value != rows[i].value || strcmp(at, rows[i].rest) != 0)
			fail_msg("row of line %d: %d, %llu, '%s'", rows[i].line, err,
				 (unsigned long long)value, at);
	}
}

static void test_ranges(void **state)
{
	uint64_t n = 7;
	unsigned u = 7;

	(void)state;
	assert_int_equal(pmk_number_parse("4", 10, 5, 9, &n), PMK_ERANGE);
	assert_int_equal(pmk_number_parse("10", 10, 5, 9, &n), PMK_ERANGE);
	assert_int_equal(pmk_number_parse("99999999999999999999", 10, 0, UINT64_MAX, &n),
			 PMK_ERANGE);
	/* Text after the number is reported, even if the number is also out of range. */
	assert_int_equal(pmk_number_parse("99999999999999999999x", 10, 0, 9, &n), PMK_EPARSE);
	assert_int_equal(pmk_number_parse("5 ", 10, 5, 9, &n), PMK_EPARSE);
	assert_int_equal(pmk_number_parse("", 10, 0, 9, &n), PMK_EPARSE);
	assert_int_equal(n, 7);
	assert_int_equal(pmk_number_parse("5", 10, 5, 9, &n), 0);
	assert_int_equal(n, 5);
	assert_int_equal(pmk_number_parse("0x9", PMK_ANY_BASE, 5, 9, &n), 0);
	assert_int_equal(n, 9);
	assert_int_equal(pmk_unsigned_parse("4294967296", 0, UINT_MAX, &u), PMK_ERANGE);
	assert_int_equal(u, 7);
	assert_int_equal(pmk_unsigned_parse("4294967295", 0, UINT_MAX, &u), 0);
	assert_int_equal(u, UINT_MAX);
}

static void test_numbers_after(void **state)
{
	(void)state;
	assert_int_equal(pmk_number_after("a: 1\nSeccomp:\t2\n", "\nSeccomp:", 10), 2);
	assert_int_equal(pmk_number_after("CapEff: 00ff\n", "CapEff:", 16), 0xff);
	assert_int_equal(pmk_number_after("12.04", "", 10), 12);
	assert_int_equal(pmk_number_after("version two", "version", 10), 0);
	assert_int_equal(pmk_number_after("nothing", "version", 10), 0);
}

static void test_reals(void **state)
{
	static const char *const bad[] = { "", "x", "-1", " 1", ".", "inf", "nan", "0x10", "%" };
	const char *at = "2.3283064365386962890625e-10Joules";
	double v = 7;

	(void)state;
	setlocale(LC_ALL, "de_DE.UTF-8"); /* no effect if the locale is not installed */
	assert_int_equal(pmk_real_read(&at, &v), 0);
	assert_true(v == 1.0 / 4294967296.0);
	assert_string_equal(at, "Joules");
	for (size_t i = 0; i < COUNT(bad); i++) {
		v = 7;
		assert_int_equal(pmk_percent_parse(bad[i], &v), PMK_EPARSE);
		assert_true(v == 7);
	}
	assert_int_equal(pmk_percent_parse("2%%", &v), PMK_EPARSE);
	assert_int_equal(pmk_percent_parse("1e999", &v), PMK_ERANGE);
	assert_int_equal(pmk_percent_parse(".5", &v), 0);
	assert_true(v == 0.5);
	assert_int_equal(pmk_percent_parse("2.5%", &v), 0);
	assert_true(v == 2.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bases),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_numbers_after),
		cmocka_unit_test(test_reals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
