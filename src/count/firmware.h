/* SPDX-License-Identifier: MIT */
/* The addresses that the firmware of a Cortex-M uses, and the first one at which its board has
 * no memory. */
#ifndef PMK_COUNT_FIRMWARE_H
#define PMK_COUNT_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/board.h"

struct pmk_firmware {
	const struct pmk_board *board;
	/* Lowest address of its contents. If `has_table`, a vector table is there, which begins
	 * with the stack pointer and the address of the first instruction. */
	uint64_t start;
	bool has_table;
	uint64_t sp, reset;
	/* If `absent`, the firmware has data at `absent_at`, where the board has no memory. */
	uint64_t absent_at;
	bool absent;
};

/* Fills *f, except for `board`. Returns false if the firmware cannot run: `why` says the reason and
 * what to do, without the file's name. */
bool pmk_firmware_place(struct pmk_firmware *f, const char *path, char *why, size_t size);

#endif
