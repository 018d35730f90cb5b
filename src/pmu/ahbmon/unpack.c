// SPDX-License-Identifier: MIT
/* Counts from the packets of the AHB Monitor. The rules are in unpack.h. */
#include "pmu/ahbmon/unpack.h"

static const uint8_t burst_signal[PMK_AHB_NBURSTS] = {
	[PMK_AHB_SINGLE] = PMK_SIG_AHB_SINGLE, [PMK_AHB_INCR] = PMK_SIG_AHB_INCR,
	[PMK_AHB_WRAP4] = PMK_SIG_AHB_WRAP4,   [PMK_AHB_INCR4] = PMK_SIG_AHB_INCR4,
	[PMK_AHB_WRAP8] = PMK_SIG_AHB_WRAP8,   [PMK_AHB_INCR8] = PMK_SIG_AHB_INCR8,
	[PMK_AHB_WRAP16] = PMK_SIG_AHB_WRAP16, [PMK_AHB_INCR16] = PMK_SIG_AHB_INCR16,
};

static bool is_coded(struct pmk_ahbmon_codes codes)
{
	for (unsigned k = 0; k < PMK_AHBMON_NCODES; k++)
		if (*pmk_ahbmon_code(&codes, k) != PMK_AHBMON_NO_CODE)
			return true;
	return false;
}

static void raise_layer(struct pmk_bus *bus)
{
	static const uint8_t others[] = {
		PMK_SIG_AHB_READ,
		PMK_SIG_AHB_WRITE,
		PMK_SIG_AHB_LINEFILL,
		PMK_SIG_AHB_WAIT,
		PMK_SIG_AHB_WAIT_FIRST_SLAVE,
		PMK_SIG_AHB_WAIT_FIRST_BUS,
		PMK_SIG_AHB_WAIT_OVER,
	};

	for (unsigned i = 0; i < sizeof(others); i++)
		pmk_signal_add(&bus->raised, others[i]);
	for (unsigned b = 0; b < PMK_AHB_NBURSTS; b++)
		pmk_signal_add(&bus->raised, burst_signal[b]);
}

void pmk_ahbmon_unpack_init(struct pmk_ahbmon_unpack *u,
			    const struct pmk_ahbmon_packet_params *codes, struct pmk_bus *buses)
{
	const struct pmk_gxi_params gxi = { .no_address = true, .no_write = true };

	*u = (struct pmk_ahbmon_unpack){ .layer[0] = { .coded = false } };
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++) {
		u->layer[i].coded = is_coded(codes->layer[i]);
		if (u->layer[i].coded)
			raise_layer(&buses[PMK_AHBMON_BUS_ARMI + i]);
	}
	pmk_gxi_init(&u->gxi, &gxi, &buses[PMK_AHBMON_BUS_GXI]);
}

static void no_waits(struct pmk_ahbmon_unpack_layer *l)
{
	l->slave = l->bus = l->streak = 0;
}

/* Ends the current burst. The type of a burst without a second beat is unknown, so it counts as
 * SINGLE. */
static void end_burst(struct pmk_ahbmon_unpack_layer *l, struct pmk_bus *bus)
{
	if (l->open && !l->typed)
		pmk_bus_add(bus, PMK_SIG_AHB_SINGLE, 1);
	l->open = false;
}

static void count_wait(struct pmk_ahbmon_unpack_layer *l, struct pmk_bus *bus, bool slave)
{
	pmk_bus_add(bus, PMK_SIG_AHB_WAIT, 1);
	l->slave += slave;
	l->bus += !slave;
	if (l->streak++ == l->threshold)
		pmk_bus_add(bus, PMK_SIG_AHB_WAIT_OVER, 1);
}

static void first_beat(struct pmk_ahbmon_unpack_layer *l, struct pmk_bus *bus, bool write)
{
	end_burst(l, bus);
	pmk_bus_add(bus, write ? PMK_SIG_AHB_WRITE : PMK_SIG_AHB_READ, 1);
	pmk_bus_add(bus, PMK_SIG_AHB_WAIT_FIRST_SLAVE, l->slave);
	pmk_bus_add(bus, PMK_SIG_AHB_WAIT_FIRST_BUS, l->bus);
	l->bursts++;
	l->open = true;
	l->write = write;
	l->typed = false;
	no_waits(l);
}

static void later_beat(struct pmk_ahbmon_unpack_layer *l, struct pmk_bus *bus, unsigned burst)
{
	no_waits(l);
	/* If the first beat came before the first packet, the direction of the burst is unknown. */
	if (!l->open)
		return;
	pmk_bus_add(bus, l->write ? PMK_SIG_AHB_WRITE : PMK_SIG_AHB_READ, 1);
	if (l->typed)
		return;
	l->typed = true;
	pmk_bus_add(bus, burst_signal[burst], 1);
	if (burst == PMK_AHB_WRAP8 && !l->write)
		pmk_bus_add(bus, PMK_SIG_AHB_LINEFILL, 1);
}

static void take_state(struct pmk_ahbmon_unpack_layer *l, struct pmk_bus *bus,
		       const struct pmk_ahbmon_layer_state *s)
{
	switch ((enum pmk_ahbmon_state)s->state) {
	case PMK_AHBMON_S_I:
		end_burst(l, bus);
		no_waits(l);
		break;
	case PMK_AHBMON_S_B:
		no_waits(l);
		break;
	case PMK_AHBMON_S_EN: /* The second cycle of ERROR completes the transfer that waits. */
		l->streak = 0;
		break;
	case PMK_AHBMON_S_RN:
		no_waits(l);
		break;
	case PMK_AHBMON_S_WS:
		count_wait(l, bus, true);
		break;
	case PMK_AHBMON_S_WB:
	case PMK_AHBMON_S_WA:
		count_wait(l, bus, false);
		break;
	case PMK_AHBMON_S_S:
		later_beat(l, bus, s->detail);
		break;
	case PMK_AHBMON_S_NR:
	case PMK_AHBMON_S_NW:
		first_beat(l, bus, s->state == PMK_AHBMON_S_NW);
		break;
	case PMK_AHBMON_S_UNKNOWN:
	case PMK_AHBMON_NSTATES:
		l->unknown++;
		break;
	}
}

void pmk_ahbmon_unpack(struct pmk_ahbmon_unpack *u, struct pmk_bus *buses,
		       const struct pmk_ahbmon_packet *p)
{
	struct pmk_gxi_cycle gxi = { .address = p->gxi_address, .data = p->gxi_data };

	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		if (u->layer[i].coded)
			take_state(&u->layer[i], &buses[PMK_AHBMON_BUS_ARMI + i], &p->layer[i]);
	if (!p->no_gxi)
		pmk_gxi_sample(&u->gxi, &buses[PMK_AHBMON_BUS_GXI], &gxi);
}

void pmk_ahbmon_unpack_end(struct pmk_ahbmon_unpack *u, struct pmk_bus *buses)
{
	for (unsigned i = 0; i < PMK_AHBMON_NLAYERS; i++)
		end_burst(&u->layer[i], &buses[PMK_AHBMON_BUS_ARMI + i]);
}
