// SPDX-License-Identifier: MIT
/*
 * pmk stat -T linux: the counters of this machine, through the kernel.
 *
 * As in perf, processes that were attached to and whole processors are counted until the program ends, if
 * there is one, else until those processes have ended or until Ctrl-C.
 */
#define _GNU_SOURCE
#include "cli/stat.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <pmk/stats.h>

#include "cli/cli.h"
#include "cli/watch.h"
#include "producer/linux/linux.h"

/* What one event counted in one place, over all runs. */
struct tally {
	struct pmk_stats scaled;
	uint64_t enabled_ns, running_ns;
	bool zero; /* it counted nothing at all */
};

/* One line of the report. */
struct counted {
	struct pmk_linux_ask ask;
	char *name;
	char *reason; /* why it is not counted, or NULL */
	bool user_only;
	struct pmk_linux_value last; /* at the end of the last interval */
};

struct linux_job {
	struct pmk_linux_pmus *pmus;
	const struct pmk_linux_pmu *prefer; /* --pmu */
	struct pmk_linux_facts facts;
	char *path; /* of the program, or NULL */
	int *pids;  /* threads to attach to … */
	unsigned npids;
	int *processes; /* … of these processes */
	unsigned nprocesses;
	struct pmk_linux_cpus cpus; /* none: count threads, or the program */
	struct counted event[PMK_MAX_EVENTS];
	unsigned nevents;
	struct pmk_linux_counters *counters;
	struct tally *tally; /* per place and event */
	unsigned nplaces;    /* -A: processors; else one */
	double began;	     /* seconds */
};

static int out_of_memory(void)
{
	return cli_fail(PMK_EXIT_FAILED, "out of memory");
}

/* ---- what runs here ------------------------------------------------------------------------- */

