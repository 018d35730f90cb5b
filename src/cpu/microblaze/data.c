// SPDX-License-Identifier: MIT
/* The slow path of a MicroBlaze's data accesses: those that change the state of the cache or of the
 * shadow TLB. This file handles translation, the cache, and how long loads and stores take. */
#include "cpu/microblaze/slow.h"
#include "cpu/sites.h"

/* ---- translation ----------------------------------------------------------------------------- */

/* True if a page misses in the unified TLB, after a miss in a shadow TLB. In system emulation, pmk
 * does not see the contents of the TLB. But there a miss is an exception, so an access that is made
 * must have hit. */
static bool utlb_misses(struct pmk_cpu *cpu, uint32_t page)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	uint64_t old;

	if (cpu->core.system || m->unified[page])
		return false;
	old = pmk_tlb_fill_only(&m->utlb, page);
	if (old != PMK_NO_PAGE)
		m->unified[old] = false;
	m->unified[page] = true;
	return true;
}

uint64_t pmk_microblaze_look_up(struct pmk_cpu *cpu, uint32_t page, uint64_t now)
{
	uint64_t cycles = cpu->core.utlb.penalty;

	record(cpu, PMK_SIG_MMU_LOOKUP, now, cycles);
	if (utlb_misses(cpu, page)) {
		cpu->dyn[PMK_SIG_TLB_MISS]++;
		cycles += cpu->core.tlb.penalty;
	}
	return cycles;
}

static unsigned least_recently_used(const struct pmk_cpu *cpu)
{
	const struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	unsigned victim = 0;

	for (unsigned i = 1; i < cpu->core.microblaze.dtlb_entries; i++)
		if (m->used[i] < m->used[victim])
			victim = i;
	return victim;
}

/* Loads a page into the data shadow TLB. Returns the cycles that this takes. */
static PMK_SLOW uint64_t data_translate(struct pmk_cpu *cpu, uint32_t page, uint64_t now)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	unsigned entry = least_recently_used(cpu);
	uint64_t cycles;

	if (m->dtlb[entry] != PMK_MB_NO_PAGE)
		m->shadow[m->dtlb[entry]] = 0;
	cpu->dyn[PMK_SIG_MICRO_DTLB_MISS]++;
	cycles = cpu->core.timeless ? 0 : pmk_microblaze_look_up(cpu, page, now);
	stall_memory(cpu, cycles);
	m->dtlb[entry] = page;
	m->shadow[page] = (uint8_t)(entry + 1);
	m->used[entry] = (int64_t)now;
	return cycles;
}

/* Translates the address of an access. Returns the time at which the translation is done. */
static inline uint64_t translated(struct pmk_cpu *cpu, uint32_t addr, uint64_t now)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	unsigned entry = m->shadow[addr >> PMK_PAGE_SHIFT];

	if (!m->page_mask)
		return now;
	if (!entry)
		return now + data_translate(cpu, addr >> PMK_PAGE_SHIFT, now);
	m->used[entry - 1] = (int64_t)now;
	return now;
}

/* ---- data ------------------------------------------------------------------------------------ */

enum place { LOCAL, CACHED, PERIPHERAL };

static enum place place_of(const struct pmk_cpu *cpu, uint32_t addr)
{
	const struct pmk_core *core = &cpu->core;

	if (cpu->is_device && cpu->is_device(cpu, addr))
		return PERIPHERAL;
	if (addr < core->microblaze.lmb_size)
		return LOCAL;
	return core->dcache.on && addr >= core->microblaze.dcache_base &&
			       addr <= core->microblaze.dcache_high
		       ? CACHED
		       : PERIPHERAL;
}

bool pmk_microblaze_data_is_local(const struct pmk_core *core)
{
	return core->microblaze.lmb_size > UINT32_MAX && !core->mmu && !core->system;
}

static uint64_t issue_time(const struct pmk_cpu *cpu, uint64_t access)
{
	uint64_t to_end = PMK_ACCESS_TO_END(access);

	return cpu->cycles > to_end ? cpu->cycles - to_end : 0;
}

