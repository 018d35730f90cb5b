// SPDX-License-Identifier: MIT
/* The bus has monotonic totals, latencies and the horizon. See <pmk/bus.h>. */
#include <pmk/bus.h>

#include <stddef.h>
#include <string.h>

void pmk_bus_init(struct pmk_bus *bus)
{
	/* The log need not be cleared, because records are written before they are read. */
	memset(bus, 0, offsetof(struct pmk_bus, log));
	pmk_bus_forget(bus);
}

void pmk_bus_forget(struct pmk_bus *bus)
{
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		bus->due[i] = PMK_NEVER;
	bus->recorded_due = PMK_NEVER;
	bus->timed_due = PMK_NEVER;
}

bool pmk_bus_due(const struct pmk_bus *bus)
{
	for (unsigned i = 0; i < PMK_NSIGNALS; i++)
		if (bus->total[i] >= bus->due[i])
			return true;
	return pmk_bus_log_due(bus);
}

/*
 * Adds an occurrence to the log in a new record. Occurrences in one record overlap neither each
 * other nor earlier occurrences. An occurrence that does overlap, or that began before the log was
 * last read, gets a record of its own, and later occurrences go into new records. So overlapping
 * occurrences are in the log in the order in which they were recorded.
 */
void pmk_bus_record_new(struct pmk_bus *bus, enum pmk_signal sig, uint64_t start, uint32_t cycles)
{
	uint64_t number = bus->recorded++, end = start + cycles;
	bool apart = start >= bus->busy[sig] && start >= bus->sealed_at;

	bus->timed++;
	bus->log_sig[number % PMK_LATENCY_LOG] = (uint8_t)sig;
	bus->log[number % PMK_LATENCY_LOG] = (struct pmk_latency_record){
		.start = start,
		.end = end,
		.cycles = cycles,
		.n = 1,
		.sig = (uint8_t)sig,
		.apart = apart,
	};
	if (end > bus->busy[sig])
		bus->busy[sig] = end;
	if (apart && cycles <= PMK_LATENCY_LONG)
		*pmk_bus_open_record(bus, sig, cycles) = bus->recorded;
	else if (!apart && bus->sealed != PMK_NEVER)
		bus->sealed = bus->recorded;
}

uint64_t pmk_bus_next_record(const struct pmk_bus *bus, enum pmk_signal sig, uint64_t at)
{
	while (at < bus->recorded) {
		uint64_t place = at % PMK_LATENCY_LOG, n = PMK_LATENCY_LOG - place;
		const uint8_t *from = &bus->log_sig[place], *found;

		if (*from == sig) /* consecutive records are often of the same signal */
			return at;
		if (n > bus->recorded - at)
			n = bus->recorded - at;
		found = memchr(from, (int)sig, n);
		if (found)
			return at + (uint64_t)(found - from);
		at += n;
	}
	return bus->recorded;
}

uint64_t pmk_bus_horizon(const struct pmk_bus *bus, enum pmk_signal sig)
{
	if (bus->due[sig] == PMK_NEVER)
		return PMK_NEVER;
	return bus->due[sig] > bus->total[sig] ? bus->due[sig] - bus->total[sig] : 0;
}
