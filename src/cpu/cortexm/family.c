// SPDX-License-Identifier: MIT
/* The Cortex-M family of cores. */
#include "cpu/family.h"

#include "cpu/cortexm/cortexm.h"
#include "cpu/thumb.h"

/* True if a cache of flash can have `cache` bytes: a multiple of `way`, and if `ways` is not 0, a
 * power of two times `way`. 0 bytes (no cache) are allowed. `way` is the size of one line times the
 * number of ways. */
static bool fits(uint64_t cache, uint64_t way, uint64_t ways)
{
	uint64_t sets = cache / way;

	return !(cache % way) && (!ways || !(sets & (sets - 1)));
}

static int check(const struct pmk_core *core, char *msg, unsigned size)
{
	const struct pmk_core_cortexm *c = &core->cortexm;
	uint64_t way = c->flash_width * (c->flash_ways ? c->flash_ways : 1);

	if (c->fetch_words == 1)
		return pmk_core_say_range(msg, size, "fetch.words must be 0, or at least 2");
	if (fits(c->flash_cache, way, c->flash_ways) &&
	    fits(c->flash_data_cache, way, c->flash_ways))
		return 0;
	return pmk_core_say_range(msg, size,
				  "flash.cache and flash.data_cache must be multiples of "
				  "flash.width; with flash.ways, a power of two times both");
}

static uint64_t insns_per_cycle(const struct pmk_core *core)
{
	(void)core;
	return 3; /* two instructions that issue together, and an IT that takes no cycle */
}

/*
 * The list is empty, because pmk uses it only in user emulation, which Cortex-M cores do not have.
 */
static const uint8_t mix[] = { PMK_SIG_CYCLE };

static const uint16_t elf_machines[] = { 40, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "arm", .only_system = true },
	{ .name = "aarch64",
	  .only_system =
		  true }, /* qemu-system-aarch64 also emulates boards with 32-bit ARM cores */
	{ .name = NULL },
};

static const struct pmk_core_params params = {
	.keys = pmk_cortexm_keys,
	.check = check,
};

static const struct pmk_core_decoder decoder = {
	.init = pmk_arm_decoder_init,
	.decode = pmk_cortexm_decode,
	.traps = PMK_CORTEXM_DIV,
	.pc_flags = 1,
};

static const struct pmk_core_builder builder = {
	.build = pmk_cortexm_build,
};

static const struct pmk_core_run run = {
	.init = pmk_cortexm_init,
	.fini = pmk_cortexm_fini,
	.forked = pmk_cortexm_forked,
	.forget = pmk_cpu_forget,
	.nesting = pmk_cortexm_nesting,
	.resumed = pmk_cortexm_resumed,
};

static const struct pmk_core_callbacks callbacks = {
	.on_block = pmk_cortexm_on_block,
	.watch = pmk_cortexm_watch,
};

static const struct pmk_core_system in_system = {
	.vector = pmk_cortexm_vector,
	.locks_up = true,
};

static const struct pmk_core_programs programs = {
	.elf_machines = elf_machines,
	.targets = targets,
	.stack_pointer = "sp",
	.stack_word = 4,
};

static const struct pmk_core_counts counts = {
	.fact_signal = pmk_cortexm_signal,
	.nfacts = PMK_CORTEXM_NFACTS,
	.raises = pmk_cortexm_raises,
	.mix = mix,
	.counted = pmk_cortexm_counted,
	.derive = pmk_cortexm_derive,
	.insns_per_cycle = insns_per_cycle,
};

const struct pmk_core_family pmk_family_cortexm = {
	.name = "cortexm",
	.isa = "t32",
	.params = &params,
	.decoder = &decoder,
	.builder = &builder,
	.run = &run,
	.callbacks = &callbacks,
	.system = &in_system,
	.programs = &programs,
	.counts = &counts,
};
