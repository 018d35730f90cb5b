// SPDX-License-Identifier: MIT
/*
 * Regions of the program, and the calls and returns that end them.
 */
#include "producer/session/emulated_internal.h"

#include <string.h>

void pmk_emulated_region_totals(const struct pmk_emulated *e, unsigned r,
				const struct pmk_reading *now, struct pmk_reading *totals)
{
	const struct pmk_region_state *s = &e->region[r];
	struct pmk_reading open;

	*totals = s->total;
	if (!s->inside)
		return;
	pmk_reading_since(&open, now, &s->entered_at);
	pmk_reading_add(totals, &open);
}

static void open_region(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b, unsigned r)
{
	struct pmk_region_state *s = &e->region[r];

	if (s->inside && e->branched)
		return; /* a loop begins at the function's first instruction; this is no entry */
	s->entries++;
	if (s->inside)
		return; /* the function calls itself, or the program reaches --from again */
	pmk_emulated_read_session(e, cfg, b, &s->entered_at);
	s->inside = 1;
	s->call_depth = e->calls;
	if (cfg->window && r == 0) {
		pmk_emulated_first_interval(e, cfg);
		pmk_emulated_set_deadline(e, cfg);
	}
}

void pmk_emulated_close_region(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			       const struct pmk_emulated_blocks *b, unsigned r)
{
	struct pmk_reading now, totals;

	pmk_emulated_read_session(e, cfg, b, &now);
	pmk_emulated_region_totals(e, r, &now, &totals);
	e->region[r].total = totals;
	e->region[r].inside = 0;
}

static void end_window(struct pmk_emulated *e, const struct pmk_emulated_config *cfg)
{
	e->interval_due = PMK_NEVER;
	pmk_emulated_set_deadline(e, cfg);
}

void pmk_emulated_cross(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_emulated_blocks *b)
{
	for (unsigned r = 0; r < cfg->nregions; r++) {
		if (e->ending >> r & 1 && e->region[r].inside) {
			pmk_emulated_close_region(e, cfg, b, r);
			if (cfg->window && r == 0)
				end_window(e, cfg);
		}
		if (e->beginning >> r & 1)
			open_region(e, cfg, b, r);
	}
	e->ending = e->beginning = 0;
}

/* Remembers a call. When the stack is full, its older half is dropped. A region that was entered
 * deep in a recursion then stays open until control returns to a caller that is still
 * remembered. */
static void push_call(struct pmk_emulated *e, uint64_t addr)
{
	if (e->calls == PMK_CALL_STACK) {
		e->calls_lost = true;
		memmove(e->call, e->call + PMK_CALL_STACK / 2,
			PMK_CALL_STACK / 2 * sizeof(*e->call));
		e->calls = PMK_CALL_STACK / 2;
		for (unsigned r = 0; r < PMK_MAX_REGIONS; r++) {
			uint32_t *depth = &e->region[r].call_depth;

			*depth = *depth > e->calls ? *depth - e->calls : 1;
		}
	}
	e->call[e->calls++] = addr;
}

/* Returns the place in the table for `addr`, which other addresses share. If its entry is for
 * `addr`, it has the number of open calls when control last returned to `addr`. */
static struct pmk_returned *returned_slot(struct pmk_emulated *e, uint64_t addr)
{
	return &e->returned[(addr >> 2) % PMK_RETURNED];
}

/*
 * Returns the number of calls that are still open when control has reached `pc` by a return or
 * another indirect branch. longjmp leaves several calls at once, and goes to an address to which
 * setjmp has returned before.
 */
static uint32_t returned_to(struct pmk_emulated *e, uint64_t pc, bool is_return)
{
	struct pmk_returned *r = returned_slot(e, pc);
	uint32_t oldest =
		is_return || e->calls < PMK_CALLS_NEARBY ? 0 : e->calls - PMK_CALLS_NEARBY;

	for (uint32_t i = e->calls; i > oldest; i--)
		if (e->call[i - 1] == pc) {
			*r = (struct pmk_returned){ .addr = pc, .calls = i - 1 };
			return i - 1;
		}
	return r->addr == pc && r->calls < e->calls ? r->calls : e->calls;
}

/* Follows calls and returns to the block `next`, which is not the block that follows `p` in
 * memory. */
static void follow_call(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			const struct pmk_block *p, const struct pmk_block *next)
{
	if (p->flow == PMK_FLOW_CALL || p->flow == PMK_FLOW_INDCALL) {
		push_call(e, p->fall);
		return;
	}
	if (p->flow != PMK_FLOW_RETURN && p->flow != PMK_FLOW_INDIRECT)
		return;
	e->calls = returned_to(e, next->pc, p->flow == PMK_FLOW_RETURN);
	for (unsigned r = 0; r < cfg->nregions; r++) {
		const struct pmk_region_state *s = &e->region[r];

		/* The call that entered the function has ended, so the region ends. */
		if (s->inside && cfg->region[r].end == 0 && e->calls < s->call_depth)
			e->ending |= 1u << r;
	}
}

void pmk_emulated_follow(struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			 const struct pmk_block *next, bool boundary)
{
	const struct pmk_block *p = e->cpu.prev;

	if (cfg->follows && next->pc != p->fall)
		follow_call(e, cfg, p, next);
	for (unsigned r = 0; boundary && r < cfg->nregions; r++) {
		e->ending |= (uint32_t)(cfg->region[r].end && cfg->region[r].end == next->pc) << r;
		e->beginning |= (uint32_t)(cfg->region[r].begin == next->pc) << r;
	}
	e->branched = p->flow == PMK_FLOW_JUMP && p->target == next->pc;
	e->cpu.crossing = e->ending | e->beginning;
}
