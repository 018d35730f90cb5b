// SPDX-License-Identifier: MIT
/* Tests the edges of a clock, the values of the signals at these edges, and unusual clocks. */
#include "dump.h"

#include <pmk/error.h>

#define HEADER                        \
	"$timescale 1 ns $end\n"      \
	"$scope module tb $end\n"     \
	"$var wire 1 ! clk $end\n"    \
	"$var wire 1 r rst $end\n"    \
	"$var reg 4 v v [3:0] $end\n" \
	"$upscope $end\n"             \
	"$enddefinitions $end\n"

#define CLOCK "[clock]\nsignal = tb.clk\n"
#define V     "[events]\nINSN = tb.v\n"
#define RESET CLOCK "reset = tb.rst\n"

static struct outcome o;

static void assert_edge(unsigned i, uint64_t time, uint64_t bits)
{
	assert_true(i < o.nedges);
	assert_int_equal(o.edge[i].time, time);
	assert_int_equal(o.edge[i].value[0].bits, bits);
	assert_int_equal(o.edge[i].value[0].x, 0);
}

static void assert_warned(enum pmk_wave_oddity which, uint64_t count, uint64_t time)
{
	for (unsigned i = 0; i < PMK_WAVE_NODDITIES; i++) {
		if (i != which && o.findings.warning[i].count)
			fail_msg("warned: %s", pmk_wave_oddity_text(i));
		if (i == which) {
			assert_int_equal(o.findings.warning[i].count, count);
			assert_int_equal(o.findings.warning[i].time, time);
		}
	}
}

static void assert_no_warning(void)
{
	assert_warned(PMK_WAVE_NODDITIES, 0, 0);
}

/* A change at the time of the edge comes after the edge, whatever its position in the dump. */
static void test_before_the_edge(void **state)
{
	(void)state;
	run_dump(&o,
		 HEADER "#0\n0!\nb1 v\n"
			"#5\nb10 v\n1!\nb11 v\n" /* v changes before and after the clock */
			"#10\n0!\nb100 v\n"
			"#15\n1!\n#15\nb101 v\n" /* time 15 a second time */
			"#20\n0!\n#25\n1!\n",
		 CLOCK V);
	assert_int_equal(o.status, 0);
	assert_int_equal(o.nedges, 3);
	assert_edge(0, 5, 1);
	assert_edge(1, 15, 4);
	assert_edge(2, 25, 5);
	assert_int_equal(o.findings.edges, 3);
	assert_int_equal(o.findings.first, 5);
	assert_int_equal(o.findings.last, 25);
	assert_int_equal(o.findings.begin, 0);
	assert_int_equal(o.findings.end, 25);
	assert_no_warning();
}

static void test_after_the_edge(void **state)
{
	(void)state;
	run_dump(&o, HEADER "#0\n0!\nb1 v\n#5\nb10 v\n1!\nb11 v\n#10\n0!\nb100 v\n#15\n1!\n",
		 CLOCK "sample = after\n" V);
	assert_int_equal(o.nedges, 2);
	assert_edge(0, 5, 3);
	assert_edge(1, 15, 4);
}

static void test_falling(void **state)
{
	(void)state;
	run_dump(&o, HEADER "#0\n1!\nb1 v\n#5\n0!\nb10 v\n#10\n1!\n#15\n0!\n",
		 CLOCK "edge = falling\n" V);
	assert_int_equal(o.nedges, 2);
	assert_edge(0, 5, 1);
	assert_edge(1, 15, 2);
}

static void test_inverted_clock(void **state)
{
	(void)state;
	run_dump(&o, HEADER "#0\n1!\nb1 v\n#5\n0!\nb10 v\n#10\n1!\n#15\n0!\n",
		 "[clock]\nsignal = !tb.clk\n" V);
	assert_int_equal(o.nedges, 2);
	assert_edge(0, 5, 1);
	assert_edge(1, 15, 2);
}

/* The first known level is not an edge. */
static void test_first_level(void **state)
{
	(void)state;
	run_dump(&o, HEADER "#0\n$dumpvars\nx!\nb1 v\n$end\n#3\n1!\n#5\n0!\n#10\n1!\n", CLOCK V);
	assert_int_equal(o.nedges, 1);
	assert_edge(0, 10, 1);
	assert_no_warning();
}

