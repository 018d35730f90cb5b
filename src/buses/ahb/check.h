/* SPDX-License-Identifier: MIT */
/*
 * Checks the AHB protocol sample by sample on one layer. PMK_AHB_RULES lists what is checked. The
 * sections named here are in IHI 0011A (AMBA 2, AHB) and IHI 0033A (AHB-Lite).
 *
 *	pmk_ahb_checker_init(&checker, &params);
 *	for (each rising edge of HCLK) {
 *		struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS];
 *		unsigned n = pmk_ahb_checker_sample(&checker, &cycle, v);
 *		(report v[0] to v[n - 1])
 *	}
 *
 * An address phase is checked in the cycle in which it is taken, so a wait does not repeat its
 * violations. After a violation, the checker continues from the signals as they are, so that it
 * reports each mistake once. After a wrong address, the burst may continue from that address, or as
 * if the address had been right. The checker assumes nothing about the time before the first sample
 * or before an x.
 *
 * It does not check arbitration and locking (HBUSREQ, HGRANT, HLOCK, HMASTER, HSPLIT), data, and
 * HSEL.
 */
#ifndef PMK_AHB_CHECK_H
#define PMK_AHB_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>

#include "base/rule.h"

/* X(enumerator, name, text, section). The name is used in messages and in JSON. */
/* clang-format off */
#define PMK_AHB_RULES(X) \
	X(SEQ_ALONE,	"seq-alone",	"HTRANS is SEQ outside of a burst", \
	  "IHI 0011A §3.5; IHI 0033A §3.2") \
	X(BUSY_ALONE,	"busy-alone",	"HTRANS is BUSY outside of a burst", \
	  "IHI 0011A §3.5; IHI 0033A §3.2") \
	X(TOO_LONG,	"too-long",	"the burst has more beats than HBURST says", \
	  "IHI 0011A §3.6; IHI 0033A §3.5") \
	X(EARLY_END,	"early-end", \
	  "a burst of fixed length ends early, without an ERROR", \
	  "IHI 0033A §3.5.2") \
	X(NOT_NEXT,	"not-next",	"HADDR is not the address of the next beat", \
	  "IHI 0011A §3.5-3.6; IHI 0033A §3.2") \
	X(CONTROL,	"control",	"a control signal changes within a burst", \
	  "IHI 0011A §3.5, §3.7; IHI 0033A §3.2") \
	X(BOUNDARY,	"boundary",	"the burst crosses an address boundary of 1 KB", \
	  "IHI 0011A §3.6; IHI 0033A §3.5") \
	X(ALIGNMENT,	"alignment",	"HADDR is not aligned to HSIZE", \
	  "IHI 0011A §3.6; IHI 0033A §3.5") \
	X(WIDTH,	"width",	"HSIZE is wider than the data bus", \
	  "IHI 0011A §3.7.2; IHI 0033A §3.4") \
	X(WAIT_TRANS,	"wait-trans",	"HTRANS makes a forbidden change in a wait state", \
	  "IHI 0011A §3.4, §3.9.3; IHI 0033A §3.6.1") \
	X(WAIT_ADDRESS,	"wait-address",	"HADDR changes in a wait state", \
	  "IHI 0011A §3.4; IHI 0033A §3.6.2") \
	X(WAIT_CONTROL,	"wait-control",	"a control signal changes in a wait state", \
	  "IHI 0011A §3.4, §3.7; IHI 0033A §3.6") \
	X(IDLE_WAITS,	"idle-waits",	"HREADY is low for IDLE or BUSY", \
	  "IHI 0011A §3.5; IHI 0033A §3.2") \
	X(IDLE_RESP,	"idle-resp",	"HRESP is not OKAY for IDLE or BUSY", \
	  "IHI 0011A §3.5; IHI 0033A §3.2") \
	X(ONE_CYCLE,	"one-cycle", \
	  "ERROR, RETRY or SPLIT has no first cycle with HREADY low", \
	  "IHI 0011A §3.9.3; IHI 0033A §5.1.3") \
	X(SECOND_CYCLE,	"second-cycle", \
	  "the second cycle of ERROR, RETRY or SPLIT has another response, or HREADY is low", \
	  "IHI 0011A §3.9.3; IHI 0033A §5.1.3") \
	X(RETRY_GOES_ON, "retry-goes-on", \
	  "HTRANS is not IDLE in the second cycle of RETRY or SPLIT", \
	  "IHI 0011A §3.9.3") \
	X(LITE_RESP,	"lite-resp",	"RETRY or SPLIT on AHB-Lite", \
	  "IHI 0033A §5.1") \
	X(RESET_TRANS,	"reset-trans",	"HTRANS is not IDLE in reset", \
	  "IHI 0011A §3.13; IHI 0033A §7.1.2") \
	X(RESET_READY,	"reset-ready",	"HREADY is low in reset", \
	  "IHI 0033A §7.1.2") \
	X(UNKNOWN,	"unknown",	"a signal is x or z where it must have a value", \
	  "our choice")
