// SPDX-License-Identifier: MIT
/*
 * The data that vcd.c and fst.c fill: the table of names, the watched nets, and the cells with the
 * values of these nets at the current time.
 *
 * Values are digits here, as VCD writes them. x, z, U, W and - are unknown; L is 0, H is 1. A
 * vector shorter than its net is extended by its first digit if that is x or z, and otherwise by 0
 * (§18.2.1 of IEEE 1364-2005). In a vector longer than its net, the surplus digits at its beginning
 * must be 0. They may all be x or z if the first digit after them is x or z, too. Other surplus
 * digits are an error, because it is ambiguous which bits are meant.
 */
#define _GNU_SOURCE
#include "producer/wave/dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- strings -------------------------------------------------------------------------------- */

#define BLOCK 65536

struct wave_block {
	struct wave_block *next;
	size_t used, size;
	char text[];
};

char *pmk_wave_arena_copy(struct wave_arena *a, const char *text, size_t n)
{
	struct wave_block *b = a->block;
	char *copy;

	if (!b || b->size - b->used <= n) {
		size_t size = n + 1 > BLOCK ? n + 1 : BLOCK;

		b = malloc(sizeof(*b) + size);
		if (!b)
			return NULL;
		*b = (struct wave_block){ .next = a->block, .size = size };
		a->block = b;
	}
	copy = b->text + b->used;
	memcpy(copy, text, n);
	copy[n] = '\0';
	b->used += n + 1;
	return copy;
}

void pmk_wave_arena_free(struct wave_arena *a)
{
	while (a->block) {
		struct wave_block *next = a->block->next;

		free(a->block);
		a->block = next;
	}
}

/* ---- errors --------------------------------------------------------------------------------- */

void pmk_wave_dump_time_text(const struct wave_dump *v, uint64_t time, char *buf, size_t size)
{
	uint64_t scaled;

	if (!v->unit)
		snprintf(buf, size, "%llu", (unsigned long long)time);
	else if (__builtin_mul_overflow(time, v->scale, &scaled))
		snprintf(buf, size, "%llu x %u %s", (unsigned long long)time, v->scale, v->unit);
	else
		snprintf(buf, size, "%llu %s", (unsigned long long)scaled, v->unit);
}

void pmk_wave_dump_place(struct wave_dump *v, uint64_t *offset, uint64_t *line)
{
	*offset = v->base;
	*line = 0;
	if (!v->fst)
		pmk_wave_vcd_place(v, offset, line);
}

int pmk_wave_dump_fail(struct wave_dump *v, int code, const char *fmt, ...)
{
	struct pmk_wave_error *e = &v->error;
	char why[236], line[32] = "", time[80], when[96] = ""; /* these texts fit into e->text */
	va_list ap;

	if (e->code)
		return e->code;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	e->code = code;
	e->in_dump = true;
	pmk_wave_dump_place(v, &e->offset, &e->line);
	e->timed = v->timed;
	e->time = v->time;
	if (v->timed) {
		pmk_wave_dump_time_text(v, v->time, time, sizeof(time));
		snprintf(when, sizeof(when), ", time %s", time);
	}
	if (e->line)
		snprintf(line, sizeof(line), ", line %llu", (unsigned long long)e->line);
	snprintf(e->text, sizeof(e->text), "%.120s: byte %llu%s%s: %s", v->path,
		 (unsigned long long)e->offset, line, when, why);
	return code;
}

int pmk_wave_dump_no_memory(struct wave_dump *v)
{
	return pmk_wave_dump_fail(v, PMK_ENOMEM, "%s", pmk_strerror(PMK_ENOMEM));
}

const char *pmk_wave_dump_shown(char buf[WAVE_SHOWN], const char *word, size_t n)
{
	size_t i;

	for (i = 0; i < (n ? n : 1) && i < WAVE_SHOWN - 4; i++)
		buf[i] = word[i] > ' ' && word[i] < 0x7f ? word[i] : '?';
	strcpy(buf + i, i < n ? "..." : "");
	return buf;
}

/* ---- identifier codes ----------------------------------------------------------------------- */

