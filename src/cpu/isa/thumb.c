// SPDX-License-Identifier: MIT
/*
 * Finds the facts about the 16-bit Thumb instructions of ARMv6 (ARM DDI 0100I chapter A7).
 *
 * The set is small and regular enough for one table. The first row that matches is used. The
 * decoder does not need Capstone, which would also accept CBZ, IT and hints of ARMv6T2; among ARM11
 * cores, only the ARM1156 has these. A test compares all 65536 encodings with Capstone. BL and BLX
 * are two half words. They are decoded as a pair, or one by one if an emulator splits them. If they
 * are split, the first half is an ALU instruction that writes lr, and the second half is the
 * branch.
 */
#include "cpu/isa/arm.h"

/* The position of a register number. */
enum place {
	NO,
	R0, /* [2:0] */
	R3, /* [5:3] */
	R6, /* [8:6] */
	R8, /* [10:8] */
	H0, /* [7] and [2:0] */
	H3, /* [6:3] */
	RSP,
	RLR,
	RPC,
};

#define S    0x01 /* sets the flags */
#define C    0x02 /* reads the carry flag */
#define LD   0x04
#define ST   0x08
#define LIST 0x10 /* registers in [7:0] */
#define LIT  0x20 /* word in the literal pool, offset in [7:0] */

struct row {
	uint16_t mask, value;
	uint8_t iclass, rd, rn, rm, rs, flags, bytes, flow;
};

