// SPDX-License-Identifier: MIT
/*
 * Instruction facts for A32 as ARM11 has it (ARMv6K, ARM DDI 0100I; VFPv2).
 *
 * row[] gives the kind of instruction for each name that arm.c has found. Registers and modes come
 * from the fields of the encoding. A name without a row is no instruction of an ARM11 and stays
 * undecoded. UNPREDICTABLE uses of registers are decoded like any others. Jazelle and coprocessors
 * other than 10, 11 (VFP) and 15 are not modelled.
 */
#include "cpu/isa/arm.h"

#include "cpu/isa/capstone.h"

/* ---- instructions by name ------------------------------------------------------------------ */

enum layout {
	UNKNOWN,
	PLAIN,	  /* only the condition */
	DATA,	  /* data processing: Rd, Rn and a second operand */
	MEDIA,	  /* Rd [15:12], Rn [19:16], Rm [3:0]; the flags say which of them exist */
	MULTIPLY, /* Rd [19:16], Rm [3:0], Rs [11:8], accumulator [15:12] */
	LONG,	  /* RdLo [15:12], RdHi [19:16], Rm [3:0], Rs [11:8] */
	SINGLE,	  /* LDR, STR, byte forms, PLD; LDM and STM that Capstone names POP and PUSH */
	EXTRA,	  /* loads and stores of half words, signed bytes and double words */
	MULTIPLE,
	EXCLUSIVE,
	SWAP,
	STATE,	   /* RFE, SRS */
	STATUS,	   /* MRS, MSR */
	COPROC,	   /* MCR, MRC */
	COPROC2,   /* MCRR, MRRC */
	COPROC_LS, /* LDC, STC */
	JUMP,
	TRAP,
};

#define RD    0x01
#define RN    0x02
#define RM    0x04
#define ACC   0x08 /* reads an accumulator */
#define CARRY 0x10 /* reads the carry flag */
#define GE    0x10 /* reads the GE flags */
#define SHIFT 0x20 /* Rm can be shifted by the immediate in [11:7] */
#define ROT   0x40 /* Rm can be rotated by [11:10] bytes */

struct row {
	uint8_t iclass, layout, flags;
};

/* clang-format off */
#define ROW(name, iclass, layout, flags) [ARM_INS_##name] = { PMK_I_##iclass, layout, flags }
#define OP3(name) ROW(name, ALU, MEDIA, RD | RN | RM)

