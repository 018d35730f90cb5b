// SPDX-License-Identifier: MIT
/*
 * Counts on the signals of a waveform dump that a map names. The dump is read once. Each pass has
 * its own model of the PMU on the same buses, programmed by the real driver, as in emulation.
 *
 * The PMU is the one that --pmu names. Without --pmu it is the AHB Monitor if the map has layers or
 * a GXI, or else the PMU of the core whose EVNTBUS the map has. If the monitor does not cover the
 * layers, a PMU that is built from the map counts them: "amba", which has no model (amba.h). -I
 * counts active edges of the map's clock, including edges in reset.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
#include "pmu/ahbmon/regs.h"
#include "pmu/ahbmon/unpack.h"
#include "producer/wave/run.h"
#include "producer/session/emulated.h"

struct dump {
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
	uint64_t edges;		 /* so far */
	/* For each layer of the monitor, the bursts that no counter counts, up to the end of the
	 * last interval. */
	struct uncounted {
		uint64_t kind; /* the layer has no counter for this HBURST */
		uint64_t x;    /* HBURST was x or z */
	} uncounted[PMK_AHBMON_NBUSES];
	int err;    /* first error of the driver */
	int failed; /* an interval could not be reported */
};

static void free_dump(struct pmk_count *c)
{
	struct dump *j = c->state;

	pmk_wave_count_free(&j->count);
	pmk_amba_free(&j->amba);
	pmk_packets_close(&j->packets, false, &c->fault);
	pmk_wave_map_free(&j->map);
	pmk_wave_close(j->wave);
	free(j);
}

/* ---- what is counted ------------------------------------------------------------------------- */

static bool is_monitor(const struct pmk_count *c)
{
	return c->pmu->driver == pmk_ahbmon.driver;
}

static bool is_amba(const struct pmk_count *c)
{
	return c->pmu->name == pmk_amba_name;
}

/* Returns the slot of the first signal of this part; -1: the map has none. */
static int slot_of(const struct pmk_wave_map *map, enum pmk_wave_part part)
{
	for (unsigned i = 0; i < map->nslots; i++)
		if (map->slot[i].part == part)
			return (int)i;
	return -1;
}

static bool has_part(const struct pmk_wave_map *map, enum pmk_wave_part part)
{
	return slot_of(map, part) >= 0;
}

static const struct pmk_pmu *pmu_of_map(const struct pmk_wave_map *map)
{
	if (map->nlayers || has_part(map, PMK_WAVE_GXI) || has_part(map, PMK_WAVE_PACKETS))
		return &pmk_ahbmon;
	return map->core ? pmk_pmu_find(map->core) : NULL;
}

/* True if "amba" counts, because it was requested or because the AHB Monitor cannot. */
static bool wants_amba(const struct pmk_count *c, const struct pmk_wave_map *map)
{
	if (c->q.core.pmu)
		return strcasecmp(c->q.core.pmu, pmk_amba_name) == 0;
	return has_part(map, PMK_WAVE_AXI) || pmk_wave_count_crowded(map, c->q.dump.layer);
}

static int choose_amba(struct pmk_count *c, const struct pmk_wave_map *map)
{
	struct dump *j = c->state;

	if (!map->nlayers && !map->naxi)
		return pmk_count_refuse(&c->fault,
					"%s has nothing for %s: neither [layer] nor [axi]",
					map->file, pmk_amba_name);
	if (pmk_amba_make(&j->amba, map))
		return pmk_count_no_memory(&c->fault);
	c->pmu = &j->amba.pmu;
	c->events.limit = PMK_MOST_EVENTS;
	c->result.histograms = true;
	return 0;
}

static int choose_pmu(struct pmk_count *c, const struct pmk_wave_map *map)
{
	const char *name = c->q.core.pmu;

	if (wants_amba(c, map))
		return choose_amba(c, map);

	c->pmu = name ? pmk_pmu_find(name) : pmu_of_map(map);
	if (!c->pmu && name)
		return pmk_count_refuse(&c->fault, "unknown PMU '%s' (pmk list pmus)", name);
	if (!c->pmu)
		return pmk_count_refuse(&c->fault,
					"%s has neither layers nor the EVNTBUS of a core; set "
					"`pmu` to the PMU that counts its events",
					map->file);
	if (!is_monitor(c) && !has_part(map, PMK_WAVE_EVNTBUS) && !has_part(map, PMK_WAVE_SIGNAL))
		return pmk_count_refuse(&c->fault,
					"%s has nothing for %s: neither [events] nor [evntbus]",
					map->file, c->pmu->name);
	if (!pmk_model_find(c->pmu))
		return pmk_count_refuse(&c->fault, "there is no model of %s", c->pmu->name);
	return 0;
}