/* clang-format off */
static const struct row rows[] = {
	/* In the names, #8 means an immediate of 8 bits. */
	/* mask   value   class             Rd   Rn   Rm  Rs  flags     bytes  flow */
	{ 0xffc0, 0x0000, PMK_I_ALU,        R0,  NO,  R3, NO, S },            /* MOV is LSL by 0 */
	{ 0xf800, 0x0000, PMK_I_ALU_SHIFT,  R0,  NO,  R3, NO, S },            /* LSL */
	{ 0xf800, 0x0800, PMK_I_ALU_SHIFT,  R0,  NO,  R3, NO, S },            /* LSR */
	{ 0xf800, 0x1000, PMK_I_ALU_SHIFT,  R0,  NO,  R3, NO, S },            /* ASR */
	{ 0xfc00, 0x1800, PMK_I_ALU,        R0,  R3,  R6, NO, S },            /* ADD, SUB */
	{ 0xfc00, 0x1c00, PMK_I_ALU,        R0,  R3,  NO, NO, S },            /* ADD, SUB #3 */
	{ 0xf800, 0x2000, PMK_I_ALU,        R8,  NO,  NO, NO, S },            /* MOV #8 */
	{ 0xf800, 0x2800, PMK_I_ALU,        NO,  R8,  NO, NO, S },            /* CMP #8 */
	{ 0xf000, 0x3000, PMK_I_ALU,        R8,  R8,  NO, NO, S },            /* ADD, SUB #8 */
	{ 0xff80, 0x4000, PMK_I_ALU,        R0,  R0,  R3, NO, S },            /* AND, EOR */
	{ 0xff80, 0x4080, PMK_I_ALU_RSHIFT, R0,  NO,  R0, R3, S },            /* LSL, LSR */
	{ 0xffc0, 0x4100, PMK_I_ALU_RSHIFT, R0,  NO,  R0, R3, S },            /* ASR */
	{ 0xffc0, 0x4140, PMK_I_ALU,        R0,  R0,  R3, NO, S | C },        /* ADC */
	{ 0xffc0, 0x4180, PMK_I_ALU,        R0,  R0,  R3, NO, S | C },        /* SBC */
	{ 0xffc0, 0x41c0, PMK_I_ALU_RSHIFT, R0,  NO,  R0, R3, S },            /* ROR */
	{ 0xffc0, 0x4200, PMK_I_ALU,        NO,  R0,  R3, NO, S },            /* TST */
	{ 0xffc0, 0x4240, PMK_I_ALU,        R0,  R3,  NO, NO, S },            /* NEG */
	{ 0xff80, 0x4280, PMK_I_ALU,        NO,  R0,  R3, NO, S },            /* CMP, CMN */
	{ 0xffc0, 0x4300, PMK_I_ALU,        R0,  R0,  R3, NO, S },            /* ORR */
	{ 0xffc0, 0x4340, PMK_I_MUL,        R0,  NO,  R3, R0, S },            /* MUL */
	{ 0xffc0, 0x4380, PMK_I_ALU,        R0,  R0,  R3, NO, S },            /* BIC */
	{ 0xffc0, 0x43c0, PMK_I_ALU,        R0,  NO,  R3, NO, S },            /* MVN */
	/* ADD pc */
	{ 0xff87, 0x4487, PMK_I_ALU,        H0,  H0,  H3, NO, 0, 0, PMK_FLOW_INDIRECT },
	/* ADD, high registers */
	{ 0xff00, 0x4400, PMK_I_ALU,        H0,  H0,  H3, NO, 0 },
	{ 0xff00, 0x4500, PMK_I_ALU,        NO,  H0,  H3, NO, S },            /* CMP */
	/* MOV pc, lr */
	{ 0xffff, 0x46f7, PMK_I_ALU,        H0,  NO,  H3, NO, 0, 0, PMK_FLOW_RETURN },
	/* MOV pc */
	{ 0xff87, 0x4687, PMK_I_ALU,        H0,  NO,  H3, NO, 0, 0, PMK_FLOW_INDIRECT },
	{ 0xff00, 0x4600, PMK_I_ALU,        H0,  NO,  H3, NO, 0 },            /* MOV */
	{ 0xffff, 0x4770, PMK_I_BRANCH,     NO,  NO,  H3, NO, 0, 0, PMK_FLOW_RETURN },   /* BX lr */
	{ 0xff87, 0x4700, PMK_I_BRANCH,     NO,  NO,  H3, NO, 0, 0, PMK_FLOW_INDIRECT }, /* BX */
	{ 0xff87, 0x4780, PMK_I_BRANCH,     RLR, NO,  H3, NO, 0, 0, PMK_FLOW_INDCALL },  /* BLX */
	{ 0xf800, 0x4800, PMK_I_LOAD,       R8,  RPC, NO, NO, LD | LIT, 4 },  /* LDR pc-relative */
	{ 0xfe00, 0x5000, PMK_I_STORE,      R0,  R3,  R6, NO, ST, 4 },        /* STR */
	{ 0xfe00, 0x5200, PMK_I_STORE,      R0,  R3,  R6, NO, ST, 2 },        /* STRH */
	{ 0xfe00, 0x5400, PMK_I_STORE,      R0,  R3,  R6, NO, ST, 1 },        /* STRB */
	{ 0xfe00, 0x5600, PMK_I_LOAD,       R0,  R3,  R6, NO, LD, 1 },        /* LDRSB */
	{ 0xfe00, 0x5800, PMK_I_LOAD,       R0,  R3,  R6, NO, LD, 4 },        /* LDR */
	{ 0xfe00, 0x5a00, PMK_I_LOAD,       R0,  R3,  R6, NO, LD, 2 },        /* LDRH */
	{ 0xfe00, 0x5c00, PMK_I_LOAD,       R0,  R3,  R6, NO, LD, 1 },        /* LDRB */
	{ 0xfe00, 0x5e00, PMK_I_LOAD,       R0,  R3,  R6, NO, LD, 2 },        /* LDRSH */
	{ 0xf800, 0x6000, PMK_I_STORE,      R0,  R3,  NO, NO, ST, 4 },        /* STR #5 */
	{ 0xf800, 0x6800, PMK_I_LOAD,       R0,  R3,  NO, NO, LD, 4 },        /* LDR #5 */
	{ 0xf800, 0x7000, PMK_I_STORE,      R0,  R3,  NO, NO, ST, 1 },        /* STRB #5 */
	{ 0xf800, 0x7800, PMK_I_LOAD,       R0,  R3,  NO, NO, LD, 1 },        /* LDRB #5 */
	{ 0xf800, 0x8000, PMK_I_STORE,      R0,  R3,  NO, NO, ST, 2 },        /* STRH #5 */
	{ 0xf800, 0x8800, PMK_I_LOAD,       R0,  R3,  NO, NO, LD, 2 },        /* LDRH #5 */
	{ 0xf800, 0x9000, PMK_I_STORE,      R8,  RSP, NO, NO, ST, 4 },        /* STR [sp] */
	{ 0xf800, 0x9800, PMK_I_LOAD,       R8,  RSP, NO, NO, LD, 4 },        /* LDR [sp] */
	{ 0xf800, 0xa000, PMK_I_ALU,        R8,  RPC, NO, NO, 0 },            /* ADD pc, #8 */
	{ 0xf800, 0xa800, PMK_I_ALU,        R8,  RSP, NO, NO, 0 },            /* ADD sp, #8 */
	{ 0xff00, 0xb000, PMK_I_ALU,        RSP, RSP, NO, NO, 0 },            /* ADD, SUB sp */
	{ 0xff00, 0xb200, PMK_I_ALU,        R0,  NO,  R3, NO, 0 },            /* SXTH … UXTB */
	{ 0xfe00, 0xb400, PMK_I_STOREM,     NO,  RSP, NO, NO, ST | LIST, 4 }, /* PUSH */
	{ 0xfff7, 0xb650, PMK_I_OTHER,      NO,  NO,  NO, NO, 0 },            /* SETEND */
	{ 0xffe8, 0xb660, PMK_I_OTHER,      NO,  NO,  NO, NO, 0 },            /* CPS */
	{ 0xff80, 0xba00, PMK_I_ALU,        R0,  NO,  R3, NO, 0 },            /* REV, REV16 */
	{ 0xffc0, 0xbac0, PMK_I_ALU,        R0,  NO,  R3, NO, 0 },            /* REVSH */
	{ 0xff00, 0xbd00, PMK_I_LOADM,      NO,  RSP, NO, NO, LD | LIST, 4, PMK_FLOW_RETURN },
	{ 0xff00, 0xbc00, PMK_I_LOADM,      NO,  RSP, NO, NO, LD | LIST, 4 }, /* POP */
	{ 0xff00, 0xbe00, PMK_I_OTHER,      NO,  NO,  NO, NO, 0, 0, PMK_FLOW_EXCEPTION }, /* BKPT */
	{ 0xf800, 0xc000, PMK_I_STOREM,     NO,  R8,  NO, NO, ST | LIST, 4 }, /* STMIA */
	{ 0xf800, 0xc800, PMK_I_LOADM,      NO,  R8,  NO, NO, LD | LIST, 4 }, /* LDMIA */
	/* UDF, SVC */
	{ 0xfe00, 0xde00, PMK_I_OTHER,      NO,  NO,  NO, NO, 0, 0, PMK_FLOW_EXCEPTION },
	{ 0xf000, 0xd000, PMK_I_BRANCH,     NO,  NO,  NO, NO, 0, 0, PMK_FLOW_JUMP },  /* B cond */
	{ 0xf800, 0xe000, PMK_I_BRANCH,     NO,  NO,  NO, NO, 0, 0, PMK_FLOW_JUMP },  /* B */
	/* first half of BL, BLX */
	{ 0xf800, 0xf000, PMK_I_ALU,        RLR, RPC, NO, NO, 0 },
	/* second half of BLX */
	{ 0xf801, 0xe800, PMK_I_BRANCH,     RLR, NO,  RLR, NO, 0, 0, PMK_FLOW_INDCALL },
	/* second half of BL */
	{ 0xf800, 0xf800, PMK_I_BRANCH,     RLR, NO,  RLR, NO, 0, 0, PMK_FLOW_INDCALL },
};
/* clang-format on */

