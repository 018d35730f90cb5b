// SPDX-License-Identifier: MIT
/*
 * Names of signals. A map may use a full path, a path without its beginning if only one net
 * matches, or a path relative to the map's scope. Names are separated by '.' or '/', and indices
 * select bits as declared.
 *
 * Some writers dump a vector bit by bit, every bit with a code of its own. Signals with the same
 * path and ranges that do not overlap form one vector, with the lowest index as bit 0.
 */
#include "producer/wave/wave.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

#define MAX_PATH 1024

/* ---- matching ------------------------------------------------------------------------------- */

static size_t path_length(const struct pmk_wave_signal *s)
{
	size_t scope = strlen(s->scope);

	return scope + (scope ? 1 : 0) + strlen(s->name);
}

/* Writes the path "scope.name" into buf. A path that is too long is cut off at its end. */
static void path_tail(const struct pmk_wave_signal *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", s->scope, *s->scope ? "." : "", s->name);
}

/* True if the `n` characters at `path` are the signal's path or, with `suffix`, the end of this
 * path. */
static bool path_matches(const struct pmk_wave_signal *s, const char *path, size_t n, bool suffix)
{
	size_t whole = path_length(s), name = strlen(s->name), scope = strlen(s->scope);

	if (n > whole || (!suffix && n != whole))
		return false;
	if (n <= name)
		return n == name && memcmp(path, s->name, n) == 0;
	/* n > name: also compare some of the scope, then '.', then the name */
	if (memcmp(path + n - name, s->name, name) != 0 || path[n - name - 1] != '.')
		return false;
	n -= name + 1;
	if (n > scope || memcmp(path, s->scope + scope - n, n) != 0)
		return false;
	return n == scope || s->scope[scope - n - 1] == '.';
}

static uint32_t bits_of(const struct pmk_wave_signal *s)
{
	return s->width ? s->width : 1;
}

static int32_t lowest_index(const struct pmk_wave_signal *s)
{
	return s->msb < s->lsb ? s->msb : s->lsb;
}

static int32_t highest_index(const struct pmk_wave_signal *s)
{
	return s->msb < s->lsb ? s->lsb : s->msb;
}

/* Signals that match a path. Each range of a net is in the list only once. */
struct found {
	uint32_t signal[WAVE_PARTS];
	unsigned count;
	bool crowded; /* more signals matched than fit */
};

static bool is_same_part(const struct pmk_wave_signal *a, const struct pmk_wave_signal *b)
{
	return a->net == b->net && a->msb == b->msb && a->lsb == b->lsb;
}

static void collect_matches(const struct wave_dump *v, const char *path, bool suffix,
			    struct found *f)
{
	size_t n = strlen(path);

	*f = (struct found){ .count = 0 };
	for (size_t i = 0; n && i < v->nsignals; i++) {
		bool known = false;

		if (!path_matches(&v->signal[i], path, n, suffix))
			continue;
		for (unsigned k = 0; k < f->count && !known; k++)
			known = is_same_part(&v->signal[f->signal[k]], &v->signal[i]);
		if (known)
			continue;
		if (f->count == WAVE_PARTS)
			f->crowded = true;
		else
			f->signal[f->count++] = (uint32_t)i;
	}
}

/* Looks for the path in the scope, then from the top, then as the end of a longer path. */
static void look_for(const struct wave_dump *v, const char *scope, const char *path,
		     struct found *f)
{
	char full[2 * MAX_PATH];

	f->count = 0;
	if (*scope) {
		snprintf(full, sizeof(full), "%s.%s", scope, path);
		collect_matches(v, full, false, f);
	}
	if (!f->count)
		collect_matches(v, path, false, f);
	if (!f->count)
		collect_matches(v, path, true, f);
}

/* ---- suggestions ---------------------------------------------------------------------------- */

#define HINTS 3

/*
 * Candidates, sorted by the distance of their last name. With equal distances, the signal in the
 * right scope comes first.
 */
struct hints {
	const struct pmk_wave_signal *signal[HINTS];
	unsigned distance[HINTS];
	unsigned count;
};

