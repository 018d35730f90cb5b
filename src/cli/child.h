/* SPDX-License-Identifier: MIT */
/* A program that waits before its first instruction, so that counters can be put on it. */
#ifndef PMK_CLI_CHILD_H
#define PMK_CLI_CHILD_H

#include <signal.h>
#include <sys/types.h>

struct child {
	pid_t pid;	  /* 0: none */
	const char *path; /* of the program; not copied */
	int go, failed;
};

/* Fork; the child waits. `mask`: the signals it is to have blocked. 0 or an exit code after one line. */
int child_prepare(struct child *c, const char *path, char *const *argv, const sigset_t *mask);
/* Let it execute the program. 0; or 126 after one line: it cannot be executed. */
int child_start(struct child *c);
/* Forget it without starting it. */
void child_abandon(struct child *c);

#endif
