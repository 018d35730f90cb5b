// SPDX-License-Identifier: MIT
/*
 * The page of pmk history: a line for each program and event over the commits, the commits in which
 * it changed, and a comparison of any two commits.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lab/history/history.h"
#include "cli/html/html.h"
#include "cli/output.h"

/* Size in the coordinates of the picture, which the page scales. */
#define WIDTH  1000.0
#define HEIGHT 100.0

/* Headings */
#define SERIES	 "Program|Core|Event"
#define COMPARED "#Base|#New|#Difference|#%"

/* ---- what changed ---------------------------------------------------------------------------- */

/* Returns the last commit with a value before `i` if the count changed in `i`, or -1. */
static long changed_since(const struct history_series *s, size_t i)
{
	long before = s->at[i].has_value ? history_before(s, i) : -1;

	return before >= 0 && s->at[before].value != s->at[i].value ? before : -1;
}

static size_t count_changes(const struct history *h, const struct history_series *s)
{
	size_t n = 0;

	for (size_t i = 0; i < h->ncommits; i++)
		n += changed_since(s, i) >= 0;
	return n;
}

/* Returns the first or last commit that has a value; -1: none. */
static long end_of(const struct history *h, const struct history_series *s, bool last)
{
	for (size_t k = 0; k < h->ncommits; k++) {
		size_t i = last ? h->ncommits - 1 - k : k;

		if (s->at[i].has_value)
			return (long)i;
	}
	return -1;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void put_commit(FILE *f, const struct history_commit *c)
{
	char name[48];

	history_short(c->name, name);
	html_print(f, "<th scope=\"row\" class=\"name\" title=\"%s\">%s</th>", c->name, name);
}

static void put_number(FILE *f, const struct history_count *c)
{
	html_cell(f, "", c && c->has_value, c ? c->value : 0);
}

/* Writes the difference, absolute and in percent. */
static void put_change(FILE *f, const struct history_count *a, const struct history_count *b)
{
	bool both = a && b && a->has_value && b->has_value && a->value != b->value;
	const char *direction = !both ? "" : b->value > a->value ? " more" : " less";
	char text[80] = "", *percent = text;

	if (both)
		history_change(a->value, b->value, text);
	strsep(&percent, " ");
	fprintf(f, "<td class=\"n%s\">%s</td><td class=\"n%s\">%s</td>", direction, text, direction,
		percent ? percent : "");
}

static void put_series_name(FILE *f, const struct history_series *s)
{
	html_print(f, "<td class=\"name\">%s</td><td>%s", s->program, s->core);
	if (*s->settings)
		html_print(f, " <small>%s</small>", s->settings);
	html_print(f, "</td><td class=\"name\">%s</td>", s->event);
}

/* ---- lines ----------------------------------------------------------------------------------- */

struct frame {
	uint64_t least, most;
	double step; /* distance of two commits */
};

static struct frame frame_of(const struct history *h, const struct history_series *s)
{
	struct frame r = { UINT64_MAX, 0, h->ncommits > 1 ? WIDTH / (double)(h->ncommits - 1) : 0 };

	for (size_t i = 0; i < h->ncommits; i++)
		if (s->at[i].has_value) {
			r.least = s->at[i].value < r.least ? s->at[i].value : r.least;
			r.most = s->at[i].value > r.most ? s->at[i].value : r.most;
		}
	return r;
}

static double height_of(const struct frame *r, uint64_t value)
{
	if (r->most <= r->least)
		return HEIGHT / 2;
	return HEIGHT - HEIGHT * (double)((long double)(value - r->least) /
					  (long double)(r->most - r->least));
}

static void put_point(FILE *f, const struct history *h, const struct history_series *s,
		      const struct frame *r, size_t i)
{
	long before = changed_since(s, i);
	const struct history_commit *c = &h->commit[i];
	char name[48], text[80] = "";

	if (before >= 0)
		history_change(s->at[before].value, s->at[i].value, text);
	history_short(c->name, name);
	html_print(
		f,
		"<path class=\"point%s\" d=\"M%.1f %.1fh0\"><title>%s: %ju%s%s\n%s</title></path>",
		before < 0			       ? ""
		: s->at[i].value > s->at[before].value ? " change more"
						       : " change less",
		(double)i * r->step, height_of(r, s->at[i].value), name, s->at[i].value,
		*text ? " " : "", text, c->subject);
}

static void put_line(FILE *f, const struct history *h, size_t number)
{
	const struct history_series *s = &h->series[number];
	struct frame r = frame_of(h, s);
	long last = end_of(h, s, true);
	bool pen = false;

	html_print(f, "<figure id=\"s%zu\"><figcaption><b>%s</b><output>", number, s->event);
	if (last >= 0)
		html_print(f, "%ju", s->at[last].value);
	fputs("</output></figcaption>\n", f);
	if (last < 0) {
		fputs("<p class=\"note\">not supported</p></figure>\n", f);
		return;
	}
	html_print(f,
		   "<div class=\"plot history\"><span class=\"top\">%ju</span>"
		   "<svg viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" "
		   "role=\"img\" aria-label=\"%s of each commit\"><path "
		   "d=\"",
		   r.most, WIDTH, HEIGHT, s->event);
	for (size_t i = 0; i < h->ncommits; i++) {
		if (s->at[i].has_value)
			fprintf(f, "%c%.1f %.1f", pen ? 'L' : 'M', (double)i * r.step,
				height_of(&r, s->at[i].value));
		pen = s->at[i].has_value || pen;
	}
	fputs("\"/>", f);
	for (size_t i = 0; i < h->ncommits; i++)
		if (s->at[i].has_value)
			put_point(f, h, s, &r, i);
	html_print(f, "</svg><span>%ju</span></div></figure>\n", r.least);
}

static bool same_program(const struct history_series *a, const struct history_series *b)
{
	return !strcmp(a->program, b->program) && !strcmp(a->core, b->core) &&
	       !strcmp(a->settings, b->settings);
}

static void put_lines(FILE *f, const struct history *h)
{
	fputs("<section id=\"lines\">\n", f);
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];

		if (!i || !same_program(s, s - 1))
			fputs(i ? "</div>\n" : "", f);
		html_print(f,
			   "<h2>%s <small>%s%s%s</small></h2>\n"
			   "<div class=\"charts plain\">\n",
			   s->program, s->core, *s->settings ? " " : "", s->settings);
		put_line(f, h, i);
	}
	fputs("</div>\n</section>\n", f);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_totals(FILE *f, const struct history *h)
{
	fputs("<section id=\"overview\">\n<h2>From the first commit to the last</h2>\n", f);
	html_table(f, "class=\"sortable\" id=\"totals\"",
		   SERIES "|#First|#Last|#Difference|#%|#Changes");
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];
		long first = end_of(h, s, false), last = end_of(h, s, true);

		fputs("<tr>", f);
		put_series_name(f, s);
		put_number(f, first < 0 ? NULL : &s->at[first]);
		put_number(f, last < 0 ? NULL : &s->at[last]);
		put_change(f, first < 0 ? NULL : &s->at[first], last < 0 ? NULL : &s->at[last]);
		fprintf(f, "<td class=\"n\"><a href=\"#s%zu\">%zu</a></td></tr>\n", i,
			count_changes(h, s));
	}
	html_table_end(f);
	fputs("</section>\n", f);
}

