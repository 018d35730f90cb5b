// SPDX-License-Identifier: MIT
/*
 * Names of roles, and signals whose names differ only in the role.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "producer/wave/guess.h"

size_t pmk_guess_path_length(const struct pmk_wave_signal *s)
{
	return strlen(s->scope) + strlen(s->name);
}

const char *const pmk_guess_axi_infixes[GUESS_NINFIXES] = { "", "_", "_bits_", "_payload_" };

/* Returns the length of the name in `names` that `at` starts with; 0 if none matches. */
static size_t any_length(const char *at, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncasecmp(at, names[i], strlen(names[i])) == 0)
			return strlen(names[i]);
	return 0;
}

/* True if an AXI name starts at `at`. */
static bool is_axi_name(const char *at)
{
	static const char *const fields[] = { "valid", "ready", "last",	 "resp", "len", "id",
					      "addr",  "size",	"burst", "data", "strb" };
	static const char *const names[] = { "aw", "ar", "w", "b", "r" };

	size_t n = any_length(at, names, sizeof(names) / sizeof(names[0]));

	for (size_t i = 0; n && i < GUESS_NINFIXES; i++) {
		size_t infix = strlen(pmk_guess_axi_infixes[i]);

		if (strncasecmp(at + n, pmk_guess_axi_infixes[i], infix) == 0 &&
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

bool pmk_guess_has_ahb_role(const struct pmk_wave_signal *s)
{
	for (unsigned r = 0; r < PMK_AHB_NROLES; r++)
		if (strcasestr(s->name, pmk_wave_layer_keys[r]))
			return true;
	return false;
}

bool pmk_guess_has_role(const struct pmk_wave_signal *s)
{
	if (pmk_guess_has_ahb_role(s) || has_axi_role(s))
		return true;
	if (strcasestr(s->name, "hsel"))
		return true;
	return pmk_guess_has_gxi_role(s);
}

int pmk_guess_find_roles(const struct wave_dump *v, struct guess *all)
{
	all->role = calloc(v->nsignals + 1, sizeof(*all->role));
	for (size_t i = 0; all->role && i < v->nsignals; i++)
		if (v->signal[i].kind == PMK_WAVE_BITS && pmk_guess_has_role(&v->signal[i]))
			all->role[all->nroles++] = &v->signal[i];
	return all->role ? 0 : PMK_ENOMEM;
}

const struct pmk_wave_signal *pmk_guess_sibling(const struct guess *all,
						const struct pmk_wave_signal *to, const char *word,
						const char *role)
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

unsigned pmk_guess_scope_depth(const struct pmk_wave_signal *s)
{
	unsigned n = 0;

	for (const char *c = s->scope; *c; c++)
		n += *c == '.';
	return n;
}
