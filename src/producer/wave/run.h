/* SPDX-License-Identifier: MIT */
/*
 * A dump as a producer: what its signals do becomes signals on buses.
 *
 *	struct pmk_wave_count count = { .map = &map, .monitor = buses, .core = &bus, … };
 *
 *	if (pmk_wave_count_init(&count, w, &err))
 *		…
 *	status = pmk_wave_count_run(&count, &report);
 *	pmk_wave_count_free(&count);
 *
 * Layers and the GXI go to the buses of the AHB Monitor, through the observers of src/ahb; EVNTBUS and
 * [events] go to the bus of a core. CYCLE of both is the clock of the map, edges in reset left out.
 */
#ifndef PMK_PRODUCER_WAVE_RUN_H
#define PMK_PRODUCER_WAVE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>
#include <pmk/wave.h>

#include "ahb/check.h"
#include "ahb/gxi.h"
#include "ahb/layer.h"

#define PMK_WAVE_DATA_X 0xff

/* One layer of the map. */
struct pmk_wave_watched {
	const struct pmk_wave_layer *layer;
	unsigned index; /* in the map */
	struct pmk_bus *bus;
	int slot[PMK_AHB_NROLES + 1]; /* by role, PMK_WAVE_CAUSE the last; -1: not there */
	struct pmk_ahb_layer observer;
	struct pmk_ahb_checker checker;
	uint8_t data; /* HTRANS of the data phase, PMK_WAVE_DATA_X: not known */
	uint64_t violations;
};

struct pmk_wave_count {
	/* The caller's, before init. */
	const struct pmk_wave_map *map; /* bound */
	const char *only;		/* the layer that is counted alone, NULL: all */
	struct pmk_bus *monitor; /* the first of PMK_AHBMON_NBUSES; NULL: layers are only checked */
	struct pmk_bus *core;	 /* NULL: EVNTBUS and [events] are left out */
	uint64_t every;		 /* call `tick` every so many edges; 0: never */
	/* A bus has reached its horizon. Whoever wants to be asked sets horizons before the run, in
	 * `due` or in `tick`. Nonzero stops, here and below. May be NULL, as all of them. */
	int (*due)(void *ctx);
	int (*tick)(void *ctx, const struct pmk_wave_edge *edge);
	int (*violation)(void *ctx, const struct pmk_wave_watched *l,
			 const struct pmk_wave_edge *edge, const struct pmk_ahb_violation *v);
	int (*progress)(void *ctx, const struct pmk_wave_progress *p);
	void *ctx;
	/* Ours. */
	struct pmk_wave *w;
	struct pmk_wave_watched *watched;
	unsigned nwatched;
	struct pmk_gxi gxi;
	int gxi_slot[PMK_WAVE_GXI_IS_WRITE + 1];
	int evntbus;		    /* slot, -1: none */
	const struct pmk_pmu *pmu;  /* whose EVNTBUS it is */
	uint8_t evntbus_signal[32]; /* by event code, PMK_SIG_NONE: not counted */
	bool *was;		    /* by slot: was not 0 at the edge before */
	bool own_cycles;	    /* [events] has CYCLE */
	uint64_t cycles;	    /* edges outside of reset */
	struct pmk_wave_warning in_reset; /* the others, and the first of them */
	uint32_t horizons;	    /* buses that somebody asked of: monitor by number, then core */
	struct pmk_wave_report *report;
};

/* Prepare the observers, set what the buses raise. 0, or PMK_EPARSE (no such layer, two layers on one
 * monitor, an EVNTBUS that is not documented), PMK_ENOMEM. */
int pmk_wave_count_init(struct pmk_wave_count *c, struct pmk_wave *w, struct pmk_wave_error *err);
void pmk_wave_count_free(struct pmk_wave_count *c);

/* Set the wait thresholds of the observers, by enum pmk_ahbmon_threshold. They are 0 after init. */
void pmk_wave_count_thresholds(struct pmk_wave_count *c, const uint32_t threshold[]);

/* pmk_wave_run(), with everything counted. */
int pmk_wave_count_run(struct pmk_wave_count *c, struct pmk_wave_report *report);

/* Do the cycles of all layers and of the GXI add up? NULL, or one line; see pmk_ahb_layer_check(). */
const char *pmk_wave_count_check(const struct pmk_wave_count *c);

#endif
