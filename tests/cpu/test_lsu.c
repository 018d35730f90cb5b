// SPDX-License-Identifier: MIT
/*
 * Request slots and the write buffer give the results computed by hand. Unless a row says
 * otherwise, a line's first word comes 56 cycles after the request, its transfer takes 4 cycles, a
 * hit takes 3 (DDI 0301H table 16-13), and there are 2 slots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu/lsu.h"

static struct pmk_lsu lsu_with_slots(unsigned slots)
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

/* A miss whose value is needed after `use` cycles stalls the core for the rest of 3 + 56 cycles. */
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
		struct pmk_lsu lsu = lsu_with_slots(2);

		expect(pmk_lsu_load_miss(&lsu, 1000, rows[i].use, 3, rows[i].extra), 0,
		       rows[i].stall, rows[i].line);
	}
}

/*
 * With two slots, two misses at the same time overlap, unless memory answers one read before it
 * accepts the next one. In that case the second word comes at 56 + 4 + 56. Level 2 always accepts
 * both.
 */
static void test_serial_memory(void **state)
{
	static const struct {
		int line;
		bool serial, level2;
		uint64_t ready;
	} rows[] = {
		{ __LINE__, false, false, 1000 + 60 + 3 },
		{ __LINE__, true, false, 1000 + 60 + 56 + 3 },
		{ __LINE__, true, true, 1000 + 60 + 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_lsu lsu = lsu_with_slots(2);
		uint64_t ready;

		lsu.serial = rows[i].serial;
		lsu.level2 = rows[i].level2;
		pmk_lsu_load_miss(&lsu, 1000, PMK_LSU_NO_USE, 3, 0);
		ready = pmk_lsu_load_miss(&lsu, 1000, PMK_LSU_NO_USE, 3, 0).ready;
		if (ready != rows[i].ready)
			fail_msg("line %d: ready at %llu", rows[i].line, (unsigned long long)ready);
	}
}

/* If memory is serial, a read waits for the write in the buffer. */
static void test_serial_writes(void **state)
{
	(void)state;
	for (unsigned serial = 0; serial <= 1; serial++) {
		struct pmk_lsu lsu = lsu_with_slots(2);
		uint64_t before = lsu.write_cycles;

		lsu.serial = serial;
		pmk_lsu_write(&lsu, 1000);
		assert_int_equal(pmk_lsu_load_miss(&lsu, 1000, PMK_LSU_NO_USE, 3, 0).ready,
				 1000 + (serial ? before : 0) + 56 + 3);
	}
}

/*
 * Prefetches of consecutive lines, the first at 1000, keep serial memory busy for 16 cycles each,
 * and arrive 56 + 3 after they begin. A load waits for them.
 */
static void test_next_lines(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(4);
	struct pmk_lsu_delay d;

	(void)state;
	lsu.serial = true;
	d = pmk_lsu_load_miss(&lsu, 1000, PMK_LSU_NO_USE, 3, 0);
	assert_int_equal(d.ready, 1059);
	d = pmk_lsu_next_line(&lsu, 1001, 3, 16);
	assert_int_equal(d.ready, 1060 + 59);
	d = pmk_lsu_next_line(&lsu, 1002, 3, 16);
	assert_int_equal(d.ready, 1076 + 59);
	d = pmk_lsu_load_miss(&lsu, 1003, PMK_LSU_NO_USE, 3, 0);
	assert_int_equal(d.ready, 1092 + 59);
	/*
	 * All four slots are busy, so the next prefetch waits for the first slot, until 1059 + 3.
	 */
	d = pmk_lsu_next_line(&lsu, 1004, 3, 16);
	assert_int_equal(d.full, 1062 - 1004);
}

/* A miss or a store may come at time 0, before any other request. */
static void test_at_zero(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(1);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 0, 3, 3, 0), 0, 56, __LINE__);
	lsu = lsu_with_slots(1);
	expect(pmk_lsu_write(&lsu, 0), 0, 0, __LINE__);
}

/*
 * Two requested lines share the bus. The first word of the second line comes when the first line is
 * complete: the words of the first line come at 1059 … 1062, and the second line, requested a cycle
 * later, comes at 1063 instead of 1060.
 */
static void test_two_overlap(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(2);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1001, 3, 3, 0), 0, 1063 - 1004, __LINE__);
	/* Two misses that are far enough apart do not affect each other. */
	lsu = lsu_with_slots(2);
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1004, 3, 3, 0), 0, 56, __LINE__);
}

