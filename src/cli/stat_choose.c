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

/* The layers of the masters that --traffic has made busy. */
static int traffic_events(struct job *job)
{
	static const char *const names[PMK_MATRIX_NMASTERS][5] = {
		[PMK_MATRIX_CLCDC] = { "ct_clcd_rd", "ct_clcd_wait_total",
				       "ct_clcd_wait_non_seq_bus" },
		[PMK_MATRIX_DMA0] = { "ct_dma0_rd", "ct_dma0_wr", "ct_dma0_wait_total",
				      "ct_dma0_wait_non_seq_bus" },
		[PMK_MATRIX_DMA1] = { "ct_dma1_rd", "ct_dma1_wr", "ct_dma1_wait_total",
				      "ct_dma1_wait_non_seq_bus" },
		[PMK_MATRIX_EXP] = { "ct_exp_rd", "ct_exp_wr", "ct_exp_wait_total",
				     "ct_exp_wait_non_seq_bus" },
	};
	int err = 0;

	for (unsigned m = 0; m < PMK_MATRIX_NMASTERS; m++)
		for (unsigned i = 0; !err && job->cfg.traffic[m].on && names[m][i]; i++) {
			const struct pmk_event *ev = pmk_pmu_event(job->pmu, names[m][i]);

			err = event_list_add(&job->events, ev, ev->name);
		}
	return err;
}

/* What a newcomer wants to see first; those of them that the PMU has. */
static int default_events(struct job *job)
{
	static const char *const names[] = {
		/* ARM11 */
		"cpu_cycles",
		"instr_exec",
		"br_exec",
		"br_mispredict",
		"icache_miss",
		"dcache_access_cacheable",
		"dcache_rdaccess",
		"dcache_miss",
		"dcache_rdmiss",
		"main_tlb_miss",
		"ibuf_stall",
		"ddep_stall",
		"lsu_full_stall",
		/* PMUv3 */
		"inst_retired",
		"br_pred",
		"br_mis_pred",
		"l1i_cache",
		"l1i_cache_refill",
		"l1d_cache",
		"l1d_cache_refill",
		"l2d_cache",
		"l2d_cache_refill",
		"l1i_tlb_refill",
		"l1d_tlb_refill",
		"bus_access",
		"stall_frontend",
		"stall_backend",
		/* L210, L220 */
		"irreq",
		"irhit",
		"drreq",
		"drhit",
		"dwreq",
		"dwtreq",
		"dwhit",
		"wa",
		"co",
		/* MicroBlaze */
		"clock_cycles",
		"insn_executed",
		"branch_any",
		"branch_cond_taken",
		"btc_hit",
		"load_any",
		"store_any",
		"icache_request",
		"icache_hit",
		"dcache_request",
		"dcache_hit",
		"stall_of",
		"stall_ex",
		"stall_mem",
		"icache_read_latency",
		"dcache_read_latency",
		/* AHB Monitor */
		"ct_total_cycles_en",
		"ct_armi_rd",
		"ct_armi_line_fill",
		"ct_armi_wait_total",
		"ct_armd_rd",
		"ct_armd_wr",
		"ct_armd_burst_single",
		"ct_armd_line_fill",
		"ct_armd_cast_out4",
		"ct_armd_cast_out8",
		"ct_armd_page_walk_d",
		"ct_armd_page_walk_i",
		"ct_armd_wait_total",
		"ct_armd_wait_non_seq_slave",
		"ct_armd_wait_non_seq_bus",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct pmk_event *ev = pmk_pmu_event(job->pmu, names[i]);
		int err = ev ? event_list_add(&job->events, ev, ev->name) : 0;

		if (err)
			return err;
	}
	return traffic_events(job);
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
			err = event_list_add(&job->events, ev, ev->name);
			if (err)
				return err;
		}
	}
	return 0;
}

static bool is_listed(const void *list, const struct pmk_event *ev)
{
	return event_list_find(list, ev) != NULL;
}

int stat_choose_events(struct job *job, int (*defaults)(struct job *job))
{
	unsigned nmetrics = job->q->out.metrics.count;
	int err = 0;

	for (unsigned i = 0; !err && i < job->q->events.count; i++)
		err = event_list_parse(&job->events, job->pmu, job->q->events.word[i]);
	if (!err && !job->q->events.count && !nmetrics)
		err = defaults(job);
	if (!err)
		err = output_metrics(&job->q->out, &job->metrics);
	if (!err)
		err = metric_events(job);
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
static const char *not_counted_because(const struct job *job, const struct event_request *req)
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
	if (job->plan.timed && job->cfg.interval > pmk_pmu_range(pmu, job->plan.timer_code))
		job->plan.timed = false;
}

