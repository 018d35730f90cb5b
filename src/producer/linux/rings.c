// SPDX-License-Identifier: MIT
/*
 * Sampled events. The kernel writes a record into a shared buffer whenever an event has occurred
 * `period` times. There is one buffer for each processor. All events on the processor use it,
 * because the kernel offers no other way for events that children inherit.
 *
 * counters.c opens the events.
 */
#define _GNU_SOURCE
#include "producer/linux/linux.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/error.h>

#include "base/message.h"

#define MOST_PAGES 256 /* limit of a buffer, a power of 2 */

/* The buffer of a processor. */
struct ring {
	struct perf_event_mmap_page *page; /* NULL: nothing is open on the processor */
	int fd;				   /* the event that owns the buffer */
};

struct pmk_linux_rings {
	struct pmk_linux_counters *events;
	struct pmk_linux_scope scope;
	size_t page_size, data_size; /* size of a page; size of a buffer */
	struct ring *ring;	     /* one per processor */
	uint8_t *whole;		     /* copy of a record that wraps at the end of the buffer */
	int ready;
};

/* ---- opening -------------------------------------------------------------------------------- */

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
		r->data_size = size; /* later buffers get at most this size */
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

/* Connect an event to the buffers of its processors. A buffer belongs to one event, and the other
 * events on the processor use it, too. */
static bool connect_event(struct pmk_linux_rings *r, unsigned i)
{
	for (unsigned p = 0; p < pmk_linux_counters_places(r->events); p++) {
		int fd = pmk_linux_counters_fd(r->events, i, p);

		if (fd >= 0 && !connect_ring(r, &r->ring[p % r->scope.ncpus], fd))
			return false;
	}
	return true;
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
	r->scope = *scope;
	r->scope.rate = rate;
	r->page_size = (size_t)sysconf(_SC_PAGESIZE);
	r->data_size = r->page_size * MOST_PAGES;
	r->ring = calloc(r->scope.ncpus + 1, sizeof(*r->ring));
	r->whole = malloc(1 << 16);
	r->ready = epoll_create1(EPOLL_CLOEXEC);
	err = r->ring && r->whole && r->ready >= 0
		      ? pmk_linux_counters_open(&r->events, kernel, facts, asks, nasks, &r->scope)
		      : PMK_ENOMEM;
	for (unsigned i = 0; !err && i < nasks; i++)
		if (!connect_event(r, i))
			err = pmk_message_fail(msg, size, PMK_EIO,
					       "no memory for the buffers of samples: %s (limits "
					       "are /proc/sys/kernel/perf_event_mlock_kb and "
					       "ulimit -l)",
					       strerror(errno));
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
	pmk_linux_counters_close(r->events);
	if (r->ready >= 0)
		close(r->ready);
	free(r->ring);
	free(r->whole);
	free(r);
}

/* ---- asking --------------------------------------------------------------------------------- */

struct pmk_linux_counters *pmk_linux_rings_events(const struct pmk_linux_rings *r)
{
	return r->events;
}

int pmk_linux_rings_fd(const struct pmk_linux_rings *r)
{
	return r->ready;
}

int pmk_linux_rings_ids(const struct pmk_linux_rings *r, unsigned i,
			int (*on_id)(void *ctx, uint64_t id), void *ctx)
{
	int err = 0;

	for (unsigned p = 0; !err && p < pmk_linux_counters_places(r->events); p++) {
		int fd = pmk_linux_counters_fd(r->events, i, p);
		uint64_t id;

		if (fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_ID, &id))
			err = on_id(ctx, id);
	}
	return err;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Returns the `n` bytes at a position. Positions never wrap, but the bytes may continue at the
 * start of the buffer. */
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
		; /* clear all readiness: the loop below checks all buffers in any case */
	for (unsigned i = 0; !err && i < r->scope.ncpus; i++)
		if (r->ring[i].page)
			err = drain_ring(r, &r->ring[i], on_record, ctx);
	return err;
}
