/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the end of a run: the program's, that of processes that were attached to, or
 * somebody's wish that it ends. One run after the other can be watched.
 */
#ifndef PMK_COUNT_WATCH_H
#define PMK_COUNT_WATCH_H

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "count/child.h"

#define PMK_WATCH_GRACE_MS 300	/* for the program to end by itself after Ctrl-C */
#define PMK_WATCH_KILL_MS  2000 /* and after being asked to */

#define PMK_WATCH_FDS \
	64 /* so many processes have a descriptor; others are asked every POLL_SECONDS */

/* The wish that a run ends. */
struct pmk_stop {
	atomic_int signal; /* what the program is to be sent; 0: nobody wishes it */
	int fd;		   /* readable from then on */
};

struct pmk_watch {
	const struct pmk_stop *stop;
	struct pmk_child child; /* the program; pid 0: none */
	int status;		/* its wait status, once it has ended */
	int signal;		/* of `stop`, as soon as it was seen */
	/* inside */
	struct pollfd fd[2 + PMK_WATCH_FDS]; /* the wish, the program, then processes */
	int polled[PMK_WATCH_FDS];	     /* processes without a descriptor */
	unsigned nfds, npolled, nprocesses, left;
	double signalled_at;
	int sent; /* how far the program was urged: 1 asked, 2 killed */
};

/* Seconds on the clock that all times here are of. */
double pmk_watch_now(void);

void pmk_watch_open(struct pmk_watch *w, const struct pmk_stop *stop);
/* The program of w->child has been started. */
void pmk_watch_child(struct pmk_watch *w);
/* Wait for the end of this process as well. 0 or a failure. */
int pmk_watch_process(struct pmk_watch *w, int pid, struct pmk_count_fault *f);
/*
 * Wait until something happens or until that time; HUGE_VAL: for ever. True: the run is over. A
 * program is told of the wish when it has not ended by itself a moment later, and then killed.
 */
bool pmk_watch_step(struct pmk_watch *w, double until);
/* Forget program and processes. */
void pmk_watch_reset(struct pmk_watch *w);

#endif
