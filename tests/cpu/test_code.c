// SPDX-License-Identifier: MIT
/*
 * Numbers of blocks (pmk_code_add): the tests check which blocks are the same, which share a
 * branch, and what happens when code changes, or when no numbers are left. They do not check times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/arm11/arm11.h"
#include "cpu/code.h"
#include "unit.h"

static struct pmk_core core;
static struct pmk_code code;

static int setup(void **state)
{
	(void)state;
	pmk_core_defaults(&core);
	return pmk_code_init(&code, &core);
}

static int teardown(void **state)
{
	(void)state;
	pmk_code_fini(&code);
	pmk_code_fini(&code); /* may be called twice */
	return 0;
}

static struct pmk_insn nop_at(uint32_t addr)
{
	return (struct pmk_insn){ .addr = addr,
				  .size = 4,
				  .iclass = PMK_I_ALU,
				  .decoded = true,
				  .rd = -1,
				  .rd2 = -1,
				  .rn = -1,
				  .rm = -1,
				  .rs = -1,
				  .ra = -1 };
}

/* Adds a block of `n` instructions from `pc` on. The last one leaves by `flow` to `target`. */
static const struct pmk_block *add(uint32_t pc, unsigned n, enum pmk_flow flow, uint32_t target,
				   uint64_t hash)
{
	struct pmk_pipe_slot slots[16];
	struct pmk_insn insn[16];

	assert_true(n > 0 && n <= 16);
	for (unsigned i = 0; i < n; i++)
		insn[i] = nop_at(pc + 4 * i);
	if (flow != PMK_FLOW_NEXT) {
		insn[n - 1].iclass = PMK_I_BRANCH;
		insn[n - 1].flow = (uint8_t)flow;
		insn[n - 1].is_branch = true;
		insn[n - 1].target = target;
		insn[n - 1].conditional = flow == PMK_FLOW_JUMP;
	}
	return pmk_code_add(&code, insn, n, hash, false, slots);
}

static void test_same_block_same_number(void **state)
{
	const struct pmk_block *a = add(0x8000, 4, PMK_FLOW_JUMP, 0x8000, 11);
	const struct pmk_block *b = add(0x8010, 4, PMK_FLOW_NEXT, 0, 12);

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->id, 0);
	assert_int_equal(b->id, 1);
	assert_ptr_equal(add(0x8000, 4, PMK_FLOW_JUMP, 0x8000, 11), a);
	assert_ptr_equal(add(0x8010, 4, PMK_FLOW_NEXT, 0, 12), b);
	assert_int_equal(code.nblocks, 2);
	assert_ptr_equal(a, &code.block[0]);
	assert_int_equal(a->pc, 0x8000);
	assert_int_equal(a->end_addr, 0x800C);
	assert_int_equal(a->fall, 0x8010);
	assert_int_equal(a->facts.n[PMK_ARM11_FACT_INSN], 4);
	assert_int_equal(a->facts.n[PMK_ARM11_FACT_BRANCH], 1);
	assert_int_equal(b->facts.n[PMK_ARM11_FACT_BRANCH], 0);
}

/* Blocks differ if their start, their end or their bytes differ. */
static void test_what_tells_blocks_apart(void **state)
{
	const struct pmk_block *a = add(0x8000, 4, PMK_FLOW_NEXT, 0, 11);

	(void)state;
	assert_int_not_equal(add(0x8004, 3, PMK_FLOW_NEXT, 0, 11)->id, a->id);
	assert_int_not_equal(add(0x8000, 3, PMK_FLOW_NEXT, 0, 11)->id, a->id);
	assert_int_not_equal(add(0x8000, 4, PMK_FLOW_NEXT, 0, 99)->id, a->id);
	assert_int_equal(code.nblocks, 4);
	/* All four blocks are found again. */
	assert_int_equal(add(0x8000, 4, PMK_FLOW_NEXT, 0, 11)->id, 0);
	assert_int_equal(add(0x8004, 3, PMK_FLOW_NEXT, 0, 11)->id, 1);
	assert_int_equal(add(0x8000, 3, PMK_FLOW_NEXT, 0, 11)->id, 2);
	assert_int_equal(add(0x8000, 4, PMK_FLOW_NEXT, 0, 99)->id, 3);
}

