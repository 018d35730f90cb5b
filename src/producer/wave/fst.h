/* SPDX-License-Identifier: MIT */
/* The parts that read an FST: see fst.c, which has the format. fst.c reads the header and the
 * names, and fst_changes.c the changes. */
#ifndef PMK_WAVE_FST_H
#define PMK_WAVE_FST_H

#include <stdio.h>

#include "producer/wave/dump.h"
#include "producer/wave/scan.h"

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

#define HEAD  9 /* type and length */
#define SLACK 8 /* readable bytes after unpacked data: bits_at() reads 8 bytes at once */

/* A buffer that grows. */
struct bytes {
	uint8_t *p;
	size_t n, room;
};

struct block {
	uint64_t at; /* offset of the block's type in the file */
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
	uint32_t watch;	 /* index + 1 of the signal's first watch */
	uint32_t next;	 /* index + 1 of the next cursor with a change at the same time; 0: none */
	struct bytes data;
	const uint8_t *at, *end;
	uint64_t entry; /* the number that starts the next change; `at` is after it */
	/*
	 * For a value of bits: the number of its bytes after `entry`, and the number of surplus
	 * bits in a load of eight bytes. The value of a one-bit signal is part of `entry`.
	 */
	uint8_t bytes, surplus;
	uint8_t later[2]; /* lowest bit of the time in `entry`: [0] for bits, [1] for others */
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

int pmk_fst_damaged(struct wave_dump *v, const char *what);
int pmk_fst_reserve(struct wave_dump *v, struct bytes *b, uint64_t n);
/* Reads n bytes of the file. */
int pmk_fst_fetch(struct wave_dump *v, uint64_t at, void *to, size_t n);
int pmk_fst_fetch_number(struct wave_dump *v, uint64_t at, uint64_t *n);
int pmk_fst_load(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n);
/* Loads n packed bytes of the file and unpacks them with `how`. */
int pmk_fst_load_packed(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n,
			uint64_t whole, bool (*how)(const uint8_t *, size_t, uint8_t *, size_t),
			const char *what);
/* Like pmk_fst_load_packed(), for data that are packed only if that makes them shorter. */
int pmk_fst_load_shorter(struct wave_dump *v, struct bytes *b, uint64_t at, uint64_t n,
			 uint64_t whole, const char *what);
/* Finds the next block; b->end is 0 for the first one. False at the end, and after an error. */
bool pmk_fst_next_block(struct wave_dump *v, struct block *b);

static inline bool fst_has_changes(const struct block *b)
{
	return b->type == CHANGES || b->type == CHANGES_ALIAS || b->type == CHANGES_ALIAS2;
}

static inline uint64_t fst_number(const uint8_t *p)
{
	return __builtin_bswap64(wave_word((const char *)p));
}

/*
 * Reads a varint of any length. Returns false at the end of the data, and if the number has more
 * than 64 bits.
 */
bool pmk_fst_long_varint(const uint8_t **p, const uint8_t *end, uint64_t *n, unsigned *bits);

static inline bool fst_varint(const uint8_t **p, const uint8_t *end, uint64_t *n)
{
	unsigned bits;

	if (__builtin_expect(*p < end && **p < 0x80, 1)) {
		*n = *(*p)++;
		return true;
	}
	return pmk_fst_long_varint(p, end, n, &bits);
}

#endif
