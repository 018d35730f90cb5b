// SPDX-License-Identifier: MIT
/*
 * The tested program: the firmware library, and one small function for each operation. The
 * functions store results in arrays of 64-bit numbers, so the tests need no knowledge of the
 * library's structs. The program that is compiled for the machine is the firmware. The same program
 * compiled for the host is its twin, whose port accesses a model directly (see sequences.c).
 */
#include <stddef.h>

#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/l2cc.h>
#include <pmk/target.h>
#ifndef G_TWIN
#include <pmk/fast.h>
#endif

#include "guest.h"

struct pmk_target pmu, second;
struct pmk_region regions[G_REGIONS] = { { .name = "a" }, { .name = "b" }, { 0 } };
static struct pmk_sample samples[G_SAMPLES];
struct pmk_ring ring = { .sample = samples, .size = G_SAMPLES };
struct pmk_task tasks[2];
uint64_t g_totals[PMK_TARGET_EVENTS], g_inner[PMK_TARGET_EVENTS], g_out[8];
unsigned g_served, g_locks, g_unlocks;

static const struct pmk_pmu *const cores[] = {
	[G_ARM1176] = &pmk_arm1176,
	[G_ARM1136] = &pmk_arm1136,
	[G_ARM1156] = &pmk_arm1156,
	[G_ARM11MPCORE] = &pmk_arm11mpcore,
	[G_CORTEX_A53] = &pmk_cortex_a53,
	[G_AHBMON] = &pmk_ahbmon,
	[G_L210] = &pmk_l210,
	[G_L220] = &pmk_l220,
};

/* Restores the state after power-on. */
void g_clear(void)
{
	for (unsigned i = 0; i < PMK_TARGET_EVENTS; i++)
		g_totals[i] = 0;
	tasks[0] = tasks[1] = (struct pmk_task){ 0 };
}

/* ---- setting up ---------------------------------------------------------------------------- */

int g_open(unsigned core)
{
	return pmk_target_open(&pmu, cores[core], g_port());
}

int g_seize(unsigned core)
{
	return pmk_target_seize(&pmu, cores[core], g_port());
}

/*
 * Each of the functions below opens a PMU with memory-mapped registers: a PMUv3's debug interface,
 * the AHB Monitor, or a level 2 cache.
 */
static struct pmk_mmio block;
static struct pmk_port words;

int g_open_memory(unsigned core, uintptr_t base)
{
	static const struct {
		const uint16_t *offset;
		unsigned noffsets;
	} places[] = {
		[G_CORTEX_A53] = { pmk_armv8_mmio_offsets, PMK_ARMV8_NWORDS },
		[G_AHBMON] = { pmk_ahbmon_sp816.offset, PMK_AHBMON_NREGS },
		[G_L210] = { pmk_l210_offsets, PMK_L210_NREGS },
		[G_L220] = { pmk_l220_offsets, PMK_L220_NREGS },
	};
	bool armv8 = core == G_CORTEX_A53;

	block = (struct pmk_mmio){
		.base = base,
		.offset = places[core].offset,
		.noffsets = places[core].noffsets,
		.wide = armv8 ? pmk_armv8_mmio_wide : NULL,
	};
	words = pmk_port_mmio(&block);
	return pmk_target_open(&pmu, cores[core], armv8 ? pmk_armv8_port_memory(&words) : words);
}

int g_add(unsigned code)
{
	return pmk_target_add(&pmu, code);
}

int g_regions(void)
{
	return pmk_target_regions(&pmu, regions, G_REGIONS);
}

int g_interrupts(bool on)
{
	return pmk_target_interrupts(&pmu, on);
}

int g_sample(unsigned event, uint32_t period, uint32_t size)
{
	ring.size = size;
	ring.head = ring.tail = ring.dropped = 0;
	return pmk_target_sample(&pmu, event, period, &ring);
}

int g_start(void)
{
	return pmk_target_start(&pmu);
}

int g_stop(void)
{
	return pmk_target_stop(&pmu);
}

int g_close(void)
{
	return pmk_target_close(&pmu);
}

/* ---- counting ------------------------------------------------------------------------------ */

int g_read_all(void)
{
	return pmk_target_read_all(&pmu, g_totals);
}

int g_read(unsigned event)
{
	return pmk_target_read(&pmu, event, &g_totals[0]);
}

int g_poll(void)
{
	return pmk_target_poll(&pmu);
}

/*
 * Changes the interrupt enables with the driver and not with pmk_target. The driver reads and
 * writes a register that the library also changes.
 */
int g_irq_enable(uint32_t counters)
{
	return pmu.dev.pmu->driver->irq_enable(&pmu.dev, counters);
}

uint32_t g_watched(void)
{
	return pmu.wraps;
}

uint64_t g_deadline(unsigned per_cycle)
{
	return pmk_target_deadline(&pmu, per_cycle);
}

/* ---- interrupt handlers, entered by the machine with the interrupted address ----------------- */

void g_isr(uintptr_t pc)
{
	g_served = (unsigned)pmk_target_isr(&pmu, pc);
}

/* A handler that interrupts g_isr(), and reads the totals. */
int g_read_inner(uintptr_t pc)
{
	(void)pc;
	return pmk_target_read_all(&pmu, g_inner);
}

/* Handles an overflow inside a region, which measures the handler. */
void g_isr_region(uintptr_t pc)
{
	(void)pc;
	PMK_REGION_BEGIN(1);
	g_spin(3);
	PMK_REGION_END(1);
}

/* ---- regions ------------------------------------------------------------------------------- */

int g_begin(unsigned id)
{
	return pmk_region_begin(&pmu, id);
}

