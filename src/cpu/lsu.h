/* SPDX-License-Identifier: MIT */
/*
 * How the load-store unit sees the memory outside the core: how many requests may be under way, and
 * when a miss costs time. Times are cycles of the core.
 *
 * A load that misses holds one of a few request slots until its line has arrived. The core
 * continues until an instruction needs the loaded register, and other misses may start meanwhile. A
 * store that goes out holds an entry of the write buffer until the bus has taken it. When no slot
 * or entry is free, the memory instruction waits; the ARM11 counts this as event 0x11. ARM does not
 * publish the depth of the queue and the size of the buffer: lsu.slots and wbuf.entries are our
 * choice.
 *
 * The core's clock advances by a whole block at once. The emulator reports a load later, and only
 * then can a wait of an instruction after the load be added. The emulator may then report other
 * loads that come before the waiting instruction, and are not delayed by it. So there is a second
 * clock, the undelayed clock, of a core that never waits for memory. The list `wait` says how late
 * the real core is: all instructions from undelayed time `at` on are `late` cycles late. Waits do
 * not add up. If an instruction cannot issue before some time, then it and all later instructions
 * are as late as that time requires, however long they waited before.
 *
 * Two things are not modelled on an ARM11. Instruction fetches and evictions use the external bus,
 * too. And a second load from a line that is under way waits for that line; in the model, it hits
 * at once.
 */
#ifndef PMK_CPU_LSU_H
#define PMK_CPU_LSU_H

#include <stdbool.h>
#include <stdint.h>

#define PMK_LSU_MAX_SLOTS 16
#define PMK_LSU_MAX_WAITS 16
/* The value of a parameter `use` if no instruction of the block needs the loaded value. */
#define PMK_LSU_NO_USE	  UINT64_MAX

struct pmk_lsu_wait {
	uint64_t at, late;
};

struct pmk_lsu {
	uint32_t slots, wbuf_entries;
	uint32_t latency, fill_cycles, write_cycles;
	bool level2; /* true if `latency` is that of level 2 */
	/* the memory does one thing at a time: a read waits for older reads and writes */
	bool serial;
	uint64_t busy_until[PMK_LSU_MAX_SLOTS]; /* when each request slot becomes free */
	/* When each of the three buses can begin to transfer another line: the bus for reads from
	 * memory, the bus for writes, and the bus from level 2. */
	uint64_t bus_free, write_free, level2_free;
	uint64_t wbuf_empty; /* when the write buffer will be empty */
	/* How late the last reported memory instruction is. */
	uint64_t late;
	/* How late the instructions after the last reported memory instruction are. Both `at` and
	 * `late` rise along the list. */
	uint32_t nwaits;
	struct pmk_lsu_wait wait[PMK_LSU_MAX_WAITS];
};

struct pmk_lsu_delay {
	uint64_t full;	/* cycles a memory instruction waited for a slot or entry */
	uint64_t stall; /* cycles an instruction waited for the loaded value */
	uint64_t ready; /* when the value of a load is available */
};

static inline uint64_t pmk_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Returns how late the core is when all waits are over: the core's clock minus the undelayed clock.
 */
static inline uint64_t pmk_lsu_late(const struct pmk_lsu *lsu)
{
	return lsu->nwaits ? lsu->wait[lsu->nwaits - 1].late : lsu->late;
}

/*
 * Functions for rare cases, in lsu.c. pmk_lsu_reach_many() does what pmk_lsu_reach() does if there
 * are several waits. pmk_lsu_hold_among() does what pmk_lsu_hold() does if there are any waits.
 * pmk_lsu_first_slot() finds the slot that becomes free first if there is only one slot, or more
 * than three.
 */
void pmk_lsu_reach_many(struct pmk_lsu *lsu, uint64_t at);
uint64_t pmk_lsu_hold_among(struct pmk_lsu *lsu, uint64_t at, uint64_t until);
unsigned pmk_lsu_first_slot(const struct pmk_lsu *lsu);

/* pmk_lsu_slot() returns the slot that becomes free first. pmk_lsu_bus() returns a pointer to the
 * time from which the bus that brings lines is free. */
static inline unsigned pmk_lsu_slot(const struct pmk_lsu *lsu)
{
	const uint64_t *b = lsu->busy_until;
	unsigned slot = b[1] < b[0];

	if (lsu->slots == 2)
		return slot;
	if (lsu->slots == 3)
		return b[2] < b[slot] ? 2 : slot;
	return pmk_lsu_first_slot(lsu);
}

static inline uint64_t *pmk_lsu_bus(struct pmk_lsu *lsu)
{
	return lsu->level2 ? &lsu->level2_free : &lsu->bus_free;
}

/*
 * Advances to a memory instruction of undelayed time `at`, which the emulator reports now.
 * Instructions that are reported later also come later in the program. The test whether the only
 * wait is over uses no branch, because the host could not predict it.
 */
