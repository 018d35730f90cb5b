// SPDX-License-Identifier: MIT
/* Opens and reads the counters of this machine. */
#define _GNU_SOURCE
#include "count/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pmk_linux_counters *events_of(const struct machine *l)
{
	return l->sampled ? pmk_linux_rings_events(pmk_sampled_rings(l->sampled)) : l->counters;
}

/*
 * Returns the reason why nothing can be counted, so that the run should not start. Returns NULL if
 * something can be counted. Also returns NULL if a program is counted, not recorded, and the
 * hardware merely lacks the events: perf runs such a program, too.
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

/* Drop the metrics whose events are not counted, if the user named no metrics. */
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
	int err = l->cpus.count ? 0 : pmk_machine_choose_cpus(c, NULL);

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

int pmk_machine_open(struct pmk_count *c, int pid)
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
	if (pmk_machine_is_recorded(c))
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

void pmk_machine_collect(struct machine *l)
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
