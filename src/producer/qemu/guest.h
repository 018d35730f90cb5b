/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU that emulated code programs itself: QEMU calls this module for accesses to its registers,
 * and receives its interrupt. The plugin interface has nothing for this before 10.1, so QEMU's own
 * functions are called by name. Emulators that load modules export them all, as those of Debian,
 * Ubuntu and Fedora do.
 *
 * Assumptions: coprocessor and system registers of ARM are defined one at a time by
 * define_one_arm_cp_reg_with_opaque(), or define_one_arm_cp_reg() since 10.2, from a description
 * with the layout of QEMU 7.1 to 11.1. get_arm_cp_reginfo() finds QEMU's own description of a
 * register in a table that is a member of the processor, followed by the list of its registers. The
 * functions of QOM and qdev, which are older than plugins, find and set inputs of devices.
 */
#ifndef PMK_PRODUCER_QEMU_GUEST_H
#define PMK_PRODUCER_QEMU_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>

#include "producer/qemu/arena.h"

/* Handlers of accesses. A vCPU makes them in its own thread. */
struct pmk_guest_calls {
	int (*access)(unsigned vcpu, struct pmk_guest_access *a, uint64_t *value);
	/* Like pmk_emulated_may(). */
	int (*may)(unsigned vcpu, const struct pmk_guest_access *a, unsigned *trap);
	void (*reset)(unsigned vcpu);
	/* The EL2 and EL3 registers that control the PMU have changed: `input` is the model's name
	 * for the setting. */
	void (*control)(unsigned vcpu, const char *input, uint64_t value);
};

/* Registers in memory: words at offsets from a physical address. */
struct pmk_guest_window {
	uint64_t base, size;
	int (*load)(void *ctx, unsigned offset, uint32_t *value);
	int (*store)(void *ctx, unsigned offset, uint32_t value);
	void *ctx;
	bool big_endian; /* byte order of the processor */
	/* The registers belong to the processor and hide its own. */
	bool of_processor;
};

/* Find QEMU's functions. This, pmk_guest_begin() and pmk_guest_map() return NULL, or the feature
 * that this emulator lacks, as text. */
const char *pmk_guest_find(void);
/*
 * Let code report the processor that runs it. Since 10.0, code for processors that take turns, as
 * with -icount, reports the processor for which it was translated. This function has the code of
 * the first `vcpus` translated as for processors that run at the same time, and such code reports
 * the right processor. Emulators that export no functions are not changed.
 */
void pmk_guest_tell_apart(unsigned vcpus);
/* True if the emulator supports guarded control stacks, and numbers its kinds of address
 * translation as QEMU does since 10.2. */
bool pmk_guest_has_stacks_of_calls(void);
/* Makes QEMU translate all code again. Needs QEMU 10.2 or later. */
void pmk_guest_translate_anew(void);
/* Returns the exception level of the processor whose code is being translated; only for 32-bit
 * processors. A negative number: this emulator does not report it. */
int pmk_guest_level(void);
/* Returns the present exception level of `vcpu`, which is a 64-bit processor. Call it from the
 * thread of `vcpu`. */
int pmk_guest_level_now(unsigned vcpu);
/* Returns the number of the board's processors. */
unsigned pmk_guest_vcpus(void);
/* Give `vcpu` the registers of `pmu`, and its interrupt. Call it before the vCPU runs. */
const char *pmk_guest_begin(unsigned vcpu, const struct pmk_pmu *pmu,
			    const struct pmk_guest_config *cfg,
			    const struct pmk_guest_calls *calls);
/* True if writes of MDCR_EL2, MDCR_EL3 and SCR_EL3 reach `control`. Call it after
 * pmk_guest_begin(). */
bool pmk_guest_follows_controls(void);
/* Add a window to the board, with priority over the board's own devices. `w` must stay valid. */
const char *pmk_guest_map(const struct pmk_guest_window *w);

/* When an interrupt changes: while the guest accesses its PMU, or at the beginning of a block. */
enum pmk_guest_moment { PMK_GUEST_ACCESS, PMK_GUEST_BLOCK };

/* Set the interrupt of `vcpu`, from its thread. Returns true if that changes it. */
bool pmk_guest_interrupt(unsigned vcpu, bool asserted, enum pmk_guest_moment moment);

/* True if the instruction, of A64 or of ARM state, can access such a register. */
bool pmk_guest_reaches(uint32_t insn, bool a64);

#endif
