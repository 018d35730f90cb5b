// SPDX-License-Identifier: MIT
/*
 * The PMUv3 model: its use of the bus (horizon, late synchronisation, copies, two models). A long
 * random comparison with a second implementation of DDI 0487 D13, which steps event by event, finds
 * no difference for every version, several numbers of counters and all levels.
 * tests/conformance/armv8.vec tests the single rules.
 *
 * Numbers are literal. Registers: 0 PMCR, 1 PMCNTENSET, 2 PMCNTENCLR, 3 PMOVSCLR, 4 PMSWINC, 5
 * PMSELR, 6 and 7 PMCEID0 and 1, 8 PMCCNTR, 9 PMXEVTYPER, 10 PMXEVCNTR, 11 PMUSERENR, 12 PMOVSSET,
 * 13 PMINTENSET, 14 PMINTENCLR, 15 PMMIR, 16 PMCCFILTR, 17 DFR0, 18 + n PMEVCNTR<n>, 49 + n
 * PMEVTYPER<n>, n = 0 … 30.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/armv8.h>
#include <pmk/armv8_model.h>

#include "../unit.h"
#include "producer/session/emulated.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CYCLES = 8, CNTENSET = 1, OVSCLR = 3, SWINC = 4, OVSSET = 12, INTENSET = 13 };
#define EVCNTR(n)  (18u + (n))
#define EVTYPER(n) (49u + (n))

/* A model on a bus, and a producer that obeys the horizon. */
struct bench {
	const struct pmk_model_ops *ops;
	struct pmk_bus bus;
	struct pmk_armv8_model model;
};

static void ask_anew(struct bench *b)
{
	pmk_bus_forget(&b->bus);
	b->ops->ask(&b->model, &b->bus);
}

static void setup(struct bench *b, const struct pmk_pmu *pmu)
{
	b->ops = pmk_model_find(pmu);
	assert_non_null(b->ops);
	assert_ptr_equal(b->ops->pmu, pmu);
	assert_int_equal(b->ops->size, sizeof(b->model));
	pmk_bus_init(&b->bus);
	memset(&b->model, 0xa5, sizeof(b->model)); /* reset must work on any memory contents */
	b->ops->reset(&b->model, &b->bus, b->ops->pmu);
	ask_anew(b);
}

static void wr(struct bench *b, unsigned reg, uint64_t value)
{
	assert_int_equal(b->ops->write(&b->model, &b->bus, PMK_MODE_PRIV, reg, value), 0);
	ask_anew(b);
}

static uint64_t rd(struct bench *b, unsigned reg)
{
	uint64_t value = 0x5555;

	assert_int_equal(b->ops->read(&b->model, &b->bus, PMK_MODE_PRIV, reg, &value), 0);
	return value;
}

static void input(struct bench *b, enum pmk_armv8_input in, uint64_t value)
{
	pmk_armv8_model_input(&b->model, &b->bus, in, value);
	ask_anew(b);
}

static void pass(struct bench *b, enum pmk_signal sig, uint64_t n)
{
	while (n) {
		uint64_t horizon = pmk_bus_horizon(&b->bus, sig);
		uint64_t step = n < horizon ? n : horizon;

		pmk_bus_add(&b->bus, sig, step);
		n -= step;
		if (pmk_bus_due(&b->bus)) {
			b->ops->sync(&b->model, &b->bus);
			ask_anew(b);
		}
	}
}

/* ---- the bus ------------------------------------------------------------------------------- */

static void test_counts_from_present_totals(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_cortex_a53);
	b.bus.total[PMK_SIG_CYCLE] = 1000;
	b.bus.total[PMK_SIG_INSN] = 5000;
	b.ops->reset(&b.model, &b.bus, b.ops->pmu);
	wr(&b, EVTYPER(2), 0x08);
	wr(&b, CNTENSET, 0x80000004);
	wr(&b, 0, 0x41);
	pass(&b, PMK_SIG_CYCLE, 13);
	pass(&b, PMK_SIG_INSN, 2);
	assert_int_equal(rd(&b, CYCLES), 13);
	assert_int_equal(rd(&b, EVCNTR(2)), 2);
}

static void test_horizon(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_cortex_a53);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE) == PMK_NEVER);

	wr(&b, EVTYPER(0), 0x08);
	wr(&b, EVTYPER(1), 0x11);
	wr(&b, EVTYPER(2), 0x13);
	wr(&b, EVCNTR(0), 0xffffff00);
	wr(&b, EVCNTR(1), 0xfffffff0);
	wr(&b, EVCNTR(2), 0xfffffff5); /* 11 occurrences of two signals are left */
	wr(&b, CNTENSET, 0x80000007);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
	wr(&b, 0, 0x41);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0x100);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 0x10);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_MEM_READ), 6);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_MEM_WRITE), 6);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_BRANCH) == PMK_NEVER);

	/*
	 * If the horizon is computed again without synchronising, it is still the distance to the
	 * overflow.
	 */
	pmk_bus_add(&b.bus, PMK_SIG_INSN, 0x20);
	pmk_bus_add(&b.bus, PMK_SIG_MEM_READ, 3);
	pmk_bus_add(&b.bus, PMK_SIG_CYCLE, 4);
	ask_anew(&b);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 0xc);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0xe0);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_MEM_WRITE), 4);
	pmk_bus_add(&b.bus, PMK_SIG_INSN, 0x100);
	ask_anew(&b);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0);
	assert_true(pmk_bus_due(&b.bus));
	b.ops->sync(&b.model, &b.bus);
	ask_anew(&b);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0x100000000 - 0x20);

	wr(&b, 0, 0x40);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE) == PMK_NEVER);
}

