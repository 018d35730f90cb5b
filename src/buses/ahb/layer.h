/* SPDX-License-Identifier: MIT */
/*
 * The observer of one AHB layer. It samples the layer's signals, and raises signals on a struct
 * pmk_bus (AHB_READ, AHB_INCR4, AHB_WAIT …, see <pmk/signal.h>). It works for AHB, AHB-Lite and the
 * layers of a bus matrix, and does not depend on counters.
 *
 *	pmk_ahb_layer_defaults(&params);
 *	pmk_ahb_layer_init(&layer, &params, &bus);
 *	for (each rising edge of HCLK)
 *		pmk_ahb_layer_sample(&layer, &bus, &cycle);
 *
 * It follows these rules (IHI 0011A chapter 3; DDI 0287B §4.2.2):
 *  - The address phase of a cycle with HREADY high is counted one data phase later.
 *  - A transfer counts when it completes with OKAY, or with the second cycle of ERROR. A burst
 *    counts with its first beat, and as the kind and length that this beat declares, even if it
 *    ends in another way. Transfers that end with RETRY or SPLIT are not counted.
 *  - A wait state is a cycle of a transfer with HREADY low and HRESP OKAY.
 *  - What an x hides is not counted.
 *
 * The struct has no pointers, so it may be copied, forked and shared.
 */
#ifndef PMK_AHB_LAYER_H
#define PMK_AHB_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>
#include <pmk/bus.h>

/* The kinds of addresses that the counters distinguish. */
enum pmk_ahb_place {
	PMK_AHB_AT_UART,
	PMK_AHB_AT_SCI,
	PMK_AHB_AT_SSP,
	PMK_AHB_AT_APB_DMA,
	PMK_AHB_AT_APB_CORE,
	PMK_AHB_NPLACES
};

#define PMK_AHB_NO_SLAVE 0xff

/*
 * A range of addresses. An address that is in several windows has the places of all of these
 * windows and the slave of the first one.
 */
struct pmk_ahb_window {
	uint64_t first, last; /* both inclusive */
	uint32_t places;      /* sum of 1 << enum pmk_ahb_place */
	uint32_t slave;	      /* number of the slave, or PMK_AHB_NO_SLAVE */
};

#define PMK_AHB_MAX_WINDOWS 16

struct pmk_ahb_layer_params {
	uint32_t has; /* the signals that exist; must include HTRANS and HREADY */
	/* The cause that is assumed for a wait state whose cause is unknown (our choice: the
	 * slave). If it is PMK_AHB_CAUSE_UNKNOWN, first-beat waits are not distinguished by cause,
	 * and neither AHB_WAIT_FIRST_SLAVE nor AHB_WAIT_FIRST_BUS is raised. */
	uint32_t unknown_cause;
	/* A streak is a run of consecutive wait states of one transfer. By default a streak that is
	 * longer than the threshold is one hit. The next two members choose other interpretations
	 * of the manual's words "a wait-state exceeded". */
	bool threshold_reached;	    /* a streak of exactly the threshold is a hit, too */
	bool threshold_every_cycle; /* each wait state beyond the threshold is a separate hit */
	/*
	 * If true, the first cycle of an ERROR, RETRY or SPLIT counts as a wait state. The monitor
	 * has a separate state for it (DDI 0287B Table 4-1), so the default is false.
	 */
	bool first_response_waits;
	/*
	 * The values of HPROT that mark cast-outs and table walks. In the manual, "CBPD" and "CBPI"
	 * stand for cacheable, bufferable, privileged, and data or instruction.
	 */
	uint8_t castout_prot, walk_d_prot, walk_i_prot;
	uint32_t nwindows;
	struct pmk_ahb_window window[PMK_AHB_MAX_WINDOWS];
};

/* The class of a cycle. Every cycle has exactly one class. */
enum pmk_ahb_class {
	PMK_AHB_C_IDLE,	   /* no transfer, or HRESETn */
	PMK_AHB_C_BUSY,	   /* the master delays its burst */
	PMK_AHB_C_WAIT,	   /* wait state of a transfer */
	PMK_AHB_C_DONE,	   /* end: OKAY, or the second cycle of ERROR, RETRY or SPLIT */
	PMK_AHB_C_FIRST,   /* first cycle of ERROR, RETRY or SPLIT */
	PMK_AHB_C_UNKNOWN, /* the class is unknown, because HREADY, HRESP or HTRANS is x */
	PMK_AHB_NCLASSES
};

