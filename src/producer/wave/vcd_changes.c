// SPDX-License-Identifier: MIT
/* Reads the value changes of a VCD: see vcd.c, which has the format. */
#include "producer/wave/vcd.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "producer/wave/scan.h"

#define MOST_PATIENCE 32 /* most lines to read word by word before trying plain lines again */

/* ---- identifier codes ----------------------------------------------------------------------- */

/*
 * Returns a hash for a code of more than 8 characters, with the highest bit set. That bit is 0 in
 * the key of a shorter code of ASCII characters.
 */
static uint64_t long_key(const char *code, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)code[i]) * UINT64_C(0x100000001b3);
	return h | UINT64_C(1) << 63;
}

uint64_t pmk_vcd_key(const char *code, size_t n)
{
	if (!n)
		return 0;
	return n > 8 ? long_key(code, n) : wave_word(code) & wave_low_bytes(n);
}

/*
 * Returns the number of a code of n printable characters, 0 to 8. Nearly all writers number codes
 * like this: base 94, the lowest digit first, and '!' is 1. A code that is too long or empty gets a
 * number above INT32_MAX.
 */
static inline uint32_t number_of(uint64_t key, size_t n)
{
	/* By length of the code: how much too large the sum is, because each character is its digit
	 * plus 32. */
	static const uint32_t more[9] = { 1u << 31,
					  32,
					  32 * (1 + 94),
					  32 * (1 + 94 + 94 * 94),
					  32 * (1 + 94 + 94 * 94 + 94 * 94 * 94),
					  1u << 31,
					  1u << 31,
					  1u << 31,
					  1u << 31 };
	/* The second character of a pair counts 256 times here, but must count 94 times. Correct
	 * both pairs at once, and then the second pair as a whole. */
	uint32_t pairs = (uint32_t)key - (256 - 94) * ((uint32_t)key >> 8 & 0x00ff00ff);

	return pairs - (65536 - 94 * 94) * (pairs >> 16) - more[n];
}

/* True if a code is ASCII, without 0x7f. Codes contain no blanks. */
static bool is_printable(uint64_t key)
{
	return !((key | (key + WAVE_EACH(1))) & WAVE_EACH(0x80));
}

static size_t length_of_key(uint64_t key)
{
	return (size_t)(71 - __builtin_clzll(key)) / 8;
}

/*
 * The number of pairs of bytes. A code of one or two printable characters is its own index in
 * by_bytes; after a code of one character the second byte is the end of the line.
 */
#define NBYTES 65536
#define SHORT  6 /* find_changes() finds codes of up to this length in any line */

static void list_by_bytes(struct wave_dump *v, const struct wave_id *id)
{
	unsigned bytes = (unsigned)(id->key & 0xffff);

	/* A number that does not fit stays 0, so that read_word() looks it up. */
	if (id->key >> 16 || id->watch >= UINT16_MAX)
		return;
	if (bytes >> 8) {
		v->by_bytes[bytes] = (uint16_t)(1 + id->watch);
	} else {
		v->by_bytes[bytes | '\n' << 8] = (uint16_t)(1 + id->watch);
		v->by_bytes[bytes | '\r' << 8] = (uint16_t)(1 + id->watch);
	}
}

int pmk_vcd_list_codes(struct wave_dump *v)
{
	/* Numbers that are not dense remain in the hash table. */
	uint32_t most = v->nids < INT32_MAX / 16 ? (uint32_t)(8 * v->nids + 4096) : INT32_MAX;
	uint32_t n = 0;

	for (int fill = 0; fill < 2; fill++) {
		for (size_t i = 0; i < v->room_ids; i++) {
			const struct wave_id *id = &v->id[i];
			uint32_t number;

			v->long_codes |= id->key >> 8 * SHORT != 0;
			if (!id->key || !is_printable(id->key))
				continue;
			number = number_of(id->key, length_of_key(id->key));
			if (fill)
				list_by_bytes(v, id);
			if (number >= most)
				continue;
			if (fill)
				v->by_number[number] = 1 + id->watch;
			else if (number >= n)
				n = number + 1;
		}
		if (!fill && (!(v->by_number = calloc(n + 1, sizeof(*v->by_number))) ||
			      !(v->by_bytes = calloc(NBYTES, sizeof(*v->by_bytes)))))
			return pmk_wave_dump_no_memory(v);
	}
	v->nnumbers = n;
	return 0;
}

/*
 * Returns 1 + wave_id.watch for a code of n printable characters; 0 if the header does not have it.
 */
static inline uint32_t watch_of(const struct wave_dump *v, const char *code, size_t n)
{
	uint64_t key = wave_word(code) & wave_low_bytes(n < 8 ? n : 8);
	uint32_t number = n <= 8 ? number_of(key, n) : UINT32_MAX;
	const struct wave_id *id;

	if (__builtin_expect(number < v->nnumbers, 1))
		return v->by_number[number];
	key = pmk_vcd_key(code, n);
	id = wave_find_id(v, key);
	return key && id->key ? 1 + id->watch : 0;
}

