// SPDX-License-Identifier: MIT
/*
 * A VCD, read as a stream. Understood:
 *
 *	header      $date $version $comment $timescale $scope $upscope $var $enddefinitions;
 *	            other sections ($attrbegin of GTKWave …) are skipped to their $end. Names with
 *	            and without a blank before their [range]. Several names of one identifier
 *	            code.
 *	changes     #time; 0 1 x z and VHDL's U W L H - before a code; b… r… s… with a blank
 *	            between; $dumpvars $dumpall $dumpon $dumpoff with their values inside or after
 *	            them; $comment anywhere. Any white space between any two words, CR LF included.
 *
 * x, z, U, W and - are unknown; L is 0, H is 1. A vector shorter than its net is extended by x or z
 * if that is its first digit, else by 0 (§18.2.1). In a vector longer than its net, the surplus
 * digits have to be 0, or x or z if the next digit is x or z, too. Otherwise nobody knows which
 * bits are meant, and it is an error.
 *
 * Not understood: $dumpports (extended VCD, §18.3). It is recognised by its ports, whose sizes are
 * ranges and whose codes are <0, <1 …; fst2vcd writes ports, too, but with ordinary sizes and
 * codes.
 *
 * Speed. Most of a dump are changes of nets that nobody asked for, so what they cost is what a dump
 * costs: read_changes() finds the identifier code of a line without looking at its value, and
 * without branches that depend on lengths or on the kind of value (scan.h). Everything else takes
 * the slower way, one word at a time. Values are decoded only when somebody watches. Lines are
 * counted afterwards, buffer by buffer. See bench/wave.
 */
#define _GNU_SOURCE
#include "producer/wave/vcd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/wave/scan.h"

#define BUFFER	     (256 * 1024) /* fits a level 2 cache; it grows when a word does not fit … */
#define LONGEST_WORD (16 * 1024 * 1024) /* … up to here */
/* interval between checks whether somebody wants to stop, while nothing comes */
#define PATIENCE_MS  100

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

static void count_lines(struct wave_vcd *v, const char *upto)
{
	if (upto <= v->counted)
		return;
	v->lines += pmk_wave_lines(v->counted, (size_t)(upto - v->counted));
	v->counted = (char *)(uintptr_t)upto;
}

void pmk_wave_vcd_place(struct wave_vcd *v, uint64_t *offset, uint64_t *line)
{
	count_lines(v, v->at);
	*offset = v->base + (uint64_t)(v->at - v->buf);
	*line = v->lines + 1;
}

void pmk_wave_vcd_time_text(const struct wave_vcd *v, uint64_t time, char *buf, size_t size)
{
	uint64_t scaled;

	if (!v->unit)
		snprintf(buf, size, "%llu", (unsigned long long)time);
	else if (__builtin_mul_overflow(time, v->scale, &scaled))
		snprintf(buf, size, "%llu x %u %s", (unsigned long long)time, v->scale, v->unit);
	else
		snprintf(buf, size, "%llu %s", (unsigned long long)scaled, v->unit);
}

/* Reports "sim.vcd: byte 812, line 40, time 1200 ns: why". Only the first error counts. */
static int __attribute__((format(printf, 3, 4)))
fail(struct wave_vcd *v, int code, const char *fmt, ...)
{
	struct pmk_wave_error *e = &v->error;
	char why[320], time[80], when[96] = "";
	va_list ap;

	if (e->code)
		return e->code;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	e->code = code;
	e->in_dump = true;
	pmk_wave_vcd_place(v, &e->offset, &e->line);
	e->timed = v->timed;
	e->time = v->time;
	if (v->timed) {
		pmk_wave_vcd_time_text(v, v->time, time, sizeof(time));
		snprintf(when, sizeof(when), ", time %s", time);
	}
	snprintf(e->text, sizeof(e->text), "%.120s: byte %llu, line %llu%s: %s", v->path,
		 (unsigned long long)e->offset, (unsigned long long)e->line, when, why);
	return code;
}

static int no_memory(struct wave_vcd *v)
{
	return fail(v, PMK_ENOMEM, "out of memory");
}

/* Make a word of the dump fit to be shown, in buf, which is returned. */
#define SHOWN 40

static const char *shown(char buf[SHOWN], const char *word, size_t n)
{
	size_t i;

	for (i = 0; i < (n ? n : 1) && i < SHOWN - 4; i++)
		buf[i] = word[i] > ' ' && word[i] < 0x7f ? word[i] : '?';
	strcpy(buf + i, i < n ? "..." : "");
	return buf;
}

/* ---- the buffer ----------------------------------------------------------------------------- */

