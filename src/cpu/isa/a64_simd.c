// SPDX-License-Identifier: MIT
/*
 * Finds the facts about A64 instructions of Advanced SIMD and cryptography (ARM DDI 0487, C4.1,
 * group "Data Processing -- Scalar Floating-Point and Advanced SIMD"). Scalar floating point is in
 * a64_fp.c.
 *
 * Each encoding class has a row in a list of classes, with its mask, and a table of its opcodes. An
 * entry of an opcode says which sizes and vector lengths are allocated, whether it is floating
 * point, and whether the result depends on the old destination. URECPE and URSQRTE share their
 * opcodes with floating point operations, and count as such operations. Scalar Advanced SIMD counts
 * as SIMD, as in the event ASE_SPEC, and so does PMULL of 64 bits, although the manual lists it
 * with cryptography. Moves from and to general registers have no kind, because no event counts
 * them.
 */
#include "cpu/isa/a64_simd.h"

/* clang-format off */

/* Advanced SIMD three same, opcode [15:11] */
static const struct op three_same[64] = {
	[0x00] = { BHS }, [0x01] = { BHSD, OP(SUM) }, [0x02] = { BHS }, /* SHADD, SQADD, SRHADD */
	[0x03] = { NF, OP(LOGIC) },                                     /* AND, BIC, ORR, ORN */
	[0x04] = { BHS }, [0x05] = { BHSD, OP(SUM) },                   /* SHSUB, SQSUB */
	[0x06] = { BHSD }, [0x07] = { BHSD },                           /* CMGT, CMGE */
	[0x08] = { BHSD, OP(SHIFT_BY) }, [0x09] = { BHSD, OP(SHIFT_BY_LIMIT) }, /* SSHL, SQSHL */
	/* SRSHL, SQRSHL */
	[0x0a] = { BHSD, OP(SHIFT_BY_ROUND) }, [0x0b] = { BHSD, OP(SHIFT_BY_LIMIT) },
	[0x0c] = { BHS }, [0x0d] = { BHS },                             /* SMAX, SMIN */
	[0x0e] = { BHS, OP(ABS) }, [0x0f] = { BHS, OLD | OP(ABA) },     /* SABD, SABA */
	[0x10] = { BHSD }, [0x11] = { BHSD, OP(SUM) },                  /* ADD, CMTST */
	[0x12] = { BHS, OLD | OP(MULTIPLY) }, [0x13] = { BHS, OP(MULTIPLY) }, /* MLA, MUL */
	[0x14] = { BHS }, [0x15] = { BHS },                             /* SMAXP, SMINP */
	[0x16] = { HS, OP(MULTIPLY) }, [0x17] = { BHSD, OP(SUM) },      /* SQDMULH, ADDP */
	[0x18] = { F, FP | OP(F_PLAIN) },                               /* FMAXNM FMINNM */
	[0x19] = { F, FP | OLD },                                       /* FMLA FMLS */
	[0x1a] = { F, FP }, [0x1b] = { FLO, FP | OP(F_MUL) },           /* FADD FSUB, FMULX */
	[0x1c] = { FLO, FP | OP(F_COMPARE) },                           /* FCMEQ */
	[0x1d] = { B | S, FP | OLD },                                   /* FMLAL, FMLSL */
	[0x1e] = { F, FP | OP(F_PLAIN) },                               /* FMAX FMIN */
	[0x1f] = { F, FP | OP(F_STEP) },                                /* FRECPS FRSQRTS */
	[U(0x00, 5)] = { BHS }, [U(0x01, 5)] = { BHSD, OP(SUM) },       /* UHADD, UQADD */
	[U(0x02, 5)] = { BHS },                                         /* URHADD */
	[U(0x03, 5)] = { NF, OLD_SIZE | OP(LOGIC) },                    /* EOR, BSL, BIT, BIF */
	[U(0x04, 5)] = { BHS }, [U(0x05, 5)] = { BHSD, OP(SUM) },       /* UHSUB, UQSUB */
	[U(0x06, 5)] = { BHSD }, [U(0x07, 5)] = { BHSD },               /* CMHI, CMHS */
	/* USHL, UQSHL */
	[U(0x08, 5)] = { BHSD, OP(SHIFT_BY) }, [U(0x09, 5)] = { BHSD, OP(SHIFT_BY_LIMIT) },
	/* URSHL, UQRSHL */
	[U(0x0a, 5)] = { BHSD, OP(SHIFT_BY_ROUND) }, [U(0x0b, 5)] = { BHSD, OP(SHIFT_BY_LIMIT) },
	[U(0x0c, 5)] = { BHS }, [U(0x0d, 5)] = { BHS },                 /* UMAX, UMIN */
	[U(0x0e, 5)] = { BHS, OP(ABS) }, [U(0x0f, 5)] = { BHS, OLD | OP(ABA) }, /* UABD, UABA */
	[U(0x10, 5)] = { BHSD }, [U(0x11, 5)] = { BHSD },               /* SUB, CMEQ */
	[U(0x12, 5)] = { BHS, OLD | OP(MULTIPLY) }, [U(0x13, 5)] = { B, OP(POLY) }, /* MLS, PMUL */
	[U(0x14, 5)] = { BHS }, [U(0x15, 5)] = { BHS },                 /* UMAXP, UMINP */
	[U(0x16, 5)] = { HS, OP(MULTIPLY) },                            /* SQRDMULH */
	[U(0x18, 5)] = { F, FP | OP(F_PAIR) },                          /* FMAXNMP FMINNMP */
	[U(0x19, 5)] = { B | S, FP | OLD },                             /* FMLAL2 FMLSL2 */
	/* FADDP FABD, FMUL */
	[U(0x1a, 5)] = { F, FP | OP(F_PAIR_ADD) | HI(F_ADD) },
	[U(0x1b, 5)] = { FLO, FP | OP(F_MUL) },
	[U(0x1c, 5)] = { F, FP | OP(F_COMPARE) },                       /* FCMGE FCMGT */
	[U(0x1d, 5)] = { F, FP | OP(F_COMPARE) },                       /* FACGE FACGT */
	/* FMAXP FMINP, FDIV */
	[U(0x1e, 5)] = { F, FP | OP(F_PAIR) }, [U(0x1f, 5)] = { FLO, FP | OP(DIVIDE) },
};

