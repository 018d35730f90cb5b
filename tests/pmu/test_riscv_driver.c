// SPDX-License-Identifier: MIT
/*
 * RISC-V's driver on a port that logs its accesses: sequences are compared with literal numbers,
 * counters wrap between two reads, and accesses fail. Then the driver runs on the models.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/model.h>
#include <pmk/riscv.h>
#include <pmk/riscv_model.h>
#include <pmk/session.h>

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define OK(call)   assert_int_equal((call), 0)
#define NO_FAILURE 99

struct access {
	bool write;
	unsigned reg;
	uint64_t value;
};

struct recorder {
	struct pmk_dev dev;
	struct access log[64];
	unsigned n, fail_at;
	uint64_t reg[30];
	/* When `tick_reg` has been read `tick_after` + 1 times, tick() is called once. */
	unsigned tick_after, tick_reg;
	void (*tick)(struct recorder *r);
};

static int note(struct recorder *r, bool write, unsigned reg, uint64_t value)
{
	assert_true(r->n < COUNT(r->log) && reg < COUNT(r->reg));
	r->log[r->n++] = (struct access){ write, reg, value };
	return r->n - 1 == r->fail_at ? PMK_EIO : PMK_OK;
}

static int recorder_read(void *ctx, unsigned reg, uint64_t *value)
{
	struct recorder *r = ctx;
	int err = note(r, false, reg, r->reg[reg]);

	if (!err)
		*value = r->reg[reg];
	if (r->tick && reg == r->tick_reg && r->tick_after-- == 0) {
		r->tick(r);
		r->tick = NULL;
	}
	return err;
}

static int recorder_write(void *ctx, unsigned reg, uint64_t value)
{
	struct recorder *r = ctx;
	int err = note(r, true, reg, value);

	if (!err)
		r->reg[reg] = value;
	return err;
}

static struct recorder on(const struct pmk_pmu *pmu)
{
	return (struct recorder){ .dev = { .pmu = pmu }, .fail_at = NO_FAILURE };
}

static struct pmk_dev *dev(struct recorder *r)
{
	r->dev.port = (struct pmk_port){ .read = recorder_read, .write = recorder_write, .ctx = r };
	return &r->dev;
}

static void check(struct recorder *r, const struct access *want, size_t n)
{
	assert_int_equal(r->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(r->log[i].write, want[i].write);
		assert_int_equal(r->log[i].reg, want[i].reg);
		assert_int_equal(r->log[i].value, want[i].value);
	}
	r->n = 0;
}

#define CHECK(r, ...)                                             \
	do {                                                      \
		static const struct access want_[] = __VA_ARGS__; \
		check(r, want_, COUNT(want_));                    \
	} while (0)
/* Without this macro, the commas inside the rows would separate arguments of the outer macro. */
#define R(reg, value)             \
	{                         \
		false, reg, value \
	}
#define W(reg, value)            \
	{                        \
		true, reg, value \
	}

