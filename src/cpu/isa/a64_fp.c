// SPDX-License-Identifier: MIT
/*
 * Finds the facts about A64 instructions for scalar floating point (ARM DDI 0487, C4.1, group "Data
 * Processing -- Scalar Floating-Point and Advanced SIMD", the classes whose title has no "Advanced
 * SIMD").
 *
 * The first row that matches is used. ptype [23:22]: 0 single, 1 double, 3 half, 2 reserved. FMOV
 * from and to general registers has no kind, because no event counts it. Other FMOVs, and
 * conversions from and to general registers, are floating-point operations.
 */
#include "cpu/isa/a64.h"

#define D     0x01 /* Rd [4:0] is written */
#define N     0x02 /* Rn [9:5] */
#define M     0x04 /* Rm [20:16] */
#define A     0x08 /* Ra [14:10] */
#define OLD   0x10 /* Rd is also read */
#define X_OUT 0x20 /* Rd is a general register */
#define X_IN  0x40 /* Rn is a general register */
#define SET   0x80 /* sets the flags */
#define FLAGS 0x100

/* Tests for reserved encodings, in addition to ptype 2. */
enum check {
	ANY,
	TYPE,	   /* no test, not even of ptype 2, because the mask has decided on ptype */
	FIXED,	   /* scale [15:10] is beyond 32 bits */
	PRECISION, /* opc [16:15] is 2 or the precision of the source */
	ROUND,	   /* opcode [17:15] is 5 */
};

struct row {
	uint32_t mask, value;
	uint8_t iclass, vector, check;
	uint16_t registers;
};

#define ROW(mask, value, iclass, operation, check, registers)                       \
	{                                                                           \
		mask, value, PMK_I_FP_##iclass, PMK_V_##operation, check, registers \
	}

/* clang-format off */
static const struct row rows[] = {
	/* Floating-point data-processing (2 source), opcode [15:12] */
	ROW(0xff20fc00, 0x1e200800, MUL,  F_MUL,        ANY,   D | N | M), /* FMUL */
	ROW(0xff20fc00, 0x1e208800, MUL,  F_MUL,        ANY,   D | N | M), /* FNMUL */
	ROW(0xff20fc00, 0x1e201800, DIV,  DIVIDE,       ANY,   D | N | M), /* FDIV */
	ROW(0xff20ec00, 0x1e202800, ADD,  F_ADD,        ANY,   D | N | M), /* FADD, FSUB */
	ROW(0xff20cc00, 0x1e204800, ADD,  F_PLAIN,      ANY,   D | N | M), /* FMAX … FMINNM */
	/* Floating-point data-processing (3 source) */
	ROW(0xff000000, 0x1f000000, MAC,  F_MAC,        ANY,   D | N | M | A), /* FMADD … FNMSUB */
	/* Floating-point data-processing (1 source), opcode [20:15] */
	ROW(0xff3ffc00, 0x1e204000, MOVE, F_PLAIN,      ANY,   D | N), /* FMOV */
	ROW(0xff3ffc00, 0x1e20c000, ADD,  F_PLAIN,      ANY,   D | N), /* FABS */
	ROW(0xff3ffc00, 0x1e214000, ADD,  F_PLAIN,      ANY,   D | N), /* FNEG */
	ROW(0xff3ffc00, 0x1e21c000, SQRT, ROOT,         ANY,   D | N), /* FSQRT */
	ROW(0xff3e7c00, 0x1e224000, ADD,  CONVERT,      PRECISION, D | N), /* FCVT */
	ROW(0xff3c7c00, 0x1e244000, ADD,  CONVERT,      ROUND, D | N), /* FRINTN … FRINTI */
	ROW(0xffbe7c00, 0x1e284000, ADD,  CONVERT,      TYPE,  D | N), /* FRINT32Z … FRINT64X */
	/* Floating-point compare: with 0.0 [3] */
	ROW(0xff20fc0f, 0x1e202000, ADD,  F_FLAGS,      ANY,   N | M | SET), /* FCMP, FCMPE */
	ROW(0xff20fc0f, 0x1e202008, ADD,  F_FLAGS,      ANY,   N | SET),
	/* Floating-point immediate */
	ROW(0xff201fe0, 0x1e201000, MOVE, F_PLAIN,      ANY,   D), /* FMOV */
	/* Floating-point conditional compare, conditional select */
	/* FCCMP, FCCMPE */
	ROW(0xff200c00, 0x1e200400, ADD,  F_FLAGS,      ANY,   N | M | SET | FLAGS),
	ROW(0xff200c00, 0x1e200c00, ADD,  F_SELECT,     ANY,   D | N | M | FLAGS), /* FCSEL */
	/* Conversion between floating-point and integer: sf [31], rmode [20:19], opcode [18:16] */
	ROW(0x7f3efc00, 0x1e220000, ADD,  FROM_GENERAL, ANY,   D | N | X_IN), /* SCVTF, UCVTF */
	ROW(0x7f26fc00, 0x1e200000, ADD,  TO_GENERAL,   ANY,   D | N | X_OUT), /* FCVTNS … FCVTZU */
	ROW(0x7f3efc00, 0x1e240000, ADD,  TO_GENERAL,   ANY,   D | N | X_OUT), /* FCVTAS, FCVTAU */
	ROW(0xfffffc00, 0x1e260000, MOVE, MOVE_OUT,     TYPE,  D | N | X_OUT), /* FMOV W, S */
	ROW(0xfffffc00, 0x1e270000, MOVE, MOVE_IN,      TYPE,  D | N | X_IN), /* FMOV S, W */
	ROW(0xfffffc00, 0x9e660000, MOVE, MOVE_OUT,     TYPE,  D | N | X_OUT), /* FMOV X, D */
	ROW(0xfffffc00, 0x9e670000, MOVE, MOVE_IN,      TYPE,  D | N | X_IN), /* FMOV D, X */
	ROW(0xfffffc00, 0x9eae0000, MOVE, MOVE_OUT,     TYPE,  D | N | X_OUT), /* FMOV X, V.D[1] */
	/* FMOV V.D[1], X */
	ROW(0xfffffc00, 0x9eaf0000, MOVE, INSERT,       TYPE,  D | N | X_IN | OLD),
	ROW(0x7ffffc00, 0x1ee60000, MOVE, MOVE_OUT,     TYPE,  D | N | X_OUT), /* FMOV W or X, H */
	ROW(0x7ffffc00, 0x1ee70000, MOVE, MOVE_IN,      TYPE,  D | N | X_IN), /* FMOV H, W or X */
	ROW(0xfffffc00, 0x1e7e0000, ADD,  TO_GENERAL,   TYPE,  D | N | X_OUT | SET), /* FJCVTZS */
	/* Conversion between floating-point and fixed-point */
	ROW(0x7f3e0000, 0x1e020000, ADD,  FROM_GENERAL, FIXED, D | N | X_IN), /* SCVTF, UCVTF */
	ROW(0x7f3e0000, 0x1e180000, ADD,  TO_GENERAL,   FIXED, D | N | X_OUT), /* FCVTZS, FCVTZU */
};
/* clang-format on */

