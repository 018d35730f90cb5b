/* SPDX-License-Identifier: MIT */
/*
 * What a decoder of a core with Thumb-2 has to find out beside its instructions, because an
 * emulator does not show it: whether code is Thumb, and what an IT in front of a sequence says of
 * it.
 */
#ifndef PMK_CPU_THUMB_H
#define PMK_CPU_THUMB_H

#include "cpu/decode.h"

/* Places behind an IT whose instructions were decoded with it, by their address. Another place
 * with the same index is forgotten: its instruction is then taken to have no condition, if a
 * sequence begins there. */
#define PMK_IT_PLACES 4096

struct pmk_it {
	/* The address of an instruction under an IT, with bit 0 set; 0: there is none. */
	uint64_t conditional[PMK_IT_PLACES];
};

/* Is a sequence of n > 0 instructions Thumb? */
bool pmk_thumb_is(struct pmk_decoder *d, struct pmk_isa_arm *isa, const struct pmk_raw *raw,
		  size_t n);
/* Make conditional what stands under an IT in a sequence of Thumb, or under one of an earlier
 * sequence. */
void pmk_it_apply(struct pmk_it *it, const struct pmk_raw *raw, size_t n, struct pmk_insn *in);

#endif
