// SPDX-License-Identifier: MIT
/*
 * The decoder object for ARM, and the names of words of A32. arm_v6.c finds the facts by these
 * names.
 *
 * common_name() finds the names of common instructions. For other words, Capstone decides whether
 * they are instructions, and names them. pmk opens Capstone when it first needs it. It does not use
 * Capstone's operands and text, because those of version 4.0.2 have errors. A negative register
 * offset loses its sign in the word and byte forms; PUSH, POP, LDRT and STRT have no write-back;
 * ADC, SBC, RSC and UADD8 always set the flags; the registers of MRC, MRRC, LDREXD, STREXD have the
 * wrong direction; and one encoding has several names (MOV and LSL, STR and PUSH, LDR and POP).
 *
 * Capstone also knows ARMv6T2 to ARMv7. Capstone refuses no encoding of ARMv6, except some
 * UNPREDICTABLE encodings whose should-be-zero fields are not zero. Version 5 calls MOVW a MOV,
 * does not recognise WFI among the hints, and has names of later architectures for coprocessors 8,
 * 9 and 13; name_of() makes sure that both versions lead to the same facts.
 */
#include "cpu/isa/arm.h"

#include <string.h>

#include "base/reserve.h"
#include "cpu/isa/capstone.h"

/*
 * Programs contain the same words again and again, and a look-up in this table is faster than
 * finding the facts again. The table is small, because even a small program touches all memory
 * pages of the table.
 */
#define MEMO_BITS 9

struct memo {
	uint64_t key; /* 0: empty */
	struct pmk_arm_facts facts;
};

struct pmk_isa_arm {
	const struct pmk_capstone *cs;
	csh capstone;	  /* 0: not opened yet */
	csh named[2];	  /* for A32 and T32 of ARMv8; 0: not opened yet */
	cs_insn *scratch; /* NULL: not allocated yet */
	struct memo memo[1u << MEMO_BITS];
};

/* ---- names ---------------------------------------------------------------------------------- */

/*
 * The names of common instructions. The masks of a row cover everything that the instruction
 * requires, so Capstone accepts all encodings that match. One name stands for all instructions with
 * the same facts, as LDR does for LDRB, LDRT and POP.
 */
