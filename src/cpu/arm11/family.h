/* SPDX-License-Identifier: MIT */
/* Common parts of the families of cores that run ARM code. */
#ifndef PMK_CPU_ARM11_FAMILY_H
#define PMK_CPU_ARM11_FAMILY_H

#include "cpu/arm11/arm11.h"
#include "cpu/family.h"
#include "cpu/thumb.h"

extern const uint16_t pmk_arm11_elf_machines[];
extern const struct pmk_core_target pmk_arm11_targets[];
uint64_t pmk_arm11_insns_per_cycle(const struct pmk_core *core);

/* Members of struct pmk_core_family that are the same for all families that run ARM code: all
 * except the parameters, the memory system and the pipeline. */
/* clang-format off */
#define PMK_ARM11_MEMBERS \
	.isa = "arm", .fini = pmk_arm11_fini, .forked = pmk_arm11_forked, \
	.branch = pmk_arm11_branch, .decoder_init = pmk_arm_decoder_init, \
	.decode = pmk_arm11_decode, .pc_flags = 1, .vector = pmk_arm_vector, \
	.is_under_way = pmk_arm11_is_under_way, .drop = pmk_arm11_drop, \
	.on_block = pmk_arm11_on_block, .watch = pmk_arm11_watch, \
	.test = pmk_arm11_test, .tables = pmk_arm11_tables, \
	.linux_abi = &pmk_linux_arm, \
	.stack_pointer = "sp", .stack_word = 4, \
	.elf_machines = pmk_arm11_elf_machines, .targets = pmk_arm11_targets, \
	.fact_signal = pmk_arm11_signal, .nfacts = PMK_ARM11_NFACTS, \
	.untimed = PMK_ARM11_FACT_UNTIMED, \
	.counted = pmk_arm11_counted, .beside = pmk_arm11_beside, \
	.raises = pmk_arm11_raises, \
	.mix = pmk_arm11_mix, .data = pmk_arm11_data, .fetch = pmk_arm11_fetch, \
	.on_fetch = pmk_arm11_on_fetch, .derive = pmk_arm11_derive, \
	.insns_per_cycle = pmk_arm11_insns_per_cycle
/* clang-format on */

#endif
