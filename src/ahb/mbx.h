/* SPDX-License-Identifier: MIT */
/*
 * A master on the GXI, cycle by cycle: what the MBX does on its link to the memory controller, by a
 * script. The graphics core itself is not modelled.
 *
 * Source: DDI 0287B §4.2.1, Tables 4-4 and 4-5 (the states of the two channels), §4.2.2 (transfers of
 * single units, read and write data apart)
 *
 *	pmk_mbx_init(&mbx, &script);
 *	for (each HCLK cycle)
 *		pmk_mbx_step(&mbx, &cycle);
 *
 * A request waits on the address channel, completes, and so does a write with it. The data of a read
 * come later, in order, one per cycle at most, while further requests are made.
 *
 * Our choice: all wait states; how many reads may be pending; that the link has a port of its own at
 * the memory controller, so that it neither waits for the AHB layers nor makes them wait.
 *
 * No pointers in the struct.
 */
#ifndef PMK_AHB_MBX_H
#define PMK_AHB_MBX_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>

#include "ahb/matrix.h"

#define PMK_MBX_UNIT	4 /* bytes of a transfer: a word (our choice) */
#define PMK_MBX_PENDING 8 /* reads under way at most */

/* `addr`, `step` and `span` are multiples of a unit, and `span` is one of `step`. */
struct pmk_mbx_script {
	bool on;
	uint8_t direction;   /* enum pmk_matrix_direction; BOTH: in turn, reads first */
	uint8_t pending;     /* reads under way, 1 to PMK_MBX_PENDING; the next one waits */
	uint64_t addr, span; /* span: bytes, after which it begins again at addr */
	uint64_t step;	     /* bytes from one transfer to the next */
	uint64_t start;	     /* cycle of the first request */
	uint64_t period;     /* least number of cycles from one request to the next */
	uint64_t count;	     /* how many transfers; 0: no end */
	/* Cycles that a request waits, and that data wait behind the cycle after their request. */
	uint32_t read_wait, write_wait, data_wait;
};

struct pmk_mbx {
	struct pmk_mbx_script script;
	uint64_t now;
	uint64_t due;		/* cycle of the next request */
	uint64_t offset;	/* of it in the span */
	uint64_t requests;	/* begun */
	uint64_t asked, waited; /* of the request under way: since when, and cycles of waiting */
	bool asks;		/* there is one */
	uint32_t first, npending;
	uint64_t ready[PMK_MBX_PENDING]; /* a ring: the cycle in which data can come */
	uint64_t reads, writes, data;	 /* completed so far */
};

/* At cycle 0. NULL, or a script that is not `on`: idle for ever. PMK_EINVAL: no script like that. */
int pmk_mbx_init(struct pmk_mbx *x, const struct pmk_mbx_script *script);

/* One cycle. */
void pmk_mbx_step(struct pmk_mbx *x, struct pmk_gxi_cycle *c);

/* How many cycles from now on both channels are idle: UINT64_MAX for ever. */
uint64_t pmk_mbx_quiet(const struct pmk_mbx *x);

/* Skip `n` of them. */
void pmk_mbx_skip(struct pmk_mbx *x, uint64_t n);

#endif
