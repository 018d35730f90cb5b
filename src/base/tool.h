/* SPDX-License-Identifier: MIT */
/* Runs other commands for their output. The commands get no input. */
#ifndef PMK_BASE_TOOL_H
#define PMK_BASE_TOOL_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

enum pmk_tool_errors { /* where a command's stderr goes */
		       PMK_ERRORS_SHOWN,
		       PMK_ERRORS_DROPPED,
		       PMK_ERRORS_IN_OUTPUT,
};

/* Exit codes that pmk reports if the command could not be run. 126 and 127 are those of shells. */
enum { PMK_TOOL_FAILED = 125, PMK_TOOL_NOT_EXEC = 126, PMK_TOOL_NOT_FOUND = 127 };

/* A command that runs. */
struct pmk_tool {
	pid_t pid;  /* 0 if no command runs */
	int output; /* the descriptor from which its output can be read */
};

/*
 * Starts the command at `path`, which is searched for in $PATH if it has no slash. A command that
 * takes longer than `seconds` seconds is killed. 0 means that there is no limit.
 */
void pmk_tool_start(struct pmk_tool *tool, const char *path, const char *const argv[],
		    enum pmk_tool_errors errors, unsigned seconds);

/* Waits for the end of the command. `out` receives the beginning of its output. Returns the
 * command's exit code, 128 + the number of the signal that ended it, or one of PMK_TOOL_…. */
int pmk_tool_finish(struct pmk_tool *tool, char *out, size_t size);

/* Starts argv[0] and waits for its end. If `out` is NULL, the output goes to stderr. */
int pmk_tool_run(const char *const argv[], enum pmk_tool_errors errors, unsigned seconds, char *out,
		 size_t size);

/* Runs a command with all its output on stderr, in a separate process group, so that a signal from
 * the terminal reaches only this process. When a handler has set *stop to the number of a signal,
 * the group gets that signal, and processes that remain some seconds later are killed. No process
 * of the group is left when the function returns, so none can change files later. Returns what
 * pmk_tool_finish() returns. */
int pmk_tool_run_until(const char *const argv[], const volatile sig_atomic_t *stop);

#endif
