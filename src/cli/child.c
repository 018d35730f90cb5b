// SPDX-License-Identifier: MIT
/*
 * Starting a program in two steps. See child.h. Two pipes: one byte through `go` lets the child
 * execute; errno comes back through `failed`, which a successful exec closes instead.
 */
#define _GNU_SOURCE
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

static void run_child(int go, int failed, const char *path, char *const *argv, const sigset_t *mask)
{
	char byte;
	int error;

	/* End of file: pmk went away before it let us run. */
	if (read(go, &byte, 1) == 1) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execv(path, argv);
		error = errno;
		if (write(failed, &error, sizeof(error)) < 0)
			_exit(PMK_EXIT_FAILED);
	}
	_exit(PMK_EXIT_NOT_EXEC);
}

int child_prepare(struct child *c, const char *path, char *const *argv, const sigset_t *mask)
{
	int go[2], failed[2], error;

	*c = (struct child){ .path = path };
	if (pipe2(go, O_CLOEXEC))
		return cli_fail(PMK_EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return cli_fail(PMK_EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		run_child(go[0], failed[1], path, argv, mask);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	if (c->pid > 0)
		return 0;
	error = errno;
	child_abandon(c);
	return cli_fail(PMK_EXIT_FAILED, "cannot start a process: %s", strerror(error));
}

int child_start(struct child *c)
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
	waitpid(c->pid, NULL, 0);
	c->pid = 0;
	/* It was there a moment ago: what is missing is what it names on its first line or in its header. */
	if (error == ENOENT)
		return cli_fail(PMK_EXIT_NOT_EXEC, "%s: its interpreter does not exist", c->path);
	if (error == ENOEXEC)
		return cli_fail(PMK_EXIT_NOT_EXEC,
				"%s: neither an executable for this machine nor a script with a #! "
				"line (foreign executables: -T emu)",
				c->path);
	return cli_fail(PMK_EXIT_NOT_EXEC, "%s: %s", c->path, strerror(error));
}

void child_abandon(struct child *c)
{
	close(c->go);
	close(c->failed);
	if (c->pid > 0)
		waitpid(c->pid, NULL, 0);
	c->pid = 0;
}
