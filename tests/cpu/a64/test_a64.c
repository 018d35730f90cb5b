// SPDX-License-Identifier: MIT
/*
 * The running core of A64 processors agrees with a plain oracle.
 *
 * The core keeps hint words and generations so that an access without effect costs nothing. The
 * oracle has none of these: it searches arrays of lines, pages and 2-bit counters at every single
 * access, according to DDI 0487 D13.12 and K3.1 (what the events mean), DDI 0500 (the Cortex-A53)
 * and the choices that a64.h, tlb.h and lsu.h declare. Random programs run through both on many
 * geometries, and every signal that the core raises must agree, including cycles. The time of a
 * block whose accesses all hit comes from pipeline.c. That file and lsu.h have their own tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define UNIT_SANITIZED 40
#include "../../unit.h"
#include "../ages.h"
#include "cpu/a64/a64.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* ---- the oracle: storage ------------------------------------------------------------------- */

struct line {
	bool valid, dirty;
	bool fresh;	 /* prefetched, and not used since */
	uint64_t number; /* address / 64 */
};

struct cache {
	unsigned sets, ways;
	struct line *line; /* [set * ways + way] */
	uint32_t turn, random;
	bool round_robin;
	struct ages ages;
};

static void cache_init(struct cache *c, const struct pmk_core *core, uint64_t size, uint64_t ways,
		       uint64_t policy)
{
	c->ways = (unsigned)ways;
	c->sets = (unsigned)(size / 64 / ways);
	c->line = calloc(c->sets * c->ways, sizeof(*c->line));
	assert_non_null(c->line);
	c->random = (uint32_t)core->cache.seed;
	policy = policy ? policy : core->cache.policy;
	c->round_robin = core->cache.round_robin && !policy;
	ages_init(&c->ages, (unsigned)policy, (size_t)c->sets * c->ways);
}

static void cache_fini(struct cache *c)
{
	free(c->line);
	ages_fini(&c->ages);
}

static struct line *cache_look(struct cache *c, uint64_t number)
{
	struct line *set = &c->line[number % c->sets * c->ways];

	for (unsigned w = 0; w < c->ways; w++)
		if (set[w].valid && set[w].number == number)
			return &set[w];
	return NULL;
}

/* Looks up a line, and marks it as used if it is present. */
static struct line *cache_find(struct cache *c, uint64_t number)
{
	struct line *l = cache_look(c, number);

	if (l)
		ages_use(&c->ages, (size_t)(l - c->line));
	return l;
}

/*
 * Returns the way for a new line: invalid ways first; otherwise round robin over all sets, or the
 * generator that cache.h declares.
 */
static struct line *cache_victim(struct cache *c, uint64_t number)
{
	struct line *set = &c->line[number % c->sets * c->ways];
	unsigned way;

	for (unsigned w = 0; w < c->ways; w++)
		if (!set[w].valid)
			return &set[w];
	way = ages_victim(&c->ages, (size_t)(set - c->line), c->ways);
	if (way < c->ways)
		return &set[way];
	if (c->round_robin)
		return &set[c->turn++ % c->ways];
	c->random ^= c->random << 13;
	c->random ^= c->random >> 17;
	c->random ^= c->random << 5;
	return &set[(c->random >> 8) % c->ways];
}

static void cache_put(struct cache *c, struct line *place, struct line line)
{
	*place = line;
	ages_fill(&c->ages, (size_t)(place - c->line));
}

struct tlb {
	unsigned sets, ways;
	struct {
		bool valid;
		uint64_t page;
	} * entry;
	unsigned *turn;
};

static void tlb_init(struct tlb *t, uint64_t entries, uint64_t ways)
{
	t->ways = (unsigned)ways;
	t->sets = (unsigned)(entries / ways);
	t->entry = calloc(entries, sizeof(*t->entry));
	t->turn = calloc(t->sets, sizeof(*t->turn));
	assert_true(t->entry && t->turn);
}

static void tlb_fini(struct tlb *t)
{
	free(t->entry);
	free(t->turn);
}

static void tlb_flush(struct tlb *t)
{
	memset(t->entry, 0, t->sets * t->ways * sizeof(*t->entry));
	memset(t->turn, 0, t->sets * sizeof(*t->turn));
}

/* Looks up a page, and adds it if it is absent. Returns true if it was present. */
static bool tlb_look(struct tlb *t, uint64_t page)
{
	unsigned s = (unsigned)(page % t->sets);

	for (unsigned w = 0; w < t->ways; w++)
		if (t->entry[s * t->ways + w].valid && t->entry[s * t->ways + w].page == page)
			return true;
	t->entry[s * t->ways + t->turn[s]].valid = true;
	t->entry[s * t->ways + t->turn[s]].page = page;
	t->turn[s] = (t->turn[s] + 1) % t->ways;
	return false;
}

/* ---- the oracle: a core -------------------------------------------------------------------- */

/*
 * A stream: a sequence of misses that the prefetcher follows. run: how often the stride occurred in
 * a row. ahead, ahead2: how many lines after `last` were prefetched into level 1 and into level 2.
 */
struct followed {
	uint64_t last;
	int64_t stride;
	unsigned run, ahead, ahead2;
	bool going, store;
};

struct flying {
	uint64_t number, until;
};

struct oracle {
	const struct pmk_core *core;
	struct cache icache, dcache, l2;
	struct tlb itlb, dtlb, main_tlb;
	uint8_t counter[4096]; /* 0, 1: not taken; 2, 3: taken */
	uint32_t history;
	uint64_t target[4096]; /* the last target of each indirect branch */
	uint64_t went[8];      /* targets of the last indirect branches, the newest first */
	uint64_t stack[16];
	unsigned depth;
	struct pmk_lsu lsu;
	uint64_t under_way[PMK_A64_PLACES]; /* when a place (register, unit) is ready; 0: now */
	bool loading[PMK_A64_PLACES];	    /* the place waits for a load */
	struct followed followed[32];	    /* the streams, the most recently used first */
	unsigned nfollowed;
	uint64_t prefetching[32]; /* for each prefetch slot, until when it is busy */
	struct flying flying[256], flying2[256];
	uint64_t cycles;
	uint64_t n[PMK_NSIGNALS];
};

static void oracle_init(struct oracle *o, const struct pmk_core *core)
{
	memset(o, 0, sizeof(*o));
	o->core = core;
	cache_init(&o->icache, core, core->icache.size, core->icache.ways, core->icache.policy);
	cache_init(&o->dcache, core, core->dcache.size, core->dcache.ways, core->dcache.policy);
	cache_init(&o->l2, core, core->l2.size, core->l2.ways, core->l2.policy);
	tlb_init(&o->itlb, core->utlb.entries, core->utlb.entries);
	tlb_init(&o->dtlb, core->utlb.entries, core->utlb.entries);
	tlb_init(&o->main_tlb, core->tlb.entries, core->tlb.ways);
	memset(o->counter, 1, sizeof(o->counter));
	o->lsu.slots = (uint32_t)core->mem.slots;
	o->lsu.wbuf_entries = (uint32_t)core->mem.wbuf;
	o->lsu.latency = (uint32_t)core->mem.latency;
	o->lsu.fill_cycles = (uint32_t)core->mem.fill;
	o->lsu.write_cycles = (uint32_t)core->mem.write;
}

static void oracle_fini(struct oracle *o)
{
	cache_fini(&o->icache);
	cache_fini(&o->dcache);
	cache_fini(&o->l2);
	tlb_fini(&o->itlb);
	tlb_fini(&o->dtlb);
	tlb_fini(&o->main_tlb);
}

static void occupy_bus(struct oracle *o, uint64_t cycles)
{
	if (cycles)
		o->lsu.bus_free = pmk_later(o->lsu.bus_free, o->cycles) + cycles;
}

/*
 * Writes a line. If level 1 has a bus of its own, the line leaves before the line that replaces it
 * is read.
 */
static void write_out(struct oracle *o)
{
	uint64_t takes = o->core->a64.bus_write, *own = &o->lsu.write_free;

	if (!takes) {
		occupy_bus(o, o->core->a64.bus_line);
		return;
	}
	*own = takes + (*own > o->cycles ? *own : o->cycles);
	if (o->lsu.bus_free < *own)
		o->lsu.bus_free = *own;
}

/*
 * Puts a line into level 2. If it replaces a dirty line, that line is written to the bus as a
 * whole.
 */
static void l2_put(struct oracle *o, uint64_t number, bool dirty)
{
	struct line *l = cache_victim(&o->l2, number);

	if (l->valid && l->dirty) {
		o->n[PMK_SIG_L2_EVICT]++;
		o->n[PMK_SIG_BUS_WRITE] += 64 / o->core->a64.bus_bytes;
		write_out(o);
	}
	cache_put(&o->l2, l, (struct line){ .valid = true, .dirty = dirty, .number = number });
}

/* Returns the cycles that the source of a line needs to deliver it. */
static uint64_t line_takes(const struct oracle *o)
{
	return !o->lsu.level2 && o->core->a64.bus_line ? o->core->a64.bus_line : o->core->mem.fill;
}

/* Returns the cycles for a line that a store missed, if memory delivers it. */
static uint64_t store_takes(const struct oracle *o)
{
	return o->core->a64.bus_store ? o->core->a64.bus_store : o->core->a64.bus_line;
}

/* Requests a line for level 1. Returns the latency of its critical word. */
static uint64_t l2_get(struct oracle *o, uint64_t number, bool for_write)
{
	o->lsu.level2 = o->core->a64.l2_on && cache_find(&o->l2, number);
	o->lsu.fill_cycles = (uint32_t)line_takes(o);
	if (o->core->a64.l2_on) {
		o->n[PMK_SIG_L2_READ]++;
		if (o->lsu.level2)
			return o->core->l2.latency;
		o->n[for_write ? PMK_SIG_L2_MISS_WRITE : PMK_SIG_L2_MISS_READ]++;
		l2_put(o, number, false);
	}
	o->n[PMK_SIG_BUS_READ] += 64 / o->core->a64.bus_bytes;
	return o->core->mem.latency;
}

