// SPDX-License-Identifier: MIT
/*
 * From dumps to buses: layers, GXI, EVNTBUS and single signals are counted, and unusual dumps give
 * messages.
 */
#include "dump.h"

#include <pmk/ahb.h>
#include <pmk/ahbmon.h>
#include <pmk/bus.h>

#include "producer/wave/run.h"

#define HEADER                                                                \
	"$timescale 1 ns $end\n$scope module tb $end\n"                       \
	"$var wire 1 k hclk $end\n$var wire 1 n hresetn $end\n"               \
	"$var wire 2 t htrans [1:0] $end\n$var wire 32 a haddr [31:0] $end\n" \
	"$var wire 1 w hwrite $end\n$var wire 3 s hsize [2:0] $end\n"         \
	"$var wire 3 b hburst [2:0] $end\n$var wire 4 p hprot [3:0] $end\n"   \
	"$var wire 1 y hready $end\n$var wire 2 r hresp [1:0] $end\n"         \
	"$var wire 2 c cause [1:0] $end\n$upscope $end\n$enddefinitions $end\n"

#define CLOCK "[clock]\nsignal = hclk\nscope = tb\nreset = hresetn\n"
#define ROLES                                                              \
	"htrans = htrans\nhaddr = haddr\nhwrite = hwrite\nhsize = hsize\n" \
	"hburst = hburst\nhprot = hprot\nhready = hready\nhresp = hresp\n"
#define LAYER "[layer exp]\n" ROLES "cause = cause\n"

/* The values of the signals at one edge. */
struct cycle {
	const char *trans;
	unsigned addr, write, burst;
	const char *ready;
	unsigned cause;
};

static char dump[65536];
static size_t used;

static void begin(void)
{
	used = (size_t)snprintf(dump, sizeof(dump), HEADER "#0\n0k\n1n\nb10 s\nb11 p\nb0 r\n");
}

static void add(const char *text)
{
	used += (size_t)snprintf(dump + used, sizeof(dump) - used, "%s", text);
}

static void binary(unsigned value, unsigned bits, const char *code)
{
	dump[used++] = 'b';
	while (bits-- > 0)
		dump[used++] = (char)('0' + (value >> bits & 1));
	add(code);
}

/* Adds a cycle of 10 ns. The signals change during it, and the edge ends it. */
static void add_cycle(unsigned i, const struct cycle *c)
{
	used += (size_t)snprintf(dump + used, sizeof(dump) - used, "#%u\n0k\nb%s t\n%uw\n%sy\n",
				 10 * i + 5, c->trans, c->write, c->ready);
	binary(c->addr, 32, " a\n");
	binary(c->burst, 3, " b\n");
	binary(c->cause, 2, " c\n");
	used += (size_t)snprintf(dump + used, sizeof(dump) - used, "#%u\n1k\n", 10 * i + 10);
}

/* The results of the last run(). */
static struct pmk_bus buses[PMK_AHBMON_NBUSES], core;
static struct pmk_wave_count count;
static struct pmk_wave_findings findings;
static struct pmk_wave_error err;
static unsigned told, dues, ticks;
static struct pmk_violation violation[16];
static uint64_t violation_time[16];
static bool checks, asks;

static int take_violation(void *ctx, const struct pmk_wave_checked *bus,
			  const struct pmk_wave_edge *edge, const struct pmk_violation *v)
{
	assert_ptr_equal(ctx, &count);
	assert_non_null(bus->name);
	assert_true(told < 16);
	violation_time[told] = edge->time;
	violation[told++] = *v;
	return 0;
}

static int take_due(void *ctx)
{
	(void)ctx;
	dues++;
	pmk_bus_forget(&core);
	return 0;
}

static int take_tick(void *ctx, const struct pmk_wave_edge *edge)
{
	(void)ctx;
	assert_int_equal(edge->number, 2 * ticks + 1);
	ticks++;
	return 0;
}

/*
 * Counts the dump. Returns the status of pmk_wave_count_init(), or, if it succeeded, that of
 * pmk_wave_count_run().
 */
