// SPDX-License-Identifier: MIT
/*
 * Describes the registers of the AHB Monitor for the model, `pmk decode` and `pmk info`. This file
 * is not part of the firmware library. The bits of AHBMONCtrlReg are those of the project's layout.
 * The names of the thresholds are ours, because the manual has none.
 */
#include "pmu/ahbmon/regs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define WHERE \
	"ARM-D or EXP layer, base 0x101D0000; offset and bits by this project's layout, not ARM's"
#define FUNCTION "DDI 0287B §4.2.2 (its place: this project)"
#define THRESHOLD \
	"DDI 0287B §4.2.2 (\"a configurable threshold\"; its place and width: this project)"

static const char *const off_on[] = { "counters stopped", "counters count", NULL };
static const char *const debug[] = { "debug state counts", "debug state is left out", NULL };
static const char *const aligned[] = { "any INCR4 write with the HPROT of a write-back",
				       "only those aligned to 4 words", NULL };
static const char *const sizes[] = { "2 KB", "4 KB", "8 KB", "16 KB", NULL };

/* clang-format off */
static const struct pmk_field count_fields[] = {
	{ .name = "Count", .mask = PMK_BITS(31, 0), .access = PMK_RO, .ref = "DDI 0287B §4.2.2",
	  .brief = "occurrences since the counters were last reset" },
};

static const struct pmk_field ctrl_fields[] = {
	{ .name = "-", .mask = PMK_BITS(31, 3), .access = PMK_SBZ, .ref = FUNCTION,
	  .brief = "nothing in this layout" },
	{ .name = "CastOut4", .mask = CTRLREG_CASTOUT4_ALIGNED, .access = PMK_RW, .ref = FUNCTION,
	  .brief = "which transfers CtArmdCastOut4 counts as a cast-out", .values = aligned },
	{ .name = "Track", .mask = CTRLREG_TRACK_DBGACK, .access = PMK_RW, .ref = FUNCTION,
	  .brief = "ARM-I, ARM-D and CtTotalCyclesNonDebug in debug state", .values = debug },
	{ .name = "Enable", .mask = CTRLREG_ENABLE, .access = PMK_RW, .ref = FUNCTION,
	  .brief = "all counters but CtTotalCycles", .values = off_on },
};

static const struct pmk_field any_fields[] = {
	{ .name = "Any", .mask = PMK_BITS(31, 0), .access = PMK_WO, .ref = "DDI 0287B §4.3.27-28",
	  .brief = "any value has this effect; reads as 0 (our choice)" },
};

static const struct pmk_field page_fields[] = {
	{ .name = "SBZ", .mask = PMK_BITS(31, 2), .access = PMK_SBZ, .ref = "DDI 0287B §4.3.26",
	  .brief = "write zeros, undefined when read" },
	{ .name = "Size", .mask = GXIPAGESIZE_SIZE, .access = PMK_RW, .ref = "DDI 0287B §4.3.26",
	  .brief = "the page size of CtGxiPageChange", .values = sizes },
};

static const struct pmk_field threshold_fields[] = {
	{ .name = "Threshold", .mask = PMK_BITS(31, 0), .access = PMK_RW, .ref = THRESHOLD,
	  .brief = "longest wait that does not count as a hit, in HCLK cycles" },
};

#define RIGHTS "any mode, by aligned words (DDI 0287B §4.2.2): no restriction is documented"
#define OPEN(param) "; reset: not documented (model: " param ")"

#define FIELDS(f, open_) .where = WHERE, .width = 32, .fields = (f), .nfields = COUNT(f), \
			 .note = RIGHTS open_

#define T_ARMI  "DDI 0287B Table 4-6"
#define T_CLCDC "DDI 0287B Table 4-7"
#define T_DMA0  "DDI 0287B Table 4-8"
#define T_DMA1  "DDI 0287B Table 4-9"
#define T_EXP   "DDI 0287B Table 4-10"
#define T_ARMD  "DDI 0287B Table 4-11"
#define T_GXI   "DDI 0287B Table 4-12"
#define T_HCLK  "DDI 0287B Table 4-13"

#define COUNTER(id, manual, event, bus, sig, unit, note, text) \
	[PMK_AHBMON_##id] = { .name = #manual, FIELDS(count_fields, ""), .ref = T_##bus, \
			      .brief = text },

#define THRESHOLD_OF(id, what, text) \
	[PMK_AHBMON_THRESHOLD0 + PMK_AHBMON_OVER_##id] = { \
		.name = "WaitThreshold" what, FIELDS(threshold_fields, OPEN("threshold_reset")), \
		.ref = THRESHOLD, .brief = "wait threshold of " text }

const struct pmk_reg_info pmk_ahbmon_regs[] = {
	PMK_AHBMON_COUNTERS(COUNTER)
	[PMK_AHBMON_CTRLREG] = { .name = "AHBMONCtrlReg", FIELDS(ctrl_fields, ""),
				 .ref = "DDI 0287B §4.2.2",
				 .brief = "control: enable, DBGACK tracking" },
	[PMK_AHBMON_RSTCTRS] = { .name = "AHBMONRstCtrs", .aliases = "AHBMONRstCntrs",
				 FIELDS(any_fields, ""), .ref = "DDI 0287B §4.3.27",
				 .brief = "a write resets the counters" },
	[PMK_AHBMON_PRSTCTRS] = { .name = "AHBMONPrstCtrs", .aliases = "AHBMONPrstCntrs",
				  FIELDS(any_fields, ""), .ref = "DDI 0287B §4.3.28",
				  .brief = "a write stops the counters, and sets each to its own "
				  	"address" },
	[PMK_AHBMON_GXIPAGESIZE] = { .name = "GxiPageSize", FIELDS(page_fields, OPEN("page_reset")),
				     .ref = "DDI 0287B Table 4-12, §4.3.26",
				     .brief = "page size of CtGxiPageChange" },
	THRESHOLD_OF(ARMI, "Armi", "the ARM-I layer"),
	THRESHOLD_OF(CLCDC, "Clcdc", "the CLCDC layer"),
	THRESHOLD_OF(DMA0, "Dma0", "the DMA-0 layer"),
	THRESHOLD_OF(DMA1, "Dma1", "the DMA-1 layer"),
	THRESHOLD_OF(EXP, "Exp", "the EXP layer"),
	THRESHOLD_OF(ARMD, "Armd", "the ARM-D layer"),
	THRESHOLD_OF(GXI_RD_A, "GxiRdA", "GXI read requests"),
	THRESHOLD_OF(GXI_RD_D, "GxiRdD", "GXI read data"),
	THRESHOLD_OF(GXI_WR_A, "GxiWrA", "GXI write requests"),
};
/* clang-format on */
