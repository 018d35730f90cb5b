// SPDX-License-Identifier: MIT
/* The instruction side of an ARM11, for fetches that change the micro-TLB or the cache, and for
 * lines that are fetched beyond a branch. */
#include "cpu/arm11/slow.h"
#include "cpu/sites.h"

WIDE static void fetch_translate(struct pmk_cpu *cpu, uint32_t page)
{
	uint8_t *map = &cpu->arm11.imap[page * LINES_PER_PAGE];
	struct translation t = translate(cpu, page);
	uint64_t old = pmk_tlb_fill_only(&cpu->arm11.itlb, page);

	cpu->dyn[PMK_SIG_MICRO_ITLB_MISS]++;
	cpu->dyn[PMK_SIG_FETCH_STALL] += t.refill;
	cpu->cycles += t.refill + t.walk;
	if (old != PMK_NO_PAGE)
		unmap_code(cpu, old);
	for (unsigned i = 0; i < LINES_PER_PAGE; i++)
		map[i] |= PMK_I_MAPPED;
}

/*
 * Clears PMK_I_QUIET of the line that was used last in the set of `line`. Called only if hits
 * change the order of a set.
 */
static void unquiet_last(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t last = pmk_cache_last(&cpu->arm11.icache, line);

	if (last != PMK_NO_LINE)
		cpu->arm11.imap[last] &= (uint8_t)~PMK_I_QUIET;
}

static PMK_SLOW uint64_t fetch_fill_unusual(struct pmk_cpu *cpu, uint32_t line)
{
	uint32_t victim;
	bool near;

	if (pmk_cache_ages(&cpu->arm11.icache))
		unquiet_last(cpu, line);
	victim = pmk_cache_fill(&cpu->arm11.icache, line);
	near = pmk_l2cc_is_on(&cpu->arm11.l2) &&
	       pmk_l2cc_read(&cpu->arm11.l2, cpu->dyn, PMK_L2CC_INSN, line);
	cpu->dyn[PMK_SIG_L1I_FILL]++;
	cpu->arm11.imap[line] |= PMK_I_PRESENT | PMK_I_QUIET;
	if (victim != PMK_NO_LINE)
		cpu->arm11.imap[victim] &= PMK_I_MAPPED;
	return near ? cpu->core.l2.latency : read_memory(cpu, line);
}

uint64_t pmk_arm11_fetch_fill(struct pmk_cpu *cpu, uint32_t line)
{
	if (PMK_UNLIKELY(!cpu->arm11.usual_fetch))
		return fetch_fill_unusual(cpu, line);
	return pmk_arm11_fetch_fill_usual(cpu, line);
}

bool pmk_arm11_fetch_hit(struct pmk_cpu *cpu, uint32_t line)
{
	struct pmk_cache *c = &cpu->arm11.icache;

	if (!pmk_cache_ages(c) || pmk_cache_last(c, line) == line)
		return false;
	unquiet_last(cpu, line);
	cpu->arm11.imap[line] |= PMK_I_QUIET;
	pmk_cache_use(c, line);
	return true;
}

/* True if the instruction micro-TLB lacks the page of the line. */
static inline bool is_unmapped(const struct pmk_cpu *cpu, uint32_t line)
{
	return !(cpu->arm11.imap[line] & PMK_I_MAPPED) && cpu->core.mmu;
}

void pmk_arm11_fetch_block(struct pmk_cpu *cpu, const struct pmk_block *b)
{
	uint32_t first = (uint32_t)b->pc >> PMK_LINE_SHIFT;
	uint32_t last = ((uint32_t)b->fall - 1) >> PMK_LINE_SHIFT;

	if (is_unmapped(cpu, first))
		fetch_translate(cpu, first / LINES_PER_PAGE);
	if (first / LINES_PER_PAGE != last / LINES_PER_PAGE) {
		pmk_sites_fetch(cpu, b, last / LINES_PER_PAGE << PMK_PAGE_SHIFT);
		if (is_unmapped(cpu, last))
			fetch_translate(cpu, last / LINES_PER_PAGE);
	}
	if (!cpu->core.icache.on)
		return;
	for (uint32_t line = first; line <= last; line++) {
		uint64_t latency;

		if (pmk_arm11_is_fetched(cpu, line)) {
			if (!(cpu->arm11.imap[line] & PMK_I_QUIET))
				pmk_arm11_fetch_hit(cpu, line);
			continue;
		}
		pmk_sites_fetch(cpu, b, line << PMK_LINE_SHIFT);
		latency = pmk_arm11_fetch_fill(cpu, line);
		cpu->dyn[PMK_SIG_L1I_MISS]++;
		cpu->dyn[PMK_SIG_FETCH_STALL] += latency;
		cpu->cycles += latency;
	}
}

/* The look-up counts even if the fetch is cancelled before it reaches the bus (DAI 0195B §3). */
void pmk_arm11_fetch_ahead(struct pmk_cpu *cpu, uint32_t done, uint32_t from, uint64_t bytes,
			   bool arrives)
{
	uint32_t first = from >> PMK_LINE_SHIFT;
	uint32_t last = (uint32_t)(from + bytes - 1) >> PMK_LINE_SHIFT;

	if (!bytes || !cpu->core.icache.on || !cpu->core.arm11.shadow || last < first)
		return;
	for (uint32_t line = first; line <= last; line++) {
		if (line == done >> PMK_LINE_SHIFT)
			continue;
		if (pmk_arm11_is_fetched(cpu, line)) {
			pmk_arm11_fetch_hit(cpu, line);
			continue;
		}
		pmk_sites_at(cpu, PMK_SITE_LEAVE);
		cpu->dyn[PMK_SIG_L1I_MISS]++;
		if (arrives)
			pmk_arm11_fetch_fill(cpu, line);
	}
}

void pmk_arm11_fetch_shadow(struct pmk_cpu *cpu, const struct pmk_block *p, bool arrives)
{
	if (p->arm11.shadowed)
		pmk_arm11_fetch_ahead(cpu, (uint32_t)p->end_addr, (uint32_t)p->fall,
				      cpu->core.arm11.shadow_bytes, arrives);
}
