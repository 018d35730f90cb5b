// SPDX-License-Identifier: MIT
/* The ARM11 family of cores. */
#include "cpu/arm11/arm11.h"
#include "cpu/family.h"
#include "cpu/thumb.h"

const struct pmk_core_decoder pmk_arm11_decoder = {
	.init = pmk_arm_decoder_init,
	.decode = pmk_arm11_decode,
	.pc_flags = 1,
};

static const struct pmk_core_builder builder = {
	.build = pmk_arm11_build,
	.branch = pmk_arm11_branch,
};

static const struct pmk_core_run run = {
	.init = pmk_arm11_init,
	.fini = pmk_arm11_fini,
	.forked = pmk_arm11_forked,
	.forget = pmk_cpu_forget,
	.is_under_way = pmk_arm11_is_under_way,
	.drop = pmk_arm11_drop,
};

static const struct pmk_core_system in_system = {
	.vector = pmk_arm_vector,
	.control =
		PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE | PMK_CONTROL_PREDICTOR,
	.control_by = PMK_CONTROL_BY_A32,
};

const struct pmk_core_family pmk_family_arm11 = {
	.name = "arm11",
	.isa = "arm",
	.untimed_kind = "SIMD or VFP instructions that no ARM11 has",
	.params = &pmk_arm11_params,
	.decoder = &pmk_arm11_decoder,
	.builder = &builder,
	.run = &run,
	.callbacks = &pmk_arm11_callbacks,
	.system = &in_system,
	.programs = &pmk_arm_programs,
	.counts = &pmk_arm11_counts,
};