static int run(const char *map_text, const char *only)
{
	char path[32], map_path[32];
	struct pmk_wave_map map;
	struct pmk_wave *w;
	int status;

	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&buses[i]);
	pmk_bus_init(&core);
	told = dues = ticks = 0;
	if (asks)
		pmk_bus_ask(&core, PMK_SIG_CYCLE, 3);
	write_file(path, dump, used);
	write_file(map_path, map_text, strlen(map_text));
	if (pmk_wave_map_load(&map, map_path, &err))
		fail_msg("%s", err.text);
	assert_int_equal(pmk_wave_open(&w, path, &err), 0);
	if (pmk_wave_bind(w, &map, &err))
		fail_msg("%s", err.text);
	count = (struct pmk_wave_count){ .map = &map,
					 .only = only,
					 .monitor = buses,
					 .core = &core,
					 .violation = checks ? take_violation : NULL,
					 .due = asks ? take_due : NULL,
					 .tick = asks ? take_tick : NULL,
					 .every = asks ? 2 : 0,
					 .ctx = &count };
	status = pmk_wave_count_init(&count, w, &err);
	if (!status) {
		status = pmk_wave_count_run(&count, &findings);
		if (pmk_wave_count_check(&count))
			fail_msg("%s", pmk_wave_count_check(&count));
		pmk_wave_count_free(&count);
	}
	pmk_wave_close(w);
	pmk_wave_map_free(&map);
	unlink(path);
	unlink(map_path);
	return status;
}

static uint64_t total(unsigned bus, unsigned sig)
{
	assert_true(pmk_bus_raises(&buses[bus], sig));
	return buses[bus].total[sig];
}

/*
 * The manual's sample stream, as far as it is known: an INCR4 write with a wait caused by the
 * matrix, and then a WRAP4 read with two such waits. The slave makes the second beat of the read
 * wait.
 */
static const struct cycle sample[] = {
	/*  trans  addr write burst ready cause */
	{ "00", 0, 0, 0, "1", 0 },     /* idle */
	{ "10", 0x100, 1, 3, "1", 0 }, /* NONSEQ, INCR4 write */
	{ "11", 0x104, 1, 3, "0", 2 }, /* the first beat waits for the matrix */
	{ "11", 0x104, 1, 3, "1", 0 }, /* first beat done */
	{ "11", 0x108, 1, 3, "1", 0 }, { "11", 0x10c, 1, 3, "1", 0 },
	{ "10", 0x208, 0, 2, "1", 0 }, /* fourth beat done; NONSEQ, WRAP4 read */
	{ "11", 0x20c, 0, 2, "0", 2 }, { "11", 0x20c, 0, 2, "0", 3 },
	{ "11", 0x20c, 0, 2, "1", 0 }, /* first beat done */
	{ "11", 0x200, 0, 2, "0", 1 }, /* the second beat waits for its slave */
};
#define NSAMPLES (sizeof(sample) / sizeof(sample[0]))

static void add_sample(void)
{
	for (unsigned i = 0; i < NSAMPLES; i++)
		add_cycle(i, &sample[i]);
}

/* DDI 0287B p. 4-5 gives Wr 4, BurstIncr4 1, Rd 1, BurstWrap4 1 and WaitTotal 4. The matrix causes
 * 3 of these waits. */
static void test_worked_vector(void **state)
{
	const unsigned exp = PMK_AHBMON_BUS_EXP;

	(void)state;
	checks = true;
	begin();
	add_sample();
	assert_int_equal(run(CLOCK LAYER, NULL), 0);
	checks = false;
	assert_int_equal(total(exp, PMK_SIG_AHB_WRITE), 4);
	assert_int_equal(total(exp, PMK_SIG_AHB_READ), 1);
	assert_int_equal(total(exp, PMK_SIG_AHB_INCR4), 1);
	assert_int_equal(total(exp, PMK_SIG_AHB_WRAP4), 1);
	assert_int_equal(total(exp, PMK_SIG_AHB_WAIT), 4);
	assert_int_equal(total(exp, PMK_SIG_AHB_WAIT_FIRST_BUS), 3);
	assert_int_equal(total(exp, PMK_SIG_AHB_WAIT_FIRST_SLAVE), 0);
	assert_int_equal(total(exp, PMK_SIG_AHB_SINGLE), 0);
	assert_int_equal(total(PMK_AHBMON_BUS_HCLK, PMK_SIG_CYCLE), 11);
	assert_int_equal(core.total[PMK_SIG_CYCLE], 11);
	assert_int_equal(told, 0);
	assert_int_equal(findings.edges, 11);
	assert_false(pmk_bus_raises(&buses[PMK_AHBMON_BUS_ARMD], PMK_SIG_AHB_READ));
	assert_false(pmk_bus_raises(&buses[exp], PMK_SIG_AHB_READ_UART));
}

