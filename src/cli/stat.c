// SPDX-License-Identifier: MIT
/*
 * pmk stat: run a program and print what its core's counters read.
 * This file: the options, and which target they mean. See stat.h for the others.
 */
#include "cli/stat.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static const struct cli_option options[] = {
	{ 'e', "event", "LIST", "events: names, aliases, rNN, {groups}, all; repeatable" },
	{ 'M', "metrics", "LIST", "metrics to print (and the events they need)" },
	{ 0, "pmu", "PMU", "the PMU to count with" },
	{ 0, "core", "CORE", "the core to model (pmk list cores)" },
	{ 0, "set", "KEY=VALUE",
	  "change a parameter of the core, or several, with commas; repeatable" },
	{ 0, "traffic", "SPEC", "what else is on the buses of arm926: dma0:period=40; repeatable" },
	{ 0, "layout", "FILE", "where the AHB Monitor has its registers" },
	{ 'T', "target", "TARGET", "where to count: emu, linux or wave:FILE (pmk list targets)" },
	{ 'm', "map", "FILE", "-T wave: which signals are which" },
	{ 'l', "layer", "NAME", "-T wave: this layer of the map alone" },
	{ 'p', "pid", "LIST", "count these processes instead of a program" },
	{ 'a', "all-cpus", NULL, "count everything on all processors" },
	{ 'C', "cpu", "CPUS", "count everything on these processors: 0,2-3" },
	{ 0, "no-inherit", NULL, "not the children and threads that the program starts" },
	{ 'r', "repeat", "N", "run N times; print mean and spread" },
	{ 'I', "interval", "N[UNIT]", "print counts every N ms, or emulated cycles or insns" },
	{ 0, "region", "SYMBOL", "count inside this function, calls included; repeatable" },
	{ 0, "from", "SYMBOL", "start counting here …" },
	{ 0, "to", "SYMBOL", "… and stop here" },
	{ 'A', "no-aggr", NULL, "one section per core instead of their sum" },
	{ 0, "passes", "HOW", "clone: all passes in one run; rerun: one run per pass" },
	{ 'x', "field-separator", "SEP", "write CSV with this separator" },
	{ 'j', "json-output", NULL, "write JSON" },
	{ 'o', "output", "FILE", "write to FILE instead of stderr" },
	{ 0, "append", NULL, "append to the file of -o" },
	{ 0, "bars", NULL, "draw how the layers of a bus spent their cycles; with -I, trends" },
	{ 0, "no-big-num", NULL, "do not group digits" },
	{ 0, "env", "NAME[=VALUE]", "let the program see this variable; repeatable" },
	{ 0, "sysroot", "DIR", "where the program's shared libraries are" },
	{ 0, "qemu", "COMMAND", "run this emulator command line instead of a program" },
	{ 'v', "verbose", NULL, "more about every number and about the run" },
	{ 'h', "help", NULL, "show this help" },
	{ 0, NULL, NULL, NULL },
};

/* Long names are compared so that options without a letter need no number of their own. */
static bool is(const struct cli_option *o, const char *name)
{
	return !strcmp(o->name, name);
}

static int out_of_memory(void)
{
	return cli_fail(PMK_EXIT_FAILED, "out of memory");
}

static int parse_repeat(struct request *q, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || n < 1 || n > 100000 || *text == '-')
		return cli_fail(PMK_EXIT_USAGE, "-r %s: expected a number of runs, 1 to 100000",
				text);
	q->runs = (unsigned)n;
	return 0;
}

/* "1000000cycles", "5000insns", "10ms", or perf's bare milliseconds. */
static int parse_interval(struct request *q, const char *text)
{
	char *end;

	errno = 0;
	q->interval = strtoull(text, &end, 10);
	if (end == text || *text == '-' || errno || !q->interval)
		return cli_fail(PMK_EXIT_USAGE, "-I %s: expected a number from 1 to 2^64 - 1",
				text);
	if (!strcmp(end, "cycles"))
		q->interval_unit = INTERVAL_CYCLES;
	else if (!strcmp(end, "insns") || !strcmp(end, "instructions"))
		q->interval_unit = INTERVAL_INSNS;
	else if (!*end || !strcmp(end, "ms"))
		q->interval_unit = INTERVAL_MS;
	else
		return cli_fail(PMK_EXIT_USAGE,
				"-I %s: unknown unit '%s' (known: cycles, insns, ms)", text, end);
	return 0;
}

static int parse_passes(struct request *q, const char *text)
{
	if (!strcmp(text, "clone") || !strcmp(text, "rerun")) {
		q->rerun = *text == 'r';
		return 0;
	}
	if (!strcmp(text, "multiplex"))
		return cli_fail(PMK_EXIT_USAGE,
				"--passes multiplex: emulated counters need not share "
				"time; use clone or rerun");
	return cli_fail(PMK_EXIT_USAGE, "--passes %s: expected clone or rerun", text);
}

