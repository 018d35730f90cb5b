// SPDX-License-Identifier: MIT
/*
 * See guard.h. The kernel kills the emulator itself when pmk ends (PR_SET_PDEATHSIG), but not a
 * process that was forked from it, whose parent is the program. So a thread in that process checks
 * whether pmk still runs. It uses no descriptor, because the program would see it.
 */
#define _GNU_SOURCE
#include "producer/qemu/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 200000000
#define STACK	 (64 << 10)

/* An ended process exists until its parent has waited for it; so pmk sets this to 0 before it
 * ends. */
static const volatile uint32_t *still_there;

static void *guard(void *pmk)
{
	const struct timespec every = { .tv_nsec = EVERY_NS };

	while (*still_there && (!kill((pid_t)(intptr_t)pmk, 0) || errno != ESRCH))
		nanosleep(&every, NULL);
	kill(getpid(), SIGKILL);
	return NULL;
}

void pmk_guard_start(pid_t pmk, const volatile uint32_t *still)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;

	still_there = still;
	if (pthread_attr_init(&attr))
		return;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	/* Signals are for the emulator's own threads, on which its handlers depend. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, &attr, guard, (void *)(intptr_t)pmk);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
}
