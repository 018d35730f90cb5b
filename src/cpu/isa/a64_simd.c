// SPDX-License-Identifier: MIT
/*
 * Instruction facts for A64: Advanced SIMD and cryptography (ARM DDI 0487, C4.1, group "Data
 * Processing -- Scalar Floating-Point and Advanced SIMD"); scalar floating point is in a64_fp.c.
 *
 * Each encoding class has a row in a list of classes, with its mask, and a table of its opcodes. An
 * entry of an opcode says which sizes and vector lengths are allocated, whether it is floating
 * point, and whether the result depends on the old destination. URECPE and URSQRTE share their
 * opcodes with floating point operations and count as such. Scalar Advanced SIMD counts as SIMD, as
 * in the event ASE_SPEC, and so does PMULL of 64 bits, although the manual lists it with
 * cryptography. Moves from and to general registers have no kind, because no event counts them.
 */
#include "cpu/isa/a64.h"

/* Which forms are allocated: bit size * 2 + Q is set for each. Scalar forms have Q = 1. */
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
#define Q    0xaa     /* full vectors only */
#define A0   H	      /* in classes of FP16, whose size is 1 or 3: a [23] is clear */
#define A1   (D1 | D) /* a [23] is set */

enum {
	FP = 1,
	OLD = 2,      /* the result depends on the old destination */
	OLD_Q = 4,    /* it does if the upper half is written */
	OLD_SIZE = 8, /* it does unless size is 0: EOR shares its opcode with BSL, BIT, BIF */
	CRYPTO = 16,
	ELEMENT_H = 32, /* an element of 16 bits whatever size says */
	COMPLEX = 64,	/* pairs of elements */
	/* enum pmk_vector */
	MUL = PMK_V_MULTIPLY << 8,
	LONG = PMK_V_LONG << 8,
	VAR = PMK_V_SHIFT_BY << 8,
	RND = PMK_V_ROUNDING << 8,
	ZIP = PMK_V_ZIP << 8,
	AES = PMK_V_AES << 8,
	AES_MIX = PMK_V_AES_MIX << 8,
	SHA_FAST = PMK_V_SHA_FAST << 8,
	SHA_XOR = PMK_V_SHA_XOR << 8,
	SHA_SLOW = PMK_V_SHA_SLOW << 8,
};

struct op {
	uint8_t forms;
	uint16_t flags;
};

#define NF 0xff /* any size and Q: the bits are part of the opcode or do not matter */

/* clang-format off */

/* Opcodes are listed by U:opcode. */
#define U(opcode, width) ((1 << (width)) | (opcode))

