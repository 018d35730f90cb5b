/* SPDX-License-Identifier: MIT */
/*
 * What the decoders of all 32-bit ARM cores share: the data that they keep, and the addresses that
 * have a meaning in Linux and in the architecture. For Thumb-2, the decoders also find out two
 * things that an emulator does not show: whether code is Thumb, and which instructions of a
 * sequence are conditional because of an IT in an earlier sequence.
 */
#ifndef PMK_CPU_THUMB_H
#define PMK_CPU_THUMB_H

#include "cpu/decode.h"

struct pmk_core_programs;

/*
 * The addresses of instructions under an IT. They are kept because a later sequence may begin at
 * such an instruction, without its IT. A new address replaces an older one with the same index. The
 * older instruction then counts as unconditional if a sequence begins at it.
 */
#define PMK_IT_PLACES 4096

struct pmk_it {
	/* The address of an instruction under an IT, with bit 0 set; 0 if there is none. */
	uint64_t conditional[PMK_IT_PLACES];
};

/* The data that a decoder of 32-bit ARM cores keeps between sequences: pmk_decoder.own. */
struct pmk_arm_own {
	struct pmk_isa_arm *isa;
	struct pmk_it it; /* for Thumb-2 */
};

/* The page of helpers that ARM Linux maps into programs. The emulator runs these helpers itself.
 * The high exception vectors are on the same page. */
#define PMK_ARM_HELPER_PAGE	 0xffff0000u
#define PMK_ARM_HELPER_CMPXCHG64 0xffff0f60u
/* Bytes from the first vector to the end of the last vector, and to the vector of a data abort. */
#define PMK_ARM_VECTORS_SIZE	 0x20u
#define PMK_ARM_DATA_ABORT	 0x10u

/*
 * Returns how many bytes of the kernel's code for the helper at `pc` are fetched. The helper for
 * the 64-bit exchange is in two lines, so all its 14 instructions count. Other helpers fit into one
 * line, so one instruction is enough.
 */
unsigned pmk_arm_helper_bytes(uint64_t pc);

/* The programs of 32-bit ARM cores that run Linux (family.h). */
extern const struct pmk_core_programs pmk_arm_programs;

/* init() of the family's decoder, and vector(), which knows the low and the high vectors
 * (family.h). */
int pmk_arm_decoder_init(struct pmk_decoder *d);
unsigned pmk_arm_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc);

/* True if a sequence of n > 0 instructions is Thumb. */
bool pmk_thumb_is(struct pmk_decoder *d, struct pmk_isa_arm *isa, const struct pmk_raw *raw,
		  size_t n);
/* Marks as conditional those instructions of a Thumb sequence that are under an IT, which may be in
 * this sequence or in an earlier one. */
void pmk_it_apply(struct pmk_it *it, const struct pmk_raw *raw, size_t n, struct pmk_insn *in);

#endif
