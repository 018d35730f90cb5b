// SPDX-License-Identifier: MIT
/*
 * The timing of an in-order, dual-issue A64 core. Schedules equal those worked out by hand. The
 * times of random code equal those of a second model that steps from cycle to cycle. Its latencies
 * are given per instruction, as in LLVM's scheduling model of the Cortex-A53, and are not taken
 * from the decoder's classes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../unit.h"
#include "cpu/a64/a64.h"

#define MAX   40
#define FLAGS 64
/* In need[] and residue[], the units follow the registers: floating point, divider, load-store. */
enum { FP_BUSY = 64, DIV_BUSY, LS_BUSY, PLACES };

static struct pmk_core core;

static void decode_all(const uint32_t *words, size_t n, struct pmk_insn *insn)
{
	for (size_t i = 0; i < n; i++) {
		pmk_isa_a64_decode(0x400000 + 4 * i, words[i], &insn[i]);
		if (!insn[i].decoded)
			fail_msg("%08x is not known", words[i]);
	}
}

/* ---- by hand -------------------------------------------------------------------------------- */

#define NOP    0xd503201f
#define LDR_X1 0xf9400061 /* ldr x1, [x3] */
#define ADD_1  0x8b010026 /* add x6, x1, x1 */
#define ADD_9  0x91000529 /* add x9, x9, #1 */

struct example {
	int line;
	uint32_t words[8];
	unsigned cycles, empty; /* cycles up to the last issue; cycles without an issue */
};