/* … (FP16), opcode [13:11] */
static const struct op three_same_half[16] = {
	[0] = { A0 | A1, FP | OP(F_PLAIN) },                            /* FMAXNM FMINNM */
	[1] = { A0 | A1, FP | OLD },                                    /* FMLA FMLS */
	[2] = { A0 | A1, FP }, [3] = { A0, FP | OP(F_MUL) },            /* FADD FSUB, FMULX */
	[4] = { A0, FP | OP(F_COMPARE) },                               /* FCMEQ */
	[6] = { A0 | A1, FP | OP(F_PLAIN) },                            /* FMAX FMIN */
	[7] = { A0 | A1, FP | OP(F_STEP) },                             /* FRECPS FRSQRTS */
	[U(0, 3)] = { A0 | A1, FP | OP(F_PAIR) },                       /* FMAXNMP FMINNMP */
	/* FADDP FABD, FMUL */
	[U(2, 3)] = { A0 | A1, FP | OP(F_PAIR_ADD) | HI(F_ADD) },
	[U(3, 3)] = { A0, FP | OP(F_MUL) },
	[U(4, 3)] = { A0 | A1, FP | OP(F_COMPARE) },                    /* FCMGE FCMGT */
	[U(5, 3)] = { A0 | A1, FP | OP(F_COMPARE) },                    /* FACGE FACGT */
	/* FMAXP FMINP, FDIV */
	[U(6, 3)] = { A0 | A1, FP | OP(F_PAIR) }, [U(7, 3)] = { A0, FP | OP(DIVIDE) },
};

/* … (extra), opcode [14:11] */
static const struct op three_same_extra[32] = {
	[2] = { S, OLD | OP(DOT) },                                     /* SDOT */
	/* SQRDMLAH, SQRDMLSH */
	[U(0, 4)] = { HS, OLD | OP(MULTIPLY_ROUND) }, [U(1, 4)] = { HS, OLD | OP(MULTIPLY_ROUND) },
	[U(2, 4)] = { S, OLD | OP(DOT) },                               /* UDOT */
	[U(8, 4)] = { HS | D, FP | OLD }, [U(9, 4)] = { HS | D, FP | OLD }, /* FCMLA */
	[U(10, 4)] = { HS | D, FP | OLD }, [U(11, 4)] = { HS | D, FP | OLD },
	[U(12, 4)] = { HS | D, FP }, [U(14, 4)] = { HS | D, FP },       /* FCADD */
};

/* Advanced SIMD three different, opcode [15:12] */
static const struct op three_different[32] = {
	[0] = { BHS, OP(SUM) }, [1] = { BHS, OP(SUM) },                 /* SADDL, SADDW */
	[2] = { BHS, OP(SUM) }, [3] = { BHS, OP(SUM) },                 /* SSUBL, SSUBW */
	[4] = { BHS, OLD_Q | OP(HIGH) }, [5] = { BHS, OLD | OP(ABAL) }, /* ADDHN, SABAL */
	[6] = { BHS, OLD_Q | OP(HIGH) }, [7] = { BHS, OP(ABS) },        /* SUBHN, SABDL */
	[8] = { BHS, OLD | OP(LONG) }, [9] = { HS, OLD | OP(LONG_LIMIT) }, /* SMLAL, SQDMLAL */
	[10] = { BHS, OLD | OP(LONG) }, [11] = { HS, OLD | OP(LONG_LIMIT) }, /* SMLSL, SQDMLSL */
	/* SMULL, SQDMULL, PMULL */
	[12] = { BHS, OP(LONG) }, [13] = { HS, OP(LONG) },
	[14] = { B | D | D1, OP(POLY_LONG) | HI(POLY_DOUBLE) },
	/* UADDL … */
	[U(0, 4)] = { BHS, OP(SUM) }, [U(1, 4)] = { BHS, OP(SUM) }, [U(2, 4)] = { BHS, OP(SUM) },
	[U(3, 4)] = { BHS, OP(SUM) },
	/* RADDHN, UABAL */
	[U(4, 4)] = { BHS, OLD_Q | OP(HIGH_ROUND) }, [U(5, 4)] = { BHS, OLD | OP(ABAL) },
	/* RSUBHN, UABDL */
	[U(6, 4)] = { BHS, OLD_Q | OP(HIGH_ROUND) }, [U(7, 4)] = { BHS, OP(ABS) },
	/* UMLAL, UMLSL */
	[U(8, 4)] = { BHS, OLD | OP(LONG) }, [U(10, 4)] = { BHS, OLD | OP(LONG) },
	[U(12, 4)] = { BHS, OP(LONG) },                                 /* UMULL */
};