static unsigned reg_at(uint32_t h, enum place place)
{
	switch (place) {
	case R0:
		return bits(h, 2, 0);
	case R3:
		return bits(h, 5, 3);
	case R6:
		return bits(h, 8, 6);
	case R8:
		return bits(h, 10, 8);
	case H0:
		return bits(h, 7, 7) << 3 | bits(h, 2, 0);
	case H3:
		return bits(h, 6, 3);
	case RSP:
		return SP;
	case RLR:
		return LR;
	case RPC:
	case NO:
		break;
	}
	return PC;
}

/* Decodes PUSH, POP, STMIA and LDMIA. [8] adds lr to a PUSH and pc to a POP. In STMIA and LDMIA it
 * is a bit of Rn. */
static void decode_multiple(uint32_t h, struct pmk_insn *in)
{
	bool stack = in->rn == SP;

	in->list = (uint16_t)bits(h, 7, 0);
	if (stack && bit(h, 8))
		in->list |= 1u << (in->store ? LR : PC);
	in->mem_count = (uint8_t)__builtin_popcount(in->list);
	/* There is no write-back if the base is among the loaded registers, DDI 0100I A7.1.27. */
	in->writeback = in->store || !((in->list >> in->rn) & 1);
	if (in->writeback)
		writes(in, (unsigned)in->rn);
	if (in->load)
		in->writes |= in->list & ~(1u << PC);
	else
		in->reads |= in->list;
}

