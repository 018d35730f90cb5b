// SPDX-License-Identifier: MIT
/*
 * The running core in cases whose counts and cycles are known by hand: misses and write-backs,
 * lines and pages that an access crosses, deadlines and forks, and the cycles of branches (DDI
 * 0301H table 16-11), of misses and of fetches. The blocks are made by hand, without the pipeline.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/arm11/arm11.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct setting {
	const char *key, *value;
};

struct geometry {
	const char *name;
	struct setting set[12];
};

static void configure(struct pmk_core *core, const struct geometry *g)
{
	char msg[256];

	pmk_core_defaults(core);
	for (size_t i = 0; i < COUNT(g->set) && g->set[i].key; i++)
		assert_int_equal(
			pmk_core_set(core, g->set[i].key, g->set[i].value, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_core_check(core, msg, sizeof(msg)), 0);
}

/* ---- a core and its blocks ----------------------------------------------------------------- */

struct bench {
	struct pmk_core core;
	struct pmk_cpu cpu;
	struct pmk_executions executions[16];
	struct pmk_block b[16];
	struct pmk_facts facts[16];
	struct pmk_bus bus;
};

/*
 * Makes sixteen blocks of 10 cycles and 5 instructions, 64 bytes apart. Each block continues with
 * the next one.
 */
static struct bench *bench_new(const struct geometry *g)
{
	static struct bench s;

	memset(&s, 0, sizeof(s));
	configure(&s.core, g);
	assert_int_equal(pmk_cpu_init(&s.cpu, &s.core), 0);
	s.cpu.executions = s.executions;
	for (unsigned i = 0; i < 16; i++) {
		s.b[i] = (struct pmk_block){ .pc = 0x8000 + 64 * i,
					     .end_addr = 0x8010 + 64 * i,
					     .fall = 0x8014 + 64 * i,
					     .id = i,
					     .cycles = 10,
					     .flow = PMK_FLOW_NEXT };
		s.facts[i].n[PMK_ARM11_FACT_INSN] = 5;
	}
	return &s;
}

static uint64_t total(struct bench *s, enum pmk_signal sig)
{
	pmk_bus_init(&s->bus);
	pmk_cpu_sum(&s->cpu, s->facts, s->executions, 16, &s->bus);
	return s->bus.total[sig];
}

static void bench_free(struct bench *s)
{
	pmk_cpu_fini(&s->cpu);
}

static const struct geometry usual = { "usual", { { NULL, NULL } } };
static const struct geometry bare = {
	"bare",
	{ { "icache.enable", "off" }, { "mmu.enable", "off" }, { "fetch.shadow", "0" } },
};

static uint64_t load_word(struct bench *s, uint32_t addr)
{
	uint64_t before = s->cpu.cycles;

	pmk_arm11_load(&s->cpu, addr, 2, pmk_access_pack(10, 3, 1, 4));
	return s->cpu.cycles - before;
}

static uint64_t store_word(struct bench *s, uint32_t addr)
{
	uint64_t before = s->cpu.cycles;

	pmk_arm11_store(&s->cpu, addr, 2, pmk_access_pack(10, 0, 1, 4));
	return s->cpu.cycles - before;
}

/* ---- counts -------------------------------------------------------------------------------- */

/*
 * The first load of an absent line is one miss and one external access. If both halves of a victim
 * are dirty, they are written back together. In 16 KB with 4 ways, addresses 4 KB apart are in one
 * set.
 */
static void test_dirty_victim(void **state)
{
	static const struct geometry rr = { "round robin", { { "cache.round_robin", "on" } } };
	struct bench *s = bench_new(&rr);

	(void)state;
	load_word(s, 0x10000);
	assert_int_equal(total(s, PMK_SIG_L1D_READ_MISS), 1);
	assert_int_equal(total(s, PMK_SIG_DATA_EXTERNAL), 1);
	store_word(s, 0x10000);
	store_word(s, 0x10010); /* dirties the other half of the line */
	store_word(s, 0x1001C);
	load_word(s, 0x11000);
	store_word(s, 0x11004); /* only one half is dirty */
	for (uint32_t i = 2; i < 4; i++)
		load_word(s, 0x10000 + 0x1000 * i);
	assert_int_equal(total(s, PMK_SIG_L1D_WB_HALF), 0);
	load_word(s, 0x14000); /* evicts 0x10000 */
	assert_int_equal(total(s, PMK_SIG_L1D_WB_HALF), 2);
	assert_int_equal(total(s, PMK_SIG_L1D_EVICT), 1);
	load_word(s, 0x15000); /* evicts 0x11000 */
	assert_int_equal(total(s, PMK_SIG_L1D_WB_HALF), 3);
	assert_int_equal(total(s, PMK_SIG_L1D_EVICT), 2);
	load_word(s, 0x16000); /* evicts a clean line */
	assert_int_equal(total(s, PMK_SIG_L1D_EVICT), 2);
	assert_int_equal(total(s, PMK_SIG_L1D_WRITE_MISS), 0);
	load_word(s, 0x10000); /* was evicted; the line is clean when it returns */
	assert_int_equal(total(s, PMK_SIG_L1D_READ_MISS), 8);
	assert_int_equal(total(s, PMK_SIG_DATA_EXTERNAL), 8);
	bench_free(s);
}

