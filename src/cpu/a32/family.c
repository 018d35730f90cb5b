// SPDX-License-Identifier: MIT
/* The families of cores that run ARMv7 or ARMv8's AArch32 state. */
#include "cpu/family.h"

#include "cpu/a32/a32.h"
#include "cpu/thumb.h"

/* In system emulation, exceptions are not classified: pmk does not decode which vector belongs to
 * which exception. */
static struct pmk_signal_set raises(const struct pmk_core *core)
{
	static const uint8_t unknown[] = {
		PMK_SIG_EXC_TAKEN,  PMK_SIG_EXC_SVC,   PMK_SIG_EXC_HVC,
		PMK_SIG_EXC_SMC,    PMK_SIG_EXC_UNDEF, PMK_SIG_EXC_PABORT,
		PMK_SIG_EXC_DABORT, PMK_SIG_EXC_IRQ,   PMK_SIG_EXC_FIQ,
	};
	struct pmk_signal_set set = pmk_a64_raises(core);

	for (size_t i = 0; core && core->system && i < sizeof(unknown); i++)
		set.bits[unknown[i] / 64] &= ~(UINT64_C(1) << unknown[i] % 64);
	return set;
}

/* The list of A64 without returns: a conditional return counts when it is taken. */
static const uint8_t mix[] = {
	PMK_SIG_INSN,		PMK_SIG_BRANCH,	 PMK_SIG_BR_IMM,  PMK_SIG_BR_INDIRECT,
	PMK_SIG_BR_PREDICTABLE, PMK_SIG_DP,	 PMK_SIG_ASE,	  PMK_SIG_VFP,
	PMK_SIG_CRYPTO,		PMK_SIG_ISB,	 PMK_SIG_DSB,	  PMK_SIG_DMB,
	PMK_SIG_EXC_SVC,	PMK_SIG_EXC_HVC, PMK_SIG_EXC_SMC, PMK_SIG_EXC_UNDEF,
	PMK_SIG_EXC_TAKEN,	PMK_SIG_CYCLE,
};

static const uint16_t elf_machines[] = { 40, 0 };

static const struct pmk_core_target targets[] = {
	{ .name = "arm" },
	{ .name = "aarch64", .only_system = true }, /* this emulator has ARM boards, too */
	{ .name = NULL },
};

const struct pmk_core_family pmk_family_a32 = {
	.name = "a32",
	.isa = "a32",
	.keys = pmk_a64_keys,
	.check = pmk_a64_check,
	.init = pmk_a64_init,
	.fini = pmk_a64_fini,
	.forked = pmk_a64_forked,
	.forget = pmk_a64_forget,
	.build = pmk_a64_build,
	.keeps = pmk_a64_keeps,
	.keep = pmk_a64_keep,
	.decoder_init = pmk_arm_decoder_init,
	.decode = pmk_a32_decode,
	.pc_flags = 1,
	.may_trap = PMK_K_MAY_TRAP,
	.on_block = pmk_a32_on_block,
	.watch = pmk_a32_watch,
	.test = pmk_a32_test,
	.tables = pmk_a64_tables,
	.levels_of_blocks = true,
	.vector = pmk_a32_vector,
	.is_under_way = pmk_a64_is_under_way,
	.drop = pmk_a64_drop,
	.linux_abi = &pmk_linux_arm,
	.stack_pointer = "sp",
	.stack_word = 4,
	.elf_machines = elf_machines,
	.targets = targets,
	.fact_signal = pmk_a64_signal,
	.nfacts = PMK_A64_NFACTS,
	.counted = pmk_a64_counted,
	.control = PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.raises = raises,
	.mix = mix,
	.data = pmk_a64_data,
	.fetch = pmk_a64_fetch,
	.on_fetch = pmk_a64_on_fetch,
	.lines = pmk_a64_lines,
	.on_lines = pmk_a64_on_lines,
	.derive = pmk_a64_derive,
	.insns_per_cycle = pmk_a64_insns_per_cycle,
};
