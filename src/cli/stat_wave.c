// SPDX-License-Identifier: MIT
/*
 * pmk stat -T wave:FILE --map MAP: counters on the signals of a waveform dump. The dump is read once;
 * each programming of the PMU is a model of its own on the same buses, driven by the real driver, as in
 * emulation.
 *
 * The PMU: --pmu, else the AHB Monitor where the map has layers or a GXI, else the core whose EVNTBUS it has.
 * -I counts active edges of the map's clock, those in reset included.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahbmon.h>
#include <pmk/ahbmon_model.h>
#include <pmk/model.h>
#include <pmk/reading.h>
#include <pmk/wave.h>

#include "cli/cli.h"
#include "cli/stat.h"
#include "cli/wave.h"
#include "pmu/ahbmon/layers.h"
#include "pmu/ahbmon/regs.h"
#include "producer/wave/run.h"
#include "session/emulated.h"

struct wave_job {
	struct pmk_wave *wave;
	struct pmk_wave_map map;
	struct pmk_wave_count count;
	struct pmk_wave_report report;
	struct cli_wave_progress progress;
	struct pmk_pmu monitor;		       /* with its layout */
	struct pmk_bus bus[PMK_AHBMON_NBUSES]; /* of the monitor; of a core: the first */
	struct pmk_session session;
	struct pmk_model_port to_model[PMK_MAX_PASSES];
	struct pmk_port port[PMK_MAX_PASSES];
	uint64_t model[PMK_MAX_PASSES][PMK_MODEL_BYTES / 8];
	struct pmk_reading last; /* at the end of the last interval */
	uint64_t last_time;	 /* of it, in the dump */
	uint64_t edges;		 /* so far */
	/* Bursts that no counter of their layer's monitor takes, and at the end of the last interval. */
	struct uncounted {
		uint64_t kind; /* HBURST is one that it has no counter for */
		uint64_t x;    /* HBURST was x or z */
	} uncounted[PMK_AHBMON_NBUSES];
	int err; /* first error of the driver */
};

static volatile int interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

void wave_job_free(struct wave_job *j)
{
	if (!j)
		return;
	pmk_wave_count_free(&j->count);
	pmk_wave_map_free(&j->map);
	pmk_wave_close(j->wave);
	free(j);
}

/* ---- what is counted -------------------------------------------------------------------------- */

static bool is_monitor(const struct job *job)
{
	return job->pmu->driver == pmk_ahbmon.driver;
}

static bool has_part(const struct pmk_wave_map *map, enum pmk_wave_part part)
{
	for (unsigned i = 0; i < map->nslots; i++)
		if (map->slot[i].part == part)
			return true;
	return false;
}

static const struct pmk_pmu *pmu_of_map(const struct pmk_wave_map *map)
{
	if (map->nlayers || has_part(map, PMK_WAVE_GXI))
		return &pmk_ahbmon;
	return map->core ? pmk_pmu_find(map->core) : NULL;
}

static int choose_pmu(struct job *job, const struct pmk_wave_map *map)
{
	const char *name = job->q->pmu_name;

	job->pmu = name ? pmk_pmu_find(name) : pmu_of_map(map);
	if (!job->pmu && name)
		return cli_fail(PMK_EXIT_USAGE, "unknown PMU '%s' (pmk list pmus)", name);
	if (!job->pmu)
		return cli_fail(
			PMK_EXIT_USAGE,
			"%s has neither layers nor the EVNTBUS of a core: say with --pmu what "
			"counts its events",
			map->file);
	if (!is_monitor(job) && !has_part(map, PMK_WAVE_EVNTBUS) && !has_part(map, PMK_WAVE_SIGNAL))
		return cli_fail(PMK_EXIT_USAGE,
				"%s has nothing for %s: neither [events] nor [evntbus]", map->file,
				job->pmu->name);
	if (!pmk_model_find(job->pmu))
		return cli_fail(PMK_EXIT_USAGE, "there is no model of %s", job->pmu->name);
	return 0;
}