/* Eight stores to successive words of an absent line are eight misses, and allocate nothing. */
static void test_stores_do_not_allocate(void **state)
{
	struct bench *s = bench_new(&usual);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		store_word(s, 0x20000 + 4 * i);
	assert_int_equal(total(s, PMK_SIG_L1D_WRITE_MISS), 8);
	assert_int_equal(total(s, PMK_SIG_DATA_EXTERNAL), 8);
	load_word(s, 0x20000);
	assert_int_equal(total(s, PMK_SIG_L1D_READ_MISS), 1);
	store_word(s, 0x20000);
	assert_int_equal(total(s, PMK_SIG_L1D_WRITE_MISS), 8);
	bench_free(s);
}

/*
 * With dcache.store_miss_each off, the eight stores count as one miss. The line misses again after
 * another line missed, or after the line was in the cache. All eight stores are external accesses.
 */
static void test_stores_to_one_line_miss_once(void **state)
{
	static const struct geometry once = { "once", { { "dcache.store_miss_each", "off" } } };
	struct bench *s = bench_new(&once);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		store_word(s, 0x20000 + 4 * i);
	assert_int_equal(total(s, PMK_SIG_L1D_WRITE_MISS), 1);
	assert_int_equal(total(s, PMK_SIG_DATA_EXTERNAL), 8);
	store_word(s, 0x20020);
	store_word(s, 0x20000);
	assert_int_equal(total(s, PMK_SIG_L1D_WRITE_MISS), 3);
	for (uint32_t i = 0; i < 16; i++)
		load_word(s, 0x20000 + 0x1000 * i); /* fills the line, then evicts it */
	store_word(s, 0x20000);
	assert_int_equal(total(s, PMK_SIG_L1D_WRITE_MISS), 4);
	bench_free(s);
}

/* A word that crosses a line is two accesses. A word that crosses a page needs both pages. */
static void test_straddling(void **state)
{
	struct bench *s = bench_new(&usual);

	(void)state;
	load_word(s, 0x2001E); /* the block counts one access, the crossing adds one */
	assert_int_equal(total(s, PMK_SIG_L1D_READ), 1);
	assert_int_equal(total(s, PMK_SIG_L1D_READ_MISS), 2);
	assert_int_equal(total(s, PMK_SIG_MICRO_DTLB_MISS), 1);
	load_word(s, 0x2001E); /* both lines are present: still two accesses */
	assert_int_equal(total(s, PMK_SIG_L1D_READ), 2);
	assert_int_equal(total(s, PMK_SIG_L1D_READ_MISS), 2);
	load_word(s, 0x20FFE);
	assert_int_equal(total(s, PMK_SIG_MICRO_DTLB_MISS), 2);
	assert_int_equal(total(s, PMK_SIG_TLB_MISS), 2);
	load_word(s, 0x20FF2); /* not aligned, but inside its line: one access */
	assert_int_equal(total(s, PMK_SIG_L1D_READ), 3);
	load_word(s, 0xFFFFFFFE); /* addresses wrap at the end of the address space */
	assert_int_equal(total(s, PMK_SIG_L1D_READ), 4);
	assert_int_equal(total(s, PMK_SIG_MICRO_DTLB_MISS), 4);
	bench_free(s);
}

/*
 * LDM of 8 words makes 1 access if the words are in one line, and 2 if it starts in the middle of a
 * line. LDM of 15 words from 0x1C makes 3 (DAI 0195B section 7).
 */
