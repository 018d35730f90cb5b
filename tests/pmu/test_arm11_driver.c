// SPDX-License-Identifier: MIT
/*
 * The ARM11 driver on a port to the model that records accesses, delays them, lets them fail, and
 * raises events before them.
 *
 * Numbers are literal: registers 0 PMNC, 1 CCNT, 2 PMN0, 3 PMN1; counters 0 CCNT, 1 PMN0, 2 PMN1.
 * The words of PMNC are those of DAI 0195B Table 1, which <pmk/arm11.h> shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/arm11.h>
#include <pmk/arm11_model.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct pmk_pmu *const cores[] = {
	&pmk_arm1136_r0, &pmk_arm1136, &pmk_arm1156, &pmk_arm1176, &pmk_arm11mpcore,
};

/* ---- the rig: driver, port, model, bus ----------------------------------------------------- */

struct access {
	char what; /* 'R', 'W', or 'S' for settle */
	unsigned reg;
	uint32_t value;
};

struct rig {
	struct pmk_dev dev;
	struct pmk_bus bus;
	struct pmk_arm11_model model;
	struct pmk_model_port to_model;
	struct pmk_port inner;

	struct access log[64];
	unsigned n;		    /* accesses since forget_log() */
	unsigned cycles_per_access; /* cycles that an access takes on silicon */
	uint32_t junk;		    /* ORed into reads of PMNC */
	int fail_at;		    /* this access fails with PMK_EIO; -1: none fails */
	bool fail_late;		    /* if a write fails, it has still reached its register */
	int inject_at;		    /* everything_happens() before this access; -1: never */
	bool injected;
	uint32_t flags_then; /* CCR, CR1, CR0 in bits 2 to 0, after everything_happens() */
};

/*
 * Raises each signal of the events that the tests select. Each occurs once, in one cycle, so a
 * counter at 0xffffffff overflows.
 */
static void everything_happens(struct rig *r)
{
	pmk_bus_add(&r->bus, PMK_SIG_BRANCH, 1);
	pmk_bus_add(&r->bus, PMK_SIG_DATA_STALL, 1);
	pmk_bus_add(&r->bus, PMK_SIG_CYCLE, 1);
	r->to_model.ops->sync(&r->model, &r->bus);
}

static int before_access(struct rig *r)
{
	int index = (int)r->n;

	assert_true(r->n < COUNT(r->log));
	if (r->inject_at == index) {
		everything_happens(r);
		r->injected = true;
		r->flags_then = r->model.pmnc >> 8 & 7;
	}
	pmk_bus_add(&r->bus, PMK_SIG_CYCLE, r->cycles_per_access);
	if (r->cycles_per_access)
		pmk_bus_add(&r->bus, PMK_SIG_BRANCH, 1);
	return r->fail_at == index ? PMK_EIO : 0;
}

static int rig_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;
	int err = before_access(r);

	r->log[r->n++] = (struct access){ 'R', reg, 0 };
	if (!err)
		err = r->inner.read(r->inner.ctx, reg, value);
	if (!err && reg == 0)
		*value |= r->junk;
	return err;
}

static int rig_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;
	int err = before_access(r);

	assert_true(value <= 0xffffffff);
	r->log[r->n++] = (struct access){ 'W', reg, (uint32_t)value };
	if (err && !r->fail_late)
		return err;
	return r->inner.write(r->inner.ctx, reg, value) ? PMK_EUNDEF : err;
}

static void rig_settle(void *ctx, unsigned cycles)
{
	struct rig *r = ctx;

	assert_true(r->n < COUNT(r->log));
	r->log[r->n++] = (struct access){ 'S', 0, cycles };
	r->inner.settle(r->inner.ctx, cycles);
}

static void forget_log(struct rig *r)
{
	r->n = 0;
	r->fail_at = r->inject_at = -1;
	r->injected = false;
}

static void setup(struct rig *r, const struct pmk_pmu *pmu)
{
	memset(r, 0, sizeof(*r));
	pmk_bus_init(&r->bus);
	r->to_model = (struct pmk_model_port){
		.ops = pmk_model_find(pmu),
		.model = &r->model,
		.bus = &r->bus,
		.mode = PMK_MODE_PRIV,
	};
	r->to_model.ops->reset(&r->model, &r->bus, r->to_model.ops->pmu);
	r->inner = pmk_port_model(&r->to_model);
	r->dev.pmu = pmu;
	r->dev.port = (struct pmk_port){ rig_read, rig_write, rig_settle, r };
	forget_log(r);
}

/* Reads a register without going through the driver. */
static uint32_t peek(struct rig *r, unsigned reg)
{
	uint64_t value;

	assert_int_equal(r->inner.read(r->inner.ctx, reg, &value), 0);
	return (uint32_t)value;
}

static void poke(struct rig *r, unsigned reg, uint32_t value)
{
	assert_int_equal(r->inner.write(r->inner.ctx, reg, value), 0);
}