/* clang-format off */
static const struct example examples[] = {
	/* The core issues two instructions in each cycle. */
	{ __LINE__, { NOP }, 1, 0 },
	{ __LINE__, { NOP, NOP }, 1, 0 },
	{ __LINE__, { NOP, NOP, NOP }, 2, 0 },
	{ __LINE__, { NOP, NOP, NOP, NOP, NOP, NOP, NOP }, 4, 0 },
	/* add x9 twice: the second waits for the first. */
	{ __LINE__, { ADD_9, ADD_9 }, 2, 0 },
	{ __LINE__, { ADD_9, NOP, ADD_9, NOP }, 2, 0 },
	{ __LINE__, { NOP, ADD_9, ADD_9, NOP }, 2, 0 },
	{ __LINE__, { NOP, ADD_9, ADD_9, ADD_9 }, 3, 0 },
	/* A load's value is available after 3 cycles: cycles 1 and 2 are empty. */
	{ __LINE__, { LDR_X1, ADD_1 }, 4, 2 },
	{ __LINE__, { LDR_X1, NOP, ADD_1 }, 4, 2 },
	{ __LINE__, { LDR_X1, NOP, NOP, ADD_1 }, 4, 1 },
	{ __LINE__, { LDR_X1, NOP, NOP, NOP, NOP, ADD_1 }, 4, 0 },
	{ __LINE__, { LDR_X1, NOP, NOP, NOP, NOP, NOP, ADD_1 }, 4, 0 },
	{ __LINE__, { LDR_X1, NOP, NOP, NOP, NOP, NOP, NOP, ADD_1 }, 4, 0 },
	/*
	 * ldr x1; lsl x6, x7, x1; add x8, x6, x6: the shift amount comes 3 cycles after the load,
	 * and the sum 1 cycle later.
	 */
	{ __LINE__, { LDR_X1, 0x9ac120e6, 0x8b0600c8 }, 5, 2 },
	/* lsl x6, x7, x8; lsl x9, x7, x8: the core issues one shift in each cycle. */
	{ __LINE__, { 0x9ac820e6, 0x9ac820e9 }, 2, 0 },
	/* ldrb w1, [x3]; add x6, x1, x1: an extended value is available a cycle later. */
	{ __LINE__, { 0x39400061, ADD_1 }, 5, 3 },
	/*
	 * A stored value is needed a cycle after the issue: ldr x1; str x1, [x4]. An address is
	 * needed at the issue: ldr x1; str x2, [x1].
	 */
	{ __LINE__, { LDR_X1, 0xf9000081 }, 3, 1 },
	{ __LINE__, { LDR_X1, 0xf9000022 }, 4, 2 },
	/* ldr x1, [x3]; ldr x2, [x4]: the core has one load-store unit. */
	{ __LINE__, { LDR_X1, 0xf9400082 }, 2, 0 },
	{ __LINE__, { LDR_X1, ADD_9, 0xf9400082, NOP }, 2, 0 },
	/* ldr x1, [x3], #8; ldr x2, [x3]: the base is available after 1 cycle. */
	{ __LINE__, { 0xf8408461, 0xf9400062 }, 2, 0 },
	{ __LINE__, { 0xf8408461, NOP, NOP, 0x91000463 }, 2, 0 }, /* …; add x3, x3, #1 */
	/* cmp x1, x2; b.eq issue together; csel x1, x2, x3, eq issues a cycle after cmp. */
	{ __LINE__, { 0xeb02003f, 0x54000000 }, 1, 0 },
	{ __LINE__, { 0xeb02003f, NOP, 0x54000000 }, 2, 0 },
	{ __LINE__, { 0xeb02003f, 0x9a830041 }, 2, 0 },
	/* mul x1, x2, x3; add x6, x1, x1 */
	{ __LINE__, { 0x9b037c41, ADD_1 }, 5, 3 },
	/* madd x1, x2, x3, x4; madd x1, x2, x3, x1: the sum is available after 2 cycles. */
	{ __LINE__, { 0x9b031041, 0x9b030441 }, 3, 1 },
	/* madd x1, x2, x3, x4; madd x1, x1, x3, x4: a factor is available after 4 cycles. */
	{ __LINE__, { 0x9b031041, 0x9b031021 }, 5, 3 },
	/* madd x1, x2, x3, x4; madd x1, x1, x3, x1: x1 is both a factor and the sum. */
	{ __LINE__, { 0x9b031041, 0x9b030421 }, 5, 3 },
	/*
	 * mul x1, x2, x3; madd x1, x2, x3, x1: the product does not come from a
	 * multiply-accumulate.
	 */
	{ __LINE__, { 0x9b037c41, 0x9b030441 }, 5, 3 },
	/* udiv x1, x2, x3; udiv x4, x5, x6: one divider, busy for 4 cycles. */
	{ __LINE__, { 0x9ac30841, 0x9ac608a4 }, 5, 3 },
	/* fdiv d0, d1, d2; fadd d3, d4, d5: one FP unit, busy for 30. */
	{ __LINE__, { 0x1e621820, 0x1e652883 }, 31, 29 },
	/*
	 * fadd d3, d4, d5; fadd d6, d7, d8 issue together. fadd v3.2d, v4.2d, v5.2d takes both
	 * pipes.
	 */
	{ __LINE__, { 0x1e652883, 0x1e6828e6 }, 1, 0 },
	{ __LINE__, { 0x4e65d483, 0x1e6828e6 }, 2, 0 },
	/*
	 * shrn2 v0.8h, v1.4s, #3 and shrn2 v3.8h, v1.4s, #3 issue together. mla v0.4s, v1.4s, v2.4s
	 * twice: the sum is available after 1 cycle.
	 */
	{ __LINE__, { 0x4f1d8420, 0x4f1d8423 }, 1, 0 },
	{ __LINE__, { 0x4ea29420, 0x4ea29420 }, 2, 0 },
	/* fdiv d0, d1, d2; add x9: the addition does not wait for the division. */
	{ __LINE__, { 0x1e621820, ADD_9, ADD_9 }, 2, 0 },
	/* fdiv d0, d1, d2; fmov x1, d0: the result is available after 33 cycles. */
	{ __LINE__, { 0x1e621820, 0x9e660001 }, 34, 32 },
	/*
	 * ldp q0, q1, [x3]; add v2.4s, v1.4s, v1.4s: q1 is available after 3 cycles and three more
	 * beats, v0 a cycle earlier.
	 */
	{ __LINE__, { 0xad400460, 0x4ea18422 }, 7, 5 },
	{ __LINE__, { 0xad400460, 0x4ea08402 }, 6, 4 },
	/* ldp q0, q1, [x3]; ldr x1, [x3]: the unit is busy for four cycles. */
	{ __LINE__, { 0xad400460, LDR_X1 }, 5, 3 },
	/*
	 * ldr q0, [x3] issues alone, and ldr d0, [x3] does not. Each is tested before and after add
	 * x9, x9, #1.
	 */
	{ __LINE__, { 0x3dc00060, ADD_9 }, 2, 0 },
	{ __LINE__, { ADD_9, 0x3dc00060 }, 2, 0 },
	{ __LINE__, { 0xfd400060, ADD_9 }, 1, 0 },
	{ __LINE__, { ADD_9, 0xfd400060 }, 1, 0 },
	/* aese v0.16b, v1.16b, twice: v0 is also an operand. */
	{ __LINE__, { 0x4e284820, 0x4e284820 }, 3, 1 },
	/*
	 * aese v0.16b, v1.16b; aesmc v0.16b, v0.16b; eor v3.16b, v0.16b, v0.16b: a round takes 2
	 * cycles. Its halves issue together, if no instruction issues before them.
	 */
	{ __LINE__, { 0x4e284820, 0x4e286800, 0x6e201c03 }, 3, 1 },
	{ __LINE__, { 0x4e284820, 0x4e286800, ADD_9 }, 2, 0 },
	{ __LINE__, { ADD_9, 0x4e284820, 0x4e286800 }, 2, 0 },
	/* aesd v0.16b, v1.16b; aesimc v0.16b, v0.16b, twice; then with v2. */
	{ __LINE__, { 0x4e285820, 0x4e287800, 0x4e285820, 0x4e287800 }, 3, 1 },
	{ __LINE__, { 0x4e285820, 0x4e287800, 0x4e285822, 0x4e287842 }, 2, 0 },
	/* aese v0.16b, v1.16b; aesmc v2.16b, v0.16b: two destinations, so this is not a round. */
	{ __LINE__, { 0x4e284820, 0x4e286802 }, 3, 1 },
	/*
	 * Each pair of equal instructions depends: sha1h s0, s0 takes 3 cycles; sha1su0 v0.4s,
	 * v1.4s, v2.4s 4; sha256h q0, q1, v2.4s 5.
	 */
	{ __LINE__, { 0x5e280800, 0x5e280800 }, 4, 2 },
	{ __LINE__, { 0x5e023020, 0x5e023020 }, 5, 3 },
	{ __LINE__, { 0x5e024020, 0x5e024020 }, 6, 4 },
	/* sha256h q3, q1, v2.4s waits for the unit: the first one takes it for 2 cycles. */
	{ __LINE__, { 0x5e024020, 0x5e024023 }, 3, 1 },
	/* add v0.4s, v1.4s, v2.4s is not the second instruction of a cycle; add v0.2s can be. */
	{ __LINE__, { NOP, 0x4ea28420 }, 2, 0 },
	{ __LINE__, { 0x4ea28420, NOP }, 1, 0 },
	{ __LINE__, { NOP, 0x0ea28420 }, 1, 0 },
	/* XZR is not a register: add xzr, x1, x1; add x6, xzr, x9 */
	{ __LINE__, { 0x8b01003f, 0x8b0903e6 }, 1, 0 },
	/* ldr x1; mov x1, #0; add x6, x1, x1: the loaded value is overwritten in cycle 0. */
	{ __LINE__, { LDR_X1, 0xd2800001, ADD_1 }, 2, 0 },
};
/* clang-format on */

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *ex = &examples[i];
		struct pmk_insn insn[8];
		struct pmk_pipe_slot slots[8];
		struct pmk_a64_timing t;
		size_t n = 0;

		while (n < 8 && ex->words[n])
			n++;
		decode_all(ex->words, n, insn);
		pmk_a64_time(&core, insn, n, slots, &t);
		if (t.cycles != ex->cycles || t.data_stall != ex->empty)
			fail_msg("line %d: %u cycles, %u empty instead of %u, %u", ex->line,
				 t.cycles, t.data_stall, ex->cycles, ex->empty);
	}
}

/*
 * The slots of loads are right: `use` is the number of cycles from the issue to the first
 * instruction that waits for the loaded value. If the block has no such instruction, `use` is 0,
 * and `open` has the registers that contain the value at the end of the block.
 */
