// SPDX-License-Identifier: MIT
/*
 * RISC-V's model in cases that vectors cannot express: two models on one bus, copies, and random
 * sequences, which are compared with a reference that counts signal by signal.
 * tests/conformance/riscv.vec tests the single rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/model.h>
#include <pmk/riscv_model.h>

#define OK(call) assert_int_equal((call), 0)

struct rig {
	const struct pmk_model_ops *ops;
	struct pmk_riscv_model m;
};

static void set_up(struct rig *g, const struct pmk_pmu *pmu, struct pmk_bus *bus)
{
	g->ops = pmk_model_find(pmu);
	g->ops->reset(&g->m, bus, pmu);
}

static void put(struct rig *g, struct pmk_bus *bus, unsigned reg, uint64_t value)
{
	OK(g->ops->write(&g->m, bus, PMK_MODE_PRIV, reg, value));
}

static uint64_t get(struct rig *g, struct pmk_bus *bus, unsigned reg)
{
	uint64_t value = 0;

	OK(g->ops->read(&g->m, bus, PMK_MODE_PRIV, reg, &value));
	return value;
}

/*
 * Each of two models on a bus sees all signals after its own reset, and neither sees the other's
 * registers.
 */
static void test_two_on_one_bus(void **state)
{
	struct pmk_bus bus;
	struct rig a, b;

	(void)state;
	pmk_bus_init(&bus);
	set_up(&a, &pmk_riscv64, &bus);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 5);
	set_up(&b, &pmk_riscv32, &bus);
	put(&b, &bus, PMK_RISCV_MHPMEVENT3, 0x200);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 2);
	pmk_bus_add(&bus, PMK_SIG_LOAD, 3);
	assert_int_equal(get(&a, &bus, PMK_RISCV_MCYCLE), 7);
	assert_int_equal(get(&b, &bus, PMK_RISCV_MCYCLE), 2);
	assert_int_equal(get(&a, &bus, PMK_RISCV_MHPMCOUNTER3), 0);
	assert_int_equal(get(&b, &bus, PMK_RISCV_MHPMCOUNTER3), 3);
}

/* A model has no pointers, so a copy continues independently. */
static void test_copies(void **state)
{
	struct pmk_bus bus, other;
	struct rig a, b;

	(void)state;
	pmk_bus_init(&bus);
	set_up(&a, &pmk_riscv64, &bus);
	put(&a, &bus, PMK_RISCV_MHPMEVENT3 + 1, 0x400);
	pmk_bus_add(&bus, PMK_SIG_STORE, 4);
	b = a;
	other = bus;
	memset(&a, 0xff, sizeof(a));
	pmk_bus_add(&other, PMK_SIG_STORE, 6);
	assert_int_equal(get(&b, &other, PMK_RISCV_MHPMCOUNTER3 + 1), 10);
}

static uint32_t seed = 1;

