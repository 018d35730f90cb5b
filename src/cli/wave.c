// SPDX-License-Identifier: MIT
/*
 * pmk wave: lists the signals of a waveform dump, and checks whether its buses follow the protocol.
 *
 * 	$ pmk wave signals sim.vcd > ahb.ini
 * 	$ pmk wave check sim.vcd --map ahb.ini
 *
 * The output of `signals` is a map file: comments contain the table of signals, followed by a map
 * that is guessed from the names.
 */
#include "cli/wave.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/wave_forms.h"

/* Exit codes of `check` in addition to those of cli.h. */
enum { FOUND = 1, PARTIAL = 2 };

#define SHOW_VIOLATIONS 100 /* default of --limit */

struct wave_request {
	const char *what, *file, *map, *layer;
	uint64_t limit;
	struct output_options out; /* only -j and -x */
	const char *separator;
	const struct wave_form *form;
};

static int take_limit(void *member, char *value)
{
	if (pmk_number_parse(value, 10, 0, UINT64_MAX, member))
		return cli_fail(PMK_EXIT_USAGE, "wave: --limit takes a number, not '%s'", value);
	return 0;
}

#define AT(member) offsetof(struct wave_request, member)

static const struct cli_option options[] = {
	{ 'm', "map", "FILE", "check: maps the dump's signals to buses", CLI_TEXT, AT(map) },
	{ 'l', "layer", "NAME", "check: only this layer or AXI interface of the map", CLI_TEXT,
	  AT(layer) },
	{ 0, "limit", "N", "check: show the first N violations (100); 0: count only", CLI_CALL,
	  AT(limit), take_limit },
	CLI_ROW_SEPARATOR(AT(out.separator)),
	CLI_ROW_JSON(AT(out.json)),
	CLI_ROW_HELP,
	{ 0, NULL, NULL, NULL },
};

/* ---- progress ------------------------------------------------------------------------------- */

#define MB 1000000.0

static double seconds_since(const struct timespec *began)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - began->tv_sec) + (double)(now.tv_nsec - began->tv_nsec) / 1e9;
}

void cli_wave_progress_begin(struct cli_wave_progress *p, const char *path)
{
	*p = (struct cli_wave_progress){ .path = path };
	clock_gettime(CLOCK_MONOTONIC, &p->began);
}

int cli_wave_progress_show(struct cli_wave_progress *p, const struct pmk_wave_progress *now)
{
	double took = seconds_since(&p->began), rate = took > 0 ? (double)now->bytes / took : 0;
	char line[160], share[48] = "";
	int n;

	if (p->interrupted && *p->interrupted)
		return 1;
	if (!isatty(STDERR_FILENO))
		return 0;
	if (now->size && rate > 0)
		snprintf(share, sizeof(share), ", %.0f %%, %.0f s left",
			 100.0 * (double)now->bytes / (double)now->size,
			 (double)(now->size - (now->bytes < now->size ? now->bytes : now->size)) /
				 rate);
	n = snprintf(line, sizeof(line), "%.60s: %.0f MB, %.0f MB/s%s", p->path,
		     (double)now->bytes / MB, rate / MB, share);
	fprintf(stderr, "\r%-*s", (int)p->width, line);
	p->width = (unsigned)n;
	return 0;
}

void cli_wave_progress_end(struct cli_wave_progress *p)
{
	if (p->width)
		fprintf(stderr, "\r%*s\r", (int)p->width, "");
	p->width = 0;
}

/* ---- signals -------------------------------------------------------------------------------- */

static int show_signals(const struct wave_request *q)
{
	struct wave_names names = { .separator = q->separator, .file = q->file };
	struct pmk_wave_error err;
	struct pmk_wave *w;
	char *guess;

	if (pmk_wave_open(&w, q->file, &err))
		return cli_fail(PMK_EXIT_FAILED, "%s", err.text);
	names.w = w;
	names.list = pmk_wave_signals(w, &names.n);
	if (pmk_wave_guess(w, &guess, &err))
		names.no_map = err.text;
	names.map = guess;
	q->form->signals(&names);
	if (names.no_map && q->form == &wave_text)
		cli_fail(0, "%s", names.no_map);
	free(guess);
	pmk_wave_close(w);
	return PMK_EXIT_OK;
}

/* ---- check ---------------------------------------------------------------------------------- */

static volatile int interrupted;

static void on_interrupt(int sig)
{
	interrupted = sig;
}

struct check {
	const struct wave_request *q;
	struct wave_checked c;
	struct cli_wave_progress progress;
};

static int take_violation(void *ctx, const struct pmk_wave_checked *bus,
			  const struct pmk_wave_edge *edge, const struct pmk_violation *v)
{
	struct check *k = ctx;

	k->c.found++;
	if (k->c.shown == k->q->limit)
		return 0;
	cli_wave_progress_end(&k->progress);
	k->q->form->violation(&k->c, bus, edge, v);
	k->c.shown++;
	return 0;
}

