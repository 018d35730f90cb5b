/* SPDX-License-Identifier: MIT */
/*
 * The observer of one AHB layer: samples of its signals become signals of a bus (AHB_READ,
 * AHB_INCR4, AHB_WAIT …, see <pmk/signal.h>). It serves AHB, AHB-Lite and the layers of a bus matrix
 * alike, and knows of no counter.
 *
 *	pmk_ahb_layer_defaults(&params);
 *	pmk_ahb_layer_init(&layer, &params, &bus);
 *	for (each rising edge of HCLK)
 *		pmk_ahb_layer_sample(&layer, &bus, &cycle);
 *
 * Rules (IHI 0011A chapter 3; DDI 0287B §4.2.2):
 *  - The address phase of a cycle with HREADY high is judged one data phase later.
 *  - A transfer counts when it completes with OKAY, or with the second cycle of ERROR; a burst counts
 *    with its first beat, as what that beat declares it to be, however it ends. RETRY and SPLIT
 *    count nothing.
 *  - A wait state is a cycle of a transfer with HREADY low and HRESP OKAY.
 *  - What an x hides is not counted.
 *
 * No pointers in the struct: it may be copied, forked and shared.
 */
#ifndef PMK_AHB_LAYER_H
#define PMK_AHB_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>
#include <pmk/bus.h>

/* What is behind an address, as far as a counter asks for it. */
enum pmk_ahb_place {
	PMK_AHB_AT_UART,
	PMK_AHB_AT_SCI,
	PMK_AHB_AT_SSP,
	PMK_AHB_AT_APB_DMA,
	PMK_AHB_AT_APB_CORE,
	PMK_AHB_NPLACES
};

#define PMK_AHB_NO_SLAVE 0xff

/* One window of addresses. Where windows overlap, the places of all of them count and the slave is
 * that of the first. */
struct pmk_ahb_window {
	uint64_t first, last; /* addresses, both inside */
	uint32_t places;      /* sum of 1 << enum pmk_ahb_place */
	uint32_t slave;	      /* number of the slave, or PMK_AHB_NO_SLAVE */
};

#define PMK_AHB_MAX_WINDOWS 16

struct pmk_ahb_layer_params {
	uint32_t has; /* the signals there are, PMK_AHB_ROLE(); those required must be among them */
	/* What a wait state is whose cause is unknown (our choice: the slave's). With
	 * PMK_AHB_CAUSE_UNKNOWN first-beat waits are not told apart at all, and neither
	 * AHB_WAIT_FIRST_SLAVE nor _BUS is raised. */
	uint32_t unknown_cause;
	/* A run is the wait states of one transfer in a row. By default it is a hit once, when it is
	 * longer than the threshold. These are other readings of "a wait-state exceeded". */
	bool threshold_reached;	    /* a run as long as the threshold is one, too */
	bool threshold_every_cycle; /* each wait state beyond the threshold is one */
	/* The first cycle of an ERROR, RETRY or SPLIT is a wait state, too. The monitor has a state of
	 * its own for it (DDI 0287B Table 4-1), so by default it is none. */
	bool first_response_waits;
	/* HPROT of what looks like a cast-out and like a table walk: "CBPD" and "CBPI" read as
	 * cacheable, bufferable, privileged, data or instruction. */
	uint8_t castout_prot, walk_d_prot, walk_i_prot;
	uint32_t nwindows;
	struct pmk_ahb_window window[PMK_AHB_MAX_WINDOWS];
};

/* What a cycle of a layer is: always exactly one of these. */
enum pmk_ahb_class {
	PMK_AHB_C_IDLE,	   /* no transfer, or HRESETn */
	PMK_AHB_C_BUSY,	   /* the master delays its burst */
	PMK_AHB_C_WAIT,	   /* wait state */
	PMK_AHB_C_DONE,	   /* a transfer ends: OKAY, or the second cycle of ERROR, RETRY, SPLIT */
	PMK_AHB_C_FIRST,   /* first cycle of ERROR, RETRY, SPLIT */
	PMK_AHB_C_UNKNOWN, /* an x on HREADY, HRESP or HTRANS hides which */
	PMK_AHB_NCLASSES
};

