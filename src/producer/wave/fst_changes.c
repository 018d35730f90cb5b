// SPDX-License-Identifier: MIT
/* Reads the changes of an FST: see fst.c, which has the format. */
#include "producer/wave/fst.h"

#include <stdlib.h>
#include <string.h>

#include "producer/wave/unpack.h"

static bool signed_varint(const uint8_t **p, const uint8_t *end, int64_t *n)
{
	unsigned bits = 0;
	uint64_t u;

	if (!pmk_fst_long_varint(p, end, &u, &bits))
		return false;
	if (bits < 64 && u >> (bits - 1) & 1)
		u |= UINT64_MAX << bits;
	*n = (int64_t)u;
	return true;
}

/* ---- a block of changes --------------------------------------------------------------------- */

/* Positions in a block of changes. */
struct places {
	uint64_t begin; /* a time */
	uint64_t frame, packed_frame, whole_frame;
	uint64_t chains, table, end_of_table;
	uint64_t times, packed_times, whole_times, ntimes;
	unsigned packing; /* method of packing for chains: '4', 'F' or 'Z' */
};

/*
 * Reads the end of the block, which has, from the last byte backwards: three numbers about the
 * times, the times, the length of the table of chains, the table.
 */
static int find_from_end(struct wave_dump *v, const struct block *b, struct places *at)
{
	uint64_t room = b->end - b->at - HEAD, n;

	if (room < 24 + 8 + 24)
		return pmk_fst_damaged(v, "a block that is too short");
	if (pmk_fst_fetch_number(v, b->end - 24, &at->whole_times) ||
	    pmk_fst_fetch_number(v, b->end - 16, &at->packed_times) ||
	    pmk_fst_fetch_number(v, b->end - 8, &at->ntimes))
		return v->error.code;
	room -= 24 + 8 + 24;
	if (at->packed_times > room || at->ntimes > at->whole_times)
		return pmk_fst_damaged(v, "times");
	at->times = b->end - 24 - at->packed_times;
	at->end_of_table = at->times - 8;
	if (pmk_fst_fetch_number(v, at->end_of_table, &n))
		return v->error.code;
	if (n > room - at->packed_times)
		return pmk_fst_damaged(v, "where its signals are");
	at->table = at->end_of_table - n;
	return 0;
}

/* Reads n varints at `*at`, which must end before `limit`, and moves `*at` after them. */
static int fetch_varints(struct wave_dump *v, uint64_t *at, uint64_t limit, uint64_t *to,
			 unsigned n)
{
	uint8_t head[30];
	const uint8_t *p = head, *end;

	end = head + (limit - *at < sizeof(head) ? limit - *at : sizeof(head));
	if (pmk_fst_fetch(v, *at, head, (size_t)(end - head)))
		return v->error.code;
	for (unsigned i = 0; i < n; i++)
		if (!fst_varint(&p, end, &to[i]))
			return pmk_fst_damaged(v, "changes");
	*at += (uint64_t)(p - head);
	return 0;
}

/*
 * Reads the start of the block: times and a size, the frame, the number of signals, the method of
 * packing, the chains.
 */
static int find_from_begin(struct wave_dump *v, const struct block *b, struct places *at)
{
	uint64_t frame[3], signals;
	uint8_t packing = 0;

	at->frame = b->at + HEAD + 24;
	if (pmk_fst_fetch_number(v, b->at + HEAD, &at->begin) ||
	    fetch_varints(v, &at->frame, at->table, frame, 3))
		return v->error.code;
	at->whole_frame = frame[0];
	at->packed_frame = frame[1];
	if (at->packed_frame > at->table - at->frame)
		return pmk_fst_damaged(v, "values");
	at->chains = at->frame + at->packed_frame;
	if (fetch_varints(v, &at->chains, at->table, &signals, 1) ||
	    pmk_fst_fetch(v, at->chains, &packing, 1))
		return v->error.code;
	at->packing = packing;
	return 0;
}

/* ---- the table of chains -------------------------------------------------------------------- */

/* State while the table is read. */
struct table {
	size_t n;	/* signals so far */
	uint64_t begin; /* where the latest chain begins */
	size_t last;	/* signal of the latest chain */
	uint64_t end;	/* where all chains end */
};

