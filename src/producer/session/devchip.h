/* SPDX-License-Identifier: MIT */
/*
 * The ARM926EJ-S Development Chip around a running core: the core's bus interface unit, the bus
 * matrix with its other masters, the MBX on its link, and the observers of the AHB Monitor, which
 * turn every HCLK cycle of every layer into signals on the monitor's buses.
 *
 * The struct may lie in memory that two processes share; each of them has to bind it before use.
 */
#ifndef PMK_SESSION_DEVCHIP_H
#define PMK_SESSION_DEVCHIP_H

#include <pmk/ahbmon.h>
#include <pmk/bus.h>

#include "buses/ahb/mbx.h"
#include "buses/ahb/traffic.h"
#include "cpu/arm9/biu.h"
#include "pmu/ahbmon/observe.h"
#include "pmu/ahbmon/packet.h"

/* Is told what the monitor's pins show, one after the other. */
struct pmk_pins_sink {
	void (*show)(void *ctx, const struct pmk_ahbmon_pins *pins); /* NULL: nobody is told */
	void *ctx;
};

struct pmk_devchip {
	struct pmk_biu biu;
	struct pmk_mbx mbx;
	struct pmk_ahbmon_observer observer;
	struct pmk_bus bus[PMK_AHBMON_NBUSES];
	struct pmk_pins_sink sink;	   /* of this process */
	struct pmk_ahbmon_packets packets; /* on their way to the pins, if there is a sink */
	struct pmk_ahbmon_pins pins;	   /* what they show, and the sink was not told */
};

/* Sets the pointers of this process; `sink`: who is told of the pins here. */
void pmk_devchip_bind(struct pmk_devchip *chip, const struct pmk_pins_sink *sink);
/* After binding: puts everything to time 0, with the traffic of the other masters. Returns 0 or an
 * error. */
int pmk_devchip_init(struct pmk_devchip *chip, const struct pmk_core *core,
		     const struct pmk_traffic *traffic);
/* The observers begin, when the monitor's registers are set. `codes`: those of the pins, if a sink
 * may be told of them. Slaves have the numbers of the matrix then: 0 mpmc, 1 smc, 2 apb_core,
 * 3 apb_dma, 4 ahbmon (our choice). */
int pmk_devchip_observe(struct pmk_devchip *chip, const struct pmk_ahbmon_model *model,
			const struct pmk_ahbmon_packet_params *codes);

/* The end: the sink is told what the pins have shown last. */
void pmk_devchip_shown(struct pmk_devchip *chip);

/* For a chip in memory that others can write, with the core's time there: can it be what `begun`
 * has become by running? If not, it must not be used. What was configured is taken from `begun`. */
bool pmk_devchip_sound(struct pmk_devchip *chip, const struct pmk_devchip *begun, uint64_t clock);

/* Checks that the counts of every bus add up, and that the monitors saw what masters and slaves
 * report to have done. Returns PMK_OK or PMK_EIO. */
int pmk_devchip_check(const struct pmk_devchip *chip);

/* How the monitor has to count, by the core's parameters. */
void pmk_devchip_settings(const struct pmk_core *core, struct pmk_ahbmon_config *config);

/* The signals that are raised on at least one of its buses. */
struct pmk_signal_set pmk_devchip_raises(void);

#endif
