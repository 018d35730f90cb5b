// SPDX-License-Identifier: MIT
/*
 * The model of Armv8.1-M's PMU in cases that vectors cannot express: two models on one bus, copies,
 * horizons, and random sequences, which are compared with plain arithmetic.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/armv81m_model.h>

#include "pmu/armv81m/regs.h"

#define OK(call) assert_int_equal((call), 0)

static const struct pmk_model_ops *const ops = &pmk_armv81m_models[0];

/* Memory for one model. */
struct memory {
	uint64_t word[64];
};

static void put(struct memory *m, struct pmk_bus *bus, unsigned reg, uint64_t value)
{
	OK(ops->write(m, bus, PMK_MODE_PRIV, reg, value));
}

static uint64_t get(struct memory *m, struct pmk_bus *bus, unsigned reg)
{
	uint64_t value = 0;

	OK(ops->read(m, bus, PMK_MODE_PRIV, reg, &value));
	return value;
}

static void start(struct memory *m, struct pmk_bus *bus, unsigned event)
{
	assert_true(ops->size <= sizeof(*m));
	ops->reset(m, bus, &pmk_cortex_m55);
	put(m, bus, 30, 1 << 24);
	put(m, bus, 9, event);
	put(m, bus, 18, 0x80000001);
	put(m, bus, 26, 1);
}

static void test_two_on_one_bus(void **state)
{
	struct memory a, b;
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	start(&a, &bus, 0x08);
	pmk_bus_add(&bus, PMK_SIG_INSN, 5);
	start(&b, &bus, 0x06);
	pmk_bus_add(&bus, PMK_SIG_INSN, 2);
	pmk_bus_add(&bus, PMK_SIG_LOAD, 3);
	assert_int_equal(get(&a, &bus, 0), 7);
	assert_int_equal(get(&b, &bus, 0), 3);
}

static void test_copies(void **state)
{
	struct memory a, b;
	struct pmk_bus bus, other;

	(void)state;
	pmk_bus_init(&bus);
	start(&a, &bus, 0x08);
	pmk_bus_add(&bus, PMK_SIG_INSN, 4);
	b = a;
	other = bus;
	memset(&a, 0xff, sizeof(a));
	pmk_bus_add(&other, PMK_SIG_INSN, 6);
	assert_int_equal(get(&b, &other, 0), 10);
}

/* bus.due of a signal is its total at the next wrap of a counter. */
static void test_horizons(void **state)
{
	struct memory m;
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	pmk_bus_add(&bus, PMK_SIG_INSN, 1000);
	pmk_bus_add(&bus, PMK_SIG_CYCLE, 2000);
	start(&m, &bus, 0x08);
	assert_int_equal(bus.due[PMK_SIG_INSN], 1000 + 0x10000);
	assert_int_equal(bus.due[PMK_SIG_CYCLE], 2000 + (UINT64_C(1) << 32));
	put(&m, &bus, 0, 0xfff0);
	assert_int_equal(bus.due[PMK_SIG_INSN], 1016);
	/*
	 * If a counter counts two signals, each signal may advance by half of the distance to the
	 * wrap, rounded up.
	 */
	pmk_bus_init(&bus);
	start(&m, &bus, 0x0f);
	put(&m, &bus, 0, 0xfffb);
	assert_int_equal(bus.due[PMK_SIG_UNALIGNED_LD], 3);
	assert_int_equal(bus.due[PMK_SIG_UNALIGNED_ST], 3);
}

static uint32_t seed = 1;

