/* SPDX-License-Identifier: MIT */
/*
 * The running core of a MicroBlaze (UG984, MicroBlaze Processor Reference Guide). It issues one
 * instruction at a time, in order, in one of three pipelines. It has direct-mapped caches,
 * optionally a branch target cache, and optionally an MMU with small shadow TLBs in front of a TLB
 * that software manages. cpu.h has the parts shared with the other cores (clock, blocks, totals).
 *
 * The hot paths are here and inline. A hit that changes nothing costs a few loads and compares.
 *
 * - Caches are direct mapped, so one compare with an entry of a table shows whether a *granule* is
 *   present, for any size of cache and line. A granule has 16 bytes, or is a word in a write-back
 *   cache. The table is indexed by the lower bits of the address. If lines are only valid as a
 *   whole, this table is the entire state of a data cache, and a miss costs little more than a hit.
 * - A table of edges remembers how many cycles it takes to go from one block to another if no line
 *   or page is missing. Going the same way again, with the branch target cache in the same state,
 *   costs two compares. When a line is evicted, or something is flushed, a new epoch begins and all
 *   edges are forgotten.
 * - Fetching needs no look-ups until a line in the same sector is evicted. The instruction cache is
 *   divided into PMK_MB_SECTORS sectors with a generation each, and a block remembers the
 *   generation of its own sector. Direct-mapped caches evict often. With only one generation, every
 *   block would take the slow path each time.
 * - The page from which instructions are fetched is the most recently used page of the instruction
 *   shadow TLB, so only a change of pages takes the slow path.
 * - The data shadow TLB replaces the least recently used page: an access stores its time with its
 *   page.
 * - The outcome of a block's last branch, which a delay slot may follow, is known when the next
 *   block starts. QEMU puts the slot of a branch at the end of a page into a block of its own: the
 *   branch's block is then `open`, and the two are joined when the slot starts.
 *
 * Where the manual is silent, there is a parameter (keys.c), or a comment says that something is
 * our choice.
 */
#ifndef PMK_CPU_MICROBLAZE_MICROBLAZE_H
#define PMK_CPU_MICROBLAZE_MICROBLAZE_H

#include "cpu/callbacks.h"
#include "cpu/cpu.h"
#include "cpu/decode.h"
#include "cpu/sites.h"

/* The facts of a block: numbers that each execution adds to the signal of the same name. There may
 * be at most PMK_NFACTS. */
/* clang-format off */
#define PMK_MB_FACTS(X) \
	X(INSN) X(LOAD_WORD) X(LOAD_HALF) X(LOAD_BYTE) X(STORE_WORD) X(STORE_HALF) X(STORE_BYTE) \
	X(LOAD) X(STORE) X(LOAD_SP) X(STORE_SP) X(BR_UNCOND) X(BR_UNCOND_DELAY) X(DELAY_NOP) \
	X(LOGICAL) X(ARITH) X(MUL) X(BARREL_SHIFT) X(SHIFT) X(DIV) X(VFP) X(IMM_PREFIX) \
	X(PATTERN_COMPARE) X(SIGN_EXTEND) X(ICACHE_OP) X(DCACHE_OP) X(STATUS_OP) X(L1I_ACCESS) \
	X(OF_STALL) X(EX_STALL) X(STREX)
/* clang-format on */

enum pmk_microblaze_fact {
#define X(name) PMK_MB_FACT_##name,
	PMK_MB_FACTS(X)
#undef X
		PMK_MB_NFACTS
};

extern const uint8_t pmk_microblaze_signal[PMK_MB_NFACTS];

/* Rows of pmk_cpu_microblaze.outcome, by how a block ends. The index within a row is 2 if the
 * branch was found in the branch target cache, plus 1 if it was taken. */
enum pmk_microblaze_row {
	PMK_MB_ROW_OTHER = 0, /* no conditional branch */
	PMK_MB_ROW_CONDITIONAL = 4,
	PMK_MB_ROW_DELAYED = 8, /* with a delay slot */
	PMK_MB_ROW_PREDICTED = 12,
	PMK_MB_ROW_PREDICTED_DELAYED = 16,
};