static void test_horizon_of_the_cycle_counter(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_armv8);
	wr(&b, CYCLES, 0xfffffff0);
	wr(&b, CNTENSET, 0x80000000);
	wr(&b, 0, 0x01);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 0x10);
	wr(&b, 0, 0x41); /* LC */
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 0xffffffff00000010);
	wr(&b, CYCLES, 0);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE) == PMK_NEVER);
	wr(&b, CYCLES, 0xfffffffffffffff0);
	wr(&b, 0, 0x09); /* with D: 16 steps of 64 cycles, then 10 of them pass */
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 1024);
	pass(&b, PMK_SIG_CYCLE, 10);
	b.ops->sync(&b.model, &b.bus);
	ask_anew(&b);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 1014);
	pmk_bus_add(&b.bus, PMK_SIG_CYCLE, 14);
	ask_anew(&b);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 1000);
	pmk_bus_add(&b.bus, PMK_SIG_CYCLE, 2000);
	ask_anew(&b);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 0);
}

static void test_horizon_of_long_counters(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_armv8_long);
	wr(&b, EVTYPER(0), 0x08);
	wr(&b, EVCNTR(0), 0xfffffff0);
	wr(&b, CNTENSET, 1);
	wr(&b, 0, 0x01);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0x10);
	wr(&b, 0, 0x81); /* LP */
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0xffffffff00000010);
	wr(&b, EVCNTR(0), 0xfffffffffffffff0);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0x10);
	wr(&b, EVCNTR(0), 0);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
}

/*
 * Counters that do not count in the core's present state do not force the producer to synchronise.
 */
static void test_horizon_of_what_stands_still(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_cortex_a53);
	wr(&b, EVTYPER(0), 0x80000008); /* only EL0 */
	wr(&b, EVTYPER(1), 0x1e);
	wr(&b, EVTYPER(2), 0);
	wr(&b, EVTYPER(3), 0x3ea);
	wr(&b, CNTENSET, 0x8000000f);
	wr(&b, 0, 0x01);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 0x100000000);
	input(&b, PMK_ARMV8_IN_EL, 0);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_INSN), 0x100000000);
	input(&b, PMK_ARMV8_IN_SECURE, 1); /* SPME = 0 */
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 0x100000000);
	input(&b, PMK_ARMV8_IN_DEBUG, 1);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE) == PMK_NEVER);
}

static void test_ask_keeps_nearer_horizons(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_cortex_a53);
	pmk_bus_ask(&b.bus, PMK_SIG_CYCLE, 2);
	assert_int_equal(b.ops->write(&b.model, &b.bus, PMK_MODE_PRIV, CNTENSET, 0x80000000), 0);
	assert_int_equal(b.ops->write(&b.model, &b.bus, PMK_MODE_PRIV, 0, 1), 0);
	b.ops->ask(&b.model, &b.bus);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 2);
}

/*
 * If the producer synchronises late, counts, carries and flags are still right, and the interrupt
 * line is already high.
 */
static void test_late_overflow(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_cortex_a53);
	wr(&b, EVTYPER(0), 0x08);
	wr(&b, EVTYPER(1), 0x1e);
	wr(&b, EVCNTR(0), 0xfffffff0);
	wr(&b, CNTENSET, 3);
	wr(&b, INTENSET, 1);
	wr(&b, 0, 0x41);
	pmk_bus_add(&b.bus, PMK_SIG_INSN, 0x500000020);
	assert_true(pmk_bus_due(&b.bus));
	assert_int_equal(b.ops->lines(&b.model), 0);
	b.ops->sync(&b.model, &b.bus);
	assert_int_equal(b.ops->lines(&b.model), 1);
	assert_int_equal(rd(&b, EVCNTR(0)), 0x10);
	assert_int_equal(rd(&b, EVCNTR(1)), 6);
	assert_int_equal(rd(&b, OVSCLR), 1);
}

