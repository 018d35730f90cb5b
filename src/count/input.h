/* SPDX-License-Identifier: MIT */
/*
 * The standard input of a program that is run several times: each run reads the same bytes.
 *
 * A file is set back to where it was. Bytes from a pipe or a socket are kept. Each run gets
 * its own pipe, which repeats them and then continues with new input. pmk reads nothing before the
 * program could, and never waits for the end of the input. A terminal, or another device, is
 * left as it is.
 */
#ifndef PMK_COUNT_INPUT_H
#define PMK_COUNT_INPUT_H

#include <sys/types.h>

#include "count/error.h"

struct pmk_input {
	enum { PMK_INPUT_INHERITED, PMK_INPUT_FILE, PMK_INPUT_KEPT } kind;
	int from;    /* what is read */
	off_t start; /* of a file: where the first run began to read */
	int kept;    /* a file in memory: all that was read so far */
	/* in memory that the feeder shares: the input has ended; errno: it cannot be kept */
	struct pmk_input_state *state;
	pid_t feeder; /* 0: there is none */
	int fd;	      /* what the program of this run is to read, -1: as it is */
};

/* Prepare for several runs that read `fd`, or -1: the standard input of this process.
 * Without this, all zero but fd = -1, each run inherits the input. */
int pmk_input_open(struct pmk_input *in, int fd, struct pmk_count_fault *f);
/* Before and after each run. 0 or a failure; `f` is NULL after a run that has failed. */
int pmk_input_begin(struct pmk_input *in, struct pmk_count_fault *f);
int pmk_input_end(struct pmk_input *in, struct pmk_count_fault *f);
void pmk_input_close(struct pmk_input *in);

#endif
