// SPDX-License-Identifier: MIT
/*
 * Instruction facts for A64: entry, branches, exceptions and system instructions (ARM DDI 0487,
 * C4.1, groups "Reserved" and "Branches, Exception Generating and System instructions"). The other
 * groups are in a64_data.c, a64_memory.c, a64_simd.c and a64_fp.c. Comments in the tables name the
 * encoding classes of C4.1 by their titles, because their numbers change from issue to issue.
 *
 * Known: ARMv8.0 with the cryptographic extension and CRC32; the atomics, LDLAR, STLLR and
 * rounding doubling multiply-accumulates of v8.1; half precision, dot product, SHA512, SHA3, SM3,
 * SM4 and FMLAL of v8.2; pointer authentication, LDAPR, complex numbers and FJCVTZS of v8.3;
 * LDAPUR, STLUR and the flag instructions of v8.4; FRINT32Z …, SB and BTI of v8.5. Not known: SVE,
 * SME, memory tagging, transactions, BFloat16, the 8-bit matrix multiply, and what v8.7 and later
 * add.
 *
 * Roles: rn, rm and ra are the fields of these names, but for shifts: the register that is shifted
 * is rm (for LSLV …, by rs). An old value of the destination that goes into the result (MOVK, BFM,
 * CAS, vector accumulates and inserts, narrowing into the upper half) is in ra. rm is the value of
 * a store exclusive, of a swap and of an atomic, rd their result; rs is the second value of STXP.
 * A structure load or store names its first two registers; the masks have them all.
 *
 * Instructions that a core without the extension runs as NOPs (the hints of pointer
 * authentication) have the registers they have where it exists. UNPREDICTABLE combinations of
 * registers have the facts of their fields. Condition codes AL and NV always hold: B.AL is not
 * conditional. DC ZVA is no store here: kind tells it, and rm the register of its address.
 */
#include "isa/a64.h"

/* ---- branches, exceptions, system ----------------------------------------------------------- */

enum layout {
	PLAIN,
	JUMP,	  /* offset in [25:0] */
	COND,	  /* offset in [23:5], condition in [3:0] */
	COMPARE,  /* offset in [23:5], register in [4:0] */
	TEST_BIT, /* offset in [18:5], register in [4:0] */
	REGISTER, /* target in Rn [9:5] */
	REG_SP,	  /* the same, authenticated with the register or SP in [4:0] */
	LINK_SP,  /* target in X30, authenticated with SP */
	WITH_SP,  /* target in ELR, authenticated with SP */
	RT_IN,	  /* Rt [4:0] is read */
	RT_OUT,	  /* Rt [4:0] is written */
	SIGN_LR,  /* hint on X30; with [5] it uses SP */
	SIGN_X17, /* hint on X17 with X16 */
	STRIP_LR, /* hint on X30 alone */
};

#define FLAGS_IN  1
#define FLAGS_OUT 2

struct row {
	uint32_t mask, value;
	uint8_t layout, flow, sysop, flags;
	uint32_t kind;
};

#define BR(k) (PMK_K_BR_INDIRECT | (k))

