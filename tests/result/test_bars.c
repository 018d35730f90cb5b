// SPDX-License-Identifier: MIT
/*
 * The text report draws bars of layers, waits per burst, and trends, in ASCII and UTF-8, with and
 * without colour, in any width. Counter codes are the numbers of docs/ahbmon.md, section 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pmk/ahbmon.h>
#include <pmk/microblaze.h>
#include <pmk/result.h>

#include "pmu/ahbmon/layers.h"

/*
 * Codes of counters. ARM-D: 61 counts reads, 62 writes, 67 SINGLE, 68 INCR4, 69 INCR8, 70
 * linefills, 75 waits, 76 waits for the slave, 77 waits for the bus. DMA-0: 17 reads, 18 writes, 25
 * to 28 bursts, 29 waits. GXI: 79 writes, 80 requests of reads, 81 and 82 waits of both. 89:
 * cycles.
 */
enum { RD = 61, WR = 62, SINGLE = 67, INCR4, INCR8, LINEFILL, WAITS = 75, SLAVE, BUS, CYCLES = 89 };

struct code_count {
	unsigned code;
	uint64_t value;
};

static void start(struct pmk_result *r)
{
	pmk_result_init(r);
	r->pmu = &pmk_ahbmon;
	r->command = strdup("prog");
	assert_non_null(r->command);
}

static struct pmk_section *add(struct pmk_result *r, const struct code_count *counts, unsigned n)
{
	struct pmk_section *s = pmk_result_add(r, NULL, n);

	assert_non_null(s);
	for (unsigned i = 0; i < n; i++) {
		const struct pmk_event *ev = pmk_pmu_event_code(r->pmu, counts[i].code);

		assert_non_null(ev);
		s->rows[i] = (struct pmk_row){ .event = ev,
					       .name = ev->name,
					       .value = counts[i].value,
					       .trust = PMK_TRUST_MEASURED,
					       .coverage = 1 };
	}
	return s;
}

#define ADD(r, ...)                                        \
	add(r, (const struct code_count[]){ __VA_ARGS__ }, \
	    sizeof((const struct code_count[]){ __VA_ARGS__ }) / sizeof(struct code_count))

/* Returns the text of the result from `from` on. The caller must free it. */
static char *drawn(const struct pmk_result *r, struct pmk_bars bars, bool colour, const char *from)
{
	struct pmk_write_options opt = {
		.format = PMK_FORMAT_TEXT,
		.big_num = true,
		.colour = colour,
		.bars = bars.columns ? &bars : NULL,
	};
	struct pmk_writer *w;
	char *text = NULL, *at, *rest;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	w = pmk_writer_begin(f, &opt, r);
	assert_non_null(w);
	for (unsigned i = 0; i < r->nsections; i++)
		assert_int_equal(pmk_writer_section(w, r, &r->sections[i]), 0);
	assert_int_equal(pmk_writer_end(w, r), 0);
	assert_int_equal(fclose(f), 0);
	at = strstr(text, from);
	rest = strdup(at ? at : "");
	assert_non_null(rest);
	if (!at)
		print_error("no '%s' in\n%s", from, text);
	free(text);
	return rest;
}

static void expect(int line, const struct pmk_result *r, struct pmk_bars bars, const char *from,
		   const char *golden)
{
	char *text = drawn(r, bars, false, from);

	if (strcmp(text, golden) != 0)
		fail_msg("line %d:\n--- got\n%s--- expected\n%s", line, text, golden);
	free(text);
}

static const struct pmk_bars ascii = { .layers = &pmk_ahbmon_layers, .columns = 80 };
static const struct pmk_bars utf8 = { .layers = &pmk_ahbmon_layers, .columns = 80, .utf8 = true };

#define LEGEND                                                                                 \
	"\n   # transfers, s first beats wait for the slave, b first beats wait for the bus\n" \
	"   w other waits, . idle, busy, responses"