/* Returns the bus on which an event is counted. */
static const struct pmk_bus *bus_of(const struct pmk_count *c, const struct pmk_event *ev)
{
	struct dump *j = c->state;

	return &j->bus[is_monitor(c) ? pmk_ahbmon_bus_of[ev->code] : 0];
}

/* True if the map has the signal for the cause of waits on the event's layer. Without that
 * signal, causes cannot be distinguished. */
static bool has_cause(const struct pmk_count *c, const struct pmk_event *ev)
{
	struct dump *j = c->state;
	const struct pmk_wave_count *count = &j->count;

	if (j->pins >= 0) /* packets show all layers */
		return true;
	for (unsigned i = 0; i < count->nwatched; i++)
		if (count->watched[i].bus == bus_of(c, ev))
			return count->watched[i].slot[PMK_WAVE_CAUSE] >= 0;
	return false;
}

/* Returns the reason why an event cannot be counted, or NULL. */
static const char *not_counted_because(const struct pmk_count *c,
				       const struct pmk_event_request *req)
{
	const struct pmk_event *ev = req->event;
	const struct dump *j = c->state;
	const struct pmk_bus *bus;

	if (req->user != req->kernel)
		return "a dump does not distinguish privileged and user mode";
	if (is_amba(c))
		return pmk_amba_not_counted(&j->amba, &j->count, ev);
	bus = bus_of(c, ev);
	if (is_monitor(c) && pmk_ahbmon_bus_of[ev->code] == PMK_AHBMON_BUS_HCLK)
		return NULL;
	if (!pmk_bus_raises(bus, ev->signal) ||
	    (ev->signal2 != PMK_SIG_NONE && !pmk_bus_raises(bus, ev->signal2)))
		return j->pins < 0 && !j->map.nwindows && pmk_ahb_is_place_signal(ev->signal)
			       ? "the map has no [windows] with the addresses for it"
		       : j->pins < 0 ? "the map has no signal for it"
				     : "packets do not have it, or the layout has no codes for "
				       "this layer";
	if (ev->signal == PMK_SIG_AHB_WAIT_FIRST_BUS && !has_cause(c, ev))
		return PMK_AMBA_NO_CAUSE;
	return NULL;
}

/* Returns a caveat for the reader of a count, or NULL. */
static const char *remark_of(const struct pmk_count *c, const struct pmk_event *ev)
{
	const struct dump *j = c->state;

	if (is_amba(c))
		return pmk_amba_remark(&j->amba, &j->count, ev);
	if (ev->latency)
		return "counted, not timed: a dump does not show how long it took";
	if (ev->signal == PMK_SIG_AHB_WAIT_FIRST_SLAVE && !has_cause(c, ev))
		return PMK_AMBA_NO_CAUSE;
	return NULL;
}

static bool is_watched(const struct pmk_count *c, const struct pmk_event *ev)
{
	return !not_counted_because(c, &(struct pmk_event_request){ .event = ev });
}

/* Choose all events that can be counted with the signals of the map. */
static int default_events(struct pmk_count *c)
{
	for (unsigned i = 0; i < c->pmu->nevents; i++) {
		const struct pmk_event *ev = &c->pmu->events[i];
		int err = 0;

		if (pmk_pmu_has(c->pmu, ev) && is_watched(c, ev))
			err = pmk_event_list_add(&c->events, ev, ev->name);
		if (err)
			return err;
	}
	return 0;
}

static int plan_events(struct pmk_count *c)
{
	struct dump *j = c->state;
	int err;

	if (is_amba(c)) {
		for (unsigned i = 0; i < c->events.count; i++)
			c->reason[i] = not_counted_because(c, &c->events.item[i]);
		return 0;
	}
	pmk_choose_countable(c, not_counted_because, &j->plan, j->event_of);
	err = pmk_plan_make(c->pmu, &j->plan);
	return err ? pmk_count_refuse(&c->fault, "these events do not fit %s: %s", c->pmu->name,
				      pmk_strerror(err))
		   : 0;
}

