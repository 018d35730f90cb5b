// SPDX-License-Identifier: MIT
/*
 * Counting with the counters of this machine, through the kernel.
 *
 * As in perf, attached processes and whole processors are counted until the program ends. Without a
 * program they are counted until these processes have ended, or until Ctrl-C.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/minmax.h"
#include "count/count.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmk/stats.h>

#include "count/program.h"
#include "count/sampled.h"
#include "producer/linux/linux.h"

/* The counts of one event in one place (process, thread or processor), over all runs. */
struct tally {
	struct pmk_stats scaled;
	uint64_t enabled_ns, running_ns;
	bool zero; /* true if it counted nothing */
};

/* An event that is counted: one line of the report. */
struct counted {
	struct pmk_linux_ask ask;
	char *name;
	char *reason; /* why it is not counted, or NULL */
	bool user_only;
	struct pmk_linux_value last; /* value at the end of the last interval */
};

struct machine {
	struct pmk_linux_pmus *pmus;
	const struct pmk_linux_pmu *prefer; /* --pmu */
	struct pmk_linux_facts facts;
	char *path; /* path of the program, or NULL */
	int *pids;  /* threads to attach to */
	unsigned npids;
	int *processes; /* processes of these threads */
	unsigned nprocesses;
	struct pmk_linux_cpus cpus; /* empty: count threads, or the program */
	struct counted event[PMK_MAX_EVENTS];
	unsigned nevents;
	struct pmk_linux_counters *counters; /* or … */
	struct pmk_sampled *sampled;	     /* only for a recording */
	struct tally *tally;		     /* by place and event */
	/* Number of places: processors with -A, threads with --per-thread, otherwise 1. */
	unsigned nplaces;
	char **thread; /* --per-thread: names of the places */
	double began;  /* seconds */
	bool timed_out;
};

/* ---- what runs here -------------------------------------------------------------------------- */

