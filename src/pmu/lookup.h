/* SPDX-License-Identifier: MIT */
/* How names are compared, for look-ups in src/pmu. */
#ifndef PMK_PMU_LOOKUP_H
#define PMK_PMU_LOOKUP_H

#include <pmk/pmu.h>

/* Is `name` (any case) the one in `own` or one of the space separated `aliases` (or NULL)? */
bool pmk_is_called(const char *own, const char *aliases, const char *name);

#endif