/* Double the buffer, keeping the `left` unread bytes at its front. */
static int grow(struct wave_vcd *v, size_t left)
{
	size_t room = v->room ? 2 * v->room : BUFFER;
	char *bigger;

	if (room > LONGEST_WORD)
		return fail(v, PMK_EPARSE, "%u MB without a line end: this is no VCD",
			    LONGEST_WORD >> 20);
	bigger = realloc(v->buf, room + WAVE_SLACK);
	if (!bigger)
		return no_memory(v);
	v->room = room;
	v->buf = v->at = v->counted = bigger;
	v->end = bigger + left;
	return 0;
}

/* Look how the converter has ended. */
static int ended(struct wave_vcd *v)
{
	int status = pmk_wave_source_status(&v->source);

	v->eof = true;
	if (!status)
		return 0;
	return fail(v, PMK_EIO, "%s ended with code %d: the %s file is damaged or truncated",
		    v->source.tool, status, v->source.format);
}

/* Has the whole file been read? Then it is too late to stop. */
static bool at_end(const struct wave_source *s)
{
	return s->size && !s->tool && s->taken >= s->size;
}

/* Read more text after the text that has not been used yet, which moves to the front. Returns 0,
 * also at the end. */
static int refill(struct wave_vcd *v)
{
	size_t left = (size_t)(v->end - v->at);
	ssize_t n;
	int err;

	count_lines(v, v->at);
	v->base += (uint64_t)(v->at - v->buf);
	memmove(v->buf, v->at, left);
	v->at = v->counted = v->buf;
	v->end = v->buf + left;
	if (left == v->room && (err = grow(v, left)))
		return err;
	do {
		if (v->clockwork && !at_end(&v->source) &&
		    v->clockwork->progress(v->clockwork->ctx)) {
			v->stopped = true;
			return 0;
		}
		/* Waits are short, because a signal that comes just before a wait would go
		 * unnoticed. */
		n = pmk_wave_source_read(&v->source, v->end, v->room - left, PATIENCE_MS);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return fail(v, PMK_EIO, "cannot be read: %s", strerror(errno));
	v->end += n;
	memset(v->end, 0, WAVE_SLACK);
	return n ? 0 : ended(v);
}

static bool blank(char c)
{
	return (unsigned char)c <= ' ';
}

/* Read more text of the header. False at its end or after an error. */
static bool more(struct wave_vcd *v)
{
	return !v->eof && !refill(v) && !v->stopped;
}

/* The next word of the header; NULL at the end or after an error. Valid until the next call, and
 * until then the place of an error. */
static const char *word(struct wave_vcd *v, size_t *length)
{
	size_t n = 0;

	v->at += v->word;
	v->word = 0;
	do {
		while (v->at < v->end && *v->at && blank(*v->at))
			v->at++;
	} while (v->at == v->end && more(v));
	if (v->at < v->end && !*v->at) {
		fail(v, PMK_EPARSE, "this is neither VCD nor FST: a byte 0 in the header");
		return NULL;
	}
	do {
		while (v->at + n < v->end && !blank(v->at[n]))
			n++;
	} while (v->at + n == v->end && more(v));
	*length = v->word = n;
	return n && !v->error.code ? v->at : NULL;
}

static bool is(const char *word, size_t n, const char *text)
{
	return n == strlen(text) && memcmp(word, text, n) == 0;
}

/* ---- identifier codes ----------------------------------------------------------------------- */

/* A code of more than 8 characters is its hash, with the highest bit set, which no ASCII has. */
static uint64_t long_key(const char *code, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)code[i]) * UINT64_C(0x100000001b3);
	return h | UINT64_C(1) << 63;
}

/* As many of the bytes of a word as a code has characters, 1 to 8. */
static inline uint64_t short_key(uint64_t word, size_t n)
{
	return word & ~UINT64_C(0) >> (64 - 8 * n);
}

static uint64_t key_of(const char *code, size_t n)
{
	if (!n)
		return 0;
	return n > 8 ? long_key(code, n) : short_key(wave_word(code), n);
}

/* The entry of a code, or the free entry where it belongs. There is always a free one. */
static inline struct wave_id *find_id(const struct wave_vcd *v, uint64_t key)
{
	size_t mask = v->room_ids - 1, i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> v->id_shift;

	while (v->id[i].key != key && v->id[i].key)
		i = (i + 1) & mask;
	return &v->id[i];
}

static int grow_ids(struct wave_vcd *v)
{
	size_t before = v->room_ids, room = before ? 2 * before : 1024;
	struct wave_id *old = v->id, *all = calloc(room, sizeof(*all));

	if (!all)
		return no_memory(v);
	v->id = all;
	v->room_ids = room;
	v->id_shift = (unsigned)__builtin_clzll(room) + 1;
	for (size_t i = 0; i < before; i++)
		if (old[i].key)
			*find_id(v, old[i].key) = old[i];
	free(old);
	return 0;
}