static void test_slots(void **state)
{
	/* clang-format off */
	static const struct {
		int line;
		uint32_t words[7];
		unsigned issue, use; /* of the last load */
		uint64_t open;
	} rows[] = {
		{ __LINE__, { LDR_X1, ADD_1 }, 0, 3 },
		{ __LINE__, { LDR_X1, NOP, NOP, NOP, NOP, NOP, ADD_1 }, 0, 3 },
		{ __LINE__, { ADD_9, ADD_9, LDR_X1, ADD_1 }, 1, 3 },
		/* ldp x1, x2, [x3]; add x6, x2, x2: the addition needs the second register. */
		{ __LINE__, { 0xa9400861, 0x8b020046 }, 0, 4 },
		/*
		 * ldr x1, [x3], #8; add x3, x3, #1 …; add x6, x1, x1: the base is not a result of
		 * the load.
		 */
		{ __LINE__, { 0xf8408461, 0x91000463, ADD_9, ADD_9, ADD_9, ADD_9, ADD_1 }, 0, 4 },
		/* No instruction needs the value. */
		{ __LINE__, { LDR_X1 }, 0, 0, 1 << 1 },
		{ __LINE__, { ADD_9, ADD_9, LDR_X1, ADD_9 }, 1, 0, 1 << 1 },
		{ __LINE__, { 0xf8408461, 0x91000463, ADD_9 }, 0, 0, 1 << 1 },
		/* The value is overwritten, so no instruction ever needs it. */
		{ __LINE__, { LDR_X1, 0xd2800001, ADD_1, ADD_9 }, 0, 0, 0 },
		/* ldr x1, [x3]; ldr x1, [x4] */
		{ __LINE__, { LDR_X1, 0xf9400081 }, 1, 0, 1 << 1 },
		/* ldp x1, x2, [x3]; mov x1, #0 */
		{ __LINE__, { 0xa9400861 }, 0, 0, 1 << 1 | 1 << 2 },
		{ __LINE__, { 0xa9400861, 0xd2800001 }, 0, 0, 1 << 2 },
		/* ldr xzr, [x3] */
		{ __LINE__, { 0xf940007f }, 0, 0, 0 },
		/* ldr q0, [x3]; ldp q31, q7, [x3] */
		{ __LINE__, { 0x3dc00060 }, 0, 0, UINT64_C(1) << 32 },
		{ __LINE__, { 0xad401c7f }, 0, 0, UINT64_C(1) << 63 | UINT64_C(1) << 39 },
		/* ld4 {v30.4s, v31.4s, v0.4s, v1.4s}, [x3]; and with add v31.4s, v5.4s, v5.4s */
		{ __LINE__, { 0x4c40087e }, 0, 0, UINT64_C(0xC000000300000000) },
		{ __LINE__, { 0x4c40087e, 0x4ea584bf }, 0, 0, UINT64_C(0x4000000300000000) },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_insn insn[7];
		struct pmk_pipe_slot slots[7];
		struct pmk_a64_timing t;
		size_t n = 0, load = 0;

		while (n < 7 && rows[i].words[n])
			n++;
		decode_all(rows[i].words, n, insn);
		for (size_t k = 0; k < n; k++)
			load = insn[k].load ? k : load;
		pmk_a64_time(&core, insn, n, slots, &t);
		if (slots[load].issue != rows[i].issue ||
		    (rows[i].use ? slots[load].use != rows[i].use
				 : slots[load].use < PMK_A64_OPEN ||
					   pmk_a64_open_regs(slots[load].use) != rows[i].open))
			fail_msg("line %d: issue %u, use %u", rows[i].line, slots[load].issue,
				 slots[load].use);
	}
}

/*
 * The block waits for registers of earlier blocks as long as `need` says, and the next block waits
 * for results of this block as long as `residue` says.
 */
static void test_need_and_residue(void **state)
{
	/* add x9, x9, #1; ldr x1, [x3]; cmp x9, x4; mul x5, x5, x5 */
	static const uint32_t words[] = { ADD_9, LDR_X1, 0xeb04013f, 0x9b057ca5 };
	struct pmk_insn insn[4];
	struct pmk_pipe_slot slots[4];
	struct pmk_a64_timing t;

	(void)state;
	decode_all(words, 4, insn);
	pmk_a64_time(&core, insn, 4, slots, &t);
	assert_int_equal(t.cycles, 2);
	assert_int_equal(t.need[9], 0);
	assert_int_equal(t.need[3], 0);
	assert_int_equal(t.need[4], 1);
	assert_int_equal(t.need[5], 1);
	assert_int_equal(t.need[1], 255);
	assert_int_equal(t.need[LS_BUSY], 0);
	assert_int_equal(t.writes, 1 << 1 | 1 << 5 | 1 << 9);
	assert_int_equal(t.residue[1], 3 - 2);
	assert_int_equal(t.residue[5], 1 + 4 - 2);
	assert_int_equal(t.residue[9], 0);
	assert_int_equal(t.need[FP_BUSY], 255);
	assert_int_equal(t.need[DIV_BUSY], 255);
	assert_int_equal(t.residue[LS_BUSY], 0);
}

/* If a register is first read 300 cycles after the start, its need[] has the largest value, 254. */
static void test_far(void **state)
{
	static struct pmk_insn insn[76];
	static struct pmk_pipe_slot slots[76];
	struct pmk_a64_timing t;
	uint32_t words[76];

	(void)state;
	for (unsigned i = 0; i < 75; i++)
		words[i] = 0x9b057ca5; /* mul x5, x5, x5 */
	words[75] = 0x8b0500a1;	       /* add x1, x5, x5 */
	words[74] = 0x8b0600a5;	       /* add x5, x5, x6 */
	decode_all(words, 76, insn);
	pmk_a64_time(&core, insn, 76, slots, &t);
	assert_int_equal(slots[74].issue, 74 * 4);
	assert_int_equal(t.need[6], 254);
	assert_int_equal(t.need_sum[6], 254);
	assert_int_equal(t.need[1], 255);
}

/*
 * A sum is available earlier to the next multiply-accumulate: by two cycles, and by four in
 * floating point.
 */
