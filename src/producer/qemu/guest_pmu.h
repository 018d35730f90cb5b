/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's own PMU: its accesses become accesses to the model, and are logged. */
#ifndef PMK_PRODUCER_QEMU_GUEST_PMU_H
#define PMK_PRODUCER_QEMU_GUEST_PMU_H

#include "producer/qemu/state.h"

/* True if the exception level must be followed from block to block. */
bool pmk_guest_pmu_watches_blocks(void);
/* Called before the first block runs. It may have been translated while QEMU's own registers were
 * in use. */
void pmk_guest_pmu_begin(void);
/* Pass the interrupt of the model to the processor, after the instruction at `pc`. */
void pmk_guest_pmu_show_interrupt(const struct pmk_emulated *e, uint64_t pc,
				  enum pmk_guest_moment moment);

#endif
