/* SPDX-License-Identifier: MIT */
/*
 * The observer of one AXI interface (AXI4 or AXI4-Lite). It counts handshakes and back-pressure of
 * the five channels, and measures latencies, lengths of bursts, and how many transactions are
 * outstanding.
 *
 *	pmk_axi_init(&axi, roles);
 *	for (each rising edge of ACLK)
 *		pmk_axi_sample(&axi, &cycle);
 *
 * It follows these rules (IHI 0022 A3 and A5; rules that are not part of the protocol are our
 * choice):
 *  - The latency of a read is the number of cycles from the transfer of its address to the transfer
 *    of its last data. The latency of a write ends with the transfer of its response. Responses
 *    with one ID come in the order of the addresses. Responses with different IDs come in any
 *    order, and their read data may be interleaved (A5.3).
 *  - A transaction is outstanding in the cycles after the transfer of its address, up to and
 *    including the cycle of its last response. So the number of outstanding transactions, summed
 *    over all cycles, is the sum of all latencies.
 *  - If there are no IDs (AXI4-Lite), all responses come in order. If there is no xLEN, a burst has
 *    one beat. If there is no RLAST, the beats are counted, and each beat that belongs to no read
 *    is a stray.
 *  - What an x hides is not counted. After an x, nothing is timed in that direction until no
 *    transaction is outstanding there. The same happens when more transactions are outstanding than
 *    fit into `pending`.
 *
 * The counts are not signals of a struct pmk_bus, because no PMU counts them. The struct has no
 * pointers.
 */
#ifndef PMK_AXI_AXI_H
#define PMK_AXI_AXI_H

#include <pmk/axi.h>
#include <pmk/spread.h>

enum pmk_axi_channel { PMK_AXI_AW, PMK_AXI_W, PMK_AXI_B, PMK_AXI_AR, PMK_AXI_R, PMK_AXI_NCHANNELS };

/* The roles of the signals of a channel's handshake. */
struct pmk_axi_handshake {
	uint8_t valid, ready;
};

extern const struct pmk_axi_handshake pmk_axi_channels[PMK_AXI_NCHANNELS];

enum pmk_axi_direction { PMK_AXI_READ, PMK_AXI_WRITE, PMK_AXI_NDIRECTIONS };

/* The distributions that are measured in each direction. */
enum pmk_axi_spread { PMK_AXI_LATENCY, PMK_AXI_LENGTH, PMK_AXI_OUTSTANDING, PMK_AXI_NSPREADS };

#define PMK_AXI_MOST_PENDING 1024

/* A transaction whose address has been transferred. */
struct pmk_axi_pending {
	uint64_t begin; /* cycle in which the address was transferred */
	uint64_t id;
	uint32_t beats; /* number of beats that are still to come */
};

struct pmk_axi_side {
	struct pmk_spread spread[PMK_AXI_NSPREADS]; /* the caller may reset them at any time */
	uint64_t errors;			    /* responses with SLVERR or DECERR */
	/* The number of responses that belong to no known transaction. */
	uint64_t strays;
	uint64_t untimed; /* number of transactions that were not timed */
	uint64_t outstanding;
	bool lost; /* true if it is not known which transactions are outstanding */
	uint32_t npending;
	struct pmk_axi_pending pending[PMK_AXI_MOST_PENDING]; /* in the order of their addresses */
};

struct pmk_axi {
	uint32_t has; /* the signals that exist */
	uint64_t cycle;
	uint64_t transfers[PMK_AXI_NCHANNELS]; /* handshakes */
	uint64_t waits[PMK_AXI_NCHANNELS];     /* cycles with VALID high and READY low */
	struct pmk_axi_side side[PMK_AXI_NDIRECTIONS];
};

/* Initialises the observer. `has` is the set of signals that exist: see PMK_AXI_ROLE(). */
void pmk_axi_init(struct pmk_axi *a, uint32_t has);

/* Observes one cycle. Returns the signals whose x made a count unknown. */
uint32_t pmk_axi_sample(struct pmk_axi *a, const struct pmk_axi_cycle *c);

/*
 * Called when samples were lost. Forgets which transactions are outstanding and assumes that there
 * are none.
 */
void pmk_axi_forget(struct pmk_axi *a);

#endif
