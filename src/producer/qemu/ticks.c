// SPDX-License-Identifier: MIT
/* Chooses the blocks that tick. See ticks.h. */
#include "producer/qemu/ticks.h"

#include <stdlib.h>

#include <pmk/error.h>

#include "base/reserve.h"

#define TABLE (UINT32_C(1) << 20)
#define MOST  (TABLE / 2)

/*
 * One tick per INSNS_PER_TICK instructions costs about one percent (our choice). If ticks are more
 * frequent, pmk reduces them to one per INSNS_LEFT instructions.
 */
#define INSNS_PER_TICK	512
#define INSNS_LEFT	2048
/* Translating a block again takes about as long as this many ticks. So it pays only after so many
 * ticks for each block that must be translated again. */
#define TICKS_PER_BLOCK 4096
#define CHECK_EVERY	65536
#define FIRST_GAP	2000000 /* assumed until a gap was measured */

int pmk_ticks_init(struct pmk_ticks *t)
{
	*t = (struct pmk_ticks){
		.tick = pmk_reserve(MOST * sizeof(*t->tick)),
		.at = pmk_reserve(TABLE * sizeof(*t->at)),
		.check = CHECK_EVERY,
		.gap = FIRST_GAP,
	};
	return t->tick && t->at ? 0 : PMK_ENOMEM;
}

struct pmk_tick *pmk_ticks_translated(struct pmk_ticks *t, uint64_t pc)
{
	uint32_t i = (uint32_t)(pc >> 1) % TABLE;

	t->translated++;
	while (t->at[i] && t->tick[t->at[i] - 1].pc != pc)
		i = (i + 1) % TABLE;
	if (!t->at[i] && t->n == MOST)
		return NULL;
	if (!t->at[i]) {
		t->tick[t->n++] = (struct pmk_tick){ .pc = pc };
		t->at[i] = t->n;
	}
	return t->tick[t->at[i] - 1].frequent && !t->all ? NULL : &t->tick[t->at[i] - 1];
}

static int most_first(const void *a, const void *b)
{
	const struct pmk_tick *x = *(struct pmk_tick *const *)a, *y = *(struct pmk_tick *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Marks the blocks that ticked most often, until the other blocks have made at most `left` of the
 * counted ticks. Marks none if there is no memory. */
static void mark_frequent(struct pmk_ticks *t, uint64_t left)
{
	struct pmk_tick **by_count = malloc(t->n * sizeof(struct pmk_tick *));
	uint64_t count = t->count;
	size_t n = 0;

	for (uint32_t i = 0; i < t->n && by_count; i++)
		if (t->tick[i].count)
			by_count[n++] = &t->tick[i];
	if (by_count)
		qsort(by_count, n, sizeof(struct pmk_tick *), most_first);
	for (size_t k = 0; k < n && count > left; k++) {
		by_count[k]->frequent = true;
		count -= by_count[k]->count;
	}
	free(by_count);
}

/* Begins to count ticks again, because code is about to be translated again. */
static void begin_anew(struct pmk_ticks *t, uint64_t executed)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->tick[i].count = 0;
	t->count = t->translated = 0;
	t->check = CHECK_EVERY;
	t->began = t->last = executed;
}

/* True if there are so many ticks that it pays to translate code again without the most frequent
 * ticks. */
static bool too_many(struct pmk_ticks *t, uint64_t insns)
{
	t->check = t->count + CHECK_EVERY;
	return t->count >= (uint64_t)t->translated * TICKS_PER_BLOCK &&
	       t->count >= insns / INSNS_PER_TICK;
}

bool pmk_ticks_look(struct pmk_ticks *t, uint64_t executed, uint64_t due)
{
	if (due - executed <= PMK_TICKS_NEAR * t->gap) {
		t->all = true;
		begin_anew(t, executed);
		return true;
	}
	if (!too_many(t, executed - t->began))
		return false;
	mark_frequent(t, (executed - t->began) / INSNS_LEFT);
	begin_anew(t, executed);
	return true;
}

void pmk_ticks_begin(struct pmk_ticks *t, uint64_t executed)
{
	t->all = false;
	t->gap -= t->gap / 8; /* the program may have changed */
	begin_anew(t, executed);
}
