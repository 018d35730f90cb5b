// SPDX-License-Identifier: MIT
/*
 * Waits for the end of a run: see watch.h. One poll() waits for everything; processes have pidfds.
 * A process without a pidfd (Linux before 5.3 has no pidfds, and their number is limited) is
 * checked several times a second.
 */
#define _GNU_SOURCE
#include "count/watch.h"
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_SECONDS 0.05
#define GRACE_MS     300  /* time for the program to end by itself after Ctrl-C */
#define KILL_MS	     2000 /* time for it to end after the signal */

enum { STOP, PROGRAM, ALSO, PROCESSES };

static int open_process(int pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	return -1;
#endif
}

void pmk_watch_open(struct pmk_watch *w, const struct pmk_stop *stop)
{
	*w = (struct pmk_watch){ .stop = stop, .nfds = PROCESSES };
	w->fd[STOP] = (struct pollfd){ .fd = stop->fd, .events = POLLIN };
	w->fd[PROGRAM].fd = w->fd[ALSO].fd = -1; /* poll() ignores them */
}

void pmk_watch_child(struct pmk_watch *w)
{
	w->fd[PROGRAM] = (struct pollfd){ .fd = open_process(w->child.pid), .events = POLLIN };
}

int pmk_watch_process(struct pmk_watch *w, int pid, struct pmk_count_fault *f)
{
	int fd = w->nfds < PROCESSES + PMK_WATCH_FDS ? open_process(pid) : -1;

	if (fd < 0 && w->npolled == PMK_WATCH_FDS)
		return pmk_count_refuse(
			f, "`pid` names more processes than pmk can attach to; name fewer");
	if (fd >= 0)
		w->fd[w->nfds++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	else
		w->polled[w->npolled++] = pid;
	w->nprocesses++;
	w->left++;
	return 0;
}

void pmk_watch_also(struct pmk_watch *w, int fd)
{
	w->fd[ALSO] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

static void look_for_polled(struct pmk_watch *w)
{
	for (unsigned i = 0; i < w->npolled;) {
		if (!kill(w->polled[i], 0) || errno != ESRCH) {
			i++;
			continue;
		}
		w->polled[i] = w->polled[--w->npolled];
		w->left--;
	}
}

static void take_signal(struct pmk_watch *w)
{
	if (w->signal || !atomic_load(&w->stop->signal))
		return;
	w->signal = atomic_load(&w->stop->signal);
	if (!w->ending) {
		w->ending = w->signal;
		w->ending_since = pmk_seconds();
	}
	w->fd[STOP].fd = -1; /* poll() ignores it: the request stays readable */
}

static void take_ended(struct pmk_watch *w)
{
	for (unsigned i = PROCESSES; i < w->nfds; i++) {
		if (!w->fd[i].revents)
			continue;
		close(w->fd[i].fd);
		w->fd[i].fd = -1;
		w->fd[i].revents = 0;
		w->left--;
	}
}

/* Returns the signal to send to a program that should end because this signal arrived. SIGINT and
 * SIGHUP are passed on. Other signals become SIGTERM, because programs use them for something else
 * (SIGUSR1), or because they cause a core dump (SIGQUIT). */
static int stop_request(int signal)
{
	return signal == SIGINT || signal == SIGHUP ? signal : SIGTERM;
}

void pmk_urge_program(pid_t pid, int signal, double since, int *sent)
{
	double waited = (pmk_seconds() - since) * 1000;

	if (*sent < 1 && waited > GRACE_MS) {
		*sent = 1;
		kill(pid, stop_request(signal));
	}
	if (*sent < 2 && waited > GRACE_MS + KILL_MS) {
		*sent = 2;
		kill(pid, SIGKILL);
	}
}

double pmk_urge_at_once(void)
{
	return pmk_seconds() - GRACE_MS / 1000.0 - POLL_SECONDS;
}

static void urge_program(struct pmk_watch *w)
{
	if (w->child.pid)
		pmk_urge_program(w->child.pid, w->ending, w->ending_since, &w->sent);
}

static bool is_over(struct pmk_watch *w)
{
	if (w->child.pid)
		return wait4(w->child.pid, &w->status, WNOHANG, &w->usage) != 0;
	return w->ending || (w->nprocesses && !w->left);
}

/* Returns the timeout for poll() in milliseconds; -1: no timeout. */
static int poll_timeout(const struct pmk_watch *w, double until)
{
	bool unseen = w->npolled || (w->child.pid && w->fd[PROGRAM].fd < 0);
	double left = until - pmk_seconds();

	if ((w->ending || unseen) && left > POLL_SECONDS)
		left = POLL_SECONDS;
	if (left > 3600)
		return -1;
	return left > 0 ? (int)(left * 1000) + 1 : 0;
}

bool pmk_watch_step(struct pmk_watch *w, double until)
{
	int n;

	look_for_polled(w);
	if (!is_over(w)) {
		n = poll(w->fd, w->nfds, poll_timeout(w, until));
		if (n > 0)
			take_ended(w);
		take_signal(w);
		if (w->ending)
			urge_program(w);
		if (!is_over(w))
			return false;
	}
	take_signal(w); /* a signal may have ended the program, too */
	return true;
}

void pmk_watch_end(struct pmk_watch *w)
{
	if (w->ending)
		return;
	w->ending = SIGTERM;
	w->ending_since = pmk_urge_at_once();
	urge_program(w);
}

void pmk_watch_reset(struct pmk_watch *w)
{
	for (unsigned i = PROGRAM; i < w->nfds; i++) {
		if (w->fd[i].fd >= 0 && i != ALSO)
			close(w->fd[i].fd);
		w->fd[i].fd = -1;
	}
	w->nfds = PROCESSES;
	w->npolled = w->nprocesses = w->left = 0;
	w->child.pid = 0;
	w->ending = w->signal;
	w->sent = 0;
}
