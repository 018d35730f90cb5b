// SPDX-License-Identifier: MIT
#include "count/recorded.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/bus.h>
#include <pmk/error.h>
#include <pmk/pmu.h>

#include "base/distinct.h"
#include "base/foreign.h"
#include "base/grow.h"
#include "base/map.h"
#include "cpu/family.h"
#include "cpu/fault.h"
#include "profile/elf.h"

#define MAX_INSNS 1024

/* `counted` of struct pmk_recorded has several kinds of counters as byte strings. The first word
 * tells them apart: COUNTERS_OF_RUN for the record of a block's executions, COUNTERS_OF_PART for
 * one instruction of a block. The counters of a site begin with a half-word, enum
 * pmk_counted_where. */
#define COUNTERS_OF_RUN	 UINT64_MAX
#define COUNTERS_OF_PART (UINT64_MAX - 1)

/* ---- growing arrays -------------------------------------------------------------------------- */

#define ARRAY(type)             \
	struct {                \
		type *item;     \
		size_t n, room; \
	}
/* Appends an item to the array. False: out of memory. */
#define ADD(array, ...) PMK_APPEND((array).item, (array).n, (array).room, __VA_ARGS__)

/* ---- state ----------------------------------------------------------------------------------- */

/* Facts about an instruction of a block. r->parts[] has the other facts, with the same index. */
struct of_block {
	uint16_t addr; /* distance from the block's first instruction, in bytes */
	bool may_fault;
};

/* A file from which code was mapped. */
struct mapping {
	const struct pmk_ledger_mapping *record;
	char *path; /* a copy, because the ledger is discarded after reading */
	bool is_elf;
	bool is_dump; /* the file describes code that the program generated */
	uint64_t bias;
};

/* The place where an event was counted: block, call path and thread. */
struct place {
	uint32_t block, path, thread;
};

#define RECENT 1024

struct pmk_recorded {
	struct pmk_recorded_request req;
	const struct pmk_ledger *ledger;
	struct pmk_site_counters counters;
	/* The counters of each kind of site (enum pmk_counted_where). */
	struct pmk_site_counters counters_at[PMK_AT_ACCESS + 1];
	struct pmk_cpu *cpu; /* used to derive signals */
	uint64_t *signal;    /* [PMK_NSIGNALS] */
	uint64_t *value;     /* [nevents]: the counts of the record that is being read */
	ARRAY(struct pmk_recorded_block) blocks;
	ARRAY(const struct pmk_ledger_block *) records; /* by block */
	ARRAY(struct of_block) of_block;
	ARRAY(struct pmk_recorded_part) parts;
	struct pmk_distinct costs; /* rows of nevents counts */
	/* Different records and instructions often have equal counters. `counted` has each of these
	 * counters once, and counted_costs[i] is the row of costs of counters i; UINT32_MAX: all
	 * counts are 0. */
	struct pmk_distinct counted;
	ARRAY(uint32_t) counted_costs;
	ARRAY(struct pmk_recorded_insn) insns;
	ARRAY(struct pmk_recorded_object) objects;
	ARRAY(struct pmk_recorded_thread) threads;
	ARRAY(struct pmk_recorded_context) paths;
	ARRAY(struct pmk_recorded_run) runs;
	ARRAY(struct pmk_recorded_extra) extras;
	ARRAY(struct pmk_recorded_latency) latencies;
	ARRAY(struct mapping) mappings;
	/* `insn_keys` has the address, bytes, object and size of each different instruction.
	 * `path_keys` has the entry, site and parent of each different path except the root. */
	struct pmk_distinct insn_keys, path_keys;
	/* These maps give the number of a block or path from the number of its record, and the
	 * number of a thread from its process and core. */
	struct pmk_map block_of, path_of, thread_of;
	/* The places of runs that were found recently. Most sites follow the record of their run
	 * closely. */
	struct {
		const struct pmk_ledger_run *run;
		struct place place;
	} recent[RECENT];
	/* For each signal, how often it took 0, 1, … cycles, up to `longest`; NULL: it was not
	 * timed. */
	uint64_t *times[PMK_NSIGNALS];
	uint32_t longest;
};

/* ---- signals to events ----------------------------------------------------------------------- */

