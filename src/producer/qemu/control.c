// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds writes of a core's control registers, and keeps what they set. See control.h. */
#include "producer/qemu/control.h"

#include <string.h>

#define HCR_E2H (UINT64_C(1) << 34)
#define HCR_TGE (UINT64_C(1) << 27)
#define MSR_ICE 0x20
#define MSR_DCE 0x80

/* Returns the instruction word in the byte order of A64 or A32. Thumb-2 has the two halves in the
 * opposite order. */
static uint32_t word_of(const struct pmk_raw *raw, const struct pmk_insn *in)
{
	uint32_t word;

	memcpy(&word, raw->byte, sizeof(word));
	return in->thumb ? word << 16 | word >> 16 : word;
}

/* True for MCR p15, 0, <Rt>, c1, c0, 0. A conditional MCR does not count, because it may not be
 * executed. */
static bool is_write_of_a32(uint32_t word, struct pmk_control_write *w)
{
	*w = (struct pmk_control_write){ PMK_CONTROL_SCTLR_EL1, word >> 12 & 15, 0 };
	return (word & 0xffff0fff) == 0xee010f10;
}

/* True for MSR <register>, <Xt> if the register is SCTLR_EL1, SCTLR_EL2, SCTLR_EL3, SCTLR_EL12 or
 * HCR_EL2. */
static bool is_write_of_a64(uint32_t word, struct pmk_control_write *w)
{
	static const uint8_t sctlr[8] = {
		[0] = PMK_CONTROL_SCTLR_EL1,
		[4] = PMK_CONTROL_SCTLR_EL2,
		[5] = PMK_CONTROL_SCTLR_EL12,
		[6] = PMK_CONTROL_SCTLR_EL3,
	};

	*w = (struct pmk_control_write){ PMK_CONTROL_HCR_EL2, word & 31, 0 };
	if ((word & 0xffffffe0) == 0xd51c1100)
		return true;
	w->reg = (enum pmk_control_reg)sctlr[word >> 16 & 7];
	return (word & 0xfff8ffe0) == 0xd5181000 && w->reg != PMK_CONTROL_NONE;
}

static unsigned state_of_msr(uint64_t msr)
{
	return (msr & MSR_DCE ? PMK_CONTROL_DCACHE : 0) | (msr & MSR_ICE ? PMK_CONTROL_ICACHE : 0);
}

/* True for mts rmsr, rA. Also true for msrset and msrclr rD, imm if imm has bits that turn a unit
 * on or off. */
static bool is_write_of_msr(uint32_t word, struct pmk_control_write *w)
{
	*w = (struct pmk_control_write){ PMK_CONTROL_MSR, word >> 16 & 31, 0 };
	if ((word & 0xffe0ffff) == 0x9400c001)
		return true;
	w->reg = word & 0x10000 ? PMK_CONTROL_MSR_CLEAR : PMK_CONTROL_MSR_SET;
	w->source = 0;
	w->bits = state_of_msr(word & 0x7fff);
	return (word & 0xfc1e8000) == 0x94100000 && w->bits;
}

bool pmk_control_is_written(const struct pmk_raw *raw, const struct pmk_insn *in,
			    enum pmk_control_by by, bool big_endian, struct pmk_control_write *w)
{
	if (raw->size != 4)
		return false;
	switch (by) {
	case PMK_CONTROL_BY_A64:
		return is_write_of_a64(word_of(raw, in), w);
	case PMK_CONTROL_BY_MSR:
		return is_write_of_msr(pmk_isa_microblaze_word(raw->byte, big_endian), w);
	default:
		return is_write_of_a32(word_of(raw, in), w);
	}
}

static unsigned state_of(uint64_t sctlr)
{
	unsigned state = 0;

	if (sctlr & 1)
		state |= PMK_CONTROL_MMU;
	if (sctlr & 1 && sctlr >> 2 & 1)
		state |= PMK_CONTROL_DCACHE;
	if (sctlr >> 12 & 1)
		state |= PMK_CONTROL_ICACHE;
	if (sctlr >> 11 & 1)
		state |= PMK_CONTROL_PREDICTOR;
	return state;
}

/* Returns the exception level to which the register belongs. If HCR_EL2.E2H is set, software at EL2
 * uses the name of EL1's register for its own register. */
static unsigned level_of(const struct pmk_control_state *s, enum pmk_control_reg reg,
			 unsigned level)
{
	switch (reg) {
	case PMK_CONTROL_SCTLR_EL2:
		return 2;
	case PMK_CONTROL_SCTLR_EL3:
		return 3;
	case PMK_CONTROL_SCTLR_EL1:
		return level == 2 && s->hcr & HCR_E2H ? 2 : 1;
	default:
		return 1;
	}
}

bool pmk_control_set(struct pmk_control_state *s, const struct pmk_control_write *w, unsigned level,
		     uint64_t value)
{
	struct pmk_control_state before = *s;
	uint8_t *of = &s->of_level[level_of(s, w->reg, level)];

	switch (w->reg) {
	case PMK_CONTROL_HCR_EL2:
		s->hcr = value & (HCR_E2H | HCR_TGE);
		break;
	case PMK_CONTROL_MSR:
		*of = (uint8_t)state_of_msr(value);
		break;
	case PMK_CONTROL_MSR_SET:
		*of |= (uint8_t)w->bits;
		break;
	case PMK_CONTROL_MSR_CLEAR:
		*of &= (uint8_t)~w->bits;
		break;
	default:
		*of = (uint8_t)state_of(value);
		break;
	}
	return memcmp(&before, s, sizeof(before)) != 0;
}

/* Returns the enabled parts at a level. EL0 uses the setting of EL1, or that of EL2 if EL2 is its
 * host. */
unsigned pmk_control_at(const struct pmk_control_state *s, unsigned level)
{
	if (level == 0)
		level = s->hcr == (HCR_E2H | HCR_TGE) ? 2 : 1;
	return s->of_level[level];
}

bool pmk_control_differs(const struct pmk_control_state *s, unsigned levels)
{
	unsigned all = 0, common = ~0u;

	for (unsigned level = 0; level < 4; level++) {
		if (!(levels >> level & 1))
			continue;
		all |= pmk_control_at(s, level);
		common &= pmk_control_at(s, level);
	}
	return levels && all != common;
}
