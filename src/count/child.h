/* SPDX-License-Identifier: MIT */
/* Starts a program that waits before its first instruction, so that counters can be attached to
 * it. */
#ifndef PMK_COUNT_CHILD_H
#define PMK_COUNT_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "count/error.h"

struct pmk_child {
	pid_t pid;	  /* 0: none */
	const char *path; /* path of the program; not copied */
	int go, failed;
};

/* Fork a child, which waits. `streams` are its standard streams; for -1, the child inherits the
 * stream of this process. The child has the signal mask of the calling thread and none of its
 * handlers. The child ignores the signals that this process ignores, and the signals in `ignored`.
 * Returns 0 or a failure. */
int pmk_child_prepare(struct pmk_child *c, const char *path, char *const *argv,
		      const int streams[3], const sigset_t *ignored, struct pmk_count_fault *f);
/* Let the child execute the program. Returns 0, or a failure if the program cannot be executed. */
int pmk_child_start(struct pmk_child *c, struct pmk_count_fault *f);
/* End the child without executing the program. */
void pmk_child_abandon(struct pmk_child *c);

#endif
