// SPDX-License-Identifier: MIT
/*
 * PMUv3: addresses of the registers, and their descriptions for the model, `pmk decode` and `pmk
 * info`. Source: DDI 0487 D23.5. There are two tables. One has registers of 32 bits, for the PMUs
 * that are named after a core (up to PMUv3p4). The other one has registers of 64 bits, with the
 * additions of later versions.
 *
 * The tables do not describe MDCR_EL2 and MDCR_EL3, the registers of the instruction counter, of
 * PMUv3p9 and of snapshots, and the identification registers of the memory-mapped view.
 */
#include "pmu/armv8/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define D23	 "DDI 0487 D23.5"

/* clang-format off */
const struct pmk_armv8_place pmk_armv8_places[PMK_ARMV8_NREGS] = {
#define ALL(reg, name, op0, op1, crn, crm, op2, off) \
	[PMK_ARMV8_##reg] = { PMK_ARMV8_SYSREG(op0, op1, crn, crm, op2), \
			      PMK_ARMV8_CP15(crn, crm, op2), off },
#define SYS(reg, name, op0, op1, crn, crm, op2) \
	ALL(reg, name, op0, op1, crn, crm, op2, PMK_ARMV8_NA)
#define A64(reg, name, op0, op1, crn, crm, op2) \
	[PMK_ARMV8_##reg] = { PMK_ARMV8_SYSREG(op0, op1, crn, crm, op2), \
			      PMK_ARMV8_NA, PMK_ARMV8_NA },
	PMK_ARMV8_PLACES(ALL, SYS, A64)
#undef ALL
#undef SYS
#undef A64
#define X(n, crm, tcrm, op2, off, toff) \
	[PMK_ARMV8_PMEVCNTR0 + n] = { PMK_ARMV8_SYSREG(3, 3, 14, crm, op2), \
				      PMK_ARMV8_CP15(14, crm, op2), off }, \
	[PMK_ARMV8_PMEVTYPER0 + n] = { PMK_ARMV8_SYSREG(3, 3, 14, tcrm, op2), \
				       PMK_ARMV8_CP15(14, tcrm, op2), toff },
	PMK_ARMV8_EACH_COUNTER(X)
#undef X
};

/* The names of the registers in assembler, for AArch64 and AArch32. */
#define MRS_TEXT(name, op0, op1, crn, crm, op2) \
	name " (S" #op0 "_" #op1 "_C" #crn "_C" #crm "_" #op2 ")"
#define CP15_TEXT(crn, crm, op2) "; p15, 0, <Rt>, c" #crn ", c" #crm ", " #op2
#define ALL(reg, name, op0, op1, crn, crm, op2, off) \
	static const char where_##reg[] = MRS_TEXT(name, op0, op1, crn, crm, op2) \
		CP15_TEXT(crn, crm, op2) "; offset " #off;
#define SYS(reg, name, op0, op1, crn, crm, op2) \
	static const char where_##reg[] = MRS_TEXT(name, op0, op1, crn, crm, op2) \
		CP15_TEXT(crn, crm, op2);
#define A64(reg, name, op0, op1, crn, crm, op2) \
	static const char where_##reg[] = MRS_TEXT(name, op0, op1, crn, crm, op2);
PMK_ARMV8_PLACES(ALL, SYS, A64)
#undef ALL
#undef SYS
#undef A64

static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const off_on[] = { "disabled", "enabled", NULL };
static const char *const running[] = { "all counters stopped", "enabled counters count", NULL };
static const char *const divider[] = { "every cycle", "every 64th cycle, if LC is 0", NULL };
static const char *const at_bit[] = { "overflow at bit 31", "overflow at bit 63", NULL };
static const char *const not_counted[] = { "counts", "does not count", NULL };
static const char *const counted[] = { "does not count", "counts", NULL };
static const char *const denied[] = { "trapped", "allowed", NULL };
static const char *const pmuver[] = {
	"none", "PMUv3", "reserved", "reserved", "PMUv3p1", "PMUv3p4", "PMUv3p5", "PMUv3p7",
	"PMUv3p8", "PMUv3p9", "reserved", "reserved", "reserved", "reserved", "reserved",
	"another PMU, not PMUv3", NULL
};

#define FIELD(name_, mask_, access_, values_, brief_) \
	{ .name = name_, .mask = mask_, .access = access_, .ref = D23, .brief = brief_, \
	  .values = values_ }

