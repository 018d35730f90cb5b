// SPDX-License-Identifier: MIT
/* The data side of an ARM11, for accesses that change something in the micro-TLB, the cache or
 * level 2, and for the time that loads and stores take. */
#include "cpu/arm11/slow.h"
#include "cpu/sites.h"

/* Result latency of a load that hits: DDI 0301H table 16-13. */
#define LOAD_HIT_LATENCY 3

/* Changes the bytes of a page in `dmap` when the page enters the micro-TLB. */
static inline void map_page(uint8_t *map)
{
	map_word *word = (map_word *)map;

	for (unsigned i = 0; i < LINES_PER_PAGE / sizeof(*word); i++)
		word[i] |= EACH_BYTE(PMK_D_MAPPED);
}

/* Enters a page into the micro-TLB. Without an MMU, only marks the page as mapped. */
static inline void data_map(struct pmk_cpu *cpu, uint32_t page)
{
	uint64_t old;

	if (cpu->core.mmu) {
		cpu->dyn[PMK_SIG_MICRO_DTLB_MISS]++;
		old = pmk_tlb_fill_only(&cpu->arm11.dtlb, page);
		if (old != PMK_NO_PAGE)
			unmap_page(&cpu->arm11.dmap[old * LINES_PER_PAGE]);
	}
	map_page(&cpu->arm11.dmap[page * LINES_PER_PAGE]);
}

WIDE static struct translation data_translate(struct pmk_cpu *cpu, uint32_t page)
{
	struct translation t = { 0 };

	if (cpu->core.mmu)
		t = translate(cpu, page);
	data_map(cpu, page);
	return t;
}

/*
 * Does what data_translate() does, on a core that has an MMU and no unusual parameter for data
 * accesses.
 */
static inline struct translation data_translate_usual(struct pmk_cpu *cpu, uint32_t page)
{
	struct translation t;
	uint64_t old;

	if (cpu->arm11.main_tlb.ways != 2)
		__builtin_unreachable(); /* see PMK_GENERAL_PARAMS; makes translate() shorter */
	t = translate(cpu, page);
	old = pmk_tlb_fill_only(&cpu->arm11.dtlb, page);
	cpu->dyn[PMK_SIG_MICRO_DTLB_MISS]++;
	if (old != PMK_NO_PAGE)
		unmap_page(&cpu->arm11.dmap[old * LINES_PER_PAGE]);
	map_page(&cpu->arm11.dmap[page * LINES_PER_PAGE]);
	return t;
}

/* data_map() with the vectors of WIDE. Used on a core without a clock, where no count depends on
 * the main TLB. */
WIDE static void data_map_alone(struct pmk_cpu *cpu, uint32_t page)
{
	data_map(cpu, page);
}

static uint64_t issue_time(const struct pmk_cpu *cpu, uint64_t access)
{
	uint64_t to_end = PMK_ACCESS_TO_END(access);

	return cpu->cycles > to_end ? cpu->cycles - to_end : 0;
}

static void account(struct pmk_cpu *cpu, struct pmk_lsu_delay d, uint64_t walk)
{
	cpu->cycles += d.full + d.stall;
	cpu->dyn[PMK_SIG_LSU_FULL_STALL] += d.full;
	cpu->dyn[PMK_SIG_DATA_STALL] += d.stall > walk ? d.stall - walk : 0;
}

/* Returns how many cycles after its issue the loaded value is first needed, or PMK_LSU_NO_USE if no
 * instruction of the block needs it. */
static uint64_t first_use(uint64_t access)
{
	return PMK_ACCESS_USE(access) & PMK_PIPE_OPEN ? PMK_LSU_NO_USE : PMK_ACCESS_USE(access);
}

/* Accounts for a load. If no instruction of its block needs the value, the first instruction of a
 * later block that does will wait for it. */
static void account_load(struct pmk_cpu *cpu, uint64_t access, struct pmk_lsu_delay d,
			 uint64_t walk)
{
	uint64_t open = PMK_ACCESS_USE(access) ^ PMK_PIPE_OPEN;

	account(cpu, d, walk);
	if (first_use(access) != PMK_LSU_NO_USE)
		return;
	for (uint64_t rest = open; rest; rest &= rest - 1) {
		unsigned r = (unsigned)__builtin_ctzll(rest);

		/* A load from two lines is complete when the later one arrives. */
		if (cpu->arm11.pending >> r & 1 && cpu->arm11.ready[r] >= d.ready)
			continue;
		cpu->arm11.ready[r] = d.ready;
		cpu->arm11.walk[r] = (uint32_t)walk;
	}
	cpu->arm11.pending |= open;
}

