/* SPDX-License-Identifier: MIT */
/*
 * A dump, which is a VCD or an FST: its names, and the values of the watched nets. vcd.c or fst.c
 * fills the table of names when the dump is opened. Then it puts changes into the cells of the
 * watched nets, and reports each new time.
 */
#ifndef PMK_PRODUCER_WAVE_DUMP_H
#define PMK_PRODUCER_WAVE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wave.h>

#include "producer/wave/scan.h"
#include "producer/wave/source.h"

/* Strings that live as long as the dump, allocated in blocks. */
struct wave_arena {
	struct wave_block *block;
};

/* Returns a copy of n bytes and a 0; NULL when out of memory. */
char *pmk_wave_arena_copy(struct wave_arena *a, const char *text, size_t n);
void pmk_wave_arena_free(struct wave_arena *a);

/* An identifier code of the dump. */
struct wave_id {
	/*
	 * VCD: the characters of the code, the first in the lowest byte. FST: the number, from 1.
	 * 0: the entry is free.
	 */
	uint64_t key;
	uint32_t net;
	/* index + 1 of the first entry of wave_dump.watch for this code; 0: none */
	uint32_t watch;
};

/* Bits of a net that are copied into a cell. */
struct wave_watch {
	uint32_t next; /* index + 1 of the next entry for the same net; 0: none */
	uint32_t cell;
	uint32_t signal; /* for error messages */
	uint32_t low;	 /* the lowest bit that is copied */
	uint8_t width;	 /* number of bits, 1 to 64 */
	uint8_t shift;	 /* position of the bits in the cell */
	bool inverted;
	/*
	 * Set when reading begins: the largest number of digits of a value that can be copied into
	 * the cell as it is. 0: the bits of the net or of the cell must be handled one by one.
	 */
	uint32_t most_digits;
	/* Set by pmk_wave_dump_watch(). */
	uint64_t mask;	   /* the bits that this watch fills in the cell */
	uint64_t flip;	   /* the bits of `mask` that are inverted */
	uint64_t net_mask; /* the bits of the net, up to 64 */
};

/* The values of all cells: `now` has the current values, and `before` those before the current
 * time. */
struct wave_cells {
	struct pmk_wave_value *now, *before;
	/*
	 * Cells that have changed at the current time. A cell may be in the list more than once.
	 * There is room for WAVE_LINES entries more than most_changed.
	 */
	uint32_t *changed, nchanged, most_changed;
	uint32_t n;
	uint32_t clock; /* number of the clock's cell */
	/* changes of the clock at the current time that relist() took out of the list */
	uint64_t clock_changes;
};

/* Callbacks for the progress of time; a nonzero result stops the run. */
struct wave_clockwork {
	/* Called when all changes at `time` are in the cells. The callee keeps `before` up to
	 * date. */
	int (*settle)(void *ctx, uint64_t time);
	/* Called at $dumpoff: all values are x until $dumpon, even if the dump changes them. */
	void (*off)(void *ctx, uint64_t time);
	/* Called before every read, and repeatedly while there is nothing to read. */
	int (*progress)(void *ctx);
	void *ctx;
};

struct wave_dump {
	struct wave_source source;
	const char *path;
	struct wave_fst *fst; /* NULL: the dump is text */
	/* Text of a VCD: the unread part is from `at` to `end`. */
	char *memory; /* from malloc, with room before the text; NULL before the first read */
	char *buf, *at, *end;
	size_t word; /* length of the header's word at `at` */
	size_t room;
	uint64_t base; /* offset of buf[0] in the text; in an FST the offset of the current block */
	char *counted; /* lines are counted up to here */
	uint64_t lines;
	bool eof;
	/* Filled by the header. */
	struct wave_arena text;
	struct pmk_wave_signal *signal;
	size_t nsignals, room_signals;
	struct wave_id *id; /* a hash table; its size is a power of two */
	size_t nids, room_ids;
	unsigned id_shift;
	/*
	 * 0: unknown code; otherwise 1 + wave_id.watch. by_bytes is indexed by the bytes of a code
	 * of one or two characters, by_number by the number of a code. These tables are denser than
	 * the hash table and need no search.
	 */
	uint16_t *by_bytes;
	uint32_t *by_number, nnumbers;
	bool long_codes;  /* some codes have more than 6 characters */
	unsigned scale;	  /* number in $timescale: 1, 10 or 100 */
	const char *unit; /* unit in $timescale, such as "ns"; NULL: no $timescale */
	/* Filled by the changes. */
	struct wave_watch *watch;
	uint32_t nwatches;
	size_t room_watches;
	struct wave_cells cells;
	const struct wave_clockwork *clockwork;
	bool timed; /* a time has been seen */
	uint64_t begin, time;
	bool comment; /* within $comment … $end */
	bool block;   /* within $dumpvars … $end */
	bool stopped; /* a callback has stopped the run */
	struct pmk_wave_error error;
};

