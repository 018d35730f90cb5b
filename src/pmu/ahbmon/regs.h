/* SPDX-License-Identifier: MIT */
/*
 * The list of the AHB Monitor's counters. <pmk/ahbmon.h> has their enumerators. The rows here have
 * names, buses and signals; macros make the tables of events.c, pmu.c, regs.c and model.c from
 * them. The positions of registers and control bits are in struct pmk_ahbmon_layout, see pmu.c.
 *
 * Source: DDI 0287B Tables 4-6 to 4-13 (§4.2.2). The tables and sections named here are in this
 * document.
 */
#ifndef PMK_PMU_AHBMON_REGS_H
#define PMK_PMU_AHBMON_REGS_H

#include <stdint.h>

#include <pmk/ahbmon.h>
#include <pmk/bits.h>

#define GXIPAGESIZE_SIZE PMK_BITS(1, 0) /* enum pmk_ahbmon_page; §4.3.26 RW */

/*
 * The project's layout of AHBMONCtrlReg, for the table in pmu.c and for `pmk decode`. The driver
 * and the model use the layout that they are given.
 */
#define CTRLREG_ENABLE		 PMK_BIT(0) /* §4.2.2 has the function, not the position */
#define CTRLREG_TRACK_DBGACK	 PMK_BIT(1) /* §4.2.2 has the function, not the position */
/* §4.2.2 has the function; we guess that its bit is in this register */
#define CTRLREG_CASTOUT4_ALIGNED PMK_BIT(2)

/*
 * X(enumerator, the manual's name, event name, bus, signal, unit, caveat, text), in the order of
 * enum pmk_ahbmon_counter. Units and caveats are defined in events.c. The signals of CtArmdCastOut4
 * and CtGxiPageChange depend on settings (model.c). Here they have the signals for the settings
 * after reset.
 */
