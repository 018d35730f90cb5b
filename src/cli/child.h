/* SPDX-License-Identifier: MIT */
/* Other commands, run for what they say. */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <signal.h>
#include <stddef.h>

enum cli_errors { /* what becomes of a command's stderr */
		  CLI_ERRORS_SHOWN,
		  CLI_ERRORS_DROPPED,
		  CLI_ERRORS_IN_OUTPUT,
};

/* Run a command, with the beginning of its output in `out`, or for NULL all of it on stderr; it
 * reads nothing. What takes longer than `seconds` is killed; 0: it may take any time. Returns its
 * exit code; 128 + signal; PMK_EXIT_NOT_FOUND if there is no such command. */
int cli_run(const char *const argv[], enum cli_errors errors, unsigned seconds, char *out,
	    size_t size);

/* Run a command with all its output on stderr, in a process group of its own, so that a signal of
 * the terminal comes to this process alone. When a handler has set *stop, which is then the number
 * of a signal, the group gets that signal, and what of it is there some seconds later is killed.
 * None of its processes is left when this returns: what they do to files has ended. Returns as
 * cli_run(). */
int cli_run_until(const char *const argv[], const volatile sig_atomic_t *stop);

#endif
