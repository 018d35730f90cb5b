// SPDX-License-Identifier: MIT
/*
 * The three writers produce exactly the expected text: for values and missing values, regions,
 * intervals, repeats, processors, facts from firmware, unusual characters, a full disk, and a
 * locale with a decimal comma.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <json.h>
#include <pmk/arm11.h>
#include <pmk/error.h>
#include <pmk/result.h>

#define NO_ETM "the outputs of a trace macrocell are not emulated"

/* ---- what is written ------------------------------------------------------------------------ */

static struct pmk_metrics *metrics;
static const struct pmk_metric *chosen[4];

static int load_metrics(void **state)
{
	const char *dirs[] = { PMK_SOURCE_DATA "/metrics", NULL };
	char msg[512];

	(void)state;
	if (pmk_metrics_load(&metrics, dirs, msg, sizeof(msg)) != 0)
		return -1;
	chosen[0] = pmk_metrics_find(metrics, "cpi");
	chosen[1] = pmk_metrics_find(metrics, "bpred_ratio");
	return chosen[0] && chosen[1] ? 0 : -1;
}

static int free_metrics(void **state)
{
	(void)state;
	pmk_metrics_free(metrics);
	return 0;
}

static struct pmk_row row(unsigned code, const char *name, uint64_t value, enum pmk_trust trust)
{
	return (struct pmk_row){
		.event = pmk_pmu_event_code(&pmk_arm1176, code),
		.name = name,
		.value = value,
		.trust = trust,
		.coverage = 1,
		.runtime_ns = trust == PMK_TRUST_NOT_SUPPORTED ? 0 : 3051144,
	};
}

static void fill(struct pmk_section *s)
{
	s->rows[0] = row(0x07, "instr_exec", 1234567, PMK_TRUST_EXACT);
	s->rows[1] = row(0xFF, "cycles", 2135801, PMK_TRUST_MODELLED);
	s->rows[2] = row(0x20, "etmextout_0", 0, PMK_TRUST_NOT_SUPPORTED);
	s->rows[3] = row(0x21, "etmextout_1", 0, PMK_TRUST_NOT_SUPPORTED);
	s->rows[2].reason = s->rows[3].reason = NO_ETM;
}

static struct pmk_section *make(struct pmk_result *r)
{
	struct pmk_section *s;

	pmk_result_init(r);
	r->pmu = &pmk_arm1176;
	r->core = strdup("arm1176");
	r->command = strdup("./prog a b");
	r->checked = strdup("unchecked");
	r->producer = strdup("qemu-arm 7.2.22");
	r->settings = strdup("");
	r->env = strdup("");
	r->passes = 2;
	r->processes = r->threads = 1;
	r->clock_hz = 700e6;
	r->elapsed = 0.012345678;
	s = pmk_result_add(r, NULL, 4);
	assert_non_null(s);
	fill(s);
	return s;
}

