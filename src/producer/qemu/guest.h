/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU that emulated code programs itself: QEMU is made to ask us for its registers, and to see
 * its interrupt. The plugin interface has nothing for this before 10.1, so functions of QEMU itself
 * are called, by name. Emulators that load modules export them all, as those of Debian, Ubuntu and
 * Fedora do.
 *
 * What is relied on: coprocessor and system registers of ARM are defined one at a time by
 * define_one_arm_cp_reg_with_opaque(), or define_one_arm_cp_reg() since 10.2, from a description
 * whose members are where QEMU 7.1 to 11.1 have them. get_arm_cp_reginfo() finds QEMU's own
 * description of a register in a table that is a member of the processor, followed by the list of
 * its registers. The functions of QOM and qdev, which are older than plugins, find and set inputs
 * of devices.
 */
#ifndef PMK_PRODUCER_QEMU_GUEST_H
#define PMK_PRODUCER_QEMU_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>

#include "producer/qemu/arena.h"

/* What accesses end in. A vCPU makes them in its own thread. */
struct pmk_guest_calls {
	int (*access)(unsigned vcpu, struct pmk_guest_access *a, uint64_t *value);
	/* As pmk_emulated_may(). */
	int (*may)(unsigned vcpu, const struct pmk_guest_access *a, unsigned *trap);
	void (*reset)(unsigned vcpu);
	/* The registers of EL2 and EL3 that control the PMU have another value: `input` is the
	 * model's name for what they say. */
	void (*control)(unsigned vcpu, const char *input, uint64_t value);
};

/* Registers in memory: words at offsets from a physical address. */
struct pmk_guest_window {
	uint64_t base, size;
	int (*load)(void *ctx, unsigned offset, uint32_t *value);
	int (*store)(void *ctx, unsigned offset, uint32_t value);
	void *ctx;
	bool big_endian; /* the processor is */
};

/* Find QEMU's functions. This, pmk_guest_begin() and pmk_guest_map() return NULL, or what this
 * emulator lacks, as text. */
const char *pmk_guest_find(void);
/*
 * Since 10.0, code that is translated for processors which take turns, as those with -icount do,
 * says "processor N ran" whichever has run: N is the one that it was translated for. Have the code
 * of the first `vcpus` translated as for processors that run at the same time, which says who.
 * Emulators that export no functions are left alone.
 */
void pmk_guest_tell_apart(unsigned vcpus);
/* Does the emulator know guarded control stacks, and numbers its kinds of address translation as
 * QEMU does since 10.2? */
bool pmk_guest_has_stacks_of_calls(void);
/* Have all code translated anew, since 10.2. */
void pmk_guest_translate_anew(void);
/* The exception level of the processor whose code is being translated, of those of 32 bits.
 * Negative: this emulator does not tell. */
int pmk_guest_level(void);
/* The exception level of `vcpu` now, from its thread; of those of 64 bits. */
int pmk_guest_level_now(unsigned vcpu);
/* The registers that processors are to ask us for, in the order of `pmu`'s own: those and, of
 * PMUv2, what PMUv3 has beyond it. QEMU has that in all processors; here it is undefined. */
const struct pmk_pmu *pmk_guest_rows(const struct pmk_pmu *pmu);
/* How many processors the board has. */
unsigned pmk_guest_vcpus(void);
/* Let `vcpu` have the registers of `pmu`, and its interrupt; before it runs. */
const char *pmk_guest_begin(unsigned vcpu, const struct pmk_pmu *pmu,
			    const struct pmk_guest_config *cfg,
			    const struct pmk_guest_calls *calls);
/* True if writes of MDCR_EL2, MDCR_EL3 and SCR_EL3 reach `control`. Call it after
 * pmk_guest_begin(). */
bool pmk_guest_follows_controls(void);
/* Let the board have a window, in front of what it has there. `w` has to stay. */
const char *pmk_guest_map(const struct pmk_guest_window *w);

/* When an interrupt changes: while the guest accesses its PMU, or when a block begins. */
enum pmk_guest_moment { PMK_GUEST_ACCESS, PMK_GUEST_BLOCK };

/* Set the interrupt of `vcpu`, from its thread. Returns whether that changes it. */
bool pmk_guest_interrupt(unsigned vcpu, bool asserted, enum pmk_guest_moment moment);

/* May the instruction, of A64 or of ARM state, reach such a register? */
bool pmk_guest_reaches(uint32_t insn, bool a64);

#endif
