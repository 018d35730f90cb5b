// SPDX-License-Identifier: MIT
/*
 * The firmware library compiled for the host, over ports to models. The tests check results, let
 * any access fail, use several targets, and read the report. tests/firmware/uc runs the library's
 * machine code, and checks that totals are exact at any time.
 *
 * Numbers are literal: ARM1176 events 0xFF cycles, 0x07 instructions, 0x0B data cache misses (DDI
 * 0301H Table 3-137).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/ahbmon.h>
#include <pmk/arm11_model.h>
#include <pmk/armv8_model.h>
#include <pmk/microblaze.h>
#include <pmk/model.h>
#include <pmk/target.h>

#include "firmware/target.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal((call), 0)
#define NEVER	 UINT32_MAX

/* ---- the rig: a target, a port that may fail, a model ------------------------------------ */

struct rig {
	struct pmk_target target;
	struct pmk_region regions[3];
	struct pmk_sample samples[8];
	struct pmk_ring ring;
	struct pmk_bus bus[PMK_AHBMON_NBUSES]; /* only the AHB monitor has more than one */
	struct pmk_model_port to_model;
	struct pmk_port inner, port;
	unsigned accesses;
	unsigned fail_at; /* this access fails with PMK_EIO */
	/* Before read number n of register miss_reg, misses[n % 6] misses happen. */
	const uint8_t *misses;
	unsigned miss_reg, readings;
	/* The next lose_enable writes of register 0 (PMNC, PMCR) that set E leave E clear. */
	unsigned lose_enable;
};

static int rig_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;

	if (r->accesses++ == r->fail_at)
		return PMK_EIO;
	if (r->misses && reg == r->miss_reg)
		pmk_bus_add(r->bus, PMK_SIG_L1D_MISS, r->misses[r->readings++ % 6]);
	return r->inner.read(r->inner.ctx, reg, value);
}

static int rig_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;

	if (r->accesses++ == r->fail_at)
		return PMK_EIO;
	if (!reg && (value & 1) && r->lose_enable) {
		r->lose_enable--;
		value &= ~UINT64_C(1);
	}
	return r->inner.write(r->inner.ctx, reg, value);
}

static void rig_settle(void *ctx, unsigned cycles)
{
	struct rig *r = ctx;

	r->inner.settle(r->inner.ctx, cycles);
}

static void setup(struct rig *r, const struct pmk_pmu *pmu)
{
	const struct pmk_model_ops *ops = pmk_model_find(pmu);

	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < COUNT(r->bus); i++) {
		pmk_bus_init(&r->bus[i]);
		memset(&r->bus[i].raised, 0xff, sizeof(r->bus[i].raised));
	}
	r->to_model = (struct pmk_model_port){ ops, calloc(1, ops->size), r->bus, PMK_MODE_PRIV };
	ops->reset(r->to_model.model, r->bus, ops->pmu);
	r->inner = pmk_port_model(&r->to_model);
	r->port = (struct pmk_port){ rig_read, rig_write, rig_settle, r };
	r->fail_at = NEVER;
	r->ring = (struct pmk_ring){ .sample = r->samples, .size = 8 };
	r->regions[0].name = "fft";
}

static void teardown(struct rig *r)
{
	free(r->to_model.model);
}

static uint64_t peek(struct rig *r, unsigned reg)
{
	uint64_t value;

	OK(r->inner.read(r->inner.ctx, reg, &value));
	return value;
}

/* Starts counting cycles, instructions and misses on an ARM1176. */
static void run_arm1176(struct rig *r)
{
	setup(r, &pmk_arm1176);
	OK(pmk_target_open(&r->target, &pmk_arm1176, r->port));
	assert_int_equal(pmk_target_add(&r->target, 0xff), 0);
	assert_int_equal(pmk_target_add(&r->target, 0x07), 1);
	assert_int_equal(pmk_target_add(&r->target, 0x0b), 2);
	OK(pmk_target_regions(&r->target, r->regions, 3));
	OK(pmk_target_start(&r->target));
}

static uint64_t total(struct rig *r, unsigned event)
{
	uint64_t value;

	OK(pmk_target_read(&r->target, event, &value));
	return value;
}

/*
 * Reads a register as a program on the processor does. An access is an instruction of one cycle,
 * and no other time passes.
 */
static int live_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;

	pmk_bus_add(r->bus, PMK_SIG_CYCLE, 1);
	pmk_bus_add(r->bus, PMK_SIG_INSN, 1);
	return rig_read(ctx, reg, value);
}

static int live_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;

	pmk_bus_add(r->bus, PMK_SIG_CYCLE, 1);
	pmk_bus_add(r->bus, PMK_SIG_INSN, 1);
	return rig_write(ctx, reg, value);
}

static void setup_live(struct rig *r, const struct pmk_pmu *pmu)
{
	setup(r, pmu);
	r->port = (struct pmk_port){ live_read, live_write, NULL, r };
}

/* ---- arguments --------------------------------------------------------------------------- */

