/* SPDX-License-Identifier: MIT */
/* The boards and processors of QEMU, and the cores that pmk uses for them. */
#ifndef PMK_COUNT_BOARD_H
#define PMK_COUNT_BOARD_H

#include <stdint.h>

/* A range of addresses; `last` belongs to it. */
struct pmk_memory {
	uint64_t first, last;
};

/* A board of QEMU for firmware. An instruction takes 2^shift ns (-icount), which is close to its
 * time with the clock of the board. The vector table is at `flash`. `memory` ends with a range
 * whose `last` is 0. */
struct pmk_board {
	const char *name, *cpu;
	uint64_t flash;
	unsigned shift;
	const struct pmk_memory *memory;
};

/* Returns the board for firmware whose code is at `code_start`. NULL: pmk knows no board that has
 * QEMU's processor `cpu` and memory at this address. */
const struct pmk_board *pmk_board_of_firmware(const char *cpu, uint64_t code_start);

/* Returns the shift of -icount for the board of -M. */
unsigned pmk_board_shift(char *const *argv);

/* Returns the name of the core that an emulator's command line (ended by NULL) selects: the core
 * of -cpu, or the default core of the board of -M. NULL: pmk does not have that core. */
const char *pmk_board_core(char *const *argv);
/* Like pmk_board_core(), but only for cores that execute only 32-bit code; NULL for others. */
const char *pmk_board_of_32_bits(char *const *argv);
/* Like pmk_board_core(), but only for ARMv7-A and Cortex-M; NULL for others. The code does not show
 * which of these cores it is for. */
const char *pmk_board_armv7(char *const *argv);

#endif
