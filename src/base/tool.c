// SPDX-License-Identifier: MIT
/* Runs other commands. See tool.h. */
#define _GNU_SOURCE
#include "base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

static _Noreturn void become_command(const char *path, const char *const argv[],
				     enum pmk_tool_errors errors, unsigned seconds, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (null >= 0 && errors == PMK_ERRORS_DROPPED)
		dup2(null, STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	if (errors == PMK_ERRORS_IN_OUTPUT)
		dup2(out, STDERR_FILENO);
	if (seconds)
		alarm(seconds); /* the alarm stays set across exec */
	/* The cast is needed because the parameter of execvp() lacks a const. execvp() does not
	 * change the words. */
	execvp(path, (char *const *)(uintptr_t)argv);
	_exit(errno == ENOENT || errno == ENOTDIR ? PMK_TOOL_NOT_FOUND : PMK_TOOL_NOT_EXEC);
}

static int exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return PMK_TOOL_FAILED;
	return exit_code(status);
}

void pmk_tool_start(struct pmk_tool *tool, const char *path, const char *const argv[],
		    enum pmk_tool_errors errors, unsigned seconds)
{
	int fd[2];

	*tool = (struct pmk_tool){ .pid = 0 };
	if (pipe2(fd, O_CLOEXEC))
		return;
	fflush(stdout);
	tool->pid = fork();
	if (tool->pid == 0)
		become_command(path, argv, errors, seconds, fd[1]);
	close(fd[1]);
	tool->output = fd[0];
	if (tool->pid > 0)
		return;
	close(fd[0]);
	tool->pid = 0;
}

int pmk_tool_finish(struct pmk_tool *tool, char *out, size_t size)
{
	pid_t pid = tool->pid;
	size_t used = 0;
	char rest[256];
	bool full;
	ssize_t n;

	*out = '\0';
	if (!pid)
		return PMK_TOOL_FAILED;
	do {
		full = used + 1 >= size;
		n = read(tool->output, full ? rest : out + used,
			 full ? sizeof(rest) : size - used - 1);
		used += n > 0 && !full ? (size_t)n : 0;
	} while (n > 0);
	out[used] = '\0';
	close(tool->output);
	tool->pid = 0;
	return wait_for(pid);
}

int pmk_tool_run(const char *const argv[], enum pmk_tool_errors errors, unsigned seconds, char *out,
		 size_t size)
{
	struct pmk_tool tool;
	pid_t pid;

	if (out) {
		pmk_tool_start(&tool, argv[0], argv, errors, seconds);
		return pmk_tool_finish(&tool, out, size);
	}
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		become_command(argv[0], argv, errors, seconds, STDERR_FILENO);
	return pid < 0 ? PMK_TOOL_FAILED : wait_for(pid);
}

/* ---- commands that a signal can stop --------------------------------------------------------- */

/* seconds that the processes have to end after the signal (our choice) */
#define PATIENCE_SECONDS 5

/* Sends the signal to the process group and waits until none of its processes is left. Processes
 * whose parent has ended become children of this process (PR_SET_CHILD_SUBREAPER), so waitpid()
 * finds them. */
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

int pmk_tool_run_until(const char *const argv[], const volatile sig_atomic_t *stop)
{
	int status, subreaper = 0;
	pid_t pid, ended = 0;

	prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		become_command(argv[0], argv, PMK_ERRORS_SHOWN, 0, STDERR_FILENO);
	}
	if (pid > 0)
		/* Both parent and child call setpgid(), so that the group exists no matter which of
		 * them runs first. */
		setpgid(pid, pid);
	while (pid > 0 && !*stop && !(ended = waitpid(pid, &status, WNOHANG)))
		poll(NULL, 0, 20);
	if (pid > 0 && ended != pid)
		end_group(pid, *stop ? *stop : SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, subreaper);
	return pid > 0 && ended == pid ? exit_code(status) : PMK_TOOL_FAILED;
}
