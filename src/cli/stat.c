// SPDX-License-Identifier: MIT
/*
 * pmk stat: run a program and print the counts of its core's counters. The library counts
 * (src/count); this file turns options into its settings, and writes its results.
 *
 * pmk run: the same for an emulator whose processors have pmk's model of a PMU. Firmware and
 * kernels that program their PMU see it count.
 *
 * Signals: a Ctrl-C also goes to the program, which is on the same terminal. If the program does
 * not end by itself, it gets the signal again after a moment, and later SIGKILL. The counts are
 * printed in any case.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/count.h>
#include <pmk/error.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/counting.h"
#include "cli/html/html.h"
#include "cli/output.h"

/* A run of the command. */
struct cli_stat {
	const struct cli_command *cmd;
	struct pmk_count *count;
	struct output_options o;
	const char *target;
	struct output out;
	const char *html; /* --html */
	struct html_stat *page;
	struct cli_running running;
	const char *event, *metrics, *interval, *repeat, *bars; /* the last value of each option */
	bool write_failed;
	int why; /* errno of the failure */
};

/* A member, for the rows of options. */
#define CLI_STAT(member) offsetof(struct cli_stat, member)

/* Rows that pmk stat and pmk run have: how the result is written. */
/* clang-format off */
#define CLI_ROWS_STAT_OUTPUT \
	CLI_ROW_SEPARATOR(CLI_STAT(o.separator)), \
	{ 'j', "json-output", NULL, "write JSON, one object per line, as perf does", CLI_ON, \
	  CLI_STAT(o.json_lines) }, \
	{ 0, "json-document", NULL, "write JSON: one document with everything that pmk knows", \
	  CLI_ON, CLI_STAT(o.json) }, \
	{ 0, "html", "FILE", "also write an HTML page; with -I, with a chart over time", CLI_TEXT, \
	  CLI_STAT(html) }, \
	{ 'o', "output", "FILE", "write to FILE instead of stderr", CLI_TEXT, CLI_STAT(o.path) }
#define CLI_ROW_STAT_VERBOSE \
	{ 'v', "verbose", NULL, "print more about each number and the run", CLI_ON, \
	  CLI_STAT(o.verbose) }
/* clang-format on */

/* ---- options ------------------------------------------------------------------------------- */

/* Handle an option that only changes a setting of the library. */
static int set_setting(void *request, const char *name, char *value)
{
	struct cli_stat *s = request;

	name = strcmp(name, "interval-print") ? name : "interval";
	return pmk_count_set(s->count, name, value) ? cli_count_failed(s->count) : 0;
}

static const struct cli_option stat_options[] = {
	{ 'e', "event", "LIST", "events: names, aliases, rNN, {groups}, all; repeatable",
	  CLI_SETTING, CLI_STAT(event) },
	{ 'M', "metrics", "LIST", "metrics to print (and the events they need)", CLI_SETTING,
	  CLI_STAT(metrics) },
	CLI_ROWS_CORE,
	{ 0, "traffic", "SPEC", "add a bus master to arm926, e.g. dma0:period=40; repeatable" },
	{ 0, "layout", "FILE", "register layout of the AHB Monitor" },
	{ 'T', "target", "TARGET",
	  "where to count: emu, linux, wave:FILE, openocd:HOST:PORT … (pmk list targets)",
	  CLI_SETTING, CLI_STAT(target) },
	{ 'm', "map", "FILE", "-T wave: maps the dump's signals to buses" },
	{ 0, "packets", "FILE", "write the AHB Monitor's output pins, AHBMONITOR, as VCD" },
	{ 'l', "layer", "NAME", "-T wave: only this layer of the map" },
	{ 'p', "pid", "LIST", "count these processes instead of a program" },
	{ 'a', "all-cpus", NULL, "count everything on all processors" },
	{ 'C', "cpu", "CPUS", "count everything on these processors: 0,2-3" },
	{ 'i', "no-inherit", NULL, "do not count children and threads of the program" },
	{ 0, "per-thread", NULL, "-p: print each thread separately" },
	{ 'd', "detailed", NULL, "also count caches; -dd: caches and TLBs; -ddd: prefetches, too" },
	{ 'n', "null", NULL, "count nothing; print only how long the program takes" },
	{ 'D', "delay", "MS", "start counting after this many ms" },
	{ 0, "timeout", "MS", "end the program after this many ms" },
	{ 0, "sample", NULL, "count short pieces of a long program and estimate the rest" },
	{ 0, "sample-seed", "N", "--sample: choose other pieces" },
	{ 'r', "repeat", "N", "run N times; print mean and spread", CLI_SETTING, CLI_STAT(repeat) },
	{ 0, "table", NULL, "-r: show how long each run took", CLI_ON, CLI_STAT(o.table) },
	{ 'I', "interval", "N[UNIT]", "print counts every N ms, or emulated cycles or insns",
	  CLI_SETTING, CLI_STAT(interval) },
	{ 0, "interval-print", "N[UNIT]", "perf's name for --interval", CLI_SETTING,
	  CLI_STAT(interval) },
	{ 0, "interval-count", "N", "-I: stop printing after this many intervals" },
	{ 0, "summary", NULL, "-I: also print the counts of the whole run" },
	{ 0, "no-summary", NULL, "-I: print only the intervals (default)" },
	{ 0, "region", "SYMBOL", "count inside this function, calls included; repeatable" },
	{ 0, "from", "SYMBOL", "start counting when control reaches this function" },
	{ 0, "to", "SYMBOL", "with --from: stop counting at this function" },
	{ 'A', "no-aggr", NULL, "one section per core instead of their sum" },
	{ 0, "passes", "HOW", "clone: all passes in one run; rerun: one run per pass" },
	CLI_ROWS_STAT_OUTPUT,
	{ 0, "append", NULL, "append to the file of -o", CLI_ON, CLI_STAT(o.append) },
	{ 0, "log-fd", "N", "write to this descriptor instead of stderr", CLI_CALL, CLI_STAT(o),
	  output_take_descriptor },
	{ 0, "metric-only", NULL, "print metrics without the counts they are computed from", CLI_ON,
	  CLI_STAT(o.metric_only) },
	{ 0, "bars", NULL, "draw how the layers of a bus spent their cycles; with -I, trends",
	  CLI_SETTING, CLI_STAT(bars) },
	{ 0, "plot", NULL, "-I: draw each event and metric over the intervals", CLI_ON,
	  CLI_STAT(o.plot) },
	{ 'B', "big-num", NULL, "group digits (default)", CLI_OFF, CLI_STAT(o.plain_numbers) },
	{ 0, "no-big-num", NULL, "do not group digits", CLI_ON, CLI_STAT(o.plain_numbers) },
	CLI_ROWS_PROGRAM,
	CLI_ROW_STAT_VERBOSE,
	CLI_ROWS_END,
};

