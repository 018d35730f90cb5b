// SPDX-License-Identifier: MIT
/*
 * The DWT's model in cases that vectors cannot express: two models on one bus, copies, and random
 * sequences, which are compared with plain arithmetic. tests/conformance/dwt.vec tests the single
 * rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/dwt_model.h>

#define OK(call) assert_int_equal((call), 0)

static const struct pmk_model_ops *const ops = &pmk_dwt_models[0];

static void put(struct pmk_dwt_model *m, struct pmk_bus *bus, unsigned reg, uint64_t value)
{
	OK(ops->write(m, bus, PMK_MODE_PRIV, reg, value));
}

static uint64_t get(struct pmk_dwt_model *m, struct pmk_bus *bus, unsigned reg)
{
	uint64_t value = 0;

	OK(ops->read(m, bus, PMK_MODE_PRIV, reg, &value));
	return value;
}

/*
 * Each of two models on a bus sees all signals after its own reset, and neither sees the other's
 * registers.
 */
static void test_two_on_one_bus(void **state)
{
	struct pmk_dwt_model a, b;
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	ops->reset(&a, &bus, &pmk_dwt);
	put(&a, &bus, PMK_DWT_DEMCR, 1 << 24);
	put(&a, &bus, PMK_DWT_CTRL, 1);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 5);
	ops->reset(&b, &bus, &pmk_dwt);
	put(&b, &bus, PMK_DWT_DEMCR, 1 << 24);
	put(&b, &bus, PMK_DWT_CTRL, 0x100001);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 2);
	pmk_bus_add(&bus, PMK_SIG_LSU_CYCLE, 3);
	assert_int_equal(get(&a, &bus, PMK_DWT_CYCCNT), 7);
	assert_int_equal(get(&b, &bus, PMK_DWT_CYCCNT), 2);
	assert_int_equal(get(&a, &bus, PMK_DWT_LSUCNT), 0);
	assert_int_equal(get(&b, &bus, PMK_DWT_LSUCNT), 3);
}

/* A model has no pointers, so a copy continues independently. */
static void test_copies(void **state)
{
	struct pmk_dwt_model a, b;
	struct pmk_bus bus, other;

	(void)state;
	pmk_bus_init(&bus);
	ops->reset(&a, &bus, &pmk_dwt);
	put(&a, &bus, PMK_DWT_DEMCR, 1 << 24);
	put(&a, &bus, PMK_DWT_CTRL, 0x20000);
	pmk_bus_add(&bus, PMK_SIG_CPI_CYCLE, 4);
	b = a;
	other = bus;
	memset(&a, 0xff, sizeof(a));
	pmk_bus_add(&other, PMK_SIG_CPI_CYCLE, 6);
	assert_int_equal(get(&b, &other, PMK_DWT_CPICNT), 10);
	assert_int_equal(b.oddities, 0);
}

static uint32_t seed = 1;

static uint32_t pick(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/*
 * Writes registers, lets time pass and reads counters in random order, and compares with plain
 * arithmetic.
 */
static void test_random_runs(void **state)
{
	static const uint8_t signals[6] = { PMK_SIG_CYCLE,     PMK_SIG_CPI_CYCLE,
					    PMK_SIG_EXC_CYCLE, PMK_SIG_SLEEP_CYCLE,
					    PMK_SIG_LSU_CYCLE, PMK_SIG_FOLDED_INSN };
	static const uint32_t enable[6] = { 1, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21 };
	uint64_t count[6] = { 0 };
	uint32_t ctrl = 0;
	bool trace = false;
	struct pmk_dwt_model m;
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	ops->reset(&m, &bus, &pmk_dwt);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned c = pick(6), what = pick(10);
		uint64_t mask = c ? 0xff : 0xffffffff;

		if (what < 5) {
			uint64_t n = pick(8) ? pick(50) : (uint64_t)pick(1000) << 26;

			pmk_bus_add(&bus, signals[c], n);
			if (trace && (ctrl & enable[c]))
				count[c] = (count[c] + n) & mask;
		} else if (what == 5) {
			uint32_t now = (pick(64) & 0x3e) << 16 | pick(2);

			for (unsigned i = 1; i < 6; i++)
				if (now & ~ctrl & enable[i])
					count[i] = 0;
			ctrl = now;
			put(&m, &bus, PMK_DWT_CTRL, 0xff000000 | ctrl);
		} else if (what == 6) {
			trace = pick(4) != 0;
			put(&m, &bus, PMK_DWT_DEMCR, trace << 24);
		} else if (what == 7) {
			uint32_t v = pick(1 << 24) << 8 | pick(256);

			count[c] = v & mask;
			put(&m, &bus, PMK_DWT_CYCCNT + c, v);
		} else {
			assert_int_equal(get(&m, &bus, PMK_DWT_CYCCNT + c), count[c]);
			assert_int_equal(get(&m, &bus, PMK_DWT_CTRL), 0x40000000 | ctrl);
		}
	}
	assert_int_equal(m.oddities & ~PMK_DWT_ODD_OFF, 0);
}

static void test_no_such_register(void **state)
{
	struct pmk_dwt_model m;
	struct pmk_bus bus;
	uint64_t v;

	(void)state;
	pmk_bus_init(&bus);
	ops->reset(&m, &bus, &pmk_dwt);
	assert_int_equal(ops->read(&m, &bus, PMK_MODE_PRIV, 10, &v), PMK_EBADREG);
	assert_int_equal(ops->write(&m, &bus, PMK_MODE_PRIV, 10, 0), PMK_EBADREG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_on_one_bus),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_random_runs),
		cmocka_unit_test(test_no_such_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
