/* SPDX-License-Identifier: MIT */
/* Data that pmus.c has read for names.c: the event formats and the named events of a PMU. */
#ifndef PMK_PRODUCER_LINUX_SYSFS_H
#define PMK_PRODUCER_LINUX_SYSFS_H

#include "producer/linux/linux.h"

#define PMK_LINUX_PIECES 8

/* The contents of format/NAME, such as "config1:0-7,32": the bits that hold a term. Pieces are
 * ranges of bits, and the range for the lowest bits of the term comes first. */
struct pmk_linux_format {
	char *name;
	unsigned word; /* 0 config, 1 config1, 2 config2 */
	unsigned npieces;
	struct {
		uint8_t low, high;
	} piece[PMK_LINUX_PIECES];
};

/* The contents of events/NAME, such as "event=0x11", and the unit of its counts. */
struct pmk_linux_named {
	char *name, *terms, *unit;
};

struct pmk_linux_pmu_full {
	struct pmk_linux_pmu pub; /* comes first, so the two structs have one address */
	char *name;		  /* pub.name */
	struct pmk_pmu made;	  /* used for pub.pmu if no catalogue has the PMU */
	struct pmk_linux_format *formats;
	unsigned nformats;
	size_t room_formats;
	struct pmk_linux_named *events;
	unsigned nevents;
	size_t room_events;
};

/* A requested event. */
struct pmk_linux_made {
	struct pmk_linux_event event;
	struct pmk_event row; /* used for event.row if no catalogue has the event */
	char *name;
	struct pmk_linux_made *next;
};

struct pmk_linux_pmus {
	struct pmk_linux_pmu_full *list;
	unsigned count;
	size_t room;
	struct pmk_linux_made *made;
};

static inline const struct pmk_linux_pmu_full *pmk_linux_full(const struct pmk_linux_pmu *pmu)
{
	return (const struct pmk_linux_pmu_full *)(const void *)pmu;
}

#endif
