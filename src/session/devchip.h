/* SPDX-License-Identifier: MIT */
/*
 * The ARM926EJ-S Development Chip around a running core: the core's bus interface unit, the bus matrix
 * with its other masters, and the observers of the AHB Monitor, which turn every HCLK cycle of every
 * layer into signals on the monitor's buses.
 *
 * It may lie in memory that two processes share; bind it in each before use.
 */
#ifndef PMK_SESSION_DEVCHIP_H
#define PMK_SESSION_DEVCHIP_H

#include <pmk/ahbmon.h>
#include <pmk/bus.h>

#include "cpu/biu.h"
#include "pmu/ahbmon/observe.h"

struct pmk_devchip {
	struct pmk_biu biu;
	struct pmk_ahbmon_observer observer;
	struct pmk_bus bus[PMK_AHBMON_NBUSES];
};

/* In this process: its pointers. */
void pmk_devchip_bind(struct pmk_devchip *chip);
/* At time 0, with scripts (by master, those that are `on`). 0 or an error. The observers begin with
 * pmk_devchip_observe(), when the monitor's registers are set. */
int pmk_devchip_init(struct pmk_devchip *chip, const struct pmk_core *core,
		     const struct pmk_matrix_script traffic[PMK_MATRIX_NMASTERS]);
int pmk_devchip_observe(struct pmk_devchip *chip, const struct pmk_ahbmon_model *model);

/* Does everything add up, on every bus? PMK_OK or PMK_EIO. */
int pmk_devchip_check(const struct pmk_devchip *chip);

/* Signals that are raised on some bus of it. */
struct pmk_signal_set pmk_devchip_raises(void);

#endif
