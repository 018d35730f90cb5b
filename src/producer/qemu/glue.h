/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin calls in the module that QEMU loads (module.c). */
#ifndef PMK_PRODUCER_QEMU_GLUE_H
#define PMK_PRODUCER_QEMU_GLUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLUE_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_insn;
struct qemu_plugin_tb;

/* Functions for calls whose signature depends on the version of the interface. */
struct pmk_qemu_glue {
	unsigned api;
	/* Copies at most `size` bytes of an instruction. Returns the number of bytes, or 0 if QEMU
	 * does not show them. */
	size_t (*insn_bytes)(const struct qemu_plugin_insn *insn, void *dest, size_t size);
	void (*register_callbacks)(uint64_t id);
	/* Reads a register of the running vCPU, in the byte order of the program. Returns false if
	 * the register cannot be read. NULL in versions that cannot read registers. */
	bool (*read_register)(const char *name, uint64_t *value);
	/* Makes translated code add `n` to *count, not atomically, whenever its instruction `first`
	 * is executed. NULL in versions that cannot do this at any address. */
	void (*count_inline)(struct qemu_plugin_tb *tb, size_t first, uint64_t *count, uint64_t n);
	/* Used in versions in which count_inline is NULL: makes a translated block add `n` to a
	 * counter in the emulator's memory each time the block begins to run. score() returns the
	 * address of a vCPU's counter. NULL in versions that cannot do this. */
	void (*count_score)(struct qemu_plugin_tb *tb, uint64_t n);
	const uint64_t *(*score)(unsigned vcpu);
	/* Makes QEMU translate all code again soon. A vCPU must call this function. NULL in
	 * versions that cannot do this. */
	void (*translate_anew)(void);
};

/* Functions that the module calls for events in the emulator, in addition to those in plugin.h. */
GLUE_EXPORT void pmk_plugin_vcpu_started(unsigned vcpu);
GLUE_EXPORT void pmk_plugin_syscall(unsigned vcpu, int64_t num, uint64_t arg1, uint64_t arg2,
				    uint64_t arg3);
GLUE_EXPORT void pmk_plugin_syscall_returned(int64_t num, int64_t result);

#endif
