/* SPDX-License-Identifier: MIT */
/*
 * A running core: the state of one processor's caches, TLBs, predictor and queues, and the totals
 * of what happened to them. There is one per vCPU, and only that vCPU's thread uses it. This file
 * has what all families of cores share: the clock, blocks and totals. Each family has its own hot
 * paths, for the start of a block and for accesses, in <family>/<family>.h.
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

/* What has not run of a block: cycles, and facts in their order. */
struct pmk_cpu_rest {
	uint32_t insn; /* index of the instruction behind which nothing has run */
	uint64_t cycles;
	int32_t fact[PMK_NFACTS];
	bool unsure; /* perhaps it has not run less */
};

struct pmk_sites;

union pmk_cpu_own {
#define STATE(family) struct pmk_cpu_##family family;
	PMK_CORE_FAMILIES(STATE)
#undef STATE
};

struct pmk_cpu {
	/* Read and written at every block and access. These and the first members of the family's
	 * own struct are in one line of the host's cache. */
	_Alignas(64) const struct pmk_block *prev;
	struct pmk_executions *executions; /* [block id] */
	uint64_t igen;
	uint64_t deadline; /* the first block that starts then or later calls on_deadline */
	uint64_t cycles;
	uint64_t taken; /* blocks that were not left by falling through */
	/* The last access that the block `prev` has made, as its callback knows it; 0: none yet. */
	uint64_t access;
	/* The core's family's own. */
	union {
		union pmk_cpu_own own;
#define STATE(family) struct pmk_cpu_##family family;
		PMK_CORE_FAMILIES(STATE)
#undef STATE
	};
	bool eager; /* the owner adds facts at every execution instead of summing up later */

	/*
	 * Counts by signal that are not static facts (and, when eager, those as well). They must
	 * not be 4096 bytes behind the first line: hosts take a load for one of the same address as
	 * a store at that distance, and wait for it. That cost 5 % of counting MicroBlaze.
	 */
	uint64_t dyn[PMK_NSIGNALS];
	struct pmk_bus
		*bus; /* where latencies are recorded, or NULL; the owner's, like executions */
	struct pmk_core core;
	struct pmk_sites *sites; /* where counts are booked by site, or NULL: sites.h */
	uint32_t sites_state;	 /* the number of its struct pmk_ledger_state, or 0 */

	/* The owner's function, called when the clock has passed the deadline. It sets the next
	 * one, and finds nothing counted of the block that starts. */
	void (*on_deadline)(struct pmk_cpu *cpu);
	/* The owner sets `crossing` when something of its own begins or ends between the block
	 * `prev` and the one that is about to start. Then on_crossing() is called when it is
	 * decided how `prev` was left, and before anything else happens of the new block. */
	bool crossing;
	void (*on_crossing)(struct pmk_cpu *cpu);
	unsigned index;
	/* The last fault that nothing may have come after, if `prev` and the others are still the
	 * same. */
	struct {
		const struct pmk_block *prev;
		uint64_t access, cycles;
		struct pmk_cpu_rest rest;
		bool seen; /* an access of the program has faulted, and no handler has started */
	} fault;
	/* The exception level, where it is watched. After an exception or a return from one it is
	 * open until an access shows it; `guess` is what it would be if none does. */
	struct {
		bool watched, open;
		uint8_t guess;
		/* What it was taken for, plus 1, when counts were read while it was open, or 0; and
		 * whether that was wrong. */
		uint8_t assumed;
		bool mistaken;
	} level;
	bool unsure; /* a block may have been left early, and it is not known where */
	/* Signals that something may have raised, or not, without being seen. */
	struct pmk_signal_set doubtful;
	const struct pmk_block *origin; /* `prev` before the first block */
	/* System emulation: says whether the page of the present access is device memory. */
	bool (*is_device)(void *ctx, uint64_t addr);
	void *device_ctx;
};

_Static_assert(offsetof(struct pmk_cpu, dyn) + sizeof(((struct pmk_cpu *)0)->dyn) <= 4096,
	       "families keep tables elsewhere");

/*
 * What a memory callback needs to know of its instruction, in one word, so that it loads nothing.
 * The upper 13 bits say which instruction of its block it is: see pmk_access_at().
 */
#define PMK_ACCESS_TO_END(a) ((uint32_t)(a)&0xffff) /* cycles from its issue to the block's end */
#define PMK_ACCESS_USE(a) \
	((uint32_t)((a) >> 16) & 0xffff) /* cycles from its issue to the first use */
