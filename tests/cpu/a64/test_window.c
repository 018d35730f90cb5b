// SPDX-License-Identifier: MIT
/*
 * The timing of a core that executes out of order. The cycles of loops follow from the latencies
 * and ports of the Cortex-A72's Software Optimization Guide (ARM UAN 0016A, 2.1 and chapter 3) and
 * from the parameters set here. The cycles of one iteration are the difference between two
 * iteration counts, so the start of the loop has no influence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/a64/a64.h"
#include "cpu/family.h"

#define MAX	 300
#define LATENCY	 200
#define BRANCH	 15
#define PC	 0x400000
#define IN_CACHE 0x800000

static const char *const settings[][2] = {
	{ "issue.width", "3" },	  { "issue.window", "128" }, { "icache.enable", "off" },
	{ "mmu.enable", "off" },  { "l2.enable", "off" },    { "mem.latency", "200" },
	{ "mem.fill", "1" },	  { "lsu.slots", "6" },	     { "branch.max", "15" },
	{ "div.latency", "12" },  { "wbuf.entries", "4" },   { "mem.write", "10" },
	{ "dcache.size", "32K" }, { "bp.history", "0" },     { "forward.part", "13" },
};

struct machine {
	struct pmk_cpu cpu;
	struct pmk_code code;
	struct pmk_core core;
	struct pmk_executions *executions;
	struct pmk_pipe_slot slots[MAX];
	struct pmk_insn insn[MAX];
	const struct pmk_block *block;
	size_t n;
	uint64_t next_line; /* a line that was never accessed before */
};

static struct machine *open_machine(const char *key, const char *value)
{
	struct machine *m = aligned_alloc(64, (sizeof(*m) + 63) / 64 * 64);
	char msg[200];

