/* SPDX-License-Identifier: MIT */
/* Splits the value of a register into its fields and the gaps between them. */
#ifndef PMK_CLI_FIELDS_H
#define PMK_CLI_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/pmu.h>

struct pmk_ahbmon_packet_params;

/* An argument REG=VALUE. */
struct word {
	const struct pmk_reg_info *reg;
	uint64_t value;
	const struct pmk_ahbmon_packet_params *codes; /* for a packet */
};

/* A field, or a gap between fields. */
struct part {
	const struct pmk_field *field; /* NULL: a gap */
	unsigned hi, lo;
	uint64_t value;
	bool wrong; /* true if bits that should be zero are not */
	const struct pmk_event *event;
	char text[256]; /* its meaning */
};

/* Returns the field that contains the bit; NULL if there is none. */
const struct pmk_field *fields_at(const struct pmk_reg_info *reg, unsigned bit);

/* Returns the field or gap whose highest bit is *bit. *bit becomes the highest bit of the next
 * field or gap, and negative after the last. Begin with the register's width - 1. */
struct part next_part(const struct pmk_pmu *pmu, const struct word *w, int *bit);

/* Writes "0x0000002a", with as many digits as `bits` bits need. */
void hex_text(char *buf, size_t size, uint64_t v, unsigned bits);

#endif