static const struct cli_option run_options[] = {
	{ 'e', "event", "LIST", "count these in addition to what the program counts; repeatable",
	  CLI_SETTING, CLI_STAT(event) },
	{ 'M', "metrics", "LIST", "print these metrics; repeatable", CLI_SETTING,
	  CLI_STAT(metrics) },
	{ 0, "core", "CORE", "the core to model (pmk list cores); default: the board's" },
	{ 0, "pmu", "PMU", "the PMU that the program sees, if the core has two" },
	{ 0, "set", "KEY=VALUE", "change a parameter of the core; repeatable" },
	{ 0, "layout", "FILE", "register layout of the AHB Monitor" },
	{ 0, "at", "ADDRESS", "address of memory-mapped registers" },
	{ 0, "irq", "WHERE", "interrupt input of the PMU: TYPE[/NAME]:NUMBER" },
	{ 0, "log", "FILE", "log each access to the PMU to FILE; pmk decode --log explains it" },
	{ 0, "packets", "FILE", "write the AHB Monitor's output pins, AHBMONITOR, as VCD" },
	{ 'I', "interval", "N[UNIT]", "print counts every N emulated ms, cycles or insns",
	  CLI_SETTING, CLI_STAT(interval) },
	{ 0, "timeout", "MS", "end the emulator after this many ms" },
	CLI_ROWS_STAT_OUTPUT,
	CLI_ROW_STAT_VERBOSE,
	CLI_ROWS_END,
};

