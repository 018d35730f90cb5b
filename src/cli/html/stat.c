// SPDX-License-Identifier: MIT
/*
 * The page of pmk stat, and of firmware's dumps: sections as tables, intervals as a table from
 * which the script draws lines over time, samples by function.
 *
 * Time is that of the guest; if there is none, its cycles or instructions. A chart shows a trend,
 * so several intervals become one point if there are very many.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cli/cli.h"
#include "cli/html/html.h"
#include "cli/output.h"

#define POINTS	 1000 /* maximum number of points in a line, an even number */
#define NO_VALUE UINT64_MAX

/* The heading and the content of a section, or of samples. */
struct part {
	unsigned dump; /* 0: not from a dump */
	char *markup;
	size_t size;
};

enum clock { SECONDS, CYCLES, INSNS };

static const struct {
	const char *axis, *unit;
	double scale; /* factor for the rate */
	int digits;
} clocks[] = {
	[SECONDS] = { "s of guest time", "per ms", 1e-3, 9 },
	[CYCLES] = { "cycles", "per 1000 cycles", 1e3, 0 },
	[INSNS] = { "instructions", "per 1000 instructions", 1e3, 0 },
};

/* The intervals of one place: the whole run, a region, a thread or a processor. */
struct line {
	struct pmk_section place; /* the section of the place, with copies of its names, but
				   * without rows */
	enum clock clock;
	struct pmk_row *row; /* the rows of the first interval, with the weakest trust of all
			      * intervals */
	char **name; /* copies of the rows' names, because some originals are freed earlier */
	struct pmk_metric_value *metric;
	unsigned nmetrics;
	size_t intervals, each; /* number of intervals, and how many intervals make one point */
	size_t n;		/* points */
	double *end;		/* [point]: the time */
	uint64_t *value;	/* [point][row]; NO_VALUE: none */
	double *quotient;	/* [point][metric]; NaN: none */
};

struct html_stat {
	struct part *part;
	size_t n, room;
	struct line *line;
	size_t nlines, line_room;
	unsigned ndumps;
	bool lost; /* there was not enough memory for a part */
};

/* ---- intervals ------------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
	return !a == !b && (!a || !strcmp(a, b));
}

static bool start_line(struct line *l, const struct pmk_section *s, unsigned nmetrics)
{
	*l = (struct line){ .place = { .cpu = s->cpu, .nrows = s->nrows },
			    .nmetrics = nmetrics,
			    .each = 1 };
	l->clock = s->at_seconds > 0 ? SECONDS : s->at_cycles ? CYCLES : INSNS;
	l->place.region = s->region ? strdup(s->region) : NULL;
	l->place.thread = s->thread ? strdup(s->thread) : NULL;
	l->row = malloc((s->nrows + 1) * sizeof(*l->row));
	l->name = calloc(s->nrows + 1, sizeof(*l->name));
	l->metric = malloc((nmetrics + 1) * sizeof(*l->metric));
	l->end = malloc(POINTS * sizeof(*l->end));
	l->value = malloc(POINTS * (s->nrows + 1) * sizeof(*l->value));
	l->quotient = malloc(POINTS * (nmetrics + 1) * sizeof(*l->quotient));
	if (!l->row || !l->name || !l->metric || !l->end || !l->value || !l->quotient)
		return false;
	for (unsigned i = 0; i < s->nrows; i++) {
		l->row[i] = s->rows[i];
		l->name[i] = strdup(s->rows[i].name ? s->rows[i].name : "?");
	}
	return true;
}

static void add_value(uint64_t *sum, uint64_t value)
{
	if (value != NO_VALUE)
		*sum = *sum == NO_VALUE ? value : *sum + value;
}

/* Halve the number of points: each two points become one. */
static void halve_line(struct line *l)
{
	const unsigned rows = l->place.nrows;

	for (size_t i = 0; i < POINTS / 2; i++) {
		l->end[i] = l->end[2 * i + 1];
		for (unsigned k = 0; k < rows; k++) {
			l->value[i * rows + k] = l->value[2 * i * rows + k];
			add_value(&l->value[i * rows + k], l->value[(2 * i + 1) * rows + k]);
		}
	}
	l->n = POINTS / 2;
	l->each *= 2;
}

