// SPDX-License-Identifier: MIT
/*
 * The map as text.
 */
#include <stdio.h>
#include <string.h>

#include "producer/wave/guess.h"

static void write_path(FILE *f, const char *key, const struct pmk_wave_signal *s)
{
	fprintf(f, "%s = %s%s%s\n", key, s->scope, *s->scope ? "." : "", s->name);
}

/*
 * Writes the section of a layer. `own`: a clock in the layer's scope that may differ from the
 * map's, or NULL. `mark` starts every line: "# " makes the section a comment.
 */
static void write_layer(FILE *f, const struct guess_layer *l, const struct pmk_wave_signal *own,
			const char *mark)
{
	const char *const *names = l->axi ? pmk_wave_axi_keys : pmk_wave_layer_keys;

	fprintf(f, "%s%s[%s %s]\n", *mark ? "" : "\n", mark, l->axi ? "axi" : "layer", l->name);
	if (own)
		fprintf(f,
			"# %s.%s is another net than the clock above: if it is another clock, "
			"this %s needs a map and a run of its own\n",
			own->scope, own->name, l->axi ? "interface" : "layer");
	if (*l->key->scope)
		fprintf(f, "%sscope = %s\n", mark, l->key->scope);
	for (unsigned r = 0; r < (l->axi ? PMK_AXI_NROLES : PMK_AHB_NROLES); r++) {
		if (l->role[r])
			fprintf(f, "%s%s = %s\n", mark, names[r], l->role[r]->name);
		else if (!*mark)
			fprintf(f, "# no signal with the name %s was found\n", names[r]);
	}
}

static void write_gxi(FILE *f, const struct guess *all)
{
	const struct pmk_wave_signal *state = all->gxi.role[PMK_WAVE_GXI_ADDRESS];
	size_t n = strlen(state->scope);
	struct guess_gxi g;

	fputs("\n[gxi]\n", f);
	for (unsigned r = 0; r < WAVE_NGXI; r++) {
		if (all->gxi.role[r])
			write_path(f, pmk_wave_gxi_keys[r], all->gxi.role[r]);
		else
			fprintf(f, "# no signal with the name %s was found\n",
				pmk_wave_gxi_keys[r]);
	}
	for (size_t i = 0; i < all->nroles; i++) {
		const struct pmk_wave_signal *s = all->role[i];

		if (!pmk_guess_read_gxi(all, s, &g) || s->net == state->net)
			continue;
		if (strncmp(s->scope, state->scope, n) == 0 && s->scope[n] == '.')
			fprintf(f, "# the GXI of %s is probably another end of that of %s\n",
				s->scope, state->scope);
		else
			fprintf(f, "# %s.%s is left out: a map has one GXI\n", s->scope, s->name);
	}
}

/* Writes the states at the pins: DDI 0287B Tables 4-5 and 4-4. */
static void write_pins(FILE *f, const struct pmk_wave_signal *s)
{
	const char *dot = *s->scope ? "." : "";

	fprintf(f, "\n[gxi]\naddress_state = %s%s%s[30:29]\n", s->scope, dot, s->name);
	fprintf(f, "data_state = %s%s%s[32:31]\n", s->scope, dot, s->name);
	fputs("# address and write are not among these pins\n", f);
	fprintf(f,
		"# Instead of [gxi], this counts the layers, too, by the codes of the register "
		"layout:\n"
		"# [packets]\n# pins = %s%s%s\n",
		s->scope, dot, s->name);
}

/* Writes the layer as a comment: its clock is not the map's, so it needs a separate map. */
static void write_other_clock(FILE *f, const struct guess_layer *l,
			      const struct pmk_wave_signal *own)
{
	const char *dot = *own->scope ? "." : "";

	fprintf(f,
		"\n# the %s of %s is left out: its clock is %s%s%s, and a map has one clock\n"
		"# For a map of its own, use these lines without their '# ' instead of the other "
		"sections:\n# [clock]\n# signal = %s%s%s\n",
		l->word, *l->key->scope ? l->key->scope : l->key->name, own->scope, dot, own->name,
		own->scope, dot, own->name);
	write_layer(f, l, NULL, "# ");
}

/* Returns the core whose name is in the path, or NULL. */
static const char *evntbus_core(const struct pmk_wave_signal *s)
{
	static const char *const cores[][2] = { { "1136", "arm1136" }, { "1176", "arm1176" } };

	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (strstr(s->scope, cores[i][0]) || strstr(s->name, cores[i][0]))
			return cores[i][1];
	return NULL;
}

/*
 * Writes the section of an EVNTBUS. Without its core the section is incomplete, so it is written as
 * a comment, unless it is the only section.
 */
static void write_evntbus(FILE *f, const struct pmk_wave_signal *s, bool only)
{
	const char *core = evntbus_core(s), *mark = core || only ? "" : "# ";

	fprintf(f, "\n%s[evntbus]\n", mark);
	if (core)
		fprintf(f, "core = %s\n", core);
	else
		fputs("# The names here do not say whose bus it is. It has br_exec in other bits\n"
		      "# on an ARM1136 than on an ARM1176: keep one of these, without its '# '.\n"
		      "# core = arm1136\n# core = arm1176\n",
		      f);
	fputs(mark, f);
	write_path(f, "vector", s);
}

void pmk_guess_write_map(FILE *f, const struct wave_dump *v, const struct guess *all,
			 const struct pmk_wave_signal *clock, const struct pmk_wave_signal *reset,
			 const struct pmk_wave_signal *evntbus)
{
	bool monitors = false;

	fputs("[clock]\n", f);
	write_path(f, "signal", clock);
	fputs("edge = rising\n", f);
	if (reset) {
		write_path(f, "reset", reset);
		fprintf(f, "reset_active = %s\n",
			pmk_guess_active_low(reset->name) ? "low" : "high");
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct guess_layer *l = &all->layer[i];
		const struct pmk_wave_signal *own = pmk_guess_own_clock(v, l, clock);

		if (own && pmk_guess_is_written(all, l) &&
		    !pmk_guess_may_share_clock(v, l, own, clock))
			write_other_clock(f, l, own);
		else if (l->same)
			fprintf(f, "# the %s of %s is probably another end of that of %s\n",
				l->word, l->key->scope, l->same->key->scope);
		else if (!pmk_guess_is_written(all, l))
			fprintf(f, "# %s.%s is a slave's port\n", l->key->scope, l->key->name);
		else
			write_layer(f, l, own, "");
		monitors |= !l->axi && pmk_wave_monitor(l->name) < WAVE_NMONITORS;
	}
	if (monitors)
		pmk_wave_offer_windows(f);
	if (all->gxi.roles)
		write_gxi(f, all);
	else if (all->pins)
		write_pins(f, all->pins);
	if (evntbus)
		write_evntbus(f, evntbus, !all->count && !all->gxi.roles && !all->pins);
}
