/* SPDX-License-Identifier: MIT */
/*
 * The running core of an A64 processor: Cortex-A53 and similar cores. Such a core issues two
 * instructions at a time, in order. It has split L1 caches with 64-byte lines, a unified L2, a
 * micro-TLB for instructions and one for data in front of a main TLB, and a direction predictor
 * with global history. Cores that execute out of order are in window.h. cpu.h has what all families
 * share: the clock, blocks and totals.
 *
 * The hot paths are here and inline. An access that hits and changes nothing costs two loads and a
 * few operations.
 *
 * - `fast` has words for data lines. The low bits of a line's number are the index of its word, so
 *   several lines share a word. The word holds the address of one of these lines and, in the low
 *   six bits (which are free, because lines have 64 bytes), flags. The flags say that a load of
 *   this line, or a store to it, changes nothing in the core. After these words come words for
 *   pages that the data micro-TLB holds. All these words are hints: if an access does not find its
 *   line and its page there, it takes the slow path, and the directories of the caches decide. A
 *   byte per line, as for an ARM11, is impossible for an address space of 64 bits. Because pages
 *   have words of their own, a micro-TLB miss need not change the words of the page's lines. When
 *   it did, changing them took most of the time of programs that miss a lot.
 * - Fetching a block looks up nothing while all its lines are present and no page has left the
 *   instruction micro-TLB since the last time: known.h.
 * - The outcome of a block's last branch is known when the next block starts.
 *
 * Where the manuals do not say how the core works, there is a parameter: keys.c.
 */
#ifndef PMK_CPU_A64_A64_H
#define PMK_CPU_A64_A64_H

#include "cpu/a64/cache.h"
#include "cpu/a64/predict.h"
#include "cpu/a64/prefetch.h"
#include "cpu/a64/window.h"
#include "cpu/callbacks.h"
#include "cpu/cpu.h"
#include "cpu/decode.h"
#include "cpu/sites.h"

/* Out of order: cycles from the issue of a load that hits until its value is available. */
#define PMK_A64_LOAD_HIT 4

#define PMK_A64_FAST_LINES 8192 /* 16 times the lines of a 32 KB cache, so collisions are rare */
#define PMK_A64_FAST_PAGES 256
#define PMK_A64_MAIN_PAGES 1024

/* The facts of a block: numbers that each execution adds to the signal of the same name. At most
 * PMK_NFACTS. */
/* clang-format off */
#define PMK_A64_FACTS(X) \
	X(INSN) X(BRANCH) X(LOAD) X(STORE) X(BR_IMM) X(BR_RETURN) X(BR_INDIRECT) X(BR_PREDICTABLE) \
	X(MEM_READ) X(MEM_WRITE) X(L1D_LOOKUP_READ) X(L1D_LOOKUP_WRITE) X(LDREX) X(STREX) \
	X(LD_ACQUIRE) X(ST_RELEASE) X(DP) X(ASE) X(VFP) X(CRYPTO) X(ISB) X(DSB) X(DMB) \
	X(CID_WRITE) X(TTBR_WRITE) X(EXC_SVC) X(EXC_HVC) X(EXC_SMC) X(EXC_UNDEF) X(EXC_RETURN) \
	X(L1I_ACCESS) X(DATA_STALL) X(BR_COND) X(ADDRESS_STALL) X(SIMD_STALL) X(FETCH_STALL)
/* clang-format on */

enum pmk_a64_fact {
#define X(name) PMK_A64_FACT_##name,
	PMK_A64_FACTS(X)
#undef X
		PMK_A64_NFACTS
};

extern const uint8_t pmk_a64_signal[PMK_A64_NFACTS];

/* How a block is left: pmk_block_a64.end. */
enum pmk_a64_end {
	PMK_A64_FALLS,	     /* no branch at the end */
	PMK_A64_GOES,	     /* unconditional, constant target, no call */
	PMK_A64_CONDITIONAL, /* predicted by history */
	/* OTHER: calls, returns, indirect branches, exceptions, maintenance, and all branches
	 * without prediction. RETURNS: a return from an exception in system emulation. Both take
	 * the slow path. */
	PMK_A64_OTHER,
	PMK_A64_RETURNS
};

/* Bits of a word of `fast`. They are above the bits that show whether an address is aligned. */
#define PMK_A64_LOAD_OK	 UINT64_C(0x10)
#define PMK_A64_STORE_OK UINT64_C(0x20)

