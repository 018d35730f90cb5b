/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of plugin.c that call QEMU for the other files. */
#ifndef PMK_PRODUCER_QEMU_PLUGIN_CALLS_H
#define PMK_PRODUCER_QEMU_PLUGIN_CALLS_H

#include "producer/qemu/state.h"

size_t pmk_plugin_n_insns(const struct qemu_plugin_tb *tb);
/*
 * Let QEMU call `fn` with `data` when translated code is about to be executed, or its instruction
 * `i`. `reads`: the function reads registers.
 */
void pmk_plugin_on_code(struct qemu_plugin_tb *tb, bool reads, pmk_block_fn *fn, const void *data);
void pmk_plugin_on_insn(struct qemu_plugin_tb *tb, size_t i, bool reads, pmk_block_fn *fn,
			const void *data);
/* Like pmk_plugin_on_code(), for a block that starts with the instruction `first`. */
void pmk_plugin_on_start(struct qemu_plugin_tb *tb, size_t first, pmk_block_fn *fn,
			 const void *data);
/* Let QEMU call `fn` for each access of instruction `i`, or only for those that fail the test. */
void pmk_plugin_on_access(struct qemu_plugin_tb *tb, size_t i, pmk_access_fn *fn, void *access);
void pmk_plugin_on_failed_test(struct qemu_plugin_tb *tb, size_t i, pmk_access_fn *fn,
			       const struct qemu_mem_test *test, uint64_t access);
/* The test for accesses of the instruction. NULL: the emulator must call back for each. */
const struct qemu_mem_test *pmk_plugin_find_test(const struct pmk_insn *in);
/* Tell the emulator where the tests find the tables of a core. */
void pmk_plugin_set_bases(unsigned vcpu, struct pmk_cpu *cpu);
/* True if the page of `addr` is device memory, as far as the present access shows. */
bool pmk_plugin_asks_device(const struct pmk_cpu *cpu, uint64_t addr);

#endif
