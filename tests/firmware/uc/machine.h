/* SPDX-License-Identifier: MIT */
/*
 * A bare machine on Unicorn: an ELF file's code runs on an emulated core, and every access to the
 * performance monitor's registers goes to one of our models.
 *
 * Time: each executed instruction is one INSN and one CYCLE on the bus, added before it runs, so an
 * instruction that reads a counter counts itself. All other signals are raised only by the test.
 *
 * Any failure of the machine itself ends the program with a message.
 */
#ifndef UC_MACHINE_H
#define UC_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/model.h>

#define MACHINE_LEVELS 3 /* the program, a handler, and a handler that interrupts this handler */

/* One access to a register of the model. */
struct access {
	bool write;
	unsigned reg; /* the port's register number */
	uint64_t value;
	unsigned level;
};

struct machine {
	struct pmk_bus bus;
	const struct pmk_model_ops *ops;
	void *model;
	enum pmk_mode mode; /* the mode of the program's accesses */
	unsigned level;	    /* the running code: 0 the program, 1 and 2 interrupt handlers */
	uint64_t executed;  /* instructions since the machine was made */
	uint64_t accesses;  /* accesses to the model since then; PMK_EUNDEF does not count */

	/* Callbacks of the test; each may be NULL. */
	void *ctx;
	/*
	 * Called before each instruction. Returns the address of a function of the program to run
	 * as an interrupt handler now, or 0. The function gets the interrupted address and its own
	 * stack, and the state is restored when it returns.
	 */
	uint64_t (*boundary)(struct machine *m, uint64_t pc);
	/* A handler has returned; m->level is the level of the interrupted code. */
	void (*returned)(struct machine *m, uint64_t handler);
	/* Called before an access (value: what will be written), and after it. */
	void (*before)(struct machine *m, const struct access *a);
	void (*after)(struct machine *m, const struct access *a);

	struct internals *in;
};

/* Load an ELF file for AArch64 (a Cortex-A53 runs it) or 32-bit Arm: an ARM1176, or, where the
 * program has pmk_port_cp15_pmuv3(), an ARMv7 core, whose PMU is the AArch32 view of a PMUv3. */
struct machine *machine_new(const char *elf);
void machine_free(struct machine *m);
bool machine_is_a64(const struct machine *m);
bool machine_is_armv8(const struct machine *m); /* its PMU is a PMUv3 */

/* Power on: fresh data memory, a fresh bus, and a model of `pmu` in its reset state. */
void machine_reset(struct machine *m, const struct pmk_pmu *pmu);

/* Call a function of the program with up to three arguments. */
uint64_t machine_call(struct machine *m, const char *function, uint64_t a, uint64_t b, uint64_t c);

/* Lets a signal occur n times, with all overflows. */
void machine_raise(struct machine *m, enum pmk_signal signal, uint64_t n);

/* Returns the value of a counter register, without an access of the program. */
uint64_t machine_peek(struct machine *m, unsigned reg);

/* True if an overflow interrupt is requested and the program has not masked it (CPSR.I,
 * PSTATE.I). */
bool machine_line(const struct machine *m);
bool machine_masked(const struct machine *m);

uint64_t machine_symbol(const struct machine *m, const char *name);
/* Element `i` of an array of 64-bit numbers in the program's memory. */
uint64_t machine_number(struct machine *m, const char *array, unsigned i);
void machine_copy_out(struct machine *m, uint64_t address, void *to, size_t size);

/* Memory-mapped registers at MACHINE_DEVICE, words in a window of 64 KB. Once per machine. */
#define MACHINE_DEVICE 0x101D0000
void machine_device(struct machine *m, uint32_t (*load)(struct machine *m, unsigned offset),
		    void (*store)(struct machine *m, unsigned offset, uint32_t value));

#endif
