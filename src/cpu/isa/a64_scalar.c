// SPDX-License-Identifier: MIT
/*
 * Lists the opcodes of scalar Advanced SIMD instructions, and of SHA instructions, which are
 * encoded among them (ARM DDI 0487, C4.1). a64_simd.c decodes them.
 */
#include "cpu/isa/a64_simd.h"

/* clang-format off */

/* Advanced SIMD scalar three same, opcode [15:11] */
static const struct op s_three_same[64] = {
	[0x01] = { BHSD, OP(SUM) }, [0x05] = { BHSD, OP(SUM) },         /* SQADD, SQSUB */
	[0x06] = { D }, [0x07] = { D }, [0x08] = { D, OP(SHIFT_BY) },   /* CMGT, CMGE, SSHL */
	/* SQSHL, SRSHL, SQRSHL */
	[0x09] = { BHSD, OP(SHIFT_BY_LIMIT) }, [0x0a] = { D, OP(SHIFT_BY_ROUND) },
	[0x0b] = { BHSD, OP(SHIFT_BY_LIMIT) },
	/* ADD, CMTST, SQDMULH */
	[0x10] = { D }, [0x11] = { D, OP(SUM) }, [0x16] = { HS, OP(MULTIPLY) },
	[0x1b] = { FLO, FP | OP(F_MUL) }, [0x1c] = { FLO, FP | OP(F_COMPARE) }, /* FMULX, FCMEQ */
	[0x1f] = { F, FP | OP(F_STEP) },                                /* FRECPS FRSQRTS */
	[U(0x01, 5)] = { BHSD, OP(SUM) }, [U(0x05, 5)] = { BHSD, OP(SUM) }, /* UQADD, UQSUB */
	/* CMHI, CMHS, USHL */
	[U(0x06, 5)] = { D }, [U(0x07, 5)] = { D }, [U(0x08, 5)] = { D, OP(SHIFT_BY) },
	/* UQSHL, URSHL */
	[U(0x09, 5)] = { BHSD, OP(SHIFT_BY_LIMIT) }, [U(0x0a, 5)] = { D, OP(SHIFT_BY_ROUND) },
	[U(0x0b, 5)] = { BHSD, OP(SHIFT_BY_LIMIT) },                    /* UQRSHL */
	/* SUB, CMEQ, SQRDMULH */
	[U(0x10, 5)] = { D }, [U(0x11, 5)] = { D }, [U(0x16, 5)] = { HS, OP(MULTIPLY) },
	[U(0x1a, 5)] = { FHI, FP },                                     /* FABD */
	[U(0x1c, 5)] = { F, FP | OP(F_COMPARE) },                       /* FCMGE FCMGT */
	[U(0x1d, 5)] = { F, FP | OP(F_COMPARE) },                       /* FACGE FACGT */
};

/* … (FP16), opcode [13:11] */
static const struct op s_three_same_half[16] = {
	[3] = { A0, FP | OP(F_MUL) }, [4] = { A0, FP | OP(F_COMPARE) }, /* FMULX, FCMEQ */
	[7] = { A0 | A1, FP | OP(F_STEP) },                             /* FRECPS FRSQRTS */
	[U(2, 3)] = { A1, FP },                                         /* FABD */
	[U(4, 3)] = { A0 | A1, FP | OP(F_COMPARE) },                    /* FCMGE FCMGT */
	[U(5, 3)] = { A0 | A1, FP | OP(F_COMPARE) },                    /* FACGE FACGT */
};

/* … (extra), opcode [14:11] */
static const struct op s_three_same_extra[32] = {
	/* SQRDMLAH, SQRDMLSH */
	[U(0, 4)] = { HS, OLD | OP(MULTIPLY_ROUND) }, [U(1, 4)] = { HS, OLD | OP(MULTIPLY_ROUND) },
};

/* Advanced SIMD scalar three different, opcode [15:12] */
static const struct op s_three_different[32] = {
	/* SQDMLAL, SQDMLSL */
	[9] = { HS, OLD | OP(LONG_LIMIT) }, [11] = { HS, OLD | OP(LONG_LIMIT) },
	[13] = { HS, OP(LONG) },                                        /* SQDMULL */
};

