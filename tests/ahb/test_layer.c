// SPDX-License-Identifier: MIT
/*
 * The observer of one AHB layer: each kind of cycle raises the right signals, and all cycles add
 * up. Waves are written as in trace.h. Rules: IHI 0011A chapter 3, DDI 0287B 4.2.2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "buses/ahb/layer.h"

#include "trace.h"

#define S(name) PMK_SIG_AHB_##name

struct bench {
	struct pmk_ahb_layer_params params;
	struct pmk_ahb_layer layer;
	struct pmk_bus bus;
	struct trace trace;
};

static void setup(struct bench *b)
{
	pmk_ahb_layer_defaults(&b->params);
	pmk_ahb_layer_devchip_windows(&b->params);
	pmk_bus_init(&b->bus);
}

static void begin(struct bench *b)
{
	assert_int_equal(pmk_ahb_layer_init(&b->layer, &b->params, &b->bus), 0);
}

/* Checks that all cycles up to now add up. */
static void check_layer(const struct bench *b)
{
	const char *wrong = pmk_ahb_layer_check(&b->layer, &b->bus);

	if (wrong)
		fail_msg("%s", wrong);
}

static void feed(struct bench *b, const char *wave)
{
	trace_make(&b->trace, wave);
	for (unsigned i = 0; i < b->trace.n; i++) {
		pmk_ahb_layer_sample(&b->layer, &b->bus, &b->trace.cycle[i]);
		check_layer(b);
	}
}

/* Checks pairs of a signal and its total, ended by -1. All other signals must be 0. */
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

static void expect_classes(const struct bench *b, unsigned idle, unsigned busy, unsigned wait,
			   unsigned done, unsigned first, unsigned unknown)
{
	assert_int_equal(b->layer.class[PMK_AHB_C_IDLE], idle);
	assert_int_equal(b->layer.class[PMK_AHB_C_BUSY], busy);
	assert_int_equal(b->layer.class[PMK_AHB_C_WAIT], wait);
	assert_int_equal(b->layer.class[PMK_AHB_C_DONE], done);
	assert_int_equal(b->layer.class[PMK_AHB_C_FIRST], first);
	assert_int_equal(b->layer.class[PMK_AHB_C_UNKNOWN], unknown);
	assert_int_equal(b->layer.cycles, idle + busy + wait + done + first + unknown);
}

/* ---- transfers and bursts ------------------------------------------------------------------ */

static void test_every_burst(void **state)
{
	static const struct {
		const char *wave;
		unsigned signal, beats, more; /* more: a signal that is raised, too */
	} rows[] = {
		{ "Nr:single@40 I", S(SINGLE), 1, 0 },
		{ "Nr:incr@40 S*4 I", S(INCR), 5, 0 },
		{ "Nr:wrap4@44 S*3 I", S(WRAP4), 4, 0 },
		{ "Nr:incr4@44 S*3 I", S(INCR4), 4, 0 },
		{ "Nr:wrap8@44 S*7 I", S(WRAP8), 8, S(LINEFILL) },
		{ "Nr:incr8@44 S*7 I", S(INCR8), 8, 0 },
		{ "Nr:wrap16@44 S*15 I", S(WRAP16), 16, 0 },
		{ "Nr:incr16@44 S*15 I", S(INCR16), 16, 0 },
	};
	static struct bench b;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		setup(&b);
		begin(&b);
		feed(&b, rows[i].wave);
		if (rows[i].more)
			expect(&b, rows[i].signal, 1, S(READ), rows[i].beats, rows[i].more, 1, -1);
		else
			expect(&b, rows[i].signal, 1, S(READ), rows[i].beats, -1);
		expect_classes(&b, 1, 0, 0, rows[i].beats, 0, 0);
	}
}

/*
 * A burst counts with its first beat, and a transfer when it completes. Neither counts in its
 * address phase.
 */