/* Advanced SIMD two-register miscellaneous, opcode [16:12] */
static const struct op two_misc[64] = {
	[0x00] = { BHS }, [0x01] = { B }, [0x02] = { BHS, OP(ABS) },    /* REV64, REV16, SADDLP */
	/* SUQADD, CLS, CNT */
	[0x03] = { BHSD, OLD | OP(SUM) }, [0x04] = { BHS, OP(ABS) }, [0x05] = { B, OP(BITS) },
	[0x06] = { BHS, OLD | OP(ABAL) }, [0x07] = { BHSD, OP(SUM) },   /* SADALP, SQABS */
	[0x08] = { BHSD }, [0x09] = { BHSD },                           /* CMGT, CMEQ */
	[0x0a] = { BHSD }, [0x0b] = { BHSD, OP(ABS) },                  /* CMLT #0, ABS */
	/* FCMGT, FCMEQ */
	[0x0c] = { FHI, FP | OP(F_COMPARE) }, [0x0d] = { FHI, FP | OP(F_COMPARE) },
	[0x0e] = { FHI, FP | OP(F_COMPARE) },                           /* FCMLT #0 */
	[0x0f] = { FHI, FP | OP(F_PLAIN) },                             /* FABS */
	/* XTN, SQXTN */
	[0x12] = { BHS, OLD_Q | OP(XTN) }, [0x14] = { BHS, OLD_Q | OP(NARROW_LIMIT) },
	/* FCVTN, FCVTL */
	[0x16] = { BH, FP | OLD_Q | OP(CONVERT) }, [0x17] = { BH, FP | OP(CONVERT) },
	[0x18] = { F, FP | OP(CONVERT) },                               /* FRINTN FRINTP */
	[0x19] = { F, FP | OP(CONVERT) },                               /* FRINTM FRINTZ */
	[0x1a] = { F, FP | OP(CONVERT) },                               /* FCVTNS FCVTPS */
	[0x1b] = { F, FP | OP(CONVERT) },                               /* FCVTMS FCVTZS */
	[0x1c] = { FLO | S, FP | OP(CONVERT) },                         /* FCVTAS URECPE */
	[0x1d] = { F, FP | OP(CONVERT) },                               /* SCVTF FRECPE */
	/* FRINT32Z, FRINT64Z */
	[0x1e] = { FLO, FP | OP(CONVERT) }, [0x1f] = { FLO, FP | OP(CONVERT) },
	[U(0x00, 5)] = { BH }, [U(0x02, 5)] = { BHS, OP(ABS) },         /* REV32, UADDLP */
	[U(0x03, 5)] = { BHSD, OLD | OP(SUM) }, [U(0x04, 5)] = { BHS, OP(BITS) }, /* USQADD, CLZ */
	[U(0x05, 5)] = { BH, OP(LOGIC) },                               /* NOT, RBIT */
	/* UADALP, SQNEG */
	[U(0x06, 5)] = { BHS, OLD | OP(ABAL) }, [U(0x07, 5)] = { BHSD, OP(SUM) },
	[U(0x08, 5)] = { BHSD }, [U(0x09, 5)] = { BHSD },               /* CMGE, CMLE #0 */
	[U(0x0b, 5)] = { BHSD },                                        /* NEG */
	/* FCMGE, FCMLE #0 */
	[U(0x0c, 5)] = { FHI, FP | OP(F_COMPARE) }, [U(0x0d, 5)] = { FHI, FP | OP(F_COMPARE) },
	[U(0x0f, 5)] = { FHI, FP | OP(F_PLAIN) },                       /* FNEG */
	/* SQXTUN, SHLL */
	[U(0x12, 5)] = { BHS, OLD_Q | OP(NARROW_LIMIT) }, [U(0x13, 5)] = { BHS, OP(SHIFT) },
	[U(0x14, 5)] = { BHS, OLD_Q | OP(NARROW_LIMIT) },               /* UQXTN */
	[U(0x16, 5)] = { H, FP | OLD_Q | OP(CONVERT) },                 /* FCVTXN */
	/* FRINTA, FRINTX FRINTI */
	[U(0x18, 5)] = { FLO, FP | OP(CONVERT) }, [U(0x19, 5)] = { F, FP | OP(CONVERT) },
	[U(0x1a, 5)] = { F, FP | OP(CONVERT) },                         /* FCVTNU FCVTPU */
	[U(0x1b, 5)] = { F, FP | OP(CONVERT) },                         /* FCVTMU FCVTZU */
	[U(0x1c, 5)] = { FLO | S, FP | OP(CONVERT) },                   /* FCVTAU URSQRTE */
	[U(0x1d, 5)] = { F, FP | OP(CONVERT) },                         /* UCVTF FRSQRTE */
	[U(0x1e, 5)] = { FLO, FP | OP(CONVERT) },                       /* FRINT32X */
	[U(0x1f, 5)] = { F, FP | OP(CONVERT) | HI(ROOT) },              /* FRINT64X FSQRT */
};

