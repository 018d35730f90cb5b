/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The counters of the Data Watchpoint and Trace unit (DWT) of ARMv7-M: Cortex-M3, M4 and M7, and
 * of ARMv8-M Mainline, whose registers are the same.
 *
 * Sources: DDI 0403E  ARMv7-M Architecture Reference Manual, C1.8 (DWT), C1.6.5 (DEMCR)
 *          DDI 0489F  Cortex-M7 Technical Reference Manual, Table 11.1 (reset values, lock)
 *
 * One counter of cycles, 32 bits, and five of 8 bits that say where cycles went:
 *
 *	instructions = CYCCNT - CPICNT - EXCCNT - SLEEPCNT - LSUCNT + FOLDCNT
 *
 *	DWT_CTRL
 *	 31   28 27 26 25 24    22   21   20    19    18  17      12             0
 *	+-------+--+--+--+--+--+---+----+----+------+----+----+--+--+-- … --+--------+
 *	|NUMCOMP|   NO…     |  |CYC|FOLD|LSU |SLEEP |EXC |CPI |  |PC|       |CYCCNTENA|
 *	+-------+--+--+--+--+--+---+----+----+------+----+----+--+--+-- … --+--------+
 *	          24 NOPRFCNT, 25 NOCYCCNT: 1 where the counters are not there
 *	          17-21: the counter runs, and its overflow is an event packet of the ITM
 *
 * Nothing counts while DEMCR.TRCENA is 0. No overflow raises an interrupt or sets a flag. An 8-bit
 * counter counts at most once in a cycle, so that two readings of it tell all there was when fewer
 * than 256 cycles passed in between; the driver says PMK_STATUS_OVERFLOW where more did, and a
 * total is a lower bound from then on. A write of 1 to an enable that was 0 sets the counter to 0;
 * the driver puts back what it had.
 *
 * Some processors (Cortex-M7) have a lock, LAR and LSR: while it is closed, software's writes are
 * ignored. reset() opens it. Access is privileged; anything else takes a BusFault.
 *
 * A boot loader or an RTOS that has set CYCCNTENA for itself is an owner: pmk_target_open() says
 * PMK_EBUSY, and pmk_target_seize() takes the counters all the same.
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
 * Where they are: from 0xE0001000 on, DEMCR (0xE000EDFC) as well. pmk_port_native() of M-profile
 * reaches them there. A debug probe, whose port takes addresses, is a port of its own:
 *
 *	struct pmk_mmio dwt = { .base = PMK_DWT_BASE, .offset = pmk_dwt_offsets,
 *				.noffsets = PMK_DWT_NREGS };
 */
#define PMK_DWT_BASE 0xE0001000u
extern const uint16_t pmk_dwt_offsets[PMK_DWT_NREGS];

/* Counter numbers, as passed to a driver. Each counts one thing. */
enum pmk_dwt_ctr {
	PMK_DWT_CTR_CYC,
	PMK_DWT_CTR_CPI,
	PMK_DWT_CTR_EXC,
	PMK_DWT_CTR_SLEEP,
	PMK_DWT_CTR_LSU,
	PMK_DWT_CTR_FOLD,
	PMK_DWT_NCTRS
};

/* Event codes. The DWT has none: the offset of the counter's register, our choice. */
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
