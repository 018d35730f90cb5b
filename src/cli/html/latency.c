// SPDX-License-Identifier: MIT
/*
 * Histograms: how often a timed event took each number of cycles. There are two bars for each
 * number of cycles, because rare occurrences may take most of the time.
 */
#include <math.h>

#include "cli/html/tree.h"

/* The latencies of one event. */
struct histogram {
	const struct pmk_tables_latency *row;
	size_t n;
	uint64_t all; /* occurrences; UINT64_MAX if there are more, as in a damaged recording */
	double times, sum, squares;
};

static bool is_shown(const struct html_page *p, uint32_t event)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->event[i] == event)
			return true;
	return false;
}

/* Returns the rows that have the event of row `from`. */
static struct histogram histogram_at(const struct pmk_tables *t, size_t from)
{
	struct histogram h = { .row = &t->latency[from] };

	while (from + h.n < t->nlatencies && h.row[h.n].event == h.row->event) {
		double times = (double)h.row[h.n].times, cycles = (double)h.row[h.n].cycles;

		if (__builtin_add_overflow(h.all, h.row[h.n].times, &h.all))
			h.all = UINT64_MAX;
		h.times += times;
		h.sum += times * cycles;
		h.squares += times * cycles * cycles;
		h.n++;
	}
	return h;
}

static void put_bar(FILE *f, double part, double all)
{
	double percent = all > 0 ? 100 * part / all : 0;
	char text[16] = "< 0.1";

	if (percent >= 0.1)
		snprintf(text, sizeof(text), "%.1f", percent);
	html_cells(f, "{class=\"n bar\" style=\"--p:%.2f%%\"}%s", percent, text);
}

static void put_summary(FILE *f, const struct histogram *h)
{
	double mean = h->times > 0 ? h->sum / h->times : 0;
	double variance = h->times > 0 ? h->squares / h->times - mean * mean : 0;

	html_print(f,
		   "<p>%ju times, least %llu, most %llu cycles, mean %.3f, "
		   "standard deviation %.3f</p>\n",
		   h->all, (unsigned long long)h->row[0].cycles,
		   (unsigned long long)h->row[h->n - 1].cycles, mean,
		   variance > 0 ? sqrt(variance) : 0);
}

static void put_histogram(const struct html_page *p, const struct histogram *h)
{
	html_print(p->f, "<h3>%s</h3>\n", pmk_tables_event_name(&p->r->t, h->row->event));
	put_summary(p->f, h);
	html_table(p->f, "!class=\"sortable latency\"",
		   "#Cycles|#Times|#{data-plain}%% of times|#{data-plain}%% of their cycles");
	for (size_t i = 0; i < h->n; i++) {
		const struct pmk_tables_latency *l = &h->row[i];

		fputs("<tr>", p->f);
		html_cells(p->f, "!{class=\"n\"}%ju|#%ju", l->cycles, l->times);
		put_bar(p->f, (double)l->times, h->times);
		put_bar(p->f, (double)l->times * (double)l->cycles, h->sum);
		fputs("</tr>\n", p->f);
	}
	html_table_end(p->f);
}

bool html_have_latencies(const struct html_page *p)
{
	for (size_t i = 0; i < p->r->t.nlatencies; i++)
		if (is_shown(p, p->r->t.latency[i].event))
			return true;
	return false;
}

void html_latencies(const struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	struct histogram h;

	if (!html_have_latencies(p))
		return;
	fputs("<section id=\"latencies\">\n<h2>Latencies</h2>\n", p->f);
	for (size_t i = 0; i < t->nlatencies; i += h.n) {
		h = histogram_at(t, i);
		if (is_shown(p, h.row->event))
			put_histogram(p, &h);
	}
	fputs("</section>\n", p->f);
}
