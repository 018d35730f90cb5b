/* SPDX-License-Identifier: MIT */
/*
 * Checks the AXI protocol sample by sample on one interface. PMK_AXI_RULES lists what is checked.
 * The sections named here are in IHI 0022 (AXI4 and AXI4-Lite).
 *
 *	pmk_axi_checker_init(&checker, &params);
 *	for (each rising edge of ACLK) {
 *		struct pmk_violation v[PMK_AXI_MAX_VIOLATIONS];
 *		unsigned n = pmk_axi_checker_sample(&checker, &cycle, v);
 *		(report v[0] to v[n - 1])
 *	}
 *
 * An address is checked in the cycle of its transfer, so a wait does not repeat its violations.
 * After a violation, the checker continues from the signals as they are.
 *
 * The checker can match data and responses with addresses because it starts when nothing is
 * outstanding. It assumes that nothing is outstanding before the first sample (our choice), and in
 * reset. After an x on a handshake, an ID or a length, and after a gap in the dump, it cannot match
 * them until the next reset. Until then it does not check responses and LAST.
 *
 * It does not check exclusive accesses, cache, protection, QoS and region, write strobes, the order
 * of AXI3's interleaved write data, and AXI4-Lite's rules for responses.
 */
#ifndef PMK_AXI_CHECK_H
#define PMK_AXI_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/axi.h>

#include "buses/axi/axi.h"
#include "base/rule.h"

/* X(enumerator, name, text, section). The name is used in messages and in JSON. */
/* clang-format off */
#define PMK_AXI_RULES(X) \
	X(DROPS,	"valid-drops",	"VALID falls before READY was high", \
	  "IHI 0022 A3.2.1") \
	X(CHANGES,	"payload-changes", "a signal of the channel changes while READY is low", \
	  "IHI 0022 A3.2.1") \
	X(RESERVED,	"burst-reserved", "this type of burst is reserved", \
	  "IHI 0022 A3.4.1") \
	X(WRAP_LENGTH,	"wrap-length",	"a wrapping burst does not have 2, 4, 8 or 16 beats", \
	  "IHI 0022 A3.4.1") \
	X(WRAP_ALIGNMENT, "wrap-alignment", \
	  "a wrapping burst begins at an address that is not aligned to its size", \
	  "IHI 0022 A3.4.1") \
	X(FIXED_LENGTH,	"fixed-length",	"a burst at a fixed address has more than 16 beats", \
	  "IHI 0022 A3.4.1") \
	X(BOUNDARY,	"boundary",	"the burst crosses an address boundary of 4 KB", \
	  "IHI 0022 A3.4.1") \
	X(WIDTH,	"width",	"the size of a beat is wider than the data bus", \
	  "IHI 0022 A3.4.1") \
	X(EARLY_LAST,	"early-last",	"LAST is high before the last beat of the burst", \
	  "IHI 0022 A3.2.2, A3.4.1") \
	X(NO_LAST,	"no-last",	"LAST is low at the last beat of the burst, or after it", \
	  "IHI 0022 A3.2.2, A3.4.1") \
	X(LENGTH,	"data-length", \
	  "the data that came before this address has another number of beats", \
	  "IHI 0022 A3.2.2, A3.4.1") \
	X(STRAY,	"stray-response", "a response without an outstanding transaction", \
	  "IHI 0022 A3.3.1, A5.1") \
	X(EARLY_RESPONSE, "early-response", \
	  "a write response comes before the last data of the write", \
	  "IHI 0022 A3.3.1") \
	X(RESET_VALID,	"reset-valid",	"VALID is high in reset, or at the first edge after it", \
	  "IHI 0022 A3.1.2") \
	X(UNKNOWN,	"unknown",	"a signal is x or z where it must have a value", \
	  "our choice")
/* clang-format on */

enum pmk_axi_rule {
#define X(id, name, text, ref) PMK_AXI_RULE_##id,
	PMK_AXI_RULES(X)
#undef X
		PMK_AXI_NRULES
};

extern const struct pmk_rule pmk_axi_rules[PMK_AXI_NRULES];

/* Returns the name of a role, such as "AWVALID" for PMK_AXI_AWVALID, or NULL if there is no such
 * role. */
const char *pmk_axi_role_name(unsigned role);

/* One sample breaks at most this many rules. */
#define PMK_AXI_MAX_VIOLATIONS 48

struct pmk_axi_checker_params {
	uint32_t has;	/* the signals that exist: see PMK_AXI_ROLE() */
	uint32_t bytes; /* width of the data bus; 0: not known */
};

/* A transaction whose address was transferred, but whose last response was not. */
struct pmk_axi_due {
	uint64_t id;
	uint64_t number; /* number of the transaction in this direction, from 0 */
	uint32_t beats;	 /* 0: not known */
	uint32_t seen;	 /* number of beats of read data so far */
	bool told;	 /* the missing LAST of this transaction was reported */
};

struct pmk_axi_side_check {
	bool lost;	 /* true if it is not known which transactions are outstanding */
	uint64_t number; /* number of addresses so far */
	uint32_t n;
	struct pmk_axi_due due[PMK_AXI_MOST_PENDING]; /* in the order of their addresses */
};

struct pmk_axi_checker {
	struct pmk_axi_checker_params params;
	struct pmk_axi_cycle last; /* the previous sample */
	bool has_last;
	uint32_t told_x;     /* signals that are x and were already reported */
	uint32_t told_reset; /* VALIDs that are high in reset and were already reported */
	uint64_t cycles;     /* number of samples so far */
	uint64_t count[PMK_AXI_NRULES];
	struct pmk_axi_side_check side[PMK_AXI_NDIRECTIONS];
	/*
	 * Write data come in the order of their addresses, before or after the addresses. `bursts`
	 * is the number of complete bursts of data. `beat` is the number of beats so far of the
	 * burst after those. The ring `ahead` has the lengths of bursts of which only the addresses
	 * or only the data have come so far.
	 */
	uint64_t bursts;
	uint32_t beat;
	bool told_last;
	uint32_t ahead[PMK_AXI_MOST_PENDING]; /* 0: not known */
};

void pmk_axi_checker_init(struct pmk_axi_checker *k, const struct pmk_axi_checker_params *params);

/* Tells the checker that samples were lost. */
void pmk_axi_checker_forget(struct pmk_axi_checker *k);

/* Checks one cycle. Returns how many violations it wrote to `v`. */
unsigned pmk_axi_checker_sample(struct pmk_axi_checker *k, const struct pmk_axi_cycle *c,
				struct pmk_violation v[PMK_AXI_MAX_VIOLATIONS]);

#endif