/* Advanced SIMD three same, opcode [15:11] */
static const struct op three_same[64] = {
	[0x00] = { BHS }, [0x01] = { BHSD }, [0x02] = { BHS },          /* SHADD, SQADD, SRHADD */
	[0x03] = { NF },                                                /* AND, BIC, ORR, ORN */
	[0x04] = { BHS }, [0x05] = { BHSD },                            /* SHSUB, SQSUB */
	[0x06] = { BHSD }, [0x07] = { BHSD },                           /* CMGT, CMGE */
	[0x08] = { BHSD, VAR }, [0x09] = { BHSD, VAR },                 /* SSHL, SQSHL */
	[0x0a] = { BHSD, VAR }, [0x0b] = { BHSD, VAR },                 /* SRSHL, SQRSHL */
	[0x0c] = { BHS }, [0x0d] = { BHS },                             /* SMAX, SMIN */
	[0x0e] = { BHS }, [0x0f] = { BHS, OLD },                        /* SABD, SABA */
	[0x10] = { BHSD }, [0x11] = { BHSD },                           /* ADD, CMTST */
	[0x12] = { BHS, OLD | MUL }, [0x13] = { BHS, MUL },             /* MLA, MUL */
	[0x14] = { BHS }, [0x15] = { BHS },                             /* SMAXP, SMINP */
	[0x16] = { HS, MUL }, [0x17] = { BHSD },                        /* SQDMULH, ADDP */
	[0x18] = { F, FP },                                             /* FMAXNM FMINNM */
	[0x19] = { F, FP | OLD },                                       /* FMLA FMLS */
	[0x1a] = { F, FP }, [0x1b] = { FLO, FP },                       /* FADD FSUB, FMULX */
	[0x1c] = { FLO, FP },                                           /* FCMEQ */
	[0x1d] = { B | S, FP | OLD },                                   /* FMLAL, FMLSL */
	[0x1e] = { F, FP },                                             /* FMAX FMIN */
	[0x1f] = { F, FP },                                             /* FRECPS FRSQRTS */
	[U(0x00, 5)] = { BHS }, [U(0x01, 5)] = { BHSD },                /* UHADD, UQADD */
	[U(0x02, 5)] = { BHS },                                         /* URHADD */
	[U(0x03, 5)] = { NF, OLD_SIZE },                                /* EOR, BSL, BIT, BIF */
	[U(0x04, 5)] = { BHS }, [U(0x05, 5)] = { BHSD },                /* UHSUB, UQSUB */
	[U(0x06, 5)] = { BHSD }, [U(0x07, 5)] = { BHSD },               /* CMHI, CMHS */
	[U(0x08, 5)] = { BHSD, VAR }, [U(0x09, 5)] = { BHSD, VAR },     /* USHL, UQSHL */
	[U(0x0a, 5)] = { BHSD, VAR }, [U(0x0b, 5)] = { BHSD, VAR },     /* URSHL, UQRSHL */
	[U(0x0c, 5)] = { BHS }, [U(0x0d, 5)] = { BHS },                 /* UMAX, UMIN */
	[U(0x0e, 5)] = { BHS }, [U(0x0f, 5)] = { BHS, OLD },            /* UABD, UABA */
	[U(0x10, 5)] = { BHSD }, [U(0x11, 5)] = { BHSD },               /* SUB, CMEQ */
	[U(0x12, 5)] = { BHS, OLD | MUL }, [U(0x13, 5)] = { B, MUL },   /* MLS, PMUL */
	[U(0x14, 5)] = { BHS }, [U(0x15, 5)] = { BHS },                 /* UMAXP, UMINP */
	[U(0x16, 5)] = { HS, MUL },                                     /* SQRDMULH */
	[U(0x18, 5)] = { F, FP },                                       /* FMAXNMP FMINNMP */
	[U(0x19, 5)] = { B | S, FP | OLD },                             /* FMLAL2 FMLSL2 */
	[U(0x1a, 5)] = { F, FP }, [U(0x1b, 5)] = { FLO, FP },           /* FADDP FABD, FMUL */
	[U(0x1c, 5)] = { F, FP },                                       /* FCMGE FCMGT */
	[U(0x1d, 5)] = { F, FP },                                       /* FACGE FACGT */
	[U(0x1e, 5)] = { F, FP }, [U(0x1f, 5)] = { FLO, FP },           /* FMAXP FMINP, FDIV */
};

/* … (FP16), opcode [13:11] */
static const struct op three_same_half[16] = {
	[0] = { A0 | A1, FP },                                          /* FMAXNM FMINNM */
	[1] = { A0 | A1, FP | OLD },                                    /* FMLA FMLS */
	[2] = { A0 | A1, FP }, [3] = { A0, FP },                        /* FADD FSUB, FMULX */
	[4] = { A0, FP },                                               /* FCMEQ */
	[6] = { A0 | A1, FP },                                          /* FMAX FMIN */
	[7] = { A0 | A1, FP },                                          /* FRECPS FRSQRTS */
	[U(0, 3)] = { A0 | A1, FP },                                    /* FMAXNMP FMINNMP */
	[U(2, 3)] = { A0 | A1, FP }, [U(3, 3)] = { A0, FP },            /* FADDP FABD, FMUL */
	[U(4, 3)] = { A0 | A1, FP },                                    /* FCMGE FCMGT */
	[U(5, 3)] = { A0 | A1, FP },                                    /* FACGE FACGT */
	[U(6, 3)] = { A0 | A1, FP }, [U(7, 3)] = { A0, FP },            /* FMAXP FMINP, FDIV */
};

/* … (extra), opcode [14:11] */
static const struct op three_same_extra[32] = {
	[2] = { S, OLD | MUL },                                         /* SDOT */
	[U(0, 4)] = { HS, OLD | MUL }, [U(1, 4)] = { HS, OLD | MUL },   /* SQRDMLAH, SQRDMLSH */
	[U(2, 4)] = { S, OLD | MUL },                                   /* UDOT */
	[U(8, 4)] = { HS | D, FP | OLD }, [U(9, 4)] = { HS | D, FP | OLD }, /* FCMLA */
	[U(10, 4)] = { HS | D, FP | OLD }, [U(11, 4)] = { HS | D, FP | OLD },
	[U(12, 4)] = { HS | D, FP }, [U(14, 4)] = { HS | D, FP },       /* FCADD */
};

