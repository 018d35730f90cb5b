/* SPDX-License-Identifier: MIT */
/*
 * A set-associative cache directory: which line is where, and which one is evicted. It holds no
 * data, and callers do not ask it whether a line is present: the presence map (arm11.h) answers
 * that, so a hit costs nothing here. This works because neither replacement policy of these cores
 * keeps state on a hit. Other policies do (order.h): then pmk_cache_use() is called for each hit,
 * except when the line was already the last one used in its set, because the call would then change
 * nothing.
 *
 * Lines are numbered (address >> 5). ARM1176JZF-S TRM 7.2: invalid ways are filled first, lowest
 * number first; round robin uses one counter for all sets; otherwise the choice is pseudo-random.
 */
#ifndef PMK_CPU_CACHE_H
#define PMK_CPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/order.h"

#define PMK_LINE_SHIFT 5
#define PMK_NO_LINE    UINT32_MAX

struct pmk_cache {
	uint32_t *tag; /* [set * ways + way], line number or PMK_NO_LINE */
	uint32_t set_mask;
	uint32_t ways;
	uint32_t next;	 /* round robin counter */
	uint32_t random; /* state of the random number generator, never 0 */
	bool round_robin;
	struct pmk_order order; /* for policies that need an order */
};

/* Returns 0 or PMK_ENOMEM. size and ways are powers of two; size / ways is at least one line.
 * round_robin only has an effect with PMK_POLICY_OWN. */
int pmk_cache_init(struct pmk_cache *c, uint32_t size, uint32_t ways, enum pmk_policy policy,
		   bool round_robin, uint32_t seed);
void pmk_cache_fini(struct pmk_cache *c);

/* Forget every line. */
void pmk_cache_clear(struct pmk_cache *c);

/* Returns the next random number. The generator of the silicon is not published. Our choice is
 * xorshift32: three operations, full period, the same sequence on every host. */
static inline uint32_t pmk_cache_random(struct pmk_cache *c)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 17;
	c->random ^= c->random << 5;
	return c->random >> 8;
}

/* Returns the way to fill next in a cache that keeps no order. Ways are filled from the lowest on,
 * so that a set with an invalid way has an invalid last way. */
static inline uint32_t pmk_cache_victim_unordered(struct pmk_cache *c, const uint32_t *set)
{
	uint32_t way = 0;

	if (__builtin_expect(set[c->ways - 1] != PMK_NO_LINE, 1))
		return (c->round_robin ? c->next++ : pmk_cache_random(c)) & (c->ways - 1);
	while (set[way] != PMK_NO_LINE)
		way++;
	return way;
}

static inline uint32_t pmk_cache_victim(struct pmk_cache *c, const uint32_t *set)
{
	if (__builtin_expect(pmk_order_is_kept(&c->order) && set[c->ways - 1] != PMK_NO_LINE, 0))
		return pmk_order_victim(&c->order, (uint32_t)(set - c->tag) / c->ways);
	return pmk_cache_victim_unordered(c, set);
}

/* Put an absent line in; returns the line it replaces, or PMK_NO_LINE. Inline: every miss of the
 * program comes here. */
static inline uint32_t pmk_cache_fill(struct pmk_cache *c, uint32_t line)
{
	uint32_t *set = &c->tag[(line & c->set_mask) * c->ways];
	uint32_t way = pmk_cache_victim(c, set);
	uint32_t old = set[way];

	set[way] = line;
	if (__builtin_expect(pmk_order_is_kept(&c->order), 0))
		pmk_order_fill(&c->order, line & c->set_mask, way);
	return old;
}

/* True if a hit changes which line is replaced next. */
static inline bool pmk_cache_ages(const struct pmk_cache *c)
{
	return pmk_order_ages(&c->order);
}

/* Returns the line that was used last in the set of `line`, or PMK_NO_LINE. Only for a cache that
 * ages. */
uint32_t pmk_cache_last(const struct pmk_cache *c, uint32_t line);

/* Records that a present line was used. Only for a cache that ages. */
void pmk_cache_use(struct pmk_cache *c, uint32_t line);

#endif
