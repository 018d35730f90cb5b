// SPDX-License-Identifier: MIT
/* Observes the GXI. See gxi.h. */
#include "buses/ahb/gxi.h"

#include <stddef.h>

#include "base/foreign.h"

/* The signals that a wait cycle and a threshold hit raise, indexed by enum pmk_gxi_wait. */
static const uint8_t wait_signal[PMK_GXI_NWAITS][2] = {
	[PMK_GXI_WAIT_READ] = { PMK_SIG_GXI_READ_WAIT, PMK_SIG_GXI_READ_OVER },
	[PMK_GXI_WAIT_DATA] = { PMK_SIG_GXI_DATA_WAIT, PMK_SIG_GXI_DATA_OVER },
	[PMK_GXI_WAIT_WRITE] = { PMK_SIG_GXI_WRITE_WAIT, PMK_SIG_GXI_WRITE_OVER },
};

#define NSIZES 4

/* The signal for each page size (2, 4, 8 and 16 KB), and the number of address bits inside such a
 * page. */
static const struct {
	uint8_t signal, bits;
} page[NSIZES] = {
	{ PMK_SIG_GXI_PAGE_2K, 11 },
	{ PMK_SIG_GXI_PAGE_4K, 12 },
	{ PMK_SIG_GXI_PAGE_8K, 13 },
	{ PMK_SIG_GXI_PAGE_16K, 14 },
};

/* True if the sampled signals show which request waits. */
static bool wait_is_known(const struct pmk_gxi_params *params, enum pmk_gxi_wait w)
{
	if (w == PMK_GXI_WAIT_DATA)
		return !params->no_data_state;
	return !params->no_address_state && !params->no_write;
}

void pmk_gxi_init(struct pmk_gxi *g, const struct pmk_gxi_params *params, struct pmk_bus *bus)
{
	*g = (struct pmk_gxi){ .params = *params };
	for (unsigned sig = 0; sig < PMK_NSIGNALS; sig++)
		g->base[sig] = bus->total[sig];
	for (unsigned w = 0; w < PMK_GXI_NWAITS; w++) {
		if (!wait_is_known(params, w))
			continue;
		pmk_signal_add(&bus->raised, wait_signal[w][0]);
		pmk_signal_add(&bus->raised, wait_signal[w][1]);
	}
	if (params->no_address_state)
		return;
	pmk_signal_add(&bus->raised, PMK_SIG_GXI_READ);
	pmk_signal_add(&bus->raised, PMK_SIG_GXI_WRITE);
	for (unsigned i = 0; !params->no_address && i < NSIZES; i++)
		pmk_signal_add(&bus->raised, page[i].signal);
}

static bool threshold_hit(struct pmk_gxi *g, enum pmk_gxi_wait w)
{
	bool beyond = g->params.threshold_reached ? g->streak[w] >= g->threshold[w]
						  : g->streak[w] > g->threshold[w];
	bool counts = beyond && (!g->hit[w] || g->params.threshold_every_cycle);

	g->hit[w] |= beyond;
	return counts;
}

static void wait_or_end(struct pmk_gxi *g, struct pmk_bus *bus, enum pmk_gxi_wait w, bool waits)
{
	if (!waits) {
		g->streak[w] = 0;
		g->hit[w] = false;
		return;
	}
	g->streak[w]++;
	pmk_bus_add(bus, wait_signal[w][0], 1);
	if (threshold_hit(g, w))
		pmk_bus_add(bus, wait_signal[w][1], 1);
}

static void count_transfer(struct pmk_gxi *g, struct pmk_bus *bus, uint64_t addr)
{
	uint64_t differs = addr ^ g->mark;

	if (g->params.no_address)
		return;
	for (unsigned i = 0; g->marked && i < NSIZES; i++)
		if (differs >> page[i].bits)
			pmk_bus_add(bus, page[i].signal, 1);
	g->marked = true;
	g->mark = addr;
}

void pmk_gxi_sample(struct pmk_gxi *g, struct pmk_bus *bus, const struct pmk_gxi_cycle *c)
{
	uint8_t address = c->reset ? (uint8_t)PMK_GXI_IDLE : c->address & 3;
	uint8_t data = c->reset ? (uint8_t)PMK_GXI_DATA_IDLE : c->data & 3;
	bool waits = address == PMK_GXI_WAIT;

	g->seen_address = address;
	g->seen_data = data;
	g->cycles++;
	g->address[address]++;
	g->data[data]++;
	if (!g->params.no_write) {
		wait_or_end(g, bus, PMK_GXI_WAIT_READ, waits && !c->write);
		wait_or_end(g, bus, PMK_GXI_WAIT_WRITE, waits && c->write);
	}
	wait_or_end(g, bus, PMK_GXI_WAIT_DATA, data == PMK_GXI_DATA_STALLED);
	if (address == PMK_GXI_READ)
		pmk_bus_add(bus, PMK_SIG_GXI_READ, 1);
	if (address == PMK_GXI_WRITE)
		pmk_bus_add(bus, PMK_SIG_GXI_WRITE, 1);
	if (address == PMK_GXI_READ || address == PMK_GXI_WRITE)
		count_transfer(g, bus, c->addr);
	if (c->reset)
		g->marked = false;
}

void pmk_gxi_idle(struct pmk_gxi *g, struct pmk_bus *bus, uint64_t n)
{
	static const struct pmk_gxi_cycle idle;

	if (!n)
		return;
	pmk_gxi_sample(g, bus, &idle);
	g->cycles += n - 1;
	g->address[PMK_GXI_IDLE] += n - 1;
	g->data[PMK_GXI_DATA_IDLE] += n - 1;
}

static uint64_t raised_count(const struct pmk_gxi *g, const struct pmk_bus *bus, unsigned sig)
{
	return bus->total[sig] - g->base[sig];
}

const char *pmk_gxi_check(const struct pmk_gxi *g, const struct pmk_bus *bus)
{
	uint64_t address = 0, data = 0;

	for (unsigned i = 0; i < 4; i++) {
		address += g->address[i];
		data += g->data[i];
	}
	if (address != g->cycles || data != g->cycles)
		return "the states of a GXI channel do not add up to all cycles";
	if (raised_count(g, bus, PMK_SIG_GXI_READ) != g->address[PMK_GXI_READ] ||
	    raised_count(g, bus, PMK_SIG_GXI_WRITE) != g->address[PMK_GXI_WRITE])
		return "the transfers counted on the GXI are not as many as its address channel "
		       "completed";
	if (!g->params.no_write && raised_count(g, bus, PMK_SIG_GXI_READ_WAIT) +
						   raised_count(g, bus, PMK_SIG_GXI_WRITE_WAIT) !=
					   g->address[PMK_GXI_WAIT])
		return "the request waits counted on the GXI are not as many as the waiting "
		       "cycles of its address channel";
	if (raised_count(g, bus, PMK_SIG_GXI_DATA_WAIT) != g->data[PMK_GXI_DATA_STALLED])
		return "the data waits counted on the GXI are not as many as the stalled cycles "
		       "of its data channel";
	return NULL;
}

bool pmk_gxi_valid(struct pmk_gxi *g, const struct pmk_gxi *begun)
{
	g->params = begun->params;
	return pmk_are_bools(g->hit, PMK_GXI_NWAITS) && pmk_is_bool(&g->marked);
}
