// SPDX-License-Identifier: MIT
/*
 * A text describes traffic on the buses. Correct texts give the right traffic, and each mistake
 * gives one clear line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmk/error.h>

#include "buses/ahb/traffic.h"

static struct pmk_matrix_config config;
static struct pmk_traffic traffic;
static struct pmk_matrix_script script; /* the text's result for one master */
static unsigned master;			/* the master that the text enables */
static char msg[256];

static int parse(const char *text)
{
	memset(&traffic, 0, sizeof(traffic));
	msg[0] = '\0';
	return pmk_traffic_parse(text, &config, &traffic, msg, sizeof(msg));
}

static void good(const char *text)
{
	static struct pmk_matrix matrix;

	if (parse(text))
		fail_msg("%s", msg);
	master = 99;
	for (unsigned i = 0; i < 6; i++)
		if (traffic.master[i].on) {
			assert_int_equal(master, 99);
			master = i;
		}
	assert_true(master < 6);
	script = traffic.master[master];
	assert_int_equal(pmk_matrix_init(&matrix, &config), 0);
	assert_int_equal(pmk_matrix_script(&matrix, master, &script), 0);
}

static void good_gxi(const char *text)
{
	static struct pmk_mbx mbx;

	if (parse(text))
		fail_msg("%s", msg);
	assert_true(traffic.gxi.on);
	assert_int_equal(pmk_mbx_init(&mbx, &traffic.gxi), 0);
}

static int setup(void **state)
{
	(void)state;
	pmk_matrix_devchip(&config);
	return 0;
}

static void test_short(void **state)
{
	(void)state;
	good("dma0:burst=incr8,period=40,slave=mpmc");
	assert_int_equal(master, PMK_MATRIX_DMA0);
	assert_int_equal(script.burst, 5);
	assert_int_equal(script.size, 2);
	assert_int_equal(script.beats, 1);
	assert_int_equal(script.prot, 3);
	assert_int_equal(script.direction, PMK_MATRIX_READS);
	assert_int_equal(script.addr, 0);
	assert_int_equal(script.span, 65536);
	assert_int_equal(script.period, 40);
	assert_int_equal(script.start, 0);
	assert_int_equal(script.count, 0);
	assert_int_equal(script.busy, 0);
	assert_false(script.lock);
}

static void test_everything(void **state)
{
	(void)state;
	good("EXP:burst=INCR,beats=5,size=half,dir=both,prot=0xb,addr=0x101f1000,span=0x20,"
	     "period=7,start=1000,count=12,busy=3");
	assert_int_equal(master, PMK_MATRIX_EXP);
	assert_int_equal(script.burst, 1);
	assert_int_equal(script.beats, 5);
	assert_int_equal(script.size, 1);
	assert_int_equal(script.direction, PMK_MATRIX_BOTH);
	assert_int_equal(script.prot, 11);
	assert_int_equal(script.addr, 0x101f1000);
	assert_int_equal(script.span, 32);
	assert_int_equal(script.period, 7);
	assert_int_equal(script.start, 1000);
	assert_int_equal(script.count, 12);
	assert_int_equal(script.busy, 3);
}

static void test_defaults(void **state)
{
	static const struct {
		const char *name;
		unsigned burst, prot;
	} rows[] = { { "armi", 4, 2 }, { "clcdc", 5, 3 }, { "dma0", 5, 3 },
		     { "dma1", 5, 3 }, { "exp", 5, 3 },	  { "armd", 4, 3 } };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s:period=0", rows[i].name);
		good(text);
		assert_int_equal(master, i);
		assert_int_equal(script.burst, rows[i].burst);
		assert_int_equal(script.prot, rows[i].prot);
	}
	good("dma0:period=1,slave=APB_DMA");
	assert_int_equal(script.addr, 0x101f0000);
}

