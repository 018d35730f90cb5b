/* SPDX-License-Identifier: MIT */
/*
 * The directory of a cache of an A64 core: it knows where each line is, and which one is evicted.
 * It holds no data. Functions that every miss of the program needs are inline.
 */
#ifndef PMK_CPU_A64_CACHE_H
#define PMK_CPU_A64_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cpu/order.h"

#define PMK_A64_LINE_SHIFT 6
#define PMK_A64_LINE_BYTES (1u << PMK_A64_LINE_SHIFT)
#define PMK_A64_LINE_MASK  (~(uint64_t)(PMK_A64_LINE_BYTES - 1))

/* An entry: the address of a line with flags in the bits below it; or PMK_A64_EMPTY, which is not
 * the address of a line and has no flags. */
#define PMK_A64_EMPTY	   (UINT64_C(1) << 63)
#define PMK_A64_DIRTY	   UINT64_C(1)
#define PMK_A64_PREFETCHED UINT64_C(2) /* prefetched and not used yet; only in the data cache */

struct pmk_core;

struct pmk_a64_cache {
	uint64_t *tag; /* entries, [set * ways + way] */
	uint32_t set_mask, ways;
	uint32_t random;
	/* The mask that turns a random number into the way to replace. If it is 0,
	 * pmk_a64_cache_unusual_victim() chooses the way. */
	uint32_t way_mask;
	bool round_robin;
	uint32_t next;
	struct pmk_order order; /* for policies that need an order */
	/* A byte for the line of each way: see pmk_a64_cache_mark(). The host compares
	 * PMK_A64_MARKS marks at once, so the ways of a set are divided into groups of that many.
	 * Index: (group * sets + set) * PMK_A64_MARKS + way % PMK_A64_MARKS. */
	uint8_t *mark;
};

#define PMK_A64_MARKS 16

/* Returns 0 or PMK_ENOMEM. */
int pmk_a64_cache_init(struct pmk_a64_cache *c, const struct pmk_core *core, uint64_t size,
		       uint64_t ways, enum pmk_policy policy);
void pmk_a64_cache_fini(struct pmk_a64_cache *c);

/* Forget every line. */
void pmk_a64_cache_clear(struct pmk_a64_cache *c);

static inline uint64_t *pmk_a64_cache_set(const struct pmk_a64_cache *c, uint64_t addr)
{
	return &c->tag[((uint32_t)(addr >> PMK_A64_LINE_SHIFT) & c->set_mask) * c->ways];
}

/* True if `e` is the entry of the line of `addr`. The bit of PMK_A64_EMPTY is above the address
 * bits of a line, so the result is false for an empty entry. */
static inline bool pmk_a64_cache_is(const uint64_t *e, uint64_t addr)
{
	return (*e ^ addr) < PMK_A64_LINE_BYTES;
}

/* Returns the mark of a line: a hash of its number. Lines with equal marks may be different
 * lines. */
static inline uint8_t pmk_a64_cache_mark(uint64_t addr)
{
	return (uint8_t)((uint32_t)(addr >> PMK_A64_LINE_SHIFT) * UINT32_C(0x9e3779b1) >> 24);
}

/* Returns a set of bits: bit i is set if marks[i] equals `mark`. */
static inline uint32_t pmk_a64_marks_equal(const uint8_t *marks, uint8_t mark)
{
#ifdef __SSE2__
	__m128i all = _mm_load_si128((const __m128i *)marks);

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)mark)));
#else
	uint32_t equal = 0;

	for (uint32_t i = 0; i < PMK_A64_MARKS; i++)
		equal |= (uint32_t)(marks[i] == mark) << i;
	return equal;
#endif
}

/*
 * Searches the ways of one group for a line. Returns its entry, or NULL. The cache must be filled
 * by pmk_a64_cache_put_marked(). A mark beyond the last way of the set may match as well, but its
 * entry is empty or belongs to another set, so it never has the address of the line.
 */
static inline uint64_t *pmk_a64_cache_find_marked(const struct pmk_a64_cache *c, uint64_t addr,
						  uint32_t group)
{
	uint32_t set = (uint32_t)(addr >> PMK_A64_LINE_SHIFT) & c->set_mask;
	const uint8_t *marks = &c->mark[(group * (c->set_mask + 1) + set) * PMK_A64_MARKS];
	uint64_t *entry = &c->tag[set * c->ways + group * PMK_A64_MARKS], *e;
	uint32_t equal = pmk_a64_marks_equal(marks, pmk_a64_cache_mark(addr));

	for (; equal; equal &= equal - 1) {
		e = &entry[__builtin_ctz(equal)];
		if (pmk_a64_cache_is(e, addr))
			return e;
	}
	return NULL;
}

