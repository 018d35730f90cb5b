// SPDX-License-Identifier: MIT
/* Describes the registers of the DWT's counters for the model, `pmk decode` and `pmk info`. This
 * file is not part of the firmware library. */
#include "pmu/dwt/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define R_CTRL	"DDI 0403E C1.8.7"
#define R_DEMCR "DDI 0403E C1.6.5"
#define R_LOCK	"DDI 0403E D1.1; DDI 0489F Table 11.1"

static const char *const there[] = { "there", "not there", NULL };
static const char *const counts[] = { "stands still", "counts", NULL };
static const char *const off_on[] = { "off", "on", NULL };
static const char *const locks[] = { "open", "locked", NULL };
static const char *const no_yes[] = { "no", "yes", NULL };

/* clang-format off */
#define FIELD(name_, mask_, access_, ref_, values_, brief_) \
	{ .name = name_, .mask = mask_, .access = access_, .ref = ref_, .values = values_, \
	  .brief = brief_ }

static const struct pmk_field ctrl_fields[] = {
	FIELD("NUMCOMP", CTRL_NUMCOMP, PMK_RO, R_CTRL, NULL, "number of comparators"),
	FIELD("NOTRCPKT", CTRL_NOTRCPKT, PMK_RO, R_CTRL, there, "trace packets"),
	FIELD("NOEXTTRIG", CTRL_NOEXTTRIG, PMK_RO, R_CTRL, there, "external match signals"),
	FIELD("NOCYCCNT", CTRL_NOCYCCNT, PMK_RO, R_CTRL, there, "CYCCNT"),
	FIELD("NOPRFCNT", CTRL_NOPRFCNT, PMK_RO, R_CTRL, there, "the 8-bit counters"),
	FIELD("CYCEVTENA", CTRL_CYCEVTENA, PMK_RW, R_CTRL, off_on, "packets when POSTCNT ends"),
	FIELD("FOLDEVTENA", CTRL_FOLDEVTENA, PMK_RW, R_CTRL, counts, "FOLDCNT; packets at its "
		"overflow"),
	FIELD("LSUEVTENA", CTRL_LSUEVTENA, PMK_RW, R_CTRL, counts,
	      "LSUCNT; packets at its overflow"),
	FIELD("SLEEPEVTENA", CTRL_SLEEPEVTENA, PMK_RW, R_CTRL, counts,
	      "SLEEPCNT; packets at its overflow"),
	FIELD("EXCEVTENA", CTRL_EXCEVTENA, PMK_RW, R_CTRL, counts,
	      "EXCCNT; packets at its overflow"),
	FIELD("CPIEVTENA", CTRL_CPIEVTENA, PMK_RW, R_CTRL, counts,
	      "CPICNT; packets at its overflow"),
	FIELD("EXCTRCENA", CTRL_EXCTRCENA, PMK_RW, R_CTRL, off_on, "packets of exceptions"),
	FIELD("PCSAMPLENA", CTRL_PCSAMPLENA, PMK_RW, R_CTRL, off_on, "packets of PC samples"),
	FIELD("SYNCTAP", CTRL_SYNCTAP, PMK_RW, R_CTRL, NULL, "how often synchronisation packets "
		"come"),
	FIELD("CYCTAP", CTRL_CYCTAP, PMK_RW, R_CTRL, NULL,
	      "bit of CYCCNT that counts POSTCNT down"),
	FIELD("POSTINIT", CTRL_POSTINIT, PMK_RW, R_CTRL, NULL, "initial value of POSTCNT"),
	FIELD("POSTPRESET", CTRL_POSTPRESET, PMK_RW, R_CTRL, NULL, "reload value of POSTCNT"),
	FIELD("CYCCNTENA", CTRL_CYCCNTENA, PMK_RW, R_CTRL, counts, "CYCCNT"),
};
static const struct pmk_field cyccnt_fields[] = {
	FIELD("Count", PMK_BITS(31, 0), PMK_RW, "DDI 0403E C1.8.8", NULL, "the count, which wraps"),
};
static const struct pmk_field narrow_fields[] = {
	FIELD("Count", PROFILING_COUNT, PMK_RW, "DDI 0403E C1.8.9-13", NULL,
	      "the count, which wraps and becomes 0 when its enable is set"),
};
static const struct pmk_field lar_fields[] = {
	FIELD("Key", PMK_BITS(31, 0), PMK_WO, R_LOCK, NULL, "0xC5ACCE55 opens the lock, anything "
		"else closes it"),
};
static const struct pmk_field lsr_fields[] = {
	FIELD("nTT", LSR_NTT, PMK_RO, R_LOCK, no_yes, "the lock has 8 bits"),
	FIELD("SLK", LSR_SLK, PMK_RO, R_LOCK, locks, "state of the lock"),
	FIELD("SLI", LSR_SLI, PMK_RO, R_LOCK, no_yes, "there is a lock"),
};
static const struct pmk_field demcr_fields[] = {
	FIELD("TRCENA", DEMCR_TRCENA, PMK_RW, R_DEMCR, off_on, "DWT and ITM"),
	FIELD("MON", DEMCR_MON, PMK_RW, R_DEMCR, NULL, "debug monitor: REQ, STEP, PEND, EN"),
	FIELD("VC", DEMCR_VC, PMK_RW, R_DEMCR, NULL, "exceptions that halt"),
	FIELD("VC_CORERESET", DEMCR_VC_RESET, PMK_RW, R_DEMCR, no_yes, "reset halts"),
};

