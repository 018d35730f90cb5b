// SPDX-License-Identifier: MIT
/* Words, digits and line ends of a dump's text, beside loops that look at one byte after the
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "producer/wave/scan.h"

#define TEXT 2000

static uint64_t state = 1;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Any bytes, or those next to the limits of a blank and a sign. */
static void fill(char *text, size_t n)
{
	static const char edges[] = {
		'\n', ' ', '!', '\0', '\x7f', '\x80', '\xa0', '\xff', '\x1f'
	};

	for (size_t i = 0; i < n; i++)
		text[i] = rnd() % 2 ? (char)rnd() : edges[rnd() % sizeof(edges)];
}

static void test_blanks(void **state_)
{
	char text[TEXT + WAVE_SLACK];

	(void)state_;
	fill(text, sizeof(text));
	for (size_t at = 0; at < TEXT; at++) {
		uint64_t want = 0;

		for (unsigned i = 0; i < WAVE_WINDOW; i++)
			want |= (uint64_t)((unsigned char)text[at + i] <= ' ') << i;
		assert_int_equal(wave_blanks(text + at), want);
		assert_int_equal(wave_blanks_plain(text + at), want);
	}
}

static void test_length(void **state_)
{
	char text[TEXT + WAVE_SLACK];

	(void)state_;
	memset(text, 'b', sizeof(text));
	for (size_t n = 0; n < 300; n++) {
		text[n] = n % 2 ? ' ' : '\0';
		assert_int_equal(wave_length(text), n);
		text[n] = 'b';
	}
}

static void test_binary(void **state_)
{
	char text[64 + WAVE_SLACK];

	(void)state_;
	for (size_t n = 1; n <= 64; n++) {
		uint64_t want = rnd(), got;

		memset(text, 'x', sizeof(text)); /* what follows the digits does not matter */
		if (n < 64)
			want &= (UINT64_C(1) << n) - 1;
		for (size_t i = 0; i < n; i++)
			text[i] = (char)('0' + (want >> (n - 1 - i) & 1));
		assert_true(wave_binary(text, n, &got));
		assert_int_equal(got, want);
		for (size_t i = 0; i < n; i++) {
			char was = text[i];

			for (unsigned c = 0; c < 256; c++) {
				text[i] = (char)c;
				assert_int_equal(wave_binary(text, n, &got), c == '0' || c == '1');
			}
			text[i] = was;
		}
	}
}

/* Also so many that a byte cannot count them. */
static void test_lines(void **state_)
{
	static char text[3 * 16 * 255 + 40];
	uint64_t want = 0;

	(void)state_;
	fill(text, sizeof(text));
	for (size_t n = 0; n < sizeof(text); n++) {
		assert_int_equal(pmk_wave_lines(text, n), want);
		want += text[n] == '\n';
	}
	memset(text, '\n', sizeof(text));
	for (size_t n = sizeof(text) - 50; n <= sizeof(text); n++)
		assert_int_equal(pmk_wave_lines(text, n), n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blanks),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_binary),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