/*
 * The slots of a known block are still filled, because the translation that requests it needs them.
 */
static void test_slots_of_a_known_block(void **state)
{
	struct pmk_pipe_slot first[3], again[3];
	struct pmk_insn insn[3] = { nop_at(0x8000), nop_at(0x8004), nop_at(0x8008) };

	(void)state;
	memset(first, 0x11, sizeof(first));
	memset(again, 0x22, sizeof(again));
	pmk_code_add(&code, insn, 3, 5, false, first);
	pmk_code_add(&code, insn, 3, 5, false, again);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(first[i].issue, again[i].issue);
		assert_int_equal(first[i].use, again[i].use);
	}
}

static void test_predictor_slots(void **state)
{
	const struct pmk_block *a = add(0x8000, 4, PMK_FLOW_JUMP, 0x9000, 1);
	const struct pmk_block *mid = add(0x8008, 2, PMK_FLOW_JUMP, 0x9000, 2);
	const struct pmk_block *end = add(0x800C, 1, PMK_FLOW_JUMP, 0x9000, 3);
	const struct pmk_block *other = add(0x8010, 1, PMK_FLOW_CALL, 0x9000, 4);

	(void)state;
	/*
	 * `branch` is 0 for a block without a branch, and 1 for a branch that must always be looked
	 * up. From 2 on it is the number of the branch's own word.
	 */
	assert_true(a->arm11.branch >= 2);
	assert_int_equal(mid->arm11.branch,
			 a->arm11.branch); /* starts in the middle of `a`, has its branch */
	assert_int_equal(end->arm11.branch, a->arm11.branch);
	assert_true(other->arm11.branch >= 2);
	assert_int_not_equal(other->arm11.branch, a->arm11.branch);
	assert_int_equal(add(0x8100, 2, PMK_FLOW_NEXT, 0, 5)->arm11.branch, 0);
	assert_int_equal(add(0x8200, 2, PMK_FLOW_INDIRECT, 0, 6)->arm11.branch, 1);
	assert_int_equal(add(0x8300, 2, PMK_FLOW_INDCALL, 0, 7)->arm11.branch, 1);
	assert_int_equal(add(0x8400, 2, PMK_FLOW_RETURN, 0, 8)->arm11.branch, 1);
	assert_int_equal(add(0x8500, 2, PMK_FLOW_EXCEPTION, 0, 9)->arm11.branch, 1);
	assert_int_equal(add(0x8600, 2, PMK_FLOW_MODE, 0, 10)->arm11.branch, 1);
	assert_int_equal(code.nbranches, 4);
}

/* Exception vectors and blocks with maintenance operations always take the slow path. */
static void test_blocks_that_are_always_looked_at(void **state)
{
	static const uint8_t ops[] = { PMK_SYS_BTAC_FLUSH, PMK_SYS_ICACHE_INV, PMK_SYS_TLB };
	struct pmk_pipe_slot slots[2];
	const struct pmk_block *b;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct pmk_insn insn[2] = { nop_at(0x8000 + 8 * i), nop_at(0x8004 + 8 * i) };

		insn[0].sysop = ops[i];
		b = pmk_code_add(&code, insn, 2, 1, false, slots);
		assert_true(b->disturbs);
		assert_int_equal(b->arm11.branch, 1);
	}
	struct pmk_insn insn[1] = { nop_at(0xFFFF0018) };

	b = pmk_code_add(&code, insn, 1, 1, true, slots);
	assert_true(b->vector);
	assert_int_equal(b->arm11.branch, 1);
	insn[0] = nop_at(0xFFFF0100);
	insn[0].sysop = PMK_SYS_DSB; /* a barrier that only drains the write buffer */
	b = pmk_code_add(&code, insn, 1, 1, false, slots);
	assert_false(b->disturbs || b->vector);
	assert_int_equal(b->arm11.branch, 0);
	assert_int_equal(b->facts.n[PMK_ARM11_FACT_DRAIN], 1);
}