/* How long `to` waits for results of `from`, remembered from wait_between(). */
struct pmk_a64_edge {
	const struct pmk_block *from, *to;
	uint8_t wait;
	uint8_t place; /* the register or unit that `to` waits for longest */
};

#define PMK_A64_EDGES 256

/* A table of exception vectors, or, until that is certain, a place that may be one. */
struct pmk_a64_vectors {
	uint64_t base;
	bool sure;
	/*
	 * How often the table was entered before it was known to be a table, by kind of exception.
	 */
	uint64_t entered[4];
};

#define PMK_A64_VECTORS 64

/* How many nested exceptions are remembered. */
#define PMK_A64_NESTED 32

struct pmk_a64 {
	uint64_t fast[PMK_A64_FAST_LINES + PMK_A64_FAST_PAGES];
	struct pmk_a64_predictor predictor;
	/* Number of pages in the data micro-TLB that share each page word of `fast`. */
	uint8_t mapped[PMK_A64_FAST_PAGES];
	/* Number of lines in the data cache that share each line word of `fast`. */
	uint16_t held[PMK_A64_FAST_LINES];
	/* The addresses of the first piece, and of the last piece so far, of the access that the
	 * emulator is reporting in pieces. */
	uint64_t piece_first, piece_last;
	uint32_t piece_info; /* the emulator's description of the last piece */
	struct pmk_a64_cache icache, dcache, l2;
	struct pmk_tlb itlb, dtlb, main_tlb;
	/* Indexed by the low bits of a page number: a page that the instruction micro-TLB holds, or
	 * PMK_NO_PAGE. */
	uint64_t ipage[PMK_A64_FAST_PAGES];
	/* Indexed by the low bits of a page number: a page that the main TLB holds, or
	 * PMK_NO_PAGE. */
	uint64_t main_page[PMK_A64_MAIN_PAGES];
	struct pmk_known known;
	struct pmk_a64_edge edge[PMK_A64_EDGES];
	/* Tables of exception vectors. `next_vectors` counts replacements: see table_of() in
	 * except.c. */
	struct pmk_a64_vectors vectors[PMK_A64_VECTORS];
	uint32_t next_vectors;
	/*
	 * `from`: the levels from which the active exceptions were taken, the innermost last.
	 * `returned_from`: if the last change of level was an exception return, the level of the
	 * handler that returned; otherwise 0.
	 */
	uint8_t from[PMK_A64_NESTED], nfrom, returned_from;
	struct pmk_a64_window window;
	struct pmk_a64_prefetcher prefetcher;
};

/* Decoding of translated code: decode.c. */
int pmk_a64_decoder_init(struct pmk_decoder *d);
void pmk_a64_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		    struct pmk_insn *in);

/* The functions that an emulator calls: watch.c. */
pmk_block_fn pmk_a64_start_single, pmk_a64_start_eager, pmk_a64_start_booked;
pmk_block_fn pmk_a64_window_start_single, pmk_a64_window_start_eager, pmk_a64_window_start_booked;
extern pmk_block_fn *const pmk_a64_on_fetch[2], *const pmk_a64_on_lines[2];
bool pmk_a64_is_under_way(const struct pmk_cpu *cpu);
void pmk_a64_drop(struct pmk_cpu *cpu);
pmk_access_fn *pmk_a64_watch(const struct pmk_core *core, bool single, const struct pmk_insn *in,
			     const struct pmk_block *b, const struct pmk_pipe_slot *pipe,
			     uint64_t *access);
/* Returns the core if this is the first piece of an access, otherwise NULL ("accesses in pieces" in
 * watch.c). */
struct pmk_cpu *pmk_a64_first(unsigned vcpu, uint32_t info, uint64_t addr, const void *access);
struct pmk_access_test pmk_a64_test(const struct pmk_core *core, const struct pmk_insn *in);
void *pmk_a64_tables(const struct pmk_cpu *cpu);

/* Exceptions: except.c. pmk_a64_find_vectors() finds tables of vectors that decoded code sets.
 * pmk_a64_vector() returns PMK_ENTRY_… bits if there may be a vector at `pc`, otherwise 0.
 * pmk_a64_handle() is called before a block of a handler, or a block that may be at a vector,
 * starts. */
