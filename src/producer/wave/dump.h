/* SPDX-License-Identifier: MIT */
/*
 * A dump of either format: its names, and the values of what is watched. vcd.c or fst.c fills the
 * table of names when the dump is opened; then it puts changes into the cells of what is watched,
 * and tells when time goes on.
 */
#ifndef PMK_PRODUCER_WAVE_DUMP_H
#define PMK_PRODUCER_WAVE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wave.h>

#include "producer/wave/scan.h"
#include "producer/wave/source.h"

/* Strings that live until the end, in blocks. */
struct wave_arena {
	struct wave_block *block;
};

/* A copy of n bytes and a 0; NULL when out of memory. */
char *pmk_wave_arena_copy(struct wave_arena *a, const char *text, size_t n);
void pmk_wave_arena_free(struct wave_arena *a);

/* An identifier code of the dump. */
struct wave_id {
	/* The characters of a VCD's, the first in the lowest byte; the number of an FST's, from 1;
	 * 0: the entry is free. */
	uint64_t key;
	uint32_t net;
	/* index + 1 of the first entry of wave_vcd.watch that uses it; 0: there is none */
	uint32_t watch;
};

/* Bits of a net that go into a cell. */
struct wave_watch {
	uint32_t next; /* index + 1 of the next entry for the same net; 0: none */
	uint32_t cell;
	uint32_t signal; /* for messages */
	uint32_t low;	 /* lowest bit of the net that is taken */
	uint8_t width;	 /* how many, 1 to 64 */
	uint8_t shift;	 /* where they go in the cell */
	bool inverted;
	/* Set when reading begins: as many digits as a value may have to be put into the cell as it
	 * is; 0: bits of the net or of the cell are apart. */
	uint32_t most_digits;
	/* Set by pmk_wave_dump_watch(). */
	uint64_t mask;	   /* the bits of the cell */
	uint64_t flip;	   /* those of them that are inverted */
	uint64_t net_mask; /* the bits of the net, up to 64 */
};

/* Values by cell, as of now and as before the current time. */
struct wave_cells {
	struct pmk_wave_value *now, *before;
	/* The cells that have changed at the current time, some of them more than once. There is
	 * room for WAVE_LINES more than most_changed. */
	uint32_t *changed, nchanged, most_changed;
	uint32_t n;
	uint32_t clock;		/* one of them … */
	uint64_t clock_changes; /* … and how often it has changed, without what is in the list */
};

/* The callbacks about time; a nonzero result stops. */
struct wave_clockwork {
	/* All changes at one time are in the cells. The callee keeps `before` up to date. */
	int (*settle)(void *ctx, uint64_t time);
	/* $dumpoff: all values until $dumpon are x, whatever they are. */
	void (*off)(void *ctx, uint64_t time);
	/* Called before every read, and repeatedly while there is nothing to read. */
	int (*progress)(void *ctx);
	void *ctx;
};

struct wave_dump {
	struct wave_source source;
	const char *path;
	struct wave_fst *fst; /* NULL: it is text */
	/* The text: from `buf`, read up to `at`, filled up to `end`. */
	char *memory; /* malloc, with room before the text; NULL: there is none yet */
	char *buf, *at, *end;
	size_t word; /* length of the word of the header that begins at `at` */
	size_t room;
	uint64_t base; /* offset of buf[0] in the text; of an FST: of the block that is read */
	char *counted; /* up to this position lines have been counted */
	uint64_t lines;
	bool eof;
	/* The header. */
	struct wave_arena text;
	struct pmk_wave_signal *signal;
	size_t nsignals, room_signals;
	struct wave_id *id; /* a hash table; its size is a power of two */
	size_t nids, room_ids;
	unsigned id_shift;
	/* What is watched of most codes: 0, there is no such code; else 1 + wave_id.watch. By the
	 * bytes of a code of one or two, and by number. They lie closer together than in the hash
	 * table, and need no search. */
	uint16_t *by_bytes;
	uint32_t *by_number, nnumbers;
	bool long_codes;  /* some have more than 6 characters */
	unsigned scale;	  /* $timescale: 1, 10 or 100 … */
	const char *unit; /* … "ns"; NULL: none */
	/* The changes. */
	struct wave_watch *watch;
	uint32_t nwatches;
	struct wave_cells cells;
	const struct wave_clockwork *clockwork;
	bool timed; /* a time has been seen */
	uint64_t begin, time;
	bool comment; /* within $comment … $end */
	bool block;   /* within $dumpvars … $end */
	bool stopped; /* the clock tells when to call */
	struct pmk_wave_error error;
};

/* Open the dump and read its header. Close it in any case. */
int pmk_wave_dump_open(struct wave_dump *v, const char *path, struct pmk_wave_error *err);
void pmk_wave_dump_close(struct wave_dump *v);

/* Make room for n cells, all x; `clock` is one of them. Returns 0 or PMK_ENOMEM. */
int pmk_wave_dump_cells(struct wave_dump *v, uint32_t n, uint32_t clock);
/* Put bits of a signal into a cell. Returns 0 or PMK_ENOMEM. */
int pmk_wave_dump_watch(struct wave_dump *v, const struct wave_watch *watch);

/* Read to the end. Returns 0; v->error.code when the dump was not read as a whole; or
 * v->stopped. */
int pmk_wave_dump_run(struct wave_dump *v, const struct wave_clockwork *clockwork);

/* Bytes and lines of text read so far; an FST has no lines. */
void pmk_wave_dump_place(struct wave_dump *v, uint64_t *offset, uint64_t *line);
void pmk_wave_dump_time_text(const struct wave_dump *v, uint64_t time, char *buf, size_t size);

/* The changes at the current time are done: copy them to `before`, a member at a time, as they were
 * written a moment ago: a processor has to wait to read two of its latest writes at once. */