/* Reject settings that make no sense for a dump. */
static int check_settings(struct pmk_count *c)
{
	const struct pmk_request *q = &c->q;

	if (!q->target.where)
		return pmk_count_refuse(&c->fault, "`map` and `layer` are for `target` wave:FILE");
	if (!q->dump.map)
		return pmk_count_refuse(&c->fault,
					"`target` wave:%s: the map of its signals is missing; give "
					"`map` FILE, 'pmk wave signals %s' writes one",
					q->target.where, q->target.where);
	if (q->program.command[0])
		return pmk_count_refuse(
			&c->fault, "`target` wave reads a dump and runs no program; leave out '%s'",
			q->program.command[0]);
	if (q->run.times > 1 || q->scope.per_core)
		return pmk_count_refuse(&c->fault, "`target` wave reads a dump once; it cannot be "
						   "combined with `repeat` or `no-aggr`");
	if (q->counted.nothing || q->run.timeout_ms)
		return pmk_count_refuse(&c->fault, "`target` wave reads a dump; %s needs a program",
					q->counted.nothing ? "`null`" : "`timeout`");
	if (q->interval.unit != PMK_EVERY_NONE && q->interval.unit != PMK_EVERY_CYCLES)
		return pmk_count_refuse(&c->fault,
					"`target` wave: intervals are cycles of the clock: "
					"`interval` %" PRIu64 "cycles",
					q->interval.length);
	return 0;
}

static int wave_failed(struct pmk_count *c, const struct pmk_wave_error *err)
{
	return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s", err->text);
}

/* Fail because of the map. A mistake in the map is a usage error; an unreadable map is a failure of
 * pmk. */
static int map_failed(struct pmk_count *c, const struct pmk_wave_error *err)
{
	return pmk_count_fail(&c->fault,
			      err->code == PMK_EPARSE ? PMK_COUNT_USAGE : PMK_COUNT_FAILED, "%s",
			      err->text);
}

static int counter_due(void *ctx);
static int take_edge(void *ctx, const struct pmk_wave_edge *edge);

static int show_progress(void *ctx, const struct pmk_wave_progress *p)
{
	struct pmk_count *c = ctx;

	if (pmk_count_stopped(c))
		return 1;
	if (c->listener.progress)
		c->listener.progress(c->listener.ctx, p->bytes, p->size);
	return 0;
}

static int open_dump(struct pmk_count *c)
{
	struct dump *j = c->state;
	struct pmk_wave_error err;

	if (pmk_wave_map_load(&j->map, c->q.dump.map, &err))
		return map_failed(c, &err);
	if (pmk_wave_open(&j->wave, c->q.target.where, &err))
		return wave_failed(c, &err);
	if (pmk_wave_bind(j->wave, &j->map, &err))
		return map_failed(c, &err);
	return choose_pmu(c, &j->map);
}

/* Write the packets of an edge that the observers have processed, or count the packets that the
 * pins show. */
static int take_sampled_edge(void *ctx, const struct pmk_wave_edge *edge)
{
	struct pmk_count *c = ctx;
	struct dump *j = c->state;
	struct pmk_ahbmon_packet packet;

	if (j->pins >= 0 && !edge->reset) {
		const struct pmk_wave_value *v = &edge->value[j->pins];

		pmk_ahbmon_packet_decode(&j->monitor.layout.packet, v->bits, ~v->x, &packet);
		pmk_ahbmon_unpack(&j->unpack, j->bus, &packet);
	}
	j->failed = pmk_packets_edge(&j->packets, &j->count, edge->time, &c->fault);
	return j->failed;
}

/* Choose whether packets are read, written or neither. */
static int choose_packets(struct pmk_count *c)
{
	struct dump *j = c->state;

	j->pins = is_monitor(c) ? slot_of(&j->map, PMK_WAVE_PACKETS) : -1;
	if (!c->q.dump.packets)
		return 0;
	if (!is_monitor(c))
		return pmk_count_refuse(&c->fault,
					"`packets`: %s counts, and the pins are those of %s",
					c->pmu->name, pmk_ahbmon.name);
	if (j->pins >= 0)
		return pmk_count_refuse(&c->fault,
					"`packets`: %s has the pins: there is nothing to write",
					j->map.file);
	return 0;
}

