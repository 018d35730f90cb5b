// SPDX-License-Identifier: MIT
/* The seven observers and the bus clock of the AHB Monitor. See observe.h. The observers' rules are
 * in src/buses/ahb. */
#include "pmu/ahbmon/observe.h"

#include <stddef.h>

#include <pmk/error.h>

#define ALL_BUSES ((1u << PMK_AHBMON_NBUSES) - 1)

static unsigned bus_of(unsigned layer)
{
	return PMK_AHBMON_BUS_ARMI + layer;
}

void pmk_ahbmon_observer_defaults(struct pmk_ahbmon_observer_params *params)
{
	*params = (struct pmk_ahbmon_observer_params){ .present = ALL_BUSES };
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		pmk_ahb_layer_defaults(&params->layer[i]);
		pmk_ahb_layer_devchip_windows(&params->layer[i]);
	}
}

int pmk_ahbmon_observer_init(struct pmk_ahbmon_observer *o,
			     const struct pmk_ahbmon_observer_params *params, struct pmk_bus *buses)
{
	*o = (struct pmk_ahbmon_observer){ .present = params->present & ALL_BUSES };
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		int err = PMK_OK;

		if (pmk_ahbmon_observer_sees(o, bus_of(i)))
			err = pmk_ahb_layer_init(&o->layer[i], &params->layer[i],
						 &buses[bus_of(i)]);
		if (err)
			return err;
	}
	if (pmk_ahbmon_observer_sees(o, PMK_AHBMON_BUS_GXI))
		pmk_gxi_init(&o->gxi, &params->gxi, &buses[PMK_AHBMON_BUS_GXI]);
	pmk_signal_add(&buses[PMK_AHBMON_BUS_HCLK].raised, PMK_SIG_CYCLE);
	o->base = buses[PMK_AHBMON_BUS_HCLK].total[PMK_SIG_CYCLE];
	return PMK_OK;
}

void pmk_ahbmon_observer_thresholds(struct pmk_ahbmon_observer *o, const struct pmk_ahbmon_model *m)
{
	static const uint8_t gxi[PMK_GXI_NWAITS] = {
		[PMK_GXI_WAIT_READ] = PMK_AHBMON_OVER_GXI_RD_A,
		[PMK_GXI_WAIT_DATA] = PMK_AHBMON_OVER_GXI_RD_D,
		[PMK_GXI_WAIT_WRITE] = PMK_AHBMON_OVER_GXI_WR_A,
	};

	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		o->layer[i].threshold = pmk_ahbmon_model_threshold(m, PMK_AHBMON_OVER_ARMI + i);
	for (unsigned w = 0; w < PMK_GXI_NWAITS; w++)
		o->gxi.threshold[w] = pmk_ahbmon_model_threshold(m, gxi[w]);
}

static void count_clock(struct pmk_ahbmon_observer *o, struct pmk_bus *buses, uint64_t n)
{
	o->cycles += n;
	pmk_bus_add(&buses[PMK_AHBMON_BUS_HCLK], PMK_SIG_CYCLE, n);
}

void pmk_ahbmon_observer_sample(struct pmk_ahbmon_observer *o, struct pmk_bus *buses,
				const struct pmk_ahbmon_sample *s)
{
	count_clock(o, buses, 1);
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		if (pmk_ahbmon_observer_sees(o, bus_of(i)))
			pmk_ahb_layer_sample(&o->layer[i], &buses[bus_of(i)], &s->layer[i]);
	if (pmk_ahbmon_observer_sees(o, PMK_AHBMON_BUS_GXI))
		pmk_gxi_sample(&o->gxi, &buses[PMK_AHBMON_BUS_GXI], &s->gxi);
}

void pmk_ahbmon_observer_idle(struct pmk_ahbmon_observer *o, struct pmk_bus *buses, uint64_t n)
{
	count_clock(o, buses, n);
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		if (pmk_ahbmon_observer_sees(o, bus_of(i)))
			pmk_ahb_layer_idle(&o->layer[i], &buses[bus_of(i)], n);
	if (pmk_ahbmon_observer_sees(o, PMK_AHBMON_BUS_GXI))
		pmk_gxi_idle(&o->gxi, &buses[PMK_AHBMON_BUS_GXI], n);
}

static const char *check_layer(const struct pmk_ahbmon_observer *o, const struct pmk_bus *buses,
			       unsigned layer)
{
	if (o->layer[layer].cycles != o->cycles)
		return "the layer's cycles differ from the clock's";
	return pmk_ahb_layer_check(&o->layer[layer], &buses[bus_of(layer)]);
}

static const char *check_bus(const struct pmk_ahbmon_observer *o, const struct pmk_bus *buses,
			     unsigned bus)
{
	if (bus == PMK_AHBMON_BUS_HCLK)
		return buses[bus].total[PMK_SIG_CYCLE] - o->base == o->cycles
			       ? NULL
			       : "the bus clock differs from the number of samples";
	if (!pmk_ahbmon_observer_sees(o, bus))
		return NULL;
	if (bus != PMK_AHBMON_BUS_GXI)
		return check_layer(o, buses, bus - PMK_AHBMON_BUS_ARMI);
	if (o->gxi.cycles != o->cycles)
		return "the GXI's cycles differ from the clock's";
	return pmk_gxi_check(&o->gxi, &buses[bus]);
}

const char *pmk_ahbmon_observer_check(const struct pmk_ahbmon_observer *o,
				      const struct pmk_bus *buses, enum pmk_ahbmon_bus *bus)
{
	for (unsigned b = 0; b < PMK_AHBMON_NBUSES; b++) {
		const char *wrong = check_bus(o, buses, b);

		*bus = (enum pmk_ahbmon_bus)b;
		if (wrong)
			return wrong;
	}
	return NULL;
}

bool pmk_ahbmon_observer_valid(struct pmk_ahbmon_observer *o,
			       const struct pmk_ahbmon_observer *begun)
{
	o->present = begun->present;
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		if (!pmk_ahb_layer_valid(&o->layer[i], &begun->layer[i]))
			return false;
	return pmk_gxi_valid(&o->gxi, &begun->gxi);
}
