// SPDX-License-Identifier: MIT
/*
 * Counters of the calling thread, read by the thread itself. See <pmk/linux.h>.
 *
 * The kernel publishes each event's state in a page of memory (struct perf_event_mmap_page): its
 * hardware counter, and the offset to add to that counter's value. The kernel changes this state
 * only while the thread does not run, or in an interrupt on its processor, and then also changes
 * `lock`: a reading is consistent if `lock` has not changed. Compiler barriers are enough, because
 * writer and reader are never on different processors.
 *
 * Hardware counters: RDPMC on x86; MRS of PMEVCNTR<n>_EL0 and PMCCNTR_EL0 on AArch64, by the port
 * that firmware uses. Linux gives user mode no access on 32-bit Arm. Elsewhere every read is a
 * system call.
 */
#include "producer/linux/sysfs.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pmk/error.h>
#ifdef __aarch64__
#include <pmk/armv8.h>
#include <pmk/native.h>
#endif

#include "base/message.h"

#define MAX_TRIES 100 /* the kernel cannot interrupt one reading so many times */

struct pmk_linux_self {
	struct pmk_linux_pmus *pmus;
	struct pmk_linux_facts facts;
	struct pmk_linux_counters *counters;
	struct pmk_linux_event event[PMK_LINUX_SELF_EVENTS];
	/* The page of each event; NULL if the event must be read by a system call. */
	const volatile struct perf_event_mmap_page *page[PMK_LINUX_SELF_EVENTS];
	unsigned count;
};

/* ---- the page ------------------------------------------------------------------------------- */

static void compiler_barrier(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

/* Returns a counter of `width` bits as a signed number, because the kernel preloads counters
 * with negative values. */
static uint64_t sign_extended(uint64_t value, unsigned width)
{
	uint64_t sign = UINT64_C(1) << (width - 1);

	return width < 64 ? ((value & ((sign << 1) - 1)) ^ sign) - sign : value;
}

/* Returns the nanoseconds since the kernel wrote the times of the page (linux/perf_event.h, at
 * cap_user_time). */
static uint64_t since_written(const volatile struct perf_event_mmap_page *page, uint64_t now)
{
	uint64_t mult = page->time_mult, rest;
	unsigned shift = page->time_shift & 63;

	if (page->cap_user_time_short)
		now = page->time_cycles + ((now - page->time_cycles) & page->time_mask);
	rest = now & ((UINT64_C(1) << shift) - 1);
	return page->time_offset + (now >> shift) * mult + ((rest * mult) >> shift);
}

bool pmk_linux_page_read(const volatile struct perf_event_mmap_page *page,
			 const struct pmk_linux_direct *direct, struct pmk_linux_value *v)
{
	for (unsigned i = 0; i < MAX_TRIES; i++) {
		uint32_t lock = page->lock, index;
		bool timed, direct_read = false;
		uint64_t value = 0;
		unsigned width;

		compiler_barrier();
		*v = (struct pmk_linux_value){ (uint64_t)page->offset, page->time_enabled,
					       page->time_running };
		timed = direct->clock && page->cap_user_time;
		if (timed) {
			uint64_t more = since_written(page, direct->clock(direct->ctx));

			v->enabled_ns += more;
			v->running_ns += more;
		}
		index = page->cap_user_rdpmc ? page->index : 0;
		width = page->pmc_width;
		if (index && width >= 1 && width <= 64) {
			direct_read = !direct->counter(direct->ctx, index - 1, &value);
			v->value += sign_extended(value, width);
		}
		compiler_barrier();
		if (page->lock == lock)
			return direct_read && (timed || v->enabled_ns == v->running_ns);
	}
	return false;
}

static int hardware_counter(void *ctx, unsigned n, uint64_t *value)
{
	(void)ctx;
#if defined(__x86_64__) || defined(__i386__)
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(n));
	*value = (uint64_t)high << 32 | low;
	return 0;
#elif defined(__aarch64__)
	struct pmk_port port = pmk_port_native();

	if (n > 31)
		return PMK_ENOTSUP;
	return port.read(port.ctx, n == 31 ? PMK_ARMV8_PMCCNTR : PMK_ARMV8_PMEVCNTR0 + n, value);
#else
	(void)n;
	*value = 0;
	return PMK_ENOTSUP;
#endif
}

