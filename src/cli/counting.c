// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/counting.h"

#include <signal.h>
#include <stdio.h>

/* For the signal handler. The command runs once in a process. */
static struct pmk_count *running;

static void on_signal(int sig)
{
	pmk_count_stop(running, sig);
}

/* A file that grows beyond a limit (ulimit -f): the write fails, and the counts go elsewhere. */
static void on_limit(int sig)
{
	(void)sig;
}

/* The handlers stay after the run, because the counts are still to be written. There is no
 * SA_RESTART, so that a signal also ends a read from a pipe that nobody writes to. What was
 * ignored, SIGHUP under nohup, SIGINT in the background of a script, stays ignored, here and in the
 * program; but SIGTERM ends counting in any case, so that there is a way to end it. */
void cli_catch_signals(struct pmk_count *c)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE };
	struct sigaction sa = { .sa_handler = on_signal }, before;
	sigset_t ignored;

	running = c;
	signal(SIGXFSZ, on_limit);
	signal(SIGCHLD, SIG_DFL); /* while it is ignored, the exit code of the program is lost */
	sigemptyset(&ignored);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
		if (sigaction(caught[i], &sa, &before) || before.sa_handler != SIG_IGN)
			continue;
		sigaddset(&ignored, caught[i]);
		if (caught[i] != SIGTERM)
			sigaction(caught[i], &before, NULL);
	}
	pmk_count_ignore(c, &ignored);
}

void cli_rescue(struct pmk_count *c, bool big_num)
{
	const struct pmk_result *r = pmk_count_result(c);
	struct pmk_write_options opt = {
		.format = PMK_FORMAT_TEXT,
		.big_num = big_num,
		.metrics = pmk_count_metrics(c),
	};
	struct pmk_writer *w = pmk_writer_begin(stderr, &opt, r);

	for (unsigned i = 0; w && i < r->nsections; i++)
		pmk_writer_section(w, r, &r->sections[i]);
	if (w)
		pmk_writer_end(w, r);
}
