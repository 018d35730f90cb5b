// SPDX-License-Identifier: MIT
/* See thumb.h. */
#include <stdlib.h>

#include <pmk/error.h>

#include "cpu/code.h"
#include "cpu/family.h"
#include "cpu/thumb.h"

static const uint16_t elf_machines[] = { 40, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "arm" },
	{ .name = "aarch64",
	  .only_system =
		  true }, /* qemu-system-aarch64 also emulates boards with 32-bit ARM cores */
	{ .name = NULL },
};

const struct pmk_core_programs pmk_arm_programs = {
	.elf_machines = elf_machines,
	.targets = targets,
	.linux_abi = &pmk_linux_arm,
	.stack_pointer = "sp",
	.stack_word = 4,
};

int pmk_arm_decoder_init(struct pmk_decoder *d)
{
	struct pmk_arm_own *own = calloc(1, sizeof(*own));

	if (!own)
		return PMK_ENOMEM;
	own->isa = pmk_isa_arm_new();
	d->own = own;
	return own->isa ? 0 : PMK_ENOMEM;
}

unsigned pmk_arm_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc)
{
	uint64_t offset = pc & ~(uint64_t)PMK_ARM_HELPER_PAGE;

	(void)d;
	(void)core;
	if (offset >= PMK_ARM_VECTORS_SIZE || (pc != offset && pc != PMK_ARM_HELPER_PAGE + offset))
		return 0;
	return PMK_ENTRY_VECTOR | (offset == PMK_ARM_DATA_ABORT ? PMK_ENTRY_FAULT : 0);
}

unsigned pmk_arm_helper_bytes(uint64_t pc)
{
	return pc == PMK_ARM_HELPER_CMPXCHG64 ? 56 : 4;
}

/* ---- A32 or T32 ------------------------------------------------------------------------------ */

/* True if these four bytes may be one T32 instruction. The first two bytes decide this. */
static bool may_be_wide(const uint8_t *byte)
{
	return byte[1] >> 3 >= 0x1d;
}

/*
 * Returns true for Thumb code. A sequence is Thumb if it has an instruction of 2 bytes, or if its
 * address is not a multiple of 4. A sequence of only 4-byte instructions is Thumb if all of them
 * are valid in T32 and they are not all valid in A32. If they are valid in both or in neither, the
 * emulator's own disassembler decides, because it knows the state: pmk compares the name that the
 * disassembler gives the first instruction with the instruction's names in T32 and in A32.
 */
bool pmk_thumb_is(struct pmk_decoder *d, struct pmk_isa_arm *isa, const struct pmk_raw *raw,
		  size_t n)
{
	bool t32 = true, a32 = true;
	struct pmk_insn in;
	char *text;

	for (size_t i = 0; i < n; i++)
		if (raw[i].size == 2)
			return true;
	if (raw[0].addr & 2)
		return true;
	for (size_t i = 0; i < n; i++)
		if (raw[i].size != 4 || !may_be_wide(raw[i].byte))
			return false;
	for (size_t i = 0; i < n; i++) {
		pmk_isa_arm7_decode(isa, true, raw[i].addr, raw[i].byte, 4, &in);
		t32 &= in.decoded;
		pmk_isa_arm7_decode(isa, false, raw[i].addr, raw[i].byte, 4, &in);
		a32 &= in.decoded;
	}
	if (t32 != a32)
		return t32;
	text = d->first_text(d->sequence);
	if (text) {
		t32 = pmk_isa_arm_is_named(isa, true, raw->addr, raw->byte, 4, text);
		a32 = pmk_isa_arm_is_named(isa, false, raw->addr, raw->byte, 4, text);
		free(text);
	}
	return t32 || !a32;
}

/* ---- IT -------------------------------------------------------------------------------------- */

/* Returns how many instructions an IT makes conditional. Returns 0 for other instructions, and for
 * an IT whose condition is "always". */
static unsigned it_length(const struct pmk_raw *raw)
{
	unsigned mask = raw->byte[0] & 15u;

	if (raw->size != 2 || raw->byte[1] != 0xbf || !mask || raw->byte[0] >> 4 >= 14)
		return 0;
	return 4 - (unsigned)__builtin_ctz(mask);
}

static void set_conditional(struct pmk_insn *in)
{
	in->conditional = true;
	/* Under an IT, 16-bit arithmetic does not set the flags. Comparisons, which have no result
	 * register, still set them. */
	if (in->size == 2 && in->rd != PMK_NO_REG)
		in->sets_flags = false;
}

static uint64_t *place_of(struct pmk_it *it, uint64_t addr)
{
	return &it->conditional[(addr >> 1) % PMK_IT_PLACES];
}

void pmk_it_apply(struct pmk_it *it, const struct pmk_raw *raw, size_t n, struct pmk_insn *in)
{
	unsigned left = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t addr = raw[i].addr, *place = place_of(it, addr);

		if (left) {
			*place = addr | 1;
			left--;
		}
		if (*place == (addr | 1))
			set_conditional(&in[i]);
		else if (it_length(&raw[i]))
			left = it_length(&raw[i]);
	}
	/* The IT reaches into the next sequence. Only the address of the first instruction there is
	 * known, so pmk marks this instruction. */
	if (left)
		*place_of(it, raw[n - 1].addr + raw[n - 1].size) =
			(raw[n - 1].addr + raw[n - 1].size) | 1;
}
