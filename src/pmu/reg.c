// SPDX-License-Identifier: MIT
/* Reads and writes registers as their rows describe them. Firmware does not use this file. */
#include "pmu/reg.h"

/* The kinds of bits that software can read, and the kinds for which a write has an effect. */
#define READABLE (PMK_RW | PMK_RO | PMK_W1C | PMK_W1S)
#define WRITABLE (PMK_RW | PMK_WO | PMK_W1C | PMK_W1S)

const char *pmk_access_name(enum pmk_access access)
{
	switch (access) {
	case PMK_RW:
		return "RW";
	case PMK_RO:
		return "RO";
	case PMK_WO:
		return "WO";
	case PMK_W1C:
		return "W1C";
	case PMK_W1S:
		return "W1S";
	case PMK_SBZ:
		break;
	}
	return "SBZ";
}

uint64_t pmk_reg_mask(const struct pmk_reg_info *reg, unsigned kinds)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < reg->nfields; i++)
		if (reg->fields[i].access & kinds)
			mask |= reg->fields[i].mask;
	return mask;
}

uint64_t pmk_reg_write(const struct pmk_reg_info *reg, uint64_t old, uint64_t w)
{
	uint64_t rw = 0, w1c = 0, w1s = 0;

	for (unsigned i = 0; i < reg->nfields; i++) {
		const struct pmk_field *f = &reg->fields[i];

		rw |= f->access == PMK_RW ? f->mask : 0;
		w1c |= f->access == PMK_W1C ? f->mask : 0;
		w1s |= f->access == PMK_W1S ? f->mask : 0;
	}
	return (((old & ~rw) | (w & rw)) & ~(w & w1c)) | (w & w1s);
}

uint64_t pmk_reg_read(const struct pmk_reg_info *reg, uint64_t held)
{
	return held & pmk_reg_mask(reg, READABLE);
}

uint64_t pmk_reg_takes(const struct pmk_reg_info *reg, uint64_t w)
{
	return w & pmk_reg_mask(reg, WRITABLE);
}

uint64_t pmk_reg_stray(const struct pmk_reg_info *reg, uint64_t w)
{
	return w & ~pmk_reg_mask(reg, READABLE | WRITABLE);
}

bool pmk_reg_writable(const struct pmk_reg_info *reg)
{
	return pmk_reg_mask(reg, WRITABLE) != 0;
}

bool pmk_reg_readable(const struct pmk_reg_info *reg)
{
	return pmk_reg_mask(reg, READABLE) != 0;
}