	assert_non_null(m);
	memset(m, 0, sizeof(*m));
	pmk_core_choose(&m->core, "a64", "");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		assert_int_equal(
			pmk_core_set(&m->core, settings[i][0], settings[i][1], msg, sizeof(msg)),
			0);
	if (key)
		assert_int_equal(pmk_core_set(&m->core, key, value, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_code_init(&m->code, &m->core), 0);
	assert_int_equal(pmk_cpu_init(&m->cpu, &m->core), 0);
	m->executions = calloc(64, sizeof(*m->executions));
	m->cpu.executions = m->executions;
	m->cpu.deadline = UINT64_MAX;
	m->next_line = 0x10000000;
	return m;
}

static void close_machine(struct machine *m)
{
	pmk_cpu_fini(&m->cpu);
	pmk_code_fini(&m->code);
	free(m->executions);
	free(m);
}

/* Adds a loop of these words and a branch back to the first word. */
static void add_loop(struct machine *m, const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pmk_isa_a64_decode(PC + 4 * i, words[i], &m->insn[i]);
	pmk_isa_a64_decode(PC + 4 * n, 0x14000000u | (-(uint32_t)n & 0x3ffffff), &m->insn[n]);
	m->n = n + 1;
	m->block = pmk_code_add(&m->code, m->insn, m->n, 1, 0, m->slots);
	assert_non_null(m->block);
}

/* Runs one iteration. Each access hits, or misses because it goes to a new line. */
static void turn(struct machine *m, bool misses)
{
	pmk_a64_block(&m->cpu, m->block);
	for (size_t i = 0; i < m->n; i++) {
		const struct pmk_insn *in = &m->insn[i];
		uint64_t access = pmk_a64_access(&m->core, 0, m->slots[i].use, in);

		if (!in->load && !in->store)
			continue;
		if (misses)
			m->next_line += 64;
		if (in->load)
			pmk_a64_load(&m->cpu, misses ? m->next_line : IN_CACHE, 8, 8, access);
		else
			pmk_a64_store(&m->cpu, misses ? m->next_line : IN_CACHE, 8, 8, access);
	}
}

static double cycles_of_turn(struct machine *m, bool misses)
{
	uint64_t begin;

	for (unsigned i = 0; i < 100; i++)
		turn(m, misses);
	begin = m->cpu.cycles;
	for (unsigned i = 0; i < 1200; i++)
		turn(m, misses);
	return (double)(m->cpu.cycles - begin) / 1200;
}

/* ---- loops that hit -------------------------------------------------------------------------- */

struct example {
	int line;
	double cycles; /* cycles of an iteration */
	uint32_t words[16];
};

#define NOP	   0xd503201f
#define ADD(d, n)  (0x8b090000 | (n) << 5 | (d))	   /* add xd, xn, x9 */
#define LDR(d, n)  (0xf9400000 | (n) << 5 | (d))	   /* ldr xd, [xn] */
#define FDIV	   0x1e611800				   /* fdiv d0, d0, d1 */
#define FADD(d, n) (0x1e602800 | 1 << 16 | (n) << 5 | (d)) /* fadd dd, dn, d1 */

/* clang-format off */
static const struct example examples[] = {
	/* Three instructions enter in each cycle; the branch is one of them. */
	{ __LINE__, 1, { NOP, NOP } },
	{ __LINE__, 2, { NOP, NOP, NOP, NOP, NOP } },
	{ __LINE__, 4.0 / 3, { NOP, NOP, NOP } },
	/* Two integer ports: six additions take 3 cycles, though 7 instructions enter in 2 1/3. */
	{ __LINE__, 3, { ADD(1, 9), ADD(2, 9), ADD(3, 9), ADD(4, 9), ADD(5, 9), ADD(6, 9) } },
	/* x1 += x9, six times: each addition waits for the one before. */
	{ __LINE__, 6, { ADD(1, 1), ADD(1, 1), ADD(1, 1), ADD(1, 1), ADD(1, 1), ADD(1, 1) } },
	/* Two independent chains of three additions. */
	{ __LINE__, 3, { ADD(1, 1), ADD(2, 2), ADD(1, 1), ADD(2, 2), ADD(1, 1), ADD(2, 2) } },
	/* A register that is overwritten waits for no older value: x1 = x9 + x9. */
	{ __LINE__, 1, { ADD(1, 9), ADD(1, 9) } },
	/* A shifted operand takes the multi-cycle port, 2 cycles: add x1, x1, x1, lsl #3. */
	{ __LINE__, 2, { 0x8b010c21 } },
	/* ubfx x1, x1, #3, #4 has one operand. */
	{ __LINE__, 1, { 0xd3431821 } },
	/* ror w1, w1, #7 has one operand, too; extr x1, x1, x9, #7 has two. */
	{ __LINE__, 1, { 0x13811c21 } },
	{ __LINE__, 2, { 0x93c91c21 } },
	/* The chains are mul w1, w1, w9; mul x1, x1, x9; smulh x1, x1, x9. */
	{ __LINE__, 3, { 0x1b097c21 } },
	{ __LINE__, 5, { 0x9b097c21 } },
	{ __LINE__, 6, { 0x9b497c21 } },
	/*
	 * madd w1, w9, w9, w1: 1 cycle from one sum to the next. As a factor, the sum is available
	 * after 3.
	 */
	{ __LINE__, 1, { 0x1b090521 } },
	{ __LINE__, 3, { 0x1b092421 } },
	/*
	 * udiv x1, x1, x9, alone and with an independent one: the divider does one division at a
	 * time.
	 */
	{ __LINE__, 12, { 0x9ac90821 } },
	{ __LINE__, 24, { 0x9ac90821, 0x9ac90922 } },
	/* ldr x1, [x1] is a chain. Four independent loads share one load port. */
	{ __LINE__, 4, { LDR(1, 1) } },
	{ __LINE__, 4, { LDR(1, 9), LDR(2, 9), LDR(3, 9), LDR(4, 9) } },
	/*
	 * ldr x1, [x2], #8: the base is available after 1 cycle, the value after 4, but no
	 * instruction needs it.
	 */
	{ __LINE__, 1, { 0xf8408441 } },
	/*
	 * fadd d0, d0, d1; fdiv d0, d0, d1; a division parallel to 17 additions, each of which
	 * waits for the one before.
	 */
	{ __LINE__, 4, { FADD(0, 0) } },
	{ __LINE__, 18, { FDIV } },
	{ __LINE__, 18, { FDIV, ADD(1, 1), ADD(1, 1), ADD(1, 1), ADD(1, 1), ADD(1, 1) } },
	/* The chains are fdiv s0, s0, s1; fsqrt d0, d0. */
	{ __LINE__, 11, { 0x1e211800 } },
	{ __LINE__, 32, { 0x1e61c000 } },
	/* fmadd d0, d1, d1, d0 needs the sum late, so the chain takes 3 cycles instead of 7. */
	{ __LINE__, 3, { 0x1f410020 } },
	{ __LINE__, 7, { 0x1f410400 } },
	/*
	 * add v0.4s, v0.4s, v1.4s takes 3 cycles; mul v0.2s and v0.4s, v0, v1 take 4; mul v0.4s,
	 * v0.4s, v1.s[0] takes 5.
	 */
	{ __LINE__, 3, { 0x4ea18400 } },
	{ __LINE__, 4, { 0x0ea19c00 } },
	{ __LINE__, 4, { 0x4ea19c00 } },
	{ __LINE__, 5, { 0x4f818000 } },
	/*
	 * Six of add v2.4s, v1.4s, v1.4s enter as twelve operations, and the branch as one; six of
	 * add v2.2s enter as six.
	 */
	{ __LINE__, 13.0 / 3,
	  { 0x4ea18422, 0x4ea18423, 0x4ea18424, 0x4ea18425, 0x4ea18426, 0x4ea18427 } },
	{ __LINE__, 3, { 0x0ea18422, 0x0ea18423, 0x0ea18424, 0x0ea18425, 0x0ea18426, 0x0ea18427 } },
	/* mla v0.2s, v1.2s, v1.2s and v0.4s need their sums late. Two mul of 4s share port F0. */
	{ __LINE__, 1, { 0x0ea19420 } },
	{ __LINE__, 2, { 0x4ea19420 } },
	{ __LINE__, 4, { 0x4ea19c22, 0x4ea19c23 } },
	/* umull v0.2d, v0.2s, v1.2s takes 4 cycles, alone and with an independent one. */
	{ __LINE__, 4, { 0x2ea1c000 } },
	{ __LINE__, 2, { 0x2ea1c022, 0x2ea1c023 } },
	/* ushl v0.2s and v0.4s, v0, v1 take 3 cycles; urshr v0.4s, v0.4s, #3 takes 4. */
	{ __LINE__, 3, { 0x2ea14400 } },
	{ __LINE__, 3, { 0x6ea14400 } },
	{ __LINE__, 4, { 0x6f3d2400 } },
	/* zip1 v0.2s and v0.4s, v0, v1, and trn1 v0.4s take 3 cycles. */
	{ __LINE__, 3, { 0x0e813800 } },
	{ __LINE__, 3, { 0x4e813800 } },
	{ __LINE__, 3, { 0x4e812800 } },
	/*
	 * tbl v0.8b, {v1.16b}, v0.8b takes 3 cycles, and with v0.16b 6. With a table of two, three
	 * or four registers from v2, it takes 10, 13 or 16.
	 */
	{ __LINE__, 3, { 0x0e000020 } },
	{ __LINE__, 6, { 0x4e000020 } },
	{ __LINE__, 10, { 0x4e002040 } },
	{ __LINE__, 13, { 0x4e004040 } },
	{ __LINE__, 16, { 0x4e006040 } },
	/*
	 * smulh x2, x1, x9; smulh x3, x1, x9; add x1, x2, x3: both multiplications wait for x1, and
	 * then one waits 4 cycles for the other. smulh x2, x1, x9; smulh x3, x9, x9; add x1, x2,
	 * x9: only one multiplication waits for x1, so the multiplier is busy for 8 cycles.
	 */
	{ __LINE__, 11, { 0x9b497c22, 0x9b497c23, 0x8b030041 } },
	{ __LINE__, 8, { 0x9b497c22, 0x9b497d23, ADD(1, 2) } },
	/*
	 * smulh x2, x1, x9; smulh x3, x2, x9; add x1, x3, x4. The multiplier executes mul w4, w1,
	 * w9 between the two smulh.
	 */
	{ __LINE__, 13, { 0x9b497c22, 0x9b497c43, 0x1b097c24, 0x8b040061 } },
	/* Two independent tbl: each takes 3 operations, and the core has two ports for them. */
	{ __LINE__, 3, { 0x4e010022, 0x4e010023 } },
	/* aese v0.16b, v1.16b takes 2 cycles, and so does a round, with aesmc v0.16b, v0.16b. */
	{ __LINE__, 2, { 0x4e284820 } },
	{ __LINE__, 2, { 0x4e284820, 0x4e286800 } },
	/* Five independent rounds and the branch enter in 5 * 3 + 1 slots, three in a cycle. */
	{ __LINE__, 16.0 / 3, { 0x4e284820, 0x4e286800, 0x4e284822, 0x4e286842, 0x4e284823,
				0x4e286863, 0x4e284824, 0x4e286884, 0x4e284825, 0x4e2868a5 } },
	/*
	 * sha1h s0, s0; sha1su0 v0.4s, v1.4s, v2.4s; sha256h q0, q1, v2.4s; and two independent
	 * sha256h.
	 */
	{ __LINE__, 2, { 0x5e280800 } },
	{ __LINE__, 6, { 0x5e023020 } },
	{ __LINE__, 5, { 0x5e024020 } },
	{ __LINE__, 5, { 0x5e024020, 0x5e024023 } },
	/* ldr x1, [x9, x1] needs the index a cycle earlier than the base. neg x1, x1, lsl #3. */
	{ __LINE__, 5, { 0xf8616921 } },
	{ __LINE__, 2, { 0xcb010fe1 } },
	/* cmp x1, x9; csel x1, x1, x9, eq: csel waits for the flags. */
	{ __LINE__, 2, { 0xeb09003f, 0x9a890021 } },
};
/* clang-format on */

static void run_example(const struct example *e, const char *key, const char *value)
{
	struct machine *m = open_machine(key, value);
	size_t n = 0;
	double took;

	while (n < 16 && e->words[n])
		n++;
	add_loop(m, e->words, n);
	took = cycles_of_turn(m, false);
	if (took < e->cycles - 0.01 || took > e->cycles + 0.01)
		fail_msg("line %d: %.2f cycles in place of %.2f", e->line, took, e->cycles);
	close_machine(m);
}

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		run_example(&examples[i], NULL, NULL);
}

