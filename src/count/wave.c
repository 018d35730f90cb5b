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
#include "count/wave.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/ahbmon/regs.h"

static void free_dump(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;

	pmk_wave_count_free(&j->count);
	pmk_amba_free(&j->amba);
	pmk_packets_close(&j->packets, false, &c->fault);
	pmk_wave_map_free(&j->map);
	pmk_wave_close(j->wave);
	free(j);
}

/* ---- what is counted ------------------------------------------------------------------------- */

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
	struct pmk_wave_counting *j = c->state;

	if (!map->nlayers && !map->naxi)
		return pmk_count_refuse(&c->fault,
					"%s has nothing that %s counts: neither [layer] nor [axi]",
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
		return pmk_count_refuse(
			&c->fault, "%s has nothing that %s counts: neither [events] nor [evntbus]",
			map->file, c->pmu->name);
	if (!pmk_model_find(c->pmu))
		return pmk_count_refuse(&c->fault, "there is no model of %s", c->pmu->name);
	return 0;
}

/* Returns the bus on which an event is counted. */
static const struct pmk_bus *bus_of(const struct pmk_count *c, const struct pmk_event *ev)
{
	struct pmk_wave_counting *j = c->state;

	return &j->bus[is_monitor(c) ? pmk_ahbmon_bus_of[ev->code] : 0];
}

/* True if the map has the signal for the cause of waits on the event's layer. Without that
 * signal, causes cannot be distinguished. */
static bool has_cause(const struct pmk_count *c, const struct pmk_event *ev)
{
	struct pmk_wave_counting *j = c->state;
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
	const struct pmk_wave_counting *j = c->state;
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

const char *pmk_wave_remark(const struct pmk_count *c, const struct pmk_event *ev)
{
	const struct pmk_wave_counting *j = c->state;

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
	struct pmk_wave_counting *j = c->state;

	if (is_amba(c)) {
		for (unsigned i = 0; i < c->events.count; i++)
			c->reason[i] = not_counted_because(c, &c->events.item[i]);
		return 0;
	}
	return pmk_choose_plan(c, not_counted_because, &j->plan, j->event_of);
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
		return pmk_count_refuse(
			&c->fault,
			"`target` wave: intervals are in cycles of the clock; use `interval` "
			"%" PRIu64 "cycles",
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
	struct pmk_wave_counting *j = c->state;
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
	struct pmk_wave_counting *j = c->state;
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
	struct pmk_wave_counting *j = c->state;

	j->pins = is_monitor(c) ? slot_of(&j->map, PMK_WAVE_PACKETS) : -1;
	if (!c->q.dump.packets)
		return 0;
	if (!is_monitor(c))
		return pmk_count_refuse(
			&c->fault,
			"`packets` writes the pins of %s, but %s does the counting; leave "
			"`packets` out",
			pmk_ahbmon.name, c->pmu->name);
	if (j->pins >= 0)
		return pmk_count_refuse(
			&c->fault,
			"`packets`: the dump already has the pins, as [packets] in %s shows; leave "
			"`packets` out",
			j->map.file);
	return 0;
}

static int start_counting(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;
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
	struct pmk_wave_counting *j = c->state;
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
	c->state = calloc(1, sizeof(struct pmk_wave_counting));
	if (!c->state)
		return pmk_count_no_memory(&c->fault);
	((struct pmk_wave_counting *)c->state)->pins = -1;
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

static void set_thresholds(struct pmk_wave_counting *j)
{
	const uint32_t *threshold = j->monitor.config.threshold;

	pmk_wave_count_thresholds(&j->count, threshold);
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		j->unpack.layer[i].threshold = threshold[PMK_AHBMON_OVER_ARMI + i];
	j->unpack.gxi.threshold[PMK_GXI_WAIT_DATA] = threshold[PMK_AHBMON_OVER_GXI_RD_D];
}

static int open_packets(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;
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
	struct pmk_wave_counting *j = c->state;
	int err;

	if (!ops)
		return 0;
	if (ops->size > sizeof(j->model[0]))
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
				      "internal error: the model of %s is larger than its buffer; "
				      "please report this",
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
 * (the distance to the next overflow) again. */
static int counter_due(void *ctx)
{
	struct pmk_count *c = ctx;
	struct pmk_wave_counting *j = c->state;

	j->err = j->err ? j->err : pmk_session_poll(&j->session);
	for (unsigned b = 0; b < PMK_AHBMON_NBUSES; b++)
		pmk_bus_forget(&j->bus[b]);
	for (unsigned i = 0; i < j->plan.npasses; i++)
		j->to_model[i].ops->ask(j->model[i], j->bus);
	return j->err;
}

static int take_edge(void *ctx, const struct pmk_wave_edge *edge)
{
	struct pmk_count *c = ctx;
	struct pmk_wave_counting *j = c->state;

	j->edges = edge->number + 1;
	j->failed = pmk_count_begin(c);
	if (!j->failed)
		j->failed = pmk_wave_interval(c, edge->time);
	return j->failed ? j->failed : j->err;
}

static int run_dump(struct pmk_count *c)
{
	struct pmk_wave_counting *j = c->state;
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

const struct pmk_count_way pmk_way_wave = {
	.name = "wave",
	.where = "FILE",
	.brief = "a waveform dump (VCD, FST): counts the signals that a map names",
	.choose = choose_events,
	.run = run_dump,
	.describe = pmk_wave_describe,
	.finish = pmk_wave_finish,
	.free = free_dump,
};
