// SPDX-License-Identifier: MIT
/* Cache directories with pseudo-random or round-robin replacement. See cache.h. */
#include "cpu/cache.h"

#include <stdlib.h>

#include <pmk/error.h>

int pmk_cache_init(struct pmk_cache *c, uint32_t size, uint32_t ways, bool round_robin,
		   uint32_t seed)
{
	uint32_t sets = size / ways >> PMK_LINE_SHIFT;

	*c = (struct pmk_cache){
		.tag = malloc((size_t)sets * ways * sizeof(*c->tag)),
		.set_mask = sets - 1,
		.ways = ways,
		.random = seed ? seed : 1,
		.round_robin = round_robin,
	};
	if (!c->tag)
		return PMK_ENOMEM;
	pmk_cache_clear(c);
	return 0;
}

void pmk_cache_fini(struct pmk_cache *c)
{
	free(c->tag);
	c->tag = NULL;
}

void pmk_cache_clear(struct pmk_cache *c)
{
	for (uint32_t i = 0; i < (c->set_mask + 1) * c->ways; i++)
		c->tag[i] = PMK_NO_LINE;
}