/* How the outcome of a conditional branch becomes known. */
enum pmk_microblaze_sure {
	PMK_MB_LOOKED_AT, /* the next block shows the outcome */
	PMK_MB_TAKEN,
	PMK_MB_NOT_TAKEN,
	PMK_MB_HIDDEN, /* not visible, because the branch goes to the next instruction */
};

/* Values of an empty entry of the branch target cache, and of a branch that the cache does not
 * predict. Their upper halves are no addresses of instructions, which are multiples of 4. */
#define PMK_MB_NO_BRANCH  (UINT64_C(2) << 32)
#define PMK_MB_NO_PREDICT (UINT64_C(1) << 32)

/* Offset of the vectors from vectors.base (UG984, "Reset, Interrupts, Exceptions, and Break"). */
enum { PMK_MB_VECTOR_INTERRUPT = 0x10, PMK_MB_VECTOR_EXCEPTION = 0x20 };

#define PMK_MB_MAX_BYTES   65536 /* bytes of a cache */
#define PMK_MB_GRAIN	   4	 /* log2 of the shortest line */
#define PMK_MB_WORD_GRAIN  2	 /* log2 of a word */
#define PMK_MB_MAX_LINES   (PMK_MB_MAX_BYTES >> PMK_MB_GRAIN)
#define PMK_MB_SECTORS	   16
/* Used in place of the number of a sector: the block is in more than one sector, or in none because
 * the cache does not hold its instructions. */
#define PMK_MB_SEVERAL	   PMK_MB_SECTORS
#define PMK_MB_UNCACHED	   (PMK_MB_SECTORS + 1)
#define PMK_MB_MAX_BTC	   2048
#define PMK_MB_MAX_SHADOWS 8
#define PMK_MB_PAGES	   (1u << (32 - PMK_PAGE_SHIFT))
#define PMK_MB_NO_PAGE	   UINT32_MAX
#define PMK_MB_NO_GRANULE  UINT32_MAX

/*
 * Bits of a word of `dline`. They are above the bits of the valid words and below the number of the
 * line.
 */
#define PMK_MB_DIRTY   (UINT64_C(1) << 16)
#define PMK_MB_NO_LINE (UINT64_C(0xffffffff) << 32) /* no line has so high a number */

/* The cost of going from one block to another on the hot path. */
struct pmk_microblaze_edge {
	uint64_t key;	  /* numbers of both blocks and the epoch; 0: there is no edge */
	uint64_t said;	  /* the branch target cache's entry when the edge was last updated */
	uint32_t extra;	  /* cycles between the two blocks */
	uint16_t wait;	  /* the part of `extra` that is spent waiting for operands */
	uint16_t outcome; /* index into pmk_cpu_microblaze.outcome */
};

#define PMK_MB_EDGES	  8192
/* The key of an edge has the numbers of two blocks, and the epoch above them. */
#define PMK_MB_BLOCK_BITS 21
#define PMK_MB_EPOCH	  (UINT64_C(1) << 2 * PMK_MB_BLOCK_BITS)
/* Used in place of a block's number if the block is not one of the program. */
#define PMK_MB_NO_BLOCK	  PMK_MAX_BLOCKS

/*
 * Returns log2 of the bytes of a granule, which an entry of `present` describes. In a write-back
 * cache a granule is a word, because the words of a line can be valid one by one.
 */
static inline unsigned pmk_microblaze_grain(const struct pmk_core *core)
{
	return core->dcache.wt ? PMK_MB_GRAIN : PMK_MB_WORD_GRAIN;
}

/* Returns the mask that makes the number of a granule (address >> pmk_microblaze_grain()) an index
 * of `present`. Write-back caches are no larger than the table, so no two granules that the cache
 * holds at the same time share an entry. */
static inline uint32_t pmk_microblaze_present_mask(const struct pmk_core *core)
{
	uint64_t bytes = core->dcache.wt ? core->dcache.size : PMK_MB_MAX_BYTES;

	return (uint32_t)(bytes >> pmk_microblaze_grain(core)) - 1;
}

