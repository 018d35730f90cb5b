/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * A port reads and writes the registers of one PMU without interpreting them.
 *
 * `reg` is an index into the PMU's register table (struct pmk_reg_info). Both functions return 0 or
 * a negative enum pmk_error: PMK_EUNDEF if the access would take an Undefined exception, PMK_EIO if
 * a probe or a model did not answer. They may be called from an interrupt handler if the port's
 * documentation says so (as for the native ports).
 *
 * `settle` is optional: it lets `cycles` processor cycles pass in which the program does nothing.
 * On hardware they pass by themselves, and `settle` is NULL; an emulated core needs the call.
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
