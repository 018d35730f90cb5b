// SPDX-License-Identifier: MIT
/* Decodes translated code of A32 and T32. */
#include "cpu/a32/a32.h"
#include "cpu/thumb.h"

/*
 * A conditional instruction whose condition fails keeps the old values of the registers that it
 * would write. So it must wait for these values.
 */
static void read_old_values(struct pmk_insn *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (in[i].conditional && !in[i].is_branch)
			in[i].reads |= in[i].writes;
}

/* ---- entries --------------------------------------------------------------------------------- */

/*
 * Decodes a function in the kernel's helper page, or an instruction whose bytes the emulator does
 * not show. In the helper page, the emulator may show other bytes than those of the code that runs.
 * A helper function counts as a return to the link register, with as many bytes as
 * pmk_arm_helper_bytes() says.
 */
static void decode_helper(uint64_t addr, struct pmk_insn *in)
{
	*in = (struct pmk_insn){ .addr = addr,
				 .size = (uint8_t)pmk_arm_helper_bytes(addr),
				 .flow = PMK_FLOW_RETURN,
				 .is_branch = true,
				 .kind = PMK_K_BR_RETURN | PMK_K_BR_INDIRECT,
				 PMK_NO_REGS };
}

void pmk_a32_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n, struct pmk_insn *in)
{
	struct pmk_arm_own *own = d->own;
	bool thumb = pmk_thumb_is(d, own->isa, raw, n);

	for (size_t i = 0; i < n; i++)
		if (!raw[i].size || (!d->system && raw[i].addr >= PMK_ARM_HELPER_PAGE))
			decode_helper(raw[i].addr, &in[i]);
		else
			pmk_isa_arm7_decode(own->isa, thumb, raw[i].addr, raw[i].byte, raw[i].size,
					    &in[i]);
	if (thumb)
		pmk_it_apply(&own->it, raw, n, in);
	read_old_values(in, n);
}

/*
 * Returns the bits of enum pmk_entry for an exception vector at `pc`. The vectors may be at the low
 * or the high addresses, or at the address in the register VBAR, which the emulator does not show.
 * But only a data abort leaves a block early, and the low address bits of its vector are known. So
 * pmk treats every block at an address with these bits as a vector, and assumes a data abort if the
 * block before it has not made all of its accesses.
 */
unsigned pmk_a32_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc)
{
	unsigned entry = pmk_arm_vector(d, core, pc);

	if (entry)
		return entry;
	return pc % PMK_ARM_VECTORS_SIZE == PMK_ARM_DATA_ABORT ? PMK_ENTRY_VECTOR : 0;
}
