/* SPDX-License-Identifier: MIT */
/*
 * Branch prediction: the branch target address cache (BTAC), the static rules and the return stack.
 * ARM1176JZF-S TRM 5.1-5.3 and 16.3 (table 16-11).
 *
 * The BTAC is the dynamic predictor for branches with a constant offset. It is a direct-mapped
 * table of 2-bit counters; with 128 entries, its index is VA[9:3]. The static rules predict a
 * branch that has no entry. A branch gets an entry when it is resolved as taken. The new entry says
 * "weakly taken" (our choice).
 *
 * For speed, the present prediction of each branch is also kept in a byte, the prediction word. The
 * word contains the state of the branch's entry and learns the outcomes. The entry itself is only
 * updated before something else reads it: see pmk_predictor_catch_up().
 */
#ifndef PMK_CPU_ARM11_BRANCH_H
#define PMK_CPU_ARM11_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

struct pmk_block;
struct pmk_core;

/*
 * The values of a prediction word:
 *
 * - PMK_PRED_LOOK: the branch takes the slow path. The value is 0, as in a word that was never
 *   written.
 * - PMK_PRED_STATE plus the state in the low two bits. States 2 and 3 predict that the branch is
 *   taken. A branch without an entry that is predicted not taken has state 0.
 *
 * Some words have more bits:
 *
 * - PMK_PRED_HELD is set if the branch has an entry and the core has a clock.
 * - PMK_PRED_CYCLE is set if a branch without an entry takes one more cycle than its block
 *   includes.
 * - PMK_PRED_PUSHES is set if the branch is a call. On a core with a clock, a call that is
 *   predicted taken has PMK_PRED_CALL instead of the state, or PMK_PRED_LOOK while the state is
 *   weak, because the call must push the return stack.
 */
enum {
	PMK_PRED_LOOK = 0,
	PMK_PRED_STATE = 4,
	PMK_PRED_PUSHES = 8,
	PMK_PRED_HELD = 16,
	PMK_PRED_CYCLE = 32,
	/*
	 * The word of a branch that is predicted not taken, and the word of a call that is
	 * predicted taken.
	 */
	PMK_PRED_NOT_TAKEN = PMK_PRED_STATE,
	PMK_PRED_CALL = PMK_PRED_HELD | PMK_PRED_PUSHES | 3,
};

/* Returns 0 if a branch with this word was predicted correctly. `taken` is its outcome: 1 or 0. */
static inline uint64_t pmk_pred_differs(uint64_t word, uint64_t taken)
{
	return (word ^ (PMK_PRED_STATE + 3 * taken)) & (PMK_PRED_STATE | 2);
}

/*
 * Returns 0 if a branch with this word was predicted correctly and has nothing to learn, because
 * its state is a strong one.
 */
static inline uint64_t pmk_pred_changes(uint64_t word, uint64_t taken)
{
	return (word ^ (PMK_PRED_STATE + 3 * taken)) & (PMK_PRED_STATE | 3);
}

/* Returns the cycles to add for a branch with this word that was predicted correctly. */
static inline uint64_t pmk_pred_cycles(uint64_t word)
{
	return word / PMK_PRED_CYCLE;
}

/* Learns that the prediction was correct: state 1 becomes 0, and state 2 becomes 3. Most words are
 * already in a strong state, and are not stored again: the next read of such a word would have to
 * wait for the store. */
static inline void pmk_pred_learn(uint8_t *own, uint64_t word, uint64_t taken)
{
	if (__builtin_expect((word ^ taken) & 1, 0))
		*own = (uint8_t)(word ^ 1);
}

/*
 * Returns 0 if a branch with this word is not a call, its state is a strong one, and it was
 * predicted correctly. `taken` is its outcome. Used without a clock.
 */
static inline uint64_t pmk_state_differs(uint64_t word, uint64_t taken)
{
	return word ^ (PMK_PRED_STATE + 3 * taken);
}

/*
 * Called if pmk_state_differs() is not 0. Returns true if the slow path must do more than learn the
 * outcome: the word is PMK_PRED_LOOK, the branch is taken although its state predicts that it is
 * not, so its shadow (the code after it) is fetched, or a call is taken and pushes the return
 * stack.
 */
static inline bool pmk_state_looks(uint64_t word, uint64_t taken)
{
	return !(word & PMK_PRED_STATE) || (taken && (word & (PMK_PRED_PUSHES | 2)) != 2);
}

static inline uint8_t pmk_state_next(uint64_t word, uint64_t taken)
{
	return (uint8_t)(taken ? word | 3 : word - ((word & 3) != 0));
}