/* Level 1 writes back a dirty line. */
static void l2_take(struct oracle *o, uint64_t number)
{
	struct line *l;

	if (!o->core->a64.l2_on) {
		o->n[PMK_SIG_BUS_WRITE] += 64 / o->core->a64.bus_bytes;
		occupy_bus(o, o->core->a64.bus_line);
		return;
	}
	o->n[PMK_SIG_L2_WRITE]++;
	l = cache_find(&o->l2, number);
	if (l)
		l->dirty = true;
	else
		l2_put(o, number, true);
}

/* Returns the cycles that the translation of an address takes. */
static uint64_t translate(struct oracle *o, struct tlb *micro, uint64_t page, unsigned walk,
			  bool *missed)
{
	*missed = o->core->mmu && !tlb_look(micro, page);
	if (!*missed)
		return 0;
	if (tlb_look(&o->main_tlb, page))
		return o->core->utlb.penalty;
	o->n[PMK_SIG_TLB_MISS]++;
	o->n[walk]++;
	return o->core->tlb.penalty;
}

static void lose_fetch(struct oracle *o, uint64_t cycles, enum pmk_signal why)
{
	o->n[PMK_SIG_FETCH_STALL] += cycles;
	o->n[why] += cycles;
	o->cycles += cycles;
}

/* Fetches the bytes of a block: pages first, then lines. Each look-up covers fetch.bytes bytes. */
static void fetch(struct oracle *o, uint64_t from, uint64_t last)
{
	uint64_t width = o->core->a64.fetch_bytes;
	bool missed;

	for (uint64_t a = from / width * width; a <= last; a += width) {
		o->n[PMK_SIG_L1I_ACCESS]++;
		o->n[PMK_SIG_L1I_TLB]++;
	}
	lose_fetch(o, translate(o, &o->itlb, from / 4096, PMK_SIG_ITLB_WALK, &missed),
		   PMK_SIG_ITLB_STALL);
	o->n[PMK_SIG_MICRO_ITLB_MISS] += missed;
	lose_fetch(o, translate(o, &o->itlb, last / 4096, PMK_SIG_ITLB_WALK, &missed),
		   PMK_SIG_ITLB_STALL);
	o->n[PMK_SIG_MICRO_ITLB_MISS] += missed;
	for (uint64_t number = from / 64; o->core->icache.on && number <= last / 64; number++) {
		if (cache_find(&o->icache, number))
			continue;
		o->n[PMK_SIG_L1I_MISS]++;
		o->n[PMK_SIG_L1I_FILL]++;
		lose_fetch(o, l2_get(o, number, false), PMK_SIG_L1I_STALL);
		cache_put(&o->icache, cache_victim(&o->icache, number),
			  (struct line){ .valid = true, .number = number });
	}
}

static void felt(struct oracle *o, struct pmk_lsu_delay d, bool write)
{
	o->n[write ? PMK_SIG_STORE_STALL : PMK_SIG_LOAD_STALL] += d.full + d.stall;
	o->n[PMK_SIG_STORE_HELD] += write && d.full;
	o->n[PMK_SIG_LSU_FULL_STALL] += d.full;
	o->n[PMK_SIG_DATA_STALL] += d.stall;
	o->cycles += d.full + d.stall;
}

/* Returns the time at which an instruction issued that is `to_end` cycles before the end of its
 * block. */
static uint64_t issued(const struct oracle *o, unsigned to_end)
{
	return o->cycles > to_end ? o->cycles - to_end : 0;
}

/*
 * Applies the delay of a load. If no instruction in the block needs the loaded value, records that
 * the registers that contain it at the end of the block are still waiting.
 */
static void load_felt(struct oracle *o, unsigned use, struct pmk_lsu_delay d)
{
	felt(o, d, false);
	for (unsigned r = 0; use >= 0xC000 && r < 64; r++) {
		if (!(pmk_a64_open_regs(use) >> r & 1))
			continue;
		o->under_way[r] = pmk_later(o->under_way[r], d.ready);
		o->loading[r] = true;
	}
}

static void load_goes_out(struct oracle *o, uint64_t latency, unsigned to_end, unsigned use,
			  uint64_t extra)
{
	o->lsu.latency = (uint32_t)latency;
	load_felt(o, use,
		  pmk_lsu_load_miss(&o->lsu, issued(o, to_end), use < 0xC000 ? use : PMK_LSU_NO_USE,
				    3, extra));
}

/*
 * Chooses the place for line `number` in the data cache. If a dirty line is there, writes it back.
 */
static struct line *make_room(struct oracle *o, uint64_t number)
{
	struct line *l = cache_victim(&o->dcache, number);

	if (l->valid && l->dirty) {
		o->n[PMK_SIG_L1D_EVICT]++;
		l2_take(o, l->number);
	}
	return l;
}

/*
 * Enters a line into the data cache. The line that it replaces leaves before the new line is
 * requested.
 */
static struct line *fill(struct oracle *o, uint64_t number, bool write, uint64_t *latency)
{
	struct line *l = make_room(o, number);

	*latency = l2_get(o, number, write);
	cache_put(&o->dcache, l, (struct line){ .valid = true, .number = number });
	return l;
}

static uint64_t flies_until(const struct flying *f, uint64_t number)
{
	return f[number % 256].number == number ? f[number % 256].until : 0;
}

static void prefetch_1(struct oracle *o, uint64_t number, uint64_t now)
{
	unsigned place = 0;
	uint64_t latency, until, *bus;

	if (cache_look(&o->dcache, number))
		return;
	o->n[PMK_SIG_PREFETCH_FILL]++;
	fill(o, number, false, &latency)->fresh = true;
	for (unsigned i = 1; i < o->core->a64.prefetch_slots; i++)
		if (o->prefetching[i] < o->prefetching[place])
			place = i;
	bus = o->lsu.level2 ? &o->lsu.level2_free : &o->lsu.bus_free;
	until = pmk_later(pmk_later(o->prefetching[place], now) + latency, *bus);
	if (o->lsu.level2)
		until = pmk_later(until, flies_until(o->flying2, number));
	*bus = pmk_later(*bus, now + latency) + line_takes(o);
	o->prefetching[place] = until + line_takes(o);
	o->flying[number % 256] = (struct flying){ number, until };
}

static void prefetch_2(struct oracle *o, uint64_t number, uint64_t now, bool store)
{
	uint64_t until;

	o->n[PMK_SIG_L2_READ]++;
	if (cache_look(&o->l2, number))
		return;
	o->n[PMK_SIG_L2_MISS_READ]++;
	l2_put(o, number, false);
	o->n[PMK_SIG_BUS_READ] += 64 / o->core->a64.bus_bytes;
	until = pmk_later(now + o->core->mem.latency, o->lsu.bus_free);
	o->lsu.level2 = false;
	o->lsu.bus_free = until + (store ? store_takes(o) : line_takes(o));
	o->flying2[number % 256] = (struct flying){ number, until };
}

static bool leaves_page(const struct oracle *o, const struct followed *f, uint64_t number)
{
	return (f->store || !o->core->a64.prefetch_pages) && number / 64 != f->last / 64;
}

/*
 * Prefetches for the first stream of the list, after an access to one of its lines: first the next
 * lines into level 1, then the lines after them into level 2.
 */
static void run_ahead(struct oracle *o, uint64_t now)
{
	struct followed *f = &o->followed[0];
	const struct pmk_core_a64 *c = &o->core->a64;
	unsigned in_1 = f->store && c->prefetch_stores == 1 ? 0 : (unsigned)c->prefetch_lines;
	unsigned in_2 = c->l2_on ? (unsigned)c->prefetch_lines2 : 0;

	for (unsigned k = 0; k < c->prefetch_step && f->ahead < in_1; k++) {
		uint64_t number = f->last + (uint64_t)f->stride * (f->ahead + 1);

		if (leaves_page(o, f, number))
			break;
		f->ahead++;
		if (f->ahead2 < f->ahead)
			f->ahead2 = f->ahead;
		prefetch_1(o, number, now);
	}
	for (unsigned k = 0; k < c->prefetch_step && f->ahead2 < in_2; k++) {
		uint64_t number = f->last + (uint64_t)f->stride * (f->ahead2 + 1);

		if (leaves_page(o, f, number))
			break;
		f->ahead2++;
		prefetch_2(o, number, now, f->store);
	}
}

static void to_the_front(struct oracle *o, unsigned i)
{
	struct followed f = o->followed[i];

	memmove(o->followed + 1, o->followed, i * sizeof(f));
	o->followed[0] = f;
}

/* Moves a stream to line `number`, which is `strides` strides after the last line of the stream. */
static void advance(struct followed *f, uint64_t number, unsigned strides)
{
	f->last = number;
	f->ahead = f->ahead > strides ? f->ahead - strides : 0;
	f->ahead2 = f->ahead2 > strides ? f->ahead2 - strides : 0;
}

static void stop(struct followed *f)
{
	f->going = false;
	f->ahead = f->ahead2 = 0;
}

/* Returns the index of the last stream in the list whose `going` equals `going`. */
static unsigned last_that(const struct oracle *o, bool going)
{
	unsigned i = o->nfollowed;

	while (o->followed[--i].going != going)
		;
	return i;
}

