/* SPDX-License-Identifier: MIT */
/*
 * Computes how writes and reads affect the bits of a register, from its rows (enum pmk_access). The
 * models use these functions, and `pmk info` and `pmk decode` print the rows, so access is
 * described once per PMU. The side effects of a write (zeroing a counter, choosing an event) are
 * code of the model. The model calls pmk_reg_takes() to find out which bits of a write have an
 * effect.
 *
 * This file is not part of the firmware library, which has no rows.
 */
#ifndef PMK_PMU_REG_H
#define PMK_PMU_REG_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/pmu.h>

/* Returns the bits of a register whose access is one of `kinds`, e.g. PMK_RW | PMK_W1S. */
uint64_t pmk_reg_mask(const struct pmk_reg_info *reg, unsigned kinds);

/* Returns the new value after a write of `w` to a register that holds `old`. */
uint64_t pmk_reg_write(const struct pmk_reg_info *reg, uint64_t old, uint64_t w);
/* Returns the value that software reads when the register holds `held`. */
uint64_t pmk_reg_read(const struct pmk_reg_info *reg, uint64_t held);

/* Returns the bits of `w` that have an effect. If `w` is ~0, these are all bits that software can
 * write. */
uint64_t pmk_reg_takes(const struct pmk_reg_info *reg, uint64_t w);
/* Returns the bits of `w` that should have been zeros. */
uint64_t pmk_reg_stray(const struct pmk_reg_info *reg, uint64_t w);

/* True if software can write, or read, the register. */
bool pmk_reg_writable(const struct pmk_reg_info *reg);
bool pmk_reg_readable(const struct pmk_reg_info *reg);

#endif