static void add_interval(struct line *l, const struct pmk_result *r, const struct pmk_section *s,
			 const struct pmk_metric *const *metrics)
{
	const double times[] = { [SECONDS] = s->at_seconds,
				 [CYCLES] = (double)s->at_cycles,
				 [INSNS] = (double)s->at_insns };
	const unsigned rows = l->place.nrows;
	uint64_t *value;

	if (l->n == POINTS && l->intervals % l->each == 0)
		halve_line(l);
	if (l->intervals++ % l->each == 0) {
		for (unsigned k = 0; k < rows; k++)
			l->value[l->n * rows + k] = NO_VALUE;
		l->n++;
	}
	l->end[l->n - 1] = times[l->clock];
	value = &l->value[(l->n - 1) * rows];
	for (unsigned k = 0; k < rows && k < s->nrows; k++) {
		enum pmk_trust trust = s->rows[k].trust;

		if (!pmk_trust_has_value(trust))
			continue;
		add_value(&value[k], s->rows[k].value);
		if (trust > l->row[k].trust || !pmk_trust_has_value(l->row[k].trust))
			l->row[k].trust = trust;
	}
	for (unsigned k = 0; k < l->nmetrics && l->each == 1; k++) {
		struct pmk_metric_value m = pmk_metric_eval(metrics[k], r, s);

		l->metric[k] = m;
		l->quotient[(l->n - 1) * l->nmetrics + k] = m.valid ? m.value : NAN;
	}
}

static struct line *line_of(struct html_stat *h, const struct pmk_section *s, unsigned nmetrics)
{
	for (size_t i = 0; i < h->nlines; i++) {
		const struct pmk_section *at = &h->line[i].place;

		if (at->cpu == s->cpu && same_text(at->region, s->region) &&
		    same_text(at->thread, s->thread))
			return &h->line[i];
	}
	if (!PMK_GROW(h->line, h->nlines, h->line_room) ||
	    !start_line(&h->line[h->nlines++], s, nmetrics))
		return NULL;
	return &h->line[h->nlines - 1];
}

/* ---- sections ------------------------------------------------------------------------------- */

static void put_place(FILE *f, const struct pmk_section *s)
{
	const char *kind = s->region ? "Region " : s->thread ? "Thread " : "Whole run";

	html_print(f, "%s%.80s", kind, s->region ? s->region : s->thread);
	if (s->cpu >= 0)
		fprintf(f, ", processor %d", s->cpu);
}

/* "7 … 64 cycles, mean 12.31, deviation 4.05": for the occurrences of a region, or latencies. */
static void put_distribution(FILE *f, const struct pmk_distribution *d)
{
	const struct pmk_stats *v = &d->values;
	uint64_t mean = pmk_stats_mean(v, 100), deviation = pmk_stats_stddev(v, 100);

	if (!v->n)
		return;
	if (v->min <= v->max)
		html_print(f, "%ju \u2026 %ju%s", v->min, v->max,
			   d->saturated ? " or more, " : ", ");
	/* If the sums do not fit into 64 bits, the values are not known. */
	if (mean != UINT64_MAX)
		fprintf(f, "mean %.2f", (double)mean / 100);
	if (mean != UINT64_MAX && deviation != UINT64_MAX)
		fprintf(f, ", deviation %.2f", (double)deviation / 100);
}

static void put_row(FILE *f, const struct pmk_row *row)
{
	const char *unit = row->unit && *row->unit ? row->unit : NULL;

	fputs("<tr>", f);
	html_cells(f, "!%s|#%ju%s%s", row->name ? row->name : "?", row->value, unit ? " " : "",
		   unit);
	html_trust(f, "td", pmk_trust_name(row->trust));
	fputs("<td class=\"why\">", f);
	if (row->has_dist)
		put_distribution(f, &row->dist);
	else
		html_print(f, "%s", row->reason);
	fputs("</td></tr>\n", f);
}

