// SPDX-License-Identifier: MIT
/*
 * The drawings of the text report: how each layer of a bus spent its cycles, how long its bursts
 * waited, and the distributions of events that have one. With intervals, they also show how these
 * numbers or the latency of an event changed over time.
 *
 * For each layer the counters give the cycles in which it ended a transfer, the cycles in which a
 * transfer waited and, for waits on first beats, the cause. No counter gives idle cycles, busy
 * cycles, and the first cycles of ERROR, RETRY and SPLIT. These are the remainder of all cycles,
 * and they are drawn if everything else is known. Parts that were not counted are drawn as such; a
 * number that was extrapolated or has wrapped is treated as not counted.
 */
#include <string.h>

#include "result/internal.h"

enum part { TRANSFER, SLAVE, BUS, OTHER, REST, UNKNOWN, NPARTS };

/* A number that may not be known. */
struct count {
	bool known;
	uint64_t n;
};

/* The counts of one layer in a section. `waits` is SLAVE + BUS + OTHER. */
struct spent {
	struct count part[NPARTS], waits, bursts;
	/* If only some bursts were counted, this is their number, and `bursts` is not known. */
	uint64_t counted;
	uint64_t cycles; /* 0: not known */
};

#define NAME_WIDTH   5 /* minimum width of a layer's name */
#define NUMBER_WIDTH 8
#define LEAST_BAR    10
#define MOST_BAR     60
#define LEVELS	     8

/* ---- counts --------------------------------------------------------------------------------- */

static struct count value_of(const struct pmk_section *s, const struct pmk_event *ev)
{
	const struct pmk_row *row = ev ? pmk_section_row(s, ev) : NULL;

	if (!row || !pmk_trust_has_value(row->trust) || row->trust == PMK_TRUST_WRAPPED ||
	    row->trust == PMK_TRUST_SCALED)
		return (struct count){ .known = false };
	return (struct count){ .known = true, .n = row->value };
}

/* Returns the sum of the counts of a list of events. The sum is known if each count is known. */
static struct count sum_of(const struct pmk_section *s, const struct pmk_event *const *ev)
{
	struct count sum = { .known = *ev != NULL };

	for (; *ev; ev++) {
		struct count c = value_of(s, *ev);

		sum.known = sum.known && c.known;
		sum.n += c.n;
	}
	return sum.known ? sum : (struct count){ .known = false };
}

static bool has_gap(const struct pmk_section *s, const struct pmk_event *const *ev)
{
	bool gap = false;

	for (; *ev; ev++) {
		const struct pmk_row *row = pmk_section_row(s, *ev);

		gap |= row && row->gap;
	}
	return gap;
}

/* Returns `all` minus `taken`, or 0. Means of several runs are rounded, so the difference may be
 * slightly below 0. */
static struct count left_of(struct count all, uint64_t taken)
{
	all.n = all.n > taken ? all.n - taken : 0;
	return all;
}

static void add_section(struct spent *t, const struct pmk_layers *layers, const struct pmk_layer *l,
			const struct pmk_section *s)
{
	struct count cycles = value_of(s, layers->cycles);

	*t = (struct spent){ .cycles = cycles.known ? cycles.n : 0 };
	t->waits = sum_of(s, l->wait);
	t->bursts = sum_of(s, l->burst);
	if (has_gap(s, l->burst)) {
		t->counted = t->bursts.n;
		t->bursts = (struct count){ .known = false };
	}
	t->part[TRANSFER] = sum_of(s, l->transfer);
	t->part[SLAVE] = value_of(s, l->slave);
	t->part[BUS] = value_of(s, l->bus);
	/* Draw waits for the slave and waits for the bus only if both were counted; otherwise
	 * draw them as other waits. */
	if (!t->part[SLAVE].known || !t->part[BUS].known)
		t->part[SLAVE] = t->part[BUS] = (struct count){ .known = false };
	t->part[OTHER] = left_of(t->waits, t->part[SLAVE].n + t->part[BUS].n);
	cycles.known = cycles.known && t->part[TRANSFER].known && t->waits.known;
	t->part[REST] = left_of(cycles, t->part[TRANSFER].n + t->waits.n);
}

