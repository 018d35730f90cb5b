// SPDX-License-Identifier: MIT
/* The ARM11 family of cores. */
#include "cpu/arm11/family.h"

/* A core that folds branches can retire two instructions in a cycle. */
static uint64_t insns_per_cycle(const struct pmk_core *core)
{
	(void)core;
	return 2;
}

static const struct pmk_core_params params = {
	.keys = pmk_arm11_keys,
	.check = pmk_arm11_check,
};

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

const struct pmk_core_callbacks pmk_arm11_callbacks = {
	.on_block = pmk_arm11_on_block,
	.on_fetch = pmk_arm11_on_fetch,
	.watch = pmk_arm11_watch,
	.test = pmk_arm11_test,
	.tables = pmk_arm11_tables,
};

static const struct pmk_core_system in_system = {
	.vector = pmk_arm_vector,
	.control =
		PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE | PMK_CONTROL_PREDICTOR,
	.control_by = PMK_CONTROL_BY_A32,
};

const struct pmk_core_counts pmk_arm11_counts = {
	.fact_signal = pmk_arm11_signal,
	.nfacts = PMK_ARM11_NFACTS,
	.untimed = PMK_ARM11_FACT_UNTIMED,
	.raises = pmk_arm11_raises,
	.mix = pmk_arm11_mix,
	.data = pmk_arm11_data,
	.fetch = pmk_arm11_fetch,
	.counted = pmk_arm11_counted,
	.beside = pmk_arm11_beside,
	.derive = pmk_arm11_derive,
	.insns_per_cycle = insns_per_cycle,
};

const struct pmk_core_family pmk_family_arm11 = {
	.name = "arm11",
	.isa = "arm",
	.untimed_kind = "SIMD or VFP instructions that no ARM11 has",
	.params = &params,
	.decoder = &pmk_arm11_decoder,
	.builder = &builder,
	.run = &run,
	.callbacks = &pmk_arm11_callbacks,
	.system = &in_system,
	.programs = &pmk_arm_programs,
	.counts = &pmk_arm11_counts,
};