static void test_pipeline(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "Nw:incr4@0");
	expect(&b, -1);
	feed(&b, "Sw:incr4@4/ss");
	expect(&b, S(WAIT), 2, S(WAIT_FIRST_SLAVE), 2, S(WAIT_OVER), 1, -1);
	feed(&b, "Sw:incr4@4");
	expect(&b, S(WAIT), 2, S(WAIT_FIRST_SLAVE), 2, S(WAIT_OVER), 1, S(INCR4), 1, S(WRITE), 1,
	       -1);
	feed(&b, "Sw:incr4@8");
	expect(&b, S(WAIT), 2, S(WAIT_FIRST_SLAVE), 2, S(WAIT_OVER), 1, S(INCR4), 1, S(WRITE), 2,
	       -1);
}

/*
 * If two bursts follow each other directly, the address phase of the second is in the last data
 * phase of the first.
 */
static void test_back_to_back(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "Nw:incr4@0 S*3 Nr:single@100 Nr:single@200 I");
	expect(&b, S(INCR4), 1, S(WRITE), 4, S(SINGLE), 2, S(READ), 2, -1);
	expect_classes(&b, 1, 0, 0, 6, 0, 0);
}

static void test_busy_is_no_wait(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "Nr:incr4@0 B*2 S/o S S I I");
	expect(&b, S(INCR4), 1, S(READ), 4, -1);
	expect_classes(&b, 2, 2, 0, 4, 0, 0);
}

/* If a burst ends early, it counts as the type that it began with (our choice). */
static void test_early_end(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "Nr:incr8@0 S S I Nr:wrap16@0 Nr:incr@0 I");
	expect(&b, S(INCR8), 1, S(WRAP16), 1, S(INCR), 1, S(READ), 5, -1);
}

/* ---- responses ----------------------------------------------------------------------------- */

static void test_error(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "Nr:single@0 I/e");
	expect(&b, -1);
	feed(&b, "I/E");
	expect(&b, S(READ), 1, S(SINGLE), 1, -1);
	expect_classes(&b, 1, 0, 0, 1, 1, 0);
	feed(&b, "I Nw:incr4@0 S/sseE S I/eE I"); /* wait states before an ERROR are counted */
	expect(&b, S(READ), 1, S(SINGLE), 1, S(WRITE), 3, S(INCR4), 1, S(WAIT), 2,
	       S(WAIT_FIRST_SLAVE), 2, S(WAIT_OVER), 1, -1);
}

/*
 * Transfers that get RETRY or SPLIT do not count. The repeated transfer counts, and the remaining
 * transfers of a burst are repeated as SINGLE (DDI 0287B 4.2.2; DDI 0198D 6.2 on the ARM926EJ-S).
 */
static void test_retry(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "Nw:single@0 I/rR I Nw:single@0 I");
	expect(&b, S(WRITE), 1, S(SINGLE), 1, -1);
	expect_classes(&b, 3, 0, 0, 2, 1, 0);
	assert_int_equal(b.layer.refused, 1);
	setup(&b);
	begin(&b);
	feed(&b, "Nw:incr4@0%f S I/rR Nw:single@4%f Nw:single@8%f Nw:single@c%f I");
	expect(&b, S(WRITE), 4, S(INCR4), 1, S(CASTOUT4), 1, S(CASTOUT4_ALIGNED), 1, S(SINGLE), 3,
	       -1);
}

static void test_split(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "Nr:wrap8@0 S I/spP I I Nr:single@4 I");
	expect(&b, S(READ), 2, S(WRAP8), 1, S(LINEFILL), 1, S(SINGLE), 1, S(WAIT), 1, S(WAIT_OVER),
	       1, -1);
	assert_int_equal(b.layer.refused, 1);
}

static void test_first_response_waits(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	b.params.first_response_waits = true;
	begin(&b);
	feed(&b, "Nr:single@0 I/eE Nr:incr4@0 S I/rR I");
	expect(&b, S(READ), 2, S(SINGLE), 1, S(INCR4), 1, S(WAIT), 2, S(WAIT_FIRST_SLAVE), 1,
	       S(WAIT_OVER), 2, -1);
}

/* ---- wait states --------------------------------------------------------------------------- */

/* Wait states of first beats count by cause. Wait states of later beats count only in the total. */
static void test_causes(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	b.layer.threshold = 100;
	feed(&b, "Nr:incr4@0 S/caasso S/sao S I/co");
	expect(&b, S(READ), 4, S(INCR4), 1, S(WAIT), 8, S(WAIT_FIRST_BUS), 3, S(WAIT_FIRST_SLAVE),
	       2, -1);
	assert_int_equal(b.layer.later_waits, 3);
	assert_int_equal(b.layer.cause_unknown, 0);
}

