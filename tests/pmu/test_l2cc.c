// SPDX-License-Identifier: MIT
/*
 * L210 and L220: the catalogues equal a second copy, registers and encodings equal literal numbers,
 * the drivers write the right words, and they work on the models. tests/conformance/l2cc.vec tests
 * the registers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/l2cc.h>
#include <pmk/l2cc_model.h>
#include <pmk/model.h>
#include <pmk/session.h>
#include <pmk/target.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal((call), 0)

/* ---- tables ---------------------------------------------------------------------------------- */

struct line {
	unsigned code;
	const char *name;
	unsigned signal;
};

/* The events of L210 appendix C and of the i.MX31's headers. */
static const struct line l210[] = {
	{ 1, "bwabt", PMK_SIG_NONE },
	{ 2, "co", PMK_SIG_L2CC_EVICT_HALF },
	{ 3, "drhit", PMK_SIG_L2CC_DATA_READ_HIT },
	{ 4, "drreq", PMK_SIG_L2CC_DATA_READ },
	{ 5, "dwhit", PMK_SIG_L2CC_DATA_WRITE_HIT },
	{ 6, "dwreq", PMK_SIG_L2CC_DATA_WRITE },
	{ 7, "dwtreq", PMK_SIG_L2CC_WT_WRITE },
	{ 8, "irhit", PMK_SIG_L2CC_INSN_READ_HIT },
	{ 9, "irreq", PMK_SIG_L2CC_INSN_READ },
	{ 10, "wa", PMK_SIG_L2CC_WRITE_ALLOC },
	{ 11, "emc3of", PMK_SIG_NONE },
	{ 12, "emc2of", PMK_SIG_NONE },
	{ 13, "emc1of", PMK_SIG_NONE },
	{ 14, "emc0of", PMK_SIG_NONE },
	{ 15, "clock", PMK_SIG_CYCLE },
};

/* The events of DDI 0246 Table 3.8. */
static const struct line l220[] = {
	{ 1, "co", PMK_SIG_L2CC_EVICT_HALF },	    { 2, "drhit", PMK_SIG_L2CC_DATA_READ_HIT },
	{ 3, "drreq", PMK_SIG_L2CC_DATA_READ },	    { 4, "dwhit", PMK_SIG_L2CC_DATA_WRITE_HIT },
	{ 5, "dwreq", PMK_SIG_L2CC_DATA_WRITE },    { 6, "dwtreq", PMK_SIG_L2CC_WT_WRITE },
	{ 7, "irhit", PMK_SIG_L2CC_INSN_READ_HIT }, { 8, "irreq", PMK_SIG_L2CC_INSN_READ },
	{ 9, "wa", PMK_SIG_L2CC_WRITE_ALLOC },
};

static void check_events(const struct pmk_pmu *pmu, const struct line *lines, unsigned n)
{
	assert_int_equal(pmu->nevents, n);
	for (unsigned i = 0; i < n; i++) {
		const struct pmk_event *ev = pmk_pmu_event_code(pmu, lines[i].code);

		assert_non_null(ev);
		assert_string_equal(ev->name, lines[i].name);
		assert_int_equal(ev->signal, lines[i].signal);
		assert_int_equal(ev->signal2, PMK_SIG_NONE);
		assert_true(ev->brief && ev->ref &&
			    (ev->signal != PMK_SIG_NONE) == !ev->unmodelled);
		assert_ptr_equal(pmk_pmu_event(pmu, lines[i].name), ev);
	}
	assert_null(pmk_pmu_event_code(pmu, 0));
	assert_null(pmk_pmu_event_code(pmu, n + 1));
}

static void test_tables(void **state)
{
	static const uint16_t template[] = { 0x000, 0x004, 0x100, 0x104, 0x108,
					     0x10c, 0x200, 0x204, 0x208, 0x20c };

	(void)state;
	check_events(&pmk_l210, l210, 15);
	check_events(&pmk_l220, l220, 9);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(pmk_l210_offsets[i], template[i]);
		assert_int_equal(pmk_l210_imx31_offsets[i], 4 * i);
	}
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(pmk_l220_offsets[i], 0x200 + 4 * i);
	assert_string_equal(pmk_l220.regs[1].name, "CONFIG1"); /* CONFIG1 is before CONFIG0 */
	assert_string_equal(pmk_l220.regs[4].name, "COUNTER0");
	assert_true(pmk_l220.counters[0].saturates && !pmk_l210.counters[0].saturates);
}

