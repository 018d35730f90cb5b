/* SPDX-License-Identifier: MIT */
/*
 * The running core of an ARM11. It issues one instruction at a time, in order. It has split caches,
 * micro-TLBs in front of a main TLB, a branch target cache, static rules for branches that this
 * cache does not hold, and a return stack. cpu.h has what all families share: the clock, blocks and
 * totals.
 *
 * The hot paths are here and inline. They are short for these reasons:
 *
 * - A hit needs no search. An ARM11's own replacement policies keep no state about hits, so one
 *   byte per line says whether the line is present. The bytes are in sparse maps over the address
 *   space: `dmap` for data and `imap` for instructions. A byte of `dmap` also says whether the data
 *   micro-TLB holds the page and which halves of the line are dirty. So a data access that changes
 *   nothing costs one load and one comparison. Pages of the maps that were never written take no
 *   memory. The price is that each micro-TLB miss rewrites the bytes of two pages: the page that
 *   enters the micro-TLB, and the page that it replaces. We measured a second map, with one byte
 *   per page: it is faster for programs that miss all the time, and slower for all others.
 * - An access that is not aligned may touch two lines, so it must take the slow path. The index
 *   into `dmap` is the address rotated right by log2(size), which moves the low bits of the address
 *   to the top. For an unaligned access these bits are not all 0, and the index is in a part of the
 *   map where no bit is ever set. An aligned access only pays for the rotation.
 * - Fetching a block of up to four lines looks up the bytes of all these lines in `imap` at once.
 * - The present prediction of each branch is kept in a byte (`pred`). A branch that is predicted
 *   correctly and changes no state costs one load and one comparison.
 * - The outcome of a block's last branch needs no callback, because it is known when the next block
 *   starts.
 *
 * Everything else is in pmk_arm11_block_slow(), pmk_arm11_load_slow() and pmk_arm11_store_slow().
 * They are out of line, but not `cold`, because the compiler would optimize cold functions for
 * size.
 */
#ifndef PMK_CPU_ARM11_ARM11_H
#define PMK_CPU_ARM11_ARM11_H

#include <string.h>

#include "cpu/arm11/pipeline.h"
#include "cpu/callbacks.h"
#include "cpu/cpu.h"
#include "cpu/decode.h"
#include "cpu/sites.h"

/* The facts of a block, in the order of pmk_arm11_counts.fact_signal. */
enum pmk_arm11_fact {
	PMK_ARM11_FACT_INSN,
	PMK_ARM11_FACT_BRANCH,
	PMK_ARM11_FACT_DATA_STALL,
	PMK_ARM11_FACT_READ, /* unconditional loads (one per instruction) and preloads */
	PMK_ARM11_FACT_WRITE,
	PMK_ARM11_FACT_DRAIN,
	PMK_ARM11_NFACTS,
	/* Index of a fact that is not a signal: the instructions whose times are not modelled. Each
	 * takes one cycle. */
	PMK_ARM11_FACT_UNTIMED = PMK_ARM11_NFACTS
};

/*
 * Bits of a dmap byte. Their order makes one comparison enough for most accesses: a load changes
 * nothing if the byte is at least PMK_D_LOADS, and a store changes nothing if it is at least
 * PMK_D_STORES.
 */
enum {
	PMK_D_REQUESTED = 1 << 0, /* PLD has requested the line, and no load has used it since */
	PMK_D_PRESENT = 1 << 3,
	PMK_D_DIRTY_LO = 1 << 4, /* the low half of the line is dirty */
	PMK_D_DIRTY_HI = 1 << 5,
	/* the line is present, and a hit does not change the order of its set */
	PMK_D_QUIET = 1 << 6,
	PMK_D_MAPPED = 1 << 7, /* the data micro-TLB holds the page (or there is no MMU) */
	PMK_D_LOADS = PMK_D_MAPPED | PMK_D_QUIET,
	PMK_D_STORES = PMK_D_LOADS | PMK_D_DIRTY_LO | PMK_D_DIRTY_HI,
};

/* Bits of an imap byte. */
enum {
	PMK_I_PRESENT = 1 << 0,
	/* the line is present, and a fetch does not change the order of its set */
	PMK_I_QUIET = 1 << 1,
	PMK_I_MAPPED = 1 << 2, /* the instruction micro-TLB holds the page */
	PMK_I_MOST_LINES = 4,  /* most lines of a block that are looked up at once */
};

