/* SPDX-License-Identifier: MIT */
/* Signals, and their handlers. Host only. */
#ifndef PMK_BASE_HANDLERS_H
#define PMK_BASE_HANDLERS_H

#include <signal.h>
#include <stdbool.h>

/*
 * In a child that is about to execute a program: a signal that comes before that is meant for the
 * program, so the handlers of this process must not run. Those of signals in `ignored`, which may
 * be NULL, are ignored, and all others have their default.
 */
void pmk_handlers_forget(const sigset_t *ignored);

/* Is it one of the signals that somebody ends a job with: a user, a batch system, or the kernel
 * that has no memory left? Batch systems send it to all processes of the job, in any order. */
bool pmk_ends_jobs(int sig);

#endif