void pmk_a64_find_vectors(struct pmk_decoder *d, const struct pmk_raw *raw,
			  const struct pmk_insn *in, size_t n);
unsigned pmk_a64_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc);
PMK_SLOW void pmk_a64_handle(struct pmk_cpu *cpu, const struct pmk_block *b);
/*
 * Changes of the exception level: level.c. pmk_a64_returns_to() is called when the core has
 * returned from an exception to `b`, pmk_a64_takes() when it has taken an exception; `from_lower`
 * is true if the vector is one for exceptions from a lower level. pmk_a64_show_level() is called
 * when an access shows the level.
 */
PMK_SLOW void pmk_a64_returns_to(struct pmk_cpu *cpu, const struct pmk_block *b);
void pmk_a64_takes(struct pmk_cpu *cpu, bool from_lower);
PMK_SLOW void pmk_a64_show_level(struct pmk_cpu *cpu, uint32_t info);

/* Called before a block starts in system emulation. */
static inline void pmk_a64_before(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	if (PMK_UNLIKELY(cpu->prev->a64.end == PMK_A64_RETURNS) && cpu->level.watched)
		pmk_a64_returns_to(cpu, b);
}

/* Account for the end of `p` if an exception came before the block to which `p` leads. */
void pmk_a64_interrupted(struct pmk_cpu *cpu, const struct pmk_block *p);

/* The parts of a family (family.h) with this pipeline. A32 uses them, too, except pmk_a64_callbacks
 * and pmk_a64_counts. In place of these two it has its own, made from the functions and lists of
 * signals below. */
extern const struct pmk_core_params pmk_a64_params;
extern const struct pmk_core_builder pmk_a64_builder;
extern const struct pmk_core_run pmk_a64_run;
extern const struct pmk_core_callbacks pmk_a64_callbacks;
extern const struct pmk_core_counts pmk_a64_counts;
struct pmk_signal_set pmk_a64_raises(const struct pmk_core *core);
uint64_t pmk_a64_insns_per_cycle(const struct pmk_core *core);
extern const uint8_t pmk_a64_data[], pmk_a64_fetch[], pmk_a64_lines[];
void pmk_a64_derive(const struct pmk_cpu *cpu, uint64_t *totals);
extern const struct pmk_counted_signal pmk_a64_counted[];

/*
 * *Places*, the indexes of need[] and residue[]: registers and, from PMK_NREGS on, units. need[]
 * has the cycle, counted from the start of the instructions, in which a place is first needed, or
 * PMK_PIPE_FAR if the instructions do not need it. residue[] has the cycles from the end of the
 * instructions until the register has its value, or the unit is free. SP is never loaded and never
 * late, so in sets of registers its bit stands for all units together.
 */
enum pmk_a64_place {
	PMK_A64_FP = PMK_NREGS,
	PMK_A64_DIVIDER,
	PMK_A64_LOAD_STORE,
};
#define PMK_A64_UNITS (UINT64_C(1) << 31)

/* A result that arrives more than this many cycles after the end of its block, such as that of a
 * division, is remembered until it is available, so any later block can wait for it. Only the next
 * block can wait for a result that arrives earlier. */
#define PMK_A64_LONG 8

/* The kinds of waiting instructions that the Cortex-A53 counts separately (DDI 0500 12.9, 0xE4 to
 * 0xE6). */
enum pmk_a64_waiter { PMK_A64_WAITS, PMK_A64_WAITS_ADDRESS, PMK_A64_WAITS_SIMD };

/* The pipeline's view of a sequence of instructions: pipeline.c. */
struct pmk_a64_timing {
	uint32_t cycles, data_stall;
	uint32_t fetch_stall;		    /* a part of `cycles` after the last instruction */
	uint32_t address_stall, simd_stall; /* parts of data_stall */
	/* Registers that are first needed for an address, or by a SIMD instruction. */
	uint64_t address, simd;
	uint64_t writes; /* registers that the sequence writes */
	uint8_t need[PMK_A64_PLACES], residue[PMK_A64_PLACES];
	/*
	 * A multiply-accumulate can add to the result of another one earlier than other
	 * instructions can use that result. `need_sum` is `need` for a register that holds such a
	 * result, and `sums` has the registers that hold one at the end.
	 */
	uint8_t need_sum[PMK_NREGS];
	uint64_t sums;
};