/* ---- the drivers on a logging port -------------------------------------------------- */

struct access {
	bool write;
	unsigned reg;
	uint32_t value;
};

struct recorder {
	struct pmk_dev dev;
	struct access log[32];
	unsigned n;
	uint32_t reg[16];
	unsigned fail_at; /* this access fails */
};

static int note(struct recorder *r, bool write, unsigned reg, uint32_t value)
{
	assert_true(r->n < COUNT(r->log));
	r->log[r->n++] = (struct access){ write, reg, value };
	return r->n - 1 == r->fail_at ? PMK_EIO : PMK_OK;
}

static int recorder_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct recorder *r = ctx;

	*value = r->reg[reg];
	return note(r, false, reg, r->reg[reg]);
}

static int recorder_write(void *ctx, unsigned reg, uint64_t value)
{
	struct recorder *r = ctx;

	r->reg[reg] = (uint32_t)value;
	return note(r, true, reg, (uint32_t)value);
}

static void record(struct recorder *r, const struct pmk_pmu *pmu)
{
	memset(r, 0, sizeof(*r));
	r->dev.pmu = pmu;
	r->dev.port = (struct pmk_port){ .read = recorder_read, .write = recorder_write, .ctx = r };
	r->fail_at = UINT32_MAX;
}

static void wrote(const struct recorder *r, const struct access *want, unsigned n)
{
	unsigned k = 0;

	for (unsigned i = 0; i < r->n; i++) {
		if (!r->log[i].write)
			continue;
		assert_true(k < n);
		assert_int_equal(r->log[i].reg, want[k].reg);
		assert_int_equal(r->log[i].value, want[k].value);
		k++;
	}
	assert_int_equal(k, n);
}

static void test_l210_sequences(void **state)
{
	/*
	 * A reset turns counting off, selects no events, sets all four counters to zero, and clears
	 * flags.
	 */
	static const struct access reset[] = { { true, 0, 0xa000000c }, { true, 2, 0 },
					       { true, 3, 0 },		{ true, 4, 0 },
					       { true, 5, 0 },		{ true, 0, 0xa0000f0c },
					       { true, 1, 0xf } };
	static const struct access program[] = { { true, 4, 0x0d } }; /* event 3, IRQ stays */
	static const struct access irq[] = {
		{ true, 2, 0 }, { true, 3, 0 }, { true, 4, 0x0d }, { true, 5, 0 }
	};
	const struct pmk_driver *drv = pmk_l210.driver;
	struct recorder r;
	uint32_t flags;

	(void)state;
	record(&r, &pmk_l210);
	r.reg[0] = 0xa000000d; /* the vendor's bits stay */
	OK(drv->reset(&r.dev));
	wrote(&r, reset, COUNT(reset));
	record(&r, &pmk_l210);
	r.reg[4] = 0x7d;
	OK(drv->program(&r.dev, 2, 3));
	assert_int_equal(r.reg[4], 0x0d);
	wrote(&r, program, 1);
	r.n = 0;
	OK(drv->irq_enable(&r.dev, 4));
	wrote(&r, irq, COUNT(irq));
	assert_int_equal(drv->program(&r.dev, 4, 3), PMK_EINVAL);
	assert_int_equal(drv->program(&r.dev, 0, 16), PMK_ENOEVENT);
	assert_int_equal(drv->program(&r.dev, 0, 0), PMK_ENOEVENT);
	assert_int_equal(drv->write(&r.dev, 0, 1), PMK_ENOTSUP);
	assert_int_equal(drv->irq_enable(&r.dev, 16), PMK_EINVAL);
	r.reg[1] = 0xfffffff5;
	OK(drv->pending(&r.dev, &flags));
	assert_int_equal(flags, 5);
	r.n = 0;
	OK(drv->clear(&r.dev, 4)); /* the driver clears only this flag */
	assert_true(r.n == 1 && r.log[0].reg == 1 && r.log[0].value == 4);
}

