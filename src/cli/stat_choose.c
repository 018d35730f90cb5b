// SPDX-License-Identifier: MIT
/* pmk stat, first part: settle which core, events, metrics, regions and intervals are meant. */
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
		"cpu_cycles",	   "instr_exec",  "br_exec",
		"br_mispredict",   "icache_miss", "dcache_access_cacheable",
		"dcache_rdaccess", "dcache_miss", "dcache_rdmiss",
		"main_tlb_miss",   "ibuf_stall",  "ddep_stall",
		"lsu_full_stall",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct pmk_event *ev = pmk_pmu_event(job->pmu, names[i]);
		int err = ev ? event_list_add(&job->events, ev, ev->name) : 0;

		if (err)
			return err;
	}
	return 0;
}

static const char *next_metric(const void *ctx, unsigned i)
{
	return i < pmk_metrics_count(ctx) ? pmk_metrics_get(ctx, i)->name : NULL;
}

static int add_metric(struct job *job, const char *name, unsigned *count)
{
	struct pmk_metrics *all = cli_metrics();
	const struct pmk_metric *m = all ? pmk_metrics_find(all, name) : NULL;
	char near[256] = "";

	if (!all)
		return PMK_EXIT_FAILED;
	if (!m) {
		cli_nearest(name, next_metric, all, near, sizeof(near));
		return cli_fail(PMK_EXIT_USAGE, "unknown metric '%s'%s%s%s (pmk list metrics)",
				name, *near ? "; did you mean " : "", near, *near ? "?" : "");
	}
	for (const char *const *e = m->events; *e; e++) {
		const struct pmk_event *ev = pmk_pmu_event(job->pmu, *e);
		int err;

		if (!ev)
			return cli_fail(PMK_EXIT_USAGE,
					"metric %s needs event %s, which %s does not have", name,
					*e, job->pmu->name);
		err = event_list_add(&job->events, ev, ev->name);
		if (err)
			return err;
	}
	if (*count < PMK_MAX_EVENTS)
		job->metrics[(*count)++] = m;
	return 0;
}

static int asked_metrics(struct job *job, unsigned *count)
{
	for (unsigned i = 0; i < job->q->metrics.count; i++) {
		char *list = strdup(job->q->metrics.word[i]), *save, *name;
		int err = list ? 0 : cli_fail(PMK_EXIT_FAILED, "out of memory");

		for (name = list ? strtok_r(list, ",", &save) : NULL; name && !err;
		     name = strtok_r(NULL, ",", &save))
			err = add_metric(job, name, count);
		free(list);
		if (err)
			return err;
	}
	return 0;
}

/* Without -M: every metric that the events at hand suffice for. */
static int fitting_metrics(struct job *job, unsigned *count)
{
	struct pmk_metrics *all = cli_metrics();

	for (unsigned i = 0; all && i < pmk_metrics_count(all) && *count < PMK_MAX_EVENTS; i++) {
		const struct pmk_metric *m = pmk_metrics_get(all, i);
		bool fits = true;

		for (const char *const *e = m->events; *e; e++) {
			const struct pmk_event *ev = pmk_pmu_event(job->pmu, *e);

			fits = fits && ev && event_list_find(&job->events, ev);
		}
		if (fits)
			job->metrics[(*count)++] = m;
	}
	return all ? 0 : PMK_EXIT_FAILED;
}

static int choose_events(struct job *job)
{
	unsigned nmetrics = 0;
	int err = 0;

	for (unsigned i = 0; i < job->q->metrics.count; i++)
		if (!*job->q->metrics.word[i])
			return cli_fail(PMK_EXIT_USAGE, "empty metric name in the metric list");
	for (unsigned i = 0; !err && i < job->q->events.count; i++)
		err = event_list_parse(&job->events, job->pmu, job->q->events.word[i]);
	if (!err && !job->q->events.count && !job->q->metrics.count)
		err = default_events(job);
	if (!err)
		err = asked_metrics(job, &nmetrics);
	if (!err && !job->q->metrics.count)
		err = fitting_metrics(job, &nmetrics);
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
		err = choose_events(job);
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
	snprintf(job->cfg.pmu, sizeof(job->cfg.pmu), "%s", job->pmu ? job->pmu->name : "");
	job->cfg.core = job->emu.core;
	pmk_emulated_configure(&job->cfg);
	return err;
}
