/* SPDX-License-Identifier: MIT */
/* Which core QEMU's boards have. */
#ifndef PMK_COUNT_BOARD_H
#define PMK_COUNT_BOARD_H

/* The name of the core that an emulator's command line (ended by NULL) asks for: that of -cpu, or
 * what the board of -M has without one. NULL: none of those that are counted as. */
const char *pmk_board_core(char *const *argv);
/* The same of processors of ARMv7-A, whose code says no more than that. */
const char *pmk_board_armv7(char *const *argv);
/* The name of the PMUv3 that stands for that of such a processor of 32 bits, or NULL. */
const char *pmk_board_aarch32(char *const *argv);

#endif