struct pmk_microblaze_tables {
	uint64_t epoch;
	uint32_t line_granules; /* number of granules in a line of data, minus 1 */
	uint32_t present_mask;	/* last index of `present` and `dirty` that is in use */
	uint64_t btc[PMK_MB_MAX_BTC +
		     1]; /* branch << 32 | its last target; the additional entry stays empty */
	uint64_t generation[PMK_MB_UNCACHED + 1];
	/* `page` is the address of the page from which instructions are fetched. `page_mask` has
	 * the bits of an address that select the page, and is 0 without an MMU. */
	uint32_t page, page_mask;
	uint32_t wrong_cycles;		  /* value of pmk_microblaze_wrong_cycles() */
	uint64_t wbuf_room;		  /* how many cycles of writes the write buffer holds */
	int64_t used[PMK_MB_MAX_SHADOWS]; /* when each entry of the data shadow TLB was used last */
	struct pmk_microblaze_edge edge[PMK_MB_EDGES];
	/* `present` has the granules for which a load changes nothing, and `dirty` those for which
	 * a store to a write-back cache changes nothing. The index is the lower bits of the
	 * granule's number. For a write-through cache, `present` uses one entry per granule of the
	 * cache. */
	uint32_t present[PMK_MB_MAX_BYTES >> PMK_MB_WORD_GRAIN];
	uint32_t dirty[PMK_MB_MAX_BYTES >> PMK_MB_WORD_GRAIN];
	/* Members that are used only on slow paths. */
	/* Cached addresses. */
	uint64_t cached_size;
	uint32_t cached_base;
	uint64_t dline[PMK_MB_MAX_LINES]; /* write-back: line number << 32 | dirty and valid bits */
	uint32_t iline[PMK_MB_MAX_LINES]; /* line number */
	uint32_t sector_shift;	 /* log2 of the lines of a sector of the instruction cache */
	uint32_t ishift, iindex; /* log2 of a line's bytes, last index */
	/* For the data cache: log2 of a line's bytes, last index, number of words in a line minus
	 * 1. */
	uint32_t dshift, dindex, dwords;
	uint32_t grain;			   /* PMK_MB_GRAIN or PMK_MB_WORD_GRAIN, for `present` */
	uint32_t itlb[PMK_MB_MAX_SHADOWS]; /* most recently used first */
	uint32_t dtlb[PMK_MB_MAX_SHADOWS];
	struct pmk_tlb utlb;
	struct pmk_block joined; /* an open block and its slot */
	/* Tables by page number. `shadow` has the page's entry in the data shadow TLB plus 1, or 0.
	 * `unified` is true if the unified TLB has the page. A program touches only a small part of
	 * both tables. */
	uint8_t shadow[PMK_MB_PAGES];
	bool unified[PMK_MB_PAGES];
};

/* MicroBlaze's parts of struct pmk_core_family, which cpu/family.h explains. */
extern const struct pmk_core_params pmk_microblaze_params;
extern const struct pmk_core_decoder pmk_microblaze_decoder;
extern const struct pmk_core_builder pmk_microblaze_builder;
extern const struct pmk_core_run pmk_microblaze_run;
extern const struct pmk_core_callbacks pmk_microblaze_callbacks;
extern const struct pmk_core_system pmk_microblaze_system;
extern const struct pmk_core_counts pmk_microblaze_counts;

/* No instruction waits for r0. So the bit of r0 in `late` and `wants` of blocks means that the next
 * block takes the slow path. */
#define PMK_MB_LOOK UINT64_C(1)

/* Returns log2 of the bytes in a sector of the instruction cache. */
unsigned pmk_microblaze_sector_bits(const struct pmk_core *core);

/* How the pipeline times a sequence of instructions: pipeline.c. */
struct pmk_microblaze_timing {
	uint32_t cycles;
	uint32_t of_stall, ex_stall; /* parts of `cycles`: waiting for operands, executing */
	/* `need`: cycle in which each register is first needed, or PMK_PIPE_FAR. `residue`: cycles
	 * from the end of the sequence until each register is ready. */
	uint8_t need[PMK_MB_REGS], residue[PMK_MB_REGS];
};

void pmk_microblaze_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			 struct pmk_pipe_slot *slots, struct pmk_microblaze_timing *out);

/* Return the cycles beyond the first one of a taken branch or break, of a return, and of a branch
 * that was predicted wrong (UG984, instruction pages and "Branch Target Cache"). */
unsigned pmk_microblaze_taken_cycles(const struct pmk_core *core, bool delayed);
unsigned pmk_microblaze_return_cycles(const struct pmk_core *core);
unsigned pmk_microblaze_wrong_cycles(const struct pmk_core *core);

