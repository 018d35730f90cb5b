/* SPDX-License-Identifier: MIT */
/*
 * A set-associative cache directory: which line is where, and which one is evicted. It holds no
 * data. The core finds out in its own presence map (for example in arm11.h) whether a line is
 * present, so a hit costs nothing here. This works because the replacement policies of the cores
 * themselves keep no state about hits. LRU and PLRU (order.h) do keep such state. For them, the
 * core calls pmk_cache_use() at each hit, except when the line was already the last one used in its
 * set, because the call would then change nothing.
 *
 * The number of a line is its address >> 5. Sets and ways work as ARM1176JZF-S TRM 7.2 says.
 * Invalid ways are filled first, from the lowest number on. After that, replacement is either round
 * robin, with one counter for all sets, or pseudo-random.
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
 * round_robin has an effect only if `policy` is PMK_POLICY_OWN. */
int pmk_cache_init(struct pmk_cache *c, uint32_t size, uint32_t ways, enum pmk_policy policy,
		   bool round_robin, uint32_t seed);
void pmk_cache_fini(struct pmk_cache *c);

/* Forgets every line. */
void pmk_cache_clear(struct pmk_cache *c);

/*
 * Adds a line to a cache that does not have it, and that keeps no order. Returns the line that it
 * replaces, or PMK_NO_LINE. The function is inline because every miss of the program calls it. Ways
 * are filled from the lowest number on, so a set whose last way is valid has no invalid way.
 */
static inline uint32_t pmk_cache_replace(struct pmk_cache *c, uint32_t line)
{
	uint32_t *way = &c->tag[(line & c->set_mask) * c->ways], old;

	if (__builtin_expect(way[c->ways - 1] == PMK_NO_LINE, 0)) {
		while (*way != PMK_NO_LINE)
			way++;
		*way = line;
		return PMK_NO_LINE;
	}
	way += (c->round_robin ? c->next++ : pmk_order_random(&c->random)) & (c->ways - 1);
	old = *way;
	*way = line;
	if (old == PMK_NO_LINE)
		__builtin_unreachable(); /* removes callers' tests for PMK_NO_LINE */
	return old;
}

/* Does what pmk_cache_replace() does, for a cache whose policy keeps an order. */
uint32_t pmk_cache_replace_ordered(struct pmk_cache *c, uint32_t line);

/* Adds a line that is not in the cache. Returns the line that it replaces, or PMK_NO_LINE. */
static inline uint32_t pmk_cache_fill(struct pmk_cache *c, uint32_t line)
{
	if (__builtin_expect(pmk_order_is_kept(&c->order), 0))
		return pmk_cache_replace_ordered(c, line);
	return pmk_cache_replace(c, line);
}

/* True if hits influence which line is replaced. */
static inline bool pmk_cache_ages(const struct pmk_cache *c)
{
	return pmk_order_ages(&c->order);
}

/* Returns the line that was used last in the set of `line`, or PMK_NO_LINE. Must be called only for
 * a cache for which pmk_cache_ages() is true. */
uint32_t pmk_cache_last(const struct pmk_cache *c, uint32_t line);

/* Records that a line in the cache was used. Must be called only for a cache for which
 * pmk_cache_ages() is true. */
void pmk_cache_use(struct pmk_cache *c, uint32_t line);

#endif
