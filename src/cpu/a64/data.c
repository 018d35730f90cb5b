// SPDX-License-Identifier: MIT
/*
 * The data side of an A64 core, for accesses that change something: micro-TLB, cache, prefetching,
 * and how long loads and stores take. Programs that miss all the time spend most of their time
 * here. So each condition is checked once and the result is passed on, and rare cases are in
 * functions of their own.
 */
#include "cpu/a64/outside.h"

#define FAST_MASK	 (PMK_A64_FAST_LINES - 1)
#define LOAD_HIT_LATENCY 3

/* ---- translation ----------------------------------------------------------------------------- */

static inline uint64_t line_index(uint64_t addr)
{
	return addr >> PMK_A64_LINE_SHIFT & FAST_MASK;
}

static uint64_t *line_word(struct pmk_a64 *v, uint64_t addr)
{
	return &v->fast[line_index(addr)];
}

static void allow(struct pmk_a64 *v, uint64_t addr, bool store)
{
	*line_word(v, addr) =
		(addr & PMK_A64_LINE_MASK) | PMK_A64_LOAD_OK | (store ? PMK_A64_STORE_OK : 0);
}

static void forbid(struct pmk_a64 *v, uint64_t addr)
{
	uint64_t *w = line_word(v, addr);

	if ((*w & PMK_A64_LINE_MASK) == (addr & PMK_A64_LINE_MASK))
		*w = PMK_A64_EMPTY;
}

static uint64_t *page_word(struct pmk_a64 *v, uint64_t page)
{
	return &v->fast[PMK_A64_FAST_LINES + (page & (PMK_A64_FAST_PAGES - 1))];
}

/* Translate an access to a page that has no word in `fast`. Returns the cycles of the
 * translation. */
static inline __attribute__((always_inline)) uint64_t translate_page(struct pmk_cpu *cpu,
								     uint64_t page, bool write)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t *word = page_word(v, page), cycles, old;

	if (!cpu->core.mmu ||
	    (v->mapped[page & (PMK_A64_FAST_PAGES - 1)] && pmk_tlb_holds(&v->dtlb, page))) {
		*word = page;
		return 0;
	}
	cpu->dyn[PMK_SIG_MICRO_DTLB_MISS]++;
	cpu->dyn[write ? PMK_SIG_DTLB_MISS_WRITE : PMK_SIG_DTLB_MISS_READ]++;
	cycles = pmk_a64_translate(cpu, page, PMK_SIG_DTLB_WALK);
	old = pmk_tlb_fill_only(&v->dtlb, page);
	if (old != PMK_NO_PAGE) {
		v->mapped[old & (PMK_A64_FAST_PAGES - 1)]--;
		if (*page_word(v, old) == old)
			*page_word(v, old) = PMK_NO_PAGE;
	}
	v->mapped[page & (PMK_A64_FAST_PAGES - 1)]++;
	*word = page;
	return cycles;
}

static PMK_SLOW uint64_t translate(struct pmk_cpu *cpu, uint64_t page, bool write)
{
	return translate_page(cpu, page, write);
}

static inline bool page_has_word(const struct pmk_cpu *cpu, uint64_t page)
{
	return *page_word(cpu->a64.tables, page) == page;
}

static inline uint64_t data_translate(struct pmk_cpu *cpu, uint64_t addr, bool write)
{
	uint64_t page = addr >> PMK_PAGE_SHIFT;

	return page_has_word(cpu, page) ? 0 : translate(cpu, page, write);
}

/* ---- the cache ------------------------------------------------------------------------------- */

/*
 * Called before a line of the set of `addr` becomes the line that was used last in this set. If
 * another line was used last until now, hits on that line change the order of the set from now on,
 * so they must take the slow path.
 */
static PMK_SLOW void data_order(struct pmk_cpu *cpu, uint64_t addr)
{
	const uint64_t *last = pmk_a64_cache_last(&cpu->a64.tables->dcache, addr);

	if (last && *last != PMK_A64_EMPTY && !pmk_a64_cache_is(last, addr))
		forbid(cpu->a64.tables, *last & PMK_A64_LINE_MASK);
}

static inline void data_hit(struct pmk_cpu *cpu, uint64_t addr, const uint64_t *e)
{
	if (PMK_LIKELY(!pmk_order_ages(&cpu->a64.tables->dcache.order)))
		return;
	data_order(cpu, addr);
	pmk_a64_cache_use(&cpu->a64.tables->dcache, e);
}

