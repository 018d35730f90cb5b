/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU that emulated code programs itself. QEMU calls this module for accesses to the PMU's
 * registers, and receives the PMU's interrupt. The plugin interface has no functions for this
 * before 10.1, so pmk finds QEMU's own functions by name. Emulators that can load modules export
 * all functions; those of Debian, Ubuntu and Fedora can.
 *
 * pmk makes these assumptions. QEMU defines coprocessor and system registers of ARM one at a time,
 * by define_one_arm_cp_reg_with_opaque(), or by define_one_arm_cp_reg() since 10.2. The description
 * of a register has the layout of QEMU 7.1 to 11.1. get_arm_cp_reginfo() finds QEMU's own
 * description of a register in a table. The pointer to this table is a member of QEMU's struct for
 * a processor, and the next member points to the list of the processor's registers. The functions
 * of QOM and qdev, which are older than plugins, find and set inputs of devices.
 */
#ifndef PMK_PRODUCER_QEMU_GUEST_H
#define PMK_PRODUCER_QEMU_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>

#include "producer/qemu/arena.h"

/* Functions that handle accesses of the guest. A vCPU calls them in its own thread. */
struct pmk_guest_calls {
	int (*access)(unsigned vcpu, struct pmk_guest_access *a, uint64_t *value);
	/* Does the work of pmk_emulated_may(). */
	int (*may)(unsigned vcpu, const struct pmk_guest_access *a, unsigned *trap);
	void (*reset)(unsigned vcpu);
	/* Called when an EL2 or EL3 register that controls the PMU has changed. `input` is the
	 * model's name for the setting. */
	void (*control)(unsigned vcpu, const char *input, uint64_t value);
};

/* Registers in memory. They are words at offsets from a physical address. */
struct pmk_guest_window {
	uint64_t base, size;
	int (*load)(void *ctx, unsigned offset, uint32_t *value);
	int (*store)(void *ctx, unsigned offset, uint32_t value);
	void *ctx;
	bool big_endian; /* byte order of the processor */
	/* True if the registers belong to the processor and hide the processor's own registers. */
	bool of_processor;
};

/* Finds QEMU's functions. This function, pmk_guest_begin() and pmk_guest_map() return NULL, or a
 * text that names what this emulator lacks. */
const char *pmk_guest_find(void);
/*
 * Makes code report the processor that runs it. Since QEMU 10.0, code for processors that take
 * turns, as with -icount, reports the processor for which it was translated. This function makes
 * QEMU translate the code of the first `vcpus` processors as for processors that run at the same
 * time, because such code reports the right processor. It has no effect on emulators that export no
 * functions.
 */
void pmk_guest_tell_apart(unsigned vcpus);
/* True if the emulator supports guarded control stacks, and numbers its kinds of address
 * translation as QEMU does since 10.2. */
bool pmk_guest_has_stacks_of_calls(void);
/* Makes QEMU translate all code again. Needs QEMU 10.2 or later. */
void pmk_guest_translate_anew(void);
/* Returns the exception level of the processor whose code is being translated. It must be a 32-bit
 * processor. A negative number means that this emulator does not report the level. */
int pmk_guest_level(void);
/* Returns the present exception level of `vcpu`, which must be a 64-bit processor. The thread of
 * `vcpu` must call it. */
int pmk_guest_level_now(unsigned vcpu);
/* Returns the number of the board's processors. */
unsigned pmk_guest_vcpus(void);
/* Adds the registers of `pmu` to `vcpu`, and connects the interrupt of `pmu`. Must be called before
 * the vCPU runs. */
const char *pmk_guest_begin(unsigned vcpu, const struct pmk_pmu *pmu,
			    const struct pmk_guest_config *cfg,
			    const struct pmk_guest_calls *calls);
/* True if writes of MDCR_EL2, MDCR_EL3 and SCR_EL3 reach `control`. Must be called after
 * pmk_guest_begin(). */
bool pmk_guest_follows_controls(void);
/* Adds a window to the board. It has priority over the board's own devices. `w` must stay valid. */
const char *pmk_guest_map(const struct pmk_guest_window *w);

/* When an interrupt changes: while the guest accesses its PMU, or at the beginning of a block. */
enum pmk_guest_moment { PMK_GUEST_ACCESS, PMK_GUEST_BLOCK };

/* Sets the interrupt of `vcpu`, whose thread must call this. Returns true if the interrupt has
 * changed. */
bool pmk_guest_interrupt(unsigned vcpu, bool asserted, enum pmk_guest_moment moment);

/* True if the instruction, of A64 or of ARM state, can access a register of the PMU. */
bool pmk_guest_reaches(uint32_t insn, bool a64);

#endif
