/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports to pmk while a program runs: intervals, pins, and pieces of a sampled program. */
#ifndef PMK_PRODUCER_QEMU_SAMPLING_H
#define PMK_PRODUCER_QEMU_SAMPLING_H

#include "producer/qemu/state.h"

void pmk_sampling_show_pins(void *ctx, const struct pmk_ahbmon_pins *shown);
/* Called at the core's deadline: on_piece() if the program is sampled, otherwise on_deadline(). */
void pmk_sampling_on_deadline(struct pmk_cpu *cpu);
void pmk_sampling_on_piece(struct pmk_cpu *cpu);
/* Called when a block with a tick runs in the uncounted rest of a sampled program. After a request
 * to translate code again, old code may still run for a while. */
void pmk_sampling_on_tick(unsigned vcpu, void *tick);
/* True if the emulator can leave parts of a program uncounted. */
bool pmk_sampling_is_possible(void);
/* The number of uncounted instructions of the process. If the emulator holds it, it is copied now
 * and then, so that it survives a crash of the emulator. */
uint64_t pmk_sampling_read_rest(struct pmk_cpu *cpu);
/* There are several threads: from here on, everything is counted. */
void pmk_sampling_end(struct pmk_cpu *cpu);
/* Threads run at the same time and are not sampled: from here on, everything is counted. The
 * emulator then translates all code again by itself. */
void pmk_sampling_end_all(void);
/* Wait for a millisecond. */
void pmk_sampling_nap(void);

#endif
