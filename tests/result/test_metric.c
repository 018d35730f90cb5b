// SPDX-License-Identifier: MIT
/*
 * Metrics: formulas, files and what is wrong with them, values that must not be printed, and the
 * files we ship, computed from literal counts. PMK_SOURCE_DATA is the data directory of the source
 * tree.
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
#include <pmk/arm11.h>
#include <pmk/error.h>
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

/* cpu_cycles = 300, instr_exec = 200, clock 700 MHz */
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
		const char *text, *msg; /* msg follows the file's path */
	} rows[] = {
		{ __LINE__, HEAD "cpu_cycles / instr_exek" TAIL, ":3:22: not among EVENTS" },
		{ __LINE__, HEAD "cpu_cycles / (instr_exec" TAIL, ":3:33: ')' expected" },
		{ __LINE__, HEAD "cpu_cycles instr_exec" TAIL, ":3:20: an operator expected" },
		{ __LINE__, HEAD "cpu_cycles / instr_exec)" TAIL, ":3:32: an operator expected" },
		{ __LINE__, HEAD "cpu_cycles / " TAIL, ":3:21: the formula ends too early" },
		{ __LINE__, HEAD "cpu_cycles * 1. / instr_exec" TAIL,
		  ":3:24: a digit has to follow" },
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

/* A user's file replaces ours of the same name. */
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
	row->value = 200;

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

	/* Time shares: of different length, equally long but another group's, and the same. */
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
	assert_non_null(strstr(v.reason, "not asked for"));
	assert_null(v.beside);
	pmk_result_free(&r);
	pmk_metrics_free(all);
}

/* The counts, by event code of the ARM1176; the values were computed by hand. */
static void shipped_tests(void **state)
{
	static const struct {
		unsigned code;
		uint64_t value;
	} counts[] = {
		{ 0x00, 40 },  { 0x01, 250 },  { 0x02, 100 },  { 0x03, 6 },   { 0x04, 10 },
		{ 0x05, 200 }, { 0x06, 10 },   { 0x07, 1000 }, { 0x09, 400 }, { 0x0A, 500 },
		{ 0x0B, 20 },  { 0x0C, 7 },    { 0x0D, 150 },  { 0x0F, 4 },   { 0x10, 50 },
		{ 0x11, 20 },  { 0xFF, 2000 },
	};
	static const struct {
		const char *name, *unit;
		double value;
		bool on_1156, on_mpcore;
	} rows[] = {
		{ "bpred_ratio", "%", 95, true, true },
		{ "br_mpki", "misses/1000 insns", 10, true, true },
		{ "cpi", "cycles/insn", 2, true, true },
		{ "dcache_hit_estimate", "%", 95, true, false },
		{ "dcache_miss_ratio", "%", 5, true, false },
		{ "dcache_mpki", "misses/1000 insns", 20, true, false },
		{ "ddep_stall_share", "%", 5, true, true },
		{ "external_per_miss", "accesses/miss", 2.5, true, false },
		{ "ibuf_stall_share", "%", 12.5, true, true },
		{ "icache_mpki", "misses/1000 insns", 40, true, true },
		{ "ipc", "insns/cycle", 0.5, true, true },
		{ "lsu_full_stall_share", "%", 1, true, true },
		{ "noncacheable_share", "%", 20, true, false },
		{ "taken_branch_rate", "%", 15, true, true },
		{ "tlb_mpki", "misses/1000 insns", 4, false, true },
		{ "tlb_walk_rate", "%", 25, false, true },
		{ "writeback_bandwidth", "bytes/s", 39200000, true, false },
		{ "writeback_bytes", "bytes", 112, true, false },
	};
	struct pmk_metrics *all = ours();
	struct pmk_section *s;
	struct pmk_result r;

	(void)state;
	pmk_result_init(&r);
	r.pmu = &pmk_arm1176;
	r.clock_hz = 700e6;
	s = pmk_result_add(&r, NULL, sizeof(counts) / sizeof(counts[0]));
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct pmk_event *ev = pmk_pmu_event_code(r.pmu, counts[i].code);

		s->rows[i] = (struct pmk_row){
			.event = ev, .name = ev->name, .coverage = 1, .value = counts[i].value
		};
	}
	assert_int_equal(pmk_metrics_count(all), sizeof(rows) / sizeof(rows[0]));
	for (unsigned i = 0; i < pmk_metrics_count(all); i++) {
		const struct pmk_metric *m = pmk_metrics_get(all, i);
		struct pmk_metric_value v = pmk_metric_eval(m, &r, s);

		assert_string_equal(m->name, rows[i].name);
		assert_string_equal(m->unit, rows[i].unit);
		if (!v.valid || v.value < rows[i].value - 1e-9 || v.value > rows[i].value + 1e-9)
			fail_msg("%s: %f %s", m->name, v.value, v.valid ? "" : v.reason);
		assert_true(pmk_metric_applies(m, &pmk_arm1136));
		assert_true(pmk_metric_applies(m, &pmk_arm1176));
		assert_int_equal(pmk_metric_applies(m, &pmk_arm1156), rows[i].on_1156);
		assert_int_equal(pmk_metric_applies(m, &pmk_arm11mpcore), rows[i].on_mpcore);
		if (*m->beside)
			assert_ptr_equal(v.beside, pmk_pmu_event(r.pmu, m->beside));
		assert_non_null(strstr(m->text, "DAI 0195B"));
	}
	pmk_result_free(&r);
	pmk_metrics_free(all);
}

/* Bytes that look a little like a metric, always the same ones. Either answer is right. */
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
		cmocka_unit_test(file_tests),	 cmocka_unit_test(override_test),
		cmocka_unit_test(invalid_tests), cmocka_unit_test(shipped_tests),
		cmocka_unit_test(rubbish_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
