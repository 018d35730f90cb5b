/* SPDX-License-Identifier: MIT */
/*
 * The observer of the GXI, which is the link of the MBX to the memory controller. The observer
 * raises signals according to the states of its two channels (GXI_READ, GXI_DATA_WAIT …,
 * GXI_PAGE_2K to _16K, see <pmk/signal.h>).
 *
 * It follows these rules (DDI 0287B §4.2.1, §4.2.2, §4.3.26; the mapping of states to counters is
 * our choice):
 *  - A write counts when it completes. A read counts when its request completes, even if its data
 *    come later.
 *  - A wait cycle is a cycle in which the channel waits. A streak of wait cycles ends when the
 *    channel does not wait, or when a request of the other kind (read or write) waits. Threshold
 *    hits are counted per streak, not per delayed transfer.
 *  - A transfer is in another page if its address is in another page than the address of the
 *    previous transfer. Each of the two transfers may be a read or a write. The first transfer is
 *    never in another page (our choice).
 *
 * The struct has no pointers.
 */
#ifndef PMK_AHB_GXI_H
#define PMK_AHB_GXI_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>
#include <pmk/bus.h>

enum pmk_gxi_wait { PMK_GXI_WAIT_READ, PMK_GXI_WAIT_DATA, PMK_GXI_WAIT_WRITE, PMK_GXI_NWAITS };

struct pmk_gxi_params {
	/* How waits over the threshold are counted: see struct pmk_ahb_layer_params. */
	bool threshold_reached, threshold_every_cycle;
	/* These members say what the samples do not include. Signals that need this information are
	 * not raised. */
	bool no_address; /* no addresses, so GXI_PAGE_… are not raised */
	/* The kind of request that waits is not known, so GXI_READ_WAIT, GXI_WRITE_OVER … are not
	 * raised. */
	bool no_write;
	/* The state of the address channel is not known, so only waits for data are counted. */
	bool no_address_state;
	bool no_data_state; /* no state of the data channel, so GXI_DATA_… are not raised */
};

struct pmk_gxi {
	struct pmk_gxi_params params;
	uint32_t threshold[PMK_GXI_NWAITS]; /* current thresholds; the caller may change them */
	uint64_t streak[PMK_GXI_NWAITS];    /* consecutive wait cycles */
	bool hit[PMK_GXI_NWAITS];
	bool marked; /* true if there was a transfer; `mark` is the address of the last one */
	uint64_t mark;
	uint8_t seen_address, seen_data; /* states in the last sample */
	uint64_t cycles;
	uint64_t address[4], data[4]; /* cycles in each state of each channel */
	uint64_t base[PMK_NSIGNALS];
};

/* Initialises the observer, and marks on `bus` which signals it will raise. */
void pmk_gxi_init(struct pmk_gxi *g, const struct pmk_gxi_params *params, struct pmk_bus *bus);

/* Observes one cycle. */
void pmk_gxi_sample(struct pmk_gxi *g, struct pmk_bus *bus, const struct pmk_gxi_cycle *c);

/* Observes `n` cycles in which both channels are idle. */
void pmk_gxi_idle(struct pmk_gxi *g, struct pmk_bus *bus, uint64_t n);

/* Checks the totals of an observer, as pmk_ahb_layer_check() does for a layer. */
const char *pmk_gxi_check(const struct pmk_gxi *g, const struct pmk_bus *bus);

/* Checks an observer in memory that the program can write. See pmk_ahb_layer_valid(). */
bool pmk_gxi_valid(struct pmk_gxi *g, const struct pmk_gxi *begun);

#endif
