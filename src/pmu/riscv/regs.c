// SPDX-License-Identifier: MIT
/* Describes the registers of RISC-V's counters for the model, `pmk decode` and `pmk info`. This
 * file is not part of the firmware library. */
#include "pmu/riscv/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define R_HPM	  "PRIV 3.1.10"
#define R_EVENT	  "PRIV 3.1.10; U74 4.9.5"
#define R_ENABLE  "PRIV 3.1.11"
#define R_INHIBIT "PRIV 3.1.12"

static const char *const classes[] = { "instruction commit", "microarchitecture", "memory system",
				       NULL };
static const char *const counts[] = { "counts", "stands still", NULL };
static const char *const traps[] = { "illegal instruction below M-mode", "can be read", NULL };

/* clang-format off */
#define FIELD(name_, mask_, access_, ref_, values_, brief_) \
	{ .name = name_, .mask = mask_, .access = access_, .ref = ref_, .values = values_, \
	  .brief = brief_ }

static const struct pmk_field count64_fields[] = {
	FIELD("Count", PMK_BITS(63, 0), PMK_RW, R_HPM, NULL, "wraps"),
};
static const struct pmk_field half_fields[] = {
	FIELD("Count", PMK_BITS(31, 0), PMK_RW, R_HPM, NULL, "half of a counter of 64 bits"),
};
static const struct pmk_field shadow64_fields[] = {
	FIELD("Count", PMK_BITS(63, 0), PMK_RO, R_ENABLE, NULL,
	  "the counter, for modes that mcounteren permits to read it"),
};
static const struct pmk_field shadow_half_fields[] = {
	FIELD("Count", PMK_BITS(31, 0), PMK_RO, R_ENABLE, NULL,
	  "half of the counter, for modes that mcounteren permits to read it"),
};
static const struct pmk_field event_fields[] = {
	FIELD("Mask", MHPMEVENT_MASK, PMK_RW, R_EVENT, NULL,
	  "bit n: counts that event of the class, too"),
	FIELD("Class", MHPMEVENT_CLASS, PMK_RW, R_EVENT, classes,
	  "the class that the bits of the mask select"),
};
static const struct pmk_field inhibit_fields[] = {
	FIELD("HPM", COUNTERS_HPM, PMK_RW, R_INHIBIT, NULL, "bit n: mhpmcounter n is stopped"),
	FIELD("IR", COUNTERS_IR, PMK_RW, R_INHIBIT, counts, "minstret"),
	FIELD("CY", COUNTERS_CY, PMK_RW, R_INHIBIT, counts, "mcycle"),
};
static const struct pmk_field enable_fields[] = {
	FIELD("HPM", COUNTERS_HPM, PMK_RW, R_ENABLE, NULL,
	  "bit n: hpmcounter n can be read below M-mode"),
	FIELD("IR", COUNTERS_IR, PMK_RW, R_ENABLE, traps, "instret"),
	FIELD("TM", COUNTERS_TM, PMK_RW, R_ENABLE, traps, "time"),
	FIELD("CY", COUNTERS_CY, PMK_RW, R_ENABLE, traps, "cycle"),
};

#define ROW(reg, n, csr, w, f, r, text, who) \
	[PMK_RISCV_##reg] = { .name = (n), .where = "CSR " csr, .width = (w), .fields = (f), \
			      .nfields = COUNT(f), .ref = (r), .brief = (text), .note = (who) }
#define REG(reg, n, csr, w, f, r, text) ROW(reg, n, csr, w, f, r, text, "M-mode")
#define SHADOW(reg, n, csr, w, f, r, text) \
	ROW(reg, n, csr, w, f, r, text, \
	    "M-mode; lower modes while the counter's bit in mcounteren is set")

