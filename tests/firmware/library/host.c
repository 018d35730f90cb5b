/* SPDX-License-Identifier: MIT */
/*
 * A program on a host that uses the whole library: regions, sampling, tasks and reports on an
 * ARM11; the drivers of all other families; plans, sessions, statistics and look-ups. It must print
 * the same with the archive and with the two generated files. Its registers are simulated, and
 * reading a counter increments it.
 */
#include <stdio.h>
#include <string.h>

#ifdef IN_ONE
#include "pmk_target.h"
#else
#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/session.h>
#include <pmk/target.h>
#endif

enum { FFT, IRQ, NREGIONS };

static struct pmk_target pmu;
static uint64_t registers[128];

static void put(char c)
{
	putchar(c);
}

static void put_hex(char c)
{
	printf("%02x", (unsigned char)c);
}

static void told(const char *what, int result)
{
	printf("%s: %d %s\n", what, result, pmk_strerror(result));
}

/* ---- a simulated ARM11: reading a counter increments it; flags are set and cleared ---- */

static int arm11_read(void *ctx, unsigned reg, uint64_t *value)
{
	static const uint32_t step[] = { 0, 0x00400011, 3, 7, 0 },
			      flag[] = { 0, 0x400, 0x100, 0x200, 0 };
	uint64_t *r = ctx;

	if (r[PMK_ARM11_PMNC] & 1) {
		r[reg] += step[reg];
		if (r[reg] >> 32)
			r[PMK_ARM11_PMNC] |= flag[reg];
		r[reg] &= UINT32_MAX;
	}
	*value = r[reg];
	return PMK_OK;
}

static int arm11_write(void *ctx, unsigned reg, uint64_t value)
{
	uint64_t *r = ctx;

	if (reg == PMK_ARM11_PMNC) {
		if (value & 4)
			r[PMK_ARM11_CCNT] = 0;
		value = (value & ~(uint64_t)0x706) | (r[reg] & 0x700 & ~value);
	}
	r[reg] = value;
	return PMK_OK;
}

static void target(void)
{
	static struct pmk_region regions[NREGIONS] = { { .name = "fft" } };
	static struct pmk_sample samples[8];
	static struct pmk_ring ring = { .sample = samples, .size = 8 };
	static struct pmk_task task;
	struct pmk_port port = { .read = arm11_read, .write = arm11_write, .ctx = registers };
	uint64_t totals[PMK_TARGET_EVENTS], total;

	told("open", pmk_target_open(&pmu, &pmk_arm1176, port));
	told("cycles", pmk_target_add(&pmu, PMK_ARM11_CPU_CYCLES));
	told("misses", pmk_target_add(&pmu, PMK_ARM11_DCACHE_MISS));
	told("no event", pmk_target_add(&pmu, 0x08));
	told("branches", pmk_target_add(&pmu, PMK_ARM11_BR_EXEC));
	told("too many", pmk_target_add(&pmu, PMK_ARM11_ICACHE_MISS));
	told("regions", pmk_target_regions(&pmu, regions, NREGIONS));
	told("interrupts", pmk_target_interrupts(&pmu, true));
	told("sample", pmk_target_sample(&pmu, 1, 64, &ring));
	told("start", pmk_target_start(&pmu));
	told("find", pmk_region_find(&pmu, "irq"));
	for (int i = 0; i < 300; i++) {
		pmk_region_begin(&pmu, FFT);
		if (i % 3 == 0) {
			pmk_region_begin(&pmu, IRQ);
			pmk_target_isr(&pmu, (uintptr_t)i);
			pmk_region_end(&pmu, IRQ);
		}
		pmk_region_end(&pmu, FFT);
	}
	told("unmatched", pmk_region_end(&pmu, IRQ));
	told("out", pmk_target_switch_out(&pmu));
	told("in", pmk_target_switch_in(&pmu, &task));
	told("task", pmk_target_task_read(&pmu, &task, totals));
	told("stop", pmk_target_stop(&pmu));
	told("read", pmk_target_read(&pmu, 0, &total));
	printf("total %llu, deadline %llu\n", (unsigned long long)total,
	       (unsigned long long)pmk_target_deadline(&pmu, 3));
	told("report", pmk_target_report(&pmu, put));
	told("dump", pmk_target_dump(&pmu, put_hex));
	told("close", pmk_target_close(&pmu));
}

/* ---- the other families: prints what their drivers write ---- */

static int plain_read(void *ctx, unsigned reg, uint64_t *value)
{
	(void)ctx;
	*value = registers[reg];
	printf(" r%u", reg);
	return PMK_OK;
}

static int plain_write(void *ctx, unsigned reg, uint64_t value)
{
	(void)ctx;
	registers[reg] = value;
	printf(" w%u=%llx", reg, (unsigned long long)value);
	return PMK_OK;
}