static void load_external(struct pmk_cpu *cpu, uint64_t access, struct translation t)
{
	if (cpu->core.timeless)
		return;
	account_load(cpu, access,
		     pmk_lsu_load_miss(&cpu->arm11.lsu, issue_time(cpu, access), first_use(access),
				       LOAD_HIT_LATENCY, t.refill + t.walk),
		     t.walk);
}

/* Sends a store to level 2 or to memory. In memory, it opens a row. */
static void store_external(struct pmk_cpu *cpu, uint32_t line, uint64_t access)
{
	bool held = pmk_l2cc_is_on(&cpu->arm11.l2) && cpu->arm11.l2.map[line];

	if (cpu->core.timeless)
		return;
	if (pmk_sdram_differs(&cpu->core) && !held)
		pmk_sdram_write(&cpu->arm11.sdram, &cpu->core, (uint64_t)line << PMK_LINE_SHIFT);
	account(cpu, pmk_lsu_write(&cpu->arm11.lsu, issue_time(cpu, access)), 0);
}

/* Accounts for a load that hits, but whose value is late because its translation missed the
 * micro-TLB. */
static void load_late(struct pmk_cpu *cpu, uint64_t access, struct translation t)
{
	if (t.refill + t.walk && !cpu->core.timeless)
		account_load(cpu, access,
			     pmk_lsu_load_hit(&cpu->arm11.lsu, issue_time(cpu, access),
					      first_use(access),
					      LOAD_HIT_LATENCY + t.refill + t.walk),
			     t.walk);
}

/*
 * Requests a line from level 2, or a word of it if level 1 does not keep the line. Sets lsu.latency
 * to the cycles until it arrives.
 */
static PMK_SLOW void level2_read(struct pmk_cpu *cpu, uint32_t line)
{
	cpu->arm11.lsu.level2 = pmk_l2cc_read(&cpu->arm11.l2, cpu->dyn, PMK_L2CC_DATA, line);
	cpu->arm11.lsu.latency =
		(uint32_t)(cpu->arm11.lsu.level2 ? cpu->core.l2.latency : read_memory(cpu, line));
}

/* Writes halves of a line (bits PMK_D_DIRTY_…) to level 2. */
static PMK_SLOW void level2_write(struct pmk_cpu *cpu, uint32_t line, unsigned halves)
{
	pmk_l2cc_write(&cpu->arm11.l2, cpu->dyn, line, halves / PMK_D_DIRTY_LO,
		       cpu->core.dcache.wt);
}

static void data_evict(struct pmk_cpu *cpu, uint32_t line)
{
	uint8_t *byte = &cpu->arm11.dmap[line];
	unsigned halves = !!(*byte & PMK_D_DIRTY_LO) + !!(*byte & PMK_D_DIRTY_HI);

	if (pmk_l2cc_is_on(&cpu->arm11.l2) && halves)
		level2_write(cpu, line, *byte & (PMK_D_DIRTY_LO | PMK_D_DIRTY_HI));
	cpu->dyn[PMK_SIG_L1D_WB_HALF] += halves;
	cpu->dyn[PMK_SIG_L1D_EVICT] += halves != 0;
	*byte &= PMK_D_MAPPED | PMK_D_REQUESTED;
}

void pmk_arm11_data_order(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t last;

	if (!pmk_cache_ages(&cpu->arm11.dcache))
		return;
	last = pmk_cache_last(&cpu->arm11.dcache, line);
	if (last != PMK_NO_LINE)
		cpu->arm11.dmap[last] &= (uint8_t)~PMK_D_QUIET;
}

void pmk_arm11_data_hit(struct pmk_cpu *cpu, uint32_t line)
{
	if (!pmk_cache_ages(&cpu->arm11.dcache))
		return;
	pmk_arm11_data_order(cpu, line);
	pmk_cache_use(&cpu->arm11.dcache, line);
	cpu->arm11.dmap[line] |= PMK_D_QUIET;
}

static void data_fill(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t victim;

	pmk_arm11_data_order(cpu, line);
	victim = pmk_cache_fill(&cpu->arm11.dcache, line);
	if (pmk_l2cc_is_on(&cpu->arm11.l2))
		level2_read(cpu, line);
	else if (pmk_sdram_differs(&cpu->core))
		cpu->arm11.lsu.latency = (uint32_t)read_memory(cpu, line);
	if (victim != PMK_NO_LINE)
		data_evict(cpu, victim);
	cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
	cpu->arm11.dmap[line] |= PMK_D_PRESENT | PMK_D_QUIET;
	if (cpu->arm11.store_missed == line)
		cpu->arm11.store_missed = PMK_NO_LINE;
}

