/* SPDX-License-Identifier: MIT */
/* The members of a core that runs ARMv7 or ARMv8's AArch32 state, which are those of an A64 core
 * (a32.h). */
#ifndef PMK_CPU_A32_TYPES_H
#define PMK_CPU_A32_TYPES_H

#include "cpu/a64/types.h"

/* Each struct begins with that of the A64 core, because the A64 family expects its own struct
 * there. */
struct pmk_core_a32 {
	struct pmk_core_a64 a64;
};

struct pmk_block_a32 {
	struct pmk_block_a64 a64;
};

struct pmk_cpu_a32 {
	struct pmk_cpu_a64 a64;
};

#endif
