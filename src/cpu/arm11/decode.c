// SPDX-License-Identifier: MIT
/* Decoding translated code of ARM cores, A32 and T32. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cpu/arm11/arm11.h"
#include "cpu/thumb.h"

/* True if the code is Thumb. The emulator does not show the state bit. A sequence with an
 * instruction of 2 bytes, or at an address that is not a multiple of 4, is Thumb. Otherwise, the
 * sequence can only be Thumb if it is a single BL pair of 4 bytes. Such a pair may also be an A32
 * instruction, so pmk compares the target of the pair with the target in the emulator's own
 * disassembly. Asking for the disassembly loads the emulator's disassembler, so all other tests
 * come first. One of these tests uses that the second half of a BLX is even. */
static bool is_thumb(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n)
{
	uint64_t addr = raw[0].addr;
	struct pmk_arm_own *own = d->own;
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
	if (raw[0].size != 4 || n > 1)
		return false;
	memcpy(half, raw[0].byte, sizeof(half));
	if ((half[0] & 0xf800) != 0xf000 || (half[1] & 0xe800) != 0xe800)
		return false;
	if ((half[1] & 0xf801) == 0xe801)
		return false;
	pmk_isa_arm_decode(own->isa, true, addr, half, 4, &pair);
	text = d->first_text(d->sequence);
	target = text ? strchr(text, '#') : NULL;
	same = target && pmk_number_after(target, "#", PMK_ANY_BASE) == pair.target;
	free(text);
	return same;
}

/* Decodes a kernel helper as a return to the link register, of the helper's size. The emulator may
 * show no bytes for a helper, or bytes that differ from the kernel's code. */
static void decode_helper(uint64_t addr, struct pmk_insn *in)
{
	*in = (struct pmk_insn){ .addr = addr,
				 .size = (uint8_t)pmk_arm_helper_bytes(addr),
				 .flow = PMK_FLOW_RETURN,
				 PMK_NO_REGS };
}

void pmk_arm11_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
		      struct pmk_insn *in)
{
	bool thumb2 = d->core && d->core->thumb2;
	struct pmk_arm_own *own = d->own;
	bool thumb = thumb2 ? pmk_thumb_is(d, own->isa, raw, n) : is_thumb(d, raw, n);

	for (size_t i = 0; i < n; i++)
		if (!raw[i].size || (!d->system && raw[i].addr >= PMK_ARM_HELPER_PAGE))
			decode_helper(raw[i].addr, &in[i]);
		else if (thumb2)
			pmk_isa_arm6t2_decode(own->isa, thumb, raw[i].addr, raw[i].byte,
					      raw[i].size, &in[i]);
		else
			pmk_isa_arm_decode(own->isa, thumb, raw[i].addr, raw[i].byte, raw[i].size,
					   &in[i]);
	if (thumb && thumb2)
		pmk_it_apply(&own->it, raw, n, in);
}
