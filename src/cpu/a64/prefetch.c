// SPDX-License-Identifier: MIT
/* The data prefetcher of an A64 core: which lines it fetches. See prefetch.h. */
#include "cpu/a64/prefetch.h"

#include <string.h>

#include "cpu/a64/a64.h"

#define PAGE_LINES_SHIFT (PMK_PAGE_SHIFT - PMK_A64_LINE_SHIFT)
/* The value of an element of oldest[] if its ring is empty. */
#define NONE		 PMK_A64_FOLLOWED

static bool is_going(const struct pmk_a64_prefetcher *p, uint32_t i)
{
	return p->going >> i & 1;
}

/* Put item `i` into a ring, before `next`. */
static void put_before(struct pmk_a64_prefetcher *p, uint32_t i, uint32_t next)
{
	p->newer[i] = (uint8_t)next;
	p->older[i] = p->older[next];
	p->newer[p->older[i]] = p->older[next] = (uint8_t)i;
}

/* Put item `i` into its ring, as the most recently used one. */
static void put_last(struct pmk_a64_prefetcher *p, uint32_t i)
{
	uint32_t *oldest = &p->oldest[is_going(p, i)];

	if (*oldest == NONE)
		*oldest = p->older[i] = (uint8_t)i;
	put_before(p, i, *oldest);
}

static void take(struct pmk_a64_prefetcher *p, uint32_t i)
{
	uint32_t *oldest = &p->oldest[is_going(p, i)], next = p->newer[i];

	if (*oldest == i)
		*oldest = next == i ? NONE : next;
	p->newer[p->older[i]] = (uint8_t)next;
	p->older[next] = p->older[i];
}

static void use(struct pmk_a64_prefetcher *p, uint32_t i)
{
	take(p, i);
	p->stream[i].used = ++p->now;
	put_last(p, i);
}

/* Set near[i] for an item whose last line is `line`. */
static void set_near(struct pmk_a64_prefetcher *p, uint32_t i, uint64_t line)
{
	p->near[i] = (uint32_t)line - p->longest - (UINT32_C(1) << 31);
}

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
		.longest = (uint32_t)core->a64.prefetch_stride,
		.pages = core->a64.prefetch_pages,
		.stores = core->a64.prefetch_stores,
	};
	p->oldest[0] = p->oldest[1] = NONE;
	for (uint32_t i = 0; i < 2 * p->nstreams; i++)
		put_last(p, i);
	for (uint32_t i = 0; i < 4; i++)
		p->reach[i] = (int32_t)(2 * p->longest) + INT32_MIN;
}

void pmk_a64_prefetcher_restart(struct pmk_a64_prefetcher *p)
{
	memset(p->busy_until, 0, sizeof(p->busy_until));
	memset(p->flight, 0, sizeof(p->flight));
	memset(p->flight2, 0, sizeof(p->flight2));
	memset(p->preload, 0, sizeof(p->preload));
}

static bool in_one_page(uint64_t a, uint64_t b)
{
	return a >> PAGE_LINES_SHIFT == b >> PAGE_LINES_SHIFT;
}

static bool stays_in_page(const struct pmk_a64_prefetcher *p, uint32_t i)
{
	return !p->pages || p->stream[i].store;
}

/*
 * True if the line continues the item: a beginning, with any permitted stride, or a stream, with
 * the stream's stride.
 */
static bool continues(const struct pmk_a64_prefetcher *p, uint32_t i, uint64_t line)
{
	const struct pmk_a64_stream *s = &p->stream[i];
	int64_t stride = (int64_t)(line - s->last);

	if (!s->used || !stride || line - s->last + p->longest > 2 * (uint64_t)p->longest ||
	    (is_going(p, i) && stride != s->stride))
		return false;
	return !stays_in_page(p, i) || in_one_page(line, s->last);
}

/*
 * Returns which of the items `near` a line continues. If it continues several, returns the most
 * recently used one.
 */
static uint32_t continued_by(const struct pmk_a64_prefetcher *p, uint64_t line, uint32_t near)
{
	uint32_t found = PMK_A64_NO_STREAM;

	for (; near; near &= near - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(near);

		if (continues(p, i, line) &&
		    (found == PMK_A64_NO_STREAM || p->stream[i].used > p->stream[found].used))
			found = i;
	}
	return found;
}

