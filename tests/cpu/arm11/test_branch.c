// SPDX-License-Identifier: MIT
/*
 * The branch predictor. Prediction words (branch.h) are only a shortcut. A caller that uses them
 * must see the same mispredictions and cycles as with a plain table of 2-bit counters, which is
 * looked up at every branch. The test tries all short sequences of branches that share table
 * entries, long random sequences, and then the return stack.
 *
 * Rules: ARM1176JZF-S TRM (DDI 0301H) 5.1-5.3, 16.3 and table 16-11. Cycles used here: folded 0,
 * predicted by the table and not folded 1, static not taken 1, static taken 4, mispredicted 7.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/arm11/branch.h"
#include "cpu/block.h"
#include "cpu/config.h"
#include "unit.h"

static uint64_t seed = 88172645463325252u;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* ---- the plain model ----------------------------------------------------------------------- */

struct plain {
	int on, dynamic, fixed;
	unsigned entries;
	struct {
		int valid, counter; /* counter: 0 … 3; taken from 2 on */
		uint32_t addr;
	} entry[128];
};

/*
 * Predicts calls as taken unless they are conditional, and other branches if they are unconditional
 * or backward.
 */
static int plain_static(const struct pmk_block *b)
{
	if (b->flow == PMK_FLOW_CALL)
		return !b->conditional;
	return !b->conditional || b->target <= b->end_addr;
}

/* Runs one branch. Returns its cycles. *miss is true if the pipeline was flushed. */
static unsigned plain_run(struct plain *p, const struct pmk_block *b, int taken, int foldable,
			  int *miss)
{
	unsigned i = b->end_addr / 8 % p->entries;
	int hit = p->on && p->dynamic && p->entry[i].valid && p->entry[i].addr == b->end_addr;
	int say = hit ? p->entry[i].counter >= 2 : p->on && p->fixed && plain_static(b);

	*miss = say != taken;
	if (hit) {
		p->entry[i].counter += taken ? 1 : -1;
		if (p->entry[i].counter < 0)
			p->entry[i].counter = 0;
		if (p->entry[i].counter > 3)
			p->entry[i].counter = 3;
	} else if (taken && p->on && p->dynamic) {
		p->entry[i].valid = 1;
		p->entry[i].addr = b->end_addr;
		p->entry[i].counter = 2; /* weakly taken: our choice */
	}
	if (*miss)
		return 7;
	if (hit)
		return foldable ? 0 : 1;
	return taken ? 4 : 1;
}

/* ---- the predictor with its words, as the core uses it --------------------------------------- */

struct user {
	struct pmk_predictor p;
	uint8_t pred[64];
	unsigned pushes; /* calls that reached the return stack */
};

static unsigned user_run(struct user *u, const struct pmk_block *b, int taken, int *miss)
{
	unsigned word = u->pred[b->arm11.branch];
	struct pmk_prediction say;

	*miss = 0;
	if (!pmk_pred_differs(word, taken)) {
		pmk_pred_learn(&u->pred[b->arm11.branch], word, taken);
		return b->arm11.branch_cycles + pmk_pred_cycles(word);
	}
	if (taken && b->flow == PMK_FLOW_CALL)
		u->pushes++;
	if (word == PMK_PRED_CALL && taken)
		return b->arm11.branch_cycles;
	pmk_predictor_catch_up(&u->p, b, word);
	say = pmk_predictor_predict(&u->p, b);
	*miss = say.taken != taken;
	pmk_predictor_resolve(&u->p, u->pred, b, taken);
	if (*miss)
		return 7;
	if (say.dynamic)
		return b->arm11.branch_cycles;
	return taken ? 4 : 1;
}

struct both {
	struct plain plain;
	struct user user;
	unsigned calls;
};

static void both_init(struct both *both, int on, int dynamic, int fixed, unsigned entries)
{
	struct pmk_core core = { .bp.on = on,
				 .arm11.bp_dynamic = dynamic,
				 .arm11.bp_static = fixed,
				 .bp.entries = entries };

	memset(both, 0, sizeof(*both));
	both->plain.on = on;
	both->plain.dynamic = dynamic;
	both->plain.fixed = fixed;
	both->plain.entries = entries;
	assert_int_equal(pmk_predictor_init(&both->user.p, &core), 0);
}

