/* SPDX-License-Identifier: MIT */
/*
 * "amba": a PMU for the buses of a dump, built from its map. Each AHB layer has the same events
 * (NAME.read, NAME.incr4, NAME.burst and so on), and each AXI interface has NAME.ar, NAME.r_wait,
 * NAME.read and so on. The PMU has as many counters as events, and no registers. The AHB Monitor,
 * in contrast, has six layers and lacks some counters on some of them. "amba" has neither a driver
 * nor a model: the totals are those of the observers.
 */
#ifndef PMK_COUNT_AMBA_H
#define PMK_COUNT_AMBA_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>
#include <pmk/pmu.h>
#include <pmk/result.h>
#include <pmk/spread.h>

#include "producer/wave/run.h"

/* Where the counts of an event of "amba" come from. */
struct pmk_amba_what {
	uint16_t index; /* index of the layer or AXI interface in the map */
	uint8_t kind;
};

struct pmk_amba {
	struct pmk_pmu pmu;
	struct pmk_event *event;
	struct pmk_amba_what *what; /* by event */
	char **name;		    /* names of the layers, then of the AXI interfaces */
	unsigned nnames;
	struct pmk_layer *layer;
	struct pmk_layers layers; /* for bars; AXI has none */
	struct pmk_bus *bus;	  /* the bus of each layer, by the layer's index in the map */
	uint64_t *last;		  /* [event]: the value at the end of the last interval */
	struct pmk_spread *whole; /* [event]: the whole run, up to the end of the last interval */
};

extern const char pmk_amba_name[]; /* "amba" */

/* The reason why waits cannot be assigned to the slave or the bus. Counts of the AHB Monitor have
 * this reason, too. */
#define PMK_AMBA_NO_CAUSE \
	"the map has no cause for this layer, so all waits on first beats count as the slave's"

/*
 * Build the PMU for a map, which must outlive it. Returns 0 or PMK_ENOMEM; free it in either case.
 */
int pmk_amba_make(struct pmk_amba *a, const struct pmk_wave_map *map);
void pmk_amba_free(struct pmk_amba *a);

/* pmk_amba_not_counted() returns the reason why an event cannot be counted, or NULL.
 * pmk_amba_remark() returns a caveat for the reader of its count, or NULL. */
const char *pmk_amba_not_counted(const struct pmk_amba *a, const struct pmk_wave_count *count,
				 const struct pmk_event *ev);
const char *pmk_amba_remark(const struct pmk_amba *a, const struct pmk_wave_count *count,
			    const struct pmk_event *ev);

/* True if reads had more beats than the map shows: without RLAST and ARLEN, each read ends with its
 * first beat. */
bool pmk_amba_lost_beats(const struct pmk_wave_watched_axi *axi);

/* Fill a row with its event's count, since the last interval or of the whole run. Returns 0 or
 * PMK_ENOMEM. */
int pmk_amba_row(struct pmk_amba *a, const struct pmk_wave_count *count, bool interval,
		 struct pmk_row *row);
/* End an interval, after all its rows have been filled. */
void pmk_amba_mark(struct pmk_amba *a, struct pmk_wave_count *count);

/* Returns the layers of `pmu` if it is "amba", and NULL for any other PMU. */
const struct pmk_layers *pmk_amba_layers(const struct pmk_pmu *pmu);

#endif