static void test_null_arguments(void **state)
{
	struct pmk_port none = { .read = NULL }, half;
	struct rig r;
	uint64_t value;

	(void)state;
	run_arm1176(&r);
	half = r.port;
	half.write = NULL;
	assert_int_equal(pmk_target_open(NULL, &pmk_arm1176, r.port), PMK_EINVAL);
	assert_int_equal(pmk_target_open(&r.target, NULL, r.port), PMK_EINVAL);
	assert_int_equal(pmk_target_open(&r.target, &pmk_arm1176, none), PMK_EINVAL);
	assert_int_equal(pmk_target_seize(&r.target, &pmk_arm1176, half), PMK_EINVAL);
	assert_int_equal(pmk_target_read(&r.target, 0, NULL), PMK_EINVAL);
	assert_int_equal(pmk_target_read(&r.target, 3, &value), PMK_EINVAL);
	assert_int_equal(pmk_region_find(&r.target, NULL), PMK_EINVAL);
	assert_int_equal(pmk_target_report(NULL, NULL), PMK_EINVAL);
	assert_int_equal(pmk_target_dump(&r.target, NULL), PMK_EINVAL);
	/* None of these errors has closed the target. */
	OK(pmk_target_read(&r.target, 2, &value));
	teardown(&r);
}

static void test_sample_arguments(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(pmk_target_open(&r.target, &pmk_arm1176, r.port));
	assert_int_equal(pmk_target_sample(&r.target, 0, 1000, &r.ring), PMK_EINVAL);
	assert_int_equal(pmk_target_add(&r.target, 0x0b), 0);
	assert_int_equal(pmk_target_sample(&r.target, 0, 1000, NULL), PMK_EINVAL);
	r.ring.sample = NULL;
	assert_int_equal(pmk_target_sample(&r.target, 0, 1000, &r.ring), PMK_EINVAL);
	r.ring.sample = r.samples;
	for (r.ring.size = 0; r.ring.size <= 8; r.ring.size++) {
		bool power = r.ring.size && !(r.ring.size & (r.ring.size - 1));

		assert_int_equal(pmk_target_sample(&r.target, 0, 1000, &r.ring),
				 power ? 0 : PMK_EINVAL);
	}
	teardown(&r);

	/* The AHB Monitor has no flags, samples or interrupts. */
	setup(&r, &pmk_ahbmon);
	r.ring.size = 8;
	OK(pmk_target_open(&r.target, &pmk_ahbmon, r.port));
	assert_int_equal(pmk_target_add(&r.target, PMK_AHBMON_ARMD_RD), 0);
	assert_int_equal(pmk_target_sample(&r.target, 0, 1000, &r.ring), PMK_ENOTSUP);
	assert_int_equal(pmk_target_interrupts(&r.target, true), PMK_ENOTSUP);
	OK(pmk_target_interrupts(&r.target, false));
	teardown(&r);
}

static uintptr_t lock(void)
{
	return 0;
}

static void unlock(uintptr_t before)
{
	(void)before;
}

static void test_locks_come_in_pairs(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(pmk_target_open(&r.target, &pmk_arm1176, r.port));
	assert_int_equal(pmk_target_locks(&r.target, lock, NULL), PMK_EINVAL);
	assert_int_equal(pmk_target_locks(&r.target, NULL, unlock), PMK_EINVAL);
	OK(pmk_target_locks(&r.target, lock, unlock));
	OK(pmk_target_locks(&r.target, NULL, NULL));
	teardown(&r);
}

/* In user mode, the library returns an error and changes nothing. */
static void test_no_access(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	r.to_model.mode = PMK_MODE_USER;
	assert_int_equal(pmk_target_open(&r.target, &pmk_arm1176, r.port), PMK_EUNDEF);
	assert_int_equal(pmk_target_seize(&r.target, &pmk_arm1176, r.port), PMK_EUNDEF);
	assert_int_equal(pmk_target_add(&r.target, 0x07), PMK_EINVAL);
	teardown(&r);
}

/*
 * The deadline is half the range of the shortest counter in use. If no counter in use can wrap, it
 * is UINT64_MAX.
 */
static void test_deadline(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	OK(pmk_target_open(&r.target, &pmk_cortex_a53, r.port));
	assert_int_equal(pmk_target_add(&r.target, 0x11), 0); /* PMCCNTR has 64 bits */
	assert_true(pmk_target_deadline(&r.target, 1) == UINT64_MAX);
	assert_int_equal(pmk_target_add(&r.target, 0x08), 1);
	assert_true(pmk_target_deadline(&r.target, 1) == 0x7fffffff);
	assert_true(pmk_target_deadline(&r.target, 2) == 0x3fffffff);
	assert_true(pmk_target_deadline(&r.target, 3) == 0x7fffffff / 3);
	assert_true(pmk_target_deadline(&r.target, 0) == 0);
	teardown(&r);
	/* Without flags, the deadline is still half of the counter range. */
	setup(&r, &pmk_ahbmon);
	OK(pmk_target_open(&r.target, &pmk_ahbmon, r.port));
	assert_int_equal(pmk_target_add(&r.target, PMK_AHBMON_ARMD_RD), 0);
	assert_true(pmk_target_deadline(&r.target, 1) == 0x7fffffff);
	teardown(&r);
}

/* ---- counting ---------------------------------------------------------------------------- */

static void test_counts(void **state)
{
	uint64_t totals[3];
	struct rig r;

	(void)state;
	run_arm1176(&r);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(total(&r, i), 0);
	pmk_bus_add(r.bus, PMK_SIG_CYCLE, 1000);
	pmk_bus_add(r.bus, PMK_SIG_INSN, 700);
	pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 7);
	OK(pmk_target_read_all(&r.target, totals));
	assert_int_equal(totals[0], 1000);
	assert_int_equal(totals[1], 700);
	assert_int_equal(totals[2], 7);
	/* The totals exceed 2^32, and each overflow is polled once. */
	for (unsigned i = 0; i < 10; i++) {
		pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 0x60000000);
		assert_int_equal(total(&r, 2), 7 + (i + 1) * UINT64_C(0x60000000));
		assert_in_range(pmk_target_poll(&r.target), 0, 1);
		assert_int_equal(total(&r, 2), 7 + (i + 1) * UINT64_C(0x60000000));
	}
	OK(pmk_target_stop(&r.target));
	pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 100);
	assert_int_equal(total(&r, 2), 7 + 10 * UINT64_C(0x60000000));
	OK(pmk_target_stop(&r.target)); /* may be called twice */
	OK(pmk_target_close(&r.target));
	teardown(&r);
}