static const struct pmk_driver *driver(void)
{
	return pmk_riscv64.driver;
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void test_reset_64(void **state)
{
	struct recorder r = on(&pmk_riscv64);

	(void)state;
	OK(driver()->reset(dev(&r)));
	CHECK(&r, { R(10, 0), W(10, 0x7d), W(6, 0), W(7, 0), W(8, 0), W(9, 0), W(0, 0), W(1, 0),
		    W(2, 0), W(3, 0), W(4, 0), W(5, 0) });
}

/* A reset writes each counter three times: the lower half, the upper half, the lower half. */
static void test_reset_32(void **state)
{
	struct recorder r = on(&pmk_riscv32);

	(void)state;
	OK(driver()->reset(dev(&r)));
	CHECK(&r,
	      { R(10, 0), W(10, 0x7d), W(6, 0),	 W(7, 0),  W(8, 0), W(9, 0),  W(0, 0),	W(18, 0),
		W(0, 0),  W(1, 0),     W(19, 0), W(1, 0),  W(2, 0), W(20, 0), W(2, 0),	W(3, 0),
		W(21, 0), W(3, 0),     W(4, 0),	 W(22, 0), W(4, 0), W(5, 0),  W(23, 0), W(5, 0) });
}

static void test_program(void **state)
{
	struct recorder r = on(&pmk_riscv64);
	struct pmk_dev *d = dev(&r);

	(void)state;
	OK(driver()->program(d, 2, 0x009));
	OK(driver()->program(d, 5, 0x20D));
	OK(driver()->program(d, 3, 0x019));
	CHECK(&r, { W(6, 0x200), W(9, 0x2002), W(7, 0x2000000) });
	OK(driver()->program(d, 0, 0x300));
	OK(driver()->program(d, 1, 0x301));
	assert_int_equal(driver()->program(d, 0, 0x301), PMK_ENOCTR);
	assert_int_equal(driver()->program(d, 1, 0x009), PMK_ENOCTR);
	assert_int_equal(driver()->program(d, 2, 0x300), PMK_ENOCTR);
	assert_int_equal(driver()->program(d, 2, 0x01A), PMK_ENOEVENT);
	assert_int_equal(driver()->program(d, 2, 0), PMK_ENOEVENT);
	assert_int_equal(driver()->program(d, 6, 0x009), PMK_EINVAL);
	assert_int_equal(r.n, 0);
}

static void test_start_and_stop(void **state)
{
	struct recorder r = on(&pmk_riscv32);
	struct pmk_dev *d = dev(&r);
	bool yes;

	(void)state;
	OK(driver()->stop(d));
	OK(driver()->running(d, &yes));
	assert_false(yes);
	OK(driver()->start(d));
	OK(driver()->running(d, &yes));
	assert_true(yes);
	CHECK(&r, { R(10, 0), W(10, 0x7d), R(10, 0x7d), R(10, 0x7d), W(10, 0), R(10, 0) });
	r.reg[10] = 0x79; /* another user started instret */
	OK(driver()->running(d, &yes));
	assert_true(yes);
}

/* Bits of other counters are not changed. */
static void test_foreign_bits_stay(void **state)
{
	struct recorder r = on(&pmk_riscv64);
	struct pmk_dev *d = dev(&r);

	(void)state;
	r.reg[10] = 0xffffff80;
	OK(driver()->stop(d));
	assert_int_equal(r.reg[10], 0xfffffffd);
	OK(driver()->start(d));
	assert_int_equal(r.reg[10], 0xffffff80);
}

static void test_no_flags(void **state)
{
	struct recorder r = on(&pmk_riscv64);
	struct pmk_dev *d = dev(&r);
	uint32_t pending = 1;

	(void)state;
	OK(driver()->pending(d, &pending));
	assert_int_equal(pending, 0);
	OK(driver()->clear(d, 0));
	OK(driver()->irq_enable(d, 0));
	assert_int_equal(driver()->clear(d, 1), PMK_ENOTSUP);
	assert_int_equal(driver()->irq_enable(d, 4), PMK_ENOTSUP);
	assert_int_equal(r.n, 0);
}

/* ---- 64 bits --------------------------------------------------------------------------------- */

static void test_read_64(void **state)
{
	struct recorder r = on(&pmk_riscv64);
	uint64_t v;

	(void)state;
	r.reg[4] = 0x123456789abcdef0;
	OK(driver()->read(dev(&r), 4, &v));
	assert_int_equal(v, 0x123456789abcdef0);
	CHECK(&r, { R(4, 0x123456789abcdef0) });
	assert_int_equal(driver()->read(dev(&r), 6, &v), PMK_EINVAL);
	assert_int_equal(driver()->write(dev(&r), 6, 0), PMK_EINVAL);
	OK(driver()->write(dev(&r), 5, 0xfedcba9876543210));
	CHECK(&r, { W(5, 0xfedcba9876543210) });
}

static void test_read_32(void **state)
{
	struct recorder r = on(&pmk_riscv32);
	uint64_t v;

	(void)state;
	r.reg[1] = 0x89abcdef;
	r.reg[19] = 0x01234567;
	OK(driver()->read(dev(&r), 1, &v));
	assert_int_equal(v, 0x0123456789abcdef);
	CHECK(&r, { R(19, 0x01234567), R(1, 0x89abcdef), R(19, 0x01234567) });
}

/* Lets the counter carry from 7:ffffffff to 8:00000002. */
static void carry(struct recorder *r)
{
	r->reg[2] = 2;
	r->reg[20] = 8;
}

/*
 * The total is right if the lower half wraps after the first read of the upper half, or after the
 * lower half was read.
 */
static void test_read_while_it_wraps(void **state)
{
	(void)state;
	for (unsigned when = 0; when < 2; when++) {
		struct recorder r = on(&pmk_riscv32);
		uint64_t v;

		r.reg[2] = 0xffffffff;
		r.reg[20] = 7;
		r.tick = carry;
		r.tick_reg = when ? 2 : 20;
		OK(driver()->read(dev(&r), 2, &v));
		assert_int_equal(v, 0x800000002);
		assert_int_equal(r.n, 4);
		assert_int_equal(r.log[3].reg, 2);
	}
}

static void test_write_32(void **state)
{
	struct recorder r = on(&pmk_riscv32);

	(void)state;
	OK(driver()->write(dev(&r), 3, 0x1122334455667788));
	CHECK(&r, { W(3, 0), W(21, 0x11223344), W(3, 0x55667788) });
}

/* ---- faults ---------------------------------------------------------------------------------- */

static int reads(struct pmk_dev *d)
{
	uint64_t v;

	return driver()->read(d, 0, &v);
}

static int writes(struct pmk_dev *d)
{
	return driver()->write(d, 0, 1);
}

static int asks(struct pmk_dev *d)
{
	bool yes = true;
	int err = driver()->running(d, &yes);

	assert_false(err && yes);
	return err;
}

static int programs(struct pmk_dev *d)
{
	return driver()->program(d, 2, 0x009);
}

/* If an access fails, its error is returned and nothing is accessed after it. */
static void test_failing_ports(void **state)
{
	static int (*const calls[])(struct pmk_dev * d) = { reads, writes, asks, programs };

	(void)state;
	for (unsigned c = 0; c < COUNT(calls) + 3; c++) {
		int (*const slots[])(struct pmk_dev * d) = { driver()->reset, driver()->start,
							     driver()->stop };
		int (*call)(struct pmk_dev * d) =
			c < COUNT(calls) ? calls[c] : slots[c - COUNT(calls)];
		struct recorder whole = on(&pmk_riscv32);

		OK(call(dev(&whole)));
		assert_true(whole.n > 0);
		for (unsigned i = 0; i < whole.n; i++) {
			struct recorder r = on(&pmk_riscv32);

			r.fail_at = i;
			assert_int_equal(call(dev(&r)), PMK_EIO);
			assert_int_equal(r.n, i + 1);
		}
	}
}

/* ---- on the models --------------------------------------------------------------------------- */

static void count_on(const struct pmk_pmu *pmu)
{
	struct pmk_riscv_model m;
	struct pmk_bus bus;
	struct pmk_model_port mp = { pmk_model_find(pmu), &m, &bus, PMK_MODE_PRIV };
	struct pmk_port port = pmk_port_model(&mp);
	struct pmk_plan plan = { .nevents = 5,
				 .event = { { .code = 0x300 },
					    { .code = 0x301 },
					    { .code = 0x009 },
					    { .code = 0x00E },
					    { .code = 0x208 } } };
	static struct pmk_session s;
	static uint64_t totals[PMK_MAX_EVENTS];
	static const uint64_t want[] = { 6000000000, 4000000000, 70, 30, 9 };

	pmk_bus_init(&bus);
	mp.ops->reset(&m, &bus, pmu);
	OK(pmk_plan_make(pmu, &plan));
	assert_int_equal(plan.npasses, 1);
	OK(pmk_session_open(&s, pmu, &plan, &port));
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 1000); /* before the counters start */
	OK(pmk_session_start(&s));
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 6000000000); /* more than 32 bits */
	pmk_bus_add(&bus, PMK_SIG_INSN, 4000000000);
	pmk_bus_add(&bus, PMK_SIG_LOAD, 70);
	pmk_bus_add(&bus, PMK_SIG_BR_TAKEN, 10);
	pmk_bus_add(&bus, PMK_SIG_BR_NOT_TAKEN, 20);
	pmk_bus_add(&bus, PMK_SIG_L1I_MISS, 9);
	OK(pmk_session_stop(&s));
	pmk_bus_add(&bus, PMK_SIG_INSN, 5);
	OK(pmk_session_read(&s, totals));
	for (unsigned i = 0; i < COUNT(want); i++)
		assert_int_equal(totals[i], want[i]);
	assert_int_equal(m.oddities, 0);
}

