/* SPDX-License-Identifier: MIT */
/*
 * What the decoders of all 32-bit ARM cores share: what they keep, the places Linux and the
 * architecture give a meaning, and for Thumb-2 what an emulator does not show: whether code is
 * Thumb, and what an IT in front of a sequence says of it.
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

/* What such a decoder keeps between sequences: its `own`. */
struct pmk_arm_own {
	struct pmk_isa_arm *isa;
	struct pmk_it it; /* of Thumb-2 */
};

/* The page of helpers that ARM Linux maps into programs. The emulator itself runs them. It is also
 * where the high vectors of exceptions are. */
#define PMK_ARM_HELPER_PAGE	 0xffff0000u
#define PMK_ARM_HELPER_CMPXCHG64 0xffff0f60u
/* From the first vector to the end of the last, and from the first to that of a data abort. */
#define PMK_ARM_VECTORS_SIZE	 0x20u
#define PMK_ARM_DATA_ABORT	 0x10u

/* How many bytes of code the kernel has for the helper at `pc`, as far as they are fetched: of the
 * exchange of 64 bits, which is in two lines, all of its 14 instructions; of others, which fit into
 * one line, an instruction. */
unsigned pmk_arm_helper_bytes(uint64_t pc);

/* decoder_init() and vector() of a family (family.h); the vectors are the low and the high ones. */
int pmk_arm_decoder_init(struct pmk_decoder *d);
unsigned pmk_arm_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc);

/* Is a sequence of n > 0 instructions Thumb? */
bool pmk_thumb_is(struct pmk_decoder *d, struct pmk_isa_arm *isa, const struct pmk_raw *raw,
		  size_t n);
/* Make conditional what stands under an IT in a sequence of Thumb, or under one of an earlier
 * sequence. */
void pmk_it_apply(struct pmk_it *it, const struct pmk_raw *raw, size_t n, struct pmk_insn *in);

#endif
