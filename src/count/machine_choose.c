// SPDX-License-Identifier: MIT
/* Chooses the processes, processors and events that are counted on this machine. */
#define _GNU_SOURCE
#include "count/machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/program.h"

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

int pmk_machine_choose_cpus(struct pmk_count *c, const char *list)
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
					"`pid` cannot be combined with `all-cpus` or `cpu`");
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
		err = pmk_machine_choose_cpus(c, q->scope.cpus);
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

	if (pmk_machine_is_recorded(c))
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

	if (pmk_machine_is_recorded(c) && req->group)
		return pmk_count_refuse(
			&c->fault,
			"event '%s': sampling does not support a {group}; leave out the braces",
			req->name);
	if (l->nevents == PMK_MAX_EVENTS)
		return pmk_count_refuse(&c->fault, "there are more than %d events; request fewer",
					PMK_MAX_EVENTS);
	*k = (struct counted){ .ask = { ev, req->group, req->user, req->kernel } };
	n = pmu ? asprintf(&k->name, "%s/%s/", pmu, req->name)
		: asprintf(&k->name, "%s", req->name);
	if (n < 0)
		return pmk_count_no_memory(&c->fault);
	l->nevents++;
	return 0;
}

/* Add the event of each kind of core. On a machine with several kinds of cores, one name stands for
 * the events of all kinds. */
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

int pmk_machine_choose_events(struct pmk_count *c)
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
	if ((pmk_linux_cores(l->pmus) > 1 && !l->prefer) || pmk_machine_is_recorded(c))
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