/* Advanced SIMD three different, opcode [15:12] */
static const struct op three_different[32] = {
	[0] = { BHS }, [1] = { BHS },                                   /* SADDL, SADDW */
	[2] = { BHS }, [3] = { BHS },                                   /* SSUBL, SSUBW */
	[4] = { BHS, OLD_Q }, [5] = { BHS, OLD },                       /* ADDHN, SABAL */
	[6] = { BHS, OLD_Q }, [7] = { BHS },                            /* SUBHN, SABDL */
	[8] = { BHS, OLD | LONG }, [9] = { HS, OLD | LONG },            /* SMLAL, SQDMLAL */
	[10] = { BHS, OLD | LONG }, [11] = { HS, OLD | LONG },          /* SMLSL, SQDMLSL */
	/* SMULL, SQDMULL, PMULL */
	[12] = { BHS, LONG }, [13] = { HS, LONG }, [14] = { B | D | D1, LONG },
	/* UADDL … */
	[U(0, 4)] = { BHS }, [U(1, 4)] = { BHS }, [U(2, 4)] = { BHS }, [U(3, 4)] = { BHS },
	[U(4, 4)] = { BHS, OLD_Q }, [U(5, 4)] = { BHS, OLD },           /* RADDHN, UABAL */
	[U(6, 4)] = { BHS, OLD_Q }, [U(7, 4)] = { BHS },                /* RSUBHN, UABDL */
	[U(8, 4)] = { BHS, OLD | LONG }, [U(10, 4)] = { BHS, OLD | LONG }, /* UMLAL, UMLSL */
	[U(12, 4)] = { BHS, LONG },                                     /* UMULL */
};

/* Advanced SIMD two-register miscellaneous, opcode [16:12] */
static const struct op two_misc[64] = {
	[0x00] = { BHS }, [0x01] = { B }, [0x02] = { BHS },             /* REV64, REV16, SADDLP */
	[0x03] = { BHSD, OLD }, [0x04] = { BHS }, [0x05] = { B },       /* SUQADD, CLS, CNT */
	[0x06] = { BHS, OLD }, [0x07] = { BHSD },                       /* SADALP, SQABS */
	[0x08] = { BHSD }, [0x09] = { BHSD },                           /* CMGT, CMEQ */
	[0x0a] = { BHSD }, [0x0b] = { BHSD },                           /* CMLT #0, ABS */
	[0x0c] = { FHI, FP }, [0x0d] = { FHI, FP },                     /* FCMGT, FCMEQ */
	[0x0e] = { FHI, FP },                                           /* FCMLT #0 */
	[0x0f] = { FHI, FP },                                           /* FABS */
	[0x12] = { BHS, OLD_Q }, [0x14] = { BHS, OLD_Q },               /* XTN, SQXTN */
	[0x16] = { BH, FP | OLD_Q }, [0x17] = { BH, FP },               /* FCVTN, FCVTL */
	[0x18] = { F, FP },                                             /* FRINTN FRINTP */
	[0x19] = { F, FP },                                             /* FRINTM FRINTZ */
	[0x1a] = { F, FP },                                             /* FCVTNS FCVTPS */
	[0x1b] = { F, FP },                                             /* FCVTMS FCVTZS */
	[0x1c] = { FLO | S, FP },                                       /* FCVTAS URECPE */
	[0x1d] = { F, FP },                                             /* SCVTF FRECPE */
	[0x1e] = { FLO, FP }, [0x1f] = { FLO, FP },                     /* FRINT32Z, FRINT64Z */
	[U(0x00, 5)] = { BH }, [U(0x02, 5)] = { BHS },                  /* REV32, UADDLP */
	[U(0x03, 5)] = { BHSD, OLD }, [U(0x04, 5)] = { BHS },           /* USQADD, CLZ */
	[U(0x05, 5)] = { BH },                                          /* NOT, RBIT */
	[U(0x06, 5)] = { BHS, OLD }, [U(0x07, 5)] = { BHSD },           /* UADALP, SQNEG */
	[U(0x08, 5)] = { BHSD }, [U(0x09, 5)] = { BHSD },               /* CMGE, CMLE #0 */
	[U(0x0b, 5)] = { BHSD },                                        /* NEG */
	[U(0x0c, 5)] = { FHI, FP }, [U(0x0d, 5)] = { FHI, FP },         /* FCMGE, FCMLE #0 */
	[U(0x0f, 5)] = { FHI, FP },                                     /* FNEG */
	[U(0x12, 5)] = { BHS, OLD_Q }, [U(0x13, 5)] = { BHS },          /* SQXTUN, SHLL */
	[U(0x14, 5)] = { BHS, OLD_Q },                                  /* UQXTN */
	[U(0x16, 5)] = { H, FP | OLD_Q },                               /* FCVTXN */
	[U(0x18, 5)] = { FLO, FP }, [U(0x19, 5)] = { F, FP },           /* FRINTA, FRINTX FRINTI */
	[U(0x1a, 5)] = { F, FP },                                       /* FCVTNU FCVTPU */
	[U(0x1b, 5)] = { F, FP },                                       /* FCVTMU FCVTZU */
	[U(0x1c, 5)] = { FLO | S, FP },                                 /* FCVTAU URSQRTE */
	[U(0x1d, 5)] = { F, FP },                                       /* UCVTF FRSQRTE */
	[U(0x1e, 5)] = { FLO, FP },                                     /* FRINT32X */
	[U(0x1f, 5)] = { F, FP },                                       /* FRINT64X FSQRT */
};

