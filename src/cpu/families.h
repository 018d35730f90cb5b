/* SPDX-License-Identifier: MIT */
/*
 * The families of cores of this build: of each the header with its own members of what all cores have, and a word.
 * FAMILY(foo) stands for src/cpu/foo: pmk_family_foo and struct pmk_core_foo. The first one is what a core is taken
 * for before anybody has said what it is.
 */
#ifndef PMK_CPU_FAMILIES_H
#define PMK_CPU_FAMILIES_H

#include "cpu/a64/params.h"
#include "cpu/arm11/params.h"
#include "cpu/arm9/params.h"
#include "cpu/microblaze/params.h"

#define PMK_CORE_FAMILIES(FAMILY) FAMILY(arm11) FAMILY(arm9) FAMILY(a64) FAMILY(microblaze)

#endif
