// SPDX-License-Identifier: MIT
/*
 * Sampled events. The kernel writes a record into a shared buffer whenever an event has occurred
 * `period` times. There is one buffer for each processor, which all events on it use: for events
 * that children inherit, the kernel offers no other way.
 *
 * In addition to samples it writes mappings, starts of threads and their names; the first event of
 * each place requests these.
 */
#define _GNU_SOURCE
#include "producer/linux/linux.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/message.h"

#define MOST_PAGES 256 /* limit of a buffer, a power of 2 */

struct sampled {
	struct pmk_linux_ask ask;
	int *fd; /* one per place; -1: not open there */
	int error;
	bool user_only, denied;
	char reason[512];
};

/* The buffer of a processor. */
struct ring {
	struct perf_event_mmap_page *page; /* NULL: nothing is open on the processor */
	int fd;				   /* the event that owns the buffer */
};

/* A place is a thread on a processor: number thread · ncpus + cpu. */
struct pmk_linux_rings {
	const struct pmk_linux_kernel *kernel;
	const struct pmk_linux_facts *facts;
	struct pmk_linux_scope scope;
	struct pmk_linux_rate rate;
	unsigned nplaces, nevents;
	size_t page_size, data_size; /* size of a page; size of a buffer */
	struct ring *ring;	     /* one per processor */
	uint8_t *whole;		     /* copy of a record that wraps at the end of the buffer */
	int ready;
	struct sampled *event;
};

/* ---- opening -------------------------------------------------------------------------------- */

static unsigned threads_of(const struct pmk_linux_rings *r)
{
	return r->scope.npids ? r->scope.npids : 1;
}

uint64_t pmk_linux_rings_layout(const struct pmk_linux_rings *r)
{
	return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	       PERF_SAMPLE_PERIOD | (r->rate.chains ? PERF_SAMPLE_CALLCHAIN : 0);
}

static int open_at(const struct pmk_linux_rings *r, const struct sampled *e, unsigned place,
		   bool first)
{
	struct perf_event_attr attr;

	pmk_linux_attributes(&attr, &e->ask, e->user_only);
	attr.disabled = 1;
	attr.enable_on_exec = r->scope.on_exec;
	attr.inherit = r->scope.inherit && r->scope.npids;
	attr.sample_type = pmk_linux_rings_layout(r);
	attr.sample_id_all = 1;
	attr.freq = !r->rate.period;
	attr.sample_period = r->rate.period ? r->rate.period : r->rate.frequency;
	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = first;
	attr.exclude_callchain_kernel = attr.exclude_kernel;
	attr.watermark = 1;
	attr.wakeup_watermark = (uint32_t)(16 * r->page_size);
	return r->kernel->open(&attr, r->scope.npids ? r->scope.pids[place / r->scope.ncpus] : -1,
			       (int)r->scope.cpus[place % r->scope.ncpus], -1);
}

static bool is_denied(int error)
{
	return error == EACCES || error == EPERM;
}

/* If kernel mode is forbidden and was not requested, only user mode is sampled, as in perf. Returns
 * 0, or the errno of the refusal. */
static int open_place(const struct pmk_linux_rings *r, struct sampled *e, unsigned place,
		      bool first)
{
	int error;

	e->fd[place] = open_at(r, e, place, first);
	error = e->fd[place] < 0 ? errno : 0;
	if (!is_denied(error) || e->user_only || e->ask.user || e->ask.kernel || !r->scope.npids ||
	    e->ask.event->in_kernel)
		return error;
	e->user_only = true;
	e->fd[place] = open_at(r, e, place, first);
	if (e->fd[place] >= 0)
		return 0;
	e->user_only = false;
	e->denied = is_denied(errno);
	return errno == ENOENT ? ENOENT : error;
}

/* Create the buffer of the processor, or use the existing one. The kernel may allow less memory
 * than wanted (perf_event_mlock_kb). */
static bool connect_ring(struct pmk_linux_rings *r, struct ring *ring, int fd)
{
	struct epoll_event wait = { .events = EPOLLIN | EPOLLET };

	if (ring->page)
		return !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd);
	for (size_t size = r->data_size; size >= r->page_size; size /= 2) {
		void *at =
			mmap(NULL, r->page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (at == MAP_FAILED)
			continue;
		ring->page = at;
		ring->fd = fd;
		r->data_size = size; /* the other buffers are not made larger */
		epoll_ctl(r->ready, EPOLL_CTL_ADD, fd, &wait);
		return true;
	}
	return false;
}

