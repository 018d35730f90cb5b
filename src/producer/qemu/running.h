/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What running code reports to the session: regions, levels. */
#ifndef PMK_PRODUCER_QEMU_RUNNING_H
#define PMK_PRODUCER_QEMU_RUNNING_H

#include "producer/qemu/state.h"

/* See struct pmk_emulator. */
void pmk_running_follow(unsigned vcpu, const struct pmk_block *block, bool boundary);
void pmk_running_leave_level(unsigned vcpu);
void pmk_running_enter_level(unsigned vcpu, unsigned level);
/* The exception level of an access, by the emulator's information about it: from 6.2 to 10.0, and
 * since 10.2. */
int pmk_running_level(uint32_t info);
int pmk_running_level_since_10_2(uint32_t info);
/* See struct pmk_cpu. */
void pmk_running_on_crossing(struct pmk_cpu *cpu);

#endif