/* The bus that an event is counted on. */
static const struct pmk_bus *bus_of(const struct job *job, const struct pmk_event *ev)
{
	return &job->wave_job->bus[is_monitor(job) ? pmk_ahbmon_bus_of[ev->code] : 0];
}

#define NO_CAUSE "the layer has no cause in the map: waits on first beats all count as the slave's"

/* Does the map tell why the layer of an event waits? Without it there is nothing to tell apart. */
static bool has_cause(const struct job *job, const struct pmk_event *ev)
{
	const struct pmk_wave_count *c = &job->wave_job->count;

	for (unsigned i = 0; i < c->nwatched; i++)
		if (c->watched[i].bus == bus_of(job, ev))
			return c->watched[i].slot[PMK_WAVE_CAUSE] >= 0;
	return false;
}

/* Why an event cannot be counted, or NULL. */
static const char *not_counted_because(const struct job *job, const struct pmk_event_request *req)
{
	const struct pmk_event *ev = req->event;
	const struct pmk_bus *bus = bus_of(job, ev);

	if (req->user != req->kernel)
		return "privileged and user mode are not told apart in a dump";
	if (is_monitor(job) && pmk_ahbmon_bus_of[ev->code] == PMK_AHBMON_BUS_HCLK)
		return NULL;
	if (!pmk_bus_raises(bus, ev->signal) ||
	    (ev->signal2 != PMK_SIG_NONE && !pmk_bus_raises(bus, ev->signal2)))
		return "the map has no signal that tells it";
	if (ev->signal == PMK_SIG_AHB_WAIT_FIRST_BUS && !has_cause(job, ev))
		return NO_CAUSE;
	return NULL;
}

/* What a reader has to know of a count, or NULL. */
static const char *remark(const struct job *job, const struct pmk_event *ev)
{
	if (ev->latency)
		return "counted, not timed: a dump does not tell how long it took";
	if (ev->signal == PMK_SIG_AHB_WAIT_FIRST_SLAVE && !has_cause(job, ev))
		return NO_CAUSE;
	return NULL;
}

static bool watched(const struct job *job, const struct pmk_event *ev)
{
	return !not_counted_because(job, &(struct pmk_event_request){ .event = ev });
}

/* Everything that the map lets be seen. */
static int default_events(struct job *job)
{
	for (unsigned i = 0; i < job->pmu->nevents; i++) {
		const struct pmk_event *ev = &job->pmu->events[i];
		int err = 0;

		if (pmk_pmu_has(job->pmu, ev) && watched(job, ev))
			err = pmk_event_list_add(&job->events, ev, ev->name);
		if (err)
			return err;
	}
	return 0;
}

static int plan_events(struct job *job)
{
	int err;

	for (unsigned i = 0; i < job->events.count; i++) {
		const struct pmk_event_request *req = &job->events.item[i];

		job->reason[i] = not_counted_because(job, req);
		if (job->reason[i])
			continue;
		job->event_of[job->plan.nevents] = i;
		job->plan.event[job->plan.nevents++] = (struct pmk_plan_event){
			.code = req->event->code,
			.group = (uint8_t)req->group,
		};
	}
	err = pmk_plan_make(job->pmu, &job->plan);
	return err ? cli_fail(PMK_EXIT_USAGE, "these events do not fit %s: %s", job->pmu->name,
			      pmk_strerror(err))
		   : 0;
}