/* True if no data access changes a count, so that the emulator need not report accesses. */
bool pmk_microblaze_data_is_local(const struct pmk_core *core);

/* Starts block `b` if there is no remembered edge for it, or if something has changed. */
PMK_SLOW void pmk_microblaze_block_anew(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b);
/* Starts block `b` on the slow path if only fetching is counted. */
PMK_SLOW void pmk_microblaze_fetch_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
					const struct pmk_block *b);
PMK_SLOW void pmk_microblaze_load_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
PMK_SLOW void pmk_microblaze_store_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
/*
 * Accounts for a load that misses a write-through cache, or is not cached. The caller has
 * translated its address.
 */
PMK_SLOW void pmk_microblaze_load_missed(struct pmk_cpu *cpu, uint32_t addr, uint64_t access);
static inline uint64_t pmk_microblaze_key(const struct pmk_microblaze_tables *m,
					  const struct pmk_block *p, const struct pmk_block *b)
{
	return (p->id | (uint64_t)b->id << PMK_MB_BLOCK_BITS) + m->epoch;
}

static inline struct pmk_microblaze_edge *pmk_microblaze_edge(struct pmk_microblaze_tables *m,
							      const struct pmk_block *p,
							      const struct pmk_block *b)
{
	return &m->edge[(p->id * 5 + b->id) % PMK_MB_EDGES];
}

/*
 * Starts block `b`: accounts for the end of the previous block, fetches `b`, and waits for results.
 * `crossing` is the value of pmk_cpu.crossing. `booked` is a constant that is true if the program
 * is recorded.
 */
