/* SPDX-License-Identifier: MIT */
/* Compares names for the look-ups in src/pmu. */
#ifndef PMK_PMU_LOOKUP_H
#define PMK_PMU_LOOKUP_H

#include <pmk/pmu.h>

/*
 * True if `name` is the first word of `own` or one of the words in `aliases`, in upper or lower
 * case. `aliases` may be NULL.
 */
bool pmk_is_called(const char *own, const char *aliases, const char *name);

#endif