static uint32_t pick(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/*
 * Returns by how much one occurrence of a signal increments a counter with this selector, according
 * to U74 4.9.5. The random sequences use a few bits of each class.
 */
static unsigned increment_of(uint32_t selector, unsigned sig)
{
	static const struct {
		uint32_t selector;
		unsigned signal;
	} events[] = {
		{ 0x100, PMK_SIG_EXC_TAKEN }, { 0x200, PMK_SIG_LOAD },
		{ 0x400, PMK_SIG_STORE },     { 0x2000, PMK_SIG_DP },
		{ 0x4000, PMK_SIG_BR_TAKEN }, { 0x4000, PMK_SIG_BR_NOT_TAKEN },
		{ 0x102, PMK_SIG_L1I_MISS },  { 0x202, PMK_SIG_L1D_MISS },
		{ 0x402, PMK_SIG_L1D_EVICT },
	};
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		n += events[i].signal == sig && (events[i].selector & 0xff) == (selector & 0xff) &&
		     (events[i].selector & selector & ~UINT32_C(0xff));
	return n;
}

/*
 * Writes registers, lets time pass and reads counters in random order, on both widths, and compares
 * with plain arithmetic.
 */
static void random_run(const struct pmk_pmu *pmu, bool rv32)
{
	static const unsigned signals[] = {
		PMK_SIG_CYCLE,	  PMK_SIG_INSN,	    PMK_SIG_EXC_TAKEN, PMK_SIG_LOAD,
		PMK_SIG_STORE,	  PMK_SIG_DP,	    PMK_SIG_BR_TAKEN,  PMK_SIG_BR_NOT_TAKEN,
		PMK_SIG_L1I_MISS, PMK_SIG_L1D_MISS, PMK_SIG_L1D_EVICT
	};
	static const uint32_t selectors[] = { 0,     0x100, 0x200, 0x600, 0x4000, 0x6700,
					      0x102, 0x702, 0x202, 0x101, 0x6600, 0x402 };
	static const unsigned bit[] = { 0, 2, 3, 4, 5, 6 };
	uint64_t count[6] = { 0 };
	uint32_t inhibit = 0, selector[6] = { 0 };
	struct pmk_bus bus;
	struct rig g;

	pmk_bus_init(&bus);
	set_up(&g, pmu, &bus);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned c = pick(6), what = pick(10);

		if (what < 5) {
			unsigned sig = signals[pick(sizeof(signals) / sizeof(signals[0]))];
			uint64_t n = pick(8) ? pick(50) : (uint64_t)pick(1000) << 28;

			pmk_bus_add(&bus, sig, n);
			for (unsigned i = 0; i < 6; i++)
				if (!(inhibit >> bit[i] & 1))
					count[i] += n * (i == 0	  ? sig == PMK_SIG_CYCLE
							 : i == 1 ? sig == PMK_SIG_INSN
								  : increment_of(selector[i], sig));
		} else if (what == 5) {
			inhibit = pick(0x80) & 0x7d;
			put(&g, &bus, PMK_RISCV_MCOUNTINHIBIT, inhibit);
		} else if (what == 6 && c >= 2) {
			selector[c] = selectors[pick(sizeof(selectors) / sizeof(selectors[0]))];
			put(&g, &bus, PMK_RISCV_MHPMEVENT3 + c - 2, selector[c]);
		} else if (what == 7) {
			uint64_t v = (uint64_t)pick(1000000) << 40 | pick(1000000) << 12;

			count[c] = rv32 ? (count[c] & ~UINT64_C(0xffffffff)) | (v & 0xffffffff) : v;
			put(&g, &bus, c, v);
		} else if (rv32) {
			assert_int_equal(get(&g, &bus, c), count[c] & 0xffffffff);
			assert_int_equal(get(&g, &bus, PMK_RISCV_MCYCLEH + c), count[c] >> 32);
			assert_int_equal(get(&g, &bus, PMK_RISCV_CYCLEH + c), count[c] >> 32);
		} else {
			assert_int_equal(get(&g, &bus, c), count[c]);
			assert_int_equal(get(&g, &bus, PMK_RISCV_CYCLE + c), count[c]);
		}
	}
	assert_int_equal(g.m.oddities, 0);
}

static void test_random_runs(void **state)
{
	(void)state;
	random_run(&pmk_riscv64, false);
	random_run(&pmk_riscv32, true);
}

/* Registers that RV64 does not have cannot be accessed. */
static void test_no_such_register(void **state)
{
	struct pmk_bus bus;
	uint64_t v;
	struct rig g;

	(void)state;
	pmk_bus_init(&bus);
	set_up(&g, &pmk_riscv64, &bus);
	assert_int_equal(g.ops->read(&g.m, &bus, PMK_MODE_PRIV, 18, &v), PMK_EBADREG);
	assert_int_equal(g.ops->write(&g.m, &bus, PMK_MODE_PRIV, 18, 0), PMK_EBADREG);
	set_up(&g, &pmk_riscv32, &bus);
	OK(g.ops->read(&g.m, &bus, PMK_MODE_PRIV, 18, &v));
	assert_int_equal(g.ops->read(&g.m, &bus, PMK_MODE_PRIV, 30, &v), PMK_EBADREG);
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
