/* SPDX-License-Identifier: MIT */
/*
 * A running core: the state of one processor's caches, TLBs, predictor and queues, and the totals of
 * what happened to them. One per vCPU; it belongs to that vCPU's thread. What is common to all cores,
 * and the hot paths of the ARM11 and its like; those of A64 cores are in a64/a64.h, those of MicroBlaze in microblaze/microblaze.h.
 *
 * The hot paths are here and inline. What makes them short:
 *
 * - A hit needs no search. Neither replacement policy keeps state on a hit, so "present" is one byte
 *   per line in a sparse map over the address space (`dmap`, `imap`); a byte also says whether the
 *   data micro-TLB holds the page and which halves of the line are dirty, so that a data access that
 *   changes nothing is one load and one test. Only touched pages of the maps exist. The price is that
 *   a micro-TLB miss rewrites the bytes of two pages; a map of pages beside that of lines was measured
 *   as better for programs that miss all the time, and worse for all others.
 * - A word that is not aligned must look at two lines. Rotating the address right by log2(size)
 *   before it becomes the index moves the low bits to the top, into a part of the map where no bit is
 *   ever set: unaligned accesses take the slow path and aligned ones pay one rotate.
 * - The fetch side looks up nothing while nothing was evicted: `igen` changes at every eviction, and
 *   each block remembers at which igen all its lines were present.
 * - What the predictor would say is kept per branch (`pred`), so that a branch that is predicted and
 *   changes no state costs one load and one compare.
 * - The outcome of a block's last branch is known when the next block starts.
 *
 * Everything else is in pmk_cpu_block_slow(), pmk_cpu_load_slow() and pmk_cpu_store_slow(): out of line, but not `cold`
 * (that would compile them for size).
 */
#ifndef PMK_CPU_CPU_H
#define PMK_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>

#include "cpu/block.h"
#include "cpu/arm11/branch.h"
#include "cpu/cache.h"
#include "cpu/code.h"
#include "cpu/config.h"
#include "cpu/arm11/l2cc.h"
#include "cpu/lsu.h"
#include "cpu/tlb.h"

#define PMK_LIKELY(x)	__builtin_expect(!!(x), 1)
#define PMK_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Bits of a dmap byte. The low three say "nothing to do" and are set only while the data micro-TLB
 * holds the page; the next three are the truth they are derived from. */
enum {
	PMK_D_LOAD = 1 << 0,	 /* a load of this line changes nothing */
	PMK_D_STORE_LO = 1 << 1, /* a store to its low half changes nothing */
	PMK_D_STORE_HI = 1 << 2,
	PMK_D_PRESENT = 1 << 3,
	PMK_D_DIRTY_LO = 1 << 4,
	PMK_D_DIRTY_HI = 1 << 5,
	PMK_D_MAPPED = 1 << 6, /* the data micro-TLB holds the page (or there is no MMU) */
	PMK_D_FAST = PMK_D_LOAD | PMK_D_STORE_LO | PMK_D_STORE_HI,
};

/* A remembered answer of pmk_pipeline_edge(). */
struct pmk_edge {
	const struct pmk_block *from, *to;
	uint8_t wait, data; /* cycles; those of them that wait for operands */
};

#define PMK_EDGES 256

#define PMK_MB_OUTCOMES 20

struct pmk_cpu {
	/* Read and written at every block and access: one line of the host's cache. */
	_Alignas(64) const struct pmk_block *prev;
	struct pmk_run *run; /* [block id] */
	union {
		uint8_t *pred;	     /* [branch]: prediction words, see branch.h */
		struct pmk_a64 *a64; /* A64 cores: the rest of them, see a64/a64.h */
		struct pmk_mb *mb;   /* MicroBlaze: likewise, see microblaze/microblaze.h */
	};
	union {
		uint8_t *dmap;	/* [line]: PMK_D_… */
		uint64_t *fast; /* A64 cores: see a64/a64.h */
	};
	uint64_t cycles;
	uint64_t taken; /* blocks not left by falling through */
	uint64_t igen;
	uint64_t deadline; /* the first block that starts at it or behind calls on_deadline */