static bool is_device(struct pmk_cpu *cpu, uint32_t line)
{
	return cpu->is_device && cpu->is_device(cpu, line << PMK_LINE_SHIFT);
}

/* True if the access bypasses the cache, because the cache is off or the page is device memory. */
static bool is_uncached(struct pmk_cpu *cpu, uint32_t line)
{
	return !cpu->core.dcache.on || is_device(cpu, line);
}

/* Makes an access that bypasses level 1; `halves` is as for data_uncached(). Level 2 caches the
 * memory that level 1 would cache if it were on (our choice), but not device memory. */
static void level2_uncached(struct pmk_cpu *cpu, uint32_t line, unsigned halves)
{
	if (is_device(cpu, line)) {
		cpu->arm11.lsu.level2 = false;
		cpu->arm11.lsu.latency = (uint32_t)cpu->core.mem.latency;
	} else if (halves) {
		level2_write(cpu, line, halves);
	} else {
		level2_read(cpu, line);
	}
}

/* Makes an access that bypasses level 1. `halves` is 0 for a load. For a store, it has
 * PMK_D_DIRTY_LO and PMK_D_DIRTY_HI for the halves of the line that it touches. */
static PMK_SLOW void data_uncached(struct pmk_cpu *cpu, uint32_t line, uint64_t access,
				   unsigned halves, struct translation t)
{
	if (pmk_l2cc_is_on(&cpu->arm11.l2))
		level2_uncached(cpu, line, halves);
	cpu->arm11.uncached++;
	cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
	if (cpu->core.arm11.miss_uncached)
		cpu->dyn[halves ? PMK_SIG_L1D_WRITE_MISS : PMK_SIG_L1D_READ_MISS]++;
	if (halves)
		store_external(cpu, line, access);
	else
		load_external(cpu, access, t);
}

static inline struct translation data_mapped(struct pmk_cpu *cpu, uint32_t line)
{
	if (cpu->arm11.dmap[line] & PMK_D_MAPPED)
		return (struct translation){ 0 };
	return data_translate(cpu, line / LINES_PER_PAGE);
}

/* Returns the request of a line whose byte in `dmap` has PMK_D_REQUESTED. */
static struct pmk_arm11_preload *find_preload(struct pmk_cpu *cpu, uint32_t line)
{
	struct pmk_arm11_preload *p = cpu->arm11.preload;

	while (!p->ready || p->line != line)
		p++;
	return p;
}

/* Forgets a request, unless it was forgotten already. */
static void forget_preload(struct pmk_cpu *cpu, struct pmk_arm11_preload *p)
{
	if (p->ready)
		cpu->arm11.dmap[p->line] &= (uint8_t)~PMK_D_REQUESTED;
	p->ready = 0;
}

void pmk_arm11_forget_preloads(struct pmk_cpu *cpu)
{
	for (unsigned i = 0; i < PMK_ARM11_PRELOADS; i++)
		forget_preload(cpu, &cpu->arm11.preload[i]);
}

static const struct pmk_arm11_preload *last_preload(const struct pmk_cpu *cpu)
{
	return &cpu->arm11.preload[(cpu->arm11.next_preload + PMK_ARM11_PRELOADS - 1) %
				   PMK_ARM11_PRELOADS];
}

/* Accounts for a load from a line that PLD has requested. */
static void load_preloaded(struct pmk_cpu *cpu, uint32_t line, uint64_t access,
			   struct translation t)
{
	struct pmk_arm11_preload *p = find_preload(cpu, line);
	uint64_t issue = issue_time(cpu, access), takes = LOAD_HIT_LATENCY + t.refill + t.walk;

	if (p->ready > issue + takes)
		takes = p->ready - issue;
	forget_preload(cpu, p);
	account_load(cpu, access,
		     pmk_lsu_load_hit(&cpu->arm11.lsu, issue, first_use(access), takes), t.walk);
}

/*
 * Requests a line for PLD. PLD does nothing if the line is present or on its way, or if the
 * micro-TLB does not hold its page (our choice). Its read is counted when a load uses the line, so
 * that counts do not depend on a clock.
 */
