// SPDX-License-Identifier: MIT
/*
 * The page of pmk stat, and of firmware's dumps: sections as tables, intervals as lines over time,
 * samples by function.
 *
 * A line is a rate, so that intervals of unequal length can be compared: the last one is shorter.
 * Time is that of the guest; if there is none, its cycles or instructions. A chart shows a trend,
 * so several intervals become one point if there are very many.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cli/cli.h"
#include "cli/html/html.h"
#include "cli/output.h"

#define POINTS 1000 /* points of a line, at most */

/* A section, kept until all are there. */
struct section {
	unsigned dump; /* 0: not from a dump */
	char *region;
	int cpu;
	bool interval;
	double seconds;
	uint64_t cycles, insns, entries;
	struct pmk_row *row;
	char **name; /* copies of the rows' names, because some originals are freed earlier */
	unsigned nrows;
	struct pmk_metric_value *metric;
	unsigned nmetrics;
};

/* The samples of an event, by place. */
struct profile {
	unsigned dump;
	char *event;
	uint64_t samples;
	struct pmk_profile_row *row; /* with our own copies of strings */
	size_t nrows;
};

struct html_stat {
	struct section *section;
	size_t n, room;
	struct profile *profile;
	size_t nprofiles, profile_room;
	unsigned ndumps;
	bool lost; /* there was not enough memory for a part */
};

/* ---- what is kept --------------------------------------------------------------------------- */

static bool keep_section(struct section *to, const struct pmk_result *r,
			 const struct pmk_section *s, const struct pmk_metric *const *metrics)
{
	unsigned n = 0;

	while (metrics && metrics[n])
		n++;
	*to = (struct section){ .dump = s->dump,
				.cpu = s->cpu,
				.interval = s->interval,
				.seconds = s->at_seconds,
				.cycles = s->at_cycles,
				.insns = s->at_insns,
				.entries = s->entries,
				.nrows = s->nrows,
				.nmetrics = n };
	to->region = s->region ? strdup(s->region) : NULL;
	to->row = malloc((s->nrows + 1) * sizeof(*to->row));
	to->name = calloc(s->nrows + 1, sizeof(*to->name));
	to->metric = malloc((n + 1) * sizeof(*to->metric));
	if (!to->row || !to->name || !to->metric || (s->region && !to->region)) {
		to->nrows = to->nmetrics = 0;
		return false;
	}
	for (unsigned i = 0; i < s->nrows; i++)
		to->name[i] = strdup(s->rows[i].name ? s->rows[i].name : "?");
	if (s->nrows)
		memcpy(to->row, s->rows, s->nrows * sizeof(*to->row));
	for (unsigned i = 0; i < n; i++)
		to->metric[i] = pmk_metric_eval(metrics[i], r, s);
	return true;
}

void html_stat_add(struct html_stat **stat, const struct pmk_result *r, const struct pmk_section *s,
		   const struct pmk_metric *const *metrics)
{
	struct html_stat *h = *stat ? *stat : (*stat = calloc(1, sizeof(*h)));

	if (!h)
		return;
	if (s->dump > h->ndumps)
		h->ndumps = s->dump;
	h->lost |= !PMK_GROW(h->section, h->n, h->room) ||
		   !keep_section(&h->section[h->n++], r, s, metrics);
}

static bool keep_profile(struct profile *to, const struct pmk_profile *p)
{
	*to = (struct profile){ .dump = p->dump,
				.event = strdup(p->event->name),
				.samples = p->samples,
				.row = calloc(p->nrows + 1, sizeof(*to->row)),
				.nrows = p->nrows };
	for (size_t i = 0; to->row && i < p->nrows; i++) {
		to->row[i] = p->rows[i];
		to->row[i].function = p->rows[i].function ? strdup(p->rows[i].function) : NULL;
		to->row[i].region = p->rows[i].region ? strdup(p->rows[i].region) : NULL;
	}
	if (!to->row)
		to->nrows = 0;
	return to->row && to->event;
}

void html_stat_add_profile(struct html_stat *h, const struct pmk_profile *p)
{
	if (h)
		h->lost |= !PMK_GROW(h->profile, h->nprofiles, h->profile_room) ||
			   !keep_profile(&h->profile[h->nprofiles++], p);
}

