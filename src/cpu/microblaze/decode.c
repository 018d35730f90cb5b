// SPDX-License-Identifier: MIT
/* Decodes translated MicroBlaze code. If the emulator does not show the bytes of an instruction,
 * the instruction belongs to no kind. */
#include <stdlib.h>

#include <pmk/error.h>

#include "cpu/family.h"
#include "cpu/microblaze/microblaze.h"

/*
 * A prefix that was the last instruction of a translated block, with the address after it. The
 * instruction at that address begins another block, and needs the prefix for its immediate.
 */
struct prefix {
	uint64_t behind;
	uint32_t word;
};

#define NPREFIXES 256

static int init_decoder(struct pmk_decoder *d)
{
	d->own = calloc(NPREFIXES, sizeof(struct prefix));
	return d->own ? 0 : PMK_ENOMEM;
}

static struct prefix *prefix_slot(const struct pmk_decoder *d, uint64_t behind)
{
	struct prefix *prefixes = d->own;

	return &prefixes[behind / 4 % NPREFIXES];
}

static void decode_code(struct pmk_decoder *d, const struct pmk_raw *raw, size_t n,
			struct pmk_insn *in)
{
	uint64_t addr = raw[0].addr;
	struct prefix before = *prefix_slot(d, addr);
	uint32_t prefix = before.behind == addr ? before.word : 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t word =
			raw[i].size ? pmk_isa_microblaze_word(raw[i].byte, d->big_endian) : 0;

		addr = raw[i].addr;
		pmk_isa_microblaze_decode(addr, word, &in[i]);
		if (!raw[i].size)
			in[i] = (struct pmk_insn){ .addr = addr, .size = 4 };
		if (prefix)
			pmk_isa_microblaze_imm(&in[i], prefix);
		prefix = in[i].kind & PMK_MB_IMM ? word : 0;
	}
	addr += 4;
	if (prefix)
		*prefix_slot(d, addr) = (struct prefix){ addr, prefix };
	else if (prefix_slot(d, addr)->behind == addr)
		prefix_slot(d, addr)->word = 0; /* another program may be here */
}

static unsigned vector_at(const struct pmk_decoder *d, const struct pmk_core *core, uint64_t pc)
{
	uint64_t base = core->microblaze.vectors_base;

	(void)d;
	if (pc == base + PMK_MB_VECTOR_INTERRUPT)
		return PMK_ENTRY_VECTOR;
	return pc == base + PMK_MB_VECTOR_EXCEPTION ? PMK_ENTRY_VECTOR | PMK_ENTRY_FAULT : 0;
}

const struct pmk_core_decoder pmk_microblaze_decoder = {
	.init = init_decoder,
	.decode = decode_code,
	.delays = PMK_MB_DELAY,
	.traps = PMK_MB_DIV | PMK_MB_FP,
	.reads_memory = 4,
};

const struct pmk_core_system pmk_microblaze_system = {
	.vector = vector_at,
	/* pmk does not follow MSR[VM], because exceptions also change it. */
	.control = PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.control_by = PMK_CONTROL_BY_MSR,
};
