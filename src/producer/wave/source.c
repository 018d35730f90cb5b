// SPDX-License-Identifier: MIT
/*
 * Where a dump comes from. The first bytes tell what it is: FST goes through GTKWave's fst2vcd and
 * gzip through gzip, as child processes at the other end of a pipe, so that VCD text is read in any
 * case.
 *
 * The converters have to read from the beginning. So an input that cannot seek must be VCD text.
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

/* A format that needs a converter. With `named`, `argv` ends with the file's name; otherwise the
 * file is the converter's standard input. */
struct converter {
	const char *format, *tool, *package;
	unsigned char magic[9];
	size_t nmagic;
	bool named;
	const char *argv[3];
};

static const struct converter converters[] = {
	/* The header block of an FST: type 0, length 329 in 8 bytes. */
	{ .format = "FST",
	  .tool = "fst2vcd",
	  .package = "gtkwave",
	  .magic = { 0, 0, 0, 0, 0, 0, 0, 1, 0x49 },
	  .nmagic = 9,
	  .named = true,
	  .argv = { "fst2vcd", "-f" } },
	/* The same, with the whole file compressed: type 254. */
	{ .format = "FST",
	  .tool = "fst2vcd",
	  .package = "gtkwave",
	  .magic = { 254, 0, 0 },
	  .nmagic = 3,
	  .named = true,
	  .argv = { "fst2vcd", "-f" } },
	{ .format = "VCD, gzip",
	  .tool = "gzip",
	  .package = "gzip",
	  .magic = { 0x1f, 0x8b },
	  .nmagic = 2,
	  .argv = { "gzip", "-dc" } },
};

#define NCONVERTERS (sizeof(converters) / sizeof(converters[0]))

int pmk_wave_fail(struct pmk_wave_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	*err = (struct pmk_wave_error){ .code = code };
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
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

static const struct converter *wanted(const struct wave_source *s)
{
	for (size_t i = 0; i < NCONVERTERS; i++)
		if (s->head_size >= converters[i].nmagic &&
		    memcmp(s->head, converters[i].magic, converters[i].nmagic) == 0)
			return &converters[i];
	return NULL;
}

/* Start the converter with the file as its standard input and `out` as its output. Returns 0 or
 * an errno. */
static int spawn(struct wave_source *s, const struct converter *c, const char *path, int out)
{
	const char *argv[4] = { c->argv[0], c->argv[1], c->named ? path : NULL, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int err;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&files, s->file, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	/* The converter has to end when nobody reads any more, whatever our caller does with
	 * SIGPIPE. */
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	err = posix_spawnp(&s->child, c->tool, &files, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	if (err)
		s->child = 0;
	return err;
}

static int convert(struct wave_source *s, const struct converter *c, const char *path,
		   struct pmk_wave_error *err)
{
	int ends[2], why;

	if (lseek(s->fd, 0, SEEK_SET) != 0)
		return pmk_wave_fail(err, PMK_EIO,
				     "%s: %s cannot be read from a pipe: name a file%s", path,
				     c->named ? "an FST dump" : "a compressed dump",
				     c->named ? "" : ", or let 'gzip -dc' write the pipe");
	if (pipe2(ends, O_CLOEXEC) != 0)
		return pmk_wave_fail(err, PMK_EIO, "%s: no pipe: %s", path, strerror(errno));
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	s->file = s->fd;
	s->fd = ends[0];
	s->nhead = 0;
	if (c->named) /* the converter opens the file anew, so nobody knows how far it has read */
		s->size = 0;
	s->format = c->format;
	s->tool = c->tool;
	why = spawn(s, c, strcmp(path, "-") == 0 ? "/dev/stdin" : path, ends[1]);
	close(ends[1]);
	if (why == ENOENT)
		return pmk_wave_fail(
			err, PMK_EIO,
			"%s: %s dumps are read through %s, which is not installed (Debian: "
			"apt-get install %s)",
			path, c->format, c->tool, c->package);
	if (why)
		return pmk_wave_fail(err, PMK_EIO, "%s: cannot run %s: %s", path, c->tool,
				     strerror(why));
	return 0;
}

int pmk_wave_source_open(struct wave_source *s, const char *path, struct pmk_wave_error *err)
{
	bool standard = strcmp(path, "-") == 0;
	const struct converter *c;
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
	c = wanted(s);
	return c ? convert(s, c, path, err) : 0;
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
	/* A converter that reads its standard input also moves the offset of our descriptor. */
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
	/* Close the pipe first: a converter that still writes is then ended by SIGPIPE. */
	if (s->fd >= 0)
		close(s->fd);
	pmk_wave_source_status(s);
	if (s->file >= 0)
		close(s->file);
	s->fd = s->file = -1;
}
