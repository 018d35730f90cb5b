/* SPDX-License-Identifier: MIT */
/*
 * Rows of parameters that several families of cores share: the clock, the replacement in caches,
 * and memory. See cpu/sdram.h for memory.
 */
#ifndef PMK_CPU_KEYS_H
#define PMK_CPU_KEYS_H

#include "cpu/config.h"

/* clang-format off */
#define PMK_CORE_CLOCK_KEYS \
	PMK_CORE_KEY(clock_hz,           "clock", 700000000, 1000, 10000000000, 'n', \
		"core clock in Hz; only used to convert cycles to seconds")

#define PMK_CORE_POLICY_KEYS \
	PMK_CORE_KEY(cache.seed,         "cache.seed", 1, 1, 4294967295, 'n', \
		"seed of the pseudo-random replacement"), \
	PMK_CORE_KEY(cache.policy,       "cache.policy", 0, 0, 4, 'y', \
		"replacement policy of all caches; own: the core's own policy"), \
	PMK_CORE_KEY(icache.policy,      "icache.policy", 0, 0, 4, 'y', \
		"replacement policy of the instruction cache; own: as cache.policy"), \
	PMK_CORE_KEY(dcache.policy,      "dcache.policy", 0, 0, 4, 'y', \
		"replacement policy of the data cache; own: as cache.policy")

#define PMK_CORE_MEMORY_KEYS \
	PMK_CORE_KEY(mem.latency,        "mem.latency", 56, 1, 10000, 'n', \
		"cycles from an L1 miss to its critical word"), \
	PMK_CORE_KEY(mem.fill,           "mem.fill", 4, 1, 1000, 'n', \
		"cycles a line fill occupies the bus"), \
	PMK_CORE_KEY(mem.write,          "mem.write", 4, 1, 1000, 'n', \
		"cycles an external write occupies the bus")

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
