// SPDX-License-Identifier: MIT
#include "profile/recording/costs.h"

#include <stdlib.h>

#include "base/grow.h"

size_t pmk_costs_length(const struct pmk_costs *x, size_t cost)
{
	return (cost + 1 < x->ncosts ? x->first[cost + 1] : x->nrows) - x->first[cost];
}

static bool costs_equal(const struct pmk_costs *x, size_t a, size_t b)
{
	size_t n = pmk_costs_length(x, a);

	if (n != pmk_costs_length(x, b))
		return false;
	for (size_t i = 0; i < n; i++)
		if (x->row[x->first[a] + i].event != x->row[x->first[b] + i].event ||
		    x->row[x->first[a] + i].value != x->row[x->first[b] + i].value)
			return false;
	return true;
}

bool pmk_costs_begin(struct pmk_costs *x)
{
	return PMK_APPEND(x->first, x->ncosts, x->cost_room, x->nrows);
}

bool pmk_costs_add(struct pmk_costs *x, uint32_t event, uint64_t value)
{
	return PMK_APPEND(x->row, x->nrows, x->row_room,
			  (struct pmk_cost_row){ .event = event, .value = value });
}

uint32_t pmk_costs_end(struct pmk_costs *x)
{
	size_t last = x->ncosts - 1, n = pmk_costs_length(x, last);
	uint64_t hash = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < n; i++) {
		const struct pmk_cost_row *row = &x->row[x->first[last] + i];

		hash = (hash ^ row->event) * UINT64_C(0x9E3779B97F4A7C15);
		hash = (hash ^ hash >> 29 ^ row->value) * UINT64_C(0xBF58476D1CE4E5B9);
	}
	for (;; hash++) {
		uint32_t i = pmk_map_put(&x->of_hash, hash, (uint32_t)last);

		if (i == UINT32_MAX || i == last)
			return i;
		if (!costs_equal(x, i, last))
			continue;
		x->nrows = x->first[last];
		x->ncosts--;
		return i;
	}
}

void pmk_costs_free(struct pmk_costs *x)
{
	free(x->row);
	free(x->first);
	pmk_map_free(&x->of_hash);
}
