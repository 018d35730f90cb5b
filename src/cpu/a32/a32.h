/* SPDX-License-Identifier: MIT */
/*
 * Cores that run A32 and T32, in ARMv7-A or in the AArch32 state of ARMv8-A: Cortex-A7 and similar
 * cores. pmk models such a core as an A64 core, with the same pipeline, caches and predictor. This
 * family adds a decoder, and callbacks that count the accesses of conditional instructions when
 * they are made.
 */
#ifndef PMK_CPU_A32_A32_H
#define PMK_CPU_A32_A32_H

#include "cpu/a64/a64.h"

/* How translated code is decoded: decode.c. */
void pmk_a32_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		    struct pmk_insn *in);
unsigned pmk_a32_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc);

/* Returns the functions that an emulator calls: watch.c. */
const struct pmk_block_fns *pmk_a32_on_block(const struct pmk_core *core);
pmk_access_fn *pmk_a32_watch(const struct pmk_core *core, bool single, const struct pmk_insn *in,
			     const struct pmk_block *b, const struct pmk_pipe_slot *pipe,
			     uint64_t *access);
struct pmk_access_test pmk_a32_test(const struct pmk_core *core, const struct pmk_insn *in);

#endif
