/* SPDX-License-Identifier: MIT */
/*
 * The branch predictor of an A64 core. A table of two-bit counters and the outcomes of earlier
 * branches (global history) predict the direction of conditional branches. The target of an
 * indirect branch is predicted to be its last one. Returns are predicted by the return stack. The
 * sizes of the Cortex-A53's predictor are from DDI 0500 2.1.1. Those of the Cortex-A72 are not
 * published (TRM 100095 6.5).
 *
 * No document says how the tables are indexed, so the following is our choice. The index of a
 * counter is the word address of the branch modulo the number of counters, exclusive-or the
 * history, whose newest outcome is bit 0. To keep the index in range, the number of counters is 2^n
 * or, as 3072, a multiple of 2^bp.history. The index of an indirect target is the word address of
 * the branch, exclusive-or a history of earlier targets. For each target, the history is shifted
 * left by two bits, and the target's word address is added by exclusive-or. It has
 * `bp.indirect_history` bits: none on the Cortex-A53, whose manual calls the table a branch target
 * address cache. No entry has a tag.
 *
 * The model leaves out three things. A real core updates the history before an outcome is known.
 * The Cortex-A72 has a buffer of the targets of direct branches; the model always knows these
 * targets. The Cortex-A53 has a bubble after a taken branch, unless its branch target instruction
 * cache fills it.
 */
#ifndef PMK_CPU_A64_PREDICT_H
#define PMK_CPU_A64_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_A64_MAX_COUNTERS	 4096
#define PMK_A64_MAX_RETURN_STACK 16

struct pmk_core;

struct pmk_a64_predictor {
	uint8_t counter[PMK_A64_MAX_COUNTERS]; /* 0, 1: not taken; 2, 3: taken */
	uint64_t history, history_mask;
	uint64_t *target; /* the last targets of indirect branches; 0: none */
	uint32_t target_mask;
	uint32_t path, path_mask; /* the history that selects an entry of `target` */
	uint64_t stack[PMK_A64_MAX_RETURN_STACK];
	uint32_t stack_size, top, depth; /* stack_size 0: no return stack */
};

/* The prediction for the target of a branch: none, the right address, or a wrong one. */
enum pmk_a64_said { PMK_A64_SAID_NOTHING, PMK_A64_SAID_RIGHT, PMK_A64_SAID_WRONG };

/* Returns 0 or PMK_ENOMEM. */
int pmk_a64_predictor_init(struct pmk_a64_predictor *p, const struct pmk_core *core);
void pmk_a64_predictor_fini(struct pmk_a64_predictor *p);

/* pmk_a64_counters_fit() returns true if a table can have `bp.entries` counters and `bp.history`
 * bits of history. pmk_a64_counter_of() returns the index of a branch's counter, before the history
 * is applied. */
bool pmk_a64_counters_fit(const struct pmk_core *core);
uint32_t pmk_a64_counter_of(const struct pmk_core *core, uint64_t branch);

/*
 * Predict a conditional branch that was taken (1) or not (0), and learn its outcome. `counter` is
 * the value of pmk_a64_counter_of() for the branch. Returns 1 if the prediction was wrong,
 * otherwise 0. The function is inline, because every conditional branch of the program comes here,
 * and has no branches, because the host could not predict them better than the program's branch.
 */
static inline uint64_t pmk_a64_predict_direction(struct pmk_a64_predictor *p, uint32_t counter,
						 uint64_t taken)
{
	/* The next value of a counter of 0 to 3 after a branch that was not taken, and after a
	 * taken branch. */
	static const uint8_t next[2][4] = { { 0, 0, 1, 2 }, { 1, 2, 3, 3 } };
	uint64_t history = p->history;
	uint8_t *c = &p->counter[counter ^ history];
	uint64_t state = *c;

	*c = next[taken][state];
	p->history = (history << 1 | taken) & p->history_mask;
	return state >> 1 ^ taken;
}

/*
 * Learn that an indirect branch other than a return went to `target`. Returns what the prediction
 * was.
 */
enum pmk_a64_said pmk_a64_predict_indirect(struct pmk_a64_predictor *p, uint64_t branch,
					   uint64_t target);

void pmk_a64_predict_call(struct pmk_a64_predictor *p, uint64_t fall);
/* Learn that a return went to `target`. Returns what the prediction was. */
enum pmk_a64_said pmk_a64_predict_return(struct pmk_a64_predictor *p, uint64_t target);

/* Stores the predicted target of the next return. Returns false if there is no prediction. */
static inline bool pmk_a64_expected_return(const struct pmk_a64_predictor *p, uint64_t *target)
{
	*target = p->stack[p->top];
	return p->depth > 0;
}

#endif