static int start_counting(struct pmk_count *c)
{
	struct dump *j = c->state;
	struct pmk_wave_error err;

	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&j->bus[i]);
	j->count = (struct pmk_wave_count){
		.map = &j->map,
		.only = c->q.dump.layer,
		.monitor = is_monitor(c) ? j->bus : NULL,
		.each = is_amba(c) ? j->amba.bus : NULL,
		.core = is_monitor(c) || is_amba(c) ? NULL : j->bus,
		.every = c->q.interval.unit == PMK_EVERY_CYCLES ? c->q.interval.length : 0,
		.due = counter_due,
		.tick = take_edge,
		.sampled = c->q.dump.packets || j->pins >= 0 ? take_sampled_edge : NULL,
		.progress = show_progress,
		.ctx = c,
	};
	if (pmk_wave_count_init(&j->count, j->wave, &err))
		return map_failed(c, &err);
	if (j->pins >= 0)
		pmk_ahbmon_unpack_init(&j->unpack, &j->monitor.layout.packet, j->bus);
	return 0;
}

/* Give the AHB Monitor its layout and settings; other PMUs have none. */
static int choose_settings(struct pmk_count *c)
{
	struct dump *j = c->state;
	struct pmk_core core;
	int err;

	if (!is_monitor(c) && c->q.core.set.count)
		return pmk_count_refuse(&c->fault,
					"`set` %s: a dump has no core with this parameter",
					c->q.core.set.word[0]);
	if (!is_monitor(c))
		return pmk_monitor_none(c, c->pmu->name);
	err = pmk_monitor_core(&core, c);
	if (!err)
		err = pmk_monitor_choose(&j->monitor, c, &core);
	j->monitor_pmu = *c->pmu;
	j->monitor_pmu.family = &j->monitor.layout.layout;
	c->pmu = &j->monitor_pmu;
	return err;
}

static int choose_events(struct pmk_count *c)
{
	int err = check_settings(c);

	if (err)
		return err;
	c->state = calloc(1, sizeof(struct dump));
	if (!c->state)
		return pmk_count_no_memory(&c->fault);
	((struct dump *)c->state)->pins = -1;
	err = open_dump(c);
	if (!err)
		err = choose_settings(c);
	if (!err)
		err = choose_packets(c);
	if (!err)
		err = start_counting(c);
	if (!err)
		err = pmk_choose_events(c, default_events, is_watched, false);
	return err ? err : plan_events(c);
}

/* ---- running --------------------------------------------------------------------------------- */

static void set_thresholds(struct dump *j)
{
	const uint32_t *threshold = j->monitor.config.threshold;

	pmk_wave_count_thresholds(&j->count, threshold);
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		j->unpack.layer[i].threshold = threshold[PMK_AHBMON_OVER_ARMI + i];
	j->unpack.gxi.threshold[PMK_GXI_WAIT_DATA] = threshold[PMK_AHBMON_OVER_GXI_RD_D];
}

static int open_packets(struct pmk_count *c)
{
	struct dump *j = c->state;
	char unit[64];

	if (!c->q.dump.packets)
		return 0;
	pmk_wave_time_text(j->wave, 1, unit, sizeof(unit));
	return pmk_packets_open(&j->packets, c->q.dump.packets, &j->monitor.layout.packet, unit,
				&c->fault);
}