/* … (FP16), opcode [16:12] */
static const struct op two_misc_half[64] = {
	[0x0c] = { A1, FP }, [0x0d] = { A1, FP }, [0x0e] = { A1, FP },  /* FCMGT, FCMEQ, FCMLT #0 */
	[0x0f] = { A1, FP },                                            /* FABS */
	[0x18] = { A0 | A1, FP },                                       /* FRINTN FRINTP */
	[0x19] = { A0 | A1, FP },                                       /* FRINTM FRINTZ */
	[0x1a] = { A0 | A1, FP },                                       /* FCVTNS FCVTPS */
	[0x1b] = { A0 | A1, FP },                                       /* FCVTMS FCVTZS */
	[0x1c] = { A0, FP }, [0x1d] = { A0 | A1, FP },                  /* FCVTAS, SCVTF FRECPE */
	[U(0x0c, 5)] = { A1, FP }, [U(0x0d, 5)] = { A1, FP },           /* FCMGE, FCMLE #0 */
	[U(0x0f, 5)] = { A1, FP },                                      /* FNEG */
	[U(0x18, 5)] = { A0, FP }, [U(0x19, 5)] = { A0 | A1, FP },      /* FRINTA, FRINTX FRINTI */
	[U(0x1a, 5)] = { A0 | A1, FP },                                 /* FCVTNU FCVTPU */
	[U(0x1b, 5)] = { A0 | A1, FP },                                 /* FCVTMU FCVTZU */
	[U(0x1c, 5)] = { A0, FP }, [U(0x1d, 5)] = { A0 | A1, FP },      /* FCVTAU, UCVTF FRSQRTE */
	[U(0x1f, 5)] = { A1, FP },                                      /* FSQRT */
};

/* Advanced SIMD across lanes, opcode [16:12]; there is no form for 2S */
static const struct op across_lanes[64] = {
	[0x03] = { BH | (S & Q) }, [0x0a] = { BH | (S & Q) },           /* SADDLV, SMAXV */
	[0x0c] = { B | S, FP },                                         /* FMAXNMV FMINNMV, FP16 */
	[0x0f] = { B | S, FP },                                         /* FMAXV FMINV, FP16 */
	[0x1a] = { BH | (S & Q) }, [0x1b] = { BH | (S & Q) },           /* SMINV, ADDV */
	[U(0x03, 5)] = { BH | (S & Q) }, [U(0x0a, 5)] = { BH | (S & Q) }, /* UADDLV, UMAXV */
	[U(0x0c, 5)] = { (B | S) & Q, FP },                             /* FMAXNMV FMINNMV */
	[U(0x0f, 5)] = { (B | S) & Q, FP },                             /* FMAXV FMINV */
	[U(0x1a, 5)] = { BH | (S & Q) },                                /* UMINV */
};

/* Advanced SIMD permute, opcode [14:12] */
static const struct op permute[8] = {
	[1] = { BHSD, ZIP }, [2] = { BHSD }, [3] = { BHSD, ZIP },       /* UZP1, TRN1, ZIP1 */
	[5] = { BHSD, ZIP }, [6] = { BHSD }, [7] = { BHSD, ZIP },       /* UZP2, TRN2, ZIP2 */
};

/* Advanced SIMD shift by immediate, opcode [15:11]; the size is that of immh [22:19] */
static const struct op shift[64] = {
	[0x00] = { BHSD }, [0x02] = { BHSD, OLD | RND },                /* SSHR, SSRA */
	[0x04] = { BHSD, RND }, [0x06] = { BHSD, OLD | RND },           /* SRSHR, SRSRA */
	[0x0a] = { BHSD }, [0x0e] = { BHSD, RND },                      /* SHL, SQSHL */
	[0x10] = { BHS, OLD_Q }, [0x11] = { BHS, OLD_Q | RND },         /* SHRN, RSHRN */
	[0x12] = { BHS, OLD_Q | RND }, [0x13] = { BHS, OLD_Q | RND },   /* SQSHRN, SQRSHRN */
	[0x14] = { BHS },                                               /* SSHLL */
	[0x1c] = { HS | D, FP }, [0x1f] = { HS | D, FP },               /* SCVTF, FCVTZS */
	[U(0x00, 5)] = { BHSD }, [U(0x02, 5)] = { BHSD, OLD | RND },    /* USHR, USRA */
	[U(0x04, 5)] = { BHSD, RND }, [U(0x06, 5)] = { BHSD, OLD | RND }, /* URSHR, URSRA */
	[U(0x08, 5)] = { BHSD, OLD }, [U(0x0a, 5)] = { BHSD, OLD },     /* SRI, SLI */
	[U(0x0c, 5)] = { BHSD, RND }, [U(0x0e, 5)] = { BHSD, RND },     /* SQSHLU, UQSHL */
	/* SQSHRUN, SQRSHRUN */
	[U(0x10, 5)] = { BHS, OLD_Q | RND }, [U(0x11, 5)] = { BHS, OLD_Q | RND },
	/* UQSHRN, UQRSHRN */
	[U(0x12, 5)] = { BHS, OLD_Q | RND }, [U(0x13, 5)] = { BHS, OLD_Q | RND },
	[U(0x14, 5)] = { BHS },                                         /* USHLL */
	[U(0x1c, 5)] = { HS | D, FP }, [U(0x1f, 5)] = { HS | D, FP },   /* UCVTF, FCVTZU */
};

