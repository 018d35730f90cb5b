/* SPDX-License-Identifier: MIT */
/*
 * Chooses the blocks that check whether the next unit is due, while nothing is counted
 * (producer/session/units.h). Translated code can add up instructions by itself, but it cannot
 * compare their sum with a limit. A call at each block would cost as much as counting. So only a
 * few blocks that are rarely executed make a call, which is named a *tick*. All new blocks tick.
 * When there are too many ticks, pmk marks the blocks that tick most, and code is translated again
 * without their ticks. There may be many instructions between two ticks, so before a unit is due,
 * code is translated again with ticks in all blocks. The choice depends only on the program, not on
 * time.
 */
#ifndef PMK_PRODUCER_QEMU_TICKS_H
#define PMK_PRODUCER_QEMU_TICKS_H

#include <stdbool.h>
#include <stdint.h>

/* A block, identified by its address. */
struct pmk_tick {
	uint64_t pc;
	uint32_t count; /* since code was last translated again */
	bool frequent;
};

struct pmk_ticks {
	struct pmk_tick *tick;
	uint32_t n;
	uint32_t *at;	       /* hash table by address: number + 1 */
	uint32_t translated;   /* blocks since code was last translated again */
	uint64_t count, check; /* ticks since the last translation; `count` at the next check */
	uint64_t began, last;  /* instructions at the last translation, and at the last tick */
	uint64_t gap;	       /* the most instructions that are expected between two ticks */
	bool all;	       /* true if all blocks tick */
};

/* Returns 0 or PMK_ENOMEM. */
int pmk_ticks_init(struct pmk_ticks *t);

/* Returns the tick of the block at `pc`, which is being translated, or NULL if the block does not
 * tick. */
struct pmk_tick *pmk_ticks_translated(struct pmk_ticks *t, uint64_t pc);

/* The next unit is near if it is due within this many times the number of instructions in the
 * longest gap between two ticks (our choice). */
#define PMK_TICKS_NEAR 2

/* Does the part of pmk_ticks_tick() that is rarely needed. It is called if there were many ticks,
 * or if the next unit is near. Returns true if code should be translated again. */
bool pmk_ticks_look(struct pmk_ticks *t, uint64_t executed, uint64_t due);

/*
 * Handles a tick of a block after `executed` instructions. The next unit is due after `due`
 * instructions; `due` is greater than `executed`. Returns true if code should be translated again.
 */
static inline bool pmk_ticks_tick(struct pmk_ticks *t, struct pmk_tick *tick, uint64_t executed,
				  uint64_t due)
{
	uint64_t gap = executed - t->last;

	if (t->all)
		return false;
	t->last = executed;
	t->gap = gap > t->gap ? gap : t->gap;
	tick->count++;
	return (++t->count >= t->check || due - executed <= PMK_TICKS_NEAR * t->gap) &&
	       pmk_ticks_look(t, executed, due);
}

/* Begins a pause in counting, until the next unit. `executed` is the number of instructions in all
 * pauses so far, as for pmk_ticks_tick(). */
void pmk_ticks_begin(struct pmk_ticks *t, uint64_t executed);

#endif
