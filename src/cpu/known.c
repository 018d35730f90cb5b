// SPDX-License-Identifier: MIT
/* Lists the blocks that contain each instruction cache line. See known.h. */
#include "cpu/known.h"

#include <pmk/error.h>

#include "base/reserve.h"
#include "cpu/code.h"

#define MAX_NODES (2 * PMK_MAX_BLOCKS)

int pmk_known_init(struct pmk_known *k)
{
	*k = (struct pmk_known){
		.list = pmk_reserve(PMK_KNOWN_LISTS * sizeof(*k->list)),
		.node = pmk_reserve(MAX_NODES * sizeof(*k->node)),
		.nnodes = 1,
	};
	return k->list && k->node ? 0 : PMK_ENOMEM;
}

void pmk_known_fini(struct pmk_known *k)
{
	pmk_release(k->list, PMK_KNOWN_LISTS * sizeof(*k->list));
	pmk_release(k->node, MAX_NODES * sizeof(*k->node));
	k->list = NULL;
	k->node = NULL;
}

bool pmk_known_add(struct pmk_known *k, uint64_t line, uint32_t block)
{
	uint32_t *list = &k->list[line % PMK_KNOWN_LISTS];
	struct pmk_known_node *n;

	for (uint32_t i = *list; i; i = n->next) {
		n = &k->node[i];
		if (n->line != line || n->n == PMK_KNOWN_TOGETHER)
			continue;
		n->block[n->n++] = block;
		return true;
	}
	if (k->nnodes == MAX_NODES)
		return false;
	k->node[k->nnodes] =
		(struct pmk_known_node){ .line = line, .next = *list, .n = 1, .block = { block } };
	*list = k->nnodes++;
	return true;
}

void pmk_known_forget(struct pmk_known *k, struct pmk_executions *executions)
{
	for (uint32_t i = 1; i < k->nnodes; i++) {
		k->list[k->node[i].line % PMK_KNOWN_LISTS] = 0;
		for (uint32_t j = 0; executions && j < k->node[i].n; j++)
			executions[k->node[i].block[j]].igen = 0;
	}
	k->nnodes = 1;
}
