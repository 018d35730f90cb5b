// SPDX-License-Identifier: MIT
/*
 * Tests the observer of the GXI. States are the codes of DDI 0287B Tables 4-4 and 4-5: address
 * channel 0 idle, 1 waiting, 2 read, 3 write; data channel 0 idle, 1 stalled, 2 last, 3 more to
 * come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "buses/ahb/gxi.h"

#define S(name) PMK_SIG_GXI_##name

struct bench {
	struct pmk_gxi_params params;
	struct pmk_gxi gxi;
	struct pmk_bus bus;
};

static void setup(struct bench *b)
{
	b->params = (struct pmk_gxi_params){ 0 };
	pmk_bus_init(&b->bus);
	pmk_gxi_init(&b->gxi, &b->params, &b->bus);
}

static void cycle(struct bench *b, unsigned address, unsigned data, bool write, uint64_t addr)
{
	struct pmk_gxi_cycle c = {
		.addr = addr, .address = (uint8_t)address, .data = (uint8_t)data, .write = write
	};

	pmk_gxi_sample(&b->gxi, &b->bus, &c);
	assert_null(pmk_gxi_check(&b->gxi, &b->bus));
}

static void expect(const struct bench *b, ...)
{
	uint64_t want[PMK_NSIGNALS] = { 0 };
	va_list args;
	int sig;

	va_start(args, b);
	while ((sig = va_arg(args, int)) >= 0)
		want[sig] = (uint64_t)va_arg(args, int);
	va_end(args);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		if (b->bus.total[i] != want[i])
			fail_msg("%s is %llu, want %llu", pmk_signal_name(i),
				 (unsigned long long)b->bus.total[i], (unsigned long long)want[i]);
}

/* Each of the sixteen pairs of an address state and a data state raises only its own signals. */
static void test_states(void **state)
{
	static struct bench b;

	(void)state;
	for (unsigned address = 0; address < 4; address++)
		for (unsigned data = 0; data < 4; data++)
			for (unsigned write = 0; write < 2; write++) {
				bool waits = address == 1, stalled = data == 1;

				setup(&b);
				for (unsigned w = 0; w < 3; w++)
					b.gxi.threshold[w] = 1;
				cycle(&b, address, data, write, 0x1000);
				expect(&b, S(READ), address == 2, S(WRITE), address == 3,
				       S(READ_WAIT), waits && !write, S(WRITE_WAIT), waits && write,
				       S(DATA_WAIT), stalled, -1);
			}
}

/*
 * A read request, a write request and data have separate thresholds. Here they wait for 3, 2 and 4
 * cycles.
 */
static void test_thresholds(void **state)
{
	static const struct {
		uint32_t threshold;
		unsigned read, write, data;
	} rows[] = {
		{ 0, 1, 1, 1 }, { 1, 1, 1, 1 }, { 2, 1, 0, 1 }, { 3, 0, 0, 1 }, { 4, 0, 0, 0 }
	};
	static struct bench b;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		setup(&b);
		for (unsigned w = 0; w < 3; w++)
			b.gxi.threshold[w] = rows[i].threshold;
		for (unsigned n = 0; n < 3; n++)
			cycle(&b, 1, 0, false, 0);
		for (unsigned n = 0; n < 2; n++)
			cycle(&b, 1, 1, true, 0);
		for (unsigned n = 0; n < 2; n++)
			cycle(&b, 0, 1, false, 0);
		expect(&b, S(READ_WAIT), 3, S(WRITE_WAIT), 2, S(DATA_WAIT), 4, S(READ_OVER),
		       rows[i].read, S(WRITE_OVER), rows[i].write, S(DATA_OVER), rows[i].data, -1);
	}
}

/* A stall is one hit, however many requests it delays. After a completion, a new stall begins. */
static void test_stalls_not_requests(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	b.gxi.threshold[PMK_GXI_WAIT_READ] = 2;
	for (unsigned n = 0; n < 50; n++)
		cycle(&b, 1, 0, false, 0);
	cycle(&b, 2, 0, false, 0);
	for (unsigned n = 0; n < 2; n++)
		cycle(&b, 1, 0, false, 0);
	cycle(&b, 2, 0, false, 0);
	for (unsigned n = 0; n < 3; n++)
		cycle(&b, 1, 0, false, 0);
	expect(&b, S(READ_WAIT), 55, S(READ), 2, S(READ_OVER), 2, -1);
}

static void test_other_readings(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	b.gxi.params.threshold_reached = true;
	b.gxi.threshold[PMK_GXI_WAIT_DATA] = 3;
	for (unsigned n = 0; n < 3; n++)
		cycle(&b, 0, 1, false, 0);
	expect(&b, S(DATA_WAIT), 3, S(DATA_OVER), 1, S(READ_OVER), 0, -1);
	b.gxi.params.threshold_every_cycle = true;
	cycle(&b, 0, 1, false, 0);
	expect(&b, S(DATA_WAIT), 4, S(DATA_OVER), 2, -1);
}

/*
 * The observer counts changes of pages for four page sizes at once. The first transfer only sets
 * the current page, which reads and writes share.
 */
