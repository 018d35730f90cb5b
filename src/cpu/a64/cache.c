// SPDX-License-Identifier: MIT
/* The directory of a cache of an A64 core: see cache.h. */
#include "cpu/a64/cache.h"

#include <stdlib.h>
#include <string.h>

#include <pmk/error.h>

#include "cpu/config.h"

int pmk_a64_cache_init(struct pmk_a64_cache *c, const struct pmk_core *core, uint64_t size,
		       uint64_t ways, enum pmk_policy policy)
{
	uint64_t lines = size >> PMK_A64_LINE_SHIFT, sets = lines / ways;
	uint64_t marks = (ways + PMK_A64_MARKS - 1) / PMK_A64_MARKS * PMK_A64_MARKS;
	uint64_t entries = lines + marks - ways;

	*c = (struct pmk_a64_cache){
		.tag = malloc(entries * sizeof(*c->tag)),
		.mark = aligned_alloc(PMK_A64_MARKS, sets * marks),
		.set_mask = (uint32_t)sets - 1,
		.ways = (uint32_t)ways,
		.random = core->cache.seed ? (uint32_t)core->cache.seed : 1,
		.round_robin = core->cache.round_robin && policy == PMK_POLICY_OWN,
	};
	if (!c->tag || !c->mark || pmk_order_init(&c->order, policy, c->set_mask + 1, c->ways))
		return PMK_ENOMEM;
	for (uint64_t i = 0; i < entries; i++)
		c->tag[i] = PMK_A64_EMPTY;
	memset(c->mark, 0, sets * marks);
	if (!pmk_order_is_kept(&c->order) && !c->round_robin && !(ways & (ways - 1)))
		c->way_mask = c->ways - 1;
	return 0;
}

void pmk_a64_cache_fini(struct pmk_a64_cache *c)
{
	free(c->tag);
	free(c->mark);
	pmk_order_fini(&c->order);
}

void pmk_a64_cache_clear(struct pmk_a64_cache *c)
{
	for (uint32_t i = 0; i < (c->set_mask + 1) * c->ways; i++)
		c->tag[i] = PMK_A64_EMPTY;
	pmk_order_clear(&c->order);
}

uint64_t *pmk_a64_cache_unusual_victim(struct pmk_a64_cache *c, uint64_t *set)
{
	for (uint32_t w = 0; set[c->ways - 1] == PMK_A64_EMPTY; w++)
		if (set[w] == PMK_A64_EMPTY)
			return &set[w];
	if (pmk_order_is_kept(&c->order))
		return &set[pmk_order_victim(&c->order, pmk_a64_cache_set_of(c, set))];
	if (c->round_robin)
		return &set[c->next++ % c->ways];
	return &set[pmk_order_random(&c->random) % c->ways];
}

uint64_t *pmk_a64_cache_find(const struct pmk_a64_cache *c, uint64_t addr)
{
	uint64_t *e = NULL;

	for (uint32_t group = 0; !e && group * PMK_A64_MARKS < c->ways; group++)
		e = pmk_a64_cache_find_marked(c, addr, group);
	return e;
}
