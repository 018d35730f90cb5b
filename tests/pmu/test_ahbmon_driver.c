// SPDX-License-Identifier: MIT
/*
 * The AHB Monitor's driver, on a port to the model that records accesses and lets them fail, and on
 * the real memory port to plain memory.
 *
 * Numbers are literal: counters and their registers 0 to 90 in the order of DDI 0287B Tables 4-6 to
 * 4-13, then 91 AHBMONCtrlReg, 92 AHBMONRstCtrs, 93 AHBMONPrstCtrs, 94 GxiPageSize, 95 to 103 the
 * thresholds. Control bits are those of the project's layout: 1 enable, 2 track DBGACK, 4
 * alignment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal(call, 0)

/* ---- the rig: driver, port, model, buses --------------------------------------------------- */

struct access {
	char what; /* 'R', 'W' */
	unsigned reg;
	uint32_t value;
};

struct rig {
	struct pmk_pmu pmu; /* pmk_ahbmon with the test's layout */
	struct pmk_ahbmon_layout layout;
	struct pmk_dev dev;
	struct pmk_bus bus[PMK_AHBMON_NBUSES];
	struct pmk_ahbmon_model model;
	struct pmk_model_port to_model;
	struct pmk_port inner;

	struct access log[128];
	unsigned n;
	int fail_at;   /* this access fails with PMK_EIO; -1: none fails */
	uint32_t junk; /* ORed into reads of AHBMONCtrlReg */
	bool zeros;    /* there is no monitor: reads return 0 */
};

static int rig_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;
	int err = r->fail_at == (int)r->n ? PMK_EIO : 0;

	assert_true(r->n < COUNT(r->log));
	r->log[r->n++] = (struct access){ 'R', reg, 0 };
	if (err)
		return err;
	if (r->zeros) {
		*value = 0;
		return 0;
	}
	err = r->inner.read(r->inner.ctx, reg, value);
	if (!err && reg == 91)
		*value |= r->junk;
	return err;
}

static int rig_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;
	int err = r->fail_at == (int)r->n ? PMK_EIO : 0;

	assert_true(r->n < COUNT(r->log));
	assert_true(value <= 0xffffffff);
	r->log[r->n++] = (struct access){ 'W', reg, (uint32_t)value };
	return err ? err : r->inner.write(r->inner.ctx, reg, value);
}

static void forget_log(struct rig *r)
{
	r->n = 0;
	r->fail_at = -1;
}

/* The hardware has the layout `hw`, and the driver uses `layout`. */
static void setup_layouts(struct rig *r, const struct pmk_ahbmon_layout *hw,
			  const struct pmk_ahbmon_layout *layout)
{
	static const struct pmk_ahbmon_params defaults;

	memset(r, 0, sizeof(*r));
	r->layout = *layout;
	r->pmu = pmk_ahbmon;
	r->pmu.family = &r->layout;
	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&r->bus[i]);
	r->to_model = (struct pmk_model_port){
		.ops = pmk_model_find(&pmk_ahbmon),
		.model = &r->model,
		.bus = r->bus,
		.mode = PMK_MODE_PRIV,
	};
	pmk_ahbmon_model_reset(&r->model, hw, &defaults, r->bus);
	r->inner = pmk_port_model(&r->to_model);
	r->dev.pmu = &r->pmu;
	r->dev.port = (struct pmk_port){ .read = rig_read, .write = rig_write, .ctx = r };
	forget_log(r);
}

static void setup(struct rig *r)
{
	setup_layouts(r, &pmk_ahbmon_sp816, &pmk_ahbmon_sp816);
}

/* Reads a register without going through the driver. */
static uint32_t peek(struct rig *r, unsigned reg)
{
	uint64_t value;

	OK(r->inner.read(r->inner.ctx, reg, &value));
	return (uint32_t)value;
}

static void poke(struct rig *r, unsigned reg, uint32_t value)
{
	OK(r->inner.write(r->inner.ctx, reg, value));
}

static void raise_on(struct rig *r, unsigned bus, enum pmk_signal sig, uint64_t n)
{
	pmk_bus_add(&r->bus[bus], sig, n);
}