static const struct cli_refusal refused[] = {
	{ 't', "tid", "-p counts all threads of a process; --per-thread prints each separately" },
	{ 'g', "group", "write the events of a group in braces: -e '{a,b}'" },
	{ 'G', "cgroup for-each-cgroup",
	  "control groups are not counted; -p and -a select what is counted" },
	{ 'S', "sync", "write 'sync; pmk stat ...'" },
	{ 0, "transaction", "no PMU here counts transactional memory; -T is the target" },
	{ 0, "topdown td-level",
	  "only Intel's cores count pipeline slots; 'pmk list metrics' shows ours" },
	{ 0, "smi-cost", "only Intel's processors have system management interrupts" },
	{ 0, "iostat", "it is for the I/O PMUs of Intel's servers" },
	{ 0, "all-user", "write :u after each event" },
	{ 0, "all-kernel", "write :k after each event" },
	{ 0, "bpf-prog", "BPF programs are not counted; -p and -a select what is counted" },
	{ 0, "bpf-counters bpf-attr-map",
	  "pmk always counts through perf_event_open, never through BPF programs" },
	{ 0, "control",
	  "counting cannot be switched on and off through a file or pipe; "
	  "use -D, --from and --to" },
	{ 0, "cputype", "name the PMU: --pmu" },
	{ 0, "hybrid-merge", "counts of different kinds of cores are never added up" },
	{ 0, "no-merge", "counts of several PMUs are never added up" },
	{ 0, "filter", "only tracepoints can be filtered, and they are not counted" },
	{ 0, "interval-clear", "intervals follow each other; 'watch' clears the screen" },
	{ 0, "metric-no-group",
	  "events of a metric are in a group if you write braces around them" },
	{ 0, "metric-no-merge", "metrics always share their events" },
	{ 0, "metric-no-threshold", "metrics have no thresholds here" },
	{ 0, "no-csv-summary", "--no-summary leaves the line out" },
	{ 0, "per-core per-cache per-cluster per-die per-node per-socket",
	  "-A prints each processor; add them up as your topology requires" },
	{ 0, "percore-show-thread", "no core that pmk counts has several hardware threads" },
	{ 0, "pre", "run the command before pmk, in a script" },
	{ 0, "post", "run the command after pmk, in a script" },
	{ 0, "quiet", "-o /dev/null writes nothing" },
	{ 0, "record-tpebs", "only Intel's cores sample how long instructions take to retire" },
	{ 0, "scale no-scale",
	  "counts are always scaled, and labelled so; -v and CSV have the share of time" },
	{ 0, NULL, NULL },
};

/* Store the words after the options: a program or, for pmk run, an emulator's command. */
static int take_words(struct cli_stat *s, char **words)
{
	if (s->cmd == &cmd_run && !words[0])
		return cli_fail(PMK_EXIT_USAGE, "name the emulator: pmk run -- qemu-system-arm "
						"-M …");
	if (s->cmd == &cmd_run &&
	    (pmk_count_set(s->count, "guest", NULL) ||
	     (!s->event && !s->metrics && pmk_count_set(s->count, "null", NULL))))
		return cli_count_failed(s->count);
	return pmk_count_program(s->count, words) ? cli_count_failed(s->count) : 0;
}

static int parse(struct cli_stat *s, int argc, char **argv)
{
	char **words;
	int code = cli_parse(s->cmd, s, argc, argv, &words);

	if (code)
		return code;
	s->o.bars = s->bars;
	if (!words[0] && s->event && strchr(s->event, '/') && !access(s->event, X_OK))
		return cli_fail(PMK_EXIT_USAGE,
				"-e uses %s as its list of events; write pmk %s -e LIST %s",
				s->event, s->cmd->name, s->event);
	code = take_words(s, words);
	if (code)
		return code;
	if (s->o.plot && !s->interval)
		return cli_fail(PMK_EXIT_USAGE, "--plot draws the intervals of -I; add -I");
	if (s->o.table && !s->repeat)
		return cli_fail(PMK_EXIT_USAGE, "--table shows the runs of -r; add -r");
	return output_check(&s->o);
}

/* ---- the listener --------------------------------------------------------------------------- */

/* Remember a failure to write. The run continues; rescue() prints the counts elsewhere. */
static void note_failure(struct cli_stat *s, bool bad)
{
	if (bad && !s->write_failed)
		s->why = errno;
	s->write_failed |= bad;
}

static void begin(void *ctx, struct pmk_count *c)
{
	struct cli_stat *s = ctx;

	cli_running_end(&s->running);
	note_failure(s,
		     output_begin(&s->out, pmk_count_result(c), pmk_count_metrics(c), false) != 0);
}

static void rows(void *ctx, struct pmk_count *c, uint32_t first)
{
	const struct pmk_result *r = pmk_count_result(c);
	struct cli_stat *s = ctx;

	(void)first; /* sections are written as a whole */
	cli_running_end(&s->running);
	if (s->html)
		html_stat_add(&s->page, r, &r->sections[r->nsections - 1], pmk_count_metrics(c));
	errno = 0;
	if (s->out.writer)
		note_failure(s, pmk_writer_section(s->out.writer, r,
						   &r->sections[r->nsections - 1]) != 0);
}

static void note(void *ctx, const char *text)
{
	struct cli_stat *s = ctx;

	cli_running_end(&s->running);
	cli_fail(0, "%s", text);
}

static void progress(void *ctx, uint64_t bytes, uint64_t size)
{
	struct cli_stat *s = ctx;

	cli_reading_show(&s->running, s->target + strlen("wave:"), bytes, size);
}

static void running(void *ctx, double seconds, uint64_t insns)
{
	struct cli_stat *s = ctx;

	cli_running_show(&s->running, seconds, insns);
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Print the counts elsewhere, because writing to the file failed. */
static int rescue(struct cli_stat *s)
{
	cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s; the counts follow here", s->o.path,
		 strerror(s->why ? s->why : EIO));
	cli_rescue(s->count, !s->o.plain_numbers);
	return PMK_EXIT_FAILED;
}

