// SPDX-License-Identifier: MIT
/*
 * perf's -x: one line per row, no heading.
 *
 * 	[time,][cpu,][thread,]counter-value,unit,event,[stddev%,]event-runtime,pcnt-running,
 * 	metric-value,metric-unit,pmu,code,trust,region
 *
 * The first columns are perf's, in perf's order; the last four are ours. time comes with intervals,
 * cpu with a row of one processor, thread with one of one thread, stddev% with several runs.
 * Results from firmware have further columns after these (docs/FORMATS.md). A second metric of an
 * event, or a metric without an event, has a separate line with the value's columns empty, as in
 * perf. Control characters in a field are written as \xHH; a field with a quote or the separator in
 * it is put in double quotes, and its quotes are doubled. New columns are only added at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "result/internal.h"

#define PROFILE_COLUMNS 5 /* samples, share, late, function, address */

struct state {
	bool intervals; /* an interval was written, so lines begin with a time */
	bool head;	/* the names of the metrics were written, for a table of metrics only */
};

static struct state *state_of(struct pmk_writer *w)
{
	return w->state;
}

static void put_separator(struct pmk_writer *w)
{
	fputs(w->opt.separator, w->f);
}

void pmk_csv_field(FILE *f, const char *separator, const char *text)
{
	char *plain = pmk_printable(text);

	if (!plain)
		return;
	if (!strstr(plain, separator) && !strchr(plain, '"')) {
		fputs(plain, f);
		free(plain);
		return;
	}
	putc('"', f);
	for (const char *at = plain; *at; at++) {
		if (*at == '"')
			putc('"', f);
		putc(*at, f);
	}
	putc('"', f);
	free(plain);
}

/* One field, without the separator before it. */
static void put_field(struct pmk_writer *w, const char *text)
{
	pmk_csv_field(w->f, w->opt.separator, text);
}

static void next_field(struct pmk_writer *w, const char *text)
{
	put_separator(w);
	put_field(w, text);
}

/* One field; empty if the number does not exist. */
static void next_number(struct pmk_writer *w, bool there, uint64_t value)
{
	char text[PMK_NUMBER_SIZE] = "";

	if (there)
		pmk_number_text(text, value, 0, false);
	next_field(w, text);
}

/* [time,][cpu,][thread,] */
static void line_start(struct pmk_writer *w, const struct pmk_section *s)
{
	char text[40];

	if (s->interval) {
		snprintf(text, sizeof(text), "%.9f", s->at_seconds);
		put_field(w, text);
		put_separator(w);
	}
	/* The whole run after its intervals, as in perf. */
	if (!s->interval && state_of(w)->intervals) {
		put_field(w, "summary");
		put_separator(w);
	}
	if (s->cpu >= 0) {
		snprintf(text, sizeof(text), "CPU%d", s->cpu);
		put_field(w, text);
		put_separator(w);
	}
	if (s->thread) {
		put_field(w, s->thread);
		put_separator(w);
	}
}

/* ,metric-value,metric-unit — or two empty fields */
static void metric_fields(struct pmk_writer *w, const struct pmk_metric_value *v)
{
	char value[400] = "", unit[160] = "";

	if (v && v->valid)
		pmk_metric_text(value, sizeof(value), v->value);
	if (v)
		pmk_metric_unit_text(unit, sizeof(unit), v);
	next_field(w, value);
	next_field(w, unit);
}

/* One field with the non-empty buckets: "1:12 4-7:3". */
static void put_histogram(struct pmk_writer *w, const struct pmk_histogram *h)
{
	char values[PMK_BUCKET_SIZE], number[PMK_NUMBER_SIZE];
	bool begun = false;

	put_separator(w);
	for (unsigned i = 0; h && i < PMK_BUCKETS; i++) {
		if (!h->count[i])
			continue;
		pmk_bucket_text(values, i);
		pmk_number_text(number, h->count[i], 0, false);
		fprintf(w->f, "%s%s:%s", begun ? " " : "", values, number);
		begun = true;
	}
}

/* For a PMU with latency counters: the columns of latencies. */
static void put_latency(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_row *row)
{
	static const enum pmk_detail details[] = { PMK_DETAIL_MEAN, PMK_DETAIL_STDDEV,
						   PMK_DETAIL_MIN, PMK_DETAIL_MAX };
	bool timed = row && row->has_dist && row->dist.latency;
	char squares[PMK_SQUARES_SIZE] = "";

	if (!pmk_times_latencies(r) || w->opt.firmware)
		return;
	next_number(w, timed, timed ? pmk_latency_sum(r, row) : 0);
	for (unsigned i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		char text[PMK_NUMBER_SIZE] = "";

		if (timed)
			pmk_detail_text(text, row, details[i], 3, false);
		next_field(w, text);
	}
	if (timed)
		pmk_latency_squares_text(squares, r, row);
	next_field(w, squares);
	if (r->histograms)
		put_histogram(w, timed ? row->dist.histogram : NULL);
}

/* For firmware: the columns of a section and of one of its rows. If `row` is NULL,
 * its columns are empty. */
static void put_details(struct pmk_writer *w, const struct pmk_section *s,
			const struct pmk_row *row)
{
	static const struct pmk_row nothing;

	if (!w->opt.firmware)
		return;
	next_number(w, s->dump, s->dump);
	next_number(w, s->region, s->region_id);
	next_number(w, s->region, s->entries);
	next_number(w, s->region, s->unmatched);
	for (unsigned i = 0; i < PMK_DETAILS; i++) {
		char text[PMK_NUMBER_SIZE];

		pmk_detail_text(text, row ? row : &nothing, i, 3, false);
		next_field(w, text);
	}
	for (unsigned i = 0; i < PROFILE_COLUMNS; i++)
		put_separator(w);
}