static inline void pmk_microblaze_start(struct pmk_cpu *cpu, const struct pmk_block *b,
					bool crossing, bool booked)
{
	const struct pmk_block *p = cpu->prev;
	const struct pmk_microblaze_edge *e = pmk_microblaze_edge(cpu->microblaze.tables, p, b);
	uint64_t cycles = cpu->cycles + e->extra;

	cpu->executions[b->id].count++;
	if (PMK_UNLIKELY(crossing || e->key != pmk_microblaze_key(cpu->microblaze.tables, p, b) ||
			 e->said != cpu->microblaze.tables->btc[p->microblaze.end.entry])) {
		if (booked)
			pmk_sites_at(cpu, PMK_SITE_LEAVE);
		pmk_microblaze_block_anew(cpu, p, b);
		return;
	}
	cpu->prev = b;
	cpu->microblaze.outcome[e->outcome]++;
	cpu->dyn[PMK_SIG_OF_STALL] += e->wait;
	if (booked)
		pmk_counted_left(cpu, &cpu->microblaze.outcome[e->outcome], 1);
	if (booked && e->wait)
		pmk_counted_left(cpu, &cpu->dyn[PMK_SIG_OF_STALL], e->wait);
	cpu->cycles = cycles + b->cycles;
	if (PMK_UNLIKELY(cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

static inline void pmk_microblaze_enter(struct pmk_cpu *cpu, const struct pmk_block *b,
					bool crossing)
{
	pmk_microblaze_start(cpu, b, crossing, false);
}

static inline void pmk_microblaze_enter_booked(struct pmk_cpu *cpu, const struct pmk_block *b,
					       bool crossing)
{
	pmk_microblaze_start(cpu, b, crossing, true);
}

static inline void pmk_microblaze_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	pmk_microblaze_enter(cpu, b, false);
}

/*
 * Starts block `b` if only fetching is counted. `count` is a constant; if it is true, executions of
 * the block are counted here.
 */
static inline void pmk_microblaze_fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b,
					      bool count)
{
	const struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	struct pmk_executions *executions = &cpu->executions[b->id];
	const struct pmk_block *p = cpu->prev;

	executions->count += count;
	cpu->prev = b;
	if (PMK_UNLIKELY(executions->igen != m->generation[b->microblaze.sector] || p->disturbs ||
			 ((b->pc ^ m->page) | (b->end_addr ^ m->page)) & m->page_mask))
		pmk_microblaze_fetch_slow(cpu, p, b);
}

/*
 * Functions for data accesses. Callers pass constants for `mmu` and `grain`. `mmu` is true if
 * address translation is on. `grain` is log2 of the bytes that an entry of `held` describes:
 * PMK_MB_GRAIN, or PMK_MB_WORD_GRAIN if the words of a line can be valid one by one.
 */
static inline bool pmk_microblaze_holds(const struct pmk_microblaze_tables *m, const uint32_t *held,
					uint32_t addr, unsigned grain)
{
	uint32_t granule = addr >> grain;

	return PMK_LIKELY(held[granule & m->present_mask] == granule);
}

/* True if the address is certainly cached. If the result is false, the slow path must decide. */
static inline bool pmk_microblaze_cached(const struct pmk_cpu *cpu, uint32_t addr)
{
	return PMK_LIKELY(addr - cpu->microblaze.tables->cached_base <
				  cpu->microblaze.tables->cached_size &&
			  !cpu->is_device);
}

/* Translates the address. Returns false if the translation takes time; the access must then take
 * the slow path. */
static inline bool pmk_microblaze_translated(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
					     bool mmu)
{
	unsigned entry = mmu ? cpu->microblaze.tables->shadow[addr >> PMK_PAGE_SHIFT] : 0;

	if (!mmu)
		return true;
	if (PMK_UNLIKELY(!entry))
		return false;
	cpu->microblaze.tables->used[entry - 1] =
		(int64_t)(cpu->cycles - PMK_ACCESS_TO_END(access));
	return true;
}

static inline void pmk_microblaze_load(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
				       bool mmu, unsigned grain)
{
	if (PMK_UNLIKELY(!pmk_microblaze_translated(cpu, addr, access, mmu)))
		pmk_microblaze_load_slow(cpu, addr, access);
	else if (PMK_UNLIKELY(!pmk_microblaze_holds(cpu->microblaze.tables,
						    cpu->microblaze.tables->present, addr, grain)))
		(grain == PMK_MB_GRAIN ? pmk_microblaze_load_missed
				       : pmk_microblaze_load_slow)(cpu, addr, access);
}

/* Stores to a write-back cache. A store to a valid word of a dirty line changes nothing. */
static inline void pmk_microblaze_store_back(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
					     bool mmu)
{
	if (PMK_UNLIKELY(!pmk_microblaze_translated(cpu, addr, access, mmu) ||
			 !pmk_microblaze_holds(cpu->microblaze.tables,
					       cpu->microblaze.tables->dirty, addr,
					       PMK_MB_WORD_GRAIN)))
		pmk_microblaze_store_slow(cpu, addr, access);
}

/* Stores to a write-through cache. Every store goes into the write buffer and waits until there is
 * room in it. A line that is not in the cache is not fetched. */
static inline void pmk_microblaze_store_through(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
						bool mmu)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	uint64_t issue = cpu->cycles - PMK_ACCESS_TO_END(access);
	uint64_t empty =
		pmk_later(cpu->microblaze.lsu.wbuf_empty, issue) + cpu->microblaze.lsu.write_cycles;
	unsigned entry = mmu ? m->shadow[addr >> PMK_PAGE_SHIFT] : 1;

	if (PMK_UNLIKELY(!entry || empty - issue > m->wbuf_room)) {
		pmk_microblaze_store_slow(cpu, addr, access);
		return;
	}
	if (PMK_UNLIKELY(!pmk_microblaze_holds(m, m->present, addr, PMK_MB_GRAIN))) {
		if (!pmk_microblaze_cached(cpu, addr)) {
			pmk_microblaze_store_slow(cpu, addr, access);
			return;
		}
		pmk_sites_access(cpu, access);
		cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
	}
	cpu->microblaze.lsu.wbuf_empty = empty;
	if (mmu)
		m->used[entry - 1] = (int64_t)issue;
}

/*
 * Does what pmk_microblaze_store_through() does, on a core without a clock. There, a store to a
 * present line changes nothing.
 */
static inline void pmk_microblaze_store_alone(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
					      bool mmu)
{
	if (PMK_UNLIKELY(!pmk_microblaze_translated(cpu, addr, access, mmu) ||
			 !pmk_microblaze_holds(cpu->microblaze.tables,
					       cpu->microblaze.tables->present, addr,
					       PMK_MB_GRAIN)))
		pmk_microblaze_store_slow(cpu, addr, access);
}

#endif