/* A model is plain memory: a copy continues independently on the same bus. */
static void test_copy(void **state)
{
	struct bench b;
	struct pmk_armv8_model copy;
	uint64_t value;

	(void)state;
	setup(&b, &pmk_cortex_a53);
	wr(&b, EVTYPER(0), 0x08);
	wr(&b, CNTENSET, 1);
	wr(&b, 0, 0x41);
	pass(&b, PMK_SIG_INSN, 4);
	memcpy(&copy, &b.model, sizeof(copy));
	pass(&b, PMK_SIG_INSN, 3);
	wr(&b, EVCNTR(0), 100);
	assert_int_equal(b.ops->read(&copy, &b.bus, PMK_MODE_PRIV, EVCNTR(0), &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(rd(&b, EVCNTR(0)), 100);
}

/*
 * Two models of different cores share a bus. Setting the level of one model does not change that of
 * the other.
 */
static void test_two_models(void **state)
{
	struct bench a, b;

	(void)state;
	setup(&a, &pmk_cortex_a53);
	setup(&b, &pmk_armv8_long);
	wr(&a, EVTYPER(0), 0x80000008);
	wr(&a, EVCNTR(0), 0xfffffffe);
	wr(&a, CNTENSET, 1);
	wr(&a, INTENSET, 1);
	wr(&a, 0, 0x41);
	/* From here on, `b` counts the signals on the bus of `a`. */
	b.ops->reset(&b.model, &a.bus, b.ops->pmu);
	assert_int_equal(b.ops->write(&b.model, &a.bus, PMK_MODE_PRIV, EVTYPER(0), 0x80000008), 0);
	assert_int_equal(b.ops->write(&b.model, &a.bus, PMK_MODE_PRIV, CNTENSET, 1), 0);
	assert_int_equal(b.ops->write(&b.model, &a.bus, PMK_MODE_PRIV, 0, 0xc1), 0);
	input(&a, PMK_ARMV8_IN_EL, 0);
	b.ops->ask(&b.model, &a.bus);
	assert_int_equal(pmk_bus_horizon(&a.bus, PMK_SIG_INSN), 2);
	pass(&a, PMK_SIG_INSN, 5);
	assert_int_equal(rd(&a, EVCNTR(0)), 3);
	assert_int_equal(a.ops->lines(&a.model), 1);
	assert_int_equal(b.ops->lines(&b.model), 0);
	pmk_armv8_model_input(&b.model, &a.bus, PMK_ARMV8_IN_EL, 0);
	pass(&a, PMK_SIG_INSN, 5);
	input(&a, PMK_ARMV8_IN_EL, 1);
	pass(&a, PMK_SIG_INSN, 5);
	b.bus = a.bus;
	assert_int_equal(rd(&a, EVCNTR(0)), 8);
	assert_int_equal(rd(&b, EVCNTR(0)), 10);
}

static void test_no_such_register(void **state)
{
	struct bench b;
	uint64_t value;
	uint32_t word;

	(void)state;
	setup(&b, &pmk_cortex_a53);
	assert_int_equal(b.ops->read(&b.model, &b.bus, PMK_MODE_PRIV, 80, &value), PMK_EBADREG);
	assert_int_equal(b.ops->write(&b.model, &b.bus, PMK_MODE_PRIV, 80, 0), PMK_EBADREG);
	/*
	 * c9, c13, 7 is not assigned. PMCEID2 needs p1. An AArch64 DFR0 does not exist in AArch32.
	 */
	assert_int_equal(pmk_armv8_mrc(&b.model, &b.bus, PMK_MODE_PRIV, 9, 13, 7, &word),
			 PMK_EBADREG);
	assert_int_equal(pmk_armv8_mcr(&b.model, &b.bus, PMK_MODE_PRIV, 9, 13, 7, 0), PMK_EBADREG);
	assert_int_equal(pmk_armv8_mrc(&b.model, &b.bus, PMK_MODE_PRIV, 9, 14, 4, &word),
			 PMK_EBADREG);
	assert_int_equal(pmk_armv8_mrc(&b.model, &b.bus, PMK_MODE_PRIV, 0, 5, 0, &word),
			 PMK_EBADREG);
	assert_int_equal(pmk_armv8_load(&b.model, &b.bus, 0x1000, &word), PMK_EBADREG);
	assert_int_equal(pmk_armv8_load(&b.model, &b.bus, 0xe02, &word), PMK_EBADREG);
	assert_int_equal(pmk_armv8_store(&b.model, &b.bus, 0x1000, 0), PMK_EBADREG);
	assert_int_equal(pmk_armv8_store(&b.model, &b.bus, 0x001, 0), PMK_EBADREG);
	assert_int_equal(b.model.oddities, 0);
}

static void test_models(void **state)
{
	static const struct {
		const struct pmk_pmu *pmu;
		unsigned counters, version;
	} cores[] = {
		{ &pmk_armv8, 31, 5 },	    { &pmk_armv8_long, 31, 6 }, { &pmk_cortex_a53, 6, 1 },
		{ &pmk_cortex_a55, 6, 4 },  { &pmk_cortex_a57, 6, 1 },	{ &pmk_cortex_a72, 6, 1 },
		{ &pmk_neoverse_n1, 6, 4 },
	};
	struct pmk_pmu other = pmk_cortex_a53;

	(void)state;
	for (size_t i = 0; i < COUNT(cores); i++) {
		struct pmk_armv8_params p = pmk_armv8_defaults(cores[i].pmu);
		struct bench b;

		setup(&b, cores[i].pmu);
		assert_int_equal(rd(&b, 0) >> 11 & 0x1f, cores[i].counters);
		assert_int_equal(rd(&b, 17) >> 8 & 0xf, cores[i].version);
		assert_true(p.el2 && p.el3 && p.aarch64 && p.aarch32 && p.chain_across);
		assert_true(p.software_lock && p.external_swinc);
		assert_false(p.secure_el2 || p.spme_needs_p7 || p.freeze_on_cycles ||
			     p.divide_long || p.br_pred_right || p.pc_write_svc || p.pc_write_isb ||
			     p.select_undefined || p.count_in_standby);
		assert_true(p.poison == 0);
	}
	assert_non_null(pmk_model_find(&other));
	assert_true(sizeof(struct pmk_armv8_model) <= PMK_MODEL_BYTES);
}

/* When a port to the model settles, cycles pass, and the model has counted them. */
static void test_port(void **state)
{
	struct bench b;
	struct pmk_model_port mp;
	struct pmk_port port;
	uint64_t value;

	(void)state;
	setup(&b, &pmk_cortex_a53);
	mp = (struct pmk_model_port){ b.ops, &b.model, &b.bus, PMK_MODE_PRIV };
	port = pmk_port_model(&mp);
	assert_int_equal(port.write(port.ctx, CNTENSET, 0x80000000), 0);
	assert_int_equal(port.write(port.ctx, INTENSET, 0x80000000), 0);
	assert_int_equal(port.write(port.ctx, CYCLES, 0xfffffff0), 0);
	assert_int_equal(port.write(port.ctx, 0, 1), 0);
	port.settle(port.ctx, 20);
	assert_int_equal(b.ops->lines(&b.model), 1);
	assert_int_equal(port.read(port.ctx, CYCLES, &value), 0);
	assert_int_equal(value, 0x100000004);
}

/* ---- the second implementation ------------------------------------------------------------- */

/* The second implementation. Counter 31 is PMCCNTR, and its type is PMCCFILTR. */
struct second {
	unsigned n, version;
	bool el2, el3, secure_el2;
	bool e, d, x, dp, lc, lp, fzo;
	bool enable[32], irq[32], flag[32];
	uint32_t type[32];
	uint64_t count[32];
	unsigned sel, user, phase;
	unsigned carries, at[4]; /* for coverage: carries that CHAIN counted, events per level */
	/* The last values of the model's inputs. */
	unsigned el;
	bool secure, debug, standby, tge;
	uint64_t mdcr2, mdcr3;
};

static bool mdcr2(const struct second *s, unsigned bit)
{
	return s->el2 && (s->mdcr2 >> bit & 1);
}

static bool mdcr3(const struct second *s, unsigned bit)
{
	return s->el3 && (s->mdcr3 >> bit & 1);
}

static bool el2_on(const struct second *s)
{
	if (!s->el2)
		return false;
	return !(s->secure && s->el3) || s->secure_el2;
}

static unsigned hpmn(const struct second *s)
{
	unsigned h = s->mdcr2 & 31;

	return s->el2 && h < s->n ? h : s->n;
}

static bool is_hyp(const struct second *s, unsigned i)
{
	return i < 31 && i >= hpmn(s);
}

static bool any_flag(const struct second *s, bool hyp)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->flag[i] && is_hyp(s, i) == hyp)
			return true;
	return false;
}