static void free_profile(struct profile *p)
{
	for (size_t i = 0; i < p->nrows; i++) {
		free(p->row[i].function);
		free(p->row[i].region);
	}
	free(p->row);
	free(p->event);
}

void html_stat_free(struct html_stat *h)
{
	for (size_t i = 0; h && i < h->nprofiles; i++)
		free_profile(&h->profile[i]);
	for (size_t i = 0; h && i < h->n; i++) {
		for (unsigned k = 0; k < h->section[i].nrows; k++)
			free(h->section[i].name[k]);
		free(h->section[i].name);
		free(h->section[i].region);
		free(h->section[i].row);
		free(h->section[i].metric);
	}
	if (h) {
		free(h->section);
		free(h->profile);
	}
	free(h);
}

static const char *name_of(const struct section *s, unsigned row)
{
	return s->name[row] ? s->name[row] : "?";
}

/* ---- intervals ------------------------------------------------------------------------------ */

enum clock { SECONDS, CYCLES, INSNS };

static const struct {
	const char *axis, *unit;
	double scale; /* factor for the rate */
} clocks[] = {
	[SECONDS] = { "s of guest time", "per ms", 1e-3 },
	[CYCLES] = { "cycles", "per 1000 cycles", 1e3 },
	[INSNS] = { "instructions", "per 1000 instructions", 1e3 },
};

/* Intervals of one place: the whole run, a region or a processor. */
struct line {
	FILE *f;
	const struct section **at;
	size_t n, each; /* the number of intervals, and how many of them make one point */
	enum clock clock;
};

static double time_of(const struct line *l, size_t i)
{
	const struct section *s = l->at[i];

	return l->clock == SECONDS  ? s->seconds
	       : l->clock == CYCLES ? (double)s->cycles
				    : (double)s->insns;
}

/* The end of the point that begins with interval `i`. */
static size_t point_end(const struct line *l, size_t i)
{
	return i + l->each < l->n ? i + l->each : l->n;
}

static double begin_of(const struct line *l, size_t i)
{
	return i ? time_of(l, i - 1) : 0;
}

static bool has_value(const struct line *l, size_t i, unsigned row)
{
	return row < l->at[i]->nrows && pmk_trust_has_value(l->at[i]->row[row].trust);
}

/* The sum of a point. Returns false if it has no value. */
static bool sum_of(const struct line *l, size_t i, unsigned row, uint64_t *sum)
{
	bool any = false;

	*sum = 0;
	for (size_t k = i; k < point_end(l, i); k++)
		if (has_value(l, k, row)) {
			*sum += l->at[k]->row[row].value;
			any = true;
		}
	return any;
}

static bool rate_of(const struct line *l, size_t i, unsigned row, double *rate)
{
	double length = time_of(l, point_end(l, i) - 1) - begin_of(l, i);
	uint64_t sum;

	if (!sum_of(l, i, row, &sum) || length <= 0)
		return false;
	*rate = (double)sum / length * clocks[l->clock].scale;
	return true;
}

static bool metric_of(const struct line *l, size_t i, unsigned metric, double *value)
{
	const struct section *s = l->at[i];

	*value = metric < s->nmetrics ? s->metric[metric].value : 0;
	return metric < s->nmetrics && s->metric[metric].valid;
}

typedef bool get_value(const struct line *l, size_t i, unsigned which, double *value);

static double most_of(const struct line *l, get_value *get, unsigned which)
{
	double most = 0, value;

	for (size_t i = 0; i < l->n; i += l->each)
		if (get(l, i, which, &value) && value > most)
			most = value;
	return most;
}

