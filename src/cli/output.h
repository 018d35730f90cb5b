/* SPDX-License-Identifier: MIT */
/* How and where stat and report write: the options they share, the file of -o, the document in it. */
#ifndef PMK_CLI_OUTPUT_H
#define PMK_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <pmk/result.h>
#include <pmk/session.h>

#include "cli/cli.h"

struct output_options {
	struct pmk_words metrics; /* -M */
	const char *separator;	  /* -x */
	const char *path;	  /* -o; NULL: the command's usual stream */
	bool json, append, plain_numbers, verbose, bars;
};

/* Take the option if it is one of these; false: it is not. *code: 0, or an exit code after one line on
 * stderr. */
bool output_take(struct output_options *o, const struct cli_option *option, char *value, int *code);
/* What makes no sense together. 0 or an exit code. */
int output_check(const struct output_options *o);
void output_options_free(struct output_options *o);
bool output_is_text(const struct output_options *o);
/* Is the file of -o that file, which writing would destroy? */
bool output_is(const struct output_options *o, const char *path);

/* Metrics of a report, NULL terminated. More than fit are left out. */
struct pmk_metric_list {
	const struct pmk_metric *item[PMK_MAX_EVENTS + 1];
	unsigned count;
};

/* Those that -M names. 0 or an exit code. */
int output_metrics(const struct output_options *o, struct pmk_metric_list *list);
/* Without -M: every metric for which the events suffice, and the clock where it takes that. `counted`
 * tells of an event whether it is one of them. 0 or an exit code. */
int output_fitting_metrics(struct pmk_metric_list *list, const struct pmk_pmu *pmu, bool has_clock,
			   bool (*counted)(const void *ctx, const struct pmk_event *ev),
			   const void *ctx);

/* All zero before output_open(). */
struct output {
	const struct output_options *o;
	FILE *f;
	bool own;		   /* opened by us */
	struct pmk_bars bars;	   /* how its writer draws */
	struct pmk_writer *writer; /* of the document that is open, or NULL */
};

/* Open the file of -o; without it, write to `usual`. 0 or an exit code. */
int output_open(struct output *out, const struct output_options *o, FILE *usual);
/* The layers of a bus that a PMU counts; NULL: none. */
const struct pmk_layers *output_layers(const struct pmk_pmu *pmu);
/* Begin a document; `firmware` as in struct pmk_write_options. 0 or an exit code. */
int output_begin(struct output *out, const struct pmk_result *r, const struct pmk_metric_list *metrics,
		 bool firmware);
/* Close the document, if one is open. 0 or a negative enum pmk_error. */
int output_end(struct output *out, const struct pmk_result *r);
/* The same, and the file. Whatever happened before: this is called in the end. */
int output_close(struct output *out, const struct pmk_result *r);

#endif
