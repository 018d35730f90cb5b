/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * ARMv8 Performance Monitors, PMUv3: Cortex-A53, A55, A57, A72, Neoverse N1, and any other core
 * that its ID registers describe. Also PMUv1 (Cortex-A8, A9) and PMUv2 (Cortex-A7, A15) of ARMv7,
 * which have the same registers except those with a counter number in their names.
 *
 * Sources: DDI 0487  Arm Architecture Reference Manual for A-profile, chapters D13 (PMU) and D23
 *          DDI 0500  Cortex-A53 TRM;  100095  Cortex-A72 TRM
 *          Valtrix blog, "Programming ARM v8 Performance Monitors", 25 May 2016
 *
 * One 64-bit cycle counter and N event counters, 0 ≤ N ≤ 31, of 32 bits (64 from PMUv3p5 on). Each
 * counter has one bit in the registers that start counters, hold overflow flags and enable
 * interrupts: bit n for event counter n, bit 31 for the cycle counter. PMCR_EL0.E starts and stops
 * all of them. The interrupt is level-sensitive.
 *
 * 	PMCR_EL0
 * 	 31     24 23    16 15   11 10   9   8   7   6   5   4   3   2   1   0
 * 	+---------+--------+-------+---+---+---+---+---+---+---+---+---+---+---+
 * 	|   IMP   | IDCODE |   N   | - |FZO| - | LP| LC| DP| X | D | C | P | E |
 * 	+---------+--------+-------+---+---+---+---+---+---+---+---+---+---+---+
 *
 * 	PMEVTYPER<n>_EL0
 * 	 31  30  29  28  27  26  25  24                  15            0
 * 	+---+---+---+---+---+---+---+---+---------------+--------------+
 * 	| P | U |NSK|NSU|NSH| M | MT| SH|       -       |   evtCount   |
 * 	+---+---+---+---+---+---+---+---+---------------+--------------+
 * 	P = 1 does NOT count at EL1, U = 1 not at EL0; NSH = 1 counts at EL2.
 */
#ifndef PMK_ARMV8_H
#define PMK_ARMV8_H

#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pmk_pmu pmk_armv8;	    /* any PMUv3: up to 31 counters, overflow at 32 bits */
extern const struct pmk_pmu pmk_armv8_long; /* PMUv3p5: overflow at 64 bits (PMCR_EL0.LP) */
extern const struct pmk_pmu pmk_cortex_a53; /* this and all cores below have 6 event counters */
extern const struct pmk_pmu pmk_cortex_a55;
extern const struct pmk_pmu pmk_cortex_a57;
extern const struct pmk_pmu pmk_cortex_a72;
extern const struct pmk_pmu pmk_neoverse_n1;
/* PMUv2 of ARMv7: 4 and 6 event counters; all counters have 32 bits. */
extern const struct pmk_pmu pmk_cortex_a7;
extern const struct pmk_pmu pmk_cortex_a15;
/* PMUv1 of ARMv7: 4 and 6 event counters of 32 bits, without filters and PMCEID. */
extern const struct pmk_pmu pmk_cortex_a8;
extern const struct pmk_pmu pmk_cortex_a9;
/* Cortex-M in emulation. The library for firmware does not have it. */
extern const struct pmk_pmu pmk_cortex_m;

/* Register numbers, as passed to a port. They are the same in all three views (system registers,
 * AArch32 CP15, memory-mapped); each view lacks some of them. */
