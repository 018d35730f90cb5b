/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The addresses of prefetch instructions (PLD, PRFM), which the emulator does not report. They are
 * computed from the address of a load or store that is in the block of the prefetch and uses its
 * base register.
 */
#ifndef PMK_PRODUCER_QEMU_PRELOAD_H
#define PMK_PRODUCER_QEMU_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmk_insn;

/*
 * Find a load or store among the instructions [first, last) of a block from which the address of
 * the prefetch instruction `i` follows. Returns false if there is none. The prefetch is *distance
 * bytes after its first byte.
 */
bool pmk_preload_find(const struct pmk_insn *in, size_t first, size_t last, size_t i,
		      size_t *access, int64_t *distance);

#endif