static size_t size_of(const struct pmk_linux_rings *r, const struct ring *ring)
{
	/* Kernels before 4.1 do not report the size; there, the size of the last buffer is used. */
	return ring->page->data_size ? ring->page->data_size : r->data_size;
}

static void refuse_event(const struct pmk_linux_rings *r, struct sampled *e, int error)
{
	struct pmk_linux_refusal why = {
		.error = error,
		.event = e->ask.event,
		.whole_cpu = !r->scope.npids,
		.foreign = r->scope.npids && !r->scope.on_exec,
		.wants_kernel = e->ask.kernel || e->ask.event->in_kernel,
		.only_user = e->denied || (e->ask.user && !e->ask.kernel),
	};

	e->error = error;
	pmk_linux_reason(e->reason, sizeof(e->reason), r->facts, &why);
}

static void close_event(const struct pmk_linux_rings *r, struct sampled *e)
{
	for (unsigned p = 0; e->fd && p < r->nplaces; p++) {
		if (e->fd[p] >= 0)
			close(e->fd[p]);
		e->fd[p] = -1;
	}
}

/* Open an event in all places. A thread may disappear at any time. Returns 0 or errno. */
static int open_event(struct pmk_linux_rings *r, struct sampled *e, bool first)
{
	int gone = ESRCH;
	unsigned opened = 0;

	for (unsigned p = 0; p < r->nplaces; p++) {
		int error = open_place(r, e, p, first);

		if (error == ESRCH || (error == ENODEV && !r->scope.npids))
			gone = error;
		else if (error)
			return error;
		else
			opened++;
	}
	return opened ? 0 : gone;
}

/* A buffer belongs to one event; if that is closed, the other events continue to use it. */
static bool connect_event(struct pmk_linux_rings *r, struct sampled *e)
{
	for (unsigned p = 0; p < r->nplaces; p++)
		if (e->fd[p] >= 0 && !connect_ring(r, &r->ring[p % r->scope.ncpus], e->fd[p]))
			return false;
	return true;
}

static bool make_room(struct pmk_linux_rings *r, const struct pmk_linux_ask *asks, unsigned nasks)
{
	r->event = calloc(nasks + 1, sizeof(*r->event));
	r->ring = calloc(r->scope.ncpus + 1, sizeof(*r->ring));
	r->whole = malloc(1 << 16);
	r->ready = epoll_create1(EPOLL_CLOEXEC);
	if (!r->event || !r->ring || !r->whole || r->ready < 0)
		return false;
	for (; r->nevents < nasks; r->nevents++) {
		struct sampled *e = &r->event[r->nevents];

		e->ask = asks[r->nevents];
		e->fd = malloc((r->nplaces + 1) * sizeof(*e->fd));
		if (!e->fd)
			return false;
		memset(e->fd, 0xff, r->nplaces * sizeof(*e->fd)); /* -1 */
	}
	return true;
}

static int open_all(struct pmk_linux_rings *r, char *msg, size_t size)
{
	bool first = true;

	for (unsigned i = 0; i < r->nevents; i++) {
		struct sampled *e = &r->event[i];
		int error = open_event(r, e, first);

		if (error) {
			refuse_event(r, e, error);
			close_event(r, e);
			continue;
		}
		first = false;
		if (connect_event(r, e))
			continue;
		return pmk_message_fail(msg, size, PMK_EIO,
					"no memory for the buffers of samples: %s (limits are "
					"/proc/sys/kernel/perf_event_mlock_kb and ulimit -l)",
					strerror(errno));
	}
	return 0;
}

int pmk_linux_rings_open(struct pmk_linux_rings **out, const struct pmk_linux_kernel *kernel,
			 const struct pmk_linux_facts *facts, const struct pmk_linux_ask *asks,
			 unsigned nasks, const struct pmk_linux_scope *scope,
			 const struct pmk_linux_rate *rate, char *msg, size_t size)
{
	struct pmk_linux_rings *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return PMK_ENOMEM;
	r->kernel = kernel;
	r->facts = facts;
	r->scope = *scope;
	r->rate = *rate;
	r->nplaces = threads_of(r) * scope->ncpus;
	r->page_size = (size_t)sysconf(_SC_PAGESIZE);
	r->data_size = r->page_size * MOST_PAGES;
	err = make_room(r, asks, nasks) ? open_all(r, msg, size) : PMK_ENOMEM;
	if (err)
		pmk_linux_rings_close(r);
	else
		*out = r;
	return err;
}

