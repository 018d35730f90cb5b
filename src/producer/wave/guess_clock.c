// SPDX-License-Identifier: MIT
/*
 * Clock and reset, by their names and scopes.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "producer/wave/guess.h"

/* Names, the most typical first. Any text may be before and after a name that ends with '*'. */
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

/* Returns the signal with the most typical name. Of signals with equally typical names, it returns
 * one in `scope`, or else the one with the shortest path. */
static const struct pmk_wave_signal *most_telling(const struct wave_dump *v,
						  const char *const *list, const char *scope)
{
	const struct pmk_wave_signal *best = NULL;
	unsigned least = 200;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];
		unsigned r;

		if (s->kind != PMK_WAVE_BITS || s->width != 1 || pmk_guess_has_ahb_role(s))
			continue;
		r = name_rank(s->name, list);
		if (r >= 100)
			continue;
		r = 2 * r + (strcmp(s->scope, scope) != 0);
		if (r < least ||
		    (r == least && pmk_guess_path_length(s) < pmk_guess_path_length(best))) {
			best = s;
			least = r;
		}
	}
	return best;
}

/* True if `scope` is `outer` or within it. */
static bool is_within(const char *scope, const char *outer)
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

/* Returns the number of words that a clock's name shares with a layer: m_axi_aclk and m_axi_awvalid
 * share two. 0: this is not the name of the layer's clock, because it has a word that the layer
 * lacks, or no word for a clock. */
static unsigned shared_words(const char *name, const struct guess_layer *l)
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
 * Returns the clock that is named after a layer and is in the layer's scope or in a scope around
 * it. Of several such clocks, returns the one whose name shares the most words with the layer, then
 * the innermost. NULL: there is none.
 */
static const struct pmk_wave_signal *clock_named_after(const struct wave_dump *v,
						       const struct guess_layer *l)
{
	const struct pmk_wave_signal *best = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < v->nsignals; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];
		unsigned n;

		if (s->kind != PMK_WAVE_BITS || s->width != 1 ||
		    !is_within(l->key->scope, s->scope))
			continue;
		n = shared_words(s->name, l);
		if (n > most ||
		    (n && n == most && pmk_guess_scope_depth(s) > pmk_guess_scope_depth(best))) {
			best = s;
			most = n;
		}
	}
	return best;
}

const struct pmk_wave_signal *pmk_guess_own_clock(const struct wave_dump *v,
						  const struct guess_layer *l,
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

bool pmk_guess_may_share_clock(const struct wave_dump *v, const struct guess_layer *l,
			       const struct pmk_wave_signal *own,
			       const struct pmk_wave_signal *clock)
{
	const char *scope = l->key->scope;

	for (size_t i = 0; i < v->nsignals && strcasecmp(own->name, clock->name) == 0; i++) {
		const struct pmk_wave_signal *s = &v->signal[i];

		if (s->width == 1 && strcasecmp(s->name, clock->name) == 0 &&
		    strcmp(s->scope, scope) != 0 && is_within(scope, s->scope) &&
		    is_within(clock->scope, s->scope))
			return true;
	}
	return false;
}

bool pmk_guess_active_low(const char *name)
{
	size_t n = strlen(name);

	if (n > 1 && tolower((unsigned char)name[n - 1]) == 'i')
		n--;
	return (n && tolower((unsigned char)name[n - 1]) == 'n') ||
	       tolower((unsigned char)name[0]) == 'n';
}

/* Returns the clock that is named after the first layer of the map, or NULL. */
static const struct pmk_wave_signal *clock_of_first(const struct wave_dump *v,
						    const struct guess *all)
{
	size_t i = 0;

	while (i < all->count && !pmk_guess_is_written(all, &all->layer[i]))
		i++;
	return i < all->count ? clock_named_after(v, &all->layer[i]) : NULL;
}

const struct pmk_wave_signal *pmk_guess_clock(const struct wave_dump *v, const struct guess *all,
					      const char *scope)
{
	const struct pmk_wave_signal *named = clock_of_first(v, all);

	return named ? named : most_telling(v, clocks, scope);
}

const struct pmk_wave_signal *pmk_guess_reset(const struct wave_dump *v, const char *scope)
{
	return most_telling(v, resets, scope);
}