/* Each master makes only the bursts of DDI 0287B 4.2.2. */
static void test_repertoire(void **state)
{
	static const char *const bursts[8] = { "single", "incr",  "wrap4",  "incr4",
					       "wrap8",	 "incr8", "wrap16", "incr16" };
	static const struct {
		const char *name;
		unsigned reads, writes; /* bit n: HBURST n */
		bool small, busy;
	} rows[] = {
		{ "armi", 1 << 0 | 1 << 3 | 1 << 4, 0, false, false },
		{ "clcdc", 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7, 0, false, false },
		{ "dma0", 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7, 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7,
		  true, true },
		{ "dma1", 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7, 1 << 1 | 1 << 3 | 1 << 5 | 1 << 7,
		  true, true },
		{ "exp", 0xff, 0xff, true, true },
		{ "armd", 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5,
		  1 << 0 | 1 << 1 | 1 << 3 | 1 << 5, true, false },
	};
	char text[96];

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		for (unsigned b = 0; b < 8; b++) {
			snprintf(text, sizeof(text), "%s:period=9,burst=%s,dir=read", rows[i].name,
				 bursts[b]);
			assert_int_equal(parse(text) == 0, rows[i].reads >> b & 1);
			snprintf(text, sizeof(text), "%s:period=9,burst=%s,dir=write", rows[i].name,
				 bursts[b]);
			assert_int_equal(parse(text) == 0, rows[i].writes >> b & 1);
			snprintf(text, sizeof(text), "%s:period=9,burst=%s,dir=both", rows[i].name,
				 bursts[b]);
			assert_int_equal(parse(text) == 0,
					 (rows[i].reads & rows[i].writes) >> b & 1);
		}
		for (unsigned size = 0; size < 2; size++) {
			snprintf(text, sizeof(text), "%s:period=9,burst=incr4,size=%s",
				 rows[i].name, size ? "half" : "byte");
			assert_int_equal(parse(text) == 0, rows[i].small);
		}
		snprintf(text, sizeof(text), "%s:period=9,burst=incr4,busy=1", rows[i].name);
		assert_int_equal(parse(text) == 0, rows[i].busy);
	}
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text, *what;
	} rows[] = {
		{ "", "expected MASTER:KEY=VALUE" },
		{ "dma0", "expected MASTER:KEY=VALUE" },
		{ "dma2:period=1", "no master or slave 'dma2'; did you mean dma0" },
		{ ":period=1", "no master or slave '' (known: armi, clcdc" },
		{ "xyzzy:period=1", "(known: armi, clcdc, dma0, dma1, exp, armd, gxi, mpmc, smc" },
		{ "dma0:", "'' is not KEY=VALUE" },
		{ "dma0:period", "'period' is not KEY=VALUE" },
		{ "dma0:perod=1", "no key 'perod'; did you mean period" },
		{ "dma0:period=1,", "'' is not KEY=VALUE" },
		{ "dma0:period=", "period: '' is not a number" },
		{ "dma0:period=-1", "period: '-1' is not a number" },
		{ "dma0:period=1x", "period: '1x' is not a number" },
		{ "dma0:period=4294967296", "is more than 4294967295" },
		{ "dma0:start=99999999999999999999,period=1",
		  "start: 99999999999999999999 is more" },
		{ "dma0:period=1,period=2", "period is given twice" },
		{ "dma0:burst=incr8", "period is missing" },
		{ "dma0:period=1,burst=incr9", "no burst 'incr9'; did you mean incr" },
		{ "dma0:period=1,size=dword", "no size 'dword'; did you mean word?" },
		{ "dma0:period=1,dir=up", "no dir 'up' (known: read, write, both)" },
		{ "dma0:period=1,prot=16", "prot: 16 is more than 15" },
		{ "dma0:period=1,slave=mpcm", "no slave 'mpcm'; did you mean mpmc?" },
		{ "dma0:period=1,slave=mpmc,addr=0", "slave or addr, not both" },
		{ "dma0:period=1,burst=single", "dma0 has no single burst" },
		{ "armd:period=1,dir=write", "armd has no wrap8 burst that writes" },
		{ "clcdc:period=1,dir=both", "clcdc does not write" },
		{ "armi:period=1,size=half", "armi transfers only words" },
		{ "armd:period=1,busy=1", "armd has no BUSY cycles" },
		{ "dma0:period=1,beats=3", "beats is for burst=incr; incr8 has a fixed number of "
					   "beats" },
		{ "dma0:period=1,burst=incr,beats=0", "a burst must have at least 1" },
		{ "dma0:period=1,burst=incr,beats=256", "beats: 256 is more than 255" },
		{ "dma0:period=1,addr=0x10", "addr: 0x10 is not a multiple of 32" },
		{ "dma0:period=1,span=0", "span: 0 is not a multiple of 32" },
		{ "dma0:period=1,span=48", "span: 48 is not a multiple of 32" },
		{ "dma0:period=1,lock=1", "no lock '1' (known: off, on)" },
		{ "clcdc:period=1,lock=on", "clcdc only reads, so it cannot lock" },
		{ "dma0:period=1,lock=on,dir=both,count=3", "give an even number" },
		{ "dma0:period=1,step=8", "no key 'step'" },
		{ "gxi:burst=incr4", "no key 'burst'" },
		{ "gxi:dir=read", "period is missing" },
		{ "gxi:period=1,pending=0", "give 1 to 8" },
		{ "gxi:period=1,pending=9", "pending: 9 is more than 8" },
		{ "gxi:period=1,step=0", "step: 0 is not a multiple of 4" },
		{ "gxi:period=1,step=6", "step: 6 is not a multiple of 4" },
		{ "gxi:period=1,step=12", "span: 65536 is not a multiple of 12" },
		{ "gxi:period=1,span=0", "span: 0 is not a multiple of 4" },
		{ "gxi:period=1,addr=2", "addr: 0x2 is not a multiple of 4" },
		{ "gxi:period=1,addr=0x20000000",
		  "reaches only mpmc, and 0x20000000 to 0x2000ffff" },
		{ "gxi:period=1,addr=0x0fffff00", "reaches only mpmc" },
		{ "gxi:period=1,data_wait=1000001", "data_wait: 1000001 is more than 1000000" },
		{ "smc:period=1", "no key 'period' (known: retry, split, release)" },
		{ "smc:retry=5", "retry: '5' is not every:N" },
		{ "smc:retry=every:", "retry: '' is not a number" },
		{ "smc:retry=every:0", "every:0 has no effect" },
		{ "smc:retry=every:2,split=every:3", "retry or split, not both" },
		{ "smc:release=4", "smc needs retry=every:N or split=every:N" },
		{ "smc:retry=every:2,release=4", "release is for split" },
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse(rows[i].text), PMK_EPARSE);
		if (!strstr(msg, rows[i].what))
			fail_msg("%s: %s", rows[i].text, msg);
		assert_null(strchr(msg, '\n'));
		assert_memory_equal(msg, "traffic '", 9);
	}
	memset(text, 'a', sizeof(text));
	text[399] = '\0';
	assert_int_equal(parse(text), PMK_EPARSE);
	assert_non_null(strstr(msg, "longer than 255 characters"));
	text[256] = '\0';
	assert_int_equal(parse(text), PMK_EPARSE);
	assert_non_null(strstr(msg, "longer than 255 characters"));
	text[255] = '\0';
	assert_int_equal(parse(text), PMK_EPARSE);
	assert_non_null(strstr(msg, "expected MASTER"));
	/* A message that is too long is truncated. */
	memset(msg, 0x5a, sizeof(msg));
	assert_int_equal(pmk_traffic_parse("dma0:perod=1", &config, &traffic, msg, 20), PMK_EPARSE);
	assert_int_equal(msg[19], 0);
	assert_int_equal(msg[20], 0x5a);
}

