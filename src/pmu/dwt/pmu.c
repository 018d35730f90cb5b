// SPDX-License-Identifier: MIT
/* The DWT's counters, the addresses of its registers, and the PMU. Freestanding. */
#include "pmu/dwt/events.c"
#include "pmu/dwt/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct pmk_counter counters[PMK_DWT_NCTRS] = {
	{ .name = "CYCCNT", .width = 32, .fixed_code = PMK_DWT_CYCLES },
	{ .name = "CPICNT", .width = 8, .fixed_code = PMK_DWT_BASE_OVERHEAD },
	{ .name = "EXCCNT", .width = 8, .fixed_code = PMK_DWT_EXCEPTION_OVERHEAD },
	{ .name = "SLEEPCNT", .width = 8, .fixed_code = PMK_DWT_SLEEP_CYCLES },
	{ .name = "LSUCNT", .width = 8, .fixed_code = PMK_DWT_LSU_OVERHEAD },
	{ .name = "FOLDCNT", .width = 8, .fixed_code = PMK_DWT_FOLDED_INSTRUCTIONS },
};

const uint16_t pmk_dwt_offsets[PMK_DWT_NREGS] = {
	0x000, 0x004, 0x008, 0x00C, 0x010, 0x014, 0x018, /* CTRL and the counters */
	0xFB0, 0xFB4,                                    /* LAR, LSR */
	0xDDFC,                                          /* DEMCR, 0xE000EDFC */
};
/* clang-format on */

const struct pmk_pmu pmk_dwt = {
	.name = "dwt",
	.driver = &pmk_dwt_driver,
	.events = pmk_dwt_events,
	.nevents = COUNT(pmk_dwt_events),
	.core = 1,
	.counters = counters,
	.ncounters = COUNT(counters),
	.no_flags = true,
	.sequential = true,
	PMK_HOST(.aliases = "cortex_m3 cortex_m4 cortex_m7 armv7m",
		 .brief = "ARMv7-M DWT counters: Cortex-M3, M4, M7",
		 .note = "event codes are the offsets of the counters' registers: our choice, "
			 "because the DWT has none",
		 .defaults = "cycles base_overhead exception_overhead sleep_cycles lsu_overhead "
			     "folded_instructions",
		 .regs = pmk_dwt_regs, .nregs = PMK_DWT_NREGS)
};
