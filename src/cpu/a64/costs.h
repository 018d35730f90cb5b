/* SPDX-License-Identifier: MIT */
/*
 * Latencies and throughputs of A64 instructions by their operation (enum pmk_vector). They were
 * measured on boards or are from makers' guides. pipeline.c and timing.c add what depends on the
 * core's parameters.
 */
#ifndef PMK_CPU_A64_COSTS_H
#define PMK_CPU_A64_COSTS_H

#include <pmk/isa.h>

#include "cpu/cpu.h"

/* The operation of an instruction. The decoders for A32 do not set it, so for A32 it is derived
 * from the class. */
enum pmk_vector pmk_a64_operation(const struct pmk_insn *in);

/*
 * Cost on a core that executes in order, with two pipes of 64 bits for vectors and floating point.
 * Members with _quad are for 128 bits, the others for 64 bits and scalars.
 */
struct pmk_a64_ordered {
	uint8_t latency; /* cycles until a dependent instruction can issue */
	uint8_t sum;	 /* latency for an instruction that only adds to the result; 0: `latency` */
	/*
	 * Cycles in which the operation takes both pipes. 0: it takes one, so two can issue
	 * together.
	 */
	uint8_t busy, busy_quad;
};

extern const struct pmk_a64_ordered pmk_a64_ordered[PMK_NVECTORS];

/* Cost on a core that executes out of order. window.h defines ticks. */
struct pmk_a64_costs {
	uint8_t port; /* enum pmk_a64_port */
	uint8_t latency, latency_quad;
	/* Cycles until an instruction that only adds to a 128-bit result can begin. For other
	 * results this takes one cycle. If `sum` is 0, such an instruction waits as long as any
	 * other. */
	uint8_t sum;
	uint8_t every, every_quad; /* ticks until an independent operation can begin */
	uint8_t slots_quad;	   /* slots of the window for 128 bits; 0 means 1 */
};

/* The values of issue.costs. */
enum pmk_a64_costs_of { PMK_A64_COSTS_A72, PMK_A64_COSTS_N1, PMK_A64_COSTS_A57 };

/* Returns the table of a core that executes out of order, indexed by enum pmk_vector. */
const struct pmk_a64_costs *pmk_a64_costs(const struct pmk_core *core);

#endif
