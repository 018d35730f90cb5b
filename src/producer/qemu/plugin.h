/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between the two parts of the plugin. plugin.c is built once and does all the work.
 * module.c is built for each generation of QEMU's interface, and QEMU loads it.
 */
#ifndef PMK_PRODUCER_QEMU_PLUGIN_H
#define PMK_PRODUCER_QEMU_PLUGIN_H

#include "producer/qemu/glue.h"
#include "producer/qemu/qemu_api.h"

/* Installs the plugin. Returns 0, or -1 if QEMU must not continue. */
QEMU_EXPORT int pmk_plugin_install(const struct pmk_qemu_glue *of_module, uint64_t id,
				   const struct qemu_info *info, int argc, char **argv);

/* QEMU calls this when it translates the code `tb`. */
QEMU_EXPORT void pmk_plugin_translated(struct qemu_plugin_tb *tb);

#endif