static const struct row row[ARM_INS_ENDING] = {
	ROW(AND, ALU, DATA, RD | RN), ROW(EOR, ALU, DATA, RD | RN), ROW(SUB, ALU, DATA, RD | RN),
	ROW(RSB, ALU, DATA, RD | RN), ROW(ADD, ALU, DATA, RD | RN), ROW(ORR, ALU, DATA, RD | RN),
	ROW(BIC, ALU, DATA, RD | RN), ROW(ADR, ALU, DATA, RD | RN),
	ROW(ADC, ALU, DATA, RD | RN | CARRY), ROW(SBC, ALU, DATA, RD | RN | CARRY),
	ROW(RSC, ALU, DATA, RD | RN | CARRY),
	ROW(TST, ALU, DATA, RN), ROW(TEQ, ALU, DATA, RN), ROW(CMP, ALU, DATA, RN),
	ROW(CMN, ALU, DATA, RN),
	ROW(MOV, ALU, DATA, RD), ROW(MVN, ALU, DATA, RD), ROW(LSL, ALU, DATA, RD),
	ROW(LSR, ALU, DATA, RD), ROW(ASR, ALU, DATA, RD), ROW(ROR, ALU, DATA, RD),
	ROW(RRX, ALU, DATA, RD),

	ROW(MUL, MUL, MULTIPLY, 0), ROW(MLA, MLA, MULTIPLY, ACC),
	ROW(SMULL, MULL, LONG, 0), ROW(UMULL, MULL, LONG, 0),
	ROW(SMLAL, MLAL, LONG, ACC), ROW(UMLAL, MLAL, LONG, ACC), ROW(UMAAL, MLAL, LONG, ACC),
	ROW(SMULBB, MUL16, MULTIPLY, 0), ROW(SMULBT, MUL16, MULTIPLY, 0),
	ROW(SMULTB, MUL16, MULTIPLY, 0), ROW(SMULTT, MUL16, MULTIPLY, 0),
	ROW(SMULWB, MUL16, MULTIPLY, 0), ROW(SMULWT, MUL16, MULTIPLY, 0),
	ROW(SMLABB, MUL16, MULTIPLY, ACC), ROW(SMLABT, MUL16, MULTIPLY, ACC),
	ROW(SMLATB, MUL16, MULTIPLY, ACC), ROW(SMLATT, MUL16, MULTIPLY, ACC),
	ROW(SMLAWB, MUL16, MULTIPLY, ACC), ROW(SMLAWT, MUL16, MULTIPLY, ACC),
	ROW(SMUAD, MUL16, MULTIPLY, 0), ROW(SMUADX, MUL16, MULTIPLY, 0),
	ROW(SMUSD, MUL16, MULTIPLY, 0), ROW(SMUSDX, MUL16, MULTIPLY, 0),
	ROW(SMLAD, MUL16, MULTIPLY, ACC), ROW(SMLADX, MUL16, MULTIPLY, ACC),
	ROW(SMLSD, MUL16, MULTIPLY, ACC), ROW(SMLSDX, MUL16, MULTIPLY, ACC),
	/* Sums of absolute differences take as long as 16-bit multiplies, DDI 0301H table 16-8. */
	ROW(USAD8, MUL16, MULTIPLY, 0), ROW(USADA8, MUL16, MULTIPLY, ACC),
	ROW(SMLALBB, MLAL16, LONG, ACC), ROW(SMLALBT, MLAL16, LONG, ACC),
	ROW(SMLALTB, MLAL16, LONG, ACC), ROW(SMLALTT, MLAL16, LONG, ACC),
	ROW(SMLALD, MLAL16, LONG, ACC), ROW(SMLALDX, MLAL16, LONG, ACC),
	ROW(SMLSLD, MLAL16, LONG, ACC), ROW(SMLSLDX, MLAL16, LONG, ACC),
	ROW(SMMUL, MMUL, MULTIPLY, 0), ROW(SMMULR, MMUL, MULTIPLY, 0),
	ROW(SMMLA, MMUL, MULTIPLY, ACC), ROW(SMMLAR, MMUL, MULTIPLY, ACC),
	ROW(SMMLS, MMUL, MULTIPLY, ACC), ROW(SMMLSR, MMUL, MULTIPLY, ACC),

	OP3(QADD), OP3(QSUB), OP3(QDADD), OP3(QDSUB),
	OP3(SADD8), OP3(SADD16), OP3(SSUB8), OP3(SSUB16), OP3(SASX), OP3(SSAX),
	OP3(QADD8), OP3(QADD16), OP3(QSUB8), OP3(QSUB16), OP3(QASX), OP3(QSAX),
	OP3(SHADD8), OP3(SHADD16), OP3(SHSUB8), OP3(SHSUB16), OP3(SHASX), OP3(SHSAX),
	OP3(UADD8), OP3(UADD16), OP3(USUB8), OP3(USUB16), OP3(UASX), OP3(USAX),
	OP3(UQADD8), OP3(UQADD16), OP3(UQSUB8), OP3(UQSUB16), OP3(UQASX), OP3(UQSAX),
	OP3(UHADD8), OP3(UHADD16), OP3(UHSUB8), OP3(UHSUB16), OP3(UHASX), OP3(UHSAX),
	ROW(SEL, ALU, MEDIA, RD | RN | RM | GE),
	ROW(PKHBT, ALU, MEDIA, RD | RN | RM | SHIFT), ROW(PKHTB, ALU, MEDIA, RD | RN | RM | SHIFT),
	ROW(SSAT, ALU, MEDIA, RD | RM | SHIFT), ROW(USAT, ALU, MEDIA, RD | RM | SHIFT),
	ROW(SSAT16, ALU, MEDIA, RD | RM), ROW(USAT16, ALU, MEDIA, RD | RM),
	ROW(CLZ, ALU, MEDIA, RD | RM), ROW(REV, ALU, MEDIA, RD | RM),
	ROW(REV16, ALU, MEDIA, RD | RM), ROW(REVSH, ALU, MEDIA, RD | RM),
	ROW(SXTB, ALU, MEDIA, RD | RM | ROT), ROW(SXTB16, ALU, MEDIA, RD | RM | ROT),
	ROW(SXTH, ALU, MEDIA, RD | RM | ROT), ROW(UXTB, ALU, MEDIA, RD | RM | ROT),
	ROW(UXTB16, ALU, MEDIA, RD | RM | ROT), ROW(UXTH, ALU, MEDIA, RD | RM | ROT),
	ROW(SXTAB, ALU, MEDIA, RD | RN | RM | ROT), ROW(SXTAB16, ALU, MEDIA, RD | RN | RM | ROT),
	ROW(SXTAH, ALU, MEDIA, RD | RN | RM | ROT), ROW(UXTAB, ALU, MEDIA, RD | RN | RM | ROT),
	ROW(UXTAB16, ALU, MEDIA, RD | RN | RM | ROT), ROW(UXTAH, ALU, MEDIA, RD | RN | RM | ROT),

	ROW(LDR, LOAD, SINGLE, RD), ROW(LDRT, LOAD, SINGLE, RD), ROW(LDRB, LOAD, SINGLE, RD),
	ROW(LDRBT, LOAD, SINGLE, RD), ROW(POP, LOAD, SINGLE, RD),
	ROW(STR, STORE, SINGLE, RD), ROW(STRT, STORE, SINGLE, RD), ROW(STRB, STORE, SINGLE, RD),
	ROW(STRBT, STORE, SINGLE, RD), ROW(PUSH, STORE, SINGLE, RD),
	ROW(PLD, PRELOAD, SINGLE, 0),
	ROW(LDRH, LOAD, EXTRA, 0), ROW(LDRSB, LOAD, EXTRA, 0), ROW(LDRSH, LOAD, EXTRA, 0),
	ROW(LDRD, LOAD, EXTRA, 0), ROW(STRH, STORE, EXTRA, 0), ROW(STRD, STORE, EXTRA, 0),
	ROW(LDM, LOADM, MULTIPLE, 0), ROW(LDMDA, LOADM, MULTIPLE, 0),
	ROW(LDMDB, LOADM, MULTIPLE, 0), ROW(LDMIB, LOADM, MULTIPLE, 0),
	ROW(STM, STOREM, MULTIPLE, 0), ROW(STMDA, STOREM, MULTIPLE, 0),
	ROW(STMDB, STOREM, MULTIPLE, 0), ROW(STMIB, STOREM, MULTIPLE, 0),
	ROW(SWP, SWAP, SWAP, 0), ROW(SWPB, SWAP, SWAP, 0),
	ROW(LDREX, LOAD, EXCLUSIVE, 0), ROW(LDREXB, LOAD, EXCLUSIVE, 0),
	ROW(LDREXH, LOAD, EXCLUSIVE, 0), ROW(LDREXD, LOAD, EXCLUSIVE, 0),
	ROW(STREX, STORE, EXCLUSIVE, 0), ROW(STREXB, STORE, EXCLUSIVE, 0),
	ROW(STREXH, STORE, EXCLUSIVE, 0), ROW(STREXD, STORE, EXCLUSIVE, 0),
	ROW(RFEDA, LOADM, STATE, 0), ROW(RFEDB, LOADM, STATE, 0),
	ROW(RFEIA, LOADM, STATE, 0), ROW(RFEIB, LOADM, STATE, 0),
	ROW(SRSDA, STOREM, STATE, 0), ROW(SRSDB, STOREM, STATE, 0),
	ROW(SRSIA, STOREM, STATE, 0), ROW(SRSIB, STOREM, STATE, 0),

	ROW(B, BRANCH, JUMP, 0), ROW(BL, BRANCH, JUMP, 0), ROW(BLX, BRANCH, JUMP, 0),
	ROW(BX, BRANCH, JUMP, 0), ROW(BXJ, BRANCH, JUMP, 0),
	ROW(SVC, OTHER, TRAP, 0), ROW(BKPT, OTHER, TRAP, 0), ROW(UDF, OTHER, TRAP, 0),
	ROW(TRAP, OTHER, TRAP, 0), ROW(SMC, OTHER, TRAP, 0),

	ROW(MRS, OTHER, STATUS, 0), ROW(MSR, OTHER, STATUS, 0),
	ROW(MCR, OTHER, COPROC, 0), ROW(MRC, OTHER, COPROC, 0),
	ROW(MCR2, OTHER, COPROC, 0), ROW(MRC2, OTHER, COPROC, 0),
	ROW(MCRR, OTHER, COPROC2, 0), ROW(MRRC, OTHER, COPROC2, 0),
	ROW(MCRR2, OTHER, COPROC2, 0), ROW(MRRC2, OTHER, COPROC2, 0),
	ROW(LDC, OTHER, COPROC_LS, 0), ROW(LDCL, OTHER, COPROC_LS, 0),
	ROW(LDC2, OTHER, COPROC_LS, 0), ROW(LDC2L, OTHER, COPROC_LS, 0),
	ROW(STC, OTHER, COPROC_LS, 0), ROW(STCL, OTHER, COPROC_LS, 0),
	ROW(STC2, OTHER, COPROC_LS, 0), ROW(STC2L, OTHER, COPROC_LS, 0),
	ROW(CDP, OTHER, PLAIN, 0), ROW(CDP2, OTHER, PLAIN, 0),
	ROW(CPS, OTHER, PLAIN, 0), ROW(SETEND, OTHER, PLAIN, 0), ROW(CLREX, OTHER, PLAIN, 0),
	ROW(NOP, OTHER, PLAIN, 0), ROW(YIELD, OTHER, PLAIN, 0), ROW(WFE, OTHER, PLAIN, 0),
	ROW(WFI, OTHER, PLAIN, 0), ROW(SEV, OTHER, PLAIN, 0), ROW(HINT, OTHER, PLAIN, 0),
};

