/* SPDX-License-Identifier: MIT */
/* Texts about an emulator that cannot be used: the cause, and the remedy. */
#ifndef PMK_COUNT_EMULATOR_H
#define PMK_COUNT_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "producer/qemu/find.h"

/* Size of the buffers for these texts. */
#define EMULATOR_TEXT (PATH_MAX + 300)

/* Write why pmk_qemu_find() rejected an emulator: for example, "/usr/bin/qemu-arm is linked
 * statically, so that it cannot load plugins". */
void pmk_emulator_cause(const struct pmk_qemu *q, const char *name, char *buf, size_t size);
/* Write one remedy, with a command if there is one. */
void pmk_emulator_remedy(const struct pmk_qemu *q, const char *name, char *buf, size_t size);

/* The remedy for an emulator that can load plugins, but none of pmk's. */
#define EMULATOR_OTHER_RELEASE                                                               \
	"set PMK_QEMU_DIR to the directory of another release; docs/install.md says how to " \
	"build one"

#endif
