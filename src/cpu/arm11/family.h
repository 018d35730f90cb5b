/* SPDX-License-Identifier: MIT */
/* The parts that all families with the pipeline of an ARM11 share (cpu/family.h): all except the
 * parameters, the memory system and the timing of blocks. */
#ifndef PMK_CPU_ARM11_FAMILY_H
#define PMK_CPU_ARM11_FAMILY_H

#include "cpu/arm11/arm11.h"
#include "cpu/family.h"
#include "cpu/thumb.h"

extern const struct pmk_core_decoder pmk_arm11_decoder;
extern const struct pmk_core_callbacks pmk_arm11_callbacks;
extern const struct pmk_core_counts pmk_arm11_counts;

#endif
