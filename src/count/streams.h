/* SPDX-License-Identifier: MIT */
/* The input and output of the counted program: the settings stdin, stdout and stderr. */
#ifndef PMK_COUNT_STREAMS_H
#define PMK_COUNT_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "count/error.h"

struct pmk_streams {
	/* The open files, indexed by the program's descriptor number; -1: the stream of this
	 * process. All descriptors in this list are above 2. */
	int fd[3];
	char *captured[3]; /* the captured output, followed by a 0; NULL: not captured */
	size_t size[3];
};

/* True if `value` is valid for stream 0, 1 or 2. */
bool pmk_stream_is_valid(unsigned stream, const char *value);
/* Open the files that the values name; a value of NULL leaves the stream unchanged. Returns 0 or a
 * failure. */
int pmk_streams_open(struct pmk_streams *s, char *const value[3], struct pmk_count_fault *f);
/* Apply the streams in the child, before it executes the program. */
void pmk_streams_apply(const int fd[3]);
/* Read the captured output after the program's end. Returns 0 or a failure. */
int pmk_streams_read(struct pmk_streams *s, char *const value[3], struct pmk_count_fault *f);
void pmk_streams_close(struct pmk_streams *s);

#endif