static void test_unknown_cause(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b); /* by default, waits of unknown cause count as the slave's */
	begin(&b);
	b.layer.threshold = 100;
	feed(&b, "Nr:single@0 I/uuco");
	expect(&b, S(READ), 1, S(SINGLE), 1, S(WAIT), 3, S(WAIT_FIRST_SLAVE), 2, S(WAIT_FIRST_BUS),
	       1, -1);
	assert_int_equal(b.layer.cause_unknown, 2);
	setup(&b);
	b.params.unknown_cause = PMK_AHB_CAUSE_ARBITRATE;
	begin(&b);
	b.layer.threshold = 100;
	feed(&b, "Nr:single@0 I/uuco");
	expect(&b, S(READ), 1, S(SINGLE), 1, S(WAIT), 3, S(WAIT_FIRST_BUS), 3, -1);
	setup(&b);
	b.params.unknown_cause = PMK_AHB_CAUSE_UNKNOWN; /* unknown causes count only in the total */
	begin(&b);
	b.layer.threshold = 100;
	assert_false(pmk_bus_raises(&b.bus, S(WAIT_FIRST_SLAVE)));
	assert_false(pmk_bus_raises(&b.bus, S(WAIT_FIRST_BUS)));
	assert_true(pmk_bus_raises(&b.bus, S(WAIT)));
	feed(&b, "Nr:single@0 I/uuco");
	expect(&b, S(READ), 1, S(SINGLE), 1, S(WAIT), 3, -1);
}

static unsigned hits(struct bench *b, uint32_t threshold, const char *wave)
{
	begin(b);
	b->layer.threshold = threshold;
	b->bus.total[S(WAIT_OVER)] = 0;
	feed(b, wave);
	return (unsigned)b->bus.total[S(WAIT_OVER)];
}

static void test_threshold(void **state)
{
	static const char wave[] = "Nr:incr4@0 S/sso S/ssso S/so I I";
	static struct bench b;

	(void)state;
	setup(&b); /* Waits of more cycles than the threshold are hits, one for each transfer. */
	assert_int_equal(hits(&b, 0, wave), 3);
	assert_int_equal(hits(&b, 1, wave), 2);
	assert_int_equal(hits(&b, 2, wave), 1);
	assert_int_equal(hits(&b, 3, wave), 0);
	b.params.threshold_reached = true;
	assert_int_equal(hits(&b, 0, wave), 3);
	assert_int_equal(hits(&b, 1, wave), 3);
	assert_int_equal(hits(&b, 2, wave), 2);
	assert_int_equal(hits(&b, 3, wave), 1);
	assert_int_equal(hits(&b, 4, wave), 0);
	b.params.threshold_every_cycle = true;
	assert_int_equal(hits(&b, 2, wave), 3);
	b.params.threshold_reached = false;
	assert_int_equal(hits(&b, 0, wave), 6);
	assert_int_equal(hits(&b, 1, wave), 3);
	assert_int_equal(hits(&b, 2, wave), 1);
}

/*
 * If a threshold is lowered while a transfer waits, it applies to this transfer, which is still
 * only one hit.
 */
static void test_threshold_changes(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	b.layer.threshold = 10;
	feed(&b, "Nr:single@0 I/sss");
	b.layer.threshold = 1;
	feed(&b, "I/s");
	expect(&b, S(WAIT), 4, S(WAIT_FIRST_SLAVE), 4, S(WAIT_OVER), 1, -1);
	b.layer.threshold = 4;
	feed(&b, "I/ss");
	expect(&b, S(WAIT), 6, S(WAIT_FIRST_SLAVE), 6, S(WAIT_OVER), 1, -1);
}

/* ---- cache lines and table walks ----------------------------------------------------------- */

