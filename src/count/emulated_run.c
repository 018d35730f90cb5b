// SPDX-License-Identifier: MIT
/* Counting in emulation, second part: run the emulator, and take the readings. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/minmax.h"
#include "count/emulated.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handlers.h"
#include "base/tool.h"
#include "count/emulator.h"
#include "count/files.h"

/* ---- questions to the emulator ----------------------------------------------------------- */

#define ANSWER_SECONDS 10 /* an emulator that takes longer to answer is killed */

/*
 * Read the version from the emulator's file if it is there, which takes less time than running a
 * small program. Otherwise start the emulator to ask for it.
 */
static void ask_version(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const char *const words[] = { e->prog.argv.word[0], "--version", NULL };

	memcpy(e->qemu_version, e->prog.qemu.version, sizeof(e->qemu_version));
	if (*e->qemu_version)
		return;
	pmk_tool_start(&e->asked, e->prog.qemu.path, words, PMK_ERRORS_IN_OUTPUT, ANSWER_SECONDS);
}

static void read_version(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	char text[512];

	if (!e->asked.pid)
		return;
	pmk_tool_finish(&e->asked, text, sizeof(text));
	pmk_qemu_version(text, e->qemu_version, sizeof(e->qemu_version));
}

/* ---- the module that fits it ------------------------------------------------------------- */

/* Find the plugin API of the emulator's version. The version must be known and support plugins.
 * Returns 0 or a failure. */
static int find_api(struct pmk_count *c, unsigned *api)
{
	struct pmk_emulation *e = c->state;

	read_version(c);
	if (!*e->qemu_version)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
				      "%s does not behave like QEMU: it does not print its version",
				      e->prog.argv.word[0]);
	*api = pmk_qemu_api(e->qemu_version);
	if (!*api)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
				      "%s %s is too old: plugins need QEMU 6.0 or newer; %s",
				      e->prog.argv.word[0], e->qemu_version,
				      EMULATOR_OTHER_RELEASE);
	return 0;
}

/* Choose the module by the functions that the emulator exports. If these are ambiguous, choose it
 * by the version that the emulator prints. Asking takes longer than a small program runs, so this
 * function waits for the answer only if it is needed. */
static int choose_module(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_qemu *q = &e->prog.qemu;
	const struct pmk_qemu_generation *g = pmk_qemu_generation_of_api(q->api_lowest);
	unsigned api;
	int err;

	ask_version(c);
	e->generation = g;
	if (g && g == pmk_qemu_generation_of_api(q->api_highest))
		return 0;
	err = find_api(c, &api);
	if (!err)
		e->generation = pmk_qemu_generation_of_api(api);
	return err;
}

/*
 * Start the emulator again to learn why it rejected the module, because the first time only the
 * user saw its message. It gets no program, in case it accepts the module this time.
 */
static void ask_why(const struct pmk_count *c, const char *module, char *text, size_t size)
{
	struct pmk_emulation *e = c->state;
	const char *const firmware[] = {
		e->prog.argv.word[0], "-M", "none", "-display", "none", "-plugin", module, NULL
	};
	const char *const program[] = { e->prog.argv.word[0], "-plugin", module, "/dev/null",
					NULL };
	struct pmk_tool tool;

	pmk_tool_start(&tool, e->prog.qemu.path, e->prog.system ? firmware : program,
		       PMK_ERRORS_IN_OUTPUT, ANSWER_SECONDS);
	pmk_tool_finish(&tool, text, size);
}

static int start_failed(struct pmk_count *c, int err)
{
	struct pmk_emulation *e = c->state;

	if (err == PMK_ERANGE)
		return pmk_count_fail(
			&c->fault, PMK_COUNT_FAILED,
			"the limit of the %s is too low: each process reserves %llu KB, of which "
			"little is used; raise the limit to at least this",
			e->runner.limit, (unsigned long long)(e->runner.limit_needed >> 10));
	if (err != PMK_ENOTSUP)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "cannot start the emulator: %s",
				      strerror(errno));
	return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s: %s", e->prog.qemu.path,
			      strerror(errno));
}

