// SPDX-License-Identifier: MIT
/*
 * Prints the counts of all commits as a table with a plot, as CSV or as JSON. The plot has a mark
 * in each row, scaled from the smallest to the largest count, so that changes of a percent are
 * visible.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "lab/history/history.h"
#include "cli/html/html.h"
#include "result/internal.h"
#include "result/jsonio.h"

#define PLOT 24 /* columns from the smallest to the largest count */

struct show {
	const struct history_request *q;
	const struct history *h;
	const struct history_series **series; /* the requested series */
	size_t nseries;
	size_t first; /* index of the first commit to show */
};

/* ---- selecting series ----------------------------------------------------------------------- */

/* True if the series belongs to the requested program and core. */
static bool is_of(const struct history_request *q, const struct history_series *s)
{
	const char *program = q->operand[0] ? q->operand[0] : q->name;

	return (!program || !strcmp(program, s->program)) &&
	       (!q->core || !strcmp(q->core, s->core));
}

static bool is_wanted(const struct history_request *q, const struct history_series *s)
{
	return is_of(q, s) && history_has_event(q, s->event);
}

static const char *program_name(const void *ctx, unsigned i)
{
	const struct history *h = ctx;

	return i < h->nseries ? h->series[i].program : NULL;
}

static const char *event_name(const void *ctx, unsigned i)
{
	const struct history *h = ctx;

	return i < h->nseries ? h->series[i].event : NULL;
}

/* Reports that no series matches, and suggests the nearest name. */
static int nothing_matches(const struct show *s, const char *event)
{
	const char *program = s->q->operand[0];
	char near[128] = "";
	bool known = !program;

	for (size_t i = 0; i < s->h->nseries; i++)
		known |= program && !strcmp(program, s->h->series[i].program);
	if (!s->h->nseries)
		return cli_fail(PMK_EXIT_FAILED,
				"%s: no commit has counts; 'pmk history add' adds them",
				s->q->database);
	if (!known)
		pmk_nearest_among(program, program_name, s->h, near, sizeof(near));
	else if (event)
		pmk_nearest_among(event, event_name, s->h, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE, "history: there is no %s '%s'%s%s%s",
			known ? "series of" : "program",
			known ? (event	      ? event
				 : s->q->core ? s->q->core
					      : "")
			      : program,
			*near ? "; did you mean " : "", near, *near ? "?" : "");
}

