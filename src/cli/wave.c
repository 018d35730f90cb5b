// SPDX-License-Identifier: MIT
/*
 * pmk wave: what is in a waveform dump, and whether its buses keep to the protocol.
 *
 *	$ pmk wave signals sim.vcd > ahb.ini
 *	$ pmk wave check sim.vcd --map ahb.ini
 *
 * The table of `signals` is comments of a map file, and what follows it is the map that the names
 * suggest, so that its output as a whole is a map.
 */
#include "cli/wave.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "producer/wave/run.h"

/* Exit codes of `check` beside those of cli.h. */
enum { FOUND = 1, PARTIAL = 2 };

#define SHOW_VIOLATIONS 100 /* unless --limit says otherwise */

static const struct cli_option options[] = {
	{ 'm', "map", "FILE", "check: which signals are which" },
	{ 'l', "layer", "NAME", "check: this layer of the map alone" },
	{ 0, "limit", "N", "check: show the first N violations (100); 0: count only" },
	{ 'h', "help", NULL, "show this help" },
	{ 0, NULL, NULL, NULL },
};

struct wave_request {
	const char *what, *file, *map, *layer;
	uint64_t limit;
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

void cli_wave_warnings(FILE *f, const struct pmk_wave *w, const struct pmk_wave_report *report)
{
	for (unsigned i = 0; i < PMK_WAVE_NODDITIES; i++) {
		const struct pmk_wave_warning *warning = &report->warning[i];
		char time[80];

		if (!warning->count)
			continue;
		pmk_wave_time_text(w, warning->time, time, sizeof(time));
		fprintf(f, "warning: %s: %" PRIu64 " times, first at %s: %s\n",
			pmk_wave_oddity_text(i), warning->count, time, warning->signal);
	}
}

/* ---- signals -------------------------------------------------------------------------------- */

/* "haddr[31:0]", as in the table. */
static void name_text(const struct pmk_wave_signal *s, char *buf, size_t size)
{
	if (s->kind != PMK_WAVE_BITS || (s->width == 1 && s->msb == 0 && s->lsb == 0))
		snprintf(buf, size, "%s", s->name);
	else if (s->msb == s->lsb)
		snprintf(buf, size, "%s[%d]", s->name, s->msb);
	else
		snprintf(buf, size, "%s[%d:%d]", s->name, s->msb, s->lsb);
}

static void print_table(const struct pmk_wave_signal *list, size_t n)
{
	static const char *const kinds[] = { [PMK_WAVE_BITS] = "",
					     [PMK_WAVE_REAL] = "real",
					     [PMK_WAVE_STRING] = "string",
					     [PMK_WAVE_EVENT] = "event" };
	size_t scope = strlen("scope"), name = strlen("name");
	char text[512];

	for (size_t i = 0; i < n; i++) {
		name_text(&list[i], text, sizeof(text));
		scope = strlen(list[i].scope) > scope ? strlen(list[i].scope) : scope;
		name = strlen(text) > name ? strlen(text) : name;
	}
	printf("# %-*s  %-*s  %5s\n", (int)scope, "scope", (int)name, "name", "bits");
	for (size_t i = 0; i < n; i++) {
		name_text(&list[i], text, sizeof(text));
		printf("# %-*s  %-*s  %5u", (int)scope, list[i].scope, (int)name, text,
		       list[i].width);
		printf("%s%s\n", *kinds[list[i].kind] ? "  " : "", kinds[list[i].kind]);
	}
}

static int show_signals(const struct wave_request *q)
{
	const struct pmk_wave_signal *list;
	struct pmk_wave_error err;
	struct pmk_wave *w;
	char *guess;
	size_t n;

	if (pmk_wave_open(&w, q->file, &err))
		return cli_fail(PMK_EXIT_FAILED, "%s", err.text);
	list = pmk_wave_signals(w, &n);
	printf("# %s: %s, %zu names\n#\n", q->file, pmk_wave_format(w), n);
	print_table(list, n);
	printf("\n# A map guessed from the names: look it over. Its format is in docs/wave.md.\n");
	if (pmk_wave_guess(w, &guess, &err))
		cli_fail(0, "%s", err.text);
	else
		fputs(guess, stdout);
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
	struct pmk_wave *w;
	struct pmk_wave_map map;
	struct pmk_wave_count count;
	struct pmk_wave_report report;
	struct cli_wave_progress progress;
	uint64_t shown;
	uint64_t (*by_rule)[PMK_AHB_NRULES]; /* of each layer */
};

static int take_violation(void *ctx, const struct pmk_wave_watched *l,
			  const struct pmk_wave_edge *edge, const struct pmk_ahb_violation *v)
{
	struct check *k = ctx;
	char text[200], time[80];

	k->by_rule[l->index][v->rule]++;
	if (k->shown == k->q->limit)
		return 0;
	k->shown++;
	cli_wave_progress_end(&k->progress);
	pmk_ahb_violation_text(v, text, sizeof(text));
	pmk_wave_time_text(k->w, edge->time, time, sizeof(time));
	printf("%s  %s  %s\n", time, l->layer->name, text);
	return 0;
}

static int show_progress(void *ctx, const struct pmk_wave_progress *p)
{
	struct check *k = ctx;

	return cli_wave_progress_show(&k->progress, p);
}

/* "armd: 10000 cycles, 3 violations: not-next 2, alignment 1" */
static uint64_t print_layer(const struct check *k, const struct pmk_wave_watched *l)
{
	const char *before = ": ";

	printf("%s: %" PRIu64 " cycles, %" PRIu64 " violation%s", l->layer->name, k->report.edges,
	       l->violations, l->violations == 1 ? "" : "s");
	for (unsigned r = 0; r < PMK_AHB_NRULES; r++) {
		if (!k->by_rule[l->index][r])
			continue;
		printf("%s%s %" PRIu64, before, pmk_ahb_rules[r].name, k->by_rule[l->index][r]);
		before = ", ";
	}
	putchar('\n');
	return l->violations;
}

static int print_check(struct check *k, int status)
{
	char first[80], last[80];
	uint64_t found = 0;

	for (unsigned i = 0; i < k->count.nwatched; i++)
		found += print_layer(k, &k->count.watched[i]);
	if (found > k->shown)
		printf("%" PRIu64 " violations, %" PRIu64 " of them shown; --limit shows more\n",
		       found, k->shown);
	if (k->report.edges) {
		pmk_wave_time_text(k->w, k->report.first, first, sizeof(first));
		pmk_wave_time_text(k->w, k->report.last, last, sizeof(last));
		printf("%s: %" PRIu64 " edges of %s from %s to %s%s\n", k->q->file, k->report.edges,
		       k->map.clock, first, last, status ? ", partial" : "");
	}
	cli_wave_warnings(stdout, k->w, &k->report);
	if (status < 0)
		return cli_fail(PMK_EXIT_FAILED, "%s", k->report.error.text);
	if (k->report.error.code)
		cli_fail(0, "%s", k->report.error.text);
	else if (status)
		cli_fail(0, "%s: interrupted", k->q->file);
	return found ? FOUND : status ? PARTIAL : PMK_EXIT_OK;
}

static int run_check(struct check *k)
{
	struct sigaction act = { .sa_handler = on_interrupt };
	struct pmk_wave_error err;
	int status;

	k->count = (struct pmk_wave_count){ .map = &k->map,
					    .only = k->q->layer,
					    .violation = take_violation,
					    .progress = show_progress,
					    .ctx = k };
	if (pmk_wave_bind(k->w, &k->map, &err) || pmk_wave_count_init(&k->count, k->w, &err))
		return cli_fail(PMK_EXIT_USAGE, "%s", err.text);
	if (!k->count.nwatched)
		return cli_fail(PMK_EXIT_USAGE, "%s: no [layer]: there is no protocol to check",
				k->q->map);
	k->by_rule = calloc(k->map.nlayers, sizeof(*k->by_rule));
	if (!k->by_rule)
		return cli_fail(PMK_EXIT_FAILED, "out of memory");
	/* No SA_RESTART: a read from a pipe that says nothing has to end, too. */
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	cli_wave_progress_begin(&k->progress, k->q->file);
	k->progress.interrupted = &interrupted;
	status = pmk_wave_count_run(&k->count, &k->report);
	cli_wave_progress_end(&k->progress);
	return print_check(k, status);
}

static int check(const struct wave_request *q)
{
	struct check k = { .q = q };
	struct pmk_wave_error err;
	int code;

	if (!q->map)
		return cli_fail(PMK_EXIT_USAGE,
				"wave check needs --map FILE; 'pmk wave signals %s' guesses one",
				q->file);
	if (pmk_wave_map_load(&k.map, q->map, &err))
		return cli_fail(err.code == PMK_EIO ? PMK_EXIT_FAILED : PMK_EXIT_USAGE, "%s",
				err.text);
	if (pmk_wave_open(&k.w, q->file, &err))
		code = cli_fail(PMK_EXIT_FAILED, "%s", err.text);
	else
		code = run_check(&k);
	free(k.by_rule);
	pmk_wave_count_free(&k.count);
	pmk_wave_close(k.w);
	pmk_wave_map_free(&k.map);
	return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

static bool set_limit(struct wave_request *q, const char *text)
{
	char *end;

	q->limit = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end;
}

static const char *const subcommands[] = { "signals", "check", NULL };

static const char *next_subcommand(const void *ctx, unsigned i)
{
	(void)ctx;
	return subcommands[i];
}

static int no_subcommand(const char *name)
{
	char near[64];

	if (!name)
		return cli_fail(PMK_EXIT_USAGE, "wave: usage: pmk wave %s", cmd_wave.usage);
	cli_nearest(name, next_subcommand, NULL, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE, "wave has no '%s'; did you mean %s?", name,
			*near ? near : "signals or check");
}

static int run_wave(int argc, char **argv)
{
	struct wave_request q = { .limit = SHOW_VIOLATIONS };
	const struct cli_option *o;
	unsigned operands = 0;
	char *value;
	bool bad;
	int i = 1;

	for (;;) {
		o = cli_next(&cmd_wave, argc, argv, &i, &value, &bad);
		if (bad)
			return PMK_EXIT_USAGE;
		if (!o && i >= argc)
			break;
		if (!o)
			argv[1 + operands++] = argv[i++];
		else if (o->letter == 'm')
			q.map = value;
		else if (o->letter == 'l')
			q.layer = value;
		else if (o->letter == 'h')
			return cli_help(stdout, &cmd_wave), PMK_EXIT_OK;
		else if (!set_limit(&q, value))
			return cli_fail(PMK_EXIT_USAGE, "wave: --limit takes a number, not '%s'",
					value);
	}
	q.what = operands > 0 ? argv[1] : NULL;
	q.file = operands > 1 ? argv[2] : NULL;
	if (!q.what || (strcmp(q.what, "signals") != 0 && strcmp(q.what, "check") != 0))
		return no_subcommand(q.what);
	if (operands != 2)
		return cli_fail(PMK_EXIT_USAGE, "wave %s takes one FILE, or - for standard input",
				q.what);
	return strcmp(q.what, "check") == 0 ? check(&q) : show_signals(&q);
}

const struct cli_command cmd_wave = {
	.name = "wave",
	.brief = "look into waveform dumps and check their buses",
	.usage = "signals|check FILE [--map FILE] [--layer NAME] [--limit N]",
	.options = options,
	.run = run_wave,
};
