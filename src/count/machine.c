// SPDX-License-Identifier: MIT
/*
 * Counting with the counters of this machine, through the kernel.
 *
 * As in perf, attached processes and whole processors are counted until the program ends. Without a
 * program they are counted until these processes have ended, or until Ctrl-C.
 */
#define _GNU_SOURCE
#include "count/machine.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "count/program.h"

/* ---- what runs here -------------------------------------------------------------------------- */

bool pmk_machine_runs(const char *program)
{
	struct pmk_elf mine, its;
	char *path = pmk_program_path(program), msg[256], magic[2] = "";
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	/* From a pipe or a device, no more than these two bytes are read, unless they begin an ELF
	 * file. */
	bool script, native = false;

	if (fd >= 0 && read(fd, magic, 2) != 2)
		*magic = '\0';
	if (fd >= 0)
		close(fd);
	script = magic[0] == '#' && magic[1] == '!';
	if (magic[0] == '\177')
		native = !pmk_elf_read("/proc/self/exe", &mine, msg, sizeof(msg)) &&
			 !pmk_elf_read(path, &its, msg, sizeof(msg)) &&
			 mine.machine_code == its.machine_code && mine.is64 == its.is64 &&
			 mine.big_endian == its.big_endian;
	free(path);
	return script || native;
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define NOT_LISTED                                                                      \
	"it counted nothing, and the kernel does not list it among the events of this " \
	"core (PMCEID)"

static void fill_row(const struct counted *k, struct pmk_row *row, uint64_t enabled,
		     uint64_t running, bool zero)
{
	const struct pmk_linux_event *ev = k->ask.event;

	*row = (struct pmk_row){
		.event = ev->coded ? ev->row : NULL,
		.pmu = ev->pmu->pmu,
		.name = k->name,
		.unit = ev->unit,
		.group = k->ask.group,
		.runtime_ns = running,
		.coverage = enabled ? (double)running / (double)enabled : 0,
		.reason = k->reason,
	};
	if (k->reason) {
		row->trust = PMK_TRUST_NOT_SUPPORTED;
	} else if (!running) {
		row->trust = PMK_TRUST_NOT_COUNTED;
		row->reason = enabled ? "other events had the counters all the time"
				      : "nothing ran while it was counted";
	} else if (zero && ev->unlisted) {
		row->trust = PMK_TRUST_NOT_SUPPORTED;
		row->reason = NOT_LISTED;
	} else {
		row->trust = running == enabled ? PMK_TRUST_MEASURED : PMK_TRUST_SCALED;
	}
}

/* Returns the standard deviation of the mean, in percent of the mean, as perf shows it. */
static double spread_pct(const struct pmk_stats *s)
{
	uint64_t mean = pmk_stats_mean(s, 1000);

	if (s->n < 2 || !mean)
		return 0;
	return 100.0 * (double)pmk_stats_stddev(s, 1000) / (double)mean / sqrt((double)s->n);
}

static int add_place(struct pmk_count *c, unsigned place)
{
	struct machine *l = c->state;
	struct pmk_section *s = pmk_result_add(&c->result, NULL, l->nevents);

	if (!s)
		return pmk_count_no_memory(&c->fault);
	if (c->q.scope.per_core)
		s->cpu = (int)l->cpus.cpu[place];
	if (l->thread) {
		s->thread = strdup(l->thread[place]);
		if (!s->thread)
			return pmk_count_no_memory(&c->fault);
	}
	for (unsigned i = 0; i < l->nevents; i++) {
		const struct tally *t = &l->tally[place * l->nevents + i];
		uint64_t runs = t->scaled.n ? t->scaled.n : 1;

		fill_row(&l->event[i], &s->rows[i], t->enabled_ns, t->running_ns, t->zero);
		s->rows[i].runtime_ns /= runs;
		s->rows[i].value = pmk_stats_mean(&t->scaled, 1);
		s->rows[i].stddev_pct = spread_pct(&t->scaled);
	}
	pmk_count_report(c);
	return 0;
}

/* Add the section of the whole run from the samples of each event. */
static int add_sampled(struct pmk_count *c)
{
	struct machine *l = c->state;
	struct pmk_section *s = pmk_result_add(&c->result, NULL, l->nevents);

	if (!s)
		return pmk_count_no_memory(&c->fault);
	for (unsigned i = 0; i < l->nevents; i++) {
		fill_row(&l->event[i], &s->rows[i], 1, 1, false);
		s->rows[i].value = pmk_sampled_total(l->sampled, i);
		if (!l->event[i].reason)
			s->rows[i].trust = PMK_TRUST_SAMPLED;
	}
	pmk_count_report(c);
	return 0;
}

static int add_interval(struct pmk_count *c)
{
	struct machine *l = c->state;
	struct pmk_section *s = pmk_result_add(&c->result, NULL, l->nevents);

	if (!s)
		return pmk_count_no_memory(&c->fault);
	s->interval = true;
	s->at_seconds = pmk_seconds() - l->began;
	for (unsigned i = 0; i < l->nevents; i++) {
		struct counted *k = &l->event[i];
		struct pmk_linux_value now = k->last;

		pmk_linux_counters_read(l->counters, i, -1, &now);
		fill_row(k, &s->rows[i], now.enabled_ns - k->last.enabled_ns,
			 now.running_ns - k->last.running_ns, !now.value);
		s->rows[i].value = pmk_linux_since(&k->last, &now);
		k->last = now;
	}
	pmk_count_report(c);
	return 0;
}

static int finish_run(struct pmk_count *c)
{
	const struct machine *l = c->state;
	int err = 0;

	if (c->q.counted.nothing)
		return 0;
	if (l->sampled)
		return add_sampled(c);
	if (c->q.interval.unit != PMK_EVERY_NONE)
		err = add_interval(c);
	if (c->q.interval.unit != PMK_EVERY_NONE && !c->q.interval.summary)
		return err;
	for (unsigned p = 0; !err && p < l->nplaces; p++)
		err = add_place(c, p);
	return err;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The limit of open files belongs to the whole process, so only one thread at a time may raise and
 * restore it. */
static pthread_mutex_t file_limit = PTHREAD_MUTEX_INITIALIZER;

/* Raise the limit of open files, because each event needs a descriptor for each thread or
 * processor. Returns the limit before. */
static struct rlimit raise_file_limit(void)
{
	struct rlimit before = { 0 }, limit;

	pthread_mutex_lock(&file_limit);
	if (!getrlimit(RLIMIT_NOFILE, &before)) {
		limit = before;
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return before;
}

/* Restore the limit of open files for the counted program, so that it runs with the same limit as
 * without pmk. */
static void restore_file_limit(const struct rlimit *before)
{
	if (before->rlim_max)
		setrlimit(RLIMIT_NOFILE, before);
	pthread_mutex_unlock(&file_limit);
}

static int next_interval(struct pmk_count *c, double *at)
{
	int err;

	if (pmk_seconds() < *at)
		return 0;
	err = pmk_count_begin(c);
	if (!err)
		err = add_interval(c);
	/* The next interval ends on time even if pmk noticed the end of the last interval late. */
	while (*at <= pmk_seconds())
		*at += (double)c->q.interval.length / 1000;
	return err;
}

static int start_run(struct pmk_count *c, struct pmk_watch *w)
{
	struct machine *l = c->state;
	bool attached = l->nprocesses || c->q.scope.all_cpus || c->q.scope.cpus;
	const int streams[3] = { c->input.fd >= 0 ? c->input.fd : c->streams.fd[0],
				 c->streams.fd[1], c->streams.fd[2] };
	struct rlimit limit;
	int err = 0;

	if (l->path)
		err = pmk_child_prepare(&w->child, l->path, c->q.program.command, streams,
					&c->ignored, &c->fault);
	if (err)
		return err;
	limit = raise_file_limit();
	err = pmk_machine_open(c, attached ? 0 : w->child.pid);
	restore_file_limit(&limit);
	for (unsigned i = 0; !err && i < l->nprocesses; i++)
		err = pmk_watch_process(w, l->processes[i], &c->fault);
	if (err && l->path)
		pmk_child_abandon(&w->child);
	if (err)
		return err;
	if (attached && l->sampled)
		pmk_sampled_enable(l->sampled);
	else if (attached && !c->q.run.delay_ms)
		pmk_linux_counters_enable(l->counters);
	l->began = pmk_seconds();
	if (l->sampled)
		pmk_watch_also(w, pmk_linux_rings_fd(pmk_sampled_rings(l->sampled)));
	if (!l->path)
		return 0;
	pmk_watch_child(w);
	return pmk_child_start(&w->child, &c->fault);
}

/* Returns the scope of the counts in perf's words, or NULL. */
static char *describe_scope(const struct pmk_count *c)
{
	const struct pmk_request *q = &c->q;
	char *text = NULL;
	int n = 0;

	if (q->program.command[0])
		return NULL; /* the result shows the command line instead */
	if (q->scope.pids)
		n = asprintf(&text, "process id%s %s", strchr(q->scope.pids, ',') ? "s" : "",
			     q->scope.pids);
	else if (q->scope.cpus)
		n = asprintf(&text, "CPU(s) %s", q->scope.cpus);
	else
		n = asprintf(&text, "system wide");
	return n < 0 ? NULL : text;
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* Add the processor times of the program and of the children that it waited for, as perf does. */
static void add_cpu_time(struct pmk_result *r, const struct rusage *usage)
{
	r->has_cpu_time = true;
	r->user += seconds_of(&usage->ru_utime);
	r->sys += seconds_of(&usage->ru_stime);
}

static int add_times(struct pmk_count *c, const struct pmk_watch *w)
{
	const struct machine *l = c->state;

	if (pmk_result_ran(&c->result, pmk_seconds() - l->began))
		return pmk_count_no_memory(&c->fault);
	if (l->path)
		add_cpu_time(&c->result, &w->usage);
	return 0;
}

/* Times at which actions are due; HUGE_VAL means never. */
struct alarms {
	double enable, interval, end;
};

static struct alarms set_alarms(const struct pmk_count *c)
{
	const struct machine *l = c->state;
	const struct pmk_request *q = &c->q;
	double begin = l->began + (double)q->run.delay_ms / 1000;

	return (struct alarms){
		.enable = q->run.delay_ms ? begin : HUGE_VAL,
		.interval = q->interval.unit == PMK_EVERY_MS
				    ? begin + (double)q->interval.length / 1000
				    : HUGE_VAL,
		.end = q->run.timeout_ms ? l->began + (double)q->run.timeout_ms / 1000 : HUGE_VAL,
	};
}

static int take_alarms(struct pmk_count *c, struct pmk_watch *w, struct alarms *at)
{
	struct machine *l = c->state;
	double now = pmk_seconds();

	if (now >= at->enable) {
		pmk_linux_counters_enable(l->counters);
		at->enable = HUGE_VAL;
	}
	if (now >= at->end) {
		l->timed_out = true;
		pmk_watch_end(w);
		at->end = HUGE_VAL;
	}
	return next_interval(c, &at->interval);
}

#define DRAIN_SECONDS 0.25 /* samples are read at least this often, even if buffers are not full */

/* Returns the time of the next action. */
static double next_time(const struct machine *l, const struct alarms *at)
{
	double until = pmk_min(at->enable, pmk_min(at->interval, at->end));

	return l->sampled ? pmk_min(until, pmk_seconds() + DRAIN_SECONDS) : until;
}

static int run_once(struct pmk_count *c, struct pmk_watch *w)
{
	struct machine *l = c->state;
	struct alarms at;
	int err = start_run(c, w), failed = 0;

	at = set_alarms(c);
	/* Once the program has started, wait for its end even if an error occurs. */
	while (!err && !pmk_watch_step(w, next_time(l, &at))) {
		if (!failed)
			failed = take_alarms(c, w, &at);
		if (!failed && l->sampled)
			failed = pmk_sampled_take(l->sampled, c);
	}
	if (!err && !failed && l->sampled)
		failed = pmk_sampled_end(l->sampled, c);
	/* Like the counts, the times of an incomplete run would falsify the mean. */
	if (!err && !(w->signal && c->result.runs))
		err = add_times(c, w);
	c->result.exit_status = w->status;
	/* The program ended because of the time limit, as requested: this is not a failure. */
	if (l->timed_out && WIFSIGNALED(w->status))
		c->result.exit_status = 0;
	c->interrupted = w->signal;
	pmk_watch_reset(w);
	return err ? err : failed;
}

static int run_with_input(struct pmk_count *c, struct pmk_watch *w)
{
	int err = pmk_input_begin(&c->input, &c->fault), ended;

	err = err ? err : run_once(c, w);
	ended = pmk_input_end(&c->input, err ? NULL : &c->fault);
	return err ? err : ended;
}

static int run_program(struct pmk_count *c)
{
	struct pmk_watch w;
	int err = 0;

	pmk_watch_open(&w, &c->stop);
	if (c->q.run.times > 1)
		err = pmk_input_open(&c->input, c->streams.fd[0], &c->fault);
	c->result.command = describe_scope(c);
	for (unsigned i = 0; i < c->q.run.times && !err && !c->interrupted; i++) {
		err = run_with_input(c, &w);
		/* The counts of an incomplete run would falsify the mean of the complete runs. */
		if (err || (c->interrupted && i))
			break;
		pmk_machine_collect(c->state);
		c->result.runs = i + 1;
	}
	c->result.user /= c->result.runs ? c->result.runs : 1;
	c->result.sys /= c->result.runs ? c->result.runs : 1;
	return err;
}

/* ---- notes and warnings about the whole run -------------------------------------------------- */

static int describe_result(struct pmk_count *c)
{
	const struct machine *l = c->state;
	struct utsname u;
	bool user_only = false;

	if (uname(&u) || asprintf(&c->result.producer, "%s %s", u.sysname, u.release) < 0)
		c->result.producer = NULL;
	for (unsigned i = 0; i < l->nevents; i++)
		user_only |= l->event[i].user_only;
	if (user_only)
		pmk_count_warn(
			c,
			"kernel mode is not counted (:u): perf_event_paranoid is %d; counting it "
			"needs 1 or less, or CAP_PERFMON",
			l->facts.paranoid);
	if (!l->path) {
		/* Ctrl-C ends counting of other processes; as in perf, the exit code says so. */
		c->result.exit_status = c->interrupted;
		return 0;
	}
	/* A program that was killed has been counted to its end. */
	c->result.partial = c->interrupted || l->timed_out;
	if (l->timed_out)
		pmk_count_warn_timeout(c);
	if (c->interrupted)
		pmk_count_warn_interrupted(c);
	return 0;
}

static const struct pmk_recording *get_recording(const struct pmk_count *c)
{
	const struct machine *l = c->state;

	return l ? pmk_sampled_recording(l->sampled, c) : NULL;
}

static void free_machine(struct pmk_count *c)
{
	struct machine *l = c->state;

	pmk_linux_counters_close(l->counters);
	pmk_sampled_free(l->sampled);
	for (unsigned i = 0; i < l->nevents; i++) {
		free(l->event[i].name);
		free(l->event[i].reason);
	}
	pmk_linux_cpus_free(&l->cpus);
	pmk_linux_pmus_free(l->pmus);
	for (unsigned i = 0; l->thread && i < l->nplaces; i++)
		free(l->thread[i]);
	free(l->thread);
	free(l->tally);
	free(l->processes);
	free(l->pids);
	free(l->path);
	free(l);
}

const struct pmk_count_way pmk_way_machine = {
	.name = "linux",
	.brief = "this machine: real counters, through the Linux kernel",
	.choose = pmk_machine_choose_events,
	.run = run_program,
	.describe = describe_result,
	.finish = finish_run,
	.recording = get_recording,
	.free = free_machine,
};
