// SPDX-License-Identifier: MIT
/* pmk diff: the differences of two recordings, or of two results of pmk stat -j; and a gate that
 * fails if a count has grown too much. Because emulation is reproducible, an unchanged program has
 * difference 0. */
#define _GNU_SOURCE
#include "cli/diff.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/html/html.h"
#include "cli/output.h"

static const struct cli_option options[] = {
	{ 0, "fail-over", "PERCENT", "exit 1 if a count has grown by more than this, e.g. 2%" },
	{ 0, "limit", "[NAME/]EVENT=LIMIT",
	  "exit 1 over this: 2%, +1000, or at most 1000; NAME: a function; repeatable" },
	{ 'e', "event", "LIST", "events to compare; executions: how often instructions ran" },
	{ 0, "min", "N",
	  "leave out functions and lines that count less on both sides (0.1 % of the total)" },
	{ 0, "markdown", NULL, "write Markdown, for a merge request" },
	{ 0, "html", "FILE", "write a page for a browser" },
	{ 'x', "field-separator", "SEP", "write CSV with this separator" },
	{ 'j', "json-output", NULL, "write JSON" },
	{ 'o', "output", "FILE", "write to FILE instead of stdout" },
	{ 'h', "help", NULL, "show this help" },
	{ 0, NULL, NULL, NULL },
};

struct request {
	struct diff d;
	struct diff_format format;
	const char *events, *output, *html;
	bool json, markdown;
};

/* ---- options -------------------------------------------------------------------------------- */

static int take_min(struct request *q, const char *value)
{
	q->d.has_min = true;
	if (pmk_number_parse(value, 10, 0, UINT64_MAX, &q->d.min))
		return cli_fail(PMK_EXIT_USAGE, "--min: '%s' is no number of 64 bits", value);
	return 0;
}

static int take(struct request *q, const struct cli_option *o, const char *value)
{
	if (!strcmp(o->name, "fail-over"))
		return diff_limit_all(&q->d, value);
	if (!strcmp(o->name, "limit"))
		return diff_limit_add(&q->d, value);
	if (!strcmp(o->name, "min"))
		return take_min(q, value);
	if (o->letter == 'e')
		q->events = strcmp(value, "all") ? value : NULL;
	else if (o->letter == 'x')
		q->format.separator = strcmp(value, "\\t") ? value : "\t";
	else if (o->letter == 'j')
		q->json = true;
	else if (o->letter == 'o')
		q->output = value;
	else if (!strcmp(o->name, "html"))
		q->html = value;
	else
		q->markdown = true;
	return 0;
}

static int check(struct request *q)
{
	const char *separator = q->format.separator;

	if (q->json + q->markdown + (separator != NULL) + (q->html != NULL) > 1)
		return cli_fail(PMK_EXIT_USAGE, "-j, -x, --markdown and --html exclude each other");
	if (q->html && q->output)
		return cli_fail(PMK_EXIT_USAGE, "-o and --html exclude each other");
	if (separator && (!*separator || strpbrk(separator, "\"\n")))
		return cli_fail(PMK_EXIT_USAGE,
				"-x needs a separator other than a quote or a new line");
	/* As in perf, one file is compared with the old recording. */
	if (!q->d.path[DIFF_NEW]) {
		q->d.path[DIFF_NEW] = q->d.path[DIFF_BASE] ? q->d.path[DIFF_BASE] : "pmk.data";
		q->d.path[DIFF_BASE] = "pmk.data.old";
		if (access(q->d.path[DIFF_BASE], F_OK))
			return cli_fail(PMK_EXIT_USAGE,
					"no %s here; name two files, or let pmk "
					"record write pmk.data twice",
					q->d.path[DIFF_BASE]);
	}
	for (unsigned i = 0; i < DIFF_SIDES; i++) {
		if (html_would_destroy(q->html, q->d.path[i]))
			return cli_fail(PMK_EXIT_USAGE, "--html %s: that is a file to read",
					q->html);
		if (html_would_destroy(q->output, q->d.path[i]))
			return cli_fail(PMK_EXIT_USAGE, "-o %s: that is a file to read", q->output);
	}
	q->format.form = q->json       ? DIFF_JSON
			 : q->markdown ? DIFF_MARKDOWN
			 : separator   ? DIFF_CSV
				       : DIFF_TEXT;
	return 0;
}

static int parse(struct request *q, int argc, char **argv, bool *help)
{
	const struct cli_option *o;
	unsigned sides = 0;
	int i = 1, code = 0;
	char *value;
	bool bad;

	while (!code) {
		o = cli_next(&cmd_diff, argc, argv, &i, &value, &bad);
		if (bad)
			return PMK_EXIT_USAGE;
		if (o && o->letter == 'h') {
			*help = true;
			return 0;
		}
		if (o)
			code = take(q, o, value);
		else if (i >= argc)
			break;
		else if (sides == DIFF_SIDES)
			code = cli_fail(PMK_EXIT_USAGE, "diff compares two files: what is %s?",
					argv[i]);
		else
			q->d.path[sides++] = argv[i++];
	}
	return code ? code : check(q);
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
	bool help = false;
	int code = parse(&q, argc, argv, &help);

	if (help) {
		cli_help(stdout, &cmd_diff);
		return PMK_EXIT_OK;
	}
	if (!code)
		code = diff_read(&q.d, q.events);
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
