/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the module that QEMU loads does for the plugin (module.c). */
#ifndef PMK_PRODUCER_QEMU_GLUE_H
#define PMK_PRODUCER_QEMU_GLUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLUE_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_insn;
struct qemu_plugin_tb;

/* Calls whose signature depends on the version of the interface. */
struct pmk_qemu_glue {
	unsigned api;
	/* Copies at most `size` bytes of an instruction; returns their number, 0 if QEMU has
	 * none. */
	size_t (*insn_bytes)(const struct qemu_plugin_insn *insn, void *dest, size_t size);
	void (*register_callbacks)(uint64_t id);
	/* Reads a register of the running vCPU, in the byte order of the program; false: it cannot
	 * be read. NULL in versions that cannot read registers. */
	bool (*read_register)(const char *name, uint64_t *value);
	/* Lets translated code add `n` to *count, not atomically, whenever the instruction `first`
	 * of it is executed. NULL in versions that cannot do so at any address. */
	void (*count_inline)(struct qemu_plugin_tb *tb, size_t first, uint64_t *count, uint64_t n);
	/* For the versions in which count_inline is NULL: lets translated code add `n` at its
	 * beginning to a counter in the emulator's memory. score() returns the counter's address
	 * for a vCPU. NULL: the version cannot do so. */
	void (*count_score)(struct qemu_plugin_tb *tb, uint64_t n);
	const uint64_t *(*score)(unsigned vcpu);
	/* Has all code translated again soon. A vCPU must call this function. NULL: the version
	 * cannot do so. */
	void (*translate_anew)(void);
};

/* Events in the emulator, in addition to the events in plugin.h. */
GLUE_EXPORT void pmk_plugin_vcpu_started(unsigned vcpu);
GLUE_EXPORT void pmk_plugin_syscall(unsigned vcpu, int64_t num, uint64_t arg1, uint64_t arg2,
				    uint64_t arg3);
GLUE_EXPORT void pmk_plugin_syscall_returned(int64_t num, int64_t result);

#endif
