// SPDX-License-Identifier: MIT
#include "cpu/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "cpu/family.h"
#include "cpu/sites_state.h"

#define FIRST_SIZE 4096
#define NONE_UNITS ((sizeof(struct pmk_ledger_run) + PMK_LEDGER_UNIT - 1) / PMK_LEDGER_UNIT)

/* ---- tables of records ----------------------------------------------------------------------- */

static bool run_has_key(const void *record, const struct key *k)
{
	const struct pmk_ledger_run *r = record;

	return r->block == k->of && r->path == k->path;
}

static bool site_has_key(const void *record, const struct key *k)
{
	const struct pmk_ledger_site *r = record;

	return r->run == k->of && r->head.site == k->site;
}

bool pmk_sites_grow(struct table *t)
{
	struct table larger = { .size = t->size ? 2 * t->size : FIRST_SIZE, .used = t->used };

	larger.entry = calloc(larger.size, sizeof(*larger.entry));
	if (!larger.entry)
		return false;
	for (uint32_t i = 0; i < t->size; i++) {
		uint32_t to = t->entry[i].hash & (larger.size - 1);

		if (!t->entry[i].number)
			continue;
		while (larger.entry[to].number)
			to = (to + 1) & (larger.size - 1);
		larger.entry[to] = t->entry[i];
	}
	free(t->entry);
	*t = larger;
	return true;
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Two neighbouring counters of a row may have up to this many other signals between them. These
 * signals are then part of the row. */
#define BETWEEN 3

static void add_counter(struct pmk_site_counters *out, size_t offset, unsigned where)
{
	if (out->n == PMK_SITE_COUNTERS)
		return;
	out->where[out->n] = (uint8_t)where;
	out->offset[out->n++] = (uint16_t)(offset / sizeof(uint64_t));
}

static void add_signal(struct pmk_site_counters *out, unsigned signal, unsigned where)
{
	add_counter(out, offsetof(struct pmk_cpu, dyn) + signal * sizeof(uint64_t), where);
}

static bool is_of_level2(unsigned signal)
{
	return signal >= PMK_SIG_L2CC_INSN_READ && signal <= PMK_SIG_L2CC_EVICT_HALF;
}

static void add_signals(const struct pmk_core *core, struct pmk_site_counters *out)
{
	uint8_t where[PMK_NSIGNALS] = { 0 };
	unsigned between = BETWEEN + 1;

	for (const struct pmk_counted_signal *c = pmk_core_family(core)->counts->counted;
	     c->signal != PMK_SIG_CYCLE; c++)
		if (core->l2.type || !is_of_level2(c->signal))
			where[c->signal] = c->where;
	for (unsigned s = 0; s < PMK_NSIGNALS; s++) {
		if (!where[s]) {
			between++;
			continue;
		}
		for (unsigned i = between <= BETWEEN ? between : 0; i > 0; i--)
			add_signal(out, s - i, 0);
		add_signal(out, s, where[s]);
		between = 0;
	}
}

void pmk_site_counters(const struct pmk_core *core, struct pmk_site_counters *out)
{
	out->n = 0;
	add_counter(out, offsetof(struct pmk_cpu, cycles),
		    PMK_AT_LEAVE | PMK_AT_FETCH | PMK_AT_ACCESS);
	add_signals(core, out);
	for (const struct pmk_counted_beside *c = pmk_core_family(core)->counts->beside; c && c->n;
	     c++)
		for (unsigned i = 0; i < c->n; i++)
			add_counter(out, c->offset + i * sizeof(uint64_t), c->where);
}

static uint64_t *counter(const struct pmk_sites_rest *s, unsigned k)
{
	return (uint64_t *)(void *)s->cpu + s->counters.offset[k];
}

static void resync(struct pmk_sites_rest *s)
{
	for (unsigned k = 0; k < s->counters.n; k++)
		s->seen[k] = *counter(s, k);
}

static void index_counters(struct pmk_sites_rest *s)
{
	for (unsigned k = 0; k < s->counters.n; k++)
		if ((s->counters.where[k] & PMK_AT_LEAVE) && s->counters.offset[k] < WORDS)
			s->counter_at[s->counters.offset[k]] = (uint8_t)k;
}

/* True if counter k is near enough to the end of the row to join it. */
static bool continues(const struct pmk_site_counters *c, const struct row *row, unsigned k)
{
	unsigned behind = k - row->first, last = row->n + BETWEEN;

	return behind <= last && c->offset[k] == row->offset + behind;
}

static void make_group(const struct pmk_site_counters *c, struct group *g, unsigned where)
{
	for (unsigned k = 1; k < c->n; k++) {
		if (!(c->where[k] & where))
			continue;
		if (!g->n || !continues(c, &g->row[g->n - 1], k))
			g->row[g->n++] = (struct row){ c->offset[k], (uint8_t)k, 0, 0 };
		g->row[g->n - 1].n = (uint8_t)(k - g->row[g->n - 1].first + 1);
	}
	g->counters = 1;
	for (unsigned i = 0; i < g->n; i++) {
		g->row[i].at = (uint8_t)g->counters;
		g->counters += g->row[i].n;
	}
}

static void index_leave(struct pmk_sites_rest *s)
{
	const struct group *g = &s->at_leave;

	for (unsigned i = 0; i < g->n; i++)
		for (unsigned k = 0; k < g->row[i].n; k++)
			s->leave_at[g->row[i].first + k] = (uint8_t)(g->row[i].at + k);
}

void pmk_site_counters_at(const struct pmk_site_counters *all, enum pmk_counted_where where,
			  struct pmk_site_counters *out)
{
	struct group g = { 0 };

	make_group(all, &g, where);
	*out = (struct pmk_site_counters){ .n = 1, .offset = { all->offset[0] } };
	for (unsigned i = 0; i < g.n; i++)
		for (unsigned k = 0; k < g.row[i].n; k++)
			out->offset[out->n++] = all->offset[g.row[i].first + k];
}

/* ---- booking --------------------------------------------------------------------------------- */

static uint32_t number_of(const struct pmk_sites_rest *s, const struct pmk_ledger_run *run)
{
	return run == s->none
		       ? 0
		       : (uint32_t)(((const char *)run - s->owner.records) / PMK_LEDGER_UNIT);
}

static const struct group *group_at(const struct pmk_sites_rest *s, uint32_t site)
{
	if (site >= PMK_SITE_ACCESS)
		return &s->at_access;
	return site >= PMK_SITE_FETCH ? &s->at_fetch : &s->at_leave;
}

/*
 * Returns the number of the record of a new site. Returns 0 if there is no memory, or if there is
 * no run to which the site could belong.
 */
static uint32_t new_site(struct pmk_sites_rest *s, const struct pmk_ledger_run *run, uint32_t site,
			 enum pmk_ledger_kind kind)
{
	struct pmk_ledger_site *r;
	uint32_t number;

	if (run == s->none)
		return 0;
	number = new_record(s, kind, pmk_ledger_site_size(kind, group_at(s, site)->counters));
	if (!number)
		return 0;
	r = record_at(s, number);
	r->run = number_of(s, run);
	r->head.site = site;
	return number;
}

static bool is_wide(const struct pmk_ledger_site *r)
{
	return atomic_load_explicit(&r->head.kind, memory_order_relaxed) != PMK_LEDGER_SITE;
}

/* Replaces the record in *slot by one with room for large counts. Returns NULL if there is no
 * memory for it. */
static struct pmk_ledger_site *site_widen(struct pmk_sites_rest *s, uint32_t *slot)
{
	struct pmk_ledger_site *from = record_at(s, *slot), *r;
	unsigned n = group_at(s, from->head.site)->counters;
	uint32_t number =
		new_site(s, record_at(s, from->run), from->head.site, PMK_LEDGER_WIDE_SITE);

	if (!number)
		return NULL;
	r = record_at(s, number);
	for (unsigned k = 0; k < n; k++)
		pmk_ledger_wide_counts(r)[k] = pmk_ledger_counts(from)[k];
	atomic_store_explicit(&from->head.kind, PMK_LEDGER_NONE, memory_order_release);
	*slot = number;
	return r;
}

/* Adds `n` to counter k of the record in *slot. Returns false if there is no memory. */
static bool site_add(struct pmk_sites_rest *s, uint32_t *slot, unsigned k, uint64_t n)
{
	struct pmk_ledger_site *r = record_at(s, *slot);

	if (PMK_LIKELY(!is_wide(r))) {
		uint16_t *count = pmk_ledger_counts(r) + k;

		if (PMK_LIKELY(*count + n <= UINT16_MAX && n <= UINT16_MAX)) {
			*count = (uint16_t)(*count + n);
			return true;
		}
		r = site_widen(s, slot);
	}
	if (r)
		pmk_ledger_wide_counts(r)[k] += n;
	return r;
}

/* Returns where the number of a site's record is stored if the run has no member for it. */
static uint32_t *other_site(struct pmk_sites_rest *s, const struct pmk_ledger_run *run,
			    uint32_t site, enum pmk_ledger_kind kind)
{
	const struct key k = { number_of(s, run), site, 0 };
	struct entry *e = entry_for(s, &s->sites, site_has_key, &k);

	s->nowhere = 0;
	if (!e || e->number)
		return e ? &e->number : &s->nowhere;
	e->number = new_site(s, run, site, kind);
	s->sites.used += e->number != 0;
	return e->number ? &e->number : &s->nowhere;
}

/* Books the counters of a row. Returns false if a counter would become too large; nothing has
 * changed in that case. */
static bool book_row(uint16_t *restrict n, uint64_t *restrict seen, const uint64_t *restrict now,
		     unsigned count)
{
	uint64_t bits = 0;

	for (unsigned k = 0; k < count; k++) {
		uint64_t sum = n[k] + (now[k] - seen[k]);

		n[k] = (uint16_t)sum;
		bits |= sum;
	}
	if (PMK_LIKELY(bits <= UINT16_MAX)) {
		memcpy(seen, now, count * sizeof(*seen));
		return true;
	}
	for (unsigned k = 0; k < count; k++)
		n[k] = (uint16_t)(n[k] - (now[k] - seen[k]));
	return false;
}

static void book_wide_row(uint64_t *restrict n, uint64_t *restrict seen,
			  const uint64_t *restrict now, unsigned count)
{
	for (unsigned k = 0; k < count; k++) {
		n[k] += now[k] - seen[k];
		seen[k] = now[k];
	}
}

/* Books all counters of a site except the clock. */
static void book_rows(struct pmk_sites_rest *s, uint32_t *slot)
{
	struct pmk_ledger_site *r = record_at(s, *slot);
	const struct group *g = group_at(s, r->head.site);
	const uint64_t *now = (const uint64_t *)(const void *)s->cpu;
	bool wide = is_wide(r);

	for (unsigned i = 0; i < g->n && r; i++) {
		const struct row *row = &g->row[i];
		uint64_t *seen = s->seen + row->first;

		if (!wide &&
		    book_row(pmk_ledger_counts(r) + row->at, seen, now + row->offset, row->n))
			continue;
		if (!wide)
			r = site_widen(s, slot);
		wide = true;
		if (r)
			book_wide_row(pmk_ledger_wide_counts(r) + row->at, seen, now + row->offset,
				      row->n);
	}
}

/* Makes sure that the last site has a record. Returns false if there is no memory for it. */
static bool last_site(struct pmk_sites_rest *s)
{
	if (PMK_UNLIKELY(!*s->slot))
		*s->slot = new_site(s, s->of, s->site, PMK_LEDGER_SITE);
	return *s->slot;
}

/* Books the cycles at the last site. If there is no memory for a record of this site, the cycles
 * are booked at the next site. */
void pmk_sites_clock(struct pmk_sites *sites)
{
	struct pmk_sites_rest *s = sites->rest;

	sites->at_site = false;
	if (last_site(s) && site_add(s, s->slot, 0, s->cpu->cycles - *sites->clock))
		*sites->clock = s->cpu->cycles;
}

/* Books at the last site everything that was counted since the core came there. */
static void book(struct pmk_sites *sites)
{
	struct pmk_sites_rest *s = sites->rest;

	if (sites->at_site)
		pmk_sites_clock(sites);
	if (!s->slot)
		return;
	if (last_site(s))
		book_rows(s, s->slot);
	s->slot = NULL;
	s->state->run = 0;
}

/* Returns the length of run->access[]. */
static uint32_t accesses(const struct pmk_ledger_run *run)
{
	return (uint32_t)((run->head.units * PMK_LEDGER_UNIT - sizeof(*run)) /
			  sizeof(run->access[0]));
}

/* Returns where the number of a site's record is stored. */
static uint32_t *slot_of(struct pmk_sites_rest *s, struct pmk_ledger_run *run, uint32_t site)
{
	if (site == PMK_SITE_LEAVE)
		return &run->leave;
	if (site == PMK_SITE_FETCH)
		return &run->fetch;
	if (site >= PMK_SITE_ACCESS && site - PMK_SITE_ACCESS < accesses(run))
		return &run->access[site - PMK_SITE_ACCESS];
	return other_site(s, run, site, PMK_LEDGER_SITE);
}

/* Books at the end of the previous block that a counter has increased by `n`. If the last site is
 * already the end of a block, the increase is booked there later, with the other counters. */
void pmk_sites_left(struct pmk_cpu *cpu, const uint64_t *counter, uint64_t n)
{
	struct pmk_sites *sites = cpu->sites;
	struct pmk_sites_rest *s = sites->rest;
	unsigned k = s->counter_at[counter - (const uint64_t *)(const void *)cpu];
	struct pmk_ledger_run *run = sites->left;

	if (sites->at_site && s->site == PMK_SITE_LEAVE)
		return;
	if (PMK_UNLIKELY(!run->leave))
		run->leave = new_site(s, run, PMK_SITE_LEAVE, PMK_LEDGER_SITE);
	if (PMK_UNLIKELY(!run->leave || !k))
		return;
	if (site_add(s, &run->leave, s->leave_at[k], n))
		s->seen[k] += n;
}

/* Books the cycles so far, unless they belong to `site`, the next site. */
static void settle(struct pmk_sites *sites, uint32_t site)
{
	bool fetches = site >= PMK_SITE_FETCH && site < PMK_SITE_ACCESS;

	if (sites->at_site) {
		pmk_sites_clock(sites);
	} else if (fetches) {
		sites->left->cycles += sites->rest->cpu->cycles - *sites->clock;
		*sites->clock = sites->rest->cpu->cycles;
	}
}

/* Makes all counts from now on belong to the site `site` of `run`. */
static void belong(struct pmk_sites_rest *s, struct pmk_ledger_run *run, uint32_t site)
{
	s->site = site;
	s->of = run;
	s->slot = slot_of(s, run, site);
	s->state->run = number_of(s, run);
	s->state->site = site;
}

void pmk_sites_move(struct pmk_cpu *cpu, uint32_t site)
{
	struct pmk_sites *sites = cpu->sites;
	struct pmk_sites_rest *s = sites->rest;
	struct pmk_ledger_run *run = site == PMK_SITE_LEAVE ? sites->left : sites->run;

	settle(sites, site);
	if (site == PMK_SITE_END)
		site = PMK_SITE_LEAVE;
	if (run == s->none) { /* before the first block */
		run = sites->run;
		site = PMK_SITE_FETCH;
	}
	if (!s->slot || s->site != site || s->of != run) {
		book(sites);
		belong(s, run, site);
	}
	sites->at_site = true;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static uint32_t new_run(struct pmk_sites_rest *s, const struct pmk_block *b, uint32_t path)
{
	struct pmk_ledger_run *r;
	uint32_t number =
		new_record(s, PMK_LEDGER_RUN, sizeof(*r) + b->nfaults * sizeof(r->access[0]));

	if (!number)
		return 0;
	r = record_at(s, number);
	r->block = s->owner.block[b->id];
	r->path = path;
	return number;
}

struct pmk_ledger_run *pmk_sites_run(struct pmk_sites *sites, const struct pmk_block *b)
{
	struct pmk_sites_rest *s = sites->rest;
	const struct key k = { s->owner.block[b->id], 0, sites->path };
	uint32_t *next = &sites->left->next;
	struct entry *e;

	/* Most runs follow the same run as last time. The table is several MB, so looking a run up
	 * there usually misses the host's caches. */
	if (!*next || !run_has_key(record_at(s, *next), &k)) {
		e = entry_for(s, &s->runs, run_has_key, &k);
		if (!e)
			return s->none;
		if (!e->number) {
			e->number = new_run(s, b, sites->path);
			if (!e->number)
				return s->none;
			s->runs.used++;
		}
		*next = e->number;
	}
	return sites->run_of[b->id] = record_at(s, *next);
}

/* ---- faults ---------------------------------------------------------------------------------- */

void pmk_sites_fault(struct pmk_cpu *cpu, uint32_t site)
{
	struct pmk_sites *s = cpu->sites;
	uint32_t number;

	book(s);
	number = *other_site(s->rest, s->run, site, PMK_LEDGER_WIDE_SITE);
	if (number)
		pmk_ledger_wide_counts(record_at(s->rest, number))[0]++;
}

void pmk_sites_resume_slow(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	struct pmk_sites *s = cpu->sites;

	book(s);
	s->run = pmk_sites_run(s, b);
}

void pmk_sites_taken_back(struct pmk_cpu *cpu)
{
	resync(cpu->sites->rest);
}

void pmk_sites_may_end(struct pmk_cpu *cpu)
{
	struct pmk_sites_rest *s = cpu->sites->rest;

	s->state->fault_run = number_of(s, cpu->sites->run);
}

/* ---- latencies ------------------------------------------------------------------------------- */

/* Returns the record of the signal's latencies, and makes it if there is none yet. Returns NULL if
 * there is no memory. */
static struct pmk_ledger_times *times_of(struct pmk_sites_rest *s, unsigned signal, size_t longest)
{
	uint32_t number;

	if (s->times[signal])
		return s->times[signal];
	number = new_record(s, PMK_LEDGER_TIMES,
			    sizeof(struct pmk_ledger_times) + (longest + 1) * sizeof(uint64_t));
	if (!number)
		return NULL;
	s->times[signal] = record_at(s, number);
	s->times[signal]->signal = signal;
	return s->times[signal];
}

void pmk_sites_timed(struct pmk_cpu *cpu, unsigned signal, uint64_t cycles)
{
	uint32_t longest = pmk_cpu_longest(&cpu->core);
	struct pmk_ledger_times *t = times_of(cpu->sites->rest, signal, longest);

	if (t && cycles <= longest)
		t->n[cycles]++;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Returns 0, or -1 when out of memory. */
static int init(struct pmk_sites *sites, struct pmk_cpu *cpu, const struct pmk_sites_owner *owner,
		bool paths)
{
	struct pmk_sites_rest *s = sites->rest;

	s->cpu = cpu;
	s->owner = *owner;
	s->none = calloc(NONE_UNITS, PMK_LEDGER_UNIT);
	if (!s->none)
		return -1;
	s->none->head.units = NONE_UNITS;
	sites->run = sites->left = s->none;
	sites->follows = paths;
	sites->nests = paths && pmk_core_family(&cpu->core)->run->nesting;
	sites->run_of = pmk_reserve(PMK_MAX_BLOCKS * sizeof(*sites->run_of));
	if (paths)
		s->call = pmk_reserve(MAX_CALLS * sizeof(*s->call));
	s->tasks = 1;
	s->task[0].top = UINT64_MAX;
	if (!sites->run_of || (paths && !s->call) || !pmk_sites_grow(&s->runs) ||
	    !pmk_sites_grow(&s->sites) || !pmk_sites_grow(&s->paths))
		return -1;
	pmk_site_counters(&cpu->core, &s->counters);
	index_counters(s);
	make_group(&s->counters, &s->at_leave, PMK_AT_LEAVE);
	make_group(&s->counters, &s->at_fetch, PMK_AT_FETCH);
	make_group(&s->counters, &s->at_access, PMK_AT_ACCESS);
	index_leave(s);
	cpu->sites_state = new_record(s, PMK_LEDGER_STATE,
				      sizeof(*s->state) + s->counters.n * sizeof(s->seen[0]));
	if (!cpu->sites_state)
		return -1;
	s->state = record_at(s, cpu->sites_state);
	s->seen = s->state->seen;
	sites->clock = &s->seen[0];
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
	pmk_cpu_book_sites(cpu, s);
	return s;
}

void pmk_sites_free(struct pmk_sites *sites)
{
	struct pmk_sites_rest *s = sites ? sites->rest : NULL;

	if (s) {
		pmk_release(s->call, MAX_CALLS * sizeof(*s->call));
		for (uint32_t i = 0; i < s->tasks; i++)
			free(s->task[i].call);
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