/* Compares the log of register accesses with a text such as "R91 W91=00000001". */
static void check_log(struct rig *r, const char *expected)
{
	char text[2048];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < r->n; i++) {
		const struct access *a = &r->log[i];

		if (a->what == 'R')
			len += (size_t)snprintf(text + len, sizeof(text) - len, " R%u", a->reg);
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, " W%u=%08x", a->reg,
						a->value);
		assert_true(len < sizeof(text));
	}
	assert_string_equal(r->n ? text + 1 : text, expected);
	forget_log(r);
}

/* ---- sequences ----------------------------------------------------------------------------- */

static const struct pmk_ahbmon_config config = {
	.track_dbgack = true,
	.castout4_aligned = true,
	.page = PMK_AHBMON_PAGE_8K,
	.threshold = { 10, 20, 30, 40, 50, 60, 70, 80, 90 },
};

/* The driver's accesses in a complete sequence: reset, configure, start, read, stop. */
static void test_sequences(void **state)
{
	const struct pmk_driver *drv = pmk_ahbmon.driver;
	uint64_t value = 0;
	struct rig r;
	bool yes;

	(void)state;
	setup(&r);
	OK(drv->reset(&r.dev));
	check_log(&r, "R91 W91=00000000 W92=00000001");
	OK(pmk_ahbmon_configure(&r.dev, &config));
	check_log(&r, "R91 W95=0000000a W96=00000014 W97=0000001e W98=00000028 W99=00000032 "
		      "W100=0000003c W101=00000046 W102=00000050 W103=0000005a W94=00000002 "
		      "W91=00000006");
	OK(drv->program(&r.dev, 61, 61));
	check_log(&r, ""); /* program() accesses nothing */
	OK(drv->start(&r.dev));
	check_log(&r, "R91 W91=00000007");
	OK(drv->running(&r.dev, &yes));
	assert_true(yes);
	check_log(&r, "R91");
	raise_on(&r, 6, PMK_SIG_AHB_READ, 1234);
	OK(drv->read(&r.dev, 61, &value));
	assert_int_equal(value, 1234);
	check_log(&r, "R61");
	OK(drv->stop(&r.dev));
	check_log(&r, "R91 W91=00000006");
	OK(drv->running(&r.dev, &yes));
	assert_false(yes);
	OK(drv->read(&r.dev, 61, &value)); /* stop() keeps the values */
	assert_int_equal(value, 1234);
	forget_log(&r);
	OK(drv->reset(&r.dev));
	check_log(&r, "R91 W91=00000006 W92=00000001");
	OK(drv->read(&r.dev, 61, &value));
	assert_int_equal(value, 0);
	assert_int_equal(r.model.oddities, 0);
}

/* Starting twice and stopping twice has no effect on the counts. */
static void test_again(void **state)
{
	const struct pmk_driver *drv = pmk_ahbmon.driver;
	uint64_t value;
	struct rig r;
	bool yes;

	(void)state;
	setup(&r);
	OK(drv->start(&r.dev));
	raise_on(&r, 5, PMK_SIG_AHB_WRAP16, 3);
	OK(drv->start(&r.dev));
	raise_on(&r, 5, PMK_SIG_AHB_WRAP16, 4);
	OK(drv->stop(&r.dev));
	OK(drv->stop(&r.dev));
	raise_on(&r, 5, PMK_SIG_AHB_WRAP16, 5);
	OK(drv->read(&r.dev, 55, &value));
	assert_int_equal(value, 7);
	OK(drv->running(&r.dev, &yes));
	assert_false(yes);
}

/* If the layout does not name a bit of AHBMONCtrlReg, the driver writes it back as it was read. */
static void test_unknown_control_bits(void **state)
{
	const struct pmk_driver *drv = pmk_ahbmon.driver;
	struct pmk_ahbmon_config none = { .page = 0 };
	struct rig r;

	(void)state;
	setup(&r);
	r.junk = 0x80000f00;
	OK(drv->reset(&r.dev));
	check_log(&r, "R91 W91=80000f00 W92=00000001");
	OK(drv->start(&r.dev));
	check_log(&r, "R91 W91=80000f01");
	OK(drv->stop(&r.dev));
	check_log(&r, "R91 W91=80000f00");
	poke(&r, 91, 6);
	OK(pmk_ahbmon_configure(&r.dev, &none));
	check_log(&r, "R91 W95=00000000 W96=00000000 W97=00000000 W98=00000000 W99=00000000 "
		      "W100=00000000 W101=00000000 W102=00000000 W103=00000000 W94=00000000 "
		      "W91=80000f00");
}

