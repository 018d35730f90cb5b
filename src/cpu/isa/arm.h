/* SPDX-License-Identifier: MIT */
/*
 * Declares what the parts of the ARM decoder share: arm.c (the decoder object), arm_v6.c (A32 of
 * ARMv6), thumb.c (T32 of ARMv6), and later additions: arm_v7.c (A32), t32.c, arm_simd.c (VFPv3 and
 * Advanced SIMD).
 */
#ifndef PMK_SRC_ISA_ARM_H
#define PMK_SRC_ISA_ARM_H

#include "cpu/isa/word.h"

#define PC 15
#define LR 14
#define SP 13

/* The base of insn.target. Facts do not contain the address of the instruction, so the target is an
 * offset until pmk_isa_arm_decode() adds the base. */
enum pmk_arm_relative {
	PMK_ARM_ABSOLUTE, /* target is 0 */
	PMK_ARM_FROM_PC,  /* the PC as the instruction reads it: its address + 8, or + 4 in Thumb */
	PMK_ARM_FROM_PC4, /* the PC of PMK_ARM_FROM_PC with its bits [1:0] cleared */
};

struct pmk_arm_facts {
	struct pmk_insn insn;
	uint8_t relative; /* enum pmk_arm_relative */
};

/*
 * Decodes an A32 word of ARMv6. `name` is Capstone's name for it (ARM_INS_…), or the name of an
 * instruction with the same facts.
 */
void pmk_arm_a32_facts(uint32_t w, unsigned name, struct pmk_arm_facts *f);
/*
 * Decodes one 16-bit instruction or, if `size` is 4, a BL/BLX pair with its first half in the low
 * half word.
 */
void pmk_arm_thumb_facts(uint32_t word, size_t size, struct pmk_arm_facts *out);

/*
 * Additions of ARMv6T2, ARMv7 and ARMv8. Each function gets blank facts with the size set, and
 * leaves `decoded` false for an unknown instruction. pmk_arm_t32_facts() gets the first half word
 * in the upper half of `word`. The functions that return a bool return true if the encoding is in
 * their group, even if it is unknown.
 */
bool pmk_arm_v7_facts(uint32_t word, struct pmk_arm_facts *f);
bool pmk_arm_t16_facts(uint32_t half, struct pmk_arm_facts *f);
void pmk_arm_t32_facts(uint32_t word, struct pmk_arm_facts *f);
/* VFP and Advanced SIMD. The words are those of A32. */
bool pmk_arm_is_simd(uint32_t word);
void pmk_arm_simd_facts(uint32_t word, struct pmk_arm_facts *f);
/*
 * Converts a T32 word of a coprocessor, VFP or Advanced SIMD to the A32 word that has the same
 * facts. Returns 0 for any other T32 word.
 */
uint32_t pmk_arm_a32_of_t32(uint32_t word);
/*
 * Adds the facts that events of ARMv7 and ARMv8 need to decoded facts: kinds, total bytes, and
 * branches (every instruction that writes the PC). `word` has the order of memory, so its first
 * half word is the lower one.
 */
void pmk_arm_v7_complete(bool thumb, uint32_t word, struct pmk_insn *in);

/* Sets the effects on VFP's own registers: kind, and the upper half of reads and writes. */
void pmk_arm_vfp_facts(uint32_t word, struct pmk_insn *in);

static inline int32_t sign_extend(uint32_t value, unsigned width)
{
	uint32_t sign = 1u << (width - 1);

	return (int32_t)((value ^ sign) - sign);
}

/*
 * These functions record that the instruction reads or writes a register, and return the register's
 * number. The masks do not include the PC, because no instruction waits for it.
 */
static inline int8_t reads(struct pmk_insn *in, unsigned reg)
{
	in->reads |= (1u << reg) & ~(1u << PC);
	return (int8_t)reg;
}

static inline int8_t writes(struct pmk_insn *in, unsigned reg)
{
	in->writes |= (1u << reg) & ~(1u << PC);
	return (int8_t)reg;
}

/* Records the base register of an access, [19:16], and its write-back. */
static inline void base(uint32_t word, bool writeback, struct pmk_insn *in)
{
	in->rn = reads(in, bits(word, 19, 16));
	in->writeback = writeback;
	if (writeback)
		writes(in, bits(word, 19, 16));
}

#endif
