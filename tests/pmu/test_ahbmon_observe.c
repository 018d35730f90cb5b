// SPDX-License-Identifier: MIT
/*
 * The AHB Monitor from the bus to the driver. Observers and the model count waves on the layers,
 * and the real driver reads the counts. Every counter has a wave that moves it.
 *
 * Numbers are literal: counters 0 to 90 in the order of DDI 0287B Tables 4-6 to 4-13. Waves are
 * written as in tests/ahb/trace.h.
 */
#include "ahbmon_rig.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void feed_gxi(const char *wave)
{
	char copy[1024], *save = NULL;

	assert_true(strlen(wave) < sizeof(copy));
	strcpy(copy, wave);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		struct pmk_ahbmon_sample s = nothing();

		assert_true(trace_gxi_word(w, &s.gxi));
		sample(&s);
	}
}

/*
 * Checks all 91 counters. `list` has the counts that are not 0, as "COUNTER:VALUE …". Counter 88
 * must be the number of cycles, and 89 and 90, which count only while the monitor is enabled, must
 * be `enabled`.
 */
static void expect(const char *what, const char *list, unsigned enabled)
{
	uint32_t want[91] = { 0 };

	for (const char *p = list; *p;) {
		char *end;
		unsigned n = (unsigned)strtoul(p, &end, 10);

		assert_true(n < 88 && *end == ':');
		want[n] = (uint32_t)strtoul(end + 1, &end, 10);
		p = end + strspn(end, " ");
	}
	want[88] = rig.cycles;
	want[89] = want[90] = enabled;
	for (unsigned n = 0; n < 91; n++)
		if (counter(n) != want[n])
			fail_msg("%s: %s (%u) is %u, want %u", what, pmk_ahbmon.counters[n].name, n,
				 counter(n), want[n]);
}

/* ---- every counter ------------------------------------------------------------------------- */

/*
 * For each row: a counter, a wave that moves it, and all counters that the wave moves, with their
 * counts. The threshold is 2.
 */
