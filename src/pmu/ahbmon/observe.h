/* SPDX-License-Identifier: MIT */
/*
 * The seven observers and the bus clock of the AHB Monitor. At each HCLK edge they take one sample
 * of all buses that the monitor watches. According to the sample, they raise signals on the
 * PMK_AHBMON_NBUSES buses from which the model counts. `buses` always points to the first of these
 * buses.
 *
 *	pmk_ahbmon_observer_defaults(&params);
 *	pmk_ahbmon_observer_init(&o, &params, buses);
 *	(reset the model)
 *	for (each rising edge of HCLK)
 *		pmk_ahbmon_observer_sample(&o, buses, &sample);
 *
 * After a write to a register, call pmk_ahbmon_observer_thresholds() with the thresholds of the
 * model. The struct has no pointers.
 */
#ifndef PMK_PMU_AHBMON_OBSERVE_H
#define PMK_PMU_AHBMON_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>
#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>

#include "buses/ahb/gxi.h"
#include "buses/ahb/layer.h"

/* The AHB layers: layer i belongs to bus PMK_AHBMON_BUS_ARMI + i. */
#define PMK_AHBMON_NLAYERS 6

/* The signals of all buses in one HCLK cycle. */
struct pmk_ahbmon_sample {
	struct pmk_ahb_cycle layer[PMK_AHBMON_NLAYERS];
	struct pmk_gxi_cycle gxi;
};

struct pmk_ahbmon_observer_params {
	/*
	 * The buses that are observed, as a sum of 1 << enum pmk_ahbmon_bus. The observer ignores
	 * the samples of the other buses and raises no signals on them. HCLK is always observed.
	 */
	uint32_t present;
	struct pmk_ahb_layer_params layer[PMK_AHBMON_NLAYERS];
	struct pmk_gxi_params gxi;
};

struct pmk_ahbmon_observer {
	uint32_t present;
	struct pmk_ahb_layer layer[PMK_AHBMON_NLAYERS];
	struct pmk_gxi gxi;
	uint64_t cycles, base; /* number of samples; total of the bus clock at the start */
};

/* Sets the defaults: all buses are observed, all signals are raised, and every layer has the
 * windows of the development chip. */
void pmk_ahbmon_observer_defaults(struct pmk_ahbmon_observer_params *params);

/* Returns PMK_EINVAL if a layer lacks HTRANS or HREADY, or has too many windows. */
int pmk_ahbmon_observer_init(struct pmk_ahbmon_observer *o,
			     const struct pmk_ahbmon_observer_params *params,
			     struct pmk_bus *buses);

static inline bool pmk_ahbmon_observer_sees(const struct pmk_ahbmon_observer *o, unsigned bus)
{
	return o->present >> bus & 1;
}

/* Sets the current thresholds. They take effect from the next sample on. */
void pmk_ahbmon_observer_thresholds(struct pmk_ahbmon_observer *o,
				    const struct pmk_ahbmon_model *m);

void pmk_ahbmon_observer_sample(struct pmk_ahbmon_observer *o, struct pmk_bus *buses,
				const struct pmk_ahbmon_sample *s);

/* Returns true if all observers are valid. pmk_ahb_layer_valid() and pmk_gxi_valid() describe the
 * check of one observer. */
bool pmk_ahbmon_observer_valid(struct pmk_ahbmon_observer *o,
			       const struct pmk_ahbmon_observer *begun);

/* Observes `n` cycles in which all buses are idle. */
void pmk_ahbmon_observer_idle(struct pmk_ahbmon_observer *o, struct pmk_bus *buses, uint64_t n);

/*
 * Checks that the counts of every bus add up. Returns NULL if they do. Otherwise returns one line,
 * as pmk_ahb_layer_check() does, and stores the bus in *bus.
 */
const char *pmk_ahbmon_observer_check(const struct pmk_ahbmon_observer *o,
				      const struct pmk_bus *buses, enum pmk_ahbmon_bus *bus);

#endif
