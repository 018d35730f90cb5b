/* SPDX-License-Identifier: MIT */
/* Counting on the signals of a dump: declarations that its files share. */
#ifndef PMK_COUNT_WAVE_H
#define PMK_COUNT_WAVE_H

#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>
#include <pmk/model.h>
#include <pmk/reading.h>
#include <pmk/wave.h>

#include "count/amba.h"
#include "count/count.h"
#include "count/monitor.h"
#include "count/packets.h"
#include "pmu/ahbmon/layers.h"
#include "pmu/ahbmon/unpack.h"
#include "producer/session/emulated.h"
#include "producer/wave/run.h"

struct pmk_wave_counting {
	struct pmk_wave *wave;
	struct pmk_wave_map map;
	struct pmk_wave_count count;
	struct pmk_wave_findings findings;
	struct pmk_plan plan;		       /* the events that can be counted */
	unsigned event_of[PMK_MAX_EVENTS];     /* the index in `events` of each event of the plan */
	struct pmk_amba amba;		       /* used if "amba" counts; then there is no session */
	struct pmk_monitor monitor;	       /* used if the AHB Monitor counts */
	struct pmk_pmu monitor_pmu;	       /* the monitor's PMU, with its layout */
	struct pmk_bus bus[PMK_AHBMON_NBUSES]; /* buses of the monitor; a core uses the first */
	struct pmk_packets_out packets;	       /* used if packets are written */
	struct pmk_ahbmon_unpack unpack;       /* used if packets are the source of the counts */
	int pins;			       /* slot of the monitor's pins in the map; -1: none */
	struct pmk_session session;
	struct pmk_model_port to_model[PMK_MAX_PASSES];
	struct pmk_port port[PMK_MAX_PASSES];
	uint64_t model[PMK_MAX_PASSES][PMK_MODEL_BYTES / 8];
	struct pmk_reading last; /* reading at the end of the last interval */
	uint64_t last_time;	 /* end of the last interval, in the dump's time */
	uint64_t edges;		 /* number of edges of the map's clock so far */
	/* For each layer of the monitor, the bursts that no counter counts, up to the end of the
	 * last interval. */
	struct uncounted {
		uint64_t kind; /* the layer has no counter for this HBURST */
		uint64_t x;    /* HBURST was x or z */
	} uncounted[PMK_AHBMON_NBUSES];
	int err;    /* first error of the driver */
	int failed; /* an interval could not be reported */
};

static inline bool is_monitor(const struct pmk_count *c)
{
	return c->pmu->driver == pmk_ahbmon.driver;
}

static inline bool is_amba(const struct pmk_count *c)
{
	return c->pmu->name == pmk_amba_name;
}

/* Returns the slot of the first signal of this part; -1: the map has none. */
static inline int slot_of(const struct pmk_wave_map *map, enum pmk_wave_part part)
{
	for (unsigned i = 0; i < map->nslots; i++)
		if (map->slot[i].part == part)
			return (int)i;
	return -1;
}

static inline bool has_part(const struct pmk_wave_map *map, enum pmk_wave_part part)
{
	return slot_of(map, part) >= 0;
}

/* Returns a caveat for the reader of a count, or NULL. */
const char *pmk_wave_remark(const struct pmk_count *c, const struct pmk_event *ev);

/* wave_result.c. The functions return 0 or a failure. */
/* Adds and reports the section of the interval that ends at this time of the dump. */
int pmk_wave_interval(struct pmk_count *c, uint64_t time);
/* The functions `describe` and `finish` of struct pmk_count_way. */
int pmk_wave_describe(struct pmk_count *c);
int pmk_wave_finish(struct pmk_count *c);

#endif
