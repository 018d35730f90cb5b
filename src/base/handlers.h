/* SPDX-License-Identifier: MIT */
/* Functions about signals and their handlers. Firmware does not use them. */
#ifndef PMK_BASE_HANDLERS_H
#define PMK_BASE_HANDLERS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Resets the signal handlers in a child that is about to execute a program. A signal that arrives
 * now is meant for the program, so the handlers of this process must not run. Signals in `ignored`,
 * which may be NULL, are ignored, and all others get their default action.
 */
void pmk_handlers_forget(const sigset_t *ignored);

/*
 * True if the signal is one that ends jobs. A user or a batch system sends it, or the kernel when
 * memory runs out. Batch systems send it to all processes of the job, in any order.
 */
bool pmk_ends_jobs(int sig);

#endif