static unsigned lines(struct rig *r)
{
	r->to_model.ops->sync(&r->model, &r->bus);
	return r->to_model.ops->lines(&r->model);
}

/* Compares the log of register accesses with a text such as "R0 W0=00b0b701 S3". */
static void check_log(struct rig *r, const char *expected)
{
	char text[1024];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < r->n; i++) {
		const struct access *a = &r->log[i];

		if (a->what == 'R')
			len += (size_t)snprintf(text + len, sizeof(text) - len, " R%u", a->reg);
		else if (a->what == 'W')
			len += (size_t)snprintf(text + len, sizeof(text) - len, " W%u=%08x", a->reg,
						a->value);
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, " S%u", a->value);
		assert_true(len < sizeof(text));
	}
	assert_string_equal(r->n ? text + 1 : text, expected);
	forget_log(r);
}

#define OK(call) assert_int_equal(call, 0)

/* Acts as an interrupt handler: finds the counters that have overflowed, and clears only their
 * flags. */
static int irq_handle(struct pmk_dev *d, uint32_t *counters)
{
	int err = d->pmu->driver->pending(d, counters);

	if (!err && *counters)
		err = d->pmu->driver->clear(d, *counters);
	return err;
}

/* ---- golden sequences ---------------------------------------------------------------------- */

/* Checks the accesses of each step on an ARM1176, with event 0x0b on PMN0 and 0x07 on PMN1. */
static void test_sequences(void **state)
{
	const struct pmk_driver *drv = pmk_arm1176.driver;
	struct rig r;
	uint32_t mask;
	uint64_t value;
	bool running;

	(void)state;
	setup(&r, &pmk_arm1176);

	/*
	 * The counters get event 0x20. The first write clears flags with C, P and E set, the second
	 * one clears E.
	 */
	OK(drv->reset(&r.dev));
	check_log(&r, "R0 W0=02020707 W0=02020006");
	OK(drv->program(&r.dev, 1, 0x0b));
	check_log(&r, "R0 W0=00b20000");
	OK(drv->program(&r.dev, 2, 0x07));
	check_log(&r, "R0 W0=00b07000");
	OK(drv->program(&r.dev, 0, 0xff)); /* program() accesses nothing for CCNT */
	check_log(&r, "");
	OK(drv->irq_enable(&r.dev, 7));
	check_log(&r, "R0 W0=00b07070");
	OK(drv->irq_enable(&r.dev, 2));
	check_log(&r, "R0 W0=00b07010");
	OK(drv->irq_enable(&r.dev, 4));
	check_log(&r, "R0 W0=00b07020");
	OK(drv->irq_enable(&r.dev, 1));
	check_log(&r, "R0 W0=00b07040");
	OK(drv->write(&r.dev, 0, 0x12345678));
	OK(drv->write(&r.dev, 1, 0xfffffc18)); /* 2^32 - 1000 */
	OK(drv->write(&r.dev, 2, 0));
	check_log(&r, "W1=12345678 W2=fffffc18 W3=00000000");
	OK(drv->start(&r.dev));
	check_log(&r, "R0 W0=00b07041 S3");
	OK(drv->start(&r.dev)); /* the PMU is running */
	check_log(&r, "R0");
	OK(drv->read(&r.dev, 0, &value));
	OK(drv->read(&r.dev, 1, &value));
	assert_int_equal(value, 0xfffffc18);
	OK(drv->read(&r.dev, 2, &value));
	check_log(&r, "R1 R2 R3");
	OK(drv->running(&r.dev, &running));
	assert_true(running);
	check_log(&r, "R0");
	OK(drv->pending(&r.dev, &mask));
	assert_int_equal(mask, 0);
	check_log(&r, "R0");
	pmk_bus_add(&r.bus, PMK_SIG_L1D_MISS, 1000);
	OK(drv->pending(&r.dev, &mask));
	assert_int_equal(mask, 2);
	check_log(&r, "R0");
	OK(drv->clear(&r.dev, mask));
	check_log(&r, "R0 W0=00b07141");
	OK(drv->stop(&r.dev));
	check_log(&r, "R0 W0=00b07040");
	OK(drv->running(&r.dev, &running));
	assert_false(running);
	check_log(&r, "R0");
}

/*
 * If all three counters overflow, with event 0x0b on both event counters, the driver acknowledges
 * with one word, as the documents describe.
 */
static void test_acknowledge_word(void **state)
{
	const struct pmk_driver *drv = pmk_arm1176.driver;
	struct rig r;
	uint32_t mask;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 1, 0x0b));
	OK(drv->program(&r.dev, 2, 0x0b));
	for (unsigned i = 0; i < 3; i++)
		OK(drv->write(&r.dev, i, 0xffffffff));
	OK(drv->start(&r.dev));
	pmk_bus_add(&r.bus, PMK_SIG_L1D_MISS, 1);
	pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 1);
	forget_log(&r);
	OK(irq_handle(&r.dev, &mask));
	assert_int_equal(mask, 7);
	check_log(&r, "R0 R0 W0=00b0b701");
	OK(irq_handle(&r.dev, &mask));
	assert_int_equal(mask, 0);
}