static void miss_is_seen(struct oracle *o, uint64_t number, bool write, uint64_t now)
{
	const struct pmk_core_a64 *c = &o->core->a64;
	struct followed *f;
	unsigned going = 0, i;

	if (!c->prefetch_streams || (write && !c->prefetch_stores))
		return;
	for (i = 0; i < o->nfollowed; i++) {
		int64_t stride = (int64_t)(number - o->followed[i].last);

		if (stride && stride <= (int64_t)c->prefetch_stride &&
		    -stride <= (int64_t)c->prefetch_stride &&
		    !leaves_page(o, &o->followed[i], number) &&
		    !(o->followed[i].going && o->followed[i].stride != stride))
			break;
	}
	if (i == o->nfollowed) {
		if (o->nfollowed < 2 * c->prefetch_streams)
			o->nfollowed++;
		else
			i = last_that(o, false);
		o->followed[i] = (struct followed){ .last = number, .store = write };
		to_the_front(o, i);
		return;
	}
	to_the_front(o, i);
	f = &o->followed[0];
	f->store = write;
	if ((int64_t)(number - f->last) == f->stride) {
		f->run++;
	} else {
		stop(f);
		f->stride = (int64_t)(number - f->last);
		f->run = 1;
	}
	advance(f, number, 1);
	if (f->run < c->prefetch_trigger)
		return;
	for (i = 0; i < o->nfollowed; i++)
		going += o->followed[i].going;
	if (!f->going && going == c->prefetch_streams)
		stop(&o->followed[last_that(o, true)]);
	f->going = true;
	run_ahead(o, now);
}

static void first_use_is_seen(struct oracle *o, uint64_t number, bool write, uint64_t now)
{
	if (write && !o->core->a64.prefetch_stores)
		return;
	for (unsigned i = 0; i < o->nfollowed; i++) {
		struct followed *f = &o->followed[i];

		for (unsigned k = 1; f->going && k <= f->ahead; k++) {
			if (f->last + (uint64_t)f->stride * k != number)
				continue;
			f->store = write;
			advance(f, number, k);
			to_the_front(o, i);
			run_ahead(o, now);
			return;
		}
	}
}

static void store_goes_out(struct oracle *o, unsigned to_end)
{
	uint64_t latency = o->core->mem.latency + o->core->sdram.row_miss;

	if (o->core->a64.bus_line && o->lsu.bus_free > latency)
		o->lsu.wbuf_empty = pmk_later(o->lsu.wbuf_empty, o->lsu.bus_free - latency);
	felt(o, pmk_lsu_write(&o->lsu, issued(o, to_end)), true);
}

/* Returns the time at which an instruction issues, after all its waits. */
static uint64_t really_issued(struct oracle *o, unsigned to_end)
{
	uint64_t at = issued(o, to_end) - pmk_lsu_late(&o->lsu);

	pmk_lsu_reach(&o->lsu, at);
	return at + o->lsu.late;
}

/* Models an access, or a part of an access, that is in one cache line. */
static void touch(struct oracle *o, uint64_t addr, bool write, unsigned to_end, unsigned use)
{
	bool missed, fresh;
	uint64_t extra = translate(o, &o->dtlb, addr / 4096, PMK_SIG_DTLB_WALK, &missed);
	uint64_t now, latency, needed, until = 0;
	struct line *l;

	o->n[PMK_SIG_MICRO_DTLB_MISS] += missed;
	o->n[write ? PMK_SIG_DTLB_MISS_WRITE : PMK_SIG_DTLB_MISS_READ] += missed;
	if (!o->core->dcache.on) {
		o->n[write ? PMK_SIG_BUS_WRITE : PMK_SIG_BUS_READ]++;
		o->lsu.level2 = false;
		if (write)
			store_goes_out(o, to_end);
		else
			load_goes_out(o, o->core->mem.latency, to_end, use, extra);
		return;
	}
	now = really_issued(o, to_end);
	l = cache_find(&o->dcache, addr / 64);
	fresh = l && l->fresh;
	if (!l) {
		o->n[PMK_SIG_L1D_MISS]++;
		o->n[write ? PMK_SIG_L1D_WRITE_MISS : PMK_SIG_L1D_READ_MISS]++;
		l = fill(o, addr / 64, write, &latency);
		if (write) {
			if (!o->lsu.level2)
				occupy_bus(o, store_takes(o));
			store_goes_out(o, to_end);
		} else {
			if (o->lsu.level2)
				until = flies_until(o->flying2, addr / 64);
			load_goes_out(o, pmk_later(latency, until > now ? until - now : 0), to_end,
				      use, extra);
		}
		l->dirty |= write;
		miss_is_seen(o, addr / 64, write, now);
		return;
	}
	if (!write && fresh)
		until = flies_until(o->flying, addr / 64);
	needed = use < 0xC000 ? use : PMK_LSU_NO_USE;
	if (until > now)
		load_felt(
			o, use,
			pmk_lsu_load_arriving(&o->lsu, issued(o, to_end), needed, 3, extra, until));
	else if (!write && extra)
		load_felt(o, use, pmk_lsu_load_hit(&o->lsu, issued(o, to_end), needed, 3 + extra));
	l->dirty |= write;
	l->fresh = false;
	if (fresh)
		first_use_is_seen(o, addr / 64, write, really_issued(o, to_end));
}

/*
 * Executes DC ZVA, which writes a whole line. If the line is absent, it is allocated without a
 * read.
 */
static void zero_line(struct oracle *o, uint64_t addr, unsigned to_end)
{
	bool missed;
	struct line *l;

	translate(o, &o->dtlb, addr / 4096, PMK_SIG_DTLB_WALK, &missed);
	o->n[PMK_SIG_MICRO_DTLB_MISS] += missed;
	o->n[PMK_SIG_DTLB_MISS_WRITE] += missed;
	l = o->core->dcache.on ? cache_find(&o->dcache, addr / 64) : NULL;
	if (l) {
		l->dirty = true;
		l->fresh = false;
		return;
	}
	really_issued(o, to_end);
	if (o->core->dcache.on) {
		o->n[PMK_SIG_L1D_ALLOC_WRITE]++;
		l = make_room(o, addr / 64);
		cache_put(&o->dcache, l,
			  (struct line){ .valid = true, .dirty = true, .number = addr / 64 });
	} else {
		o->n[PMK_SIG_BUS_WRITE] += 64 / (uint64_t)o->core->a64.bus_bytes;
	}
	store_goes_out(o, to_end);
}

/* Makes an access: one look-up for each dcache.bytes bytes, and one more if it crosses a line. */
static void access_bytes(struct oracle *o, uint64_t addr, unsigned bytes, unsigned element,
			 bool write, unsigned to_end, unsigned use)
{
	uint64_t last = addr + bytes - 1;
	unsigned looks = 0;

	for (unsigned i = 0; i < bytes; i += (unsigned)o->core->a64.l1d_bytes)
		looks++;
	looks += addr / 64 != last / 64;
	o->n[PMK_SIG_L1D_LOOKUP] += looks;
	o->n[write ? PMK_SIG_L1D_LOOKUP_WRITE : PMK_SIG_L1D_LOOKUP_READ] += looks;
	o->n[write ? PMK_SIG_MEM_WRITE : PMK_SIG_MEM_READ] += looks;
	o->n[write ? PMK_SIG_L1D_TLB_WRITE : PMK_SIG_L1D_TLB_READ] += looks;
	o->n[write ? PMK_SIG_UNALIGNED_ST : PMK_SIG_UNALIGNED_LD] += addr % element != 0;
	touch(o, addr, write, to_end, use);
	if (addr / 64 != last / 64)
		touch(o, last, write, to_end, use);
}

static void mispredict(struct oracle *o, enum pmk_signal kind)
{
	o->n[PMK_SIG_BRANCH_MISS]++;
	if (kind != PMK_SIG_NONE)
		o->n[kind]++;
	lose_fetch(o, o->core->bp.penalty, PMK_SIG_REFETCH_STALL);
}

static void push(struct oracle *o, uint64_t addr)
{
	o->n[PMK_SIG_CALL_PUSH]++;
	if (o->depth == o->core->rs.entries)
		memmove(o->stack, o->stack + 1, --o->depth * sizeof(o->stack[0]));
	o->stack[o->depth++] = addr;
}

/* How the program leaves a block. */
struct leaving {
	uint64_t at, fall, target; /* addresses of the branch, the next instruction, the target */
	enum pmk_flow flow;
	bool conditional, taken;
};

static void leave_conditional(struct oracle *o, const struct leaving *l)
{
	uint32_t i = (uint32_t)(l->at / 4 % o->core->bp.entries ^ o->history);

	if ((o->counter[i] >= 2) != l->taken)
		mispredict(o, PMK_SIG_BR_COND_MISS);
	if (l->taken && o->counter[i] < 3)
		o->counter[i]++;
	if (!l->taken && o->counter[i] > 0)
		o->counter[i]--;
	o->history = (o->history * 2 + l->taken) % (1u << o->core->a64.bp_history);
	if (o->history >= o->core->bp.entries) /* more history than the table can hold */
		o->history %= (uint32_t)o->core->bp.entries;
}

static void leave_indirect(struct oracle *o, const struct leaving *l)
{
	uint64_t at = l->at / 4, *said;

	/*
	 * The index also depends on the targets of earlier indirect branches. Each target is
	 * shifted left by two bits for each step of its age, and all are combined by exclusive or.
	 */
	for (unsigned age = 0; age < COUNT(o->went); age++)
		at ^= (o->went[age] / 4 << 2 * age) % (1u << o->core->a64.bp_indirect_history);
	said = &o->target[at % o->core->a64.bp_indirect];
	if (*said != l->target)
		mispredict(o, PMK_SIG_BR_INDIRECT_MISS);
	o->n[PMK_SIG_BR_INDIRECT_WRONG] += *said && *said != l->target;
	*said = l->target;
	memmove(o->went + 1, o->went, sizeof(o->went) - sizeof(o->went[0]));
	o->went[0] = l->target;
}

static void leave_return(struct oracle *o, const struct leaving *l)
{
	if (!o->core->rs.on || !o->depth) {
		mispredict(o, PMK_SIG_BR_INDIRECT_MISS);
		return;
	}
	o->n[PMK_SIG_RET_POP]++;
	if (o->stack[--o->depth] == l->target) {
		o->n[PMK_SIG_RET_PREDICTED]++;
	} else {
		o->n[PMK_SIG_RET_MISS]++;
		o->n[PMK_SIG_BR_INDIRECT_WRONG]++;
		mispredict(o, PMK_SIG_BR_INDIRECT_MISS);
	}
}

