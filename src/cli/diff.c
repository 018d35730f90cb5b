// SPDX-License-Identifier: MIT
/* pmk diff: the differences of two recordings, or of two results of pmk stat -j; and a gate that
 * fails if a count has grown too much. Because emulation is reproducible, an unchanged program has
 * difference 0. */
#define _GNU_SOURCE
#include "cli/diff.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/diff_source.h"
#include "cli/html/html.h"
#include "cli/output.h"

#define EXIT_OVER      1
#define MOST_OFFENDERS 10 /* rows that are printed for each event and kind */

/* ---- limits --------------------------------------------------------------------------------- */

static struct diff_limit *limit_new(struct diff *d)
{
	struct diff_limit *all = realloc(d->limit, (d->nlimits + 1) * sizeof(*all));

	if (!all) {
		cli_no_memory();
		return NULL;
	}
	d->limit = all;
	all[d->nlimits] = (struct diff_limit){ .event = DIFF_ALL_EVENTS };
	return &all[d->nlimits++];
}

int diff_limit_all(void *diff, char *percent)
{
	struct diff_limit *limit = limit_new(diff);

	if (!limit)
		return PMK_EXIT_FAILED;
	limit->text = percent;
	if (pmk_percent_parse(percent, &limit->percent))
		return cli_fail(PMK_EXIT_USAGE,
				"--fail-over: '%s' is not a percentage, such as 2%%", percent);
	return 0;
}

static bool limit_parse(struct diff_limit *limit, const char *text)
{
	size_t n = strlen(text);

	limit->text = text;
	limit->kind = *text == '+'		? DIFF_GROWTH
		      : n && text[n - 1] == '%' ? DIFF_PERCENT
						: DIFF_CEILING;
	if (limit->kind == DIFF_PERCENT)
		return !pmk_percent_parse(text, &limit->percent);
	return !pmk_number_parse(text + (limit->kind == DIFF_GROWTH), 10, 0, UINT64_MAX,
				 &limit->number);
}

/*
 * The name of a function may contain '=' and '/': split the text at its last '=', and the name at
 * the last '/' before that.
 */
int diff_limit_add(void *diff, char *value)
{
	const char *equals = strrchr(value, '='), *slash = NULL, *event = value;
	struct diff_limit *limit = limit_new(diff);

	if (!limit)
		return PMK_EXIT_FAILED;
	if (equals)
		slash = memrchr(value, '/', (size_t)(equals - value));
	if (slash)
		event = slash + 1;
	if (!equals || event == equals || slash == value || !limit_parse(limit, equals + 1))
		return cli_fail(PMK_EXIT_USAGE,
				"--limit: '%s' is not a limit, such as cycles=2%%, cycles=+1000, "
				"cycles=1000 or work/cycles=2%%",
				value);
	limit->event_name = strndup(event, (size_t)(equals - event));
	if (slash)
		limit->place = strndup(value, (size_t)(slash - value));
	return limit->event_name && (limit->place || !slash) ? 0 : cli_no_memory();
}

void diff_limits_free(struct diff *d)
{
	for (size_t i = 0; i < d->nlimits; i++) {
		free(d->limit[i].event_name);
		free(d->limit[i].place);
	}
	free(d->limit);
	d->limit = NULL;
	d->nlimits = 0;
}

static bool place_matches(const struct diff_limit *limit, const struct diff_row *r)
{
	/*
	 * A function of a library that only moved is judged as part of the library, unless a limit
	 * names the function.
	 */
	if (r->moved && (!limit->place || strcmp(limit->place, r->name) != 0))
		return false;
	if (!limit->event_name)
		return true;
	if (!limit->place)
		return r->kind == DIFF_TOTAL;
	return r->name && (!strcmp(limit->place, r->name) || !fnmatch(limit->place, r->name, 0));
}