static int grow_ids(struct wave_dump *v)
{
	size_t before = v->room_ids, room = before ? 2 * before : 1024;
	struct wave_id *old = v->id, *all = calloc(room, sizeof(*all));

	if (!all)
		return pmk_wave_dump_no_memory(v);
	v->id = all;
	v->room_ids = room;
	v->id_shift = (unsigned)__builtin_clzll(room) + 1;
	for (size_t i = 0; i < before; i++)
		if (old[i].key)
			*wave_find_id(v, old[i].key) = old[i];
	free(old);
	return 0;
}

int pmk_wave_dump_net(struct wave_dump *v, uint64_t key, uint32_t *net)
{
	struct wave_id *id;
	int err;

	if (2 * (v->nids + 1) > v->room_ids && (err = grow_ids(v)))
		return err;
	id = wave_find_id(v, key);
	if (!id->key)
		*id = (struct wave_id){ .key = key, .net = (uint32_t)v->nids++ };
	*net = id->net;
	return 0;
}

/* ---- names ---------------------------------------------------------------------------------- */

int pmk_wave_dump_enter(struct wave_dump *v, struct wave_scopes *s, const char *name)
{
	size_t n = strlen(name);

	if (s->length + n + 2 > s->room) {
		size_t room = 2 * (s->length + n + 2);
		char *bigger = realloc(s->path, room);

		if (!bigger)
			return pmk_wave_dump_no_memory(v);
		s->path = bigger;
		s->room = room;
	}
	if (!PMK_APPEND(s->start, s->depth, s->room_depth, s->length))
		return pmk_wave_dump_no_memory(v);
	s->length += (size_t)sprintf(s->path + s->length, "%s%s", s->length ? "." : "", name);
	s->shared = NULL;
	return 0;
}

int pmk_wave_dump_leave(struct wave_dump *v, struct wave_scopes *s)
{
	if (!s->depth)
		return pmk_wave_dump_fail(v, PMK_EPARSE, "$upscope without a $scope before it");
	s->length = s->start[--s->depth];
	s->path[s->length] = '\0';
	s->shared = NULL;
	return 0;
}

bool pmk_wave_range(const char *text, int32_t *msb, int32_t *lsb)
{
	int a, b, n = 0;

	if (sscanf(text, "[%9d:%9d]%n", &a, &b, &n) == 2 && n && !text[n]) {
		*msb = a;
		*lsb = b;
		return true;
	}
	n = 0;
	if (sscanf(text, "[%9d]%n", &a, &n) == 1 && n && !text[n]) {
		*msb = *lsb = a;
		return true;
	}
	return false;
}

static uint32_t range_width(int32_t msb, int32_t lsb)
{
	return (uint32_t)(msb > lsb ? msb - lsb : lsb - msb) + 1;
}

/* Splits the reference of a $var, "haddr [31:0]" or "haddr[31:0]", into name and range. An index
 * that does not fit the width is part of the name: a signal "mem[3]" of 8 bits has this whole
 * name. */
static void split_range(char *text, struct pmk_wave_signal *s)
{
	size_t n = strlen(text);
	char *bracket = n && text[n - 1] == ']' ? strrchr(text, '[') : NULL;
	int32_t msb, lsb;

	s->msb = (int32_t)s->width - 1;
	s->lsb = 0;
	if (!bracket || bracket == text || !pmk_wave_range(bracket, &msb, &lsb) ||
	    range_width(msb, lsb) != s->width)
		return;
	s->msb = msb;
	s->lsb = lsb;
	while (bracket > text + 1 && bracket[-1] == ' ')
		bracket--;
	*bracket = '\0';
}

int pmk_wave_dump_signal(struct wave_dump *v, struct wave_scopes *scopes, struct pmk_wave_signal *s,
			 char *text)
{
	split_range(text, s);
	if (!scopes->shared)
		scopes->shared = pmk_wave_arena_copy(&v->text, scopes->path ? scopes->path : "",
						     scopes->length);
	s->scope = scopes->shared;
	s->name = pmk_wave_arena_copy(&v->text, text, strlen(text));
	if (!s->scope || !s->name || !PMK_APPEND(v->signal, v->nsignals, v->room_signals, *s))
		return pmk_wave_dump_no_memory(v);
	return 0;
}

/* ---- values --------------------------------------------------------------------------------- */