/* True if the core executes A64, false if it executes A32 and T32. */
static inline bool pmk_a64_is_a64(const struct pmk_core *core)
{
	return core->isa[1] == '6';
}

/* Returns the cycles of a multiplication. */
static inline unsigned pmk_a64_mul_latency(const struct pmk_core *core)
{
	return core->a64.mul_latency ? (unsigned)core->a64.mul_latency : core->a64.window ? 3 : 4;
}

static inline unsigned pmk_a64_fp_mac(const struct pmk_core *core)
{
	return core->a64.fp_mac ? (unsigned)core->a64.fp_mac : core->a64.window ? 7 : 8;
}

/* Returns the cycles of a floating-point division. `wide` is true for double precision. */
static inline unsigned pmk_a64_fp_div(const struct pmk_core *core, bool wide)
{
	uint64_t cycles = wide ? core->a64.fp_div : core->a64.fp_div32;

	if (cycles)
		return (unsigned)cycles;
	return core->a64.window ? (wide ? 18 : 11) : (wide ? 33 : 18);
}

/*
 * True if instructions `i` and i + 1 of `n`, or i - 1 and `i`, are an AESE or AESD followed by an
 * AESMC or AESIMC of its result. Cores execute such a pair as one operation.
 */
bool pmk_a64_is_round(const struct pmk_insn *insn, size_t n, size_t i);

void pmk_a64_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		  struct pmk_pipe_slot *slots, struct pmk_a64_timing *out);

/*
 * If no instruction of the block needs the value of a load, pmk_pipe_slot.use has the registers
 * that still hold the value at the end of the block. If they are one or two, it has their numbers.
 * Otherwise bit 13 (PMK_A64_ROW) is set, and it has the number of the first of four consecutive
 * vector registers and a bit for each of the four.
 */
#define PMK_A64_OPEN 0xC000u
#define PMK_A64_ROW  0x2000u

static inline uint32_t pmk_a64_open(const struct pmk_insn *in, uint64_t regs)
{
	uint32_t first = in->rd > 31 ? (uint32_t)in->rd - 32 : 0, row = 0;

	if (regs && __builtin_popcountll(regs) <= 2)
		return PMK_A64_OPEN | (uint32_t)__builtin_ctzll(regs) |
		       (uint32_t)(63 - __builtin_clzll(regs)) << 6;
	for (uint32_t i = 0; i < 4; i++)
		row |= (uint32_t)(regs >> (32 + (first + i) % 32) & 1) << i;
	return PMK_A64_OPEN | PMK_A64_ROW | first | row << 5;
}

static inline uint64_t pmk_a64_open_regs(uint32_t use)
{
	uint64_t regs = 0;

	if (!(use & PMK_A64_ROW))
		return UINT64_C(1) << (use & 63) | UINT64_C(1) << (use >> 6 & 63);
	for (uint32_t i = 0; i < 4; i++)
		regs |= (uint64_t)(use >> (5 + i) & 1) << (32 + ((use & 31) + i) % 32);
	return regs;
}

/* Record that registers will get their values at `ready`. */
static inline void pmk_a64_expect(struct pmk_cpu *cpu, uint64_t regs, uint64_t ready)
{
	for (uint64_t rest = regs; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);

		/* A load from two lines is complete when the later one arrives. */
		cpu->a64.ready[r] =
			cpu->a64.pending >> r & 1 ? pmk_later(cpu->a64.ready[r], ready) : ready;
	}
	cpu->a64.pending |= regs;
	cpu->a64.loaded |= regs;
}

/* Returns the number of look-ups that an access makes: one for every `dcache.bytes`. */
static inline unsigned pmk_a64_pieces(const struct pmk_core *core, unsigned bytes)
{
	return (bytes + (unsigned)core->a64.l1d_bytes - 1) / (unsigned)core->a64.l1d_bytes;
}

/*
 * Returns the word that a memory callback gets about its instruction: pmk_access_pack() with the
 * number of look-ups and the bytes of the whole access, and in bits 48 to 50 log2 of the bytes of
 * an element.
 */
