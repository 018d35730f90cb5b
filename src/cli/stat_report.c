// SPDX-License-Identifier: MIT
/* pmk stat, third part: readings become a result, and the result is written. */
#define _GNU_SOURCE
#include "cli/stat.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

static void set_time(const struct job *job, struct pmk_section *s, uint64_t cycles, uint64_t insns)
{
	s->interval = true;
	s->at_cycles = cycles;
	s->at_insns = insns;
	s->at_seconds = (double)cycles / (double)job->emu.core.clock_hz;
}

void report_row(const struct job *job, unsigned i, enum pmk_trust trust, struct pmk_row *row)
{
	const struct pmk_event_request *req = &job->events.item[i];

	*row = (struct pmk_row){
		.event = req->event,
		.pmu = req->how && req->how == job->beside ? job->beside : NULL,
		.name = req->name,
		.group = req->group,
		.coverage = 1.0,
		.reason = job->reason[i],
		.trust = job->reason[i] ? PMK_TRUST_NOT_SUPPORTED : trust,
	};
}

static void start_row(const struct job *job, unsigned i, struct pmk_row *row)
{
	bool exact = pmk_signal_exact(job->events.item[i].event->signal);

	report_row(job, i, exact ? PMK_TRUST_EXACT : PMK_TRUST_MODELLED, row);
}

static uint64_t cycles_to_ns(const struct job *job, uint64_t cycles)
{
	return (uint64_t)((double)cycles * 1e9 / (double)job->emu.core.clock_hz);
}

/* What a latency counter tells of the plan's event i, into its row. */
static void set_latency(const struct job *job, unsigned i, const struct pmk_reading *counts,
			struct pmk_row *row)
{
	int l = pmk_reading_latency(&job->plan, job->pmu, i);

	if (l < 0 && row->event && row->event->latency)
		row->reason = "counted, not timed: there is no latency counter "
			      "(debug.latency_counters=0)";
	if (l < 0)
		return;
	row->has_dist = true;
	row->dist = (struct pmk_distribution){
		.values = counts->latency[l].values,
		.latency = true,
		.full = counts->latency[l].full,
		.saturated = counts->latency[l].saturated,
	};
	if (row->dist.full)
		row->reason = "occurrences overlapped: the latencies are less accurate";
	else if (row->dist.values.n && row->dist.values.min > row->dist.values.max)
		row->reason =
			"no min and max: the counter has them since its last clear, not of a part";
}

static int print_interval(struct job *job, const struct pmk_reading *delta, uint64_t cycles,
			  uint64_t insns, int cpu)
{
	struct pmk_section *s = pmk_result_add(&job->result, NULL, job->events.count);
	uint64_t ns = cycles_to_ns(job, cycles - job->interval_began);

	if (!s)
		return PMK_ENOMEM;
	job->interval_began = cycles;
	s->cpu = cpu;
	set_time(job, s, cycles, insns);
	for (unsigned i = 0; i < job->events.count; i++) {
		start_row(job, i, &s->rows[i]);
		s->rows[i].runtime_ns = ns;
	}
	for (unsigned i = 0; i < job->plan.nevents; i++) {
		s->rows[job->event_of[i]].value = delta->total[i];
		set_latency(job, i, delta, &s->rows[job->event_of[i]]);
	}
	return pmk_writer_section(job->out.writer, &job->result, s);
}

/* perf's figure: the standard deviation of the mean, in percent of it. */
static double spread_pct(const struct sample *s)
{
	if (s->n < 2 || s->mean == 0)
		return 0;
	return 100.0 * sqrt(s->m2 / (s->n - 1) / s->n) / s->mean;
}

static char *join(char *const *words, const char *prefix)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (unsigned i = 0; words && words[i]; i++) {
		bool quote = !*words[i] || strpbrk(words[i], " \t\n\"'\\$*?;|&<>()");

		fprintf(f, "%s%s", i || *prefix ? " " : "", quote ? "'" : "");
		fprintf(f, "%s%s", words[i], quote ? "'" : "");
	}
	fclose(f);
	if (text && *prefix) {
		char *with;

		if (asprintf(&with, "%s%s", prefix, text) < 0)
			with = NULL;
		free(text);
		text = with;
	}
	return text;
}

/* All that was asked for of the core and what is around it. */
static char *settings_of(const struct request *q)
{
	char *sets = join(q->overrides.word, ""), *text = NULL;
	size_t size = 0;
	FILE *f = sets ? open_memstream(&text, &size) : NULL;

	if (!f) {
		free(sets);
		return NULL;
	}
	fputs(sets, f);
	for (unsigned i = 0; i < q->traffic.count; i++)
		fprintf(f, "%straffic=%s", i || *sets ? " " : "", q->traffic.word[i]);
	if (q->layout)
		fprintf(f, "%slayout=%s", q->traffic.count || *sets ? " " : "", q->layout);
	fclose(f);
	free(sets);
	return text;
}

