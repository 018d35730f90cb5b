// SPDX-License-Identifier: MIT
/*
 * Memory-mapped registers. The port's loads and stores go to a device of the machine, which is the
 * memory view of a PMUv3, an AHB monitor, or the counters of a level 2 cache. The AHB monitor has
 * no overflow flags, and the L220's counters stop at their maximum, so totals of these two are
 * right only if the program polls.
 */
#include <pmk/ahbmon_model.h>
#include <pmk/armv8_model.h>
#include <pmk/l2cc_model.h>

#include "rig.h"

#include "guest.h"

#define WRAP (UINT64_C(1) << 32)

static void plain(struct machine *m, const struct pmk_pmu *pmu)
{
	machine_reset(m, pmu);
	m->ctx = NULL;
	m->boundary = NULL;
	m->before = m->after = NULL;
	m->returned = NULL;
}

static void want(struct machine *m, int result, const char *function, uint64_t a, uint64_t b)
{
	int got = (int)(uint32_t)machine_call(m, function, a, b, 0);

	CHECK(got == result, "%s(%llu, %llu) is %d, want %d", function, (ull)a, (ull)b, got,
	      result);
}

static void check_total(struct machine *m, unsigned event, uint64_t truth, const char *when)
{
	want(m, 0, "g_read_all", 0, 0);
	CHECK(machine_number(m, "g_totals", event) == truth, "%s: event %u: %llu, truth %llu", when,
	      event, (ull)machine_number(m, "g_totals", event), (ull)truth);
}

/*
 * A handler that reads the totals interrupts a poll before its instruction number `position`. Each
 * round of read_in_polls() interrupts the next instruction, until the poll has no more.
 */
static struct {
	uint64_t position, began;
	bool entered;
} reader;

static uint64_t reader_at_position(struct machine *m, uint64_t pc)
{
	(void)pc;
	if (reader.entered || m->level || m->executed - reader.began != reader.position)
		return 0;
	reader.entered = true;
	return machine_symbol(m, "g_read_inner");
}

static void read_in_polls(struct machine *m, struct pmk_bus *bus, enum pmk_signal signal,
			  uint64_t n, uint64_t truth)
{
	m->boundary = reader_at_position;
	for (reader.position = 0;; reader.position++) {
		pmk_bus_add(bus, signal, n);
		truth += n;
		reader.entered = false;
		reader.began = m->executed;
		machine_call(m, "g_poll", 0, 0, 0);
		if (!reader.entered)
			break;
		CHECK(machine_number(m, "g_inner", 0) == truth, "reader at %llu: %llu, truth %llu",
		      (ull)reader.position, (ull)machine_number(m, "g_inner", 0), (ull)truth);
	}
	CHECK(reader.position > 50, "%llu instructions", (ull)reader.position);
	m->boundary = NULL;
}

/* ---- PMUv3 ----------------------------------------------------------------------------------- */

static struct {
	unsigned loads, stores;
	unsigned wide_loads; /* loads of PMCCNTR's halves, 0x0F8 and 0x0FC (DDI 0487 I5.3) */
	bool carry;	     /* PMCCNTR's low half wraps once between the two loads */
} seen;

static uint32_t load_armv8(struct machine *m, unsigned offset)
{
	uint32_t value;

	if (offset == 0x0F8 && seen.carry) {
		seen.carry = false;
		machine_raise(m, PMK_SIG_CYCLE,
			      WRAP - (uint32_t)machine_peek(m, PMK_ARMV8_PMCCNTR));
	}
	seen.loads++;
	seen.wide_loads += offset == 0x0F8 || offset == 0x0FC;
	CHECK(!pmk_armv8_load(m->model, &m->bus, offset, &value), "load of 0x%x", offset);
	return value;
}

static void store_armv8(struct machine *m, unsigned offset, uint32_t value)
{
	seen.stores++;
	CHECK(!pmk_armv8_store(m->model, &m->bus, offset, value), "store to 0x%x", offset);
	pmk_bus_forget(&m->bus);
	m->ops->ask(m->model, &m->bus);
}