static bool had_traffic(const struct spent *t)
{
	return t->part[TRANSFER].n || t->waits.n || t->part[SLAVE].n || t->part[BUS].n;
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* The character and the colour of each part: green, yellow, red, magenta, faint. */
static const struct look {
	const char *ascii, *utf8, *colour, *legend;
} looks[NPARTS] = {
	[TRANSFER] = { "#", "\u2588", "32", "transfers" },
	[SLAVE] = { "s", "\u2593", "33", "first beats wait for the slave" },
	[BUS] = { "b", "\u2592", "31", "first beats wait for the bus" },
	[OTHER] = { "w", "\u2591", "35", "other waits" },
	[REST] = { ".", "\u00b7", "2", "idle, busy, responses" },
	[UNKNOWN] = { "?", "?", "2", "not counted" },
};

static void draw_part(struct pmk_writer *w, enum part part, unsigned cells)
{
	if (!cells)
		return;
	if (w->opt.colour)
		fprintf(w->f, "\033[%sm", looks[part].colour);
	while (cells--)
		fputs(w->opt.bars->utf8 ? looks[part].utf8 : looks[part].ascii, w->f);
	if (w->opt.colour)
		fputs("\033[0m", w->f);
}

/* Draw the parts of a bar. Each part ends at the cell nearest to its exact end, so that no part
 * is off by a whole cell. */
static void draw_bar(struct pmk_writer *w, struct pmk_bars_state *st, const struct spent *t,
		     unsigned width)
{
	uint64_t sum = 0, all = t->cycles;
	unsigned at = 0;

	for (unsigned p = TRANSFER; p < REST; p++)
		sum += t->part[p].n;
	/* `sum` can be larger, because means of several runs are rounded. */
	all = all > sum ? all : sum;
	sum = 0;
	for (unsigned p = TRANSFER; p < REST && t->cycles; p++) {
		unsigned end;

		sum += t->part[p].n;
		end = (unsigned)((double)sum / (double)all * width + 0.5);
		draw_part(w, p, end - at);
		at = end;
	}
	st->unknown |= !t->part[REST].known;
	draw_part(w, t->part[REST].known ? REST : UNKNOWN, width - at);
}

/* Print a level from 0 to `most` as one character. */
static void print_level(struct pmk_writer *w, double v, double most)
{
	static const char *const utf8[LEVELS] = { "\u2581", "\u2582", "\u2583", "\u2584",
						  "\u2585", "\u2586", "\u2587", "\u2588" };
	unsigned i = most > 0 ? (unsigned)(v / most * LEVELS) : 0;

	i = i < LEVELS ? i : LEVELS - 1;
	if (w->opt.bars->utf8)
		fputs(utf8[i], w->f);
	else
		putc("_.:-=+*#"[i], w -> f);
}

/* Returns the width of the bar. The other texts of its line need `beside` columns. */
static unsigned bar_width(const struct pmk_writer *w, unsigned beside)
{
	unsigned columns = w->opt.bars->columns;

	if (columns < beside + LEAST_BAR)
		return LEAST_BAR;
	return columns - beside > MOST_BAR ? MOST_BAR : columns - beside;
}

/* Print the ratio of two numbers, or "-" if it is not known. */
static void print_ratio(struct pmk_writer *w, struct count c, bool known, uint64_t of, bool percent)
{
	double ratio = (double)c.n / (double)of;

	if (!c.known || !known || !of)
		fprintf(w->f, "%*s", NUMBER_WIDTH, "-");
	else if (percent)
		fprintf(w->f, "%*.1f%%", NUMBER_WIDTH - 1, 100.0 * ratio);
	else
		fprintf(w->f, "%*.2f", NUMBER_WIDTH, ratio);
}

static void print_headings(struct pmk_writer *w, const char *const *head)
{
	for (; *head; head++)
		fprintf(w->f, "%*s", NUMBER_WIDTH, *head);
	putc('\n', w->f);
}

/* ---- a section ------------------------------------------------------------------------------ */

static int name_width(const struct pmk_layers *layers)
{
	size_t width = NAME_WIDTH;

	for (unsigned i = 0; i < layers->n; i++)
		width = strlen(layers->layer[i].name) > width ? strlen(layers->layer[i].name)
							      : width;
	return (int)width;
}

static void layer_name(struct pmk_writer *w, const struct pmk_layer *l)
{
	fprintf(w->f, "   %-*s ", name_width(w->opt.bars->layers), l->name);
}

/* Draw a line for each layer that had traffic: "ARM-D ####ssb... 12.0% 8.1% …". Returns false if
 * there was none. */
static bool draw_shares(struct pmk_writer *w, struct pmk_bars_state *st,
			const struct pmk_section *s)
{
	static const char *const head[] = { "transfer", "slave", "bus", "other", "rest", NULL };
	const struct pmk_layers *layers = w->opt.bars->layers;
	unsigned name = (unsigned)name_width(layers);
	unsigned width = bar_width(w, 3 + name + 1 + 5 * NUMBER_WIDTH);
	bool begun = false;
	struct spent t;

	for (unsigned i = 0; i < layers->n; i++) {
		add_section(&t, layers, &layers->layer[i], s);
		if (!had_traffic(&t) || !t.cycles)
			continue;
		if (!begun) {
			fprintf(w->f, "\n   %-*s", (int)(name + 1 + width), "cycles of layers");
			print_headings(w, head);
		}
		begun = true;
		layer_name(w, &layers->layer[i]);
		draw_bar(w, st, &t, width);
		for (unsigned p = TRANSFER; p <= REST; p++)
			print_ratio(w, t.part[p], true, t.cycles, true);
		putc('\n', w->f);
	}
	return begun;
}

static void waits_per_burst(struct pmk_writer *w, const struct spent *t)
{
	print_ratio(w, t->waits, t->bursts.known, t->bursts.n, false);
	for (unsigned p = SLAVE; p <= OTHER; p++)
		print_ratio(w, t->part[p], t->bursts.known, t->bursts.n, false);
}

/* Draw the mean wait of the bursts of each layer, and its parts. */
static void draw_waits(struct pmk_writer *w, const struct pmk_section *s)
{
	static const char *const head[] = { "mean", "slave", "bus", "other", NULL };
	const struct pmk_layers *layers = w->opt.bars->layers;
	char text[PMK_NUMBER_SIZE + 2];
	bool begun = false;
	struct spent t;
	size_t at_least;

	for (unsigned i = 0; i < layers->n; i++) {
		add_section(&t, layers, &layers->layer[i], s);
		if (!t.bursts.n && !t.counted)
			continue;
		if (!begun) {
			fprintf(w->f, "\n   %-*s         bursts", name_width(layers) + 10,
				"waits per burst");
			print_headings(w, head);
		}
		begun = true;
		layer_name(w, &layers->layer[i]);
		at_least = t.counted ? strlen(strcpy(text, ">=")) : 0;
		pmk_number_text(text + at_least, t.bursts.n + t.counted, 0, w->opt.big_num);
		fprintf(w->f, "%24s", text);
		waits_per_burst(w, &t);
		putc('\n', w->f);
	}
}

/* Draw one line per layer for an interval, because intervals arrive while the program runs, and
 * there are many. */
static void draw_interval(struct pmk_writer *w, struct pmk_bars_state *st,
			  const struct pmk_section *s)
{
	static const char *const head[] = { "mean", "slave", "bus", "other", NULL };
	const struct pmk_layers *layers = w->opt.bars->layers;
	unsigned name = (unsigned)name_width(layers);
	unsigned before = 17 + (s->cpu >= 0 ? 9 : 0) + name + 1;
	unsigned width = bar_width(w, before + 4 * NUMBER_WIDTH);
	struct spent t;

	for (unsigned i = 0; i < layers->n; i++) {
		add_section(&t, layers, &layers->layer[i], s);
		if (!had_traffic(&t))
			continue;
		if (!st->head) {
			fprintf(w->f, "#%15s %s%-*s", "time", s->cpu >= 0 ? "cpu      " : "",
				(int)(name + 1 + width), "layer, waits per burst");
			print_headings(w, head);
		}
		st->head = st->drawn = true;
		pmk_text_line_start(w, s);
		fprintf(w->f, "%-*s ", (int)name, layers->layer[i].name);
		draw_bar(w, st, &t, width);
		waits_per_burst(w, &t);
		putc('\n', w->f);
	}
}

/* ---- distributions --------------------------------------------------------------------------- */

/*
 * Returns a value that the given percentage of the values does not exceed: the end of a bucket, or
 * the maximum.
 */
static uint64_t reached_by(const struct pmk_row *row, unsigned percent)
{
	const struct pmk_stats *values = &row->dist.values;
	double sum = 0, wanted = (double)values->n * percent / 100;
	unsigned b = 0;

	while (b < PMK_BUCKETS && (sum += (double)row->dist.histogram->count[b]) < wanted)
		b++;
	return b < PMK_BUCKETS && pmk_bucket_last(b) < values->max ? pmk_bucket_last(b)
								   : values->max;
}

/* Draw a column for each bucket. Its height is the bucket's count relative to that of the fullest
 * bucket. */
static void draw_columns(struct pmk_writer *w, const struct pmk_histogram *h, unsigned first,
			 unsigned last, unsigned each)
{
	uint64_t most = 0;

	for (unsigned b = first; b <= last; b++)
		most = h->count[b] > most ? h->count[b] : most;
	for (unsigned b = first; b <= last; b++)
		for (unsigned i = 0; i < each; i++)
			if (h->count[b])
				print_level(w, (double)h->count[b], (double)most);
			else
				putc(' ', w->f);
}

#define BUCKET_WIDTH  3 /* columns of a bucket, if the line has room */
#define REACHED_WIDTH 12

/* Draw "cpu.read ▁▂▃▅█▂ 63 255" for each row that has a histogram of the values named `of`. */
static void draw_spread(struct pmk_writer *w, const struct pmk_section *s, const char *of)
{
	char text[PMK_NUMBER_SIZE], ends[2 * PMK_NUMBER_SIZE + 4];
	unsigned first, last, each, width, name = (unsigned)strlen(of);

	pmk_used_buckets(s, of, &first, &last);
	for (unsigned i = 0; i < s->nrows; i++)
		if (pmk_has_histogram(&s->rows[i], of) && strlen(s->rows[i].name) > name)
			name = (unsigned)strlen(s->rows[i].name);
	each = bar_width(w, 3 + name + 2 + 3 * REACHED_WIDTH) / (last - first + 1);
	each = each > BUCKET_WIDTH ? BUCKET_WIDTH : each ? each : 1;
	pmk_number_text(text, pmk_bucket_first(first), 0, w->opt.big_num);
	snprintf(ends, sizeof(ends), "%s ... ", text);
	pmk_number_text(text, pmk_bucket_last(last), 0, w->opt.big_num);
	snprintf(ends + strlen(ends), sizeof(ends) - strlen(ends), "%s", text);
	width = (last - first + 1) * each;
	width = width > strlen(ends) ? width : (unsigned)strlen(ends);
	fprintf(w->f, "\n   %-*s  %-*s%*s%*s%*s\n", (int)name, of, (int)width, ends, REACHED_WIDTH,
		"half up to", REACHED_WIDTH, "90% up to", REACHED_WIDTH, "99% up to");
	for (unsigned i = 0; i < s->nrows; i++) {
		static const uint8_t percents[] = { 50, 90, 99 };

		if (!pmk_has_histogram(&s->rows[i], of))
			continue;
		fprintf(w->f, "   %-*s  ", (int)name, s->rows[i].name);
		draw_columns(w, s->rows[i].dist.histogram, first, last, each);
		fprintf(w->f, "%*s", (int)(width - (last - first + 1) * each), "");
		for (unsigned p = 0; p < sizeof(percents); p++) {
			pmk_number_text(text, reached_by(&s->rows[i], percents[p]), 0,
					w->opt.big_num);
			fprintf(w->f, "%*s", REACHED_WIDTH, text);
		}
		putc('\n', w->f);
	}
}

/* Draw all distributions of a section, grouped by the name of their values. */
static void draw_spreads(struct pmk_writer *w, const struct pmk_section *s)
{
	for (unsigned i = 0; i < s->nrows; i++) {
		const char *of = pmk_spread_of(&s->rows[i]);
		bool told = !pmk_has_histogram(&s->rows[i], of);

		for (unsigned k = 0; k < i && !told; k++)
			told = pmk_has_histogram(&s->rows[k], of);
		if (!told)
			draw_spread(w, s, of);
	}
}

void pmk_bars_section(struct pmk_writer *w, struct pmk_bars_state *st, const struct pmk_section *s)
{
	if (!w->opt.bars || !w->opt.bars->layers)
		return;
	if (s->interval) {
		draw_interval(w, st, s);
		return;
	}
	st->drawn |= draw_shares(w, st, s);
	draw_waits(w, s);
	draw_spreads(w, s);
}

/* ---- trends --------------------------------------------------------------------------------- */

/*
 * A value over time: the mean latency of an event, the mean wait per burst of a layer, or a number
 * of each interval. The number comes from `row`, a row of the first section, or else from `metric`.
 */
struct series {
	const struct pmk_row *row;	 /* NULL: the number comes from `metric` */
	const struct pmk_metric *metric; /* used if `row` is NULL */
	const struct pmk_event *event;
	const struct pmk_layer *layer;
	enum part part; /* part of the layer's waits; NPARTS: all of them */
	int cpu;
	char name[80];
};

/* Get the number that --plot draws for a section. Returns false if there is none. */
static bool number_of(const struct series *x, const struct pmk_result *r,
		      const struct pmk_section *s, double *v)
{
	const struct pmk_row *row = &s->rows[x->row ? x->row - r->sections[0].rows : 0];
	struct pmk_metric_value m;

	if (x->row) {
		*v = (double)row->value * (row->unit && !strcmp(row->unit, "ns") ? 1e-6 : 1);
		return pmk_trust_has_value(row->trust);
	}
	m = pmk_metric_eval(x->metric, r, s);
	*v = m.value;
	return m.valid;
}

/* Add the section's part of a point: the point is *sum divided by *n, for example the latencies
 * divided by their number. Returns false if the section has no known value. */
static bool add_point(const struct pmk_writer *w, const struct series *x,
		      const struct pmk_result *r, const struct pmk_section *s, double *sum,
		      double *n)
{
	double v;

	const struct pmk_row *row;
	struct count c;
	struct spent t;

	if (!s->interval || s->cpu != x->cpu)
		return false;
	if (x->row || x->metric) {
		if (!number_of(x, r, s, &v))
			return false;
		*sum += v;
		*n += 1;
		return true;
	}
	if (x->event) {
		row = pmk_section_row(s, x->event);
		if (!row || !row->has_dist || !row->dist.latency || row->dist.of ||
		    !row->dist.values.n)
			return false;
		*sum += (double)row->dist.values.sum;
		*n += (double)row->dist.values.n;
		return true;
	}
	add_section(&t, w->opt.bars->layers, x->layer, s);
	c = x->part == NPARTS ? t.waits : t.part[x->part];
	if (!c.known || !t.bursts.known || !t.bursts.n)
		return false;
	*sum += (double)c.n;
	*n += (double)t.bursts.n;
	return true;
}

struct range {
	double least, most;
	unsigned points; /* number of intervals with a value */
};

static struct range range_of(const struct pmk_writer *w, const struct series *x,
			     const struct pmk_result *r)
{
	struct range range = { 0 };

	for (unsigned i = 0; i < r->nsections; i++) {
		double sum = 0, n = 0;

		if (!add_point(w, x, r, &r->sections[i], &sum, &n))
			continue;
		if (!range.points || sum / n < range.least)
			range.least = sum / n;
		if (!range.points || sum / n > range.most)
			range.most = sum / n;
		range.points++;
	}
	return range;
}

/* Returns the number of intervals of a processor. */
static unsigned count_intervals(const struct pmk_result *r, int cpu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->nsections; i++)
		n += r->sections[i].interval && r->sections[i].cpu == cpu;
	return n;
}

