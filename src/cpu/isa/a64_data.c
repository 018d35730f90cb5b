// SPDX-License-Identifier: MIT
/*
 * Finds the facts about A64 instructions for integer data processing (ARM DDI 0487, C4.1, groups
 * "Data Processing -- Immediate" and "Data Processing -- Register").
 *
 * The first row that matches is used. It describes which fields are registers and which
 * combinations of the other fields are reserved. Two things are our choice. CRC32 has the class of
 * multiplies, because it runs in the pipe for integer operations of several cycles. A shift by 0
 * does not count as a shift. ADDG, SUBG and the other instructions of memory tagging are not
 * supported.
 */
#include "cpu/isa/a64.h"

/* Which fields are registers, and whether 31 means SP or XZR there. */
#define D     0x0001 /* Rd [4:0] is written */
#define D_SP  0x0002 /* Rd [4:0] is written; 31 is SP */
#define OLD   0x0004 /* Rd is also read */
#define N     0x0008 /* Rn [9:5] */
#define N_SP  0x0010
#define M     0x0020 /* Rm [20:16] */
#define M_SP  0x0040
#define A     0x0080 /* Ra [14:10] */
#define SET   0x0100 /* sets the flags */
#define SET29 0x0200 /* sets the flags if S [29] is set; then Rd is never SP */
#define FLAGS 0x0400 /* reads the flags */
#define SHIFT 0x0800 /* Rn is shifted and becomes rm; if there is an Rm, it is the amount, rs */

/* The fields that decide if an encoding is reserved. If sf [31] is 0, the instruction has 32
 * bits. */
enum check {
	ANY,
	LOGICAL,  /* immediate: N [22], immr [21:16], imms [15:10] */
	MOVE,	  /* hw [22:21] shifts beyond 32 bits */
	BITFIELD, /* N [22] is not sf, or immr or imms is beyond 32 bits */
	AMOUNT,	  /* imm6 [15:10], the amount of a shift of Rm, is beyond 32 bits */
	SHIFT3,	  /* as AMOUNT, or shift [23:22] is 3 */
	EXTEND,	  /* imm3 [12:10] is greater than 4 */
	CRC,	  /* the size is 64 bits and sf is 0, or it is smaller and sf is 1 */
};

struct row {
	uint32_t mask, value;
	uint8_t iclass, check;
	uint16_t registers;
};

#define EXTR 0x13800000

/* clang-format off */
static const struct row immediate[] = {
	/* Add/subtract (immediate); ADDS and SUBS have no SP as result */
	{ 0x3f800000, 0x11000000, PMK_I_ALU,        ANY,      D_SP | N_SP },
	{ 0x3f800000, 0x31000000, PMK_I_ALU,        ANY,      D | N_SP | SET },
	/* PC-relative addressing: ADR, ADRP */
	{ 0x1f000000, 0x10000000, PMK_I_ALU,        ANY,      D },
	/* Logical (immediate) */
	{ 0x7f800000, 0x72000000, PMK_I_ALU,        LOGICAL,  D | N | SET },           /* ANDS */
	{ 0x1f800000, 0x12000000, PMK_I_ALU,        LOGICAL,  D_SP | N },
	/* Move wide (immediate) */
	{ 0x7f800000, 0x72800000, PMK_I_ALU, MOVE, D | OLD }, /* MOVK */
	{ 0x3f800000, 0x12800000, PMK_I_ALU, MOVE, D },       /* MOVN, MOVZ */
	/* Bitfield */
	{ 0x7f800000, 0x33000000, PMK_I_ALU_SHIFT, BITFIELD, D | OLD | N | SHIFT }, /* BFM */
	{ 0x3f800000, 0x13000000, PMK_I_ALU_SHIFT, BITFIELD, D | N | SHIFT },       /* SBFM, UBFM */
	/* Extract */
	{ 0x7fa00000, EXTR, PMK_I_ALU_SHIFT, BITFIELD, D | N | M },
	{ 0 },
};