static void test_memory_armv8(struct machine *m)
{
	uint64_t misses = 0, cycles, random = 3;

	plain(m, pmk_pmu_find("cortex_a53"));
	machine_device(m, load_armv8, store_armv8);
	store_armv8(m, 0xFB0, 0xC5ACCE55); /* the software lock, PMLAR */
	seen.loads = seen.stores = 0;
	want(m, 0, "g_open_memory", G_CORTEX_A53, MACHINE_DEVICE);
	want(m, 0, "g_add", 0x11, 0);
	want(m, 1, "g_add", 0x03, 0);
	want(m, 0, "g_regions", 0, 0);
	want(m, 0, "g_start", 0, 0);
	for (unsigned i = 0; i < 200; i++) {
		uint64_t n = below(&random, WRAP / 2 - 1);

		machine_raise(m, PMK_SIG_L1D_MISS, n);
		misses += n;
		check_total(m, 1, misses, "pending");
		machine_call(m, "g_poll", 0, 0, 0);
		check_total(m, 1, misses, "polled");
	}
	/*
	 * The library reads PMCCNTR's halves one after the other, and notices a carry between them.
	 */
	want(m, 0, "g_read_all", 0, 0);
	cycles = machine_number(m, "g_totals", 0);
	seen.wide_loads = 0;
	seen.carry = true;
	want(m, 0, "g_read_all", 0, 0);
	CHECK(seen.wide_loads > 3, "%u loads of PMCCNTR", seen.wide_loads);
	CHECK(machine_number(m, "g_totals", 0) > cycles &&
		      machine_number(m, "g_totals", 0) - cycles < WRAP + 2000,
	      "cycles go from %llu to %llu", (ull)cycles, (ull)machine_number(m, "g_totals", 0));
	want(m, 0, "g_stop", 0, 0);
	check_total(m, 1, misses, "stopped");
	want(m, 0, "g_close", 0, 0);
	CHECK(!(machine_peek(m, PMK_ARMV8_PMCR) & 1), "PMCR.E");
	CHECK(seen.loads > 1000 && seen.stores > 20, "%u loads, %u stores", seen.loads,
	      seen.stores);
}

/* ---- AHB monitor ----------------------------------------------------------------------------- */

static struct {
	struct pmk_ahbmon_model model;
	struct pmk_bus bus[PMK_AHBMON_NBUSES];
} ahb;

static unsigned register_at(unsigned offset)
{
	for (unsigned reg = 0; reg < PMK_AHBMON_NREGS; reg++)
		if (pmk_ahbmon_sp816.offset[reg] == offset)
			return reg;
	CHECK(false, "no register at 0x%x", offset);
	return 0;
}

static uint32_t load_ahbmon(struct machine *m, unsigned offset)
{
	uint64_t value = 0;

	(void)m;
	CHECK(!pmk_ahbmon_models[0].read(&ahb.model, ahb.bus, PMK_MODE_PRIV, register_at(offset),
					 &value),
	      "load of 0x%x", offset);
	return (uint32_t)value;
}

static void store_ahbmon(struct machine *m, unsigned offset, uint32_t value)
{
	(void)m;
	CHECK(!pmk_ahbmon_models[0].write(&ahb.model, ahb.bus, PMK_MODE_PRIV, register_at(offset),
					  value),
	      "store to 0x%x", offset);
}

static void test_memory_ahbmon(struct machine *m)
{
	struct pmk_bus *armd = &ahb.bus[PMK_AHBMON_BUS_ARMD];
	uint64_t reads = 0, random = 5;

	plain(m, pmk_pmu_find(machine_is_armv8(m) ? "cortex_a53" : "arm1176"));
	machine_device(m, load_ahbmon, store_ahbmon);
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&ahb.bus[i]);
	pmk_ahbmon_models[0].reset(&ahb.model, ahb.bus, &pmk_ahbmon);
	want(m, 0, "g_open_memory", G_AHBMON, MACHINE_DEVICE);
	want(m, 0, "g_add", PMK_AHBMON_ARMD_RD, 0);
	want(m, 1, "g_add", PMK_AHBMON_EXP_RD, 0);
	want(m, PMK_ENOTSUP, "g_interrupts", 1, 0);
	CHECK((int)machine_call(m, "g_sample", 0, 1000, 16) == PMK_ENOTSUP, "sampling");
	want(m, 0, "g_start", 0, 0);
	for (unsigned i = 0; i < 300; i++) {
		uint64_t n = below(&random, WRAP - 1);

		pmk_bus_add(armd, PMK_SIG_AHB_READ, n);
		reads += n;
		check_total(m, 0, reads, "before the poll");
		machine_call(m, "g_poll", 0, 0, 0);
		check_total(m, 0, reads, "polled");
		check_total(m, 1, 0, "nothing happened");
	}
	read_in_polls(m, armd, PMK_SIG_AHB_READ, WRAP / 3 * 2, reads);
}

/* ---- level 2 caches -------------------------------------------------------------------------- */

static struct {
	const struct pmk_pmu *pmu;
	const struct pmk_model_ops *ops;
	const uint16_t *offsets;
	struct pmk_l2cc_model model;
	struct pmk_bus bus;
} l2;

static unsigned l2_register(unsigned offset)
{
	unsigned reg = 0;

	while (reg < l2.pmu->nregs && l2.offsets[reg] != offset)
		reg++;
	CHECK(reg < l2.pmu->nregs, "no register at 0x%x", offset);
	return reg;
}

static uint32_t load_l2(struct machine *m, unsigned offset)
{
	uint64_t value = 0;

	(void)m;
	CHECK(!l2.ops->read(&l2.model, &l2.bus, PMK_MODE_PRIV, l2_register(offset), &value),
	      "load of 0x%x", offset);
	return (uint32_t)value;
}

static void store_l2(struct machine *m, unsigned offset, uint32_t value)
{
	(void)m;
	CHECK(!l2.ops->write(&l2.model, &l2.bus, PMK_MODE_PRIV, l2_register(offset), value),
	      "store to 0x%x", offset);
}

