// SPDX-License-Identifier: MIT
/* The bus: monotonic totals, latencies and the horizon. See <pmk/bus.h>. */
#include <pmk/bus.h>

#include <string.h>

void pmk_bus_init(struct pmk_bus *bus)
{
	memset(bus, 0, sizeof(*bus));
	pmk_bus_forget(bus);
	for (unsigned i = 0; i < PMK_NLATENCIES; i++)
		bus->latency[i].min = UINT64_MAX;
}

void pmk_bus_forget(struct pmk_bus *bus)
{
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		bus->due[i] = PMK_NEVER;
}

bool pmk_bus_due(const struct pmk_bus *bus)
{
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		if (bus->total[i] >= bus->due[i])
			return true;
	return false;
}

uint64_t pmk_bus_horizon(const struct pmk_bus *bus, enum pmk_signal sig)
{
	if (bus->due[sig] == PMK_NEVER)
		return PMK_NEVER;
	return bus->due[sig] > bus->total[sig] ? bus->due[sig] - bus->total[sig] : 0;
}

void pmk_latency_add(struct pmk_latency *l, uint64_t cycles)
{
	l->n++;
	l->sum += cycles;
	l->sum2 += cycles * cycles;
	if (cycles < l->min)
		l->min = cycles;
	if (cycles > l->max)
		l->max = cycles;
}
