/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System emulation: firmware turns the MMU, the caches and the branch predictor on and off by the
 * control register of ARM (SCTLR: M, C, I and Z), of which AArch64 has one for each exception level
 * above EL0, and the caches of a MicroBlaze by its MSR (ICE and DCE). At reset, all these units are
 * off. A write of the register ends QEMU's translated block, and what was written is still in the
 * general register when the next block starts. Data of ARM are not cached while the MMU is off:
 * accesses are Strongly Ordered then.
 *
 * After a change, the core restarts with empty caches, TLBs and predictor, because software has
 * to invalidate them (our choice), and all code is translated again, because blocks are built
 * for one state. The code after a write is executed once before it is translated again, so its
 * blocks are chosen when they start. QEMU translates code separately for each level. While
 * levels have different states, each block checks whether its state is that of the core.
 */
#ifndef PMK_PRODUCER_QEMU_CONTROL_H
#define PMK_PRODUCER_QEMU_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/isa.h>

#include "cpu/family.h"

/*
 * AArch32 has one register, which counts as EL1's. A MicroBlaze has the MSR: instructions write it,
 * or set or clear bits of it.
 */
enum pmk_control_reg {
	PMK_CONTROL_NONE,
	PMK_CONTROL_SCTLR_EL1,
	PMK_CONTROL_SCTLR_EL2,
	PMK_CONTROL_SCTLR_EL3,
	PMK_CONTROL_SCTLR_EL12,
	PMK_CONTROL_HCR_EL2, /* contains whether EL2 is the host of EL0 */
	PMK_CONTROL_MSR,
	PMK_CONTROL_MSR_SET,
	PMK_CONTROL_MSR_CLEAR,
	PMK_CONTROL_NREGS,
};

struct pmk_control_write {
	enum pmk_control_reg reg;
	unsigned source; /* the general register that it is written from; 31 is XZR in A64 */
	unsigned bits;	 /* the parts that are set or cleared (enum pmk_control) */
};

/* The enabled parts; all 0 at reset. */
struct pmk_control_state {
	uint8_t of_level[4]; /* bits of enum pmk_control */
	uint64_t hcr;	     /* the relevant bits of HCR_EL2 */
};

/* True if the instruction writes such a register. */
bool pmk_control_is_written(const struct pmk_raw *raw, const struct pmk_insn *in,
			    enum pmk_control_by by, bool big_endian, struct pmk_control_write *w);
/*
 * Updates the state after software at `level` has made this write; the general register holds
 * `value`. Returns true if that changes anything.
 */
bool pmk_control_set(struct pmk_control_state *s, const struct pmk_control_write *w, unsigned level,
		     uint64_t value);
/* Returns the parts that are enabled at `level`, as bits of enum pmk_control. */
unsigned pmk_control_at(const struct pmk_control_state *s, unsigned level);
/* True if the enabled parts differ between these levels, a set of bits. */
bool pmk_control_differs(const struct pmk_control_state *s, unsigned levels);

#endif
