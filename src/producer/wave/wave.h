/* SPDX-License-Identifier: MIT */
/*
 * The files of this folder, which reads waveform dumps:
 *
 *	source.c   a file or a pipe → the format, and the text of a VCD
 *	vcd.c      the text → names and changes; scan.h: its words and digits
 *	fst.c      an FST → names, and with fst_changes.c changes; unpack.c: its decompressors
 *	dump.c     names and changes → a table of names, and the values of the watched nets
 *	names.c    a name in a map → signals of the dump
 *	map.c      map files;  guess.c: a map suggested by the names (guess.h)
 *	wave.c     <pmk/wave.h>: open, bind
 *	sample.c   <pmk/wave.h>: values at the edges of the clock
 *	run.c      values at edges → signals on buses, through the observers of AHB, AXI and EVNTBUS
 */
#ifndef PMK_PRODUCER_WAVE_WAVE_H
#define PMK_PRODUCER_WAVE_WAVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pmk/wave.h>

#include "producer/wave/dump.h"

/* Bits of a signal, and their position in the value. */
struct wave_part {
	uint32_t signal; /* index of the signal */
	uint32_t low;	 /* the lowest bit that is used */
	uint8_t width, shift;
};

/* What a name refers to: a signal, a part of a signal, or up to WAVE_PARTS signals of a vector that
 * was dumped bit by bit. */
#define WAVE_PARTS 64

struct wave_pick {
	struct wave_part part[WAVE_PARTS];
	unsigned nparts;
	unsigned width;
};

/*
 * Finds "tb.bus[7:4]": relative to `scope` (may be empty), from the top, or as the end of a path if
 * only one path matches. Returns 0, or PMK_EPARSE with a reason in `why`.
 */
int pmk_wave_find(const struct wave_dump *v, const char *scope, const char *text,
		  struct wave_pick *pick, char *why, size_t size);

/* The names of roles in maps, followed by the keys of [layer], [axi] and [gxi] that are not
 * roles. */
#define WAVE_NGXI (PMK_WAVE_GXI_IS_WRITE + 1)
extern const char *const pmk_wave_layer_keys[], *const pmk_wave_axi_keys[],
							*const pmk_wave_gxi_keys[WAVE_NGXI];

/* How many bits the signal of a role may have: as in the protocol, or fewer. */
struct wave_widths {
	uint8_t least, most;
};

struct wave_widths pmk_wave_widths(enum pmk_wave_part part, unsigned role);

/* The monitors that a layer can have, by enum pmk_ahbmon_bus from ARM-I on. */
#define WAVE_NMONITORS 6
#define WAVE_MONITORS  "armi clcdc dma0 dma1 exp armd"
extern const char *const pmk_wave_monitors[WAVE_NMONITORS];
/* Returns the monitor with this name, in upper or lower case; WAVE_NMONITORS: none. */
unsigned pmk_wave_monitor(const char *name);

/* The keys of [windows], by enum pmk_ahb_place. */
#define WAVE_NPLACES 5
extern const char *const pmk_wave_places[WAVE_NPLACES];
/* Writes the [windows] of the ARM926EJ-S Development Chip as comments of a map. */
void pmk_wave_offer_windows(FILE *f);

#define WAVE_NO_CELL UINT32_MAX

struct pmk_wave {
	struct wave_dump dump;
	char *path;
	const struct pmk_wave_map *map; /* the bound map; cell i has the value of slot i */
	uint32_t clock, reset, zero;	/* numbers of cells; cell `zero` is always 0 */
	uint8_t *width;			/* bits of each cell in the dump; 0: a constant */
	bool ran;
};

#endif