void pmk_linux_rings_close(struct pmk_linux_rings *r)
{
	if (!r)
		return;
	for (unsigned i = 0; r->ring && i < r->scope.ncpus; i++)
		if (r->ring[i].page)
			munmap(r->ring[i].page, r->page_size + size_of(r, &r->ring[i]));
	for (unsigned i = 0; i < r->nevents; i++) {
		close_event(r, &r->event[i]);
		free(r->event[i].fd);
	}
	if (r->ready >= 0)
		close(r->ready);
	free(r->event);
	free(r->ring);
	free(r->whole);
	free(r);
}

/* ---- asking --------------------------------------------------------------------------------- */

const char *pmk_linux_rings_reason(const struct pmk_linux_rings *r, unsigned i)
{
	return r->event[i].error ? r->event[i].reason : NULL;
}

int pmk_linux_rings_error(const struct pmk_linux_rings *r, unsigned i)
{
	return r->event[i].error;
}

bool pmk_linux_rings_user_only(const struct pmk_linux_rings *r, unsigned i)
{
	return r->event[i].user_only;
}

int pmk_linux_rings_fd(const struct pmk_linux_rings *r)
{
	return r->ready;
}

int pmk_linux_rings_ids(const struct pmk_linux_rings *r, unsigned i,
			int (*on_id)(void *ctx, uint64_t id), void *ctx)
{
	int err = 0;

	for (unsigned p = 0; !err && p < r->nplaces; p++) {
		uint64_t id;

		if (r->event[i].fd[p] >= 0 && !ioctl(r->event[i].fd[p], PERF_EVENT_IOC_ID, &id))
			err = on_id(ctx, id);
	}
	return err;
}

static void control_rings(const struct pmk_linux_rings *r, unsigned long what)
{
	for (unsigned i = 0; i < r->nevents; i++)
		for (unsigned p = 0; p < r->nplaces; p++)
			if (r->event[i].fd[p] >= 0)
				ioctl(r->event[i].fd[p], what, 0);
}

void pmk_linux_rings_enable(struct pmk_linux_rings *r)
{
	control_rings(r, PERF_EVENT_IOC_ENABLE);
}

void pmk_linux_rings_disable(struct pmk_linux_rings *r)
{
	control_rings(r, PERF_EVENT_IOC_DISABLE);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The bytes at a position, which never wraps. They may continue at the start of the buffer. */
static const uint8_t *bytes_at(struct pmk_linux_rings *r, const uint8_t *data, size_t size,
			       uint64_t position, size_t n)
{
	size_t at = (size_t)(position & (size - 1));

	if (n <= size - at)
		return data + at;
	memcpy(r->whole, data + at, size - at);
	memcpy(r->whole + (size - at), data, n - (size - at));
	return r->whole;
}

static int drain_ring(struct pmk_linux_rings *r, struct ring *ring,
		      int (*on_record)(void *ctx, const uint8_t *bytes, size_t size), void *ctx)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	const uint8_t *data = (const uint8_t *)ring->page + r->page_size;
	size_t size = size_of(r, ring);
	int err = 0;

	while (!err && head - tail >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, bytes_at(r, data, size, tail, sizeof(h)), sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail)
			break;
		err = on_record(ctx, bytes_at(r, data, size, tail, h.size), h.size);
		tail += h.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

int pmk_linux_rings_drain(struct pmk_linux_rings *r,
			  int (*on_record)(void *ctx, const uint8_t *bytes, size_t size), void *ctx)
{
	struct epoll_event ready[64];
	int err = 0;

	while (epoll_wait(r->ready, ready, 64, 0) == 64)
		; /* the loop checks all of them in any case */
	for (unsigned i = 0; !err && i < r->scope.ncpus; i++)
		if (r->ring[i].page)
			err = drain_ring(r, &r->ring[i], on_record, ctx);
	return err;
}