/*
 * The handler returns how many counters had overflowed; 0 means that the interrupt had another
 * cause.
 */
static void test_isr_counts(void **state)
{
	struct rig r;

	(void)state;
	run_arm1176(&r);
	assert_int_equal(pmk_target_isr(&r.target, 0), 0);
	pmk_bus_add(r.bus, PMK_SIG_INSN, UINT64_C(1) << 32);
	assert_int_equal(pmk_target_isr(&r.target, 0), 1);
	assert_int_equal(pmk_target_isr(&r.target, 0), 0);
	for (unsigned i = 0; i < 3; i++) {
		static const uint8_t signals[] = { PMK_SIG_CYCLE, PMK_SIG_INSN, PMK_SIG_L1D_MISS };

		pmk_bus_add(r.bus, signals[i], UINT64_C(1) << 32);
	}
	assert_int_equal(pmk_target_isr(&r.target, 0), 3);
	assert_int_equal(total(&r, 1), UINT64_C(1) << 33);
	assert_int_equal(total(&r, 0), UINT64_C(1) << 32);
	teardown(&r);
}

/*
 * Each target is independent. Event 0x03 of the Cortex-A53 is a data cache miss, which on the
 * ARM1176 is 0x0b.
 */
static void test_two_targets(void **state)
{
	struct rig a, b;

	(void)state;
	run_arm1176(&a);
	setup(&b, &pmk_cortex_a53);
	OK(pmk_target_open(&b.target, &pmk_cortex_a53, b.port));
	assert_int_equal(pmk_target_add(&b.target, 0x03), 0);
	OK(pmk_target_start(&b.target));
	pmk_bus_add(a.bus, PMK_SIG_L1D_MISS, 5);
	pmk_bus_add(b.bus, PMK_SIG_L1D_MISS, 9);
	assert_int_equal(total(&a, 2), 5);
	assert_int_equal(total(&b, 0), 9);
	teardown(&a);
	teardown(&b);
}

/* While one user's target counts, another user gets PMK_EBUSY, except from pmk_target_seize(). */
static void test_two_owners(void **state)
{
	struct pmk_target other = { .state = PMK_TARGET_CLOSED };
	uint64_t value;
	struct rig r;

	(void)state;
	run_arm1176(&r);
	assert_int_equal(pmk_target_open(&other, &pmk_arm1176, r.port), PMK_EBUSY);
	assert_int_equal(pmk_target_add(&other, 0x07), PMK_EINVAL);
	OK(pmk_target_stop(&r.target));
	OK(pmk_target_open(&other, &pmk_arm1176, r.port));
	assert_int_equal(pmk_target_add(&other, 0x07), 0);
	OK(pmk_target_start(&r.target));
	assert_int_equal(pmk_target_start(&other), PMK_EBUSY);
	OK(pmk_target_seize(&other, &pmk_arm1176, r.port));
	assert_int_equal(peek(&r, 0) & 1, 0);
	assert_int_equal(pmk_target_add(&other, 0x0b), 0);
	OK(pmk_target_start(&other));
	OK(pmk_target_read(&other, 0, &value));
	teardown(&r);
}

/* ---- a port that fails ------------------------------------------------------------------- */

/* An operation that returns an enum pmk_error or a count. */
typedef int operation(struct rig *r);

static int do_open(struct rig *r)
{
	return pmk_target_open(&r->target, &pmk_arm1176, r->port);
}

/*
 * Calls pmk_target_seize() and not pmk_target_open(). If reset() failed while the PMU ran, the next
 * open would return PMK_EBUSY.
 */
static int do_seize(struct rig *r)
{
	return pmk_target_seize(&r->target, &pmk_arm1176, r->port);
}

static int do_add(struct rig *r)
{
	int index = pmk_target_add(&r->target, 0x0b);

	return index < 0 ? index : 0;
}

static int do_interrupts(struct rig *r)
{
	return pmk_target_interrupts(&r->target, true);
}

static int do_sample(struct rig *r)
{
	return pmk_target_sample(&r->target, 0, 1000, &r->ring);
}

static int do_start(struct rig *r)
{
	return pmk_target_start(&r->target);
}

static int do_read(struct rig *r)
{
	uint64_t totals[PMK_TARGET_EVENTS];

	return pmk_target_read_all(&r->target, totals);
}

static int do_region(struct rig *r)
{
	int err = pmk_region_begin(&r->target, 0);

	return err ? err : pmk_region_end(&r->target, 0);
}

static int do_switch(struct rig *r)
{
	int err = pmk_target_switch_out(&r->target);

	return err ? err : pmk_target_switch_in(&r->target, NULL);
}

static int do_poll(struct rig *r)
{
	int served = pmk_target_isr(&r->target, 0);

	return served < 0 ? served : 0;
}

static int do_stop(struct rig *r)
{
	return pmk_target_stop(&r->target);
}

static int do_close(struct rig *r)
{
	return pmk_target_close(&r->target);
}

/*
 * Lets each access of the operation fail once. The operation returns the error, and another call
 * then succeeds.
 */