/* Advanced SIMD vector x indexed element, opcode [15:12] */
static const struct op indexed[32] = {
	[0x0] = { S, FP | OLD | ELEMENT_H }, [0x4] = { S, FP | OLD | ELEMENT_H }, /* FMLAL, FMLSL */
	[0x1] = { B | S | D, FP | OLD }, [0x5] = { B | S | D, FP | OLD }, /* FMLA, FMLS */
	[0x2] = { HS, OLD | LONG }, [0x3] = { HS, OLD | LONG },         /* SMLAL, SQDMLAL */
	[0x6] = { HS, OLD | LONG }, [0x7] = { HS, OLD | LONG },         /* SMLSL, SQDMLSL */
	[0x8] = { HS, MUL }, [0x9] = { B | S | D, FP },                 /* MUL, FMUL */
	[0xa] = { HS, LONG }, [0xb] = { HS, LONG },                     /* SMULL, SQDMULL */
	[0xc] = { HS, MUL }, [0xd] = { HS, MUL },                       /* SQDMULH, SQRDMULH */
	[0xe] = { S, OLD | MUL },                                       /* SDOT */
	[U(0x0, 4)] = { HS, OLD | MUL }, [U(0x4, 4)] = { HS, OLD | MUL }, /* MLA, MLS */
	/* FCMLA */
	[U(0x1, 4)] = { HS, FP | OLD | COMPLEX }, [U(0x3, 4)] = { HS, FP | OLD | COMPLEX },
	[U(0x5, 4)] = { HS, FP | OLD | COMPLEX }, [U(0x7, 4)] = { HS, FP | OLD | COMPLEX },
	[U(0x2, 4)] = { HS, OLD | LONG }, [U(0x6, 4)] = { HS, OLD | LONG }, /* UMLAL, UMLSL */
	[U(0x8, 4)] = { S, FP | OLD | ELEMENT_H },                      /* FMLAL2 */
	[U(0xc, 4)] = { S, FP | OLD | ELEMENT_H },                      /* FMLSL2 */
	[U(0x9, 4)] = { B | S | D, FP },                                /* FMULX */
	[U(0xa, 4)] = { HS, LONG }, [U(0xd, 4)] = { HS, OLD | MUL },    /* UMULL, SQRDMLAH */
	[U(0xe, 4)] = { S, OLD | MUL }, [U(0xf, 4)] = { HS, OLD | MUL }, /* UDOT, SQRDMLSH */
};

/* Advanced SIMD scalar three same, opcode [15:11] */
static const struct op s_three_same[64] = {
	[0x01] = { BHSD }, [0x05] = { BHSD },                           /* SQADD, SQSUB */
	[0x06] = { D }, [0x07] = { D }, [0x08] = { D, VAR },            /* CMGT, CMGE, SSHL */
	/* SQSHL, SRSHL, SQRSHL */
	[0x09] = { BHSD, VAR }, [0x0a] = { D, VAR }, [0x0b] = { BHSD, VAR },
	[0x10] = { D }, [0x11] = { D }, [0x16] = { HS, MUL },           /* ADD, CMTST, SQDMULH */
	[0x1b] = { FLO, FP }, [0x1c] = { FLO, FP },                     /* FMULX, FCMEQ */
	[0x1f] = { F, FP },                                             /* FRECPS FRSQRTS */
	[U(0x01, 5)] = { BHSD }, [U(0x05, 5)] = { BHSD },               /* UQADD, UQSUB */
	/* CMHI, CMHS, USHL */
	[U(0x06, 5)] = { D }, [U(0x07, 5)] = { D }, [U(0x08, 5)] = { D, VAR },
	[U(0x09, 5)] = { BHSD, VAR }, [U(0x0a, 5)] = { D, VAR },        /* UQSHL, URSHL */
	[U(0x0b, 5)] = { BHSD, VAR },                                   /* UQRSHL */
	/* SUB, CMEQ, SQRDMULH */
	[U(0x10, 5)] = { D }, [U(0x11, 5)] = { D }, [U(0x16, 5)] = { HS, MUL },
	[U(0x1a, 5)] = { FHI, FP },                                     /* FABD */
	[U(0x1c, 5)] = { F, FP },                                       /* FCMGE FCMGT */
	[U(0x1d, 5)] = { F, FP },                                       /* FACGE FACGT */
};

