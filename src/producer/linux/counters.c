// SPDX-License-Identifier: MIT
/*
 * Events of programs and of whole processors: one descriptor per event and place (a thread, or a
 * processor), as perf does it.
 *
 * The kernel gives each count with two times: how long it should have been counted, and how long it
 * was counted. The two times differ if there are more events than counters: the kernel then lets
 * events take turns, and pmk_linux_scale() extrapolates. A {group} is scheduled as a whole, so its
 * members have the same times. Readings of several places are added before they are scaled, as in
 * perf. So other places make up for a thread that ended before its turn to be counted.
 *
 * Every event is read separately: older kernels do not allow reading inherited events as a group.
 * Reading the events one after the other is accurate, because the counts of a program that has
 * ended no longer change.
 */
#define _GNU_SOURCE
#include "producer/linux/linux.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <pmk/error.h>

/* ---- scaling -------------------------------------------------------------------------------- */

/* Returns a · b / d as the nearest integer. The division goes bit by bit, because 32-bit
 * processors have no 128-bit type. */
static uint64_t multiply_divide(uint64_t a, uint64_t b, uint64_t d)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (uint32_t)mid;
	uint64_t high = a1 * b1 + (mid >> 32) + (mid2 >> 32), rest = 0;

	low = mid2 << 32 | (uint32_t)low;
	if (high >= d)
		return UINT64_MAX;
	rest = high;
	for (unsigned i = 0; i < 64; i++) {
		bool carry = rest >> 63;

		rest = rest << 1 | low >> 63;
		low <<= 1;
		if (carry || rest >= d) {
			rest -= d;
			low |= 1;
		}
	}
	if (rest >= d - rest && low != UINT64_MAX)
		low++;
	return low;
}

uint64_t pmk_linux_scale(uint64_t value, uint64_t enabled_ns, uint64_t running_ns)
{
	if (!running_ns)
		return 0;
	return enabled_ns == running_ns ? value : multiply_divide(value, enabled_ns, running_ns);
}

uint64_t pmk_linux_since(const struct pmk_linux_value *before, const struct pmk_linux_value *after)
{
	uint64_t enabled = after->enabled_ns - before->enabled_ns;
	uint64_t running = after->running_ns - before->running_ns, value;

	value = after->value - before->value;
	/* Two direct readings without a clock may have the same times. Both differences are then 0,
	 * and pmk_linux_scale() would return 0. */
	return enabled == running ? value : pmk_linux_scale(value, enabled, running);
}

/* ---- opening -------------------------------------------------------------------------------- */

struct counted {
	struct pmk_linux_ask ask;
	int *fd; /* one per place; -1: not open there */
	int error;
	bool user_only;
	bool denied; /* the kernel refused the event even for user mode only */
	char reason[512];
};

struct pmk_linux_counters {
	const struct pmk_linux_kernel *kernel;
	const struct pmk_linux_facts *facts;
	struct pmk_linux_scope scope;
	unsigned nplaces, nevents;
	struct counted event[];
};

uint64_t pmk_linux_sample_type(const struct pmk_linux_rate *rate)
{
	return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	       PERF_SAMPLE_PERIOD | (rate->chains ? PERF_SAMPLE_CALLCHAIN : 0);
}

/* True if no event is open in `place`. */
static bool is_empty(const struct pmk_linux_counters *c, unsigned place)
{
	for (unsigned i = 0; i < c->nevents; i++)
		if (c->event[i].fd[place] >= 0)
			return false;
	return true;
}

/* Set the attributes of a sampled event. The first event of a place also requests mappings, starts
 * of threads and their names. */
static void set_sampling(struct perf_event_attr *attr, const struct pmk_linux_rate *rate,
			 bool first)
{
	attr->sample_type = pmk_linux_sample_type(rate);
	attr->sample_id_all = 1;
	attr->freq = !rate->period;
	attr->sample_period = rate->period ? rate->period : rate->frequency;
	attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = first;
	attr->exclude_callchain_kernel = attr->exclude_kernel;
	attr->watermark = 1;
	attr->wakeup_watermark = (uint32_t)(16 * sysconf(_SC_PAGESIZE));
}

static int open_at(const struct pmk_linux_counters *c, const struct counted *e, unsigned place,
		   int leader)
{
	const struct pmk_linux_scope *s = &c->scope;
	const struct pmk_linux_ask *ask = &e->ask;
	bool one_mode = ask->user != ask->kernel, user = ask->user || e->user_only;
	bool leads = leader < 0;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = ask->event->type,
		.config = ask->event->config,
		.config1 = ask->event->config1,
		.config2 = ask->event->config2,
		.exclude_user = one_mode && ask->kernel,
		.exclude_kernel = (one_mode || e->user_only) && user,
		.exclude_hv = (one_mode || e->user_only) && user,
		.disabled = leads,
		.enable_on_exec = leads && s->on_exec,
		.inherit = s->inherit && s->npids,
	};

	if (s->rate)
		set_sampling(&attr, s->rate, is_empty(c, place));
	else
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return c->kernel->open(&attr, s->npids ? s->pids[s->ncpus ? place / s->ncpus : place] : -1,
			       s->ncpus ? (int)s->cpus[place % s->ncpus] : -1, leader);
}

