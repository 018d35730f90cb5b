/* SPDX-License-Identifier: MIT */
/*
 * The build attributes of an ARM executable: the instructions that its compiler was allowed to use.
 * "Addenda to, and Errata in, the ABI for the Arm Architecture" (ADDENDA32), sections 3.2 (format)
 * and 3.3 (tags); the numbers below are from this document. The linker gives an executable the
 * maximum of each attribute over its object files.
 */
#ifndef PMK_PROFILE_ATTRIBUTES_H
#define PMK_PROFILE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of Tag_CPU_arch that pmk uses. */
enum {
	PMK_ARM_V5TE = 4,
	PMK_ARM_V5TEJ = 5,
	PMK_ARM_V6 = 6,
	PMK_ARM_V6KZ = 7,
	PMK_ARM_V6T2 = 8,
	PMK_ARM_V6K = 9,
	PMK_ARM_V7 = 10,
	PMK_ARM_V6M = 11,
	PMK_ARM_V6SM = 12,
	PMK_ARM_V7EM = 13,
	PMK_ARM_V8A = 14,
	PMK_ARM_V8R = 15,
	PMK_ARM_V8M_BASELINE = 16,
	PMK_ARM_V8M = 17,
	PMK_ARM_V8_1M = 21,
};

/* Values of Tag_FP_arch and Tag_Advanced_SIMD_arch that pmk uses. */
enum {
	PMK_ARM_VFPV2 = 2,
	PMK_ARM_VFPV3_D16 = 4,
	PMK_ARM_VFPV4_D16 = 6,
	PMK_ARM_SIMD = 1,
	PMK_ARM_SIMD_FMA = 2,
};

struct pmk_arm_attributes {
	/* False: there are no attributes, or they could not be read; all other members are then
	 * 0. */
	bool said;
	uint64_t arch;	  /* Tag_CPU_arch */
	uint64_t profile; /* Tag_CPU_arch_profile: a letter, or 0 */
	uint64_t thumb;	  /* Tag_THUMB_ISA_use: 0 none, 1 16-bit, 2 Thumb-2, 3 as in `arch` */
	uint64_t fp;   /* Tag_FP_arch: 1 VFPv1, 2 VFPv2, 3 and 4 VFPv3, 5 and 6 VFPv4, then ARMv8 */
	uint64_t simd; /* Tag_Advanced_SIMD_arch: 0 none, 1 NEON, 2 with VFPv4, 3 and more ARMv8 */
	uint64_t div;  /* Tag_DIV_use: 2 division in ARM state, even if `arch` lacks it */
};

/* Reads the contents of the section .ARM.attributes. If that fails, `said` is false. */
void pmk_arm_attributes_read(struct pmk_arm_attributes *a, const uint8_t *data, size_t size,
			     bool big_endian);

/* pmk_arm_is_microcontroller() returns true if the file is built for a Cortex-M,
 * pmk_arm_is_real_time() if it is built for a Cortex-R. */
bool pmk_arm_is_microcontroller(const struct pmk_arm_attributes *a);
bool pmk_arm_is_real_time(const struct pmk_arm_attributes *a);

/*
 * Returns the name of an architecture: "ARMv7", or "architecture 99" for an unknown number. It is
 * valid until the next call from this thread.
 */
const char *pmk_arm_arch_name(uint64_t arch);

#endif