#define PMCR_FIELDS \
	FIELD("IMP", PMCR_IMP, PMK_RO, NULL, "implementer, 0x41 is Arm"), \
	FIELD("IDCODE", PMCR_IDCODE, PMK_RO, NULL, \
	      "0x01 Cortex-A57, 0x02 A72, 0x03 A53, 0x45 A55, 0x0C Neoverse N1"), \
	FIELD("N", PMCR_N, PMK_RO, NULL, "event counters; at EL1 and EL0, MDCR_EL2.HPMN of them"), \
	FIELD("FZO", PMCR_FZO, PMK_RW, off_on, "freeze on overflow (PMUv3p7)"), \
	FIELD("LP", PMCR_LP, PMK_RW, at_bit, "event counters (PMUv3p5)"), \
	FIELD("LC", PMCR_LC, PMK_RW, at_bit, "cycle counter"), \
	FIELD("DP", PMCR_DP, PMK_RW, no_yes, \
	      "cycle counter stops where event counting is prohibited"), \
	FIELD("X", PMCR_X, PMK_RW, off_on, "export of the events to trace hardware"), \
	FIELD("D", PMCR_D, PMK_RW, divider, "cycle counter"), \
	FIELD("C", PMCR_C, PMK_WO, no_yes, "written as 1: zero the cycle counter"), \
	FIELD("P", PMCR_P, PMK_WO, no_yes, "written as 1: zero the event counters"), \
	FIELD("E", PMCR_E, PMK_RW, running, "enable")

#define FILTER_FIELDS \
	FIELD("P", PMEVTYPER_P, PMK_RW, not_counted, "EL1"), \
	FIELD("U", PMEVTYPER_U, PMK_RW, not_counted, "EL0"), \
	FIELD("NSK", PMEVTYPER_NSK, PMK_RW, NULL, "Non-secure EL1: counts if equal to P (EL3)"), \
	FIELD("NSU", PMEVTYPER_NSU, PMK_RW, NULL, "Non-secure EL0: counts if equal to U (EL3)"), \
	FIELD("NSH", PMEVTYPER_NSH, PMK_RW, counted, "Non-secure EL2"), \
	FIELD("M", PMEVTYPER_M, PMK_RW, NULL, "EL3: counts if equal to P (EL3)")

#define MORE_FILTER_FIELDS \
	FIELD("SH", PMEVTYPER_SH, PMK_RW, NULL, "Secure EL2: counts if not equal to NSH"), \
	FIELD("T", PMEVTYPER_T, PMK_RW, not_counted, "transactions (TME)"), \
	FIELD("RLK", PMEVTYPER_RLK, PMK_RW, NULL, "Realm EL1: counts if equal to P (RME)"), \
	FIELD("RLU", PMEVTYPER_RLU, PMK_RW, NULL, "Realm EL0: counts if equal to U (RME)"), \
	FIELD("RLH", PMEVTYPER_RLH, PMK_RW, NULL, "Realm EL2: counts if not equal to NSH (RME)")

#define MT_FIELD \
	FIELD("MT", PMEVTYPER_MT, PMK_RW, no_yes, \
	      "events of all threads of the core, if it has any")

#define EVENT_FIELD \
	{ .name = "evtCount", .mask = PMEVTYPER_EVTCOUNT, .access = PMK_RW, .ref = D23, \
	  .brief = "event that is counted; bits [9:0] before PMUv3p1", .event = true }

static const struct pmk_field pmcr_fields[] = { PMCR_FIELDS };
static const struct pmk_field pmcr_p5_fields[] = {
	FIELD("FZS", PMCR_FZS, PMK_RW, off_on, "freeze on a full profiling buffer (SPEv1p2)"),
	PMCR_FIELDS
};

/* One bit per counter. Registers of 64 bits also have a bit for the instruction counter. */
#define SET_FIELDS(set, access_, of_cycles, of_events) \
	static const struct pmk_field set##_fields[] = { \
		FIELD("C", PMSET_C, access_, no_yes, of_cycles), \
		FIELD("P", PMSET_P, access_, NULL, of_events), \
	}; \
	static const struct pmk_field set##_p5_fields[] = { \
		FIELD("F0", PMSET_F0, access_, no_yes, "this bit for the instruction counter"), \
		FIELD("C", PMSET_C, access_, no_yes, of_cycles), \
		FIELD("P", PMSET_P, access_, NULL, of_events), \
	};

