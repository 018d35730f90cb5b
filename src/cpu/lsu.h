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
 */
#ifndef PMK_CPU_LSU_H
#define PMK_CPU_LSU_H

#include <stdint.h>

#define PMK_LSU_MAX_SLOTS 16

struct pmk_lsu {
	uint32_t slots, wbuf_entries;
	uint32_t latency, fill_cycles, write_cycles;
	uint64_t busy_until[PMK_LSU_MAX_SLOTS]; /* request slots */
	uint64_t bus_free;                      /* the bus can take the next line fill */
	uint64_t wbuf_empty;                    /* the write buffer will have drained */
	/* The last load that made the core wait: later misses of the same block that issue before the
	 * waiting instruction started that much earlier than the clock now says. */
	uint64_t wait_end;   /* clock (with the wait) at the waiting instruction */
	uint64_t wait_cycles;
};

struct pmk_lsu_delay {
	uint64_t full;  /* cycles a memory instruction waited for a slot or entry */
	uint64_t stall; /* cycles an instruction waited for the loaded value */
};

/*
 * A load issued at clock `issue` misses; its result is first needed `use` cycles after issue (with a
 * hit, which takes `hit` of them). `extra` cycles (table walks) come before the request.
 */
struct pmk_lsu_delay pmk_lsu_load_miss(struct pmk_lsu *lsu, uint64_t issue, uint64_t use,
				       uint64_t hit, uint64_t extra);
/* A store issued at `issue` goes out. */
struct pmk_lsu_delay pmk_lsu_write(struct pmk_lsu *lsu, uint64_t issue);

#endif
