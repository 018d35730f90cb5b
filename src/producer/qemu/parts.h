/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declares the functions through which the files of the plugin call each other. They work on the
 * state in state.h. */
#ifndef PMK_PRODUCER_QEMU_PARTS_H
#define PMK_PRODUCER_QEMU_PARTS_H

#include "producer/qemu/state.h"

/* ---- plugin.c -------------------------------------------------------------------------------- */

/* Calls of QEMU's functions, for the other files. */

size_t pmk_plugin_n_insns(const struct qemu_plugin_tb *tb);
/*
 * Makes QEMU call `fn` with `data` when translated code is about to be executed.
 * pmk_plugin_on_insn() does this for instruction `i` of that code. `reads` means that `fn` reads
 * registers.
 */
void pmk_plugin_on_code(struct qemu_plugin_tb *tb, bool reads, pmk_block_fn *fn, const void *data);
void pmk_plugin_on_insn(struct qemu_plugin_tb *tb, size_t i, bool reads, pmk_block_fn *fn,
			const void *data);
/* Does the work of pmk_plugin_on_code() for a block that starts with the instruction `first`. */
void pmk_plugin_on_start(struct qemu_plugin_tb *tb, size_t first, pmk_block_fn *fn,
			 const void *data);
/* Makes QEMU call `fn` for each access of instruction `i`. pmk_plugin_on_failed_test() makes QEMU
 * call it only for accesses that fail the test. */
void pmk_plugin_on_access(struct qemu_plugin_tb *tb, size_t i, pmk_access_fn *fn, void *access);
void pmk_plugin_on_failed_test(struct qemu_plugin_tb *tb, size_t i, pmk_access_fn *fn,
			       const struct qemu_mem_test *test, uint64_t access);
/* Returns the test for accesses of the instruction, or NULL if the emulator must call back for each
 * access. */
const struct qemu_mem_test *pmk_plugin_find_test(const struct pmk_insn *in);
/* Tells the emulator where the tests find the tables of a core. */
void pmk_plugin_set_bases(unsigned vcpu, struct pmk_cpu *cpu);
/* True if the present access shows that the page of `addr` is device memory. */
bool pmk_plugin_asks_device(const struct pmk_cpu *cpu, uint64_t addr);

/* ---- translate.c ----------------------------------------------------------------------------- */

/* Translated code: blocks, and the callbacks for them. */

/* True if instruction `i` of translated code starts a new straight run, which becomes a block of
 * its own. This is so at the boundary of a region, after a change of control at which QEMU did not
 * end its block, and after an instruction that may trap. It is also so at and after an access to
 * the guest's PMU, because all counts must be complete there. */
bool pmk_translate_starts_run(const struct pmk_raw *raw, const struct pmk_insn *in, size_t i);
/* Registers the callbacks that count the straight run [first, last) of translated code. */
void pmk_translate_run(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
		       const struct pmk_insn *in, size_t first, size_t last);
/* Maps the executions of this process's vCPU 0 a second time, at a fixed address at which
 * translated code counts them. In a process that is not counted, pmk does not read the executions.
 * Returns false if there is no memory. */
bool pmk_translate_map_inline(struct pmk_executions *executions);
/* Records that the instruction of `access` has run without a fault. */
void pmk_translate_passed(unsigned vcpu, void *access);

/* ---- controls.c ------------------------------------------------------------------------------ */

/* Control registers, which turn units of the core on and off while firmware runs. */

void pmk_controls_begin(void);
bool pmk_controls_is_after_write(uint64_t pc);
/* Must be called before anything else is registered for translated code. */
void pmk_controls_watch(struct qemu_plugin_tb *tb, const struct pmk_raw *raw,
			const struct pmk_insn *in, size_t n);

/* ---- devices.c ------------------------------------------------------------------------------- */

/* Accesses to devices. */

/* Makes QEMU call `fn` with `access` for each access of instruction `i` of translated code. The
 * instruction is at `pc` in block `b`. */
void pmk_devices_watch_access(struct qemu_plugin_tb *tb, size_t i, uint64_t pc, pmk_access_fn *fn,
			      uint64_t access, const struct pmk_block *b);
/* True if `addr` is device memory of a 32-bit machine. pmk asks QEMU only once for each page, at
 * the first access to the page that is not a plain hit in the cache. */
bool pmk_devices_is_device(const struct pmk_cpu *cpu, uint64_t addr);

/* ---- registers.c ----------------------------------------------------------------------------- */

/*
 * General registers of the running vCPU. pmk reads them by QEMU's own function for debuggers if the
 * emulator exports it. Otherwise it uses the plugin interface, which can read registers since QEMU
 * 9.0.
 */

/* Sets the instruction set: QEMU calls its stack pointer `sp`, and its registers have `bytes`
 * bytes. Must be called once, before the other functions. */
void pmk_registers_begin(const struct pmk_qemu_glue *glue, const char *sp, unsigned bytes,
			 bool big_endian);
/* True if this emulator shows registers. */
bool pmk_registers_are_shown(void);
/* Reads general register `reg`, by its number in the instruction set. In A64, number 31 is the
 * stack pointer. Returns false if this emulator does not show the register. */
bool pmk_registers_read(unsigned reg, uint64_t *value);
/* Returns the exception level of the running vCPU, which must be AArch64. In AArch32 state, every
 * level above EL0 counts as 1. Returns a negative number if this emulator does not show the
 * level. */