static void draw_trend(struct pmk_writer *w, const struct pmk_result *r, const struct series *x,
		       double most, unsigned each)
{
	double sum = 0, n = 0;
	unsigned seen = 0, of = count_intervals(r, x->cpu);

	for (unsigned i = 0; i < r->nsections; i++) {
		if (!r->sections[i].interval || r->sections[i].cpu != x->cpu)
			continue;
		add_point(w, x, r, &r->sections[i], &sum, &n);
		if (++seen % each && seen < of)
			continue;
		if (n > 0)
			print_level(w, sum / n, most);
		else
			putc(' ', w->f);
		sum = n = 0;
	}
}

static void whole_range(struct pmk_writer *w, const struct range *range)
{
	char least[PMK_NUMBER_SIZE], most[PMK_NUMBER_SIZE];

	pmk_number_text(least, (uint64_t)range->least, 0, w->opt.big_num);
	pmk_number_text(most, (uint64_t)range->most, 0, w->opt.big_num);
	fprintf(w->f, "  least %s, most %s\n", least, most);
}

#define RANGE_WIDTH 25 /* "  least 12.34, most 123.45" */

/* Draw a series as one line. `most` is the value of a full column; 0 means the maximum of the
 * series. Returns the value that was used. */
static double draw_line(struct pmk_writer *w, struct pmk_bars_state *st, const struct pmk_result *r,
			struct series *x, double most)
{
	struct range range = range_of(w, x, r);
	unsigned all = count_intervals(r, x->cpu), width = bar_width(w, 3 + 25 + 1 + RANGE_WIDTH),
		 each;

