/* SPDX-License-Identifier: MIT */
/*
 * The load-store unit's view of the outside: how many requests may be under way, and when a miss is
 * felt. Times are cycles of the core.
 *
 * A load that misses holds one of a few request slots until its line has arrived; the core goes on
 * until an instruction needs the loaded register, and other misses may start meanwhile. A store that
 * goes out holds a write buffer entry until the bus has taken it. When no slot or entry is free, the
 * memory instruction waits, which is event 0x11. The queue's depth and the buffer's size are not
 * published: lsu.slots and wbuf.entries are our choice.
 *
 * Not modelled: that the external bus is shared with instruction fetches and evictions, and that a
 * second load of a line under way waits for it (it is taken to arrive with the first).
 */
#ifndef PMK_CPU_LSU_H
#define PMK_CPU_LSU_H

#include <stdint.h>

#define PMK_LSU_MAX_SLOTS 16

struct pmk_lsu {
	uint32_t slots, wbuf_entries;
	uint32_t latency, fill_cycles, write_cycles;
	uint64_t busy_until[PMK_LSU_MAX_SLOTS]; /* request slots */
	uint64_t bus_free;			/* the bus can take the next line fill */
	uint64_t wbuf_empty;			/* the write buffer will have drained */
	/* The last load that made the core wait: later misses of the same block that issue before the
	 * waiting instruction started that much earlier than the clock now says. */
	uint64_t wait_end; /* clock (with the wait) at the waiting instruction */
	uint64_t wait_cycles;
};

struct pmk_lsu_delay {
	uint64_t full;	/* cycles a memory instruction waited for a slot or entry */
	uint64_t stall; /* cycles an instruction waited for the loaded value */
};

static inline uint64_t pmk_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * A load issued at clock `issue` misses; its result is first needed `use` cycles after issue (with a
 * hit, which takes `hit` of them). `extra` cycles (table walks) come before the request. Inline, like
 * the next one: every miss of the program comes here.
 */
static inline struct pmk_lsu_delay pmk_lsu_load_miss(struct pmk_lsu *lsu, uint64_t issue,
						     uint64_t use, uint64_t hit, uint64_t extra)
{
	struct pmk_lsu_delay d = { 0 };
	uint64_t needed = issue + use, arrives;
	unsigned slot = 0;

	for (unsigned i = 1; i < lsu->slots; i++)
		if (lsu->busy_until[i] < lsu->busy_until[slot])
			slot = i;
	/* The clock already holds the wait of an earlier load whose value is needed only after this
	 * instruction: this one really issued before that wait. */
	if (issue < lsu->wait_end && issue >= lsu->wait_cycles)
		issue -= lsu->wait_cycles;
	if (needed < lsu->wait_end && needed >= lsu->wait_cycles)
		needed -= lsu->wait_cycles;
	if (lsu->busy_until[slot] > issue) {
		d.full = lsu->busy_until[slot] - issue;
		issue += d.full;
		needed += d.full;
	}
	arrives = pmk_later(issue + extra + lsu->latency, lsu->bus_free) + hit;
	lsu->bus_free = arrives - hit + lsu->fill_cycles;
	lsu->busy_until[slot] = arrives + lsu->fill_cycles - 1;
	if (arrives > needed) {
		d.stall = arrives - needed;
		lsu->wait_cycles = d.stall + d.full;
		lsu->wait_end = needed + d.stall;
	}
	return d;
}

/* A store issued at `issue` goes out. */
static inline struct pmk_lsu_delay pmk_lsu_write(struct pmk_lsu *lsu, uint64_t issue)
{
	struct pmk_lsu_delay d = { 0 };
	uint64_t room = (uint64_t)lsu->wbuf_entries * lsu->write_cycles;

	lsu->wbuf_empty = pmk_later(lsu->wbuf_empty, issue) + lsu->write_cycles;
	if (lsu->wbuf_empty > issue + room)
		d.full = lsu->wbuf_empty - issue - room;
	return d;
}

#endif
