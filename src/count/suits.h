/* SPDX-License-Identifier: MIT */
/* Can the emulated processor run a program? ELF attributes of ARM tell; of other machines nothing
 * is known. */
#ifndef PMK_COUNT_SUITS_H
#define PMK_COUNT_SUITS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/attributes.h"

/* The architecture of the processor that QEMU's -cpu names, "ARMv6KZ"; NULL: anything may run on
 * it. */
const char *pmk_suits_arch(const char *qemu_cpu);

/* What the file was built for that this processor lacks, "ARMv7", "Thumb-2"; false: it can run. */
bool pmk_suits_lacks(const char *qemu_cpu, const struct pmk_arm_attributes *built, char *what,
		     size_t size);

#endif
