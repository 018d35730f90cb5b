// SPDX-License-Identifier: MIT
/*
 * The PMUs of the family and their counters. Five cores and two generic PMUs have PMUv3; four cores
 * of ARMv7 have PMUv1 or PMUv2. Freestanding.
 *
 * The cores share registers and encodings. They differ in the number of counters, in the version of
 * the extension and in the events that PMCEID shows. A generic PMU has all events of the
 * architecture and all 31 event counters; the hardware may have fewer. pmk_armv8_probe() finds out
 * which exist.
 */
#include "pmu/armv8/events.c"
#include "pmu/armv8/events_v1.c"
#include "pmu/armv8/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
#define EVENT_COUNTER(n, w) \
	[PMK_ARMV8_CTR_EVENT0 + n] = { .name = "PMEVCNTR" #n, .width = w, .fixed_code = -1 }
#define COUNTERS(w) \
	[PMK_ARMV8_CTR_CYCLES] = { .name = "PMCCNTR", .width = 64, .fixed_code = 0x11 }, \
	EVENT_COUNTER(0, w), EVENT_COUNTER(1, w), EVENT_COUNTER(2, w), EVENT_COUNTER(3, w), \
	EVENT_COUNTER(4, w), EVENT_COUNTER(5, w), EVENT_COUNTER(6, w), EVENT_COUNTER(7, w), \
	EVENT_COUNTER(8, w), EVENT_COUNTER(9, w), EVENT_COUNTER(10, w), EVENT_COUNTER(11, w), \
	EVENT_COUNTER(12, w), EVENT_COUNTER(13, w), EVENT_COUNTER(14, w), EVENT_COUNTER(15, w), \
	EVENT_COUNTER(16, w), EVENT_COUNTER(17, w), EVENT_COUNTER(18, w), EVENT_COUNTER(19, w), \
	EVENT_COUNTER(20, w), EVENT_COUNTER(21, w), EVENT_COUNTER(22, w), EVENT_COUNTER(23, w), \
	EVENT_COUNTER(24, w), EVENT_COUNTER(25, w), EVENT_COUNTER(26, w), EVENT_COUNTER(27, w), \
	EVENT_COUNTER(28, w), EVENT_COUNTER(29, w), EVENT_COUNTER(30, w)

/* A core with fewer counters uses the first ones of this list. */
static const struct pmk_counter counters[PMK_ARMV8_NCTRS] = { COUNTERS(32) };
static const struct pmk_counter long_counters[PMK_ARMV8_NCTRS] = { COUNTERS(64) };
/* The counters of PMUv1 and PMUv2. */
static const struct pmk_counter short_counters[] = {
	[PMK_ARMV8_CTR_CYCLES] = { .name = "PMCCNTR", .width = 32, .fixed_code = 0x11 },
	EVENT_COUNTER(0, 32), EVENT_COUNTER(1, 32), EVENT_COUNTER(2, 32), EVENT_COUNTER(3, 32),
	EVENT_COUNTER(4, 32), EVENT_COUNTER(5, 32),
};

/*
 * The values of PMCR are from DDI 0500 §12.4, 100095 and the other TRMs. PMCEID of the Cortex-A53
 * and A72 was read on hardware; for other cores we derive it from the event lists of their TRMs
 * (our choice).
 */
static const struct pmk_armv8_core core_generic = {
	.id = PMK_ARMV8_GENERIC, .counters = 31, .version = PMUVER_V3P4, .pmcr = 0x4100F800,
	.pmceid = { 0x0F0FFE7FFFFFFFFF, 0x00000077FFFFFFFF },
};

static const struct pmk_armv8_core core_long = {
	.id = PMK_ARMV8_GENERIC_LONG, .counters = 31, .version = PMUVER_V3P5,
	.long_counters = true, .pmcr = 0x4100F800,
	.pmceid = { 0x0F0FFE7FFFFFFFFF, 0x00000077FFFFFFFF },
};

static const struct pmk_armv8_core core_a53 = {
	.id = PMK_ARMV8_A53, .counters = 6, .version = PMUVER_V3, .pmcr = 0x41033000,
	.pmceid = { 0x67FFBFFF, 0 },
};

static const struct pmk_armv8_core core_a55 = {
	.id = PMK_ARMV8_A55, .counters = 6, .version = PMUVER_V3P1, .pmcr = 0x41453000,
	.pmceid = { 0x7FFFFFFF, 0x01F0AE7F },
};

static const struct pmk_armv8_core core_a57 = {
	.id = PMK_ARMV8_A57, .counters = 6, .version = PMUVER_V3, .pmcr = 0x41013000,
	.pmceid = { 0x7FFF0F3F, 0 },
};

static const struct pmk_armv8_core core_a72 = {
	.id = PMK_ARMV8_A72, .counters = 6, .version = PMUVER_V3, .pmcr = 0x41023000,
	.pmceid = { 0x7FFF0F3F, 0 },
};

static const struct pmk_armv8_core core_n1 = {
	.id = PMK_ARMV8_N1, .counters = 6, .version = PMUVER_V3P1, .pmcr = 0x410C3000,
	.pmceid = { 0x0000000F7FFF0F3F, 0x00F2AE7F },
};

/*
 * Sources: DDI 0464 §11.4 and DDI 0438 §11.4. `pmceid` is derived from the event lists (our
 * choice).
 */
static const struct pmk_armv8_core core_a7 = {
	.id = PMK_ARMV8_A7, .counters = 4, .armv7_pmu = 2, .pmcr = 0x41072000,
	.pmceid = { 0x23FFFFFF, 0 },
};

static const struct pmk_armv8_core core_a15 = {
	.id = PMK_ARMV8_A15, .counters = 6, .armv7_pmu = 2, .pmcr = 0x410F3000,
	.pmceid = { 0x3FFF0F3F, 0 },
};

/*
 * Sources: DDI 0344 table 3-82 and DDI 0388 §11.4. These cores have no PMCEID, so `pmceid` is
 * derived from their event lists.
 */
static const struct pmk_armv8_core core_a8 = {
	.id = PMK_ARMV8_A8, .counters = 4, .armv7_pmu = 1, .pmcr = 0x41002000,
	.pmceid = { 0x0007FFFF, 0 },
};

static const struct pmk_armv8_core core_a9 = {
	.id = PMK_ARMV8_A9, .counters = 6, .armv7_pmu = 1, .pmcr = 0x41093000,
	.pmceid = { 0x0007BEFF, 0 },
};
/* clang-format on */

#define ARMV7_NREGS PMK_ARMV8_PMEVCNTR0 /* ARMv7 does not have PMEVCNTR<n> and PMEVTYPER<n> */

/* The events that `pmk stat` counts by default. DEFAULTS is for PMUv3 and PMUv2, DEFAULTS_P1 for
 * PMUv3p1 and later. */
#define DEFAULTS                                                 \
	"cpu_cycles inst_retired br_pred br_mis_pred l1i_cache " \
	"l1i_cache_refill l1d_cache l1d_cache_refill l2d_cache " \
	"l2d_cache_refill l1i_tlb_refill l1d_tlb_refill bus_access"
#define DEFAULTS_P1 DEFAULTS " stall_frontend stall_backend"
/*
 * The default events of PMUv1, whose common events end at 0x12. PMUv1 has no common event for the
 * level 2 cache or for accesses to the instruction cache. The Cortex-A8 has events of its own for
 * them. The level 2 cache of the Cortex-A9 is outside of the core and counts by itself.
 */
#define DEFAULTS_V1                                        \
	"cpu_cycles br_pred br_mis_pred l1i_cache_refill " \
	"l1d_cache l1d_cache_refill l1i_tlb_refill l1d_tlb_refill"

/* The members of a PMU that the driver uses. */
#define MEMBERS(is, of_core, list, ctrs, n)                                                \
	.driver = &pmk_armv8_driver, .core = (is), .family = &(of_core), .events = (list), \
	.nevents = COUNT(list), .counters = (ctrs), .ncounters = (n)

const struct pmk_pmu pmk_armv8 = {
	.name = "armv8",
	MEMBERS(PMK_ARMV8_IS_GENERIC, core_generic, pmk_armv8_events, counters, COUNT(counters)),
	PMK_HOST(.aliases = "armv8_pmuv3 arm_v8 pmuv3",
		 .brief = "ARMv8 PMUv3 of any core, event counters of 32 bits",
		 .note = "the registers show what the core has; emulated with all common events, "
			 "31 counters and PMUv3p4 (our choice)",
		 .defaults = DEFAULTS_P1, .regs = pmk_armv8_p5_regs, .nregs = PMK_ARMV8_NREGS)
};

const struct pmk_pmu pmk_armv8_long = {
	.name = "armv8_long",
	MEMBERS(PMK_ARMV8_IS_GENERIC, core_long, pmk_armv8_events, long_counters,
		COUNT(long_counters)),
	PMK_HOST(.aliases = "armv8_pmuv3p5",
		 .brief = "ARMv8 PMUv3p5 of any core, event counters of 64 bits",
		 .note = "see armv8; emulated as PMUv3p5 (our choice)", .defaults = DEFAULTS_P1,
		 .regs = pmk_armv8_p5_regs, .nregs = PMK_ARMV8_NREGS)
};

const struct pmk_pmu pmk_cortex_a53 = {
	.name = "cortex-a53",
	MEMBERS(PMK_ARMV8_IS_A53, core_a53, pmk_armv8_events, counters, 7),
	PMK_HOST(.aliases = "cortex_a53 a53 armv8_cortex_a53 arm_ac53 arm_cortex_a53",
		 .brief = "Cortex-A53 performance monitor, PMUv3",
		 .note = "sources differ on PMCEID0 and PMCEID1; hardware reads 0x67FFBFFF and 0",
		 .defaults = DEFAULTS, .regs = pmk_armv8_regs, .nregs = PMK_ARMV8_NREGS)
};

const struct pmk_pmu pmk_cortex_a55 = {
	.name = "cortex-a55",
	MEMBERS(PMK_ARMV8_IS_A55, core_a55, pmk_armv8_events, counters, 7),
	PMK_HOST(.aliases = "cortex_a55 a55 armv8_cortex_a55 arm_ac55 arm_cortex_a55",
		 .brief = "Cortex-A55 performance monitor, PMUv3p1",
		 .note = "PMCEID follows the event list (our choice); events 0xC0 and above are "
			 "not listed",
		 .defaults = DEFAULTS_P1, .regs = pmk_armv8_regs, .nregs = PMK_ARMV8_NREGS)
};

const struct pmk_pmu pmk_cortex_a57 = {
	.name = "cortex-a57",
	MEMBERS(PMK_ARMV8_IS_A57, core_a57, pmk_armv8_events, counters, 7),
	PMK_HOST(.aliases = "cortex_a57 a57 armv8_cortex_a57 arm_ac57 arm_cortex_a57",
		 .brief = "Cortex-A57 performance monitor, PMUv3",
		 .note = "PMCEID follows the event list (our choice)", .defaults = DEFAULTS,
		 .regs = pmk_armv8_regs, .nregs = PMK_ARMV8_NREGS)
};

const struct pmk_pmu pmk_cortex_a72 = {
	.name = "cortex-a72",
	MEMBERS(PMK_ARMV8_IS_A72, core_a72, pmk_armv8_events, counters, 7),
	PMK_HOST(.aliases = "cortex_a72 a72 armv8_cortex_a72 arm_ac72 arm_cortex_a72",
		 .brief = "Cortex-A72 performance monitor, PMUv3", .defaults = DEFAULTS,
		 .regs = pmk_armv8_regs, .nregs = PMK_ARMV8_NREGS)
};

const struct pmk_pmu pmk_neoverse_n1 = {
	.name = "neoverse-n1",
	MEMBERS(PMK_ARMV8_IS_N1, core_n1, pmk_armv8_events, counters, 7),
	PMK_HOST(.aliases = "neoverse_n1 n1 armv8_neoverse_n1 arm_n1",
		 .brief = "Neoverse N1 performance monitor, PMUv3p1",
		 .note = "PMCEID follows the event list (our choice)", .defaults = DEFAULTS_P1,
		 .regs = pmk_armv8_regs, .nregs = PMK_ARMV8_NREGS)
};

const struct pmk_pmu pmk_cortex_a7 = {
	.name = "cortex-a7",
	MEMBERS(PMK_ARMV8_IS_A7, core_a7, pmk_armv8_events, short_counters, 5),
	PMK_HOST(.aliases = "cortex_a7 a7 armv7_cortex_a7 arm_ac7 arm_cortex_a7",
		 .brief = "Cortex-A7 performance monitor, PMUv2 of ARMv7",
		 .note = "PMCEID follows the event list (our choice)", .defaults = DEFAULTS,
		 .regs = pmk_armv8_regs, .nregs = ARMV7_NREGS)
};

const struct pmk_pmu pmk_cortex_a15 = {
	.name = "cortex-a15",
	MEMBERS(PMK_ARMV8_IS_A15, core_a15, pmk_armv8_events, short_counters, 7),
	PMK_HOST(.aliases = "cortex_a15 a15 armv7_cortex_a15 arm_ac15 arm_cortex_a15",
		 .brief = "Cortex-A15 performance monitor, PMUv2 of ARMv7", .defaults = DEFAULTS,
		 .regs = pmk_armv8_regs, .nregs = ARMV7_NREGS)
};

const struct pmk_pmu pmk_cortex_a8 = {
	.name = "cortex-a8",
	MEMBERS(PMK_ARMV8_IS_A8, core_a8, pmk_armv7_v1_events, short_counters, 5),
	PMK_HOST(.aliases = "cortex_a8 a8 armv7_cortex_a8 arm_ac8 arm_cortex_a8",
		 .brief = "Cortex-A8 performance monitor, PMUv1 of ARMv7",
		 .note = "it has no PMCEID, so its event list decides",
		 .defaults = DEFAULTS_V1 " inst_retired l2_access l2_cache_miss",
		 .regs = pmk_armv8_regs, .nregs = ARMV7_NREGS)
};

const struct pmk_pmu pmk_cortex_a9 = {
	.name = "cortex-a9",
	MEMBERS(PMK_ARMV8_IS_A9, core_a9, pmk_armv7_v1_events, short_counters, 7),
	PMK_HOST(.aliases = "cortex_a9 a9 armv7_cortex_a9 arm_ac9 arm_cortex_a9",
		 .brief = "Cortex-A9 performance monitor, PMUv1 of ARMv7",
		 .note = "it has no PMCEID, so its event list decides. Instructions are counted "
			 "when registers are renamed (0x68), not when they retire",
		 .defaults = DEFAULTS_V1 " ins_rename iss_no_disp", .regs = pmk_armv8_regs,
		 .nregs = ARMV7_NREGS)
};
