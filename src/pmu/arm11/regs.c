// SPDX-License-Identifier: MIT
/* Describes the registers of the ARM11 PMU for the model, `pmk decode` and `pmk info`. This file is
 * not part of the firmware library. */
#include "pmu/arm11/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
#define FIELD(n, m, a, r, ...) \
	{ .name = n, .mask = m, .access = a, .ref = r, .brief = __VA_ARGS__ }

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
	FIELD("EvtCount0", PMNC_EVTCOUNT0, PMK_RW, T1_T138, "event that PMN0 counts", \
	      .event = true), \
	FIELD("EvtCount1", PMNC_EVTCOUNT1, PMK_RW, T1_T138, "event that PMN1 counts", \
	      .event = true), \
	FIELD("X", PMNC_X, PMK_RW, T1_T138, "export of the events to trace hardware", \
	      .values = export), \
	FIELD("CCR", PMNC_CCR, PMK_W1C, T1_T139, "CCNT overflow flag (OCC)", \
	      .values = overflowed), \
	FIELD("CR1", PMNC_CR1, PMK_W1C, T1_T139, "PMN1 overflow flag (OC1)", \
	      .values = overflowed), \
	FIELD("CR0", PMNC_CR0, PMK_W1C, T1_T139, "PMN0 overflow flag (OC0)", \
	      .values = overflowed), \
	FIELD("SBZ", PMK_BIT(7), PMK_SBZ, T1_T138, \
	      "should be written as 0, unpredictable when read"), \
	FIELD("ECC", PMNC_ECC, PMK_RW, T1_T138, "interrupt on CCNT overflow", .values = off_on), \
	FIELD("EC1", PMNC_EC1, PMK_RW, T1_T138, "interrupt on PMN1 overflow", .values = off_on), \
	FIELD("EC0", PMNC_EC0, PMK_RW, T1_T138, "interrupt on PMN0 overflow", .values = off_on), \
	FIELD("D", PMNC_D, PMK_RW, T1_T138, "CCNT divider", .values = divider), \
	FIELD("C", PMNC_C, PMK_WO, T1_T138, "written as 1: zero CCNT; unpredictable when read", \
	      .values = no_yes), \
	FIELD("P", PMNC_P, PMK_WO, T1_T138, \
	      "written as 1: zero PMN0 and PMN1; unpredictable when read", .values = no_yes), \
	FIELD("E", PMNC_E, PMK_RW, T1_T138, \
	      "enable; must be 1 in a write that clears an interrupt", .values = enable)

static const struct pmk_field pmnc_fields[] = {
	FIELD("SBZ", PMK_BITS(31, 28), PMK_SBZ, T1_T138,
	      "should be written as 0, unpredictable when read"),
	PMNC_COMMON
};

static const struct pmk_field pmnc_fields_1156[] = {
	FIELD("SBZ", PMK_BIT(31), PMK_SBZ, T1, "should be written as 0, unpredictable when read"),
	FIELD("FCC", PMNC_FCC, PMK_RW, T1, "FIQ on CCNT overflow", .values = off_on),
	FIELD("FC1", PMNC_FC1, PMK_RW, T1, "FIQ on PMN1 overflow", .values = off_on),
	FIELD("FC0", PMNC_FC0, PMK_RW, T1, "FIQ on PMN0 overflow", .values = off_on),
	PMNC_COMMON
};

static const struct pmk_field ccnt_fields[] = {
	FIELD("Count", PMK_BITS(31, 0), PMK_RW,
	      "DAI 0195B §1; DDI 0211K §3.3.40; DDI 0301H §3.2.52",
	      "cycles; with PMNC.D, every 64th cycle"),
};

static const struct pmk_field pmn_fields[] = {
	FIELD("Count", PMK_BITS(31, 0), PMK_RW,
	      "DAI 0195B §1; DDI 0211K §3.3.41; DDI 0301H §3.2.53-54",
	      "occurrences of the event selected in PMNC"),
};

static const struct pmk_field sunavcr_fields[] = {
	FIELD("SBZ", PMK_BITS(31, 1), PMK_SBZ, "DDI 0301H §3.2.50",
	      "should be written as 0, unpredictable when read"),
	FIELD("V", SUNAVCR_V, PMK_RW, "DDI 0301H §3.2.50",
	      "access to the performance monitor and validation registers", .values = validation),
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
