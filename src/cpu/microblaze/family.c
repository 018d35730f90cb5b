// SPDX-License-Identifier: MIT
/* The MicroBlaze family of cores. */
#include "cpu/family.h"

#include "cpu/microblaze/microblaze.h"

/* MicroBlaze used the second number before it had an official one. */
static const uint16_t elf_machines[] = { 189, 0xbaab, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "microblaze", .big_endian = true },
	{ .name = "microblazeel" },
	{ .name = NULL },
};

static const struct pmk_core_programs programs = {
	.elf_machines = elf_machines,
	.targets = targets,
	.linux_abi = &pmk_linux_microblaze,
	.stack_pointer = "r1",
	.stack_word = 4,
};

const struct pmk_core_family pmk_family_microblaze = {
	.name = "microblaze",
	.isa = "microblaze",
	.params = &pmk_microblaze_params,
	.decoder = &pmk_microblaze_decoder,
	.builder = &pmk_microblaze_builder,
	.run = &pmk_microblaze_run,
	.callbacks = &pmk_microblaze_callbacks,
	.system = &pmk_microblaze_system,
	.programs = &programs,
	.counts = &pmk_microblaze_counts,
};
