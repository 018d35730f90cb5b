/* SPDX-License-Identifier: MIT */
/* Stable. */
/*
 * LIKWID's marker macros, implemented with our regions, so that code instrumented for
 * likwid-perfctr works without changes. Include this instead of <likwid-marker.h>; define
 * PMK_TARGET (see <pmk/target.h>) and give the target an array of regions, one per tag, before
 * LIKWID_MARKER_INIT.
 *
 * START and STOP look up their tag by name at each call, with one string comparison for each
 * earlier region. THREADINIT and SWITCH do nothing. GET stores the net sums of the first *nevents
 * events, the number of events and of occurrences, in the types of the variables. It sets the time
 * to 0, because the time is not measured.
 */
#ifndef PMK_LIKWID_H
#define PMK_LIKWID_H

#include <pmk/target.h>

#define LIKWID_MARKER_INIT	    ((void)pmk_target_start(PMK_TARGET))
#define LIKWID_MARKER_THREADINIT    ((void)0)
#define LIKWID_MARKER_SWITCH	    ((void)0)
#define LIKWID_MARKER_REGISTER(tag) ((void)pmk_region_find(PMK_TARGET, (tag)))
#define LIKWID_MARKER_START(tag) \
	((void)pmk_region_begin(PMK_TARGET, (unsigned)pmk_region_find(PMK_TARGET, (tag))))
#define LIKWID_MARKER_STOP(tag) \
	((void)pmk_region_end(PMK_TARGET, (unsigned)pmk_region_find(PMK_TARGET, (tag))))
#define LIKWID_MARKER_RESET(tag) \
	((void)pmk_region_reset(PMK_TARGET, (unsigned)pmk_region_find(PMK_TARGET, (tag))))
/* The parameters do not have the names of struct members, because the preprocessor would replace
 * the members, too. */
#if PMK_ENABLED
#define LIKWID_MARKER_GET(tag, pn_, values_, time_, calls_)                                \
	do {                                                                               \
		const int pmk_id_ = pmk_region_find(PMK_TARGET, (tag));                    \
		int pmk_n_ = (int)*(pn_);                                                  \
		if (pmk_n_ > (int)(PMK_TARGET)->nevents)                                   \
			pmk_n_ = (int)(PMK_TARGET)->nevents;                               \
		for (int pmk_i_ = 0; pmk_id_ >= 0 && pmk_i_ < pmk_n_; pmk_i_++)            \
			(values_)[pmk_i_] = (PMK_TARGET)->region[pmk_id_].net[pmk_i_].sum; \
		*(pn_) = pmk_n_;                                                           \
		*(calls_) = pmk_id_ >= 0 ? (PMK_TARGET)->region[pmk_id_].count : 0;        \
		*(time_) = 0;                                                              \
	} while (0)
#else
#define LIKWID_MARKER_GET(tag, pn_, values_, time_, calls_) \
	(*(pn_) = 0, *(time_) = 0, *(calls_) = 0, (void)sizeof(tag), (void)sizeof((values_)[0]))
#endif
#define LIKWID_MARKER_CLOSE ((void)pmk_target_stop(PMK_TARGET))

#endif