/* What the last sample was, for those who want more than totals. */
struct pmk_ahb_seen {
	uint8_t class; /* enum pmk_ahb_class */
	uint8_t resp;  /* enum pmk_ahb_resp, of DONE and FIRST */
	uint8_t cause; /* enum pmk_ahb_cause, of WAIT; unknown_cause where it was not known */
	uint8_t burst; /* HBURST of the data phase */
	uint8_t slave; /* by the windows, or PMK_AHB_NO_SLAVE */
	bool first;    /* the data phase is of a first beat (NONSEQ) */
	bool write;
};

/* The address phase whose data phase it now is. */
struct pmk_ahb_phase {
	uint64_t addr;
	uint16_t x;
	uint8_t trans, burst, size, prot;
	uint8_t places, slave;
	bool write;
};

struct pmk_ahb_layer {
	struct pmk_ahb_layer_params params;
	struct pmk_ahb_phase data;
	struct pmk_ahb_seen seen;
	uint32_t threshold; /* in force; the caller may change it between two samples */
	uint64_t run;	    /* wait states of this transfer in a row */
	bool hit;	    /* this run was one */
	bool still;	    /* the last sample was one of an idle bus: another changes nothing */
	uint64_t cycles;
	uint64_t class[PMK_AHB_NCLASSES];
	uint64_t reset;	     /* of the idle cycles: those in reset */
	uint64_t refused;    /* of PMK_AHB_C_DONE: RETRY and SPLIT */
	uint64_t undecided;  /* of PMK_AHB_C_DONE: an x hid the direction */
	uint64_t first_beat; /* of PMK_AHB_C_DONE: that count as a burst; and those with HBURST x */
	uint64_t burst_undecided;
	uint64_t later_waits;	     /* of PMK_AHB_C_WAIT: not on a first beat */
	uint64_t cause_unknown;	     /* of PMK_AHB_C_WAIT: the sample did not say why */
	uint64_t base[PMK_NSIGNALS]; /* of the bus, at init */
};

/* All signals, unknown waits are the slave's, the HPROT of DDI 0287B Table 4-11, no windows. */
void pmk_ahb_layer_defaults(struct pmk_ahb_layer_params *params);

/* The windows of the ARM926EJ-S Development Chip: its two APB bridges and the DMA peripherals behind
 * one of them (DDI 0287B §4.2.2), as PMK_AHB_NO_SLAVE. */
void pmk_ahb_layer_devchip_windows(struct pmk_ahb_layer_params *params);

/* The bus is idle. Sets what the layer raises on `bus` (which may raise more), threshold 0. PMK_EINVAL:
 * HTRANS or HREADY is not among `has`, or there are too many windows. */
int pmk_ahb_layer_init(struct pmk_ahb_layer *l, const struct pmk_ahb_layer_params *params,
		       struct pmk_bus *bus);

/* One cycle. */
void pmk_ahb_layer_sample(struct pmk_ahb_layer *l, struct pmk_bus *bus,
			  const struct pmk_ahb_cycle *c);

/* `n` cycles in which HTRANS is IDLE and HREADY high. */
void pmk_ahb_layer_idle(struct pmk_ahb_layer *l, struct pmk_bus *bus, uint64_t n);

/*
 * Do all cycles add up? Each is of one class, and what was raised is what the classes say. NULL, or
 * one line that names the sum that is wrong: an error of the observer or of whoever else writes to
 * the bus. Costs some twenty additions; meant for every reading.
 */
const char *pmk_ahb_layer_check(const struct pmk_ahb_layer *l, const struct pmk_bus *bus);

#endif