static void put_changes(FILE *f, const struct history *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->nseries; i++)
		n += count_changes(h, &h->series[i]);
	fputs("<section>\n<h2>Changes</h2>\n", f);
	if (!n) {
		fputs("<p>None: each commit has the same counts as the commit before "
		      "it.</p>\n</section>\n",
		      f);
		return;
	}
	html_filter(f, "changes", "Filter", "changes");
	html_table(f, "class=\"sortable\" id=\"changes\"",
		   "Commit|" SERIES "|#Before|#After|#Difference|#%|Subject");
	for (size_t i = 0; i < h->ncommits; i++)
		for (size_t k = 0; k < h->nseries; k++) {
			const struct history_series *s = &h->series[k];
			long before = changed_since(s, i);

			if (before < 0)
				continue;
			fputs("<tr>", f);
			put_commit(f, &h->commit[i]);
			put_series_name(f, s);
			put_number(f, &s->at[before]);
			put_number(f, &s->at[i]);
			put_change(f, &s->at[before], &s->at[i]);
			html_print(f, "<td>%s</td></tr>\n", h->commit[i].subject);
		}
	html_table_end(f);
	fputs("</section>\n", f);
}

/* ---- two commits ----------------------------------------------------------------------------- */

static void put_choice(FILE *f, const struct history *h, const char *id, const char *label,
		       size_t chosen)
{
	char name[48];

	fprintf(f, "<label>%s <select id=\"%s\">", label, id);
	for (size_t i = 0; i < h->ncommits; i++) {
		history_short(h->commit[i].name, name);
		html_print(f, "<option value=\"%zu\"%s>%s %.60s</option>", i,
			   i == chosen ? " selected" : "", name, h->commit[i].subject);
	}
	fputs("</select></label>\n", f);
}

