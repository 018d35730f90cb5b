/* SPDX-License-Identifier: MIT */
/* Running other commands for their output. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <signal.h>
#include <stddef.h>

enum cli_errors { /* where a command's stderr goes */
		  CLI_ERRORS_SHOWN,
		  CLI_ERRORS_DROPPED,
		  CLI_ERRORS_IN_OUTPUT,
};

/* Run a command without input. `out` receives the beginning of its output; NULL: the output goes to
 * stderr. A command that takes longer than `seconds` is killed; 0: no limit. Returns its exit code,
 * 128 + signal, or PMK_EXIT_NOT_FOUND if there is no such command. */
int cli_run(const char *const argv[], enum cli_errors errors, unsigned seconds, char *out,
	    size_t size);

/* Run a command with all its output on stderr, in a separate process group, so that a signal from
 * the terminal reaches only this process. When a handler has set *stop to the number of a signal,
 * the group gets that signal, and processes that remain some seconds later are killed. No process
 * of the group is left when this returns, so none of them can still change files. Returns like
 * cli_run(). */
int cli_run_until(const char *const argv[], const volatile sig_atomic_t *stop);

#endif
