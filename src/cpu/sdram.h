/* SPDX-License-Identifier: MIT */
/*
 * Main memory (SDRAM) in the simplest form that still distinguishes reads in the order of addresses
 * from random reads. It has banks, each of which keeps one row open, and refreshes, which close all
 * rows.
 *
 * A read from a row that is open takes mem.latency. A read from another row takes sdram.row_miss
 * more, to close the open row of the bank and open the other one. Every sdram.refresh cycles a
 * refresh closes all rows and blocks reads for sdram.refresh_busy cycles. If sdram.row_miss and
 * sdram.refresh are 0, all reads take mem.latency.
 *
 * Two things are our choice. Consecutive rows are in consecutive banks. Addresses are those of the
 * program, although an operating system would spread its pages. The writes of an ARM11 open rows,
 * too; those of the other families' cores are left out. Also left out are other bus masters, and
 * commands that follow each other too soon.
 */
#ifndef PMK_CPU_SDRAM_H
#define PMK_CPU_SDRAM_H

#include <stdbool.h>
#include <stdint.h>

struct pmk_core;

#define PMK_SDRAM_MAX_BANKS 16

struct pmk_sdram {
	/* Number of the open row of each bank, plus one; 0: no row is open. */
	uint64_t open[PMK_SDRAM_MAX_BANKS];
	uint64_t refreshes; /* number of refreshes before the last read */
};

/* True if some reads take longer than others. */
bool pmk_sdram_differs(const struct pmk_core *core);

/* Accounts for a write. It opens the row of `addr`, as a read does. */
void pmk_sdram_write(struct pmk_sdram *sdram, const struct pmk_core *core, uint64_t addr);

/* Returns how many cycles after `now` the word at `addr` arrives, if it is requested at `now`. */
uint64_t pmk_sdram_read(struct pmk_sdram *sdram, const struct pmk_core *core, uint64_t addr,
			uint64_t now);

#endif
