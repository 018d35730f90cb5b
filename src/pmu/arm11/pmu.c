// SPDX-License-Identifier: MIT
/*
 * ARM11 PMU: counters, register descriptions and the five personalities. Freestanding.
 *
 * The cores share registers and encodings (DAI 0195B §2). They differ in events (see events.c), in
 * who may access the registers (see model.c), and in a few bits: the ARM1156 has FIQ enables in
 * PMNC [30:28], the ARM1176 a register that opens the others to user mode.
 *
 * Not described: the System Validation registers of the ARM1176 (DDI 0301H §3.2.55-56), the SCU
 * event counters of the MPCore.
 */
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

#define T1       "DAI 0195B Table 1"
#define T1_T138  "DAI 0195B Table 1; DDI 0211 Table 3.138; DDI 0301H Table 3-136"
#define T1_T139  "DAI 0195B Table 1; DDI 0211 Table 3.139; DDI 0301H Table 3-136"

static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const off_on[] = { "disabled", "enabled", NULL };
static const char *const overflowed[] = { "no overflow", "overflowed", NULL };
static const char *const divider[] = { "counts every cycle", "counts every 64th cycle", NULL };
static const char *const enable[] = { "all counters stopped", "all counters count", NULL };
static const char *const export[] = { "EVNTBUS held at 0", "EVNTBUS driven by the events", NULL };
static const char *const validation[] = { "privileged modes only", "all modes, both worlds", NULL };

#define PMNC_COMMON \
	{ .name = "EvtCount0", .mask = PMNC_EVTCOUNT0, .access = "RW", .ref = T1_T138, \
	  .brief = "event that PMN0 counts", .event = true }, \
	{ .name = "EvtCount1", .mask = PMNC_EVTCOUNT1, .access = "RW", .ref = T1_T138, \
	  .brief = "event that PMN1 counts", .event = true }, \
	{ .name = "X", .mask = PMNC_X, .access = "RW", .ref = T1_T138, \
	  .brief = "export of the events to trace hardware", .values = export }, \
	{ .name = "CCR", .mask = PMNC_CCR, .access = "W1C", .ref = T1_T139, \
	  .brief = "CCNT overflow flag (OCC)", .values = overflowed }, \
	{ .name = "CR1", .mask = PMNC_CR1, .access = "W1C", .ref = T1_T139, \
	  .brief = "PMN1 overflow flag (OC1)", .values = overflowed }, \
	{ .name = "CR0", .mask = PMNC_CR0, .access = "W1C", .ref = T1_T139, \
	  .brief = "PMN0 overflow flag (OC0)", .values = overflowed }, \
	{ .name = "SBZ", .mask = PMK_BIT(7), .access = "SBZ", .ref = T1_T138, \
	  .brief = "should be written as 0, unpredictable when read" }, \
	{ .name = "ECC", .mask = PMNC_ECC, .access = "RW", .ref = T1_T138, \
	  .brief = "interrupt on CCNT overflow", .values = off_on }, \
	{ .name = "EC1", .mask = PMNC_EC1, .access = "RW", .ref = T1_T138, \
	  .brief = "interrupt on PMN1 overflow", .values = off_on }, \
	{ .name = "EC0", .mask = PMNC_EC0, .access = "RW", .ref = T1_T138, \
	  .brief = "interrupt on PMN0 overflow", .values = off_on }, \
	{ .name = "D", .mask = PMNC_D, .access = "RW", .ref = T1_T138, \
	  .brief = "CCNT divider", .values = divider }, \
	{ .name = "C", .mask = PMNC_C, .access = "WO", .ref = T1_T138, \
	  .brief = "written as 1: zero CCNT; unpredictable when read", \
	  .values = no_yes }, \
	{ .name = "P", .mask = PMNC_P, .access = "WO", .ref = T1_T138, \
	  .brief = "written as 1: zero PMN0 and PMN1; unpredictable when read", \
	  .values = no_yes }, \
	{ .name = "E", .mask = PMNC_E, .access = "RW", .ref = T1_T138, \
	  .brief = "enable; has to be 1 in a write that drops an interrupt", .values = enable }

