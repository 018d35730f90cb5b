// SPDX-License-Identifier: MIT
/*
 * pmk stat, first part: settle which core, events, metrics, regions and intervals are meant. Choosing
 * events and metrics is the same for every target, the rest is emulation's.
 */
#include "cli/stat.h"

#include <stdlib.h>
#include <string.h>

#include "ahb/traffic.h"
#include "cli/cli.h"
#include "pmu/ahbmon/regs.h"

/* ---- what is counted ------------------------------------------------------------------------ */

/* The name of the PMU that is meant: the core's own, or that of its level 2 cache if that is asked for. */
static const char *pmu_of(const struct pmk_core *core, const struct pmk_pmu *asked)
{
	bool level2 = asked && core->l2_type && pmk_core_l2_type(asked->name) == core->l2_type;

	return level2 ? asked->name : core->pmu;
}

static int choose_core(struct job *job)
{
	const char *name = job->q->core_name;
	const struct pmk_pmu *asked = NULL;
	char *found = NULL;
	int err;

	if (job->q->pmu_name) {
		asked = pmk_pmu_find(job->q->pmu_name);
		if (!asked)
			return cli_fail(PMK_EXIT_USAGE, "unknown PMU '%s' (pmk list pmus)",
					job->q->pmu_name);
		if (!name && !pmk_core_l2_type(asked->name))
			name = found = emulation_core_with(asked->name);
		if (!name && !pmk_core_l2_type(asked->name))
			return cli_fail(
				PMK_EXIT_USAGE,
				"no core that is emulated has the PMU %s; -e and --core of "
				"another one (pmk list cores), or -T linux on a machine that "
				"has it",
				asked->name);
	}
	err = emulation_core(&job->emu, name, asked ? asked->name : NULL, &job->q->overrides);
	free(found);
	if (err)
		return err;
	job->pmu =
		pmk_emulated_pmu(pmu_of(&job->emu.core, asked), &job->emu.core, &job->microblaze);
	if (!job->pmu)
		return cli_fail(PMK_EXIT_USAGE,
				"core %s has no performance monitor; choose another one "
				"(pmk list cores)",
				job->emu.core.name);
	if (asked && asked != job->pmu && pmk_core_l2_type(asked->name) && job->emu.core.l2_type)
		return cli_fail(PMK_EXIT_USAGE, "the level 2 cache of core %s is %s, not %s",
				job->emu.core.name, pmk_core_l2[job->emu.core.l2_type],
				asked->name);
	if (asked && strcmp(asked->name, job->pmu->name) != 0)
		return cli_fail(PMK_EXIT_USAGE, "core %s has the PMU %s, not %s",
				job->emu.core.name, job->pmu->name, asked->name);
	return 0;
}

/* The core's PMU and that of its level 2 cache are on one bus: one of them is job->pmu, and of the other one
 * events can be named. */
static void choose_beside(struct job *job)
{
	const struct pmk_core *core = &job->emu.core;
	const struct pmk_pmu *cache =
		core->l2_type ? pmk_pmu_find(pmk_core_l2[core->l2_type]) : NULL;

	if (cache)
		job->beside = job->pmu == cache ? pmk_pmu_find(core->pmu) : cache;
}

/* Does "pmu/event/" or "pmu::event" name that PMU? */
static bool names_pmu(const char *name, const struct pmk_pmu *pmu)
{
	size_t n = strcspn(name, "/:");
	char first[64];

	snprintf(first, sizeof(first), "%.*s", n < sizeof(first) ? (int)n : 0, name);
	return name[n] && pmk_pmu_find(first) == pmu;
}

/* An event of the one PMU or of the other. */
static int find_event(void *ctx, const char *name, struct pmk_event_request *req)
{
	struct job *job = ctx;

	if (job->beside && names_pmu(name, job->beside))
		req->how = job->beside;
	req->event = pmk_event_named(req->how ? job->beside : job->pmu, name, &job->fault);
	return req->event ? 0 : PMK_EXIT_USAGE;
}