	if (!range.points)
		return most;
	each = (all + width - 1) / width;
	if (!st->trends) {
		fprintf(w->f, "\n   %s by interval",
			x->row || x->metric ? "counts and metrics"
			: x->event	    ? "mean latency"
					    : "waits per burst");
		if (each > 1)
			fprintf(w->f, ", %u intervals in a column", each);
		putc('\n', w->f);
	}
	st->trends = true;
	most = most > 0 ? most : range.most;
	fprintf(w->f, "   %-25s ", x->name);
	draw_trend(w, r, x, most, each);
	if (x->row && !*pmk_unit_text(x->row))
		whole_range(w, &range);
	else
		fprintf(w->f, "  least %.2f, most %.2f\n", range.least, range.most);
	return most;
}

static void name_series(struct series *x, const char *name, const char *what)
{
	char cpu[20] = "";

	if (x->cpu >= 0)
		snprintf(cpu, sizeof(cpu), "CPU%d ", x->cpu);
	snprintf(x->name, sizeof(x->name), "%s%.40s %s", cpu, name, what);
}

/* Draw all waits of a layer, and their parts, on one scale. */
static void layer_trends(struct pmk_writer *w, struct pmk_bars_state *st,
			 const struct pmk_result *r, const struct pmk_layer *l, int cpu)
{
	static const struct {
		enum part part;
		const char *what;
	} lines[] = {
		{ NPARTS, "waits" }, { SLAVE, " slave" }, { BUS, " bus" }, { OTHER, " other" }
	};
	double most = 0;

	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct series x = { .layer = l, .part = lines[i].part, .cpu = cpu };

		name_series(&x, l->name, lines[i].what);
		/* Omit a part that never occurred. */
		if (i && range_of(w, &x, r).most == 0)
			continue;
		most = draw_line(w, st, r, &x, most);
	}
}

