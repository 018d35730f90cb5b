/* SPDX-License-Identifier: MIT */
/*
 * The families of cores of this build. Each has its header here, and a row in the list. FAMILY(foo)
 * stands for src/cpu/foo: the object pmk_family_foo, and the structs pmk_core_foo, pmk_block_foo
 * and pmk_cpu_foo. A core is of the first family until another one is chosen.
 */
#ifndef PMK_CPU_FAMILIES_H
#define PMK_CPU_FAMILIES_H

#include "cpu/a32/types.h"
#include "cpu/a64/types.h"
#include "cpu/arm11/types.h"
#include "cpu/arm9/types.h"
#include "cpu/cortexm/types.h"
#include "cpu/microblaze/types.h"

#define PMK_CORE_FAMILIES(FAMILY) \
	FAMILY(arm11) FAMILY(arm9) FAMILY(a64) FAMILY(a32) FAMILY(microblaze) FAMILY(cortexm)

#endif
