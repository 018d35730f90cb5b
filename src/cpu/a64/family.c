// SPDX-License-Identifier: MIT
/* The A64 family of cores. */
#include "cpu/a64/a64.h"
#include "cpu/family.h"

static const struct pmk_core_decoder decoder = {
	.init = pmk_a64_decoder_init,
	.decode = pmk_a64_decode,
	.traps = PMK_K_DC_ZVA,
	.may_trap = PMK_K_MAY_TRAP,
	.zeroes = PMK_K_DC_ZVA,
	.line_bytes = PMK_A64_LINE_BYTES,
	.wide_addresses = true,
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

const struct pmk_core_family pmk_family_a64 = {
	.name = "a64",
	.isa = "a64",
	.params = &pmk_a64_params,
	.decoder = &decoder,
	.builder = &pmk_a64_builder,
	.run = &pmk_a64_run,
	.callbacks = &pmk_a64_callbacks,
	.system = &in_system,
	.programs = &programs,
	.counts = &pmk_a64_counts,
};