/* … (FP16), opcode [13:11] */
static const struct op s_three_same_half[16] = {
	[3] = { A0, FP }, [4] = { A0, FP },                             /* FMULX, FCMEQ */
	[7] = { A0 | A1, FP },                                          /* FRECPS FRSQRTS */
	[U(2, 3)] = { A1, FP },                                         /* FABD */
	[U(4, 3)] = { A0 | A1, FP },                                    /* FCMGE FCMGT */
	[U(5, 3)] = { A0 | A1, FP },                                    /* FACGE FACGT */
};

/* … (extra), opcode [14:11] */
static const struct op s_three_same_extra[32] = {
	[U(0, 4)] = { HS, OLD | MUL }, [U(1, 4)] = { HS, OLD | MUL },   /* SQRDMLAH, SQRDMLSH */
};

/* Advanced SIMD scalar three different, opcode [15:12] */
static const struct op s_three_different[32] = {
	[9] = { HS, OLD | LONG }, [11] = { HS, OLD | LONG },            /* SQDMLAL, SQDMLSL */
	[13] = { HS, LONG },                                            /* SQDMULL */
};

/* Advanced SIMD scalar two-register miscellaneous, opcode [16:12] */
static const struct op s_two_misc[64] = {
	[0x03] = { BHSD, OLD }, [0x07] = { BHSD },                      /* SUQADD, SQABS */
	[0x08] = { D }, [0x09] = { D },                                 /* CMGT, CMEQ */
	[0x0a] = { D }, [0x0b] = { D },                                 /* CMLT #0, ABS */
	[0x0c] = { FHI, FP }, [0x0d] = { FHI, FP },                     /* FCMGT, FCMEQ */
	[0x0e] = { FHI, FP },                                           /* FCMLT #0 */
	[0x14] = { BHS },                                               /* SQXTN */
	[0x1a] = { F, FP },                                             /* FCVTNS FCVTPS */
	[0x1b] = { F, FP },                                             /* FCVTMS FCVTZS */
	[0x1c] = { FLO, FP }, [0x1d] = { F, FP },                       /* FCVTAS, SCVTF FRECPE */
	[0x1f] = { FHI, FP },                                           /* FRECPX */
	[U(0x03, 5)] = { BHSD, OLD }, [U(0x07, 5)] = { BHSD },          /* USQADD, SQNEG */
	[U(0x08, 5)] = { D }, [U(0x09, 5)] = { D }, [U(0x0b, 5)] = { D }, /* CMGE, CMLE #0, NEG */
	[U(0x0c, 5)] = { FHI, FP }, [U(0x0d, 5)] = { FHI, FP },         /* FCMGE, FCMLE #0 */
	[U(0x12, 5)] = { BHS }, [U(0x14, 5)] = { BHS },                 /* SQXTUN, UQXTN */
	[U(0x16, 5)] = { H, FP },                                       /* FCVTXN */
	[U(0x1a, 5)] = { F, FP },                                       /* FCVTNU FCVTPU */
	[U(0x1b, 5)] = { F, FP },                                       /* FCVTMU FCVTZU */
	[U(0x1c, 5)] = { FLO, FP }, [U(0x1d, 5)] = { F, FP },           /* FCVTAU, UCVTF FRSQRTE */
};

/* … (FP16), opcode [16:12] */
static const struct op s_two_misc_half[64] = {
	[0x0c] = { A1, FP }, [0x0d] = { A1, FP }, [0x0e] = { A1, FP },  /* FCMGT, FCMEQ, FCMLT #0 */
	[0x1a] = { A0 | A1, FP },                                       /* FCVTNS FCVTPS */
	[0x1b] = { A0 | A1, FP },                                       /* FCVTMS FCVTZS */
	[0x1c] = { A0, FP }, [0x1d] = { A0 | A1, FP },                  /* FCVTAS, SCVTF FRECPE */
	[0x1f] = { A1, FP },                                            /* FRECPX */
	[U(0x0c, 5)] = { A1, FP }, [U(0x0d, 5)] = { A1, FP },           /* FCMGE, FCMLE #0 */
	[U(0x1a, 5)] = { A0 | A1, FP },                                 /* FCVTNU FCVTPU */
	[U(0x1b, 5)] = { A0 | A1, FP },                                 /* FCVTMU FCVTZU */
	[U(0x1c, 5)] = { A0, FP }, [U(0x1d, 5)] = { A0 | A1, FP },      /* FCVTAU, UCVTF FRSQRTE */
};

