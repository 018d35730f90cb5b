/* SPDX-License-Identifier: MIT */
/*
 * Where things are counted, instruction by instruction. While a program is recorded, each running
 * core has a struct pmk_sites, which books what it counts on the sites where that happens: on one
 * of a block's accesses, on the fetch of one of its lines, or on how the block was left. What is
 * the same for every execution of a block needs no booking, but only how often it was executed.
 *
 * Nothing is booked when it is counted. The slow paths of the core say at which site they are
 * (pmk_sites_at), and what has been counted since the last one is found by comparing all counters
 * that may change there with what they were. So the hot paths stay as they are, and while nothing
 * is recorded, the slow ones pay for one test.
 *
 * With call paths, executions and sites are told apart by the path of calls by which control came
 * there. Calls and returns are followed by return addresses. A jump from one function into another
 * (a tail call) stays on the path of the first; longjmp goes back to the path that it leads to; the
 * handler of a signal runs on the path that it interrupts; a function that calls itself from the
 * same place stays on one path, and so does what is nested deeper than PMK_PATH_DEPTH.
 *
 * What is booked goes into records in memory that the owner provides, which may be shared with
 * another process: struct pmk_ledger_….
 */
#ifndef PMK_CPU_SITES_H
#define PMK_CPU_SITES_H

#include <stdatomic.h>

#include "cpu/cpu.h"

/* ---- records --------------------------------------------------------------------------------- */

enum pmk_ledger_kind {
	PMK_LEDGER_NONE, /* not complete: its writer was killed */
	PMK_LEDGER_BLOCK,
	PMK_LEDGER_PATH,
	PMK_LEDGER_RUN,
	PMK_LEDGER_SITE,
	PMK_LEDGER_MAPPING,
	PMK_LEDGER_STATE,
};

/* Records lie one behind another, at multiples of PMK_LEDGER_UNIT. The number of a record is its
 * place in units; 0 is no record. */
#define PMK_LEDGER_UNIT 64 /* a line of the host's cache */
struct pmk_ledger_head {
	_Atomic uint32_t kind; /* set when the record is complete */
	uint32_t units;
	uint32_t process, cpu; /* whose it is */
};

/* Code that was translated. Its instructions and, behind them, their bytes follow. */
struct pmk_ledger_block {
	struct pmk_ledger_head head;
	uint32_t ninsns, nfaults; /* pmk_block.nfaults */
	struct pmk_insn insn[];
};

/* A call path: a function called at `site` on the path `parent`. 0: the root. */
struct pmk_ledger_path {
	struct pmk_ledger_head head;
	uint64_t entry, site;
	uint64_t calls;
	uint32_t parent, depth;
};

/* How often a block ran on a path, and what was counted where it was left without a site. */
struct pmk_ledger_run {
	struct pmk_ledger_head head;
	uint32_t block, path;
	uint64_t executions, taken, cycles;
};

/* What was counted at a site: the counters of pmk_sites, in their order. */
struct pmk_ledger_site {
	struct pmk_ledger_head head;
	uint32_t block, path;
	uint64_t site;
	uint64_t n[];
};

/* What a core has not booked: what its counters have counted beyond `seen` belongs to a site. */
struct pmk_ledger_state {
	struct pmk_ledger_head head;
	uint32_t block, path; /* 0: nothing has been counted */
	uint64_t site;
	/* The block that has perhaps ended with a fault of the program: see pmk_cpu_faults(). */
	uint32_t fault_block, fault_path;
	uint64_t seen[];
};

/* Code in [begin, end) comes from this file, whose byte at `offset` is at `begin`. Without a path
 * it comes from no file. */
struct pmk_ledger_mapping {
	struct pmk_ledger_head head;
	uint64_t begin, end, offset;
	char path[];
};

/*
 * Sites of a block. FAULT + i: instruction i faulted, and what stands behind it did not run; of it,
 * n[0] says how often.
 */
enum pmk_site {
	PMK_SITE_LEAVE = 0,
	PMK_SITE_FETCH = 1 << 16,  /* + bytes from the start of the block */
	PMK_SITE_ACCESS = 2 << 16, /* + how many instructions behind it may fault */
	PMK_SITE_FAULT = 3 << 16,
	/* LEFT + i: what stands behind instruction i did not run, and i did. */
	PMK_SITE_LEFT = 4 << 16,
	/* For pmk_sites_at(): LEAVE of the block that runs. */
	PMK_SITE_END = 5 << 16,
};

/* ---- counters -------------------------------------------------------------------------------- */

/* Where a core can count something. */
enum pmk_counted_where {
	PMK_AT_LEAVE = 1 << 0,
	PMK_AT_FETCH = 1 << 1,
	PMK_AT_ACCESS = 1 << 2,
};

struct pmk_counted_signal {
	uint8_t signal, where;
};

/* Counters in a row in struct pmk_cpu. */
struct pmk_counted_beside {
	size_t offset;
	unsigned n;
	uint8_t where;
};