/* … (FP16), opcode [16:12] */
static const struct op two_misc_half[64] = {
	/* FCMGT, FCMEQ, FCMLT #0 */
	[0x0c] = { A1, FP | OP(F_COMPARE) }, [0x0d] = { A1, FP | OP(F_COMPARE) },
	[0x0e] = { A1, FP | OP(F_COMPARE) },
	[0x0f] = { A1, FP | OP(F_PLAIN) },                              /* FABS */
	[0x18] = { A0 | A1, FP | OP(CONVERT) },                         /* FRINTN FRINTP */
	[0x19] = { A0 | A1, FP | OP(CONVERT) },                         /* FRINTM FRINTZ */
	[0x1a] = { A0 | A1, FP | OP(CONVERT) },                         /* FCVTNS FCVTPS */
	[0x1b] = { A0 | A1, FP | OP(CONVERT) },                         /* FCVTMS FCVTZS */
	/* FCVTAS, SCVTF FRECPE */
	[0x1c] = { A0, FP | OP(CONVERT) }, [0x1d] = { A0 | A1, FP | OP(CONVERT) },
	/* FCMGE, FCMLE #0 */
	[U(0x0c, 5)] = { A1, FP | OP(F_COMPARE) }, [U(0x0d, 5)] = { A1, FP | OP(F_COMPARE) },
	[U(0x0f, 5)] = { A1, FP | OP(F_PLAIN) },                        /* FNEG */
	/* FRINTA, FRINTX FRINTI */
	[U(0x18, 5)] = { A0, FP | OP(CONVERT) }, [U(0x19, 5)] = { A0 | A1, FP | OP(CONVERT) },
	[U(0x1a, 5)] = { A0 | A1, FP | OP(CONVERT) },                   /* FCVTNU FCVTPU */
	[U(0x1b, 5)] = { A0 | A1, FP | OP(CONVERT) },                   /* FCVTMU FCVTZU */
	/* FCVTAU, UCVTF FRSQRTE */
	[U(0x1c, 5)] = { A0, FP | OP(CONVERT) }, [U(0x1d, 5)] = { A0 | A1, FP | OP(CONVERT) },
	[U(0x1f, 5)] = { A1, FP | OP(ROOT) },                           /* FSQRT */
};

/* Advanced SIMD across lanes, opcode [16:12]; there is no form for 2S */
static const struct op across_lanes[64] = {
	/* SADDLV, SMAXV */
	[0x03] = { BH | (S & Q), OP(ACROSS) }, [0x0a] = { BH | (S & Q), OP(MOST) },
	[0x0c] = { B | S, FP | OP(F_ACROSS) },                          /* FMAXNMV FMINNMV, FP16 */
	[0x0f] = { B | S, FP | OP(F_ACROSS) },                          /* FMAXV FMINV, FP16 */
	/* SMINV, ADDV */
	[0x1a] = { BH | (S & Q), OP(MOST) }, [0x1b] = { BH | (S & Q), OP(ACROSS) },
	/* UADDLV, UMAXV */
	[U(0x03, 5)] = { BH | (S & Q), OP(ACROSS) }, [U(0x0a, 5)] = { BH | (S & Q), OP(MOST) },
	[U(0x0c, 5)] = { (B | S) & Q, FP | OP(F_ACROSS) },              /* FMAXNMV FMINNMV */
	[U(0x0f, 5)] = { (B | S) & Q, FP | OP(F_ACROSS) },              /* FMAXV FMINV */
	[U(0x1a, 5)] = { BH | (S & Q), OP(MOST) },                      /* UMINV */
};

/* Advanced SIMD permute, opcode [14:12] */
static const struct op permute[8] = {
	[1] = { BHSD }, [2] = { BHSD }, [3] = { BHSD },                 /* UZP1, TRN1, ZIP1 */
	[5] = { BHSD }, [6] = { BHSD }, [7] = { BHSD },                 /* UZP2, TRN2, ZIP2 */
};

