/* SPDX-License-Identifier: MIT */
/*
 * AHB Monitor: its seven observers and the bus clock. One sample of all its buses per HCLK edge
 * becomes signals on the PMK_AHBMON_NBUSES buses that the model counts from; wherever a function
 * takes `buses`, it takes the first of them.
 *
 *	pmk_ahbmon_observer_defaults(&params);
 *	pmk_ahbmon_observer_init(&o, &params, buses);
 *	(reset the model)
 *	for (each rising edge of HCLK)
 *		pmk_ahbmon_observer_sample(&o, buses, &sample);
 *
 * After a register has been written, pmk_ahbmon_observer_thresholds() takes over what the model
 * has. No pointers in the struct.
 */
#ifndef PMK_PMU_AHBMON_OBSERVE_H
#define PMK_PMU_AHBMON_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/ahb.h>
#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>

#include "ahb/gxi.h"
#include "ahb/layer.h"

/* The AHB layers: layer i is the one of bus PMK_AHBMON_BUS_ARMI + i. */
#define PMK_AHBMON_NLAYERS 6

/* What all monitors see in one HCLK cycle. */
struct pmk_ahbmon_sample {
	struct pmk_ahb_cycle layer[PMK_AHBMON_NLAYERS];
	struct pmk_gxi_cycle gxi;
};

struct pmk_ahbmon_observer_params {
	/* Buses that are observed, a sum of 1 << enum pmk_ahbmon_bus. Of the others no signal is
	 * raised, and their samples are not looked at. HCLK is always. */
	uint32_t present;
	struct pmk_ahb_layer_params layer[PMK_AHBMON_NLAYERS];
	struct pmk_gxi_params gxi;
};

struct pmk_ahbmon_observer {
	uint32_t present;
	struct pmk_ahb_layer layer[PMK_AHBMON_NLAYERS];
	struct pmk_gxi gxi;
	uint64_t cycles, base; /* samples, and the bus clock at init */
};

/* All buses, all signals, the windows of the development chip on every layer. */
void pmk_ahbmon_observer_defaults(struct pmk_ahbmon_observer_params *params);

/* PMK_EINVAL: a layer lacks HTRANS or HREADY, or has too many windows. */
int pmk_ahbmon_observer_init(struct pmk_ahbmon_observer *o,
			     const struct pmk_ahbmon_observer_params *params,
			     struct pmk_bus *buses);

static inline bool pmk_ahbmon_observer_sees(const struct pmk_ahbmon_observer *o, unsigned bus)
{
	return o->present >> bus & 1;
}

/* Take over the thresholds in force. They act from the next sample on. */
void pmk_ahbmon_observer_thresholds(struct pmk_ahbmon_observer *o,
				    const struct pmk_ahbmon_model *m);

void pmk_ahbmon_observer_sample(struct pmk_ahbmon_observer *o, struct pmk_bus *buses,
				const struct pmk_ahbmon_sample *s);

/* As pmk_ahb_layer_sound(), of all of them. */
bool pmk_ahbmon_observer_sound(struct pmk_ahbmon_observer *o,
			       const struct pmk_ahbmon_observer *begun);

/* `n` cycles in which nothing is on any bus. */
void pmk_ahbmon_observer_idle(struct pmk_ahbmon_observer *o, struct pmk_bus *buses, uint64_t n);

/* Do the counts of every bus add up? Returns NULL, or one line as from pmk_ahb_layer_check(),
 * with the bus in *bus. */
const char *pmk_ahbmon_observer_check(const struct pmk_ahbmon_observer *o,
				      const struct pmk_bus *buses, enum pmk_ahbmon_bus *bus);

#endif
