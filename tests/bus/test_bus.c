// SPDX-License-Identifier: MIT
/*
 * Tests the bus: its list of signals, its totals and their horizons (<pmk/bus.h>), and latencies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/bus.h>
#include <pmk/latency.h>

/* ---- the list of signals ------------------------------------------------------------------- */

static void test_every_signal_has_name_and_text(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PMK_NSIGNALS; i++) {
		const char *name = pmk_signal_name(i), *text = pmk_signal_text(i);

		assert_non_null(name);
		assert_non_null(text);
		assert_true(strlen(name) >= 2);
		assert_true(strlen(text) >= 10);
		assert_int_equal(strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
				 strlen(name));
		for (unsigned k = 0; k < i; k++) {
			assert_string_not_equal(name, pmk_signal_name(k));
			assert_string_not_equal(text, pmk_signal_text(k));
		}
	}
}

/* A number that is not a signal must fit in a byte. */
static void test_number_of_signals(void **state)
{
	(void)state;
	assert_true(PMK_NSIGNALS >= 30);
	assert_true(PMK_NSIGNALS < 256);
	assert_int_equal(PMK_SIG_NONE, 0);
	for (unsigned bad = PMK_NSIGNALS; bad < 300; bad++) {
		assert_null(pmk_signal_name(bad));
		assert_null(pmk_signal_text(bad));
		assert_false(pmk_signal_exact(bad));
	}
	assert_null(pmk_signal_name(UINT32_MAX));
}

static void test_names_belong_to_their_numbers(void **state)
{
	static const struct {
		unsigned sig;
		const char *name;
		bool exact;
	} rows[] = {
		{ PMK_SIG_CYCLE, "CYCLE", false },
		{ PMK_SIG_INSN, "INSN", true },
		{ PMK_SIG_BRANCH, "BRANCH", true },
		{ PMK_SIG_BRANCH_MISS, "BRANCH_MISS", false },
		{ PMK_SIG_PC_CHANGE, "PC_CHANGE", true },
		{ PMK_SIG_L1I_MISS, "L1I_MISS", false },
		{ PMK_SIG_L1D_ACCESS, "L1D_ACCESS", true },
		{ PMK_SIG_L1D_MISS, "L1D_MISS", false },
		{ PMK_SIG_L1D_WB_HALF, "L1D_WB_HALF", false },
		{ PMK_SIG_TLB_MISS, "TLB_MISS", false },
		{ PMK_SIG_WBUF_DRAIN, "WBUF_DRAIN", true },
		{ PMK_SIG_PARITY_ERROR, "PARITY_ERROR", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(pmk_signal_name(rows[i].sig), rows[i].name);
		assert_int_equal(pmk_signal_exact(rows[i].sig), rows[i].exact);
	}
	assert_int_equal(PMK_SIG_CYCLE, 1);
	assert_int_equal(PMK_SIG_PARITY_ERROR, PMK_NSIGNALS - 1);
}

/* ---- totals and horizon -------------------------------------------------------------------- */

static void test_init(void **state)
{
	struct pmk_bus bus;

	(void)state;
	memset(&bus, 0x5a, sizeof(bus));
	pmk_bus_init(&bus);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++) {
		assert_true(bus.total[i] == 0);
		assert_true(pmk_bus_horizon(&bus, i) == PMK_NEVER);
		assert_false(pmk_bus_raises(&bus, i));
	}
	assert_false(pmk_bus_due(&bus));
	assert_true(bus.recorded == 0);
}

static void test_totals_are_apart(void **state)
{
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		for (unsigned k = 0; k <= i; k++)
			pmk_bus_add(&bus, i, 3);
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		assert_true(bus.total[i] == 3 * (i + 1));
	pmk_bus_add(&bus, PMK_SIG_INSN, UINT64_C(0xFFFFFFFF00));
	assert_true(bus.total[PMK_SIG_INSN] == UINT64_C(0xFFFFFFFF09));
}

static void test_raised(void **state)
{
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	pmk_signal_add(&bus.raised, PMK_SIG_INSN);
	pmk_signal_add(&bus.raised, PMK_SIG_PARITY_ERROR);
	assert_true(pmk_bus_raises(&bus, PMK_SIG_INSN));
	assert_true(pmk_bus_raises(&bus, PMK_SIG_PARITY_ERROR));
	assert_false(pmk_bus_raises(&bus, PMK_SIG_CYCLE));
	memset(&bus.raised, 0xff, sizeof(bus.raised));
	assert_false(pmk_bus_raises(&bus, PMK_NSIGNALS));
}