/*
 * True if the event can be opened without its group and, if `modes` is true, without :u and :k.
 * This is only tried to find the reason for the refusal.
 */
static bool opens_without(const struct pmk_linux_counters *c, struct counted e, unsigned place,
			  bool modes)
{
	int fd;

	if (modes) {
		e.ask.user = e.ask.kernel = false;
		e.user_only = false;
	}
	fd = open_at(c, &e, place, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool is_denied(int error)
{
	return error == EACCES || error == EPERM;
}

static void refuse_event(struct pmk_linux_counters *c, struct counted *e, unsigned place, int error,
			 bool in_group)
{
	struct pmk_linux_refusal r = {
		.error = error,
		.event = e->ask.event,
		.whole_cpu = !c->scope.npids,
		.foreign = c->scope.npids && !c->scope.on_exec,
		.wants_kernel = e->ask.kernel || e->ask.event->in_kernel,
		.only_user = e->denied || (e->ask.user && !e->ask.kernel),
	};
	bool modes = e->ask.user || e->ask.kernel || e->user_only;

	if (error != ENOSYS && error != EMFILE && error != ENFILE && error != ENXIO) {
		r.mode_filter = modes && opens_without(c, *e, place, true);
		r.crowded = !r.mode_filter && in_group && opens_without(c, *e, place, false);
	}
	e->error = error;
	pmk_linux_reason(e->reason, sizeof(e->reason), c->facts, &r);
}

static void close_event(const struct pmk_linux_counters *c, struct counted *e)
{
	for (unsigned p = 0; p < c->nplaces; p++) {
		if (e->fd[p] >= 0)
			close(e->fd[p]);
		e->fd[p] = -1;
	}
}

/* True if the PMU of the event counts on the processor of the place. */
static bool belongs_here(const struct pmk_linux_counters *c, const struct counted *e,
			 unsigned place)
{
	const struct pmk_linux_cpus *cpus = &e->ask.event->pmu->cpus;

	return !c->scope.ncpus || !cpus->count ||
	       pmk_linux_cpus_have(cpus, c->scope.cpus[place % c->scope.ncpus]);
}

/*
 * Open the event in one place. If kernel mode is forbidden and was not requested by :k, the event
 * is opened for user mode only, as in perf. Returns 0, or the errno of the refusal.
 */
static int open_place(const struct pmk_linux_counters *c, struct counted *e, unsigned place,
		      int leader)
{
	int error;

	e->fd[place] = open_at(c, e, place, leader);
	error = e->fd[place] < 0 ? errno : 0;
	if (!is_denied(error) || e->user_only || e->ask.user || e->ask.kernel || !c->scope.npids ||
	    e->ask.event->in_kernel)
		return error;
	e->user_only = true;
	e->fd[place] = open_at(c, e, place, leader);
	if (e->fd[place] >= 0)
		return 0;
	e->user_only = false;
	e->denied = is_denied(errno);
	return errno == ENOENT ? ENOENT : error; /* no such event exists, whether allowed or not */
}

/* Open one event in all places. Returns 0 or errno. *where is the place of the error. Places whose
 * thread or processor has disappeared are left out. */
static int open_event(struct pmk_linux_counters *c, struct counted *e, const struct counted *leader,
		      unsigned *where)
{
	unsigned opened = 0;
	int gone = ENXIO;

	*where = 0;
	if (e->ask.event->in_kernel && e->ask.user && !e->ask.kernel)
		return EINVAL; /* the kernel would open it, but it would count nothing */
	for (unsigned p = 0; p < c->nplaces; p++) {
		int error;

		*where = p;
		if (!belongs_here(c, e, p) || (leader && leader->fd[p] < 0))
			continue;
		error = open_place(c, e, p, leader ? leader->fd[p] : -1);
		if (!error)
			opened++;
		else if (error == ESRCH || (error == ENODEV && !c->scope.npids))
			gone = error;
		else
			return error;
	}
	return opened ? 0 : gone;
}

/* Open the event and, if it is the first of a {group}, the events that belong to it. */
static void open_group(struct pmk_linux_counters *c, unsigned first)
{
	unsigned group = c->event[first].ask.group, where = 0, members = 0;
	const struct counted *leader = NULL;
	unsigned i;
	int error = 0;

	for (i = first; i < c->nevents; i++)
		members += i == first || (group && c->event[i].ask.group == group);
	for (i = first; i < c->nevents && !error; i++) {
		struct counted *e = &c->event[i];

		if (i != first && (!group || e->ask.group != group))
			continue;
		error = open_event(c, e, leader, &where);
		if (error)
			refuse_event(c, e, where, error, members > 1);
		if (!leader)
			leader = e;
	}
	for (i = first; error && i < c->nevents; i++) {
		struct counted *e = &c->event[i];

		if (i != first && (!group || e->ask.group != group))
			continue;
		close_event(c, e);
		if (e->error)
			continue;
		e->error = error;
		snprintf(e->reason, sizeof(e->reason),
			 "another event of its {group} cannot be counted");
	}
}

int pmk_linux_counters_open(struct pmk_linux_counters **out, const struct pmk_linux_kernel *kernel,
			    const struct pmk_linux_facts *facts, const struct pmk_linux_ask *asks,
			    unsigned nasks, const struct pmk_linux_scope *scope)
{
	struct pmk_linux_counters *c = calloc(1, sizeof(*c) + nasks * sizeof(c->event[0]));

	*out = NULL;
	if (!c)
		return PMK_ENOMEM;
	c->kernel = kernel;
	c->facts = facts;
	c->scope = *scope;
	if (scope->ncpus && !scope->rate)
		c->scope.npids = 0;
	c->nplaces = scope->ncpus && c->scope.npids ? scope->ncpus * c->scope.npids
						    : scope->ncpus + c->scope.npids;
	for (; c->nevents < nasks; c->nevents++) {
		struct counted *e = &c->event[c->nevents];

		e->ask = asks[c->nevents];
		if (scope->rate)
			e->ask.group = 0;
		e->fd = malloc((c->nplaces + 1) * sizeof(*e->fd));
		if (!e->fd) {
			pmk_linux_counters_close(c);
			return PMK_ENOMEM;
		}
		for (unsigned p = 0; p < c->nplaces; p++)
			e->fd[p] = -1;
	}
	for (unsigned i = 0; i < nasks; i++) {
		bool led = false;

		for (unsigned k = 0; k < i; k++)
			led |= c->event[i].ask.group &&
			       c->event[k].ask.group == c->event[i].ask.group;
		if (!led)
			open_group(c, i);
	}
	*out = c;
	return 0;
}

void pmk_linux_counters_close(struct pmk_linux_counters *c)
{
	if (!c)
		return;
	/* Close members before their leaders: if a leader is closed first, its members continue
	 * without a group. */
	for (unsigned i = c->nevents; i-- > 0;) {
		close_event(c, &c->event[i]);
		free(c->event[i].fd);
	}
	free(c);
}

/* ---- asking --------------------------------------------------------------------------------- */

const char *pmk_linux_counters_reason(const struct pmk_linux_counters *c, unsigned i)
{
	return c->event[i].error ? c->event[i].reason : NULL;
}

int pmk_linux_counters_error(const struct pmk_linux_counters *c, unsigned i)
{
	return c->event[i].error;
}

bool pmk_linux_counters_user_only(const struct pmk_linux_counters *c, unsigned i)
{
	return c->event[i].user_only;
}

int pmk_linux_counters_fd(const struct pmk_linux_counters *c, unsigned i, unsigned place)
{
	return c->event[i].fd[place];
}

unsigned pmk_linux_counters_places(const struct pmk_linux_counters *c)
{
	return c->nplaces;
}

/* Enables or disables all events. The kernel starts and stops the members of a group with their
 * leader, but to control each of them does no harm. */
static void control_events(struct pmk_linux_counters *c, unsigned long request)
{
	for (unsigned i = 0; i < c->nevents; i++)
		for (unsigned p = 0; p < c->nplaces; p++)
			if (c->event[i].fd[p] >= 0)
				ioctl(c->event[i].fd[p], request, 0);
}

void pmk_linux_counters_enable(struct pmk_linux_counters *c)
{
	control_events(c, PERF_EVENT_IOC_ENABLE);
}

void pmk_linux_counters_disable(struct pmk_linux_counters *c)
{
	control_events(c, PERF_EVENT_IOC_DISABLE);
}

bool pmk_linux_counters_read(const struct pmk_linux_counters *c, unsigned i, int place,
			     struct pmk_linux_value *v)
{
	const struct counted *e = &c->event[i];
	bool any = false;

	*v = (struct pmk_linux_value){ 0 };
	for (unsigned p = 0; p < c->nplaces; p++) {
		uint64_t words[3];

		if ((place >= 0 && (unsigned)place != p) || e->fd[p] < 0)
			continue;
		if (read(e->fd[p], words, sizeof(words)) != sizeof(words))
			continue;
		v->value += words[0];
		v->enabled_ns += words[1];
		v->running_ns += words[2];
		any = true;
	}
	return any;
}
