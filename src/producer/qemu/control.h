/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In system emulation, firmware turns units of the core on and off. On ARM, these are the MMU, the
 * caches and the branch predictor, which SCTLR controls (M, C, I and Z). AArch64 has one SCTLR for
 * each exception level above EL0. On a MicroBlaze, these are the caches, which the MSR controls
 * (ICE and DCE). At reset, all these units are off. A write of such a register ends QEMU's
 * translated block, and the written value is still in the general register when the next block
 * starts. While the MMU of an ARM core is off, data accesses are Strongly Ordered and therefore not
 * cached.
 *
 * After a change, the core restarts with empty caches, TLBs and predictor, because software has to
 * invalidate them (our choice). All code is translated again, because blocks are built for one
 * state. The code after a write is executed once before it is translated again, so pmk chooses the
 * blocks of this code when they start. QEMU translates code separately for each exception level. If
 * the levels have different states, each block checks whether the core is in the state for which
 * the block was built.
 */
#ifndef PMK_PRODUCER_QEMU_CONTROL_H
#define PMK_PRODUCER_QEMU_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/isa.h>

#include "cpu/family.h"

/*
 * The registers that turn units on and off. AArch32 has one such register, which is treated as the
 * register of EL1. A MicroBlaze has the MSR; an instruction writes all of it, or sets or clears
 * some of its bits.
 */
enum pmk_control_reg {
	PMK_CONTROL_NONE,
	PMK_CONTROL_SCTLR_EL1,
	PMK_CONTROL_SCTLR_EL2,
	PMK_CONTROL_SCTLR_EL3,
	PMK_CONTROL_SCTLR_EL12,
	PMK_CONTROL_HCR_EL2, /* its bits decide whether EL2 is the host of EL0 */
	PMK_CONTROL_MSR,
	PMK_CONTROL_MSR_SET,
	PMK_CONTROL_MSR_CLEAR,
	PMK_CONTROL_NREGS,
};

struct pmk_control_write {
	enum pmk_control_reg reg;
	unsigned source; /* the general register that has the value; 31 is XZR in A64 */
	unsigned bits;	 /* the parts that the write sets or clears (enum pmk_control) */
};

/* The parts of the core that are enabled. At reset, none is. */
struct pmk_control_state {
	uint8_t of_level[4]; /* bits of enum pmk_control for each exception level */
	uint64_t hcr;	     /* the relevant bits of HCR_EL2 */
};

/* True if the instruction writes a register of enum pmk_control_reg. *w then describes the
 * write. */
bool pmk_control_is_written(const struct pmk_raw *raw, const struct pmk_insn *in,
			    enum pmk_control_by by, bool big_endian, struct pmk_control_write *w);
/*
 * Updates the state after software at `level` has made the write `w` of `value`. Returns true if
 * the state has changed.
 */
bool pmk_control_set(struct pmk_control_state *s, const struct pmk_control_write *w, unsigned level,
		     uint64_t value);
/* Returns the parts that are enabled at `level`, as bits of enum pmk_control. */
unsigned pmk_control_at(const struct pmk_control_state *s, unsigned level);
/* True if the enabled parts are not the same at all levels in `levels`, which has one bit per
 * level. */
bool pmk_control_differs(const struct pmk_control_state *s, unsigned levels);

#endif
