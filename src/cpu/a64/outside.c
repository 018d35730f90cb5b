// SPDX-License-Identifier: MIT
/* The parts of an A64 core beyond its level 1 caches and micro-TLBs: see outside.h. */
#include "cpu/a64/outside.h"

static inline uint64_t *main_page(struct pmk_a64 *v, uint64_t page)
{
	return &v->main_page[page & (PMK_A64_MAIN_PAGES - 1)];
}

static void bus(struct pmk_cpu *cpu, enum pmk_signal sig)
{
	cpu->dyn[sig] += cpu->a64.bus_beats;
}

/* Returns the present time on the clock of the load-store unit. */
static uint64_t present(const struct pmk_cpu *cpu)
{
	return cpu->a64.window ? cpu->a64.window->clock : cpu->cycles;
}

void pmk_a64_take_bus(struct pmk_cpu *cpu, uint64_t cycles)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;

	if (cycles)
		lsu->bus_free = pmk_later(lsu->bus_free, present(cpu)) + cycles;
}

/*
 * Writes a line to memory. If writes have a bus of their own, the line that is read to replace the
 * written line arrives only after the write.
 */
static void write_line(struct pmk_cpu *cpu)
{
	struct pmk_lsu *lsu = &cpu->a64.lsu;

	bus(cpu, PMK_SIG_BUS_WRITE);
	if (!cpu->core.a64.bus_write) {
		pmk_a64_take_bus(cpu, cpu->core.a64.bus_line);
		return;
	}
	lsu->write_free = pmk_later(lsu->write_free, present(cpu)) + cpu->core.a64.bus_write;
	lsu->bus_free = pmk_later(lsu->bus_free, lsu->write_free);
}

uint64_t pmk_a64_memory_read(struct pmk_cpu *cpu, uint64_t addr)
{
	bus(cpu, PMK_SIG_BUS_READ);
	return pmk_sdram_read(&cpu->a64.sdram, &cpu->core, addr, cpu->cycles);
}

void pmk_a64_level2_fill(struct pmk_cpu *cpu, uint64_t addr, bool dirty)
{
	struct pmk_a64_cache *l2 = &cpu->a64.tables->l2;
	uint64_t *e = pmk_a64_cache_victim(l2, pmk_a64_cache_set(l2, addr));

	if (*e & PMK_A64_DIRTY) {
		cpu->dyn[PMK_SIG_L2_EVICT]++;
		write_line(cpu);
	}
	pmk_a64_cache_put_marked(l2, e, (addr & PMK_A64_LINE_MASK) | (dirty ? PMK_A64_DIRTY : 0));
}

uint64_t pmk_a64_level2_read_absent(struct pmk_cpu *cpu, uint64_t addr, bool for_write)
{
	cpu->dyn[for_write ? PMK_SIG_L2_MISS_WRITE : PMK_SIG_L2_MISS_READ]++;
	pmk_a64_come_from(cpu, false);
	pmk_a64_level2_fill(cpu, addr, false);
	return pmk_a64_memory_read(cpu, addr);
}

uint64_t pmk_a64_level2_read_slow(struct pmk_cpu *cpu, uint64_t addr, bool for_write)
{
	struct pmk_a64_cache *l2 = &cpu->a64.tables->l2;
	const uint64_t *e;

	if (cpu->core.timeless)
		return 0;
	if (!cpu->core.a64.l2_on) {
		pmk_a64_come_from(cpu, false);
		return pmk_a64_memory_read(cpu, addr);
	}
	cpu->dyn[PMK_SIG_L2_READ]++;
	e = pmk_a64_cache_find(l2, addr);
	if (!e)
		return pmk_a64_level2_read_absent(cpu, addr, for_write);
	pmk_a64_cache_use(l2, e);
	pmk_a64_come_from(cpu, true);
	return cpu->core.l2.latency;
}

void pmk_a64_level2_write_slow(struct pmk_cpu *cpu, uint64_t addr)
{
	struct pmk_a64_cache *l2 = &cpu->a64.tables->l2;
	uint64_t *e;

	if (cpu->core.timeless)
		return;
	if (!cpu->core.a64.l2_on) {
		write_line(cpu);
		return;
	}
	cpu->dyn[PMK_SIG_L2_WRITE]++;
	e = pmk_a64_cache_find(l2, addr);
	if (e) {
		pmk_a64_cache_use(l2, e);
		*e |= PMK_A64_DIRTY;
	} else {
		pmk_a64_level2_fill(cpu, addr, true);
	}
}

/* Translates a page that main_page[] does not show, so the main TLB may not hold it. */
static PMK_SLOW uint64_t translate_slow(struct pmk_cpu *cpu, uint64_t page, enum pmk_signal walk)
{
	struct pmk_a64 *v = cpu->a64.tables;
	uint64_t old, *word;

	if (cpu->core.timeless)
		return 0;
	*main_page(v, page) = page;
	if (pmk_tlb_holds(&v->main_tlb, page))
		return cpu->core.utlb.penalty;
	cpu->dyn[PMK_SIG_TLB_MISS]++;
	cpu->dyn[walk]++;
	old = pmk_tlb_fill(&v->main_tlb, page);
	word = main_page(v, old);
	if (*word == old)
		*word = PMK_NO_PAGE;
	return cpu->core.tlb.penalty;
}

uint64_t pmk_a64_translate(struct pmk_cpu *cpu, uint64_t page, enum pmk_signal walk)
{
	if (PMK_LIKELY(*main_page(cpu->a64.tables, page) == page))
		return cpu->core.utlb.penalty;
	return translate_slow(cpu, page, walk);
}