/* What makes no sense with a dump. */
static int check(const struct request *q)
{
	if (!q->file)
		return cli_fail(PMK_EXIT_USAGE, "--map and --layer are for -T wave:FILE");
	if (!q->map)
		return cli_fail(
			PMK_EXIT_USAGE,
			"-T wave:%s: --map FILE says which signals are which; 'pmk wave signals "
			"%s' makes one",
			q->file, q->file);
	if (q->command[0])
		return cli_fail(PMK_EXIT_USAGE, "-T wave: a dump is read, no program is run: '%s'",
				q->command[0]);
	if (q->runs > 1 || q->per_core)
		return cli_fail(PMK_EXIT_USAGE, "-T wave: a dump is read once: not with -r or -A");
	if (q->interval_unit != INTERVAL_NONE && q->interval_unit != INTERVAL_CYCLES)
		return cli_fail(PMK_EXIT_USAGE,
				"-T wave: intervals are cycles of the clock: -I %" PRIu64 "cycles",
				q->interval);
	return 0;
}

static int wave_failed(const struct pmk_wave_error *err)
{
	return cli_fail(PMK_EXIT_FAILED, "%s", err->text);
}

/* A map that says the wrong thing is the user's; one that cannot be read is not. */
static int map_failed(const struct pmk_wave_error *err)
{
	return cli_fail(err->code == PMK_EPARSE ? PMK_EXIT_USAGE : PMK_EXIT_FAILED, "%s",
			err->text);
}

static int due(void *ctx);
static int tick(void *ctx, const struct pmk_wave_edge *edge);

static int show_progress(void *ctx, const struct pmk_wave_progress *p)
{
	struct job *job = ctx;

	return cli_wave_progress_show(&job->wave_job->progress, p);
}

static int open_dump(struct job *job)
{
	struct wave_job *j = job->wave_job;
	struct pmk_wave_error err;

	if (pmk_wave_map_load(&j->map, job->q->map, &err))
		return map_failed(&err);
	if (pmk_wave_open(&j->wave, job->q->file, &err))
		return wave_failed(&err);
	if (pmk_wave_bind(j->wave, &j->map, &err))
		return map_failed(&err);
	return choose_pmu(job, &j->map);
}

static int start_counting(struct job *job)
{
	struct wave_job *j = job->wave_job;
	struct pmk_wave_error err;

	for (unsigned i = 0; i < PMK_AHBMON_NBUSES; i++)
		pmk_bus_init(&j->bus[i]);
	j->count = (struct pmk_wave_count){
		.map = &j->map,
		.only = job->q->layer,
		.monitor = is_monitor(job) ? j->bus : NULL,
		.core = is_monitor(job) ? NULL : j->bus,
		.every = job->q->interval_unit == INTERVAL_CYCLES ? job->q->interval : 0,
		.due = due,
		.tick = tick,
		.progress = show_progress,
		.ctx = job,
	};
	return pmk_wave_count_init(&j->count, j->wave, &err) ? map_failed(&err) : 0;
}

/* The AHB Monitor with the layout that was asked for. */
static int choose_settings(struct job *job)
{
	struct wave_job *j = job->wave_job;
	struct pmk_core core;
	int err;

	if (!is_monitor(job) && job->q->overrides.count)
		return cli_fail(PMK_EXIT_USAGE,
				"--set %s: a dump has no core whose parameter it is",
				job->q->overrides.word[0]);
	if (!is_monitor(job))
		return stat_no_monitor(job, job->pmu->name);
	err = stat_monitor_core(&core, &job->q->overrides);
	if (!err)
		err = stat_monitor(job, &core);
	j->monitor = *job->pmu;
	j->monitor.family = &job->layout.layout;
	job->pmu = &j->monitor;
	return err;
}

static int choose(struct job *job)
{
	int err = check(job->q);

	if (err)
		return err;
	job->wave_job = calloc(1, sizeof(*job->wave_job));
	if (!job->wave_job)
		return cli_fail(PMK_EXIT_FAILED, "out of memory");
	err = open_dump(job);
	if (!err)
		err = choose_settings(job);
	if (!err)
		err = start_counting(job);
	if (!err)
		err = stat_choose_events(job, default_events, watched);
	return err ? err : plan_events(job);
}

/* ---- running ---------------------------------------------------------------------------------- */

