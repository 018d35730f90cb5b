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

/* 0xbaab was its number before it had an official one. */
static const uint16_t elf_machines[] = { 189, 0xbaab, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "microblaze", .big_endian = true },
	{ .name = "microblazeel" },
	{ .name = NULL },
};

const struct pmk_core_family pmk_family_microblaze = {
	.name = "microblaze",
	.isa = "microblaze",
	.keys = pmk_microblaze_keys,
	.check = pmk_microblaze_check,
	.in_vain = pmk_microblaze_in_vain,
	.counters = counters,
	.init = pmk_microblaze_init,
	.fini = pmk_microblaze_fini,
	.forked = pmk_microblaze_forked,
	.build = pmk_microblaze_build,
	.decoder_init = pmk_microblaze_decoder_init,
	.decode = pmk_microblaze_decode,
	.delays = PMK_MB_DELAY,
	.reads_memory = 4,
	.is_blind = pmk_microblaze_data_is_local,
	.vector = pmk_microblaze_vector,
	/* pmk does not follow MSR[VM], because exceptions change it, too. */
	.control = PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.control_by = PMK_CONTROL_BY_MSR,
	.traps = PMK_MB_DIV | PMK_MB_FP,
	.on_block = pmk_microblaze_on_block,
	.watch = pmk_microblaze_watch,
	.test = pmk_microblaze_test,
	.tables = pmk_microblaze_tables,
	.linux_abi = &pmk_linux_microblaze,
	.stack_pointer = "r1",
	.stack_word = 4,
	.elf_machines = elf_machines,
	.targets = targets,
	.fact_signal = pmk_microblaze_signal,
	.nfacts = PMK_MB_NFACTS,
	.counted = pmk_microblaze_counted,
	.beside = pmk_microblaze_beside,
	.raises = pmk_microblaze_raises,
	.mix = pmk_microblaze_mix,
	.data = pmk_microblaze_data,
	.fetch = pmk_microblaze_fetch,
	.on_fetch = pmk_microblaze_on_fetch,
	.lines = pmk_microblaze_fetch,
	.on_lines = pmk_microblaze_on_fetch,
	.longest = pmk_microblaze_longest,
	.derive = pmk_microblaze_derive,
	.insns_per_cycle = insns_per_cycle,
};
