/* SPDX-License-Identifier: MIT */
/*
 * The families of cores of this build, a word each: FAMILY(foo) stands for pmk_family_foo of src/cpu/foo. The first
 * one is what a core is taken for before anybody has said what it is.
 */
#ifndef PMK_CPU_FAMILIES_H
#define PMK_CPU_FAMILIES_H

#define PMK_CORE_FAMILIES(FAMILY) FAMILY(arm11) FAMILY(arm9) FAMILY(a64) FAMILY(microblaze)

#endif
