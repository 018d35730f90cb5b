// SPDX-License-Identifier: MIT
/*
 * The AHB Monitor's model: it uses its eight buses, and every signal moves the right counters. A
 * long random comparison with a second implementation of the rules, which counts event by event,
 * finds no difference. tests/conformance/ahbmon.vec tests the single rules.
 *
 * Numbers are literal: registers 0 to 90 are the counters in the order of DDI 0287B Tables 4-6 to
 * 4-13, 91 AHBMONCtrlReg, 92 AHBMONRstCtrs, 93 AHBMONPrstCtrs, 94 GxiPageSize, 95 to 103 the
 * thresholds; buses 0 HCLK, 1 ARM-I, 2 CLCDC, 3 DMA-0, 4 DMA-1, 5 EXP, 6 ARM-D, 7 GXI; control bits
 * 1 enable, 2 track DBGACK, 4 alignment of CtArmdCastOut4 (the project's layout).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct pmk_ahbmon_params defaults;

struct bench {
	const struct pmk_model_ops *ops;
	struct pmk_bus bus[8];
	struct pmk_ahbmon_model model;
};

static void setup(struct bench *b)
{
	b->ops = pmk_model_find(&pmk_ahbmon);
	assert_non_null(b->ops);
	assert_ptr_equal(b->ops->pmu, &pmk_ahbmon);
	assert_int_equal(b->ops->size, sizeof(b->model));
	for (unsigned i = 0; i < 8; i++)
		pmk_bus_init(&b->bus[i]);
	memset(&b->model, 0xa5, sizeof(b->model)); /* reset must work on any memory contents */
	b->ops->reset(&b->model, b->bus, b->ops->pmu);
}

static void wr(struct bench *b, unsigned reg, uint32_t value)
{
	assert_int_equal(b->ops->write(&b->model, b->bus, PMK_MODE_PRIV, reg, value), 0);
}

static uint32_t rd(struct bench *b, unsigned reg)
{
	uint64_t value = UINT64_MAX;

	assert_int_equal(b->ops->read(&b->model, b->bus, PMK_MODE_PRIV, reg, &value), 0);
	assert_true(value <= 0xffffffff);
	return (uint32_t)value;
}

/* ---- what each counter counts -------------------------------------------------------------- */

#define S(name) PMK_SIG_##name
#define WAITS	S(AHB_WAIT), S(AHB_WAIT_FIRST_SLAVE), S(AHB_WAIT_FIRST_BUS), S(AHB_WAIT_OVER)
#define INCRS	S(AHB_INCR), S(AHB_INCR4), S(AHB_INCR8), S(AHB_INCR16)
/* clang-format off */
#define APBS	S(AHB_READ_APB_DMA), S(AHB_WRITE_APB_DMA), \
		S(AHB_READ_APB_CORE), S(AHB_WRITE_APB_CORE)
/* clang-format on */

/*
 * The signals that the counters of each bus count, in the order of the manual's tables. The last
 * counter of the GXI counts changes of page; source_of() replaces its signal by that of the
 * selected page size.
 */
static const uint8_t hclk[] = { S(CYCLE), S(CYCLE), S(CYCLE) };
static const uint8_t armi[] = { S(AHB_READ), S(AHB_SINGLE), S(AHB_INCR4), S(AHB_LINEFILL), WAITS };
static const uint8_t clcdc[] = { S(AHB_READ), INCRS, WAITS };
static const uint8_t dma0[] = { S(AHB_READ),
				S(AHB_WRITE),
				S(AHB_READ_UART),
				S(AHB_WRITE_UART),
				S(AHB_READ_SCI),
				S(AHB_WRITE_SCI),
				S(AHB_READ_SSP),
				S(AHB_WRITE_SSP),
				INCRS,
				WAITS };
static const uint8_t dma1[] = { S(AHB_READ), S(AHB_WRITE), INCRS, WAITS };
static const uint8_t exp_layer[] = { S(AHB_READ),  S(AHB_WRITE),  APBS,		 S(AHB_SINGLE),
				     S(AHB_INCR),  S(AHB_WRAP4),  S(AHB_INCR4),	 S(AHB_WRAP8),
				     S(AHB_INCR8), S(AHB_WRAP16), S(AHB_INCR16), WAITS };
