/* SPDX-License-Identifier: MIT */
/*
 * Main memory (SDRAM), in the simplest form that still distinguishes a walk through memory in order
 * of addresses from random reads: banks that each keep one row open, and refreshes that close all
 * rows.
 *
 * A read from the row that is open takes mem.latency. A read from another row of the bank takes
 * sdram.row_miss more, to close the one and open the other. Every sdram.refresh cycles all rows are
 * closed, and nothing is read for sdram.refresh_busy cycles. With both keys at 0, all reads take
 * mem.latency.
 *
 * Our choice: consecutive rows are in consecutive banks, and addresses are those of the program,
 * although an operating system would spread its pages. Writes of an ARM11 open rows, too. Not
 * modelled: writes of other cores, other masters, and commands that follow each other too soon.
 */
#ifndef PMK_CPU_SDRAM_H
#define PMK_CPU_SDRAM_H

#include <stdbool.h>
#include <stdint.h>

struct pmk_core;

#define PMK_SDRAM_MAX_BANKS 16

struct pmk_sdram {
	uint64_t open
		[PMK_SDRAM_MAX_BANKS]; /* number of the open row of each bank, plus one; 0: none */
	uint64_t refreshes;	       /* number of refreshes before the last read */
};

/* True if some reads take longer than others. */
bool pmk_sdram_differs(const struct pmk_core *core);

/* Accounts for a write, which opens the row of `addr` as a read does. */
void pmk_sdram_write(struct pmk_sdram *sdram, const struct pmk_core *core, uint64_t addr);

/* Returns the cycles from `now`, when the word at `addr` is requested, until it arrives. */
uint64_t pmk_sdram_read(struct pmk_sdram *sdram, const struct pmk_core *core, uint64_t addr,
			uint64_t now);

#endif