static int start_session(struct job *job)
{
	const struct pmk_model_ops *ops = pmk_model_find(job->pmu);
	struct wave_job *j = job->wave_job;
	int err;

	if (ops->size > sizeof(j->model[0]))
		return cli_fail(PMK_EXIT_FAILED, "the model of %s is too large", job->pmu->name);
	for (unsigned i = 0; i < job->plan.npasses; i++) {
		j->to_model[i] = (struct pmk_model_port){
			.ops = ops,
			.model = j->model[i],
			.bus = j->bus,
			.mode = PMK_MODE_PRIV,
		};
		ops->reset(j->model[i], j->bus, job->pmu);
		j->port[i] = pmk_port_model(&j->to_model[i]);
	}
	pmk_reading_init(&j->last);
	err = pmk_session_open(&j->session, job->pmu, &job->plan, j->port);
	for (unsigned i = 0; !err && is_monitor(job) && i < job->plan.npasses; i++)
		err = pmk_ahbmon_configure(&j->session.pass[i].dev, &job->monitor_config);
	if (!err && is_monitor(job))
		pmk_wave_count_thresholds(&j->count, job->monitor_config.threshold);
	if (!err)
		err = pmk_session_start(&j->session);
	/* What starting takes is not in the dump. */
	if (!err)
		err = pmk_session_forget(&j->session);
	return err ? cli_fail(PMK_EXIT_FAILED, "%s: %s", job->pmu->name, pmk_strerror(err)) : 0;
}