/* Writes of CP15, as MCR p15, 0, Rt, CRn, CRm, opcode2 (DDI 0301H table 3-2). */
static const struct {
	uint8_t crn, crm, opcode2, sysop;
} cp15[] = {
	{ 7, 10, 4, PMK_SYS_DSB },
	{ 7, 10, 5, PMK_SYS_DMB },
	{ 7,  5, 4, PMK_SYS_ISB },
	{ 7,  5, 6, PMK_SYS_BTAC_FLUSH }, /* flushes all entries; flushes by address do not count */
	{ 7,  5, 0, PMK_SYS_ICACHE_INV },
	{ 7,  7, 0, PMK_SYS_ICACHE_INV }, /* both caches */
	{ 7,  0, 4, PMK_SYS_WFI },
	{ 2,  0, 0, PMK_SYS_TLB }, { 2, 0, 1, PMK_SYS_TLB }, { 2, 0, 2, PMK_SYS_TLB },
	{ 3,  0, 0, PMK_SYS_TLB },
	{ 13, 0, 0, PMK_SYS_TLB }, /* FCSE process ID: moves addresses, flushes the BTAC */
	{ 13, 0, 1, PMK_SYS_TLB },        /* context ID */
};
/* clang-format on */

/* ---- layouts -------------------------------------------------------------------------------- */