/* Like watch_of(), for a code whose characters may be unprintable. */
static uint32_t watch_of_any(const struct wave_dump *v, const char *code, size_t n)
{
	const struct wave_id *id;

	if (n - 1 < 8 && is_printable(pmk_vcd_key(code, n)))
		return watch_of(v, code, n);
	id = wave_find_id(v, pmk_vcd_key(code, n));
	return n && id->key ? 1 + id->watch : 0;
}

/* ---- changes -------------------------------------------------------------------------------- */

/* Stores the change at p of a watched net. */
static int store_change(struct wave_dump *v, const char *p, uint32_t first, const char *text,
			size_t n)
{
	uint64_t bits;

	v->at = (char *)(uintptr_t)p;
	if (n - 1 >= 64 || !wave_binary(text + n, n, &bits))
		return pmk_wave_dump_change(v, first, text, n);
	for (uint32_t i = first; i; i = v->watch[i - 1].next) {
		const struct wave_watch *w = &v->watch[i - 1];

		if (bits & ~w->net_mask)
			return pmk_wave_dump_too_many_bits(v, &v->signal[w->signal], text, n);
		wave_put_bits(&v->cells, w, bits);
	}
	return 0;
}

/* Reads "#1200", n characters. Returns its length; 0 after an error. */
static size_t read_time(struct wave_dump *v, const char *p, size_t n)
{
	char buf[WAVE_SHOWN];
	const char *end = p + 1;
	uint64_t t;
	int err = pmk_number_read(&end, 10, &t);

	if (err || end != p + n) {
		pmk_wave_dump_fail(v, PMK_EPARSE,
				   err == PMK_ERANGE ? "the time '%s' has more than 64 bits"
						     : "'%s' is not a time",
				   pmk_wave_dump_shown(buf, p, n));
		return 0;
	}
	if (pmk_wave_dump_time(v, t))
		return 0;
	v->block = false; /* some writers leave out the $end of the block */
	return n;
}

/* Returns the end of the comment that continues at p, or the end of the text. */
static const char *skip_comment(struct wave_dump *v, const char *p, const char *limit)
{
	while (p < limit) {
		size_t n = wave_length(p);

		if (vcd_is_word(p, n, "$end")) {
			v->comment = false;
			return p + n;
		}
		p += n;
		while (p < limit && vcd_is_blank(*p))
			p++;
	}
	return p;
}

/* Returns the length of the keyword; 0 after an error. */
static size_t read_keyword(struct wave_dump *v, const char *p)
{
	size_t n = wave_length(p);
	char buf[WAVE_SHOWN];

	if (vcd_is_word(p, n, "$end")) {
		v->block = false;
	} else if (vcd_is_word(p, n, "$dumpvars") || vcd_is_word(p, n, "$dumpall") ||
		   vcd_is_word(p, n, "$dumpon")) {
		v->block = true;
	} else if (vcd_is_word(p, n, "$dumpoff")) {
		v->block = true;
		if (pmk_wave_dump_off(v))
			return 0;
	} else if (vcd_is_word(p, n, "$comment")) {
		v->comment = true;
	} else if (vcd_is_word(p, n < 10 ? n : 10, "$dumpports")) { /* also $dumpportson etc. */
		pmk_vcd_refuse_extended(v, p, n);
		return 0;
	} else {
		pmk_wave_dump_fail(v, PMK_EPARSE, "'%s' is not allowed between value changes",
				   pmk_wave_dump_shown(buf, p, n));
		return 0;
	}
	return n;
}

/* Reads the code of a change that begins at p. Returns its length; 0 after an error. */
static size_t read_code(struct wave_dump *v, const char *p, uint32_t *watch)
{
	size_t n = wave_length(p);
	uint32_t found = watch_of_any(v, p, n);
	char buf[WAVE_SHOWN];

	*watch = found - 1;
	if (found)
		return n;
	if (n)
		pmk_wave_dump_fail(
			v, PMK_EPARSE,
			"a value of '%s', but the header has no $var with this identifier code",
			pmk_wave_dump_shown(buf, p, n));
	else
		pmk_wave_dump_fail(v, PMK_EPARSE, "a value without an identifier code");
	return 0;
}

/* Reads "1!". Returns where it ends; NULL after an error. */
static const char *read_scalar(struct wave_dump *v, const char *p)
{
	uint32_t watch;
	size_t n = read_code(v, p + 1, &watch);

	return n && !(watch && store_change(v, p, watch, p, 1)) ? p + 1 + n : NULL;
}

