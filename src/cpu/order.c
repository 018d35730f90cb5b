// SPDX-License-Identifier: MIT
/* Keeps the order in which the ways of a cache's sets were used or filled. See order.h. */
#include "cpu/order.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

int pmk_order_init(struct pmk_order *o, unsigned policy, uint32_t sets, uint32_t ways)
{
	bool kept =
		policy == PMK_POLICY_LRU || policy == PMK_POLICY_FIFO || policy == PMK_POLICY_PLRU;

	*o = (struct pmk_order){ .sets = sets, .ways = ways, .policy = policy };
	if (!kept)
		return 0;
	o->way = malloc((size_t)sets * ways);
	if (!o->way)
		return PMK_ENOMEM;
	pmk_order_clear(o);
	return 0;
}

void pmk_order_fini(struct pmk_order *o)
{
	free(o->way);
	o->way = NULL;
}

void pmk_order_clear(struct pmk_order *o)
{
	for (uint32_t i = 0; o->way && i < o->sets * o->ways; i++)
		o->way[i] = o->policy == PMK_POLICY_PLRU ? 0 : (uint8_t)(i % o->ways);
}

/* Moves a way to the front of its set. */
static void to_front(uint8_t *set, uint32_t way)
{
	uint32_t at = 0;

	while (set[at] != way)
		at++;
	memmove(set + 1, set, at);
	set[0] = (uint8_t)way;
}

/* Makes each node above a way point to the half that does not contain the way. */
static void point_away(uint8_t *set, uint32_t ways, uint32_t way)
{
	uint32_t node = 1;

	for (uint32_t half = ways / 2; half; half /= 2) {
		bool upper = way & half;

		set[node] = !upper;
		node = 2 * node + upper;
	}
	set[0] = (uint8_t)way;
}

void pmk_order_use(struct pmk_order *o, uint32_t set, uint32_t way)
{
	uint8_t *s = &o->way[set * o->ways];

	if (o->policy == PMK_POLICY_LRU)
		to_front(s, way);
	else if (o->policy == PMK_POLICY_PLRU)
		point_away(s, o->ways, way);
}

void pmk_order_fill(struct pmk_order *o, uint32_t set, uint32_t way)
{
	if (o->policy == PMK_POLICY_FIFO)
		to_front(&o->way[set * o->ways], way);
	else
		pmk_order_use(o, set, way);
}

uint32_t pmk_order_victim(const struct pmk_order *o, uint32_t set)
{
	const uint8_t *s = &o->way[set * o->ways];
	uint32_t node = 1;

	if (o->policy != PMK_POLICY_PLRU)
		return s[o->ways - 1];
	while (node < o->ways)
		node = 2 * node + s[node];
	return node - o->ways;
}
