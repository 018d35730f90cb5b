// SPDX-License-Identifier: MIT
/*
 * pmk record: run a program and record where each event was counted. In emulation the counts
 * are exact, because nothing is sampled; on this machine (-T linux) the kernel takes samples.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/cli.h"
#include "cli/counting.h"
#include "cli/output.h"
#include "count/command.h"
#include "profile/recording/recording.h"

#define DEFAULT_PATH "pmk.data"

struct record {
	struct pmk_count *count;
	const char *path;
	const char *frequency, *period; /* as given, or NULL */
	bool paths, path_given;
	struct cli_running running;
};

static int set_setting(void *request, const char *name, char *value)
{
	struct record *r = request;

	return pmk_count_set(r->count, name, value) ? cli_count_failed(r->count) : 0;
}

static int take_path(void *request, char *value)
{
	struct record *r = request;

	r->path = value;
	r->path_given = true;
	return *value ? 0 : cli_fail(PMK_EXIT_USAGE, "-o: the name of the file is empty");
}

#define AT(member) offsetof(struct record, member)

static const struct cli_option options[] = {
	{ 'e', "event", "LIST", "events: names, aliases, rNN, all; repeatable" },
	{ 'g', "call-graph", NULL, "record call paths: for callers, callees, flame graphs", CLI_ON,
	  AT(paths) },
	{ 'o', "output", "FILE", "write to FILE instead of pmk.data", CLI_CALL, 0, take_path },
	{ 'T', "target", "TARGET", "emu: run in emulation; linux: sample on this machine" },
	{ 'F', "freq", "HZ", "-T linux: samples per second (default: 4000), or max", CLI_TEXT,
	  AT(frequency) },
	{ 'c', "count", "PERIOD", "-T linux: take a sample after this many events", CLI_TEXT,
	  AT(period) },
	{ 'p', "pid", "LIST", "-T linux: sample these processes instead of a program" },
	{ 'a', "all-cpus", NULL, "-T linux: sample everything on all processors" },
	{ 'C', "cpu", "CPUS", "-T linux: sample everything on these processors: 0,2-3" },
	{ 0, "timeout", "MS", "end the program after this many ms" },
	{ 0, "no-inherit", NULL, "-T linux: do not sample children of the program" },
	CLI_ROWS_CORE,
	CLI_ROWS_PROGRAM,
	CLI_ROWS_END,
};

/* True for perf's names of ways to find callers. pmk has one way for each target, so the name
 * changes nothing. */
static bool is_unwinder(const char *word)
{
	return word && (!strcmp(word, "fp") || !strcmp(word, "lbr") || !strcmp(word, "dwarf") ||
			!strncmp(word, "dwarf,", strlen("dwarf,")));
}

/* Take the next option. Skips the value of --call-graph, which pmk ignores. */
static const struct cli_option *next_option(int argc, char **argv, int *index, char **value,
					    bool *bad)
{
	static char bare[] = "--call-graph";
	const struct cli_option *o;
	char *word = *index < argc ? argv[*index] : bare;

	if (!strncmp(word, "--call-graph=", sizeof(bare)) && is_unwinder(word + sizeof(bare)))
		argv[*index] = word = bare;
	o = cli_next(&cmd_record, argc, argv, index, value, bad);
	if (o && !strcmp(word, bare) && *index < argc && is_unwinder(argv[*index]))
		++*index;
	return o;
}

static int parse(struct record *r, int argc, char **argv)
{
	const struct cli_option *o;
	int index = 1, code;
	bool bad = false;
	char *value;

	while ((o = next_option(argc, argv, &index, &value, &bad))) {
		code = cli_apply(&cmd_record, o, r, value);
		if (code)
			return code;
	}
	if (bad)
		return PMK_EXIT_USAGE;
	if (pmk_count_rate(r->count, r->frequency, r->period) ||
	    pmk_count_program(r->count, argv + index))
		return cli_count_failed(r->count);
	pmk_count_record(r->count, r->paths);
	return 0;
}

static void note(void *ctx, const char *text)
{
	struct record *r = ctx;

	cli_running_end(&r->running);
	cli_fail(0, "%s", text);
}

static void running(void *ctx, double seconds, uint64_t insns)
{
	struct record *r = ctx;

	cli_running_show(&r->running, seconds, insns);
}

/*
 * Returns the number of samples of all events. For each event there are two rows: its sum of
 * periods, then its number of samples.
 */
static uint64_t samples_of(const struct pmk_recording *rec)
{
	uint64_t n = 0;

	for (size_t i = 0; i + 1 < rec->nevents; i++)
		if (rec->event[i].trust == PMK_TRUST_SAMPLED)
			n += rec->event[i + 1].total;
	return n;
}

