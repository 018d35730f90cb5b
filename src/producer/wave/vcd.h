/* SPDX-License-Identifier: MIT */
/*
 * VCD text: the header into a table of names, then changes into the cells of what is watched.
 * IEEE 1364-2005 §18; what writers do beyond it is listed in vcd.c.
 */
#ifndef PMK_PRODUCER_WAVE_VCD_H
#define PMK_PRODUCER_WAVE_VCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmk/wave.h>

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
	uint64_t key; /* its characters, the first in the lowest byte; 0: the entry is free */
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
	/* Set by pmk_wave_vcd_watch(). */
	uint32_t net_width;
	uint64_t mask; /* the bits of the cell */
};

/* Values by cell, as of now and as before the current time. */
struct wave_cells {
	struct pmk_wave_value *now, *before;
	uint32_t *changes; /* how often each has changed at the current time */
	uint32_t *changed; /* the cells that have changed, in order of their first change */
	uint32_t nchanged;
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

struct wave_vcd {
	struct wave_source source;
	const char *path;
	/* The text: from `buf`, read up to `at`, filled up to `end`. */
	char *buf, *at, *end;
	size_t word; /* length of the word of the header that begins at `at` */
	size_t room;
	uint64_t base; /* offset of buf[0] in the text */
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
	/* The codes that are small numbers, by those: 0, none; else 1 + wave_id.watch. They lie
	 * closer together than in the hash table, and need no search. */
	uint32_t *by_number, nnumbers;
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
int pmk_wave_vcd_open(struct wave_vcd *v, const char *path, struct pmk_wave_error *err);
void pmk_wave_vcd_close(struct wave_vcd *v);

/* Make room for n cells, all x. Returns 0 or PMK_ENOMEM. */
int pmk_wave_vcd_cells(struct wave_vcd *v, size_t n);
/* Put bits of a signal into a cell. Returns 0 or PMK_ENOMEM. */
int pmk_wave_vcd_watch(struct wave_vcd *v, const struct wave_watch *watch);

/* Read to the end. Returns 0; v->error.code when the dump was not read as a whole; or
 * v->stopped. */
int pmk_wave_vcd_run(struct wave_vcd *v, const struct wave_clockwork *clockwork);

/* The changes at the current time are done: copy them to `before`. */
static inline void wave_cells_commit(struct wave_cells *c)
{
	for (uint32_t i = 0; i < c->nchanged; i++) {
		c->before[c->changed[i]] = c->now[c->changed[i]];
		c->changes[c->changed[i]] = 0;
	}
	c->nchanged = 0;
}

/* Bytes and lines of text read so far. */
void pmk_wave_vcd_place(struct wave_vcd *v, uint64_t *offset, uint64_t *line);
void pmk_wave_vcd_time_text(const struct wave_vcd *v, uint64_t time, char *buf, size_t size);

#endif
