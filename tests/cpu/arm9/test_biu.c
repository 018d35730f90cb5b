// SPDX-License-Identifier: MIT
/*
 * The bus interface unit of an ARM926EJ-S makes the right bursts from the core's requests, and the
 * core waits for them as long as it must. HCLK is the core's clock unless a test says otherwise.
 * Memory has 5 wait states for the first word of a read and 2 for the first word of a write. A
 * burst takes an address cycle, the wait states, and one cycle per word. The very first transfer
 * waits 1 more cycle to be connected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "cpu/arm9/biu.h"

#define MAX_BEATS 256

struct seen {
	uint8_t master;
	struct pmk_ahb_cycle cycle;
};

struct rig {
	struct pmk_core core;
	struct pmk_biu biu;
	uint64_t cycles;
	unsigned n;
	struct seen beat[MAX_BEATS]; /* accepted address phases */
};

static void see(void *ctx, const struct pmk_ahb_cycle cycle[PMK_MATRIX_NMASTERS], uint64_t n)
{
	struct rig *r = ctx;

	r->cycles += n;
	for (unsigned i = 0; i < PMK_MATRIX_NMASTERS; i++) {
		if (!cycle[i].hready || cycle[i].htrans < PMK_AHB_NONSEQ)
			continue;
		assert_int_equal(n, 1);
		assert_true(r->n < MAX_BEATS);
		r->beat[r->n++] = (struct seen){ (uint8_t)i, cycle[i] };
	}
}

static struct rig *start(uint64_t ratio, bool system)
{
	static struct rig r;

	memset(&r, 0, sizeof(r));
	r.core = (struct pmk_core){ .pmu = "ahbmon",
				    .isa = "arm",
				    .system = system,
				    .arm9.ahb_ratio = ratio,
				    .arm9.ahb_connect = 1,
				    .arm9.mpmc_read = 5,
				    .arm9.mpmc_write = 2,
				    .arm9.smc_read = 3,
				    .arm9.smc_read_next = 2,
				    .arm9.apb_read = 2,
				    .arm9.apb_write = 4,
				    .arm9.walk_reads = 2,
				    .mem.wbuf = 4,
				    .arm9.wbuf_words = 16 };
	assert_int_equal(pmk_biu_init(&r.biu, &r.core), PMK_OK);
	r.biu.sink = see;
	r.biu.sink_ctx = &r;
	return &r;
}

/* Checks the burst that begins with beat `i`. */
static void is_burst(const struct rig *r, unsigned i, unsigned master, uint32_t addr,
		     unsigned burst, bool write, unsigned prot)
{
	const struct pmk_ahb_cycle *c = &r->beat[i].cycle;

	assert_true(i < r->n);
	assert_int_equal(r->beat[i].master, master);
	assert_int_equal(c->htrans, PMK_AHB_NONSEQ);
	assert_int_equal(c->haddr, addr);
	assert_int_equal(c->hburst, burst);
	assert_int_equal(c->hwrite, write);
	assert_int_equal(c->hprot, prot);
}

static void test_linefill(void **state)
{
	struct rig *r = start(1, false);

	(void)state;
	/*
	 * The address is in cycle 0. Cycles 1 to 6 are waits. The word comes in cycle 7 and is
	 * available at its end.
	 */
	pmk_biu_access(&r->biu, 0x8014, 4, 0);
	assert_int_equal(pmk_biu_linefill(&r->biu, 0, 0x8014 >> 5), 8);
	pmk_biu_drain(&r->biu);
	assert_int_equal(r->n, 8);
	/* The requested word comes first. The access is cacheable, bufferable, User, data. */
	is_burst(r, 0, PMK_MATRIX_ARMD, 0x8014, 4, false, 0xD);
	assert_int_equal(r->beat[3].cycle.haddr, 0x8000);
	assert_int_equal(r->beat[7].cycle.haddr, 0x8010);
	assert_int_equal(r->cycles, 15);
}

