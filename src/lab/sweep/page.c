// SPDX-License-Identifier: MIT
/* The page of pmk sweep: a heat map, answers, and all cells in a table that can be sorted. */
#define _GNU_SOURCE
#include "cli/html/html.h"
#include "cli/output.h"
#include "lab/sweep/command.h"

static void put_head(FILE *f, const struct sweep_results *r, const char *input)
{
	size_t failed = 0;
	char text[64];

	for (size_t i = 0; i < r->nrows; i++)
		failed += sweep_row_failure(r, &r->row[i]) != NULL;
	html_begin(f, html_base_name(input), "sweep");
	fputs("<header>\n<p class=\"kind\">Sweep</p>\n<h1>", f);
	html_cut(f, html_base_name(input), 200);
	fputs("</h1>\n<dl class=\"facts\">\n", f);
	snprintf(text, sizeof(text), "%zu", r->nrows);
	html_fact(f, "cells", text);
	snprintf(text, sizeof(text), "%zu", failed);
	html_fact(f, "failed", text);
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
	fputs("<section id=\"heat\">\n<h2>", f);
	html_text(f, h->event);
	fputs(" by ", f);
	html_text(f, h->across);
	fputs("</h2>\n<p class=\"note\">In percent of the mean of each program.</p>\n"
	      "<div class=\"scroll fit\"><table id=\"map\">\n<thead><tr>",
	      f);
	html_heading(f, h->down, false, "");
	for (unsigned x = 0; x < h->columns.count; x++)
		html_heading(f, h->columns.word[x], true, "");
	fputs("</tr></thead>\n<tbody>\n", f);
	for (unsigned y = 0; y < h->rows.count; y++) {
		fputs("<tr><th scope=\"row\">", f);
		html_text(f, h->rows.word[y]);
		fputs("</th>", f);
		for (unsigned x = 0; x < h->columns.count; x++)
			put_spot(f, h, y, x);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n</section>\n", f);
}

static void put_answers(FILE *f, const char *answers)
{
	if (!*answers)
		return;
	fputs("<section id=\"answers\">\n<h2>Answers</h2>\n<div class=\"scroll\"><pre>", f);
	for (; *answers; answers++) {
		const char line[2] = { *answers, '\0' };

		if (*answers == '\n')
			fputc('\n', f);
		else
			html_text(f, line);
	}
	fputs("</pre></div>\n</section>\n", f);
}

static void put_value(FILE *f, const struct sweep_value *v)
{
	fputs("<td class=\"n\">", f);
	if (v->has_value)
		html_number(f, v->value);
	else if (v->there)
		html_text(f, v->trust ? v->trust : "not counted");
	fputs("</td>", f);
}

static void put_cell(FILE *f, const struct sweep_results *r, const struct sweep_row *row)
{
	const char *failure = sweep_row_failure(r, row);

	fputs("<tr><th scope=\"row\">", f);
	html_text(f, row->name);
	fputs("</th><td>", f);
	html_text(f, row->core);
	fputs("</td>", f);
	for (size_t i = 0; i < r->settings.count; i++) {
		fputs("<td class=\"n\">", f);
		html_text(f, row->setting[i] ? row->setting[i] : "-");
		fputs("</td>", f);
	}
	for (size_t i = 0; i < r->events.count; i++)
		put_value(f, &row->value[i]);
	fputs("<td>", f);
	if (row->checked)
		html_text(f, row->checked);
	fputs("</td><td>", f);
	if (failure)
		html_text(f, failure);
	fputs("</td></tr>\n", f);
}

static void put_cells(FILE *f, const struct sweep_results *r)
{
	fputs("<section id=\"cells\">\n<h2>Cells</h2>\n"
	      "<div class=\"scroll\"><table id=\"results\" class=\"sortable\">\n<thead><tr>",
	      f);
	html_heading(f, "Program", false, "");
	html_heading(f, "Core", false, "");
	for (size_t i = 0; i < r->settings.count; i++)
		html_heading(f, r->settings.word[i], true, "");
	for (size_t i = 0; i < r->events.count; i++)
		html_heading(f, r->events.word[i], true, "");
	html_heading(f, "Model of cycles", false, "");
	html_heading(f, "Failure", false, "");
	fputs("</tr></thead>\n<tbody>\n", f);
	for (size_t i = 0; i < r->nrows; i++)
		put_cell(f, r, &r->row[i]);
	fputs("</tbody></table></div>\n</section>\n", f);
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
