// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/cli.h"

static _Noreturn void become(const char *const argv[], enum cli_errors errors, unsigned seconds,
			     int out)
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
		become(argv, errors, seconds, out ? fd[1] : STDERR_FILENO);
	if (out) {
		close(fd[1]);
		while (pid > 0 && (n = read(fd[0], used + 1 < size ? out + used : rest,
					    used + 1 < size ? size - used - 1 : sizeof(rest))) > 0)
			used += used + 1 < size ? (size_t)n : 0;
		close(fd[0]);
		out[used] = '\0';
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return PMK_EXIT_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