/* The layers of the masters that --traffic has made busy. */
static int traffic_events(struct job *job)
{
	enum { GXI = PMK_MATRIX_NMASTERS };
	static const char *const names[GXI + 1][5] = {
		[PMK_MATRIX_CLCDC] = { "ct_clcd_rd", "ct_clcd_wait_total",
				       "ct_clcd_wait_non_seq_bus" },
		[PMK_MATRIX_DMA0] = { "ct_dma0_rd", "ct_dma0_wr", "ct_dma0_wait_total",
				      "ct_dma0_wait_non_seq_bus" },
		[PMK_MATRIX_DMA1] = { "ct_dma1_rd", "ct_dma1_wr", "ct_dma1_wait_total",
				      "ct_dma1_wait_non_seq_bus" },
		[PMK_MATRIX_EXP] = { "ct_exp_rd", "ct_exp_wr", "ct_exp_wait_total",
				     "ct_exp_wait_non_seq_bus" },
		[GXI] = { "ct_gxi_rd", "ct_gxi_wr", "ct_gxi_rd_data_wait", "ct_gxi_page_change" },
	};
	const struct pmk_traffic *t = &job->cfg.traffic;
	int err = 0;

	for (unsigned m = 0; m <= GXI; m++)
		for (unsigned i = 0;
		     !err && (m == GXI ? t->gxi.on : t->master[m].on) && names[m][i]; i++) {
			const struct pmk_event *ev = pmk_pmu_event(job->pmu, names[m][i]);

			err = pmk_event_list_add(&job->events, ev, ev->name);
		}
	return err;
}

/* The PMU's own choice, as far as there is a counter for it, and what --traffic keeps busy. */
static int default_events(struct job *job)
{
	const char *at = job->pmu->defaults;
	char name[64];
	int len, err = 0;

	for (; !err && sscanf(at, " %63s%n", name, &len) == 1; at += len) {
		const struct pmk_event *ev = pmk_pmu_event(job->pmu, name);

		if (ev && pmk_pmu_range(job->pmu, ev->code))
			err = pmk_event_list_add(&job->events, ev, ev->name);
	}
	return err ? err : traffic_events(job);
}