static const struct {
	unsigned counter, bus;
	const char *wave, *moves;
} counter_rows[] = {
	/* ARM-I, Table 4-6 */
	{ 0, 1, "Nr:incr4@0 S S I", "0:3 2:1" },
	{ 1, 1, "Nr:single@0 Nr:single@4 I", "0:2 1:2" },
	{ 2, 1, "Nr:incr4@0 S*3 I", "0:4 2:1" },
	{ 3, 1, "Nr:wrap8@4 S*7 I", "0:8 3:1" },
	{ 4, 1, "Nr:incr4@0 S S/so S/so I", "0:4 2:1 4:2" },
	{ 5, 1, "Nr:incr4@0 S/sso S/so S I", "0:4 2:1 4:3 5:2" },
	{ 6, 1, "Nr:incr4@0 S/cao S/ao S I", "0:4 2:1 4:3 6:2" },
	{ 7, 1, "Nr:incr4@0 S S/ssso S/sso I", "0:4 2:1 4:5 7:1" },
	/* CLCDC, Table 4-7 */
	{ 8, 2, "Nr:incr8@0 S*3 I", "8:4 11:1" },
	{ 9, 2, "Nr:incr@0 Nr:incr@4 I", "8:2 9:2" },
	{ 10, 2, "Nr:incr4@0 S*3 I", "8:4 10:1" },
	{ 11, 2, "Nr:incr8@0 S*7 I", "8:8 11:1" },
	{ 12, 2, "Nr:incr16@0 S*15 I", "8:16 12:1" },
	{ 13, 2, "Nr:incr4@0 S S/so S/ao I", "8:4 10:1 13:2" },
	{ 14, 2, "Nr:incr@0 I/sso", "8:1 9:1 13:2 14:2" },
	{ 15, 2, "Nr:incr@0 I/cao", "8:1 9:1 13:2 15:2" },
	{ 16, 2, "Nr:incr4@0 S S/ssssssso S I", "8:4 10:1 13:7 16:1" },
	/* DMA-0, Table 4-8 */
	{ 17, 3, "Nr:incr8@0 S*4 I", "17:5 27:1" },
	{ 18, 3, "Nw:incr8@0 S*4 I", "18:5 27:1" },
	{ 19, 3, "Nr:incr@101f1000 Nr:incr@101f2000 Nr:incr@101f3000 I", "17:3 19:3 25:3" },
	{ 20, 3, "Nw:incr.b@101f1003 Nw:incr.h@101f2002 Nw:incr@101f3ffc I", "18:3 20:3 25:3" },
	{ 21, 3, "Nr:incr@101f0000 I", "17:1 21:1 25:1" },
	{ 22, 3, "Nw:incr4@101f0ff0 S*3 I", "18:4 22:4 26:1" },
	{ 23, 3, "Nr:incr@101f4000 I", "17:1 23:1 25:1" },
	{ 24, 3, "Nw:incr@101f4ffc I", "18:1 24:1 25:1" },
	{ 25, 3, "Nr:incr@101f5000 S S I", "17:3 25:1" }, /* a PSEL that no counter counts */
	{ 26, 3, "Nr:incr4@0 S*3 I", "17:4 26:1" },
	{ 27, 3, "Nr:incr8@0 S*7 I", "17:8 27:1" },
	{ 28, 3, "Nw:incr16@0 S*15 I", "18:16 28:1" },
	{ 29, 3, "Nw:incr@0 S B S/o S/so I", "18:4 25:1 29:1" },
	{ 30, 3, "Nr:incr@0 S/so I", "17:2 25:1 29:1 30:1" },
	{ 31, 3, "Nr:incr@0 S/aco I", "17:2 25:1 29:2 31:2" },
	{ 32, 3, "Nw:incr@0 S S/aaao I", "18:3 25:1 29:3 32:1" },
	/* DMA-1, Table 4-9 */
	{ 33, 4, "Nr:incr8@0 S*4 I", "33:5 37:1" },
	{ 34, 4, "Nw:incr8@0 S*4 I", "34:5 37:1" },
	{ 35, 4, "Nr:incr@101f1000 S I", "33:2 35:1" }, /* no counters of peripherals here */
	{ 36, 4, "Nr:incr4@0 S*3 I", "33:4 36:1" },
	{ 37, 4, "Nr:incr8@0 S*7 I", "33:8 37:1" },
	{ 38, 4, "Nw:incr16@0 S*15 I", "34:16 38:1" },
	{ 39, 4, "Nr:incr4@0 S S/sao S I", "33:4 36:1 39:2" },
	{ 40, 4, "Nr:incr@0 I/so", "33:1 35:1 39:1 40:1" },
	{ 41, 4, "Nr:incr@0 I/co", "33:1 35:1 39:1 41:1" },
	{ 42, 4, "Nr:incr@0 S S/csao I", "33:3 35:1 39:3 42:1" },
	/* EXP, Table 4-10 */
	{ 43, 5, "Nr:incr8@0 S*4 I", "43:5 54:1" },
	{ 44, 5, "Nw:incr8@0 S*4 I", "44:5 54:1" },
	{ 45, 5, "Nr:single@101f0000 Nr:single@101ffffc I", "43:2 45:2 49:2" },
	{ 46, 5, "Nw:single@101f5000 I", "44:1 46:1 49:1" },
	{ 47, 5, "Nr:single@101e0000 Nr:single@101efffc I", "43:2 47:2 49:2" },
	{ 48, 5, "Nw:single@101e4004 I", "44:1 48:1 49:1" },
	{ 49, 5, "Nw:single@0 I", "44:1 49:1" },
	{ 50, 5, "Nr:incr@0 B S B S I", "43:3 50:1" },
	{ 51, 5, "Nr:wrap4@8 S*3 I", "43:4 51:1" },
	{ 52, 5, "Nr:incr4@0 S*3 I", "43:4 52:1" },
	{ 53, 5, "Nr:wrap8@8 S*7 I", "43:8 53:1" },
	{ 54, 5, "Nw:incr8@0%f S*7 I", "44:8 54:1" },
	{ 55, 5, "Nr:wrap16@8 S*15 I", "43:16 55:1" },
	{ 56, 5, "Nr:incr16@0 S*15 I", "43:16 56:1" },
	{ 57, 5, "Nr:wrap4@8 S S/so S/so I", "43:4 51:1 57:2" },
	{ 58, 5, "Nr:single@0 I/sso", "43:1 49:1 57:2 58:2" },
	{ 59, 5, "Nr:single@0 I/cao", "43:1 49:1 57:2 59:2" },
	{ 60, 5, "Nr:wrap4@8 S S/sssso S I", "43:4 51:1 57:4 60:1" },
	/* ARM-D, Table 4-11 */
	{ 61, 6, "Nr:incr@0 S*4 I", "61:5" }, /* no counter of INCR bursts */
	{ 62, 6, "Nw:incr@0 S*4 I", "62:5" },
	{ 63, 6, "Nr:single@101f0000 Nr:single@101ffffc I", "61:2 63:2 67:2" },
	{ 64, 6, "Nw:single@101f5000 I", "62:1 64:1 67:1" },
	{ 65, 6, "Nr:single@101e0000 Nr:single@101efffc I", "61:2 65:2 67:2" },
	{ 66, 6, "Nw:single@101e4004 I", "62:1 66:1 67:1" },
	{ 67, 6, "Nr:single.b@3 Nw:single.h@2 I", "61:1 62:1 67:2" },
	{ 68, 6, "Nw:incr4@14%7 S*3 I", "62:4 68:1" },
	{ 69, 6, "Nw:incr8@14%7 S*7 I", "62:8 69:1" },
	{ 70, 6, "Nr:wrap8@8%f S*7 I", "61:8 70:1" },
	{ 71, 6, "Nw:incr4@14%f S*3 I", "62:4 68:1 71:1" },
	{ 72, 6, "Nw:incr8@20%f S*7 I", "62:8 69:1 72:1" },
	{ 73, 6, "Nr:single@10%f I", "61:1 67:1 73:1" },
	{ 74, 6, "Nr:single@10%e I", "61:1 67:1 74:1" },
	{ 75, 6, "Nr:wrap8@8 S S/so S/so S*4 I", "61:8 70:1 75:2" },
	{ 76, 6, "Nr:single@0 I/sso", "61:1 67:1 75:2 76:2" },
	{ 77, 6, "Nr:single@0 I/cao", "61:1 67:1 75:2 77:2" },
	{ 78, 6, "Nr:wrap8@8 S S/sssso S*5 I", "61:8 70:1 75:4 78:1" },
	/* GXI, Table 4-12 */
	{ 79, 7, ". W@0 W@4 .", "79:2" },
	{ 80, 7, ". R@0 R@4 ./2 .", "80:2" },
	{ 81, 7, "w w W@0", "79:1 81:2" },
	{ 82, 7, "r r R@0", "80:1 82:2" },
	{ 83, 7, "R@0 ./1 ./1 ./2", "80:1 83:2" },
	{ 84, 7, "r r r r R@0", "80:1 82:4 84:1" },
	{ 85, 7, "R@0 ./1 ./1 ./1 ./3", "80:1 83:3 85:1" },
	{ 86, 7, "w w w W@0", "79:1 81:3 86:1" },
	{ 87, 7, "W@0 R@7fc W@800 R@fff", "79:2 80:2 87:1" },
	/* Bus clock, Table 4-13 */
	{ 88, 0, ". . . .", "" },
	{ 89, 0, ". . . . .", "" },
	{ 90, 0, ". . . . . .", "" },
};