/*
 * If the PMU is stopped, the driver clears a flag by one write with E set, during which the
 * counters are 0.
 */
static void test_acknowledge_stopped(void **state)
{
	const struct pmk_driver *drv = pmk_arm1176.driver;
	struct rig r;
	uint32_t mask;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 1, 0x05));
	OK(drv->write(&r.dev, 1, 0xffffffff));
	OK(drv->irq_enable(&r.dev, 2));
	OK(drv->start(&r.dev));
	pmk_bus_add(&r.bus, PMK_SIG_BRANCH, 6);
	pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 9);
	OK(drv->stop(&r.dev));
	assert_int_equal(lines(&r), 1);
	forget_log(&r);
	OK(irq_handle(&r.dev, &mask));
	assert_int_equal(mask, 2);
	check_log(&r, "R0 R0 R1 R2 R3 W1=00000000 W2=00000000 W3=00000000 W0=00520111 W0=00520010 "
		      "W1=00000009 W2=00000005 W3=00000000");
	assert_int_equal(lines(&r), 0);
	assert_int_equal(peek(&r, 0), 0x00520010);
}

/* Clearing one flag leaves the other flags set, and their interrupt raised. */
static void test_clear_one_of_many(void **state)
{
	/* counter 0 CCNT: bit 10, 1 PMN0: bit 8, 2 PMN1: bit 9 */
	static const uint32_t flag[3] = { 0x400, 0x100, 0x200 };

	(void)state;
	for (unsigned set = 0; set < 8; set++) {
		for (unsigned running = 0; running < 2; running++) {
			const struct pmk_driver *drv = pmk_arm1176.driver;
			uint32_t mask, left = 0x700;
			struct rig r;

			setup(&r, &pmk_arm1176);
			OK(drv->reset(&r.dev));
			OK(drv->program(&r.dev, 1, 0x05));
			OK(drv->program(&r.dev, 2, 0x02));
			for (unsigned i = 0; i < 3; i++)
				OK(drv->write(&r.dev, i, 0xffffffff));
			OK(drv->irq_enable(&r.dev, 7));
			OK(drv->start(&r.dev));
			everything_happens(&r);
			if (!running)
				OK(drv->stop(&r.dev));
			forget_log(&r);
			OK(drv->clear(&r.dev, set));
			if (!set) /* without a flag, clear() writes nothing */
				check_log(&r, "R0");
			for (unsigned i = 0; i < 3; i++)
				if (set >> i & 1)
					left &= ~flag[i];
			assert_int_equal(peek(&r, 0) & 0x700, left);
			assert_int_equal(lines(&r), left != 0);
			forget_log(&r);
			OK(drv->pending(&r.dev, &mask));
			assert_int_equal(mask, 7 & ~set);
		}
	}
}

/* Clearing a flag that is not set does not affect the other flags. */
static void test_clear_of_no_flag(void **state)
{
	const struct pmk_driver *drv = pmk_arm1176.driver;
	uint32_t mask;
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 1, 0x05));
	OK(drv->write(&r.dev, 1, 0xffffffff));
	OK(drv->start(&r.dev));
	pmk_bus_add(&r.bus, PMK_SIG_BRANCH, 3);
	forget_log(&r);
	OK(drv->clear(&r.dev, 5));
	check_log(&r, "R0 W0=00520601");
	OK(drv->pending(&r.dev, &mask));
	assert_int_equal(mask, 2);
	assert_int_equal(peek(&r, 2), 2);
}

/*
 * running() returns the value of E, even if other code has set it. If the port fails, running()
 * returns the error and stores false.
 */
static void test_running(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_driver *drv = cores[c]->driver;
		bool yes = true;
		struct rig r;

		setup(&r, cores[c]);
		OK(drv->running(&r.dev, &yes));
		assert_false(yes);
		poke(&r, 0, 0x00500001);
		OK(drv->running(&r.dev, &yes));
		assert_true(yes);
		poke(&r, 0, 0x00500000);
		OK(drv->running(&r.dev, &yes));
		assert_false(yes);
		poke(&r, 0, 0x00500001);
		forget_log(&r);
		r.fail_at = 0;
		assert_int_equal(drv->running(&r.dev, &yes), PMK_EIO);
		assert_false(yes);
		check_log(&r, "R0");
	}
}

