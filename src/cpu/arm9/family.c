// SPDX-License-Identifier: MIT
/* The ARM926EJ-S family of cores, on the Development Chip. */
#include "cpu/arm11/family.h"
#include "cpu/arm9/arm9.h"

extern const struct pmk_core_family pmk_family_arm11;

static const struct pmk_core_params params = {
	.keys = pmk_arm9_keys,
	.check = pmk_arm9_check,
	.was_set = pmk_arm9_was_set,
};

static const struct pmk_core_builder builder = {
	.build = pmk_arm9_build,
	.branch = pmk_arm11_branch,
};

static const struct pmk_core_run run = {
	.init = pmk_arm9_init,
	.fini = pmk_arm11_fini,
	.forked = pmk_arm11_forked,
	.forget = pmk_cpu_forget,
	.attach = pmk_arm9_attach,
	.is_under_way = pmk_arm11_is_under_way,
	.drop = pmk_arm11_drop,
};

static const struct pmk_core_system in_system = {
	.vector = pmk_arm_vector,
	.control = PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.control_by = PMK_CONTROL_BY_A32,
};

const struct pmk_core_family pmk_family_arm9 = {
	.name = "arm9",
	.isa = "arm",
	.pmu = "ahbmon",
	.like = &pmk_family_arm11,
	.untimed_kind = "floating-point ones (VFP)",
	.params = &params,
	.decoder = &pmk_arm11_decoder,
	.builder = &builder,
	.run = &run,
	.callbacks = &pmk_arm11_callbacks,
	.system = &in_system,
	.programs = &pmk_arm_programs,
	.counts = &pmk_arm11_counts,
};
