// SPDX-License-Identifier: MIT
/*
 * The input of a dump. Its first bytes show the format. A compressed VCD is unpacked by gzip, which
 * is a child process at the other end of a pipe. An FST is read in place, by fst.c.
 *
 * Both must be read again from the beginning. So an input that cannot seek must be VCD text.
 */
#define _GNU_SOURCE
#include "producer/wave/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Size of the pipe from a converter: a large pipe means fewer switches between the two
 * processes. */
#define PIPE_BYTES (1 << 20)

extern char **environ;

/*
 * An FST begins with its header, a block of type 0 whose length is 329 in 8 bytes, or with a block
 * of type 254, the compressed file.
 */
static const unsigned char fst_magic[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0x49 };
static const unsigned char wrapped_magic[] = { 254, 0, 0 };
static const unsigned char gzip_magic[] = { 0x1f, 0x8b };

int pmk_wave_fail(struct pmk_wave_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	*err = (struct pmk_wave_error){ .code = code };
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int pmk_wave_no_memory(struct pmk_wave_error *err, const char *path)
{
	return pmk_wave_fail(err, PMK_ENOMEM, "%s: %s", path, pmk_strerror(PMK_ENOMEM));
}

static int read_head(struct wave_source *s)
{
	while (s->head_size < sizeof(s->head)) {
		ssize_t n = read(s->fd, s->head + s->head_size, sizeof(s->head) - s->head_size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		s->head_size += (size_t)n;
	}
	s->nhead = s->head_size;
	return 0;
}

#define BEGINS(s, magic) begins_with(s, magic, sizeof(magic))

static bool begins_with(const struct wave_source *s, const unsigned char *magic, size_t n)
{
	return s->head_size >= n && memcmp(s->head, magic, n) == 0;
}

/*
 * Starts gzip with the file as its standard input and `out` as its output. Returns 0 or an errno.
 */
static int spawn_converter(struct wave_source *s, int out)
{
	const char *argv[] = { s->tool, "-dc", NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int err;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&files, s->file, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	/* The converter must end when its pipe is closed, even if our caller ignores SIGPIPE. */
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	err = posix_spawnp(&s->child, s->tool, &files, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	if (err)
		s->child = 0;
	return err;
}

static int start_converter(struct wave_source *s, const char *path, struct pmk_wave_error *err)
{
	int ends[2], why;

	if (lseek(s->fd, 0, SEEK_SET) != 0)
		return pmk_wave_fail(err, PMK_EIO,
				     "%s: a compressed dump cannot be read from a pipe; give a "
				     "file, or unpack it with 'gzip -dc'",
				     path);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return pmk_wave_fail(err, PMK_EIO, "%s: no pipe: %s", path, strerror(errno));
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	s->file = s->fd;
	s->fd = ends[0];
	s->nhead = 0;
	s->format = "VCD, gzip";
	s->tool = "gzip";
	why = spawn_converter(s, ends[1]);
	close(ends[1]);
	if (why == ENOENT)
		return pmk_wave_fail(
			err, PMK_EIO,
			"%s: %s dumps are read through %s, which is not installed (Debian: "
			"apt-get install gzip)",
			path, s->format, s->tool);
	if (why)
		return pmk_wave_fail(err, PMK_EIO, "%s: cannot run %s: %s", path, s->tool,
				     strerror(why));
	return 0;
}

static int take_fst(struct wave_source *s, const char *path, struct pmk_wave_error *err)
{
	if (!s->size || lseek(s->fd, 0, SEEK_SET) != 0)
		return pmk_wave_fail(err, PMK_EIO,
				     "%s: an FST dump cannot be read from a pipe; give a file",
				     path);
	s->format = "FST";
	s->fst = true;
	return 0;
}

int pmk_wave_source_open(struct wave_source *s, const char *path, struct pmk_wave_error *err)
{
	bool standard = strcmp(path, "-") == 0;
	struct stat st;

	*s = (struct wave_source){ .fd = -1, .file = -1, .format = "VCD" };
	s->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			 : open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		return pmk_wave_fail(err, PMK_EIO, "%s: %s", path, strerror(errno));
	if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode))
		s->size = (uint64_t)st.st_size;
	if (read_head(s) != 0)
		return pmk_wave_fail(err, PMK_EIO, "%s: %s", path, strerror(errno));
	if (s->head_size == 0)
		return pmk_wave_fail(err, PMK_EPARSE, "%s: the dump is empty (0 bytes)", path);
	if (BEGINS(s, fst_magic) || BEGINS(s, wrapped_magic))
		return take_fst(s, path, err);
	return BEGINS(s, gzip_magic) ? start_converter(s, path, err) : 0;
}

ssize_t pmk_wave_source_read(struct wave_source *s, char *buf, size_t n, int ms)
{
	struct pollfd wait = { .fd = s->fd, .events = POLLIN };
	ssize_t got;

	if (s->nhead) {
		size_t take = n < s->nhead ? n : s->nhead;

		memcpy(buf, s->head + s->head_size - s->nhead, take);
		s->nhead -= take;
		s->taken += take;
		return (ssize_t)take;
	}
	got = poll(&wait, 1, ms);
	if (got == 0)
		errno = EAGAIN;
	if (got <= 0)
		return -1;
	got = read(s->fd, buf, n);
	if (got > 0)
		s->taken += (uint64_t)got;
	return got;
}

uint64_t pmk_wave_source_position(const struct wave_source *s)
{
	/* A converter shares our file offset, because it reads a duplicate of our descriptor. */
	off_t at = s->file >= 0 && s->size ? lseek(s->file, 0, SEEK_CUR) : -1;

	return at >= 0 ? (uint64_t)at : s->taken;
}

int pmk_wave_source_status(struct wave_source *s)
{
	int status = 0;

	if (!s->child)
		return 0;
	while (waitpid(s->child, &status, 0) < 0 && errno == EINTR)
		;
	s->child = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void pmk_wave_source_close(struct wave_source *s)
{
	/* Close the pipe first: a converter that is still writing then ends with SIGPIPE. */
	if (s->fd >= 0)
		close(s->fd);
	pmk_wave_source_status(s);
	if (s->file >= 0)
		close(s->file);
	s->fd = s->file = -1;
}