static int start_session(struct pmk_count *c)
{
	const struct pmk_model_ops *ops = is_amba(c) ? NULL : pmk_model_find(c->pmu);
	struct dump *j = c->state;
	int err;

	if (!ops)
		return 0;
	if (ops->size > sizeof(j->model[0]))
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "the model of %s is too large",
				      c->pmu->name);
	for (unsigned i = 0; i < j->plan.npasses; i++) {
		j->to_model[i] = (struct pmk_model_port){
			.ops = ops,
			.model = j->model[i],
			.bus = j->bus,
			.mode = PMK_MODE_PRIV,
		};
		ops->reset(j->model[i], j->bus, c->pmu);
		j->port[i] = pmk_port_model(&j->to_model[i]);
	}
	pmk_reading_init(&j->last);
	err = pmk_session_open(&j->session, c->pmu, &j->plan, j->port);
	for (unsigned i = 0; !err && is_monitor(c) && i < j->plan.npasses; i++)
		err = pmk_ahbmon_configure(&j->session.pass[i].dev, &j->monitor.config);
	if (!err && is_monitor(c))
		set_thresholds(j);
	if (!err)
		err = pmk_session_start(&j->session);
	/* Discard what was counted while the counters were started: it is not part of the dump. */
	if (!err)
		err = pmk_session_forget(&j->session);
	return err ? pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s: %s", c->pmu->name,
				    pmk_strerror(err))
		   : 0;
}

/* Read all counters because one of them may be about to wrap, and let the models set their horizon
 * again. */
static int counter_due(void *ctx)
{
	struct pmk_count *c = ctx;
	struct dump *j = c->state;

	j->err = j->err ? j->err : pmk_session_poll(&j->session);
	for (unsigned b = 0; b < PMK_AHBMON_NBUSES; b++)
		pmk_bus_forget(&j->bus[b]);
	for (unsigned i = 0; i < j->plan.npasses; i++)
		j->to_model[i].ops->ask(j->model[i], j->bus);
	return j->err;
}

static bool is_burst_of(const struct pmk_layer *layer, const struct pmk_event *ev)
{
	for (unsigned i = 0; layer->burst[i]; i++)
		if (layer->burst[i] == ev)
			return true;
	return false;
}

/* Facts about the bursts of a layer, from its signals or from packets. */
struct bursts {
	const struct pmk_layer *layer;
	const struct pmk_bus *bus;
	const uint64_t *base; /* totals at the beginning; NULL: all 0 */
	uint64_t begun;	      /* bursts that are counted by now, or that no counter will count */
	uint64_t x;	      /* of these, the bursts with HBURST x or z */
};

/* Fill in the bursts of this monitor's layer. Returns false if the layer is not counted. */
static bool bursts_of(const struct dump *j, unsigned monitor, struct bursts *b)
{
	const struct pmk_ahbmon_unpack_layer *u = &j->unpack.layer[monitor - PMK_AHBMON_BUS_ARMI];

	*b = (struct bursts){ .layer = &pmk_ahbmon_layers.layer[monitor - PMK_AHBMON_BUS_ARMI],
			      .bus = &j->bus[monitor] };
	for (unsigned i = 0; i < j->count.nwatched; i++) {
		const struct pmk_wave_watched *l = &j->count.watched[i];

		if (l->layer->monitor != monitor)
			continue;
		b->base = l->observer.base;
		b->begun = l->observer.first_beat;
		b->x = l->observer.burst_undecided;
		return true;
	}
	b->begun = u->bursts - (u->open && !u->typed);
	return j->pins >= 0 && u->coded;
}

/* Returns the number of bursts that have begun on a layer so far and that no counter counts. If
 * the map lacks a signal for a counter of bursts, that counter has no value, and the number is
 * not known. */
static struct uncounted uncounted_of(const struct bursts *b)
{
	struct uncounted u = { .x = b->x };
	uint64_t counted = 0;

	for (unsigned i = 0; b->layer->burst[i]; i++) {
		unsigned sig = b->layer->burst[i]->signal;

		if (!pmk_bus_raises(b->bus, sig))
			return (struct uncounted){ .kind = 0 };
		counted += b->bus->total[sig] - (b->base ? b->base[sig] : 0);
	}
	u.kind = b->begun - u.x - counted;
	return u;
}

/* Mark counts of bursts if some bursts since the last interval were in none of the counters,
 * because a mean over these counts would be wrong. */
static void mark_gaps(struct pmk_count *c, struct pmk_section *s)
{
	struct dump *j = c->state;
	struct bursts b;

	for (unsigned m = PMK_AHBMON_BUS_ARMI; m <= PMK_AHBMON_BUS_ARMD && is_monitor(c); m++) {
		struct uncounted now, *last = &j->uncounted[m];
		const char *gap;

		if (!bursts_of(j, m, &b))
			continue;
		now = uncounted_of(&b);
		gap = now.kind != last->kind ? "the layer had bursts of kinds that no counter "
					       "counts"
		      : now.x != last->x     ? "the layer had bursts with HBURST x or z"
					     : NULL;
		*last = now;
		for (unsigned r = 0; gap && r < s->nrows; r++)
			if (is_burst_of(b.layer, s->rows[r].event))
				s->rows[r].gap = gap;
	}
}