static void test_every_counter(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(counter_rows); i++) {
		char name[64];
		unsigned enabled;

		setup_params();
		begin();
		configure(2, true, false, 0);
		feed_layer(6, "I Nr:single@0 I I"); /* not counted, as the monitor is stopped */
		enabled = rig.cycles;
		start();
		if (counter_rows[i].bus == 0 || counter_rows[i].bus == 7)
			feed_gxi(counter_rows[i].wave);
		else
			feed_layer(counter_rows[i].bus, counter_rows[i].wave);
		stop();
		enabled = rig.cycles - enabled;
		feed_layer(6, "I Nr:single@0 I I"); /* not counted either */
		snprintf(name, sizeof(name), "row of %u", counter_rows[i].counter);
		expect(name, counter_rows[i].moves, enabled);
	}
}

/*
 * counter_rows[] has a row for each of the 91 counters, in their order. In its row, each of the
 * counters 0 to 87 counts something. The rows do not list the cycle counters 88 to 90, because
 * expect() checks these in every row.
 */
static void test_every_counter_has_a_row(void **state)
{
	(void)state;
	assert_int_equal(COUNT(counter_rows), 91);
	for (unsigned i = 0; i < 91; i++) {
		char moves[80], want[16];

		assert_int_equal(counter_rows[i].counter, i);
		snprintf(moves, sizeof(moves), " %s", counter_rows[i].moves);
		snprintf(want, sizeof(want), " %u:", i);
		assert_true(i >= 88 || strstr(moves, want));
	}
}

