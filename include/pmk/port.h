/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * A port reads and writes the registers of one PMU. It does not know what they mean.
 *
 * `reg` is the register number of the PMU's register table (struct pmk_reg_info, index order).
 * Both functions return 0 or a negative enum pmk_error: PMK_EUNDEF where the access would take an
 * Undefined exception, PMK_EIO where a probe or a model did not answer. They may be called from an
 * interrupt handler where the port's own page says so (the native ports do).
 *
 * `settle` is optional: it lets `cycles` processor cycles pass in which the program does nothing.
 * Hardware does that by itself; an emulated core has to be told. NULL means "time passes anyway".
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
