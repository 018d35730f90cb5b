/* SPDX-License-Identifier: MIT */
/*
 * AHB Monitor: counting from its packets. What the pins say of every cycle (packet.h) becomes
 * signals on the PMK_AHBMON_NBUSES buses that the model counts from, as the observers of the buses
 * themselves raise them.
 *
 *	pmk_ahbmon_unpack_init(&u, &codes, buses);
 *	for (each packet)
 *		pmk_ahbmon_unpack(&u, buses, &packet);
 *
 * The pins say less than the buses (DDI 0287B §4.2.1, Table 4-1), so some is our choice and some is
 * not raised:
 *  - The type of a burst is told by its second beat. A burst without one counts as SINGLE; an INCR
 *    of one beat looks the same.
 *  - A wait state is on a first beat if what completes next is one. Of what RETRY ends nothing
 *    tells, and its waits are in the total alone.
 *  - A WRAP8 read counts as a linefill, whatever its size. HADDR, HSIZE and HPROT are not on the
 *    pins: no windows, cast-outs, table walks and pages.
 *  - What a request of the GXI that waits wants to do is not there either.
 *
 * A layer counts when the layout has a code for one of its states. No pointers in the struct.
 */
#ifndef PMK_PMU_AHBMON_UNPACK_H
#define PMK_PMU_AHBMON_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/bus.h>

#include "ahb/gxi.h"
#include "pmu/ahbmon/packet.h"

/* What is under way on a layer. */
struct pmk_ahbmon_unpack_layer {
	bool coded;		 /* the layout has codes for it */
	bool open, write, typed; /* a burst; its direction; its type has been counted */
	uint64_t slave, bus;	 /* wait states since the last completed transfer, by cause */
	uint64_t streak;	 /* the same in a row */
	uint32_t threshold;	 /* in force; the caller may change it */
	uint64_t bursts;	 /* first beats */
	uint64_t unknown;	 /* cycles of which the pins did not tell the state */
};

struct pmk_ahbmon_unpack {
	struct pmk_ahbmon_unpack_layer layer[PMK_AHBMON_NLAYERS];
	struct pmk_gxi gxi;
};

/* Sets which signals are raised on the buses. */
void pmk_ahbmon_unpack_init(struct pmk_ahbmon_unpack *u,
			    const struct pmk_ahbmon_packet_params *codes, struct pmk_bus *buses);

/* One packet. */
void pmk_ahbmon_unpack(struct pmk_ahbmon_unpack *u, struct pmk_bus *buses,
		       const struct pmk_ahbmon_packet *p);

/* The stream has ended, and with it the bursts under way. */
void pmk_ahbmon_unpack_end(struct pmk_ahbmon_unpack *u, struct pmk_bus *buses);

#endif