/*
 * True if the instruction certainly makes its accesses, so that its block counts them. Conditional
 * and exclusive instructions may make none, so memory callbacks count their accesses. On a core
 * without a clock, memory callbacks count all accesses.
 */
static inline bool pmk_arm11_access_static(const struct pmk_core *core, const struct pmk_insn *in)
{
	return (in->load || in->store) && !in->conditional && !in->exclusive && !core->timeless;
}

/* Functions of a memory system that is used in place of the ARM11's. The ARM926EJ-S has such a
 * memory system. */
struct pmk_arm11_instead {
	/* Fetches a block that is about to run. Returns true if the next execution of the block
	 * must fetch it again, even if nothing was evicted. */
	bool (*fetch)(struct pmk_cpu *cpu, const struct pmk_block *b);
	void (*load)(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
	void (*store)(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
	void (*flush_tlbs)(struct pmk_cpu *cpu);
};

/* Decoding of translated code: decode.c. */
void pmk_arm11_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		      struct pmk_insn *in);

/* The parts of struct pmk_core_family (family.h) that families with this pipeline share, and
 * functions for the parts that they do not share. */
extern const struct pmk_core_params pmk_arm11_params;
extern const struct pmk_core_decoder pmk_arm11_decoder;
extern const struct pmk_core_callbacks pmk_arm11_callbacks;
extern const struct pmk_core_counts pmk_arm11_counts;
int pmk_arm11_check(const struct pmk_core *core, char *msg, unsigned size);
int pmk_arm11_init(struct pmk_cpu *cpu);
void pmk_arm11_fini(struct pmk_cpu *cpu);
void pmk_arm11_forked(struct pmk_cpu *cpu);
bool pmk_arm11_is_under_way(const struct pmk_cpu *cpu);
void pmk_arm11_drop(struct pmk_cpu *cpu);
uint32_t *pmk_arm11_branch(struct pmk_block *b);

/* pmk_arm11_build_timed() builds a block and calls `time` for the timing of its pipeline.
 * pmk_arm11_build() does this with the pipeline of an ARM11: build.c. */
typedef void pmk_arm11_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			    struct pmk_pipe_slot *slots, struct pmk_pipe_block *out);
void pmk_arm11_build_timed(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			   struct pmk_pipe_slot *slots, struct pmk_block *b, pmk_arm11_time *time);
void pmk_arm11_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		     struct pmk_pipe_slot *slots, struct pmk_block *b);

/*
 * Functions for caches whose hits change which line is replaced next (pmk_cache_ages()); for other
 * caches they do nothing. pmk_arm11_fetch_hit() is called when a line that is present is fetched,
 * and returns true if the order changed. pmk_arm11_data_hit() is called when a line that is present
 * is accessed, and pmk_arm11_data_order() before a line is filled. In each set, only the line that
 * was used last has PMK_D_QUIET or PMK_I_QUIET, because only hits on that line change nothing.
 */
bool pmk_arm11_fetch_hit(struct pmk_cpu *cpu, uint32_t line);
void pmk_arm11_data_hit(struct pmk_cpu *cpu, uint32_t line);
void pmk_arm11_data_order(struct pmk_cpu *cpu, uint32_t line);

/* Starts block `b` after `p` if pmk_arm11_start() cannot do it. `taken` and `word` are as in that
 * function. `busy` is the result of pmk_arm11_is_busy(), which the slow path need not compute
 * again. */
PMK_SLOW void pmk_arm11_block_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
				   const struct pmk_block *b, uint64_t taken, uint64_t word,
				   uint64_t busy);
/*
 * Does what pmk_arm11_block_slow() does, without its fast paths. Used for blocks that the fast
 * paths cannot handle, while counts are booked by site, and if a region or interval of the owner
 * begins or ends before `b`.
 */
PMK_SLOW void pmk_arm11_block_general(struct pmk_cpu *cpu, const struct pmk_block *p,
				      const struct pmk_block *b, uint64_t taken, uint64_t word);
PMK_SLOW void pmk_arm11_fetch_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
				   const struct pmk_block *b, uint64_t taken, uint64_t word);
