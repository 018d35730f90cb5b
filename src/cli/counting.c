// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/counting.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"

int cli_count_failed(struct pmk_count *c)
{
	const struct pmk_count_error *err = pmk_count_get_error(c);

	return cli_fail(err->failure, "%s", err->text);
}

/* The run that a signal ends, or NULL. */
static struct pmk_count *volatile running;

static volatile sig_atomic_t last_signal;

static void on_signal(int sig)
{
	last_signal = sig;
	if (running)
		pmk_count_stop(running, sig);
}

/* Install handlers for the signals that end the run. They stay after the run, because the counts
 * must still be written. There is no SA_RESTART, so that a signal also ends waiting for a pipe: its
 * open() or read(). Ignored signals (SIGHUP under nohup, SIGINT in the background of a script)
 * stay ignored, here and in the program. SIGTERM always ends counting, so that there is a way to
 * end it. */
void cli_catch_signals(struct pmk_count *c)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE };
	struct sigaction sa = { .sa_handler = on_signal }, before;
	sigset_t ignored;

	running = c;
	signal(SIGCHLD, SIG_DFL); /* if SIGCHLD were ignored, the exit code of the program would
				   * be lost */
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

void cli_release_signals(void)
{
	running = NULL;
}

int cli_last_signal(void)
{
	return last_signal;
}

void cli_forget_signal(void)
{
	last_signal = 0;
}

/* ---- progress -------------------------------------------------------------------------------- */

#define PATIENCE_SECONDS 1

bool cli_running_shown(void)
{
	return isatty(STDERR_FILENO);
}

/* Replace the displayed line. */
static void put_line(struct cli_running *p, char *line)
{
	unsigned columns = cli_columns(stderr);

	if (columns > 1 && strlen(line) >= columns) /* a line that wraps cannot be rewritten */
		line[columns - 1] = '\0';
	fprintf(stderr, "\r%-*s", (int)p->width, line);
	fflush(stderr);
	p->width = (unsigned)strlen(line);
}

static void write_line(struct cli_running *p, double seconds, double mips)
{
	char line[160], guest[48] = "";

	if (seconds > 0)
		snprintf(guest, sizeof(guest), "%.3f s of the guest, ", seconds);
	snprintf(line, sizeof(line), "pmk: %s%.1f million instructions, %.0f MIPS", guest,
		 (double)p->insns / 1e6, mips);
	put_line(p, line);
}

#define MB 1000000.0

void cli_reading_show(struct cli_running *p, const char *path, uint64_t bytes, uint64_t size)
{
	double took = pmk_seconds() - p->began, rate = took > 0 ? (double)bytes / took : 0;
	char line[160], share[48] = "";

	if (!cli_running_shown())
		return;
	if (size && rate > 0)
		snprintf(share, sizeof(share), ", %.0f %%, %.0f s left",
			 100.0 * (double)bytes / (double)size,
			 (double)(size - (bytes < size ? bytes : size)) / rate);
	snprintf(line, sizeof(line), "%.60s: %.0f MB, %.0f MB/s%s", path, (double)bytes / MB,
		 rate / MB, share);
	put_line(p, line);
}

#define WRITING_SECONDS 0.2

void cli_writing_show(struct cli_running *p, size_t done, size_t all)
{
	double at = pmk_seconds();
	char line[80];

	if (at - p->last < WRITING_SECONDS)
		return;
	p->last = at;
	snprintf(line, sizeof(line), "pmk: writing, %.0f %%",
		 all ? 100.0 * (double)(done < all ? done : all) / (double)all : 0);
	put_line(p, line);
}

void cli_running_show(struct cli_running *p, double seconds, uint64_t insns)
{
	double at = pmk_seconds(), since = at - p->last;
	uint64_t before = p->insns;

	p->insns = insns;
	p->last = at;
	if (!p->began || insns < before) { /* this run, or the next run of -r, has just begun */
		p->began = at;
		return;
	}
	/* A program that waits may be waiting for its user, who needs this line of the terminal. */
	if (insns == before)
		cli_running_end(p);
	else if (at - p->began >= PATIENCE_SECONDS)
		write_line(p, seconds, (double)(insns - before) / 1e6 / since);
}

void cli_running_end(struct cli_running *p)
{
	if (p->width)
		fprintf(stderr, "\r%*s\r", (int)p->width, "");
	p->width = 0;
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