/* Write the events without a value, folded. */
static void put_without_value(FILE *f, const struct pmk_row *row, char *const *name, unsigned n)
{
	size_t without = 0;

	for (unsigned i = 0; i < n; i++)
		without += !pmk_trust_has_value(row[i].trust);
	html_without_begin(f, without);
	for (unsigned i = 0; i < n; i++)
		if (!pmk_trust_has_value(row[i].trust))
			html_without(f, name ? name[i] : row[i].name, pmk_trust_name(row[i].trust),
				     row[i].reason);
	html_without_end(f, without);
}

static void put_section(FILE *f, const struct pmk_result *r, const struct pmk_section *s,
			const struct pmk_metric *const *metrics)
{
	put_place(f, s);
	if (s->region)
		fprintf(f, " <small>%llu time%s</small>", (unsigned long long)s->entries,
			s->entries == 1 ? "" : "s");
	fputs("</h2>\n", f);
	html_table(f, "!class=\"sortable totals\"", "Event|#Count|Trust or unit|");
	for (unsigned i = 0; i < s->nrows; i++)
		if (pmk_trust_has_value(s->rows[i].trust))
			put_row(f, &s->rows[i]);
	for (; metrics && *metrics; metrics++) {
		struct pmk_metric_value m = pmk_metric_eval(*metrics, r, s);
		char value[32] = "n/a";

		if (m.valid)
			snprintf(value, sizeof(value), "%.4g", m.value);
		html_row(f, "!%s|#%s|{class=\"why\" colspan=\"2\"}%s", m.name, value,
			 m.valid ? m.unit : m.reason);
	}
	html_table_end(f);
	put_without_value(f, s->rows, NULL, s->nrows);
}

static void put_profile(FILE *f, const struct pmk_profile *p)
{
	html_print(f, "Samples of %s</h2>\n", p->event->name);
	html_table(f, "!class=\"sortable samples\"",
		   "#Samples|#{data-plain}%%|Function|Region|#Late");
	for (size_t i = 0; i < p->nrows; i++) {
		const struct pmk_profile_row *row = &p->rows[i];
		char address[32] = "not known";

		if (row->somewhere)
			snprintf(address, sizeof(address), "0x%llx",
				 (unsigned long long)row->address);
		fputs("<tr>", f);
		html_cell(f, "", true, row->samples);
		html_bar(f, row->samples, p->samples);
		html_cells(f, "!%.90s|%s", row->function ? row->function : address, row->region);
		html_cell(f, "", row->late, row->late);
		fputs("</tr>\n", f);
	}
	html_table_end(f);
}

/* ---- what is kept --------------------------------------------------------------------------- */

/* Begin a part; close the file to end it. NULL: out of memory. */
static FILE *begin_part(struct html_stat *h, unsigned dump)
{
	if (dump > h->ndumps)
		h->ndumps = dump;
	if (!PMK_APPEND(h->part, h->n, h->room, (struct part){ .dump = dump }))
		return NULL;
	return open_memstream(&h->part[h->n - 1].markup, &h->part[h->n - 1].size);
}

void html_stat_add(struct html_stat **stat, const struct pmk_result *r, const struct pmk_section *s,
		   const struct pmk_metric *const *metrics)
{
	struct html_stat *h = *stat ? *stat : (*stat = calloc(1, sizeof(*h)));
	unsigned n = 0;

	while (metrics && metrics[n])
		n++;
	if (h && s->interval) {
		struct line *l = line_of(h, s, n);

		if (l)
			add_interval(l, r, s, metrics);
		h->lost |= !l;
	} else if (h) {
		FILE *f = begin_part(h, s->dump);

		if (f)
			put_section(f, r, s, metrics);
		h->lost |= !f || fclose(f);
	}
}

void html_stat_add_profile(struct html_stat *h, const struct pmk_profile *p)
{
	FILE *f = h ? begin_part(h, p->dump) : NULL;

	if (f)
		put_profile(f, p);
	if (h)
		h->lost |= !f || fclose(f);
}

static void free_line(struct line *l)
{
	for (unsigned i = 0; l->name && i < l->place.nrows; i++)
		free(l->name[i]);
	free(l->name);
	free(l->place.region);
	free(l->place.thread);
	free(l->row);
	free(l->metric);
	free(l->end);
	free(l->value);
	free(l->quotient);
}