/* Update `fast` and `held` for the line of entry `old`, which leaves the cache. */
static inline void line_leaves(struct pmk_a64 *v, uint64_t old)
{
	if (PMK_UNLIKELY(old == PMK_A64_EMPTY))
		return;
	forbid(v, old);
	v->held[line_index(old)]--;
}

/* Put a line into a set, with the flags in `bits`. */
static inline __attribute__((always_inline)) void data_allocate(struct pmk_cpu *cpu, uint64_t *set,
								uint64_t addr, uint64_t bits)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t *e = pmk_a64_cache_victim(&v->dcache, set), old = *e;

	if (PMK_UNLIKELY(pmk_order_ages(&v->dcache.order)))
		data_order(cpu, addr);
	line_leaves(v, old);
	if (old & PMK_A64_DIRTY) {
		cpu->dyn[PMK_SIG_L1D_EVICT]++;
		pmk_a64_level2_write(cpu, old & PMK_A64_LINE_MASK);
	}
	pmk_a64_cache_put(&v->dcache, e, (addr & PMK_A64_LINE_MASK) | bits);
	v->held[line_index(addr)]++;
}

/*
 * Allocate a line for an access to a part of it, so the line is read from level 2 or memory.
 * Returns the latency.
 */
static inline uint64_t data_fill(struct pmk_cpu *cpu, uint64_t *set, uint64_t addr, bool write,
				 uint64_t bits)
{
	data_allocate(cpu, set, addr, bits);
	return pmk_a64_level2_read(cpu, addr, write);
}

/* Does what data_fill() does, on a core with usual_data. */
static inline __attribute__((always_inline)) uint64_t fill_usual(struct pmk_cpu *cpu, uint64_t *set,
								 uint64_t addr, bool write,
								 uint64_t bits)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t *e = pmk_a64_cache_victim(&v->dcache, set), old = *e;

	line_leaves(v, old);
	if (old & PMK_A64_DIRTY) {
		cpu->dyn[PMK_SIG_L1D_EVICT]++;
		pmk_a64_level2_write_usual(cpu, old & PMK_A64_LINE_MASK);
	}
	*e = (addr & PMK_A64_LINE_MASK) | bits;
	v->held[line_index(addr)]++;
	return pmk_a64_level2_read_usual(cpu, addr, write);
}

/* Returns the line's entry in its set, or NULL. */
static inline uint64_t *data_find(const struct pmk_cpu *cpu, uint64_t *set, uint64_t addr)
{
	if (!cpu->a64.tables->held[line_index(addr)])
		return NULL;
	return pmk_a64_cache_find_in(&cpu->a64.tables->dcache, set, addr);
}

static inline uint64_t *data_set(const struct pmk_cpu *cpu, uint64_t addr)
{
	return pmk_a64_cache_set(&cpu->a64.tables->dcache, addr);
}

/* ---- time ------------------------------------------------------------------------------------ */

static inline uint64_t issue_time(const struct pmk_cpu *cpu, uint64_t access)
{
	uint64_t to_end = PMK_ACCESS_TO_END(access);

	return cpu->cycles > to_end ? cpu->cycles - to_end : 0;
}

/*
 * Returns when the access issues. On a core that executes in order, this also lets the load-store
 * unit advance to the access. On a core that executes out of order, the access issues when its
 * block has entered the window.
 */
static inline uint64_t issued(struct pmk_cpu *cpu, uint64_t access)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t at;

	if (!cpu->a64.in_order)
		return cpu->a64.window ? pmk_a64_window_front(cpu->a64.window) : 0;
	at = issue_time(cpu, access) - pmk_lsu_late(lsu);
	pmk_lsu_reach(lsu, at);
	return at + lsu->late;
}

/* Returns how many cycles after its issue the loaded value is first needed, or PMK_LSU_NO_USE if no
 * instruction of the block needs it. */
static inline uint64_t first_use(uint64_t access)
{
	return PMK_ACCESS_USE(access) < PMK_A64_OPEN ? PMK_ACCESS_USE(access) : PMK_LSU_NO_USE;
}

static inline void account(struct pmk_cpu *cpu, struct pmk_lsu_delay d)
{
	cpu->cycles += d.full + d.stall;
	cpu->dyn[PMK_SIG_LSU_FULL_STALL] += d.full;
	cpu->dyn[PMK_SIG_DATA_STALL] += d.stall;
}