static void test_multiples(void **state)
{
	static const struct {
		uint32_t addr;
		unsigned words, accesses;
	} rows[] = { { 0x30000, 8, 1 }, { 0x30010, 8, 2 }, { 0x3001C, 15, 3 }, { 0x30FE0, 16, 2 },
		     { 0x3001C, 2, 2 }, { 0x30018, 2, 1 }, { 0x30004, 16, 3 } };
	struct bench *s = bench_new(&usual);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (unsigned counted = 0; counted < 2; counted++) {
			uint64_t before = total(s, PMK_SIG_L1D_READ);
			uint64_t a = pmk_access_pack(0, 3, rows[i].words, 4);

			for (unsigned w = 0; w < rows[i].words; w++)
				pmk_arm11_multiple(&s->cpu, rows[i].addr + 4 * w, a, false,
						   counted);
			/*
			 * If `counted` is true, the first access is counted with the block and not
			 * here.
			 */
			assert_int_equal(total(s, PMK_SIG_L1D_READ) - before,
					 rows[i].accesses - counted);
		}
	}
	assert_int_equal(total(s, PMK_SIG_L1D_WRITE), 0);
	bench_free(s);
}

/*
 * A write-through store is one external access even if the line is absent and
 * dcache.store_miss_external is off. That setting is for write-back memory.
 */
static void test_written_through_misses(void **state)
{
	static const struct geometry wt = {
		"write-through",
		{ { "dcache.write_through", "on" }, { "dcache.store_miss_external", "off" } },
	};
	struct bench *s = bench_new(&wt);

	(void)state;
	store_word(s, 0x20000);
	assert_int_equal(total(s, PMK_SIG_L1D_WRITE_MISS), 1);
	assert_int_equal(total(s, PMK_SIG_DATA_EXTERNAL), 1);
	bench_free(s);
}

/* With the data cache off nothing is cached, not even the line of a preload. */
static void test_preload_without_cache(void **state)
{
	static const struct geometry off = { "data cache off", { { "dcache.enable", "off" } } };
	struct bench *s = bench_new(&off);
	struct pmk_insn pld = { .addr = 0x8000,
				.size = 4,
				.iclass = PMK_I_PRELOAD,
				.decoded = true,
				.rd = -1,
				.rd2 = -1,
				.rn = 2,
				.rm = -1,
				.rs = -1,
				.ra = -1,
				.reads = 4 };
	struct pmk_pipe_slot slot;

	(void)state;
	pmk_block_build(&s->core, &pld, 1, &slot, &s->b[0]);
	s->facts[0] = s->b[0].facts;
	pmk_arm11_block(&s->cpu, &s->b[0]);
	assert_int_equal(total(s, PMK_SIG_L1D_ACCESS_WB), 0);
	bench_free(s);
}

/* Requests a line as PLD does, long after all earlier requests. */
static void request_line(struct bench *s, uint32_t addr)
{
	s->cpu.cycles += 1000;
	pmk_arm11_preload(&s->cpu, addr, pmk_access_pack(10, 0, 1, 4));
	s->cpu.cycles += 1000;
}

/*
 * The core remembers the last 32 lines that PLD requested. Loads of these lines wait for nothing.
 * Loads of lines whose requests were forgotten wait for memory, as the first load of a line does.
 */
static void test_preloads_remembered(void **state)
{
	struct bench *s = bench_new(&usual);
	uint64_t miss;

	(void)state;
	request_line(s, 0x10040); /* does nothing, because the micro-TLB does not have the page */
	load_word(s, 0x10000);
	s->cpu.cycles += 1000;
	miss = load_word(s, 0x10040);
	assert_true(miss > 0);
	for (uint32_t i = 0; i <= 32; i++)
		request_line(s, 0x10100 + 32 * i);
	request_line(s, 0x10120); /* changes nothing, because the line is requested already */
	assert_int_equal(load_word(s, 0x10100), miss);
	for (uint32_t i = 1; i <= 32; i++)
		assert_int_equal(load_word(s, 0x10100 + 32 * i), 0);
	assert_int_equal(total(s, PMK_SIG_L1D_READ_MISS), 2 + 33);
	/* After a fork, the clock restarts at 0, so a request must not last. */
	request_line(s, 0x10800);
	pmk_cpu_forked(&s->cpu, s->executions);
	s->cpu.cycles = 1000;
	assert_int_equal(load_word(s, 0x10800), miss);
	bench_free(s);
}

/* ---- cycles -------------------------------------------------------------------------------- */

/*
 * Branches take the cycles of DDI 0301H table 16-11. A flag is set `distance` cycles before the
 * branch. A block takes 10 cycles, plus `certain` cycles for its branch.
 */
