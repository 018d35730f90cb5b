// SPDX-License-Identifier: MIT
/*
 * Encodes operations as A64 instructions (DDI 0487 C6.2). guest.S describes the use of each
 * register.
 */
#include "program.h"

#include <assert.h>

#define ISB   0xD5033FDF
#define ERET  0xD69F03E0
#define STORE 0xF8008660 /* STR X0, [X19], #8 */

/* op0, op1, CRn, CRm, op2 of MSR and MRS. */
struct encoding {
	uint8_t op0, op1, crn, crm, op2;
};

static struct encoding encoding_of(unsigned reg)
{
	static const struct encoding encodings[NREGISTERS] = {
		/* clang-format off */
		[PMK_ARMV8_PMCR]       = { 3, 3, 9, 12, 0 },
		[PMK_ARMV8_PMCNTENSET] = { 3, 3, 9, 12, 1 },
		[PMK_ARMV8_PMCNTENCLR] = { 3, 3, 9, 12, 2 },
		[PMK_ARMV8_PMOVSCLR]   = { 3, 3, 9, 12, 3 },
		[PMK_ARMV8_PMSWINC]    = { 3, 3, 9, 12, 4 },
		[PMK_ARMV8_PMSELR]     = { 3, 3, 9, 12, 5 },
		[PMK_ARMV8_PMCEID0]    = { 3, 3, 9, 12, 6 },
		[PMK_ARMV8_PMCEID1]    = { 3, 3, 9, 12, 7 },
		[PMK_ARMV8_PMCCNTR]    = { 3, 3, 9, 13, 0 },
		[PMK_ARMV8_PMXEVTYPER] = { 3, 3, 9, 13, 1 },
		[PMK_ARMV8_PMXEVCNTR]  = { 3, 3, 9, 13, 2 },
		[PMK_ARMV8_PMUSERENR]  = { 3, 3, 9, 14, 0 },
		[PMK_ARMV8_PMOVSSET]   = { 3, 3, 9, 14, 3 },
		[PMK_ARMV8_PMINTENSET] = { 3, 0, 9, 14, 1 },
		[PMK_ARMV8_PMINTENCLR] = { 3, 0, 9, 14, 2 },
		[PMK_ARMV8_PMMIR]      = { 3, 0, 9, 14, 6 },
		[PMK_ARMV8_PMCCFILTR]  = { 3, 3, 14, 15, 7 },
		[PMK_ARMV8_DFR0]       = { 3, 0, 0, 5, 0 },
		[MDCR_EL2]             = { 3, 4, 1, 1, 1 },
		[HCR_EL2]              = { 3, 4, 1, 1, 0 },
		[MDCR_EL3]             = { 3, 6, 1, 3, 1 },
		[SCR_EL3]              = { 3, 6, 1, 1, 0 },
		/* clang-format on */
	};
	unsigned n;

	if (reg >= PMK_ARMV8_PMEVTYPER0 && reg < PMK_ARMV8_NREGS) {
		n = reg - PMK_ARMV8_PMEVTYPER0;
		return (struct encoding){ 3, 3, 14, (uint8_t)(12 + n / 8), (uint8_t)(n % 8) };
	}
	if (reg >= PMK_ARMV8_PMEVCNTR0 && reg < PMK_ARMV8_NREGS) {
		n = reg - PMK_ARMV8_PMEVCNTR0;
		return (struct encoding){ 3, 3, 14, (uint8_t)(8 + n / 8), (uint8_t)(n % 8) };
	}
	return encodings[reg];
}

static uint32_t system_move(uint32_t insn, struct encoding e, unsigned rt)
{
	return insn | (uint32_t)(e.op0 - 2) << 19 | (uint32_t)e.op1 << 16 | (uint32_t)e.crn << 12 |
	       (uint32_t)e.crm << 8 | (uint32_t)e.op2 << 5 | rt;
}

static uint32_t msr(struct encoding e, unsigned rt)
{
	return system_move(0xD5100000, e, rt);
}

static uint32_t mrs(struct encoding e, unsigned rt)
{
	return system_move(0xD5300000, e, rt);
}

static uint32_t movz(unsigned rd, uint32_t imm16)
{
	return 0xD2800000 | imm16 << 5 | rd;
}

static uint32_t movk(unsigned rd, uint32_t imm16, unsigned half)
{
	return 0xF2800000 | half << 21 | imm16 << 5 | rd;
}

static unsigned emit_write(const struct op *op, uint32_t *w)
{
	w[0] = movz(0, op->value & 0xFFFF);
	for (unsigned half = 1; half < 4; half++)
		w[half] = movk(0, (uint32_t)(op->value >> 16 * half & 0xFFFF), half);
	w[4] = msr(encoding_of(op->reg), 0);
	w[5] = ISB;
	w[6] = STORE;
	return BEFORE_WRITE + AFTER_WRITE;
}

static unsigned emit_down(const struct op *op, uint32_t *w)
{
	static const uint8_t op1[] = { 0, 0, 4, 6 };
	static const uint16_t spsr[] = { 0x3C0, 0x3C5, 0x3C9 }; /* EL0t, EL1h, EL2h, all masked */
	struct encoding elr = { 3, op1[op->from], 4, 0, 1 };
	struct encoding spsr_el = { 3, op1[op->from], 4, 0, 0 };

	w[0] = 0x100000D5; /* ADR X21, . + 24 */
	w[1] = msr(elr, 21);
	w[2] = movz(21, spsr[op->to]);
	w[3] = msr(spsr_el, 21);
	w[4] = ISB;
	w[5] = ERET;
	return DOWN;
}

unsigned emit(const struct op *op, uint32_t words[MOST_WORDS])
{
	switch ((enum op_kind)op->kind) {
	case OP_RESET:
		words[0] = 0xD63F0340; /* BLR X26 */
		return CALL;
	case OP_DUMP:
		words[0] = 0xD63F0300; /* BLR X24 */
		return CALL;
	case OP_READ:
		words[0] = mrs(encoding_of(op->reg), 0);
		words[1] = STORE;
		return BEFORE_READ + AFTER_READ;
	case OP_WRITE:
		return emit_write(op, words);
	case OP_PENDING:
		words[0] = 0xB9400360; /* LDR W0, [X27] */
		words[1] = 0xD3575C00; /* UBFX X0, X0, #23, #1 */
		words[2] = STORE;
		return BEFORE_PENDING + AFTER_PENDING;
	case OP_LOOP:
		words[0] = movz(1, (uint32_t)op->value);
		words[1] = 0xF1000421; /* SUBS X1, X1, #1 */
		words[2] = 0x54FFFFE1; /* B.NE . - 4 */
		return LOOP_ONCE + LOOP_EACH;
	case OP_DOWN:
		return emit_down(op, words);
	case OP_UP:
		words[0] = movz(23, 1);
		words[1] = (uint32_t)op->value;
		return BEFORE_UP;
	}
	assert(!"an operation");
	return 0;
}

uint32_t emit_finish(void)
{
	return 0xD61F0320; /* BR X25 */
}
