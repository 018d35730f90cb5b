// SPDX-License-Identifier: MIT
/*
 * The branch predictor. See branch.h.
 *
 * Speculative updates are not modelled. Nor is it modelled that a BTAC entry gives one prediction
 * for a fetch of 64 bits. But in the model, too, two branches in one double word evict each other,
 * because they have the same entry.
 */
#include "cpu/arm11/branch.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/block.h"

int pmk_predictor_init(struct pmk_predictor *p, const struct pmk_core *core)
{
	*p = (struct pmk_predictor){
		.entry = calloc(core->bp.entries, sizeof(*p->entry)),
		.mask = (uint32_t)core->bp.entries - 1,
		.on = core->bp.on,
		.dynamic = core->bp.on && core->arm11.bp_dynamic,
		.fixed = core->bp.on && core->arm11.bp_static,
		.timeless = core->timeless,
		.wrong_path = core->arm11.shadow > 1,
	};
	return p->entry ? 0 : PMK_ENOMEM;
}

void pmk_predictor_fini(struct pmk_predictor *p)
{
	free(p->entry);
	p->entry = NULL;
}

void pmk_predictor_flush(struct pmk_predictor *p, uint8_t *pred)
{
	for (uint32_t i = 0; i <= p->mask; i++) {
		if (p->entry[i].branch)
			pred[p->entry[i].branch] = PMK_PRED_LOOK;
		p->entry[i] = (struct pmk_btac_entry){ 0 };
	}
}

static struct pmk_btac_entry *entry_of(const struct pmk_predictor *p, const struct pmk_block *b)
{
	return pmk_predictor_slot(p, (uint32_t)b->end_addr);
}

static bool holds(const struct pmk_btac_entry *e, const struct pmk_block *b)
{
	return pmk_btac_holds(e, (uint32_t)b->end_addr, b->arm11.branch);
}

/*
 * The static rules. An unconditional branch is predicted taken. A conditional branch is predicted
 * taken if it is backward and not a call (TRM 5.3; ARM support article ka4162 says what is
 * backward).
 */
bool pmk_predictor_static_rule(const struct pmk_block *b)
{
	if (!b->conditional)
		return true;
	return b->flow == PMK_FLOW_JUMP && b->target <= b->end_addr;
}

struct pmk_prediction pmk_predictor_predict(const struct pmk_predictor *p,
					    const struct pmk_block *b)
{
	const struct pmk_btac_entry *e = entry_of(p, b);

	if (p->dynamic && holds(e, b))
		return (struct pmk_prediction){ .taken = e->state >= 2, .dynamic = true };
	return (struct pmk_prediction){ .taken = p->fixed && pmk_predictor_static_rule(b) };
}

uint8_t pmk_predictor_initial(const struct pmk_predictor *p, const struct pmk_block *b)
{
	/* Two kinds of branches always take the slow path: calls, which push the return stack, and
	 * branches that are statically predicted taken, which allocate an entry and fetch their
	 * shadow (the code after them). */
	if (b->flow != PMK_FLOW_JUMP || (p->fixed && pmk_predictor_static_rule(b)))
		return PMK_PRED_LOOK;
	/* A jump to the next instruction takes the slow path, too. Its target is the address after
	 * it, so the fast path would believe that it was not taken. */
	if (!b->conditional && b->target == b->fall)
		return PMK_PRED_LOOK;
	/* A branch that is statically predicted not taken, and is not taken, costs one cycle.
	 * PMK_PRED_CYCLE adds it if the cycles of the block do not include it. Without a clock, no
	 * cycles are added. */
	return p->timeless || b->arm11.branch_cycles ? PMK_PRED_NOT_TAKEN
						     : PMK_PRED_NOT_TAKEN | PMK_PRED_CYCLE;
}

void pmk_predictor_catch_up(struct pmk_predictor *p, const struct pmk_block *b, uint64_t word)
{
	struct pmk_btac_entry *e = entry_of(p, b);

	if (word & PMK_PRED_STATE && holds(e, b))
		e->state = word & 3;
}

/* Returns the word of a branch that has an entry. A jump to the next instruction must take the slow
 * path, because the fast path would believe that it was not taken. */
static uint8_t word_of(const struct pmk_predictor *p, const struct pmk_btac_entry *e,
		       const struct pmk_block *b)
{
	bool call = b->flow == PMK_FLOW_CALL;

	if (e->state && !b->conditional && b->target == b->fall)
		return PMK_PRED_LOOK;
	/*
	 * Without a clock, a branch that is predicted taken must take the slow path if wrong paths
	 * are fetched: if it is not taken, the core fetches the wrong path.
	 */
	if (e->state && p->timeless && p->wrong_path)
		return PMK_PRED_LOOK;
	if (e->state && call && !p->timeless)
		return e->state == 3 ? PMK_PRED_CALL : PMK_PRED_LOOK;
	return PMK_PRED_STATE | e->state | (p->timeless ? 0 : PMK_PRED_HELD) |
	       (call ? PMK_PRED_PUSHES : 0);
}

void pmk_predictor_resolve(struct pmk_predictor *p, uint8_t *pred, const struct pmk_block *b,
			   bool taken)
{
	struct pmk_btac_entry *e = entry_of(p, b);
	uint8_t word;

	if (!p->dynamic) {
		word = pmk_predictor_initial(p, b);
	} else if (holds(e, b)) {
		if (taken && e->state < 3)
			e->state++;
		else if (!taken && e->state > 0)
			e->state--;
		word = word_of(p, e, b);
	} else if (taken) {
		/*
		 * The branch whose entry is evicted takes the slow path next time, and gets its
		 * word there.
		 */
		pmk_predictor_allocate(e, pred, (uint32_t)b->end_addr, b->arm11.branch);
		word = word_of(p, e, b);
	} else {
		word = pmk_predictor_initial(p, b);
	}
	if (b->arm11.branch >= PMK_BRANCH_FIRST)
		pred[b->arm11.branch] = word;
}