#define ENABLED	   "cycle counter enabled", "event counters enabled: bit n, PMEVCNTR<n>"
#define INTERRUPTS "interrupt on overflow of the cycle counter", \
		   "interrupt on overflow of event counters: bit n, PMEVCNTR<n>"
#define OVERFLOWED "cycle counter overflowed", "event counters overflowed: bit n, PMEVCNTR<n>"
#define FIELDS_OF(set, access, texts) SET_FIELDS(set, access, texts)
FIELDS_OF(cntenset, PMK_W1S, ENABLED)
FIELDS_OF(cntenclr, PMK_W1C, ENABLED)
FIELDS_OF(intenset, PMK_W1S, INTERRUPTS)
FIELDS_OF(intenclr, PMK_W1C, INTERRUPTS)
FIELDS_OF(ovsset, PMK_W1S, OVERFLOWED)
FIELDS_OF(ovsclr, PMK_W1C, OVERFLOWED)

static const struct pmk_field swinc_fields[] = {
	FIELD("P", PMSET_P, PMK_WO, NULL, "bit n: PMEVCNTR<n> counts one, if its event is sw_incr"),
};

static const struct pmk_field selr_fields[] = {
	FIELD("SEL", PMSELR_SEL, PMK_RW, NULL,
	      "what PMXEVTYPER and PMXEVCNTR access: n, or 31 for PMCCFILTR"),
};

static const struct pmk_field ceid0_fields[] = {
	FIELD("IDhi", PMCEID_EXTENDED, PMK_RO, NULL,
	      "bit n: event 0x4000 + n is counted (PMUv3p1)"),
	FIELD("ID", PMCEID_COMMON, PMK_RO, NULL, "bit n: event n is counted"),
};

static const struct pmk_field ceid1_fields[] = {
	FIELD("IDhi", PMCEID_EXTENDED, PMK_RO, NULL,
	      "bit n: event 0x4020 + n is counted (PMUv3p1)"),
	FIELD("ID", PMCEID_COMMON, PMK_RO, NULL, "bit n: event 0x20 + n is counted"),
};

static const struct pmk_field ccntr_fields[] = {
	FIELD("CCNT", PMK_BITS(63, 0), PMK_RW, NULL, "cycles"),
};

static const struct pmk_field evcntr_fields[] = {
	FIELD("EVCNT", PMK_BITS(31, 0), PMK_RW, NULL, "occurrences of the event"),
};

static const struct pmk_field evcntr_p5_fields[] = {
	FIELD("EVCNT", PMK_BITS(63, 0), PMK_RW, NULL, "occurrences of the event"),
};

static const struct pmk_field ccfiltr_fields[] = { FILTER_FIELDS, MORE_FILTER_FIELDS };
static const struct pmk_field evtyper_fields[] = {
	FILTER_FIELDS, MT_FIELD, MORE_FILTER_FIELDS, EVENT_FIELD
};
static const struct pmk_field evtyper_p5_fields[] = {
	FIELD("TC", PMEVTYPER_TC, PMK_RW, NULL, "threshold control"),
	FIELD("TE", PMEVTYPER_TE, PMK_RW, off_on, "threshold edge"),
	FIELD("SYNC", PMEVTYPER_SYNC, PMK_RW, off_on, "synchronous exception"),
	FIELD("VS", PMEVTYPER_VS, PMK_RW, NULL, "SVE mode filter"),
	FIELD("TLC", PMEVTYPER_TLC, PMK_RW, NULL, "threshold linking"),
	FIELD("TH", PMEVTYPER_TH, PMK_RW, NULL, "threshold"),
	FILTER_FIELDS, MT_FIELD, MORE_FILTER_FIELDS, EVENT_FIELD
};

static const struct pmk_field userenr_fields[] = {
	FIELD("TID", PMUSERENR_TID, PMK_RW, no_yes, "trap reads of PMCEID from EL0 (PMUv3p9)"),
	FIELD("IR", PMUSERENR_IR, PMK_RW, no_yes,
	      "instruction counter is read-only at EL0 (ICNTR)"),
	FIELD("UEN", PMUSERENR_UEN, PMK_RW, no_yes, "access per counter, PMUACR_EL1 (PMUv3p9)"),
	FIELD("ER", PMUSERENR_ER, PMK_RW, denied, "reads of event counters, and PMSELR, from EL0"),
	FIELD("CR", PMUSERENR_CR, PMK_RW, denied, "reads of the cycle counter from EL0"),
	FIELD("SW", PMUSERENR_SW, PMK_RW, denied, "writes of PMSWINC from EL0"),
	FIELD("EN", PMUSERENR_EN, PMK_RW, denied, "reads and writes of all but PMINTEN from EL0"),
};

