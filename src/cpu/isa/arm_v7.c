// SPDX-License-Identifier: MIT
/*
 * Finds the facts about instructions that were added to A32 after ARMv6: by ARMv6T2, by ARMv7 with
 * its extensions, and by ARMv8 in its AArch32 state (ARM DDI 0406C chapter A8, DDI 0487 chapter
 * F5). The file also has code that A32 and T32 of these versions share: it finds the kinds of
 * instructions that the events of ARMv7 and ARMv8 distinguish.
 */
#include "cpu/isa/arm.h"

enum layout {
	PLAIN,
	RD,	  /* Rd [15:12] */
	RD_OLD,	  /* Rd [15:12], which is also read */
	RD_RM,	  /* Rd [15:12], Rm [3:0] */
	RD_RN_RM, /* Rd [15:12], Rn [19:16], Rm [3:0] */
	INSERT,	  /* Rd [15:12], which is also read, and Rm [3:0] unless it is 15 */
	MULTIPLY, /* Rd [19:16], Rm [3:0], Rs [11:8], accumulator [15:12] */
	DIVIDE,	  /* Rd [19:16], Rn [3:0], Rm [11:8] */
	PRELOAD,  /* Rn [19:16], and Rm [3:0] if [25] is set */
	LOAD,	  /* Rn [19:16], Rt [15:12]; the size in [22:21] */
	STORE,	  /* Rn [19:16], Rt [3:0], and [15:12] for the result of an exclusive store */
	EXTRA,	  /* LDRHT …, with the offset of LDRH */
};

#define EX   0x01 /* exclusive */
#define COND 0x02 /* has a condition in [31:28] */