#define ROWS(w, count, shadow) \
	REG(MCYCLE, "mcycle", "0xB00", w, count, R_HPM, "cycle counter"), \
	REG(MINSTRET, "minstret", "0xB02", w, count, R_HPM, "retired instruction counter"), \
	REG(MHPMCOUNTER3, "mhpmcounter3", "0xB03", w, count, R_HPM, "event counter 3"), \
	REG(MHPMCOUNTER3 + 1, "mhpmcounter4", "0xB04", w, count, R_HPM, "event counter 4"), \
	REG(MHPMCOUNTER3 + 2, "mhpmcounter5", "0xB05", w, count, R_HPM, "event counter 5"), \
	REG(MHPMCOUNTER3 + 3, "mhpmcounter6", "0xB06", w, count, R_HPM, "event counter 6"), \
	REG(MHPMEVENT3, "mhpmevent3", "0x323", w, event_fields, R_EVENT, "what counter 3 counts"), \
	REG(MHPMEVENT3 + 1, "mhpmevent4", "0x324", w, event_fields, R_EVENT, \
	  "what counter 4 counts"), \
	REG(MHPMEVENT3 + 2, "mhpmevent5", "0x325", w, event_fields, R_EVENT, \
	  "what counter 5 counts"), \
	REG(MHPMEVENT3 + 3, "mhpmevent6", "0x326", w, event_fields, R_EVENT, \
	  "what counter 6 counts"), \
	REG(MCOUNTINHIBIT, "mcountinhibit", "0x320", 32, inhibit_fields, R_INHIBIT, \
	  "counters that stand still"), \
	REG(MCOUNTEREN, "mcounteren", "0x306", 32, enable_fields, R_ENABLE, \
	  "counters that others can read"), \
	SHADOW(CYCLE, "cycle", "0xC00", w, shadow, R_ENABLE, "mcycle, read-only"), \
	SHADOW(INSTRET, "instret", "0xC02", w, shadow, R_ENABLE, "minstret, read-only"), \
	SHADOW(HPMCOUNTER3, "hpmcounter3", "0xC03", w, shadow, R_ENABLE, \
	  "mhpmcounter3, read-only"), \
	SHADOW(HPMCOUNTER3 + 1, "hpmcounter4", "0xC04", w, shadow, R_ENABLE, \
	  "mhpmcounter4, read-only"), \
	SHADOW(HPMCOUNTER3 + 2, "hpmcounter5", "0xC05", w, shadow, R_ENABLE, \
	  "mhpmcounter5, read-only"), \
	SHADOW(HPMCOUNTER3 + 3, "hpmcounter6", "0xC06", w, shadow, R_ENABLE, \
	  "mhpmcounter6, read-only")

#define HIGH(reg, n, csr, f, of) REG(reg, n, csr, 32, f, R_HPM, "upper half of " of)
#define SHADOW_HIGH(reg, n, csr, of) \
	SHADOW(reg, n, csr, 32, shadow_half_fields, R_HPM, "upper half of " of)

const struct pmk_reg_info pmk_riscv64_regs[PMK_RISCV_NREGS64] = {
	ROWS(64, count64_fields, shadow64_fields),
};

const struct pmk_reg_info pmk_riscv32_regs[PMK_RISCV_NREGS] = {
	ROWS(32, half_fields, shadow_half_fields),
	HIGH(MCYCLEH, "mcycleh", "0xB80", half_fields, "mcycle"),
	HIGH(MINSTRETH, "minstreth", "0xB82", half_fields, "minstret"),
	HIGH(MHPMCOUNTER3H, "mhpmcounter3h", "0xB83", half_fields, "mhpmcounter3"),
	HIGH(MHPMCOUNTER3H + 1, "mhpmcounter4h", "0xB84", half_fields, "mhpmcounter4"),
	HIGH(MHPMCOUNTER3H + 2, "mhpmcounter5h", "0xB85", half_fields, "mhpmcounter5"),
	HIGH(MHPMCOUNTER3H + 3, "mhpmcounter6h", "0xB86", half_fields, "mhpmcounter6"),
	SHADOW_HIGH(CYCLEH, "cycleh", "0xC80", "cycle"),
	SHADOW_HIGH(INSTRETH, "instreth", "0xC82", "instret"),
	SHADOW_HIGH(HPMCOUNTER3H, "hpmcounter3h", "0xC83", "hpmcounter3"),
	SHADOW_HIGH(HPMCOUNTER3H + 1, "hpmcounter4h", "0xC84", "hpmcounter4"),
	SHADOW_HIGH(HPMCOUNTER3H + 2, "hpmcounter5h", "0xC85", "hpmcounter5"),
	SHADOW_HIGH(HPMCOUNTER3H + 3, "hpmcounter6h", "0xC86", "hpmcounter6"),
};
/* clang-format on */

const struct pmk_event *pmk_riscv_selected(const struct pmk_field *field, uint32_t selector,
					   unsigned from)
{
	if (field != &event_fields[0])
		return NULL;
	for (unsigned i = from; i < pmk_riscv64.nevents; i++)
		if (pmk_riscv_selects(selector, &pmk_riscv_events[i]))
			return &pmk_riscv_events[i];
	return NULL;
}