/* Opens the dump and reads its header. The caller must close it even after an error. */
int pmk_wave_dump_open(struct wave_dump *v, const char *path, struct pmk_wave_error *err);
void pmk_wave_dump_close(struct wave_dump *v);

/* Makes room for n cells, which are all x. `clock` is the number of the clock's cell. Returns 0
 * or PMK_ENOMEM. */
int pmk_wave_dump_cells(struct wave_dump *v, uint32_t n, uint32_t clock);
/* Copies bits of a signal into a cell from now on. Returns 0 or PMK_ENOMEM. */
int pmk_wave_dump_watch(struct wave_dump *v, const struct wave_watch *watch);

/*
 * Reads to the end. Returns 0, or v->error.code if the dump could not be read to its end. Sets
 * v->stopped if a callback stopped the run.
 */
int pmk_wave_dump_run(struct wave_dump *v, const struct wave_clockwork *clockwork);

/* Reports how many bytes and lines of text were read; an FST has no lines. */
void pmk_wave_dump_place(struct wave_dump *v, uint64_t *offset, uint64_t *line);
void pmk_wave_dump_time_text(const struct wave_dump *v, uint64_t time, char *buf, size_t size);

/*
 * Ends the current time: copies the changes to `before`. The members of a value are copied one by
 * one, because each was stored separately a moment ago. A wider load that covers both stores would
 * stall.
 */
static inline void wave_cells_commit(struct wave_cells *c)
{
	for (uint32_t i = 0; i < c->nchanged; i++) {
		c->before[c->changed[i]].bits = c->now[c->changed[i]].bits;
		c->before[c->changed[i]].x = c->now[c->changed[i]].x;
	}
	c->nchanged = 0;
	c->clock_changes = 0;
}

/* Returns the number of changes of the clock at the current time. */
static inline uint64_t wave_clock_changes(struct wave_cells *c)
{
	uint64_t n = c->clock_changes;

	c->changed[c->nchanged] = c->clock; /* sentinel; there is always room for it */
	for (uint32_t i = 0;; i++) {
		while (c->changed[i] != c->clock)
			i++;
		if (i == c->nchanged)
			return n;
		n++;
	}
}

/* ---- what the readers of both formats use --------------------------------------------------- */

/*
 * Sets v->error to "sim.vcd: byte 812, line 40, time 1200 ns: why" and returns its code. The first
 * error is kept.
 */
