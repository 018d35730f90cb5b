// SPDX-License-Identifier: MIT
/*
 * pmk stat, second part: run the emulator, take the readings.
 *
 * Signals: on Ctrl-C the program gets it as well (same terminal). pmk waits a moment for it to end by
 * itself, asks it, and at last ends it; what was counted is reported in every case.
 */
#define _GNU_SOURCE
#include "cli/stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/watch.h"

#define OLDEST_QEMU "6.0"

static volatile sig_atomic_t signalled;

static void on_signal(int sig)
{
	signalled = sig;
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

/* A question put to QEMU while the program runs, so that it costs nobody's time. */
struct version_query {
	pid_t pid;
	int fd; /* -1: could not be asked */
};

static struct version_query ask_version(const char *qemu)
{
	struct version_query v = { .fd = -1 };
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return v;
	v.pid = fork();
	if (v.pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		execlp(qemu, qemu, "--version", NULL);
		_exit(127);
	}
	close(fds[1]);
	v.fd = fds[0];
	return v;
}

/* The number out of "qemu-arm version 7.2.22 (Debian …)". */
static void read_version(struct version_query v, char *version, size_t size)
{
	char text[512];
	ssize_t got = 0, n;
	char *at;

	if (v.fd < 0)
		return;
	while (got < (ssize_t)sizeof(text) - 1 &&
	       (n = read(v.fd, text + got, sizeof(text) - 1 - (size_t)got)) > 0)
		got += n;
	text[got] = '\0';
	close(v.fd);
	if (v.pid > 0)
		waitpid(v.pid, NULL, 0);
	at = strstr(text, "version ");
	if (at && (!strncmp(text, "qemu", 4) || !strncmp(text, "QEMU", 4)))
		snprintf(version, size, "%.*s", (int)strcspn(at + 8, " (\n"), at + 8);
}

/* Debian's package of an emulator; NULL: not known. */
static const char *package_of(const char *qemu)
{
	static const struct {
		const char *qemu, *package;
	} rows[] = {
		{ "qemu-arm", "qemu-user" },
		{ "qemu-aarch64", "qemu-user" },
		{ "qemu-microblaze", "qemu-user" },
		{ "qemu-microblazeel", "qemu-user" },
		{ "qemu-system-arm", "qemu-system-arm" },
		{ "qemu-system-microblaze", "qemu-system-misc" },
		{ "qemu-system-microblazeel", "qemu-system-misc" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(qemu, rows[i].qemu))
			return rows[i].package;
	return NULL;
}

static int start_failed(struct job *job, int err)
{
	const char *qemu = job->emu.argv.word[0];

	if (err != PMK_ENOTSUP)
		return cli_fail(PMK_EXIT_FAILED, "cannot start the emulator: %s", strerror(errno));
	if (errno == ENOENT && package_of(qemu))
		return cli_fail(PMK_EXIT_FAILED, "%s is not installed (Debian: apt install %s)",
				qemu, package_of(qemu));
	if (errno == ENOENT)
		return cli_fail(PMK_EXIT_FAILED, "%s is not installed", qemu);
	return cli_fail(PMK_EXIT_FAILED, "%s: %s", qemu, strerror(errno));
}

static int never_ready(const struct job *job)
{
	const struct pmk_arena *a = job->runner.arena;

	if (atomic_load(&a->other_isa))
		return cli_fail(PMK_EXIT_USAGE,
				"%s emulates %s, and core %s runs %s code; choose another with "
				"--core (pmk list cores)",
				job->emu.argv.word[0], a->target, job->emu.core.name,
				job->emu.core.isa);
	if (!*job->qemu_version)
		return cli_fail(PMK_EXIT_FAILED,
				"%s does not behave like QEMU: it does not tell its "
				"version",
				job->emu.argv.word[0]);
	return cli_fail(
		PMK_EXIT_FAILED,
		"%s %s ended before it loaded the plugin %s; if its own message does not say why: "
		"plugins take QEMU %s or newer, built with support for them",
		job->emu.argv.word[0], job->qemu_version, cli_plugin_path(), OLDEST_QEMU);
}

static const char *arena_error(const struct job *job)
{
	int err = atomic_load(&job->runner.arena->error);

	return err ? pmk_strerror(err) : NULL;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Intervals are shown while the program runs; any other report waits for its end. */
static int begin_report(struct job *job)
{
	if (job->out.writer || job->q->interval_unit == INTERVAL_NONE ||
	    !atomic_load(&job->runner.arena->ready))
		return 0;
	return report_begin(job);
}

/* An output that cannot be written does not end the run: report_end() rescues what was counted. */
static void drain_intervals(struct job *job)
{
	static struct pmk_arena_interval rec; /* big */

	job->write_failed |= begin_report(job) != 0;
	while (job->out.writer && pmk_runner_interval(&job->runner, &rec))
		job->write_failed |= report_interval(job, &rec) != 0;
}

static void add_sample(struct sample *s, uint64_t value)
{
	double delta = (double)value - s->mean;

	s->n++;
	s->sum += value;
	s->mean += delta / s->n;
	s->m2 += delta * ((double)value - s->mean);
}

/* The latencies of a part of the plan, at their place in the whole plan. */
static void collect_latencies(struct job *job, struct place *p, const struct pmk_reading *counts,
			      unsigned first, unsigned count)
{
	unsigned part = 0;

	for (unsigned i = first; i < first + count; i++) {
		int l = pmk_reading_latency(&job->plan, job->pmu, i);

		if (l >= 0)
			pmk_reading_add_latency(&p->counts.latency[l], &counts->latency[part++]);
	}
}

static void collect_place(struct job *job, struct place *p, const struct pmk_reading *counts,
			  const bool *wrapped, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned event = job->event_of[first + i];

		add_sample(&p->value[event], counts->total[i]);
		p->wrapped[event] |= wrapped[i];
	}
	collect_latencies(job, p, counts, first, count);
}

/* The runner's sums, for the plan's events [first, first + count), into the places. */
static void collect(struct job *job, unsigned first, unsigned count)
{
	const struct pmk_runner *r = &job->runner;
	const struct pmk_runner_counts *sum = &r->sum;

	for (unsigned i = 0; i < job->nplaces; i++) {
		struct place *p = &job->places[i];
		unsigned region = (unsigned)job->cfg.window + (i - 1);

		if (p->cpu >= 0) {
			collect_place(job, p, &r->core[p->cpu].total, r->core[p->cpu].wrapped,
				      first, count);
		} else if (p->region) {
			collect_place(job, p, &sum->region[region], sum->wrapped, first, count);
			p->entries = sum->entries[region];
		} else {
			collect_place(job, p, &sum->total, sum->wrapped, first, count);
		}
	}
}

static int make_places(struct job *job)
{
	unsigned n = job->q->per_core ? job->runner.ncores : 1 + job->q->regions.count;

	if (job->places)
		return 0;
	job->places = calloc(n ? n : 1, sizeof(*job->places));
	if (!job->places)
		return cli_fail(PMK_EXIT_FAILED, "out of memory");
	job->nplaces = n;
	for (unsigned i = 0; i < n; i++) {
		pmk_reading_init(&job->places[i].counts);
		job->places[i].cpu = job->q->per_core ? (int)i : -1;
		if (!job->q->per_core && i > 0)
			job->places[i].region = job->q->regions.word[i - 1];
	}
	return 0;
}

/* Wait for the program's end, or for the user's patience to end. */
static void wait_for_end(struct job *job)
{
	double since = 0;
	int sent = 0;

	while (!pmk_runner_step(&job->runner, 20)) {
		drain_intervals(job);
		if (!signalled)
			continue;
		if (since == 0)
			since = seconds();
		if (sent < 1 && (seconds() - since) * 1000 > WATCH_GRACE_MS)
			sent = 1, kill(job->runner.pid, signalled);
		if (sent < 2 && (seconds() - since) * 1000 > WATCH_GRACE_MS + WATCH_KILL_MS)
			sent = 2, kill(job->runner.pid, SIGKILL);
	}
	drain_intervals(job);
}

/* The emulator ended before our plugin was there: explained when its version is known. */
#define NEVER_READY (-1)

/* The program is over: read everything, for the plan's events from `first` on. */
static int take_reading(struct job *job, const struct pmk_plan *plan, unsigned first)
{
	pmk_runner_finish(&job->runner);
	if (job->runner.error == PMK_EBUSY && job->q->traffic.count)
		return cli_fail(
			PMK_EXIT_FAILED,
			"--traffic leaves the program nothing: a transfer of it was waiting for "
			"a million HCLK cycles; take a longer period or fewer masters");
	if (job->runner.error)
		return cli_fail(PMK_EXIT_FAILED, "reading the emulated counters failed: %s",
				pmk_strerror(job->runner.error));
	if (plan->nevents && !job->runner.sum.insns && !signalled)
		return cli_fail(job->emu.system ? PMK_EXIT_FAILED : PMK_EXIT_NOT_EXEC,
				"%s ended before the program executed an instruction%s",
				job->emu.argv.word[0],
				job->emu.system ? "" : " (firmware is run with --qemu)");
	job->result.exit_status = job->runner.status;
	if (WIFSIGNALED(job->runner.status) && !job->killed)
		job->killed = WTERMSIG(job->runner.status);
	job->result.partial |= job->killed || signalled;
	/* A run that was cut off would spoil the mean of those that were not. */
	if (signalled && job->result.runs)
		return 0;
	if (make_places(job))
		return PMK_EXIT_FAILED;
	collect(job, first, plan->nevents);
	return 0;
}

static int run_once(struct job *job, const struct pmk_plan *plan, unsigned first)
{
	struct pmk_runner_config cfg = {
		.counters = job->cfg,
		.code_start = job->emu.elf.code_start,
		.pie = job->emu.elf.pie,
		.plugin = cli_plugin_path(),
		.argv = job->emu.argv.word,
		.envp = job->emu.envp.word,
	};
	int err;

	if (!cfg.plugin || access(cfg.plugin, R_OK))
		return cli_fail(PMK_EXIT_FAILED,
				"cannot read the QEMU plugin %s; set PMK_PLUGIN to its path",
				cfg.plugin ? cfg.plugin : "pmk-qemu-api1.so");
	cfg.counters.plan = *plan;
	pmk_runner_free(&job->runner); /* of the run before */
	err = pmk_runner_start(&job->runner, &cfg);
	if (err)
		return start_failed(job, err);
	wait_for_end(job);
	if (!atomic_load(&job->runner.arena->ready)) {
		/* A later run that was cut off this early takes nothing from those before it. */
		if (signalled && job->result.runs)
			return 0;
		return signalled ? cli_fail(PMK_EXIT_FAILED, "interrupted before the program began")
				 : NEVER_READY;
	}
	if (arena_error(job))
		return cli_fail(PMK_EXIT_FAILED, "the emulated counters could not be started: %s",
				arena_error(job));
	return take_reading(job, plan, first);
}

/* The events of one pass, as a plan of its own. Passes are contiguous because the caller sorted. */
static int run_passes(struct job *job)
{
	for (unsigned pass = 0; pass < job->plan.npasses; pass++) {
		struct pmk_plan part = {
			.npasses = 1,
			.timed = job->plan.timed,
			.timer_code = job->plan.timer_code,
			.timer_counter = job->plan.timer_counter,
		};
		unsigned first = 0;
		int err;

		for (unsigned i = 0; i < job->plan.nevents; i++) {
			if (job->plan.event[i].pass != pass)
				continue;
			if (!part.nevents)
				first = i;
			part.event[part.nevents] = job->plan.event[i];
			part.event[part.nevents++].pass = 0;
		}
		err = run_once(job, &part, first);
		if (err || signalled)
			return err;
	}
	return 0;
}

/* Put the events of each pass side by side, so that a pass is a range of them. */
static void sort_by_pass(struct job *job)
{
	struct pmk_plan sorted = job->plan;
	unsigned event_of[PMK_MAX_EVENTS];

	sorted.nevents = 0;
	for (unsigned pass = 0; pass < job->plan.npasses; pass++)
		for (unsigned i = 0; i < job->plan.nevents; i++)
			if (job->plan.event[i].pass == pass) {
				event_of[sorted.nevents] = job->event_of[i];
				sorted.event[sorted.nevents++] = job->plan.event[i];
			}
	job->plan = sorted;
	memcpy(job->event_of, event_of, sizeof(event_of));
}

int stat_run(struct job *job)
{
	struct version_query version;
	double began = seconds();
	int err = 0;

	catch_signals();
	version = ask_version(job->emu.argv.word[0]);
	if (job->q->rerun)
		sort_by_pass(job);
	for (unsigned run = 0; run < job->q->runs && !err && !signalled; run++) {
		err = job->q->rerun ? run_passes(job) : run_once(job, &job->plan, 0);
		if (!err && (!signalled || !run))
			job->result.runs = run + 1;
	}
	job->interrupted = signalled;
	read_version(version, job->qemu_version, sizeof(job->qemu_version));
	if (err == NEVER_READY)
		err = never_ready(job);
	job->result.elapsed = (seconds() - began) / (job->result.runs ? job->result.runs : 1);
	return err;
}