/* clang-format off */
static const struct row rows[] = {
	/* Unconditional branch (immediate) */
	{ 0xfc000000, 0x94000000, JUMP,     PMK_FLOW_CALL,      0, 0, PMK_K_BR_IMM },        /* BL */
	{ 0xfc000000, 0x14000000, JUMP,     PMK_FLOW_JUMP,      0, 0, PMK_K_BR_IMM },        /* B */
	/* Conditional branch (immediate); [4] set is BC.cond of v8.8 */
	{ 0xff000010, 0x54000000, COND,     PMK_FLOW_JUMP,      0, 0, PMK_K_BR_IMM },        /* B.cond */
	/* Compare and branch, Test and branch (immediate) */
	{ 0x7e000000, 0x34000000, COMPARE,  PMK_FLOW_JUMP,      0, 0, PMK_K_BR_IMM },        /* CBZ, CBNZ */
	{ 0x7e000000, 0x36000000, TEST_BIT, PMK_FLOW_JUMP,      0, 0, PMK_K_BR_IMM },        /* TBZ, TBNZ */
	/* Unconditional branch (register); [10] is the key, A or B */
	{ 0xfffffc1f, 0xd65f0000, REGISTER, PMK_FLOW_RETURN,    0, 0, BR(PMK_K_BR_RETURN) }, /* RET */
	{ 0xfffffc1f, 0xd63f0000, REGISTER, PMK_FLOW_INDCALL,   0, 0, BR(0) },               /* BLR */
	{ 0xfffffc1f, 0xd61f0000, REGISTER, PMK_FLOW_INDIRECT,  0, 0, BR(0) },               /* BR */
	{ 0xfffff81f, 0xd61f081f, REGISTER, PMK_FLOW_INDIRECT,  0, 0, BR(0) },               /* BRAAZ */
	{ 0xfffff81f, 0xd63f081f, REGISTER, PMK_FLOW_INDCALL,   0, 0, BR(0) },               /* BLRAAZ */
	{ 0xfffff800, 0xd71f0800, REG_SP,   PMK_FLOW_INDIRECT,  0, 0, BR(0) },               /* BRAA */
	{ 0xfffff800, 0xd73f0800, REG_SP,   PMK_FLOW_INDCALL,   0, 0, BR(0) },               /* BLRAA */
	{ 0xfffffbff, 0xd65f0bff, LINK_SP,  PMK_FLOW_RETURN,    0, 0, BR(PMK_K_BR_RETURN) }, /* RETAA */
	{ 0xffffffff, 0xd69f03e0, PLAIN,    PMK_FLOW_MODE,      0, 0, PMK_K_ERET },          /* ERET */
	{ 0xfffffbff, 0xd69f0bff, WITH_SP,  PMK_FLOW_MODE,      0, 0, PMK_K_ERET },          /* ERETAA */
	{ 0xffffffff, 0xd6bf03e0, PLAIN,    PMK_FLOW_MODE,      0, 0, 0 },                   /* DRPS */
	/* Exception generation. DCPSn: UNDEFINED but in Debug state */
	{ 0xffe0001f, 0xd4000001, PLAIN,    PMK_FLOW_EXCEPTION, 0, 0, PMK_K_SVC },
	{ 0xffe0001f, 0xd4000002, PLAIN,    PMK_FLOW_EXCEPTION, 0, 0, PMK_K_HVC },
	{ 0xffe0001f, 0xd4000003, PLAIN,    PMK_FLOW_EXCEPTION, 0, 0, PMK_K_SMC },
	{ 0xffe0001f, 0xd4200000, PLAIN,    PMK_FLOW_EXCEPTION, 0, 0, PMK_K_UNDEF },         /* BRK */
	{ 0xffe0001f, 0xd4400000, PLAIN,    PMK_FLOW_EXCEPTION, 0, 0, PMK_K_UNDEF },         /* HLT */
	{ 0xffe0001f, 0xd4a00001, PLAIN,    PMK_FLOW_EXCEPTION, 0, 0, PMK_K_UNDEF },         /* DCPS1 */
	{ 0xffe0001e, 0xd4a00002, PLAIN,    PMK_FLOW_EXCEPTION, 0, 0, PMK_K_UNDEF },         /* DCPS2, 3 */
	/* Hints: CRm [11:8], op2 [7:5]; an unallocated one is a NOP */
	{ 0xffffffff, 0xd503207f, PLAIN,    PMK_FLOW_NEXT, PMK_SYS_WFI, 0, 0 },
	{ 0xffffffff, 0xd50320ff, STRIP_LR, PMK_FLOW_NEXT,      0, 0, 0 },                   /* XPACLRI */
	{ 0xffffff3f, 0xd503211f, SIGN_X17, PMK_FLOW_NEXT,      0, 0, 0 },                   /* PACIA1716 … */
	{ 0xffffff1f, 0xd503231f, SIGN_LR,  PMK_FLOW_NEXT,      0, 0, 0 },                   /* PACIAZ, PACIASP … */
	{ 0xfffff01f, 0xd503201f, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* NOP … */
	/* Barriers: CRm [11:8], op2 [7:5]. SSBB and PSSBB are DSBs */
	{ 0xfffff0ff, 0xd503309f, PLAIN,    PMK_FLOW_NEXT, PMK_SYS_DSB, 0, 0 },
	{ 0xfffff0ff, 0xd50330bf, PLAIN,    PMK_FLOW_NEXT, PMK_SYS_DMB, 0, 0 },
	{ 0xfffff0ff, 0xd50330df, PLAIN,    PMK_FLOW_NEXT, PMK_SYS_ISB, 0, 0 },
	{ 0xfffff0ff, 0xd503305f, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* CLREX */
	{ 0xffffffff, 0xd50330ff, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* SB */
	/* PSTATE: op1 [18:16], CRm [11:8] (of UAO, PAN, SSBS, DIT only 0 and 1), op2 [7:5] */
	{ 0xffffffff, 0xd500401f, PLAIN,    PMK_FLOW_NEXT, 0, FLAGS_IN | FLAGS_OUT, 0 },     /* CFINV */
	{ 0xffffffff, 0xd500403f, PLAIN,    PMK_FLOW_NEXT, 0, FLAGS_IN | FLAGS_OUT, 0 },     /* XAFLAG */
	{ 0xffffffff, 0xd500405f, PLAIN,    PMK_FLOW_NEXT, 0, FLAGS_IN | FLAGS_OUT, 0 },     /* AXFLAG */
	{ 0xfffffeff, 0xd500407f, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* UAO */
	{ 0xfffffeff, 0xd500409f, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* PAN */
	{ 0xfffff0ff, 0xd50040bf, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* SPSel */
	{ 0xfffffeff, 0xd503403f, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* SSBS */
	{ 0xfffffeff, 0xd503405f, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* DIT */
	{ 0xfffff0df, 0xd50340df, PLAIN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* the same */
	/* System instructions: op1 [18:16], CRn [15:12], CRm [11:8], op2 [7:5] */
	{ 0xffffffe0, 0xd5087500, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_ICACHE_INV, 0, 0 },       /* IC IALLU */
	{ 0xffffffe0, 0xd5087100, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_ICACHE_INV, 0, 0 },       /* IC IALLUIS */
	{ 0xffffffe0, 0xd50b7420, RT_IN,    PMK_FLOW_NEXT,      0, 0, PMK_K_DC_ZVA },
	{ 0xfff8f000, 0xd5088000, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, 0 },              /* TLBI */
	{ 0xfff80000, 0xd5080000, RT_IN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* SYS */
	{ 0xfff80000, 0xd5280000, RT_OUT,   PMK_FLOW_NEXT,      0, 0, 0 },                   /* SYSL */
	/* System register move: o0 [19], op1, CRn, CRm, op2. _EL12: EL1.s seen from EL2, v8.1 */
	{ 0xffffffe0, 0xd53b4200, RT_OUT,   PMK_FLOW_NEXT, 0, FLAGS_IN, 0 },                 /* NZCV */
	{ 0xfff00000, 0xd5300000, RT_OUT,   PMK_FLOW_NEXT,      0, 0, 0 },                   /* MRS */
	{ 0xffffffe0, 0xd51b4200, RT_IN,    PMK_FLOW_NEXT, 0, FLAGS_OUT, 0 },                /* NZCV */
	{ 0xffffffc0, 0xd5182000, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, PMK_K_TTBR_WRITE }, /* TTBR0_EL1, 1 */
	{ 0xffffffc0, 0xd51d2000, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, PMK_K_TTBR_WRITE }, /* TTBR0_EL12, 1 */
	{ 0xffffffc0, 0xd51c2000, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, 0 },              /* TTBR0_EL2, 1 */
	{ 0xffffffe0, 0xd51c2100, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, 0 },              /* VTTBR_EL2 */
	{ 0xffffffe0, 0xd51e2000, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, 0 },              /* TTBR0_EL3 */
	{ 0xffffffe0, 0xd518d020, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, PMK_K_CID_WRITE }, /* CONTEXTIDR_EL1 */
	{ 0xffffffe0, 0xd51dd020, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, PMK_K_CID_WRITE }, /* CONTEXTIDR_EL12 */
	{ 0xffffffe0, 0xd51cd020, RT_IN,    PMK_FLOW_NEXT, PMK_SYS_TLB, 0, 0 },              /* CONTEXTIDR_EL2 */
	{ 0xfff00000, 0xd5100000, RT_IN,    PMK_FLOW_NEXT,      0, 0, 0 },                   /* MSR */
};
/* clang-format on */

static void branch_to(uint32_t offset, unsigned width, struct pmk_insn *in)
{
	in->target = in->addr + (uint64_t)(sign_extend(offset, width) * 4);
}

/* Operands and target of a row. Only here the address counts. */
static void operands(uint32_t w, enum layout layout, struct pmk_insn *in)
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
	operands(w, r->layout, in);
	if (r->flow == PMK_FLOW_CALL || r->flow == PMK_FLOW_INDCALL)
		in->rd = writes(in, LR);
	return true;
}

/* UDF is the one allocated encoding of "Reserved". */
static bool udf(uint32_t w, struct pmk_insn *in)
{
	in->flow = PMK_FLOW_EXCEPTION;
	in->kind = PMK_K_UNDEF;
	return w >> 16 == 0;
}

/* ---- entry ---------------------------------------------------------------------------------- */

static bool unknown(uint32_t w, struct pmk_insn *in)
{
	(void)w;
	(void)in;
	return false;
}

/* C4.1: op0 [28:25]. */
/* clang-format off */
static bool (*const group[16])(uint32_t w, struct pmk_insn *in) = {
	[0x0] = udf,		   [0x1] = unknown,
	[0x2] = unknown, /* SVE */ [0x3] = unknown,
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
		.rd = PMK_NO_REG,
		.rd2 = PMK_NO_REG,
		.rn = PMK_NO_REG,
		.rm = PMK_NO_REG,
		.rs = PMK_NO_REG,
		.ra = PMK_NO_REG,
	};

	*insn = blank;
	if (group[bits(word, 28, 25)](word, insn))
		insn->decoded = true;
	else
		*insn = blank;
}