void pmk_arm11_preload(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t line = addr >> PMK_LINE_SHIFT;
	struct pmk_lsu *lsu = &cpu->arm11.lsu;
	struct pmk_arm11_preload *next = &cpu->arm11.preload[cpu->arm11.next_preload];
	struct pmk_lsu_delay d;

	if ((cpu->arm11.dmap[line] & (PMK_D_MAPPED | PMK_D_PRESENT | PMK_D_REQUESTED)) !=
		    PMK_D_MAPPED ||
	    cpu->arm11.instead || cpu->core.timeless || is_uncached(cpu, line))
		return;
	lsu->level2 = pmk_l2cc_is_on(&cpu->arm11.l2) && cpu->arm11.l2.map[line];
	lsu->latency = (uint32_t)(lsu->level2			  ? cpu->core.l2.latency
				  : pmk_sdram_differs(&cpu->core) ? read_memory(cpu, line)
								  : cpu->core.mem.latency);
	if (lsu->serial && !lsu->level2 && line == last_preload(cpu)->line + 1)
		d = pmk_lsu_next_line(lsu, issue_time(cpu, access), LOAD_HIT_LATENCY,
				      LINE_BYTES / 8 * lsu->write_cycles);
	else
		d = pmk_lsu_load_miss(lsu, issue_time(cpu, access), PMK_LSU_NO_USE,
				      LOAD_HIT_LATENCY, 0);
	account(cpu, d, 0);
	forget_preload(cpu, next);
	*next = (struct pmk_arm11_preload){ .line = line, .ready = d.ready };
	cpu->arm11.dmap[line] |= PMK_D_REQUESTED;
	cpu->arm11.next_preload = (cpu->arm11.next_preload + 1) % PMK_ARM11_PRELOADS;
}

static void load_translated(struct pmk_cpu *cpu, uint32_t line, uint64_t access,
			    struct translation t)
{
	if (PMK_UNLIKELY(is_uncached(cpu, line))) {
		data_uncached(cpu, line, access, 0, t);
	} else if (cpu->arm11.dmap[line] & PMK_D_PRESENT) {
		pmk_arm11_data_hit(cpu, line);
		load_late(cpu, access, t);
	} else {
		cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
		data_fill(cpu, line);
		if (PMK_UNLIKELY(cpu->arm11.dmap[line] & PMK_D_REQUESTED))
			load_preloaded(cpu, line, access, t);
		else
			load_external(cpu, access, t);
	}
}

static inline void load_line(struct pmk_cpu *cpu, uint32_t line, uint64_t access)
{
	load_translated(cpu, line, access, data_mapped(cpu, line));
}

/*
 * Looks up the line of a store. Returns true if the line is absent and the store goes out to level
 * 2 or memory. Only reads allocate lines (TRM 7.2), unless dcache.write_allocate is on.
 */
static inline bool store_misses(struct pmk_cpu *cpu, uint32_t line, unsigned halves,
				uint64_t access)
{
	if (cpu->arm11.dmap[line] & PMK_D_PRESENT) {
		pmk_arm11_data_hit(cpu, line);
		return false;
	}
	/* DAI 0195B §8 does not say whether several stores to one absent line count once, as
	 * several loads do. dcache.store_miss_each decides this. */
	cpu->dyn[PMK_SIG_L1D_WRITE_MISS] +=
		cpu->core.arm11.store_miss_each || cpu->arm11.store_missed != line;
	cpu->arm11.store_missed = line;
	if (cpu->core.arm11.write_allocate) {
		data_fill(cpu, line);
		return false;
	}
	if (pmk_l2cc_is_on(&cpu->arm11.l2))
		level2_write(cpu, line, halves);
	cpu->dyn[PMK_SIG_DATA_EXTERNAL] +=
		cpu->core.arm11.store_miss_external | cpu->core.dcache.wt;
	store_external(cpu, line, access);
	return true;
}

static inline void store_line(struct pmk_cpu *cpu, uint32_t line, unsigned halves, uint64_t access)
{
	struct translation t = data_mapped(cpu, line);

	if (PMK_UNLIKELY(is_uncached(cpu, line))) {
		data_uncached(cpu, line, access, halves, t);
		return;
	}
	/* The write buffer hides a micro-TLB refill, but the load-store unit waits for a table
	 * walk. */
	cpu->cycles += t.walk;
	if (store_misses(cpu, line, halves, access))
		return;
	if (cpu->core.dcache.wt) {
		if (pmk_l2cc_is_on(&cpu->arm11.l2))
			level2_write(cpu, line, halves);
		cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
		store_external(cpu, line, access);
	} else {
		cpu->arm11.dmap[line] |= (uint8_t)halves;
	}
}

