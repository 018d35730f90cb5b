// SPDX-License-Identifier: MIT
/*
 * The DWT's driver on a port that logs its accesses: sequences are compared with literal numbers,
 * and accesses fail. On the model, the driver, a session and the firmware library extend the 8-bit
 * counters to 64 bits, and report when they may have missed a wrap.
 *
 * Registers: 0 CTRL, 1 CYCCNT, 2 CPICNT, 3 EXCCNT, 4 SLEEPCNT, 5 LSUCNT, 6 FOLDCNT, 7 LAR, 8 LSR, 9
 * DEMCR. Counters: 0 CYCCNT … 5 FOLDCNT.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/dwt_model.h>
#include <pmk/session.h>
#include <pmk/target.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK(call) assert_int_equal((call), 0)
#define NEVER	 UINT32_MAX

/* ---- a logging port ----------------------------------------------------------------- */

struct recorder {
	struct pmk_dev dev;
	char log[1024];
	unsigned n, fail_at;
	uint32_t reg[10];
	uint32_t ctrl_takes; /* bits of CTRL that can be written */
};

static int note(struct recorder *r, const char *form, unsigned reg, uint32_t value)
{
	size_t used = strlen(r->log);

	snprintf(r->log + used, sizeof(r->log) - used, form, used ? " " : "", reg, (unsigned)value);
	return r->n++ == r->fail_at ? PMK_EIO : PMK_OK;
}

static int recorder_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct recorder *r = ctx;

	assert_true(reg < COUNT(r->reg));
	*value = r->reg[reg];
	return note(r, "%sR%u", reg, 0);
}

static int recorder_write(void *ctx, unsigned reg, uint64_t value)
{
	struct recorder *r = ctx;

	assert_true(reg < COUNT(r->reg) && !(value >> 32));
	r->reg[reg] = reg ? (uint32_t)value
			  : (r->reg[0] & ~r->ctrl_takes) | ((uint32_t)value & r->ctrl_takes);
	return note(r, "%sW%u=%x", reg, (uint32_t)value);
}

static struct pmk_dev *record(struct recorder *r)
{
	*r = (struct recorder){ .fail_at = NEVER, .ctrl_takes = 0x007f1fff };
	r->dev = (struct pmk_dev){
		.pmu = &pmk_dwt,
		.port = { .read = recorder_read, .write = recorder_write, .ctx = r }
	};
	r->reg[0] = 0x40000000;
	return &r->dev;
}

static void check(struct recorder *r, const char *want)
{
	assert_string_equal(r->log, want);
	r->log[0] = '\0';
	r->n = 0;
}

static const struct pmk_driver *drv(void)
{
	return pmk_dwt.driver;
}

/* ---- sequences ------------------------------------------------------------------------------- */

#define RESET "R9 W9=1000000 R8 R0 W0=40000000 W1=0 W2=0 W3=0 W4=0 W5=0 W6=0"

static void test_reset(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);

	(void)state;
	OK(drv()->reset(d));
	check(&r, RESET);
	/*
	 * The settings of trace tools and debuggers stay: monitor, vector catch, packets, POSTCNT.
	 */
	r.reg[9] = 0x000107f1;
	r.reg[0] = 0x407f1fff;
	OK(drv()->reset(d));
	check(&r, "R9 W9=10107f1 R8 R0 W0=40411ffe W1=0 W2=0 W3=0 W4=0 W5=0 W6=0");
}

/*
 * If SLI and SLK show a locked lock, the driver writes the key. If the lock is open or missing, it
 * writes nothing.
 */
static void test_lock(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);

	(void)state;
	r.reg[8] = 3;
	OK(drv()->reset(d));
	check(&r, "R9 W9=1000000 R8 W7=c5acce55 R0 W0=40000000 W1=0 W2=0 W3=0 W4=0 W5=0 W6=0");
	r.reg[8] = 1;
	OK(drv()->reset(d));
	check(&r, RESET);
	r.reg[8] = 2; /* there is no software lock */
	OK(drv()->reset(d));
	check(&r, RESET);
}

