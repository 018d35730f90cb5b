/* SPDX-License-Identifier: MIT */
/*
 * What the files of the ARM926EJ-S share. This core has no micro-TLBs, no request slots and no
 * prediction. Misses go to the bus interface unit (biu.h), and the core waits for them. Branches,
 * and everything that takes no time, work as on an ARM11.
 */
#ifndef PMK_CPU_ARM9_ARM9_H
#define PMK_CPU_ARM9_ARM9_H

#include "cpu/arm11/arm11.h"
#include "cpu/arm11/pipeline.h"

extern const struct pmk_core_params pmk_arm9_params; /* keys.c */

/* pipeline.c: its interface and its results are those of an ARM11's pipeline. */
void pmk_arm9_pipeline_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			    struct pmk_pipe_slot *slots, struct pmk_pipe_block *out);

#endif
