/* SPDX-License-Identifier: MIT */
/*
 * Books where things are counted, instruction by instruction. While a program is recorded, each
 * running core has a struct pmk_sites, which books every count at the *site* where it happens: at
 * one of a block's accesses, at the fetch of one of its lines, or at the end of the block. Counts
 * that are the same for every execution of a block are not booked. The number of executions is
 * enough for them.
 *
 * Most counts are not booked at the time of counting. The slow paths of the core say at which site
 * they are (pmk_sites_at). When they come to another site, the counters that may have changed at
 * the last site are compared with their earlier values, and the differences are booked there. So
 * the hot paths need no change, and while nothing is recorded, the slow paths only pay for one
 * test. The clock is booked when the block ends. Calls and returns are booked as soon as they are
 * counted (pmk_counted_left).
 *
 * With call paths, each path of calls has its own executions and sites. pmk follows calls and
 * returns by return addresses. A jump from one function into another (a tail call) stays on the
 * path of the first function. After longjmp or a C++ exception, pmk finds the path by the stack
 * pointer. The handler of a signal runs on the path that it interrupts. The handler of an exception
 * begins a path at the root, if the family knows where handlers start (nesting()). If other code
 * than the interrupted code continues after such handlers, this code belongs to another task of an
 * RTOS. That task continues on the path on which it was interrupted, or begins a path at the root.
 * A function that calls itself from the same place stays on one path. Calls that are nested deeper
 * than PMK_PATH_DEPTH stay on the path at that depth.
 *
 * The counts are booked in records, struct pmk_ledger_…. They are in memory that the owner
 * provides, and that may be shared with another process.
 */
#ifndef PMK_CPU_SITES_H
#define PMK_CPU_SITES_H

#include <stdatomic.h>

#include "cpu/cpu.h"

/* ---- records --------------------------------------------------------------------------------- */

enum pmk_ledger_kind {
	PMK_LEDGER_NONE, /* incomplete because its writer was killed, or replaced by a WIDE_SITE */
	PMK_LEDGER_BLOCK,
	PMK_LEDGER_PATH,
	PMK_LEDGER_RUN,
	PMK_LEDGER_SITE,
	PMK_LEDGER_WIDE_SITE,
	PMK_LEDGER_ALL_SITE,
	PMK_LEDGER_MAPPING,
	PMK_LEDGER_STATE,
	PMK_LEDGER_TIMES,
};

/* Records follow one another at multiples of PMK_LEDGER_UNIT. The number of a record is its place
 * in units; 0 is no record. */
#define PMK_LEDGER_UNIT 8
struct pmk_ledger_head {
	_Atomic uint8_t kind; /* set when the record is complete */
	uint16_t units;
	union {
		struct {
			uint32_t process : 20, cpu : 12; /* process and core of the writer */
		};
		uint32_t site; /* in a site's record, whose run has the process and the core */
	};
};

#define PMK_LEDGER_MAX_PROCESS ((UINT32_C(1) << 20) - 1)

/* Code that was translated. After this struct come its instructions and then their bytes. */
struct pmk_ledger_block {
	struct pmk_ledger_head head;
	uint32_t ninsns, nfaults; /* `nfaults` as in struct pmk_block */
	/* control: the parts of the core that were on (pmk_core_control()) */
	uint32_t control, unused;
	struct pmk_insn insn[];
};

/* A call path: a function that was called at `site` on the path `parent`. If `parent` is 0, that
 * path is the root. */
struct pmk_ledger_path {
	struct pmk_ledger_head head;
	uint64_t entry, site;
	uint64_t calls;
	uint32_t parent, depth;
};

/*
 * A run: how often a block ran on a call path. `taken` and `cycles` count the taken branches and
 * the cycles at the end of the block. `cycles` does not include cycles that were booked at the site
 * LEAVE.
 */
