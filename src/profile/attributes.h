/* SPDX-License-Identifier: MIT */
/*
 * The build attributes of an ARM executable: what its compiler was allowed to use. "Addenda to, and
 * Errata in, the ABI for the Arm Architecture" (ADDENDA32), sections 3.2 (format) and 3.3 (tags);
 * the numbers below are the document's. Those of a linked file are the most that any of its objects
 * has.
 */
#ifndef PMK_PROFILE_ATTRIBUTES_H
#define PMK_PROFILE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tag_CPU_arch, as far as code asks for one by name. */
enum {
	PMK_ARM_V5TE = 4,
	PMK_ARM_V5TEJ = 5,
	PMK_ARM_V6 = 6,
	PMK_ARM_V6KZ = 7,
	PMK_ARM_V6T2 = 8,
	PMK_ARM_V6K = 9,
	PMK_ARM_V7 = 10,
	PMK_ARM_V8A = 14,
	PMK_ARM_V8R = 15,
};

/* Tag_FP_arch and Tag_Advanced_SIMD_arch, likewise. */
enum {
	PMK_ARM_VFPV2 = 2,
	PMK_ARM_VFPV3_D16 = 4,
	PMK_ARM_VFPV4_D16 = 6,
	PMK_ARM_SIMD = 1,
	PMK_ARM_SIMD_FMA = 2,
};

struct pmk_arm_attributes {
	bool said;	  /* there are any, and they could be read: else all is 0 */
	uint64_t arch;	  /* Tag_CPU_arch */
	uint64_t profile; /* Tag_CPU_arch_profile: a letter, or 0 */
	uint64_t thumb;	  /* Tag_THUMB_ISA_use: 0 none, 1 of 16 bits, 2 Thumb-2, 3 what arch has */
	uint64_t fp;   /* Tag_FP_arch: 1 VFPv1, 2 VFPv2, 3 and 4 VFPv3, 5 and 6 VFPv4, then ARMv8 */
	uint64_t simd; /* Tag_Advanced_SIMD_arch: 0 none, 1 NEON, 2 with VFPv4, 3 and more ARMv8 */
	uint64_t div;  /* Tag_DIV_use: 2 division in ARM state, beyond what arch has */
};

/* Read the contents of the section .ARM.attributes. What cannot be read leaves `said` false. */
void pmk_arm_attributes_read(struct pmk_arm_attributes *a, const uint8_t *data, size_t size,
			     bool big_endian);

/* The family of processors, none of which is an ARM11 or a Cortex-A, that it is built for:
 * "Cortex-M" or "Cortex-R"; NULL: it does not say so. */
const char *pmk_arm_other_profile(const struct pmk_arm_attributes *a);

/* "ARMv7"; "architecture 99" for a number that is not known. Valid until the next call from this
 * thread. */
const char *pmk_arm_arch_name(uint64_t arch);

#endif
