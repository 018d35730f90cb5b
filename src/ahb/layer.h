/* SPDX-License-Identifier: MIT */
/*
 * The observer of one AHB layer: samples of its signals become signals of a bus (AHB_READ,
 * AHB_INCR4, AHB_WAIT …, see <pmk/signal.h>). It works for AHB, AHB-Lite and the layers of a bus
 * matrix, and knows nothing of counters.
 *
 *	pmk_ahb_layer_defaults(&params);
 *	pmk_ahb_layer_init(&layer, &params, &bus);
 *	for (each rising edge of HCLK)
 *		pmk_ahb_layer_sample(&layer, &bus, &cycle);
 *
 * Rules (IHI 0011A chapter 3; DDI 0287B §4.2.2):
 *  - The address phase of a cycle with HREADY high is judged one data phase later.
 *  - A transfer counts when it completes with OKAY, or with the second cycle of ERROR; a burst
 *    counts with its first beat, as what that beat declares it to be, however it ends. RETRY and
 *    SPLIT count nothing.
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

/* What lies at an address, as far as a counter distinguishes it. */
enum pmk_ahb_place {
	PMK_AHB_AT_UART,
	PMK_AHB_AT_SCI,
	PMK_AHB_AT_SSP,
	PMK_AHB_AT_APB_DMA,
	PMK_AHB_AT_APB_CORE,
	PMK_AHB_NPLACES
};

#define PMK_AHB_NO_SLAVE 0xff

/* One window of addresses. Where windows overlap, the places of all of them count, and the slave
 * is that of the first one. */
struct pmk_ahb_window {
	uint64_t first, last; /* addresses, both inside */
	uint32_t places;      /* sum of 1 << enum pmk_ahb_place */
	uint32_t slave;	      /* number of the slave, or PMK_AHB_NO_SLAVE */
};

#define PMK_AHB_MAX_WINDOWS 16

struct pmk_ahb_layer_params {
	uint32_t has; /* the signals there are, PMK_AHB_ROLE(); those required must be among them */
	/* The cause to assume for a wait state whose cause is unknown (our choice: the slave).
	 * With PMK_AHB_CAUSE_UNKNOWN first-beat waits are not told apart at all, and neither
	 * AHB_WAIT_FIRST_SLAVE nor _BUS is raised. */
	uint32_t unknown_cause;
	/* A streak is the wait states of one transfer in a row. By default it is one hit when it is
	 * longer than the threshold. The next two members choose other readings of "a wait-state
	 * exceeded". */
	bool threshold_reached;	    /* a streak exactly as long as the threshold is a hit, too */
	bool threshold_every_cycle; /* each wait state beyond the threshold is a hit */
	/* The first cycle of an ERROR, RETRY or SPLIT is a wait state, too. The monitor has a
	 * separate state for it (DDI 0287B Table 4-1), so by default it is not a wait state. */
	bool first_response_waits;
	/* HPROT by which a cast-out and a table walk are recognised: "CBPD" and "CBPI" stand for
	 * cacheable, bufferable, privileged, data or instruction. */
	uint8_t castout_prot, walk_d_prot, walk_i_prot;
	uint32_t nwindows;
	struct pmk_ahb_window window[PMK_AHB_MAX_WINDOWS];
};

/* What a cycle of a layer is: it always belongs to exactly one of these classes. */
enum pmk_ahb_class {
	PMK_AHB_C_IDLE,	   /* no transfer, or HRESETn */
	PMK_AHB_C_BUSY,	   /* the master delays its burst */
	PMK_AHB_C_WAIT,	   /* wait state */
	PMK_AHB_C_DONE,	   /* a transfer ends: OKAY, or the second cycle of ERROR, RETRY, SPLIT */
	PMK_AHB_C_FIRST,   /* first cycle of ERROR, RETRY, SPLIT */
	PMK_AHB_C_UNKNOWN, /* an x on HREADY, HRESP or HTRANS hides the class */
	PMK_AHB_NCLASSES
};