static void test_fetch(void **state)
{
	struct rig *r = start(1, true);

	(void)state;
	pmk_biu_access(&r->biu, 0x8008, 4, 0);
	assert_int_equal(pmk_biu_fetch(&r->biu, 100, 0x8008), 8);
	/* The access is cacheable, bufferable, privileged, opcode. */
	pmk_biu_drain(&r->biu);
	is_burst(r, 0, PMK_MATRIX_ARMI, 0x8008, 4, false, 0xE);
	assert_int_equal(r->n, 8);
	assert_int_equal(r->cycles, 115);
}

static void test_bus_clock(void **state)
{
	struct rig *r = start(3, false);

	(void)state;
	/*
	 * The request is made in core cycle 100, which is in HCLK cycle 33. Its address is on the
	 * bus in HCLK cycle 34, and its first word has come at the end of cycle 41.
	 */
	pmk_biu_access(&r->biu, 0x8000, 4, 0);
	assert_int_equal(pmk_biu_linefill(&r->biu, 100, 0x8000 >> 5), 42 * 3 - 100);
	/*
	 * The requesting instruction issued 10 cycles before the current time, in core cycle 90,
	 * which is HCLK cycle 30.
	 */
	r = start(3, false);
	pmk_biu_access(&r->biu, 0x8000, 4, 10);
	assert_int_equal(pmk_biu_linefill(&r->biu, 100, 0x8000 >> 5), 38 * 3 - 90);
}

static void test_castout(void **state)
{
	struct rig *r = start(1, false);

	(void)state;
	assert_int_equal(pmk_biu_castout(&r->biu, 0, 0x9000 >> 5, true, false), 0);
	assert_int_equal(pmk_biu_castout(&r->biu, 0, 0x9020 >> 5, false, true), 0);
	assert_int_equal(pmk_biu_castout(&r->biu, 0, 0x9040 >> 5, true, true), 0);
	assert_int_equal(pmk_biu_castout(&r->biu, 0, 0x9060 >> 5, false, false), 0);
	pmk_biu_drain(&r->biu);
	assert_int_equal(r->n, 16);
	is_burst(r, 0, PMK_MATRIX_ARMD, 0x9000, 3, true, 0xF);
	is_burst(r, 4, PMK_MATRIX_ARMD, 0x9030, 3, true, 0xF);
	is_burst(r, 8, PMK_MATRIX_ARMD, 0x9040, 5, true, 0xF);
}

static void test_linefill_waits_for_castout(void **state)
{
	struct rig *r = start(1, false);

	(void)state;
	pmk_biu_castout(&r->biu, 0, 0x9040 >> 5, true, true);
	/*
	 * The address of the castout is in cycle 0, and its 3 wait states and 8 words are in cycles
	 * 1 to 11. The address of the linefill comes with the last word, and its first word waits 5
	 * cycles.
	 */
	pmk_biu_access(&r->biu, 0x8000, 4, 0);
	assert_int_equal(pmk_biu_linefill(&r->biu, 0, 0x8000 >> 5), 11 + 5 + 1 + 1);
}

static void test_walk(void **state)
{
	struct rig *r = start(1, false);

	(void)state;
	pmk_biu_access(&r->biu, 0x8000, 4, 0);
	assert_int_equal(pmk_biu_walk(&r->biu, 0, 8, false), 15);
	assert_int_equal(pmk_biu_walk(&r->biu, 50, 8, true), 14);
	assert_int_equal(r->n, 4);
	is_burst(r, 0, PMK_MATRIX_ARMD, 0x4000, 0, false, 0xF);
	is_burst(r, 1, PMK_MATRIX_ARMD, 0x100020, 0, false, 0xF);
	is_burst(r, 2, PMK_MATRIX_ARMD, 0x4000, 0, false, 0xE);
	is_burst(r, 3, PMK_MATRIX_ARMD, 0x100020, 0, false, 0xE);
}

/*
 * The unit splits writes in every way in which the ARM926EJ-S does. Single transfers have the right
 * sizes.
 */
