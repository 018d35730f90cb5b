// SPDX-License-Identifier: MIT
/*
 * Lists the counters of each layer of the AHB Monitor. DDI 0287B Tables 4-6 to 4-13.
 *
 * The linefills of the ARM926EJ-S are its WRAP8 bursts (CtArmiBurstWrap8, CtArmdRdBurstWrap8).
 * Cast-outs and table walks also count as INCR4, INCR8 or SINGLE bursts, and transfers to windows
 * also count as transfers. The counters of the GXI are those of its address channel: read requests,
 * writes, and cycles in which a request or a write waits. A cycle counts as at most one of these
 * (Table 4-5). The GXI has no bursts.
 */
#include "pmu/ahbmon/layers.h"

#include "pmu/ahbmon/regs.h"

#define EV(id) &pmk_ahbmon_events[PMK_AHBMON_##id]

/* clang-format off */
static const struct pmk_layer layers[] = {
	{ "ARM-I", { EV(ARMI_RD) }, { EV(ARMI_WAIT_TOTAL) },
	  EV(ARMI_WAIT_NON_SEQ_SLAVE), EV(ARMI_WAIT_NON_SEQ_BUS),
	  { EV(ARMI_BURST_SINGLE), EV(ARMI_BURST_INCR4), EV(ARMI_LINE_FILL) } },
	{ "CLCDC", { EV(CLCD_RD) }, { EV(CLCD_WAIT_TOTAL) },
	  EV(CLCD_WAIT_NON_SEQ_SLAVE), EV(CLCD_WAIT_NON_SEQ_BUS),
	  { EV(CLCD_BURST_INCR), EV(CLCD_BURST_INCR4), EV(CLCD_BURST_INCR8),
	    EV(CLCD_BURST_INCR16) } },
	{ "DMA-0", { EV(DMA0_RD), EV(DMA0_WR) }, { EV(DMA0_WAIT_TOTAL) },
	  EV(DMA0_WAIT_NON_SEQ_SLAVE), EV(DMA0_WAIT_NON_SEQ_BUS),
	  { EV(DMA0_BURST_INCR), EV(DMA0_BURST_INCR4), EV(DMA0_BURST_INCR8),
	    EV(DMA0_BURST_INCR16) } },
	{ "DMA-1", { EV(DMA1_RD), EV(DMA1_WR) }, { EV(DMA1_WAIT_TOTAL) },
	  EV(DMA1_WAIT_NON_SEQ_SLAVE), EV(DMA1_WAIT_NON_SEQ_BUS),
	  { EV(DMA1_BURST_INCR), EV(DMA1_BURST_INCR4), EV(DMA1_BURST_INCR8),
	    EV(DMA1_BURST_INCR16) } },
	{ "EXP", { EV(EXP_RD), EV(EXP_WR) }, { EV(EXP_WAIT_TOTAL) },
	  EV(EXP_WAIT_NON_SEQ_SLAVE), EV(EXP_WAIT_NON_SEQ_BUS),
	  { EV(EXP_BURST_SINGLE), EV(EXP_BURST_INCR), EV(EXP_BURST_WRAP4), EV(EXP_BURST_INCR4),
	    EV(EXP_BURST_WRAP8), EV(EXP_BURST_INCR8), EV(EXP_BURST_WRAP16),
	      EV(EXP_BURST_INCR16) } },
	{ "ARM-D", { EV(ARMD_RD), EV(ARMD_WR) }, { EV(ARMD_WAIT_TOTAL) },
	  EV(ARMD_WAIT_NON_SEQ_SLAVE), EV(ARMD_WAIT_NON_SEQ_BUS),
	  { EV(ARMD_BURST_SINGLE), EV(ARMD_BURST_INCR4), EV(ARMD_BURST_INCR8),
	    EV(ARMD_LINE_FILL) } },
	{ "GXI", { EV(GXI_RD), EV(GXI_WR) }, { EV(GXI_RD_ADDR_WAIT), EV(GXI_WR_ADDR_WAIT) },
	  NULL, NULL, { NULL } },
};
/* clang-format on */

const struct pmk_layers pmk_ahbmon_layers = {
	.cycles = EV(TOTAL_CYCLES_EN),
	.layer = layers,
	.n = sizeof(layers) / sizeof(layers[0]),
};
