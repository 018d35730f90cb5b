/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Translated code: blocks, and the callbacks for them. */
#ifndef PMK_PRODUCER_QEMU_TRANSLATE_H
#define PMK_PRODUCER_QEMU_TRANSLATE_H

#include "producer/qemu/state.h"

/* True if instruction `i` of translated code starts a new straight run: at a boundary, after a
 * change of control at which QEMU did not end its block, after an instruction that may trap, and at
 * and after an access to the guest's PMU, because all counts must be complete there. */
bool pmk_translate_starts_run(const struct pmk_raw *raw, const struct pmk_insn *in, size_t i);
/* Count the straight run [first, last) of translated code. */
void pmk_translate_run(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
		       const struct pmk_insn *in, size_t first, size_t last);
/* Map the executions of this process's vCPU 0 a second time, to a fixed address at which translated
 * code counts them. pmk does not read those of an uncounted process. */
bool pmk_translate_map_inline(struct pmk_executions *executions);
/* Called when the instruction of `access` has run without a fault. */
void pmk_translate_passed(unsigned vcpu, void *access);

#endif
