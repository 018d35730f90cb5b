/* SPDX-License-Identifier: MIT */
/* Ends the processes that the program has forked when pmk ends. */
#ifndef PMK_PRODUCER_QEMU_GUARD_H
#define PMK_PRODUCER_QEMU_GUARD_H

#include <stdint.h>
#include <sys/types.h>

/* Starts a thread that kills this process soon after the process `pmk` has ended or has set *still
 * to 0. The caller is a process that was just forked. */
void pmk_guard_start(pid_t pmk, const volatile uint32_t *still);

#endif