/* A role that is missing in the map removes only the counts that depend on it. */
static void test_missing_roles(void **state)
{
	const unsigned armd = PMK_AHBMON_BUS_ARMD;

	(void)state;
	begin();
	add_sample();
	assert_int_equal(
		run(CLOCK "[layer x]\nmonitor = armd\nhtrans = htrans\nhready = hready\n", NULL),
		0);
	assert_int_equal(total(armd, PMK_SIG_AHB_WAIT), 4);
	assert_false(pmk_bus_raises(&buses[armd], PMK_SIG_AHB_READ));
	assert_false(pmk_bus_raises(&buses[armd], PMK_SIG_AHB_INCR4));
}

static void test_windows(void **state)
{
	(void)state;
	begin();
	add_sample();
	assert_int_equal(
		run(CLOCK LAYER "[windows]\nuart = 0x100-0x107\napb_dma = 0x100-0x2ff\n", NULL), 0);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_WRITE_UART), 2);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_WRITE_APB_DMA), 4);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_READ_APB_DMA), 1);
	assert_false(pmk_bus_raises(&buses[PMK_AHBMON_BUS_EXP], PMK_SIG_AHB_READ_SSP));
}

/* While HRESETn is low, nothing is counted, not even cycles. */
static void test_reset(void **state)
{
	(void)state;
	begin();
	add("0n\n");
	for (unsigned i = 0; i < 4; i++)
		add_cycle(i, &sample[i]);
	add("1n\n");
	for (unsigned i = 4; i < NSAMPLES; i++)
		add_cycle(i, &sample[i]);
	assert_int_equal(run(CLOCK LAYER, NULL), 0);
	assert_int_equal(findings.edges, 11);
	assert_int_equal(total(PMK_AHBMON_BUS_HCLK, PMK_SIG_CYCLE), 7);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_WRITE), 2);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_INCR4), 0);
}

/*
 * A violation is reported with the time of its edge. In the third beat, HADDR is not the next
 * address.
 */
static void test_violation(void **state)
{
	struct cycle wrong[NSAMPLES];

	(void)state;
	memcpy(wrong, sample, sizeof(wrong));
	wrong[4].addr = 0x110;
	begin();
	for (unsigned i = 0; i < 6; i++)
		add_cycle(i, &wrong[i]);
	checks = true;
	assert_int_equal(run(CLOCK LAYER, NULL), 0);
	checks = false;
	assert_true(told >= 1);
	assert_int_equal(violation[0].rule, PMK_AHB_RULE_NOT_NEXT);
	assert_int_equal(violation[0].is, 0x110);
	assert_int_equal(violation[0].want, 0x108);
	assert_int_equal(violation_time[0], 50);
}

/* Values that an x hides are not counted. The first x is reported with its signal and time. */
static void test_x_on_hready(void **state)
{
	struct cycle unknown[NSAMPLES];
	const struct pmk_wave_warning *w = &findings.warning[PMK_WAVE_BUS_X];

	(void)state;
	memcpy(unknown, sample, sizeof(unknown));
	unknown[2].ready = "x";
	unknown[7].ready = "z";
	begin();
	for (unsigned i = 0; i < NSAMPLES; i++)
		add_cycle(i, &unknown[i]);
	assert_int_equal(run(CLOCK LAYER, NULL), 0);
	assert_int_equal(w->count, 2);
	assert_int_equal(w->time, 30);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_WAIT), 2);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_WRITE), 4);
	/* An x that does not matter in an idle cycle is ignored. */
	begin();
	add("bx a\nbx b\nbx s\n#10\n1k\n#15\n0k\n1y\nb0 t\n#20\n1k\n");
	assert_int_equal(run(CLOCK LAYER, NULL), 0);
	assert_int_equal(w->time,
			 10); /* hready is x at the first edge, so no other check is made */
	assert_int_equal(w->count, 1); /* no other x was reported */
}

/* After lost edges, the bus is taken to be idle. */
static void test_gap(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < 3; i++)
		add_cycle(i, &sample[i]);
	add("$dumpoff\nxk\nbx t\nxy\n$end\n#500\n$dumpon\n1k\nb0 t\n1y\n$end\n");
	for (unsigned i = 60; i < 62; i++)
		add_cycle(i, &sample[0]);
	checks = true;
	assert_int_equal(run(CLOCK LAYER, NULL), 0);
	checks = false;
	assert_int_equal(findings.edges, 5);
	assert_int_equal(findings.warning[PMK_WAVE_DUMP_OFF].count, 1);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_WRITE), 0);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_WAIT), 1);
	assert_int_equal(told, 0);
}