/* The path of a line, as steps, in a field of 1000 by 100. A missing value makes a gap. */
static void put_path(const struct line *l, get_value *get, unsigned which, double most)
{
	double whole = time_of(l, l->n - 1), value;
	bool drawn = false;

	fputs("<path d=\"", l->f);
	for (size_t i = 0; i < l->n; i += l->each) {
		double from = whole > 0 ? 1000 * begin_of(l, i) / whole : 0;
		double to = whole > 0 ? 1000 * time_of(l, point_end(l, i) - 1) / whole : 0;

		if (!get(l, i, which, &value)) {
			drawn = false;
			continue;
		}
		/* This makes the highest point exactly 0, not -0.00. */
		value = most > 0 ? 100 * (1 - value / most) : 100;
		fprintf(l->f, "%c%.2f,%.2fH%.2f", drawn ? 'L' : 'M', from, value, to);
		drawn = true;
	}
	fputs("\"/>", l->f);
}

/* Three digits are enough for an axis. */
static void put_short(FILE *f, double value)
{
	if (value >= 1000)
		html_print(f, "%ju", (uint64_t)(value + 0.5));
	else
		fprintf(f, "%.3g", value);
}

static void put_chart(const struct line *l, get_value *get, unsigned which, const char *unit)
{
	double most = most_of(l, get, which), whole = time_of(l, l->n - 1);

	fputs("<div class=\"plot\"><span class=\"top\">", l->f);
	put_short(l->f, most);
	html_print(l->f,
		   " %s</span><svg viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" "
		   "aria-hidden=\"true\">",
		   unit);
	put_path(l, get, which, most);
	fputs("</svg><span class=\"left\">0</span><span class=\"right\">", l->f);
	put_short(l->f, whole);
	fprintf(l->f, " %s</span></div>\n", clocks[l->clock].axis);
}

/* The weakest trust label of all intervals. */
static enum pmk_trust trust_of(const struct line *l, unsigned row)
{
	enum pmk_trust weakest = PMK_TRUST_EXACT;

	for (size_t i = 0; i < l->n; i++)
		if (has_value(l, i, row) && l->at[i]->row[row].trust > weakest)
			weakest = l->at[i]->row[row].trust;
	return weakest;
}

static void put_event_figure(const struct line *l, unsigned row)
{
	const struct pmk_row *first = &l->at[0]->row[row];
	uint64_t sum, all = 0;
	bool any = false;

	for (size_t i = 0; i < l->n; i += l->each) {
		any |= sum_of(l, i, row, &sum);
		all += sum;
	}
	fputs("<figure data-n=\"", l->f);
	for (size_t i = 0; i < l->n; i += l->each) {
		fputs(i ? "," : "", l->f);
		if (sum_of(l, i, row, &sum))
			fprintf(l->f, "%llu", (unsigned long long)sum);
	}
	html_print(l->f, "\"><figcaption><b>%s</b> ", name_of(l->at[0], row));
	html_trust(l->f, pmk_trust_name(any ? trust_of(l, row) : first->trust));
	fputs("<output>", l->f);
	if (any)
		html_print(l->f, "%ju", all);
	else
		html_print(l->f, "%s", first->reason);
	fputs("</output></figcaption>\n", l->f);
	if (any)
		put_chart(l, rate_of, row, clocks[l->clock].unit);
	fputs("</figure>\n", l->f);
}

static void put_metric_figure(const struct line *l, unsigned metric)
{
	const struct pmk_metric_value *first = &l->at[0]->metric[metric];
	double value;

	fputs("<figure data-n=\"", l->f);
	for (size_t i = 0; i < l->n; i++) {
		fputs(i ? "," : "", l->f);
		if (metric_of(l, i, metric, &value))
			fprintf(l->f, "%.4g", value);
	}
	html_print(l->f, "\"><figcaption><b>%s</b><output></output></figcaption>\n", first->name);
	put_chart(l, metric_of, metric, first->unit);
	fputs("</figure>\n", l->f);
}

static void put_interval_table(const struct line *l)
{
	uint64_t sum;

	fprintf(l->f, "<details><summary>All %zu intervals</summary>",
		(l->n + l->each - 1) / l->each);
	html_table_begin(l->f, "class=\"all\"", NULL);
	html_heading(l->f, clocks[l->clock].axis, true, "");
	for (unsigned row = 0; row < l->at[0]->nrows; row++)
		html_heading(l->f, name_of(l->at[0], row), true, "");
	html_table_body(l->f);
	for (size_t i = 0; i < l->n; i += l->each) {
		double end = time_of(l, point_end(l, i) - 1);

		fprintf(l->f, "<tr><th scope=\"row\" class=\"n\">%.*f</th>",
			l->clock == SECONDS ? 9 : 0, end);
		for (unsigned row = 0; row < l->at[0]->nrows; row++) {
			bool there = sum_of(l, i, row, &sum);

			html_cell(l->f, "", there, sum);
		}
		fputs("</tr>\n", l->f);
	}
	fputs("</tbody></table></div></details>\n", l->f);
}

