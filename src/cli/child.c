// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#include "cli/child.h"
#include "cli/cli.h"

static _Noreturn void become_program(const char *const argv[], enum cli_errors errors,
				     unsigned seconds, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (null >= 0 && errors == CLI_ERRORS_DROPPED)
		dup2(null, STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	if (errors == CLI_ERRORS_IN_OUTPUT)
		dup2(out, STDERR_FILENO);
	if (seconds)
		alarm(seconds); /* stays set across exec */
	/* The cast drops a const that execvp() lacks; it does not change the words. */
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(errno == ENOENT || errno == ENOTDIR ? PMK_EXIT_NOT_FOUND : PMK_EXIT_NOT_EXEC);
}

static int exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cli_run(const char *const argv[], enum cli_errors errors, unsigned seconds, char *out,
	    size_t size)
{
	int fd[2] = { -1, -1 }, status;
	size_t used = 0;
	char rest[256];
	ssize_t n;
	pid_t pid;

	if (out)
		*out = '\0';
	if (out && pipe2(fd, O_CLOEXEC))
		return PMK_EXIT_FAILED;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		become_program(argv, errors, seconds, out ? fd[1] : STDERR_FILENO);
	if (out) {
		close(fd[1]);
		while (pid > 0 && (n = read(fd[0], used + 1 < size ? out + used : rest,
					    used + 1 < size ? size - used - 1 : sizeof(rest))) > 0)
			used += used + 1 < size ? (size_t)n : 0;
		close(fd[0]);
		out[used] = '\0';
	}
	if (pid < 0)
		return PMK_EXIT_FAILED;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return PMK_EXIT_FAILED;
	return exit_code(status);
}

/* ---- with an end --------------------------------------------------------------------------- */

#define PATIENCE_SECONDS 5 /* our choice: time for a build to end after the signal */

/* Wait for all processes of the group, whose orphans have become our children. */
static void end_group(pid_t group, int sig)
{
	double began = pmk_seconds();

	kill(-group, sig);
	while (waitpid(-group, NULL, WNOHANG) >= 0) {
		poll(NULL, 0, 20);
		if (pmk_seconds() - began >= PATIENCE_SECONDS)
			kill(-group, SIGKILL);
	}
}

int cli_run_until(const char *const argv[], const volatile sig_atomic_t *stop)
{
	int status, subreaper = 0;
	pid_t pid, ended = 0;

	prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		become_program(argv, CLI_ERRORS_SHOWN, 0, STDERR_FILENO);
	}
	if (pid > 0)
		/* parent and child both do this, so that it is done in either order */
		setpgid(pid, pid);
	while (pid > 0 && !*stop && !(ended = waitpid(pid, &status, WNOHANG)))
		poll(NULL, 0, 20);
	if (pid > 0 && ended != pid)
		end_group(pid, *stop ? *stop : SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, subreaper);
	return pid > 0 && ended == pid ? exit_code(status) : PMK_EXIT_FAILED;
}