/*
 * Decodes the second operand of data processing. It decides the class of the instruction and
 * contains Rm and Rs (shifter operands, DDI 0100I A5.1).
 */
static void second_operand(uint32_t w, struct pmk_insn *in)
{
	if (bit(w, 25))
		return;
	in->rm = reads(in, bits(w, 3, 0));
	if (bit(w, 4)) {
		in->iclass = PMK_I_ALU_RSHIFT;
		in->rs = reads(in, bits(w, 11, 8));
	} else if (bits(w, 11, 5) != 0) { /* all but LSL #0 */
		in->iclass = PMK_I_ALU_SHIFT;
		in->reads_flags |= bits(w, 11, 5) == 3; /* ROR #0 is RRX */
	}
}

static void decode_data(uint32_t w, unsigned flags, struct pmk_insn *in)
{
	in->sets_flags = bit(w, 20);
	in->reads_flags = flags & CARRY;
	if (flags & RN)
		in->rn = reads(in, bits(w, 19, 16));
	second_operand(w, in);
	if (!(flags & RD))
		return;
	in->rd = writes(in, bits(w, 15, 12));
	if (in->rd != PC)
		return;
	in->flow = PMK_FLOW_INDIRECT;
	if (bit(w, 20)) { /* with Rd = PC, the S bit copies the SPSR into the CPSR */
		in->flow = PMK_FLOW_MODE;
		in->sets_flags = false;
	} else if ((w & 0x0fffffff) == 0x01a0f00e) { /* MOV pc, lr */
		in->flow = PMK_FLOW_RETURN;
	}
}