static void test_cycles_of_branches(void **state)
{
	static const struct {
		int line;
		enum pmk_flow flow;
		bool conditional, is_branch, loads_pc, backward;
		unsigned certain, distance;
		bool taken;
		unsigned first, later; /* cycles when first executed, and when predicted */
	} rows[] = {
		/*
		 * A branch that is statically predicted as taken takes 4 cycles at first; `certain`
		 * of them are in the block's own cycles. Later, a folded branch takes none.
		 */
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, true, 0, 0, true, 4, 0 },
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, true, 1, 0, true, 4, 1 },
		{ __LINE__, PMK_FLOW_CALL, false, true, false, false, 1, 0, true, 4, 1 },
		/* Branches that are statically predicted as not taken take 1. */
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, false, 0, 0, false, 1, 1 },
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, false, 1, 0, false, 1, 1 },
		/* Mispredicted branches take 7, 6 or 5, but never less. */
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, false, 0, 0, true, 7, 0 },
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, false, 0, 1, true, 6, 0 },
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, false, 0, 2, true, 5, 0 },
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, false, 0, 15, true, 5, 0 },
		{ __LINE__, PMK_FLOW_JUMP, true, true, false, true, 0, 1, false, 6, 6 },
		/* BX and BLX of a register take 5 to 7, and 1 if not taken. */
		{ __LINE__, PMK_FLOW_INDIRECT, false, true, false, false, 1, 0, true, 7, 7 },
		{ __LINE__, PMK_FLOW_INDIRECT, true, true, false, false, 1, 1, true, 6, 6 },
		{ __LINE__, PMK_FLOW_INDIRECT, true, true, false, false, 1, 0, false, 1, 1 },
		{ __LINE__, PMK_FLOW_INDCALL, false, true, false, false, 1, 9, true, 5, 5 },
		/* A load of the PC that is not a return takes 8. */
		{ __LINE__, PMK_FLOW_INDIRECT, false, false, true, false, 1, 0, true, 8, 8 },
		/*
		 * With an empty return stack, returns take 5, conditional ones 5 to 7, and LDM 9.
		 */
		{ __LINE__, PMK_FLOW_RETURN, false, true, false, false, 1, 0, true, 5, 5 },
		{ __LINE__, PMK_FLOW_RETURN, true, true, false, false, 1, 1, true, 6, 6 },
		{ __LINE__, PMK_FLOW_RETURN, true, true, false, false, 1, 1, false, 1, 1 },
		{ __LINE__, PMK_FLOW_RETURN, false, false, true, false, 1, 0, true, 9, 9 },
		/*
		 * A block that ends without a branch, or with a change of mode, takes no additional
		 * cycles.
		 */
		{ __LINE__, PMK_FLOW_NEXT, false, false, false, false, 0, 0, false, 0, 0 },
		{ __LINE__, PMK_FLOW_EXCEPTION, false, false, false, false, 1, 0, true, 1, 1 },
		{ __LINE__, PMK_FLOW_MODE, false, false, false, false, 1, 0, true, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bench *s = bench_new(&bare);
		struct pmk_block *b = &s->b[4], *to = &s->b[rows[i].backward ? 1 : 9];
		uint64_t cost[8];

		s->b[5].pc = b->fall; /* the successor when the branch is not taken */
		b->flow = (uint8_t)rows[i].flow;
		b->conditional = rows[i].conditional;
		b->is_branch = rows[i].is_branch;
		b->arm11.loads_pc = rows[i].loads_pc;
		b->arm11.branch_cycles = (uint8_t)rows[i].certain;
		b->arm11.flag_distance = (uint8_t)rows[i].distance;
		b->target = to->pc;
		b->cycles = 10 + rows[i].certain;
		b->arm11.branch = rows[i].flow == PMK_FLOW_JUMP || rows[i].flow == PMK_FLOW_CALL ? 2
				  : rows[i].flow == PMK_FLOW_NEXT				 ? 0
								  : 1;
		for (unsigned n = 0; n < 8; n++) {
			uint64_t before = s->cpu.cycles;

			pmk_arm11_block(&s->cpu, b);
			pmk_arm11_block(&s->cpu, rows[i].taken ? to : &s->b[5]);
			cost[n] = s->cpu.cycles - before - 20;
		}
		if (cost[0] != rows[i].first || cost[7] != rows[i].later)
			fail_msg("row of line %d: %llu cycles, later %llu", rows[i].line,
				 (unsigned long long)cost[0], (unsigned long long)cost[7]);
		bench_free(s);
	}
}

