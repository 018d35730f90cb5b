/* SPDX-License-Identifier: MIT */
/* Parameters of a core that runs A64 beside those that cores of other families have, too. keys.c says what each is. */
#ifndef PMK_CPU_A64_PARAMS_H
#define PMK_CPU_A64_PARAMS_H

#include <stdint.h>

struct pmk_core_a64 {
	uint64_t fetch_bytes;
	uint64_t l1d_bytes;
	uint64_t l2_on;
	uint64_t bus_bytes;
	uint64_t bp_history;
	uint64_t bp_indirect;
	uint64_t div_latency;
	uint64_t issue_width;
};

#endif
