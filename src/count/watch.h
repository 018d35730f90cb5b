/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the end of a run: the end of the program, the end of the processes that were attached
 * to, or a request to stop. One struct can watch several runs, one after another.
 */
#ifndef PMK_COUNT_WATCH_H
#define PMK_COUNT_WATCH_H

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "count/child.h"

#define PMK_WATCH_GRACE_MS 300	/* for the program to end by itself after Ctrl-C */
#define PMK_WATCH_KILL_MS  2000 /* and after being asked to */

#define PMK_WATCH_FDS \
	64 /* so many processes have a descriptor; others are asked every POLL_SECONDS */

/* A request to end the run. */
struct pmk_stop {
	atomic_int signal; /* the one that came; 0: no request */
	int fd;		   /* becomes readable with the request */
};

struct pmk_watch {
	const struct pmk_stop *stop;
	struct pmk_child child; /* the program; pid 0: none */
	int status;		/* its wait status, once it has ended */
	struct rusage usage;	/* what it took, once it has ended */
	int signal;		/* of `stop`, as soon as it was seen */
	/* private */
	struct pollfd fd[3 + PMK_WATCH_FDS]; /* request, program, what else; processes */
	int polled[PMK_WATCH_FDS];	     /* processes without a descriptor */
	unsigned nfds, npolled, nprocesses, left;
	int ending; /* the signal that the program gets so that it ends; 0: it may go on */
	double ending_since;
	int sent; /* to the program so far: 1 the signal, 2 SIGKILL */
};

/* What to send to a program that is to end because this signal came. Others mean something else to
 * programs, or nothing, or make them dump core. */
static inline int pmk_stop_request(int signal)
{
	return signal == SIGINT || signal == SIGHUP ? signal : SIGTERM;
}

void pmk_watch_open(struct pmk_watch *w, const struct pmk_stop *stop);
/* The program of w->child has been started. */
void pmk_watch_child(struct pmk_watch *w);
/* Wait for the end of this process as well. 0 or a failure. */
int pmk_watch_process(struct pmk_watch *w, int pid, struct pmk_count_fault *f);
/* Let a step end when this descriptor becomes readable, too. It stays the caller's. */
void pmk_watch_also(struct pmk_watch *w, int fd);
/*
 * Wait until something happens or until that time, on the clock of pmk_seconds(); HUGE_VAL: no time
 * limit. True: the run is over. After a request to stop, a program that does not end by itself gets
 * the signal, and later SIGKILL.
 */
bool pmk_watch_step(struct pmk_watch *w, double until);
/* End the run now: the program gets SIGTERM, and SIGKILL if that does not end it. */
void pmk_watch_end(struct pmk_watch *w);
/* Forget program and processes. */
void pmk_watch_reset(struct pmk_watch *w);

#endif