/* The longest INCR burst stays within 1 KB. A length of 255 words becomes such a burst. */
static void test_long_burst(void **state)
{
	(void)state;
	good("exp:period=1,burst=incr,beats=255,span=1024");
	assert_int_equal(pmk_matrix_stride(&script), 1024);
	good("exp:period=1,burst=single,size=byte,addr=3,span=5");
	assert_int_equal(pmk_matrix_stride(&script), 1);
	good("exp:period=1,burst=incr,beats=3,span=16");
	assert_int_equal(pmk_matrix_stride(&script), 16);
}

static void test_lock(void **state)
{
	(void)state;
	good("armd:burst=single,period=30,dir=both,lock=ON,count=4,addr=0x40,span=4");
	assert_true(script.lock);
	assert_int_equal(script.direction, PMK_MATRIX_BOTH);
	good("dma1:period=30,lock=off");
	assert_false(script.lock);
}

/*
 * The defaults of the GXI are consecutive words, accepted at once, with the wait states of the
 * memory controller.
 */
static void test_gxi(void **state)
{
	(void)state;
	good_gxi("gxi:period=10");
	assert_int_equal(traffic.gxi.direction, PMK_MATRIX_READS);
	assert_int_equal(traffic.gxi.addr, 0);
	assert_int_equal(traffic.gxi.span, 65536);
	assert_int_equal(traffic.gxi.step, 4);
	assert_int_equal(traffic.gxi.pending, 4);
	assert_int_equal(traffic.gxi.period, 10);
	assert_int_equal(traffic.gxi.read_wait, 0);
	assert_int_equal(traffic.gxi.write_wait, 2);
	assert_int_equal(traffic.gxi.data_wait, 5);
	config.slave[0].read_first = 9;
	config.slave[0].write_first = 4;
	good_gxi("GXI:period=0");
	assert_int_equal(traffic.gxi.write_wait, 4);
	assert_int_equal(traffic.gxi.data_wait, 9);
	pmk_matrix_devchip(&config);
	good_gxi("gxi:period=1,dir=both,addr=0x70000000,span=0x4000,step=0x800,start=7,count=3,"
		 "pending=8,read_wait=1,write_wait=3,data_wait=11");
	assert_int_equal(traffic.gxi.direction, PMK_MATRIX_BOTH);
	assert_int_equal(traffic.gxi.addr, 0x70000000);
	assert_int_equal(traffic.gxi.span, 16384);
	assert_int_equal(traffic.gxi.step, 2048);
	assert_int_equal(traffic.gxi.start, 7);
	assert_int_equal(traffic.gxi.count, 3);
	assert_int_equal(traffic.gxi.pending, 8);
	assert_int_equal(traffic.gxi.read_wait, 1);
	assert_int_equal(traffic.gxi.write_wait, 3);
	assert_int_equal(traffic.gxi.data_wait, 11);
	for (unsigned i = 0; i < 6; i++)
		assert_false(traffic.master[i].on);
}

