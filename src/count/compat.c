// SPDX-License-Identifier: MIT
/*
 * Checks whether the processor that QEMU emulates for a core can run a program: see compat.h. For
 * an ARM1156 QEMU emulates a Cortex-A8, which can do more, so the check uses a row of its own for
 * this core.
 *
 * A program for ARMv6K or ARMv6KZ is accepted on ARMv6. These versions add only a few instructions,
 * which compilers rarely emit, and cross compilers are often configured for ARMv6K.
 */
#include "count/compat.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define V5TEJ ((1u << (PMK_ARM_V5TEJ + 1)) - 1) /* ARMv5TEJ and all earlier architectures */
#define V6    (V5TEJ | 1u << PMK_ARM_V6 | 1u << PMK_ARM_V6K | 1u << PMK_ARM_V6KZ)
#define V6T2  (V6 | 1u << PMK_ARM_V6T2)
#define V7    (V6T2 | 1u << PMK_ARM_V7)
#define V8    (V7 | 1u << PMK_ARM_V8A)
#define V6M   (1u << PMK_ARM_V6M | 1u << PMK_ARM_V6SM)
#define V7M   (V6M | 1u << PMK_ARM_V7)
#define V7EM  (V7M | 1u << PMK_ARM_V7EM)
#define V8M   (V7EM | 1u << PMK_ARM_V8M_BASELINE | 1u << PMK_ARM_V8M)

/* QEMU's processors, by QEMU's names, and the ARM1156, which QEMU does not have. "arm1136-r2" is an
 * ARM1136 of revision 0. The only ARMv8 processor of the user-mode emulator is "max". */
static const struct processor {
	const char *name, *arch;
	uint32_t runs;	  /* one bit for each Tag_CPU_arch */
	bool thumb2, div; /* `div`: division also in ARM state */
	uint8_t fp, simd; /* the highest Tag_FP_arch and Tag_Advanced_SIMD_arch */
	bool m;		  /* true for the M profile */
} processors[] = {
	{ "arm926", "ARMv5TEJ", V5TEJ, false, false, PMK_ARM_VFPV2, 0 },
	{ "arm946", "ARMv5TE", V5TEJ, false, false, PMK_ARM_VFPV2, 0 },
	{ "arm1026", "ARMv5TEJ", V5TEJ, false, false, PMK_ARM_VFPV2, 0 },
	{ "arm1136-r2", "ARMv6", V6, false, false, PMK_ARM_VFPV2, 0 },
	{ "arm1136", "ARMv6K", V6, false, false, PMK_ARM_VFPV2, 0 },
	{ "arm1176", "ARMv6KZ", V6, false, false, PMK_ARM_VFPV2, 0 },
	{ "arm1156", "ARMv6T2", V6T2, true, false, PMK_ARM_VFPV2, 0 },
	{ "arm11mpcore", "ARMv6K", V6, false, false, PMK_ARM_VFPV2, 0 },
	{ "cortex-a7", "ARMv7-A", V7, true, true, PMK_ARM_VFPV4_D16, PMK_ARM_SIMD_FMA },
	{ "cortex-a8", "ARMv7-A", V7, true, false, PMK_ARM_VFPV3_D16, PMK_ARM_SIMD },
	{ "cortex-a9", "ARMv7-A", V7, true, false, PMK_ARM_VFPV3_D16, PMK_ARM_SIMD },
	{ "cortex-a15", "ARMv7-A", V7, true, true, PMK_ARM_VFPV4_D16, PMK_ARM_SIMD_FMA },
	{ "cortex-a53", "ARMv8.0-A", V8, true, true, UINT8_MAX, UINT8_MAX },
	{ "cortex-a72", "ARMv8.0-A", V8, true, true, UINT8_MAX, UINT8_MAX },
	{ "cortex-m0", "ARMv6-M", V6M, true, false, 0, 0, true },
	{ "cortex-m0plus", "ARMv6-M", V6M, true, false, 0, 0, true },
	{ "cortex-m3", "ARMv7-M", V7M, true, true, 0, 0, true },
	{ "cortex-m4", "ARMv7E-M", V7EM, true, true, PMK_ARM_VFPV4_D16, 0, true },
	{ "cortex-m7", "ARMv7E-M", V7EM, true, true, UINT8_MAX, 0, true },
	{ "cortex-m33", "ARMv8-M mainline", V8M, true, true, UINT8_MAX, 0, true },
	{ "max", "ARMv8-A", V8, true, true, UINT8_MAX, UINT8_MAX },
};

static const struct processor *find_processor(const char *name)
{
	/* Options of -cpu follow a comma. */
	size_t n = strcspn(name, ",");

	for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++)
		if (strlen(processors[i].name) == n && !strncmp(processors[i].name, name, n))
			return &processors[i];
	return NULL;
}

const char *pmk_compat_processor(const struct pmk_core *core)
{
	const struct processor *p = find_processor(core->qemu_cpu);

	return core->thumb2 && p && p->thumb2 ? "arm1156" : core->qemu_cpu;
}

const char *pmk_compat_arch(const char *processor)
{
	const struct processor *p = find_processor(processor);

	return p ? p->arch : NULL;
}

bool pmk_compat_lacks(const char *processor, const struct pmk_arm_attributes *built, char *what,
		      size_t size)
{
	const struct processor *p = find_processor(processor);
	const char *lacks = NULL;

	if (!p || !built->said)
		return false;
	if (p->m != pmk_arm_is_microcontroller(built))
		lacks = p->m ? "another profile than M" : "the M profile (Cortex-M)";
	else if (built->arch >= 32 || !(p->runs >> built->arch & 1))
		lacks = pmk_arm_arch_name(built->arch);
	else if (built->thumb == 2 && !p->thumb2)
		lacks = "Thumb-2";
	else if (built->simd > p->simd)
		lacks = p->simd ? "a later Advanced SIMD (NEON)" : "Advanced SIMD (NEON)";
	else if (built->fp > p->fp)
		lacks = p->fp <= PMK_ARM_VFPV2	     ? "VFPv3 or later"
			: p->fp <= PMK_ARM_VFPV3_D16 ? "VFPv4 or later"
						     : "ARMv8's floating point";
	else if (built->div == 2 && !p->div)
		lacks = "division instructions";
	if (lacks)
		snprintf(what, size, "%s", lacks);
	return lacks != NULL;
}