static inline uint64_t pmk_a64_access(const struct pmk_core *core, uint32_t to_end, uint32_t use,
				      const struct pmk_insn *in)
{
	unsigned elem = in->mem_bytes >= 16  ? 4
			: in->mem_bytes >= 8 ? 3
			: in->mem_bytes >= 4 ? 2
			: in->mem_bytes >= 2 ? 1
					     : 0;

	return pmk_access_pack(to_end, use, pmk_a64_pieces(core, in->mem_total), in->mem_total) |
	       (uint64_t)elem << 48;
}
#define PMK_A64_ELEM(access) ((uint32_t)((access) >> 48) & 7)

PMK_SLOW void pmk_a64_block_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
				 const struct pmk_block *b, uint64_t taken, uint64_t left,
				 uint64_t waits);
PMK_SLOW void pmk_a64_lines_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
				 const struct pmk_block *b);
PMK_SLOW void pmk_a64_window_slow(struct pmk_cpu *cpu, const struct pmk_block *p,
				  const struct pmk_block *b, uint64_t taken, uint64_t left);
PMK_SLOW void pmk_a64_load_slow(struct pmk_cpu *cpu, uint64_t addr, uint64_t access);
PMK_SLOW void pmk_a64_store_slow(struct pmk_cpu *cpu, uint64_t addr, uint64_t access);
/*
 * Account for a DC ZVA that has written the line of `addr`. The block's facts already count its
 * look-up in the cache.
 */
PMK_SLOW void pmk_a64_zero_line(struct pmk_cpu *cpu, uint64_t addr, uint64_t access);
PMK_SLOW void pmk_a64_preload(struct pmk_cpu *cpu, uint64_t addr, uint64_t access);

/*
 * Returns nonzero if the slow path must handle how `p` was left: if a plain conditional branch was
 * mispredicted, or `p` ends in a way that leave_block() in a64.c accounts for.
 */
static inline uint64_t pmk_a64_leave(struct pmk_a64_predictor *predictor, const struct pmk_block *p,
				     uint64_t taken)
{
	/* PMK_A64_FALLS is 0 and PMK_A64_GOES is 1. These are the values of `taken` in the two
	 * cases. No other kind equals `taken`. */
	if (p->a64.end != PMK_A64_CONDITIONAL)
		return p->a64.end ^ taken;
	return pmk_a64_predict_direction(predictor, p->a64.counter, taken);
}

/* Start block `b` on a core that executes in order: account for the end of the previous block,
 * fetch `b`, and wait for results. `crossing` is pmk_cpu.crossing, or false where it cannot be
 * set. */
static inline void pmk_a64_enter(struct pmk_cpu *cpu, const struct pmk_block *b, bool crossing)
{
	const struct pmk_block *p = cpu->prev;
	uint64_t taken = b->pc != p->fall;
	uint64_t left = pmk_a64_leave(&cpu->a64.tables->predictor, p, taken);
	struct pmk_executions *executions = &cpu->executions[b->id];
	uint64_t waits =
		(p->a64.late & b->a64.wants) | ((p->a64.late2 | cpu->a64.pending) & b->a64.wants2);
	uint64_t cycles = cpu->cycles;

	executions->count++;
	cpu->prev = b;
	cpu->cycles = cycles + b->cycles;
	cpu->taken += taken;
	cpu->a64.piece_of = 0;
	if (PMK_UNLIKELY(left | (executions->igen ^ cpu->igen) | waits || crossing))
		pmk_a64_block_slow(cpu, p, b, taken, left, waits);
	else if (PMK_UNLIKELY(cycles >= cpu->deadline))
		pmk_cpu_deadline(cpu, b);
}

/*
 * Start block `b` when only fetching and branch prediction are counted. Also counts the execution
 * if `count`, a constant, is true.
 */
static inline void pmk_a64_enter_fetch(struct pmk_cpu *cpu, const struct pmk_block *b, bool count)
{
	const struct pmk_block *p = cpu->prev;
	uint64_t taken = b->pc != p->fall;
	uint64_t left = pmk_a64_leave(&cpu->a64.tables->predictor, p, taken);
	struct pmk_executions *executions = &cpu->executions[b->id];

	executions->count += count;
	cpu->prev = b;
	cpu->taken += taken;
	cpu->access = 0;
	if (PMK_UNLIKELY(left | (executions->igen ^ cpu->igen)))
		pmk_a64_block_slow(cpu, p, b, taken, left, 0);
}