int pmk_wave_dump_fail(struct wave_dump *v, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int pmk_wave_dump_no_memory(struct wave_dump *v);

/* Writes a word of the dump to buf in printable form, and returns buf. */
#define WAVE_SHOWN 40
const char *pmk_wave_dump_shown(char buf[WAVE_SHOWN], const char *word, size_t n);

/* Returns the entry of a code, or the free entry where it belongs. There is always a free one. */
static inline struct wave_id *wave_find_id(const struct wave_dump *v, uint64_t key)
{
	size_t mask = v->room_ids - 1, i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> v->id_shift;

	while (v->id[i].key != key && v->id[i].key)
		i = (i + 1) & mask;
	return &v->id[i];
}

/* Returns the net of a code; a new code makes a new net. */
int pmk_wave_dump_net(struct wave_dump *v, uint64_t key, uint32_t *net);

/*
 * The open scopes. `path` has the whole path of the current scope, with the paths of the scopes
 * around it at its beginning.
 */
struct wave_scopes {
	char *path; /* such as "tb.core", from malloc */
	size_t length, room;
	/* copy of `path` in the arena, to which the scope's signals point; NULL: no signal yet */
	const char *shared;
	size_t *start; /* where each scope begins in the path, from malloc */
	size_t depth, room_depth;
};

int pmk_wave_dump_enter(struct wave_dump *v, struct wave_scopes *s, const char *name);
int pmk_wave_dump_leave(struct wave_dump *v, struct wave_scopes *s);
/*
 * Adds a signal to the current scope. `text` is its name as declared, "haddr [31:0]", and is
 * modified.
 */
int pmk_wave_dump_signal(struct wave_dump *v, struct wave_scopes *scopes, struct pmk_wave_signal *s,
			 char *text);

/* Reads "[31:0]" or "[3]" of exactly that form; false for anything else. */
bool pmk_wave_range(const char *text, int32_t *msb, int32_t *lsb);

static inline uint64_t wave_ones(unsigned n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* Keeps each cell only once in the list of changed cells, because it is full. */
void pmk_wave_dump_relist(struct wave_cells *c);

static inline void wave_make_room(struct wave_cells *c)
{
	if (__builtin_expect(c->nchanged >= c->most_changed, 0))
		pmk_wave_dump_relist(c);
}

/*
 * Stores a value in a cell; there must be room in the list. A processor cannot predict whether the
 * value is new. So the cell and the list entry are always stored. Only `nchanged` depends on
 * whether the value is new.
 */
static inline void wave_set(struct wave_cells *c, uint32_t cell, struct pmk_wave_value value)
{
	struct pmk_wave_value was = c->now[cell];

	c->now[cell] = value;
	c->changed[c->nchanged] = cell;
	c->nchanged += ((value.bits ^ was.bits) | (value.x ^ was.x)) != 0;
}

/* Stores bits in the cell of a watch. */
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

/* Stores a value of the watch's net, at most 64 bits without x. */
static inline void wave_put_bits(struct wave_cells *c, const struct wave_watch *w, uint64_t bits)
{
	wave_put(c, w, (struct pmk_wave_value){ .bits = w->low < 64 ? bits >> w->low : 0 });
}

/*
 * Handles a change of a net. `text` has the net's new value: n digits (0, 1, x, z or another state
 * of VHDL), highest first. `first` is the number of the net's first watch, counted from 1. The
 * function stores the value for this watch and for the watches that wave_watch.next links to it.
 * Nonzero: the value is invalid, and v->error is set.
 */
int pmk_wave_dump_change(struct wave_dump *v, uint32_t first, const char *text, size_t n);
/* Sets v->error: the value `text` has n digits, more than the signal has bits. Returns nonzero. */
int pmk_wave_dump_too_many_bits(struct wave_dump *v, const struct pmk_wave_signal *s,
				const char *text, size_t n);

/* Sets the current time to t, which must not go back. Nonzero: v->error or v->stopped is set. */
int pmk_wave_dump_time(struct wave_dump *v, uint64_t t);
/* Makes all values x until $dumpon, even if the dump changes them. */
int pmk_wave_dump_off(struct wave_dump *v);

/* ---- the readers, vcd.c and fst.c ---------------------------------------------------------- */

/* Reads the declarations of signals. */
int pmk_wave_vcd_header(struct wave_dump *v);
int pmk_wave_fst_header(struct wave_dump *v);
/* Reads the changes. The caller must then look at v->error and v->stopped. */
void pmk_wave_vcd_changes(struct wave_dump *v);
void pmk_wave_fst_changes(struct wave_dump *v);
void pmk_wave_vcd_place(struct wave_dump *v, uint64_t *offset, uint64_t *line);
void pmk_wave_fst_free(struct wave_dump *v);

#endif