static inline void account_load(struct pmk_cpu *cpu, uint64_t access, struct pmk_lsu_delay d)
{
	account(cpu, d);
	cpu->dyn[PMK_SIG_LOAD_STALL] += d.full + d.stall;
	if (first_use(access) == PMK_LSU_NO_USE)
		pmk_a64_expect(cpu, pmk_a64_open_regs(PMK_ACCESS_USE(access)), d.ready);
}

/*
 * Account for a load that hits, but whose value is late because its translation missed, or because
 * its line was prefetched and arrives only at time `arrives`.
 */
static PMK_SLOW void load_late(struct pmk_cpu *cpu, uint64_t access, uint64_t extra,
			       uint64_t arrives, uint64_t now)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	struct pmk_lsu_delay d;

	if (cpu->core.timeless || (!extra && arrives <= now))
		return;
	if (cpu->a64.window) {
		pmk_a64_window_load(cpu, PMK_ACCESS_USE(access), 0, extra, arrives);
		return;
	}
	if (arrives > now)
		d = pmk_lsu_load_arriving(lsu, issue_time(cpu, access), first_use(access),
					  LOAD_HIT_LATENCY, extra, arrives);
	else
		d = pmk_lsu_load_hit(lsu, issue_time(cpu, access), first_use(access),
				     LOAD_HIT_LATENCY + extra);
	account_load(cpu, access, d);
}

/*
 * Account for a load from level 2 or memory that load_miss() does not handle: out of order, without
 * a clock, or while an earlier load makes it wait. The line arrives after `latency` cycles, but not
 * before `arrives`.
 */
static PMK_SLOW void load_miss_otherwise(struct pmk_cpu *cpu, uint64_t access, uint64_t latency,
					 uint64_t extra, uint64_t arrives)
{
	if (cpu->a64.window)
		pmk_a64_window_load(cpu, PMK_ACCESS_USE(access), latency, extra, arrives);
	else if (cpu->a64.in_order)
		account_load(cpu, access,
			     pmk_lsu_load_miss(&cpu->a64.lsu, issue_time(cpu, access),
					       first_use(access), LOAD_HIT_LATENCY, extra));
}

/*
 * Account for a load that issues at `now` and whose line comes from level 2 or memory. If the line
 * was prefetched into level 2, level 2 has it from time `arrives` on. The first branch is for most
 * loads that miss: no earlier load makes the core wait any more (pmk_lsu_is_settled()).
 */
static inline void load_miss(struct pmk_cpu *cpu, uint64_t access, uint64_t latency, uint64_t extra,
			     uint64_t arrives, uint64_t now)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	unsigned slot = pmk_lsu_slot(lsu);

	lsu->latency = (uint32_t)(arrives > now + latency ? arrives - now : latency);
	if (PMK_LIKELY(cpu->a64.in_order && !lsu->nwaits && !lsu->serial &&
		       lsu->busy_until[slot] <= now))
		account_load(cpu, access,
			     pmk_lsu_settled_load_miss(lsu, lsu->late, slot, pmk_lsu_bus(lsu), now,
						       first_use(access), LOAD_HIT_LATENCY, extra));
	else
		load_miss_otherwise(cpu, access, latency, extra, arrives);
}

static inline void account_store(struct pmk_cpu *cpu, struct pmk_lsu_delay d)
{
	account(cpu, d);
	cpu->dyn[PMK_SIG_STORE_STALL] += d.full + d.stall;
	cpu->dyn[PMK_SIG_STORE_HELD] += d.full > 0;
}

static inline struct pmk_lsu_delay wait_for_room(struct pmk_lsu *lsu, uint64_t issue)
{
	uint64_t late;

	return pmk_lsu_is_settled(lsu, issue, &late) ? pmk_lsu_settled_write(lsu, late, issue)
						     : pmk_lsu_write(lsu, issue);
}

/*
 * Makes the write buffer wait for the bus. A line arrives at most `latency` cycles after its
 * request; this latency is that of a row of the SDRAM that is not open. If the line is requested
 * earlier than `latency` cycles before the bus is free, it may have to wait for the bus. So the
 * write buffer does not become empty earlier than `latency` cycles before the bus is free.
 */
static inline void bus_limits_stores(struct pmk_cpu *cpu)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t latency = cpu->core.mem.latency + cpu->core.sdram.row_miss;

	if (cpu->core.a64.bus_line && lsu->bus_free > latency)
		lsu->wbuf_empty = pmk_later(lsu->wbuf_empty, lsu->bus_free - latency);
}