/* CtTotalCycles counts cycles since the hardware reset, whatever the driver does. */
static void test_total_cycles(void **state)
{
	const struct pmk_driver *drv = pmk_ahbmon.driver;
	uint64_t value;
	struct rig r;

	(void)state;
	setup(&r);
	raise_on(&r, 0, PMK_SIG_CYCLE, 100);
	OK(drv->reset(&r.dev));
	OK(drv->read(&r.dev, 88, &value));
	assert_int_equal(value, 100);
	OK(drv->start(&r.dev));
	raise_on(&r, 0, PMK_SIG_CYCLE, 10);
	OK(drv->stop(&r.dev));
	raise_on(&r, 0, PMK_SIG_CYCLE, 5);
	OK(drv->read(&r.dev, 88, &value));
	assert_int_equal(value, 115);
	OK(drv->read(&r.dev, 89, &value));
	assert_int_equal(value, 10);
	OK(drv->read(&r.dev, 90, &value));
	assert_int_equal(value, 10);
}

/* Every counter counts only between start and stop. */
static void test_every_counter(void **state)
{
	const struct pmk_driver *drv = pmk_ahbmon.driver;

	(void)state;
	for (unsigned c = 0; c < 91; c++) {
		static const unsigned bus[][2] = { { 7, 1 },  { 16, 2 }, { 32, 3 }, { 42, 4 },
						   { 60, 5 }, { 78, 6 }, { 87, 7 }, { 90, 0 } };
		enum pmk_signal sig = pmk_ahbmon.events[c].signal;
		uint64_t value;
		unsigned b = 0;
		struct rig r;

		setup(&r);
		while (c > bus[b][0])
			b++;
		OK(drv->reset(&r.dev));
		OK(drv->program(&r.dev, c, c));
		raise_on(&r, bus[b][1], sig, 100);
		OK(drv->start(&r.dev));
		raise_on(&r, bus[b][1], sig, 7);
		OK(drv->stop(&r.dev));
		raise_on(&r, bus[b][1], sig, 1000);
		OK(drv->read(&r.dev, c, &value));
		assert_int_equal(value, c == 88 ? 1107 : 7);
	}
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void test_program(void **state)
{
	struct rig r;

	(void)state;
	setup(&r);
	for (unsigned c = 0; c < 91; c++)
		for (unsigned code = 0; code < 91; code++)
			assert_int_equal(pmk_ahbmon.driver->program(&r.dev, c, code),
					 c == code ? 0 : PMK_ENOCTR);
	assert_int_equal(pmk_ahbmon.driver->program(&r.dev, 0, 91), PMK_ENOEVENT);
	assert_int_equal(pmk_ahbmon.driver->program(&r.dev, 0, 0x10000), PMK_ENOEVENT);
	assert_int_equal(pmk_ahbmon.driver->program(&r.dev, 91, 90), PMK_EINVAL);
	assert_int_equal(pmk_ahbmon.driver->program(&r.dev, 91, 91), PMK_EINVAL);
	check_log(&r, "");
}

static void test_what_it_cannot_do(void **state)
{
	const struct pmk_driver *drv = pmk_ahbmon.driver;
	uint64_t value = 5;
	uint32_t mask = 77;
	struct rig r;

	(void)state;
	setup(&r);
	assert_int_equal(drv->write(&r.dev, 0, 0), PMK_ENOTSUP);
	assert_int_equal(drv->write(&r.dev, 90, 1), PMK_ENOTSUP);
	assert_int_equal(drv->write(&r.dev, 91, 1), PMK_EINVAL);
	assert_int_equal(drv->irq_enable(&r.dev, 0), 0);
	assert_int_equal(drv->irq_enable(&r.dev, 1), PMK_ENOTSUP);
	assert_int_equal(drv->clear(&r.dev, 0), 0);
	assert_int_equal(drv->clear(&r.dev, 0x80000000), PMK_ENOTSUP);
	assert_int_equal(drv->pending(&r.dev, &mask), 0);
	assert_int_equal(mask, 0);
	assert_int_equal(drv->read(&r.dev, 91, &value), PMK_EINVAL);
	assert_int_equal(value, 5);
	check_log(&r, "");
}

/* ---- configure ----------------------------------------------------------------------------- */

static void test_configure_refuses(void **state)
{
	static const struct {
		int line;
		uint32_t alignment_bit, width; /* fields of the layout */
		unsigned missing;	       /* a threshold without register, or 0 */
		struct pmk_ahbmon_config config;
		int result;
	} rows[] = {
		{ __LINE__, 4, 0xffffffff, 0, { .page = 3 }, 0 },
		{ __LINE__, 4, 0xffffffff, 0, { .page = 4 }, PMK_EINVAL },
		{ __LINE__, 4, 0xff, 0, { .threshold = { 255 } }, 0 },
		{ __LINE__, 4, 0xff, 0, { .threshold = { 256 } }, PMK_ERANGE },
		{ __LINE__, 4, 0xff, 0, { .threshold = { [8] = 256 } }, PMK_ERANGE },
		{ __LINE__, 0, 0xff, 0, { .castout4_aligned = false }, 0 },
		{ __LINE__, 0, 0xff, 0, { .castout4_aligned = true }, PMK_ENOTSUP },
		{ __LINE__, 4, 0xff, 103, { .threshold = { [7] = 1 } }, 0 },
		{ __LINE__, 4, 0xff, 103, { .threshold = { [8] = 1 } }, PMK_ENOTSUP },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pmk_ahbmon_layout layout = pmk_ahbmon_sp816;
		struct rig r;
		int err;

		layout.castout4_aligned = rows[i].alignment_bit;
		layout.threshold = rows[i].width;
		if (rows[i].missing)
			layout.offset[rows[i].missing] = 0xffff;
		setup_layouts(&r, &layout, &layout);
		err = pmk_ahbmon_configure(&r.dev, &rows[i].config);
		if (err != rows[i].result)
			fail_msg("row of line %d: %d", rows[i].line, err);
		if (err)
			check_log(&r, ""); /* the driver accessed nothing */
	}
}

static void test_configure_while_running(void **state)
{
	struct rig r;

	(void)state;
	setup(&r);
	OK(pmk_ahbmon.driver->start(&r.dev));
	forget_log(&r);
	assert_int_equal(pmk_ahbmon_configure(&r.dev, &config), PMK_EBUSY);
	check_log(&r, "R91");
	assert_int_equal(peek(&r, 94), 0);
}

/* configure() does not write a threshold that has no register. */
static void test_configure_missing_threshold(void **state)
{
	static const struct pmk_ahbmon_config some = { .threshold = { [1] = 5, [8] = 6 } };
	struct pmk_ahbmon_layout layout = pmk_ahbmon_sp816;
	struct rig r;

	(void)state;
	for (unsigned reg = 95; reg <= 103; reg++)
		if (reg != 96 && reg != 103)
			layout.offset[reg] = 0xffff;
	setup_layouts(&r, &layout, &layout);
	OK(pmk_ahbmon_configure(&r.dev, &some));
	check_log(&r, "R91 W96=00000005 W103=00000006 W94=00000000 W91=00000000");
	assert_int_equal(pmk_ahbmon_model_threshold(&r.model, PMK_AHBMON_OVER_CLCDC), 5);
	assert_int_equal(pmk_ahbmon_model_threshold(&r.model, PMK_AHBMON_OVER_GXI_WR_A), 6);
}

/* ---- another layout ------------------------------------------------------------------------ */

/*
 * Returns a layout with other bits, and with the counters in reverse order, because nothing may
 * depend on the project's layout.
 */
static struct pmk_ahbmon_layout other_layout(void)
{
	struct pmk_ahbmon_layout l = pmk_ahbmon_sp816;

	l.provenance = PMK_AHBMON_FROM_MANUAL;
	l.base = 0x40000000;
	l.enable = 0x80;
	l.track_dbgack = 0x10;
	l.castout4_aligned = 0;
	l.threshold = 0xff;
	for (unsigned i = 0; i < 104; i++)
		l.offset[i] = (uint16_t)(0xfffc - 8 * i);
	assert_int_equal(pmk_ahbmon_layout_check(&l), 0);
	return l;
}

static void test_other_layout(void **state)
{
	static const struct pmk_ahbmon_config track = { .track_dbgack = true };
	const struct pmk_driver *drv = pmk_ahbmon.driver;
	struct pmk_ahbmon_layout l = other_layout();
	unsigned agree;
	struct rig r;
	bool yes;

	(void)state;
	setup_layouts(&r, &l, &l);
	OK(drv->start(&r.dev));
	check_log(&r, "R91 W91=00000080");
	OK(drv->running(&r.dev, &yes));
	assert_true(yes);
	OK(drv->stop(&r.dev));
	OK(pmk_ahbmon_configure(&r.dev, &track));
	assert_int_equal(peek(&r, 91), 0x10);
	poke(&r, 91, 0xffffffff);
	assert_int_equal(peek(&r, 91), 0x90);
	forget_log(&r);
	OK(pmk_ahbmon_probe(&r.dev, 0x40000000, &agree));
	assert_int_equal(agree, 90);
	poke(&r, 93, 0);
	assert_int_equal(peek(&r, 0), 0x4000fffc);
	assert_int_equal(peek(&r, 90), 0x4000fd2c);
}

/* ---- probe --------------------------------------------------------------------------------- */

static void test_probe(void **state)
{
	unsigned agree = 77;
	struct rig r;

	(void)state;
	setup(&r);
	poke(&r, 91, 7);
	raise_on(&r, 0, PMK_SIG_CYCLE, 55);
	OK(pmk_ahbmon_probe(&r.dev, 0x101d0000, &agree));
	assert_int_equal(agree, 90);
	assert_int_equal(r.n, 1 + 90 + 3);
	assert_int_equal(r.log[0].what, 'W');
	assert_int_equal(r.log[0].reg, 93);
	for (unsigned i = 1; i <= 90; i++) {
		assert_int_equal(r.log[i].what, 'R');
		assert_int_equal(r.log[i].reg, i <= 88 ? i - 1 : i); /* not CtTotalCycles */
	}
	/*
	 * After probe(), the monitor is stopped, its counters are 0, and its settings are
	 * unchanged.
	 */
	assert_int_equal(peek(&r, 91), 6);
	for (unsigned i = 0; i < 91; i++)
		assert_int_equal(peek(&r, i), i == 88 ? 55 : 0);
}

/*
 * probe() finds no monitor on a machine that reads zeros at its address, like QEMU's versatilepb.
 */
static void test_probe_zeros(void **state)
{
	unsigned agree = 77;
	struct rig r;

	(void)state;
	setup(&r);
	r.zeros = true;
	assert_int_equal(pmk_ahbmon_probe(&r.dev, 0x101d0000, &agree), PMK_ENOTSUP);
	assert_int_equal(agree, 0);
}

/*
 * If an MMU maps the window elsewhere, probe() fails, because the counters still contain physical
 * addresses.
 */
static void test_probe_wrong_base(void **state)
{
	unsigned agree = 77;
	struct rig r;

	(void)state;
	setup(&r);
	assert_int_equal(pmk_ahbmon_probe(&r.dev, 0xf11d0000, &agree), PMK_ENOTSUP);
	assert_int_equal(agree, 0);
}

/*
 * probe() fails if the layout swaps two counters, or has a counter at the address of another
 * register.
 */
static void test_probe_wrong_places(void **state)
{
	struct pmk_ahbmon_layout believed = pmk_ahbmon_sp816;
	struct pmk_mmio mmio;
	static uint32_t window[0x10000 / 4];
	struct pmk_pmu pmu = pmk_ahbmon;
	struct pmk_dev dev;
	unsigned agree = 77;

	(void)state;
	/*
	 * The memory looks like silicon after a preset: every word of a counter contains its own
	 * address.
	 */
	for (unsigned i = 0; i < 91; i++)
		window[i] = 0x101d0000 + 4 * i;
	pmu.family = &believed;
	mmio = (struct pmk_mmio){ .base = (uintptr_t)window,
				  .offset = believed.offset,
				  .noffsets = PMK_AHBMON_NREGS };
	dev = (struct pmk_dev){ .pmu = &pmu, .port = pmk_port_mmio(&mmio) };
	OK(pmk_ahbmon_probe(&dev, 0x101d0000, &agree));
	assert_int_equal(agree, 90);

	believed.offset[7] = 0x400;  /* there is no counter at 0x400 */
	believed.offset[88] = 0x800; /* probe() does not check CtTotalCycles */
	assert_int_equal(pmk_ahbmon_probe(&dev, 0x101d0000, &agree), PMK_EBADREG);
	assert_int_equal(agree, 89);

	for (unsigned i = 0; i < 91; i++)
		believed.offset[i] = (uint16_t)(0x1000 + 4 * i);
	assert_int_equal(pmk_ahbmon_probe(&dev, 0x101d0000, &agree), PMK_ENOTSUP);
	assert_int_equal(agree, 0);
}

/* With the table of offsets, the memory port reaches each register's word. */
static void test_offsets_serve_the_memory_port(void **state)
{
	static uint32_t window[0x10000 / 4];
	struct pmk_mmio mmio = { .base = (uintptr_t)window,
				 .offset = pmk_ahbmon_sp816.offset,
				 .noffsets = 104 };
	struct pmk_port port = pmk_port_mmio(&mmio);
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < COUNT(window); i++)
		window[i] = 4 * i;
	for (unsigned reg = 0; reg < 104; reg++) {
		OK(port.read(port.ctx, reg, &value));
		assert_int_equal(value, reg < 91 ? 4 * reg : 0x200 + 4 * (reg - 91));
	}
	OK(port.write(port.ctx, 91, 7));
	assert_int_equal(window[0x200 / 4], 7);
	assert_int_equal(port.read(port.ctx, 104, &value), PMK_EBADREG);
}

