/* SPDX-License-Identifier: MIT */
/*
 * A running core: the state of one processor's caches, TLBs, predictor and queues, and the totals
 * of what happened in them. There is one per vCPU, and only that vCPU's thread uses it. The *owner*
 * of a core is the code that called pmk_cpu_init(). This file has what all families of cores share:
 * the clock, blocks and totals. The hot paths, for the start of a block and for accesses, are in
 * <family>/<family>.h.
 */
#ifndef PMK_CPU_CPU_H
#define PMK_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>

#include "cpu/block.h"
#include "cpu/code.h"
#include "cpu/config.h"

#define PMK_LIKELY(x)	__builtin_expect(!!(x), 1)
#define PMK_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The part of a block that has not run: its cycles, and its facts in the order of pmk_facts.n. */
struct pmk_cpu_rest {
	uint32_t insn; /* index of the last instruction that has run */
	uint64_t cycles;
	int32_t fact[PMK_NFACTS];
	bool unsure; /* more of the block may have run than this struct says */
};

struct pmk_sites;

union pmk_cpu_own {
#define STATE(family) struct pmk_cpu_##family family;
	PMK_CORE_FAMILIES(STATE)
#undef STATE
};

/* Reasons why an ARM11's accesses need its general functions (pmk_cpu.general). */
enum {
	PMK_GENERAL_SITES = 1 << 0,    /* counts are booked by site: pmk_cpu.sites */
	PMK_GENERAL_DEVICES = 1 << 1,  /* pages may be device memory: pmk_cpu.is_device */
	PMK_GENERAL_PARAMS = 1 << 2,   /* a parameter of the core is unusual */
	PMK_GENERAL_TIMELESS = 1 << 3, /* there is no clock */
};

struct pmk_cpu {
	/* Read and written at every block and access. These and the first members of the family's
	 * own struct are in one line of the host's cache. */
	_Alignas(64) const struct pmk_block *prev;
	struct pmk_executions *executions; /* [block id] */
	/* the word of a block whose fetching changes nothing: see known.h */
	uint64_t igen;
	/* the first block that starts at this time or later calls on_deadline() */
	uint64_t deadline;
	uint64_t cycles;
	uint64_t taken; /* blocks that were not left by falling through */
	/* The last access of the block `prev`, as its callback packs it; 0 if there was none
	 * yet. */
	uint64_t access;
	/* The members that only this core's family uses. */
	union {
		union pmk_cpu_own own;
#define STATE(family) struct pmk_cpu_##family family;
		PMK_CORE_FAMILIES(STATE)
#undef STATE
	};
	uint8_t general; /* PMK_GENERAL_…: all reasons in one byte, which every miss tests */
	bool eager;	 /* the owner adds facts at every execution instead of summing up later */

	/*
	 * Counts by signal. They include the facts of blocks only if `eager` is true. Each count
	 * must not be exactly 4096 bytes after a member in the first cache line of this struct:
	 * hosts compare only the low bits of addresses, so a load from one of the two addresses
	 * would wait for a store to the other. This slowed down counting a MicroBlaze by 5 %.
	 */
	uint64_t dyn[PMK_NSIGNALS];
	struct pmk_bus *bus; /* where latencies are recorded, or NULL; it belongs to the owner */
	struct pmk_core core;
	struct pmk_sites *sites; /* where counts are booked by site, or NULL: sites.h */
	/* number of the record with the struct pmk_ledger_state of `sites`, or 0 */
	uint32_t sites_state;

