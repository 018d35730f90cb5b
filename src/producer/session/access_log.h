/* SPDX-License-Identifier: MIT */
/*
 * A log of a program's accesses to its PMU, with one line for each access. A line has the register,
 * the value, and remarks of the model (docs/FORMATS.md, register logs).
 */
#ifndef PMK_SESSION_ACCESS_LOG_H
#define PMK_SESSION_ACCESS_LOG_H

#include "producer/session/emulated.h"

/* Maximum length of a line. */
#define PMK_ACCESS_LOG_LINE 1024

/* Writes the first lines of a log, for `pmu` of `core`. */
size_t pmk_access_log_head(char *buf, size_t size, const char *pmu, const char *core);

/* Returns the bits of a register that are 1 and that a write of `value` would clear (W1C: overflow
 * flags, enables). Must be called before the access. */
uint64_t pmk_access_log_clears(const struct pmk_emulated *e, const struct pmk_emulated_config *cfg,
			       const struct pmk_guest_access *a, uint64_t value);

/*
 * An access that the program has made, or that its mode may not make (`denied`).
 *
 * pmk_access_log_line() writes the line of an access, with a newline, and returns the length of the
 * line. `e` is the state of the core after the access.
 */
struct pmk_access_made {
	const struct pmk_guest_access *access;
	uint64_t pc; /* address of the instruction */
	uint64_t value, clears;
	unsigned vcpu;
	bool denied;
	unsigned trap; /* if denied: the exception level to which the access traps, or 0 */
};
size_t pmk_access_log_line(char buf[PMK_ACCESS_LOG_LINE], const struct pmk_emulated *e,
			   const struct pmk_emulated_config *cfg,
			   const struct pmk_access_made *made);

/* Writes the line of an interrupt that was asserted or deasserted at the instruction at `pc`. */
size_t pmk_access_log_interrupt(char buf[PMK_ACCESS_LOG_LINE], const struct pmk_emulated *e,
				uint64_t pc, unsigned vcpu, bool asserted);

/* ---- reading it ------------------------------------------------------------------------------ */

/* The fields of a line. */
struct pmk_access_logged {
	uint64_t cycles, instructions, address, value;
	unsigned vcpu;
	const char *mode; /* "priv", "user", "priv-ns", "user-ns"; for an interrupt, "" */
	enum pmk_access_kind { PMK_ACCESS_READ, PMK_ACCESS_WRITE, PMK_ACCESS_INTERRUPT } kind;
	const struct pmk_reg_info *reg; /* NULL: an interrupt; value 1: it was asserted */
	const char *remarks;		/* separated by "; "; "" if there are none */
};

/* Returns the value of a header line that begins with "# KEY ", or NULL if it is another line. The
 * line must have no newline. */
const char *pmk_access_log_said(const char *line, const char *key);
/* Splits a line into its fields. The function changes the line. The caller must keep the line,
 * because the texts in *out point into it. Returns 0 or PMK_EPARSE. */
int pmk_access_log_parse(char *line, const struct pmk_pmu *pmu, struct pmk_access_logged *out);

#endif
