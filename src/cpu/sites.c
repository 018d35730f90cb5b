// SPDX-License-Identifier: MIT
#include "cpu/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "cpu/family.h"

/* Calls that are remembered; of them as many are looked at for where a jump goes that may be a
 * return, but does not look like one. */
#define MAX_CALLS  (UINT32_C(4) << 20)
#define NEARBY	   1024
#define RETURNED   256
#define RUN	   UINT64_MAX /* in place of a site, in keys of the table: a run */
#define FIRST_SIZE 4096

/* ---- records by what they are of ------------------------------------------------------------- */

struct entry {
	uint64_t site;	       /* or, of a path, the address of the call */
	uint64_t of;	       /* a block's record, or, of a path, its entry */
	uint32_t path, number; /* on this path; the record's own number */
	void *record;
};

/* Open addressing; at most three quarters are in use. */
struct table {
	struct entry *entry;
	uint32_t size, used;
};

static uint32_t probe(const struct table *t, uint64_t of, uint32_t path, uint64_t site)
{
	uint64_t h = (of ^ (uint64_t)path << 32) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 29 ^ site) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(h >> 32) & (t->size - 1);
}

static struct entry *find(const struct table *t, uint64_t of, uint32_t path, uint64_t site)
{
	uint32_t i = probe(t, of, path, site);

	while (t->entry[i].record &&
	       (t->entry[i].of != of || t->entry[i].path != path || t->entry[i].site != site))
		i = (i + 1) & (t->size - 1);
	return &t->entry[i];
}

static bool grow(struct table *t)
{
	struct table larger = { .size = t->size ? 2 * t->size : FIRST_SIZE, .used = t->used };

	larger.entry = calloc(larger.size, sizeof(*larger.entry));
	if (!larger.entry)
		return false;
	for (uint32_t i = 0; i < t->size; i++) {
		const struct entry *e = &t->entry[i];

		if (e->record)
			*find(&larger, e->of, e->path, e->site) = *e;
	}
	free(t->entry);
	*t = larger;
	return true;
}

/* ---- state ----------------------------------------------------------------------------------- */

/* Of calls: number 0 without a record is the root. */
struct path {
	uint32_t number;
	struct pmk_ledger_path *record;
};

struct frame {
	uint64_t back;	  /* where the call returns to */
	struct path path; /* from which it was made */
};

struct returned {
	uint64_t addr;
	uint32_t calls;
};

/* Counters of a kind of site. */
struct group {
	unsigned n;
	uint8_t counter[PMK_SITE_COUNTERS];
};

/* What is not needed at every block. */
struct pmk_sites_rest {
	struct pmk_cpu *cpu;
	struct pmk_sites_owner owner;
	uint32_t site;		       /* that of `slot` … */
	const struct pmk_site_run *of; /* … of this run */
	struct pmk_ledger_site *other; /* `slot`, of a site that its run has no pointer to */
	struct table runs, sites, paths;
	/* Call paths. */
	struct frame *call;
	uint32_t calls;
	struct path path;
	struct returned returned[RETURNED];
	/* The counters, and what has been booked of each. */
	struct pmk_site_counters counters;
	uint64_t *counter[PMK_SITE_COUNTERS], *seen;
	struct group at_leave, at_fetch, at_access;
	struct pmk_ledger_state *state; /* has `seen`, for who reads the ledger */
	struct pmk_ledger_run nowhere;	/* in place of a run that there is no memory for */
	struct pmk_site_run *none;
};

/* ---- counters -------------------------------------------------------------------------------- */

static void add_counter(struct pmk_site_counters *out, size_t offset, unsigned where)
{
	if (out->n == PMK_SITE_COUNTERS)
		return;
	out->where[out->n] = (uint8_t)where;
	out->offset[out->n++] = (uint16_t)(offset / sizeof(uint64_t));
}

static bool is_of_level2(unsigned signal)
{
	return signal >= PMK_SIG_L2CC_INSN_READ && signal <= PMK_SIG_L2CC_EVICT_HALF;
}

void pmk_site_counters(const struct pmk_core *core, struct pmk_site_counters *out)
{
	const struct pmk_core_family *family = pmk_core_family(core);

	out->n = 0;
	add_counter(out, offsetof(struct pmk_cpu, cycles),
		    PMK_AT_LEAVE | PMK_AT_FETCH | PMK_AT_ACCESS);
	for (const struct pmk_counted_signal *c = family->counted; c->signal != PMK_SIG_CYCLE; c++)
		if (core->l2_type || !is_of_level2(c->signal))
			add_counter(out,
				    offsetof(struct pmk_cpu, dyn) + c->signal * sizeof(uint64_t),
				    c->where);
	for (const struct pmk_counted_beside *c = family->beside; c && c->n; c++)
		for (unsigned i = 0; i < c->n; i++)
			add_counter(out, c->offset + i * sizeof(uint64_t), c->where);
}