static const uint8_t armd[] = { S(AHB_READ),	 S(AHB_WRITE),	  APBS,
				S(AHB_SINGLE),	 S(AHB_INCR4),	  S(AHB_INCR8),
				S(AHB_LINEFILL), S(AHB_CASTOUT4), S(AHB_CASTOUT8),
				S(AHB_WALK_D),	 S(AHB_WALK_I),	  WAITS };
static const uint8_t gxi[] = { S(GXI_WRITE),	 S(GXI_READ),	    S(GXI_WRITE_WAIT),
			       S(GXI_READ_WAIT), S(GXI_DATA_WAIT),  S(GXI_READ_OVER),
			       S(GXI_DATA_OVER), S(GXI_WRITE_OVER), S(GXI_PAGE_2K) };

static const struct {
	const uint8_t *signal;
	unsigned n, first; /* number of counters, and the ID of the first */
} layers[] = {
	{ hclk, COUNT(hclk), 88 }, { armi, COUNT(armi), 0 },  { clcdc, COUNT(clcdc), 8 },
	{ dma0, COUNT(dma0), 17 }, { dma1, COUNT(dma1), 33 }, { exp_layer, COUNT(exp_layer), 43 },
	{ armd, COUNT(armd), 61 }, { gxi, COUNT(gxi), 79 },
};

/* Returns the bus and the signal of a counter under these settings. */
static void source_of(unsigned ctr, uint32_t ctrl, uint32_t page, unsigned *bus, unsigned *signal)
{
	static const uint8_t pages[] = { S(GXI_PAGE_2K), S(GXI_PAGE_4K), S(GXI_PAGE_8K),
					 S(GXI_PAGE_16K) };

	for (*bus = 0; ctr < layers[*bus].first || ctr >= layers[*bus].first + layers[*bus].n;)
		++*bus;
	*signal = layers[*bus].signal[ctr - layers[*bus].first];
	if (ctr == 71 && (ctrl & 4))
		*signal = S(AHB_CASTOUT4_ALIGNED);
	if (ctr == 87)
		*signal = pages[page];
}

/*
 * Each signal on each bus moves exactly the counters that count it, for four page sizes and both
 * alignments.
 */
static void test_every_signal_on_every_bus(void **state)
{
	struct bench b;
	uint32_t expected[91] = { 0 };

	(void)state;
	setup(&b);
	for (uint32_t setting = 0; setting < 8; setting++) {
		uint32_t ctrl = setting & 4 ? 5 : 1, page = setting & 3, n = 0;

		wr(&b, 94, page);
		wr(&b, 91, ctrl);
		for (unsigned bus = 0; bus < 8; bus++)
			for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
				pmk_bus_add(&b.bus[bus], sig, 1 + PMK_NSIGNALS * bus + sig);
		for (unsigned ctr = 0; ctr < 91; ctr++) {
			unsigned bus, sig;

			source_of(ctr, ctrl, page, &bus, &sig);
			expected[ctr] += 1 + PMK_NSIGNALS * bus + sig;
			assert_int_equal(rd(&b, ctr), expected[ctr]);
			n++;
		}
		assert_int_equal(n, 91);
	}
	assert_int_equal(b.model.oddities, 0);
}

static void test_counters_per_bus(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned bus = 0; bus < 8; bus++)
		n += layers[bus].n;
	assert_int_equal(n, 91);
}

/* ---- the buses ----------------------------------------------------------------------------- */

static void test_counts_from_present_totals(void **state)
{
	struct bench b;

	(void)state;
	setup(&b);
	for (unsigned bus = 0; bus < 8; bus++)
		for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
			b.bus[bus].total[sig] = 1000 + sig;
	b.ops->reset(&b.model, b.bus, b.ops->pmu);
	wr(&b, 91, 1);
	pmk_bus_add(&b.bus[0], PMK_SIG_CYCLE, 13);
	pmk_bus_add(&b.bus[6], PMK_SIG_AHB_LINEFILL, 2);
	for (unsigned ctr = 0; ctr < 91; ctr++)
		assert_int_equal(rd(&b, ctr), ctr >= 88 ? 13 : ctr == 70 ? 2 : 0);
}

