// SPDX-License-Identifier: MIT
/*
 * The scripted master on the GXI. The tests compare the states of its two channels with expected
 * sequences, one letter per cycle, and check the sums of the observer.
 *
 * Address channel (DDI 0287B Table 4-5): . is idle; r and w are a read and a write that wait, and R
 * and W complete them. Read data channel (Table 4-4): . is idle, s stalled, l data without further
 * pending reads, and m data with more reads pending.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "buses/ahb/gxi.h"
#include "buses/ahb/mbx.h"

#define S(name) PMK_SIG_GXI_##name

static struct pmk_mbx mbx;
static struct pmk_gxi gxi;
static struct pmk_bus bus;
static char address[200], data[200];
static unsigned n;

static struct pmk_mbx_script reads(uint64_t period)
{
	return (struct pmk_mbx_script){
		.on = true, .pending = 4, .span = 65536, .step = 4, .period = period
	};
}

static void begin(const struct pmk_mbx_script *s)
{
	static const struct pmk_gxi_params params;

	assert_int_equal(pmk_mbx_init(&mbx, s), 0);
	pmk_bus_init(&bus);
	pmk_gxi_init(&gxi, &params, &bus);
	memset(address, 0, sizeof(address));
	memset(data, 0, sizeof(data));
	n = 0;
}

static void run(uint64_t cycles)
{
	for (uint64_t i = 0; i < cycles; i++, n++) {
		struct pmk_gxi_cycle c;

		assert_int_equal(mbx.now, n);
		pmk_mbx_step(&mbx, &c);
		pmk_gxi_sample(&gxi, &bus, &c);
		if (n < sizeof(address) - 1) {
			address[n] = c.address == PMK_GXI_WAIT ? (c.write ? 'w' : 'r')
							       : "..RW"[c.address];
			data[n] = ".slm"[c.data];
		}
	}
	assert_null(pmk_gxi_check(&gxi, &bus));
	assert_int_equal(mbx.reads, bus.total[S(READ)]);
	assert_int_equal(mbx.writes, bus.total[S(WRITE)]);
}

static void expect(const char *want_address, const char *want_data)
{
	assert_string_equal(address, want_address);
	assert_string_equal(data, want_data);
}

static void test_one_read(void **state)
{
	struct pmk_mbx_script s = reads(0);

	(void)state;
	s.count = 1;
	s.start = 2;
	s.read_wait = 3;
	s.data_wait = 4;
	begin(&s);
	assert_int_equal(pmk_mbx_quiet(&mbx), 2);
	run(14);
	expect("..rrrR........", "......ssssl...");
	assert_int_equal(bus.total[S(READ_WAIT)], 3);
	assert_int_equal(bus.total[S(DATA_WAIT)], 4);
	assert_int_equal(pmk_mbx_quiet(&mbx), UINT64_MAX);
}

static void test_one_write(void **state)
{
	struct pmk_mbx_script s = reads(0);

	(void)state;
	s.count = 1;
	s.direction = PMK_MATRIX_WRITES;
	s.read_wait = 9;
	s.write_wait = 2;
	begin(&s);
	run(6);
	expect("wwW...", "......");
	assert_int_equal(bus.total[S(WRITE_WAIT)], 2);
	assert_int_equal(bus.total[S(READ_WAIT)], 0);
}

/*
 * There is a request every five cycles, alternately a read and a write. The read data arrives while
 * the write waits.
 */
static void test_period(void **state)
{
	struct pmk_mbx_script s = reads(5);

	(void)state;
	s.direction = PMK_MATRIX_BOTH;
	s.write_wait = 2;
	s.data_wait = 5;
	s.count = 4;
	begin(&s);
	run(24);
	expect("R....wwW..R....wwW......", ".sssssl....sssssl.......");
}

/* Without gaps there is one request in each cycle, and the data follows some cycles later. */
static void test_a_stream(void **state)
{
	struct pmk_mbx_script s = reads(0);

	(void)state;
	s.data_wait = 2;
	s.count = 6;
	begin(&s);
	run(12);
	expect("RRRRRR......", ".ssmmmmml...");
}

/* Four requests may be pending. The fifth request waits until one of them completes. */
static void test_pending(void **state)
{
	struct pmk_mbx_script s = reads(0);

	(void)state;
	s.data_wait = 6;
	s.count = 6;
	begin(&s);
	run(20);
	/* cycles 01234567890123456789 */
	expect("RRRRrrrrRR..........", ".ssssssmmmmssssml...");
	assert_int_equal(bus.total[S(READ_WAIT)], 4);
	assert_int_equal(bus.total[S(DATA_WAIT)], 10);
	s.pending = 1;
	s.data_wait = 1;
	s.count = 3;
	begin(&s);
	run(12);
	expect("RrrRrrR.....", ".sl.sl.sl...");
}

/* If a request waits longer than the period, the next request follows directly after it. */
static void test_late(void **state)
{
	struct pmk_mbx_script s = reads(3);

	(void)state;
	s.read_wait = 4;
	s.count = 3;
	begin(&s);
	run(18);
	expect("rrrrRrrrrRrrrrR...", ".....l....l....l..");
}