/* Advanced SIMD scalar two-register miscellaneous, opcode [16:12] */
static const struct op s_two_misc[64] = {
	[0x03] = { BHSD, OLD | OP(SUM) }, [0x07] = { BHSD, OP(SUM) },   /* SUQADD, SQABS */
	[0x08] = { D }, [0x09] = { D },                                 /* CMGT, CMEQ */
	[0x0a] = { D }, [0x0b] = { D, OP(ABS) },                        /* CMLT #0, ABS */
	/* FCMGT, FCMEQ */
	[0x0c] = { FHI, FP | OP(F_COMPARE) }, [0x0d] = { FHI, FP | OP(F_COMPARE) },
	[0x0e] = { FHI, FP | OP(F_COMPARE) },                           /* FCMLT #0 */
	[0x14] = { BHS, OP(NARROW_LIMIT) },                             /* SQXTN */
	[0x1a] = { F, FP | OP(CONVERT) },                               /* FCVTNS FCVTPS */
	[0x1b] = { F, FP | OP(CONVERT) },                               /* FCVTMS FCVTZS */
	/* FCVTAS, SCVTF FRECPE */
	[0x1c] = { FLO, FP | OP(CONVERT) }, [0x1d] = { F, FP | OP(CONVERT) },
	[0x1f] = { FHI, FP | OP(CONVERT) },                             /* FRECPX */
	/* USQADD, SQNEG */
	[U(0x03, 5)] = { BHSD, OLD | OP(SUM) }, [U(0x07, 5)] = { BHSD, OP(SUM) },
	[U(0x08, 5)] = { D }, [U(0x09, 5)] = { D }, [U(0x0b, 5)] = { D }, /* CMGE, CMLE #0, NEG */
	/* FCMGE, FCMLE #0 */
	[U(0x0c, 5)] = { FHI, FP | OP(F_COMPARE) }, [U(0x0d, 5)] = { FHI, FP | OP(F_COMPARE) },
	/* SQXTUN, UQXTN */
	[U(0x12, 5)] = { BHS, OP(NARROW_LIMIT) }, [U(0x14, 5)] = { BHS, OP(NARROW_LIMIT) },
	[U(0x16, 5)] = { H, FP | OP(CONVERT) },                         /* FCVTXN */
	[U(0x1a, 5)] = { F, FP | OP(CONVERT) },                         /* FCVTNU FCVTPU */
	[U(0x1b, 5)] = { F, FP | OP(CONVERT) },                         /* FCVTMU FCVTZU */
	/* FCVTAU, UCVTF FRSQRTE */
	[U(0x1c, 5)] = { FLO, FP | OP(CONVERT) }, [U(0x1d, 5)] = { F, FP | OP(CONVERT) },
};

/* … (FP16), opcode [16:12] */
static const struct op s_two_misc_half[64] = {
	/* FCMGT, FCMEQ, FCMLT #0 */
	[0x0c] = { A1, FP | OP(F_COMPARE) }, [0x0d] = { A1, FP | OP(F_COMPARE) },
	[0x0e] = { A1, FP | OP(F_COMPARE) },
	[0x1a] = { A0 | A1, FP | OP(CONVERT) },                         /* FCVTNS FCVTPS */
	[0x1b] = { A0 | A1, FP | OP(CONVERT) },                         /* FCVTMS FCVTZS */
	/* FCVTAS, SCVTF FRECPE */
	[0x1c] = { A0, FP | OP(CONVERT) }, [0x1d] = { A0 | A1, FP | OP(CONVERT) },
	[0x1f] = { A1, FP | OP(CONVERT) },                              /* FRECPX */
	/* FCMGE, FCMLE #0 */
	[U(0x0c, 5)] = { A1, FP | OP(F_COMPARE) }, [U(0x0d, 5)] = { A1, FP | OP(F_COMPARE) },
	[U(0x1a, 5)] = { A0 | A1, FP | OP(CONVERT) },                   /* FCVTNU FCVTPU */
	[U(0x1b, 5)] = { A0 | A1, FP | OP(CONVERT) },                   /* FCVTMU FCVTZU */
	/* FCVTAU, UCVTF FRSQRTE */
	[U(0x1c, 5)] = { A0, FP | OP(CONVERT) }, [U(0x1d, 5)] = { A0 | A1, FP | OP(CONVERT) },
};

/* Advanced SIMD scalar pairwise, opcode [16:12]; opcodes without U are of FP16 */
static const struct op s_pairwise[64] = {
	/* FMAXNMP FMINNMP, FADDP */
	[0x0c] = { B | S, FP | OP(F_PAIR) }, [0x0d] = { B, FP | OP(F_PAIR_ADD) },
	[0x0f] = { B | S, FP | OP(F_PAIR) },                            /* FMAXP FMINP */
	[0x1b] = { D, OP(SUM) },                                        /* ADDP */
	/* FMAXNMP FMINNMP, FADDP, FMAXP FMINP with U */
	[U(0x0c, 5)] = { F, FP | OP(F_PAIR) }, [U(0x0d, 5)] = { FLO, FP | OP(F_PAIR_ADD) },
	[U(0x0f, 5)] = { F, FP | OP(F_PAIR) },
};

