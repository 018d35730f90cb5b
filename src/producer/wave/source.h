/* SPDX-License-Identifier: MIT */
/* The bytes of a dump: the text of a VCD, compressed or not, or the file of an FST. */
#ifndef PMK_PRODUCER_WAVE_SOURCE_H
#define PMK_PRODUCER_WAVE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/wave.h>

/* Bytes that are enough to recognise the format. */
#define WAVE_HEAD 16

struct wave_source {
	int fd;		    /* descriptor from which the text is read */
	int file;	    /* the dump itself, when a converter is used; else -1 */
	pid_t child;	    /* process of the converter, 0: none */
	const char *tool;   /* its name */
	const char *format; /* "VCD", "FST", "VCD, gzip" */
	bool fst;	    /* there is no text to be read from `fd`, but blocks of an FST */
	uint64_t size;	    /* of the file, 0: not known */
	uint64_t taken;	    /* bytes handed out */
	unsigned char head[WAVE_HEAD];
	size_t nhead; /* bytes of `head` that have not been handed out, from its end on */
	size_t head_size;
};

/* Fill *err and return `code`, for use as `return pmk_wave_fail(…)`. */
int pmk_wave_fail(struct pmk_wave_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "-" is standard input. Returns 0, or PMK_EIO or PMK_EPARSE with a text. */
int pmk_wave_source_open(struct wave_source *s, const char *path, struct pmk_wave_error *err);
/* Reads up to `n` bytes; returns 0 at the end; -1 with errno: EAGAIN when none came within `ms`,
 * EINTR. */
ssize_t pmk_wave_source_read(struct wave_source *s, char *buf, size_t n, int ms);
/* How many bytes of the file have been read. */
uint64_t pmk_wave_source_position(const struct wave_source *s);
/* How the converter has ended: 0 or its exit status; 128 + N after signal N. */
int pmk_wave_source_status(struct wave_source *s);
/* Also ends a converter that is still running. */
void pmk_wave_source_close(struct wave_source *s);

#endif