int diff_check_places(const struct diff *d)
{
	for (size_t i = 0; i < d->nlimits; i++) {
		const char *place = d->limit[i].place;
		bool found = !place || strpbrk(place, "*?[");

		for (size_t row = 0; row < d->nrows && !found; row++)
			found = d->row[row].kind != DIFF_LINE &&
				place_matches(&d->limit[i], &d->row[row]);
		if (!found)
			return cli_fail(PMK_EXIT_USAGE,
					"--limit %s/%s=%s: no region or function '%s' in %s or %s",
					place, d->limit[i].event_name, d->limit[i].text, place,
					d->path[DIFF_BASE], d->path[DIFF_NEW]);
	}
	return 0;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* A new function has no base. A new function is over the limit if the total is over the limit
 * and the function adds more than the limit to the total. */
static bool exceeds_percent(const struct diff *d, size_t row, size_t event, double percent)
{
	const struct diff_row *r = &d->row[row];
	uint64_t base = diff_value(d, row, event, DIFF_BASE),
		 fresh = diff_value(d, row, event, DIFF_NEW),
		 total = diff_value(d, 0, event, DIFF_BASE);

	if (r->kind != DIFF_TOTAL && r->kind != DIFF_SECTION && !diff_is_large(d, row, event))
		return false;
	if (r->there[DIFF_BASE])
		return pmk_grew_over(base, fresh, percent);
	return r->kind == DIFF_FUNCTION &&
	       pmk_grew_over(total, diff_value(d, 0, event, DIFF_NEW), percent) &&
	       pmk_grew_over(total, total + fresh, percent);
}

static bool exceeds(const struct diff *d, size_t row, size_t event, const struct diff_limit *limit)
{
	uint64_t base = diff_value(d, row, event, DIFF_BASE),
		 fresh = diff_value(d, row, event, DIFF_NEW);

	if (limit->event != DIFF_ALL_EVENTS && limit->event != event)
		return false;
	if (!place_matches(limit, &d->row[row]))
		return false;
	if (limit->kind == DIFF_PERCENT)
		return exceeds_percent(d, row, event, limit->percent);
	if (limit->kind == DIFF_GROWTH)
		return fresh > base && fresh - base > limit->number;
	return fresh > limit->number;
}

/* Lines are not judged: they are part of their functions. */
const struct diff_limit *diff_exceeded(const struct diff *d, size_t row, size_t event)
{
	if (d->row[row].kind == DIFF_LINE || !d->row[row].there[DIFF_NEW])
		return NULL;
	for (size_t i = 0; i < d->nlimits; i++)
		if (exceeds(d, row, event, &d->limit[i]))
			return &d->limit[i];
	return NULL;
}

/* ---- report --------------------------------------------------------------------------------- */

static void report_offender(const struct diff *d, size_t row, size_t event)
{
	const struct diff_limit *limit = diff_exceeded(d, row, event);
	const struct diff_row *r = &d->row[row];
	uint64_t base = diff_value(d, row, event, DIFF_BASE),
		 fresh = diff_value(d, row, event, DIFF_NEW);
	bool sign = limit->kind == DIFF_PERCENT && !strchr(limit->text, '%');
	char grown[48] = "";

	if (!r->there[DIFF_BASE])
		snprintf(grown, sizeof(grown), " (new)");
	else if (base)
		snprintf(grown, sizeof(grown), " (%+.2f%%)",
			 (double)(((long double)fresh - (long double)base) * 100 /
				  (long double)base));
	cli_fail(0, "%s%s%s%s%s%s: from %llu to %llu%s, over %s%s", d->event[event],
		 r->name ? " in " : "", r->name ? r->name : "", r->file ? " (" : "",
		 r->file ? r->file : "", r->file ? ")" : "", (unsigned long long)base,
		 (unsigned long long)fresh, grown, limit->text, sign ? "%" : "");
}

/* Prints the rows of a kind that are over a limit; the row that adds most comes first. */
static bool judge_rows(struct diff_table *t, enum diff_kind kind, size_t event)
{
	diff_table_fill(t, kind, event, DIFF_OVER);
	for (size_t i = 0; i < t->n && i < MOST_OFFENDERS; i++)
		report_offender(t->d, t->row[i], event);
	if (t->n > MOST_OFFENDERS)
		cli_fail(0, "%s: %zu more %ss are over a limit; -j shows all", t->d->event[event],
			 t->n - MOST_OFFENDERS, diff_kind_names[kind]);
	return t->n;
}

/* Prints the rows that are over a limit: of each event and kind, at most MOST_OFFENDERS. Returns 0,
 * EXIT_OVER, or the exit code for no memory. */
static int diff_judge(const struct diff *d)
{
	struct diff_table t = { .d = d, .row = malloc((d->nrows + 1) * sizeof(*t.row)) };
	int code = t.row ? 0 : cli_no_memory();

	for (size_t event = 0; event < d->nevents && t.row && d->nlimits; event++)
		for (enum diff_kind kind = DIFF_TOTAL; kind < DIFF_LINE; kind++)
			if (judge_rows(&t, kind, event))
				code = EXIT_OVER;
	free(t.row);
	return code;
}

/* ---- request -------------------------------------------------------------------------------- */

struct request {
	struct diff d;
	struct diff_format format;
	const char *events, *output, *html;
	bool json, markdown;
};

/* ---- options -------------------------------------------------------------------------------- */

static int take_min(void *member, char *value)
{
	struct diff *d = member;

	d->has_min = true;
	if (pmk_number_parse(value, 10, 0, UINT64_MAX, &d->min))
		return cli_fail(PMK_EXIT_USAGE, "--min: '%s' is not a 64-bit number", value);
	return 0;
}

#define AT(member) offsetof(struct request, member)

static const struct cli_option options[] = {
	{ 0, "fail-over", "PERCENT", "exit 1 if a count has grown by more than this, e.g. 2%",
	  CLI_CALL, AT(d), diff_limit_all },
	{ 0, "limit", "[NAME/]EVENT=LIMIT",
	  "exit 1 if the count (of function NAME) grows by over 2% or +1000, or is over 1000",
	  CLI_CALL, AT(d), diff_limit_add },
	{ 'e', "event", "LIST", "events to compare; executions: how often instructions ran",
	  CLI_TEXT, AT(events) },
	{ 0, "min", "N",
	  "leave out functions and lines that count less on both sides (0.1 % of the total)",
	  CLI_CALL, AT(d), take_min },
	{ 0, "markdown", NULL, "write Markdown, for a merge request", CLI_ON, AT(markdown) },
	{ 0, "html", "FILE", "write a page for a browser", CLI_TEXT, AT(html) },
	CLI_ROW_SEPARATOR(AT(format.separator)),
	CLI_ROW_JSON(AT(json)),
	CLI_ROW_OUTPUT(AT(output)),
	CLI_ROWS_END,
};

static int check(struct request *q)
{
	const char *separator = q->format.separator;

	if (q->json + q->markdown + (separator != NULL) + (q->html != NULL) > 1)
		return cli_fail(PMK_EXIT_USAGE, "-j, -x, --markdown and --html exclude each other");
	if (q->html && q->output)
		return cli_fail(PMK_EXIT_USAGE, "-o and --html exclude each other");
	/* If the user does not name two files, compare one (pmk.data by default) with
	 * pmk.data.old, as perf does. */
	if (!q->d.path[DIFF_NEW]) {
		q->d.path[DIFF_NEW] = q->d.path[DIFF_BASE] ? q->d.path[DIFF_BASE] : "pmk.data";
		q->d.path[DIFF_BASE] = "pmk.data.old";
		if (access(q->d.path[DIFF_BASE], F_OK))
			return cli_fail(
				PMK_EXIT_USAGE,
				"there is no %s in the current folder; name two files, or let pmk "
				"record write pmk.data twice",
				q->d.path[DIFF_BASE]);
	}
	for (unsigned i = 0; i < DIFF_SIDES; i++)
		if (output_keep("--html", q->html, q->d.path[i], "an input") ||
		    output_keep("-o", q->output, q->d.path[i], "an input"))
			return PMK_EXIT_USAGE;
	q->format.form = q->json       ? DIFF_JSON
			 : q->markdown ? DIFF_MARKDOWN
			 : separator   ? DIFF_CSV
				       : DIFF_TEXT;
	return 0;
}

/* ---- command -------------------------------------------------------------------------------- */

static int show(struct request *q)
{
	struct pmk_whole w = { .f = stdout };
	int code = q->output ? output_whole_open(&w, q->output) : 0;

	if (code)
		return code;
	q->format.columns = isatty(fileno(w.f)) ? cli_columns(w.f) : 0;
	code = diff_write(&q->d, &q->format, w.f);
	return q->output ? output_whole_close(&w, q->output, code) : code;
}

static int run_diff(int argc, char **argv)
{
	struct request q = { 0 };
	char **operands;
	int code = cli_parse(&cmd_diff, &q, argc, argv, &operands);

	for (unsigned i = 0; !code && operands[i]; i++) {
		if (i == DIFF_SIDES)
			code = cli_fail(PMK_EXIT_USAGE,
					"diff compares two files; %s is one too many", operands[i]);
		else
			q.d.path[i] = operands[i];
	}
	if (!code)
		code = check(&q);
	q.d.by_path = q.html != NULL;
	if (!code)
		code = diff_read(&q.d, q.events && strcmp(q.events, "all") ? q.events : NULL);
	if (!code)
		code = q.html ? html_diff(&q.d, q.html) : show(&q);
	if (!code)
		code = diff_judge(&q.d);
	diff_free(&q.d);
	return code;
}

const struct cli_command cmd_diff = {
	.name = "diff",
	.brief = "compare two recordings, or two results of stat -j",
	.usage = "[--fail-over PERCENT] [--limit LIMIT]... [-e LIST] [--min N]\n"
		 "                [--markdown | --html FILE | -x SEP | -j] [-o FILE] [[BASE] NEW]",
	.options = options,
	.run = run_diff,
};
