/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that the files of the plugin call in each other, around the state in state.h. */
#ifndef PMK_PRODUCER_QEMU_PARTS_H
#define PMK_PRODUCER_QEMU_PARTS_H

#include "producer/qemu/state.h"

/* ---- plugin.c -------------------------------------------------------------------------------- */

/* QEMU's functions that other files use. */

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
/* Let QEMU call `fn` for each access of instruction `i`, or only for accesses that fail the
 * test. */
void pmk_plugin_on_access(struct qemu_plugin_tb *tb, size_t i, pmk_access_fn *fn, void *access);
void pmk_plugin_on_failed_test(struct qemu_plugin_tb *tb, size_t i, pmk_access_fn *fn,
			       const struct qemu_mem_test *test, uint64_t access);
/* Returns the test for accesses of the instruction. NULL: the emulator must call back for each
 * access. */
const struct qemu_mem_test *pmk_plugin_find_test(const struct pmk_insn *in);
/* Tell the emulator where the tests find the tables of a core. */
void pmk_plugin_set_bases(unsigned vcpu, struct pmk_cpu *cpu);
/* True if the page of `addr` is device memory, as far as the present access shows. */
bool pmk_plugin_asks_device(const struct pmk_cpu *cpu, uint64_t addr);

/* ---- translate.c ----------------------------------------------------------------------------- */

/* Translated code: blocks, and the callbacks for them. */

/* True if instruction `i` of translated code starts a new straight run: at a boundary, after a
 * change of control at which QEMU did not end its block, after an instruction that may trap, and at
 * and after an access to the guest's PMU, because all counts must be complete there. */
bool pmk_translate_starts_run(const struct pmk_raw *raw, const struct pmk_insn *in, size_t i);
/* Count the straight run [first, last) of translated code. */
void pmk_translate_run(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
		       const struct pmk_insn *in, size_t first, size_t last);
/* Map the executions of this process's vCPU 0 a second time, to a fixed address at which
 * translated code counts them. pmk does not read the executions of an uncounted process. */
bool pmk_translate_map_inline(struct pmk_executions *executions);
/* Handle that the instruction of `access` has run without a fault. */
void pmk_translate_passed(unsigned vcpu, void *access);

/* ---- controls.c ------------------------------------------------------------------------------ */

/* Control registers: what they turn on and off while firmware runs. */

void pmk_controls_begin(void);
bool pmk_controls_is_after_write(uint64_t pc);
/* Called before anything else is registered for translated code. */
void pmk_controls_watch(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
			const struct pmk_insn *in, size_t n);

/* ---- devices.c ------------------------------------------------------------------------------- */

/* Accesses to devices. */

/* Have `fn` called with `access` for each access of instruction `i` of translated code, which is at
 * `pc` in block `b`. */
void pmk_devices_watch_access(struct qemu_plugin_tb *tb, size_t i, uint64_t pc, pmk_access_fn *fn,
			      uint64_t access, const struct pmk_block *b);
/* True if `addr` is device memory of a 32-bit machine. pmk asks QEMU once for each page, at the
 * first access that is not a plain hit. */
bool pmk_devices_is_device(const struct pmk_cpu *cpu, uint64_t addr);

/* ---- registers.c ----------------------------------------------------------------------------- */

/*
 * General registers of the running vCPU. If the emulator exports QEMU's own function for
 * debuggers, that reads them; otherwise the plugin interface does, which can since QEMU 9.0.
 */

/* Choose the instruction set: QEMU calls its stack pointer `sp`, and registers have `bytes` bytes.
 * Call it once, before the other functions. */
void pmk_registers_begin(const struct pmk_qemu_glue *glue, const char *sp, unsigned bytes,
			 bool big_endian);
/* True if this emulator shows registers. */
bool pmk_registers_are_shown(void);
/* Read general register `reg`, by its number in the instruction set, or the stack pointer, which is
 * 31 in A64. Returns false if this emulator does not show it. */
bool pmk_registers_read(unsigned reg, uint64_t *value);
/* Returns the exception level of the running vCPU, an AArch64 one; all of AArch32 above EL0 is 1.
 * Negative if this emulator does not show it. */
int pmk_registers_level(void);
/* Returns the number of the exception that the running vCPU of a Cortex-M handles, 0 if it handles
 * none; *sp is its stack pointer, *lr its link register. Negative if this emulator does not show
 * it. */
