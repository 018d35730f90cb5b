// SPDX-License-Identifier: MIT
/*
 * Makes a map from the names of signals. A layer is a group of signals with an htrans of two bits
 * and an hready in the same scope, whatever comes before and after these words: htrans, M0_HTRANS,
 * htrans_o with hready_i. If one htrans has several names, the name with the most roles wins, then
 * the outermost one, then the shortest path. Some simulators use two nets for the two ends of a
 * vector port but one net for a port of one bit. So groups that share hwrite and hready are one
 * layer, too; masters of one bus share only hready. Layers whose names differ only in numbers are
 * sorted by these numbers; the others keep the order of the dump. Some groups are not layers of
 * their own; the map has them as comments:
 *
 *  - A module inside another one that has an htrans of the same name and as many roles or more:
 *    simulators may use two nets for the two ends of a port. Also a module without hwrite whose
 *    hready is that of a module with hwrite.
 *  - Ports of slaves, recognised by their hsel, if there are other ports: their traffic is the
 *    traffic of a master.
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
 * A GXI is two states of two bits, address_state and data_state, on a path with gxi or mbx in it,
 * because many other state machines have signals with these words in their names. If there are
 * none, the states are taken from the pins of an AHB Monitor. The handshake signals of AXI are not
 * such states.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmk/ahb.h>
#include <pmk/ahbmon.h>
#include <pmk/axi.h>

#include "base/number.h"
#include "base/printable.h"
#include "producer/wave/wave.h"

static const char *const role_names[PMK_AHB_NROLES] = {
	[PMK_AHB_HTRANS] = "htrans", [PMK_AHB_HADDR] = "haddr",	  [PMK_AHB_HWRITE] = "hwrite",
	[PMK_AHB_HSIZE] = "hsize",   [PMK_AHB_HBURST] = "hburst", [PMK_AHB_HPROT] = "hprot",
	[PMK_AHB_HREADY] = "hready", [PMK_AHB_HRESP] = "hresp",
};

static const char *const axi_names[PMK_AXI_NROLES] = {
#define X(role, name) [PMK_AXI_##role] = #name,
	PMK_AXI_ROLES(X)
#undef X
};

#define NGXI (PMK_WAVE_GXI_IS_WRITE + 1)

/* The keys of [gxi], and the names of their signals. */
static const char *const gxi_keys[NGXI] = {
	[PMK_WAVE_GXI_ADDRESS] = "address_state",
	[PMK_WAVE_GXI_DATA] = "data_state",
	[PMK_WAVE_GXI_ADDR] = "address",
	[PMK_WAVE_GXI_IS_WRITE] = "write",
};
static const char *const gxi_names[NGXI][5] = {
	[PMK_WAVE_GXI_ADDRESS] = { "address_state", "addr_state", "addressstate", "addrstate" },
	[PMK_WAVE_GXI_DATA] = { "data_state", "datastate", "read_data_state", "rdata_state" },
	[PMK_WAVE_GXI_ADDR] = { "address", "addr" },
	[PMK_WAVE_GXI_IS_WRITE] = { "write", "is_write", "wr" },
};
/* The largest width of each; the width of a state must be equal. */
static const uint32_t gxi_bits[NGXI] = {
	[PMK_WAVE_GXI_ADDRESS] = 2,
	[PMK_WAVE_GXI_DATA] = 2,
	[PMK_WAVE_GXI_ADDR] = 64,
	[PMK_WAVE_GXI_IS_WRITE] = 1,
};

#define NAME_BYTES 48

#define MOST_ROLES PMK_AXI_NROLES /* more than AHB has */

/* A layer of AHB, or an AXI interface. */
struct layer {
	const struct pmk_wave_signal *role[MOST_ROLES]; /* enum pmk_ahb_role, or pmk_axi_role */
	/* the signal that identifies the layer: htrans, awvalid … */
	const struct pmk_wave_signal *key;
	const char *word; /* the part of the name that matched */
	bool axi;
	unsigned roles;
	bool slave;
	const struct layer *same; /* the outer layer if this is the inner end of its port */
	/*
	 * Position in the dump, and the position of the first layer whose name differs only in
	 * numbers.
	 */
	size_t place, family;
	char name[NAME_BYTES];
};

struct gxi {
	const struct pmk_wave_signal *role[NGXI];
	unsigned roles; /* 0: there is no GXI */
};

