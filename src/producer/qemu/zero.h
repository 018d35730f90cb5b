/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that write a block of memory and that QEMU does not report as accesses: DC ZVA. The
 * address is read from its register after the instruction.
 *
 * Translated code keeps registers of the program in registers of the host. Before it calls
 * QEMU's function for the instruction, it writes all of them back, so that a callback before the
 * next instruction finds its address in QEMU's memory, in every release. If the DC ZVA is the
 * last instruction of the translated block, the callback comes before it. That is equivalent if
 * the block has not written the register before; a callback that requests registers (since 9.0)
 * finds them in any case.
 */
#ifndef PMK_PRODUCER_QEMU_ZERO_H
#define PMK_PRODUCER_QEMU_ZERO_H

#include <stdbool.h>
#include <stddef.h>

#include <pmk/isa.h>

/* The number of bytes that such an instruction writes on the processor that QEMU emulates. */
unsigned pmk_zero_bytes(bool system);

/* True if any of the first `n` instructions writes the register. */
bool pmk_zero_is_written(const struct pmk_insn *in, size_t n, unsigned reg);

#endif
