// SPDX-License-Identifier: MIT
/*
 * The ARM11 model: its use of the bus (horizon, late synchronisation, clones). A long random
 * comparison with a second implementation of the rules, which steps cycle by cycle and event by
 * event, finds no difference. tests/conformance/arm11.vec tests the single rules.
 *
 * Numbers are literal: the words of PMNC are those that <pmk/arm11.h> shows, registers 0 PMNC, 1
 * CCNT, 2 PMN0, 3 PMN1, 4 SUNAVCR.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/arm11.h>
#include <pmk/arm11_model.h>

#include "../unit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A model on a bus, and a producer that obeys the horizon. */
struct bench {
	const struct pmk_model_ops *ops;
	struct pmk_bus bus;
	struct pmk_arm11_model model;
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

static void wr(struct bench *b, unsigned reg, uint32_t value)
{
	assert_int_equal(b->ops->write(&b->model, &b->bus, PMK_MODE_PRIV, reg, value), 0);
	ask_anew(b);
}

static uint32_t rd(struct bench *b, unsigned reg)
{
	uint64_t value = UINT64_MAX;

	assert_int_equal(b->ops->read(&b->model, &b->bus, PMK_MODE_PRIV, reg, &value), 0);
	assert_true(value <= 0xffffffff);
	return (uint32_t)value;
}

static void pass(struct bench *b, enum pmk_signal sig, uint64_t n)
{
	while (n) {
		uint64_t horizon = pmk_bus_horizon(&b->bus, sig);
		uint64_t step = n < horizon ? n : horizon;

		assert_true(step > 0); /* a horizon of 0 would make a producer hang */
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
	setup(&b, &pmk_arm1176);
	b.bus.total[PMK_SIG_CYCLE] = 1000;
	b.bus.total[PMK_SIG_BRANCH] = 5000;
	b.ops->reset(&b.model, &b.bus, b.ops->pmu);
	wr(&b, 0, 0x00500001);
	pass(&b, PMK_SIG_CYCLE, 13);
	pass(&b, PMK_SIG_BRANCH, 2);
	assert_int_equal(rd(&b, 1), 10);
	assert_int_equal(rd(&b, 2), 2);
}

static void test_horizon(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_arm1176);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE) == PMK_NEVER);

	/* In the start delay, only the end of the delay sets the horizon. */
	wr(&b, 1, 0xfffffff0);
	wr(&b, 2, 0xffffff00);
	wr(&b, 0, 0x00502001);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 3);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_BRANCH) == PMK_NEVER);

	pass(&b, PMK_SIG_CYCLE, 3);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 16);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_BRANCH), 256);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_DATA_STALL), 0x100000000);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);

	/* With D, CCNT overflows after 16 steps of 64 cycles. Then 10 of these cycles pass. */
	wr(&b, 0, 0x00502009);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 1024);
	pass(&b, PMK_SIG_CYCLE, 10);
	b.ops->sync(&b.model, &b.bus);
	ask_anew(&b);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 1014);

	/* D does not divide an event counter that counts cycles. */
	wr(&b, 3, 0xffffffce);
	wr(&b, 0, 0x005ff009);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 50);

	/* A reserved event sets no horizon. */
	wr(&b, 0, 0x00808001);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_INSN) == PMK_NEVER);

	wr(&b, 0, 0x00502000);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE) == PMK_NEVER);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_BRANCH) == PMK_NEVER);
}

/* A counter that is stopped or gated forces no synchronisation. */
static void test_horizon_in_debug(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_arm1176);
	wr(&b, 0, 0x00502001);
	pass(&b, PMK_SIG_CYCLE, 3);
	pmk_arm11_model_input(&b.model, &b.bus, PMK_ARM11_IN_NIDEN, false);
	ask_anew(&b);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 0x100000000);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_BRANCH) == PMK_NEVER);
	pmk_arm11_model_input(&b.model, &b.bus, PMK_ARM11_IN_DEBUG, true);
	ask_anew(&b);
	assert_true(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE) == PMK_NEVER);
}

