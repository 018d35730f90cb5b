/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the end of a run: the program's, that of processes that pmk attached to, or a signal to
 * pmk. One run after the other can be watched.
 */
#ifndef PMK_CLI_WATCH_H
#define PMK_CLI_WATCH_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>

#include "cli/child.h"

#define WATCH_GRACE_MS 300  /* for the program to end by itself after Ctrl-C */
#define WATCH_KILL_MS  2000 /* and after being asked to */

#define WATCH_FDS 64 /* so many processes have a descriptor; others are asked every POLL_SECONDS */

struct watch {
	struct child child; /* the program; pid 0: none */
	int status;	    /* its wait status, once it has ended */
	int signal;	    /* what told pmk to stop, 0 = nothing */
	sigset_t before;    /* signals that were blocked before: what the program is to see */
	/* inside */
	struct pollfd fd[1 + WATCH_FDS]; /* signals, then processes */
	int polled[WATCH_FDS];		 /* processes without a descriptor */
	unsigned nfds, npolled, nprocesses, left;
	double signalled_at;
	int sent; /* how far the program was urged: 1 asked, 2 killed */
};

/* Seconds on the clock that all times here are of. */
double watch_now(void);

/* SIGINT, SIGTERM, SIGHUP and SIGCHLD come through a descriptor from now on, and stay blocked when all
 * is over: what was counted by then is still to be written. 0 or an exit code after one line. */
int watch_open(struct watch *w);
/* Wait for the end of this process as well. 0 or an exit code after one line. */
int watch_process(struct watch *w, int pid);
/*
 * Wait until something happens or until that time; HUGE_VAL: for ever. True: the run is over. A program
 * is told of a signal to pmk when it has not ended by itself a moment later, and then killed.
 */
bool watch_step(struct watch *w, double until);
/* Forget program and processes. */
void watch_reset(struct watch *w);
void watch_close(struct watch *w);

#endif