#define PMK_SITE_COUNTERS 80

/* The counters of a core that may change at a site: the clock, signals, and counts of the family's
 * own that other signals are derived from. */
struct pmk_site_counters {
	unsigned n;
	uint16_t offset[PMK_SITE_COUNTERS]; /* in struct pmk_cpu, in units of 8 bytes */
	uint8_t where[PMK_SITE_COUNTERS];   /* enum pmk_counted_where */
};

void pmk_site_counters(const struct pmk_core *core, struct pmk_site_counters *out);

#define PMK_PATH_DEPTH 500

/* ---- booking --------------------------------------------------------------------------------- */

struct pmk_sites_owner {
	/* Memory of zeros for a record of so many bytes, with its head but for the kind; NULL:
	 * there is no more. */
	void *(*record)(void *ctx, uint32_t cpu, size_t bytes, uint32_t *number);
	void *ctx;
	const uint32_t *block; /* number of the record of each block, by its id */
};

/* A block on a call path, in this process. */
struct pmk_site_run {
	struct pmk_ledger_run *record;
	uint32_t path, naccesses;
	/* What was counted where, NULL: nothing yet: how it was left, and its start; its accesses,
	 * by how many instructions behind them may fault. */
	struct pmk_ledger_site *leave, *fetch, *access[];
};

struct pmk_sites {
	/* Used at every block. */
	struct pmk_site_run *run, *left; /* the block that runs, and the one before it */
	struct pmk_site_run **run_of;	 /* the last one of each block */
	/* What has not been booked belongs there; NULL: it belongs to how the block was left,
	 * without a site. */
	struct pmk_ledger_site **slot;
	uint64_t *clock; /* as far as it was booked */
	uint64_t taken;
	uint32_t path;
	bool follows, restless; /* call paths are told apart; see family.h */
	struct pmk_sites_rest *rest;
};

/* NULL when out of memory. `paths`: with call paths. The core begins to book at once. */
struct pmk_sites *pmk_sites_new(struct pmk_cpu *cpu, const struct pmk_sites_owner *owner,
				bool paths);
void pmk_sites_free(struct pmk_sites *s);

/* Book what has been counted since the last site. */
PMK_SLOW void pmk_sites_book(struct pmk_sites *s);
PMK_SLOW void pmk_sites_follow(struct pmk_sites *s, const struct pmk_block *p,
			       const struct pmk_block *b);
PMK_SLOW struct pmk_site_run *pmk_sites_run(struct pmk_sites *s, const struct pmk_block *b);
PMK_SLOW void pmk_sites_move(struct pmk_cpu *cpu, uint32_t site);

/* The block `b` starts: call leave() before the core learns of it, and entered() after. */
static inline void pmk_sites_leave(struct pmk_sites *s, struct pmk_cpu *cpu,
				   const struct pmk_block *b)
{
	struct pmk_site_run *r;

	if (PMK_UNLIKELY(s->slot != NULL))
		pmk_sites_book(s);
	if (s->follows && cpu->prev->flow >= PMK_FLOW_CALL)
		pmk_sites_follow(s, cpu->prev, b);
	s->left = s->run;
	r = s->run_of[b->id];
	if (PMK_UNLIKELY(!r || r->path != s->path))
		r = pmk_sites_run(s, b);
	s->run = r;
	r->record->executions++;
	*s->clock += b->cycles;
	if (s->restless)
		pmk_sites_move(cpu, PMK_SITE_LEAVE);
}

static inline void pmk_sites_entered(struct pmk_sites *s, const struct pmk_cpu *cpu)
{
	struct pmk_ledger_run *left = s->left->record;

	left->taken += cpu->taken - s->taken;
	s->taken = cpu->taken;
	if (PMK_UNLIKELY(s->slot != NULL))
		return;
	left->cycles += cpu->cycles - *s->clock;
	*s->clock = cpu->cycles;
}

/* What is counted from now on belongs to a site of the block that runs; PMK_SITE_LEAVE is that of
 * the block before it. */
static inline void pmk_sites_at(struct pmk_cpu *cpu, uint32_t site)
{
	if (PMK_UNLIKELY(cpu->sites != NULL))
		pmk_sites_move(cpu, site);
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

/* The block `cpu->prev` was left early, at a site FAULT or LEFT: before something is taken back,
 * and after. */
void pmk_sites_fault(struct pmk_cpu *cpu, uint32_t site);
void pmk_sites_taken_back(struct pmk_cpu *cpu);
PMK_SLOW void pmk_sites_resume_slow(struct pmk_cpu *cpu, const struct pmk_block *b);
/* The rest of a block that was left goes on. */
static inline void pmk_sites_resume(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	if (cpu->sites)
		pmk_sites_resume_slow(cpu, b);
}
/* The program may end with the block that runs. */
void pmk_sites_may_end(struct pmk_cpu *cpu);

#endif