int pmk_wave_dump_cells(struct wave_dump *v, uint32_t n, uint32_t clock)
{
	struct wave_cells *c = &v->cells;

	c->n = n;
	c->clock = clock;
	c->most_changed = 2 * n + 64; /* relist() shrinks the list to n entries at most */
	c->now = calloc(n + 1, sizeof(*c->now));
	c->before = calloc(n + 1, sizeof(*c->before));
	c->changed = calloc(c->most_changed + WAVE_LINES + 1, sizeof(*c->changed));
	return c->now && c->before && c->changed ? 0 : PMK_ENOMEM;
}

/* Lists each changed cell once, without cells that have their old values again. */
void pmk_wave_dump_relist(struct wave_cells *c)
{
	uint64_t changes = wave_clock_changes(c);

	c->nchanged = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		c->changed[c->nchanged] = i;
		c->nchanged += c->now[i].bits != c->before[i].bits || c->now[i].x != c->before[i].x;
	}
	c->clock_changes = 0;
	c->clock_changes = changes - wave_clock_changes(c);
}

int pmk_wave_dump_watch(struct wave_dump *v, const struct wave_watch *watch)
{
	struct wave_watch *w;

	if (!PMK_APPEND(v->watch, v->nwatches, v->room_watches, *watch))
		return PMK_ENOMEM;
	w = &v->watch[v->nwatches - 1];
	w->mask = wave_ones(w->width) << w->shift;
	w->flip = w->inverted ? w->mask : 0;
	w->net_mask = wave_ones(v->signal[w->signal].width);
	v->cells.now[w->cell].x |= w->mask;
	v->cells.before[w->cell].x |= w->mask;
	for (size_t i = 0; i < v->room_ids; i++) {
		if (v->id[i].key && v->id[i].net == v->signal[w->signal].net) {
			w->next = v->id[i].watch;
			v->id[i].watch = v->nwatches;
		}
	}
	return 0;
}

/* Meaning of one digit of a value. */
enum { DIGIT_0, DIGIT_1, DIGIT_X, NO_DIGIT };

static unsigned digit_of(char c)
{
	switch (c) {
	case '0':
	case 'l':
	case 'L':
		return DIGIT_0;
	case '1':
	case 'h':
	case 'H':
		return DIGIT_1;
	case 'x':
	case 'X':
	case 'z':
	case 'Z':
	case 'u':
	case 'U':
	case 'w':
	case 'W':
	case '-':
		return DIGIT_X;
	default:
		return NO_DIGIT;
	}
}

/*
 * True if a value of n digits does not fit its net. Leading digits that only extend the value do
 * not count.
 */
static bool too_wide(const char *text, size_t n, uint32_t width)
{
	unsigned top = digit_of(text[0]);

	if (n <= width)
		return false;
	for (size_t i = 0; i < n - width; i++)
		if (digit_of(text[i]) != top || top == DIGIT_1)
			return true;
	return top == DIGIT_X && digit_of(text[n - width]) != DIGIT_X;
}

/*
 * Reads bits [low, low + width) of a value of n digits, the highest first. False if a digit is
 * invalid.
 */
static bool decode_bits(const char *text, size_t n, unsigned low, unsigned width,
			struct pmk_wave_value *out)
{
	size_t top = (size_t)low + width, from = top < n ? top : n;
	uint64_t bits = 0, x = 0;

	if (top > n) { /* the value is shorter than its net: extend it */
		unsigned d = digit_of(text[0]),
			 more = top - n < width ? (unsigned)(top - n) : width;

		if (d == NO_DIGIT)
			return false;
		x = d == DIGIT_X ? wave_ones(more) : 0;
	}
	for (size_t i = from; i > low; i--) {
		unsigned d = digit_of(text[n - i]);

		if (d == NO_DIGIT)
			return false;
		bits = bits << 1 | (d == DIGIT_1);
		x = x << 1 | (d == DIGIT_X);
	}
	*out = (struct pmk_wave_value){ .bits = bits, .x = x };
	return true;
}

static int no_value(struct wave_dump *v, const struct pmk_wave_signal *s, const char *text,
		    size_t n)
{
	char buf[WAVE_SHOWN];

	return pmk_wave_dump_fail(v, PMK_EPARSE, "'%s' is not a value of %s%s%s",
				  pmk_wave_dump_shown(buf, text, n), s->scope, *s->scope ? "." : "",
				  s->name);
}

