/* SPDX-License-Identifier: MIT */
/* What the files of this room share. */
#ifndef PMK_TARGET_TARGET_H
#define PMK_TARGET_TARGET_H

/* The library itself is never switched off. */
#undef PMK_ENABLED
#include <pmk/target.h>

/* Keeps the compiler from moving memory accesses across it. An interrupt handler runs on the
 * same core, so the hardware needs no barrier. */
#define PMK_ORDER() __asm__ volatile("" ::: "memory")

/* Totals of all events since the counters were last zero, including what the calibration
 * counted. */
int pmk_target_now(struct pmk_target *t, uint64_t *totals);

/* Measure what measuring costs, and then let the caller's counts begin at zero. */
int pmk_target_calibrate(struct pmk_target *t);
int pmk_target_zero(struct pmk_target *t);

/* The innermost open region of the running task, or PMK_NO_REGION. */
uint16_t pmk_target_innermost(const struct pmk_target *t);

#endif
