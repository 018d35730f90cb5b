/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The AHB Monitor (SP816) of the ARM926EJ-S Development Chip: 91 counters of bus activity.
 *
 * Source: DDI 0287B  ARM926EJ-S Development Chip reference manual, chapter 4
 *
 * Each of the six AHB layers (one per bus master) and the link from the MBX to the memory
 * controller (GXI) has its own monitor. Every counter has 32 bits and a fixed event. One bit
 * enables all counters, and one write resets them. They wrap (our choice: the manual does not say)
 * and raise no interrupt. The registers are words in a window of 64 KB at 0x101D0000, which only
 * the ARM-D and EXP layers can access.
 *
 * THE REGISTER OFFSETS AND THE BITS OF AHBMONCtrlReg ARE NOT ARM'S. No public text has them. They
 * come from a table, struct pmk_ahbmon_layout. This project made up the built-in table so that its
 * driver and its model agree. If you have the manual, fill in a table of your own, and let
 * pmk_ahbmon_probe() check whether the hardware agrees:
 *
 * 	static const struct pmk_ahbmon_layout layout = { ... };
 * 	struct pmk_pmu pmu = pmk_ahbmon;
 * 	pmu.family = &layout;
 * 	struct pmk_mmio mmio = { .base = 0x101D0000, .offset = layout.offset,
 * 				 .noffsets = PMK_AHBMON_NREGS };
 * 	struct pmk_dev dev = { .pmu = &pmu, .port = pmk_port_mmio(&mmio) };
 * 	int err = pmk_ahbmon_probe(&dev, layout.base, &agree);
 *
 * To measure, call reset, pmk_ahbmon_configure(), start, run the code, then call stop and read (the
 * functions of pmk_ahbmon.driver). The driver's own accesses are traffic of the ARM-D layer: each
 * access made while the counters are enabled is counted. The write that enables the counters is not
 * counted; the write that stops them is (1 write, 1 SINGLE burst).
 *
 * CtTotalCycles runs freely: it counts HCLK cycles since the last hardware reset. The enable bit,
 * reset and preset do not affect it, and neither do the driver's start, stop and reset: read it
 * twice and subtract.
 *
 * The driver is freestanding; all functions may be called from an interrupt handler if the port
 * may.
 */
#ifndef PMK_AHBMON_H
#define PMK_AHBMON_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/native.h>
#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pmk_pmu pmk_ahbmon;

/*
 * The counters, in the order of the manual's tables. The numbers are our choice. A number is the
 * counter number, the event code and the register number, but not an offset. The manual's names are
 * CtArmiRd and so on. The catalogue says what each counter counts: pmk_pmu_event_code().
 */