static void test_write_shapes(void **state)
{
	static const struct {
		uint32_t addr, bytes;
		unsigned n;
		struct {
			uint32_t addr;
			uint8_t burst, size, beats;
		} burst[4];
	} rows[] = {
		{ 0x8003, 1, 1, { { 0x8003, 0, 0, 1 } } },
		{ 0x8002, 2, 1, { { 0x8002, 0, 1, 1 } } },
		{ 0x8004, 4, 1, { { 0x8004, 0, 2, 1 } } },
		{ 0x8001, 4, 3, { { 0x8001, 0, 0, 1 }, { 0x8002, 0, 1, 1 }, { 0x8004, 0, 0, 1 } } },
		{ 0x8008, 8, 2, { { 0x8008, 0, 2, 1 }, { 0x800c, 0, 2, 1 } } },
		{ 0x8004, 16, 1, { { 0x8004, 3, 2, 4 } } },
		{ 0x8000,
		  24,
		  3,
		  { { 0x8000, 3, 2, 4 }, { 0x8010, 0, 2, 1 }, { 0x8014, 0, 2, 1 } } },
		{ 0x8000, 32, 1, { { 0x8000, 5, 2, 8 } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig *r = start(1, false);
		unsigned at = 0;

		pmk_biu_access(&r->biu, rows[i].addr, rows[i].bytes, 0);
		assert_int_equal(pmk_biu_write(&r->biu, 0, 0x8000 >> 5), 0);
		pmk_biu_drain(&r->biu);
		for (unsigned k = 0; k < rows[i].n; k++) {
			is_burst(r, at, PMK_MATRIX_ARMD, rows[i].burst[k].addr,
				 rows[i].burst[k].burst, true, 0xD);
			assert_int_equal(r->beat[at].cycle.hsize, rows[i].burst[k].size);
			at += rows[i].burst[k].beats;
		}
		assert_int_equal(r->n, at);
	}
}

static void test_write_buffer(void **state)
{
	struct rig *r = start(1, false);

	(void)state;
	/*
	 * The first single write is done at the end of cycle 4, and each further one 3 cycles
	 * later: 7, 10, 13.
	 */
	for (uint32_t i = 0; i < 4; i++) {
		pmk_biu_access(&r->biu, 0x8000 + 4 * i, 4, 0);
		assert_int_equal(pmk_biu_write(&r->biu, 0, 0x8000 >> 5), 0);
	}
	/* The buffer has only four address entries, so the fifth address waits. */
	pmk_biu_access(&r->biu, 0x8010, 4, 0);
	assert_int_equal(pmk_biu_write(&r->biu, 0, 0x8000 >> 5), 5);
	/* When some writes are done, there is room again. */
	pmk_biu_access(&r->biu, 0x8014, 4, 0);
	assert_int_equal(pmk_biu_write(&r->biu, 8, 0x8000 >> 5), 0);
}

static void test_write_buffer_words(void **state)
{
	struct rig *r = start(1, false);

	(void)state;
	/*
	 * Two stores of eight words fill all sixteen data entries. The first burst ends with cycle
	 * 11.
	 */
	for (uint32_t i = 0; i < 2; i++) {
		pmk_biu_access(&r->biu, 0x8000 + 32 * i, 32, 0);
		assert_int_equal(pmk_biu_write(&r->biu, 0, (0x8000 >> 5) + i), 0);
	}
	pmk_biu_access(&r->biu, 0x8040, 4, 0);
	assert_int_equal(pmk_biu_write(&r->biu, 0, 0x8040 >> 5), 12);
}

static void test_unbuffered(void **state)
{
	struct rig *r = start(1, true);

	(void)state;
	/*
	 * This read of a peripheral takes an address cycle, a wait to be connected, 2 wait states,
	 * and a cycle for the word. The write has 4 wait states. Both are privileged and not
	 * cached.
	 */
	pmk_biu_access(&r->biu, 0x101F1000, 4, 0);
	assert_int_equal(pmk_biu_read(&r->biu, 0, 0x101F1000 >> 5), 5);
	pmk_biu_access(&r->biu, 0x101F1000, 1, 0);
	assert_int_equal(pmk_biu_write_unbuffered(&r->biu, 10, 0x101F1000 >> 5), 6);
	is_burst(r, 0, PMK_MATRIX_ARMD, 0x101F1000, 0, false, 0x3);
	is_burst(r, 1, PMK_MATRIX_ARMD, 0x101F1000, 0, true, 0x3);
	assert_int_equal(r->beat[1].cycle.hsize, 0);
	/* Four words of a load multiple are four separate transfers. */
	pmk_biu_access(&r->biu, 0x101F1000, 16, 0);
	assert_int_equal(pmk_biu_read(&r->biu, 20, 0x101F1000 >> 5), 16);
	assert_int_equal(r->n, 6);
}

static void test_places(void **state)
{
	struct rig *r = start(1, true);

	(void)state;
	/*
	 * Addresses in the chip's map keep their slaves, and all other addresses are memory. In
	 * user emulation, all addresses are memory.
	 */
	pmk_biu_access(&r->biu, 0x34000004, 4, 0);
	pmk_biu_read(&r->biu, 0, 0x34000004 >> 5);
	pmk_biu_access(&r->biu, 0xC0008000, 4, 0);
	pmk_biu_read(&r->biu, 100, 0xC0008000 >> 5);
	assert_int_equal(r->beat[0].cycle.haddr, 0x34000004);
	assert_int_equal(r->beat[1].cycle.haddr, 0x8000);
	r = start(1, false);
	pmk_biu_access(&r->biu, 0x101F1000, 4, 0);
	pmk_biu_read(&r->biu, 0, 0x101F1000 >> 5);
	assert_int_equal(r->beat[0].cycle.haddr, 0x01F1000);
}

static void test_part_of_an_access(void **state)
{
	struct rig *r = start(1, false);

	(void)state;
	/* Eight bytes across the end of a line are two transfers of four bytes. */
	pmk_biu_access(&r->biu, 0x801C, 8, 0);
	pmk_biu_read(&r->biu, 0, 0x8000 >> 5);
	pmk_biu_read(&r->biu, 50, 0x8020 >> 5);
	assert_int_equal(r->n, 2);
	assert_int_equal(r->beat[0].cycle.haddr, 0x801C);
	assert_int_equal(r->beat[1].cycle.haddr, 0x8020);
}

static void test_starved(void **state)
{
	static const struct pmk_matrix_script all = {
		.on = true, .burst = PMK_AHB_INCR16, .size = PMK_AHB_WORD, .span = 65536
	};
	struct rig *r = start(1, false);

	(void)state;
	/* A master of higher priority never pauses, but the request still returns. */
	r->biu.sink = NULL;
	assert_int_equal(pmk_matrix_script(&r->biu.matrix, PMK_MATRIX_DMA0, &all), PMK_OK);
	pmk_biu_access(&r->biu, 0x8000, 4, 0);
	pmk_biu_linefill(&r->biu, 100, 0x8000 >> 5);
	assert_true(r->biu.starved);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(pmk_biu_linefill(&r->biu, 1000, 0x8000 >> 5), 0);
		assert_int_equal(pmk_biu_write(&r->biu, 1000, 0x8000 >> 5), 0);
		assert_int_equal(pmk_biu_walk(&r->biu, 1000, 8, true), 0);
	}
	pmk_biu_drain(&r->biu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linefill),
		cmocka_unit_test(test_fetch),
		cmocka_unit_test(test_bus_clock),
		cmocka_unit_test(test_castout),
		cmocka_unit_test(test_linefill_waits_for_castout),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_write_shapes),
		cmocka_unit_test(test_write_buffer),
		cmocka_unit_test(test_write_buffer_words),
		cmocka_unit_test(test_unbuffered),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_part_of_an_access),
		cmocka_unit_test(test_starved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
