/* SPDX-License-Identifier: MIT */
/*
 * The buses of a dump as a PMU that is made of its map, "amba": for each AHB layer the same events,
 * NAME.read, NAME.incr4, NAME.burst and so on, and for each AXI interface NAME.ar, NAME.r_wait,
 * NAME.read and so on. It has as many counters as there is to count, and no
 * registers: the AHB Monitor has six layers and fewer counters on some of them than on others, and
 * a design has as many as it has. So there is neither a driver nor a model; the totals are those of
 * the observers.
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

/* What an event of it counts. */
struct pmk_amba_what {
	uint16_t index; /* of the layer or AXI interface in the map */
	uint8_t kind;
};

struct pmk_amba {
	struct pmk_pmu pmu;
	struct pmk_event *event;
	struct pmk_amba_what *what; /* by event */
	char **name;		    /* of the layers, then of the AXI interfaces */
	unsigned nnames;
	struct pmk_layer *layer;
	struct pmk_layers layers; /* for bars; AXI has none */
	struct pmk_bus *bus;	  /* by layer of the map */
	uint64_t *last;		  /* by event: the value at the end of the last interval */
	struct pmk_spread *whole; /* by event: of the whole run, up to that end */
};

extern const char pmk_amba_name[]; /* "amba" */

/* Make it for a map, which has to live as long. 0 or PMK_ENOMEM; free it in any case. */
int pmk_amba_make(struct pmk_amba *a, const struct pmk_wave_map *map);
void pmk_amba_free(struct pmk_amba *a);

/* Why an event cannot be counted, or NULL; and what the reader of its count has to know, or
 * NULL. */
const char *pmk_amba_not_counted(const struct pmk_amba *a, const struct pmk_wave_count *count,
				 const struct pmk_event *ev);
const char *pmk_amba_remark(const struct pmk_amba *a, const struct pmk_wave_count *count,
			    const struct pmk_event *ev);

/* True if reads had more beats than the map has signals for: it has neither RLAST nor ARLEN, so
 * that each read ended with its first beat. */
bool pmk_amba_lost_beats(const struct pmk_wave_watched_axi *axi);

/* Set what a row has to tell of its event: since the last interval, or of the whole run. 0 or
 * PMK_ENOMEM. */
int pmk_amba_row(struct pmk_amba *a, const struct pmk_wave_count *count, bool interval,
		 struct pmk_row *row);
/* All rows that are wanted up to here have been set: an interval ends. */
void pmk_amba_mark(struct pmk_amba *a, struct pmk_wave_count *count);

/* The layers of this PMU, or NULL: it is another one. */
const struct pmk_layers *pmk_amba_layers(const struct pmk_pmu *pmu);

#endif
