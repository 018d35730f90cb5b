/* SPDX-License-Identifier: MIT */
/* What pmus.c read, for names.c: a PMU's event formats and named events. */
#ifndef PMK_PRODUCER_LINUX_SYSFS_H
#define PMK_PRODUCER_LINUX_SYSFS_H

#include "producer/linux/linux.h"

#define PMK_LINUX_PIECES 8

/* format/NAME, "config1:0-7,32": where the bits of a term go, lowest piece first. */
struct pmk_linux_format {
	char *name;
	unsigned word; /* 0 config, 1 config1, 2 config2 */
	unsigned npieces;
	struct {
		uint8_t low, high;
	} piece[PMK_LINUX_PIECES];
};

/* events/NAME, "event=0x11", with the unit that a number of it has. */
struct pmk_linux_named {
	char *name, *terms, *unit;
};

struct pmk_linux_pmu_full {
	struct pmk_linux_pmu pub; /* first: what the outside sees is what we are */
	char *name;		  /* pub.name */
	struct pmk_pmu made;	  /* pub.pmu where no catalogue knows it */
	struct pmk_linux_format *formats;
	unsigned nformats;
	struct pmk_linux_named *events;
	unsigned nevents;
};

/* An event that somebody asked for. */
struct pmk_linux_made {
	struct pmk_linux_event event;
	struct pmk_event row; /* event.row where no catalogue has it */
	char *name;
	struct pmk_linux_made *next;
};

struct pmk_linux_pmus {
	struct pmk_linux_pmu_full *list;
	unsigned count;
	struct pmk_linux_made *made;
};

static inline const struct pmk_linux_pmu_full *pmk_linux_full(const struct pmk_linux_pmu *pmu)
{
	return (const struct pmk_linux_pmu_full *)(const void *)pmu;
}

#endif
