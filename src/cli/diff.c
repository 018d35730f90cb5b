// SPDX-License-Identifier: MIT
/* pmk diff: the differences of two recordings, or of two results of pmk stat -j; and a gate that
 * fails if a count has grown too much. Because emulation is reproducible, an unchanged program has
 * difference 0. */
#define _GNU_SOURCE
#include "cli/diff.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/html/html.h"
#include "cli/output.h"

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

static int take_limit_all(void *member, char *value)
{
	return diff_limit_all(member, value);
}

static int take_limit(void *member, char *value)
{
	return diff_limit_add(member, value);
}

#define AT(member) offsetof(struct request, member)

static const struct cli_option options[] = {
	{ 0, "fail-over", "PERCENT", "exit 1 if a count has grown by more than this, e.g. 2%",
	  CLI_CALL, AT(d), take_limit_all },
	{ 0, "limit", "[NAME/]EVENT=LIMIT",
	  "exit 1 over this: 2%, +1000, or at most 1000; NAME: a function; repeatable", CLI_CALL,
	  AT(d), take_limit },
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
	CLI_ROW_HELP,
	{ 0, NULL, NULL, NULL },
};

static int check(struct request *q)
{
	const char *separator = q->format.separator;

	if (q->json + q->markdown + (separator != NULL) + (q->html != NULL) > 1)
		return cli_fail(PMK_EXIT_USAGE, "-j, -x, --markdown and --html exclude each other");
	if (q->html && q->output)
		return cli_fail(PMK_EXIT_USAGE, "-o and --html exclude each other");
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