static uint64_t *entry_of(struct pmk_microblaze_tables *m, uint32_t addr)
{
	return &m->dline[addr >> m->dshift & m->dindex];
}

static uint64_t word_of(const struct pmk_microblaze_tables *m, uint32_t addr)
{
	return UINT64_C(1) << (addr >> 2 & m->dwords);
}

static bool holds_line(const struct pmk_microblaze_tables *m, uint64_t entry, uint32_t addr)
{
	return entry >> 32 == addr >> m->dshift;
}

/* Updates `present` and `dirty` for the line that `e`, a word of `dline`, describes. */
static void show_line(struct pmk_microblaze_tables *m, uint64_t e)
{
	uint32_t word = (uint32_t)(e >> 32) << (m->dshift - PMK_MB_WORD_GRAIN);

	for (uint32_t i = 0; i <= m->dwords; i++, word++) {
		bool valid = e >> i & 1;

		m->present[word & m->present_mask] = valid ? word : PMK_MB_NO_GRANULE;
		m->dirty[word & m->present_mask] =
			valid && e & PMK_MB_DIRTY ? word : PMK_MB_NO_GRANULE;
	}
}

/* Makes room for the line of `addr`. Returns the cycles until the write buffer has taken the old
 * contents. */
static uint64_t evict(struct pmk_cpu *cpu, uint32_t addr, uint64_t now)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	uint64_t *e = entry_of(m, addr), wait = 0;

	if (*e & PMK_MB_DIRTY) {
		cpu->dyn[PMK_SIG_L1D_EVICT]++;
		wait = pmk_lsu_write(&cpu->microblaze.lsu, now).full;
	}
	if (*e != PMK_MB_NO_LINE)
		show_line(m, *e >> 32 << 32);
	*e = (uint64_t)(addr >> m->dshift) << 32;
	return wait;
}

/* Fetches the line of `addr` into a write-back cache. If the line is there, fetches those of its
 * words that are not valid. Returns the cycles until the requested word arrives. */
static uint64_t data_fill(struct pmk_cpu *cpu, uint32_t addr, uint64_t now)
{
	uint64_t *e = entry_of(cpu->microblaze.tables, addr), wait = 0;

	if (!holds_line(cpu->microblaze.tables, *e, addr))
		wait = evict(cpu, addr, now);
	*e |= (UINT64_C(2) << cpu->microblaze.tables->dwords) - 1;
	show_line(cpu->microblaze.tables, *e);
	return wait + fill_cycles(&cpu->core, now + wait, &cpu->microblaze.lsu.bus_free);
}

static void peripheral(struct pmk_cpu *cpu, enum pmk_signal sig, uint64_t now)
{
	cpu->dyn[sig]++;
	if (cpu->core.timeless)
		return;
	record(cpu, sig, now, cpu->core.microblaze.peripheral_latency);
	stall_memory(cpu, cpu->core.microblaze.peripheral_latency - 1);
}

/* Fetches a line into a write-through cache, where it replaces another line. */
static inline uint64_t fill_through(struct pmk_cpu *cpu, uint32_t addr, uint64_t now)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	uint32_t granule = addr >> PMK_MB_GRAIN & ~m->line_granules;
	uint32_t last = granule | m->line_granules;

	do
		m->present[granule & m->present_mask] = granule;
	while (granule++ != last);
	return fill_cycles(&cpu->core, now, &cpu->microblaze.lsu.bus_free);
}

static inline void read_missed(struct pmk_cpu *cpu, uint64_t now, uint64_t cycles)
{
	cpu->dyn[PMK_SIG_L1D_READ_MISS]++;
	if (cpu->core.timeless)
		return;
	stall_memory(cpu, cycles);
	record(cpu, PMK_SIG_L1D_CACHED_READ, now, 1 + cycles);
}

