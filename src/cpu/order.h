/* SPDX-License-Identifier: MIT */
/*
 * Replacement policies that depend on the order in which the ways of a set were used or filled. The
 * cores' own policies need no order. The policies here are for comparing pmk with other simulators:
 *
 * - LRU replaces the way that was used longest ago.
 * - FIFO replaces the way that was filled longest ago.
 * - PLRU approximates LRU with a binary tree over the ways: each node knows the half below it that
 *   was used longer ago. Following these halves leads to the way that is replaced.
 *
 * The caller fills invalid ways first, because only the caller knows which ways are invalid.
 */
#ifndef PMK_CPU_ORDER_H
#define PMK_CPU_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pmk_policy {
	/* the core's own policy: pseudo-random, or round robin with one counter for all sets */
	PMK_POLICY_OWN,
	PMK_POLICY_LRU,
	PMK_POLICY_FIFO,
	PMK_POLICY_PLRU,
	PMK_POLICY_RANDOM, /* pseudo-random */
	PMK_NPOLICIES
};

struct pmk_order {
	/* The order of set s is in way[s * ways] to way[s * ways + ways - 1]; NULL if no order is
	 * kept. With LRU and FIFO, it lists the ways of the set, beginning with the way that was
	 * used (LRU) or filled (FIFO) last. With PLRU, element 0 is the way that was used last, and
	 * element n is node n of the tree. Node 1 is the root, and the children of node n are nodes
	 * 2n and 2n + 1. A node is 1 if the way to replace is in its upper half. */
	uint8_t *way;
	uint32_t sets, ways;
	uint32_t policy;
};

/* Returns the next pseudo-random number. *state must not be 0. How the silicon generates its
 * numbers is not published. We chose xorshift32, because it needs only three operations, has a full
 * period, and gives the same sequence on every host. */
static inline uint32_t pmk_order_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state >> 8;
}

/* Returns 0 or PMK_ENOMEM. Allocates nothing for policies that need no order. For PLRU, `ways` must
 * be a power of two. */
int pmk_order_init(struct pmk_order *o, unsigned policy, uint32_t sets, uint32_t ways);
void pmk_order_fini(struct pmk_order *o);
void pmk_order_clear(struct pmk_order *o);

static inline bool pmk_order_is_kept(const struct pmk_order *o)
{
	return o->way != NULL;
}

/* True if using a way changes the order, unless the way was already the last one used in its
 * set. */
static inline bool pmk_order_ages(const struct pmk_order *o)
{
	return o->way && o->policy != PMK_POLICY_FIFO;
}

/* Returns the way of the set that was used last. */
static inline uint32_t pmk_order_last(const struct pmk_order *o, uint32_t set)
{
	return o->way[set * o->ways];
}

/*
 * pmk_order_use() records that a way was used, and pmk_order_fill() that it was filled.
 * pmk_order_victim() returns the way to replace if all ways are valid. They must be called only if
 * an order is kept (pmk_order_is_kept()).
 */
void pmk_order_use(struct pmk_order *o, uint32_t set, uint32_t way);
void pmk_order_fill(struct pmk_order *o, uint32_t set, uint32_t way);
uint32_t pmk_order_victim(const struct pmk_order *o, uint32_t set);

#endif