/* Compute the count of each event from the counters of the core, into r->value. */
static void derive_events(struct pmk_recorded *r)
{
	const struct pmk_core_counts *counts = pmk_core_family(r->req.core)->counts;

	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		r->signal[s] = r->cpu->dyn[s];
	r->signal[PMK_SIG_CYCLE] = r->cpu->cycles;
	r->signal[PMK_SIG_PC_CHANGE] += r->cpu->taken;
	counts->derive(r->cpu, r->signal);
	for (unsigned i = 0; i < r->req.nevents; i++) {
		const struct pmk_event *ev = r->req.event[i];

		r->value[i] = r->signal[ev->signal] + r->signal[ev->signal2];
	}
}

static void clear_cpu(struct pmk_recorded *r)
{
	uint64_t *word = (uint64_t *)(void *)r->cpu;

	memset(r->cpu->dyn, 0, sizeof(r->cpu->dyn));
	r->cpu->taken = 0;
	for (unsigned k = 0; k < r->counters.n; k++)
		word[r->counters.offset[k]] = 0;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The counts of the first n instructions of a block in one execution. */
struct part {
	int64_t cycles, fact[PMK_NFACTS];
};

static void part_of(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		    struct part *out)
{
	struct pmk_pipe_slot slots[MAX_INSNS];
	struct pmk_block b;

	memset(out, 0, sizeof(*out));
	if (!n)
		return;
	pmk_block_build(core, insn, n, slots, &b);
	out->cycles = b.cycles;
	for (unsigned k = 0; k < pmk_core_family(core)->counts->nfacts; k++)
		out->fact[k] = b.facts.n[k];
}

/*
 * Compute the share of each instruction: the count of the block up to and including it, minus the
 * count of the block before it. A negative share is subtracted from the previous instruction's.
 */
static void share_cycles(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			 struct part *share)
{
	const unsigned nfacts = pmk_core_family(core)->counts->nfacts;
	struct part before, with;

	part_of(core, insn, 0, &before);
	for (size_t i = 0; i < n; i++) {
		part_of(core, insn, i + 1, &with);
		share[i].cycles = with.cycles - before.cycles;
		for (unsigned k = 0; k < nfacts; k++)
			share[i].fact[k] = with.fact[k] - before.fact[k];
		before = with;
	}
	for (size_t i = n; i-- > 1;) {
		for (unsigned k = 0; k < nfacts; k++) {
			if (share[i].fact[k] >= 0)
				continue;
			share[i - 1].fact[k] += share[i].fact[k];
			share[i].fact[k] = 0;
		}
		if (share[i].cycles < 0) {
			share[i - 1].cycles += share[i].cycles;
			share[i].cycles = 0;
		}
	}
}

/* Returns the ELF file that is mapped at an address; NULL: none. */
static const struct mapping *mapping_at(const struct pmk_recorded *r, uint32_t process,
					uint64_t addr)
{
	for (size_t i = r->mappings.n; i-- > 0;) {
		const struct mapping *m = &r->mappings.item[i];

		if (addr - m->record->begin < m->record->end - m->record->begin &&
		    m->record->head.process <= process)
			return m->is_elf ? m : NULL;
	}
	return NULL;
}

/* Find the object for this path and address, or add it. Returns false if out of memory. */
static bool object_for(struct pmk_recorded *r, enum pmk_recorded_kind kind, const char *path,
		       uint64_t bias, size_t *number)
{
	const struct pmk_recorded_object *o = r->objects.item;
	size_t i = 0;

	while (i < r->objects.n && (o[i].bias != bias || strcmp(o[i].path, path) != 0))
		i++;
	*number = i;
	return i < r->objects.n ||
	       ADD(r->objects, (struct pmk_recorded_object){ kind, path, bias });
}

static bool object_of(struct pmk_recorded *r, uint32_t process, uint64_t addr, size_t *number)
{
	const struct mapping *m = mapping_at(r, process, addr);

	if (m)
		return object_for(r, PMK_RECORDED_FILE, m->path, m->bias, number);
	if (r->req.system && r->req.program)
		return object_for(r, PMK_RECORDED_FILE, r->req.program, 0, number);
	return object_for(r, PMK_RECORDED_ANONYMOUS, "[anon]", 0, number);
}

static bool add_insn(struct pmk_recorded *r, const struct pmk_ledger_block *l, size_t object,
		     const struct pmk_insn *in, const uint8_t *byte, struct pmk_recorded_part *part)
{
	struct pmk_recorded_insn insn = {
		.addr = in->addr,
		.object = (uint32_t)object,
		.size = in->size,
		.flow = in->flow,
		.conditional = in->conditional && in->flow != PMK_FLOW_NEXT,
		.thumb = in->thumb,
		.target = in->flow == PMK_FLOW_JUMP || in->flow == PMK_FLOW_CALL ? in->target : 0,
	};
	uint64_t bytes = 0;

	/* Bytes after the instruction are left out, because they belong to the next instruction,
	 * which is not always the same. */
	memcpy(insn.byte, byte, in->size < 4 ? in->size : 4);
	for (unsigned i = 0; i < 4; i++)
		bytes |= (uint64_t)insn.byte[i] << 8 * i;
	part->insn = pmk_distinct_put(&r->insn_keys,
				      (uint64_t[]){ in->addr, bytes, object << 8 | in->size },
				      sizeof(uint64_t[3]));
	if (part->insn == UINT32_MAX ||
	    !ADD(r->of_block, (struct of_block){ (uint16_t)(in->addr - l->insn[0].addr),
						 pmk_may_fault(r->req.core, in) }))
		return false;
	return part->insn < r->insns.n || ADD(r->insns, insn);
}

/*
 * Find the row of costs that is equal to r->value, or add it. Many instructions have the same row.
 */
static bool find_cost(struct pmk_recorded *r, uint32_t *cost)
{
	*cost = pmk_distinct_put(&r->costs, r->value, r->req.nevents * sizeof(*r->value));
	return *cost != UINT32_MAX;
}

/* Derive the counts of events from the counters of the core, and set *cost to their row of costs;
 * UINT32_MAX if all counts are 0. Returns false if out of memory. */
static bool derive_cost(struct pmk_recorded *r, uint32_t *cost)
{
	bool any = false;

	derive_events(r);
	for (unsigned k = 0; k < r->req.nevents; k++)
		any |= r->value[k] != 0;
	*cost = UINT32_MAX;
	return !any || find_cost(r, cost);
}

/* Returns where the row of costs of these counters is stored, and sets *known to false if the row
 * must be computed first. Returns NULL if out of memory. */
static uint32_t *counted_cost(struct pmk_recorded *r, const void *counters, size_t size,
			      bool *known)
{
	uint32_t i = pmk_distinct_put(&r->counted, counters, size);

	*known = i < r->counted_costs.n;
	if (i == UINT32_MAX || (!*known && !ADD(r->counted_costs, UINT32_MAX)))
		return NULL;
	return &r->counted_costs.item[i];
}

/* Set *cost to the row of costs of an instruction with this share of its block. Returns false if
 * out of memory. */
static bool find_part_cost(struct pmk_recorded *r, const struct part *share, uint32_t *cost)
{
	const struct pmk_core_counts *counts = pmk_core_family(r->req.core)->counts;
	uint64_t counters[2 + PMK_NFACTS] = { COUNTERS_OF_PART, (uint64_t)share->cycles };
	uint32_t *stored;
	bool known;

	memcpy(counters + 2, share->fact, counts->nfacts * sizeof(*counters));
	stored = counted_cost(r, counters, (2 + counts->nfacts) * sizeof(*counters), &known);
	if (!stored)
		return false;
	if (!known) {
		clear_cpu(r);
		r->cpu->cycles = (uint64_t)share->cycles;
		for (unsigned k = 0; k < counts->nfacts; k++)
			r->cpu->dyn[counts->fact_signal[k]] += (uint64_t)share->fact[k];
		derive_events(r);
		if (!find_cost(r, stored))
			return false;
	}
	*cost = *stored;
	return true;
}

static bool is_register(int8_t r)
{
	return r >= PMK_NO_REG && r < PMK_NREGS;
}

/* True if every register number and bool that comes from the ledger is valid. The emulated
 * program can write into the ledger. The numbers of accesses and bytes are not checked: any
 * value is safe. */
static bool insn_is_valid(const struct pmk_insn *in)
{
	return (in->size == 0 || in->size == 2 || in->size == 4) && in->iclass <= PMK_I_CACHE_OP &&
	       in->flow <= PMK_FLOW_MODE && in->sysop <= PMK_SYS_WFI && is_register(in->rd) &&
	       is_register(in->rd2) && is_register(in->rn) && is_register(in->rm) &&
	       is_register(in->rs) && is_register(in->ra) && pmk_is_bool(&in->conditional) &&
	       pmk_is_bool(&in->is_branch) && pmk_is_bool(&in->sets_flags) &&
	       pmk_is_bool(&in->reads_flags) && pmk_is_bool(&in->exclusive) &&
	       pmk_is_bool(&in->load) && pmk_is_bool(&in->store) && pmk_is_bool(&in->literal) &&
	       pmk_is_bool(&in->writeback) && pmk_is_bool(&in->slow_address) &&
	       pmk_is_bool(&in->based) && pmk_is_bool(&in->decoded) && pmk_is_bool(&in->wide) &&
	       pmk_is_bool(&in->quad);
}

static bool insns_are_valid(const struct pmk_ledger_block *l)
{
	for (uint32_t i = 0; i < l->ninsns; i++)
		if (!insn_is_valid(&l->insn[i]))
			return false;
	return true;
}

static bool is_valid(const struct pmk_ledger_block *l)
{
	uint64_t bytes = (uint64_t)l->head.units * PMK_LEDGER_UNIT;

	return bytes >= sizeof(*l) && l->ninsns && l->ninsns <= MAX_INSNS &&
	       bytes >= sizeof(*l) + l->ninsns * (sizeof(l->insn[0]) + 4) && insns_are_valid(l);
}

static int add_block(struct pmk_recorded *r, const struct pmk_ledger_block *l)
{
	struct pmk_core core = *r->req.core;
	struct part *share;
	const uint8_t *bytes = (const uint8_t *)&l->insn[l->ninsns];
	const struct pmk_recorded_block b = { r->parts.n, l->ninsns };
	size_t object;
	bool ok = true;

	if (!is_valid(l))
		return PMK_EPARSE;
	if (!object_of(r, l->head.process, l->insn[0].addr, &object) ||
	    pmk_map_put(&r->block_of, pmk_ledger_number(r->ledger, &l->head),
			(uint32_t)r->blocks.n) == UINT32_MAX ||
	    !ADD(r->blocks, b) || !ADD(r->records, l))
		return PMK_ENOMEM;
	for (uint32_t i = 0; i < l->ninsns; i++) {
		struct pmk_recorded_part part = { 0 };

		if (!add_insn(r, l, object, &l->insn[i], bytes + 4 * i, &part) ||
		    !ADD(r->parts, part))
			return PMK_ENOMEM;
	}
	share = calloc(l->ninsns, sizeof(*share));
	if (!share)
		return PMK_ENOMEM;
	pmk_core_control(&core, r->req.core, l->control);
	share_cycles(&core, l->insn, l->ninsns, share);
	for (uint32_t i = 0; i < l->ninsns && ok; i++)
		ok = find_part_cost(r, &share[i], &r->parts.item[b.first + i].cost);
	free(share);
	return ok ? 0 : PMK_ENOMEM;
}

static const struct pmk_recorded_block *block_at(const struct pmk_recorded *r, uint32_t block)
{
	return &r->blocks.item[block];
}

static struct pmk_recorded_part *part_at(const struct pmk_recorded *r, uint32_t block, size_t i)
{
	return &r->parts.item[block_at(r, block)->first + i];
}

static const struct of_block *insn_of(const struct pmk_recorded *r, uint32_t block, size_t i)
{
	return &r->of_block.item[block_at(r, block)->first + i];
}

static const uint64_t *cost_of(const struct pmk_recorded *r, uint32_t block, size_t i)
{
	size_t cost = part_at(r, block, i)->cost;

	return (const uint64_t *)r->costs.bytes + cost * r->req.nevents;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static bool find_thread(struct pmk_recorded *r, const struct pmk_ledger_head *h, uint32_t *number)
{
	*number = pmk_map_put(&r->thread_of, (uint64_t)h->process << 32 | h->cpu,
			      (uint32_t)r->threads.n);
	return *number < r->threads.n ||
	       (*number != UINT32_MAX &&
		ADD(r->threads, (struct pmk_recorded_thread){ h->process, h->cpu }));
}

/* Returns the number of a path in the recording. Equal paths of several threads have one number. */
static uint32_t path_number(const struct pmk_recorded *r, uint32_t number)
{
	uint32_t path = pmk_map_get(&r->path_of, number);

	return path == UINT32_MAX ? 0 : path;
}

static int add_path(struct pmk_recorded *r, const struct pmk_ledger_path *l)
{
	uint32_t parent = path_number(r, l->parent);
	uint32_t number =
		1 + pmk_distinct_put(&r->path_keys, (uint64_t[]){ l->entry, l->site, parent },
				     sizeof(uint64_t[3]));

	if (!number ||
	    pmk_map_put(&r->path_of, pmk_ledger_number(r->ledger, &l->head), number) == UINT32_MAX)
		return PMK_ENOMEM;
	if (number == r->paths.n &&
	    !ADD(r->paths, (struct pmk_recorded_context){ parent, l->entry, l->site, 0 }))
		return PMK_ENOMEM;
	r->paths.item[number].calls += l->calls;
	return 0;
}

static int add_executions(struct pmk_recorded *r, const struct place *p, uint64_t executions,
			  uint64_t taken)
{
	return ADD(r->runs,
		   (struct pmk_recorded_run){ p->block, p->thread, p->path, executions, taken })
		       ? 0
		       : PMK_ENOMEM;
}

/* Add a row of costs at an instruction of the block. */
static int add_extra(struct pmk_recorded *r, const struct place *p, size_t insn, uint32_t cost)
{
	if (cost == UINT32_MAX)
		return 0;
	return ADD(r->extras, (struct pmk_recorded_extra){ part_at(r, p->block, insn)->insn,
							   p->thread, p->path, cost })
		       ? 0
		       : PMK_ENOMEM;
}

static int find_place(struct pmk_recorded *r, const struct pmk_ledger_run *run, struct place *p)
{
	size_t i = pmk_ledger_number(r->ledger, &run->head) % RECENT;

	if (r->recent[i].run == run) {
		*p = r->recent[i].place;
		return 0;
	}
	p->block = pmk_map_get(&r->block_of, run->block);
	p->path = path_number(r, run->path);
	if (p->block == UINT32_MAX)
		return PMK_EPARSE;
	if (!find_thread(r, &run->head, &p->thread))
		return PMK_ENOMEM;
	r->recent[i].run = run;
	r->recent[i].place = *p;
	return 0;
}

static int add_run(struct pmk_recorded *r, const struct pmk_ledger_run *l)
{
	const uint64_t counters[] = { COUNTERS_OF_RUN, l->cycles, l->taken };
	struct place p;
	uint32_t *cost;
	bool known;
	int err = find_place(r, l, &p);

	if (!err)
		err = add_executions(r, &p, l->executions, l->taken);
	if (err || (!l->cycles && !l->taken))
		return err;
	cost = counted_cost(r, counters, sizeof(counters), &known);
	if (!cost)
		return PMK_ENOMEM;
	if (!known) {
		clear_cpu(r);
		r->cpu->cycles = l->cycles;
		r->cpu->taken = l->taken;
		if (!derive_cost(r, cost))
			return PMK_ENOMEM;
	}
	return add_extra(r, &p, block_at(r, p.block)->nparts - 1, *cost);
}

/* Returns the instruction that may fault and is followed by `behind` other instructions of the
 * block that may fault. */
static size_t access_at(const struct pmk_recorded *r, uint32_t block, uint64_t behind)
{
	for (size_t i = block_at(r, block)->nparts; i-- > 0;)
		if (insn_of(r, block, i)->may_fault && !behind--)
			return i;
	return 0;
}

/* Returns the first instruction at or after the offset `bytes`, or else the block's last
 * instruction. */
static size_t fetched_at(const struct pmk_recorded *r, uint32_t block, uint64_t bytes)
{
	size_t i = 0;

	while (i + 1 < block_at(r, block)->nparts && insn_of(r, block, i)->addr < bytes)
		i++;
	return i;
}

static size_t site_insn(const struct pmk_recorded *r, uint32_t block, uint64_t site)
{
	if (site >= PMK_SITE_ACCESS)
		return access_at(r, block, site - PMK_SITE_ACCESS);
	if (site >= PMK_SITE_FETCH)
		return fetched_at(r, block, site - PMK_SITE_FETCH);
	return block_at(r, block)->nparts - 1;
}

/*
 * Set r->value to the counts that the core takes back if the block ends early, at its instruction
 * `last`.
 */
static void derive_taken_back(struct pmk_recorded *r, uint32_t block, size_t last, bool faulted)
{
	const struct pmk_core_counts *counts = pmk_core_family(r->req.core)->counts;
	const struct pmk_ledger_block *l = r->records.item[block];
	struct pmk_insn insn[MAX_INSNS];
	struct part all, ran;

	memcpy(insn, l->insn, block_at(r, block)->nparts * sizeof(*insn));
	part_of(r->req.core, insn, block_at(r, block)->nparts, &all);
	if (faulted)
		insn[last] = pmk_fault_without_effect(&insn[last]);
	part_of(r->req.core, insn, last + 1, &ran);
	clear_cpu(r);
	r->cpu->cycles = (uint64_t)(all.cycles - ran.cycles);
	for (unsigned k = 0; k < counts->nfacts; k++)
		r->cpu->dyn[counts->fact_signal[k]] += (uint64_t)(all.fact[k] - ran.fact[k]);
	derive_events(r);
}

/*
 * Make a block of the first instructions of another one, up to `last`. If the core does not take
 * back counts of the instructions after `last`, they are added to `last`.
 */
static int add_shortened(struct pmk_recorded *r, uint32_t block, size_t last, bool faulted)
{
	const struct pmk_recorded_block b = { r->parts.n, (uint32_t)last + 1 };
	size_t n = block_at(r, block)->nparts;

	if (!ADD(r->blocks, b) || !ADD(r->records, r->records.item[block]))
		return PMK_ENOMEM;
	for (size_t i = 0; i <= last; i++)
		if (!ADD(r->parts, *part_at(r, block, i)) ||
		    !ADD(r->of_block, *insn_of(r, block, i)))
			return PMK_ENOMEM;
	derive_taken_back(r, block, last, faulted);
	for (unsigned k = 0; k < r->req.nevents; k++) {
		r->value[k] = 0 - r->value[k];
		for (size_t i = last; i < n; i++)
			r->value[k] += cost_of(r, block, i)[k];
	}
	return find_cost(r, &r->parts.item[b.first + last].cost) ? 0 : PMK_ENOMEM;
}

/* The key in block_of of a block that ends early. Numbers of records are below all such keys. */
#define SHORTENED(block, last, faulted) \
	(UINT64_C(1) << 63 | (uint64_t)(block) << 17 | (last) << 1 | (faulted))

/* Replace `times` executions of the block by executions that ended at its instruction `last`, so
 * that the instructions after `last` did not run. If `faulted`, `last` did not count all of its own
 * events. */
static int take_back(struct pmk_recorded *r, const struct place *p, size_t last, bool faulted,
		     uint64_t times)
{
	struct place shortened = *p;
	int err = 0;

	if (last >= block_at(r, p->block)->nparts)
		return PMK_EPARSE;
	shortened.block = pmk_map_put(&r->block_of, SHORTENED(p->block, last, faulted),
				      (uint32_t)r->blocks.n);
	if (shortened.block == UINT32_MAX)
		return PMK_ENOMEM;
	if (shortened.block == r->blocks.n)
		err = add_shortened(r, p->block, last, faulted);
	if (!err)
		err = add_executions(r, p, 0 - times, 0);
	return err ? err : add_executions(r, &shortened, times, 0);
}

/* Returns the counters that the record of a site has; NULL if the record is too short. */
static const struct pmk_site_counters *counters_of(const struct pmk_recorded *r,
						   const struct pmk_ledger_site *l, uint32_t kind)
{
	const struct pmk_site_counters *of = kind == PMK_LEDGER_ALL_SITE
						     ? &r->counters
						     : &r->counters_at[pmk_site_where(l->site)];
	size_t room = (size_t)l->head.units * PMK_LEDGER_UNIT;
	size_t count = kind == PMK_LEDGER_SITE ? sizeof(uint16_t) : sizeof(uint64_t);

	return room < sizeof(*l) + of->n * count ? NULL : of;
}

/* Compute the row of costs of a site, as derive_cost(). */
static bool derive_site(struct pmk_recorded *r, const struct pmk_ledger_site *l, uint32_t kind,
			const struct pmk_site_counters *of, uint32_t *cost)
{
	uint64_t *word = (uint64_t *)(void *)r->cpu;

	clear_cpu(r);
	for (unsigned k = 0; k < of->n; k++)
		word[of->offset[k]] = kind == PMK_LEDGER_SITE ? pmk_ledger_counts(l)[k]
							      : pmk_ledger_wide_counts(l)[k];
	return derive_cost(r, cost);
}

/* Set *cost to the row of costs of a site whose counts have 16 bits. Returns false if out of
 * memory. */
static bool find_site_cost(struct pmk_recorded *r, const struct pmk_ledger_site *l,
			   const struct pmk_site_counters *of, uint32_t *cost)
{
	uint16_t counters[1 + PMK_SITE_COUNTERS] = { (uint16_t)pmk_site_where(l->site) };
	uint32_t *stored;
	bool known;

	memcpy(counters + 1, pmk_ledger_counts(l), of->n * sizeof(*counters));
	stored = counted_cost(r, counters, (1 + of->n) * sizeof(*counters), &known);
	if (!stored || (!known && !derive_site(r, l, PMK_LEDGER_SITE, of, stored)))
		return false;
	*cost = *stored;
	return true;
}

static int add_site(struct pmk_recorded *r, const struct pmk_ledger_site *l, uint32_t kind)
{
	const struct pmk_ledger_run *run =
		pmk_ledger_record_at(r->ledger, l->run, PMK_LEDGER_RUN, sizeof(*run));
	const struct pmk_site_counters *of = counters_of(r, l, kind);
	struct place p;
	uint32_t cost;
	int err;

	if (!run || !of)
		return PMK_EPARSE;
	err = find_place(r, run, &p);
	if (err)
		return err;
	if (l->site >= PMK_SITE_FAULT)
		return take_back(r, &p, l->site & 0xffff, l->site < PMK_SITE_LEFT,
				 kind == PMK_LEDGER_SITE ? pmk_ledger_counts(l)[0]
							 : pmk_ledger_wide_counts(l)[0]);
	if (kind == PMK_LEDGER_SITE ? !find_site_cost(r, l, of, &cost)
				    : !derive_site(r, l, kind, of, &cost))
		return PMK_ENOMEM;
	return add_extra(r, &p, site_insn(r, p.block, l->site), cost);
}

/* ---- latencies ------------------------------------------------------------------------------- */

static int add_latencies(struct pmk_recorded *r, const struct pmk_ledger_times *l)
{
	size_t n = (size_t)r->longest + 1;
	uint64_t signal = l->signal, *times;

	if ((uint64_t)l->head.units * PMK_LEDGER_UNIT < sizeof(*l) + n * sizeof(l->n[0]) ||
	    signal >= PMK_NSIGNALS)
		return PMK_EPARSE;
	times = r->times[signal] ? r->times[signal] : calloc(n, sizeof(*times));
	if (!times)
		return PMK_ENOMEM;
	for (size_t i = 0; i < n; i++)
		times[i] += l->n[i];
	r->times[signal] = times;
	return 0;
}

static bool append_latency(struct pmk_recorded *r, unsigned event, uint32_t cycles, uint64_t times)
{
	return !times || ADD(r->latencies, (struct pmk_recorded_latency){ event, cycles, times });
}

/* Add the latencies of an event. Occurrences that were not timed took one cycle. If more
 * occurrences were timed than counted, add none. `times` is NULL if every occurrence took one
 * cycle. */
static bool append_latencies(struct pmk_recorded *r, unsigned event, const uint64_t *times)
{
	uint64_t left = r->req.total[event];

	for (uint32_t c = 0; times && c <= r->longest; c++) {
		if (times[c] > left)
			return true;
		left -= times[c];
	}
	for (uint32_t c = 0; c <= r->longest; c++)
		if (!append_latency(r, event, c, c == 1 ? left : times ? times[c] : 0))
			return false;
	return true;
}

/*
 * Compute the latencies of all events. If a core had no room for some latencies, compute none,
 * because each missing latency would appear to be one cycle.
 */
static int make_latencies(struct pmk_recorded *r)
{
	for (unsigned e = 0; e < r->req.nevents; e++)
		if (r->req.event[e]->latency && !atomic_load(&r->ledger->full) &&
		    !append_latencies(r, e, r->times[r->req.event[e]->signal]))
			return PMK_ENOMEM;
	return 0;
}

/* ---- the ledger ------------------------------------------------------------------------------ */

static bool keep_mapping(struct pmk_recorded *r, const struct pmk_ledger_mapping *m)
{
	size_t bytes = (size_t)m->head.units * PMK_LEDGER_UNIT;
	struct mapping new = { .record = m };
	uint64_t addr;

	if (bytes <= sizeof(*m) || !memchr(m->path, '\0', bytes - sizeof(*m)))
		return true;
	new.path = strdup(m->path);
	new.is_elf = *m->path &&pmk_elf_address(m->path, m->offset, &addr);
	new.is_dump = m->begin == m->end;
	new.bias = new.is_elf ? m->begin - addr : 0;
	if (new.path && ADD(r->mappings, new))
		return true;
	free(new.path);
	return false;
}

/* Reads a record. Each record follows those that it refers to, and the mapping of a block is
 * recorded before the block. */
static int add_record(struct pmk_recorded *r, const struct pmk_ledger_head *h)
{
	uint32_t kind = atomic_load(&h->kind);

	switch (kind) {
	case PMK_LEDGER_MAPPING:
		return keep_mapping(r, (const void *)h) ? 0 : PMK_ENOMEM;
	case PMK_LEDGER_BLOCK:
		return add_block(r, (const void *)h);
	case PMK_LEDGER_PATH:
		return add_path(r, (const void *)h);
	case PMK_LEDGER_RUN:
		return add_run(r, (const void *)h);
	case PMK_LEDGER_SITE:
	case PMK_LEDGER_WIDE_SITE:
	case PMK_LEDGER_ALL_SITE:
		return add_site(r, (const void *)h, kind);
	case PMK_LEDGER_TIMES:
		return add_latencies(r, (const void *)h);
	default:
		return 0;
	}
}

static int read_ledger(struct pmk_recorded *r)
{
	int err = 0;

	for (const struct pmk_ledger_head *h = pmk_ledger_next(r->ledger, NULL); h && !err;
	     h = pmk_ledger_next(r->ledger, h))
		err = add_record(r, h);
	return err;
}

/* Free the memory that is used only while the ledger is read. */
static void discard_working_memory(struct pmk_recorded *r)
{
	pmk_distinct_free(&r->insn_keys);
	pmk_distinct_free(&r->path_keys);
	r->insn_keys = r->path_keys = (struct pmk_distinct){ 0 };
	pmk_distinct_free(&r->counted);
	r->counted = (struct pmk_distinct){ 0 };
	free(r->counted_costs.item);
	r->counted_costs.item = NULL;
	pmk_map_free(&r->block_of);
	pmk_map_free(&r->path_of);
	pmk_map_free(&r->thread_of);
	free(r->records.item);
	free(r->of_block.item);
	r->records.item = NULL;
	r->of_block.item = NULL;
}

int pmk_recorded_read(struct pmk_recorded **out, const struct pmk_ledger *ledger,
		      const struct pmk_recorded_request *req)
{
	struct pmk_recorded *r = calloc(1, sizeof(*r));
	int err = PMK_ENOMEM;

	*out = r;
	if (!r)
		return err;
	r->req = *req;
	r->ledger = ledger;
	pmk_site_counters(req->core, &r->counters);
	for (unsigned where = PMK_AT_LEAVE; where <= PMK_AT_ACCESS; where *= 2)
		pmk_site_counters_at(&r->counters, where, &r->counters_at[where]);
	r->cpu = calloc(1, sizeof(*r->cpu));
	r->signal = calloc(PMK_NSIGNALS, sizeof(*r->signal));
	r->value = calloc(req->nevents + 1, sizeof(*r->value));
	r->longest = pmk_cpu_longest(req->core);
	/* Path 0 is the root. */
	if (!r->cpu || !r->signal || !r->value ||
	    !ADD(r->paths, (struct pmk_recorded_context){ 0 }))
		return err;
	r->cpu->core = *req->core;
	err = read_ledger(r);
	if (!err)
		err = make_latencies(r);
	discard_working_memory(r);
	return err;
}

void pmk_recorded_fill(const struct pmk_recorded *r, struct pmk_recording *rec)
{
	rec->object = r->objects.item;
	rec->nobjects = r->objects.n;
	rec->thread = r->threads.item;
	rec->nthreads = r->threads.n;
	rec->insn = r->insns.item;
	rec->ninsns = r->insns.n;
	rec->context = r->paths.item;
	rec->ncontexts = r->paths.n;
	rec->extra = r->extras.item;
	rec->nextras = r->extras.n;
	rec->block = r->blocks.item;
	rec->nblocks = r->blocks.n;
	rec->part = r->parts.item;
	rec->cost = (const uint64_t *)r->costs.bytes;
	rec->ncosts = r->costs.n;
	rec->run = r->runs.item;
	rec->nruns = r->runs.n;
	rec->latency = r->latencies.item;
	rec->nlatencies = r->latencies.n;
	rec->contexts = r->ledger->paths;
}

const char *pmk_recorded_dump(const struct pmk_recorded *r, size_t number)
{
	for (size_t i = 0; i < r->mappings.n; i++)
		if (r->mappings.item[i].is_dump && !number--)
			return r->mappings.item[i].path;
	return NULL;
}

static void free_all(struct pmk_recorded *r)
{
	void *const item[] = { r->blocks.item,	r->parts.item,	 r->insns.item,
			       r->objects.item, r->threads.item, r->paths.item,
			       r->runs.item,	r->extras.item,	 r->latencies.item };

	discard_working_memory(r);
	pmk_distinct_free(&r->costs);
	for (size_t i = 0; i < r->mappings.n; i++)
		free(r->mappings.item[i].path);
	free(r->mappings.item);
	for (size_t i = 0; i < sizeof(item) / sizeof(item[0]); i++)
		free(item[i]);
	free(r->cpu);
	free(r->signal);
	free(r->value);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		free(r->times[i]);
	free(r);
}

void pmk_recorded_free(struct pmk_recorded *r)
{
	if (r)
		free_all(r);
}
