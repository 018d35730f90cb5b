/* SPDX-License-Identifier: MIT */
/*
 * The families of cores of this build: of each the header with what is its own of structs that all have, and a word.
 * FAMILY(foo) stands for src/cpu/foo: pmk_family_foo, and the structs pmk_core_foo, pmk_block_foo and pmk_cpu_foo. The first one is what a core is taken
 * for before anybody has said what it is.
 */
#ifndef PMK_CPU_FAMILIES_H
#define PMK_CPU_FAMILIES_H

#include "cpu/a64/types.h"
#include "cpu/arm11/types.h"
#include "cpu/arm9/types.h"
#include "cpu/microblaze/types.h"

#define PMK_CORE_FAMILIES(FAMILY) FAMILY(arm11) FAMILY(arm9) FAMILY(a64) FAMILY(microblaze)

#endif