static void test_other_cores(void **state)
{
	struct rig r;

	(void)state;
	/* The MPCore has no event that never counts, so reset() selects event 0. */
	setup(&r, &pmk_arm11mpcore);
	OK(r.dev.pmu->driver->reset(&r.dev));
	check_log(&r, "R0 W0=00000707 W0=00000006");

	setup(&r, &pmk_arm1156); /* reset() clears the FIQ enables, and other calls keep them */
	poke(&r, 0, 0x70000000);
	OK(r.dev.pmu->driver->program(&r.dev, 1, 0x05));
	check_log(&r, "R0 W0=70500000");
	OK(r.dev.pmu->driver->irq_enable(&r.dev, 7));
	check_log(&r, "R0 W0=70500070");
	OK(r.dev.pmu->driver->start(&r.dev));
	check_log(&r, "R0 W0=70500071 S3");
	OK(r.dev.pmu->driver->reset(&r.dev));
	check_log(&r, "R0 W0=02020707 W0=02020006");
	assert_int_equal(peek(&r, 0), 0x02020000);
}

/*
 * C, P, bit 7 and [31:28] may read as any value (DDI 0211 Table 3.138). The driver does not write
 * back what it read there, except [30:28] of an ARM1156, which are its FIQ enables.
 */
static void test_unpredictable_bits(void **state)
{
	static const struct {
		const struct pmk_pmu *pmu;
		const char *program, *start, *stop;
	} rows[] = {
		{ &pmk_arm1176, "R0 W0=00500000", "R0 W0=00500001 S3", "R0 W0=00500000" },
		{ &pmk_arm1156, "R0 W0=70500000", "R0 W0=70500001 S3", "R0 W0=70500000" },
	};
	uint32_t mask;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct pmk_driver *drv = rows[i].pmu->driver;
		struct rig r;

		setup(&r, rows[i].pmu);
		r.junk = 0xf0000086;
		OK(drv->program(&r.dev, 1, 0x05));
		check_log(&r, rows[i].program);
		OK(drv->write(&r.dev, 2, 77));
		forget_log(&r);
		OK(drv->start(&r.dev));
		check_log(&r, rows[i].start);
		OK(irq_handle(&r.dev, &mask));
		assert_int_equal(mask, 0);
		check_log(&r, "R0");
		OK(drv->stop(&r.dev));
		check_log(&r, rows[i].stop);
		assert_int_equal(peek(&r, 3), 77);
		assert_int_equal(r.model.oddities, 0);
	}
}

/* reset() writes the D, X and FIQ enables that configure() was given, and start() keeps them. */
static void test_configure(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_driver *drv = cores[c]->driver;
		bool fiq = cores[c] == &pmk_arm1156;
		uint32_t idle = cores[c] == &pmk_arm11mpcore ? 0 : 0x02020000;
		uint64_t value;
		struct rig r;

		setup(&r, cores[c]);
		poke(&r, 0, 0x00b20808);
		OK(drv->start(&r.dev));
		check_log(&r, "R0 W0=00b20809 S3");
		OK(drv->reset(&r.dev));
		assert_int_equal(peek(&r, 0), idle);

		forget_log(&r);
		OK(pmk_arm11_configure(&r.dev, PMK_ARM11_DIVIDE | PMK_ARM11_EXPORT));
		assert_int_equal(peek(&r, 0), idle | 0x808);
		OK(drv->reset(&r.dev));
		assert_int_equal(peek(&r, 0), idle | 0x808);
		assert_int_equal(drv->program(&r.dev, 0, 0xff), PMK_ENOCTR);
		OK(drv->program(&r.dev, 1, 0xff));
		OK(drv->start(&r.dev));
		pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 6400);
		OK(drv->read(&r.dev, 0, &value));
		assert_int_equal(value, 100);
		OK(drv->read(&r.dev, 1, &value));
		assert_int_equal(value, 6400);
		OK(drv->stop(&r.dev));
		assert_int_equal(peek(&r, 0) & 0x809, 0x808);

		forget_log(&r);
		assert_int_equal(pmk_arm11_configure(&r.dev, 1), PMK_EINVAL);
		assert_int_equal(pmk_arm11_configure(&r.dev, PMK_ARM11_FIQ_CCNT),
				 fiq ? PMK_OK : PMK_ENOTSUP);
		assert_int_equal(r.n, fiq ? 2 : 0);
		OK(pmk_arm11_configure(&r.dev, 0));
		r.fail_at = (int)r.n;
		assert_int_equal(pmk_arm11_configure(&r.dev, PMK_ARM11_EXPORT), PMK_EIO);
		forget_log(&r);
		OK(drv->reset(&r.dev));
		assert_int_equal(peek(&r, 0), idle);
	}
}

