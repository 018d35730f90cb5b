// SPDX-License-Identifier: MIT
/*
 * Describes the registers of Armv8.1-M's PMU for the model, `pmk decode` and `pmk info`, except the
 * identification registers PIDR and CIDR. This file is not part of the firmware library.
 */
#include "pmu/armv81m/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SOURCE	 "DDI 0553"

static const char *const off_on[] = { "off", "on", NULL };
static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const running[] = { "all counters stopped", "enabled counters count", NULL };
static const char *const permitted[] = { "not there", "reserved", "off", "permitted", NULL };

/* clang-format off */
#define FIELD(name_, mask_, access_, values_, brief_) \
	{ .name = name_, .mask = mask_, .access = access_, .ref = SOURCE, .values = values_, \
	  .brief = brief_ }

static const struct pmk_field evcntr_fields[] = {
	FIELD("COUNTER", EVCNTR_COUNT, PMK_RW, NULL, "occurrences of the event"),
};
static const struct pmk_field ccntr_fields[] = {
	FIELD("CCNT", CCNTR_COUNT, PMK_RW, NULL, "cycles"),
};
static const struct pmk_field evtyper_fields[] = {
	{ .name = "EVTCOUNT", .mask = EVTYPER_EVTCOUNT, .access = PMK_RW, .ref = SOURCE,
	  .brief = "event that is counted", .event = true },
};
static const struct pmk_field ccfiltr_fields[] = {
	FIELD("-", PMK_BITS(31, 0), PMK_SBZ, NULL, "RES0"),
};

#define SET_FIELDS(set, access_, of_cycles, of_events) \
	static const struct pmk_field set##_fields[] = { \
		FIELD("C", SET_C, access_, no_yes, of_cycles), \
		FIELD("P", SET_P, access_, NULL, of_events), \
	};
#define ENABLED	   "PMU_CCNTR enabled", "bit n: PMU_EVCNTR<n> enabled"
#define INTERRUPTS "interrupt on overflow of PMU_CCNTR", \
		   "bit n: interrupt on overflow of PMU_EVCNTR<n>"
#define OVERFLOWED "PMU_CCNTR overflowed", "bit n: PMU_EVCNTR<n> overflowed"
#define FIELDS_OF(set, access, texts) SET_FIELDS(set, access, texts)
FIELDS_OF(cntenset, PMK_W1S, ENABLED)
FIELDS_OF(cntenclr, PMK_W1C, ENABLED)
FIELDS_OF(intenset, PMK_W1S, INTERRUPTS)
FIELDS_OF(intenclr, PMK_W1C, INTERRUPTS)
FIELDS_OF(ovsset, PMK_W1S, OVERFLOWED)
FIELDS_OF(ovsclr, PMK_W1C, OVERFLOWED)

static const struct pmk_field swinc_fields[] = {
	FIELD("P", SET_P, PMK_WO, NULL, "bit n: PMU_EVCNTR<n> counts one, if its event is sw_incr"),
};
static const struct pmk_field type_fields[] = {
	FIELD("TRO", TYPE_TRO, PMK_RO, no_yes, "PMU_CTRL.TRO exists"),
	FIELD("FZO", TYPE_FZO, PMK_RO, no_yes, "PMU_CTRL.FRZO exists"),
	FIELD("CC", TYPE_CC, PMK_RO, no_yes, "PMU_CCNTR exists"),
	FIELD("SIZE", TYPE_SIZE, PMK_RO, NULL, "31: registers are spaced by 32 bits"),
	FIELD("N", TYPE_N, PMK_RO, NULL, "number of event counters"),
};
static const struct pmk_field ctrl_fields[] = {
	FIELD("TRO", CTRL_TRO, PMK_RW, off_on, "trace packet when an event counter overflows"),
	FIELD("FRZO", CTRL_FRZO, PMK_RW, off_on, "an overflow stops the event counters"),
	FIELD("DP", CTRL_DP, PMK_RW, no_yes, "PMU_CCNTR stops where event counting is prohibited"),
	FIELD("C", CTRL_C, PMK_WO, no_yes, "written as 1: zero PMU_CCNTR"),
	FIELD("P", CTRL_P, PMK_WO, no_yes, "written as 1: zero the event counters"),
	FIELD("E", CTRL_E, PMK_RW, running, "enable"),
};
static const struct pmk_field authstatus_fields[] = {
	FIELD("SUNID", AUTHSTATUS_SUNID, PMK_RO, permitted, "Secure unprivileged non-invasive"),
	FIELD("SUID", AUTHSTATUS_SUID, PMK_RO, permitted, "Secure unprivileged invasive"),
	FIELD("NSUNID", AUTHSTATUS_NSUNID, PMK_RO, permitted,
	      "Non-secure unprivileged non-invasive"),
	FIELD("NSUID", AUTHSTATUS_NSUID, PMK_RO, permitted, "Non-secure unprivileged invasive"),
	FIELD("SNID", AUTHSTATUS_SNID, PMK_RO, permitted, "Secure non-invasive"),
	FIELD("SID", AUTHSTATUS_SID, PMK_RO, permitted, "Secure invasive"),
	FIELD("NSNID", AUTHSTATUS_NSNID, PMK_RO, permitted, "Non-secure non-invasive"),
	FIELD("NSID", AUTHSTATUS_NSID, PMK_RO, permitted, "Non-secure invasive"),
};
static const struct pmk_field devarch_fields[] = {
	FIELD("ARCHITECT", DEVARCH_ARCHITECT, PMK_RO, NULL, "0x23B: Arm"),
	FIELD("PRESENT", DEVARCH_PRESENT, PMK_RO, no_yes, "this register exists"),
	FIELD("REVISION", DEVARCH_REVISION, PMK_RO, NULL, "revision of the architecture"),
	FIELD("ARCHID", DEVARCH_ARCHID, PMK_RO, NULL, "0x0A06: a PMU of the M profile"),
};
static const struct pmk_field devtype_fields[] = {
	FIELD("SUB", DEVTYPE_SUB, PMK_RO, NULL, "1: of a processor"),
	FIELD("MAJOR", DEVTYPE_MAJOR, PMK_RO, NULL, "6: performance monitor"),
};
static const struct pmk_field demcr_fields[] = {
	FIELD("TRCENA", DEMCR_TRCENA, PMK_RW, off_on, "DWT, ITM and PMU"),
	FIELD("MON", DEMCR_MON, PMK_RW, NULL, "debug monitor: REQ, STEP, PEND, EN"),
	FIELD("VC", DEMCR_CATCH, PMK_RW, NULL, "exceptions that halt"),
	FIELD("VC_CORERESET", DEMCR_CATCH_RESET, PMK_RW, no_yes, "reset halts"),
};

