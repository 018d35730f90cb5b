// SPDX-License-Identifier: MIT
/* The A64 family of cores. */
#include "cpu/family.h"

#include "cpu/a64/a64.h"

uint64_t pmk_a64_insns_per_cycle(const struct pmk_core *core)
{
	return core->a64.issue_width;
}

static const uint16_t elf_machines[] = { 183, 40 /* AArch64, and ARM for its AArch32 state */, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "aarch64" },
	{ .name = NULL },
};

const struct pmk_core_family pmk_family_a64 = {
	.name = "a64",
	.isa = "a64",
	.keys = pmk_a64_keys,
	.check = pmk_a64_check,
	.init = pmk_a64_init,
	.fini = pmk_a64_fini,
	.forked = pmk_a64_forked,
	.forget = pmk_a64_forget,
	.build = pmk_a64_build,
	.keeps = pmk_a64_keeps,
	.keep = pmk_a64_keep,
	.decoder_init = pmk_a64_decoder_init,
	.decode = pmk_a64_decode,
	.on_block = pmk_a64_on_block,
	.watch = pmk_a64_watch,
	.test = pmk_a64_test,
	.tables = pmk_a64_tables,
	.traps = PMK_K_DC_ZVA,
	.zeroes = PMK_K_DC_ZVA,
	.line_bytes = PMK_A64_LINE_BYTES,
	.may_trap = PMK_K_MAY_TRAP,
	.levels = true,
	.control_by = PMK_CONTROL_BY_A64,
	.control = PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.wide_addresses = true,
	.vector = pmk_a64_vector,
	.is_under_way = pmk_a64_is_under_way,
	.drop = pmk_a64_drop,
	.linux_abi = &pmk_linux_a64,
	.stack_pointer = "sp",
	.stack_word = 8,
	.elf_machines = elf_machines,
	.targets = targets,
	.fact_signal = pmk_a64_signal,
	.nfacts = PMK_A64_NFACTS,
	.counted = pmk_a64_counted,
	.raises = pmk_a64_raises,
	.mix = pmk_a64_mix,
	.data = pmk_a64_data,
	.fetch = pmk_a64_fetch,
	.on_fetch = pmk_a64_on_fetch,
	.lines = pmk_a64_lines,
	.on_lines = pmk_a64_on_lines,
	.derive = pmk_a64_derive,
	.insns_per_cycle = pmk_a64_insns_per_cycle,
};