static inline void pmk_lsu_reach(struct pmk_lsu *lsu, uint64_t at)
{
	bool over = lsu->nwaits && lsu->wait[0].at <= at;

	if (__builtin_expect(lsu->nwaits > 1, 0)) {
		pmk_lsu_reach_many(lsu, at);
		return;
	}
	lsu->late = over ? lsu->wait[0].late : lsu->late;
	lsu->nwaits -= over;
}

/*
 * Delays an instruction that would issue at undelayed time `at`, but cannot issue before `until`.
 * Returns by how many cycles the core's clock must advance.
 */
static inline uint64_t pmk_lsu_hold(struct pmk_lsu *lsu, uint64_t at, uint64_t until)
{
	uint64_t free = at + lsu->late;

	if (__builtin_expect(lsu->nwaits, 0))
		return pmk_lsu_hold_among(lsu, at, until);
	lsu->wait[0] = (struct pmk_lsu_wait){ at, until - at };
	lsu->nwaits = until > free;
	return until > free ? until - free : 0;
}

/*
 * Issues a memory instruction of undelayed time `at`, which cannot issue before `free`. Returns the
 * time at which it issues. Sets *full to the number of cycles by which the core's clock must
 * advance.
 */
static inline uint64_t pmk_lsu_issue(struct pmk_lsu *lsu, uint64_t at, uint64_t free,
				     uint64_t *full)
{
	pmk_lsu_reach(lsu, at);
	if (free > at + lsu->late) {
		*full = pmk_lsu_hold(lsu, at, free);
		pmk_lsu_reach(lsu, at);
	}
	return at + lsu->late;
}

/*
 * Called for a load that issued at clock `issue` and misses. Its result is first needed `use`
 * cycles after issue; a hit would have it ready `hit` cycles after issue. The request goes out
 * `extra` cycles after issue, because of table walks. This function and those after it are inline,
 * because every miss of the program calls one of them.
 */
static inline struct pmk_lsu_delay pmk_lsu_load_miss(struct pmk_lsu *lsu, uint64_t issue,
						     uint64_t use, uint64_t hit, uint64_t extra)
{
	uint64_t at = issue - pmk_lsu_late(lsu), word;
	uint64_t *bus = pmk_lsu_bus(lsu);
	struct pmk_lsu_delay d = { 0 };
	unsigned slot = pmk_lsu_slot(lsu);

	word = pmk_lsu_issue(lsu, at, lsu->busy_until[slot], &d.full) + extra;
	if (lsu->serial && !lsu->level2)
		word = pmk_later(word, pmk_later(*bus, lsu->wbuf_empty));
	word = pmk_later(word + lsu->latency, *bus);
	d.ready = word + hit;
	*bus = word + lsu->fill_cycles;
	lsu->busy_until[slot] = d.ready + lsu->fill_cycles - 1;
	if (use != PMK_LSU_NO_USE)
		d.stall = pmk_lsu_hold(lsu, at + use, d.ready);
	return d;
}

/*
 * Called for a prefetch that issued at `issue`. It prefetches the line that comes after the last
 * prefetched line. Serial memory sends such lines one after the other, each in `busy` cycles, while
 * other requests wait.
 */
static inline struct pmk_lsu_delay pmk_lsu_next_line(struct pmk_lsu *lsu, uint64_t issue,
						     uint64_t hit, uint64_t busy)
{
	uint64_t at = issue - pmk_lsu_late(lsu), word;
	unsigned slot = pmk_lsu_slot(lsu);
	struct pmk_lsu_delay d = { 0 };

	word = pmk_lsu_issue(lsu, at, lsu->busy_until[slot], &d.full);
	word = pmk_later(word, pmk_later(lsu->bus_free, lsu->wbuf_empty));
	lsu->bus_free = word + busy;
	d.ready = word + lsu->latency + hit;
	lsu->busy_until[slot] = d.ready + lsu->fill_cycles - 1;
	return d;
}

/*
 * True if all earlier waits are over at time `issue`. This holds for most misses. For them,
 * pmk_lsu_settled_load_miss() and pmk_lsu_settled_write() get the results of pmk_lsu_load_miss()
 * and pmk_lsu_write() in a few operations. Sets *late to how late the core is.
 */
static inline bool pmk_lsu_is_settled(const struct pmk_lsu *lsu, uint64_t issue, uint64_t *late)
{
	const struct pmk_lsu_wait *w = &lsu->wait[0];
	bool over = w->at <= issue - w->late;

	/* Use no branches, because the host cannot predict whether there is a wait. */
	*late = *(lsu->nwaits ? &w->late : &lsu->late);
	return (lsu->nwaits == 0) | ((lsu->nwaits == 1) & over);
}

/*
 * Called for a load if a request slot is free when the load issues, and the memory behind `bus` is
 * not serial. Returns when the value is ready.
 */
