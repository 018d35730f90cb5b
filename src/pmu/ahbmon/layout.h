/* SPDX-License-Identifier: MIT */
/*
 * AHB Monitor: layout files. Where the registers and control bits are, and the codes of the packets
 * on AHBMONITOR[33:0]: everything that the public pages of the manual leave out, in one place. The
 * format is that of data/layouts/sp816.ini, which is the project's own; docs/FORMATS.md describes
 * it.
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
 * 0; PMK_EIO: the file cannot be read; PMK_EPARSE: it is wrong. Then `msg` has one line,
 * "FILE:LINE: why". The result is a layout that pmk_ahbmon_layout_check() and codes that
 * pmk_ahbmon_packets_init() take.
 */
int pmk_ahbmon_layout_load(struct pmk_ahbmon_layout_file *file, const char *path, char *msg,
			   size_t size);

#endif