/* Writes the counts of all commits, for the script. */
static void put_counts(FILE *f, const struct history *h, const struct history_count *at)
{
	fputs(" data-v=\"", f);
	for (size_t i = 0; i < h->ncommits; i++) {
		if (i)
			fputc(',', f);
		if (at[i].has_value)
			fprintf(f, "%" PRIu64, at[i].value);
	}
	fputc('"', f);
}

static void put_compared_cells(FILE *f, const struct history_count *base,
			       const struct history_count *fresh)
{
	put_number(f, base);
	put_number(f, fresh);
	put_change(f, base, fresh);
}

static void put_functions(FILE *f, const struct history *h, const struct history_functions *all)
{
	size_t last = h->ncommits - 1;
	long reference = history_reference(h, last);
	size_t base = reference < 0 ? last : (size_t)reference;

	if (!all->n)
		return;
	fputs("<h3>Functions that differ</h3>\n", f);
	html_filter(f, "functions-compared", "Filter", "functions");
	html_table(f, "class=\"sortable compared changed\" id=\"functions-compared\"",
		   COMPARED "|" SERIES "|Function");
	for (size_t i = 0; i < all->n; i++) {
		const struct history_function *x = &all->function[i];
		struct history_series named = *x->series;

		named.event = x->event;
		fputs("<tr", f);
		put_counts(f, h, x->at);
		fputs(">", f);
		put_compared_cells(f, &x->at[base], &x->at[last]);
		put_series_name(f, &named);
		html_print(f, "<td class=\"name\" title=\"%s\">%.100s</td></tr>\n",
			   x->file ? x->file : x->name, x->name);
	}
	html_table_end(f);
}

static void put_comparison(FILE *f, const struct history *h, const struct history_functions *all)
{
	size_t last = h->ncommits - 1;
	long reference = history_reference(h, last);
	size_t base = reference < 0 ? last : (size_t)reference;

	fputs("<section id=\"compare\">\n<h2>Two commits</h2>\n<div class=\"tools js\">", f);
	put_choice(f, h, "base", "Base", base);
	put_choice(f, h, "new", "New", last);
	fputs("</div>\n", f);
	html_table(f, "class=\"sortable compared\" id=\"compared\"", COMPARED "|" SERIES);
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];

		fputs("<tr", f);
		put_counts(f, h, s->at);
		fputs(">", f);
		put_compared_cells(f, &s->at[base], &s->at[last]);
		put_series_name(f, s);
		fputs("</tr>\n", f);
	}
	html_table_end(f);
	put_functions(f, h, all);
	fputs("</section>\n", f);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_page(FILE *f, const struct history *h, const struct history_functions *all,
		     const char *database)
{
	char name[48];

	html_head(f, database, "history", "Counts of commits");
	html_fact_number(f, "Commits", h->ncommits);
	history_short(h->commit[0].name, name);
	html_fact(f, "First", name);
	history_short(h->commit[h->ncommits - 1].name, name);
	html_fact(f, "Last", name);
	fputs("</dl>\n</header>\n<main>\n", f);
	put_totals(f, h);
	put_lines(f, h);
	put_changes(f, h);
	put_comparison(f, h, all);
	fputs("</main>\n", f);
	html_end(f);
}

int html_history(const struct history *h, const struct history_functions *functions,
		 const char *database, const char *path)
{
	struct pmk_whole w;
	int code = output_whole_open(&w, path);

	if (code)
		return code;
	put_page(w.f, h, functions, database);
	return output_whole_close(&w, path, 0);
}
