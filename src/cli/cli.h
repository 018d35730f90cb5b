/* SPDX-License-Identifier: MIT */
/* What the commands of pmk share: the command table, options, exit codes, names and hints. */
#ifndef PMK_CLI_H
#define PMK_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pmk/pmu.h>
#include <pmk/result.h>

#include "base/nearest.h"
#include "count/error.h"
#include "count/words.h"

/* The build says it. */
#ifndef PMK_VERSION
#define PMK_VERSION "(unknown version)"
#endif

/* Exit codes (pmk(1), EXIT STATUS). 129 is perf's usage error; 126 and 127 are the shell's. */
enum {
	PMK_EXIT_OK = 0,
	PMK_EXIT_FAILED = 125,	  /* pmk itself failed */
	PMK_EXIT_NOT_EXEC = 126,  /* the command cannot be executed */
	PMK_EXIT_NOT_FOUND = 127, /* the command was not found */
	PMK_EXIT_USAGE = 129,
};

/* One option. The rows feed the parser, --help, the completion and the manual page test. */
struct cli_option {
	char letter;	  /* 0 = long only */
	const char *name; /* "event" for --event */
	const char *arg;  /* "LIST", or NULL for a flag */
	const char *help;
};

/* An option of perf that the command does not have, and one line that says why. */
struct cli_refusal {
	char letter; /* 0 = long only */
	const char *name;
	const char *reason;
};

struct cli_command {
	const char *name;
	const char *brief;
	const char *usage;		   /* "[-e LIST]… [--] COMMAND [ARG…]" */
	const struct cli_option *options;  /* ends with name == NULL */
	const struct cli_refusal *refused; /* likewise; NULL: none */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit code */
};

extern const struct cli_command cmd_stat, cmd_record, cmd_report, cmd_list, cmd_info, cmd_decode,
	cmd_doctor, cmd_wave, cmd_annotate, cmd_export, cmd_diff, cmd_run, cmd_calibrate, cmd_sweep,
	cmd_history;
extern const struct cli_command *const cli_commands[]; /* NULL terminated, in help's order */

/*
 * Step through argv. Returns the row of the next option with *value set (NULL for flags), or NULL
 * at the first operand, after "--", or at the end; *index is then the first operand. A mistake
 * prints one line with the nearest option and sets *bad. -h/--help are rows like any other.
 */
const struct cli_option *cli_next(const struct cli_command *cmd, int argc, char **argv, int *index,
				  char **value, bool *bad);

void cli_help(FILE *f, const struct cli_command *cmd);

/* "pmk: ..." on stderr, one line. Returns code, so that `return cli_fail(…)` works. */
int cli_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Is `f` a terminal that can show colours, and has the user not set NO_COLOR? */
bool cli_colour(FILE *f);
/* Does the locale say that text is UTF-8? */
bool cli_utf8(void);
/* How wide the terminal is: $COLUMNS, or what it says itself; 80 if `f` is none. */
unsigned cli_columns(FILE *f);

struct pmk_ahbmon_layout_file;
/* The layout file at `path`, or for NULL the project's. 0 or an exit code. */
int cli_layout(struct pmk_ahbmon_layout_file *file, const char *path);

/* Print the failure, if there is one, and clear it. Returns its exit code, or 0. */
int cli_fault(struct pmk_count_fault *f);

/* The data directory; NULL and one line on stderr when there is none. */
const char *cli_data_dir(void);
/* All metrics. Loaded once; NULL after one line on stderr. */
struct pmk_metrics *cli_metrics(void);
/* As pmk_files_core_name(); `name` itself without a data directory. */
const char *cli_core_name(const char *name);
/* Names of the core presets, as pmk_files_cores(); NULL and one line on stderr after a failure. */
char **cli_core_names(void);

#endif