	uint64_t pending; /* registers whose load (A64: or division) is under way, see `ready` */
	uint8_t *imap;	  /* [line]: 1 = present */
	int32_t multiple_left; /* words of the running load or store multiple still to come */
	uint64_t uncached;     /* data accesses that bypassed the cache; MicroBlaze: reads */
	bool eager;	       /* the owner adds facts at every run instead of summing up later */

	/* Counts by signal that are not static facts (and, when eager, those as well). */
	uint64_t dyn[PMK_NSIGNALS];

	/* MicroBlaze: how blocks were left, by pmk_mb_end.row, and what else is no signal: see microblaze/microblaze.h. */
	uint64_t outcome[PMK_MB_OUTCOMES];
	uint64_t uncached_writes;
	struct pmk_bus *bus; /* where latencies are recorded, or NULL: the owner's, as `run` */
	struct pmk_biu *biu; /* ARM926EJ-S: what is outside, see arm9/arm9.h; the owner's, too */

	struct pmk_core core;
	struct pmk_cache icache, dcache;
	struct pmk_tlb itlb, dtlb, main_tlb;
	struct pmk_predictor bp;
	struct pmk_return_stack rs;
	struct pmk_lsu lsu;
	struct pmk_l2cc l2;
	struct pmk_edge edge[PMK_EDGES];
	/* Of pending registers, when they will be there; of an ARM11 also the cycles of that which are a table
	 * walk's. */
	uint64_t ready[PMK_PLACES];
	uint32_t walk[PMK_PIPE_REGS];

	/* The owner's: called when the clock passes the deadline, to set the next one. It sees nothing of the
	 * block that starts. */
	void (*on_deadline)(struct pmk_cpu *cpu);
	unsigned index;
	/* System emulation: says whether the page of the present access is device memory. */
	bool (*is_device)(void *ctx, uint32_t addr);
	void *device_ctx;
};

/* What a memory callback knows of its instruction, packed into one word so that nothing is loaded. */
#define PMK_ACCESS_TO_END(a) ((uint32_t)(a)&0xffff) /* cycles from its issue to the block's end */
#define PMK_ACCESS_USE(a) \
	((uint32_t)((a) >> 16) & 0xffff) /* cycles from its issue to the first use */
#define PMK_ACCESS_COUNT(a) ((uint32_t)((a) >> 32) & 0xff) /* words of a multiple */
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

/* 0 or PMK_ENOMEM. The caller sets `run` and may set `bus` and is_device. The struct is big and may lie in
 * shared memory; what it points to is private to this process. */
int pmk_cpu_init(struct pmk_cpu *cpu, const struct pmk_core *core);
void pmk_cpu_fini(struct pmk_cpu *cpu);

/* A forked copy goes on with warm caches and no counts. `run` is the copy's. */
void pmk_cpu_forked(struct pmk_cpu *cpu, struct pmk_run *run);

/* No latency that it records is longer; 0: it records none. */
uint32_t pmk_cpu_longest(const struct pmk_core *core);

/* Signals that this core raises. */
struct pmk_signal_set pmk_cpu_raises(const struct pmk_core *core);

/* Bring the bus up to date. facts[] and run[] have `nblocks` entries. */
void pmk_cpu_sum(const struct pmk_cpu *cpu, const struct pmk_facts *facts,
		 const struct pmk_run *run, uint32_t nblocks, struct pmk_bus *bus);

/* Pass `cycles` in which nothing happens. */
void pmk_cpu_idle(struct pmk_cpu *cpu, uint64_t cycles);

/* Out of line for good: inlined, they make the common way save registers. */
#define PMK_SLOW __attribute__((noinline))

PMK_SLOW void pmk_cpu_block_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
				 const struct pmk_block *b, uint64_t taken, uint64_t word);
PMK_SLOW void pmk_cpu_load_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
PMK_SLOW void pmk_cpu_store_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
void pmk_cpu_add_facts(struct pmk_cpu *cpu, const struct pmk_facts *f);
/*
 * Call the owner: `b` has started, and the owner sees what was before it. A block is counted as a whole
 * when it starts, so what is taken off again while it runs (the accesses that were not cached, of all; the
 * stores that succeeded, of those that were tried) would let sums step back behind a look into it.
 */
