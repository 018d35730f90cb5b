/* SPDX-License-Identifier: MIT */
/*
 * The data prefetcher of an A64 core. It watches the lines that miss the data cache. When they
 * follow each other at a fixed stride, it fetches the next lines before the program needs them.
 *
 * - Cortex-A53 (DDI 0500 6.6.2, CPUACTLR_EL1): A stream begins when the same stride, of up to four
 *   lines forwards or backwards, occurs twice in a row. Stores begin streams, too. There are at
 *   most two streams at once. At most five lines are under way, and they go into the data cache.
 *   Accesses that hit do not disturb a stream.
 * - Cortex-A72 (100095 6.4.9, CPUECTLR_EL1): Loads prefetch into both levels, up to 22 lines ahead
 *   in level 2. They do so by virtual addresses, so a stream may continue in the next page. Stores
 *   prefetch only into level 2, by physical addresses. The rest is not published, so the values in
 *   the preset are our choice.
 *
 * Our choice: the prefetcher has two *items* for each stream that the core can follow. An item is a
 * stream or a *beginning*, that is, a line that missed and may be the first of a stream. A new
 * beginning replaces the least recently used one. A stream continues when one of the lines that it
 * has fetched is used for the first time, or when the next line of the stream misses. The distance
 * of a stream counts lines that are not used yet, not lines under way. So which lines are fetched
 * does not depend on the clock, and caches miss in the same places when no clock runs. The limit of
 * lines under way only affects the clock.
 *
 * The model leaves out that DSB ends streams, and that a prefetch may be dropped, may need a
 * translation, or may meet device memory.
 */
#ifndef PMK_CPU_A64_PREFETCH_H
#define PMK_CPU_A64_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define PMK_A64_MAX_STREAMS    16
#define PMK_A64_MAX_PREFETCHES 32 /* maximum number of lines under way */
#define PMK_A64_FLIGHTS	       256

struct pmk_core;

/* How stores affect the prefetcher: prefetch.stores. */
enum pmk_a64_prefetch_stores {
	PMK_A64_STORES_IGNORED,
	PMK_A64_STORES_LEVEL2,
	PMK_A64_STORES_LOADS
};

/* A stream, or the beginning of one. The data that most misses look at is in the prefetcher's
 * arrays instead. */
struct pmk_a64_stream {
	uint64_t last; /* the line that was used last */
	uint64_t used; /* the value of `now` when `last` was used; 0: never */
	int64_t stride;
	uint32_t run; /* how often in a row the stride has occurred */
	bool store;   /* the last access that continued the stream was a store */
	/* How many strides after `last` the stream has fetched lines: `ahead` into level 1, and
	 * `ahead2` into level 1 or level 2. */
	uint32_t ahead, ahead2;
};

/* A line that may be under way. Arrays of this struct are indexed by the low bits of the line's
 * number. */
struct pmk_a64_flight {
	uint64_t line, ready;
};

/* The maximum number of items: streams and beginnings. */
#define PMK_A64_FOLLOWED (2 * PMK_A64_MAX_STREAMS)

struct pmk_a64_prefetcher {
	uint32_t nstreams, trigger, lines, lines2, step, nslots;
	uint32_t longest; /* the longest stride, in lines */
	bool pages;	  /* streams of loads continue in the next page */
	uint64_t stores;  /* enum pmk_a64_prefetch_stores */
	uint64_t now;	  /* the time, counted in misses and first uses */
	/*
	 * For each item, the lower half of the number of the first line that is near the item,
	 * minus 2^31. A line is near the item if the line's number minus this value, read as a
	 * signed number, is at most `reach`. Each miss compares its line with all items, and these
	 * values fit into few vectors. All four members of `reach` are equal.
	 */
	uint32_t near[PMK_A64_FOLLOWED];
	int32_t reach[4];
	uint32_t going; /* bit i is set if item i is a stream */
	/* Two rings, one of beginnings and one of streams, from the least recently used item to the
	 * most recently used one, after which comes the least recently used one again. */
	uint8_t newer[PMK_A64_FOLLOWED], older[PMK_A64_FOLLOWED];
	/* The least recently used beginning; the least recently used stream, or PMK_A64_FOLLOWED if
	 * there is none. */
	uint32_t oldest[2];
	struct pmk_a64_stream stream[PMK_A64_FOLLOWED];
	uint64_t busy_until[PMK_A64_MAX_PREFETCHES];
	struct pmk_a64_flight flight[PMK_A64_FLIGHTS], flight2[PMK_A64_FLIGHTS];
	/* Lines that PRFM has requested and no access has used since. `ready` is 0 in entries
	 * without such a line. */
	struct pmk_a64_flight preload[PMK_A64_FLIGHTS];
};

