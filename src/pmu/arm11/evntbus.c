// SPDX-License-Identifier: MIT
/* The position of each ARM11 event on the trace bus EVNTBUS. */
#include <pmk/evntbus.h>

#include "pmu/arm11/regs.h"

/*
 * EVNTBUS: DDI 0211 Table 3.141 for the ARM1136, DDI 0301H Table 3-137 for the ARM1176. The two
 * tables differ only in br_exec: an ARM1136 may report two branches in one cycle. An ARM1176
 * reports at most one, and bit [6] of its bus is reserved. ROW(code, event, bits on ARM1136, bits
 * on ARM1176).
 */
/* clang-format off */
#define EVNTBUS(ROW) \
	ROW(0x00, "icache_miss", PMK_BIT(0), PMK_BIT(0)) \
	ROW(0x01, "ibuf_stall", PMK_BIT(1), PMK_BIT(1)) \
	ROW(0x02, "ddep_stall", PMK_BIT(2), PMK_BIT(2)) \
	ROW(0x03, "itlb_miss", PMK_BIT(3), PMK_BIT(3)) \
	ROW(0x04, "dtlb_miss", PMK_BIT(4), PMK_BIT(4)) \
	ROW(0x05, "br_exec", PMK_BITS(6, 5), PMK_BIT(5)) \
	ROW(0x06, "br_mispredict", PMK_BIT(7), PMK_BIT(7)) \
	ROW(0x07, "instr_exec", PMK_BITS(9, 8), PMK_BITS(9, 8)) \
	ROW(0x09, "dcache_access_cacheable", PMK_BIT(10), PMK_BIT(10)) \
	ROW(0x0A, "dcache_access", PMK_BIT(11), PMK_BIT(11)) \
	ROW(0x0B, "dcache_miss", PMK_BIT(12), PMK_BIT(12)) \
	ROW(0x0C, "dcache_wback", PMK_BIT(13), PMK_BIT(13)) \
	ROW(0x0D, "sw_pc_change", PMK_BITS(15, 14), PMK_BITS(15, 14)) \
	ROW(0x0F, "main_tlb_miss", PMK_BIT(16), PMK_BIT(16)) \
	ROW(0x10, "expl_d_access", PMK_BIT(17), PMK_BIT(17)) \
	ROW(0x11, "lsu_full_stall", PMK_BIT(18), PMK_BIT(18)) \
	ROW(0x12, "wbuf_drained", PMK_BIT(19), PMK_BIT(19))

#define WIDTH 20

#define CODE(code, event, bits1136, bits1176) code,
static const uint8_t codes[] = { EVNTBUS(CODE) };

#define NEVNTBUS sizeof(codes)

/* The description of EVNTBUS: each row is a field of a register, in the order of `codes`. */
static const char *const one_bit[] = { "none in this cycle", "some in this cycle", NULL };
static const char *const two_bits[] = { "none in this cycle", "one in this cycle",
					"two in this cycle", NULL };

#define FIELD(code, event, bits, table) \
	{ .name = (event), .mask = (bits), .access = PMK_RO, .ref = (table), \
	  .brief = "event " #code, \
	  .values = (bits) & ((bits) - 1) ? two_bits : one_bit },
#define FIELD_1136(code, event, bits1136, bits1176) \
	FIELD(code, event, bits1136, "DDI 0211 Table 3.141")
#define FIELD_1176(code, event, bits1136, bits1176) \
	FIELD(code, event, bits1176, "DDI 0301H Table 3-137")

static const struct pmk_field fields_1136[] = { EVNTBUS(FIELD_1136) };
static const struct pmk_field fields_1176[] = { EVNTBUS(FIELD_1176) };

#define REGISTER(fields_, table) \
	{ .name = "EVNTBUS", .width = WIDTH, .fields = (fields_), .nfields = NEVNTBUS, \
	  .where = "pins [19:0] while PMNC.X is 1", .ref = (table), \
	  .brief = "events of one cycle, for trace hardware" }

static const struct pmk_reg_info register_1136 = REGISTER(fields_1136, "DDI 0211 Table 3.141");
static const struct pmk_reg_info register_1176 = REGISTER(fields_1176, "DDI 0301H Table 3-137");
/* clang-format on */

const struct pmk_reg_info *pmk_arm11_evntbus_reg(const struct pmk_pmu *pmu)
{
	if (pmu->driver != &pmk_arm11_driver)
		return NULL;
	switch (pmk_arm11_core(pmu)->id) {
	case PMK_ARM11_1136_R0:
	case PMK_ARM11_1136:
		return &register_1136;
	case PMK_ARM11_1176:
		return &register_1176;
	case PMK_ARM11_1156:
	case PMK_ARM11_MPCORE:
	case PMK_ARM11_NCORES:
		break;
	}
	return NULL;
}

uint32_t pmk_arm11_evntbus(const struct pmk_pmu *pmu, bool x,
			   const uint8_t count[PMK_ARM11_EVNTBUS_CODES])
{
	const struct pmk_reg_info *reg = pmk_arm11_evntbus_reg(pmu);
	uint32_t word = 0;

	if (!reg || !x)
		return 0;
	for (size_t i = 0; i < NEVNTBUS; i++) {
		uint32_t bits = (uint32_t)reg->fields[i].mask;
		uint32_t one = PMK_LSB(bits), two = bits & ~one;
		uint8_t n = count[codes[i]];

		if (n)
			word |= n > 1 && two ? two : one;
	}
	return word;
}

int pmk_arm11_evntbus_counts(const struct pmk_pmu *pmu, uint32_t word,
			     uint8_t count[PMK_ARM11_EVNTBUS_CODES])
{
	const struct pmk_reg_info *reg = pmk_arm11_evntbus_reg(pmu);

	for (size_t i = 0; i < PMK_ARM11_EVNTBUS_CODES; i++)
		count[i] = 0;
	if (!reg)
		return PMK_ENOTSUP;
	for (size_t i = 0; i < NEVNTBUS; i++) {
		uint32_t bits = (uint32_t)reg->fields[i].mask;

		if (word & bits & ~PMK_LSB(bits))
			count[codes[i]] = 2;
		else if (word & bits)
			count[codes[i]] = 1;
	}
	return PMK_OK;
}
