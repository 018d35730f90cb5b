/* SPDX-License-Identifier: MIT */
/*
 * The standard input of a program that is run several times: each run reads the same bytes.
 *
 * For a file, pmk restores the position before each run. The bytes of a pipe or a socket are kept:
 * each run gets its own pipe, which repeats them and then continues with new input. pmk reads no
 * input before the program could, and never waits for the end of the input. A terminal or another
 * device is passed on unchanged.
 */
#ifndef PMK_COUNT_INPUT_H
#define PMK_COUNT_INPUT_H

#include <sys/types.h>

#include "count/error.h"

struct pmk_input {
	enum { PMK_INPUT_INHERITED, PMK_INPUT_FILE, PMK_INPUT_KEPT } kind;
	int from;    /* descriptor of the input */
	off_t start; /* for a file: the position at which the first run began to read */
	int kept;    /* an in-memory file with all input that was read so far */
	/* In memory shared with the feeder: whether the input has ended, and the errno if it could
	 * not be kept. */
	struct pmk_input_state *state;
	pid_t feeder; /* 0: there is none */
	int fd;	      /* the input for the program of this run; -1: inherited */
};

/* Prepare for several runs that read `fd`; -1 means the standard input of this process. Without
 * this call, if all members are zero except fd = -1, each run inherits the input. */
int pmk_input_open(struct pmk_input *in, int fd, struct pmk_count_fault *f);
/*
 * Call begin() before and end() after each run; after a run that failed, call end() with `f` NULL.
 * Both return 0 or a failure.
 */
int pmk_input_begin(struct pmk_input *in, struct pmk_count_fault *f);
int pmk_input_end(struct pmk_input *in, struct pmk_count_fault *f);
void pmk_input_close(struct pmk_input *in);

#endif
