/* SPDX-License-Identifier: MIT */
/*
 * Where to look whether the next unit is due, while nothing is counted (producer/session/units.h).
 * Code that was translated adds up the instructions by itself, and cannot compare; a call at each
 * block would cost as much as counting. So a few blocks call, the *ticks*: those that are executed
 * rarely. All new blocks tick. When they tick too often, the most frequent ones are marked, and
 * code is translated anew without theirs. Between two ticks there may be many instructions, so
 * before a unit is due, code is translated anew once more, and all blocks tick. Which blocks tick
 * follows from the program alone, not from time.
 */
#ifndef PMK_PRODUCER_QEMU_TICKS_H
#define PMK_PRODUCER_QEMU_TICKS_H

#include <stdbool.h>
#include <stdint.h>

/* A block by its address. */
struct pmk_tick {
	uint64_t pc;
	uint32_t count; /* since code was last translated anew */
	bool frequent;
};

struct pmk_ticks {
	struct pmk_tick *tick;
	uint32_t n;
	uint32_t *at;	       /* hash table by address: number + 1 */
	uint32_t translated;   /* blocks, since code was last translated anew */
	uint64_t count, check; /* ticks since then, and when to look at them */
	uint64_t began, last;  /* instructions executed by then, and at the last tick */
	uint64_t gap;	       /* how many there may be between two ticks */
	bool all;	       /* all blocks tick */
};

/* 0 or PMK_ENOMEM. */
int pmk_ticks_init(struct pmk_ticks *t);

/* The block at `pc` is translated. NULL: it does not tick. */
struct pmk_tick *pmk_ticks_translated(struct pmk_ticks *t, uint64_t pc);

/* Our choice: a unit is near when it is due within so many times the longest time without a
 * tick. */
#define PMK_TICKS_NEAR 2

/* There are many ticks, or a unit is near. */
bool pmk_ticks_look(struct pmk_ticks *t, uint64_t executed, uint64_t due);

/* It has ticked, after `executed` instructions, and a unit is due after `due`, which is more.
 * Returns whether code should be translated anew. */
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

/* The rest begins, after `executed` instructions of it. */
void pmk_ticks_begin(struct pmk_ticks *t, uint64_t executed);

#endif
