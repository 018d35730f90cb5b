// SPDX-License-Identifier: MIT
/*
 * TLBs agree with a plain model, in which each set is a list of pages, and the oldest page is
 * evicted first. The micro-TLB has 10 entries and is fully associative. The main TLB has 64 entries
 * in two ways (ARM1176JZF-S TRM DDI 0301H 6.4).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/tlb.h"

static uint64_t seed = 88172645463325252u;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

struct plain {
	unsigned sets, ways;
	struct {
		unsigned n;
		uint64_t page[64]; /* oldest first */
	} set[512];
};

static int plain_holds(const struct plain *p, uint64_t page)
{
	unsigned s = page % p->sets;

	for (unsigned i = 0; i < p->set[s].n; i++)
		if (p->set[s].page[i] == page)
			return 1;
	return 0;
}

static uint64_t plain_fill(struct plain *p, uint64_t page)
{
	unsigned s = page % p->sets;
	uint64_t old = UINT64_MAX;

	if (p->set[s].n == p->ways) {
		old = p->set[s].page[0];
		memmove(p->set[s].page, p->set[s].page + 1, 63 * sizeof(p->set[s].page[0]));
		p->set[s].n--;
	}
	p->set[s].page[p->set[s].n++] = page;
	return old;
}

static const struct {
	uint32_t entries, ways, sets;
} shapes[] = {
	{ 10, 10, 1 },	  { 64, 2, 32 }, { 1, 1, 1 }, { 64, 64, 1 },
	{ 1024, 2, 512 }, { 24, 3, 8 },	 { 2, 2, 1 }, { 2, 1, 2 },
};
#define NSHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void test_micro_tlb_by_hand(void **state)
{
	struct pmk_tlb t;

	(void)state;
	assert_int_equal(pmk_tlb_init(&t, 10, 10), 0);
	for (uint32_t page = 0; page < 10; page++) {
		assert_false(pmk_tlb_holds(&t, page));
		assert_int_equal(pmk_tlb_fill(&t, page), UINT64_MAX);
		assert_true(pmk_tlb_holds(&t, page));
	}
	/* An eleventh page replaces the first page. Looking up page 1 did not make it younger. */
	assert_true(pmk_tlb_holds(&t, 1));
	assert_int_equal(pmk_tlb_fill(&t, 10), 0);
	assert_false(pmk_tlb_holds(&t, 0));
	assert_int_equal(pmk_tlb_fill(&t, 0), 1);
	pmk_tlb_clear(&t);
	for (uint32_t page = 0; page < 11; page++)
		assert_false(pmk_tlb_holds(&t, page));
	assert_int_equal(pmk_tlb_fill(&t, 77), UINT64_MAX);
	pmk_tlb_fini(&t);
	pmk_tlb_fini(&t); /* may be called twice */
}

/* Pages 32 pages apart share a set of the main TLB, because VA[16:12] is its index. */
static void test_main_tlb_by_hand(void **state)
{
	struct pmk_tlb t;

	(void)state;
	assert_int_equal(pmk_tlb_init(&t, 64, 2), 0);
	assert_int_equal(pmk_tlb_fill(&t, 5), UINT64_MAX);
	assert_int_equal(pmk_tlb_fill(&t, 5 + 32), UINT64_MAX);
	assert_int_equal(pmk_tlb_fill(&t, 6), UINT64_MAX);
	assert_int_equal(pmk_tlb_fill(&t, 5 + 64), 5);
	assert_int_equal(pmk_tlb_fill(&t, 5), 5 + 32);
	assert_int_equal(pmk_tlb_fill(&t, 6 + 32), UINT64_MAX); /* the set of page 6 has room */
	assert_int_equal(pmk_tlb_fill(&t, 6 + 64), 6);
	assert_true(pmk_tlb_holds(&t, 6 + 32));
	pmk_tlb_fini(&t);
}

/* The first and the last page of the address space can be in the TLB. */
static void test_ends_of_the_address_space(void **state)
{
	struct pmk_tlb t;

	(void)state;
	for (size_t i = 0; i < NSHAPES; i++) {
		assert_int_equal(pmk_tlb_init(&t, shapes[i].entries, shapes[i].ways), 0);
		assert_int_equal(t.set_mask + 1, shapes[i].sets);
		assert_false(pmk_tlb_holds(&t, 0));
		assert_false(pmk_tlb_holds(&t, 0xFFFFF));
		pmk_tlb_fill(&t, 0);
		assert_true(pmk_tlb_holds(&t, 0));
		pmk_tlb_fill(&t, 0xFFFFF);
		assert_true(pmk_tlb_holds(&t, 0xFFFFF));
		pmk_tlb_fini(&t);
	}
}

static void test_against_the_plain_model(void **state)
{
	static struct plain p;

	(void)state;
	for (unsigned round = 0; round < 3 * NSHAPES; round++) {
		unsigned i = round % NSHAPES;
		uint32_t range = shapes[i].entries * 3;
		struct pmk_tlb t;

		assert_int_equal(pmk_tlb_init(&t, shapes[i].entries, shapes[i].ways), 0);
		memset(&p, 0, sizeof(p));
		p.sets = shapes[i].sets;
		p.ways = shapes[i].ways;
		for (unsigned k = 0; k < 20000; k++) {
			uint32_t page = 0xFFFFF - pick(range);
			int held = plain_holds(&p, page);

			assert_int_equal(pmk_tlb_holds(&t, page), held);
			if (!held)
				assert_int_equal(pmk_tlb_fill(&t, page), plain_fill(&p, page));
			if (pick(5000) == 0) {
				pmk_tlb_clear(&t);
				memset(p.set, 0, sizeof(p.set));
			}
		}
		pmk_tlb_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_micro_tlb_by_hand),
		cmocka_unit_test(test_main_tlb_by_hand),
		cmocka_unit_test(test_ends_of_the_address_space),
		cmocka_unit_test(test_against_the_plain_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