/* ---- faults -------------------------------------------------------------------------------- */

/* Calls one of the driver's functions, which `what` selects. */
static int call(struct rig *r, unsigned what)
{
	uint64_t value;
	unsigned agree;
	bool yes;

	switch (what) {
	case 0:
		return r->dev.pmu->driver->reset(&r->dev);
	case 1:
		return r->dev.pmu->driver->start(&r->dev);
	case 2:
		return r->dev.pmu->driver->stop(&r->dev);
	case 3:
		return r->dev.pmu->driver->read(&r->dev, 3, &value);
	case 4:
		return r->dev.pmu->driver->running(&r->dev, &yes);
	case 5:
		return pmk_ahbmon_configure(&r->dev, &config);
	default:
		return pmk_ahbmon_probe(&r->dev, 0x101d0000, &agree);
	}
}

/* If any access fails, the driver returns its error and accesses nothing more. */
static void test_port_errors(void **state)
{
	static const unsigned accesses[] = { 3, 2, 2, 1, 1, 12, 94 };

	(void)state;
	for (unsigned what = 0; what < COUNT(accesses); what++) {
		struct rig r;

		setup(&r);
		OK(call(&r, what));
		assert_int_equal(r.n, accesses[what]);
		for (unsigned at = 0; at < accesses[what]; at++) {
			setup(&r);
			r.fail_at = (int)at;
			assert_int_equal(call(&r, what), PMK_EIO);
			assert_int_equal(r.n, at + 1);
		}
	}
}

