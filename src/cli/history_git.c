// SPDX-License-Identifier: MIT
/* What git says of a commit. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/history.h"

static void become(const char *const argv[], int out, bool quiet)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	if (null >= 0 && quiet)
		dup2(null, STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	execvp(argv[0], (char *const *)argv);
	_exit(PMK_EXIT_NOT_FOUND);
}

int history_run(const char *const argv[], char *out, size_t size, bool quiet)
{
	int fd[2] = { -1, -1 }, status;
	size_t used = 0;
	char rest[256];
	ssize_t n;
	pid_t pid;

	if (out && pipe2(fd, O_CLOEXEC))
		return PMK_EXIT_FAILED;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		become(argv, out ? fd[1] : STDERR_FILENO, quiet);
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

void history_commit_free(struct history_commit *c)
{
	free(c->name);
	free(c->subject);
	c->name = c->subject = NULL;
}

bool history_commit(struct history_commit *c, const char *id)
{
	const char *const argv[] = {
		"git", "log", "-1", "--no-show-signature", "--format=%H%n%ct%n%s", id, "--", NULL
	};
	char out[1024], *time, *subject;

	*c = (struct history_commit){ .verdict = PMK_STORE_OPEN };
	/* A name that begins like an option is no commit, and git is not to take it for one. */
	if (*id == '-' || history_run(argv, out, sizeof(out), true) ||
	    !(time = strchr(out, '\n')) || !(subject = strchr(time + 1, '\n'))) {
		c->name = strdup(id);
		return c->name;
	}
	*time++ = '\0';
	*subject++ = '\0';
	subject[strcspn(subject, "\n")] = '\0';
	c->time = strtoll(time, NULL, 10);
	c->name = strdup(out);
	c->subject = strdup(subject);
	if (c->name && c->subject)
		return true;
	history_commit_free(c);
	return false;
}