enum pmk_armv8_reg {
	PMK_ARMV8_PMCR,
	PMK_ARMV8_PMCNTENSET,
	PMK_ARMV8_PMCNTENCLR,
	PMK_ARMV8_PMOVSCLR,
	PMK_ARMV8_PMSWINC, /* write only */
	PMK_ARMV8_PMSELR,
	PMK_ARMV8_PMCEID0, /* 64 bits; AArch32 and memory-mapped: with PMCEID2 above */
	PMK_ARMV8_PMCEID1,
	PMK_ARMV8_PMCCNTR,
	PMK_ARMV8_PMXEVTYPER,
	PMK_ARMV8_PMXEVCNTR,
	PMK_ARMV8_PMUSERENR,
	PMK_ARMV8_PMOVSSET,
	PMK_ARMV8_PMINTENSET, /* EL1 */
	PMK_ARMV8_PMINTENCLR, /* EL1 */
	PMK_ARMV8_PMMIR,      /* EL1; PMUv3p4 */
	PMK_ARMV8_PMCCFILTR,
	PMK_ARMV8_DFR0,	     /* ID_AA64DFR0_EL1: PMUVer in [11:8]; EL1 */
	PMK_ARMV8_PMEVCNTR0, /* + n, n = 0 … 30 */
	PMK_ARMV8_PMEVTYPER0 = PMK_ARMV8_PMEVCNTR0 + 31, /* + n */
	PMK_ARMV8_NREGS = PMK_ARMV8_PMEVTYPER0 + 31
};

/* Counter numbers, as passed to a driver. Event counter n is 1 + n; its bit in the registers is n.
 * The cycle counter has bit 31. */
enum pmk_armv8_ctr { PMK_ARMV8_CTR_CYCLES, PMK_ARMV8_CTR_EVENT0, PMK_ARMV8_NCTRS = 32 };

/* Bits of pmk_event.cores and pmk_pmu.core. */
enum pmk_armv8_cores {
	PMK_ARMV8_IS_GENERIC = 1 << 0, /* every event of the architecture */
	PMK_ARMV8_IS_A53 = 1 << 1,
	PMK_ARMV8_IS_A55 = 1 << 2,
	PMK_ARMV8_IS_A57 = 1 << 3,
	PMK_ARMV8_IS_A72 = 1 << 4,
	PMK_ARMV8_IS_N1 = 1 << 5,
	PMK_ARMV8_IS_A7 = 1 << 6,
	PMK_ARMV8_IS_A15 = 1 << 7,
	PMK_ARMV8_IS_A8 = 1 << 8,
	PMK_ARMV8_IS_A9 = 1 << 9
};

/* The exception levels at which the counters count: the upper bits of PMEVTYPER and PMCCFILTR. The
 * values are for Non-secure software and for cores without EL3. */
#define PMK_ARMV8_EL0_EL1     UINT32_C(0x00000000)
#define PMK_ARMV8_EL0	      UINT32_C(0x80000000) /* P = 1 */
#define PMK_ARMV8_EL1	      UINT32_C(0x40000000) /* U = 1 */
#define PMK_ARMV8_EL0_EL1_EL2 UINT32_C(0x08000000) /* NSH = 1 */
#define PMK_ARMV8_EL2	      UINT32_C(0xC8000000) /* P = U = NSH = 1 */

/*
 * The driver, in addition to what <pmk/pmu.h> says:
 *   reset    At EL0 (PMUSERENR.EN = 1), it does not change the interrupt enables, which only EL1
 *            can access. For pmk_armv8_long it returns PMK_ENOTSUP before PMUv3p5.
 *   program  returns PMK_ENOCTR if this hardware has no such counter (PMCR.N), if the cycle counter
 *            gets an event other than CPU_CYCLES, or if CHAIN gets an even counter or one of 64
 *            bits. It returns PMK_ENOTSUP if PMCEID shows that this hardware does not count the
 *            event.
 *   start    enables the counters for which program() was called since the last reset().
 *   read, write, irq_enable, clear
 *            return PMK_ENOCTR if this hardware has no such counter. The driver knows PMCR.N after
 *            its first reset() or program().
 *   ARMv7    program(), and read() and write() of an event counter, change PMSELR. An interrupt
 *            handler that calls them must save PMSELR and restore it.
 */

/* Set the filter that later calls of program() use, also for the cycle counter. The default is
 * PMK_ARMV8_EL0_EL1. The call itself accesses no register. PMUv1 has no filter and counts at all
 * levels. */
void pmk_armv8_set_filter(struct pmk_dev *d, uint32_t filter);

/* Let EL0 read the counters (true) or not (false). If true, it sets ER and CR of PMUSERENR, as
 * Linux does; EN stays 0, because it would let EL0 write every register. Call it from EL1; from EL0
 * the access takes an exception, and ports that detect this return PMK_EUNDEF. Returns PMK_ENOTSUP
 * for the PMUs of ARMv7, which have only EN. */