PMK_SLOW void pmk_arm11_preload(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
/* Drops the requests of all lines that PLD requested and no load has used. */
void pmk_arm11_forget_preloads(struct pmk_cpu *cpu);
PMK_SLOW void pmk_arm11_load_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
PMK_SLOW void pmk_arm11_store_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
/* The slow paths of loads and stores on a core without a clock. */
PMK_SLOW void pmk_arm11_load_alone_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
PMK_SLOW void pmk_arm11_store_alone_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
/* Counts an access of a load or store multiple that the facts of its block do not count. */
PMK_SLOW void pmk_arm11_multiple_counts(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
					bool write);

/*
 * Returns 0 if fetching the block changes nothing. The result is never 0 if `spare` is 0, because
 * no byte of imap[] has all bits set. `spare` is 0 in blocks with more than PMK_I_MOST_LINES lines,
 * in blocks at exception vectors, and on cores whose memory system is not that of an ARM11
 * (pmk_cpu.arm11.instead).
 */
static inline uint32_t pmk_arm11_fetch_changes(const struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint32_t lines;

	memcpy(&lines, &cpu->arm11.imap[(uint32_t)b->pc >> PMK_LINE_SHIFT], sizeof(lines));
	return ~(lines | b->arm11.spare);
}

/* Returns 0 if block `b` can start after `p` without fetching or waiting for anything. */
static inline uint64_t pmk_arm11_is_busy(const struct pmk_cpu *cpu, const struct pmk_block *p,
					 const struct pmk_block *b)
{
	return pmk_arm11_fetch_changes(cpu, b) | (p->arm11.late & b->arm11.wants) |
	       (cpu->arm11.pending & b->arm11.touches);
}

/*
 * Starts block `b`. `crossing` is pmk_cpu.crossing. `general` is true if `crossing` is true or if
 * counts are booked by site. Callers pass constants for both where they can. The facts of `b` are
 * not added here: pmk_cpu_sum() adds them later, or the owner adds them at every execution
 * (pmk_cpu.eager). The calls of slow paths are tail calls, so that the hot path saves no registers.
 */
static inline void pmk_arm11_start(struct pmk_cpu *cpu, const struct pmk_block *b, bool crossing,
				   bool general)
{
	const struct pmk_block *p = cpu->prev;
	uint64_t taken = b->pc != p->fall;
	uint64_t word = cpu->arm11.pred[p->arm11.branch];
	uint64_t busy = pmk_arm11_is_busy(cpu, p, b);
	uint64_t cycles = cpu->cycles + pmk_pred_cycles(word);

	cpu->executions[b->id].count++;
	cpu->prev = b;
	cpu->cycles = cycles + b->cycles;
	cpu->taken += taken;
	if (PMK_UNLIKELY(pmk_pred_changes(word, taken) | busy || crossing)) {
		if (general)
			pmk_arm11_block_general(cpu, p, b, taken, word);
		else
			pmk_arm11_block_slow(cpu, p, b, taken, word, busy);
		return;
	}
	if (PMK_UNLIKELY(cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

static inline void pmk_arm11_enter(struct pmk_cpu *cpu, const struct pmk_block *b, bool crossing)
{
	pmk_arm11_start(cpu, b, crossing, crossing);
}

static inline void pmk_arm11_enter_booked(struct pmk_cpu *cpu, const struct pmk_block *b,
					  bool crossing)
{
	pmk_arm11_start(cpu, b, crossing, true);
}

static inline void pmk_arm11_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	pmk_arm11_enter(cpu, b, false);
}

/*
 * Starts block `b` if only fetching and branch prediction are counted. Also counts the execution if
 * `count`, a constant, is true.
 */
static inline void pmk_arm11_enter_fetch(struct pmk_cpu *cpu, const struct pmk_block *b, bool count)
{
	const struct pmk_block *p = cpu->prev;
	uint64_t taken = b->pc != p->fall;
	uint64_t word = cpu->arm11.pred[p->arm11.branch];

	cpu->executions[b->id].count += count;
	cpu->prev = b;
	cpu->access = 0;
	if (PMK_UNLIKELY(pmk_state_differs(word, taken) | pmk_arm11_fetch_changes(cpu, b)))
		pmk_arm11_fetch_slow(cpu, p, b, taken, word);
}

/* Returns the index in `dmap` of an access of 1 << shift bytes. An unaligned access gets an index
 * in the empty part of the map. */
static inline uint32_t pmk_dmap_index(uint32_t addr, unsigned shift)
{
	uint32_t turned = shift ? addr >> shift | addr << (32 - shift) : addr;

	return turned >> (PMK_LINE_SHIFT - shift);
}

static inline bool pmk_arm11_load_hits(const struct pmk_cpu *cpu, uint32_t addr, unsigned shift)
{
	return PMK_LIKELY(cpu->arm11.dmap[pmk_dmap_index(addr, shift)] >= PMK_D_LOADS);
}

static inline void pmk_arm11_load(struct pmk_cpu *cpu, uint32_t addr, unsigned shift,
				  uint64_t access)
{
	if (!pmk_arm11_load_hits(cpu, addr, shift))
		pmk_arm11_load_slow(cpu, addr, access);
}

static inline bool pmk_arm11_store_hits(const struct pmk_cpu *cpu, uint32_t addr, unsigned shift)
{
	unsigned high = addr >> (PMK_LINE_SHIFT - 1) & 1;
	unsigned byte = cpu->arm11.dmap[pmk_dmap_index(addr, shift)];

	return PMK_LIKELY(byte >= PMK_D_STORES) ||
	       (byte >= PMK_D_LOADS && byte >> high & PMK_D_DIRTY_LO);
}

static inline void pmk_arm11_store(struct pmk_cpu *cpu, uint32_t addr, unsigned shift,
				   uint64_t access)
{
	if (!pmk_arm11_store_hits(cpu, addr, shift))
		pmk_arm11_store_slow(cpu, addr, access);
}

/*
 * Accounts for a store of several words, all in one line. It changes nothing if each half of the
 * line that it touches is already dirty.
 */
static inline void pmk_arm11_store_span(struct pmk_cpu *cpu, uint32_t addr, uint32_t bytes,
					uint64_t access)
{
	unsigned low = addr & 1u << (PMK_LINE_SHIFT - 1) ? 0 : PMK_D_DIRTY_LO;
	unsigned high = (addr + bytes - 1) & 1u << (PMK_LINE_SHIFT - 1) ? PMK_D_DIRTY_HI : 0;
	unsigned byte = cpu->arm11.dmap[pmk_dmap_index(addr, 2)];

	if (PMK_UNLIKELY(byte < PMK_D_STORES && ~byte & (PMK_D_LOADS | low | high)))
		pmk_arm11_store_slow(cpu, addr, pmk_access_resize(access, bytes));
}

/* Accounts for the accesses of a load or store multiple to one line, from `addr` on. */
static inline void pmk_arm11_multiple_line(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
					   bool write)
{
	uint32_t in_line = (1u << PMK_LINE_SHIFT) - (addr & ((1u << PMK_LINE_SHIFT) - 1)), left;

	if (!write) {
		pmk_arm11_load(cpu, addr, 2, access);
		return;
	}
	left = ((uint32_t)cpu->arm11.multiple_left + 1) * PMK_ACCESS_SIZE(access);
	pmk_arm11_store_span(cpu, addr, left < in_line ? left : in_line, access);
}

/*
 * Accounts for one word of a load or store multiple. The words after the first are sequential. Such
 * a word counts only if it is the first word of a line; it is then one more access (DAI 0195B §7).
 * `write` and `counted` are constants. `counted` is true if the facts of the block count the first
 * access.
 */
static inline void pmk_arm11_multiple(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
				      bool write, bool counted)
{
	cpu->access = access;
	if (--cpu->arm11.multiple_left >= 0) {
		if (PMK_UNLIKELY(!(addr & ((1u << PMK_LINE_SHIFT) - 1))))
			pmk_arm11_multiple_counts(cpu, addr, access, write);
		return;
	}
	cpu->arm11.multiple_left = (int32_t)PMK_ACCESS_COUNT(access) - 1;
	cpu->arm11.multiple_counts = counted ? PMK_SIG_NONE
				     : write ? PMK_SIG_L1D_WRITE
					     : PMK_SIG_L1D_READ;
	if (counted)
		pmk_arm11_multiple_line(cpu, addr, access, write);
	else
		pmk_arm11_multiple_counts(cpu, addr, access, write);
}

#endif