static void both_fini(struct both *both)
{
	pmk_predictor_fini(&both->user.p);
}

/* Runs a branch in the plain model and in the predictor. Returns false if their results differ. */
static int both_run(struct both *both, const struct pmk_block *b, int taken)
{
	int m1, m2;
	unsigned c1 = plain_run(&both->plain, b, taken, b->arm11.branch_cycles == 0, &m1);
	unsigned c2 = user_run(&both->user, b, taken, &m2);

	both->calls += taken && b->flow == PMK_FLOW_CALL;
	return m1 == m2 && c1 == c2 && both->calls == both->user.pushes;
}

static void both_flush(struct both *both)
{
	memset(both->plain.entry, 0, sizeof(both->plain.entry));
	pmk_predictor_flush(&both->user.p, both->user.pred);
}

/* ---- all short sequences ------------------------------------------------------------------- */

/*
 * The table has 2 entries, which bit 3 of a branch's address selects. So branches whose addresses
 * differ by 16 share an entry. `branch_cycles` is 0 for a branch that may be folded, and 1 for a
 * call, which is never folded.
 */
#define JUMP(slot, at, to, cond)                                                                 \
	{                                                                                        \
		.arm11.branch = (slot), .end_addr = (at), .target = (to), .conditional = (cond), \
		.flow = PMK_FLOW_JUMP, .arm11.branch_cycles = 0,                                 \
	}
#define CALL(slot, at, to, cond)                                                                 \
	{                                                                                        \
		.arm11.branch = (slot), .end_addr = (at), .target = (to), .conditional = (cond), \
		.flow = PMK_FLOW_CALL, .arm11.branch_cycles = 1,                                 \
	}

static const struct pmk_block sets[][3] = {
	/* A backward and a forward branch share an entry; a third branch has another entry. */
	{ JUMP(2, 0x1000, 0x0800, true), JUMP(3, 0x1010, 0x2000, true),
	  JUMP(4, 0x1008, 0x800, true) },
	/* Two of the branches are in one double word, as in 16-bit code. */
	{ JUMP(2, 0x1000, 0x2000, true), JUMP(3, 0x1002, 0x2000, true), JUMP(4, 0x1004, 0, true) },
	/* Some of the branches are calls. */
	{ CALL(2, 0x1000, 0x2000, false), CALL(3, 0x1010, 0x400, true),
	  JUMP(4, 0x1020, 0x2000, true) },
	{ CALL(2, 0x1000, 0x2000, false), JUMP(3, 0x1010, 0x400, false),
	  JUMP(4, 0x1008, 0x1008, true) },
};

#define LENGTH 7

/*
 * Runs every sequence of `length` steps. A step is one of 3 branches with one of 2 outcomes, or a
 * flush.
 */
static void all_sequences(const struct pmk_block *b, int on, int dynamic, int fixed,
			  unsigned length)
{
	unsigned step[LENGTH] = { 0 };
	struct both both;

	for (;;) {
		unsigned k = 0;

		both_init(&both, on, dynamic, fixed, 2);
		for (unsigned i = 0; i < length; i++) {
			unsigned which = step[i] / 2, taken = step[i] % 2;

			if (step[i] == 6)
				both_flush(&both);
			else if (!both_run(&both, &b[which], taken || !b[which].conditional))
				fail_msg("they differ at step %u of %u%u%u%u%u%u%u", i, step[0],
					 step[1], step[2], step[3], step[4], step[5], step[6]);
		}
		both_fini(&both);
		while (k < length && ++step[k] == 7)
			step[k++] = 0;
		if (k == length)
			return;
	}
}

static void test_all_sequences(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		all_sequences(sets[i], 1, 1, 1, (i ? 6 : LENGTH) - !unit_is_large());
}

static void test_all_sequences_other_settings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		all_sequences(sets[i], 1, 1, 0, 5); /* without static prediction */
		all_sequences(sets[i], 1, 0, 1, 4); /* only static prediction */
		all_sequences(sets[i], 1, 0, 0, 4); /* without either */
		all_sequences(sets[i], 0, 1, 1, 4); /* prediction is off */
	}
}

