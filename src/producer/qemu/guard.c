// SPDX-License-Identifier: MIT
/*
 * See guard.h. When pmk ends, the kernel kills the emulator (PR_SET_PDEATHSIG). It does not kill
 * processes that the program has forked, because pmk is not their parent. So a thread in each of
 * these processes checks whether pmk still runs. The thread uses no descriptor, because the program
 * would see it.
 */
#define _GNU_SOURCE
#include "producer/qemu/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 200000000
#define STACK	 (64 << 10)

struct guarded {
	pid_t pmk;
	/* A process that has ended still exists until its parent has waited for it, so pmk sets
	 * *still_there to 0 before pmk ends. */
	const volatile uint32_t *still_there;
};

static void *guard(void *guarded)
{
	const struct timespec every = { .tv_nsec = EVERY_NS };
	const struct guarded *g = guarded;

	while (*g->still_there && (!kill(g->pmk, 0) || errno != ESRCH))
		nanosleep(&every, NULL);
	kill(getpid(), SIGKILL);
	return NULL;
}

void pmk_guard_start(pid_t pmk, const volatile uint32_t *still)
{
	struct guarded *g = malloc(sizeof(*g));
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;

	if (!g || pthread_attr_init(&attr))
		return;
	*g = (struct guarded){ pmk, still };
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	/* The handlers of signals depend on the emulator's own threads, so this thread must get no
	 * signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, &attr, guard, g);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
}