static void test_absent_counters(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);

	(void)state;
	r.reg[0] = 0x41000000; /* NOPRFCNT */
	OK(drv()->reset(d));
	check(&r, "R9 W9=1000000 R8 R0 W0=41000000 W1=0");
	OK(drv()->program(d, 0, 0x04));
	assert_int_equal(drv()->program(d, 1, 0x08), PMK_ENOTSUP);
	assert_int_equal(drv()->write(d, 5, 0), PMK_ENOTSUP);
	r.reg[0] = 0x42000000; /* NOCYCCNT */
	OK(drv()->reset(d));
	check(&r, "R9 W9=1000000 R8 R0 W0=42000000 W2=0 W3=0 W4=0 W5=0 W6=0");
	assert_int_equal(drv()->program(d, 0, 0x04), PMK_ENOTSUP);
	OK(drv()->program(d, 5, 0x18));
	OK(drv()->start(d));
	check(&r, "R0 R6 W0=42200000"); /* CYCCNTENA is 0 */
	r.reg[0] = 0x43000000;
	assert_int_equal(drv()->reset(d), PMK_ENOPMU);
	check(&r, "R9 W9=1000000 R8 R0");
}

static void test_program(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		OK(drv()->program(d, i, 4 + 4 * i));
	assert_int_equal(drv()->program(d, 0, 0x08), PMK_ENOCTR);
	assert_int_equal(drv()->program(d, 5, 0x04), PMK_ENOCTR);
	assert_int_equal(drv()->program(d, 1, 0x07), PMK_ENOEVENT);
	assert_int_equal(drv()->program(d, 6, 0x04), PMK_EINVAL);
	check(&r, "");
}

/* Setting an enable clears its counter, so the driver writes the value back. */
static void test_start_and_stop(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);
	bool yes;

	(void)state;
	OK(drv()->reset(d));
	OK(drv()->program(d, 1, 0x08));
	OK(drv()->program(d, 4, 0x14));
	r.log[0] = '\0';
	OK(drv()->start(d));
	check(&r, "R0 R2 R5 R1 W0=40120001");
	OK(drv()->running(d, &yes));
	assert_true(yes);
	check(&r, "R9 R0");
	OK(drv()->stop(d));
	check(&r, "R0 W0=40000000");
	OK(drv()->running(d, &yes));
	assert_false(yes);
	r.log[0] = '\0';
	r.reg[5] = 0x77;
	OK(drv()->start(d));
	check(&r, "R0 R2 R5 W0=40120001 W5=77");
	/* The driver does not write back CYCCNT while it runs. */
	OK(drv()->start(d));
	check(&r, "R0 W0=40120001");
	/* Without TRCENA nothing counts, even if CTRL enables it. */
	r.reg[9] = 0;
	OK(drv()->running(d, &yes));
	assert_false(yes);
	check(&r, "R9");
}

static void test_sample(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);
	uint64_t v;

	(void)state;
	OK(drv()->reset(d));
	OK(drv()->program(d, 0, 0x04));
	r.log[0] = '\0';
	OK(drv()->sample(d)); /* sample() reads only cycles */
	check(&r, "R1");
	OK(drv()->program(d, 2, 0x0c));
	r.reg[1] = 0x12345678;
	r.reg[3] = 0xffffff42; /* [31:8] is reserved */
	OK(drv()->sample(d));
	check(&r, "R1 R3 R1");
	OK(drv()->read(d, 0, &v));
	assert_int_equal(v, 0x12345678);
	OK(drv()->read(d, 2, &v));
	assert_int_equal(v, 0x42);
	assert_int_equal(drv()->read(d, 6, &v), PMK_EINVAL);
	check(&r, "");
}

/*
 * With up to 255 cycles between two samples, the driver misses no wrap. From 256 cycles on it may
 * miss one, and reports this. CYCCNT may wrap between the samples.
 */
static void test_missed_wraps(void **state)
{
	static const struct {
		uint32_t from, to;
		unsigned missed;
	} rows[] = {
		{ 0, 255, 0 },
		{ 0, 256, PMK_STATUS_OVERFLOW },
		{ 0xffffff80, 0x7f, 0 },
		{ 0xffffff80, 0x80, PMK_STATUS_OVERFLOW },
		{ 1000, 5000000, PMK_STATUS_OVERFLOW },
	};
	struct recorder r;
	unsigned bits;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pmk_dev *d = record(&r);

		OK(drv()->reset(d));
		OK(drv()->program(d, 0, 0x04));
		OK(drv()->program(d, 1, 0x08));
		r.reg[1] = rows[i].from;
		OK(drv()->start(d));
		r.reg[1] = rows[i].to;
		OK(drv()->sample(d));
		OK(drv()->status(d, 1, &bits));
		assert_int_equal(bits, rows[i].missed);
		OK(drv()->status(d, 0, &bits)); /* CYCCNT itself is wide enough */
		assert_int_equal(bits, 0);
		OK(drv()->sample(d)); /* directly after a sample, the next one misses nothing */
		OK(drv()->status(d, 1, &bits));
		assert_int_equal(bits, 0);
		assert_int_equal(drv()->status(d, 6, &bits), PMK_EINVAL);
	}
}

