/* SPDX-License-Identifier: MIT */
/* Handlers of signals. Host only. */
#ifndef PMK_BASE_HANDLERS_H
#define PMK_BASE_HANDLERS_H

#include <signal.h>

/*
 * In a child that is about to execute a program: a signal that comes before that is meant for the
 * program, so the handlers of this process must not run. Those of signals in `ignored`, which may
 * be NULL, are ignored, and all others have their default.
 */
void pmk_handlers_forget(const sigset_t *ignored);

#endif