struct pmk_ledger_run {
	struct pmk_ledger_head head;
	uint32_t block, path;
	uint64_t executions, taken, cycles;
	uint32_t next; /* the run that followed last, or 0; for the writer */
	/* The numbers of the records of this run's sites, for the writer; 0 if nothing was counted
	 * at a site. `leave` is for the end of the block, and `fetch` for the fetch of its first
	 * line. access[i] is for the access after which `i` instructions of the block may fault;
	 * the array may be too short for some accesses. */
	uint32_t leave, fetch, access[];
};

/*
 * The counts at a site of a run. After this struct come the counters that pmk_site_counters_at()
 * lists, in that order. In a SITE, they have 16 bits. If a counter would become too large, a
 * WIDE_SITE replaces the record. When the program has ended, pmk books the rest of each core's
 * counts in an ALL_SITE, which has all counters of the core.
 */
struct pmk_ledger_site {
	struct pmk_ledger_head head;
	uint32_t run;
};

static inline uint16_t *pmk_ledger_counts(const struct pmk_ledger_site *r)
{
	return (uint16_t *)(uintptr_t)(r + 1);
}

/* Returns the number of bytes of the record of a site with `n` counters. */
static inline size_t pmk_ledger_site_size(enum pmk_ledger_kind kind, unsigned n)
{
	return kind == PMK_LEDGER_SITE ? sizeof(struct pmk_ledger_site) + n * sizeof(uint16_t)
				       : sizeof(uint64_t) * (2 + (size_t)n);
}

/* Returns the counts of a WIDE_SITE or ALL_SITE. */
static inline uint64_t *pmk_ledger_wide_counts(const struct pmk_ledger_site *r)
{
	return (uint64_t *)(uintptr_t)r + 2;
}

/*
 * With this record, a reader of the ledger books the counts that a core has not booked yet. `seen`
 * has the values of the core's counters when they were last booked. All counts since then belong to
 * the site `site` of the run `run`.
 */
struct pmk_ledger_state {
	struct pmk_ledger_head head;
	uint32_t run; /* 0: the core has booked all its counts */
	/* The run that may have ended with a fault of the program (pmk_cpu_faults()). */
	uint32_t fault_run;
	uint64_t site;
	uint64_t seen[];
};

/* How often a signal took each number of cycles, up to the longest that the core records.
 * Occurrences that took one cycle are not counted here. */
struct pmk_ledger_times {
	struct pmk_ledger_head head;
	uint64_t signal;
	uint64_t n[];
};

/* The code at [begin, end) comes from the file `path`: the byte at `offset` in the file is the byte
 * at `begin`. If `path` is empty, the code comes from no file. If `begin` and `end` are 0, the file
 * describes code that the program generated (perf's jitdump). */
struct pmk_ledger_mapping {
	struct pmk_ledger_head head;
	uint64_t begin, end, offset;
	char path[];
};

/*
 * The sites of a block. At site FAULT + i, instruction i has faulted, and the instructions after it
 * have not run. The record of such a site is a WIDE_SITE, and its first count is the number of
 * these faults.
 */
enum pmk_site {
	PMK_SITE_LEAVE = 0,	  /* the end of the block */
	PMK_SITE_FETCH = 1 << 16, /* plus the offset of the line from the start of the block */
	/* plus how many of the instructions after the access may fault */
	PMK_SITE_ACCESS = 2 << 16,
	PMK_SITE_FAULT = 3 << 16,
	/* At site LEFT + i, instruction i was executed, and the instructions after it were not. */
	PMK_SITE_LEFT = 4 << 16,
	/* Used only as an argument of pmk_sites_at(). It stands for LEAVE of the running block. */
	PMK_SITE_END = 5 << 16,
};

/* ---- counters -------------------------------------------------------------------------------- */

/* The places at which a core can count something. */
enum pmk_counted_where {
	PMK_AT_LEAVE = 1 << 0,
	PMK_AT_FETCH = 1 << 1,
	PMK_AT_ACCESS = 1 << 2,
};