static void test_l220_sequences(void **state)
{
	static const struct access reset[] = {
		{ true, 0, 6 }, { true, 2, 0 }, { true, 1, 0 }, { true, 5, 0xfe }, { true, 8, 1 }
	};
	/* The driver switches off a running counter before it writes it. */
	static const struct access write[] = { { true, 0, 0 },
					       { true, 3, 0x1234 },
					       { true, 0, 1 } };
	const struct pmk_driver *drv = pmk_l220.driver;
	struct recorder r;
	uint32_t flags;

	(void)state;
	record(&r, &pmk_l220);
	r.reg[5] = 0xff; /* the driver does not change the mask of the cache's errors */
	OK(drv->reset(&r.dev));
	wrote(&r, reset, COUNT(reset));
	record(&r, &pmk_l220);
	r.reg[0] = 1;
	OK(drv->write(&r.dev, 1, 0x1234));
	wrote(&r, write, COUNT(write));
	record(&r, &pmk_l220);
	OK(drv->program(&r.dev, 0, 9));
	OK(drv->program(&r.dev, 1, 1));
	assert_true(r.reg[2] == 0x24 && r.reg[1] == 0x04);
	OK(drv->irq_enable(&r.dev, 2));
	assert_true(r.reg[1] == 0x06 && r.reg[2] == 0x24 && r.reg[5] == 1);
	assert_int_equal(drv->program(&r.dev, 2, 1), PMK_EINVAL);
	assert_int_equal(drv->program(&r.dev, 0, 10), PMK_ENOEVENT);
	assert_int_equal(drv->irq_enable(&r.dev, 4), PMK_EINVAL);
	r.reg[3] = UINT32_MAX;
	OK(drv->pending(&r.dev, &flags)); /* the status bit belongs to both counters */
	assert_int_equal(flags, 0);
	r.n = 0;
	OK(drv->clear(&r.dev, 2));
	assert_true(r.n == 1 && r.log[0].reg == 8 && r.log[0].value == 1);
	assert_int_equal(drv->clear(&r.dev, 4), PMK_EINVAL);
}

/* If an access fails, the driver returns its error and stops there. */
static void test_failing_port(void **state)
{
	static const struct pmk_pmu *const pmus[] = { &pmk_l210, &pmk_l220 };

	(void)state;
	for (unsigned p = 0; p < 2; p++)
		for (unsigned at = 0;; at++) {
			struct recorder r;
			int err;

			record(&r, pmus[p]);
			r.fail_at = at;
			err = pmus[p]->driver->reset(&r.dev);
			if (!err)
				err = pmus[p]->driver->program(&r.dev, 1, 2);
			if (!err)
				err = pmus[p]->driver->irq_enable(&r.dev, 1);
			if (!err)
				err = pmus[p]->driver->start(&r.dev);
			if (r.n <= at) {
				OK(err);
				assert_true(at > 5);
				break;
			}
			assert_int_equal(err, PMK_EIO);
			assert_int_equal(r.n, at + 1);
		}
}

/* ---- drivers meet models --------------------------------------------------------------------- */

struct rig {
	struct pmk_l2cc_model model[2];
	struct pmk_bus bus;
	struct pmk_model_port to_model[2];
	struct pmk_port port[2];
	struct pmk_session session;
};

static struct rig rig; /* too large for the stack */

static void open_session(const struct pmk_pmu *pmu, const uint16_t *codes, unsigned n)
{
	struct pmk_plan plan = { .nevents = n };

	memset(&rig, 0, sizeof(rig));
	pmk_bus_init(&rig.bus);
	for (unsigned i = 0; i < n; i++)
		plan.event[i].code = codes[i];
	OK(pmk_plan_make(pmu, &plan));
	assert_true(plan.npasses <= 2);
	for (unsigned i = 0; i < plan.npasses; i++) {
		rig.to_model[i] = (struct pmk_model_port){ .ops = pmk_model_find(pmu),
							   .model = &rig.model[i],
							   .bus = &rig.bus };
		rig.to_model[i].ops->reset(&rig.model[i], &rig.bus, pmu);
		rig.port[i] = pmk_port_model(&rig.to_model[i]);
	}
	OK(pmk_session_open(&rig.session, pmu, &plan, rig.port));
	OK(pmk_session_start(&rig.session));
}

