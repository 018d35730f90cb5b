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
		.longest = (int64_t)core->a64.prefetch_stride,
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

static bool stays_in_page(const struct pmk_a64_prefetcher *p, const struct pmk_a64_stream *s)
{
	return !p->pages || s->store;
}

/* The stream or beginning that a line is near to; of several, the one that was used last. */
static struct pmk_a64_stream *nearest(struct pmk_a64_prefetcher *p, uint64_t line)
{
	struct pmk_a64_stream *found = NULL;

	for (uint32_t i = 0; i < 2 * p->nstreams; i++) {
		struct pmk_a64_stream *s = &p->stream[i];
		int64_t stride = (int64_t)(line - s->last);

		if (!s->used || stride > p->longest || stride < -p->longest || !stride)
			continue;
		if (s->going && stride != s->stride)
			continue;
		if (stays_in_page(p, s) && !in_one_page(line, s->last))
			continue;
		if (!found || s->used > found->used)
			found = s;
	}
	return found;
}

/* The one that was not used for longest: of beginnings, or of streams. */
static struct pmk_a64_stream *oldest(struct pmk_a64_prefetcher *p, bool going)
{
	struct pmk_a64_stream *found = NULL;

	for (uint32_t i = 0; i < 2 * p->nstreams; i++) {
		struct pmk_a64_stream *s = &p->stream[i];

		if (s->going == going && (!found || s->used < found->used))
			found = s;
	}
	return found;
}

static uint32_t streams_going(const struct pmk_a64_prefetcher *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < 2 * p->nstreams; i++)
		n += p->stream[i].going;
	return n;
}

static void end(struct pmk_a64_stream *s)
{
	s->going = false;
	s->ahead = s->ahead2 = 0;
}

/* A line that is so many strides further is used. */
static void go_on(struct pmk_a64_stream *s, uint64_t line, uint32_t strides)
{
	s->last = line;
	s->ahead -= s->ahead < strides ? s->ahead : strides;
	s->ahead2 -= s->ahead2 < strides ? s->ahead2 : strides;
}

struct pmk_a64_stream *pmk_a64_prefetch_missed(struct pmk_a64_prefetcher *p, uint64_t line,
					       bool store)
{
	struct pmk_a64_stream *s = nearest(p, line);
	int64_t stride;

	p->now++;
	if (!s) {
		s = oldest(p, false);
		*s = (struct pmk_a64_stream){ .last = line, .store = store, .used = p->now };
		return NULL;
	}
	stride = (int64_t)(line - s->last);
	s->used = p->now;
	s->store = store;
	if (stride != s->stride) {
		end(s);
		s->stride = stride;
		s->run = 1;
	} else if (s->run < p->trigger) {
		s->run++;
	}
	go_on(s, line, 1);
	if (s->run < p->trigger)
		return NULL;
	if (!s->going && streams_going(p) == p->nstreams)
		end(oldest(p, true));
	s->going = true;
	return s;
}

struct pmk_a64_stream *pmk_a64_prefetch_used(struct pmk_a64_prefetcher *p, uint64_t line,
					     bool store)
{
	struct pmk_a64_stream *found = NULL;

	p->now++;
	for (uint32_t i = 0; i < 2 * p->nstreams; i++) {
		struct pmk_a64_stream *s = &p->stream[i];
		int64_t distance = (int64_t)(line - s->last);

		if (!s->going || distance % s->stride || distance / s->stride < 1 ||
		    distance / s->stride > s->ahead)
			continue;
		if (!found || s->used > found->used)
			found = s;
	}
	if (!found)
		return NULL;
	found->used = p->now;
	found->store = store;
	go_on(found, line, (uint32_t)((int64_t)(line - found->last) / found->stride));
	return found;
}

bool pmk_a64_prefetch_next(const struct pmk_a64_prefetcher *p, struct pmk_a64_stream *s,
			   bool level2, uint64_t *line)
{
	uint32_t *ahead = level2 ? &s->ahead2 : &s->ahead;

	if (!level2 && s->store && p->stores == PMK_A64_STORES_LEVEL2)
		return false;
	if (*ahead >= (level2 ? p->lines2 : p->lines))
		return false;
	*line = s->last + (uint64_t)(s->stride * (*ahead + 1));
	if (stays_in_page(p, s) && !in_one_page(*line, s->last))
		return false;
	++*ahead;
	if (s->ahead2 < s->ahead)
		s->ahead2 = s->ahead;
	return true;
}