static void test_sessions_on_models(void **state)
{
	(void)state;
	count_on(&pmk_riscv64);
	count_on(&pmk_riscv32);
}

/* Below M-mode, the driver returns an error after the first access, and changes nothing. */
static void test_without_rights(void **state)
{
	struct pmk_riscv_model m, before;
	struct pmk_bus bus;
	struct pmk_model_port mp = { pmk_model_find(&pmk_riscv64), &m, &bus, PMK_MODE_USER };
	struct pmk_dev d = { .pmu = &pmk_riscv64, .port = pmk_port_model(&mp) };

	(void)state;
	pmk_bus_init(&bus);
	mp.ops->reset(&m, &bus, &pmk_riscv64);
	before = m;
	assert_int_equal(driver()->reset(&d), PMK_EUNDEF);
	assert_int_equal(m.oddities, 2);
	m.oddities = 0;
	assert_memory_equal(&m, &before, sizeof(m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset_64),
		cmocka_unit_test(test_reset_32),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_start_and_stop),
		cmocka_unit_test(test_foreign_bits_stay),
		cmocka_unit_test(test_no_flags),
		cmocka_unit_test(test_read_64),
		cmocka_unit_test(test_read_32),
		cmocka_unit_test(test_read_while_it_wraps),
		cmocka_unit_test(test_write_32),
		cmocka_unit_test(test_failing_ports),
		cmocka_unit_test(test_sessions_on_models),
		cmocka_unit_test(test_without_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
