/* SPDX-License-Identifier: MIT */
/* Parameters of a MicroBlaze beside those that cores of other families have, too. keys.c says what each is. */
#ifndef PMK_CPU_MICROBLAZE_PARAMS_H
#define PMK_CPU_MICROBLAZE_PARAMS_H

#include <stdint.h>

struct pmk_core_microblaze {
	uint64_t area;
	uint64_t icache_line;
	uint64_t icache_base;
	uint64_t icache_high;
	uint64_t dcache_line;
	uint64_t dcache_base;
	uint64_t dcache_high;
	uint64_t lmb_size;
	uint64_t peripheral_latency;
	uint64_t itlb_entries;
	uint64_t dtlb_entries;
	uint64_t hazard_load;
	uint64_t hazard_mul;
	uint64_t hazard_fp;
	uint64_t hazard_shift;
	uint64_t stall_cascade;
	uint64_t vectors_base;
	uint64_t event_counters;
	uint64_t latency_counters;
	uint64_t counter_width;
};

#endif