int pmk_armv8_user_read(struct pmk_dev *d, bool open);

/* Properties of this hardware. */
struct pmk_armv8_found {
	/* `counters` is the number of event counters, PMCR.N, which a hypervisor may have lowered.
	 * `version` is PMUVer: 1 PMUv3, 4 p1, 5 p4, 6 p5, 7 p7. It is 0 at EL0, which cannot read
	 * it. */
	uint8_t counters, version;
	/* The events that PMCEID shows. pmceid[0]: 0x00-0x1F in bits [31:0], 0x4000-0x401F in bits
	 * [63:32]. pmceid[1]: 0x20-0x3F and 0x4020-0x403F. */
	uint64_t pmceid[2];
};

/* Read the properties of this hardware. Returns 0, PMK_ENOPMU if there is no PMUv3, or an error of
 * the port; after an error *found is unchanged. */
int pmk_armv8_probe(struct pmk_dev *d, struct pmk_armv8_found *found);

/* True if PMCEID shows that this hardware counts the event `code`, or if PMCEID has no bit for
 * it. */
bool pmk_armv8_counts(const struct pmk_armv8_found *found, unsigned code);

/*
 * The memory-mapped view is a block of 4 KiB per core (DDI 0487 I5.3). A port that accesses words,
 * such as that of <pmk/native.h> or of a debug probe, uses these offsets:
 *
 * 	struct pmk_mmio block = { .base = …, .offset = pmk_armv8_mmio_offsets,
 * 				  .noffsets = PMK_ARMV8_NWORDS, .wide = pmk_armv8_mmio_wide };
 * 	struct pmk_port words = pmk_port_mmio(&block);
 * 	struct pmk_port port = pmk_armv8_port_memory(&words);
 *
 * pmk_armv8_port_memory() handles the fields that this view has in other registers: PMCR.N and the
 * upper halves of PMCEID. `words` belongs to the caller and must outlive the port. This view has no
 * PMSELR, PMXEV…, PMUSERENR or version, so pmk_armv8_long and pmk_armv8_user_read() fail with
 * PMK_EBADREG. Before the first access, software unlocks the block: PMLAR at 0xFB0 = 0xC5ACCE55,
 * and the OS lock.
 */
#define PMK_ARMV8_NWORDS (PMK_ARMV8_NREGS + 3) /* and PMCFGR, PMCEID2, PMCEID3 */
extern const uint16_t pmk_armv8_mmio_offsets[PMK_ARMV8_NWORDS];
extern const uint32_t pmk_armv8_mmio_wide[(PMK_ARMV8_NWORDS + 31) / 32];

struct pmk_port pmk_armv8_port_memory(struct pmk_port *words);

/* A few events by name; pmk_pmu_event() finds all of them. DDI 0487, D13.12. */
enum pmk_armv8_event {
	PMK_ARMV8_SW_INCR = 0x00,
	PMK_ARMV8_L1I_CACHE_REFILL = 0x01,
	PMK_ARMV8_L1D_CACHE_REFILL = 0x03,
	PMK_ARMV8_L1D_CACHE = 0x04,
	PMK_ARMV8_LD_RETIRED = 0x06,
	PMK_ARMV8_ST_RETIRED = 0x07,
	PMK_ARMV8_INST_RETIRED = 0x08,
	PMK_ARMV8_EXC_TAKEN = 0x09,
	PMK_ARMV8_PC_WRITE_RETIRED = 0x0C,
	PMK_ARMV8_BR_MIS_PRED = 0x10,
	PMK_ARMV8_CPU_CYCLES = 0x11,
	PMK_ARMV8_BR_PRED = 0x12,
	PMK_ARMV8_MEM_ACCESS = 0x13,
	PMK_ARMV8_L2D_CACHE_REFILL = 0x17,
	PMK_ARMV8_CHAIN = 0x1E,
	PMK_ARMV8_BR_RETIRED = 0x21
};

#ifdef __cplusplus
}
#endif

#endif
