/* SPDX-License-Identifier: MIT */
/*
 * What writes and reads do to the bits of a register, by its rows (struct pmk_field). The models
 * run on this, and `pmk info` and `pmk decode` print the same rows, so access is described once per
 * PMU. Side effects of a write (zeroing a counter, choosing an event) are code of the model, which
 * calls pmk_reg_takes() to know whether software can write the bit at all.
 *
 *	       a written 1          a written 0   reads
 *	RW     sets                 clears        what it holds
 *	RO     nothing              nothing       what it holds
 *	WO     acts, is not held    nothing       0
 *	W1C    clears               nothing       what it holds
 *	W1S    sets                 nothing       what it holds
 *	SBZ    nothing (a mistake)  nothing       0; so do bits that belong to no field
 *
 * Not part of the firmware library, which has no rows.
 */
#ifndef PMK_PMU_REG_H
#define PMK_PMU_REG_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>

/* The bits of a register by their access. */
struct pmk_reg_bits {
	uint64_t rw, ro, wo, w1c, w1s, sbz;
};

struct pmk_reg_bits pmk_reg_bits(const struct pmk_reg_info *reg);

/* Returns the new value after a write of `w` to a register that holds `old`. */
uint64_t pmk_reg_write(const struct pmk_reg_info *reg, uint64_t old, uint64_t w);
/* Returns the value that software reads when the register holds `held`. */
uint64_t pmk_reg_read(const struct pmk_reg_info *reg, uint64_t held);

/* Returns the bits of `w` that have an effect. With ~0: all bits that software can write. */
uint64_t pmk_reg_takes(const struct pmk_reg_info *reg, uint64_t w);
/* Returns the bits of `w` that should have been zeros. */
uint64_t pmk_reg_stray(const struct pmk_reg_info *reg, uint64_t w);

/* True if software can write, or read, the register. */
bool pmk_reg_writable(const struct pmk_reg_info *reg);
bool pmk_reg_readable(const struct pmk_reg_info *reg);

/*
 * Define write_and_ask(), the write of a model's pmk_model_ops: write_reg(), after which the
 * horizon is asked again. A caller that does not do so would lose the interrupt of a counter that
 * was written to overflow soon.
 */
#define PMK_WRITE_AND_ASK(ask)                                                         \
	static int write_and_ask(void *model, struct pmk_bus *bus, enum pmk_mode mode, \
				 unsigned reg, uint64_t value)                         \
	{                                                                              \
		int err = write_reg(model, bus, mode, reg, value);                     \
                                                                                       \
		if (!err)                                                              \
			ask(model, bus);                                               \
		return err;                                                            \
	}

#endif