struct layers {
	/*
	 * Signals whose name contains the name of a role. A dump has a thousand times as many
	 * signals, so searches use this list.
	 */
	const struct pmk_wave_signal **role;
	size_t nroles;
	struct layer *layer;
	size_t count;
	bool masters; /* at least one layer is not a slave's port */
	struct gxi gxi;
	const struct pmk_wave_signal *pins; /* AHBMONITOR */
};

static size_t path_length(const struct pmk_wave_signal *s)
{
	return strlen(s->scope) + strlen(s->name);
}

/* ---- layers --------------------------------------------------------------------------------- */

static bool on_gxi(const struct pmk_wave_signal *s)
{
	return strcasestr(s->name, "gxi") || strcasestr(s->name, "mbx") ||
	       strcasestr(s->scope, "gxi") || strcasestr(s->scope, "mbx");
}

/* Possible text between the channel and the rest of an AXI name. */
static const char *const axi_infixes[] = { "", "_", "_bits_", "_payload_" };

#define NINFIXES (sizeof(axi_infixes) / sizeof(axi_infixes[0]))

/* Returns the length of the name in `names` that `at` starts with; 0 if none matches. */
static size_t any_length(const char *at, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncasecmp(at, names[i], strlen(names[i])) == 0)
			return strlen(names[i]);
	return 0;
}

/* True if an AXI name starts at this place. */
static bool is_axi_name(const char *at)
{
	static const char *const fields[] = { "valid", "ready", "last",	 "resp", "len", "id",
					      "addr",  "size",	"burst", "data", "strb" };
	static const char *const names[] = { "aw", "ar", "w", "b", "r" };

	size_t n = any_length(at, names, sizeof(names) / sizeof(names[0]));

	for (size_t i = 0; n && i < NINFIXES; i++) {
		size_t infix = strlen(axi_infixes[i]);

		if (strncasecmp(at + n, axi_infixes[i], infix) == 0 &&
		    any_length(at + n + infix, fields, sizeof(fields) / sizeof(fields[0])))
			return true;
	}
	return false;
}

static bool has_axi_role(const struct pmk_wave_signal *s)
{
	for (const char *at = s->name; *at; at++)
		if (is_axi_name(at))
			return true;
	return false;
}

static bool has_ahb_role(const struct pmk_wave_signal *s)
{
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if (strcasestr(s->name, role_names[r]))
			return true;
	return false;
}

static bool has_role(const struct pmk_wave_signal *s)
{
	if (has_ahb_role(s) || has_axi_role(s))
		return true;
	if (strcasestr(s->name, "hsel"))
		return true;
	for (unsigned r = 0; r < NGXI && on_gxi(s); r++)
		for (unsigned i = 0; gxi_names[r][i]; i++)
			if (strcasestr(s->name, gxi_names[r][i]))
				return true;
	return false;
}

/* Returns 0 or PMK_ENOMEM. */
static int find_roles(const struct wave_dump *v, struct layers *all)
{
	all->role = calloc(v->nsignals + 1, sizeof(*all->role));
	for (size_t i = 0; all->role && i < v->nsignals; i++)
		if (v->signal[i].kind == PMK_WAVE_BITS && has_role(&v->signal[i]))
			all->role[all->nroles++] = &v->signal[i];
	return all->role ? 0 : PMK_ENOMEM;
}

/*
 * Returns the signal in the scope of `to` whose name is the same, with `role` in the place of
 * `word`. A final letter for the direction, i or o, may differ.
 */
