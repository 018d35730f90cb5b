/* SPDX-License-Identifier: MIT */
/* The pipeline of an ARM926EJ-S. Its interface and its results are those of an ARM11's pipeline
 * (arm11/pipeline.h). */
#ifndef PMK_CPU_ARM9_PIPELINE_H
#define PMK_CPU_ARM9_PIPELINE_H

#include "cpu/arm11/pipeline.h"

void pmk_arm9_pipeline_time(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
			    struct pmk_pipe_slot *slots, struct pmk_pipe_block *out);

#endif