static bool wanted_here(const struct second *s, uint32_t t, unsigned el)
{
	bool p = t >> 31, u = t >> 30 & 1, nsk = t >> 29 & 1, nsu = t >> 28 & 1, nsh = t >> 27 & 1;
	bool m = t >> 26 & 1, sh = t >> 24 & 1, secure = s->secure && s->el3;

	if (el == 3)
		return m == p;
	if (el == 2)
		return secure ? nsh != sh : nsh;
	if (secure)
		return el ? !p : !u;
	return el ? p == nsk : u == nsu;
}

/* True if counter i would count an event that happens now at level el. */
static bool counts(const struct second *s, unsigned i, unsigned el)
{
	bool hyp = is_hyp(s, i), spme = mdcr3(s, 17), mpmx = s->version >= 7 && mdcr3(s, 35);
	bool secure = s->el3 && (s->secure || el == 3);
	bool prohibited = secure && !spme && !mpmx, frozen = false;

	if (s->debug || s->standby || !s->enable[i] || !(hyp ? mdcr2(s, 7) : s->e))
		return false;
	if (el == 3 && mpmx && !(spme && hyp))
		prohibited = true;
	if (el == 2 && s->version >= 4 && mdcr2(s, 17) && !hyp)
		prohibited = true;
	if (s->version >= 7)
		frozen = (hyp ? mdcr2(s, 29) : s->fzo) && any_flag(s, hyp);
	if (i == 31) {
		if ((prohibited || frozen) && s->dp)
			return false;
		if (s->version >= 6 && ((secure && mdcr3(s, 23)) || (el == 2 && mdcr2(s, 23))))
			return false;
		if (s->version >= 7 && el == 3 && mdcr3(s, 34))
			return false;
	} else if (prohibited || frozen) {
		return false;
	}
	return wanted_here(s, s->type[i], el);
}

static const struct {
	unsigned code;
	enum pmk_signal signal;
} selectable[] = {
	{ 0x08, PMK_SIG_INSN },	      { 0x10, PMK_SIG_BRANCH_MISS }, { 0x11, PMK_SIG_CYCLE },
	{ 0x13, PMK_SIG_MEM_READ },   { 0x13, PMK_SIG_MEM_WRITE },   { 0x0c, PMK_SIG_PC_CHANGE },
	{ 0x0c, PMK_SIG_EXC_RETURN }, { 0x1e, PMK_SIG_NONE },	     { 0x00, PMK_SIG_NONE },
	{ 0x2ea, PMK_SIG_NONE },
};