/* The net of a code; a new code makes a new net. */
static int net_of(struct wave_vcd *v, uint64_t key, uint32_t *net)
{
	struct wave_id *id;
	int err;

	if (2 * (v->nids + 1) > v->room_ids && (err = grow_ids(v)))
		return err;
	id = find_id(v, key);
	if (!id->key)
		*id = (struct wave_id){ .key = key, .net = (uint32_t)v->nids++ };
	*net = id->net;
	return 0;
}

/* ---- identifier codes as numbers ------------------------------------------------------------ */

#define LONGEST_NUMBER 4
#define NO_NUMBER      UINT32_MAX

/* The number of a code of n characters, if they are printable and not too many. Nearly all writers
 * count so: to the base of 94, the lowest digit first, and '!' is 1. */
static inline uint32_t number_of(uint64_t key, size_t n)
{
	uint64_t digits = key - short_key(WAVE_EACH(' '), n), pairs;

	if (n > LONGEST_NUMBER || ((key | (key + WAVE_EACH(1))) & WAVE_EACH(0x80)))
		return NO_NUMBER;
	/* Two digits at once, then two pairs. */
	pairs = (digits & 0x00ff00ff) + 94 * (digits >> 8 & 0x00ff00ff);
	return (uint32_t)((pairs & 0xffff) + 94 * 94 * (pairs >> 16));
}

static size_t length_of_key(uint64_t key)
{
	return (size_t)(71 - __builtin_clzll(key)) / 8;
}

/* Fill by_number, when everything that is watched is known. */
static int number_codes(struct wave_vcd *v)
{
	/* Numbers that are not dense are left to the hash table. */
	uint32_t most = (uint32_t)(8 * v->nids + 4096), n = 0;

	for (int fill = 0; fill < 2; fill++) {
		for (size_t i = 0; i < v->room_ids; i++) {
			const struct wave_id *id = &v->id[i];
			uint32_t number;

			if (!id->key)
				continue;
			number = number_of(id->key, length_of_key(id->key));
			if (number >= most)
				continue;
			if (fill)
				v->by_number[number] = 1 + id->watch;
			else if (number >= n)
				n = number + 1;
		}
		if (!fill && !(v->by_number = calloc(n + 1, sizeof(*v->by_number))))
			return no_memory(v);
	}
	v->nnumbers = n;
	return 0;
}

/* What is watched of a code of 1 to 8 characters, which `text` begins with: 0, the header does not
 * have it; else 1 + wave_id.watch. */
static inline uint32_t watch_of(const struct wave_vcd *v, uint64_t text, size_t n)
{
	uint64_t key = short_key(text, n);
	uint32_t number = number_of(key, n);
	const struct wave_id *id;

	if (number < v->nnumbers)
		return v->by_number[number];
	id = find_id(v, key);
	return id->key ? 1 + id->watch : 0;
}

/* The same of a code of any length. */
static uint32_t watch_of_any(const struct wave_vcd *v, const char *code, size_t n)
{
	const struct wave_id *id;

	if (n - 1 < 8)
		return watch_of(v, wave_word(code), n);
	id = find_id(v, key_of(code, n));
	return id->key ? 1 + id->watch : 0;
}

/* ---- the header ----------------------------------------------------------------------------- */

/* Skip to the $end of a section. */
static int skip_section(struct wave_vcd *v, const char *what)
{
	const char *w;
	size_t n;

	while ((w = word(v, &n)))
		if (is(w, n, "$end"))
			return 0;
	return fail(v, PMK_EPARSE, "the dump ends within %s: truncated?", what);
}

/* Copy the words up to $end into buf, with `gap` between them; what does not fit is cut off. */
static int section_text(struct wave_vcd *v, const char *what, const char *gap, char *buf,
			size_t size)
{
	size_t used = 0, n;
	const char *w;

	buf[0] = '\0';
	while ((w = word(v, &n))) {
		if (is(w, n, "$end"))
			return 0;
		used += (size_t)snprintf(buf + used, size - used, "%s%.*s", used ? gap : "",
					 n < size ? (int)n : (int)size, w);
		if (used >= size)
			used = size - 1;
	}
	return fail(v, PMK_EPARSE, "the dump ends within %s: truncated?", what);
}

/* The timescale is only used to show times, so one that is not understood does no harm: times
 * are then plain numbers. */
static int read_timescale(struct wave_vcd *v)
{
	static const char *const units[] = { "s", "ms", "us", "ns", "ps", "fs" };
	char text[32], *rest;
	unsigned long scale;
	int err = section_text(v, "$timescale", "", text, sizeof(text));

	if (err)
		return err;
	scale = strtoul(text, &rest, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(rest, units[i]) == 0 && (scale == 1 || scale == 10 || scale == 100)) {
			v->unit = units[i];
			v->scale = (unsigned)scale;
		}
	}
	return 0;
}

/* A scope is kept as its whole path. The stack of open scopes is one string that ends with the
 * current scope. */