#if defined(__x86_64__) || defined(__i386__)
static uint64_t hardware_clock(void *ctx)
{
	uint32_t low, high;

	(void)ctx;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
static uint64_t hardware_clock(void *ctx)
{
	uint64_t v;

	(void)ctx;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
}
#else
#define hardware_clock NULL
#endif

static const struct pmk_linux_direct this_processor = { hardware_counter, hardware_clock, NULL };

/* ---- opening -------------------------------------------------------------------------------- */

/* Request user access if the PMU has a term for it (arm64: rdpmc); x86 does not need one. */
static bool ask_for_access(struct pmk_linux_event *ev)
{
	const struct pmk_linux_pmu_full *pmu = pmk_linux_full(ev->pmu);

	for (unsigned i = 0; i < pmu->nformats; i++) {
		const struct pmk_linux_format *f = &pmu->formats[i];

		if (strcmp(f->name, "rdpmc") != 0 || f->word != 1)
			continue;
		ev->config1 |= UINT64_C(1) << f->piece[0].low;
		return true;
	}
	return false;
}

static int open_counters(struct pmk_linux_self *s)
{
	struct pmk_linux_ask asks[PMK_LINUX_SELF_EVENTS] = { 0 };
	const struct pmk_linux_scope scope = { .pids = (const int[]){ 0 }, .npids = 1 };

	pmk_linux_counters_close(s->counters);
	for (unsigned i = 0; i < s->count; i++)
		asks[i] = (struct pmk_linux_ask){ .event = &s->event[i],
						  .user = !s->event[i].in_kernel };
	return pmk_linux_counters_open(&s->counters, &pmk_linux_kernel, &s->facts, asks, s->count,
				       &scope);
}

/* Open with user access, or without it for events that cannot have it. */
static int open_events(struct pmk_linux_self *s, const char *const *names, char *msg, size_t size)
{
	uint64_t plain[PMK_LINUX_SELF_EVENTS];
	bool again = false;
	int err;

	for (unsigned i = 0; i < s->count; i++) {
		plain[i] = s->event[i].config1;
		ask_for_access(&s->event[i]);
	}
	err = open_counters(s);
	for (unsigned i = 0; !err && i < s->count; i++) {
		if (!pmk_linux_counters_reason(s->counters, i) || s->event[i].config1 == plain[i])
			continue;
		s->event[i].config1 = plain[i];
		again = true;
	}
	if (again)
		err = open_counters(s);
	for (unsigned i = 0; !err && i < s->count; i++) {
		const char *reason = pmk_linux_counters_reason(s->counters, i);

		if (!reason)
			continue;
		return pmk_message_fail(msg, size, PMK_ENOTSUP, "%s: %s", names[i], reason);
	}
	return err;
}

static void map_pages(struct pmk_linux_self *s)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < s->count; i++) {
		void *page = mmap(NULL, size, PROT_READ, MAP_SHARED,
				  pmk_linux_counters_fd(s->counters, i, 0), 0);

		s->page[i] = page == MAP_FAILED ? NULL : page;
	}
}

int pmk_linux_self_open(struct pmk_linux_self **out, const char *const *names, unsigned count,
			char *msg, size_t size)
{
	struct pmk_linux_self *s;
	char unused[512];
	int err;

	if (!msg || !size) {
		msg = unused;
		size = sizeof(unused);
	}
	*msg = '\0';
	*out = NULL;
	if (!count || count > PMK_LINUX_SELF_EVENTS)
		return pmk_message_fail(msg, size, PMK_EINVAL, "1 to %d events can be counted",
					PMK_LINUX_SELF_EVENTS);
	s = calloc(1, sizeof(*s));
	err = s ? pmk_linux_pmus_load(&s->pmus, &pmk_linux_kernel) : PMK_ENOMEM;
	if (!err)
		pmk_linux_facts(&s->facts, &pmk_linux_kernel, s->pmus);
	for (unsigned i = 0; !err && i < count; i++) {
		const struct pmk_linux_event *ev;

		err = pmk_linux_find(s->pmus, NULL, names[i], &ev, msg, size);
		if (!err)
			s->event[s->count++] = *ev;
	}
	if (!err)
		err = open_events(s, names, msg, size);
	if (err == PMK_ENOMEM)
		pmk_message_no_memory(msg, size, NULL);
	if (err) {
		pmk_linux_self_close(s);
		return err;
	}
	map_pages(s);
	pmk_linux_counters_enable(s->counters);
	*out = s;
	return 0;
}

void pmk_linux_self_close(struct pmk_linux_self *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->count; i++)
		if (s->page[i])
			munmap((void *)(uintptr_t)s->page[i], (size_t)sysconf(_SC_PAGESIZE));
	pmk_linux_counters_close(s->counters);
	pmk_linux_pmus_free(s->pmus);
	free(s);
}

/* ---- reading -------------------------------------------------------------------------------- */

bool pmk_linux_self_direct(const struct pmk_linux_self *s, unsigned i)
{
	struct pmk_linux_value v;

	return i < s->count && s->page[i] && pmk_linux_page_read(s->page[i], &this_processor, &v);
}

int pmk_linux_self_read(const struct pmk_linux_self *s, struct pmk_linux_value *values)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->page[i] && pmk_linux_page_read(s->page[i], &this_processor, &values[i]))
			continue;
		if (!pmk_linux_counters_read(s->counters, i, -1, &values[i]))
			return PMK_EIO;
	}
	return 0;
}