static bool listens(const struct second *s, unsigned i, enum pmk_signal sig)
{
	for (size_t k = 0; k < COUNT(selectable); k++)
		if (selectable[k].code == (s->type[i] & 0xffff) && selectable[k].signal == sig)
			return true;
	return false;
}

/* Increments counter i. Returns true if CHAIN in the next counter sees an overflow. */
static bool one_more(struct second *s, unsigned i)
{
	bool far = s->version >= 6 && (is_hyp(s, i) ? mdcr2(s, 26) : s->lp);
	uint64_t now = s->count[i] + 1;

	if (s->version < 6)
		now &= 0xffffffff;
	s->count[i] = now;
	if (far ? now != 0 : (uint32_t)now != 0)
		return false;
	s->flag[i] = true;
	return !far;
}

/* Advances the counters by one cycle. `hit` is true for each counter whose event happens. */
static void tick(struct second *s, const bool hit[31], bool clock, unsigned el)
{
	bool go[32], carry = false;

	for (unsigned i = 0; i < 32; i++)
		go[i] = (i < s->n || i == 31) && counts(s, i, el);
	for (unsigned i = 0; i < s->n; i++) {
		bool chain = carry && i % 2 && (s->type[i] & 0xffff) == 0x1e;

		s->carries += go[i] && chain;
		s->at[el] += go[i] && (hit[i] || chain);
		carry = go[i] && (hit[i] || chain) && one_more(s, i);
	}
	if (!clock || !go[31])
		return;
	if (s->d && !s->lc) {
		if (++s->phase < 64)
			return;
		s->phase = 0;
	}
	s->count[31]++;
	if (s->lc ? s->count[31] == 0 : (uint32_t)s->count[31] == 0)
		s->flag[31] = true;
}

static void happen(struct second *s, enum pmk_signal sig)
{
	bool hit[31];

	for (unsigned i = 0; i < 31; i++)
		hit[i] = i < s->n && listens(s, i, sig);
	tick(s, hit, sig == PMK_SIG_CYCLE, s->el);
}

static void software_increment(struct second *s, uint32_t w, unsigned el)
{
	bool hit[31];

	for (unsigned i = 0; i < 31; i++)
		hit[i] = (w >> i & 1) && i < s->n && (s->type[i] & 0xffff) == 0;
	tick(s, hit, false, el);
}

static bool second_line(const struct second *s)
{
	for (unsigned i = 0; i < 32; i++)
		if ((i < s->n || i == 31) && s->flag[i] && s->irq[i] &&
		    (is_hyp(s, i) ? mdcr2(s, 7) : s->e))
			return true;
	return false;
}

static unsigned seen_by(const struct second *s, unsigned el)
{
	return el < 2 && el2_on(s) ? hpmn(s) : s->n;
}

static uint32_t bits_of(const struct second *s, const bool set[32], unsigned el)
{
	uint32_t w = 0;

	for (unsigned i = 0; i < 32; i++)
		w |= (uint32_t)((i < seen_by(s, el) || i == 31) && set[i]) << i;
	return w;
}

static void change(const struct second *s, bool set[32], uint32_t w, bool to, unsigned el)
{
	for (unsigned i = 0; i < 32; i++)
		if ((w >> i & 1) && (i < seen_by(s, el) || i == 31))
			set[i] = to;
}

/*
 * Finds the number of the counter to which a register belongs, and whether the register is its
 * type.
 */
static bool counter_of(const struct second *s, unsigned reg, unsigned *i, bool *type)
{
	*type = reg >= 49 || reg == 9 || reg == 16;
	if (reg == 9 || reg == 10)
		*i = s->sel;
	else if (reg == 16)
		*i = 31;
	else if (reg >= 49)
		*i = reg - 49;
	else if (reg >= 18)
		*i = reg - 18;
	else
		return false;
	return true;
}

static bool is_there(const struct second *s, unsigned i, bool type)
{
	return i < s->n || (i == 31 && type);
}

static uint32_t type_bits(const struct second *s, bool cycles)
{
	uint32_t w = 0xc0000000;

	if (s->el3)
		w |= 0x34000000;
	if (s->el2)
		w |= 0x08000000;
	if (s->el3 && s->secure_el2)
		w |= 0x01000000;
	return cycles ? w : w | (s->version >= 4 ? 0xffff : 0x3ff);
}

/*
 * Returns 0 if the access is permitted. Otherwise returns the level to which the exception goes,
 * and stores its class in *ec.
 */