/*
 * A third line finds no free slot. The first slot becomes free when its line is complete, at 1062.
 */
static void test_no_slot(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(2);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1001, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1002, 1000, 3, 0), 60, 0, __LINE__);
	/* With one slot, the second miss waits for the whole first line. */
	lsu = lsu_with_slots(1);
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1001, 3, 3, 0), 61, 56, __LINE__);
	/*
	 * The wait also delays the instruction that needs the value, but it is counted only once.
	 */
	lsu = lsu_with_slots(1);
	expect(pmk_lsu_load_miss(&lsu, 1000, 1000, 3, 0), 0, 0, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1001, 59, 3, 0), 61, 0, __LINE__);
	/* This load issues when the slot is free again. */
	expect(pmk_lsu_load_miss(&lsu, 2000, 1000, 3, 0), 0, 0, __LINE__);
}

/* N slots accept N misses without a wait. */
static void test_slots_are_counted(void **state)
{
	(void)state;
	for (unsigned slots = 1; slots <= 16; slots++) {
		struct pmk_lsu lsu = lsu_with_slots(slots);

		for (unsigned i = 0; i < slots; i++)
			expect(pmk_lsu_load_miss(&lsu, 1000 + i, 5000, 3, 0), 0, 0, __LINE__);
		expect(pmk_lsu_load_miss(&lsu, 1000 + slots, 5000, 3, 0), 62 - slots, 0, __LINE__);
	}
}

/*
 * The program is ldr r0; ldr r1; use r0; use r1. The model advances the clock by 56 when it sees
 * the first miss, although the second load issued a cycle after the first one, before any wait.
 */
static void test_second_load_issued_before_the_wait(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(2);

	(void)state;
	expect(pmk_lsu_load_miss(&lsu, 1000, 3, 3, 0), 0, 56,
	       __LINE__); /* needed at 1003, waits until 1059 */
	/*
	 * The second miss is seen at 1001 + 56. Its value is needed at 1004 + 56 = 1060, and comes
	 * at 1063.
	 */
	expect(pmk_lsu_load_miss(&lsu, 1057, 3, 3, 0), 0, 3, __LINE__);

	/* A load that issues after the wait misses like a first load. */
	lsu = lsu_with_slots(2);
	expect(pmk_lsu_load_miss(&lsu, 1000, 3, 3, 0), 0, 56, __LINE__);
	expect(pmk_lsu_load_miss(&lsu, 1063, 3, 3, 0), 0, 56, __LINE__);
}

/*
 * Eight loads issue a cycle apart. Then eight instructions need their values, one by one, each 8
 * cycles after its load. A line comes 120 cycles after the request, one line per cycle, so a slot
 * is busy for 123 cycles. The comparison is with a core that never waits. With eight slots, the end
 * is at 1123 instead of 1008. With four slots, the second four requests are sent at 1123; the last
 * value is needed at 1012 and arrives at 1246. With two slots, requests are sent at 1123, 1246 and
 * 1369, and the end is at 1492 instead of 1014. With one slot, the last request is sent at 1861,
 * and the end is at 1984 instead of 1015.
 */
static void test_all_slots_overlap(void **state)
{
	static const struct {
		unsigned slots;
		uint64_t late;
	} rows[] = { { 1, 969 }, { 2, 478 }, { 4, 234 }, { 8, 115 }, { 16, 115 } };

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct pmk_lsu lsu = lsu_with_slots(rows[r].slots);
		uint64_t late = 0;

		lsu.latency = 120;
		lsu.fill_cycles = 1;
		for (unsigned i = 0; i < 8; i++) {
			struct pmk_lsu_delay d = pmk_lsu_load_miss(&lsu, 1000 + i + late, 8, 3, 0);

			late += d.full + d.stall;
		}
		if (late != rows[r].late)
			fail_msg("%u slots: %llu cycles", rows[r].slots, (unsigned long long)late);
		assert_int_equal(pmk_lsu_late(&lsu), late);
	}
}

/*
 * Waits of several loads overlap, so the core loses only the longest. The first value is needed
 * long after its load, and the second value soon after its load.
 */