/* End a stream. It becomes a beginning, and enters the ring of beginnings at the place of its last
 * use. That ring is not empty. */
static void end(struct pmk_a64_prefetcher *p, uint32_t i)
{
	uint32_t *oldest = &p->oldest[0], next = *oldest;

	take(p, i);
	p->going &= ~(UINT32_C(1) << i);
	while (p->stream[next].used < p->stream[i].used && (next = p->newer[next]) != *oldest)
		;
	put_before(p, i, next);
	if (p->stream[i].used < p->stream[*oldest].used)
		*oldest = i;
	p->stream[i].ahead = p->stream[i].ahead2 = 0;
}

/* Advance item `i` to `line`, which is `strides` strides after the last line of this item. */
static void go_on(struct pmk_a64_prefetcher *p, uint32_t i, uint64_t line, uint32_t strides)
{
	struct pmk_a64_stream *s = &p->stream[i];

	s->last = line;
	set_near(p, i, line);
	s->ahead -= s->ahead < strides ? s->ahead : strides;
	s->ahead2 -= s->ahead2 < strides ? s->ahead2 : strides;
}

void pmk_a64_prefetch_begin(struct pmk_a64_prefetcher *p, uint64_t line, bool store)
{
	uint32_t i = p->oldest[0]; /* there is always a beginning */

	p->oldest[0] = p->newer[i];
	p->stream[i] = (struct pmk_a64_stream){ .last = line, .used = ++p->now, .store = store };
	set_near(p, i, line);
}

/*
 * Turn a beginning into a stream, the most recently used one. If there are too many streams, end
 * the least recently used stream first.
 */
static void begin_stream(struct pmk_a64_prefetcher *p, uint32_t i)
{
	if ((uint32_t)__builtin_popcount(p->going) == p->nstreams)
		end(p, p->oldest[1]);
	take(p, i);
	p->going |= UINT32_C(1) << i;
	put_last(p, i);
}

uint32_t pmk_a64_prefetch_missed(struct pmk_a64_prefetcher *p, uint64_t line, bool store,
				 uint32_t near)
{
	uint32_t i = continued_by(p, line, near);
	struct pmk_a64_stream *s;
	int64_t stride;

	if (i == PMK_A64_NO_STREAM) {
		pmk_a64_prefetch_begin(p, line, store);
		return PMK_A64_NO_STREAM;
	}
	s = &p->stream[i];
	stride = (int64_t)(line - s->last);
	use(p, i);
	s->store = store;
	if (stride != s->stride) {
		s->stride = stride;
		s->run = 1;
	} else if (s->run < p->trigger) {
		s->run++;
	}
	go_on(p, i, line, 1);
	if (s->run < p->trigger)
		return PMK_A64_NO_STREAM;
	if (!is_going(p, i))
		begin_stream(p, i);
	return i;
}

/*
 * If the stream has fetched `line`, returns how many strides after the stream's last line it is.
 * Otherwise returns 0.
 */
static uint32_t strides_to(const struct pmk_a64_stream *s, uint64_t line)
{
	uint64_t at = s->last;

	/* `line` is usually the next line of the stream, so a loop is faster than a division. */
	for (uint32_t n = 1; n <= s->ahead; n++) {
		at += (uint64_t)s->stride;
		if (at == line)
			return n;
	}
	return 0;
}

uint32_t pmk_a64_prefetch_used(struct pmk_a64_prefetcher *p, uint64_t line, bool store)
{
	uint32_t strides = 0, oldest = p->oldest[1], i = oldest;

	if (oldest != NONE) {
		do
			strides = strides_to(&p->stream[i = p->older[i]], line);
		while (!strides && i != oldest);
	}
	if (!strides) {
		p->now++;
		return PMK_A64_NO_STREAM;
	}
	use(p, i);
	p->stream[i].store = store;
	go_on(p, i, line, strides);
	return i;
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
	*line = s->last + (uint64_t)(s->stride * (*ahead + 1));
	if (stays_in_page(p, stream) && !in_one_page(*line, s->last))
		return false;
	++*ahead;
	if (s->ahead2 < s->ahead)
		s->ahead2 = s->ahead;
	return true;
}
