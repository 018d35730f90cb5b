// SPDX-License-Identifier: MIT
/*
 * The port to a model. This is the only place where a driver and a model meet.
 *
 * port_settle() adds idle cycles to the bus and synchronises only its own model. Other models on
 * the bus see these cycles when the producer next finds that pmk_bus_due() is true.
 */
#include <pmk/model.h>

#include <string.h>

#include "pmu/families.h"

#define DECLARE(family) extern const struct pmk_model_ops pmk_##family##_models[];
PMK_FAMILIES(DECLARE, PMK_NOTHING)

#define ENTRY(family) pmk_##family##_models,
static const struct pmk_model_ops *const families[] = { PMK_FAMILIES(ENTRY, PMK_NOTHING) NULL };

const struct pmk_model_ops *pmk_model_find(const struct pmk_pmu *pmu)
{
	const struct pmk_model_ops *relative = NULL;

	for (unsigned f = 0; families[f]; f++)
		for (const struct pmk_model_ops *ops = families[f]; ops->pmu; ops++) {
			if (ops->pmu == pmu)
				return ops;
			if (ops->pmu->driver == pmu->driver)
				relative = ops;
		}
	return relative;
}

static int port_read(void *ctx, unsigned reg, uint64_t *value)
{
	const struct pmk_model_port *mp = ctx;

	return mp->ops->read(mp->model, mp->bus, mp->mode, reg, value);
}

static int port_write(void *ctx, unsigned reg, uint64_t value)
{
	const struct pmk_model_port *mp = ctx;

	return mp->ops->write(mp->model, mp->bus, mp->mode, reg, value);
}

static void port_settle(void *ctx, unsigned cycles)
{
	const struct pmk_model_port *mp = ctx;

	while (cycles--) {
		pmk_bus_add(mp->bus, PMK_SIG_CYCLE, 1);
		if (pmk_bus_due(mp->bus))
			mp->ops->sync(mp->model, mp->bus);
	}
	mp->ops->sync(mp->model, mp->bus);
	mp->ops->ask(mp->model, mp->bus);
}

struct pmk_port pmk_port_model(struct pmk_model_port *mp)
{
	return (struct pmk_port){
		.read = port_read,
		.write = port_write,
		.settle = port_settle,
		.ctx = mp,
	};
}

unsigned pmk_model_oddities(const struct pmk_model_ops *ops, const void *model)
{
	const struct pmk_model_param *p = &ops->oddities_at;
	const char *at = (const char *)model + p->at;
	uint32_t word;

	if (p->size == 1)
		return *(const uint8_t *)at;
	memcpy(&word, at, sizeof(word));
	return word;
}

void pmk_model_forgive(const struct pmk_model_ops *ops, void *model)
{
	memset((char *)model + ops->oddities_at.at, 0, ops->oddities_at.size);
}