#define REG(reg, n, alias, at, f, start, r, text) \
	[PMK_DWT_##reg] = { .name = n, .aliases = alias, .where = at, .width = 32, .fields = f, \
			    .nfields = COUNT(f), .reset = (start), .ref = r, .brief = text, \
			    .note = "privileged code, and debuggers; a BusFault otherwise" }

const struct pmk_reg_info pmk_dwt_regs[PMK_DWT_NREGS] = {
	REG(CTRL, "DWT_CTRL", "CTRL", "0xE0001000", ctrl_fields, 0, R_CTRL, "control"),
	REG(CYCCNT, "DWT_CYCCNT", "CYCCNT", "0xE0001004", cyccnt_fields, 0, "DDI 0403E C1.8.8",
	    "cycle counter"),
	REG(CPICNT, "DWT_CPICNT", "CPICNT", "0xE0001008", narrow_fields, 0, "DDI 0403E C1.8.9",
	    "cycles without an instruction"),
	REG(EXCCNT, "DWT_EXCCNT", "EXCCNT", "0xE000100C", narrow_fields, 0, "DDI 0403E C1.8.10",
	    "cycles of exception entry and exit"),
	REG(SLEEPCNT, "DWT_SLEEPCNT", "SLEEPCNT", "0xE0001010", narrow_fields, 0,
	    "DDI 0403E C1.8.11", "cycles asleep"),
	REG(LSUCNT, "DWT_LSUCNT", "LSUCNT", "0xE0001014", narrow_fields, 0, "DDI 0403E C1.8.12",
	    "further cycles of loads and stores"),
	REG(FOLDCNT, "DWT_FOLDCNT", "FOLDCNT", "0xE0001018", narrow_fields, 0, "DDI 0403E C1.8.13",
	    "instructions that took no cycle"),
	REG(LAR, "DWT_LAR", "LAR", "0xE0001FB0", lar_fields, 0, R_LOCK, "lock access"),
	REG(LSR, "DWT_LSR", "LSR", "0xE0001FB4", lsr_fields, 0, R_LOCK, "lock status"),
	REG(DEMCR, "DEMCR", NULL, "0xE000EDFC", demcr_fields, 0, R_DEMCR,
	    "debug exception and monitor control"),
};
/* clang-format on */