/* Returns the frequency of the map's clock so far. 0: not known, because the events count cycles
 * of another clock, or because edges were lost while the dump was off. */
static double clock_hz(const struct dump *j)
{
	double seconds = pmk_wave_seconds(j->wave, j->findings.last - j->findings.first);

	if (j->findings.edges < 2 || !(seconds > 0) || j->count.own_cycles ||
	    j->findings.warning[PMK_WAVE_DUMP_OFF].count)
		return 0;
	return (double)(j->findings.edges - 1) / seconds;
}

/* Put the totals of a session into the rows. */
static void set_values(struct dump *j, struct pmk_section *s, const struct pmk_reading *counts)
{
	for (unsigned i = 0; i < j->plan.nevents; i++) {
		struct pmk_row *row = &s->rows[j->event_of[i]];

		row->value = counts->total[i];
		if (pmk_session_wrapped(&j->session, i))
			row->trust = PMK_TRUST_WRAPPED;
	}
}

static struct pmk_section *add_section(struct pmk_count *c)
{
	struct dump *j = c->state;
	struct pmk_section *s = pmk_result_add(&c->result, NULL, c->events.count);

	for (unsigned i = 0; s && i < c->events.count; i++) {
		pmk_choose_row(c, i, PMK_TRUST_MEASURED, &s->rows[i]);
		if (!c->reason[i])
			s->rows[i].reason = remark_of(c, c->events.item[i].event);
	}
	c->result.clock_hz = clock_hz(j);
	return s;
}

/* Add a section with the counts of "amba", in an interval or the whole run. */
static struct pmk_section *add_amba_section(struct pmk_count *c, bool interval)
{
	struct dump *j = c->state;
	struct pmk_section *s = add_section(c);

	for (unsigned i = 0; s && i < s->nrows; i++)
		if (!c->reason[i] && pmk_amba_row(&j->amba, &j->count, interval, &s->rows[i]))
			return NULL;
	if (interval)
		pmk_amba_mark(&j->amba, &j->count);
	return s;
}

/* Add a section with the counts of the session, since the last interval or for the whole run. */
static struct pmk_section *add_session_section(struct pmk_count *c, bool interval)
{
	struct dump *j = c->state;
	struct pmk_reading now, delta;
	struct pmk_section *s;
	int err = pmk_reading_take(&now, &j->session);

	j->err = j->err ? j->err : err;
	delta = now;
	if (interval) {
		pmk_reading_since(&delta, &now, &j->last);
		j->last = now;
	}
	s = add_section(c);
	if (!s)
		return NULL;
	set_values(j, s, &delta);
	mark_gaps(c, s);
	return s;
}

/* Add the section of the PMU in use. NULL: out of memory. */
static struct pmk_section *add_counts(struct pmk_count *c, bool interval)
{
	return is_amba(c) ? add_amba_section(c, interval) : add_session_section(c, interval);
}

/* Set the runtime of a section, in the dump's time. */
static void set_runtime(const struct pmk_count *c, struct pmk_section *s, uint64_t time)
{
	struct dump *j = c->state;
	double ns = pmk_wave_seconds(j->wave, time) * 1e9;

	for (unsigned i = 0; i < s->nrows; i++)
		s->rows[i].runtime_ns = c->reason[i] ? 0 : (uint64_t)(ns + 0.5);
}

static int add_interval(struct pmk_count *c, uint64_t time)
{
	struct dump *j = c->state;
	struct pmk_section *s = add_counts(c, true);

	if (!s)
		return pmk_count_no_memory(&c->fault);
	s->interval = true;
	s->at_cycles = j->edges;
	s->at_seconds = pmk_wave_seconds(j->wave, time - j->findings.begin);
	set_runtime(c, s, time - j->last_time);
	j->last_time = time;
	pmk_count_report(c);
	return 0;
}