static void test_sums(void **state)
{
	/* fmadd d1, d2, d3, d1; madd x1, x2, x3, x4; mul x5, x1, x1 */
	static const uint32_t words[] = { 0x1f430441, 0x9b031041, 0x9b017c25 };
	struct pmk_insn insn[3];
	struct pmk_pipe_slot slots[3];
	struct pmk_a64_timing t;

	(void)state;
	decode_all(words, 3, insn);
	pmk_a64_time(&core, insn, 2, slots, &t);
	assert_int_equal(t.cycles, 1);
	assert_int_equal(t.residue[33], 8 - 1);
	assert_int_equal(t.residue[1], 4 - 1);
	assert_true(t.sums == (UINT64_C(1) << 33 | 1 << 1));
	assert_int_equal(t.need[33], 0);
	assert_int_equal(t.need_sum[33], 4);
	assert_int_equal(t.need_sum[34], 0);
	assert_int_equal(t.need_sum[4], 2);
	assert_int_equal(t.need_sum[2], 0);
	/* The result of a multiplication without an addition is not a sum. */
	pmk_a64_time(&core, insn, 3, slots, &t);
	assert_int_equal(t.residue[5], 3);
	assert_true(t.sums == (UINT64_C(1) << 33 | 1 << 1));
	/*
	 * madd x1, x2, x3, x4; mul x5, x4, x4: the second instruction reads x4 as a factor a cycle
	 * later. The first one needs it as an accumulator two cycles later than the issue.
	 */
	decode_all((const uint32_t[]){ 0x9b031041, 0x9b047c85 }, 2, insn);
	pmk_a64_time(&core, insn, 2, slots, &t);
	assert_int_equal(t.need[4], 0);
	assert_int_equal(t.need_sum[4], 1);
}

/* A division keeps the floating-point unit busy during the next block. */
static void test_busy_unit(void **state)
{
	/* add x9, x9, #1; add sp, sp, #0; fdiv d0, d1, d2; add x9, x9, #1 */
	static const uint32_t words[] = { ADD_9, 0x910003ff, 0x1e621820, ADD_9 };
	static const uint32_t fadd[] = { 0x1e652883 };
	struct pmk_insn insn[4];
	struct pmk_pipe_slot slots[4];
	struct pmk_a64_timing t;

	(void)state;
	decode_all(words, 4, insn);
	pmk_a64_time(&core, insn, 4, slots, &t);
	assert_int_equal(t.cycles, 2);
	assert_int_equal(t.need[FP_BUSY], 1);
	assert_int_equal(t.residue[FP_BUSY], 1 + 30 - 2);
	assert_int_equal(t.residue[32], 1 + 33 - 2);
	/* fadd d3, d4, d5: the unit is free at once. */
	decode_all(fadd, 1, insn);
	pmk_a64_time(&core, insn, 1, slots, &t);
	assert_int_equal(t.need[FP_BUSY], 0);
	assert_int_equal(t.residue[FP_BUSY], 0);
	/* add x9; add x9; udiv x1, x2, x3: its unit is busy until its result is available. */
	decode_all((const uint32_t[]){ ADD_9, ADD_9, 0x9ac30841 }, 3, insn);
	pmk_a64_time(&core, insn, 3, slots, &t);
	assert_int_equal(t.cycles, 2);
	assert_int_equal(t.need[DIV_BUSY], 1);
	assert_int_equal(t.residue[DIV_BUSY], 4 - 1);
	assert_int_equal(t.residue[1], 4 - 1);
	assert_int_equal(t.need[FP_BUSY], 255);
	/* ld1 {v0.16b-v3.16b}, [x10]: eight cycles of 8 bytes. */
	decode_all((const uint32_t[]){ 0x4c402140 }, 1, insn);
	pmk_a64_time(&core, insn, 1, slots, &t);
	assert_int_equal(t.need[LS_BUSY], 0);
	assert_int_equal(t.residue[LS_BUSY], 8 - 1);
}

/* ---- random code ---------------------------------------------------------------------------- */

/* The positions of register fields in a word, for registers X or V. */
enum field { NONE, D, N, M, A, S };
#define X(f)   (f)
#define V(f)   (0x10 | (f))
#define OUT(f) (0x20 | (f)) /* result */
#define SUM(f) (0x40 | (f)) /* accumulator */
#define OF(f)  (0x80 | (f)) /* a stored value, which is needed later than at the issue */

enum unit { ALU, SH, LS, MUL, DIV, FP, NUNITS };