static void resync(struct pmk_sites_rest *s)
{
	for (unsigned k = 0; k < s->counters.n; k++)
		s->seen[k] = *s->counter[k];
}

static void make_group(struct pmk_sites_rest *s, struct group *g, unsigned where)
{
	for (unsigned k = 0; k < s->counters.n; k++)
		if (s->counters.where[k] & where)
			g->counter[g->n++] = (uint8_t)k;
}

/* ---- booking --------------------------------------------------------------------------------- */

static void *new_record(struct pmk_sites_rest *s, enum pmk_ledger_kind kind, size_t bytes,
			uint32_t *number)
{
	struct pmk_ledger_head *head = s->owner.record(s->owner.ctx, s->cpu->index, bytes, number);

	if (head)
		atomic_store_explicit(&head->kind, kind, memory_order_release);
	return head;
}

/* The entry of a table for a record that may be new; NULL: there is no memory for it. */
static struct entry *entry_for(struct table *t, uint64_t of, uint32_t path, uint64_t site)
{
	if (4 * t->used >= 3 * t->size && !grow(t))
		return NULL;
	return find(t, of, path, site);
}

static struct pmk_ledger_site *new_site(struct pmk_sites_rest *s, const struct pmk_site_run *run,
					uint32_t site, uint32_t *number)
{
	struct pmk_ledger_site *r = new_record(
		s, PMK_LEDGER_SITE, sizeof(*r) + s->counters.n * sizeof(r->n[0]), number);

	if (!r)
		return NULL;
	r->block = run->record->block;
	r->path = run->path;
	r->site = site;
	return r;
}

/* Of a site that its run has no pointer to. */
static struct pmk_ledger_site *other_site(struct pmk_sites_rest *s, const struct pmk_site_run *run,
					  uint32_t site)
{
	struct entry *e = entry_for(&s->sites, run->record->block, run->path, site);
	struct pmk_ledger_site *r;
	uint32_t number;

	if (!e || e->record)
		return e ? e->record : NULL;
	r = new_site(s, run, site, &number);
	if (!r)
		return NULL;
	*e = (struct entry){ site, run->record->block, run->path, number, r };
	s->sites.used++;
	return r;
}

static const struct group *group_at(const struct pmk_sites_rest *s)
{
	if (s->site >= PMK_SITE_ACCESS)
		return &s->at_access;
	return s->site >= PMK_SITE_FETCH ? &s->at_fetch : &s->at_leave;
}

void pmk_sites_book(struct pmk_sites *sites)
{
	struct pmk_sites_rest *s = sites->rest;
	const struct group *g = group_at(s);
	uint32_t number;

	for (unsigned i = 0; i < g->n; i++) {
		unsigned k = g->counter[i];
		uint64_t now = *s->counter[k];

		if (PMK_LIKELY(now == s->seen[k]))
			continue;
		if (PMK_UNLIKELY(!*sites->slot))
			*sites->slot = new_site(s, s->of, s->site, &number);
		if (!*sites->slot)
			break;
		(*sites->slot)->n[k] += now - s->seen[k];
		s->seen[k] = now;
	}
	sites->slot = NULL;
	s->state->block = 0;
}

/* The pointer to what was counted at a site. */
static struct pmk_ledger_site **slot_of(struct pmk_sites_rest *s, struct pmk_site_run *run,
					uint32_t site)
{
	if (site == PMK_SITE_LEAVE)
		return &run->leave;
	if (site == PMK_SITE_FETCH)
		return &run->fetch;
	if (site >= PMK_SITE_ACCESS && site - PMK_SITE_ACCESS < run->naccesses)
		return &run->access[site - PMK_SITE_ACCESS];
	s->other = other_site(s, run, site);
	return &s->other;
}

