/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Counting in the program itself on Linux: events of the calling thread, through
 * perf_event_open(2). Host library only; firmware has <pmk/target.h>.
 *
 * 	struct pmk_linux_self *s;
 * 	const char *names[] = { "cycles", "instructions" };
 * 	struct pmk_linux_value before[2], after[2];
 *
 * 	if (pmk_linux_self_open(&s, names, 2, msg, sizeof(msg)))
 * 		… msg says why, and what to do
 * 	pmk_linux_self_read(s, before);
 * 	work();
 * 	pmk_linux_self_read(s, after);
 * 	printf("%llu\n", (unsigned long long)pmk_linux_since(&before[1], &after[1]));
 *
 * If the kernel lets programs read counters (x86: by default; AArch64: if
 * /proc/sys/kernel/perf_user_access is 1), reading takes no system call. Otherwise, and while an
 * event is not on a counter, it takes a read(2).
 */
#ifndef PMK_LINUX_H
#define PMK_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_LINUX_SELF_EVENTS 16

struct pmk_linux_self;

/* A reading: the count since open, and the times for which it counted. */
struct pmk_linux_value {
	uint64_t value;
	uint64_t enabled_ns; /* how long the event was enabled */
	/* How long it was on a counter: less than enabled_ns when more events than counters took
	 * turns. */
	uint64_t running_ns;
};

/*
 * Open up to PMK_LINUX_SELF_EVENTS events, one by one, for the calling thread, user mode only, and
 * start counting. Names are those of `pmk stat -T linux -e`, without modifiers. Returns 0 and *out,
 * which the caller closes with pmk_linux_self_close(), or an error with one line in msg (which may
 * be NULL): PMK_EINVAL; PMK_ENOMEM; PMK_ENOEVENT if a name is unknown; PMK_ENOTSUP if this machine
 * or kernel does not count the event. Use an object only in the thread that opened it; a child of
 * fork() must open its own.
 */
int pmk_linux_self_open(struct pmk_linux_self **out, const char *const *names, unsigned count,
			char *msg, size_t size);
void pmk_linux_self_close(struct pmk_linux_self *s);

/* Read all events, in the order of their names, into values[count]. Stops nothing, allocates
 * nothing, and may be called from signal handlers. Returns 0 or PMK_EIO. */
int pmk_linux_self_read(const struct pmk_linux_self *s, struct pmk_linux_value *values);

/* True if event i can be read without a system call at this moment. */
bool pmk_linux_self_direct(const struct pmk_linux_self *s, unsigned i);

/* Returns value * enabled / running, computed in 128 bits and rounded to the nearest integer: an
 * estimate of the count if the event had been on a counter all the time. Returns 0 if it never was,
 * and UINT64_MAX if the result does not fit. */
uint64_t pmk_linux_scale(uint64_t value, uint64_t enabled_ns, uint64_t running_ns);

/* Returns the count between two readings, scaled. */
uint64_t pmk_linux_since(const struct pmk_linux_value *before, const struct pmk_linux_value *after);

#ifdef __cplusplus
}
#endif

#endif
