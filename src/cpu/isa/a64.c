// SPDX-License-Identifier: MIT
/*
 * Finds the facts about A64 instructions: the entry of the decoder, branches, exceptions and system
 * instructions (ARM DDI 0487, C4.1, groups "Reserved" and "Branches, Exception Generating and
 * System instructions"). The other groups are in a64_data.c, a64_memory.c, a64_simd.c and a64_fp.c.
 * Comments in the tables name the encoding classes of C4.1 by their titles, because their numbers
 * change from issue to issue.
 *
 * The decoder supports ARMv8.0 with the cryptographic extension and CRC32; the atomics, LDLAR,
 * STLLR and rounding doubling multiply-accumulates of v8.1; half precision, dot product, SHA512,
 * SHA3, SM3, SM4 and FMLAL of v8.2; pointer authentication, LDAPR, complex numbers and FJCVTZS of
 * v8.3; LDAPUR, STLUR and the flag instructions of v8.4; FRINT32Z …, SB and BTI of v8.5. It does
 * not support SVE, SME, memory tagging, transactions, BFloat16, the 8-bit matrix multiply, and the
 * additions of v8.7 and later.
 *
 * The members rn, rm and ra are the fields of the encoding with these names, with these exceptions.
 * In a shift, rm is the register that is shifted, and rs is the register with the amount, if there
 * is one (LSLV …). ra is the destination if its old value is an operand (MOVK, BFM, CAS, vector
 * accumulates and inserts, narrowing into the upper half). Store exclusives, swaps and atomics have
 * their value in rm and their result in rd; rs is the second value of STXP. For a structure load or
 * store, rd and rd2 are only the first two registers, but the masks `reads` and `writes` have all
 * of them.
 *
 * The hints of pointer authentication are NOPs on a core without that extension. The decoder always
 * marks the registers that they use on a core with it. The decoder accepts UNPREDICTABLE
 * combinations of registers. Condition codes AL and NV always hold, so B.AL is not conditional. DC
 * ZVA is not marked as a store. `kind` has a bit for it, and rm is the register with its address.
 */
#include "cpu/isa/a64.h"

/* ---- branches, exceptions, system ----------------------------------------------------------- */

enum layout {
	PLAIN,
	JUMP,	  /* offset in [25:0] */
	COND,	  /* offset in [23:5], condition in [3:0] */
	COMPARE,  /* offset in [23:5], register in [4:0] */
	TEST_BIT, /* offset in [18:5], register in [4:0] */
	REGISTER, /* target in Rn [9:5] */
	REG_SP,	  /* target in Rn [9:5], authenticated with the register or SP in [4:0] */
	LINK_SP,  /* target in X30, authenticated with SP */
	WITH_SP,  /* target in ELR, authenticated with SP */
	RT_IN,	  /* Rt [4:0] is read */
	RT_OUT,	  /* Rt [4:0] is written */
	SIGN_LR,  /* hint on X30; with [5] it uses SP */
	SIGN_X17, /* hint on X17 with X16 */
	STRIP_LR, /* hint on X30 without a modifier */
};

#define FLAGS_IN  1
#define FLAGS_OUT 2

struct row {
	uint32_t mask, value;
	uint8_t layout, flow, sysop, flags;
	uint32_t kind;
};

#define BR(k) (PMK_K_BR_INDIRECT | (k))
#define TRAP  PMK_K_MAY_TRAP