static void fail_everywhere(struct rig *r, operation *op, operation *undo)
{
	for (unsigned k = 0;; k++) {
		int err;

		r->accesses = 0;
		r->fail_at = k;
		err = op(r);
		r->fail_at = NEVER;
		if (r->accesses <= k) {
			OK(err);
			assert_true(k > 0);
			return;
		}
		assert_int_equal(err, PMK_EIO);
		OK(op(r));
		if (undo)
			OK(undo(r));
	}
}

static void test_failing_port(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(do_open(&r));
	fail_everywhere(&r, do_seize, NULL);
	fail_everywhere(&r, do_add, do_open);
	fail_everywhere(&r, do_interrupts, NULL);
	fail_everywhere(&r, do_sample, NULL);
	OK(pmk_target_regions(&r.target, r.regions, 3));
	teardown(&r);

	run_arm1176(&r);
	fail_everywhere(&r, do_read, NULL);
	fail_everywhere(&r, do_region, NULL);
	fail_everywhere(&r, do_switch, NULL);
	fail_everywhere(&r, do_stop, do_start);
	fail_everywhere(&r, do_start, do_stop);
	assert_int_equal(r.target.main.depth, 0);
	fail_everywhere(&r, do_close, do_open);
	teardown(&r);
}

/* Checks the misses of a region, and how many executions could not be measured. */
static void assert_region(struct rig *r, unsigned id, uint32_t count, uint32_t errors,
			  uint64_t misses)
{
	assert_int_equal(r->regions[id].count, count);
	assert_int_equal(r->regions[id].errors, errors);
	assert_int_equal(r->regions[id].raw[2], misses);
}

/*
 * An END that cannot read the counters closes its region, so regions around it and after it are
 * still measured. The test lets more ENDs fail than the number of regions that may be open.
 */
static void test_failing_end(void **state)
{
	struct rig r;

	(void)state;
	run_arm1176(&r);
	for (unsigned i = 1; i <= 20; i++) {
		OK(pmk_region_begin(&r.target, 0));
		pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 1);
		OK(pmk_region_begin(&r.target, 1));
		pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 10);
		r.accesses = r.fail_at = 0;
		assert_int_equal(pmk_region_end(&r.target, 1), PMK_EIO);
		assert_int_equal(pmk_target_innermost(&r.target), 0);
		assert_int_equal(pmk_region_end(&r.target, 0), 0);
		assert_region(&r, 0, i, 0, 11 * i);
		assert_region(&r, 1, 0, i, 0);
	}
	/* Regions that began inside it and did not end are dropped as usual. */
	OK(pmk_region_begin(&r.target, 1));
	OK(pmk_region_begin(&r.target, 2));
	r.accesses = r.fail_at = 0;
	assert_int_equal(pmk_region_end(&r.target, 1), PMK_EIO);
	assert_region(&r, 1, 0, 21, 0);
	assert_region(&r, 2, 0, 1, 0);
	assert_int_equal(r.target.main.depth, 0);
	/* Ending a region that is not open is an error, whether the counters can be read or not. */
	r.accesses = r.fail_at = 0;
	assert_int_equal(pmk_region_end(&r.target, 2), PMK_EINVAL);
	assert_region(&r, 2, 0, 2, 0);
	/* The failed BEGIN has not opened a region. */
	r.accesses = r.fail_at = 0;
	assert_int_equal(pmk_region_begin(&r.target, 2), PMK_EIO);
	assert_int_equal(r.target.main.depth, 0);
	assert_region(&r, 2, 0, 2, 0);
	OK(pmk_region_begin(&r.target, 2));
	pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 7);
	OK(pmk_region_end(&r.target, 2));
	assert_region(&r, 2, 1, 2, 7);
	teardown(&r);
}

/* A region that is nested too deeply is closed, too, whether the counters can be read or not. */
static void test_failing_end_too_deep(void **state)
{
	struct rig r;

	(void)state;
	run_arm1176(&r);
	for (unsigned i = 0; i < 8; i++)
		OK(pmk_region_begin(&r.target, 0));
	assert_int_equal(pmk_region_begin(&r.target, 1), PMK_ERANGE);
	r.accesses = r.fail_at = 0;
	assert_int_equal(pmk_region_end(&r.target, 1), PMK_ERANGE);
	for (unsigned i = 0; i < 8; i++)
		OK(pmk_region_end(&r.target, 0));
	assert_region(&r, 0, 8, 0, 0);
	assert_region(&r, 1, 0, 1, 0);
	teardown(&r);
}

static void assert_task(struct rig *r, const struct pmk_task *task, uint64_t misses)
{
	uint64_t counts[PMK_TARGET_EVENTS];

	OK(pmk_target_task_read(&r->target, task, counts));
	assert_int_equal(counts[2], misses);
}

/*
 * If a task starts while the counters cannot be read, it counts from the next reading on, and
 * counts no events of other tasks.
 */