/* Returns for how many cycles the line that a store missed occupies the bus. */
static inline uint64_t store_line_takes(const struct pmk_cpu *cpu)
{
	uint64_t own = cpu->core.a64.bus_store;

	return own ? own : cpu->core.a64.bus_line;
}

/* Lets the line that a store missed occupy the bus, if it does not come from level 2. */
static inline void store_takes_bus(struct pmk_cpu *cpu)
{
	if (!cpu->a64.lsu.level2)
		pmk_a64_take_bus(cpu, store_line_takes(cpu));
}

static inline void store_goes_out(struct pmk_cpu *cpu, uint64_t access)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;

	bus_limits_stores(cpu);
	if (cpu->a64.in_order)
		account_store(cpu, wait_for_room(lsu, issue_time(cpu, access)));
	else if (cpu->a64.window)
		pmk_a64_window_store(cpu);
}

/* ---- prefetching ----------------------------------------------------------------------------- */

static void prefetch_level2(struct pmk_cpu *cpu, uint64_t addr, uint64_t now, bool store)
{
	struct pmk_a64 *v = cpu->a64.tables;
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t ready;

	cpu->dyn[PMK_SIG_L2_READ]++;
	if (pmk_a64_cache_find(&v->l2, addr))
		return;
	cpu->dyn[PMK_SIG_L2_MISS_READ]++;
	pmk_a64_come_from(cpu, false);
	pmk_a64_level2_fill(cpu, addr, false);
	ready = pmk_later(now + pmk_a64_memory_read(cpu, addr), lsu->bus_free);
	lsu->bus_free = ready + (store ? store_line_takes(cpu) : lsu->fill_cycles);
	pmk_a64_flies(v->prefetcher.flight2, addr >> PMK_A64_LINE_SHIFT, ready);
}

/*
 * If PRFM has requested the line of `addr`, and no access has used it since, returns the time at
 * which it arrives, and marks it as used. Otherwise returns 0.
 */
static PMK_SLOW uint64_t take_preload(struct pmk_cpu *cpu, uint64_t addr)
{
	uint64_t line = addr >> PMK_A64_LINE_SHIFT;
	struct pmk_a64_prefetcher *p = &cpu->a64.tables->prefetcher;
	uint64_t ready = pmk_a64_arrives(p->preload, line);

	if (ready)
		pmk_a64_flies(p->preload, line, 0);
	return ready;
}

/* Returns the cycles that PRFM takes to translate. It does not change the TLBs: the first access to
 * the page counts their misses. */
static uint64_t preload_translates(const struct pmk_cpu *cpu, uint64_t page)
{
	struct pmk_a64 *v = cpu->a64.tables;

	if (!cpu->core.mmu || *page_word(v, page) == page || pmk_tlb_holds(&v->dtlb, page))
		return 0;
	return pmk_tlb_holds(&v->main_tlb, page) ? cpu->core.utlb.penalty : cpu->core.tlb.penalty;
}

/*
 * Requests a line for PRFM, unless the line is present or was requested. It is put into the caches
 * and counted when an access uses it, so that counts do not depend on a clock. From the first
 * request on, all misses take the general path.
 */
void pmk_a64_preload(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	struct pmk_a64 *v = cpu->a64.tables;
	struct pmk_a64_prefetcher *p = &v->prefetcher;
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t line = addr >> PMK_A64_LINE_SHIFT, extra, latency, ready;
	bool level2;

	if (cpu->core.timeless || pmk_a64_arrives(p->preload, line) ||
	    data_find(cpu, data_set(cpu, addr), addr))
		return;
	extra = preload_translates(cpu, addr >> PMK_PAGE_SHIFT);
	level2 = cpu->core.a64.l2_on && pmk_a64_cache_find(&v->l2, addr);
	latency = level2 ? cpu->core.l2.latency
			 : pmk_sdram_read(&cpu->a64.sdram, &cpu->core, addr, cpu->cycles);
	pmk_a64_come_from(cpu, level2);
	if (cpu->a64.window) {
		ready = pmk_a64_window_preload(cpu, PMK_ACCESS_USE(access), latency, extra);
	} else {
		struct pmk_lsu_delay d;

		lsu->latency = (uint32_t)latency;
		d = pmk_lsu_load_miss(lsu, issue_time(cpu, access), PMK_LSU_NO_USE,
				      LOAD_HIT_LATENCY, extra);
		account(cpu, d);
		ready = d.ready - LOAD_HIT_LATENCY;
	}
	if (level2 && ready)
		ready = pmk_later(ready, pmk_a64_arrives(p->flight2, line));
	pmk_a64_flies(p->preload, line, ready);
	cpu->a64.preloads = true;
	cpu->a64.usual_data = false;
}