	/* Called when the clock has passed the deadline, before the block that starts is counted.
	 * The owner's function must set the next deadline. */
	void (*on_deadline)(struct pmk_cpu *cpu);
	/*
	 * The owner sets `crossing` when one of its regions or intervals begins or ends between the
	 * block `prev` and the block that is about to start. pmk then calls on_crossing() as soon
	 * as it knows how `prev` was left, before the new block is counted.
	 */
	bool crossing;
	void (*on_crossing)(struct pmk_cpu *cpu);
	unsigned index;
	/*
	 * The last fault after which the program may have ended. The record is valid while its
	 * `prev`, `access` and `cycles` are equal to those of the core.
	 */
	struct {
		const struct pmk_block *prev;
		uint64_t access, cycles;
		struct pmk_cpu_rest rest;
		bool seen; /* an access of the program has faulted, and no handler has started */
	} fault;
	/*
	 * The exception level, if it is watched. After an exception or a return from one, the level
	 * is *open*: unknown until an access shows it. If no access shows it, pmk uses `guess`.
	 */
	struct {
		bool watched, open;
		uint8_t guess;
		/* If counts were read while the level was open, `assumed` is the level that was
		 * assumed, plus 1; otherwise it is 0. `mistaken` is true if the assumption was
		 * wrong. */
		uint8_t assumed;
		bool mistaken;
	} level;
	/* The last fault that firmware took, if the family knows it. `pc` is the address of the
	 * instruction that faulted, or UINT64_MAX if no instruction was executed before the fault.
	 * If `jumped` is true, the jump to an instruction faulted, and `pc` is the address of the
	 * jump. `number` is the number of the exception, or 0. */
	struct pmk_cpu_trap {
		uint64_t pc;
		uint64_t number;
		bool jumped;
	} trap;
	/* true if a block may have been left early at a place that pmk does not know */
	bool unsure;
	/*
	 * Signals whose counts are uncertain, because the emulator does not show whether they were
	 * raised.
	 */
	struct pmk_signal_set doubtful;
	const struct pmk_block *origin; /* `prev` before the first block */
	/* Used in system emulation: returns true if the page of the present access, `seen`, is
	 * device memory. */
	bool (*is_device)(const struct pmk_cpu *cpu, uint64_t addr);
	void *device_ctx;
	struct pmk_access_seen {
		uint32_t info; /* the emulator's description of the access */
		uint64_t addr;
	} seen;
};

_Static_assert(offsetof(struct pmk_cpu, dyn) + sizeof(((struct pmk_cpu *)0)->dyn) <= 4096,
	       "families keep tables elsewhere");

/*
 * What a memory callback needs to know about its instruction. All of it is in one word, so the
 * callback loads nothing from memory. The upper 13 bits are the position of the instruction in its
 * block: see pmk_access_at().
 */
#define PMK_ACCESS_TO_END(a) ((uint32_t)(a)&0xffff) /* cycles from issue to the block's end */
#define PMK_ACCESS_USE(a) \
	((uint32_t)((a) >> 16) & 0xffff) /* cycles from issue to the first use of the result */
/* words of a load or store multiple, or what else the family stores here */
#define PMK_ACCESS_COUNT(a) ((uint32_t)((a) >> 32) & 0xff)
#define PMK_ACCESS_SIZE(a)  ((uint32_t)((a) >> 40) & 0xff) /* bytes per access */

static inline uint64_t pmk_access_pack(uint32_t to_end, uint32_t use, uint32_t count, uint32_t size)
{
	return (to_end > 0xffff ? 0xffff : to_end) | (uint64_t)(use > 0xffff ? 0xffff : use) << 16 |
	       (uint64_t)count << 32 | (uint64_t)size << 40;
}

/* Returns `access` with another size. */
static inline uint64_t pmk_access_resize(uint64_t access, uint32_t size)
{
	return (access & ~(UINT64_C(0xff) << 40)) | (uint64_t)size << 40;
}

/*
 * Packs the position of an access's instruction: `behind` is how many of the instructions after it
 * in the block may fault. The position is counted from the end of the block, because an emulator
 * may run the rest of a block as a block of its own, and both end at the same instruction.
 */
#define PMK_ACCESS_AT 51
static inline uint64_t pmk_access_at(uint64_t access, unsigned behind)
{
	return (access & ((UINT64_C(1) << PMK_ACCESS_AT) - 1)) | (uint64_t)(behind + 1)
									 << PMK_ACCESS_AT;
}

/* The upper half of the word, and its offset. If an access changes only pmk_cpu.access, storing
 * this half is enough. */
#define PMK_ACCESS_MARK_OFFSET (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 4 : 0)
static inline uint32_t pmk_access_mark(uint64_t access)
{
	return (uint32_t)(access >> 32);
}

static inline unsigned pmk_access_behind(uint64_t access)
{
	return (unsigned)(access >> PMK_ACCESS_AT) - 1;
}

