/* SPDX-License-Identifier: MIT */
/*
 * A way to count: emulation, this machine, a waveform dump, or a target on a wire. The setting
 * "target" chooses one, and `pmk list targets` shows them. The state of a way is its own, struct
 * pmk_count.state; what all ways share is in count.h.
 */
#ifndef PMK_COUNT_WAY_H
#define PMK_COUNT_WAY_H

#include <stdbool.h>

struct pmk_count;
struct pmk_recording;

struct pmk_count_way {
	const char *name, *brief;
	const char *where; /* the setting is NAME:WHERE, "FILE" for example; NULL: NAME alone */
	const char *usual; /* WHERE, if NAME alone will do, too; NULL: it does not */
	/* Choose what is counted. Like the next three, it returns 0 or a failure. */
	int (*choose)(struct pmk_count *c);
	int (*run)(struct pmk_count *c);
	/* After the run: complete what the result says of the run as a whole … */
	int (*describe)(struct pmk_count *c);
	/* … and tell the listener of the remaining sections. */
	int (*finish)(struct pmk_count *c);
	/* At the end: what was recorded. NULL: this way records nothing. */
	int (*record)(struct pmk_count *c);
	const struct pmk_recording *(*recording)(const struct pmk_count *c);
	void (*free)(struct pmk_count *c);
};

extern const struct pmk_count_way pmk_way_emulation, pmk_way_machine, pmk_way_wave, pmk_way_openocd,
	pmk_way_gdb, pmk_way_xvc, pmk_way_devmem;
extern const struct pmk_count_way *const pmk_count_ways[]; /* NULL terminated */

/* Can this machine run the program, natively or as a script? Then pmk_way_machine counts it. */
bool pmk_machine_runs(const char *program);

#endif