/* data-t: where each point ends, as a fraction of the whole; data-l: the label that the script
 * shows. */
static void put_times(const struct line *l)
{
	double whole = time_of(l, l->n - 1);

	fputs("<div class=\"charts\" tabindex=\"0\" role=\"group\" aria-label=\"Charts; the arrow "
	      "keys move between intervals\" data-t=\"",
	      l->f);
	for (size_t i = 0; i < l->n; i += l->each)
		fprintf(l->f, "%s%.5f", i ? "," : "",
			whole > 0 ? time_of(l, point_end(l, i) - 1) / whole : 0);
	fputs("\" data-l=\"", l->f);
	for (size_t i = 0; i < l->n; i += l->each)
		fprintf(l->f, "%s%.9g", i ? "," : "", time_of(l, point_end(l, i) - 1));
	fprintf(l->f, "\" data-u=\"%s\">\n", clocks[l->clock].axis);
}

static void put_place(FILE *f, const struct section *s)
{
	if (s->region) {
		html_print(f, "Region %.80s", s->region);
	} else {
		fputs("Whole run", f);
	}
	if (s->cpu >= 0)
		fprintf(f, ", processor %d", s->cpu);
}

static void put_line(struct line *l)
{
	const struct section *last = l->at[l->n - 1];

	l->clock = last->seconds > 0 ? SECONDS : last->cycles ? CYCLES : INSNS;
	l->each = (l->n + POINTS - 1) / POINTS;
	fputs("<section>\n<h2>", l->f);
	put_place(l->f, last);
	fputs(" <small>over time</small></h2>\n", l->f);
	if (l->each > 1)
		fprintf(l->f,
			"<p class=\"note\">%zu intervals, of which %zu are one point; metrics, "
			"which cannot be added up, are left out.</p>\n",
			l->n, l->each);
	fputs("<p class=\"hint js\" aria-live=\"polite\">Point at a chart, or use the arrow keys: "
	      "counts of that interval.</p>\n",
	      l->f);
	put_times(l);
	for (unsigned i = 0; l->each == 1 && i < l->at[0]->nmetrics; i++)
		if (most_of(l, metric_of, i) > 0)
			put_metric_figure(l, i);
	for (unsigned i = 0; i < l->at[0]->nrows; i++)
		put_event_figure(l, i);
	fputs("</div>\n", l->f);
	put_interval_table(l);
	fputs("</section>\n", l->f);
}

static bool same_place(const struct section *a, const struct section *b)
{
	return a->cpu == b->cpu && !a->region == !b->region &&
	       (!a->region || !strcmp(a->region, b->region));
}

/* A line for each place that has intervals, in the order in which they came. */
static bool put_lines(FILE *f, const struct html_stat *h)
{
	struct line l = { .f = f, .at = malloc((h->n + 1) * sizeof(*l.at)) };
	bool *done = calloc(h->n + 1, sizeof(*done));
	bool room = l.at && done;

	for (size_t i = 0; room && i < h->n; i++) {
		if (done[i] || !h->section[i].interval)
			continue;
		l.n = 0;
		for (size_t k = i; k < h->n; k++)
			if (h->section[k].interval && same_place(&h->section[i], &h->section[k])) {
				done[k] = true;
				l.at[l.n++] = &h->section[k];
			}
		put_line(&l);
	}
	free(l.at);
	free(done);
	return room;
}

/* ---- sections ------------------------------------------------------------------------------- */

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