bool pmk_machine_runs(const char *program)
{
	struct pmk_elf mine, its;
	char *path = pmk_program_path(program), msg[256], magic[2] = "";
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	/* A pipe or a device is not read further: only files have a first line or an ELF header. */
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

/* True if the user wants a recording, so that events are sampled. */
static bool is_recorded(const struct pmk_count *c)
{
	return c->q.record.what != PMK_REQUEST_COUNTS;
}

/* ---- whom to count --------------------------------------------------------------------------- */

static int add_process(struct pmk_count *c, int pid)
{
	struct machine *l = c->state;
	int *more = realloc(l->processes, (l->nprocesses + 1) * sizeof(*more));
	int err =
		more ? pmk_linux_threads(&pmk_linux_kernel, pid, &l->pids, &l->npids) : PMK_ENOMEM;

	if (more)
		l->processes = more;
	if (err == PMK_ENOMEM)
		return pmk_count_no_memory(&c->fault);
	if (err)
		return pmk_count_refuse(&c->fault, "`pid` %d: there is no such process", pid);
	more[l->nprocesses++] = pid;
	return 0;
}

static int choose_processes(struct pmk_count *c, const char *list)
{
	const char *at = list;
	int pid, more, err;

	do {
		more = pmk_linux_pid_next(&at, &pid);
		if (more < 0)
			return pmk_count_refuse(
				&c->fault,
				"`pid` %s: expected numbers of processes, separated by commas",
				list);
		err = add_process(c, pid);
	} while (!err && more);
	return err;
}

static int choose_cpus(struct pmk_count *c, const char *list)
{
	struct machine *l = c->state;
	struct pmk_linux_cpus online;
	int err = pmk_linux_online(&online, &pmk_linux_kernel);

	if (err == PMK_EIO)
		return pmk_count_fail(
			&c->fault, PMK_COUNT_FAILED,
			"cannot find out which processors are online: neither /sys nor /proc is "
			"mounted; mount one (mount -t sysfs sysfs /sys)");
	if (err)
		return pmk_count_no_memory(&c->fault);
	if (!list) {
		l->cpus = online;
		return 0;
	}
	err = pmk_linux_cpus_parse(&l->cpus, list);
	if (err == PMK_ENOMEM)
		err = pmk_count_no_memory(&c->fault);
	else if (err)
		err = pmk_count_refuse(&c->fault, "`cpu` %s: expected processors, such as 0,2-3%s",
				       list,
				       isalpha((unsigned char)*list)
					       ? "; the core that is emulated is chosen with `core`"
					       : "");
	for (unsigned i = 0; !err && i < l->cpus.count; i++)
		if (!pmk_linux_cpus_have(&online, l->cpus.cpu[i]))
			err = pmk_count_refuse(&c->fault, "`cpu` %s: processor %u is not online",
					       list, l->cpus.cpu[i]);
	pmk_linux_cpus_free(&online);
	return err;
}

/* Name each thread as perf does ("sleep-14335"). Read the names now, because some threads may end
 * before others. */
static int name_threads(struct pmk_count *c)
{
	struct machine *l = c->state;

	l->thread = calloc(l->npids, sizeof(*l->thread));
	for (unsigned i = 0; l->thread && i < l->npids; i++) {
		char path[64], comm[64] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/comm", l->pids[i]);
		f = fopen(path, "re");
		if (f && !fgets(comm, sizeof(comm), f))
			*comm = '\0';
		if (f)
			fclose(f);
		comm[strcspn(comm, "\n")] = '\0';
		if (asprintf(&l->thread[i], "%s-%d", comm, l->pids[i]) < 0) {
			l->thread[i] = NULL;
			return pmk_count_no_memory(&c->fault);
		}
	}
	return l->thread ? 0 : pmk_count_no_memory(&c->fault);
}

static int choose_scope(struct pmk_count *c)
{
	const struct pmk_request *q = &c->q;
	struct machine *l = c->state;
	bool cpus = q->scope.all_cpus || q->scope.cpus;
	int err;

	if (cpus && q->scope.pids)
		return pmk_count_refuse(&c->fault,
					"`pid` and `all-cpus` or `cpu` exclude each other");
	if (q->scope.per_core && !cpus)
		return pmk_count_refuse(&c->fault, "`no-aggr` is for whole processors: use "
						   "`all-cpus` or `cpu` with it");
	if (q->scope.per_thread && !q->scope.pids)
		return pmk_count_refuse(&c->fault, "`per-thread` needs `pid`: it counts each "
						   "thread of that process, as in perf");
	if (q->run.times > 1 && !q->program.command[0])
		return pmk_count_refuse(&c->fault, "`repeat` needs a program to run");
	err = pmk_request_check_ms(c);
	if (!err && q->program.command[0])
		err = pmk_program_find(q->program.command[0], &l->path, &c->fault);
	if (!err && q->scope.pids)
		err = choose_processes(c, q->scope.pids);
	if (!err && cpus)
		err = choose_cpus(c, q->scope.cpus);
	l->nplaces = q->scope.per_core ? l->cpus.count : q->scope.per_thread ? l->npids : 1;
	c->program = l->path;
	return err || !q->scope.per_thread ? err : name_threads(c);
}

/* ---- what to count --------------------------------------------------------------------------- */

static int find_event(void *ctx, const char *name, struct pmk_event_request *req)
{
	struct pmk_count *c = ctx;
	const struct machine *l = c->state;
	const struct pmk_linux_event *ev;
	char msg[600];
	int err = pmk_linux_find(l->pmus, l->prefer, name, &ev, msg, sizeof(msg));

	if (err == PMK_ENOMEM)
		return pmk_count_no_memory(&c->fault);
	if (err)
		return pmk_count_refuse(&c->fault, "%s", msg);
	req->event = ev->row;
	req->how = ev;
	return 0;
}

/* Returns name i that a pattern of -e can match. */
static const char *event_name(const void *ctx, unsigned i)
{
	const struct pmk_count *c = ctx;
	const struct machine *l = c->state;

	return pmk_linux_event_name(l->pmus, l->prefer, i);
}

/* Choose the events that perf counts by default. */
static int default_events(struct pmk_count *c)
{
	const struct machine *l = c->state;

	if (is_recorded(c))
		return pmk_event_list_parse(&c->events, c->pmu,
					    pmk_linux_core(l->pmus) ? "cycles" : "cpu-clock");
	return pmk_event_list_parse(&c->events, c->pmu,
				    "task-clock,context-switches,cpu-migrations,page-faults,"
				    "cycles,instructions,branches,branch-misses");
}

static int add_event(struct pmk_count *c, const struct pmk_event_request *req,
		     const struct pmk_linux_event *ev, const char *pmu)
{
	struct machine *l = c->state;
	struct counted *k = &l->event[l->nevents];
	int n;

	if (is_recorded(c) && req->group)
		return pmk_count_refuse(
			&c->fault,
			"event '%s': sampling does not support a {group}; leave out the braces",
			req->name);
	if (l->nevents == PMK_MAX_EVENTS)
		return pmk_count_refuse(&c->fault, "more than %d events", PMK_MAX_EVENTS);
	*k = (struct counted){ .ask = { ev, req->group, req->user, req->kernel } };
	n = pmu ? asprintf(&k->name, "%s/%s/", pmu, req->name)
		: asprintf(&k->name, "%s", req->name);
	if (n < 0)
		return pmk_count_no_memory(&c->fault);
	l->nevents++;
	return 0;
}

/* Add the event of each kind of core. On a machine with several kinds of cores, one name means all
 * of them. */
static int add_everywhere(struct pmk_count *c, const struct pmk_event_request *req,
			  const struct pmk_linux_event *ev)
{
	struct machine *l = c->state;
	int err = 0;

	if (req->group)
		return pmk_count_refuse(&c->fault,
					"event '%s': a {group} is counted on one PMU, and this "
					"machine has %u kinds of cores: name it, as in %s/%s/",
					req->name, pmk_linux_cores(l->pmus),
					pmk_linux_core(l->pmus)->name, req->name);
	for (unsigned i = 0; !err && i < pmk_linux_pmus_count(l->pmus); i++) {
		const struct pmk_linux_pmu *pmu = pmk_linux_pmus_get(l->pmus, i);
		const struct pmk_linux_event *there =
			pmu->core ? pmk_linux_on(l->pmus, ev, pmu) : NULL;

		if (there)
			err = add_event(c, req, there, pmu->name);
	}
	return err;
}

static int resolve_events(struct pmk_count *c)
{
	struct machine *l = c->state;
	int err = 0;

	for (unsigned i = 0; !err && i < c->events.count; i++) {
		struct pmk_event_request *req = &c->events.item[i];
		const struct pmk_linux_event *ev;

		/* An event that `all` or a metric added has no event of the kernel yet. */
		if (!req->how)
			err = find_event(c, req->event->name, req);
		if (err)
			return err;
		ev = req->how;
		err = ev->any_core && pmk_linux_cores(l->pmus) > 1 ? add_everywhere(c, req, ev)
								   : add_event(c, req, ev, NULL);
	}
	return err;
}

/* Returns the PMU that the result names: the core's, unless all events belong to one other PMU. */
static const struct pmk_pmu *main_pmu(const struct machine *l, const struct pmk_pmu *core)
{
	const struct pmk_pmu *first = l->nevents ? l->event[0].ask.event->pmu->pmu : core;

	for (unsigned i = 0; i < l->nevents; i++)
		if (l->event[i].ask.event->pmu->pmu != first)
			return core;
	return first;
}

static int choose_pmu(struct pmk_count *c)
{
	struct machine *l = c->state;
	const struct pmk_linux_pmu *core = pmk_linux_core(l->pmus);

	if (c->q.core.pmu) {
		l->prefer = pmk_linux_pmu_find(l->pmus, c->q.core.pmu);
		if (!l->prefer)
			return pmk_count_refuse(&c->fault,
						"`pmu` %s: this machine has no such PMU (ls "
						"/sys/bus/event_source/devices)",
						c->q.core.pmu);
		core = l->prefer;
	}
	c->pmu = core && (core->known || l->prefer) ? core->pmu : &pmk_linux_hardware;
	return 0;
}

static int choose_events(struct pmk_count *c)
{
	struct machine *l = calloc(1, sizeof(*l));
	int err;

	c->state = l;
	if (!l || pmk_linux_pmus_load(&l->pmus, &pmk_linux_kernel))
		return pmk_count_no_memory(&c->fault);
	pmk_linux_facts(&l->facts, &pmk_linux_kernel, l->pmus);
	c->events.find = find_event;
	c->events.name = event_name;
	c->events.ctx = c;
	err = choose_scope(c);
	if (!err)
		err = choose_pmu(c);
	if (!err)
		err = pmk_choose_events(c, default_events, NULL, false);
	if (!err)
		err = resolve_events(c);
	if (err)
		return err;
	/* A ratio of counts from cores of different kinds would be meaningless. */
	if (pmk_linux_cores(l->pmus) > 1 && !l->prefer && c->q.counted.metrics.count)
		return pmk_count_refuse(
			&c->fault,
			"`metrics`: this machine has %u kinds of cores; name the PMU with `pmu` %s",
			pmk_linux_cores(l->pmus), pmk_linux_core(l->pmus)->name);
	if ((pmk_linux_cores(l->pmus) > 1 && !l->prefer) || is_recorded(c))
		c->metrics = (struct pmk_metric_list){ 0 };
	c->pmu = main_pmu(l, c->pmu);
	c->result.passes = 0; /* the kernel decides how many */
	l->tally = calloc(l->nplaces * (l->nevents + 1), sizeof(*l->tally));
	if (!l->tally)
		return pmk_count_no_memory(&c->fault);
	for (unsigned i = 0; i < l->nplaces * l->nevents; i++) {
		pmk_stats_init(&l->tally[i].scaled);
		l->tally[i].zero = true;
	}
	return 0;
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

/* ---- counters -------------------------------------------------------------------------------- */

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

static struct pmk_linux_counters *events_of(const struct machine *l)
{
	return l->sampled ? pmk_linux_rings_events(pmk_sampled_rings(l->sampled)) : l->counters;
}

/*
 * Returns the reason why nothing can be counted, so that the run should not start. Returns NULL if
 * something can be counted. Also returns NULL if there is a program to run and the hardware merely
 * lacks the events: perf runs it, too.
 */
static const char *hopeless_reason(const struct machine *l)
{
	const char *why = NULL;

	for (unsigned i = 0; i < l->nevents; i++) {
		switch (pmk_linux_counters_error(events_of(l), i)) {
		case 0:
			return NULL;
		case EACCES:
		case EPERM:
		case ENOSYS:
		case EMFILE:
		case ENFILE:
		case ESRCH:
			why = pmk_linux_counters_reason(events_of(l), i);
			break;
		default:
			if (!why && (!l->path || l->sampled))
				why = pmk_linux_counters_reason(events_of(l), i);
			break;
		}
	}
	return why;
}

/* If the user named no metric, drop the metrics whose events are not counted. */
static void drop_metrics(struct pmk_count *c)
{
	const struct machine *l = c->state;
	struct pmk_metric_list all = c->metrics;

	if (c->q.counted.metrics.count)
		return;
	c->metrics = (struct pmk_metric_list){ 0 };
	for (unsigned m = 0; m < all.count; m++) {
		const struct pmk_metric *metric = all.item[m];
		bool counted = true;

		for (const char *const *name = metric->events; *name; name++)
			for (unsigned i = 0; i < l->nevents; i++)
				if (l->event[i].reason &&
				    l->event[i].ask.event->row == pmk_pmu_event(c->pmu, *name))
					counted = false;
		if (counted)
			c->metrics.item[c->metrics.count++] = metric;
	}
}

/* Store which events the counters of the first run can count, and how. Later runs open the counters
 * in the same way. */
static int learn_counters(struct pmk_count *c)
{
	struct machine *l = c->state;

	for (unsigned i = 0; i < l->nevents; i++) {
		struct counted *k = &l->event[i];
		const char *reason = pmk_linux_counters_reason(events_of(l), i);

		if (reason && !k->reason)
			k->reason = strdup(reason);
		if (reason && !k->reason)
			return pmk_count_no_memory(&c->fault);
		if (pmk_linux_counters_user_only(events_of(l), i) && !k->user_only) {
			char *name;

			/* The kernel allows only user mode; perf also shows this as :u. */
			if (asprintf(&name, "%s:u", k->name) < 0)
				return pmk_count_no_memory(&c->fault);
			free(k->name);
			k->name = name;
			k->user_only = true;
		}
	}
	return 0;
}

static int open_counted(struct pmk_count *c, const struct pmk_linux_ask *asks,
			const struct pmk_linux_scope *scope)
{
	struct machine *l = c->state;

	pmk_linux_counters_close(l->counters);
	return pmk_linux_counters_open(&l->counters, &pmk_linux_kernel, &l->facts, asks, l->nevents,
				       scope)
		       ? pmk_count_no_memory(&c->fault)
		       : 0;
}

/* Open the events for samples instead of counts. Each buffer belongs to a processor, even if
 * threads are sampled. */
static int open_sampled(struct pmk_count *c, const struct pmk_linux_ask *asks,
			const struct pmk_linux_scope *scope)
{
	struct machine *l = c->state;
	struct pmk_linux_scope places = *scope;
	int err = l->cpus.count ? 0 : choose_cpus(c, NULL);

	places.cpus = l->cpus.cpu;
	places.ncpus = l->cpus.count;
	if (scope->ncpus)
		places.npids = 0;
	return err ? err : pmk_sampled_open(&l->sampled, c, &l->facts, asks, l->nevents, &places);
}

/* Begin to process samples, now that the names of the events are known. */
static int begin_sampled(struct pmk_count *c, const struct pmk_linux_scope *scope)
{
	struct machine *l = c->state;
	struct pmk_sampled_event event[PMK_MAX_EVENTS];
	int err;

	for (unsigned i = 0; i < l->nevents; i++)
		event[i] = (struct pmk_sampled_event){ l->event[i].name,
						       l->event[i].ask.event->pmu->pmu->name,
						       l->event[i].reason };
	err = pmk_sampled_name(l->sampled, c, event);
	return err ? err
		   : pmk_sampled_attach(l->sampled, c, l->processes, l->nprocesses,
					scope->ncpus != 0);
}

static int open_counters(struct pmk_count *c, int pid)
{
	struct machine *l = c->state;
	struct pmk_linux_ask asks[PMK_MAX_EVENTS];
	struct pmk_linux_scope scope = {
		.pids = pid ? &pid : l->pids,
		.npids = pid ? 1 : l->npids,
		.cpus = l->cpus.cpu,
		.ncpus = l->cpus.count,
		.inherit = !c->q.scope.no_inherit,
		.on_exec = pid != 0 && !c->q.run.delay_ms,
	};
	int err;

	for (unsigned i = 0; i < l->nevents; i++)
		asks[i] = l->event[i].ask;
	if (is_recorded(c))
		err = open_sampled(c, asks, &scope);
	else
		err = open_counted(c, asks, &scope);
	if (err)
		return err;
	if (hopeless_reason(l))
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "nothing can be counted: %s",
				      hopeless_reason(l));
	err = learn_counters(c);
	drop_metrics(c);
	return err || !l->sampled ? err : begin_sampled(c, &scope);
}

/* Add the counts of this run. */
static void collect_counts(struct machine *l)
{
	if (l->sampled)
		return;
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
	err = open_counters(c, attached ? 0 : w->child.pid);
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
		collect_counts(c->state);
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

const struct pmk_count_way pmk_way_machine = {
	.name = "linux",
	.brief = "this machine: real counters, through the Linux kernel",
	.choose = choose_events,
	.run = run_program,
	.describe = describe_result,
	.finish = finish_run,
	.recording = get_recording,
	.free = free_machine,
};
