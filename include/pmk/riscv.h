/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * The hardware performance monitor of RISC-V: mcycle, minstret, and mhpmcounter3 to 6 with their
 * event selectors.
 *
 * Sources: PRIV  The RISC-V Instruction Set Manual, volume II: privileged architecture, version
 *                1.12 (20211203)
 *          U74   SiFive U74-MC Core Complex Manual 21G3.02.00, §4.9.5: event selector encodings
 *
 * Counters of 64 bits; on RV32 each is two CSRs. Each counter has a bit that stops it
 * (mcountinhibit), and another that lets software below M-mode read its shadow (mcounteren): cycle,
 * instret, hpmcounter3 to 6. Counters wrap without a flag: overflow flags and the interrupt belong
 * to the extension Sscofpmf, which is not supported here.
 *
 * 	mcountinhibit, mcounteren         mhpmevent3 … 6 (U74)
 * 	 31      7 6      3  2   1   0     25              8 7        0
 * 	+---------+--------+---+---+---+  +-----------------+----------+
 * 	|    0    | HPM6…3 | IR| TM| CY|  |  Mask: events   |  Class   |
 * 	+---------+--------+---+---+---+  +-----------------+----------+
 * 	TM is in mcounteren only.        0: counts nothing
 *
 * PRIV does not fix the number of counters with selectable events or the meaning of the selectors.
 * Our choice is four counters with the encodings of the U74 (which has two counters, of 40 bits).
 *
 * The driver is freestanding and runs in M-mode; all functions may be called from an interrupt
 * handler if the port may.
 */
#ifndef PMK_RISCV_H
#define PMK_RISCV_H

#include <stdint.h>

#include <pmk/native.h>
#include <pmk/pmu.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pmk_pmu pmk_riscv64, pmk_riscv32;

/* Register numbers, as passed to a port. Each group of six is in the order of the counter
 * numbers. */
enum pmk_riscv_reg {
	PMK_RISCV_MCYCLE,
	PMK_RISCV_MINSTRET,
	PMK_RISCV_MHPMCOUNTER3,				   /* four */
	PMK_RISCV_MHPMEVENT3 = PMK_RISCV_MHPMCOUNTER3 + 4, /* four */
	PMK_RISCV_MCOUNTINHIBIT = PMK_RISCV_MHPMEVENT3 + 4,
	PMK_RISCV_MCOUNTEREN,
	PMK_RISCV_CYCLE, /* read-only shadows from here on */
	PMK_RISCV_INSTRET,
	PMK_RISCV_HPMCOUNTER3,
	PMK_RISCV_NREGS64 = PMK_RISCV_HPMCOUNTER3 + 4,
	PMK_RISCV_MCYCLEH = PMK_RISCV_NREGS64, /* RV32 only from here on: the upper halves */
	PMK_RISCV_MINSTRETH,
	PMK_RISCV_MHPMCOUNTER3H,
	PMK_RISCV_CYCLEH = PMK_RISCV_MHPMCOUNTER3H + 4,
	PMK_RISCV_INSTRETH,
	PMK_RISCV_HPMCOUNTER3H,
	PMK_RISCV_NREGS = PMK_RISCV_HPMCOUNTER3H + 4
};

/* CSR addresses by register number: PRIV Tables 2.2 and 2.5. */
extern const uint16_t pmk_riscv_csrs[PMK_RISCV_NREGS];

/* Counter numbers, as passed to a driver. */
enum pmk_riscv_ctr {
	PMK_RISCV_CTR_CYCLE,   /* counts only cycles */
	PMK_RISCV_CTR_INSTRET, /* counts only instructions */
	PMK_RISCV_CTR_HPM3,    /* four */
	PMK_RISCV_NCTRS = PMK_RISCV_CTR_HPM3 + 4
};

/*
 * The event codes are our choice, because a selector of the U74 has 26 bits and a code has 16.
 * 0xCBB is class C and bit BB of the selector, so 0x20A is selector 0x402; events 0x3nn have fixed
 * counters. pmk_pmu_event_code() describes all of them.
 */
enum pmk_riscv_event {
	PMK_RISCV_EXCEPTION_TAKEN = 0x008,
	PMK_RISCV_INTEGER_LOAD_RETIRED = 0x009,
	PMK_RISCV_INTEGER_STORE_RETIRED = 0x00A,
	PMK_RISCV_CONDITIONAL_BRANCH_RETIRED = 0x00E,
	PMK_RISCV_BRANCH_DIRECTION_MISPREDICTION = 0x10D,
	PMK_RISCV_ICACHE_MISS = 0x208,
	PMK_RISCV_DCACHE_MISS_MMIO_ACCESSES = 0x209,
	PMK_RISCV_CYCLES = 0x300,
	PMK_RISCV_INSTRUCTIONS = 0x301,
};

/* Returns the value of mhpmevent for a code; 0 if the code has no selector. */
uint32_t pmk_riscv_selector(unsigned code);

#ifdef __cplusplus
}
#endif

#endif
