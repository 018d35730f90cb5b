// SPDX-License-Identifier: MIT
/* The MicroBlaze family of cores. */
#include "cpu/family.h"

#include "cpu/microblaze/microblaze.h"

static uint64_t insns_per_cycle(const struct pmk_core *core)
{
	(void)core;
	return 1;
}

static void counters(const struct pmk_core *core, struct pmk_core_counters *built)
{
	*built = (struct pmk_core_counters){
		.events = (unsigned)core->microblaze.event_counters,
		.latencies = (unsigned)core->microblaze.latency_counters,
		.width = (unsigned)core->microblaze.counter_width,
	};
}

/* The second number is the one used before MicroBlaze had an official one. */
static const uint16_t elf_machines[] = { 189, 0xbaab, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "microblaze", .big_endian = true },
	{ .name = "microblazeel" },
	{ .name = NULL },
};

static const struct pmk_core_params params = {
	.keys = pmk_microblaze_keys,
	.check = pmk_microblaze_check,
	.in_vain = pmk_microblaze_in_vain,
	.counters = counters,
};

static const struct pmk_core_decoder decoder = {
	.init = pmk_microblaze_decoder_init,
	.decode = pmk_microblaze_decode,
	.delays = PMK_MB_DELAY,
	.traps = PMK_MB_DIV | PMK_MB_FP,
	.reads_memory = 4,
};

static const struct pmk_core_builder builder = {
	.build = pmk_microblaze_build,
};

static const struct pmk_core_run run = {
	.init = pmk_microblaze_init,
	.fini = pmk_microblaze_fini,
	.forked = pmk_microblaze_forked,
	.forget = pmk_cpu_forget,
};

static const struct pmk_core_callbacks callbacks = {
	.on_block = pmk_microblaze_on_block,
	.on_fetch = pmk_microblaze_on_fetch,
	.on_lines = pmk_microblaze_on_fetch,
	.watch = pmk_microblaze_watch,
	.test = pmk_microblaze_test,
	.tables = pmk_microblaze_tables,
	.is_blind = pmk_microblaze_data_is_local,
};

static const struct pmk_core_system in_system = {
	.vector = pmk_microblaze_vector,
	/* pmk does not follow MSR[VM], because exceptions change it, too. */
	.control = PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.control_by = PMK_CONTROL_BY_MSR,
};

static const struct pmk_core_programs programs = {
	.elf_machines = elf_machines,
	.targets = targets,
	.linux_abi = &pmk_linux_microblaze,
	.stack_pointer = "r1",
	.stack_word = 4,
};

static const struct pmk_core_counts counts = {
	.fact_signal = pmk_microblaze_signal,
	.nfacts = PMK_MB_NFACTS,
	.raises = pmk_microblaze_raises,
	.mix = pmk_microblaze_mix,
	.data = pmk_microblaze_data,
	.fetch = pmk_microblaze_fetch,
	.lines = pmk_microblaze_fetch,
	.counted = pmk_microblaze_counted,
	.beside = pmk_microblaze_beside,
	.derive = pmk_microblaze_derive,
	.longest = pmk_microblaze_longest,
	.insns_per_cycle = insns_per_cycle,
};

const struct pmk_core_family pmk_family_microblaze = {
	.name = "microblaze",
	.isa = "microblaze",
	.params = &params,
	.decoder = &decoder,
	.builder = &builder,
	.run = &run,
	.callbacks = &callbacks,
	.system = &in_system,
	.programs = &programs,
	.counts = &counts,
};