static const struct encoding {
	uint32_t mask, value;
	uint16_t name;
} encodings[] = {
	/* clang-format off */
	{ 0x0e000000, 0x0a000000, ARM_INS_B },
	{ 0x0e100000, 0x04100000, ARM_INS_LDR },
	{ 0x0e100000, 0x04000000, ARM_INS_STR },
	{ 0x0e100010, 0x06100000, ARM_INS_LDR },
	{ 0x0e100010, 0x06000000, ARM_INS_STR },
	{ 0x0e100000, 0x08100000, ARM_INS_LDM },
	{ 0x0e100000, 0x08000000, ARM_INS_STM },
	{ 0x0ffffff0, 0x012fff10, ARM_INS_BX },
	{ 0x0ffffff0, 0x012fff30, ARM_INS_BLX },
	{ 0x0fff03f0, 0x06ef0070, ARM_INS_UXTB },
	{ 0x0fff03f0, 0x06ff0070, ARM_INS_UXTH },
	{ 0x0fff03f0, 0x06af0070, ARM_INS_SXTB },
	{ 0x0fff03f0, 0x06bf0070, ARM_INS_SXTH },
	{ 0x0ff003f0, 0x06e00070, ARM_INS_UXTAB },
	{ 0x0ff003f0, 0x06f00070, ARM_INS_UXTAH },
	{ 0x0ff003f0, 0x06a00070, ARM_INS_SXTAB },
	{ 0x0ff003f0, 0x06b00070, ARM_INS_SXTAH },
	{ 0x0fff0ff0, 0x016f0f10, ARM_INS_CLZ },
	{ 0x0fff0ff0, 0x06bf0f30, ARM_INS_REV },
	{ 0x0fff0ff0, 0x06bf0fb0, ARM_INS_REV16 },
	{ 0x0ff00ff0, 0x06500f90, ARM_INS_UADD8 },
	{ 0x0ff00ff0, 0x06600ff0, ARM_INS_UQSUB8 },
	{ 0x0ff00ff0, 0x06800fb0, ARM_INS_SEL },
	{ 0x0fe0f0f0, 0x00000090, ARM_INS_MUL },
	{ 0x0fe000f0, 0x00200090, ARM_INS_MLA },
	{ 0x0fe000f0, 0x00800090, ARM_INS_UMULL },
	{ 0x0fe000f0, 0x00a00090, ARM_INS_UMLAL },
	{ 0x0fe000f0, 0x00c00090, ARM_INS_SMULL },
	{ 0x0fe000f0, 0x00e00090, ARM_INS_SMLAL },
	{ 0x0ff00090, 0x01000080, ARM_INS_SMLABB },
	{ 0x0ff000b0, 0x01200080, ARM_INS_SMLAWB },
	{ 0x0ff0f0b0, 0x012000a0, ARM_INS_SMULWB },
	{ 0x0ff00090, 0x01400080, ARM_INS_SMLALBB },
	{ 0x0ff0f090, 0x01600080, ARM_INS_SMULBB },
	{ 0x0ff00fff, 0x01900f9f, ARM_INS_LDREX },
	{ 0x0ff00ff0, 0x01800f90, ARM_INS_STREX },
	{ 0x0fbf0fff, 0x010f0000, ARM_INS_MRS },
	{ 0x0f000000, 0x0f000000, ARM_INS_SVC },
	/* The exact name of these VFP instructions does not matter. */
	{ 0x0f200e00, 0x0d000a00, ARM_INS_LDC }, /* VLDR, VSTR */
	{ 0x0fef0fff, 0x0ee10a10, ARM_INS_MCR }, /* VMRS, VMSR */
	{ 0x0fe00f7f, 0x0e000a10, ARM_INS_MCR }, /* VMOV */
	{ 0x0fe00fd0, 0x0c400b10, ARM_INS_MCRR },
	{ 0x0f800e10, 0x0e000a00, ARM_INS_CDP }, /* VMLA to VSUB */
	{ 0x0fb00e50, 0x0e800a00, ARM_INS_CDP }, /* VDIV */
	{ 0x0fbe0e50, 0x0eb00a40, ARM_INS_CDP }, /* VMOV, VABS, VNEG, VSQRT */
	{ 0x0fbf0e50, 0x0eb40a40, ARM_INS_CDP }, /* VCMP */
	{ 0x0fbf0e7f, 0x0eb50a40, ARM_INS_CDP },
	{ 0x0fbf0ed0, 0x0eb70ac0, ARM_INS_CDP }, /* VCVT */
	{ 0x0fbf0e50, 0x0eb80a40, ARM_INS_CDP },
	{ 0x0fbe0e50, 0x0ebc0a40, ARM_INS_CDP },
	/* clang-format on */
};

/* Names data processing instructions, AND to MVN. Returns 0 for other instructions. */
static unsigned name_of_data(uint32_t w)
{
	static const uint16_t name[] = { ARM_INS_AND, ARM_INS_EOR, ARM_INS_SUB, ARM_INS_RSB,
					 ARM_INS_ADD, ARM_INS_ADC, ARM_INS_SBC, ARM_INS_RSC,
					 ARM_INS_TST, ARM_INS_TEQ, ARM_INS_CMP, ARM_INS_CMN,
					 ARM_INS_ORR, ARM_INS_MOV, ARM_INS_BIC, ARM_INS_MVN };
	unsigned op = bits(w, 24, 21);
	bool tests = op >> 2 == 2;

	if (bits(w, 27, 26) != 0 || (!bit(w, 25) && bit(w, 7) && bit(w, 4)))
		return 0;
	if (tests ? !bit(w, 20) || bits(w, 15, 12) : (op & 13) == 13 && bits(w, 19, 16))
		return 0;
	return name[op];
}

