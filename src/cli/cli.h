/* SPDX-License-Identifier: MIT */
/* Declarations that the commands of pmk share: the command table, options, exit codes, names and
 * hints. */
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

/* The build defines the version. */
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

/* The effect of an option on the request of its command. The request is a struct, and `member` is
 * an offset in it. */
enum cli_effect {
	/* passes name and value to `set`. If the row has a member, the value is also stored there,
	 * or the name if the option has no value */
	CLI_SETTING,
	CLI_TEXT,      /* const char *: becomes the value */
	CLI_SEPARATOR, /* as CLI_TEXT, but \t becomes a tab, as in perf; a quote is refused */
	CLI_ON,	       /* bool: becomes true */
	CLI_OFF,       /* bool: becomes false */
	CLI_WORD,      /* struct pmk_words: gets the value as one more word */
	CLI_CALL,      /* passes a pointer to the member to `take` */
	CLI_IGNORED,   /* has no effect */
	CLI_HELP,      /* prints the help */
};

/* An option. The parser, --help, the completion and the test of the manual pages use these rows. */
struct cli_option {
	char letter;	  /* 0: long only */
	const char *name; /* "event" for --event */
	const char *arg;  /* "LIST", or NULL for a flag */
	const char *help;
	enum cli_effect effect;
	size_t member;
	int (*take)(void *member, char *value); /* returns 0 or an exit code */
};

/* Rows that several commands have. `at` is the offset of the member in the request. */
/* clang-format off */
#define CLI_ROW_SEPARATOR(at) \
	{ 'x', "field-separator", "SEP", "write CSV with this separator", CLI_SEPARATOR, at }
#define CLI_ROW_JSON(at) { 'j', "json-output", NULL, "write JSON", CLI_ON, at }
#define CLI_ROW_OUTPUT(at) \
	{ 'o', "output", "FILE", "write to FILE instead of stdout", CLI_TEXT, at }
#define CLI_ROWS_END { 'h', "help", NULL, "show this help", CLI_HELP }, { 0, NULL, NULL, NULL }
#define CLI_ROWS_PERF_REPORT \
	{ 'n', "show-nr-samples", NULL, \
	  "accepted for perf; samples or executions are always shown", CLI_IGNORED }, \
	{ 'f', "force", NULL, "accepted for perf; changes nothing", CLI_IGNORED }, \
	{ 0, "stdio", NULL, "accepted for perf; changes nothing", CLI_IGNORED }
#define CLI_ROWS_CORE \
	{ 0, "pmu", "PMU", "the PMU to count with" }, \
	{ 0, "core", "CORE", "the core to model (pmk list cores)" }, \
	{ 0, "set", "KEY=VALUE", \
	  "change parameters of the core, separated by commas; repeatable" }
#define CLI_ROWS_PROGRAM \
	{ 0, "random-seed", "N", "seed of the program's random numbers" }, \
	{ 0, "env", "NAME[=VALUE]", \
	  "pass this environment variable to the program; repeatable" }, \
	{ 0, "sysroot", "DIR", "where the program's shared libraries are" }, \
	{ 0, "qemu", "COMMAND", "run this emulator command instead of a program" }
/* clang-format on */

/* Options of perf that the command does not have, and a line with the reason. */
struct cli_refusal {
	char letter;	   /* letter of the first name; 0: long only */
	const char *names; /* separated by blanks */
	const char *reason;
};

struct cli_command {
	const char *name;
	const char *brief;
	const char *usage;		   /* "[-e LIST]… [--] COMMAND [ARG…]" */
	const struct cli_option *options;  /* ends with CLI_ROWS_END */
	const struct cli_refusal *refused; /* ends with names == NULL; NULL: none */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit code */
	/* Takes options with CLI_SETTING. Returns 0 or an exit code. */
	int (*set)(void *request, const char *name, char *value);
	bool program; /* the first operand ends the options: it begins a command line */
};

/* Used instead of an exit code: --help was given, and the help was printed. */
#define CLI_HELPED (-1)

extern const struct cli_command cmd_stat, cmd_record, cmd_report, cmd_list, cmd_info, cmd_decode,
	cmd_doctor, cmd_wave, cmd_annotate, cmd_export, cmd_diff, cmd_gate, cmd_run, cmd_calibrate,
	cmd_sweep, cmd_history;
extern const struct cli_command *const cli_commands[]; /* NULL terminated, in help's order */

/*
 * Step through argv. Returns the row of the next option with *value set (NULL for flags), or NULL
 * at the first operand, after "--", or at the end; *index is then the first operand. On an error it
 * prints one line, which suggests the nearest option, and sets *bad. -h/--help are ordinary rows.
 */
const struct cli_option *cli_next(const struct cli_command *cmd, int argc, char **argv, int *index,
				  char **value, bool *bad);

/* Applies an option from cli_next() to the request. Returns 0, an exit code or CLI_HELPED. */
int cli_apply(const struct cli_command *cmd, const struct cli_option *o, void *request,
	      char *value);

/*
 * Applies all options in argv to the request. *operands are the remaining words, with NULL at the
 * end, in the memory of argv. Returns 0, an exit code or CLI_HELPED.
 */
int cli_parse(const struct cli_command *cmd, void *request, int argc, char **argv,
	      char ***operands);

/* Sets *path to the path of pmk.data if *path is NULL. Returns 0, or an exit code if pmk.data is
 * missing. */
int cli_default_recording(const struct cli_command *cmd, const char **path);

void cli_help(FILE *f, const struct cli_command *cmd);

/* Print "pmk: ..." on stderr, one line. Returns `code`, for `return cli_fail(…)`. */
int cli_fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print one line about a name that does not exist: "pmk: …; did you mean NEAR?", or, if `near` is
 * empty, "pmk: …; REMEDY". Returns PMK_EXIT_USAGE. */
int cli_not_found(const char *near, const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns the text that pmk_nearest_text() writes, such as "a, b or c". It is valid until the next
 * call. */
const char *cli_near(const struct pmk_nearest *near);
/* Print that memory could not be allocated. Returns PMK_EXIT_FAILED. */
int cli_no_memory(void);

/* True if `f` is a terminal that can show colours, and NO_COLOR is not set. */
bool cli_colour(FILE *f);
/* True if the locale's text is UTF-8. */
bool cli_utf8(void);
/* Returns the width of the terminal: $COLUMNS, or the size that the terminal reports; 80 if `f`
 * is not a terminal. */
unsigned cli_columns(FILE *f);

struct pmk_ahbmon_layout_file;
/* Reads the layout file at `path`, or the project's layout if `path` is NULL. Returns 0 or an
 * exit code. */
int cli_layout(struct pmk_ahbmon_layout_file *file, const char *path);

/* Print the failure, if there is one, and clear it. Returns its exit code, or 0. */
int cli_fault(struct pmk_count_fault *f);

/* Returns the data directory, or NULL after an error message on stderr. */
const char *cli_data_dir(void);
/* Returns all metrics, which are loaded once, or NULL after an error message on stderr. */
struct pmk_metrics *cli_metrics(void);
/* Like pmk_files_core_name(); without a data directory it returns `name` itself. */
const char *cli_core_name(const char *name);
/* Returns the names of the core presets, like pmk_files_cores(), or NULL after an error message on
 * stderr. */
char **cli_core_names(void);

#endif