/* clang-format off */
#define ROW(mask, value, layout, flow, sysop, flags, kind) \
	{ mask, value, layout, PMK_FLOW_##flow, PMK_SYS_##sysop, flags, kind }

static const struct row rows[] = {
	/* Unconditional branch (immediate) */
	ROW(0xfc000000, 0x94000000, JUMP, CALL, NONE, 0, PMK_K_BR_IMM), /* BL */
	ROW(0xfc000000, 0x14000000, JUMP, JUMP, NONE, 0, PMK_K_BR_IMM), /* B */
	/* Conditional branch (immediate); with [4] set it is BC.cond of v8.8 */
	ROW(0xff000010, 0x54000000, COND, JUMP, NONE, 0, PMK_K_BR_IMM), /* B.cond */
	/* Compare and branch, Test and branch (immediate) */
	ROW(0x7e000000, 0x34000000, COMPARE,  JUMP, NONE, 0, PMK_K_BR_IMM), /* CBZ, CBNZ */
	ROW(0x7e000000, 0x36000000, TEST_BIT, JUMP, NONE, 0, PMK_K_BR_IMM), /* TBZ, TBNZ */
	/* Unconditional branch (register); [10] is the key, A or B */
	ROW(0xfffffc1f, 0xd65f0000, REGISTER, RETURN,   NONE, 0, BR(PMK_K_BR_RETURN)), /* RET */
	ROW(0xfffffc1f, 0xd63f0000, REGISTER, INDCALL,  NONE, 0, BR(0)),               /* BLR */
	ROW(0xfffffc1f, 0xd61f0000, REGISTER, INDIRECT, NONE, 0, BR(0)),               /* BR */
	ROW(0xfffff81f, 0xd61f081f, REGISTER, INDIRECT, NONE, 0, BR(0)),               /* BRAAZ */
	ROW(0xfffff81f, 0xd63f081f, REGISTER, INDCALL,  NONE, 0, BR(0)),               /* BLRAAZ */
	ROW(0xfffff800, 0xd71f0800, REG_SP,   INDIRECT, NONE, 0, BR(0)),               /* BRAA */
	ROW(0xfffff800, 0xd73f0800, REG_SP,   INDCALL,  NONE, 0, BR(0)),               /* BLRAA */
	ROW(0xfffffbff, 0xd65f0bff, LINK_SP,  RETURN,   NONE, 0, BR(PMK_K_BR_RETURN)), /* RETAA */
	ROW(0xffffffff, 0xd69f03e0, PLAIN,    MODE,     NONE, 0, PMK_K_ERET),          /* ERET */
	ROW(0xfffffbff, 0xd69f0bff, WITH_SP,  MODE,     NONE, 0, PMK_K_ERET),          /* ERETAA */
	ROW(0xffffffff, 0xd6bf03e0, PLAIN,    MODE,     NONE, 0, 0),                   /* DRPS */
	/* Exception generation. DCPSn are UNDEFINED outside of Debug state */
	ROW(0xffe0001f, 0xd4000001, PLAIN, EXCEPTION, NONE, 0, PMK_K_SVC),
	ROW(0xffe0001f, 0xd4000002, PLAIN, EXCEPTION, NONE, 0, PMK_K_HVC),
	ROW(0xffe0001f, 0xd4000003, PLAIN, EXCEPTION, NONE, 0, PMK_K_SMC),
	ROW(0xffe0001f, 0xd4200000, PLAIN, EXCEPTION, NONE, 0, PMK_K_UNDEF), /* BRK */
	ROW(0xffe0001f, 0xd4400000, PLAIN, EXCEPTION, NONE, 0, PMK_K_UNDEF), /* HLT */
	ROW(0xffe0001f, 0xd4a00001, PLAIN, EXCEPTION, NONE, 0, PMK_K_UNDEF), /* DCPS1 */
	ROW(0xffe0001e, 0xd4a00002, PLAIN, EXCEPTION, NONE, 0, PMK_K_UNDEF), /* DCPS2, 3 */
	/* Hints: CRm [11:8], op2 [7:5]; an unallocated one is a NOP */
	ROW(0xffffffff, 0xd503207f, PLAIN,    NEXT, WFI,  0, 0),
	ROW(0xffffffff, 0xd50320ff, STRIP_LR, NEXT, NONE, 0, 0), /* XPACLRI */
	ROW(0xffffff3f, 0xd503211f, SIGN_X17, NEXT, NONE, 0, 0), /* PACIA1716 … */
	ROW(0xffffff1f, 0xd503231f, SIGN_LR,  NEXT, NONE, 0, 0), /* PACIAZ, PACIASP … */
	ROW(0xfffff01f, 0xd503201f, PLAIN,    NEXT, NONE, 0, 0), /* NOP … */
	/* Barriers: CRm [11:8], op2 [7:5]. SSBB and PSSBB are DSBs */
	ROW(0xfffff0ff, 0xd503309f, PLAIN, NEXT, DSB,  0, 0),
	ROW(0xfffff0ff, 0xd50330bf, PLAIN, NEXT, DMB,  0, 0),
	ROW(0xfffff0ff, 0xd50330df, PLAIN, NEXT, ISB,  0, 0),
	ROW(0xfffff0ff, 0xd503305f, PLAIN, NEXT, NONE, 0, 0), /* CLREX */
	ROW(0xffffffff, 0xd50330ff, PLAIN, NEXT, NONE, 0, 0), /* SB */
	/* PSTATE: op1 [18:16], CRm [11:8] (of UAO, PAN, SSBS, DIT only 0 and 1), op2 [7:5] */
	ROW(0xffffffff, 0xd500401f, PLAIN, NEXT, NONE, FLAGS_IN | FLAGS_OUT, 0), /* CFINV */
	ROW(0xffffffff, 0xd500403f, PLAIN, NEXT, NONE, FLAGS_IN | FLAGS_OUT, 0), /* XAFLAG */
	ROW(0xffffffff, 0xd500405f, PLAIN, NEXT, NONE, FLAGS_IN | FLAGS_OUT, 0), /* AXFLAG */
	ROW(0xfffffeff, 0xd500407f, PLAIN, NEXT, NONE, 0,                    0), /* UAO */
	ROW(0xfffffeff, 0xd500409f, PLAIN, NEXT, NONE, 0,                    0), /* PAN */
	ROW(0xfffff0ff, 0xd50040bf, PLAIN, NEXT, NONE, 0,                    0), /* SPSel */
	ROW(0xfffffeff, 0xd503403f, PLAIN, NEXT, NONE, 0,                    0), /* SSBS */
	ROW(0xfffffeff, 0xd503405f, PLAIN, NEXT, NONE, 0,                    0), /* DIT */
	ROW(0xfffff0df, 0xd50340df, PLAIN, NEXT, NONE, 0,                    0), /* DAIF */
	/* System instructions: op1 [18:16], CRn [15:12], CRm [11:8], op2 [7:5] */
	ROW(0xffffffe0, 0xd5087500, RT_IN,  NEXT, ICACHE_INV, 0, TRAP), /* IC IALLU */
	ROW(0xffffffe0, 0xd5087100, RT_IN,  NEXT, ICACHE_INV, 0, TRAP), /* IC IALLUIS */
	ROW(0xffffffe0, 0xd50b7420, RT_IN,  NEXT, NONE,       0, PMK_K_DC_ZVA),
	ROW(0xfff8f000, 0xd5088000, RT_IN,  NEXT, TLB,        0, TRAP), /* TLBI */
	ROW(0xfff80000, 0xd5080000, RT_IN,  NEXT, NONE,       0, TRAP), /* SYS */
	ROW(0xfff80000, 0xd5280000, RT_OUT, NEXT, NONE,       0, TRAP), /* SYSL */
	/*
	 * System register move: o0 [19], op1, CRn, CRm, op2. A register named _EL12 is that of EL1,
	 * accessed from EL2 (v8.1). The registers that software reads most often never trap at
	 * levels that may access them.
	 */
	ROW(0xffffffe0, 0xd53b4200, RT_OUT, NEXT, NONE, FLAGS_IN, 0), /* NZCV */
	ROW(0xffffffc0, 0xd53b4400, RT_OUT, NEXT, NONE, 0, 0), /* FPCR, FPSR */
	ROW(0xffffffe0, 0xd53bd040, RT_OUT, NEXT, NONE, 0, 0), /* TPIDR_EL0 */
	ROW(0xffffffe0, 0xd53bd060, RT_OUT, NEXT, NONE, 0, 0), /* TPIDRRO_EL0 */
	ROW(0xffffffe0, 0xd538d080, RT_OUT, NEXT, NONE, 0, 0), /* TPIDR_EL1 */
	ROW(0xffffffc0, 0xd5384000, RT_OUT, NEXT, NONE, 0, 0), /* SPSR_EL1, ELR_EL1 */
	ROW(0xffffffe0, 0xd5384100, RT_OUT, NEXT, NONE, 0, 0), /* SP_EL0 */
	ROW(0xffffffe0, 0xd5384240, RT_OUT, NEXT, NONE, 0, 0), /* CurrentEL */
	ROW(0xfff00000, 0xd5300000, RT_OUT, NEXT, NONE, 0, TRAP), /* MRS */
	ROW(0xffffffe0, 0xd51b4200, RT_IN, NEXT, NONE, FLAGS_OUT, 0), /* NZCV */
	ROW(0xffffffc0, 0xd51b4400, RT_IN, NEXT, NONE, 0, 0), /* FPCR, FPSR */
	ROW(0xffffffe0, 0xd51bd040, RT_IN, NEXT, NONE, 0, 0), /* TPIDR_EL0 */
	/* TTBR0 and TTBR1 of EL1, EL12 and EL2 */
	ROW(0xffffffc0, 0xd5182000, RT_IN, NEXT, TLB, 0, TRAP | PMK_K_TTBR_WRITE),
	ROW(0xffffffc0, 0xd51d2000, RT_IN, NEXT, TLB, 0, TRAP | PMK_K_TTBR_WRITE),
	ROW(0xffffffc0, 0xd51c2000, RT_IN, NEXT, TLB, 0, TRAP),
	ROW(0xffffffe0, 0xd51c2100, RT_IN, NEXT, TLB, 0, TRAP), /* VTTBR_EL2 */
	ROW(0xffffffe0, 0xd51e2000, RT_IN, NEXT, TLB, 0, TRAP), /* TTBR0_EL3 */
	/* CONTEXTIDR_EL1, _EL12 and _EL2 */
	ROW(0xffffffe0, 0xd518d020, RT_IN, NEXT, TLB, 0, TRAP | PMK_K_CID_WRITE),
	ROW(0xffffffe0, 0xd51dd020, RT_IN, NEXT, TLB, 0, TRAP | PMK_K_CID_WRITE),
	ROW(0xffffffe0, 0xd51cd020, RT_IN, NEXT, TLB, 0, TRAP),
	ROW(0xfff00000, 0xd5100000, RT_IN, NEXT, NONE, 0, TRAP), /* MSR */
};
/* clang-format on */

static void branch_to(uint32_t offset, unsigned width, struct pmk_insn *in)
{
	in->target = in->addr + (uint64_t)(sign_extend(offset, width) * 4);
}

/*
 * Sets the operands, and the target of a branch, which is the only fact that depends on the
 * address.
 */
static void set_operands(uint32_t w, enum layout layout, struct pmk_insn *in)
{
	switch (layout) {
	case PLAIN:
		break;
	case JUMP:
		branch_to(bits(w, 25, 0), 26, in);
		break;
	case COND:
		branch_to(bits(w, 23, 5), 19, in);
		in->conditional = in->reads_flags = bits(w, 3, 0) < 14;
		break;
	case COMPARE:
		branch_to(bits(w, 23, 5), 19, in);
		in->conditional = true;
		in->rn = reads_x(in, bits(w, 4, 0));
		break;
	case TEST_BIT:
		branch_to(bits(w, 18, 5), 14, in);
		in->conditional = true;
		in->rn = reads_x(in, bits(w, 4, 0));
		break;
	case REGISTER:
		in->rn = reads_x(in, bits(w, 9, 5));
		break;
	case REG_SP:
		in->rn = reads_x(in, bits(w, 9, 5));
		in->rm = reads(in, bits(w, 4, 0));
		break;
	case LINK_SP:
		in->rn = reads(in, LR);
		in->rm = reads(in, SP);
		break;
	case WITH_SP:
		in->rm = reads(in, SP);
		break;
	case RT_IN:
		in->rm = reads_x(in, bits(w, 4, 0));
		break;
	case RT_OUT:
		in->rd = writes_x(in, bits(w, 4, 0));
		break;
	case SIGN_LR:
		in->rd = writes(in, LR);
		in->ra = reads(in, LR);
		if (bit(w, 5))
			in->rn = reads(in, SP);
		break;
	case SIGN_X17:
		in->rd = writes(in, 17);
		in->ra = reads(in, 17);
		in->rn = reads(in, 16);
		break;
	case STRIP_LR:
		in->rd = writes(in, LR);
		in->ra = reads(in, LR);
		break;
	}
}

static bool branch_or_system(uint32_t w, struct pmk_insn *in)
{
	const struct row *r = rows, *end = rows + sizeof(rows) / sizeof(rows[0]);

	while ((w & r->mask) != r->value)
		if (++r == end)
			return false;
	in->flow = r->flow;
	in->sysop = r->sysop;
	in->kind = r->kind;
	in->reads_flags = r->flags & FLAGS_IN;
	in->sets_flags = r->flags & FLAGS_OUT;
	in->is_branch = r->kind & (PMK_K_BR_IMM | PMK_K_BR_INDIRECT);
	in->iclass = in->is_branch ? PMK_I_BRANCH : PMK_I_OTHER;
	set_operands(w, r->layout, in);
	if (r->flow == PMK_FLOW_CALL || r->flow == PMK_FLOW_INDCALL)
		in->rd = writes(in, LR);
	return true;
}

/* Decodes UDF, the only allocated encoding of the group "Reserved". */
static bool decode_udf(uint32_t w, struct pmk_insn *in)
{
	in->flow = PMK_FLOW_EXCEPTION;
	in->kind = PMK_K_UNDEF;
	return w >> 16 == 0;
}

/* ---- entry ---------------------------------------------------------------------------------- */

static bool decode_unknown(uint32_t w, struct pmk_insn *in)
{
	(void)w;
	(void)in;
	return false;
}

/* C4.1: op0 [28:25]. */
/* clang-format off */
static bool (*const group[16])(uint32_t w, struct pmk_insn *in) = {
	[0x0] = decode_udf,	   [0x1] = decode_unknown,
	[0x2] = decode_unknown,	   [0x3] = decode_unknown, /* 2: SVE */
	[0x4] = pmk_a64_memory,	   [0x5] = pmk_a64_register,
	[0x6] = pmk_a64_memory,	   [0x7] = pmk_a64_simd,
	[0x8] = pmk_a64_immediate, [0x9] = pmk_a64_immediate,
	[0xa] = branch_or_system,  [0xb] = branch_or_system,
	[0xc] = pmk_a64_memory,	   [0xd] = pmk_a64_register,
	[0xe] = pmk_a64_memory,	   [0xf] = pmk_a64_simd,
};
/* clang-format on */

void pmk_isa_a64_decode(uint64_t addr, uint32_t word, struct pmk_insn *insn)
{
	const struct pmk_insn blank = {
		.addr = addr,
		.size = 4,
		.word = word,
		PMK_NO_REGS,
	};

	*insn = blank;
	if (group[bits(word, 28, 25)](word, insn))
		insn->decoded = true;
	else
		*insn = blank;
}
