// SPDX-License-Identifier: MIT
/* The ARM11 family of cores. */
#include "cpu/arm11/family.h"

/* A core that folds branches can retire two instructions in a cycle. */
uint64_t pmk_arm11_insns_per_cycle(const struct pmk_core *core)
{
	(void)core;
	return 2;
}

const uint16_t pmk_arm11_elf_machines[] = { 40, 0 };

const struct pmk_core_target pmk_arm11_targets[] = {
	{ .name = "arm" },
	{ .name = "aarch64", .only_system = true }, /* this emulator has ARM boards, too */
	{ .name = NULL },
};

const struct pmk_core_family pmk_family_arm11 = {
	.name = "arm11",
	PMK_ARM11_MEMBERS,
	.untimed_kind = "SIMD or VFP instructions that no ARM11 has",
	.keys = pmk_arm11_keys,
	.check = pmk_arm11_check,
	.control =
		PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE | PMK_CONTROL_PREDICTOR,
	.init = pmk_arm11_init,
	.build = pmk_arm11_build,
};