static bool is_allocated(uint32_t w, enum check check)
{
	unsigned ptype = bits(w, 23, 22);

	switch (check) {
	case ANY:
		break;
	case TYPE:
		return true;
	case FIXED:
		if (!bit(w, 31) && !bit(w, 15))
			return false;
		break;
	case PRECISION:
		if (bits(w, 16, 15) == 2 || bits(w, 16, 15) == ptype)
			return false;
		break;
	case ROUND:
		if (bits(w, 17, 15) == 5)
			return false;
		break;
	}
	return ptype != 2;
}

static void set_operands(uint32_t w, unsigned r, struct pmk_insn *in)
{
	unsigned d = bits(w, 4, 0), n = bits(w, 9, 5);

	if (r & OLD)
		in->ra = reads_v(in, d);
	if (r & A)
		in->ra = reads_v(in, bits(w, 14, 10));
	if (r & N)
		in->rn = r & X_IN ? reads_x(in, n) : reads_v(in, n);
	if (r & M)
		in->rm = reads_v(in, bits(w, 20, 16));
	if (r & D)
		in->rd = r & X_OUT ? writes_x(in, d) : writes_v(in, d);
	in->sets_flags = r & SET;
	in->reads_flags = r & FLAGS;
}

bool pmk_a64_fp(uint32_t w, struct pmk_insn *in)
{
	static const uint8_t bytes[] = { 4, 8, 0, 2 };
	const struct row *r = rows, *end = rows + sizeof(rows) / sizeof(rows[0]);

	while ((w & r->mask) != r->value)
		if (++r == end)
			return false;
	set_operands(w, r->registers, in);
	in->iclass = r->iclass;
	in->vector = r->vector;
	in->kind = PMK_K_VFP;
	if (r->iclass == PMK_I_FP_MOVE && (r->registers & (X_IN | X_OUT)))
		in->kind = 0;
	if (r->iclass == PMK_I_FP_DIV || r->iclass == PMK_I_FP_SQRT)
		in->mem_bytes = bytes[bits(w, 23, 22)];
	return is_allocated(w, r->check);
}
