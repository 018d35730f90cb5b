/* SPDX-License-Identifier: MIT */
/* How and where stat and report write: their common options, the file of -o, the document in it. */
#ifndef PMK_CLI_OUTPUT_H
#define PMK_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <pmk/result.h>
#include <pmk/session.h>

#include "base/file.h"
#include "cli/cli.h"
#include "count/metrics.h"

struct output_options {
	struct pmk_words metrics; /* -M */
	const char *separator;	  /* -x */
	const char *path;	  /* -o; NULL: the command's usual stream */
	bool json;		  /* a document … */
	bool json_lines;	  /* … or perf's lines */
	int log_fd; /* --log-fd: this descriptor in place of the usual stream; 0: none */
	bool metric_only, table, plot;
	bool append, plain_numbers, verbose, bars;
	bool whole; /* the file of -o is written as a whole, and not as the run goes */
};

/* Take the option if it is one of the common ones; false: it is another. *code is 0, or an exit
 * code after one line on stderr. */
bool output_take(struct output_options *o, const struct cli_option *option, char *value, int *code);
/* Check that the options go together. 0 or an exit code. */
int output_check(const struct output_options *o);
void output_options_free(struct output_options *o);
bool output_is_text(const struct output_options *o);
/* Are these one file, or will they be? What is no regular file keeps what both write. */
bool output_same_file(const char *a, const char *b);
/* Is the file of -o the file at `path`, which writing would destroy? */
bool output_is(const struct output_options *o, const char *path);

/* Open the file that somebody has named for what is written as a whole. 0 or an exit code. */
int output_whole_open(struct pmk_whole *w, const char *path);
/* Put it in its place, if `code` is 0; otherwise it is not there, and what was there stays. Returns
 * `code`, or an exit code of this. */
int output_whole_close(struct pmk_whole *w, const char *path, int code);

/* Look up the metrics of -M. 0 or an exit code. */
int output_metrics(const struct output_options *o, struct pmk_metric_list *list);

/* To be initialised to zero before output_open(). */
struct output {
	const struct output_options *o;
	FILE *f;
	bool own;		   /* opened by us */
	struct pmk_whole whole;	   /* if it is written so */
	struct pmk_bars bars;	   /* how its writer draws bars */
	struct pmk_writer *writer; /* of the document that is open, or NULL */
};

/* Open the file of -o; without it, write to `usual`. 0 or an exit code. */
int output_open(struct output *out, const struct output_options *o, FILE *usual);
/* Begin a document; `metrics` and `firmware` as in struct pmk_write_options. 0 or an exit code. */
int output_begin(struct output *out, const struct pmk_result *r,
		 const struct pmk_metric *const *metrics, bool firmware);
/* Close the document, if one is open. 0 or a negative enum pmk_error. */
int output_end(struct output *out, const struct pmk_result *r);
/* The same, and close the file. To be called in the end, even after a failure. */
int output_close(struct output *out, const struct pmk_result *r);

#endif