static const struct row {
	uint32_t mask, value;
	uint8_t iclass, layout, flags, flow, sysop;
} rows[] = {
/* clang-format off */
#define ROW(mask, value, iclass, layout, flags) \
	{ mask, value, PMK_I_##iclass, layout, flags, PMK_FLOW_NEXT, PMK_SYS_NONE }
	ROW(0x0ff00000, 0x03000000, ALU,     RD,       COND),      /* MOVW */
	ROW(0x0ff00000, 0x03400000, ALU,     RD_OLD,   COND),      /* MOVT */
	ROW(0x0fe00070, 0x07a00050, ALU,     RD_RM,    COND),      /* SBFX */
	ROW(0x0fe00070, 0x07c00010, ALU,     INSERT,   COND),      /* BFI, BFC */
	ROW(0x0fe00070, 0x07e00050, ALU,     RD_RM,    COND),      /* UBFX */
	ROW(0x0fff0ff0, 0x06ff0f30, ALU,     RD_RM,    COND),      /* RBIT */
	ROW(0x0ff000f0, 0x00600090, MLA,     MULTIPLY, COND),      /* MLS */
	ROW(0x0fd0f0f0, 0x0710f010, DIV,     DIVIDE,   COND),      /* SDIV, UDIV */
	ROW(0x0f900df0, 0x01000040, ALU,     RD_RN_RM, COND),      /* CRC32: see is_unallocated() */
	ROW(0x0f900fff, 0x01900c9f, LOAD,    LOAD,     COND),      /* LDA */
	ROW(0x0f900fff, 0x01900e9f, LOAD,    LOAD,     COND | EX), /* LDAEX */
	ROW(0x0f90fff0, 0x0180fc90, STORE,   STORE,    COND),      /* STL */
	ROW(0x0f900ff0, 0x01800e90, STORE,   STORE,    COND | EX), /* STLEX */
	ROW(0x0f2000f0, 0x002000b0, STORE,   EXTRA,    COND),      /* STRHT, LDRHT */
	ROW(0x0f3000d0, 0x003000d0, LOAD,    EXTRA,    COND),      /* LDRSBT, LDRSHT */
	ROW(0xff30f000, 0xf510f000, PRELOAD, PRELOAD,  0),         /* PLD, PLDW */
	ROW(0xff30f010, 0xf710f000, PRELOAD, PRELOAD,  0),
	ROW(0xff70f000, 0xf450f000, OTHER,   PRELOAD,  0),         /* PLI */
	ROW(0xff70f010, 0xf650f000, OTHER,   PRELOAD,  0),
	ROW(0xfffffff0, 0xf57ff010, OTHER,   PLAIN,    0),         /* CLREX */
#undef ROW
	{ 0x0ff000f0, 0x01400070, PMK_I_OTHER, PLAIN, COND, PMK_FLOW_EXCEPTION, 0 }, /* HVC */
	{ 0x0fffffff, 0x0160006e, PMK_I_OTHER, PLAIN, COND, PMK_FLOW_MODE, 0 },      /* ERET */
	{ 0x0ff000f0, 0x01000070, PMK_I_OTHER, PLAIN, COND, PMK_FLOW_EXCEPTION, 0 }, /* HLT */
	{ 0xfffffff0, 0xf57ff040, PMK_I_OTHER, PLAIN, 0, PMK_FLOW_NEXT, PMK_SYS_DSB },
	{ 0xfffffff0, 0xf57ff050, PMK_I_OTHER, PLAIN, 0, PMK_FLOW_NEXT, PMK_SYS_DMB },
	{ 0xfffffff0, 0xf57ff060, PMK_I_OTHER, PLAIN, 0, PMK_FLOW_NEXT, PMK_SYS_ISB },
	/* MRS and MSR of banked registers */
	{ 0x0fb00eff, 0x01000200, PMK_I_OTHER, RD, COND, PMK_FLOW_NEXT, PMK_SYS_NONE },
	{ 0x0fb0fef0, 0x0120f200, PMK_I_OTHER, PRELOAD, COND, PMK_FLOW_NEXT, PMK_SYS_NONE },
	/* clang-format on */
};

/* Returns the number of bytes, by [22:21]: word, double word, byte, half word. */
static unsigned ordered_bytes(uint32_t w)
{
	static const uint8_t size[] = { 4, 8, 1, 2 };

	return size[bits(w, 22, 21)];
}

static void set_ordered(uint32_t w, bool load, bool exclusive, struct pmk_insn *in)
{
	unsigned bytes = ordered_bytes(w), rt = load ? bits(w, 15, 12) : bits(w, 3, 0);

	set_load_store(in, load, bytes, 1);
	in->kind |= load ? PMK_K_ACQUIRE : PMK_K_RELEASE;
	in->exclusive = exclusive;
	in->rn = reads(in, bits(w, 19, 16));
	if (load) {
		in->rd = writes(in, rt);
		if (bytes == 8)
			in->rd2 = writes(in, (rt + 1) & 15);
		return;
	}
	in->rm = reads(in, rt);
	if (bytes == 8)
		reads(in, (rt + 1) & 15);
	if (exclusive)
		in->rd = writes(in, bits(w, 15, 12));
}

static void decode_extra(uint32_t w, struct pmk_insn *in)
{
	bool load = bit(w, 20);

	set_load_store(in, load, bits(w, 6, 5) == 2 ? 1 : 2, 1);
	in->rn = reads(in, bits(w, 19, 16));
	writes(in, bits(w, 19, 16));
	in->writeback = true;
	if (!bit(w, 22)) {
		in->rm = reads(in, bits(w, 3, 0));
		in->slow_address = !bit(w, 23);
	}
	in->rd = load ? writes(in, bits(w, 15, 12)) : reads(in, bits(w, 15, 12));
}

static void set_operands(uint32_t w, const struct row *r, struct pmk_insn *in)
{
	switch ((enum layout)r->layout) {
	case PLAIN:
		break;
	case RD:
		in->rd = writes(in, bits(w, 15, 12));
		break;
	case RD_OLD:
		in->rd = writes(in, bits(w, 15, 12));
		in->ra = reads(in, bits(w, 15, 12));
		break;
	case RD_RN_RM:
		in->rn = reads(in, bits(w, 19, 16));
		in->rm = reads(in, bits(w, 3, 0));
		in->rd = writes(in, bits(w, 15, 12));
		break;
	case RD_RM:
		in->rm = reads(in, bits(w, 3, 0));
		in->rd = writes(in, bits(w, 15, 12));
		break;
	case INSERT:
		if (bits(w, 3, 0) != PC)
			in->rm = reads(in, bits(w, 3, 0));
		in->rd = writes(in, bits(w, 15, 12));
		in->ra = reads(in, bits(w, 15, 12));
		break;
	case MULTIPLY:
		in->rm = reads(in, bits(w, 3, 0));
		in->rs = reads(in, bits(w, 11, 8));
		in->ra = reads(in, bits(w, 15, 12));
		in->rd = writes(in, bits(w, 19, 16));
		break;
	case DIVIDE:
		in->rn = reads(in, bits(w, 3, 0));
		in->rm = reads(in, bits(w, 11, 8));
		in->rd = writes(in, bits(w, 19, 16));
		break;
	case PRELOAD:
		if (r->iclass != PMK_I_OTHER || w >> 28 == 0xf)
			in->rn = reads(in, bits(w, 19, 16));
		if (bit(w, 25) || w >> 28 != 0xf)
			in->rm = reads(in, bits(w, 3, 0));
		break;
	case LOAD:
		set_ordered(w, true, r->flags & EX, in);
		break;
	case STORE:
		set_ordered(w, false, r->flags & EX, in);
		break;
	case EXTRA:
		decode_extra(w, in);
		break;
	}
}

/* True if the encoding is unallocated: CRC32, LDA and STL have no form of 8 bytes. */
static bool is_unallocated(uint32_t w, const struct row *r)
{
	if (r->value == 0x01000040)
		return bits(w, 22, 21) == 3;
	return (r->layout == LOAD || r->layout == STORE) && !(r->flags & EX) &&
	       bits(w, 22, 21) == 1;
}

bool pmk_arm_v7_facts(uint32_t w, struct pmk_arm_facts *f)
{
	const struct row *r = rows, *end = rows + sizeof(rows) / sizeof(rows[0]);
	struct pmk_insn *in = &f->insn;

	if (pmk_arm_is_simd(w)) {
		pmk_arm_simd_facts(w, f);
		return true;
	}
	while ((w & r->mask) != r->value || ((r->flags & COND) && w >> 28 == 0xf))
		if (++r == end)
			return false;
	if (is_unallocated(w, r))
		return true;
	in->decoded = true;
	in->conditional = w >> 28 < 14;
	in->iclass = r->iclass;
	in->flow = r->flow;
	in->sysop = r->sysop;
	set_operands(w, r, in);
	return true;
}

uint32_t pmk_arm_a32_of_t32(uint32_t w)
{
	if ((w & 0xff100000) == 0xf9000000) /* loads and stores of elements and structures */
		return 0xf4000000 | (w & 0x00ffffff);
	/* data processing; bit U is [28] in T32 and [24] in A32 */
	if ((w & 0xef000000) == 0xef000000)
		return 0xf2000000 | (w >> 28 & 1) << 24 | (w & 0x00ffffff);
	/* coprocessors; A32 has the condition "always" or none */
	if ((w & 0xec000000) == 0xec000000)
		return w;
	return 0;
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static uint32_t kind_of_branch(const struct pmk_insn *in)
{
	switch ((enum pmk_flow)in->flow) {
	case PMK_FLOW_JUMP:
	case PMK_FLOW_CALL:
		return PMK_K_BR_IMM;
	case PMK_FLOW_INDIRECT:
	case PMK_FLOW_INDCALL:
		return PMK_K_BR_INDIRECT;
	case PMK_FLOW_RETURN:
		return PMK_K_BR_INDIRECT | PMK_K_BR_RETURN;
	case PMK_FLOW_MODE:
		return PMK_K_ERET;
	case PMK_FLOW_NEXT:
	case PMK_FLOW_EXCEPTION:
		break;
	}
	return 0;
}

static uint32_t kind_of_exception(bool thumb, uint32_t w, unsigned size)
{
	if (thumb && size == 2)
		return (w & 0xff00) == 0xdf00 ? PMK_K_SVC : PMK_K_UNDEF;
	if (thumb) /* the second half word is in the upper half of `w` */
		return (w & 0xfff0) == 0xf7e0		? PMK_K_HVC
		       : (w & 0xf000fff0) == 0x8000f7f0 ? PMK_K_SMC
							: PMK_K_UNDEF;
	return (w & 0x0f000000) == 0x0f000000	? PMK_K_SVC
	       : (w & 0x0ff000f0) == 0x01400070 ? PMK_K_HVC
	       : (w & 0x0ff000f0) == 0x01600070 ? PMK_K_SMC
						: PMK_K_UNDEF;
}

/*
 * True for accesses of coprocessor 15 that never trap: those of the thread registers (c13, c0, 2 to
 * 4), and the barriers of ARMv6.
 */
static bool never_traps(uint32_t w)
{
	uint32_t reg = w & 0x0fef0fff & ~(uint32_t)0xf000;

	return reg == 0x0e0d0f50 || reg == 0x0e0d0f70 || reg == 0x0e0d0f90 || reg == 0x0e070f95 ||
	       reg == 0x0e070f9a || reg == 0x0e070fba;
}

/* Returns the kind of MCR, MRC, MCRR and MRRC of coprocessors 14 and 15, in A32's encoding. */
static uint32_t kind_of_coprocessor(uint32_t w)
{
	uint32_t trap = never_traps(w) ? 0 : PMK_K_MAY_TRAP;

	if ((w & 0x0fff0fdf) == 0x0e020f10) /* MCR p15, 0, Rt, c2, c0, 0 and 1 */
		return trap | PMK_K_TTBR_WRITE;
	if ((w & 0x0fff0fff) == 0x0e0d0f30)
		return trap | PMK_K_CID_WRITE;
	return (w & 0x0f000e10) == 0x0e000e10 || (w & 0x0fe00e00) == 0x0c400e00 ? trap : 0;
}

static bool is_data_processing(const struct pmk_insn *in)
{
	return (in->iclass >= PMK_I_ALU && in->iclass <= PMK_I_MMUL) || in->iclass == PMK_I_DIV;
}

void pmk_arm_v7_complete(bool thumb, uint32_t word, struct pmk_insn *in)
{
	uint32_t a32 = thumb ? word << 16 | word >> 16 : word;

	if (!in->decoded)
		return;
	if (in->load || in->store)
		in->mem_total = (uint8_t)(in->mem_bytes * in->mem_count);
	in->kind |= kind_of_branch(in);
	in->is_branch = (in->kind & (PMK_K_BR_IMM | PMK_K_BR_INDIRECT)) != 0;
	if (in->exclusive)
		in->kind |= in->load ? PMK_K_LDREX : PMK_K_STREX;
	if (is_data_processing(in))
		in->kind |= PMK_K_DP;
	if (in->flow == PMK_FLOW_EXCEPTION)
		in->kind |= kind_of_exception(thumb, word, in->size);
	if (in->size == 4 && (!thumb || pmk_arm_a32_of_t32(a32)))
		in->kind |= kind_of_coprocessor(a32);
}