/* A line that has only a metric. */
static void metric_line(struct pmk_writer *w, const struct pmk_result *r,
			const struct pmk_section *s, const struct pmk_metric_value *v)
{
	unsigned empty = 4 + (r->runs > 1) + r->sampled; /* after counter-value: unit, event,
						 * [stddev], [margin], 2 × run */

	line_start(w, s);
	while (empty--)
		put_separator(w);
	metric_fields(w, v);
	next_field(w, r->pmu ? r->pmu->name : "");
	next_field(w, "");
	next_field(w, "");
	next_field(w, s->region ? s->region : "");
	put_latency(w, r, NULL);
	put_details(w, s, NULL);
	putc('\n', w->f);
}

static void row_line(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_section *s,
		     const struct pmk_row *row, const struct pmk_metric_value *v)
{
	char text[PMK_VALUE_SIZE];

	line_start(w, s);
	if (pmk_trust_has_value(row->trust)) {
		pmk_value_text(text, row, 6, false);
		put_field(w, text);
	} else {
		put_field(w, pmk_no_value_text(row->trust));
	}
	next_field(w, pmk_unit_text(row));
	next_field(w, row->name);
	if (r->runs > 1) {
		snprintf(text, sizeof(text), "%.2f%%", row->stddev_pct);
		next_field(w, text);
	}
	if (r->sampled) {
		snprintf(text, sizeof(text), "%.2f%%", row->margin_pct);
		next_field(w, text);
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)row->runtime_ns);
	next_field(w, text);
	snprintf(text, sizeof(text), "%.2f", row->coverage * 100);
	next_field(w, text);
	metric_fields(w, v);
	next_field(w, row->pmu ? row->pmu->name : r->pmu ? r->pmu->name : "");
	snprintf(text, sizeof(text), "0x%02x", row->event ? row->event->code : 0);
	next_field(w, row->event ? text : "");
	next_field(w, pmk_trust_name(row->trust));
	next_field(w, s->region ? s->region : "");
	put_latency(w, r, row);
	put_details(w, s, row);
	putc('\n', w->f);
}

static int csv_begin(struct pmk_writer *w, const struct pmk_result *r)
{
	(void)w;
	(void)r;
	return 0;
}

/* Lines about a whole run are comments, as in perf. */
static int csv_end(struct pmk_writer *w, const struct pmk_result *r)
{
	pmk_write_warnings(w, r, "# ");
	return 0;
}

/* A line of names, then a line of values for each section. */
static void metrics_alone(struct pmk_writer *w, const struct pmk_result *r,
			  const struct pmk_section *s)
{
	struct state *st = state_of(w);

	if (!st->head) {
		fputs(s->interval ? "time" : "", w->f);
		if (s->interval)
			put_separator(w);
		if (s->cpu >= 0 || s->thread) {
			fputs(s->cpu >= 0 ? "cpu" : "thread", w->f);
			put_separator(w);
		}
		for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
			put_field(w, w->opt.metrics[i]->name);
			put_separator(w);
		}
		fputs("region\n", w->f);
	}
	st->head = true;
	line_start(w, s);
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		struct pmk_metric_value v = pmk_metric_eval(w->opt.metrics[i], r, s);
		char value[400] = "";

		if (v.valid)
			pmk_metric_text(value, sizeof(value), v.value);
		put_field(w, value);
		put_separator(w);
	}
	put_field(w, s->region ? s->region : "");
	putc('\n', w->f);
}

static int csv_section(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_section *s)
{
	state_of(w)->intervals |= s->interval;
	if (w->opt.metric_only)
		metrics_alone(w, r, s);
	else
		pmk_write_lines(w, r, s, row_line, metric_line);
	return 0;
}

/* A line for a row of a profile. Columns that a profile does not have are empty. */
static void profile_line(struct pmk_writer *w, const struct pmk_profile *p,
			 const struct pmk_profile_row *row)
{
	char code[16], share[PMK_NUMBER_SIZE], address[PMK_NUMBER_SIZE];

	snprintf(code, sizeof(code), "0x%02x", p->event->code);
	pmk_share_text(share, p, row);
	pmk_address_text(address, row);
	put_separator(w);
	next_field(w, p->event->name);
	for (unsigned i = 0; i < 4; i++) /* event-runtime, pcnt-running, metric-value, -unit */
		put_separator(w);
	next_field(w, p->pmu->name);
	next_field(w, code);
	put_separator(w); /* trust */
	next_field(w, row->region ? row->region : "");
	next_number(w, true, p->dump);
	for (unsigned i = 0; i < 3 + PMK_DETAILS; i++) /* region-id, entries, unmatched */
		put_separator(w);
	next_number(w, true, row->samples);
	next_field(w, share);
	next_number(w, true, row->late);
	next_field(w, row->function ? row->function : "");
	next_field(w, address);
	putc('\n', w->f);
}

static int csv_profile(struct pmk_writer *w, const struct pmk_result *r,
		       const struct pmk_profile *p)
{
	(void)r;
	for (size_t i = 0; i < p->nrows; i++)
		profile_line(w, p, &p->rows[i]);
	return 0;
}

const struct pmk_writer_ops pmk_writer_csv = {
	.state_size = sizeof(struct state),
	.begin = csv_begin,
	.section = csv_section,
	.profile = csv_profile,
	.end = csv_end,
};