static inline void wave_cells_commit(struct wave_cells *c)
{
	for (uint32_t i = 0; i < c->nchanged; i++) {
		c->before[c->changed[i]].bits = c->now[c->changed[i]].bits;
		c->before[c->changed[i]].x = c->now[c->changed[i]].x;
	}
	c->nchanged = 0;
	c->clock_changes = 0;
}

/* How often the clock has changed at the current time. */
static inline uint64_t wave_clock_changes(struct wave_cells *c)
{
	uint64_t n = c->clock_changes;

	c->changed[c->nchanged] = c->clock; /* so that the search ends; there is always room */
	for (uint32_t i = 0;; i++) {
		while (c->changed[i] != c->clock)
			i++;
		if (i == c->nchanged)
			return n;
		n++;
	}
}

/* ---- what the readers of both formats use --------------------------------------------------- */

/* Set v->error to "sim.vcd: byte 812, line 40, time 1200 ns: why" and return its code. Only the
 * first error counts. */
int pmk_wave_dump_fail(struct wave_dump *v, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int pmk_wave_dump_no_memory(struct wave_dump *v);

/* Make a word of the dump fit to be shown, in buf, which is returned. */
#define WAVE_SHOWN 40
const char *pmk_wave_dump_shown(char buf[WAVE_SHOWN], const char *word, size_t n);

/* The entry of a code, or the free entry where it belongs. There is always a free one. */
static inline struct wave_id *wave_find_id(const struct wave_dump *v, uint64_t key)
{
	size_t mask = v->room_ids - 1, i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> v->id_shift;

	while (v->id[i].key != key && v->id[i].key)
		i = (i + 1) & mask;
	return &v->id[i];
}

/* The net of a code; a new code makes a new net. */
int pmk_wave_dump_net(struct wave_dump *v, uint64_t key, uint32_t *net);

/* A scope is kept as its whole path. The stack of open scopes is one string that ends with the
 * current scope. */
struct wave_scopes {
	char *path; /* "tb.core", malloc */
	size_t length, room;
	const char *shared; /* a copy in the arena that its signals point to; NULL: none yet */
	size_t *start;	    /* where each scope begins in the path, malloc */
	size_t depth, room_depth;
};

int pmk_wave_dump_enter(struct wave_dump *v, struct wave_scopes *s, const char *name);
int pmk_wave_dump_leave(struct wave_dump *v, struct wave_scopes *s);
/* Add a signal of the current scope. `text` is its name as declared, "haddr [31:0]"; it is
 * changed. */
int pmk_wave_dump_signal(struct wave_dump *v, struct wave_scopes *scopes, struct pmk_wave_signal *s,
			 char *text);

static inline uint64_t wave_ones(unsigned n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* The list of cells that have changed has become long: leave each only once in it. */
void pmk_wave_dump_relist(struct wave_cells *c);

static inline void wave_make_room(struct wave_cells *c)
{
	if (__builtin_expect(c->nchanged >= c->most_changed, 0))
		pmk_wave_dump_relist(c);
}

/* A cell has a value; there is room in the list. Whether it is new is as good as random, so it does
 * not decide what is done, only what is counted. */
static inline void wave_set(struct wave_cells *c, uint32_t cell, struct pmk_wave_value value)
{
	struct pmk_wave_value was = c->now[cell];

	c->now[cell] = value;
	c->changed[c->nchanged] = cell;
	c->nchanged += ((value.bits ^ was.bits) | (value.x ^ was.x)) != 0;
}

/* Put bits into the cell of a watch. */
static inline void wave_put(struct wave_cells *c, const struct wave_watch *w,
			    struct pmk_wave_value value)
{
	struct pmk_wave_value *now = &c->now[w->cell];
	uint64_t x = value.x << w->shift & w->mask;
	uint64_t bits = ((value.bits << w->shift) ^ w->flip) & w->mask & ~x;

	wave_make_room(c);
	wave_set(c, w->cell,
		 (struct pmk_wave_value){ .bits = (now->bits & ~w->mask) | bits,
					  .x = (now->x & ~w->mask) | x });
}

/* The net of a watch, up to 64 bits, has a value without x. */
static inline void wave_put_bits(struct wave_cells *c, const struct wave_watch *w, uint64_t bits)
{
	wave_put(c, w, (struct pmk_wave_value){ .bits = w->low < 64 ? bits >> w->low : 0 });
}

/* The net of the watch `first` (index + 1) and those behind it has a new value of n digits, of any
 * kind. */
int pmk_wave_dump_change(struct wave_dump *v, uint32_t first, const char *text, size_t n);
int pmk_wave_dump_too_many_bits(struct wave_dump *v, const struct pmk_wave_signal *s,
				const char *text, size_t n);

/* Time has come to t, if it does not go back. Nonzero: v->error or v->stopped. */
int pmk_wave_dump_time(struct wave_dump *v, uint64_t t);
/* The changes at the current time are complete. */
int pmk_wave_dump_settle(struct wave_dump *v);
/* All values are x until further notice, whatever they are. */
int pmk_wave_dump_off(struct wave_dump *v);

/* ---- the readers: vcd.c, fst.c -------------------------------------------------------------- */

/* Read what names the signals. */
int pmk_wave_vcd_header(struct wave_dump *v);
int pmk_wave_fst_header(struct wave_dump *v);
/* Read the changes; then v->error, v->stopped or neither says how it went. */
void pmk_wave_vcd_changes(struct wave_dump *v);
void pmk_wave_fst_changes(struct wave_dump *v);
void pmk_wave_vcd_place(struct wave_dump *v, uint64_t *offset, uint64_t *line);
void pmk_wave_fst_free(struct wave_dump *v);

#endif