static void leave(struct oracle *o, const struct leaving *l)
{
	bool is_branch = l->flow != PMK_FLOW_NEXT && l->flow != PMK_FLOW_EXCEPTION &&
			 l->flow != PMK_FLOW_MODE;

	if (!o->core->bp.on && is_branch) {
		if (l->taken)
			mispredict(o, l->conditional ? PMK_SIG_BR_COND_MISS
				      : l->flow == PMK_FLOW_JUMP || l->flow == PMK_FLOW_CALL
					      ? PMK_SIG_NONE
					      : PMK_SIG_BR_INDIRECT_MISS);
		o->n[PMK_SIG_PC_CHANGE] += l->taken;
		return;
	}
	switch (l->flow) {
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
	case PMK_FLOW_MODE:
		return;
	case PMK_FLOW_JUMP:
		if (l->conditional)
			leave_conditional(o, l);
		break;
	case PMK_FLOW_CALL:
		push(o, l->fall);
		break;
	case PMK_FLOW_INDIRECT:
		leave_indirect(o, l);
		break;
	case PMK_FLOW_INDCALL:
		leave_indirect(o, l);
		push(o, l->fall);
		break;
	case PMK_FLOW_RETURN:
		leave_return(o, l);
		break;
	}
	o->n[PMK_SIG_PC_CHANGE] += l->taken;
}

/* Raises the events that an instruction counts whenever it is executed. */
static void execute(struct oracle *o, const struct pmk_insn *in)
{
	static const struct {
		uint32_t kind;
		uint8_t sig;
	} kinds[] = {
		{ PMK_K_DP, PMK_SIG_DP },
		{ PMK_K_ASE, PMK_SIG_ASE },
		{ PMK_K_VFP, PMK_SIG_VFP },
		{ PMK_K_CRYPTO, PMK_SIG_CRYPTO },
		{ PMK_K_LDREX, PMK_SIG_LDREX },
		{ PMK_K_STREX, PMK_SIG_STREX },
		{ PMK_K_ACQUIRE, PMK_SIG_LD_ACQUIRE },
		{ PMK_K_RELEASE, PMK_SIG_ST_RELEASE },
		{ PMK_K_BR_IMM, PMK_SIG_BR_IMM },
		{ PMK_K_BR_RETURN, PMK_SIG_BR_RETURN },
		{ PMK_K_BR_INDIRECT, PMK_SIG_BR_INDIRECT },
		{ PMK_K_SVC, PMK_SIG_EXC_SVC },
		{ PMK_K_HVC, PMK_SIG_EXC_HVC },
		{ PMK_K_SMC, PMK_SIG_EXC_SMC },
		{ PMK_K_UNDEF, PMK_SIG_EXC_UNDEF },
		{ PMK_K_ERET, PMK_SIG_EXC_RETURN },
		{ PMK_K_CID_WRITE, PMK_SIG_CID_WRITE },
		{ PMK_K_TTBR_WRITE, PMK_SIG_TTBR_WRITE },
	};

	o->n[PMK_SIG_INSN]++;
	o->n[PMK_SIG_BRANCH] += in->is_branch;
	o->n[PMK_SIG_BR_PREDICTABLE] += in->is_branch;
	o->n[PMK_SIG_BR_COND] += in->is_branch && in->conditional;
	o->n[PMK_SIG_LOAD] += in->load;
	o->n[PMK_SIG_STORE] += in->store;
	for (size_t i = 0; i < COUNT(kinds); i++)
		o->n[kinds[i].sig] += (in->kind & kinds[i].kind) != 0;
	o->n[PMK_SIG_EXC_TAKEN] +=
		(in->kind & (PMK_K_SVC | PMK_K_HVC | PMK_K_SMC | PMK_K_UNDEF)) != 0;
	o->n[PMK_SIG_ISB] += in->sysop == PMK_SYS_ISB;
	o->n[PMK_SIG_DSB] += in->sysop == PMK_SYS_DSB;
	o->n[PMK_SIG_DMB] += in->sysop == PMK_SYS_DMB;
	o->n[PMK_SIG_L1D_LOOKUP] += (in->kind & PMK_K_DC_ZVA) != 0;
	o->n[PMK_SIG_L1D_LOOKUP_WRITE] += (in->kind & PMK_K_DC_ZVA) != 0;
}

/* Executes cache and TLB maintenance, which takes effect after its block has run. */
static void maintain(struct oracle *o, const struct pmk_insn *in)
{
	if (in->sysop == PMK_SYS_ICACHE_INV)
		for (unsigned i = 0; i < o->icache.sets * o->icache.ways; i++)
			o->icache.line[i].valid = false;
	if (in->sysop == PMK_SYS_TLB) {
		tlb_flush(&o->itlb);
		tlb_flush(&o->dtlb);
		tlb_flush(&o->main_tlb);
	}
}

/* ---- random programs ----------------------------------------------------------------------- */

#define MAX_LENGTH 64
#define MAX_BLOCKS 700

struct code_block {
	unsigned n;
	struct pmk_insn insn[MAX_LENGTH];
	struct pmk_pipe_slot slot[MAX_LENGTH];
	struct pmk_a64_timing time;
	const struct pmk_block *block;
	int next;	/* index of the following block; -1: none */
	int target;	/* index of the block that a direct branch goes to */
	unsigned habit; /* percentage of executions in which the branch is taken */
};

struct program {
	struct code_block b[MAX_BLOCKS];
	int n;
	struct pmk_code code;
	struct pmk_facts facts[MAX_BLOCKS];
};

struct shape {
	unsigned segments, blocks; /* blocks: number per segment */
	unsigned length;	   /* the most instructions of a block */
	uint64_t spacing;	   /* distance between segments */
	unsigned pages;		   /* number of data pages */
	uint64_t code;		   /* about where the first segment begins */
};

/*
 * Returns a register, except SP, whose value is never late. It usually is one of a few registers,
 * so instructions depend on each other.
 */
static unsigned some_register(void)
{
	return pick(3) ? pick(6) + 32 * pick(2) : pick(31) + 32 * pick(2);
}

static struct pmk_insn plain_insn(uint64_t addr)
{
	static const uint32_t kinds[] = {
		PMK_K_DP, PMK_K_DP, PMK_K_ASE, PMK_K_VFP, PMK_K_CRYPTO, 0
	};
	static const uint8_t classes[] = { PMK_I_ALU, PMK_I_ALU,    PMK_I_ALU,
					   PMK_I_MUL, PMK_I_MLA,    PMK_I_FP_MAC,
					   PMK_I_DIV, PMK_I_FP_DIV, PMK_I_FP_ADD };
	unsigned rd = some_register(), rn = some_register(), ra = some_register();
	uint8_t iclass = classes[pick(COUNT(classes))];
	bool sum = iclass == PMK_I_MLA || iclass == PMK_I_FP_MAC;

	return (struct pmk_insn){ .addr = addr,
				  .size = 4,
				  .iclass = iclass,
				  .kind = kinds[pick(COUNT(kinds))],
				  .decoded = true,
				  .rd = (int8_t)rd,
				  .rd2 = -1,
				  .rn = (int8_t)rn,
				  .rm = -1,
				  .rs = -1,
				  .ra = (int8_t)(sum ? (int)ra : -1),
				  .reads = UINT64_C(1) << rn | (uint64_t)sum << ra,
				  .writes = UINT64_C(1) << rd };
}

static void make_memory(struct pmk_insn *in)
{
	static const uint8_t elements[] = { 1, 2, 4, 8, 8, 8, 16 };
	static const uint8_t structures[] = { 2, 3, 4, 8, 16, 32, 48, 64 };
	unsigned kind = pick(16);

	in->mem_bytes = elements[pick(COUNT(elements))];
	in->mem_count = 1;
	in->kind = 0;
	in->iclass = PMK_I_LOAD;
	in->reads = UINT64_C(1) << in->rn;
	in->ra = -1;
	in->load = pick(5) < 3;
	in->store = !in->load;
	if (kind < 4) {
		unsigned rd2 = some_register();

		in->mem_count = 2;
		in->rd2 = (int8_t)rd2;
		in->writes |= UINT64_C(1) << rd2;
	} else if (kind < 6) { /* structures of up to 64 bytes */
		unsigned n = structures[pick(COUNT(structures))];

		in->mem_bytes = (uint8_t)(1u << pick(4));
		in->mem_count = (uint8_t)(n * in->mem_bytes <= 64 ? n : 64u / in->mem_bytes);
		in->kind = PMK_K_VECTOR_MEM;
	} else if (kind < 8) {
		in->mem_bytes = (uint8_t)(1u << pick(4));
		in->mem_count = in->mem_bytes >= 4 && pick(2) ? 2 : 1;
		in->exclusive = true;
		in->kind = (in->load ? PMK_K_LDREX : PMK_K_STREX) |
			   (pick(2) ? (in->load ? PMK_K_ACQUIRE : PMK_K_RELEASE) : 0u);
	} else if (kind < 9) {
		in->mem_bytes = (uint8_t)(1u << pick(4));
		in->load = in->store = true;
	}
	in->mem_total = (uint8_t)(in->mem_bytes * in->mem_count);
	in->iclass = in->load && in->store ? PMK_I_ATOMIC : in->load ? PMK_I_LOAD : PMK_I_STORE;
	in->writeback = pick(4) == 0;
	if (in->store && !in->load) {
		in->reads |= in->writes;
		in->writes = 0;
	}
	if (in->writeback)
		in->writes |= UINT64_C(1) << in->rn;
}

static void make_system(struct pmk_insn *in)
{
	static const uint8_t ops[] = { PMK_SYS_DSB, PMK_SYS_DMB, PMK_SYS_ISB };
	static const uint32_t kinds[] = { PMK_K_CID_WRITE, PMK_K_TTBR_WRITE, 0, 0 };

	if (pick(4) == 0) {
		*in = (struct pmk_insn){ .addr = in->addr,
					 .size = 4,
					 .iclass = PMK_I_CACHE_OP,
					 .kind = PMK_K_DC_ZVA,
					 .rd = -1,
					 .rd2 = -1,
					 .rn = -1,
					 .rm = in->rn,
					 .rs = -1,
					 .ra = -1,
					 .reads = UINT64_C(1) << in->rn };
		return;
	}
	in->iclass = PMK_I_OTHER;
	in->sysop = ops[pick(COUNT(ops))];
	in->kind = kinds[pick(COUNT(kinds))];
}