struct scopes {
	char *path; /* "tb.core", malloc */
	size_t length, room;
	const char *shared; /* a copy in the arena that its signals point to; NULL: none yet */
	size_t *start;	    /* where each scope begins in the path */
	size_t depth, room_depth;
};

static int enter_scope(struct wave_vcd *v, struct scopes *s)
{
	char text[1024], *name;
	int err = section_text(v, "$scope", " ", text, sizeof(text));
	size_t n;

	if (err)
		return err;
	name = strchr(text, ' '); /* the first word is its type: module, task … */
	if (!name)
		return fail(v, PMK_EPARSE, "a $scope without a name");
	n = strlen(++name);
	if (s->length + n + 2 > s->room) {
		size_t room = 2 * (s->length + n + 2);
		char *bigger = realloc(s->path, room);

		if (!bigger)
			return no_memory(v);
		s->path = bigger;
		s->room = room;
	}
	if (s->depth == s->room_depth) {
		size_t room = s->depth ? 2 * s->depth : 32;
		size_t *bigger = realloc(s->start, room * sizeof(*bigger));

		if (!bigger)
			return no_memory(v);
		s->start = bigger;
		s->room_depth = room;
	}
	s->start[s->depth++] = s->length;
	s->length += (size_t)sprintf(s->path + s->length, "%s%s", s->length ? "." : "", name);
	s->shared = NULL;
	return 0;
}

static int leave_scope(struct wave_vcd *v, struct scopes *s)
{
	if (!s->depth)
		return fail(v, PMK_EPARSE, "an $upscope without a $scope");
	s->length = s->start[--s->depth];
	s->path[s->length] = '\0';
	s->shared = NULL;
	return skip_section(v, "$upscope");
}

static uint8_t kind_of(const char *type, size_t n)
{
	if (is(type, n, "real") || is(type, n, "realtime") || is(type, n, "real_parameter") ||
	    is(type, n, "shortreal"))
		return PMK_WAVE_REAL;
	if (is(type, n, "string"))
		return PMK_WAVE_STRING;
	return is(type, n, "event") ? PMK_WAVE_EVENT : PMK_WAVE_BITS;
}

/* "[31:0]", "[3]" of exactly that form; false for anything else. */
static bool read_range(const char *text, int32_t *msb, int32_t *lsb)
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

static uint32_t span(int32_t msb, int32_t lsb)
{
	return (uint32_t)(msb > lsb ? msb - lsb : lsb - msb) + 1;
}

/* The reference of a $var, "haddr [31:0]" or "haddr[31:0]", into name and range. An index that
 * does not fit the width is part of the name, as in "mem[3]" of 8 bits. */
static void split_range(char *text, struct pmk_wave_signal *s)
{
	size_t n = strlen(text);
	char *bracket = n && text[n - 1] == ']' ? strrchr(text, '[') : NULL;
	int32_t msb, lsb;

	s->msb = (int32_t)s->width - 1;
	s->lsb = 0;
	if (!bracket || bracket == text || !read_range(bracket, &msb, &lsb) ||
	    span(msb, lsb) != s->width)
		return;
	s->msb = msb;
	s->lsb = lsb;
	while (bracket > text + 1 && bracket[-1] == ' ')
		bracket--;
	*bracket = '\0';
}

static int add_signal(struct wave_vcd *v, struct scopes *scopes, struct pmk_wave_signal *s,
		      const char *name)
{
	if (!scopes->shared)
		scopes->shared = pmk_wave_arena_copy(&v->text, scopes->path ? scopes->path : "",
						     scopes->length);
	s->scope = scopes->shared;
	s->name = pmk_wave_arena_copy(&v->text, name, strlen(name));
	if (v->nsignals == v->room_signals) {
		size_t room = v->room_signals ? 2 * v->room_signals : 1024;
		struct pmk_wave_signal *bigger = realloc(v->signal, room * sizeof(*bigger));

		if (!bigger)
			return no_memory(v);
		v->signal = bigger;
		v->room_signals = room;
	}
	if (!s->scope || !s->name)
		return no_memory(v);
	v->signal[v->nsignals++] = *s;
	return 0;
}

static int extended(struct wave_vcd *v, const char *word, size_t n)
{
	char buf[SHOWN];

	return fail(v, PMK_EPARSE,
		    "'%s': an extended VCD ($dumpports) is not understood; use $dumpvars",
		    shown(buf, word, n));
}