/* The FIQ of an ARM1156 rises at the overflow, and falls when the flag is cleared. */
static void test_fiq(void **state)
{
	const struct pmk_driver *drv = pmk_arm1156.driver;
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1156);
	OK(pmk_arm11_configure(&r.dev, PMK_ARM11_FIQ_PMN0));
	OK(drv->reset(&r.dev));
	assert_int_equal(peek(&r, 0), 0x12020000);
	OK(drv->program(&r.dev, 1, 0x05));
	OK(drv->write(&r.dev, 1, 0xffffffff));
	OK(drv->start(&r.dev));
	pmk_bus_add(&r.bus, PMK_SIG_BRANCH, 1);
	assert_int_equal(lines(&r), 2);
	OK(drv->clear(&r.dev, 2));
	assert_int_equal(lines(&r), 0);
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void test_arguments(void **state)
{
	static const struct {
		int line;
		const struct pmk_pmu *pmu;
		unsigned counter, code;
		int result;
	} rows[] = {
		{ __LINE__, &pmk_arm1176, 0, 0xff, 0 },
		{ __LINE__, &pmk_arm1176, 0, 0x07, PMK_ENOCTR },
		{ __LINE__, &pmk_arm1176, 0, 0x08, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1176, 1, 0x08, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1176, 2, 0x0e, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1176, 1, 0x100, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1176, 1, 0x10b, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1176, 3, 0x07, PMK_EINVAL },
		{ __LINE__, &pmk_arm1176, 1, 0x24, 0 },
		{ __LINE__, &pmk_arm1176, 1, 0x36, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1136, 1, 0x24, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1136_r0, 2, 0x13, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1156, 1, 0x36, 0 },
		{ __LINE__, &pmk_arm1156, 1, 0x03, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm1156, 2, 0x0f, PMK_ENOEVENT },
		{ __LINE__, &pmk_arm11mpcore, 2, 0x08, 0 },
		{ __LINE__, &pmk_arm11mpcore, 2, 0x20, PMK_ENOEVENT },
	};
	uint64_t value = 5;
	struct rig r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int err;

		setup(&r, rows[i].pmu);
		err = r.dev.pmu->driver->program(&r.dev, rows[i].counter, rows[i].code);
		if (err != rows[i].result)
			fail_msg("row of line %d: %d", rows[i].line, err);
		if (err)
			check_log(&r, ""); /* the driver accessed nothing */
	}
	setup(&r, &pmk_arm1176);
	assert_int_equal(r.dev.pmu->driver->read(&r.dev, 3, &value), PMK_EINVAL);
	assert_int_equal(r.dev.pmu->driver->write(&r.dev, 3, 0), PMK_EINVAL);
	assert_int_equal(r.dev.pmu->driver->write(&r.dev, 1, 0x100000000), PMK_ERANGE);
	assert_int_equal(r.dev.pmu->driver->irq_enable(&r.dev, 8), PMK_EINVAL);
	assert_int_equal(r.dev.pmu->driver->clear(&r.dev, 8), PMK_EINVAL);
	assert_int_equal(r.dev.pmu->driver->clear(&r.dev, 0x80000001), PMK_EINVAL);
	assert_int_equal(value, 5);
	check_log(&r, "");
}

/* Every event of every core can be programmed on both event counters. Its code is then in PMNC. */
static void test_every_event(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_pmu *pmu = cores[c];
		struct rig r;

		setup(&r, pmu);
		for (unsigned i = 0; i < pmu->nevents; i++) {
			uint32_t code = pmu->events[i].code;

			if (!pmk_pmu_has(pmu, &pmu->events[i]))
				continue;
			forget_log(&r);
			OK(pmu->driver->program(&r.dev, 1, code));
			OK(pmu->driver->program(&r.dev, 2, code));
			assert_int_equal(peek(&r, 0), code << 20 | code << 12);
		}
		assert_int_equal(r.model.oddities, 0);
	}
}

/* ---- counting ------------------------------------------------------------------------------ */

/* On every core, events directly after start() count, and events before it do not. */
static void test_first_instruction_counts(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		const struct pmk_driver *drv = cores[c]->driver;
		uint64_t value;
		struct rig r;

		setup(&r, cores[c]);
		OK(drv->reset(&r.dev));
		OK(drv->program(&r.dev, 1, 0x05));
		pmk_bus_add(&r.bus, PMK_SIG_BRANCH, 100);
		OK(drv->start(&r.dev));
		assert_int_equal(r.bus.total[PMK_SIG_CYCLE], 3);
		pmk_bus_add(&r.bus, PMK_SIG_BRANCH, 1);
		pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 2);
		OK(drv->read(&r.dev, 1, &value));
		assert_int_equal(value, 1);
		OK(drv->read(&r.dev, 0, &value));
		assert_int_equal(value, 2);
		OK(drv->stop(&r.dev));
		pmk_bus_add(&r.bus, PMK_SIG_BRANCH, 10);
		pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 10);
		OK(drv->read(&r.dev, 1, &value));
		assert_int_equal(value, 1);
	}
}

/* Without settle(), the driver works on a port on which time passes by itself. */
static void test_no_settle(void **state)
{
	uint64_t value;
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1136);
	r.dev.port.settle = NULL;
	OK(pmk_arm1136.driver->reset(&r.dev));
	OK(pmk_arm1136.driver->start(&r.dev));
	assert_int_equal(r.bus.total[PMK_SIG_CYCLE], 0);
	pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 10);
	OK(pmk_arm1136.driver->read(&r.dev, 0, &value));
	assert_int_equal(value, 7);
}