static void hint_offer(struct hints *h, const struct pmk_wave_signal *s, unsigned distance)
{
	unsigned k;

	for (k = 0; k < h->count; k++)
		if (h->signal[k]->net == s->net && h->distance[k] <= distance)
			return;
	k = h->count < HINTS ? h->count++ : HINTS;
	while (k > 0 && (k == HINTS || h->distance[k - 1] > distance)) {
		if (k == HINTS && h->distance[k - 1] <= distance)
			return;
		if (k < HINTS) {
			h->signal[k] = h->signal[k - 1];
			h->distance[k] = h->distance[k - 1];
		}
		k--;
	}
	h->signal[k] = s;
	h->distance[k] = distance;
}

static const char *last_name(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

static void no_such(const struct wave_dump *v, const char *scope, const char *path, char *why,
		    size_t size)
{
	const char *name = last_name(path);
	struct hints h = { .count = 0 };
	size_t used;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];
		unsigned d = pmk_distance(name, s->name);
		size_t n = strlen(s->scope);

		if (d >= PMK_FAR)
			continue;
		/* A scope that differs from the scope in the path or in the map costs half a
		 * step. */
		d = 2 * d + !(name != path ? strncmp(path, s->scope, n) == 0
					   : strcmp(scope, s->scope) == 0);
		hint_offer(&h, s, d);
	}
	used = (size_t)snprintf(why, size, "no signal '%.100s' in the dump%s", path,
				h.count ? "; did you mean " : "");
	for (unsigned i = 0; i < h.count && used < size; i++) {
		char full[MAX_PATH];

		if (i && h.distance[i] > h.distance[0] + 2)
			break;
		path_tail(h.signal[i], full, sizeof(full));
		used += (size_t)snprintf(why + used, size - used, "%s%.100s", i ? " or " : "",
					 full);
	}
	if (used < size)
		snprintf(why + used, size - used, "%s",
			 h.count ? "?" : "; 'pmk wave signals' lists them");
}

static void explain_ambiguous(const struct wave_dump *v, const char *path, const struct found *f,
			      char *why, size_t size)
{
	char a[MAX_PATH], b[MAX_PATH];

	path_tail(&v->signal[f->signal[0]], a, sizeof(a));
	path_tail(&v->signal[f->signal[1]], b, sizeof(b));
	if (strcmp(a, b) == 0)
		snprintf(why, size, "'%.100s' is in the dump more than once, as different signals",
			 a);
	else
		snprintf(why, size, "'%.60s' may be %.100s or %.100s%s; give more of its path",
			 path, a, b, f->count > 2 ? " …" : "");
}

/* ---- selecting bits ------------------------------------------------------------------------- */

/* Returns the index of bit 0: the lowest index of all signals, or the LSB of a single signal. */
static int32_t lowest_of(const struct wave_dump *v, const struct found *f)
{
	int32_t least = lowest_index(&v->signal[f->signal[0]]);

	for (unsigned i = 1; i < f->count; i++)
		if (lowest_index(&v->signal[f->signal[i]]) < least)
			least = lowest_index(&v->signal[f->signal[i]]);
	return least;
}

/* True if the signals in `f` can be the parts of one vector. */
static bool one_vector(const struct wave_dump *v, const struct found *f)
{
	const struct pmk_wave_signal *first = &v->signal[f->signal[0]];

	for (unsigned i = 0; i < f->count; i++) {
		const struct pmk_wave_signal *s = &v->signal[f->signal[i]];

		if (strcmp(s->scope, first->scope) != 0 || strcmp(s->name, first->name) != 0 ||
		    s->kind != PMK_WAVE_BITS)
			return false;
		for (unsigned k = 0; k < i; k++) {
			const struct pmk_wave_signal *t = &v->signal[f->signal[k]];

			if (lowest_index(s) <= highest_index(t) &&
			    lowest_index(t) <= highest_index(s))
				return false;
		}
	}
	return !f->crowded;
}

/* Selected bits [a:b], as positions counted from bit 0. */
struct choice {
	bool some; /* false: all bits */
	int32_t a, b;
};

