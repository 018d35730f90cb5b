/* SPDX-License-Identifier: MIT */
/* The counters of each layer, for reports. */
#ifndef PMK_PMU_AHBMON_LAYERS_H
#define PMK_PMU_AHBMON_LAYERS_H

#include <pmk/result.h>

/* In the order of enum pmk_ahbmon_bus, without HCLK; the GXI is the last. */
extern const struct pmk_layers pmk_ahbmon_layers;

#endif
