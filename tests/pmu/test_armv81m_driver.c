// SPDX-License-Identifier: MIT
/*
 * The driver of Armv8.1-M's PMU on a port that logs its accesses. The tests compare sequences with
 * literal numbers, let accesses fail, let halves of a counter wrap between two accesses, and run a
 * session on the model.
 *
 * Registers: 0-7 EVCNTR, 8 CCNTR, 9-16 EVTYPER, 17 CCFILTR, 18 CNTENSET, 19 CNTENCLR, 20 INTENSET,
 * 21 INTENCLR, 22 OVSCLR, 23 SWINC, 24 OVSSET, 25 TYPE, 26 CTRL, 27 AUTHSTATUS, 28 DEVARCH, 29
 * DEVTYPE, 30 DEMCR. Counters: 0 cycles, 1-4 pairs of event counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/armv81m_model.h>
#include <pmk/session.h>

#include "pmu/armv81m/regs.h"

#define OK(call) assert_int_equal((call), 0)
#define NEVER	 UINT32_MAX

struct recorder {
	struct pmk_dev dev;
	char log[1024];
	unsigned n, fail_at;
	uint32_t reg[31];
	uint32_t carry_at; /* the read at which register 0 wraps and register 1 is incremented */
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

	if (r->n == r->carry_at) {
		r->reg[0] = 5;
		r->reg[1]++;
	}
	*value = r->reg[reg];
	return note(r, "%sR%u", reg, 0);
}

static int recorder_write(void *ctx, unsigned reg, uint64_t value)
{
	struct recorder *r = ctx;

	assert_true(reg < 31 && !(value >> 32));
	r->reg[reg] = (uint32_t)value;
	return note(r, "%sW%u=%x", reg, (uint32_t)value);
}

static struct pmk_dev *record(struct recorder *r)
{
	*r = (struct recorder){ .fail_at = NEVER, .carry_at = NEVER };
	r->dev = (struct pmk_dev){
		.pmu = &pmk_cortex_m55,
		.port = { .read = recorder_read, .write = recorder_write, .ctx = r },
	};
	r->reg[25] = 0x00a05f08;
	r->reg[28] = 0x47700a06;
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
	return pmk_cortex_m55.driver;
}

#define RESET "R30 W30=1000000 R25 W26=0 W19=800000ff W21=800000ff W22=800000ff W26=6"

static void test_reset(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);

	(void)state;
	OK(drv()->reset(d));
	check(&r, RESET);
	r.reg[30] = 0x000107f1; /* monitor and vector catch must stay */
	OK(drv()->reset(d));
	check(&r, "R30 W30=10107f1 R25 W26=0 W19=800000ff W21=800000ff W22=800000ff W26=6");
	for (unsigned i = 0; i < 8; i++) {
		r.n = 0;
		r.fail_at = i;
		assert_int_equal(drv()->reset(d), PMK_EIO);
	}
}

/* The driver uses the counters that TYPE reports: none at all, or only four event counters. */
static void test_what_exists(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);

	(void)state;
	r.reg[25] = 0;
	assert_int_equal(drv()->reset(d), PMK_ENOPMU);
	check(&r, "R30 W30=1000000 R25");
	r.reg[25] = 0x00a05f04;
	OK(drv()->reset(d));
	r.log[0] = '\0';
	OK(drv()->program(d, 2, 0x08));
	check(&r, "W11=8 W12=1e");
	assert_int_equal(drv()->program(d, 3, 0x08), PMK_ENOCTR);
	assert_int_equal(drv()->program(d, 5, 0x08), PMK_EINVAL);
	OK(drv()->present(d));
	r.reg[28] = 0;
	assert_int_equal(drv()->present(d), PMK_ENOPMU);
}

static void test_program_start_stop(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);
	bool yes;

	(void)state;
	OK(drv()->reset(d));
	r.log[0] = '\0';
	OK(drv()->program(d, 0, 0x11));
	OK(drv()->program(d, 1, 0x08));
	OK(drv()->program(d, 4, 0x0f));
	check(&r, "W9=8 W10=1e W15=f W16=1e");
	assert_int_equal(drv()->program(d, 0, 0x08), PMK_ENOCTR);
	assert_int_equal(drv()->program(d, 1, 0x1e), PMK_ENOCTR);
	assert_int_equal(drv()->program(d, 1, 0x02), PMK_ENOEVENT);
	r.reg[26] = 0x206; /* P and C read as zero on hardware, and must not be written back */
	OK(drv()->start(d));
	check(&r, "W18=800000c3 R26 W26=201");
	OK(drv()->running(d, &yes));
	assert_true(yes);
	check(&r, "R30 R26 R18");
	OK(drv()->stop(d));
	check(&r, "R26 W26=200");
	OK(drv()->running(d, &yes));
	assert_false(yes);
}

