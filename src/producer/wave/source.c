// SPDX-License-Identifier: MIT
/*
 * The input of a dump. Its first bytes show the format. zlib unpacks a compressed VCD. fst.c reads
 * an FST in place.
 *
 * zlib and fst.c read the file again from its beginning, so an input that cannot seek must be VCD
 * text.
 */
#define _GNU_SOURCE
#include "producer/wave/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define UNPACK_BYTES (1 << 18) /* bytes that are read from a compressed file at a time */

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

static int start_unpacking(struct wave_source *s, const char *path, struct pmk_wave_error *err)
{
	if (lseek(s->fd, 0, SEEK_SET) != 0)
		return pmk_wave_fail(err, PMK_EIO,
				     "%s: a compressed dump cannot be read from a pipe; give a "
				     "file, or unpack it with 'gzip -dc'",
				     path);
	s->unpacked = gzdopen(s->fd, "rb");
	if (!s->unpacked)
		return pmk_wave_no_memory(err, path);
	s->fd = -1;
	s->nhead = 0;
	s->format = "VCD, gzip";
	gzbuffer(s->unpacked, UNPACK_BYTES);
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

	*s = (struct wave_source){ .fd = -1, .format = "VCD" };
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
	return BEGINS(s, gzip_magic) ? start_unpacking(s, path, err) : 0;
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
	if (s->unpacked) {
		errno = 0; /* damage does not set it */
		got = gzread(s->unpacked, buf, (unsigned)n);
		s->taken = (uint64_t)gzoffset(s->unpacked);
		return got;
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

bool pmk_wave_source_is_damaged(const struct wave_source *s)
{
	int error = Z_OK;

	if (s->unpacked)
		gzerror(s->unpacked, &error);
	return error == Z_DATA_ERROR || error == Z_BUF_ERROR;
}

void pmk_wave_source_close(struct wave_source *s)
{
	if (s->unpacked)
		gzclose(s->unpacked);
	if (s->fd >= 0)
		close(s->fd);
	s->unpacked = NULL;
	s->fd = -1;
}
