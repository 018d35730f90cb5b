/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System emulation: firmware turns the MMU, the caches and the branch predictor on and off by the
 * control register of ARM (SCTLR: M, C, I and Z). They are off at reset. A write of the register
 * ends QEMU's translated block, and what was written is still in the general register when the next
 * block starts. Data are not cached while the MMU is off: accesses are Strongly Ordered then.
 *
 * Where anything changes, the core starts again with empty caches, TLBs and predictor, because
 * software has to invalidate them (our choice), and all code is translated again, because blocks
 * are built for one state.
 */
#ifndef PMK_PRODUCER_QEMU_CONTROL_H
#define PMK_PRODUCER_QEMU_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/isa.h>

#include "cpu/family.h"

/* True if the instruction writes the control register. */
bool pmk_control_is_written(const struct pmk_raw *raw, const struct pmk_insn *in);
/* The general register that it is written from. */
unsigned pmk_control_source(const struct pmk_raw *raw, const struct pmk_insn *in);
/* What a value of the register turns on: of enum pmk_control. */
unsigned pmk_control_state(uint32_t sctlr);

#endif
