// SPDX-License-Identifier: MIT
/*
 * Load-store unit queue and write buffer. See lsu.h.
 * Not modelled: that the external bus is shared with instruction fetches and evictions, and that a
 * second load of a line under way waits for it (it is taken to arrive with the first).
 */
#include "cpu/lsu.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The slot that is free first. */
static unsigned first_free(const struct pmk_lsu *lsu)
{
	unsigned best = 0;

	for (unsigned i = 1; i < lsu->slots; i++)
		if (lsu->busy_until[i] < lsu->busy_until[best])
			best = i;
	return best;
}

struct pmk_lsu_delay pmk_lsu_load_miss(struct pmk_lsu *lsu, uint64_t issue, uint64_t use,
				       uint64_t hit, uint64_t extra)
{
	struct pmk_lsu_delay d = { 0 };
	unsigned slot = first_free(lsu);
	uint64_t needed = issue + use;

	/* The clock already holds the wait of an earlier load whose value is needed only after this
	 * instruction: this one really issued before that wait. */
	if (issue < lsu->wait_end && issue >= lsu->wait_cycles)
		issue -= lsu->wait_cycles;
	if (needed < lsu->wait_end && needed >= lsu->wait_cycles)
		needed -= lsu->wait_cycles;
	if (lsu->busy_until[slot] > issue) {
		d.full = lsu->busy_until[slot] - issue;
		issue += d.full;
		needed += d.full;
	}
	issue += extra;

	uint64_t arrives = later(issue + hit + lsu->latency, lsu->bus_free + hit);

	lsu->bus_free = arrives - hit + lsu->fill_cycles;
	lsu->busy_until[slot] = arrives + lsu->fill_cycles - 1;
	if (arrives > needed) {
		d.stall = arrives - needed;
		lsu->wait_cycles = d.stall + d.full;
		lsu->wait_end = needed + d.stall;
	}
	return d;
}

struct pmk_lsu_delay pmk_lsu_write(struct pmk_lsu *lsu, uint64_t issue)
{
	struct pmk_lsu_delay d = { 0 };
	uint64_t room = (uint64_t)lsu->wbuf_entries * lsu->write_cycles;

	lsu->wbuf_empty = later(lsu->wbuf_empty, issue) + lsu->write_cycles;
	if (lsu->wbuf_empty > issue + room)
		d.full = lsu->wbuf_empty - issue - room;
	return d;
}
