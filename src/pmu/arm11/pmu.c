// SPDX-License-Identifier: MIT
/*
 * The PMUs of the five ARM11 cores, and their counters. Freestanding.
 *
 * The cores share registers and encodings (DAI 0195B §2). They differ in events (see events.c), in
 * access rights (see model.c), and in a few bits: the ARM1156 has FIQ enables in PMNC [30:28], and
 * the ARM1176 has SUNAVCR, which permits user mode to access the other registers.
 *
 * This file does not describe the System Validation registers of the ARM1176 (DDI 0301H §3.2.55-56)
 * and the SCU event counters of the MPCore.
 */
#include "pmu/arm11/events.c"
#include "pmu/arm11/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
const struct pmk_arm11_counter pmk_arm11_counters[PMK_ARM11_NCTRS] = {
	[PMK_ARM11_CTR_CCNT] = { .reg = PMK_ARM11_CCNT, .event = 0,
				 .flag = PMNC_CCR, .irq = PMNC_ECC, .fiq = PMNC_FCC },
	[PMK_ARM11_CTR_PMN0] = { .reg = PMK_ARM11_PMN0, .event = PMNC_EVTCOUNT0,
				 .flag = PMNC_CR0, .irq = PMNC_EC0, .fiq = PMNC_FC0 },
	[PMK_ARM11_CTR_PMN1] = { .reg = PMK_ARM11_PMN1, .event = PMNC_EVTCOUNT1,
				 .flag = PMNC_CR1, .irq = PMNC_EC1, .fiq = PMNC_FC1 },
};

static const struct pmk_counter counters[PMK_ARM11_NCTRS] = {
	[PMK_ARM11_CTR_CCNT] = { .name = "CCNT", .width = 32, .fixed_code = 0xFF },
	[PMK_ARM11_CTR_PMN0] = { .name = "PMN0", .width = 32, .fixed_code = -1 },
	[PMK_ARM11_CTR_PMN1] = { .name = "PMN1", .width = 32, .fixed_code = -1 },
};
/* clang-format on */

static const struct pmk_arm11_core core_1136_r0 = {
	.id = PMK_ARM11_1136_R0,
	.config = PMNC_CONFIG,
	.idle_event = PMK_ARM11_ETMEXTOUT_0,
};

static const struct pmk_arm11_core core_1136 = {
	.id = PMK_ARM11_1136,
	.config = PMNC_CONFIG,
	.idle_event = PMK_ARM11_ETMEXTOUT_0,
};

static const struct pmk_arm11_core core_1156 = {
	.id = PMK_ARM11_1156,
	.config = PMNC_CONFIG | PMNC_FIQS,
	.idle_event = PMK_ARM11_ETMEXTOUT_0,
};

static const struct pmk_arm11_core core_1176 = {
	.id = PMK_ARM11_1176,
	.config = PMNC_CONFIG,
	.idle_event = PMK_ARM11_ETMEXTOUT_0,
};

/*
 * The MPCore has no event that never happens. So the driver leaves idle counters on event 0.
 * (Linux's perf_event_v6.c leaves them on their last event.)
 */
static const struct pmk_arm11_core core_mpcore = {
	.id = PMK_ARM11_MPCORE,
	.config = PMNC_CONFIG,
	.idle_event = PMK_ARM11MPCORE_ICACHE_MISS,
};

/* The events that `pmk stat` counts by default. The ARM1156 has no TLB. */
#define DEFAULTS                                                        \
	"cpu_cycles instr_exec br_exec br_mispredict icache_miss "      \
	"dcache_access_cacheable dcache_miss main_tlb_miss ibuf_stall " \
	"ddep_stall lsu_full_stall"
#define DEFAULTS_1156                                                \
	"cpu_cycles instr_exec br_exec br_mispredict icache_miss "   \
	"dcache_access_cacheable dcache_miss ibuf_stall ddep_stall " \
	"lsu_full_stall"
#define DEFAULTS_MPCORE                                                      \
	"cpu_cycles instr_exec br_exec br_mispredict icache_miss "           \
	"dcache_rdaccess dcache_rdmiss main_tlb_miss ibuf_stall ddep_stall " \
	"lsu_full_stall"

/* The members of a PMU that the driver uses. */
#define MEMBERS(is, of_core, list)                                                         \
	.driver = &pmk_arm11_driver, .core = (is), .family = &(of_core), .events = (list), \
	.nevents = COUNT(list), .counters = counters, .ncounters = COUNT(counters)

const struct pmk_pmu pmk_arm1136_r0 = {
	.name = "arm1136r0",
	MEMBERS(PMK_ARM11_IS_1136_R0, core_1136_r0, pmk_arm11_events),
	PMK_HOST(.aliases = "arm1136-r0 arm1136-r2",
		 .brief = "ARM1136J(F)-S performance monitor, revision 0",
		 .note = "counts in Debug state, unlike r1p0 and later (inferred from DDI 0211K "
			 "§3.3.40-41)",
		 .defaults = DEFAULTS, .regs = pmk_arm11_regs_1136, .nregs = PMK_ARM11_SUNAVCR)
};

const struct pmk_pmu pmk_arm1136 = {
	.name = "arm1136",
	MEMBERS(PMK_ARM11_IS_1136, core_1136, pmk_arm11_events),
	PMK_HOST(.aliases = "arm_1136 armv6_1136 arm1136j-s arm1136jf-s",
		 .brief = "ARM1136J(F)-S performance monitor, r1p0 and later",
		 .note = "the reset value of CCNT is unpredictable; those of D, X and E are not "
			 "documented",
		 .defaults = DEFAULTS, .regs = pmk_arm11_regs_1136, .nregs = PMK_ARM11_SUNAVCR)
};

const struct pmk_pmu pmk_arm1156 = {
	.name = "arm1156",
	MEMBERS(PMK_ARM11_IS_1156, core_1156, pmk_arm11_events),
	PMK_HOST(.aliases = "arm_1156 armv6_1156 arm1156t2-s arm1156t2f-s",
		 .brief = "ARM1156T2(F)-S performance monitor",
		 .note = "from DAI 0195B alone: user access, reset values and the FIQ output "
			 "are our choice",
		 .defaults = DEFAULTS_1156, .regs = pmk_arm11_regs_1156, .nregs = PMK_ARM11_SUNAVCR)
};

const struct pmk_pmu pmk_arm1176 = {
	.name = "arm1176",
	MEMBERS(PMK_ARM11_IS_1176, core_1176, pmk_arm11_events),
	PMK_HOST(.aliases = "arm_1176 armv6_1176 arm1176jz-s arm1176jzf-s",
		 .brief = "ARM1176JZ(F)-S performance monitor", .defaults = DEFAULTS,
		 .regs = pmk_arm11_regs_1176, .nregs = PMK_ARM11_NREGS)
};

const struct pmk_pmu pmk_arm11mpcore = {
	.name = "arm11mpcore",
	MEMBERS(PMK_ARM11_IS_MPCORE, core_mpcore, pmk_arm11mpcore_events),
	PMK_HOST(.aliases = "armv6_11mpcore arm_11mpcore arm11_mpcore",
		 .brief = "ARM11 MPCore performance monitor of one processor",
		 .note = "from secondary sources (Linux, OProfile, gator), which use PMNC as "
			 "the ARM1136 has it; user access and reset values are our choice",
		 .defaults = DEFAULTS_MPCORE, .regs = pmk_arm11_regs_mpcore,
		 .nregs = PMK_ARM11_SUNAVCR)
};
