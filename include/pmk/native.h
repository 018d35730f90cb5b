/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Ports to silicon, for code that runs on that silicon. All of them may be used from interrupt
 * handlers and keep no state. `settle` is NULL, because time passes by itself.
 *
 * The ports execute all barriers that are needed; drivers execute none. Comments in src/firmware
 * and in src/pmu/riscv/native.c give the reasons.
 */
#ifndef PMK_NATIVE_H
#define PMK_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/port.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns a port to the PMU of the processor that this code runs on, reached by its own
 * instructions:
 *   32-bit Arm   ARM11: MRC/MCR p15, 0, Rd, c15, c12 (register numbers of <pmk/arm11.h>)
 *   AArch64      PMUv3: MRS/MSR PMCR_EL0 … (register numbers of <pmk/armv8.h>)
 *   M-profile    loads and stores to the DWT (register numbers of <pmk/dwt.h>); ARMv6-M and ARMv8-M
 *                Baseline have no counters: every access returns PMK_ENOPMU
 *   RISC-V       csrr/csrw, from M-mode (register numbers of <pmk/riscv.h>)
 * An access from user mode or EL0 takes an exception unless the system has permitted it (SUNAVCR.V
 * on an ARM1176, PMUSERENR_EL0 on ARMv8). Call pmk_native_probe() first if the access may be
 * forbidden.
 */
struct pmk_port pmk_port_native(void);

/* Returns a port to PMUv3 for code in AArch32 state of an ARMv8 core: MRC/MCR p15, 0, Rd, c9 and
 * c14, and for PMCCNTR MRRC/MCRR, which the PMUs of ARMv7 do not have. The library contains it only
 * if it is compiled for 32-bit Arm, ARMv7 or later, except M-profile. */
struct pmk_port pmk_port_cp15_pmuv3(void);

/*
 * pmk_native_probe() checks whether this mode may access the PMU, by reading one of its registers
 * (PMNC or PMCR_EL0). It returns 0 if the access is allowed, and PMK_EUNDEF if it took an
 * exception. The exception handler must call pmk_native_fixup() for this:
 *
 * 	handler of Undefined (32-bit), of synchronous exceptions (AArch64), of SIGILL (Linux):
 * 		if (pmk_native_fixup(&pc))
 * 			return to pc;
 * 		… the handler's other work …
 *
 * `pc` is the address of the instruction that took the exception: LR_und - 4 in ARM state, ELR_ELx
 * in AArch64, uc_mcontext.arm_pc or .pc in Linux. If pmk_native_fixup() returns true, the probe
 * caused the exception, and pc now points past the access.
 *
 * On M-profile, the probe reads IPSR and CONTROL instead of the PMU, so it takes no exception. It
 * returns PMK_EUNDEF in unprivileged Thread mode, and PMK_ENOPMU on ARMv6-M and ARMv8-M Baseline.
 * RISC-V has neither function.
 */
int pmk_native_probe(void);
bool pmk_native_fixup(uintptr_t *pc);

/*
 * Memory-mapped registers: register number i is the 32-bit word at base + offset[i]. If offset[i]
 * is PMK_MMIO_NONE, memory does not have the register, and accesses return PMK_EBADREG. If bit i %
 * 32 of wide[i / 32] is set, the register has 64 bits and is two words, the lower half first. To
 * read it, the port reads the upper half, the lower half and the upper half again, until both
 * readings of the upper half agree. The memory must be mapped as Device or non-cacheable. The
 * caller owns the struct and the arrays, which must outlive the port.
 */
#define PMK_MMIO_NONE 0xffff

struct pmk_mmio {
	uintptr_t base;
	const uint16_t *offset;
	unsigned noffsets;
	const uint32_t *wide; /* NULL: no register has 64 bits */
};

/* Returns a port to these registers, which may be used from interrupt handlers. */
struct pmk_port pmk_port_mmio(struct pmk_mmio *mmio);

#ifdef __cplusplus
}
#endif

#endif
