// SPDX-License-Identifier: MIT
/* The page of a comparison: totals, then the differences for each event. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/diff.h"
#include "cli/html/tree.h"
#include "cli/output.h"

#define MOST	500 /* rows of a table */
#define COLUMNS "#Base|#New|#Difference|#%%|%s"

/* Writes a row. The longest bar of a table is for the greatest difference, `most`; other bars are
 * in proportion. */
static void put_row(FILE *f, const struct diff *d, size_t row, size_t event, uint64_t most)
{
	uint64_t base = diff_value(d, row, event, DIFF_BASE),
		 fresh = diff_value(d, row, event, DIFF_NEW);
	const char *direction = fresh > base ? " more" : fresh < base ? " less" : "";
	char delta[48], percent[48], *name = diff_label(d, row, event);

	diff_delta_text(d, row, event, true, delta);
	diff_percent_text(d, row, event, percent, sizeof(percent));
	fprintf(f, "<tr%s>", diff_exceeded(d, row, event) ? " class=\"over\"" : "");
	html_cells(f,
		   "#%ju|#%ju|{class=\"n bar%s\" style=\"--p:%.2f%%\"}%s|{class=\"n%s\"}%s|"
		   "!{class=\"name\" title=\"%s\"}%.100s",
		   base, fresh, direction, html_percent(diff_distance(d, row, event), most), delta,
		   direction, percent, d->row[row].file ? d->row[row].file : name,
		   name ? name : "?");
	fputs("</tr>\n", f);
	free(name);
}

/* ---- head ----------------------------------------------------------------------------------- */

static void put_side(FILE *f, const struct diff *d, enum diff_side side, const char *name)
{
	html_print(f, "<div><dt>%s</dt><dd><b>%s</b>", name, d->path[side]);
	if (d->command[side] && *d->command[side])
		html_print(f, "<br>%.200s", d->command[side]);
	if (d->core[side] && *d->core[side])
		html_print(f, "<br>%s", d->core[side]);
	fputs("</dd></div>\n", f);
}

static void put_verdict(FILE *f, const struct diff *d)
{
	size_t over = 0;

	for (size_t event = 0; event < d->nevents; event++)
		for (size_t row = 0; row < d->nrows; row++)
			over += diff_exceeded(d, row, event) != NULL;
	if (over)
		fprintf(f, "<p class=\"warning\">%zu count%s over %s: the shaded row%s.</p>\n",
			over, over > 1 ? "s are" : " is", over > 1 ? "their limits" : "its limit",
			over > 1 ? "s" : "");
	else if (d->nlimits)
		fputs("<p>No count is over its limit.</p>\n", f);
}

static void put_note(void *ctx, const char *line)
{
	html_print(ctx, "<p class=\"note\">%s</p>\n", line);
}

static void put_head(FILE *f, const struct diff *d)
{
	html_begin(f, d->path[DIFF_NEW], "diff");
	html_print(f,
		   "<header>\n<p class=\"kind\">Comparison of</p>\n"
		   "<h1>%.200s with %.200s</h1>\n<dl class=\"facts\">\n",
		   d->path[DIFF_NEW], d->path[DIFF_BASE]);
	put_side(f, d, DIFF_BASE, "Base");
	put_side(f, d, DIFF_NEW, "New");
	fputs("</dl>\n", f);
	put_verdict(f, d);
	diff_each_note(d, put_note, f);
	fprintf(f,
		"</header>\n<nav aria-label=\"Parts of this page\">%s"
		"<a href=\"#overview\">Totals</a><a href=\"#events\">What differs</a></nav>\n"
		"<main>\n",
		d->paths.nnodes ? "<a href=\"#calls\">Flame graph</a>" : "");
}

static void put_totals(FILE *f, const struct diff *d)
{
	fputs("<section id=\"overview\">\n<h2>Totals</h2>\n", f);
	html_table(f, "class=\"sortable diff\" id=\"totals\"", COLUMNS, "Event");
	for (size_t event = 0; event < d->nevents; event++)
		put_row(f, d, 0, event, 0);
	html_table_end(f);
	fputs("</section>\n", f);
}

