/* SPDX-License-Identifier: MIT */
/*
 * Declares what the parts of the A64 decoder share: a64.c (entry, branches, system), a64_data.c
 * (integer data processing), a64_memory.c (loads and stores), a64_simd.c and a64_scalar.c (Advanced
 * SIMD and cryptography), a64_fp.c (scalar floating point).
 *
 * Each part gets a word of its top-level group (DDI 0487, C4.1) and a blank *in with addr and size
 * set. It returns false for an encoding that is unallocated or belongs to an extension that is not
 * supported; the caller then discards *in.
 */
#ifndef PMK_SRC_ISA_A64_H
#define PMK_SRC_ISA_A64_H

#include "cpu/isa/word.h"

#define LR 30
#define SP 31
#define V0 32

bool pmk_a64_immediate(uint32_t w, struct pmk_insn *in);
bool pmk_a64_register(uint32_t w, struct pmk_insn *in);
bool pmk_a64_memory(uint32_t w, struct pmk_insn *in);
bool pmk_a64_simd(uint32_t w, struct pmk_insn *in);
bool pmk_a64_fp(uint32_t w, struct pmk_insn *in);

static inline int64_t sign_extend(uint32_t value, unsigned width)
{
	uint32_t sign = 1u << (width - 1);

	return (int64_t)(value ^ sign) - (int64_t)sign;
}

/*
 * These functions record that the instruction reads or writes a register, and return the register's
 * number. reads() and writes() take a bit number of the masks: 31 is SP, and numbers from V0 up are
 * vector registers. The other functions take a field of five bits of the encoding. In ..._x() it is
 * an X register, and 31 is XZR, for which no instruction waits. In ..._v() it is a V register.
 */

static inline int8_t reads(struct pmk_insn *in, unsigned reg)
{
	in->reads |= UINT64_C(1) << reg;
	return (int8_t)reg;
}

static inline int8_t writes(struct pmk_insn *in, unsigned reg)
{
	in->writes |= UINT64_C(1) << reg;
	return (int8_t)reg;
}

static inline int8_t reads_x(struct pmk_insn *in, unsigned field)
{
	return field == 31 ? PMK_NO_REG : reads(in, field);
}

static inline int8_t writes_x(struct pmk_insn *in, unsigned field)
{
	return field == 31 ? PMK_NO_REG : writes(in, field);
}

static inline int8_t reads_v(struct pmk_insn *in, unsigned field)
{
	return reads(in, V0 + field);
}

static inline int8_t writes_v(struct pmk_insn *in, unsigned field)
{
	return writes(in, V0 + field);
}

#endif
