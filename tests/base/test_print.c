// SPDX-License-Identifier: MIT
/* Tests formatted output of text that is unsafe or too wide, and of numbers of each type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "base/print.h"

static void put_upper(FILE *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fputc(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 0x20 : text[i], f);
}

static void print_upper(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print_upper(FILE *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pmk_print_with(f, put_upper, format, args);
	va_end(args);
}

#define EXPECT(want, function, ...)                    \
	do {                                           \
		char *got = NULL;                      \
		size_t size;                           \
		FILE *f = open_memstream(&got, &size); \
		function(f, __VA_ARGS__);              \
		fclose(f);                             \
		assert_string_equal(got, want);        \
		free(got);                             \
	} while (0)

static void test_text(void **state)
{
	const char *volatile none = NULL;

	(void)state;
	EXPECT("a\\x1b[1mb\\x0ac", pmk_print, "%s", "a\033[1mb\nc");
	EXPECT("<>", pmk_print, "<%s>", none);
	EXPECT("\\xff", pmk_print, "%s", "\xff");
	EXPECT("[\u00e4  ][  \u00e4]", pmk_print, "[%-3s][%3s]", "\u00e4", "\u00e4");
	EXPECT("[abcd]", pmk_print, "[%.4s]", "abcd");
	EXPECT("[abc\u2026][a\u2026   ]", pmk_print, "[%.4s][%-*.*s]", "abcde", 5, 2, "abc");
	EXPECT("aBC\\X07 d", print_upper, "a%s d", "bc\a");
}

static void test_numbers(void **state)
{
	(void)state;
	EXPECT("100%", pmk_print, "%d%%", 100);
	EXPECT("18,446,744,073,709,551,615 0", pmk_print, "%ju %ju", UINTMAX_MAX, (uintmax_t)0);
	EXPECT("[    1,234]", pmk_print, "[%*ju]", 9, (uintmax_t)1234);
	EXPECT("-1 -2 -3 -4 -5", pmk_print, "%d %ld %lld %zd %jd", -1, -2L, -3LL, (ssize_t)-4,
	       (intmax_t)-5);
	EXPECT("4294967295 18446744073709551615 ff 0x0a", pmk_print, "%u %llu %lx 0x%02x",
	       UINT32_MAX, 18446744073709551615ULL, 255UL, 10U);
	EXPECT("[  1.50][2.5  ][x]", pmk_print, "[%6.2f][%-5g][%c]", 1.5, 2.5, 'x');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