/* The events of the metrics that -M names. */
static int metric_events(struct job *job)
{
	for (unsigned i = 0; i < job->metrics.count; i++) {
		const struct pmk_metric *m = job->metrics.item[i];

		for (const char *const *e = m->events; *e; e++) {
			const struct pmk_event *ev = pmk_pmu_event(job->pmu, *e);
			int err;

			if (!ev)
				return cli_fail(PMK_EXIT_USAGE,
						"metric %s needs event %s, which %s does not have",
						m->name, *e, job->pmu->name);
			err = pmk_event_list_add(&job->events, ev, ev->name);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Is anything on the bus that it is counted on? The program's layers, and those that --traffic keeps busy. */
static bool has_traffic(const struct job *job, const struct pmk_event *ev)
{
	unsigned bus = pmk_ahbmon_bus_of[ev->code];

	switch (bus) {
	case PMK_AHBMON_BUS_HCLK:
	case PMK_AHBMON_BUS_ARMI:
	case PMK_AHBMON_BUS_ARMD:
		return true;
	case PMK_AHBMON_BUS_GXI:
		return job->cfg.traffic.gxi.on;
	default: /* a master for each layer, in their order */
		return job->cfg.traffic.master[bus - PMK_AHBMON_BUS_ARMI].on;
	}
}

static bool is_listed(const void *list, const struct pmk_event *ev)
{
	return pmk_event_list_find(list, ev) != NULL;
}

static int add_watched(struct job *job, const struct pmk_event *const *ev,
		       bool (*watched)(const struct job *job, const struct pmk_event *ev))
{
	int err = 0;

	for (; !err && *ev; ev++)
		if (watched(job, *ev))
			err = pmk_event_list_add(&job->events, *ev, (*ev)->name);
	return err;
}

/* What --bars needs. */
static int bar_events(struct job *job,
		      bool (*watched)(const struct job *job, const struct pmk_event *ev))
{
	const struct pmk_layers *layers = output_layers(job->pmu);
	bool timed = watched && pmk_pmu_times_latencies(job->pmu);
	int err;

	if (timed && job->q->interval_unit != INTERVAL_NONE)
		return 0;
	if (timed)
		return cli_fail(PMK_EXIT_USAGE,
				"--bars: %s has no layers of a bus to draw; with -I "
				"the trend of its latencies is drawn",
				job->pmu->name);
	if (!watched || !layers)
		return cli_fail(
			PMK_EXIT_USAGE,
			"--bars draws layers of a bus, as --pmu ahbmon counts them; %s has none",
			watched ? job->pmu->name : "-T linux");
	err = add_watched(job, (const struct pmk_event *const[]){ layers->cycles, NULL }, watched);
	for (unsigned i = 0; !err && i < layers->n; i++) {
		const struct pmk_layer *l = &layers->layer[i];

		err = add_watched(job, l->transfer, watched);
		if (!err)
			err = add_watched(job, l->burst, watched);
		if (!err)
			err = add_watched(job, l->wait, watched);
		if (!err)
			err = add_watched(
				job, (const struct pmk_event *const[]){ l->slave, l->bus, NULL },
				watched);
	}
	return err;
}

int stat_choose_events(struct job *job, int (*defaults)(struct job *job),
		       bool (*watched)(const struct job *job, const struct pmk_event *ev))
{
	unsigned nmetrics = job->q->out.metrics.count;
	int err = 0;

	for (unsigned i = 0; !err && i < job->q->events.count; i++)
		err = pmk_event_list_parse(&job->events, job->pmu, job->q->events.word[i]);
	if (!err && !job->q->events.count && !nmetrics)
		err = defaults(job);
	if (!err)
		err = output_metrics(&job->q->out, &job->metrics);
	if (!err)
		err = metric_events(job);
	if (!err && job->q->out.bars)
		err = bar_events(job, watched);
	if (!err && !nmetrics)
		err = output_fitting_metrics(&job->metrics, job->pmu, job->emu.core.clock_hz > 0,
					     is_listed, &job->events);
	return err;
}

/* Does the core raise all that the event counts, in user or in system emulation? */
static bool is_raised(const struct pmk_core *core, bool system, const struct pmk_event *ev)
{
	struct pmk_core there = *core;
	struct pmk_signal_set raised;

	there.system = system;
	raised = pmk_emulated_raises(&there);
	return pmk_signal_in(&raised, ev->signal) &&
	       (ev->signal2 == PMK_SIG_NONE || pmk_signal_in(&raised, ev->signal2));
}

/* Why an event cannot be counted here, or NULL. */
static const char *not_counted_because(const struct job *job, const struct pmk_event_request *req)
{
	const struct pmk_core *core = &job->emu.core;
	const struct pmk_event *ev = req->event;

	if (req->kernel && !req->user)
		return job->emu.system ? "privileged and user mode are not told apart in emulation"
				       : "user emulation runs no kernel code";
	if (req->user && !req->kernel && job->emu.system)
		return "privileged and user mode are not told apart in emulation";
	if (is_raised(core, job->emu.system, ev))
		return NULL;
	if (is_raised(core, true, ev))
		return "user emulation takes no exceptions; with --qemu, firmware does";
	return ev->unmodelled ? ev->unmodelled : "not modelled";
}

/* A PMU that can set all counters to zero at once has an interval timer: one of them counts cycles and
 * overflows every so many. A window begins its intervals anew, which a timer does not. */
static void use_interval_timer(struct job *job)
{
	const struct pmk_pmu *pmu = job->pmu;

	if (job->cfg.interval_unit != PMK_INTERVAL_CYCLES || !pmu->driver->zero || job->q->from)
		return;
	for (unsigned i = 0; i < pmu->nevents && !job->plan.timed; i++) {
		job->plan.timed =
			pmk_pmu_has(pmu, &pmu->events[i]) && pmu->events[i].signal == PMK_SIG_CYCLE;
		job->plan.timer_code = pmu->events[i].code;
	}
	if (job->plan.timed && job->cfg.interval > pmk_pmu_range(pmu, job->plan.timer_code)) {
		job->plan.timed = false;
		job->beyond_timer = true;
	}
}

static const struct pmk_pmu *pmu_of_event(const struct job *job, unsigned event)
{
	return job->plan.event[event].pmu ? job->beside : job->pmu;
}

/* Does an event find a counter when no other event is counted? */
static bool fits_alone(const struct job *job, unsigned event)
{
	static struct pmk_plan alone;
	uint16_t code = job->plan.event[event].code;

	if (job->plan.event[event].pmu)
		return true; /* its counters take any event */
	alone = (struct pmk_plan){
		.timed = job->plan.timed,
		.timer_code = job->plan.timer_code,
		.nevents = 1,
		.event = { { .code = code } },
	};
	return !pmk_plan_make(job->pmu, &alone);
}

/* --set of the counters of a MicroBlaze that would be enough, or nothing: other PMUs have what they have. */
static void more_counters(const struct job *job, bool latency, unsigned n, char *buf, size_t size)
{
	const char *key = latency ? "debug.latency_counters" : "debug.event_counters";

	*buf = '\0';
	if (job->pmu == &job->microblaze.pmu &&
	    n <= (latency ? PMK_MICROBLAZE_MAX_LATENCIES : PMK_MICROBLAZE_MAX_EVENTS))
		snprintf(buf, size, ", or --set %s=%u", key, n);
}

/* Counters of one kind: how many there are that count anything, and how many a group wants at a time. */
struct need {
	unsigned there, wanted;
};

/* What the events of a group take: [0] counters of events, [1] of latencies. An event that has a counter
 * of its own takes none. */
static void group_needs(const struct job *job, unsigned event, struct need needs[2])
{
	const struct pmk_pmu *pmu = pmu_of_event(job, event);
	uint8_t group = job->plan.event[event].group;
	struct pmk_counter_set used = { { 0 } };

	needs[0] = needs[1] = (struct need){ 0 };
	for (unsigned c = 0; c < pmu->ncounters; c++)
		if (pmu->counters[c].fixed_code < 0)
			needs[pmu->counters[c].extreme_width != 0].there++;
	for (unsigned i = 0; i < job->plan.nevents; i++) {
		const struct pmk_event *ev = job->events.item[job->event_of[i]].event;
		int c;

		if (job->plan.event[i].group != group)
			continue;
		c = pmk_pmu_free_counter(pmu, &used, ev->code);
		if (c >= 0)
			pmk_counter_add(&used, (unsigned)c);
		if (c < 0 || pmu->counters[c].fixed_code < 0)
			needs[ev->latency && pmk_pmu_times_latencies(pmu)].wanted++;
	}
}

static int group_too_large(const struct job *job, unsigned event, bool latency, struct need need)
{
	bool timer = job->plan.timed && !latency;
	char more[64];

	more_counters(job, latency, need.wanted + timer, more, sizeof(more));
	return cli_fail(
		PMK_EXIT_USAGE,
		"the group {%s,...} needs %u %s counters at a time, %s has %u%s; without the "
		"braces they take several passes%s",
		job->events.item[job->event_of[event]].name, need.wanted,
		latency ? "latency" : "event", pmu_of_event(job, event)->name, need.there,
		timer ? ", one of them for -I" : "", more);
}

static int event_without_counter(const struct job *job, unsigned event)
{
	bool timed = job->plan.timed;
	char more[64];

	more_counters(job, false, 1 + timed, more, sizeof(more));
	return cli_fail(PMK_EXIT_USAGE, "%s has no event counter for %s%s; count others%s%s",
			job->pmu->name, job->events.item[job->event_of[event]].name,
			timed ? " beside that of -I" : "", timed ? ", or give -I in insns" : "",
			more);
}

/* The first event or group that does not fit the counters: what it needs, what there is, what helps. */
static int no_counter(const struct job *job)
{
	for (unsigned i = 0; i < job->plan.nevents; i++) {
		struct need needs[2];

		if (!fits_alone(job, i))
			return event_without_counter(job, i);
		if (!job->plan.event[i].group)
			continue;
		group_needs(job, i, needs);
		if (needs[0].wanted + job->plan.timed > needs[0].there)
			return group_too_large(job, i, false, needs[0]);
		if (needs[1].wanted > needs[1].there)
			return group_too_large(job, i, true, needs[1]);
	}
	return cli_fail(PMK_EXIT_USAGE, "these events do not fit the counters of %s%s%s",
			job->pmu->name, job->beside ? " and " : "",
			job->beside ? job->beside->name : "");
}

/* What shares a pass is on one PMU. */
static int check_group(const struct job *job, unsigned i)
{
	const struct pmk_plan_event *e = &job->plan.event[i];

	for (unsigned k = 0; e->group && k < i; k++)
		if (job->plan.event[k].group == e->group && job->plan.event[k].pmu != e->pmu)
			return cli_fail(
				PMK_EXIT_USAGE,
				"the group {%s,...} has events of %s and of %s; what is not in "
				"braces is counted in the same run, too",
				job->events.item[job->event_of[k]].name, job->pmu->name,
				job->beside->name);
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
			.pmu = req->how != NULL,
		};
		err = check_group(job, job->plan.nevents - 1);
		if (err)
			return err;
	}
	use_interval_timer(job);
	err = pmk_several_plan((const struct pmk_pmu *const[]){ job->pmu, job->beside },
			       &job->plan);
	if (err == PMK_ENOCTR)
		return no_counter(job);
	if (err == PMK_ERANGE)
		return cli_fail(
			PMK_EXIT_USAGE,
			"these events take more than %d passes on the counters of %s; count fewer of "
			"them%s",
			PMK_MAX_PASSES, job->pmu->name,
			job->pmu == &job->microblaze.pmu
				? ", or give it more counters: --set debug.event_counters=N"
				: "");
	if (err)
		return cli_fail(PMK_EXIT_USAGE, "these events do not fit %s: %s", job->pmu->name,
				pmk_strerror(err));
	return 0;
}

/* ---- where it is counted -------------------------------------------------------------------- */

static int find_symbol(struct job *job, const char *name, uint64_t *addr)
{
	char msg[512];
	const char *image = job->emu.image;

	if (!image && (name[0] != '0' || (name[1] | 0x20) != 'x'))
		return cli_fail(
			PMK_EXIT_USAGE,
			"region '%s': the --qemu command line has no -kernel with an ELF file to "
			"look it up in; give an address such as 0x8000",
			name);
	if (pmk_elf_symbol(image ? image : "", name, addr, msg, sizeof(msg)))
		return cli_fail(PMK_EXIT_USAGE, "region '%s' in %s: %s", name, image, msg);
	return 0;
}

static int choose_regions(struct job *job)
{
	struct pmk_emulated_config *cfg = &job->cfg;
	int err;

	if (job->q->from) {
		cfg->window = 1;
		cfg->nregions = 1;
		err = find_symbol(job, job->q->from, &cfg->region[0].begin);
		if (!err)
			err = find_symbol(job, job->q->to, &cfg->region[0].end);
		if (err)
			return err;
	}
	for (unsigned i = 0; i < job->q->regions.count; i++) {
		err = find_symbol(job, job->q->regions.word[i], &cfg->region[cfg->nregions].begin);
		if (err)
			return err;
		cfg->nregions++;
	}
	return 0;
}

/* Other masters on the buses around the core. */
static int choose_traffic(struct job *job)
{
	const struct pmk_words *specs = &job->q->traffic;
	struct pmk_traffic *t = &job->cfg.traffic;
	struct pmk_matrix_config config;
	char msg[512];

	if (specs->count && !pmk_core_on_ahb(&job->emu.core))
		return cli_fail(
			PMK_EXIT_USAGE,
			"--traffic: core %s has no buses that are modelled; take --core arm926",
			job->emu.core.name);
	pmk_biu_matrix(&job->emu.core, &config);
	for (unsigned i = 0; i < specs->count; i++) {
		if (pmk_traffic_parse(specs->word[i], &config, t, msg, sizeof(msg)))
			return cli_fail(PMK_EXIT_USAGE, "--%s", msg);
		if (t->master[PMK_MATRIX_ARMI].on || t->master[PMK_MATRIX_ARMD].on)
			return cli_fail(
				PMK_EXIT_USAGE,
				"--traffic %s: on %.4s is the program; other masters are clcdc, "
				"dma0, dma1, exp and gxi",
				specs->word[i], specs->word[i]);
	}
	return 0;
}

static int choose_interval(struct job *job)
{
	struct pmk_emulated_config *cfg = &job->cfg;
	uint64_t cycles_per_ms = job->emu.core.clock_hz / 1000;

	cfg->interval = job->q->interval;
	switch (job->q->interval_unit) {
	case INTERVAL_NONE:
		cfg->interval_unit = PMK_INTERVAL_NONE;
		break;
	case INTERVAL_CYCLES:
		cfg->interval_unit = PMK_INTERVAL_CYCLES;
		break;
	case INTERVAL_INSNS:
		cfg->interval_unit = PMK_INTERVAL_INSNS;
		break;
	case INTERVAL_MS:
		cfg->interval_unit = PMK_INTERVAL_CYCLES;
		if (!cycles_per_ms || cfg->interval > UINT64_MAX / cycles_per_ms)
			return cli_fail(PMK_EXIT_USAGE,
					"-I: interval out of range for a clock of %llu Hz",
					(unsigned long long)job->emu.core.clock_hz);
		cfg->interval *= cycles_per_ms;
		break;
	}
	return 0;
}

int stat_choose(struct job *job)
{
	int err = job->q->qemu ? emulation_system(&job->emu, job->q->qemu, job->q->command)
			       : emulation_program(&job->emu, job->q->command[0]);

	if (!err)
		err = choose_core(job);
	if (!err)
		choose_beside(job);
	job->events.find = find_event;
	job->events.ctx = job;
	if (!err)
		err = choose_traffic(job);
	if (!err && pmk_core_on_ahb(&job->emu.core))
		err = stat_monitor(job, &job->emu.core);
	else if (!err)
		err = stat_no_monitor(job, job->emu.core.name);
	if (!err)
		err = stat_choose_events(job, default_events, has_traffic);
	if (!err)
		err = choose_interval(job);
	if (!err)
		err = plan_events(job);
	if (!err)
		err = choose_regions(job);
	if (!err && !job->q->qemu)
		err = emulation_user(&job->emu, job->q->command, job->q->sysroot);
	if (!err)
		err = emulation_env(&job->emu, &job->q->env);
	job->program = job->emu.image;
	snprintf(job->cfg.pmu, sizeof(job->cfg.pmu), "%s", job->pmu ? job->pmu->name : "");
	snprintf(job->cfg.beside, sizeof(job->cfg.beside), "%s",
		 job->beside ? job->beside->name : "");
	job->cfg.core = job->emu.core;
	job->cfg.layout = job->layout.layout;
	pmk_emulated_configure(&job->cfg);
	return err;
}

static const char *const own_options[] = { "core", "set", "layout", "traffic", "region", "from",
					   "to",   "env", "passes", "sysroot", "qemu",	 NULL };

const struct stat_target stat_emu = {
	.name = "emu",
	.brief = "emulation: the program runs under QEMU and its core is modelled",
	.options = own_options,
	.choose = stat_choose,
	.run = stat_run,
	.describe = stat_describe,
	.write = stat_write,
};
