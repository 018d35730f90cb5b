/* SPDX-License-Identifier: MIT */
/*
 * The observer of the GXI, the link of the MBX to the memory controller: the states of its two
 * channels become signals (GXI_READ, GXI_DATA_WAIT …, GXI_PAGE_2K to _16K, see <pmk/signal.h>).
 *
 * Rules (DDI 0287B §4.2.1, §4.2.2, §4.3.26; the mapping of states to counters is our choice):
 *  - A write counts when it completes, a read when its request does, not its data.
 *  - A wait cycle is a cycle in which the channel waits; a streak of them ends with any other
 *    state, or when the other kind of request waits. Threshold hits are counted per streak, not per
 *    transfer that is delayed.
 *  - A transfer is in another page when its address and that of the transfer before it, of either
 *    kind, differ above the size of a page; the first one only sets the mark (our choice).
 *
 * No pointers in the struct.
 */
#ifndef PMK_AHB_GXI_H
#define PMK_AHB_GXI_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>
#include <pmk/bus.h>

enum pmk_gxi_wait { PMK_GXI_WAIT_READ, PMK_GXI_WAIT_DATA, PMK_GXI_WAIT_WRITE, PMK_GXI_NWAITS };

struct pmk_gxi_params {
	/* As in struct pmk_ahb_layer_params. */
	bool threshold_reached, threshold_every_cycle;
	/* What is not known about the cycles. The signals that need it are then not raised. */
	bool no_address; /* addresses: no GXI_PAGE_… */
	bool no_write;	 /* which request waits: no GXI_READ_WAIT, GXI_WRITE_OVER and their like */
	bool no_address_state; /* the state of the address channel: nothing but waits of data */
	bool no_data_state;    /* that of the data channel: no GXI_DATA_… */
};

struct pmk_gxi {
	struct pmk_gxi_params params;
	uint32_t threshold[PMK_GXI_NWAITS]; /* in force; the caller may change them */
	uint64_t streak[PMK_GXI_NWAITS];    /* waits in a row */
	bool hit[PMK_GXI_NWAITS];
	bool marked;			 /* there was a transfer */
	uint64_t mark;			 /* its address */
	uint8_t seen_address, seen_data; /* what the last sample was */
	uint64_t cycles;
	uint64_t address[4], data[4]; /* cycles in each state of each channel */
	uint64_t base[PMK_NSIGNALS];
};

/* Also sets which signals are raised on `bus`. */
void pmk_gxi_init(struct pmk_gxi *g, const struct pmk_gxi_params *params, struct pmk_bus *bus);

/* One cycle. */
void pmk_gxi_sample(struct pmk_gxi *g, struct pmk_bus *bus, const struct pmk_gxi_cycle *c);

/* `n` cycles in which both channels are idle. */
void pmk_gxi_idle(struct pmk_gxi *g, struct pmk_bus *bus, uint64_t n);

/* As pmk_ahb_layer_check(). */
const char *pmk_gxi_check(const struct pmk_gxi *g, const struct pmk_bus *bus);

/* As pmk_ahb_layer_sound(). */
bool pmk_gxi_sound(struct pmk_gxi *g, const struct pmk_gxi *begun);

#endif