/* Advanced SIMD shift by immediate, opcode [15:11]; the size is that of immh [22:19] */
static const struct op shift[64] = {
	[0x00] = { BHSD, OP(SHIFT) }, [0x02] = { BHSD, OLD | OP(ROUNDING) }, /* SSHR, SSRA */
	[0x04] = { BHSD, OP(ROUNDING) }, [0x06] = { BHSD, OLD | OP(ROUND_SUM) }, /* SRSHR, SRSRA */
	[0x0a] = { BHSD, OP(SHIFT) }, [0x0e] = { BHSD, OP(LIMIT) },     /* SHL, SQSHL */
	/* SHRN, RSHRN */
	[0x10] = { BHS, OLD_Q | OP(NARROW) }, [0x11] = { BHS, OLD_Q | OP(NARROW_ROUND) },
	/* SQSHRN, SQRSHRN */
	[0x12] = { BHS, OLD_Q | OP(NARROW_LIMIT) }, [0x13] = { BHS, OLD_Q | OP(NARROW_LIMIT) },
	[0x14] = { BHS, OP(SHIFT) },                                    /* SSHLL */
	/* SCVTF, FCVTZS */
	[0x1c] = { HS | D, FP | OP(CONVERT) }, [0x1f] = { HS | D, FP | OP(CONVERT) },
	/* USHR, USRA */
	[U(0x00, 5)] = { BHSD, OP(SHIFT) }, [U(0x02, 5)] = { BHSD, OLD | OP(ROUNDING) },
	/* URSHR, URSRA */
	[U(0x04, 5)] = { BHSD, OP(ROUNDING) }, [U(0x06, 5)] = { BHSD, OLD | OP(ROUND_SUM) },
	/* SRI, SLI */
	[U(0x08, 5)] = { BHSD, OLD | OP(SHIFT_INSERT) },
	[U(0x0a, 5)] = { BHSD, OLD | OP(SHIFT_INSERT) },
	[U(0x0c, 5)] = { BHSD, OP(LIMIT) }, [U(0x0e, 5)] = { BHSD, OP(LIMIT) }, /* SQSHLU, UQSHL */
	/* SQSHRUN, SQRSHRUN */
	[U(0x10, 5)] = { BHS, OLD_Q | OP(NARROW_LIMIT) },
	[U(0x11, 5)] = { BHS, OLD_Q | OP(NARROW_LIMIT) },
	/* UQSHRN, UQRSHRN */
	[U(0x12, 5)] = { BHS, OLD_Q | OP(NARROW_LIMIT) },
	[U(0x13, 5)] = { BHS, OLD_Q | OP(NARROW_LIMIT) },
	[U(0x14, 5)] = { BHS, OP(SHIFT) },                              /* USHLL */
	/* UCVTF, FCVTZU */
	[U(0x1c, 5)] = { HS | D, FP | OP(CONVERT) }, [U(0x1f, 5)] = { HS | D, FP | OP(CONVERT) },
};

/* Advanced SIMD vector x indexed element, opcode [15:12] */
static const struct op indexed[32] = {
	/* FMLAL, FMLSL */
	[0x0] = { S, FP | OLD | ELEMENT_H | OP(F_MAC_ELEMENT) },
	[0x4] = { S, FP | OLD | ELEMENT_H | OP(F_MAC_ELEMENT) },
	/* FMLA, FMLS */
	[0x1] = { B | S | D, FP | OLD | OP(F_MAC_ELEMENT) },
	[0x5] = { B | S | D, FP | OLD | OP(F_MAC_ELEMENT) },
	[0x2] = { HS, OLD | OP(LONG) }, [0x3] = { HS, OLD | OP(LONG_LIMIT) }, /* SMLAL, SQDMLAL */
	[0x6] = { HS, OLD | OP(LONG) }, [0x7] = { HS, OLD | OP(LONG_LIMIT) }, /* SMLSL, SQDMLSL */
	[0x8] = { HS, OP(MULTIPLY_ELEMENT) }, [0x9] = { B | S | D, FP | OP(F_MUL) }, /* MUL, FMUL */
	[0xa] = { HS, OP(LONG) }, [0xb] = { HS, OP(LONG) },             /* SMULL, SQDMULL */
	/* SQDMULH, SQRDMULH */
	[0xc] = { HS, OP(MULTIPLY_ELEMENT) }, [0xd] = { HS, OP(MULTIPLY_ELEMENT) },
	[0xe] = { S, OLD | OP(DOT) },                                   /* SDOT */
	/* MLA, MLS */
	[U(0x0, 4)] = { HS, OLD | OP(MULTIPLY_ELEMENT) },
	[U(0x4, 4)] = { HS, OLD | OP(MULTIPLY_ELEMENT) },
	/* FCMLA */
	[U(0x1, 4)] = { HS, FP | OLD | COMPLEX }, [U(0x3, 4)] = { HS, FP | OLD | COMPLEX },
	[U(0x5, 4)] = { HS, FP | OLD | COMPLEX }, [U(0x7, 4)] = { HS, FP | OLD | COMPLEX },
	/* UMLAL, UMLSL */
	[U(0x2, 4)] = { HS, OLD | OP(LONG) }, [U(0x6, 4)] = { HS, OLD | OP(LONG) },
	[U(0x8, 4)] = { S, FP | OLD | ELEMENT_H | OP(F_MAC_ELEMENT) },  /* FMLAL2 */
	[U(0xc, 4)] = { S, FP | OLD | ELEMENT_H | OP(F_MAC_ELEMENT) },  /* FMLSL2 */
	[U(0x9, 4)] = { B | S | D, FP | OP(F_MUL) },                    /* FMULX */
	/* UMULL, SQRDMLAH */
	[U(0xa, 4)] = { HS, OP(LONG) }, [U(0xd, 4)] = { HS, OLD | OP(MULTIPLY_ROUND) },
	/* UDOT, SQRDMLSH */
	[U(0xe, 4)] = { S, OLD | OP(DOT) }, [U(0xf, 4)] = { HS, OLD | OP(MULTIPLY_ROUND) },
};