static const struct pmk_field pmnc_fields[] = {
	{ .name = "SBZ", .mask = PMK_BITS(31, 28), .access = "SBZ", .ref = T1_T138,
	  .brief = "should be written as 0, unpredictable when read" },
	PMNC_COMMON
};

static const struct pmk_field pmnc_fields_1156[] = {
	{ .name = "SBZ", .mask = PMK_BIT(31), .access = "SBZ", .ref = T1,
	  .brief = "should be written as 0, unpredictable when read" },
	{ .name = "FCC", .mask = PMNC_FCC, .access = "RW", .ref = T1,
	  .brief = "FIQ on CCNT overflow", .values = off_on },
	{ .name = "FC1", .mask = PMNC_FC1, .access = "RW", .ref = T1,
	  .brief = "FIQ on PMN1 overflow", .values = off_on },
	{ .name = "FC0", .mask = PMNC_FC0, .access = "RW", .ref = T1,
	  .brief = "FIQ on PMN0 overflow", .values = off_on },
	PMNC_COMMON
};

static const struct pmk_field ccnt_fields[] = {
	{ .name = "Count", .mask = PMK_BITS(31, 0), .access = "RW",
	  .ref = "DAI 0195B §1; DDI 0211K §3.3.40; DDI 0301H §3.2.52",
	  .brief = "cycles, or 64ths of them with PMNC.D" },
};

static const struct pmk_field pmn_fields[] = {
	{ .name = "Count", .mask = PMK_BITS(31, 0), .access = "RW",
	  .ref = "DAI 0195B §1; DDI 0211K §3.3.41; DDI 0301H §3.2.53-54",
	  .brief = "occurrences of the event selected in PMNC" },
};

static const struct pmk_field sunavcr_fields[] = {
	{ .name = "SBZ", .mask = PMK_BITS(31, 1), .access = "SBZ", .ref = "DDI 0301H §3.2.50",
	  .brief = "should be written as 0, unpredictable when read" },
	{ .name = "V", .mask = SUNAVCR_V, .access = "RW", .ref = "DDI 0301H §3.2.50",
	  .brief = "access to the performance monitor and validation registers",
	  .values = validation },
};

#define PMNC_ROW(fields_) \
	[PMK_ARM11_PMNC] = { .name = "PMNC", .aliases = "PMCR", \
			     .where = "p15, 0, <Rd>, c15, c12, 0", \
			     .width = 32, .fields = (fields_), .nfields = COUNT(fields_), \
			     .ref = "DAI 0195B §2; DDI 0211 Table 3.138; DDI 0301H §3.2.51", \
			     .brief = "Performance Monitor Control Register" }

#define COUNTER_ROWS \
	[PMK_ARM11_CCNT] = { .name = "CCNT", .where = "p15, 0, <Rd>, c15, c12, 1", .width = 32, \
			     .fields = ccnt_fields, .nfields = COUNT(ccnt_fields), \
			     .ref = "DAI 0195B §1; DDI 0211K §3.3.40; DDI 0301H §3.2.52", \
			     .brief = "Cycle Counter Register" }, \
	[PMK_ARM11_PMN0] = { .name = "PMN0", .aliases = "PMNC0", \
			     .where = "p15, 0, <Rd>, c15, c12, 2", \
			     .width = 32, .fields = pmn_fields, .nfields = COUNT(pmn_fields), \
			     .ref = "DAI 0195B §1; DDI 0211K §3.3.41; DDI 0301H §3.2.53", \
			     .brief = "Count Register 0" }, \
	[PMK_ARM11_PMN1] = { .name = "PMN1", .aliases = "PMNC1", \
			     .where = "p15, 0, <Rd>, c15, c12, 3", \
			     .width = 32, .fields = pmn_fields, .nfields = COUNT(pmn_fields), \
			     .ref = "DAI 0195B §1; DDI 0211; DDI 0301H §3.2.54", \
			     .brief = "Count Register 1" }

static const struct pmk_reg_info regs[] = {
	PMNC_ROW(pmnc_fields),
	COUNTER_ROWS,
};

static const struct pmk_reg_info regs_1156[] = {
	PMNC_ROW(pmnc_fields_1156),
	COUNTER_ROWS,
};

