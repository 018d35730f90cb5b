// SPDX-License-Identifier: MIT
/*
 * Writes CSV like perf's -x: one line per row, no heading.
 *
 *   [time,][cpu,][thread,]counter-value,unit,event,[stddev%,]event-runtime,pcnt-running,
 *   metric-value,metric-unit,pmu,code,trust,region
 *
 * The first columns are perf's, in perf's order; the last four are pmk's. Lines have a time with
 * intervals, a cpu for a row of one processor, a thread for a row of one thread, and stddev% with
 * several runs. Results from firmware have further columns after these (docs/FORMATS.md). A second
 * metric of an event, or a metric without an event, has a separate line with the value's columns
 * empty, as in perf. Control characters in a field are written as \xHH. A field that contains a
 * quote or the separator is put in double quotes, and its quotes are doubled. New columns are only
 * added at the end.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "result/internal.h"

#define PROFILE_COLUMNS 5 /* samples, share, late, function, address */

struct state {
	struct pmk_csv line;
	bool intervals; /* an interval was written, so lines begin with a time */
	bool head;	/* the names of the metrics were written (only for a table of metrics) */
};

static struct state *state_of(struct pmk_writer *w)
{
	return w->state;
}

/* Write a printable text, quoted if necessary. */
static void put_plain(FILE *f, const char *separator, const char *plain)
{
	if (!strstr(plain, separator) && !strchr(plain, '"')) {
		fputs(plain, f);
		return;
	}
	putc('"', f);
	for (const char *at = plain; *at; at++) {
		if (*at == '"')
			putc('"', f);
		putc(*at, f);
	}
	putc('"', f);
}

static void put_separator(struct pmk_csv *c)
{
	fputs(c->begun ? c->separator : "", c->f);
	c->begun = true;
}

void pmk_csv_text(struct pmk_csv *c, const char *text)
{
	char *plain = pmk_printable(text ? text : "");

	put_separator(c);
	if (plain)
		put_plain(c->f, c->separator, plain);
	free(plain);
}

void pmk_csv_number(struct pmk_csv *c, bool there, uint64_t value)
{
	char text[PMK_NUMBER_SIZE] = "";

	if (there)
		pmk_number_text(text, value, 0, false);
	put_separator(c);
	put_plain(c->f, c->separator, text);
}

void pmk_csv_skip(struct pmk_csv *c, unsigned n)
{
	while (n--)
		put_separator(c);
}

void pmk_csv_end(struct pmk_csv *c)
{
	putc('\n', c->f);
	c->begun = false;
}