struct pmk_btac_entry {
	uint32_t addr;	 /* address of the branch */
	uint32_t branch; /* index of the branch's prediction word; 0: empty entry */
	uint8_t state;	 /* 0 strongly not taken … 3 strongly taken */
};

struct pmk_predictor {
	struct pmk_btac_entry *entry;
	uint32_t mask;
	/* `on`: SCTLR.Z. `dynamic` and `fixed`: ACTLR.DB and ACTLR.SB, if SCTLR.Z is set. */
	bool on, dynamic, fixed;
	bool timeless;	 /* the core has no clock */
	bool wrong_path; /* code on a mispredicted path is fetched */
};

/* Returns true if the static rules predict that the direct branch that ends `b` is taken. */
bool pmk_predictor_static_rule(const struct pmk_block *b);

/* Returns 0 or PMK_ENOMEM. */
int pmk_predictor_init(struct pmk_predictor *p, const struct pmk_core *core);
void pmk_predictor_fini(struct pmk_predictor *p);
/* Flushes the BTAC. The words of branches that had an entry become PMK_PRED_LOOK. They are computed
 * again when the branches run next. */
void pmk_predictor_flush(struct pmk_predictor *p, uint8_t *pred);

/* Returns the word of a branch that has no entry. */
uint8_t pmk_predictor_initial(const struct pmk_predictor *p, const struct pmk_block *b);

/* Copies the state in `word`, the word of the branch that ends `b`, to the BTAC entry of this
 * branch, if it has one. */
void pmk_predictor_catch_up(struct pmk_predictor *p, const struct pmk_block *b, uint64_t word);

/* The prediction for a direct branch when it was fetched. */
struct pmk_prediction {
	bool taken;
	bool dynamic; /* predicted by an entry, not by the static rules */
};

/* Predicts the direct branch that ends `b`, before its outcome is known. */
struct pmk_prediction pmk_predictor_predict(const struct pmk_predictor *p,
					    const struct pmk_block *b);
/*
 * Learns the outcome of the branch that ends `b`. Rewrites the word of this branch, and the word of
 * the branch whose entry it evicts.
 */
void pmk_predictor_resolve(struct pmk_predictor *p, uint8_t *pred, const struct pmk_block *b,
			   bool taken);

/* Returns the only entry of the BTAC that the branch at `addr` can have: its index is VA[9:3] if
 * there are 128 entries (TRM 16.3). This function and the next two are inline, because every branch
 * without a strong prediction calls them. */
static inline struct pmk_btac_entry *pmk_predictor_slot(const struct pmk_predictor *p,
							uint32_t addr)
{
	return &p->entry[addr >> 3 & p->mask];
}

static inline bool pmk_btac_holds(const struct pmk_btac_entry *e, uint32_t addr, uint32_t branch)
{
	return e->branch == branch && e->addr == addr;
}

/*
 * Gives the entry `e` to a branch that was taken and has no entry. Its state is "weakly taken". If
 * another branch had the entry, the word of that branch becomes PMK_PRED_LOOK.
 */
static inline void pmk_predictor_allocate(struct pmk_btac_entry *e, uint8_t *pred, uint32_t addr,
					  uint32_t branch)
{
	if (e->branch)
		pred[e->branch] = PMK_PRED_LOOK;
	*e = (struct pmk_btac_entry){ .addr = addr, .branch = branch, .state = 2 };
}

#define PMK_RETURN_STACK_MAX 16

struct pmk_return_stack {
	uint32_t addr[PMK_RETURN_STACK_MAX];
	uint32_t top, count, size;
};

/* Pushes a return address. This function and the next two are inline, because every call and return
 * of the program comes here. */
static inline void pmk_return_push(struct pmk_return_stack *rs, uint32_t addr)
{
	rs->top = rs->top + 1 == rs->size ? 0 : rs->top + 1;
	rs->addr[rs->top] = addr;
	rs->count += rs->count < rs->size;
}

/* Pops a return address. Returns false if the stack is empty. */
static inline bool pmk_return_pop(struct pmk_return_stack *rs, uint32_t *addr)
{
	if (!rs->count)
		return false;
	*addr = rs->addr[rs->top];
	rs->top = rs->top ? rs->top - 1 : rs->size - 1;
	rs->count--;
	return true;
}

/* Puts the address of the last pop back (TRM, event 0x26). */
static inline void pmk_return_undo(struct pmk_return_stack *rs)
{
	rs->top = rs->top + 1 == rs->size ? 0 : rs->top + 1;
	rs->count++;
}

#endif