/* clang-format off */
static const struct form {
	uint32_t word;
	uint8_t roles[5];
	uint8_t unit, latency, busy;
	uint8_t early; /* how many cycles earlier a multiply-accumulate forwards its sum */
	uint8_t base;  /* the base N is written back, and available after 1 cycle */
	uint8_t flags; /* 1 reads the flags, 2 sets them; 4 issues first, 8 issues alone */
	uint8_t more;  /* number of registers after D that are also results */
} forms[] = {
	/* nop      */ { 0xd503201f, { 0 },                                ALU, 1, 1, 0, 0, 0, 0 },
	/* add      */ { 0x8b000000, { OUT(X(D)), X(N), X(M) },            ALU, 1, 1, 0, 0, 0, 0 },
	/* add #1   */ { 0x91000400, { OUT(X(D)), X(N) },                  ALU, 1, 1, 0, 0, 0, 0 },
	/* adds     */ { 0xab000000, { OUT(X(D)), X(N), X(M) },            ALU, 1, 1, 0, 0, 2, 0 },
	/* adcs     */ { 0xba000000, { OUT(X(D)), X(N), X(M) },            ALU, 1, 1, 0, 0, 3, 0 },
	/* csel     */ { 0x9a800000, { OUT(X(D)), X(N), X(M) },            ALU, 1, 1, 0, 0, 1, 0 },
	/* add lsl  */ { 0x8b000c00, { OUT(X(D)), X(N), X(M) },            ALU, 2, 1, 0, 0, 0, 0 },
	/* lsl      */ { 0x9ac02000, { OUT(X(D)), X(N), X(M) },            SH, 1, 1, 0, 0, 0, 0 },
	/* movk     */ { 0xf2800000, { OUT(X(D)), X(D) },                  ALU, 1, 1, 0, 0, 0, 0 },
	/* mul      */ { 0x9b007c00, { OUT(X(D)), X(N), X(M) },            MUL, 4, 1, 0, 0, 0, 0 },
	/* smulh    */ { 0x9b407c00, { OUT(X(D)), X(N), X(M) },            MUL, 6, 4, 0, 0, 0, 0 },
	/* madd     */ { 0x9b000000, { OUT(X(D)), X(N), X(M), SUM(X(A)) }, MUL, 4, 1, 2, 0, 0, 0 },
	/* smsubl   */ { 0x9b208000, { OUT(X(D)), X(N), X(M), SUM(X(A)) }, MUL, 3, 1, 2, 0, 0, 0 },
	/* udiv     */ { 0x9ac00800, { OUT(X(D)), X(N), X(M) },            DIV, 4, 4, 0, 0, 0, 0 },
	/* ldr      */ { 0xf9400000, { OUT(X(D)), X(N) },                  LS, 3, 1, 0, 0, 0, 0 },
	/* ldr x    */ { 0xf8606800, { OUT(X(D)), X(N), X(M) },            LS, 3, 1, 0, 0, 0, 0 },
	/* ldr post */ { 0xf8408400, { OUT(X(D)), X(N) },                  LS, 3, 1, 0, 1, 0, 0 },
	/* str      */ { 0xf9000000, { OF(X(D)), X(N) },                     LS, 1, 1, 0, 0, 0, 0 },
	/* str pre  */ { 0xf8008c00, { OF(X(D)), X(N) },                     LS, 1, 1, 0, 1, 0, 0 },
	/* ldp      */ { 0xa9400000, { OUT(X(D)), OUT(X(A)), X(N) },       LS, 4, 2, 0, 0, 0, 0 },
	/* stp      */ { 0xa9000000, { OF(X(D)), OF(X(A)), X(N) },           LS, 1, 1, 0, 0, 0, 0 },
	/* ldxr     */ { 0xc85f7c00, { OUT(X(D)), X(N) },                  LS, 3, 1, 0, 0, 0, 0 },
	/* stxr     */ { 0xc8007c00, { OUT(X(M)), X(D), X(N) },            LS, 1, 1, 0, 0, 0, 0 },
	/* prfm     */ { 0xf9800000, { X(N) },                             LS, 1, 1, 0, 0, 0, 0 },
	/* ldr q    */ { 0x3dc00000, { OUT(V(D)), X(N) },                  LS, 4, 2, 0, 0, 12, 0 },
	/* str q    */ { 0x3d800000, { OF(V(D)), X(N) },                     LS, 1, 1, 0, 0, 0, 0 },
	/* ldp q    */ { 0xad400000, { OUT(V(D)), OUT(V(A)), X(N) },       LS, 6, 4, 0, 0, 12, 0 },
	/* stp q    */ { 0xad000000, { OF(V(D)), OF(V(A)), X(N) },         LS, 2, 2, 0, 0, 0, 0 },
	/* ld1 x4   */ { 0x4c402000, { OUT(V(D)), X(N) },                  LS, 10, 8, 0, 0, 12, 3 },
	/* fadd     */ { 0x1e602800, { OUT(V(D)), V(N), V(M) },            FP, 4, 0, 0, 0, 0, 0 },
	/* fmul     */ { 0x1e600800, { OUT(V(D)), V(N), V(M) },            FP, 4, 0, 0, 0, 0, 0 },
	/* fmadd    */ { 0x1f400000, { OUT(V(D)), V(N), V(M), SUM(V(A)) }, FP, 8, 0, 4, 0, 0, 0 },
	/* fdiv d   */ { 0x1e601800, { OUT(V(D)), V(N), V(M) },            FP, 33, 30, 0, 0, 0, 0 },
	/* fdiv s   */ { 0x1e201800, { OUT(V(D)), V(N), V(M) },            FP, 18, 15, 0, 0, 0, 0 },
	/* fsqrt d  */ { 0x1e61c000, { OUT(V(D)), V(N) },                  FP, 22, 19, 0, 0, 0, 0 },
	/* fsqrt s  */ { 0x1e21c000, { OUT(V(D)), V(N) },                  FP, 12, 9, 0, 0, 0, 0 },
	/* fmov d x */ { 0x9e670000, { OUT(V(D)), X(N) },                  FP, 2, 0, 0, 0, 0, 0 },
	/* fmov x d */ { 0x9e660000, { OUT(X(D)), V(N) },                  FP, 3, 0, 0, 0, 0, 0 },
	/* fcmp     */ { 0x1e602000, { V(N), V(M) },                       FP, 4, 1, 0, 0, 2, 0 },
	/* add 4s   */ { 0x4ea08400, { OUT(V(D)), V(N), V(M) },            FP, 2, 1, 0, 0, 4, 0 },
	/* mla 4s   */ { 0x4ea09400, { OUT(V(D)), V(N), V(M), SUM(V(D)) }, FP, 4, 1, 3, 0, 4, 0 },
	/* shrn2    */ { 0x4f1d8400, { OUT(V(D)), V(D), V(N) },            FP, 2, 0, 0, 0, 0, 0 },
	/* fadd 4s  */ { 0x4e20d400, { OUT(V(D)), V(N), V(M) },            FP, 4, 1, 0, 0, 4, 0 },
	/* aese     */ { 0x4e284800, { OUT(V(D)), V(D), V(N) },            FP, 2, 1, 0, 0, 0, 0 },
};
/* clang-format on */

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* An instruction of the second model. */
struct op {
	const struct form *t;
	uint32_t word;
	uint8_t regs[6]; /* values of the fields D, N, M, A; [0] is unused */
};

static unsigned role_reg(const struct op *op, uint8_t role)
{
	return op->regs[role & 7] + (role & 0x10 ? 32u : 0);
}

/*
 * Returns true if a load or store has equal registers that the architecture requires to differ: a
 * base that is written back, a status, two results.
 */
static bool unpredictable(const struct op *op)
{
	const uint8_t *r = op->regs;

	return op->t->unit == LS &&
	       (r[N] == r[D] || r[N] == r[A] || r[D] == r[A] || r[M] == r[D] || r[M] == r[N]);
}

static struct op random_op(void)
{
	static const uint8_t shift[] = { 0, 0, 5, 16, 10 };
	struct op op;

	op.t = &forms[pick(sizeof(forms) / sizeof(forms[0]))];
	op.word = op.t->word;
	do
		for (unsigned f = D; f <= A; f++)
			op.regs[f] = (uint8_t)pick(6);
	while (unpredictable(&op));
	if (op.t->early && pick(3) == 0) /* one register is a factor and the sum */
		op.regs[pick(2) ? N : M] = op.regs[A];
	for (unsigned i = 0; i < 5; i++) {
		unsigned f = op.t->roles[i] & 7;

		if (f)
			op.word = (op.word & ~(31u << shift[f])) | (uint32_t)op.regs[f] << shift[f];
	}
	return op;
}

struct schedule {
	unsigned cycles, empty;
	unsigned issue[MAX], use[MAX]; /* use 0: no instruction uses the value */
	uint64_t open[MAX];
	unsigned need[PLACES], need_sum[64], residue[PLACES];
	uint64_t sums;
};