/* ---- settings ------------------------------------------------------------------------------ */

/*
 * The observers raise CtGxiPageChange for each page size and CtArmdCastOut4 for each alignment. The
 * model counts those that its settings select.
 */
static void test_settings_pick(void **state)
{
	static const unsigned changes[4] = { 5, 4, 2, 1 };

	(void)state;
	for (unsigned page = 0; page < 4; page++) {
		setup_params();
		begin();
		configure(9, false, page & 1, page);
		start();
		feed_gxi("W@0 W@800 R@1000 R@2000 W@3000 W@4000");
		feed_layer(6, "Nw:incr4@10%f S*3 Nw:incr4@14%f S*3 Nw:incr4@18%f S*3 Nw:incr4@1c%f "
			      "S*3 I");
		stop();
		assert_int_equal(counter(87), changes[page]);
		assert_int_equal(counter(71), page & 1 ? 1 : 4);
		assert_int_equal(counter(68), 4);
	}
}

/* Each threshold applies only to its own layer, from the sample after the change on. */
static void test_thresholds(void **state)
{
	static const unsigned hit[6] = { 7, 16, 32, 42, 60, 78 };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct pmk_ahbmon_config c = { 0 };

		setup_params();
		begin();
		for (unsigned j = 0; j < 9; j++)
			c.threshold[j] = j == i ? 3 : 2;
		assert_int_equal(pmk_ahbmon_configure(&rig.dev, &c), 0);
		pmk_ahbmon_observer_thresholds(&rig.observer, &rig.model);
		start();
		for (unsigned j = 0; j < 6; j++)
			feed_layer(j + 1, "Nr:incr4@0 S/ssso S S I");
		for (unsigned j = 0; j < 6; j++)
			assert_int_equal(counter(hit[j]), j != i);
		for (unsigned j = 6; j < 9; j++)
			c.threshold[j] = j;
		stop();
		assert_int_equal(pmk_ahbmon_configure(&rig.dev, &c), 0);
		pmk_ahbmon_observer_thresholds(&rig.observer, &rig.model);
		start();
		feed_gxi("r r r r r r r R@0 w w w w w w w w W@0");
		feed_gxi("./1 ./1 ./1 ./1 ./1 ./1 ./1 ./1 ./2"); /* 7 > 6, 8 > 7, but not 8 > 8 */
		assert_int_equal(counter(84), 1);
		assert_int_equal(counter(85), 1);
		assert_int_equal(counter(86), 0);
	}
}

/*
 * While debug state is tracked, it stops the counters of ARM-I and ARM-D, and one counter of
 * cycles.
 */
static void test_dbgack(void **state)
{
	static const unsigned reads[6] = { 0, 8, 17, 33, 43, 61 };

	(void)state;
	for (unsigned track = 0; track < 2; track++) {
		setup_params();
		begin();
		configure(0, track, false, 0);
		start();
		for (unsigned level = 0; level < 2; level++) {
			pmk_ahbmon_model_input(&rig.model, rig.bus, PMK_AHBMON_IN_DBGACK, level);
			for (unsigned bus = 1; bus <= 6; bus++)
				feed_layer(bus, "Nr:incr4@0 S*3 I"); /* 5 cycles each */
			feed_gxi("R@0 R@0 R@0 R@0");
		}
		pmk_ahbmon_model_input(&rig.model, rig.bus, PMK_AHBMON_IN_DBGACK, false);
		for (unsigned i = 0; i < 6; i++) {
			bool arm = i == 0 || i == 5;

			assert_int_equal(counter(reads[i]), arm && track ? 4 : 8);
		}
		assert_int_equal(counter(80), 8);
		assert_int_equal(counter(88), 68);
		assert_int_equal(counter(89), 68);
		assert_int_equal(counter(90), track ? 34 : 68);
	}
}

/* ---- the manual's sample stream ------------------------------------------------------------ */