static void decode_media(uint32_t w, unsigned flags, struct pmk_insn *in)
{
	in->reads_flags = flags & GE;
	if (flags & RN)
		in->rn = reads(in, bits(w, 19, 16));
	in->rm = reads(in, bits(w, 3, 0));
	in->rd = writes(in, bits(w, 15, 12));
	if (((flags & SHIFT) && bits(w, 11, 6) != 0) || ((flags & ROT) && bits(w, 11, 10) != 0))
		in->iclass = PMK_I_ALU_SHIFT;
}

static void decode_multiply(uint32_t w, unsigned flags, struct pmk_insn *in)
{
	in->rm = reads(in, bits(w, 3, 0));
	in->rs = reads(in, bits(w, 11, 8));
	if (flags & ACC)
		in->ra = reads(in, bits(w, 15, 12));
	in->rd = writes(in, bits(w, 19, 16));
	in->sets_flags = (in->iclass == PMK_I_MUL || in->iclass == PMK_I_MLA) && bit(w, 20);
}

static void multiply_long(uint32_t w, unsigned flags, struct pmk_insn *in)
{
	in->rm = reads(in, bits(w, 3, 0));
	in->rs = reads(in, bits(w, 11, 8));
	in->rd = writes(in, bits(w, 15, 12));
	in->rd2 = writes(in, bits(w, 19, 16));
	if (flags & ACC)
		in->reads |= in->writes;
	in->sets_flags = in->iclass != PMK_I_MLAL16 && bit(w, 20);
}

static void set_literal(uint32_t w, unsigned offset, struct pmk_arm_facts *f)
{
	f->insn.literal = true;
	f->relative = PMK_ARM_FROM_PC4;
	f->insn.target = (uint64_t)(bit(w, 23) ? (int64_t)offset : -(int64_t)offset);
}

/*
 * Sets the address of an access. U [23] decides if `imm` is added to the base or subtracted. If P
 * [24] is clear, the access uses the old base, and write-back changes the base afterwards.
 */
static void set_address(uint32_t w, unsigned imm, struct pmk_insn *in)
{
	int32_t step = bit(w, 23) ? (int32_t)imm : -(int32_t)imm;

	in->offset = bit(w, 24) ? step : 0;
	in->step = (int16_t)(in->writeback ? step : 0);
}