static const struct pmk_wave_signal *find_sibling(const struct layers *all,
						  const struct pmk_wave_signal *to,
						  const char *word, const char *role)
{
	const char *at = strcasestr(to->name, word), *rest = at + strlen(word);
	size_t before = (size_t)(at - to->name), n = strlen(role), tail = strlen(rest);
	char last = (char)(tail ? tolower((unsigned char)rest[tail - 1]) : 0);
	const struct pmk_wave_signal *turned = NULL;

	for (size_t i = 0; i < all->nroles; i++) {
		const struct pmk_wave_signal *s = all->role[i];
		const char *end;

		if (strlen(s->name) != before + n + tail ||
		    strncmp(s->name, to->name, before) != 0 ||
		    strncasecmp(s->name + before, role, n) != 0 || strcmp(s->scope, to->scope) != 0)
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

	*l = (struct layer){ .key = htrans, .word = "htrans" };
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if (r != PMK_AHB_HREADY)
			l->role[r] = find_sibling(all, htrans, "htrans", role_names[r]);
	l->role[PMK_AHB_HTRANS] = htrans;
	for (unsigned i = 0; i < 3 && !l->role[PMK_AHB_HREADY]; i++)
		l->role[PMK_AHB_HREADY] = find_sibling(all, htrans, "htrans", ready[i]);
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		l->roles += l->role[r] != NULL;
	l->slave = find_sibling(all, htrans, "htrans", "hsel") != NULL;
	return l->role[PMK_AHB_HREADY] != NULL;
}

static unsigned scope_depth(const struct pmk_wave_signal *s)
{
	unsigned n = 0;

	for (const char *c = s->scope; *c; c++)
		n += *c == '.';
	return n;
}

static bool is_better_layer(const struct layer *a, const struct layer *b)
{
	unsigned m = scope_depth(a->key), n = scope_depth(b->key);

	if (a->roles != b->roles)
		return a->roles > b->roles;
	if (m != n)
		return m < n;
	return path_length(a->key) < path_length(b->key);
}

static bool same_net(const struct layer *a, const struct layer *b, unsigned role)
{
	return a->role[role] && b->role[role] && a->role[role]->net == b->role[role]->net;
}

/* True if these are two names of one bus, judging by their nets. */
static bool same_bus(const struct layer *a, const struct layer *b)
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

/* Returns 0 or PMK_ENOMEM. */
static int add_layer(struct layers *all, const struct layer *l)
{
	struct layer *bigger;

	all->masters = all->masters || (!l->slave && !l->axi);
	for (size_t i = 0; i < all->count; i++) {
		if (!same_bus(&all->layer[i], l))
			continue;
		if (is_better_layer(l, &all->layer[i]))
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

static int compare_layers(const struct layer *a, const struct layer *b, bool numbers)
{
	const struct pmk_wave_signal *s = a->key, *t = b->key;
	int scopes = compare_paths(s->scope, t->scope, numbers);

	return scopes ? scopes : compare_paths(s->name, t->name, numbers);
}

static int in_order(const void *a, const void *b)
{
	const struct layer *l = a, *m = b;
	int by_number;

	if (l->family != m->family)
		return l->family < m->family ? -1 : 1;
	by_number = compare_layers(l, m, true);
	return by_number ? by_number : l->place < m->place ? -1 : 1;
}

/* Sorts layers that differ only in numbers, from the position of the first of them. */
static void sort_layers(struct layers *all)
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
	size_t n = axi_names[role][0] == 'a' ? 2 : 1; /* length of the channel: aw, ar, w, b, r */

	snprintf(buf, AXI_NAME, "%.*s%s%s", (int)n, axi_names[role], infix, axi_names[role] + n);
}

/*
 * Returns the signal of a role in the interface with the key `s`, in which `word` matched. If
 * `word` has a '_', the other names have one, too.
 */
static const struct pmk_wave_signal *find_axi_role(const struct layers *all,
						   const struct pmk_wave_signal *s,
						   const char *word, unsigned role)
{
	const struct pmk_wave_signal *found = NULL;
	bool blank = strchr(word, '_') != NULL;
	char name[AXI_NAME];

	for (size_t i = blank; !found && i < (blank ? NINFIXES : 1); i++) {
		axi_name(name, role, axi_infixes[i]);
		found = strcasecmp(name, word) == 0 ? s : find_sibling(all, s, word, name);
	}
	return found;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), more = strlen(end);

	return n >= more && strcmp(name + n - more, end) == 0;
}

/* Returns the largest width of a role's signal. */
static uint32_t axi_bits(unsigned role)
{
	static const struct {
		const char *end;
		uint32_t bits;
	} widths[] = { { "len", 8 }, { "resp", 2 },  { "burst", 2 }, { "size", 3 },
		       { "id", 64 }, { "addr", 64 }, { "data", 64 }, { "strb", 64 } };

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (ends_in(axi_names[role], widths[i].end))
			return widths[i].bits;
	return 1;
}

/* Reads the interface with the key `s`, in which `word` matched. */
static bool read_axi(const struct layers *all, const struct pmk_wave_signal *s, const char *word,
		     struct layer *l)
{
	uint32_t roles = 0;

	*l = (struct layer){ .key = s, .word = word, .axi = true };
	for (unsigned r = 0; r < PMK_AXI_NROLES; r++) {
		l->role[r] = find_axi_role(all, s, word, r);
		if (l->role[r] && l->role[r]->width > axi_bits(r))
			l->role[r] = NULL;
		l->roles += l->role[r] != NULL;
		roles |= l->role[r] ? PMK_AXI_ROLE(r) : 0;
	}
	return (roles & PMK_AXI_READS) == PMK_AXI_READS ||
	       (roles & PMK_AXI_WRITES) == PMK_AXI_WRITES;
}

/* Finds an interface by its AWVALID, or by its ARVALID if it has no AWVALID. */
static bool find_axi(const struct layers *all, const struct pmk_wave_signal *s, struct layer *l)
{
	static const char *const words[] = { "awvalid", "aw_valid", "arvalid", "ar_valid" };

	for (unsigned i = 0; i < 4 && s->width == 1; i++)
		if (strcasestr(s->name, words[i]))
			return !(i >= 2 && find_sibling(all, s, words[i], words[i - 2])) &&
			       read_axi(all, s, words[i], l);
	return false;
}

static int find_layers(const struct wave_dump *v, struct layers *all)
{
	struct layer l;
	int err = find_roles(v, all);

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
static bool is_inside(const struct layer *in, const struct layer *out)
{
	const struct pmk_wave_signal *a = in->key, *b = out->key;
	size_t n = strlen(b->scope);

	return in->axi == out->axi && strcasecmp(a->name, b->name) == 0 &&
	       in->roles <= out->roles && strncmp(a->scope, b->scope, n) == 0 && a->scope[n] == '.';
}

/* True if `in` is a slave's end of `out`, without hwrite. */
static bool is_slave_end(const struct layer *in, const struct layer *out)
{
	return !in->axi && !out->axi && !in->role[PMK_AHB_HWRITE] && out->role[PMK_AHB_HWRITE] &&
	       strcmp(in->key->scope, out->key->scope) != 0 && same_net(in, out, PMK_AHB_HREADY);
}

static void find_inner_ends(struct layers *all)
{
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; k < all->count; k++)
			if (is_inside(&all->layer[i], &all->layer[k]) ||
			    is_slave_end(&all->layer[i], &all->layer[k]))
				all->layer[i].same = &all->layer[k];
}

/* True if this end of a name is only the direction of a port. */
static bool is_direction(const char *text)
{
	static const char *const words[] = { "_o", "_i", "_out", "_in" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(words[i], text) == 0)
			return true;
	return false;
}

/*
 * Returns the last scope of a path that has an index, as generated scopes have: "lane[2]" of
 * tb.lane[2].m. Without one, returns the last scope.
 */
static const char *telling_scope(const char *path)
{
	const char *bracket = strrchr(path, '['), *dot;

	for (dot = bracket ? bracket : path + strlen(path); dot > path && dot[-1] != '.';)
		dot--;
	return dot;
}

/*
 * Names a layer: the text before and after htrans or awvalid, or else the last scope names, from
 * one with an index on. Only letters, digits and single '_' are kept.
 */
static void name_layer(struct layers *all, size_t n)
{
	struct layer *l = &all->layer[n];
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

/* ---- GXI ------------------------------------------------------------------------------------ */

/* Reads a GXI if this is the state of an address channel that has a data channel next to it. */
static bool read_gxi(const struct layers *all, const struct pmk_wave_signal *s, struct gxi *g)
{
	const char *word = NULL;

	*g = (struct gxi){ .role[PMK_WAVE_GXI_ADDRESS] = s, .roles = 1 };
	for (unsigned i = 0; gxi_names[PMK_WAVE_GXI_ADDRESS][i] && !word; i++)
		if (strcasestr(s->name, gxi_names[PMK_WAVE_GXI_ADDRESS][i]))
			word = gxi_names[PMK_WAVE_GXI_ADDRESS][i];
	if (!word || s->width != 2 || !on_gxi(s))
		return false;
	for (unsigned r = PMK_WAVE_GXI_ADDRESS + 1; r < NGXI; r++) {
		for (unsigned i = 0; gxi_names[r][i] && !g->role[r]; i++)
			g->role[r] = find_sibling(all, s, word, gxi_names[r][i]);
		if (g->role[r] && g->role[r]->width > gxi_bits[r])
			g->role[r] = NULL;
		g->roles += g->role[r] != NULL;
	}
	return g->role[PMK_WAVE_GXI_DATA] && g->role[PMK_WAVE_GXI_DATA]->width == 2;
}

/* Chooses the GXI with the most roles, then the shortest path. */
static void find_gxi(struct layers *all)
{
	struct gxi *best = &all->gxi, g;

	for (size_t i = 0; i < all->nroles; i++) {
		if (!read_gxi(all, all->role[i], &g) || g.roles < best->roles)
			continue;
		if (g.roles > best->roles || path_length(g.role[PMK_WAVE_GXI_ADDRESS]) <
						     path_length(best->role[PMK_WAVE_GXI_ADDRESS]))
			*best = g;
	}
}

/* AHBMONITOR[33:0], or without the copy of the clock [32:0]: DDI 0287B §4.2.1. */
static const struct pmk_wave_signal *find_pins(const struct wave_dump *v)
{
	const struct pmk_wave_signal *best = NULL;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];

		if (s->kind == PMK_WAVE_BITS && (s->msb == 33 || s->msb == 32) && s->lsb == 0 &&
		    strcasestr(s->name, "ahbmonitor") &&
		    (!best || path_length(s) < path_length(best)))
			best = s;
	}
	return best;
}