/* Raises signals, and polls often. */
static void raise_polling(enum pmk_signal sig, uint64_t n)
{
	while (n) {
		uint64_t step = n < 0x30000000 ? n : 0x30000000;

		pmk_bus_add(&rig.bus, sig, step);
		n -= step;
		OK(pmk_session_poll(&rig.session));
	}
}

static void test_sessions(void **state)
{
	static const uint16_t l210_codes[] = { 4, 3, 9, 15, 2 };
	static const uint16_t l220_codes[] = { 3, 2, 9 };
	uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	open_session(&pmk_l210, l210_codes, 5);
	assert_int_equal(rig.session.plan.npasses, 2);
	raise_polling(PMK_SIG_L2CC_DATA_READ, UINT64_C(0x280000007));
	raise_polling(PMK_SIG_L2CC_DATA_READ_HIT, 5);
	raise_polling(PMK_SIG_CYCLE, UINT64_C(0x100000000));
	raise_polling(PMK_SIG_L2CC_EVICT_HALF, 2);
	OK(pmk_session_read(&rig.session, totals));
	assert_true(totals[0] == UINT64_C(0x280000007) && totals[1] == 5 && totals[2] == 0);
	assert_true(totals[3] == UINT64_C(0x100000000) && totals[4] == 2);

	/* The session resets counters in time, because they stop at their maximum. */
	open_session(&pmk_l220, l220_codes, 3);
	raise_polling(PMK_SIG_L2CC_DATA_READ, UINT64_C(0x280000007));
	raise_polling(PMK_SIG_L2CC_WRITE_ALLOC, UINT64_C(0x80000001));
	OK(pmk_session_read(&rig.session, totals));
	assert_true(totals[0] == UINT64_C(0x280000007) && totals[1] == 0);
	assert_true(totals[2] == UINT64_C(0x80000001));
	for (unsigned i = 0; i < 3; i++)
		assert_false(pmk_session_wrapped(&rig.session, i));

	/* The counter stopped before it was read, so the total is a lower bound. */
	open_session(&pmk_l220, l220_codes, 1);
	pmk_bus_add(&rig.bus, PMK_SIG_L2CC_DATA_READ, UINT64_C(0x100000005));
	OK(pmk_session_read(&rig.session, totals));
	assert_int_equal(totals[0], UINT32_MAX);
	assert_true(pmk_session_wrapped(&rig.session, 0));
}

/* The firmware library extends the L220's counters to 64 bits. */
static void test_target(void **state)
{
	struct pmk_target t;
	uint64_t total;

	(void)state;
	memset(&rig, 0, sizeof(rig));
	memset(&t, 0, sizeof(t));
	pmk_bus_init(&rig.bus);
	rig.to_model[0] = (struct pmk_model_port){ .ops = pmk_model_find(&pmk_l220),
						   .model = &rig.model[0],
						   .bus = &rig.bus };
	rig.to_model[0].ops->reset(&rig.model[0], &rig.bus, &pmk_l220);
	OK(pmk_target_open(&t, &pmk_l220, pmk_port_model(&rig.to_model[0])));
	OK(pmk_target_add(&t, PMK_L220_DRREQ));
	OK(pmk_target_start(&t));
	for (unsigned i = 0; i < 6; i++) {
		pmk_bus_add(&rig.bus, PMK_SIG_L2CC_DATA_READ, 0x70000000);
		OK(pmk_target_poll(&t));
	}
	OK(pmk_target_read(&t, 0, &total));
	assert_true(total == 6 * UINT64_C(0x70000000));
	OK(pmk_target_close(&t));
}

