// SPDX-License-Identifier: MIT
/*
 * Cache directories agree with a plain model, in which sets are lists of ways that are searched and
 * filled step by step. ARM1176JZF-S TRM (DDI 0301H) 7.2: invalid ways first, lowest number first;
 * one round robin counter for all sets. The generator of the random policy is our choice, and is
 * implemented here a second time, as cache.h describes it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/cache.h"

static uint64_t seed = 88172645463325252u;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* ---- the plain model ----------------------------------------------------------------------- */

struct plain {
	unsigned sets, ways;
	struct {
		int valid;
		uint32_t line;
	} way[4096][16];
	uint32_t counter, random;
	int round_robin;
};

static void plain_init(struct plain *p, unsigned sets, unsigned ways, int round_robin,
		       uint32_t start)
{
	memset(p, 0, sizeof(*p));
	p->sets = sets;
	p->ways = ways;
	p->round_robin = round_robin;
	p->random = start;
}

static int plain_holds(const struct plain *p, uint32_t line)
{
	unsigned s = line % p->sets;

	for (unsigned w = 0; w < p->ways; w++)
		if (p->way[s][w].valid && p->way[s][w].line == line)
			return 1;
	return 0;
}

/* Fills a line. Returns the evicted line, or 0xFFFFFFFF. */
static uint32_t plain_fill(struct plain *p, uint32_t line)
{
	unsigned s = line % p->sets, w = 0;
	uint32_t old = 0xFFFFFFFF;

	while (w < p->ways && p->way[s][w].valid)
		w++;
	if (w == p->ways) {
		if (p->round_robin) {
			w = p->counter % p->ways;
			p->counter = p->counter + 1;
		} else {
			p->random ^= p->random << 13;
			p->random ^= p->random >> 17;
			p->random ^= p->random << 5;
			w = (p->random >> 8) % p->ways;
		}
		old = p->way[s][w].line;
	}
	p->way[s][w].valid = 1;
	p->way[s][w].line = line;
	return old;
}

/* ---- tests --------------------------------------------------------------------------------- */

