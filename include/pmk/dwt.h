/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The counters of the Data Watchpoint and Trace unit (DWT) of ARMv7-M: Cortex-M3, M4 and M7, and of
 * ARMv8-M Mainline, whose registers are the same.
 *
 * Sources: DDI 0403E  ARMv7-M Architecture Reference Manual, C1.8 (DWT), C1.6.5 (DEMCR)
 *          DDI 0489F  Cortex-M7 Technical Reference Manual, Table 11.1 (reset values, lock)
 *
 * There is one cycle counter of 32 bits, and five counters of 8 bits for overheads:
 *
 * 	instructions = CYCCNT - CPICNT - EXCCNT - SLEEPCNT - LSUCNT + FOLDCNT
 *
 * 	DWT_CTRL
 * 	 31   28 27 26 25 24    22   21   20    19    18  17      12             0
 * 	+-------+--+--+--+--+--+---+----+----+------+----+----+--+--+-- … --+--------+
 * 	|NUMCOMP|   NO…     |  |CYC|FOLD|LSU |SLEEP |EXC |CPI |  |PC|       |CYCCNTENA|
 * 	+-------+--+--+--+--+--+---+----+----+------+----+----+--+--+-- … --+--------+
 * 	          24 NOPRFCNT, 25 NOCYCCNT: 1 where the counters are not there
 * 	          17-21: the counter runs, and its overflow is an event packet of the ITM
 *
 * Nothing counts while DEMCR.TRCENA is 0. No overflow raises an interrupt or sets a flag. An 8-bit
 * counter counts at most once in a cycle, so the difference of two readings is exact if fewer than
 * 256 cycles passed between them. Otherwise the driver reports PMK_STATUS_OVERFLOW, and the total
 * is a lower bound from then on. A write of 1 to an enable bit that was 0 clears the counter; the
 * driver restores its value.
 *
 * Some processors (Cortex-M7) have a lock, LAR and LSR: while it is closed, writes by software are
 * ignored. reset() opens it. Unprivileged accesses take a BusFault.
 *
 * If a boot loader or an RTOS has set CYCCNTENA for its own use, it owns the counters:
 * pmk_target_open() returns PMK_EBUSY, and pmk_target_seize() takes them anyway.
 *
 * The driver is freestanding. One access depends on the one before (pmk_pmu.sequential), so readers
 * in interrupt handlers need the locks of pmk_target_locks().
 */
#ifndef PMK_DWT_H
#define PMK_DWT_H

#include <stdint.h>

#include <pmk/native.h>
#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pmk_pmu pmk_dwt;

/* Register numbers, as passed to a port. */
enum pmk_dwt_reg {
	PMK_DWT_CTRL,
	PMK_DWT_CYCCNT, /* the six counters, in the order of their numbers */
	PMK_DWT_CPICNT,
	PMK_DWT_EXCCNT,
	PMK_DWT_SLEEPCNT,
	PMK_DWT_LSUCNT,
	PMK_DWT_FOLDCNT,
	PMK_DWT_LAR,
	PMK_DWT_LSR,
	PMK_DWT_DEMCR,
	PMK_DWT_NREGS
};

/*
 * The registers are in memory from 0xE0001000 on; DEMCR is at 0xE000EDFC. pmk_port_native() on
 * M-profile accesses them there. For a debug probe, whose port uses addresses:
 *
 * 	struct pmk_mmio dwt = { .base = PMK_DWT_BASE, .offset = pmk_dwt_offsets,
 * 				.noffsets = PMK_DWT_NREGS };
 */
#define PMK_DWT_BASE 0xE0001000u
extern const uint16_t pmk_dwt_offsets[PMK_DWT_NREGS];

/* Counter numbers, as passed to a driver. Each counter has a fixed event. */
enum pmk_dwt_ctr {
	PMK_DWT_CTR_CYC,
	PMK_DWT_CTR_CPI,
	PMK_DWT_CTR_EXC,
	PMK_DWT_CTR_SLEEP,
	PMK_DWT_CTR_LSU,
	PMK_DWT_CTR_FOLD,
	PMK_DWT_NCTRS
};

/* Event codes. The DWT has none; our choice is the offset of the counter's register. */
enum pmk_dwt_event {
	PMK_DWT_CYCLES = 0x04,
	PMK_DWT_BASE_OVERHEAD = 0x08,
	PMK_DWT_EXCEPTION_OVERHEAD = 0x0C,
	PMK_DWT_SLEEP_CYCLES = 0x10,
	PMK_DWT_LSU_OVERHEAD = 0x14,
	PMK_DWT_FOLDED_INSTRUCTIONS = 0x18,
};

#ifdef __cplusplus
}
#endif

#endif