static const struct row two[] = {
	/* Data-processing (2 source) */
	{ 0x7fe0f800, 0x1ac00800, PMK_I_DIV,        ANY, D | N | M },         /* UDIV, SDIV */
	{ 0x7fe0f000, 0x1ac02000, PMK_I_ALU_RSHIFT, ANY, D | N | M | SHIFT }, /* LSLV … RORV */
	{ 0x7fe0e000, 0x1ac04000, PMK_I_MUL,        CRC, D | N | M },         /* CRC32, CRC32C */
	{ 0xffe0fc00, 0x9ac03000, PMK_I_ALU,        ANY, D | N | M_SP },      /* PACGA */
	/* Data-processing (1 source) */
	{ 0x7ffff800, 0x5ac00000, PMK_I_ALU, ANY, D | N },          /* RBIT, REV16 */
	{ 0x7ffffc00, 0x5ac00800, PMK_I_ALU, ANY, D | N },          /* REV, REV32 */
	{ 0xfffffc00, 0xdac00c00, PMK_I_ALU, ANY, D | N },          /* REV */
	{ 0x7ffff800, 0x5ac01000, PMK_I_ALU, ANY, D | N },          /* CLZ, CLS */
	{ 0xffffe000, 0xdac10000, PMK_I_ALU, ANY, D | OLD | N_SP }, /* PACIA … AUTDB */
	{ 0xffffe3e0, 0xdac123e0, PMK_I_ALU, ANY, D | OLD },        /* PACIZA … AUTDZB */
	{ 0xfffffbe0, 0xdac143e0, PMK_I_ALU, ANY, D | OLD },        /* XPACI, XPACD */
	{ 0 },
};

static const struct row reg[] = {
	/* Logical (shifted register) */
	{ 0x7f000000, 0x6a000000, PMK_I_ALU, AMOUNT, D | N | M | SET }, /* ANDS, BICS */
	{ 0x1f000000, 0x0a000000, PMK_I_ALU, AMOUNT, D | N | M },
	/* Add/subtract (shifted register) */
	{ 0x1f200000, 0x0b000000, PMK_I_ALU,        SHIFT3,   D | N | M | SET29 },
	/* Add/subtract (extended register) */
	{ 0x3fe00000, 0x0b200000, PMK_I_ALU,        EXTEND,   D_SP | N_SP | M },
	{ 0x3fe00000, 0x2b200000, PMK_I_ALU,        EXTEND,   D | N_SP | M | SET },
	/* Add/subtract (with carry) */
	{ 0x1fe0fc00, 0x1a000000, PMK_I_ALU,        ANY,      D | N | M | SET29 | FLAGS },
	/* Conditional select */
	{ 0x3fe00800, 0x1a800000, PMK_I_ALU, ANY, D | N | M | FLAGS }, /* CSEL … CSNEG */
	/* Data-processing (3 source); Ra = 31 makes a MUL of a MADD */
	{ 0x7fe00000, 0x1b000000, PMK_I_MLA,  ANY, D | N | M | A }, /* MADD, MSUB */
	{ 0xff600000, 0x9b200000, PMK_I_MLAL, ANY, D | N | M | A }, /* SMADDL … UMSUBL */
	{ 0xff608000, 0x9b400000, PMK_I_MMUL, ANY, D | N | M },     /* SMULH, UMULH */
	/* Conditional compare (register), (immediate) */
	{ 0x3fe00c10, 0x3a400000, PMK_I_ALU, ANY, N | M | SET | FLAGS }, /* CCMN, CCMP */
	{ 0x3fe00c10, 0x3a400800, PMK_I_ALU, ANY, N | SET | FLAGS },
	/*
	 * Rotate right into flags, Evaluate into flags. They write only some flags, so they also
	 * read the flags.
	 */
	{ 0xffe07c10, 0xba000400, PMK_I_ALU, ANY, N | SET | FLAGS }, /* RMIF */
	{ 0xffffbc1f, 0x3a00080d, PMK_I_ALU, ANY, N | SET | FLAGS }, /* SETF8, SETF16 */
	{ 0 },
};
/* clang-format on */

/*
 * True if the immediate of a logical instruction is valid, as DecodeBitMasks() of DDI 0487 decides:
 * the position of the highest set bit of N:NOT(imms) is log2 of the length of the repeated element.
 * It must be at least 1. An element that has only ones is reserved.
 */
static bool logical_immediate(uint32_t w)
{
	unsigned length = bits(w, 22, 22) << 6 | (~bits(w, 15, 10) & 0x3f);
	unsigned levels;

	if (length < 2 || (bit(w, 22) && !bit(w, 31)))
		return false;
	levels = (1u << (31 - __builtin_clz(length))) - 1;
	return (bits(w, 15, 10) & levels) != levels;
}

/*
 * Returns false if the encoding is reserved. A shifted or extended operand also changes the class.
 */
