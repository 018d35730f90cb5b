// SPDX-License-Identifier: MIT
#include "count/recorded.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/bus.h>
#include <pmk/error.h>
#include <pmk/pmu.h>

#include "base/foreign.h"
#include "cpu/family.h"
#include "cpu/fault.h"
#include "profile/elf.h"

#define MAX_INSNS 1024

/* ---- growing arrays, and a table of what is in them ------------------------------------------ */

struct array {
	void *data;
	size_t n, room, size; /* of an item */
};

/* A new item, zeroed; NULL when out of memory. */
static void *append(struct array *a)
{
	void *item;

	if (a->n == a->room) {
		size_t room = a->room ? 2 * a->room : 256;
		void *data = realloc(a->data, room * a->size);

		if (!data)
			return NULL;
		a->data = data;
		a->room = room;
	}
	item = (char *)a->data + a->n++ * a->size;
	memset(item, 0, a->size);
	return item;
}

/* Finds items by three numbers: index + 1 of an item. */
struct index {
	struct key {
		uint64_t a, b, c;
		size_t item;
	} * key;
	size_t size, used;
};

static struct key *look_up(const struct index *x, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t h = (a * UINT64_C(0x9e3779b97f4a7c15) ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
	size_t i;

	h = (h ^ h >> 31 ^ c) * UINT64_C(0x94d049bb133111eb);
	i = (size_t)(h >> 20) & (x->size - 1);
	while (x->key[i].item && (x->key[i].a != a || x->key[i].b != b || x->key[i].c != c))
		i = (i + 1) & (x->size - 1);
	return &x->key[i];
}

static bool make_room(struct index *x)
{
	struct index larger = { .size = x->size ? 2 * x->size : 1024, .used = x->used };

	if (x->size && 2 * x->used < x->size)
		return true;
	larger.key = calloc(larger.size, sizeof(*larger.key));
	if (!larger.key)
		return false;
	for (size_t i = 0; i < x->size; i++)
		if (x->key[i].item)
			*look_up(&larger, x->key[i].a, x->key[i].b, x->key[i].c) = x->key[i];
	free(x->key);
	*x = larger;
	return true;
}

/* The item of these numbers, which may be new: then *fresh is set. NULL: out of memory. */
static void *item_for(struct array *a, struct index *x, uint64_t k1, uint64_t k2, uint64_t k3,
		      size_t *number, bool *fresh)
{
	struct key *k;

	if (!make_room(x))
		return NULL;
	k = look_up(x, k1, k2, k3);
	*fresh = !k->item;
	if (!k->item) {
		if (!append(a))
			return NULL;
		*k = (struct key){ k1, k2, k3, a->n };
		x->used++;
	}
	*number = k->item - 1;
	return (char *)a->data + *number * a->size;
}

/* ---- state ----------------------------------------------------------------------------------- */

/* A translated block: the first of its instructions in `of_block`. */
struct block {
	const struct pmk_ledger_block *record;
	uint32_t ninsns;
	size_t first;
};

struct of_block {
	size_t insn;   /* in `insns` */
	uint16_t addr; /* bytes from the first one */
	bool may_fault;
};

struct pmk_recorded {
	struct pmk_recorded_request req;
	const struct pmk_ledger *ledger;
	struct pmk_site_counters counters;
	struct pmk_cpu *cpu; /* to derive signals with */
	uint64_t *signal;    /* [PMK_NSIGNALS] */
	struct array blocks, of_block, insns, objects, threads, paths, counts, values, once;
	struct index block_at, insn_at, thread_at, path_at, count_at;
	/* How often a signal took 0, 1, … cycles, up to `longest`; NULL: it was not timed. */
	uint64_t *times[PMK_NSIGNALS];
	uint32_t longest;
	struct array latencies;
	struct array mappings;
};

/* A file that code was mapped from, if it is one. */
struct mapping {
	const struct pmk_ledger_mapping *record;
	bool is_elf;
	uint64_t bias;
};

/* ---- signals to events ----------------------------------------------------------------------- */

/* Turn counters of a core into what each event counts of them, and add that times `times`. */
static void add_events(struct pmk_recorded *r, uint64_t times, uint64_t *value)
{
	const struct pmk_core_family *family = pmk_core_family(r->req.core);

	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		r->signal[s] = r->cpu->dyn[s];
	r->signal[PMK_SIG_CYCLE] = r->cpu->cycles;
	r->signal[PMK_SIG_PC_CHANGE] += r->cpu->taken;
	family->derive(r->cpu, r->signal);
	for (unsigned i = 0; i < r->req.nevents; i++) {
		const struct pmk_event *ev = r->req.event[i];

		value[i] += times * (r->signal[ev->signal] + r->signal[ev->signal2]);
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

/* What the first n instructions of a block count in one execution. */
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
	for (unsigned k = 0; k < pmk_core_family(core)->nfacts; k++)
		out->fact[k] = b.facts.n[k];
}

/* The share of each instruction is what the block counts more with it than without. Where that is
 * less than nothing, the instruction before it gives. */
static void shares(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		   struct part *share)
{
	const unsigned nfacts = pmk_core_family(core)->nfacts;
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

/* The file whose code is at an address; NULL: it is of none. */
static const struct mapping *mapping_at(const struct pmk_recorded *r, uint32_t process,
					uint64_t addr)
{
	for (size_t i = r->mappings.n; i-- > 0;) {
		const struct mapping *m = (const struct mapping *)r->mappings.data + i;

		if (addr - m->record->begin < m->record->end - m->record->begin &&
		    m->record->head.process <= process)
			return m->is_elf ? m : NULL;
	}
	return NULL;
}

static size_t object_for(struct pmk_recorded *r, const char *path, uint64_t bias, bool *ok)
{
	struct pmk_recorded_object *o = r->objects.data;
	size_t i = 0;

	*ok = true;
	while (i < r->objects.n && (o[i].bias != bias || strcmp(o[i].path, path) != 0))
		i++;
	if (i < r->objects.n)
		return i;
	o = append(&r->objects);
	*ok = o;
	if (o)
		*o = (struct pmk_recorded_object){ PMK_RECORDED_FILE, path, bias };
	return i;
}

static size_t object_of(struct pmk_recorded *r, uint32_t process, uint64_t addr, bool *ok)
{
	const struct mapping *m = mapping_at(r, process, addr);
	size_t i;

	if (m)
		return object_for(r, m->record->path, m->bias, ok);
	if (r->req.system && r->req.program)
		return object_for(r, r->req.program, 0, ok);
	i = object_for(r, "[anon]", 0, ok);
	if (*ok)
		((struct pmk_recorded_object *)r->objects.data)[i].kind = PMK_RECORDED_ANONYMOUS;
	return i;
}

static bool add_insn(struct pmk_recorded *r, const struct pmk_ledger_block *l, size_t object,
		     const struct pmk_insn *in, const uint8_t *byte, struct of_block *of)
{
	struct pmk_recorded_insn *insn;
	uint64_t bytes = 0;
	bool fresh;

	/* Not those of its neighbour, which need not have come with it another time. */
	for (unsigned i = 0; i < 4 && i < in->size; i++)
		bytes |= (uint64_t)byte[i] << 8 * i;
	insn = item_for(&r->insns, &r->insn_at, in->addr, bytes, object << 8 | in->size, &of->insn,
			&fresh);
	if (!insn)
		return false;
	of->addr = (uint16_t)(in->addr - l->insn[0].addr);
	of->may_fault = pmk_may_fault(r->req.core, in);
	if (!fresh)
		return true;
	insn->addr = in->addr;
	insn->object = (uint32_t)object;
	insn->size = in->size;
	memcpy(insn->byte, byte, in->size < 4 ? in->size : 4);
	insn->flow = in->flow;
	insn->conditional = in->conditional && in->flow != PMK_FLOW_NEXT;
	insn->thumb = in->thumb;
	insn->target = in->flow == PMK_FLOW_JUMP || in->flow == PMK_FLOW_CALL ? in->target : 0;
	return true;
}

/* The events of one execution of each instruction of a block, behind those of the others. */
static bool add_once(struct pmk_recorded *r, const struct part *share, size_t n)
{
	const struct pmk_core_family *family = pmk_core_family(r->req.core);

	for (size_t i = 0; i < n; i++) {
		uint64_t *value = append(&r->once);

		if (!value)
			return false;
		clear_cpu(r);
		r->cpu->cycles = (uint64_t)share[i].cycles;
		for (unsigned k = 0; k < family->nfacts; k++)
			r->cpu->dyn[family->fact_signal[k]] += (uint64_t)share[i].fact[k];
		add_events(r, 1, value);
	}
	return true;
}

static bool is_register(int8_t r)
{
	return r >= PMK_NO_REG && r < PMK_NREGS;
}

/* The emulated program can write into the ledger, so nothing from there is used as an index or as a
 * bool before it was looked at. Numbers of accesses and of bytes are neither: any will do. */
static bool insn_is_sound(const struct pmk_insn *in)
{
	return (in->size == 0 || in->size == 2 || in->size == 4) && in->iclass <= PMK_I_CACHE_OP &&
	       in->flow <= PMK_FLOW_MODE && in->sysop <= PMK_SYS_WFI && is_register(in->rd) &&
	       is_register(in->rd2) && is_register(in->rn) && is_register(in->rm) &&
	       is_register(in->rs) && is_register(in->ra) && pmk_is_bool(&in->conditional) &&
	       pmk_is_bool(&in->is_branch) && pmk_is_bool(&in->sets_flags) &&
	       pmk_is_bool(&in->reads_flags) && pmk_is_bool(&in->exclusive) &&
	       pmk_is_bool(&in->load) && pmk_is_bool(&in->store) && pmk_is_bool(&in->literal) &&
	       pmk_is_bool(&in->writeback) && pmk_is_bool(&in->slow_address) &&
	       pmk_is_bool(&in->decoded) && pmk_is_bool(&in->wide) && pmk_is_bool(&in->quad);
}

static bool insns_are_sound(const struct pmk_ledger_block *l)
{
	for (uint32_t i = 0; i < l->ninsns; i++)
		if (!insn_is_sound(&l->insn[i]))
			return false;
	return true;
}

static bool is_sound(const struct pmk_ledger_block *l)
{
	uint64_t bytes = (uint64_t)l->head.units * PMK_LEDGER_UNIT;

	return bytes >= sizeof(*l) && l->ninsns && l->ninsns <= MAX_INSNS &&
	       bytes >= sizeof(*l) + l->ninsns * (sizeof(l->insn[0]) + 4) && insns_are_sound(l);
}

static int add_block(struct pmk_recorded *r, const struct pmk_ledger_block *l)
{
	struct pmk_core core = *r->req.core;
	struct part *share;
	const uint8_t *bytes = (const uint8_t *)&l->insn[l->ninsns];
	struct block *b;
	size_t object, number;
	bool ok, fresh;

	if (!is_sound(l))
		return PMK_EPARSE;
	object = object_of(r, l->head.process, l->insn[0].addr, &ok);
	b = item_for(&r->blocks, &r->block_at, pmk_ledger_number(r->ledger, &l->head), 0, 0,
		     &number, &fresh);
	if (!ok || !b)
		return PMK_ENOMEM;
	b->record = l;
	b->ninsns = l->ninsns;
	b->first = r->of_block.n;
	for (uint32_t i = 0; i < l->ninsns; i++) {
		struct of_block *of = append(&r->of_block);

		if (!of || !add_insn(r, l, object, &l->insn[i], bytes + 4 * i, of))
			return PMK_ENOMEM;
	}
	share = calloc(l->ninsns, sizeof(*share));
	if (!share)
		return PMK_ENOMEM;
	pmk_core_control(&core, r->req.core, l->control);
	shares(&core, l->insn, l->ninsns, share);
	ok = add_once(r, share, l->ninsns);
	free(share);
	return ok ? 0 : PMK_ENOMEM;
}

static const struct block *find_block(const struct pmk_recorded *r, uint32_t number)
{
	const struct key *k = r->block_at.size ? look_up(&r->block_at, number, 0, 0) : NULL;

	return k && k->item ? (const struct block *)r->blocks.data + (k->item - 1) : NULL;
}

static const struct of_block *insn_of(const struct pmk_recorded *r, const struct block *b, size_t i)
{
	return (const struct of_block *)r->of_block.data + b->first + i;
}

static const uint64_t *once(const struct pmk_recorded *r, const struct block *b, size_t i)
{
	return (const uint64_t *)r->once.data + (b->first + i) * r->req.nevents;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static bool thread_of(struct pmk_recorded *r, const struct pmk_ledger_head *h, size_t *number)
{
	bool fresh;
	struct pmk_recorded_thread *t =
		item_for(&r->threads, &r->thread_at, h->process, h->cpu, 0, number, &fresh);

	if (t && fresh)
		*t = (struct pmk_recorded_thread){ h->process, h->cpu };
	return t;
}

/* The number of a path among ours; paths of several threads are one if they are the same. */
static uint32_t path_number(const struct pmk_recorded *r, uint32_t number)
{
	const struct key *k = number ? look_up(&r->path_at, number, 0, 1) : NULL;

	return k && k->item ? (uint32_t)(k->item - 1) : 0;
}

static int add_path(struct pmk_recorded *r, const struct pmk_ledger_path *l)
{
	uint32_t parent = path_number(r, l->parent);
	struct pmk_recorded_context *p;
	size_t number;
	bool fresh;
	struct key *k;

	p = item_for(&r->paths, &r->path_at, l->entry, l->site, (uint64_t)parent << 1, &number,
		     &fresh);
	if (!p || !make_room(&r->path_at))
		return PMK_ENOMEM;
	p->parent = parent;
	p->entry = l->entry;
	p->site = l->site;
	p->calls += l->calls;
	k = look_up(&r->path_at, pmk_ledger_number(r->ledger, &l->head), 0, 1);
	if (!k->item)
		r->path_at.used++;
	*k = (struct key){ pmk_ledger_number(r->ledger, &l->head), 0, 1, number + 1 };
	return 0;
}

/* Where counts of an instruction are added up. */
static struct pmk_recorded_count *count_of(struct pmk_recorded *r, const struct block *b,
					   size_t insn, size_t thread, uint32_t path)
{
	size_t of = insn_of(r, b, insn)->insn, number;
	struct pmk_recorded_count *c;
	bool fresh;

	c = item_for(&r->counts, &r->count_at, of, thread, path, &number, &fresh);
	if (!c || !fresh)
		return c;
	c->insn = (uint32_t)of;
	c->thread = (uint32_t)thread;
	c->context = path;
	c->values = r->values.n * r->req.nevents;
	return append(&r->values) ? c : NULL;
}

static uint64_t *values_of(const struct pmk_recorded *r, const struct pmk_recorded_count *c)
{
	return (uint64_t *)r->values.data + c->values;
}

static void add_times(const struct pmk_recorded *r, const struct block *b, size_t i, uint64_t times,
		      struct pmk_recorded_count *c)
{
	const uint64_t *each = once(r, b, i);
	uint64_t *value = values_of(r, c);

	c->executions += times;
	for (unsigned k = 0; k < r->req.nevents; k++)
		value[k] += times * each[k];
}

static int add_run(struct pmk_recorded *r, const struct pmk_ledger_run *l)
{
	const struct block *b = find_block(r, l->block);
	struct pmk_recorded_count *c = NULL;
	size_t thread;

	if (!b)
		return PMK_EPARSE;
	if (!thread_of(r, &l->head, &thread))
		return PMK_ENOMEM;
	for (size_t i = 0; i < b->ninsns; i++) {
		c = count_of(r, b, i, thread, path_number(r, l->path));
		if (!c)
			return PMK_ENOMEM;
		add_times(r, b, i, l->executions, c);
	}
	c->taken += l->taken;
	clear_cpu(r);
	r->cpu->cycles = l->cycles;
	r->cpu->taken = l->taken;
	add_events(r, 1, values_of(r, c));
	return 0;
}

/* The instruction behind which `behind` more of the block may fault. */
static size_t access_at(const struct pmk_recorded *r, const struct block *b, uint64_t behind)
{
	for (size_t i = b->ninsns; i-- > 0;)
		if (insn_of(r, b, i)->may_fault && !behind--)
			return i;
	return 0;
}

/* The first instruction that begins at that many bytes or behind. */
static size_t fetched_at(const struct pmk_recorded *r, const struct block *b, uint64_t bytes)
{
	size_t i = 0;

	while (i + 1 < b->ninsns && insn_of(r, b, i)->addr < bytes)
		i++;
	return i;
}

static size_t site_insn(const struct pmk_recorded *r, const struct block *b, uint64_t site)
{
	if (site >= PMK_SITE_ACCESS)
		return access_at(r, b, site - PMK_SITE_ACCESS);
	if (site >= PMK_SITE_FETCH)
		return fetched_at(r, b, site - PMK_SITE_FETCH);
	return b->ninsns - 1;
}

/*
 * `times` executions of the block ended at its instruction `last`: what stands behind it did not
 * run and, if it faulted, of the instruction itself not all that it counts. What is taken back is
 * what the core took back.
 */
static int take_back(struct pmk_recorded *r, const struct block *b, size_t last, bool faulted,
		     uint64_t times, size_t thread, uint32_t path)
{
	const struct pmk_core_family *family = pmk_core_family(r->req.core);
	struct pmk_insn insn[MAX_INSNS];
	struct part all, ran;
	struct pmk_recorded_count *c;

	if (last >= b->ninsns)
		return PMK_EPARSE;
	memcpy(insn, b->record->insn, b->ninsns * sizeof(*insn));
	part_of(r->req.core, insn, b->ninsns, &all);
	if (faulted)
		insn[last] = pmk_fault_without_effect(&insn[last]);
	part_of(r->req.core, insn, last + 1, &ran);
	clear_cpu(r);
	r->cpu->cycles = (uint64_t)(all.cycles - ran.cycles);
	for (unsigned k = 0; k < family->nfacts; k++)
		r->cpu->dyn[family->fact_signal[k]] += (uint64_t)(all.fact[k] - ran.fact[k]);
	c = count_of(r, b, last, thread, path);
	if (!c)
		return PMK_ENOMEM;
	add_events(r, 0 - times, values_of(r, c));
	for (size_t i = last + 1; i < b->ninsns; i++) {
		const uint64_t *each = once(r, b, i);

		c = count_of(r, b, i, thread, path);
		if (!c)
			return PMK_ENOMEM;
		add_times(r, b, i, 0 - times, c);
		c = count_of(r, b, last, thread, path);
		for (unsigned k = 0; k < r->req.nevents; k++)
			values_of(r, c)[k] += times * each[k];
	}
	return 0;
}

static int add_site(struct pmk_recorded *r, const struct pmk_ledger_site *l)
{
	const struct block *b = find_block(r, l->block);
	struct pmk_recorded_count *c;
	uint64_t *word = (uint64_t *)(void *)r->cpu;
	size_t thread;

	if (!b || (uint64_t)l->head.units * PMK_LEDGER_UNIT <
			  sizeof(*l) + r->counters.n * sizeof(l->n[0]))
		return PMK_EPARSE;
	if (!thread_of(r, &l->head, &thread))
		return PMK_ENOMEM;
	if (l->site >= PMK_SITE_FAULT)
		return take_back(r, b, l->site & 0xffff, l->site < PMK_SITE_LEFT, l->n[0], thread,
				 path_number(r, l->path));
	c = count_of(r, b, site_insn(r, b, l->site), thread, path_number(r, l->path));
	if (!c)
		return PMK_ENOMEM;
	clear_cpu(r);
	for (unsigned k = 0; k < r->counters.n; k++)
		word[r->counters.offset[k]] = l->n[k];
	add_events(r, 1, values_of(r, c));
	return 0;
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
	struct pmk_recorded_latency *l = times ? append(&r->latencies) : NULL;

	if (l)
		*l = (struct pmk_recorded_latency){ event, cycles, times };
	return l || !times;
}

/* What was not timed took one cycle. Where more was timed than counted, nothing is said. `times` is
 * NULL where nothing took longer. */
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

/* A core that found no room for its latencies would have them all taken for one cycle. */
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
	struct mapping *new;
	uint64_t addr;

	if (bytes <= sizeof(*m) || !memchr(m->path, '\0', bytes - sizeof(*m)))
		return true;
	new = append(&r->mappings);
	if (!new)
		return false;
	new->record = m;
	new->is_elf = *m->path &&pmk_elf_address(m->path, m->offset, &addr);
	new->bias = new->is_elf ? m->begin - addr : 0;
	return true;
}

static int add_record(struct pmk_recorded *r, const struct pmk_ledger_head *h, unsigned round)
{
	uint32_t kind = atomic_load(&h->kind);

	/* What others refer to comes first. */
	if (round == 0 && kind == PMK_LEDGER_MAPPING)
		return keep_mapping(r, (const void *)h) ? 0 : PMK_ENOMEM;
	if (round == 1 && kind == PMK_LEDGER_BLOCK)
		return add_block(r, (const void *)h);
	if (round == 1 && kind == PMK_LEDGER_PATH)
		return add_path(r, (const void *)h);
	if (round == 2 && kind == PMK_LEDGER_RUN)
		return add_run(r, (const void *)h);
	if (round == 2 && kind == PMK_LEDGER_SITE)
		return add_site(r, (const void *)h);
	if (round == 2 && kind == PMK_LEDGER_TIMES)
		return add_latencies(r, (const void *)h);
	return 0;
}

static int read_ledger(struct pmk_recorded *r)
{
	for (unsigned round = 0; round < 3; round++)
		for (const struct pmk_ledger_head *h = pmk_ledger_next(r->ledger, NULL); h;
		     h = pmk_ledger_next(r->ledger, h)) {
			int err = add_record(r, h, round);

			if (err)
				return err;
		}
	return 0;
}

static void size_arrays(struct pmk_recorded *r)
{
	size_t values = (r->req.nevents ? r->req.nevents : 1) * sizeof(uint64_t);

	r->mappings.size = sizeof(struct mapping);
	r->blocks.size = sizeof(struct block);
	r->of_block.size = sizeof(struct of_block);
	r->insns.size = sizeof(struct pmk_recorded_insn);
	r->objects.size = sizeof(struct pmk_recorded_object);
	r->threads.size = sizeof(struct pmk_recorded_thread);
	r->paths.size = sizeof(struct pmk_recorded_context);
	r->counts.size = sizeof(struct pmk_recorded_count);
	r->values.size = r->once.size = values;
	r->latencies.size = sizeof(struct pmk_recorded_latency);
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
	size_arrays(r);
	pmk_site_counters(req->core, &r->counters);
	r->cpu = calloc(1, sizeof(*r->cpu));
	r->signal = calloc(PMK_NSIGNALS, sizeof(*r->signal));
	r->longest = pmk_cpu_longest(req->core);
	/* Path 0 is the root. */
	if (!r->cpu || !r->signal || !append(&r->paths))
		return err;
	r->cpu->core = *req->core;
	err = read_ledger(r);
	return err ? err : make_latencies(r);
}

void pmk_recorded_fill(const struct pmk_recorded *r, struct pmk_recording *rec)
{
	rec->object = r->objects.data;
	rec->nobjects = r->objects.n;
	rec->thread = r->threads.data;
	rec->nthreads = r->threads.n;
	rec->insn = r->insns.data;
	rec->ninsns = r->insns.n;
	rec->context = r->paths.data;
	rec->ncontexts = r->paths.n;
	rec->count = r->counts.data;
	rec->ncounts = r->counts.n;
	rec->value = r->values.data;
	rec->latency = r->latencies.data;
	rec->nlatencies = r->latencies.n;
	rec->contexts = r->ledger->paths;
}

static void free_all(struct pmk_recorded *r)
{
	struct index *index[] = { &r->block_at, &r->insn_at, &r->thread_at, &r->path_at,
				  &r->count_at };
	struct array *array[] = { &r->blocks,  &r->of_block, &r->insns,	   &r->objects,
				  &r->threads, &r->paths,    &r->counts,   &r->values,
				  &r->once,    &r->mappings, &r->latencies };

	for (size_t i = 0; i < sizeof(index) / sizeof(index[0]); i++)
		free(index[i]->key);
	for (size_t i = 0; i < sizeof(array) / sizeof(array[0]); i++)
		free(array[i]->data);
	free(r->cpu);
	free(r->signal);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		free(r->times[i]);
	free(r);
}

void pmk_recorded_free(struct pmk_recorded *r)
{
	if (r)
		free_all(r);
}