static int other_isa(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	return pmk_count_refuse(&c->fault,
				"%s emulates %.*s, and core %s runs %s code; choose another with "
				"`core` (pmk list cores)",
				e->prog.argv.word[0], (int)sizeof(e->runner.arena->target),
				e->runner.arena->target, e->prog.core.name, e->prog.core.isa);
}

/* Choose another module, because the emulator rejected this one. If the emulator asks for a module
 * of another API version, choose that and return 0; otherwise return a failure. */
static int other_module(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_qemu_generation *g;
	char said[2048], other[PATH_MAX];
	unsigned api;
	int err;

	if (atomic_load(&e->runner.arena->other_isa))
		return other_isa(c);
	err = find_api(c, &api);
	if (err)
		return err;
	ask_why(c, e->plugin, said, sizeof(said));
	api = pmk_qemu_asks_for(said);
	g = pmk_qemu_generation_of_api(api);
	if (api && (!g || !pmk_files_plugin(other, c->q.files.plugin, g->module)))
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
				      "%s %s needs a plugin for API version %u, which pmk does not "
				      "have; %s",
				      e->prog.argv.word[0], e->qemu_version, api,
				      EMULATOR_OTHER_RELEASE);
	/* $PMK_PLUGIN may name one file, which is then used for every version. */
	if (g && strcmp(other, e->plugin) != 0 && !e->refused) {
		pmk_count_note(c, "%s %s takes plugins of API version %u: trying %s",
			       e->prog.argv.word[0], e->qemu_version, api, g->module);
		e->generation = g;
		e->refused = true;
		return 0;
	}
	return pmk_count_fail(
		&c->fault, PMK_COUNT_FAILED,
		"%s %s ended before it loaded the plugin %s; its own message says why",
		e->prog.argv.word[0], e->qemu_version, e->plugin);
}

static const char *arena_error(const struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	int err = atomic_load(&e->runner.arena->error);

	return err ? pmk_strerror(err) : NULL;
}

/* The largest number of intervals that can wait in all processes together. */
#define AT_A_TIME (PMK_ARENA_SLOTS * PMK_ARENA_RING)

/* Add the intervals that have ended. All other results are added when the program has ended. */
static int drain_intervals(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	struct pmk_arena_interval interval;
	int err = 0;

	if (c->q.interval.unit == PMK_EVERY_NONE || !atomic_load(&e->runner.arena->ready))
		return 0;
	err = pmk_count_begin(c);
	/* The limit keeps a program that produces intervals faster than they are shown from
	 * blocking this loop. */
	for (unsigned n = 0; n < AT_A_TIME && !err && pmk_runner_interval(&e->runner, &interval);
	     n++)
		err = pmk_emulation_interval(c, &interval);
	return err;
}

static void add_sample(struct pmk_sample *s, uint64_t value)
{
	double delta = (double)value - s->mean;

	s->n++;
	s->sum += value;
	s->mean += delta / s->n;
	s->m2 += delta * ((double)value - s->mean);
}

/* Add the latencies of a part of the plan to the latencies of the whole plan. */
static void collect_latencies(struct pmk_count *c, struct pmk_counted_place *p,
			      const struct pmk_reading *counts, unsigned first, unsigned count)
{
	struct pmk_emulation *e = c->state;
	unsigned part = 0;

	for (unsigned i = first; i < first + count; i++) {
		int l = pmk_reading_find_latency(&e->plan, c->pmu, i);

		if (l >= 0)
			pmk_reading_add_latency(&p->counts.latency[l], &counts->latency[part++]);
	}
}

static void collect_place(struct pmk_count *c, struct pmk_counted_place *p,
			  const struct pmk_reading *counts, const bool *wrapped, unsigned first,
			  unsigned count)
{
	struct pmk_emulation *e = c->state;

	for (unsigned i = 0; i < count; i++) {
		unsigned event = e->event_of[first + i];

		add_sample(&p->value[event], counts->total[i]);
		p->wrapped[event] |= wrapped[i];
	}
	collect_latencies(c, p, counts, first, count);
}

