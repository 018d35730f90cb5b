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

bool history_resolve(const char *id, char hash[80])
{
	const char *argv[] = { "git", "rev-parse", "--verify", "--quiet", NULL, NULL };
	char *commit;
	bool found;

	/* A name that begins like an option is no commit, and git is not to take it for one. */
	if (!*id || *id == '-' || *id == '^' || asprintf(&commit, "%s^{commit}", id) < 0)
		return false;
	argv[4] = commit;
	found = !history_run(argv, hash, 80, true);
	hash[strcspn(hash, "\n")] = '\0';
	free(commit);
	return found && *hash;
}

static bool is_git(void)
{
	const char *const argv[] = { "git", "rev-parse", "--git-dir", NULL };
	char out[8];

	return !history_run(argv, out, sizeof(out), true);
}

static int name_commit(struct history_commit *c, const char *name, const char *subject)
{
	c->name = strdup(name);
	c->subject = subject ? strdup(subject) : NULL;
	if (c->name && (c->subject || !subject))
		return 0;
	history_commit_free(c);
	return cli_fail(PMK_EXIT_FAILED, "out of memory");
}

int history_commit(struct history_commit *c, const char *id)
{
	char hash[80], out[1024], *subject;
	const char *const argv[] = { "git", "log", "-1", "--no-show-signature", "--format=%ct%n%s",
				     hash,  "--",  NULL };

	*c = (struct history_commit){ .verdict = PMK_STORE_OPEN };
	if (!*id)
		return cli_fail(PMK_EXIT_USAGE, "history: a commit needs a name");
	if (!history_resolve(id, hash))
		return is_git() ? cli_fail(PMK_EXIT_USAGE, "history: git has no commit '%s'", id)
				: name_commit(c, id, NULL);
	if (history_run(argv, out, sizeof(out), true) || !(subject = strchr(out, '\n')))
		return cli_fail(PMK_EXIT_FAILED, "history: git log fails for %s", hash);
	*subject++ = '\0';
	subject[strcspn(subject, "\n")] = '\0';
	c->time = strtoll(out, NULL, 10);
	return name_commit(c, hash, subject);
}
