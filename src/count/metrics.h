/* SPDX-License-Identifier: MIT */
/* Chooses the metrics of a result. */
#ifndef PMK_COUNT_METRICS_H
#define PMK_COUNT_METRICS_H

#include <stdbool.h>

#include <pmk/result.h>
#include <pmk/session.h>

#include "count/error.h"
#include "count/words.h"

/* A NULL terminated list. Metrics for which it has no room are left out. */
struct pmk_metric_list {
	const struct pmk_metric *item[PMK_MAX_EVENTS + 1];
	unsigned count;
};

/* Add the metrics that the words name. Each word is a list with commas. Returns 0 or a failure. */
int pmk_metric_list_named(struct pmk_metric_list *list, const struct pmk_metrics *all,
			  const struct pmk_words *words, struct pmk_count_fault *f);
/* Add all metrics that can be computed from the events, and from the clock if it is known.
 * `counted` returns true if an event is counted. */
void pmk_metric_list_fitting(struct pmk_metric_list *list, const struct pmk_metrics *all,
			     const struct pmk_pmu *pmu, bool has_clock,
			     bool (*counted)(const void *ctx, const struct pmk_event *ev),
			     const void *ctx);

#endif
