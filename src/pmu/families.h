/* SPDX-License-Identifier: MIT */
/*
 * The families of this build. Each has the name of its folder, and its PMUs in the order of `pmk
 * list`.
 * FAMILY(foo) stands for the models pmk_foo_models[], PMU(bar) for pmk_bar. src/meson.build finds a
 * family's files by this list. Firmware does not use this list, because it names its own PMU.
 */
#ifndef PMK_PMU_FAMILIES_H
#define PMK_PMU_FAMILIES_H

/* clang-format off */
#define PMK_FAMILIES(FAMILY, PMU) \
	FAMILY(arm11) PMU(arm1136_r0) PMU(arm1136) PMU(arm1156) PMU(arm1176) PMU(arm11mpcore) \
	FAMILY(armv8) PMU(cortex_a53) PMU(cortex_a55) PMU(cortex_a57) PMU(cortex_a72) \
		      PMU(neoverse_n1) PMU(armv8) PMU(armv8_long) PMU(cortex_a7) \
		      PMU(cortex_a8) PMU(cortex_a9) PMU(cortex_a15) PMU(cortex_m) \
	FAMILY(ahbmon) PMU(ahbmon) \
	FAMILY(l2cc) PMU(l210) PMU(l220) \
	FAMILY(microblaze) PMU(microblaze) \
	FAMILY(riscv) PMU(riscv64) PMU(riscv32) \
	FAMILY(armv81m) PMU(cortex_m55) \
	FAMILY(dwt) PMU(dwt)
/* clang-format on */

#define PMK_NOTHING(name)

#endif