static inline uint64_t pmk_lsu_settled_request(struct pmk_lsu *lsu, unsigned slot, uint64_t *bus,
					       uint64_t issue, uint64_t hit, uint64_t extra)
{
	uint64_t word = pmk_later(issue + extra + lsu->latency, *bus);

	*bus = word + lsu->fill_cycles;
	lsu->busy_until[slot] = word + hit + lsu->fill_cycles - 1;
	return word + hit;
}

/* Called for a load whose value is available at time `ready`. `late` is from pmk_lsu_is_settled().
 * Returns how many cycles the first use of the value waits. */
static inline uint64_t pmk_lsu_settled_use(struct pmk_lsu *lsu, uint64_t late, uint64_t issue,
					   uint64_t use, uint64_t ready)
{
	lsu->late = late;
	lsu->nwaits = 0;
	return use != PMK_LSU_NO_USE ? pmk_lsu_hold(lsu, issue - late + use, ready) : 0;
}

static inline struct pmk_lsu_delay pmk_lsu_settled_load_miss(struct pmk_lsu *lsu, uint64_t late,
							     unsigned slot, uint64_t *bus,
							     uint64_t issue, uint64_t use,
							     uint64_t hit, uint64_t extra)
{
	struct pmk_lsu_delay d = { .ready = pmk_lsu_settled_request(lsu, slot, bus, issue, hit,
								    extra) };

	d.stall = pmk_lsu_settled_use(lsu, late, issue, use, d.ready);
	return d;
}

/* Does for a store what pmk_lsu_settled_load_miss() does for a load. */
static inline struct pmk_lsu_delay pmk_lsu_settled_write(struct pmk_lsu *lsu, uint64_t late,
							 uint64_t issue)
{
	uint64_t room = (uint64_t)lsu->wbuf_entries * lsu->write_cycles;
	struct pmk_lsu_delay d = { 0 };

	lsu->wbuf_empty = pmk_later(lsu->wbuf_empty, issue) + lsu->write_cycles;
	d.full = pmk_later(lsu->wbuf_empty, issue + room) - (issue + room);
	lsu->late = late + d.full;
	lsu->nwaits = 0;
	return d;
}

/* Called for a load that needs no request. Its value is ready `takes` cycles after issue. */
static inline struct pmk_lsu_delay pmk_lsu_load_hit(struct pmk_lsu *lsu, uint64_t issue,
						    uint64_t use, uint64_t takes)
{
	uint64_t at = issue - pmk_lsu_late(lsu);
	struct pmk_lsu_delay d = { 0 };

	d.ready = pmk_lsu_issue(lsu, at, 0, &d.full) + takes;
	if (use != PMK_LSU_NO_USE)
		d.stall = pmk_lsu_hold(lsu, at + use, d.ready);
	return d;
}

/*
 * Called for a load whose line is under way and arrives at time `arrives`. The load holds a request
 * slot until then, as a load that misses does.
 */
static inline struct pmk_lsu_delay pmk_lsu_load_arriving(struct pmk_lsu *lsu, uint64_t issue,
							 uint64_t use, uint64_t hit, uint64_t extra,
							 uint64_t arrives)
{
	uint64_t at = issue - pmk_lsu_late(lsu), word;
	struct pmk_lsu_delay d = { 0 };
	unsigned slot = pmk_lsu_slot(lsu);

	word = pmk_lsu_issue(lsu, at, lsu->busy_until[slot], &d.full) + extra;
	d.ready = pmk_later(word, arrives) + hit;
	lsu->busy_until[slot] = d.ready;
	if (use != PMK_LSU_NO_USE)
		d.stall = pmk_lsu_hold(lsu, at + use, d.ready);
	return d;
}

/* Called for a store that issued at `issue` and goes to the bus. */
static inline struct pmk_lsu_delay pmk_lsu_write(struct pmk_lsu *lsu, uint64_t issue)
{
	uint64_t at = issue - pmk_lsu_late(lsu);
	uint64_t room = (uint64_t)lsu->wbuf_entries * lsu->write_cycles;
	struct pmk_lsu_delay d = { 0 };

	pmk_lsu_reach(lsu, at);
	lsu->wbuf_empty = pmk_later(lsu->wbuf_empty, at + lsu->late) + lsu->write_cycles;
	if (lsu->wbuf_empty > room)
		pmk_lsu_issue(lsu, at, lsu->wbuf_empty - room, &d.full);
	return d;
}

/* Restarts the time at 0, with nothing under way. */
static inline void pmk_lsu_restart(struct pmk_lsu *lsu)
{
	*lsu = (struct pmk_lsu){
		.slots = lsu->slots,
		.wbuf_entries = lsu->wbuf_entries,
		.latency = lsu->latency,
		.serial = lsu->serial,
		.fill_cycles = lsu->fill_cycles,
		.write_cycles = lsu->write_cycles,
	};
}

#endif
