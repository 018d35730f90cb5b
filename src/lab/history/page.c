// SPDX-License-Identifier: MIT
/*
 * The page of pmk history: tables of the first and last commit and of the commits in which a count
 * changed; and the counts of all commits as JSON, from which history.js draws a line for each
 * program and event and a comparison of any two commits:
 *
 *	commits		[name, short name, time in seconds or 0, subject]
 *	series		[program, core, settings, event, "counts"]; counts are by commit, such as
 *			"12,,0"
 *	functions	[series, event, name, file, "counts"]
 *	base, last	the commits that are compared first
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "lab/history/history.h"
#include "cli/html/html.h"
#include "cli/output.h"

/* Headings */
#define SERIES "Program|Core|Event"

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

/* ---- cells ----------------------------------------------------------------------------------- */

/* Writes two counts and their difference, absolute and in percent. */
static void put_counts(FILE *f, const struct history_count *a, const struct history_count *b)
{
	bool both = a->has_value && b->has_value && a->value != b->value;
	const char *direction = !both ? "" : b->value > a->value ? " more" : " less";
	char text[80] = "", *percent = text;

	if (both)
		history_change(a->value, b->value, text);
	strsep(&percent, " ");
	html_cell(f, "", a->has_value, a->value);
	html_cell(f, "", b->has_value, b->value);
	html_cells(f, "{class=\"n%s\"}%s|{class=\"n%s\"}%s", direction, text, direction, percent);
}

static void put_series_name(FILE *f, const struct history_series *s)
{
	html_cells(f, "{class=\"name\"}%s|%s%s%s|{class=\"name\"}%s", s->program, s->core,
		   *s->settings ? " " : "", s->settings, s->event);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_totals(FILE *f, const struct history *h)
{
	fputs("<section id=\"overview\">\n<h2>From the first commit to the last</h2>\n", f);
	html_table(f, "class=\"sortable\" id=\"totals\"",
		   SERIES "|#First|#Last|#Difference|#%%|#Changes");
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];
		size_t first = 0, last = h->ncommits - 1;

		while (first < last && !s->at[first].has_value)
			first++;
		while (last > first && !s->at[last].has_value)
			last--;
		fputs("<tr>", f);
		put_series_name(f, s);
		put_counts(f, &s->at[first], &s->at[last]);
		fprintf(f, "<td class=\"n\"><a href=\"#s%zu\">%zu</a></td></tr>\n", i,
			count_changes(h, s));
	}
	html_table_end(f);
	fputs("</section>\n", f);
}

static void put_changes(FILE *f, const struct history *h)
{
	size_t n = 0;
	char name[48];

	for (size_t i = 0; i < h->nseries; i++)
		n += count_changes(h, &h->series[i]);
	fputs("<section>\n<h2>Changes</h2>\n", f);
	if (!n) {
		fputs("<p>None: each commit has the same counts as the commit before "
		      "it.</p>\n</section>\n",
		      f);
		return;
	}
	html_table(f, "class=\"sortable\" id=\"changes\" data-filter=\"Filter\"",
		   "Commit|" SERIES "|#Before|#After|#Difference|#%%|Subject");
	for (size_t i = 0; i < h->ncommits; i++)
		for (size_t k = 0; k < h->nseries; k++) {
			const struct history_series *s = &h->series[k];
			long before = changed_since(s, i);

			if (before < 0)
				continue;
			history_short(h->commit[i].name, name);
			fputs("<tr>", f);
			html_cells(f, "!{class=\"name\" title=\"%s\"}%s", h->commit[i].name, name);
			put_series_name(f, s);
			put_counts(f, &s->at[before], &s->at[i]);
			html_cells(f, "%s", h->commit[i].subject);
			fputs("</tr>\n", f);
		}
	html_table_end(f);
	fputs("</section>\n", f);
}

/* ---- data ----------------------------------------------------------------------------------- */

static void put_json(FILE *f, const struct history *h, const struct history_count *at)
{
	for (size_t i = 0; i < h->ncommits; i++) {
		fputs(i ? "," : ",\"", f);
		if (at[i].has_value)
			fprintf(f, "%" PRIu64, at[i].value);
	}
	fputs("\"]", f);
}

static void put_data(FILE *f, const struct history *h, const struct history_functions *all)
{
	const size_t last = h->ncommits - 1;
	const long base = history_reference(h, last);
	char name[48];

	fprintf(f,
		"<script type=\"application/json\" id=\"history-data\">"
		"{\"base\":%zu,\"last\":%zu,\n"
		"\"commits\":[",
		base < 0 ? last : (size_t)base, last);
	for (size_t i = 0; i < h->ncommits; i++) {
		const struct history_commit *c = &h->commit[i];

		history_short(c->name, name);
		html_json(f, "%s\n[\"%s\",\"%s\",%lld,\"%s\"]", i ? "," : "", c->name, name,
			  (long long)c->time, c->subject);
	}
	fputs("],\n\"series\":[", f);
	for (size_t i = 0; i < h->nseries; i++) {
		const struct history_series *s = &h->series[i];

		html_json(f, "%s\n[\"%s\",\"%s\",\"%s\",\"%s\"", i ? "," : "", s->program, s->core,
			  s->settings, s->event);
		put_json(f, h, s->at);
	}
	fputs("],\n\"functions\":[", f);
	for (size_t i = 0; i < all->n; i++) {
		const struct history_function *x = &all->function[i];

		html_json(f, "%s\n[%zu,\"%s\",\"%s\",\"%s\"", i ? "," : "",
			  (size_t)(x->series - h->series), x->event, x->name, x->file);
		put_json(f, h, x->at);
	}
	fputs("]}</script>\n", f);
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
	fputs("<section id=\"lines\"></section>\n", f);
	put_changes(f, h);
	fputs("<section id=\"compare\"></section>\n", f);
	put_data(f, h, all);
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