/* Without CYCCNT, the driver cannot know whether it missed a wrap. */
static void test_missed_without_cyccnt(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);
	unsigned bits;

	(void)state;
	r.reg[0] = 0x42000000;
	OK(drv()->reset(d));
	OK(drv()->program(d, 1, 0x08));
	OK(drv()->start(d));
	OK(drv()->sample(d));
	OK(drv()->status(d, 1, &bits));
	assert_int_equal(bits, PMK_STATUS_OVERFLOW);
}

static void test_write(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);
	unsigned bits;

	(void)state;
	OK(drv()->program(d, 1, 0x08));
	OK(drv()->start(d));
	r.log[0] = '\0';
	OK(drv()->write(d, 1, 0xff));
	assert_int_equal(drv()->write(d, 1, 0x100), PMK_ERANGE);
	assert_int_equal(drv()->write(d, 0, UINT64_C(1) << 32), PMK_ERANGE);
	assert_int_equal(drv()->write(d, 6, 0), PMK_EINVAL);
	OK(drv()->write(d, 0, 0x80000000));
	check(&r, "W2=ff W1=80000000");
	r.reg[1] += 100; /* cycles since the write, not since 0 */
	OK(drv()->sample(d));
	OK(drv()->status(d, 1, &bits));
	assert_int_equal(bits, 0);
}

static void test_no_flags(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);
	uint32_t pending = 1;

	(void)state;
	OK(drv()->pending(d, &pending));
	assert_int_equal(pending, 0);
	OK(drv()->clear(d, 0));
	OK(drv()->irq_enable(d, 0));
	assert_int_equal(drv()->clear(d, 1), PMK_ENOTSUP);
	assert_int_equal(drv()->irq_enable(d, 4), PMK_ENOTSUP);
	check(&r, "");
}

static void test_still(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);

	(void)state;
	r.reg[9] = 0x01000000;
	r.reg[0] = 0x40000001;
	assert_int_equal(drv()->still(d, 0), PMK_ESTILL);
	check(&r, "R9 R0");
	r.reg[9] = 0; /* other code disabled trace */
	assert_int_equal(drv()->still(d, 0), PMK_EOFF);
	check(&r, "R9 R0 W9=1000000 W0=40000001 R0");
	r.reg[0] = 0x40000000; /* other code disabled the counter */
	assert_int_equal(drv()->still(d, 0), PMK_EOFF);
	r.ctrl_takes = 0; /* writes to CTRL have no effect */
	r.reg[0] = 0;
	assert_int_equal(drv()->still(d, 0), PMK_ENOPMU);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int programmed(struct pmk_dev *d)
{
	return drv()->program(d, 1, 0x08);
}

static int asks(struct pmk_dev *d)
{
	bool yes = true;
	int err = drv()->running(d, &yes);

	assert_false(err && yes);
	return err;
}

static int writes(struct pmk_dev *d)
{
	return drv()->write(d, 0, 1);
}

/* If an access fails, its error is returned and nothing is accessed after it. */
static void test_failing_ports(void **state)
{
	int (*const calls[])(struct pmk_dev * d) = { drv()->reset,  drv()->start, drv()->stop,
						     drv()->sample, asks,	  writes };

	(void)state;
	for (size_t c = 0; c < COUNT(calls); c++) {
		for (unsigned fail_at = 0;; fail_at++) {
			struct recorder r;
			struct pmk_dev *d = record(&r);
			unsigned before;
			int err;

			OK(programmed(d));
			r.reg[2] = 5; /* so start() writes it back */
			r.reg[8] = 3;
			r.reg[9] = 0x01000000;
			r.fail_at = fail_at;
			err = calls[c](d);
			before = r.n;
			if (!err) {
				assert_true(fail_at > 0 && before == fail_at);
				break;
			}
			assert_int_equal(err, PMK_EIO);
			assert_int_equal(before, fail_at + 1);
		}
	}
}

