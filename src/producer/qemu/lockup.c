// SPDX-License-Identifier: GPL-2.0-or-later
/* Drops the text that QEMU prints when a Cortex-M locks up. See parts.h. */
#define _GNU_SOURCE
#include "producer/qemu/parts.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* QEMU prints `fatal`, then a reason, then the registers. It writes all of this also to its log,
 * and then aborts. The reason begins with `reason` if the processor has locked up. */
static const char fatal[] = "qemu: fatal: ", reason[] = "Lockup: ";

static struct {
	FILE *qemus; /* stderr of QEMU */
	bool held;   /* true if QEMU has printed `fatal`, and pmk has not written it yet */
} lockup;

static bool starts_with(const char *text, size_t size, const char *start)
{
	return size >= strlen(start) && !memcmp(text, start, strlen(start));
}

/* Discards everything that is printed from now on, because the processor has locked up. */
static void silence_errors(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	atomic_store(&plugin.arena->locked_up, 1);
	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
}

static ssize_t write_error(void *cookie, const char *text, size_t size)
{
	(void)cookie;
	if (lockup.held && starts_with(text, size, reason)) {
		silence_errors();
	} else if (lockup.held) {
		stderr = lockup.qemus; /* not a lockup; QEMU compares this pointer */
		if (write(STDERR_FILENO, fatal, strlen(fatal)) < 0)
			return 0;
	}
	lockup.held = size == strlen(fatal) && starts_with(text, size, fatal);
	return lockup.held ? (ssize_t)size : write(STDERR_FILENO, text, size);
}

void pmk_lockup_begin(void)
{
#ifdef __GLIBC__ /* other libraries do not allow replacing stderr */
	FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_error });

	if (!f)
		return;
	setvbuf(f, NULL, _IONBF, 0);
	lockup.qemus = stderr;
	stderr = f;
#endif
}
