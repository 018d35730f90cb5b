/* SPDX-License-Identifier: MIT */
/* The layout and the settings of the AHB Monitor. */
#ifndef PMK_COUNT_MONITOR_H
#define PMK_COUNT_MONITOR_H

#include "count/error.h"
#include "count/words.h"
#include "cpu/config.h"
#include "pmu/ahbmon/layout.h"

struct pmk_count;

struct pmk_monitor {
	struct pmk_ahbmon_layout_file layout;
	struct pmk_ahbmon_config config;
};

/* Load the layout file at `path`, or for NULL the default file in the data directory. Returns 0 or
 * a failure. */
int pmk_monitor_layout(struct pmk_ahbmon_layout_file *file, const char *path, const char *data,
		       struct pmk_count_fault *f);
/* Load the layout, and use the settings from the core's parameters. Returns 0 or a failure. */
int pmk_monitor_choose(struct pmk_monitor *m, struct pmk_count *c, const struct pmk_core *core);
/* Reject --layout, because `what` counts, not the AHB Monitor. Returns 0 or a failure. */
int pmk_monitor_none(struct pmk_count *c, const char *what);
/* Set the monitor's parameters for a dump, which has no core: the defaults, changed by --set.
 * Returns 0 or a failure. */
int pmk_monitor_core(struct pmk_core *core, struct pmk_count *c);

#endif
