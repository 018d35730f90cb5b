// SPDX-License-Identifier: MIT
/* The page of a recording: what ran and what was counted, then its parts. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "cli/html/tree.h"
#include "cli/output.h"

/* Maximum number of call paths of all threads. If there are more, the page does not distinguish
 * threads, to save memory. */
#define MOST_PATHS 500000

/* ---- events --------------------------------------------------------------------------------- */

static bool is_executions(const struct html_page *p, size_t i)
{
	return p->event[i] == PMK_TABLES_EXECUTIONS;
}

/* Chooses the events. Event 0 is the event that the user named first. If the user named none, it is
 * cycles, or the first event if there are no cycles. Events whose count is 0 are left out unless
 * the user named them. */
static int choose_events(struct html_page *p)
{
	const struct recorded *r = p->r;
	struct pmk_choice main = { 0 };
	int err = r->by_name ? 0 : pmk_choice_cycles(&main, &r->t);

	p->event = err ? NULL : malloc((r->c.n + 2) * sizeof(*p->event));
	if (!p->event)
		return cli_no_memory();
	p->executions = SIZE_MAX;
	if (main.n)
		p->event[p->n++] = main.event[0];
	for (size_t i = 0; i < r->c.n; i++) {
		uint32_t event = r->c.event[i];

		if ((p->n && event == p->event[0]) ||
		    (!r->by_name && event != PMK_TABLES_EXECUTIONS && !r->t.event[event].total))
			continue;
		p->event[p->n++] = event;
	}
	pmk_choice_free(&main);
	for (size_t i = 0; i < p->n; i++)
		if (is_executions(p, i))
			p->executions = i;
	if (r->t.sampled) {
		p->executions = p->n; /* samples have no executions */
	} else if (p->executions == SIZE_MAX) {
		p->executions = p->n;
		p->event[p->n++] = PMK_TABLES_EXECUTIONS;
	}
	return 0;
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* Build the tree with its sums. Returns 0 or an exit code. */
static int build_tree(struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	struct pmk_tree *tree = &p->tree;
	bool by_thread = t->nthreads > 1 && t->nthreads * t->ncontexts <= MOST_PATHS;
	char msg[300];

	if (pmk_tree_build(tree, t, p->event, p->n, by_thread, msg, sizeof(msg)))
		return recorded_failed(p->r, msg);
	p->total = p->inclusive = pmk_tree_inclusive(tree);
	return p->inclusive ? 0 : cli_no_memory();
}

bool html_tree_is_function(const struct html_page *p, uint32_t frame)
{
	const struct pmk_tables *t = &p->r->t;

	return frame < t->nfunctions ||
	       (frame != PMK_TABLES_NONE && frame >= t->nfunctions + t->ninlined &&
		pmk_tree_thread(&p->tree, frame) == PMK_TABLES_NONE);
}

void html_title(const struct html_page *p, const char *text)
{
	html_print(p->f, "<h2>%s <small>by <span class=\"event\">%s</span></small></h2>\n", text,
		   html_event(p, 0));
}

/* ---- overview ------------------------------------------------------------------------------- */

static void put_facts(const struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	static const char *const names[][2] = { { "producer", "Counted by" },
						{ "settings", "Settings" },
						{ "checked", "Cycles" },
						{ "pmk", "Recorded with pmk" } };

	html_head(p->f, t->command, "report", "Recording of");
	html_fact(p->f, "Core", t->core);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text = recorded_fact(p->r, names[i][0]);

		html_fact(p->f, names[i][1], text);
		free(text);
	}
	if (!t->sampled)
		html_fact_number(p->f, "Instructions", p->total[p->executions]);
	html_fact_number(p->f, "Threads", t->nthreads);
	fputs("</dl>\n", p->f);
}

static void put_warnings(const struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;

	if (t->partial && !*t->warning)
		fputs("<p class=\"warning\">A part of the run was not counted.</p>\n", p->f);
	html_notices(p->f, t->warning, "warning");
	html_notices(p->f, t->note, "note");
}