/* Cryptographic AES, opcode [16:12] */
static const struct op aes[32] = {
	[4] = { NF, CRYPTO | OLD | OP(AES) }, [5] = { NF, CRYPTO | OLD | OP(AES) }, /* AESE, AESD */
	[6] = { NF, CRYPTO | OP(AES_MIX) }, [7] = { NF, CRYPTO | OP(AES_MIX) }, /* AESMC, AESIMC */
};

/* Cryptographic three-register SHA 512, O [14] and opcode [11:10]; SM3 and SM4 with O */
static const struct op sha512_three[32] = {
	[0x00] = { NF, CRYPTO | OLD }, [0x01] = { NF, CRYPTO | OLD },   /* SHA512H, SHA512H2 */
	[0x02] = { NF, CRYPTO | OLD }, [0x03] = { NF, CRYPTO },         /* SHA512SU1, RAX1 */
	[0x10] = { NF, CRYPTO | OLD }, [0x11] = { NF, CRYPTO | OLD },   /* SM3PARTW1, SM3PARTW2 */
	[0x12] = { NF, CRYPTO },                                        /* SM4EKEY */
};

/* Cryptographic two-register SHA 512, opcode [11:10] */
static const struct op sha512_two[4] = {
	[0] = { NF, CRYPTO | OLD }, [1] = { NF, CRYPTO | OLD },         /* SHA512SU0, SM4E */
};

/* Cryptographic three-register, imm2, opcode [11:10]: SM3TT1A … SM3TT2B */
static const struct op sm3_three[4] = {
	{ NF, CRYPTO | OLD }, { NF, CRYPTO | OLD }, { NF, CRYPTO | OLD }, { NF, CRYPTO | OLD },
};

/* Cryptographic four-register, Op0 [22:21] */
static const struct op crypto_four[4] = {
	{ NF, CRYPTO }, { NF, CRYPTO }, { NF, CRYPTO },                /* EOR3, BCAX, SM3SS1 */
};

/* XAR has an encoding class of its own */
static const struct op xar[1] = { { NF, CRYPTO } };

/* Vectors: [31] and [28] are clear. */
static const struct class vector[] = {
	{ 0x9f200400, 0x0e200400, three_same, 11, 5, THREE },
	{ 0x9ff80400, 0x0f000400, NULL, 0, 0, IMMEDIATE }, /* modified immediate: immh = 0 */
	{ 0x9f800400, 0x0f000400, shift, 11, 5, SHIFT },
	{ 0x9fe08400, 0x0e000400, NULL, 0, 0, COPY },
	{ 0xbf208c00, 0x0e000800, permute, 12, 3, THREE },
	{ 0xbfe08400, 0x2e000000, NULL, 0, 0, EXTRACT },
	{ 0x9f3e0c00, 0x0e200800, two_misc, 12, 5, TWO },
	{ 0x9f200c00, 0x0e200000, three_different, 12, 4, THREE },
	{ 0x9f000400, 0x0f000000, indexed, 12, 4, BY_ELEMENT },
	{ 0x9f3e0c00, 0x0e300800, across_lanes, 12, 5, TWO },
	{ 0xbfe08c00, 0x0e000000, NULL, 0, 0, TABLE },
	{ 0xfffe0c00, 0x4e280800, aes, 12, 5, TWO },
	{ 0x9f208400, 0x0e008400, three_same_extra, 11, 4, THREE },
	{ 0x9f60c400, 0x0e400400, three_same_half, 11, 3, THREE },
	{ 0x9f7e0c00, 0x0e780800, two_misc_half, 12, 5, TWO },
	{ 0 },
};

/* Cryptography: [31:24] is 0xce. */
static const struct class crypto[] = {
	{ 0xff808000, 0xce000000, crypto_four,        21, 2, FOUR },
	{ 0xffe0c000, 0xce408000, sm3_three,          10, 2, THREE },
	{ 0xffe0b000, 0xce608000, sha512_three,       10, 5, THREE },
	{ 0xffe00000, 0xce800000, xar,                 0, 0, THREE },
	{ 0xfffff000, 0xcec08000, sha512_two,         10, 2, TWO },
	{ 0 },
};
/* clang-format on */

/* ---- layouts -------------------------------------------------------------------------------- */

static void three_registers(uint32_t w, unsigned m, struct pmk_insn *in)
{
	in->rn = reads_v(in, bits(w, 9, 5));
	in->rm = reads_v(in, m);
	in->rd = writes_v(in, bits(w, 4, 0));
}