__attribute__((format(printf, 2, 3))) static void put_field(struct pmk_csv *c, const char *format,
							    ...)
{
	char text[PMK_VALUE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pmk_csv_text(c, text);
}

/* Begin a line with the fields [time,][cpu,][thread,]. */
static struct pmk_csv *start_line(struct pmk_writer *w, const struct pmk_section *s)
{
	struct pmk_csv *c = &state_of(w)->line;

	if (s->interval)
		put_field(c, "%.9f", s->at_seconds);
	/* Like perf, name the line of the whole run, which follows the intervals, "summary". */
	else if (state_of(w)->intervals)
		pmk_csv_text(c, "summary");
	if (s->cpu >= 0)
		put_field(c, "CPU%d", s->cpu);
	if (s->thread)
		pmk_csv_text(c, s->thread);
	return c;
}

/* Write ,metric-value,metric-unit or two empty fields. */
static void metric_fields(struct pmk_csv *c, const struct pmk_metric_value *v)
{
	char value[400] = "", unit[160] = "";

	if (v && v->valid)
		pmk_metric_text(value, sizeof(value), v->value);
	if (v)
		pmk_metric_unit_text(unit, sizeof(unit), v);
	pmk_csv_text(c, value);
	pmk_csv_text(c, unit);
}

/* Write the non-empty buckets as one field: "1:12 4-7:3". */
static void put_histogram(struct pmk_csv *c, const struct pmk_histogram *h)
{
	char values[PMK_BUCKET_SIZE], number[PMK_NUMBER_SIZE];
	bool begun = false;

	put_separator(c);
	for (unsigned i = 0; h && i < PMK_BUCKETS; i++) {
		if (!h->count[i])
			continue;
		pmk_bucket_text(values, i);
		pmk_number_text(number, h->count[i], 0, false);
		fprintf(c->f, "%s%s:%s", begun ? " " : "", values, number);
		begun = true;
	}
}

/* Write the columns of latencies, for a PMU with latency counters. */
static void put_latency(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_row *row)
{
	static const enum pmk_detail details[] = { PMK_DETAIL_MEAN, PMK_DETAIL_STDDEV,
						   PMK_DETAIL_MIN, PMK_DETAIL_MAX };
	struct pmk_csv *c = &state_of(w)->line;
	bool timed = row && row->has_dist && row->dist.latency;
	char squares[PMK_SQUARES_SIZE] = "";

	if (!pmk_times_latencies(r) || w->opt.firmware)
		return;
	pmk_csv_number(c, timed, timed ? pmk_latency_sum(r, row) : 0);
	for (unsigned i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		char text[PMK_NUMBER_SIZE] = "";

		if (timed)
			pmk_detail_text(text, row, details[i], 3, false);
		pmk_csv_text(c, text);
	}
	if (timed)
		pmk_latency_squares_text(squares, r, row);
	pmk_csv_text(c, squares);
	if (r->histograms)
		put_histogram(c, timed ? row->dist.histogram : NULL);
}

/* Write the columns that only results from firmware have: columns of the section and columns of
 * the row. If `row` is NULL, its columns are empty. */
static void put_details(struct pmk_writer *w, const struct pmk_section *s,
			const struct pmk_row *row)
{
	static const struct pmk_row nothing;
	struct pmk_csv *c = &state_of(w)->line;

	if (!w->opt.firmware)
		return;
	pmk_csv_number(c, s->dump, s->dump);
	pmk_csv_number(c, s->region, s->region_id);
	pmk_csv_number(c, s->region, s->entries);
	pmk_csv_number(c, s->region, s->unmatched);
	for (unsigned i = 0; i < PMK_DETAILS; i++) {
		char text[PMK_NUMBER_SIZE];

		pmk_detail_text(text, row ? row : &nothing, i, 3, false);
		pmk_csv_text(c, text);
	}
	pmk_csv_skip(c, PROFILE_COLUMNS);
}

/* Write a line that has only a metric. */
static void metric_line(struct pmk_writer *w, const struct pmk_result *r,
			const struct pmk_section *s, const struct pmk_metric_value *v)
{
	unsigned empty = 4 + (r->runs > 1) + r->sampled; /* Fields after counter-value: unit,
						 * event, [stddev], [margin], event-
						 * runtime, pcnt-running. */
	struct pmk_csv *c = start_line(w, s);

	pmk_csv_skip(c, 1 + empty);
	metric_fields(c, v);
	pmk_csv_text(c, r->pmu ? r->pmu->name : "");
	pmk_csv_skip(c, 2);
	pmk_csv_text(c, s->region);
	put_latency(w, r, NULL);
	put_details(w, s, NULL);
	pmk_csv_end(c);
}

static void row_line(struct pmk_writer *w, const struct pmk_result *r, const struct pmk_section *s,
		     const struct pmk_row *row, const struct pmk_metric_value *v)
{
	const struct pmk_pmu *pmu = row->pmu ? row->pmu : r->pmu;
	struct pmk_csv *c = start_line(w, s);
	char text[PMK_VALUE_SIZE];

	if (pmk_trust_has_value(row->trust))
		pmk_value_text(text, row, 6, false);
	pmk_csv_text(c, pmk_trust_has_value(row->trust) ? text : pmk_no_value_text(row->trust));
	pmk_csv_text(c, pmk_unit_text(row));
	pmk_csv_text(c, row->name);
	if (r->runs > 1)
		put_field(c, "%.2f%%", row->stddev_pct);
	if (r->sampled)
		put_field(c, "%.2f%%", row->margin_pct);
	pmk_csv_number(c, true, row->runtime_ns);
	put_field(c, "%.2f", row->coverage * 100);
	metric_fields(c, v);
	pmk_csv_text(c, pmu ? pmu->name : "");
	snprintf(text, sizeof(text), "0x%02x", row->event ? row->event->code : 0);
	pmk_csv_text(c, row->event ? text : "");
	pmk_csv_text(c, pmk_trust_name(row->trust));
	pmk_csv_text(c, s->region);
	put_latency(w, r, row);
	put_details(w, s, row);
	pmk_csv_end(c);
}

static int csv_begin(struct pmk_writer *w, const struct pmk_result *r)
{
	(void)r;
	state_of(w)->line = (struct pmk_csv){ .f = w->f, .separator = w->opt.separator };
	return 0;
}

/* Write the warnings and notes about the whole run, as comments like those of perf. */
static int csv_end(struct pmk_writer *w, const struct pmk_result *r)
{
	pmk_write_warnings(w, r, "# ");
	return 0;
}

/* Write the metrics of a section as a line of values, after a line of names for the first
 * section. */
static void metrics_alone(struct pmk_writer *w, const struct pmk_result *r,
			  const struct pmk_section *s)
{
	struct state *st = state_of(w);
	struct pmk_csv *c = &st->line;

	if (!st->head) {
		if (s->interval)
			pmk_csv_text(c, "time");
		if (s->cpu >= 0 || s->thread)
			pmk_csv_text(c, s->cpu >= 0 ? "cpu" : "thread");
		for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++)
			pmk_csv_text(c, w->opt.metrics[i]->name);
		pmk_csv_text(c, "region");
		pmk_csv_end(c);
	}
	st->head = true;
	start_line(w, s);
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		struct pmk_metric_value v = pmk_metric_eval(w->opt.metrics[i], r, s);
		char value[400] = "";

		if (v.valid)
			pmk_metric_text(value, sizeof(value), v.value);
		pmk_csv_text(c, value);
	}
	pmk_csv_text(c, s->region);
	pmk_csv_end(c);
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

/* Write the line for a row of a profile. Columns that a profile does not have are empty. */
static void profile_line(struct pmk_writer *w, const struct pmk_profile *p,
			 const struct pmk_profile_row *row)
{
	struct pmk_csv *c = &state_of(w)->line;
	char share[PMK_NUMBER_SIZE], address[PMK_NUMBER_SIZE];

	pmk_share_text(share, p, row);
	pmk_address_text(address, row);
	pmk_csv_skip(c, 2);
	pmk_csv_text(c, p->event->name);
	pmk_csv_skip(c, 4); /* event-runtime, pcnt-running, metric-value, -unit */
	pmk_csv_text(c, p->pmu->name);
	put_field(c, "0x%02x", p->event->code);
	pmk_csv_skip(c, 1); /* trust */
	pmk_csv_text(c, row->region);
	pmk_csv_number(c, true, p->dump);
	pmk_csv_skip(c, 3 + PMK_DETAILS); /* region-id, entries, unmatched */
	pmk_csv_number(c, true, row->samples);
	pmk_csv_text(c, share);
	pmk_csv_number(c, true, row->late);
	pmk_csv_text(c, row->function);
	pmk_csv_text(c, address);
	pmk_csv_end(c);
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