static void latency_trends(struct pmk_writer *w, struct pmk_bars_state *st,
			   const struct pmk_result *r, int cpu)
{
	const struct pmk_section *first = &r->sections[0];

	for (unsigned i = 0; i < first->nrows; i++) {
		struct series x = { .event = first->rows[i].event, .cpu = cpu };

		/* If an event has two rows, the first has its latency. */
		if (!x.event || pmk_section_row(first, x.event) != &first->rows[i])
			continue;
		name_series(&x, first->rows[i].name, "");
		draw_line(w, st, r, &x, 0);
	}
}

/* Draw the trends of --plot: every event, then every metric, each on a scale of its own that begins
 * at 0. */
static void draw_plot(struct pmk_writer *w, struct pmk_bars_state *st, const struct pmk_result *r,
		      int cpu)
{
	const struct pmk_section *first = &r->sections[0];

	for (unsigned i = 0; i < first->nrows; i++) {
		struct series x = { .row = &first->rows[i], .cpu = cpu };

		name_series(&x, first->rows[i].name, "");
		draw_line(w, st, r, &x, 0);
	}
	for (unsigned i = 0; w->opt.metrics && w->opt.metrics[i]; i++) {
		struct series x = { .metric = w->opt.metrics[i], .cpu = cpu };

		name_series(&x, w->opt.metrics[i]->name, "");
		draw_line(w, st, r, &x, 0);
	}
}