static void test_shapes(void **state)
{
	static const struct {
		const char *wave;
		unsigned signal, signal2; /* raised in addition to transfers and bursts; 0: none */
	} rows[] = {
		{ "Nr:wrap8@20%0 I", S(LINEFILL), 0 },
		{ "Nr:wrap8@20%f I", S(LINEFILL), 0 },
		{ "Nw:wrap8@20%f I", 0, 0 },
		{ "Nr:wrap8.h@20%f I", 0, 0 },
		{ "Nr:incr8@20%f I", 0, 0 },
		{ "Nw:incr4@10%f I", S(CASTOUT4), S(CASTOUT4_ALIGNED) },
		{ "Nw:incr4@14%f I", S(CASTOUT4), 0 },
		{ "Nw:incr4@18%f I", S(CASTOUT4), 0 },
		{ "Nw:incr4@1c%f I", S(CASTOUT4), 0 },
		{ "Nr:incr4@10%f I", 0, 0 },
		{ "Nw:incr4@10%e I", 0, 0 },
		{ "Nw:incr4@10%d I", 0, 0 },
		{ "Nw:incr4@10%b I", 0, 0 },
		{ "Nw:incr4@10%7 I", 0, 0 },
		{ "Nw:incr4.h@10%f I", 0, 0 },
		{ "Nw:wrap4@10%f I", 0, 0 },
		{ "Nw:incr8@24%f I", S(CASTOUT8), 0 },
		{ "Nw:incr8@20%7 I", 0, 0 },
		{ "Nr:incr8@20%f I", 0, 0 },
		{ "Nr:single@4%f I", S(WALK_D), 0 },
		{ "Nr:single@4%e I", S(WALK_I), 0 },
		{ "Nr:single@4%c I", 0, 0 },
		{ "Nr:single.b@4%f I", 0, 0 },
		{ "Nw:single@4%f I", 0, 0 },
		{ "Nr:incr@4%f I", 0, 0 },
	};
	static const unsigned shapes[] = { S(LINEFILL), S(CASTOUT4), S(CASTOUT4_ALIGNED),
					   S(CASTOUT8), S(WALK_D),   S(WALK_I) };
	static struct bench b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup(&b);
		begin(&b);
		feed(&b, rows[i].wave);
		for (unsigned s = 0; s < 6; s++) {
			bool want = shapes[s] == rows[i].signal || shapes[s] == rows[i].signal2;

			if (b.bus.total[shapes[s]] != want)
				fail_msg("%s: %s is %llu", rows[i].wave, pmk_signal_name(shapes[s]),
					 (unsigned long long)b.bus.total[shapes[s]]);
		}
	}
}

/* A user may map the letters CBPD to other bits of HPROT. */
static void test_other_prot(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	b.params.castout_prot = 0x9;
	b.params.walk_d_prot = 0x1;
	b.params.walk_i_prot = 0x0;
	begin(&b);
	feed(&b, "Nw:incr8@20%9 S*7 Nr:single@0%1 Nr:single@0%0 Nr:single@0%f I");
	expect(&b, S(CASTOUT8), 1, S(INCR8), 1, S(WRITE), 8, S(SINGLE), 3, S(READ), 3, S(WALK_D), 1,
	       S(WALK_I), 1, -1);
}

/* ---- windows ------------------------------------------------------------------------------- */

/* The edges of every window: DDI 0287B 4.2.2, PSEL[15:0] from HADDR[15:12]. */
static void test_windows(void **state)
{
	static const struct {
		uint32_t addr;
		unsigned read, read2; /* 0: no signal */
	} rows[] = {
		{ 0x101dfffc, 0, 0 },
		{ 0x101e0000, S(READ_APB_CORE), 0 },
		{ 0x101efffc, S(READ_APB_CORE), 0 },
		{ 0x101f0000, S(READ_APB_DMA), S(READ_SCI) },
		{ 0x101f0ffc, S(READ_APB_DMA), S(READ_SCI) },
		{ 0x101f1000, S(READ_APB_DMA), S(READ_UART) },
		{ 0x101f2000, S(READ_APB_DMA), S(READ_UART) },
		{ 0x101f3ffc, S(READ_APB_DMA), S(READ_UART) },
		{ 0x101f4000, S(READ_APB_DMA), S(READ_SSP) },
		{ 0x101f4ffc, S(READ_APB_DMA), S(READ_SSP) },
		{ 0x101f5000, S(READ_APB_DMA), 0 },
		{ 0x101ffffc, S(READ_APB_DMA), 0 },
		{ 0x10200000, 0, 0 },
	};
	static struct bench b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned write = 0; write < 2; write++) {
			/* The write signal of each window follows its read signal. */
			unsigned first = rows[i].read ? rows[i].read + write : 0;
			unsigned second = rows[i].read2 ? rows[i].read2 + write : 0;
			unsigned all = write ? S(WRITE) : S(READ);
			char wave[64];

			setup(&b);
			begin(&b);
			snprintf(wave, sizeof(wave), "N%c:single@%x I", write ? 'w' : 'r',
				 rows[i].addr);
			feed(&b, wave);
			if (second)
				expect(&b, all, 1, S(SINGLE), 1, first, 1, second, 1, -1);
			else if (first)
				expect(&b, all, 1, S(SINGLE), 1, first, 1, -1);
			else
				expect(&b, all, 1, S(SINGLE), 1, -1);
		}
}

