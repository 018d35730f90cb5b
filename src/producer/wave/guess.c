// SPDX-License-Identifier: MIT
/*
 * A map from names alone. A layer is what has an htrans of two bits and an hready beside it, whatever
 * stands before and after: htrans, M0_HTRANS, htrans_o with hready_i. Of several names of one htrans
 * the one with the most roles is taken, then the shortest path. Not everything with these names is a
 * layer of its own, and what is left out stands in the map as a comment:
 *
 *  - A module within another that has an htrans of the same name, and no more roles: simulators give
 *    the two ends of a port nets of their own.
 *  - Ports of slaves, told by their hsel, where there is anything else: their traffic is a master's.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahb.h>
#include <pmk/ahbmon.h>

#include "producer/wave/wave.h"

static const char *const role_names[PMK_AHB_NROLES] = {
	[PMK_AHB_HTRANS] = "htrans", [PMK_AHB_HADDR] = "haddr",	  [PMK_AHB_HWRITE] = "hwrite",
	[PMK_AHB_HSIZE] = "hsize",   [PMK_AHB_HBURST] = "hburst", [PMK_AHB_HPROT] = "hprot",
	[PMK_AHB_HREADY] = "hready", [PMK_AHB_HRESP] = "hresp",
};

#define NAME_BYTES 48

struct layer {
	const struct pmk_wave_signal *role[PMK_AHB_NROLES];
	unsigned roles;
	bool slave;
	const struct layer *same; /* what it is an inner end of */
	char name[NAME_BYTES];
};

struct layers {
	/* The signals that have the name of a role in theirs: a dump has a thousand times as many. */
	const struct pmk_wave_signal **role;
	size_t nroles;
	struct layer *layer;
	size_t count;
	bool masters; /* one of them is no slave's port */
};

static size_t path_length(const struct pmk_wave_signal *s)
{
	return strlen(s->scope) + strlen(s->name);
}

/* ---- layers --------------------------------------------------------------------------------- */

static bool has_role(const char *name)
{
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if (strcasestr(name, role_names[r]))
			return true;
	return strcasestr(name, "hsel") != NULL;
}

/* 0 or PMK_ENOMEM. */
static int find_roles(const struct wave_vcd *v, struct layers *all)
{
	all->role = calloc(v->nsignals + 1, sizeof(*all->role));
	for (size_t i = 0; all->role && i < v->nsignals; i++)
		if (v->signal[i].kind == PMK_WAVE_BITS && has_role(v->signal[i].name))
			all->role[all->nroles++] = &v->signal[i];
	return all->role ? 0 : PMK_ENOMEM;
}

/* The signal beside `htrans` whose name is its name with `role` for "htrans", and perhaps the other
 * direction at its end. */
static const struct pmk_wave_signal *beside(const struct layers *all,
					    const struct pmk_wave_signal *htrans, const char *role)
{
	const char *at = strcasestr(htrans->name, "htrans"), *rest = at + strlen("htrans");
	size_t before = (size_t)(at - htrans->name), n = strlen(role), tail = strlen(rest);
	char last = (char)(tail ? tolower((unsigned char)rest[tail - 1]) : 0);
	const struct pmk_wave_signal *turned = NULL;

	for (size_t i = 0; i < all->nroles; i++) {
		const struct pmk_wave_signal *s = all->role[i];
		const char *end;

		if (strlen(s->name) != before + n + tail ||
		    strncmp(s->name, htrans->name, before) != 0 ||
		    strncasecmp(s->name + before, role, n) != 0 ||
		    strcmp(s->scope, htrans->scope) != 0)
			continue;
		end = s->name + before + n;
		if (strcasecmp(end, rest) == 0)
			return s;
		if ((last == 'o' || last == 'i') && strncasecmp(end, rest, tail - 1) == 0 &&
		    tolower((unsigned char)end[tail - 1]) == (last == 'o' ? 'i' : 'o'))
			turned = s;
	}
	return turned;
}

static bool read_layer(const struct layers *all, const struct pmk_wave_signal *htrans,
		       struct layer *l)
{
	static const char *const ready[] = { "hready", "hreadyin", "hreadyout" };

	*l = (struct layer){ .roles = 0 };
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if (r != PMK_AHB_HREADY)
			l->role[r] = beside(all, htrans, role_names[r]);
	l->role[PMK_AHB_HTRANS] = htrans;
	for (unsigned i = 0; i < 3 && !l->role[PMK_AHB_HREADY]; i++)
		l->role[PMK_AHB_HREADY] = beside(all, htrans, ready[i]);
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		l->roles += l->role[r] != NULL;
	l->slave = beside(all, htrans, "hsel") != NULL;
	return l->role[PMK_AHB_HREADY] != NULL;
}

