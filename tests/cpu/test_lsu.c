// SPDX-License-Identifier: MIT
/*
 * Request slots and write buffer by hand. Unless a row says otherwise: a line's first word comes 56
 * cycles after the request, its transfer takes 4, a hit takes 3 (DDI 0301H table 16-13), 2 slots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu/lsu.h"

static struct pmk_lsu fresh(unsigned slots)
{
	return (struct pmk_lsu){ .slots = slots,
				 .wbuf_entries = 2,
				 .latency = 56,
				 .fill_cycles = 4,
				 .write_cycles = 4 };
}

static void expect(struct pmk_lsu_delay d, uint64_t full, uint64_t stall, int line)
{
	if (d.full != full || d.stall != stall)
		fail_msg(
			"line %d: waited %llu for a slot and %llu for the value, not %llu and %llu",
			line, (unsigned long long)d.full, (unsigned long long)d.stall,
			(unsigned long long)full, (unsigned long long)stall);
}

/* One miss, needed after `use` cycles: it stalls for what is left of 3 + 56. */
static void test_one_miss(void **state)
{
	static const struct {
		int line;
		uint64_t use, extra, stall;
	} rows[] = {
		{ __LINE__, 3, 0, 56 }, { __LINE__, 1, 0, 58 },	  { __LINE__, 20, 0, 39 },
		{ __LINE__, 59, 0, 0 }, { __LINE__, 60, 0, 0 },	  { __LINE__, 0xFFFF, 0, 0 },
		{ __LINE__, 3, 8, 64 }, { __LINE__, 3, 93, 149 }, { __LINE__, 67, 8, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_lsu lsu = fresh(2);

		expect(pmk_lsu_load_miss(&lsu, 1000, rows[i].use, 3, rows[i].extra), 0,
		       rows[i].stall, rows[i].line);
	}
}

/* Before anything happened, at the very beginning of time. */
static void test_at_zero(void **state)
{
	struct pmk_lsu lsu = fresh(1);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 0, 3, 3, 0), 0, 56, __LINE__);
	lsu = fresh(1);
	expect(pmk_lsu_write(&lsu, 0), 0, 0, __LINE__);
}

/* Two lines under way share the bus: the second one's first word comes when the first line is over.
 * First: words at 1059 … 1062. Second, a cycle later: at 1063 instead of 1060. */
static void test_two_overlap(void **state)
{
	struct pmk_lsu lsu = fresh(2);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1001, 3, 3, 0), 0, 1063 - 1004, __LINE__);
	/* Far enough apart they do not meet. */
	lsu = fresh(2);
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1004, 3, 3, 0), 0, 56, __LINE__);
}

/* A third one finds no slot. The first slot is free when its line is complete, at 1062. */
static void test_no_slot(void **state)
{
	struct pmk_lsu lsu = fresh(2);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1001, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1002, 1000, 3, 0), 60, 0, __LINE__);
	/* One slot only: the second waits for the whole of the first. */
	lsu = fresh(1);
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1001, 3, 3, 0), 61, 56, __LINE__);
	/* The wait moves the instruction that needs the value, too: it is not counted twice. */
	lsu = fresh(1);
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1001, 59, 3, 0), 61, 0, __LINE__);
	/* Late enough: free again. */
	expect(pmk_lsu_load_miss(&lsu, 2000, 1000, 3, 0), 0, 0, __LINE__);
}

/* Four slots take four. */
static void test_slots_are_counted(void **state)
{
	(void)state;
	for (unsigned slots = 1; slots <= 16; slots++) {
		struct pmk_lsu lsu = fresh(slots);

		for (unsigned i = 0; i < slots; i++)
			expect(pmk_lsu_load_miss(&lsu, 1000 + i, 5000, 3, 0), 0, 0, __LINE__);
		expect(pmk_lsu_load_miss(&lsu, 1000 + slots, 5000, 3, 0), 62 - slots, 0, __LINE__);
	}
}

/*
 * ldr r0; ldr r1; use r0; use r1. The clock is set ahead by 56 when the first miss is seen, although
 * the second load issued a cycle after the first, before anybody waited.
 */
static void test_second_load_issued_before_the_wait(void **state)
{
	struct pmk_lsu lsu = fresh(2);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 1000, 3, 3, 0), 0, 56,
	       __LINE__); /* needed 1003, waits to 1059 */
	/* Seen at 1001 + 56; its value is needed at 1004 + 56 = 1060. It comes at 1063. */
	expect(pmk_lsu_load_miss(&lsu, 1057, 3, 3, 0), 0, 3, __LINE__);

	/* Issued behind the wait: a miss like any other. */
	lsu = fresh(2);
	expect(pmk_lsu_load_miss(&lsu, 1000, 3, 3, 0), 0, 56, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1063, 3, 3, 0), 0, 56, __LINE__);
}

/* Two entries of 4 cycles each: a third store in a row waits for the first one to leave. */
static void test_write_buffer(void **state)
{
	struct pmk_lsu lsu = fresh(2);

	(void)state;
	expect(pmk_lsu_write(&lsu, 1000), 0, 0, __LINE__); /* leaves at 1004 */
	expect(pmk_lsu_write(&lsu, 1001), 0, 0, __LINE__); /* leaves at 1008 */
	expect(pmk_lsu_write(&lsu, 1002), 2, 0, __LINE__); /* 1012: room from 1004 on */
	expect(pmk_lsu_write(&lsu, 1005), 3, 0, __LINE__); /* 1016: room from 1008 on */
	expect(pmk_lsu_write(&lsu, 1012), 0, 0, __LINE__); /* 1020 */
	expect(pmk_lsu_write(&lsu, 2000), 0, 0, __LINE__); /* long empty */
	expect(pmk_lsu_write(&lsu, 2004), 0, 0, __LINE__);
	expect(pmk_lsu_write(&lsu, 2008), 0, 0, __LINE__); /* as fast as the bus: never full */
}

/* A stream of stores slower than the bus never waits; a faster one waits at the bus's rate. */
static void test_write_stream(void **state)
{
	(void)state;
	for (unsigned every = 1; every <= 8; every++) {
		struct pmk_lsu lsu = { .slots = 2,
				       .wbuf_entries = 8,
				       .latency = 56,
				       .fill_cycles = 4,
				       .write_cycles = 4 };
		uint64_t now = 5000;

		for (unsigned i = 0; i < 1000; i++) {
			now += pmk_lsu_write(&lsu, now).full;
			now += every;
		}
		/* The bus takes 4 cycles for each, but for those that are still in the buffer. */
		if (every >= 4)
			assert_true(now == 5000 + 1000 * every);
		else
			assert_in_range(now, 5000 + 4 * 990, 5000 + 4 * 1000);
	}
}

/* Loads and the write buffer do not hold each other's places. */
static void test_apart(void **state)
{
	struct pmk_lsu lsu = fresh(1);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 1000, 5000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_write(&lsu, 1001), 0, 0, __LINE__);
	expect(pmk_lsu_write(&lsu, 1002), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1063, 3, 3, 0), 0, 56, __LINE__);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_miss),
		cmocka_unit_test(test_at_zero),
		cmocka_unit_test(test_two_overlap),
		cmocka_unit_test(test_no_slot),
		cmocka_unit_test(test_slots_are_counted),
		cmocka_unit_test(test_second_load_issued_before_the_wait),
		cmocka_unit_test(test_write_buffer),
		cmocka_unit_test(test_write_stream),
		cmocka_unit_test(test_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