static void test_pages(void **state)
{
	static const struct {
		uint64_t addr;
		unsigned p2, p4, p8, p16; /* changes of pages up to now */
	} rows[] = {
		{ 0x10000000, 0, 0, 0, 0 }, { 0x100007fc, 0, 0, 0, 0 },	 { 0x10000800, 1, 0, 0, 0 },
		{ 0x10000ffc, 1, 0, 0, 0 }, { 0x10001000, 2, 1, 0, 0 },	 { 0x10002000, 3, 2, 1, 0 },
		{ 0x10003ffc, 4, 3, 1, 0 }, { 0x10004000, 5, 4, 2, 1 },	 { 0x10004000, 5, 4, 2, 1 },
		{ 0x10000000, 6, 5, 3, 2 }, { 0x110000000, 7, 6, 4, 3 },
	};
	static struct bench b;

	(void)state;
	setup(&b);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cycle(&b, 2 + i % 2, 0, false, rows[i].addr);
		cycle(&b, 1, 0, false, 0x7fff0000); /* a waiting request is not a transfer */
		assert_int_equal(b.bus.total[S(PAGE_2K)], rows[i].p2);
		assert_int_equal(b.bus.total[S(PAGE_4K)], rows[i].p4);
		assert_int_equal(b.bus.total[S(PAGE_8K)], rows[i].p8);
		assert_int_equal(b.bus.total[S(PAGE_16K)], rows[i].p16);
	}
}

static void test_reset_forgets(void **state)
{
	static const struct pmk_gxi_cycle reset = { .address = 3, .data = 1, .reset = true };
	static struct bench b;

	(void)state;
	setup(&b);
	cycle(&b, 3, 0, false, 0x1000);
	pmk_gxi_sample(&b.gxi, &b.bus, &reset);
	cycle(&b, 3, 0, false, 0x9000);
	expect(&b, S(WRITE), 2, -1);
	assert_int_equal(b.gxi.cycles, 3);
}

static void test_no_address(void **state)
{
	static struct bench b;
	unsigned n = 0;

	(void)state;
	setup(&b);
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		n += pmk_bus_raises(&b.bus, s);
	assert_int_equal(n, 2 + 6 + 4); /* transfers, waits and hits, pages */
	assert_true(pmk_bus_raises(&b.bus, S(PAGE_2K)));
	assert_true(pmk_bus_raises(&b.bus, S(WRITE_OVER)));
	pmk_bus_init(&b.bus);
	b.params.no_address = true;
	pmk_gxi_init(&b.gxi, &b.params, &b.bus);
	assert_false(pmk_bus_raises(&b.bus, S(PAGE_2K)));
	assert_true(pmk_bus_raises(&b.bus, S(READ)));
	cycle(&b, 3, 0, false, 0);
	cycle(&b, 3, 0, false, 0x10000);
	expect(&b, S(WRITE), 2, -1);
}

/*
 * If a wire of the GXI is not observed, the signals that depend on it are not raised. They are
 * marked as unknown on the bus, so their totals are not taken for 0.
 */
static void test_not_known(void **state)
{
	static const struct {
		struct pmk_gxi_params params;
		unsigned raised;	/* the signals that are raised */
		unsigned there, absent; /* one of the raised signals, and one that is not raised */
	} rows[] = {
		{ { .no_write = true }, 2 + 2 + 4, S(DATA_WAIT), S(READ_WAIT) },
		{ { .no_write = true }, 2 + 2 + 4, S(PAGE_2K), S(WRITE_OVER) },
		{ { .no_address_state = true }, 2, S(DATA_OVER), S(READ) },
		{ { .no_data_state = true }, 2 + 4 + 4, S(WRITE_WAIT), S(DATA_WAIT) },
		{ { .no_address = true, .no_write = true, .no_data_state = true },
		  2,
		  S(WRITE),
		  S(READ_OVER) },
	};
	static struct bench b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned n = 0;

		setup(&b);
		pmk_bus_init(&b.bus);
		pmk_gxi_init(&b.gxi, &rows[i].params, &b.bus);
		for (unsigned s = 0; s < PMK_NSIGNALS; s++)
			n += pmk_bus_raises(&b.bus, s);
		assert_int_equal(n, rows[i].raised);
		assert_true(pmk_bus_raises(&b.bus, rows[i].there));
		assert_false(pmk_bus_raises(&b.bus, rows[i].absent));
	}
	setup(&b);
	b.params.no_write = true;
	pmk_gxi_init(&b.gxi, &b.params, &b.bus);
	cycle(&b, 1, 1, true, 0);
	cycle(&b, 1, 1, false, 0);
	cycle(&b, 2, 2, false, 0);
	expect(&b, S(READ), 1, S(DATA_WAIT), 2, S(DATA_OVER), 1, -1);
	assert_null(pmk_gxi_check(&b.gxi, &b.bus));
}

static void test_idle(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	b.gxi.threshold[PMK_GXI_WAIT_DATA] = 1;
	cycle(&b, 0, 1, false, 0);
	pmk_gxi_idle(&b.gxi, &b.bus, 0);
	pmk_gxi_idle(&b.gxi, &b.bus, 1000000);
	assert_null(pmk_gxi_check(&b.gxi, &b.bus));
	assert_int_equal(b.gxi.cycles, 1000001);
	cycle(&b, 0, 1, false, 0); /* a separate streak */
	expect(&b, S(DATA_WAIT), 2, -1);
}

static void test_check_finds(void **state)
{
	static const unsigned signals[] = { S(READ), S(WRITE), S(READ_WAIT), S(WRITE_WAIT),
					    S(DATA_WAIT) };
	static struct bench b;

	(void)state;
	setup(&b);
	cycle(&b, 1, 1, false, 0);
	for (unsigned i = 0; i < 5; i++) {
		b.bus.total[signals[i]]++;
		assert_non_null(pmk_gxi_check(&b.gxi, &b.bus));
		b.bus.total[signals[i]]--;
	}
	assert_null(pmk_gxi_check(&b.gxi, &b.bus));
	b.gxi.data[3]++;
	assert_non_null(pmk_gxi_check(&b.gxi, &b.bus));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_stalls_not_requests),
		cmocka_unit_test(test_other_readings),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_reset_forgets),
		cmocka_unit_test(test_no_address),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_check_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