static void put_total(const struct html_page *p, uint32_t event, uint64_t value)
{
	uint64_t executions = p->r->t.sampled ? 0 : p->total[p->executions];
	char trust[24];

	fputs("<tr>", p->f);
	html_cells(p->f, "!%s|#%ju", pmk_tables_event_name(&p->r->t, event), value);
	if (executions)
		html_cells(p->f, "#%.2f", 1000.0 * (double)value / (double)executions);
	else if (!p->r->t.sampled)
		html_cells(p->f, "#");
	html_trust(p->f, "td", recorded_trust(p->r, event, trust));
	fputs("</tr>\n", p->f);
}

static void put_without_value(void *page, const char *name, const char *trust, const char *reason)
{
	html_without(((const struct html_page *)page)->f, name, trust, reason);
}

/* Write all totals. Events that counted 0 appear only in this table. */
static void put_totals(const struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;
	size_t without = 0;

	html_table(p->f, "class=\"sortable totals\" id=\"totals\"",
		   t->sampled ? "Event|#Total|Trust" : "Event|#Total|#per 1000 instructions|Trust");
	for (size_t i = 0; i < p->n; i++)
		if (!is_executions(p, i) || p->r->by_name)
			put_total(p, p->event[i], p->total[i]);
	for (uint32_t i = 0; !p->r->by_name && i < t->nevents; i++)
		if (t->event[i].has_total && !t->event[i].total)
			put_total(p, i, 0);
	html_table_end(p->f);
	for (size_t i = 0; !p->r->by_name && i < t->nevents; i++)
		without += !t->event[i].has_total;
	html_without_begin(p->f, without);
	if (without)
		recorded_without_value(p->r, put_without_value, (void *)p);
	html_without_end(p->f, without);
}

static void put_objects(const struct html_page *p)
{
	const struct pmk_tables *t = &p->r->t;

	fputs("<details><summary>What ran</summary>", p->f);
	html_table(p->f, "", "Object|Build id");
	for (size_t i = 0; i < t->nobjects; i++)
		html_row(p->f, "!{}%s|<code>%s</code>", t->object[i].path, t->object[i].build_id);
	html_table_end(p->f);
	fputs("</details>\n", p->f);
}

static void put_head(const struct html_page *p)
{
	put_facts(p);
	put_warnings(p);
	fputs("</header>\n<nav aria-label=\"Parts of this page\">"
	      "<a href=\"#calls\">Flame graph</a><a href=\"#by-function\">Functions</a>"
	      "<a href=\"#overview\">Totals</a>",
	      p->f);
	if (html_have_latencies(p))
		fputs("<a href=\"#latencies\">Latencies</a>", p->f);
	fputs("<a href=\"#source\">Source</a>\n"
	      "</nav>\n<main>\n",
	      p->f);
}

static void put_overview(const struct html_page *p)
{
	fputs("<section id=\"overview\">\n<h2>Totals</h2>\n", p->f);
	put_totals(p);
	put_objects(p);
	fputs("</section>\n", p->f);
}

/* ---- the page ------------------------------------------------------------------------------- */

static bool put_page(struct html_page *p)
{
	put_head(p);
	if (!html_flame(p) || !html_functions(p))
		return false;
	put_overview(p);
	html_latencies(p);
	if (!html_source(p))
		return false;
	fputs("</main>\n", p->f);
	html_end(p->f);
	return true;
}

static int prepare_page(struct html_page *p)
{
	int code = choose_events(p);

	if (!code)
		code = build_tree(p);
	if (!code)
		code = listing_open(&p->listing, p->r, p->event, p->n);
	if (!code && !html_source_plan(p))
		code = cli_no_memory();
	return code;
}

int html_recording(const char *input, const char *events, const char *path)
{
	struct recorded r;
	struct html_page p = { .r = &r };
	struct pmk_whole w;
	int code = recorded_open(&r, input, NULL, events);

	if (!code)
		code = prepare_page(&p);
	if (!code)
		code = output_whole_open(&w, path);
	if (!code) {
		p.f = w.f;
		if (!put_page(&p))
			code = cli_no_memory();
		code = output_whole_close(&w, path, code);
	}
	html_source_free(&p);
	listing_close(&p.listing);
	if (p.tree.t)
		pmk_tree_free(&p.tree);
	free(p.inclusive);
	free(p.event);
	free(p.anchor);
	recorded_close(&r);
	return code;
}