/* Two changes at one time are a glitch. Only the resulting change counts. */
static void test_glitches(void **state)
{
	(void)state;
	run_dump(&o,
		 HEADER "#0\n0!\nb1 v\n#5\n1!\n0!\n" /* no edge is left */
			"#10\n1!\n0!\n1!\n"	     /* one edge is left */
			"#15\n0!\n#20\n1!\n",
		 CLOCK V);
	assert_int_equal(o.nedges, 2);
	assert_edge(0, 10, 1);
	assert_edge(1, 20, 1);
	assert_warned(PMK_WAVE_GLITCH, 2, 5);
	/* Repeating a level is no edge. */
	run_dump(&o, HEADER "#0\n0!\nb1 v\n#5\n1!\n1!\n$dumpall 1! b1 v $end\n#6\n0!\n", CLOCK V);
	assert_int_equal(o.nedges, 1);
	assert_no_warning();
}

static char *repeat(char *to, const char *text, unsigned times)
{
	while (times--)
		to += sprintf(to, "%s", text);
	return to;
}

/* There are more changes at one time than the reader's list can hold. */
static void test_many_changes(void **state)
{
	static char dump[200000];
	char *to = dump + sprintf(dump, HEADER "#0\n0!\nb1 v\n#5\n1!\n");

	(void)state;
	to = repeat(to, "b10 v\nb11 v\n", 4000);
	to = repeat(to, "0!\n", 1);
	to = repeat(to, "b100 v\nb1 v\n", 4000);
	to = repeat(to, "1!\n#10\n0!\n#15\nb110 v\n", 1);
	to = repeat(to, "0r\n1r\n", 4000); /* these changes have no effect */
	to = repeat(to, "b101 v\n1!\n#20\n0!\n", 1);
	to = repeat(to, "1!\n0!\n", 4000);
	repeat(to, "#25\n1!\n", 1);
	run_dump(&o, dump, RESET V);
	assert_int_equal(o.nedges, 3);
	assert_edge(0, 5, 1);
	assert_edge(1, 15, 1);
	assert_edge(2, 25, 5);
	assert_int_equal(o.findings.warning[PMK_WAVE_GLITCH].count, 2);
	assert_int_equal(o.findings.warning[PMK_WAVE_GLITCH].time, 5);
}

/* A pulse of normal length is an edge. An edge that comes much too early is reported, too. */
static void test_short_period(void **state)
{
	(void)state;
	run_dump(&o,
		 HEADER "#0\n0!\nb1 v\n#5\n1!\n#10\n0!\n#15\n1!\n#17\n0!\n#19\n1!\n#20\n0!\n"
			"#24\n1!\n#25\n0!\n#34\n1!\n",
		 CLOCK V);
	assert_int_equal(o.nedges, 5);
	assert_warned(PMK_WAVE_SHORT, 1, 19);
}

/*
 * After a stop of the clock, its normal period is not too short. A short period is reported even if
 * it follows other short periods, until they are the majority.
 */
static void test_usual_period(void **state)
{
	(void)state;
	run_dump(&o,
		 HEADER "#0\n0!\nb1 v\n#5\n1!\n#10\n0!\n#15\n1!\n#20\n0!\n#25\n1!\n#30\n0!\n"
			"#105\n1!\n#110\n0!\n#115\n1!\n#120\n0!\n#125\n1!\n",
		 CLOCK V);
	assert_int_equal(o.nedges, 6);
	assert_no_warning();
	run_dump(&o,
		 HEADER "#0\n0!\nb1 v\n#5\n1!\n#10\n0!\n#15\n1!\n#20\n0!\n#25\n1!\n#26\n0!\n"
			"#28\n1!\n#29\n0!\n#31\n1!\n#32\n0!\n#34\n1!\n#35\n0!\n#37\n1!\n",
		 CLOCK V);
	assert_int_equal(o.nedges, 7);
	assert_warned(PMK_WAVE_SHORT, 2, 28);
}

