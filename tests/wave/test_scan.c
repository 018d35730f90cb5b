// SPDX-License-Identifier: MIT
/*
 * The fast search for words, digits and line ends in the text of a dump gives the results of loops
 * that check byte after byte.
 */
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

/*
 * Fills the text with random bytes. Half of them can be any byte. The other half are the first and
 * last bytes of the classes that the scanner distinguishes, such as blanks.
 */
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
	char around[WAVE_FRONT + 64 + WAVE_SLACK], *text = around + WAVE_FRONT;

	(void)state_;
	for (size_t n = 1; n <= 64; n++) {
		uint64_t want = rnd(), got;

		memset(around, 'x', sizeof(around)); /* the bytes around the digits do not matter */
		if (n < 64)
			want &= (UINT64_C(1) << n) - 1;
		for (size_t i = 0; i < n; i++)
			text[i] = (char)('0' + (want >> (n - 1 - i) & 1));
		assert_true(wave_binary(text + n, n, &got));
		assert_int_equal(got, want);
		for (size_t i = 0; i < n; i++) {
			char was = text[i];

			for (unsigned c = 0; c < 256; c++) {
				text[i] = (char)c;
				assert_int_equal(wave_binary(text + n, n, &got),
						 c == '0' || c == '1');
			}
			text[i] = was;
		}
	}
}

static bool is_odd(char c)
{
	return c <= ' ' || c > '~'; /* char may be signed or not */
}

static void test_marks(void **state_)
{
	char text[TEXT + WAVE_SLACK];

	(void)state_;
	fill(text, sizeof(text));
	for (size_t at = 0; at < TEXT; at++) {
		struct wave_marks got = wave_marks(text + at), plain = wave_marks_plain(text + at);
		uint64_t ends = 0, odd = 0, letters = 0;

		for (unsigned i = 0; i < WAVE_WINDOW; i++) {
			ends |= (uint64_t)(text[at + i] == '\n') << i;
			odd |= (uint64_t)is_odd(text[at + i]) << i;
			letters |= (uint64_t)(text[at + i] >> 6 & 1) << i;
		}
		assert_int_equal(got.ends, ends);
		assert_int_equal(got.odd, odd);
		assert_int_equal(got.letters, letters);
		assert_int_equal(plain.ends, ends);
		assert_int_equal(plain.odd, odd);
		assert_int_equal(plain.letters, letters);
	}
}

/* Fills the text with lines of one or two words. `wrong` of 10000 bytes are random. */
static void fill_lines(char *text, size_t n, unsigned wrong)
{
	static const char first[] = "01bbrx#$@~", middle[] = "0101!z[", gaps[] = "    \t";
	size_t i = 0;

	while (i < n) {
		char c = first[rnd() % (sizeof(first) - 1)];

		text[i++] = c;
		for (uint64_t left = rnd() % (rnd() % 4 ? 8 : 80); left && i < n; left--)
			text[i++] = middle[rnd() % (sizeof(middle) - 1)];
		if (c >= '@' && rnd() % 8 && i + 1 < n) {
			text[i++] = gaps[rnd() % (sizeof(gaps) - 1)];
			text[i++] = '!';
		}
		if (i < n)
			text[i++] = '\n';
	}
	for (i = 0; i < n; i++)
		if (rnd() % 10000 < wrong)
			text[i] = (char)rnd();
}

static unsigned slow_plain_lines(const char *p, size_t n, uint16_t *end)
{
	size_t begin = 0, gap = 0; /* gap: the line already has a blank */
	unsigned found = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\n') {
			end[found++] = (uint16_t)i;
			begin = i + 1;
			gap = 0;
		} else if (is_odd(p[i])) {
			if (gap || i == begin || is_odd(p[begin]) || p[begin] < '@')
				break;
			gap = i;
		}
	}
	return found;
}

static void test_plain_lines(void **state_)
{
	static char text[TEXT + WAVE_LINES + WAVE_SLACK];
	static uint16_t want[WAVE_LINES], got[WAVE_LINES + WAVE_EXTRAS];
	unsigned most = 0;

	(void)state_;
	for (unsigned round = 0; round < 120; round++) {
		fill_lines(text, sizeof(text), round % 3 * 4);
		if (round == 60) /* as many lines as possible */
			memset(text, '\n', sizeof(text));
		for (size_t at = 0; at < TEXT; at += 1 + rnd() % 20) {
			size_t n = round % 5 ? 1 + rnd() % WAVE_LINES : WAVE_LINES;
			unsigned lines = slow_plain_lines(text + at, n, want);

			assert_int_equal(pmk_wave_plain_lines(text + at, n, got), lines);
			assert_memory_equal(got, want, lines * sizeof(*want));
			most = lines > most ? lines : most;
		}
	}
	assert_int_equal(most, WAVE_LINES);
}

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
		cmocka_unit_test(test_blanks),	    cmocka_unit_test(test_length),
		cmocka_unit_test(test_binary),	    cmocka_unit_test(test_marks),
		cmocka_unit_test(test_plain_lines), cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