static bool check_reserved(uint32_t w, enum check what, struct pmk_insn *in)
{
	bool wide = bit(w, 31);

	switch (what) {
	case ANY:
		break;
	case LOGICAL:
		return logical_immediate(w);
	case MOVE:
		return wide || !bit(w, 22);
	case BITFIELD:
		return bit(w, 22) == wide && (wide || (!bit(w, 21) && !bit(w, 15)));
	case SHIFT3:
		if (bits(w, 23, 22) == 3)
			return false;
		/* fall through */
	case AMOUNT:
		if (bits(w, 15, 10))
			in->iclass = PMK_I_ALU_SHIFT;
		return wide || !bit(w, 15);
	case EXTEND:
		/* all extensions except UXTX #0, UXTW #0 */
		if (bits(w, 15, 10) != (wide ? 3u : 2u) << 3)
			in->iclass = PMK_I_ALU_SHIFT;
		return bits(w, 12, 10) <= 4;
	case CRC:
		return wide == (bits(w, 11, 10) == 3);
	}
	return true;
}

static void set_operands(uint32_t w, unsigned r, struct pmk_insn *in)
{
	unsigned d = bits(w, 4, 0), n = bits(w, 9, 5), m = bits(w, 20, 16);
	int8_t first = PMK_NO_REG, second = PMK_NO_REG;

	if (r & OLD)
		in->ra = reads_x(in, d);
	if (r & N)
		first = reads_x(in, n);
	if (r & N_SP)
		first = reads(in, n);
	if (r & M)
		second = reads_x(in, m);
	if (r & M_SP)
		second = reads(in, m);
	if (r & A)
		in->ra = reads_x(in, bits(w, 14, 10));
	if (r & D)
		in->rd = writes_x(in, d);
	if (r & D_SP)
		in->rd = writes(in, d);
	if (r & SHIFT) {
		in->rm = first;
		in->rs = second;
	} else {
		in->rn = first;
		in->rm = second;
	}
	in->sets_flags = (r & SET) || ((r & SET29) && bit(w, 29));
	in->reads_flags = r & FLAGS;
	if ((r & A) && in->ra == PMK_NO_REG)
		in->iclass = in->iclass == PMK_I_MLA ? PMK_I_MUL : PMK_I_MULL;
}

/* True for EXTR with two equal registers, which is a rotation (ROR by an immediate). */
static bool is_ror(const struct row *r, uint32_t w)
{
	return r->value == EXTR && bits(w, 9, 5) == bits(w, 20, 16);
}

/* Marks operations whose time differs on some cores. */
static void mark_operation(const struct row *r, uint32_t w, struct pmk_insn *in)
{
	bool left = bits(w, 23, 22) == 0, flags = in->sets_flags;

	if (r->check == CRC)
		in->vector = PMK_V_CRC;
	else if (r->value == 0x5ac00000 || r->value == 0x5ac00800 || r->value == 0xdac00c00)
		in->vector = PMK_V_REVERSE;
	else if (r->check == BITFIELD && in->rn == PMK_NO_REG && in->ra == PMK_NO_REG)
		in->vector = PMK_V_BITFIELD;
	else if (r->check == AMOUNT && !flags)
		in->vector = PMK_V_SHORT_SHIFT;
	else if (r->check == SHIFT3 && left && bits(w, 15, 10) <= 4)
		in->vector = PMK_V_SHORT_SHIFT;
}

static bool decode_row(const struct row *r, uint32_t w, struct pmk_insn *in)
{
	while ((w & r->mask) != r->value)
		r++;
	if (!r->mask)
		return false;
	in->iclass = r->iclass;
	in->kind = PMK_K_DP;
	set_operands(w, is_ror(r, w) ? D | N | SHIFT : r->registers, in);
	in->wide = (in->iclass == PMK_I_MUL || in->iclass == PMK_I_MLA ||
		    in->iclass == PMK_I_MMUL || in->iclass == PMK_I_DIV) &&
		   r->check != CRC && bit(w, 31);
	mark_operation(r, w, in);
	return check_reserved(w, r->check, in);
}

bool pmk_a64_immediate(uint32_t w, struct pmk_insn *in)
{
	return decode_row(immediate, w, in);
}

/* Decodes data processing of registers. Bits [29:21] are 0 1101 0110 in instructions with one or
 * two sources. */
bool pmk_a64_register(uint32_t w, struct pmk_insn *in)
{
	return decode_row((w & 0x3fe00000) == 0x1ac00000 ? two : reg, w, in);
}
