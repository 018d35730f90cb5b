// SPDX-License-Identifier: MIT
/* The functions of cache directories that are not inline. See cache.h. */
#include "cpu/cache.h"

#include <stdlib.h>

#include <pmk/error.h>

int pmk_cache_init(struct pmk_cache *c, uint32_t size, uint32_t ways, enum pmk_policy policy,
		   bool round_robin, uint32_t seed)
{
	uint32_t sets = size / ways >> PMK_LINE_SHIFT;

	*c = (struct pmk_cache){
		.tag = malloc((size_t)sets * ways * sizeof(*c->tag)),
		.set_mask = sets - 1,
		.ways = ways,
		.random = seed ? seed : 1,
		.round_robin = round_robin && policy == PMK_POLICY_OWN,
	};
	if (!c->tag || pmk_order_init(&c->order, policy, sets, ways) != 0) {
		pmk_cache_fini(c);
		return PMK_ENOMEM;
	}
	pmk_cache_clear(c);
	return 0;
}

void pmk_cache_fini(struct pmk_cache *c)
{
	free(c->tag);
	pmk_order_fini(&c->order);
	c->tag = NULL;
}

void pmk_cache_clear(struct pmk_cache *c)
{
	for (uint32_t i = 0; i < (c->set_mask + 1) * c->ways; i++)
		c->tag[i] = PMK_NO_LINE;
	pmk_order_clear(&c->order);
}

uint32_t pmk_cache_last(const struct pmk_cache *c, uint32_t line)
{
	uint32_t set = line & c->set_mask;

	return c->tag[set * c->ways + pmk_order_last(&c->order, set)];
}

void pmk_cache_use(struct pmk_cache *c, uint32_t line)
{
	uint32_t set = line & c->set_mask, way = 0;

	while (c->tag[set * c->ways + way] != line)
		way++;
	pmk_order_use(&c->order, set, way);
}

uint32_t pmk_cache_replace_ordered(struct pmk_cache *c, uint32_t line)
{
	uint32_t set = line & c->set_mask, *tag = &c->tag[set * c->ways], way = 0, old;

	if (tag[c->ways - 1] != PMK_NO_LINE)
		way = pmk_order_victim(&c->order, set);
	else
		while (tag[way] != PMK_NO_LINE)
			way++;
	old = tag[way];
	tag[way] = line;
	pmk_order_fill(&c->order, set, way);
	return old;
}
