/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * EVNTBUS, which exports every event of an ARM11 to trace hardware. Host library only.
 *
 * Sources: DDI 0211 Table 3.141 for the ARM1136, DDI 0301H Table 3-137 for the ARM1176; the bits
 * are in src/pmu/arm11/evntbus.c. The EVNTBUS of ARM1156 and MPCore is not documented.
 */
#ifndef PMK_EVNTBUS_H
#define PMK_EVNTBUS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of event codes that can be on the bus, from 0. */
#define PMK_ARM11_EVNTBUS_CODES 0x13

/*
 * Returns the word of the bus in one cycle. `count` is indexed by event code: 0, 1 or 2 occurrences
 * in this cycle. A one-bit field is 1 for one or two occurrences. In a two-bit field, 1 is b01 and
 * 2 is b10: the documents say only that the upper bit means two (DDI 0301H Table 3-137); the lower
 * bit is our choice. If `x` (PMNC.X) is false, the bus is 0. The caller passes false in Debug
 * state, too. The result is always 0 on ARM1156 and MPCore.
 */
uint32_t pmk_arm11_evntbus(const struct pmk_pmu *pmu, bool x,
			   const uint8_t count[PMK_ARM11_EVNTBUS_CODES]);

/* Computes the occurrences per event code from a word of the bus. Returns PMK_ENOTSUP on ARM1156
 * and MPCore, where all counts become 0. */
int pmk_arm11_evntbus_counts(const struct pmk_pmu *pmu, uint32_t word,
			     uint8_t count[PMK_ARM11_EVNTBUS_CODES]);

/* Returns a description of the bus's fields as if it were a register: one field for each event,
 * with the event's name. NULL on ARM1156, MPCore and PMUs of other families. */
const struct pmk_reg_info *pmk_arm11_evntbus_reg(const struct pmk_pmu *pmu);

#ifdef __cplusplus
}
#endif

#endif