static void test_clock_x(void **state)
{
	(void)state;
	run_dump(&o,
		 HEADER "#0\n0!\nb1 v\n#5\nx!\n#6\n1!\n" /* 0 x 1 is an edge */
			"#10\nz!\n#11\n1!\n"		 /* 1 z 1 is no edge */
			"#15\n0!\n#16\nx!\n#17\n0!\n"	 /* 0 x 0 is no edge */
			"#18\n1!\n",
		 CLOCK V);
	assert_int_equal(o.nedges, 2);
	assert_edge(0, 6, 1);
	assert_edge(1, 18, 1);
	assert_warned(PMK_WAVE_CLOCK_X, 3, 5);
}

/*
 * $dumpoff makes a gap, and the first value of the clock after it makes no edge. Icarus writes the
 * values inside the block, and fst2vcd writes them after it.
 */
static void test_dump_off(void **state)
{
	static const char *const off[] = { "$dumpoff\nx!\nbx v\n$end\n",
					   "$dumpoff $end\nbx v\nx!\n" };
	static const char *const on[] = { "$dumpon\nb11 v\n1!\n$end\n",
					  "$dumpon $end\n1!\nb11 v\n" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char dump[1024];

		snprintf(dump, sizeof(dump),
			 HEADER
			 "#0\n0!\nb1 v\n#5\n1!\n%s#40\n%s#45\n0!\n#50\n1!\n#55\n0!\n#60\n1!\n",
			 off[i], on[i]);
		run_dump(&o, dump, CLOCK V);
		assert_int_equal(o.status, 0);
		assert_int_equal(o.nedges, 3);
		assert_edge(0, 5, 1);
		assert_edge(1, 50, 3);
		assert_edge(2, 60, 3);
		assert_int_equal(o.edge[0].gap, 0);
		assert_int_equal(o.edge[1].gap, 1);
		assert_int_equal(o.edge[2].gap, 0);
		assert_warned(PMK_WAVE_DUMP_OFF, 1, 5);
	}
}