bool stat_linux_runs(const char *program)
{
	struct pmk_elf mine, its;
	char *path = program_path(program), msg[256], magic[2] = "";
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	bool script, native = false; /* a pipe or a device is not read any further */

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

/* ---- whom to count -------------------------------------------------------------------------- */

static int add_process(struct linux_job *l, int pid)
{
	int *more = realloc(l->processes, (l->nprocesses + 1) * sizeof(*more));
	int err =
		more ? pmk_linux_threads(&pmk_linux_kernel, pid, &l->pids, &l->npids) : PMK_ENOMEM;

	if (more)
		l->processes = more;
	if (err == PMK_ENOMEM)
		return out_of_memory();
	if (err)
		return cli_fail(PMK_EXIT_USAGE, "-p %d: there is no such process", pid);
	more[l->nprocesses++] = pid;
	return 0;
}

static int choose_processes(struct linux_job *l, const char *list)
{
	for (const char *at = list;; at++) {
		char *end;
		long pid;
		int err;

		errno = 0;
		pid = strtol(at, &end, 10);
		if (end == at || errno || pid < 1 || pid > INT_MAX || (*end && *end != ','))
			return cli_fail(PMK_EXIT_USAGE,
					"-p %s: expected numbers of processes, separated by commas",
					list);
		err = add_process(l, (int)pid);
		if (err || !*end)
			return err;
		at = end;
	}
}

static int choose_cpus(struct linux_job *l, const char *list)
{
	struct pmk_linux_cpus online;
	int err = pmk_linux_online(&online, &pmk_linux_kernel);

	if (err == PMK_EIO)
		return cli_fail(
			PMK_EXIT_FAILED,
			"cannot tell which processors are online: neither /sys nor /proc is "
			"mounted here; mount one (mount -t sysfs sysfs /sys)");
	if (err)
		return out_of_memory();
	if (!list) {
		l->cpus = online;
		return 0;
	}
	err = pmk_linux_cpus_parse(&l->cpus, list);
	if (err == PMK_ENOMEM)
		err = out_of_memory();
	else if (err)
		err = cli_fail(PMK_EXIT_USAGE, "-C %s: expected processors, such as 0,2-3", list);
	for (unsigned i = 0; !err && i < l->cpus.count; i++)
		if (!pmk_linux_cpus_have(&online, l->cpus.cpu[i]))
			err = cli_fail(PMK_EXIT_USAGE, "-C %s: processor %u is not online", list,
				       l->cpus.cpu[i]);
	pmk_linux_cpus_free(&online);
	return err;
}

static int choose_scope(struct job *job)
{
	const struct request *q = job->q;
	struct linux_job *l = job->linux_job;
	bool cpus = q->all_cpus || q->cpus;
	int err = 0;

	if (cpus && q->pids)
		return cli_fail(PMK_EXIT_USAGE, "-p and -a or -C exclude each other");
	if (q->per_core && !cpus)
		return cli_fail(PMK_EXIT_USAGE, "-A is for whole processors: use -a or -C with it");
	if (q->runs > 1 && !q->command[0])
		return cli_fail(PMK_EXIT_USAGE, "-r repeats a program, and there is none");
	if (q->interval_unit != INTERVAL_NONE && q->interval_unit != INTERVAL_MS)
		return cli_fail(PMK_EXIT_USAGE, "-I: -T linux knows intervals of ms only");
	if (q->interval > INT_MAX && q->interval_unit == INTERVAL_MS)
		return cli_fail(PMK_EXIT_USAGE, "-I: the interval is too long");
	if (q->command[0])
		err = program_find(q->command[0], &l->path);
	if (!err && q->pids)
		err = choose_processes(l, q->pids);
	if (!err && cpus)
		err = choose_cpus(l, q->cpus);
	l->nplaces = q->per_core ? l->cpus.count : 1;
	job->program = l->path;
	return err;
}

/* ---- what to count -------------------------------------------------------------------------- */

static int find_event(void *ctx, const char *name, struct pmk_event_request *req)
{
	struct linux_job *l = ctx;
	const struct pmk_linux_event *ev;
	char msg[600];
	int err = pmk_linux_find(l->pmus, l->prefer, name, &ev, msg, sizeof(msg));

	if (err == PMK_ENOMEM)
		return out_of_memory();
	if (err)
		return cli_fail(PMK_EXIT_USAGE, "%s", msg);
	req->event = ev->row;
	req->how = ev;
	return 0;
}

/* As perf. */
static int default_events(struct job *job)
{
	return pmk_event_list_parse(&job->events, job->pmu,
				    "task-clock,context-switches,cpu-migrations,page-faults,"
				    "cycles,instructions,branches,branch-misses");
}

static int add_event(struct linux_job *l, const struct pmk_event_request *req,
		     const struct pmk_linux_event *ev, const char *pmu)
{
	struct counted *c = &l->event[l->nevents];
	int n;

	if (l->nevents == PMK_MAX_EVENTS)
		return cli_fail(PMK_EXIT_USAGE, "more than %d events", PMK_MAX_EVENTS);
	*c = (struct counted){ .ask = { ev, req->group, req->user, req->kernel } };
	n = pmu ? asprintf(&c->name, "%s/%s/", pmu, req->name)
		: asprintf(&c->name, "%s", req->name);
	if (n < 0)
		return out_of_memory();
	l->nevents++;
	return 0;
}

/* On a machine with cores of several kinds, one line of a list means an event of each kind. */
static int add_everywhere(struct linux_job *l, const struct pmk_event_request *req,
			  const struct pmk_linux_event *ev)
{
	int err = 0;

	if (req->group)
		return cli_fail(
			PMK_EXIT_USAGE,
			"event '%s': a {group} is counted on one PMU, and this machine has %u "
			"kinds of cores: name it, as in %s/%s/",
			req->name, pmk_linux_cores(l->pmus), pmk_linux_core(l->pmus)->name,
			req->name);
	for (unsigned i = 0; !err && i < pmk_linux_pmus_count(l->pmus); i++) {
		const struct pmk_linux_pmu *pmu = pmk_linux_pmus_get(l->pmus, i);
		const struct pmk_linux_event *there =
			pmu->core ? pmk_linux_on(l->pmus, ev, pmu) : NULL;

		if (there)
			err = add_event(l, req, there, pmu->name);
	}
	return err;
}

static int resolve_events(struct job *job)
{
	struct linux_job *l = job->linux_job;
	int err = 0;

	for (unsigned i = 0; !err && i < job->events.count; i++) {
		struct pmk_event_request *req = &job->events.item[i];
		const struct pmk_linux_event *ev;

		/* `all` and metrics name events of the PMU by their rows. */
		if (!req->how)
			err = find_event(l, req->event->name, req);
		if (err)
			return err;
		ev = req->how;
		err = ev->any_core && pmk_linux_cores(l->pmus) > 1 ? add_everywhere(l, req, ev)
								   : add_event(l, req, ev, NULL);
	}
	return err;
}

/* The PMU that the result is of: the core's, unless every event is of one other. */
static const struct pmk_pmu *main_pmu(const struct linux_job *l, const struct pmk_pmu *core)
{
	const struct pmk_pmu *first = l->nevents ? l->event[0].ask.event->pmu->pmu : core;

	for (unsigned i = 0; i < l->nevents; i++)
		if (l->event[i].ask.event->pmu->pmu != first)
			return core;
	return first;
}

static int choose_pmu(struct job *job)
{
	struct linux_job *l = job->linux_job;
	const struct pmk_linux_pmu *core = pmk_linux_core(l->pmus);

	if (job->q->pmu_name) {
		l->prefer = pmk_linux_pmu_find(l->pmus, job->q->pmu_name);
		if (!l->prefer)
			return cli_fail(PMK_EXIT_USAGE,
					"--pmu %s: this machine has no such PMU (ls "
					"/sys/bus/event_source/devices)",
					job->q->pmu_name);
		core = l->prefer;
	}
	job->pmu = core && (core->known || l->prefer) ? core->pmu : &pmk_linux_hardware;
	return 0;
}

static int choose(struct job *job)
{
	struct linux_job *l = calloc(1, sizeof(*l));
	int err;

	job->linux_job = l;
	if (!l || pmk_linux_pmus_load(&l->pmus, &pmk_linux_kernel))
		return out_of_memory();
	pmk_linux_facts(&l->facts, &pmk_linux_kernel, l->pmus);
	job->events.find = find_event;
	job->events.ctx = l;
	err = choose_scope(job);
	if (!err)
		err = choose_pmu(job);
	if (!err)
		err = stat_choose_events(job, default_events, NULL);
	if (!err)
		err = resolve_events(job);
	if (err)
		return err;
	/* A ratio of counts of cores of several kinds would mean nothing. */
	if (pmk_linux_cores(l->pmus) > 1 && !l->prefer && job->q->out.metrics.count)
		return cli_fail(
			PMK_EXIT_USAGE,
			"-M: this machine has %u kinds of cores; name the PMU with --pmu %s",
			pmk_linux_cores(l->pmus), pmk_linux_core(l->pmus)->name);
	if (pmk_linux_cores(l->pmus) > 1 && !l->prefer)
		job->metrics = (struct pmk_metric_list){ 0 };
	job->pmu = main_pmu(l, job->pmu);
	l->tally = calloc(l->nplaces * (l->nevents + 1), sizeof(*l->tally));
	if (!l->tally)
		return out_of_memory();
	for (unsigned i = 0; i < l->nplaces * l->nevents; i++) {
		pmk_stats_init(&l->tally[i].scaled);
		l->tally[i].zero = true;
	}
	return 0;
}

void linux_job_free(struct linux_job *l)
{
	if (!l)
		return;
	pmk_linux_counters_close(l->counters);
	for (unsigned i = 0; i < l->nevents; i++) {
		free(l->event[i].name);
		free(l->event[i].reason);
	}
	pmk_linux_cpus_free(&l->cpus);
	pmk_linux_pmus_free(l->pmus);
	free(l->tally);
	free(l->processes);
	free(l->pids);
	free(l->path);
	free(l);
}

/* ---- counters ------------------------------------------------------------------------------- */

/* One descriptor per event and thread or processor can be many. */
static struct rlimit raise_file_limit(void)
{
	struct rlimit before = { 0 }, limit;

	if (!getrlimit(RLIMIT_NOFILE, &before)) {
		limit = before;
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return before;
}

/*
 * Why there is no point in going on: nothing at all can be counted. NULL: something can, or only hardware
 * is wanting while there is a program to run, as perf sees it.
 */
static const char *hopeless(const struct linux_job *l)
{
	const char *why = NULL;

	for (unsigned i = 0; i < l->nevents; i++) {
		switch (pmk_linux_counters_error(l->counters, i)) {
		case 0:
			return NULL;
		case EACCES:
		case EPERM:
		case ENOSYS:
		case EMFILE:
		case ENFILE:
		case ESRCH:
			why = pmk_linux_counters_reason(l->counters, i);
			break;
		default:
			if (!why && !l->path)
				why = pmk_linux_counters_reason(l->counters, i);
			break;
		}
	}
	return why;
}

/* Of the metrics that nobody asked for by name, keep those whose events are counted. */
static void drop_metrics(struct job *job)
{
	const struct linux_job *l = job->linux_job;
	struct pmk_metric_list all = job->metrics;

	if (job->q->out.metrics.count)
		return;
	job->metrics = (struct pmk_metric_list){ 0 };
	for (unsigned m = 0; m < all.count; m++) {
		const struct pmk_metric *metric = all.item[m];
		bool counted = true;

		for (const char *const *name = metric->events; *name; name++)
			for (unsigned i = 0; i < l->nevents; i++)
				if (l->event[i].reason &&
				    l->event[i].ask.event->row == pmk_pmu_event(job->pmu, *name))
					counted = false;
		if (counted)
			job->metrics.item[job->metrics.count++] = metric;
	}
}

/* What the first opening taught. Later runs of the program are opened in the same way. */
static int learn(struct linux_job *l)
{
	for (unsigned i = 0; i < l->nevents; i++) {
		struct counted *c = &l->event[i];
		const char *reason = pmk_linux_counters_reason(l->counters, i);

		if (reason && !c->reason)
			c->reason = strdup(reason);
		if (reason && !c->reason)
			return out_of_memory();
		if (pmk_linux_counters_user_only(l->counters, i) && !c->user_only) {
			char *name;

			/* The modifier that it came to; perf shows it so, too. */
			if (asprintf(&name, "%s:u", c->name) < 0)
				return out_of_memory();
			free(c->name);
			c->name = name;
			c->user_only = true;
		}
	}
	return 0;
}

static int open_counters(struct job *job, int pid)
{
	struct linux_job *l = job->linux_job;
	struct pmk_linux_ask asks[PMK_MAX_EVENTS];
	struct pmk_linux_scope scope = {
		.pids = pid ? &pid : l->pids,
		.npids = pid ? 1 : l->npids,
		.cpus = l->cpus.cpu,
		.ncpus = l->cpus.count,
		.inherit = !job->q->no_inherit,
		.on_exec = pid != 0,
	};
	int err;

	for (unsigned i = 0; i < l->nevents; i++)
		asks[i] = l->event[i].ask;
	pmk_linux_counters_close(l->counters);
	if (pmk_linux_counters_open(&l->counters, &pmk_linux_kernel, &l->facts, asks, l->nevents,
				    &scope))
		return out_of_memory();
	if (hopeless(l))
		return cli_fail(PMK_EXIT_FAILED, "nothing can be counted: %s", hopeless(l));
	err = learn(l);
	drop_metrics(job);
	return err;
}

/* Add what this run has counted. */
static void collect(struct linux_job *l)
{
	for (unsigned p = 0; p < l->nplaces; p++)
		for (unsigned i = 0; i < l->nevents; i++) {
			struct tally *t = &l->tally[p * l->nevents + i];
			struct pmk_linux_value v;

			if (!pmk_linux_counters_read(l->counters, i, l->nplaces > 1 ? (int)p : -1,
						     &v))
				continue;
			t->enabled_ns += v.enabled_ns;
			t->running_ns += v.running_ns;
			t->zero &= !v.value;
			if (v.running_ns)
				pmk_stats_add(&t->scaled,
					      pmk_linux_scale(v.value, v.enabled_ns, v.running_ns));
		}
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define NOT_LISTED                                                                      \
	"it counted nothing, and the kernel does not list it among the events of this " \
	"core (PMCEID)"

static void fill_row(const struct counted *c, struct pmk_row *row, uint64_t enabled,
		     uint64_t running, bool zero)
{
	const struct pmk_linux_event *ev = c->ask.event;

	*row = (struct pmk_row){
		.event = ev->coded ? ev->row : NULL,
		.pmu = ev->pmu->pmu,
		.name = c->name,
		.unit = ev->unit,
		.group = c->ask.group,
		.runtime_ns = running,
		.coverage = enabled ? (double)running / (double)enabled : 0,
		.reason = c->reason,
	};
	if (c->reason) {
		row->trust = PMK_TRUST_NOT_SUPPORTED;
	} else if (!running) {
		row->trust = PMK_TRUST_NOT_COUNTED;
		row->reason = enabled ? "other events had the counters all the time"
				      : "nothing ran while it was to be counted";
	} else if (zero && ev->unlisted) {
		row->trust = PMK_TRUST_NOT_SUPPORTED;
		row->reason = NOT_LISTED;
	} else {
		row->trust = running == enabled ? PMK_TRUST_MEASURED : PMK_TRUST_SCALED;
	}
}

/* perf's figure: the standard deviation of the mean, in percent of it. */
static double spread_pct(const struct pmk_stats *s)
{
	uint64_t mean = pmk_stats_mean(s, 1000);

	if (s->n < 2 || !mean)
		return 0;
	return 100.0 * (double)pmk_stats_stddev(s, 1000) / (double)mean / sqrt((double)s->n);
}

static int write_place(struct job *job, unsigned place)
{
	struct linux_job *l = job->linux_job;
	struct pmk_section *s = pmk_result_add(&job->result, NULL, l->nevents);

	if (!s)
		return PMK_ENOMEM;
	if (job->q->per_core)
		s->cpu = (int)l->cpus.cpu[place];
	for (unsigned i = 0; i < l->nevents; i++) {
		const struct tally *t = &l->tally[place * l->nevents + i];
		uint64_t runs = t->scaled.n ? t->scaled.n : 1;

		fill_row(&l->event[i], &s->rows[i], t->enabled_ns, t->running_ns, t->zero);
		s->rows[i].runtime_ns /= runs;
		s->rows[i].value = pmk_stats_mean(&t->scaled, 1);
		s->rows[i].stddev_pct = spread_pct(&t->scaled);
	}
	return pmk_writer_section(job->out.writer, &job->result, s);
}

static int write_interval(struct job *job)
{
	struct linux_job *l = job->linux_job;
	struct pmk_section *s = pmk_result_add(&job->result, NULL, l->nevents);

	if (!s)
		return PMK_ENOMEM;
	s->interval = true;
	s->at_seconds = watch_now() - l->began;
	for (unsigned i = 0; i < l->nevents; i++) {
		struct counted *c = &l->event[i];
		struct pmk_linux_value now = c->last;

		pmk_linux_counters_read(l->counters, i, -1, &now);
		fill_row(c, &s->rows[i], now.enabled_ns - c->last.enabled_ns,
			 now.running_ns - c->last.running_ns, !now.value);
		s->rows[i].value = pmk_linux_since(&c->last, &now);
		c->last = now;
	}
	return pmk_writer_section(job->out.writer, &job->result, s);
}

static int write_sections(struct job *job)
{
	struct linux_job *l = job->linux_job;
	int err = 0;

	if (job->q->interval_unit != INTERVAL_NONE)
		return write_interval(job);
	for (unsigned p = 0; p < l->nplaces; p++) {
		int e = write_place(job, p);

		err = err ? err : e;
	}
	return err;
}

/* ---- running -------------------------------------------------------------------------------- */

static void next_interval(struct job *job, double *at)
{
	if (watch_now() < *at)
		return;
	if (!job->out.writer)
		job->write_failed |= report_begin(job) != 0;
	if (job->out.writer)
		job->write_failed |= write_interval(job) != 0;
	/* On the grid, even if this one came late. */
	while (*at <= watch_now())
		*at += (double)job->q->interval / 1000;
}

static int start(struct job *job, struct watch *w)
{
	struct linux_job *l = job->linux_job;
	bool attached = l->nprocesses || l->cpus.count;
	struct rlimit limit;
	int err = 0;

	if (l->path)
		err = child_prepare(&w->child, l->path, job->q->command, &w->before);
	if (err)
		return err;
	limit = raise_file_limit();
	err = open_counters(job, attached ? 0 : w->child.pid);
	if (limit.rlim_max)
		setrlimit(RLIMIT_NOFILE, &limit); /* programs are to have the limit that pmk has */
	for (unsigned i = 0; !err && i < l->nprocesses; i++)
		err = watch_process(w, l->processes[i]);
	if (err && l->path)
		child_abandon(&w->child);
	if (err)
		return err;
	if (attached)
		pmk_linux_counters_enable(l->counters);
	l->began = watch_now();
	return l->path ? child_start(&w->child) : 0;
}

/* As perf words it. */
static char *describe_scope(const struct job *job)
{
	const struct request *q = job->q;
	char *text = NULL;
	int n = 0;

	if (q->command[0])
		return NULL; /* the command line says it */
	if (q->pids)
		n = asprintf(&text, "process id%s %s", strchr(q->pids, ',') ? "s" : "", q->pids);
	else if (q->cpus)
		n = asprintf(&text, "CPU(s) %s", q->cpus);
	else
		n = asprintf(&text, "system wide");
	return n < 0 ? NULL : text;
}

static int run_once(struct job *job, struct watch *w)
{
	double interval_at = HUGE_VAL;
	int err = start(job, w);

	if (!err && job->q->interval_unit == INTERVAL_MS)
		interval_at = job->linux_job->began + (double)job->q->interval / 1000;
	while (!err && !watch_step(w, interval_at))
		next_interval(job, &interval_at);
	if (!err)
		job->result.elapsed += watch_now() - job->linux_job->began;
	job->result.exit_status = w->status;
	job->interrupted = w->signal;
	watch_reset(w);
	return err;
}

static int run(struct job *job)
{
	struct watch w;
	int err = watch_open(&w);

	job->result.command = describe_scope(job);
	for (unsigned i = 0; i < job->q->runs && !err && !job->interrupted; i++) {
		err = run_once(job, &w);
		/* A run that was cut off would spoil the mean of those that were not. */
		if (err || (job->interrupted && i))
			break;
		collect(job->linux_job);
		job->result.runs = i + 1;
	}
	job->result.elapsed /= job->result.runs ? job->result.runs : 1;
	watch_close(&w);
	return err;
}

/* ---- what is said of the whole -------------------------------------------------------------- */

static void describe(struct job *job)
{
	struct linux_job *l = job->linux_job;
	struct utsname u;
	bool user_only = false;

	if (uname(&u) || asprintf(&job->result.producer, "%s %s", u.sysname, u.release) < 0)
		job->result.producer = NULL;
	for (unsigned i = 0; i < l->nevents; i++)
		user_only |= l->event[i].user_only;
	if (user_only)
		pmk_result_warn(
			&job->result,
			"the kernel's own part is not counted (:u): perf_event_paranoid is %d, and "
			"for kernel mode it has to be 1 or less, or pmk needs CAP_PERFMON",
			l->facts.paranoid);
	if (!l->path) {
		/* Being stopped is how counting of others ends; as in perf, the exit code tells it. */
		job->result.exit_status = job->interrupted;
		return;
	}
	/* Of a program that is killed the kernel has counted all there was. */
	job->result.partial = job->interrupted != 0;
	report_warn_of_end(job);
}

static const char *const own_options[] = { "pid", "all-cpus", "cpu", "no-inherit", NULL };

const struct stat_target stat_linux = {
	.name = "linux",
	.brief = "this machine: real counters, through the Linux kernel",
	.options = own_options,
	.choose = choose,
	.run = run,
	.describe = describe,
	.write = write_sections,
};