/*
 * There are 17 transfers. Their addresses step through 8 KB by 1 KB, twice, and begin again. Every
 * second step enters another page of 2 KB, and every fourth step another page of 4 KB. The step
 * back also changes the page.
 */
static void test_pages(void **state)
{
	struct pmk_mbx_script s = reads(1);

	(void)state;
	s.addr = 0x4000;
	s.step = 1024;
	s.span = 8192;
	s.count = 17;
	begin(&s);
	run(30);
	assert_int_equal(bus.total[S(READ)], 17);
	assert_int_equal(bus.total[S(PAGE_2K)], 8);
	assert_int_equal(bus.total[S(PAGE_4K)], 4);
	assert_int_equal(bus.total[S(PAGE_8K)], 0);
	assert_int_equal(bus.total[S(PAGE_16K)], 0);
	s.addr = 0x3000; /* the addresses cross 16 KB, and return */
	begin(&s);
	run(30);
	assert_int_equal(bus.total[S(PAGE_2K)], 8);
	assert_int_equal(bus.total[S(PAGE_4K)], 4);
	assert_int_equal(bus.total[S(PAGE_8K)], 4);
	assert_int_equal(bus.total[S(PAGE_16K)], 4);
}

/* Stalls of 3, 2 and 5 cycles are compared with the thresholds. */
static void test_thresholds(void **state)
{
	struct pmk_mbx_script s = reads(20);

	(void)state;
	s.direction = PMK_MATRIX_BOTH;
	s.read_wait = 3;
	s.write_wait = 2;
	s.data_wait = 5;
	s.count = 8;
	for (uint32_t threshold = 0; threshold < 6; threshold++) {
		begin(&s);
		for (unsigned w = 0; w < PMK_GXI_NWAITS; w++)
			gxi.threshold[w] = threshold;
		run(170);
		assert_int_equal(bus.total[S(READ_OVER)], threshold < 3 ? 4 : 0);
		assert_int_equal(bus.total[S(WRITE_OVER)], threshold < 2 ? 4 : 0);
		assert_int_equal(bus.total[S(DATA_OVER)], threshold < 5 ? 4 : 0);
	}
}

/* Skipping quiet cycles gives the same result as stepping through them. */
static void test_skip_is_step(void **state)
{
	struct pmk_mbx_script s = reads(37);
	static struct pmk_mbx copy;
	uint64_t steps = 0;

	(void)state;
	s.direction = PMK_MATRIX_BOTH;
	s.write_wait = 3;
	s.data_wait = 4;
	begin(&s);
	copy = mbx;
	run(10000);
	while (copy.now < 10000) {
		uint64_t quiet = pmk_mbx_quiet(&copy);
		struct pmk_gxi_cycle c;

		if (quiet > 10000 - copy.now)
			quiet = 10000 - copy.now;
		pmk_mbx_skip(&copy, quiet);
		if (!quiet) {
			pmk_mbx_step(&copy, &c);
			steps++;
		}
	}
	assert_memory_equal(&copy, &mbx, sizeof(mbx));
	assert_true(steps < 2000);
}

static void test_nothing(void **state)
{
	struct pmk_mbx_script s = { .on = false };

	(void)state;
	begin(NULL);
	assert_int_equal(pmk_mbx_quiet(&mbx), UINT64_MAX);
	run(3);
	begin(&s);
	run(3);
	expect("...", "...");
}

static void test_refused(void **state)
{
	struct pmk_mbx_script s = reads(1);

	(void)state;
	s.direction = 3;
	assert_int_equal(pmk_mbx_init(&mbx, &s), PMK_EINVAL);
	s = reads(1);
	s.pending = 0;
	assert_int_equal(pmk_mbx_init(&mbx, &s), PMK_EINVAL);
	s.pending = 9;
	assert_int_equal(pmk_mbx_init(&mbx, &s), PMK_EINVAL);
	s = reads(1);
	s.addr = 2;
	assert_int_equal(pmk_mbx_init(&mbx, &s), PMK_EINVAL);
	s = reads(1);
	s.step = 6;
	assert_int_equal(pmk_mbx_init(&mbx, &s), PMK_EINVAL);
	s.step = 0;
	assert_int_equal(pmk_mbx_init(&mbx, &s), PMK_EINVAL);
	s = reads(1);
	s.span = 0;
	assert_int_equal(pmk_mbx_init(&mbx, &s), PMK_EINVAL);
	s.step = 8;
	s.span = 20;
	assert_int_equal(pmk_mbx_init(&mbx, &s), PMK_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_read),     cmocka_unit_test(test_one_write),
		cmocka_unit_test(test_period),	     cmocka_unit_test(test_a_stream),
		cmocka_unit_test(test_pending),	     cmocka_unit_test(test_late),
		cmocka_unit_test(test_pages),	     cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_skip_is_step), cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
