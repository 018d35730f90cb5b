/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses to devices. */
#ifndef PMK_PRODUCER_QEMU_DEVICES_H
#define PMK_PRODUCER_QEMU_DEVICES_H

#include "producer/qemu/state.h"

/* Have `fn` called with `access` for each access of instruction `i` of translated code, which is at
 * `pc` in block `b`. */
void pmk_devices_watch_access(struct qemu_plugin_tb *tb, size_t i, uint64_t pc, pmk_access_fn *fn,
			      uint64_t access, const struct pmk_block *b);
/* True if `addr` is device memory of a 32-bit machine. pmk asks QEMU once for each page, at the
 * first access that is not a plain hit. */
bool pmk_devices_is_device(const struct pmk_cpu *cpu, uint64_t addr);

#endif