/*
 * Prefetches a line into level 1. If too many lines are under way, the request waits until one has
 * arrived. Other requests can use the bus until then.
 */
static void prefetch_level1(struct pmk_cpu *cpu, uint64_t addr, uint64_t now)
{
	struct pmk_a64 *v = cpu->a64.tables;
	struct pmk_a64_prefetcher *p = &v->prefetcher;
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t latency, ready, *bus_free, line = addr >> PMK_A64_LINE_SHIFT;
	uint64_t *set = data_set(cpu, addr);
	uint32_t slot = 0;

	if (data_find(cpu, set, addr))
		return;
	cpu->dyn[PMK_SIG_PREFETCH_FILL]++;
	latency = data_fill(cpu, set, addr, false, PMK_A64_PREFETCHED);
	if (cpu->core.timeless)
		return;
	ready = cpu->a64.preloads ? take_preload(cpu, addr) : 0;
	if (PMK_UNLIKELY(ready)) {
		pmk_a64_flies(p->flight, line, ready);
		return;
	}
	for (uint32_t i = 1; i < p->nslots; i++)
		if (p->busy_until[i] < p->busy_until[slot])
			slot = i;
	bus_free = pmk_lsu_bus(lsu);
	ready = pmk_later(pmk_later(now, p->busy_until[slot]) + latency, *bus_free);
	if (lsu->level2)
		ready = pmk_later(ready, pmk_a64_arrives(p->flight2, line));
	*bus_free = pmk_later(*bus_free, now + latency) + lsu->fill_cycles;
	p->busy_until[slot] = ready + lsu->fill_cycles;
	pmk_a64_flies(p->flight, line, ready);
}

/* Fetch the next lines of a stream that has continued. */
static PMK_SLOW void prefetch(struct pmk_cpu *cpu, uint32_t stream, uint64_t now)
{
	struct pmk_a64_prefetcher *p = &cpu->a64.tables->prefetcher;
	uint64_t line;

	for (uint32_t i = 0; i < p->step && pmk_a64_prefetch_next(p, stream, false, &line); i++)
		prefetch_level1(cpu, line << PMK_A64_LINE_SHIFT, now);
	for (uint32_t i = 0; i < p->step && pmk_a64_prefetch_next(p, stream, true, &line); i++)
		prefetch_level2(cpu, line << PMK_A64_LINE_SHIFT, now, p->stream[stream].store);
}

/* Informs the prefetcher of a miss. Called when everything else about the access is done. */
static inline __attribute__((always_inline)) void after_miss(struct pmk_cpu *cpu, uint64_t addr,
							     uint64_t now, bool write)
{
	struct pmk_a64_prefetcher *p = &cpu->a64.tables->prefetcher;
	uint64_t line = addr >> PMK_A64_LINE_SHIFT;
	uint32_t stream, near;

	if (write && p->stores == PMK_A64_STORES_IGNORED)
		return;
	near = pmk_a64_prefetch_near(p, line);
	if (PMK_LIKELY(!near)) {
		pmk_a64_prefetch_begin(p, line, write);
		return;
	}
	stream = pmk_a64_prefetch_missed(p, line, write, near);
	if (stream != PMK_A64_NO_STREAM)
		prefetch(cpu, stream, now);
}

static void after_first_use(struct pmk_cpu *cpu, uint64_t addr, uint64_t now, bool write)
{
	struct pmk_a64_prefetcher *p = &cpu->a64.tables->prefetcher;
	uint32_t stream;

	if (write && p->stores == PMK_A64_STORES_IGNORED)
		return;
	stream = pmk_a64_prefetch_used(p, addr >> PMK_A64_LINE_SHIFT, write);
	if (stream != PMK_A64_NO_STREAM)
		prefetch(cpu, stream, now);
}

/* ---- loads and stores ------------------------------------------------------------------------ */

/* True if the access bypasses the cache, because the cache is off or the page is device memory.
 * Device memory is not looked up in the cache, so the look-up that the block has counted is taken
 * back. */
static bool is_outside(struct pmk_cpu *cpu, uint64_t addr, uint64_t access, bool write)
{
	if (PMK_UNLIKELY(!cpu->core.dcache.on))
		return true;
	if (PMK_LIKELY(!cpu->is_device) || !cpu->is_device(cpu, addr))
		return false;
	cpu->dyn[write ? PMK_SIG_L1D_LOOKUP_WRITE : PMK_SIG_L1D_LOOKUP_READ] -=
		pmk_a64_pieces(&cpu->core, PMK_ACCESS_SIZE(access));
	return true;
}