static void decode_single(uint32_t w, unsigned flags, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	bool post = !bit(w, 24);

	base(w, (flags & RD) && (post || bit(w, 21)), in);
	if (bit(w, 25)) {
		in->rm = reads(in, bits(w, 3, 0));
		in->slow_address = !bit(w, 23) || (bits(w, 11, 5) != 0 && bits(w, 11, 5) != 2 << 2);
	} else {
		set_address(w, bits(w, 11, 0), in);
	}
	if (!(flags & RD)) /* a PLD is not counted as an access */
		return;
	set_memory(in, bit(w, 20), bit(w, 22) ? 1 : 4, 1);
	if (in->store) {
		in->rd = reads(in, bits(w, 15, 12));
		return;
	}
	in->rd = writes(in, bits(w, 15, 12));
	if (in->rn == PC && !bit(w, 25) && !in->writeback)
		set_literal(w, bits(w, 11, 0), f);
	if (in->rd == PC && !bit(w, 22)) /* LDR pc, [sp], #k is a return, DDI 0301H 5.2.4 */
		in->flow =
			in->rn == SP && post && !bit(w, 25) ? PMK_FLOW_RETURN : PMK_FLOW_INDIRECT;
}

/* Decodes L [20], S [6] and H [5]: 001 STRH, 010 LDRD, 011 STRD, 101 LDRH, 110 LDRSB, 111 LDRSH. */
static void decode_extra(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	bool twice = !bit(w, 20) && bit(w, 6);
	bool load = bit(w, 20) || bits(w, 6, 5) == 2;
	unsigned rd = bits(w, 15, 12);

	base(w, !bit(w, 24) || bit(w, 21), in);
	if (!bit(w, 22)) {
		in->rm = reads(in, bits(w, 3, 0));
		in->slow_address = !bit(w, 23);
	} else {
		set_address(w, bits(w, 11, 8) << 4 | bits(w, 3, 0), in);
	}
	set_memory(in, load, twice ? 4 : bits(w, 6, 5) == 2 ? 1 : 2, twice ? 2 : 1);
	in->rd = load ? writes(in, rd) : reads(in, rd);
	if (twice)
		in->rd2 = load ? writes(in, (rd + 1) & 15) : reads(in, (rd + 1) & 15);
	if (load && in->rn == PC && bit(w, 22) && !in->writeback)
		set_literal(w, bits(w, 11, 8) << 4 | bits(w, 3, 0), f);
}

static void decode_multiple(uint32_t w, struct pmk_insn *in)
{
	base(w, bit(w, 21), in);
	in->list = (uint16_t)bits(w, 15, 0);
	set_memory(in, bit(w, 20), 4, (unsigned)__builtin_popcount(in->list));
	in->iclass = in->load ? PMK_I_LOADM : PMK_I_STOREM;
	/* The lowest word of the access is at the base, one word above it, or below it. */
	set_address(w, 4 * in->mem_count, in);
	in->offset = bit(w, 23) ? (bit(w, 24) ? 4 : 0)
				: (bit(w, 24) ? 0 : 4) - 4 * (int32_t)in->mem_count;
	if (in->store) {
		in->reads |= in->list & ~(1u << PC);
		return;
	}
	in->writes |= in->list & ~(1u << PC);
	if (!(in->list >> PC))
		return;
	if (bit(w, 22)) /* LDM ^ with the PC is an exception return */
		in->flow = PMK_FLOW_MODE;
	else if (in->rn == SP && in->writeback)
		in->flow = PMK_FLOW_RETURN;
	else
		in->flow = PMK_FLOW_INDIRECT;
}

/* Decodes the size of an exclusive access from [22:21]: word, double word, byte, half word. A
 * double word counts as one access of 8 bytes. */
static void decode_exclusive(uint32_t w, struct pmk_insn *in)
{
	static const uint8_t size[] = { 4, 8, 1, 2 };
	unsigned bytes = size[bits(w, 22, 21)];
	unsigned rd = bits(w, 15, 12), rm = bits(w, 3, 0);

	in->exclusive = true;
	base(w, false, in);
	set_memory(in, bit(w, 20), bytes, 1);
	in->rd = writes(in, rd);
	if (in->load && bytes == 8)
		in->rd2 = writes(in, (rd + 1) & 15);
	if (in->store) { /* rd is the register for the outcome, and rm has the value */
		in->rm = reads(in, rm);
		if (bytes == 8)
			reads(in, (rm + 1) & 15);
	}
}