int report_open(struct job *job)
{
	if (job->program && output_is(&job->q->out, job->program))
		return cli_fail(PMK_EXIT_USAGE, "-o %s: that is the program to run",
				job->q->out.path);
	return output_open(&job->out, &job->q->out, stderr);
}

int report_begin(struct job *job)
{
	struct pmk_result *r = &job->result;

	r->pmu = job->pmu;
	if (*job->emu.core.name)
		r->core = strdup(job->emu.core.name);
	if (!r->command)
		r->command = join(job->q->command, job->q->qemu ? job->q->qemu : "");
	r->settings = settings_of(job->q);
	r->env = join(job->emu.passed.word, "");
	r->passes = job->plan.npasses;
	if (!r->runs)
		r->runs = job->q->runs;
	r->clock_hz = (double)job->emu.core.clock_hz;
	/* Cycles of this PMU are those of the bus. */
	if (pmk_core_on_ahb(&job->emu.core))
		r->clock_hz /= (double)job->emu.core.arm9.ahb_ratio;
	if (!r->command || !r->settings || !r->env)
		return cli_fail(PMK_EXIT_FAILED, "out of memory");
	return output_begin(&job->out, r, &job->metrics, false);
}

int report_interval(struct job *job, const struct pmk_arena_interval *i)
{
	return print_interval(job, &i->delta, i->cycles, i->insns, i->cpu ? (int)i->cpu : -1);
}

static int write_place(struct job *job, const struct place *p)
{
	struct pmk_section *s = pmk_result_add(&job->result, p->region, job->events.count);

	if (!s)
		return PMK_ENOMEM;
	s->cpu = p->cpu;
	s->entries = p->entries;
	for (unsigned i = 0; i < job->events.count; i++) {
		struct pmk_row *row = &s->rows[i];
		const struct sample *v = &p->value[i];

		start_row(job, i, row);
		if (!v->n)
			continue;
		row->value = (v->sum + v->n / 2) / v->n;
		row->stddev_pct = spread_pct(v);
		row->runtime_ns = cycles_to_ns(job, job->runner.sum.cycles);
		if (p->wrapped[i])
			row->trust = PMK_TRUST_WRAPPED;
	}
	for (unsigned i = 0; i < job->plan.nevents; i++)
		set_latency(job, i, &p->counts, &s->rows[job->event_of[i]]);
	return pmk_writer_section(job->out.writer, &job->result, s);
}

/* All of them, even after a failure: the result has to be whole for rescue(). */
int stat_write(struct job *job)
{
	const struct pmk_runner *r = &job->runner;
	int err = 0;

	if (job->q->interval_unit != INTERVAL_NONE)
		return print_interval(job, &r->tail->total, r->sum.cycles, r->sum.insns, -1);
	for (unsigned i = 0; i < job->nplaces; i++) {
		int e = write_place(job, &job->places[i]);

		err = err ? err : e;
	}
	return err;
}

/* What is lost when the PMU's own timer cannot count as far as -I wants. */
static void warn_of_timer(struct job *job)
{
	uint64_t range = pmk_pmu_range(job->pmu, job->plan.timer_code);
	char why[64] = "no event counter";

	if (range)
		snprintf(why, sizeof(why), "no counter that counts %llu cycles",
			 (unsigned long long)job->cfg.interval);
	pmk_result_warn(&job->result, "-I: %s has %s: intervals end with a block of instructions%s",
			job->pmu->name, why,
			pmk_pmu_times_latencies(job->pmu)
				? ", and have no shortest and longest latency"
				: "");
}

static const struct {
	int signal;
	const char *name;
	bool fault; /* an instruction raises it, in the middle of its block */
} signals[] = {
	{ SIGHUP, "SIGHUP", false },   { SIGINT, "SIGINT", false },   { SIGQUIT, "SIGQUIT", false },
	{ SIGILL, "SIGILL", true },    { SIGTRAP, "SIGTRAP", true },  { SIGABRT, "SIGABRT", false },
	{ SIGBUS, "SIGBUS", true },    { SIGFPE, "SIGFPE", true },    { SIGKILL, "SIGKILL", false },
	{ SIGUSR1, "SIGUSR1", false }, { SIGSEGV, "SIGSEGV", true },  { SIGUSR2, "SIGUSR2", false },
	{ SIGPIPE, "SIGPIPE", false }, { SIGALRM, "SIGALRM", false }, { SIGTERM, "SIGTERM", false },
	{ SIGXCPU, "SIGXCPU", false }, { SIGXFSZ, "SIGXFSZ", false }, { SIGSYS, "SIGSYS", false },
};