/* The state in the last sample, for callers that need more than totals. */
struct pmk_ahb_seen {
	uint8_t class; /* enum pmk_ahb_class */
	uint8_t resp;  /* enum pmk_ahb_resp, in classes DONE and FIRST */
	uint8_t cause; /* enum pmk_ahb_cause, in class WAIT; assumed if the sample had none */
	uint8_t burst; /* HBURST of the data phase */
	uint8_t slave; /* number of the slave by the windows, or PMK_AHB_NO_SLAVE */
	bool first;    /* the data phase belongs to a first beat (NONSEQ) */
	bool write;
};

/* The address phase that belongs to the current data phase. */
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
	uint32_t threshold; /* current threshold; the caller may change it between two samples */
	uint64_t streak;    /* consecutive wait states of the current transfer */
	bool hit;	    /* the present streak was counted as a hit */
	/* True if the last sample was an idle bus. If the next sample is an idle bus, too, it
	 * changes no state. */
	bool still;
	uint64_t cycles;
	uint64_t class[PMK_AHB_NCLASSES];
	uint64_t reset;	    /* idle cycles that were in reset */
	uint64_t refused;   /* cycles of PMK_AHB_C_DONE with RETRY or SPLIT */
	uint64_t errors;    /* cycles of PMK_AHB_C_DONE with ERROR */
	uint64_t undecided; /* cycles of PMK_AHB_C_DONE of unknown direction */
	/* `first_beat`: cycles of PMK_AHB_C_DONE that end a first beat with OKAY or ERROR.
	 * `burst_undecided`: those of them whose HBURST was x. */
	uint64_t first_beat;
	uint64_t burst_undecided;
	uint64_t later_waits; /* cycles of PMK_AHB_C_WAIT that were not on a first beat */
	/* Cycles of PMK_AHB_C_WAIT whose sample had no cause. */
	uint64_t cause_unknown;
	uint64_t base[PMK_NSIGNALS]; /* totals of the bus at pmk_ahb_layer_init() */
};

/*
 * Sets the defaults: all signals exist, waits of unknown cause are attributed to the slave, the
 * values of HPROT are those of DDI 0287B Table 4-11, and there are no windows.
 */
void pmk_ahb_layer_defaults(struct pmk_ahb_layer_params *params);

/* Sets the windows of the ARM926EJ-S Development Chip: its two APB bridges, and the DMA peripherals
 * on one of these bridges (DDI 0287B §4.2.2). The windows have no slave (PMK_AHB_NO_SLAVE). */
void pmk_ahb_layer_devchip_windows(struct pmk_ahb_layer_params *params);

/* True if `signal` counts transfers to one place. The observer needs windows to distinguish
 * places. */
bool pmk_ahb_is_place_signal(unsigned signal);

/*
 * Initialises the observer with an idle bus and a threshold of 0. Marks on `bus` which signals this
 * layer raises; other observers may raise signals on it as well. Returns PMK_EINVAL if HTRANS or
 * HREADY is not in `has`, or if there are too many windows.
 */
int pmk_ahb_layer_init(struct pmk_ahb_layer *l, const struct pmk_ahb_layer_params *params,
		       struct pmk_bus *bus);

/* Observes one cycle. */
void pmk_ahb_layer_sample(struct pmk_ahb_layer *l, struct pmk_bus *bus,
			  const struct pmk_ahb_cycle *c);

/* Observes `n` cycles in which HTRANS is IDLE and HREADY is high. */
void pmk_ahb_layer_idle(struct pmk_ahb_layer *l, struct pmk_bus *bus, uint64_t n);

/*
 * Checks that all cycles add up: each cycle has one class, and the raised signals agree with the
 * classes. Returns NULL if they do, and otherwise one line that names the wrong sum. A wrong sum is
 * a bug of the observer or of other code that writes to the bus. The check costs some twenty
 * additions, so it can be called at every reading.
 */
const char *pmk_ahb_layer_check(const struct pmk_ahb_layer *l, const struct pmk_bus *bus);

/*
 * Checks an observer, because it was in memory that the program can write. Returns true if samples
 * can have led from `begun` to this state. If not, the observer must not be used. Copies the
 * parameters from `begun`.
 */
bool pmk_ahb_layer_valid(struct pmk_ahb_layer *l, const struct pmk_ahb_layer *begun);

#endif