static PMK_SLOW void data_outside(struct pmk_cpu *cpu, uint64_t access, bool write, uint64_t extra)
{
	pmk_a64_come_from(cpu, cpu->a64.lsu.level2);
	cpu->dyn[write ? PMK_SIG_BUS_WRITE : PMK_SIG_BUS_READ]++;
	if (write)
		store_goes_out(cpu, access);
	else
		load_miss(cpu, access, cpu->core.mem.latency, extra, 0, issued(cpu, access));
}

/* Account for the first load from a line that was prefetched. */
static PMK_SLOW void load_prefetched(struct pmk_cpu *cpu, uint64_t addr, uint64_t access,
				     uint64_t extra, uint64_t *e)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t now = issued(cpu, access);

	*e &= ~PMK_A64_PREFETCHED;
	load_late(cpu, access, extra,
		  pmk_a64_arrives(v->prefetcher.flight, addr >> PMK_A64_LINE_SHIFT), now);
	allow(v, addr, *e & PMK_A64_DIRTY);
	after_first_use(cpu, addr, issued(cpu, access), false);
}

/* Account for a load from a line that is in the cache, at entry `e`. */
static inline void load_present(struct pmk_cpu *cpu, uint64_t addr, uint64_t access, uint64_t extra,
				uint64_t *e)
{
	if (*e & PMK_A64_PREFETCHED) {
		load_prefetched(cpu, addr, access, extra, e);
		return;
	}
	if (extra)
		load_late(cpu, access, extra, 0, 0);
	allow(cpu->a64.tables, addr, *e & PMK_A64_DIRTY);
}

/* Account for a load from a line that is not in the cache and belongs into `set`. */
static PMK_SLOW void load_absent(struct pmk_cpu *cpu, uint64_t *set, uint64_t addr, uint64_t access,
				 uint64_t extra)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t latency, arrives, now;

	if (is_outside(cpu, addr, access, false)) {
		data_outside(cpu, access, false, extra);
		return;
	}
	now = issued(cpu, access);
	cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
	latency = data_fill(cpu, set, addr, false, 0);
	arrives = cpu->a64.preloads ? take_preload(cpu, addr) : 0;
	if (PMK_UNLIKELY(arrives)) {
		load_late(cpu, access, 0, arrives, now);
	} else {
		if (v->prefetcher.lines2 && cpu->a64.lsu.level2)
			arrives =
				pmk_a64_arrives(v->prefetcher.flight2, addr >> PMK_A64_LINE_SHIFT);
		load_miss(cpu, access, latency, extra, arrives, now);
	}
	allow(v, addr, false);
	if (v->prefetcher.nstreams)
		after_miss(cpu, addr, now, false);
}

static PMK_SLOW void load_line(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	uint64_t extra = data_translate(cpu, addr, false);
	uint64_t *set = data_set(cpu, addr), *e = data_find(cpu, set, addr);

	if (!e) {
		load_absent(cpu, set, addr, access, extra);
		return;
	}
	data_hit(cpu, addr, e);
	load_present(cpu, addr, access, extra, e);
}

/* Account for a store to a line that is in the cache, at entry `e`. */
static inline void store_present(struct pmk_cpu *cpu, uint64_t addr, uint64_t access, uint64_t *e)
{
	bool first = *e & PMK_A64_PREFETCHED;

	*e = (*e & ~PMK_A64_PREFETCHED) | PMK_A64_DIRTY;
	allow(cpu->a64.tables, addr, true);
	if (PMK_UNLIKELY(first))
		after_first_use(cpu, addr, issued(cpu, access), true);
}

/*
 * Account for a store to a line that is not in the cache and belongs into `set`. The store buffer
 * hides the miss until it is full.
 */
static PMK_SLOW void store_absent(struct pmk_cpu *cpu, uint64_t *set, uint64_t addr,
				  uint64_t access, uint64_t extra)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t now;

	if (is_outside(cpu, addr, access, true)) {
		data_outside(cpu, access, true, extra);
		return;
	}
	now = issued(cpu, access);
	cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
	data_fill(cpu, set, addr, true, PMK_A64_DIRTY);
	if (!cpu->a64.preloads || !take_preload(cpu, addr))
		store_takes_bus(cpu);
	store_goes_out(cpu, access);
	allow(v, addr, true);
	if (v->prefetcher.nstreams)
		after_miss(cpu, addr, now, true);
}