static const struct pmk_field mmir_fields[] = {
	FIELD("EDGE", PMMIR_EDGE, PMK_RO, NULL, "edge detection"),
	FIELD("THWIDTH", PMMIR_THWIDTH, PMK_RO, NULL, "bits of PMEVTYPER.TH"),
	FIELD("BUS_WIDTH", PMMIR_BUS_WIDTH, PMK_RO, NULL, "log2 of the bus width in bytes, plus 1"),
	FIELD("BUS_SLOTS", PMMIR_BUS_SLOTS, PMK_RO, NULL, "most that bus_access counts in a cycle"),
	FIELD("SLOTS", PMMIR_SLOTS, PMK_RO, NULL, "most that stall_slot counts in a cycle"),
};

static const struct pmk_field dfr0_fields[] = {
	FIELD("HPMN0", DFR0_HPMN0, PMK_RO, no_yes, "MDCR_EL2.HPMN may be 0"),
	FIELD("-", PMK_BITS(59, 52), PMK_RO, NULL, "other debug features"),
	FIELD("MTPMU", DFR0_MTPMU, PMK_RO, NULL, "PMEVTYPER.MT"),
	FIELD("-", PMK_BITS(47, 20), PMK_RO, NULL, "other debug features"),
	FIELD("PMSS", DFR0_PMSS, PMK_RO, no_yes, "snapshots"),
	FIELD("-", PMK_BITS(15, 12), PMK_RO, NULL, "other debug features"),
	FIELD("PMUVer", DFR0_PMUVER, PMK_RO, pmuver, "version"),
	FIELD("-", PMK_BITS(7, 0), PMK_RO, NULL, "other debug features"),
};

/* The exception levels at which software can access the System registers. */
#define EL0_IF(bits)	"at EL0 only while PMUSERENR." bits " is set; at EL1 and above always"
#define NOTE_PMCR	EL0_IF("EN")
#define NOTE_PMCNTENSET EL0_IF("EN")
#define NOTE_PMCNTENCLR EL0_IF("EN")
#define NOTE_PMOVSCLR	EL0_IF("EN")
#define NOTE_PMOVSSET	EL0_IF("EN")
#define NOTE_PMINTENSET "at EL1 and above"
#define NOTE_PMINTENCLR "at EL1 and above"
#define NOTE_PMSWINC	EL0_IF("EN (ARMv8: or SW)")
#define NOTE_PMSELR	EL0_IF("EN (ARMv8: or ER)")
#define NOTE_PMCEID0	EL0_IF("EN")
#define NOTE_PMCEID1	EL0_IF("EN")
#define NOTE_PMCCNTR	EL0_IF("EN (ARMv8: or CR, for reads)")
#define NOTE_PMCCFILTR	EL0_IF("EN")
#define NOTE_PMUSERENR	"read at every level; written at EL1 and above"
#define NOTE_PMXEVTYPER EL0_IF("EN")
#define NOTE_PMXEVCNTR	EL0_IF("EN (ARMv8: or ER, for reads)")
#define NOTE_PMMIR	"at EL1 and above"

