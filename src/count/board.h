/* SPDX-License-Identifier: MIT */
/* Which core QEMU's boards have. */
#ifndef PMK_COUNT_BOARD_H
#define PMK_COUNT_BOARD_H

/* The name of the core that an emulator's command line (ended by NULL) asks for: that of -cpu, or
 * what the board of -M has without one. NULL: none of those that are counted as. */
const char *pmk_board_core(char *const *argv);
/* The same, if it executes code of 32 bits alone. */
const char *pmk_board_of_32_bits(char *const *argv);
/* The same, if it is of ARMv7-A, whose code says no more than that. */
const char *pmk_board_armv7(char *const *argv);

#endif