#define PMK_ACCESS_COUNT(a) ((uint32_t)((a) >> 32) & 0xff) /* words of a multiple, or look-ups */
#define PMK_ACCESS_SIZE(a)  ((uint32_t)((a) >> 40) & 0xff) /* bytes per access */

static inline uint64_t pmk_access_pack(uint32_t to_end, uint32_t use, uint32_t count, uint32_t size)
{
	return (to_end > 0xffff ? 0xffff : to_end) | (uint64_t)(use > 0xffff ? 0xffff : use) << 16 |
	       (uint64_t)count << 32 | (uint64_t)size << 40;
}

/* The same access with another size. */
static inline uint64_t pmk_access_resize(uint64_t access, uint32_t size)
{
	return (access & ~(UINT64_C(0xff) << 40)) | (uint64_t)size << 40;
}

/*
 * The same access of an instruction behind which `behind` more of the block may fault. They are
 * counted from the end, because an emulator may continue with the rest of a block as with a block
 * of its own.
 */
#define PMK_ACCESS_AT 51
static inline uint64_t pmk_access_at(uint64_t access, unsigned behind)
{
	return (access & ((UINT64_C(1) << PMK_ACCESS_AT) - 1)) | (uint64_t)(behind + 1)
									 << PMK_ACCESS_AT;
}

/* The upper half of the word is all of pmk_cpu.access that anybody needs of an access that changes
 * nothing else. */
#define PMK_ACCESS_MARK_OFFSET (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 4 : 0)
static inline uint32_t pmk_access_mark(uint64_t access)
{
	return (uint32_t)(access >> 32);
}

static inline unsigned pmk_access_behind(uint64_t access)
{
	return (unsigned)(access >> PMK_ACCESS_AT) - 1;
}

/* 0 or PMK_ENOMEM. The caller sets `executions` and may set `bus` and is_device. The struct is big
 * and may lie in shared memory; what it points to is private to this process. */
int pmk_cpu_init(struct pmk_cpu *cpu, const struct pmk_core *core);
void pmk_cpu_fini(struct pmk_cpu *cpu);

/* A forked copy goes on with warm caches and no counts. `executions` is the copy's. */
void pmk_cpu_forked(struct pmk_cpu *cpu, struct pmk_executions *executions);

/*
 * Make the core what it was when it began, but for what it has counted, and keep what it was now.
 * Returns 0 or PMK_ENOMEM. And back: what it is now is freed.
 */
int pmk_cpu_cold(struct pmk_cpu *cpu, union pmk_cpu_own *kept);
void pmk_cpu_stale(struct pmk_cpu *cpu, const union pmk_cpu_own *kept);
/* Free what was kept. */
void pmk_cpu_discard(const struct pmk_core *core, const union pmk_cpu_own *kept);

/* The longest latency that the core can record; 0: it records none. */
uint32_t pmk_cpu_longest(const struct pmk_core *core);

/* Signals that this core raises. */
struct pmk_signal_set pmk_cpu_raises(const struct pmk_core *core);

/* Bring the bus up to date. facts[] and executions[] have `nblocks` entries. */
void pmk_cpu_sum(const struct pmk_cpu *cpu, const struct pmk_facts *facts,
		 const struct pmk_executions *executions, uint32_t nblocks, struct pmk_bus *bus);

/* Pass `cycles` in which nothing happens. */
void pmk_cpu_idle(struct pmk_cpu *cpu, uint64_t cycles);

/* Never inlined: otherwise the hot path would have to save registers. */
#define PMK_SLOW __attribute__((noinline))

void pmk_cpu_add_facts(struct pmk_cpu *cpu, const struct pmk_facts *f);
/*
 * Call the owner's on_deadline() when `b` has started, with nothing counted of `b`. A block is
 * counted as a whole when it starts, and some of that is taken back while it runs: accesses that
 * turn out not to be cached, stores exclusive that fail. If the owner saw sums with the block in
 * them, it could later see smaller ones.
 */
PMK_SLOW void pmk_cpu_deadline(struct pmk_cpu *cpu, const struct pmk_block *b);
/* The same with on_crossing(); and it is crossed then. */
PMK_SLOW void pmk_cpu_cross(struct pmk_cpu *cpu, const struct pmk_block *b);

#endif
