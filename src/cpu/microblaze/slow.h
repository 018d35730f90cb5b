/* SPDX-License-Identifier: MIT */
/* Functions that the slow paths of a MicroBlaze share. They count time and look up the unified TLB.
 * microblaze.c has the slow paths of blocks, and data.c has those of accesses. */
#ifndef PMK_CPU_MICROBLAZE_SLOW_H
#define PMK_CPU_MICROBLAZE_SLOW_H

#include "cpu/microblaze/microblaze.h"
#include "cpu/sites.h"

/* Returns the cycles of a look-up in the unified TLB that begins at `now`. */
uint64_t pmk_microblaze_look_up(struct pmk_cpu *cpu, uint32_t page, uint64_t now);

static PMK_SLOW void record_new(struct pmk_cpu *cpu, enum pmk_signal sig, uint64_t start,
				uint64_t cycles)
{
	pmk_bus_record_new(cpu->bus, sig, start, (uint32_t)cycles);
	if (pmk_bus_log_due(cpu->bus))
		cpu->deadline = 0;
}

/* Records in the log of the bus that a signal occurred at `start` and took `cycles` cycles. If the
 * log reaches the horizon of the bus (docs/DESIGN.md), makes the deadline due, so that the core's
 * owner brings the model of the PMU up to date. */
static inline void log_record(struct pmk_cpu *cpu, enum pmk_signal sig, uint64_t start,
			      uint64_t cycles)
{
	struct pmk_bus *bus = cpu->bus;

	if (PMK_UNLIKELY(!pmk_bus_record_more(bus, sig, start, (uint32_t)cycles)))
		record_new(cpu, sig, start, cycles);
	else if (PMK_UNLIKELY(bus->timed >= bus->timed_due))
		cpu->deadline = 0;
}

static PMK_SLOW void record_booked(struct pmk_cpu *cpu, enum pmk_signal sig, uint64_t start,
				   uint64_t cycles)
{
	pmk_sites_timed(cpu, sig, cycles);
	log_record(cpu, sig, start, cycles);
}

/* Records that an occurrence of a signal took `cycles` cycles, unless it took one cycle. If a
 * function ends with a call of record(), the call is a tail call, so the function saves no
 * registers. */
static inline void record(struct pmk_cpu *cpu, enum pmk_signal sig, uint64_t start, uint64_t cycles)
{
	if (!cpu->bus || cycles == 1)
		return;
	if (PMK_UNLIKELY(cpu->sites != NULL))
		record_booked(cpu, sig, start, cycles);
	else
		log_record(cpu, sig, start, cycles);
}

static inline void stall(struct pmk_cpu *cpu, enum pmk_signal sig, uint64_t cycles)
{
	cpu->dyn[sig] += cycles;
	cpu->cycles += cycles;
}

/*
 * Counts a wait for memory. The three-stage pipeline has no stage for memory, so there a long
 * access stalls execution.
 */
static inline void stall_memory(struct pmk_cpu *cpu, uint64_t cycles)
{
	stall(cpu, cpu->core.microblaze.area == 1 ? PMK_SIG_EX_STALL : PMK_SIG_MEM_STALL, cycles);
}

/*
 * Requests a line at `now`. Returns the cycles until the requested word arrives. The remaining
 * words of the line follow, and the next line must wait for them. *busy is the time from which the
 * cache's bus is free; the instruction cache and the data cache have separate buses. It is our
 * choice which word comes first, and what waits for the other words.
 */
static inline uint64_t fill_cycles(const struct pmk_core *core, uint64_t now, uint64_t *busy)
{
	uint64_t ready = pmk_later(now, *busy) + core->mem.latency;

	*busy = ready + core->mem.fill;
	return ready - now;
}

#endif