static void decode_swap(uint32_t w, struct pmk_insn *in)
{
	base(w, false, in);
	set_memory(in, true, bit(w, 22) ? 1 : 4, 1);
	in->store = true;
	in->rd = writes(in, bits(w, 15, 12));
	in->rm = reads(in, bits(w, 3, 0));
}

/*
 * Decodes RFE and SRS. RFE loads PC and CPSR. SRS stores LR and SPSR to the stack of any mode; the
 * model assumes the stack of the current mode.
 */
static void decode_state(uint32_t w, struct pmk_insn *in)
{
	set_memory(in, bit(w, 20), 4, 2);
	base(w, bit(w, 21), in);
	if (in->load)
		in->flow = PMK_FLOW_MODE;
	else
		reads(in, LR);
}

/*
 * Decodes MRS and MSR. R [22] selects the SPSR, whose flags no condition tests. Hints are encoded
 * as MSR, but Capstone names them differently, so they do not come here.
 */
static void decode_status(uint32_t w, struct pmk_insn *in)
{
	if (!bit(w, 21)) {
		in->rd = writes(in, bits(w, 15, 12));
		in->reads_flags = !bit(w, 22);
		return;
	}
	if (!bit(w, 25))
		in->rm = reads(in, bits(w, 3, 0));
	in->sets_flags = bit(w, 19) && !bit(w, 22);
}

static void decode_coprocessor(uint32_t w, struct pmk_insn *in)
{
	unsigned rt = bits(w, 15, 12);

	if (bit(w, 20)) {
		in->sets_flags = rt == PC; /* MRC to r15 sets the flags, DDI 0100I A4.1.38 */
		in->rd = rt == PC ? PMK_NO_REG : writes(in, rt);
		return;
	}
	in->rm = reads(in, rt);
	if (w >> 28 == 0xf || bits(w, 23, 21) != 0 || bits(w, 11, 8) != 15)
		return;
	if (bits(w, 19, 16) == 8) /* all of CRn 8 are operations on the TLB */
		in->sysop = PMK_SYS_TLB;
	for (size_t i = 0; i < sizeof(cp15) / sizeof(cp15[0]); i++)
		if (bits(w, 19, 16) == cp15[i].crn && bits(w, 3, 0) == cp15[i].crm &&
		    bits(w, 7, 5) == cp15[i].opcode2)
			in->sysop = cp15[i].sysop;
}

static void coprocessor_two(uint32_t w, struct pmk_insn *in)
{
	if (bit(w, 20)) {
		in->rd = writes(in, bits(w, 15, 12));
		in->rd2 = writes(in, bits(w, 19, 16));
	} else {
		in->rm = reads(in, bits(w, 15, 12));
		in->rs = reads(in, bits(w, 19, 16));
	}
}

/*
 * Decodes LDC and STC. The coprocessor decides how many words it transfers; pmk assumes one. No
 * ARM11 has a coprocessor for LDC or STC.
 */
static void coprocessor_memory(uint32_t w, struct pmk_insn *in)
{
	base(w, bit(w, 21), in);
	set_address(w, bits(w, 7, 0) << 2, in);
	set_memory(in, bit(w, 20), 4, 1);
}

/* Decodes VFP instructions (coprocessors 10 and 11) without Capstone's name. Bit 8 is set for
 * double precision (DDI 0100I C5). */
