/* SPDX-License-Identifier: MIT */
/* The cores of QEMU's boards. */
#ifndef PMK_COUNT_BOARD_H
#define PMK_COUNT_BOARD_H

/* The name of the core that an emulator's command line (ended by NULL) selects: that of -cpu, or
 * the default of the board of -M. NULL: pmk has no such core. */
const char *pmk_board_core(char *const *argv);
/* The same, only if the core executes just 32-bit code. */
const char *pmk_board_of_32_bits(char *const *argv);
/* The same, only if the core is an ARMv7-A, which the code itself does not show. */
const char *pmk_board_armv7(char *const *argv);

#endif