static PMK_SLOW void store_line(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	uint64_t extra = data_translate(cpu, addr, true);
	uint64_t *set = data_set(cpu, addr), *e = data_find(cpu, set, addr);

	if (!e) {
		store_absent(cpu, set, addr, access, extra);
		return;
	}
	data_hit(cpu, addr, e);
	store_present(cpu, addr, access, e);
}

/*
 * load_usual() and store_usual() do what load_line() and store_line() do, for nearly all misses: on
 * a core with usual_data, without counts per site (cpu/sites.h), when no earlier miss makes the
 * core wait, and for a load if a request slot is free. They leave other misses to load_absent() and
 * store_absent(). On the usual path everything is inline, and each condition is checked only once.
 */
static inline bool is_usual(const struct pmk_cpu *cpu)
{
	return cpu->a64.usual_data && !cpu->sites && !cpu->is_device;
}

/*
 * Returns a request slot that is free at `now`, or the number of slots if there is none. It may
 * return any free slot, because no later load issues before `now`.
 */
static inline unsigned free_slot(const struct pmk_lsu *lsu, uint64_t now)
{
	unsigned slot = 0;

	while (slot < lsu->slots && lsu->busy_until[slot] > now)
		slot++;
	return slot;
}

/*
 * True if the word of the line in `fast` allows the access. Such an access takes the slow path only
 * if its page has no word in `fast`.
 */
static inline bool line_allows(const struct pmk_cpu *cpu, uint64_t addr, uint64_t ok)
{
	return (*line_word(cpu->a64.tables, addr) & (PMK_A64_LINE_MASK | ok)) ==
	       ((addr & PMK_A64_LINE_MASK) | ok);
}

static PMK_SLOW void load_usual(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	struct pmk_a64 *v = cpu->a64.tables;
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t *set, *e, page = addr >> PMK_PAGE_SHIFT, now, late, extra = 0;
	unsigned slot;

	if (!page_has_word(cpu, page)) {
		extra = translate_page(cpu, page, false);
		if (line_allows(cpu, addr, PMK_A64_LOAD_OK)) {
			load_late(cpu, access, extra, 0, 0);
			return;
		}
	}
	set = data_set(cpu, addr);
	e = data_find(cpu, set, addr);
	if (e) {
		load_present(cpu, addr, access, extra, e);
		return;
	}
	now = issue_time(cpu, access);
	slot = free_slot(lsu, now);
	if (PMK_UNLIKELY(!pmk_lsu_is_settled(lsu, now, &late) || slot == lsu->slots)) {
		load_absent(cpu, set, addr, access, extra);
		return;
	}
	cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
	lsu->latency = (uint32_t)fill_usual(cpu, set, addr, false, 0);
	account_load(cpu, access,
		     pmk_lsu_settled_load_miss(lsu, late, slot, pmk_lsu_bus(lsu), now,
					       first_use(access), LOAD_HIT_LATENCY, extra));
	allow(v, addr, false);
	if (v->prefetcher.nstreams)
		after_miss(cpu, addr, now, false);
}

static PMK_SLOW void store_usual(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	struct pmk_a64 *v = cpu->a64.tables;
	struct pmk_lsu *lsu = &cpu->a64.lsu;
	uint64_t *set, *e, page = addr >> PMK_PAGE_SHIFT, now, late, extra = 0;

	if (!page_has_word(cpu, page)) {
		extra = translate_page(cpu, page, true);
		if (line_allows(cpu, addr, PMK_A64_STORE_OK))
			return;
	}
	set = data_set(cpu, addr);
	e = data_find(cpu, set, addr);
	if (e) {
		store_present(cpu, addr, access, e);
		return;
	}
	now = issue_time(cpu, access);
	if (PMK_UNLIKELY(!pmk_lsu_is_settled(lsu, now, &late))) {
		store_absent(cpu, set, addr, access, extra);
		return;
	}
	cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
	fill_usual(cpu, set, addr, true, PMK_A64_DIRTY);
	store_takes_bus(cpu);
	bus_limits_stores(cpu);
	account_store(cpu, pmk_lsu_settled_write(lsu, late, now));
	allow(v, addr, true);
	if (v->prefetcher.nstreams)
		after_miss(cpu, addr, now, true);
}