static bool add_no_chains(struct wave_fst *f, struct table *t, uint64_t n)
{
	if (n > f->nhandles - t->n)
		return false;
	memset(f->chain + t->n, 0, n * sizeof(*f->chain));
	t->n += n;
	return true;
}

static bool add_chain(struct wave_fst *f, struct table *t, uint64_t later)
{
	if (t->n == f->nhandles || !later || later > t->end - t->begin)
		return false;
	if (t->begin)
		f->chain[t->last].end = t->begin + later;
	t->begin += later;
	t->last = t->n;
	f->chain[t->n++] = (struct chain){ .at = t->begin, .end = t->end };
	return true;
}

/*
 * Handles a signal that shares the chain of an earlier signal. Signals are counted from 1. The end
 * of that chain may not be known yet, so only the number is stored, and find_chains() copies the
 * chain.
 */
static bool add_same_chain(struct wave_fst *f, struct table *t, uint64_t earlier)
{
	if (t->n == f->nhandles || !earlier || earlier > t->n)
		return false;
	f->chain[t->n++] = (struct chain){ .at = 0, .end = earlier };
	return true;
}

/* Reads the table of CHANGES_ALIAS2. */
static bool read_table(struct wave_fst *f, struct table *t, const uint8_t *p, const uint8_t *end)
{
	uint64_t n, earlier = 0;
	int64_t s;

	while (p < end) {
		if (!(*p & 1)) {
			if (!fst_varint(&p, end, &n) || !add_no_chains(f, t, n >> 1))
				return false;
			continue;
		}
		if (!signed_varint(&p, end, &s))
			return false;
		s >>= 1;
		if (s < 0)
			earlier = -(uint64_t)s;
		if (s > 0 ? !add_chain(f, t, (uint64_t)s) : !add_same_chain(f, t, earlier))
			return false;
	}
	return true;
}

/* Reads the table of CHANGES and CHANGES_ALIAS. */
static bool read_older_table(struct wave_fst *f, struct table *t, const uint8_t *p,
			     const uint8_t *end)
{
	uint64_t n;
	bool ok;

	while (p < end) {
		if (!fst_varint(&p, end, &n))
			return false;
		if (!n)
			ok = fst_varint(&p, end, &n) && add_same_chain(f, t, n);
		else
			ok = n & 1 ? add_chain(f, t, n >> 1) : add_no_chains(f, t, n >> 1);
		if (!ok)
			return false;
	}
	return true;
}

static int find_chains(struct wave_dump *v, const struct block *b, const struct places *at)
{
	struct wave_fst *f = v->fst;
	struct table t = { .end = at->table - at->chains };
	const uint8_t *p;
	bool ok;

	if (pmk_fst_load(v, &f->table, at->table, at->end_of_table - at->table))
		return v->error.code;
	p = f->table.p;
	ok = b->type == CHANGES_ALIAS2 ? read_table(f, &t, p, p + f->table.n)
				       : read_older_table(f, &t, p, p + f->table.n);
	if (!ok)
		return pmk_fst_damaged(v, "where its signals are");
	add_no_chains(f, &t, f->nhandles - t.n);
	for (size_t i = 0; i < f->nhandles; i++)
		if (!f->chain[i].at && f->chain[i].end)
			f->chain[i] = f->chain[f->chain[i].end - 1];
	return 0;
}

/* ---- changes -------------------------------------------------------------------------------- */

/* Returns the bits from `low` on of a packed value of n bits, the highest first. */
static inline uint64_t bits_at(const uint8_t *p, uint32_t n, uint32_t low)
{
	uint64_t bits = 0;

	if (low >= n)
		return 0;
	if (n <= 64)
		return fst_number(p) >> (64 - n) >> low;
	n -= low;
	for (uint32_t i = n > 64 ? n - 64 : 0; i < n; i++)
		bits = bits << 1 | (p[i / 8] >> (7 - i % 8) & 1);
	return bits;
}