/* Makes the last instruction of a block. */
static void make_leaving(struct pmk_insn *in, bool last_of_segment)
{
	static const uint8_t flows[] = { PMK_FLOW_NEXT,	    PMK_FLOW_JUMP,    PMK_FLOW_JUMP,
					 PMK_FLOW_JUMP,	    PMK_FLOW_JUMP,    PMK_FLOW_CALL,
					 PMK_FLOW_CALL,	    PMK_FLOW_RETURN,  PMK_FLOW_RETURN,
					 PMK_FLOW_INDIRECT, PMK_FLOW_INDCALL, PMK_FLOW_EXCEPTION,
					 PMK_FLOW_MODE };
	static const uint8_t away[] = { PMK_FLOW_JUMP, PMK_FLOW_RETURN, PMK_FLOW_INDIRECT };
	static const uint32_t exceptions[] = { PMK_K_SVC, PMK_K_SVC, PMK_K_HVC, PMK_K_SMC,
					       PMK_K_UNDEF };
	static const uint32_t kind_of[] = {
		[PMK_FLOW_JUMP] = PMK_K_BR_IMM,
		[PMK_FLOW_CALL] = PMK_K_BR_IMM,
		[PMK_FLOW_INDIRECT] = PMK_K_BR_INDIRECT,
		[PMK_FLOW_INDCALL] = PMK_K_BR_INDIRECT,
		[PMK_FLOW_RETURN] = PMK_K_BR_INDIRECT | PMK_K_BR_RETURN,
		[PMK_FLOW_MODE] = PMK_K_ERET,
	};
	uint64_t addr = in->addr;
	uint8_t flow = last_of_segment ? away[pick(COUNT(away))] : flows[pick(COUNT(flows))];

	if (flow == PMK_FLOW_NEXT)
		return;
	*in = plain_insn(addr);
	in->flow = flow;
	in->kind = flow == PMK_FLOW_EXCEPTION ? exceptions[pick(COUNT(exceptions))] : kind_of[flow];
	in->is_branch = (in->kind & (PMK_K_BR_IMM | PMK_K_BR_INDIRECT)) != 0;
	in->iclass = in->is_branch ? PMK_I_BRANCH : PMK_I_OTHER;
	in->conditional = flow == PMK_FLOW_JUMP && !last_of_segment && pick(4) > 0;
	in->writes = flow == PMK_FLOW_CALL || flow == PMK_FLOW_INDCALL ? UINT64_C(1) << 30 : 0;
}

static void make_block(struct code_block *b, uint64_t *at, unsigned longest, bool last)
{
	b->n = 1 + pick(longest);
	for (unsigned i = 0; i < b->n; i++) {
		b->insn[i] = plain_insn(*at);
		if (pick(3) == 0)
			make_memory(&b->insn[i]);
		else if (pick(30) == 0)
			make_system(&b->insn[i]);
		*at += 4;
	}
	make_leaving(&b->insn[b->n - 1], last);
	/* Blocks with maintenance do not end with a branch that is predicted by history. */
	if (pick(20) == 0 && b->n > 1 && !b->insn[b->n - 1].conditional)
		b->insn[0] = (struct pmk_insn){ .addr = b->insn[0].addr,
						.size = 4,
						.iclass = PMK_I_OTHER,
						.sysop = pick(2) ? PMK_SYS_TLB : PMK_SYS_ICACHE_INV,
						.rd = -1,
						.rd2 = -1,
						.rn = -1,
						.rm = -1,
						.rs = -1,
						.ra = -1 };
	b->habit = pick(3) ? (pick(2) ? 95 : 8) : pick(101);
}

/* Adds a block that begins in the middle of `whole` and ends with the same branch. */
static void make_tail(struct program *p, const struct code_block *whole)
{
	struct code_block *b = &p->b[p->n];
	unsigned from = pick(whole->n);

	*b = *whole;
	b->n -= from;
	memmove(b->insn, b->insn + from, b->n * sizeof(b->insn[0]));
	p->n++;
}

/*
 * Chooses the target of a branch. A direct branch goes to one block; all blocks that end in the
 * branch have this target. A conditional branch never goes to the next instruction, because then
 * taken and not taken would look the same.
 */
static void choose_target(struct program *p, int i, int straight)
{
	struct pmk_insn *last = &p->b[i].insn[p->b[i].n - 1];

	for (int k = 0; k < i; k++)
		if (p->b[k].insn[p->b[k].n - 1].addr == last->addr) {
			p->b[i].target = p->b[k].target;
			last->target = p->b[k].insn[p->b[k].n - 1].target;
			return;
		}
	do {
		p->b[i].target = (int)(pick(3) ? (uint32_t)(i + straight + (int)pick(9) - 4) %
							 (uint32_t)straight
					       : pick((uint32_t)p->n));
		last->target = p->b[p->b[i].target].insn[0].addr;
	} while (last->conditional && last->target == last->addr + 4);
}

static void make_program(struct program *p, const struct pmk_core *core, const struct shape *s)
{
	int straight;

	p->n = 0;
	for (unsigned k = 0; k < s->segments; k++) {
		uint64_t at = s->code + k * s->spacing + 4 * pick(16);

		for (unsigned i = 0; i < s->blocks; i++) {
			bool last = i + 1 == s->blocks;

			make_block(&p->b[p->n], &at, s->length, last);
			p->b[p->n].next = last ? -1 : p->n + 1;
			p->n++;
		}
	}
	straight = p->n;
	for (int i = 0; i < straight / 4; i++)
		make_tail(p, &p->b[pick((uint32_t)straight)]);
	assert_int_equal(pmk_code_init(&p->code, core), 0);
	for (int i = 0; i < p->n; i++) {
		struct code_block *b = &p->b[i];
		uint8_t flow = b->insn[b->n - 1].flow;

		if (flow == PMK_FLOW_JUMP || flow == PMK_FLOW_CALL)
			choose_target(p, i, straight);
		b->block = pmk_code_add(&p->code, b->insn, b->n, 1, false, b->slot);
		assert_non_null(b->block);
		p->facts[b->block->id] = b->block->facts;
		pmk_a64_time(core, b->insn, b->n, b->slot, &b->time);
	}
}

/* ---- running both -------------------------------------------------------------------------- */

struct run {
	struct pmk_cpu cpu;
	struct pmk_executions executions[MAX_BLOCKS];
	struct oracle o;
	struct program p;
	struct pmk_core core;
	const struct shape *shape;
	uint64_t page[64]; /* data pages, the most used ones first */
	int calls[64];	   /* blocks to which calls must return */
	unsigned ncalls;
	uint64_t base; /* address register of the array walk */
};

static uint64_t data_addr(struct run *r, unsigned align)
{
	unsigned pages = r->shape->pages;
	uint64_t page = r->page[pick(4) ? pick(1 + pages / 4) : pick(pages)];

	if (pick(4) == 0) /* along an array */
		return (r->base += 4 + 4 * pick(4)) & ~(uint64_t)(align - 1);
	/* The access may go beyond its page, but not beyond the last page. */
	page += pick(3) ? pick(4096) & ~(align - 1) : pick(4096);
	return page > UINT64_MAX - 64 ? page - 64 : page;
}

/*
 * Makes the emulator's callbacks for one access in pieces of at most 8 bytes. The model counts the
 * whole access at the first piece.
 */
static void in_pieces(struct run *r, const struct pmk_insn *in, uint64_t addr, uint64_t a)
{
	unsigned step = in->mem_bytes < 8 ? in->mem_bytes : 8;

	for (unsigned i = 0; i < in->mem_total; i += step) {
		if (!pmk_a64_first_piece(&r->cpu, addr + i, a))
			continue;
		if (in->store && in->exclusive) {
			pmk_a64_store_exclusive(&r->cpu, addr + i, a);
		} else if (in->store) {
			pmk_a64_store(&r->cpu, addr + i, in->mem_bytes, in->mem_total, a);
		} else {
			pmk_a64_load(&r->cpu, addr + i, in->mem_bytes, in->mem_total, a);
		}
	}
}

static void run_memory(struct run *r, const struct code_block *b, unsigned k)
{
	const struct pmk_insn *in = &b->insn[k];
	unsigned to_end = b->time.cycles - b->slot[k].issue, use = b->slot[k].use;
	uint64_t a = pmk_a64_access(&r->cpu.core, to_end, use, in);
	bool aligned = in->exclusive || (in->load && in->store);
	uint64_t addr;

	if (in->kind & PMK_K_DC_ZVA) {
		addr = data_addr(r, 64) & ~UINT64_C(63);
		pmk_a64_zero_line(&r->cpu, addr, pmk_access_pack(to_end, 0, 1, 0));
		zero_line(&r->o, addr, to_end);
	}
	if (!in->load && !in->store)
		return;
	if (in->exclusive && in->store) {
		if (pick(2)) {
			r->o.n[PMK_SIG_STREX_FAIL]++;
			return;
		}
		r->o.n[PMK_SIG_STREX_PASS]++;
	}
	addr = data_addr(r, in->mem_bytes);
	if (aligned) /* the emulator reports only aligned pieces */
		addr &= ~(uint64_t)(in->mem_total - 1);
	if (in->load && in->store) {
		pmk_a64_load(&r->cpu, addr, 1, in->mem_total, a);
		pmk_a64_store(&r->cpu, addr, 1, in->mem_total, a);
		access_bytes(&r->o, addr, in->mem_total, in->mem_bytes, false, to_end, use);
		access_bytes(&r->o, addr, in->mem_total, in->mem_bytes, true, to_end, use);
		return;
	}
	if (in->mem_total > 8 || in->mem_count > 1 || (in->exclusive && in->store))
		in_pieces(r, in, addr, a);
	else if (in->store)
		pmk_a64_store(&r->cpu, addr, in->mem_bytes, in->mem_bytes, a);
	else
		pmk_a64_load(&r->cpu, addr, in->mem_bytes, in->mem_bytes, a);
	access_bytes(&r->o, addr, in->mem_total, in->mem_bytes, in->store, to_end, use);
}

