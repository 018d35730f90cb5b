/* SPDX-License-Identifier: MIT */
/* How look-ups in src/pmu compare names. */
#ifndef PMK_PMU_LOOKUP_H
#define PMK_PMU_LOOKUP_H

#include <pmk/pmu.h>

/*
 * True if `name` (any case) is the first word of `own`, or one of the words in `aliases` (or NULL).
 */
bool pmk_is_called(const char *own, const char *aliases, const char *name);

#endif
