// SPDX-License-Identifier: MIT
/*
 * Tests metrics: formulas, files and their errors, and values that must not be printed. The
 * installed metrics are computed from counts that are given here. PMK_SOURCE_DATA is the data
 * directory of the source tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmk/ahbmon.h>
#include <pmk/arm11.h>
#include <pmk/armv8.h>
#include <pmk/l2cc.h>
#include <pmk/error.h>
#include <pmk/microblaze.h>
#include <pmk/result.h>

#define HEAD "TITLE t\nEVENTS cpu_cycles instr_exec\nFORMULA "
#define TAIL "\nTEXT\nwords\n"

/* ---- a directory with one metric ------------------------------------------------------------ */

struct place {
	char dir[40], file[64];
};

static void make_place(struct place *p)
{
	strcpy(p->dir, "/tmp/pmk-metric-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->file, sizeof(p->file), "%s/m.metric", p->dir);
}

static void put(const struct place *p, const void *data, size_t n)
{
	FILE *f = fopen(p->file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void put_text(const struct place *p, const char *text)
{
	put(p, text, strlen(text));
}

static int load(const struct place *p, struct pmk_metrics **all, char *msg, size_t size)
{
	const char *dirs[] = { p->dir, NULL };

	return pmk_metrics_load(all, dirs, msg, size);
}

static void remove_place(const struct place *p)
{
	unlink(p->file);
	assert_int_equal(rmdir(p->dir), 0);
}

/* ---- a result of two rows ------------------------------------------------------------------- */

static void make_result(struct pmk_result *r, uint64_t cycles, uint64_t insns)
{
	struct pmk_section *s;

	pmk_result_init(r);
	r->pmu = &pmk_arm1176;
	r->clock_hz = 700e6;
	s = pmk_result_add(r, NULL, 2);
	assert_non_null(s);
	s->rows[0] = (struct pmk_row){ .event = pmk_pmu_event_code(r->pmu, 0xFF),
				       .name = "cycles",
				       .value = cycles,
				       .trust = PMK_TRUST_MODELLED,
				       .coverage = 1 };
	s->rows[1] = (struct pmk_row){ .event = pmk_pmu_event_code(r->pmu, 0x07),
				       .name = "instr_exec",
				       .value = insns,
				       .trust = PMK_TRUST_EXACT,
				       .coverage = 1 };
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* event.sum is the sum of an event's latencies, if a latency counter timed them. */
static void latency_tests(void **state)
{
	struct pmk_metrics *all = NULL;
	struct pmk_metric_value v;
	struct pmk_result r;
	struct place p;
	char msg[256] = "";

	(void)state;
	make_place(&p);
	make_result(&r, 300, 200);
	put_text(&p, HEAD "(cpu_cycles.sum - cpu_cycles) / instr_exec" TAIL);
	assert_int_equal(load(&p, &all, msg, sizeof(msg)), 0);
	v = pmk_metric_eval(pmk_metrics_get(all, 0), &r, &r.sections[0]);
	assert_false(v.valid);
	assert_string_equal(v.reason, "no latency counter timed one of its events");
	r.sections[0].rows[0].has_dist = true;
	r.sections[0].rows[0].dist.values.sum = 1300;
	v = pmk_metric_eval(pmk_metrics_get(all, 0), &r, &r.sections[0]);
	assert_false(v.valid); /* occurrences of a region, not a latency */
	r.sections[0].rows[0].dist.latency = true;
	v = pmk_metric_eval(pmk_metrics_get(all, 0), &r, &r.sections[0]);
	assert_true(v.valid && v.value == 5);
	pmk_metrics_free(all);

	put_text(&p, HEAD "cpu_cycles.mean + instr_exec" TAIL);
	assert_int_not_equal(load(&p, &all, msg, sizeof(msg)), 0);
	assert_non_null(strstr(msg, ":3:19: an operator expected"));
	put_text(&p, HEAD "cpu_cycles.summe + instr_exec" TAIL);
	assert_int_not_equal(load(&p, &all, msg, sizeof(msg)), 0);
	pmk_result_free(&r);
	remove_place(&p);
}

/* The counts are cpu_cycles = 300 and instr_exec = 200; the clock is 700 MHz. */
static void formula_tests(void **state)
{
	static const struct {
		int line;
		const char *formula;
		double value;
	} rows[] = {
		{ __LINE__, "cpu_cycles + instr_exec", 500 },
		{ __LINE__, "cpu_cycles / instr_exec", 1.5 },
		{ __LINE__, "cpu_cycles - instr_exec - 1", 99 },
		{ __LINE__, "cpu_cycles / instr_exec / 3", 0.5 },
		{ __LINE__, "1 + 2 * cpu_cycles - instr_exec", 401 },
		{ __LINE__, "(1 + 2) * cpu_cycles - instr_exec", 700 },
		{ __LINE__, "-cpu_cycles + instr_exec", -100 },
		{ __LINE__, "- -cpu_cycles*-instr_exec", -60000 },
		{ __LINE__, "0.125*cpu_cycles+0*instr_exec", 37.5 },
		{ __LINE__, "\tcpu_cycles\t*cycles_per_second / 100+instr_exec * 0", 2.1e9 },
		{ __LINE__, "((((((((((cpu_cycles))))))))))+instr_exec-200", 300 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_metrics *all = NULL;
		struct pmk_metric_value v;
		struct pmk_result r;
		struct place p;
		char text[512], msg[256] = "";

		make_place(&p);
		make_result(&r, 300, 200);
		snprintf(text, sizeof(text), HEAD "%s" TAIL, rows[i].formula);
		put_text(&p, text);
		if (load(&p, &all, msg, sizeof(msg)) != 0)
			fail_msg("line %d: %s", rows[i].line, msg);
		v = pmk_metric_eval(pmk_metrics_get(all, 0), &r, &r.sections[0]);
		if (!v.valid || v.value != rows[i].value)
			fail_msg("line %d: %f %s", rows[i].line, v.value, v.valid ? "" : v.reason);
		pmk_metrics_free(all);
		pmk_result_free(&r);
		remove_place(&p);
	}
}

static void error_tests(void **state)
{
	static const struct {
		int line;
		const char *text, *msg; /* the message follows the file's path */
	} rows[] = {
		{ __LINE__, HEAD "cpu_cycles / instr_exek" TAIL, ":3:22: not among EVENTS" },
		{ __LINE__, HEAD "cpu_cycles / (instr_exec" TAIL, ":3:33: ')' expected" },
		{ __LINE__, HEAD "cpu_cycles instr_exec" TAIL, ":3:20: an operator expected" },
		{ __LINE__, HEAD "cpu_cycles / instr_exec)" TAIL, ":3:32: an operator expected" },
		{ __LINE__, HEAD "cpu_cycles / " TAIL, ":3:21: the formula ends too early" },
		{ __LINE__, HEAD "cpu_cycles * 1. / instr_exec" TAIL,
		  ":3:24: a digit must follow" },
		{ __LINE__, HEAD "cpu_cycles % instr_exec" TAIL, ":3:20: an operator expected" },
		{ __LINE__, HEAD "cpu_cycles" TAIL, ":3:9: FORMULA does not use instr_exec" },
		{ __LINE__, HEAD "inf * cpu_cycles + instr_exec" TAIL, ":3:9: not among EVENTS" },
		{ __LINE__, HEAD "((((((((((((((((((((((((((((((((((1))))))))))" TAIL,
		  ": nested too deep" },
		{ __LINE__, HEAD "----------------------------------------1" TAIL,
		  ": nested too deep" },
		{ __LINE__, "TITLE t\nTITLE t\n" TAIL, ":2:1: given twice" },
		{ __LINE__, "EVENTS a\nEVENTS a\n" TAIL, ":2:1: given twice" },
		{ __LINE__, "EVENTS a L1-dcache\n" TAIL, ":1:12: not a name" },
		{ __LINE__, "EVENTS a b c d e f g h i j k l m n o p q\n" TAIL,
		  ":1:40: too many events" },
		{ __LINE__, "TITLE t\n\n# c\nTITEL t\n" TAIL, ":4:1: TITLE, UNIT, EVENTS" },
		{ __LINE__, "", ":1:1: TITLE, EVENTS, FORMULA and TEXT" },
		{ __LINE__, HEAD "cpu_cycles/instr_exec\n", ":1:1: TITLE, EVENTS" },
		{ __LINE__, HEAD "cpu_cycles/instr_exec\nTEXT\n \n", ":1:1: TITLE, EVENTS" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pmk_metrics *all = (void *)1;
		struct place p;
		char msg[256] = "";
		int err;

		make_place(&p);
		put_text(&p, rows[i].text);
		err = load(&p, &all, msg, sizeof(msg));
		if (err != PMK_EPARSE || all || strncmp(msg, p.file, strlen(p.file)) != 0 ||
		    !strstr(msg + strlen(p.file), rows[i].msg))
			fail_msg("line %d: %d '%s'", rows[i].line, err, msg);
		remove_place(&p);
	}
}

static void file_tests(void **state)
{
	static const char nul[] = HEAD "cpu_cycles\0/ instr_exec" TAIL;
	struct pmk_metrics *all = NULL;
	const struct pmk_metric *m;
	struct place p;
	char msg[256], *big = malloc(70000);
	const char *none[] = { "/does/not/exist", NULL };

	(void)state;
	assert_non_null(big);
	make_place(&p);
	put(&p, nul, sizeof(nul));
	assert_int_equal(load(&p, &all, msg, sizeof(msg)), PMK_EPARSE);
	assert_non_null(strstr(msg, "not a text file"));
	memset(big, 'x', 70000);
	put(&p, big, 70000);
	assert_int_equal(load(&p, &all, msg, sizeof(msg)), PMK_EPARSE);
	assert_non_null(strstr(msg, "too long"));
	free(big);

	assert_int_equal(pmk_metrics_load(&all, none, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_metrics_count(all), 0);
	assert_null(pmk_metrics_get(all, 0));
	pmk_metrics_free(all);

	put_text(&p, "TITLE  a b \r\nUNIT %\nEVENTS\tcpu_cycles instr_exec \nBESIDE instr_exec\n"
		     "FORMULA cpu_cycles/instr_exec\nTEXT\none\n\ntwo\n\n");
	assert_int_equal(load(&p, &all, msg, sizeof(msg)), 0);
	m = pmk_metrics_find(all, "m");
	assert_non_null(m);
	assert_string_equal(m->title, "a b");
	assert_string_equal(m->unit, "%");
	assert_string_equal(m->beside, "instr_exec");
	assert_string_equal(m->text, "one\n\ntwo");
	assert_string_equal(m->events[0], "cpu_cycles");
	assert_string_equal(m->events[1], "instr_exec");
	assert_null(m->events[2]);
	assert_null(pmk_metrics_find(all, "n"));
	pmk_metrics_free(all);
	remove_place(&p);
}

/* A user's metrics file replaces an installed file of the same name. */
static void override_test(void **state)
{
	struct pmk_metrics *all = NULL;
	struct place p, q;
	const char *dirs[3];
	char msg[256];

	(void)state;
	make_place(&p);
	make_place(&q);
	put_text(&p, "TITLE first\nEVENTS a\nFORMULA a\nTEXT\nx\n");
	put_text(&q, "TITLE other\nEVENTS a\nFORMULA a\nTEXT\nx\n");
	dirs[0] = p.dir;
	dirs[1] = q.dir;
	dirs[2] = NULL;
	assert_int_equal(pmk_metrics_load(&all, dirs, msg, sizeof(msg)), 0);
	assert_int_equal(pmk_metrics_count(all), 1);
	assert_string_equal(pmk_metrics_get(all, 0)->title, "other");
	assert_string_equal(pmk_metrics_get(all, 0)->file, q.file);
	assert_string_equal(pmk_metrics_get(all, 0)->unit, "");
	pmk_metrics_free(all);
	remove_place(&p);
	remove_place(&q);
}

static struct pmk_metrics *ours(void)
{
	const char *dirs[] = { PMK_SOURCE_DATA "/metrics", NULL };
	struct pmk_metrics *all = NULL;
	char msg[512] = "";

	if (pmk_metrics_load(&all, dirs, msg, sizeof(msg)) != 0)
		fail_msg("%s", msg);
	return all;
}

static void invalid_tests(void **state)
{
	struct pmk_metrics *all = ours();
	const struct pmk_metric *cpi = pmk_metrics_find(all, "cpi");
	struct pmk_metric_value v;
	struct pmk_result r;
	struct pmk_row *row;

	(void)state;
	assert_non_null(cpi);
	make_result(&r, 300, 200);
	row = &r.sections[0].rows[1];
	v = pmk_metric_eval(cpi, &r, &r.sections[0]);
	assert_true(v.valid);
	assert_null(v.reason);
	assert_ptr_equal(v.beside, row->event);

	row->value = 0;
	v = pmk_metric_eval(cpi, &r, &r.sections[0]);
	assert_false(v.valid);
	assert_string_equal(v.reason, "division by zero");
	assert_true(v.no_divisor);
	row->value = 200;

	/*
	 * A metric is valid if one of its rows has a gap (<pmk/result.h>), but not if two have. The
	 * gap is then the reason, even if the divisor is 0.
	 */
	row->gap = "there were others";
	v = pmk_metric_eval(cpi, &r, &r.sections[0]);
	assert_true(v.valid && !v.no_divisor);
	r.sections[0].rows[0].gap = "there were others";
	for (row->value = 0; row->value <= 200; row->value += 200) {
		v = pmk_metric_eval(cpi, &r, &r.sections[0]);
		assert_false(v.valid || v.no_divisor);
		assert_string_equal(v.reason, "there were others");
	}
	row->value = 200;
	row->gap = r.sections[0].rows[0].gap = NULL;

	row->trust = PMK_TRUST_NOT_SUPPORTED;
	row->reason = "no such wire";
	v = pmk_metric_eval(cpi, &r, &r.sections[0]);
	assert_false(v.valid);
	assert_string_equal(v.reason, "no such wire");
	row->trust = PMK_TRUST_NOT_COUNTED;
	row->reason = NULL;
	assert_string_equal(pmk_metric_eval(cpi, &r, &r.sections[0]).reason, "not counted");
	row->trust = PMK_TRUST_WRAPPED;
	assert_false(pmk_metric_eval(cpi, &r, &r.sections[0]).valid);

	/*
	 * Two events were each counted part of the time: for different shares, for equal shares in
	 * different groups, and in one group.
	 */
	row->trust = PMK_TRUST_EXACT;
	row->coverage = 0.5;
	v = pmk_metric_eval(cpi, &r, &r.sections[0]);
	assert_false(v.valid);
	assert_non_null(strstr(v.reason, "same time"));
	row->trust = r.sections[0].rows[0].trust = PMK_TRUST_SCALED;
	r.sections[0].rows[0].coverage = 0.5;
	assert_false(pmk_metric_eval(cpi, &r, &r.sections[0]).valid);
	row->group = r.sections[0].rows[0].group = 1;
	assert_true(pmk_metric_eval(cpi, &r, &r.sections[0]).valid);
	row->group = 2;
	assert_false(pmk_metric_eval(cpi, &r, &r.sections[0]).valid);

	r.sections[0].nrows = 1;
	v = pmk_metric_eval(cpi, &r, &r.sections[0]);
	assert_false(v.valid);
	assert_non_null(strstr(v.reason, "not requested"));
	assert_null(v.beside);
	pmk_result_free(&r);
	pmk_metrics_free(all);
}

/* The PMUs to which an installed metric must apply, one bit each. */
enum {
	ON_1136 = 1,
	ON_1156 = 2,
	ON_1176 = 4,
	ON_MPCORE = 8,
	ON_A53 = 16,
	ON_A55 = 32,
	ON_A57 = 64,
	ON_A72 = 128,
	ON_N1 = 256,
	ON_ARMV8 = 512,
	ON_LONG = 1024,
	ON_MB = 2048,
	ON_L210 = 4096,
	ON_L220 = 8192,
	ON_AHB = 16384
};
#define MOST_11 (ON_1136 | ON_1156 | ON_1176)
#define ALL_11	(MOST_11 | ON_MPCORE)
#define TLB_11	(ON_1136 | ON_1176 | ON_MPCORE)
#define P1_V8	(ON_A55 | ON_N1 | ON_ARMV8 | ON_LONG)
#define ALL_V8	(P1_V8 | ON_A53 | ON_A57 | ON_A72)

static const struct pmk_pmu *const those[] = {
	&pmk_arm1136,	 &pmk_arm1156,	  &pmk_arm1176,	   &pmk_arm11mpcore, &pmk_cortex_a53,
	&pmk_cortex_a55, &pmk_cortex_a57, &pmk_cortex_a72, &pmk_neoverse_n1, &pmk_armv8,
	&pmk_armv8_long, &pmk_microblaze, &pmk_l210,	   &pmk_l220,	     &pmk_ahbmon,
};

struct shipped {
	const char *name, *unit;
	double value;
	unsigned on;
};

struct code_count {
	unsigned code;
	uint64_t value;
};

/* Adds a section with these counts to the result. All of them are valid. */
static struct pmk_section *fill(struct pmk_result *r, const struct pmk_pmu *pmu, double hz,
				const struct code_count *counts, unsigned n)
{
	struct pmk_section *s;

	pmk_result_init(r);
	r->pmu = pmu;
	r->clock_hz = hz;
	s = pmk_result_add(r, NULL, n);
	assert_non_null(s);
	for (unsigned i = 0; i < n; i++) {
		const struct pmk_event *ev = pmk_pmu_event_code(pmu, counts[i].code);

		assert_non_null(ev);
		s->rows[i] = (struct pmk_row){
			.event = ev, .name = ev->name, .coverage = 1, .value = counts[i].value
		};
	}
	return s;
}

/* Makes the event with this code one that a latency counter timed. */
static void time_all(struct pmk_section *s, unsigned code, uint64_t sum)
{
	for (unsigned i = 0; i < s->nrows; i++)
		if (s->rows[i].event->code == code) {
			s->rows[i].has_dist = true;
			s->rows[i].dist.latency = true;
			s->rows[i].dist.values.sum = sum;
		}
}

/*
 * Checks that every row is an installed metric that has this value here and applies to the listed
 * PMUs.
 */
static void check_shipped(const struct pmk_metrics *all, const struct pmk_result *r,
			  const struct pmk_section *s, const struct shipped *rows, unsigned n,
			  const char *document)
{
	for (unsigned i = 0; i < n; i++) {
		const struct pmk_metric *m = pmk_metrics_find(all, rows[i].name);
		struct pmk_metric_value v;

		if (!m)
			fail_msg("there is no %s", rows[i].name);
		v = pmk_metric_eval(m, r, s);
		assert_string_equal(m->unit, rows[i].unit);
		if (!v.valid || v.value < rows[i].value - 1e-9 || v.value > rows[i].value + 1e-9)
			fail_msg("%s: %f %s", m->name, v.value, v.valid ? "" : v.reason);
		for (unsigned p = 0; p < sizeof(those) / sizeof(those[0]); p++)
			if (pmk_metric_applies(m, those[p]) != (rows[i].on >> p & 1))
				fail_msg("%s on %s", m->name, those[p]->name);
		if (*m->beside)
			assert_ptr_equal(v.beside, pmk_pmu_event(r->pmu, m->beside));
		assert_non_null(strstr(m->text, document));
	}
}

/*
 * Checks all installed metrics. The counts are given by event code, and the values were computed by
 * hand. The tables together contain every metric.
 */
static void shipped_tests(void **state)
{
	static const struct code_count arm11[] = {
		{ 0x00, 40 },  { 0x01, 250 },  { 0x02, 100 },  { 0x03, 6 },   { 0x04, 10 },
		{ 0x05, 200 }, { 0x06, 10 },   { 0x07, 1000 }, { 0x09, 400 }, { 0x0A, 500 },
		{ 0x0B, 20 },  { 0x0C, 7 },    { 0x0D, 150 },  { 0x0F, 4 },   { 0x10, 50 },
		{ 0x11, 20 },  { 0xFF, 2000 },
	};
	static const struct shipped of_arm11[] = {
		{ "bpred_ratio", "%", 95, ALL_11 },
		{ "br_mpki", "misses/1000 insns", 10, ALL_11 },
		{ "cpi", "cycles/insn", 2, ALL_11 | ALL_V8 | ON_MB },
		{ "dcache_hit_estimate", "%", 95, MOST_11 },
		{ "dcache_miss_ratio", "%", 5, MOST_11 },
		{ "dcache_mpki", "misses/1000 insns", 20, MOST_11 },
		{ "ddep_stall_share", "%", 5, ALL_11 },
		{ "external_per_miss", "accesses/miss", 2.5, MOST_11 },
		{ "ibuf_stall_share", "%", 12.5, ALL_11 },
		{ "icache_mpki", "misses/1000 insns", 40, ALL_11 },
		{ "ipc", "insns/cycle", 0.5, ALL_11 | ALL_V8 | ON_MB },
		{ "lsu_full_stall_share", "%", 1, ALL_11 },
		{ "noncacheable_share", "%", 20, MOST_11 },
		{ "taken_branch_rate", "%", 15, ALL_11 },
		{ "tlb_mpki", "misses/1000 insns", 4, TLB_11 },
		{ "tlb_walk_rate", "%", 25, TLB_11 },
		{ "writeback_bandwidth", "bytes/s", 39200000, MOST_11 },
		{ "writeback_bytes", "bytes", 112, MOST_11 },
	};
	static const struct code_count armv8[] = {
		{ 0x01, 30 },	 { 0x02, 5 },  { 0x03, 80 },   { 0x04, 3200 }, { 0x05, 25 },
		{ 0x08, 10000 }, { 0x10, 40 }, { 0x11, 8000 }, { 0x12, 1600 }, { 0x14, 2400 },
		{ 0x16, 125 },	 { 0x17, 10 }, { 0x19, 50 },   { 0x23, 400 },  { 0x24, 2000 },
		{ 0x34, 7 },	 { 0x35, 3 },
	};
	static const struct shipped of_armv8[] = {
		{ "branch_miss_ratio", "%", 2.5, ALL_V8 },
		{ "branch_mpki", "misses/1000 insns", 4, ALL_V8 },
		{ "bus_bandwidth", "bytes/s", 120000000, ALL_V8 }, /* 50 · 16 / 8000 · 1.2 GHz */
		{ "bus_bytes_per_cycle", "bytes/cycle", 0.1, ALL_V8 },
		{ "cpi", "cycles/insn", 0.8, ALL_11 | ALL_V8 | ON_MB },
		{ "dtlb_mpki", "misses/1000 insns", 2.5, ALL_V8 },
		{ "ipc", "insns/cycle", 1.25, ALL_11 | ALL_V8 | ON_MB },
		{ "itlb_mpki", "misses/1000 insns", 0.5, ALL_V8 },
		{ "l1d_miss_ratio", "%", 2.5, ALL_V8 },
		{ "l1d_mpki", "misses/1000 insns", 8, ALL_V8 },
		{ "l1i_miss_ratio", "%", 1.25, ALL_V8 },
		{ "l1i_mpki", "misses/1000 insns", 3, ALL_V8 },
		{ "l2_miss_ratio", "%", 8, ALL_V8 },
		{ "l2_mpki", "misses/1000 insns", 1, ALL_V8 },
		{ "stall_backend_share", "%", 25, P1_V8 },
		{ "stall_frontend_share", "%", 5, P1_V8 },
		{ "walk_mpki", "misses/1000 insns", 1, P1_V8 },
	};
	static const struct code_count microblaze[] = {
		{ 0, 4000 }, { 8, 30 },	   { 10, 500 }, { 11, 480 },  { 12, 300 }, { 13, 290 },
		{ 14, 200 }, { 15, 160 },  { 29, 100 }, { 30, 5000 }, { 44, 40 },  { 46, 500 },
		{ 47, 450 }, { 51, 1000 }, { 58, 300 }, { 59, 200 },  { 60, 500 },
	};
	static const struct shipped of_microblaze[] = {
		{ "cond_taken_ratio", "%", 75, ON_MB },
		{ "cpi", "cycles/insn", 1.25, ALL_11 | ALL_V8 | ON_MB },
		{ "dcache_hit_ratio", "%", 90, ON_MB },
		{ "dcache_read_miss_cost", "cycles/miss", 25, ON_MB },
		{ "dcache_write_miss_cost", "cycles/miss", 7.5, ON_MB },
		{ "fp_share", "%", 2.5, ON_MB },
		{ "icache_hit_ratio", "%", 96, ON_MB },
		{ "icache_miss_cost", "cycles/miss", 15, ON_MB },
		{ "ipc", "insns/cycle", 0.8, ALL_11 | ALL_V8 | ON_MB },
		{ "stall_share", "%", 20, ON_MB },
	};
	static const struct code_count l220[] = {
		{ 2, 80 }, { 3, 100 }, { 4, 27 }, { 5, 20 }, { 6, 16 }, { 7, 9 }, { 8, 10 },
	};
	static const struct shipped of_l220[] = {
		{ "l2_insn_hit_ratio", "%", 90, ON_L210 | ON_L220 },
		{ "l2_read_hit_ratio", "%", 80, ON_L210 | ON_L220 },
		{ "l2_write_hit_ratio", "%", 75, ON_L210 | ON_L220 },
	};
	/*
	 * The codes of ARM-I begin at 0, those of CLCDC at 8, DMA-0 at 17, DMA-1 at 33, EXP at 43,
	 * and ARM-D at 61.
	 */
	static const struct code_count ahbmon[] = {
		{ 89, 10000 }, { 0, 800 },  { 1, 20 },	 { 2, 0 },     { 3, 80 },   { 4, 800 },
		{ 5, 300 },    { 6, 100 },  { 8, 1600 }, { 9, 0 },     { 10, 0 },   { 11, 0 },
		{ 12, 100 },   { 13, 500 }, { 14, 100 }, { 15, 300 },  { 17, 200 }, { 18, 100 },
		{ 25, 10 },    { 26, 20 },  { 27, 10 },	 { 28, 10 },   { 29, 200 }, { 30, 50 },
		{ 31, 50 },    { 33, 100 }, { 34, 100 }, { 35, 5 },    { 36, 5 },   { 37, 5 },
		{ 38, 5 },     { 39, 100 }, { 40, 20 },	 { 41, 5 },    { 43, 50 },  { 44, 50 },
		{ 49, 2 },     { 50, 1 },   { 51, 1 },	 { 52, 1 },    { 53, 1 },   { 54, 2 },
		{ 55, 1 },     { 56, 1 },   { 57, 40 },	 { 58, 5 },    { 59, 15 },  { 61, 1500 },
		{ 62, 500 },   { 67, 100 }, { 68, 50 },	 { 69, 50 },   { 70, 200 }, { 71, 30 },
		{ 72, 35 },    { 73, 40 },  { 74, 10 },	 { 75, 1000 }, { 76, 600 }, { 77, 200 }
	};
	static const struct shipped of_ahbmon[] = {
		{ "ahb_armi_utilisation", "%", 16, ON_AHB },
		{ "ahb_armi_bandwidth", "bytes/s", 16e6, ON_AHB }, /* 800 · 4 / 10000 · 50 MHz */
		{ "ahb_armi_wait_per_burst", "cycles/burst", 8, ON_AHB },
		{ "ahb_armi_first_wait_share", "%", 50, ON_AHB },
		{ "ahb_armi_first_wait_per_burst", "cycles/burst", 4, ON_AHB },
		{ "ahb_armi_bus_wait_per_burst", "cycles/burst", 1, ON_AHB },
		{ "ahb_armi_bus_wait_share", "%", 25, ON_AHB },
		{ "ahb_clcd_utilisation", "%", 21, ON_AHB },
		{ "ahb_clcd_bandwidth", "bytes/s", 32e6, ON_AHB },
		{ "ahb_clcd_wait_per_burst", "cycles/burst", 5, ON_AHB },
		{ "ahb_clcd_first_wait_share", "%", 80, ON_AHB },
		{ "ahb_clcd_first_wait_per_burst", "cycles/burst", 4, ON_AHB },
		{ "ahb_clcd_bus_wait_per_burst", "cycles/burst", 3, ON_AHB },
		{ "ahb_clcd_bus_wait_share", "%", 75, ON_AHB },
		{ "ahb_dma0_utilisation", "%", 5, ON_AHB },
		{ "ahb_dma0_bandwidth", "bytes/s", 6e6, ON_AHB },
		{ "ahb_dma0_wait_per_burst", "cycles/burst", 4, ON_AHB },
		{ "ahb_dma0_first_wait_share", "%", 50, ON_AHB },
		{ "ahb_dma0_first_wait_per_burst", "cycles/burst", 2, ON_AHB },
		{ "ahb_dma0_bus_wait_per_burst", "cycles/burst", 1, ON_AHB },
		{ "ahb_dma0_bus_wait_share", "%", 50, ON_AHB },
		{ "ahb_dma1_utilisation", "%", 3, ON_AHB },
		{ "ahb_dma1_bandwidth", "bytes/s", 4e6, ON_AHB },
		{ "ahb_dma1_wait_per_burst", "cycles/burst", 5, ON_AHB },
		{ "ahb_dma1_first_wait_share", "%", 25, ON_AHB },
		{ "ahb_dma1_first_wait_per_burst", "cycles/burst", 1.25, ON_AHB },
		{ "ahb_dma1_bus_wait_per_burst", "cycles/burst", 0.25, ON_AHB },
		{ "ahb_dma1_bus_wait_share", "%", 20, ON_AHB },
		{ "ahb_exp_utilisation", "%", 1.4, ON_AHB },
		{ "ahb_exp_bandwidth", "bytes/s", 2e6, ON_AHB },
		{ "ahb_exp_wait_per_burst", "cycles/burst", 4, ON_AHB },
		{ "ahb_exp_first_wait_share", "%", 50, ON_AHB },
		{ "ahb_exp_first_wait_per_burst", "cycles/burst", 2, ON_AHB },
		{ "ahb_exp_bus_wait_per_burst", "cycles/burst", 1.5, ON_AHB },
		{ "ahb_exp_bus_wait_share", "%", 75, ON_AHB },
		{ "ahb_armd_utilisation", "%", 30, ON_AHB },
		{ "ahb_armd_bandwidth", "bytes/s", 40e6, ON_AHB },
		{ "ahb_armd_wait_per_burst", "cycles/burst", 2.5, ON_AHB },
		{ "ahb_armd_first_wait_share", "%", 80, ON_AHB },
		{ "ahb_armd_first_wait_per_burst", "cycles/burst", 2, ON_AHB },
		{ "ahb_armd_bus_wait_per_burst", "cycles/burst", 0.5, ON_AHB },
		{ "ahb_armd_bus_wait_share", "%", 25, ON_AHB },
		{ "ahb_ifill_rate", "fills/kcycle", 8, ON_AHB },
		{ "ahb_dfill_rate", "fills/kcycle", 20, ON_AHB },
		{ "ahb_castout_per_fill", "words/fill", 2, ON_AHB },
		{ "ahb_walk_rate", "reads/kcycle", 5, ON_AHB },
	};
	const unsigned n11 = sizeof(of_arm11) / sizeof(of_arm11[0]);
	const unsigned n8 = sizeof(of_armv8) / sizeof(of_armv8[0]);
	const unsigned nmb = sizeof(of_microblaze) / sizeof(of_microblaze[0]);
	const unsigned nl2 = sizeof(of_l220) / sizeof(of_l220[0]);
	const unsigned nahb = sizeof(of_ahbmon) / sizeof(of_ahbmon[0]);
	struct pmk_metrics *all = ours();
	struct pmk_section *s;
	struct pmk_result r;

	(void)state;
	assert_int_equal(pmk_metrics_count(all),
			 n11 + n8 + nmb + nl2 + nahb - 4); /* cpi and ipc are in all tables */
	s = fill(&r, &pmk_arm1176, 700e6, arm11, sizeof(arm11) / sizeof(arm11[0]));
	check_shipped(all, &r, s, of_arm11, n11, "DAI 0195B");
	pmk_result_free(&r);
	s = fill(&r, &pmk_armv8, 1.2e9, armv8, sizeof(armv8) / sizeof(armv8[0]));
	check_shipped(all, &r, s, of_armv8, n8, "DDI 0487");
	pmk_result_free(&r);
	s = fill(&r, &pmk_microblaze, 100e6, microblaze,
		 sizeof(microblaze) / sizeof(microblaze[0]));
	time_all(s, 58, 550); /* 300 reads, 10 misses of 26 cycles */
	time_all(s, 59, 500); /* 200 writes, 40 misses of 8.5 cycles on average */
	time_all(s, 60, 800); /* 500 fetches, 20 misses of 16 cycles */
	check_shipped(all, &r, s, of_microblaze, nmb, "UG984");
	pmk_result_free(&r);
	s = fill(&r, &pmk_l220, 700e6, l220, sizeof(l220) / sizeof(l220[0]));
	check_shipped(all, &r, s, of_l220, nl2, "DAI 0195B");
	pmk_result_free(&r);
	s = fill(&r, &pmk_ahbmon, 50e6, ahbmon, sizeof(ahbmon) / sizeof(ahbmon[0]));
	check_shipped(all, &r, s, of_ahbmon, nahb, "DDI 0287B");
	pmk_result_free(&r);
	pmk_metrics_free(all);
}

/* Loads pseudo-random bytes that resemble a metric. They may be refused, but nothing crashes. */
static void rubbish_tests(void **state)
{
	static const char *const words[] = {
		"TITLE ",  "UNIT ",
		"EVENTS ", "FORMULA ",
		"BESIDE ", "TEXT",
		"\n",	   "\n",
		"\n",	   " ",
		"a",	   "b",
		"(",	   ")",
		"-",	   "+",
		"*",	   "/",
		"1",	   "0.5",
		".",	   "\t",
		"\r",	   "#",
		"\xff",	   "cycles_per_second",
	};
	unsigned good = 0, bad = 0;
	uint32_t seed = 1;
	struct place p;

	(void)state;
	make_place(&p);
	for (unsigned round = 0; round < 3000; round++) {
		char data[2048] = "TITLE t\nEVENTS a b\nFORMULA ", msg[64];
		struct pmk_metrics *all = NULL;
		size_t n = round % 3 ? strlen(data) : 0;
		unsigned pieces;

		seed = seed * 1664525 + 1013904223;
		pieces = (seed >> 16) % 60;
		for (unsigned i = 0; i < pieces; i++) {
			seed = seed * 1664525 + 1013904223;
			if (round % 7 == 0) {
				data[n++] = (char)(seed >> 24);
				continue;
			}
			n += (size_t)sprintf(
				data + n, "%s",
				words[(seed >> 16) % (sizeof(words) / sizeof(words[0]))]);
		}
		put(&p, data, n);
		if (load(&p, &all, msg, sizeof(msg)) == 0)
			good++;
		else
			bad++;
		pmk_metrics_free(all);
	}
	assert_int_equal(good + bad, 3000);
	assert_true(bad > 2000);
	remove_place(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formula_tests), cmocka_unit_test(error_tests),
		cmocka_unit_test(latency_tests), cmocka_unit_test(file_tests),
		cmocka_unit_test(override_test), cmocka_unit_test(invalid_tests),
		cmocka_unit_test(shipped_tests), cmocka_unit_test(rubbish_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