static void test_failing_switch_in(void **state)
{
	struct pmk_task task = { .depth = 0 };
	struct rig r;

	(void)state;
	run_arm1176(&r);
	for (unsigned i = 1; i <= 3; i++) {
		pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 1000);
		OK(pmk_target_switch_out(&r.target));
		r.accesses = r.fail_at = 0;
		assert_int_equal(pmk_target_switch_in(&r.target, &task), PMK_EIO);
		pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 100);
		/*
		 * The next reading is in pmk_target_task_read(), in BEGIN of a region, or in
		 * pmk_target_switch_out().
		 */
		if (i == 1)
			assert_task(&r, &task, 0);
		if (i == 2)
			OK(pmk_region_begin(&r.target, 0));
		if (i != 3)
			pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 7);
		if (i == 2)
			OK(pmk_region_end(&r.target, 0));
		OK(pmk_target_switch_out(&r.target));
		OK(pmk_target_switch_in(&r.target, NULL));
		assert_task(&r, &task, i == 1 ? 7 : 14);
		assert_task(&r, NULL, 1000 * i);
	}
	assert_region(&r, 0, 1, 0, 7);
	/* Alternatively, the failed call is made again. */
	r.accesses = r.fail_at = 0;
	assert_int_equal(pmk_target_switch_in(&r.target, &task), PMK_EIO);
	pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 100);
	OK(pmk_target_switch_in(&r.target, &task));
	pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 6);
	assert_task(&r, &task, 20);
	teardown(&r);
}

static int close_and_prepare(struct rig *r)
{
	OK(pmk_target_close(&r->target));
	OK(do_open(r));
	OK(do_add(r));
	OK(pmk_target_regions(&r->target, r->regions, 3));
	return 0;
}

/* The first start makes the most accesses. If one of them fails, the start can be repeated. */
static void test_failing_first_start(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(do_open(&r));
	OK(do_add(&r));
	OK(pmk_target_regions(&r.target, r.regions, 3));
	fail_everywhere(&r, do_start, close_and_prepare);
	assert_int_equal(r.target.main.depth, 0);
	assert_ptr_equal(r.target.region, r.regions);
	assert_int_equal(total(&r, 0), 0);
	pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 5);
	assert_int_equal(total(&r, 0), 5);
	teardown(&r);
}

/*
 * If the interrupt handler fails half-way, nothing is lost. Totals are right before the failed
 * call, after it, and after the next call.
 */
static void test_failing_server(void **state)
{
	static const bool stopped[] = { false, true };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(stopped); i++) {
		uint64_t truth = 0;

		run_arm1176(&r);
		for (unsigned k = 0;; k++) {
			unsigned accesses;
			int err;

			pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, UINT64_C(1) << 32);
			truth += UINT64_C(1) << 32;
			if (stopped[i])
				OK(pmk_target_stop(&r.target));
			r.accesses = 0;
			r.fail_at = k;
			err = do_poll(&r);
			r.fail_at = NEVER;
			accesses = r.accesses;
			assert_int_equal(total(&r, 2), truth);
			if (accesses <= k)
				break;
			assert_int_equal(err, PMK_EIO);
			OK(do_poll(&r));
			assert_int_equal(total(&r, 2), truth);
			if (stopped[i])
				OK(pmk_target_start(&r.target));
			OK(do_poll(&r));
			/* E may still be set, in which case start() does not wait. */
			rig_settle(&r, 3);
		}
		teardown(&r);
	}
}

/* ---- why nothing is counted -------------------------------------------------------------- */

static int first_start(struct rig *r, unsigned code)
{
	int err;

	OK(pmk_target_open(&r->target, r->to_model.ops->pmu, r->port));
	assert_int_equal(pmk_target_add(&r->target, code), 0);
	err = pmk_target_start(&r->target);
	if (err) { /* counting is off, and the start can be repeated */
		assert_int_equal(peek(r, 0) & 1, 0);
		assert_int_equal(r->target.state, PMK_TARGET_OPEN);
		assert_int_equal(pmk_target_start(&r->target), err);
	}
	OK(pmk_target_close(&r->target));
	return err;
}

static void a53_input(struct rig *r, enum pmk_armv8_input input, uint64_t value)
{
	pmk_armv8_model_input(r->to_model.model, r->bus, input, value);
}

/*
 * The first start counts cycles, instructions, or an event whose count may be 0. For such an event,
 * the library counts cycles to see whether the PMU counts at all.
 */
static void test_why_filter(void **state)
{
	static const uint16_t codes[] = { 0x11, 0x08, 0x03 };
	uint64_t value;
	struct rig r;

	(void)state;
	setup_live(&r, &pmk_cortex_a53);
	for (size_t i = 0; i < COUNT(codes); i++) {
		a53_input(&r, PMK_ARMV8_IN_EL, 1);
		OK(first_start(&r, codes[i]));
		a53_input(&r, PMK_ARMV8_IN_EL, 2); /* NSH = 0: not counted (DDI 0487 D13.3) */
		assert_int_equal(first_start(&r, codes[i]), PMK_EFILTER);
	}
	/* With a filter that includes EL2, the start succeeds. */
	OK(pmk_target_open(&r.target, &pmk_cortex_a53, r.port));
	pmk_armv8_set_filter(&r.target.dev, PMK_ARMV8_EL0_EL1_EL2);
	assert_int_equal(pmk_target_add(&r.target, 0x03), 0);
	OK(pmk_target_start(&r.target));
	/* The counter of the check is off again: only event 0 is enabled, and no flag remains. */
	assert_int_equal(peek(&r, PMK_ARMV8_PMCNTENSET), 1);
	assert_int_equal(peek(&r, PMK_ARMV8_PMCCNTR), 0);
	OK(pmk_target_read(&r.target, 0, &value));
	assert_int_equal(value, 0);
	teardown(&r);
}

/*
 * In Secure state with MDCR_EL3.SPME = 0, event counters stop, and PMCCNTR continues (DDI 0487
 * D13.4).
 */
