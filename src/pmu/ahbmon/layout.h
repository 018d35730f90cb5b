/* SPDX-License-Identifier: MIT */
/*
 * Layout files of the AHB Monitor. They have what is missing in the public pages of the manual: the
 * positions of registers and control bits, and the codes of the packets on AHBMONITOR[33:0]. The
 * format is our own, with data/layouts/sp816.ini as an example; docs/FORMATS.md describes it.
 */
#ifndef PMK_PMU_AHBMON_LAYOUT_H
#define PMK_PMU_AHBMON_LAYOUT_H

#include <stddef.h>

#include <pmk/ahbmon.h>

#include "pmu/ahbmon/packet.h"

struct pmk_ahbmon_layout_file {
	char name[32];
	struct pmk_ahbmon_layout layout;
	struct pmk_ahbmon_packet_params packet;
};

/*
 * Returns 0, PMK_EIO if the file cannot be read, or PMK_EPARSE if it has an error. On failure `msg`
 * has one line, "FILE:LINE: why". On success, pmk_ahbmon_layout_check() accepts the layout, and
 * pmk_ahbmon_packets_init() accepts its codes.
 */
int pmk_ahbmon_layout_load(struct pmk_ahbmon_layout_file *file, const char *path, char *msg,
			   size_t size);

#endif
