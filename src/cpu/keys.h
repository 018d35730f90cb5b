/* SPDX-License-Identifier: MIT */
/* Rows for the parameters of memory, which several families of cores share. See cpu/sdram.h. */
#ifndef PMK_CPU_KEYS_H
#define PMK_CPU_KEYS_H

#include "cpu/config.h"

/* clang-format off */
#define PMK_CORE_SDRAM_KEYS \
	PMK_CORE_KEY(mem.serial,         "mem.serial", 0, 0, 1, 'b', \
		"memory finishes older reads and writes before it starts a read"), \
	PMK_CORE_KEY(sdram.banks,        "sdram.banks", 1, 1, 16, 'p', \
		"SDRAM banks, each of which has one open row"), \
	PMK_CORE_KEY(sdram.row,          "sdram.row", 2048, 256, 65536, 'q', \
		"bytes in an SDRAM row"), \
	PMK_CORE_KEY(sdram.row_miss,     "sdram.row_miss", 0, 0, 1000, 'n', \
		"additional cycles for a read from a row that is not open"), \
	PMK_CORE_KEY(sdram.refresh,      "sdram.refresh", 0, 0, 1000000, 'n', \
		"cycles from one refresh to the next, which closes all rows; 0: no refresh"), \
	PMK_CORE_KEY(sdram.refresh_busy, "sdram.refresh_busy", 0, 0, 1000, 'n', \
		"cycles for which a refresh keeps the SDRAM busy")
/* clang-format on */

#endif
