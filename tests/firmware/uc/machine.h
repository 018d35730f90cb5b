/* SPDX-License-Identifier: MIT */
/*
 * A bare machine on Unicorn. The code of an ELF file runs on an emulated core, and every access to
 * PMU registers goes to one of our models.
 *
 * Each executed instruction adds one INSN and one CYCLE to the bus before it runs, so an
 * instruction that reads a counter counts itself. Only the test raises all other signals.
 *
 * If the machine itself fails, it ends the test program with a message.
 */
#ifndef UC_MACHINE_H
#define UC_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/model.h>

#define MACHINE_LEVELS 3 /* the program, its handler, and a handler that interrupts the handler */

/* An access to a register of the model. */
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
	uint64_t accesses;  /* accesses to the model, except those with PMK_EUNDEF */

	/* Callbacks of the test; each may be NULL. */
	void *ctx;
	/*
	 * Called before each instruction. Returns the address of a function of the program that
	 * runs as an interrupt handler now, or 0. The function gets the interrupted address and a
	 * stack of its own. The state is restored when it returns.
	 */
	uint64_t (*boundary)(struct machine *m, uint64_t pc);
	/* Called when a handler has returned. m->level is the level of the interrupted code. */
	void (*returned)(struct machine *m, uint64_t handler);
	/*
	 * Called before and after an access. Before a write, the value is the value to be written.
	 */
	void (*before)(struct machine *m, const struct access *a);
	void (*after)(struct machine *m, const struct access *a);

	struct internals *in;
};

/*
 * Loads an ELF file. A Cortex-A53 runs a file for AArch64. An ARM1176 runs a file for 32-bit Arm.
 * If such a file has pmk_port_cp15_pmuv3(), an ARMv7 core runs it, whose PMU is the AArch32 view of
 * a PMUv3.
 */
struct machine *machine_new(const char *elf);
void machine_free(struct machine *m);
bool machine_is_a64(const struct machine *m);
bool machine_is_armv8(const struct machine *m); /* the machine's PMU is a PMUv3 */

/*
 * Switches the machine on: empty data memory, a new bus, and a model of `pmu` in its reset state.
 */
void machine_reset(struct machine *m, const struct pmk_pmu *pmu);

/* Calls a function of the program with up to three arguments. */
uint64_t machine_call(struct machine *m, const char *function, uint64_t a, uint64_t b, uint64_t c);

/* Lets a signal occur n times. The model sees each overflow when it happens. */
void machine_raise(struct machine *m, enum pmk_signal signal, uint64_t n);

/* Returns the value of a counter register. The program makes no access for this. */
uint64_t machine_peek(struct machine *m, unsigned reg);

/*
 * machine_line(): true if an overflow interrupt is requested. machine_masked(): true if the program
 * has masked interrupts (CPSR.I, PSTATE.I).
 */
bool machine_line(const struct machine *m);
bool machine_masked(const struct machine *m);

uint64_t machine_symbol(const struct machine *m, const char *name);
/* Returns element `i` of an array of 64-bit numbers in the program's memory. */
uint64_t machine_number(struct machine *m, const char *array, unsigned i);
void machine_copy_out(struct machine *m, uint64_t address, void *to, size_t size);

/*
 * Adds memory-mapped registers at MACHINE_DEVICE, in a window of 64 KB. The callbacks get the
 * offset of a word. May be called once per machine.
 */
#define MACHINE_DEVICE 0x101D0000
void machine_device(struct machine *m, uint32_t (*load)(struct machine *m, unsigned offset),
		    void (*store)(struct machine *m, unsigned offset, uint32_t value));

#endif