enum pmk_ahbmon_counter {
	/* ARM-I layer, Table 4-6 */
	PMK_AHBMON_ARMI_RD = 0,
	PMK_AHBMON_ARMI_BURST_SINGLE,
	PMK_AHBMON_ARMI_BURST_INCR4,
	PMK_AHBMON_ARMI_LINE_FILL,
	PMK_AHBMON_ARMI_WAIT_TOTAL,
	PMK_AHBMON_ARMI_WAIT_NON_SEQ_SLAVE,
	PMK_AHBMON_ARMI_WAIT_NON_SEQ_BUS,
	PMK_AHBMON_ARMI_WAIT_THRESHOLD_HIT,
	/* CLCDC layer, Table 4-7 */
	PMK_AHBMON_CLCD_RD = 8,
	PMK_AHBMON_CLCD_BURST_INCR,
	PMK_AHBMON_CLCD_BURST_INCR4,
	PMK_AHBMON_CLCD_BURST_INCR8,
	PMK_AHBMON_CLCD_BURST_INCR16,
	PMK_AHBMON_CLCD_WAIT_TOTAL,
	PMK_AHBMON_CLCD_WAIT_NON_SEQ_SLAVE,
	PMK_AHBMON_CLCD_WAIT_NON_SEQ_BUS,
	PMK_AHBMON_CLCD_WAIT_THRESHOLD_HIT,
	/* DMA-0 layer, Table 4-8 */
	PMK_AHBMON_DMA0_RD = 17,
	PMK_AHBMON_DMA0_WR,
	PMK_AHBMON_DMA0_RD_UART,
	PMK_AHBMON_DMA0_WR_UART,
	PMK_AHBMON_DMA0_RD_SCI,
	PMK_AHBMON_DMA0_WR_SCI,
	PMK_AHBMON_DMA0_RD_SSP,
	PMK_AHBMON_DMA0_WR_SSP,
	PMK_AHBMON_DMA0_BURST_INCR,
	PMK_AHBMON_DMA0_BURST_INCR4,
	PMK_AHBMON_DMA0_BURST_INCR8,
	PMK_AHBMON_DMA0_BURST_INCR16,
	PMK_AHBMON_DMA0_WAIT_TOTAL,
	PMK_AHBMON_DMA0_WAIT_NON_SEQ_SLAVE,
	PMK_AHBMON_DMA0_WAIT_NON_SEQ_BUS,
	PMK_AHBMON_DMA0_WAIT_THRESHOLD_HIT,
	/* DMA-1 layer, Table 4-9 */
	PMK_AHBMON_DMA1_RD = 33,
	PMK_AHBMON_DMA1_WR,
	PMK_AHBMON_DMA1_BURST_INCR,
	PMK_AHBMON_DMA1_BURST_INCR4,
	PMK_AHBMON_DMA1_BURST_INCR8,
	PMK_AHBMON_DMA1_BURST_INCR16,
	PMK_AHBMON_DMA1_WAIT_TOTAL,
	PMK_AHBMON_DMA1_WAIT_NON_SEQ_SLAVE,
	PMK_AHBMON_DMA1_WAIT_NON_SEQ_BUS,
	PMK_AHBMON_DMA1_WAIT_THRESHOLD_HIT,
	/* EXPansion layer, Table 4-10 */
	PMK_AHBMON_EXP_RD = 43,
	PMK_AHBMON_EXP_WR,
	PMK_AHBMON_EXP_RD_APB_DMA,
	PMK_AHBMON_EXP_WR_APB_DMA,
	PMK_AHBMON_EXP_RD_APB_CORE,
	PMK_AHBMON_EXP_WR_APB_CORE,
	PMK_AHBMON_EXP_BURST_SINGLE,
	PMK_AHBMON_EXP_BURST_INCR,
	PMK_AHBMON_EXP_BURST_WRAP4,
	PMK_AHBMON_EXP_BURST_INCR4,
	PMK_AHBMON_EXP_BURST_WRAP8,
	PMK_AHBMON_EXP_BURST_INCR8,
	PMK_AHBMON_EXP_BURST_WRAP16,
	PMK_AHBMON_EXP_BURST_INCR16,
	PMK_AHBMON_EXP_WAIT_TOTAL,
	PMK_AHBMON_EXP_WAIT_NON_SEQ_SLAVE,
	PMK_AHBMON_EXP_WAIT_NON_SEQ_BUS,
	PMK_AHBMON_EXP_WAIT_THRESHOLD_HIT,
	/* ARM-D layer, Table 4-11 */
	PMK_AHBMON_ARMD_RD = 61,
	PMK_AHBMON_ARMD_WR,
	PMK_AHBMON_ARMD_RD_APB_DMA,
	PMK_AHBMON_ARMD_WR_APB_DMA,
	PMK_AHBMON_ARMD_RD_APB_CORE,
	PMK_AHBMON_ARMD_WR_APB_CORE,
	PMK_AHBMON_ARMD_BURST_SINGLE,
	PMK_AHBMON_ARMD_BURST_INCR4,
	PMK_AHBMON_ARMD_BURST_INCR8,
	PMK_AHBMON_ARMD_LINE_FILL,
	PMK_AHBMON_ARMD_CAST_OUT4,
	PMK_AHBMON_ARMD_CAST_OUT8,
	PMK_AHBMON_ARMD_PAGE_WALK_D,
	PMK_AHBMON_ARMD_PAGE_WALK_I,
	PMK_AHBMON_ARMD_WAIT_TOTAL,
	PMK_AHBMON_ARMD_WAIT_NON_SEQ_SLAVE,
	PMK_AHBMON_ARMD_WAIT_NON_SEQ_BUS,
	PMK_AHBMON_ARMD_WAIT_THRESHOLD_HIT,
	/* MBX GXI, Table 4-12 */
	PMK_AHBMON_GXI_WR = 79,
	PMK_AHBMON_GXI_RD,
	PMK_AHBMON_GXI_WR_ADDR_WAIT,
	PMK_AHBMON_GXI_RD_ADDR_WAIT,
	PMK_AHBMON_GXI_RD_DATA_WAIT,
	PMK_AHBMON_GXI_RD_A_WAIT_THRESHOLD_HIT,
	PMK_AHBMON_GXI_RD_D_WAIT_THRESHOLD_HIT,
	PMK_AHBMON_GXI_WR_A_WAIT_THRESHOLD_HIT,
	PMK_AHBMON_GXI_PAGE_CHANGE,
	/* Miscellaneous, Table 4-13 */
	PMK_AHBMON_TOTAL_CYCLES = 88,
	PMK_AHBMON_TOTAL_CYCLES_EN,
	PMK_AHBMON_TOTAL_CYCLES_NON_DEBUG,
	PMK_AHBMON_NCTRS
};

