/* SPDX-License-Identifier: MIT */
/*
 * Waits for the end of a run: the end of the program, the end of the attached processes, or a
 * request to stop. One struct can watch several runs, one after another.
 */
#ifndef PMK_COUNT_WATCH_H
#define PMK_COUNT_WATCH_H

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "count/child.h"

#define PMK_WATCH_FDS \
	64 /* number of processes with a descriptor; others are checked every POLL_SECONDS */

/* A request to end the run. */
struct pmk_stop {
	atomic_int signal; /* the signal that arrived; 0: no request */
	int fd;		   /* becomes readable when the request arrives */
};

struct pmk_watch {
	const struct pmk_stop *stop;
	struct pmk_child child; /* the program; pid 0: none */
	int status;		/* the program's wait status, once it has ended */
	struct rusage usage;	/* the resources that it used, once it has ended */
	int signal;		/* the signal of `stop`, once it was noticed */
	/* private */
	/* Descriptors in this order: the request, the program, that of pmk_watch_also(), the
	 * processes. */
	struct pollfd fd[3 + PMK_WATCH_FDS];
	int polled[PMK_WATCH_FDS]; /* processes without a descriptor */
	unsigned nfds, npolled, nprocesses, left;
	int ending; /* the signal that ends the program; 0: it may continue */
	double ending_since;
	int sent; /* see pmk_urge_program() */
};

/*
 * Called again and again for a program that still runs although its run should have ended at the
 * time `since`. It first gets time to end by itself, because a Ctrl-C reaches all programs on the
 * terminal. Then it gets `signal`, or SIGTERM in place of signals other than SIGINT and SIGHUP, and
 * later SIGKILL. *sent is 0 at first.
 */
void pmk_urge_program(pid_t pid, int signal, double since, int *sent);
/* Returns a value of `since` for a program that has not received the signal: it gets no time to end
 * by itself. */
double pmk_urge_at_once(void);

void pmk_watch_open(struct pmk_watch *w, const struct pmk_stop *stop);
/* Watch w->child, which has been started. */
void pmk_watch_child(struct pmk_watch *w);
/* Also wait for the end of this process. Returns 0 or a failure. */
int pmk_watch_process(struct pmk_watch *w, int pid, struct pmk_count_fault *f);
/* Let a step also end when this descriptor becomes readable. The caller still owns it. */
void pmk_watch_also(struct pmk_watch *w, int fd);
/*
 * Wait until something happens, or until the time `until` on the clock of pmk_seconds(); HUGE_VAL:
 * no time limit. Returns true if the run is over. After a request to stop, a program that does not
 * end by itself gets the signal, and later SIGKILL.
 */
bool pmk_watch_step(struct pmk_watch *w, double until);
/* End the run now: the program gets SIGTERM, and SIGKILL if that does not end it. */
void pmk_watch_end(struct pmk_watch *w);
/* Forget the program and the processes, for the next run. */
void pmk_watch_reset(struct pmk_watch *w);

#endif
