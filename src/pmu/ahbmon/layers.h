/* SPDX-License-Identifier: MIT */
/* The counters of each layer of the AHB Monitor, for reports. */
#ifndef PMK_PMU_AHBMON_LAYERS_H
#define PMK_PMU_AHBMON_LAYERS_H

#include <pmk/result.h>

/* The layers are in the order of enum pmk_ahbmon_bus, without HCLK, so the GXI is the last one. */
extern const struct pmk_layers pmk_ahbmon_layers;

#endif