/* Advanced SIMD scalar pairwise, opcode [16:12]; those without U are of FP16 */
static const struct op s_pairwise[64] = {
	[0x0c] = { B | S, FP }, [0x0d] = { B, FP },                     /* FMAXNMP FMINNMP, FADDP */
	[0x0f] = { B | S, FP },                                         /* FMAXP FMINP */
	[0x1b] = { D },                                                 /* ADDP */
	/* the same */
	[U(0x0c, 5)] = { F, FP }, [U(0x0d, 5)] = { FLO, FP }, [U(0x0f, 5)] = { F, FP },
};

/* Advanced SIMD scalar shift by immediate, opcode [15:11]; the size is that of immh [22:19] */
static const struct op s_shift[64] = {
	[0x00] = { D }, [0x02] = { D, OLD | RND }, [0x04] = { D, RND }, /* SSHR, SSRA, SRSHR */
	[0x06] = { D, OLD | RND }, [0x0a] = { D }, [0x0e] = { BHSD, RND }, /* SRSRA, SHL, SQSHL */
	[0x12] = { BHS, RND }, [0x13] = { BHS, RND },                   /* SQSHRN, SQRSHRN */
	[0x1c] = { HS | D, FP }, [0x1f] = { HS | D, FP },               /* SCVTF, FCVTZS */
	[U(0x00, 5)] = { D }, [U(0x02, 5)] = { D, OLD | RND },          /* USHR, USRA */
	[U(0x04, 5)] = { D, RND },                                      /* URSHR */
	[U(0x06, 5)] = { D, OLD | RND }, [U(0x08, 5)] = { D, OLD },     /* URSRA, SRI */
	[U(0x0a, 5)] = { D, OLD }, [U(0x0c, 5)] = { BHSD, RND },        /* SLI, SQSHLU */
	[U(0x0e, 5)] = { BHSD, RND },                                   /* UQSHL */
	[U(0x10, 5)] = { BHS, RND }, [U(0x11, 5)] = { BHS, RND },       /* SQSHRUN, SQRSHRUN */
	[U(0x12, 5)] = { BHS, RND }, [U(0x13, 5)] = { BHS, RND },       /* UQSHRN, UQRSHRN */
	[U(0x1c, 5)] = { HS | D, FP }, [U(0x1f, 5)] = { HS | D, FP },   /* UCVTF, FCVTZU */
};

/* Advanced SIMD scalar x indexed element, opcode [15:12] */
static const struct op s_indexed[32] = {
	[0x1] = { B | S | D, FP | OLD }, [0x5] = { B | S | D, FP | OLD }, /* FMLA, FMLS */
	[0x3] = { HS, OLD | LONG }, [0x7] = { HS, OLD | LONG },         /* SQDMLAL, SQDMLSL */
	[0xb] = { HS, LONG },                                           /* SQDMULL */
	[0x9] = { B | S | D, FP },                                      /* FMUL */
	[0xc] = { HS, MUL }, [0xd] = { HS, MUL },                       /* SQDMULH, SQRDMULH */
	[U(0x9, 4)] = { B | S | D, FP },                                /* FMULX */
	[U(0xd, 4)] = { HS, OLD | MUL }, [U(0xf, 4)] = { HS, OLD | MUL }, /* SQRDMLAH, SQRDMLSH */
};

/* Cryptographic AES, opcode [16:12] */
static const struct op aes[32] = {
	[4] = { NF, CRYPTO | OLD | AES }, [5] = { NF, CRYPTO | OLD | AES }, /* AESE, AESD */
	[6] = { NF, CRYPTO | AES_MIX }, [7] = { NF, CRYPTO | AES_MIX }, /* AESMC, AESIMC */
};

/* Cryptographic three-register SHA, opcode [14:12] */
static const struct op sha_three[8] = {
	/* SHA1C, SHA1P */
	[0] = { NF, CRYPTO | OLD | SHA_SLOW }, [1] = { NF, CRYPTO | OLD | SHA_SLOW },
	/* SHA1M, SHA1SU0 */
	[2] = { NF, CRYPTO | OLD | SHA_SLOW }, [3] = { NF, CRYPTO | OLD | SHA_XOR },
	/* SHA256H, SHA256H2 */
	[4] = { NF, CRYPTO | OLD | SHA_SLOW }, [5] = { NF, CRYPTO | OLD | SHA_SLOW },
	[6] = { NF, CRYPTO | OLD | SHA_SLOW },                          /* SHA256SU1 */
};

