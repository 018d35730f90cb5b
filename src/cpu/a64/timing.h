/* SPDX-License-Identifier: MIT */
/* Ports and latencies of an instruction on a core that executes out of order (window.h). */
#ifndef PMK_CPU_A64_TIMING_H
#define PMK_CPU_A64_TIMING_H

#include <pmk/isa.h>

#include "cpu/cpu.h"

struct port_use {
	uint8_t port;
	uint16_t cycles;
	/* If not 0, used instead of `cycles`: the ticks for which the port is busy. If the port
	 * stands for several equal ports, `ticks` is already divided by their number. */
	uint16_t ticks;
};

struct cost {
	uint16_t latency; /* cycles until a dependent instruction can begin */
	/* cycles by which the dependent one can begin earlier if it only adds to the result */
	uint16_t early;
	unsigned slots; /* slots of the window that the instruction takes; 0 means 1 */
	unsigned nports;
	struct port_use use[3];
};

struct cost pmk_a64_cost(const struct pmk_core *core, const struct pmk_insn *in);
/* Returns the cost of half a round of AES. */
struct cost pmk_a64_half_round(const struct pmk_core *core, const struct pmk_insn *in);

#endif