static void test_two_layers(void **state)
{
	(void)state;
	begin();
	add_sample();
	assert_int_equal(run(CLOCK "[layer armd]\n" ROLES "[layer dma0]\n" ROLES, NULL), 0);
	assert_int_equal(total(PMK_AHBMON_BUS_ARMD, PMK_SIG_AHB_WRITE), 4);
	assert_int_equal(total(PMK_AHBMON_BUS_DMA0, PMK_SIG_AHB_WRITE), 4);
	assert_int_equal(run(CLOCK "[layer armd]\n" ROLES "[layer dma0]\n" ROLES, "DMA0"), 0);
	assert_int_equal(total(PMK_AHBMON_BUS_DMA0, PMK_SIG_AHB_WRITE), 4);
	assert_false(pmk_bus_raises(&buses[PMK_AHBMON_BUS_ARMD], PMK_SIG_AHB_WRITE));
	assert_int_equal(run(CLOCK "[layer armd]\n" ROLES, "amrd"), PMK_EPARSE);
	assert_non_null(strstr(err.text, "no layer 'amrd'; did you mean armd?"));
	assert_int_equal(run(CLOCK "[layer cpu]\n" ROLES "[layer dma]\n" ROLES, NULL), PMK_EPARSE);
	assert_non_null(strstr(err.text, "the layers cpu and dma have the same monitor, exp; set "
					 "monitor = NAME, one of armi clcdc dma0 dma1 exp armd, or "
					 "count with `pmu` amba"));
	assert_int_equal(run(CLOCK "[layer cpu]\n" ROLES "[layer dma]\n" ROLES, "dma"), 0);
	assert_int_equal(total(PMK_AHBMON_BUS_EXP, PMK_SIG_AHB_WRITE), 4);
}

static void test_gxi(void **state)
{
	(void)state;
	begin();
	/* Address channel: wait for a read, read, write. Data channel: stalled, stalled, last. */
	add("0w\nb1 t\nb1 r\n#10\n1k\n#15\n0k\nb10 t\n#20\n1k\n#25\n0k\nb11 t\nb10 r\n"
	    "b100000000000 a\n#30\n1k\n");
	assert_int_equal(run(CLOCK "[gxi]\naddress_state = htrans\ndata_state = hresp\n"
				   "address = haddr\nwrite = hwrite\n",
			     NULL),
			 0);
	assert_int_equal(total(PMK_AHBMON_BUS_GXI, PMK_SIG_GXI_READ_WAIT), 1);
	assert_int_equal(total(PMK_AHBMON_BUS_GXI, PMK_SIG_GXI_READ), 1);
	assert_int_equal(total(PMK_AHBMON_BUS_GXI, PMK_SIG_GXI_WRITE), 1);
	assert_int_equal(total(PMK_AHBMON_BUS_GXI, PMK_SIG_GXI_DATA_WAIT), 2);
	assert_int_equal(total(PMK_AHBMON_BUS_GXI, PMK_SIG_GXI_PAGE_2K), 1);
	assert_int_equal(total(PMK_AHBMON_BUS_GXI, PMK_SIG_GXI_PAGE_4K), 0);
}

static void test_half_a_gxi(void **state)
{
	(void)state;
	begin();
	add("b1 t\nb1 r\n#10\n1k\n");
	assert_int_equal(run(CLOCK "[gxi]\naddress_state = htrans\ndata_state = hresp\n", NULL), 0);
	assert_int_equal(total(PMK_AHBMON_BUS_GXI, PMK_SIG_GXI_DATA_WAIT), 1);
	assert_true(pmk_bus_raises(&buses[PMK_AHBMON_BUS_GXI], PMK_SIG_GXI_READ));
	assert_false(pmk_bus_raises(&buses[PMK_AHBMON_BUS_GXI], PMK_SIG_GXI_READ_WAIT));
	assert_false(pmk_bus_raises(&buses[PMK_AHBMON_BUS_GXI], PMK_SIG_GXI_PAGE_2K));
	assert_int_equal(run(CLOCK "[gxi]\naddress_state = htrans\nwrite = 1\n", NULL), 0);
	assert_int_equal(total(PMK_AHBMON_BUS_GXI, PMK_SIG_GXI_WRITE_WAIT), 1);
	assert_false(pmk_bus_raises(&buses[PMK_AHBMON_BUS_GXI], PMK_SIG_GXI_DATA_WAIT));
	assert_int_equal(run(CLOCK "[gxi]\ndata_state = hresp\n", NULL), 0);
	assert_false(pmk_bus_raises(&buses[PMK_AHBMON_BUS_GXI], PMK_SIG_GXI_READ));
	assert_false(pmk_bus_raises(&buses[PMK_AHBMON_BUS_GXI], PMK_SIG_GXI_WRITE_OVER));
}

