// SPDX-License-Identifier: MIT
/*
 * perf's -j: one object for each row, on a separate line, with nothing around the lines.
 *
 * 	{"interval" : 0.100000000, "counter-value" : "64.000000", "unit" : "", "event" : …,
 * 	"event-runtime" : 41489656, "pcnt-running" : 100.00, "metric-value" : 1.730000,
 * 	"metric-unit" : …, "pmu" : …, "code" : …, "trust" : …, "reason" : …, "region" : …}
 *
 * Keys, their order and the texts for missing values are perf's up to metric-unit; pmk's own keys
 * follow. A second metric of an event, or one without an event, is an object without the keys of a
 * value, as in perf. Warnings about the whole run, if any, are in an object without an event at the
 * end.
 */
#include <string.h>

#include <pmk/error.h>

#include "result/internal.h"
#include "result/jsonio.h"

/* Make an object with the place and time of the rows of a section. */
static json_object *add_place(const struct pmk_section *s)
{
	json_object *o = json_object_new_object();
	char cpu[16];

	if (s->interval)
		pmk_json_add(o, "interval", pmk_json_decimal(s->at_seconds, 9));
	snprintf(cpu, sizeof(cpu), "%d", s->cpu);
	if (s->cpu >= 0)
		pmk_json_text(o, "cpu", cpu);
	if (s->thread)
		pmk_json_text(o, "thread", s->thread);
	return o;
}

static void add_metric(json_object *o, const struct pmk_metric_value *v)
{
	char unit[160] = "";

	if (v)
		pmk_metric_unit_text(unit, sizeof(unit), v);
	pmk_json_add(o, "metric-value", v && v->valid ? pmk_json_decimal(v->value, 6) : NULL);
	pmk_json_text(o, "metric-unit", unit);
}

static void add_region(json_object *o, const struct pmk_section *s)
{
	pmk_json_text(o, "region", s->region);
	if (s->region)
		pmk_json_count(o, "entries", s->entries);
	if (s->at_cycles)
		pmk_json_count(o, "interval-cycles", s->at_cycles);
	if (s->at_insns)
		pmk_json_count(o, "interval-instructions", s->at_insns);
}

/* Returns the value of a row as a text with six decimals, as perf writes it, or perf's text for a
 * missing value. */
static json_object *row_value(const struct pmk_row *row)
{
	char text[PMK_VALUE_SIZE + 8];

	if (!pmk_trust_has_value(row->trust))
		return pmk_json_string(pmk_no_value_text(row->trust));
	pmk_value_text(text, row, 6, false);
	if (!strchr(text, '.'))
		strcat(text, ".000000");
	return pmk_json_string(text);
}

static void put_row(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_section *s,
		    const struct pmk_row *row, const struct pmk_metric_value *v)
{
	const struct pmk_pmu *pmu = row->pmu ? row->pmu : r->pmu;
	json_object *o = add_place(s);

	pmk_json_add(o, "counter-value", row_value(row));
	pmk_json_text(o, "unit", pmk_unit_text(row));
	pmk_json_text(o, "event", row->name);
	if (r->runs > 1)
		pmk_json_add(o, "variance", pmk_json_decimal(row->stddev_pct, 2));
	if (r->sampled)
		pmk_json_add(o, "margin", pmk_json_decimal(row->margin_pct, 2));
	pmk_json_count(o, "event-runtime", row->runtime_ns);
	pmk_json_add(o, "pcnt-running", pmk_json_decimal(row->coverage * 100, 2));
	add_metric(o, v);
	pmk_json_text(o, "pmu", pmu ? pmu->name : NULL);
	pmk_json_add(o, "code", row->event ? pmk_json_code(row->event) : NULL);
	pmk_json_text(o, "trust", pmk_trust_name(row->trust));
	pmk_json_text(o, "reason", row->reason);
	add_region(o, s);
	if (pmk_times_latencies(r))
		pmk_json_add(o, "latency", pmk_json_latency(r, row));
	pmk_json_put_line(w->f, o);
}

static void put_metric(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s, const struct pmk_metric_value *v)
{
	json_object *o = add_place(s);

	add_metric(o, v);
	pmk_json_text(o, "pmu", r->pmu ? r->pmu->name : NULL);
	pmk_json_text(o, "reason", v->reason);
	add_region(o, s);
	pmk_json_put_line(w->f, o);
}

/* Write an object with a member for each metric, as newer versions of perf do. */
static void put_metrics_alone(struct pmk_writer *w, const struct pmk_result *r,
			      const struct pmk_section *s)
{
	json_object *o = add_place(s);

	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		struct pmk_metric_value v = pmk_metric_eval(w->opt.metrics[i], r, s);

		pmk_json_add(o, v.name, v.valid ? pmk_json_decimal(v.value, 6) : NULL);
	}
	if (s->region)
		pmk_json_text(o, "region", s->region);
	pmk_json_put_line(w->f, o);
}

static int lines_section(struct pmk_writer *w, const struct pmk_result *r,
			 const struct pmk_section *s)
{
	if (w->opt.metric_only)
		put_metrics_alone(w, r, s);
	else
		pmk_write_lines(w, r, s, put_row, put_metric);
	return 0;
}

/* Write nothing: only pmk report has profiles, and it writes a document instead of lines. */
static int lines_profile(struct pmk_writer *w, const struct pmk_result *r,
			 const struct pmk_profile *p)
{
	(void)w;
	(void)r;
	(void)p;
	return PMK_ENOTSUP;
}

static int lines_end(struct pmk_writer *w, const struct pmk_result *r)
{
	json_object *o;

	if (!r->warning && !r->note && !r->partial)
		return 0;
	o = json_object_new_object();
	pmk_json_add(o, "partial", json_object_new_boolean(r->partial));
	pmk_json_text(o, "warning", r->warning);
	pmk_json_text(o, "note", r->note);
	pmk_json_put_line(w->f, o);
	return 0;
}

const struct pmk_writer_ops pmk_writer_json_lines = {
	.section = lines_section,
	.profile = lines_profile,
	.end = lines_end,
};