static void two_registers(uint32_t w, struct pmk_insn *in)
{
	in->rn = reads_v(in, bits(w, 9, 5));
	in->rd = writes_v(in, bits(w, 4, 0));
}

static void keeps_old(uint32_t w, struct pmk_insn *in)
{
	in->ra = reads_v(in, bits(w, 4, 0));
}

/* Decodes the index of the element: L [21], M [20], H [11]. Elements of 16 bits must be in V0 to
 * V15, because M is a part of their index. */
static bool by_element(uint32_t w, unsigned size, unsigned flags, struct pmk_insn *in)
{
	bool half = size < 2 || (flags & ELEMENT_H);

	if (flags & COMPLEX) {
		half = false;
		if (size == 1 ? bit(w, 11) && !bit(w, 30) : bit(w, 21) || !bit(w, 30))
			return false;
	}
	three_registers(w, half ? bits(w, 19, 16) : bits(w, 20, 16), in);
	return size != 3 || !bit(w, 21);
}

/* True if the elements of a division or a square root have 64 bits. Operations on elements of 16
 * bits have other opcodes, in which bit 21 or 20 is not the size. */
static bool has_doubles(uint32_t w, unsigned op)
{
	return bit(w, 22) && (op == PMK_V_DIVIDE ? bit(w, 21) : !bit(w, 20));
}

static unsigned elements(uint32_t w, unsigned bytes)
{
	return bit(w, 28) ? 1 : (bit(w, 30) ? 16u : 8u) / bytes;
}

/* Returns the number of bytes of a floating point element. Only classes of half precision require
 * bit 22 to have a fixed value. */
static unsigned float_bytes(uint32_t w, const struct class *c, unsigned size)
{
	bool half = bit(c->mask, 22);

	return half ? 2 : c->layout == SHIFT ? 1u << size : bit(w, 22) ? 8 : 4;
}

/* Returns the operation of a row. For some rows, it depends on the number of elements. */
static uint8_t operation(uint32_t w, const struct class *c, struct op op, unsigned size)
{
	unsigned v = op.flags >> 16 && size >= 2 ? op.flags >> 16 : op.flags >> 8 & 0xff, n;
	bool fp = op.flags & FP;

	if (op.flags & CRYPTO)
		return (uint8_t)v;
	if (v == PMK_V_PLAIN)
		return fp ? op.flags & OLD ? PMK_V_F_MAC : PMK_V_F_ADD : PMK_V_ADD;
	if (v == PMK_V_LOGIC && (op.flags & OLD_SIZE) && size)
		return PMK_V_BITS;
	n = elements(w, fp ? float_bytes(w, c, size) : 1u << size);
	if (v == PMK_V_ACROSS || v == PMK_V_MOST)
		return (uint8_t)(v + (n > 8 ? 2 : n > 4 ? 1 : 0));
	if (v == PMK_V_F_ACROSS)
		return (uint8_t)(v + !bit(w, 29));
	if (v == PMK_V_CONVERT && c->ops == two_misc && (bits(w, 16, 12) | 1) == 0x17)
		return bit(w, 22) || bits(w, 16, 12) == 0x16 ? PMK_V_CONVERT : PMK_V_LENGTHEN;
	if (v == PMK_V_CONVERT)
		return (uint8_t)(v + (n > 4 ? 2 : n > 2 ? 1 : 0));
	return (uint8_t)v;
}

/* True if the operands or the result have 128 bits, no matter what Q is. */
static bool is_of_two_widths(uint32_t w, const struct class *c, unsigned op)
{
	unsigned opcode = bits(w, 16, 12);

	if (c->ops == two_misc) /* XTN, SHLL; SQXTN; FCVTN, FCVTL */
		return opcode >= 0x12 && opcode <= 0x17;
	if (c->ops == shift) /* SHRN … SSHLL */
		return bits(w, 15, 11) >= 0x10 && bits(w, 15, 11) <= 0x14;
	if (c->ops == indexed)
		return op == PMK_V_LONG || op == PMK_V_LONG_LIMIT;
	return c->ops == three_different;
}

static bool by_class(uint32_t w, const struct class *c, struct pmk_insn *in)
{
	unsigned opcode = (w >> c->low) & ((1u << c->width) - 1);
	struct op op = c->ops[bits(w, 29, 29) << c->width | opcode];
	unsigned size = bits(w, 23, 22);

	if (c->layout == SHIFT) {
		if (bits(w, 22, 19) == 0)
			return false;
		size = 31 - (unsigned)__builtin_clz(bits(w, 22, 19));
	}
	if (!(op.forms >> (size * 2 + bits(w, 30, 30)) & 1))
		return false;
	in->iclass = op.flags & CRYPTO ? PMK_I_CRYPTO : op.flags & FP ? PMK_I_SIMD_FP : PMK_I_SIMD;
	in->kind = op.flags & CRYPTO ? PMK_K_CRYPTO : PMK_K_ASE;
	in->vector = operation(w, c, op, size);
	in->quad = in->quad || is_of_two_widths(w, c, in->vector);
	if (in->vector == PMK_V_DIVIDE || in->vector == PMK_V_ROOT)
		in->wide = has_doubles(w, in->vector);
	if ((op.flags & OLD) || ((op.flags & OLD_Q) && bit(w, 30)) ||
	    ((op.flags & OLD_SIZE) && size != 0))
		keeps_old(w, in);
	switch (c->layout) {
	case TWO:
	case SHIFT:
		two_registers(w, in);
		break;
	case BY_ELEMENT:
		return by_element(w, size, op.flags, in);
	case FOUR:
		in->ra = reads_v(in, bits(w, 14, 10));
		/* fall through */
	default:
		three_registers(w, bits(w, 20, 16), in);
	}
	return true;
}