static void test_slaves(void **state)
{
	(void)state;
	assert_int_equal(parse("smc:retry=every:5"), 0);
	assert_int_equal(traffic.slave[1].every, 5);
	assert_false(traffic.slave[1].split);
	assert_int_equal(parse("MPMC:split=every:100,release=20"), 0);
	assert_int_equal(traffic.slave[0].every, 100);
	assert_true(traffic.slave[0].split);
	assert_int_equal(traffic.slave[0].release, 20);
	assert_int_equal(parse("mpmc:split=every:1"), 0);
	assert_int_equal(traffic.slave[0].release, 8);
}

/*
 * Several descriptions add up. Describing a master twice is refused, and a wrong description
 * changes nothing.
 */
static void test_pmu_pair(void **state)
{
	static const char *const texts[] = { "dma0:period=9", "gxi:period=4", "smc:retry=every:3",
					     "exp:period=7", "mpmc:split=every:9" };
	static const char *const twice[] = { "dma0 is given twice", "gxi is given twice",
					     "smc is given twice", "exp is given twice",
					     "mpmc is given twice" };
	struct pmk_traffic before;

	(void)state;
	memset(&traffic, 0, sizeof(traffic));
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(pmk_traffic_parse(texts[i], &config, &traffic, msg, sizeof(msg)),
				 0);
	before = traffic;
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(pmk_traffic_parse(texts[i], &config, &traffic, msg, sizeof(msg)),
				 PMK_EPARSE);
		assert_non_null(strstr(msg, twice[i]));
	}
	assert_int_equal(
		pmk_traffic_parse("dma1:period=9,prot=99", &config, &traffic, msg, sizeof(msg)),
		PMK_EPARSE);
	assert_memory_equal(&before, &traffic, sizeof(before));
	assert_int_equal(traffic.master[PMK_MATRIX_DMA0].period, 9);
	assert_int_equal(traffic.master[PMK_MATRIX_EXP].period, 7);
	assert_int_equal(traffic.gxi.period, 4);
	assert_int_equal(traffic.slave[1].every, 3);
	assert_int_equal(traffic.slave[0].every, 9);
}

/* Traffic also works on a chip without an mpmc, and with a slave that has no address. */
static void test_other_chip(void **state)
{
	(void)state;
	strcpy(config.slave[0].name, "ddr");
	assert_int_equal(parse("dma0:period=1"), PMK_EPARSE);
	assert_non_null(strstr(msg, "give addr"));
	good("dma0:period=1,slave=ddr");
	assert_int_equal(parse("gxi:period=1"), PMK_EPARSE);
	assert_int_equal(parse("gxi:period=1,addr=0"), PMK_EPARSE);
	config.nwindows = 1;
	assert_int_equal(parse("dma0:period=1,slave=smc"), PMK_EPARSE);
	assert_non_null(strstr(msg, "give addr"));
	pmk_matrix_devchip(&config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),	   cmocka_unit_test(test_everything),
		cmocka_unit_test(test_defaults),   cmocka_unit_test(test_repertoire),
		cmocka_unit_test(test_wrong),	   cmocka_unit_test(test_long_burst),
		cmocka_unit_test(test_lock),	   cmocka_unit_test(test_gxi),
		cmocka_unit_test(test_slaves),	   cmocka_unit_test(test_pmu_pair),
		cmocka_unit_test(test_other_chip),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