static void test_horizon_is_the_nearest_asked_for(void **state)
{
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 1000);
	pmk_bus_ask(&bus, PMK_SIG_CYCLE, 1500);
	assert_true(pmk_bus_horizon(&bus, PMK_SIG_CYCLE) == 500);
	pmk_bus_ask(&bus, PMK_SIG_CYCLE, 2000); /* farther, so ignored */
	assert_true(pmk_bus_horizon(&bus, PMK_SIG_CYCLE) == 500);
	pmk_bus_ask(&bus, PMK_SIG_CYCLE, 1001);
	assert_true(pmk_bus_horizon(&bus, PMK_SIG_CYCLE) == 1);
	assert_true(pmk_bus_horizon(&bus, PMK_SIG_INSN) == PMK_NEVER);
	assert_false(pmk_bus_due(&bus));
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 1);
	assert_true(pmk_bus_due(&bus));
	assert_true(pmk_bus_horizon(&bus, PMK_SIG_CYCLE) == 0);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 100); /* still due, and does not wrap below 0 */
	assert_true(pmk_bus_due(&bus));
	assert_true(pmk_bus_horizon(&bus, PMK_SIG_CYCLE) == 0);
	pmk_bus_forget(&bus);
	assert_false(pmk_bus_due(&bus));
	assert_true(pmk_bus_horizon(&bus, PMK_SIG_CYCLE) == PMK_NEVER);
	assert_true(bus.total[PMK_SIG_CYCLE] == 1101);
}

/* When any signal reaches its horizon, the bus is due. */
static void test_each_signal_can_be_due(void **state)
{
	struct pmk_bus bus;

	(void)state;
	for (unsigned i = 0; i < PMK_NSIGNALS; i++) {
		pmk_bus_init(&bus);
		pmk_bus_ask(&bus, i, 7);
		pmk_bus_add(&bus, i, 6);
		for (unsigned k = 0; k < PMK_NSIGNALS; k++)
			if (k != i)
				pmk_bus_add(&bus, k, 1000);
		assert_false(pmk_bus_due(&bus));
		pmk_bus_add(&bus, i, 1);
		assert_true(pmk_bus_due(&bus));
	}
}

/* If a caller asks for a count that the signal has already passed, the bus is due at once. */
static void test_asked_too_late(void **state)
{
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	pmk_bus_add(&bus, PMK_SIG_INSN, 10);
	pmk_bus_ask(&bus, PMK_SIG_INSN, 4);
	assert_true(pmk_bus_due(&bus));
	assert_true(pmk_bus_horizon(&bus, PMK_SIG_INSN) == 0);
}

/* ---- latencies ----------------------------------------------------------------------------- */

static void test_latency(void **state)
{
	struct pmk_latency l;

	(void)state;
	pmk_latency_init(&l);
	assert_true(l.min > l.max); /* nothing was recorded */
	pmk_latency_add(&l, 0);
	assert_true(l.n == 1 && l.sum == 0 && l.sum2 == 0 && l.min == 0 && l.max == 0);
	pmk_latency_add(&l, 12);
	pmk_latency_add(&l, 5);
	assert_true(l.n == 3 && l.sum == 17 && l.sum2 == 169 && l.min == 0 && l.max == 12);

	pmk_latency_init(&l);
	pmk_latency_add(&l, 9); /* the first is both minimum and maximum */
	assert_true(l.n == 1 && l.min == 9 && l.max == 9 && l.sum2 == 81);
}

/* The sum of squares wraps modulo 2^64, and the other sums do not. */
static void test_latency_squares_wrap(void **state)
{
	struct pmk_latency l;

	(void)state;
	pmk_latency_init(&l);
	pmk_latency_add(&l, UINT64_C(0x100000001)); /* its square is 2^64 + 2^33 + 1 */
	assert_true(l.sum2 == UINT64_C(0x200000001));
	assert_true(l.sum == UINT64_C(0x100000001) && l.max == UINT64_C(0x100000001));
}

