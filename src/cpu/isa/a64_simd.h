/* SPDX-License-Identifier: MIT */
/* The tables of the opcodes of Advanced SIMD, which a64_simd.c and a64_scalar.c share. */
#ifndef PMK_SRC_ISA_A64_SIMD_H
#define PMK_SRC_ISA_A64_SIMD_H

#include "cpu/isa/a64.h"

/* Which forms are allocated. Bit size * 2 + Q is set for each allocated form. Scalar forms have Q =
 * 1. */
#define B    0x03
#define H    0x0c
#define S    0x30
#define D    0x80 /* 2D; 1D has no encoding of its own */
#define D1   0x40
#define BH   (B | H)
#define HS   (H | S)
#define BHS  (B | H | S)
#define BHSD (B | H | S | D)
#define FLO  0x0b /* floating point, 2S 4S 2D, with size [1] clear */
#define FHI  0xb0 /* floating point, with size [1] set */
#define F    (FLO | FHI)
#define Q    0xaa     /* only vectors of 128 bits */
#define A0   H	      /* in classes of FP16, whose size is 1 or 3: a [23] is clear */
#define A1   (D1 | D) /* a [23] is set */

enum {
	FP = 1,
	OLD = 2,      /* the result depends on the old destination */
	OLD_Q = 4,    /* the result depends on the old destination if the upper half is written */
	OLD_SIZE = 8, /* as OLD, unless size is 0: EOR shares its opcode with BSL, BIT and BIF */
	CRYPTO = 16,
	ELEMENT_H = 32, /* the elements have 16 bits, no matter what size is */
	COMPLEX = 64,	/* the elements are complex numbers, each a pair of numbers */
};

/* The operation (enum pmk_vector) in the flags. HI is the operation if size [1] is set. The
 * operation of a row without one is PMK_V_ADD for integers and PMK_V_F_ADD for floating point, or
 * PMK_V_F_MAC if a floating point row keeps the old destination. */
#define OP(op) (PMK_V_##op << 8)
#define HI(op) (PMK_V_##op << 16)

struct op {
	uint8_t forms;
	uint32_t flags;
};

#define NF 0xff /* any size and Q, because the bits are part of the opcode or do not matter */

/* The index of an opcode in its table, if U [29] is set: U is the bit above the opcode. */
#define U(opcode, width) ((1 << (width)) | (opcode))

enum layout {
	TWO,	    /* Rd, Rn */
	THREE,	    /* Rd, Rn, Rm */
	FOUR,	    /* Rd, Rn, Rm, Ra */
	SHIFT,	    /* Rd, Rn; immh is the size */
	BY_ELEMENT, /* element of Rm */
	COPY,	    /* DUP, INS, SMOV, UMOV */
	S_COPY,	    /* DUP of an element to a scalar */
	TABLE,	    /* TBL, TBX */
	EXTRACT,    /* EXT */
	IMMEDIATE,  /* modified immediate: MOVI, ORR, FMOV … */
};

struct class
{
	uint32_t mask, value;
	const struct op *ops;
	uint8_t low, width; /* of the opcode; U [29] is above it */
	uint8_t layout;
};

/* The classes of scalar Advanced SIMD, and of SHA. The last class has no mask. */
extern const struct class pmk_a64_scalar[];

#endif
