/* SPDX-License-Identifier: MIT */
/* Can the emulated processor run a program? ELF attributes of ARM tell; of other machines nothing
 * is known. */
#ifndef PMK_COUNT_SUITS_H
#define PMK_COUNT_SUITS_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/config.h"
#include "profile/attributes.h"

/* The processor that a core is to a program: QEMU's -cpu, or another one where QEMU has not the
 * core's and runs a later one in its place. */
const char *pmk_suits_processor(const struct pmk_core *core);

/* The architecture of such a processor, "ARMv6KZ"; NULL: anything may run on it. */
const char *pmk_suits_arch(const char *processor);

/* What the file was built for that this processor lacks, "ARMv7", "Thumb-2"; false: it can run. */
bool pmk_suits_lacks(const char *processor, const struct pmk_arm_attributes *built, char *what,
		     size_t size);

#endif