/* ---- vectors that were dumped bit by bit --------------------------------------------------- */

/* A signal of one bit, and its position in the dump. */
struct bit {
	const struct pmk_wave_signal *signal;
	size_t place;
};

/* True for names that a map may need: a dump has a thousand times as many signals. */
static bool may_be_bit(const struct pmk_wave_signal *s)
{
	return s->kind == PMK_WAVE_BITS && s->width == 1 && !s->parameter &&
	       (has_role(s) || strcasestr(s->name, "ahbmonitor") || strcasestr(s->name, "evntbus"));
}

static int by_vector(const void *a, const void *b)
{
	const struct bit *x = a, *y = b;
	int order = strcmp(x->signal->scope, y->signal->scope);

	if (!order)
		order = strcmp(x->signal->name, y->signal->name);
	if (!order && x->signal->msb != y->signal->msb)
		order = x->signal->msb < y->signal->msb ? -1 : 1;
	return order;
}

static bool same_name(const struct bit *a, const struct bit *b)
{
	return strcmp(a->signal->scope, b->signal->scope) == 0 &&
	       strcmp(a->signal->name, b->signal->name) == 0;
}

/*
 * Joins n sorted bits of one name: the vector replaces its first bit in the dump, and the other
 * bits get width 0. Missing or duplicate bits make no vector.
 */
