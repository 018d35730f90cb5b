// SPDX-License-Identifier: MIT
/* The functions of the load-store unit that most misses do not need. See lsu.h. */
#include "cpu/lsu.h"

/* Removes `n` waits, beginning with number `i`. */
static void drop(struct pmk_lsu *lsu, uint32_t i, uint32_t n)
{
	lsu->nwaits -= n;
	for (; n && i < lsu->nwaits; i++)
		lsu->wait[i] = lsu->wait[i + n];
}

void pmk_lsu_reach_many(struct pmk_lsu *lsu, uint64_t at)
{
	uint32_t n = 0;

	while (n < lsu->nwaits && lsu->wait[n].at <= at)
		lsu->late = lsu->wait[n++].late;
	drop(lsu, 0, n);
}

uint64_t pmk_lsu_hold_among(struct pmk_lsu *lsu, uint64_t at, uint64_t until)
{
	uint64_t late = until - at, before = lsu->late, all = pmk_lsu_late(lsu);
	uint32_t first = 0, next;

	while (first < lsu->nwaits && lsu->wait[first].at <= at)
		before = lsu->wait[first++].late;
	if (until <= at + before)
		return 0;
	/* Waits of later instructions that make the core no later than this wait have no effect. */
	for (next = first; next < lsu->nwaits && lsu->wait[next].late <= late;)
		next++;
	drop(lsu, first, next - first);
	if (lsu->nwaits == PMK_LSU_MAX_WAITS) {
		/*
		 * The table is full: drop the earliest wait, which matters only for the next few
		 * loads.
		 */
		if (!first)
			return 0;
		drop(lsu, 0, 1);
		first--;
	}
	for (uint32_t i = lsu->nwaits++; i > first; i--)
		lsu->wait[i] = lsu->wait[i - 1];
	lsu->wait[first] = (struct pmk_lsu_wait){ at, late };
	return late > all ? late - all : 0;
}

unsigned pmk_lsu_first_slot(const struct pmk_lsu *lsu)
{
	unsigned slot = 0;

	for (unsigned i = 1; i < lsu->slots; i++)
		if (lsu->busy_until[i] < lsu->busy_until[slot])
			slot = i;
	return slot;
}