/* A counter may be about to wrap: read them all, and have the models ask anew. */
static int due(void *ctx)
{
	struct job *job = ctx;
	struct wave_job *j = job->wave_job;

	j->err = j->err ? j->err : pmk_session_poll(&j->session);
	for (unsigned b = 0; b < PMK_AHBMON_NBUSES; b++)
		pmk_bus_forget(&j->bus[b]);
	for (unsigned i = 0; i < job->plan.npasses; i++)
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

static const struct pmk_layer *layer_on(const struct pmk_wave_watched *l)
{
	return &pmk_ahbmon_layers.layer[l->layer->monitor - PMK_AHBMON_BUS_ARMI];
}

/* What has begun on a layer so far and is in none of its counters of bursts. Where the map leaves out one of
 * these counters nothing can be concluded: the counter says so itself. */
static struct uncounted uncounted_on(const struct pmk_wave_watched *l)
{
	const struct pmk_layer *layer = layer_on(l);
	struct uncounted u = { .x = l->observer.burst_undecided };
	uint64_t counted = 0;

	for (unsigned i = 0; layer->burst[i]; i++) {
		unsigned sig = layer->burst[i]->signal;

		if (!pmk_bus_raises(l->bus, sig))
			return (struct uncounted){ .kind = 0 };
		counted += l->bus->total[sig] - l->observer.base[sig];
	}
	u.kind = l->observer.first_beat - u.x - counted;
	return u;
}

/* Counts of bursts that are not all there were since the last interval: no mean can be taken over them. */
static void mark_gaps(struct job *job, struct pmk_section *s)
{
	struct wave_job *j = job->wave_job;

	for (unsigned i = 0; i < j->count.nwatched && is_monitor(job); i++) {
		const struct pmk_wave_watched *l = &j->count.watched[i];
		struct uncounted now = uncounted_on(l), *last = &j->uncounted[l->layer->monitor];
		const char *gap = now.kind != last->kind
					  ? "the layer had bursts of kinds it has no counter for"
				  : now.x != last->x ? "the layer had bursts with HBURST x or z"
						     : NULL;

		*last = now;
		for (unsigned r = 0; gap && r < s->nrows; r++)
			if (is_burst_of(layer_on(l), s->rows[r].event))
				s->rows[r].gap = gap;
	}
}

/* Of the map's clock so far, where that is what a cycle is; 0: not known, as when edges were lost because the
 * dump was off. */
static double clock_hz(const struct wave_job *j)
{
	double seconds = pmk_wave_seconds(j->wave, j->report.last - j->report.first);

	if (j->report.edges < 2 || !(seconds > 0) || j->count.own_cycles ||
	    j->report.warning[PMK_WAVE_DUMP_OFF].count)
		return 0;
	return (double)(j->report.edges - 1) / seconds;
}

static struct pmk_section *add_section(struct job *job, const struct pmk_reading *counts)
{
	struct pmk_section *s = pmk_result_add(&job->result, NULL, job->events.count);

	for (unsigned i = 0; s && i < job->events.count; i++) {
		report_row(job, i, PMK_TRUST_MEASURED, &s->rows[i]);
		if (!job->reason[i])
			s->rows[i].reason = remark(job, job->events.item[i].event);
	}
	for (unsigned i = 0; s && i < job->plan.nevents; i++) {
		struct pmk_row *row = &s->rows[job->event_of[i]];

		row->value = counts->total[i];
		if (pmk_session_wrapped(&job->wave_job->session, i))
			row->trust = PMK_TRUST_WRAPPED;
	}
	if (s)
		mark_gaps(job, s);
	job->result.clock_hz = clock_hz(job->wave_job);
	return s;
}

/* How long it was counted, in the time of the dump. */
static void set_runtime(const struct job *job, struct pmk_section *s, uint64_t time)
{
	double ns = pmk_wave_seconds(job->wave_job->wave, time) * 1e9;

	for (unsigned i = 0; i < s->nrows; i++)
		s->rows[i].runtime_ns = job->reason[i] ? 0 : (uint64_t)(ns + 0.5);
}

static int write_interval(struct job *job, uint64_t time)
{
	struct wave_job *j = job->wave_job;
	struct pmk_reading now, delta;
	struct pmk_section *s;
	int err = pmk_reading_take(&now, &j->session);

	j->err = j->err ? j->err : err;
	pmk_reading_since(&delta, &now, &j->last);
	j->last = now;
	s = add_section(job, &delta);
	if (!s)
		return PMK_ENOMEM;
	s->interval = true;
	s->at_cycles = j->edges;
	s->at_seconds = pmk_wave_seconds(j->wave, time - j->report.begin);
	set_runtime(job, s, time - j->last_time);
	j->last_time = time;
	return pmk_writer_section(job->out.writer, &job->result, s);
}

/* An output that cannot be written does not end the run: report_end() rescues what was counted. */
static int tick(void *ctx, const struct pmk_wave_edge *edge)
{
	struct job *job = ctx;

	job->wave_job->edges = edge->number + 1;
	cli_wave_progress_end(&job->wave_job->progress);
	if (!job->out.writer)
		job->write_failed |= report_begin(job) != 0;
	if (job->out.writer)
		job->write_failed |= write_interval(job, edge->time) != 0;
	return job->wave_job->err;
}

static int run(struct job *job)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct wave_job *j = job->wave_job;
	int status, err = start_session(job);

	if (err)
		return err;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	job->result.command = strdup(job->q->file);
	job->result.runs = 1;
	cli_wave_progress_begin(&j->progress, job->q->file);
	j->progress.interrupted = &interrupted;
	status = pmk_wave_count_run(&j->count, &j->report);
	cli_wave_progress_end(&j->progress);
	j->edges = j->report.edges;
	/* After the last change there was nothing left to interrupt. */
	job->interrupted = j->report.stopped ? interrupted : 0;
	job->result.partial = status != 0;
	if (status < 0)
		return wave_failed(&j->report.error);
	return j->err ? cli_fail(PMK_EXIT_FAILED, "%s: %s", job->pmu->name, pmk_strerror(j->err))
		      : 0;
}

/* ---- what is said of the whole ---------------------------------------------------------------- */