static void join_bits(struct pmk_wave_signal *list, const struct bit *bit, size_t n)
{
	size_t first = bit[0].place;

	for (size_t i = 1; i < n; i++) {
		if (bit[i].signal->msb != bit[0].signal->msb + (int32_t)i)
			return;
		first = bit[i].place < first ? bit[i].place : first;
	}
	for (size_t i = 0; i < n; i++)
		list[bit[i].place].width = 0;
	list[first] = *bit[0].signal;
	list[first].width = (uint32_t)n;
	list[first].msb = bit[n - 1].signal->msb;
}

static size_t without_empty(struct pmk_wave_signal *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i].width || list[i].kind != PMK_WAVE_BITS)
			list[kept++] = list[i];
	return kept;
}

/* True if a map can have this name: it is text without control characters. */
static bool is_plain(const char *name)
{
	size_t n = strlen(name), length = 1;

	for (size_t i = 0; i < n && length; i += length)
		length = pmk_printable_length((const uint8_t *)name + i, n - i);
	return length != 0;
}

/*
 * Returns the signals of a dump with vectors joined, without parameters, which never change, and
 * without odd names. The caller frees the list. NULL: no memory.
 */
static struct pmk_wave_signal *joined_signals(const struct wave_dump *v, size_t *n)
{
	struct pmk_wave_signal *list = calloc(v->nsignals + 1, sizeof(*list));
	struct bit *bit = calloc(v->nsignals + 1, sizeof(*bit));
	size_t nbits = 0;