/*
 * If a counter wraps between two reads, their difference modulo 2^32 is right, and there is one
 * overflow.
 */
static void test_wrap_between_reads(void **state)
{
	const struct pmk_driver *drv = pmk_arm1176.driver;
	uint64_t first, second;
	uint32_t mask;
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	OK(drv->reset(&r.dev));
	OK(drv->program(&r.dev, 1, 0x05));
	OK(drv->write(&r.dev, 1, 0xfffffff0));
	OK(drv->start(&r.dev));
	OK(drv->read(&r.dev, 1, &first));
	pmk_bus_add(&r.bus, PMK_SIG_BRANCH, 0x30);
	OK(drv->read(&r.dev, 1, &second));
	assert_int_equal(first, 0xfffffff0);
	assert_int_equal(second, 0x20);
	assert_int_equal((second - first) & 0xffffffff, 0x30);
	OK(irq_handle(&r.dev, &mask));
	assert_int_equal(mask, 2);
	OK(irq_handle(&r.dev, &mask));
	assert_int_equal(mask, 0);
}

/* reset() works in every state of the PMU. */
static void test_reset_from_anything(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		for (unsigned enabled = 0; enabled < 2; enabled++) {
			struct rig r;

			setup(&r, cores[c]);
			for (unsigned reg = 1; reg < 4; reg++)
				poke(&r, reg, 0xffffffff);
			poke(&r, 0, 0x005020f1 & ~0x80u);
			pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 3);
			r.to_model.ops->sync(&r.model, &r.bus);
			everything_happens(&r);
			poke(&r, 0, 0x00502070 | enabled);
			assert_int_equal(lines(&r), 1);
			r.cycles_per_access = 10;
			OK(cores[c]->driver->reset(&r.dev));
			assert_int_equal(lines(&r), 0);
			assert_int_equal(peek(&r, 0) & ~0x0ffff000u, 0);
			for (unsigned reg = 1; reg < 4; reg++)
				assert_int_equal(peek(&r, reg), 0);
		}
	}
}

/* ---- the interrupt ------------------------------------------------------------------------- */

/*
 * After clear() the line is low, whether the PMU is running or stopped, for both readings of DAI
 * 0195B section 1. However long an access takes, clear() changes no counter.
 */
static void test_interrupt_falls(void **state)
{
	(void)state;
	for (unsigned variant = 0; variant < 8; variant++) {
		bool stopped = variant & 1, strict = variant & 2, slow = variant & 4;
		const struct pmk_driver *drv = pmk_arm1176.driver;
		uint32_t mask, before[4];
		struct rig r;

		setup(&r, &pmk_arm1176);
		r.model.params.strict_e_clear = strict;
		OK(drv->reset(&r.dev));
		OK(drv->program(&r.dev, 1, 0x05));
		OK(drv->program(&r.dev, 2, 0xff));
		for (unsigned i = 0; i < 3; i++)
			OK(drv->write(&r.dev, i, 0xffffffff));
		OK(drv->irq_enable(&r.dev, 7));
		OK(drv->start(&r.dev));
		everything_happens(&r);
		if (stopped) {
			OK(drv->stop(&r.dev));
			/*
			 * All counters are one event before the next overflow, which the pulse of E
			 * must not cause.
			 */
			for (unsigned i = 0; i < 3; i++)
				poke(&r, i + 1, 0xffffffff);
		}
		assert_int_equal(lines(&r), 1);
		for (unsigned reg = 1; reg < 4; reg++)
			before[reg] = peek(&r, reg);
		forget_log(&r);
		r.cycles_per_access = slow && stopped ? 20 : 0;
		OK(irq_handle(&r.dev, &mask));
		assert_int_equal(mask, 7);
		assert_int_equal(lines(&r), 0);
		assert_int_equal(peek(&r, 0), stopped ? 0x005ff070 : 0x005ff071);
		for (unsigned reg = 1; reg < 4; reg++)
			assert_int_equal(peek(&r, reg), before[reg]);
	}
}

/* ---- faults -------------------------------------------------------------------------------- */

static int do_reset(struct rig *r)
{
	return r->dev.pmu->driver->reset(&r->dev);
}

static int do_program(struct rig *r)
{
	return r->dev.pmu->driver->program(&r->dev, 1, 0x05);
}

static int do_start(struct rig *r)
{
	return r->dev.pmu->driver->start(&r->dev);
}

static int do_stop(struct rig *r)
{
	return r->dev.pmu->driver->stop(&r->dev);
}

static int do_read(struct rig *r)
{
	uint64_t value;

	return r->dev.pmu->driver->read(&r->dev, 1, &value);
}

static int do_write(struct rig *r)
{
	return r->dev.pmu->driver->write(&r->dev, 1, 5);
}

static int do_irq_enable(struct rig *r)
{
	return r->dev.pmu->driver->irq_enable(&r->dev, 5);
}