static void floating_point(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	unsigned words = bits(w, 7, 0);

	in->iclass = PMK_I_FP;
	if (bits(w, 27, 24) == 0xe) {
		if (bit(w, 4)) /* FMSTAT is a transfer to r15 */
			decode_coprocessor(w, in);
	} else if (bits(w, 27, 21) == 0x62) {
		coprocessor_two(w, in);
	} else if (bit(w, 24) && !bit(w, 21)) {
		base(w, false, in);
		set_address(w, words << 2, in);
		set_memory(in, bit(w, 20), bit(w, 8) ? 8 : 4, 1);
		if (in->load && in->rn == PC)
			set_literal(w, words << 2, f);
	} else { /* FLDMX and FSTMX encode an odd number of words, and skip the last one */
		base(w, bit(w, 21), in);
		set_address(w, words << 2, in);
		set_memory(in, bit(w, 20), bit(w, 8) ? 8 : 4, bit(w, 8) ? words / 2 : words);
	}
	pmk_arm_vfp_facts(w, in);
}

static void set_jump(uint32_t w, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	int32_t offset = (int32_t)((uint32_t)sign_extend(bits(w, 23, 0), 24) << 2);

	in->is_branch = true;
	if (bits(w, 27, 25) == 5) {
		bool exchange = w >> 28 == 0xf;

		in->flow = exchange || bit(w, 24) ? PMK_FLOW_CALL : PMK_FLOW_JUMP;
		f->relative = PMK_ARM_FROM_PC;
		in->target = (uint64_t)(int64_t)(offset + (exchange && bit(w, 24) ? 2 : 0));
	} else { /* BX, BXJ, BLX in [7:4] = 1, 2, 3 */
		in->rm = reads(in, bits(w, 3, 0));
		in->flow = bits(w, 7, 4) == 3		    ? PMK_FLOW_INDCALL
			   : (w & 0x0fffffff) == 0x012fff1e ? PMK_FLOW_RETURN
							    : PMK_FLOW_INDIRECT;
	}
	if (in->flow == PMK_FLOW_CALL || in->flow == PMK_FLOW_INDCALL)
		in->rd = writes(in, LR);
}

static bool is_vfp(uint32_t w)
{
	return w >> 28 != 0xf && bits(w, 27, 26) == 3 && bits(w, 25, 24) != 3 &&
	       bits(w, 11, 9) == 5;
}

void pmk_arm_a32_facts(uint32_t w, unsigned name, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	struct row r = name < ARM_INS_ENDING ? row[name] : row[0];

	if (is_vfp(w) && name != ARM_INS_INVALID) {
		in->decoded = true;
		in->conditional = w >> 28 < 14;
		floating_point(w, f);
		return;
	}
	if (r.layout == UNKNOWN)
		return;
	in->decoded = true;
	in->iclass = r.iclass;
	in->conditional = w >> 28 < 14;
	switch ((enum layout)r.layout) {
	case UNKNOWN:
	case PLAIN:
		in->sysop = name == ARM_INS_WFI ? PMK_SYS_WFI : PMK_SYS_NONE;
		break;
	case DATA:
		decode_data(w, r.flags, in);
		break;
	case MEDIA:
		decode_media(w, r.flags, in);
		break;
	case MULTIPLY:
		decode_multiply(w, r.flags, in);
		break;
	case LONG:
		multiply_long(w, r.flags, in);
		break;
	case SINGLE:
		if (bits(w, 27, 25) == 4)
			decode_multiple(w, in);
		else
			decode_single(w, r.flags, f);
		break;
	case EXTRA:
		decode_extra(w, f);
		break;
	case MULTIPLE:
		decode_multiple(w, in);
		break;
	case EXCLUSIVE:
		decode_exclusive(w, in);
		break;
	case SWAP:
		decode_swap(w, in);
		break;
	case STATE:
		decode_state(w, in);
		break;
	case STATUS:
		decode_status(w, in);
		break;
	case COPROC:
		decode_coprocessor(w, in);
		break;
	case COPROC2:
		coprocessor_two(w, in);
		break;
	case COPROC_LS:
		coprocessor_memory(w, in);
		break;
	case JUMP:
		set_jump(w, f);
		break;
	case TRAP:
		in->flow = PMK_FLOW_EXCEPTION;
		break;
	}
}
