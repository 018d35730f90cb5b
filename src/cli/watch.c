// SPDX-License-Identifier: MIT
/*
 * See watch.h. Everything is one poll(): signals by signalfd, processes by pidfd. Where there is no pidfd
 * (Linux before 5.3) or there are too many, processes are looked for several times a second.
 */
#define _GNU_SOURCE
#include "cli/watch.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define POLL_SECONDS 0.05

double watch_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int watch_open(struct watch *w)
{
	sigset_t set;

	*w = (struct watch){ .nfds = 1 };
	signal(SIGCHLD, SIG_DFL); /* ignored, it would take the exit code of the program with it */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &w->before);
	w->fd[0] = (struct pollfd){ .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
				    .events = POLLIN };
	return w->fd[0].fd < 0 ? cli_fail(PMK_EXIT_FAILED, "signalfd: %s", strerror(errno)) : 0;
}

int watch_process(struct watch *w, int pid)
{
	int fd = -1;

#ifdef SYS_pidfd_open
	if (w->nfds < 1 + WATCH_FDS)
		fd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
	if (fd < 0 && w->npolled == WATCH_FDS)
		return cli_fail(PMK_EXIT_USAGE, "too many processes to attach to");
	if (fd >= 0)
		w->fd[w->nfds++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	else
		w->polled[w->npolled++] = pid;
	w->nprocesses++;
	w->left++;
	return 0;
}

static void look_for_polled(struct watch *w)
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

static void take_signals(struct watch *w)
{
	struct signalfd_siginfo info;

	while (read(w->fd[0].fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD && !w->signal) {
			w->signal = (int)info.ssi_signo;
			w->signalled_at = watch_now();
		}
}

static void take_ended(struct watch *w)
{
	for (unsigned i = 1; i < w->nfds; i++) {
		if (!w->fd[i].revents)
			continue;
		close(w->fd[i].fd);
		w->fd[i].fd = -1; /* poll passes over it */
		w->fd[i].revents = 0;
		w->left--;
	}
}

/* Whoever pressed Ctrl-C has told the program as well: same terminal. */
static void urge(struct watch *w)
{
	double waited = (watch_now() - w->signalled_at) * 1000;

	if (w->sent < 1 && waited > WATCH_GRACE_MS) {
		w->sent = 1;
		kill(w->child.pid, w->signal);
	}
	if (w->sent < 2 && waited > WATCH_GRACE_MS + WATCH_KILL_MS) {
		w->sent = 2;
		kill(w->child.pid, SIGKILL);
	}
}

static bool over(struct watch *w)
{
	if (w->child.pid)
		return waitpid(w->child.pid, &w->status, WNOHANG) == w->child.pid;
	return w->signal || (w->nprocesses && !w->left);
}

/* Milliseconds for poll(); -1: for ever. */
static int patience(const struct watch *w, double until)
{
	double left = until - watch_now();

	if ((w->signal || w->npolled) && left > POLL_SECONDS)
		left = POLL_SECONDS;
	if (left > 3600)
		return -1;
	return left > 0 ? (int)(left * 1000) + 1 : 0;
}

bool watch_step(struct watch *w, double until)
{
	int n;

	look_for_polled(w);
	if (!over(w)) {
		n = poll(w->fd, w->nfds, patience(w, until));
		if (n > 0)
			take_ended(w);
		take_signals(w);
		if (w->signal && w->child.pid)
			urge(w);
		if (!over(w))
			return false;
	}
	take_signals(w); /* one may have ended the program, too */
	return true;
}

void watch_reset(struct watch *w)
{
	for (unsigned i = 1; i < w->nfds; i++)
		if (w->fd[i].fd >= 0)
			close(w->fd[i].fd);
	w->nfds = 1;
	w->npolled = w->nprocesses = w->left = 0;
	w->child.pid = 0;
}

void watch_close(struct watch *w)
{
	watch_reset(w);
	if (w->fd[0].fd >= 0)
		close(w->fd[0].fd);
}