/* Decodes op [29], imm4 [14:11]: DUP, INS, SMOV, UMOV. The lowest bit set in imm5 [19:16] is the
 * size. */
static bool decode_copy(uint32_t w, struct pmk_insn *in)
{
	unsigned size = (unsigned)__builtin_ctz(bits(w, 19, 16) | 16);
	bool full = bit(w, 30);
	unsigned d = bits(w, 4, 0), n = bits(w, 9, 5);

	if (size > 3)
		return false;
	if (bit(w, 29)) { /* INS from an element */
		keeps_old(w, in);
		two_registers(w, in);
		return full;
	}
	if (bits(w, 14, 11) == 0) { /* DUP from an element */
		two_registers(w, in);
		return full || size < 3;
	}
	in->iclass = PMK_I_FP_MOVE;
	in->vector = bit(w, 13) ? PMK_V_MOVE_OUT : PMK_V_INSERT;
	in->kind = 0;
	switch (bits(w, 14, 11)) {
	case 3: /* INS */
		keeps_old(w, in);
		if (!full)
			return false;
		/* fall through */
	case 1: /* DUP */
		in->rn = reads_x(in, n);
		in->rd = writes_v(in, d);
		return full || size < 3;
	case 5: /* SMOV */
	case 7: /* UMOV */
		in->rn = reads_v(in, n);
		in->rd = writes_x(in, d);
		return bits(w, 14, 11) == 5 ? size < (full ? 3 : 2) : full == (size == 3);
	}
	return false;
}

/* Decodes TBL and TBX: The table consists of len [14:13] + 1 registers from Rn on, and V0 follows
 * V31. */
static void decode_table(uint32_t w, struct pmk_insn *in)
{
	three_registers(w, bits(w, 20, 16), in);
	for (unsigned i = 1; i <= bits(w, 14, 13); i++)
		reads_v(in, (bits(w, 9, 5) + i) & 31);
	if (bit(w, 12))
		keeps_old(w, in);
	in->vector = (uint8_t)((bit(w, 12) ? PMK_V_TABLE_KEEP : PMK_V_TABLE) + bits(w, 14, 13));
}

/* Decodes cmode [15:12], op [29] and o2 [11]. They select MOVI, MVNI or FMOV. Odd values of cmode
 * below 12 select ORR and BIC, which change the old value. If o2 is set, the instruction is an FMOV
 * of half precision. FMOV of 2D has no form of 64 bits. */
static bool modified_immediate(uint32_t w, struct pmk_insn *in)
{
	unsigned cmode = bits(w, 15, 12);

	in->vector = PMK_V_LOGIC;
	in->rd = writes_v(in, bits(w, 4, 0));
	if (cmode < 12 && (cmode & 1))
		keeps_old(w, in);
	if (bit(w, 11))
		return cmode == 15 && !bit(w, 29);
	return cmode != 15 || !bit(w, 29) || bit(w, 30);
}

static bool by_row(uint32_t w, const struct class *c, struct pmk_insn *in)
{
	while ((w & c->mask) != c->value)
		c++;
	if (!c->mask)
		return false;
	in->quad = bit(w, 30) && !bit(w, 28);
	if (c->ops)
		return by_class(w, c, in);
	in->iclass = PMK_I_SIMD;
	in->kind = PMK_K_ASE;
	in->vector = PMK_V_ADD;
	switch ((enum layout)c->layout) {
	case COPY:
		return decode_copy(w, in);
	case S_COPY:
		two_registers(w, in);
		return bits(w, 19, 16) != 0;
	case TABLE:
		decode_table(w, in);
		return true;
	case EXTRACT: /* imm4 [14:11] */
		three_registers(w, bits(w, 20, 16), in);
		return bit(w, 30) || !bit(w, 14);
	case IMMEDIATE:
		return modified_immediate(w, in);
	case TWO:
	case THREE:
	case FOUR:
	case SHIFT:
	case BY_ELEMENT:
		break;
	}
	return false;
}

/* Decodes op0 [31:28]: 0x0 vectors, 01x1 scalars, 1100 cryptography, x0x1 scalar floating point. */
bool pmk_a64_simd(uint32_t w, struct pmk_insn *in)
{
	if (bit(w, 28))
		return bit(w, 30) ? !bit(w, 31) && by_row(w, pmk_a64_scalar, in)
				  : pmk_a64_fp(w, in);
	if (!bit(w, 31))
		return by_row(w, vector, in);
	return by_row(w, crypto, in);
}