/* Cryptographic two-register SHA, opcode [16:12] */
static const struct op sha_two[32] = {
	[0] = { NF, CRYPTO | SHA_FAST }, [1] = { NF, CRYPTO | OLD | SHA_FAST }, /* SHA1H, SHA1SU1 */
	[2] = { NF, CRYPTO | OLD | SHA_FAST },                          /* SHA256SU0 */
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

/* XAR has a class of its own */
static const struct op xar[1] = { { NF, CRYPTO } };

enum layout {
	TWO,       /* Rd, Rn */
	THREE,     /* … and Rm */
	FOUR,      /* … and Ra */
	SHIFT,     /* Rd, Rn; immh is the size */
	BY_ELEMENT,/* element of Rm */
	COPY,
	S_COPY,
	TABLE,
	EXTRACT,
	IMMEDIATE,
};

struct class {
	uint32_t mask, value;
	const struct op *ops;
	uint8_t low, width; /* of the opcode; U [29] is above it */
	uint8_t layout;
};

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

/* Scalars: [31:30] is 1 and [28] is set. */
static const struct class scalar[] = {
	{ 0xdf200400, 0x5e200400, s_three_same,       11, 5, THREE },
	{ 0xdf3e0c00, 0x5e200800, s_two_misc,         12, 5, TWO },
	{ 0xdf800400, 0x5f000400, s_shift,            11, 5, SHIFT },
	{ 0xdf3e0c00, 0x5e300800, s_pairwise,         12, 5, TWO },
	{ 0xffe0fc00, 0x5e000400, NULL,                0, 0, S_COPY },
	{ 0xffe08c00, 0x5e000000, sha_three,          12, 3, THREE },
	{ 0xfffe0c00, 0x5e280800, sha_two,            12, 5, TWO },
	{ 0xdf000400, 0x5f000000, s_indexed,          12, 4, BY_ELEMENT },
	{ 0xdf200c00, 0x5e200000, s_three_different,  12, 4, THREE },
	{ 0xdf208400, 0x5e008400, s_three_same_extra, 11, 4, THREE },
	{ 0xdf60c400, 0x5e400400, s_three_same_half,  11, 3, THREE },
	{ 0xdf7e0c00, 0x5e780800, s_two_misc_half,    12, 5, TWO },
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

/* L [21], M [20], H [11]. Elements of 16 bits must be in V0 to V15, because M is in their index. */
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

/* Divisions and square roots share the rows of what takes a few cycles. */
static void mark_division(uint32_t w, struct pmk_insn *in)
{
	bool divide = (w & 0xbfa0fc00) == 0x2e20fc00 || (w & 0xbfe0fc00) == 0x2e403c00;
	bool root = (w & 0xbfbffc00) == 0x2ea1f800 || (w & 0xbffffc00) == 0x2ef9f800;

	if (!divide && !root)
		return;
	in->vector = divide ? PMK_V_DIVIDE : PMK_V_ROOT;
	/* Those of 16 bits have other opcodes, with a bit 14 or 20 that is not the size. */
	in->wide = bit(w, 22) && (divide ? bit(w, 21) : !bit(w, 20));
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
	in->vector = (uint8_t)(op.flags >> 8);
	if (in->iclass == PMK_I_SIMD_FP)
		mark_division(w, in);
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

/* op [29], imm4 [14:11]: DUP, INS, SMOV, UMOV. The lowest bit set in imm5 [19:16] is the size. */
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

/* TBL, TBX: the table is len [14:13] + 1 registers from Rn on; V0 follows V31. */
static void decode_table(uint32_t w, struct pmk_insn *in)
{
	three_registers(w, bits(w, 20, 16), in);
	for (unsigned i = 1; i <= bits(w, 14, 13); i++)
		reads_v(in, (bits(w, 9, 5) + i) & 31);
	if (bit(w, 12))
		keeps_old(w, in);
	in->vector = (uint8_t)(PMK_V_TABLE + bits(w, 14, 13));
}

/* cmode [15:12], op [29], o2 [11]: MOVI, MVNI, FMOV, and for odd cmode below 12 ORR and BIC, which
 * change the old value. With o2 set it is FMOV of half precision. FMOV of 2D has no form of 64
 * bits. */
static bool modified_immediate(uint32_t w, struct pmk_insn *in)
{
	unsigned cmode = bits(w, 15, 12);

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

/* op0 [31:28]: 0x0 vectors, 01x1 scalars, 1100 cryptography, x0x1 scalar floating point. */
bool pmk_a64_simd(uint32_t w, struct pmk_insn *in)
{
	if (bit(w, 28))
		return bit(w, 30) ? !bit(w, 31) && by_row(w, scalar, in) : pmk_a64_fp(w, in);
	if (!bit(w, 31))
		return by_row(w, vector, in);
	return by_row(w, crypto, in);
}
