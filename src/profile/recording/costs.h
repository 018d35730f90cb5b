/* SPDX-License-Identifier: MIT */
/*
 * A set of costs. A cost is a list of events and their values, counted together; equal costs are
 * stored once.
 */
#ifndef PMK_RECORDING_COSTS_H
#define PMK_RECORDING_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct pmk_cost_row {
	uint32_t event;
	uint64_t value;
};

/* Zeroed memory has no costs. */
struct pmk_costs {
	struct pmk_cost_row *row; /* the rows of one cost are adjacent */
	size_t nrows, row_room;
	size_t *first, ncosts, cost_room; /* the first row of each cost */
	struct pmk_map of_hash;
};

/* Begin a cost, and add its events in a fixed order. False: out of memory. */
bool pmk_costs_begin(struct pmk_costs *x);
bool pmk_costs_add(struct pmk_costs *x, uint32_t event, uint64_t value);
/* Returns the number of the cost that was begun, or that of an equal one, which replaces it.
 * UINT32_MAX: out of memory. */
uint32_t pmk_costs_end(struct pmk_costs *x);
/* Returns how many rows the cost has. The first is row[first[cost]]. */
size_t pmk_costs_length(const struct pmk_costs *x, size_t cost);
void pmk_costs_free(struct pmk_costs *x);

#endif
