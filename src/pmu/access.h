/* SPDX-License-Identifier: MIT */
/* Functions to read and write registers through a port, for the drivers of all PMUs.
 * Freestanding. */
#ifndef PMK_PMU_ACCESS_H
#define PMK_PMU_ACCESS_H

#include <pmk/pmu.h>

/* Read a register. If the port fails without storing a value, *value is 0. */
static inline int pmk_dev_get(const struct pmk_dev *d, unsigned reg, uint64_t *value)
{
	*value = 0;
	return d->port.read(d->port.ctx, reg, value);
}

static inline int pmk_dev_get32(const struct pmk_dev *d, unsigned reg, uint32_t *value)
{
	uint64_t v;
	int err = pmk_dev_get(d, reg, &v);

	*value = (uint32_t)v;
	return err;
}

static inline int pmk_dev_put(const struct pmk_dev *d, unsigned reg, uint64_t value)
{
	return d->port.write(d->port.ctx, reg, value);
}

/* Reads a register of at most 32 bits, and writes it back with some bits cleared and others set. */
static inline int pmk_dev_update(const struct pmk_dev *d, unsigned reg, uint32_t clear,
				 uint32_t set)
{
	uint32_t v;
	int err = pmk_dev_get32(d, reg, &v);

	return err ? err : pmk_dev_put(d, reg, (v & ~clear) | set);
}

#endif