/* The window of each beat is checked. An address above 32 bits is in no window. */
static void test_windows_by_beat(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "Nw:incr4@101f1000 S*3 Nr:single@1101f1000 I/eE I Nr:single@101f4000 I/rR I");
	expect(&b, S(WRITE), 4, S(INCR4), 1, S(WRITE_APB_DMA), 4, S(WRITE_UART), 4, S(READ), 1,
	       S(SINGLE), 1, -1);
}

static void test_slave_numbers(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	b.params.nwindows = 2;
	b.params.window[0] = (struct pmk_ahb_window){ 0x1000, 0x1fff, 0, 3 };
	b.params.window[1] = (struct pmk_ahb_window){ 0x0, 0xffff, 0, 5 };
	begin(&b);
	feed(&b, "Nr:single@1000 Nr:single@2000");
	assert_int_equal(b.layer.seen.slave, 3);
	feed(&b, "Nr:single@10000");
	assert_int_equal(b.layer.seen.slave, 5);
	feed(&b, "I");
	assert_int_equal(b.layer.seen.slave, 0xff);
}

/* ---- missing signals, and x ------------------------------------------------------ */

static void test_absent_signals(void **state)
{
	static const struct {
		unsigned role;
		unsigned gone[4];
	} rows[] = {
		{ PMK_AHB_HADDR, { S(CASTOUT4_ALIGNED), S(READ_APB_DMA), S(READ_UART) } },
		{ PMK_AHB_HWRITE, { S(READ), S(WRITE), S(LINEFILL), S(CASTOUT8) } },
		{ PMK_AHB_HSIZE, { S(LINEFILL), S(WALK_D), S(CASTOUT4), S(WALK_I) } },
		{ PMK_AHB_HBURST, { S(SINGLE), S(INCR4), S(LINEFILL), S(CASTOUT4) } },
		{ PMK_AHB_HPROT, { S(CASTOUT4), S(CASTOUT8), S(WALK_D), S(WALK_I) } },
	};
	static struct bench b;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		setup(&b);
		b.params.has &= ~PMK_AHB_ROLE(rows[i].role);
		begin(&b);
		feed(&b, "Nw:incr4@101f1000%f S/so S S Nr:single@10%f I/eE Nr:wrap8@0 S*7 I");
		for (unsigned s = 0; s < PMK_NSIGNALS; s++)
			if (b.bus.total[s])
				assert_true(pmk_bus_raises(&b.bus, s));
		for (unsigned g = 0; g < 4 && rows[i].gone[g]; g++)
			assert_false(pmk_bus_raises(&b.bus, rows[i].gone[g]));
		assert_int_equal(b.bus.total[S(WAIT)], 1);
	}
}

static void test_all_signals(void **state)
{
	static struct bench b;
	unsigned n = 0;

	(void)state;
	setup(&b);
	begin(&b);
	for (unsigned s = 0; s < PMK_NSIGNALS; s++)
		n += pmk_bus_raises(&b.bus, s);
	assert_int_equal(n, 12 + 8 + 6 + 4); /* directions and places, bursts, shapes, waits */
	b.params.has &= ~PMK_AHB_ROLE(PMK_AHB_HREADY);
	assert_int_equal(pmk_ahb_layer_init(&b.layer, &b.params, &b.bus), PMK_EINVAL);
	setup(&b);
	b.params.nwindows = 17;
	assert_int_equal(pmk_ahb_layer_init(&b.layer, &b.params, &b.bus), PMK_EINVAL);
}