/*
 * 1000 cycles of ARM-D: 400 transfers, 200 waits for the slave, 100 for the bus, and 100 other
 * waits. In a bar of 31 cells, these parts end at 12.4, 18.6, 21.7 and 24.8.
 */
#define WHOLE                                                                                     \
	{ CYCLES, 1000 }, { RD, 300 }, { WR, 100 }, { SINGLE, 10 }, { INCR4, 20 }, { INCR8, 30 }, \
		{ LINEFILL, 40 }, { WAITS, 400 }, { SLAVE, 200 },                                 \
	{                                                                                         \
		BUS, 100                                                                          \
	}

static void a_layer(void **state)
{
	struct pmk_result r;

	(void)state;
	start(&r);
	ADD(&r, WHOLE, { 0, 0 }, { 4, 0 });
	expect(__LINE__, &r, ascii, "\n   cycles of",
	       "\n   cycles of layers                     transfer   slave     bus   other    "
	       "rest\n"
	       "   ARM-D ############sssssssbbbwww......   40.0%   20.0%   10.0%   10.0%   20.0%\n"
	       "\n   waits per burst         bursts    mean   slave     bus   other\n"
	       "   ARM-D                      100    4.00    2.00    1.00    1.00\n" LEGEND "\n\n");
	expect(__LINE__, &r, utf8, "   ARM-D \u2588",
	       "   ARM-D \u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
	       "\u2593\u2593\u2593\u2593\u2593\u2593\u2593\u2592\u2592\u2592\u2591\u2591\u2591"
	       "\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7"
	       "   40.0%   20.0%   10.0%   10.0%   20.0%\n"
	       "\n   waits per burst         bursts    mean   slave     bus   other\n"
	       "   ARM-D                      100    4.00    2.00    1.00    1.00\n"
	       "\n   \u2588 transfers, \u2593 first beats wait for the slave, "
	       "\u2592 first beats wait for the bus\n"
	       "   \u2591 other waits, \u00b7 idle, busy, responses\n\n");
	pmk_result_free(&r);
}

static void without_bars(void **state)
{
	struct pmk_result r;
	char *text;

	(void)state;
	start(&r);
	ADD(&r, WHOLE);
	text = drawn(&r, (struct pmk_bars){ .columns = 0 }, false, "\n");
	assert_null(strstr(text, "ARM-D"));
	assert_null(strstr(text, "transfers"));
	free(text);
	pmk_result_free(&r);
}

/* A bar is as wide as the terminal permits, but at least 10 and at most 60 cells. */
static void widths(void **state)
{
	static const struct {
		unsigned columns;
		const char *line;
	} rows[] = {
		{ 20, "   ARM-D ####ssbw..   40.0%" },
		{ 59, "   ARM-D ####ssbw..   40.0%" },
		{ 60, "   ARM-D ####sssbw..   40.0%" },
		{ 109,
		  "   ARM-D ########################ssssssssssssbbbbbbwwwwww............   40.0%" },
		{ 300,
		  "   ARM-D ########################ssssssssssssbbbbbbwwwwww............   40.0%" },
	};
	struct pmk_bars bars = ascii;
	struct pmk_result r;

	(void)state;
	start(&r);
	ADD(&r, WHOLE);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text;

		bars.columns = rows[i].columns;
		text = drawn(&r, bars, false, rows[i].line);
		assert_true(*text);
		free(text);
	}
	pmk_result_free(&r);
}

static void colours(void **state)
{
	struct pmk_bars bars = ascii;
	struct pmk_result r;
	char *text;

	(void)state;
	start(&r);
	ADD(&r, WHOLE);
	bars.columns = 59;
	text = drawn(&r, bars, true,
		     "   ARM-D \033[32m####\033[0m\033[33mss\033[0m\033[31mb\033[0m"
		     "\033[35mw\033[0m\033[2m..\033[0m   40.0%");
	assert_true(*text);
	assert_non_null(strstr(text, "\033[32m#\033[0m transfers, \033[33ms\033[0m first"));
	free(text);
	pmk_result_free(&r);
}

