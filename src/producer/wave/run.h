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
 * Layers and the GXI go to the buses of the AHB Monitor, or each layer to one of its own, through
 * the observers of src/ahb; EVNTBUS and [events] go to the bus of a core. CYCLE of both counts the
 * clock of the map, without edges in reset.
 */
#ifndef PMK_PRODUCER_WAVE_RUN_H
#define PMK_PRODUCER_WAVE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>
#include <pmk/wave.h>

#include "ahb/burst.h"
#include "ahb/check.h"
#include "ahb/gxi.h"
#include "ahb/layer.h"
#include "axi/axi.h"
#include "axi/check.h"
#include "base/rule.h"

#define PMK_WAVE_DATA_X 0xff

#define PMK_WAVE_MOST_RULES 24 /* of a protocol */

/* What is known of how a bus keeps to its protocol: a layer of AHB, or an AXI interface. */
struct pmk_wave_checked {
	const char *name;
	const struct pmk_rule *rule;
	unsigned nrules;
	const char *(*role_name)(unsigned role);
	uint64_t violations;
	uint64_t broken[PMK_WAVE_MOST_RULES]; /* by rule */
};

/* One layer of the map. */
struct pmk_wave_watched {
	const struct pmk_wave_layer *layer;
	unsigned index; /* index in the map */
	struct pmk_bus *bus;
	int slot[PMK_AHB_NROLES + 1]; /* by role, PMK_WAVE_CAUSE is the last; -1: not there */
	/* where their values at an edge are; what is not there is always 0 */
	const struct pmk_wave_value *value[PMK_AHB_NROLES + 1];
	struct pmk_ahb_layer observer;
	struct pmk_ahb_timer timer; /* of layers with a bus of their own */
	struct pmk_ahb_checker checker;
	uint8_t data; /* HTRANS of the data phase, PMK_WAVE_DATA_X: not known */
	struct pmk_wave_checked checked;
};

/* One AXI interface of the map. */
struct pmk_wave_watched_axi {
	const struct pmk_wave_axi *axi;
	unsigned index;		  /* index in the map */
	int slot[PMK_AXI_NROLES]; /* by role; -1: not there */
	struct pmk_axi observer;
	struct pmk_axi_checker checker;
	struct pmk_wave_checked checked;
};

struct pmk_wave_count {
	/* These are the caller's, set before init. */
	const struct pmk_wave_map *map; /* it is bound */
	/* the only layer or AXI interface that is counted; NULL: all of them */
	const char *only;
	/* the first of PMK_AHBMON_NBUSES buses; NULL: the AHB Monitor does not count */
	struct pmk_bus *monitor;
	/* Buses of the layers, by their index in the map: instead of `monitor`, for any number of
	 * layers, and with AXI interfaces. NULL and no monitor: buses are only checked. */
	struct pmk_bus *each;
	struct pmk_bus *core; /* NULL: EVNTBUS and [events] are left out */
	uint64_t every;	      /* call `tick` each time after this many edges; 0: never */
	/* A bus has reached its horizon. A caller who wants this call sets horizons before the
	 * run, in `due` or in `tick`. A nonzero result stops the run; the same holds for the
	 * calls below. Each of them may be NULL. */
	int (*due)(void *ctx);
	int (*tick)(void *ctx, const struct pmk_wave_edge *edge);
	/* The observers have seen this edge. */
	int (*sampled)(void *ctx, const struct pmk_wave_edge *edge);
	int (*violation)(void *ctx, const struct pmk_wave_checked *bus,
			 const struct pmk_wave_edge *edge, const struct pmk_violation *v);
	int (*progress)(void *ctx, const struct pmk_wave_progress *p);
	void *ctx;
	/* These are private to run.c. */
	struct pmk_wave *w;
	struct pmk_wave_watched *watched;
	unsigned nwatched;
	struct pmk_wave_watched_axi *axi;
	unsigned naxi;
	struct pmk_gxi gxi;
	int gxi_slot[PMK_WAVE_GXI_IS_WRITE + 1];
	int evntbus;			  /* slot, -1: none */
	const struct pmk_pmu *pmu;	  /* the PMU whose EVNTBUS it is */
	uint8_t evntbus_signal[32];	  /* by event code, PMK_SIG_NONE: not counted */
	bool *was;			  /* by slot: the signal was not 0 at the edge before */
	bool own_cycles;		  /* [events] has CYCLE */
	uint64_t cycles;		  /* edges outside of reset */
	struct pmk_wave_warning in_reset; /* edges in reset, and the first of them */
	uint32_t horizons;		  /* buses with a horizon: monitor by number, then core */
	struct pmk_wave_findings *findings;
};

/* Prepare the observers, and set which signals the buses raise. Returns 0, or PMK_EPARSE (no
 * such layer, two layers on one monitor, an EVNTBUS that is not documented), PMK_ENOMEM. */
int pmk_wave_count_init(struct pmk_wave_count *c, struct pmk_wave *w, struct pmk_wave_error *err);
void pmk_wave_count_free(struct pmk_wave_count *c);

/* Can the AHB Monitor not count all layers that are counted (`only`: as above), because two of them
 * would have the same monitor and the map does not choose any? */
bool pmk_wave_count_crowded(const struct pmk_wave_map *m, const char *only);

/* Set the wait thresholds of the observers, by enum pmk_ahbmon_threshold. They are 0 after init. */
void pmk_wave_count_thresholds(struct pmk_wave_count *c, const uint32_t threshold[]);

/* Calls pmk_wave_run(), and counts everything. */
int pmk_wave_count_run(struct pmk_wave_count *c, struct pmk_wave_findings *findings);

/* The buses that are checked, from 0 on; NULL: there are no more. */
const struct pmk_wave_checked *pmk_wave_count_checked(const struct pmk_wave_count *c, unsigned i);

/* Do the cycles of all layers and of the GXI add up? Returns NULL, or one line; see
 * pmk_ahb_layer_check(). */
const char *pmk_wave_count_check(const struct pmk_wave_count *c);

#endif