/* The waits that have a threshold. The manual says that a threshold is configurable for each
 * counter (§4.2.2); that each has its own register is our choice. */
enum pmk_ahbmon_threshold {
	PMK_AHBMON_OVER_ARMI,
	PMK_AHBMON_OVER_CLCDC,
	PMK_AHBMON_OVER_DMA0,
	PMK_AHBMON_OVER_DMA1,
	PMK_AHBMON_OVER_EXP,
	PMK_AHBMON_OVER_ARMD,
	PMK_AHBMON_OVER_GXI_RD_A, /* read request */
	PMK_AHBMON_OVER_GXI_RD_D, /* read data */
	PMK_AHBMON_OVER_GXI_WR_A, /* write request */
	PMK_AHBMON_NTHRESHOLDS
};

/* Register numbers, as passed to a port. 0 to 90 are the counters, which are read-only. */
enum pmk_ahbmon_reg {
	PMK_AHBMON_CTRLREG = (int)PMK_AHBMON_NCTRS, /* AHBMONCtrlReg: enable, DBGACK tracking */
	PMK_AHBMON_RSTCTRS, /* AHBMONRstCtrs: any write resets the counters (§4.3.27) */
	/* AHBMONPrstCtrs: any write stops the counters and sets each to the address of its own
	 * register (§4.3.28). */
	PMK_AHBMON_PRSTCTRS,
	PMK_AHBMON_GXIPAGESIZE, /* GxiPageSize: [1:0], see enum pmk_ahbmon_page (§4.3.26) */
	PMK_AHBMON_THRESHOLD0,	/* + enum pmk_ahbmon_threshold */
	PMK_AHBMON_NREGS = PMK_AHBMON_THRESHOLD0 + (int)PMK_AHBMON_NTHRESHOLDS
};

/* GxiPageSize [1:0]: page size for CtGxiPageChange (§4.3.26). */
enum pmk_ahbmon_page {
	PMK_AHBMON_PAGE_2K,
	PMK_AHBMON_PAGE_4K,
	PMK_AHBMON_PAGE_8K,
	PMK_AHBMON_PAGE_16K,
	PMK_AHBMON_NPAGES
};

/*
 * For producers and the model: an array of this length and order has one struct pmk_bus per
 * observed bus. Signals do not name a layer: AHB_READ is the same signal on every bus. Functions
 * that take a `struct pmk_bus *` for this PMU expect a pointer to the first element. The first bus
 * is HCLK, so that code that knows only one bus (the `settle` of a model port) advances the clock.
 * CYCLE of the HCLK bus is the bus clock; CYCLE of the other buses is not used.
 */
