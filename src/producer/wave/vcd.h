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
	uint64_t key; /* its characters, the first in the lowest byte; 0: free */
	uint32_t net;
	uint32_t watch; /* first of wave_vcd.watch that looks at it, + 1; 0: nobody does */
};

/* Bits of a net that go into a cell. */
struct wave_watch {
	uint32_t next; /* of the same net, + 1; 0: none */
	uint32_t cell;
	uint32_t signal; /* for messages */
	uint32_t low;	 /* lowest bit of the net that is taken */
	uint8_t width;	 /* how many, 1 to 64 */
	uint8_t shift;	 /* where they go in the cell */
	bool inverted;
};

/* Values by cell, as of now and as before the current time. */
struct wave_cells {
	struct pmk_wave_value *now, *before;
	uint32_t *changes; /* how often each has changed at the current time */
	uint32_t *changed; /* which cells have, in order of their first change */
	uint32_t nchanged;
};

/* Who is told of time; nonzero stops. */
struct wave_clockwork {
	/* All changes of one time are in the cells. What is in `before` is up to the callee. */
	int (*settle)(void *ctx, uint64_t time);
	/* $dumpoff: all values until $dumpon are x, whatever they are. */
	void (*off)(void *ctx, uint64_t time);
	/* Before every read, and again while there is nothing to read. */
	int (*progress)(void *ctx);
	void *ctx;
};

struct wave_vcd {
	struct wave_source source;
	const char *path;
	/* The text: buf … at … end. */
	char *buf, *at, *end;
	size_t word; /* length of the header's word that begins at `at` */
	size_t room;
	uint64_t base; /* offset of buf[0] in the text */
	char *counted; /* lines are counted up to here */
	uint64_t lines;
	bool eof;
	/* The header. */
	struct wave_arena text;
	struct pmk_wave_signal *signal;
	size_t nsignals, room_signals;
	struct wave_id *id; /* a hash table; its size is a power of two */
	size_t nids, room_ids;
	unsigned id_shift;
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
	bool stopped; /* by the clockwork */
	struct pmk_wave_error error;
};

/* Open and read the header. Close in any case. */
int pmk_wave_vcd_open(struct wave_vcd *v, const char *path, struct pmk_wave_error *err);
void pmk_wave_vcd_close(struct wave_vcd *v);

/* Room for n cells, all x. 0 or PMK_ENOMEM. */
int pmk_wave_vcd_cells(struct wave_vcd *v, size_t n);
/* Let a cell have bits of a signal. 0 or PMK_ENOMEM. */
int pmk_wave_vcd_watch(struct wave_vcd *v, const struct wave_watch *watch);

/* Read to the end. 0; or v->error.code, when it is not the whole; or v->stopped. */
int pmk_wave_vcd_run(struct wave_vcd *v, const struct wave_clockwork *clockwork);

/* The current time's changes are over: `before` follows. */
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
