// SPDX-License-Identifier: MIT
/*
 * FST, the format of GTKWave. A file consists of blocks. A block of changes has all changes of a
 * signal together, and each signal is compressed separately, so signals that are not watched are
 * neither read nor unpacked. All numbers are big-endian, or varints: 7 bits in a byte, the lowest
 * first; the highest bit says that another byte follows.
 *
 * block       type (1 byte), length including itself (8 bytes), then contents by type
 * header      begin, end, …, timescale as a power of ten
 * names       scopes and variables; a variable is a new signal, or another name of one
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
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "producer/wave/dump.h"
#include "producer/wave/scan.h"
#include "producer/wave/unpack.h"

enum {
	HEADER = 0,
	CHANGES = 1, /* chains, with the older table of where they begin */
	BLACKOUTS = 2,
	NAMES_GZIP = 4,
	CHANGES_ALIAS = 5, /* with the older table, too */
	NAMES_LZ4 = 6,
	NAMES_LZ4_TWICE = 7,
	CHANGES_ALIAS2 = 8,
	WRAPPED = 254,	 /* the file, compressed by gzip */
	UNFINISHED = 255 /* the writer has not finished this block */
};

#define HEAD		 9 /* type and length */
#define HEADER_TIMESCALE 73
#define HEADER_BYTES	 330
#define SLACK		 8 /* readable bytes after unpacked data: bits_at() reads 8 bytes at once */

/* A buffer that grows. */
struct bytes {
	uint8_t *p;
	size_t n, room;
};

struct block {
	uint64_t at; /* offset of its type in the file */
	uint64_t end;
	unsigned type;
};

/*
 * Packed changes of a signal, as offsets from the start of the chains; `at` is 0 if there are none.
 */
struct chain {
	uint64_t at, end;
};

/* A watched signal and the position in its chain. */
struct cursor {
	uint32_t handle; /* index of the signal */
	uint32_t length; /* characters of a value */
	uint32_t watch;	 /* index + 1 of its first watch */
	uint32_t next;	 /* index + 1 of the next cursor with a change at the same time; 0: none */
	struct bytes data;
	const uint8_t *at, *end;
	uint64_t entry; /* the number that starts the next change; `at` is after it */
	/*
	 * For a value of bits: its bytes after `entry`, and by how many bits a load of eight bytes
	 * is too long. The value of a one-bit signal is part of `entry`.
	 */
	uint8_t bytes, surplus;
	uint8_t later[2]; /* lowest bit of the time in `entry`: of a value of bits, of others */
	bool easy;	  /* a value of bits can be copied into the cell */
};

struct blackout {
	uint64_t time;
	bool on;
};

struct wave_fst {
	FILE *unwrapped; /* the unpacked file, if the whole file was compressed */
	int fd;
	uint64_t size;
	uint32_t *length; /* characters of a value of each signal; the index is the net */
	size_t nhandles, room_handles;
	struct blackout *blackout;
	size_t nblackouts, next_blackout;
	struct chain *chain;
	struct cursor *cursor;
	size_t ncursors;
	bool framed;	     /* a block of changes has been read */
	struct bytes packed; /* as in the file */
	struct bytes table;  /* names, or where chains begin */
	struct bytes times;  /* varints, each the distance to the time before */
	/* For each time: index + 1 of the first cursor with a change at that time; 0: none. */
	struct bytes schedule;
	size_t ntimes;
};