/* Sets up a running core. Returns 0 or PMK_ENOMEM. The caller sets `executions` and may set `bus`
 * and call pmk_cpu_ask_devices(). The struct is big and may be in shared memory; the memory that
 * its pointers point to is private to this process. */
int pmk_cpu_init(struct pmk_cpu *cpu, const struct pmk_core *core);
void pmk_cpu_fini(struct pmk_cpu *cpu);

/* Sets or clears a reason for the general functions: PMK_GENERAL_…. */
static inline void pmk_cpu_set_general(struct pmk_cpu *cpu, unsigned reason, bool on)
{
	cpu->general = (uint8_t)((cpu->general & ~reason) | (on ? reason : 0));
}

/* Sets the owner's function that says whether a page is device memory. */
static inline void pmk_cpu_ask_devices(struct pmk_cpu *cpu,
				       bool (*is_device)(const struct pmk_cpu *cpu, uint64_t addr))
{
	cpu->is_device = is_device;
	pmk_cpu_set_general(cpu, PMK_GENERAL_DEVICES, is_device != NULL);
}

/* Sets where counts are booked by site; NULL: nowhere. */
static inline void pmk_cpu_book_sites(struct pmk_cpu *cpu, struct pmk_sites *sites)
{
	cpu->sites = sites;
	pmk_cpu_set_general(cpu, PMK_GENERAL_SITES, sites != NULL);
}

/* Makes the core forget which blocks it has fetched. Families that record this only in `igen` use
 * the function as their forget() (family.h). */
void pmk_cpu_forget(struct pmk_cpu *cpu);

/*
 * Prepares the forked copy of a core, which continues with warm caches and no counts. `executions`
 * belongs to the copy.
 */
void pmk_cpu_forked(struct pmk_cpu *cpu, struct pmk_executions *executions);

/*
 * pmk_cpu_cold() resets the core to its initial state, but keeps its counts, and stores the former
 * state in *kept. It returns 0 or PMK_ENOMEM. pmk_cpu_stale() frees the present state and restores
 * the one in *kept.
 */
int pmk_cpu_cold(struct pmk_cpu *cpu, union pmk_cpu_own *kept);
void pmk_cpu_stale(struct pmk_cpu *cpu, const union pmk_cpu_own *kept);
/* Frees the state that pmk_cpu_cold() kept. */
void pmk_cpu_discard(const struct pmk_core *core, const union pmk_cpu_own *kept);

/* Returns the longest latency that the core can record; 0 if it records none. */
uint32_t pmk_cpu_longest(const struct pmk_core *core);

/* Returns the signals that this core raises. */
struct pmk_signal_set pmk_cpu_raises(const struct pmk_core *core);

/* Brings the totals of the bus up to date. facts[] and executions[] have `nblocks` entries. */
void pmk_cpu_sum(const struct pmk_cpu *cpu, const struct pmk_facts *facts,
		 const struct pmk_executions *executions, uint32_t nblocks, struct pmk_bus *bus);

/* Lets `cycles` pass in which nothing happens. */
void pmk_cpu_idle(struct pmk_cpu *cpu, uint64_t cycles);

/* Never inlined: otherwise the hot path would have to save registers. */
#define PMK_SLOW   __attribute__((noinline))
/*
 * For functions on a hot path. Their callers pass constants, and the compiler inlines only the code
 * for these constants.
 */
#define PMK_INLINE static inline __attribute__((always_inline))

void pmk_cpu_add_facts(struct pmk_cpu *cpu, const struct pmk_facts *f);
/*
 * Calls the owner's on_deadline() when `b` starts, before `b` is counted. The counts of a whole
 * block are added when it starts, and some of them are taken back while it runs: those of accesses
 * that turn out not to be cached, and of store-exclusives that fail. If the owner read sums that
 * include the block, a later sum could be smaller.
 */
PMK_SLOW void pmk_cpu_deadline(struct pmk_cpu *cpu, const struct pmk_block *b);
/*
 * Clears `crossing` and calls on_crossing(). This happens at the point where pmk_cpu_deadline()
 * calls on_deadline().
 */
PMK_SLOW void pmk_cpu_cross(struct pmk_cpu *cpu, const struct pmk_block *b);

#endif
