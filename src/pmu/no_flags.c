// SPDX-License-Identifier: MIT
/* Functions that the drivers of PMUs without overflow flags share. Freestanding. */
#include "pmu/no_flags.h"

int pmk_no_flags_irq_enable(struct pmk_dev *d, uint32_t counters)
{
	(void)d;
	return counters ? PMK_ENOTSUP : PMK_OK;
}

int pmk_no_flags_clear(struct pmk_dev *d, uint32_t counters)
{
	(void)d;
	return counters ? PMK_ENOTSUP : PMK_OK;
}

int pmk_no_flags_pending(struct pmk_dev *d, uint32_t *counters)
{
	(void)d;
	*counters = 0;
	return PMK_OK;
}