/*
 * After five nested calls, only the last three of five returns are predicted, because the stack
 * holds three (DDI 0301H 16.3).
 */
static void test_five_calls_and_returns(void **state)
{
	struct bench *s = bench_new(&bare);
	uint64_t cost[5];

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		s->b[i].flow = PMK_FLOW_CALL;
		s->b[i].arm11.branch = 2 + i;
		s->b[i].arm11.branch_cycles = 1;
		s->b[i].target = s->b[i + 1].pc;
		s->b[6 + i].pc = s->b[i].fall; /* after the call of block i */
		s->b[6 + i].end_addr = s->b[i].fall + 4;
		s->b[6 + i].fall = s->b[i].fall + 8;
	}
	for (unsigned i = 5; i < 11; i++) {
		s->b[i].flow = PMK_FLOW_RETURN;
		s->b[i].is_branch = true;
		s->b[i].arm11.branch = 1;
		s->b[i].arm11.branch_cycles = 1;
	}
	for (unsigned i = 0; i < 6; i++)
		pmk_arm11_block(&s->cpu, &s->b[i]);
	assert_int_equal(total(s, PMK_SIG_CALL_PUSH), 5);
	assert_int_equal(total(s, PMK_SIG_BRANCH_MISS), 0);
	for (unsigned i = 0; i < 5; i++) {
		uint64_t before = s->cpu.cycles;

		pmk_arm11_block(&s->cpu, &s->b[10 - i]);
		cost[i] = s->cpu.cycles - before - 10 + 1;
	}
	assert_int_equal(total(s, PMK_SIG_RET_POP), 3);
	assert_int_equal(total(s, PMK_SIG_RET_PREDICTED), 3);
	assert_int_equal(total(s, PMK_SIG_RET_MISS), 0);
	assert_int_equal(total(s, PMK_SIG_BRANCH_MISS), 2);
	assert_int_equal(total(s, PMK_SIG_PC_CHANGE), 10);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(cost[i], i < 3 ? 4 : 5);
	bench_free(s);
}

/*
 * An unconditional jump to the next instruction changes the PC (DAI 0195B, event 0x0D) like any
 * other jump, every time, and however it was predicted.
 */
