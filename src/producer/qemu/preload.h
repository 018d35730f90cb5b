/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the addresses of prefetch instructions (PLD, PRFM), which the emulator does not report.
 * They follow from the address of a load or store in the same block that uses the same base
 * register.
 */
#ifndef PMK_PRODUCER_QEMU_PRELOAD_H
#define PMK_PRODUCER_QEMU_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmk_insn;

/*
 * Finds a load or store among the instructions [first, last) of a block from whose address the
 * address of the prefetch instruction `i` follows. Returns false if there is none. Stores in
 * *distance how many bytes after the first accessed byte the prefetch is.
 */
bool pmk_preload_find(const struct pmk_insn *in, size_t first, size_t last, size_t i,
		      size_t *access, int64_t *distance);

#endif