/* $var wire 32 ! haddr [31:0] $end */
static int read_var(struct wave_vcd *v, struct scopes *scopes)
{
	struct pmk_wave_signal s = { .width = 0 };
	char text[4096], buf[SHOWN], *rest;
	const char *w;
	bool port;
	size_t n;
	int err;

	w = word(v, &n);
	port = w && is(w, n, "port");
	if (w)
		s.kind = kind_of(w, n);
	w = w ? word(v, &n) : NULL;
	if (port && w && *w == '[')
		return extended(v, w, n);
	if (w) {
		snprintf(text, sizeof(text), "%.*s", n < 20 ? (int)n : 20, w);
		s.width = (uint32_t)strtoul(text, &rest, 10);
		if (*rest || rest == text || text[0] == '-' || s.width > (1u << 24) ||
		    (!s.width && s.kind == PMK_WAVE_BITS))
			return fail(v, PMK_EPARSE, "'%s' is no width of a $var", shown(buf, w, n));
	}
	w = w ? word(v, &n) : NULL;
	if (w && is(w, n, "$end"))
		return fail(v, PMK_EPARSE, "a $var without a name");
	if (port && w && !v->nsignals && is(w, n, "<0"))
		return extended(v, w, n);
	if (w && (err = net_of(v, key_of(w, n), &s.net)))
		return err;
	if ((err = section_text(v, "$var", " ", text, sizeof(text))))
		return err;
	if (!*text)
		return fail(v, PMK_EPARSE, "a $var without a name");
	split_range(text, &s);
	return add_signal(v, scopes, &s, text);
}

static int read_section(struct wave_vcd *v, const char *w, size_t n, struct scopes *scopes)
{
	char buf[SHOWN];

	if (is(w, n, "$var"))
		return read_var(v, scopes);
	if (is(w, n, "$scope"))
		return enter_scope(v, scopes);
	if (is(w, n, "$upscope"))
		return leave_scope(v, scopes);
	if (is(w, n, "$timescale"))
		return read_timescale(v);
	return skip_section(v, shown(buf, w, n));
}

static int read_header(struct wave_vcd *v, struct scopes *scopes)
{
	const char *w;
	char buf[SHOWN];
	bool first = true;
	int err = 0;
	size_t n;

	while (!err && (w = word(v, &n))) {
		if (is(w, n, "$enddefinitions"))
			return skip_section(v, "$enddefinitions");
		if (*w != '$' || is(w, n, "$end"))
			return first ? fail(v, PMK_EPARSE,
					    "this is neither VCD nor FST: it begins with '%s'",
					    shown(buf, w, n))
				     : fail(v, PMK_EPARSE, "'%s' before $enddefinitions",
					    shown(buf, w, n));
		first = false;
		err = read_section(v, w, n, scopes);
	}
	return err ? err : fail(v, PMK_EPARSE, "the dump ends before $enddefinitions: truncated?");
}

int pmk_wave_vcd_open(struct wave_vcd *v, const char *path, struct pmk_wave_error *err)
{
	struct scopes scopes = { .depth = 0 };
	int code;

	*v = (struct wave_vcd){ .path = path };
	code = pmk_wave_source_open(&v->source, path, err);
	if (code)
		return code;
	code = grow(v, 0);
	if (!code)
		code = grow_ids(v);
	if (!code)
		code = read_header(v, &scopes);
	v->at += v->word;
	free(scopes.path);
	free(scopes.start);
	*err = v->error;
	return code;
}

void pmk_wave_vcd_close(struct wave_vcd *v)
{
	pmk_wave_source_close(&v->source);
	pmk_wave_arena_free(&v->text);
	free(v->buf);
	free(v->signal);
	free(v->id);
	free(v->by_number);
	free(v->watch);
	free(v->cells.now);
	free(v->cells.before);
	free(v->cells.changes);
	free(v->cells.changed);
}

/* ---- values --------------------------------------------------------------------------------- */

int pmk_wave_vcd_cells(struct wave_vcd *v, size_t n)
{
	struct wave_cells *c = &v->cells;

	c->now = calloc(n + 1, sizeof(*c->now));
	c->before = calloc(n + 1, sizeof(*c->before));
	c->changes = calloc(n + 1, sizeof(*c->changes));
	c->changed = calloc(n + 1, sizeof(*c->changed));
	return c->now && c->before && c->changes && c->changed ? 0 : PMK_ENOMEM;
}

