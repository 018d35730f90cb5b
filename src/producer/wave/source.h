/* SPDX-License-Identifier: MIT */
/* The bytes of a dump as VCD text, whatever is in the file. */
#ifndef PMK_PRODUCER_WAVE_SOURCE_H
#define PMK_PRODUCER_WAVE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmk/wave.h>

/* Enough to tell what it is. */
#define WAVE_HEAD 16

struct wave_source {
	int fd;		    /* where the text comes from */
	int file;	    /* the dump itself, behind a converter; else -1 */
	pid_t child;	    /* the converter, 0: none */
	const char *tool;   /* its name */
	const char *format; /* "VCD", "FST", "VCD, gzip" */
	uint64_t size;	    /* of the file, 0: not known */
	uint64_t taken;	    /* bytes handed out */
	unsigned char head[WAVE_HEAD];
	size_t nhead; /* bytes of `head` that have not been handed out, from its end on */
	size_t head_size;
};

/* Fill *err and return `code`, for `return pmk_wave_fail(…)`. */
int pmk_wave_fail(struct pmk_wave_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "-" is standard input. 0, PMK_EIO or PMK_EPARSE with a text. */
int pmk_wave_source_open(struct wave_source *s, const char *path, struct pmk_wave_error *err);
/* Up to `n` bytes; 0 at the end; -1 with errno: EAGAIN if there are none within `ms`, EINTR. */
ssize_t pmk_wave_source_read(struct wave_source *s, char *buf, size_t n, int ms);
/* How many bytes of the file have been read. */
uint64_t pmk_wave_source_position(const struct wave_source *s);
/* How the converter ended, which is over: 0 or its exit status; 128 + N after a signal. */
int pmk_wave_source_status(struct wave_source *s);
/* Also ends a converter that is still running. */
void pmk_wave_source_close(struct wave_source *s);

#endif
