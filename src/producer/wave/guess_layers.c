// SPDX-License-Identifier: MIT
/*
 * Finds layers of AHB and interfaces of AXI: groups the signals, recognises two names of one bus,
 * and names the groups.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/number.h"
#include "producer/wave/guess.h"

static bool read_layer(const struct guess *all, const struct pmk_wave_signal *htrans,
		       struct guess_layer *l)
{
	static const char *const ready[] = { "hready", "hreadyin", "hreadyout" };

	*l = (struct guess_layer){ .key = htrans, .word = "htrans" };
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if (r != PMK_AHB_HREADY)
			l->role[r] =
				pmk_guess_sibling(all, htrans, "htrans", pmk_wave_layer_keys[r]);
	l->role[PMK_AHB_HTRANS] = htrans;
	for (unsigned i = 0; i < 3 && !l->role[PMK_AHB_HREADY]; i++)
		l->role[PMK_AHB_HREADY] = pmk_guess_sibling(all, htrans, "htrans", ready[i]);
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		l->roles += l->role[r] != NULL;
	l->slave = pmk_guess_sibling(all, htrans, "htrans", "hsel") != NULL;
	return l->role[PMK_AHB_HREADY] != NULL;
}

static bool is_better_layer(const struct guess_layer *a, const struct guess_layer *b)
{
	unsigned m = pmk_guess_scope_depth(a->key), n = pmk_guess_scope_depth(b->key);

	if (a->roles != b->roles)
		return a->roles > b->roles;
	if (m != n)
		return m < n;
	return pmk_guess_path_length(a->key) < pmk_guess_path_length(b->key);
}

static bool same_net(const struct guess_layer *a, const struct guess_layer *b, unsigned role)
{
	return a->role[role] && b->role[role] && a->role[role]->net == b->role[role]->net;
}

/* True if `a` and `b` are two names of one bus, judging by their nets. */
static bool same_bus(const struct guess_layer *a, const struct guess_layer *b)
{
	if (a->axi != b->axi)
		return false;
	if (a->axi)
		return (same_net(a, b, PMK_AXI_AWVALID) && same_net(a, b, PMK_AXI_AWREADY)) ||
		       (same_net(a, b, PMK_AXI_ARVALID) && same_net(a, b, PMK_AXI_ARREADY));
	if (same_net(a, b, PMK_AHB_HTRANS))
		return true;
	return strcmp(a->key->scope, b->key->scope) != 0 && same_net(a, b, PMK_AHB_HREADY) &&
	       same_net(a, b, PMK_AHB_HWRITE);
}

/* Adds a layer to the list. If the list has the same bus under another name, only the better name
 * stays. Returns 0 or PMK_ENOMEM. */
static int add_layer(struct guess *all, const struct guess_layer *l)
{
	all->masters = all->masters || (!l->slave && !l->axi);
	for (size_t i = 0; i < all->count; i++) {
		if (!same_bus(&all->layer[i], l))
			continue;
		if (is_better_layer(l, &all->layer[i]))
			all->layer[i] = *l;
		return 0;
	}
	return PMK_APPEND(all->layer, all->count, all->room_layers, *l) ? 0 : PMK_ENOMEM;
}

/*
 * Compares two paths. Numbers are compared by value if `numbers`, otherwise all numbers are equal.
 */
static int compare_paths(const char *a, const char *b, bool numbers)
{
	for (; *a && *b; a++, b++) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			uint64_t m, n;

			pmk_number_read(&a, 10, &m);
			pmk_number_read(&b, 10, &n);
			if (numbers && m != n)
				return m < n ? -1 : 1;
			a--;
			b--;
		} else if (*a != *b) {
			return *a < *b ? -1 : 1;
		}
	}
	return *a ? 1 : *b ? -1 : 0;
}

static int compare_layers(const struct guess_layer *a, const struct guess_layer *b, bool numbers)
{
	const struct pmk_wave_signal *s = a->key, *t = b->key;
	int scopes = compare_paths(s->scope, t->scope, numbers);

	return scopes ? scopes : compare_paths(s->name, t->name, numbers);
}

