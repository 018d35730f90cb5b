// SPDX-License-Identifier: MIT
/*
 * FST, the format of GTKWave. A file consists of blocks. A block of changes has all changes of a
 * signal together, and each signal is compressed separately, so signals that are not watched are
 * neither read nor unpacked. All numbers are big-endian, or varints: 7 bits in a byte, the lowest
 * first; the highest bit says that another byte follows.
 *
 * block       type (1 byte), length including itself (8 bytes), then contents by type
 * header      begin, end, …, timescale as a power of ten
 * names       scopes and variables; a variable is a new signal, or another name of a signal
 * blackouts   times of $dumpoff and $dumpon
 * changes     begin, end, memory; frame: all values at its begin; the packed changes of each
 *             signal, its *chain*; the table of where chains begin; all times. A change in a
 *             chain has the distance to the change before it, counted in times
 *
 * The chains of watched signals are merged in the order of time: each time has a list of the
 * signals whose next change is at this time.
 *
 * The file is not trusted: each length is compared with the bytes that exist, and unpacked sizes
 * must be in proportion to packed ones (unpack.h).
 */
#define _GNU_SOURCE
#include "producer/wave/fst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "producer/wave/unpack.h"

#define HEADER_TIMESCALE 73
#define HEADER_BYTES	 330