static int show_progress(void *ctx, const struct pmk_wave_progress *p)
{
	struct check *k = ctx;

	return cli_wave_progress_show(&k->progress, p);
}

/* Print the outcome in the requested form, and one line on stderr. */
static int finish_check(struct check *k, int status)
{
	struct wave_checked *c = &k->c;
	char interrupt[300], time[80];

	c->partial = status != 0;
	if (c->findings.error.code)
		c->error = c->findings.error.text;
	else if (status) {
		pmk_wave_time_text(c->w, c->findings.end, time, sizeof(time));
		snprintf(interrupt, sizeof(interrupt),
			 "%.160s: byte %" PRIu64 ", time %s: interrupted", k->q->file,
			 c->findings.bytes, time);
		c->error = interrupt;
	}
	c->code = status < 0 ? PMK_EXIT_FAILED : c->found ? FOUND : status ? PARTIAL : PMK_EXIT_OK;
	k->q->form->end(c);
	return c->error ? cli_fail(c->code, "%s", c->error) : c->code;
}

static int run_check(struct check *k)
{
	struct sigaction act = { .sa_handler = on_interrupt };
	struct wave_checked *c = &k->c;
	struct pmk_wave_error err;
	int status;

	c->separator = k->q->separator;
	c->file = k->q->file;
	c->map_file = k->q->map;
	c->count = (struct pmk_wave_count){ .map = &c->map,
					    .only = k->q->layer,
					    .violation = take_violation,
					    .progress = show_progress,
					    .ctx = k };
	if (pmk_wave_bind(c->w, &c->map, &err) || pmk_wave_count_init(&c->count, c->w, &err))
		return cli_fail(PMK_EXIT_USAGE, "%s", err.text);
	if (!pmk_wave_count_checked(&c->count, 0))
		return cli_fail(PMK_EXIT_USAGE,
				"%s: it has neither [layer] nor [axi], so there is no protocol "
				"to check",
				k->q->map);
	/* No SA_RESTART, so that a signal also ends a read from a pipe without a writer. */
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	cli_wave_progress_begin(&k->progress, k->q->file);
	k->progress.interrupted = &interrupted;
	k->q->form->begin(c);
	status = pmk_wave_count_run(&c->count, &c->findings);
	cli_wave_progress_end(&k->progress);
	return finish_check(k, status);
}

static int check_bus(const struct wave_request *q)
{
	struct check k = { .q = q };
	struct pmk_wave_error err;
	int code;

	if (!q->map)
		return cli_fail(PMK_EXIT_USAGE,
				"wave check needs --map FILE; 'pmk wave signals %s' guesses one",
				q->file);
	if (pmk_wave_map_load(&k.c.map, q->map, &err))
		return cli_fail(err.code == PMK_EIO ? PMK_EXIT_FAILED : PMK_EXIT_USAGE, "%s",
				err.text);
	if (pmk_wave_open(&k.c.w, q->file, &err))
		code = cli_fail(PMK_EXIT_FAILED, "%s", err.text);
	else
		code = run_check(&k);
	pmk_wave_count_free(&k.c.count);
	pmk_wave_close(k.c.w);
	pmk_wave_map_free(&k.c.map);
	return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

static const char *const subcommands[] = { "signals", "check", NULL };

static const char *next_subcommand(const void *ctx, unsigned i)
{
	(void)ctx;
	return subcommands[i];
}

static int no_subcommand(const char *name)
{
	if (!name)
		return cli_fail(PMK_EXIT_USAGE,
				"wave needs signals or check, and a FILE (pmk wave --help)");
	return cli_not_found(cli_near(name, next_subcommand, NULL),
			     "did you mean signals or check?", "wave has no '%s'", name);
}

static int run_wave(int argc, char **argv)
{
	struct wave_request q = { .limit = SHOW_VIOLATIONS };
	char **operands;
	int code = cli_parse(&cmd_wave, &q, argc, argv, &operands);

	if (code)
		return code;
	code = output_check(&q.out);
	if (code)
		return code;
	q.separator = q.out.separator;
	q.form = q.out.json ? &wave_json : q.separator ? &wave_csv : &wave_text;
	q.what = operands[0];
	q.file = operands[0] ? operands[1] : NULL;
	if (!q.what || (strcmp(q.what, "signals") != 0 && strcmp(q.what, "check") != 0))
		return no_subcommand(q.what);
	if (!q.file || operands[2])
		return cli_fail(PMK_EXIT_USAGE, "wave %s takes one FILE, or - for standard input",
				q.what);
	return strcmp(q.what, "check") == 0 ? check_bus(&q) : show_signals(&q);
}

const struct cli_command cmd_wave = {
	.name = "wave",
	.brief = "list the signals of waveform dumps and check their buses",
	.usage = "signals|check FILE [--map FILE] [--layer NAME] [--limit N] [-x SEP | -j]",
	.options = options,
	.run = run_wave,
};