#define HEAD                      \
	"\n   cycles of layers  " \
	"                   transfer   slave     bus   other    rest\n"
#define UNKNOWN ", ? not counted\n\n"

/* Events that were not counted have no number, and no other number is derived from them. */
static void what_is_not_counted(void **state)
{
	struct pmk_section *s;
	struct pmk_result r;

	(void)state;
	start(&r);
	s = ADD(&r, { CYCLES, 1000 }, { RD, 300 }, { WR, 100 }, { WAITS, 400 }, { SLAVE, 200 },
		{ BUS, 100 });
	/* If writes were not counted, the number of transfers is unknown. */
	s->rows[2].trust = PMK_TRUST_NOT_SUPPORTED;
	expect(__LINE__, &r, ascii, HEAD,
	       HEAD
	       "   ARM-D ssssssbbbwww???????????????????       -   20.0%   10.0%   10.0%       "
	       "-\n" LEGEND UNKNOWN);
	/* A lower bound and an extrapolated number are treated as not counted. */
	s->rows[2].trust = PMK_TRUST_MEASURED;
	s->rows[3].trust = PMK_TRUST_WRAPPED;
	expect(__LINE__, &r, ascii, HEAD,
	       HEAD
	       "   ARM-D ############sssssssbbb?????????   40.0%   20.0%   10.0%       -       "
	       "-\n" LEGEND UNKNOWN);
	/* If only one of the two causes was counted, the bar does not distinguish causes. */
	s->rows[3].trust = PMK_TRUST_MEASURED;
	s->rows[4].trust = PMK_TRUST_SCALED;
	expect(__LINE__, &r, ascii, HEAD,
	       HEAD "   ARM-D ############wwwwwwwwwwwww......   40.0%       -       -   40.0%   "
		    "20.0%\n" LEGEND "\n\n");
	/* If cycles were not counted, no share is shown. */
	s->rows[0].trust = PMK_TRUST_NOT_COUNTED;
	s->rows[4].trust = PMK_TRUST_MEASURED;
	{
		char *text = drawn(&r, ascii, false, "\n");

		assert_null(strstr(text, "ARM-D"));
		assert_null(strstr(text, "transfers"));
		free(text);
	}
	pmk_result_free(&r);
}

/* Layers without write counters and layers without bursts are shown in the order of the buses. */
static void other_layers(void **state)
{
	struct pmk_result r;

	(void)state;
	start(&r);
	/*
	 * GXI: 10 % writes, 20 % reads, waits of 5 % and 15 %. CLCDC: 50 % reads, 3 waits in each
	 * of 20 bursts, of which 40 are waits of first beats for the slave. ARM-I: no transfers.
	 */
	ADD(&r, { CYCLES, 400 }, { 79, 40 }, { 80, 80 }, { 81, 20 }, { 82, 60 }, { 8, 200 },
	    { 9, 1 }, { 10, 2 }, { 11, 5 }, { 12, 12 }, { 13, 60 }, { 14, 40 }, { 15, 0 }, { 0, 0 },
	    { 4, 0 });
	expect(__LINE__, &r, ascii, HEAD,
	       HEAD
	       "   CLCDC ################sssw...........   50.0%   10.0%    0.0%    5.0%   35.0%\n"
	       "   GXI   #########wwwwwww...............   30.0%       -       -   20.0%   50.0%\n"
	       "\n   waits per burst         bursts    mean   slave     bus   other\n"
	       "   CLCDC                       20    3.00    2.00    0.00    1.00\n" LEGEND "\n\n");
	pmk_result_free(&r);
}

/* ---- intervals ------------------------------------------------------------------------------ */

static struct pmk_section *at(struct pmk_section *s, double seconds)
{
	s->interval = true;
	s->at_seconds = seconds;
	return s;
}

#define HEAD_OF_LINES \
	"#           time layer, waits per burst             mean   slave     bus   other\n"