int pmk_fst_damaged(struct wave_dump *v, const char *what)
{
	return pmk_wave_dump_fail(v, PMK_EPARSE, "%s: the FST file is damaged", what);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

int pmk_fst_reserve(struct wave_dump *v, struct bytes *b, uint64_t n)
{
	uint8_t *bigger;

	b->n = n;
	if (b->room > n)
		return 0;
	bigger = n < SIZE_MAX / 2 ? realloc(b->p, n + n / 4 + SLACK) : NULL;
	if (!bigger)
		return pmk_wave_dump_no_memory(v);
	b->p = bigger;
	b->room = n + n / 4 + 1;
	return 0;
}

int pmk_fst_fetch(struct wave_dump *v, uint64_t at, void *to, size_t n)
{
	const struct wave_fst *f = v->fst;
	uint8_t *p = to;

	if (at > f->size || n > f->size - at)
		return pmk_wave_dump_fail(v, PMK_EPARSE,
					  "the FST file ends here; it may be cut off");
	while (n) {
		ssize_t got = pread(f->fd, p, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return pmk_wave_dump_fail(v, PMK_EIO, "cannot be read: %s",
						  got ? strerror(errno) : "it has become shorter");
		p += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

int pmk_fst_load(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n)
{
	if (at > v->fst->size || n > v->fst->size - at)
		n = UINT64_MAX; /* too large, so that pmk_fst_fetch() reports it */
	else if (pmk_fst_reserve(v, b, n))
		return v->error.code;
	return pmk_fst_fetch(v, at, b->p, n);
}

int pmk_fst_load_packed(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n,
			uint64_t whole, bool (*how)(const uint8_t *, size_t, uint8_t *, size_t),
			const char *what)
{
	struct bytes *packed = &v->fst->packed;

	if (!wave_can_unpack(n, whole))
		return pmk_fst_damaged(v, what);
	if (pmk_fst_load(v, packed, at, n) || pmk_fst_reserve(v, b, whole))
		return v->error.code;
	return how(packed->p, packed->n, b->p, whole) ? 0 : pmk_fst_damaged(v, what);
}

int pmk_fst_load_shorter(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n,
			 uint64_t whole, const char *what)
{
	return n == whole ? pmk_fst_load(v, b, at, n)
			  : pmk_fst_load_packed(v, b, at, n, whole, pmk_wave_inflate, what);
}

int pmk_fst_fetch_number(struct wave_dump *v, uint64_t at, uint64_t *n)
{
	uint8_t p[8] = { 0 };
	int err = pmk_fst_fetch(v, at, p, sizeof(p));

	*n = fst_number(p);
	return err;
}

bool pmk_fst_long_varint(const uint8_t **p, const uint8_t *end, uint64_t *n, unsigned *bits)
{
	unsigned shift = 0;

	*n = 0;
	for (; *p < end && shift < 64; shift += 7) {
		uint8_t b = *(*p)++;

		*n |= (uint64_t)(b & 0x7f) << shift;
		*bits = shift + 7;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

/* ---- blocks --------------------------------------------------------------------------------- */

bool pmk_fst_next_block(struct wave_dump *v, struct block *b)
{
	uint64_t length;
	uint8_t type;

	b->at = v->base = b->end;
	if (b->at == v->fst->size || pmk_fst_fetch(v, b->at, &type, 1))
		return false;
	b->type = type;
	if (type == UNFINISHED || pmk_fst_fetch_number(v, b->at + 1, &length))
		return false;
	if (length < 8 || length > v->fst->size - b->at - 1) {
		pmk_wave_dump_fail(v, PMK_EPARSE,
				   "the FST file ends within this block; it may be cut off");
		return false;
	}
	b->end = b->at + 1 + length;
	return true;
}

static bool has_names(const struct block *b)
{
	return b->type == NAMES_GZIP || b->type == NAMES_LZ4 || b->type == NAMES_LZ4_TWICE;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Types of variables that have no bits. */
enum {
	TYPE_EVENT = 0,
	TYPE_PARAMETER = 2,
	TYPE_REAL = 3,
	TYPE_REAL_PARAMETER = 4,
	TYPE_PORT = 18,
	TYPE_REALTIME = 20,
	TYPE_STRING = 21,
	TYPE_SHORTREAL = 29,
	NTYPES
};

enum { TAG_ATTRIBUTE = 252, TAG_END_OF_ATTRIBUTE = 253, TAG_SCOPE = 254, TAG_UPSCOPE = 255 };

static bool skip_strings(const uint8_t **p, const uint8_t *end, size_t n)
{
	if (n > (size_t)(end - *p))
		return false;
	*p += n;
	return true;
}

/*
 * Copies the string at *p and moves *p after it. Each run of blanks and control characters becomes
 * one blank. False if the string does not end.
 */
static bool read_string(const uint8_t **p, const uint8_t *end, char *text, size_t size)
{
	const uint8_t *stop = memchr(*p, 0, (size_t)(end - *p));
	size_t n = 0;

	if (!stop)
		return false;
	for (const uint8_t *c = *p; c < stop && n + 2 < size; c++) {
		if (*c <= ' ')
			continue;
		if (n && c[-1] <= ' ')
			text[n++] = ' ';
		text[n++] = (char)*c;
	}
	text[n] = '\0';
	*p = stop + 1;
	return true;
}

static int new_handle(struct wave_dump *v, uint32_t length, uint32_t *net)
{
	struct wave_fst *f = v->fst;

	if (!PMK_APPEND(f->length, f->nhandles, f->room_handles, length))
		return pmk_wave_dump_no_memory(v);
	return pmk_wave_dump_net(v, f->nhandles, net);
}

static uint8_t kind_of(unsigned type, uint64_t length)
{
	switch (type) {
	case TYPE_EVENT:
		return PMK_WAVE_EVENT;
	case TYPE_REAL:
	case TYPE_REAL_PARAMETER:
	case TYPE_REALTIME:
	case TYPE_SHORTREAL:
		return PMK_WAVE_REAL;
	case TYPE_STRING:
		return PMK_WAVE_STRING;
	}
	return length ? PMK_WAVE_BITS : PMK_WAVE_STRING;
}

/* Reads a variable: direction, name, length, and either 0 or the number of the signal for which
 * this is another name. */
static int read_var(struct wave_dump *v, struct wave_scopes *scopes, unsigned type,
		    const uint8_t **p, const uint8_t *end)
{
	struct pmk_wave_signal s = { .width = 0 };
	uint64_t length, alias;
	char text[4096];

	if (!skip_strings(p, end, 1) || !read_string(p, end, text, sizeof(text)) ||
	    !fst_varint(p, end, &length) || !fst_varint(p, end, &alias) || length > 1u << 24 ||
	    alias > v->fst->nhandles)
		return pmk_fst_damaged(v, "names");
	if (!*text)
		return pmk_fst_damaged(v, "a variable without a name");
	s.kind = kind_of(type, length);
	s.parameter = type == TYPE_PARAMETER;
	s.width = (uint32_t)length;
	if (s.kind == PMK_WAVE_REAL) {
		s.width = type == TYPE_SHORTREAL ? 32 : 64;
		length = 8;
	} else if (type == TYPE_PORT && length > 4) {
		/* extended VCD: a value has a state and two strengths for each bit */
		s.width = (uint32_t)(length - 2) / 3;
	}
	s.net = (uint32_t)(alias - 1);
	if (!alias && new_handle(v, (uint32_t)length, &s.net))
		return v->error.code;
	return pmk_wave_dump_signal(v, scopes, &s, text);
}

static int read_tag(struct wave_dump *v, struct wave_scopes *scopes, const uint8_t **p,
		    const uint8_t *end)
{
	unsigned tag = *(*p)++;
	char text[1024], other[2];
	uint64_t number;

	switch (tag) {
	case TAG_SCOPE: /* type, name, component */
		if (!skip_strings(p, end, 1) || !read_string(p, end, text, sizeof(text)) ||
		    !read_string(p, end, other, sizeof(other)))
			return pmk_fst_damaged(v, "names");
		return pmk_wave_dump_enter(v, scopes, text);
	case TAG_UPSCOPE:
		return pmk_wave_dump_leave(v, scopes);
	case TAG_ATTRIBUTE: /* type, subtype, name, number */
		if (!skip_strings(p, end, 2) || !read_string(p, end, other, sizeof(other)) ||
		    !fst_varint(p, end, &number))
			return pmk_fst_damaged(v, "names");
		return 0;
	case TAG_END_OF_ATTRIBUTE:
		return 0;
	}
	return tag < NTYPES ? read_var(v, scopes, tag, p, end) : pmk_fst_damaged(v, "names");
}

static int read_names(struct wave_dump *v, const struct block *b)
{
	struct bytes *text = &v->fst->table, once = { .n = 0 };
	uint64_t whole, half, at = b->at + HEAD + 8;
	struct wave_scopes scopes = { .depth = 0 };
	const uint8_t *p;
	int err = pmk_fst_fetch_number(v, b->at + HEAD, &whole);

	if (err || at > b->end)
		return err ? err : pmk_fst_damaged(v, "names");
	if (b->type != NAMES_LZ4_TWICE) {
		err = pmk_fst_load_packed(v, text, at, b->end - at, whole,
					  b->type == NAMES_LZ4 ? pmk_wave_unlz4 : pmk_wave_inflate,
					  "names");
	} else {
		err = pmk_fst_fetch_number(v, at, &half);
		if (!err && (at + 8 > b->end || !wave_can_unpack(half, whole)))
			err = pmk_fst_damaged(v, "names");
		if (!err)
			err = pmk_fst_load_packed(v, &once, at + 8, b->end - at - 8, half,
						  pmk_wave_unlz4, "names");
		if (!err)
			err = pmk_fst_reserve(v, text, whole);
		if (!err && !pmk_wave_unlz4(once.p, once.n, text->p, whole))
			err = pmk_fst_damaged(v, "names");
		free(once.p);
	}
	p = text->p;
	while (!err && p < text->p + text->n)
		err = read_tag(v, &scopes, &p, text->p + text->n);
	free(scopes.path);
	free(scopes.start);
	return err;
}

/* ---- the header ----------------------------------------------------------------------------- */

static int read_timescale(struct wave_dump *v)
{
	static const char *const units[] = { "s", "ms", "us", "ns", "ps", "fs" };
	static const unsigned scales[] = { 1, 10, 100 };
	int8_t power;
	int err = pmk_fst_fetch(v, HEADER_TIMESCALE, &power, 1);

	if (!err && power <= 2 && power >= -15) {
		v->unit = units[(2 - power) / 3];
		v->scale = scales[(power + 15) % 3];
	}
	return err;
}

static int read_blackouts(struct wave_dump *v, const struct block *b)
{
	struct wave_fst *f = v->fst;
	uint64_t n, later, time = 0;
	const uint8_t *p, *end;

	if (pmk_fst_load(v, &f->table, b->at + HEAD, b->end - b->at - HEAD))
		return v->error.code;
	p = f->table.p;
	end = p + f->table.n;
	if (f->blackout || !fst_varint(&p, end, &n) || n > (uint64_t)(end - p) / 2)
		return pmk_fst_damaged(v, "blackouts");
	f->blackout = calloc(n + 1, sizeof(*f->blackout));
	if (!f->blackout)
		return pmk_wave_dump_no_memory(v);
	for (; f->nblackouts < n; f->nblackouts++) {
		bool on = p < end && *p++;

		if (!fst_varint(&p, end, &later) || __builtin_add_overflow(time, later, &time))
			return pmk_fst_damaged(v, "blackouts");
		f->blackout[f->nblackouts] = (struct blackout){ time, on };
	}
	return 0;
}

/* The file was compressed as a whole: unpacks it to a temporary file without a name. */
static int unpack_file(struct wave_dump *v)
{
	struct wave_fst *f = v->fst;
	uint64_t whole;

	if (pmk_fst_fetch_number(v, HEAD, &whole))
		return v->error.code;
	if (!wave_can_unpack(f->size, whole))
		return pmk_fst_damaged(v, "it claims to be too large");
	f->unwrapped = tmpfile();
	if (!f->unwrapped || lseek(f->fd, HEAD + 8, SEEK_SET) < 0)
		return pmk_wave_dump_fail(
			v, PMK_EIO,
			"cannot make a temporary file in /tmp to unpack the FST file: %s",
			strerror(errno));
	if (!pmk_wave_inflate_file(f->fd, f->unwrapped, whole))
		return pmk_wave_dump_fail(v, PMK_EIO,
					  "the FST file is damaged or truncated, or there is no "
					  "room to unpack it");
	f->fd = fileno(f->unwrapped);
	f->size = v->source.size = whole;
	return 0;
}

int pmk_wave_fst_header(struct wave_dump *v)
{
	struct wave_fst *f = v->fst = calloc(1, sizeof(*f));
	struct block b = { .at = 0 };
	bool named = false;

	if (!f)
		return pmk_wave_dump_no_memory(v);
	f->fd = v->source.fd;
	f->size = v->source.size;
	if (v->source.head[0] == WRAPPED && unpack_file(v))
		return v->error.code;
	while (pmk_fst_next_block(v, &b)) {
		int err = 0;

		if (!b.at && (b.type != HEADER || b.end != HEADER_BYTES))
			return pmk_fst_damaged(v, "no header");
		if (!b.at)
			err = read_timescale(v);
		else if (b.type == BLACKOUTS)
			err = read_blackouts(v, &b);
		else if (has_names(&b))
			err = named ? pmk_fst_damaged(v, "names twice") : read_names(v, &b);
		if (err)
			return err;
		named |= has_names(&b);
	}
	/* If the file is damaged after its names, the names are used. Reading the changes then
	 * finds the damage again and reports it. */
	if (named && v->error.code)
		v->error = (struct pmk_wave_error){ .code = 0 };
	if (!named && !v->error.code)
		pmk_wave_dump_fail(v, PMK_EPARSE,
				   "an FST file without names: the simulator has not finished it");
	return v->error.code;
}

void pmk_wave_fst_free(struct wave_dump *v)
{
	struct wave_fst *f = v->fst;

	if (!f)
		return;
	for (size_t i = 0; i < f->ncursors; i++)
		free(f->cursor[i].data.p);
	if (f->unwrapped)
		fclose(f->unwrapped);
	free(f->length);
	free(f->blackout);
	free(f->chain);
	free(f->cursor);
	free(f->packed.p);
	free(f->table.p);
	free(f->times.p);
	free(f->schedule.p);
	free(f);
}