/* Chooses the block that follows block `i`. Stores in *l how the program leaves block `i`. */
static int choose_next(struct run *r, int i, struct leaving *l)
{
	const struct code_block *b = &r->p.b[i];
	const struct pmk_insn *last = &b->insn[b->n - 1];
	bool taken = !last->conditional || pick(100) < b->habit;
	int anywhere = (int)pick((uint32_t)r->p.n), to = b->next;

	*l = (struct leaving){ .at = last->addr,
			       .fall = last->addr + 4,
			       .flow = last->flow,
			       .conditional = last->conditional };
	switch (l->flow) {
	case PMK_FLOW_NEXT:
		return to;
	/*
	 * After a system call, execution continues with the next instruction, or in a signal
	 * handler.
	 */
	case PMK_FLOW_EXCEPTION:
		return pick(8) ? to : anywhere;
	case PMK_FLOW_MODE:
		return anywhere;
	case PMK_FLOW_JUMP:
	case PMK_FLOW_CALL:
		to = taken ? b->target : to;
		break;
	case PMK_FLOW_RETURN:
		to = r->ncalls && pick(10) ? r->calls[--r->ncalls] : anywhere;
		break;
	case PMK_FLOW_INDIRECT:
	case PMK_FLOW_INDCALL:
		to = pick(3) ? b->target : anywhere;
		break;
	}
	l->target = r->p.b[to].insn[0].addr;
	l->taken = taken;
	if ((l->flow == PMK_FLOW_CALL || l->flow == PMK_FLOW_INDCALL) && r->ncalls < 64)
		r->calls[r->ncalls++] = b->next;
	return to;
}

/*
 * Advances the clock by `cycles` in which no instruction of `b` issues, because it waits for an
 * operand or a unit.
 */
static void lose_data(struct oracle *o, const struct code_block *b, unsigned place, uint64_t cycles)
{
	bool simd = place == PMK_A64_FP || (place < 64 && b->time.simd >> place & 1);
	bool address = place < 64 && b->time.address >> place & 1;

	o->cycles += cycles;
	o->n[PMK_SIG_DATA_STALL] += cycles;
	if (o->loading[place])
		o->n[PMK_SIG_LOAD_STALL] += cycles;
	else if (simd || address)
		o->n[simd ? PMK_SIG_SIMD_STALL : PMK_SIG_ADDRESS_STALL] += cycles;
}

/*
 * Waits for results of the blocks before `b`. Results of the previous block `p` that are late by at
 * most 8 cycles delay `b` as a whole. `passed` is the number of cycles that the branch and the
 * fetch took in between.
 */
static void wait_for_results(struct oracle *o, const struct code_block *p,
			     const struct code_block *b, uint64_t passed)
{
	uint64_t end = o->cycles - passed - b->time.cycles, start;
	unsigned wait = 0, longest = 0;

	for (unsigned r = 0; p && r < PMK_A64_PLACES; r++) {
		bool sum = r < 64 && (p->time.sums >> r & 1);
		unsigned need = sum ? b->time.need_sum[r] : b->time.need[r],
			 late = p->time.residue[r];

		if (late > 8) {
			if (r < 64 && o->under_way[r] >= end + late)
				continue;
			o->under_way[r] = end + late;
			o->loading[r] = false;
		} else if (need != 255 && late > need + wait) {
			wait = late - need;
			longest = r;
		}
	}
	if (wait > passed) {
		bool loads = o->loading[longest];

		/* A result that is late by at most 8 cycles is not that of a miss. */
		o->loading[longest] = false;
		lose_data(o, b, longest, wait - passed);
		o->loading[longest] = loads;
	}
	start = o->cycles - b->time.cycles - pmk_lsu_late(&o->lsu);
	for (unsigned r = 0; r < PMK_A64_PLACES; r++) {
		if (o->under_way[r] && b->time.need[r] != 255)
			lose_data(o, b, r,
				  pmk_lsu_hold(&o->lsu, start + b->time.need[r], o->under_way[r]));
		if (b->time.need[r] != 255 || (r < 64 && (b->time.writes >> r & 1)))
			o->under_way[r] = o->loading[r] = 0;
	}
}

/*
 * Runs block `b` in the oracle: first the branch at the end of block `p`, the fetch and the waits,
 * then the instructions of `b`.
 */
static void step(struct run *r, const struct code_block *p, const struct code_block *b,
		 const struct leaving *l)
{
	struct oracle *o = &r->o;
	uint64_t before;

	if (r->cpu.eager)
		pmk_cpu_add_facts(&r->cpu, &b->block->facts);
	pmk_a64_block(&r->cpu, b->block);
	o->cycles += b->time.cycles;
	o->n[PMK_SIG_DATA_STALL] += b->time.data_stall;
	o->n[PMK_SIG_ADDRESS_STALL] += b->time.address_stall;
	o->n[PMK_SIG_SIMD_STALL] += b->time.simd_stall;
	before = o->cycles;
	if (p) {
		leave(o, l);
		for (unsigned k = 0; k < p->n; k++)
			maintain(o, &p->insn[k]);
	}
	fetch(o, b->insn[0].addr, b->insn[b->n - 1].addr);
	wait_for_results(o, p, b, o->cycles - before);
	for (unsigned k = 0; k < b->n; k++) {
		execute(o, &b->insn[k]);
		run_memory(r, b, k);
	}
}

static void compare(struct run *r, const char *what, unsigned step)
{
	static struct pmk_bus bus;
	struct pmk_signal_set raised = pmk_cpu_raises(&r->core);

	pmk_bus_init(&bus);
	pmk_cpu_sum(&r->cpu, r->p.facts, r->executions, r->p.code.nblocks, &bus);
	r->o.n[PMK_SIG_CYCLE] = r->o.cycles;
	r->o.n[PMK_SIG_BACKEND_STALL] = r->o.n[PMK_SIG_DATA_STALL] + r->o.n[PMK_SIG_LSU_FULL_STALL];
	r->o.n[PMK_SIG_STALL] = r->o.n[PMK_SIG_BACKEND_STALL] + r->o.n[PMK_SIG_FETCH_STALL];
	r->o.n[PMK_SIG_INTERLOCK_STALL] = r->o.n[PMK_SIG_BACKEND_STALL] -
					  r->o.n[PMK_SIG_ADDRESS_STALL] -
					  r->o.n[PMK_SIG_SIMD_STALL] - r->o.n[PMK_SIG_LOAD_STALL] -
					  r->o.n[PMK_SIG_STORE_STALL];
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		if (pmk_signal_in(&raised, s) && bus.total[s] != r->o.n[s])
			fail_msg("%s: after %u blocks %s is %llu, the oracle has %llu", what, step,
				 pmk_signal_name(s), (unsigned long long)bus.total[s],
				 (unsigned long long)r->o.n[s]);
}

/*
 * Chooses the data pages. Some are near each other, some are far apart, some share a set of the
 * main TLB and a word of the hints, some belong to a kernel, and one is the last page of the
 * address space.
 */
static void choose_pages(struct run *r)
{
	for (uint64_t i = 0; i < 64; i++)
		r->page[i] = i % 5 == 0	  ? UINT64_C(0x0000000000800000) + 0x1000 * i
			     : i % 5 == 1 ? UINT64_C(0x0000007f00000000) + 0x100000 * i
			     : i % 5 == 2 ? UINT64_C(0x1000) * pick(0x1000000)
			     : i % 5 == 3 ? UINT64_C(0xffffff8000000000) + 0x3000 * i
					  : UINT64_C(0xfffffffffffff000) - 0x1000 * i;
	r->page[r->shape->pages - 1] = UINT64_C(0xfffffffffffff000);
}

static uint64_t met[PMK_NSIGNALS]; /* how often each event occurred in all programs */

static void run_both(const struct pmk_core *core, const struct shape *shape, const char *what,
		     unsigned steps, bool eager)
{
	static struct run r;
	struct leaving l = { 0 };
	int at = 0, before = -1;

	memset(&r, 0, sizeof(r));
	r.core = *core;
	r.shape = shape;
	r.base = UINT64_C(0x0000004000000000);
	choose_pages(&r);
	make_program(&r.p, &r.core, shape);
	oracle_init(&r.o, &r.core);
	assert_int_equal(pmk_cpu_init(&r.cpu, &r.core), 0);
	r.cpu.executions = r.executions;
	r.cpu.eager = eager;
	for (unsigned i = 1; i <= steps; i++) {
		step(&r, before < 0 ? NULL : &r.p.b[before], &r.p.b[at], &l);
		if (i % 97 == 0 || i < 200)
			compare(&r, what, i);
		before = at;
		at = choose_next(&r, at, &l);
	}
	compare(&r, what, steps);
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		met[s] += r.o.n[s];
	pmk_cpu_fini(&r.cpu);
	pmk_code_fini(&r.p.code);
	oracle_fini(&r.o);
}

/* ---- geometries ---------------------------------------------------------------------------- */

struct setting {
	const char *key, *value;
};

struct geometry {
	const char *name;
	struct setting set[16];
};

#define SMALL                                             \
	{ "icache.size", "4K" }, { "dcache.size", "2K" }, \
	{                                                 \
		"l2.size", "64K"                          \
	}

