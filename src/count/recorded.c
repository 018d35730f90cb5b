// SPDX-License-Identifier: MIT
#include "count/recorded_state.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/bus.h>
#include <pmk/error.h>
#include <pmk/pmu.h>

#include "cpu/family.h"
#include "cpu/fault.h"
#include "profile/elf.h"

/* Derive the counts of events from the counters of the core, and set *cost to their row of costs;
 * UINT32_MAX if all counts are 0. Returns false if out of memory. */
static bool derive_cost(struct pmk_recorded *r, uint32_t *cost)
{
	bool any = false;

	pmk_recorded_derive(r);
	for (unsigned k = 0; k < r->req.nevents; k++)
		any |= r->value[k] != 0;
	*cost = UINT32_MAX;
	return !any || pmk_recorded_find_cost(r, cost);
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
	cost = pmk_recorded_counted_cost(r, counters, sizeof(counters), &known);
	if (!cost)
		return PMK_ENOMEM;
	if (!known) {
		pmk_recorded_clear_cpu(r);
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
	struct recorded_part all, ran;

	memcpy(insn, l->insn, block_at(r, block)->nparts * sizeof(*insn));
	pmk_recorded_part_of(r->req.core, insn, block_at(r, block)->nparts, &all);
	if (faulted)
		insn[last] = pmk_fault_without_effect(&insn[last]);
	pmk_recorded_part_of(r->req.core, insn, last + 1, &ran);
	pmk_recorded_clear_cpu(r);
	r->cpu->cycles = (uint64_t)(all.cycles - ran.cycles);
	for (unsigned k = 0; k < counts->nfacts; k++)
		r->cpu->dyn[counts->fact_signal[k]] += (uint64_t)(all.fact[k] - ran.fact[k]);
	pmk_recorded_derive(r);
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
	return pmk_recorded_find_cost(r, &r->parts.item[b.first + last].cost) ? 0 : PMK_ENOMEM;
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
	const struct pmk_site_counters *of =
		kind == PMK_LEDGER_ALL_SITE ? &r->counters
					    : &r->counters_at[pmk_site_where(l->head.site)];
	size_t room = (size_t)l->head.units * PMK_LEDGER_UNIT;

	return room < pmk_ledger_site_size(kind, of->n) ? NULL : of;
}

/* Derive the counts of a site from its counters, and set *cost as derive_cost() does. */
static bool derive_site(struct pmk_recorded *r, const struct pmk_ledger_site *l, uint32_t kind,
			const struct pmk_site_counters *of, uint32_t *cost)
{
	uint64_t *word = (uint64_t *)(void *)r->cpu;

	pmk_recorded_clear_cpu(r);
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
	uint16_t counters[1 + PMK_SITE_COUNTERS] = { (uint16_t)pmk_site_where(l->head.site) };
	uint32_t *stored;
	bool known;

	memcpy(counters + 1, pmk_ledger_counts(l), of->n * sizeof(*counters));
	stored = pmk_recorded_counted_cost(r, counters, (1 + of->n) * sizeof(*counters), &known);
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
	if (l->head.site >= PMK_SITE_FAULT)
		return take_back(r, &p, l->head.site & 0xffff, l->head.site < PMK_SITE_LEFT,
				 kind == PMK_LEDGER_SITE ? pmk_ledger_counts(l)[0]
							 : pmk_ledger_wide_counts(l)[0]);
	if (kind == PMK_LEDGER_SITE ? !find_site_cost(r, l, of, &cost)
				    : !derive_site(r, l, kind, of, &cost))
		return PMK_ENOMEM;
	return add_extra(r, &p, site_insn(r, p.block, l->head.site), cost);
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

/* Reads a record. Each record comes after the records that it refers to, and the mapping of a block
 * is recorded before the block. */
static int add_record(struct pmk_recorded *r, const struct pmk_ledger_head *h)
{
	uint32_t kind = atomic_load(&h->kind);

	switch (kind) {
	case PMK_LEDGER_MAPPING:
		return keep_mapping(r, (const void *)h) ? 0 : PMK_ENOMEM;
	case PMK_LEDGER_BLOCK:
		return pmk_recorded_add_block(r, (const void *)h);
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
