// SPDX-License-Identifier: MIT
/* Where each event of an ARM11 appears on the trace bus EVNTBUS. */
#include <pmk/evntbus.h>

#include "pmu/arm11/regs.h"

/*
 * EVNTBUS: DDI 0211 Table 3.141 for the ARM1136, DDI 0301H Table 3-137 for the ARM1176. They
 * differ in br_exec alone: an ARM1136 may report two branches in one cycle, an ARM1176 at most
 * one, and its bit [6] is reserved.
 */
static const struct evntbus {
	uint8_t code;
	uint32_t bits1136, bits1176;
} evntbus[] = {
	/* clang-format off */
	{ 0x00, PMK_BIT(0),       PMK_BIT(0) },
	{ 0x01, PMK_BIT(1),       PMK_BIT(1) },
	{ 0x02, PMK_BIT(2),       PMK_BIT(2) },
	{ 0x03, PMK_BIT(3),       PMK_BIT(3) },
	{ 0x04, PMK_BIT(4),       PMK_BIT(4) },
	{ 0x05, PMK_BITS(6, 5),   PMK_BIT(5) },
	{ 0x06, PMK_BIT(7),       PMK_BIT(7) },
	{ 0x07, PMK_BITS(9, 8),   PMK_BITS(9, 8) },
	{ 0x09, PMK_BIT(10),      PMK_BIT(10) },
	{ 0x0A, PMK_BIT(11),      PMK_BIT(11) },
	{ 0x0B, PMK_BIT(12),      PMK_BIT(12) },
	{ 0x0C, PMK_BIT(13),      PMK_BIT(13) },
	{ 0x0D, PMK_BITS(15, 14), PMK_BITS(15, 14) },
	{ 0x0F, PMK_BIT(16),      PMK_BIT(16) },
	{ 0x10, PMK_BIT(17),      PMK_BIT(17) },
	{ 0x11, PMK_BIT(18),      PMK_BIT(18) },
	{ 0x12, PMK_BIT(19),      PMK_BIT(19) },
	/* clang-format on */
};

#define NEVNTBUS (sizeof(evntbus) / sizeof(evntbus[0]))

/* The bits of a row on this core; 0 where the layout is not documented, and on PMUs of other
 * families. */
static uint32_t evntbus_bits(const struct pmk_pmu *pmu, const struct evntbus *row)
{
	if (pmu->driver != &pmk_arm11_driver)
		return 0;
	switch (pmk_arm11_core(pmu)->id) {
	case PMK_ARM11_1136_R0:
	case PMK_ARM11_1136:
		return row->bits1136;
	case PMK_ARM11_1176:
		return row->bits1176;
	case PMK_ARM11_1156:
	case PMK_ARM11_MPCORE:
	case PMK_ARM11_NCORES:
		break;
	}
	return 0;
}

uint32_t pmk_arm11_evntbus(const struct pmk_pmu *pmu, bool x,
			   const uint8_t count[PMK_ARM11_EVNTBUS_CODES])
{
	uint32_t word = 0;

	if (!x)
		return 0;
	for (size_t i = 0; i < NEVNTBUS; i++) {
		uint32_t bits = evntbus_bits(pmu, &evntbus[i]);
		uint32_t one = PMK_LSB(bits), two = bits & ~one;
		uint8_t n = count[evntbus[i].code];

		if (n)
			word |= n > 1 && two ? two : one;
	}
	return word;
}

int pmk_arm11_evntbus_counts(const struct pmk_pmu *pmu, uint32_t word,
			     uint8_t count[PMK_ARM11_EVNTBUS_CODES])
{
	for (size_t i = 0; i < PMK_ARM11_EVNTBUS_CODES; i++)
		count[i] = 0;
	for (size_t i = 0; i < NEVNTBUS; i++) {
		uint32_t bits = evntbus_bits(pmu, &evntbus[i]);

		if (!bits)
			return PMK_ENOTSUP;
		if (word & bits & ~PMK_LSB(bits))
			count[evntbus[i].code] = 2;
		else if (word & bits)
			count[evntbus[i].code] = 1;
	}
	return PMK_OK;
}