static void open_l2(struct machine *m, const struct pmk_pmu *pmu, const uint16_t *offsets,
		    unsigned number)
{
	plain(m, pmk_pmu_find(machine_is_armv8(m) ? "cortex_a53" : "arm1176"));
	l2.pmu = pmu;
	l2.ops = pmk_model_find(pmu);
	l2.offsets = offsets;
	machine_device(m, load_l2, store_l2);
	pmk_bus_init(&l2.bus);
	l2.ops->reset(&l2.model, &l2.bus, pmu);
	want(m, 0, "g_open_memory", number, MACHINE_DEVICE);
}

/* Counts reads in event 0 and hits in event 1. The counters are polled before they have advanced by
 * half of their range. */
static uint64_t count_l2(struct machine *m)
{
	uint64_t reads = 0, hits = 0, random = 7;

	want(m, 0, "g_start", 0, 0);
	for (unsigned i = 0; i < 300; i++) {
		uint64_t n = below(&random, WRAP / 2 - 2);

		pmk_bus_add(&l2.bus, PMK_SIG_L2CC_DATA_READ, n);
		pmk_bus_add(&l2.bus, PMK_SIG_L2CC_DATA_READ_HIT, n / 3);
		reads += n;
		hits += n / 3;
		check_total(m, 0, reads, "before the poll");
		machine_call(m, "g_poll", 0, 0, 0);
		check_total(m, 0, reads, "polled");
		check_total(m, 1, hits, "polled");
	}
	CHECK(hits > 10 * WRAP, "%llu hits", (ull)hits);
	return reads;
}

static void close_l2(struct machine *m, unsigned enable)
{
	want(m, 0, "g_stop", 0, 0);
	pmk_bus_add(&l2.bus, PMK_SIG_L2CC_DATA_READ, 5);
	want(m, 0, "g_close", 0, 0);
	CHECK(!(l2.model.control & enable), "it still counts");
	CHECK(!l2.model.oddities, "oddities 0x%x", l2.model.oddities);
}

/* An L210 has four counters that wrap and have flags. Software cannot write a counter or a flag. */
static void test_memory_l210(struct machine *m)
{
	open_l2(m, &pmk_l210, pmk_l210_offsets, G_L210);
	want(m, 0, "g_add", 0x4, 0);
	want(m, 1, "g_add", 0x3, 0);
	want(m, 2, "g_add", 0xf, 0);
	want(m, 3, "g_add", 0x9, 0);
	want(m, PMK_ENOCTR, "g_add", 0x2, 0);
	CHECK((int)machine_call(m, "g_sample", 0, 1000, 16) == PMK_ENOTSUP, "sampling");
	read_in_polls(m, &l2.bus, PMK_SIG_L2CC_DATA_READ, WRAP / 5 * 2, count_l2(m));
	close_l2(m, 1);
}

/*
 * An L210 can be handled by interrupts. The line rises when a counter wraps, and falls when the
 * handler has run.
 */
static void test_memory_l210_interrupts(struct machine *m)
{
	uint64_t reads = 0, served = 0, random = 9;

	open_l2(m, &pmk_l210, pmk_l210_offsets, G_L210);
	want(m, 0, "g_add", 0x4, 0);
	want(m, 0, "g_interrupts", 1, 0);
	want(m, 0, "g_start", 0, 0);
	for (unsigned i = 0; i < 300; i++) {
		uint64_t n = below(&random, WRAP / 2 - 2);
		bool wraps = (reads % WRAP + n) >> 32;

		pmk_bus_add(&l2.bus, PMK_SIG_L2CC_DATA_READ, n);
		reads += n;
		l2.ops->sync(&l2.model, &l2.bus);
		CHECK((l2.ops->lines(&l2.model) != 0) == wraps, "line after %llu", (ull)reads);
		check_total(m, 0, reads, "pending");
		if (!wraps)
			continue;
		machine_call(m, "g_isr", 0, 0, 0);
		CHECK(!l2.ops->lines(&l2.model), "the line has not fallen");
		check_total(m, 0, reads, "served");
		served++;
	}
	CHECK(served == reads / WRAP && served > 50, "%llu served", (ull)served);
	close_l2(m, 1);
}

/* An L220 has two counters that stop at their maximum. Each poll resets the counters. */
static void test_memory_l220(struct machine *m)
{
	open_l2(m, &pmk_l220, pmk_l220_offsets, G_L220);
	want(m, 0, "g_add", 0x3, 0);
	want(m, 1, "g_add", 0x2, 0);
	want(m, PMK_ENOCTR, "g_add", 0x1, 0);
	want(m, PMK_ENOTSUP, "g_interrupts", 1, 0);
	read_in_polls(m, &l2.bus, PMK_SIG_L2CC_DATA_READ, WRAP / 5 * 2, count_l2(m));
	close_l2(m, 1);
}

const struct test memory_tests[] = {
	{ "memory_armv8", test_memory_armv8 },
	{ "memory_ahbmon", test_memory_ahbmon },
	{ "memory_l210", test_memory_l210 },
	{ "memory_l210_interrupts", test_memory_l210_interrupts },
	{ "memory_l220", test_memory_l220 },
	{ 0 },
};