/* The interrupt line follows flags and enables. */
static void test_lines(void **state)
{
	struct pmk_dev dev = { .pmu = &pmk_l210 };

	(void)state;
	for (unsigned p = 0; p < 2; p++) {
		const struct pmk_pmu *pmu = p ? &pmk_l220 : &pmk_l210;
		const struct pmk_model_ops *ops = pmk_model_find(pmu);

		memset(&rig, 0, sizeof(rig));
		pmk_bus_init(&rig.bus);
		rig.to_model[0] = (struct pmk_model_port){ .ops = ops,
							   .model = &rig.model[0],
							   .bus = &rig.bus };
		ops->reset(&rig.model[0], &rig.bus, pmu);
		dev = (struct pmk_dev){ .pmu = pmu, .port = pmk_port_model(&rig.to_model[0]) };
		OK(pmu->driver->reset(&dev));
		OK(pmu->driver->program(&dev, 1, p ? 3 : 4));
		OK(pmu->driver->irq_enable(&dev, 2));
		OK(pmu->driver->start(&dev));
		pmk_bus_add(&rig.bus, PMK_SIG_L2CC_DATA_READ, UINT32_MAX - UINT64_C(1));
		ops->sync(&rig.model[0], &rig.bus);
		assert_int_equal(ops->lines(&rig.model[0]), 0);
		pmk_bus_add(&rig.bus, PMK_SIG_L2CC_DATA_READ, 2);
		ops->sync(&rig.model[0], &rig.bus);
		assert_int_equal(ops->lines(&rig.model[0]), 1);
		OK(pmu->driver->clear(&dev, 2));
		assert_int_equal(ops->lines(&rig.model[0]), 0);
	}
}

/* Returns the horizon of the signal of data reads, after `count` reads. */
static uint64_t horizon(const struct pmk_pmu *pmu, uint32_t config, uint64_t count, bool clear)
{
	const struct pmk_model_ops *ops = pmk_model_find(pmu);
	unsigned status = pmu == &pmk_l210 ? 1 : 8; /* writing 1 to this bit clears it */

	memset(&rig, 0, sizeof(rig));
	pmk_bus_init(&rig.bus);
	ops->reset(&rig.model[0], &rig.bus, pmu);
	OK(ops->write(&rig.model[0], &rig.bus, PMK_MODE_PRIV, 2, config)); /* of counter 0 */
	OK(ops->write(&rig.model[0], &rig.bus, PMK_MODE_PRIV, 0, 1));
	pmk_bus_add(&rig.bus, PMK_SIG_L2CC_DATA_READ, count);
	ops->sync(&rig.model[0], &rig.bus);
	if (clear)
		OK(ops->write(&rig.model[0], &rig.bus, PMK_MODE_PRIV, status, 1));
	pmk_bus_forget(&rig.bus);
	ops->ask(&rig.model[0], &rig.bus);
	return pmk_bus_horizon(&rig.bus, PMK_SIG_L2CC_DATA_READ);
}

static void test_horizons(void **state)
{
	(void)state;
	assert_true(horizon(&pmk_l210, 0x10, 0, false) == 0x100000000);
	assert_true(horizon(&pmk_l210, 0x11, 0xfffffffe, false) == 2);
	assert_true(horizon(&pmk_l210, 0x12, 0, false) == 1);
	assert_true(horizon(&pmk_l210, 0x12, 7, false) == 0xfffffff9); /* the flag is set */
	assert_true(horizon(&pmk_l210, 0x12, 7, true) == 1);
	assert_true(horizon(&pmk_l210, 0x24, 0, false) == PMK_NEVER); /* counts another event */

	/*
	 * The first horizon is half the range, so a driver can reset the counter in time. The next
	 * horizon is the counter's maximum. At the maximum the counter stops, and only an enabled
	 * interrupt has a horizon.
	 */
	assert_true(horizon(&pmk_l220, 0x0c, 0, false) == 0x80000000);
	assert_true(horizon(&pmk_l220, 0x0c, 0x80000000, false) == 0x7fffffff);
	assert_true(horizon(&pmk_l220, 0x0e, 0xfffffffe, false) == 1);
	assert_true(horizon(&pmk_l220, 0x0c, 0xffffffff, false) == PMK_NEVER);
	assert_true(horizon(&pmk_l220, 0x0e, 0xffffffff, false) == PMK_NEVER);
	assert_true(horizon(&pmk_l220, 0x0e, 0xffffffff, true) == 1);
	assert_true(horizon(&pmk_l220, 0x0d, 3, false) == 0x7ffffffd);
	assert_true(horizon(&pmk_l220, 0x0d, 3, true) == 1);
	assert_true(horizon(&pmk_l220, 0x20, 0, false) == PMK_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),	       cmocka_unit_test(test_l210_sequences),
		cmocka_unit_test(test_l220_sequences), cmocka_unit_test(test_failing_port),
		cmocka_unit_test(test_sessions),       cmocka_unit_test(test_target),
		cmocka_unit_test(test_lines),	       cmocka_unit_test(test_horizons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
