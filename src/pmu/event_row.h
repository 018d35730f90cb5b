/* SPDX-License-Identifier: MIT */
/* Rows of catalogues of events: see struct pmk_event. */
#ifndef PMK_PMU_EVENT_ROW_H
#define PMK_PMU_EVENT_ROW_H

#include <pmk/pmu.h>

/* A row: code, name, cores, signals, document, brief text, and further members that are texts. */
#define EVENT_ROW(c, n, on, signals, r, ...)                    \
	{                                                       \
		.code = (c), .name = n, .cores = (on), signals, \
		PMK_HOST(.ref = r, .brief = __VA_ARGS__)        \
	}
/* An event that emulation cannot count, and why. */
#define EVENT_UNSEEN(c, n, on, r, why, ...)                                   \
	{                                                                     \
		.code = (c), .name = n, .cores = (on),                        \
		PMK_HOST(.ref = r, .unmodelled = (why), .brief = __VA_ARGS__) \
	}

/* The signals of a row: one, the cycles of a condition, occurrences with their latency, and the sum
 * of two. */
#define SIG(sig)	.signal = PMK_SIG_##sig
#define SIG_CYCLES(sig) SIG(sig), .cycles = true
#define SIG_TIMED(sig)	SIG(sig), .latency = true
#define SIG_SUM(a, b)	.signal = PMK_SIG_##a, .signal2 = PMK_SIG_##b

#endif