/*
 * Account for a write of a whole line. If it misses, it allocates the line without reading it, and
 * does not start prefetching.
 */
void pmk_a64_zero_line(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t *set = data_set(cpu, addr), *e = data_find(cpu, set, addr);

	pmk_sites_access(cpu, access);
	data_translate(cpu, addr, true);
	if (e) {
		data_hit(cpu, addr, e);
		*e = (*e & ~PMK_A64_PREFETCHED) | PMK_A64_DIRTY;
		allow(v, addr, true);
		return;
	}
	issued(cpu, access);
	if (cpu->core.dcache.on) {
		cpu->dyn[PMK_SIG_L1D_ALLOC_WRITE]++;
		data_allocate(cpu, set, addr, PMK_A64_DIRTY);
		allow(v, addr, true);
	} else {
		cpu->dyn[PMK_SIG_BUS_WRITE] += cpu->a64.bus_beats;
	}
	store_goes_out(cpu, access);
}

/* Account for the part of an access that is in the line of `addr`. */
static inline void load_part(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	if (PMK_UNLIKELY(pmk_a64_odd(cpu, addr, 1, 1, PMK_A64_LOAD_OK)))
		load_line(cpu, addr, access);
}

static inline void store_part(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	if (PMK_UNLIKELY(pmk_a64_odd(cpu, addr, 1, 1, PMK_A64_STORE_OK)))
		store_line(cpu, addr, access);
}

/* Account for an access that is not aligned, or that crosses into a second line. */
static PMK_SLOW void load_unaligned(struct pmk_cpu *cpu, uint64_t addr, uint64_t last,
				    uint64_t access)
{
	pmk_sites_access(cpu, access);
	cpu->dyn[PMK_SIG_UNALIGNED_LD] += (addr & ((1u << PMK_A64_ELEM(access)) - 1)) != 0;
	load_part(cpu, addr, access);
	if (!((addr ^ last) >> PMK_A64_LINE_SHIFT))
		return;
	cpu->dyn[PMK_SIG_L1D_LOOKUP_READ]++;
	cpu->dyn[PMK_SIG_MEM_READ]++;
	load_part(cpu, last, access);
}

static PMK_SLOW void store_unaligned(struct pmk_cpu *cpu, uint64_t addr, uint64_t last,
				     uint64_t access)
{
	pmk_sites_access(cpu, access);
	cpu->dyn[PMK_SIG_UNALIGNED_ST] += (addr & ((1u << PMK_A64_ELEM(access)) - 1)) != 0;
	store_part(cpu, addr, access);
	if (!((addr ^ last) >> PMK_A64_LINE_SHIFT))
		return;
	cpu->dyn[PMK_SIG_L1D_LOOKUP_WRITE]++;
	cpu->dyn[PMK_SIG_MEM_WRITE]++;
	store_part(cpu, last, access);
}

/*
 * True if an access is aligned and stays in one line. Both hold for an access of at most 64 bytes
 * if its address and its size minus 1 have no bit in common. This is true for most accesses, so it
 * is tested first.
 */
static inline bool is_aligned(uint64_t addr, uint64_t last, uint64_t access)
{
	if (PMK_LIKELY(!(addr & (PMK_ACCESS_SIZE(access) - 1))))
		return true;
	return !((addr ^ last) >> PMK_A64_LINE_SHIFT | (addr & ((1u << PMK_A64_ELEM(access)) - 1)));
}

static PMK_SLOW void load_general(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	pmk_sites_access(cpu, access);
	load_line(cpu, addr, access);
}

static PMK_SLOW void store_general(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	pmk_sites_access(cpu, access);
	store_line(cpu, addr, access);
}

void pmk_a64_load_slow(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	uint64_t last = addr + PMK_ACCESS_SIZE(access) - 1;

	if (PMK_UNLIKELY(!is_aligned(addr, last, access)))
		load_unaligned(cpu, addr, last, access);
	else if (PMK_LIKELY(is_usual(cpu)))
		load_usual(cpu, addr, access);
	else
		load_general(cpu, addr, access);
}

void pmk_a64_store_slow(struct pmk_cpu *cpu, uint64_t addr, uint64_t access)
{
	uint64_t last = addr + PMK_ACCESS_SIZE(access) - 1;

	if (PMK_UNLIKELY(!is_aligned(addr, last, access)))
		store_unaligned(cpu, addr, last, access);
	else if (PMK_LIKELY(is_usual(cpu)))
		store_usual(cpu, addr, access);
	else
		store_general(cpu, addr, access);
}
