/* SPDX-License-Identifier: MIT */
/*
 * What writes and reads do to the bits of a register, by its rows (struct pmk_field). The models
 * run on this, and `pmk info` and `pmk decode` print the same rows, so access is said once per PMU.
 * What a write does beyond holding bits (zeroing a counter, choosing an event) is code of the
 * model, which asks pmk_reg_takes() whether the bit is one that software can write at all.
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

/* The bits of a register by what they do. */
struct pmk_reg_bits {
	uint64_t rw, ro, wo, w1c, w1s, sbz;
};

struct pmk_reg_bits pmk_reg_bits(const struct pmk_reg_info *reg);

/* The new value when `w` is written while the register holds `old`. */
uint64_t pmk_reg_write(const struct pmk_reg_info *reg, uint64_t old, uint64_t w);
/* The value that a read returns when the register holds this. */
uint64_t pmk_reg_read(const struct pmk_reg_info *reg, uint64_t held);

/* The written ones that have an effect. With ~0: all bits that software can write. */
uint64_t pmk_reg_takes(const struct pmk_reg_info *reg, uint64_t w);
/* The written ones that should have been zeros. */
uint64_t pmk_reg_stray(const struct pmk_reg_info *reg, uint64_t w);

/* Can it be written? Can it be read? */
bool pmk_reg_writable(const struct pmk_reg_info *reg);
bool pmk_reg_readable(const struct pmk_reg_info *reg);

#endif