int pmk_registers_exception(uint32_t *sp, uint32_t *lr);
/* Read the stack pointer. Returns 0 if this emulator does not show it. */
uint64_t pmk_registers_stack_pointer(void);

/* ---- process.c ------------------------------------------------------------------------------- */

/* Processes and threads: their memory, fork, exec, system calls, faults. */

/* Returns NULL if the file is not an arena. */
struct pmk_arena *pmk_process_map_arena(const char *path);
/* Returns NULL if no slot is free. */
struct pmk_arena_slot *pmk_process_claim_slot(void);
/* Begin a process, before the first instruction of its program. The instruction is at `pc`, and at
 * `bytes` in this process. `start_code` is the load address of the program's code; 0 if the
 * emulator does not report it. */
void pmk_process_begin(uint8_t *bytes, uint64_t pc, uint64_t start_code);
/* Handlers of pthread_atfork(). */
void pmk_process_before_fork(void);
void pmk_process_after_fork(void);

/* ---- record.c -------------------------------------------------------------------------------- */

/* Recording: blocks, mappings and sites in the ledger. */

void pmk_record_block(const struct pmk_block *b, const struct pmk_raw *raw,
		      const struct pmk_insn *in, size_t n);
/* Record which file has the code at `pc`. `host` is the address of this code in this process. The
 * emulator maps files as the program requests. */
void pmk_record_mapping(uintptr_t host, uint64_t pc);
void pmk_record_begin_sites(struct pmk_cpu *cpu);

/* ---- guest_pmu.c ----------------------------------------------------------------------------- */

/* The guest's own PMU: its accesses become accesses to the model, and are logged. */

/* True if the exception level must be followed from block to block. */
bool pmk_guest_pmu_watches_blocks(void);
/* Begin before the first block runs. The block may have been translated while QEMU's own registers
 * were in use. */
void pmk_guest_pmu_begin(void);
/* Pass the interrupt of the model to the processor, after the instruction at `pc`. */
void pmk_guest_pmu_show_interrupt(const struct pmk_emulated *e, uint64_t pc,
				  enum pmk_guest_moment moment);

/* ---- running.c ------------------------------------------------------------------------------- */

/* What running code reports to the session: regions, levels. */

/* See struct pmk_emulator. */
void pmk_running_follow(unsigned vcpu, const struct pmk_block *block, bool boundary);
void pmk_running_leave_level(unsigned vcpu);
void pmk_running_enter_level(unsigned vcpu, unsigned level);
/* Return the exception level of an access from the emulator's information about it: for releases
 * 6.2 to 10.0, and since 10.2. */
int pmk_running_level(uint32_t info);
int pmk_running_level_since_10_2(uint32_t info);
/* See struct pmk_cpu. */
void pmk_running_on_crossing(struct pmk_cpu *cpu);

/* ---- sampling.c ------------------------------------------------------------------------------ */

/* Reports to pmk while a program runs: intervals, pins, and pieces of a sampled program. */

void pmk_sampling_show_pins(void *ctx, const struct pmk_ahbmon_pins *shown);
/* Called at the core's deadline: on_piece() if the program is sampled, otherwise on_deadline(). */
void pmk_sampling_on_deadline(struct pmk_cpu *cpu);
void pmk_sampling_on_piece(struct pmk_cpu *cpu);
/* Handle a block with a tick that runs in the uncounted remainder of a sampled program. After a
 * request to translate code again, old code may still run for a while. */
void pmk_sampling_on_tick(unsigned vcpu, void *tick);
/* True if the emulator can leave parts of a program uncounted. */
bool pmk_sampling_is_possible(void);
/* Returns the number of uncounted instructions of the process. If the emulator holds it, it is
 * copied now and then, so that it survives a crash of the emulator. */
uint64_t pmk_sampling_read_rest(struct pmk_cpu *cpu);
/* End sampling when the program has several threads: from here on, everything is counted. */
void pmk_sampling_end(struct pmk_cpu *cpu);
/* End sampling when threads begin to run at the same time: from here on, everything is counted.
 * The emulator then translates all code again by itself. */
void pmk_sampling_end_all(void);
/* Wait for a millisecond. */
void pmk_sampling_nap(void);

#endif
