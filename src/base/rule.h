/* SPDX-License-Identifier: MIT */
/* Rules of a protocol, and places where a bus does not keep to one. */
#ifndef PMK_BASE_RULE_H
#define PMK_BASE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmk_rule {
	const char *name; /* for people and machines, lower-case */
	const char *text; /* what is wrong */
	const char *ref;  /* the section that says so */
};

struct pmk_violation {
	uint64_t cycle; /* number of the sample, from 0 */
	uint64_t is;	/* value that the signal had; not valid if it was x */
	uint64_t want;	/* value that it had to have */
	uint8_t rule;	/* number of the protocol's rule */
	uint8_t role;	/* which signal, a number of the protocol's */
	bool wants;	/* `want` is valid: only one value is right */
	bool x;		/* the signal was x or z */
};

/* Writes one line, without a newline: "not-next: HADDR is not that of the next beat: HADDR
 * 0x1010, want 0x1008". Returns what snprintf does. */
int pmk_violation_text(const struct pmk_violation *v, const struct pmk_rule *rule,
		       const char *signal, char *buf, size_t size);

#endif
