/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * Ports to silicon, for code that runs on that silicon. All of them may be used from interrupt
 * handlers and keep no state. `settle` is NULL, because time passes by itself.
 *
 * The ports contain all barriers, with their reasons in src/firmware/; drivers contain none.
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
 * Access from user mode or EL0 takes an exception unless the system has opened the registers
 * (SUNAVCR.V on an ARM1176, PMUSERENR_EL0 on ARMv8). Ask pmk_native_probe() first.
 */
struct pmk_port pmk_port_native(void);

/* Returns a port to PMUv3 from AArch32 state: MRC/MCR p15, 0, Rd, c9 and c14. 32-bit Arm only;
 * needs ARMv7 or ARMv8. */
struct pmk_port pmk_port_cp15_pmuv3(void);

/*
 * Returns 0 if this mode may access the PMU. Reads one register (PMNC; PMCR_EL0; M-profile:
 * CONTROL). PMK_ENOPMU: there is no PMU (ARMv6-M). PMK_EUNDEF: the access took an exception. For
 * this, the exception handler must call pmk_native_fixup(), unless the program knows that the
 * access is allowed. M-profile needs no handler, because the PMU is not accessed there:
 *
 * 	handler of Undefined (32-bit), of synchronous exceptions (AArch64), of SIGILL (Linux):
 * 		if (pmk_native_fixup(&pc))
 * 			return to pc;
 * 		… the handler's other work …
 *
 * `pc` is the address of the instruction that took the exception: ARM state LR_und - 4, AArch64
 * ELR_ELx, Linux uc_mcontext.arm_pc or .pc. True: the probe caused the exception, and pc now points
 * past the access.
 */
int pmk_native_probe(void);
bool pmk_native_fixup(uintptr_t *pc);

/*
 * Memory-mapped registers, 32 bits each, at base + offset[register number]. PMK_MMIO_NONE: the
 * register does not exist in memory (PMK_EBADREG). A register of 64 bits is two words, low word
 * first, when its bit is set in `wide`; it is read high, low, high until both highs agree. The
 * memory must be mapped as Device or non-cacheable. The caller owns the struct, which must outlive
 * the port.
 */
#define PMK_MMIO_NONE 0xffff

struct pmk_mmio {
	uintptr_t base;
	const uint16_t *offset;
	unsigned noffsets;
	const uint32_t *wide; /* bit per register number, or NULL */
};

struct pmk_port pmk_port_mmio(struct pmk_mmio *mmio);

#ifdef __cplusplus
}
#endif

#endif