static void driver(const struct pmk_pmu *family)
{
	struct pmk_dev dev = { .pmu = family,
			       .port = { .read = plain_read, .write = plain_write } };
	const struct pmk_driver *drv = family->driver;
	uint32_t counters = 0;
	uint64_t value = 0;
	bool yes = false;

	memset(registers, 0, sizeof(registers));
	registers[PMK_ARMV8_PMCR] = 6 << 11;
	registers[PMK_ARMV8_PMCEID0] = UINT32_MAX;
	printf("%s:", family->name);
	told("\nreset", drv->reset(&dev));
	for (unsigned i = 0; i < family->ncounters; i += 5)
		told("\nprogram", drv->program(&dev, i, family->events[i].code));
	told("\nirq", drv->irq_enable(&dev, 3));
	told("\nstart", drv->start(&dev));
	told("\nread", drv->read(&dev, 1, &value));
	told("\nwrite", drv->write(&dev, 1, 0xFFFF0000));
	told("\npending", drv->pending(&dev, &counters));
	told("\nclear", drv->clear(&dev, 3));
	told("\nrunning", drv->running(&dev, &yes));
	told("\nstop", drv->stop(&dev));
	printf("%d %u %llu\n", yes, counters, (unsigned long long)value);
}

/* ---- plans, statistics and look-ups ---- */

static void tables(const struct pmk_pmu *family)
{
	for (unsigned i = 0; i < family->nevents; i++) {
		const struct pmk_event *e = &family->events[i];

		printf("%x %s %x %d %d %d %d\n", e->code, e->name, (unsigned)e->cores, e->signal,
		       e->signal2, e->cycles, pmk_pmu_event(family, e->name) == e);
	}
	for (unsigned i = 0; i < family->ncounters; i++)
		printf("%s %d %d\n", family->counters[i].name, family->counters[i].width,
		       (int)family->counters[i].fixed_code);
}

static void sessions(void)
{
	static struct pmk_session session;
	struct pmk_plan plan = {
		.nevents = 4,
		.event = { { .code = 0xFF }, { .code = 0x0B }, { .code = 5 }, { .code = 7 } }
	};
	struct pmk_port port = { .read = arm11_read, .write = arm11_write, .ctx = registers },
			ports[2];
	uint64_t totals[PMK_MAX_EVENTS];

	ports[0] = ports[1] = port;
	memset(registers, 0, sizeof(registers));
	told("plan", pmk_plan_make(&pmk_arm1176, &plan));
	told("session", pmk_session_open(&session, &pmk_arm1176, &plan, ports));
	told("start", pmk_session_start(&session));
	for (int i = 0; i < 100; i++)
		pmk_session_poll(&session);
	told("read", pmk_session_read(&session, totals));
	for (unsigned i = 0; i < plan.nevents; i++)
		printf("%u.%u %llu %d\n", session.plan.event[i].pass, session.plan.event[i].counter,
		       (unsigned long long)totals[i], pmk_session_wrapped(&session, i));
}

static void statistics(void)
{
	struct pmk_stats s;
	uint64_t x = 1;

	pmk_stats_init(&s);
	for (int i = 0; i < 60; i++) {
		pmk_stats_add(&s, x >> 40);
		x = x * 6364136223846793005u + 1442695040888963407u;
		printf("%llu %llu\n", (unsigned long long)pmk_stats_mean(&s, 100),
		       (unsigned long long)pmk_stats_stddev(&s, 100));
	}
}

static void memory(void)
{
	static uint32_t words[0x240 / 4];
	struct pmk_mmio mmio = { .base = (uintptr_t)words,
				 .offset = pmk_ahbmon_sp816.offset,
				 .noffsets = PMK_AHBMON_NREGS };
	struct pmk_dev dev = { .pmu = &pmk_ahbmon, .port = pmk_port_mmio(&mmio) };
	unsigned agree = 0;

	for (unsigned i = 0; i < sizeof(words) / 4; i++)
		words[i] = 0x101D0000 + 4 * i;
	told("layout", pmk_ahbmon_layout_check(&pmk_ahbmon_sp816));
	told("probe", pmk_ahbmon_probe(&dev, 0x101D0000, &agree));
	printf("%u agree\n", agree);
}

int main(void)
{
	target();
	driver(&pmk_arm1156);
	driver(&pmk_armv8);
	driver(&pmk_cortex_a53);
	driver(&pmk_ahbmon);
	tables(&pmk_arm1176);
	tables(&pmk_arm11mpcore);
	tables(&pmk_neoverse_n1);
	tables(&pmk_ahbmon);
	sessions();
	statistics();
	memory();
	return 0;
}