static void test_read_and_write(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);
	uint64_t v;

	(void)state;
	r.reg[4] = 0xffff1234; /* [31:16] is reserved */
	r.reg[5] = 0xffff0002;
	r.reg[8] = 0x89abcdef;
	OK(drv()->read(d, 3, &v));
	assert_int_equal(v, 0x21234);
	check(&r, "R5 R4 R5");
	OK(drv()->read(d, 0, &v));
	assert_int_equal(v, 0x89abcdef);
	check(&r, "R8");
	OK(drv()->write(d, 3, 0x89abcdef));
	check(&r, "W4=0 W5=89ab W4=cdef");
	OK(drv()->write(d, 0, 7));
	check(&r, "W8=7");
	assert_int_equal(drv()->write(d, 1, UINT64_C(1) << 32), PMK_ERANGE);
	assert_int_equal(drv()->read(d, 5, &v), PMK_EINVAL);
}

/*
 * The lower half wraps before the first, the second or the third access; the total is right in each
 * case.
 */
static void test_a_carry_while_reading(void **state)
{
	static const struct {
		unsigned at;
		uint32_t want;
		const char *log;
	} cases[] = {
		{ 0, 0x40005, "R1 R0 R1" },
		{ 1, 0x40005, "R1 R0 R1 R0" },
		{ 2, 0x40005, "R1 R0 R1 R0" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct recorder r;
		struct pmk_dev *d = record(&r);
		uint64_t v;

		r.reg[0] = 0xffff;
		r.reg[1] = 3;
		r.carry_at = cases[i].at;
		OK(drv()->read(d, 1, &v));
		assert_int_equal(v, cases[i].want);
		check(&r, cases[i].log);
	}
}

/*
 * The flag and the interrupt of a pair are those of the odd counter. Clearing clears the flags of
 * both counters.
 */
static void test_overflow(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);
	uint32_t set;

	(void)state;
	OK(drv()->irq_enable(d, 0x13));
	check(&r, "W21=7fffff7d W20=80000082");
	OK(drv()->irq_enable(d, 0));
	check(&r, "W21=ffffffff");
	r.reg[22] = 0x80000057; /* even counters overflow at each carry */
	OK(drv()->pending(d, &set));
	assert_int_equal(set, 0x03);
	check(&r, "R22");
	OK(drv()->clear(d, 0x03));
	check(&r, "W22=80000003");
	OK(drv()->clear(d, 0));
	check(&r, "");
	assert_int_equal(drv()->clear(d, 1 << 5), PMK_EINVAL);
}

static void test_still(void **state)
{
	struct recorder r;
	struct pmk_dev *d = record(&r);

	(void)state;
	assert_int_equal(drv()->still(d, 0), PMK_EOFF);
	check(&r, "R26 R30 R26 W26=1 R26");
	assert_int_equal(drv()->still(d, 0), PMK_EOFF); /* TRCENA is 0 */
	r.reg[30] = 1 << 24;
	r.reg[27] = 0x00ff00ff;
	assert_int_equal(drv()->still(d, 0), PMK_ESTILL);
	r.reg[27] = 0x00aa00aa;
	assert_int_equal(drv()->still(d, 0), PMK_EFORBID);
}

/*
 * On the model, a session counts more events than 16 bits can hold, and more than 32 bits can hold.
 */
static void test_a_session(void **state)
{
	uint64_t memory[64];
	struct pmk_bus bus;
	struct pmk_model_port mp = { .ops = &pmk_armv81m_models[0], .model = memory, .bus = &bus };
	struct pmk_port port = pmk_port_model(&mp);
	struct pmk_dev d = { .pmu = &pmk_cortex_m55, .port = port };
	uint64_t v;

	(void)state;
	assert_true(mp.ops->size <= sizeof(memory));
	pmk_bus_init(&bus);
	mp.ops->reset(memory, &bus, &pmk_cortex_m55);
	OK(drv()->reset(&d));
	OK(drv()->program(&d, 0, 0x11));
	OK(drv()->program(&d, 2, 0x06));
	OK(drv()->start(&d));
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 3000000);
	pmk_bus_add(&bus, PMK_SIG_LOAD, 1000000);
	OK(drv()->read(&d, 0, &v));
	assert_int_equal(v, 3000000);
	OK(drv()->read(&d, 2, &v));
	assert_int_equal(v, 1000000);
	OK(drv()->stop(&d));
	pmk_bus_add(&bus, PMK_SIG_LOAD, 5);
	OK(drv()->read(&d, 2, &v));
	assert_int_equal(v, 1000000);
	OK(drv()->write(&d, 2, UINT32_MAX));
	OK(drv()->irq_enable(&d, 1 << 2));
	OK(drv()->start(&d));
	assert_int_equal(mp.ops->lines(memory), 0);
	pmk_bus_add(&bus, PMK_SIG_LOAD, 1);
	mp.ops->sync(memory, &bus);
	assert_int_equal(mp.ops->lines(memory), 1);
	OK(drv()->clear(&d, 1 << 2));
	assert_int_equal(mp.ops->lines(memory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_what_exists),
		cmocka_unit_test(test_program_start_stop),
		cmocka_unit_test(test_read_and_write),
		cmocka_unit_test(test_a_carry_while_reading),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_still),
		cmocka_unit_test(test_a_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
