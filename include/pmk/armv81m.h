/* SPDX-License-Identifier: MIT */
/* May change in 0.x. */
/*
 * The performance monitor of Armv8.1-M: Cortex-M52, M55 and M85.
 *
 * Sources: DDI 0553  Armv8-M Architecture Reference Manual, chapter B14 and the registers PMU_*
 *          ARM051    Armv8.1-M Performance Monitoring User Guide, ARM051-799564642-251
 *          CMSIS     pmu_armv8.h: the codes of the events
 *
 * There is one cycle counter of 32 bits, and eight event counters of 16 bits. Each counter has a
 * flag and an interrupt for its overflow; the interrupt is the DebugMonitor exception. The layout
 * is that of the memory-mapped view of PMUv3 (<pmk/armv8.h>), but CTRL has no N, TYPE says which
 * counters exist, and no register lists the events that are counted.
 *
 * 	CTRL                                          TYPE
 * 	 31     12  11     9      5     2  1  0        31   24  23   21   14  13   8 7     0
 * 	+---------+---+--+----+--+--+--+--+--+--+    +-------+---+--+---+--+--+------+-------+
 * 	|    0    |TRO| 0|FRZO| 0|DP| 0|C |P |E |    |   0   |TRO| 0|FZO| 0|CC| SIZE |   N   |
 * 	+---------+---+--+----+--+--+--+--+--+--+    +-------+---+--+---+--+--+------+-------+
 * 	E: enable. P, C: zero the event counters,     CC: the cycle counter exists.
 * 	the cycle counter.                            N: number of event counters.
 *
 * Nothing counts while DEMCR.TRCENA is 0; the driver's reset sets it. An unprivileged access takes
 * a BusFault.
 *
 * The driver is freestanding; all functions may be called from an interrupt handler if the port
 * may. A pair of counters is read in two accesses, and the driver detects a carry between them.
 */
#ifndef PMK_ARMV81M_H
#define PMK_ARMV81M_H

#include <stdint.h>

#include <pmk/native.h>
#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The PMU of the Cortex-M55; use it for the Cortex-M52 and M85, too. */
extern const struct pmk_pmu pmk_cortex_m55;

/* The number of event counters that the model has and the driver can use: our choice, as in the
 * Cortex-M55 and M85 (TYPE = 0x00A05F08). */
#define PMK_ARMV81M_EVENTS 8

/* Register numbers, as passed to a port. */
enum pmk_armv81m_reg {
	PMK_ARMV81M_EVCNTR0, /* eight */
	PMK_ARMV81M_CCNTR = PMK_ARMV81M_EVCNTR0 + PMK_ARMV81M_EVENTS,
	PMK_ARMV81M_EVTYPER0, /* eight */
	PMK_ARMV81M_CCFILTR = PMK_ARMV81M_EVTYPER0 + PMK_ARMV81M_EVENTS,
	PMK_ARMV81M_CNTENSET,
	PMK_ARMV81M_CNTENCLR,
	PMK_ARMV81M_INTENSET,
	PMK_ARMV81M_INTENCLR,
	PMK_ARMV81M_OVSCLR,
	PMK_ARMV81M_SWINC,
	PMK_ARMV81M_OVSSET,
	PMK_ARMV81M_TYPE,
	PMK_ARMV81M_CTRL,
	PMK_ARMV81M_AUTHSTATUS,
	PMK_ARMV81M_DEVARCH,
	PMK_ARMV81M_DEVTYPE,
	PMK_ARMV81M_DEMCR,
	PMK_ARMV81M_NREGS
};

/*
 * The registers are in memory from 0xE0003000 on; DEMCR is at 0xE000EDFC. On M-profile,
 * pmk_port_native() accesses the DWT, so firmware reaches this PMU with pmk_port_mmio():
 *
 * 	static struct pmk_mmio regs = { .base = PMK_ARMV81M_BASE, .offset = pmk_armv81m_offsets,
 * 					.noffsets = PMK_ARMV81M_NREGS };
 * 	pmk_target_open(&pmu, &pmk_cortex_m55, pmk_port_mmio(&regs));
 */
#define PMK_ARMV81M_BASE 0xE0003000u
extern const uint16_t pmk_armv81m_offsets[PMK_ARMV81M_NREGS];

/*
 * Counter numbers, as passed to a driver. An event counter has 16 bits and could wrap thousands of
 * times in a second, so the driver chains two of them: counter 1 + i is EVCNTR<2i>, with
 * EVCNTR<2i+1> as its upper half.
 */
enum pmk_armv81m_ctr {
	PMK_ARMV81M_CTR_CYCLES,
	PMK_ARMV81M_CTR_PAIR0,
	PMK_ARMV81M_NCTRS = PMK_ARMV81M_CTR_PAIR0 + PMK_ARMV81M_EVENTS / 2
};

/* Events that the driver and the model treat specially. */
enum pmk_armv81m_event {
	PMK_ARMV81M_SW_INCR = 0x0000,
	PMK_ARMV81M_CPU_CYCLES = 0x0011,
	PMK_ARMV81M_CHAIN = 0x001E,
};

#ifdef __cplusplus
}
#endif

#endif