static bool better(const struct layer *a, const struct layer *b)
{
	if (a->roles != b->roles)
		return a->roles > b->roles;
	return path_length(a->role[PMK_AHB_HTRANS]) < path_length(b->role[PMK_AHB_HTRANS]);
}

/* 0 or PMK_ENOMEM. */
static int add_layer(struct layers *all, const struct layer *l)
{
	struct layer *bigger;

	all->masters = all->masters || !l->slave;
	for (size_t i = 0; i < all->count; i++) {
		if (all->layer[i].role[PMK_AHB_HTRANS]->net != l->role[PMK_AHB_HTRANS]->net)
			continue;
		if (better(l, &all->layer[i]))
			all->layer[i] = *l;
		return 0;
	}
	bigger = realloc(all->layer, (all->count + 1) * sizeof(*bigger));
	if (!bigger)
		return PMK_ENOMEM;
	all->layer = bigger;
	bigger[all->count++] = *l;
	return 0;
}

static int find_layers(const struct wave_vcd *v, struct layers *all)
{
	struct layer l;
	int err = find_roles(v, all);

	for (size_t i = 0; i < all->nroles && !err; i++) {
		const struct pmk_wave_signal *s = all->role[i];

		if (s->width == 2 && strcasestr(s->name, "htrans") && read_layer(all, s, &l))
			err = add_layer(all, &l);
	}
	return err;
}

/* Is `in` a module within that of `out`, with the same names? */
static bool within(const struct layer *in, const struct layer *out)
{
	const struct pmk_wave_signal *a = in->role[PMK_AHB_HTRANS], *b = out->role[PMK_AHB_HTRANS];
	size_t n = strlen(b->scope);

	return strcasecmp(a->name, b->name) == 0 && in->roles <= out->roles &&
	       strncmp(a->scope, b->scope, n) == 0 && a->scope[n] == '.';
}

static void find_inner_ends(struct layers *all)
{
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; k < all->count; k++)
			if (within(&all->layer[i], &all->layer[k]))
				all->layer[i].same = &all->layer[k];
}

/* Is the end of a name but the direction of a port? */
static bool is_direction(const char *text)
{
	static const char *const words[] = { "_o", "_i", "_out", "_in" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(words[i], text) == 0)
			return true;
	return false;
}

/* What is before and after htrans, or else the scope's last name: letters, digits and single '_'. */
static void name_layer(struct layers *all, size_t n)
{
	struct layer *l = &all->layer[n];
	const struct pmk_wave_signal *s = l->role[PMK_AHB_HTRANS];
	const char *at = strcasestr(s->name, "htrans"), *rest = at + strlen("htrans");
	const char *dot = strrchr(s->scope, '.');
	char text[256];
	size_t used = 0;

	snprintf(text, sizeof(text), "%.*s%s", (int)(at - s->name), s->name,
		 is_direction(rest) ? "" : rest);
	if (!*text)
		snprintf(text, sizeof(text), "%s", dot ? dot + 1 : s->scope);
	for (const char *c = text; *c && used < sizeof(l->name) - 8; c++)
		if (isalnum((unsigned char)*c) || (*c == '_' && used && l->name[used - 1] != '_'))
			l->name[used++] = (char)tolower((unsigned char)*c);
	while (used && l->name[used - 1] == '_')
		used--;
	snprintf(l->name + used, sizeof(l->name) - used, "%s", used ? "" : "bus");
	for (size_t i = 0; i < n; i++)
		if (strcmp(all->layer[i].name, l->name) == 0)
			snprintf(l->name + used, sizeof(l->name) - used, "%zu", n);
}

/* ---- clock and reset ------------------------------------------------------------------------ */

/* Names from the most telling on; a trailing '*' stands for anything on both sides. */
static const char *const clocks[] = { "hclk",  "hclk*", "clk",	  "clock",
				      "clk_i", "clk*",	"clock*", NULL };
static const char *const resets[] = { "hresetn", "hreset*", "resetn", "reset_n", "rst_n",
				      "rstn",	 "nreset",  "reset*", "rst*",	 NULL };

static unsigned rank(const char *name, const char *const *list)
{
	for (unsigned i = 0; list[i]; i++) {
		char part[16];
		size_t n = strlen(list[i]) - 1;

		snprintf(part, sizeof(part), "%.*s", (int)n, list[i]);
		if (list[i][n] == '*' ? strcasestr(name, part) != NULL
				      : strcasecmp(name, list[i]) == 0)
			return i;
	}
	return 100;
}

/* The most telling name, in `scope` before elsewhere, then the shortest path. */
static const struct pmk_wave_signal *most_telling(const struct wave_vcd *v, const char *const *list,
						  const char *scope)
{
	const struct pmk_wave_signal *best = NULL;
	unsigned least = 200;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];
		unsigned r;

		if (s->kind != PMK_WAVE_BITS || s->width != 1)
			continue;
		r = rank(s->name, list);
		if (r >= 100)
			continue;
		r = 2 * r + (strcmp(s->scope, scope) != 0);
		if (r < least || (r == least && path_length(s) < path_length(best))) {
			best = s;
			least = r;
		}
	}
	return best;
}

