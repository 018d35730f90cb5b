// SPDX-License-Identifier: MIT
/*
 * Starts a program in two steps: see child.h. Parent and child have two pipes: one byte through
 * `go` lets the child execute; errno comes back through `failed`, which a successful exec closes
 * instead.
 *
 * Other threads may fork at the same time, and their children have copies of these pipes until they
 * execute. So nothing here waits for end-of-file on a pipe: the child of another thread that has
 * not executed yet could hold the pipe open for ever.
 */
#define _GNU_SOURCE
#include "count/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handlers.h"
#include "count/streams.h"

static _Noreturn void run_child(int go, int failed, const char *path, char *const *argv,
				const sigset_t *mask, const sigset_t *ignored)
{
	char byte;
	int error;

	pmk_handlers_forget(ignored);
	/* End of file: the counting process has ended, or has abandoned this child. */
	if (read(go, &byte, 1) == 1) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execv(path, argv);
		error = errno;
		if (write(failed, &error, sizeof(error)) < 0)
			_exit(PMK_COUNT_FAILED);
	}
	_exit(PMK_COUNT_NOT_EXEC);
}

int pmk_child_prepare(struct pmk_child *c, const char *path, char *const *argv,
		      const int streams[3], const sigset_t *ignored, struct pmk_count_fault *f)
{
	sigset_t all, before;
	int go[2], failed[2], error;

	*c = (struct pmk_child){ .path = path };
	if (pipe2(go, O_CLOEXEC))
		return pmk_count_fail(f, PMK_COUNT_FAILED, "cannot make a pipe: %s",
				      strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		error = errno;
		close(go[0]);
		close(go[1]);
		return pmk_count_fail(f, PMK_COUNT_FAILED, "cannot make a pipe: %s",
				      strerror(error));
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	c->pid = fork();
	error = errno;
	if (c->pid == 0) {
		close(go[1]);
		pmk_streams_apply(streams);
		run_child(go[0], failed[1], path, argv, &before, ignored);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	if (c->pid > 0)
		return 0;
	pmk_child_abandon(c);
	return pmk_count_fail(f, PMK_COUNT_FAILED, "cannot start a process: %s", strerror(error));
}

static void reap_child(struct pmk_child *c)
{
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

int pmk_child_start(struct pmk_child *c, struct pmk_count_fault *f)
{
	int error = 0;
	ssize_t n;

	if (write(c->go, "", 1) != 1)
		error = errno;
	close(c->go);
	do
		n = read(c->failed, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	close(c->failed);
	if (!error)
		return 0;
	reap_child(c);
	/* The program was found just before, so the missing file is the interpreter that its first
	 * line or its header names. */
	if (error == ENOENT)
		return pmk_count_fail(f, PMK_COUNT_NOT_EXEC, "%s: its interpreter does not exist",
				      c->path);
	if (error == ENOEXEC)
		return pmk_count_fail(
			f, PMK_COUNT_NOT_EXEC,
			"%s: neither an executable for this machine nor a script with a #! line; "
			"to run an executable for another machine, use `target` emu and no options "
			"of `target` linux",
			c->path);
	return pmk_count_fail(f, PMK_COUNT_NOT_EXEC, "%s: %s", c->path, strerror(error));
}

void pmk_child_abandon(struct pmk_child *c)
{
	close(c->go);
	close(c->failed);
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		reap_child(c);
	}
	c->pid = 0;
}