/* ---- on the model ---------------------------------------------------------------------------- */

struct rig {
	struct pmk_dwt_model m;
	struct pmk_bus bus;
	struct pmk_model_port to_model;
	struct pmk_port inner, port;
	unsigned cost; /* cycles that an access takes */
};

static int rig_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct rig *r = ctx;

	pmk_bus_add(&r->bus, PMK_SIG_CYCLE, r->cost);
	return r->inner.read(r->inner.ctx, reg, value);
}

static int rig_write(void *ctx, unsigned reg, uint64_t value)
{
	struct rig *r = ctx;

	pmk_bus_add(&r->bus, PMK_SIG_CYCLE, r->cost);
	return r->inner.write(r->inner.ctx, reg, value);
}

static void setup(struct rig *r, const struct pmk_dwt_params *params)
{
	memset(r, 0, sizeof(*r));
	pmk_bus_init(&r->bus);
	r->cost = 1;
	r->to_model =
		(struct pmk_model_port){ pmk_model_find(&pmk_dwt), &r->m, &r->bus, PMK_MODE_PRIV };
	pmk_dwt_model_reset(&r->m, params, &r->bus);
	r->inner = pmk_port_model(&r->to_model);
	r->port = (struct pmk_port){ rig_read, rig_write, NULL, r };
}

/*
 * Advances the model by n cycles. In `cpi` of them CPICNT counts, and in `lsu` others LSUCNT
 * counts.
 */
static void work(struct rig *r, unsigned n, unsigned cpi, unsigned lsu)
{
	pmk_bus_add(&r->bus, PMK_SIG_CYCLE, n);
	pmk_bus_add(&r->bus, PMK_SIG_CPI_CYCLE, cpi);
	pmk_bus_add(&r->bus, PMK_SIG_LSU_CYCLE, lsu);
}

static const struct pmk_dwt_params none, cortex_m7 = { .lock = true, .poison = 0xcc };

/*
 * Totals of 8-bit counters are exact if the session reads them often enough. Otherwise they are
 * marked as wrapped.
 */
static void test_session(void **state)
{
	static const struct pmk_dwt_params *const parts[] = { &none, &cortex_m7 };
	static struct pmk_session s;
	static uint64_t totals[PMK_MAX_EVENTS];

	(void)state;
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct pmk_plan plan = {
			.nevents = 3,
			.event = { { .code = 0x04 }, { .code = 0x08 }, { .code = 0x14 } }
		};
		struct rig r;

		setup(&r, parts[i]);
		OK(pmk_plan_make(&pmk_dwt, &plan));
		assert_int_equal(plan.npasses, 1);
		OK(pmk_session_open(&s, &pmk_dwt, &plan, &r.port));
		work(&r, 1000, 500, 400); /* before the counter starts */
		OK(pmk_session_start(&s));
		for (unsigned k = 0; k < 100; k++) {
			work(&r, 240, 200, 30);
			OK(pmk_session_read(&s, totals));
		}
		assert_int_equal(totals[1], 20000);
		assert_int_equal(totals[2], 3000);
		assert_in_range(totals[0], 24000, 24000 + 100 * 8);
		for (unsigned e = 0; e < 3; e++)
			assert_false(pmk_session_wrapped(&s, e));
		/* 600 of 700 cycles count, but the counter shows only 600 - 2 * 256 = 88. */
		work(&r, 700, 600, 10);
		OK(pmk_session_read(&s, totals));
		assert_int_equal(totals[1], 20000 + 600 % 256);
		assert_true(pmk_session_wrapped(&s, 1));
		assert_true(pmk_session_wrapped(&s, 2)); /* this counter may have wrapped, too */
		assert_false(pmk_session_wrapped(&s, 0));
		/* While the counters are stopped, they cannot wrap, and stopping loses nothing. */
		OK(pmk_session_stop(&s));
		work(&r, 100000, 5, 5);
		OK(pmk_session_start(&s));
		work(&r, 100, 7, 3);
		OK(pmk_session_read(&s, totals));
		assert_int_equal(totals[1], 20000 + 600 % 256 + 7);
		assert_int_equal(r.m.oddities & ~PMK_DWT_ODD_OFF, 0);
	}
}

static char text[4096];
static size_t length;

static void put(char c)
{
	assert_true(length < sizeof(text) - 1);
	text[length++] = c;
	text[length] = '\0';
}

