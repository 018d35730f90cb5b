// SPDX-License-Identifier: MIT
/* Packets of the AHB Monitor as fields of a register. See packet_reg.h. */
#include "pmu/ahbmon/packet_reg.h"

#include <stdio.h>
#include <strings.h>

#include <pmk/ahbmon.h>
#include <pmk/bits.h>

#define REF "DDI 0287B §4.2.1"

/* The meanings of the GXI's codes, Tables 4-4 and 4-5. */
static const char *const data_states[] = { "no read is active or pending",
					   "stalled, reads are pending",
					   "data arrives, no further read is pending",
					   "data arrives, further reads are pending", NULL };
static const char *const address_states[] = { "idle", "a read or a write request waits",
					      "a read request completes", "a write completes",
					      NULL };

#define LAYER(name_, hi, lo)                                                          \
	{                                                                             \
		.name = name_, .mask = PMK_BITS(hi, lo), .access = PMK_RO, .ref = REF \
	}

static const struct pmk_field fields[] = {
	{ .name = "HCLK",
	  .mask = PMK_BIT(33),
	  .access = PMK_RO,
	  .ref = REF,
	  .brief = "a copy of the clock" },
	{ .name = "GXI data",
	  .mask = PMK_BITS(32, 31),
	  .access = PMK_RO,
	  .ref = "DDI 0287B Table 4-4",
	  .brief = "read data channel",
	  .values = data_states },
	{ .name = "GXI addr",
	  .mask = PMK_BITS(30, 29),
	  .access = PMK_RO,
	  .ref = "DDI 0287B Table 4-5",
	  .brief = "address channel",
	  .values = address_states },
	LAYER("ARM-D", 28, 23),
	LAYER("ARM-I", 22, 19),
	LAYER("DMA-0", 18, 14),
	LAYER("DMA-1", 13, 9),
	LAYER("EXP", 8, 4),
	LAYER("CLCDC", 3, 0),
};

static const struct pmk_reg_info packet = {
	.name = "AHBMONITOR",
	.width = 34,
	.fields = fields,
	.nfields = sizeof(fields) / sizeof(fields[0]),
	.ref = REF,
	.brief = "one packet of the bus cycle analyzer",
};

const struct pmk_reg_info *pmk_ahbmon_packet_reg(const struct pmk_pmu *pmu, const char *name)
{
	return pmu->driver == pmk_ahbmon.driver && !strcasecmp(name, packet.name) ? &packet : NULL;
}

/* The meanings of the layers' states, Table 4-1. */
static const char *const meanings[PMK_AHBMON_NSTATES] = {
	[PMK_AHBMON_S_I] = "idle",
	[PMK_AHBMON_S_B] = "busy",
	[PMK_AHBMON_S_EN] = "first cycle of an ERROR",
	[PMK_AHBMON_S_RN] = "first cycle of a RETRY",
	[PMK_AHBMON_S_WS] = "wait state: the slave",
	[PMK_AHBMON_S_WB] = "wait state: the matrix connects",
	[PMK_AHBMON_S_WA] = "wait state: arbitration",
	[PMK_AHBMON_S_S] = "a sequential transfer completes",
	[PMK_AHBMON_S_NR] = "a nonsequential read of that slave completes",
	[PMK_AHBMON_S_NW] = "a nonsequential write to that slave completes",
	[PMK_AHBMON_S_UNKNOWN] = "the layout has no state with this code",
};

bool pmk_ahbmon_packet_text(const struct pmk_ahbmon_packet_params *codes,
			    const struct pmk_field *field, uint64_t value, char *buf, size_t size)
{
	struct pmk_ahbmon_packet p;
	char state[16];

	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		if (field->mask != pmk_ahbmon_packet_field[i])
			continue;
		pmk_ahbmon_packet_decode(codes, PMK_PUT(0, field->mask, value), field->mask, &p);
		pmk_ahbmon_state_text(&p.layer[i], state, sizeof(state));
		snprintf(buf, size, "%s: %s", state, meanings[p.layer[i].state]);
		return true;
	}
	return false;
}