const struct stat_target *const stat_targets[] = { &stat_emu, &stat_linux, &stat_wave, NULL };

static const char *target_name(const void *ctx, unsigned i)
{
	(void)ctx;
	return stat_targets[i] ? stat_targets[i]->name : NULL;
}

static int parse_target(struct request *q, const char *text)
{
	size_t n = strcspn(text, ":");
	char near[64] = "";

	for (unsigned i = 0; stat_targets[i]; i++) {
		const struct stat_target *t = stat_targets[i];

		if (strncmp(text, t->name, n) != 0 || t->name[n] || (text[n] && !t->file))
			continue;
		q->target = t;
		q->file = text[n] ? text + n + 1 : NULL;
		if (t->file && (!q->file || !*q->file))
			return cli_fail(PMK_EXIT_USAGE, "-T %s: expected %s:FILE", text, t->name);
		return 0;
	}
	pmk_nearest_among(text, target_name, NULL, near, sizeof(near));
	return cli_fail(PMK_EXIT_USAGE, "-T %s: there is no such target%s%s%s (pmk list targets)",
			text, *near ? "; did you mean " : "", near, *near ? "?" : "");
}

/* The target that alone knows an option; NULL: all do. */
static bool knows(const struct stat_target *t, const char *option)
{
	for (const char *const *name = t->options; *name; name++)
		if (strcmp(*name, option) == 0)
			return true;
	return false;
}

/* The one target that has the option, or NULL: all have it. If several do, *shared. */
static const struct stat_target *owner(const struct cli_option *o, bool *shared)
{
	const struct stat_target *found = NULL;

	for (unsigned i = 0; stat_targets[i]; i++) {
		if (!knows(stat_targets[i], o->name))
			continue;
		*shared |= found != NULL;
		found = found ? found : stat_targets[i];
	}
	return found;
}

/* Options of different targets make no sense together. */
static int note_owner(struct request *q, const struct cli_option *o)
{
	bool shared = false;
	const struct stat_target *t = owner(o, &shared);

	if (shared)
		q->shared = o->name;
	if (!t || shared || t == q->hinted)
		return 0;
	if (q->hinted)
		return cli_fail(PMK_EXIT_USAGE, "--%s is for -T %s, and --%s for -T %s", q->hint,
				q->hinted->name, o->name, t->name);
	q->hinted = t;
	q->hint = o->name;
	return 0;
}

/* The option belongs to several targets, and this is none of them. */
static int not_for_target(const char *option, const struct stat_target *target)
{
	char list[128] = "";
	size_t n = 0;

	for (unsigned i = 0; stat_targets[i]; i++)
		if (knows(stat_targets[i], option) && n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s-T %s",
					      n ? " and " : "", stat_targets[i]->name);
	return cli_fail(PMK_EXIT_USAGE, "--%s is for %s, not for -T %s", option, list,
			target->name);
}

/* Without -T: the target whose options were given; else this machine for what runs on it. */
static int choose_target(struct request *q)
{
	if (q->target && q->hinted && q->target != q->hinted)
		return cli_fail(PMK_EXIT_USAGE, "--%s is for -T %s, not for -T %s", q->hint,
				q->hinted->name, q->target->name);
	if (!q->target)
		q->target = q->hinted;
	if (!q->target)
		q->target = q->command[0] && !q->shared && stat_linux_runs(q->command[0])
				    ? &stat_linux
				    : &stat_emu;
	if (q->shared && !knows(q->target, q->shared))
		return not_for_target(q->shared, q->target);
	return 0;
}

static int add_region(struct request *q, const char *symbol)
{
	if (q->regions.count == PMK_MAX_REGIONS - 1)
		return cli_fail(PMK_EXIT_USAGE, "more than %d regions", PMK_MAX_REGIONS - 1);
	return pmk_words_add(&q->regions, symbol) ? 0 : out_of_memory();
}

static int add_word(struct pmk_words *l, const char *word)
{
	return pmk_words_add(l, word) ? 0 : out_of_memory();
}

/* "l2.type=l220,l2.size=128K": no value has a comma in it. */
static int add_settings(struct request *q, char *text)
{
	int err = 0;

	for (char *next; text && !err; text = next) {
		next = strchr(text, ',');
		if (next)
			*next++ = '\0';
		err = add_word(&q->overrides, text);
	}
	return err;
}