/* Names LDRH to STRD. Returns 0 for other instructions. */
static unsigned name_of_extra(uint32_t w)
{
	static const uint16_t load[] = { ARM_INS_LDRH, ARM_INS_LDRSB, ARM_INS_LDRSH },
			      other[] = { ARM_INS_STRH, ARM_INS_LDRD, ARM_INS_STRD };
	unsigned kind = bits(w, 6, 5);

	if ((w & 0x0e000090) != 0x00000090 || kind == 0)
		return 0;
	/* Unprivileged forms are not in ARMv6, and a register offset must have zeros in [11:8]. */
	if ((!bit(w, 24) && bit(w, 21)) || (!bit(w, 22) && bits(w, 11, 8)))
		return 0;
	if (!bit(w, 20) && kind > 1 && bit(w, 12))
		return 0;
	return bit(w, 20) ? load[kind - 1] : other[kind - 1];
}

/* Returns VLDM or VSTM. Returns 0 if the word is neither, or if it has registers that do not
 * exist. */
static unsigned name_of_vector(uint32_t w)
{
	unsigned first =
		bit(w, 8) ? bit(w, 22) << 4 | bits(w, 15, 12) : bits(w, 15, 12) << 1 | bit(w, 22);
	unsigned n = bit(w, 8) ? bits(w, 7, 0) / 2 : bits(w, 7, 0);

	if ((w & 0x0f800e00) != 0x0c800a00 && (w & 0x0fa00e00) != 0x0d200a00)
		return 0;
	if (n == 0 || first + n > 32 || (bit(w, 8) && bit(w, 0)))
		return 0;
	return ARM_INS_LDC;
}

/* Returns the name of a common instruction, or ARM_INS_INVALID if Capstone must decide. */
static unsigned common_name(uint32_t w)
{
	unsigned name;

	if (w >> 28 == 0xf) /* PLD */
		return (w & 0xff70f000) == 0xf550f000 ? ARM_INS_PLD : ARM_INS_INVALID;
	if (bits(w, 27, 25) == 4 && bits(w, 15, 0) == 0) /* an empty list of registers */
		return ARM_INS_INVALID;
	name = name_of_data(w);
	if (!name)
		name = name_of_extra(w);
	if (!name)
		name = name_of_vector(w);
	for (size_t i = 0; !name && i < sizeof(encodings) / sizeof(encodings[0]); i++)
		if ((w & encodings[i].mask) == encodings[i].value)
			name = encodings[i].name;
	return name;
}

static bool has_capstone(struct pmk_isa_arm *isa)
{
	if (!isa->capstone && isa->cs->open(CS_ARCH_ARM, CS_MODE_ARM, &isa->capstone) != CS_ERR_OK)
		isa->capstone = 0;
	if (isa->capstone && !isa->scratch)
		isa->scratch = isa->cs->malloc(isa->capstone);
	return isa->scratch != NULL;
}

static unsigned capstones_name(struct pmk_isa_arm *isa, uint32_t w)
{
	uint8_t code[] = { (uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16), (uint8_t)(w >> 24) };
	const uint8_t *next = code;
	size_t left = sizeof(code);
	uint64_t addr = 0;

	if (!has_capstone(isa) ||
	    !isa->cs->disasm_iter(isa->capstone, &next, &left, &addr, isa->scratch))
		return ARM_INS_INVALID;
	return isa->scratch->id;
}

/* Names the instructions of all coprocessors except VFP (DDI 0100I A3.16). */
static unsigned name_of_coprocessor(uint32_t w)
{
	if (bit(w, 25))
		return !bit(w, 4) ? ARM_INS_CDP : bit(w, 20) ? ARM_INS_MRC : ARM_INS_MCR;
	if (bits(w, 24, 21) == 0)
		return ARM_INS_INVALID;
	if (bits(w, 24, 21) == 2)
		return bit(w, 20) ? ARM_INS_MRRC : ARM_INS_MCRR;
	return bit(w, 20) ? ARM_INS_LDC : ARM_INS_STC;
}