/*
 * Reads "b1010 !": a vector, real or string. Returns where it ends; NULL after an error; p if the
 * text ends before the code does.
 */
static const char *read_vector(struct wave_dump *v, const char *p, const char *limit)
{
	const char *value = p + 1, *code;
	size_t n = wave_length(value), more;
	uint32_t watch;

	code = value + n;
	while (code < limit && vcd_is_blank(*code))
		code++;
	if (code >= limit)
		return p;
	more = read_code(v, code, &watch);
	if (!more)
		return NULL;
	if (watch && (*p == 'b' || *p == 'B') && store_change(v, p, watch, value, n))
		return NULL;
	code += more;
	return code + (*code == '\n');
}

static const char *odd_character(struct wave_dump *v, const char *p)
{
	char buf[WAVE_SHOWN];

	if (*p == 'p')
		pmk_vcd_refuse_extended(v, p, wave_length(p));
	else
		pmk_wave_dump_fail(v, PMK_EPARSE, "'%s' is not a value change",
				   pmk_wave_dump_shown(buf, p, wave_length(p)));
	return NULL;
}

/*
 * For the first character of a change: how many digits the value may have. `least` is the minimum
 * and `more` the number of valid lengths from there. Reals and strings have no digits; their
 * `least` is above the width of any value.
 */
struct kind {
	uint16_t more, least;
};

#define SCALAR       \
	{            \
		1, 1 \
	}
#define VECTOR                \
	{                     \
		WAVE_LINES, 0 \
	}
#define TEXT                           \
	{                              \
		WAVE_LINES, WAVE_LINES \
	}

static const struct kind kinds[256] = {
	['0'] = SCALAR, ['1'] = SCALAR, ['x'] = SCALAR, ['X'] = SCALAR, ['z'] = SCALAR,
	['Z'] = SCALAR, ['u'] = SCALAR, ['U'] = SCALAR, ['w'] = SCALAR, ['W'] = SCALAR,
	['l'] = SCALAR, ['L'] = SCALAR, ['h'] = SCALAR, ['H'] = SCALAR, ['-'] = SCALAR,
	['b'] = VECTOR, ['B'] = VECTOR, ['r'] = TEXT,	['R'] = TEXT,	['s'] = TEXT,
	['S'] = TEXT,
};

#undef SCALAR
#undef VECTOR
#undef TEXT

static inline struct kind kind_at(const char *p)
{
	return kinds[(unsigned char)*p];
}

static inline bool is_scalar(struct kind k)
{
	return k.least == 1;
}

static inline bool is_text(struct kind k)
{
	return k.least > 1;
}

/*
 * Reads one word, a change of two words, or white space. Returns where it ends; NULL after an
 * error; p if the text ends before the change does.
 */
