// SPDX-License-Identifier: MIT
/* Describes the registers of the ARM11 PMU for the model, `pmk decode` and `pmk info`. This file is
 * not part of the firmware library. */
#include "pmu/arm11/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
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
	{ .name = "EvtCount0", .mask = PMNC_EVTCOUNT0, .access = PMK_RW, .ref = T1_T138, \
	  .brief = "event that PMN0 counts", .event = true }, \
	{ .name = "EvtCount1", .mask = PMNC_EVTCOUNT1, .access = PMK_RW, .ref = T1_T138, \
	  .brief = "event that PMN1 counts", .event = true }, \
	{ .name = "X", .mask = PMNC_X, .access = PMK_RW, .ref = T1_T138, \
	  .brief = "export of the events to trace hardware", .values = export }, \
	{ .name = "CCR", .mask = PMNC_CCR, .access = PMK_W1C, .ref = T1_T139, \
	  .brief = "CCNT overflow flag (OCC)", .values = overflowed }, \
	{ .name = "CR1", .mask = PMNC_CR1, .access = PMK_W1C, .ref = T1_T139, \
	  .brief = "PMN1 overflow flag (OC1)", .values = overflowed }, \
	{ .name = "CR0", .mask = PMNC_CR0, .access = PMK_W1C, .ref = T1_T139, \
	  .brief = "PMN0 overflow flag (OC0)", .values = overflowed }, \
	{ .name = "SBZ", .mask = PMK_BIT(7), .access = PMK_SBZ, .ref = T1_T138, \
	  .brief = "should be written as 0, unpredictable when read" }, \
	{ .name = "ECC", .mask = PMNC_ECC, .access = PMK_RW, .ref = T1_T138, \
	  .brief = "interrupt on CCNT overflow", .values = off_on }, \
	{ .name = "EC1", .mask = PMNC_EC1, .access = PMK_RW, .ref = T1_T138, \
	  .brief = "interrupt on PMN1 overflow", .values = off_on }, \
	{ .name = "EC0", .mask = PMNC_EC0, .access = PMK_RW, .ref = T1_T138, \
	  .brief = "interrupt on PMN0 overflow", .values = off_on }, \
	{ .name = "D", .mask = PMNC_D, .access = PMK_RW, .ref = T1_T138, \
	  .brief = "CCNT divider", .values = divider }, \
	{ .name = "C", .mask = PMNC_C, .access = PMK_WO, .ref = T1_T138, \
	  .brief = "written as 1: zero CCNT; unpredictable when read", \
	  .values = no_yes }, \
	{ .name = "P", .mask = PMNC_P, .access = PMK_WO, .ref = T1_T138, \
	  .brief = "written as 1: zero PMN0 and PMN1; unpredictable when read", \
	  .values = no_yes }, \
	{ .name = "E", .mask = PMNC_E, .access = PMK_RW, .ref = T1_T138, \
	  .brief = "enable; must be 1 in a write that clears an interrupt", .values = enable }

static const struct pmk_field pmnc_fields[] = {
	{ .name = "SBZ", .mask = PMK_BITS(31, 28), .access = PMK_SBZ, .ref = T1_T138,
	  .brief = "should be written as 0, unpredictable when read" },
	PMNC_COMMON
};

static const struct pmk_field pmnc_fields_1156[] = {
	{ .name = "SBZ", .mask = PMK_BIT(31), .access = PMK_SBZ, .ref = T1,
	  .brief = "should be written as 0, unpredictable when read" },
	{ .name = "FCC", .mask = PMNC_FCC, .access = PMK_RW, .ref = T1,
	  .brief = "FIQ on CCNT overflow", .values = off_on },
	{ .name = "FC1", .mask = PMNC_FC1, .access = PMK_RW, .ref = T1,
	  .brief = "FIQ on PMN1 overflow", .values = off_on },
	{ .name = "FC0", .mask = PMNC_FC0, .access = PMK_RW, .ref = T1,
	  .brief = "FIQ on PMN0 overflow", .values = off_on },
	PMNC_COMMON
};

static const struct pmk_field ccnt_fields[] = {
	{ .name = "Count", .mask = PMK_BITS(31, 0), .access = PMK_RW,
	  .ref = "DAI 0195B §1; DDI 0211K §3.3.40; DDI 0301H §3.2.52",
	  .brief = "cycles; with PMNC.D, every 64th cycle" },
};

static const struct pmk_field pmn_fields[] = {
	{ .name = "Count", .mask = PMK_BITS(31, 0), .access = PMK_RW,
	  .ref = "DAI 0195B §1; DDI 0211K §3.3.41; DDI 0301H §3.2.53-54",
	  .brief = "occurrences of the event selected in PMNC" },
};