/* clang-format off */
static const struct geometry geometries[] = {
	{ "as it comes", { { NULL, NULL } } },
	{ "small", { SMALL } },
	{ "round robin", { SMALL, { "cache.round_robin", "on" } } },
	{ "direct mapped", { SMALL, { "icache.ways", "1" }, { "dcache.ways", "1" }, { "l2.ways",
		"1" } } },
	{ "16 ways", { SMALL, { "icache.ways", "16" }, { "dcache.ways", "16" }, { "l2.ways", "32" },
		       { "cache.seed", "77" } } },
	{ "LRU", { SMALL, { "cache.policy", "lru" } } },
	{ "FIFO", { SMALL, { "cache.policy", "fifo" }, { "l2.policy", "lru" } } },
	{ "tree", { SMALL, { "cache.policy", "plru" }, { "dcache.ways", "16" } } },
	{ "a policy each", { SMALL, { "icache.policy", "plru" }, { "dcache.policy", "lru" },
			     { "l2.policy", "fifo" }, { "cache.policy", "random" },
			     { "cache.round_robin", "on" } } },
	{ "LRU of 3 ways", { { "icache.size", "12K" }, { "icache.ways", "3" }, { "dcache.size",
		"6K" }, { "dcache.ways", "3" }, { "cache.policy", "lru" } } },
	{ "LRU of all lines", { { "dcache.size", "16K" }, { "dcache.ways", "256" },
				{ "cache.policy", "lru" } } },
	{ "one set", { { "icache.size", "1K" }, { "icache.ways", "16" }, { "dcache.size", "1K" },
		       { "dcache.ways", "16" }, { "l2.size", "64K" }, { "cache.round_robin",
			"on" } } },
	{ "large", { { "dcache.size", "128K" }, { "l2.size", "1M" }, { "tlb.entries", "1024" } } },
	{ "no level 2", { SMALL, { "l2.enable", "off" } } },
	{ "MMU off", { SMALL, { "mmu.enable", "off" } } },
	{ "data cache off", { { "dcache.enable", "off" } } },
	{ "caches and MMU off", { { "dcache.enable", "off" }, { "icache.enable", "off" },
				  { "mmu.enable", "off" } } },
	{ "tiny TLBs", { SMALL, { "utlb.entries", "1" }, { "tlb.entries", "4" }, { "tlb.ways",
		"1" } } },
	{ "odd TLBs", { { "utlb.entries", "7" }, { "tlb.entries", "24" }, { "tlb.ways", "3" } } },
	{ "large micro-TLBs", { SMALL, { "utlb.entries", "64" }, { "tlb.entries", "64" } } },
	{ "small predictor", { { "bp.entries", "2" }, { "bp.history", "1" }, { "bp.indirect", "1" },
			       { "rs.entries", "1" } } },
	{ "no history", { SMALL, { "bp.history", "0" } } },
	{ "long history", { SMALL, { "bp.entries", "4096" }, { "bp.history", "16" },
			    { "bp.indirect", "4096" },
			    { "rs.entries", "16" } } },
	{ "odd tables", { { "bp.entries", "3072" }, { "bp.indirect_history", "10" } } },
	{ "odder tables", { SMALL, { "bp.entries", "12" }, { "bp.history", "2" },
			    { "bp.indirect", "16" }, { "bp.indirect_history", "16" } } },
	{ "no return stack", { SMALL, { "rs.enable", "off" } } },
	{ "no prediction", { SMALL, { "bp.enable", "off" } } },
	{ "3 ways", { { "icache.size", "12K" }, { "icache.ways", "3" }, { "dcache.size", "6K" },
		      { "dcache.ways", "3" }, { "l2.size", "192K" }, { "l2.ways", "12" } } },
	{ "5 ways in turn", { { "icache.size", "5K" }, { "icache.ways", "5" }, { "dcache.size",
		"5K" },
			      { "dcache.ways", "5" }, { "cache.round_robin", "on" } } },
	{ "widths", { SMALL, { "fetch.bytes", "4" }, { "dcache.bytes", "8" }, { "bus.bytes",
		"32" } } },
	{ "more widths", { SMALL, { "fetch.bytes", "64" }, { "dcache.bytes", "64" },
			   { "bus.bytes", "64" } } },
	{ "times", { SMALL, { "mem.latency", "33" }, { "l2.latency", "5" }, { "mem.fill", "9" },
		     { "mem.write", "7" }, { "lsu.slots", "1" }, { "wbuf.entries", "1" },
		     { "branch.max", "1" }, { "utlb.penalty", "11" } } },
	{ "prefetching", { SMALL, { "prefetch.streams", "2" }, { "prefetch.stores", "0" } } },
	{ "prefetching at once", { SMALL, { "prefetch.streams", "16" }, { "prefetch.trigger", "1" },
				   { "prefetch.stride", "64" }, { "prefetch.slots", "2" },
				   { "prefetch.step", "3" }, { "bus.line", "11" },
				   { "bus.write", "19" }, { "bus.store", "7" },
				   { "cache.policy", "lru" } } },
	{ "prefetching into both levels", { SMALL, { "prefetch.streams", "3" },
		{ "prefetch.trigger", "1" }, { "prefetch.stride", "9" }, { "prefetch.lines", "2" },
		{ "prefetch.step", "2" }, { "prefetch.l2_lines", "7" }, { "prefetch.pages", "on" },
		{ "prefetch.stores", "1" }, { "bus.line", "11" }, { "bus.store", "7" },
		{ "mem.fill", "9" } } },
	{ "prefetching without a level 2", { SMALL, { "prefetch.streams", "1" },
		{ "prefetch.trigger", "1" }, { "prefetch.l2_lines", "7" }, { "l2.enable", "off" },
		{ "bus.line", "11" } } },
	{ "four at a time", { SMALL, { "issue.width", "4" }, { "lsu.slots", "16" } } },
};
/* clang-format on */

static void configure(struct pmk_core *core, const struct geometry *g)
{
	static const struct setting a53[] = {
		{ "icache.size", "32K" }, { "icache.ways", "2" },  { "dcache.size", "32K" },
		{ "tlb.entries", "512" }, { "tlb.ways", "4" },	   { "bp.entries", "3072" },
		{ "rs.entries", "8" },	  { "branch.max", "9" },   { "mem.latency", "120" },
		{ "utlb.penalty", "2" },  { "tlb.penalty", "20" }, { "lsu.slots", "3" },
	};
	char msg[256];

	pmk_core_choose(core, "a64", "");
	for (size_t i = 0; i < COUNT(a53); i++)
		assert_int_equal(pmk_core_set(core, a53[i].key, a53[i].value, msg, sizeof(msg)), 0);
	for (size_t i = 0; i < COUNT(g->set) && g->set[i].key; i++)
		if (pmk_core_set(core, g->set[i].key, g->set[i].value, msg, sizeof(msg)))
			fail_msg("%s: %s", g->name, msg);
	assert_int_equal(pmk_core_check(core, msg, sizeof(msg)), 0);
}

/*
 * The shapes are a nest of loops in a few pages, code that is spread over many pages, and long
 * blocks at the addresses of a kernel.
 */
static const struct shape shapes[] = {
	{ .segments = 3,
	  .blocks = 12,
	  .length = 6,
	  .spacing = 0x400,
	  .pages = 4,
	  .code = 0x400000 },
	{ .segments = 16,
	  .blocks = 24,
	  .length = 10,
	  .spacing = 0x1400,
	  .pages = 40,
	  .code = 0x400000 },
	{ .segments = 5,
	  .blocks = 20,
	  .length = 40,
	  .spacing = 0x10000,
	  .pages = 16,
	  .code = UINT64_C(0xffffffc008000000) },
};

static void test_against_the_oracle(void **state)
{
	struct pmk_signal_set raised;
	struct pmk_core core;

	(void)state;
	for (size_t g = 0; g < COUNT(geometries); g++) {
		for (size_t s = 0; s < COUNT(shapes); s++) {
			char what[80];

			seed = UINT64_C(0x9E3779B97F4A7C15) + g * 100 + s;
			configure(&core, &geometries[g]);
			snprintf(what, sizeof(what), "%s, program %zu", geometries[g].name, s);
			run_both(&core, &shapes[s], what, UNIT_SAMPLES(10000), (g + s) % 2);
		}
	}
	/* If an event never occurred, the runs would prove nothing about it. */
	raised = pmk_cpu_raises(&core);
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		if (pmk_signal_in(&raised, s) && met[s] < UNIT_SAMPLES(500))
			fail_msg("%s: only %llu", pmk_signal_name(s), (unsigned long long)met[s]);
	assert_true(met[PMK_SIG_PREFETCH_FILL] >= UNIT_SAMPLES(500));
}

/* Many small programs agree with the oracle, on three geometries with small caches. */
static void test_many_programs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		const struct shape shape = { .segments = 1 + i % 9,
					     .blocks = 3 + i % 7,
					     .length = 1 + i % 20,
					     .spacing = 0x300 + 0x100 * (i % 50),
					     .pages = 1 + i % 30,
					     .code = i % 4 ? 0x10000
							   : UINT64_C(0xffff000000080000) };
		struct pmk_core core;
		char what[80];

		seed = 12345 + i;
		configure(&core, &geometries[i % 3 + 1]);
		core.utlb.entries = 3 + i % 5;
		core.l2.ways = 1u << i % 6;
		snprintf(what, sizeof(what), "program %u", i);
		run_both(&core, &shape, what, UNIT_SAMPLES(2000), i % 2);
	}
}

/* ---- single cases -------------------------------------------------------------------------- */

struct single {
	struct pmk_core core;
	struct pmk_cpu cpu;
	struct pmk_code code;
	struct pmk_executions executions[16];
	struct pmk_facts facts[16];
	struct pmk_pipe_slot slot[1024];
};

static struct single *open_single(const struct geometry *g)
{
	static struct single s;

	memset(&s, 0, sizeof(s));
	configure(&s.core, g);
	assert_int_equal(pmk_code_init(&s.code, &s.core), 0);
	assert_int_equal(pmk_cpu_init(&s.cpu, &s.core), 0);
	s.cpu.executions = s.executions;
	return &s;
}

static void close_single(struct single *s)
{
	pmk_cpu_fini(&s->cpu);
	pmk_code_fini(&s->code);
}