static const struct pmk_reg_info regs_1176[] = {
	PMNC_ROW(pmnc_fields),
	COUNTER_ROWS,
	[PMK_ARM11_SUNAVCR] = { .name = "SUNAVCR", .where = "p15, 0, <Rd>, c15, c9, 0", .width = 32,
				.fields = sunavcr_fields, .nfields = COUNT(sunavcr_fields),
				.ref = "DDI 0301H §3.2.50",
				.brief = "Secure User and Non-secure Access Validation Control "
					 "Register" },
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

/* No event of the MPCore stands still; its idle counters are left on event 0 (Linux
 * perf_event_v6.c leaves them on their last one). */
static const struct pmk_arm11_core core_mpcore = {
	.id = PMK_ARM11_MPCORE,
	.config = PMNC_CONFIG,
	.idle_event = PMK_ARM11MPCORE_ICACHE_MISS,
};

const struct pmk_pmu pmk_arm1136_r0 = {
	.name = "arm1136r0",
	.aliases = "arm1136-r0 arm1136-r2",
	.brief = "ARM1136J(F)-S performance monitor, revision 0",
	.note = "counts in Debug state, unlike r1p0 and later (inferred from DDI 0211K §3.3.40-41)",
	.driver = &pmk_arm11_driver,
	.events = pmk_arm11_events,
	.nevents = PMK_ARM11_NEVENTS,
	.core = PMK_ARM11_IS_1136_R0,
	.counters = counters,
	.ncounters = COUNT(counters),
	.regs = regs,
	.nregs = COUNT(regs),
	.family = &core_1136_r0,
};

const struct pmk_pmu pmk_arm1136 = {
	.name = "arm1136",
	.aliases = "arm_1136 armv6_1136 arm1136j-s arm1136jf-s",
	.brief = "ARM1136J(F)-S performance monitor, r1p0 and later",
	.note = "the reset value of CCNT is unpredictable; those of D, X and E are not documented",
	.driver = &pmk_arm11_driver,
	.events = pmk_arm11_events,
	.nevents = PMK_ARM11_NEVENTS,
	.core = PMK_ARM11_IS_1136,
	.counters = counters,
	.ncounters = COUNT(counters),
	.regs = regs,
	.nregs = COUNT(regs),
	.family = &core_1136,
};

const struct pmk_pmu pmk_arm1156 = {
	.name = "arm1156",
	.aliases = "arm_1156 armv6_1156 arm1156t2-s arm1156t2f-s",
	.brief = "ARM1156T2(F)-S performance monitor",
	.note = "from DAI 0195B alone: user access, reset values and the FIQ output are our choice",
	.driver = &pmk_arm11_driver,
	.events = pmk_arm11_events,
	.nevents = PMK_ARM11_NEVENTS,
	.core = PMK_ARM11_IS_1156,
	.counters = counters,
	.ncounters = COUNT(counters),
	.regs = regs_1156,
	.nregs = COUNT(regs_1156),
	.family = &core_1156,
};

const struct pmk_pmu pmk_arm1176 = {
	.name = "arm1176",
	.aliases = "arm_1176 armv6_1176 arm1176jz-s arm1176jzf-s",
	.brief = "ARM1176JZ(F)-S performance monitor",
	.driver = &pmk_arm11_driver,
	.events = pmk_arm11_events,
	.nevents = PMK_ARM11_NEVENTS,
	.core = PMK_ARM11_IS_1176,
	.counters = counters,
	.ncounters = COUNT(counters),
	.regs = regs_1176,
	.nregs = COUNT(regs_1176),
	.family = &core_1176,
};

const struct pmk_pmu pmk_arm11mpcore = {
	.name = "arm11mpcore",
	.aliases = "armv6_11mpcore arm_11mpcore arm11_mpcore",
	.brief = "ARM11 MPCore performance monitor of one processor",
	.note = "from secondary sources (Linux, OProfile, gator), which use PMNC as the ARM1136 "
		"has it; user access and reset values are our choice",
	.driver = &pmk_arm11_driver,
	.events = pmk_arm11mpcore_events,
	.nevents = PMK_ARM11MPCORE_NEVENTS,
	.core = PMK_ARM11_IS_MPCORE,
	.counters = counters,
	.ncounters = COUNT(counters),
	.regs = regs,
	.nregs = COUNT(regs),
	.family = &core_mpcore,
};