/*
 * DDI 0287B p4-5 has this sample: I WB NW1 S_INCR4 S_INCR4 S_INCR4 WB WA NR2 WS. Its effect on the
 * counters is our reading.
 */
static void test_sample_stream(void **state)
{
	(void)state;
	setup_params();
	begin();
	configure(9, false, false, 0);
	start();
	feed_layer(5, "Nw:incr4@0 S/co S S Nr:wrap4@20000000 S/cao S/s");
	stop();
	assert_int_equal(rig.cycles, 10);
	expect("stream", "43:1 44:4 51:1 52:1 57:4 59:3", 10);
}

/* ---- the observer itself ------------------------------------------------------------------- */

/* A layer that is not observed raises no signals, and its samples are ignored. */
static void test_present(void **state)
{
	(void)state;
	setup_params();
	rig.params.present = 1 << 6; /* only ARM-D */
	rig.params.layer[0].has = 0; /* not observed, so this has no effect */
	begin();
	for (unsigned bus = 0; bus < 8; bus++) {
		assert_int_equal(pmk_bus_raises(&rig.bus[bus], PMK_SIG_AHB_READ), bus == 6);
		assert_int_equal(pmk_bus_raises(&rig.bus[bus], PMK_SIG_GXI_READ), 0);
		assert_int_equal(pmk_bus_raises(&rig.bus[bus], PMK_SIG_CYCLE), bus == 0);
	}
	start();
	for (unsigned bus = 1; bus <= 6; bus++)
		feed_layer(bus, "Nr:single@0 I");
	feed_gxi("R@0");
	expect("ARM-D alone", "61:1 67:1", rig.cycles);
}

static void test_refused(void **state)
{
	(void)state;
	setup_params();
	rig.params.layer[3].has &= ~PMK_AHB_ROLE(PMK_AHB_HTRANS);
	for (unsigned i = 0; i < 8; i++)
		pmk_bus_init(&rig.bus[i]);
	assert_int_equal(pmk_ahbmon_observer_init(&rig.observer, &rig.params, rig.bus), PMK_EINVAL);
}

/* The check of sums names the bus whose sums are wrong. */
static void test_check_finds(void **state)
{
	static const struct {
		unsigned bus, signal;
	} rows[] = { { 0, PMK_SIG_CYCLE },    { 1, PMK_SIG_AHB_READ },	{ 2, PMK_SIG_AHB_INCR },
		     { 3, PMK_SIG_AHB_WAIT }, { 4, PMK_SIG_AHB_WRITE }, { 5, PMK_SIG_AHB_WRAP16 },
		     { 6, PMK_SIG_AHB_READ }, { 7, PMK_SIG_GXI_WRITE } };
	enum pmk_ahbmon_bus bus;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		setup_params();
		begin();
		feed_layer(6, "Nr:single@0 I");
		assert_null(pmk_ahbmon_observer_check(&rig.observer, rig.bus, &bus));
		rig.bus[rows[i].bus].total[rows[i].signal]++;
		assert_non_null(pmk_ahbmon_observer_check(&rig.observer, rig.bus, &bus));
		assert_int_equal(bus, rows[i].bus);
		rig.bus[rows[i].bus].total[rows[i].signal]--;
		rig.observer.layer[2].cycles++;
		assert_non_null(pmk_ahbmon_observer_check(&rig.observer, rig.bus, &bus));
		assert_int_equal(bus, 3);
		rig.observer.layer[2].cycles--;
		rig.observer.gxi.cycles++;
		assert_non_null(pmk_ahbmon_observer_check(&rig.observer, rig.bus, &bus));
		assert_int_equal(bus, 7);
	}
}

static void test_idle(void **state)
{
	(void)state;
	setup_params();
	begin();
	start();
	feed_layer(3, "Nr:incr@0");
	pmk_ahbmon_observer_idle(&rig.observer, rig.bus, 999);
	rig.cycles += 999;
	feed_layer(3, "Nr:incr@0 I");
	expect("idle", "17:2 25:2", 1002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_counter),
		cmocka_unit_test(test_every_counter_has_a_row),
		cmocka_unit_test(test_settings_pick),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_dbgack),
		cmocka_unit_test(test_sample_stream),
		cmocka_unit_test(test_present),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_check_finds),
		cmocka_unit_test(test_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
