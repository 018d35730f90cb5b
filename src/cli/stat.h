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
	const char *dump; /* the file of -T wave:FILE */
	struct output out;
	const char *html; /* --html */
	struct html_stat *page;
	struct cli_wave_progress progress;
	struct cli_running running;
	bool repeats, intervals, events;
	const char *last_list; /* of -e */
	bool write_failed;
	int why; /* errno of the failure */
};

/* For the rows of options: a member, and functions for options that also set something. Their
 * member is the request. */
#define CLI_STAT(member) offsetof(struct cli_stat, member)

int cli_stat_event(void *request, char *value);
int cli_stat_metrics(void *request, char *value);
int cli_stat_interval(void *request, char *value);
/* All other options are settings of the counting. */
int cli_stat_set(void *request, const char *name, char *value);

#endif
