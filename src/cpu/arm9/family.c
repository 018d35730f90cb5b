// SPDX-License-Identifier: MIT
/* The ARM926EJ-S family of cores, on the Development Chip. */
#include "cpu/arm11/family.h"
#include "cpu/arm9/arm9.h"

extern const struct pmk_core_family pmk_family_arm11;

const struct pmk_core_family pmk_family_arm9 = {
	.name = "arm9",
	PMK_ARM11_MEMBERS,
	.untimed_kind = "floating-point ones (VFP)",
	.pmu = "ahbmon",
	.like = &pmk_family_arm11,
	.attach = pmk_arm9_attach,
	.keys = pmk_arm9_keys,
	.check = pmk_arm9_check,
	.was_set = pmk_arm9_was_set,
	.control = PMK_CONTROL_MMU | PMK_CONTROL_DCACHE | PMK_CONTROL_ICACHE,
	.init = pmk_arm9_init,
	.build = pmk_arm9_build,
};