struct pmk_counted_signal {
	uint8_t signal, where;
};

/* A group of consecutive counters in struct pmk_cpu that are not signals. */
struct pmk_counted_beside {
	size_t offset;
	unsigned n;
	uint8_t where;
};

#define PMK_SITE_COUNTERS 96

/* The counters of a core that may change at a site: the clock, signals, and the family's own counts
 * that other signals are derived from. Signals that have only a few other signals between them are
 * joined into one row of counters. Comparing a row is faster than comparing each counter. */
struct pmk_site_counters {
	unsigned n;
	uint16_t offset[PMK_SITE_COUNTERS]; /* in struct pmk_cpu, in units of 8 bytes */
	/* enum pmk_counted_where, or 0 if the counter only fills the gap between two other
	 * counters */
	uint8_t where[PMK_SITE_COUNTERS];
};

void pmk_site_counters(const struct pmk_core *core, struct pmk_site_counters *out);
/*
 * Stores in *out the counters of `all` that the record of a site of kind `where` has. The first
 * counter is the clock.
 */
void pmk_site_counters_at(const struct pmk_site_counters *all, enum pmk_counted_where where,
			  struct pmk_site_counters *out);
/* Returns the kind of place at which a site counts. */
static inline enum pmk_counted_where pmk_site_where(uint32_t site)
{
	if (site >= PMK_SITE_ACCESS)
		return PMK_AT_ACCESS;
	return site >= PMK_SITE_FETCH ? PMK_AT_FETCH : PMK_AT_LEAVE;
}

#define PMK_PATH_DEPTH 500

/* ---- booking --------------------------------------------------------------------------------- */

struct pmk_sites_owner {
	/*
	 * Returns zeroed memory for a record of `bytes` bytes, and stores its number. The record's
	 * head is filled in except for the kind. Returns NULL if there is no more memory.
	 */
	void *(*record)(void *ctx, uint32_t cpu, size_t bytes, uint32_t *number);
	void *ctx;
	/* Returns the stack pointer at the start of a block, or 0 if it is not known. NULL if it is
	 * never known. */
	uint64_t (*stack_pointer)(void);
	char *records;	       /* address at which record 0 would be */
	const uint32_t *block; /* number of the record of each block, by its id */
};

struct pmk_sites {
	/* Members that are used at every block. */
	struct pmk_ledger_run *run, *left; /* runs of the running block, and of the one before it */
	struct pmk_ledger_run **run_of;	   /* the last run of each block */
	uint64_t *clock;		   /* points to the time up to which cycles are booked */
	uint64_t taken;
	uint32_t path;
	/*
	 * If true, the cycles since `clock` belong to the last site. Otherwise they belong to the
	 * end of the block.
	 */
	bool at_site;
	bool follows; /* true if call paths are followed */
	bool nests;   /* true if `follows` is, and handlers of exceptions begin paths at the root */
	struct pmk_sites_rest *rest;
};

/*
 * Makes a struct pmk_sites, which books the counts of a core from now on, with call paths if
 * `paths` is true. Returns NULL if there is no memory.
 */
struct pmk_sites *pmk_sites_new(struct pmk_cpu *cpu, const struct pmk_sites_owner *owner,
				bool paths);
void pmk_sites_free(struct pmk_sites *s);

/* Books the cycles at the last site. */
PMK_SLOW void pmk_sites_clock(struct pmk_sites *s);
PMK_SLOW void pmk_sites_follow(struct pmk_sites *s, const struct pmk_block *p,
			       const struct pmk_block *b);
PMK_SLOW struct pmk_ledger_run *pmk_sites_run(struct pmk_sites *s, const struct pmk_block *b);
PMK_SLOW void pmk_sites_move(struct pmk_cpu *cpu, uint32_t site);
PMK_SLOW void pmk_sites_left(struct pmk_cpu *cpu, const uint64_t *counter, uint64_t n);