static void put_row(FILE *f, const struct section *s, unsigned i)
{
	const struct pmk_row *row = &s->row[i];

	html_print(f, "<tr><th scope=\"row\" class=\"name\">%s</th><td class=\"n\">",
		   name_of(s, i));
	if (pmk_trust_has_value(row->trust))
		html_print(f, "%ju", row->value);
	if (row->unit && *row->unit)
		html_print(f, " %s", row->unit);
	fputs("</td><td>", f);
	html_trust(f, pmk_trust_name(row->trust));
	fputs("</td><td class=\"why\">", f);
	if (row->has_dist)
		put_distribution(f, &row->dist);
	else
		html_print(f, "%s", row->reason);
	fputs("</td></tr>\n", f);
}

static void put_metrics(FILE *f, const struct section *s)
{
	for (unsigned i = 0; i < s->nmetrics; i++) {
		const struct pmk_metric_value *m = &s->metric[i];

		html_print(f, "<tr><th scope=\"row\" class=\"name\">%s</th><td class=\"n\">",
			   m->name);
		if (m->valid)
			fprintf(f, "%.4g", m->value);
		else
			fputs("n/a", f);
		html_print(f, "</td><td></td><td class=\"why\">%s</td></tr>\n",
			   m->valid ? m->unit : m->reason);
	}
}

static void put_dump(FILE *f, const struct html_stat *h, unsigned dump)
{
	if (h->ndumps > 1)
		fprintf(f, "Dump %u: ", dump);
}

static void put_section(FILE *f, const struct html_stat *h, const struct section *s)
{
	fputs("<section>\n<h2>", f);
	put_dump(f, h, s->dump);
	put_place(f, s);
	if (s->region)
		fprintf(f, " <small>%llu time%s</small>", (unsigned long long)s->entries,
			s->entries == 1 ? "" : "s");
	fputs("</h2>\n", f);
	html_table(f, "!class=\"sortable totals\"", "Event|#Count|Trust|");
	for (unsigned i = 0; i < s->nrows; i++)
		put_row(f, s, i);
	put_metrics(f, s);
	html_table_end(f);
	fputs("</section>\n", f);
}

static void put_sample_row(FILE *f, const struct profile *p, const struct pmk_profile_row *row)
{
	fputs("<tr>", f);
	html_cell(f, "", true, row->samples);
	html_bar(f, row->samples, p->samples);
	fputs("<th scope=\"row\" class=\"name\">", f);
	if (row->function)
		html_print(f, "%.90s", row->function);
	else if (row->somewhere)
		fprintf(f, "0x%llx", (unsigned long long)row->address);
	else
		fputs("not known", f);
	html_print(f, "</th><td>%s</td>", row->region);
	html_cell(f, "", row->late, row->late);
	fputs("</tr>\n", f);
}

static void put_profile(FILE *f, const struct html_stat *h, const struct profile *p)
{
	fputs("<section>\n<h2>", f);
	put_dump(f, h, p->dump);
	html_print(f, "Samples of %s</h2>\n", p->event ? p->event : "?");
	html_table(f, "!class=\"sortable samples\"",
		   "#Samples|#%{data-plain}|Function|Region|#Late");
	for (size_t i = 0; i < p->nrows; i++)
		put_sample_row(f, p, &p->row[i]);
	html_table_end(f);
	fputs("</section>\n", f);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void put_head(FILE *f, const struct pmk_result *r)
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
}

static bool put_page(FILE *f, const struct html_stat *h, const struct pmk_result *r)
{
	put_head(f, r);
	if (!put_lines(f, h))
		return false;
	for (size_t i = 0; i < h->n; i++)
		if (!h->section[i].interval)
			put_section(f, h, &h->section[i]);
	for (size_t i = 0; i < h->nprofiles; i++)
		put_profile(f, h, &h->profile[i]);
	fputs("</main>\n", f);
	html_end(f);
	return !h->lost;
}

int html_stat_write(const struct html_stat *h, const struct pmk_result *r, const char *path)
{
	static const struct html_stat nothing;
	struct pmk_whole w;
	int code = output_whole_open(&w, path);

	if (code)
		return code;
	if (!put_page(w.f, h ? h : &nothing, r))
		code = cli_fail(PMK_EXIT_FAILED, "out of memory: %s is not written", path);
	return output_whole_close(&w, path, code);
}