/* Advanced SIMD scalar shift by immediate, opcode [15:11]; the size is that of immh [22:19] */
static const struct op s_shift[64] = {
	/* SSHR, SSRA, SRSHR */
	[0x00] = { D, OP(SHIFT) }, [0x02] = { D, OLD | OP(ROUNDING) }, [0x04] = { D, OP(ROUNDING) },
	/* SRSRA, SHL, SQSHL */
	[0x06] = { D, OLD | OP(ROUND_SUM) }, [0x0a] = { D, OP(SHIFT) },
	[0x0e] = { BHSD, OP(LIMIT) },
	/* SQSHRN, SQRSHRN */
	[0x12] = { BHS, OP(NARROW_LIMIT) }, [0x13] = { BHS, OP(NARROW_LIMIT) },
	/* SCVTF, FCVTZS */
	[0x1c] = { HS | D, FP | OP(CONVERT) }, [0x1f] = { HS | D, FP | OP(CONVERT) },
	[U(0x00, 5)] = { D, OP(SHIFT) }, [U(0x02, 5)] = { D, OLD | OP(ROUNDING) }, /* USHR, USRA */
	[U(0x04, 5)] = { D, OP(ROUNDING) },                             /* URSHR */
	/* URSRA, SRI */
	[U(0x06, 5)] = { D, OLD | OP(ROUND_SUM) }, [U(0x08, 5)] = { D, OLD | OP(SHIFT_INSERT) },
	/* SLI, SQSHLU */
	[U(0x0a, 5)] = { D, OLD | OP(SHIFT_INSERT) }, [U(0x0c, 5)] = { BHSD, OP(LIMIT) },
	[U(0x0e, 5)] = { BHSD, OP(LIMIT) },                             /* UQSHL */
	/* SQSHRUN, SQRSHRUN */
	[U(0x10, 5)] = { BHS, OP(NARROW_LIMIT) }, [U(0x11, 5)] = { BHS, OP(NARROW_LIMIT) },
	/* UQSHRN, UQRSHRN */
	[U(0x12, 5)] = { BHS, OP(NARROW_LIMIT) }, [U(0x13, 5)] = { BHS, OP(NARROW_LIMIT) },
	/* UCVTF, FCVTZU */
	[U(0x1c, 5)] = { HS | D, FP | OP(CONVERT) }, [U(0x1f, 5)] = { HS | D, FP | OP(CONVERT) },
};

/* Advanced SIMD scalar x indexed element, opcode [15:12] */
static const struct op s_indexed[32] = {
	/* FMLA, FMLS */
	[0x1] = { B | S | D, FP | OLD | OP(F_MAC_ELEMENT) },
	[0x5] = { B | S | D, FP | OLD | OP(F_MAC_ELEMENT) },
	/* SQDMLAL, SQDMLSL */
	[0x3] = { HS, OLD | OP(LONG_LIMIT) }, [0x7] = { HS, OLD | OP(LONG_LIMIT) },
	[0xb] = { HS, OP(LONG) },                                       /* SQDMULL */
	[0x9] = { B | S | D, FP | OP(F_MUL) },                          /* FMUL */
	/* SQDMULH, SQRDMULH */
	[0xc] = { HS, OP(MULTIPLY_ELEMENT) }, [0xd] = { HS, OP(MULTIPLY_ELEMENT) },
	[U(0x9, 4)] = { B | S | D, FP | OP(F_MUL) },                    /* FMULX */
	/* SQRDMLAH, SQRDMLSH */
	[U(0xd, 4)] = { HS, OLD | OP(MULTIPLY_ROUND) },
	[U(0xf, 4)] = { HS, OLD | OP(MULTIPLY_ROUND) },
};

/* Cryptographic three-register SHA, opcode [14:12] */
static const struct op sha_three[8] = {
	/* SHA1C, SHA1P */
	[0] = { NF, CRYPTO | OLD | OP(SHA_SLOW) }, [1] = { NF, CRYPTO | OLD | OP(SHA_SLOW) },
	/* SHA1M, SHA1SU0 */
	[2] = { NF, CRYPTO | OLD | OP(SHA_SLOW) }, [3] = { NF, CRYPTO | OLD | OP(SHA_XOR) },
	/* SHA256H, SHA256H2 */
	[4] = { NF, CRYPTO | OLD | OP(SHA_SLOW) }, [5] = { NF, CRYPTO | OLD | OP(SHA_SLOW) },
	[6] = { NF, CRYPTO | OLD | OP(SHA_SLOW) },                      /* SHA256SU1 */
};

/* Cryptographic two-register SHA, opcode [16:12] */
static const struct op sha_two[32] = {
	/* SHA1H, SHA1SU1 */
	[0] = { NF, CRYPTO | OP(SHA_FAST) }, [1] = { NF, CRYPTO | OLD | OP(SHA_FAST) },
	[2] = { NF, CRYPTO | OLD | OP(SHA_FAST) },                      /* SHA256SU0 */
};

/* Scalars: [31:30] is 1 and [28] is set. */
const struct class pmk_a64_scalar[] = {
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
/* clang-format on */