static void test_why_forbidden(void **state)
{
	struct rig r;

	(void)state;
	setup_live(&r, &pmk_cortex_a53);
	a53_input(&r, PMK_ARMV8_IN_SECURE, 1);
	assert_int_equal(first_start(&r, 0x08), PMK_EFORBID);
	OK(first_start(&r, 0x11));
	a53_input(&r, PMK_ARMV8_IN_MDCR_EL3, UINT64_C(1) << 17);
	OK(first_start(&r, 0x08));
	teardown(&r);

	/*
	 * On an ARM1176 with NIDEN low, PMN0 and PMN1 stop, and CCNT continues (DDI 0301H 3.1.8).
	 */
	setup_live(&r, &pmk_arm1176);
	pmk_arm11_model_input(r.to_model.model, r.bus, PMK_ARM11_IN_NIDEN, false);
	assert_int_equal(first_start(&r, 0x07), PMK_EFORBID);
	OK(first_start(&r, 0xff));
	/* In Debug state no counter counts, and no register shows the reason. */
	pmk_arm11_model_input(r.to_model.model, r.bus, PMK_ARM11_IN_NIDEN, true);
	pmk_arm11_model_input(r.to_model.model, r.bus, PMK_ARM11_IN_DEBUG, true);
	assert_int_equal(first_start(&r, 0x07), PMK_ESTILL);
	assert_int_equal(first_start(&r, 0xff), PMK_ESTILL);
	assert_int_equal(first_start(&r, 0x0b), PMK_ESTILL);
	teardown(&r);
}

/*
 * If E is lost once, other code cleared it. If E is never kept, there is no PMU, as on QEMU's
 * ARM1176.
 */
static void test_why_switched_off(void **state)
{
	static const struct {
		const struct pmk_pmu *pmu;
		uint16_t code;
		unsigned writes; /* writes of reset() and start() that set E */
	} rows[] = {
		{ &pmk_arm1176, 0x07, 2 },
		{ &pmk_cortex_a53, 0x08, 1 },
		{ &pmk_cortex_a53, 0x03, 1 },
	};
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setup_live(&r, rows[i].pmu);
		OK(pmk_target_open(&r.target, rows[i].pmu, r.port));
		assert_int_equal(pmk_target_add(&r.target, rows[i].code), 0);
		r.lose_enable = rows[i].writes;
		assert_int_equal(pmk_target_start(&r.target), PMK_EOFF);
		r.lose_enable = UINT32_MAX;
		assert_int_equal(pmk_target_start(&r.target), PMK_ENOPMU);
		r.lose_enable = 0;
		OK(pmk_target_start(&r.target));
		teardown(&r);
	}
}

/*
 * PMUVer 0 means no PMU, and 15 means a PMU of another kind. The library then reads only
 * ID_AA64DFR0.
 */
static void test_why_no_pmu(void **state)
{
	static const uint8_t versions[] = { 0, 15 };
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(versions); i++) {
		struct pmk_armv8_params params = pmk_armv8_defaults(&pmk_cortex_a53);

		setup_live(&r, &pmk_cortex_a53);
		params.version = versions[i];
		pmk_armv8_model_reset(r.to_model.model, &pmk_cortex_a53, &params, r.bus);
		memset(&r.target, 0xee, sizeof(r.target));
		assert_int_equal(pmk_target_open(&r.target, &pmk_cortex_a53, r.port), PMK_ENOPMU);
		assert_int_equal(pmk_target_seize(&r.target, &pmk_cortex_a53, r.port), PMK_ENOPMU);
		assert_int_equal(r.target.state, 0xee);
		assert_int_equal(r.accesses, 2);
		teardown(&r);
	}
}

/* If no time passes on a port by itself, as on a model, the library calls settle(). */
static void test_time_that_stands_still(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_cortex_a53);
	OK(first_start(&r, 0x08));
	OK(first_start(&r, 0x11));
	r.port.settle = NULL;
	assert_int_equal(first_start(&r, 0x11), PMK_ESTILL);
	assert_int_equal(first_start(&r, 0x08), PMK_ESTILL);
	teardown(&r);
}

/* ---- regions and their names ------------------------------------------------------------- */

static void test_names(void **state)
{
	char irq[] = "irq";
	struct rig r;

	(void)state;
	run_arm1176(&r);
	assert_int_equal(pmk_region_find(&r.target, "fft"), 0);
	assert_int_equal(pmk_region_find(&r.target, irq), 1);
	assert_ptr_equal(r.regions[1].name, irq);
	assert_int_equal(pmk_region_find(&r.target, "irq"), 1);
	assert_int_equal(pmk_region_find(&r.target, "ir"), 2);
	assert_int_equal(pmk_region_find(&r.target, "irq2"), PMK_ERANGE);
	assert_int_equal(pmk_region_find(&r.target, ""), PMK_ERANGE);
	assert_int_equal(pmk_region_find(&r.target, "fft"), 0);
	assert_int_equal(pmk_region_reset(&r.target, 3), PMK_EINVAL);
	teardown(&r);
}

/*
 * In the calibration, misses happen to fall into the empty region and not into the nested regions,
 * so the empty region counts more. Then the cost of nesting is 0, and not 2^64 - 2.
 */