/*
 * Bit 0 is event 0x00, bits 9:8 are event 0x07 (b01: one, b10: two), and bit 12 is event 0x0B (DDI
 * 0301H Table 3-137).
 */
static void test_evntbus(void **state)
{
	static const char map[] = CLOCK "[evntbus]\ncore = arm1176\nvector = haddr\n";

	(void)state;
	begin();
	add("b0 a\n#10\n1k\n#15\n0k\nb1000100000001 a\n#20\n1k\n#25\n0k\nb1001000000000 "
	    "a\n#30\n1k\n"
	    "#35\n0k\nb1000000000 a\n#40\n1k\n#45\n0k\nb0 a\n#50\n1k\n");
	assert_int_equal(run(map, NULL), 0);
	assert_true(pmk_bus_raises(&core, PMK_SIG_INSN));
	assert_true(pmk_bus_raises(&core, PMK_SIG_L1D_MISS));
	assert_int_equal(core.total[PMK_SIG_L1I_MISS], 1);
	assert_int_equal(core.total[PMK_SIG_INSN], 1 + 2 + 2);
	assert_int_equal(core.total[PMK_SIG_L1D_MISS], 2);
	assert_int_equal(core.total[PMK_SIG_CYCLE], 5);
	assert_int_equal(run(CLOCK "[evntbus]\ncore = arm1156\nvector = haddr\n", NULL),
			 PMK_EPARSE);
	assert_non_null(strstr(err.text, ":7: the EVNTBUS of arm1156 is not documented"));
}

/*
 * Section [events] of a map: `level`, `edge` and `count`; an event with two signals, whose counts
 * are added; and a signal with the value x, which counts as 0.
 */
static void test_events(void **state)
{
	static const char map[] = CLOCK "[events]\nINSN = hsize count\nL1D_MISS = hwrite\n"
					"BRANCH = hwrite edge\nLOAD = hready\nLOAD = !hready\n";

	(void)state;
	begin();
	add("1w\nb11 s\n1y\n#10\n1k\n#15\n0k\n#20\n1k\n#25\n0k\n0w\nb1x "
	    "s\n#30\n1k\n#35\n0k\n1w\n0y\n"
	    "#40\n1k\n");
	asks = true;
	assert_int_equal(run(map, NULL), 0);
	asks = false;
	assert_int_equal(core.total[PMK_SIG_INSN], 3 + 3 + 2 + 2);
	assert_int_equal(core.total[PMK_SIG_L1D_MISS], 3);
	assert_int_equal(core.total[PMK_SIG_BRANCH], 2);
	assert_int_equal(core.total[PMK_SIG_LOAD], 4);
	assert_int_equal(core.total[PMK_SIG_CYCLE], 4);
	assert_true(pmk_bus_raises(&core, PMK_SIG_LOAD));
	assert_false(pmk_bus_raises(&core, PMK_SIG_STORE));
	assert_int_equal(findings.warning[PMK_WAVE_UNKNOWN].count, 2);
	assert_int_equal(findings.warning[PMK_WAVE_UNKNOWN].time, 30);
	assert_int_equal(dues, 1);
	assert_int_equal(ticks, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked_vector), cmocka_unit_test(test_missing_roles),
		cmocka_unit_test(test_windows),	      cmocka_unit_test(test_reset),
		cmocka_unit_test(test_violation),     cmocka_unit_test(test_x_on_hready),
		cmocka_unit_test(test_gap),	      cmocka_unit_test(test_two_layers),
		cmocka_unit_test(test_gxi),	      cmocka_unit_test(test_half_a_gxi),
		cmocka_unit_test(test_evntbus),	      cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
