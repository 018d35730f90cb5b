/* SPDX-License-Identifier: MIT */
/* Writes the pins AHBMONITOR[33:0] of the AHB Monitor to a dump, while the monitor counts in
 * emulation or in another dump. */
#ifndef PMK_COUNT_PACKETS_H
#define PMK_COUNT_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"
#include "count/error.h"
#include "pmu/ahbmon/packet.h"
#include "producer/wave/run.h"

struct pmk_packets_out {
	const char *path; /* NULL: nothing is written */
	struct pmk_whole file;
	struct pmk_ahbmon_packets packets;
	struct pmk_ahbmon_observer seen; /* only what the observers of the dump have seen */
	struct pmk_ahbmon_pins last;	 /* as written */
	uint64_t time, period;		 /* time of the last edge; the time between the last two */
	bool begun;
	int error; /* errno of the first write that failed, or 0 */
};

/* Open the file and write its header. `unit` is the dump's timescale, for example "10 ns", or "" if
 * there is none. Returns 0 or a failure. */
int pmk_packets_open(struct pmk_packets_out *p, const char *path,
		     const struct pmk_ahbmon_packet_params *codes, const char *unit,
		     struct pmk_count_fault *f);
/* Add the activity of the layers at this edge of the clock. Returns 0 or a failure. */
int pmk_packets_edge(struct pmk_packets_out *p, const struct pmk_wave_count *count, uint64_t time,
		     struct pmk_count_fault *f);
/* In emulation, add the state of the pins. A cycle of HCLK takes two units of time. At the end,
 * pmk_packets_under_way() passes the cycles that have not reached the pins, which
 * pmk_packets_close() then writes. */
void pmk_packets_show(struct pmk_packets_out *p, const struct pmk_ahbmon_pins *shown);
void pmk_packets_under_way(struct pmk_packets_out *p, const struct pmk_ahbmon_packets *packets);
/* Write the cycles that have not reached the pins, and close the file. If `keep` is false because
 * something failed, restore the file as it was. Returns 0 or a failure. */
int pmk_packets_close(struct pmk_packets_out *p, bool keep, struct pmk_count_fault *f);

#endif