/*
 * Forty branches of all kinds on tables of several sizes; each has its own probability of being
 * taken.
 */
static void test_random_sequences(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		struct pmk_block b[40];
		unsigned habit[40];
		struct both both;

		both_init(&both, round % 8 != 7, round % 5 != 4, round % 3 != 2, 2u << round % 7);
		for (unsigned i = 0; i < 40; i++) {
			b[i] = (struct pmk_block){ .arm11.branch = PMK_BRANCH_FIRST + i,
						   .end_addr = 0xFFFFF000 + 4 * (i * 7 + pick(7)),
						   .target = 0xFFFFF000 + 4 * pick(300),
						   .conditional = pick(4),
						   .flow = pick(4) ? PMK_FLOW_JUMP
								   : PMK_FLOW_CALL };
			b[i].arm11.branch_cycles = b[i].flow == PMK_FLOW_CALL || pick(8) == 0;
			habit[i] = pick(101);
		}
		for (unsigned step = 0; step < 20000; step++) {
			unsigned i = pick(40);

			if (pick(700) == 0)
				both_flush(&both);
			assert_true(
				both_run(&both, &b[i], !b[i].conditional || pick(100) < habit[i]));
		}
		both_fini(&both);
	}
}

/* ---- by hand ------------------------------------------------------------------------------- */

/*
 * In a loop of 100 rounds, the static prediction of the backward branch is correct, and the exit is
 * the only misprediction. With prediction off, every taken branch is a misprediction (DAI 0195B
 * section 5).
 */
static void test_loop_by_hand(void **state)
{
	static const struct {
		int on, dynamic, fixed;
		unsigned misses, second; /* mispredictions in the first and second run */
	} rows[] = {
		{ 1, 1, 1, 1, 1 },   { 1, 0, 1, 1, 1 },	  { 1, 1, 0, 2, 1 },
		{ 0, 1, 1, 99, 99 }, { 1, 0, 0, 99, 99 },
	};
	static const struct pmk_block loop = JUMP(2, 0x8020, 0x8000, true);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned misses[2] = { 0, 0 };
		struct both both;
		int miss;

		both_init(&both, rows[i].on, rows[i].dynamic, rows[i].fixed, 128);
		for (unsigned n = 0; n < 200; n++) {
			user_run(&both.user, &loop, n % 100 != 99, &miss);
			misses[n / 100] += (unsigned)miss;
		}
		assert_int_equal(misses[0], rows[i].misses);
		assert_int_equal(misses[1], rows[i].second);
		both_fini(&both);
	}
}

/*
 * VA[9:3] selects one of 128 entries, so branches 1024 bytes apart share an entry, and branches 512
 * bytes apart do not.
 */
static void test_index(void **state)
{
	static const struct pmk_block a = JUMP(2, 0x8000, 0x9000, true);
	static const struct pmk_block same = JUMP(3, 0x8400, 0x9000, true);
	static const struct pmk_block other = JUMP(4, 0x8200, 0x9000, true);
	struct both both;

	(void)state;
	both_init(&both, 1, 1, 1, 128);
	pmk_predictor_resolve(&both.user.p, both.user.pred, &a, true);
	assert_true(pmk_predictor_predict(&both.user.p, &a).dynamic);
	assert_true(pmk_predictor_predict(&both.user.p, &a).taken);
	pmk_predictor_resolve(&both.user.p, both.user.pred, &other, true);
	assert_true(pmk_predictor_predict(&both.user.p, &a).dynamic);
	pmk_predictor_resolve(&both.user.p, both.user.pred, &same, false); /* not taken: no entry */
	assert_true(pmk_predictor_predict(&both.user.p, &a).dynamic);
	pmk_predictor_resolve(&both.user.p, both.user.pred, &same, true);
	assert_false(pmk_predictor_predict(&both.user.p, &a).dynamic);
	assert_false(pmk_predictor_predict(&both.user.p, &a).taken);
	assert_true(pmk_predictor_predict(&both.user.p, &same).dynamic);
	both_flush(&both);
	assert_false(pmk_predictor_predict(&both.user.p, &same).dynamic);
	both_fini(&both);
}

