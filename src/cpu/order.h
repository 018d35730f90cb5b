/* SPDX-License-Identifier: MIT */
/*
 * Which way of a set is replaced, where that depends on the order in which its ways were used or
 * filled. The cores' own policies need no order. The policies here are for comparing with other
 * simulators:
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
	PMK_POLICY_OWN, /* the core's: pseudo-random, or in turn with one counter for all sets */
	PMK_POLICY_LRU,
	PMK_POLICY_FIFO,
	PMK_POLICY_PLRU,
	PMK_POLICY_RANDOM, /* pseudo-random */
	PMK_NPOLICIES
};

struct pmk_order {
	/* [set * ways + …], or NULL: no order is kept. LRU and FIFO: the ways of the set, the last
	 * one first. PLRU: the way that was used last, followed by the nodes of the tree. The
	 * children of node n are nodes 2n and 2n + 1; its value is 1 when the upper half is
	 * replaced next. */
	uint8_t *way;
	uint32_t sets, ways;
	uint32_t policy;
};

#define PMK_ORDER_MAX_WAYS 256

/* 0 or PMK_ENOMEM. Policies that need no order keep none. PLRU: ways is a power of two. */
int pmk_order_init(struct pmk_order *o, unsigned policy, uint32_t sets, uint32_t ways);
void pmk_order_fini(struct pmk_order *o);
void pmk_order_clear(struct pmk_order *o);

static inline bool pmk_order_is_kept(const struct pmk_order *o)
{
	return o->way != NULL;
}

/* True if using a way changes the order. The exception is the way that was used last in its set. */
static inline bool pmk_order_ages(const struct pmk_order *o)
{
	return o->way && o->policy != PMK_POLICY_FIFO;
}

/* Returns the way that was used last. */
static inline uint32_t pmk_order_last(const struct pmk_order *o, uint32_t set)
{
	return o->way[set * o->ways];
}

/*
 * pmk_order_use() records that a way was used, pmk_order_fill() that it was filled.
 * pmk_order_victim() returns the way to replace if all are valid.
 */
void pmk_order_use(struct pmk_order *o, uint32_t set, uint32_t way);
void pmk_order_fill(struct pmk_order *o, uint32_t set, uint32_t way);
uint32_t pmk_order_victim(const struct pmk_order *o, uint32_t set);

#endif