static void test_waits_do_not_add_up(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(4);
	struct pmk_lsu_delay d;

	(void)state;
	/* The value is needed at 1050, and available at 1059. */
	expect(pmk_lsu_load_miss(&lsu, 1000, 50, 3, 0), 0, 9, __LINE__);
	/*
	 * This load is sent at 1001, needed at 1004 and available at 1063. Of these 59 cycles, the
	 * core has already waited 9.
	 */
	expect(pmk_lsu_load_miss(&lsu, 1001 + 9, 3, 3, 0), 0, 59 - 9, __LINE__);
	/*
	 * After 20 more instructions, a load is sent at 1024 + 59 and available at 1142. Its value
	 * is needed at 1080 + 59 = 1139.
	 */
	d = pmk_lsu_load_miss(&lsu, 1024 + 59, 56, 3, 0);
	expect(d, 0, 3, __LINE__);
	assert_int_equal(d.ready, 1142);
	/*
	 * A load that comes before the instruction at 1080 does not wait for the third value. It is
	 * sent at 1030 + 59, although the core is late by 62 cycles when the model sees it.
	 */
	d = pmk_lsu_load_miss(&lsu, 1030 + 62, 3, 3, 0);
	assert_int_equal(d.ready, 1030 + 59 + 56 + 3);
	expect(d, 0, 1148 - (1033 + 62), __LINE__);
}

/* A miss does not stall the core while no instruction needs its value. */
static void test_no_use(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(2);
	struct pmk_lsu_delay d = pmk_lsu_load_miss(&lsu, 1000, PMK_LSU_NO_USE, 3, 8);

	(void)state;
	expect(d, 0, 0, __LINE__);
	assert_int_equal(d.ready, 1000 + 8 + 56 + 3);
	/* An instruction at 1020 needs the value. */
	assert_int_equal(pmk_lsu_hold(&lsu, 1020, d.ready), 47);
	/*
	 * An instruction at 1010 needs a value that comes at 1050, and waits 40 cycles. This adds
	 * nothing, because the instruction at 1020 waits longer.
	 */
	assert_int_equal(pmk_lsu_hold(&lsu, 1010, 1050), 0);
	assert_int_equal(pmk_lsu_hold(&lsu, 1015, 1055), 0);
	assert_int_equal(pmk_lsu_late(&lsu), 47);
	/* A load at 1012 waits only for the instruction at 1010: it is sent at 1012 + 40. */
	d = pmk_lsu_load_hit(&lsu, 1012 + 47, PMK_LSU_NO_USE, 3 + 8);
	assert_int_equal(d.ready, 1012 + 40 + 11);
}

/* A hit is late if its page needed a look-up. */
static void test_late_hit(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(2);

	(void)state;
	expect(pmk_lsu_load_hit(&lsu, 1000, 3, 3 + 20), 0, 20, __LINE__);
	/* The load is sent at 1001 and available at 1024; its value is needed at 1010 + 20. */
	expect(pmk_lsu_load_hit(&lsu, 1001 + 20, 9, 3 + 20), 0, 0, __LINE__);
	/* The value is ready at 1005 and needed at 1003. The instruction that needs it is already
	 * delayed by 20 cycles, so it does not wait longer. */
	expect(pmk_lsu_load_hit(&lsu, 1002 + 20, 1, 3), 0, 0, __LINE__);
}

/*
 * Loads whose lines are under way hold their slots until the lines arrive. So the third load waits
 * for the first line, although nothing needs the values. A load of a line that is present holds no
 * slot.
 */
static void test_lines_under_way(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(2);

	(void)state;
	expect(pmk_lsu_load_arriving(&lsu, 1000, PMK_LSU_NO_USE, 3, 0, 1100), 0, 0, __LINE__);
	expect(pmk_lsu_load_arriving(&lsu, 1001, PMK_LSU_NO_USE, 3, 0, 1150), 0, 0, __LINE__);
	expect(pmk_lsu_load_hit(&lsu, 1002, PMK_LSU_NO_USE, 3), 0, 0, __LINE__);
	expect(pmk_lsu_load_arriving(&lsu, 1002, PMK_LSU_NO_USE, 3, 0, 1200), 101, 0, __LINE__);

	lsu = lsu_with_slots(2);
	expect(pmk_lsu_load_arriving(&lsu, 1000, 3, 3, 0, 1100), 0, 100, __LINE__);
	lsu = lsu_with_slots(2);
	expect(pmk_lsu_load_arriving(&lsu, 1000, 3, 3, 130, 1100), 0, 130, __LINE__);
}