PMK_SLOW void pmk_cpu_deadline(struct pmk_cpu *cpu, const struct pmk_block *b);

/*
 * The block `b` starts. Its facts are not added: they are summed up later (pmk_cpu_sum), or by the
 * owner at every run (eager). Both calls are tail calls, so that the common way saves no registers.
 */
static inline void pmk_cpu_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	const struct pmk_block *p = cpu->prev;
	struct pmk_run *run = &cpu->run[b->id];
	uint64_t taken = b->pc != p->fall;
	uint64_t word = cpu->pred[p->branch];
	uint64_t odd = pmk_pred_differs(word, taken) | (run->igen ^ cpu->igen) |
		       (p->late & b->wants) | (cpu->pending & b->wants2);
	uint64_t cycles = cpu->cycles + pmk_pred_cycles(word);

	run->runs++;
	cpu->prev = b;
	cpu->cycles = cycles + b->cycles;
	cpu->taken += taken;
	if (PMK_UNLIKELY(odd))
		pmk_cpu_block_slow(cpu, p, b, taken, word);
	else if (PMK_UNLIKELY(cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

/* Index of an access of 1 << shift bytes; unaligned ones fall into the empty part of the map. */
static inline uint32_t pmk_dmap_index(uint32_t addr, unsigned shift)
{
	uint32_t turned = shift ? addr >> shift | addr << (32 - shift) : addr;

	return turned >> (PMK_LINE_SHIFT - shift);
}

static inline void pmk_cpu_load(struct pmk_cpu *cpu, uint32_t addr, unsigned shift, uint64_t access)
{
	if (PMK_UNLIKELY(!(cpu->dmap[pmk_dmap_index(addr, shift)] & PMK_D_LOAD)))
		pmk_cpu_load_slow(cpu, addr, access);
}

static inline void pmk_cpu_store(struct pmk_cpu *cpu, uint32_t addr, unsigned shift,
				 uint64_t access)
{
	unsigned high = addr >> (PMK_LINE_SHIFT - 1) & 1;

	if (PMK_UNLIKELY(!(cpu->dmap[pmk_dmap_index(addr, shift)] >> high & PMK_D_STORE_LO)))
		pmk_cpu_store_slow(cpu, addr, access);
}

/* An access of several words, all in one line: every half it touches has to be dirty already. */
static inline void pmk_cpu_store_span(struct pmk_cpu *cpu, uint32_t addr, uint32_t bytes,
				      uint64_t access)
{
	unsigned low = addr & 1u << (PMK_LINE_SHIFT - 1) ? 0 : PMK_D_STORE_LO;
	unsigned high = (addr + bytes - 1) & 1u << (PMK_LINE_SHIFT - 1) ? PMK_D_STORE_HI : 0;

	if (PMK_UNLIKELY(~cpu->dmap[pmk_dmap_index(addr, 2)] & (low | high)))
		pmk_cpu_store_slow(cpu, addr, pmk_access_resize(access, bytes));
}

/*
 * One word of a load or store multiple. Words after the first are sequential and say nothing new
 * until they enter the next line, which is then one more access (DAI 0195B §7).
 */
static inline void pmk_cpu_multiple(struct pmk_cpu *cpu, uint32_t addr, uint64_t access, bool write,
				    bool counted)
{
	const uint32_t line_bytes = 1u << PMK_LINE_SHIFT;
	uint32_t in_line = line_bytes - (addr & (line_bytes - 1)), left;

	if (--cpu->multiple_left < 0) {
		cpu->multiple_left = (int32_t)PMK_ACCESS_COUNT(access) - 1;
	} else {
		if (PMK_LIKELY(in_line != line_bytes))
			return;
		counted = false;
	}
	if (!counted)
		cpu->dyn[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	if (!write) {
		pmk_cpu_load(cpu, addr, 2, access);
		return;
	}
	left = ((uint32_t)cpu->multiple_left + 1) * PMK_ACCESS_SIZE(access);
	pmk_cpu_store_span(cpu, addr, left < in_line ? left : in_line, access);
}

#endif
