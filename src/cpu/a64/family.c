// SPDX-License-Identifier: MIT
/* The A64 family of cores. */
#include "cpu/a64/family.h"

uint64_t pmk_a64_insns_per_cycle(const struct pmk_core *core)
{
	return core->a64.issue_width;
}

const struct pmk_core_params pmk_a64_params = {
	.keys = pmk_a64_keys,
	.check = pmk_a64_check,
};

static const struct pmk_core_decoder decoder = {
	.init = pmk_a64_decoder_init,
	.decode = pmk_a64_decode,
	.traps = PMK_K_DC_ZVA,
	.may_trap = PMK_K_MAY_TRAP,
	.zeroes = PMK_K_DC_ZVA,
	.line_bytes = PMK_A64_LINE_BYTES,
	.wide_addresses = true,
};

const struct pmk_core_builder pmk_a64_builder = {
	.build = pmk_a64_build,
	.keeps = pmk_a64_keeps,
	.keep = pmk_a64_keep,
};

const struct pmk_core_run pmk_a64_run = {
	.init = pmk_a64_init,
	.fini = pmk_a64_fini,
	.forked = pmk_a64_forked,
	.forget = pmk_a64_forget,
	.is_under_way = pmk_a64_is_under_way,
	.drop = pmk_a64_drop,
};

static const struct pmk_core_callbacks callbacks = {
	.on_block = pmk_a64_on_block,
	.on_fetch = pmk_a64_on_fetch,
	.on_lines = pmk_a64_on_lines,
	.watch = pmk_a64_watch,
	.test = pmk_a64_test,
	.tables = pmk_a64_tables,
};

static const struct pmk_core_system in_system = {
	.vector = pmk_a64_vector,
	.levels = true,
	.control = PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.control_by = PMK_CONTROL_BY_A64,
};

static const uint16_t elf_machines[] = { 183, 40 /* AArch64, and ARM for its AArch32 state */, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "aarch64" },
	{ .name = NULL },
};

static const struct pmk_core_programs programs = {
	.elf_machines = elf_machines,
	.targets = targets,
	.linux_abi = &pmk_linux_a64,
	.stack_pointer = "sp",
	.stack_word = 8,
};

static const struct pmk_core_counts counts = {
	.fact_signal = pmk_a64_signal,
	.nfacts = PMK_A64_NFACTS,
	.raises = pmk_a64_raises,
	.mix = pmk_a64_mix,
	.data = pmk_a64_data,
	.fetch = pmk_a64_fetch,
	.lines = pmk_a64_lines,
	.counted = pmk_a64_counted,
	.derive = pmk_a64_derive,
	.insns_per_cycle = pmk_a64_insns_per_cycle,
};

const struct pmk_core_family pmk_family_a64 = {
	.name = "a64",
	.isa = "a64",
	.params = &pmk_a64_params,
	.decoder = &decoder,
	.builder = &pmk_a64_builder,
	.run = &pmk_a64_run,
	.callbacks = &callbacks,
	.system = &in_system,
	.programs = &programs,
	.counts = &counts,
};