static void test_latency_log(void **state)
{
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	assert_true(bus.recorded == 0 && !pmk_bus_due(&bus));
	for (unsigned i = 0; i < 4097; i++)
		pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 10 * i, i + 2);
	/* The log is a ring: the first record is overwritten, so the second is the oldest. */
	assert_true(bus.recorded == 4097);
	assert_true(bus.log[0].start == 40960 && bus.log[0].cycles == 4098);
	assert_true(bus.log[1].start == 10 && bus.log[1].cycles == 3);
	assert_int_equal(bus.log[1].sig, PMK_SIG_L1I_ACCESS);
	/* pmk_bus_record() does not count the signal. */
	assert_true(bus.total[PMK_SIG_L1I_ACCESS] == 0);
}

/*
 * Records of one signal are found between those of other signals, and across the end of the ring.
 */
static void test_latency_log_is_searched(void **state)
{
	static struct pmk_bus bus;
	uint64_t at = 4000, found = 0;

	(void)state;
	pmk_bus_init(&bus);
	assert_true(pmk_bus_next_record(&bus, PMK_SIG_L1I_ACCESS, 0) == 0);
	for (unsigned i = 0; i < 4500; i++)
		pmk_bus_record(&bus, i % 7 ? PMK_SIG_L1I_ACCESS : PMK_SIG_MMU_LOOKUP, i, 2);
	/* Finds 4004, 4011 … 4494. */
	for (at = pmk_bus_next_record(&bus, PMK_SIG_MMU_LOOKUP, at); at < bus.recorded;
	     at = pmk_bus_next_record(&bus, PMK_SIG_MMU_LOOKUP, at + 1)) {
		assert_true(at % 7 == 0 && bus.log[at % 4096].start == at);
		found++;
	}
	assert_true(at == 4500 && found == 71);
	assert_true(pmk_bus_next_record(&bus, PMK_SIG_L1I_ACCESS, 4494) == 4495);
	assert_true(pmk_bus_next_record(&bus, PMK_SIG_CYCLE, 4000) == 4500);
	assert_true(pmk_bus_next_record(&bus, PMK_SIG_MMU_LOOKUP, 4495) == 4500);
}

static void expect_record(const struct pmk_bus *bus, unsigned number, uint64_t start, uint64_t end,
			  uint32_t cycles, unsigned n)
{
	const struct pmk_latency_record *r = &bus->log[number];

	assert_true(number < bus->recorded);
	assert_true(r->start == start && r->end == end);
	assert_int_equal(r->cycles, cycles);
	assert_int_equal(r->n, n);
}

/* Occurrences of equal length that do not overlap share one record. */
static void test_latencies_alike_are_one_record(void **state)
{
	static struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	for (unsigned i = 0; i < 3; i++) {
		pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 100 * i, 20);
		pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 100 * i + 20, 30);
		pmk_bus_record(&bus, PMK_SIG_MMU_LOOKUP, 100 * i + 10, 20);
	}
	assert_true(bus.recorded == 3 && bus.timed == 9);
	expect_record(&bus, 0, 0, 220, 20, 3);
	expect_record(&bus, 1, 20, 250, 30, 3);
	expect_record(&bus, 2, 10, 230, 20, 3);
	assert_true(bus.log[0].apart && bus.log[1].apart && bus.log[2].apart);
	assert_int_equal(bus.log[2].sig, PMK_SIG_MMU_LOOKUP);
	/* 84 = 20 + 64 has the same hash as 20. */
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 300, 84);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 400, 20);
	expect_record(&bus, 3, 300, 384, 84, 1);
	expect_record(&bus, 4, 400, 420, 20, 1);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 420, 20);
	expect_record(&bus, 4, 400, 440, 20, 2);
}

static void test_a_record_is_full(void **state)
{
	static struct pmk_bus bus;
	uint64_t now = 0;

	(void)state;
	pmk_bus_init(&bus);
	for (unsigned i = 0; i < 65536; i++)
		pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 2 * i, 2);
	assert_true(bus.recorded == 2 && bus.timed == 65536);
	expect_record(&bus, 0, 0, 131070, 2, 65535);
	expect_record(&bus, 1, 131070, 131072, 2, 1);
	/* 65535 squares of 2^24 add up to less than 2^64. Longer latencies have one record each. */
	for (now = 131072; bus.recorded < 4; now += 16777216)
		pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, now,
			       bus.recorded == 2 ? 16777216 : 16777217);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, now + 1, 16777217);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, now + 16777218, 16777216);
	assert_true(bus.recorded == 5);
	assert_int_equal(bus.log[2].n, 2);
	assert_int_equal(bus.log[3].n, 1);
	assert_int_equal(bus.log[4].n, 1);
}

