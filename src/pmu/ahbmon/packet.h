/* SPDX-License-Identifier: MIT */
/*
 * The output of the AHB Monitor, cycle by cycle, on the pins AHBMONITOR[33:0] (the Bus Cycle
 * Analyzer).
 *
 * Source: DDI 0287B §4.2.1, Figure 4-2 and Tables 4-1, 4-4, 4-5
 *
 *	 32    29 28      23 22    19 18      14 13       9 8        4 3      0
 *	+--------+----------+--------+----------+----------+----------+--------+
 *	|  GXI   |  ARM-D   | ARM-I  |  DMA-0   |  DMA-1   |   EXP    | CLCDC  |
 *	+--------+----------+--------+----------+----------+----------+--------+
 *
 * Pin [33] is a copy of the clock, for capturing the other pins. It is not part of a packet here. A
 * packet describes one data-phase cycle of every layer and appears 3 HCLK cycles later.
 *
 * The states of the layers and the codes of the GXI are from the manual. The codes of the layers'
 * states are NOT, because the pages that list them are not public. The user writes them into a
 * section of the layout file (layout.h). A state that this section does not list is neither encoded
 * nor decoded, and its pins are not in `known`.
 */
#ifndef PMK_PMU_AHBMON_PACKET_H
#define PMK_PMU_AHBMON_PACKET_H

#include <stdint.h>

#include "pmu/ahbmon/observe.h"

#define PMK_AHBMON_LAG 3 /* HCLK cycles, §4.2.1 */

/* State of a layer, Table 4-1. */
enum pmk_ahbmon_state {
	PMK_AHBMON_S_I,	      /* idle */
	PMK_AHBMON_S_B,	      /* busy */
	PMK_AHBMON_S_EN,      /* first cycle of ERROR */
	PMK_AHBMON_S_RN,      /* first cycle of RETRY (or of SPLIT, which no layer gets) */
	PMK_AHBMON_S_WS,      /* wait state of the slave */
	PMK_AHBMON_S_WB,      /* wait state while the matrix connects */
	PMK_AHBMON_S_WA,      /* wait state for arbitration */
	PMK_AHBMON_S_S,	      /* completes a sequential transfer of burst type `detail` */
	PMK_AHBMON_S_NR,      /* completes a nonsequential read of slave number `detail` */
	PMK_AHBMON_S_NW,      /* completes a nonsequential write to slave number `detail` */
	PMK_AHBMON_S_UNKNOWN, /* a signal has the value x, or a wait state has no known cause */
	PMK_AHBMON_NSTATES
};

struct pmk_ahbmon_layer_state {
	uint8_t state;	/* enum pmk_ahbmon_state */
	uint8_t detail; /* S: enum pmk_ahb_burst; NR, NW: the slave or PMK_AHB_NO_SLAVE */
};

#define PMK_AHBMON_NSLAVES 16
#define PMK_AHBMON_NO_CODE (-1)

/* The pins of each layer in a packet, Figure 4-2. */
extern const uint64_t pmk_ahbmon_packet_field[PMK_AHBMON_NLAYERS];

#define PMK_AHBMON_PINS ((UINT64_C(1) << 33) - 1) /* [32:0] */

/* The codes of one layer. A code that is not known is PMK_AHBMON_NO_CODE. */
struct pmk_ahbmon_codes {
	int16_t state[PMK_AHBMON_S_S]; /* for the states I to WA */
	int16_t seq[PMK_AHB_NBURSTS];
	int16_t read[PMK_AHBMON_NSLAVES], write[PMK_AHBMON_NSLAVES];
};

struct pmk_ahbmon_packet_params {
	struct pmk_ahbmon_codes layer[PMK_AHBMON_NLAYERS];
	/* The state that is shown in the second cycle of RETRY; the manual does not specify it. */
	uint8_t after_retry;
};

struct pmk_ahbmon_packet {
	struct pmk_ahbmon_layer_state layer[PMK_AHBMON_NLAYERS];
	uint8_t gxi_address, gxi_data; /* enum pmk_gxi_address, enum pmk_gxi_data */
	bool no_gxi;		       /* true if the GXI is not observed */
	uint64_t pins;		       /* the values of the pins [32:0] */
	uint64_t known;		       /* the pins that have a known value */
};

/* Consecutive cycles in which the pins do not change. */
struct pmk_ahbmon_pins {
	uint64_t pins, known; /* as in struct pmk_ahbmon_packet */
	uint64_t cycles;
};

struct pmk_ahbmon_packets {
	struct pmk_ahbmon_packet_params params;
	struct pmk_ahbmon_packet late[PMK_AHBMON_LAG]; /* a ring; `at` is the oldest */
	uint32_t at;
};

/* Sets the defaults: there are no codes, and the second cycle of RETRY shows idle. */
void pmk_ahbmon_packet_defaults(struct pmk_ahbmon_packet_params *params);

/*
 * Resets the pins. They show idle until the first sample appears (our choice). Returns PMK_ERANGE
 * if a code has more bits than its field, or is used for two states of a layer.
 */
int pmk_ahbmon_packets_init(struct pmk_ahbmon_packets *p,
			    const struct pmk_ahbmon_packet_params *params);

/* Returns the pins for the cycle that `o` observed last. Call it once after each sample. */
void pmk_ahbmon_packets_next(struct pmk_ahbmon_packets *p, const struct pmk_ahbmon_observer *o,
			     struct pmk_ahbmon_packet *out);

/*
 * Checks the packets and their observer, because they are in memory that the program can write.
 * Returns true if a valid run can lead from `begun` to this state. Copies the parameters from
 * `begun`.
 */
bool pmk_ahbmon_packets_valid(struct pmk_ahbmon_packets *p, const struct pmk_ahbmon_packets *begun,
			      const struct pmk_ahbmon_observer *o);

/*
 * Decodes the pins with the codes in `params`. Uses only the pins in `known`. The state of a layer
 * with an unknown pin, or with a code that is not in the table, is PMK_AHBMON_S_UNKNOWN. Does not
 * take earlier packets into account.
 */
void pmk_ahbmon_packet_decode(const struct pmk_ahbmon_packet_params *params, uint64_t pins,
			      uint64_t known, struct pmk_ahbmon_packet *out);

/* Writes a state as the manual does: "NW1", "S_INCR4", "WB". */
int pmk_ahbmon_state_text(const struct pmk_ahbmon_layer_state *s, char *buf, size_t size);

/*
 * The states that have a code are numbered from 0 to PMK_AHBMON_NCODES - 1. pmk_ahbmon_code()
 * returns where the code of state `number` is stored, and pmk_ahbmon_coded_state() returns that
 * state.
 */
#define PMK_AHBMON_NCODES (PMK_AHBMON_S_S + PMK_AHB_NBURSTS + 2 * PMK_AHBMON_NSLAVES)
int16_t *pmk_ahbmon_code(struct pmk_ahbmon_codes *c, unsigned number);
struct pmk_ahbmon_layer_state pmk_ahbmon_coded_state(unsigned number);

#endif
