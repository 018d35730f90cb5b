// SPDX-License-Identifier: MIT
/* Describes the registers of the L210 and L220 for the model, `pmk decode` and `pmk info`. This
 * file is not part of the firmware library. */
#include "pmu/l2cc/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define R_L210	  "L210 appendix C"
#define R_CONTROL "DDI 0246 §3.3.6"
#define R_CONFIG  "DDI 0246 §3.3.7, Table 3.8"
#define R_COUNTER "DDI 0246 §3.3.8"
#define R_INT	  "DDI 0246 §3.3.10"
#define W_EMC(o)  "event monitor base + " o " (ARM's template)"
#define W_L220(o) "controller base + " o

static const char *const stopped_counts[] = { "counters stopped", "counters count", NULL };
static const char *const off_on[] = { "off", "on", NULL };
static const char *const when[] = { "on overflow", "on every increment", NULL };
static const char *const interrupts[] = { "off", "on every increment", "on overflow", "off", NULL };

/* clang-format off */
#define FIELD(n, m, a, r, ...) \
	{ .name = n, .mask = m, .access = a, .ref = r, .brief = __VA_ARGS__ }

static const struct pmk_field emmc_fields[] = {
	FIELD("-", PMK_BITS(31, 12), PMK_SBZ, R_L210, "reserved"),
	FIELD("Reset", EMMC_RESET, PMK_WO, R_L210,
	      "zeroes counters; set all four bits, because which bit belongs to which counter is "
	      "not published"),
	FIELD("-", PMK_BITS(7, 1), PMK_SBZ, R_L210,
	      "interrupt trigger and pulse length in one vendor's chip"),
	FIELD("Enable", EMMC_ENABLE, PMK_RW, R_L210, "all counters", .values = stopped_counts),
};

static const struct pmk_field emcs_fields[] = {
	FIELD("-", PMK_BITS(31, 4), PMK_SBZ, R_L210, "reserved"),
	FIELD("Flags", EMCS_FLAGS, PMK_W1C, R_L210,
	      "bit n: counter n overflowed, or counted if its interrupt is on increment"),
};

static const struct pmk_field emcc_fields[] = {
	FIELD("-", PMK_BITS(31, 7), PMK_SBZ, R_L210, "reserved"),
	FIELD("Event", EMCC_EVENT, PMK_RW, R_L210, "what the counter counts; 0: nothing",
	      .event = true),
	FIELD("When", EMCC_EVERY, PMK_RW, R_L210, "when the counter's flag is set", .values = when),
	FIELD("IRQ", EMCC_IRQ, PMK_RW, R_L210, "the counter's interrupt", .values = off_on),
};

static const struct pmk_field count_fields[] = {
	FIELD("Count", PMK_BITS(31, 0), PMK_RO, R_L210, "wraps"),
};

static const struct pmk_field control_fields[] = {
	FIELD("-", PMK_BITS(31, 3), PMK_SBZ, R_CONTROL, "reserved"),
	FIELD("Reset1", ECC_RESET1, PMK_WO, R_CONTROL, "sets counter 1 to zero"),
	FIELD("Reset0", ECC_RESET0, PMK_WO, R_CONTROL, "sets counter 0 to zero"),
	FIELD("Enable", ECC_ENABLE, PMK_RW, R_CONTROL, "both counters", .values = stopped_counts),
};

static const struct pmk_field config_fields[] = {
	FIELD("-", PMK_BITS(31, 6), PMK_SBZ, R_CONFIG, "reserved"),
	FIELD("Event", ECF_EVENT, PMK_RW, R_CONFIG, "event of the counter; 0: the counter is off",
	      .event = true),
	FIELD("IRQ", ECF_IRQ, PMK_RW, R_CONFIG, "the counter's interrupt", .values = interrupts),
};

static const struct pmk_field l220_count_fields[] = {
	FIELD("Count", PMK_BITS(31, 0), PMK_RW, R_COUNTER, "the count, which stops at 0xFFFFFFFF"),
};

/* The mask is RW, the two status registers are RO, and the clear register is WO. */
#define INT_FIELDS(of, access_) \
	static const struct pmk_field int_##of##_fields[] = { \
		FIELD("-", PMK_BITS(31, 9), PMK_SBZ, R_INT, "reserved"), \
		FIELD("Errors", PMK_BITS(8, 1), access_, R_INT, \
		      "events of the cache, not of its counters"), \
		FIELD("ECNTR", INT_ECNTR, access_, R_INT, "event counter overflow or increment"), \
	};
INT_FIELDS(mask, PMK_RW)
INT_FIELDS(status, PMK_RO)
INT_FIELDS(clear, PMK_WO)

#define ANY	 "any access: no restriction is documented; reset: not documented, 0 in the model"
#define BOTH	 "Secure and Non-secure accesses (DDI 0246 §3.3.7)"
#define PRELOADS BOTH "; written only while counting is disabled"
#define GUARDED \
	"Secure accesses; Non-secure ones while bit 27 of the Auxiliary Control Register is 1 " \
	"(DDI 0246 §3.3.4)"

#define REG(n, w, f, r, text, who) \
	{ .name = (n), .where = (w), .width = 32, .fields = (f), .nfields = COUNT(f), .ref = (r), \
	  .brief = (text), .note = (who) }
#define L210_REG(n, offset, f, text) REG(n, W_EMC(offset), f, R_L210, text, ANY)
#define L220_REG(n, offset, f, r, text, who) REG(n, W_L220(offset), f, r, text, who)

const struct pmk_reg_info pmk_l210_regs[PMK_L210_NREGS] = {
	L210_REG("EMMC", "0x000", emmc_fields, "monitor control"),
	L210_REG("EMCS", "0x004", emcs_fields, "counter status"),
	L210_REG("EMCC0", "0x100", emcc_fields, "configuration of counter 0"),
	L210_REG("EMCC1", "0x104", emcc_fields, "configuration of counter 1"),
	L210_REG("EMCC2", "0x108", emcc_fields, "configuration of counter 2"),
	L210_REG("EMCC3", "0x10C", emcc_fields, "configuration of counter 3"),
	L210_REG("EMC0", "0x200", count_fields, "counter 0"),
	L210_REG("EMC1", "0x204", count_fields, "counter 1"),
	L210_REG("EMC2", "0x208", count_fields, "counter 2"),
	L210_REG("EMC3", "0x20C", count_fields, "counter 3"),
};

const struct pmk_reg_info pmk_l220_regs[PMK_L220_NREGS] = {
	L220_REG("CONTROL", "0x200", control_fields, R_CONTROL, "event counter control", ANY),
	L220_REG("CONFIG1", "0x204", config_fields, R_CONFIG, "configuration of counter 1", BOTH),
	L220_REG("CONFIG0", "0x208", config_fields, R_CONFIG, "configuration of counter 0", BOTH),
	L220_REG("COUNTER1", "0x20C", l220_count_fields, R_COUNTER, "counter 1", PRELOADS),
	L220_REG("COUNTER0", "0x210", l220_count_fields, R_COUNTER, "counter 0", PRELOADS),
	L220_REG("INT_MASK", "0x214", int_mask_fields, R_INT, "interrupt mask: 1 lets it through",
		 GUARDED),
	L220_REG("INT_MASKED", "0x218", int_status_fields, R_INT,
		 "interrupts that are let through", ANY),
	L220_REG("INT_RAW", "0x21C", int_status_fields, R_INT, "interrupts, masked or not", ANY),
	L220_REG("INT_CLEAR", "0x220", int_clear_fields, R_INT, "write 1 to clear", GUARDED),
};
/* clang-format on */