/* Does an event find a counter when no other event is counted? */
static bool fits_alone(const struct job *job, uint32_t code)
{
	static struct pmk_plan alone;

	alone = (struct pmk_plan){
		.timed = job->plan.timed,
		.timer_code = job->plan.timer_code,
		.nevents = 1,
		.event = { { .code = code } },
	};
	return !pmk_plan_make(job->pmu, &alone);
}

static unsigned count_latency_counters(const struct pmk_pmu *pmu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < pmu->ncounters; i++)
		n += pmu->counters[i].extreme_width != 0;
	return n;
}

static int no_counter(const struct job *job)
{
	const struct pmk_pmu *pmu = job->pmu;
	unsigned latencies = count_latency_counters(pmu);
	const char *timer = job->plan.timed ? ", one of them for -I" : "";

	for (unsigned i = 0; i < job->plan.nevents; i++)
		if (!fits_alone(job, job->plan.event[i].code))
			return cli_fail(PMK_EXIT_USAGE, "%s has no counter for %s%s", pmu->name,
					job->events.item[job->event_of[i]].event->name,
					job->plan.timed ? " beside that of -I" : "");
	if (latencies)
		return cli_fail(PMK_EXIT_USAGE,
				"a {group} needs more counters at a time than %s has (%u event "
				"counters%s, %u with latencies)",
				pmu->name, pmu->ncounters - latencies, timer, latencies);
	return cli_fail(PMK_EXIT_USAGE,
			"a {group} needs more counters at a time than %s has (%u%s)", pmu->name,
			pmu->ncounters, timer);
}

static int plan_events(struct job *job)
{
	int err;

	for (unsigned i = 0; i < job->events.count; i++) {
		const struct event_request *req = &job->events.item[i];

		job->reason[i] = not_counted_because(job, req);
		if (job->reason[i])
			continue;
		job->event_of[job->plan.nevents] = i;
		job->plan.event[job->plan.nevents++] = (struct pmk_plan_event){
			.code = req->event->code,
			.group = (uint8_t)req->group,
		};
	}
	use_interval_timer(job);
	err = pmk_plan_make(job->pmu, &job->plan);
	if (err == PMK_ENOCTR)
		return no_counter(job);
	if (err == PMK_ERANGE)
		return cli_fail(
			PMK_EXIT_USAGE,
			"these events take more than %d passes on the counters of %s; count fewer of "
			"them",
			PMK_MAX_PASSES, job->pmu->name);
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
	const struct word_list *specs = &job->q->traffic;
	struct pmk_matrix_config config;
	char msg[512];

	if (specs->count && !pmk_core_on_ahb(&job->emu.core))
		return cli_fail(
			PMK_EXIT_USAGE,
			"--traffic: core %s has no buses that are modelled; take --core arm926",
			job->emu.core.name);
	pmk_biu_matrix(&job->emu.core, &config);
	for (unsigned i = 0; i < specs->count; i++) {
		struct pmk_matrix_script script;
		unsigned master;

		if (pmk_traffic_parse(specs->word[i], &config, &master, &script, msg, sizeof(msg)))
			return cli_fail(PMK_EXIT_USAGE, "--%s", msg);
		if (master == PMK_MATRIX_ARMI || master == PMK_MATRIX_ARMD)
			return cli_fail(
				PMK_EXIT_USAGE,
				"--traffic %s: on %s is the program; other masters are clcdc, "
				"dma0, dma1 and exp",
				specs->word[i], pmk_matrix_master_name(master));
		if (job->cfg.traffic[master].on)
			return cli_fail(PMK_EXIT_USAGE, "--traffic: %s is given twice",
					pmk_matrix_master_name(master));
		job->cfg.traffic[master] = script;
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
		err = choose_traffic(job);
	if (!err)
		err = stat_choose_events(job, default_events);
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
	job->cfg.core = job->emu.core;
	pmk_emulated_configure(&job->cfg);
	return err;
}

static const char *const own_options[] = { "core", "set",    "traffic", "region", "from", "to",
					   "env",  "passes", "sysroot", "qemu",	  NULL };

const struct stat_target stat_emu = {
	.name = "emu",
	.brief = "emulation: the program runs under QEMU and its core is modelled",
	.options = own_options,
	.choose = stat_choose,
	.run = stat_run,
	.describe = stat_describe,
	.write = stat_write,
};
