// SPDX-License-Identifier: MIT
/* Decoding translated code of ARM cores, A32 and T32. */
#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/arm11/arm11.h"

/* The page of helpers that ARM Linux shows to programs is run by the emulator itself. */
#define HELPER_PAGE  0xffff0000u
#define VECTORS_SIZE 0x20u
#define DATA_ABORT   0x10u

int pmk_arm11_decoder_init(struct pmk_decoder *d)
{
	d->own = pmk_isa_arm_new();
	return d->own ? 0 : PMK_ENOMEM;
}

/* The state bit is not shown. A block with a 2-byte instruction, or at an odd half word,
 * is Thumb; one of 4-byte instructions only can still be Thumb when it begins with a BL pair, and
 * then the emulator's own disassembly tells: the two readings of the word have different targets.
 */
static bool is_thumb(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n)
{
	uint64_t addr = raw[0].addr;
	struct pmk_insn pair;
	const char *target;
	char *text;
	bool same;
	uint16_t half[2];

	for (size_t i = 0; i < n; i++)
		if (raw[i].size == 2)
			return true;
	if (addr & 2)
		return true;
	if (raw[0].size != 4)
		return false;
	memcpy(half, raw[0].byte, sizeof(half));
	if ((half[0] & 0xf800) != 0xf000 || (half[1] & 0xe800) != 0xe800)
		return false;
	pmk_isa_arm_decode(d->own, true, addr, half, 4, &pair);
	text = d->first_text(d->run);
	target = text ? strchr(text, '#') : NULL;
	same = target && strtoull(target + 1, NULL, 16) == pair.target;
	free(text);
	return same;
}

/* Of a helper there may be no bytes, or those of no instruction that runs. It returns to the link
 * register. */
static void decode_helper(uint64_t addr, struct pmk_insn *in)
{
	*in = (struct pmk_insn){ .addr = addr,
				 .flow = PMK_FLOW_RETURN,
				 .rd = PMK_NO_REG,
				 .rd2 = PMK_NO_REG,
				 .rn = PMK_NO_REG,
				 .rm = PMK_NO_REG,
				 .rs = PMK_NO_REG,
				 .ra = PMK_NO_REG };
}

void pmk_arm11_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		      struct pmk_insn *in)
{
	bool thumb = is_thumb(d, raw, n);

	for (size_t i = 0; i < n; i++)
		if (!raw[i].size || (!d->system && raw[i].addr >= HELPER_PAGE))
			decode_helper(raw[i].addr, &in[i]);
		else
			pmk_isa_arm_decode(d->own, thumb, raw[i].addr, raw[i].byte, raw[i].size,
					   &in[i]);
}

unsigned pmk_arm11_vector(const struct pmk_core *core, uint64_t pc)
{
	uint64_t offset = pc & ~(uint64_t)HELPER_PAGE;

	(void)core;
	if (offset >= VECTORS_SIZE || (pc != offset && pc != HELPER_PAGE + offset))
		return 0;
	return PMK_ENTRY_VECTOR | (offset == DATA_ABORT ? PMK_ENTRY_FAULT : 0);
}