static const char *read_word(struct wave_dump *v, const char *p, const char *limit)
{
	size_t n;

	v->at = (char *)(uintptr_t)p;
	if (is_scalar(kind_at(p)))
		return read_scalar(v, p);
	if (kind_at(p).more)
		return read_vector(v, p, limit);
	switch (*p) {
	case '\n':
	case '\r':
	case '\t':
	case ' ':
		return p + 1;
	case '#':
		n = read_time(v, p, wave_length(p));
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

/* A batch of plain lines, and the changes in them. */
struct lines {
	const char *text;
	unsigned n;
	uint16_t end[WAVE_LINES + WAVE_EXTRAS]; /* end of each line, as an offset in `text` */
	unsigned nchanges;
	struct change {
		/* 1 + wave_id.watch of a watched net; 0: read_words() must read the line */
		uint32_t watch;
		uint16_t line;	  /* index of the line */
		uint16_t digits;  /* offset where the digits end */
		uint16_t ndigits; /* number of digits; above any width for reals and strings */
	} change[WAVE_LINES];
};

/* Returns the last byte of a word that has its highest bit set; 0 if none has. */
static inline size_t last_byte(uint64_t word)
{
	return (unsigned)(__builtin_clzll(word | 1) ^ 63) / 8;
}

/*
 * Finds the changes of watched nets, and the lines that read_words() must read. The kind of a
 * change, and whether its net is watched, are unpredictable, so half of the branches on them would
 * be mispredicted. Therefore everything is computed without branches.
 */
static __attribute__((noinline)) void find_changes(const struct wave_dump *v, struct lines *l)
{
	const char *const text = l->text;
	const uint16_t *by_bytes = v->by_bytes;
	size_t lines = l->n, p = 0; /* both are offsets in the text */
	struct change *q = l->change;

	for (size_t i = 0; i < lines; i++) {
		size_t end = l->end[i];
		uint64_t blanks = wave_blanks_in(wave_word(text + end - 8));
		struct kind kind = kind_at(text + p);
		size_t scalar = kind.least & 1, above, length;
		ptrdiff_t code;
		uint64_t found;
		uint32_t watch;

		/*
		 * The code is after the last blank of the eight bytes, and in a scalar's line after
		 * its digit. In a line that has no blank, the offset can be below 0.
		 */
		code = (ptrdiff_t)(end - 7 + (scalar + last_byte(blanks)));
		above = (size_t)code - p + scalar - 2;
		found = -(uint64_t)(above < kind.more); /* all ones, or 0 */
		length = (end - (size_t)code - 1) & found;
		if (__builtin_expect(length >= 2, 0))
			watch = watch_of(v, text + code, length + 1);
		else
			watch = by_bytes[wave_half(text + code)];
		watch &= (uint32_t)found;
		q->watch = watch;
		q->line = (uint16_t)i;
		q->digits = (uint16_t)((size_t)code - 1 + scalar);
		q->ndigits = (uint16_t)(above + kind.least);
		q += watch != 1;
		p = end + 1;
	}
	l->nchanges = (unsigned)(q - l->change);
}

/* Reads words from p to the end of a line, or until the text ends. */
static const char *read_words(struct wave_dump *v, const char *p, const char *limit)
{
	const char *next;

	for (;;) {
		next = read_word(v, p, limit);
		if (!next || next == p || next[-1] == '\n')
			return next;
		p = next;
	}
}

/* Reads the line of the change `q`. Returns where the line ends; NULL after an error. */
static const char *read_line(struct wave_dump *v, const struct lines *l, const struct change *q,
			     const char *limit)
{
	const char *p = l->text + (q->line ? l->end[q->line - 1] + 1 : 0);
	const char *end = l->text + l->end[q->line];

	if (q->watch && !is_text(kind_at(p)) &&
	    store_change(v, p, q->watch - 1, l->text + q->digits - q->ndigits, q->ndigits))
		return NULL;
	if (q->watch)
		return end + 1;
	if (*p != '#')
		return read_words(v, p, limit);
	v->at = (char *)(uintptr_t)p;
	return read_time(v, p, (size_t)(end - p)) ? end + 1 : NULL;
}

/*
 * Stores the values of changes until one is not a plain binary value for a whole cell. Returns that
 * change.
 */
static __attribute__((noinline)) const struct change *put_changes(struct wave_dump *v,
								  const struct lines *l,
								  const struct change *q)
{
	const struct change *last = l->change + l->nchanges;
	const struct wave_watch *watch = v->watch;
	struct wave_cells c = v->cells; /* a local copy, so that the compiler need not reload it */

	for (; q < last; q++) {
		const struct wave_watch *w = &watch[q->watch - 2];
		uint64_t bits;

		if (!q->watch || q->ndigits - 1u >= w->most_digits ||
		    !wave_binary(l->text + q->digits, q->ndigits, &bits))
			break;
		wave_set(&c, w->cell, (struct pmk_wave_value){ .bits = bits ^ w->flip });
	}
	v->cells.nchanged = c.nchanged;
	return q;
}

/* Reads plain lines, if there are any at p. Returns the position that was reached; NULL after an
 * error. */
static const char *read_lines(struct wave_dump *v, const char *p, const char *limit)
{
	size_t n = limit - p < WAVE_LINES ? (size_t)(limit - p) : WAVE_LINES;
	const struct change *q, *last;
	struct lines l;

	if (v->long_codes)
		return p;
	l.text = p;
	l.n = pmk_wave_plain_lines(p, n, l.end);
	if (!l.n)
		return p;
	pmk_vcd_count_lines(v, p);
	find_changes(v, &l);
	wave_make_room(&v->cells);
	q = l.change;
	last = q + l.nchanges;
	while ((q = put_changes(v, &l, q)) < last) {
		p = read_line(v, &l, q, limit);
		if (p != l.text + l.end[q->line] + 1 || v->comment)
			return p;
		q++;
	}
	v->lines += l.n;
	v->counted = (char *)(uintptr_t)l.text + l.end[l.n - 1] + 1;
	return v->counted;
}

const char *pmk_vcd_read_changes(struct wave_dump *v, const char *p, const char *limit)
{
	unsigned patience = 1; /* lines to read word by word before trying plain ones again */
	const char *next;

	for (;;) {
		if (v->comment)
			p = skip_comment(v, p, limit);
		if (p == limit)
			return p;
		next = read_lines(v, p, limit);
		if (!next)
			return NULL;
		if (next != p) {
			p = next;
			patience = 1;
			continue;
		}
		for (unsigned i = 0; i < patience && !v->comment; i++) {
			next = read_words(v, p, limit);
			if (!next || next == p)
				return next;
			p = next;
		}
		patience = patience < MOST_PATIENCE ? 2 * patience : MOST_PATIENCE;
	}
}
