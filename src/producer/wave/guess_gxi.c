// SPDX-License-Identifier: MIT
/* Finds a GXI by its signals, or by the pins of an AHB Monitor. */
#define _GNU_SOURCE
#include <string.h>

#include "producer/wave/guess.h"

/* The names of the signals. */
static const char *const gxi_names[WAVE_NGXI][5] = {
	[PMK_WAVE_GXI_ADDRESS] = { "address_state", "addr_state", "addressstate", "addrstate" },
	[PMK_WAVE_GXI_DATA] = { "data_state", "datastate", "read_data_state", "rdata_state" },
	[PMK_WAVE_GXI_ADDR] = { "address", "addr" },
	[PMK_WAVE_GXI_IS_WRITE] = { "write", "is_write", "wr" },
};
static bool on_gxi(const struct pmk_wave_signal *s)
{
	return strcasestr(s->name, "gxi") || strcasestr(s->name, "mbx") ||
	       strcasestr(s->scope, "gxi") || strcasestr(s->scope, "mbx");
}

bool pmk_guess_has_gxi_role(const struct pmk_wave_signal *s)
{
	for (unsigned r = 0; r < WAVE_NGXI && on_gxi(s); r++)
		for (unsigned i = 0; gxi_names[r][i]; i++)
			if (strcasestr(s->name, gxi_names[r][i]))
				return true;
	return false;
}

bool pmk_guess_read_gxi(const struct guess *all, const struct pmk_wave_signal *s,
			struct guess_gxi *g)
{
	const char *word = NULL;

	*g = (struct guess_gxi){ .role[PMK_WAVE_GXI_ADDRESS] = s, .roles = 1 };
	for (unsigned i = 0; gxi_names[PMK_WAVE_GXI_ADDRESS][i] && !word; i++)
		if (strcasestr(s->name, gxi_names[PMK_WAVE_GXI_ADDRESS][i]))
			word = gxi_names[PMK_WAVE_GXI_ADDRESS][i];
	if (!word || s->width != 2 || !on_gxi(s))
		return false;
	for (unsigned r = PMK_WAVE_GXI_ADDRESS + 1; r < WAVE_NGXI; r++) {
		for (unsigned i = 0; gxi_names[r][i] && !g->role[r]; i++)
			g->role[r] = pmk_guess_sibling(all, s, word, gxi_names[r][i]);
		if (g->role[r] && g->role[r]->width > pmk_wave_widths(PMK_WAVE_GXI, r).most)
			g->role[r] = NULL;
		g->roles += g->role[r] != NULL;
	}
	return g->role[PMK_WAVE_GXI_DATA] && g->role[PMK_WAVE_GXI_DATA]->width == 2;
}

/* Returns the signal AHBMONITOR[33:0], or [32:0] if the copy of the clock is missing (DDI 0287B
 * §4.2.1). NULL: there is none. */
static const struct pmk_wave_signal *find_pins(const struct wave_dump *v)
{
	const struct pmk_wave_signal *best = NULL;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];

		if (s->kind == PMK_WAVE_BITS && (s->msb == 33 || s->msb == 32) && s->lsb == 0 &&
		    strcasestr(s->name, "ahbmonitor") &&
		    (!best || pmk_guess_path_length(s) < pmk_guess_path_length(best)))
			best = s;
	}
	return best;
}

void pmk_guess_find_gxi(const struct wave_dump *v, struct guess *all)
{
	struct guess_gxi *best = &all->gxi, g;

	for (size_t i = 0; i < all->nroles; i++) {
		if (!pmk_guess_read_gxi(all, all->role[i], &g) || g.roles < best->roles)
			continue;
		if (g.roles > best->roles ||
		    pmk_guess_path_length(g.role[PMK_WAVE_GXI_ADDRESS]) <
			    pmk_guess_path_length(best->role[PMK_WAVE_GXI_ADDRESS]))
			*best = g;
	}
	all->pins = find_pins(v);
}
