// SPDX-License-Identifier: MIT
/* Describes the registers of MicroBlaze's performance counters for the model, `pmk decode` and `pmk
 * info`. This file is not part of the firmware library. */
#include "pmu/microblaze/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define T_CTRL	"UG984 \"Performance Counter Control Register\""
#define T_CMD	"UG984 \"Performance Counter Command Register\""
#define T_STAT	"UG984 \"Performance Counter Status Register\""
#define T_READ	"UG984 \"Performance Counter Data Read Register\""
#define T_WRITE "UG984 \"Performance Counter Data Write Register\""

static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const overflow[] = { "no overflow", "counted beyond its maximum", NULL };
static const char *const full[] = { "no overlap", "occurrences overlapped while timed", NULL };

/* clang-format off */
static const struct pmk_field control_fields[] = {
	{ .name = "Event", .mask = PCCTRLR_EVENT, .access = PMK_WO, .ref = T_CTRL,
	  .brief = "what the selected counter counts", .event = true },
};

static const struct pmk_field command_fields[] = {
	{ .name = "Clear", .mask = PCCMDR_CLEAR, .access = PMK_WO, .ref = T_CMD,
	  .brief = "zeroes all counters; Dbg_Intr falls", .values = no_yes },
	{ .name = "Start", .mask = PCCMDR_START, .access = PMK_WO, .ref = T_CMD,
	  .brief = "all counters begin to count", .values = no_yes },
	{ .name = "Stop", .mask = PCCMDR_STOP, .access = PMK_WO, .ref = T_CMD,
	  .brief = "all counters stop", .values = no_yes },
	{ .name = "Sample", .mask = PCCMDR_SAMPLE, .access = PMK_WO, .ref = T_CMD,
	  .brief = "samples status and values of all counters at one instant, for later reads",
	  .values = no_yes },
	{ .name = "Reset", .mask = PCCMDR_RESET, .access = PMK_WO, .ref = T_CMD,
	  .brief = "back to the first counter and item", .values = no_yes },
};

static const struct pmk_field status_fields[] = {
	{ .name = "Overflow", .mask = PCSR_OVERFLOW, .access = PMK_RO, .ref = T_STAT,
	  .brief = "the selected counter, as sampled", .values = overflow },
	{ .name = "Full", .mask = PCSR_FULL, .access = PMK_RO, .ref = T_STAT,
	  .brief = "the selected latency counter, as sampled", .values = full },
};

static const struct pmk_field read_fields[] = {
	{ .name = "Item", .mask = PCDRR_ITEM, .access = PMK_RO, .ref = T_READ,
	  .brief = "next item of the selected counter, as sampled" },
};

static const struct pmk_field write_fields[] = {
	{ .name = "Item", .mask = PCDWR_ITEM, .access = PMK_WO, .ref = T_WRITE,
	  .brief = "next item of the selected counter" },
};

#define FIELDS(f) .fields = (f), .nfields = COUNT(f), \
	.note = "by JTAG, and by software that holds the lock of the debug module, in any mode " \
		"(C_DBG_REG_ACCESS = 1); no instruction of the core reads or writes it"

const struct pmk_reg_info pmk_microblaze_regs[] = {
	[PMK_MICROBLAZE_PCCTRLR] = { .name = "PCCTRLR", .width = 8, FIELDS(control_fields),
				     .where = "MDM command 0x51, 8 bits; DBG_CTRL 0x4A207",
				     .ref = T_CTRL,
				     .brief = "Performance Counter Control Register" },
	[PMK_MICROBLAZE_PCCMDR] = { .name = "PCCMDR", .width = 5, FIELDS(command_fields),
				    .where = "MDM command 0x52, 5 bits; DBG_CTRL 0x4A404",
				    .ref = T_CMD, .brief = "Performance Counter Command Register" },
	[PMK_MICROBLAZE_PCSR] = { .name = "PCSR", .width = 2, FIELDS(status_fields),
				  .where = "MDM command 0x53, 2 bits; DBG_CTRL 0x4A601",
				  .ref = T_STAT, .brief = "Performance Counter Status Register" },
	[PMK_MICROBLAZE_PCDRR] = { .name = "PCDRR", .width = 32, FIELDS(read_fields),
				   .where = "MDM command 0x56, 32 bits; DBG_CTRL 0x4AC1F",
				   .ref = T_READ,
				   .brief = "Performance Counter Data Read Register" },
	[PMK_MICROBLAZE_PCDWR] = { .name = "PCDWR", .width = 32, FIELDS(write_fields),
				   .where = "MDM command 0x57, 32 bits; DBG_CTRL 0x4AE1F",
				   .ref = T_WRITE,
				   .brief = "Performance Counter Data Write Register" },
};
/* clang-format on */