/* The number that means "no stream". */
#define PMK_A64_NO_STREAM UINT32_MAX

void pmk_a64_prefetcher_init(struct pmk_a64_prefetcher *p, const struct pmk_core *core);
/* Restart the time at 0, with no line under way. */
void pmk_a64_prefetcher_restart(struct pmk_a64_prefetcher *p);

/*
 * Returns a set of bits: bit i is set if a line that misses may be near item i. The set is empty
 * for most lines. Every miss calls this function, so a host with vectors compares four items at
 * once.
 */
static inline uint32_t pmk_a64_prefetch_near(const struct pmk_a64_prefetcher *p, uint64_t line)
{
	uint32_t near = 0, i = 0;
#ifdef __SSE2__
	__m128i at = _mm_set1_epi32((int)line), far;
	__m128i reach = _mm_loadu_si128((const __m128i *)p->reach);

	do {
		far = _mm_sub_epi32(at, _mm_loadu_si128((const __m128i *)&p->near[i]));
		far = _mm_cmpgt_epi32(far, reach);
		near |= (uint32_t)(_mm_movemask_ps(_mm_castsi128_ps(far)) ^ 0xf) << i;
	} while ((i += 4) < 2 * p->nstreams);
#else
	do
		near |= (uint32_t)((int32_t)((uint32_t)line - p->near[i]) <= *p->reach) << i;
	while (++i < 2 * p->nstreams);
#endif
	return near;
}

/* Makes a line a beginning. Called for a line that misses and is not near any stream or
 * beginning. */
void pmk_a64_prefetch_begin(struct pmk_a64_prefetcher *p, uint64_t line, bool store);
/*
 * Handles a miss of a line that may be near some items; `near` is the result of
 * pmk_a64_prefetch_near(). Returns the number of the stream that continues with this line, or
 * PMK_A64_NO_STREAM.
 */
uint32_t pmk_a64_prefetch_missed(struct pmk_a64_prefetcher *p, uint64_t line, bool store,
				 uint32_t near);
/*
 * Handles the first use of a line that was prefetched. Returns the number of the stream that
 * continues with this line, or PMK_A64_NO_STREAM.
 */
uint32_t pmk_a64_prefetch_used(struct pmk_a64_prefetcher *p, uint64_t line, bool store);

/* Stores in *line the next line that the stream wants: in level 1 or, if `level2` is true, only in
 * level 2. Returns false if the stream wants no more lines for now. Each time that the stream has
 * continued, this function is called at most `prefetch.step` times for each level. */
bool pmk_a64_prefetch_next(struct pmk_a64_prefetcher *p, uint32_t stream, bool level2,
			   uint64_t *line);

/* Returns when a prefetched line arrives; 0: it has arrived. */
static inline uint64_t pmk_a64_arrives(const struct pmk_a64_flight *flight, uint64_t line)
{
	const struct pmk_a64_flight *f = &flight[line % PMK_A64_FLIGHTS];

	return f->line == line ? f->ready : 0;
}

static inline void pmk_a64_flies(struct pmk_a64_flight *flight, uint64_t line, uint64_t ready)
{
	flight[line % PMK_A64_FLIGHTS] = (struct pmk_a64_flight){ line, ready };
}

#endif