static void test_failed_read_gives_nothing(void **state)
{
	uint64_t value = 5;
	bool yes = true;
	unsigned agree = 0;
	struct rig r;

	(void)state;
	setup(&r);
	poke(&r, 91, 1);
	r.fail_at = 0;
	assert_int_equal(pmk_ahbmon.driver->read(&r.dev, 0, &value), PMK_EIO);
	assert_int_equal(value, 5);
	forget_log(&r);
	r.fail_at = 0;
	assert_int_equal(pmk_ahbmon.driver->running(&r.dev, &yes), PMK_EIO);
	assert_false(yes);
	forget_log(&r);
	r.fail_at = 11; /* ten accesses have succeeded */
	assert_int_equal(pmk_ahbmon_probe(&r.dev, 0x101d0000, &agree), PMK_EIO);
	assert_int_equal(agree, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_unknown_control_bits),
		cmocka_unit_test(test_total_cycles),
		cmocka_unit_test(test_every_counter),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_what_it_cannot_do),
		cmocka_unit_test(test_configure_refuses),
		cmocka_unit_test(test_configure_while_running),
		cmocka_unit_test(test_configure_missing_threshold),
		cmocka_unit_test(test_other_layout),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_probe_zeros),
		cmocka_unit_test(test_probe_wrong_base),
		cmocka_unit_test(test_probe_wrong_places),
		cmocka_unit_test(test_offsets_serve_the_memory_port),
		cmocka_unit_test(test_port_errors),
		cmocka_unit_test(test_failed_read_gives_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