static uint32_t pick(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* The reference: four counters, which may be chained. */
struct plain {
	uint64_t count[4];
	uint32_t type[4], enabled, flags;
	bool runs;
};

static void plain_add(struct plain *p, unsigned event, uint64_t n)
{
	for (unsigned i = 0; p->runs && i < 4; i++) {
		if (!(p->enabled >> i & 1) || p->type[i] != event)
			continue;
		p->count[i] += n;
		if (p->count[i] >> 16)
			p->flags |= 1u << i;
		if (i % 2 == 0 && (p->enabled >> (i + 1) & 1) && p->type[i + 1] == 0x1e) {
			p->count[i + 1] += p->count[i] >> 16;
			if (p->count[i + 1] >> 16)
				p->flags |= 2u << i;
			p->count[i + 1] &= 0xffff;
		}
		p->count[i] &= 0xffff;
	}
}

static void test_random_runs(void **state)
{
	static const uint32_t types[] = { 0x08, 0x06, 0x07, 0x1e };
	static const uint8_t signals[] = { PMK_SIG_INSN, PMK_SIG_LOAD, PMK_SIG_STORE };
	struct plain p = { .runs = false };
	struct memory m;
	struct pmk_bus bus;

	(void)state;
	pmk_bus_init(&bus);
	ops->reset(&m, &bus, &pmk_cortex_m55);
	put(&m, &bus, 30, 1 << 24);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned i = pick(4), what = pick(12), k = pick(3);

		if (what < 5) {
			uint64_t n = pick(6) ? pick(3000) : pick(1 << 20);

			pmk_bus_add(&bus, signals[k], n);
			/*
			 * The signals occur one after another, because the order within one step is
			 * not defined.
			 */
			ops->sync(&m, &bus);
			plain_add(&p, types[k], n);
		} else if (what == 5) {
			p.type[i] = types[pick(4)];
			put(&m, &bus, 9 + i, p.type[i]);
		} else if (what == 6) {
			p.enabled |= 1u << i;
			put(&m, &bus, 18, 1u << i);
		} else if (what == 7) {
			p.enabled &= ~(1u << i);
			put(&m, &bus, 19, 1u << i);
		} else if (what == 8) {
			p.runs = pick(4) != 0;
			put(&m, &bus, 26, p.runs);
		} else if (what == 9) {
			p.flags &= ~(1u << i);
			put(&m, &bus, 22, 1u << i);
		} else if (what == 10) {
			p.count[i] = pick(1 << 16);
			put(&m, &bus, i, p.count[i]);
		} else {
			for (unsigned c = 0; c < 4; c++)
				assert_int_equal(get(&m, &bus, c), p.count[c]);
			assert_int_equal(get(&m, &bus, 24), p.flags);
			assert_int_equal(get(&m, &bus, 18), p.enabled);
		}
	}
}

static void test_reset_with_parameters(void **state)
{
	static const struct pmk_armv81m_params params = { .poison = 0x5a5a5a5a };
	struct pmk_armv81m_model m;
	struct pmk_bus bus;
	uint64_t value;

	(void)state;
	pmk_bus_init(&bus);
	pmk_armv81m_model_reset(&m, &params, &bus);
	OK(ops->read(&m, &bus, PMK_MODE_PRIV, PMK_ARMV81M_EVCNTR0, &value));
	assert_int_equal(value, 0x5a5a);
	OK(ops->read(&m, &bus, PMK_MODE_PRIV, PMK_ARMV81M_CTRL, &value));
	assert_int_equal(value, 0);
	/* ops->restart keeps the parameters, and ops->reset uses the defaults. */
	ops->restart(&m, &bus, &pmk_cortex_m55);
	assert_int_equal(m.params.poison, 0x5a5a5a5a);
	ops->reset(&m, &bus, &pmk_cortex_m55);
	OK(ops->read(&m, &bus, PMK_MODE_PRIV, PMK_ARMV81M_EVCNTR0, &value));
	assert_int_equal(value, 0);
}

static void test_no_such_register(void **state)
{
	struct memory m;
	struct pmk_bus bus;
	uint64_t v;

	(void)state;
	pmk_bus_init(&bus);
	ops->reset(&m, &bus, &pmk_cortex_m55);
	assert_int_equal(ops->read(&m, &bus, PMK_MODE_PRIV, 31, &v), PMK_EBADREG);
	assert_int_equal(ops->write(&m, &bus, PMK_MODE_PRIV, 31, 0), PMK_EBADREG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_on_one_bus),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_horizons),
		cmocka_unit_test(test_random_runs),
		cmocka_unit_test(test_reset_with_parameters),
		cmocka_unit_test(test_no_such_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