static int take_option(struct request *q, const struct cli_option *o, char *value)
{
	int code;

	if (output_take(&q->out, o, value, &code))
		return code;
	if (is(o, "event"))
		return add_word(&q->events, value);
	if (is(o, "set"))
		return add_settings(q, value);
	if (is(o, "traffic"))
		return add_word(&q->traffic, value);
	if (is(o, "env"))
		return add_word(&q->env, value);
	if (is(o, "region"))
		return add_region(q, value);
	if (is(o, "repeat"))
		return parse_repeat(q, value);
	if (is(o, "interval"))
		return parse_interval(q, value);
	if (is(o, "passes"))
		return parse_passes(q, value);
	if (is(o, "target"))
		return parse_target(q, value);
	if (is(o, "pmu"))
		q->pmu_name = value;
	else if (is(o, "core"))
		q->core_name = value;
	else if (is(o, "from"))
		q->from = value;
	else if (is(o, "to"))
		q->to = value;
	else if (is(o, "sysroot"))
		q->sysroot = value;
	else if (is(o, "qemu"))
		q->qemu = value;
	else if (is(o, "pid"))
		q->pids = value;
	else if (is(o, "map"))
		q->map = value;
	else if (is(o, "layer"))
		q->layer = value;
	else if (is(o, "layout"))
		q->layout = value;
	else if (is(o, "cpu"))
		q->cpus = value;
	else if (is(o, "all-cpus"))
		q->all_cpus = true;
	else if (is(o, "no-inherit"))
		q->no_inherit = true;
	else if (is(o, "no-aggr"))
		q->per_core = true;
	return 0;
}

/* What makes no sense together. */
static int check_request(const struct request *q)
{
	int code = output_check(&q->out);

	if (code)
		return code;
	if (!q->from != !q->to)
		return cli_fail(PMK_EXIT_USAGE, "--from and --to go together");
	if (q->interval_unit != INTERVAL_NONE && (q->runs > 1 || q->rerun))
		return cli_fail(PMK_EXIT_USAGE, "-I counts one run: not with -r or --passes rerun");
	if (q->interval_unit != INTERVAL_NONE && (q->regions.count || q->per_core))
		return cli_fail(PMK_EXIT_USAGE,
				"-I goes with --from and --to, not with --region or -A");
	if (q->per_core && q->regions.count)
		return cli_fail(PMK_EXIT_USAGE, "-A and --region exclude each other");
	if (!q->command[0] && !q->qemu && !q->pids && !q->cpus && !q->all_cpus && !q->file)
		return cli_fail(PMK_EXIT_USAGE, "no program to run (pmk stat --help)");
	return 0;
}

static int parse(struct request *q, int argc, char **argv, bool *help)
{
	const struct cli_option *o;
	int index = 1, err;
	bool bad = false;
	char *value;

	while ((o = cli_next(&cmd_stat, argc, argv, &index, &value, &bad))) {
		if (is(o, "help")) {
			*help = true;
			return 0;
		}
		err = take_option(q, o, value);
		if (!err)
			err = note_owner(q, o);
		if (err)
			return err;
	}
	if (bad)
		return PMK_EXIT_USAGE;
	q->command = argv + index;
	err = check_request(q);
	return err ? err : choose_target(q);
}

static void free_request(struct request *q)
{
	pmk_words_free(&q->events);
	output_options_free(&q->out);
	pmk_words_free(&q->overrides);
	pmk_words_free(&q->traffic);
	pmk_words_free(&q->regions);
	pmk_words_free(&q->env);
}

static void free_job(struct job *job)
{
	pmk_runner_free(&job->runner);
	pmk_result_free(&job->result);
	pmk_event_list_free(&job->events);
	emulation_free(&job->emu);
	linux_job_free(job->linux_job);
	wave_job_free(job->wave_job);
	free(job->places);
	free(job);
}

static int count(const struct request *q)
{
	struct job *job = calloc(1, sizeof(*job));
	int code;

	if (!job)
		return out_of_memory();
	job->q = q;
	job->events.fault = &job->fault;
	pmk_result_init(&job->result);
	job->result.runs = 0; /* so far */
	code = q->target->choose(job);
	if (!code)
		code = report_open(job);
	if (!code)
		code = q->target->run(job);
	if (!code)
		code = report_end(job);
	else
		report_abandon(job); /* an opened document is closed whatever went wrong */
	cli_fault(&job->fault);
	free_job(job);
	return code;
}

static int run_stat(int argc, char **argv)
{
	struct request q = { .runs = 1 };
	bool help = false;
	int code = parse(&q, argc, argv, &help);

	if (help)
		cli_help(stdout, &cmd_stat);
	else if (!code)
		code = count(&q);
	free_request(&q);
	return code;
}

const struct cli_command cmd_stat = {
	.name = "stat",
	.brief = "run a program and print what the core's counters read",
	.usage =
		"[-e LIST]... [-M LIST] [--core CORE] [--set KEY=VALUE]... [-r N] [-I N[UNIT]]\n"
		"                [--region SYMBOL | --from SYMBOL --to SYMBOL]... [-x SEP | -j] [-o FILE]\n"
		"                [-p LIST | -a | -C CPUS] [--] [PROGRAM [ARG...]]",
	.options = options,
	.run = run_stat,
};