/* When block `b` starts, the caller calls pmk_sites_leave() before the core sees the block, and
 * pmk_sites_entered() afterwards. */
static inline void pmk_sites_leave(struct pmk_sites *s, struct pmk_cpu *cpu,
				   const struct pmk_block *b)
{
	struct pmk_ledger_run *r;

	if (PMK_UNLIKELY(s->at_site))
		pmk_sites_clock(s);
	if (s->follows && (s->nests || cpu->prev->flow >= PMK_FLOW_CALL))
		pmk_sites_follow(s, cpu->prev, b);
	s->left = s->run;
	r = s->run_of[b->id];
	if (PMK_UNLIKELY(!r || r->path != s->path))
		r = pmk_sites_run(s, b);
	s->run = r;
	r->executions++;
	*s->clock += b->cycles;
}

static inline void pmk_sites_entered(struct pmk_sites *s, const struct pmk_cpu *cpu)
{
	struct pmk_ledger_run *left = s->left;

	left->taken += cpu->taken - s->taken;
	s->taken = cpu->taken;
	if (PMK_UNLIKELY(s->at_site))
		return;
	left->cycles += cpu->cycles - *s->clock;
	*s->clock = cpu->cycles;
}

/*
 * Makes counts from now on belong to a site of the running block. PMK_SITE_LEAVE is a site of the
 * block before it.
 */
static inline void pmk_sites_at(struct pmk_cpu *cpu, uint32_t site)
{
	if (PMK_UNLIKELY(cpu->sites != NULL))
		pmk_sites_move(cpu, site);
}

/* Books that a counter of the core has increased by `n` at the end of the previous block. Calls and
 * returns are booked this way, which compares no counters. */
static inline void pmk_counted_left(struct pmk_cpu *cpu, const uint64_t *counter, uint64_t n)
{
	if (PMK_UNLIKELY(cpu->sites != NULL))
		pmk_sites_left(cpu, counter, n);
}

static inline void pmk_count_left(struct pmk_cpu *cpu, enum pmk_signal signal, uint64_t n)
{
	cpu->dyn[signal] += n;
	pmk_counted_left(cpu, &cpu->dyn[signal], n);
}

static inline void pmk_sites_fetch(struct pmk_cpu *cpu, const struct pmk_block *b, uint64_t addr)
{
	uint64_t behind = addr > b->pc ? addr - b->pc : 0;

	pmk_sites_at(cpu, PMK_SITE_FETCH + (uint32_t)(behind & 0xffff));
}

static inline void pmk_sites_access(struct pmk_cpu *cpu, uint64_t access)
{
	pmk_sites_at(cpu, PMK_SITE_ACCESS + pmk_access_behind(access));
}

/* Records that an occurrence of the signal took `cycles` cycles instead of one. */
PMK_SLOW void pmk_sites_timed(struct pmk_cpu *cpu, unsigned signal, uint64_t cycles);

/* These functions book the end of the block `cpu->prev`, which was left early at a site FAULT or
 * LEFT. The caller calls pmk_sites_fault() before it takes counts back, and pmk_sites_taken_back()
 * afterwards. */
void pmk_sites_fault(struct pmk_cpu *cpu, uint32_t site);
void pmk_sites_taken_back(struct pmk_cpu *cpu);
PMK_SLOW void pmk_sites_resume_slow(struct pmk_cpu *cpu, const struct pmk_block *b);
/* Records that only the first `keep` handlers are still active, and that the rest of the block `of`
 * continues. */
void pmk_sites_handled(struct pmk_cpu *cpu, uint64_t keep, const struct pmk_block *of);
/* Continues with the rest of the block `b`, which was left before its end. */
static inline void pmk_sites_resume(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	if (cpu->sites)
		pmk_sites_resume_slow(cpu, b);
}
/* Records that the program may end with the running block. */
void pmk_sites_may_end(struct pmk_cpu *cpu);

#endif