/*
 * If code is overwritten, the old block keeps its number and counts, and the new block gets another
 * number.
 */
static void test_other_bytes(void **state)
{
	const struct pmk_block *old = add(0x8000, 4, PMK_FLOW_JUMP, 0x9000, 1), was = *old, *new;

	(void)state;
	new = add(0x8000, 4, PMK_FLOW_JUMP, 0xA000, 2);
	assert_int_not_equal(new->id, old->id);
	assert_int_equal(new->target, 0xA000);
	assert_memory_equal(old, &was, sizeof(was));
	assert_ptr_equal(add(0x8000, 4, PMK_FLOW_JUMP, 0x9000, 1), old);
	new = add(0x8000, 4, PMK_FLOW_NEXT, 0, 3); /* now without a branch at this place */
	assert_int_equal(new->arm11.branch, 0);
	new = add(0x8000, 4, PMK_FLOW_RETURN, 0, 4);
	assert_int_equal(new->arm11.branch, 1);
}

/*
 * A call that replaces a jump must not use the jump's word, because "taken, nothing to do" would
 * not push the return address.
 */
static void test_other_branch_at_the_same_address(void **state)
{
	const struct pmk_block *jump = add(0x8000, 4, PMK_FLOW_JUMP, 0x9000, 1);
	const struct pmk_block *call = add(0x8000, 4, PMK_FLOW_CALL, 0x9000, 2);

	(void)state;
	assert_true(call->arm11.branch == 1 || call->arm11.branch != jump->arm11.branch);
	/* Each block still has its own number. */
	assert_int_equal(add(0x8008, 2, PMK_FLOW_JUMP, 0x9000, 3)->arm11.branch,
			 jump->arm11.branch);
	assert_int_equal(add(0x8008, 2, PMK_FLOW_CALL, 0x9000, 4)->arm11.branch,
			 call->arm11.branch);
}

/*
 * Blocks are distinguished if their addresses share an entry of the tables (4 MB apart), and at the
 * ends of the address space.
 */
static void test_collisions(void **state)
{
	const struct pmk_block *b[64];

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		b[i] = add(0x00400000 * i, 3, PMK_FLOW_JUMP, 0, i);
	for (uint32_t i = 0; i < 64; i++) {
		assert_int_equal(b[i]->id, i);
		assert_int_equal(b[i]->arm11.branch, i + 2);
		assert_ptr_equal(add(0x00400000 * i, 3, PMK_FLOW_JUMP, 0, i), b[i]);
	}
	assert_int_equal(add(0xFFFFFFF8, 2, PMK_FLOW_JUMP, 0, 1)->fall, 0);
}

/*
 * There are 2^20 numbers and 2^20 - 2 branches. When they are used up, pmk reports this and
 * continues with the known blocks.
 */
static void test_no_numbers_left(void **state)
{
	const struct pmk_block *b = NULL;
	const uint32_t n = UNIT_SAMPLES(UINT32_C(1) << 20);

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		b = add(8 * i, 1, PMK_FLOW_JUMP, 0, 1);
		assert_non_null(b);
		assert_int_equal(b->id, i);
		assert_int_equal(b->arm11.branch, i < (UINT32_C(1) << 20) - 2 ? i + 2 : 1);
	}
	if (unit_is_large()) {
		assert_null(add(0xF0000000, 1, PMK_FLOW_JUMP, 0, 1));
		assert_null(add(0, 1, PMK_FLOW_JUMP, 0, 2));
	}
	b = add(8 * 777, 1, PMK_FLOW_JUMP, 0, 1);
	assert_non_null(b);
	assert_int_equal(b->id, 777);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_same_block_same_number, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_tells_blocks_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slots_of_a_known_block, setup, teardown),
		cmocka_unit_test_setup_teardown(test_predictor_slots, setup, teardown),
		cmocka_unit_test_setup_teardown(test_blocks_that_are_always_looked_at, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_other_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_branch_at_the_same_address, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_collisions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_numbers_left, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