/* Returns the halves of the line that [from, to] touches. */
static unsigned halves_of(uint32_t from, uint32_t to)
{
	uint32_t half = LINE_BYTES / 2;

	return (from & half ? 0u : PMK_D_DIRTY_LO) | (to & half ? PMK_D_DIRTY_HI : 0u);
}

/* Accounts for a load that touches two lines: it is two accesses (DAI 0195B §7). */
static PMK_SLOW void load_split(struct pmk_cpu *cpu, uint32_t addr, uint32_t last, uint64_t access)
{
	load_line(cpu, addr >> PMK_LINE_SHIFT, access);
	cpu->dyn[PMK_SIG_L1D_READ]++;
	load_line(cpu, last >> PMK_LINE_SHIFT, access);
}

static PMK_SLOW void store_split(struct pmk_cpu *cpu, uint32_t addr, uint32_t last, uint64_t access)
{
	uint32_t boundary = last & ~(LINE_BYTES - 1);

	store_line(cpu, addr >> PMK_LINE_SHIFT, halves_of(addr, boundary - 1), access);
	cpu->dyn[PMK_SIG_L1D_WRITE]++;
	store_line(cpu, last >> PMK_LINE_SHIFT, halves_of(boundary, last), access);
}

static PMK_SLOW void load_general(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t last = addr + PMK_ACCESS_SIZE(access) - 1;

	pmk_sites_access(cpu, access);
	if (PMK_UNLIKELY(cpu->arm11.instead != NULL))
		cpu->arm11.instead->load(cpu, addr, access);
	else if (PMK_UNLIKELY(addr >> PMK_LINE_SHIFT != last >> PMK_LINE_SHIFT))
		load_split(cpu, addr, last, access);
	else
		load_line(cpu, addr >> PMK_LINE_SHIFT, access);
}

static PMK_SLOW void store_general(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t last = addr + PMK_ACCESS_SIZE(access) - 1;

	pmk_sites_access(cpu, access);
	if (PMK_UNLIKELY(cpu->arm11.instead != NULL))
		cpu->arm11.instead->store(cpu, addr, access);
	else if (PMK_UNLIKELY(addr >> PMK_LINE_SHIFT != last >> PMK_LINE_SHIFT))
		store_split(cpu, addr, last, access);
	else
		store_line(cpu, addr >> PMK_LINE_SHIFT, halves_of(addr, last), access);
}

/*
 * The functions below do what load_general() and store_general() do, for nearly all misses. They
 * need a core without a reason in pmk_cpu.general. The access must be in one line, and no earlier
 * miss may delay it. Programs that miss all the time spend most of their time here, so these
 * functions check each condition only once. They leave all other misses to the general functions.
 */
static inline bool is_usual(const struct pmk_cpu *cpu, unsigned reasons, uint32_t addr,
			    uint64_t access)
{
	uint32_t in_line = addr & (LINE_BYTES - 1);

	return cpu->general == reasons && in_line + PMK_ACCESS_SIZE(access) <= LINE_BYTES;
}

/* Puts a line into the cache in place of another one. */
static inline void fill_usual(struct pmk_cpu *cpu, uint32_t line)
{
	uint8_t *map = cpu->arm11.dmap;
	uint32_t victim = pmk_cache_replace(&cpu->arm11.dcache, line);

	if (PMK_LIKELY(victim != PMK_NO_LINE)) {
		unsigned dirty = map[victim] / PMK_D_DIRTY_LO & 3;

		cpu->dyn[PMK_SIG_L1D_WB_HALF] += dirty - (dirty >> 1); /* number of halves */
		cpu->dyn[PMK_SIG_L1D_EVICT] += dirty != 0;
		map[victim] &= PMK_D_MAPPED | PMK_D_REQUESTED;
	}
	map[line] |= PMK_D_PRESENT | PMK_D_QUIET;
}

static inline void load_usual(struct pmk_cpu *cpu, uint32_t addr, uint64_t access,
			      struct translation t)
{
	struct pmk_lsu *lsu = &cpu->arm11.lsu;
	uint32_t line = addr >> PMK_LINE_SHIFT;
	uint64_t issue = issue_time(cpu, access), extra = t.refill + t.walk;
	unsigned slot = lsu->busy_until[1] < lsu->busy_until[0];
	uint64_t late;
	bool settled = pmk_lsu_is_settled(lsu, issue, &late);
	uint8_t byte = cpu->arm11.dmap[line];
	struct pmk_lsu_delay d = { .ready = issue + extra + LOAD_HIT_LATENCY };