static uint32_t reported; /* the counters that do_pending() or do_take() found last */

static int do_pending(struct rig *r)
{
	return r->dev.pmu->driver->pending(&r->dev, &reported);
}

static int do_clear_pmn0(struct rig *r)
{
	return r->dev.pmu->driver->clear(&r->dev, 2);
}

static int do_take(struct rig *r)
{
	return irq_handle(&r->dev, &reported);
}

static int do_running(struct rig *r)
{
	bool yes;

	return r->dev.pmu->driver->running(&r->dev, &yes);
}

static const struct {
	const char *name;
	int (*run)(struct rig *r);
} operations[] = {
	{ "reset", do_reset },
	{ "program", do_program },
	{ "start", do_start },
	{ "stop", do_stop },
	{ "read", do_read },
	{ "write", do_write },
	{ "irq_enable", do_irq_enable },
	{ "pending", do_pending },
	{ "clear", do_clear_pmn0 },
	{ "irq_handle", do_take },
	{ "running", do_running },
};

static void test_user_mode(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(operations); i++) {
		for (size_t c = 0; c < COUNT(cores); c++) {
			struct rig r;

			setup(&r, cores[c]);
			r.to_model.mode = PMK_MODE_USER;
			assert_int_equal(operations[i].run(&r), PMK_EUNDEF);
			assert_int_equal(r.n, 1); /* only the first access was made */
		}
	}
	assert_int_equal(reported, 0);
}

/* Sets all counters to one before their overflow, in a PMU that runs or is stopped. */
static void ready(struct rig *r, const struct pmk_pmu *pmu, bool running)
{
	setup(r, pmu);
	OK(do_reset(r));
	OK(pmu->driver->program(&r->dev, 1, 0x05));
	OK(pmu->driver->program(&r->dev, 2, 0x02));
	OK(pmu->driver->irq_enable(&r->dev, 7));
	if (running)
		OK(do_start(r));
	for (unsigned i = 0; i < 3; i++)
		OK(pmu->driver->write(&r->dev, i, 0xffffffff));
	forget_log(r);
}

/* Each access of each operation fails once. The driver returns the error, and loses no overflow. */
static void test_port_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(operations); i++) {
		for (unsigned running = 0; running < 2; running++) {
			int at = 0, err = PMK_EIO;

			for (; err; at++) {
				struct rig r;

				ready(&r, &pmk_arm1176, running);
				r.fail_at = at;
				err = operations[i].run(&r);
				if (err)
					assert_int_equal(err, PMK_EIO);
				else /* no such access, or it is settle(), which cannot fail */
					assert_true(at >= (int)r.n || r.log[at].what == 'S');
				assert_true(at < 20);
			}
			assert_true(at > 1); /* at least one access failed */
		}
	}
}

/*
 * Calls irq_handle() on stopped counters while access number `at` fails. Flags that were not
 * cleared are reported again. The counters are stopped and have their old values, unless the access
 * that failed should have stopped or restored them. With `late`, the failed write reached its
 * register, which the driver cannot know.
 */
static void stopped_acknowledge_error(int at, bool late)
{
	/*
	 * Access 0 is R0 of pending(). The others are those of clear(): 1 to 4 are R0 R1 R2 R3, 5
	 * to 7 W1 W2 W3, 8 is W0 with E set, 9 is W0, and 10 to 12 are W1 W2 W3.
	 */
	bool cleared = at > 8 || (at == 8 && late);
	struct rig r;

	ready(&r, &pmk_arm1176, true);
	everything_happens(&r);
	OK(do_stop(&r));
	for (unsigned reg = 1; reg < 4; reg++)
		poke(&r, reg, reg * 0x1111);
	forget_log(&r);
	r.fail_at = at;
	r.fail_late = late;
	assert_int_equal(do_take(&r), PMK_EIO);
	assert_int_equal(peek(&r, 0) >> 8 & 7, cleared ? 0 : 7);
	assert_int_equal(peek(&r, 0) & 1, at == 9 && !late);
	for (unsigned reg = 1; reg < 4; reg++)
		assert_int_equal(peek(&r, reg), at == 9 + (int)reg && !late ? 0 : reg * 0x1111);
	forget_log(&r);
	OK(do_take(&r));
	assert_int_equal(reported, cleared ? 0 : 7);
}

static void test_stopped_acknowledge_error(void **state)
{
	(void)state;
	for (int at = 0; at < 13; at++) {
		stopped_acknowledge_error(at, false);
		stopped_acknowledge_error(at, true);
	}
}

/*
 * Lets every counter overflow directly before access number `at` of an operation, except CCNT if it
 * overflowed earlier (`pending`). Whatever the operation was, irq_handle() reports each overflow
 * exactly once, except the overflow that clear() was told to clear. Returns false if the operation
 * makes no such access.
 */