void pmk_sites_move(struct pmk_cpu *cpu, uint32_t site)
{
	struct pmk_sites *sites = cpu->sites;
	struct pmk_sites_rest *s = sites->rest;
	struct pmk_site_run *run = site == PMK_SITE_LEAVE ? sites->left : sites->run;

	if (sites->slot)
		pmk_sites_book(sites);
	if (site == PMK_SITE_END)
		site = PMK_SITE_LEAVE;
	if (run == s->none) { /* before the first block */
		run = sites->run;
		site = PMK_SITE_FETCH;
	}
	s->site = site;
	s->of = run;
	sites->slot = slot_of(s, run, site);
	s->state->block = run->record->block;
	s->state->path = run->path;
	s->state->site = site;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct pmk_site_run *new_run(struct pmk_sites_rest *s, const struct pmk_block *b,
				    uint32_t *number)
{
	struct pmk_site_run *r = calloc(1, sizeof(*r) + b->nfaults * sizeof(r->access[0]));

	if (!r)
		return NULL;
	r->record = new_record(s, PMK_LEDGER_RUN, sizeof(*r->record), number);
	if (!r->record) {
		free(r);
		return NULL;
	}
	r->record->block = s->owner.block[b->id];
	r->record->path = r->path = s->path.number;
	r->naccesses = b->nfaults;
	return r;
}

struct pmk_site_run *pmk_sites_run(struct pmk_sites *sites, const struct pmk_block *b)
{
	struct pmk_sites_rest *s = sites->rest;
	uint32_t block = s->owner.block[b->id], number;
	struct entry *e = entry_for(&s->runs, block, s->path.number, RUN);
	struct pmk_site_run *r = e ? e->record : NULL;

	if (e && !r) {
		r = new_run(s, b, &number);
		if (r) {
			*e = (struct entry){ RUN, block, s->path.number, number, r };
			s->runs.used++;
		}
	}
	if (!r)
		return s->none;
	sites->run_of[b->id] = r;
	return r;
}

/* ---- call paths ------------------------------------------------------------------------------ */

/* The path on which the function at `entry` is when it is called at `site`. The same one if there
 * is no memory for another. */
static struct path callee(struct pmk_sites_rest *s, uint64_t entry, uint64_t site)
{
	struct pmk_ledger_path *r = s->path.record;
	struct entry *e;
	uint32_t number;

	if (r && ((r->entry == entry && r->site == site) || r->depth >= PMK_PATH_DEPTH))
		return s->path;
	e = entry_for(&s->paths, entry, s->path.number, site);
	if (e && e->record)
		return (struct path){ e->number, e->record };
	r = e ? new_record(s, PMK_LEDGER_PATH, sizeof(*r), &number) : NULL;
	if (!r)
		return s->path;
	r->entry = entry;
	r->site = site;
	r->parent = s->path.number;
	r->depth = s->path.record ? s->path.record->depth + 1 : 1;
	*e = (struct entry){ site, entry, s->path.number, number, r };
	s->paths.used++;
	return (struct path){ number, r };
}

static void call(struct pmk_sites_rest *s, const struct pmk_block *p, const struct pmk_block *b)
{
	/* So many are left out that what is called next returns to one that is remembered. */
	if (s->calls == MAX_CALLS) {
		memmove(s->call, s->call + MAX_CALLS / 2, MAX_CALLS / 2 * sizeof(*s->call));
		s->calls = MAX_CALLS / 2;
	}
	s->call[s->calls++] = (struct frame){ p->fall, s->path };
	s->path = callee(s, b->pc, p->end_addr);
	if (s->path.record)
		s->path.record->calls++;
}

/* Control has gone to `pc`, which may be the return of a call. longjmp leaves several calls at
 * once, and goes to where setjmp has returned to before. */
static void go(struct pmk_sites_rest *s, uint64_t pc, bool is_return)
{
	struct returned *r = &s->returned[(pc >> 1) % RETURNED];
	uint32_t oldest = is_return || s->calls < NEARBY ? 0 : s->calls - NEARBY;
	uint32_t left = s->calls;

	for (uint32_t i = s->calls; i > oldest && left == s->calls; i--)
		if (s->call[i - 1].back == pc)
			left = i - 1;
	if (left != s->calls)
		*r = (struct returned){ pc, left };
	else if (r->addr == pc && r->calls < s->calls)
		left = r->calls;
	if (left == s->calls)
		return;
	s->calls = left;
	s->path = s->call[left].path;
}

/* The path on which block `b` runs behind `p`. */
static void follow(struct pmk_sites_rest *s, const struct pmk_block *p, const struct pmk_block *b)
{
	if (b->vector)
		return;
	switch ((enum pmk_flow)p->flow) {
	case PMK_FLOW_CALL:
		if (b->pc == p->target)
			call(s, p, b);
		return;
	case PMK_FLOW_INDCALL:
		call(s, p, b);
		return;
	case PMK_FLOW_INDIRECT:
	case PMK_FLOW_RETURN:
		if (s->calls)
			go(s, b->pc, p->flow == PMK_FLOW_RETURN);
		return;
	case PMK_FLOW_NEXT:
	case PMK_FLOW_JUMP:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		return;
	}
}

void pmk_sites_follow(struct pmk_sites *sites, const struct pmk_block *p, const struct pmk_block *b)
{
	follow(sites->rest, p, b);
	sites->path = sites->rest->path.number;
}

/* ---- faults ---------------------------------------------------------------------------------- */

void pmk_sites_fault(struct pmk_cpu *cpu, uint32_t site)
{
	struct pmk_sites *s = cpu->sites;
	struct pmk_ledger_site *r;

	if (s->slot)
		pmk_sites_book(s);
	r = other_site(s->rest, s->run, site);
	if (r)
		r->n[0]++;
}

void pmk_sites_resume_slow(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	struct pmk_sites *s = cpu->sites;

	if (s->slot)
		pmk_sites_book(s);
	s->run = pmk_sites_run(s, b);
}

void pmk_sites_taken_back(struct pmk_cpu *cpu)
{
	resync(cpu->sites->rest);
}

void pmk_sites_may_end(struct pmk_cpu *cpu)
{
	const struct pmk_site_run *run = cpu->sites->run;
	struct pmk_ledger_state *state = cpu->sites->rest->state;

	state->fault_block = run->record->block;
	state->fault_path = run->path;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* 0, or -1 when out of memory. */
static int init(struct pmk_sites *sites, struct pmk_cpu *cpu, const struct pmk_sites_owner *owner,
		bool paths)
{
	struct pmk_sites_rest *s = sites->rest;
	uint32_t number;

	s->cpu = cpu;
	s->owner = *owner;
	s->none = calloc(1, sizeof(*s->none));
	if (!s->none)
		return -1;
	s->none->record = &s->nowhere;
	sites->run = sites->left = s->none;
	sites->restless = pmk_core_family(&cpu->core)->restless;
	sites->follows = paths;
	sites->run_of = pmk_reserve(PMK_MAX_BLOCKS * sizeof(*sites->run_of));
	if (paths)
		s->call = pmk_reserve(MAX_CALLS * sizeof(*s->call));
	if (!sites->run_of || (paths && !s->call) || !grow(&s->runs) || !grow(&s->sites) ||
	    !grow(&s->paths))
		return -1;
	pmk_site_counters(&cpu->core, &s->counters);
	make_group(s, &s->at_leave, PMK_AT_LEAVE);
	make_group(s, &s->at_fetch, PMK_AT_FETCH);
	make_group(s, &s->at_access, PMK_AT_ACCESS);
	s->state = new_record(s, PMK_LEDGER_STATE,
			      sizeof(*s->state) + s->counters.n * sizeof(s->seen[0]), &number);
	if (!s->state)
		return -1;
	s->seen = s->state->seen;
	sites->clock = &s->seen[0];
	for (unsigned k = 0; k < s->counters.n; k++)
		s->counter[k] = (uint64_t *)(void *)cpu + s->counters.offset[k];
	resync(s);
	return 0;
}

struct pmk_sites *pmk_sites_new(struct pmk_cpu *cpu, const struct pmk_sites_owner *owner,
				bool paths)
{
	struct pmk_sites *s = calloc(1, sizeof(*s));

	if (s)
		s->rest = calloc(1, sizeof(*s->rest));
	if (!s || !s->rest || init(s, cpu, owner, paths)) {
		pmk_sites_free(s);
		return NULL;
	}
	s->taken = cpu->taken;
	cpu->sites = s;
	return s;
}

void pmk_sites_free(struct pmk_sites *sites)
{
	struct pmk_sites_rest *s = sites ? sites->rest : NULL;

	for (uint32_t i = 0; s && i < s->runs.size; i++)
		free(s->runs.entry[i].record);
	if (s) {
		pmk_release(s->call, MAX_CALLS * sizeof(*s->call));
		free(s->runs.entry);
		free(s->sites.entry);
		free(s->paths.entry);
		free(s->none);
		free(s);
	}
	if (sites)
		pmk_release(sites->run_of, PMK_MAX_BLOCKS * sizeof(*sites->run_of));
	free(sites);
}
