/* SPDX-License-Identifier: MIT */
/* The parts that all families with the pipeline of an A64 core share: cpu/family.h. */
#ifndef PMK_CPU_A64_FAMILY_H
#define PMK_CPU_A64_FAMILY_H

#include "cpu/a64/a64.h"
#include "cpu/family.h"

extern const struct pmk_core_params pmk_a64_params;
extern const struct pmk_core_builder pmk_a64_builder;
extern const struct pmk_core_run pmk_a64_run;

uint64_t pmk_a64_insns_per_cycle(const struct pmk_core *core);

#endif
