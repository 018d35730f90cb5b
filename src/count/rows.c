// SPDX-License-Identifier: MIT
/* Returns the rows of the result: see <pmk/count.h>. */
#include <sys/wait.h>

#include "base/sized.h"
#include "count/count.h"

/* Returns the section of row `i`. Each section of a run has `each` rows. */
static const struct pmk_section *section_of(const struct pmk_count *c, uint32_t i, unsigned each,
					    uint32_t *number)
{
	*number = each ? i / each : c->result.nsections;
	return *number < c->result.nsections ? &c->result.sections[*number] : NULL;
}

bool pmk_count_sized(const struct pmk_count *c, const char *type, size_t size, size_t least)
{
	if (pmk_size_is_valid(size, least))
		return true;
	/* The handle belongs to the caller and is const only in this interface. */
	if (c)
		pmk_count_fail((struct pmk_count_fault *)&c->fault, PMK_COUNT_USAGE,
			       "struct %s: its size is %zu; set .size = sizeof(struct %s)", type,
			       size, type);
	return false;
}

#define SIZED(c, type, object, last) \
	pmk_count_sized(c, #type, (object)->size, PMK_SIZE_UP_TO(struct type, last))

bool pmk_count_get_row(const struct pmk_count *c, uint32_t i, struct pmk_count_row *row)
{
	unsigned each = c && c->result.nsections ? c->result.sections[0].nrows : 0;
	const struct pmk_section *s;
	const struct pmk_row *from;
	struct pmk_count_row now;
	uint32_t number;

	if (!SIZED(c, pmk_count_row, row, latency_max))
		return false;
	s = c ? section_of(c, i, each, &number) : NULL;
	if (!s)
		return false;
	from = &s->rows[i % each];
	now = (struct pmk_count_row){
		.name = from->name,
		.pmu = (from->pmu ? from->pmu : c->result.pmu)->name,
		.unit = from->unit,
		.trust = pmk_trust_name(from->trust),
		.reason = from->reason,
		.region = s->region,
		.thread = s->thread,
		.cpu = s->cpu,
		.section = number,
		.group = from->group,
		.has_value = pmk_trust_has_value(from->trust),
		.entries = s->entries,
		.runtime_ns = from->runtime_ns,
		.coverage = from->coverage,
		.stddev_pct = from->stddev_pct,
		.margin_pct = from->margin_pct,
		.interval = s->interval,
		.at_cycles = s->at_cycles,
		.at_insns = s->at_insns,
		.at_seconds = s->at_seconds,
	};
	if (now.has_value)
		now.value = from->value;
	if (from->has_dist && from->dist.latency) {
		now.has_latency = !from->dist.of;
		now.spread_of = from->dist.of;
		now.latency_n = from->dist.values.n;
		now.latency_sum = from->dist.values.sum;
		now.latency_min = from->dist.values.min;
		now.latency_max = from->dist.values.max;
		if (from->dist.histogram) {
			now.histogram = from->dist.histogram->count;
			now.nhistogram = PMK_BUCKETS;
		}
	}
	pmk_sized_copy(row, row->size, &now, sizeof(now));
	return true;
}

bool pmk_count_get_metric(const struct pmk_count *c, uint32_t i, struct pmk_count_metric *metric)
{
	const struct pmk_section *s;
	struct pmk_count_metric now;
	struct pmk_metric_value v;
	uint32_t number;

	if (!SIZED(c, pmk_count_metric, metric, value))
		return false;
	s = c ? section_of(c, i, c->metrics.count, &number) : NULL;
	if (!s)
		return false;
	v = pmk_metric_eval(c->metrics.item[i % c->metrics.count], &c->result, s);
	now = (struct pmk_count_metric){
		.name = v.name,
		.unit = v.unit,
		.reason = v.valid ? NULL : v.reason,
		.region = s->region,
		.thread = s->thread,
		.cpu = s->cpu,
		.section = number,
		.valid = v.valid,
		.value = v.valid ? v.value : 0,
	};
	pmk_sized_copy(metric, metric->size, &now, sizeof(now));
	return true;
}

/* Returns the exit code as a shell reports it: 128 + signal for a program that was killed. */
static int exit_code(const struct pmk_count *c)
{
	int status = c->result.exit_status;

	if (c->interrupted && !WIFEXITED(status))
		return 128 + c->interrupted;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool pmk_count_get_summary(const struct pmk_count *c, struct pmk_count_summary *s)
{
	const struct pmk_result *r = c ? &c->result : NULL;
	struct pmk_count_summary now = { 0 };

	if (!SIZED(c, pmk_count_summary, s, clock_hz))
		return false;
	if (r)
		now = (struct pmk_count_summary){
			.pmu = r->pmu ? r->pmu->name : NULL,
			.core = r->core,
			.command = r->command,
			.producer = r->producer,
			.settings = r->settings,
			.checked = r->checked,
			.warning = r->warning,
			.passes = r->passes,
			.runs = r->runs,
			.processes = r->processes,
			.threads = r->threads,
			.partial = r->partial,
			.exit_code = exit_code(c),
			.elapsed = r->elapsed,
			.clock_hz = r->clock_hz,
		};
	pmk_sized_copy(s, s->size, &now, sizeof(now));
	return r != NULL;
}