static void test_reset(void **state)
{
	static const char dump[] = HEADER "#0\n0!\nxr\nb1 v\n#5\n1!\n#6\n0r\n#10\n0!\n#15\n1!\n1r\n"
					  "#20\n0!\n#25\n1!\n";
	static const int low[] = { 1, 1, 0 }, high[] = { 1, 0, 1 }, after[] = { 1, 0, 0 };

	(void)state;
	run_dump(&o, dump, RESET V);
	assert_int_equal(o.nedges, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(o.edge[i].reset, low[i]);
	assert_warned(PMK_WAVE_RESET_X, 1, 5);
	run_dump(&o, dump, RESET "reset_active = high\n" V);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(o.edge[i].reset, high[i]);
	run_dump(&o, dump, RESET "sample = after\n" V);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(o.edge[i].reset, after[i]);
	run_dump(&o, dump, CLOCK V);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(o.edge[i].reset, 0);
}

static void test_no_clock(void **state)
{
	(void)state;
	run_dump(&o, HEADER "#0\n0!\nb1 v\n#5\nb10 v\n#90\n0!\n", CLOCK V);
	assert_int_equal(o.status, PMK_ENOTSUP);
	assert_int_equal(o.nedges, 0);
	assert_non_null(strstr(o.findings.error.text, ":2: the clock 'tb.clk' has no rising edge "
						      "between time 0 ns and 90 ns"));
	run_dump(&o, HEADER, CLOCK V);
	assert_int_equal(o.status, PMK_ENOTSUP);
	assert_non_null(strstr(o.findings.error.text, "the dump has a header but no changes"));
	run_dump(&o, HEADER "#0\n0!\n#5\n1!\n#10\n0!\n", "[clock]\nsignal = 0\n" V);
	assert_int_equal(o.status, PMK_ENOTSUP);
}

/*
 * After an error before the first edge, there are no counts. After a later error, the earlier
 * counts are kept.
 */
static void test_errors_by_edges(void **state)
{
	(void)state;
	run_dump(&o, HEADER "#3\n0!\n#2\n", CLOCK V);
	assert_int_equal(o.status, PMK_EPARSE);
	assert_int_equal(o.nedges, 0);
	run_dump(&o, HEADER "#3\n0!\n#4\n1!\n#2\n", CLOCK V);
	assert_int_equal(o.status, PMK_WAVE_PARTIAL);
	assert_int_equal(o.nedges, 1);
	assert_int_equal(o.findings.stopped, 0);
}

static void test_stop(void **state)
{
	(void)state;
	o.stop_after = 2;
	run_dump(&o, HEADER "#0\n0!\n#5\n1!\n#10\n0!\n#15\n1!\n#20\n0!\n#25\n1!\n", CLOCK V);
	o.stop_after = 0;
	assert_int_equal(o.status, PMK_WAVE_PARTIAL);
	assert_int_equal(o.findings.stopped, 1);
	assert_int_equal(o.findings.error.code, 0);
	assert_int_equal(o.nedges, 2);
}

/* A dump is bound to one map, and then run once. */
static void test_misuse(void **state)
{
	static const struct pmk_wave_sink sink = { .edge = take_edge, .ctx = &o };
	struct pmk_wave_findings findings;
	struct pmk_wave_error err;
	char path[32], map_path[32];
	struct pmk_wave_map map;
	struct pmk_wave *w;

	(void)state;
	write_file(path, HEADER, strlen(HEADER));
	write_file(map_path, CLOCK V, strlen(CLOCK V));
	assert_int_equal(pmk_wave_map_load(&map, map_path, &err), 0);
	assert_int_equal(pmk_wave_open(&w, path, &err), 0);
	assert_int_equal(pmk_wave_run(w, &sink, &findings), PMK_EINVAL);
	assert_int_equal(pmk_wave_bind(w, &map, &err), 0);
	assert_int_equal(pmk_wave_bind(w, &map, &err), PMK_EBUSY);
	assert_int_equal(pmk_wave_run(w, &sink, &findings), PMK_ENOTSUP);
	assert_int_equal(pmk_wave_run(w, &sink, &findings), PMK_EINVAL);
	pmk_wave_close(w);
	pmk_wave_close(NULL);
	pmk_wave_map_free(&map);
	pmk_wave_map_free(&map);
	unlink(path);
	unlink(map_path);
}

static int slow_edge(void *ctx, const struct pmk_wave_edge *e)
{
	(void)ctx;
	if (!e->number)
		usleep(150000); /* progress is reported ten times a second */
	return 0;
}

static int stop(void *ctx, const struct pmk_wave_progress *p)
{
	(void)ctx;
	(void)p;
	return 1;
}

/*
 * If a request to stop comes after the whole file was read, it is too late, and nothing is missing.
 */
static void test_stop_at_the_end(void **state)
{
	const struct pmk_wave_sink sink = { .edge = slow_edge, .progress = stop };
	char path[32], map_path[32];
	struct pmk_wave_findings findings;
	struct pmk_wave_error err;
	struct pmk_wave_map map;
	struct pmk_wave *w;
	const char *dump = HEADER "#0\n0!\nb0 v\n#5\n1!\n#10\n0!\n#15\n1!\n";

	(void)state;
	write_file(path, dump, strlen(dump));
	write_file(map_path, CLOCK V, strlen(CLOCK V));
	assert_int_equal(pmk_wave_open(&w, path, &err), 0);
	assert_int_equal(pmk_wave_map_load(&map, map_path, &err), 0);
	assert_int_equal(pmk_wave_bind(w, &map, &err), 0);
	assert_int_equal(pmk_wave_run(w, &sink, &findings), 0);
	assert_int_equal(findings.edges, 2);
	assert_false(findings.stopped);
	pmk_wave_close(w);
	pmk_wave_map_free(&map);
	unlink(path);
	unlink(map_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_the_edge),
		cmocka_unit_test(test_after_the_edge),
		cmocka_unit_test(test_falling),
		cmocka_unit_test(test_inverted_clock),
		cmocka_unit_test(test_first_level),
		cmocka_unit_test(test_glitches),
		cmocka_unit_test(test_many_changes),
		cmocka_unit_test(test_short_period),
		cmocka_unit_test(test_usual_period),
		cmocka_unit_test(test_clock_x),
		cmocka_unit_test(test_dump_off),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_no_clock),
		cmocka_unit_test(test_errors_by_edges),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_at_the_end),
		cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