static void test_cost_above_what_was_measured(void **state)
{
	/*
	 * Misses before each reading of one calibration, which measures an empty region and a
	 * region in a region.
	 */
	static const uint8_t misses[6] = { 0, 1, 0, 0, 0, 0 }, none[6];
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	r.misses = misses;
	r.miss_reg = PMK_ARM11_PMN0;
	OK(pmk_target_open(&r.target, &pmk_arm1176, r.port));
	assert_int_equal(pmk_target_add(&r.target, 0x0b), 0);
	OK(pmk_target_regions(&r.target, r.regions, 3));
	OK(pmk_target_start(&r.target));
	assert_int_equal(r.target.cost[0], 1);
	assert_int_equal(r.target.nest[0], 0);
	/*
	 * There are 10 misses around 3 inner regions. The region's own cost is subtracted, and
	 * nothing for the inner regions.
	 */
	r.misses = none;
	OK(pmk_region_begin(&r.target, 0));
	for (unsigned i = 0; i < 3; i++) {
		OK(pmk_region_begin(&r.target, 1));
		OK(pmk_region_end(&r.target, 1));
	}
	pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, 10);
	OK(pmk_region_end(&r.target, 0));
	assert_int_equal(r.regions[0].raw[0], 10);
	assert_int_equal(r.regions[0].net[0].sum, 9);
	/* A region that counted less than its own cost has a net count of 0. */
	assert_int_equal(r.regions[1].count, 3);
	assert_int_equal(r.regions[1].net[0].sum, 0);
	assert_int_equal(r.regions[1].net[0].max, 0);
	teardown(&r);
}

/* ---- the report -------------------------------------------------------------------------- */

static char text[4096];
static size_t length;

static void put(char c)
{
	assert_true(length < sizeof(text) - 1);
	text[length++] = c;
	text[length] = '\0';
}

static void test_report(void **state)
{
	static const uint64_t misses[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	static const char want[] =
		"pmk: arm1176, 3 events\n"
		"           total    own cost      nested  event\n"
		"         5000000           0           0  cpu_cycles\n"
		"         3000000           0           0  instr_exec\n"
		"              40           0           0  dcache_miss\n"
		"region fft: 8 times, 1 not measured\n"
		"       net total       raw total        mean      stddev         min         max "
		" event\n"
		"               0               0        0.00        0.00           0           0 "
		" cpu_cycles\n"
		"               0               0        0.00        0.00           0           0 "
		" instr_exec\n"
		"              40              40        5.00        2.14           2           9 "
		" dcache_miss\n"
		"region 2: 0 times, 1 not measured\n";
	struct rig r;

	(void)state;
	run_arm1176(&r);
	for (size_t i = 0; i < COUNT(misses); i++) {
		OK(pmk_region_begin(&r.target, 0));
		pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, misses[i]);
		OK(pmk_region_end(&r.target, 0));
	}
	assert_int_equal(pmk_region_end(&r.target, 0), PMK_EINVAL);
	assert_int_equal(pmk_region_end(&r.target, 2), PMK_EINVAL);
	pmk_bus_add(r.bus, PMK_SIG_CYCLE, 5000000);
	pmk_bus_add(r.bus, PMK_SIG_INSN, 3000000);
	length = 0;
	OK(pmk_target_report(&r.target, put));
	assert_string_equal(text, want);
	teardown(&r);
}

/* The report shows sums of fast regions under the counters that they read: CCNT, PMN0, PMN1. */
static void test_report_of_fast_regions(void **state)
{
	static const char want[] =
		"fast region spin: 4000 times\n"
		"       raw total        mean         min         max  event\n"
		"     42949672961 10737418.24           2  4294967295  cpu_cycles\n"
		"            7000        1.75           -           -  dcache_miss\n"
		"fast region 2: 1 time\n"
		"       raw total        mean         min         max  event\n"
		"               5        5.00           5           5  cpu_cycles\n"
		"               0        0.00           -           -  dcache_miss\n";
	struct pmk_fast_region fast[3] = { { .name = "spin", .count = 77, .max = 9 } };
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	assert_int_equal(pmk_target_fast_regions(&r.target, fast, 3), PMK_EINVAL); /* not open */
	OK(pmk_target_open(&r.target, &pmk_arm1176, r.port));
	assert_int_equal(pmk_target_add(&r.target, 0xff), 0);
	assert_int_equal(pmk_target_add(&r.target, 0x0b), 1);
	assert_int_equal(pmk_target_fast_regions(&r.target, NULL, 3), PMK_EINVAL);
	assert_int_equal(pmk_target_fast_regions(&r.target, fast, 0), PMK_EINVAL);
	OK(pmk_target_fast_regions(&r.target, fast, 3));
	assert_int_equal(fast[0].count, 0); /* only the name is kept */
	assert_int_equal(fast[0].min, UINT32_MAX);
	assert_int_equal(fast[0].max, 0);
	OK(pmk_target_start(&r.target));
	fast[0].count = 4000;
	fast[0].sum[0] = UINT64_C(42949672961);
	fast[0].sum[1] = 7000;
	fast[0].sum[2] = 99; /* no requested event uses PMN1 */
	fast[0].min = 2;
	fast[0].max = UINT32_MAX;
	fast[2].count = 1;
	fast[2].sum[0] = fast[2].min = fast[2].max = 5;
	length = 0;
	OK(pmk_target_report(&r.target, put));
	assert_string_equal(strstr(text, "fast region"), want);
	teardown(&r);
}

