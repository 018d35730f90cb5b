// SPDX-License-Identifier: MIT
/*
 * The pipeline of an ARM926EJ-S: instructions take the cycles of the examples and tables of DDI
 * 0165B chapter 8 (the ARM9E-S). Encodings are those of the GNU assembler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/arm9/arm9.h"
#include "cpu/block.h"

#define MAX 8

struct row {
	int line;
	const char *text;
	uint32_t word[MAX];
	unsigned n, cycles, stall;
};

static struct pmk_pipe_block time_words(const uint32_t *word, unsigned n)
{
	struct pmk_isa_arm *isa = pmk_isa_arm_new();
	struct pmk_pipe_slot slots[MAX];
	struct pmk_insn insn[MAX];
	struct pmk_pipe_block b;

	assert_non_null(isa);
	for (unsigned i = 0; i < n; i++)
		pmk_isa_arm_decode(isa, false, 0x8000 + 4 * i, &word[i], 4, &insn[i]);
	pmk_arm9_pipeline_time(NULL, insn, n, slots, &b);
	pmk_isa_arm_free(isa);
	return b;
}

static void test_runs(void **state)
{
	static const struct row rows[] = {
		{ __LINE__, "add; add", { 0xe0810002, 0xe0830000 }, 2, 2, 0 },
		/* An operand shifted by a register takes a second cycle. */
		{ __LINE__, "add r0, r1, r2, lsl r3", { 0xe0810312 }, 1, 2, 0 },
		/*
		 * A loaded word can be used one cycle later. With another instruction in between
		 * there is no wait.
		 */
		{ __LINE__, "ldr r0, [r1]; add r2, r0, r3", { 0xe5910000, 0xe0802003 }, 2, 3, 1 },
		{ __LINE__,
		  "ldr r0, [r1]; nop; add",
		  { 0xe5910000, 0xe1a00000, 0xe0802003 },
		  3,
		  4,
		  1 },
		{ __LINE__,
		  "ldr r0; mov r8, r8; add",
		  { 0xe5910000, 0xe1a08008, 0xe0802003 },
		  3,
		  3,
		  0 },
		/* A loaded byte can be used two cycles later. A second user does not wait again. */
		{ __LINE__,
		  "ldrb r0; add r2, r0; add r4, r0",
		  { 0xe5d10001, 0xe0802003, 0xe0804005 },
		  3,
		  5,
		  2 },
		/* A multiplication in between takes two cycles. */
		{ __LINE__,
		  "ldrb r0; mul r6, r7, r8; add r4, r0",
		  { 0xe5d10000, 0xe0060897, 0xe0804005 },
		  3,
		  4,
		  0 },
		/* If the loaded word is stored or accumulated, it can be used one cycle later. */
		{ __LINE__, "ldr r0; str r0", { 0xe5910000, 0xe5820000 }, 2, 3, 1 },
		{ __LINE__, "ldr r0; mla r2, r3, r4, r0", { 0xe5910000, 0xe0220493 }, 2, 4, 1 },
		/* A base that was written back is available at once. */
		{ __LINE__, "ldr r0, [r1], #4; ldr r2, [r1]", { 0xe4910004, 0xe5912000 }, 2, 2, 0 },
		/*
		 * A multiplication takes two cycles, and its user waits one, unless the user
		 * accumulates the result.
		 */
		{ __LINE__, "mul r0, r1, r2; add r3, r0, r4", { 0xe0000291, 0xe0803004 }, 2, 4, 1 },
		{ __LINE__,
		  "mul r0, r1, r2; mla r3, r1, r2, r0",
		  { 0xe0000291, 0xe0230291 },
		  2,
		  4,
		  0 },
		{ __LINE__, "muls r0, r1, r2", { 0xe0100291 }, 1, 4, 0 },
		{ __LINE__, "umull r0, r1, r2, r3", { 0xe0810392 }, 1, 3, 0 },
		{ __LINE__, "umulls", { 0xe0910392 }, 1, 5, 0 },
		{ __LINE__,
		  "smulbb r0, r1, r2; add r3, r0, r4",
		  { 0xe1600281, 0xe0803004 },
		  2,
		  3,
		  1 },
		/*
		 * A load multiple loads one word per cycle and takes at least two cycles; its last
		 * register is one cycle late.
		 */
		{ __LINE__, "ldmia r0, {r1-r4}", { 0xe890001e }, 1, 4, 0 },
		{ __LINE__, "ldmia r0, {r1}", { 0xe8900002 }, 1, 2, 0 },
		{ __LINE__,
		  "ldmia r0, {r1-r4}; add r5, r4, r5",
		  { 0xe890001e, 0xe0845005 },
		  2,
		  6,
		  1 },
		{ __LINE__,
		  "ldmia r0, {r1-r4}; add r5, r3, r5",
		  { 0xe890001e, 0xe0835005 },
		  2,
		  5,
		  0 },
		{ __LINE__, "stmia r0, {r1-r4}", { 0xe880001e }, 1, 4, 0 },
		{ __LINE__, "ldrd r4, [r0]", { 0xe1c040d0 }, 1, 2, 0 },
		{ __LINE__,
		  "swp r0, r1, [r2]; add r3, r0, r4",
		  { 0xe1020091, 0xe0803004 },
		  2,
		  4,
		  1 },
		/* The pipeline does not time the branch itself. */
		{ __LINE__, "subs r3, r3, #1; b .", { 0xe2533001, 0xeafffffe }, 2, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_pipe_block b = time_words(rows[i].word, rows[i].n);

		if (b.cycles != rows[i].cycles || b.data_stall != rows[i].stall)
			fail_msg("line %d: %s: %u cycles, %u of them waiting", rows[i].line,
				 rows[i].text, b.cycles, b.data_stall);
	}
}

/* Two blocks take the same cycles as one, because the first passes its state to the second. */
static void test_seams(void **state)
{
	static const uint32_t ldr = 0xe5910000, ldrb = 0xe5d10001, mul = 0xe0000291;
	static const uint32_t add = 0xe0802003, mov = 0xe1a08008;
	const uint32_t second[] = { mov, add };

	(void)state;
	assert_int_equal(pmk_pipeline_edge(time_words(&ldr, 1).residue, time_words(&add, 1).need),
			 1);
	assert_int_equal(pmk_pipeline_edge(time_words(&ldrb, 1).residue, time_words(&add, 1).need),
			 2);
	assert_int_equal(pmk_pipeline_edge(time_words(&mul, 1).residue, time_words(&add, 1).need),
			 1);
	assert_int_equal(
		pmk_pipeline_edge(time_words(&ldrb, 1).residue, time_words(second, 2).need), 1);
	assert_int_equal(pmk_pipeline_edge(time_words(&ldr, 1).residue, time_words(second, 2).need),
			 0);
	assert_int_equal(pmk_pipeline_edge(time_words(&ldr, 1).residue, time_words(&mov, 1).need),
			 0);
	assert_int_equal(pmk_pipeline_edge(time_words(&add, 1).residue, time_words(&add, 1).need),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_seams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
