// SPDX-License-Identifier: MIT
/*
 * "Did you mean": the distances equal those computed by hand and by a plain recursion, and the
 * texts are right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t seed = 88172645463325252u;

static unsigned pick(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % n;
}

/*
 * A name is similar if at most 1 + length / 4 edits turn the word into it. 1000 means that it is
 * not similar.
 */
static void test_distances(void **state)
{
	static const struct {
		int line;
		const char *typed, *name;
		unsigned d;
	} rows[] = {
		{ __LINE__, "dcache_miss", "dcache_miss", 0 },
		{ __LINE__, "DCache-Miss", "dcache_miss", 0 },
		{ __LINE__, "dcache_mis", "dcache_miss", 1 },
		{ __LINE__, "dcache_misss", "dcache_miss", 1 },
		{ __LINE__, "dcache_moss", "dcache_miss", 1 },
		{ __LINE__, "dcahce_miss", "dcache_miss", 1 }, /* swapped neighbours are one edit */
		{ __LINE__, "dcahce_mis", "dcache_miss", 2 },
		{ __LINE__, "adcahce_mios", "dcache_miss", 3 },
		{ __LINE__, "ab", "ba", 1 },
		{ __LINE__, "abc", "ca", 1000 }, /* 3 edits are too many for 3 letters */
		{ __LINE__, "abcd", "abxy", 2 },
		{ __LINE__, "abc", "axy", 1000 },
		{ __LINE__, "x", "y", 1 },
		{ __LINE__, "x", "yz", 1000 },
		{ __LINE__, "x", "", 1 },
		{ __LINE__, "", "x", 1000 },
		{ __LINE__, "", "", 1000 },
		/* The word is the beginning of the name. */
		{ __LINE__, "dca", "dcache_access", 2 },
		{ __LINE__, "dc", "dcache_access", 1000 },
		{ __LINE__, "DCACHE-", "dcache_access", 2 },
		/* The word is a part of the name. */
		{ __LINE__, "miss", "dcache_miss", 20 },
		{ __LINE__, "Miss", "icache_miss_rate", 20 },
		{ __LINE__, "mis", "dcache_miss", 1000 },
		{ __LINE__, "branches", "cycles", 1000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (pmk_distance(rows[i].typed, rows[i].name) != rows[i].d)
			fail_msg("row of line %d: %u", rows[i].line,
				 pmk_distance(rows[i].typed, rows[i].name));
}

/* Both words may have up to 63 characters. */
static void test_long_words(void **state)
{
	char a[80], b[80];

	(void)state;
	memset(a, 'a', sizeof(a));
	memset(b, 'a', sizeof(b));
	a[63] = b[63] = '\0';
	assert_int_equal(pmk_distance(a, b), 0);
	b[30] = 'x';
	assert_int_equal(pmk_distance(a, b), 1);
	b[30] = 'a';
	b[63] = 'a';
	b[64] = '\0';
	assert_int_equal(pmk_distance(a, b), 1000);
	assert_int_equal(pmk_distance(b, a), 1000);
	assert_int_equal(pmk_distance(b, b), 1000);
}

/* Bytes that are not ASCII are compared as bytes. */
static void test_other_bytes(void **state)
{
	(void)state;
	assert_int_equal(pmk_distance("caf\xc3\xa9", "caf\xc3\xa9"), 0);
	assert_int_equal(pmk_distance("caf\xc3\xa9", "caf\xc3\xa8"), 1);
	assert_int_equal(pmk_distance("\xff\xfe\xfd", "\x01\x02\x03"), 1000);
}

/*
 * Computes the distance by its definition, letter by letter from the end. It is slow and obviously
 * right.
 */
static unsigned plain(const char *a, unsigned i, const char *b, unsigned j)
{
	unsigned best, other;

	if (!i || !j)
		return i + j;
	best = plain(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
	other = plain(a, i - 1, b, j) + 1;
	best = other < best ? other : best;
	other = plain(a, i, b, j - 1) + 1;
	best = other < best ? other : best;
	if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
		other = plain(a, i - 2, b, j - 2) + 1;
		best = other < best ? other : best;
	}
	return best;
}

static void test_against_the_definition(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		unsigned na = 1 + pick(7), nb = pick(8), want, got;
		char a[16] = "", b[16] = "";

		for (unsigned i = 0; i < na; i++)
			a[i] = (char)('p' + pick(3));
		for (unsigned i = 0; i < nb; i++)
			b[i] = (char)('p' + pick(3));
		want = plain(a, na, b, nb);
		got = pmk_distance(a, b);
		if (want <= 1 + na / 4)
			assert_int_equal(got, want);
		else
			assert_true(got == 1000 || (got == 2 && !strncmp(a, b, na)) ||
				    (got == 20 && strstr(b, a)));
	}
}

static void hint(const char *word, const char *const *names, const char *expect)
{
	struct pmk_nearest n;
	char text[256];

	pmk_nearest_init(&n, word);
	for (unsigned i = 0; names[i]; i++)
		pmk_nearest_offer(&n, names[i]);
	memset(text, 'x', sizeof(text));
	pmk_nearest_text(&n, text, sizeof(text));
	assert_string_equal(text, expect);
}

static void test_texts(void **state)
{
	static const char *const none[] = { NULL };
	static const char *const names[] = { "icache_miss",   "dcache_miss",
					     "dtlb_miss",     "itlb_miss",
					     "dcache_access", "dcache_wback",
					     "cycles",	      NULL };
	static const char *const tlbs[] = { "dtlb_miss", "itlb_miss", "utlb_miss", "xtlb_miss",
					    NULL };
	static const char *const twice[] = { "cycles", "cycles", "cycle", "cycles", NULL };

	(void)state;
	hint("dcache_miss", none, "");
	hint("qwertz", names, "");
	hint("cycels", names, "cycles");
	hint("dcache_miss", names, "dcache_miss or icache_miss");
	hint("ecache_miss", names, "icache_miss or dcache_miss");
	hint("tlb_miss", tlbs,
	     "dtlb_miss, itlb_miss or utlb_miss"); /* only the first three names */
	hint("dcach", names, "dcache_miss, dcache_access or dcache_wback");
	hint("cycles", twice, "cycles or cycle"); /* each name only once */
	hint("acces", names, "dcache_access");	  /* a part of the name, as no name is nearer */
}

/* If the next name is more than one edit further away, only the nearest name is suggested. */
static void test_favourite(void **state)
{
	static const char *const names[] = { "abcdefghxyzw", "abcdefghijkx", "abcdefghijkl", NULL };
	static const char *const apart[] = { "abcdefghxyzl", "abcdefghijkl", NULL };

	(void)state;
	hint("abcdefghijkl", names, "abcdefghijkl or abcdefghijkx");
	hint("abcdefghijkl", apart, "abcdefghijkl");
}

/* A buffer that is too small only truncates the text. */
static void test_small_buffers(void **state)
{
	struct pmk_nearest n;

	(void)state;
	pmk_nearest_init(&n, "tlb_miss");
	pmk_nearest_offer(&n, "dtlb_miss");
	pmk_nearest_offer(&n, "itlb_miss");
	pmk_nearest_offer(&n, "utlb_miss");
	for (size_t size = 0; size < 48; size++) {
		char text[64], whole[64];

		memset(text, '#', sizeof(text));
		pmk_nearest_text(&n, whole, sizeof(whole));
		pmk_nearest_text(&n, text, size);
		assert_int_equal(text[size], '#');
		if (size) {
			assert_int_equal(strlen(text),
					 strlen(whole) < size ? strlen(whole) : size - 1);
			assert_int_equal(strncmp(text, whole, strlen(text)), 0);
		}
	}
}

/* Names are sorted by distance. Names of the same distance keep their order. */
static void test_order(void **state)
{
	static const char *const names[] = { "abcdefgh", "abcdefgx", "abcdefxx", "abcdexxx" };

	(void)state;
	for (unsigned round = 0; round < 24; round++) {
		struct pmk_nearest n;
		unsigned left = 15, k = round;

		pmk_nearest_init(&n, "abcdefgh");
		for (unsigned i = 4; i > 0; i--) {
			unsigned at = k % i;

			k /= i;
			for (unsigned j = 0; j < 4; j++)
				if ((left >> j & 1) && at-- == 0) {
					pmk_nearest_offer(&n, names[j]);
					left &= ~(1u << j);
					break;
				}
		}
		assert_int_equal(left, 0);
		assert_int_equal(n.count, 3);
		for (unsigned i = 0; i < 3; i++) {
			assert_string_equal(n.name[i], names[i]);
			assert_int_equal(n.distance[i], i);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances),     cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_other_bytes),   cmocka_unit_test(test_against_the_definition),
		cmocka_unit_test(test_texts),	      cmocka_unit_test(test_favourite),
		cmocka_unit_test(test_small_buffers), cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