/* The model sets no horizon, because a wrap has no effect outside the model. */
static void test_no_horizon(void **state)
{
	struct bench b;

	(void)state;
	setup(&b);
	wr(&b, 91, 1);
	pmk_bus_add(&b.bus[6], PMK_SIG_AHB_READ, 0xffffffff);
	assert_int_equal(rd(&b, 61), 0xffffffff);
	b.ops->ask(&b.model, b.bus);
	for (unsigned bus = 0; bus < 8; bus++) {
		assert_false(pmk_bus_due(&b.bus[bus]));
		for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
			assert_true(pmk_bus_horizon(&b.bus[bus], sig) == PMK_NEVER);
	}
	pmk_bus_add(&b.bus[6], PMK_SIG_AHB_READ, 1);
	assert_int_equal(b.ops->lines(&b.model), 0);
	assert_int_equal(rd(&b, 61), 0);
}

/* Even if the model is read late, the count is correct modulo 2^32, or stops at the maximum. */
static void test_late(void **state)
{
	static const struct pmk_ahbmon_params saturating = { .saturate = true };
	struct bench b;

	(void)state;
	setup(&b);
	wr(&b, 91, 1);
	pmk_bus_add(&b.bus[6], PMK_SIG_AHB_READ, UINT64_C(0x500000007));
	assert_int_equal(rd(&b, 61), 7);
	pmk_ahbmon_model_reset(&b.model, &pmk_ahbmon_sp816, &saturating, b.bus);
	wr(&b, 91, 1);
	pmk_bus_add(&b.bus[6], PMK_SIG_AHB_READ, UINT64_C(0x500000007));
	assert_int_equal(rd(&b, 61), 0xffffffff);
}

/*
 * When a port to the model settles, the idle cycles are bus clocks, because the HCLK bus is the
 * first bus.
 */
static void test_settle_is_hclk(void **state)
{
	struct pmk_model_port mp;
	struct pmk_port port;
	struct bench b;

	(void)state;
	setup(&b);
	mp = (struct pmk_model_port){ .ops = b.ops, .model = &b.model, .bus = b.bus };
	port = pmk_port_model(&mp);
	assert_int_equal(port.write(port.ctx, 91, 1), 0);
	port.settle(port.ctx, 17);
	assert_int_equal(rd(&b, 88), 17);
	assert_int_equal(rd(&b, 89), 17);
	for (unsigned bus = 1; bus < 8; bus++)
		assert_int_equal(b.bus[bus].total[PMK_SIG_CYCLE], 0);
}

