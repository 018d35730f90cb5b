/* SPDX-License-Identifier: GPL-2.0-or-later */
/* General registers of the running vCPU: by the plugin interface, or before 9.0 by the function
 * that QEMU has for debuggers, where emulators export it. */
#ifndef PMK_PRODUCER_QEMU_REGISTERS_H
#define PMK_PRODUCER_QEMU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct pmk_qemu_glue;

/* True if this emulator shows registers. */
bool pmk_registers_are_shown(const struct pmk_qemu_glue *glue);
/* Read X`reg` of A64. Returns false if this emulator does not show it. */
bool pmk_registers_read_a64(const struct pmk_qemu_glue *glue, unsigned reg, bool big_endian,
			    uint64_t *value);
/* The same with R`reg` of AArch32, of little-endian firmware. */
bool pmk_registers_read_a32(const struct pmk_qemu_glue *glue, unsigned reg, uint64_t *value);

#endif