/* Returns the result `r` in this format. The caller must free it. */
static char *written(const struct pmk_result *r, struct pmk_write_options opt)
{
	struct pmk_writer *w;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	w = pmk_writer_begin(f, &opt, r);
	assert_non_null(w);
	for (unsigned i = 0; i < r->nsections; i++)
		assert_int_equal(pmk_writer_section(w, r, &r->sections[i]), 0);
	assert_int_equal(pmk_writer_end(w, r), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void expect(int line, const struct pmk_result *r, struct pmk_write_options opt,
		   const char *golden)
{
	char *text = written(r, opt);

	if (strcmp(text, golden) != 0)
		fail_msg("line %d:\n--- got\n%s--- expected\n%s", line, text, golden);
	free(text);
}

static const struct pmk_write_options text = { .format = PMK_FORMAT_TEXT,
					       .big_num = true,
					       .metrics = chosen };
static const struct pmk_write_options csv = { .format = PMK_FORMAT_CSV,
					      .separator = ",",
					      .metrics = chosen };
static const struct pmk_write_options json = { .format = PMK_FORMAT_JSON, .metrics = chosen };

/* ---- the whole run -------------------------------------------------------------------------- */

#define HOW                                                                                    \
	"\n counted by qemu-arm 7.2.22 as arm1176, 2 counter groups (2 event counters + CCNT " \
	"each); "                                                                              \
	"exact: defined by the instruction stream, modelled: by the core's parameters, "       \
	"cycles unchecked\n"

static void plain_tests(void **state)
{
	struct pmk_write_options semicolon = csv, tab = csv;
	struct pmk_result r;

	(void)state;
	make(&r);
	expect(__LINE__, &r, text,
	       "\n Performance counter stats for './prog a b' on arm1176:\n\n"
	       "         1,234,567      instr_exec               exact     #       1.73  cycles "
	       "per instruction (cpi)\n"
	       "         2,135,801      cycles                   modelled\n"
	       "   <not supported>      etmextout_0\n"
	       "   <not supported>      etmextout_1\n"
	       "                                                           #        n/a  branches "
	       "predicted correctly (bpred_ratio)\n"
	       "\n"
	       " etmextout_0, etmextout_1: " NO_ETM "\n"
	       " bpred_ratio: one of its events was not requested\n" HOW
	       "\n       0.012345678 seconds time elapsed\n\n");
	expect(__LINE__, &r, csv,
	       "1234567,,instr_exec,3051144,100.00,1.730000,cycles/insn  cpi,arm1176,0x07,exact,\n"
	       "2135801,,cycles,3051144,100.00,,,arm1176,0xff,modelled,\n"
	       "<not supported>,,etmextout_0,0,100.00,,,arm1176,0x20,not supported,\n"
	       "<not supported>,,etmextout_1,0,100.00,,,arm1176,0x21,not supported,\n"
	       ",,,,,,%  bpred_ratio,arm1176,,,\n");
	expect(__LINE__, &r, json,
	       "{\"format\":\"pmk-stat\",\"version\":1,\"command\":\"./prog a "
	       "b\",\"pmu\":\"arm1176\",\"core\":\"arm1176\",\"settings\":\"\","
	       "\"env\":\"\",\"environment\":null,\"host-time\":false,\"runs\":1,\n"
	       "\"counters\":[\n"
	       "{\"counter-value\":1234567,\"unit\":\"\",\"event\":\"instr_exec\","
	       "\"event-runtime\":3051144,\"pcnt-running\":100.00,\"metric-value\":1.730000,"
	       "\"metric-unit\":\"cycles/insn  cpi\",\"pmu\":\"arm1176\",\"code\":\"0x07\","
	       "\"trust\":\"exact\",\"reason\":null,\"region\":null},\n"
	       "{\"counter-value\":2135801,\"unit\":\"\",\"event\":\"cycles\","
	       "\"event-runtime\":3051144,\"pcnt-running\":100.00,\"metric-value\":null,"
	       "\"metric-unit\":null,\"pmu\":\"arm1176\",\"code\":\"0xff\",\"trust\":\"modelled\","
	       "\"reason\":null,\"region\":null},\n"
	       "{\"counter-value\":null,\"unit\":\"\",\"event\":\"etmextout_0\","
	       "\"event-runtime\":0,"
	       "\"pcnt-running\":100.00,\"metric-value\":null,\"metric-unit\":null,"
	       "\"pmu\":\"arm1176\","
	       "\"code\":\"0x20\",\"trust\":\"not supported\",\"reason\":\"" NO_ETM "\","
	       "\"region\":null},\n"
	       "{\"counter-value\":null,\"unit\":\"\",\"event\":\"etmextout_1\","
	       "\"event-runtime\":0,"
	       "\"pcnt-running\":100.00,\"metric-value\":null,\"metric-unit\":null,"
	       "\"pmu\":\"arm1176\","
	       "\"code\":\"0x21\",\"trust\":\"not supported\",\"reason\":\"" NO_ETM "\","
	       "\"region\":null}\n"
	       "],\n"
	       "\"metrics\":[\n"
	       "{\"name\":\"cpi\",\"value\":1.730000,\"unit\":\"cycles/insn\",\"reason\":null,"
	       "\"region\":null},\n"
	       "{\"name\":\"bpred_ratio\",\"value\":null,\"unit\":\"%\",\"reason\":\"one of its "
	       "events was not requested\",\"region\":null}\n"
	       "],\n"
	       "\"producer\":\"qemu-arm 7.2.22\",\"passes\":2,\"processes\":1,\"threads\":1,"
	       "\"checked\":\"unchecked\","
	       "\"partial\":false,\"warning\":null,\"note\":null,\"exit-status\":0}\n");

	semicolon.metrics = tab.metrics = NULL;
	semicolon.separator = ";;";
	tab.separator = " ";
	r.sections[0].nrows = 3;
	expect(__LINE__, &r, semicolon,
	       "1234567;;;;instr_exec;;3051144;;100.00;;;;;;arm1176;;0x07;;exact;;\n"
	       "2135801;;;;cycles;;3051144;;100.00;;;;;;arm1176;;0xff;;modelled;;\n"
	       "<not supported>;;;;etmextout_0;;0;;100.00;;;;;;arm1176;;0x20;;not supported;;\n");
	expect(__LINE__, &r, tab,
	       "1234567  instr_exec 3051144 100.00   arm1176 0x07 exact \n"
	       "2135801  cycles 3051144 100.00   arm1176 0xff modelled \n"
	       "\"<not supported>\"  etmextout_0 0 100.00   arm1176 0x20 \"not supported\" \n");
	pmk_result_free(&r);
}

/* ---- regions, repeats, what cannot be trusted ----------------------------------------------- */

static void make_regions(struct pmk_result *r)
{
	struct pmk_section *s = make(r);

	s->nrows = 3;
	s->rows[0].stddev_pct = 0.5;
	s = pmk_result_add(r, "quick,sort", 4);
	assert_non_null(s);
	fill(s);
	s->entries = 1;
	s->rows[0].trust = PMK_TRUST_WRAPPED;
	s->rows[1].trust = PMK_TRUST_SCALED;
	s->rows[1].coverage = 0.5;
	s->rows[2].trust = PMK_TRUST_NOT_COUNTED;
	s->nrows = 3;
	r->runs = 3;
	r->passes = 2;
	r->elapsed = 0;
	r->partial = true;
	r->exit_status = 9; /* a wait status: killed by signal 9 */
	r->processes = 2;
	r->threads = 5;
	free(r->settings);
	r->settings = strdup("dcache.size=32K");
	r->warning = strdup("one\ntwo");
}

static void region_tests(void **state)
{
	struct pmk_write_options plain = text;
	struct pmk_result r;
	char *got;

	(void)state;
	make_regions(&r);
	plain.metrics = NULL;
	plain.big_num = false;
	expect(__LINE__, &r, plain,
	       "\n Performance counter stats for './prog a b' on arm1176 (3 runs):\n\n"
	       "           1234567      instr_exec               exact     ( +-  0.50% )\n"
	       "           2135801      cycles                   modelled  ( +-  0.00% )\n"
	       "   <not supported>      etmextout_0\n"
	       "\n Region 'quick,sort', entered 1 time:\n\n"
	       "           1234567      instr_exec               wrapped\n"
	       "           2135801      cycles                   scaled    (50.00%)\n"
	       "     <not counted>      etmextout_0\n"
	       "\n identical in all 3 runs\n"
	       "\n etmextout_0: " NO_ETM "\n"
	       "\n counted by qemu-arm 7.2.22 as arm1176 with dcache.size=32K, 2 counter groups "
	       "taking turns (2 event counters + CCNT each); exact: defined by the "
	       "instruction stream, "
	       "modelled: by the core's parameters, cycles unchecked, "
	       "scaled: extrapolated from the share of time "
	       "it was counted, wrapped: a counter overflowed and part was missed, the true value "
	       "is larger\n"
	       " 2 processes, 5 threads\n"
	       "\n warning: one\n warning: two\n\n");
	expect(__LINE__, &r, csv,
	       "1234567,,instr_exec,0.50%,3051144,100.00,1.730000,cycles/insn  "
	       "cpi,arm1176,0x07,exact,\n"
	       "2135801,,cycles,0.00%,3051144,100.00,,,arm1176,0xff,modelled,\n"
	       "<not supported>,,etmextout_0,0.00%,0,100.00,,,arm1176,0x20,not supported,\n"
	       ",,,,,,,%  bpred_ratio,arm1176,,,\n"
	       "1234567,,instr_exec,0.00%,3051144,100.00,,cycles/insn  cpi,arm1176,0x07,wrapped,"
	       "\"quick,sort\"\n"
	       "2135801,,cycles,0.00%,3051144,50.00,,,arm1176,0xff,scaled,\"quick,sort\"\n"
	       "<not counted>,,etmextout_0,0.00%,0,100.00,,,arm1176,0x20,not "
	       "counted,\"quick,sort\"\n"
	       ",,,,,,,%  bpred_ratio,arm1176,,,\"quick,sort\"\n"
	       "# warning: one\n# warning: two\n");
	got = written(&r, json);
	assert_non_null(
		strstr(got, "\"event\":\"instr_exec\",\"variance\":0.50,\"event-runtime\""));
	assert_non_null(strstr(got, "\"region\":\"quick,sort\",\"entries\":1}"));
	assert_non_null(strstr(got, "\"trust\":\"not counted\",\"reason\":\"" NO_ETM "\""));
	assert_non_null(strstr(got,
			       "\"value\":null,\"unit\":\"cycles/insn\",\"reason\":\"a counter "
			       "wrapped unnoticed\""));
	assert_non_null(strstr(
		got,
		"\"partial\":true,\"warning\":\"one\\ntwo\",\"note\":null,\"exit-status\":137}"));
	free(got);
	pmk_result_free(&r);
}

/* ---- intervals and processors --------------------------------------------------------------- */

static void interval_tests(void **state)
{
	struct pmk_write_options no_metrics = text;
	struct pmk_result r;
	struct pmk_section *s;
	char *got;

	(void)state;
	no_metrics.metrics = NULL;
	s = make(&r);
	s->nrows = 1;
	s->interval = true;
	s->at_seconds = 0.001;
	s->at_cycles = 700000;
	s->at_insns = 300000;
	s = pmk_result_add(&r, NULL, 4);
	fill(s);
	s->nrows = 1;
	s->interval = true;
	s->at_seconds = 1.5;
	free(r.producer);
	r.producer = NULL;
	r.elapsed = 0;
	expect(__LINE__, &r, no_metrics,
	       "\n Performance counter stats for './prog a b' on arm1176:\n\n"
	       "#           time             counts      events\n"
	       "     0.001000000          1,234,567      instr_exec               exact\n"
	       "     1.500000000          1,234,567      instr_exec               exact\n\n");
	expect(__LINE__, &r, csv,
	       "0.001000000,1234567,,instr_exec,3051144,100.00,,cycles/insn  "
	       "cpi,arm1176,0x07,exact,\n"
	       "0.001000000,,,,,,,%  bpred_ratio,arm1176,,,\n"
	       "1.500000000,1234567,,instr_exec,3051144,100.00,,cycles/insn  "
	       "cpi,arm1176,0x07,exact,\n"
	       "1.500000000,,,,,,,%  bpred_ratio,arm1176,,,\n");
	got = written(&r, json);
	assert_non_null(strstr(got, "\"interval\":{\"seconds\":0.001000000,\"cycles\":700000,"
				    "\"instructions\":300000}}"));
	free(got);
	pmk_result_free(&r);

	s = make(&r);
	s->nrows = 1;
	s->cpu = 0;
	s = pmk_result_add(&r, NULL, 4);
	fill(s);
	s->nrows = 1;
	s->cpu = 11;
	free(r.producer);
	r.producer = NULL;
	r.elapsed = 0;
	expect(__LINE__, &r, no_metrics,
	       "\n Performance counter stats for './prog a b' on arm1176:\n\n"
	       "CPU0              1,234,567      instr_exec               exact\n"
	       "CPU11             1,234,567      instr_exec               exact\n\n");
	got = written(&r, csv);
	assert_non_null(strstr(got, "\nCPU11,1234567,,instr_exec,"));
	free(got);
	got = written(&r, json);
	assert_non_null(strstr(got, "\"cpu\":11}"));
	free(got);
	pmk_result_free(&r);
}

/* ---- firmware: distributions, dumps, profiles ----------------------------------------------- */

#define SAMPLED "its counter is reset"

/* Adds a distribution of two occurrences of 10 and 21, and the cost of measuring them. */
static void spread(struct pmk_row *row)
{
	row->has_dist = true;
	row->dist = (struct pmk_distribution){
		.values = { 2, 31, 541, 0, 10, 21 },
		.raw = 1049,
		.cost = 9,
		.nested = 1000,
	};
}

static void add_firmware_region(struct pmk_result *r, const char *name, unsigned id,
				unsigned entries)
{
	struct pmk_section *s = pmk_result_add(r, name, 2);

	assert_non_null(s);
	s->dump = 1;
	s->region_id = id;
	s->entries = entries;
	s->unmatched = 3 * id;
	s->rows[0] = row(0xFF, "cpu_cycles", 31, PMK_TRUST_MEASURED);
	spread(&s->rows[0]);
	s->rows[0].dist.values.n = entries;
	s->rows[1] = row(0x07, "instr_exec", 0, PMK_TRUST_NOT_COUNTED);
	s->rows[1].reason = "it breaks off";
}

/* Makes a result of firmware: the whole run, a region, a region that was never completed, and the
 * facts of the dump. */
static void make_firmware(struct pmk_result *r)
{
	struct pmk_dump_facts *facts;
	struct pmk_section *s = make(r);

	s->dump = 1;
	s->nrows = 2;
	s->rows[0] = row(0xFF, "cpu_cycles", 1234567, PMK_TRUST_MEASURED);
	s->rows[1] = row(0x07, "instr_exec", 700, PMK_TRUST_WRAPPED);
	s->rows[1].period = 1000;
	s->rows[1].reason = SAMPLED;
	add_firmware_region(r, "f,t", 0, 2);
	add_firmware_region(r, "irq", 1, 0);
	add_firmware_region(r, "usb", 2, 0);
	facts = pmk_result_add_dump(r);
	assert_non_null(facts);
	*facts = (struct pmk_dump_facts){ .offset = 5,
					  .version = 1,
					  .crlf = true,
					  .regions = 3,
					  .samples = 4,
					  .late = 1,
					  .sampled = true,
					  .dropped = 6 };
	facts->pmu = strdup("arm1176");
	facts = pmk_result_add_dump(r);
	assert_non_null(facts);
	facts->pmu = strdup("zork");
	facts->reason = strdup("breaks off");
	pmk_result_warn(r, "%s %d", "one", 1);
	pmk_result_warn(r, "two");
	r->passes = 1;
	r->elapsed = 0;
}

static char *written_with_profile(const struct pmk_result *r, struct pmk_write_options opt)
{
	char function[] = "memcpy", region[] = "f,t";
	struct pmk_profile_row rows[] = {
		{ function, true, 0x8000, NULL, 2, 0 },
		{ NULL, true, 0x10, region, 1, 1 },
		{ NULL, false, 0, NULL, 1, 0 },
	};
	const struct pmk_profile p = {
		.dump = 1,
		.event = pmk_pmu_event_code(&pmk_arm1176, 0x07),
		.pmu = &pmk_arm1176,
		.period = 1000,
		.samples = 4,
		.rows = rows,
		.nrows = 3,
	};
	const struct pmk_profile none = { .event = p.event, .pmu = p.pmu };
	struct pmk_writer *w;
	char *got = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&got, &size);

	opt.firmware = true;
	opt.metrics = NULL;
	assert_non_null(f);
	w = pmk_writer_begin(f, &opt, r);
	assert_non_null(w);
	for (unsigned i = 0; i < r->nsections; i++)
		assert_int_equal(pmk_writer_section(w, r, &r->sections[i]), 0);
	assert_int_equal(pmk_writer_profile(w, r, &p), 0);
	assert_int_equal(pmk_writer_profile(w, r, &none), 0);
	assert_int_equal(pmk_writer_end(w, r), 0);
	assert_int_equal(fclose(f), 0);
	return got;
}

static void firmware_text_test(void **state)
{
	struct pmk_result r;
	char *got;

	(void)state;
	make_firmware(&r);
	got = written_with_profile(&r, text);
	assert_string_equal(
		got,
		"\n Performance counter stats for './prog a b' on arm1176:\n\n"
		"         1,234,567      cpu_cycles               measured\n"
		"               700      instr_exec               wrapped\n"
		"\n Region 'f,t', entered 2 times:\n\n"
		"                31      cpu_cycles               measured\n"
		"     <not counted>      instr_exec\n"
		"\n   event       net total   mean  stddev  min  max  raw total  own cost  nested\n"
		"   cpu_cycles         31  15.50    7.78   10   21      1,049         9   1,000\n"
		"   instr_exec          -      -       -    -    -          -         -       -\n"
		"\n never completed: irq (begins or ends without a partner or without readable "
		"counters: 3), usb (begins or ends without a partner or without readable "
		"counters: 6)\n"
		"\n Samples of instr_exec, one every 1,000: 4\n"
		"\n     share     samples  function    region\n"
		"    50.00%           2  memcpy      -\n"
		"    25.00%           1  0x00000010  f,t\n"
		"    25.00%           1  (polled)    -\n"
		"\n Samples of instr_exec: 0\n"
		"\n instr_exec: " SAMPLED "\n instr_exec: it breaks off\n"
		"\n counted by qemu-arm 7.2.22 as arm1176, 1 counter group (2 event counters + "
		"CCNT); measured: on the machine itself, or in a dump of its signals, wrapped: "
		"a counter "
		"overflowed and part was missed, the true value is larger\n"
		"\n warning: one 1\n warning: two\n\n");
	free(got);
	pmk_result_free(&r);
}

static void firmware_csv_test(void **state)
{
	struct pmk_result r;
	char *got;

	(void)state;
	make_firmware(&r);
	pmk_result_drop(&r); /* usb */
	got = written_with_profile(&r, csv);
	assert_string_equal(
		got, "1234567,,cpu_cycles,3051144,100.00,,,arm1176,0xff,measured,,"
		     "1,,,,,,,,,,,,,,,,\n"
		     "700,,instr_exec,3051144,100.00,,,arm1176,0x07,wrapped,,"
		     "1,,,,1000,,,,,,,,,,,,\n"
		     "31,,cpu_cycles,3051144,100.00,,,arm1176,0xff,measured,\"f,t\","
		     "1,0,2,0,,9,1000,1049,15.500,7.778,10,21,,,,,\n"
		     "<not counted>,,instr_exec,3051144,100.00,,,arm1176,0x07,not counted,\"f,t\","
		     "1,0,2,0,,,,,,,,,,,,,\n"
		     "31,,cpu_cycles,3051144,100.00,,,arm1176,0xff,measured,irq,"
		     "1,1,0,3,,9,1000,1049,,,,,,,,,\n"
		     "<not counted>,,instr_exec,3051144,100.00,,,arm1176,0x07,not counted,irq,"
		     "1,1,0,3,,,,,,,,,,,,,\n"
		     ",,instr_exec,,,,,arm1176,0x07,,,1,,,,,,,,,,,,2,50.00,0,memcpy,0x00008000\n"
		     ",,instr_exec,,,,,arm1176,0x07,,\"f,t\",1,,,,,,,,,,,,1,25.00,1,,0x00000010\n"
		     ",,instr_exec,,,,,arm1176,0x07,,,1,,,,,,,,,,,,1,25.00,0,,\n"
		     "# warning: one 1\n# warning: two\n");
	free(got);
	pmk_result_free(&r);
}

static void firmware_json_test(void **state)
{
	struct pmk_result r;
	json_object *doc;
	char *got;

	(void)state;
	make_firmware(&r);
	got = written_with_profile(&r, json);
	doc = json_tokener_parse(got);
	assert_non_null(doc);
	json_object_put(doc);
	assert_non_null(strstr(got, "\"trust\":\"wrapped\",\"reason\":\"" SAMPLED
				    "\",\"region\":null,\"dump\":1,\"region-id\":null,"
				    "\"unmatched\":null,\"period\":1000,\"cost\":null,"
				    "\"nested\":null,\"raw\":null,\"mean\":null,\"stddev\":null,"
				    "\"min\":null,\"max\":null},\n"));
	assert_non_null(strstr(got, "\"region\":\"f,t\",\"entries\":2,\"dump\":1,\"region-id\":0,"
				    "\"unmatched\":0,\"period\":null,\"cost\":9,\"nested\":1000,"
				    "\"raw\":1049,\"mean\":15.500,\"stddev\":7.778,\"min\":10,"
				    "\"max\":21},\n"));
	assert_non_null(strstr(got, "\"region\":\"irq\",\"entries\":0,\"dump\":1,\"region-id\":1,"
				    "\"unmatched\":3,\"period\":null,\"cost\":9,\"nested\":1000,"
				    "\"raw\":1049,\"mean\":null,\"stddev\":null,\"min\":null,"
				    "\"max\":null},\n"));
	assert_non_null(strstr(
		got, "\"warning\":\"one 1\\ntwo\",\"note\":null,\"exit-status\":0,\n"
		     "\"dumps\":[\n"
		     "{\"dump\":1,\"offset\":5,\"version\":1,\"pmu\":\"arm1176\",\"complete\":true,"
		     "\"reason\":null,\"crlf\":true,\"regions\":3,\"samples\":4,\"late\":1,"
		     "\"dropped\":6},\n"
		     "{\"dump\":2,\"offset\":0,\"version\":0,\"pmu\":\"zork\",\"complete\":false,"
		     "\"reason\":\"breaks off\",\"crlf\":false,\"regions\":0,\"samples\":0,"
		     "\"late\":0,\"dropped\":null}\n"
		     "],\n"
		     "\"profile\":[\n"
		     "{\"dump\":1,\"event\":\"instr_exec\",\"code\":\"0x07\",\"samples\":2,"
		     "\"share\":50.00,\"late\":0,\"function\":\"memcpy\","
		     "\"address\":\"0x00008000\",\"region\":null},\n"
		     "{\"dump\":1,\"event\":\"instr_exec\",\"code\":\"0x07\",\"samples\":1,"
		     "\"share\":25.00,\"late\":1,\"function\":null,"
		     "\"address\":\"0x00000010\",\"region\":\"f,t\"},\n"
		     "{\"dump\":1,\"event\":\"instr_exec\",\"code\":\"0x07\",\"samples\":1,"
		     "\"share\":25.00,\"late\":0,\"function\":null,\"address\":null,"
		     "\"region\":null}\n"
		     "]}\n"));
	free(got);
	/* Without a request, the document has no profile. */
	got = written(&r, json);
	assert_null(strstr(got, "\"dump"));
	assert_null(strstr(got, "\"profile\""));
	free(got);
	got = written(&r, csv);
	assert_non_null(strstr(got, ",measured,\"f,t\"\n"));
	free(got);
	pmk_result_free(&r);
}

/* Tests numbers that are too large for decimals, and a metric of a lower bound. */
static void firmware_odd_test(void **state)
{
	static const struct pmk_metric *cpi[2];
	struct pmk_write_options detailed = json;
	struct pmk_result r;
	struct pmk_section *s;
	char *got;

	(void)state;
	s = make(&r);
	cpi[0] = chosen[0];
	detailed.metrics = cpi;
	detailed.firmware = true;
	s->dump = 7;
	s->nrows = 2;
	s->rows[0].trust = PMK_TRUST_WRAPPED;
	s->rows[0].reason = SAMPLED;
	spread(&s->rows[1]);
	s->rows[1].dist.values =
		(struct pmk_stats){ 1, UINT64_MAX, 1, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX };
	got = written(&r, detailed);
	assert_non_null(strstr(got, "\"mean\":18446744073709551615,\"stddev\":null,"
				    "\"min\":18446744073709551615,\"max\":18446744073709551615}"));
	assert_non_null(strstr(got, "{\"name\":\"cpi\",\"value\":null,\"unit\":\"cycles/insn\","
				    "\"reason\":\"" SAMPLED "\",\"region\":null,\"dump\":7}"));
	free(got);
	s->nrows = 0;
	s->dump = 0;
	got = written(&r, text);
	assert_non_null(strstr(got, "\n no events\n"));
	free(got);
	pmk_result_free(&r);
}

/* ---- odd values ----------------------------------------------------------------------------- */

static void odd_tests(void **state)
{
	struct pmk_result r;
	struct pmk_section *s;
	json_object *doc;
	char *got;

	(void)state;
	s = make(&r);
	s->rows[0].value = UINT64_MAX;
	s->rows[1].value = 0;
	s->region = strdup("a\"b\nc");
	free(r.command);
	r.command = strdup("./it's \xff \xc3\xa9 \xe2\x82 \"x\"");
	got = written(&r, text);
	assert_non_null(strstr(got, " for ./it's \\xff"));
	assert_non_null(strstr(got, "18,446,744,073,709,551,615      instr_exec"));
	assert_non_null(strstr(got, "\n                 0      cycles"));
	free(got);
	got = written(&r, csv);
	assert_non_null(strstr(got, "18446744073709551615,,instr_exec"));
	assert_non_null(strstr(got, ",exact,\"a\"\"b\\x0ac\"\n"));
	free(got);
	got = written(&r, json);
	assert_non_null(strstr(got,
			       "\"command\":\"./it's \xEF\xBF\xBD \xc3\xa9 \xEF\xBF\xBD\xEF\xBF\xBD"
			       " \\\"x\\\"\""));
	assert_non_null(strstr(got, "\"counter-value\":18446744073709551615,"));
	doc = json_tokener_parse(got);
	assert_non_null(doc);
	json_object_put(doc);
	free(got);
	pmk_result_free(&r);
}

/* If only begin and end are called, the document is still closed. */
static void empty_tests(void **state)
{
	struct pmk_result r;
	json_object *doc, *counters;
	char *got;

	(void)state;
	make(&r);
	r.nsections = 0;
	got = written(&r, json);
	doc = json_tokener_parse(got);
	assert_non_null(doc);
	assert_true(json_object_object_get_ex(doc, "counters", &counters));
	assert_int_equal(json_object_array_length(counters), 0);
	json_object_put(doc);
	free(got);
	got = written(&r, csv);
	assert_string_equal(got, "");
	free(got);
	got = written(&r, text);
	assert_non_null(strstr(got, "counted by qemu-arm"));
	free(got);
	r.nsections = 1;
	pmk_result_free(&r);
}

static void repeat_tests(void **state)
{
	const struct pmk_write_options *all[] = { &text, &csv, &json };
	struct pmk_result r;

	(void)state;
	make_regions(&r);
	for (unsigned i = 0; i < 3; i++) {
		char *first = written(&r, *all[i]), *second;

		r.elapsed = i == 0 ? 0 : 99; /* only in the text format */
		second = written(&r, *all[i]);
		assert_string_equal(first, second);
		free(first);
		free(second);
	}
	pmk_result_free(&r);
}

/* ---- surroundings --------------------------------------------------------------------------- */

static void full_disk_test(void **state)
{
	const struct pmk_write_options *all[] = { &text, &csv, &json };
	struct pmk_result r;

	(void)state;
	make(&r);
	for (unsigned i = 0; i < 3; i++) {
		FILE *f = fopen("/dev/full", "w");
		struct pmk_writer *w;

		if (!f)
			skip();
		w = pmk_writer_begin(f, all[i], &r);
		assert_non_null(w);
		assert_int_equal(pmk_writer_section(w, &r, &r.sections[0]), PMK_EIO);
		assert_int_equal(pmk_writer_end(w, &r), PMK_EIO);
		fclose(f);
	}
	pmk_result_free(&r);
}

/*
 * Makes a locale with a decimal comma in a folder of its own, because few machines have one
 * installed. The locale has only the comma, because compiling a complete language takes seconds.
 */
static void use_decimal_comma(char *folder, size_t size)
{
	char path[64], command[200];
	static const char comma[] = "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
				    "grouping 3;3\nEND LC_NUMERIC\n";
	FILE *source;

	snprintf(folder, size, "/tmp/pmk-locale-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/source", folder);
	source = fopen(path, "w");
	assert_non_null(source);
	fputs(comma, source);
	assert_int_equal(fclose(source), 0);
	snprintf(command, sizeof(command),
		 "localedef -c -i %s -f UTF-8 %s/comma.UTF-8 >%s/log 2>&1", path, folder, folder);
	/* localedef makes the locale, and complains that everything else is missing. */
	if (system(command) < 0)
		fail_msg("%s cannot be run", command);
	setenv("LOCPATH", folder, 1);
	if (!setlocale(LC_NUMERIC, "comma.UTF-8"))
		fail_msg("'%s' failed (Debian: apt install locales)", command);
	/* While LOCPATH is set, newlocale() of glibc leaks memory; json-c calls it. */
	unsetenv("LOCPATH");
}

/* All formats use decimal points, and afterwards the program's own locale is set again. */
static void locale_test(void **state)
{
	struct pmk_result r;
	char *before[3], *after[3], number[16], folder[32], command[64];
	const struct pmk_write_options *all[] = { &text, &csv, &json };

	(void)state;
	make_regions(&r);
	for (unsigned i = 0; i < 3; i++)
		before[i] = written(&r, *all[i]);
	use_decimal_comma(folder, sizeof(folder));
	for (unsigned i = 0; i < 3; i++) {
		after[i] = written(&r, *all[i]);
		assert_string_equal(before[i], after[i]);
		free(before[i]);
		free(after[i]);
	}
	pmk_result_free(&r);
	snprintf(number, sizeof(number), "%.1f", 1.5);
	setlocale(LC_ALL, "C");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	assert_string_equal(number, "1,5");
}

static void trust_tests(void **state)
{
	(void)state;
	assert_string_equal(pmk_trust_name(PMK_TRUST_EXACT), "exact");
	assert_string_equal(pmk_trust_name(PMK_TRUST_WRAPPED), "wrapped");
	assert_string_equal(pmk_trust_name(PMK_TRUST_NOT_COUNTED), "not counted");
	assert_string_equal(pmk_trust_name((enum pmk_trust)99), "unknown");
	assert_true(pmk_trust_has_value(PMK_TRUST_SCALED));
	assert_false(pmk_trust_has_value(PMK_TRUST_NOT_SUPPORTED));
	assert_false(pmk_trust_has_value(PMK_TRUST_NOT_COUNTED));
}

/* ---- latencies ------------------------------------------------------------------------------ */

static const struct pmk_event timed_events[] = {
	{ .code = 0, .name = "insn_executed", .cores = 1, .signal = PMK_SIG_INSN },
	{ .code = 60, .name = "icache_read_latency", .cores = 1, .latency = true },
	{ .code = 61, .name = "mmu_lookup_latency", .cores = 1, .latency = true },
	{ .code = 62, .name = "axi_dp_read_latency", .cores = 1, .latency = true },
};
static const struct pmk_counter timed_counters[] = {
	{ .name = "EVENT0", .width = 32, .fixed_code = -1 },
	{ .name = "LATENCY0", .width = 32, .fixed_code = -1, .extreme_width = 16 },
};
static const struct pmk_pmu timed_pmu = {
	.name = "timed",
	.events = timed_events,
	.nevents = 4,
	.core = 1,
	.counters = timed_counters,
	.ncounters = 2,
};

static void make_timed(struct pmk_result *r)
{
	struct pmk_section *s;

	make(r);
	r->pmu = &timed_pmu;
	pmk_result_drop(r);
	s = pmk_result_add(r, NULL, 4);
	assert_non_null(s);
	for (unsigned i = 0; i < 4; i++)
		s->rows[i] = (struct pmk_row){ .event = &timed_events[i],
					       .name = timed_events[i].name,
					       .value = 1000,
					       .trust = PMK_TRUST_MODELLED,
					       .coverage = 1 };
	/* 2, 4, 4, 4, 5, 5, 7, 9 */
	s->rows[1].value = 8;
	s->rows[1].has_dist = true;
	s->rows[1].dist = (struct pmk_distribution){
		.values = { .n = 8, .sum = 40, .sq_low = 232, .min = 2, .max = 9 },
		.latency = true,
	};
	/* The longest latency may have been longer than the counter shows, and some overlapped. */
	s->rows[2].value = 2;
	s->rows[2].has_dist = true;
	s->rows[2].dist = (struct pmk_distribution){
		.values = { .n = 2,
			    .sum = 131068,
			    .sq_low = 8589410314,
			    .min = 65533,
			    .max = 65535 },
		.latency = true,
		.saturated = true,
		.full = true,
	};
	s->rows[2].reason = "occurrences overlapped: the latencies are less accurate";
	/* A part of a run has unknown extremes. */
	s->rows[3].value = 1;
	s->rows[3].has_dist = true;
	s->rows[3].dist = (struct pmk_distribution){
		.values = { .n = 1, .sum = 20, .sq_low = 400, .min = UINT64_MAX },
		.latency = true,
	};
}

static void latency_tests(void **state)
{
	static const char *const lines[] = {
		"\n   latency in cycles    count       mean  stddev     min       max\n",
		"\n   icache_read_latency      8       5.00    2.00       2         9\n",
		"\n   mmu_lookup_latency       2  65,534.00    1.00  65,533  >=65,535\n",
		"\n   axi_dp_read_latency      1      20.00    0.00       -         -\n",
		"(1 event counter + 1 latency counter each)",
	};
	struct pmk_write_options plain = csv;
	struct pmk_result r;
	char *got;

	(void)state;
	make_timed(&r);
	plain.metrics = NULL;
	got = written(&r, text);
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(got, lines[i]))
			fail_msg("no %s in\n%s", lines[i], got);
	free(got);
	expect(__LINE__, &r, plain,
	       "1000,,insn_executed,0,100.00,,,timed,0x00,modelled,,,,,,,\n"
	       "8,,icache_read_latency,0,100.00,,,timed,0x3c,modelled,,40,5.000,2.000,2,9,232\n"
	       "2,,mmu_lookup_latency,0,100.00,,,timed,0x3d,modelled,,131068,65534.000,"
	       "1.000,65533,65535,8589410314\n"
	       "1,,axi_dp_read_latency,0,100.00,,,timed,0x3e,modelled,,20,20.000,0.000,,,400\n");
	got = written(&r, json);
	assert_non_null(strstr(got, "\"latency\":null"));
	assert_non_null(strstr(got, "\"latency\":{\"sum\":40,\"mean\":5.000,\"stddev\":2.000,"
				    "\"min\":2,\"max\":9,\"sum-of-squares\":232,"
				    "\"overlapped\":false,"
				    "\"saturated\":false}"));
	assert_non_null(strstr(got, "\"latency\":{\"sum\":20,\"mean\":20.000,\"stddev\":0.000,"
				    "\"min\":null,\"max\":null,\"sum-of-squares\":400,"
				    "\"overlapped\":false,"
				    "\"saturated\":false}"));
	free(got);
	pmk_result_free(&r);
}

