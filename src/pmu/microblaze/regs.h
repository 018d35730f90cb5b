/* SPDX-License-Identifier: MIT */
/*
 * MicroBlaze performance counters: positions of fields and data items. The driver, the model and
 * the rows of regs.c use these positions and share nothing else. Enumerators are in
 * <pmk/microblaze.h>.
 *
 * Source: UG984, "Performance Monitoring" and the pages of the five registers. "T-items" is its
 * table "Performance Counter Data Items".
 */
#ifndef PMK_PMU_MICROBLAZE_REGS_H
#define PMK_PMU_MICROBLAZE_REGS_H

#include <stdint.h>

#include <pmk/bits.h>
#include <pmk/microblaze.h>

/* clang-format off */
#define PCCTRLR_EVENT PMK_BITS(7, 0)  /* what the selected counter counts      PCCTRLR  WO */
#define PCCMDR_CLEAR  PMK_BIT(4)      /* zeroes all counters; Dbg_Intr falls  PCCMDR   WO */
#define PCCMDR_START  PMK_BIT(3)      /* all counters count                    PCCMDR   WO */
#define PCCMDR_STOP   PMK_BIT(2)      /* all counters stand still              PCCMDR   WO */
#define PCCMDR_SAMPLE PMK_BIT(1)      /* sample all counters                   PCCMDR   WO */
#define PCCMDR_RESET  PMK_BIT(0)      /* select the first counter and item     PCCMDR   WO */
#define PCSR_OVERFLOW PMK_BIT(1)      /* counted beyond its maximum            PCSR     RO */
#define PCSR_FULL     PMK_BIT(0)      /* occurrences overlapped while timed    PCSR     RO */
#define PCDRR_ITEM    PMK_BITS(31, 0) /* T-items                               PCDRR    RO */
#define PCDWR_ITEM    PMK_BITS(31, 0) /* T-items                               PCDWR    WO */
/* clang-format on */

/* The two extremes of a latency counter of 32 bits share an item: T-items. */
#define EXTREMES_MIN PMK_BITS(31, 16)
#define EXTREMES_MAX PMK_BITS(15, 0)

#define PMK_MICROBLAZE_NEVENTS	     64
#define PMK_MICROBLAZE_FIRST_LATENCY 57 /* events with this code or a higher one have a latency */

/*
 * Items of a latency counter, in order: T-items. Counters of 64 bits use the items of counters of
 * 48 bits (our choice), because we know the table for 64 bits only up to the first half of the sum.
 */
enum pmk_microblaze_item32 {
	PMK_MICROBLAZE_ITEM32_N,
	PMK_MICROBLAZE_ITEM32_SUM,
	PMK_MICROBLAZE_ITEM32_SUM2,
	PMK_MICROBLAZE_ITEM32_EXTREMES,
	PMK_MICROBLAZE_ITEMS32
};

enum pmk_microblaze_item64 {
	PMK_MICROBLAZE_ITEM64_N,
	PMK_MICROBLAZE_ITEM64_SUM_HIGH,
	PMK_MICROBLAZE_ITEM64_SUM_LOW,
	PMK_MICROBLAZE_ITEM64_SUM2_HIGH,
	PMK_MICROBLAZE_ITEM64_SUM2_LOW,
	PMK_MICROBLAZE_ITEM64_MIN,
	PMK_MICROBLAZE_ITEM64_MAX,
	PMK_MICROBLAZE_ITEMS64
};

static inline const struct pmk_microblaze_config *pmk_microblaze_config_of(
	const struct pmk_pmu *pmu)
{
	return pmu->family;
}

/*
 * Returns how many items a counter has, as in T-items. An event counter has one item, or an upper
 * and a lower half.
 */
static inline unsigned pmk_microblaze_items(const struct pmk_microblaze_config *c, unsigned counter)
{
	if (counter < c->events)
		return c->width == 32 ? 1 : 2;
	return c->width == 32 ? PMK_MICROBLAZE_ITEMS32 : PMK_MICROBLAZE_ITEMS64;
}

/* Row i is event i. */
extern const struct pmk_event pmk_microblaze_events[PMK_MICROBLAZE_NEVENTS];

extern const struct pmk_driver pmk_microblaze_driver;

/* Descriptions of the registers. */
extern const struct pmk_reg_info pmk_microblaze_regs[PMK_MICROBLAZE_NREGS];

#endif