static void set_jump(uint32_t h, struct pmk_arm_facts *f)
{
	bool conditional = bits(h, 15, 12) == 0xd;

	f->insn.conditional = conditional;
	f->insn.target = (uint64_t)(conditional ? sign_extend(bits(h, 7, 0), 8)
						: sign_extend(bits(h, 10, 0), 11)) *
			 2;
	f->relative = PMK_ARM_FROM_PC;
}

static void facts_of_row(uint32_t h, const struct row *r, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;

	in->decoded = true;
	in->iclass = r->iclass;
	in->flow = r->flow;
	in->is_branch = r->iclass == PMK_I_BRANCH;
	in->sets_flags = r->flags & S;
	in->reads_flags = r->flags & C;
	in->load = r->flags & LD;
	in->store = r->flags & ST;
	in->mem_bytes = r->bytes;
	in->mem_count = r->bytes != 0;
	if (r->rn != NO)
		in->rn = reads(in, reg_at(h, r->rn));
	if (r->rm != NO)
		in->rm = reads(in, reg_at(h, r->rm));
	if (r->rs != NO)
		in->rs = reads(in, reg_at(h, r->rs));
	if (r->rd != NO)
		in->rd = in->store ? reads(in, reg_at(h, r->rd)) : writes(in, reg_at(h, r->rd));
	if (r->flags & LIST)
		decode_multiple(h, in);
	if (r->flow == PMK_FLOW_JUMP)
		set_jump(h, f);
	if (r->flags & LIT) {
		in->literal = true;
		in->target = bits(h, 7, 0) * 4;
		f->relative = PMK_ARM_FROM_PC4;
	}
}

/* Decodes the two halves of a BL or BLX. [15:11] of the first half is 11110. In the second half of
 * BL it is 11111. In the second half of BLX it is 11101, and [0] is clear. The target of BLX is
 * aligned to words. */
static void decode_pair(uint32_t word, struct pmk_arm_facts *f)
{
	struct pmk_insn *in = &f->insn;
	uint32_t second = word >> 16;
	bool exchange = (second & 0xf801) == 0xe800;

	if ((word & 0xf800) != 0xf000 || (!exchange && (second & 0xf800) != 0xf800))
		return;
	in->decoded = true;
	in->iclass = PMK_I_BRANCH;
	in->flow = PMK_FLOW_CALL;
	in->is_branch = true;
	in->rd = writes(in, LR);
	in->target = (uint64_t)sign_extend(bits(word, 10, 0) << 12 | bits(second, 10, 0) << 1, 23);
	f->relative = exchange ? PMK_ARM_FROM_PC4 : PMK_ARM_FROM_PC;
}

void pmk_arm_thumb_facts(uint32_t word, size_t size, struct pmk_arm_facts *out)
{
	if (size == 4) {
		decode_pair(word, out);
		return;
	}
	if (size != 2)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if ((word & rows[i].mask) == rows[i].value) {
			facts_of_row(word, &rows[i], out);
			return;
		}
	}
}