int pmk_registers_level(void);
/* Stores the state of the running vCPU of a Cortex-M in *now: the exception that it handles, and
 * its registers. Returns false if this emulator does not show registers. */
bool pmk_registers_exception(struct pmk_exception_now *now);
/* Returns the stack pointer, or 0 if this emulator does not show it. */
uint64_t pmk_registers_stack_pointer(void);

/* ---- process.c ------------------------------------------------------------------------------- */

/* Processes and threads: their memory, fork, exec, system calls, faults. */

/* Maps the arena. Returns NULL if the file is not an arena. */
struct pmk_arena *pmk_process_map_arena(const char *path);
/* Claims a slot for this process. Returns NULL if no slot is free. */
struct pmk_arena_slot *pmk_process_claim_slot(void);
/* Begins a process, before the first instruction of its program. The instruction is at `pc` in the
 * program, and its bytes are at `bytes` in this process. `start_code` is the load address of the
 * program's code, or 0 if the emulator does not report it. */
void pmk_process_begin(uint8_t *bytes, uint64_t pc, uint64_t start_code);
/* Handlers of pthread_atfork(). */
void pmk_process_before_fork(void);
void pmk_process_after_fork(void);

/* ---- record.c -------------------------------------------------------------------------------- */

/* Recording: blocks, mappings and sites in the ledger. */

void pmk_record_block(const struct pmk_block *b, const struct pmk_raw *raw,
		      const struct pmk_insn *in, size_t n);
/* Records which file contains the code at `pc`. `host` is the address of this code in this process.
 * It leads to the file, because the emulator maps files as the program requests. */
void pmk_record_mapping(uintptr_t host, uint64_t pc);
void pmk_record_begin_sites(struct pmk_cpu *cpu);

/* ---- guest_pmu.c ----------------------------------------------------------------------------- */

/* The guest's own PMU: its accesses become accesses to the model, and are logged. */

/* True if pmk must follow the exception level from block to block. */
bool pmk_guest_pmu_watches_blocks(void);
/* Prepares the guest's PMU before the first block runs. That block may have been translated while
 * QEMU's own registers were in use. */
void pmk_guest_pmu_begin(void);
/* Passes the model's interrupt to the processor, after the instruction at `pc`. */
void pmk_guest_pmu_show_interrupt(const struct pmk_emulated *e, uint64_t pc,
				  enum pmk_guest_moment moment);

/* ---- lockup.c -------------------------------------------------------------------------------- */

/* A Cortex-M locks up if it takes a fault while it handles a HardFault. QEMU then prints all
 * registers and aborts. pmk reports the fault with its address instead, and drops this text from
 * now on. Everything else that QEMU writes to stderr is still written. */
void pmk_lockup_begin(void);

/* ---- preload.c ------------------------------------------------------------------------------- */

/*
 * Finds the address of a prefetch instruction (PLD, PRFM), which the emulator does not report. The
 * function looks for a load or store with the same base register as instruction `i`, among the
 * instructions [first, last) of a block. It stores the index of this load or store in *access, and
 * in *distance how many bytes after the first accessed byte the prefetch is. Returns false if there
 * is no such instruction.
 */
bool pmk_preload_find(const struct pmk_insn *in, size_t first, size_t last, size_t i,
		      size_t *access, int64_t *distance);

/* ---- running.c ------------------------------------------------------------------------------- */

/* What running code reports to the session: regions, levels. */

/* The functions follow(), leave_level() and enter_level() of struct pmk_emulator. */
void pmk_running_follow(unsigned vcpu, const struct pmk_block *block, bool boundary);
void pmk_running_leave_level(unsigned vcpu);
void pmk_running_enter_level(unsigned vcpu, unsigned level);
/* Return the exception level of an access from the emulator's information about the access. The
 * first function is for releases 6.2 to 10.0, and the second one for releases since 10.2. */
int pmk_running_level(uint32_t info);
int pmk_running_level_since_10_2(uint32_t info);
/* The function on_crossing() of struct pmk_cpu. */
void pmk_running_on_crossing(struct pmk_cpu *cpu);

/* ---- sampling.c ------------------------------------------------------------------------------ */

/* Reports to pmk while a program runs: intervals, pins, and pieces of a sampled program. */

void pmk_sampling_show_pins(void *ctx, const struct pmk_ahbmon_pins *shown);
/* Called at the core's deadline. If the program is sampled, pmk_sampling_on_piece() is called
 * instead of pmk_sampling_on_deadline(). */
void pmk_sampling_on_deadline(struct pmk_cpu *cpu);
void pmk_sampling_on_piece(struct pmk_cpu *cpu);
/* Called when a block with a tick starts in an uncounted part of a sampled program. Old code may
 * still run for a while after a request to translate code again. */
void pmk_sampling_on_tick(unsigned vcpu, void *tick);
/* True if the emulator can leave parts of a program uncounted. */
bool pmk_sampling_is_possible(void);
/* Returns the number of uncounted instructions of the process. If the emulator keeps this number in
 * its own memory, the function also copies it to the arena, so that it survives a crash of the
 * emulator. */
uint64_t pmk_sampling_read_rest(struct pmk_cpu *cpu);
/* Ends sampling because the program has several threads. Everything is counted from now on. */
void pmk_sampling_end(struct pmk_cpu *cpu);
/* Ends sampling because threads begin to run at the same time. Everything is counted from now on.
 * The emulator translates all code again by itself. */
void pmk_sampling_end_all(void);
/* Waits for a millisecond. */
void pmk_sampling_nap(void);

#endif
