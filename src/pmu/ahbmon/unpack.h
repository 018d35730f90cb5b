/* SPDX-License-Identifier: MIT */
/*
 * Counts from the packets of the AHB Monitor. For the state of the pins in every cycle (packet.h),
 * this code raises signals on the PMK_AHBMON_NBUSES buses from which the model counts, as if the
 * buses themselves were observed.
 *
 *	pmk_ahbmon_unpack_init(&u, &codes, buses);
 *	for (each packet)
 *		pmk_ahbmon_unpack(&u, buses, &packet);
 *
 * The pins carry less information than the buses (DDI 0287B §4.2.1, Table 4-1), so some rules are
 * our choice and some signals are not raised:
 *  - The type of a burst is known from its second beat on. A burst of one beat counts as SINGLE,
 *    because an INCR of one beat looks like it.
 *  - A wait state belongs to a first beat if a first beat completes next. The wait states of a
 *    transfer that RETRY ends are only in the total, because the kind of the transfer is unknown.
 *  - A WRAP8 read counts as a linefill, whatever its size. HADDR, HSIZE and HPROT are not on the
 *    pins, so windows, cast-outs, table walks and pages are not counted.
 *  - The pins do not show the kind of a GXI request that waits, so such waits are not counted by
 *    kind.
 *
 * A layer is counted if the layout has a code for at least one of its states. The struct has no
 * pointers.
 */
#ifndef PMK_PMU_AHBMON_UNPACK_H
#define PMK_PMU_AHBMON_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>

#include "buses/ahb/gxi.h"
#include "pmu/ahbmon/packet.h"

/* State of a layer. */
struct pmk_ahbmon_unpack_layer {
	bool coded;		 /* true if the layout has codes for the layer */
	bool open, write, typed; /* a burst is open; it is a write; its type was counted */
	uint64_t slave, bus;	 /* wait states since the last completed transfer, by cause */
	uint64_t streak;	 /* consecutive wait states */
	uint32_t threshold;	 /* current threshold; the caller may change it */
	uint64_t bursts;	 /* first beats */
	uint64_t unknown;	 /* cycles whose state the pins do not show */
};

struct pmk_ahbmon_unpack {
	struct pmk_ahbmon_unpack_layer layer[PMK_AHBMON_NLAYERS];
	struct pmk_gxi gxi;
};

/* Marks on the buses which signals are raised. */
void pmk_ahbmon_unpack_init(struct pmk_ahbmon_unpack *u,
			    const struct pmk_ahbmon_packet_params *codes, struct pmk_bus *buses);

/* Counts one packet. */
void pmk_ahbmon_unpack(struct pmk_ahbmon_unpack *u, struct pmk_bus *buses,
		       const struct pmk_ahbmon_packet *p);

/* Ends the stream, and with it the current bursts. */
void pmk_ahbmon_unpack_end(struct pmk_ahbmon_unpack *u, struct pmk_bus *buses);

#endif
