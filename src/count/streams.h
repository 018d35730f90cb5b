/* SPDX-License-Identifier: MIT */
/* Where the input and output of the counted program go: the settings stdin, stdout and stderr. */
#ifndef PMK_COUNT_STREAMS_H
#define PMK_COUNT_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "count/error.h"

struct pmk_streams {
	/* By the number that the program sees; -1: that of this process. All are above 2. */
	int fd[3];
	char *captured
		[3]; /* what the program has written, with a 0 behind it; NULL: not captured */
	size_t size[3];
};

/* True if `value` says where the stream 0, 1 or 2 goes. */
bool pmk_stream_is_sound(unsigned stream, const char *value);
/* Open what the values say; NULL: as it is. 0 or a failure. */
int pmk_streams_open(struct pmk_streams *s, char *const value[3], struct pmk_count_fault *f);
/* In the child, which has not executed the program yet. */
void pmk_streams_apply(const int fd[3]);
/* The program has ended: read what is captured. 0 or a failure. */
int pmk_streams_read(struct pmk_streams *s, char *const value[3], struct pmk_count_fault *f);
void pmk_streams_close(struct pmk_streams *s);

#endif