#define ROW(reg, aliases_, width_, fields_, brief_) \
	[PMK_ARMV8_##reg] = { .name = #reg, .aliases = aliases_, .where = where_##reg, \
			      .width = width_, .fields = fields_, .nfields = COUNT(fields_), \
			      .ref = D23, .brief = brief_, .note = NOTE_##reg }

/* The rows that are equal in both tables. */
#define COMMON_ROWS \
	ROW(PMSWINC, "PMSWINC_EL0", 32, swinc_fields, "Software Increment Register"), \
	ROW(PMSELR, "PMSELR_EL0", 32, selr_fields, "Event Counter Selection Register"), \
	ROW(PMCEID0, "PMCEID0_EL0", 64, ceid0_fields, \
	    "Common Event Identification Register 0"), \
	ROW(PMCEID1, "PMCEID1_EL0", 64, ceid1_fields, \
	    "Common Event Identification Register 1"), \
	ROW(PMCCNTR, "PMCCNTR_EL0", 64, ccntr_fields, "Cycle Count Register"), \
	ROW(PMUSERENR, "PMUSERENR_EL0", 32, userenr_fields, "User Enable Register"), \
	ROW(PMMIR, "PMMIR_EL1", 32, mmir_fields, "Machine Identification Register (PMUv3p4)"), \
	ROW(PMCCFILTR, "PMCCFILTR_EL0", 32, ccfiltr_fields, "Cycle Count Filter Register"), \
	[PMK_ARMV8_DFR0] = { \
	  .name = "ID_AA64DFR0", .aliases = "ID_AA64DFR0_EL1 DFR0", .where = where_DFR0, \
	  .width = 64, .fields = dfr0_fields, .nfields = COUNT(dfr0_fields), \
	  .ref = "DDI 0487 D23.2", .brief = "AArch64 Debug Feature Register 0", \
	  .note = "at EL1 and above" }

/* The rows that differ between the tables. The registers have `w` bits, and the names of their
 * field lists have the suffix `p5`. */
#define ROWS(w, p5) \
	ROW(PMCR, "PMCR_EL0", w, pmcr##p5##fields, "Control Register"), \
	ROW(PMCNTENSET, "PMCNTENSET_EL0", w, cntenset##p5##fields, "Count Enable Set Register"), \
	ROW(PMCNTENCLR, "PMCNTENCLR_EL0", w, cntenclr##p5##fields, \
	    "Count Enable Clear Register"), \
	ROW(PMOVSCLR, "PMOVSCLR_EL0 PMOVSR", w, ovsclr##p5##fields, \
	    "Overflow Flag Status Clear Register"), \
	ROW(PMOVSSET, "PMOVSSET_EL0", w, ovsset##p5##fields, \
	    "Overflow Flag Status Set Register"), \
	ROW(PMINTENSET, "PMINTENSET_EL1", w, intenset##p5##fields, \
	    "Interrupt Enable Set Register"), \
	ROW(PMINTENCLR, "PMINTENCLR_EL1", w, intenclr##p5##fields, \
	    "Interrupt Enable Clear Register"), \
	ROW(PMXEVTYPER, "PMXEVTYPER_EL0", w, evtyper##p5##fields, \
	    "Selected Event Type Register"), \
	ROW(PMXEVCNTR, "PMXEVCNTR_EL0", w, evcntr##p5##fields, "Selected Event Count Register")

#define COUNTER_ROWS(w, p5, n, crm, tcrm, op2, off, toff) \
	[PMK_ARMV8_PMEVCNTR0 + n] = { \
		.name = "PMEVCNTR" #n, .aliases = "PMEVCNTR" #n "_EL0", \
		.where = MRS_TEXT("PMEVCNTR" #n "_EL0", 3, 3, 14, crm, op2) \
			CP15_TEXT(14, crm, op2) "; offset " #off, \
		.width = w, .fields = evcntr##p5##fields, .nfields = COUNT(evcntr##p5##fields), \
		.ref = D23, .brief = "Event Count Register " #n, .note = NOTE_PMXEVCNTR }, \
	[PMK_ARMV8_PMEVTYPER0 + n] = { \
		.name = "PMEVTYPER" #n, .aliases = "PMEVTYPER" #n "_EL0", \
		.where = MRS_TEXT("PMEVTYPER" #n "_EL0", 3, 3, 14, tcrm, op2) \
			CP15_TEXT(14, tcrm, op2) "; offset " #toff, \
		.width = w, .fields = evtyper##p5##fields, .nfields = COUNT(evtyper##p5##fields), \
		.ref = D23, .brief = "Event Type Register " #n, .note = NOTE_PMXEVTYPER },

const struct pmk_reg_info pmk_armv8_regs[PMK_ARMV8_NREGS] = {
	ROWS(32, _),
	COMMON_ROWS,
#define X(n, crm, tcrm, op2, off, toff) COUNTER_ROWS(32, _, n, crm, tcrm, op2, off, toff)
	PMK_ARMV8_EACH_COUNTER(X)
#undef X
};

const struct pmk_reg_info pmk_armv8_p5_regs[PMK_ARMV8_NREGS] = {
	ROWS(64, _p5_),
	COMMON_ROWS,
#define X(n, crm, tcrm, op2, off, toff) COUNTER_ROWS(64, _p5_, n, crm, tcrm, op2, off, toff)
	PMK_ARMV8_EACH_COUNTER(X)
#undef X
};
/* clang-format on */