/*
 * The first interval has 40 transfers, and 35 waits (20 for the slave, 10 for the bus) in 5 bursts.
 * The second one has no transfers. The third one has 80 transfers, and 20 waits for the slave in 10
 * bursts.
 */
static void three_intervals(struct pmk_result *r)
{
	start(r);
	at(ADD(r, { CYCLES, 100 }, { RD, 40 }, { WR, 0 }, { SINGLE, 0 }, { INCR4, 2 }, { INCR8, 3 },
	       { LINEFILL, 0 }, { WAITS, 35 }, { SLAVE, 20 }, { BUS, 10 }),
	   1e-6);
	at(ADD(r, { CYCLES, 100 }, { RD, 0 }, { WR, 0 }, { SINGLE, 0 }, { INCR4, 0 }, { INCR8, 0 },
	       { LINEFILL, 0 }, { WAITS, 0 }, { SLAVE, 0 }, { BUS, 0 }),
	   2e-6);
	at(ADD(r, { CYCLES, 100 }, { RD, 0 }, { WR, 80 }, { SINGLE, 0 }, { INCR4, 0 },
	       { INCR8, 10 }, { LINEFILL, 0 }, { WAITS, 20 }, { SLAVE, 20 }, { BUS, 0 }),
	   3e-6);
}

static void lines_of_intervals(void **state)
{
	struct pmk_result r;
	char *text;

	(void)state;
	three_intervals(&r);
	text = drawn(&r, ascii, false, HEAD_OF_LINES);
	assert_non_null(strstr(
		text, HEAD_OF_LINES
		"     0.000001000 ARM-D ##########sssssbbbw......    7.00    4.00    2.00    1.00\n"
		"     0.000002000 "));
	assert_non_null(strstr(text, "\n     0.000003000 ARM-D ####################sssss"
				     "    2.00    2.00    0.00    0.00\n"));
	assert_null(strstr(text, "     0.000002000 ARM-D"));
	assert_null(strstr(text + 1, HEAD_OF_LINES)); /* the header is printed once */
	free(text);
	r.sections[0].cpu = 1;
	text = drawn(
		&r, ascii, false,
		"\n     0.000001000 CPU1     ARM-D ######ssssbw....    7.00    4.00    2.00    "
		"1.00\n");
	assert_true(*text);
	free(text);
	pmk_result_free(&r);
}

/* If no counter counts the bursts of an interval, neither the interval nor the whole has a mean. */
static void bursts_that_are_not_counted(void **state)
{
	struct pmk_section *s;
	struct pmk_result r;
	char *text;

	(void)state;
	start(&r);
	s = ADD(&r, WHOLE);
	s->rows[3].gap = s->rows[4].gap = "there were others";
	expect(__LINE__, &r, ascii, "\n   waits per",
	       "\n   waits per burst         bursts    mean   slave     bus   other\n"
	       "   ARM-D                    >=100       -       -       -       -\n" LEGEND "\n\n");
	pmk_result_free(&r);
	three_intervals(&r);
	for (unsigned i = 3; i < 7; i++)
		r.sections[0].rows[i].gap = "there were others";
	text = drawn(&r, ascii, false, HEAD_OF_LINES);
	assert_non_null(strstr(
		text,
		"     0.000001000 ARM-D ##########sssssbbbw......       -       -       -       "
		"-\n"));
	assert_non_null(strstr(text, "   ARM-D waits                 #  least 2.00, most 2.00\n"));
	free(text);
	pmk_result_free(&r);
}

