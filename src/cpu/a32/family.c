// SPDX-License-Identifier: MIT
/* The family of cores that run ARMv7 or ARMv8's AArch32 state. */
#include "cpu/a32/a32.h"
#include "cpu/family.h"
#include "cpu/thumb.h"

/* In system emulation, exceptions are not counted, because the emulator does not show where the
 * vectors are (VBAR). */
static struct pmk_signal_set raises(const struct pmk_core *core)
{
	static const uint8_t unknown[] = {
		PMK_SIG_EXC_TAKEN, PMK_SIG_EXC_SVC,    PMK_SIG_EXC_HVC,	   PMK_SIG_EXC_SMC,
		PMK_SIG_EXC_UNDEF, PMK_SIG_EXC_PABORT, PMK_SIG_EXC_DABORT, PMK_SIG_EXC_IRQ,
		PMK_SIG_EXC_FIQ,   PMK_SIG_CYCLE,
	};
	struct pmk_signal_set set = pmk_a64_raises(core);

	if (core->system)
		pmk_signals_remove(&set, unknown);
	return set;
}

/* The list of A64 without two kinds of signals. Returns are left out, because a conditional return
 * counts only when it is taken. Look-ups are left out, because AArch32 has no DC ZVA. */
static const uint8_t mix[] = {
	PMK_SIG_INSN,		PMK_SIG_BRANCH,	 PMK_SIG_BR_IMM,  PMK_SIG_BR_INDIRECT,
	PMK_SIG_BR_PREDICTABLE, PMK_SIG_DP,	 PMK_SIG_ASE,	  PMK_SIG_VFP,
	PMK_SIG_CRYPTO,		PMK_SIG_ISB,	 PMK_SIG_DSB,	  PMK_SIG_DMB,
	PMK_SIG_EXC_SVC,	PMK_SIG_EXC_HVC, PMK_SIG_EXC_SMC, PMK_SIG_EXC_UNDEF,
	PMK_SIG_EXC_TAKEN,	PMK_SIG_CYCLE,
};

static const struct pmk_core_decoder decoder = {
	.init = pmk_arm_decoder_init,
	.decode = pmk_a32_decode,
	.may_trap = PMK_K_MAY_TRAP,
	.pc_flags = 1,
};

static const struct pmk_core_callbacks callbacks = {
	.on_block = pmk_a32_on_block,
	.on_fetch = pmk_a64_on_fetch,
	.on_lines = pmk_a64_on_lines,
	.watch = pmk_a32_watch,
	.test = pmk_a32_test,
	.tables = pmk_a64_tables,
};

static const struct pmk_core_system in_system = {
	.vector = pmk_a32_vector,
	.levels_of_blocks = true,
	.control = PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.control_by = PMK_CONTROL_BY_A32,
};

static const struct pmk_core_counts counts = {
	.fact_signal = pmk_a64_signal,
	.nfacts = PMK_A64_NFACTS,
	.raises = raises,
	.mix = mix,
	.data = pmk_a64_data,
	.fetch = pmk_a64_fetch,
	.lines = pmk_a64_lines,
	.counted = pmk_a64_counted,
	.derive = pmk_a64_derive,
	.insns_per_cycle = pmk_a64_insns_per_cycle,
};

const struct pmk_core_family pmk_family_a32 = {
	.name = "a32",
	.isa = "a32",
	.params = &pmk_a64_params,
	.decoder = &decoder,
	.builder = &pmk_a64_builder,
	.run = &pmk_a64_run,
	.callbacks = &callbacks,
	.system = &in_system,
	.programs = &pmk_arm_programs,
	.counts = &counts,
};
