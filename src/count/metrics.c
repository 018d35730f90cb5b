// SPDX-License-Identifier: MIT
/* See metrics.h. */
#define _GNU_SOURCE
#include "count/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* Add a metric unless it is in the list already. */
static void add_metric(struct pmk_metric_list *list, const struct pmk_metric *m)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->item[i] == m)
			return;
	if (list->count < PMK_MAX_EVENTS)
		list->item[list->count++] = m;
}

static const char *metric_name(const void *metrics, unsigned i)
{
	return i < pmk_metrics_count(metrics) ? pmk_metrics_get(metrics, i)->name : NULL;
}

static int find_metric(struct pmk_metric_list *list, const struct pmk_metrics *all,
		       const char *name, struct pmk_count_fault *f)
{
	const struct pmk_metric *m = pmk_metrics_find(all, name);
	char near[256] = "";

	if (!*name)
		return pmk_count_refuse(f, "empty metric name in the metric list");
	if (m) {
		add_metric(list, m);
		return 0;
	}
	pmk_nearest_among(name, metric_name, all, near, sizeof(near));
	return pmk_count_refuse(f, "unknown metric '%s'%s%s%s (pmk list metrics)", name,
				*near ? "; did you mean " : "", near, *near ? "?" : "");
}

int pmk_metric_list_named(struct pmk_metric_list *list, const struct pmk_metrics *all,
			  const struct pmk_words *words, struct pmk_count_fault *f)
{
	int err = 0;

	for (unsigned i = 0; !err && i < words->count; i++) {
		char *word = strdup(words->word[i]), *at = word, *name;

		if (!word)
			return pmk_count_no_memory(f);
		while (!err && (name = strsep(&at, ",")))
			err = find_metric(list, all, name, f);
		free(word);
	}
	return err;
}

void pmk_metric_list_fitting(struct pmk_metric_list *list, const struct pmk_metrics *all,
			     const struct pmk_pmu *pmu, bool has_clock,
			     bool (*counted)(const void *ctx, const struct pmk_event *ev),
			     const void *ctx)
{
	for (unsigned i = 0; i < pmk_metrics_count(all); i++) {
		const struct pmk_metric *m = pmk_metrics_get(all, i);
		bool fits = has_clock || !strstr(m->formula, "cycles_per_second");

		for (const char *const *name = m->events; fits && *name; name++) {
			const struct pmk_event *ev = pmk_pmu_event(pmu, *name);

			fits = ev && counted(ctx, ev);
		}
		if (fits)
			add_metric(list, m);
	}
}
