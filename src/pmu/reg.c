// SPDX-License-Identifier: MIT
/* Registers by their rows. Host only. */
#include "pmu/reg.h"

#include <string.h>

struct pmk_reg_bits pmk_reg_bits(const struct pmk_reg_info *reg)
{
	struct pmk_reg_bits bits = { 0 };
	const struct {
		const char *access;
		uint64_t *bits;
	} kinds[] = {
		{ "RW", &bits.rw },   { "RO", &bits.ro },   { "WO", &bits.wo },
		{ "W1C", &bits.w1c }, { "W1S", &bits.w1s }, { "SBZ", &bits.sbz },
	};

	for (unsigned i = 0; i < reg->nfields; i++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			if (strcmp(reg->fields[i].access, kinds[k].access) == 0)
				*kinds[k].bits |= reg->fields[i].mask;
	return bits;
}

uint64_t pmk_reg_write(const struct pmk_reg_info *reg, uint64_t old, uint64_t w)
{
	const struct pmk_reg_bits b = pmk_reg_bits(reg);

	return (((old & ~b.rw) | (w & b.rw)) & ~(w & b.w1c)) | (w & b.w1s);
}

uint64_t pmk_reg_read(const struct pmk_reg_info *reg, uint64_t held)
{
	const struct pmk_reg_bits b = pmk_reg_bits(reg);

	return held & (b.rw | b.ro | b.w1c | b.w1s);
}

uint64_t pmk_reg_takes(const struct pmk_reg_info *reg, uint64_t w)
{
	const struct pmk_reg_bits b = pmk_reg_bits(reg);

	return w & (b.rw | b.wo | b.w1c | b.w1s);
}

uint64_t pmk_reg_stray(const struct pmk_reg_info *reg, uint64_t w)
{
	const struct pmk_reg_bits b = pmk_reg_bits(reg);

	return w & ~(b.rw | b.ro | b.wo | b.w1c | b.w1s);
}

bool pmk_reg_writable(const struct pmk_reg_info *reg)
{
	return pmk_reg_takes(reg, UINT64_MAX) != 0;
}

bool pmk_reg_readable(const struct pmk_reg_info *reg)
{
	return pmk_reg_read(reg, UINT64_MAX) != 0;
}
