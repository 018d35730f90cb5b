/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control registers: what they turn on and off while firmware runs. */
#ifndef PMK_PRODUCER_QEMU_CONTROLS_H
#define PMK_PRODUCER_QEMU_CONTROLS_H

#include "producer/qemu/state.h"

void pmk_controls_begin(void);
bool pmk_controls_is_after_write(uint64_t pc);
/* Called before anything else is registered for translated code. */
void pmk_controls_watch(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
			const struct pmk_insn *in, size_t n);

#endif