	if (PMK_UNLIKELY(!settled || lsu->busy_until[slot] > issue || byte & PMK_D_REQUESTED)) {
		load_translated(cpu, line, access, t);
		return;
	}
	if (!(byte & PMK_D_PRESENT)) {
		cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
		d.ready = pmk_lsu_settled_request(lsu, slot, &lsu->bus_free, issue,
						  LOAD_HIT_LATENCY, extra);
		fill_usual(cpu, line);
	} else if (!extra) {
		return;
	}
	d.stall = pmk_lsu_settled_use(lsu, late, issue, first_use(access), d.ready);
	account_load(cpu, access, d, t.walk);
}

WIDE static void load_unmapped(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	load_usual(cpu, addr, access, data_translate_usual(cpu, addr >> PMK_PAGE_SHIFT));
}

/* Accounts for a store to a page that the micro-TLB holds. */
static inline void store_usual(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint8_t *byte = &cpu->arm11.dmap[addr >> PMK_LINE_SHIFT];
	uint64_t issue = issue_time(cpu, access), late;

	if (*byte & PMK_D_PRESENT) {
		*byte |= (uint8_t)halves_of(addr, addr + PMK_ACCESS_SIZE(access) - 1);
	} else if (PMK_UNLIKELY(!pmk_lsu_is_settled(&cpu->arm11.lsu, issue, &late))) {
		store_general(cpu, addr, access);
	} else {
		cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL] += cpu->core.arm11.store_miss_external;
		account(cpu, pmk_lsu_settled_write(&cpu->arm11.lsu, late, issue), 0);
	}
}

WIDE static void store_unmapped(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	cpu->cycles += data_translate_usual(cpu, addr >> PMK_PAGE_SHIFT).walk;
	store_usual(cpu, addr, access);
}

void pmk_arm11_load_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	if (PMK_UNLIKELY(!is_usual(cpu, 0, addr, access)))
		load_general(cpu, addr, access);
	else if (cpu->arm11.dmap[addr >> PMK_LINE_SHIFT] & PMK_D_MAPPED)
		load_usual(cpu, addr, access, (struct translation){ 0 });
	else
		load_unmapped(cpu, addr, access);
}

void pmk_arm11_store_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	if (PMK_UNLIKELY(!is_usual(cpu, 0, addr, access)))
		store_general(cpu, addr, access);
	else if (cpu->arm11.dmap[addr >> PMK_LINE_SHIFT] & PMK_D_MAPPED)
		store_usual(cpu, addr, access);
	else
		store_unmapped(cpu, addr, access);
}

void pmk_arm11_multiple_counts(struct pmk_cpu *cpu, uint32_t addr, uint64_t access, bool write)
{
	pmk_sites_access(cpu, access);
	cpu->dyn[write ? PMK_SIG_L1D_WRITE : PMK_SIG_L1D_READ]++;
	pmk_arm11_multiple_line(cpu, addr, access, write);
}

/* The functions below do on a core without a clock what the functions above do. */

/* Enters the page of an access into the micro-TLB, if it is not there. Returns false, and does
 * nothing, if load_general() or store_general() must handle the access. */
static inline bool map_alone(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	if (PMK_UNLIKELY(!is_usual(cpu, PMK_GENERAL_TIMELESS, addr, access)))
		return false;
	if (!(cpu->arm11.dmap[addr >> PMK_LINE_SHIFT] & PMK_D_MAPPED))
		data_map_alone(cpu, addr >> PMK_PAGE_SHIFT);
	return true;
}

void pmk_arm11_load_alone_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint32_t line = addr >> PMK_LINE_SHIFT;

	if (!map_alone(cpu, addr, access)) {
		load_general(cpu, addr, access);
	} else if (!(cpu->arm11.dmap[line] & PMK_D_PRESENT)) {
		cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL]++;
		fill_usual(cpu, line);
	}
}

void pmk_arm11_store_alone_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint8_t *byte = &cpu->arm11.dmap[addr >> PMK_LINE_SHIFT];

	if (!map_alone(cpu, addr, access)) {
		store_general(cpu, addr, access);
	} else if (*byte & PMK_D_PRESENT) {
		*byte |= (uint8_t)halves_of(addr, addr + PMK_ACCESS_SIZE(access) - 1);
	} else {
		cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
		cpu->dyn[PMK_SIG_DATA_EXTERNAL] += cpu->core.arm11.store_miss_external;
	}
}