/* clang-format off */
#define PMK_AHBMON_COUNTERS(X) \
	/* ARM-I layer, Table 4-6 */ \
	X(ARMI_RD, CtArmiRd, ct_armi_rd, \
	  ARMI, AHB_READ, EVENTS, NULL, "read transfers completed") \
	X(ARMI_BURST_SINGLE, CtArmiBurstSingle, ct_armi_burst_single, \
	  ARMI, AHB_SINGLE, EVENTS, NULL, "SINGLE bursts") \
	X(ARMI_BURST_INCR4, CtArmiBurstIncr4, ct_armi_burst_incr4, \
	  ARMI, AHB_INCR4, EVENTS, NULL, "INCR4 bursts") \
	X(ARMI_LINE_FILL, CtArmiLineFill, ct_armi_line_fill, \
	  ARMI, AHB_LINEFILL, EVENTS, NULL, "instruction cache linefills: WRAP8 bursts") \
	X(ARMI_WAIT_TOTAL, CtArmiWaitTotal, ct_armi_wait_total, \
	  ARMI, AHB_WAIT, CYCLES, NULL, "wait states on all beats, for any cause") \
	X(ARMI_WAIT_NON_SEQ_SLAVE, CtArmiWaitNonSeqSlave, ct_armi_wait_non_seq_slave, \
	  ARMI, AHB_WAIT_FIRST_SLAVE, CYCLES, NULL, "first-beat wait states due to the slave") \
	X(ARMI_WAIT_NON_SEQ_BUS, CtArmiWaitNonSeqBus, ct_armi_wait_non_seq_bus, \
	  ARMI, AHB_WAIT_FIRST_BUS, CYCLES, C_FIRST, "first-beat wait states due to the matrix") \
	X(ARMI_WAIT_THRESHOLD_HIT, CtArmiWaitThresholdHit, ct_armi_wait_threshold_hit, \
	  ARMI, AHB_WAIT_OVER, EVENTS, C_OVER, "transfers that waited beyond the threshold") \
	/* CLCDC layer, Table 4-7 */ \
	X(CLCD_RD, CtClcdRd, ct_clcd_rd, \
	  CLCDC, AHB_READ, EVENTS, NULL, "read transfers completed") \
	X(CLCD_BURST_INCR, CtClcdBurstIncr, ct_clcd_burst_incr, \
	  CLCDC, AHB_INCR, EVENTS, NULL, "INCR bursts, which this master uses for single words") \
	X(CLCD_BURST_INCR4, CtClcdBurstIncr4, ct_clcd_burst_incr4, \
	  CLCDC, AHB_INCR4, EVENTS, NULL, "INCR4 bursts") \
	X(CLCD_BURST_INCR8, CtClcdBurstIncr8, ct_clcd_burst_incr8, \
	  CLCDC, AHB_INCR8, EVENTS, NULL, "INCR8 bursts") \
	X(CLCD_BURST_INCR16, CtClcdBurstIncr16, ct_clcd_burst_incr16, \
	  CLCDC, AHB_INCR16, EVENTS, NULL, "INCR16 bursts") \
	X(CLCD_WAIT_TOTAL, CtClcdWaitTotal, ct_clcd_wait_total, \
	  CLCDC, AHB_WAIT, CYCLES, NULL, "wait states on all beats, for any cause") \
	X(CLCD_WAIT_NON_SEQ_SLAVE, CtClcdWaitNonSeqSlave, ct_clcd_wait_non_seq_slave, \
	  CLCDC, AHB_WAIT_FIRST_SLAVE, CYCLES, NULL, "first-beat wait states due to the slave") \
	X(CLCD_WAIT_NON_SEQ_BUS, CtClcdWaitNonSeqBus, ct_clcd_wait_non_seq_bus, \
	  CLCDC, AHB_WAIT_FIRST_BUS, CYCLES, C_FIRST, "first-beat wait states due to the matrix") \
	X(CLCD_WAIT_THRESHOLD_HIT, CtClcdWaitThresholdHit, ct_clcd_wait_threshold_hit, \
	  CLCDC, AHB_WAIT_OVER, EVENTS, C_OVER, "transfers that waited beyond the threshold") \
	/* DMA-0 layer, Table 4-8 */ \
	X(DMA0_RD, CtDma0Rd, ct_dma0_rd, \
	  DMA0, AHB_READ, EVENTS, NULL, "read transfers completed") \
	X(DMA0_WR, CtDma0Wr, ct_dma0_wr, \
	  DMA0, AHB_WRITE, EVENTS, NULL, "write transfers completed") \
	X(DMA0_RD_UART, CtDma0RdUart, ct_dma0_rd_uart, \
	  DMA0, AHB_READ_UART, EVENTS, NULL, "reads from a UART") \
	X(DMA0_WR_UART, CtDma0WrUart, ct_dma0_wr_uart, \
	  DMA0, AHB_WRITE_UART, EVENTS, NULL, "writes to a UART") \
	X(DMA0_RD_SCI, CtDma0RdSci, ct_dma0_rd_sci, \
	  DMA0, AHB_READ_SCI, EVENTS, NULL, "reads from the smart card interface") \
	X(DMA0_WR_SCI, CtDma0WrSci, ct_dma0_wr_sci, \
	  DMA0, AHB_WRITE_SCI, EVENTS, NULL, "writes to the smart card interface") \
	X(DMA0_RD_SSP, CtDma0RdSsp, ct_dma0_rd_ssp, \
	  DMA0, AHB_READ_SSP, EVENTS, NULL, "reads from the synchronous serial port") \
	X(DMA0_WR_SSP, CtDma0WrSsp, ct_dma0_wr_ssp, \
	  DMA0, AHB_WRITE_SSP, EVENTS, NULL, "writes to the synchronous serial port") \
	X(DMA0_BURST_INCR, CtDma0BurstIncr, ct_dma0_burst_incr, \
	  DMA0, AHB_INCR, EVENTS, NULL, "INCR bursts") \
	X(DMA0_BURST_INCR4, CtDma0BurstIncr4, ct_dma0_burst_incr4, \
	  DMA0, AHB_INCR4, EVENTS, NULL, "INCR4 bursts") \
	X(DMA0_BURST_INCR8, CtDma0BurstIncr8, ct_dma0_burst_incr8, \
	  DMA0, AHB_INCR8, EVENTS, NULL, "INCR8 bursts") \
	X(DMA0_BURST_INCR16, CtDma0BurstIncr16, ct_dma0_burst_incr16, \
	  DMA0, AHB_INCR16, EVENTS, NULL, "INCR16 bursts") \
	X(DMA0_WAIT_TOTAL, CtDma0WaitTotal, ct_dma0_wait_total, \
	  DMA0, AHB_WAIT, CYCLES, NULL, "wait states on all beats, for any cause") \
	X(DMA0_WAIT_NON_SEQ_SLAVE, CtDma0WaitNonSeqSlave, ct_dma0_wait_non_seq_slave, \
	  DMA0, AHB_WAIT_FIRST_SLAVE, CYCLES, NULL, "first-beat wait states due to the slave") \
	X(DMA0_WAIT_NON_SEQ_BUS, CtDma0WaitNonSeqBus, ct_dma0_wait_non_seq_bus, \
	  DMA0, AHB_WAIT_FIRST_BUS, CYCLES, C_FIRST, "first-beat wait states due to the matrix") \
	X(DMA0_WAIT_THRESHOLD_HIT, CtDma0WaitThresholdHit, ct_dma0_wait_threshold_hit, \
	  DMA0, AHB_WAIT_OVER, EVENTS, C_OVER, "transfers that waited beyond the threshold") \
	/* DMA-1 layer, Table 4-9 */ \
	X(DMA1_RD, CtDma1Rd, ct_dma1_rd, \
	  DMA1, AHB_READ, EVENTS, NULL, "read transfers completed") \
	X(DMA1_WR, CtDma1Wr, ct_dma1_wr, \
	  DMA1, AHB_WRITE, EVENTS, NULL, "write transfers completed") \
	X(DMA1_BURST_INCR, CtDma1BurstIncr, ct_dma1_burst_incr, \
	  DMA1, AHB_INCR, EVENTS, NULL, "INCR bursts") \
	X(DMA1_BURST_INCR4, CtDma1BurstIncr4, ct_dma1_burst_incr4, \
	  DMA1, AHB_INCR4, EVENTS, NULL, "INCR4 bursts") \
	X(DMA1_BURST_INCR8, CtDma1BurstIncr8, ct_dma1_burst_incr8, \
	  DMA1, AHB_INCR8, EVENTS, NULL, "INCR8 bursts") \
	X(DMA1_BURST_INCR16, CtDma1BurstIncr16, ct_dma1_burst_incr16, \
	  DMA1, AHB_INCR16, EVENTS, NULL, "INCR16 bursts") \
	X(DMA1_WAIT_TOTAL, CtDma1WaitTotal, ct_dma1_wait_total, \
	  DMA1, AHB_WAIT, CYCLES, NULL, "wait states on all beats, for any cause") \
	X(DMA1_WAIT_NON_SEQ_SLAVE, CtDma1WaitNonSeqSlave, ct_dma1_wait_non_seq_slave, \
	  DMA1, AHB_WAIT_FIRST_SLAVE, CYCLES, NULL, "first-beat wait states due to the slave") \
	X(DMA1_WAIT_NON_SEQ_BUS, CtDma1WaitNonSeqBus, ct_dma1_wait_non_seq_bus, \
	  DMA1, AHB_WAIT_FIRST_BUS, CYCLES, C_FIRST, "first-beat wait states due to the matrix") \
	X(DMA1_WAIT_THRESHOLD_HIT, CtDma1WaitThresholdHit, ct_dma1_wait_threshold_hit, \
	  DMA1, AHB_WAIT_OVER, EVENTS, C_OVER, "transfers that waited beyond the threshold") \
	/* EXPansion layer, Table 4-10 */ \
	X(EXP_RD, CtExpRd, ct_exp_rd, \
	  EXP, AHB_READ, EVENTS, NULL, "read transfers completed") \
	X(EXP_WR, CtExpWr, ct_exp_wr, \
	  EXP, AHB_WRITE, EVENTS, NULL, "write transfers completed") \
	X(EXP_RD_APB_DMA, CtExpRdApbDma, ct_exp_rd_apb_dma, \
	  EXP, AHB_READ_APB_DMA, EVENTS, NULL, "reads via the APB bridge of DMA peripherals") \
	X(EXP_WR_APB_DMA, CtExpWrApbDma, ct_exp_wr_apb_dma, \
	  EXP, AHB_WRITE_APB_DMA, EVENTS, NULL, "writes via the APB bridge of DMA peripherals") \
	X(EXP_RD_APB_CORE, CtExpRdApbCore, ct_exp_rd_apb_core, \
	  EXP, AHB_READ_APB_CORE, EVENTS, NULL, "reads via the APB bridge of core peripherals") \
	X(EXP_WR_APB_CORE, CtExpWrApbCore, ct_exp_wr_apb_core, \
	  EXP, AHB_WRITE_APB_CORE, EVENTS, NULL, "writes via the APB bridge of core peripherals") \
	X(EXP_BURST_SINGLE, CtExpBurstSingle, ct_exp_burst_single, \
	  EXP, AHB_SINGLE, EVENTS, NULL, "SINGLE bursts") \
	X(EXP_BURST_INCR, CtExpBurstIncr, ct_exp_burst_incr, \
	  EXP, AHB_INCR, EVENTS, NULL, "INCR bursts") \
	X(EXP_BURST_WRAP4, CtExpBurstWrap4, ct_exp_burst_wrap4, \
	  EXP, AHB_WRAP4, EVENTS, NULL, "WRAP4 bursts") \
	X(EXP_BURST_INCR4, CtExpBurstIncr4, ct_exp_burst_incr4, \
	  EXP, AHB_INCR4, EVENTS, NULL, "INCR4 bursts") \
	X(EXP_BURST_WRAP8, CtExpBurstWrap8, ct_exp_burst_wrap8, \
	  EXP, AHB_WRAP8, EVENTS, NULL, "WRAP8 bursts") \
	X(EXP_BURST_INCR8, CtExpBurstIncr8, ct_exp_burst_incr8, \
	  EXP, AHB_INCR8, EVENTS, NULL, "INCR8 bursts") \
	X(EXP_BURST_WRAP16, CtExpBurstWrap16, ct_exp_burst_wrap16, \
	  EXP, AHB_WRAP16, EVENTS, NULL, "WRAP16 bursts") \
	X(EXP_BURST_INCR16, CtExpBurstIncr16, ct_exp_burst_incr16, \
	  EXP, AHB_INCR16, EVENTS, NULL, "INCR16 bursts") \
	X(EXP_WAIT_TOTAL, CtExpWaitTotal, ct_exp_wait_total, \
	  EXP, AHB_WAIT, CYCLES, NULL, "wait states on all beats, for any cause") \
	X(EXP_WAIT_NON_SEQ_SLAVE, CtExpWaitNonSeqSlave, ct_exp_wait_non_seq_slave, \
	  EXP, AHB_WAIT_FIRST_SLAVE, CYCLES, NULL, "first-beat wait states due to the slave") \
	X(EXP_WAIT_NON_SEQ_BUS, CtExpWaitNonSeqBus, ct_exp_wait_non_seq_bus, \
	  EXP, AHB_WAIT_FIRST_BUS, CYCLES, C_FIRST, "first-beat wait states due to the matrix") \
	X(EXP_WAIT_THRESHOLD_HIT, CtExpWaitThresholdHit, ct_exp_wait_threshold_hit, \
	  EXP, AHB_WAIT_OVER, EVENTS, C_OVER, "transfers that waited beyond the threshold") \
	/* ARM-D layer, Table 4-11 */ \
	X(ARMD_RD, CtArmdRd, ct_armd_rd, \
	  ARMD, AHB_READ, EVENTS, NULL, "read transfers, linefills and table walks included") \
	X(ARMD_WR, CtArmdWr, ct_armd_wr, \
	  ARMD, AHB_WRITE, EVENTS, NULL, "write transfers, cast-outs included") \
	X(ARMD_RD_APB_DMA, CtArmdRdApbDma, ct_armd_rd_apb_dma, \
	  ARMD, AHB_READ_APB_DMA, EVENTS, NULL, "reads via the APB bridge of DMA peripherals") \
	X(ARMD_WR_APB_DMA, CtArmdWrApbDma, ct_armd_wr_apb_dma, \
	  ARMD, AHB_WRITE_APB_DMA, EVENTS, NULL, "writes via the APB bridge of DMA peripherals") \
	X(ARMD_RD_APB_CORE, CtArmdRdApbCore, ct_armd_rd_apb_core, \
	  ARMD, AHB_READ_APB_CORE, EVENTS, NULL, "reads via the APB bridge of core peripherals") \
	X(ARMD_WR_APB_CORE, CtArmdWrApbCore, ct_armd_wr_apb_core, \
	  ARMD, AHB_WRITE_APB_CORE, EVENTS, NULL, "writes via the APB bridge of core peripherals") \
	X(ARMD_BURST_SINGLE, CtArmdBurstSingle, ct_armd_burst_single, \
	  ARMD, AHB_SINGLE, EVENTS, NULL, "SINGLE bursts, table walks included") \
	X(ARMD_BURST_INCR4, CtArmdBurstIncr4, ct_armd_burst_incr4, \
	  ARMD, AHB_INCR4, EVENTS, NULL, "INCR4 bursts, half-line cast-outs included") \
	X(ARMD_BURST_INCR8, CtArmdBurstIncr8, ct_armd_burst_incr8, \
	  ARMD, AHB_INCR8, EVENTS, NULL, "INCR8 bursts, full-line cast-outs included") \
	X(ARMD_LINE_FILL, CtArmdLineFill, ct_armd_line_fill, \
	  ARMD, AHB_LINEFILL, EVENTS, NULL, "data cache linefills: WRAP8 read bursts") \
	X(ARMD_CAST_OUT4, CtArmdCastOut4, ct_armd_cast_out4, \
	  ARMD, AHB_CASTOUT4, EVENTS, C_CASTOUT, "half-line cast-outs: INCR4 writes, by HPROT") \
	X(ARMD_CAST_OUT8, CtArmdCastOut8, ct_armd_cast_out8, \
	  ARMD, AHB_CASTOUT8, EVENTS, C_HPROT, "full-line cast-outs: INCR8 writes, by HPROT") \
	X(ARMD_PAGE_WALK_D, CtArmdPageWalkD, ct_armd_page_walk_d, \
	  ARMD, AHB_WALK_D, EVENTS, C_HPROT, "D-side table walks: SINGLE word reads, by HPROT") \
	X(ARMD_PAGE_WALK_I, CtArmdPageWalkI, ct_armd_page_walk_i, \
	  ARMD, AHB_WALK_I, EVENTS, C_HPROT, "I-side table walks: SINGLE word reads, by HPROT") \
	X(ARMD_WAIT_TOTAL, CtArmdWaitTotal, ct_armd_wait_total, \
	  ARMD, AHB_WAIT, CYCLES, NULL, "wait states on all beats, for any cause") \
	X(ARMD_WAIT_NON_SEQ_SLAVE, CtArmdWaitNonSeqSlave, ct_armd_wait_non_seq_slave, \
	  ARMD, AHB_WAIT_FIRST_SLAVE, CYCLES, NULL, "first-beat wait states due to the slave") \
	X(ARMD_WAIT_NON_SEQ_BUS, CtArmdWaitNonSeqBus, ct_armd_wait_non_seq_bus, \
	  ARMD, AHB_WAIT_FIRST_BUS, CYCLES, C_FIRST, "first-beat wait states due to the matrix") \
	X(ARMD_WAIT_THRESHOLD_HIT, CtArmdWaitThresholdHit, ct_armd_wait_threshold_hit, \
	  ARMD, AHB_WAIT_OVER, EVENTS, C_OVER, "transfers that waited beyond the threshold") \
	/* MBX GXI, Table 4-12 */ \
	X(GXI_WR, CtGxiWr, ct_gxi_wr, \
	  GXI, GXI_WRITE, EVENTS, NULL, "write transfers completed") \
	X(GXI_RD, CtGxiRd, ct_gxi_rd, \
	  GXI, GXI_READ, EVENTS, C_REQUESTS, "read requests completed") \
	X(GXI_WR_ADDR_WAIT, CtGxiWrAddrWait, ct_gxi_wr_addr_wait, \
	  GXI, GXI_WRITE_WAIT, CYCLES, NULL, "wait cycles of write requests") \
	X(GXI_RD_ADDR_WAIT, CtGxiRdAddrWait, ct_gxi_rd_addr_wait, \
	  GXI, GXI_READ_WAIT, CYCLES, NULL, "wait cycles of read requests") \
	X(GXI_RD_DATA_WAIT, CtGxiRdDataWait, ct_gxi_rd_data_wait, \
	  GXI, GXI_DATA_WAIT, CYCLES, NULL, "wait cycles of pending read data") \
	X(GXI_RD_A_WAIT_THRESHOLD_HIT, CtGxiRdAWaitThresholdHit, ct_gxi_rd_a_wait_threshold_hit, \
	  GXI, GXI_READ_OVER, EVENTS, C_STALLS, "stalls of read requests beyond the threshold") \
	X(GXI_RD_D_WAIT_THRESHOLD_HIT, CtGxiRdDWaitThresholdHit, ct_gxi_rd_d_wait_threshold_hit, \
	  GXI, GXI_DATA_OVER, EVENTS, C_OVER, "read data that waited beyond the threshold") \
	X(GXI_WR_A_WAIT_THRESHOLD_HIT, CtGxiWrAWaitThresholdHit, ct_gxi_wr_a_wait_threshold_hit, \
	  GXI, GXI_WRITE_OVER, EVENTS, C_OVER, "write requests that waited beyond the threshold") \
	X(GXI_PAGE_CHANGE, CtGxiPageChange, ct_gxi_page_change, \
	  GXI, GXI_PAGE_2K, EVENTS, C_PAGES, "transfers to another page than the previous " \
	  "transfer") \
	/* Miscellaneous, Table 4-13 */ \
	X(TOTAL_CYCLES, CtTotalCycles, ct_total_cycles, \
	  HCLK, CYCLE, CYCLES, C_FREE, "bus clock cycles since the last hardware reset") \
	X(TOTAL_CYCLES_EN, CtTotalCyclesEn, ct_total_cycles_en, \
	  HCLK, CYCLE, CYCLES, NULL, "bus clock cycles with the counters enabled") \
	X(TOTAL_CYCLES_NON_DEBUG, CtTotalCyclesNonDebug, ct_total_cycles_non_debug, \
	  HCLK, CYCLE, CYCLES, C_DEBUG, "bus clock cycles with the counters enabled, without " \
	  "debug state")
/* clang-format on */

/* The enum pmk_ahbmon_bus of each counter. */
extern const uint8_t pmk_ahbmon_bus_of[PMK_AHBMON_NCTRS];

static inline const struct pmk_ahbmon_layout *pmk_ahbmon_layout_of(const struct pmk_pmu *pmu)
{
	return pmu->family;
}

/* The catalogue: row i is event i. */
extern const struct pmk_event pmk_ahbmon_events[PMK_AHBMON_NCTRS];

extern const struct pmk_driver pmk_ahbmon_driver;

/* Descriptions of the registers. */
extern const struct pmk_reg_info pmk_ahbmon_regs[PMK_AHBMON_NREGS];

#endif