/* A port whose registers cannot be read, as if a debugger held the MDM. */
static int busy(void *ctx, unsigned reg, uint64_t *value)
{
	(void)ctx;
	(void)reg;
	(void)value;
	return PMK_EBUSY;
}

int g_busy_end(unsigned id)
{
	struct pmk_port *port = &pmu.dev.port;
	int (*read)(void *ctx, unsigned reg, uint64_t *value) = port->read, err;

	port->read = busy;
	err = pmk_region_end(&pmu, id);
	port->read = read;
	return err;
}

int g_end(unsigned id)
{
	return pmk_region_end(&pmu, id);
}

void g_region(uint32_t n)
{
	PMK_REGION_BEGIN(0);
	g_spin(n);
	PMK_REGION_END(0);
}

void g_region_empty(void)
{
	PMK_REGION_BEGIN(0);
	PMK_REGION_END(0);
}

/*
 * Executes a region with `inner` instructions `times` times inside another region, which has
 * `outer` instructions before and after it.
 */
void g_region_nested(uint32_t outer, uint32_t inner, uint32_t times)
{
	PMK_REGION_BEGIN(0);
	g_spin(outer);
	for (uint32_t i = 0; i < times; i++) {
		PMK_REGION_BEGIN(1);
		g_spin(inner);
		PMK_REGION_END(1);
	}
	g_spin(outer);
	PMK_REGION_END(0);
}

/* Stores in g_out: count, errors, raw sum of an event, net sum, least, most. */
void g_region_sums(unsigned id, unsigned event)
{
	const struct pmk_region *r = &regions[id];

	g_out[0] = r->count;
	g_out[1] = r->errors;
	g_out[2] = r->raw[event];
	g_out[3] = r->net[event].sum;
	g_out[4] = r->net[event].min;
	g_out[5] = r->net[event].max;
}

/* Stores in g_out: mean and deviation times 1000. */
void g_region_spread(unsigned id, unsigned event)
{
	g_out[0] = pmk_stats_mean(&regions[id].net[event], 1000);
	g_out[1] = pmk_stats_stddev(&regions[id].net[event], 1000);
}

int g_region_reset(unsigned id)
{
	return pmk_region_reset(&pmu, id);
}

/* Stores in g_out: what a region costs itself in this event, what it costs the region around it,
 * and the number of open regions of the main task. */
void g_costs(unsigned event)
{
	g_out[0] = pmu.cost[event];
	g_out[1] = pmu.nest[event];
	g_out[2] = pmu.main.depth;
}

/* ---- locks: disabling and restoring interrupts ---------------------------------------------- */

static uintptr_t lock(void)
{
	uintptr_t before = g_mask();

	g_locks++;
	return before;
}

static void unlock(uintptr_t before)
{
	g_unlocks++;
	g_restore(before);
}

int g_use_locks(void)
{
	return pmk_target_locks(&pmu, lock, unlock);
}

/* Executes code with interrupts off. */
void g_masked(uint32_t n)
{
	uintptr_t before = g_mask();

	g_spin(n);
	g_restore(before);
}

/* ---- tasks --------------------------------------------------------------------------------- */

static struct pmk_task *task(unsigned n)
{
	return n ? &tasks[n - 1] : NULL;
}

int g_switch_out(void)
{
	return pmk_target_switch_out(&pmu);
}

int g_switch_in(unsigned n)
{
	return pmk_target_switch_in(&pmu, task(n));
}

int g_task_read(unsigned n)
{
	return pmk_target_task_read(&pmu, task(n), g_totals);
}

/* ---- samples ------------------------------------------------------------------------------- */

/*
 * Stores the oldest sample in g_out (address, region, event, late), and returns 1. Returns 0 if
 * there is no sample.
 */
int g_take(void)
{
	struct pmk_sample s;

	if (!pmk_ring_take(&ring, &s))
		return 0;
	g_out[0] = s.pc;
	g_out[1] = s.region;
	g_out[2] = s.event;
	g_out[3] = s.late;
	return 1;
}

uint32_t g_dropped(void)
{
	return ring.dropped;
}

/* ---- misuse -------------------------------------------------------------------------------- */

int g_second_open(unsigned core)
{
	return pmk_target_open(&second, cores[core], g_port());
}

int g_second_add(unsigned code)
{
	return pmk_target_add(&second, code);
}

int g_second_start(void)
{
	return pmk_target_start(&second);
}

/* ---- features of silicon only; the twin lacks them ------------------------------------------ */

#ifndef G_TWIN
struct pmk_port g_port(void)
{
#if defined(__arm__) && __ARM_ARCH >= 7
	return pmk_port_cp15_pmuv3();
#else
	return pmk_port_native();
#endif
}

uintptr_t g_undefined(uintptr_t pc)
{
	return pmk_native_fixup(&pc) ? pc : 0;
}

int g_probe(void)
{
	return pmk_native_probe();
}

#if defined(__aarch64__) || __ARM_ARCH < 7 /* the 32-bit fast path is only for ARM11 */
/* Labels before and after each edge; a label adds no instruction. */
#define LABEL(name) __asm__ volatile(".global " #name "\n" #name ":" ::: "memory")

/* The result is in global memory, so the compiler must make the stores. */
struct pmk_fast g_fast_result;

void g_fast(uint32_t n)
{
	LABEL(g_fast_begin);
	PMK_FAST_BEGIN(&g_fast_result);
	LABEL(g_fast_begun);
	g_spin(n);
	LABEL(g_fast_end);
	PMK_FAST_END(&g_fast_result);
	LABEL(g_fast_ended);
	for (unsigned i = 0; i < 3; i++)
		g_out[i] = g_fast_result.delta[i];
}
#endif
#endif
