/* SPDX-License-Identifier: MIT */
/* How and where stat and report write: their common options, the file of -o, and the document in
 * it. */
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
	const char *path;	  /* -o; NULL: the command's default stream */
	bool json;		  /* write a document */
	bool json_lines;	  /* write perf's lines */
	int log_fd; /* --log-fd: this descriptor instead of the default stream; 0: none */
	bool metric_only, table, plot;
	bool append, plain_numbers, verbose, bars;
	bool whole; /* true: the file of -o is written at the end as a whole, not during the run */
};

/* Handles --log-fd. The member of its row is the output_options. Returns 0 or an exit code. */
int output_take_descriptor(void *options, char *text);
/* Check that the options go together. Returns 0 or an exit code. */
int output_check(const struct output_options *o);
void output_options_free(struct output_options *o);
bool output_is_text(const struct output_options *o);
/* True if these paths are, or will be, the same regular file, so that one output would overwrite
 * the other. A pipe or a device keeps both outputs. */
bool output_same_file(const char *a, const char *b);
/* Fails if the file of an option, `path`, is the file `input`, which writing would destroy. `what`
 * is the input in the message. `path` and `input` may be NULL. Returns 0 or an exit code. */
int output_keep(const char *option, const char *path, const char *input, const char *what);

/* Open a file that the user has named and that is written as a whole. Returns 0 or an exit code. */
int output_whole_open(struct pmk_whole *w, const char *path);
/* Move the file to its place if `code` is 0; otherwise discard it and keep the previous file.
 * Returns `code`, or the exit code of a failure here. */
int output_whole_close(struct pmk_whole *w, const char *path, int code);

/* Look up the metrics of -M. Returns 0 or an exit code. */
int output_metrics(const struct output_options *o, struct pmk_metric_list *list);

/* The output of a command. Initialise it to zero before output_open(). */
struct output {
	const struct output_options *o;
	FILE *f;
	bool own;		   /* opened by output_open() */
	struct pmk_whole whole;	   /* used if the file is written as a whole */
	struct pmk_bars bars;	   /* how its writer draws bars */
	struct pmk_writer *writer; /* of the document that is open, or NULL */
};

/* Open the file of -o; without it, write to `usual`. Returns 0 or an exit code. */
int output_open(struct output *out, const struct output_options *o, FILE *usual);
/* Begin a document; `metrics` and `firmware` are as in struct pmk_write_options. Returns 0 or an
 * exit code. */
int output_begin(struct output *out, const struct pmk_result *r,
		 const struct pmk_metric *const *metrics, bool firmware);
/* Close the document, if one is open. Returns 0 or a negative enum pmk_error. */
int output_end(struct output *out, const struct pmk_result *r);
/* Call output_end(), and close the file. Use this at the end, even after a failure. */
int output_close(struct output *out, const struct pmk_result *r);

#endif