static void test_report_of_samples(void **state)
{
	struct pmk_sample s;
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(pmk_target_open(&r.target, &pmk_arm1176, r.port));
	assert_int_equal(pmk_target_add(&r.target, 0x0b), 0);
	OK(pmk_target_sample(&r.target, 0, 1000, &r.ring));
	assert_int_equal(pmk_target_report(&r.target, put), PMK_EINVAL); /* not started */
	OK(pmk_target_start(&r.target));
	for (unsigned i = 0; i < 10; i++) {
		pmk_bus_add(r.bus, PMK_SIG_L1D_MISS, i == 3 ? 2000 : 1000);
		assert_int_equal(pmk_target_isr(&r.target, 0x8000 + i), 1);
	}
	length = 0;
	OK(pmk_target_report(&r.target, put));
	assert_non_null(strstr(text, "pmk: arm1176, 1 event\n"));
	assert_non_null(strstr(text, "\nsamples: 8 in the ring, 2 dropped\n"));
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(pmk_ring_take(&r.ring, &s), 1);
		assert_int_equal(s.pc, 0x8000 + i);
		assert_int_equal(s.region, 0xffff);
		assert_int_equal(s.event, 0);
		assert_int_equal(s.late, i == 3);
	}
	assert_int_equal(pmk_ring_take(&r.ring, &s), 0);
	assert_int_equal(total(&r, 0), 11000);
	teardown(&r);
}

/* ---- a PMU whose registers must be accessed in sequences --------------------------------- */

static unsigned locked, locks, unlocked_accesses;

static uintptr_t lock_it(void)
{
	uintptr_t before = locked;

	locked = 1;
	locks++;
	return before;
}

static void unlock_it(uintptr_t before)
{
	locked = (unsigned)before;
}

static int watched_read(void *ctx, unsigned reg, uint64_t *value)
{
	unlocked_accesses += !locked;
	return rig_read(ctx, reg, value);
}

static int watched_write(void *ctx, unsigned reg, uint64_t value)
{
	unlocked_accesses += !locked;
	return rig_write(ctx, reg, value);
}

/*
 * The PMU has five event counters and one latency counter. From start to close, every access holds
 * the lock.
 */
static void test_sequential(void **state)
{
	uint64_t totals[PMK_TARGET_EVENTS];
	struct pmk_latency l;
	struct rig r;

	(void)state;
	setup(&r, &pmk_microblaze);
	r.port.read = watched_read;
	r.port.write = watched_write;
	locked = locks = 0;
	OK(pmk_target_open(&r.target, &pmk_microblaze, r.port));
	assert_int_equal(pmk_target_add(&r.target, 30), 0); /* clock cycles */
	assert_int_equal(pmk_target_add(&r.target, 60), 1); /* instruction cache latency */
	assert_int_equal(pmk_target_add(&r.target, 0), 2);  /* instructions */
	assert_int_equal(pmk_target_add(&r.target, 58), PMK_ENOCTR);
	OK(pmk_target_locks(&r.target, lock_it, unlock_it));
	assert_int_equal(pmk_target_latency(&r.target, 1, &l), PMK_EINVAL); /* not started */
	assert_int_equal(pmk_target_interrupts(&r.target, true), PMK_ENOTSUP);
	unlocked_accesses = 0;
	OK(pmk_target_start(&r.target));

	/* There are three fetches, one of which takes 30 cycles and begins at cycle 100. */
	pmk_bus_add(r.bus, PMK_SIG_CYCLE, 500);
	pmk_bus_add(r.bus, PMK_SIG_INSN, 7);
	pmk_bus_add(r.bus, PMK_SIG_L1I_ACCESS, 3);
	pmk_bus_record(r.bus, PMK_SIG_L1I_ACCESS, 100, 30);
	OK(pmk_target_read_all(&r.target, totals));
	assert_true(totals[0] == 500 && totals[1] == 3 && totals[2] == 7);
	assert_int_equal(pmk_target_latency(&r.target, 1, &l), 0); /* neither overflow nor full */
	assert_true(l.n == 3 && l.sum == 32 && l.sum2 == 902 && l.min == 1 && l.max == 30);
	assert_int_equal(pmk_target_latency(&r.target, 0, &l), PMK_ENOTSUP);
	assert_int_equal(pmk_target_latency(&r.target, 3, &l), PMK_EINVAL);
	assert_int_equal(pmk_target_latency(&r.target, 1, NULL), PMK_EINVAL);

	/* The counter wraps twice at 2^32, with polls in between, and nothing is lost. */
	for (unsigned i = 0; i < 4; i++) {
		pmk_bus_add(r.bus, PMK_SIG_CYCLE, UINT64_C(0x80000000));
		r.to_model.ops->sync(r.to_model.model, r.bus);
		OK(pmk_target_poll(&r.target));
	}
	OK(pmk_target_read_all(&r.target, totals));
	assert_true(totals[0] == UINT64_C(0x200000000) + 500);
	OK(pmk_target_stop(&r.target));
	OK(pmk_target_start(&r.target));
	OK(pmk_target_close(&r.target));
	assert_int_equal(unlocked_accesses, 0);
	assert_true(locks > 0 && !locked);
	teardown(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null_arguments),
		cmocka_unit_test(test_sample_arguments),
		cmocka_unit_test(test_locks_come_in_pairs),
		cmocka_unit_test(test_no_access),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_isr_counts),
		cmocka_unit_test(test_two_targets),
		cmocka_unit_test(test_two_owners),
		cmocka_unit_test(test_failing_port),
		cmocka_unit_test(test_failing_end),
		cmocka_unit_test(test_failing_end_too_deep),
		cmocka_unit_test(test_failing_switch_in),
		cmocka_unit_test(test_failing_first_start),
		cmocka_unit_test(test_failing_server),
		cmocka_unit_test(test_why_filter),
		cmocka_unit_test(test_why_forbidden),
		cmocka_unit_test(test_why_switched_off),
		cmocka_unit_test(test_why_no_pmu),
		cmocka_unit_test(test_time_that_stands_still),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_cost_above_what_was_measured),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_report_of_samples),
		cmocka_unit_test(test_report_of_fast_regions),
		cmocka_unit_test(test_sequential),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