static int damaged_block(struct wave_dump *v, const char *what)
{
	return pmk_wave_dump_fail(v, PMK_EPARSE, "%s: the FST file is damaged", what);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static int reserve_bytes(struct wave_dump *v, struct bytes *b, uint64_t n)
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

/* Reads n bytes of the file. */
static int fetch_bytes(struct wave_dump *v, uint64_t at, void *to, size_t n)
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

static int load_bytes(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n)
{
	if (at > v->fst->size || n > v->fst->size - at)
		n = UINT64_MAX; /* too large, so that fetch_bytes() reports it */
	else if (reserve_bytes(v, b, n))
		return v->error.code;
	return fetch_bytes(v, at, b->p, n);
}

/* Loads n packed bytes of the file and unpacks them with `how`. */
static int load_packed(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n,
		       uint64_t whole, bool (*how)(const uint8_t *, size_t, uint8_t *, size_t),
		       const char *what)
{
	struct bytes *packed = &v->fst->packed;

	if (!wave_can_unpack(n, whole))
		return damaged_block(v, what);
	if (load_bytes(v, packed, at, n) || reserve_bytes(v, b, whole))
		return v->error.code;
	return how(packed->p, packed->n, b->p, whole) ? 0 : damaged_block(v, what);
}

/* Like load_packed(), for data that are packed only if that makes them shorter. */
static int load_shorter(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n,
			uint64_t whole, const char *what)
{
	return n == whole ? load_bytes(v, b, at, n)
			  : load_packed(v, b, at, n, whole, pmk_wave_inflate, what);
}

static uint64_t read_number(const uint8_t *p)
{
	return __builtin_bswap64(wave_word((const char *)p));
}

static int fetch_number(struct wave_dump *v, uint64_t at, uint64_t *n)
{
	uint8_t p[8] = { 0 };
	int err = fetch_bytes(v, at, p, sizeof(p));

	*n = read_number(p);
	return err;
}

/*
 * Reads a varint of any length. Returns false at the end of the data, and if the number has more
 * than 64 bits.
 */
static bool long_varint(const uint8_t **p, const uint8_t *end, uint64_t *n, unsigned *bits)
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

static inline bool read_varint(const uint8_t **p, const uint8_t *end, uint64_t *n)
{
	unsigned bits;

	if (__builtin_expect(*p < end && **p < 0x80, 1)) {
		*n = *(*p)++;
		return true;
	}
	return long_varint(p, end, n, &bits);
}

static bool signed_varint(const uint8_t **p, const uint8_t *end, int64_t *n)
{
	unsigned bits = 0;
	uint64_t u;

	if (!long_varint(p, end, &u, &bits))
		return false;
	if (bits < 64 && u >> (bits - 1) & 1)
		u |= UINT64_MAX << bits;
	*n = (int64_t)u;
	return true;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Finds the next block; b->end is 0 for the first one. False at the end, and after an error. */
static bool next_block(struct wave_dump *v, struct block *b)
{
	uint64_t length;
	uint8_t type;

	b->at = v->base = b->end;
	if (b->at == v->fst->size || fetch_bytes(v, b->at, &type, 1))
		return false;
	b->type = type;
	if (type == UNFINISHED || fetch_number(v, b->at + 1, &length))
		return false;
	if (length < 8 || length > v->fst->size - b->at - 1) {
		pmk_wave_dump_fail(v, PMK_EPARSE,
				   "the FST file ends within this block; it may be cut off");
		return false;
	}
	b->end = b->at + 1 + length;
	return true;
}

static bool has_changes(const struct block *b)
{
	return b->type == CHANGES || b->type == CHANGES_ALIAS || b->type == CHANGES_ALIAS2;
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

/* Reads a variable: direction, name, length, and the signal that it is another name of, if any. */
static int read_var(struct wave_dump *v, struct wave_scopes *scopes, unsigned type,
		    const uint8_t **p, const uint8_t *end)
{
	struct pmk_wave_signal s = { .width = 0 };
	uint64_t length, alias;
	char text[4096];

	if (!skip_strings(p, end, 1) || !read_string(p, end, text, sizeof(text)) ||
	    !read_varint(p, end, &length) || !read_varint(p, end, &alias) || length > 1u << 24 ||
	    alias > v->fst->nhandles)
		return damaged_block(v, "names");
	if (!*text)
		return damaged_block(v, "a variable without a name");
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
			return damaged_block(v, "names");
		return pmk_wave_dump_enter(v, scopes, text);
	case TAG_UPSCOPE:
		return pmk_wave_dump_leave(v, scopes);
	case TAG_ATTRIBUTE: /* type, subtype, name, number */
		if (!skip_strings(p, end, 2) || !read_string(p, end, other, sizeof(other)) ||
		    !read_varint(p, end, &number))
			return damaged_block(v, "names");
		return 0;
	case TAG_END_OF_ATTRIBUTE:
		return 0;
	}
	return tag < NTYPES ? read_var(v, scopes, tag, p, end) : damaged_block(v, "names");
}

static int read_names(struct wave_dump *v, const struct block *b)
{
	struct bytes *text = &v->fst->table, once = { .n = 0 };
	uint64_t whole, half, at = b->at + HEAD + 8;
	struct wave_scopes scopes = { .depth = 0 };
	const uint8_t *p;
	int err = fetch_number(v, b->at + HEAD, &whole);

	if (err || at > b->end)
		return err ? err : damaged_block(v, "names");
	if (b->type != NAMES_LZ4_TWICE) {
		err = load_packed(v, text, at, b->end - at, whole,
				  b->type == NAMES_LZ4 ? pmk_wave_unlz4 : pmk_wave_inflate,
				  "names");
	} else {
		err = fetch_number(v, at, &half);
		if (!err && (at + 8 > b->end || !wave_can_unpack(half, whole)))
			err = damaged_block(v, "names");
		if (!err)
			err = load_packed(v, &once, at + 8, b->end - at - 8, half, pmk_wave_unlz4,
					  "names");
		if (!err)
			err = reserve_bytes(v, text, whole);
		if (!err && !pmk_wave_unlz4(once.p, once.n, text->p, whole))
			err = damaged_block(v, "names");
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
	int err = fetch_bytes(v, HEADER_TIMESCALE, &power, 1);

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

	if (load_bytes(v, &f->table, b->at + HEAD, b->end - b->at - HEAD))
		return v->error.code;
	p = f->table.p;
	end = p + f->table.n;
	if (f->blackout || !read_varint(&p, end, &n) || n > (uint64_t)(end - p) / 2)
		return damaged_block(v, "blackouts");
	f->blackout = calloc(n + 1, sizeof(*f->blackout));
	if (!f->blackout)
		return pmk_wave_dump_no_memory(v);
	for (; f->nblackouts < n; f->nblackouts++) {
		bool on = p < end && *p++;

		if (!read_varint(&p, end, &later) || __builtin_add_overflow(time, later, &time))
			return damaged_block(v, "blackouts");
		f->blackout[f->nblackouts] = (struct blackout){ time, on };
	}
	return 0;
}

/* The file was compressed as a whole: unpacks it to a temporary file without a name. */
static int unpack_file(struct wave_dump *v)
{
	struct wave_fst *f = v->fst;
	uint64_t whole;

	if (fetch_number(v, HEAD, &whole))
		return v->error.code;
	if (!wave_can_unpack(f->size, whole))
		return damaged_block(v, "it claims to be too large");
	f->unwrapped = tmpfile();
	if (!f->unwrapped || lseek(f->fd, HEAD + 8, SEEK_SET) < 0)
		return pmk_wave_dump_fail(v, PMK_EIO, "no temporary file: %s", strerror(errno));
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
	while (next_block(v, &b)) {
		int err = 0;

		if (!b.at && (b.type != HEADER || b.end != HEADER_BYTES))
			return damaged_block(v, "no header");
		if (!b.at)
			err = read_timescale(v);
		else if (b.type == BLACKOUTS)
			err = read_blackouts(v, &b);
		else if (has_names(&b))
			err = named ? damaged_block(v, "names twice") : read_names(v, &b);
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
		return damaged_block(v, "a block that is too short");
	if (fetch_number(v, b->end - 24, &at->whole_times) ||
	    fetch_number(v, b->end - 16, &at->packed_times) ||
	    fetch_number(v, b->end - 8, &at->ntimes))
		return v->error.code;
	room -= 24 + 8 + 24;
	if (at->packed_times > room || at->ntimes > at->whole_times)
		return damaged_block(v, "times");
	at->times = b->end - 24 - at->packed_times;
	at->end_of_table = at->times - 8;
	if (fetch_number(v, at->end_of_table, &n))
		return v->error.code;
	if (n > room - at->packed_times)
		return damaged_block(v, "where its signals are");
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
	if (fetch_bytes(v, *at, head, (size_t)(end - head)))
		return v->error.code;
	for (unsigned i = 0; i < n; i++)
		if (!read_varint(&p, end, &to[i]))
			return damaged_block(v, "changes");
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
	if (fetch_number(v, b->at + HEAD, &at->begin) ||
	    fetch_varints(v, &at->frame, at->table, frame, 3))
		return v->error.code;
	at->whole_frame = frame[0];
	at->packed_frame = frame[1];
	if (at->packed_frame > at->table - at->frame)
		return damaged_block(v, "values");
	at->chains = at->frame + at->packed_frame;
	if (fetch_varints(v, &at->chains, at->table, &signals, 1) ||
	    fetch_bytes(v, at->chains, &packing, 1))
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
			if (!read_varint(&p, end, &n) || !add_no_chains(f, t, n >> 1))
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

/* Reads the table of the other block types. */
static bool read_older_table(struct wave_fst *f, struct table *t, const uint8_t *p,
			     const uint8_t *end)
{
	uint64_t n;
	bool ok;

	while (p < end) {
		if (!read_varint(&p, end, &n))
			return false;
		if (!n)
			ok = read_varint(&p, end, &n) && add_same_chain(f, t, n);
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

	if (load_bytes(v, &f->table, at->table, at->end_of_table - at->table))
		return v->error.code;
	p = f->table.p;
	ok = b->type == CHANGES_ALIAS2 ? read_table(f, &t, p, p + f->table.n)
				       : read_older_table(f, &t, p, p + f->table.n);
	if (!ok)
		return damaged_block(v, "where its signals are");
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
		return read_number(p) >> (64 - n) >> low;
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
			return damaged_block(v, "changes");
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
	uint64_t bits = read_number(c->at) >> c->surplus, one = c->entry >> 1 & 1;

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
	if (!read_varint(&c->at, c->end, &c->entry))
		return damaged_block(v, "changes");
	later = c->entry >> c->later[c->entry & 1];
	if (later >= f->ntimes - now)
		return damaged_block(v, "changes");
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
	if (whole ? load_packed(v, &c->data, begin, end - begin, whole,
				at->packing == '4'   ? pmk_wave_unlz4
				: at->packing == 'F' ? pmk_wave_unfastlz
						     : pmk_wave_inflate,
				"changes")
		  : load_bytes(v, &c->data, begin, end - begin))
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

	if (load_shorter(v, frame, at, n, whole, "values"))
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
		if (!read_varint(&p, end, &later) || __builtin_add_overflow(time, later, &time))
			return damaged_block(v, "times");
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
	    load_shorter(v, &f->times, at.times, at.packed_times, at.whole_times, "times"))
		return v->error.code;
	f->ntimes = at.ntimes;
	p = f->times.p;
	if (f->ntimes && !read_varint(&p, p + f->times.n, &first))
		return damaged_block(v, "times");
	if (!f->framed && (!f->ntimes || at.begin != first) &&
	    (go_to(v, at.begin) || read_frame(v, at.frame, at.packed_frame, at.whole_frame)))
		return 1;
	f->framed = true;
	if (find_chains(v, b, &at) || reserve_bytes(v, &f->schedule, f->ntimes * sizeof(uint32_t)))
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
			return damaged_block(v, "bits of a signal that has none");
		f->cursor[f->ncursors++] = cursor_of(v, i, watch);
	}
	return 0;
}

void pmk_wave_fst_changes(struct wave_dump *v)
{
	struct block b = { .at = 0 };

	if (create_cursors(v))
		return;
	while (next_block(v, &b)) {
		if (has_changes(&b) && read_block(v, &b))
			return;
		v->source.taken = b.end;
	}
}
