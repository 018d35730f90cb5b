// SPDX-License-Identifier: MIT
/*
 * See suits.h. What counts is the processor that QEMU emulates, not the core that pmk models: an
 * ARM1156 has Thumb-2, but QEMU has no ARM1156 and runs an ARM1176 in its place.
 *
 * A program for ARMv6K or ARMv6KZ is let through on ARMv6. What these add is a handful of
 * instructions that compilers rarely make, and cross compilers are often set to ARMv6K.
 */
#include "count/suits.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define V5TEJ ((1u << (PMK_ARM_V5TEJ + 1)) - 1) /* that and everything before it */
#define V6    (V5TEJ | 1u << PMK_ARM_V6 | 1u << PMK_ARM_V6K | 1u << PMK_ARM_V6KZ)

/* By QEMU's names; "arm1136-r2" is an ARM1136 of revision 0. All ARM ones have VFPv2 in QEMU. */
static const struct processor {
	const char *qemu_cpu, *arch;
	uint32_t runs; /* a bit for each Tag_CPU_arch */
} processors[] = {
	{ "arm926", "ARMv5TEJ", V5TEJ },
	{ "arm946", "ARMv5TE", V5TEJ },
	{ "arm1026", "ARMv5TEJ", V5TEJ },
	{ "arm1136-r2", "ARMv6", V6 },
	{ "arm1136", "ARMv6K", V6 },
	{ "arm1176", "ARMv6KZ", V6 },
	{ "arm11mpcore", "ARMv6K", V6 },
	{ "cortex-a53", "ARMv8.0-A", UINT32_MAX },
	{ "cortex-a72", "ARMv8.0-A", UINT32_MAX },
};

static const struct processor *find(const char *qemu_cpu)
{
	/* Options of -cpu follow a comma. */
	size_t n = strcspn(qemu_cpu, ",");

	for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++)
		if (strlen(processors[i].qemu_cpu) == n &&
		    !strncmp(processors[i].qemu_cpu, qemu_cpu, n))
			return &processors[i];
	return NULL;
}

const char *pmk_suits_arch(const char *qemu_cpu)
{
	const struct processor *p = find(qemu_cpu);

	return p ? p->arch : NULL;
}

bool pmk_suits_lacks(const char *qemu_cpu, const struct pmk_arm_attributes *built, char *what,
		     size_t size)
{
	const struct processor *p = find(qemu_cpu);
	const char *lacks = NULL;

	if (!p || !built->said)
		return false;
	if (built->arch >= 32 || !(p->runs >> built->arch & 1))
		lacks = pmk_arm_arch_name(built->arch);
	else if (built->thumb == 2)
		lacks = "Thumb-2";
	else if (built->simd)
		lacks = "Advanced SIMD (NEON)";
	else if (built->fp > 2)
		lacks = "VFPv3 or later";
	else if (built->div == 2)
		lacks = "division instructions";
	if (lacks)
		snprintf(what, size, "%s", lacks);
	return lacks != NULL;
}
