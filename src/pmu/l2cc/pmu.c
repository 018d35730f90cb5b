// SPDX-License-Identifier: MIT
/* L210 and L220: their counters, their registers' offsets, and the two PMUs. Freestanding. */
#include "pmu/l2cc/events.c"
#include "pmu/l2cc/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct pmk_counter l210_counters[PMK_L210_NCTRS] = {
	{ .name = "EMC0", .width = 32, .fixed_code = -1 }, { .name = "EMC1", .width = 32,
	  .fixed_code = -1 },
	{ .name = "EMC2", .width = 32, .fixed_code = -1 }, { .name = "EMC3", .width = 32,
	  .fixed_code = -1 },
};

static const struct pmk_counter l220_counters[PMK_L220_NCTRS] = {
	{ .name = "Counter0", .width = 32, .fixed_code = -1, .saturates = true },
	{ .name = "Counter1", .width = 32, .fixed_code = -1, .saturates = true },
};

/* The offsets of the L210's registers, L210 appendix C. */
const uint16_t pmk_l210_offsets[PMK_L210_NREGS] = {
	0x000, 0x004, 0x100, 0x104, 0x108, 0x10C, 0x200, 0x204, 0x208, 0x20C,
};

/* The offsets of the L210's registers in the i.MX31, from its headers. */
const uint16_t pmk_l210_imx31_offsets[PMK_L210_NREGS] = {
	0x00, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C, 0x20, 0x24,
};

/* The offsets of the L220's registers, DDI 0246 Table 3.1. */
const uint16_t pmk_l220_offsets[PMK_L220_NREGS] = {
	0x200, 0x204, 0x208, 0x20C, 0x210, 0x214, 0x218, 0x21C, 0x220,
};
/* clang-format on */

const struct pmk_pmu pmk_l210 = {
	.name = "l210",
	.driver = &pmk_l210_driver,
	.events = pmk_l210_events,
	.nevents = COUNT(pmk_l210_events),
	.core = 1,
	.counters = l210_counters,
	.ncounters = COUNT(l210_counters),
	PMK_HOST(.aliases = "l2cc_l210 arm_l210",
		 .brief = "L210 level 2 cache controller: event monitor",
		 .note = "the event bus of the L2 must be enabled (Auxiliary Control bit 20) "
			 "while the cache is off",
		 .defaults = "irreq irhit drreq drhit dwreq dwtreq dwhit wa co",
		 .regs = pmk_l210_regs, .nregs = PMK_L210_NREGS)
};

const struct pmk_pmu pmk_l220 = {
	.name = "l220",
	.driver = &pmk_l220_driver,
	.events = pmk_l220_events,
	.nevents = COUNT(pmk_l220_events),
	.core = 1,
	.counters = l220_counters,
	.ncounters = COUNT(l220_counters),
	.no_flags = true,
	PMK_HOST(.aliases = "l2cc_l220 arm_l220",
		 .brief = "L220 level 2 cache controller: event counters",
		 .note = "counters stop at 2^32 - 1",
		 .defaults = "irreq irhit drreq drhit dwreq dwtreq dwhit wa co",
		 .regs = pmk_l220_regs, .nregs = PMK_L220_NREGS)
};