/* Sums of squares have 128 bits. For several runs, their mean is shown, rounded. */
static void square_tests(void **state)
{
	static const struct {
		int line;
		uint64_t high, low;
		unsigned runs;
		const char *text;
	} rows[] = {
		{ __LINE__, 0, 0, 1, ",0\n" },
		{ __LINE__, 0, 232, 1, ",232\n" },
		{ __LINE__, 0, 7, 2, ",4\n" },
		{ __LINE__, 0, 7, 3, ",2\n" },
		{ __LINE__, 0, 8, 3, ",3\n" },
		{ __LINE__, 1, 0, 1, ",18446744073709551616\n" },
		{ __LINE__, 1, UINT64_MAX, 2, ",18446744073709551616\n" },
		{ __LINE__, UINT64_MAX, UINT64_MAX, 1,
		  ",340282366920938463463374607431768211455\n" },
	};
	struct pmk_write_options plain = csv;
	struct pmk_result r;

	(void)state;
	plain.metrics = NULL;
	make_timed(&r);
	r.sections[0].nrows = 2;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t size, part = strlen(rows[i].text);
		char *got;

		r.runs = rows[i].runs;
		r.sections[0].rows[1].dist.values.sq_high = rows[i].high;
		r.sections[0].rows[1].dist.values.sq_low = rows[i].low;
		got = written(&r, plain);
		size = strlen(got);
		if (size < part || strcmp(got + size - part, rows[i].text) != 0)
			fail_msg("line %d: no %s in\n%s", rows[i].line, rows[i].text, got);
		free(got);
	}
	pmk_result_free(&r);
}

