// SPDX-License-Identifier: GPL-2.0-or-later
/* The text that QEMU prints when a Cortex-M locks up. See lockup.h. */
#define _GNU_SOURCE
#include "producer/qemu/lockup.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "producer/qemu/state.h"

/* QEMU prints `fatal`, then the reason, then the registers. It writes all of this also to its
 * log, and aborts. */
static const char fatal[] = "qemu: fatal: ", reason[] = "Lockup: ";

static struct {
	FILE *qemus; /* stderr of QEMU */
	bool held;   /* `fatal` was printed, and is not written yet */
} lockup;

static bool starts_with(const char *text, size_t size, const char *start)
{
	return size >= strlen(start) && !memcmp(text, start, strlen(start));
}

/* The processor has locked up: nothing is written from now on. */
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
		stderr = lockup.qemus; /* another reason: QEMU compares it with its log */
		if (write(STDERR_FILENO, fatal, strlen(fatal)) < 0)
			return 0;
	}
	lockup.held = size == strlen(fatal) && starts_with(text, size, fatal);
	return lockup.held ? (ssize_t)size : write(STDERR_FILENO, text, size);
}

void pmk_lockup_begin(void)
{
#ifdef __GLIBC__ /* other libraries do not let stderr be replaced */
	FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_error });

	if (!f)
		return;
	setvbuf(f, NULL, _IONBF, 0);
	lockup.qemus = stderr;
	stderr = f;
#endif
}