/* ---- events --------------------------------------------------------------------------------- */

static void put_table(FILE *f, const struct diff_table *t)
{
	static const char *const heading[] = {
		[DIFF_SECTION] = "Region", [DIFF_FUNCTION] = "Function", [DIFF_LINE] = "Line"
	};
	char attributes[128], kinds[32];
	size_t shown = t->n < MOST ? t->n : MOST;
	uint64_t most = diff_distance(t->d, t->row[0], t->event);

	snprintf(attributes, sizeof(attributes),
		 "class=\"sortable diff\" id=\"e%zu-%s\" data-filter=\"Filter by name\"", t->event,
		 diff_kind_names[t->kind]);
	snprintf(kinds, sizeof(kinds), "%ss", diff_kind_names[t->kind]);
	fprintf(f, "<h3>%c%s that differ</h3>\n", kinds[0] - 'a' + 'A', kinds + 1);
	html_table(f, attributes, COLUMNS, heading[t->kind]);
	for (size_t i = 0; i < shown; i++)
		put_row(f, t->d, t->row[i], t->event, most);
	html_table_end(f);
	if (t->n > shown)
		fprintf(f,
			"<p class=\"note\">%zu more differ; <code>pmk diff -j</code> has "
			"all.</p>\n",
			t->n - shown);
}

/* Writes the tables of an event. Returns false if the event does not differ anywhere. */
static bool put_event(FILE *f, struct diff_table *t, size_t event, bool open)
{
	char delta[48], percent[48];
	bool begun = false;

	diff_delta_text(t->d, 0, event, true, delta);
	diff_percent_text(t->d, 0, event, percent, sizeof(percent));
	for (enum diff_kind kind = DIFF_SECTION; kind < DIFF_KINDS; kind++) {
		diff_table_fill(t, kind, event, DIFF_FOR_PEOPLE);
		if (t->n && !begun) {
			html_print(f,
				   "<details%s data-event=\"%zu\"><summary><b>%s</b> "
				   "<small>%s, %s</small></summary>\n",
				   open ? " open" : "", event, t->d->event[event], delta, percent);
			begun = true;
		}
		if (t->n)
			put_table(f, t);
	}
	if (begun)
		fputs("</details>\n", f);
	return begun;
}

/* Writes the flame graph of both sides. Returns false when out of memory. */
static bool put_paths(FILE *f, const struct diff *d)
{
	struct html_page p = { .f = f, .d = d, .n = d->paths.n, .tree = d->paths };
	bool done;

	p.total = p.inclusive = pmk_tree_inclusive(&p.tree);
	done = p.inclusive && html_flame(&p);
	free(p.inclusive);
	return done;
}

static bool put_page(FILE *f, struct diff_table *t)
{
	bool any = false;

	put_head(f, t->d);
	if (t->d->paths.nnodes && !put_paths(f, t->d))
		return false;
	put_totals(f, t->d);
	fputs("<section id=\"events\">\n<h2>What differs</h2>\n", f);
	for (size_t event = 0; event < t->d->nevents; event++)
		any |= put_event(f, t, event, !any);
	if (!any)
		fputs("<p>Nothing: no region, function or line.</p>\n", f);
	fputs("</section>\n</main>\n", f);
	html_end(f);
	return true;
}

int html_diff(const struct diff *d, const char *path)
{
	struct diff_table t = { .d = d, .row = malloc((d->nrows + 1) * sizeof(*t.row)) };
	struct pmk_whole w;
	int code;

	if (!t.row)
		return cli_no_memory();
	code = output_whole_open(&w, path);
	if (!code) {
		code = put_page(w.f, &t) ? 0 : cli_no_memory();
		code = output_whole_close(&w, path, code);
	}
	free(t.row);
	return code;
}
