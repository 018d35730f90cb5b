// SPDX-License-Identifier: MIT
/*
 * The counters of the AHB Monitor, the project's layout, and the PMU itself. Freestanding.
 *
 * pmk_ahbmon_sp816 is the project's own layout and not ARM's, because the pages of DDI 0287B with
 * the register offsets and the bits of AHBMONCtrlReg are not public. Only the base address is from
 * the manual (§4.2.2). data/layouts/sp816.ini contains this layout as a file; firmware does not
 * read it.
 *
 * This file does not describe peripheral and PrimeCell ID registers, because no document says that
 * this block has any. It does not describe the packet stream on AHBMONITOR[33:0] either, which is
 * not a register.
 */
#include "pmu/ahbmon/events.c"
#include "pmu/ahbmon/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define WINDOW 0x10000u /* bytes that 16 bits of offset can address; §4.1 */

#define COUNTER(id, manual, event, bus, sig, unit, note, text) \
	[PMK_AHBMON_##id] = { .name = #manual, .width = 32, .fixed_code = PMK_AHBMON_##id },
static const struct pmk_counter counters[] = { PMK_AHBMON_COUNTERS(COUNTER) };

#define BUS_OF(id, manual, event, bus, sig, unit, note, text) \
	[PMK_AHBMON_##id] = PMK_AHBMON_BUS_##bus,
const uint8_t pmk_ahbmon_bus_of[] = { PMK_AHBMON_COUNTERS(BUS_OF) };

/* The counters come first, in the order of their numbers, with four bytes each. The other registers
 * begin at 0x200. */
#define OFFSET(id, manual, event, bus, sig, unit, note, text) \
	[PMK_AHBMON_##id] = 4 * PMK_AHBMON_##id,

const struct pmk_ahbmon_layout pmk_ahbmon_sp816 = {
	.provenance = PMK_AHBMON_FROM_PROJECT,
	.base = 0x101D0000,
	.enable = CTRLREG_ENABLE,
	.track_dbgack = CTRLREG_TRACK_DBGACK,
	.castout4_aligned = CTRLREG_CASTOUT4_ALIGNED,
	.threshold = PMK_BITS(31, 0),
	.offset = {
		PMK_AHBMON_COUNTERS(OFFSET)
		[PMK_AHBMON_CTRLREG] = 0x200,
		[PMK_AHBMON_RSTCTRS] = 0x204,
		[PMK_AHBMON_PRSTCTRS] = 0x208,
		[PMK_AHBMON_GXIPAGESIZE] = 0x20C,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_ARMI] = 0x210,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_CLCDC] = 0x214,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_DMA0] = 0x218,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_DMA1] = 0x21C,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_EXP] = 0x220,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_ARMD] = 0x224,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_GXI_RD_A] = 0x228,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_GXI_RD_D] = 0x22C,
		[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_GXI_WR_A] = 0x230,
	},
};

static bool offset_ok(const struct pmk_ahbmon_layout *layout, unsigned reg)
{
	uint32_t offset = layout->offset[reg];

	if (offset == PMK_MMIO_NONE)
		return reg >= PMK_AHBMON_THRESHOLD0;
	if (offset % 4)
		return false;
	for (unsigned i = 0; i < reg; i++)
		if (layout->offset[i] == offset)
			return false;
	return true;
}

int pmk_ahbmon_layout_check(const struct pmk_ahbmon_layout *layout)
{
	uint32_t enable = layout->enable, track = layout->track_dbgack;
	uint32_t aligned = layout->castout4_aligned;

	if (layout->base % WINDOW || !enable || !track)
		return PMK_EINVAL;
	if ((enable & track) || (enable & aligned) || (track & aligned))
		return PMK_EINVAL;
	for (unsigned reg = 0; reg < PMK_AHBMON_NREGS; reg++)
		if (!offset_ok(layout, reg))
			return PMK_EINVAL;
	return PMK_OK;
}

const struct pmk_pmu pmk_ahbmon = {
	.name = "ahbmon",
	.driver = &pmk_ahbmon_driver,
	.events = pmk_ahbmon_events,
	.nevents = COUNT(counters),
	.core = 1,
	.counters = counters,
	.ncounters = COUNT(counters),
	.no_flags = true,
	.family = &pmk_ahbmon_sp816,
	PMK_HOST(.aliases = "sp816 ahb-monitor",
		 .brief = "AHB Monitor (SP816) of the ARM926EJ-S Development Chip",
		 .note = "register offsets and control bits are this project's, not ARM's, "
			 "because the manual's are not public. Your own layout can replace them "
			 "(struct pmk_ahbmon_layout)",
		 .defaults = "ct_total_cycles_en ct_armi_rd ct_armi_line_fill "
			     "ct_armi_wait_total ct_armd_rd ct_armd_wr ct_armd_burst_single "
			     "ct_armd_line_fill ct_armd_cast_out4 ct_armd_cast_out8 "
			     "ct_armd_page_walk_d ct_armd_page_walk_i ct_armd_wait_total "
			     "ct_armd_wait_non_seq_slave ct_armd_wait_non_seq_bus",
		 .regs = pmk_ahbmon_regs, .nregs = PMK_AHBMON_NREGS)
};
