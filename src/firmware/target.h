/* SPDX-License-Identifier: MIT */
/* Declarations that the files of this folder share. */
#ifndef PMK_TARGET_TARGET_H
#define PMK_TARGET_TARGET_H

/* The library itself is always compiled with counting enabled. */
#undef PMK_ENABLED
#include <pmk/target.h>

/* Keeps the compiler from moving memory accesses across it. An interrupt handler runs on the
 * same core, so the hardware needs no barrier. */
#define PMK_ORDER() __asm__ volatile("" ::: "memory")

/*
 * Returns the totals of all events since the counters were last zero, including the counts of the
 * calibration.
 */
int pmk_target_now(struct pmk_target *t, uint64_t *totals);

/* Measures the overhead of measuring, and then starts the caller's counts at zero. */
int pmk_target_calibrate(struct pmk_target *t);
int pmk_target_zero(struct pmk_target *t);

/* Returns the innermost open region of the running task, or PMK_NO_REGION. */
uint16_t pmk_target_innermost(const struct pmk_target *t);

#endif
