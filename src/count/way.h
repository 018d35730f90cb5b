/* SPDX-License-Identifier: MIT */
/*
 * A way to count: emulation, this machine, a waveform dump, or a target on a wire. The setting
 * "target" chooses one, and `pmk list targets` shows them. struct pmk_count.state is private to the
 * way; count.h has what all ways share.
 */
#ifndef PMK_COUNT_WAY_H
#define PMK_COUNT_WAY_H

#include <stdbool.h>

struct pmk_count;
struct pmk_recording;

struct pmk_count_way {
	const char *name, *brief;
	/* Describes WHERE for a setting of the form NAME:WHERE, for example "FILE"; NULL: only
	 * NAME. */
	const char *where;
	const char *usual; /* default of WHERE if it may be left out; otherwise NULL */
	/* Choose what is counted. This and the next three functions return 0 or a failure. */
	int (*choose)(struct pmk_count *c);
	int (*run)(struct pmk_count *c);
	/* After the run: complete the facts about the run as a whole. */
	int (*describe)(struct pmk_count *c);
	/* Pass the remaining sections to the listener. */
	int (*finish)(struct pmk_count *c);
	/* Produce the recording at the end. NULL: this way cannot record. */
	int (*record)(struct pmk_count *c);
	const struct pmk_recording *(*recording)(const struct pmk_count *c);
	void (*free)(struct pmk_count *c);
};

extern const struct pmk_count_way pmk_way_emulation, pmk_way_machine, pmk_way_wave, pmk_way_openocd,
	pmk_way_gdb, pmk_way_xvc, pmk_way_devmem;
extern const struct pmk_count_way *const pmk_count_ways[]; /* NULL terminated */

/* True if this machine can run the program, natively or as a script. If so, pmk_way_machine counts
 * it. */
bool pmk_machine_runs(const char *program);

#endif
