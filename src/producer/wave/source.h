/* SPDX-License-Identifier: MIT */
/* The bytes of a dump: the text of a VCD, compressed or not, or the file of an FST. */
#ifndef PMK_PRODUCER_WAVE_SOURCE_H
#define PMK_PRODUCER_WAVE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/wave.h>

/* Bytes that are needed to recognise the format. */
#define WAVE_HEAD 16

struct wave_source {
	int fd;			   /* the text is read from this descriptor */
	struct gzFile_s *unpacked; /* read from this if the dump is compressed; else NULL */
	const char *format;	   /* "VCD", "FST", "VCD, gzip" */
	bool fst;		   /* the dump is an FST; no text is read from `fd` */
	uint64_t size;		   /* size of the file; 0: not known */
	uint64_t taken;		   /* bytes of the file that were read so far */
	unsigned char head[WAVE_HEAD];
	size_t nhead; /* bytes at the end of `head` that were not returned yet */
	size_t head_size;
};

/* Fills *err and returns PMK_ENOMEM. */
int pmk_wave_no_memory(struct pmk_wave_error *err, const char *path);
/* Fills *err and returns `code`, for use as `return pmk_wave_fail(…)`. */
int pmk_wave_fail(struct pmk_wave_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Opens a dump; "-" is standard input. Returns 0, or PMK_EIO or PMK_EPARSE with a text. */
int pmk_wave_source_open(struct wave_source *s, const char *path, struct pmk_wave_error *err);
/*
 * Reads up to `n` bytes. Returns 0 at the end, or -1 with errno: EAGAIN if no byte came within `ms`
 * milliseconds, or EINTR after a signal.
 */
ssize_t pmk_wave_source_read(struct wave_source *s, char *buf, size_t n, int ms);
/* True if the last read failed, or was the last one, because a compressed dump is damaged. */
bool pmk_wave_source_is_damaged(const struct wave_source *s);
void pmk_wave_source_close(struct wave_source *s);

#endif
