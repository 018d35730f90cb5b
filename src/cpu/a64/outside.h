/* SPDX-License-Identifier: MIT */
/*
 * The parts of an A64 core beyond its level 1 caches and micro-TLBs, for code and data: level 2,
 * the bus to memory, and the main TLB. A core without a clock (pmk_core.timeless) does not model
 * these parts.
 */
#ifndef PMK_CPU_A64_OUTSIDE_H
#define PMK_CPU_A64_OUTSIDE_H

#include "cpu/a64/a64.h"

/* Record whether a line comes from level 2 or memory, and for how many cycles it occupies the
 * bus. */
static inline void pmk_a64_come_from(struct pmk_cpu *cpu, bool level2)
{
	bool own = !level2 && cpu->core.a64.bus_line;

	cpu->a64.lsu.level2 = level2;
	cpu->a64.lsu.fill_cycles = (uint32_t)(own ? cpu->core.a64.bus_line : cpu->core.mem.fill);
}

/* Let a line that no load waits for occupy the bus for `cycles`, which may be 0. */
void pmk_a64_take_bus(struct pmk_cpu *cpu, uint64_t cycles);

/* Read a line of memory; returns the cycles until its critical word arrives. */
uint64_t pmk_a64_memory_read(struct pmk_cpu *cpu, uint64_t addr);

/* Fill a line of level 2; a dirty line that it replaces is written to memory. */
void pmk_a64_level2_fill(struct pmk_cpu *cpu, uint64_t addr, bool dirty);

/* Fetch a line for level 1; returns the latency of its critical word. pmk_a64_level2_read_absent()
 * does the remaining part, after the look-up in level 2 has missed. */
PMK_SLOW uint64_t pmk_a64_level2_read_slow(struct pmk_cpu *cpu, uint64_t addr, bool for_write);
PMK_SLOW uint64_t pmk_a64_level2_read_absent(struct pmk_cpu *cpu, uint64_t addr, bool for_write);
/* Write a dirty line of level 1 to level 2. */
PMK_SLOW void pmk_a64_level2_write_slow(struct pmk_cpu *cpu, uint64_t addr);

/* Do what pmk_a64_level2_read_slow() and _write_slow() do, on a core with usual_level2
 * (types.h). */
static inline uint64_t pmk_a64_level2_read_usual(struct pmk_cpu *cpu, uint64_t addr, bool for_write)
{
	cpu->dyn[PMK_SIG_L2_READ]++;
	if (!pmk_a64_cache_find_marked(&cpu->a64.tables->l2, addr, 0))
		return pmk_a64_level2_read_absent(cpu, addr, for_write);
	pmk_a64_come_from(cpu, true);
	return cpu->core.l2.latency;
}

static inline void pmk_a64_level2_write_usual(struct pmk_cpu *cpu, uint64_t addr)
{
	uint64_t *e = pmk_a64_cache_find_marked(&cpu->a64.tables->l2, addr, 0);

	cpu->dyn[PMK_SIG_L2_WRITE]++;
	if (e)
		*e |= PMK_A64_DIRTY;
	else
		pmk_a64_level2_fill(cpu, addr, true);
}

/* Choose between the usual and the slow functions. */
static inline uint64_t pmk_a64_level2_read(struct pmk_cpu *cpu, uint64_t addr, bool for_write)
{
	return cpu->a64.usual_level2 ? pmk_a64_level2_read_usual(cpu, addr, for_write)
				     : pmk_a64_level2_read_slow(cpu, addr, for_write);
}

static inline void pmk_a64_level2_write(struct pmk_cpu *cpu, uint64_t addr)
{
	if (cpu->a64.usual_level2)
		pmk_a64_level2_write_usual(cpu, addr);
	else
		pmk_a64_level2_write_slow(cpu, addr);
}

/* Translate after a micro-TLB miss; `walk` is the signal that counts a table walk. Returns the
 * cycles that the translation takes. */
uint64_t pmk_a64_translate(struct pmk_cpu *cpu, uint64_t page, enum pmk_signal walk);

#endif