/* On AHB-Lite without HRESP, every response is OKAY. */
static void test_no_hresp(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	b.params.has &= ~PMK_AHB_ROLE(PMK_AHB_HRESP);
	begin(&b);
	feed(&b, "Nr:single@0 I/eE");
	expect(&b, S(READ), 1, S(SINGLE), 1, S(WAIT), 1, S(WAIT_FIRST_SLAVE), 1, S(WAIT_OVER), 1,
	       -1);
}

static void with_x(struct bench *b, const char *wave, unsigned at, unsigned role)
{
	setup(b);
	begin(b);
	b->layer.threshold = 100;
	trace_make(&b->trace, wave);
	b->trace.cycle[at].x = (uint16_t)PMK_AHB_ROLE(role);
	for (unsigned i = 0; i < b->trace.n; i++) {
		pmk_ahb_layer_sample(&b->layer, &b->bus, &b->trace.cycle[i]);
		check_layer(b);
	}
}

static void test_x(void **state)
{
	static const char wave[] = "Nw:incr4@10%f S/so S S I";
	static struct bench b;

	(void)state;
	with_x(&b, wave, 0, PMK_AHB_HADDR);
	expect(&b, S(WRITE), 4, S(INCR4), 1, S(WAIT), 1, S(WAIT_FIRST_SLAVE), 1, S(CASTOUT4), 1,
	       -1);
	with_x(&b, wave, 0, PMK_AHB_HPROT);
	expect(&b, S(WRITE), 4, S(INCR4), 1, S(WAIT), 1, S(WAIT_FIRST_SLAVE), 1, -1);
	with_x(&b, wave, 0, PMK_AHB_HSIZE);
	expect(&b, S(WRITE), 4, S(INCR4), 1, S(WAIT), 1, S(WAIT_FIRST_SLAVE), 1, -1);
	with_x(&b, wave, 0, PMK_AHB_HBURST);
	expect(&b, S(WRITE), 4, S(WAIT), 1, S(WAIT_FIRST_SLAVE), 1, -1);
	assert_int_equal(b.layer.burst_undecided, 1);
	with_x(&b, wave, 0, PMK_AHB_HWRITE);
	expect(&b, S(WRITE), 3, S(INCR4), 1, S(WAIT), 1, S(WAIT_FIRST_SLAVE), 1, -1);
	assert_int_equal(b.layer.undecided, 1);
	/* If HTRANS is unknown, there may have been no transfer. */
	with_x(&b, wave, 0, PMK_AHB_HTRANS);
	expect(&b, S(WRITE), 3, -1);
	expect_classes(&b, 1, 0, 0, 3, 0, 2);
	/* If HREADY is unknown, the cycle may be a wait state or the end of the transfer. */
	with_x(&b, wave, 1, PMK_AHB_HREADY);
	expect(&b, S(WRITE), 4, S(INCR4), 1, S(CASTOUT4), 1, S(CASTOUT4_ALIGNED), 1, -1);
	expect_classes(&b, 1, 0, 0, 4, 0, 1);
	with_x(&b, wave, 1, PMK_AHB_HRESP);
	expect(&b, S(WRITE), 4, S(INCR4), 1, S(CASTOUT4), 1, S(CASTOUT4_ALIGNED), 1, -1);
	expect_classes(&b, 1, 0, 0, 4, 0, 1);
	/* If HRESP is unknown, the transfer may not have been OKAY. */
	with_x(&b, wave, 2, PMK_AHB_HRESP);
	expect(&b, S(WRITE), 3, S(WAIT), 1, S(WAIT_FIRST_SLAVE), 1, -1);
	expect_classes(&b, 1, 0, 1, 3, 0, 1);
	/* This x has no effect. */
	with_x(&b, "I I I", 1, PMK_AHB_HRESP);
	expect_classes(&b, 3, 0, 0, 0, 0, 0);
}