static unsigned second_denies(const struct second *s, unsigned el, unsigned reg, bool write,
			      unsigned *ec)
{
	/*
	 * For each register, one character for reads and one for writes: '-' is never permitted,
	 * 'k' is not permitted at EL0, and '*' is permitted. A digit is a mask of PMUSERENR. At
	 * EL0, one of these bits must be set.
	 */
	static const char *const who[] = {
		"11", "11", "11", "11", "-3", "99", "1-", "1-", "51",
		"11", "91", "*k", "11", "kk", "kk", "k-", "11", "k-",
	};
	unsigned handler = el ? el : el2_on(s) && s->tge ? 2 : 1;
	unsigned like = reg >= 49 ? 9 : reg >= 18 ? 10 : reg, i = 0;
	char c = who[like][write];
	bool type, counter = counter_of(s, reg, &i, &type);

	*ec = 0;
	if (c == '-' || (c == 'k' && el == 0) || (reg == 15 && s->version < 5))
		return handler;
	if (counter && reg != 9 && reg != 10 && !is_there(s, i, type))
		return handler;
	*ec = 0x18;
	if (el == 0 && c != '*' && !((unsigned)(c - '0') & s->user))
		return handler;
	if (reg == 17)
		return 0;
	if (el < 2 && el2_on(s)) {
		if (mdcr2(s, 6) || (reg == 0 && mdcr2(s, 5)))
			return 2;
		if (counter && i < s->n && i >= hpmn(s))
			return 2;
	}
	return el < 3 && mdcr3(s, 6) ? 3 : 0;
}

static uint64_t second_read(const struct second *s, unsigned el, unsigned reg)
{
	unsigned i;
	bool type;

	if (counter_of(s, reg, &i, &type)) {
		if (!is_there(s, i, type))
			return 0;
		return type ? s->type[i] : s->count[i];
	}
	switch (reg) {
	case 0:
		return 0x41000000u | seen_by(s, el) << 11 | (unsigned)s->fzo << 9 |
		       (unsigned)s->lp << 7 | (unsigned)s->lc << 6 | (unsigned)s->dp << 5 |
		       (unsigned)s->x << 4 | (unsigned)s->d << 3 | s->e;
	case 1:
	case 2:
		return bits_of(s, s->enable, el);
	case 3:
	case 12:
		return bits_of(s, s->flag, el);
	case 5:
		return s->sel;
	case 8:
		return s->count[31];
	case 11:
		return s->user;
	case 13:
	case 14:
		return bits_of(s, s->irq, el);
	case 17:
		return s->version << 8;
	default: /* 15; PMCEID is not compared */
		return 0;
	}
}

static void second_write(struct second *s, unsigned el, unsigned reg, uint64_t value)
{
	uint32_t w = (uint32_t)value;
	unsigned i;
	bool type;

	if (counter_of(s, reg, &i, &type)) {
		if (!is_there(s, i, type))
			return;
		if (type)
			s->type[i] = w & type_bits(s, i == 31);
		else
			s->count[i] = s->version >= 6 ? value : w;
		return;
	}
	switch (reg) {
	case 0:
		s->e = w & 1;
		s->d = w >> 3 & 1;
		s->x = w >> 4 & 1;
		s->dp = w >> 5 & 1;
		s->lc = w >> 6 & 1;
		s->lp = s->version >= 6 && (w >> 7 & 1);
		s->fzo = s->version >= 7 && (w >> 9 & 1);
		if (w & 4)
			s->count[31] = s->phase = 0;
		if (w & 2)
			memset(s->count, 0, seen_by(s, el) * sizeof(s->count[0]));
		break;
	case 1:
	case 2:
		change(s, s->enable, w, reg == 1, el);
		break;
	case 3:
	case 12:
		change(s, s->flag, w, reg == 12, el);
		break;
	case 4:
		software_increment(s, w & ((1u << seen_by(s, el)) - 1), el);
		break;
	case 5:
		s->sel = w & 31;
		break;
	case 8:
		s->count[31] = value;
		break;
	case 11:
		s->user = w & 15;
		break;
	default: /* 13, 14 */
		change(s, s->irq, w, reg == 13, el);
		break;
	}
}

/* ---- the comparison ------------------------------------------------------------------------ */

struct random {
	uint64_t x;
};

static uint32_t below(struct random *r, uint32_t n)
{
	r->x ^= r->x << 13; /* xorshift64 */
	r->x ^= r->x >> 7;
	r->x ^= r->x << 17;
	return (uint32_t)(r->x >> 32) % n;
}

static uint32_t any_word(struct random *r)
{
	return below(r, 0x10000) | below(r, 0x10000) << 16;
}

/*
 * How often the random walk met each situation. If a situation never occurs, the comparison proves
 * nothing about it.
 */
struct coverage {
	unsigned wraps[32], carries, at[4], irqs, trapped[4], frozen, undefined, views;
};

static uint64_t near_overflow(struct random *r)
{
	uint64_t v = 0u - (uint64_t)below(r, 40);

	switch (below(r, 4)) {
	case 0:
		return v;
	case 1:
		return below(r, 1000);
	case 2:
		return (v & 0xffffffff) | (uint64_t)below(r, 3) << 32;
	default:
		return v & 0xffffffff;
	}
}

static uint64_t random_value(struct random *r, const struct second *s, unsigned reg)
{
	unsigned i;
	bool type;

	if (counter_of(s, reg, &i, &type)) {
		if (!type)
			return near_overflow(r);
		/*
		 * Usually there is no filter, and the event is one that happens. Half of the odd
		 * counters have CHAIN.
		 */
		return (i % 2 && below(r, 2) ? 0x1e
					     : selectable[below(r, COUNT(selectable))].code) |
		       (below(r, 3) ? 0 : any_word(r) & 0xffff0000) |
		       (below(r, 2) ? 0x08000000 : 0);
	}
	switch (reg) {
	case 0:
		return (any_word(r) & (below(r, 4) ? ~6u : ~0u)) | (below(r, 4) != 0);
	case 1:
		return any_word(r) | any_word(r);
	case 2:
		return any_word(r) & any_word(r) & any_word(r);
	case 8:
		return near_overflow(r);
	default:
		return any_word(r);
	}
}

