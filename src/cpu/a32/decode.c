// SPDX-License-Identifier: MIT
/*
 * Decoding translated code, A32 and T32. The emulator shows neither whether code is Thumb nor what
 * an IT in front of a sequence says of it.
 */
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/a32/a32.h"

/* The page of helpers that ARM Linux maps into programs. The emulator itself runs them. */
#define HELPER_PAGE  0xffff0000u
#define VECTORS_SIZE 0x20u
#define DATA_ABORT   0x10u

/* Places behind an IT whose instructions were decoded with it, by their address. Another place
 * with the same index is forgotten: its instruction is then taken to have no condition, if a
 * sequence begins there. */
#define PLACES 4096

struct own {
	struct pmk_isa_arm *isa;
	/* The address of an instruction under an IT, with bit 0 set; 0: there is none. */
	uint64_t conditional[PLACES];
};

int pmk_a32_decoder_init(struct pmk_decoder *d)
{
	struct own *own = calloc(1, sizeof(*own));

	if (!own)
		return PMK_ENOMEM;
	own->isa = pmk_isa_arm_new();
	d->own = own;
	return own->isa ? 0 : PMK_ENOMEM;
}

/* ---- A32 or T32 ------------------------------------------------------------------------------ */

/* Could these four bytes be an instruction of T32? The first half word of one begins so. */
static bool may_be_wide(const uint8_t *byte)
{
	return byte[1] >> 3 >= 0x1d;
}

/*
 * A sequence with an instruction of 2 bytes, or at an odd half word, is Thumb. One of 4-byte
 * instructions alone is Thumb if all may be, and are instructions in no other set. If they are in
 * both, the emulator's own disassembler, which knows the state, tells by the name of the first one.
 */
static bool is_thumb(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n)
{
	struct own *own = d->own;
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
		pmk_isa_arm7_decode(own->isa, true, raw[i].addr, raw[i].byte, 4, &in);
		t32 &= in.decoded;
		pmk_isa_arm7_decode(own->isa, false, raw[i].addr, raw[i].byte, 4, &in);
		a32 &= in.decoded;
	}
	if (t32 != a32)
		return t32;
	text = d->first_text(d->sequence);
	if (text) {
		t32 = pmk_isa_arm_is_named(own->isa, true, raw->addr, raw->byte, 4, text);
		a32 = pmk_isa_arm_is_named(own->isa, false, raw->addr, raw->byte, 4, text);
		free(text);
	}
	return t32 || !a32;
}

/* ---- IT -------------------------------------------------------------------------------------- */

/* How many instructions an IT makes conditional; 0: it is none. Its condition may be "always". */
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
	/* Arithmetic of 16 bits leaves the flags alone then; comparisons, which have no result, set
	 * them. */
	if (in->size == 2 && in->rd != PMK_NO_REG)
		in->sets_flags = false;
}

static uint64_t *place_of(struct own *own, uint64_t addr)
{
	return &own->conditional[(addr >> 1) % PLACES];
}

static void apply_it(struct own *own, const struct pmk_raw *raw, size_t n, struct pmk_insn *in)
{
	unsigned left = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t addr = raw[i].addr, *place = place_of(own, addr);

		if (left) {
			*place = addr | 1;
			left--;
		}
		if (*place == (addr | 1))
			set_conditional(&in[i]);
		else if (it_length(&raw[i]))
			left = it_length(&raw[i]);
	}
	/* The next sequence goes on with it; where its instructions begin is known of the first. */
	if (left)
		*place_of(own, raw[n - 1].addr + raw[n - 1].size) =
			(raw[n - 1].addr + raw[n - 1].size) | 1;
}

/* What a conditional instruction writes has its old value where the condition fails, so it waits
 * for that. */
static void read_old_values(struct pmk_insn *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (in[i].conditional && !in[i].is_branch)
			in[i].reads |= in[i].writes;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* A helper may have no bytes, or bytes that are not what runs. It counts as a return to the link
 * register. */
static void decode_helper(uint64_t addr, struct pmk_insn *in)
{
	*in = (struct pmk_insn){ .addr = addr,
				 .flow = PMK_FLOW_RETURN,
				 .is_branch = true,
				 .kind = PMK_K_BR_RETURN | PMK_K_BR_INDIRECT,
				 .rd = PMK_NO_REG,
				 .rd2 = PMK_NO_REG,
				 .rn = PMK_NO_REG,
				 .rm = PMK_NO_REG,
				 .rs = PMK_NO_REG,
				 .ra = PMK_NO_REG };
}

void pmk_a32_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n, struct pmk_insn *in)
{
	bool thumb = is_thumb(d, raw, n);
	struct own *own = d->own;

	for (size_t i = 0; i < n; i++)
		if (!raw[i].size || (!d->system && raw[i].addr >= HELPER_PAGE))
			decode_helper(raw[i].addr, &in[i]);
		else
			pmk_isa_arm7_decode(own->isa, thumb, raw[i].addr, raw[i].byte, raw[i].size,
					    &in[i]);
	if (thumb)
		apply_it(own, raw, n, in);
	read_old_values(in, n);
}

/* Low and high vectors. Those that VBAR moves elsewhere are not seen. */
unsigned pmk_a32_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc)
{
	uint64_t offset = pc & ~(uint64_t)HELPER_PAGE;

	(void)d;
	(void)core;
	if (offset >= VECTORS_SIZE || (pc != offset && pc != HELPER_PAGE + offset))
		return 0;
	return PMK_ENTRY_VECTOR | (offset == DATA_ABORT ? PMK_ENTRY_FAULT : 0);
}