/*
 * The library polls the counters at each end of a region, so any number of short regions is exact.
 */
static void test_target(void **state)
{
	struct pmk_region regions[2] = { { .name = "short" }, { .name = "long" } };
	struct pmk_target t = { .state = PMK_TARGET_CLOSED };
	uint64_t total;
	struct rig r;

	(void)state;
	setup(&r, &none);
	OK(pmk_target_open(&t, &pmk_dwt, r.port));
	assert_int_equal(pmk_target_add(&t, 0x04), 0);
	assert_int_equal(pmk_target_add(&t, 0x08), 1);
	assert_int_equal(pmk_target_add(&t, 0x14), 2);
	assert_true(pmk_target_deadline(&t, 1) == 127);
	OK(pmk_target_regions(&t, regions, 2));
	OK(pmk_target_start(&t));
	for (unsigned i = 0; i < 50; i++) {
		OK(pmk_region_begin(&t, 0));
		work(&r, 200, 150, 20);
		OK(pmk_region_end(&t, 0));
	}
	assert_int_equal(regions[0].net[1].sum, 50 * 150);
	assert_int_equal(regions[0].net[2].sum, 50 * 20);
	assert_int_equal(regions[0].net[0].sum, 50 * 200);
	OK(pmk_target_read(&t, 1, &total));
	assert_int_equal(total, 50 * 150);
	for (unsigned e = 0; e < 3; e++)
		assert_int_equal(pmk_target_wrapped(&t, e), 0);
	assert_int_equal(pmk_target_wrapped(&t, 3), PMK_EINVAL);
	length = 0;
	OK(pmk_target_report(&t, put));
	assert_null(strstr(text, "at least"));

	OK(pmk_region_begin(&t, 1));
	work(&r, 1000, 300, 20);
	OK(pmk_region_end(&t, 1));
	assert_int_equal(regions[1].net[1].sum, 300 - 256);
	assert_int_equal(pmk_target_wrapped(&t, 0), 0);
	assert_int_equal(pmk_target_wrapped(&t, 1), 1);
	assert_int_equal(pmk_target_wrapped(&t, 2), 1);
	length = 0;
	OK(pmk_target_report(&t, put));
	assert_non_null(strstr(text, "base_overhead (at least)\n"));
	assert_non_null(strstr(text, "  cycles\n"));

	/* A long region is exact, too, if the program polls often enough. */
	OK(pmk_region_begin(&t, 1));
	for (unsigned i = 0; i < 20; i++) {
		work(&r, 200, 60, 5);
		OK(pmk_target_poll(&t));
	}
	OK(pmk_region_end(&t, 1));
	assert_int_equal(regions[1].net[1].max, 20 * 60);
	OK(pmk_target_close(&t));
}

/* If the first start is not possible, the target reports the reason. */
static void test_target_says_why(void **state)
{
	struct pmk_target t = { .state = PMK_TARGET_CLOSED };
	struct pmk_dwt_params params = { .no_cyccnt = true, .no_prfcnt = true };
	struct rig r;

	(void)state;
	setup(&r, &params);
	assert_int_equal(pmk_target_open(&t, &pmk_dwt, r.port), PMK_ENOPMU);
	setup(&r, &none);
	r.cost = 0; /* cycles do not advance */
	OK(pmk_target_open(&t, &pmk_dwt, r.port));
	assert_int_equal(pmk_target_add(&t, 0x08), 0);
	assert_int_equal(pmk_target_start(&t), PMK_ESTILL);
	/* Another user runs CYCCNT already. */
	setup(&r, &none);
	OK(r.port.write(r.port.ctx, 9, 0x01000000));
	OK(r.port.write(r.port.ctx, 0, 1));
	assert_int_equal(pmk_target_open(&t, &pmk_dwt, r.port), PMK_EBUSY);
	OK(pmk_target_seize(&t, &pmk_dwt, r.port));
	/* Accesses are unprivileged. */
	setup(&r, &none);
	r.to_model.mode = PMK_MODE_USER;
	assert_int_equal(pmk_target_open(&t, &pmk_dwt, r.port), PMK_EUNDEF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_absent_counters),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_start_and_stop),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_missed_wraps),
		cmocka_unit_test(test_missed_without_cyccnt),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_no_flags),
		cmocka_unit_test(test_still),
		cmocka_unit_test(test_failing_ports),
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_target_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