struct state {
	unsigned ready[65], for_sum[65];
	int by[65]; /* the instruction that wrote the register; -1: none here, -2: as a base */
	unsigned unit_free[NUNITS];
};

static bool is_factor(const struct op *op, unsigned reg)
{
	for (unsigned i = 0; i < 5; i++) {
		uint8_t role = op->t->roles[i];

		if (role && !(role & (0x20 | 0x40)) && role_reg(op, role) == reg)
			return true;
	}
	return false;
}

/*
 * Returns how many cycles after its issue a store needs operand i. The result is 0 if its address
 * needs the same register.
 */
static unsigned late(const struct op *op, unsigned i)
{
	const uint8_t role = op->t->roles[i];

	if (!(role & 0x80) || role_reg(op, role & 0x7f) == op->regs[N])
		return 0;
	return !(role & 0x10) && !(op->t->roles[1] & 0x80);
}

static bool can_issue(const struct state *s, const struct op *op, unsigned now, unsigned did)
{
	if (s->unit_free[op->t->unit] > now || ((op->t->flags & 4) && did))
		return false;
	if ((op->t->flags & 1) && s->ready[FLAGS] > now)
		return false;
	for (unsigned i = 0; i < 5; i++) {
		uint8_t role = op->t->roles[i];
		unsigned reg = role_reg(op, role);
		bool sum = (role & 0x40) && !is_factor(op, reg);

		unsigned at = sum ? s->for_sum[reg] : s->ready[reg];

		if (role && !(role & 0x20) && at > now + late(op, i))
			return false;
	}
	return true;
}

/*
 * Records the use of a register. If the register is the sum of a multiply-accumulate in another
 * block, it may be `early` cycles later than a factor.
 */
static void used(struct schedule *out, const struct state *s, unsigned reg, unsigned now,
		 unsigned late, unsigned early)
{
	int by = s->by[reg];

	if (by >= 0 && (!out->use[by] || out->use[by] > now + late - out->issue[by]))
		out->use[by] = now + late - out->issue[by];
	if (by != -1 || reg == FLAGS)
		return;
	if (out->need[reg] > now + late)
		out->need[reg] = now + late;
	if (out->need_sum[reg] > now + late + early)
		out->need_sum[reg] = now + late + early;
}

static void result(struct state *s, unsigned reg, unsigned at, unsigned early, int by)
{
	s->ready[reg] = at;
	s->for_sum[reg] = at - early;
	s->by[reg] = by;
}

static const unsigned place_of_unit[NUNITS] = { [FP] = FP_BUSY, [DIV] = DIV_BUSY, [LS] = LS_BUSY };

static void issue(struct schedule *out, struct state *s, const struct op *op, int index,
		  unsigned now)
{
	const struct form *t = op->t;
	bool pair = t->unit == LS && (t->roles[1] & 0x20);

	out->issue[index] = now;
	if (t->unit != ALU)
		s->unit_free[t->unit] = now + t->busy;
	if (place_of_unit[t->unit] && out->need[place_of_unit[t->unit]] > now)
		out->need[place_of_unit[t->unit]] = now;
	for (unsigned i = 0; i < 5; i++) {
		unsigned reg = role_reg(op, t->roles[i]);
		bool sum = (t->roles[i] & 0x40) && !is_factor(op, reg);

		if (t->roles[i] && !(t->roles[i] & 0x20))
			used(out, s, reg, now, late(op, i), sum ? t->early : 0);
	}
	if (t->flags & 1)
		used(out, s, FLAGS, now, 0, 0);
	for (unsigned i = 0; i < 5; i++)
		if (t->roles[i] & 0x20)
			result(s, role_reg(op, t->roles[i]), now + t->latency - (pair && !i),
			       t->early, index);
	for (unsigned k = 1; k <= t->more; k++)
		result(s, 32 + (op->regs[D] + k) % 32, now + t->latency, 0, index);
	if (t->base)
		result(s, op->regs[N], now + 1, 0, -2);
	if (t->flags & 2)
		result(s, FLAGS, now + 1, 0, index);
}

/* Returns true if the first result comes from memory. */
static bool loads(const struct op *op)
{
	return op->t->unit == LS && (op->t->roles[0] & 0x2f) == OUT(D);
}

static void restate(const struct op *ops, int n, unsigned width, struct schedule *out)
{
	struct state s;
	int i = 0;

	memset(out, 0, sizeof(*out));
	memset(out->need, 0xff, sizeof(out->need));
	memset(out->need_sum, 0xff, sizeof(out->need_sum));
	memset(&s, 0, sizeof(s));
	memset(s.by, -1, sizeof(s.by));
	for (unsigned now = 0; i < n; now++) {
		unsigned did = 0;

		while (i < n && did < width && can_issue(&s, &ops[i], now, did)) {
			issue(out, &s, &ops[i], i, now);
			did = ops[i].t->flags & 8 ? width : did + 1;
			i++;
		}
		out->empty += !did;
		out->cycles = now + 1;
	}
	for (unsigned r = 0; r < FLAGS; r++) {
		if (s.by[r] >= 0 && loads(&ops[s.by[r]]) && !out->use[s.by[r]])
			out->open[s.by[r]] |= UINT64_C(1) << r;
		out->residue[r] = s.ready[r] > out->cycles ? s.ready[r] - out->cycles : 0;
		out->sums |= (uint64_t)(s.for_sum[r] != s.ready[r]) << r;
	}
	for (unsigned u = 0; u < NUNITS; u++)
		if (place_of_unit[u] && s.unit_free[u] > out->cycles)
			out->residue[place_of_unit[u]] = s.unit_free[u] - out->cycles;
}

static void random_ops(struct op *ops, struct pmk_insn *insn, int n)
{
	uint32_t words[MAX];

	for (int i = 0; i < n; i++) {
		ops[i] = random_op();
		words[i] = ops[i].word;
	}
	decode_all(words, (size_t)n, insn);
}

/* Returns 255 for UINT32_MAX, which means never. Otherwise returns `need`, but at most 254. */
static unsigned capped(unsigned need)
{
	return need == UINT32_MAX ? 255 : need < 255 ? need : 254;
}