/* Returns the name of a word. Where versions 4 and 5 of Capstone disagree, the encoding decides. */
static unsigned name_of(struct pmk_isa_arm *isa, uint32_t w)
{
	unsigned name;

	if (bits(w, 27, 26) == 3 && bits(w, 25, 24) != 3 && bits(w, 11, 9) != 5)
		return name_of_coprocessor(w);
	if (w >> 28 != 0xf) {
		if ((w & 0x0fffff00) == 0x0320f000) /* a hint; unallocated hints are NOPs */
			return bits(w, 7, 0) == 3 ? ARM_INS_WFI : ARM_INS_NOP;
		if ((w & 0x0ff00000) == 0x03000000 || /* MOVW, a MOV for version 5 */
		    (w & 0x0f900ef0) == 0x01000200)   /* MRS, MSR of ARMv7's banked registers */
			return ARM_INS_INVALID;
	}
	name = common_name(w);
	if (name != ARM_INS_INVALID)
		return name;
	name = capstones_name(isa, w);
	/* MVN with a first operand is UNPREDICTABLE; version 4 refuses it, version 5 does not. */
	return name == ARM_INS_MVN && bits(w, 19, 16) ? ARM_INS_INVALID : name;
}

/* ---- decoder -------------------------------------------------------------------------------- */

/* Sets the facts of an instruction of ARMv6. */
static void v6_facts(struct pmk_isa_arm *isa, bool thumb, uint32_t word, size_t size,
		     struct pmk_arm_facts *f)
{
	if (thumb)
		pmk_arm_thumb_facts(word, size, f);
	else if (size == 4)
		pmk_arm_a32_facts(word, name_of(isa, word), f);
}

/* Sets the facts of an instruction of ARMv7 or ARMv8. */
static void v7_facts(struct pmk_isa_arm *isa, bool thumb, uint32_t word, size_t size,
		     struct pmk_arm_facts *f)
{
	uint32_t swapped = word << 16 | word >> 16;
	uint32_t a32 = !thumb ? word : size == 4 ? pmk_arm_a32_of_t32(swapped) : 0;

	if (size == 4 && a32) {
		if (!pmk_arm_v7_facts(a32, f))
			v6_facts(isa, false, a32, size, f);
	} else if (size == 4) {
		pmk_arm_t32_facts(swapped, f);
	} else if (!pmk_arm_t16_facts(word, f)) {
		v6_facts(isa, thumb, word, size, f);
	}
	pmk_arm_v7_complete(thumb, word, &f->insn);
}

/* True for a BL or BLX as in ARMv6: a pair of 16-bit instructions with the shorter offset. */
static bool is_pair(uint32_t word)
{
	return (word & 0xe800f800) == 0xe800f000;
}

/*
 * Sets the facts of an instruction on ARMv6T2: instructions of ARMv6 are decoded as on ARMv6, and
 * Advanced SIMD and VFPv3 do not exist. Other additions of ARMv7 are accepted, too.
 */
static void v6t2_facts(struct pmk_isa_arm *isa, bool thumb, uint32_t word, size_t size,
		       struct pmk_arm_facts *f)
{
	uint32_t swapped = word << 16 | word >> 16;

	if (thumb && size == 4 && !is_pair(word)) {
		uint32_t a32 = pmk_arm_a32_of_t32(swapped);

		if (a32)
			v6_facts(isa, false, a32, size, f);
		else
			pmk_arm_t32_facts(swapped, f);
		return;
	}
	v6_facts(isa, thumb, word, size, f);
	if (f->insn.decoded)
		return;
	if (thumb && size == 2)
		pmk_arm_t16_facts(word, f);
	else if (!thumb && size == 4 && !pmk_arm_is_simd(word))
		pmk_arm_v7_facts(word, f);
}

/* The three instruction sets that can be decoded. */
enum set { V6, V7, V6T2 };

/* Sets all facts that do not depend on the address of the instruction. */
static void facts_of(struct pmk_isa_arm *isa, enum set set, bool thumb, uint32_t word, size_t size,
		     struct pmk_arm_facts *f)
{
	*f = (struct pmk_arm_facts){
		.insn = { .size = (uint8_t)size, .thumb = thumb, PMK_NO_REGS },
	};
	if (set == V7)
		v7_facts(isa, thumb, word, size, f);
	else if (set == V6T2)
		v6t2_facts(isa, thumb, word, size, f);
	else
		v6_facts(isa, thumb, word, size, f);
}