static uint64_t ones(unsigned n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

int pmk_wave_vcd_watch(struct wave_vcd *v, const struct wave_watch *watch)
{
	struct wave_watch *bigger = realloc(v->watch, (v->nwatches + 1) * sizeof(*bigger));
	struct wave_watch *w;

	if (!bigger)
		return PMK_ENOMEM;
	v->watch = bigger;
	w = &bigger[v->nwatches++];
	*w = *watch;
	w->net_width = v->signal[w->signal].width;
	w->mask = ones(w->width) << w->shift;
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

/* The meaning of one digit of a value. */
enum { DIGIT_0, DIGIT_1, DIGIT_X, NO_DIGIT };

static unsigned digit(char c)
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

/* Has a value of n digits more bits than its net? First digits that only extend it do not count. */
static bool too_wide(const char *text, size_t n, uint32_t width)
{
	unsigned top = digit(text[0]);

	if (n <= width)
		return false;
	for (size_t i = 0; i < n - width; i++)
		if (digit(text[i]) != top || top == DIGIT_1)
			return true;
	return top == DIGIT_X && digit(text[n - width]) != DIGIT_X;
}

/* Bits [low, low + width) of a value of n digits, the highest first. False when a digit is not
 * valid. */
static bool decode(const char *text, size_t n, unsigned low, unsigned width,
		   struct pmk_wave_value *out)
{
	size_t top = (size_t)low + width, from = top < n ? top : n;
	uint64_t bits = 0, x = 0;

	if (top > n) { /* the value is shorter: extend it */
		unsigned d = digit(text[0]), more = top - n < width ? (unsigned)(top - n) : width;

		if (d == NO_DIGIT)
			return false;
		x = d == DIGIT_X ? ones(more) : 0;
	}
	for (size_t i = from; i > low; i--) {
		unsigned d = digit(text[n - i]);

		if (d == NO_DIGIT)
			return false;
		bits = bits << 1 | (d == DIGIT_1);
		x = x << 1 | (d == DIGIT_X);
	}
	*out = (struct pmk_wave_value){ .bits = bits, .x = x };
	return true;
}

/* Put bits into the cell of a watch. Whether they are new there is as good as random, so it does
 * not decide what is done, only what is counted. `changed` has room for one more cell than there
 * are. */
static inline void put(struct wave_cells *c, const struct wave_watch *w,
		       struct pmk_wave_value value)
{
	struct pmk_wave_value *now = &c->now[w->cell], was = *now;
	uint64_t inverted = w->inverted ? w->mask : 0, x = value.x << w->shift & w->mask;
	uint32_t *changes = &c->changes[w->cell], is_new;

	now->bits = (was.bits & ~w->mask) | (((value.bits << w->shift) ^ inverted) & w->mask & ~x);
	now->x = (was.x & ~w->mask) | x;
	is_new = ((now->bits ^ was.bits) | (now->x ^ was.x)) != 0;
	c->changed[c->nchanged] = w->cell;
	c->nchanged += is_new & (*changes == 0);
	*changes += is_new & (*changes < UINT32_MAX);
}

static int no_value(struct wave_vcd *v, const struct pmk_wave_signal *s, const char *text, size_t n)
{
	char buf[SHOWN];

	return fail(v, PMK_EPARSE, "'%s' is no value of %s%s%s", shown(buf, text, n), s->scope,
		    *s->scope ? "." : "", s->name);
}

static int too_many_bits(struct wave_vcd *v, const struct pmk_wave_signal *s, const char *text,
			 size_t n)
{
	char buf[SHOWN];

	return fail(v, PMK_EPARSE, "'%s' has %zu bits, and %s%s%s has %u", shown(buf, text, n), n,
		    s->scope, *s->scope ? "." : "", s->name, s->width);
}

/* Any value of a net that is watched. */
static int change_any(struct wave_vcd *v, uint32_t first, const char *text, size_t n)
{
	struct pmk_wave_value value;

	for (uint32_t i = first; i; i = v->watch[i - 1].next) {
		const struct wave_watch *w = &v->watch[i - 1];
		const struct pmk_wave_signal *s = &v->signal[w->signal];

		if (!n || !decode(text, n, w->low, w->width, &value))
			return no_value(v, s, text, n);
		if (too_wide(text, n, s->width))
			return too_many_bits(v, s, text, n);
		put(&v->cells, w, value);
	}
	return 0;
}

/* The value of a net that is watched. Nearly all are short and consist of 0 and 1 alone. */
static inline int change(struct wave_vcd *v, uint32_t first, const char *text, size_t n)
{
	uint64_t bits;

	if (n - 1 >= 64 || !wave_binary(text, n, &bits))
		return change_any(v, first, text, n);
	for (uint32_t i = first; i; i = v->watch[i - 1].next) {
		const struct wave_watch *w = &v->watch[i - 1];

		if (bits & ~ones(w->net_width))
			return too_many_bits(v, &v->signal[w->signal], text, n);
		put(&v->cells, w,
		    (struct pmk_wave_value){ .bits = w->low < 64 ? bits >> w->low : 0 });
	}
	return 0;
}

/* ---- changes -------------------------------------------------------------------------------- */

static int settle(struct wave_vcd *v)
{
	if (v->cells.nchanged && v->clockwork->settle(v->clockwork->ctx, v->time))
		v->stopped = true;
	wave_cells_commit(&v->cells);
	return v->stopped;
}

/* Read "#1200". Returns its length; 0 after an error. */
static size_t read_time(struct wave_vcd *v, const char *p)
{
	size_t n = wave_length(p), i;
	uint64_t t = 0;
	char buf[SHOWN], then[80];

	for (i = 1; i < n; i++) {
		unsigned d = (unsigned)(p[i] - '0');

		if (d > 9)
			break;
		if (__builtin_mul_overflow(t, 10, &t) || __builtin_add_overflow(t, d, &t)) {
			fail(v, PMK_EPARSE, "the time '%s' has more than 64 bits",
			     shown(buf, p, n));
			return 0;
		}
	}
	if (i < n || n == 1) {
		fail(v, PMK_EPARSE, "'%s' is no time", shown(buf, p, n));
		return 0;
	}
	if (!v->timed) {
		v->begin = t;
	} else if (t < v->time) {
		pmk_wave_vcd_time_text(v, t, then, sizeof(then));
		fail(v, PMK_EPARSE, "time goes back to %s", then);
		return 0;
	} else if (t > v->time && settle(v)) {
		return 0;
	}
	v->block = false; /* some writers leave its $end out */
	v->timed = true;
	v->time = t;
	return n;
}

/* Returns the end of a comment that goes on at p, or the end of the text. */
static const char *skip_comment(struct wave_vcd *v, const char *p, const char *limit)
{
	while (p < limit) {
		size_t n = wave_length(p);

		if (is(p, n, "$end")) {
			v->comment = false;
			return p + n;
		}
		p += n;
		while (p < limit && blank(*p))
			p++;
	}
	return p;
}

/* Returns its length; 0 after an error. */
static size_t read_keyword(struct wave_vcd *v, const char *p)
{
	size_t n = wave_length(p);
	char buf[SHOWN];

	if (is(p, n, "$end")) {
		v->block = false;
	} else if (is(p, n, "$dumpvars") || is(p, n, "$dumpall") || is(p, n, "$dumpon")) {
		v->block = true;
	} else if (is(p, n, "$dumpoff")) {
		v->block = true;
		if (settle(v))
			return 0;
		v->clockwork->off(v->clockwork->ctx, v->time);
	} else if (is(p, n, "$comment")) {
		v->comment = true;
	} else if (is(p, n < 10 ? n : 10, "$dumpports")) { /* $dumpportson, … */
		extended(v, p, n);
		return 0;
	} else {
		fail(v, PMK_EPARSE, "'%s' between the changes", shown(buf, p, n));
		return 0;
	}
	return n;
}

/* Read the code of a change that begins at p. Returns its length; 0 after an error. */
static size_t read_code(struct wave_vcd *v, const char *p, uint32_t *watch)
{
	size_t n = wave_length(p);
	uint32_t found = watch_of_any(v, p, n);
	char buf[SHOWN];

	*watch = found - 1;
	if (found)
		return n;
	if (n)
		fail(v, PMK_EPARSE, "a change of '%s', which the header does not have",
		     shown(buf, p, n));
	else
		fail(v, PMK_EPARSE, "a value without an identifier code");
	return 0;
}

/* Read "1!". Returns where it ends; NULL after an error. */
static const char *read_scalar(struct wave_vcd *v, const char *p)
{
	uint32_t watch;
	size_t n = read_code(v, p + 1, &watch);

	return n && !(watch && change(v, watch, p, 1)) ? p + 1 + n : NULL;
}

/* Read "b1010 !": a vector, real or string. Returns where it ends; NULL after an error; p when
 * the text ends before its code does. */
static const char *read_vector(struct wave_vcd *v, const char *p, const char *limit)
{
	const char *value = p + 1, *code;
	size_t n = wave_length(value), more;
	uint32_t watch;

	code = value + n;
	while (code < limit && blank(*code))
		code++;
	if (code >= limit)
		return p;
	more = read_code(v, code, &watch);
	if (!more)
		return NULL;
	if (watch && (*p == 'b' || *p == 'B') && change(v, watch, value, n))
		return NULL;
	code += more;
	return code + (*code == '\n');
}

static const char *odd_character(struct wave_vcd *v, const char *p)
{
	char buf[SHOWN];

	if (*p == 'p')
		extended(v, p, wave_length(p));
	else
		fail(v, PMK_EPARSE, "'%s' is no change", shown(buf, p, wave_length(p)));
	return NULL;
}

/* What the first character of a change says of its value. */
enum { NO_CHANGE, SCALAR, VECTOR, TEXT };

static const uint8_t change_kind[256] = {
	['0'] = SCALAR, ['1'] = SCALAR, ['x'] = SCALAR, ['X'] = SCALAR, ['z'] = SCALAR,
	['Z'] = SCALAR, ['u'] = SCALAR, ['U'] = SCALAR, ['w'] = SCALAR, ['W'] = SCALAR,
	['l'] = SCALAR, ['L'] = SCALAR, ['h'] = SCALAR, ['H'] = SCALAR, ['-'] = SCALAR,
	['b'] = VECTOR, ['B'] = VECTOR, ['r'] = TEXT,	['R'] = TEXT,	['s'] = TEXT,
	['S'] = TEXT,
};

static inline unsigned kind_at(const char *p)
{
	return change_kind[(unsigned char)*p];
}

/* Read one word, or a change of two, or white space. Returns where it ends; NULL after an error; p
 * when the text ends before it does. */
static const char *read_word(struct wave_vcd *v, const char *p, const char *limit)
{
	size_t n;

	v->at = (char *)(uintptr_t)p;
	switch (kind_at(p)) {
	case SCALAR:
		return read_scalar(v, p);
	case VECTOR:
	case TEXT:
		return read_vector(v, p, limit);
	}
	switch (*p) {
	case '\n':
	case '\r':
	case '\t':
	case ' ':
		return p + 1;
	case '#':
		n = read_time(v, p);
		return n ? p + n + (p[n] == '\n') : NULL;
	case '$':
		n = read_keyword(v, p);
		if (!n)
			return NULL;
		return v->comment ? skip_comment(v, p + n, limit) : p + n;
	case '\0':
		if (p == limit)
			return p;
		/* fall through */
	default:
		return odd_character(v, p);
	}
}

/* A change whose words are next to each other and lie within a window of the scanner. */
struct quick {
	uint32_t watch; /* as in by_number: 1 + wave_id.watch */
	unsigned kind;
	const char *value;
	size_t digits;
	const char *next; /* behind the line end */
};

/*
 * Find value and code of a change at p. False if it is none, or one that read_word() has to look
 * at. Which kind of change a line has is as good as random, and a branch on it would be predicted
 * wrongly every other time; so all that depends on it is computed with a mask.
 */
static inline bool find_quick(const struct wave_vcd *v, const char *p, struct quick *q)
{
	unsigned kind = kind_at(p);
	uint64_t scalar = -(uint64_t)(kind == SCALAR);
	uint64_t blanks = wave_blanks(p), later = blanks & (blanks - 1);
	uint64_t last = later | (blanks & scalar); /* its lowest bit is the end of the code */
	const char *end, *code;
	size_t first, n;

	if (kind == NO_CHANGE || !last)
		return false;
	first = (size_t)__builtin_ctzll(blanks);
	end = p + __builtin_ctzll(last);
	code = p + 1 + (first & ~scalar);
	n = (size_t)(end - code);
	if (n - 1 >= 8 || *end != '\n')
		return false;
	*q = (struct quick){ .watch = watch_of(v, wave_word(code), n),
			     .kind = kind,
			     .value = p + 1 - (scalar & 1),
			     .digits = ((first - 2) & ~scalar) + 1,
			     .next = end + 1 };
	return q->watch;
}

/*
 * The changes from p to limit, which is a NUL and stands behind white space or at the end. Returns
 * the position it has reached, because a change without its code has to wait for more text; NULL:
 * v->error or v->stopped.
 */
static const char *read_changes(struct wave_vcd *v, const char *p, const char *limit)
{
	const char *next;
	struct quick q;

	if (v->comment)
		p = skip_comment(v, p, limit);
	for (;;) {
		if (__builtin_expect(find_quick(v, p, &q), 1)) {
			if (q.watch > 1 && q.kind != TEXT) {
				v->at = (char *)(uintptr_t)p;
				if (change(v, q.watch - 1, q.value, q.digits))
					return NULL;
			}
			p = q.next;
			continue;
		}
		next = read_word(v, p, limit);
		if (!next || next == p)
			return next;
		p = next;
	}
}

/* Read all whole words of the text. False when no more can be read. */
static bool read_buffer(struct wave_vcd *v)
{
	char *last = memrchr(v->at, '\n', (size_t)(v->end - v->at));
	const char *p;
	char kept;

	if (!last)
		return true;
	kept = *++last;
	*last = '\0';
	p = read_changes(v, v->at, last);
	*last = kept;
	if (p)
		v->at = (char *)(uintptr_t)p;
	return p != NULL;
}

/* The text has ended: was it complete? A last line without an end may be half of one, so it is
 * left out. */
static int read_end(struct wave_vcd *v)
{
	while (v->at < v->end && (*v->at == ' ' || *v->at == '\t' || *v->at == '\r'))
		v->at++;
	if (v->at < v->end)
		return fail(v, PMK_EPARSE, "the dump ends within a line: truncated?");
	if (v->comment || v->block)
		return fail(v, PMK_EPARSE, "the dump ends before the $end of %s: truncated?",
			    v->comment ? "a comment" : "its values");
	return 0;
}

int pmk_wave_vcd_run(struct wave_vcd *v, const struct wave_clockwork *clockwork)
{
	int err = 0;

	v->clockwork = clockwork;
	err = number_codes(v);
	while (!err && read_buffer(v) && !v->eof && !v->stopped)
		err = refill(v);
	/* What a converter wrote before it failed consists of whole lines, and counts. */
	if (err && v->eof)
		read_buffer(v);
	if (!v->error.code && !v->stopped)
		read_end(v);
	/* In a dump that is cut off, the last time may lack changes; but the changes before its
	 * edge are complete. */
	if (!v->stopped)
		settle(v);
	return v->error.code;
}
