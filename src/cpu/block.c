// SPDX-License-Identifier: MIT
/* Builds blocks: the facts and the timing of a sequence of instructions. See block.h. */
#include "cpu/block.h"

#include "cpu/family.h"

void pmk_block_build(const struct pmk_core *core, const struct pmk_insn *insn, size_t n,
		     struct pmk_pipe_slot *slots, struct pmk_block *b)
{
	pmk_core_family(core)->builder->build(core, insn, n, slots, b);
}