/* Checks that every requested event exists. */
static int check_events(const struct show *s, const char *words)
{
	char *list = strdup(words), *rest = list, *word;
	int code = 0;

	while (!code && list && (word = strsep(&rest, ",{}"))) {
		bool found = !*word;

		for (size_t i = 0; i < s->h->nseries; i++)
			found |= is_of(s->q, &s->h->series[i]) &&
				 history_is_event(word, s->h->series[i].event);
		if (!found)
			code = nothing_matches(s, word);
	}
	free(list);
	return code;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct range {
	uint64_t least, most;
	size_t n, changes;
};

static struct range range_of(const struct show *s, const struct history_series *x)
{
	struct range r = { .least = UINT64_MAX };

	for (size_t i = s->first; i < s->h->ncommits; i++) {
		const struct history_count *c = &x->at[i];
		long before;

		if (!c->has_value)
			continue;
		before = history_before(x, i);
		r.n++;
		r.changes += before >= 0 && x->at[before].value != c->value;
		r.least = c->value < r.least ? c->value : r.least;
		r.most = c->value > r.most ? c->value : r.most;
	}
	return r;
}

static void put_plain(FILE *f, const char *text, int width)
{
	int n = pmk_printable_write(f, text);

	for (; n < width; n++)
		fputc(' ', f);
}

/* Draws a mark for the value. Returns the number of remaining columns. */
static unsigned put_plot(FILE *f, const struct range *r, uint64_t value)
{
	unsigned at = r->most > r->least ? (unsigned)((long double)(value - r->least) * (PLOT - 1) /
							      (long double)(r->most - r->least) +
						      0.5L)
					 : 0;

	fprintf(f, "  %*s%s", (int)at, "", cli_utf8() ? "\u25cf" : "*");
	return PLOT - 1 - at;
}

static void put_row(FILE *f, const struct show *s, const struct history_series *x,
		    const struct range *r, size_t i)
{
	const struct history_commit *c = &s->h->commit[i];
	const struct history_count *n = &x->at[i];
	long before = history_before(x, i);
	char name[48], number[PMK_NUMBER_SIZE], change[80] = "";
	unsigned left;

	history_short(c->name, name);
	fputs("  ", f);
	put_plain(f, name, 12);
	fprintf(f, "%-5s", history_verdict(c->verdict));
	if (!n->has_value) {
		fprintf(f, " %20s\n", n->there ? "<not supported>" : "-");
		return;
	}
	pmk_number_text(number, n->value, 0, true);
	if (before >= 0)
		history_change(x->at[before].value, n->value, change);
	fprintf(f, " %20s  %-20s", number, change);
	left = put_plot(f, r, n->value);
	if (c->subject && *change)
		pmk_print(f, "%*s%s", (int)left + 2, "", c->subject);
	fputc('\n', f);
}

static void put_series(FILE *f, const struct show *s, const struct history_series *x)
{
	struct range r = range_of(s, x);
	char least[PMK_NUMBER_SIZE], most[PMK_NUMBER_SIZE];

	put_plain(f, x->program, 0);
	fprintf(f, " on %s", x->core);
	if (*x->settings)
		fprintf(f, " (%s)", x->settings);
	fprintf(f, ": %s, %zu commit%s, %zu change%s", x->event, r.n, r.n == 1 ? "" : "s",
		r.changes, r.changes == 1 ? "" : "s");
	if (r.changes) {
		pmk_number_text(least, r.least, 0, true);
		pmk_number_text(most, r.most, 0, true);
		fprintf(f, ", %s to %s", least, most);
	}
	fputs("\n\n", f);
	for (size_t i = s->first; i < s->h->ncommits; i++)
		put_row(f, s, x, &r, i);
	fputc('\n', f);
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

static void put_csv(FILE *f, const struct show *s, const struct history_series *x)
{
	struct pmk_csv line = { .f = f, .separator = s->q->separator };

	for (size_t i = s->first; i < s->h->ncommits; i++) {
		const struct history_commit *c = &s->h->commit[i];
		char time[24];

		if (!x->at[i].there)
			continue;
		snprintf(time, sizeof(time), "%" PRId64, c->time); /* before 1970 it is negative */
		pmk_csv_text(&line, c->name);
		pmk_csv_text(&line, time);
		pmk_csv_text(&line, history_verdict(c->verdict));
		pmk_csv_text(&line, x->program);
		pmk_csv_text(&line, x->core);
		pmk_csv_text(&line, x->settings);
		pmk_csv_text(&line, x->event);
		pmk_csv_number(&line, x->at[i].has_value, x->at[i].value);
		pmk_csv_text(&line, x->unit);
		pmk_csv_end(&line);
	}
}

static void put_json(FILE *f, const struct show *s)
{
	unsigned n = 0;

	fputs("{\"format\":\"pmk-history\",\"version\":1,\"commits\":[", f);
	for (size_t i = s->first; i < s->h->ncommits; i++) {
		const struct history_commit *c = &s->h->commit[i];
		json_object *o = json_object_new_object();

		pmk_json_text(o, "commit", c->name);
		pmk_json_text(o, "subject", c->subject);
		pmk_json_add(o, "time", c->time ? json_object_new_int64(c->time) : NULL);
		pmk_json_add(o, "verdict",
			     c->verdict == PMK_STORE_OPEN
				     ? NULL
				     : json_object_new_string(history_verdict(c->verdict)));
		pmk_json_put_object(f, &n, o);
	}
	fputs("],\"series\":[", f);
	n = 0;
	for (size_t k = 0; k < s->nseries; k++) {
		const struct history_series *x = s->series[k];
		json_object *o = json_object_new_object(), *counts = json_object_new_array();

		pmk_json_text(o, "program", x->program);
		pmk_json_text(o, "core", x->core);
		pmk_json_text(o, "settings", x->settings);
		pmk_json_text(o, "event", x->event);
		pmk_json_text(o, "unit", x->unit);
		for (size_t i = s->first; counts && i < s->h->ncommits; i++)
			json_object_array_add(
				counts,
				x->at[i].has_value ? json_object_new_uint64(x->at[i].value) : NULL);
		pmk_json_add(o, "counts", counts);
		pmk_json_put_object(f, &n, o);
	}
	fputs("]}\n", f);
}

/* ---- command --------------------------------------------------------------------------------- */

static int put_all(const struct show *s)
{
	if (s->q->json)
		put_json(stdout, s);
	for (size_t i = 0; !s->q->json && i < s->nseries; i++) {
		if (s->q->separator)
			put_csv(stdout, s, s->series[i]);
		else
			put_series(stdout, s, s->series[i]);
	}
	if (fflush(stdout) || ferror(stdout))
		return cli_fail(PMK_EXIT_FAILED, "history: the output cannot be written");
	return 0;
}

/* Compares the newest commit with the last good commit. */
static int judge_newest(const struct show *s)
{
	size_t last = s->h->ncommits - 1;
	long base = s->q->good ? history_find(s->h, s->q->good) : -1;
	struct history_judged j = history_judge(s->h, base, last, s->q->limit);

	history_says_nothing(s->h, base, last, &j);
	return j.over || j.missing ? HISTORY_OVER : 0;
}

static int write_page(const struct history_request *q, const struct history *h,
		      struct pmk_store *store)
{
	struct history_functions f;
	int code = history_functions(&f, h, store, q->database);

	if (!code)
		code = html_history(h, &f, q->database, q->html);
	history_functions_free(&f);
	return code;
}

static int show_history(const struct history_request *q, const struct history *h,
			struct pmk_store *store)
{
	struct show s = { .q = q, .h = h };
	int code;

	s.series = calloc(h->nseries + 1, sizeof(*s.series));
	if (!s.series)
		return cli_no_memory();
	for (size_t i = 0; i < h->nseries; i++)
		if (is_wanted(q, &h->series[i]))
			s.series[s.nseries++] = &h->series[i];
	if (q->last && q->last < h->ncommits)
		s.first = h->ncommits - q->last;
	code = 0;
	for (unsigned i = 0; !code && i < q->events.count; i++)
		code = check_events(&s, q->events.word[i]);
	if (!code && !s.nseries)
		code = nothing_matches(&s, NULL);
	if (!code && q->good && history_find(h, q->good) < 0)
		code = PMK_EXIT_USAGE;
	if (!code)
		code = q->html ? write_page(q, h, store) : put_all(&s);
	if (!code && q->judged)
		code = judge_newest(&s);
	free(s.series);
	return code;
}

int history_show(const struct history_request *q)
{
	struct history h = { 0 };
	int code;
	struct pmk_store *store = history_open(q, PMK_STORE_READ, &code);

	if (!code)
		code = history_read(&h, store);
	if (!code)
		code = show_history(q, &h, store);
	history_free(&h);
	pmk_store_close(store);
	return code;
}