	for (size_t i = 0; list && bit && i < v->nsignals; i++) {
		list[i] = v->signal[i];
		if (v->signal[i].parameter || !is_plain(v->signal[i].name) ||
		    !is_plain(v->signal[i].scope))
			list[i].width = 0;
		if (may_be_bit(&v->signal[i]))
			bit[nbits++] = (struct bit){ &v->signal[i], i };
	}
	if (nbits)
		qsort(bit, nbits, sizeof(*bit), by_vector);
	for (size_t i = 0, k; i < nbits; i = k) {
		for (k = i + 1; k < nbits && same_name(&bit[i], &bit[k]);)
			k++;
		if (k - i > 1)
			join_bits(list, &bit[i], k - i);
	}
	*n = list ? without_empty(list, v->nsignals) : 0;
	if (!bit) {
		free(list);
		list = NULL;
	}
	free(bit);
	return list;
}

/* ---- clock and reset ------------------------------------------------------------------------ */

/* Names, the most typical first; a trailing '*' stands for any text on both sides. */
static const char *const clocks[] = { "hclk",  "hclk*", "aclk",	  "clk", "clock",
				      "clk_i", "clk*",	"clock*", NULL };
static const char *const resets[] = { "hresetn", "hreset*", "aresetn", "resetn", "reset_n", "rst_n",
				      "rstn",	 "nreset",  "reset*",  "rst*",	 NULL };

/* True if `at` is in a word that happens to contain the letters of a reset. */
static bool is_in_other_word(const char *name, const char *at)
{
	/* words that contain "rst" */
	static const char *const words[] = { "burst", "first", "worst" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (at - name >= 2 && strncasecmp(at - 2, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static bool has_part(const char *name, const char *part)
{
	for (const char *at = name; (at = strcasestr(at, part)); at++)
		if (!is_in_other_word(name, at))
			return true;
	return false;
}

static unsigned name_rank(const char *name, const char *const *list)
{
	for (unsigned i = 0; list[i]; i++) {
		char part[16];
		size_t n = strlen(list[i]) - 1;

		snprintf(part, sizeof(part), "%.*s", (int)n, list[i]);
		if (list[i][n] == '*' ? has_part(name, part) : strcasecmp(name, list[i]) == 0)
			return i;
	}
	return 100;
}

/* Returns the most typical name: one in `scope` first, then the shortest path. */
static const struct pmk_wave_signal *most_telling(const struct wave_dump *v,
						  const char *const *list, const char *scope)
{
	const struct pmk_wave_signal *best = NULL;
	unsigned least = 200;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];
		unsigned r;

		if (s->kind != PMK_WAVE_BITS || s->width != 1 || has_ahb_role(s))
			continue;
		r = name_rank(s->name, list);
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

/* True if `scope` is `outer` or within it. */
static bool is_in(const char *scope, const char *outer)
{
	size_t n = strlen(outer);

	return !n || (strncmp(scope, outer, n) == 0 && (!scope[n] || scope[n] == '.'));
}

/* A word of a name, delimited by '_'. */
struct word {
	const char *at;
	size_t n;
};

/*
 * Returns the first word at *at, and moves *at to its end. At the end of a name, returns an empty
 * word.
 */
static struct word next_word(const char **at)
{
	struct word w = { .at = *at + strspn(*at, "_") };

	w.n = strcspn(w.at, "_");
	*at = w.at + w.n;
	return w;
}

static bool has_word(const char *name, const struct word *word)
{
	for (struct word w = next_word(&name); w.n; w = next_word(&name))
		if (w.n == word->n && strncasecmp(w.at, word->at, w.n) == 0)
			return true;
	return false;
}

/* True for aclk, hclk, clock … */
static bool is_clock_word(const struct word *w)
{
	return (w->n >= 3 && strncasecmp(w->at + w->n - 3, "clk", 3) == 0) ||
	       (w->n >= 5 && strncasecmp(w->at + w->n - 5, "clock", 5) == 0);
}

static bool is_direction_word(const struct word *w)
{
	return w->n == 1 &&
	       (tolower((unsigned char)*w->at) == 'i' || tolower((unsigned char)*w->at) == 'o');
}

/* The number of words that a clock's name shares with a layer: m_axi_aclk and m_axi_awvalid share
 * two. 0: the clock is not named after the layer, because it has a word that the layer lacks. */
static unsigned shared_words(const char *name, const struct layer *l)
{
	const char *dot = strrchr(l->key->scope, '.');
	const char *scope = dot ? dot + 1 : l->key->scope;
	bool is_clock = false;
	unsigned n = 0;

	for (struct word w = next_word(&name); w.n; w = next_word(&name)) {
		if (is_clock_word(&w))
			is_clock = true;
		else if (has_word(l->key->name, &w) || has_word(scope, &w))
			n++;
		else if (!is_direction_word(&w))
			return 0;
	}
	return is_clock ? n : 0;
}

/*
 * Returns the clock that is named after a layer, in its scope or one around it: the one that shares
 * the most words, then the innermost. NULL: there is none.
 */
static const struct pmk_wave_signal *clock_named_after(const struct wave_dump *v,
						       const struct layer *l)
{
	const struct pmk_wave_signal *best = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];
		unsigned n;

		if (s->kind != PMK_WAVE_BITS || s->width != 1 || !is_in(l->key->scope, s->scope))
			continue;
		n = shared_words(s->name, l);
		if (n > most || (n && n == most && scope_depth(s) > scope_depth(best))) {
			best = s;
			most = n;
		}
	}
	return best;
}

/* Returns the layer's own clock if it is not on the net of the map's clock, or NULL. */
static const struct pmk_wave_signal *clock_of(const struct wave_dump *v, const struct layer *l,
					      const struct pmk_wave_signal *clock)
{
	const struct pmk_wave_signal *named = clock_named_after(v, l), *usual;

	if (named)
		return named->net == clock->net ? NULL : named;
	/* The map's clock may be named after another layer in this scope. */
	usual = most_telling(v, clocks, l->key->scope);
	if (strcmp(clock->scope, l->key->scope) == 0 && strcmp(usual->scope, clock->scope) == 0 &&
	    name_rank(usual->name, clocks) < name_rank(clock->name, clocks))
		return usual->net == clock->net ? NULL : usual;
	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];

		if (s->kind == PMK_WAVE_BITS && s->width == 1 &&
		    strcasecmp(s->name, clock->name) == 0 && strcmp(s->scope, l->key->scope) == 0)
			return s->net == clock->net ? NULL : s;
	}
	return NULL;
}

