/* SPDX-License-Identifier: MIT */
/* Metrics of a report. */
#ifndef PMK_COUNT_METRICS_H
#define PMK_COUNT_METRICS_H

#include <stdbool.h>

#include <pmk/result.h>
#include <pmk/session.h>

#include "count/error.h"
#include "count/words.h"

/* NULL terminated. More than fit are left out. */
struct pmk_metric_list {
	const struct pmk_metric *item[PMK_MAX_EVENTS + 1];
	unsigned count;
};

/* Those that the words name, each of them a list with commas. 0 or a failure. */
int pmk_metric_list_named(struct pmk_metric_list *list, const struct pmk_metrics *all,
			  const struct pmk_words *words, struct pmk_count_fault *f);
/* Every metric for which the events suffice, and the clock where it takes that. `counted` tells of
 * an event whether it is one of them. */
void pmk_metric_list_fitting(struct pmk_metric_list *list, const struct pmk_metrics *all,
			     const struct pmk_pmu *pmu, bool has_clock,
			     bool (*counted)(const void *ctx, const struct pmk_event *ev),
			     const void *ctx);

#endif
