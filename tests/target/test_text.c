// SPDX-License-Identifier: MIT
/*
 * firmware/text.h, which formats numbers without a libc, gives the known texts, and those of
 * printf().
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "firmware/text.h"

static char text[256];
static size_t length;

static void put(char c)
{
	assert_true(length < sizeof(text) - 1);
	text[length++] = c;
	text[length] = '\0';
}

static const char *number(uint64_t value, unsigned decimals, unsigned width)
{
	length = 0;
	text[0] = '\0';
	pmk_text_number(put, value, decimals, width);
	return text;
}

static void test_known(void **state)
{
	static const struct {
		uint64_t value;
		unsigned decimals, width;
		const char *want;
	} rows[] = {
		{ 0, 0, 0, "0" },
		{ 0, 0, 4, "   0" },
		{ 0, 2, 0, "0.00" },
		{ 5, 2, 6, "  0.05" },
		{ 5, 3, 0, "0.005" },
		{ 1000, 3, 0, "1.000" },
		{ 12345, 2, 0, "123.45" },
		{ 12345, 2, 3, "123.45" }, /* too narrow, but nothing is truncated */
		{ UINT64_MAX, 0, 0, "18446744073709551615" },
		{ UINT64_MAX, 3, 24, "   18446744073709551.615" },
		{ UINT64_MAX, 0, 20, "18446744073709551615" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(number(rows[i].value, rows[i].decimals, rows[i].width),
				    rows[i].want);
}

static void test_as_printf(void **state)
{
	uint64_t value = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		unsigned decimals = i % 4, width = i % 30, shift = i % 64;
		uint64_t v = value >> shift, scale = 1;
		char whole[64], want[64];

		for (unsigned d = 0; d < decimals; d++)
			scale *= 10;
		if (decimals)
			snprintf(whole, sizeof(whole), "%" PRIu64 ".%0*" PRIu64, v / scale,
				 (int)decimals, v % scale);
		else
			snprintf(whole, sizeof(whole), "%" PRIu64, v);
		snprintf(want, sizeof(want), "%*s", (int)width, whole);
		assert_string_equal(number(v, decimals, width), want);
		value = value * 6364136223846793005 + 1442695040888963407;
	}
}

static void test_text(void **state)
{
	(void)state;
	length = 0;
	pmk_text(put, "");
	assert_int_equal(length, 0);
	pmk_text(put, "ab");
	pmk_text_right(put, "cd", 4);
	pmk_text_right(put, "efg", 2);
	pmk_text_right(put, "", 1);
	assert_string_equal(text, "ab  cdefg ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_as_printf),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