/* Stores the change at the cursor. */
static inline int take_change(struct wave_dump *v, struct cursor *c)
{
	const uint8_t *value = c->at;
	bool bits = !(c->entry & 1);
	uint32_t n = bits ? (c->length + 7) / 8 : c->length;
	uint64_t all = 0;

	if (c->length == 1) {
		if (!bits)
			return pmk_wave_dump_change(v, c->watch, &"xzhuwl-?"[c->entry >> 1 & 7], 1);
	} else {
		if (n > (size_t)(c->end - c->at))
			return pmk_fst_damaged(v, "changes");
		c->at += n;
		if (!bits)
			return pmk_wave_dump_change(v, c->watch, (const char *)value, n);
	}
	if (c->length <= 64)
		all = c->length == 1 ? c->entry >> 1 & 1 : bits_at(value, c->length, 0);
	for (uint32_t i = c->watch; i; i = v->watch[i - 1].next) {
		const struct wave_watch *w = &v->watch[i - 1];

		if (c->length <= 64)
			wave_put_bits(&v->cells, w, all);
		else
			wave_put(&v->cells, w,
				 (struct pmk_wave_value){
					 .bits = bits_at(value, c->length, w->low) });
	}
	return 0;
}

/* Like take_change(), for a value that can be copied into its cell. Returns false if it cannot. */
static inline bool take_easy(struct wave_dump *v, struct cursor *c)
{
	const struct wave_watch *w = &v->watch[c->watch - 1];
	uint64_t bits = fst_number(c->at) >> c->surplus, one = c->entry >> 1 & 1;

	if (!c->easy || c->entry & 1 || c->bytes > c->end - c->at)
		return false;
	c->at += c->bytes;
	bits = c->bytes ? bits : one;
	wave_make_room(&v->cells);
	wave_set(&v->cells, w->cell, (struct pmk_wave_value){ .bits = (bits & w->mask) ^ w->flip });
	return true;
}

/*
 * Puts the cursor into the list of the time of its next change. `now` is the index of the time of
 * its last change.
 */
static inline int schedule_cursor(struct wave_dump *v, uint32_t index, size_t now)
{
	struct wave_fst *f = v->fst;
	struct cursor *c = &f->cursor[index];
	uint32_t *first = (uint32_t *)(void *)f->schedule.p;
	uint64_t later;

	if (c->at == c->end)
		return 0;
	if (!fst_varint(&c->at, c->end, &c->entry))
		return pmk_fst_damaged(v, "changes");
	later = c->entry >> c->later[c->entry & 1];
	if (later >= f->ntimes - now)
		return pmk_fst_damaged(v, "changes");
	c->next = first[now + later];
	first[now + later] = index + 1;
	return 0;
}

/* Unpacks the changes of a signal. */
static int load_chain(struct wave_dump *v, struct cursor *c, const struct places *at)
{
	const struct chain *where = &v->fst->chain[c->handle];
	uint64_t begin = at->chains + where->at, end = at->chains + where->end, whole;

	c->at = c->end = NULL;
	if (!where->at)
		return 0;
	if (fetch_varints(v, &begin, end, &whole, 1))
		return v->error.code;
	/* A size of 0 means that the chain is not packed. */
	if (whole ? pmk_fst_load_packed(v, &c->data, begin, end - begin, whole,
					at->packing == '4'   ? pmk_wave_unlz4
					: at->packing == 'F' ? pmk_wave_unfastlz
							     : pmk_wave_inflate,
					"changes")
		  : pmk_fst_load(v, &c->data, begin, end - begin))
		return v->error.code;
	c->at = c->data.p;
	c->end = c->at + c->data.n;
	return 0;
}

/* Moves to time t. If there was a $dumpoff until then, all values are unknown from now on. */
static int go_to(struct wave_dump *v, uint64_t t)
{
	struct wave_fst *f = v->fst;
	int stop = pmk_wave_dump_time(v, t);

	while (!stop && f->next_blackout < f->nblackouts && f->blackout[f->next_blackout].time <= t)
		if (!f->blackout[f->next_blackout++].on)
			stop = pmk_wave_dump_off(v);
	return stop;
}

/* Reads the values at the start of the first block. */
static int read_frame(struct wave_dump *v, uint64_t at, uint64_t n, uint64_t whole)
{
	struct wave_fst *f = v->fst;
	struct bytes *frame = &f->table;
	size_t begin = 0, next = 0;

	if (pmk_fst_load_shorter(v, frame, at, n, whole, "values"))
		return v->error.code;
	for (size_t i = 0; i < f->ncursors; i++) {
		const struct cursor *c = &f->cursor[i];

		for (; next < c->handle; next++)
			begin += f->length[next];
		if (begin + c->length > frame->n)
			break; /* the signal was declared after this block */
		if (pmk_wave_dump_change(v, c->watch, (const char *)frame->p + begin, c->length))
			return v->error.code;
	}
	return 0;
}