/*
 * True if the layer's own clock has the name of the map's clock, and a net of this name in a scope
 * around both may drive both.
 */
static bool may_share_clock(const struct wave_dump *v, const struct layer *l,
			    const struct pmk_wave_signal *own, const struct pmk_wave_signal *clock)
{
	const char *scope = l->key->scope;

	for (size_t i = 0; i < v->nsignals && strcasecmp(own->name, clock->name) == 0; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];

		if (s->width == 1 && strcasecmp(s->name, clock->name) == 0 &&
		    strcmp(s->scope, scope) != 0 && is_in(scope, s->scope) &&
		    is_in(clock->scope, s->scope))
			return true;
	}
	return false;
}

/* True for names like HRESETn, rst_n, rst_ni: such a reset is active low. */
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

/*
 * `own`: a clock in the layer's scope that may differ from the map's, or NULL. `mark` starts every
 * line: "# " makes the section a comment.
 */
static void write_layer(FILE *f, const struct layer *l, const struct pmk_wave_signal *own,
			const char *mark)
{
	const char *const *names = l->axi ? axi_names : role_names;

	fprintf(f, "%s%s[%s %s]\n", *mark ? "" : "\n", mark, l->axi ? "axi" : "layer", l->name);
	if (own)
		fprintf(f,
			"# %s.%s is a net of its own: where it is another clock, this %s wants a "
			"map and a run of its own\n",
			own->scope, own->name, l->axi ? "interface" : "layer");
	if (*l->key->scope)
		fprintf(f, "%sscope = %s\n", mark, l->key->scope);
	for (unsigned r = 0; r < (l->axi ? PMK_AXI_NROLES : PMK_AHB_NROLES); r++) {
		if (l->role[r])
			fprintf(f, "%s%s = %s\n", mark, names[r], l->role[r]->name);
		else if (!*mark)
			fprintf(f, "# %s is not there by that name\n", names[r]);
	}
}