static int last_cpu(const struct pmk_result *r)
{
	int cpu = -1;

	for (unsigned i = 0; i < r->nsections; i++)
		if (r->sections[i].interval && r->sections[i].cpu > cpu)
			cpu = r->sections[i].cpu;
	return cpu;
}

void pmk_bars_end(struct pmk_writer *w, struct pmk_bars_state *st, const struct pmk_result *r)
{
	const struct pmk_layers *layers;

	if (!w->opt.bars)
		return;
	layers = w->opt.bars->layers;
	for (int cpu = -1; r->nsections && cpu <= last_cpu(r); cpu++) {
		if (w->opt.plot)
			draw_plot(w, st, r, cpu);
		for (unsigned i = 0; layers && i < layers->n; i++)
			layer_trends(w, st, r, &layers->layer[i], cpu);
		if (!w->opt.plot || layers)
			latency_trends(w, st, r, cpu);
	}
	if (!st->drawn)
		return;
	putc('\n', w->f);
	for (unsigned p = TRANSFER; p < NPARTS; p++) {
		if (p == UNKNOWN && !st->unknown)
			continue;
		fputs(p == TRANSFER ? "   " : p == OTHER ? "\n   " : ", ", w->f);
		draw_part(w, p, 1);
		fprintf(w->f, " %s", looks[p].legend);
	}
	putc('\n', w->f);
}
