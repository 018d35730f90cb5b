// SPDX-License-Identifier: MIT
/* The data prefetcher of an A64 core: which lines it fetches. See prefetch.h. */
#include "cpu/a64/prefetch.h"

#include <string.h>

#include "cpu/a64/a64.h"

#define PAGE_LINES_SHIFT (PMK_PAGE_SHIFT - PMK_A64_LINE_SHIFT)

void pmk_a64_prefetcher_init(struct pmk_a64_prefetcher *p, const struct pmk_core *core)
{
	*p = (struct pmk_a64_prefetcher){
		.nstreams = (uint32_t)core->a64.prefetch_streams,
		.trigger = (uint32_t)core->a64.prefetch_trigger,
		.lines = (uint32_t)core->a64.prefetch_lines,
		.lines2 = core->a64.l2_on && !core->timeless ? (uint32_t)core->a64.prefetch_lines2
							     : 0,
		.step = (uint32_t)core->a64.prefetch_step,
		.nslots = (uint32_t)core->a64.prefetch_slots,
		.longest = core->a64.prefetch_stride,
		.pages = core->a64.prefetch_pages,
		.stores = core->a64.prefetch_stores,
	};
}

void pmk_a64_prefetcher_restart(struct pmk_a64_prefetcher *p)
{
	memset(p->busy_until, 0, sizeof(p->busy_until));
	memset(p->flight, 0, sizeof(p->flight));
	memset(p->flight2, 0, sizeof(p->flight2));
}

static bool in_one_page(uint64_t a, uint64_t b)
{
	return a >> PAGE_LINES_SHIFT == b >> PAGE_LINES_SHIFT;
}

static bool stays_in_page(const struct pmk_a64_prefetcher *p, uint32_t i)
{
	return !p->pages || p->stream[i].store;
}

static bool is_going(const struct pmk_a64_prefetcher *p, uint32_t i)
{
	return p->going >> i & 1;
}

/* Is a line one stride, no longer than the longest, behind a beginning; or behind a stream, the
 * stream's? */
static bool continues(const struct pmk_a64_prefetcher *p, uint32_t i, uint64_t line)
{
	int64_t stride = (int64_t)(line - p->last[i]);

	if (!p->used[i] || !stride || (is_going(p, i) && stride != p->stream[i].stride))
		return false;
	return !stays_in_page(p, i) || in_one_page(line, p->last[i]);
}

/* The stream or beginning that a line continues; of several, the one that was used last. Most lines
 * are near none, which is what this has to find out fast. */
static uint32_t continued_by(const struct pmk_a64_prefetcher *p, uint64_t line)
{
	uint32_t found = PMK_A64_NO_STREAM;

	for (uint32_t i = 0; i < 2 * p->nstreams; i++)
		if (PMK_UNLIKELY(line - p->last[i] + p->longest <= 2 * p->longest) &&
		    continues(p, i, line) &&
		    (found == PMK_A64_NO_STREAM || p->used[i] > p->used[found]))
			found = i;
	return found;
}

/* The one that was not used for longest: of beginnings, or of streams. There is one. */
static uint32_t oldest(const struct pmk_a64_prefetcher *p, bool going)
{
	uint32_t others = going ? ~p->going : p->going, found = 0;
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < 2 * p->nstreams; i++) {
		uint64_t used = p->used[i] | (uint64_t)(others >> i & 1) << 63;

		found = used < least ? i : found;
		least = used < least ? used : least;
	}
	return found;
}

static void end(struct pmk_a64_prefetcher *p, uint32_t i)
{
	p->going &= ~(UINT32_C(1) << i);
	p->stream[i].ahead = p->stream[i].ahead2 = 0;
}

/* A line that is so many strides further is used. */
static void go_on(struct pmk_a64_prefetcher *p, uint32_t i, uint64_t line, uint32_t strides)
{
	struct pmk_a64_stream *s = &p->stream[i];

	p->last[i] = line;
	s->ahead -= s->ahead < strides ? s->ahead : strides;
	s->ahead2 -= s->ahead2 < strides ? s->ahead2 : strides;
}

uint32_t pmk_a64_prefetch_missed(struct pmk_a64_prefetcher *p, uint64_t line, bool store)
{
	uint32_t i = continued_by(p, line);
	struct pmk_a64_stream *s;
	int64_t stride;

	p->now++;
	if (PMK_LIKELY(i == PMK_A64_NO_STREAM)) {
		i = oldest(p, false);
		p->stream[i] = (struct pmk_a64_stream){ .store = store };
		p->last[i] = line;
		p->used[i] = p->now;
		return PMK_A64_NO_STREAM;
	}
	s = &p->stream[i];
	stride = (int64_t)(line - p->last[i]);
	p->used[i] = p->now;
	s->store = store;
	if (stride != s->stride) {
		end(p, i);
		s->stride = stride;
		s->run = 1;
	} else if (s->run < p->trigger) {
		s->run++;
	}
	go_on(p, i, line, 1);
	if (s->run < p->trigger)
		return PMK_A64_NO_STREAM;
	if (!is_going(p, i) && (uint32_t)__builtin_popcount(p->going) == p->nstreams)
		end(p, oldest(p, true));
	p->going |= UINT32_C(1) << i;
	return i;
}

/* How many strides a line that a stream has fetched is behind its last one; 0: it has not. */
static uint32_t strides_to(const struct pmk_a64_prefetcher *p, uint32_t i, uint64_t line)
{
	const struct pmk_a64_stream *s = &p->stream[i];
	int64_t distance = (int64_t)(line - p->last[i]);

	if (!is_going(p, i) || distance % s->stride || distance / s->stride < 1 ||
	    distance / s->stride > s->ahead)
		return 0;
	return (uint32_t)(distance / s->stride);
}

uint32_t pmk_a64_prefetch_used(struct pmk_a64_prefetcher *p, uint64_t line, bool store)
{
	uint32_t found = PMK_A64_NO_STREAM;

	p->now++;
	for (uint32_t i = 0; i < 2 * p->nstreams; i++)
		if (strides_to(p, i, line) &&
		    (found == PMK_A64_NO_STREAM || p->used[i] > p->used[found]))
			found = i;
	if (found == PMK_A64_NO_STREAM)
		return found;
	p->used[found] = p->now;
	p->stream[found].store = store;
	go_on(p, found, line, strides_to(p, found, line));
	return found;
}

bool pmk_a64_prefetch_next(struct pmk_a64_prefetcher *p, uint32_t stream, bool level2,
			   uint64_t *line)
{
	struct pmk_a64_stream *s = &p->stream[stream];
	uint32_t *ahead = level2 ? &s->ahead2 : &s->ahead;

	if (!level2 && s->store && p->stores == PMK_A64_STORES_LEVEL2)
		return false;
	if (*ahead >= (level2 ? p->lines2 : p->lines))
		return false;
	*line = p->last[stream] + (uint64_t)(s->stride * (*ahead + 1));
	if (stays_in_page(p, stream) && !in_one_page(*line, p->last[stream]))
		return false;
	++*ahead;
	if (s->ahead2 < s->ahead)
		s->ahead2 = s->ahead;
	return true;
}
