/* SPDX-License-Identifier: MIT */
/* The request of pmk stat and pmk run, and the options that both have. */
#ifndef PMK_CLI_STAT_H
#define PMK_CLI_STAT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/counting.h"
#include "cli/html/html.h"
#include "cli/output.h"
#include "cli/wave.h"

/* One run of the command. */
struct cli_stat {
	const struct cli_command *cmd;
	struct pmk_count *count;
	struct output_options o;
	const char *target;
	struct output out;
	const char *html; /* --html */
	struct html_stat *page;
	struct cli_wave_progress progress;
	struct cli_running running;
	const char *event, *metrics, *interval, *repeat, *bars; /* the last value of each option */
	bool write_failed;
	int why; /* errno of the failure */
};

/* A member, for the rows of options. */
#define CLI_STAT(member) offsetof(struct cli_stat, member)

/* Rows that pmk stat and pmk run have: how the result is written. */
/* clang-format off */
#define CLI_ROWS_STAT_OUTPUT \
	CLI_ROW_SEPARATOR(CLI_STAT(o.separator)), \
	{ 'j', "json-output", NULL, "write JSON, one object per line, as perf does", CLI_ON, \
	  CLI_STAT(o.json_lines) }, \
	{ 0, "json-document", NULL, "write JSON: one document with everything that pmk knows", \
	  CLI_ON, CLI_STAT(o.json) }, \
	{ 0, "html", "FILE", "also write an HTML page; with -I, with a chart over time", CLI_TEXT, \
	  CLI_STAT(html) }, \
	{ 'o', "output", "FILE", "write to FILE instead of stderr", CLI_TEXT, CLI_STAT(o.path) }
#define CLI_ROW_STAT_VERBOSE \
	{ 'v', "verbose", NULL, "print more about each number and the run", CLI_ON, \
	  CLI_STAT(o.verbose) }
/* clang-format on */

/* Options without an effect of their own are settings of the counting. */
int cli_stat_set(void *request, const char *name, char *value);

#endif
