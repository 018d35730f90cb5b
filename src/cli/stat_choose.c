// SPDX-License-Identifier: MIT
/*
 * pmk stat, first part: settle which core, events, metrics, regions and intervals are meant. Choosing
 * events and metrics is the same for every target, the rest is emulation's.
 */
#include "cli/stat.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ---- what is counted ------------------------------------------------------------------------ */

static int choose_core(struct job *job)
{
	const char *name = job->q->core_name;
	const struct pmk_pmu *asked = NULL;
	int err;

	if (job->q->pmu_name) {
		asked = pmk_pmu_find(job->q->pmu_name);
		if (!asked)
			return cli_fail(PMK_EXIT_USAGE, "unknown PMU '%s' (pmk list pmus)",
					job->q->pmu_name);
		if (!name)
			name = asked->name;
	}
	err = emulation_core(&job->emu, name, &job->q->overrides);
	if (err)
		return err;
	job->pmu = pmk_pmu_find(job->emu.core.pmu);
	if (!job->pmu)
		return cli_fail(PMK_EXIT_USAGE,
				"core %s has no performance monitor; choose another one "
				"(pmk list cores)",
				job->emu.core.name);
	if (asked && asked != job->pmu)
		return cli_fail(PMK_EXIT_USAGE, "core %s has the PMU %s, not %s",
				job->emu.core.name, job->pmu->name, asked->name);
	return 0;
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
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct pmk_event *ev = pmk_pmu_event(job->pmu, names[i]);
		int err = ev ? event_list_add(&job->events, ev, ev->name) : 0;

		if (err)
			return err;
	}
	return 0;
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

/* Why an event cannot be counted here, or NULL. */
static const char *not_counted_because(const struct job *job, const struct event_request *req)
{
	struct pmk_signal_set raised = pmk_cpu_raises(&job->emu.core);
	const struct pmk_event *ev = req->event;

	if (req->kernel && !req->user)
		return job->emu.system ? "privileged and user mode are not told apart in emulation"
				       : "user emulation runs no kernel code";
	if (req->user && !req->kernel && job->emu.system)
		return "privileged and user mode are not told apart in emulation";
	if (!pmk_signal_in(&raised, ev->signal))
		return ev->unmodelled ? ev->unmodelled : "not modelled";
	return NULL;
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
	err = pmk_plan_make(job->pmu, &job->plan);
	if (err == PMK_ENOCTR)
		return cli_fail(PMK_EXIT_USAGE,
				"a {group} needs more counters than %s has (%u, one of "
				"them for cycles only)",
				job->pmu->name, job->pmu->ncounters);
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
		err = stat_choose_events(job, default_events);
	if (!err)
		err = plan_events(job);
	if (!err)
		err = choose_regions(job);
	if (!err)
		err = choose_interval(job);
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

static const char *const own_options[] = { "core", "set",    "region",	"from", "to",
					   "env",  "passes", "sysroot", "qemu", NULL };

const struct stat_target stat_emu = {
	.name = "emu",
	.brief = "emulation: the program runs under QEMU and its core is modelled",
	.options = own_options,
	.choose = stat_choose,
	.run = stat_run,
	.describe = stat_describe,
	.write = stat_write,
};