static int take_edge(void *ctx, const struct pmk_wave_edge *edge)
{
	struct pmk_count *c = ctx;
	struct dump *j = c->state;

	j->edges = edge->number + 1;
	j->failed = pmk_count_begin(c);
	if (!j->failed)
		j->failed = add_interval(c, edge->time);
	return j->failed ? j->failed : j->err;
}

static int run_dump(struct pmk_count *c)
{
	struct dump *j = c->state;
	int status, err = start_session(c);

	if (!err)
		err = open_packets(c);
	if (err)
		return err;
	c->result.command = strdup(c->q.target.where);
	c->result.runs = 1;
	c->result.passes = is_amba(c) ? 0 : j->plan.npasses; /* 0: nothing is programmed */
	status = pmk_wave_count_run(&j->count, &j->findings);
	j->edges = j->findings.edges;
	if (j->pins >= 0)
		pmk_ahbmon_unpack_end(&j->unpack, j->bus);
	if (j->failed)
		return j->failed;
	err = pmk_packets_close(&j->packets, status >= 0, &c->fault);
	if (err)
		return err;
	/* A stop request after the end of the dump did not interrupt anything. */
	c->interrupted = j->findings.stopped ? pmk_count_stopped(c) : 0;
	c->result.partial = status != 0;
	if (status < 0)
		return wave_failed(c, &j->findings.error);
	return j->err ? pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s: %s", c->pmu->name,
				       pmk_strerror(j->err))
		      : 0;
}

/* ---- notes and warnings about the whole run -------------------------------------------------- */

static void warn_of_oddities(struct pmk_count *c)
{
	struct dump *j = c->state;

	for (unsigned i = 0; i < PMK_WAVE_NODDITIES; i++) {
		const struct pmk_wave_warning *w = &j->findings.warning[i];
		char when[64];

		if (!w->count)
			continue;
		pmk_wave_time_text(j->wave, w->time, when, sizeof(when));
		pmk_count_warn(c, "%s: %" PRIu64 " times, first at %s: %s", pmk_wave_oddity_text(i),
			       w->count, when, w->signal);
	}
}

/* Warn that events outside the layers and AXI interfaces of the map were left out, because "amba"
 * counts only these. */
static void warn_of_left_out(struct pmk_count *c)
{
	struct dump *j = c->state;

	if (is_amba(c) && has_part(&j->map, PMK_WAVE_GXI))
		pmk_count_warn(c, "%s does not count the GXI of the map; `pmu` %s does",
			       pmk_amba_name, pmk_ahbmon.name);
	if (is_amba(c) &&
	    (has_part(&j->map, PMK_WAVE_EVNTBUS) || has_part(&j->map, PMK_WAVE_SIGNAL)))
		pmk_count_warn(c,
			       "%s does not count [evntbus] and [events] of the map; `pmu` NAME "
			       "counts them, if NAME is their PMU",
			       pmk_amba_name);
}

/* Warn of transactions that were seen without a latency, or not seen at all. */
static void warn_of_untimed(struct pmk_count *c)
{
	struct dump *j = c->state;

	for (unsigned i = 0; i < 2 * j->count.naxi; i++) {
		const struct pmk_wave_watched_axi *a = &j->count.axi[i / 2];
		const struct pmk_axi_side *s = &a->observer.side[i % 2];
		const char *what = i % 2 == PMK_AXI_READ ? "reads" : "writes";

		if (s->untimed)
			pmk_count_warn(c,
				       "%" PRIu64 " %s of %s were not timed: an x hid their "
				       "IDs, a reset or $dumpoff interrupted them, or more than "
				       "%u were outstanding",
				       s->untimed, what, a->axi->name, PMK_AXI_MOST_PENDING);
		if (i % 2 == PMK_AXI_READ && pmk_amba_lost_beats(a))
			pmk_count_warn(
				c,
				"%s has %" PRIu64 " beats of read data more than addresses, so "
				"it has bursts: the latencies of its reads are wrong, because "
				"the map has neither rlast nor arlen",
				a->axi->name, s->strays);
		else if (s->strays)
			pmk_count_warn(c,
				       "%" PRIu64
				       " responses to %s of %s whose addresses are not in "
				       "the dump",
				       s->strays, what, a->axi->name);
	}
}