static void warn_of_oddities(struct job *job)
{
	struct wave_job *j = job->wave_job;

	for (unsigned i = 0; i < PMK_WAVE_NODDITIES; i++) {
		const struct pmk_wave_warning *w = &j->report.warning[i];
		char when[64];

		if (!w->count)
			continue;
		pmk_wave_time_text(j->wave, w->time, when, sizeof(when));
		pmk_result_warn(&job->result, "%s: %" PRIu64 " times, first at %s: %s",
				pmk_wave_oddity_text(i), w->count, when, w->signal);
	}
}

/* For whoever adds bursts up, or wants their mean. */
static void warn_of_uncounted(struct job *job)
{
	const struct pmk_wave_count *c = &job->wave_job->count;

	for (unsigned i = 0; i < c->nwatched && is_monitor(job); i++) {
		const struct pmk_layer *layer = layer_on(&c->watched[i]);
		uint64_t n = uncounted_on(&c->watched[i]).kind;
		bool asked = false;

		for (unsigned e = 0; e < job->events.count; e++)
			asked |= is_burst_of(layer, job->events.item[e].event);
		if (n && asked)
			pmk_result_warn(&job->result,
					"%" PRIu64 " of %" PRIu64
					" bursts on %s are of kinds it has no counter "
					"for: no mean over its bursts",
					n, c->watched[i].observer.first_beat, layer->name);
	}
}

static void describe(struct job *job)
{
	struct wave_job *j = job->wave_job;
	const char *sum = pmk_wave_count_check(&j->count);
	char began[64], ended[64], reset[64] = "";

	if (j->count.in_reset.count)
		snprintf(reset, sizeof(reset), " (%" PRIu64 " of them in reset)",
			 j->count.in_reset.count);
	pmk_wave_time_text(j->wave, j->report.first, began, sizeof(began));
	pmk_wave_time_text(j->wave, j->report.last, ended, sizeof(ended));
	if (asprintf(&job->result.producer,
		     "the signals of a dump (%s), %" PRIu64 " cycles%s from %s to %s",
		     pmk_wave_format(j->wave), j->report.edges, reset, began, ended) < 0)
		job->result.producer = NULL;
	if (j->report.error.code)
		pmk_result_warn(&job->result, "%s; counted is what came before",
				j->report.error.text);
	else if (job->interrupted)
		pmk_result_warn(&job->result,
				"interrupted: counts are what had been counted by then");
	if (!(pmk_wave_seconds(j->wave, 1) > 0))
		pmk_result_warn(
			&job->result,
			"the dump has no $timescale of 1, 10 or 100 s, ms, us, ns, ps or fs: its "
			"times are numbers without a unit, and no seconds are known (-I: 0)");
	if (sum)
		pmk_result_warn(&job->result, "the cycles of a layer do not add up: %s", sum);
	warn_of_oddities(job);
	warn_of_uncounted(job);
	/* A dump that ends early is a failure of whoever wrote it; what was counted is told. */
	job->result.exit_status = j->report.error.code ? PMK_EXIT_FAILED << 8 : job->interrupted;
}

static int write_sections(struct job *job)
{
	struct pmk_reading now;
	struct pmk_section *s;
	int err;

	/* What came after the last interval, if anything did. */
	if (job->q->interval_unit != INTERVAL_NONE)
		return job->wave_job->edges % job->q->interval
			       ? write_interval(job, job->wave_job->report.last)
			       : 0;
	err = pmk_reading_take(&now, &job->wave_job->session);
	s = add_section(job, &now);
	if (!s)
		return PMK_ENOMEM;
	set_runtime(job, s, job->wave_job->report.last - job->wave_job->report.begin);
	return err ? err : pmk_writer_section(job->out.writer, &job->result, s);
}

static const char *const own_options[] = { "map", "layer", "layout", "set", NULL };

const struct stat_target stat_wave = {
	.name = "wave",
	.file = true,
	.brief = "a waveform dump (VCD, FST): its signals, named by a map, are counted",
	.options = own_options,
	.choose = choose,
	.run = run,
	.describe = describe,
	.write = write_sections,
};
