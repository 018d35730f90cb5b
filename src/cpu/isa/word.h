/* SPDX-License-Identifier: MIT */
/* Functions that the decoders of all instruction sets share. */
#ifndef PMK_CPU_ISA_WORD_H
#define PMK_CPU_ISA_WORD_H

#include <pmk/isa.h>

static inline unsigned bits(uint32_t word, unsigned hi, unsigned lo)
{
	return (word >> lo) & ((2u << (hi - lo)) - 1);
}

static inline bool bit(uint32_t word, unsigned n)
{
	return (word >> n) & 1;
}

/* Records `count` loads, or stores, of this many bytes each. */
static inline void set_memory(struct pmk_insn *in, bool load, unsigned bytes, unsigned count)
{
	in->load = load;
	in->store = !load;
	in->mem_bytes = (uint8_t)bytes;
	in->mem_count = (uint8_t)count;
}

/* Does what set_memory() does, and makes the class of the instruction a load or a store. */
static inline void set_load_store(struct pmk_insn *in, bool load, unsigned bytes, unsigned count)
{
	in->iclass = load ? PMK_I_LOAD : PMK_I_STORE;
	set_memory(in, load, bytes, count);
}

#endif
