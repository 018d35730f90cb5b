/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles DC ZVA, which writes a block of memory, but which QEMU does not report as an access. pmk
 * reads the address from its register after the instruction.
 *
 * Translated code keeps registers of the program in registers of the host. It writes all of them
 * back to QEMU's memory before it calls QEMU's function for the instruction. So a callback before
 * the next instruction finds the address there, in every release. If the DC ZVA is the last
 * instruction of the translated block, pmk must use a callback before the DC ZVA. That callback
 * finds the address, too, if the block has not written the register before. Since 9.0, a callback
 * can request registers, and then always finds them.
 */
#ifndef PMK_PRODUCER_QEMU_ZERO_H
#define PMK_PRODUCER_QEMU_ZERO_H

#include <stdbool.h>
#include <stddef.h>

#include <pmk/isa.h>

/* Returns the number of bytes that DC ZVA writes on the processor that QEMU emulates. */
unsigned pmk_zero_bytes(bool system);

/* True if one of the first `n` instructions writes the register. */
bool pmk_zero_is_written(const struct pmk_insn *in, size_t n, unsigned reg);

#endif