static void trends(void **state)
{
	struct pmk_result r;

	(void)state;
	three_intervals(&r);
	expect(__LINE__, &r, ascii, "\n   waits per",
	       "\n   waits per burst by interval\n"
	       "   ARM-D waits               # :  least 2.00, most 7.00\n"
	       "   ARM-D  slave              = :  least 2.00, most 4.00\n"
	       "   ARM-D  bus                : _  least 0.00, most 2.00\n"
	       "   ARM-D  other              . _  least 0.00, most 1.00\n" LEGEND "\n\n");
	expect(__LINE__, &r, utf8, "   ARM-D waits  ",
	       "   ARM-D waits               \u2588 \u2583  least 2.00, most 7.00\n"
	       "   ARM-D  slave              \u2585 \u2583  least 2.00, most 4.00\n"
	       "   ARM-D  bus                \u2583 \u2581  least 0.00, most 2.00\n"
	       "   ARM-D  other              \u2582 \u2581  least 0.00, most 1.00\n"
	       "\n   \u2588 transfers, \u2593 first beats wait for the slave, "
	       "\u2592 first beats wait for the bus\n"
	       "   \u2591 other waits, \u00b7 idle, busy, responses\n\n");
	/* Each processor has its own line. */
	r.sections[2].cpu = 1;
	expect(__LINE__, &r, ascii, "   CPU1 ARM-D waits",
	       "   CPU1 ARM-D waits          #  least 2.00, most 2.00\n"
	       "   CPU1 ARM-D  slave         #  least 2.00, most 2.00\n" LEGEND "\n\n");
	pmk_result_free(&r);
}

/*
 * 25 intervals in 10 columns: 3 intervals share a column, which shows the mean of all their bursts.
 */
static void trends_that_do_not_fit(void **state)
{
	struct pmk_bars bars = ascii;
	struct pmk_result r;

	(void)state;
	start(&r);
	/*
	 * The intervals have in turn 8 waits in 1 burst and none in 3 bursts. So the columns have
	 * in turn 16 waits in 5 bursts and 8 waits in 7. The last column has one interval.
	 */
	for (unsigned i = 0; i < 25; i++)
		at(ADD(&r, { CYCLES, 100 }, { RD, 10 }, { WR, 0 }, { SINGLE, i % 2 ? 3 : 1 },
		       { INCR4, 0 }, { INCR8, 0 }, { LINEFILL, 0 }, { WAITS, i % 2 ? 0 : 8 }),
		   1e-6 * (i + 1));
	bars.columns = 60;
	expect(__LINE__, &r, bars, "\n   waits per burst by",
	       "\n   waits per burst by interval, 3 intervals in a column\n"
	       "   ARM-D waits               -.-.-.-.#  least 0.00, most 8.00\n"
	       "   ARM-D  other              -.-.-.-.#  least 0.00, most 8.00\n" LEGEND "\n\n");
	pmk_result_free(&r);
}

/*
 * For a PMU without layers that times latencies, the trend shows the mean of each interval. Event
 * 60 is reads of the instruction cache.
 */
static void trends_of_latencies(void **state)
{
	static const uint64_t sums[] = { 40, 0, 10, 100 }, counts[] = { 4, 0, 1, 5 };
	struct pmk_bars bars = { .columns = 80 };
	struct pmk_result r;

	(void)state;
	start(&r);
	r.pmu = &pmk_microblaze;
	for (unsigned i = 0; i < 4; i++) {
		struct pmk_section *s = at(ADD(&r, { 0x3c, counts[i] }), 1e-6 * (i + 1));

		s->rows[0].name = "read_latency";
		s->rows[0].has_dist = true;
		s->rows[0].dist = (struct pmk_distribution){
			.values = { .n = counts[i], .sum = sums[i] },
			.latency = true,
		};
	}
	/* 10 is half of the maximum 20, and so the fifth of eight levels. */
	expect(__LINE__, &r, bars, "\n   mean latency",
	       "\n   mean latency by interval\n"
	       "   read_latency              = =#  least 10.00, most 20.00\n\n");
	pmk_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_layer),
		cmocka_unit_test(without_bars),
		cmocka_unit_test(widths),
		cmocka_unit_test(colours),
		cmocka_unit_test(what_is_not_counted),
		cmocka_unit_test(other_layers),
		cmocka_unit_test(lines_of_intervals),
		cmocka_unit_test(bursts_that_are_not_counted),
		cmocka_unit_test(trends),
		cmocka_unit_test(trends_that_do_not_fit),
		cmocka_unit_test(trends_of_latencies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
