// SPDX-License-Identifier: GPL-2.0-or-later
/* The control register of ARM cores. See control.h. */
#include "producer/qemu/control.h"

#include <string.h>

/* The instruction as A32 has it; Thumb-2 has the halves the other way round. */
static uint32_t word_of(const struct pmk_raw *raw, const struct pmk_insn *in)
{
	uint32_t word;

	memcpy(&word, raw->byte, sizeof(word));
	return in->thumb ? word << 16 | word >> 16 : word;
}

/* MCR p15, 0, <Rt>, c1, c0, 0. One with a condition might not be executed. */
bool pmk_control_is_written(const struct pmk_raw *raw, const struct pmk_insn *in)
{
	return raw->size == 4 && (word_of(raw, in) & 0xffff0fff) == 0xee010f10;
}

unsigned pmk_control_source(const struct pmk_raw *raw, const struct pmk_insn *in)
{
	return word_of(raw, in) >> 12 & 15;
}

unsigned pmk_control_state(uint32_t sctlr)
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
