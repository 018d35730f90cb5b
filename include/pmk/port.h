/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * A port reads and writes the registers of one PMU without interpreting them.
 *
 * `reg` is an index into the PMU's register table (struct pmk_reg_info); the header of each PMU has
 * an enum of them. `read` and `write` return 0 or a negative enum pmk_error: PMK_EBADREG if the
 * port has no such register, PMK_EUNDEF if the access would take an Undefined exception, PMK_EIO if
 * a probe or a model did not answer. They may be called from an interrupt handler if the port's
 * documentation says so, as it does for the native ports.
 *
 * `settle` lets `cycles` processor cycles pass in which the program does nothing. It is NULL on
 * hardware, where cycles pass by themselves. An emulated core needs the call.
 *
 * `ctx` belongs to the port and is passed to its functions.
 */
#ifndef PMK_PORT_H
#define PMK_PORT_H

#include <stdint.h>

struct pmk_port {
	int (*read)(void *ctx, unsigned reg, uint64_t *value);
	int (*write)(void *ctx, unsigned reg, uint64_t value);
	void (*settle)(void *ctx, unsigned cycles);
	void *ctx;
};

#endif
