/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * General registers of the running vCPU. If the emulator exports QEMU's own function for debuggers,
 * that reads them; otherwise the plugin interface does, which can since QEMU 9.0.
 */
#ifndef PMK_PRODUCER_QEMU_REGISTERS_H
#define PMK_PRODUCER_QEMU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct pmk_qemu_glue;

/* Choose the instruction set: QEMU calls its stack pointer `sp`, and registers have `bytes` bytes.
 * Call it once, before the other functions. */
void pmk_registers_begin(const struct pmk_qemu_glue *glue, const char *sp, unsigned bytes,
			 bool big_endian);
/* True if this emulator shows registers. */
bool pmk_registers_are_shown(void);
/* Read general register `reg`, by its number in the instruction set, or the stack pointer, which is
 * 31 in A64. Returns false if this emulator does not show it. */
bool pmk_registers_read(unsigned reg, uint64_t *value);
/* The exception level of the running vCPU, an AArch64 one; all of AArch32 above EL0 is 1. Negative
 * if this emulator does not show it. */
int pmk_registers_level(void);
/* Cortex-M: the number of the exception that the running vCPU handles, 0 if it handles none; *sp is
 * its stack pointer. Negative if this emulator does not show it. */
int pmk_registers_exception(uint32_t *sp);
/* Read the stack pointer. Returns 0 if this emulator does not show it. */
uint64_t pmk_registers_stack_pointer(void);

#endif
