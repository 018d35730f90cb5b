// SPDX-License-Identifier: MIT
/*
 * Finds the facts about instructions that were added to Thumb since ARMv6T2: the 32-bit encodings,
 * and those 16-bit encodings that are not in thumb.c (ARM DDI 0406C chapter A6, DDI 0487 chapter
 * F3). Instructions of coprocessors, VFP and Advanced SIMD have nearly the encodings of A32, and
 * are decoded as A32 instructions (arm_v7.c).
 *
 * A word has the first half word above the second one, as the manuals write it. The first row that
 * matches is used. The decoder does not check for registers that make an instruction UNPREDICTABLE.
 */
#include "cpu/isa/arm.h"

/* Rows have the position of the lowest bit of each register number, or NO if there is no such
 * register. */
#define NO 31

#define S    0x01 /* sets the flags if [20] is set */
#define SETS 0x02 /* always sets the flags */
#define C    0x04 /* reads the flags */
#define SH   0x08 /* rm is shifted by the immediate in [14:12] and [7:6] */
#define ROT  0x10 /* rm can be rotated by [5:4] bytes */
#define OLD  0x20 /* reads its destination */
#define ACC  0x40 /* accumulates in its destinations */

struct row {
	uint32_t mask, value;
	uint8_t iclass, rd, rd2, rn, rm, rs, ra, flags, flow, sysop;
};

/* clang-format off */
#define ALU(mask, value, rd, rn, rm, flags) \
	{ mask, value, PMK_I_ALU, rd, NO, rn, rm, NO, NO, flags, 0, 0 }