int pmk_wave_dump_too_many_bits(struct wave_dump *v, const struct pmk_wave_signal *s,
				const char *text, size_t n)
{
	char buf[WAVE_SHOWN];

	return pmk_wave_dump_fail(v, PMK_EPARSE, "'%s' has %zu bits, and %s%s%s has %u",
				  pmk_wave_dump_shown(buf, text, n), n, s->scope,
				  *s->scope ? "." : "", s->name, s->width);
}

int pmk_wave_dump_change(struct wave_dump *v, uint32_t first, const char *text, size_t n)
{
	struct pmk_wave_value value;

	for (uint32_t i = first; i; i = v->watch[i - 1].next) {
		const struct wave_watch *w = &v->watch[i - 1];
		const struct pmk_wave_signal *s = &v->signal[w->signal];

		if (!n || !decode_bits(text, n, w->low, w->width, &value))
			return no_value(v, s, text, n);
		if (too_wide(text, n, s->width))
			return pmk_wave_dump_too_many_bits(v, s, text, n);
		wave_put(&v->cells, w, value);
	}
	return 0;
}

/* ---- time ----------------------------------------------------------------------------------- */

/* Ends the current time after all its changes were read. */
static int dump_settle(struct wave_dump *v)
{
	const struct wave_cells *c = &v->cells;

	if ((c->nchanged || c->clock_changes) && v->clockwork->settle(v->clockwork->ctx, v->time))
		v->stopped = true;
	wave_cells_commit(&v->cells);
	return v->stopped;
}

int pmk_wave_dump_time(struct wave_dump *v, uint64_t t)
{
	char then[80];

	if (!v->timed) {
		v->begin = t;
	} else if (t < v->time) {
		pmk_wave_dump_time_text(v, t, then, sizeof(then));
		return pmk_wave_dump_fail(v, PMK_EPARSE, "time goes back to %s", then);
	} else if (t > v->time && dump_settle(v)) {
		return v->stopped;
	}
	v->timed = true;
	v->time = t;
	return 0;
}

int pmk_wave_dump_off(struct wave_dump *v)
{
	if (dump_settle(v))
		return v->stopped;
	v->clockwork->off(v->clockwork->ctx, v->time);
	return 0;
}

/* ---- open, run, close ---------------------------------------------------------------------- */

int pmk_wave_dump_open(struct wave_dump *v, const char *path, struct pmk_wave_error *err)
{
	int code;

	*v = (struct wave_dump){ .path = path };
	code = pmk_wave_source_open(&v->source, path, err);
	if (code)
		return code;
	code = grow_ids(v);
	if (!code)
		code = v->source.fst ? pmk_wave_fst_header(v) : pmk_wave_vcd_header(v);
	*err = v->error;
	return code;
}

/* Finds watches whose net is a whole cell, as for most nets: their values can be copied. */
static void find_whole_cells(struct wave_dump *v)
{
	/* Number of watches per cell. `changed` is free to use, because nothing has changed yet. */
	uint32_t *watches = v->cells.changed;

	for (uint32_t i = 0; i < v->nwatches; i++)
		watches[v->watch[i].cell]++;
	for (uint32_t i = 0; i < v->nwatches; i++) {
		struct wave_watch *w = &v->watch[i];

		if (!w->next && !w->low && w->mask == w->net_mask && watches[w->cell] == 1)
			w->most_digits = w->width;
	}
}

int pmk_wave_dump_run(struct wave_dump *v, const struct wave_clockwork *clockwork)
{
	v->clockwork = clockwork;
	find_whole_cells(v);
	if (v->fst)
		pmk_wave_fst_changes(v);
	else
		pmk_wave_vcd_changes(v);
	/*
	 * If the dump is cut off, some changes at the last time may be missing. The values before
	 * that time are complete, so a clock edge at that time counts.
	 */
	if (!v->stopped)
		dump_settle(v);
	return v->error.code;
}

void pmk_wave_dump_close(struct wave_dump *v)
{
	pmk_wave_fst_free(v);
	pmk_wave_source_close(&v->source);
	pmk_wave_arena_free(&v->text);
	free(v->memory);
	free(v->signal);
	free(v->id);
	free(v->by_bytes);
	free(v->by_number);
	free(v->watch);
	free(v->cells.now);
	free(v->cells.before);
	free(v->cells.changed);
}