static void write_gxi(FILE *f, const struct layers *all)
{
	const struct pmk_wave_signal *state = all->gxi.role[PMK_WAVE_GXI_ADDRESS];
	size_t n = strlen(state->scope);
	struct gxi g;

	fputs("\n[gxi]\n", f);
	for (unsigned r = 0; r < NGXI; r++) {
		if (all->gxi.role[r])
			write_path(f, gxi_keys[r], all->gxi.role[r]);
		else
			fprintf(f, "# %s is not there by that name\n", gxi_keys[r]);
	}
	for (size_t i = 0; i < all->nroles; i++) {
		const struct pmk_wave_signal *s = all->role[i];

		if (!read_gxi(all, s, &g) || s->net == state->net)
			continue;
		if (strncmp(s->scope, state->scope, n) == 0 && s->scope[n] == '.')
			fprintf(f, "# the GXI of %s is probably another end of the one of %s\n",
				s->scope, state->scope);
		else
			fprintf(f, "# %s.%s is left out: a map has one GXI\n", s->scope, s->name);
	}
}

/* DDI 0287B Tables 4-5 and 4-4 */
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

/* Writes the layer as a comment, because it needs a map of its own. */
static void write_other_clock(FILE *f, const struct layer *l, const struct pmk_wave_signal *own)
{
	const char *dot = *own->scope ? "." : "";

	fprintf(f,
		"\n# the %s of %s is left out: its clock is %s%s%s, and a map has one\n"
		"# These lines, without their '# ', instead of the other sections, make a map for "
		"it:\n# [clock]\n# signal = %s%s%s\n",
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
 * Without its core the section is incomplete, so it is written as a comment, unless it is the only
 * section.
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

static bool is_written(const struct layers *all, const struct layer *l)
{
	return !l->same && !(l->slave && all->masters);
}

static void write_map(FILE *f, const struct wave_dump *v, const struct layers *all,
		      const struct pmk_wave_signal *clock, const struct pmk_wave_signal *reset,
		      const struct pmk_wave_signal *evntbus)
{
	bool monitors = false;

	fputs("[clock]\n", f);
	write_path(f, "signal", clock);
	fputs("edge = rising\n", f);
	if (reset) {
		write_path(f, "reset", reset);
		fprintf(f, "reset_active = %s\n", active_low(reset->name) ? "low" : "high");
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct layer *l = &all->layer[i];
		const struct pmk_wave_signal *own = clock_of(v, l, clock);

		if (own && is_written(all, l) && !may_share_clock(v, l, own, clock))
			write_other_clock(f, l, own);
		else if (l->same)
			fprintf(f, "# the %s of %s is probably another end of the one of %s\n",
				l->word, l->key->scope, l->same->key->scope);
		else if (!is_written(all, l))
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

static const struct pmk_wave_signal *find_evntbus(const struct wave_dump *v)
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

/* The clock that is named after the first layer of the map, or NULL. */
static const struct pmk_wave_signal *clock_of_first(const struct wave_dump *v,
						    const struct layers *all)
{
	size_t i = 0;

	while (i < all->count && !is_written(all, &all->layer[i]))
		i++;
	return i < all->count ? clock_named_after(v, &all->layer[i]) : NULL;
}

/* Writes the whole map, or returns an error. */
static int guess_map(const struct pmk_wave *w, const struct wave_dump *v, FILE *f,
		     struct layers *all, struct pmk_wave_error *err)
{
	const struct pmk_wave_signal *clock, *reset, *evntbus = find_evntbus(v);
	const char *scope = evntbus ? evntbus->scope : "";

	if (find_layers(v, all))
		return pmk_wave_no_memory(err, w->path);
	sort_layers(all);
	find_gxi(all);
	all->pins = find_pins(v);
	find_inner_ends(all);
	for (size_t i = 0; i < all->count; i++)
		name_layer(all, i);
	if (all->pins)
		scope = all->pins->scope;
	if (all->gxi.roles)
		scope = all->gxi.role[PMK_WAVE_GXI_ADDRESS]->scope;
	if (all->count)
		scope = all->layer[0].key->scope;
	clock = clock_of_first(v, all);
	if (!clock)
		clock = most_telling(v, clocks, scope);
	reset = most_telling(v, resets, scope);
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
	write_map(f, v, all, clock, reset, evntbus);
	return 0;
}

int pmk_wave_guess(const struct pmk_wave *w, char **text, struct pmk_wave_error *err)
{
	struct layers all = { .count = 0 };
	struct wave_dump names = w->dump; /* a copy with another list of signals */
	size_t size;
	FILE *f;
	int code;

	*err = (struct pmk_wave_error){ .code = 0 };
	*text = NULL;
	f = open_memstream(text, &size);
	if (!f)
		return pmk_wave_no_memory(err, w->path);
	names.signal = joined_signals(&w->dump, &names.nsignals);
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