#define MUL(mask, value, iclass, ra) \
	{ mask, value, PMK_I_##iclass, 8, NO, NO, 16, 0, ra, 0, 0, 0 }
#define LONG(mask, value, iclass, flags) \
	{ mask, value, PMK_I_##iclass, 12, 8, NO, 16, 0, NO, flags, 0, 0 }
#define PLAIN(mask, value, flow, sysop) \
	{ mask, value, PMK_I_OTHER, NO, NO, NO, NO, NO, NO, 0, PMK_FLOW_##flow, PMK_SYS_##sysop }

static const struct row rows[] = {
	/* Data processing, shifted register */
	ALU(0xfff08f00, 0xea100f00, NO, 16, 0, SETS | SH), /* TST */
	ALU(0xfff08f00, 0xea900f00, NO, 16, 0, SETS | SH), /* TEQ */
	ALU(0xfff08f00, 0xeb100f00, NO, 16, 0, SETS | SH), /* CMN */
	ALU(0xfff08f00, 0xebb00f00, NO, 16, 0, SETS | SH), /* CMP */
	ALU(0xffe08000, 0xea000000, 8, 16, 0, S | SH),     /* AND */
	ALU(0xffe08000, 0xea200000, 8, 16, 0, S | SH),     /* BIC */
	ALU(0xffef8000, 0xea4f0000, 8, NO, 0, S | SH),     /* MOV and shifts by an immediate */
	ALU(0xffe08000, 0xea400000, 8, 16, 0, S | SH),     /* ORR */
	ALU(0xffef8000, 0xea6f0000, 8, NO, 0, S | SH),     /* MVN */
	ALU(0xffe08000, 0xea600000, 8, 16, 0, S | SH),     /* ORN */
	ALU(0xffe08000, 0xea800000, 8, 16, 0, S | SH),     /* EOR */
	ALU(0xfff08010, 0xeac00000, 8, 16, 0, SH),         /* PKH */
	ALU(0xffe08000, 0xeb000000, 8, 16, 0, S | SH),     /* ADD */
	ALU(0xffe08000, 0xeb400000, 8, 16, 0, S | C | SH), /* ADC */
	ALU(0xffe08000, 0xeb600000, 8, 16, 0, S | C | SH), /* SBC */
	ALU(0xffe08000, 0xeba00000, 8, 16, 0, S | SH),     /* SUB */
	ALU(0xffe08000, 0xebc00000, 8, 16, 0, S | SH),     /* RSB */
	/* Modified immediate; [26] is part of it */
	ALU(0xfbf08f00, 0xf0100f00, NO, 16, NO, SETS),     /* TST */
	ALU(0xfbf08f00, 0xf0900f00, NO, 16, NO, SETS),     /* TEQ */
	ALU(0xfbf08f00, 0xf1100f00, NO, 16, NO, SETS),     /* CMN */
	ALU(0xfbf08f00, 0xf1b00f00, NO, 16, NO, SETS),     /* CMP */
	ALU(0xfbe08000, 0xf0000000, 8, 16, NO, S),         /* AND */
	ALU(0xfbe08000, 0xf0200000, 8, 16, NO, S),         /* BIC */
	ALU(0xfbef8000, 0xf04f0000, 8, NO, NO, S),         /* MOV */
	ALU(0xfbe08000, 0xf0400000, 8, 16, NO, S),         /* ORR */
	ALU(0xfbef8000, 0xf06f0000, 8, NO, NO, S),         /* MVN */
	ALU(0xfbe08000, 0xf0600000, 8, 16, NO, S),         /* ORN */
	ALU(0xfbe08000, 0xf0800000, 8, 16, NO, S),         /* EOR */
	ALU(0xfbe08000, 0xf1000000, 8, 16, NO, S),         /* ADD */
	ALU(0xfbe08000, 0xf1400000, 8, 16, NO, S | C),     /* ADC */
	ALU(0xfbe08000, 0xf1600000, 8, 16, NO, S | C),     /* SBC */
	ALU(0xfbe08000, 0xf1a00000, 8, 16, NO, S),         /* SUB */
	ALU(0xfbe08000, 0xf1c00000, 8, 16, NO, S),         /* RSB */
	/* Plain immediate */
	ALU(0xfbf08000, 0xf2000000, 8, 16, NO, 0),         /* ADDW, ADR */
	ALU(0xfbf08000, 0xf2400000, 8, NO, NO, 0),         /* MOVW */
	ALU(0xfbf08000, 0xf2a00000, 8, 16, NO, 0),         /* SUBW, ADR */
	ALU(0xfbf08000, 0xf2c00000, 8, NO, NO, OLD),       /* MOVT */
	ALU(0xfff0f0f0, 0xf3200000, 8, NO, 16, 0),         /* SSAT16 */
	ALU(0xffd08020, 0xf3000000, 8, NO, 16, SH),        /* SSAT */
	ALU(0xfff08020, 0xf3400000, 8, 16, NO, 0),         /* SBFX */
	ALU(0xffff8020, 0xf36f0000, 8, NO, NO, OLD),       /* BFC */
	ALU(0xfff08020, 0xf3600000, 8, 16, NO, OLD),       /* BFI */
	ALU(0xfff0f0f0, 0xf3a00000, 8, NO, 16, 0),         /* USAT16 */
	ALU(0xffd08020, 0xf3800000, 8, NO, 16, SH),        /* USAT */
	ALU(0xfff08020, 0xf3c00000, 8, 16, NO, 0),         /* UBFX */
	/* Data processing, register */
	{ 0xff80f0f0, 0xfa00f000, PMK_I_ALU_RSHIFT, 8, NO, NO, 16, 0, NO, S, 0, 0 }, /* LSL … ROR */
	ALU(0xff8ff0c0, 0xfa0ff080, 8, NO, 0, ROT),        /* SXTH … UXTB */
	ALU(0xff80f0c0, 0xfa00f080, 8, 16, 0, ROT),        /* SXTAH … UXTAB */
	ALU(0xff80f080, 0xfa80f000, 8, 16, 0, 0),          /* SADD16 … UHSUB8 */
	ALU(0xfff0f0c0, 0xfa80f080, 8, 16, 0, 0),          /* QADD … QDSUB */
	ALU(0xfff0f0c0, 0xfa90f080, 8, NO, 0, 0),          /* REV, REV16, RBIT, REVSH */
	ALU(0xfff0f0f0, 0xfaa0f080, 8, 16, 0, C),          /* SEL */
	ALU(0xfff0f0f0, 0xfab0f080, 8, NO, 0, 0),          /* CLZ */
	ALU(0xffe0f0c0, 0xfac0f080, 8, 16, 0, 0),          /* CRC32, CRC32C */
	/* Multiply and divide */
	MUL(0xfff0f0f0, 0xfb00f000, MUL, NO),              /* MUL */
	MUL(0xfff000f0, 0xfb000000, MLA, 12),              /* MLA */
	MUL(0xfff000f0, 0xfb000010, MLA, 12),              /* MLS */
	MUL(0xfff0f0c0, 0xfb10f000, MUL16, NO),            /* SMULBB … */
	MUL(0xfff000c0, 0xfb100000, MUL16, 12),            /* SMLABB … */
	MUL(0xfff0f0e0, 0xfb20f000, MUL16, NO),            /* SMUAD */
	MUL(0xfff000e0, 0xfb200000, MUL16, 12),            /* SMLAD */
	MUL(0xfff0f0e0, 0xfb30f000, MUL16, NO),            /* SMULWB, SMULWT */
	MUL(0xfff000e0, 0xfb300000, MUL16, 12),            /* SMLAWB, SMLAWT */
	MUL(0xfff0f0e0, 0xfb40f000, MUL16, NO),            /* SMUSD */
	MUL(0xfff000e0, 0xfb400000, MUL16, 12),            /* SMLSD */
	MUL(0xfff0f0e0, 0xfb50f000, MMUL, NO),             /* SMMUL */
	MUL(0xfff000e0, 0xfb500000, MMUL, 12),             /* SMMLA */
	MUL(0xfff000e0, 0xfb600000, MMUL, 12),             /* SMMLS */
	MUL(0xfff0f0f0, 0xfb70f000, MUL16, NO),            /* USAD8 */
	MUL(0xfff000f0, 0xfb700000, MUL16, 12),            /* USADA8 */
	LONG(0xfff000f0, 0xfb800000, MULL, 0),             /* SMULL */
	{ 0xfff0f0f0, 0xfb90f0f0, PMK_I_DIV, 8, NO, 16, 0, NO, NO, 0, 0, 0 }, /* SDIV */
	LONG(0xfff000f0, 0xfba00000, MULL, 0),             /* UMULL */
	{ 0xfff0f0f0, 0xfbb0f0f0, PMK_I_DIV, 8, NO, 16, 0, NO, NO, 0, 0, 0 }, /* UDIV */
	LONG(0xfff000f0, 0xfbc00000, MLAL, ACC),           /* SMLAL */
	LONG(0xfff000c0, 0xfbc00080, MLAL16, ACC),         /* SMLALBB … */
	LONG(0xfff000e0, 0xfbc000c0, MLAL16, ACC),         /* SMLALD */
	LONG(0xfff000e0, 0xfbd000c0, MLAL16, ACC),         /* SMLSLD */
	LONG(0xfff000f0, 0xfbe00000, MLAL, ACC),           /* UMLAL */
	LONG(0xfff000f0, 0xfbe00060, MLAL, ACC),           /* UMAAL */
	/* Control */
	PLAIN(0xfff0f000, 0xf7e08000, EXCEPTION, NONE),    /* HVC */
	PLAIN(0xfff0f000, 0xf7f08000, EXCEPTION, NONE),    /* SMC */
	PLAIN(0xfff0f000, 0xf7f0a000, EXCEPTION, NONE),    /* UDF */
	PLAIN(0xffffffff, 0xf3af8003, NEXT, WFI),
	PLAIN(0xfffff800, 0xf3af8000, NEXT, NONE),         /* NOP … and CPS */
	PLAIN(0xfffffff0, 0xf3bf8f20, NEXT, NONE),         /* CLREX */
	PLAIN(0xfffffff0, 0xf3bf8f40, NEXT, DSB),
	PLAIN(0xfffffff0, 0xf3bf8f50, NEXT, DMB),
	PLAIN(0xfffffff0, 0xf3bf8f60, NEXT, ISB),
	{ 0xfff0ffff, 0xf3c08f00, PMK_I_BRANCH, NO, NO, NO, 16, NO, NO, 0, PMK_FLOW_INDIRECT, 0 },
	PLAIN(0xffffff00, 0xf3de8f00, MODE, NONE),         /* SUBS pc, lr, ERET */
	{ 0xffe0d020, 0xf3808020, PMK_I_OTHER, NO, NO, NO, 16, NO, NO, 0, 0, 0 }, /* MSR, banked */
	{ 0xfff0d820, 0xf3808800, PMK_I_OTHER, NO, NO, NO, 16, NO, NO, SETS, 0, 0 }, /* MSR */
	{ 0xffe0d020, 0xf3808000, PMK_I_OTHER, NO, NO, NO, 16, NO, NO, 0, 0, 0 }, /* MSR */
	{ 0xfffff0ff, 0xf3ef8000, PMK_I_OTHER, 8, NO, NO, NO, NO, NO, C, 0, 0 },  /* MRS */
	{ 0xfffff0ff, 0xf3ff8000, PMK_I_OTHER, 8, NO, NO, NO, NO, NO, 0, 0, 0 },  /* MRS SPSR */
	{ 0xffe0f0ef, 0xf3e08020, PMK_I_OTHER, 8, NO, NO, NO, NO, NO, 0, 0, 0 },  /* MRS, banked */
};
/* clang-format on */

/* True if a field has a value that is unallocated for the row. */
static bool is_unallocated(uint32_t w)
{
	switch (w & 0xff80f080) {
	case 0xfa80f000: /* SADD16 … UHSUB8: [22:20] and [6:4] */
		return bits(w, 22, 20) % 4 == 3 || bits(w, 6, 4) % 4 == 3;
	case 0xfa00f080: /* extensions: [22:20] */
		return bits(w, 22, 20) > 5;
	case 0xfa80f080: /* CRC32: the size in [5:4] */
		return bits(w, 22, 21) == 2 && bits(w, 5, 4) == 3;
	default:
		return false;
	}
}

static void set_shifted_operand(uint32_t w, struct pmk_insn *in)
{
	unsigned amount = bits(w, 14, 12) << 2 | bits(w, 7, 6);
	bool pack_or_saturate = (w & 0xfff00000) == 0xeac00000 || w >> 28 == 0xf;

	if (!amount && (pack_or_saturate || !bits(w, 5, 4))) /* LSL #0 */
		return;
	in->iclass = PMK_I_ALU_SHIFT;
	in->reads_flags |= !amount && bits(w, 5, 4) == 3; /* ROR #0 is RRX */
}

static bool facts_of_row(uint32_t w, struct pmk_insn *in)
{
	const struct row *r = rows, *end = rows + sizeof(rows) / sizeof(rows[0]);

	while ((w & r->mask) != r->value)
		if (++r == end)
			return false;
	if (is_unallocated(w))
		return false;
	in->iclass = r->iclass;
	in->flow = r->flow;
	in->sysop = r->sysop;
	in->is_branch = r->iclass == PMK_I_BRANCH;
	in->sets_flags = (r->flags & SETS) || ((r->flags & S) && bit(w, 20));
	in->reads_flags = r->flags & C;
	if (r->rn != NO)
		in->rn = reads(in, bits(w, r->rn + 3u, r->rn));
	if (r->rm != NO)
		in->rm = reads(in, bits(w, r->rm + 3u, r->rm));
	if (r->rs != NO)
		in->rs = reads(in, bits(w, r->rs + 3u, r->rs));
	if (r->ra != NO)
		in->ra = reads(in, bits(w, r->ra + 3u, r->ra));
	if (r->rd != NO)
		in->rd = writes(in, bits(w, r->rd + 3u, r->rd));
	if (r->rd2 != NO)
		in->rd2 = writes(in, bits(w, r->rd2 + 3u, r->rd2));
	if (r->flags & OLD)
		in->ra = reads(in, (unsigned)in->rd);
	if (r->flags & ACC)
		in->reads |= in->writes;
	if (r->flags & SH)
		set_shifted_operand(w, in);
	if ((r->flags & ROT) && bits(w, 5, 4))
		in->iclass = PMK_I_ALU_SHIFT;
	return true;
}

/* ---- memory --------------------------------------------------------------------------------- */

static void decode_literal(bool up, unsigned offset, struct pmk_arm_facts *f)
{
	f->insn.literal = true;
	f->relative = PMK_ARM_FROM_PC4;
	f->insn.target = (uint64_t)(up ? (int64_t)offset : -(int64_t)offset);
}

/*
 * Decodes LDM, STM, RFE and SRS. [24:23] is 01 for LDM and STM in the form IA, and 10 in the form
 * DB; RFE and SRS have 00 and 11.
 */
static bool decode_multiple(uint32_t w, struct pmk_insn *in)
{
	bool load = bit(w, 20), state = bit(w, 24) == bit(w, 23);

	if (state && load && (w & 0xffff) != 0xc000)
		return false;
	if (state && !load && (w & 0x000fffe0) != 0x000dc000)
		return false;
	base(w, bit(w, 21), in);
	if (state) {
		set_load_store(in, load, 4, 2);
		if (load)
			in->flow = PMK_FLOW_MODE;
		else
			reads(in, LR);
		in->iclass = load ? PMK_I_LOADM : PMK_I_STOREM;
		return true;
	}
	in->list = (uint16_t)bits(w, 15, 0);
	set_load_store(in, load, 4, (unsigned)__builtin_popcount(in->list));
	in->iclass = load ? PMK_I_LOADM : PMK_I_STOREM;
	if (load) {
		in->writes |= in->list & ~(1u << PC);
		if (in->list >> PC)
			in->flow =
				in->rn == SP && in->writeback ? PMK_FLOW_RETURN : PMK_FLOW_INDIRECT;
	} else {
		in->reads |= in->list & ~(1u << PC);
	}
	return in->list && !bit(w, 13) && !(in->store && bit(w, 15));
}

/* Decodes LDREXB and similar instructions. If [7] is set, it is LDA or a similar instruction of
 * ARMv8, which is exclusive if [6] is set. */
static bool exclusive_or_ordered(uint32_t w, struct pmk_insn *in)
{
	unsigned size = bits(w, 5, 4), rt = bits(w, 15, 12), rt2 = bits(w, 11, 8);
	bool exclusive = bit(w, 6), ordered = bit(w, 7), load = bit(w, 20);

	if ((!exclusive && (!ordered || size == 3)) || (size == 2 && !ordered) ||
	    (size != 3 && rt2 != 15) || ((load || !exclusive) && bits(w, 3, 0) != 15))
		return false;
	base(w, false, in);
	set_load_store(in, load, 1u << size, 1);
	in->exclusive = exclusive;
	if (ordered)
		in->kind |= load ? PMK_K_ACQUIRE : PMK_K_RELEASE;
	if (load) {
		in->rd = writes(in, rt);
		if (size == 3)
			in->rd2 = writes(in, rt2);
		return true;
	}
	in->rm = reads(in, rt);
	if (size == 3)
		reads(in, rt2);
	if (exclusive)
		in->rd = writes(in, bits(w, 3, 0));
	return true;
}

/* Decodes LDREX, LDRD, TBB and similar instructions. */
static bool decode_dual(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	unsigned rt = bits(w, 15, 12), rt2 = bits(w, 11, 8);
	bool load = bit(w, 20);

	if (bit(w, 24) || bit(w, 21)) { /* LDRD, STRD */
		base(w, bit(w, 21), in);
		set_load_store(in, load, 4, 2);
		in->rd = load ? writes(in, rt) : reads(in, rt);
		in->rd2 = load ? writes(in, rt2) : reads(in, rt2);
		if (load && in->rn == PC && !in->writeback)
			decode_literal(bit(w, 23), bits(w, 7, 0) << 2, f);
		return true;
	}
	if (!bit(w, 23)) { /* LDREX, STREX */
		if (load && rt2 != 15)
			return false;
		base(w, false, in);
		set_load_store(in, load, 4, 1);
		in->exclusive = true;
		in->rd = writes(in, load ? rt : rt2);
		if (!load)
			in->rm = reads(in, rt);
		return true;
	}
	if ((w & 0x0010ffe0) == 0x0010f000) { /* TBB, TBH: a load, and a jump by its value */
		base(w, false, in);
		in->rm = reads(in, bits(w, 3, 0));
		set_load_store(in, true, 1u << bit(w, 4), 1);
		in->flow = PMK_FLOW_INDIRECT;
		in->is_branch = true;
		return true;
	}
	return exclusive_or_ordered(w, in);
}

/*
 * Decodes a preload, or a hint without effect. The encoding is that of a load of a byte or a half
 * word into the PC.
 */
static void decode_hint(uint32_t w, struct pmk_insn *in)
{
	in->load = false;
	in->mem_bytes = in->mem_count = 0;
	in->iclass = bit(w, 24) ? PMK_I_OTHER : PMK_I_PRELOAD; /* PLI is no access to data */
}

/*
 * Decodes loads and stores of one register. [24] is the sign, [23] selects an offset of 12 bits,
 * [22:21] is the size, [20] is set for loads.
 */
static bool decode_single(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	unsigned size = bits(w, 22, 21), rn = bits(w, 19, 16), rt = bits(w, 15, 12);
	bool load = bit(w, 20), post = false, to_pc;

	if (size == 3 || (bit(w, 24) && size == 2) || (rn == PC && !load))
		return false;
	set_load_store(in, load, 1u << size, 1);
	to_pc = load && rt == PC;
	if (rn == PC || bit(w, 23)) {
		base(w, false, in);
		if (rn == PC)
			decode_literal(bit(w, 23), bits(w, 11, 0), f);
	} else if (bit(w, 11)) {
		if (!bit(w, 10) && !bit(w, 8))
			return false;
		post = !bit(w, 10);
		base(w, bit(w, 8), in);
		to_pc = to_pc && (size == 2 || bits(w, 10, 8) == 4);
		if (load && rt == PC && !to_pc)
			return false;
	} else if (bits(w, 11, 6) == 0) {
		base(w, false, in);
		in->rm = reads(in, bits(w, 3, 0));
		in->slow_address = bits(w, 5, 4) % 2;
	} else {
		return false;
	}
	if (to_pc && size < 2) {
		if (rn == PC) {
			in->literal = false;
			in->target = 0;
			f->relative = PMK_ARM_ABSOLUTE;
		}
		decode_hint(w, in);
		return true;
	}
	in->rd = load ? writes(in, rt) : reads(in, rt);
	if (to_pc)
		in->flow = rn == SP && post ? PMK_FLOW_RETURN : PMK_FLOW_INDIRECT;
	return load || rt != PC;
}

/* ---- branches ------------------------------------------------------------------------------- */

/* Decodes a branch. S is [26], J1 is [13] and J2 is [11]. Bits 23 and 22 of the offset are J1 and
 * J2, inverted unless S is set. */
static bool decode_branch(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	uint32_t s = bit(w, 26), i1 = bit(w, 13) ^ s ^ 1, i2 = bit(w, 11) ^ s ^ 1;
	uint32_t far = s << 24 | i1 << 23 | i2 << 22 | bits(w, 25, 16) << 12 | bits(w, 10, 0) << 1;
	uint32_t near = s << 20 | (uint32_t)bit(w, 11) << 19 | (uint32_t)bit(w, 13) << 18 |
			bits(w, 21, 16) << 12 | bits(w, 10, 0) << 1;

	if (bit(w, 14)) { /* BL, BLX */
		if (!bit(w, 12) && bit(w, 0))
			return false;
		in->flow = PMK_FLOW_CALL;
		in->rd = writes(in, LR);
		f->relative = bit(w, 12) ? PMK_ARM_FROM_PC : PMK_ARM_FROM_PC4;
		in->target = (uint64_t)sign_extend(far, 25);
	} else if (bit(w, 12)) {
		in->flow = PMK_FLOW_JUMP;
		f->relative = PMK_ARM_FROM_PC;
		in->target = (uint64_t)sign_extend(far, 25);
	} else if (bits(w, 25, 23) != 7) {
		in->flow = PMK_FLOW_JUMP;
		in->conditional = true;
		f->relative = PMK_ARM_FROM_PC;
		in->target = (uint64_t)sign_extend(near, 21);
	} else {
		return false;
	}
	in->iclass = PMK_I_BRANCH;
	in->is_branch = true;
	return true;
}

/* ---- entries -------------------------------------------------------------------------------- */

static bool decode_wide(uint32_t w, struct pmk_arm_facts *f)
{
	if ((w & 0xfe400000) == 0xe8000000)
		return decode_multiple(w, &f->insn);
	if ((w & 0xfe400000) == 0xe8400000)
		return decode_dual(w, f);
	if ((w & 0xfe000000) == 0xf8000000 && (bit(w, 20) || !bit(w, 24)))
		return decode_single(w, f);
	if ((w & 0xf8008000) == 0xf0008000)
		return facts_of_row(w, &f->insn) || decode_branch(w, f);
	return facts_of_row(w, &f->insn);
}

void pmk_arm_t32_facts(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_arm_facts blank = *f;

	if (decode_wide(w, f))
		f->insn.decoded = true;
	else
		*f = blank;
}

bool pmk_arm_t16_facts(uint32_t h, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;

	if ((h & 0xf500) == 0xb100) { /* CBZ, CBNZ */
		in->iclass = PMK_I_BRANCH;
		in->flow = PMK_FLOW_JUMP;
		in->is_branch = in->conditional = true;
		in->rn = reads(in, bits(h, 2, 0));
		in->target = bit(h, 9) << 6 | bits(h, 7, 3) << 1;
		f->relative = PMK_ARM_FROM_PC;
	} else if ((h & 0xff00) == 0xbf00) { /* IT; without conditions it is a hint, and 3 is WFI */
		in->sysop = h == 0xbf30 ? PMK_SYS_WFI : PMK_SYS_NONE;
	} else if ((h & 0xffc0) == 0xba80) { /* HLT */
		in->flow = PMK_FLOW_EXCEPTION;
	} else {
		return false;
	}
	in->decoded = true;
	return true;
}