static void test_restated(void **state)
{
	(void)state;
	seed = UINT64_C(0xa53a53);
	for (unsigned run = 0; run < UNIT_SAMPLES(60000); run++) {
		struct pmk_core c = core;
		struct op ops[MAX];
		struct pmk_insn insn[MAX];
		struct pmk_pipe_slot slots[MAX];
		struct pmk_a64_timing t;
		struct schedule want;
		int n = 1 + (int)pick(MAX - 1);

		c.a64.issue_width = run % 5 ? 2 : 1 + pick(4);
		random_ops(ops, insn, n);
		pmk_a64_time(&c, insn, (size_t)n, slots, &t);
		restate(ops, n, (unsigned)c.a64.issue_width, &want);
		if (t.cycles != want.cycles || t.data_stall != want.empty)
			fail_msg("run %u: %u cycles, %u empty instead of %u, %u", run, t.cycles,
				 t.data_stall, want.cycles, want.empty);
		for (int i = 0; i < n; i++)
			if (slots[i].issue != want.issue[i] ||
			    (want.use[i] ? slots[i].use != want.use[i]
					 : slots[i].use < PMK_A64_OPEN ||
						   pmk_a64_open_regs(slots[i].use) != want.open[i]))
				fail_msg("run %u, %d (%08x): issue %u, use %u instead of %u, %u",
					 run, i, ops[i].word, slots[i].issue, slots[i].use,
					 want.issue[i], want.use[i]);
		assert_true(t.sums == want.sums);
		for (unsigned r = 0; r < PLACES; r++) {
			unsigned need = capped(want.need[r]);

			if (r < FLAGS)
				assert_int_equal(t.need_sum[r], capped(want.need_sum[r]));
			if (t.need[r] != need || t.residue[r] != want.residue[r])
				fail_msg("run %u, register %u: need %u, residue %u instead of %u, "
					 "%u",
					 run, r, t.need[r], t.residue[r], need, want.residue[r]);
		}
	}
}

/* ---- cuts ----------------------------------------------------------------------------------- */

static unsigned wait_between(const struct pmk_a64_timing *a, const struct pmk_a64_timing *b)
{
	unsigned wait = 0;

	for (unsigned r = 0; r < PLACES; r++) {
		unsigned need = r < FLAGS && (a->sums >> r & 1) ? b->need_sum[r] : b->need[r];

		if (need != 255 && a->residue[r] > need + wait)
			wait = a->residue[r] - need;
	}
	return wait;
}

/* If code is cut into two blocks, it takes at least as long as one block. */
static void test_cuts(void **state)
{
	uint64_t whole_cycles = 0, cut_cycles = 0;

	(void)state;
	seed = UINT64_C(0xc075);
	for (unsigned run = 0; run < UNIT_SAMPLES(30000); run++) {
		struct op ops[MAX];
		struct pmk_insn insn[MAX];
		struct pmk_pipe_slot slots[MAX];
		struct pmk_a64_timing whole, a, b;
		int n = 2 + (int)pick(MAX - 2), cut = 1 + (int)pick((uint32_t)n - 1);
		unsigned sum;

		for (int i = 0; i < n; i++)
			do
				ops[i] = random_op();
			while (ops[i].t->unit == MUL &&
			       ops[i].t->busy > 1); /* the next block would not see this */
		for (int i = 0; i < n; i++)
			decode_all(&ops[i].word, 1, &insn[i]);
		pmk_a64_time(&core, insn, (size_t)n, slots, &whole);
		pmk_a64_time(&core, insn, (size_t)cut, slots, &a);
		pmk_a64_time(&core, insn + cut, (size_t)(n - cut), slots, &b);
		sum = a.cycles + b.cycles + wait_between(&a, &b);
		if (sum < whole.cycles)
			fail_msg("run %u: %d cut at %d: %u + %u + %u < %u", run, n, cut, a.cycles,
				 b.cycles, sum - a.cycles - b.cycles, whole.cycles);
		whole_cycles += whole.cycles;
		cut_cycles += sum;
	}
	/*
	 * Cuts add cycles where they cut a pair, a sum that is used as a factor, or waits that
	 * overlap.
	 */
	assert_true(cut_cycles < whole_cycles + UNIT_SAMPLES(30000));
}

/*
 * With the option for simple second instructions, the second instruction of a cycle must be simple,
 * and some instructions issue alone.
 */
static void test_simple_second(void **state)
{
	static const struct example pairs[] = {
		/*
		 * add x6, x1, x1; add x9, x9, #1: together. Not in the reverse order, and not two
		 * of the first kind.
		 */
		{ __LINE__, { ADD_1, ADD_9 }, 1, 0 },
		{ __LINE__, { ADD_9, ADD_1 }, 2, 0 },
		{ __LINE__, { ADD_1, 0x8b010027 }, 2, 0 },
		{ __LINE__, { ADD_9, 0x910004e7 }, 1, 0 },
		/* ADD_1 with mov x7, x8, with mov x7, #1, and with b.eq. */
		{ __LINE__, { ADD_1, 0xaa0803e7 }, 1, 0 },
		{ __LINE__, { ADD_1, 0xd2800027 }, 1, 0 },
		{ __LINE__, { ADD_1, 0x54000000 }, 1, 0 },
		/* ADD_1 with add x7, x8, x8, lsl #3, and with nop. */
		{ __LINE__, { ADD_1, 0x8b080d07 }, 2, 0 },
		{ __LINE__, { ADD_1, NOP }, 2, 0 },
		/* ldr w1, [x3]; add x9: together. ldr x1, [x3], with 8 bytes, issues alone. */
		{ __LINE__, { 0xb9400061, ADD_9 }, 1, 0 },
		{ __LINE__, { LDR_X1, ADD_9 }, 2, 0 },
		/*
		 * Multiplications and vector instructions also issue alone: mul w1, w2, w3; add
		 * v0.2s, v1.2s, v2.2s.
		 */
		{ __LINE__, { 0x1b037c41, ADD_9 }, 2, 0 },
		{ __LINE__, { 0x0ea28420, ADD_9 }, 2, 0 },
	};
	struct pmk_core simple = core;

	(void)state;
	simple.a64.simple_second = 1;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct pmk_insn insn[2];
		struct pmk_pipe_slot slots[2];
		struct pmk_a64_timing t;

		decode_all(pairs[i].words, 2, insn);
		pmk_a64_time(&simple, insn, 2, slots, &t);
		if (t.cycles != pairs[i].cycles || t.data_stall != pairs[i].empty)
			fail_msg("line %d: %u cycles, %u empty", pairs[i].line, t.cycles,
				 t.data_stall);
	}
}