static void load_cached(struct pmk_cpu *cpu, uint32_t addr, uint64_t now)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;

	if (!pmk_microblaze_holds(m, m->present, addr, m->grain))
		read_missed(cpu, now,
			    m->grain == PMK_MB_GRAIN ? fill_through(cpu, addr, now)
						     : data_fill(cpu, addr, now));
}

void pmk_microblaze_load_missed(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	uint64_t now = cpu->cycles - PMK_ACCESS_TO_END(access);

	pmk_sites_access(cpu, access);
	if (!pmk_microblaze_cached(cpu, addr))
		pmk_microblaze_load_slow(cpu, addr, access);
	else
		read_missed(cpu, now, fill_through(cpu, addr, now));
}

/*
 * Stores to a write-back cache. If the word is not in the cache, a store of the whole word makes it
 * valid without a fetch, and a store to a part of the word first fetches the line (UG984, "Data
 * Cache"). Returns the cycles for which the store waits.
 */
static uint64_t write_back(struct pmk_cpu *cpu, uint32_t addr, uint64_t access, uint64_t now)
{
	struct pmk_microblaze_tables *m = cpu->microblaze.tables;
	uint64_t *e = entry_of(m, addr), cycles = 0;
	bool here = holds_line(m, *e, addr);

	if (!here || !(*e & word_of(m, addr))) {
		cpu->dyn[PMK_SIG_L1D_WRITE_MISS]++;
		if (PMK_ACCESS_SIZE(access) < 4)
			cycles = data_fill(cpu, addr, now);
		else if (!here)
			cycles = evict(cpu, addr, now);
	}
	*e |= PMK_MB_DIRTY | word_of(m, addr);
	show_line(m, *e);
	return cycles;
}

/*
 * Stores to a write-through cache. If the line is in the cache, the store updates it. Otherwise the
 * line is not fetched. Returns the cycles for which the store waits for room in the write buffer.
 */
static uint64_t write_through(struct pmk_cpu *cpu, uint32_t addr, uint64_t now)
{
	cpu->dyn[PMK_SIG_L1D_WRITE_MISS] += !pmk_microblaze_holds(
		cpu->microblaze.tables, cpu->microblaze.tables->present, addr, PMK_MB_GRAIN);
	return pmk_lsu_write(&cpu->microblaze.lsu, now).full;
}

static void store_cached(struct pmk_cpu *cpu, uint32_t addr, uint64_t access, uint64_t now)
{
	uint64_t cycles = cpu->core.dcache.wt ? write_through(cpu, addr, now)
					      : write_back(cpu, addr, access, now);

	if (cpu->core.timeless)
		return;
	stall_memory(cpu, cycles);
	record(cpu, PMK_SIG_L1D_CACHED_WRITE, now, 1 + cycles);
}

void pmk_microblaze_load_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	enum place place = pmk_microblaze_cached(cpu, addr) ? CACHED : place_of(cpu, addr);
	uint64_t now;

	pmk_sites_access(cpu, access);
	now = translated(cpu, addr, issue_time(cpu, access));
	if (PMK_LIKELY(place == CACHED)) {
		load_cached(cpu, addr, now);
		return;
	}
	cpu->microblaze.uncached++;
	if (place == PERIPHERAL)
		peripheral(cpu, PMK_SIG_PERIPHERAL_READ, now);
}

void pmk_microblaze_store_slow(struct pmk_cpu *cpu, uint32_t addr, uint64_t access)
{
	enum place place = pmk_microblaze_cached(cpu, addr) ? CACHED : place_of(cpu, addr);
	uint64_t now;

	pmk_sites_access(cpu, access);
	now = translated(cpu, addr, issue_time(cpu, access));
	if (PMK_LIKELY(place == CACHED)) {
		store_cached(cpu, addr, access, now);
		return;
	}
	cpu->microblaze.uncached_writes++;
	if (place == PERIPHERAL)
		peripheral(cpu, PMK_SIG_PERIPHERAL_WRITE, now);
}