/* ---- units ---------------------------------------------------------------------------------- */

/* Like perf, the formats show times in milliseconds, and multiply values that have a scale. */
static void unit_tests(void **state)
{
	static const struct {
		int line;
		const char *unit;
		uint64_t value;
		const char *text, *csv;
	} rows[] = {
		{ __LINE__, NULL, 1234567, "         1,234,567      e ", "1234567,,e," },
		{ __LINE__, "", 7, "                 7      e ", "7,,e," },
		{ __LINE__, "bytes", 7, "                 7 bytes e ", "7,bytes,e," },
		{ __LINE__, "ns", 42728991, "             42.73 msec e ", "42.728991,msec,e," },
		{ __LINE__, "ns", 4999, "              0.00 msec e ", "0.004999,msec,e," },
		{ __LINE__, "ns", 5000, "              0.01 msec e ", "0.005000,msec,e," },
		{ __LINE__, "ns", UINT64_MAX, "18,446,744,073,709.55 msec e ",
		  "18446744073709.551615,msec,e," },
		{ __LINE__, "0.25 MiB", 9, "              2.25 MiB  e ", "2.250000,MiB,e," },
		{ __LINE__, "6.1e-5 MiB", 1000000, "             61.00 MiB  e ",
		  "61.000000,MiB,e," },
		{ __LINE__, "64", 3, "            192.00      e ", "192.000000,,e," },
	};
	struct pmk_write_options plain = csv;
	struct pmk_result r;

	(void)state;
	plain.metrics = NULL;
	make(&r);
	r.sections[0].nrows = 1;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *as_text, *as_csv;

		r.sections[0].rows[0] = row(0, "e", rows[i].value, PMK_TRUST_MEASURED);
		r.sections[0].rows[0].unit = rows[i].unit;
		as_text = written(&r, text);
		as_csv = written(&r, plain);
		if (!strstr(as_text, rows[i].text))
			fail_msg("line %d: no %s in\n%s", rows[i].line, rows[i].text, as_text);
		if (strncmp(as_csv, rows[i].csv, strlen(rows[i].csv)) != 0)
			fail_msg("line %d: no %s in\n%s", rows[i].line, rows[i].csv, as_csv);
		free(as_text);
		free(as_csv);
	}
	r.has_cpu_time = true;
	r.user = 0.041026;
	r.sys = 0.25;
	{
		char *got = written(&r, text);

		assert_non_null(strstr(got, "\n       0.012345678 seconds time elapsed\n"
					    "\n       0.041026000 seconds user\n"
					    "       0.250000000 seconds sys\n\n"));
		free(got);
	}
	pmk_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_tests),	     cmocka_unit_test(region_tests),
		cmocka_unit_test(interval_tests),    cmocka_unit_test(odd_tests),
		cmocka_unit_test(empty_tests),	     cmocka_unit_test(repeat_tests),
		cmocka_unit_test(full_disk_test),    cmocka_unit_test(locale_test),
		cmocka_unit_test(trust_tests),	     cmocka_unit_test(firmware_text_test),
		cmocka_unit_test(firmware_csv_test), cmocka_unit_test(firmware_json_test),
		cmocka_unit_test(firmware_odd_test), cmocka_unit_test(latency_tests),
		cmocka_unit_test(square_tests),	     cmocka_unit_test(unit_tests),
	};

	return cmocka_run_group_tests(tests, load_metrics, free_metrics);
}