/* Lines from level 2 overtake lines from memory, but not each other. */
static void test_level_2(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(4);

	(void)state;
	assert_int_equal(pmk_lsu_load_miss(&lsu, 1000, PMK_LSU_NO_USE, 3, 0).ready, 1059);
	lsu.level2 = true;
	lsu.latency = 13;
	assert_int_equal(pmk_lsu_load_miss(&lsu, 1001, PMK_LSU_NO_USE, 3, 0).ready, 1017);
	assert_int_equal(pmk_lsu_load_miss(&lsu, 1002, PMK_LSU_NO_USE, 3, 0).ready, 1021);
	lsu.level2 = false;
	lsu.latency = 56;
	assert_int_equal(pmk_lsu_load_miss(&lsu, 1003, PMK_LSU_NO_USE, 3, 0).ready, 1063);
}

/* If there are more waits than the list can hold, their sum is still right. */
static void test_many_waits(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(2);

	(void)state;
	for (unsigned k = 0; k < 40; k++)
		assert_int_equal(pmk_lsu_hold(&lsu, 1000 + 10 * k, 1001 + 11 * k), 1);
	assert_int_equal(pmk_lsu_late(&lsu), 40);
	assert_int_equal(lsu.nwaits, 16);
	/* This wait comes before all known waits, and is shorter than they are. */
	assert_int_equal(pmk_lsu_hold(&lsu, 1000, 1001), 0);
	assert_int_equal(lsu.nwaits, 16);
	/*
	 * This wait replaces some of the known waits: instructions from 1200 on are 30 cycles late.
	 */
	assert_int_equal(pmk_lsu_hold(&lsu, 1200, 1230), 0);
	assert_int_equal(pmk_lsu_late(&lsu), 40);
	/* Each of these three loads has the waits that begin before it: 30, 31 and 40 cycles. */
	assert_int_equal(pmk_lsu_load_hit(&lsu, 1295 + 40, PMK_LSU_NO_USE, 3).ready, 1295 + 30 + 3);
	assert_int_equal(pmk_lsu_load_hit(&lsu, 1305 + 40, PMK_LSU_NO_USE, 3).ready, 1305 + 31 + 3);
	assert_int_equal(pmk_lsu_load_hit(&lsu, 1500 + 40, PMK_LSU_NO_USE, 3).ready, 1543);
	assert_int_equal(lsu.nwaits, 0);
}

/*
 * The list of waits obeys this rule: the delay of an instruction is the longest of the waits that
 * begin at it or at an instruction before it.
 */
static void test_against_the_rule(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (unsigned run = 0; run < 2000; run++) {
		struct pmk_lsu lsu = lsu_with_slots(2);
		uint64_t at[12], until[12], sum = 0, most = 0;

		for (unsigned i = 0; i < 12; i++) {
			uint64_t ready = 1000;

			seed = seed * 1664525 + 1013904223;
			at[i] = 1000 + (seed >> 16) % 50;
			until[i] = 1000 + (seed >> 24) % 200;
			sum += pmk_lsu_hold(&lsu, at[i], until[i]);
			if (until[i] > at[i] + most)
				most = until[i] - at[i];
			if (sum != most || pmk_lsu_late(&lsu) != most)
				fail_msg("run %u, %u: %llu late, not %llu", run, i,
					 (unsigned long long)sum, (unsigned long long)most);
			/*
			 * The first instruction, at 1000, is delayed only by waits that begin at
			 * 1000.
			 */
			for (unsigned k = 0; k <= i; k++)
				if (at[k] == 1000 && until[k] > ready)
					ready = until[k];
			if (i == 11)
				assert_int_equal(
					pmk_lsu_load_hit(&lsu, 1000 + most, PMK_LSU_NO_USE, 0)
						.ready,
					ready);
		}
	}
}

/*
 * If no earlier wait is left, pmk_lsu_settled_load_miss() and pmk_lsu_settled_write() give the same
 * results as the general functions.
 */