/*
 * The predictor never writes the first two words, which belong to no branch. Word 0 is for blocks
 * that end without a branch. Word 1 is for branches that must always be looked up.
 */
static void test_words_of_no_branch(void **state)
{
	static const struct pmk_block slow = JUMP(1, 0x8000, 0x7000, true);
	struct both both;

	(void)state;
	both_init(&both, 1, 1, 1, 128);
	both.user.pred[0] = PMK_PRED_NOT_TAKEN;
	for (unsigned i = 0; i < 6; i++)
		pmk_predictor_resolve(&both.user.p, both.user.pred, &slow, true);
	both_flush(&both);
	assert_int_equal(both.user.pred[0], PMK_PRED_NOT_TAKEN);
	assert_int_equal(both.user.pred[1], PMK_PRED_LOOK);
	assert_int_not_equal(pmk_pred_differs(PMK_PRED_LOOK, 0), 0);
	assert_int_not_equal(pmk_pred_differs(PMK_PRED_LOOK, 1), 0);
	assert_int_not_equal(pmk_pred_differs(PMK_PRED_CALL, 0), 0);
	assert_int_not_equal(pmk_pred_differs(PMK_PRED_CALL, 1), 0);
	both_fini(&both);
}

/* ---- return stack -------------------------------------------------------------------------- */

/* The return stack has three entries (DDI 0301H 16.3): the fourth push overwrites the first. */
static void test_return_stack_overwrites(void **state)
{
	struct pmk_return_stack rs = { .size = 3 };
	uint32_t addr = 0;

	(void)state;
	assert_false(pmk_return_pop(&rs, &addr));
	for (uint32_t i = 1; i <= 4; i++)
		pmk_return_push(&rs, 0x100 * i);
	for (uint32_t i = 4; i >= 2; i--) {
		assert_true(pmk_return_pop(&rs, &addr));
		assert_int_equal(addr, 0x100 * i);
	}
	assert_false(pmk_return_pop(&rs, &addr));
	pmk_return_push(&rs, 0x700); /* an empty stack still works */
	assert_true(pmk_return_pop(&rs, &addr));
	assert_int_equal(addr, 0x700);
}

static void test_return_stack_undo(void **state)
{
	struct pmk_return_stack rs = { .size = 3 };
	uint32_t addr = 0;

	(void)state;
	pmk_return_push(&rs, 0x100);
	pmk_return_push(&rs, 0x200);
	assert_true(pmk_return_pop(&rs, &addr));
	pmk_return_undo(&rs);
	assert_true(pmk_return_pop(&rs, &addr));
	assert_int_equal(addr, 0x200);
	assert_true(pmk_return_pop(&rs, &addr));
	assert_int_equal(addr, 0x100);
	pmk_return_undo(&rs); /* also undoes the pop of the last entry */
	assert_true(pmk_return_pop(&rs, &addr));
	assert_int_equal(addr, 0x100);
	assert_false(pmk_return_pop(&rs, &addr));
}

/* For every size, the stack equals a list that drops its oldest entry. */
static void test_return_stack_random(void **state)
{
	(void)state;
	for (unsigned size = 1; size <= 16; size++) {
		struct pmk_return_stack rs = { .size = size };
		uint32_t list[16];
		unsigned n = 0;

		for (unsigned i = 0; i < 20000; i++) {
			uint32_t addr = i;

			if (pick(2)) {
				if (n == size)
					memmove(list, list + 1, --n * sizeof(list[0]));
				list[n++] = i;
				pmk_return_push(&rs, i);
				continue;
			}
			assert_int_equal(pmk_return_pop(&rs, &addr), n > 0);
			if (!n)
				continue;
			assert_int_equal(addr, list[n - 1]);
			if (pick(3))
				n--;
			else
				pmk_return_undo(&rs);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_sequences),
		cmocka_unit_test(test_all_sequences_other_settings),
		cmocka_unit_test(test_random_sequences),
		cmocka_unit_test(test_loop_by_hand),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_words_of_no_branch),
		cmocka_unit_test(test_return_stack_overwrites),
		cmocka_unit_test(test_return_stack_undo),
		cmocka_unit_test(test_return_stack_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
