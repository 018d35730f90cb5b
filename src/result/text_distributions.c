// SPDX-License-Identifier: MIT
/*
 * Tables and histograms of distributions in the text report: how the occurrences of a region
 * differ, and how latencies are distributed.
 */
#include <stdio.h>
#include <string.h>

#include <pmk/error.h>

#include "result/internal.h"
#include "result/table.h"

#define TABLE_COLUMNS	8
#define LATENCY_COLUMNS 5 /* columns for latencies */

static void table_cell(char text[PMK_NUMBER_SIZE], const struct pmk_writer *w,
		       const struct pmk_row *row, unsigned column)
{
	static const enum pmk_detail details[TABLE_COLUMNS] = {
		PMK_DETAILS,	PMK_DETAIL_MEAN, PMK_DETAIL_STDDEV, PMK_DETAIL_MIN,
		PMK_DETAIL_MAX, PMK_DETAIL_RAW,	 PMK_DETAIL_COST,   PMK_DETAIL_NESTED,
	};

	if (column) {
		size_t at_least = 0;

		if (details[column] == PMK_DETAIL_MAX && row->has_dist && row->dist.saturated)
			at_least = strlen(strcpy(text, ">="));
		pmk_detail_text(text + at_least, row, details[column], 2, w->opt.big_num);
		if (!text[at_least])
			*text = '\0';
	} else if (row->has_dist)
		pmk_number_text(text, row->value, 0, w->opt.big_num);
	else
		*text = '\0';
	if (!*text)
		strcpy(text, "-");
}

/* True if the row is in the table: with `of`, a row whose distribution has that name; without it,
 * every row. */
static bool in_table(const struct pmk_row *row, const char *of)
{
	return !of || (row->has_dist && row->dist.latency && strcmp(of, pmk_spread_of(row)) == 0);
}

static unsigned with_distribution(const struct pmk_section *s, const char *of)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->nrows; i++)
		n += s->rows[i].has_dist && s->rows[i].dist.latency == (of != NULL) &&
		     in_table(&s->rows[i], of);
	return n;
}

int pmk_text_print_table(struct pmk_writer *w, const struct pmk_section *s, const char *of)
{
	static const char *const heads[TABLE_COLUMNS] = {
		"net total", "mean", "stddev", "min", "max", "raw total", "own cost", "nested",
	};
	struct table_column column[1 + TABLE_COLUMNS] = { { of ? of : "event", .left = true } };
	struct table t = { .column = column, .ncolumns = 1 };
	char text[PMK_NUMBER_SIZE];
	int err;

	if (!with_distribution(s, of))
		return 0;
	for (unsigned c = 0; c < (of ? LATENCY_COLUMNS : TABLE_COLUMNS); c++)
		column[t.ncolumns++].heading = of && c == 0 ? "count" : heads[c];
	for (unsigned i = 0; i < s->nrows; i++) {
		if (!in_table(&s->rows[i], of))
			continue;
		pmk_table_put(&t, "%s", s->rows[i].name);
		for (unsigned c = 0; c + 1 < t.ncolumns; c++) {
			table_cell(text, w, &s->rows[i], c);
			pmk_table_put(&t, "%s", text);
		}
		pmk_table_end_row(&t);
	}
	putc('\n', w->f);
	err = pmk_table_write_text(&t, w->f, "   ", 0);
	pmk_table_free(&t);
	return err ? PMK_ENOMEM : 0;
}

const char *pmk_spread_of(const struct pmk_row *row)
{
	return row->dist.of ? row->dist.of : PMK_LATENCY_TEXT;
}

bool pmk_has_histogram(const struct pmk_row *row, const char *of)
{
	return in_table(row, of) && row->dist.histogram && row->dist.values.n &&
	       pmk_trust_has_value(row->trust);
}

bool pmk_used_buckets(const struct pmk_section *s, const char *of, unsigned *first, unsigned *last)
{
	*first = PMK_BUCKETS;
	*last = 0;
	for (unsigned i = 0; i < s->nrows; i++)
		for (unsigned b = 0; b < PMK_BUCKETS && pmk_has_histogram(&s->rows[i], of); b++) {
			if (!s->rows[i].dist.histogram->count[b])
				continue;
			*first = b < *first ? b : *first;
			*last = b > *last ? b : *last;
		}
	return *first <= *last;
}

/* Print histograms. The columns are buckets, headed by the values that they represent. */
static int print_histograms(struct pmk_writer *w, const struct pmk_section *s, const char *of)
{
	struct table_column column[1 + PMK_BUCKETS] = {
		{ strcmp(of, PMK_LATENCY_TEXT) == 0 ? "by latency" : "by number", .left = true }
	};
	struct table t = { .column = column, .ncolumns = 1 };
	char head[PMK_BUCKETS][PMK_BUCKET_SIZE], text[PMK_NUMBER_SIZE];
	unsigned first, last;
	int err;

	if (!pmk_used_buckets(s, of, &first, &last))
		return 0;
	for (unsigned b = first; b <= last; b++) {
		pmk_bucket_text(head[b], b);
		column[t.ncolumns++].heading = head[b];
	}
	for (unsigned i = 0; i < s->nrows; i++) {
		if (!pmk_has_histogram(&s->rows[i], of))
			continue;
		pmk_table_put(&t, "%s", s->rows[i].name);
		for (unsigned b = first; b <= last; b++) {
			uint64_t n = s->rows[i].dist.histogram->count[b];

			pmk_number_text(text, n, 0, w->opt.big_num);
			pmk_table_put(&t, "%s", n ? text : "-");
		}
		pmk_table_end_row(&t);
	}
	putc('\n', w->f);
	err = pmk_table_write_text(&t, w->f, "   ", 0);
	pmk_table_free(&t);
	return err ? PMK_ENOMEM : 0;
}

int pmk_text_print_spreads(struct pmk_writer *w, const struct pmk_section *s)
{
	for (unsigned i = 0; i < s->nrows; i++) {
		const char *of = pmk_spread_of(&s->rows[i]);
		bool told = !in_table(&s->rows[i], of);

		for (unsigned k = 0; k < i && !told; k++)
			told = in_table(&s->rows[k], of);
		if (told)
			continue;
		if (pmk_text_print_table(w, s, of) || print_histograms(w, s, of))
			return PMK_ENOMEM;
	}
	return 0;
}
