/* SPDX-License-Identifier: MIT */
/*
 * SDRAM behind the caches, in its simplest form that still tells a walk through memory in order of
 * addresses from random reads: banks that each keep one row open, and refreshes that close all.
 *
 * A read of the row that is open takes mem.latency. One of another row of the bank takes
 * sdram.row_miss more, to close the one and open the other. Every sdram.refresh cycles all rows are
 * closed, and nothing is read for sdram.refresh_busy cycles. With neither, all reads take
 * mem.latency.
 *
 * Our choice: consecutive rows are in consecutive banks, and addresses are those of the program,
 * where an operating system spreads its pages. Not modelled: writes, which wait in buffers and open
 * rows of their own, other masters, and commands that follow each other too soon.
 */
#ifndef PMK_CPU_SDRAM_H
#define PMK_CPU_SDRAM_H

#include <stdbool.h>
#include <stdint.h>

struct pmk_core;

#define PMK_SDRAM_MAX_BANKS 16

struct pmk_sdram {
	uint64_t open[PMK_SDRAM_MAX_BANKS]; /* number of the row, plus one; 0: none */
	uint64_t refreshes;		    /* so many were over at the last read */
};

/* Do some reads take longer than others? */
bool pmk_sdram_differs(const struct pmk_core *core);

/* Cycles until the word at `addr` of memory is there, if it is asked for at `now`. */
uint64_t pmk_sdram_read(struct pmk_sdram *sdram, const struct pmk_core *core, uint64_t addr,
			uint64_t now);

#endif