/* A model is plain memory: a copy continues independently on the same buses. */
static void test_clone(void **state)
{
	struct pmk_ahbmon_model copy;
	struct bench b;
	uint64_t value;

	(void)state;
	setup(&b);
	wr(&b, 91, 1);
	pmk_bus_add(&b.bus[3], PMK_SIG_AHB_WRITE_SSP, 4);
	memcpy(&copy, &b.model, sizeof(copy));
	pmk_bus_add(&b.bus[3], PMK_SIG_AHB_WRITE_SSP, 3);
	wr(&b, 92, 0);
	assert_int_equal(b.ops->read(&copy, b.bus, PMK_MODE_PRIV, 24, &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(rd(&b, 24), 0);
}

/* ---- registers ----------------------------------------------------------------------------- */

static void test_no_such_register(void **state)
{
	struct pmk_ahbmon_layout layout = pmk_ahbmon_sp816;
	struct bench b;
	uint64_t value;

	(void)state;
	setup(&b);
	assert_int_equal(b.ops->read(&b.model, b.bus, PMK_MODE_PRIV, 104, &value), PMK_EBADREG);
	assert_int_equal(b.ops->write(&b.model, b.bus, PMK_MODE_PRIV, 104, 0), PMK_EBADREG);
	layout.offset[99] = 0xffff; /* a threshold that has no register */
	pmk_ahbmon_model_reset(&b.model, &layout, &defaults, b.bus);
	assert_int_equal(b.ops->read(&b.model, b.bus, PMK_MODE_PRIV, 99, &value), PMK_EBADREG);
	assert_int_equal(b.ops->write(&b.model, b.bus, PMK_MODE_PRIV, 99, 0), PMK_EBADREG);
	assert_int_equal(rd(&b, 98), 0);
	assert_int_equal(b.model.oddities, 0);
}

/*
 * The model is found for every PMU with the AHB Monitor's driver, and not for a PMU with another
 * driver.
 */
static void test_find(void **state)
{
	struct pmk_driver driver = *pmk_ahbmon.driver;
	struct pmk_pmu other = pmk_ahbmon;

	(void)state;
	assert_ptr_equal(pmk_model_find(&other), pmk_model_find(&pmk_ahbmon));
	other.driver = &driver;
	assert_null(pmk_model_find(&other));
}

/* The thresholds that the observer of the buses reads from the model are those in its registers. */
static void test_thresholds(void **state)
{
	struct bench b;

	(void)state;
	setup(&b);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(pmk_ahbmon_model_threshold(&b.model, i), 0);
	for (unsigned i = 0; i < 9; i++)
		wr(&b, 95 + i, 100 + i);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(pmk_ahbmon_model_threshold(&b.model, i), 100 + i);
}

/* The model works with a layout that has narrow thresholds and other bits. */
static void test_other_layout(void **state)
{
	static const struct pmk_ahbmon_params high = { .threshold_reset = 0x123, .page_reset = 6 };
	struct pmk_ahbmon_layout layout = pmk_ahbmon_sp816;
	struct bench b;

	(void)state;
	setup(&b);
	layout.base = 0x40000000;
	layout.enable = 0x80000000;
	layout.track_dbgack = 0x100;
	layout.castout4_aligned = 0;
	layout.threshold = 0xff;
	layout.offset[61] = 0x4000;
	pmk_ahbmon_model_reset(&b.model, &layout, &high, b.bus);
	assert_int_equal(rd(&b, 95), 0x23);
	assert_int_equal(rd(&b, 94), 2);
	wr(&b, 103, 0x1234);
	assert_int_equal(rd(&b, 103), 0x34);
	assert_int_equal(b.model.oddities, 2);
	wr(&b, 91, 0xffffffff);
	assert_int_equal(rd(&b, 91), 0x80000100);
	pmk_bus_add(&b.bus[6], PMK_SIG_AHB_READ, 3);
	pmk_bus_add(&b.bus[6], PMK_SIG_AHB_CASTOUT4, 4);
	assert_int_equal(rd(&b, 61), 3);
	assert_int_equal(rd(&b, 71), 4);
	pmk_ahbmon_model_input(&b.model, b.bus, PMK_AHBMON_IN_DBGACK, true);
	pmk_bus_add(&b.bus[6], PMK_SIG_AHB_READ, 3);
	assert_int_equal(rd(&b, 61), 3);
	wr(&b, 93, 0);
	assert_int_equal(rd(&b, 91), 0x100);
	assert_int_equal(rd(&b, 61), 0x40004000);
}

/* ---- the second implementation ------------------------------------------------------------- */

struct second {
	bool saturate, reset_total, keeps_enable;
	bool enable, track, aligned, stopped, dbgack;
	uint32_t page, threshold[9], oddities;
	uint32_t count[91];
};

static bool counts(const struct second *s, unsigned ctr)
{
	bool debug = s->track && s->dbgack;

	if (ctr == 88)
		return true;
	if (!s->enable || s->stopped)
		return false;
	if (ctr <= 7 || (ctr >= 61 && ctr <= 78) || ctr == 90)
		return !debug;
	return true;
}

/* Counts the occurrences one by one, unless there are more than 8. */
static void happens(struct second *s, unsigned bus, unsigned sig, uint64_t n)
{
	for (unsigned ctr = 0; ctr < 91; ctr++) {
		unsigned b, sg;

		source_of(ctr, s->aligned ? 4 : 0, s->page, &b, &sg);
		if (b != bus || sg != sig || !counts(s, ctr))
			continue;
		if (n > 8) {
			uint64_t sum = s->count[ctr] + n;

			s->count[ctr] =
				s->saturate && sum > 0xffffffff ? 0xffffffff : (uint32_t)sum;
			continue;
		}
		for (uint64_t i = 0; i < n; i++)
			if (!(s->saturate && s->count[ctr] == 0xffffffff))
				s->count[ctr]++;
	}
}

static void write_second(struct second *s, unsigned reg, uint32_t w)
{
	if (reg <= 90) {
		s->oddities |= 1;
	} else if (reg == 91) {
		s->enable = w & 1;
		s->track = w & 2;
		s->aligned = w & 4;
		if (s->enable)
			s->stopped = false;
		if (w > 7)
			s->oddities |= 2;
	} else if (reg == 92 || reg == 93) {
		for (unsigned ctr = 0; ctr < 91; ctr++)
			if (ctr != 88 || s->reset_total)
				s->count[ctr] = reg == 92 ? 0 : 0x101d0000 + 4 * ctr;
		if (reg == 93) {
			s->stopped = true;
			s->enable = s->enable && s->keeps_enable;
		}
	} else if (reg == 94) {
		s->page = w & 3;
		if (w > 3)
			s->oddities |= 2;
	} else {
		s->threshold[reg - 95] = w;
	}
}

static uint32_t read_second(struct second *s, unsigned reg)
{
	if (reg <= 90)
		return s->count[reg];
	if (reg == 91)
		return s->enable | s->track << 1 | s->aligned << 2;
	if (reg == 94)
		return s->page;
	if (reg >= 95)
		return s->threshold[reg - 95];
	s->oddities |= 4;
	return 0;
}

static uint32_t seed = 1;

static uint32_t pick(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Returns a random signal, which usually is one that a counter of the bus counts. */
static unsigned pick_signal(unsigned bus)
{
	if (!pick(8))
		return pick(PMK_NSIGNALS);
	if (bus == 7 && !pick(3))
		return PMK_SIG_GXI_PAGE_2K + pick(4);
	if (bus == 6 && !pick(8))
		return PMK_SIG_AHB_CASTOUT4_ALIGNED;
	return layers[bus].signal[pick(layers[bus].n)];
}

static void step(struct bench *b, struct second *s)
{
	unsigned what = pick(100);

	if (what < 60) {
		unsigned bus = pick(8), sig = pick_signal(bus);
		uint64_t n = pick(20)  ? pick(9)
			     : pick(2) ? 0xfffffff0 + pick(16)
				       : UINT64_C(1) << 33;

		pmk_bus_add(&b->bus[bus], sig, n);
		happens(s, bus, sig, n);
	} else if (what < 66) {
		bool level = pick(2);

		pmk_ahbmon_model_input(&b->model, b->bus, PMK_AHBMON_IN_DBGACK, level);
		s->dbgack = level;
	} else if (what < 70) {
		b->ops->sync(&b->model, b->bus);
	} else if (what < 85) {
		unsigned reg = pick(10) ? 91 + pick(13) : pick(104);
		uint32_t w = reg == 91 && pick(10) ? 1 | pick(8) : pick(10);

		if (reg == 92 || reg == 93) /* seldom, so that counts can grow */
			reg = pick(4) ? 91 : reg;
		wr(b, reg, w);
		write_second(s, reg, w);
	} else {
		unsigned reg = pick(104);

		assert_int_equal(rd(b, reg), read_second(s, reg));
	}
}

static void test_random_against_second_statement(void **state)
{
	unsigned moved = 0;

	(void)state;
	for (unsigned round = 0; round < 64; round++) {
		struct pmk_ahbmon_params p = { .saturate = round & 1,
					       .reset_total = round & 2,
					       .preset_keeps_enable = round & 4 };
		struct second s = { .saturate = p.saturate,
				    .reset_total = p.reset_total,
				    .keeps_enable = p.preset_keeps_enable };
		struct bench b;

		setup(&b);
		pmk_ahbmon_model_reset(&b.model, &pmk_ahbmon_sp816, &p, b.bus);
		for (unsigned i = 0; i < 4000; i++)
			step(&b, &s);
		for (unsigned reg = 0; reg < 104; reg++)
			assert_int_equal(rd(&b, reg), read_second(&s, reg));
		assert_int_equal(b.model.oddities, s.oddities);
		for (unsigned ctr = 0; ctr < 91; ctr++)
			moved += s.count[ctr] && s.count[ctr] != 0x101d0000 + 4 * ctr;
	}
	assert_true(moved > 64 * 91 / 4); /* the comparison has covered enough */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_signal_on_every_bus),
		cmocka_unit_test(test_counters_per_bus),
		cmocka_unit_test(test_counts_from_present_totals),
		cmocka_unit_test(test_no_horizon),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_settle_is_hclk),
		cmocka_unit_test(test_clone),
		cmocka_unit_test(test_no_such_register),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_other_layout),
		cmocka_unit_test(test_random_against_second_statement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
