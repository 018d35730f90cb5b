/* SPDX-License-Identifier: MIT */
/*
 * A master on the GXI: the MBX on its link to the memory controller, cycle by cycle. A script
 * drives it. The graphics core itself is not modelled.
 *
 * Source: DDI 0287B §4.2.1, Tables 4-4 and 4-5 (the states of the two channels), §4.2.2 (transfers
 * of single units, separate read and write data)
 *
 *	pmk_mbx_init(&mbx, &script);
 *	for (each HCLK cycle)
 *		pmk_mbx_step(&mbx, &cycle);
 *
 * A request waits on the address channel and then completes. A write is complete when its request
 * is. The data of reads come later, in order, at most one unit per cycle, and further requests are
 * made meanwhile.
 *
 * All wait states and the number of pending reads are our choice. It is also our choice that the
 * link has a port of its own at the memory controller, so that it does not compete with the AHB
 * layers.
 *
 * The struct has no pointers.
 */
#ifndef PMK_AHB_MBX_H
#define PMK_AHB_MBX_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>

#include "buses/ahb/matrix.h"

#define PMK_MBX_UNIT	4 /* bytes of a transfer: a word (our choice) */
#define PMK_MBX_PENDING 8 /* the most reads in flight */

/* The script of an MBX. `addr`, `step` and `span` must be multiples of a unit, and `span` must be a
 * multiple of `step`. */
struct pmk_mbx_script {
	bool on;
	uint8_t direction; /* enum pmk_matrix_direction; BOTH alternates, a read first */
	/* The most reads in flight, 1 to PMK_MBX_PENDING. Further reads wait. */
	uint8_t pending;
	uint64_t addr, span; /* after `span` bytes, the script starts again at `addr` */
	uint64_t step;	     /* bytes from one transfer to the next */
	uint64_t start;	     /* cycle of the first request */
	uint64_t period;     /* the fewest cycles from one request to the next */
	uint64_t count;	     /* the number of transfers; 0: there is no end */
	/* The cycles that a read request, a write request and read data wait. `data_wait` is
	 * counted from the cycle after the request. */
	uint32_t read_wait, write_wait, data_wait;
};

struct pmk_mbx {
	struct pmk_mbx_script script;
	uint64_t now;
	uint64_t due;	   /* cycle of the next request */
	uint64_t offset;   /* offset of the next request in the span */
	uint64_t requests; /* number of requests that were started */
	/* The first cycle of the current request, and its wait cycles. */
	uint64_t asked, waited;
	bool asks; /* true if there is a current request */
	uint32_t first, npending;
	/* ring of pending reads from `first` on: the cycles in which their data can come */
	uint64_t ready[PMK_MBX_PENDING];
	uint64_t reads, writes, data; /* completed so far */
};

/* Starts at cycle 0. If the script is NULL or not `on`, the MBX is idle. Returns PMK_EINVAL if the
 * script is not valid. */
int pmk_mbx_init(struct pmk_mbx *x, const struct pmk_mbx_script *script);

/* Runs one cycle. */
void pmk_mbx_step(struct pmk_mbx *x, struct pmk_gxi_cycle *c);

/* Returns for how many cycles both channels stay idle, or UINT64_MAX if they stay idle forever. */
uint64_t pmk_mbx_quiet(const struct pmk_mbx *x);

/* Skips `n` idle cycles. */
void pmk_mbx_skip(struct pmk_mbx *x, uint64_t n);

/* Checks an MBX in memory that the program can write. See pmk_matrix_valid(). */
bool pmk_mbx_valid(struct pmk_mbx *x, const struct pmk_mbx *begun);

#endif