/* Searches all ways for a line. Returns its entry, or NULL. */
uint64_t *pmk_a64_cache_find(const struct pmk_a64_cache *c, uint64_t addr);

/*
 * Like pmk_a64_cache_find(), but compares all entries of the line's set: for a cache of few ways,
 * which needs no marks. With four or two ways it has no branches, because the host could not
 * predict which way has the line.
 */
static inline __attribute__((always_inline)) uint64_t *pmk_a64_cache_find_in(
	const struct pmk_a64_cache *c, uint64_t *set, uint64_t addr)
{
	uint32_t way = 0;

	if (c->ways == 4) {
		way = pmk_a64_cache_is(&set[1], addr) ? 1 : way;
		way = pmk_a64_cache_is(&set[2], addr) ? 2 : way;
		way = pmk_a64_cache_is(&set[3], addr) ? 3 : way;
	} else if (c->ways == 2) {
		way = pmk_a64_cache_is(&set[1], addr);
	} else {
		while (way + 1 < c->ways && !pmk_a64_cache_is(&set[way], addr))
			way++;
	}
	return pmk_a64_cache_is(&set[way], addr) ? &set[way] : NULL;
}

/* Returns the entry to replace in a set that is not full, or in a cache that has no way_mask. */
uint64_t *pmk_a64_cache_unusual_victim(struct pmk_a64_cache *c, uint64_t *set);

/* Returns the entry of the set to replace: the lowest invalid way or, if all ways are valid, the
 * way that the policy chooses. Ways are filled from the lowest on, so if any way is empty, the last
 * one is. */
static inline uint64_t *pmk_a64_cache_victim(struct pmk_a64_cache *c, uint64_t *set)
{
	if (__builtin_expect(!c->way_mask || set[c->ways - 1] == PMK_A64_EMPTY, 0))
		return pmk_a64_cache_unusual_victim(c, set);
	return &set[pmk_order_random(&c->random) & c->way_mask];
}

static inline uint32_t pmk_a64_cache_set_of(const struct pmk_a64_cache *c, const uint64_t *e)
{
	return (uint32_t)(e - c->tag) / c->ways;
}

/*
 * Returns the entry that was used last in the set of `addr` if hits change the order of the set,
 * otherwise NULL. Hits on that entry change nothing.
 */
static inline uint64_t *pmk_a64_cache_last(const struct pmk_a64_cache *c, uint64_t addr)
{
	uint64_t *set;

	if (!pmk_order_ages(&c->order))
		return NULL;
	set = pmk_a64_cache_set(c, addr);
	return set + pmk_order_last(&c->order, pmk_a64_cache_set_of(c, set));
}

/* Record that an entry is used. */
static inline void pmk_a64_cache_use(struct pmk_a64_cache *c, const uint64_t *e)
{
	if (pmk_order_ages(&c->order))
		pmk_order_use(&c->order, pmk_a64_cache_set_of(c, e),
			      (uint32_t)(e - c->tag) % c->ways);
}

/* Fill an entry. */
static inline void pmk_a64_cache_put(struct pmk_a64_cache *c, uint64_t *e, uint64_t line)
{
	*e = line;
	if (pmk_order_is_kept(&c->order))
		pmk_order_fill(&c->order, pmk_a64_cache_set_of(c, e),
			       (uint32_t)(e - c->tag) % c->ways);
}

/* Like pmk_a64_cache_put(); also sets the mark by which pmk_a64_cache_find() finds the line. */
static inline void pmk_a64_cache_put_marked(struct pmk_a64_cache *c, uint64_t *e, uint64_t line)
{
	uint32_t set = (uint32_t)(line >> PMK_A64_LINE_SHIFT) & c->set_mask;
	uint32_t way = (uint32_t)(e - &c->tag[set * c->ways]);
	uint32_t group = way / PMK_A64_MARKS * (c->set_mask + 1) + set;

	pmk_a64_cache_put(c, e, line);
	c->mark[group * PMK_A64_MARKS + way % PMK_A64_MARKS] = pmk_a64_cache_mark(line);
}

#endif