/* Keep the widest margin of several runs. */
static void collect_margins(const struct pmk_emulation *e, struct pmk_counted_place *p,
			    unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		double *margin2 = &p->margin2[e->event_of[first + i]];

		*margin2 = pmk_max(*margin2, e->runner.sum.margin2[PMK_UNITS_EVENTS + i]);
	}
}

/* Returns the number of places that a run can have. */
static unsigned place_count(const struct pmk_count *c)
{
	return c->q.scope.per_core ? PMK_ARENA_CPUS : 1 + c->q.scope.regions.count;
}

/* Add a count of 0 for a core that other runs used and this run did not. */
static void collect_nothing(const struct pmk_emulation *e, struct pmk_counted_place *p,
			    unsigned first, unsigned count)
{
	for (unsigned i = first; i < first + count; i++)
		add_sample(&p->value[e->event_of[i]], 0);
}

/* Add the runner's sums to the places. The sums belong to the plan's events [first, first +
 * count). */
static void collect_counts(struct pmk_count *c, unsigned first, unsigned count)
{
	struct pmk_emulation *e = c->state;
	const struct pmk_runner *r = &e->runner;
	const struct pmk_runner_counts *sum = &r->sum;

	for (unsigned i = 0; i < place_count(c); i++) {
		struct pmk_counted_place *p = &e->places[i];
		unsigned region = (unsigned)e->cfg.window + (i - 1);

		if (p->cpu >= (int)r->ncores) {
			collect_nothing(e, p, first, count);
		} else if (p->cpu >= 0) {
			collect_place(c, p, &r->core[p->cpu].total, r->core[p->cpu].wrapped, first,
				      count);
		} else if (p->region) {
			collect_place(c, p, &sum->region[region], sum->wrapped, first, count);
			p->entries = sum->entries[region];
		} else {
			collect_place(c, p, &sum->total, sum->wrapped, first, count);
			collect_margins(e, p, first, count);
		}
	}
}

static int make_places(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	unsigned n = place_count(c);

	if (!c->q.scope.per_core)
		e->nplaces = n;
	else if (e->nplaces < e->runner.ncores) /* runs may use different numbers of cores */
		e->nplaces = e->runner.ncores;
	if (e->places)
		return 0;
	e->places = calloc(n, sizeof(*e->places));
	if (!e->places)
		return pmk_count_no_memory(&c->fault);
	for (unsigned i = 0; i < n; i++) {
		pmk_reading_init(&e->places[i].counts);
		e->places[i].cpu = c->q.scope.per_core ? (int)i : -1;
		if (!c->q.scope.per_core && i > 0)
			e->places[i].region = c->q.scope.regions.word[i - 1];
	}
	return 0;
}

#define LOOK_SECONDS 0.2

/* Report progress to the listener if a report is due. */
static void report_progress(const struct pmk_count *c, double *last)
{
	const struct pmk_emulation *e = c->state;
	double now = pmk_seconds(), hz = (double)e->prog.core.clock_hz;
	uint64_t cycles, insns;

	if (!c->listener.running || now - *last < LOOK_SECONDS)
		return;
	*last = now;
	pmk_runner_look(&e->runner, &cycles, &insns);
	c->listener.running(c->listener.ctx, hz > 0 ? (double)cycles / hz : 0, insns);
}

/* Wait until the program ends. After an interrupt by the user, or at the time limit, end the
 * program if it does not end by itself. */
static int wait_for_end(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	double since = 0, end = pmk_seconds() + (double)c->q.run.timeout_ms / 1000;
	int sent = 0, err = 0;
	bool up = false; /* true when the time limit of this run has been reached */
	double told = pmk_seconds();

	while (!pmk_runner_step(&e->runner, c->q.dump.packets ? 1 : 20)) {
		err = err ? err : drain_intervals(c);
		report_progress(c, &told);
		up |= c->q.run.timeout_ms && pmk_seconds() >= end;
		if (since == 0 && (pmk_count_stopped(c) || up))
			since = pmk_count_stopped(c) ? pmk_seconds() : pmk_urge_at_once();
		if (since != 0)
			pmk_urge_program(e->runner.pid, pmk_count_stopped(c), since, &sent);
	}
	e->timed_out |= up;
	return err ? err : drain_intervals(c);
}

