/* SPDX-License-Identifier: MIT */
/* Rules of a protocol, and their violations on a bus. */
#ifndef PMK_BASE_RULE_H
#define PMK_BASE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmk_rule {
	const char *name; /* in messages and in JSON; lower-case */
	const char *text; /* describes the violation */
	const char *ref;  /* section of the specification */
};

struct pmk_violation {
	uint64_t cycle; /* number of the sample, from 0 */
	uint64_t is;	/* value of the signal, unless the signal was x */
	uint64_t want;	/* value that the signal should have */
	uint8_t rule;	/* number of the rule */
	uint8_t role;	/* number of the signal in the protocol */
	bool wants;	/* true if `want` is valid, because only one value is correct */
	bool x;		/* the signal was x or z */
};

/*
 * Describes a violation in one line without a newline, such as "not-next: HADDR is not the address
 * of the next beat: HADDR 0x1010, want 0x1008". Returns what snprintf returns.
 */
int pmk_violation_text(const struct pmk_violation *v, const struct pmk_rule *rule,
		       const char *signal, char *buf, size_t size);

#endif
