/* SPDX-License-Identifier: MIT */
/* The processes that the program forks end with pmk. */
#ifndef PMK_PRODUCER_QEMU_GUARD_H
#define PMK_PRODUCER_QEMU_GUARD_H

#include <stdint.h>
#include <sys/types.h>

/* In a process that was just forked: when the process `pmk` has ended, or has set *still to 0, kill
 * this one, soon. */
void pmk_guard_start(pid_t pmk, const volatile uint32_t *still);

#endif