static void test_ask_keeps_nearer_horizons(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_arm1176);
	pmk_bus_ask(&b.bus, PMK_SIG_CYCLE, 2);
	assert_int_equal(b.ops->write(&b.model, &b.bus, PMK_MODE_PRIV, 0, 1), 0);
	b.ops->ask(&b.model, &b.bus);
	assert_int_equal(pmk_bus_horizon(&b.bus, PMK_SIG_CYCLE), 2);
}

/*
 * If the producer synchronises late, count and flag are still right, and the interrupt line is
 * already high.
 */
static void test_late_overflow(void **state)
{
	struct bench b;

	(void)state;
	setup(&b, &pmk_arm1176);
	wr(&b, 2, 0xfffffff0);
	wr(&b, 0, 0x00502011);
	pass(&b, PMK_SIG_CYCLE, 3);
	pmk_bus_add(&b.bus, PMK_SIG_BRANCH, 20);
	assert_true(pmk_bus_due(&b.bus));
	assert_int_equal(b.ops->lines(&b.model), 0);
	b.ops->sync(&b.model, &b.bus);
	assert_int_equal(b.ops->lines(&b.model), 1);
	assert_int_equal(rd(&b, 2), 4);
	assert_int_equal(rd(&b, 0), 0x00502111);
}

