/* SPDX-License-Identifier: MIT */
/*
 * An oracle of the replacement policies that depend on past accesses: FIFO, LRU and tree PLRU. It
 * records when each line was filled and last used. In a tree PLRU, each node points away from the
 * half that was used last. So at each node the victim is in the half whose last use is earlier, and
 * the oracle needs no tree.
 */
#ifndef PMK_TESTS_CPU_AGES_H
#define PMK_TESTS_CPU_AGES_H

#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { AGES_LRU = 1, AGES_FIFO = 2, AGES_PLRU = 3 };

struct ages {
	uint64_t now, *used, *filled; /* indexed by set * ways + way */
	unsigned policy;
};

static inline void ages_init(struct ages *a, unsigned policy, size_t lines)
{
	a->policy = policy;
	a->now = 0;
	a->used = calloc(lines, sizeof(*a->used));
	a->filled = calloc(lines, sizeof(*a->filled));
	assert_true(a->used && a->filled);
}

static inline void ages_fini(struct ages *a)
{
	free(a->used);
	free(a->filled);
}

static inline void ages_use(struct ages *a, size_t place)
{
	a->used[place] = ++a->now;
}

static inline void ages_fill(struct ages *a, size_t place)
{
	a->used[place] = a->filled[place] = ++a->now;
}

static inline uint64_t ages_latest(const uint64_t *stamp, unsigned n)
{
	uint64_t latest = 0;

	for (unsigned i = 0; i < n; i++)
		latest = stamp[i] > latest ? stamp[i] : latest;
	return latest;
}

/*
 * Returns the way to replace in a set of valid ways that begins at `first`. Returns `ways` if the
 * policy does not depend on past accesses.
 */
static inline unsigned ages_victim(const struct ages *a, size_t first, unsigned ways)
{
	const uint64_t *stamp = (a->policy == AGES_FIFO ? a->filled : a->used) + first;
	unsigned way = 0;

	if (a->policy < AGES_LRU || a->policy > AGES_PLRU)
		return ways;
	if (a->policy == AGES_PLRU) {
		for (unsigned half = ways / 2; half; half /= 2)
			if (ages_latest(stamp + way, half) > ages_latest(stamp + way + half, half))
				way += half;
		return way;
	}
	for (unsigned w = 1; w < ways; w++)
		if (stamp[w] < stamp[way])
			way = w;
	return way;
}

#endif