static const struct pmk_block *add_words(struct single *s, uint64_t addr, const uint32_t *words,
					 size_t n)
{
	static struct pmk_insn insn[1024];
	const struct pmk_block *b;

	for (size_t i = 0; i < n; i++)
		pmk_isa_a64_decode(addr + 4 * i, words[i], &insn[i]);
	b = pmk_code_add(&s->code, insn, n, words[0], false, s->slot);
	assert_non_null(b);
	s->facts[b->id] = b->facts;
	return b;
}

static uint64_t total(const struct single *s, unsigned sig)
{
	static struct pmk_bus bus;

	pmk_bus_init(&bus);
	pmk_cpu_sum(&s->cpu, s->facts, s->executions, s->code.nblocks, &bus);
	return bus.total[sig];
}

/*
 * A block that is larger than the cache, and covers two pages while the micro-TLB holds one, evicts
 * its own first lines each time it runs. 400 instructions from 0x8e40 on are 25 lines, and the
 * cache has 16. Lines 0 to 8 share their places with lines 16 to 24, and lines 9 to 15 stay.
 */
static void test_a_block_that_evicts_itself(void **state)
{
	static const struct geometry tiny = {
		"a block that evicts itself",
		{ { "icache.size", "1K" }, { "icache.ways", "1" }, { "utlb.entries", "1" } },
	};
	struct single *s = open_single(&tiny);
	static uint32_t words[400];
	const struct pmk_block *b;

	(void)state;
	for (unsigned i = 0; i < 399; i++)
		words[i] = 0xd503201f; /* nop */
	words[399] = 0x17fffe71;       /* b to the first */
	b = add_words(s, 0x8e40, words, 400);
	assert_int_equal(b->target, 0x8e40);
	for (unsigned i = 1; i <= 5; i++) {
		pmk_a64_block(&s->cpu, b);
		assert_int_equal(s->cpu.dyn[PMK_SIG_L1I_MISS], 25 + (i - 1) * 18);
		assert_int_equal(s->cpu.dyn[PMK_SIG_MICRO_ITLB_MISS], 2 * i);
	}
	assert_int_equal(total(s, PMK_SIG_INSN), 2000);
	assert_int_equal(total(s, PMK_SIG_PC_CHANGE), 4); /* the last block has not been left yet */
	close_single(s);
}

/*
 * The emulator may report an access in several pieces. The instruction still counts once, even
 * after an instruction that accessed the same addresses.
 */
static void test_pieces(void **state)
{
	/* ldp q0, q1, [x0], twice; ldp q0, q1, [x0, #16]; ret */
	static const uint32_t words[] = { 0xad400400, 0xad400400, 0xad408400, 0xd65f03c0 };
	static const struct geometry plain = { "pieces", { { NULL, NULL } } };
	struct single *s = open_single(&plain);
	const struct pmk_block *b = add_words(s, 0x400000, words, 4);
	const uint64_t at[] = { 0x800030, 0x800030, 0x800040 };

	(void)state;
	for (unsigned run = 0; run < 3; run++) {
		pmk_a64_block(&s->cpu, b);
		for (unsigned i = 0; i < 3; i++) {
			struct pmk_insn in;
			uint64_t a;
			unsigned firsts = 0;

			pmk_isa_a64_decode(0x400000 + 4 * i, words[i], &in);
			a = pmk_access_at(pmk_a64_access(&s->cpu.core, 1, 1, &in), 2 - i);
			for (unsigned k = 0; k < 32; k += 8)
				if (pmk_a64_first_piece(&s->cpu, at[i] + k, a)) {
					firsts++;
					assert_int_equal(k, 0);
					pmk_a64_load(&s->cpu, at[i], 16, 32, a);
				}
			assert_int_equal(firsts, 1);
		}
	}
	/*
	 * In each run, the first two instructions cross a line, so they make 3 look-ups each. The
	 * third instruction makes 2. The accesses touch two lines.
	 */
	assert_int_equal(total(s, PMK_SIG_L1D_LOOKUP_READ), 3 * 8);
	assert_int_equal(total(s, PMK_SIG_L1D_READ_MISS), 2);
	assert_int_equal(total(s, PMK_SIG_LOAD), 9);
	assert_int_equal(total(s, PMK_SIG_UNALIGNED_LD), 0);
	close_single(s);
}

/*
 * pmk_a64_access() makes the word that memory callbacks get, which describes the access of the
 * instruction.
 */
static void test_access_word(void **state)
{
	/* ldr q0, [x0]; ldrh w0, [x0]; ld4 {v0.4s-v3.4s}, [x0]; stp w1, w2, [x0] */
	static const uint32_t words[] = { 0x3dc00000, 0x79400000, 0x4c400800, 0x29000801 };
	static const unsigned total_bytes[] = { 16, 2, 64, 8 }, element[] = { 16, 2, 4, 4 };
	static const unsigned pieces[] = { 1, 1, 4, 1 };
	const struct pmk_core core = { .a64.l1d_bytes = 16 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct pmk_insn in;
		uint64_t a, b;

		pmk_isa_a64_decode(0x400000, words[i], &in);
		a = pmk_access_at(pmk_a64_access(&core, 70000, 300, &in), 1);
		assert_int_equal(PMK_ACCESS_SIZE(a), total_bytes[i]);
		assert_int_equal(PMK_ACCESS_COUNT(a), pieces[i]);
		assert_int_equal(1u << PMK_A64_ELEM(a), element[i]);
		assert_int_equal(PMK_ACCESS_TO_END(a), 65535); /* the largest distance that fits */
		assert_int_equal(PMK_ACCESS_USE(a), 300);
		/* Two accesses of the same kind in one block are distinguished. */
		b = pmk_access_at(pmk_a64_access(&core, 70000, 300, &in), 0);
		assert_true(a != b);
	}
}

/*
 * The facts have room for the largest counts of a block: 1024 instructions, each of which accesses
 * four registers in pieces of 4 bytes.
 */
static void test_facts_fit(void **state)
{
	static const struct geometry narrow = { "narrow", { { "dcache.bytes", "4" } } };
	static uint32_t words[1024];
	struct single *s = open_single(&narrow);
	const struct pmk_block *b;

	(void)state;
	for (unsigned i = 0; i < 1024; i++)
		words[i] = 0x4c400000; /* ld4 {v0.16b-v3.16b}, [x0] */
	b = add_words(s, 0x400000, words, 1024);
	assert_int_equal(b->facts.n[PMK_A64_FACT_L1D_LOOKUP_READ], 1024 * 16);
	assert_int_equal(b->facts.n[PMK_A64_FACT_LOAD], 1024);
	close_single(s);
}

/* A forked copy starts with its parent's caches, and with counts of 0. */
static void test_forked(void **state)
{
	static const uint32_t words[] = { 0xf9400000, 0xf9000000, 0x14000000 }; /* ldr, str, b . */
	static const struct geometry plain = { "forked", { { NULL, NULL } } };
	struct single *s = open_single(&plain);
	const struct pmk_block *b = add_words(s, 0x400000, words, 3);
	struct pmk_executions executions[16] = { { 0 } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		pmk_a64_block(&s->cpu, b);
		pmk_a64_load(&s->cpu, 0x800000, 8, 8, pmk_access_pack(2, 2, 1, 8));
		pmk_a64_store(&s->cpu, 0x800000, 8, 8, pmk_access_pack(1, 1, 1, 8));
		if (i == 0) {
			assert_int_equal(s->cpu.dyn[PMK_SIG_L1D_READ_MISS], 1);
			assert_int_equal(s->cpu.dyn[PMK_SIG_L1I_MISS], 1);
			pmk_cpu_forked(&s->cpu, executions);
		}
	}
	assert_int_equal(executions[b->id].count, 1);
	for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
		assert_int_equal(s->cpu.dyn[sig], 0);
	/* The caches and TLBs are warm, so the block takes only the cycles of the pipeline. */
	assert_int_equal(s->cpu.cycles, b->cycles);
	assert_int_equal(s->cpu.taken, 1);
	close_single(s);
}

/*
 * A conditional branch that is taken 20 times is predicted, however the code is divided into
 * blocks.
 */
static void test_predicts(void **state)
{
	static const uint32_t words[] = { 0xf1000400,
					  0x54ffffe1 }; /* subs x0, x0, #1; b.ne to it */
	static const struct geometry plain = { "predicts", { { "bp.history", "0" } } };
	struct single *s = open_single(&plain);
	const struct pmk_block *b = add_words(s, 0x400000, words, 2);

	(void)state;
	for (unsigned i = 0; i < 21; i++)
		pmk_a64_block(&s->cpu, b);
	assert_int_equal(s->cpu.dyn[PMK_SIG_BRANCH_MISS], 1);
	assert_int_equal(total(s, PMK_SIG_PC_CHANGE), 20);
	close_single(s);
}

/* Signals that the core cannot see are not reported as available. */
static void test_raises(void **state)
{
	static const unsigned unseen[] = {
		PMK_SIG_EXC_PABORT,   PMK_SIG_EXC_DABORT, PMK_SIG_EXC_IRQ,
		PMK_SIG_EXC_FIQ,      PMK_SIG_WBUF_DRAIN, PMK_SIG_SYSTEM_TICK,
		PMK_SIG_PARITY_ERROR, PMK_SIG_AHB_READ,	  PMK_NSIGNALS,
	};
	struct pmk_signal_set raised;
	struct pmk_core core;

	(void)state;
	assert_int_equal(pmk_core_choose(&core, "a64", ""), 0);
	raised = pmk_cpu_raises(&core);
	for (size_t i = 0; i < COUNT(unseen); i++)
		assert_false(pmk_signal_in(&raised, unseen[i]));
	assert_true(pmk_signal_in(&raised, PMK_SIG_CYCLE));
	assert_true(pmk_signal_in(&raised, PMK_SIG_LOAD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_the_oracle),
		cmocka_unit_test(test_many_programs),
		cmocka_unit_test(test_a_block_that_evicts_itself),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_access_word),
		cmocka_unit_test(test_facts_fit),
		cmocka_unit_test(test_forked),
		cmocka_unit_test(test_predicts),
		cmocka_unit_test(test_raises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
