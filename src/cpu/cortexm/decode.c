// SPDX-License-Identifier: MIT
/* Decoding translated code of Cortex-M, which is always Thumb. */
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

static void decode_special(const struct pmk_raw *raw, struct pmk_insn *in)
{
	if (in->decoded || !is_read_of_special(raw))
		return;
	in->decoded = true;
	in->iclass = PMK_I_OTHER;
	in->rd = raw->byte[3] & 15;
	in->writes = UINT64_C(1) << in->rd;
}

void pmk_cortexm_decode(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
			struct pmk_insn *in)
{
	struct pmk_arm_own *own = d->own;

	for (size_t i = 0; i < n; i++) {
		pmk_isa_arm7_decode(own->isa, true, raw[i].addr, raw[i].byte, raw[i].size, &in[i]);
		decode_special(&raw[i], &in[i]);
		in[i].kind |= is_it(&raw[i]) ? PMK_CORTEXM_IT : 0;
	}
	pmk_it_apply(&own->it, raw, n, in);
}

/* Code is translated just before it runs, so code that is first translated in a handler may be
 * where that handler starts. */
unsigned pmk_cortexm_vector(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc)
{
	uint32_t sp, lr;

	(void)d;
	(void)core;
	(void)pc;
	return pmk_emulator.exception_now && pmk_emulator.exception_now(&sp, &lr) > 0
		       ? PMK_ENTRY_VECTOR
		       : 0;
}