static void print_lines(const char *lines)
{
	for (char *line; (line = pmk_print_line(&lines)); free(line))
		cli_fail(0, "%s", line);
}

/* Print the warnings and notes, and what was written, as perf does. */
static void tell(const struct record *r, const struct pmk_recording *rec)
{
	struct stat st;
	double size = stat(r->path, &st) ? 0 : (double)st.st_size / 1e6;

	print_lines(rec->warning);
	print_lines(rec->note);
	if (rec->sampled)
		fprintf(stderr, "[ pmk record: wrote %.1f MB to %s: %" PRIu64 " samples ]\n", size,
			r->path, samples_of(rec));
	else
		fprintf(stderr,
			"[ pmk record: wrote %.1f MB to %s: %zu events at %zu instructions ]\n",
			size, r->path, rec->nevents, rec->ninsns);
}

/* Keeps the recording that will be replaced as pmk.data.old, as perf does; for files that were
 * named with -o, the user decides. */
static void keep_old_recording(const struct record *r)
{
	struct stat st;

	if (r->path_given || lstat(r->path, &st) || !S_ISREG(st.st_mode))
		return;
	unlink(DEFAULT_PATH ".old");
	/* Some file systems have no links. */
	if (link(r->path, DEFAULT_PATH ".old"))
		rename(r->path, DEFAULT_PATH ".old");
}

/* Called while the file is written. Returns false, which stops writing, if a signal has arrived. */
static bool on_items(void *ctx, size_t done, size_t all)
{
	struct record *r = ctx;

	if (cli_running_shown())
		cli_writing_show(&r->running, done, all);
	return !cli_last_signal();
}

static int write_recording(struct record *r)
{
	const struct pmk_recording *rec = pmk_count_recording(r->count);
	const struct pmk_recording_watch watch = { on_items, r };
	struct pmk_count_summary sum = { .size = sizeof(sum) };
	char msg[1024];
	int err;

	pmk_count_get_summary(r->count, &sum);
	if (!rec)
		return cli_fail(PMK_EXIT_FAILED, "nothing was recorded");
	keep_old_recording(r);
	cli_forget_signal();
	err = pmk_recording_write(rec, r->path, &watch, msg, sizeof(msg));
	cli_running_end(&r->running);
	if (err && cli_last_signal()) {
		cli_fail(0, "%s was not written: signal %d ended pmk record", r->path,
			 cli_last_signal());
		return 128 + cli_last_signal();
	}
	if (err) {
		cli_fail(0, "%s: %s; the counts follow here", r->path, msg);
		cli_rescue(r->count, true);
		return PMK_EXIT_FAILED;
	}
	tell(r, rec);
	return sum.exit_code;
}

/* Detect, before the program runs, errors that would otherwise appear after it has ended. */
static int check_output(const struct record *r)
{
	const char *why = pmk_recording_obstacle(r->path);

	if (why)
		return cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s", r->path, why);
	return output_keep("-o", r->path, pmk_count_file(r->count), "the program");
}

static int record(struct record *r)
{
	const struct pmk_count_listener told = { .size = sizeof(told),
						 .ctx = r,
						 .note = note,
						 .running = cli_running_shown() ? running : NULL };
	int err;

	if (pmk_count_prepare(r->count, &told))
		return cli_count_failed(r->count);
	err = check_output(r);
	if (err)
		return err;
	cli_catch_signals(r->count);
	err = pmk_count_run(r->count, NULL);
	cli_running_end(&r->running);
	if (err)
		return cli_count_failed(r->count);
	return write_recording(r);
}

static int run_record(int argc, char **argv)
{
	struct record r = { .count = pmk_count_new_for_command(), .path = DEFAULT_PATH };
	int code = r.count ? parse(&r, argc, argv) : cli_count_failed(NULL);

	if (!code)
		code = record(&r);
	pmk_count_free(r.count);
	return code;
}

const struct cli_command cmd_record = {
	.name = "record",
	.brief = "run a program and record where each event was counted",
	.usage = "[-e LIST]... [-g] [-o FILE] [--core CORE] [--set KEY=VALUE]...\n"
		 "                  [--] [PROGRAM [ARG...]]\n"
		 "       pmk record -T linux [-F HZ | -c PERIOD] [-a | -p LIST] [-g] [-o FILE]\n"
		 "                  [--] [PROGRAM [ARG...]]",
	.options = options,
	.run = run_record,
	.set = set_setting,
	.program = true,
};
