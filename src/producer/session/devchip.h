/* SPDX-License-Identifier: MIT */
/*
 * The ARM926EJ-S Development Chip around a running core. It consists of the core's bus interface
 * unit, the bus matrix with its other masters, the MBX on its link, and the observers of the AHB
 * Monitor. For every HCLK cycle of every layer, the observers raise signals on the monitor's buses.
 *
 * The struct may be in memory that two processes share; each process must bind it before use.
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

/* Receives the states of the monitor's pins in order. */
struct pmk_pins_sink {
	void (*show)(void *ctx, const struct pmk_ahbmon_pins *pins); /* NULL: there is none */
	void *ctx;
};

struct pmk_devchip {
	struct pmk_biu biu;
	struct pmk_mbx mbx;
	struct pmk_ahbmon_observer observer;
	struct pmk_bus bus[PMK_AHBMON_NBUSES];
	struct pmk_pins_sink sink; /* valid only in this process */
	/* The packets that the pins do not show yet. Used only if there is a sink. */
	struct pmk_ahbmon_packets packets;
	struct pmk_ahbmon_pins pins; /* the present state, which was not passed to the sink yet */
};

/* Sets the pointers of this process. `sink` receives the pins in this process. */
void pmk_devchip_bind(struct pmk_devchip *chip, const struct pmk_pins_sink *sink);
/* Reset everything to time 0, with the traffic of the other masters. Must be called after
 * pmk_devchip_bind(). Returns 0 or an error. */
int pmk_devchip_init(struct pmk_devchip *chip, const struct pmk_core *core,
		     const struct pmk_traffic *traffic);
/* Starts the observers. Must be called after the monitor's registers were set. `codes` has the
 * codes of the pins, or is NULL if no sink will receive the pins. With `codes`, the observers also
 * report which slave is accessed, by its number in the matrix: 0 mpmc, 1 smc, 2 apb_core, 3
 * apb_dma, 4 ahbmon (our choice). */
int pmk_devchip_observe(struct pmk_devchip *chip, const struct pmk_ahbmon_model *model,
			const struct pmk_ahbmon_packet_params *codes);

/* Passes the last state of the pins to the sink. Called at the end. */
void pmk_devchip_shown(struct pmk_devchip *chip);

/*
 * Checks a chip, because it was in memory that the program can write. Returns true if the chip can
 * get from the state `begun` to this state until the core's time `clock`. Otherwise the chip must
 * not be used. Copies the configuration from `begun`.
 */
bool pmk_devchip_valid(struct pmk_devchip *chip, const struct pmk_devchip *begun, uint64_t clock);

/* Checks that the counts of every bus add up, and that the monitors saw what masters and slaves
 * report. Returns PMK_OK or PMK_EIO. */
int pmk_devchip_check(const struct pmk_devchip *chip);

/* Gets the monitor's settings from the core's parameters. */
void pmk_devchip_settings(const struct pmk_core *core, struct pmk_ahbmon_config *config);

/* Returns the signals that are raised on at least one of the chip's buses. */
struct pmk_signal_set pmk_devchip_raises(void);

#endif
