/* SPDX-License-Identifier: MIT */
/*
 * Inside the room of waveform dumps:
 *
 *	source.c   a file, a pipe or a converter → the text of a VCD
 *	vcd.c      the text → names, and the values of what is watched
 *	names.c    a name as people write it → signals of the dump
 *	map.c      map files;  guess.c: a map suggested by the names
 *	wave.c     <pmk/wave.h>: open, bind
 *	sample.c   <pmk/wave.h>: values at the edges of the clock
 *	run.c      those → signals on buses, through the observers of AHB and EVNTBUS
 */
#ifndef PMK_PRODUCER_WAVE_WAVE_H
#define PMK_PRODUCER_WAVE_WAVE_H

#include <stdbool.h>
#include <stdint.h>

#include <pmk/wave.h>

#include "producer/wave/vcd.h"

/* Bits of a signal, and where they go. */
struct wave_part {
	uint32_t signal; /* index */
	uint32_t low;	 /* the lowest that is taken */
	uint8_t width, shift;
};

/* What a name stands for: one signal or a part of it, or a vector dumped bit by bit. */
#define WAVE_PARTS 64

struct wave_pick {
	struct wave_part part[WAVE_PARTS];
	unsigned nparts;
	unsigned width;
};

/*
 * Find "tb.bus[7:4]", relative to `scope` (may be empty), absolute, or the end of a path if that is
 * enough to tell. 0; PMK_EPARSE with a reason in `why`.
 */
int pmk_wave_find(const struct wave_vcd *v, const char *scope, const char *text,
		  struct wave_pick *pick, char *why, size_t size);

/* "12", "0x0c", "0b1100" in full; false for anything else. */
bool pmk_wave_number(const char *text, uint64_t *value);

/* What a layer's monitor may be, by enum pmk_ahbmon_bus from ARM-I on. */
#define WAVE_NMONITORS 6
#define WAVE_MONITORS  "armi clcdc dma0 dma1 exp armd"
extern const char *const pmk_wave_monitors[WAVE_NMONITORS];
/* Which of them has this name, in any case; WAVE_NMONITORS: none. */
unsigned pmk_wave_monitor(const char *name);

#define WAVE_NO_CELL UINT32_MAX

struct pmk_wave {
	struct wave_vcd vcd;
	char *path;
	const struct pmk_wave_map *map; /* bound; cell i is slot i of it */
	uint32_t clock, reset;		/* cells */
	uint8_t *width;			/* bits of each cell in the dump; 0: a constant */
	bool ran;
};

#endif