/* A model is plain memory: a copy continues independently on the same bus. */
static void test_clone(void **state)
{
	struct bench b;
	struct pmk_arm11_model copy;
	uint64_t value;

	(void)state;
	setup(&b, &pmk_arm1176);
	wr(&b, 0, 0x00502001);
	pass(&b, PMK_SIG_CYCLE, 3);
	pass(&b, PMK_SIG_BRANCH, 4);
	memcpy(&copy, &b.model, sizeof(copy));
	pass(&b, PMK_SIG_BRANCH, 3);
	wr(&b, 2, 100);
	assert_int_equal(b.ops->read(&copy, &b.bus, PMK_MODE_PRIV, 2, &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(rd(&b, 2), 100);
}

static void test_no_such_register(void **state)
{
	struct bench b;
	uint64_t value;

	(void)state;
	setup(&b, &pmk_arm1176);
	assert_int_equal(b.ops->read(&b.model, &b.bus, PMK_MODE_PRIV, 5, &value), PMK_EBADREG);
	assert_int_equal(b.ops->write(&b.model, &b.bus, PMK_MODE_PRIV, 5, 0), PMK_EBADREG);
	assert_int_equal(b.model.oddities, 0);
}

static void test_find(void **state)
{
	struct pmk_driver other_driver = *pmk_arm1176.driver;
	struct pmk_pmu other = pmk_arm1176;

	(void)state;
	/*
	 * A PMU with this family's driver has this family's model. A PMU with another driver does
	 * not.
	 */
	assert_non_null(pmk_model_find(&other));
	other.driver = &other_driver;
	assert_null(pmk_model_find(&other));
}

static void test_defaults(void **state)
{
	struct pmk_arm11_params p = pmk_arm11_defaults(&pmk_arm1176);

	(void)state;
	assert_true(p.debug_stops);
	assert_false(p.user_access);
	assert_true(p.strict_e_clear);
	assert_int_equal(p.ccnt_reset, 0);
	assert_false(pmk_arm11_defaults(&pmk_arm1136_r0).debug_stops);
}

/* ---- the second implementation ------------------------------------------------------------- */

/* A second implementation with one flip-flop or counter for each fact. */
struct second {
	char core; /* '0' ARM1136 r0, '3' ARM1136, '5', '7', 'm' */
	bool strict, user_access;
	bool debug, niden, cp15sdisable;
	unsigned evt[2]; /* for PMN0, PMN1 */
	bool x, d, e;
	bool fiq[3], irq[3], flag[3], line[3]; /* for CCNT, PMN0, PMN1 */
	uint32_t count[3];
	unsigned delay; /* cycles until counting begins */
	unsigned phase; /* phase of the divider */
	bool v;
};

static void step(struct second *s, unsigned ctr)
{
	if (++s->count[ctr])
		return;
	s->flag[ctr] = true;
	if (s->irq[ctr])
		s->line[ctr] = true;
}

static bool stopped(const struct second *s)
{
	return !s->e || (s->debug && s->core != '0');
}

/* A few events of each kind, from DAI 0195B Table 2 and the MPCore list. */
static const struct {
	const char *cores;
	unsigned code;
	enum pmk_signal signal;
} selectable[] = {
	/* clang-format off */
	{ "0357m", 0x00, PMK_SIG_L1I_MISS },
	{ "0357m", 0x02, PMK_SIG_DATA_STALL },
	{ "037m",  0x03, PMK_SIG_MICRO_ITLB_MISS },
	{ "0357m", 0x05, PMK_SIG_BRANCH },
	{ "0357",  0x07, PMK_SIG_INSN },
	{ "m",     0x08, PMK_SIG_INSN },
	{ "0357",  0x20, PMK_SIG_ETMEXTOUT0 },
	{ "0357",  0x21, PMK_SIG_ETMEXTOUT1 },
	{ "0357",  0x22, PMK_SIG_ETMEXTOUT0 },
	{ "0357",  0x22, PMK_SIG_ETMEXTOUT1 },
	{ "7",     0x24, PMK_SIG_RET_POP },
	{ "5",     0x36, PMK_SIG_RET_POP },
	{ "0357m", 0xff, PMK_SIG_CYCLE },
	{ "",      0x40, PMK_SIG_L1D_ACCESS }, /* reserved on every core */
	/* clang-format on */
};

static void occur(struct second *s, enum pmk_signal sig)
{
	if (stopped(s) || s->delay || (s->core == '7' && !s->niden))
		return;
	for (unsigned n = 0; n < 2; n++)
		for (size_t i = 0; i < COUNT(selectable); i++)
			if (selectable[i].code == s->evt[n] && selectable[i].signal == sig &&
			    strchr(selectable[i].cores, s->core))
				step(s, 1 + n);
}

static void cycle(struct second *s)
{
	occur(s, PMK_SIG_CYCLE);
	if (!stopped(s) && !s->delay && (!s->d || ++s->phase == 64)) {
		if (s->d)
			s->phase = 0;
		step(s, 0);
	}
	if (s->e && s->delay)
		s->delay--;
}

static void second_write_pmnc(struct second *s, uint32_t w)
{
	static const unsigned flag_bit[3] = { 10, 8, 9 }, irq_bit[3] = { 6, 4, 5 },
			      fiq_bit[3] = { 30, 28, 29 };
	bool e = w & 1;

	s->evt[0] = w >> 20 & 0xff;
	s->evt[1] = w >> 12 & 0xff;
	s->x = w >> 11 & 1;
	s->d = w >> 3 & 1;
	if (e && !s->e)
		s->delay = 3;
	s->e = e;
	if (w & 4)
		s->count[0] = s->phase = 0;
	if (w & 2)
		s->count[1] = s->count[2] = 0;
	for (unsigned i = 0; i < 3; i++) {
		bool clear = w >> flag_bit[i] & 1;

		s->irq[i] = w >> irq_bit[i] & 1;
		s->fiq[i] = s->core == '5' && (w >> fiq_bit[i] & 1);
		if (clear && (e || !s->strict))
			s->flag[i] = false;
		if (clear && e)
			s->line[i] = false;
		if (!s->irq[i])
			s->line[i] = false;
		if (s->irq[i] && s->flag[i])
			s->line[i] = true;
	}
}

static uint32_t second_pmnc(const struct second *s)
{
	return (uint32_t)s->fiq[0] << 30 | (uint32_t)s->fiq[2] << 29 | (uint32_t)s->fiq[1] << 28 |
	       s->evt[0] << 20 | s->evt[1] << 12 | (uint32_t)s->x << 11 |
	       (uint32_t)s->flag[0] << 10 | (uint32_t)s->flag[2] << 9 | (uint32_t)s->flag[1] << 8 |
	       (uint32_t)s->irq[0] << 6 | (uint32_t)s->irq[2] << 5 | (uint32_t)s->irq[1] << 4 |
	       (uint32_t)s->d << 3 | s->e;
}

static unsigned second_lines(const struct second *s)
{
	bool irq = s->line[0] || s->line[1] || s->line[2];
	bool fiq =
		(s->flag[0] && s->fiq[0]) || (s->flag[1] && s->fiq[1]) || (s->flag[2] && s->fiq[2]);

	return irq | fiq << 1;
}

static bool second_may(const struct second *s, enum pmk_mode mode, unsigned reg, bool write)
{
	bool privileged = mode == PMK_MODE_PRIV || mode == PMK_MODE_PRIV_NONSEC;

	if (reg == 4)
		return s->core == '7' && mode == PMK_MODE_PRIV && !(write && s->cp15sdisable);
	if (privileged)
		return true;
	if (s->core == '7')
		return s->v;
	return (s->core == '5' || s->core == 'm') && s->user_access;
}

static uint32_t second_read(const struct second *s, unsigned reg)
{
	switch (reg) {
	case 0:
		return second_pmnc(s);
	case 4:
		return s->v;
	default:
		return s->count[reg - 1];
	}
}

static void second_write(struct second *s, unsigned reg, uint32_t w)
{
	switch (reg) {
	case 0:
		second_write_pmnc(s, w);
		break;
	case 4:
		s->v = w & 1;
		break;
	default:
		s->count[reg - 1] = w;
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

/*
 * Returns a value for PMNC. Usually E is set and both events are known; sometimes it is any value.
 */
static uint32_t random_pmnc(struct random *r)
{
	uint32_t w = below(r, 0x10000) | below(r, 0x10000) << 16;

	if (below(r, 16) == 0)
		return w;
	w &= 0x70000fff;
	w |= selectable[below(r, COUNT(selectable))].code << 20;
	w |= selectable[below(r, COUNT(selectable))].code << 12;
	if (below(r, 4))
		w &= ~6u;
	if (below(r, 4))
		w |= 1;
	return w;
}

static uint32_t random_value(struct random *r, unsigned reg)
{
	if (reg == 0)
		return random_pmnc(r);
	return below(r, 4) ? 0xffffffff - below(r, 40) : below(r, 1000);
}

/*
 * Replaces an event code that is not in the table above by 0x40, which is reserved on every core.
 */
static uint32_t tame(uint32_t w)
{
	for (unsigned shift = 12; shift <= 20; shift += 8) {
		bool known = false;

		for (size_t i = 0; i < COUNT(selectable); i++)
			known |= selectable[i].code == (w >> shift & 0xff);
		if (!known)
			w = (w & ~(0xffu << shift)) | 0x40u << shift;
	}
	return w;
}

static void random_access(struct bench *b, struct second *s, struct random *r, bool write)
{
	enum pmk_mode mode = below(r, 3) ? PMK_MODE_PRIV : below(r, 4);
	unsigned reg = below(r, 12) ? below(r, 4) : 4;
	uint32_t w = random_value(r, reg);
	uint64_t value = 0;
	int err;

	if (!write) {
		err = b->ops->read(&b->model, &b->bus, mode, reg, &value);
		assert_int_equal(err, second_may(s, mode, reg, false) ? 0 : PMK_EUNDEF);
		if (!err)
			assert_int_equal(value, second_read(s, reg));
		return;
	}
	if (reg == 0)
		w = tame(w);
	err = b->ops->write(&b->model, &b->bus, mode, reg, w);
	assert_int_equal(err, second_may(s, mode, reg, true) ? 0 : PMK_EUNDEF);
	if (!err)
		second_write(s, reg, w);
	ask_anew(b);
}

static void random_signals(struct bench *b, struct second *s, struct random *r)
{
	enum pmk_signal sig = selectable[below(r, COUNT(selectable))].signal;
	unsigned n = below(r, 50);

	pass(b, sig, n);
	for (unsigned i = 0; i < n; i++) {
		if (sig == PMK_SIG_CYCLE)
			cycle(s);
		else
			occur(s, sig);
	}
}

static void random_cycles(struct bench *b, struct second *s, struct random *r)
{
	unsigned n = below(r, 4) ? below(r, 6) : below(r, 300);

	pass(b, PMK_SIG_CYCLE, n);
	for (unsigned i = 0; i < n; i++)
		cycle(s);
}

static void random_input(struct bench *b, struct second *s, struct random *r)
{
	bool level = below(r, 2);

	switch (below(r, 3)) {
	case 0:
		s->debug = level;
		pmk_arm11_model_input(&b->model, &b->bus, PMK_ARM11_IN_DEBUG, level);
		break;
	case 1:
		s->niden = level;
		pmk_arm11_model_input(&b->model, &b->bus, PMK_ARM11_IN_NIDEN, level);
		break;
	default:
		s->cp15sdisable = level;
		pmk_arm11_model_input(&b->model, &b->bus, PMK_ARM11_IN_CP15SDISABLE, level);
		break;
	}
	ask_anew(b);
}

/*
 * How often the random walk met each situation. If a situation never occurs, the comparison proves
 * nothing about it.
 */
struct coverage {
	unsigned wraps[3], irqs, fiqs, undefined;
};

static void compare(const struct pmk_pmu *pmu, char core, bool strict, bool user_access,
		    struct coverage *seen)
{
	struct second s = {
		.core = core, .strict = strict, .user_access = user_access, .niden = true
	};
	struct pmk_arm11_params p = pmk_arm11_defaults(pmu);
	struct random r = { .x = UINT64_C(0x9e3779b97f4a7c15) + (unsigned)core + strict };
	struct bench b;

	setup(&b, pmu);
	p.strict_e_clear = strict;
	p.user_access = user_access;
	pmk_arm11_model_reset(&b.model, pmu, &p, &b.bus);
	for (unsigned op = 0; op < UNIT_SAMPLES(120000); op++) {
		unsigned kind = below(&r, 100);

		if (kind < 30)
			random_access(&b, &s, &r, true);
		else if (kind < 45)
			random_access(&b, &s, &r, false);
		else if (kind < 75)
			random_signals(&b, &s, &r);
		else if (kind < 98)
			random_cycles(&b, &s, &r);
		else
			random_input(&b, &s, &r);
		/* An overflow is visible when it happens, without an access to a register. */
		if (b.ops->lines(&b.model) != second_lines(&s))
			fail_msg("%s, operation %u: lines", pmu->name, op);
		for (unsigned i = 0; i < 3; i++)
			seen->wraps[i] += s.flag[i];
		seen->irqs += second_lines(&s) & 1;
		seen->fiqs += second_lines(&s) >> 1;
	}
	for (unsigned reg = 0; reg < 4; reg++)
		assert_int_equal(rd(&b, reg), second_read(&s, reg));
	seen->undefined += !!(b.model.oddities & 4);
}

static void test_random(void **state)
{
	static const struct {
		const struct pmk_pmu *pmu;
		char core;
	} cores[] = {
		{ &pmk_arm1136_r0, '0' }, { &pmk_arm1136, '3' },     { &pmk_arm1156, '5' },
		{ &pmk_arm1176, '7' },	  { &pmk_arm11mpcore, 'm' },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cores); i++) {
		struct coverage seen = { { 0 } };

		compare(cores[i].pmu, cores[i].core, false, false, &seen);
		compare(cores[i].pmu, cores[i].core, true, true, &seen);
		for (unsigned c = 0; c < 3; c++)
			assert_true(seen.wraps[c] > UNIT_SAMPLES(1000));
		assert_true(seen.irqs > UNIT_SAMPLES(1000));
		assert_true((seen.fiqs > UNIT_SAMPLES(1000)) == (cores[i].core == '5'));
		assert_int_equal(seen.undefined, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_from_present_totals),
		cmocka_unit_test(test_horizon),
		cmocka_unit_test(test_horizon_in_debug),
		cmocka_unit_test(test_ask_keeps_nearer_horizons),
		cmocka_unit_test(test_late_overflow),
		cmocka_unit_test(test_clone),
		cmocka_unit_test(test_no_such_register),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