static void test_parameters(void **state)
{
	/* udiv x1, x2, x3; add x6, x1, x1 */
	static const uint32_t words[] = { 0x9ac30841, ADD_1 };
	struct pmk_core slow = core;
	struct pmk_insn insn[2];
	struct pmk_pipe_slot slots[2];
	struct pmk_a64_timing t;

	(void)state;
	assert_int_equal(core.a64.mul_wide, 1);
	slow.a64.div_latency = 20;
	decode_all(words, 2, insn);
	pmk_a64_time(&slow, insn, 2, slots, &t);
	assert_int_equal(t.cycles, 21);
	assert_int_equal(t.data_stall, 19);
	/* Two umulh x1, x2, x3, and two mul w1, w2, w3. */
	slow.a64.mul_wide = 3;
	decode_all((const uint32_t[]){ 0x9bc37c41, 0x9bc37c44 }, 2, insn);
	pmk_a64_time(&slow, insn, 2, slots, &t);
	assert_int_equal(t.cycles, 1 + 4);
	decode_all((const uint32_t[]){ 0x1b037c41, 0x1b037c44 }, 2, insn);
	pmk_a64_time(&slow, insn, 2, slots, &t);
	assert_int_equal(t.cycles, 1 + 1);
}

/*
 * Latencies of cores other than the Cortex-A53 are used when an instruction waits for another one
 * of its kind.
 */
static void test_latencies(void **state)
{
	static const struct {
		const char *key, *value;
		uint32_t word;
		uint32_t cycles;
	} other[] = {
		{ "mul.latency", "3", 0x1b037c63, 2 }, /* mul w3, w3, w3 */
		{ "mul.latency", "0", 0x1b037c63, 3 },
		{ "mul.latency", "0", 0x9b037c63, 4 }, /* mul x3, x3, x3 */
		/*
		 * madd w5, w6, w6, w5: the sum may come up to 2 cycles later than a factor. The
		 * wait is at least 1 cycle.
		 */
		{ "mul.latency", "0", 0x1b0614c5, 1 },
		{ "mul.latency", "5", 0x1b0614c5, 2 },
		{ "mul.latency", "2", 0x1b0614c5, 1 },
		{ "fp.add", "2", 0x1e602800, 2 }, /* fadd d0, d0, d0 */
		{ "fp.mul", "3", 0x1e600800, 3 }, /* fmul d0, d0, d0 */
		/* fmadd d0, d0, d1, d1; d0, d1, d1, d0: the sum waits only for the addition. */
		{ "fp.mac", "0", 0x1f410400, 8 },
		{ "fp.mac", "0", 0x1f410020, 4 },
		{ "fp.mac", "5", 0x1f410400, 5 },
		{ "fp.mac", "5", 0x1f410020, 4 },
		{ "fp.mac", "4", 0x1f410020, 4 },
		{ "fp.div", "22", 0x1e601800, 22 },   /* fdiv d0, d0, d0 */
		{ "fp.div32", "13", 0x1e201800, 13 }, /* fdiv s0, s0, s0 */
		{ "fp.div32", "0", 0x1e201800, 18 },
		/* fdiv v0.2s, v0.4s, v0.2d and v0.4h, v0, v0; fsqrt v0.4s, v0.2d. */
		{ "fp.div32", "0", 0x2e20fc00, 18 },
		{ "fp.div32", "13", 0x6e20fc00, 13 },
		{ "fp.div", "0", 0x6e60fc00, 33 },
		{ "fp.div32", "0", 0x2e403c00, 18 },
		{ "fp.div", "0", 0x6ea1f800, 12 },
		{ "fp.div", "0", 0x6ee1f800, 22 },
		/* fmul v0.4s and frecps v0.4s are not divisions. */
		{ "fp.div", "0", 0x6e20dc00, 4 },
		{ "fp.div", "0", 0x4e20fc00, 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		const uint32_t words[] = { other[i].word, other[i].word };
		struct pmk_core changed = core;
		struct pmk_pipe_slot slots[2];
		struct pmk_a64_timing t;
		struct pmk_insn insn[2];
		char msg[200];

		assert_int_equal(
			pmk_core_set(&changed, other[i].key, other[i].value, msg, sizeof(msg)), 0);
		decode_all(words, 2, insn);
		pmk_a64_time(&changed, insn, 2, slots, &t);
		if (t.cycles != other[i].cycles + 1)
			fail_msg("%s=%s, %08x: %u cycles", other[i].key, other[i].value,
				 other[i].word, t.cycles);
	}
}

/*
 * After a taken branch the core needs 2 cycles to fetch, and 2 more if the branch is indirect.
 * Waits of the instructions before the branch are subtracted.
 */
static void test_taken_branches(void **state)
{
	static const struct {
		uint32_t cycles, n;
		uint32_t words[4];
	} blocks[] = {
		{ 3, 1, { 0x14000001 } },			  /* b */
		{ 3, 1, { 0x94000040 } },			  /* bl */
		{ 3, 1, { 0xd65f03c0 } },			  /* ret */
		{ 5, 1, { 0xd63f0120 } },			  /* blr x9 */
		{ 5, 1, { 0xd61f0120 } },			  /* br x9 */
		{ 1, 1, { 0x54000040 } },			  /* b.eq */
		{ 4, 3, { 0x91000463, 0x91000463, 0x14000001 } }, /* add x3, x3, #1 */
		{ 4, 4, { 0x91000463, 0x91000463, 0x91000463, 0x14000001 } },
	};
	struct pmk_core changed = core;
	char msg[200];

	(void)state;
	pmk_core_set(&changed, "fetch.taken", "2", msg, sizeof(msg));
	pmk_core_set(&changed, "fetch.indirect", "2", msg, sizeof(msg));
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct pmk_pipe_slot slots[4];
		struct pmk_a64_timing t;
		struct pmk_insn insn[4];

		decode_all(blocks[i].words, blocks[i].n, insn);
		pmk_a64_time(&changed, insn, blocks[i].n, slots, &t);
		if (t.cycles != blocks[i].cycles)
			fail_msg("block %zu: %u cycles", i, t.cycles);
	}
}

static int set_up(void **state)
{
	(void)state;
	pmk_core_choose(&core, "a64", "");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_need_and_residue),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_busy_unit),
		cmocka_unit_test(test_restated),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_simple_second),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_latencies),
		cmocka_unit_test(test_taken_branches),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
