/* SPDX-License-Identifier: MIT */
/* Declarations that the files of src/firmware share. */
#ifndef PMK_TARGET_TARGET_H
#define PMK_TARGET_TARGET_H

/* The library itself is always compiled with counting enabled. */
#undef PMK_ENABLED
#include <pmk/target.h>

/* Keeps the compiler from moving memory accesses across it. An interrupt handler runs on the
 * same core, so the hardware needs no barrier. */
#define PMK_ORDER() __asm__ volatile("" ::: "memory")

static inline const struct pmk_driver *driver_of(const struct pmk_target *t)
{
	return t->dev.pmu->driver;
}

/*
 * These take and release the caller's lock if an access to the PMU depends on the accesses before
 * it (pmk_pmu.sequential), because no handler may access the PMU in between. They can be nested:
 * release_lock() restores the state that hold_lock() returned.
 */
static inline uintptr_t hold_lock(const struct pmk_target *t)
{
	return t->dev.pmu->sequential && t->lock ? t->lock() : 0;
}

static inline void release_lock(const struct pmk_target *t, uintptr_t before)
{
	if (t->dev.pmu->sequential && t->lock)
		t->unlock(before);
}

/* Returns the bit of the event's counter in sets of counters, which have 32 bits; 0 for counter 32
 * and above. */
static inline uint32_t counter_bit(const struct pmk_target_event *e)
{
	return e->counter < 32 ? UINT32_C(1) << e->counter : 0;
}

/* True if the event's counter has fewer than 32 bits. It may wrap between two readings, so every
 * reading must also be a poll. */
static inline bool is_narrow(const struct pmk_target_event *e)
{
	return e->mask < UINT32_MAX;
}

/* Samples all counters at one instant if the PMU can do that. */
static inline int take_sample(struct pmk_target *t)
{
	return driver_of(t)->sample ? driver_of(t)->sample(&t->dev) : PMK_OK;
}

/*
 * Returns the totals of all events since the counters were last zero, including the counts of the
 * calibration.
 */
int pmk_target_now(struct pmk_target *t, uint64_t *totals);

/* Measures empty regions, to find the counts that measuring adds: t->cost and t->nest. */
int pmk_target_calibrate(struct pmk_target *t);
/* Makes the caller's counts begin at zero now. */
int pmk_target_zero(struct pmk_target *t);

/* Returns the innermost open region of the running task, or PMK_NO_REGION. */
uint16_t pmk_target_innermost(const struct pmk_target *t);

#endif
