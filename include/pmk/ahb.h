/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * AHB: the sample of a bus in one cycle of its clock.
 *
 * Sources: IHI 0011A  AMBA Specification rev. 2.0, chapter 3 (AHB); IHI 0033A AHB-Lite
 *          DDI 0287B  ARM926EJ-S Development Chip reference manual, chapter 4 (causes, GXI states)
 *
 * There is one sample per rising edge of HCLK. It has the values of the signals in the cycle that
 * ends at this edge. One sample therefore shows two different transfers:
 *
 * 	address phase  HTRANS HADDR HWRITE HSIZE HBURST HPROT   of the transfer that comes next
 * 	data phase     HREADY HRESP                             of the transfer before it
 *
 * HREADY is the signal that the master sees. While it is low, the address phase is not accepted,
 * and the next sample shows it again. A layer is one master's view of a multi-layer bus, or a whole
 * AHB-Lite bus.
 *
 * If a signal was x or z at the edge, its bit in `x` is set, and its value is ignored. Whether a
 * signal exists at all is a parameter of the observer (pmk_ahb_layer_params.has in
 * src/buses/ahb/layer.h).
 */
#ifndef PMK_AHB_H
#define PMK_AHB_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The signals, by role. */
enum pmk_ahb_role {
	PMK_AHB_HTRANS,
	PMK_AHB_HADDR,
	PMK_AHB_HWRITE,
	PMK_AHB_HSIZE,
	PMK_AHB_HBURST,
	PMK_AHB_HPROT,
	PMK_AHB_HREADY,
	PMK_AHB_HRESP,
	PMK_AHB_NROLES
};

/* A set of signals is the sum of these bits. */
#define PMK_AHB_ROLE(role) (1u << (role))
#define PMK_AHB_ALL	   ((1u << PMK_AHB_NROLES) - 1)
/* Without these two signals, a bus cannot be observed. */
#define PMK_AHB_REQUIRED   (PMK_AHB_ROLE(PMK_AHB_HTRANS) | PMK_AHB_ROLE(PMK_AHB_HREADY))

enum pmk_ahb_trans { /* HTRANS[1:0], §3.5 */
		     PMK_AHB_IDLE,
		     PMK_AHB_BUSY,
		     PMK_AHB_NONSEQ,
		     PMK_AHB_SEQ
};

enum pmk_ahb_burst { /* HBURST[2:0], §3.6 */
		     PMK_AHB_SINGLE,
		     PMK_AHB_INCR,
		     PMK_AHB_WRAP4,
		     PMK_AHB_INCR4,
		     PMK_AHB_WRAP8,
		     PMK_AHB_INCR8,
		     PMK_AHB_WRAP16,
		     PMK_AHB_INCR16,
		     PMK_AHB_NBURSTS
};

enum pmk_ahb_resp { /* HRESP[1:0], §3.9.2; AHB-Lite has OKAY and ERROR */
		    PMK_AHB_OKAY,
		    PMK_AHB_ERROR,
		    PMK_AHB_RETRY,
		    PMK_AHB_SPLIT
};

enum pmk_ahb_size { /* HSIZE[2:0], Table 3-3: the transfer has 1 << HSIZE bytes */
		    PMK_AHB_BYTE,
		    PMK_AHB_HALF,
		    PMK_AHB_WORD,
		    PMK_AHB_DWORD
};

/* HPROT[3:0], §3.7.3 */
#define PMK_AHB_PROT_DATA	0x1 /* if it is 0: opcode fetch */
#define PMK_AHB_PROT_PRIV	0x2
#define PMK_AHB_PROT_BUFFERABLE 0x4
#define PMK_AHB_PROT_CACHEABLE	0x8

/* The cause of a wait state (DDI 0287B §4.2.1: WS, WB, WA). The signals of a layer do not show the
 * cause; a bus matrix or an extra signal must provide it. */
enum pmk_ahb_cause {
	PMK_AHB_CAUSE_UNKNOWN,
	PMK_AHB_CAUSE_SLAVE,	/* the slave itself */
	PMK_AHB_CAUSE_CONNECT,	/* the matrix connects the layer to another slave */
	PMK_AHB_CAUSE_ARBITRATE /* another layer is using the slave */
};

/* One cycle of one layer. */
struct pmk_ahb_cycle {
	uint64_t haddr;
	uint16_t x;	/* set of signals that were x or z, PMK_AHB_ROLE() */
	uint8_t htrans; /* enum pmk_ahb_trans */
	uint8_t hburst; /* enum pmk_ahb_burst */
	uint8_t hsize;	/* enum pmk_ahb_size, up to 7 */
	uint8_t hprot;	/* PMK_AHB_PROT_… */
	uint8_t hresp;	/* enum pmk_ahb_resp */
	uint8_t cause;	/* enum pmk_ahb_cause; only for a wait state */
	bool hwrite;
	bool hready;
	/* True if the transfer in the address phase belongs to a locked sequence. No counter uses
	 * this. */
	bool hmastlock;
	bool reset; /* HRESETn is asserted: the bus is idle, and the other signals are ignored */
};

/*
 * One cycle of the GXI, the link from the MBX to the memory controller. Its signals are not
 * published, so its two channels are described by the states that the AHB Monitor reports (DDI
 * 0287B Tables 4-4 and 4-5). The codes are this project's.
 */
enum pmk_gxi_address {
	PMK_GXI_IDLE,
	PMK_GXI_WAIT,  /* an address transfer waits; `write` is true if it is a write */
	PMK_GXI_READ,  /* a read address transfer completes */
	PMK_GXI_WRITE, /* a write transfer completes */
};

enum pmk_gxi_data {
	PMK_GXI_DATA_IDLE,
	PMK_GXI_DATA_STALLED, /* at least one read is pending, and its data has not arrived */
	PMK_GXI_DATA_LAST,    /* data arrives, and no further read is pending */
	PMK_GXI_DATA_MORE,    /* data arrives, and further reads are pending */
};

struct pmk_gxi_cycle {
	uint64_t addr;	 /* address of the transfer that completes or waits */
	uint8_t address; /* enum pmk_gxi_address */
	uint8_t data;	 /* enum pmk_gxi_data */
	bool write;	 /* for PMK_GXI_WAIT: true if a write waits, false if a read does */
	bool reset;	 /* HRESETn is asserted */
};

#ifdef __cplusplus
}
#endif

#endif