/* ---- reset, idle, sums --------------------------------------------------------------------- */

static void test_reset(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	trace_make(&b.trace, "Nr:incr4@0 S/s S/s S/s S/s I");
	b.trace.cycle[2].reset = true; /* a transfer waits */
	b.trace.cycle[3].reset = true;
	for (unsigned i = 0; i < 4; i++)
		pmk_ahb_layer_sample(&b.layer, &b.bus, &b.trace.cycle[i]);
	expect(&b, S(WAIT), 1, S(WAIT_FIRST_SLAVE), 1, S(WAIT_OVER), 1, -1);
	expect_classes(&b, 3, 0, 1, 0, 0, 0);
	assert_int_equal(b.layer.reset, 2);
	feed(&b, "I I");
	expect_classes(&b, 5, 0, 1, 0, 0, 0);
}

/* n idle cycles that are passed at once count as n idle cycles. */
static void test_idle(void **state)
{
	static struct bench a, b;

	(void)state;
	setup(&a);
	begin(&a);
	setup(&b);
	begin(&b);
	feed(&a, "Nr:single@0");
	feed(&b, "Nr:single@0");
	for (unsigned i = 0; i < 1000; i++)
		feed(&a, "I");
	pmk_ahb_layer_idle(&b.layer, &b.bus, 0);
	pmk_ahb_layer_idle(&b.layer, &b.bus, 1000);
	check_layer(&b);
	assert_memory_equal(&a.bus, &b.bus, sizeof(a.bus));
	assert_memory_equal(a.layer.class, b.layer.class, sizeof(a.layer.class));
	assert_int_equal(b.layer.cycles, 1001);
	feed(&b, "Nr:single@0 I");
	expect_classes(&b, 1001, 0, 0, 2, 0, 0);
}

/* The protocol has no wait states in idle cycles. Such a cycle counts as idle. */
static void test_idle_waits(void **state)
{
	static struct bench b;

	(void)state;
	setup(&b);
	begin(&b);
	feed(&b, "I I/ssso Nr:incr@0 B S/so I");
	expect(&b, S(READ), 2, S(INCR), 1, -1);
	expect_classes(&b, 6, 2, 0, 2, 0, 0);
}

static void wrong(const struct bench *b, const char *what)
{
	const char *is = pmk_ahb_layer_check(&b->layer, &b->bus);

	assert_non_null(is);
	assert_non_null(strstr(is, what));
}

/* The check finds each sum that is wrong. */
static void test_check_finds(void **state)
{
	static const struct {
		unsigned signal;
		const char *what;
	} rows[] = {
		{ S(READ), "reads, writes" },
		{ S(WRITE), "reads, writes" },
		{ S(WAIT), "AHB_WAIT is not" },
		{ S(WAIT_FIRST_BUS), "by cause" },
		{ S(WAIT_FIRST_SLAVE), "by cause" },
		{ S(WRAP4), "bursts" },
		{ S(SINGLE), "bursts" },
	};
	static struct bench b;

	(void)state;
	setup(&b);
	b.bus.total[S(READ)] = 77; /* raised before the observer began */
	begin(&b);
	feed(&b, "Nw:incr4@10%f S/so S S Nr:single@0 I/eE I/s I");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		b.bus.total[rows[i].signal]++;
		wrong(&b, rows[i].what);
		b.bus.total[rows[i].signal]--;
		check_layer(&b);
	}
	b.layer.class[PMK_AHB_C_BUSY]++;
	wrong(&b, "add up to all cycles");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_burst),
		cmocka_unit_test(test_pipeline),
		cmocka_unit_test(test_back_to_back),
		cmocka_unit_test(test_busy_is_no_wait),
		cmocka_unit_test(test_early_end),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_retry),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_first_response_waits),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_unknown_cause),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_threshold_changes),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_other_prot),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_windows_by_beat),
		cmocka_unit_test(test_slave_numbers),
		cmocka_unit_test(test_absent_signals),
		cmocka_unit_test(test_all_signals),
		cmocka_unit_test(test_no_hresp),
		cmocka_unit_test(test_x),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_waits),
		cmocka_unit_test(test_check_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