/* Number of times between two calls of the progress callback. */
#define PATIENCE 4096

/* Stores all changes of the loaded block in the order of time. */
static int merge_chains(struct wave_dump *v, const struct block *b)
{
	struct wave_fst *f = v->fst;
	const uint8_t *p = f->times.p, *end = p + f->times.n;
	uint32_t *first = (uint32_t *)(void *)f->schedule.p;
	uint64_t time = 0, later;

	for (size_t now = 0; now < f->ntimes; now++) {
		if (!fst_varint(&p, end, &later) || __builtin_add_overflow(time, later, &time))
			return pmk_fst_damaged(v, "times");
		if (now % PATIENCE == 0) {
			v->source.taken = b->at + (uint64_t)((double)(b->end - b->at) *
							     (double)now / (double)f->ntimes);
			if (v->clockwork->progress(v->clockwork->ctx)) {
				v->stopped = true;
				return v->stopped;
			}
		}
		if (go_to(v, time))
			return 1;
		while (first[now]) {
			uint32_t i = first[now] - 1;

			first[now] = f->cursor[i].next;
			if ((!take_easy(v, &f->cursor[i]) && take_change(v, &f->cursor[i])) ||
			    schedule_cursor(v, i, now))
				return v->error.code;
		}
	}
	return 0;
}

static int read_block(struct wave_dump *v, const struct block *b)
{
	struct wave_fst *f = v->fst;
	struct places at;
	const uint8_t *p;
	uint64_t first = 0;

	if (find_from_end(v, b, &at) || find_from_begin(v, b, &at) ||
	    pmk_fst_load_shorter(v, &f->times, at.times, at.packed_times, at.whole_times, "times"))
		return v->error.code;
	f->ntimes = at.ntimes;
	p = f->times.p;
	if (f->ntimes && !fst_varint(&p, p + f->times.n, &first))
		return pmk_fst_damaged(v, "times");
	if (!f->framed && (!f->ntimes || at.begin != first) &&
	    (go_to(v, at.begin) || read_frame(v, at.frame, at.packed_frame, at.whole_frame)))
		return 1;
	f->framed = true;
	if (find_chains(v, b, &at) ||
	    pmk_fst_reserve(v, &f->schedule, f->ntimes * sizeof(uint32_t)))
		return v->error.code;
	memset(f->schedule.p, 0, f->schedule.n);
	for (size_t i = 0; i < f->ncursors; i++)
		if (load_chain(v, &f->cursor[i], &at) || schedule_cursor(v, (uint32_t)i, 0))
			return v->error.code;
	return merge_chains(v, b);
}

static struct cursor cursor_of(const struct wave_dump *v, size_t handle, uint32_t watch)
{
	uint32_t length = v->fst->length[handle];
	bool one = length == 1;

	return (struct cursor){
		.handle = (uint32_t)handle,
		.length = length,
		.watch = watch,
		.bytes = (uint8_t)(one ? 0 : (length + 7) / 8),
		.surplus = (uint8_t)(64 - length),
		.later = { one ? 2 : 1, one ? 4 : 1 },
		.easy = length <= 64 && v->watch[watch - 1].most_digits,
	};
}

/* Creates a cursor for each watched signal. */
static int create_cursors(struct wave_dump *v)
{
	struct wave_fst *f = v->fst;

	f->chain = calloc(f->nhandles + 1, sizeof(*f->chain));
	f->cursor = calloc(v->nwatches + 1, sizeof(*f->cursor));
	if (!f->chain || !f->cursor)
		return pmk_wave_dump_no_memory(v);
	for (size_t i = 0; i < f->nhandles; i++) {
		uint32_t watch = wave_find_id(v, i + 1)->watch;

		if (!watch)
			continue;
		if (!f->length[i])
			return pmk_fst_damaged(v, "bits of a signal that has none");
		f->cursor[f->ncursors++] = cursor_of(v, i, watch);
	}
	return 0;
}

void pmk_wave_fst_changes(struct wave_dump *v)
{
	struct block b = { .at = 0 };

	if (create_cursors(v))
		return;
	while (pmk_fst_next_block(v, &b)) {
		if (fst_has_changes(&b) && read_block(v, &b))
			return;
		v->source.taken = b.end;
	}
}
