/* SPDX-License-Identifier: MIT */
/*
 * A way to count: what the setting "target" names and `pmk list targets` shows. Emulation, this
 * machine, a waveform dump. What a way knows of a run is its own, struct pmk_count.state; what all
 * share is in count.h.
 */
#ifndef PMK_COUNT_WAY_H
#define PMK_COUNT_WAY_H

#include <stdbool.h>

struct pmk_count;

struct pmk_count_way {
	const char *name, *brief;
	bool file;		     /* target NAME:FILE */
	const char *const *settings; /* those that not every way knows; NULL terminated */
	/* Settle what is counted. All of them: 0 or a failure. */
	int (*choose)(struct pmk_count *c);
	int (*run)(struct pmk_count *c);
	/* Afterwards: what the result says of the run as a whole … */
	int (*describe)(struct pmk_count *c);
	/* … and the sections that nobody has been told of yet. */
	int (*finish)(struct pmk_count *c);
	void (*free)(struct pmk_count *c);
};

extern const struct pmk_count_way pmk_way_emulation, pmk_way_machine, pmk_way_wave;
extern const struct pmk_count_way *const pmk_count_ways[]; /* NULL terminated */

/* Is it a program of this very machine, or a script? Then it is counted by pmk_way_machine. */
bool pmk_machine_runs(const char *program);

#endif