/* The sets and ways that the TRM allows and the keys accept, with lines of 32 bytes. */
static void test_geometry(void **state)
{
	static const struct {
		uint32_t size, ways, sets;
	} rows[] = {
		{ 16384, 4, 128 }, { 4096, 4, 32 },	{ 65536, 4, 512 }, { 1024, 1, 32 },
		{ 1024, 16, 2 },   { 131072, 1, 4096 }, { 512, 16, 1 },	   { 32, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_cache c;
		uint32_t lines = rows[i].size / 32;

		assert_int_equal(
			pmk_cache_init(&c, rows[i].size, rows[i].ways, PMK_POLICY_OWN, true, 1), 0);
		assert_int_equal(c.ways, rows[i].ways);
		assert_int_equal(c.set_mask + 1, rows[i].sets);
		/* Consecutive lines fill the whole cache before one is evicted. */
		for (uint32_t line = 0; line < lines; line++)
			assert_int_equal(pmk_cache_fill(&c, 0x1000 + line), UINT32_MAX);
		assert_int_equal(pmk_cache_fill(&c, 0x1000 + lines), 0x1000);
		pmk_cache_clear(&c);
		for (uint32_t line = 0; line < lines; line++)
			assert_int_equal(pmk_cache_fill(&c, line), UINT32_MAX);
		pmk_cache_fini(&c);
		pmk_cache_fini(&c); /* may be called twice */
	}
}

static void test_invalid_ways_first(void **state)
{
	struct pmk_cache c;

	(void)state;
	assert_int_equal(pmk_cache_init(&c, 4096, 4, PMK_POLICY_OWN, false, 99), 0); /* 32 sets */
	for (uint32_t way = 0; way < 4; way++) {
		assert_int_equal(pmk_cache_fill(&c, 7 + 32 * way), UINT32_MAX);
		assert_int_equal(c.tag[7 * 4 + way], 7 + 32 * way); /* the lowest free way */
	}
	assert_int_not_equal(pmk_cache_fill(&c, 7 + 32 * 4), UINT32_MAX);
	assert_int_equal(pmk_cache_fill(&c, 8), UINT32_MAX); /* other sets are still empty */
	pmk_cache_fini(&c);
}

/*
 * All sets share one counter, so a replacement in one set moves the next replacement in another
 * set.
 */
static void test_round_robin_is_shared(void **state)
{
	struct pmk_cache c;

	(void)state;
	assert_int_equal(pmk_cache_init(&c, 4096, 4, PMK_POLICY_OWN, true, 1), 0);
	for (uint32_t way = 0; way < 4; way++) {
		pmk_cache_fill(&c, 0 + 32 * way);
		pmk_cache_fill(&c, 1 + 32 * way);
	}
	assert_int_equal(pmk_cache_fill(&c, 0 + 32 * 4), 0);	      /* way 0 of set 0 */
	assert_int_equal(pmk_cache_fill(&c, 1 + 32 * 4), 1 + 32 * 1); /* way 1 of set 1 */
	assert_int_equal(pmk_cache_fill(&c, 0 + 32 * 5), 0 + 32 * 2);
	assert_int_equal(pmk_cache_fill(&c, 0 + 32 * 6), 0 + 32 * 3);
	assert_int_equal(pmk_cache_fill(&c, 1 + 32 * 5), 1 + 32 * 0);
	pmk_cache_fini(&c);
}

static void test_against_the_plain_model(void **state)
{
	static const struct {
		uint32_t size, ways;
	} shapes[] = { { 16384, 4 }, { 1024, 1 }, { 1024, 2 },
		       { 2048, 16 }, { 4096, 8 }, { 512, 16 } };
	static struct plain p;

	(void)state;
	for (unsigned round = 0; round < 24; round++) {
		uint32_t size = shapes[round % 6].size, ways = shapes[round % 6].ways;
		uint32_t start = 1 + pick(0xFFFFFFFE), range = 3 * (size / 32);
		struct pmk_cache c;

		assert_int_equal(pmk_cache_init(&c, size, ways, PMK_POLICY_OWN, round & 1, start),
				 0);
		plain_init(&p, size / 32 / ways, ways, round & 1, start);
		for (unsigned i = 0; i < 20000; i++) {
			uint32_t line = 0x07FFFFFF - pick(range); /* up to the last possible line */

			if (plain_holds(&p, line))
				continue;
			assert_int_equal(pmk_cache_fill(&c, line), plain_fill(&p, line));
		}
		pmk_cache_fini(&c);
	}
}

/*
 * The random policy replaces every way about equally often. The same seed gives the same sequence.
 */
static void test_random_is_spread(void **state)
{
	unsigned hits[4] = { 0 };
	struct pmk_cache a, b;

	(void)state;
	assert_int_equal(pmk_cache_init(&a, 128, 4, PMK_POLICY_OWN, false, 5), 0); /* one set */
	assert_int_equal(pmk_cache_init(&b, 128, 4, PMK_POLICY_OWN, false, 5), 0);
	for (uint32_t line = 0; line < 4004; line++) {
		pmk_cache_fill(&a, line);
		pmk_cache_fill(&b, line);
		for (unsigned way = 0; way < 4; way++) {
			assert_int_equal(a.tag[way], b.tag[way]);
			hits[way] += line >= 4 && a.tag[way] == line;
		}
	}
	for (unsigned way = 0; way < 4; way++)
		assert_in_range(hits[way], 850, 1150);
	pmk_cache_fini(&a);
	pmk_cache_fini(&b);
}

/* With a seed of 0 the generator would stay at 0 for ever, so another seed replaces it. */
static void test_seed_zero(void **state)
{
	struct pmk_cache c;
	unsigned ways = 0;

	(void)state;
	assert_int_equal(pmk_cache_init(&c, 128, 4, PMK_POLICY_OWN, false, 0), 0);
	for (uint32_t line = 0; line < 64; line++) {
		pmk_cache_fill(&c, line);
		for (unsigned way = 0; way < 4; way++)
			if (line >= 4 && c.tag[way] == line)
				ways |= 1u << way;
	}
	assert_int_equal(ways, 15);
	pmk_cache_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_invalid_ways_first),
		cmocka_unit_test(test_round_robin_is_shared),
		cmocka_unit_test(test_against_the_plain_model),
		cmocka_unit_test(test_random_is_spread),
		cmocka_unit_test(test_seed_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