/* The result of a run whose emulator ended before it loaded the plugin. */
#define NEVER_READY (-1)

/* Fail because a program other than pmk and its plugin has written to the shared memory, so no
 * count in it can be trusted. */
static int memory_overwritten(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	return pmk_count_fail(
		&c->fault, PMK_COUNT_FAILED,
		"the memory in which %s counts has an impossible value for %s: the program has "
		"overwritten it, so no count can be trusted; find the stray write, for example "
		"with a sanitizer",
		e->prog.argv.word[0], pmk_runner_invalid(&e->runner));
}

/* True if the run executed no instruction although it should have counted events, or let the
 * program use the PMU. */
static bool never_ran(const struct pmk_count *c, const struct pmk_plan *plan)
{
	const struct pmk_emulation *e = c->state;

	if (pmk_count_stopped(c))
		return false;
	return plan->nevents ? !e->runner.sum.insns
			     : c->q.guest.wanted && !atomic_load(&e->runner.arena->begun);
}

/* Report that a signal from outside ended the emulator before the program began. */
static int ended_early(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	c->result.exit_status = e->runner.status;
	c->result.partial = true;
	return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
			      "%s was ended by signal %d before the program began",
			      e->prog.argv.word[0], WTERMSIG(e->runner.status));
}

static bool was_ended(const struct pmk_emulation *e)
{
	return !e->timed_out && WIFSIGNALED(e->runner.status) &&
	       pmk_ends_jobs(WTERMSIG(e->runner.status));
}

/* Report why the emulator has not run the program. */
static int program_refused(struct pmk_count *c)
{
	const struct pmk_emulation *e = c->state;
	bool system = e->prog.system, locked_up = atomic_load(&e->runner.arena->locked_up);
	char text[512];

	if (locked_up && pmk_program_lacks_table(&e->prog, text, sizeof(text)))
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s", text);
	if (locked_up)
		return pmk_count_fail(
			&c->fault, PMK_COUNT_FAILED,
			"the processor locked up before it executed an instruction: the reset and "
			"HardFault vectors do not point to code; check the addresses at which the "
			"firmware is linked");
	return pmk_count_fail(
		&c->fault, system ? PMK_COUNT_FAILED : PMK_COUNT_NOT_EXEC,
		"%s ended before the program executed an instruction%s", e->prog.argv.word[0],
		system ? "" : "; its own message says why (firmware is run with `qemu`)");
}

/* Read all counts after the program has ended. The counts belong to the plan's events from
 * `first` on. */
static int take_reading(struct pmk_count *c, const struct pmk_plan *plan, unsigned first)
{
	struct pmk_emulation *e = c->state;

	pmk_runner_finish(&e->runner);
	if (pmk_runner_invalid(&e->runner))
		return memory_overwritten(c);
	if (e->runner.error == PMK_EBUSY && c->q.core.traffic.count)
		return pmk_count_fail(
			&c->fault, PMK_COUNT_FAILED,
			"`traffic` blocks the program: a transfer of the program waited for a "
			"million HCLK cycles; use a longer period or fewer masters");
	if (e->runner.error)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
				      "reading the emulated counters failed: %s",
				      pmk_strerror(e->runner.error));
	if (never_ran(c, plan))
		return was_ended(e) ? ended_early(c) : program_refused(c);
	c->result.exit_status = e->runner.status;
	/* The program ended because of the time limit, as requested: this is not a failure. */
	if (e->timed_out && WIFSIGNALED(e->runner.status))
		c->result.exit_status = 0;
	if (WIFSIGNALED(e->runner.status) && !e->killed)
		e->killed = WTERMSIG(e->runner.status);
	c->result.partial |= e->killed || e->timed_out || pmk_count_stopped(c);
	e->lacks |= pmk_runner_lacks(&e->runner);
	e->threaded |= !e->prog.system && pmk_runner_threaded(&e->runner);
	e->unsure |= pmk_runner_unsure(&e->runner);
	pmk_signal_join(&e->doubtful, &e->runner.doubtful);
	/* The counts of an incomplete run would falsify the mean of the complete ones. */
	if (pmk_count_stopped(c) && c->result.runs)
		return 0;
	if (make_places(c))
		return PMK_COUNT_FAILED;
	collect_counts(c, first, plan->nevents);
	return 0;
}