void html_stat_free(struct html_stat *h)
{
	for (size_t i = 0; h && i < h->nlines; i++)
		free_line(&h->line[i]);
	for (size_t i = 0; h && i < h->n; i++)
		free(h->part[i].markup);
	if (h) {
		free(h->line);
		free(h->part);
	}
	free(h);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void put_points(FILE *f, const struct line *l, unsigned nmetrics)
{
	const unsigned rows = l->place.nrows;

	for (size_t i = 0; i < l->n; i++) {
		fprintf(f, "<tr><th scope=\"row\" class=\"n\">%.*f</th>", clocks[l->clock].digits,
			l->end[i]);
		for (unsigned k = 0; k < rows; k++) {
			uint64_t value = l->value[i * rows + k];

			if (pmk_trust_has_value(l->row[k].trust))
				html_cell(f, "", value != NO_VALUE, value);
		}
		for (unsigned k = 0; k < nmetrics; k++) {
			double value = l->quotient[i * nmetrics + k];

			if (isnan(value))
				html_cells(f, "#");
			else
				html_cells(f, "#%.4g", value);
		}
		fputs("</tr>\n", f);
	}
}

/* The script draws the charts from this table. */
static void put_line(FILE *f, const struct line *l)
{
	const unsigned nmetrics = l->each == 1 ? l->nmetrics : 0;

	fputs("<section class=\"line\">\n<h2>", f);
	put_place(f, &l->place);
	fputs(" <small>over time</small></h2>\n", f);
	if (l->each > 1)
		fprintf(f,
			"<p class=\"note\">%zu intervals, of which %zu are one point; metrics, "
			"which cannot be added up, are left out.</p>\n",
			l->intervals, l->each);
	fprintf(f, "<details><summary>All %zu intervals</summary>", l->n);
	html_table_begin(f, "class=\"all\"");
	html_headings(f, "#{data-unit=\"%s\" data-scale=\"%g\"}%s", clocks[l->clock].unit,
		      clocks[l->clock].scale, clocks[l->clock].axis);
	for (unsigned i = 0; i < l->place.nrows; i++)
		if (pmk_trust_has_value(l->row[i].trust))
			html_headings(f, "#{data-trust=\"%s\"}%s", pmk_trust_name(l->row[i].trust),
				      l->name[i]);
	for (unsigned i = 0; i < nmetrics; i++)
		html_headings(f, "#{data-unit=\"%s\"}%s", l->metric[i].unit, l->metric[i].name);
	html_table_body(f);
	put_points(f, l, nmetrics);
	html_table_end(f);
	fputs("</details>\n", f);
	put_without_value(f, l->row, l->name, l->place.nrows);
	fputs("</section>\n", f);
}

static void put_page(FILE *f, const struct html_stat *h, const struct pmk_result *r)
{
	html_head(f, r->command ? r->command : "pmk stat", "stat", "Counts of");
	html_fact(f, "Core", r->core);
	html_fact(f, "Counted by", r->producer);
	html_fact(f, "Settings", r->settings);
	html_fact(f, "Cycles", r->checked);
	fputs("</dl>\n", f);
	html_notices(f, r->warning, "warning");
	html_notices(f, r->note, "note");
	fputs("</header>\n<main>\n", f);
	for (size_t i = 0; i < h->nlines; i++)
		put_line(f, &h->line[i]);
	for (size_t i = 0; i < h->n; i++) {
		fputs("<section>\n<h2>", f);
		if (h->ndumps > 1)
			fprintf(f, "Dump %u: ", h->part[i].dump);
		fputs(h->part[i].markup, f);
		fputs("</section>\n", f);
	}
	fputs("</main>\n", f);
	html_end(f);
}

int html_stat_write(const struct html_stat *h, const struct pmk_result *r, const char *path)
{
	static const struct html_stat nothing;
	struct pmk_whole w;
	int code = output_whole_open(&w, path);

	if (code)
		return code;
	if (h && h->lost)
		code = cli_fail(PMK_EXIT_FAILED, "out of memory: %s is not written", path);
	else
		put_page(w.f, h ? h : &nothing, r);
	return output_whole_close(&w, path, code);
}
