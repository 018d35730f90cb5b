// SPDX-License-Identifier: MIT
/* The ARM11 among the families of cores. */
#include "cpu/family.h"

#include "cpu/arm11/arm11.h"

/* A core that folds branches can retire two. */
static uint64_t insns_per_cycle(const struct pmk_core *core)
{
	(void)core;
	return 2;
}

static const uint16_t elf_machines[] = { 40, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "arm" },
	{ .name = "aarch64", .only_system = true }, /* it has ARM boards, too */
	{ .name = NULL },
};

const struct pmk_core_family pmk_family_arm11 = {
	.name = "arm11",
	.isa = "arm",
	.keys = pmk_arm11_keys,
	.check = pmk_arm11_check,
	.init = pmk_arm11_init,
	.fini = pmk_arm11_fini,
	.forked = pmk_arm11_forked,
	.build = pmk_arm11_build,
	.branch = pmk_arm11_branch,
	.decoder_init = pmk_arm11_decoder_init,
	.decode = pmk_arm11_decode,
	.pc_flags = 1,
	.vector = pmk_arm11_vector,
	.is_under_way = pmk_arm11_is_under_way,
	.drop = pmk_arm11_drop,
	.on_block = &pmk_arm11_on_block,
	.watch = pmk_arm11_watch,
	.execve = 11,
	.execveat = 387,
	.sigaction = 67,
	.rt_sigaction = 174,
	.stack_pointer = "sp",
	.stack_word = 4,
	.elf_machines = elf_machines,
	.targets = targets,
	.fact_signal = pmk_arm11_signal,
	.nfacts = PMK_ARM11_NFACTS,
	.untimed = PMK_ARM11_FACT_UNTIMED,
	.raises = pmk_arm11_raises,
	.derive = pmk_arm11_derive,
	.insns_per_cycle = insns_per_cycle,
};