static int in_order(const void *a, const void *b)
{
	const struct guess_layer *l = a, *m = b;
	int by_number;

	if (l->family != m->family)
		return l->family < m->family ? -1 : 1;
	by_number = compare_layers(l, m, true);
	return by_number ? by_number : l->place < m->place ? -1 : 1;
}

/* Sorts layers whose names differ only in numbers. They follow each other, beginning at the
 * position of the first. */
static void sort_layers(struct guess *all)
{
	for (size_t i = 0; i < all->count; i++) {
		size_t k = 0;

		while (k < i && compare_layers(&all->layer[k], &all->layer[i], false) != 0)
			k++;
		all->layer[i].family = k < i ? all->layer[k].family : i;
		all->layer[i].place = i;
	}
	if (all->count)
		qsort(all->layer, all->count, sizeof(*all->layer), in_order);
}

#define AXI_NAME 24 /* enough for "aw_payload_burst" */

/* Writes "awvalid", or "aw_valid" and so on with an infix. */
static void axi_name(char buf[AXI_NAME], unsigned role, const char *infix)
{
	size_t n = pmk_wave_axi_keys[role][0] == 'a'
			   ? 2
			   : 1; /* length of the channel: aw, ar, w, b, r */

	snprintf(buf, AXI_NAME, "%.*s%s%s", (int)n, pmk_wave_axi_keys[role], infix,
		 pmk_wave_axi_keys[role] + n);
}

/*
 * Returns the signal of a role in the interface with the key `s`, whose name contains `word`. If
 * `word` has a '_', the names of the interface's other signals have one, too.
 */
static const struct pmk_wave_signal *find_axi_role(const struct guess *all,
						   const struct pmk_wave_signal *s,
						   const char *word, unsigned role)
{
	const struct pmk_wave_signal *found = NULL;
	bool blank = strchr(word, '_') != NULL;
	char name[AXI_NAME];

	for (size_t i = blank; !found && i < (blank ? GUESS_NINFIXES : 1); i++) {
		axi_name(name, role, pmk_guess_axi_infixes[i]);
		found = strcasecmp(name, word) == 0 ? s : pmk_guess_sibling(all, s, word, name);
	}
	return found;
}

/* Reads the interface with the key `s`, whose name contains `word`. */
static bool read_axi(const struct guess *all, const struct pmk_wave_signal *s, const char *word,
		     struct guess_layer *l)
{
	uint32_t roles = 0;

	*l = (struct guess_layer){ .key = s, .word = word, .axi = true };
	for (unsigned r = 0; r < PMK_AXI_NROLES; r++) {
		l->role[r] = find_axi_role(all, s, word, r);
		if (l->role[r] && l->role[r]->width > pmk_wave_widths(PMK_WAVE_AXI, r).most)
			l->role[r] = NULL;
		l->roles += l->role[r] != NULL;
		roles |= l->role[r] ? PMK_AXI_ROLE(r) : 0;
	}
	return (roles & PMK_AXI_READS) == PMK_AXI_READS ||
	       (roles & PMK_AXI_WRITES) == PMK_AXI_WRITES;
}

/* Finds an interface by its AWVALID, or by its ARVALID if it has no AWVALID. */
static bool find_axi(const struct guess *all, const struct pmk_wave_signal *s,
		     struct guess_layer *l)
{
	static const char *const words[] = { "awvalid", "aw_valid", "arvalid", "ar_valid" };

	for (unsigned i = 0; i < 4 && s->width == 1; i++)
		if (strcasestr(s->name, words[i]))
			return !(i >= 2 && pmk_guess_sibling(all, s, words[i], words[i - 2])) &&
			       read_axi(all, s, words[i], l);
	return false;
}

static int read_layers(struct guess *all)
{
	struct guess_layer l;
	int err = 0;

	for (size_t i = 0; i < all->nroles && !err; i++) {
		const struct pmk_wave_signal *s = all->role[i];

		if (s->width == 2 && strcasestr(s->name, "htrans") && read_layer(all, s, &l))
			err = add_layer(all, &l);
		else if (find_axi(all, s, &l))
			err = add_layer(all, &l);
	}
	return err;
}

