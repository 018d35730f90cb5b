// SPDX-License-Identifier: MIT
/* Writes the page of pmk sweep: a heat map, answers, and all cells in a table that can be
 * sorted. */
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

/* Writes a heat map. The script of the page draws other maps in its place. */
static void put_heat(FILE *f, const struct sweep_heat *h)
{
	double value, heat;

	if (!h->spot)
		return;
	html_print(f,
		   "<section id=\"heat\" data-event=\"%s\" data-across=\"%s\" data-down=\"%s\">\n"
		   "<h2>%s by %s</h2>\n<p class=\"note\">In percent of "
		   "the mean of each program.</p>\n",
		   h->event, h->across, h->down, h->event, h->across);
	html_table_begin(f, "!id=\"map\"");
	html_headings(f, "%s", h->down);
	for (unsigned x = 0; x < h->columns.count; x++)
		html_headings(f, "#%s", h->columns.word[x]);
	html_table_body(f);
	for (unsigned y = 0; y < h->rows.count; y++) {
		fputs("<tr>", f);
		html_cells(f, "!{}%s", h->rows.word[y]);
		for (unsigned x = 0; x < h->columns.count; x++)
			if (sweep_heat_at(h, y, x, &value, &heat))
				html_cells(f, "{class=\"n heat\" style=\"--p:%.1f%%\"}%.1f",
					   100 * heat, 100 * value);
			else
				html_cells(f, "#");
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
		html_cells(f, "#%s", v->trust ? v->trust : "not counted");
}

static void put_cell(FILE *f, const struct sweep_results *r, const struct sweep_row *row)
{
	fputs("<tr>", f);
	html_cells(f, "!{}%s|%s", row->name, row->core);
	for (size_t i = 0; i < r->settings.count; i++)
		html_cells(f, "#%s", row->setting[i] ? row->setting[i] : "-");
	for (size_t i = 0; i < r->events.count; i++)
		put_value(f, &row->value[i]);
	html_cells(f, "%s|%s", row->checked, sweep_row_failure(r, row));
	fputs("</tr>\n", f);
}

static void put_cells(FILE *f, const struct sweep_results *r)
{
	fputs("<section id=\"cells\">\n<h2>Cells</h2>\n", f);
	html_table_begin(f, "id=\"results\" class=\"sortable\"");
	html_headings(f, "{data-kind=\"factor\"}Program|{data-kind=\"factor\"}Core");
	for (size_t i = 0; i < r->settings.count; i++)
		html_headings(f, "#{data-kind=\"factor\"}%s", r->settings.word[i]);
	for (size_t i = 0; i < r->events.count; i++)
		html_headings(f, "#{data-kind=\"event\"}%s", r->events.word[i]);
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