static void show_pins(void *ctx, const struct pmk_ahbmon_pins *shown)
{
	struct pmk_emulation *e = ctx;

	pmk_packets_show(&e->packets, shown);
}

/* Open the file of --packets, which shows the last run. */
static int open_packets(struct pmk_count *c, struct pmk_runner_config *cfg)
{
	struct pmk_emulation *e = c->state;

	if (!c->q.dump.packets)
		return 0;
	cfg->pins = (struct pmk_pins_sink){ show_pins, e };
	pmk_packets_close(&e->packets, false, &c->fault);
	return pmk_packets_open(&e->packets, c->q.dump.packets, &e->monitor.layout.packet, "",
				&c->fault);
}

/* Checks that the emulator began to count. Returns 0 or a failure; NEVER_READY if it did not
 * begin. */
static int check_begun(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	if (!atomic_load(&e->runner.arena->ready) && pmk_count_stopped(c))
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
				      "interrupted before the program began");
	if (!atomic_load(&e->runner.arena->ready))
		return was_ended(e) ? ended_early(c) : NEVER_READY;
	if (atomic_load(&e->runner.arena->levels_unseen))
		return pmk_count_fail(
			&c->fault, PMK_COUNT_FAILED,
			"%s does not report exception levels to plugins, which %suse QEMU 6.2 "
			"to 10.0, or a newer one that exports its functions",
			e->prog.argv.word[0],
			c->q.guest.wanted ? "pmk's model of PMUv3 needs; "
					  : ":u and :k need; leave :u and :k out, or ");
	if (*e->runner.arena->guest_lacks)
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED, "%s %s lacks %.*s",
				      e->prog.argv.word[0], e->prog.qemu.version,
				      (int)sizeof(e->runner.arena->guest_lacks),
				      e->runner.arena->guest_lacks);
	if (arena_error(c))
		return pmk_count_fail(&c->fault, PMK_COUNT_FAILED,
				      "the emulated counters could not be started: %s",
				      arena_error(c));
	return 0;
}

static int run_once(struct pmk_count *c, const struct pmk_plan *plan, unsigned first)
{
	struct pmk_emulation *e = c->state;
	const char *module = e->generation->module;
	bool there = pmk_files_plugin(e->plugin, c->q.files.plugin, module);
	struct pmk_runner_config cfg = {
		.counters = e->cfg,
		.record = c->q.record.what == PMK_REQUEST_PATHS	  ? PMK_RECORD_PATHS
			  : c->q.record.what == PMK_REQUEST_SITES ? PMK_RECORD_SITES
								  : PMK_RECORD_NOTHING,
		.code_start = e->prog.elf.code_start,
		.entry = e->prog.elf.entry,
		.pie = e->prog.elf.pie,
		.more_stack = pmk_program_more_stack(&e->prog),
		.emulator = e->prog.qemu.path,
		.guest = e->guest,
		.plugin = e->plugin,
		.argv = e->prog.argv.word,
		.envp = e->prog.envp.word,
		.streams = { c->input.fd >= 0 ? c->input.fd : c->streams.fd[0], c->streams.fd[1],
			     c->streams.fd[2] },
	};
	int err;

	if (!there || access(e->plugin, R_OK))
		return pmk_count_fail(
			&c->fault, PMK_COUNT_FAILED,
			"cannot read the QEMU plugin %s; set PMK_PLUGIN to it, or to the "
			"directory of pmk's modules",
			*e->plugin ? e->plugin : module);
	cfg.counters.plan = *plan;
	for (unsigned i = 0; i < plan->nevents; i++)
		cfg.counters.levels[i] = (uint8_t)pmk_emulation_levels(c, first + i);
	pmk_runner_free(&e->runner); /* frees the runner of the previous run */
	err = open_packets(c, &cfg);
	if (err)
		return err;
	err = pmk_runner_start(&e->runner, &cfg);
	if (err)
		return start_failed(c, err);
	err = wait_for_end(c);
	if (!err && pmk_runner_invalid(&e->runner))
		err = memory_overwritten(c);
	if (err)
		return err;
	/* If the user interrupted a later run before it counted anything, the results of the
	 * earlier runs are kept. */
	if (!atomic_load(&e->runner.arena->ready) && pmk_count_stopped(c) && c->result.runs)
		return 0;
	err = check_begun(c);
	if (err)
		return err;
	err = take_reading(c, plan, first);
	if (c->q.dump.packets && e->runner.threads > 1)
		pmk_count_warn(c,
			       "`packets` %s: the pins are those of the first thread of the "
			       "first process; the counts include all",
			       c->q.dump.packets);
	pmk_packets_under_way(&e->packets, &e->runner.packets);
	return err ? err : pmk_packets_close(&e->packets, true, &c->fault);
}

