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
#include "cli/emulator.h"
#include "cli/watch.h"
#include "count/files.h"
#include "producer/qemu/generation.h"

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

/* ---- questions to the emulator ---------------------------------------------------------------- */

#define ANSWER_SECONDS 10 /* that one may take */

/* Start the emulator with these words. What it says comes out of *fd; -1: it could not be started. */
static pid_t ask(const char *path, const char *const words[], int *fd)
{
	int fds[2];
	pid_t pid;

	*fd = -1;
	if (pipe2(fds, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		alarm(ANSWER_SECONDS); /* outlives exec */
		/* execvp() is older than const; it changes nothing. */
		execvp(path, (char *const *)(uintptr_t)words);
		_exit(127);
	}
	close(fds[1]);
	if (pid < 0)
		close(fds[0]);
	else
		*fd = fds[0];
	return pid;
}

/* The beginning of what it says. */
static void read_answer(pid_t pid, int fd, char *text, size_t size)
{
	size_t got = 0;
	ssize_t n;

	*text = '\0';
	if (fd < 0)
		return;
	while (got < size - 1 && (n = read(fd, text + got, size - 1 - got)) > 0)
		got += (size_t)n;
	text[got] = '\0';
	close(fd);
	waitpid(pid, NULL, 0);
}

static void ask_version(struct job *job)
{
	const char *const words[] = { job->emu.argv.word[0], "--version", NULL };

	job->asked = ask(job->emu.qemu.path, words, &job->answer);
}

static void read_version(struct job *job)
{
	char text[512];

	if (!job->asked)
		return;
	read_answer(job->asked, job->answer, text, sizeof(text));
	job->asked = 0;
	pmk_qemu_version(text, job->qemu_version, sizeof(job->qemu_version));
}

/* ---- the module that fits it -------------------------------------------------------------------- */

static int no_module_for(const struct job *job, unsigned api)
{
	return cli_fail(PMK_EXIT_FAILED,
			"%s %s takes plugins of API version %u, and pmk has none of that; %s",
			job->emu.argv.word[0], job->qemu_version, api, EMULATOR_OTHER_RELEASE);
}

static int too_old(const struct job *job)
{
	return cli_fail(PMK_EXIT_FAILED, "%s %s is too old: plugins take QEMU 6.0 or newer; %s",
			job->emu.argv.word[0], job->qemu_version, EMULATOR_OTHER_RELEASE);
}

static int not_qemu(const struct job *job)
{
	return cli_fail(PMK_EXIT_FAILED,
			"%s does not behave like QEMU: it does not tell its version",
			job->emu.argv.word[0]);
}

/* By the functions that the emulator exports; by its release where they do not tell. A question takes longer
 * than a small program, so the version is otherwise asked for while the program runs. */
static int choose_module(struct job *job)
{
	const struct pmk_qemu *q = &job->emu.qemu;
	const struct pmk_qemu_generation *g = pmk_qemu_generation_of_api(q->api_lowest);
	unsigned api;

	ask_version(job);
	job->generation = g;
	if (g && g == pmk_qemu_generation_of_api(q->api_highest))
		return 0;
	read_version(job);
	if (!*job->qemu_version)
		return not_qemu(job);
	api = pmk_qemu_api(job->qemu_version);
	if (!api)
		return too_old(job);
	job->generation = pmk_qemu_generation_of_api(api);
	return 0;
}

/* Let the emulator say again why it did not take the module: the first time it said so to the user. There is
 * nothing for it to run, should it take it. */
static void ask_why(const struct job *job, const char *module, char *text, size_t size)
{
	const char *const firmware[] = {
		job->emu.argv.word[0], "-M", "none", "-display", "none", "-plugin", module, NULL
	};
	const char *const program[] = { job->emu.argv.word[0], "-plugin", module, "/dev/null",
					NULL };
	int fd;
	pid_t pid = ask(job->emu.qemu.path, job->emu.system ? firmware : program, &fd);

	read_answer(pid, fd, text, size);
}

static int start_failed(struct job *job, int err)
{
	if (err != PMK_ENOTSUP)
		return cli_fail(PMK_EXIT_FAILED, "cannot start the emulator: %s", strerror(errno));
	return cli_fail(PMK_EXIT_FAILED, "%s: %s", job->emu.qemu.path, strerror(errno));
}

static int other_isa(const struct job *job)
{
	return cli_fail(PMK_EXIT_USAGE,
			"%s emulates %s, and core %s runs %s code; choose another with --core (pmk "
			"list cores)",
			job->emu.argv.word[0], job->runner.arena->target, job->emu.core.name,
			job->emu.core.isa);
}

/* The module was chosen for another API version than the emulator has? Then 0, and the one that it asks for is
 * chosen; or one line, and an exit code. */
static int other_module(struct job *job)
{
	const struct pmk_qemu_generation *g;
	char said[2048], module[PATH_MAX], other[PATH_MAX];
	unsigned api;

	if (atomic_load(&job->runner.arena->other_isa))
		return other_isa(job);
	read_version(job);
	if (!*job->qemu_version)
		return not_qemu(job);
	if (!pmk_qemu_api(job->qemu_version))
		return too_old(job);
	snprintf(module, sizeof(module), "%s", job->runner.cfg.plugin);
	ask_why(job, module, said, sizeof(said));
	api = pmk_qemu_asks_for(said);
	g = pmk_qemu_generation_of_api(api);
	if (api && (!g || !pmk_files_plugin(other, NULL, g->module)))
		return no_module_for(job, api);
	/* PMK_PLUGIN can be one file for all. */
	if (g && strcmp(other, module) != 0 && !job->refused) {
		cli_fail(0, "%s %s takes plugins of API version %u: trying %s",
			 job->emu.argv.word[0], job->qemu_version, api, g->module);
		job->generation = g;
		job->refused = true;
		return 0;
	}
	return cli_fail(PMK_EXIT_FAILED,
			"%s %s ended before it loaded the plugin %s; its own message says why",
			job->emu.argv.word[0], job->qemu_version, module);
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

/* The emulator ended before our plugin was there. */
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
	const char *module = job->generation->module;
	char plugin[PATH_MAX];
	bool there = pmk_files_plugin(plugin, NULL, module);
	struct pmk_runner_config cfg = {
		.counters = job->cfg,
		.code_start = job->emu.elf.code_start,
		.entry = job->emu.elf.entry,
		.pie = job->emu.elf.pie,
		.more_stack = emulation_more_stack(&job->emu),
		.emulator = job->emu.qemu.path,
		.plugin = plugin,
		.argv = job->emu.argv.word,
		.envp = job->emu.envp.word,
	};
	int err;

	if (!there || access(plugin, R_OK))
		return cli_fail(PMK_EXIT_FAILED,
				"cannot read the QEMU plugin %s; set PMK_PLUGIN to its path",
				there ? plugin : module);
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

/* The same; an emulator that asks for another module gets it. */
static int run_with_its_module(struct job *job, const struct pmk_plan *plan, unsigned first)
{
	int err = run_once(job, plan, first);

	if (err == NEVER_READY)
		err = other_module(job);
	else
		return err;
	if (!err)
		err = run_once(job, plan, first);
	return err == NEVER_READY ? other_module(job) : err;
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
		err = run_with_its_module(job, &part, first);
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
	double began = seconds();
	int err;

	catch_signals();
	err = choose_module(job);
	if (job->q->rerun)
		sort_by_pass(job);
	for (unsigned run = 0; run < job->q->runs && !err && !signalled; run++) {
		err = job->q->rerun ? run_passes(job) : run_with_its_module(job, &job->plan, 0);
		if (!err && (!signalled || !run))
			job->result.runs = run + 1;
	}
	job->interrupted = signalled;
	read_version(job);
	job->result.elapsed = (seconds() - began) / (job->result.runs ? job->result.runs : 1);
	return err;
}