static void decode_at(struct pmk_isa_arm *isa, enum set set, bool thumb, uint64_t addr,
		      const void *bytes, size_t size, struct pmk_insn *insn)
{
	const uint8_t *b = bytes;
	uint32_t word = 0;
	struct memo *m;
	uint64_t key;

	for (size_t i = 0; i < size && i < 4; i++)
		word |= (uint32_t)b[i] << (8 * i);
	key = (uint64_t)1 << 63 | (uint64_t)set << 41 | (uint64_t)thumb << 40 |
	      (uint64_t)(size & 0xff) << 32 | word;
	m = &isa->memo[(key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - MEMO_BITS)];
	if (m->key != key) {
		facts_of(isa, set, thumb, word, size, &m->facts);
		m->key = key;
	}
	*insn = m->facts.insn;
	insn->addr = addr;
	if (m->facts.relative != PMK_ARM_ABSOLUTE) {
		uint32_t pc = (uint32_t)addr + (thumb ? 4 : 8);

		if (m->facts.relative == PMK_ARM_FROM_PC4)
			pc &= ~3u;
		insn->target = (uint32_t)(pc + insn->target);
	}
}

void pmk_isa_arm_decode(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, const void *bytes,
			size_t size, struct pmk_insn *insn)
{
	decode_at(isa, V6, thumb, addr, bytes, size, insn);
}

void pmk_isa_arm6t2_decode(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, const void *bytes,
			   size_t size, struct pmk_insn *insn)
{
	decode_at(isa, V6T2, thumb, addr, bytes, size, insn);
}

void pmk_isa_arm7_decode(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, const void *bytes,
			 size_t size, struct pmk_insn *insn)
{
	decode_at(isa, V7, thumb, addr, bytes, size, insn);
}

bool pmk_isa_arm_is_named(struct pmk_isa_arm *isa, bool thumb, uint64_t addr, const void *bytes,
			  size_t size, const char *text)
{
	unsigned mode = CS_MODE_V8 | (thumb ? CS_MODE_THUMB : CS_MODE_ARM);
	size_t length = strcspn(text, " \t");
	cs_insn *in;
	bool same;

	if (!isa->named[thumb] &&
	    isa->cs->open(CS_ARCH_ARM, (cs_mode)mode, &isa->named[thumb]) != CS_ERR_OK)
		isa->named[thumb] = 0;
	if (!isa->named[thumb] || !isa->cs->disasm(isa->named[thumb], bytes, size, addr, 1, &in))
		return false;
	same = in->size == size && strlen(in->mnemonic) == length &&
	       !strncmp(in->mnemonic, text, length);
	isa->cs->free(in, 1);
	return same;
}

unsigned pmk_isa_other_capstone(void)
{
	const struct pmk_capstone *cs = pmk_capstone();
	int major = 0, minor = 0;

	if (!cs)
		return 0;
	cs->version(&major, &minor);
	return major == CS_API_MAJOR ? 0 : (unsigned)major;
}

struct pmk_isa_arm *pmk_isa_arm_new(void)
{
	struct pmk_isa_arm *isa = pmk_isa_other_capstone() ? NULL : pmk_reserve(sizeof(*isa));

	if (!isa)
		return NULL;
	isa->cs = pmk_capstone();
	if (isa->cs)
		return isa;
	pmk_release(isa, sizeof(*isa));
	return NULL;
}

void pmk_isa_arm_free(struct pmk_isa_arm *isa)
{
	if (!isa)
		return;
	if (isa->scratch)
		isa->cs->free(isa->scratch, 1);
	if (isa->capstone)
		isa->cs->close(&isa->capstone);
	for (unsigned i = 0; i < 2; i++)
		if (isa->named[i])
			isa->cs->close(&isa->named[i]);
	pmk_release(isa, sizeof(*isa));
}