/* clang-format on */

enum pmk_ahb_rule {
#define X(id, name, text, ref) PMK_AHB_RULE_##id,
	PMK_AHB_RULES(X)
#undef X
		PMK_AHB_NRULES
};

extern const struct pmk_rule pmk_ahb_rules[PMK_AHB_NRULES];

/* Returns the name of a role, such as "HTRANS" for PMK_AHB_HTRANS, or NULL if there is no such
 * role. */
const char *pmk_ahb_role_name(unsigned role);

/* One sample breaks at most this many rules. */
#define PMK_AHB_MAX_VIOLATIONS 16

struct pmk_ahb_checker_params {
	uint32_t has;	/* the signals that exist: see struct pmk_ahb_layer_params */
	uint32_t bytes; /* width of the data bus; 0: not known */
	/* AHB-Lite: there is one master, no RETRY or SPLIT, and a burst ends early only after an
	 * ERROR. */
	bool lite;
};

/* How much the checker knows about the current burst. */
enum pmk_ahb_burst_state {
	PMK_AHB_B_UNKNOWN, /* before the first sample, after an x or a violation */
	PMK_AHB_B_NONE,
	PMK_AHB_B_OPEN, /* more beats may follow */
	PMK_AHB_B_FULL	/* the address phases of all beats were seen */
};

struct pmk_ahb_checker {
	struct pmk_ahb_checker_params params;
	struct pmk_ahb_cycle last;  /* the previous sample */
	struct pmk_ahb_cycle first; /* the address phase of the burst's first beat */
	bool has_last;
	/* True if violations were reported that the following samples would repeat: those of the
	 * response to the present IDLE or BUSY transfer, or those of the present reset. */
	bool told_wait;
	uint8_t data;	  /* HTRANS of the data phase; 0xff: not known */
	uint8_t response; /* the response whose first cycle was in the previous sample, or OKAY */
	uint8_t state;	  /* enum pmk_ahb_burst_state */
	uint16_t told_x;  /* signals that are x and were reported */
	uint32_t left;	  /* remaining beats of a burst of fixed length */
	uint64_t next;	  /* address of the next beat */
	/* `disturbed`: the previous address was wrong, and the checker has reported it.
	 * `undisturbed`: the next address of the burst if the previous one had been right. */
	uint64_t undisturbed;
	bool disturbed;
	uint64_t cycles; /* number of samples so far */
	uint64_t count[PMK_AHB_NRULES];
};

void pmk_ahb_checker_init(struct pmk_ahb_checker *k, const struct pmk_ahb_checker_params *params);

/* Checks one cycle. Returns how many violations it wrote to `v`. */
unsigned pmk_ahb_checker_sample(struct pmk_ahb_checker *k, const struct pmk_ahb_cycle *c,
				struct pmk_violation v[PMK_AHB_MAX_VIOLATIONS]);

#endif