/* What the last sample was, for callers who need more than totals. */
struct pmk_ahb_seen {
	uint8_t class; /* enum pmk_ahb_class */
	uint8_t resp;  /* enum pmk_ahb_resp, of DONE and FIRST */
	uint8_t cause; /* enum pmk_ahb_cause, of WAIT; unknown_cause where it was not known */
	uint8_t burst; /* HBURST of the data phase */
	uint8_t slave; /* slave number by the windows, or PMK_AHB_NO_SLAVE */
	bool first;    /* the data phase is of a first beat (NONSEQ) */
	bool write;
};

/* The address phase whose data phase is the current one. */
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
	uint64_t streak;    /* wait states of this transfer in a row */
	bool hit;	    /* this streak was a hit */
	/* the last sample was one of an idle bus: another such sample changes nothing */
	bool still;
	uint64_t cycles;
	uint64_t class[PMK_AHB_NCLASSES];
	uint64_t reset;	    /* how many of the idle cycles were in reset */
	uint64_t refused;   /* how many of PMK_AHB_C_DONE were RETRY and SPLIT */
	uint64_t errors;    /* how many of PMK_AHB_C_DONE were ERROR */
	uint64_t undecided; /* how many of PMK_AHB_C_DONE had an x that hid the direction */
	/* how many of PMK_AHB_C_DONE count as a burst; and how many had HBURST x */
	uint64_t first_beat;
	uint64_t burst_undecided;
	uint64_t later_waits; /* how many of PMK_AHB_C_WAIT were not on a first beat */
	/* how many of PMK_AHB_C_WAIT came without a cause in the sample */
	uint64_t cause_unknown;
	uint64_t base[PMK_NSIGNALS]; /* totals of the bus, at init */
};

/* The defaults: all signals exist, waits of unknown cause are the slave's, HPROT is as in DDI
 * 0287B Table 4-11, no windows. */
void pmk_ahb_layer_defaults(struct pmk_ahb_layer_params *params);

/* The windows of the ARM926EJ-S Development Chip: its two APB bridges and the DMA peripherals
 * behind one of them (DDI 0287B §4.2.2). Their slave is PMK_AHB_NO_SLAVE. */
void pmk_ahb_layer_devchip_windows(struct pmk_ahb_layer_params *params);

/* True if this is a signal of transfers to a place, which only windows tell. */
bool pmk_ahb_is_place_signal(unsigned signal);

/* The bus is idle at first, and the threshold is 0. Sets which signals the layer raises on `bus`
 * (others may be raised there, too). PMK_EINVAL: HTRANS or HREADY is not among `has`, or there
 * are too many windows. */
int pmk_ahb_layer_init(struct pmk_ahb_layer *l, const struct pmk_ahb_layer_params *params,
		       struct pmk_bus *bus);

/* One cycle. */
void pmk_ahb_layer_sample(struct pmk_ahb_layer *l, struct pmk_bus *bus,
			  const struct pmk_ahb_cycle *c);

/* `n` cycles in which HTRANS is IDLE and HREADY high. */
void pmk_ahb_layer_idle(struct pmk_ahb_layer *l, struct pmk_bus *bus, uint64_t n);

/*
 * Check that all cycles add up: each is of one class, and the signals that were raised agree with
 * the classes. Returns NULL, or one line that names the wrong sum; that is an error of the observer
 * or of somebody else who writes to the bus. It costs some twenty additions, so it can be called at
 * every reading.
 */
const char *pmk_ahb_layer_check(const struct pmk_ahb_layer *l, const struct pmk_bus *bus);

/* For an observer in memory that others can write: can it be what `begun` has become by samples? If
 * not, it must not be used. The parameters are taken from `begun`. */
bool pmk_ahb_layer_sound(struct pmk_ahb_layer *l, const struct pmk_ahb_layer *begun);

#endif
