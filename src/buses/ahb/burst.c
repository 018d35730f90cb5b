// SPDX-License-Identifier: MIT
/* Measures how long the bursts of an AHB layer take. The rules are in burst.h. */
#include "buses/ahb/burst.h"

void pmk_ahb_timer_init(struct pmk_ahb_timer *t)
{
	*t = (struct pmk_ahb_timer){ .open = false };
	for (unsigned i = 0; i < PMK_AHB_NTIMED; i++)
		pmk_spread_init(&t->latency[i]);
}

static void burst_end(struct pmk_ahb_timer *t)
{
	uint64_t cycles = t->last - t->begin;

	if (t->open && t->done) {
		pmk_spread_add(&t->latency[PMK_AHB_TIMED_ALL], cycles);
		if (t->direction != PMK_AHB_TIMED_ALL)
			pmk_spread_add(&t->latency[t->direction], cycles);
	}
	t->open = false;
}

static uint8_t direction_of(const struct pmk_ahb_layer *l)
{
	const uint32_t hwrite = PMK_AHB_ROLE(PMK_AHB_HWRITE);

	if (!(l->params.has & hwrite) || (l->data.x & hwrite))
		return PMK_AHB_TIMED_ALL;
	return l->data.write ? PMK_AHB_TIMED_WRITE : PMK_AHB_TIMED_READ;
}

/*
 * Called when the layer has taken an address phase. The address phase continues the current burst
 * or ends it.
 */
static void burst_advance(struct pmk_ahb_timer *t, const struct pmk_ahb_layer *l)
{
	if (l->data.trans == PMK_AHB_SEQ || l->data.trans == PMK_AHB_BUSY)
		return;
	if (l->data.trans > PMK_AHB_SEQ) /* an x may stand for NONSEQ or SEQ */
		t->open = false;
	burst_end(t);
	if (l->data.trans != PMK_AHB_NONSEQ)
		return;
	t->open = true;
	t->done = false;
	t->begin = t->cycle;
	t->direction = direction_of(l);
}

void pmk_ahb_timer_sample(struct pmk_ahb_timer *t, const struct pmk_ahb_layer *l,
			  const struct pmk_ahb_cycle *c)
{
	const struct pmk_ahb_seen *seen = &l->seen;

	t->cycle++;
	if (c->reset || seen->class == PMK_AHB_C_UNKNOWN)
		t->open = false;
	if (c->reset)
		return;
	if (seen->class == PMK_AHB_C_DONE &&
	    (seen->resp == PMK_AHB_OKAY || seen->resp == PMK_AHB_ERROR)) {
		t->last = t->cycle;
		t->done = true;
	}
	if (c->hready && !(c->x & PMK_AHB_ROLE(PMK_AHB_HREADY)))
		burst_advance(t, l);
}