/* Close the document after the run has ended. Returns the program's exit code, or the exit code
 * of a failure. */
static int finish(struct cli_stat *s)
{
	struct pmk_count_summary sum = { .size = sizeof(sum) };
	int err, code = 0;

	if (s->html)
		code = html_stat_write(s->page, pmk_count_result(s->count), s->html);
	errno = 0;
	err = output_close(&s->out, pmk_count_result(s->count));
	note_failure(s, err != 0);
	if (s->write_failed && s->o.path)
		return rescue(s);
	if (s->write_failed)
		return cli_fail(PMK_EXIT_FAILED, "cannot write the counts: %s",
				err == PMK_ENOMEM ? pmk_strerror(err)
						  : strerror(s->why ? s->why : EIO));
	pmk_count_get_summary(s->count, &sum);
	return code ? code : sum.exit_code;
}

/* Check that all files that the command writes are different. */
static int check_files(const struct cli_stat *s)
{
	const struct {
		const char *option, *path;
	} file[] = {
		{ "-o", s->o.path },
		{ "--html", s->html },
		{ "--log", pmk_count_log(s->count) },
		{ "--packets", pmk_count_packets(s->count) },
	};

	for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++)
		for (size_t k = i + 1; file[i].path && k < sizeof(file) / sizeof(*file); k++)
			if (file[k].path && output_same_file(file[i].path, file[k].path))
				return cli_fail(
					PMK_EXIT_USAGE,
					"%s %s: %s writes to this file, too; name two files",
					file[i].option, file[i].path, file[k].option);
	return 0;
}

static int count(struct cli_stat *s)
{
	const struct pmk_count_listener told = {
		.size = sizeof(told),
		.ctx = s,
		.begin = begin,
		.rows = rows,
		.note = note,
		.progress = progress,
		.running = cli_running_shown() ? running : NULL,
	};
	bool wave = s->target && !strncmp(s->target, "wave:", strlen("wave:"));
	const char *program;
	int code;

	if (pmk_count_prepare(s->count, &told))
		return cli_count_failed(s->count);
	if (s->o.metric_only && !*pmk_count_metrics(s->count))
		return cli_fail(PMK_EXIT_USAGE,
				"--metric-only: no metric can be computed from these events; "
				"choose metrics with -M ('pmk list metrics' lists them)");
	program = pmk_count_file(s->count);
	code = output_keep("-o", s->o.path, program, "the program");
	if (!code)
		code = output_keep("--html", s->html, program, "the program");
	if (!code)
		code = check_files(s);
	if (code)
		return code;
	code = output_open(&s->out, &s->o, stderr);
	if (code)
		return code;
	cli_catch_signals(s->count);
	s->running.began = wave ? pmk_seconds() : 0;
	code = pmk_count_run(s->count, NULL);
	cli_running_end(&s->running);
	if (!code)
		return finish(s);
	/* A document that was begun is closed even after a failure. */
	output_close(&s->out, pmk_count_result(s->count));
	return cli_count_failed(s->count);
}

static int run_count(const struct cli_command *cmd, int argc, char **argv)
{
	struct cli_stat s = { .cmd = cmd, .count = pmk_count_new_for_command() };
	int code = s.count ? parse(&s, argc, argv) : cli_count_failed(NULL);

	if (!code)
		code = count(&s);
	html_stat_free(s.page);
	output_options_free(&s.o);
	pmk_count_free(s.count);
	return code;
}

static int run_stat(int argc, char **argv)
{
	return run_count(&cmd_stat, argc, argv);
}

const struct cli_command cmd_stat = {
	.name = "stat",
	.brief = "run a program and print what the core's counters read",
	.usage = "[-e LIST]... [-M LIST] [--core CORE] [--set KEY=VALUE]... [-r N] [-I N[UNIT]]\n"
		 "                [--region SYMBOL | --from SYMBOL --to SYMBOL]... [-x SEP | -j] "
		 "[-o FILE]\n"
		 "                [-p LIST | -a | -C CPUS] [--] [PROGRAM [ARG...]]",
	.options = stat_options,
	.refused = refused,
	.run = run_stat,
	.set = set_setting,
	.program = true,
};

static int run_run(int argc, char **argv)
{
	return run_count(&cmd_run, argc, argv);
}

const struct cli_command cmd_run = {
	.name = "run",
	.brief = "run firmware or a kernel that programs its own PMU, in QEMU",
	.usage = "[-e LIST]... [--core CORE] [--irq WHERE] [--log FILE] -- QEMU-COMMAND",
	.options = run_options,
	.run = run_run,
	.set = set_setting,
	.program = true,
};
