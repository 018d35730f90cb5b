// SPDX-License-Identifier: MIT
/* Opens and reads the streams: see streams.h. A captured stream goes to a file in memory, so
 * nothing has to be read during the run. */
#define _GNU_SOURCE
#include "count/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

static const char *const stream_name[] = { "stdin", "stdout", "stderr" };

/* Returns N of "fd:N", or -1 for other forms. */
static int number_of(const char *value)
{
	unsigned n;

	if (strncmp(value, "fd:", 3) != 0 || pmk_unsigned_parse(value + 3, 0, INT_MAX, &n))
		return -1;
	return (int)n;
}

bool pmk_stream_is_valid(unsigned stream, const char *value)
{
	if (number_of(value) >= 0 || (!strncmp(value, "file:", 5) && value[5]))
		return true;
	return (stream && !strcmp(value, "capture")) || (stream == 2 && !strcmp(value, "stdout"));
}

/* Open a stream, with a descriptor above the standard three, so that none is overwritten before it
 * is duplicated. */
static int open_stream(const struct pmk_streams *s, unsigned stream, const char *value)
{
	int flags = stream ? O_WRONLY | O_CREAT | O_TRUNC | O_APPEND : O_RDONLY, fd, above;

	if (number_of(value) >= 0)
		return fcntl(number_of(value), F_DUPFD_CLOEXEC, 3);
	if (!strcmp(value, "stdout"))
		return fcntl(s->fd[1] >= 0 ? s->fd[1] : STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	fd = strcmp(value, "capture") ? open(value + strlen("file:"), flags | O_CLOEXEC, 0666)
				      : memfd_create("pmk-captured", MFD_CLOEXEC);
	if (fd < 0 || fd > 2)
		return fd;
	above = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return above;
}

int pmk_streams_open(struct pmk_streams *s, char *const value[3], struct pmk_count_fault *f)
{
	for (unsigned i = 0; i < 3; i++) {
		if (!value[i])
			continue;
		s->fd[i] = open_stream(s, i, value[i]);
		if (s->fd[i] < 0)
			return pmk_count_fail(f, PMK_COUNT_FAILED, "`%s` %s: %s", stream_name[i],
					      value[i], strerror(errno));
	}
	return 0;
}

void pmk_streams_apply(const int fd[3])
{
	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			dup2(fd[i], i);
}

int pmk_streams_read(struct pmk_streams *s, char *const value[3], struct pmk_count_fault *f)
{
	for (unsigned i = 1; i < 3; i++) {
		struct stat st;
		size_t n = 0;

		if (s->fd[i] < 0 || strcmp(value[i], "capture") || fstat(s->fd[i], &st))
			continue;
		s->captured[i] = malloc((size_t)st.st_size + 1);
		if (!s->captured[i])
			return pmk_count_no_memory(f);
		while (n < (size_t)st.st_size) {
			ssize_t got = pread(s->fd[i], s->captured[i] + n, (size_t)st.st_size - n,
					    (off_t)n);

			if (got <= 0)
				break;
			n += (size_t)got;
		}
		s->captured[i][n] = '\0';
		s->size[i] = n;
	}
	return 0;
}

void pmk_streams_close(struct pmk_streams *s)
{
	for (unsigned i = 0; i < 3; i++) {
		if (s->fd[i] >= 0)
			close(s->fd[i]);
		free(s->captured[i]);
		s->fd[i] = -1;
		s->captured[i] = NULL;
	}
}