static const struct pmk_field sunavcr_fields[] = {
	{ .name = "SBZ", .mask = PMK_BITS(31, 1), .access = PMK_SBZ, .ref = "DDI 0301H §3.2.50",
	  .brief = "should be written as 0, unpredictable when read" },
	{ .name = "V", .mask = SUNAVCR_V, .access = PMK_RW, .ref = "DDI 0301H §3.2.50",
	  .brief = "access to the performance monitor and validation registers",
	  .values = validation },
};

#define USER_1136 "privileged modes; Undefined in user mode (DDI 0211 Table 3.140)"
#define USER_1156 "privileged modes; Undefined in user mode (our choice: user_access)"
#define USER_1176 "privileged modes of both worlds; user mode too while SUNAVCR.V is 1"

#define RESET_FLAGS \
	"; at reset flags and interrupt enables are 0, the other bits are not documented"
#define RESET_OPEN  "; reset: not documented, 0 in the model (our choice)"
#define RESET_CCNT  "; reset: unpredictable (model: ccnt_reset)"

#define PMNC_ROW(fields_, note_) \
	[PMK_ARM11_PMNC] = { .name = "PMNC", .aliases = "PMCR", \
			     .where = "p15, 0, <Rd>, c15, c12, 0", \
			     .width = 32, .fields = (fields_), .nfields = COUNT(fields_), \
			     .ref = "DAI 0195B §2; DDI 0211 Table 3.138; DDI 0301H §3.2.51", \
			     .brief = "Performance Monitor Control Register", .note = (note_) }

#define COUNTER_ROWS(note_ccnt, note_pmn) \
	[PMK_ARM11_CCNT] = { .name = "CCNT", .where = "p15, 0, <Rd>, c15, c12, 1", .width = 32, \
			     .fields = ccnt_fields, .nfields = COUNT(ccnt_fields), \
			     .ref = "DAI 0195B §1; DDI 0211K §3.3.40; DDI 0301H §3.2.52", \
			     .brief = "Cycle Counter Register", .note = (note_ccnt) }, \
	[PMK_ARM11_PMN0] = { .name = "PMN0", .aliases = "PMNC0", \
			     .where = "p15, 0, <Rd>, c15, c12, 2", \
			     .width = 32, .fields = pmn_fields, .nfields = COUNT(pmn_fields), \
			     .ref = "DAI 0195B §1; DDI 0211K §3.3.41; DDI 0301H §3.2.53", \
			     .brief = "Count Register 0", .note = (note_pmn) }, \
	[PMK_ARM11_PMN1] = { .name = "PMN1", .aliases = "PMNC1", \
			     .where = "p15, 0, <Rd>, c15, c12, 3", \
			     .width = 32, .fields = pmn_fields, .nfields = COUNT(pmn_fields), \
			     .ref = "DAI 0195B §1; DDI 0211; DDI 0301H §3.2.54", \
			     .brief = "Count Register 1", .note = (note_pmn) }

const struct pmk_reg_info pmk_arm11_regs_1136[] = {
	PMNC_ROW(pmnc_fields, USER_1136 RESET_FLAGS),
	COUNTER_ROWS(USER_1136 RESET_CCNT, USER_1136),
};

const struct pmk_reg_info pmk_arm11_regs_mpcore[] = {
	PMNC_ROW(pmnc_fields, USER_1156 RESET_OPEN),
	COUNTER_ROWS(USER_1156 RESET_OPEN, USER_1156 RESET_OPEN),
};

const struct pmk_reg_info pmk_arm11_regs_1156[] = {
	PMNC_ROW(pmnc_fields_1156, USER_1156 RESET_FLAGS),
	COUNTER_ROWS(USER_1156 RESET_OPEN, USER_1156 RESET_OPEN),
};

const struct pmk_reg_info pmk_arm11_regs_1176[] = {
	PMNC_ROW(pmnc_fields, USER_1176),
	COUNTER_ROWS(USER_1176, USER_1176),
	[PMK_ARM11_SUNAVCR] = { .name = "SUNAVCR", .where = "p15, 0, <Rd>, c15, c9, 0", .width = 32,
				.fields = sunavcr_fields, .nfields = COUNT(sunavcr_fields),
				.ref = "DDI 0301H §3.2.50",
				.brief = "Secure User and Non-secure Access Validation Control "
					 "Register",
				.note = "Secure privileged modes; a write is Undefined while "
					"CP15SDISABLE is high (DDI 0301H Table 3-135)" },
};
/* clang-format on */
