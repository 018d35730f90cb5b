// SPDX-License-Identifier: MIT
/* Armv8.1-M's PMU: its counters, its registers' addresses, and the PMU itself. Freestanding. */
#include "pmu/armv81m/events.c"
#include "pmu/armv81m/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct pmk_counter counters[PMK_ARMV81M_NCTRS] = {
	{ .name = "PMU_CCNTR", .width = 32, .fixed_code = PMK_ARMV81M_CPU_CYCLES },
	{ .name = "PMU_EVCNTR0", .width = 32, .fixed_code = -1 },
	{ .name = "PMU_EVCNTR2", .width = 32, .fixed_code = -1 },
	{ .name = "PMU_EVCNTR4", .width = 32, .fixed_code = -1 },
	{ .name = "PMU_EVCNTR6", .width = 32, .fixed_code = -1 },
};

const uint16_t pmk_armv81m_offsets[PMK_ARMV81M_NREGS] = {
	0x000, 0x004, 0x008, 0x00C, 0x010, 0x014, 0x018, 0x01C, /* EVCNTR0-7 */
	0x07C,                                                  /* CCNTR */
	0x400, 0x404, 0x408, 0x40C, 0x410, 0x414, 0x418, 0x41C, /* EVTYPER0-7 */
	0x47C,                                                  /* CCFILTR */
	0xC00, 0xC20, 0xC40, 0xC60,                             /* CNTEN, INTEN */
	0xC80, 0xCA0, 0xCC0,                                    /* OVSCLR, SWINC, OVSSET */
	0xE00, 0xE04,                                           /* TYPE, CTRL */
	0xFB8, 0xFBC, 0xFCC,                                    /* AUTHSTATUS, DEVARCH, DEVTYPE */
	0xBDFC,                                                 /* DEMCR, 0xE000EDFC */
};
/* clang-format on */

const struct pmk_pmu pmk_cortex_m55 = {
	.name = "cortex-m55",
	.driver = &pmk_armv81m_driver,
	.events = pmk_armv81m_events,
	.nevents = COUNT(pmk_armv81m_events),
	.core = 1,
	.counters = counters,
	.ncounters = COUNT(counters),
	PMK_HOST(.aliases = "cortex_m55 cortex_m52 cortex_m85 armv81m",
		 .brief = "Armv8.1-M PMU: Cortex-M52, M55, M85",
		 .note = "the eight 16-bit event counters are chained in pairs (our choice)",
		 .defaults = "cpu_cycles inst_retired ld_retired st_retired br_retired",
		 .regs = pmk_armv81m_regs, .nregs = PMK_ARMV81M_NREGS)
};
