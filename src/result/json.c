// SPDX-License-Identifier: MIT
/*
 * perf's -j keys in one document (docs/FORMATS.md):
 *
 *	{"format":"pmk-stat","version":1,"command":…,"pmu":…,"core":…,"settings":…,"env":…,"runs":…,
 *	"counters":[
 *	{…},
 *	{…}
 *	],
 *	"metrics":[
 *	{…}
 *	],
 *	"producer":…,"passes":…,"processes":…,"threads":…,"partial":…,"warning":…,"exit-status":…}
 *
 * Every counter is written on a line of its own when its section comes, so that a reader can follow
 * a run. Metrics are kept until the counters are over. Elapsed time is left out: the same run gives
 * the same bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <json.h>
#include <pmk/error.h>

#include "result/internal.h"

struct state {
	unsigned ncounters;
	char *metrics; /* the lines of "metrics", in an open memory stream */
	size_t metrics_size;
	FILE *metrics_file;
	unsigned nmetrics;
};

/* ---- values --------------------------------------------------------------------------------- */

/* Length of the UTF-8 character at `s`, 0 if it is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80			 ? 1
		   : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
		   : (s[0] & 0xF0) == 0xE0	 ? 3
		   : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
						 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
	    (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
		return 0;
	return n;
}

/* A string, or null. A command line is bytes and JSON is UTF-8: what is not becomes U+FFFD. */
static json_object *string(const char *text)
{
	const unsigned char *in = (const unsigned char *)text;
	json_object *o;
	char *clean, *out;

	if (!text)
		return NULL;
	clean = out = malloc(strlen(text) * 3 + 1);
	if (!clean)
		return NULL;
	while (*in) {
		size_t n = utf8_length(in);

		memcpy(out, n ? (const char *)in : "\xEF\xBF\xBD", n ? n : 3);
		out += n ? n : 3;
		in += n ? n : 1;
	}
	*out = '\0';
	o = json_object_new_string(clean);
	free(clean);
	return o;
}

/* With a fixed number of decimals: what is printed does not depend on json-c's version. */
static json_object *decimal(double v, int decimals)
{
	char text[400];

	if (!isfinite(v))
		return NULL;
	snprintf(text, sizeof(text), "%.*f", decimals, v);
	return json_object_new_double_s(v, text);
}

static void add(json_object *o, const char *key, json_object *value)
{
	json_object_object_add(o, key, value);
}