static unsigned random_reg(struct random *r, const struct second *s)
{
	switch (below(r, 4)) {
	case 0:
		return below(r, 18);
	case 1:
		return EVCNTR(below(r, s->n + 2 < 31 ? s->n + 2 : 31));
	case 2:
		return EVTYPER(below(r, s->n + 2 < 31 ? s->n + 2 : 31));
	default:
		return (const unsigned[]){ 0, 1, 3, 4, 4, 13 }[below(r, 6)];
	}
}

static void random_access(struct bench *b, struct second *s, struct random *r, bool write,
			  struct coverage *seen)
{
	enum pmk_mode mode = below(r, 4) ? PMK_MODE_PRIV : PMK_MODE_USER;
	unsigned el = mode == PMK_MODE_USER ? 0 : s->el > 1 ? s->el : 1, reg = random_reg(r, s);
	uint64_t value = write ? random_value(r, s, reg) : 0;
	unsigned ec, to = second_denies(s, el, reg, write, &ec);
	int err = write ? b->ops->write(&b->model, &b->bus, mode, reg, value)
			: b->ops->read(&b->model, &b->bus, mode, reg, &value);

	assert_int_equal(err, to ? PMK_EUNDEF : 0);
	if (to) {
		assert_int_equal(b->model.trap.ec, ec);
		assert_int_equal(b->model.trap.el, to);
		seen->trapped[to] += ec == 0x18;
		seen->undefined += ec == 0;
	} else if (write) {
		second_write(s, el, reg, value);
		ask_anew(b);
	} else if (reg != 6 && reg != 7) {
		assert_int_equal(value, second_read(s, el, reg));
	}
}

/*
 * Makes an access through the memory-mapped view: to one half of a counter, or to the overflow
 * flags.
 */
static void random_view(struct bench *b, struct second *s, struct random *r, struct coverage *seen)
{
	unsigned i = below(r, 31), half = below(r, 2);
	uint64_t is = i < s->n ? s->count[i] : 0;
	uint32_t w = any_word(r), value;

	seen->views++;
	switch (below(r, 4)) {
	case 0:
		assert_int_equal(pmk_armv8_load(&b->model, &b->bus, 8 * i + 4 * half, &value), 0);
		assert_int_equal(value, (uint32_t)(is >> 32 * half));
		break;
	case 1:
		assert_int_equal(pmk_armv8_store(&b->model, &b->bus, 8 * i + 4 * half, w), 0);
		if (i < s->n)
			second_write(s, 3, EVCNTR(i),
				     half ? (is & 0xffffffff) | (uint64_t)w << 32
					  : (is & ~UINT64_C(0xffffffff)) | w);
		ask_anew(b);
		break;
	case 2:
		assert_int_equal(pmk_armv8_load(&b->model, &b->bus, 0xc80, &value), 0);
		assert_int_equal(value, bits_of(s, s->flag, 3));
		break;
	default:
		assert_int_equal(pmk_armv8_store(&b->model, &b->bus, 0xc80, w), 0);
		change(s, s->flag, w, false, 3);
		ask_anew(b);
		break;
	}
}

static void random_signals(struct bench *b, struct second *s, struct random *r)
{
	enum pmk_signal sig = PMK_SIG_CYCLE;
	unsigned n = below(r, 40);

	if (below(r, 4)) /* the last three rows have no signal */
		sig = selectable[below(r, COUNT(selectable) - 3)].signal;
	if (sig == PMK_SIG_CYCLE && below(r, 8) == 0)
		n = below(r, 1000);
	pass(b, sig, n);
	while (n--)
		happen(s, sig);
}

static void random_input(struct bench *b, struct second *s, struct random *r)
{
	uint64_t w;

	switch (below(r, 8)) {
	case 0:
		s->secure = below(r, 3) == 0;
		input(b, PMK_ARMV8_IN_SECURE, s->secure);
		break;
	case 1:
		s->debug = below(r, 8) == 0;
		input(b, PMK_ARMV8_IN_DEBUG, s->debug);
		break;
	case 2:
		s->standby = below(r, 8) == 0;
		input(b, PMK_ARMV8_IN_STANDBY, s->standby);
		break;
	case 3:
		s->tge = below(r, 2);
		input(b, PMK_ARMV8_IN_TGE, s->tge);
		break;
	case 4:
		/*
		 * One value in six may set a trap. In two of three cases HPMN is N, so all counters
		 * are in the first range.
		 */
		w = any_word(r) & (below(r, 6) ? ~UINT64_C(0x60) : UINT64_MAX);
		s->mdcr2 = below(r, 3) ? (w & ~UINT64_C(0x1f)) | s->n : w;
		input(b, PMK_ARMV8_IN_MDCR_EL2, s->mdcr2);
		break;
	case 5:
		w = any_word(r) | (uint64_t)below(r, 16) << 32;
		s->mdcr3 = w & (below(r, 6) ? ~UINT64_C(0x40) : UINT64_MAX);
		input(b, PMK_ARMV8_IN_MDCR_EL3, s->mdcr3);
		break;
	default:
		s->el = below(r, 4);
		input(b, PMK_ARMV8_IN_EL, s->el);
		break;
	}
}