static int run_with_input(struct pmk_count *c, const struct pmk_plan *plan, unsigned first)
{
	int err = pmk_input_begin(&c->input, &c->fault), ended;

	err = err ? err : run_once(c, plan, first);
	ended = pmk_input_end(&c->input, err ? NULL : &c->fault);
	return err ? err : ended;
}

/* Run once. If the emulator needs another module, run again with that module. */
static int run_with_its_module(struct pmk_count *c, const struct pmk_plan *plan, unsigned first)
{
	int err = run_with_input(c, plan, first);

	if (err == NEVER_READY)
		err = other_module(c);
	else
		return err;
	if (!err)
		err = run_with_input(c, plan, first);
	return err == NEVER_READY ? other_module(c) : err;
}

/* Run the program once for each pass, with a plan of the events of that pass. sort_by_pass() has
 * made them contiguous. */
static int run_passes(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;

	for (unsigned pass = 0; pass < e->plan.npasses; pass++) {
		struct pmk_plan part = {
			.npasses = 1,
			.timed = e->plan.timed,
			.timer_code = e->plan.timer_code,
			.timer_counter = e->plan.timer_counter,
		};
		unsigned first = 0;
		int err;

		for (unsigned i = 0; i < e->plan.nevents; i++) {
			if (e->plan.event[i].pass != pass)
				continue;
			if (!part.nevents)
				first = i;
			part.event[part.nevents] = e->plan.event[i];
			part.event[part.nevents++].pass = 0;
		}
		err = run_with_its_module(c, &part, first);
		if (err || pmk_count_stopped(c))
			return err;
	}
	return 0;
}

/* Sort the plan's events by pass, so that each pass is a range of them. */
static void sort_by_pass(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	struct pmk_plan sorted = e->plan;
	unsigned event_of[PMK_MAX_EVENTS];

	sorted.nevents = 0;
	for (unsigned pass = 0; pass < e->plan.npasses; pass++)
		for (unsigned i = 0; i < e->plan.nevents; i++)
			if (e->plan.event[i].pass == pass) {
				event_of[sorted.nevents] = e->event_of[i];
				sorted.event[sorted.nevents++] = e->plan.event[i];
			}
	e->plan = sorted;
	memcpy(e->event_of, event_of, sizeof(event_of));
}

int pmk_emulation_run(struct pmk_count *c)
{
	struct pmk_emulation *e = c->state;
	int err;

	err = choose_module(c);
	if (!err && (c->q.run.times > 1 || (c->q.run.rerun && e->plan.npasses > 1)))
		err = pmk_input_open(&c->input, c->streams.fd[0], &c->fault);
	if (c->q.run.rerun)
		sort_by_pass(c);
	/*
	 * The first run is started even after a request to stop, so that there is a result to
	 * report.
	 */
	for (unsigned run = 0; run < c->q.run.times && !err && !(run && pmk_count_stopped(c));
	     run++) {
		double began = pmk_seconds();

		err = c->q.run.rerun ? run_passes(c) : run_with_its_module(c, &e->plan, 0);
		if (err || (pmk_count_stopped(c) && run))
			break;
		c->result.runs = run + 1;
		if (pmk_result_ran(&c->result, pmk_seconds() - began))
			err = pmk_count_no_memory(&c->fault);
	}
	c->interrupted = pmk_count_stopped(c);
	read_version(c);
	return err;
}