/*
 * 4 instructions enter in 1 1/3 cycles, and none enter in the two cycles after a taken branch. Six
 * dependent additions take longer.
 */
static void test_taken_branches(void **state)
{
	static const struct example taken[] = {
		{ __LINE__, 2 + 4.0 / 3, { NOP, NOP, NOP } },
		{ __LINE__,
		  6,
		  { ADD(1, 1), ADD(1, 1), ADD(1, 1), ADD(1, 1), ADD(1, 1), ADD(1, 1) } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		run_example(&taken[i], "fetch.taken", "2");
}

/* Parameters of other cores replace those of the Cortex-A72. */
static void test_parameters(void **state)
{
	/* clang-format off */
	static const struct {
		const char *key, *value;
		struct example e;
	} other[] = {
		/* mul w1, w1, w9; smulh x1, x1, x9; madd w1, w9, w9, w1 and w1, w1, w9, w9. */
		{ "mul.latency", "2", { __LINE__, 2, { 0x1b097c21 } } },
		{ "mul.latency", "2", { __LINE__, 5, { 0x9b497c21 } } },
		{ "mul.latency", "2", { __LINE__, 1, { 0x1b090521 } } },
		{ "mul.latency", "2", { __LINE__, 2, { 0x1b092421 } } },
		/* aese v0.16b, v1.16b; aesmc v0.16b, v0.16b: a round. */
		{ "aes.round", "3", { __LINE__, 3, { 0x4e284820, 0x4e286800 } } },
		{ "fp.add", "5", { __LINE__, 5, { FADD(0, 0) } } },
		/* fmul d0, d0, d1 */
		{ "fp.mul", "3", { __LINE__, 3, { 0x1e610800 } } },
		/*
		 * fmadd d0, d1, d1, d0 needs the sum after half of the latency. d0, d0, d1, d1
		 * needs it at once.
		 */
		{ "fp.mac", "9", { __LINE__, 4, { 0x1f410020 } } },
		{ "fp.mac", "9", { __LINE__, 9, { 0x1f410400 } } },
		{ "fp.mac", "4", { __LINE__, 2, { 0x1f410020 } } },
		{ "fp.mac", "1", { __LINE__, 1, { 0x1f410020 } } },
		{ "fp.div", "15", { __LINE__, 15, { FDIV } } },
		{ "fp.div32", "10", { __LINE__, 10, { 0x1e211800 } } },
		/* fdiv v0.2s, v0.4s, v0.2d, v0, v1; fsqrt v0.2s and v0.2d. */
		{ "fp.div32", "0", { __LINE__, 11, { 0x2e21fc00 } } },
		{ "fp.div32", "0", { __LINE__, 22, { 0x6e21fc00 } } },
		{ "fp.div", "15", { __LINE__, 30, { 0x6e61fc00 } } },
		{ "fp.div", "15", { __LINE__, 17, { 0x2ea1f800 } } },
		{ "fp.div", "15", { __LINE__, 64, { 0x6ee1f800 } } },
		/*
		 * The chains are add v0.4s, v0.4s, v1.4s; add x1, x1, x1, lsl #3 and #5; aese
		 * v0.16b, v1.16b.
		 */
		{ "issue.costs", "1", { __LINE__, 2, { 0x4ea18400 } } },
		{ "issue.costs", "1", { __LINE__, 1, { 0x8b010c21 } } },
		{ "issue.costs", "1", { __LINE__, 2, { 0x8b011421 } } },
		{ "issue.costs", "2", { __LINE__, 3, { 0x4e284820 } } },
		/* 7 instructions enter in 2 1/3 cycles, and six additions need 2 cycles. */
		{ "issue.integers", "3",
		  { __LINE__, 7.0 / 3,
		    { ADD(1, 9), ADD(2, 9), ADD(3, 9), ADD(4, 9), ADD(5, 9), ADD(6, 9) } } },
		{ "issue.loads", "2",
		  { __LINE__, 2, { LDR(1, 9), LDR(2, 9), LDR(3, 9), LDR(4, 9) } } },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		run_example(&other[i].e, other[i].key, other[i].value);
}

/*
 * A load of a value that a store has just written waits for the store, if the code shows that both
 * have the same address.
 */
static void test_forwarding(void **state)
{
	/* clang-format off */
	static const struct example loops[] = {
		/* str x1, [x2]; ldr x1, [x2] */
		{ __LINE__, 7, { 0xf9000041, LDR(1, 2) } },
		/* str w1, [x2]; ldr x1, [x2] */
		{ __LINE__, 13, { 0xb9000041, LDR(1, 2) } },
		/* str x1, [x2, #8]; ldr w1, [x2, #12], and ldr w1, [x2, #16], and ldr x1, [x2] */
		{ __LINE__, 7, { 0xf9000441, 0xb9400c41 } },
		{ __LINE__, 1, { 0xf9000441, 0xb9401041 } },
		{ __LINE__, 1, { 0xf9000441, LDR(1, 2) } },
		/* stp x1, x3, [sp, #-16]!; ldp x3, x1, [sp], #16 */
		{ __LINE__, 7, { 0xa9bf0fe1, 0xa8c107e3 } },
		/* str x1, [x2]; add x2, x2, #8; ldr x1, [x2], and ldr x1, [x2, #-8] */
		{ __LINE__, 4.0 / 3, { 0xf9000041, 0x91002042, LDR(1, 2) } },
		{ __LINE__, 7, { 0xf9000041, 0x91002042, 0xf85f8041 } },
		/*
		 * ldr x1, [sp]; str x1, [sp]: each iteration loads what the previous one stored.
		 * With [x2] instead of [sp], the load does not wait.
		 */
		{ __LINE__, 7, { LDR(1, 31), 0xf90003e1 } },
		{ __LINE__, 1, { LDR(1, 2), 0xf9000041 } },
		/*
		 * adrp x2; ldr x3, [sp, #16]; ldr x1, [x2, x3, lsl #3]; three additions to x1; str
		 * x1, [x2, x3, lsl #3]. If the loop also stores x3 + 1 at [sp, #16], the next
		 * iteration has another address, and waits only for x3.
		 */
		{ __LINE__, 10,
		  { 0x90000002, 0xf9400be3, 0xf8637841, ADD(1, 1), ADD(1, 1), ADD(1, 1),
		    0xf8237841 } },
		{ __LINE__, 8,
		  { 0x90000002, 0xf9400be3, 0xf8637841, ADD(1, 1), ADD(1, 1), ADD(1, 1),
		    0xf8237841, ADD(3, 3), 0xf9000be3 } },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		run_example(&loops[i], "forward.latency", "7");
}

static void test_long_paths(void **state)
{
	struct machine *m = open_machine(NULL, NULL);
	uint32_t words[200];
	double took;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		words[i] = FDIV;
	add_loop(m, words, 200);
	took = cycles_of_turn(m, false);
	assert_true(took > 3599 && took < 3601);
	close_machine(m);
}

/* ---- misses ---------------------------------------------------------------------------------- */

static double with_misses(const char *key, const char *value, const uint32_t *words, size_t n)
{
	struct machine *m = open_machine(key, value);
	double took;

	add_loop(m, words, n);
	took = cycles_of_turn(m, true);
	close_machine(m);
	return took;
}

#define assert_near(a, b)                                                       \
	do {                                                                    \
		double took_ = (a), want_ = (b);                                \
		if (took_ < want_ * 0.98 || took_ > want_ * 1.02)               \
			fail_msg("%.1f cycles in place of %.1f", took_, want_); \
	} while (0)

static void test_misses(void **state)
{
	static const uint32_t chain[] = { LDR(1, 1) }, two[] = { LDR(1, 1), LDR(2, 2) },
			      free_ones[] = { LDR(1, 9), LDR(2, 9) };
	uint32_t far[64];

	(void)state;
	/*
	 * Each address is the value loaded before, so an iteration takes the latency of a miss and
	 * that of a hit.
	 */
	assert_near(with_misses(NULL, NULL, chain, 1), LATENCY + 4);
	/* Two independent chains take as long as one. */
	assert_near(with_misses(NULL, NULL, two, 2), LATENCY + 4);
	/* With one request slot, the second miss waits for the first. */
	assert_near(with_misses("lsu.slots", "1", two, 2), 2 * (LATENCY + 1));
	/* Independent misses overlap. Their number at a time is the number of slots. */
	assert_near(with_misses(NULL, NULL, free_ones, 2), (LATENCY + 1) * 2 / 6.0);
	assert_near(with_misses("lsu.slots", "12", free_ones, 2), (LATENCY + 1) * 2 / 12.0);
	/*
	 * Two of every 64 instructions miss. A window of 128 contains four misses at a time. In a
	 * window of 32, the next two misses begin when the first two have retired.
	 */
	for (unsigned i = 0; i < 64; i++)
		far[i] = i < 2 ? LDR(1 + i, 9) : NOP;
	assert_near(with_misses(NULL, NULL, far, 63), (LATENCY + 5) / 2.0);
	assert_true(with_misses("issue.window", "32", far, 63) > LATENCY + 4);
}

/*
 * Stores do not wait for their lines until the write buffer is full. Then each takes `mem.write`
 * cycles.
 */
static void test_stores(void **state)
{
	static const uint32_t words[] = { 0xf9000021 }; /* str x1, [x1] */

	(void)state;
	assert_near(with_misses(NULL, NULL, words, 1), 10);
	assert_near(with_misses("mem.write", "1", words, 1), 1);
}

/* ---- branches -------------------------------------------------------------------------------- */

/*
 * Runs a loop that ends in `cbnz x1`, which is alternately taken and not taken. A predictor without
 * history mispredicts it at least every second time. The instructions before it compute x1.
 */
static double mispredicted(const uint32_t *words, size_t n, uint64_t *misses)
{
	struct machine *m = open_machine(NULL, NULL);
	const struct pmk_block *other;
	uint64_t begin, before;

	for (size_t i = 0; i < n; i++)
		pmk_isa_a64_decode(PC + 4 * i, words[i], &m->insn[i]);
	pmk_isa_a64_decode(PC + 4 * n, 0xb5000000u | (-(uint32_t)n & 0x7ffff) << 5 | 1,
			   &m->insn[n]);
	m->n = n + 1;
	m->block = pmk_code_add(&m->code, m->insn, m->n, 1, 0, m->slots);
	pmk_isa_a64_decode(PC + 4 * m->n, 0x14000000u | (-(uint32_t)m->n & 0x3ffffff),
			   &m->insn[m->n]);
	other = pmk_code_add(&m->code, &m->insn[m->n], 1, 1, 0, &m->slots[m->n]);
	begin = before = 0;
	for (unsigned i = 0; i < 1300; i++) {
		if (i == 100) {
			begin = m->cpu.cycles;
			before = m->cpu.dyn[PMK_SIG_BRANCH_MISS];
		}
		pmk_a64_block(&m->cpu, m->block);
		if (i & 1)
			pmk_a64_block(&m->cpu, other);
	}
	*misses = m->cpu.dyn[PMK_SIG_BRANCH_MISS] - before;
	begin = m->cpu.cycles - begin;
	close_machine(m);
	return (double)begin;
}

/*
 * The penalty of a misprediction starts when the mispredicted branch is executed. A division on
 * which the branch depends delays the branch. A division on which the branch does not depend is
 * hidden.
 */
static void test_mispredictions(void **state)
{
	static const uint32_t early[] = { ADD(1, 9) },
			      late[] = { 0x9ac90921 /* udiv x1, x9, x9 */ },
			      independent[] = { ADD(1, 9), 0x9ac90922 /* udiv x2, x9, x9 */ };
	uint64_t misses, same;
	double soon, later, hidden;

	(void)state;
	soon = mispredicted(early, 1, &misses) / 1200;
	assert_true(misses >= 600);
	later = mispredicted(late, 1, &same) / 1200;
	assert_int_equal(same, misses);
	hidden = mispredicted(independent, 2, &same) / 1200;
	assert_int_equal(same, misses);
	/* Each misprediction costs BRANCH, an addition and a cycle for the first instruction. */
	assert_near(soon, (double)misses / 1200 * (BRANCH + 1.5));
	assert_near(later - soon, (double)misses / 1200 * 11);
	assert_near(hidden, soon);
}

/* ---- the clock ------------------------------------------------------------------------------- */

/*
 * Memoized states and steps do not change the result. Sequences of blocks, misses and
 * mispredictions take the same time with and without them.
 */
static void test_remembered(void **state)
{
	static const uint32_t words[] = { LDR(1, 1), ADD(2, 1), FDIV, LDR(3, 2), ADD(4, 3) };
	uint64_t cycles[2];

	(void)state;
	for (unsigned run = 0; run < 2; run++) {
		struct machine *m = open_machine(NULL, NULL);
		uint64_t seed = 88172645463325252;

		add_loop(m, words, 5);
		for (unsigned i = 0; i < 20000; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			if (run)
				m->cpu.a64.window->last = 0;
			if (run && m->cpu.a64.window->nsteps > 20)
				m->cpu.a64.window->nsteps = PMK_A64_STEPS - 1;
			if (seed % 7 == 0)
				pmk_a64_window_mispredict(&m->cpu);
			turn(m, seed % 11 == 0);
		}
		cycles[run] = m->cpu.cycles;
		close_machine(m);
	}
	assert_int_equal(cycles[0], cycles[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),       cmocka_unit_test(test_forwarding),
		cmocka_unit_test(test_long_paths),     cmocka_unit_test(test_taken_branches),
		cmocka_unit_test(test_misses),	       cmocka_unit_test(test_stores),
		cmocka_unit_test(test_mispredictions), cmocka_unit_test(test_remembered),
		cmocka_unit_test(test_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
