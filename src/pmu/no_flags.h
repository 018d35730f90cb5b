/* SPDX-License-Identifier: MIT */
/* Functions of struct pmk_driver that PMUs without overflow flags share. */
#ifndef PMK_PMU_NO_FLAGS_H
#define PMK_PMU_NO_FLAGS_H

#include <pmk/pmu.h>

/* Return PMK_ENOTSUP for any counter, because there is no interrupt to enable and no flag to
 * clear. */
int pmk_no_flags_irq_enable(struct pmk_dev *d, uint32_t counters);
int pmk_no_flags_clear(struct pmk_dev *d, uint32_t counters);

/* Reports that no counter has overflowed. */
int pmk_no_flags_pending(struct pmk_dev *d, uint32_t *counters);

#endif
