/* SPDX-License-Identifier: MIT */
/*
 * Rows of the parameters of memory, which several families of cores share: see cpu/sdram.h.
 */
#ifndef PMK_CPU_KEYS_H
#define PMK_CPU_KEYS_H

#include "cpu/config.h"

/* clang-format off */
#define PMK_CORE_SDRAM_KEYS \
	PMK_CORE_KEY(mem_serial,         "mem.serial", 0, 0, 1, 'b', \
		"memory answers one read before it takes the next"), \
	PMK_CORE_KEY(sdram_banks,        "sdram.banks", 1, 1, 16, 'p', \
		"banks of SDRAM, each of which keeps a row open"), \
	PMK_CORE_KEY(sdram_row,          "sdram.row", 2048, 256, 65536, 'q', \
		"bytes of a row of SDRAM"), \
	PMK_CORE_KEY(sdram_row_miss,     "sdram.row_miss", 0, 0, 1000, 'n', \
		"cycles more for a read of a row that is not open"), \
	PMK_CORE_KEY(sdram_refresh,      "sdram.refresh", 0, 0, 1000000, 'n', \
		"cycles from one refresh to the next, each of which closes all rows; 0: none"), \
	PMK_CORE_KEY(sdram_refresh_busy, "sdram.refresh_busy", 0, 0, 1000, 'n', \
		"cycles that a refresh keeps the SDRAM busy")
/* clang-format on */

#endif