static int pick_bits(const struct wave_dump *v, const struct found *f, const struct choice *c,
		     const char *path, struct wave_pick *pick, char *why, size_t size)
{
	const struct pmk_wave_signal *first = &v->signal[f->signal[0]];
	int64_t base = lowest_of(v, f), top = base, low = 0, high;
	bool up = f->count == 1 && first->msb < first->lsb; /* [0:31]: the LSB has index 31 */

	for (unsigned i = 0; i < f->count; i++)
		if (highest_index(&v->signal[f->signal[i]]) > top)
			top = highest_index(&v->signal[f->signal[i]]);
	high = f->count == 1 ? bits_of(first) - 1 : top - base;
	if (c->some) {
		int64_t a = up ? top - c->a : c->a - base, b = up ? top - c->b : c->b - base;

		if (a < 0 || b < 0 || a > high || b > high) {
			snprintf(why, size, "'%.100s' has bits %d to %d in the dump", path,
				 (int)(up ? base : top), (int)(up ? top : base));
			return PMK_EPARSE;
		}
		low = a < b ? a : b;
		high = a < b ? b : a;
	}
	if (high - low >= 64) {
		snprintf(why, size,
			 "'%.100s' has %lld bits, but only 64 can be sampled; select some, such "
			 "as [63:0]",
			 path, (long long)(high - low + 1));
		return PMK_EPARSE;
	}
	pick->width = (unsigned)(high - low + 1);
	pick->nparts = 0;
	for (unsigned i = 0; i < f->count; i++) {
		const struct pmk_wave_signal *s = &v->signal[f->signal[i]];
		int64_t at = f->count == 1 ? 0 : lowest_index(s) - base;
		int64_t from = low > at ? low : at;
		int64_t to = at + bits_of(s) - 1 < high ? at + bits_of(s) - 1 : high;

		if (from > to)
			continue;
		pick->part[pick->nparts++] = (struct wave_part){ .signal = f->signal[i],
								 .low = (uint32_t)(from - at),
								 .width = (uint8_t)(to - from + 1),
								 .shift = (uint8_t)(from - low) };
	}
	return 0;
}

static const char *kind_name(unsigned kind)
{
	return kind == PMK_WAVE_REAL ? "a real" : kind == PMK_WAVE_STRING ? "a string" : "an event";
}

/* Removes a trailing [7:4] or [3] from the path. */
static bool split_choice(char *path, struct choice *c)
{
	char *bracket = strrchr(path, '[');

	if (!bracket || bracket == path || !pmk_wave_range(bracket, &c->a, &c->b))
		return false;
	c->some = true;
	*bracket = '\0';
	return true;
}

int pmk_wave_find(const struct wave_dump *v, const char *scope, const char *text,
		  struct wave_pick *pick, char *why, size_t size)
{
	struct choice choice = { .some = false };
	char path[MAX_PATH];
	struct found f;

	if (strlen(text) >= sizeof(path)) {
		snprintf(why, size, "a name of more than %d characters", MAX_PATH - 1);
		return PMK_EPARSE;
	}
	strcpy(path, text);
	look_for(v, scope, path, &f);
	if (!f.count && strchr(path, '/')) {
		for (char *c = path; *c; c++)
			*c = *c == '/' ? '.' : *c;
		look_for(v, scope, path, &f);
	}
	if (!f.count && split_choice(path, &choice))
		look_for(v, scope, path, &f);
	if (!f.count) {
		no_such(v, scope, path, why, size);
		return PMK_EPARSE;
	}
	if (v->signal[f.signal[0]].kind != PMK_WAVE_BITS) {
		snprintf(why, size, "'%.100s' is %s, which cannot be sampled", path,
			 kind_name(v->signal[f.signal[0]].kind));
		return PMK_EPARSE;
	}
	if (f.count > 1 && !one_vector(v, &f)) {
		explain_ambiguous(v, path, &f, why, size);
		return PMK_EPARSE;
	}
	return pick_bits(v, &f, &choice, path, pick, why, size);
}
