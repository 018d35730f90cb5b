// SPDX-License-Identifier: MIT
/*
 * Makes a map from the names of signals. A layer is a group of signals in the same scope with an
 * htrans of two bits and an hready. Any text may be before and after these words, as in M0_HTRANS,
 * or in htrans_o with hready_i. If one htrans has several names, pmk uses the name whose group has
 * signals for the most roles, then the outermost name, then the name with the shortest path. Some
 * simulators use two nets for the two ends of a vector port but one net for a port of one bit. So
 * groups that share hwrite and hready are one layer, too. Masters of one bus share only hready.
 * Layers whose names differ only in numbers are sorted by these numbers. The other layers keep the
 * order of the dump. Some groups are not layers of their own; the map has them as comments:
 *
 *  - A module inside another module, if the outer module has an htrans of the same name and at
 *    least as many roles, because simulators may use two nets for the two ends of a port. Also a
 *    module without hwrite, if its hready is on the net of the hready of a module with hwrite.
 *  - Ports of slaves, if there are other ports, because their traffic is the traffic of a master.
 *    A port of a slave has an hsel.
 *
 * An AXI interface is a group with awvalid and its awready, bvalid and bready, or with arvalid,
 * arready, rvalid and rready; aw_valid etc. are also recognised. Otherwise the rules for layers
 * apply. Hardware generators put a word before the names of a channel's payload: Chisel's
 * aw_bits_len and SpinalHDL's aw_payload_len. Two groups whose address channels share VALID and
 * READY are one interface.
 *
 * A map has one clock. A layer's own clock is named after the layer, such as m_axi_aclk for
 * m_axi_awvalid, or is in the layer's scope and has the name of the map's clock.
 *
 * A GXI has two signals for states, address_state and data_state, of two bits each. Their path must
 * contain gxi or mbx, because many other state machines have signals with these words in their
 * names. If there are no such signals, the states are taken from the pins of an AHB Monitor. The
 * handshake signals of AXI are not such states.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/wave/guess.h"

static const struct pmk_wave_signal *find_evntbus(const struct wave_dump *v)
{
	const struct pmk_wave_signal *best = NULL;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];

		if (s->kind == PMK_WAVE_BITS && s->width >= 20 && s->width <= 32 &&
		    strcasestr(s->name, "evntbus") &&
		    (!best || pmk_guess_path_length(s) < pmk_guess_path_length(best)))
			best = s;
	}
	return best;
}

/* Writes the whole map, or returns an error. */
static int guess_map(const struct pmk_wave *w, const struct wave_dump *v, FILE *f,
		     struct guess *all, struct pmk_wave_error *err)
{
	const struct pmk_wave_signal *clock, *reset, *evntbus = find_evntbus(v);
	const char *scope = evntbus ? evntbus->scope : "";

	if (pmk_guess_find_roles(v, all) || pmk_guess_find_layers(all))
		return pmk_wave_no_memory(err, w->path);
	pmk_guess_find_gxi(v, all);
	if (all->pins)
		scope = all->pins->scope;
	if (all->gxi.roles)
		scope = all->gxi.role[PMK_WAVE_GXI_ADDRESS]->scope;
	if (all->count)
		scope = all->layer[0].key->scope;
	clock = pmk_guess_clock(v, all, scope);
	reset = pmk_guess_reset(v, scope);
	if (!all->count && !all->gxi.roles && !all->pins && !evntbus)
		return pmk_wave_fail(err, PMK_ENOTSUP,
				     "%s: no map can be guessed: no names like htrans and hready, "
				     "awvalid and awready, gxi_address_state and gxi_data_state, "
				     "AHBMONITOR, or EVNTBUS",
				     w->path);
	if (!clock)
		return pmk_wave_fail(
			err, PMK_ENOTSUP,
			"%s: no map can be guessed: no signal of one bit has a name like "
			"hclk or clk",
			w->path);
	pmk_guess_write_map(f, v, all, clock, reset, evntbus);
	return 0;
}

int pmk_wave_guess(const struct pmk_wave *w, char **text, struct pmk_wave_error *err)
{
	struct guess all = { .count = 0 };
	struct wave_dump names = w->dump; /* a copy with another list of signals */
	size_t size;
	FILE *f;
	int code;

	*err = (struct pmk_wave_error){ .code = 0 };
	*text = NULL;
	f = open_memstream(text, &size);
	if (!f)
		return pmk_wave_no_memory(err, w->path);
	names.signal = pmk_guess_join_bits(&w->dump, &names.nsignals);
	if (names.signal)
		code = guess_map(w, &names, f, &all, err);
	else
		code = pmk_wave_no_memory(err, w->path);
	free(names.signal);
	free(all.layer);
	free(all.role);
	if (fclose(f) != 0 && !code)
		code = pmk_wave_no_memory(err, w->path);
	if (code) {
		free(*text);
		*text = NULL;
	}
	return code;
}
