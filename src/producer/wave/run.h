/* SPDX-License-Identifier: MIT */
/*
 * A dump as a producer: the signals of the dump become signals on buses.
 *
 *	struct pmk_wave_count count = { .map = &map, .monitor = buses, .core = &bus, … };
 *
 *	if (pmk_wave_count_init(&count, w, &err))
 *		…
 *	status = pmk_wave_count_run(&count, &findings);
 *	pmk_wave_count_free(&count);
 *
 * The observers of src/buses/ahb count layers and the GXI on the buses of the AHB Monitor, or
 * each layer on a bus of its own. EVNTBUS and [events] are counted on the bus of a core. On
 * every bus, CYCLE counts the edges of the map's clock outside of reset.
 */
#ifndef PMK_PRODUCER_WAVE_RUN_H
#define PMK_PRODUCER_WAVE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>
#include <pmk/wave.h>

#include "buses/ahb/burst.h"
#include "buses/ahb/check.h"
#include "buses/ahb/gxi.h"
#include "buses/ahb/layer.h"
#include "buses/axi/axi.h"
#include "buses/axi/check.h"
#include "base/rule.h"

#define PMK_WAVE_DATA_X 0xff

#define PMK_WAVE_MOST_RULES 24 /* largest number of rules of a protocol */

/* Result of the protocol checks of a bus: a layer of AHB, or an AXI interface. */
struct pmk_wave_checked {
	const char *name;
	const struct pmk_rule *rule;
	unsigned nrules;
	const char *(*role_name)(unsigned role);
	uint64_t violations;
	uint64_t broken[PMK_WAVE_MOST_RULES]; /* number of violations by rule */
};

/* A layer of the map. */
struct pmk_wave_watched {
	const struct pmk_wave_layer *layer;
	unsigned index; /* index of the layer in the map */
	struct pmk_bus *bus;
	uint32_t roles;		      /* AHB roles that have a signal, as bits */
	int slot[PMK_AHB_NROLES + 1]; /* by role, the last one is PMK_WAVE_CAUSE; -1: no signal */
	/* where the values of an edge are; a missing signal is always 0 */
	const struct pmk_wave_value *value[PMK_AHB_NROLES + 1];
	struct pmk_ahb_layer observer;
	struct pmk_ahb_timer timer; /* used by layers that have a separate bus */
	struct pmk_ahb_checker checker;
	uint8_t data; /* HTRANS of the data phase; PMK_WAVE_DATA_X if unknown */
	struct pmk_wave_checked checked;
};

/* An AXI interface of the map. */
struct pmk_wave_watched_axi {
	const struct pmk_wave_axi *axi;
	unsigned index;		  /* index of the interface in the map */
	int slot[PMK_AXI_NROLES]; /* by role; -1: no signal */
	struct pmk_axi observer;
	struct pmk_axi_checker checker;
	struct pmk_wave_checked checked;
};

struct pmk_wave_count {
	/* The caller sets these before init. */
	const struct pmk_wave_map *map; /* a bound map */
	/* name of the only layer or AXI interface to count; NULL: count all */
	const char *only;
	/* PMK_AHBMON_NBUSES buses; NULL: the AHB Monitor does not count */
	struct pmk_bus *monitor;
	/*
	 * Buses of the layers, by their index in the map. `each` replaces `monitor`, and allows any
	 * number of layers, and AXI interfaces. If both are NULL, buses are only checked.
	 */
	struct pmk_bus *each;
	struct pmk_bus *core; /* NULL: EVNTBUS and [events] are not counted */
	uint64_t every;	      /* call `tick` each time after this many edges; 0: never */
	/*
	 * A bus has reached its horizon. To get this call, the caller sets horizons before the run,
	 * or in `due` or `tick`. A nonzero result stops the run, as with the calls below. Each of
	 * these calls may be NULL.
	 */
	int (*due)(void *ctx);
	int (*tick)(void *ctx, const struct pmk_wave_edge *edge);
	/* The observers have counted this edge. */
	int (*sampled)(void *ctx, const struct pmk_wave_edge *edge);
	int (*violation)(void *ctx, const struct pmk_wave_checked *bus,
			 const struct pmk_wave_edge *edge, const struct pmk_violation *v);
	int (*progress)(void *ctx, const struct pmk_wave_progress *p);
	void *ctx;
	/* The members below are private to run.c. */
	struct pmk_wave *w;
	struct pmk_wave_watched *watched;
	unsigned nwatched;
	struct pmk_wave_watched_axi *axi;
	unsigned naxi;
	struct pmk_gxi gxi;
	uint32_t gxi_roles; /* roles that have a signal, as bits; 0: no GXI is counted */
	int gxi_slot[PMK_WAVE_GXI_IS_WRITE + 1];
	int evntbus;			  /* slot of the EVNTBUS; -1: none */
	const struct pmk_pmu *pmu;	  /* the PMU that drives the EVNTBUS */
	uint8_t evntbus_signal[32];	  /* by event code; PMK_SIG_NONE if not counted */
	bool *was;			  /* by slot: the signal was not 0 at the previous edge */
	bool own_cycles;		  /* [events] has CYCLE */
	uint64_t cycles;		  /* edges outside of reset */
	struct pmk_wave_warning in_reset; /* edges in reset, and the time of the first */
	/* buses whose totals are compared with a horizon (pmk/bus.h), one bit each: the monitors by
	 * number, then the core */
	uint32_t horizons;
	struct pmk_wave_findings *findings;
};

/*
 * Prepares the observers, and sets which signals the buses raise. Returns 0, PMK_EPARSE (no such
 * layer, two layers on one monitor, an EVNTBUS that is not documented) or PMK_ENOMEM.
 */
int pmk_wave_count_init(struct pmk_wave_count *c, struct pmk_wave *w, struct pmk_wave_error *err);
void pmk_wave_count_free(struct pmk_wave_count *c);

/*
 * True if the AHB Monitor cannot count all selected layers, because two layers would have the same
 * monitor and the map does not choose one. `only` is as in struct pmk_wave_count.
 */
bool pmk_wave_count_crowded(const struct pmk_wave_map *m, const char *only);

/*
 * Sets the wait thresholds of the observers, by enum pmk_ahbmon_threshold. The thresholds are 0
 * after pmk_wave_count_init().
 */
void pmk_wave_count_thresholds(struct pmk_wave_count *c, const uint32_t threshold[]);

/* Calls pmk_wave_run() and counts everything. */
int pmk_wave_count_run(struct pmk_wave_count *c, struct pmk_wave_findings *findings);

/* Returns the i-th bus that is checked; NULL if there are no more. */
const struct pmk_wave_checked *pmk_wave_count_checked(const struct pmk_wave_count *c, unsigned i);

/*
 * Checks that the cycles of all layers and of the GXI add up. Returns NULL, or one line; see
 * pmk_ahb_layer_check().
 */
const char *pmk_wave_count_check(const struct pmk_wave_count *c);

#endif