static bool overflow_before_access(const struct pmk_pmu *pmu, size_t op, bool running, bool pending,
				   int at)
{
	uint32_t asked = operations[op].run == do_clear_pmn0 ? 2 : 0;
	uint32_t expected, total = 0;
	struct rig r;

	ready(&r, pmu, running);
	if (pending)
		pmk_bus_add(&r.bus, PMK_SIG_CYCLE, 1);
	r.inject_at = at;
	reported = 0;
	OK(operations[op].run(&r));
	if (operations[op].run == do_take)
		total = reported;
	if (!r.injected)
		return false;
	expected = running ? 7 : 0;
	assert_int_equal(r.flags_then, expected); /* the counters overflowed */

	forget_log(&r);
	OK(do_take(&r));
	assert_int_equal(total & reported, 0);
	total |= reported;
	assert_int_equal(total | asked, expected | asked);
	assert_int_equal(lines(&r), 0);
	OK(do_take(&r));
	assert_int_equal(reported, 0);
	return true;
}

static void test_overflow_is_never_lost(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(cores); c++) {
		/* Operation 0 is reset(), which may lose an overflow. */
		for (size_t op = 1; op < COUNT(operations); op++) {
			for (unsigned variant = 0; variant < 3; variant++) {
				bool running = variant < 2, pending = variant == 1;
				int at = 0;

				while (overflow_before_access(cores[c], op, running, pending, at))
					assert_true(++at < 20);
				assert_true(at > 0);
				/*
				 * The important races are between the reads of pending() and
				 * clear(), and between the reads and the write of clear().
				 */
				if (operations[op].run == do_take && pending)
					assert_int_equal(at, 3);
			}
		}
	}
}

/* An overflow that was pending before the operation is still reported after it. */
static void test_pending_overflow_survives(void **state)
{
	(void)state;
	for (size_t op = 1; op < COUNT(operations); op++) {
		for (unsigned running = 0; running < 2; running++) {
			struct rig r;

			if (operations[op].run == do_take || operations[op].run == do_clear_pmn0)
				continue;
			ready(&r, &pmk_arm1176, true);
			everything_happens(&r);
			if (!running)
				OK(do_stop(&r));
			forget_log(&r);
			OK(operations[op].run(&r));
			assert_int_equal(peek(&r, 0) >> 8 & 7, 7);
			OK(do_take(&r));
			assert_int_equal(reported, 7);
		}
	}
}

/* ---- the model port ------------------------------------------------------------------------ */

/* settle() obeys the horizon, so the interrupt comes before settle() returns. */
static void test_settle(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	poke(&r, 1, 0xfffffffe);
	poke(&r, 0, 0x00502041);
	pmk_bus_add(&r.bus, PMK_SIG_BRANCH, 5); /* not counted, because of the start delay */
	r.inner.settle(r.inner.ctx, 4);
	assert_int_equal(r.bus.total[PMK_SIG_CYCLE], 4);
	assert_int_equal(r.to_model.ops->lines(&r.model), 0);
	r.inner.settle(r.inner.ctx, 10);
	assert_int_equal(r.bus.total[PMK_SIG_CYCLE], 14);
	assert_int_equal(r.to_model.ops->lines(&r.model), 1);
	assert_int_equal(peek(&r, 1), 9);
	assert_int_equal(peek(&r, 2), 0);
}

/* After a write through the port, the bus knows the model's horizon. */
static void test_port_asks(void **state)
{
	struct rig r;

	(void)state;
	setup(&r, &pmk_arm1176);
	assert_true(pmk_bus_horizon(&r.bus, PMK_SIG_CYCLE) == PMK_NEVER);
	poke(&r, 2, 0xffffff00);
	poke(&r, 0, 0x00502001);
	assert_int_equal(pmk_bus_horizon(&r.bus, PMK_SIG_CYCLE), 3);
	r.inner.settle(r.inner.ctx, 3);
	assert_int_equal(pmk_bus_horizon(&r.bus, PMK_SIG_BRANCH), 0x100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_acknowledge_word),
		cmocka_unit_test(test_acknowledge_stopped),
		cmocka_unit_test(test_clear_one_of_many),
		cmocka_unit_test(test_clear_of_no_flag),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_other_cores),
		cmocka_unit_test(test_unpredictable_bits),
		cmocka_unit_test(test_configure),
		cmocka_unit_test(test_fiq),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_every_event),
		cmocka_unit_test(test_first_instruction_counts),
		cmocka_unit_test(test_no_settle),
		cmocka_unit_test(test_wrap_between_reads),
		cmocka_unit_test(test_reset_from_anything),
		cmocka_unit_test(test_interrupt_falls),
		cmocka_unit_test(test_user_mode),
		cmocka_unit_test(test_port_error),
		cmocka_unit_test(test_stopped_acknowledge_error),
		cmocka_unit_test(test_overflow_is_never_lost),
		cmocka_unit_test(test_pending_overflow_survives),
		cmocka_unit_test(test_settle),
		cmocka_unit_test(test_port_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