/* Warn of cycles whose packets have codes that the layout does not define. */
static void warn_of_packets(struct pmk_count *c)
{
	struct dump *j = c->state;

	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS && j->pins >= 0; i++)
		if (j->unpack.layer[i].unknown)
			pmk_count_warn(c,
				       "%" PRIu64 " cycles of %s were not counted, because they "
				       "have x or a code that the layout does not have",
				       j->unpack.layer[i].unknown, pmk_ahbmon_layers.layer[i].name);
}

/* Warn that some bursts were not counted, for users who add bursts up or want their mean. */
static void warn_of_uncounted(struct pmk_count *c)
{
	struct dump *j = c->state;
	struct bursts b;

	for (unsigned m = PMK_AHBMON_BUS_ARMI; m <= PMK_AHBMON_BUS_ARMD && is_monitor(c); m++) {
		bool asked = false;
		uint64_t n;

		if (!bursts_of(j, m, &b))
			continue;
		n = uncounted_of(&b).kind;
		for (unsigned e = 0; e < c->events.count; e++)
			asked |= is_burst_of(b.layer, c->events.item[e].event);
		if (n && asked)
			pmk_count_warn(c,
				       "%" PRIu64 " of %" PRIu64 " bursts on %s are of kinds "
				       "that it has no counter for: there is no mean over its "
				       "bursts",
				       n, b.begun, b.layer->name);
	}
}

static int describe_result(struct pmk_count *c)
{
	struct dump *j = c->state;
	const char *sum = pmk_wave_count_check(&j->count);
	char began[64], ended[64], reset[64] = "";

	if (j->count.in_reset.count)
		snprintf(reset, sizeof(reset), " (%" PRIu64 " of them in reset)",
			 j->count.in_reset.count);
	pmk_wave_time_text(j->wave, j->findings.first, began, sizeof(began));
	pmk_wave_time_text(j->wave, j->findings.last, ended, sizeof(ended));
	if (asprintf(&c->result.producer,
		     "the signals of a dump (%s), %" PRIu64 " cycles%s from %s to %s",
		     pmk_wave_format(j->wave), j->findings.edges, reset, began, ended) < 0)
		c->result.producer = NULL;
	if (j->findings.error.code)
		pmk_count_warn(c, "%s; only what came before is counted", j->findings.error.text);
	else if (c->interrupted)
		pmk_count_warn(c, "interrupted: the counts end there");
	if (!(pmk_wave_seconds(j->wave, 1) > 0))
		pmk_count_warn(
			c,
			"the dump has no $timescale of 1, 10 or 100 s, ms, us, ns, ps or fs: its "
			"times are numbers without a unit, and no seconds are known "
			"(`interval`: 0)");
	if (sum)
		pmk_count_warn(c, "pmk's check of its own counts failed: %s; please report this",
			       sum);
	warn_of_oddities(c);
	warn_of_uncounted(c);
	warn_of_left_out(c);
	warn_of_untimed(c);
	warn_of_packets(c);
	/* A dump that ends early is a failure, although its counts so far are shown. */
	c->result.exit_status = j->findings.error.code ? PMK_COUNT_FAILED << 8 : c->interrupted;
	return 0;
}

static int finish_run(struct pmk_count *c)
{
	struct dump *j = c->state;
	struct pmk_section *s;
	int err;

	/* Add the remainder after the last whole interval, if there is one. */
	if (c->q.interval.unit != PMK_EVERY_NONE) {
		err = j->edges % c->q.interval.length ? add_interval(c, j->findings.last) : 0;
		if (err || !c->q.interval.summary)
			return err;
	}
	s = add_counts(c, false);
	if (!s)
		return pmk_count_no_memory(&c->fault);
	if (j->err)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s: %s", c->pmu->name,
				      pmk_strerror(j->err));
	set_runtime(c, s, j->findings.last - j->findings.begin);
	pmk_count_report(c);
	return 0;
}

const struct pmk_count_way pmk_way_wave = {
	.name = "wave",
	.where = "FILE",
	.brief = "a waveform dump (VCD, FST): counts the signals that a map names",
	.choose = choose_events,
	.run = run_dump,
	.describe = describe_result,
	.finish = finish_run,
	.free = free_dump,
};