static const char *serialise(json_object *o)
{
	return json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							 JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* Write the members of `o` without the braces around them; frees it. */
static void put_members(FILE *f, json_object *o)
{
	const char *text = serialise(o);

	fprintf(f, "%.*s", (int)strlen(text) - 2, text + 1);
	json_object_put(o);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void add_place(json_object *o, const struct pmk_section *s)
{
	add(o, "region", string(s->region));
	if (s->region)
		add(o, "entries", json_object_new_uint64(s->entries));
	if (s->cpu >= 0)
		add(o, "cpu", json_object_new_int(s->cpu));
	if (s->interval) {
		json_object *at = json_object_new_object();

		add(at, "seconds", decimal(s->at_seconds, 9));
		add(at, "cycles", json_object_new_uint64(s->at_cycles));
		add(at, "instructions", json_object_new_uint64(s->at_insns));
		add(o, "interval", at);
	}
}

static json_object *counter(struct pmk_writer *w, const struct pmk_result *r,
			    const struct pmk_section *s, const struct pmk_row *row)
{
	json_object *o = json_object_new_object();
	bool has_value = pmk_trust_has_value(row->trust);
	struct pmk_metric_value v;
	char text[160];

	add(o, "counter-value", has_value ? json_object_new_uint64(row->value) : NULL);
	add(o, "unit", string(""));
	add(o, "event", string(row->name));
	if (r->runs > 1)
		add(o, "variance", decimal(row->stddev_pct, 2));
	add(o, "event-runtime", json_object_new_uint64(row->runtime_ns));
	add(o, "pcnt-running", decimal(row->coverage * 100, 2));
	if (pmk_metric_beside(w, r, s, row, 0, &v)) {
		pmk_metric_unit_text(text, sizeof(text), &v);
		add(o, "metric-value", v.valid ? decimal(v.value, 6) : NULL);
		add(o, "metric-unit", string(text));
	} else {
		add(o, "metric-value", NULL);
		add(o, "metric-unit", NULL);
	}
	snprintf(text, sizeof(text), "0x%02x", row->event ? row->event->code : 0);
	add(o, "pmu", string(r->pmu ? r->pmu->name : NULL));
	add(o, "code", string(row->event ? text : NULL));
	add(o, "trust", string(pmk_trust_name(row->trust)));
	add(o, "reason", string(has_value ? NULL : row->reason));
	add_place(o, s);
	return o;
}

static int json_begin(struct pmk_writer *w, const struct pmk_result *r)
{
	struct state *st = w->state;
	json_object *o = json_object_new_object();

	add(o, "format", string("pmk-stat"));
	add(o, "version", json_object_new_int(1));
	add(o, "command", string(r->command));
	add(o, "pmu", string(r->pmu ? r->pmu->name : NULL));
	add(o, "core", string(r->core));
	add(o, "settings", string(r->settings ? r->settings : ""));
	add(o, "env", string(r->env ? r->env : ""));
	add(o, "runs", json_object_new_int64(r->runs));
	putc('{', w->f);
	put_members(w->f, o);
	fputs(",\n\"counters\":[", w->f);
	st->metrics_file = open_memstream(&st->metrics, &st->metrics_size);
	return st->metrics_file ? 0 : PMK_ENOMEM;
}

static void metric_line(struct pmk_writer *w, const struct pmk_section *s,
			const struct pmk_metric_value *v)
{
	struct state *st = w->state;
	json_object *o = json_object_new_object();

	add(o, "name", string(v->name));
	add(o, "value", v->valid ? decimal(v->value, 6) : NULL);
	add(o, "unit", string(v->unit));
	add(o, "reason", string(v->reason));
	add_place(o, s);
	fprintf(st->metrics_file, "%s\n%s", st->nmetrics++ ? "," : "", serialise(o));
	json_object_put(o);
}

static int json_section(struct pmk_writer *w, const struct pmk_result *r,
			const struct pmk_section *s)
{
	struct state *st = w->state;

	for (unsigned i = 0; i < s->nrows; i++) {
		json_object *o = counter(w, r, s, &s->rows[i]);

		fprintf(w->f, "%s\n%s", st->ncounters++ ? "," : "", serialise(o));
		json_object_put(o);
	}
	for (unsigned i = 0; st->metrics_file && w->opt.metrics && w->opt.metrics[i]; i++) {
		struct pmk_metric_value v = pmk_metric_eval(w->opt.metrics[i], r, s);

		metric_line(w, s, &v);
	}
	return 0;
}

/* perf and the shell: the exit code, or 128 + signal. */
static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int json_end(struct pmk_writer *w, const struct pmk_result *r)
{
	struct state *st = w->state;
	json_object *o = json_object_new_object();
	int err = 0;

	if (st->metrics_file && fclose(st->metrics_file) != 0)
		err = PMK_ENOMEM;
	fprintf(w->f, "\n],\n\"metrics\":[%s\n],\n", st->metrics && !err ? st->metrics : "");
	free(st->metrics);
	add(o, "producer", string(r->producer));
	add(o, "passes", json_object_new_int64(r->passes));
	add(o, "processes", json_object_new_int64(r->processes));
	add(o, "threads", json_object_new_int64(r->threads));
	add(o, "partial", json_object_new_boolean(r->partial));
	add(o, "warning", string(r->warning));
	add(o, "exit-status", json_object_new_int(exit_code(r->exit_status)));
	put_members(w->f, o);
	fputs("}\n", w->f);
	return err;
}

const struct pmk_writer_ops pmk_writer_json = {
	.state_size = sizeof(struct state),
	.begin = json_begin,
	.section = json_section,
	.end = json_end,
};