#define ROW(at, f, start, name_, text) \
	{ .name = name_, .where = at, .width = 32, .fields = f, .nfields = COUNT(f), \
	  .reset = (start), .ref = SOURCE, .brief = text, \
	  .note = "privileged code, and debuggers; a BusFault otherwise" }
#define REG(reg, at, f, start, text) \
	[PMK_ARMV81M_##reg] = ROW(at, f, start, "PMU_" #reg, text)
#define EVENT_COUNTER(n, at, type_at) \
	[PMK_ARMV81M_EVCNTR0 + n] = ROW(at, evcntr_fields, 0, "PMU_EVCNTR" #n, \
					"event counter " #n), \
	[PMK_ARMV81M_EVTYPER0 + n] = ROW(type_at, evtyper_fields, 0, "PMU_EVTYPER" #n, \
					 "event of counter " #n)

const struct pmk_reg_info pmk_armv81m_regs[PMK_ARMV81M_NREGS] = {
	EVENT_COUNTER(0, "0xE0003000", "0xE0003400"),
	EVENT_COUNTER(1, "0xE0003004", "0xE0003404"),
	EVENT_COUNTER(2, "0xE0003008", "0xE0003408"),
	EVENT_COUNTER(3, "0xE000300C", "0xE000340C"),
	EVENT_COUNTER(4, "0xE0003010", "0xE0003410"),
	EVENT_COUNTER(5, "0xE0003014", "0xE0003414"),
	EVENT_COUNTER(6, "0xE0003018", "0xE0003418"),
	EVENT_COUNTER(7, "0xE000301C", "0xE000341C"),
	REG(CCNTR, "0xE000307C", ccntr_fields, 0, "cycle counter"),
	REG(CCFILTR, "0xE000347C", ccfiltr_fields, 0, "filter of the cycle counter: there is none"),
	REG(CNTENSET, "0xE0003C00", cntenset_fields, 0, "count enable, sets bits"),
	REG(CNTENCLR, "0xE0003C20", cntenclr_fields, 0, "count enable, clears bits"),
	REG(INTENSET, "0xE0003C40", intenset_fields, 0, "interrupt enable, sets bits"),
	REG(INTENCLR, "0xE0003C60", intenclr_fields, 0, "interrupt enable, clears bits"),
	REG(OVSCLR, "0xE0003C80", ovsclr_fields, 0, "overflow flags, clears bits"),
	REG(SWINC, "0xE0003CA0", swinc_fields, 0, "software increment"),
	REG(OVSSET, "0xE0003CC0", ovsset_fields, 0, "overflow flags, sets bits"),
	REG(TYPE, "0xE0003E00", type_fields, 0, "what exists"),
	REG(CTRL, "0xE0003E04", ctrl_fields, 0, "control"),
	REG(AUTHSTATUS, "0xE0003FB8", authstatus_fields, 0, "which debug is permitted"),
	REG(DEVARCH, "0xE0003FBC", devarch_fields, 0, "architecture of the device"),
	REG(DEVTYPE, "0xE0003FCC", devtype_fields, 0, "type of the device"),
	[PMK_ARMV81M_DEMCR] = ROW("0xE000EDFC", demcr_fields, 0, "DEMCR",
				  "debug exception and monitor control"),
};
/* clang-format on */