/* Overlapping occurrences have a record each, in their order. */
static void test_what_overlaps_has_its_own_record(void **state)
{
	static struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	pmk_bus_record(&bus, PMK_SIG_PERIPHERAL_READ, 0, 50);
	pmk_bus_record(&bus, PMK_SIG_PERIPHERAL_READ, 49, 50);
	pmk_bus_record(&bus, PMK_SIG_PERIPHERAL_READ, 98, 50);
	pmk_bus_record(&bus, PMK_SIG_MMU_LOOKUP, 100, 50);
	pmk_bus_record(&bus, PMK_SIG_PERIPHERAL_READ, 148, 50);
	pmk_bus_record(&bus, PMK_SIG_PERIPHERAL_READ, 198, 50);
	assert_true(bus.recorded == 5 && bus.timed == 6);
	expect_record(&bus, 0, 0, 50, 50, 1);
	expect_record(&bus, 1, 49, 99, 50, 1);
	expect_record(&bus, 2, 98, 148, 50, 1);
	expect_record(&bus, 3, 100, 150, 50, 1);
	expect_record(&bus, 4, 148, 248, 50, 2);
	assert_true(bus.log[0].apart && !bus.log[1].apart && !bus.log[2].apart);
	assert_true(bus.log[3].apart && bus.log[4].apart);
	/* An occurrence is apart only if it begins after the latest end of all earlier ones. */
	pmk_bus_record(&bus, PMK_SIG_PERIPHERAL_WRITE, 300, 100);
	pmk_bus_record(&bus, PMK_SIG_PERIPHERAL_WRITE, 310, 10);
	pmk_bus_record(&bus, PMK_SIG_PERIPHERAL_WRITE, 399, 10);
	assert_false(bus.log[7].apart);
}

/* A record that was read does not grow. */
static void test_what_was_read_is_sealed(void **state)
{
	static struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 0, 20);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 40);
	pmk_bus_seal(&bus);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 39, 20); /* began before the record was read */
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 60, 20);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 80, 20);
	assert_true(bus.recorded == 3);
	expect_record(&bus, 0, 0, 20, 20, 1);
	expect_record(&bus, 1, 39, 59, 20, 1);
	expect_record(&bus, 2, 60, 100, 20, 2);
	assert_true(bus.log[0].apart && !bus.log[1].apart && bus.log[2].apart);
	/* While `sealed` is PMK_NEVER, every latency gets a record of its own. */
	pmk_bus_init(&bus);
	bus.sealed = PMK_NEVER;
	pmk_bus_seal(&bus);
	for (unsigned i = 0; i < 3; i++)
		pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 100 * i, 20);
	assert_true(bus.recorded == 3 && bus.timed == 3);
}

static void test_latency_log_is_due(void **state)
{
	static struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	pmk_bus_ask_recorded(&bus, 2);
	pmk_bus_ask_recorded(&bus, 5); /* the nearest request counts */
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 0, 2);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 2, 2);
	assert_false(pmk_bus_due(&bus));
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 4, 3);
	assert_true(pmk_bus_due(&bus));
	pmk_bus_forget(&bus);
	assert_false(pmk_bus_due(&bus));
	pmk_bus_ask_timed(&bus, 6);
	pmk_bus_ask_timed(&bus, 5);
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 7, 3);
	assert_false(pmk_bus_due(&bus));
	pmk_bus_record(&bus, PMK_SIG_L1I_ACCESS, 10, 3);
	assert_true(pmk_bus_due(&bus));
	pmk_bus_forget(&bus);
	assert_false(pmk_bus_due(&bus));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_signal_has_name_and_text),
		cmocka_unit_test(test_number_of_signals),
		cmocka_unit_test(test_names_belong_to_their_numbers),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_totals_are_apart),
		cmocka_unit_test(test_raised),
		cmocka_unit_test(test_horizon_is_the_nearest_asked_for),
		cmocka_unit_test(test_each_signal_can_be_due),
		cmocka_unit_test(test_asked_too_late),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_latency_squares_wrap),
		cmocka_unit_test(test_latency_log),
		cmocka_unit_test(test_latency_log_is_searched),
		cmocka_unit_test(test_latencies_alike_are_one_record),
		cmocka_unit_test(test_a_record_is_full),
		cmocka_unit_test(test_what_overlaps_has_its_own_record),
		cmocka_unit_test(test_what_was_read_is_sealed),
		cmocka_unit_test(test_latency_log_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