/* Start block `b` when only fetching is counted. Also counts the execution if `count` is true. */
static inline void pmk_a64_enter_lines(struct pmk_cpu *cpu, const struct pmk_block *b, bool count)
{
	const struct pmk_block *p = cpu->prev;
	struct pmk_executions *executions = &cpu->executions[b->id];

	executions->count += count;
	cpu->prev = b;
	cpu->access = 0;
	if (PMK_UNLIKELY(p->disturbs | (executions->igen ^ cpu->igen)))
		pmk_a64_lines_slow(cpu, p, b);
}

/* Start block `b` on a core that executes out of order. */
static inline void pmk_a64_window_enter(struct pmk_cpu *cpu, const struct pmk_block *b,
					bool crossing)
{
	const struct pmk_block *p = cpu->prev;
	uint64_t taken = b->pc != p->fall;
	uint64_t left = pmk_a64_leave(&cpu->a64.tables->predictor, p, taken);
	struct pmk_executions *executions = &cpu->executions[b->id];

	executions->count++;
	cpu->prev = b;
	cpu->taken += taken;
	cpu->a64.piece_of = 0;
	if (PMK_UNLIKELY(left | (executions->igen ^ cpu->igen) || cpu->cycles >= cpu->deadline ||
			 cpu->sites || crossing))
		pmk_a64_window_slow(cpu, p, b, taken, left);
	else
		pmk_a64_window_step(cpu, b);
}

static inline void pmk_a64_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	if (cpu->a64.window)
		pmk_a64_window_enter(cpu, b, false);
	else
		pmk_a64_enter(cpu, b, false);
}

/*
 * Returns nonzero if an access must take the slow path. It need not take it if it is aligned to
 * `align` and stays in one line, and `fast` has its page, and has its line with the flag `ok`.
 */
static inline uint64_t pmk_a64_odd(const struct pmk_cpu *cpu, uint64_t addr, unsigned align,
				   unsigned bytes, uint64_t ok)
{
	uint64_t w = cpu->a64.fast[addr >> PMK_A64_LINE_SHIFT & (PMK_A64_FAST_LINES - 1)];
	uint64_t page = cpu->a64.fast[PMK_A64_FAST_LINES +
				      (addr >> PMK_PAGE_SHIFT & (PMK_A64_FAST_PAGES - 1))];
	uint64_t odd =
		(w & (PMK_A64_LINE_MASK | ok)) ^ ((addr & (PMK_A64_LINE_MASK | (align - 1))) | ok);

	odd |= addr >> PMK_PAGE_SHIFT ^ page;
	/* An access that is aligned to its size is in one line. */
	if (bytes > align)
		odd |= (addr ^ (addr + bytes - 1)) >> PMK_A64_LINE_SHIFT;
	return odd;
}

static inline void pmk_a64_load(struct pmk_cpu *cpu, uint64_t addr, unsigned align, unsigned bytes,
				uint64_t access)
{
	if (PMK_UNLIKELY(pmk_a64_odd(cpu, addr, align, bytes, PMK_A64_LOAD_OK)))
		pmk_a64_load_slow(cpu, addr, access);
}

static inline void pmk_a64_store(struct pmk_cpu *cpu, uint64_t addr, unsigned align, unsigned bytes,
				 uint64_t access)
{
	if (PMK_UNLIKELY(pmk_a64_odd(cpu, addr, align, bytes, PMK_A64_STORE_OK)))
		pmk_a64_store_slow(cpu, addr, access);
}

/* Account for a store-exclusive that succeeds. */
static inline void pmk_a64_store_exclusive(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	unsigned pieces = PMK_ACCESS_COUNT(access);

	pmk_sites_access(cpu, access);
	cpu->dyn[PMK_SIG_STREX_PASS]++;
	cpu->dyn[PMK_SIG_L1D_LOOKUP_WRITE] += pieces;
	cpu->dyn[PMK_SIG_MEM_WRITE] += pieces;
	pmk_a64_store(cpu, addr, 1, PMK_ACCESS_SIZE(access), access);
}

/*
 * Called for each piece of an access that the emulator reports in several pieces. Returns true for
 * the first piece, which represents the whole access.
 */
static inline bool pmk_a64_first_piece(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	struct pmk_a64 *v = cpu->a64.tables;

	if (cpu->a64.piece_of == access && addr > v->piece_first &&
	    addr - v->piece_first < PMK_ACCESS_SIZE(access))
		return false;
	cpu->a64.piece_of = access;
	v->piece_first = addr;
	return true;
}

#endif