static void test_settled(void **state)
{
	uint32_t seed = 1;
	unsigned loads = 0, writes = 0;

	(void)state;
	for (unsigned run = 0; run < 300; run++) {
		struct pmk_lsu lsu = lsu_with_slots(2);
		uint64_t now = 1000;

		for (unsigned i = 0; i < 60; i++) {
			unsigned slot = lsu.busy_until[1] < lsu.busy_until[0];
			struct pmk_lsu quick = lsu;
			struct pmk_lsu_delay d;
			uint64_t use, extra, late;

			seed = seed * 1664525 + 1013904223;
			now += (seed >> 8) % (run % 3 ? 40 : 4);
			use = (seed >> 16) % 8 ? (seed >> 16) % 8 : PMK_LSU_NO_USE;
			extra = (seed >> 20) % 8 ? 0 : (seed >> 24) % 100;
			if ((seed >> 31) == 0) {
				d = pmk_lsu_load_miss(&lsu, now, use, 3, extra);
				if (pmk_lsu_is_settled(&quick, now, &late) &&
				    quick.busy_until[slot] <= now) {
					loads++;
					expect(pmk_lsu_settled_load_miss(&quick, late, slot,
									 &quick.bus_free, now, use,
									 3, extra),
					       d.full, d.stall, __LINE__);
					assert_memory_equal(&quick, &lsu, sizeof(lsu));
				}
			} else {
				d = pmk_lsu_write(&lsu, now);
				if (pmk_lsu_is_settled(&quick, now, &late)) {
					writes++;
					expect(pmk_lsu_settled_write(&quick, late, now), d.full,
					       d.stall, __LINE__);
					/* A wait that is over may still be in the list. */
					quick.wait[0] = lsu.wait[0];
					assert_memory_equal(&quick, &lsu, sizeof(lsu));
				}
			}
			now += d.full + d.stall;
		}
	}
	assert_true(loads > 1000 && writes > 1000);
}

/* After a fork there are no outstanding requests, and the sizes are the same. */
static void test_restart(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(1);

	(void)state;
	pmk_lsu_load_miss(&lsu, 1000, 3, 3, 0);
	for (unsigned i = 0; i < 9; i++)
		pmk_lsu_write(&lsu, 1100);
	pmk_lsu_restart(&lsu);
	expect(pmk_lsu_load_miss(&lsu, 5, 3, 3, 0), 0, 56, __LINE__);
	/*
	 * The only slot is needed at 6 and free at 67, so the load is 61 cycles late. The core was
	 * already 56 cycles late, so 5 are added.
	 */
	expect(pmk_lsu_load_miss(&lsu, 6 + 56, 3, 3, 0), 5, 56, __LINE__);
}

/*
 * The buffer has two entries of 4 cycles each, so a third store in a row waits for the first one to
 * leave.
 */
static void test_write_buffer(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(2);

	(void)state;
	expect(pmk_lsu_write(&lsu, 1000), 0, 0, __LINE__); /* leaves at 1004 */
	expect(pmk_lsu_write(&lsu, 1001), 0, 0, __LINE__); /* leaves at 1008 */
	expect(pmk_lsu_write(&lsu, 1002), 2, 0, __LINE__); /* 1012; there is room from 1004 on */
	expect(pmk_lsu_write(&lsu, 1005), 3, 0, __LINE__); /* 1016; there is room from 1008 on */
	expect(pmk_lsu_write(&lsu, 1012), 0, 0, __LINE__); /* 1020 */
	/* The buffer is empty. Stores that come at the rate of the bus never fill it. */
	expect(pmk_lsu_write(&lsu, 2000), 0, 0, __LINE__);
	expect(pmk_lsu_write(&lsu, 2004), 0, 0, __LINE__);
	expect(pmk_lsu_write(&lsu, 2008), 0, 0, __LINE__);
}

/*
 * A stream of stores that is slower than the bus never waits. A faster one proceeds at the rate of
 * the bus.
 */
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
		/* The bus takes 4 cycles per store. At the end, some stores are in the buffer. */
		if (every >= 4)
			assert_true(now == 5000 + 1000 * every);
		else
			assert_in_range(now, 5000 + 4 * 990, 5000 + 4 * 1000);
	}
}

/* Loads use no entries of the write buffer, and stores use no request slots. */
static void test_apart(void **state)
{
	struct pmk_lsu lsu = lsu_with_slots(1);

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
		cmocka_unit_test(test_serial_memory),
		cmocka_unit_test(test_serial_writes),
		cmocka_unit_test(test_next_lines),
		cmocka_unit_test(test_at_zero),
		cmocka_unit_test(test_two_overlap),
		cmocka_unit_test(test_no_slot),
		cmocka_unit_test(test_slots_are_counted),
		cmocka_unit_test(test_second_load_issued_before_the_wait),
		cmocka_unit_test(test_all_slots_overlap),
		cmocka_unit_test(test_waits_do_not_add_up),
		cmocka_unit_test(test_no_use),
		cmocka_unit_test(test_late_hit),
		cmocka_unit_test(test_lines_under_way),
		cmocka_unit_test(test_level_2),
		cmocka_unit_test(test_many_waits),
		cmocka_unit_test(test_against_the_rule),
		cmocka_unit_test(test_settled),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_write_buffer),
		cmocka_unit_test(test_write_stream),
		cmocka_unit_test(test_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