static void warn_of_signal(struct job *job)
{
	bool fault = false;
	char name[32];

	snprintf(name, sizeof(name), "signal %d", job->killed);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (signals[i].signal != job->killed)
			continue;
		snprintf(name, sizeof(name), "%s", signals[i].name);
		/* Of firmware it is the emulator's own fault. */
		fault = signals[i].fault && !job->emu.system;
	}
	pmk_result_warn(
		&job->result,
		"the program was killed by %s: counts are what had been counted by then%s", name,
		fault ? "; the block of instructions with the fault was counted as a whole" : "");
}

void report_warn_of_end(struct job *job)
{
	if (job->interrupted)
		pmk_result_warn(&job->result,
				"the program was interrupted: counts are what had been counted by "
				"then");
	else if (job->killed)
		warn_of_signal(job);
	if (job->interrupted && job->q->runs > 1)
		pmk_result_warn(&job->result, "%u of %u runs were completed", job->result.runs,
				job->q->runs);
}

static void set_warnings(struct job *job)
{
	const struct pmk_arena *a = job->runner.arena;

	if (job->beyond_timer)
		warn_of_timer(job);
	report_warn_of_end(job);
	if (job->runner.execs)
		pmk_result_warn(
			&job->result,
			"%u process(es) replaced themselves by execve: not counted from there on",
			job->runner.execs);
	if (job->runner.alive)
		pmk_result_warn(
			&job->result,
			"%u process(es) still ran when the program ended: counted until then",
			job->runner.alive);
	job->result.partial |= job->runner.execs || job->runner.alive ||
			       atomic_load(&a->lost_forks) || atomic_load(&a->lost_threads) ||
			       atomic_load(&a->blocks_full);
	if (atomic_load(&a->lost_forks))
		pmk_result_warn(&job->result,
				"%u forked process(es) were not counted: more than %d at a time",
				atomic_load(&a->lost_forks), PMK_ARENA_SLOTS);
	if (atomic_load(&a->lost_threads))
		pmk_result_warn(&job->result,
				"%u thread(s) were not counted: more than %d at a time",
				atomic_load(&a->lost_threads), PMK_ARENA_CPUS);
	if (atomic_load(&a->blocks_full))
		pmk_result_warn(
			&job->result,
			"the program has more than %u blocks of code: the rest was not counted",
			PMK_MAX_BLOCKS);
	if (job->q->from && !job->runner.sum.entries[0])
		pmk_result_warn(&job->result, "--from %s was never reached", job->q->from);
	for (unsigned i = 0; i < job->q->regions.count; i++)
		if (!job->runner.sum.entries[job->cfg.window + i])
			pmk_result_warn(&job->result, "region %s was never entered",
					job->q->regions.word[i]);
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Writing to the file failed: what was counted goes to stderr instead. */
static int rescue(struct job *job)
{
	struct pmk_write_options opt = {
		.format = PMK_FORMAT_TEXT,
		.big_num = !job->q->out.plain_numbers,
		.metrics = job->metrics.item,
	};
	struct pmk_writer *w;

	cli_fail(PMK_EXIT_FAILED, "cannot write %s: %s; the counts follow here", job->q->out.path,
		 strerror(errno ? errno : EIO));
	w = pmk_writer_begin(stderr, &opt, &job->result);
	for (unsigned i = 0; w && i < job->result.nsections; i++)
		pmk_writer_section(w, &job->result, &job->result.sections[i]);
	if (w)
		pmk_writer_end(w, &job->result);
	return PMK_EXIT_FAILED;
}

void stat_describe(struct job *job)
{
	const char *version = job->qemu_version;

	if (asprintf(&job->result.producer, "%s %s", emulation_name(&job->emu),
		     *version ? version : "(version unknown)") < 0)
		job->result.producer = NULL;
	job->result.processes = job->runner.processes;
	job->result.threads = job->runner.threads;
	set_warnings(job);
}

int report_end(struct job *job)
{
	int err, closed;

	job->q->target->describe(job);
	if (!job->out.writer && report_begin(job))
		return PMK_EXIT_FAILED;
	errno = 0;
	err = job->q->target->write(job);
	if (job->write_failed)
		err = PMK_EIO;
	closed = output_close(&job->out, &job->result);
	if (!err)
		err = closed;
	if (err && job->q->out.path)
		return rescue(job);
	if (err)
		return cli_fail(PMK_EXIT_FAILED, "cannot write the counts: %s", pmk_strerror(err));
	return job->interrupted && !WIFEXITED(job->result.exit_status)
		       ? 128 + job->interrupted
		       : exit_code(job->result.exit_status);
}

void report_abandon(struct job *job)
{
	output_close(&job->out, &job->result);
}
