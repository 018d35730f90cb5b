// SPDX-License-Identifier: MIT
/*
 * An ARM11 with a level 2 cache, in cases whose counts and cycles are known by hand. test_cpu.c
 * runs random programs on such cores.
 *
 * The data cache is direct mapped and has 1 KB, so lines 1 KB apart evict each other. The level 2
 * cache is also direct mapped, and has 64 KB.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/arm11/arm11.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define KB	 UINT32_C(1024)
#define A	 UINT32_C(0x00100000)

struct setting {
	const char *key, *value;
};

struct bench {
	struct pmk_core core;
	struct pmk_cpu cpu;
	struct pmk_executions executions[2];
	struct pmk_facts facts[2];
	struct pmk_block b[2];
	struct pmk_bus bus;
};

static struct bench s; /* too large for the stack */

static void set(const struct setting *settings, size_t n)
{
	char msg[256];

	for (size_t i = 0; i < n && settings[i].key; i++)
		if (pmk_core_set(&s.core, settings[i].key, settings[i].value, msg, sizeof(msg)))
			fail_msg("%s", msg);
}

/*
 * Sets up a core with the settings of `all` and `more`, and two blocks of one line each, 1 KB
 * apart.
 */
static void begin(const struct setting *more, size_t n)
{
	static const struct setting all[] = {
		{ "dcache.size", "1K" },  { "dcache.ways", "1" },  { "icache.size", "1K" },
		{ "icache.ways", "1" },	  { "l2.type", "l220" },   { "l2.size", "64K" },
		{ "l2.ways", "1" },	  { "mmu.enable", "off" }, { "fetch.shadow", "0" },
		{ "mem.latency", "100" }, { "l2.latency", "20" },
	};
	char msg[256];

	memset(&s, 0, sizeof(s));
	pmk_core_choose(&s.core, "arm", "");
	set(all, COUNT(all));
	set(more, n);
	assert_int_equal(pmk_core_check(&s.core, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_cpu_init(&s.cpu, &s.core), 0);
	s.cpu.executions = s.executions;
	s.cpu.cycles = 1000;
	for (unsigned i = 0; i < 2; i++)
		s.b[i] = (struct pmk_block){ .pc = 0x8000 + 0x400 * i,
					     .end_addr = 0x8010 + 0x400 * i,
					     .fall = 0x8014 + 0x400 * i,
					     .id = i,
					     .cycles = 10,
					     .flow = PMK_FLOW_NEXT };
}

#define BEGIN(...)                                                              \
	do {                                                                    \
		const struct setting more_[] = { { NULL, NULL }, __VA_ARGS__ }; \
		begin(COUNT(more_) > 1 ? more_ + 1 : more_, COUNT(more_) - 1);  \
	} while (0)

static void end(void)
{
	pmk_cpu_fini(&s.cpu);
}

static uint64_t total(enum pmk_signal sig)
{
	pmk_bus_init(&s.bus);
	pmk_cpu_sum(&s.cpu, s.facts, s.executions, 2, &s.bus);
	return s.bus.total[sig];
}

static uint64_t load(uint32_t addr)
{
	uint64_t before = s.cpu.cycles;

	pmk_arm11_load(&s.cpu, addr, 2, pmk_access_pack(10, 3, 1, 4));
	return s.cpu.cycles - before;
}

static void store(uint32_t addr)
{
	pmk_arm11_store(&s.cpu, addr, 2, pmk_access_pack(10, 0, 1, 4));
}

static uint64_t run(unsigned block)
{
	uint64_t before = s.cpu.cycles;

	pmk_arm11_block(&s.cpu, &s.b[block]);
	return s.cpu.cycles - before;
}

/* Checks nine counts, in the order IRREQ IRHIT DRREQ DRHIT DWREQ DWTREQ DWHIT WA CO. */
static void counts(int line, uint64_t irreq, uint64_t irhit, uint64_t drreq, uint64_t drhit,
		   uint64_t dwreq, uint64_t dwtreq, uint64_t dwhit, uint64_t wa, uint64_t co)
{
	const struct {
		enum pmk_signal sig;
		uint64_t want;
	} rows[] = {
		{ PMK_SIG_L2CC_INSN_READ, irreq },	{ PMK_SIG_L2CC_INSN_READ_HIT, irhit },
		{ PMK_SIG_L2CC_DATA_READ, drreq },	{ PMK_SIG_L2CC_DATA_READ_HIT, drhit },
		{ PMK_SIG_L2CC_DATA_WRITE, dwreq },	{ PMK_SIG_L2CC_WT_WRITE, dwtreq },
		{ PMK_SIG_L2CC_DATA_WRITE_HIT, dwhit }, { PMK_SIG_L2CC_WRITE_ALLOC, wa },
		{ PMK_SIG_L2CC_EVICT_HALF, co },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (total(rows[i].sig) != rows[i].want)
			fail_msg("line %d: %s is %llu, want %llu", line,
				 pmk_signal_name(rows[i].sig),
				 (unsigned long long)total(rows[i].sig),
				 (unsigned long long)rows[i].want);
}

#define COUNTS(...) counts(__LINE__, __VA_ARGS__)

static void walk(uint32_t bytes, unsigned times)
{
	for (unsigned n = 0; n < times; n++)
		for (uint32_t at = 0; at < bytes; at += 32)
			load(A + at);
}

/* ---- reads ----------------------------------------------------------------------------------- */

/*
 * If data fits in level 2 but not in level 1, all accesses of the second and third pass hit in
 * level 2.
 */
static void test_fits_level_2(void **state)
{
	(void)state;
	BEGIN();
	walk(64 * KB, 3);
	COUNTS(0, 0, 6144, 4096, 0, 0, 0, 0, 0);
	assert_int_equal(total(PMK_SIG_L1D_READ_MISS), 6144);
	end();

	/* Data that fits in level 1 is requested once. */
	BEGIN();
	walk(1 * KB, 3);
	COUNTS(0, 0, 32, 0, 0, 0, 0, 0, 0);
	end();
}

/*
 * If the data is twice as large as level 2, each line is evicted before it is needed again. Nothing
 * was written, so nothing is written back.
 */
static void test_thrashes_level_2(void **state)
{
	(void)state;
	BEGIN();
	walk(128 * KB, 3);
	COUNTS(0, 0, 12288, 0, 0, 0, 0, 0, 0);
	end();

	/* Two ways of 64 KB hold everything that the walk touches. */
	BEGIN({ "l2.ways", "2" }, { "l2.size", "128K" });
	walk(128 * KB, 3);
	COUNTS(0, 0, 12288, 8192, 0, 0, 0, 0, 0);
	end();
}

/* ---- writes ---------------------------------------------------------------------------------- */

/*
 * When level 1 evicts a dirty line, it makes one request, which hits in level 2. Level 2 writes
 * each dirty half to memory separately.
 */
static void test_write_back(void **state)
{
	(void)state;
	BEGIN();
	load(A);
	store(A); /* dirties the low half */
	store(A + 4);
	load(A + 1 * KB);
	COUNTS(0, 0, 2, 0, 1, 0, 1, 0, 0);
	load(A + 64 * KB);
	COUNTS(0, 0, 3, 0, 1, 0, 1, 0, 1);
	assert_int_equal(total(PMK_SIG_L1D_WB_HALF), 1);

	load(A);
	store(A);
	store(A + 16);
	load(A + 1 * KB); /* level 1 writes both halves at once */
	COUNTS(0, 0, 5, 1, 2, 0, 2, 0, 1);
	assert_int_equal(total(PMK_SIG_L1D_WB_HALF), 3);
	load(A + 64 * KB);
	COUNTS(0, 0, 6, 1, 2, 0, 2, 0, 3);

	/* A dirty line that level 2 evicted and then read again is clean. */
	load(A);
	load(A + 64 * KB);
	COUNTS(0, 0, 8, 1, 2, 0, 2, 0, 3);
	end();
}

/* If two evictions from level 1 write one half each, both halves are dirty in level 2. */
static void test_halves_add_up(void **state)
{
	(void)state;
	BEGIN();
	load(A);
	store(A);
	load(A + 1 * KB);
	load(A);
	store(A + 28);
	load(A + 1 * KB);
	load(A + 64 * KB);
	COUNTS(0, 0, 5, 2, 2, 0, 2, 0, 2);
	end();
}

/*
 * Level 1 reads the new line before it writes back the victim. Here the new line has already
 * replaced the victim in level 2, so the write-back misses.
 */
static void test_level_2_lost_it(void **state)
{
	(void)state;
	BEGIN();
	load(A);
	store(A);
	load(A + 64 * KB); /* replaces A in both levels */
	COUNTS(0, 0, 2, 0, 1, 0, 0, 0, 0);
	load(A);
	COUNTS(0, 0, 3, 0, 1, 0, 0, 0, 0);
	end();

	/*
	 * If level 2 allocates on writes, it allocates the victim again, and the victim replaces
	 * the new line.
	 */
	BEGIN({ "l2.write_allocate", "on" });
	load(A);
	store(A);
	load(A + 64 * KB);
	COUNTS(0, 0, 2, 0, 1, 0, 0, 1, 0);
	load(A);
	COUNTS(0, 0, 3, 1, 1, 0, 0, 1, 0);
	load(A + 64 * KB); /* A is dirty in level 2 */
	COUNTS(0, 0, 4, 1, 1, 0, 0, 1, 1);
	end();
}

/* Stores that miss level 1 go to level 2 one by one. */
static void test_store_misses(void **state)
{
	(void)state;
	BEGIN();
	for (uint32_t i = 0; i < 32; i += 4)
		store(A + i);
	COUNTS(0, 0, 0, 0, 8, 0, 0, 0, 0);
	load(A);
	load(A + 1 * KB);
	store(A); /* only level 2 has the line */
	COUNTS(0, 0, 2, 0, 9, 0, 1, 0, 0);
	load(A + 64 * KB);
	COUNTS(0, 0, 3, 0, 9, 0, 1, 0, 1);
	end();

	BEGIN({ "l2.write_allocate", "on" });
	for (uint32_t i = 0; i < 32; i += 4)
		store(A + i);
	COUNTS(0, 0, 0, 0, 8, 0, 7, 1, 0);
	store(A + 64 * KB);
	COUNTS(0, 0, 0, 0, 9, 0, 7, 2, 2);
	end();

	/* With write allocation, level 1 reads the line, and writes it back when it evicts it. */
	BEGIN({ "dcache.write_allocate", "on" });
	store(A);
	COUNTS(0, 0, 1, 0, 0, 0, 0, 0, 0);
	load(A + 1 * KB);
	COUNTS(0, 0, 2, 0, 1, 0, 1, 0, 0);
	end();
}

/*
 * With write-through, both levels and memory have the data, so nothing is dirty, and nothing is
 * allocated.
 */
static void test_write_through(void **state)
{
	(void)state;
	BEGIN({ "dcache.write_through", "on" }, { "l2.write_allocate", "on" });
	store(A);
	COUNTS(0, 0, 0, 0, 0, 1, 0, 0, 0);
	load(A);
	store(A);
	store(A + 16);
	COUNTS(0, 0, 1, 0, 0, 3, 2, 0, 0);
	load(A + 64 * KB);
	COUNTS(0, 0, 2, 0, 0, 3, 2, 0, 0);
	end();
}

/* ---- the read buffers of the slave ports ----------------------------------------------------- */

static void read_words(uint32_t addr)
{
	for (uint32_t i = 0; i < 32; i += 4)
		load(addr + i);
}

/* Eight reads of words in one line are one request (DAI 0195B section 9). */
static void test_read_buffer(void **state)
{
	(void)state;
	BEGIN({ "dcache.enable", "off" });
	read_words(A);
	COUNTS(0, 0, 1, 0, 0, 0, 0, 0, 0);
	read_words(A + 32);
	read_words(A);
	COUNTS(0, 0, 3, 1, 0, 0, 0, 0, 0);
	assert_int_equal(total(PMK_SIG_DATA_EXTERNAL), 24);
	end();

	BEGIN({ "dcache.enable", "off" }, { "l2.buffers", "0" });
	read_words(A);
	COUNTS(0, 0, 8, 7, 0, 0, 0, 0, 0);
	end();

	/*
	 * Two alternating lines fit into two read buffers. Of three lines, the oldest is dropped.
	 */
	BEGIN({ "dcache.enable", "off" }, { "l2.buffers", "2" });
	for (unsigned i = 0; i < 10; i++) {
		load(A);
		load(A + 32);
	}
	COUNTS(0, 0, 2, 0, 0, 0, 0, 0, 0);
	load(A + 64);
	load(A + 32);
	COUNTS(0, 0, 3, 0, 0, 0, 0, 0, 0);
	load(A);
	COUNTS(0, 0, 4, 1, 0, 0, 0, 0, 0);
	end();
}

/* A write empties the read buffers that contain its line, and no others. */
static void test_write_empties_the_buffer(void **state)
{
	(void)state;
	BEGIN({ "dcache.enable", "off" });
	load(A);
	store(A + 32);
	load(A);
	COUNTS(0, 0, 1, 0, 1, 0, 0, 0, 0);
	store(A + 4);
	load(A);
	COUNTS(0, 0, 2, 1, 2, 0, 1, 0, 0);
	end();
}

/* ---- instructions ---------------------------------------------------------------------------- */

/*
 * Fetches of two blocks that evict each other from the instruction cache are requests to level 2.
 */
static void test_fetches(void **state)
{
	(void)state;
	BEGIN();
	assert_int_equal(run(0), 110);
	assert_int_equal(run(1), 110);
	COUNTS(2, 0, 0, 0, 0, 0, 0, 0, 0);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(run(0), 30);
		assert_int_equal(run(1), 30);
	}
	COUNTS(12, 10, 0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(total(PMK_SIG_FETCH_STALL), 2 * 100 + 10 * 20);

	/* Instructions and data share the level 2 cache, but not the read buffers. */
	load(0x8000);
	COUNTS(12, 10, 1, 1, 0, 0, 0, 0, 0);
	end();
}

/*
 * The core looks up the line after a return. If the return was predicted correctly, this look-up
 * counts as a level 1 miss, but sends no request to level 2. Otherwise it sends one.
 */
static void test_speculation(void **state)
{
	(void)state;
	for (unsigned predicted = 0; predicted < 2; predicted++) {
		BEGIN({ "fetch.shadow", "1" }, { "fetch.shadow_bytes", "32" });
		s.b[0].flow = PMK_FLOW_RETURN;
		s.b[0].is_branch = s.b[0].arm11.shadowed = true;
		s.b[0].arm11.branch = 1;
		if (predicted)
			pmk_return_push(&s.cpu.arm11.rs, (uint32_t)s.b[1].pc);
		run(0);
		run(1);
		assert_int_equal(total(PMK_SIG_L1I_MISS), 3);
		COUNTS(predicted ? 2 : 3, 0, 0, 0, 0, 0, 0, 0, 0);
		end();
	}
}

/*
 * Two misses of one line, the second after a return that cancelled the first fetch, are one
 * request.
 */
static void test_two_misses_of_a_line(void **state)
{
	(void)state;
	BEGIN({ "fetch.shadow", "1" }, { "fetch.shadow_bytes", "32" });
	s.b[0].flow = PMK_FLOW_RETURN;
	s.b[0].is_branch = s.b[0].arm11.shadowed = true;
	s.b[0].arm11.branch = 1;
	s.b[1].pc = 0x8020;
	s.b[1].fall = 0x8034;
	pmk_return_push(&s.cpu.arm11.rs, 0x8020);
	run(0);
	run(1);
	assert_int_equal(total(PMK_SIG_L1I_MISS), 3);
	assert_int_equal(total(PMK_SIG_L1I_FILL), 2);
	COUNTS(2, 0, 0, 0, 0, 0, 0, 0, 0);
	end();
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static void test_cycles(void **state)
{
	(void)state;
	BEGIN();
	assert_int_equal(load(A), 100); /* from memory */
	s.cpu.cycles = 2000;
	assert_int_equal(load(A), 0);
	load(A + 1 * KB);
	s.cpu.cycles = 3000;
	assert_int_equal(load(A), 20); /* from level 2 */
	s.cpu.cycles = 4000;
	assert_int_equal(load(A + 2 * KB), 100); /* memory is as slow as before */
	end();

	/* Data from a read buffer has the latency of level 2. */
	BEGIN({ "dcache.enable", "off" });
	assert_int_equal(load(A), 100);
	s.cpu.cycles = 2000;
	assert_int_equal(load(A + 4), 20);
	end();

	BEGIN({ "l2.type", "none" });
	for (unsigned i = 1; i <= 3; i++) {
		s.cpu.cycles = 2000 * i;
		assert_int_equal(load(A + i % 2 * KB), 100);
	}
	end();
}

/* ---- accesses that bypass level 2 ------------------------------------------------------------ */

static bool every_page(const struct pmk_cpu *cpu, uint64_t addr)
{
	(void)cpu;
	(void)addr;
	return true;
}

static void test_devices_pass_by(void **state)
{
	(void)state;
	BEGIN();
	load(A + 1 * KB);
	load(A);
	load(A + 1 * KB); /* hits level 2 */
	COUNTS(0, 0, 3, 1, 0, 0, 0, 0, 0);
	pmk_cpu_ask_devices(&s.cpu, every_page);
	s.cpu.cycles = 5000;
	assert_int_equal(load(A), 100);
	store(A);
	COUNTS(0, 0, 3, 1, 0, 0, 0, 0, 0);
	end();
}

/* Without a controller nothing is counted, and no signal is reported as available. */
static void test_off(void **state)
{
	struct pmk_signal_set raised;

	(void)state;
	BEGIN({ "l2.type", "none" });
	walk(64 * KB, 2);
	run(0);
	store(A);
	COUNTS(0, 0, 0, 0, 0, 0, 0, 0, 0);
	raised = pmk_cpu_raises(&s.core);
	assert_false(pmk_signal_in(&raised, PMK_SIG_L2CC_INSN_READ));
	assert_false(pmk_signal_in(&raised, PMK_SIG_L2CC_EVICT_HALF));
	set(&(struct setting){ "l2.type", "l210" }, 1);
	raised = pmk_cpu_raises(&s.core);
	for (unsigned sig = PMK_SIG_L2CC_INSN_READ; sig <= PMK_SIG_L2CC_EVICT_HALF; sig++)
		assert_true(pmk_signal_in(&raised, sig));
	assert_false(pmk_signal_in(&raised, PMK_SIG_AHB_READ));
	end();
}

/* A fork begins with its parent's cache, and with counts of 0. */
static void test_fork(void **state)
{
	(void)state;
	BEGIN();
	walk(64 * KB, 1);
	pmk_cpu_forked(&s.cpu, s.executions);
	COUNTS(0, 0, 0, 0, 0, 0, 0, 0, 0);
	walk(64 * KB, 1);
	COUNTS(0, 0, 2048, 2048, 0, 0, 0, 0, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits_level_2),
		cmocka_unit_test(test_thrashes_level_2),
		cmocka_unit_test(test_write_back),
		cmocka_unit_test(test_halves_add_up),
		cmocka_unit_test(test_level_2_lost_it),
		cmocka_unit_test(test_store_misses),
		cmocka_unit_test(test_write_through),
		cmocka_unit_test(test_read_buffer),
		cmocka_unit_test(test_write_empties_the_buffer),
		cmocka_unit_test(test_fetches),
		cmocka_unit_test(test_speculation),
		cmocka_unit_test(test_two_misses_of_a_line),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_devices_pass_by),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