/* HRESETn, rst_n, rst_ni: asserted while it is low. */
static bool active_low(const char *name)
{
	size_t n = strlen(name);

	if (n > 1 && tolower((unsigned char)name[n - 1]) == 'i')
		n--;
	return (n && tolower((unsigned char)name[n - 1]) == 'n') ||
	       tolower((unsigned char)name[0]) == 'n';
}

/* ---- writing -------------------------------------------------------------------------------- */

static void write_path(FILE *f, const char *key, const struct pmk_wave_signal *s)
{
	fprintf(f, "%s = %s%s%s\n", key, s->scope, *s->scope ? "." : "", s->name);
}

static void write_layer(FILE *f, const struct layer *l)
{
	fprintf(f, "\n[layer %s]\n", l->name);
	if (*l->role[PMK_AHB_HTRANS]->scope)
		fprintf(f, "scope = %s\n", l->role[PMK_AHB_HTRANS]->scope);
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++) {
		if (l->role[r])
			fprintf(f, "%s = %s\n", role_names[r], l->role[r]->name);
		else
			fprintf(f, "# %s is not there by that name\n", role_names[r]);
	}
}

static void write_map(FILE *f, const struct layers *all, const struct pmk_wave_signal *clock,
		      const struct pmk_wave_signal *reset, const struct pmk_wave_signal *evntbus)
{
	fputs("[clock]\n", f);
	write_path(f, "signal", clock);
	fputs("edge = rising\n", f);
	if (reset) {
		write_path(f, "reset", reset);
		fprintf(f, "reset_active = %s\n", active_low(reset->name) ? "low" : "high");
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct layer *l = &all->layer[i];

		if (l->same)
			fprintf(f, "# the htrans of %s is taken for another end of that of %s\n",
				l->role[PMK_AHB_HTRANS]->scope,
				l->same->role[PMK_AHB_HTRANS]->scope);
		else if (l->slave && all->masters)
			fprintf(f, "# %s.%s is a slave's port\n", l->role[PMK_AHB_HTRANS]->scope,
				l->role[PMK_AHB_HTRANS]->name);
		else
			write_layer(f, l);
	}
	if (evntbus) {
		fputs("\n[evntbus]\ncore = arm1176\n", f);
		write_path(f, "vector", evntbus);
	}
}

static const struct pmk_wave_signal *find_evntbus(const struct wave_vcd *v)
{
	const struct pmk_wave_signal *best = NULL;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];

		if (s->kind == PMK_WAVE_BITS && s->width >= 20 && s->width <= 32 &&
		    strcasestr(s->name, "evntbus") && (!best || path_length(s) < path_length(best)))
			best = s;
	}
	return best;
}

/* The whole of it, or an error. */
static int guess(const struct pmk_wave *w, FILE *f, struct layers *all, struct pmk_wave_error *err)
{
	const struct wave_vcd *v = &w->vcd;
	const struct pmk_wave_signal *clock, *reset, *evntbus = find_evntbus(v);
	const char *scope = evntbus ? evntbus->scope : "";

	if (find_layers(v, all))
		return wave_error(err, PMK_ENOMEM, "%s: out of memory", w->path);
	find_inner_ends(all);
	for (size_t i = 0; i < all->count; i++)
		name_layer(all, i);
	if (all->count)
		scope = all->layer[0].role[PMK_AHB_HTRANS]->scope;
	clock = most_telling(v, clocks, scope);
	reset = most_telling(v, resets, scope);
	if (!all->count && !evntbus)
		return wave_error(err, PMK_ENOTSUP,
				  "%s: no map can be guessed: no names like htrans and hready, or "
				  "EVNTBUS",
				  w->path);
	if (!clock)
		return wave_error(err, PMK_ENOTSUP,
				  "%s: no map can be guessed: no signal of one bit has a name like "
				  "hclk or clk",
				  w->path);
	write_map(f, all, clock, reset, evntbus);
	return 0;
}

int pmk_wave_guess(const struct pmk_wave *w, char **text, struct pmk_wave_error *err)
{
	struct layers all = { .count = 0 };
	size_t size;
	FILE *f;
	int code;

	*err = (struct pmk_wave_error){ .code = 0 };
	*text = NULL;
	f = open_memstream(text, &size);
	if (!f)
		return wave_error(err, PMK_ENOMEM, "%s: out of memory", w->path);
	code = guess(w, f, &all, err);
	free(all.layer);
	free(all.role);
	if (fclose(f) != 0 && !code)
		code = wave_error(err, PMK_ENOMEM, "%s: out of memory", w->path);
	if (code) {
		free(*text);
		*text = NULL;
	}
	return code;
}