enum pmk_ahbmon_bus {
	PMK_AHBMON_BUS_HCLK,
	PMK_AHBMON_BUS_ARMI,
	PMK_AHBMON_BUS_CLCDC,
	PMK_AHBMON_BUS_DMA0,
	PMK_AHBMON_BUS_DMA1,
	PMK_AHBMON_BUS_EXP,
	PMK_AHBMON_BUS_ARMD,
	PMK_AHBMON_BUS_GXI,
	PMK_AHBMON_NBUSES
};

/* The origin of a layout. */
enum pmk_ahbmon_provenance {
	PMK_AHBMON_FROM_PROJECT, /* made up; real hardware is different */
	PMK_AHBMON_FROM_MANUAL	 /* written from pages of DDI 0287 that its author owns */
};

/*
 * Where the registers and control bits are. It contains no pointers. The manual fixes only that
 * registers are aligned words inside 64 KB (§4.1, §4.2.2); pmk_ahbmon_layout_check() checks that.
 */
struct pmk_ahbmon_layout {
	uint32_t provenance; /* enum pmk_ahbmon_provenance */
	uint32_t base;	     /* physical address of the window; the manual says 0x101D0000 */
	/* Bits of AHBMONCtrlReg. */
	uint32_t enable;       /* enables all counters except CtTotalCycles */
	uint32_t track_dbgack; /* ARM-I, ARM-D and CtTotalCyclesNonDebug stop with DBGACK */
	/* With this bit, CtArmdCastOut4 counts only writes aligned to 4 words. 0: no such bit. */
	uint32_t castout4_aligned;
	uint32_t threshold; /* mask of the bits that a threshold register has */
	/* Offset of each register number, in bytes from `base`, as in struct pmk_mmio.
	 * PMK_MMIO_NONE: the threshold has no register. */
	uint16_t offset[PMK_AHBMON_NREGS];
};

/* The project's own layout. data/layouts/sp816.ini has the same table as a file, which pmk can
 * read. */
extern const struct pmk_ahbmon_layout pmk_ahbmon_sp816;

/* Returns 0, or PMK_EINVAL for a table that cannot be a layout of the block: an offset is missing,
 * unaligned, outside of the window or duplicated, or control bits are missing or overlap. */
int pmk_ahbmon_layout_check(const struct pmk_ahbmon_layout *layout);

/*
 * Checks whether the hardware agrees with the layout. The function presets the counters; each of
 * them except CtTotalCycles must then hold its own address (§4.3.28). `base` is the physical
 * address of the window, even if the port accesses it at another (virtual) address. *agree becomes
 * the number of counters, out of 90, that hold their address.
 *
 * 	0             all counters do
 * 	PMK_EBADREG   some counters do: parts of the layout are wrong
 * 	PMK_ENOTSUP   no counter does: there is no AHB Monitor at this address (QEMU's versatilepb
 * 	              reads zeros), or the layout is wrong
 * 	PMK_EIO …     an error of the port; *agree counts those found before it
 *
 * The check does not show which counter counts which event. Afterwards the counters are stopped and
 * reset, so their counts are lost.
 */
int pmk_ahbmon_probe(struct pmk_dev *d, uint32_t base, unsigned *agree);

/* The settings of a measurement. The driver's reset, start and stop do not change them. */
struct pmk_ahbmon_config {
	bool track_dbgack;     /* do not count what ARM-I and ARM-D do in debug state */
	bool castout4_aligned; /* count only INCR4 writes aligned to 4 words as cast-outs */
	uint32_t page;	       /* enum pmk_ahbmon_page */
	/* In HCLK cycles. A wait that is longer than its threshold is a hit (our choice). */
	uint32_t threshold[PMK_AHBMON_NTHRESHOLDS];
};

/*
 * Write the configuration. Call it while the counters are stopped; otherwise it returns PMK_EBUSY
 * and changes nothing. Returns PMK_EINVAL if there is no such page size, PMK_ERANGE if a threshold
 * is too large for its register, and PMK_ENOTSUP if the layout has no bit for castout4_aligned, or
 * no register for a threshold that is not 0.
 */
int pmk_ahbmon_configure(struct pmk_dev *d, const struct pmk_ahbmon_config *config);

#ifdef __cplusplus
}
#endif

#endif
