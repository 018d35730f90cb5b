/* SPDX-License-Identifier: MIT */
/*
 * A master on the GXI, cycle by cycle: the MBX on its link to the memory controller, driven by a
 * script. The graphics core itself is not modelled.
 *
 * Source: DDI 0287B §4.2.1, Tables 4-4 and 4-5 (the states of the two channels), §4.2.2 (transfers
 * of single units, separate read and write data)
 *
 *	pmk_mbx_init(&mbx, &script);
 *	for (each HCLK cycle)
 *		pmk_mbx_step(&mbx, &cycle);
 *
 * A request waits on the address channel and completes; with it, a write is complete. The data of
 * reads come later, in order, at most one per cycle, while further requests are made.
 *
 * Our choice: all wait states; the number of pending reads; and that the link has a port of its own
 * at the memory controller, so that it does not compete with the AHB layers.
 *
 * No pointers in the struct.
 */
#ifndef PMK_AHB_MBX_H
#define PMK_AHB_MBX_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>

#include "buses/ahb/matrix.h"

#define PMK_MBX_UNIT	4 /* bytes of a transfer: a word (our choice) */
#define PMK_MBX_PENDING 8 /* maximum reads in flight */

/* `addr`, `step` and `span` are multiples of a unit, and `span` is a multiple of `step`. */
struct pmk_mbx_script {
	bool on;
	uint8_t direction; /* enum pmk_matrix_direction; BOTH alternates, a read first */
	/* maximum reads in flight, 1 to PMK_MBX_PENDING; a further read waits */
	uint8_t pending;
	uint64_t addr, span; /* span: bytes, after which the script starts again at addr */
	uint64_t step;	     /* bytes from one transfer to the next */
	uint64_t start;	     /* cycle of the first request */
	uint64_t period;     /* minimum cycles from one request to the next */
	uint64_t count;	     /* how many transfers; 0: no end */
	/*
	 * Cycles that a request waits, and cycles that data waits, counted from the cycle after the
	 * request.
	 */
	uint32_t read_wait, write_wait, data_wait;
};

struct pmk_mbx {
	struct pmk_mbx_script script;
	uint64_t now;
	uint64_t due;	   /* cycle of the next request */
	uint64_t offset;   /* offset of the next request in the span */
	uint64_t requests; /* requests started */
	/* the current request: its first cycle, and its wait cycles */
	uint64_t asked, waited;
	bool asks; /* there is a current request */
	uint32_t first, npending;
	uint64_t ready[PMK_MBX_PENDING]; /* a ring: the cycle in which data can come */
	uint64_t reads, writes, data;	 /* completed so far */
};

/* Starts at cycle 0. A script that is NULL or not `on` leaves the MBX idle. PMK_EINVAL: the
 * script is not valid. */
int pmk_mbx_init(struct pmk_mbx *x, const struct pmk_mbx_script *script);

/* Runs one cycle. */
void pmk_mbx_step(struct pmk_mbx *x, struct pmk_gxi_cycle *c);

/* Returns for how many cycles both channels stay idle; UINT64_MAX: for ever. */
uint64_t pmk_mbx_quiet(const struct pmk_mbx *x);

/* Skip `n` idle cycles. */
void pmk_mbx_skip(struct pmk_mbx *x, uint64_t n);

/* Checks an MBX in memory that others can write: see pmk_matrix_valid(). */
bool pmk_mbx_valid(struct pmk_mbx *x, const struct pmk_mbx *begun);

#endif