static void test_jump_to_the_next_instruction(void **state)
{
	static const struct geometry settings[] = {
		{ "all on", { { NULL, NULL } } },
		{ "off", { { "bp.enable", "off" } } },
		{ "static only", { { "bp.dynamic", "off" } } },
		{ "dynamic only", { { "bp.static", "off" } } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(settings); i++) {
		struct bench *s = bench_new(&settings[i]);

		s->b[0].flow = PMK_FLOW_JUMP;
		s->b[0].arm11.branch = 2;
		s->b[0].target = s->b[0].fall;
		s->b[1].pc = s->b[0].fall;
		s->b[1].flow = PMK_FLOW_MODE; /* returns without any effect */
		s->b[1].arm11.branch = 1;
		for (unsigned n = 0; n < 20; n++) {
			pmk_arm11_block(&s->cpu, &s->b[0]);
			pmk_arm11_block(&s->cpu, &s->b[1]);
		}
		assert_int_equal(total(s, PMK_SIG_PC_CHANGE), 20);
		if (!s->core.bp.on)
			assert_int_equal(total(s, PMK_SIG_BRANCH_MISS), 20);
		bench_free(s);
	}
}

/*
 * A mispredicted return takes 7 cycles, and counts as a misprediction of a return and of a branch.
 * Its entry stays in the return stack for the next return.
 */
static void test_wrong_return(void **state)
{
	struct bench *s = bench_new(&bare);
	uint64_t before;

	(void)state;
	s->b[0].flow = PMK_FLOW_CALL;
	s->b[0].arm11.branch = 2;
	s->b[0].arm11.branch_cycles = 1;
	s->b[0].target = s->b[1].pc;
	for (unsigned i = 1; i < 3; i++) {
		s->b[i].flow = PMK_FLOW_RETURN;
		s->b[i].is_branch = true;
		s->b[i].arm11.branch = 1;
		s->b[i].arm11.branch_cycles = 1;
	}
	s->b[3].pc = s->b[0].fall;
	pmk_arm11_block(&s->cpu, &s->b[0]);
	pmk_arm11_block(&s->cpu, &s->b[1]);
	before = s->cpu.cycles;
	pmk_arm11_block(&s->cpu, &s->b[2]); /* does not continue after its call */
	assert_int_equal(s->cpu.cycles - before - 10 + 1, 7);
	assert_int_equal(total(s, PMK_SIG_RET_MISS), 1);
	assert_int_equal(total(s, PMK_SIG_BRANCH_MISS), 1);
	pmk_arm11_block(&s->cpu, &s->b[3]); /* continues after its call */
	assert_int_equal(total(s, PMK_SIG_RET_MISS), 1);
	assert_int_equal(total(s, PMK_SIG_RET_POP), 2);
	assert_int_equal(total(s, PMK_SIG_RET_PREDICTED), 2);
	bench_free(s);
}

/*
 * The misses take 56 cycles for the first word, 8 for a refill of the micro-TLB, and 93 for a walk.
 * The value of a load that hits is available after 3 cycles.
 */
static void test_cycles_of_misses(void **state)
{
	struct bench *s = bench_new(&usual);
	uint64_t stall;

	(void)state;
	s->cpu.cycles = 100000;
	assert_int_equal(load_word(s, 0x20000), 93 + 56);
	assert_int_equal(total(s, PMK_SIG_DATA_STALL), 56); /* not the walk (DAI 0195B 4) */
	s->cpu.cycles = 200000;
	assert_int_equal(load_word(s, 0x20020), 56);
	assert_int_equal(load_word(s, 0x20000), 0);
	for (uint32_t i = 1; i <= 10; i++) {
		s->cpu.cycles += 10000;
		assert_int_equal(load_word(s, 0x20000 + 0x1020 * i), 93 + 56);
	}
	/*
	 * The eleventh page evicted the first page from the ten entries of the micro-TLB, but the
	 * main TLB has it.
	 */
	s->cpu.cycles += 10000;
	stall = total(s, PMK_SIG_DATA_STALL);
	assert_int_equal(load_word(s, 0x20000), 8);
	assert_int_equal(total(s, PMK_SIG_DATA_STALL) - stall, 8);
	assert_int_equal(total(s, PMK_SIG_MICRO_DTLB_MISS), 12);
	assert_int_equal(total(s, PMK_SIG_TLB_MISS), 11);
	/* The write buffer hides a refill of the micro-TLB, but not a walk. */
	s->cpu.cycles += 10000;
	assert_int_equal(store_word(s, 0x21020), 0);
	assert_int_equal(total(s, PMK_SIG_MICRO_DTLB_MISS), 13);
	assert_int_equal(store_word(s, 0x50000), 93);
	/* A value that is needed only much later causes no wait. */
	s->cpu.cycles += 10000;
	stall = s->cpu.cycles;
	pmk_arm11_load(&s->cpu, 0x20080, 2, pmk_access_pack(60, 59, 1, 4));
	assert_int_equal(s->cpu.cycles - stall, 0);
	bench_free(s);
}

/*
 * Executes a load of r1 or r2, `to_end` cycles before the end of its block. No instruction of the
 * block needs the value.
 */
static void load_open(struct bench *s, uint32_t addr, unsigned reg, unsigned to_end)
{
	uint64_t before = s->cpu.cycles;

	pmk_arm11_load(&s->cpu, addr, 2, pmk_access_pack(to_end, 0x8000u | 1u << reg, 1, 4));
	assert_int_equal(s->cpu.cycles, before);
}

/*
 * Makes block `i` read a register `behind` cycles after the start of the block. With -1 the block
 * writes the register and does not read it.
 */
static void touches(struct bench *s, unsigned i, unsigned reg, int behind)
{
	s->b[i].arm11.touches |= UINT64_C(1) << reg;
	s->b[i].arm11.need[reg] = (uint8_t)(behind < 0 ? PMK_PIPE_FAR : behind + 1);
}

/* Returns the cycles that block `i` waits for outstanding loads. */
static uint64_t cycles_waited(struct bench *s, unsigned i)
{
	uint64_t before = s->cpu.cycles;

	pmk_arm11_block(&s->cpu, &s->b[i]);
	return s->cpu.cycles - before - 10;
}

/*
 * A miss takes 56 cycles, and its value is available 3 cycles later. The first instruction that
 * needs the value waits, even if it is in a later block.
 */
static void test_misses_outlive_their_block(void **state)
{
	struct bench *s = bench_new(&bare);
	struct pmk_executions other[16] = { { 0 } };

	(void)state;
	s->cpu.cycles = 100000;
	touches(s, 2, 1, 0);
	touches(s, 3, 1, 3);
	touches(s, 4, 1, -1);
	touches(s, 5, 1, 0);
	touches(s, 5, 2, 0);
	/*
	 * A block of 10 cycles passes. Then the next block needs the value at once, or after three
	 * cycles.
	 */
	assert_int_equal(cycles_waited(s, 0), 0);
	load_open(s, 0x20000, 1, 10);
	assert_int_equal(cycles_waited(s, 1), 0);
	assert_int_equal(cycles_waited(s, 2), 59 - 20);
	assert_int_equal(cycles_waited(s, 2), 0);
	cycles_waited(s, 0);
	load_open(s, 0x20020, 1, 10);
	assert_int_equal(cycles_waited(s, 3), 59 - 10 - 3);
	assert_int_equal(total(s, PMK_SIG_DATA_STALL), 39 + 46);
	/* If the register is overwritten, no instruction waits for the load. */
	cycles_waited(s, 0);
	load_open(s, 0x20040, 1, 10);
	assert_int_equal(cycles_waited(s, 4), 0);
	assert_int_equal(cycles_waited(s, 2), 0);
	/* A load that is long past causes no wait. */
	s->cpu.cycles += 1000;
	cycles_waited(s, 0);
	load_open(s, 0x20060, 1, 10);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(cycles_waited(s, 0), 0);
	assert_int_equal(cycles_waited(s, 2), 0);
	/*
	 * If two loads miss, the second line comes when the bus is free, 4 cycles after the first.
	 * The program waits once for both.
	 */
	s->cpu.cycles += 1000;
	cycles_waited(s, 0);
	load_open(s, 0x20080, 1, 10);
	load_open(s, 0x200a0, 2, 9);
	assert_int_equal(cycles_waited(s, 5), 59 + 4 - 10);
	/* The block's own cycles already include the wait for a hit. */
	cycles_waited(s, 0);
	load_open(s, 0x20080, 1, 10);
	assert_int_equal(cycles_waited(s, 2), 0);
	/* After a fork, no loads are outstanding. */
	cycles_waited(s, 0);
	load_open(s, 0x200c0, 1, 10);
	pmk_cpu_forked(&s->cpu, other);
	assert_int_equal(cycles_waited(s, 2), 0);
	bench_free(s);
}

/* A wait for a table walk is not a stall, wherever it occurs (DAI 0195B section 4). */
static void test_walks_outlive_their_block(void **state)
{
	static const struct geometry data_only = {
		"data", { { "icache.enable", "off" }, { "fetch.shadow", "0" } }
	};
	struct bench *s = bench_new(&data_only);

	(void)state;
	touches(s, 2, 1, 0);
	for (unsigned i = 0; i < 3; i++)
		pmk_arm11_block(&s->cpu, &s->b[i]); /* now the page is in the TLB */
	assert_int_equal(cycles_waited(s, 0), 0);
	load_open(s, 0x20000, 1, 10);
	assert_int_equal(cycles_waited(s, 2), 93 + 59 - 10);
	assert_int_equal(total(s, PMK_SIG_DATA_STALL), 59 - 10);
	/*
	 * The line is present, but after eleven pages its page is no longer in the micro-TLB, so
	 * the load takes 8 and 3 cycles.
	 */
	for (uint32_t i = 1; i <= 10; i++)
		load_word(s, 0x20000 + 0x1020 * i);
	s->cpu.cycles += 10000;
	assert_int_equal(cycles_waited(s, 0), 0);
	load_open(s, 0x20000, 1, 10);
	assert_int_equal(cycles_waited(s, 2), 8 + 3 - 10);
	bench_free(s);
}

/*
 * An absent line causes 56 cycles of fetch stall, once. A new page takes 93 more cycles, which are
 * not a stall.
 */
static void test_cycles_of_fetches(void **state)
{
	struct bench *s = bench_new(&usual);

	(void)state;
	pmk_arm11_block(&s->cpu, &s->b[0]);
	assert_int_equal(s->cpu.cycles, 10 + 93 + 56);
	assert_int_equal(total(s, PMK_SIG_FETCH_STALL), 56);
	assert_int_equal(total(s, PMK_SIG_CYCLE), 159);
	s->b[0].flow = PMK_FLOW_MODE; /* goes to itself without any other effect */
	s->b[0].arm11.branch = 1;
	pmk_arm11_block(&s->cpu, &s->b[0]);
	assert_int_equal(s->cpu.cycles, 20 + 93 + 56);
	assert_int_equal(total(s, PMK_SIG_INSN), 10);
	bench_free(s);
}

/* ---- the rest of the interface ------------------------------------------------------------- */

static unsigned deadlines;

static void on_deadline(struct pmk_cpu *cpu)
{
	deadlines++;
	cpu->deadline = cpu->cycles + 100;
}

/*
 * The deadline is reported at the first block that starts at it or after it, on the fast path and
 * on the slow path.
 */
static void test_deadline(void **state)
{
	struct bench *s = bench_new(&bare);

	(void)state;
	deadlines = 0;
	s->cpu.on_deadline = on_deadline;
	for (unsigned i = 0; i < 50; i++)
		pmk_arm11_block(&s->cpu, &s->b[0]);
	assert_int_equal(deadlines, 0); /* no deadline was set */
	s->cpu.deadline = s->cpu.cycles + 25;
	for (unsigned i = 0; i < 3; i++)
		pmk_arm11_block(&s->cpu, &s->b[0]);
	assert_int_equal(deadlines, 0);
	pmk_arm11_block(&s->cpu, &s->b[0]);
	assert_int_equal(deadlines, 1);
	for (unsigned i = 0; i < 9; i++)
		pmk_arm11_block(&s->cpu, &s->b[0]);
	assert_int_equal(deadlines, 1);
	pmk_arm11_block(&s->cpu, &s->b[0]);
	assert_int_equal(deadlines, 2);
	pmk_cpu_idle(&s->cpu, 1000); /* time passes, which the next block notices */
	assert_int_equal(deadlines, 2);
	s->b[1].vector = true; /* always takes the slow path */
	pmk_arm11_block(&s->cpu, &s->b[1]);
	assert_int_equal(deadlines, 3);
	bench_free(s);
}

/* A fork keeps caches, TLBs and predictor, but not counts, the clock and outstanding requests. */
static void test_forked(void **state)
{
	struct bench *s = bench_new(&usual);
	struct pmk_executions other[16] = { { 0 } };

	(void)state;
	for (unsigned i = 0; i < 16; i++)
		pmk_arm11_block(&s->cpu, &s->b[i]);
	for (unsigned i = 0; i < 40; i++)
		load_word(s, 0x20000 + 32 * i);
	assert_true(total(s, PMK_SIG_L1D_READ_MISS) == 40);
	pmk_cpu_forked(&s->cpu, other);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++) {
		pmk_bus_init(&s->bus);
		pmk_cpu_sum(&s->cpu, s->facts, other, 16, &s->bus);
		assert_true(s->bus.total[i] == 0);
	}
	for (unsigned i = 0; i < 16; i++)
		pmk_arm11_block(&s->cpu, &s->b[i]);
	for (unsigned i = 0; i < 40; i++)
		load_word(s, 0x20000 + 32 * i);
	pmk_cpu_sum(&s->cpu, s->facts, other, 16, &s->bus);
	assert_int_equal(s->bus.total[PMK_SIG_INSN], 80);
	assert_int_equal(s->bus.total[PMK_SIG_CYCLE], 160);
	assert_int_equal(s->bus.total[PMK_SIG_L1D_MISS], 0);
	assert_int_equal(s->bus.total[PMK_SIG_L1I_MISS], 0);
	assert_int_equal(s->bus.total[PMK_SIG_TLB_MISS], 0);
	load_word(s, 0x30000); /* does not wait for the parent's outstanding requests */
	assert_int_equal(s->cpu.dyn[PMK_SIG_LSU_FULL_STALL], 0);
	bench_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dirty_victim),
		cmocka_unit_test(test_stores_do_not_allocate),
		cmocka_unit_test(test_stores_to_one_line_miss_once),
		cmocka_unit_test(test_straddling),
		cmocka_unit_test(test_multiples),
		cmocka_unit_test(test_written_through_misses),
		cmocka_unit_test(test_preload_without_cache),
		cmocka_unit_test(test_preloads_remembered),
		cmocka_unit_test(test_cycles_of_branches),
		cmocka_unit_test(test_five_calls_and_returns),
		cmocka_unit_test(test_jump_to_the_next_instruction),
		cmocka_unit_test(test_wrong_return),
		cmocka_unit_test(test_cycles_of_misses),
		cmocka_unit_test(test_misses_outlive_their_block),
		cmocka_unit_test(test_walks_outlive_their_block),
		cmocka_unit_test(test_cycles_of_fetches),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_forked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
