/* SPDX-License-Identifier: MIT */
/* Checks whether the emulated processor can run a program, from ARM's ELF attributes. Files for
 * other machines have none. */
#ifndef PMK_COUNT_COMPAT_H
#define PMK_COUNT_COMPAT_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/config.h"
#include "profile/attributes.h"

/* Returns the processor that decides what programs this core can run: the one that QEMU emulates
 * (-cpu), or "arm1156", for which QEMU emulates a Cortex-A8. */
const char *pmk_compat_processor(const struct pmk_core *core);

/* Returns the architecture of a processor, for example "ARMv6KZ". NULL: it runs any program. */
const char *pmk_compat_arch(const char *processor);

/* Writes into `what` the feature of the file that the processor lacks, for example "ARMv7" or
 * "Thumb-2". Returns false if the processor can run the file. */
bool pmk_compat_lacks(const char *processor, const struct pmk_arm_attributes *built, char *what,
		      size_t size);

#endif