/*
 * Compares counters, flags and the interrupt line with those of the second implementation. Reads a
 * copy of the model, so the model itself is not synchronised.
 */
static void compare_all(struct bench *b, const struct second *s)
{
	struct bench copy = *b;

	pmk_armv8_model_input(&copy.model, &copy.bus, PMK_ARMV8_IN_EL, 3);
	for (unsigned i = 0; i < s->n; i++)
		assert_int_equal(rd(&copy, EVCNTR(i)), s->count[i]);
	assert_int_equal(rd(&copy, CYCLES), s->count[31]);
	assert_int_equal(rd(&copy, OVSSET), bits_of(s, s->flag, 3));
	/* An overflow is visible when it happens, without an access to a register. */
	assert_int_equal(b->ops->lines(&b->model), second_line(s));
}

static void compare(unsigned version, unsigned n, bool el2, bool el3, bool secure_el2,
		    unsigned steps, struct coverage *seen)
{
	struct second s = { .n = n,
			    .version = version,
			    .el2 = el2,
			    .el3 = el3,
			    .secure_el2 = secure_el2,
			    .el = 1,
			    .mdcr2 = n };
	struct pmk_armv8_params p = pmk_armv8_defaults(&pmk_armv8);
	struct random r = { .x = UINT64_C(0x9e3779b97f4a7c15) + 64 * version + n };
	struct bench b;

	setup(&b, &pmk_armv8);
	p.version = (uint8_t)version;
	p.counters = (uint8_t)n;
	p.el2 = el2;
	p.el3 = el3;
	p.secure_el2 = secure_el2;
	p.software_lock = false;
	pmk_armv8_model_reset(&b.model, &pmk_armv8, &p, &b.bus);
	ask_anew(&b);
	for (unsigned step = 0; step < steps; step++) {
		unsigned kind = below(&r, 100);

		if (kind < 30) {
			random_access(&b, &s, &r, true, seen);
		} else if (kind < 40) {
			random_access(&b, &s, &r, false, seen);
		} else if (kind < 44) {
			random_view(&b, &s, &r, seen);
		} else if (kind < 85) {
			random_signals(&b, &s, &r);
		} else {
			random_input(&b, &s, &r);
		}
		compare_all(&b, &s);
		for (unsigned i = 0; i < 32; i++)
			seen->wraps[i] += s.flag[i];
		seen->irqs += second_line(&s);
		seen->frozen += version >= 7 && s.fzo && any_flag(&s, false);
	}
	seen->carries += s.carries;
	for (unsigned el = 0; el < 4; el++)
		seen->at[el] += s.at[el];
}

static void test_random(void **state)
{
	struct coverage seen = { .irqs = 0 };

	(void)state;
	compare(1, 6, true, true, false, UNIT_SAMPLES(40000), &seen);
	compare(4, 6, true, true, true, UNIT_SAMPLES(20000), &seen);
	compare(5, 5, true, false, false, UNIT_SAMPLES(20000), &seen);
	compare(6, 6, true, true, false, UNIT_SAMPLES(40000), &seen);
	compare(7, 6, true, true, true, UNIT_SAMPLES(40000), &seen);
	compare(7, 4, false, true, false, UNIT_SAMPLES(20000), &seen);
	compare(7, 31, true, true, false, UNIT_SAMPLES(20000), &seen);
	compare(6, 1, false, false, false, UNIT_SAMPLES(10000), &seen);
	compare(7, 0, true, true, false, UNIT_SAMPLES(5000), &seen);
	for (unsigned i = 0; i < 6; i++)
		assert_true(seen.wraps[i] > UNIT_SAMPLES(1000));
	assert_true(seen.wraps[30] > UNIT_SAMPLES(100) && seen.wraps[31] > UNIT_SAMPLES(1000));
	assert_true(seen.carries > UNIT_SAMPLES(200));
	for (unsigned el = 0; el < 4; el++)
		assert_true(seen.at[el] > UNIT_SAMPLES(10000));
	assert_true(seen.irqs > UNIT_SAMPLES(1000));
	assert_true(seen.frozen > UNIT_SAMPLES(1000));
	assert_true(seen.trapped[1] > UNIT_SAMPLES(500) && seen.trapped[2] > UNIT_SAMPLES(100) &&
		    seen.trapped[3] > UNIT_SAMPLES(100));
	assert_true(seen.undefined > UNIT_SAMPLES(500));
	assert_true(seen.views > UNIT_SAMPLES(1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_from_present_totals),
		cmocka_unit_test(test_horizon),
		cmocka_unit_test(test_horizon_of_the_cycle_counter),
		cmocka_unit_test(test_horizon_of_long_counters),
		cmocka_unit_test(test_horizon_of_what_stands_still),
		cmocka_unit_test(test_ask_keeps_nearer_horizons),
		cmocka_unit_test(test_late_overflow),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_two_models),
		cmocka_unit_test(test_no_such_register),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_port),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
