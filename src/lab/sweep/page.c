// SPDX-License-Identifier: MIT
/* The page of pmk sweep: a heat map, answers, and all cells in a table that can be sorted. */
#define _GNU_SOURCE
#include "cli/html/html.h"
#include "cli/output.h"
#include "lab/sweep/command.h"

static void put_head(FILE *f, const struct sweep_results *r, const char *input)
{
	size_t failed = 0;

	for (size_t i = 0; i < r->nrows; i++)
		failed += sweep_row_failure(r, &r->row[i]) != NULL;
	html_head(f, html_base_name(input), "sweep", "Sweep");
	html_fact_number(f, "cells", r->nrows);
	html_fact_number(f, "failed", failed);
	fputs("</dl>\n</header>\n<main>\n", f);
}

static void put_spot(FILE *f, const struct sweep_heat *h, size_t row, size_t column)
{
	double value, heat;

	if (!sweep_heat_at(h, row, column, &value, &heat))
		fputs("<td></td>", f);
	else
		fprintf(f, "<td class=\"n heat\" style=\"--p:%.1f%%\">%.1f</td>", 100 * heat,
			100 * value);
}

static void put_heat(FILE *f, const struct sweep_heat *h)
{
	if (!h->spot)
		return;
	html_print(f,
		   "<section id=\"heat\">\n"
		   "<h2>%s by %s</h2>\n<p class=\"note\">In percent of "
		   "the mean of each program.</p>\n",
		   h->event, h->across);
	html_table_begin(f, "!id=\"map\"", NULL);
	html_heading(f, h->down, false, "");
	for (unsigned x = 0; x < h->columns.count; x++)
		html_heading(f, h->columns.word[x], true, "");
	html_table_body(f);
	for (unsigned y = 0; y < h->rows.count; y++) {
		html_print(f, "<tr><th scope=\"row\">%s</th>", h->rows.word[y]);
		for (unsigned x = 0; x < h->columns.count; x++)
			put_spot(f, h, y, x);
		fputs("</tr>\n", f);
	}
	html_table_end(f);
	fputs("</section>\n", f);
}

static void put_answers(FILE *f, const char *answers)
{
	if (!*answers)
		return;
	fputs("<section id=\"answers\">\n<h2>Answers</h2>\n<div class=\"scroll\"><pre>", f);
	html_lines(f, answers, "\n");
	fputs("</pre></div>\n</section>\n", f);
}

static void put_value(FILE *f, const struct sweep_value *v)
{
	if (v->has_value || !v->there)
		html_cell(f, "", v->has_value, v->value);
	else
		html_print(f, "<td class=\"n\">%s</td>", v->trust ? v->trust : "not counted");
}

static void put_cell(FILE *f, const struct sweep_results *r, const struct sweep_row *row)
{
	html_print(f, "<tr><th scope=\"row\">%s</th><td>%s</td>", row->name, row->core);
	for (size_t i = 0; i < r->settings.count; i++)
		html_print(f, "<td class=\"n\">%s</td>", row->setting[i] ? row->setting[i] : "-");
	for (size_t i = 0; i < r->events.count; i++)
		put_value(f, &row->value[i]);
	html_print(f, "<td>%s</td><td>%s</td></tr>\n", row->checked, sweep_row_failure(r, row));
}

static void put_cells(FILE *f, const struct sweep_results *r)
{
	fputs("<section id=\"cells\">\n<h2>Cells</h2>\n", f);
	html_table_begin(f, "id=\"results\" class=\"sortable\"", "Program|Core");
	for (size_t i = 0; i < r->settings.count; i++)
		html_heading(f, r->settings.word[i], true, "");
	for (size_t i = 0; i < r->events.count; i++)
		html_heading(f, r->events.word[i], true, "");
	html_headings(f, "Model of cycles|Failure");
	html_table_body(f);
	for (size_t i = 0; i < r->nrows; i++)
		put_cell(f, r, &r->row[i]);
	html_table_end(f);
	fputs("</section>\n", f);
}

int html_sweep(const struct sweep_results *r, const struct sweep_heat *heat, const char *answers,
	       const char *input, const char *path)
{
	struct pmk_whole w;
	int code = output_whole_open(&w, path);

	if (code)
		return code;
	put_head(w.f, r, input);
	put_heat(w.f, heat);
	put_answers(w.f, answers);
	put_cells(w.f, r);
	fputs("</main>\n", w.f);
	html_end(w.f);
	return output_whole_close(&w, path, 0);
}
