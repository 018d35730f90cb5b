/* SPDX-License-Identifier: MIT */
/*
 * What the files that guess a map share:
 *
 *	guess.c         the order of the steps
 *	guess_bits.c    vectors that were dumped bit by bit become one signal
 *	guess_names.c   names of roles, and signals whose names differ only in the role
 *	guess_layers.c  layers of AHB and interfaces of AXI
 *	guess_gxi.c     a GXI, or the pins of an AHB Monitor
 *	guess_clock.c   clock and reset
 *	guess_write.c   the map as text
 */
#ifndef PMK_PRODUCER_WAVE_GUESS_H
#define PMK_PRODUCER_WAVE_GUESS_H

#include <pmk/ahb.h>
#include <pmk/axi.h>

#include "producer/wave/wave.h"

#define GUESS_NAME  48		   /* bytes of a layer's name */
#define GUESS_ROLES PMK_AXI_NROLES /* more than AHB has */

/* A layer of AHB, or an AXI interface. */
struct guess_layer {
	const struct pmk_wave_signal *role[GUESS_ROLES]; /* enum pmk_ahb_role, or pmk_axi_role */
	/* the signal that identifies the layer: htrans, awvalid … */
	const struct pmk_wave_signal *key;
	const char *word; /* the part of the key's name that matched, such as "htrans" */
	bool axi;
	unsigned roles;
	bool slave;
	const struct guess_layer *same; /* the outer layer if this is the inner end of its port */
	/*
	 * Position in the dump, and the position of the first layer whose name differs only in
	 * numbers.
	 */
	size_t place, family;
	char name[GUESS_NAME];
};

struct guess_gxi {
	const struct pmk_wave_signal *role[WAVE_NGXI];
	unsigned roles; /* 0: there is no GXI */
};

/* What was found in a dump. */
struct guess {
	/*
	 * Signals whose name contains the name of a role. A dump has a thousand times as many
	 * signals, so searches use this list.
	 */
	const struct pmk_wave_signal **role;
	size_t nroles;
	struct guess_layer *layer;
	size_t count, room_layers;
	bool masters; /* at least one layer is not a slave's port */
	struct guess_gxi gxi;
	const struct pmk_wave_signal *pins; /* AHBMONITOR */
};

/* ---- guess_names.c -------------------------------------------------------------------------- */

size_t pmk_guess_path_length(const struct pmk_wave_signal *s);
/* Returns the number of scopes around a signal, minus 1. */
unsigned pmk_guess_scope_depth(const struct pmk_wave_signal *s);
/* True if the name contains the word of a role. pmk_guess_has_ahb_role() knows only the roles of
 * AHB, and pmk_guess_has_role() those of all protocols. */
bool pmk_guess_has_ahb_role(const struct pmk_wave_signal *s);
bool pmk_guess_has_role(const struct pmk_wave_signal *s);
/* Fills all->role. Returns 0 or PMK_ENOMEM. */
int pmk_guess_find_roles(const struct wave_dump *v, struct guess *all);
/*
 * Returns the signal in the scope of `to` whose name is that of `to` with `role` instead of `word`.
 * A final i or o for the direction may differ.
 */
const struct pmk_wave_signal *pmk_guess_sibling(const struct guess *all,
						const struct pmk_wave_signal *to, const char *word,
						const char *role);

/* Text that may follow the channel in an AXI name. The first text is empty. */
#define GUESS_NINFIXES 4
extern const char *const pmk_guess_axi_infixes[GUESS_NINFIXES];

/* ---- guess_bits.c --------------------------------------------------------------------------- */

/*
 * Returns the signals of a dump. Bits of one vector are joined. Parameters are left out, because
 * they never change, and so are signals whose names a map cannot have. The caller frees the list.
 * NULL: no memory.
 */
struct pmk_wave_signal *pmk_guess_join_bits(const struct wave_dump *v, size_t *n);

/* ---- guess_layers.c ------------------------------------------------------------------------- */

/* Fills all->layer, in the order of the map. Returns 0 or PMK_ENOMEM. */
int pmk_guess_find_layers(struct guess *all);
/* False if the map has the layer only as a comment. */
bool pmk_guess_is_written(const struct guess *all, const struct guess_layer *l);

/* ---- guess_gxi.c ---------------------------------------------------------------------------- */

bool pmk_guess_has_gxi_role(const struct pmk_wave_signal *s);
/* Reads a GXI if `s` is the state of an address channel that has a data channel next to it. */
bool pmk_guess_read_gxi(const struct guess *all, const struct pmk_wave_signal *s,
			struct guess_gxi *g);
/* Chooses the GXI with the most roles, then the shortest path; and finds the monitor's pins. */
void pmk_guess_find_gxi(const struct wave_dump *v, struct guess *all);

/* ---- guess_clock.c -------------------------------------------------------------------------- */

/* Returns the map's clock: the clock that is named after the first layer, or the signal with the
 * most typical name. */
const struct pmk_wave_signal *pmk_guess_clock(const struct wave_dump *v, const struct guess *all,
					      const char *scope);
const struct pmk_wave_signal *pmk_guess_reset(const struct wave_dump *v, const char *scope);
/* True for names like HRESETn, rst_n, rst_ni: such a reset is active low. */
bool pmk_guess_active_low(const char *name);
/* Returns the layer's own clock if it is not on the net of the map's clock, or NULL. */
const struct pmk_wave_signal *pmk_guess_own_clock(const struct wave_dump *v,
						  const struct guess_layer *l,
						  const struct pmk_wave_signal *clock);
/*
 * True if the layer's own clock has the name of the map's clock, and one net with this name in a
 * scope around both clocks may drive them.
 */
bool pmk_guess_may_share_clock(const struct wave_dump *v, const struct guess_layer *l,
			       const struct pmk_wave_signal *own,
			       const struct pmk_wave_signal *clock);

/* ---- guess_write.c -------------------------------------------------------------------------- */

void pmk_guess_write_map(FILE *f, const struct wave_dump *v, const struct guess *all,
			 const struct pmk_wave_signal *clock, const struct pmk_wave_signal *reset,
			 const struct pmk_wave_signal *evntbus);

#endif
