// SPDX-License-Identifier: MIT
/* Decodes translated code of Cortex-M, which is always Thumb. */
#include "cpu/cortexm/cortexm.h"
#include "cpu/thumb.h"

/* True for MRS of a register that only the M profile has: DDI 0403E A7.7.82. */
static bool is_read_of_special(const struct pmk_raw *raw)
{
	return raw->size == 4 && raw->byte[0] == 0xef && raw->byte[1] == 0xf3 &&
	       (raw->byte[3] & 0xf0) == 0x80;
}

/* True for IT: DDI 0403E A7.7.38. The encoding is a hint if its mask is 0. */
static bool is_it(const struct pmk_raw *raw)
{
	return raw->size == 2 && raw->byte[1] == 0xbf && raw->byte[0] & 15;
}

/* Returns the bits of an instruction, which is one halfword or two. The first of two is in the
 * upper half. */
static uint32_t bits_of(const struct pmk_raw *raw)
{
	uint32_t first = (uint32_t)(raw->byte[0] | raw->byte[1] << 8);

	return raw->size == 2 ? first : first << 16 | (uint32_t)(raw->byte[2] | raw->byte[3] << 8);
}

struct encoding {
	uint32_t mask, value, kind;
};

/* DDI 0403E A5.2 and A5.3. */
static const struct encoding narrow[] = {
	{ 0xf800, 0x1800, PMK_CORTEXM_EARLY }, /* ADD, SUB of three operands */
	{ 0xf800, 0x2000, PMK_CORTEXM_EARLY }, /* MOV #imm */
	{ 0xf000, 0x3000, PMK_CORTEXM_EARLY }, /* ADD, SUB #imm */
	{ 0xfd00, 0x4400, PMK_CORTEXM_EARLY }, /* ADD, MOV of any register */
	{ 0xf000, 0xa000, PMK_CORTEXM_EARLY }, /* ADR, ADD from SP */
	{ 0xff00, 0xb000, PMK_CORTEXM_EARLY }, /* ADD, SUB SP */
	{ 0xff00, 0xb200, PMK_CORTEXM_OLDER }, /* SXTH to UXTB */
	{ 0xff00, 0xba00, PMK_CORTEXM_OLDER }, /* REV */
	{ 0, 0, 0 },
};

static const struct encoding wide[] = {
	{ 0xffe0f000, 0xf1000000, PMK_CORTEXM_EARLY }, /* ADD #imm8 */
	{ 0xffe0f000, 0xf1a00000, PMK_CORTEXM_EARLY }, /* SUB #imm8 */
	{ 0xfbf08000, 0xf2000000, PMK_CORTEXM_EARLY }, /* ADDW */
	{ 0xfbf08000, 0xf2400000, PMK_CORTEXM_EARLY }, /* MOVW */
	{ 0xfbf08000, 0xf2a00000, PMK_CORTEXM_EARLY }, /* SUBW */
	{ 0xffef7000, 0xf04f0000, PMK_CORTEXM_EARLY }, /* MOV #imm8 */
	{ 0xffe0f0f0, 0xeb000000, PMK_CORTEXM_EARLY }, /* ADD without a shift */
	{ 0xffe0f0f0, 0xeba00000, PMK_CORTEXM_EARLY }, /* SUB without a shift */
	{ 0xffeff0f0, 0xea4f0000, PMK_CORTEXM_EARLY }, /* MOV without a shift */
	{ 0xff80f080, 0xfa00f080, PMK_CORTEXM_OLDER }, /* extensions */
	{ 0xff80f000, 0xfa80f000, PMK_CORTEXM_OLDER }, /* SIMD, REV, CLZ, SEL */
	{ 0xff108000, 0xf3000000, PMK_CORTEXM_OLDER }, /* SSAT, SBFX, BFI, USAT, UBFX */
	{ 0, 0, 0 },
};

/* True for data processing with a constant of 8 bits that is shifted: DDI 0403E A5.3.2. */
static bool has_shifted_constant(const struct pmk_raw *raw)
{
	uint32_t bits = bits_of(raw);

	return raw->size == 4 && (bits & 0xfa008000) == 0xf0000000 && bits & 0x04004000;
}

static uint32_t kind_of(const struct pmk_raw *raw)
{
	const struct encoding *e = raw->size == 2 ? narrow : wide;
	uint32_t bits = bits_of(raw);

	while (e->mask && (bits & e->mask) != e->value)
		e++;
	return e->kind | (has_shifted_constant(raw) ? PMK_CORTEXM_SHIFTED : 0);
}

/* Returns the offset of a load of a word from its base, if the offset is a positive constant. */
static int32_t offset_of(const struct pmk_raw *raw)
{
	uint32_t bits = bits_of(raw);

	if (raw->size == 2)
		return (int32_t)(bits >> 11 == 0x13 ? (bits & 0xff) * 4 : (bits >> 6 & 31) * 4);
	return (int32_t)(bits >> 20 == 0xf8d ? bits & 0xfff : 0);
}

static void decode_special(const struct pmk_raw *raw, struct pmk_insn *in)
{
	if (in->decoded || !is_read_of_special(raw))
		return;
	in->decoded = true;
	in->iclass = PMK_I_OTHER;
	in->rd = raw->byte[3] & 15;
	in->writes = UINT64_C(1) << in->rd;
}

/*
 * True if these `n` instructions, which are about to run, only take a fault, because bit T of EPSR
 * is not set. The emulator translates one of them at a time, as if it were an A32 instruction. It
 * may show no bytes, or, before an address that is a multiple of 4, only two.
 */
static bool cannot_run(size_t n)
{
	struct pmk_exception_now now;

	return n == 1 && pmk_emulator.exception_now && pmk_emulator.exception_now(&now) &&
	       !now.thumb;
}

void pmk_cortexm_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
			struct pmk_insn *in)
{
	struct pmk_arm_own *own = d->own;

	for (size_t i = 0; i < n; i++) {
		pmk_isa_arm7_decode(own->isa, true, raw[i].addr, raw[i].byte, raw[i].size, &in[i]);
		decode_special(&raw[i], &in[i]);
		in[i].offset = in[i].load ? offset_of(&raw[i]) : 0;
		in[i].kind |= (is_it(&raw[i]) ? PMK_CORTEXM_IT : 0) |
			      (in[i].iclass == PMK_I_DIV ? PMK_CORTEXM_DIV : 0) | kind_of(&raw[i]);
	}
	pmk_it_apply(&own->it, raw, n, in);
	if (cannot_run(n))
		*in = (struct pmk_insn){
			.addr = raw->addr,
			.size = raw->size,
			.decoded = true,
			.kind = PMK_CORTEXM_NOT_RUN,
			.flow = PMK_FLOW_EXCEPTION,
			PMK_NO_REGS,
		};
}

/* Code is translated just before it runs. So if code is first translated in a handler, the handler
 * may start there. Code that cannot run is treated like a vector, so that pmk sees the jump to it.
 */
unsigned pmk_cortexm_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc)
{
	struct pmk_exception_now now;

	(void)d;
	(void)core;
	(void)pc;
	if (!pmk_emulator.exception_now || !pmk_emulator.exception_now(&now))
		return 0;
	return now.number || !now.thumb ? PMK_ENTRY_VECTOR : 0;
}