/* True if `in` is a module inside the module of `out` and has the same names. */
static bool is_inside(const struct guess_layer *in, const struct guess_layer *out)
{
	const struct pmk_wave_signal *a = in->key, *b = out->key;
	size_t n = strlen(b->scope);

	return in->axi == out->axi && strcasecmp(a->name, b->name) == 0 &&
	       in->roles <= out->roles && strncmp(a->scope, b->scope, n) == 0 && a->scope[n] == '.';
}

/* True if `in` is a slave's end of the bus `out`: it has no hwrite, but its hready is on the same
 * net. */
static bool is_slave_end(const struct guess_layer *in, const struct guess_layer *out)
{
	return !in->axi && !out->axi && !in->role[PMK_AHB_HWRITE] && out->role[PMK_AHB_HWRITE] &&
	       strcmp(in->key->scope, out->key->scope) != 0 && same_net(in, out, PMK_AHB_HREADY);
}

static void find_inner_ends(struct guess *all)
{
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; k < all->count; k++)
			if (is_inside(&all->layer[i], &all->layer[k]) ||
			    is_slave_end(&all->layer[i], &all->layer[k]))
				all->layer[i].same = &all->layer[k];
}

/* True if `text`, the end of a name, is only the direction of a port. */
static bool is_direction(const char *text)
{
	static const char *const words[] = { "_o", "_i", "_out", "_in" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(words[i], text) == 0)
			return true;
	return false;
}

/*
 * Returns the end of a path, from the last scope on that has an index, as generated scopes have:
 * "lane[2].m" of tb.lane[2].m. If no scope has an index, returns the last scope.
 */
static const char *telling_scope(const char *path)
{
	const char *bracket = strrchr(path, '['), *dot;

	for (dot = bracket ? bracket : path + strlen(path); dot > path && dot[-1] != '.';)
		dot--;
	return dot;
}

/*
 * Names a layer by the text before and after htrans or awvalid. If there is no such text, or if a
 * scope has an index, the name begins with what telling_scope() returns. Only letters, digits and
 * single '_' are kept.
 */
static void name_layer(struct guess *all, size_t n)
{
	struct guess_layer *l = &all->layer[n];
	const struct pmk_wave_signal *s = l->key;
	const char *at = strcasestr(s->name, l->word), *rest = at + strlen(l->word);
	const char *scope = telling_scope(s->scope);
	char text[256];
	size_t used = 0;

	snprintf(text, sizeof(text), "%.*s%s", (int)(at - s->name), s->name,
		 is_direction(rest) ? "" : rest);
	if (!*text || strchr(scope, '[') || *text == '[')
		snprintf(text, sizeof(text), "%s%s%.*s%s", scope, at > s->name ? "_" : "",
			 (int)(at - s->name), s->name, is_direction(rest) ? "" : rest);
	for (const char *c = text; *c && used < sizeof(l->name) - 8; c++) {
		char one = *c == '.' ? '_' : (char)tolower((unsigned char)*c);

		if (isalnum((unsigned char)one) || (one == '_' && used && l->name[used - 1] != '_'))
			l->name[used++] = one;
	}
	while (used && l->name[used - 1] == '_')
		used--;
	snprintf(l->name + used, sizeof(l->name) - used, "%s", used ? "" : "bus");
	for (size_t i = 0; i < n; i++)
		if (strcmp(all->layer[i].name, l->name) == 0)
			snprintf(l->name + used, sizeof(l->name) - used, "%zu", n);
}

int pmk_guess_find_layers(struct guess *all)
{
	int err = read_layers(all);

	sort_layers(all);
	find_inner_ends(all);
	for (size_t i = 0; i < all->count; i++)
		name_layer(all, i);
	return err;
}

bool pmk_guess_is_written(const struct guess *all, const struct guess_layer *l)
{
	return !l->same && !(l->slave && all->masters);
}
